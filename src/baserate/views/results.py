"""Any result as plain values, as rows of a data frame, and as a table for a notebook with its
notes.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

from baserate.conditions import Conditions, Costs
from baserate.curves.curve import Curves, in_frame
from baserate.curves.threshold_table import ThresholdTable
from baserate.decisions.amount_costs import SUMS, AmountChoice, AmountPoint
from baserate.decisions.operating_point import measures_shown
from baserate.decisions.selection import Fixed
from baserate.decisions.winner_map import WinnerMap
from baserate.errors import Note, escaped
from baserate.inference.decide import RecallLeaders
from baserate.measures.calculator import Rates
from baserate.numbers import Reading, TableCells, Undefined, first_and_last, format_cell, html_table
from baserate.results.calculation import Calculation, League
from baserate.results.choice import Choice
from baserate.results.operating_point import OperatingPoint, describe_briefly
from baserate.results.plan import Plan
from baserate.results.triage import Triage, Triages
from baserate.results.values import (
    Difference,
    Differences,
    NonInferiority,
    Requirement,
)
from baserate.segments.days import Days
from baserate.segments.groups import Slices
from baserate.segments.groups_and_days import GroupsAndDays
from baserate.shift.estimate import PriorEstimates
from baserate.views import (
    calculations,
    choices,
    comparisons,
    curves,
    document,
    segment_tables,
    tables,
    triage,
)
from baserate.views.formats import write_sentence

Row = dict[str, Any]
OF_DIFFERENCE = ("value", "low", "high", "p_value", "p_adjusted", "level", "method")
OF_SLICE = ("tpr", "fpr", "precision", "npv", "posfrac")


def as_dict(result: Any) -> dict[str, Any]:
    """Plain values under the names that the JSON of the command line has."""
    return {**values_of(result), "notes": [str(note) for note in getattr(result, "notes", ())]}


@singledispatch
def values_of(result: Any) -> dict[str, Any]:
    """The values of a result without its notes."""
    found: dict[str, Any] = plain(next(rows_of(result)) if isinstance(result, Reading) else result)
    return found


@values_of.register
def _(result: Choice) -> dict[str, Any]:
    return choices.choice_as_json(result)


@values_of.register
def _(result: RecallLeaders) -> dict[str, Any]:
    return choices.of_leaders(result.found, result.priors, result.tested)


@values_of.register
def _(result: AmountChoice) -> dict[str, Any]:
    return choices.amount_choice_as_json(result)


@values_of.register
def _(result: OperatingPoint) -> dict[str, Any]:
    regret = {} if result.regret is None else {"regret": plain(result.regret)}
    return {**document.point_of(result), **regret}


@values_of.register
def _(result: AmountPoint) -> dict[str, Any]:
    return choices.amount_point_as_json(result)


@values_of.register
def _(result: Slices) -> dict[str, Any]:
    return segment_tables.slices_as_json(result)


@values_of.register
def _(result: Days) -> dict[str, Any]:
    return segment_tables.days_as_json(result)


@values_of.register
def _(result: GroupsAndDays) -> dict[str, Any]:
    return segment_tables.groups_and_days_as_json(result)


@values_of.register
def _(result: PriorEstimates) -> dict[str, Any]:
    return comparisons.estimates_as_json(result)


@values_of.register
def _(result: Differences) -> dict[str, Any]:
    return {"comparisons": [comparisons.of_difference(one) for one in result]}


@values_of.register
def _(result: Curves) -> dict[str, Any]:
    return curves.curves_as_json(result)


@values_of.register
def _(result: Rates) -> dict[str, Any]:
    (one,) = calculations.calculation_as_json(Calculation((result,)))["calculations"]
    return dict(one)


@values_of.register
def _(result: Calculation) -> dict[str, Any]:
    return calculations.calculation_as_json(result)


@values_of.register
def _(result: League) -> dict[str, Any]:
    return calculations.league_as_json(result)


@values_of.register
def _(result: Triage) -> dict[str, Any]:
    return triage.triage_as_json(result)


@values_of.register
def _(result: Triages) -> dict[str, Any]:
    return triage.triages_as_json(result)


@values_of.register
def _(result: ThresholdTable) -> dict[str, Any]:
    return tables.of_thresholds_as_json(result)


def plain(value: Any) -> Any:
    """Numbers, text, lists and dictionaries; what is undefined is None."""
    if isinstance(value, Conditions):
        return document.conditions(value) if value.is_exact else document.uncertain(value)
    if isinstance(value, OperatingPoint):
        return document.point_of(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if is_dataclass(value):
        names = [one.name for one in fields(value) if one.repr and not one.name.startswith("_")]
        value = {name: getattr(value, name) for name in names}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    return _plain_number(value)


def _plain_number(value: Any) -> Any:
    if isinstance(value, bool | str | None):
        return value
    if isinstance(value, int):
        return document.whole(value)
    return document.number(float(value)) if isinstance(value, float | Fraction) else str(value)


def as_frame(result: Any, backend: str) -> Any:
    """The rows as a data frame."""
    rows = list(rows_of(result))
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: np.array([_frame_entry(row.get(name)) for row in rows]) for name in names}
    return in_frame(columns, backend)


def _frame_entry(value: Any) -> Any:
    if value is None:
        return math.nan
    return value if isinstance(value, bool | int | float | str) else str(value)


def as_html(result: Any) -> str:
    """A table under what the result is, and its notes as a list."""
    own = getattr(result, "_table_cells", None)
    notes: tuple[Note, ...] = getattr(result, "notes", ())
    headings, rows = _cells_of_rows(result) if own is None else own()
    found = html_table(write_sentence(result), headings, rows)
    said = "".join(f"<li>{html.escape(escaped(str(note)), quote=True)}</li>" for note in notes)
    return found + (f"<ul>{said}</ul>" if said else "")


def _cells_of_rows(result: Any) -> TableCells:
    rows = list(rows_of(result))
    names = list(dict.fromkeys(name for row in rows for name in row))
    body = first_and_last(
        len(rows), lambda place: [_table_cell(rows[place].get(name)) for name in names]
    )
    return names, body


def _table_cell(value: Any) -> str:
    if isinstance(value, bool | str):
        return str(value)
    return format_cell(math.nan if value is None else value, 4)


@singledispatch
def rows_of(result: Any) -> Iterator[Row]:
    """The rows of a result: one per model, pair, requirement, group, day or place; or one."""
    if hasattr(result, "x_label"):
        columns = {name: column.tolist() for name, column in result.columns.items()}
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))
    else:
        yield _scalar_fields(result)


@rows_of.register
def _(result: Reading) -> Iterator[Row]:
    reason = {"undefined": result.reason} if isinstance(result, Undefined) else {}
    yield {"measure": result.name, "value": float(result), **reason}


@rows_of.register
def _(result: OperatingPoint) -> Iterator[Row]:
    yield _row_of_point(result)


@rows_of.register
def _(result: Choice) -> Iterator[Row]:
    p_values = {one.models[0]: one.p_value for one in result.differences}
    for name, point in {**result.points, **result.baselines}.items():
        regret = result.regrets.get(name)
        yield {
            "model": name,
            "chosen": name in result.models,
            **_row_of_point(point),
            **({"p_value": p_values[name]} if name in p_values else {}),
            **({} if regret is None else {"regret": regret.value}),
        }


@rows_of.register
def _(result: AmountPoint) -> Iterator[Row]:
    yield {**_row_of_point(_without_objective(result)), **{name: result[name] for name in SUMS}}


def _without_objective(point: AmountPoint) -> AmountPoint:
    """Return the point without what was made best: its sums, which are no measures."""
    return replace(point, optimized="")


@rows_of.register
def _(result: AmountChoice) -> Iterator[Row]:
    for name, one in result.points.items():
        yield {"model": name, "chosen": name in result.models, **next(rows_of(one))}


@rows_of.register
def _(result: Fixed) -> Iterator[Row]:
    for point in result:
        yield {"how": point.how, **_row_of_point(point)}


@rows_of.register
def _(result: Difference) -> Iterator[Row]:
    first, second = result.models
    yield {
        "first": first,
        "second": second,
        "statistic": result.name,
        "first_value": result.values[0],
        "second_value": result.values[1],
        **{name: getattr(result, name) for name in OF_DIFFERENCE},
    }


@rows_of.register
def _(result: Differences) -> Iterator[Row]:
    for pair in result:
        yield from rows_of(pair)


@rows_of.register
def _(result: Curves) -> Iterator[Row]:
    for key, curve in result.items():
        yield from ({"curve": str(key), **row} for row in rows_of(curve))


@rows_of.register
def _(result: Requirement) -> Iterator[Row]:
    for check in result.checks:
        yield {
            "requirement": check.requirement,
            "outcome": check.outcome,
            "value": check.interval.value,
            "bound": check.bound,
            "needed": check.needed,
        }


@rows_of.register
def _(result: NonInferiority) -> Iterator[Row]:
    for part in result.parts:
        yield {
            "part": part.name,
            "outcome": part.outcome,
            **next(rows_of(part.difference)),
            "p_adjusted": part.p_adjusted,
        }


@rows_of.register
def _(result: Slices) -> Iterator[Row]:
    for one in (*result.parts, result.total):
        yield {
            "group": one.name,
            "cases": one.cases,
            "positives": one.positives,
            **{name: float(document.read(one._bare_point, name)) for name in OF_SLICE},
            "alerts": float(one["alerts"]),
        }


@rows_of.register
def _(result: Days) -> Iterator[Row]:
    for day in result.parts:
        yield {one.name: getattr(day, one.name) for one in fields(day)}


@rows_of.register
def _(result: GroupsAndDays) -> Iterator[Row]:
    for part in (result.groups, result.days):
        if part is not None:
            yield from rows_of(part)


@rows_of.register
def _(result: PriorEstimates) -> Iterator[Row]:
    for name, several in result.estimates.items():
        for one in several:
            yield {"model": name, **_scalar_fields(one)}


@rows_of.register
def _(result: Triages) -> Iterator[Row]:
    for name, one in result.items():
        yield {"model": name, **_scalar_fields(one)}


@rows_of.register
def _(result: WinnerMap) -> Iterator[Row]:
    for win in result.wins:
        yield {"low": win.low, "high": win.high, "models": ", ".join(win.models)}


@rows_of.register
def _(result: Plan) -> Iterator[Row]:
    for design in result.designs:
        yield _scalar_fields(design)


@rows_of.register
def _(result: Rates) -> Iterator[Row]:
    for name, solved in result.solved.items():
        yield {"rate": name, "value": solved.value}


@rows_of.register
def _(result: Calculation) -> Iterator[Row]:
    for rates in result.rates:
        yield {name: solved.value for name, solved in rates.solved.items()}


@rows_of.register
def _(result: League) -> Iterator[Row]:
    for row in result.rows:
        values = {name: row.value(name) for name in result.measures}
        yield {"table": row.name, "prior": row.prior, **values}


def _scalar_fields(result: Any) -> Row:
    """The fields that are single values."""
    return {
        one.name: _text_of_conditions(getattr(result, one.name))
        for one in fields(result)
        if one.repr and _is_scalar(getattr(result, one.name))
    }


def _is_scalar(value: Any) -> bool:
    return isinstance(value, bool | int | float | str | Fraction | Conditions | Costs | None)


def _text_of_conditions(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    return str(value) if isinstance(value, Conditions | Costs) else value


def _row_of_point(point: OperatingPoint) -> Row:
    """One operating point: where it is set, what it flags, and what is shown of it."""
    values = {name: document.read(point, name) for name in measures_shown(point)}
    return {
        "setting": describe_briefly(point),
        "threshold": math.nan if point.threshold is None else point.threshold,
        **{name: float(getattr(point, name)) for name in ("tp", "fp", "fn", "tn")},
        **{name: float(value) for name, value in values.items()},
    }
