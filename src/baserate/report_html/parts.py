"""Slices in a report: every site at the threshold that was chosen on all cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from baserate.breakdowns import MOST_SITES
from baserate.conditions import Conditions
from baserate.decisions.operating import OperatingPoint
from baserate.document import Known, point_of, whole
from baserate.errors import quoted, refuse
from baserate.grouped import GroupedCounts
from baserate.slices import Slice, Slices, by_group

Grouped = Mapping[str, Mapping[str, GroupedCounts]]


class Sliced(NamedTuple):
    """What one threshold of a model does at every value of a column."""

    column: str
    model: str
    found: Slices


def checked_slices(slices: Any, models: Sequence[str]) -> Grouped:
    """Counts by group, of every model, for each column."""
    found: dict[str, Mapping[str, GroupedCounts]] = {}
    if not isinstance(slices, Mapping):
        raise refuse("BR862", f"slices are counts by group for each column, got {type(slices).__name__}", 'slices={"site": count_groups(…)}')
    for column, given in slices.items():
        by_model = {models[0]: given} if isinstance(given, GroupedCounts) and len(models) == 1 else given
        if not isinstance(by_model, Mapping) or not all(isinstance(one, GroupedCounts) for one in by_model.values()):
            text = f"slices by {quoted(column)} are GroupedCounts of each model"
            raise refuse("BR862", text, 'slices={"site": {"logit": count_groups(y, score, groups=site)}}')
        unknown = next((name for name in by_model if name not in models), None)
        if unknown is not None:
            raise refuse("BR408", f"there is no model {quoted(unknown)}", f"one of {', '.join(map(quoted, models))}")
        found[str(column)] = by_model
    return found


def sliced(slices: Grouped, settings: Mapping[str, Sequence[OperatingPoint]], at: Conditions, level: float) -> list[Sliced]:
    """Every column and model that is set somewhere, at its first threshold and each site's own base rate, unless one is given for all."""
    given = Conditions(None, at.costs if at.costs_given else None) if at.as_in_sample else at
    return [
        Sliced(column, model, by_group(groups, threshold=settings[model][0].threshold, at=given, level=level))
        for column, by_model in slices.items()
        for model, groups in by_model.items()
        if settings[model]
    ]


def of_slices(found: Sequence[Sliced]) -> dict[str, Any] | None:
    """The slices for a program: the largest of them, and the others together as one."""
    if not found:
        return None
    rows = [_row(one, part) for one in found for part in one.found.largest(MOST_SITES)]
    return {"by": list(dict.fromkeys(one.column for one in found)), "rows": rows}


def _row(one: Sliced, part: Slice) -> dict[str, Any]:
    known = Known(part.asked.level, part.asked.seed, {id(part.point): part.intervals})
    return {
        "by": one.column,
        "slice": part.name,
        "model": one.model,
        "positives": whole(part.positives),
        "negatives": whole(part.negatives),
        "points": [point_of(part.point, known)],
    }
