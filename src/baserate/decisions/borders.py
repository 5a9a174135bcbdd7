"""Who is cheapest at which base rate: exact borders from the hull of all models together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from baserate.arithmetic import exactly, rounded
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.errors import quoted, refuse
from baserate.points import Points

NOTHING, EVERYTHING = "flag nothing", "flag everything"


@dataclass(frozen=True)
class Win:
    """From one base rate to another, this is cheapest: one or more models (a tie) at their thresholds, or one answer for all."""

    low: float
    high: float
    models: tuple[str, ...]
    thresholds: tuple[float | None, ...]
    fpr: float
    tpr: float


class _Corner(NamedTuple):
    x: Fraction
    y: Fraction
    settings: dict[str, float | None]


def winners(models: Mapping[str, Counts | Points], costs: Costs | None = None) -> tuple[Win, ...]:
    """Which model, at which threshold, is cheapest at each base rate?

    The winner depends on the effective prior alone, so at fixed costs the borders are exact: those of the convex hull of all models
    with "flag nothing" and "flag everything".

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> for win in br.winners({"a": a}, br.Costs(fp=1, fn=10)):
    ...     print(f"{win.low:.4f} to {win.high:.4f}: {', '.join(win.models)}")
    0.0000 to 0.0017: flag nothing
    0.0017 to 0.0625: a
    0.0625 to 0.4413: a
    0.4413 to 1.0000: flag everything
    """
    if not isinstance(models, Mapping) or not models:
        raise refuse("BR410", "winners needs the counts of each model by name", 'winners({"logit": counts})')
    if costs is not None and not isinstance(costs, Costs):
        raise refuse("BR513", f"costs must be Costs, got {type(costs).__name__}", "winners(models, Costs(fp=1, fn=100))")
    reserved = {NOTHING, EVERYTHING} & set(models)
    if reserved:
        raise refuse("BR410", f"a model is named {quoted(min(reserved))}, which is what flagging all or none is called", "give it another name")
    hull = _hull(_corners(models))
    chosen = costs or Costs()
    borders = [Fraction(0)]
    for before, after in pairwise(hull):
        loss, gain = (after.x - before.x) * chosen.false_alarm, (after.y - before.y) * chosen.miss
        borders.append(loss / (loss + gain))
    borders.append(Fraction(1))
    wins = []
    for corner, low, high in zip(hull, borders, borders[1:], strict=False):
        if low < high:
            names, thresholds = tuple(corner.settings), tuple(corner.settings.values())
            wins.append(Win(rounded(low), rounded(high), names, thresholds, rounded(corner.x), rounded(corner.y)))
    return tuple(wins)


def _corners(models: Mapping[str, Counts | Points]) -> list[_Corner]:
    """The hull corners of every model, those at one place together, in ascending order."""
    found: dict[tuple[Fraction, Fraction], dict[str, float | None]] = {
        (Fraction(0), Fraction(0)): {NOTHING: None},
        (Fraction(1), Fraction(1)): {EVERYTHING: -math.inf},
    }
    for name, counts in models.items():
        hull = Points.of(counts).hull()
        if not hull.total_positives or not hull.total_negatives:
            raise refuse("BR552", f"{quoted(name)} has cases of one class only: it has no ROC", "count cases of both classes")
        positives, negatives = exactly(hull.total_positives), exactly(hull.total_negatives)
        for index in range(1, len(hull) - 1):
            place = exactly(hull.fp[index].item()) / negatives, exactly(hull.tp[index].item()) / positives
            found.setdefault(place, {})[name] = hull.threshold(index)
    return [_Corner(*place, settings) for place, settings in sorted(found.items(), key=lambda item: item[0])]


def _hull(corners: list[_Corner]) -> list[_Corner]:
    """The upper hull, in exact fractions (there are few corners left)."""
    kept: list[_Corner] = []
    for corner in corners:
        while len(kept) >= 2 and (kept[-1].y - kept[-2].y) * (corner.x - kept[-1].x) <= (corner.y - kept[-1].y) * (kept[-1].x - kept[-2].x):
            kept.pop()
        kept.append(corner)
    return kept
