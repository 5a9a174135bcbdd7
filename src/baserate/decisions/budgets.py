"""Budgets: so many alerts, however the scores tie."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.decisions.operating import TIE, OperatingPoint, mixed, several
from baserate.decisions.rules import Term
from baserate.decisions.searching import Mask, keeping
from baserate.measures.confusions import Confusion, confusion_at, exact_value
from baserate.measures.outcomes import weight_of_negatives
from baserate.points import Points


def filled(points: Points, budget: Term, at: Conditions, within: Mask | None = None) -> OperatingPoint | None:
    """The point that uses the budget up inside a tie; None where a threshold does, or where everything may be flagged.

    Of the cases that tie, a share drawn at random is flagged: outcomes are expected values, with the best and the worst draw beside them.
    Scores that were counted together are drawn from together, which is as exact: the point then says from where up to where.
    `within` says which points keep the budget, where that is known.
    """
    within = keeping(budget, points, at) if within is None else within
    last = int(np.count_nonzero(within)) - 1
    if last + 1 >= len(points):
        return None
    used, next_used = (exact_value(budget.measure, confusion_at(points, index), at) for index in (last, last + 1))
    share = (budget.limit - used) / (next_used - used)
    if not share:
        return None
    best, worst = _draws(points, last, share, at)
    return OperatingPoint(
        points.threshold(last + 1),
        mixed(points, last, last + 1, share),
        at,
        TIE,
        share=rounded(share),
        certain=points.threshold(last),
        merged=several(points, last, points.threshold(last + 1)),
        best=best,
        worst=worst,
    )


def _draws(points: Points, last: int, share: Fraction, at: Conditions) -> tuple[Confusion, Confusion]:
    """The luckiest and the unluckiest draw from the tie, at the same number of alerts."""
    weight = weight_of_negatives(points.total_positives, points.total_negatives, at) or Fraction(1)
    tp, fp, fn, tn = (exactly(value) for value in confusion_at(points, last))
    more_tp, more_fp = (exactly(b) - exactly(a) for a, b in zip((tp, fp), list(confusion_at(points, last + 1))[:2], strict=True))
    drawn = share * (more_tp + weight * more_fp)
    lucky = min(drawn, more_tp)
    unlucky = max(Fraction(0), drawn - weight * more_fp)
    return tuple(  # type: ignore[return-value]
        Confusion(tp + hits, fp + (drawn - hits) / weight, fn - hits, tn - (drawn - hits) / weight, why_no_prior=points.why_no_prior)
        for hits in (lucky, unlucky)
    )
