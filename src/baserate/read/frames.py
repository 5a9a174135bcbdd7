"""Counting data frames where they lie: Spark, Dask, DuckDB, polars and pandas, through one
function.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import (
    Fix,
    InputError,
    checked_design,
    escaped,
    grouped,
    quoted,
    refuse,
)
from baserate.numbers import Ints
from baserate.read.cases import CaseColumns, Cases, check_cases, fitting
from baserate.read.columns import Column, as_column, from_spelled
from baserate.read.days import day_column
from baserate.read.table import ColumnRoles, Kind, Late, check_columns, check_use
from baserate.read.treatments import DROP, Treatment

nw: Any = Late("narwhals.stable.v2")

# ----------------------------------------------------------------------
# What a cluster says when something goes wrong there: one line of it, and where the rest lies.


# What tells most, in the order of how much it does.
CAUSES = (
    re.compile(r"(Cannot run program [^\n:]*)"),
    re.compile(r"Error from python worker:\s*([^\n]+)"),
    re.compile(r"(ExecutorLostFailure \([^\n]*)"),
    re.compile(r"Caused by: (?:[\w.$]+\.)?(\w+(?:Exception|Error): [^\n]+)"),
    re.compile(
        r"((?:[A-Z]\w*)?(?:ModuleNotFoundError|ImportError|PermissionError|MemoryError): [^\n]+)"
    ),
    re.compile(r"(\[[A-Z_.0-9]{6,}\][^\n]*)"),
    re.compile(r"(?:[\w.$]+\.)?(\w+(?:Exception|Error): [^\n]+)"),
)
LONGEST = 200
FAILED = "BR952"
NOTHING_COUNTED = "the job failed, and nothing was counted: "


@contextmanager
def refused(*beside: type[Exception]) -> Iterator[None]:
    """Whatever Spark, its Java, a worker of Dask or another engine raises becomes one line of ours,
    and what is named `beside`; nothing was counted then.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if not (_is_foreign(error) or isinstance(error, beside)):
            raise
        raise failed(error) from error


def failed(error: BaseException) -> InputError:
    """The line for an error of a cluster."""
    cause = cause_of(str(error))
    if "PATH_NOT_FOUND" in cause:
        return refuse(
            "BR600",
            f"the cluster finds no such file: {cause}",
            "check the path, as the workers see it",
        )
    if "java.lang.OutOfMemoryError" in str(error):
        text, fix = (
            "the Java of Spark ran out of memory",
            "more of it: spark.driver.memory, spark.executor.memory; or round the scores",
        )
        return refuse(FAILED, text, fix)
    return refuse(FAILED, f"{NOTHING_COUNTED}{cause}", "fix the cause, and count again")


def cause_of(said: str) -> str:
    """The one line of a Java trace that tells what happened, with nothing in it that could steer a
    terminal.
    """
    found = next(
        (match[1] for match in (pattern.search(said) for pattern in CAUSES) if match),
        said.strip().partition("\n")[0],
    )
    text = escaped(found.strip())
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return text.rstrip(".") or "no reason was given"


def _is_foreign(error: BaseException) -> bool:
    """Errors of libraries that were not imported cannot have come from them."""
    kinds: list[type[BaseException]] = []
    for module, names in (
        ("pyspark.errors", ("PySparkException",)),
        ("py4j.protocol", ("Py4JError",)),
        ("distributed", ("KilledWorker", "CommClosedError")),
        ("pyarrow", ("ArrowException",)),
        ("concurrent.futures.process", ("BrokenProcessPool",)),
        ("duckdb", ("Error",)),
        ("polars.exceptions", ("PolarsError",)),
        ("narwhals.exceptions", ("NarwhalsError",)),
    ):
        held = sys.modules.get(module)
        kinds += [getattr(held, name) for name in names if hasattr(held, name)]
    lost = (
        isinstance(error, ConnectionError | EOFError) and "py4j" in sys.modules
    )  # the Java itself is gone
    unread = (
        isinstance(error, OSError) and error.errno is None
    )  # Arrow's: a file that is damaged, not one that is not there
    return lost or unread or isinstance(error, tuple(kinds))


# ----------------------------------------------------------------------
# The columns of a frame: as they lie in memory, or each combination of values once with its number
# of cases, from one GROUP BY in the engine that holds them.


LABEL, GROUP, CASES, MISSING = "label", "group", "cases", "missing"
# The most distinct rows of values that an engine may send here.
MOST_ROWS = 10_000_000


def score_key(place: int) -> str:
    """What the column of a score is called inside."""
    return f"score {place}"


def columns_of_frame(frame: Any, wanted: ColumnRoles) -> CaseColumns:
    """Return the requested columns of any frame that narwhals knows."""
    native = nw.from_native(frame, pass_through=True)
    if not isinstance(native, nw.LazyFrame | nw.DataFrame):
        text = f"a {type(frame).__name__} is not a data frame"
        kinds = "Spark, Dask, polars, pandas, pyarrow or DuckDB"
        fix = f"give a frame of {kinds}, or count(y_true, y_score) for arrays"
        raise refuse("BR950", text, fix)
    checked_design(wanted.design)
    check_models(wanted.scores)
    if isinstance(native, nw.LazyFrame):
        _refuse_eager_roles(wanted)
        columns = tallied(opened(frame, wanted), wanted, MOST_ROWS)
    else:
        columns = columns_in_memory(native, wanted)
    if not columns.cases:
        raise refuse("BR602", "there are no rows", "give a frame, or files, with cases")
    return columns


def cases_of_frame(frame: Any, wanted: ColumnRoles, options: Mapping[str, Any]) -> Cases:
    """Return the checked cases of any frame that narwhals knows."""
    treatment = checked_treatment(options)
    columns = columns_of_frame(frame, wanted)
    return check_columns_of_frame(columns, wanted, treatment)


def check_columns_of_frame(
    columns: CaseColumns, wanted: ColumnRoles, treatment: Treatment
) -> Cases:
    """Return the cases of the columns of a frame, or every reason why they cannot be counted."""
    return check_cases(
        columns,
        positive=fitting(wanted.positive, columns.label.inferred().values),
        design=wanted.design,
        missing_label=treatment.missing_label,
        nan_score=treatment.nan_score,
        keyword="positive",
    )


def _refuse_eager_roles(wanted: ColumnRoles) -> None:
    """Refuse columns that no engine groups by."""
    if wanted.weight is not None or set(wanted.beside) - {"group"}:
        text = "a lazy frame is counted with its label, scores and one column of groups"
        raise refuse("BR950", text, "collect it first: a frame of pandas, polars or pyarrow")


def columns_in_memory(frame: Any, wanted: ColumnRoles) -> CaseColumns:
    """Return the columns of a frame in memory."""
    check_columns("", frame.columns, wanted.columns)
    for name in (wanted.label, *wanted.numbers):
        check_use("", name, frame_kind(frame[name].dtype), wanted)
    columns = {name: column_of(frame[name], name) for name in wanted.columns}
    if wanted.day is not None:
        columns[wanted.day] = day_column(frame[wanted.day].to_native(), quoted(wanted.day))
    return CaseColumns(
        columns[wanted.label],
        {name: columns[name] for name in wanted.scores},
        None if wanted.weight is None else columns[wanted.weight],
        {role: columns[name] for role, name in wanted.beside.items()},
    )


def opened(frame: Any, wanted: ColumnRoles) -> Any:
    """The requested columns of any frame that narwhals knows, lazily, under names of our own."""
    checked_design(wanted.design)
    lazy = lazily(_renamed(frame))
    schema = lazy.collect_schema()
    have = list(frame.columns) if _is_spark(frame) else list(schema.names())
    check_columns("", have, wanted.columns)
    place = dict(zip(have, schema.names(), strict=True))
    types = {name: schema[place[name]] for name in wanted.columns}
    for name, dtype in types.items():
        check_use("", name, frame_kind(dtype), wanted)
    return lazy.select(*(nw.col(place[name]).alias(key) for key, name in keyed(wanted).items()))


def keyed(wanted: ColumnRoles) -> dict[str, str]:
    """The requested columns by the names that they have inside."""
    keys = {LABEL: wanted.label, **dict(zip(_keys(wanted), wanted.scores, strict=True))}
    return keys if wanted.group is None else {**keys, GROUP: wanted.group}


def _keys(wanted: ColumnRoles) -> list[str]:
    return [score_key(place) for place in range(len(wanted.scores))]


def lazily(frame: Any) -> Any:
    """Any frame that narwhals knows, lazily."""
    native = nw.from_native(frame, pass_through=True)
    if not isinstance(native, nw.LazyFrame | nw.DataFrame):
        raise refuse(
            "BR950",
            f"a {type(frame).__name__} is not a data frame",
            "give a frame of Spark, Dask, polars, pandas, pyarrow or DuckDB, or count(y_true,"
            " y_score) for arrays",
        )
    return native.lazy()


def _is_spark(frame: Any) -> bool:
    return type(frame).__module__.startswith("pyspark")


def _renamed(frame: Any) -> Any:
    """Spark reads a dot in a name as a path, and folds its case: there columns go by their
    places.
    """
    if not _is_spark(frame) or not hasattr(frame, "toDF"):
        return frame
    return frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))


def frame_kind(dtype: Any) -> Kind:
    """What the values of a column are, by its type in narwhals."""
    tests = {
        Kind.SPELLED: dtype.is_decimal(),
        Kind.NUMBERS: dtype.is_numeric() or dtype == nw.Boolean,
        Kind.TEXT: dtype in (nw.String, nw.Categorical) or isinstance(dtype, nw.Enum),
        Kind.TIMES: dtype.is_temporal(),
        Kind.BYTES: dtype == nw.Binary,
    }
    return next((kind for kind, found in tests.items() if found), Kind.OTHER)


def wide(dtype: Any) -> Any:
    """The type of 64 bits that holds every number of a type; None where there is none, and values
    are checked here as they are.
    """
    if dtype.is_float():
        return nw.Float64
    return (
        nw.Int64
        if dtype == nw.Boolean
        or (dtype.is_integer() and dtype not in (nw.UInt64, nw.UInt128, nw.Int128))
        else None
    )


def tallied(frame: Any, wanted: ColumnRoles, most: int) -> CaseColumns:
    """Each combination of values once, with its number of cases; refuse more than `most`."""
    schema = frame.collect_schema()
    keys = [*keyed(wanted)]
    gone = {
        key: is_missing(nw.col(key), schema[key])
        for key in keys
        if frame_kind(schema[key]) is Kind.NUMBERS
    }
    marks = nw.sum_horizontal(
        nw.lit(0, nw.Int64), *(gone[key].cast(nw.Int64) * (1 << keys.index(key)) for key in gone)
    )
    whole = [
        _whole(nw.col(key), schema[key], ~gone[key]).alias(key) if key in gone else nw.col(key)
        for key in keys
    ]
    counts = (
        frame.select(*whole, marks.alias(MISSING))
        .group_by(*keys, MISSING)
        .agg(nw.len().alias(CASES))
    )
    found = collected(counts.head(most + 1))
    if len(found) > most:
        raise _too_many(wanted, most)
    marked = whole_numbers(found[MISSING])
    columns = {
        key: _with_gaps(column_of(found[key], name), marked & (1 << keys.index(key)) > 0)
        for key, name in keyed(wanted).items()
    }
    scores = {name: columns[key] for key, name in zip(_keys(wanted), wanted.scores, strict=True)}
    beside = {GROUP: columns[GROUP]} if GROUP in columns else {}
    return CaseColumns(columns[LABEL], scores, beside=beside, times=whole_numbers(found[CASES]))


def is_missing(column: Any, dtype: Any) -> Any:
    """Null, or NaN: comparing with NaN is a matter of taste among engines, and testing for it is
    not.
    """
    return (
        column.is_null() | column.fill_null(0.0).is_nan() if dtype.is_float() else column.is_null()
    )


def _whole(column: Any, dtype: Any, there: Any) -> Any:
    """A column without gaps, and only then of 64 bits: casting a gap is another matter of taste."""
    filled = (
        nw.when(there)
        .then(column)
        .otherwise(nw.lit(False) if dtype == nw.Boolean else nw.lit(0, dtype))  # noqa: FBT003
    )
    return filled.cast(wide(dtype)) if wide(dtype) is not None and dtype != nw.Boolean else filled


def _with_gaps(column: Column, gone: Array) -> Column:
    return (
        replace(column, missing=gone if column.missing is None else gone | column.missing)
        if gone.any()
        else column
    )


def collected(frame: Any) -> Any:
    """The rows of a lazy frame, here. Values that an engine cannot group are its TypeError."""
    with refused(TypeError, ValueError), _repeatable(frame):
        return frame.collect()


def _repeatable(frame: Any) -> AbstractContextManager[object]:
    """Dask's own way to shuffle on a cluster does not survive the loss of a worker; shuffles made
    of tasks are computed again.
    """
    if not frame.implementation.is_dask():
        return nullcontext()
    import dask

    return dask.config.set({"dataframe.shuffle.method": "tasks"})


def whole_numbers(series: Any) -> Ints:
    """Counts as int64, whatever an engine makes of them."""
    return (
        np.array(series.to_list(), dtype=np.int64)
        if series.dtype.is_decimal()
        else np.asarray(series.to_numpy()).astype(np.int64)
    )


def column_of(series: Any, name: str) -> Column:
    """A column that was collected; decimals become the numbers that they spell, and gaps, which
    engines spell as they like, None.
    """
    if series.dtype.is_decimal():
        return Column(
            quoted(name),
            from_spelled(
                [str(value) if isinstance(value, Decimal) else None for value in series.to_list()]
            ),
        )
    return as_column(series.to_native(), quoted(name))


def checked_treatment(options: Mapping[str, Any]) -> Treatment:
    """Return what is done about odd rows of arrays and frames: they can be left out."""
    treatment = Treatment(**options).checked()
    dropped = Treatment(missing_label=treatment.missing_label, nan_score=treatment.nan_score)
    if treatment != dropped or not {dropped.missing_label, dropped.nan_score} <= {None, DROP}:
        text = "rows without a label or score can be left out here, and nothing else"
        fix = 'missing_label="drop", nan_score="drop", or change the columns in the frame itself'
        raise refuse("BR953", text, fix)
    return treatment


def is_lazy(frame: Any) -> bool:
    """Whether the rows of a frame are not in memory."""
    return isinstance(nw.from_native(frame, pass_through=True), nw.LazyFrame)


def _too_many(wanted: ColumnRoles, most: int) -> InputError:
    several = len(wanted.scores) > 1
    what = "rows of scores" if several else "scores"
    text = f"there are more than {grouped(most)} distinct {what}, too many to collect"
    bins = "count the result of counting_sql(…, bins=65536), run by the engine, with counted=True"
    rows = "round the scores, or take a random sample of the rows"
    return refuse("BR951", text, rows if several or wanted.group is not None else bins)


def check_models(scores: Sequence[str]) -> None:
    """At least one score, each named once."""
    if not scores:
        raise refuse(
            "BR410", "no score is named", Fix('scores=["m1", "m2"]', "--score m1 --score m2")
        )
    repeated = [name for name in scores if scores.count(name) > 1]
    if repeated:
        raise refuse(
            "BR407", f"the score {quoted(repeated[0])} is named twice", "name each score once"
        )
