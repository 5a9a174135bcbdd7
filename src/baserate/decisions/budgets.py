"""Budgets: at most N alerts, however the scores tie."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.decisions.operating import TIE, OperatingPoint, lower_at, mixed, set_at, several
from baserate.decisions.rules import Term
from baserate.decisions.searching import Mask, keeping
from baserate.measures.confusions import Confusion, confusion_at, exact_value
from baserate.measures.outcomes import weight_of_negatives
from baserate.points import Points

# A tie of less than this share of the budget is no matter.
SMALL = Fraction(1, 100)


def filled(points: Points, budget: Term, at: Conditions, within: Mask | None = None) -> OperatingPoint | None:
    """The point that uses the budget up inside a large tie; None where a threshold does, or may as well, or where everything may be flagged.

    A tie is large if it holds several cases and more than 1 % of the budget. Of its cases a share drawn at random is flagged: outcomes are
    expected values, with the best and the worst draw beside them. Scores that were counted together are drawn from together, which is as
    exact: the point then says from where up to where. Elsewhere the last threshold within the budget leaves less than one case of the
    sample, or 1 % of the budget, unused, and no draw is needed. `within` says which points keep the budget, where that is known.
    """
    within = keeping(budget, points, at) if within is None else within
    last = int(np.count_nonzero(within)) - 1
    if last + 1 >= len(points):
        return None
    used, next_used = (exact_value(budget.measure, confusion_at(points, index), at) for index in (last, last + 1))
    share = (budget.limit - used) / (next_used - used)
    if not share or (next_used - used) <= SMALL * budget.limit or not _several_cases(points, last):
        return None
    best, worst = _draws(points, last, share, at)
    return replace(
        set_at(points, last, at),
        confusion=mixed(points, last, last + 1, share),
        how=TIE,
        share=rounded(share),
        **lower_at(points, last + 1),
        merged=several(points, last, points.threshold(last + 1)),
        best=best,
        worst=worst,
    )


def _several_cases(points: Points, last: int) -> bool:
    """Whether the tie behind this point holds more than one case: of weighted cases, or where only rates are known, there is no telling."""
    tied = points.tp[last + 1] - points.tp[last] + points.fp[last + 1] - points.fp[last]
    return points.counts is None or points.counts.weighted or bool(tied > 1)


def _draws(points: Points, last: int, share: Fraction, at: Conditions) -> tuple[Confusion, Confusion]:
    """The luckiest and the unluckiest draw from the tie, at the same number of alerts."""
    weight = weight_of_negatives(points.total_positives, points.total_negatives, at) or Fraction(1)
    tp, fp, fn, tn = (exactly(value) for value in confusion_at(points, last))
    more_tp, more_fp = (exactly(b) - exactly(a) for a, b in zip((tp, fp), list(confusion_at(points, last + 1))[:2], strict=True))
    drawn = share * (more_tp + weight * more_fp)
    lucky = min(drawn, more_tp)
    unlucky = max(Fraction(0), drawn - weight * more_fp)
    unknown: dict[str, Any] = {"why_no_prior": points.why_no_prior, "labels_missing": points.labels_missing}
    return tuple(  # type: ignore[return-value]
        Confusion(tp + hits, fp + (drawn - hits) / weight, fn - hits, tn - (drawn - hits) / weight, **unknown) for hits in (lucky, unlucky)
    )
