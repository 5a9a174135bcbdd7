"""The rates of a model at many conditions at once: at a threshold that stays, or at the one that is chosen anew for each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from baserate.arithmetic import exactly
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.decisions.borders import Region, corners, regions
from baserate.decisions.choosing import choose
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import parse_rule
from baserate.errors import Infeasible, refuse
from baserate.exact import Floats
from baserate.measures.confusions import NOT_SAID, Confusion, confusion_at
from baserate.measures.outcomes import Outcomes
from baserate.measures.values import Measure
from baserate.points import Points, refuse_bins
from baserate.prospects.integrals import edges
from baserate.prospects.scenes import Scene
from baserate.prospects.settings import HERE, own_prior
from baserate.spreads import Range
from baserate.uncertainty.reading import rates_read

# A choice that changes between two places is followed this close.
CLOSE = 1e-13
PLACES = 400


class Where(NamedTuple):
    """Conditions, row by row."""

    prior: Floats
    fp: Floats
    fn: Floats
    tp: Floats
    tn: Floats
    costs_given: bool = True

    def row(self, place: int) -> Conditions:
        """One of them; without costs where none were given, as a budget is then used up."""
        costs = Costs(*(float(column[place]) for column in (self.fp, self.fn, self.tp, self.tn))) if self.costs_given else None
        return Conditions(float(self.prior[place]), costs)


Rates = tuple[Floats, Floats]


class Sides(NamedTuple):
    """Values of a part at which a choice changes, with the rates on either side of each: every value stands here twice."""

    values: Floats
    rates: Rates


@dataclass(frozen=True)
class Reader:
    """What a model flags at each of many conditions: (tpr, fpr), and where along a part that changes; `exact` where that is known exactly."""

    name: str
    rates: Callable[[Where], Rates]
    sides: Callable[[Scene, str], Sides]
    own_prior: Mapping[Any, Fraction | str]
    fixed: bool
    exact: bool = True

    def breaks(self, scene: Scene, part: str) -> Floats:
        """The values of one part at which the choice changes."""
        return self.sides(scene, part).values[::2]

    def values(self, asked: Measure, where: Where, rates: Rates | None = None) -> Floats:
        """A measure at each of the conditions, or at rates that are known; NaN where it is undefined."""
        found = self.rates(where) if rates is None else rates
        return np.array(rates_read(asked, found, where.prior, (where.tp, where.fp, where.fn, where.tn)), dtype=np.float64)

    def parts(self, asked: Measure, where: Where) -> tuple[Floats, Floats]:
        """Numerator and denominator a case, of which long-run values are made."""
        tpr, fpr = self.rates(where)
        p, n = where.prior, 1 - where.prior
        costs = (where.tp, where.fp, where.fn, where.tn)
        shares = (p * tpr, n * fpr, p * (1 - tpr), n * (1 - fpr))
        outcomes = Outcomes(*shares, shares, where.fn - where.tp, where.fp - where.tn, costs)
        if asked.parts is None:  # checked before
            raise refuse("BR588", f"{asked} is no share of outcomes", "another measure")
        above, below = asked.parts(outcomes, **dict(asked.parameters))
        return (np.broadcast_to(np.asarray(part, dtype=np.float64), p.shape) for part in (above, below))  # type: ignore[return-value]


def reader_of(name: str, counts: Any, rule: str | None, threshold: Any, asked: tuple[Measure, float | None]) -> Reader:
    """How the rates of these cases are found, to read a measure of them; `asked` is that measure, and the volume."""
    volume = asked[1]
    if isinstance(counts, Confusion | OperatingPoint):
        if rule is not None or threshold is not NOT_SAID:
            raise refuse("BR594", "this point is already set: a rule or threshold belongs to Counts", "leave them out")
        return _fixed(name, counts.confusion if isinstance(counts, OperatingPoint) else counts, asked[0])
    if not isinstance(counts, Counts | Points):
        raise refuse("BR228", f"a measure is read of Counts, a Confusion or an OperatingPoint, got {type(counts).__name__}", "count(...)")
    points = Points.of(counts)
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", "a class has no cases: nothing is known of its rates", "give cases of both classes")
    if rule is not None and threshold is not NOT_SAID:
        raise refuse("BR594", "a measure is asked for at a rule and at a threshold", "give one of them")
    if threshold is not NOT_SAID:
        return _fixed(name, confusion_at(points, points.place(threshold)), asked[0])
    refuse_bins(points, "a threshold that is chosen anew at each base rate and cost needs every score")
    own = {HERE: own_prior(points, [asked[0], *(term.measure for term in parse_rule(rule, volume).terms)])}
    if rule is None:
        found = regions(corners({"model": points}))
        return Reader(name, lambda where: _cheapest(found, where), lambda scene, part: _borders(found, scene, part), own, fixed=False)

    def ruled(where: Where) -> Rates:
        return _ruled(points, rule, volume, where)

    return Reader(name, ruled, lambda scene, part: _turns(points, rule, volume, scene, part), own, fixed=False, exact=False)


def _fixed(name: str, confusion: Confusion, asked: Measure) -> Reader:
    tp, fp, fn, tn = (exactly(cases) for cases in confusion)
    if not tp + fn or not fp + tn:
        raise refuse("BR552", "a class has no cases: nothing is known of its rates", "give cases of both classes")
    tpr, fpr = float(tp / (tp + fn)), float(fp / (fp + tn))
    own = {HERE: own_prior(confusion, [asked])}

    def rates(where: Where) -> Rates:
        return np.full(len(where.prior), tpr), np.full(len(where.prior), fpr)

    nowhere = Sides(np.empty(0), (np.empty(0), np.empty(0)))
    return Reader(name, rates, lambda _scene, _part: nowhere, own, fixed=True)


def _borders(found: list[Region], scene: Scene, part: str) -> Sides:
    """Where the cheapest setting changes along one part, the others known."""
    beside = [region.corner for pair in pairwise(found) for region in pair]
    tpr, fpr = (np.array([float(value) for value in column]) for column in ([one.y for one in beside], [one.x for one in beside]))
    return Sides(np.repeat(edges(found, scene, part)[1:-1], 2), (tpr, fpr))


def _cheapest(found: list[Region], where: Where) -> Rates:
    miss, alarm = where.prior * (where.fn - where.tp), (1 - where.prior) * (where.fp - where.tn)
    place = np.searchsorted(np.array([float(region.high) for region in found[:-1]]), miss / (miss + alarm))
    tpr, fpr = (np.array([float(value) for value in column])[place] for column in ([r.corner.y for r in found], [r.corner.x for r in found]))
    return tpr, fpr


def _ruled(points: Points, rule: str, volume: float | None, where: Where) -> Rates:
    rows = []
    for place in range(len(where.prior)):
        try:
            chosen = choose(points, rule, at=where.row(place), volume=volume)
        except Infeasible:
            rows.append((np.nan, np.nan))
            continue
        rows.append((float(chosen.tpr), float(chosen.fpr)))
    tpr, fpr = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    return tpr, fpr


def _turns(points: Points, rule: str, volume: float | None, scene: Scene, part: str) -> Sides:
    """Where the choice under a rule jumps along one part: seen between two of many places, and followed by bisection."""
    spread = getattr(scene, part)
    values = np.array(spread.grid(PLACES // 4)) if isinstance(spread, Range) else np.sort(spread.nodes(PLACES // 16).values)

    def point(value: float) -> OperatingPoint | None:
        try:
            return choose(points, rule, at=scene.given(**{part: Fraction(value)}).conditions(), volume=volume)
        except Infeasible:
            return None

    def setting(value: float) -> Any:
        chosen = point(value)
        return None if chosen is None else (chosen.threshold, chosen.share == 1)

    seen = [setting(value) for value in values.tolist()]
    found: list[float] = []
    rates: list[tuple[float, float]] = []
    for low, high, before, after in zip(values.tolist(), values[1:].tolist(), seen, seen[1:], strict=False):
        if before != after:
            ends = _followed(setting, low, high, before)
            found += [ends[1]] * 2
            rates += [(math.nan, math.nan) if one is None else (float(one.tpr), float(one.fpr)) for one in map(point, ends)]
    tpr, fpr = np.array(rates, dtype=np.float64).reshape(-1, 2).T
    return Sides(np.array(found, dtype=np.float64), (tpr, fpr))


def _followed(setting: Callable[[float], Any], low: float, high: float, before: Any) -> tuple[float, float]:
    """The last value before the jump, and the first after it."""
    while high - low > CLOSE * abs(high):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if setting(middle) == before:
            low = middle
        else:
            high = middle
    return low, high
