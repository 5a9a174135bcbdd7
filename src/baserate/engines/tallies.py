"""Counting where the data lie: one GROUP BY in the engine that holds them, and what it gives, checked here.

Engines disagree at the edges: some merge null with NaN or stumble over it, some keep -0.0 apart from 0.0, some give sums as decimals. So
numbers that are missing are replaced and marked before anything is grouped, and all that is asked of an engine is how often each row of values
occurs. Labels are decided, scores checked and equal ones merged here, as for every other source.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.engines.ceilings import WORDS
from baserate.engines.columns import Column, as_column, distinct
from baserate.engines.foreign import refused
from baserate.engines.identifiers import check_columns
from baserate.engines.labels import Decision, decide, fitting
from baserate.engines.scores import as_scores, refuse_missing
from baserate.engines.treatments import DROP, Treatment
from baserate.engines.typed import Kind, check_use, from_spelled, objects
from baserate.engines.wanted import Wanted
from baserate.errors import Findings, InputError, are, grouped, number_of, quoted, refuse
from baserate.exact import Ints
from baserate.kernels import Cells
from baserate.notes import Ledger, Note, checked_design

LABEL, GROUP, CASES, MISSING = "label", "group", "cases", "missing"


class Tally(NamedTuple):
    """Each row of values once, and how many cases have it: the label, the score of every model, the group where one is wanted."""

    label: Column
    scores: dict[str, Column]
    group: Column | None
    times: Ints

    def only(self, rows: Array) -> Tally:
        scores = {name: column.only(rows) for name, column in self.scores.items()}
        return Tally(self.label.only(rows), scores, None if self.group is None else self.group.only(rows), self.times[rows])


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


def opened(frame: Any, wanted: Wanted) -> Any:
    """The wanted columns of any frame that narwhals knows, lazily, under names of our own."""
    import narwhals.stable.v2 as nw

    checked_design(wanted.design)
    native = nw.from_native(_renamed(frame, wanted), pass_through=True)
    if not isinstance(native, nw.LazyFrame | nw.DataFrame):
        text = f"a {type(frame).__name__} is no data frame"
        raise refuse("BR950", text, "give a frame of Spark, Dask, polars, pandas, pyarrow or DuckDB, or count(y_true, y_score) for arrays")
    lazy = native.lazy()
    schema = lazy.collect_schema()
    have = list(frame.columns) if _is_spark(frame) else list(schema.names())
    check_columns("", have, wanted.columns)
    place = dict(zip(have, schema.names(), strict=True))
    types = {name: schema[place[name]] for name in wanted.columns}
    for name, dtype in types.items():
        check_use("", name, kind_of(dtype), wanted)
    columns = [nw.col(place[wanted.label]).alias(LABEL)]
    columns += [nw.col(place[name]).alias(score_key(i)) for i, name in enumerate(wanted.scores)]
    return lazy.select(*columns, *([] if wanted.group is None else [nw.col(place[wanted.group]).alias(GROUP)]))


def _is_spark(frame: Any) -> bool:
    return type(frame).__module__.startswith("pyspark")


def _renamed(frame: Any, wanted: Wanted) -> Any:
    """Spark reads a dot in a name as a path, and folds its case: there columns go by their places."""
    if not _is_spark(frame) or not hasattr(frame, "toDF"):
        return frame
    check_columns("", list(frame.columns), wanted.columns)
    return frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))


def kind_of(dtype: Any) -> Kind:
    """What the values of a column are, by its type in narwhals."""
    import narwhals.stable.v2 as nw

    if dtype.is_decimal():
        return Kind.SPELLED
    if dtype.is_numeric() or dtype == nw.Boolean:
        return Kind.NUMBERS
    if dtype in (nw.String, nw.Categorical) or isinstance(dtype, nw.Enum):
        return Kind.TEXT
    if dtype.is_temporal():
        return Kind.TIMES
    return Kind.BYTES if dtype == nw.Binary else Kind.OTHER


def wide(dtype: Any) -> Any:
    """The type of 64 bits that holds every number of a type; None where there is none, and values are judged here as they are."""
    import narwhals.stable.v2 as nw

    if dtype.is_float():
        return nw.Float64
    return nw.Int64 if dtype == nw.Boolean or (dtype.is_integer() and dtype not in (nw.UInt64, nw.UInt128, nw.Int128)) else None


def tallied(frame: Any, wanted: Wanted, most: int, scored: Any = True) -> Tally | None:  # noqa: FBT002 (a bool or an expression of them)
    """How many cases have each row of values; None where there are more than `most` rows. Scores are told apart where `scored` is true."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    keys = [LABEL, *map(score_key, range(len(wanted.scores))), *([] if wanted.group is None else [GROUP])]
    gone = {key: is_missing(nw.col(key), schema[key]) for key in keys if kind_of(schema[key]) is Kind.NUMBERS}
    marks = nw.sum_horizontal(nw.lit(0, nw.Int64), *(gone[key].cast(nw.Int64) * (1 << keys.index(key)) for key in gone))
    there = {key: ~gone[key] if scored is True or key in (LABEL, GROUP) else ~gone[key] & scored for key in gone}
    whole = [_whole(nw.col(key), schema[key], there[key]).alias(key) if key in gone else nw.col(key) for key in keys]
    found = collected(frame.select(*whole, marks.alias(MISSING)).group_by(*keys, MISSING).agg(nw.len().alias(CASES)).head(most + 1))
    if len(found) > most:
        return None
    marked = whole_numbers(found[MISSING])
    names = (wanted.label, *wanted.scores, *([] if wanted.group is None else [wanted.group]))
    columns = [
        _with_gaps(column_of(found[key], name), marked & (1 << place) > 0) for place, (key, name) in enumerate(zip(keys, names, strict=True))
    ]
    label, *rest = columns
    scores = dict(zip(wanted.scores, rest, strict=False))
    return Tally(label, scores, None if wanted.group is None else columns[-1], whole_numbers(found[CASES]))


def is_missing(column: Any, dtype: Any) -> Any:
    """Null, or NaN: comparing with NaN is a matter of taste among engines, and asking for it is not."""
    return column.is_null() | column.fill_null(0.0).is_nan() if dtype.is_float() else column.is_null()


def _whole(column: Any, dtype: Any, there: Any) -> Any:
    """A column without gaps, and only then of 64 bits: casting a gap is another matter of taste."""
    import narwhals.stable.v2 as nw

    filled = nw.when(there).then(column).otherwise(nw.lit(False) if dtype == nw.Boolean else nw.lit(0, dtype))  # noqa: FBT003
    return filled.cast(wide(dtype)) if wide(dtype) is not None and dtype != nw.Boolean else filled


def _with_gaps(column: Column, gone: Array) -> Column:
    return replace(column, missing=gone if column.missing is None else gone | column.missing) if gone.any() else column


def collected(frame: Any) -> Any:
    """The rows of a lazy frame, here."""
    with refused(), _repeatable(frame):
        return frame.collect()


def _repeatable(frame: Any) -> AbstractContextManager[object]:
    """Dask's own way to shuffle on a cluster does not survive the loss of a worker; shuffles made of tasks are computed again."""
    if not frame.implementation.is_dask():
        return nullcontext()
    import dask

    return dask.config.set({"dataframe.shuffle.method": "tasks"})


def whole_numbers(series: Any) -> Ints:
    """Counts as int64, whatever an engine makes of them."""
    return np.array(series.to_list(), dtype=np.int64) if series.dtype.is_decimal() else np.asarray(series.to_numpy()).astype(np.int64)


def column_of(series: Any, name: str) -> Column:
    """A column that was collected; decimals become the numbers that they spell, and gaps, which engines spell as they like, None."""
    if series.dtype.is_decimal():
        return Column(quoted(name), from_spelled([str(value) if isinstance(value, Decimal) else None for value in series.to_list()]))
    return as_column(series.to_native(), quoted(name))


def judged(tally: Tally, wanted: Wanted, treatment: Treatment) -> Judged:
    """Which cases are positive, and what their scores are; rows without label or score are left out where that was asked for."""
    rows = int(tally.times.sum())
    if not rows:
        raise refuse("BR603", "there are no rows", "give a frame, or files, with cases")
    tally, notes = _without_labels(tally, treatment)
    tally, dropped = _without_scores(tally, treatment)
    used = int(tally.times.sum())
    if not used:
        raise refuse("BR603", "every row was left out, as requested: nothing remains", "give whole cases")
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
    return Judged(positives, tally.times - positives, scores, tally.group, (*notes, *dropped, *decision.notes), ledger, decision.value)


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
    text = f"{grouped(many)} of {number_of(cases, 'label')} in {tally.label.name} {are(many)} missing: left out, as requested"
    return tally.only(_others(gone, len(tally.times))), (Note("BR105", text),)


def _without_scores(tally: Tally, treatment: Treatment) -> tuple[Tally, tuple[Note, ...]]:
    gone = {name: column.missing_rows() for name, column in tally.scores.items()}
    every = np.unique(np.concatenate([*gone.values()]))
    if treatment.nan_score != DROP or not len(every):
        return tally, ()
    shown = ", ".join(f"{quoted(name)} {grouped(int(tally.times[rows].sum()))}" for name, rows in gone.items() if len(rows))
    text = f"{number_of(int(tally.times[every].sum()), 'case')} without a score ({shown}): left out, as requested"
    return tally.only(_others(every, len(tally.times))), (Note("BR201", text),)


def _others(gone: Array, length: int) -> Array:
    return np.delete(np.arange(length), gone)


def checked_treatment(said: Mapping[str, Any]) -> Treatment:
    """What a cluster can be asked to do with odd rows: leave them out."""
    known = {field.name for field in fields(Treatment)}
    unknown = sorted(said.keys() - known)
    if unknown and unknown[0] in WORDS:
        text = f"{unknown[0]} is an option of files: a frame is counted by the engine that holds it"
        raise refuse("BR230", text, f"leave {unknown[0]} out; cells=… limits how many distinct scores come here")
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; there are missing_label and nan_score")
    treatment = Treatment(**said).checked()
    if treatment != Treatment(missing_label=treatment.missing_label, nan_score=treatment.nan_score) or {
        treatment.missing_label,
        treatment.nan_score,
    } - {None, DROP}:
        raise _unknown_there()
    return treatment


def _unknown_there() -> InputError:
    text = "where the engine counts, rows without a label or score can be left out, and nothing else"
    return refuse("BR953", text, 'missing_label="drop", nan_score="drop", or change the columns in the frame itself')
