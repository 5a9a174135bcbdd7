"""What flagging costs where every case has its own amount: a review for each alert, and what is lost on each positive. Exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.amounts import Amounts
from baserate.arithmetic import exactly, rounded
from baserate.cells import Array
from baserate.conditions import Conditions
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.searching import Mask
from baserate.errors import Fix, quoted, refuse
from baserate.exact import Floats
from baserate.measures.confusions import resolved_for
from baserate.measures.outcomes import weight_of_negatives
from baserate.measures.values import Measure
from baserate.notations import from_number
from baserate.points import Points

# Costs closer than this share of their largest terms are compared exactly.
DOUBT = 1e-11
# A cost beyond this is none.
LARGEST = 10**100
REVIEW = Fix("review=150", "--review 150")


class Sums(NamedTuple):
    """What a setting comes to over so many cases, in exact numbers."""

    cost: Fraction
    alerts: Fraction
    amount_caught: Fraction
    amount_missed: Fraction
    amount_false_alarms: Fraction


@dataclass(frozen=True)
class Prices:
    """What a review costs, which share of a caught amount is recovered, and how the cases of a sample are weighed and scaled.

    Positives keep weight 1 and negatives get `weight`, so that the positives are `at.prior` of the whole; sums are scaled to `cases`.
    """

    review: Fraction
    recovered: Fraction
    at: Conditions
    weight: Fraction
    scale: Fraction
    cases: Fraction

    @classmethod
    def of(cls, points: Points, at: Conditions, review: Fraction, recovered: Fraction, volume: float | None) -> Prices:
        """At these conditions, over a volume of cases, or over as many as the sample has."""
        resolved = resolved_for(points, at, [Measure("expected_cost")])
        weight = weight_of_negatives(points.total_positives, points.total_negatives, resolved) or Fraction(1)
        positives, negatives = exactly(points.total_positives), exactly(points.total_negatives)
        cases = positives + negatives if volume is None else exactly(volume)
        return cls(review, recovered, resolved, weight, cases / (positives + weight * negatives), cases)

    def sums(self, flagged: Flagged, totals: Flagged) -> Sums:
        """review·alerts + the amount missed + what of the amount caught is not recovered."""
        alerts = flagged.tp + self.weight * flagged.fp
        missed = totals.caught - flagged.caught
        cost = self.review * alerts + missed + (1 - self.recovered) * flagged.caught
        return Sums(*(self.scale * each for each in (cost, alerts, flagged.caught, missed, self.weight * flagged.false_alarms)))


class Flagged(NamedTuple):
    """How many positives and negatives are flagged, and the amounts on them."""

    tp: Fraction
    fp: Fraction
    caught: Fraction
    false_alarms: Fraction


@dataclass(frozen=True)
class Priced:
    """The points of the counts, and beside them the amounts that each flags."""

    amounts: Amounts
    points: Points

    @classmethod
    def of(cls, amounts: Amounts) -> Priced:
        return cls(amounts, Points.of(amounts.counts))

    def at(self, index: int) -> Flagged:
        """What one point flags."""
        amounts = self.amounts
        tp, fp = (exactly(values[index].item()) for values in (self.points.tp, self.points.fp))
        return Flagged(tp, fp, *(amounts.exactly(units[index]) for units in (amounts.caught_units, amounts.false_alarm_units)))

    @property
    def totals(self) -> Flagged:
        return self.at(-1)

    def set_as(self, point: OperatingPoint) -> Flagged:
        """What a setting flags; of a share of the cases, on average."""
        upper = self.at(self.points.place(point.threshold))
        if point.share == 1:
            return upper
        lower = self.at(self.points.place(point.lower_threshold))
        tied = lower.tp + lower.fp - upper.tp - upper.fp
        if not tied:
            return lower
        # From the outcomes, which are exact: the share that is shown was rounded.
        share = (exactly(point.confusion.tp) + exactly(point.confusion.fp) - upper.tp - upper.fp) / tied
        return Flagged(*(above + share * (below - above) for above, below in zip(upper, lower, strict=True)))

    def costs(self, prices: Prices) -> Floats:
        """The cost of every point, each right to a few units in the last place."""
        caught = _floats(self.amounts.caught_units, self.amounts.decimals)
        missed = _floats(self.amounts.caught_units[-1] - self.amounts.caught_units, self.amounts.decimals)
        alerts = self.points.tp + rounded(prices.weight) * self.points.fp
        costs: Floats = rounded(prices.scale) * (rounded(prices.review) * alerts + missed + rounded(1 - prices.recovered) * caught)
        return costs

    def missed(self, prices: Prices) -> Floats:
        """The amount missed at every point."""
        return rounded(prices.scale) * _floats(self.amounts.caught_units[-1] - self.amounts.caught_units, self.amounts.decimals)

    def cheapest(self, mask: Mask, prices: Prices, *, averaged: bool = False) -> int:
        """The cheapest of the points in the mask; among equals the one that flags least. `averaged`: as if every positive were the mean."""
        points, amounts = self.points, self.amounts
        unit = Fraction(1, 10**amounts.decimals)
        terms: list[tuple[Fraction, Array]] = [(prices.review, points.tp), (prices.review * prices.weight, points.fp)]
        if averaged:
            mean = amounts.exactly(amounts.caught_units[-1]) / exactly(points.total_positives)
            terms.append((-prices.recovered * mean, points.tp))
        else:
            terms.append((-prices.recovered * unit, amounts.caught_units))
        return _lowest(terms, np.flatnonzero(mask))


def _lowest(terms: list[tuple[Fraction, Array]], places: Any) -> int:
    """The first of the places where the weighted sum of the columns is lowest: found on floats, decided on integers."""
    rough = sum(rounded(weight) * column[places].astype(np.float64) for weight, column in terms)
    size = sum(abs(rounded(weight)) * float(column[-1]) for weight, column in terms)
    near = places[np.flatnonzero(rough - np.min(rough) <= DOUBT * size)]
    common = math.lcm(*(weight.denominator for weight, _ in terms))
    exact = sum(int(weight * common) * column[near].astype(object) for weight, column in terms)
    return int(near[int(np.argmin(exact))])


def _floats(units: Array, decimals: int) -> Floats:
    """Units as money; integers of any size become floats, each rounded once, and are then divided by a power of ten."""
    return units.astype(np.float64) / float(10**decimals)


def checked_review(review: Any) -> Fraction:
    """What a review costs: a number, 0 or more."""
    written = from_number(review)
    if written is None or not 0 <= written.value <= LARGEST:
        raise refuse("BR514", f"what a review costs is a number, 0 or more, got {_shown(review)}", REVIEW)
    return written.value


def checked_recovered(recovered: Any) -> Fraction:
    """Which share of a caught amount is recovered: above 0, up to all."""
    written = from_number(recovered)
    if written is None or not 0 < written.value <= 1:
        fix = Fix("recovered=0.8", "--recovered 80%")
        raise refuse("BR542", f"the share recovered of a caught amount lies above 0 and not above 1, got {_shown(recovered)}", fix)
    return written.value


def _shown(given: Any) -> str:
    return f"{float(given):g}" if isinstance(given, Fraction) else quoted(given)
