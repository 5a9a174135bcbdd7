"""What a measure's formula sees: the four outcomes weighed to a base rate, and the costs, all in one arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions

# One case of each outcome: what a sum of outcomes is made of.
UNITS = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


@dataclass(frozen=True)
class Outcomes:
    """True and false positives and negatives, weighed so that the positives are `at.prior` of the whole.

    Positives keep weight 1 and negatives get one weight, as if each of them stood for so many: a share of outcomes does not change
    with the scale, and at the sample's own prior the outcomes are the counted ones. Fractions for one point, arrays along a curve.
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    counted: tuple[Any, Any, Any, Any]
    miss: Any
    false_alarm: Any
    costs: tuple[Any, Any, Any, Any]
    volume: Any = None

    @property
    def positives(self) -> Any:
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        return self.fp + self.tn

    @property
    def flagged(self) -> Any:
        return self.tp + self.fp

    @property
    def passed(self) -> Any:
        return self.fn + self.tn

    @property
    def total(self) -> Any:
        return self.positives + self.negatives

    @property
    def cost(self) -> Any:
        """What all the weighed outcomes cost together."""
        tp, fp, fn, tn = self.costs
        return tp * self.tp + fp * self.fp + fn * self.fn + tn * self.tn


def weight_of_negatives(positives: Any, negatives: Any, at: Conditions) -> Fraction | None:
    """The weight that makes the positives `at.prior` of the whole; None where a class is missing, and no weight can."""
    if at.as_in_sample or at.prior is None:
        return Fraction(1)
    if not positives or not negatives:
        return None
    prior = at._share
    return (1 - prior) / prior * exactly(positives) / exactly(negatives)


def at_one_point(counted: tuple[Any, Any, Any, Any], weight: Fraction, at: Conditions) -> Outcomes:
    """The outcomes of one confusion, as exact fractions."""
    tp, fp, fn, tn = (exactly(value) for value in counted)
    costs = at.costs
    matrix = (exactly(costs.tp), exactly(costs.fp), exactly(costs.fn), exactly(costs.tn))
    return Outcomes(tp, fp * weight, fn, tn * weight, (tp, fp, fn, tn), costs._miss, costs._false_alarm, matrix)


def along_points(counted: tuple[Any, Any, Any, Any], weight: Fraction, at: Conditions) -> Outcomes:
    """The outcomes of every point of a curve, as float64 arrays."""
    tp, fp, fn, tn = (np.asarray(value, dtype=np.float64) for value in counted)
    scale, costs = rounded(weight), at.costs
    matrix = (float(costs.tp), float(costs.fp), float(costs.fn), float(costs.tn))
    return Outcomes(tp, fp * scale, fn, tn * scale, (tp, fp, fn, tn), rounded(costs._miss), rounded(costs._false_alarm), matrix)
