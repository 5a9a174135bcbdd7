"""Areas under the precision-recall curve, at any base rate: the step sum and the exact integral, never the trapezoid."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.arithmetic import rounded
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.exact import Floats
from baserate.measures.confusions import checked_conditions, label_shift_of
from baserate.measures.outcomes import weight_of_negatives
from baserate.points import Points
from baserate.readings import Reading
from baserate.summaries.bounds import bounded
from baserate.summaries.ranking import one_class
from baserate.undefined import Undefined

# Below this, z − log(1 + z) is summed as a series: the two would cancel.
SMALL = 0.05


@bounded()
def auprc(counts: Counts | Points, *, at: Conditions | None = None) -> float:
    """What is the area under the precision-recall curve? Exact, with the curve that mixing two thresholds gives, at any base rate.

    Between two points precision is tp / (tp + fp) along a straight line of the ROC, which is integrated in closed form. 1 is perfect, the
    prior is guessing. Davis & Goadrich 2006, ICML:233-240.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.auprc(counts), br.auprc(counts, at=br.Conditions(prior=0.01))
    (0.7972674459459178, 0.5074586227681799)
    """
    points = Points.of(counts)
    return _summed("auprc", points, at, pr_pieces)


# Of positives that come last in a bin, precision is least where each has a score of its own: no less than the integral.
@bounded(least=auprc)
def average_precision(counts: Counts | Points, *, at: Conditions | None = None) -> float:
    """How pure are the alerts on average over the positives? Σ (tprᵢ − tprᵢ₋₁) · precisionᵢ, at any base rate.

    The mean precision at which each positive is found. 1 is perfect, the prior about what guessing gets. scikit-learn's
    `average_precision_score` at the sample's own prior.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.average_precision(counts), br.average_precision(counts, at=br.Conditions(prior=0.01))
    (0.8333333333333333, 0.5099009900990099)
    """
    points = Points.of(counts)
    return _summed("average_precision", points, at, _steps)


def _summed(name: str, points: Points, at: Conditions | None, pieces: Any) -> float:
    missing = one_class(points)
    if missing:
        return Undefined(missing)
    resolved = checked_conditions(at).within(points.exact_prior, points.why_no_prior)
    return Reading(math.fsum(pieces(points, resolved)), label_shift_of(resolved, points), name=name)


def _flagged(points: Points, at: Conditions | None) -> tuple[Floats, Floats]:
    """Positives flagged, and all that is flagged, with negatives weighed to the base rate."""
    tp = points.tp.astype(np.float64)
    return tp, tp + points.fp * _weight(points, at)


def _weight(points: Points, at: Conditions | None) -> float:
    resolved = checked_conditions(at).within(points.exact_prior, points.why_no_prior)
    return rounded(weight_of_negatives(points.total_positives, points.total_negatives, resolved.as_shown()) or Fraction(1))


def _steps(points: Points, at: Conditions) -> Floats:
    tp, flagged = _flagged(points, at)
    found = np.diff(tp)
    used = found > 0
    share: Floats = found[used] / points.total_positives * (tp[1:][used] / flagged[1:][used])
    return share


def pr_pieces(points: Points, at: Conditions | None) -> Floats:
    """The area under each edge of the ROC in precision-recall space; 0 where no positive is found.

    With t positives and F flagged, F = a·t + b along the edge, and ∫ t/F dt = Δt·t₀/F₀ + b/a²·(z − log(1 + z)), z = aΔt/F₀, from the left
    end; the same from the right end, with z = −aΔt/F₁. Where b has the sign that makes both terms positive, nothing cancels.
    """
    tp, fp = points.tp.astype(np.float64), points.fp.astype(np.float64)
    weight, found = _weight(points, at), np.diff(tp)
    areas = np.zeros(len(found))
    used = np.flatnonzero(found > 0)
    delta, t0, t1, n0, n1 = found[used], tp[:-1][used], tp[1:][used], fp[:-1][used], fp[1:][used]
    f0, f1 = t0 + weight * n0, t1 + weight * n1
    slope = 1 + weight * (n1 - n0) / delta
    rest = weight * (n0 * delta - t0 * (n1 - n0)) / delta
    left = rest > 0
    base = np.where(left, f0, f1)
    z = np.where(left, 1.0, -1.0) * slope * delta / base
    # 1 + z is the other end over this one: taken as that, it keeps its digits also where z is close to −1.
    bend = rest / (slope * slope) * _curvature(np.where(rest == 0, 0.0, z), np.where(rest == 0, 1.0, np.where(left, f1, f0) / base))
    areas[used] = (delta * np.where(left, t0, t1) / base + np.where(left, bend, -bend)) / points.total_positives
    return areas


def _curvature(z: Floats, one_more: Floats) -> Floats:
    """Z − log(1 + z), also for small z; `one_more` is 1 + z."""
    small = np.abs(z) < SMALL
    tiny, series = np.where(small, z, 0.0), np.zeros(len(z))
    for power in range(16, 1, -1):
        series = series * -tiny + 1.0 / power
    return np.where(small, tiny * tiny * series, z - np.log(np.where(small, 1.0, one_more)))
