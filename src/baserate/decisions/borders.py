"""Who is cheapest at which base rate: exact borders from the hull of all models together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.decisions.searching import Mask
from baserate.errors import quoted, refuse
from baserate.hulls import upper_hull
from baserate.points import Points, refuse_bins

NOTHING, EVERYTHING = "flag nothing", "flag everything"
Settings = dict[str, Any]
Models = Mapping[str, Counts | Points]


@dataclass(frozen=True)
class Win:
    """From one base rate to another, this is cheapest: one or more models (a tie) at their thresholds, or one answer for all."""

    low: float
    high: float
    models: tuple[str, ...]
    thresholds: tuple[float | None, ...]
    fpr: float
    tpr: float


class Corner(NamedTuple):
    """A place in ROC space, and which models are there at which thresholds."""

    x: Fraction
    y: Fraction
    settings: Settings

    def stake(self, miss: Fraction, alarm: Fraction) -> Fraction:
        """What its errors cost, where missing every positive costs `miss` and flagging every negative `alarm`."""
        return miss * (1 - self.y) + alarm * self.x


class Region(NamedTuple):
    """From one effective prior to another, this corner is cheapest. Everything exact."""

    low: Fraction
    high: Fraction
    corner: Corner


def winners(models: Models, costs: Costs | None = None) -> tuple[Win, ...]:
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
    check_names(models)
    chosen = costs or Costs()
    return tuple(won(region, prior_at(region.low, chosen), prior_at(region.high, chosen)) for region in regions(corners(models)))


def won(region: Region, low: Fraction, high: Fraction) -> Win:
    """The region as a value, on whichever axis."""
    corner = region.corner
    names, thresholds = tuple(corner.settings), tuple(corner.settings.values())
    return Win(rounded(low), rounded(high), names, thresholds, rounded(corner.x), rounded(corner.y))


def check_names(models: Mapping[str, Any]) -> None:
    """No model may be called what flagging all or none is called."""
    reserved = {NOTHING, EVERYTHING} & set(models)
    if reserved:
        raise refuse("BR410", f"a model is named {quoted(min(reserved))}, which is what flagging all or none is called", "give it another name")


def prior_at(effective: Fraction, costs: Costs) -> Fraction:
    """The prior at which these costs make this effective prior."""
    loss, gain = effective * costs.false_alarm, (1 - effective) * costs.miss
    return loss / (loss + gain)


def corners(models: Models, masks: Mapping[str, Mask] | None = None) -> list[Corner]:
    """What can be cheapest somewhere: the hull corners of every model, those at one place together, in ascending order.

    Where there are masks, only points in them count, also for flagging all or none.
    """
    found: dict[tuple[Fraction, Fraction], Settings] = {}
    for place, name, threshold, end in (
        ((Fraction(0), Fraction(0)), NOTHING, None, 0),
        ((Fraction(1), Fraction(1)), EVERYTHING, -math.inf, -1),
    ):
        if masks is None or any(mask[end] for mask in masks.values()):
            found[place] = {name: threshold}
    for name, counts in models.items():
        points = Points.of(counts)
        if not points.total_positives or not points.total_negatives:
            raise refuse("BR552", f"{quoted(name)} has cases of one class only: it has no ROC", "count cases of both classes")
        refuse_bins(points, f"{quoted(name)}: what is cheapest at which base rate and costs needs the hull of all scores")
        source = points.hull() if masks is None else points
        kept = range(1, len(source) - 1) if masks is None else _kept(points, masks[name])
        positives, negatives = exactly(points.total_positives), exactly(points.total_negatives)
        for index in kept:
            place = exactly(source.fp[index].item()) / negatives, exactly(source.tp[index].item()) / positives
            found.setdefault(place, {})[name] = source.threshold(index)
    return [Corner(*place, settings) for place, settings in sorted(found.items(), key=lambda item: item[0])]


def _kept(points: Points, mask: Mask) -> Sequence[int]:
    """The hull corners among the points of the mask, but for the two answers for all."""
    inside = np.flatnonzero(mask)
    inside = inside[(inside > 0) & (inside < len(points) - 1)]
    kept: list[int] = inside[upper_hull(points.fp[inside], points.tp[inside])].tolist() if len(inside) else []
    return kept


def regions(found: Sequence[Corner]) -> list[Region]:
    """Which corner is cheapest from which effective prior to which: the upper hull, in exact fractions (there are few corners left)."""
    kept: list[Corner] = []
    for corner in found:
        while len(kept) >= 2 and (kept[-1].y - kept[-2].y) * (corner.x - kept[-1].x) <= (corner.y - kept[-1].y) * (kept[-1].x - kept[-2].x):
            kept.pop()
        kept.append(corner)
    # Where a rule leaves the last point out, what lies beyond the highest is no better anywhere.
    highest = max(range(len(kept)), key=lambda place: (kept[place].y, -kept[place].x))
    kept = kept[: highest + 1]
    borders = [Fraction(0)]
    for before, after in pairwise(kept):
        loss, gain = after.x - before.x, after.y - before.y
        borders.append(loss / (loss + gain))
    borders.append(Fraction(1))
    spans = zip(kept, borders, borders[1:], strict=False)
    return [Region(low, high, corner) for corner, low, high in spans if low < high]
