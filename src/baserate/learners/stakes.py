"""What each training case puts at stake: how much more the wrong answer costs than the right one, at the base rate that will be met."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.arithmetic import rounded
from baserate.conditions import Conditions
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.learners.responses import positive_place
from baserate.measures.confusions import checked_conditions

# Costs that differ by less than this share of their size are equal: it is what rounding can do to a few products.
CLOSE = 1e-12


class Sides(NamedTuple):
    """The two classes, the place of the positive one among them, and which cases are positive."""

    classes: npt.NDArray[Any]
    place: int
    positive: npt.NDArray[np.bool_]

    @property
    def share(self) -> Fraction:
        """The share of positives, exactly."""
        return Fraction(int(np.count_nonzero(self.positive)), len(self.positive))

    def weighted_share(self, weights: Floats | None) -> Fraction:
        """The same, where each case counts as often as its weight says."""
        if weights is None:
            return self.share
        ours, theirs = (Fraction(float(np.sum(weights[rows]))) for rows in (self.positive, ~self.positive))
        return ours / (ours + theirs)


def sides(y: Any, at: Conditions | None = None, pos_label: Any = None) -> Sides:
    """Which of two classes is positive, and which cases are? Where both errors cost the same it makes no difference, and is not asked."""
    labels, given = np.asarray(y), checked_conditions(at)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) > 2:
        known = ", ".join(map(quoted, classes[:3].tolist()))
        text = f"Only binary classification is supported. The type of the target is multiclass: {len(classes)} classes ({known} …)"
        raise refuse("BR901", text, "MinimumExpectedCost or MetaCost with a cost matrix")
    if len(classes) < 2:
        raise refuse("BR901", "there are cases of one class at most: nothing can be learned of a second", "cases of both classes")
    even = given.as_in_sample and given.costs.miss == given.costs.false_alarm
    place = 1 if even and pos_label is None else positive_place(classes, pos_label)[0]
    return Sides(classes, place, codes == place)


def stakes(found: Sides, at: Conditions | None = None, amounts: Any = None) -> Floats:
    """How much more does the wrong answer cost than the right one, case by case?

    fn − tp for a positive, fp − tn for a negative; with `amounts` the amount of the case stands in for fn. At a base rate π that is not the
    share of positives s, positives count π/s times and negatives (1−π)/(1−s) times. Below 0 where missing a case costs less than catching it.
    """
    given = checked_conditions(at)
    often = (Fraction(1), Fraction(1))
    if not given.as_in_sample:
        often = given.exact_prior / found.share, (1 - given.exact_prior) / (1 - found.share)
    missed: Any = rounded(given.costs.miss * often[0])
    if amounts is not None:
        missed = (checked_amounts(amounts, len(found.positive)) - float(given.costs.tp)) * rounded(often[0])
        if not (missed[found.positive] > 0).any():
            raise refuse("BR902", "no positive is worth catching: each costs less missed", "amounts above the cost of a true positive")
    return np.where(found.positive, missed, rounded(given.costs.false_alarm * often[1]))


def cost_weights(y: Any, *, at: Conditions | None = None, amounts: Any = None, pos_label: Any = None) -> Floats:
    """How much should each training case weigh, so that a learner of few errors becomes one of low cost?

    As much as its wrong answer costs more than the right one: fn − tp for a positive, fp − tn for a negative, at the base rate `at` counted
    over or under; with `amounts` the amount of each positive stands in for fn. Scaled to a mean of 1. With equal costs at the base rate of the
    sample every weight is 1. A case that is better missed than caught weighs nothing. Probabilities learned from weighted cases are calibrated
    at the weighted base rate, not at that of the cases. Elkan 2001, IJCAI:973-978; Zadrozny, Langford & Abe 2003, ICDM.

    >>> from baserate import Conditions, Costs
    >>> from baserate.learners import cost_weights
    >>> cost_weights([0, 0, 0, 1], at=Conditions(costs=Costs(fp=1, fn=5)))
    array([0.5, 0.5, 0.5, 2.5])
    """
    return weights_of(stakes(sides(y, at, pos_label), at, amounts))


def weights_of(at_stake: Floats) -> Floats:
    """Stakes as weights: none below 0, and 1 on average."""
    weights = np.maximum(at_stake, 0.0)
    found: Floats = weights / weights.mean()
    return found


def checked_amounts(amounts: Any, cases: int) -> Floats:
    """One amount a case: finite, and 0 or more."""
    values = np.asarray(amounts)
    if values.shape != (cases,) or values.dtype.kind not in "iuf":
        raise refuse("BR902", f"amounts are one number a case, {cases} here; got {quoted(values.shape)} of {values.dtype}", "amounts=[…]")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        raise refuse("BR902", "an amount is missing, infinite or below 0", "amounts that are 0 or more", wrong[:3], len(wrong))
    return values.astype(np.float64)
