"""Counting data frames where they lie: Spark, Dask, DuckDB, polars and pandas, through one
function.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from operator import or_
from typing import Any, Literal, NamedTuple, Protocol
from zlib import crc32

import numpy as np

from baserate import __version__
from baserate.counts.cells import Array, gathered, without_runs
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.errors import (
    Findings,
    Fix,
    InputError,
    Ledger,
    Note,
    are,
    checked_design,
    escaped,
    grouped,
    number_of,
    quoted,
    refuse,
)
from baserate.kernels import Cells, best, portable
from baserate.kernels.portable import ascending_orders
from baserate.numbers import INT64_MAX, Ints
from baserate.read.cases import (
    Decision,
    as_scores,
    between,
    decide,
    fitting,
    refuse_missing,
    too_large,
)
from baserate.read.columns import (
    Column,
    as_column,
    distinct,
    from_spelled,
    group_codes,
    objects,
)
from baserate.read.table import (
    POSITIVE,
    Ceiling,
    ColumnRoles,
    Kind,
    Late,
    check_columns,
    check_use,
    needed,
)
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
WORKERS = (
    "give the workers the same packages: condensing and comparing run baserate there"
    " (docs/cluster.md)"
)


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
            "more of it: spark.driver.memory, spark.executor.memory; or fewer cells",
        )
        return refuse(FAILED, text, fix)
    fix = WORKERS if "ModuleNotFoundError" in cause else "fix the cause, and count again"
    return refuse(FAILED, f"{NOTHING_COUNTED}{cause}", fix)


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
# Work on the rows of each partition, where they lie: little goes to it, and little comes back.


ENTRIES = ("place", "extra", "value")
# Rows that are worked on at once: Spark hands out ten thousand at a time, which is too few to
# search many thousand places for.
PIECE = 1 << 20

Columns = Mapping[str, Array]


class Work(Protocol):
    """What is done in a partition: pieces of columns go in, three columns of whole numbers come
    out. It is sent to every worker.
    """

    def __call__(self, pieces: Iterator[Columns]) -> tuple[Ints, Ints, Ints]: ...


def over_partitions(frame: Any, work: Work) -> Any:
    """The entries that every partition gives, as a lazy frame in the same engine; a frame without
    partitions is one.
    """
    native = frame.to_native()
    if frame.implementation.is_spark_like():
        return nw.from_native(_in_spark(native, work))
    if frame.implementation.is_dask():
        nothing = needed("pandas").DataFrame(
            {name: np.empty(0, dtype=np.int64) for name in ENTRIES}
        )
        return nw.from_native(
            native.map_partitions(_OfPandas(work), meta=nothing, enforce_metadata=False)
        )
    with refused():
        found = work(gathered_pieces(_streamed(frame)))
    backend: Any = "pyarrow" if frame.implementation.is_duckdb() else frame.implementation
    return nw.from_dict(dict(zip(ENTRIES, found, strict=True)), backend=backend).lazy()


def added_up(frame: Any, work: Work) -> tuple[Ints, Ints, Ints]:
    """One pass over the rows: of each place that the partitions gave, the least extra and the sum
    of the values.
    """
    place, extra, value = ENTRIES
    entries = over_partitions(frame, work).group_by(place)
    found = collected(entries.agg(nw.col(extra).min(), nw.col(value).sum()))
    return whole_numbers(found[place]), whole_numbers(found[extra]), whole_numbers(found[value])


def _streamed(frame: Any) -> Iterator[Columns]:
    """The columns of a frame on this machine, batch by batch where its engine hands them out so."""
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        for batch in native.to_arrow_reader(PIECE):
            yield {
                name: batch.column(name).to_numpy(zero_copy_only=False)
                for name in batch.schema.names
            }
        return
    batches = (
        map(nw.from_native, native.collect_batches())
        if hasattr(native, "collect_batches")
        else [frame.collect()]
    )
    for batch in batches:
        yield {name: batch[name].to_numpy() for name in batch.columns}


def _in_spark(native: Any, work: Work) -> Any:
    schema = ", ".join(f"{name} long" for name in ENTRIES)
    with warnings.catch_warnings():
        # Spark asks for pandas, and doubts the newest, also where batches are Arrow's and pandas
        # has no part in it.
        warnings.filterwarnings(
            "ignore", message="PySpark does not yet fully support pandas", category=FutureWarning
        )
        return native.mapInArrow(_OfArrow(work), schema)


class _Version:
    """The versions of Python and baserate on a worker, as numbers."""

    def __call__(self, pieces: Iterator[Columns]) -> tuple[Ints, Ints, Ints]:  # noqa: ARG002
        python = 100 * sys.version_info.major + sys.version_info.minor
        return tuple(np.array([one]) for one in (0, python, crc32(__version__.encode())))  # type: ignore[return-value]


def check_workers(frame: Any) -> None:
    """Refuse, before a row is read, a Spark whose workers could not run this package."""
    if not frame.implementation.is_spark_like():
        return
    one = nw.from_native(frame.to_native().sparkSession.range(0, 1, 1, 1))
    try:
        found = collected(over_partitions(one, _Version()))
        there, here = (list(found.row(0)), [int(part[0]) for part in _Version()(iter(()))])
        if there != here:
            raise refuse(FAILED, "they have another version of baserate", WORKERS)
    except InputError as error:
        cause = error.problems[0].text.removeprefix(NOTHING_COUNTED)
        text = f"the workers of Spark cannot run baserate: {cause}"
        named = quoted(os.environ.get("PYSPARK_PYTHON", "python3"))
        fix = f"PYSPARK_PYTHON (now {named}) names a Python with baserate, pyarrow and pandas there"
        raise refuse("BR957", text, fix) from error


@dataclass(frozen=True)
class _OfArrow:
    """The work on the record batches that Spark hands to a Python worker."""

    work: Work

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        pieces = (
            {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
            for batch in batches
        )
        yield pa.RecordBatch.from_arrays(
            [pa.array(column) for column in self.work(gathered_pieces(pieces))], names=[*ENTRIES]
        )


@dataclass(frozen=True)
class _OfPandas:
    """The work on a partition of Dask."""

    work: Work

    def __call__(self, part: Any) -> Any:
        pieces = [{str(name): part[name].to_numpy() for name in part.columns}]
        return needed("pandas").DataFrame(
            dict(zip(ENTRIES, self.work(gathered_pieces(pieces)), strict=True))
        )


def gathered_pieces(pieces: Iterable[Columns]) -> Iterator[Columns]:
    """The same rows in pieces of about a million."""
    held: list[Columns] = []
    rows = 0
    for piece in _cut(pieces):
        held.append(piece)
        rows += len(next(iter(piece.values())))
        if rows >= PIECE:
            yield _joined(held)
            held, rows = [], 0
    if held:
        yield _joined(held)


def _cut(pieces: Iterable[Columns]) -> Iterator[Columns]:
    for piece in pieces:
        for start in range(0, len(next(iter(piece.values()))) or 1, PIECE):
            yield {name: column[start : start + PIECE] for name, column in piece.items()}


def _joined(pieces: list[Columns]) -> Columns:
    return (
        pieces[0]
        if len(pieces) == 1
        else {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    )


# ----------------------------------------------------------------------
# Counting where the data lie: one GROUP BY in the engine that holds them, and what it gives,
# checked here.


LABEL, GROUP, CASES, MISSING = "label", "group", "cases", "missing"


class Tally(NamedTuple):
    """Each row of values once, and how many cases have it: the label, the score of every model, the
    group where there is one.
    """

    label: Column
    scores: dict[str, Column]
    group: Column | None
    times: Ints

    def without(self, gone: Array) -> Tally:
        """The others than these rows."""
        rows = np.delete(np.arange(len(self.times)), gone)
        scores = {name: column.only(rows) for name, column in self.scores.items()}
        return Tally(
            self.label.only(rows),
            scores,
            None if self.group is None else self.group.only(rows),
            self.times[rows],
        )


class Judged(NamedTuple):
    """The same, where it is known which cases are positive, and every score is a number."""

    positives: Ints
    negatives: Ints
    scores: dict[str, Array]
    group: Column | None
    notes: tuple[Note, ...]
    ledger: Ledger
    label: object = None

    def cells(self, model: str) -> Cells:
        """Cells of one model, not yet merged."""
        return Cells(self.scores[model], self.positives, self.negatives)


def score_key(place: int) -> str:
    """What the column of a score is called inside."""
    return f"score {place}"


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


def columns_of(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Columns of a frame in memory by name, as the library that holds it has them."""
    native = nw.from_native(frame, pass_through=True)
    if not isinstance(native, nw.DataFrame):
        raise refuse(
            "BR950",
            f"a {type(frame).__name__} is not a data frame in memory",
            "collect it first: a frame of pandas, polars or pyarrow",
        )
    check_columns("", native.columns, names)
    return {name: native[name].to_native() for name in names}


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


def tallied(frame: Any, wanted: ColumnRoles, most: int, scored: Any = True) -> Tally | None:  # noqa: FBT002 (a bool or an expression of them)
    """How many cases have each row of values; None where there are more than `most` rows. Scores
    are distinguished where `scored` is true.
    """
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
    there = {
        key: ~gone[key] if scored is True or key in (LABEL, GROUP) else ~gone[key] & scored
        for key in gone
    }
    whole = [
        _whole(nw.col(key), schema[key], there[key]).alias(key) if key in gone else nw.col(key)
        for key in keys
    ]
    found = collected(
        frame.select(*whole, marks.alias(MISSING))
        .group_by(*keys, MISSING)
        .agg(nw.len().alias(CASES))
        .head(most + 1)
    )
    if len(found) > most:
        return None
    marked = whole_numbers(found[MISSING])
    columns = {
        key: _with_gaps(column_of(found[key], name), marked & (1 << keys.index(key)) > 0)
        for key, name in keyed(wanted).items()
    }
    scores = {name: columns[key] for key, name in zip(_keys(wanted), wanted.scores, strict=True)}
    return Tally(columns[LABEL], scores, columns.get(GROUP), whole_numbers(found[CASES]))


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


def judged(tally: Tally, wanted: ColumnRoles, treatment: Treatment) -> Judged:
    """Which cases are positive, and what their scores are; rows without label or score are left out
    where that was requested.
    """
    rows = int(tally.times.sum())
    if not rows:
        raise refuse("BR602", "there are no rows", "give a frame, or files, with cases")
    tally, notes = _without_labels(tally, treatment)
    tally, dropped = _without_scores(tally, treatment)
    used = int(tally.times.sum())
    if not used:
        raise refuse(
            "BR602", "every row was left out, as requested: nothing remains", "give whole cases"
        )
    findings, scores = Findings(), dict[str, Array]()
    with findings:
        decision = label_decision(tally.label, wanted.positive, tally.times)
    for name, column in tally.scores.items():
        with findings:
            refuse_missing(column, tally.times)
            found = as_scores(column)
            scores[name] = found.astype(np.int64 if found.dtype == np.int64 else np.float64) + 0
    findings.settle()
    positives = np.where(decision.positive, tally.times, 0)
    ledger = Ledger(rows, used, rows - used, design=wanted.design)
    return Judged(
        positives,
        tally.times - positives,
        scores,
        tally.group,
        (*notes, *dropped, *decision.notes),
        ledger,
        decision.value,
    )


def label_decision(column: Column, positive: object, times: Ints) -> Decision:
    """Which rows are positive: decided once, on the distinct labels."""
    values, codes = distinct(column)
    many = np.zeros(len(values), dtype=np.int64)
    np.add.at(many, codes, times)
    labels = Column(column.name, objects(values)).inferred()
    decision = decide(labels, fitting(positive, labels.values), many, keyword="positive")
    return Decision(decision.positive[codes], decision.value, decision.notes)


def _without_labels(tally: Tally, treatment: Treatment) -> tuple[Tally, tuple[Note, ...]]:
    gone = tally.label.missing_rows()
    if treatment.missing_label != DROP or not len(gone):
        return tally, ()
    many, cases = int(tally.times[gone].sum()), int(tally.times.sum())
    text = (
        f"{grouped(many)} of {number_of(cases, 'label')} in {tally.label.name} {are(many)} missing:"
        " left out, as requested"
    )
    return tally.without(gone), (Note("BR105", text),)


def _without_scores(tally: Tally, treatment: Treatment) -> tuple[Tally, tuple[Note, ...]]:
    gone = {name: column.missing_rows() for name, column in tally.scores.items()}
    every = np.unique(np.concatenate([*gone.values()]))
    if treatment.nan_score != DROP or not len(every):
        return tally, ()
    shown = ", ".join(
        f"{quoted(name)} {grouped(int(tally.times[rows].sum()))}"
        for name, rows in gone.items()
        if len(rows)
    )
    text = (
        f"{number_of(int(tally.times[every].sum()), 'case')} without a score ({shown}): left out,"
        " as requested"
    )
    return tally.without(every), (Note("BR201", text),)


def checked_treatment(said: Mapping[str, Any]) -> Treatment:
    """What a cluster can do with odd rows: leave them out."""
    treatment = Treatment(**said).checked()
    if treatment != Treatment(
        missing_label=treatment.missing_label, nan_score=treatment.nan_score
    ) or {
        treatment.missing_label,
        treatment.nan_score,
    } - {
        None,
        DROP,
    }:
        raise refuse(
            "BR953",
            "where the engine counts, rows without a label or score can be left out, and nothing"
            " else",
            'missing_label="drop", nan_score="drop", or change the columns in the frame itself',
        )
    return treatment


# ----------------------------------------------------------------------
# The negatives of a partition among the positives' scores: what each worker counts and adds up.


@dataclass(frozen=True)
class Negatives:
    """How many scores lie at each anchor and between them, and the lowest of each gap.

    `anchors` are the positives' scores, as ascending orders. It answers in places: the gaps (even,
    from the lowest) and the anchors between them (odd).
    """

    anchors: Ints

    def __call__(self, pieces: Iterator[Columns]) -> tuple[Ints, Ints, Ints]:
        # What came over a network may lie at any byte, and the compiled search needs something to
        # find.
        kernels = best if len(self.anchors) else portable
        counter = kernels.GapCounter(np.require(self.anchors, requirements=["C", "A"]))
        for piece in pieces:
            scores = np.require(piece[score_key(0)], requirements=["C", "A"])
            counter.add(scores, np.zeros(len(scores), dtype=np.bool_))
        lowest, values = self._places()
        lowest[::2], values[::2], values[1::2] = counter.lowest, counter.gaps, counter.ties
        used = np.flatnonzero(values)
        return used, lowest[used], values[used]

    def _places(self) -> tuple[Ints, Ints]:
        """The lowest score and the number of scores at each place, where there are none."""
        size = 2 * len(self.anchors) + 1
        return np.full(size, INT64_MAX), np.zeros(size, dtype=np.int64)

    def read(self, places: Ints, least: Ints, many: Ints) -> tuple[Ints, Ints, Ints]:
        """What all partitions gave together: ties, gaps and the lowest of each gap."""
        lowest, values = self._places()
        lowest[places], values[places] = least, many
        return values[1::2], values[::2], lowest[::2]


# ----------------------------------------------------------------------
# Condensed counts of more distinct scores than fit anywhere: the positives come here, the negatives
# are dropped into the gaps where they lie.


MOST_LABELS = 1 << 20  # far more than two, and few enough to be told
SPARE = 1 << 10  # rows beside those of the positives: other labels, and what is missing


def with_positives(
    frame: Any, wanted: ColumnRoles, treatment: Treatment, most: int
) -> tuple[Any, Judged]:
    """The first pass: how many rows have each label, and each score of the positives. What is odd
    is refused or left out by that.

    Gives the frame of all cases with a label and every score, LABEL as 0 or 1 and scores by their
    keys, and the scores of the positives side by side: the least that condensed counts have to
    hold.
    """
    frame = _ranked(frame, wanted)
    likely = likely_positive(frame.collect_schema()[LABEL], wanted.positive)
    tally = (
        None if likely is None else tallied(frame, wanted, most + SPARE, nw.col(LABEL) == likely)
    )
    if tally is None:
        tally, likely = _labels(frame, wanted), None
    found = judged(tally, wanted, treatment)
    held, is_positive = found, nw.col(LABEL) == found.label
    if found.positives.any() and found.label != likely:
        positives = tallied(frame.filter(is_positive, *_scored(frame, wanted)), wanted, most)
        held = judged(_checked(positives, wanted, most), wanted, treatment)
    rows = np.flatnonzero(held.positives)
    if len(rows) > most:
        _checked(None, wanted, most)
    whole = _whole_cases(frame, wanted, tally, found.label)
    scores = {name: column[rows] for name, column in held.scores.items()}
    hits = held.positives[rows]
    return whole, found._replace(positives=hits, negatives=np.zeros_like(hits), scores=scores)


def _ranked(frame: Any, wanted: ColumnRoles) -> Any:
    """The frame with scores that partitions can rank, on workers that can do so."""
    frame = _signed(frame, wanted)
    schema = frame.collect_schema()
    for key, name in zip(_keys(wanted), wanted.scores, strict=True):
        if wide(schema[key]) is None:
            text = (
                f"{quoted(name)} holds {frame_kind(schema[key])}, which cannot be condensed where"
                " they lie"
            )
            raise refuse("BR954", text, "cast it to float64, or to a whole number of 64 bits")
    check_workers(frame)
    return frame


def _scored(frame: Any, wanted: ColumnRoles) -> list[Any]:
    """That every score is there."""
    schema = frame.collect_schema()
    return [~is_missing(nw.col(key), schema[key]) for key in _keys(wanted)]


def _whole_cases(frame: Any, wanted: ColumnRoles, tally: Tally, label: object) -> Any:
    """The rows with a label and every score: LABEL as 0 or 1, and scores of 64 bits."""
    schema = frame.collect_schema()
    # Whatever else is there is missing: null, NaN or blank.
    known = [nw.col(LABEL) == value for value in distinct(tally.label)[0] if value is not None]
    positive = nw.lit(0) if label is None else (nw.col(LABEL) == label).cast(nw.Int64)
    numbers = (nw.col(key).cast(wide(schema[key])) for key in _keys(wanted))
    whole = frame.filter(reduce(or_, known), *_scored(frame, wanted))
    return whole.select(positive.alias(LABEL), *numbers)


def likely_positive(dtype: Any, positive: Any) -> Any:
    """The label that is positive unless the labels turn out otherwise: the one that was named, true
    or 1; None where nothing says so.
    """
    if dtype in (nw.String, nw.Categorical):
        named = fitting(positive, objects([""]))
        return named if isinstance(named, str) else None
    if dtype != nw.Boolean and not dtype.is_integer() and not dtype.is_float():
        return None
    kind: type = bool if dtype == nw.Boolean else int if dtype.is_integer() else float
    named = 1 if positive is None else fitting(positive, np.zeros(1, dtype=kind))
    try:
        found = kind(named)
        return found if found == named and abs(found) <= INT64_MAX else None
    except (TypeError, ValueError, OverflowError):
        return None


def _keys(wanted: ColumnRoles) -> list[str]:
    return [score_key(place) for place in range(len(wanted.scores))]


def _signed(frame: Any, wanted: ColumnRoles) -> Any:
    """Whole numbers without a sign as those with one, where they fit: a pass over them finds that
    out.
    """
    schema = frame.collect_schema()
    keys = {
        key: name
        for key, name in zip(_keys(wanted), wanted.scores, strict=True)
        if schema[key] == nw.UInt64
    }
    if not keys:
        return frame
    most = collected(frame.select(*(nw.col(key).max() for key in keys)))
    for key, name in keys.items():
        largest = most[key].to_list()[0]
        if largest is not None and int(largest) > INT64_MAX:
            raise too_large(quoted(name))
    return frame.with_columns(*(nw.col(key).cast(nw.Int64) for key in keys))


def _labels(frame: Any, wanted: ColumnRoles) -> Tally:
    """How many rows have each label, and scores or none."""
    tally = tallied(frame, wanted, MOST_LABELS, scored=False)
    if tally is None:
        raise refuse(
            "BR103",
            f"{quoted(wanted.label)} has more than {grouped(MOST_LABELS)} values; need 2",
            "name the column of the labels",
        )
    return tally


def _checked(positives: Tally | None, wanted: ColumnRoles, most: int) -> Tally:
    if positives is None:
        what = "distinct scores" if len(wanted.scores) == 1 else "distinct rows of scores"
        text = (
            f"the positives alone have more than {grouped(most)} {what} in"
            f" {', '.join(map(quoted, wanted.scores))}"
        )
        raise refuse("BR951", text, "allow more cells here, or round the scores")
    return positives


def condensed(whole: Any, positives: Judged, wanted: ColumnRoles) -> Counts:
    """The second pass: the negatives are counted at the positives' scores and between them."""
    (score,) = wanted.scores
    anchors = gathered(*positives.cells(score))
    work = Negatives(ascending_orders(anchors.scores)[::-1].copy())
    negative = whole.filter(nw.col(LABEL) == 0).select(score_key(0))
    cells = without_runs(between(anchors, *work.read(*added_up(negative, work))))
    return Counts._of(cells, positives.ledger, positives.notes, condensed=True)


# ----------------------------------------------------------------------
# Counting data frames where they lie: Spark and Dask clusters, DuckDB, lazy and eager frames,
# through one function.


# So many cells take less than a gigabyte here, on their way in and merged.
MOST_CELLS = 5_000_000
# Bytes that a distinct score of a positive takes in condensed counts, which have up to three cells
# for each (310 were measured).
CONDENSED = 3 * POSITIVE
Keep = Literal["all", "positives"]


def count_frame(
    frame: Any,
    wanted: ColumnRoles,
    treatment: Treatment,
    ceiling: Ceiling,
    *,
    several: bool = False,
    keep: Keep | None = None,
    cells: int | None = None,
) -> tuple[Counts | JointCounts | GroupedCounts, object]:
    """How many positives and negatives have each score, in a data frame that need not fit into
    memory? `Counts`, `JointCounts` of `several` models or `GroupedCounts`, and the label that was
    found to be positive.

    `frame` is one of PySpark, Dask, DuckDB, ibis, polars (lazy or not), pandas or pyarrow. The
    engine that holds it runs one GROUP BY, and only distinct scores come here. No more than `cells`
    of them: where one score has more, the counts are condensed as `keep="positives"` has them,
    which is exact too, and the negatives never leave their workers; `keep="all"` refuses instead.
    `ceiling.memory` is the same limit in bytes. Rows without a label or
    score are refused, or left out as the treatment says.

    >>> import baserate as br, polars
    >>> frame = polars.LazyFrame({"fraud": [0, 0, 1, 1], "m": [0.1, 0.4, 0.35, 0.8]})
    >>> br.count(frame, label="fraud", score="m")
    Counts: 2 positives, 2 negatives, 4 distinct scores, prior 0.500
    """
    if several:
        check_models(wanted.scores)
    most = most_cells(cells, ceiling)
    lazy = opened(frame, wanted)
    if not several and wanted.group is None:
        return _count_score(lazy, wanted, treatment, keep, most)
    tally = tallied(lazy, wanted, most)
    if tally is None:
        raise _too_many(wanted.scores[0], most, TOGETHER)
    found = judged(tally, wanted, treatment)
    if found.group is not None:
        names, codes = group_codes(found.group)
        cells_of = found.cells(wanted.scores[0])
        return GroupedCounts._gathered(
            names, codes, cells_of, found.ledger, found.notes
        ), found.label
    joint = JointCounts._of(
        found.scores, found.positives, found.negatives, found.ledger, found.notes
    )
    return joint.sorted_by(wanted.scores), found.label


def _count_score(
    frame: Any,
    wanted: ColumnRoles,
    treatment: Treatment,
    keep: Keep | None,
    most: int,
) -> tuple[Counts, object]:
    """One score of a frame that is opened: all of it, or condensed."""
    if keep not in (None, "all", "positives"):
        raise refuse(
            "BR532", f"keep must be 'all' or 'positives', got {quoted(keep)}", "keep='all'"
        )
    (score,) = wanted.scores
    tally = None if keep == "positives" else tallied(frame, wanted, most)
    if tally is not None:
        found = judged(tally, wanted, treatment)
        return Counts._of(gathered(*found.cells(score)), found.ledger, found.notes), found.label
    if keep == "all":
        raise _too_many(score, most, ALONE)
    whole, positives = with_positives(frame, wanted, treatment, most)
    return condensed(whole, positives, wanted), positives.label


def most_cells(cells: int | None, ceiling: Ceiling) -> int:
    """How many cells may come here, by their number or by the memory that they take."""
    if ceiling.memory is None:
        return MOST_CELLS if cells is None else checked_cells(cells)
    if cells is not None:
        text = "memory and cells both limit how much is held in memory"
        raise refuse("BR955", text, "give one of them")
    return max(ceiling.room // CONDENSED, 1)


def checked_cells(cells: int) -> int:
    """How many cells may come here."""
    if isinstance(cells, bool) or not isinstance(cells, int) or cells < 1:
        raise refuse(
            "BR951",
            f"the most cells to hold is a number of 1 or more, got {quoted(cells)}",
            Fix.option("cells", MOST_CELLS),
        )
    return cells


ALONE = Fix(
    'cells=…, keep="positives", or round the scores',
    "--cells NUMBER, --keep positives, or round the scores",
)
TOGETHER = Fix(
    "cells=…, round the scores, or take a random sample of the rows",
    "--cells NUMBER, round the scores, or take a random sample of the rows",
)


def _too_many(score: str, cells: int, fix: Fix) -> Exception:
    return refuse(
        "BR951",
        f"there are more than {grouped(cells)} distinct rows of values with {quoted(score)}, which"
        " is as many as may be held here",
        fix,
    )


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
