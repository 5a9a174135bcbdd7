"""Geometry of the ROC: the ideal baseline, exact borders between winners, crossings and
dominance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions, Costs, checked_conditions
from baserate.counts.cells import upper_hull
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.rules import TOLERANCE, Mask
from baserate.errors import Note, quoted, refuse
from baserate.measures.confusion import Confusion
from baserate.numbers import Floats, exactly, rounded
from baserate.results.operating_point import OperatingPoint

# ----------------------------------------------------------------------
# The ideal baseline: the line in ROC space that a classifier must beat to be worth more than one
# answer for all.


@dataclass(frozen=True)
class Baseline:
    """The points that cost as much as the cheaper of flagging nothing and flagging everything:
    the line with `slope` through (0, 0) or (1, 1).

    `answer` is the cheaper one, "nothing" or "everything"; `intercept` is the tpr of the line at
    fpr 0. Above the line a classifier is worth considering.
    """

    slope: float
    answer: str
    at: Conditions
    notes: tuple[Note, ...] = ()

    @property
    def _exact_slope(self) -> Fraction:
        loss, nuisance = self.at.at_stake
        return nuisance / loss

    @property
    def intercept(self) -> float:
        return self.tpr(0)

    def tpr(self, fpr: float) -> float:
        """The tpr that is needed at this fpr (it may lie outside [0, 1], where no classifier
        can).
        """
        return rounded(self._needed(exact_share(fpr, "fpr", "give a share")))

    def _needed(self, fpr: Fraction) -> Fraction:
        return (
            1 - self._exact_slope * (1 - fpr)
            if self.answer == "everything"
            else self._exact_slope * fpr
        )

    def beaten_by(self, point: OperatingPoint | Confusion) -> bool:
        """Whether the point lies above the line: cheaper than either answer for all."""
        confusion = point.confusion if isinstance(point, OperatingPoint) else point
        if not isinstance(confusion, Confusion):
            raise refuse(
                "BR551",
                f"only an operating point can beat a line, got {type(point).__name__}",
                "beaten_by(choose(counts))",
            )
        positives, negatives = (
            exactly(confusion.tp) + exactly(confusion.fn),
            exactly(confusion.fp) + exactly(confusion.tn),
        )
        if not positives or not negatives:
            raise refuse("BR552", "a ROC point needs cases of both classes", "add cases")
        return exactly(confusion.tp) / positives > self._needed(exactly(confusion.fp) / negatives)


def exact_share(value: Any, name: str, fix: str) -> Fraction:
    """A number between 0 and 1, exactly."""
    try:
        found = exactly(value)
    except (TypeError, ValueError, OverflowError):
        found = Fraction(-1)
    if not 0 <= found <= 1:
        raise refuse("BR542", f"{name} lies between 0 and 1, got {quoted(value)}", fix)
    return found


def ideal_baseline(at: Conditions, counts: Counts | Points | None = None) -> Baseline:
    """What must a classifier reach to beat flagging nothing and flagging everything? Weng & Poon
    2008 §4.

    With m the iso-cost slope, cost ratio over class ratio: the line 1 − m·(1 − fpr) through (1, 1)
    where flagging everything is cheaper (m ≤ 1), and m·fpr through (0, 0) where flagging nothing
    is. `counts` are needed only for a the sample's base rate.

    >>> import baserate as br
    >>> at = br.Conditions(prior=0.2, costs=br.Costs(fp=1, fn=5))    # 100 positives, 400 negatives
    >>> br.curves.ideal_baseline(at).intercept
    0.2
    """
    conditions = checked_conditions(at)
    if conditions.as_in_sample:
        if counts is None and conditions.prior is None:
            raise refuse(
                "BR509",
                "the prior is the sample's own, and no counts are given",
                "ideal_baseline(at, counts), or a prior",
            )
        points = Points.of(counts) if counts is not None else None
        conditions = (
            conditions
            if points is None
            else conditions.within(points.exact_prior, points.why_no_prior)
        )
    slope = conditions.iso_cost_slope
    notes: tuple[Note, ...] = ()
    if conditions.at_stake[1] > conditions.at_stake[0]:
        text = (
            f"the cost ratio exceeds the class ratio (slope {slope:.6g} > 1): flagging nothing is"
            " cheaper, so the line starts at (0, 0)"
        )
        notes = (Note("BR553", text),)
    return Baseline(slope, "nothing" if notes else "everything", conditions, notes)


# ----------------------------------------------------------------------
# Who is cheapest at which base rate: exact borders from the hull of all models together.


NOTHING, EVERYTHING = "flag nothing", "flag everything"
Settings = dict[str, Any]
Models = Mapping[str, Counts | Points]


@dataclass(frozen=True)
class Win:
    """From one base rate to another, this is cheapest: one or more models (a tie) at their
    thresholds, or one answer for all.
    """

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
        """What its errors cost, where missing every positive costs `miss` and flagging every
        negative `alarm`.
        """
        return miss * (1 - self.y) + alarm * self.x


class Region(NamedTuple):
    """From one effective prior to another, this corner is cheapest. Everything exact."""

    low: Fraction
    high: Fraction
    corner: Corner


def winners(models: Models, costs: Costs | None = None) -> tuple[Win, ...]:
    """Which model, at which threshold, is cheapest at each base rate?

    The winner depends on the effective prior alone, so at fixed costs the borders are exact: those
    of the convex hull of all models with "flag nothing" and "flag everything".

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> for win in br.curves.winners({"a": a}, br.Costs(fp=1, fn=10)):
    ...     print(f"{win.low:.4f} to {win.high:.4f}: {', '.join(win.models)}")
    0.0000 to 0.0017: flag nothing
    0.0017 to 0.0625: a
    0.0625 to 0.4413: a
    0.4413 to 1.0000: flag everything
    """
    check_models(models)
    if costs is not None and not isinstance(costs, Costs):
        raise refuse(
            "BR513",
            f"costs must be Costs, got {type(costs).__name__}",
            "winners(models, Costs(fp=1, fn=100))",
        )
    chosen = costs or Costs()
    return tuple(
        won(region, prior_at(region.low, chosen), prior_at(region.high, chosen))
        for region in regions(corners(models))
    )


def won(region: Region, low: Fraction, high: Fraction) -> Win:
    """The region as a value, on whichever axis."""
    corner = region.corner
    names, thresholds = tuple(corner.settings), tuple(corner.settings.values())
    return Win(rounded(low), rounded(high), names, thresholds, rounded(corner.x), rounded(corner.y))


def check_models(models: Any) -> None:
    """Refuse what is not the counts of each model by name, and models that are called what flagging
    all or none is called.
    """
    if not isinstance(models, Mapping) or isinstance(models, GroupedCounts) or not models:
        raise refuse("BR410", "the counts of each model are needed by name", '{"logit": counts}')
    reserved = {NOTHING, EVERYTHING} & set(models)
    if reserved:
        raise refuse(
            "BR410",
            f"a model is named {quoted(min(reserved))}, which is the name of a baseline",
            "give it another name",
        )


def check_classes(points: Points, name: str) -> None:
    """Refuse cases of one class: they have no ROC."""
    if not points.total_positives or not points.total_negatives:
        raise refuse(
            "BR552",
            f"{name} has cases of one class only: it has no ROC",
            "count cases of both classes",
        )


def prior_at(effective: Fraction, costs: Costs) -> Fraction:
    """The prior at which these costs make this effective prior."""
    loss, gain = effective * costs.false_alarm, (1 - effective) * costs.miss
    return loss / (loss + gain)


def corners(models: Models, masks: Mapping[str, Mask] | None = None) -> list[Corner]:
    """What can be cheapest somewhere: the hull corners of every model, those at one place together,
    in ascending order.

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
        check_classes(points, quoted(name))
        source = points.hull() if masks is None else points
        kept = range(1, len(source) - 1) if masks is None else _kept(points, masks[name])
        positives, negatives = exactly(points.total_positives), exactly(points.total_negatives)
        for index in kept:
            place = (
                exactly(source.fp[index].item()) / negatives,
                exactly(source.tp[index].item()) / positives,
            )
            found.setdefault(place, {})[name] = source.threshold(index)
    return [
        Corner(*place, settings)
        for place, settings in sorted(found.items(), key=lambda item: item[0])
    ]


def _kept(points: Points, mask: Mask) -> Sequence[int]:
    """The hull corners among the points of the mask, but for the two answers for all."""
    inside = np.flatnonzero(mask)
    inside = inside[(inside > 0) & (inside < len(points) - 1)]
    kept: list[int] = (
        inside[upper_hull(points.fp[inside], points.tp[inside])].tolist() if len(inside) else []
    )
    return kept


def regions(found: Sequence[Corner]) -> list[Region]:
    """Which corner is cheapest from which effective prior to which: the upper hull, in exact
    fractions (there are few corners left).
    """
    kept: list[Corner] = []
    for corner in found:
        while len(kept) >= 2 and (kept[-1].y - kept[-2].y) * (corner.x - kept[-1].x) <= (
            corner.y - kept[-1].y
        ) * (kept[-1].x - kept[-2].x):
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


# ----------------------------------------------------------------------
# Where is one ROC above another? Crossings, intervals of fpr, and dominance.


FIRST, SECOND, EQUAL, NEITHER = "first", "second", "equal", "neither"
NAMES = {1: FIRST, -1: SECOND, 0: EQUAL}


class Crossing(NamedTuple):
    """Where two ROCs change places."""

    fpr: float
    tpr: float


class Stretch(NamedTuple):
    """An interval of fpr, and which ROC lies above inside it."""

    low: float
    high: float
    better: str


@dataclass(frozen=True)
class Superiority:
    """Where each of two ROCs lies above the other; `dominant` is the one that is nowhere below
    ("equal", "neither").
    """

    stretches: tuple[Stretch, ...]
    crossings: tuple[Crossing, ...]
    dominant: str


def superiority(first: Counts | Points, second: Counts | Points) -> Superiority:
    """At which false positive rates does each of two models find more positives?

    ROCs are straight between their points; on a vertical run the highest tpr counts. Which ROC lies
    above does not depend on the base rate, so neither does this. Hulls are compared by passing
    `Points.of(counts).hull()`.

    >>> import baserate as br
    >>> early = br.Points.from_rates([0.1], [0.6])
    >>> late = br.Points.from_rates([0.3], [0.9])
    >>> found = br.curves.superiority(early, late)
    >>> found.crossings
    (Crossing(fpr=0.21739130434782605, tpr=0.6521739130434783),)
    >>> found.dominant
    'neither'
    """
    ours, theirs = (_curve(Points.of(one).corners()) for one in (first, second))
    edges = np.unique(np.concatenate([ours.x, theirs.x]))
    starts, ends = edges[:-1], edges[1:]
    (our_start, our_end), (their_start, their_end) = (
        one.between(starts, ends) for one in (ours, theirs)
    )
    at_start, at_end = _signs(our_start, their_start), _signs(our_end, their_end)
    crossed = at_start * at_end < 0
    inside = {
        one.fpr: one
        for one in (_crossing(ours, theirs, x, inside=True) for x in starts[crossed].tolist())
    }
    # From each edge, and from each crossing between two of them, which is above.
    lows = np.concatenate([starts, list(inside)])
    better = np.concatenate([np.where(at_start != 0, at_start, at_end), at_end[crossed]])
    order = np.argsort(lows, kind="stable")
    lows, better = lows[order], better[order]
    changes = np.flatnonzero(np.append(True, better[1:] != better[:-1]))
    bounds = [*lows[changes].tolist(), 1.0]
    stretches = tuple(
        Stretch(low, high, NAMES[sign])
        for low, high, sign in zip(bounds, bounds[1:], better[changes].tolist(), strict=False)
    )
    above = {stretch.better for stretch in stretches} - {EQUAL}
    dominant = NEITHER if len(above) > 1 else next(iter(above), EQUAL)
    decided = [stretch for stretch in stretches if stretch.better != EQUAL]
    places = [after.low for before, after in pairwise(decided) if before.better != after.better]
    crossings = tuple(
        inside[x] if x in inside else _crossing(ours, theirs, x, inside=False) for x in places
    )
    return Superiority(stretches, crossings, dominant)


class _Curve(NamedTuple):
    """A ROC as a function of fpr: at each distinct x the lowest and the highest tpr."""

    x: Floats
    low: Floats
    high: Floats
    points: Points
    last: npt.NDArray[np.intp]

    def between(self, starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
        """Return the tpr just right of each start and just left of each end, of which the curve has
        no corner between.
        """
        place = np.searchsorted(self.x, starts, side="right") - 1
        left, right = self.x[place], self.x[place + 1]
        slope = (self.low[place + 1] - self.high[place]) / (right - left)
        return (
            self.high[place] + slope * (starts - left),
            self.low[place + 1] - slope * (right - ends),
        )

    def line(self, start: float) -> tuple[Fraction, Fraction, Fraction]:
        """Return a corner and the slope of the straight line right of this place, exactly."""
        place = int(np.searchsorted(self.x, start, side="right")) - 1
        x, y = exact_rates(self.points, int(self.last[place]))
        right, up = exact_rates(self.points, int(self.last[place] + 1))
        return x, y, (up - y) / (right - x)


def _crossing(ours: _Curve, theirs: _Curve, start: float, *, inside: bool) -> Crossing:
    """Return where two straight lines cross, right of this place or at it."""
    (x, y, slope), (other_x, other_y, other_slope) = ours.line(start), theirs.line(start)
    if inside:
        apart = other_y - other_slope * other_x - (y - slope * x)
        where = apart / (slope - other_slope)
    else:
        where = x if rounded(x) == start else other_x
    heights = y + slope * (where - x), other_y + other_slope * (where - other_x)
    return Crossing(rounded(where), rounded(min(heights)))


def exact_rates(points: Points, index: int) -> tuple[Fraction, Fraction]:
    """Return (fpr, tpr) of one of the points, exactly."""
    fp, tp = exactly(points.fp[index].item()), exactly(points.tp[index].item())
    return fp / exactly(points.total_negatives), tp / exactly(points.total_positives)


def _curve(points: Points) -> _Curve:
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", "a ROC needs cases of both classes", "count cases of both classes")
    first = np.flatnonzero(np.append(True, points.fpr[1:] != points.fpr[:-1]))
    last = np.append(first[1:], len(points)) - 1
    return _Curve(points.fpr[first], points.tpr[first], points.tpr[last], points, last)


def _signs(ours: Floats, theirs: Floats) -> npt.NDArray[np.int64]:
    """Return which curve is above at each place; heights are equal up to rounding."""
    equal = np.abs(ours - theirs) <= TOLERANCE * np.maximum(ours, theirs)
    return np.where(equal, 0, np.sign(ours - theirs)).astype(np.int64)
