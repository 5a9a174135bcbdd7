"""What a classifier costs at best: at one set of conditions, or over all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.curves.costs import cost_curve
from baserate.curves.probabilities import both_shares
from baserate.decisions.choosing import choose
from baserate.errors import quoted, refuse
from baserate.measures.confusions import checked_conditions, label_shift_of
from baserate.points import Points
from baserate.readings import Reading
from baserate.summaries.bounds import bounded
from baserate.summaries.ranking import one_class
from baserate.undefined import Undefined

HAND_2014, HAND_2009 = "hand-2014", "hand-2009"


@bounded()
def min_cost(counts: Counts | Points, *, at: Conditions | None = None) -> float:
    """What does the cheapest threshold cost a case, at this base rate and these costs?

    Never more than flagging nothing or everything. Chosen and judged on the same cases, so it flatters.

    >>> import baserate as br
    >>> br.min_cost(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=br.Conditions(prior=0.1, costs=br.Costs(fp=1, fn=10)))
    0.45
    """
    point = choose(counts, at=at)
    return Reading(float(point.expected_cost), point.notes, name="min_cost")


@bounded()
def cost_area(counts: Counts | Points) -> float:
    """What does the best threshold cost on average over all effective priors? The area under the cost curve's lower envelope.

    0 is perfect, 0.25 one answer for all. The mean normalized cost when the effective prior is uniform. Drummond & Holte 2006.

    >>> import baserate as br
    >>> br.cost_area(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.125
    """
    missing = one_class(Points.of(counts))
    if missing:
        return Undefined(missing)
    curve = cost_curve(counts)
    return Reading(math.fsum(np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2), name="cost_area")


@bounded()
def h_measure(counts: Counts | Points, *, at: Conditions | None = None, prior: str = HAND_2014, severity_ratio: float | None = None) -> float:
    """How much is the expected loss lower than that of one answer for all, over a distribution of costs? 1 − L / L_ref.

    The cost share c of a false positive is Beta distributed: by default Beta(1 + π₁, 1 + π₀) with π₁ the prior (Hand & Anagnostopoulos 2014,
    Pattern Recognition Letters 40:41-46); `prior="hand-2009"` is Beta(2, 2) (Hand 2009, Machine Learning 77:103-123); `severity_ratio` r
    is Beta(2, 1 + 1/r), R's hmeasure, whose own default is r = π₁/π₀. At each c the best threshold is used, that is the ROC hull. 1 is
    perfect, 0 no better than one answer for all; scores are never flipped.

    >>> import baserate as br
    >>> round(br.h_measure(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), 6)
    0.5
    """
    points = Points.of(counts)
    missing = one_class(points)
    if missing:
        return Undefined(missing)
    resolved = checked_conditions(at).within(points.exact_prior, points.why_no_prior)
    share, rest = both_shares(resolved)
    a, b, shown = _beta(prior, severity_ratio, share)
    hull = points.hull()
    across, up = np.diff(hull.fp) / hull.total_negatives * rest, np.diff(hull.tp) / hull.total_positives * share
    # From flagging nothing (c near 1) down to flagging everything: neighbours are as good where c·π₀·Δfpr = (1 − c)·π₁·Δtpr.
    borders = np.concatenate(([1.0], up / (across + up), [0.0]))
    fpr, fnr = hull.fpr, hull.fn / hull.total_positives
    loss = _loss(borders, fpr, fnr, (share, rest), (a, b))
    reference = _loss(np.array([1.0, share, 0.0]), np.array([0.0, 1.0]), np.array([1.0, 0.0]), (share, rest), (a, b))
    return Reading(1 - loss / reference, label_shift_of(resolved, points), name=f"h_measure({shown})")


def _beta(prior: str, severity_ratio: float | None, share: float) -> tuple[float, float, str]:
    if severity_ratio is not None:
        if prior != HAND_2014:
            raise refuse("BR566", "a severity ratio and a named distribution are given", "give one of them")
        if not isinstance(severity_ratio, int | float | np.number) or isinstance(severity_ratio, bool) or not 1e-9 <= severity_ratio <= 1e9:
            raise refuse("BR566", f"a severity ratio is a number between 1e-9 and 1e9, got {quoted(severity_ratio)}", "severity_ratio=0.1")
        return 2.0, 1 + 1 / severity_ratio, f"severity_ratio={float(severity_ratio)!r}"
    if prior == HAND_2014:
        return 1 + share, 2 - share, f"prior={HAND_2014}"
    if prior == HAND_2009:
        return 2.0, 2.0, f"prior={HAND_2009}"
    raise refuse(
        "BR566", f"the distribution of costs is {quoted(HAND_2014)} or {quoted(HAND_2009)}, got {quoted(prior)}", "or severity_ratio=…"
    )


def _loss(borders: Any, fpr: Any, fnr: Any, shares: tuple[float, float], beta: tuple[float, float]) -> float:
    """∫ (c·π₀·fpr + (1 − c)·π₁·fnr) dBeta(c), with the point of each stretch between two borders."""
    from scipy.special import betainc

    a, b = beta
    false_alarms = a / (a + b) * -np.diff(betainc(a + 1, b, borders))
    misses = b / (a + b) * -np.diff(betainc(a, b + 1, borders))
    return math.fsum(false_alarms * shares[1] * fpr + misses * shares[0] * fnr)
