"""Every threshold in one table: what it flags, and any measures at any base rates."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from baserate.conditions import Conditions, checked_conditions
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import ONLY_RATES, Points
from baserate.curves.curve import in_frame
from baserate.errors import Note, number_of, quoted, refuse
from baserate.measures.confusion import (
    Measure,
    label_shift_of,
    measure_along,
    named,
    out_of_range,
    resolved_for,
)
from baserate.notation import checked_volume
from baserate.numbers import (
    EXACT_FLOATS,
    TableCells,
    Viewed,
    first_and_last,
    format_cell,
    make_view,
    spreadsheet_safe,
)

Order = Literal["descending", "ascending"]
ORDERS = ("descending", "ascending")
MEASURES = ("tp", "fp", "tn", "fn", "tpr", "fpr", "precision")
KEYS = ("model", "prior", "threshold")
COUNTED = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdTable(Viewed):
    """What does every threshold flag, and what are these measures there?

    `columns` are arrays by name: `model` where there are several, `prior` where there are several
    base rates, `threshold` (NaN: nothing is flagged), then one column per measure. `transposed`
    lays thresholds side by side, as textbooks print them.

    >>> import baserate as br
    >>> from baserate.curves.threshold_table import threshold_table
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> found = threshold_table(counts, ["tp", "fp", "precision"])
    >>> found
    ThresholdTable: 5 rows of threshold, tp, fp, precision
    >>> print(found.transposed().to_csv(), end="")
    threshold,,0.8,0.4,0.35,0.1
    tp,0,1,1,2,2
    fp,0,0,1,1,2
    precision,,1.0,0.5,0.6666666666666666,0.5
    """

    columns: Mapping[str, Any]
    at: tuple[Conditions, ...]
    notes: tuple[Note, ...] = ()
    across: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        for values in self.columns.values():
            values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.columns["threshold"])

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns that hold measures."""
        return tuple(name for name in self.columns if name not in KEYS)

    def transposed(self) -> ThresholdTable:
        """One column per threshold instead of one row; transposed twice, it is as before."""
        return replace(self, across=not self.across)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A dataframe of pandas, polars or pyarrow; transposed, with one row per column."""
        if not self.across:
            return in_frame(self.columns, backend)
        wide: dict[str, Any] = {"": np.array([*self.columns], dtype=str)}
        for place in range(len(self)):
            values = [column[place : place + 1].tolist()[0] for column in self.columns.values()]
            if any(isinstance(value, str) for value in values):
                values = [str(value) for value in values]
            wide[str(place)] = np.asarray(values)
        return in_frame(wide, backend)

    def to_csv(self) -> str:
        """The table as CSV; empty where nothing is flagged, and where a measure is undefined."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        written = [[_csv_value(one) for one in values.tolist()] for values in self.columns.values()]
        if self.across:
            writer.writerows([name, *row] for name, row in zip(self.columns, written, strict=True))
        else:
            writer.writerow(self.columns)
            writer.writerows(zip(*written, strict=True))
        return out.getvalue()

    def cells(self, place: int) -> list[str]:
        """One row as text."""
        return [_text_value(name, values[place]) for name, values in self.columns.items()]

    def __repr__(self) -> str:
        kind = "column" if self.across else "row"
        return f"ThresholdTable: {number_of(len(self), kind)} of {', '.join(self.columns)}"

    def __str__(self) -> str:
        return str(make_view("text", self))

    def _table_cells(self) -> TableCells:
        rows = first_and_last(len(self), self.cells)
        if self.across:
            head, *body = [list(line) for line in zip(self.columns, *rows, strict=True)]
            return head, body
        return [*self.columns], rows


def _csv_value(value: Any) -> Any:
    if isinstance(value, str):
        return spreadsheet_safe(value)
    return "" if isinstance(value, float) and math.isnan(value) else value


def _text_value(name: str, held: Any) -> str:
    value = held.item() if isinstance(held, np.generic) else held
    if isinstance(value, str):
        return value
    if name == "threshold" and isinstance(value, float) and math.isnan(value):
        return "none"
    return str(value) if name == "threshold" and isinstance(value, int) else format_cell(value, 4)


def threshold_table(
    source: Counts | Points | JointCounts | Mapping[str, Counts] | Mapping[str, Points],
    measures: Sequence[str | Measure] = MEASURES,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    thresholds: Sequence[float | None] | None = None,
    volume: float | None = None,
    order: Order = "descending",
) -> ThresholdTable:
    """What does every threshold flag, and what are these measures there?

    One row per model, set of conditions and threshold, from nothing flagged to everything flagged;
    `order="ascending"` begins with the lowest threshold. `tp`, `fp`, `tn` and `fn` are cases of the
    sample, whatever the prior; `alerts`, `caught`, `missed` and `false_alarms` count out of
    `volume`. With `thresholds`, only these.

    >>> import baserate as br
    >>> from baserate.curves.threshold_table import threshold_table
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> found = threshold_table(counts, ["precision"], at=br.Conditions(prior=0.01))
    >>> found["precision"].round(4)
    array([   nan, 1.    , 0.01  , 0.0198, 0.01  ])
    """
    models = _models_of(source)
    asked = _parse_measures(measures, checked_volume(volume))
    conditions = _conditions_of(at)
    shifts = any(measure.depends_on_prior for measure in asked)
    if order not in ORDERS:
        raise refuse("BR542", f"order is {quoted(order)}", f"one of {', '.join(ORDERS)}")
    parts: list[dict[str, Any]] = []
    notes: list[Note] = []
    for model, counts in models.items():
        points = Points.of(counts)
        places, cuts = _find_places(points, thresholds, order)
        notes += (*points.notes, *_notes_of_thresholds(points, thresholds))
        for one in conditions:
            resolved = resolved_for(points, one, asked)
            notes += (*one.notes, *(label_shift_of(resolved, points) if shifts else ()))
            known = math.nan if resolved.prior is None else resolved.prior
            keys = {
                **({"model": np.full(len(cuts), model)} if len(models) > 1 else {}),
                **({"prior": np.full(len(cuts), known)} if len(conditions) > 1 else {}),
            }
            values = {str(one_of): _values_along(one_of, points, one)[places] for one_of in asked}
            parts.append({**keys, "threshold": cuts, **values})
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return ThresholdTable(columns, tuple(conditions), tuple(dict.fromkeys(notes)))


def _models_of(source: Any) -> Mapping[str, Any]:
    if isinstance(source, JointCounts):
        return {name: source.marginal(name) for name in source.models}
    if not isinstance(source, Mapping):
        return {"": source}
    if not source:
        raise refuse("BR410", "there is no model to show", "give counts by name")
    return source


def _parse_measures(names: Sequence[str | Measure], volume: float | None) -> list[Measure]:
    asked = [named(one, volume) for one in ([names] if isinstance(names, str) else names)]
    if volume is not None and not any(measure.counts_cases for measure in asked):
        text = "none of these measures counts cases, so a volume has no effect"
        raise refuse("BR532", text, "leave volume out, or add alerts, caught or missed")
    return list(dict.fromkeys(asked))


def _conditions_of(at: Conditions | Sequence[Conditions] | None) -> list[Conditions]:
    several: list[Any] = list(at) if isinstance(at, list | tuple) else [at]
    found = [checked_conditions(one) for one in several]
    if not found:
        raise refuse("BR519", "at is an empty list", "at=Conditions(prior=0.001)")
    if len({one.costs for one in found}) > 1:
        text = "conditions that differ in their costs cannot share one table"
        raise refuse("BR519", text, "one table per set of costs")
    return found


def _find_places(points: Points, thresholds: Any, order: str) -> tuple[Any, Any]:
    """Which points are shown, and under which thresholds."""
    if thresholds is None:
        places, cuts = np.arange(len(points)), points.thresholds
        whole = points.scores.tolist() if _loses_digits(points.scores[[0, -1]].tolist()) else None
        cuts = cuts if whole is None else np.array([math.nan, *whole], dtype=object)
    else:
        # Highest first, as points are; None flags nothing and comes before all.
        given = sorted((cut for cut in thresholds if cut is not None), reverse=True)
        given = [*(None for cut in thresholds if cut is None), *given]
        places = np.array([points.place(cut) for cut in given], dtype=np.intp)
        held = [math.nan if cut is None else cut for cut in given]
        cuts = np.array(held, dtype=object if _loses_digits(held) else np.float64)
    return (places, cuts) if order == "descending" else (places[::-1], cuts[::-1])


def _loses_digits(values: Sequence[Any]) -> bool:
    """Are there whole numbers among them that a float would round?"""
    return any(isinstance(value, int) and abs(value) > EXACT_FLOATS for value in values)


def _values_along(asked: Measure, points: Points, at: Conditions) -> Any:
    """The measure at every point; counts of cases stay whole."""
    if asked.name in COUNTED and points.why_no_prior != ONLY_RATES:
        return getattr(points, asked.name)
    return measure_along(asked, points, at)


def _notes_of_thresholds(points: Points, thresholds: Any) -> Iterator[Note]:
    for cut in () if thresholds is None else thresholds:
        yield from out_of_range(points, cut)
    if thresholds is None and points.merged.any():
        text = (
            "runs of negatives were counted together: thresholds among them are not in this table"
        )
        yield Note("BR232", text)
