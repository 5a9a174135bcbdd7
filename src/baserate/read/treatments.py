"""What to do with odd labels and scores of a file: nothing by default, and every row
that goes is counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.counts.cells import Array
from baserate.errors import (
    Fix,
    Note,
    are,
    grouped,
    number_of,
    quoted,
    refuse,
    refuse_file,
)
from baserate.kernels import best
from baserate.numbers import Floats, share_won
from baserate.read.cases import Decision, KeptRows, as_written, decide, fitting, spelled
from baserate.read.columns import Column, as_text, is_missing, objects
from baserate.read.table import ColumnRoles, Table

DROP, LOWEST, FIRST = "drop", "lowest", "first"
POSITIVE, NEGATIVE = "positive", "negative"
MISSING_LABELS = (DROP, NEGATIVE, POSITIVE)
NAN_SCORES = (DROP, LOWEST)
MISSING = "(missing)"
LARGEST = 1e300
# Unlabelled cases whose chance of a higher score than a labelled one is further from one half than
# this were not left out by chance.
APART = 0.2


@dataclass(frozen=True)
class Treatment:
    """What the user said of odd values. Without a word they are refused."""

    missing_label: str | None = None
    normalize_labels: bool = False
    cast_labels: bool = False
    label_threshold: float | None = None
    negative: tuple[str, ...] = ()
    nan_score: str | None = None
    lower_is_positive: bool = False
    dedupe: str | None = None

    def checked(self) -> Treatment:
        """The same, where every word is one that is known."""
        for argument, value, known in (
            ("missing_label", self.missing_label, MISSING_LABELS),
            ("nan_score", self.nan_score, NAN_SCORES),
            ("dedupe", self.dedupe, (FIRST,)),
        ):
            if value is not None and value not in known:
                spoken = argument.replace("_", " ")
                raise refuse(
                    "BR532",
                    f"{spoken} is {' or '.join(known)}, got {quoted(value)}",
                    Fix.option(argument, known[0]),
                )
        threshold = self.label_threshold
        if threshold is not None and (
            isinstance(threshold, bool)
            or not isinstance(threshold, int | float)
            or not abs(threshold) <= LARGEST
        ):
            raise refuse(
                "BR532",
                f"a label threshold is a number, got {quoted(threshold)}",
                Fix.option("label_threshold", 0.5),
            )
        return self


def treat(table: Table, wanted: ColumnRoles, treatment: Treatment) -> Table:
    """The table as the treatment leaves it: labels made plain, rows dropped and reported."""
    labels = _labels(table, wanted, treatment)
    table = replace(table, columns={**table.columns, wanted.label: labels})
    table = _without_labels(table, wanted, treatment)
    table = _without_scores(table, wanted, treatment)
    table = _without_repeats(table, wanted, treatment)
    if treatment.missing_label is not None:
        table = replace(
            table,
            columns={
                **table.columns,
                wanted.label: _plain(np.asarray(table.columns[wanted.label])),
            },
        )
    if table.refused == table.rows and table.rows:
        raise refuse_file(
            table.path,
            "BR602",
            "every row was left out, as requested: nothing remains",
            "give a file with whole cases",
        )
    return table


def _plain(labels: Array) -> Array:
    """What is left may be nothing but 0 and 1, which the gaps among them had kept text."""
    return (
        labels.astype(np.int64)
        if labels.dtype == object and set(Column("", labels).coded[0]) <= {"0", "1"}
        else labels
    )


def _labels(table: Table, wanted: ColumnRoles, treatment: Treatment) -> Array:
    labels = np.asarray(table.columns[wanted.label])
    if treatment.cast_labels:
        labels = _each(labels, lambda value: value if isinstance(value, str) else as_written(value))
    if treatment.normalize_labels:
        labels = _each(labels, _folded)
    if treatment.label_threshold is not None:
        labels = _cut(labels, wanted, treatment.label_threshold, table)
    return _two(labels, wanted, treatment) if treatment.negative else labels


def _each(values: Array, change: Callable[[Any], Any]) -> Array:
    """Every value changed, but for missing ones."""
    if values.dtype != object:
        return values  # of one type already
    return objects([None if is_missing(value) else change(value) for value in values.tolist()])


def _cut(labels: Array, wanted: ColumnRoles, threshold: float, table: Table) -> Array:
    """Soft labels made hard: at least the threshold is positive."""
    numbers: list[float | None] = []
    for row, value in enumerate(labels.tolist()):
        try:
            number = None if is_missing(value) else _number(value)
            numbers.append(None if number is None or math.isnan(number) else number)
        except (TypeError, ValueError):
            text = (
                f"{quoted(wanted.label)} cannot be cut at {threshold:g}: {quoted(value)} is not"
                " a number"
            )
            raise refuse("BR106", text, "leave the label threshold out", [row], 1).moved(
                table.place
            ) from None
    return (
        Column(
            wanted.label,
            objects([None if number is None else int(number >= threshold) for number in numbers]),
        )
        .inferred()
        .values
    )


def _number(value: Any) -> float:
    if not isinstance(value, str):
        return float(value)
    number = spelled(value)
    if number is None:
        raise ValueError
    return number


def _two(labels: Array, wanted: ColumnRoles, treatment: Treatment) -> Array:
    """The values that the user calls negative become the first of them; whoever names them names
    all of them.
    """
    if wanted.positive is None:
        raise refuse(
            "BR109",
            "the negative labels are named, and the positive one is not",
            Fix.option("positive", "1"),
        )
    folded = {
        _text(_folded(name) if treatment.normalize_labels else name) for name in treatment.negative
    }
    if _text(wanted.positive) in folded:
        raise refuse(
            "BR109",
            f"{quoted(wanted.positive)} is named positive and negative",
            Fix.option("negative", "0"),
        )
    first = next(
        (value for value in labels.tolist() if not is_missing(value) and _text(value) in folded),
        None,
    )
    plain = [
        first if not is_missing(value) and _text(value) in folded else value
        for value in labels.tolist()
    ]
    others = [
        row
        for row, value in enumerate(plain)
        if not is_missing(value) and value is not first and _text(value) != _text(wanted.positive)
    ]
    if others and len(others) < sum(
        not is_missing(value) and value is not first for value in plain
    ):  # else the positive one is not there
        names = ",".join(
            dict.fromkeys((*treatment.negative, *(_text(plain[row]) for row in others)))
        )
        text = (
            f"{quoted(wanted.label)} has {number_of(len(others), 'label')} named neither positive"
            " nor negative, such as"
        )
        fix = Fix.option("negative", names)
        raise refuse("BR103", f"{text} {quoted(plain[others[0]])}", fix, others[:3], len(others))
    return objects(plain)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else as_written(value)


def _without_labels(table: Table, wanted: ColumnRoles, treatment: Treatment) -> Table:
    """Cases without a label: left out, or taken for what the user says they are."""
    if treatment.missing_label is None:
        return table
    labels = table.columns[wanted.label]
    gone = Column("", labels).missing_rows()
    if not len(gone):
        return table
    count = len(labels)
    what = (
        f"{grouped(len(gone))} of {number_of(count, 'label')} in {quoted(wanted.label)}"
        f" {are(len(gone))} missing"
    )
    if treatment.missing_label == DROP:
        without = {
            name: np.asarray(values)[gone]
            for name, values in table.columns.items()
            if name != wanted.label
        }
        left = _dropped(
            table,
            gone,
            Note(
                "BR105",
                f"{what}: left out, as requested{_reviewed(table, gone, wanted)}",
                values={"left_out": len(gone)},
            ),
        )
        return replace(left, unlabelled=without)
    filled = _filled(labels, gone, wanted, treatment.missing_label)
    note = Note("BR105", f"{what}: taken for {treatment.missing_label}, as requested")
    return replace(
        table, columns={**table.columns, wanted.label: filled}, notes=(*table.notes, note)
    )


def _reviewed(table: Table, gone: npt.NDArray[np.intp], wanted: ColumnRoles) -> str:
    """Whether labels are known by the score (only alerts were looked at): then rates of those cases
    are not those of all.
    """
    for name in wanted.scores:
        try:
            scores = np.asarray(table.columns[name]).astype(np.float64, copy=False)
        except (TypeError, ValueError):
            continue  # what is no number is refused later
        unknown = np.zeros(len(scores), dtype=np.bool_)
        unknown[gone] = True
        scored = ~np.isnan(scores)
        if not scored.all():
            scores, unknown = scores[scored], unknown[scored]
        many = int(np.count_nonzero(unknown))
        pairs = many * (len(scores) - many)
        if not pairs:
            continue
        # The standard error of that share where there is nothing to it.
        doubt = math.sqrt((len(scores) + 1) / (12 * pairs))
        apart = _apart(np.ascontiguousarray(scores), unknown, max(APART, 3 * doubt))
        if apart:
            end = "high" if apart < 0 else "low"
            return (
                f"; labels are known mostly where scores are {end}: recall is then of those cases"
                " only"
            )
    return ""


def _apart(scores: Floats, unknown: npt.NDArray[np.bool_], limit: float) -> int:
    """Whether the share of pairs in which the unlabelled case has the higher score is further from
    one half than this: 1 or -1 where it is above or below, 0 where it is not.
    """
    cells = best.count_cells(scores, unknown)
    apart = share_won(cells.positives, cells.negatives) - 0.5
    return int(np.sign(apart)) if abs(apart) > limit else 0


def _filled(labels: Array, gone: npt.NDArray[np.intp], wanted: ColumnRoles, meant: str) -> Array:
    """The class that a missing label stands for, in the words of the column."""
    known = labels[_others(gone, len(labels))]
    if not len(known):
        raise refuse(
            "BR105", f"no label in {quoted(wanted.label)} is known", "give a file with labels"
        )
    decision = decide(
        Column(quoted(wanted.label), known), fitting(wanted.positive, known), keyword="positive"
    )
    word = _word(known, decision, wanted, meant)
    filled = labels.astype(object)
    filled[gone] = word
    return Column(wanted.label, filled).inferred().values


def _others(rows: npt.NDArray[np.intp], many: int) -> npt.NDArray[np.bool_]:
    """True for every row of `many` but these."""
    others = np.ones(many, dtype=np.bool_)
    others[rows] = False
    return others


def _word(known: Array, decision: Decision, wanted: ColumnRoles, meant: str) -> Any:
    """What the column calls a class; a name that no other label has, where it has no word for the
    negative.
    """
    if meant == POSITIVE:
        word = decision.value if decision.value is not None else fitting(wanted.positive, known)
        if word is None:
            raise refuse(
                "BR105",
                f"no label in {quoted(wanted.label)} is known to be positive",
                Fix.option("positive", "1"),
            )
        return word
    other = int(np.argmin(decision.positive))
    if not decision.positive[other]:
        return known[other]
    return (
        MISSING
        if isinstance(decision.value, str)
        else not decision.value
        if isinstance(decision.value, bool)
        else known[0] - 1
    )


def _without_scores(table: Table, wanted: ColumnRoles, treatment: Treatment) -> Table:
    """Cases that a model gave no score: left out for all models, or ranked last by that one."""
    if treatment.nan_score is None:
        return table
    gone = {
        name: Column(name, np.asarray(table.columns[name])).missing_rows() for name in wanted.scores
    }
    gone = {name: rows for name, rows in gone.items() if len(rows)}
    if treatment.nan_score == DROP:
        every = np.unique(np.concatenate([*gone.values()])) if gone else np.empty(0, dtype=np.intp)
        shown = ", ".join(f"{quoted(name)} {grouped(len(rows))}" for name, rows in gone.items())
        note = Note(
            "BR201",
            f"{number_of(len(every), 'case')} without a score ({shown}): left out, as requested",
        )
        return _dropped(table, every, note) if len(every) else table
    columns = dict(table.columns)
    notes = list(table.notes)
    for name, rows in gone.items():
        columns[name] = _lowest(
            np.asarray(columns[name]), rows, math.inf if treatment.lower_is_positive else -math.inf
        )
        notes.append(
            Note(
                "BR201",
                f"{quoted(name)} has {number_of(len(rows), 'missing score')}: ranked below every"
                " other, as requested",
            )
        )
    return replace(table, columns=columns, notes=tuple(notes))


def _lowest(scores: Array, gone: npt.NDArray[np.intp], end: float) -> Array:
    if scores.dtype.kind == "f":
        lowered = scores.copy()
        lowered[gone] = end
        return lowered
    values = scores.tolist()
    spelled = any(isinstance(value, str) for value in values)
    for row in gone.tolist():
        values[row] = str(end) if spelled else end
    return objects(values)


def _dropped(table: Table, gone: npt.NDArray[np.intp], note: Note) -> Table:
    """The table without these rows, which it counts as refused."""
    kept = np.flatnonzero(_others(gone, table.rows - table.refused))
    columns = {name: np.asarray(values)[kept] for name, values in table.columns.items()}
    before = kept if table.kept is None else table.kept[kept]
    place, notes = KeptRows(table.place, kept), (*table.notes, note)
    return replace(
        table,
        columns=columns,
        refused=table.refused + len(gone),
        place=place,
        notes=notes,
        kept=before,
    )


def heeded(wanted: ColumnRoles, treatment: Treatment) -> ColumnRoles:
    """The requested columns, in the words that the treatment makes of the labels."""
    if not treatment.normalize_labels or not isinstance(wanted.positive, str):
        return wanted
    return replace(wanted, positive=_folded(wanted.positive))


def _folded(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _without_repeats(table: Table, wanted: ColumnRoles, treatment: Treatment) -> Table:
    """Rows that say of an id what an earlier row said already; those that say something else stay,
    to be refused.
    """
    if treatment.dedupe is None:
        return table
    if wanted.id is None:
        raise refuse(
            "BR402",
            "repeated cases are recognised by their id, and no id is named",
            Fix.option("id", "COLUMN"),
        )
    first: dict[str, tuple[Any, ...]] = {}
    values = zip(
        *(np.asarray(table.columns[name]).tolist() for name in wanted.columns), strict=True
    )
    held = zip(as_text(table.columns[wanted.id]), values, strict=True)
    again = [
        row
        for row, (found, now) in enumerate(held)
        if first.setdefault(found, now) is not now and first[found] == now
    ]
    if not again:
        return table
    note = Note(
        "BR402",
        f"{number_of(len(again), 'row repeats', 'rows repeat')} an earlier one, value by value:"
        " left out, as requested",
    )
    return _dropped(table, np.array(again, dtype=np.intp), note)
