"""Areas in which some part weighs more: Weng & Poon's weighted AUC, in three forms, and the same idea on other curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from baserate.arithmetic import exactly
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.curves.costs import cost_curve
from baserate.curves.tracing import mixed_points
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.measures.confusions import checked_conditions, label_shift_of
from baserate.points import Points, refuse_merged
from baserate.readings import Reading
from baserate.summaries.bounds import bounded
from baserate.summaries.precision import pr_pieces
from baserate.summaries.ranking import auc, one_class
from baserate.undefined import Undefined

STRIPS = 10
CLASS_RATIO = "class_ratio"


def strip_weights(count: int, alpha: float) -> Floats:
    """The weights of so many strips, from the bottom up: each passes the share alpha of its weight to the next, the last keeps all.

    W(i) = 1 − α^(i+1), the last (1 − αⁿ) / (1 − α); they sum to n. α = 0 leaves all at 1, α = 1 gives everything to the last; a single
    strip weighs 1. Weng & Poon 2008, eq. 4 with W(0) = 1 − α.

    >>> import baserate as br
    >>> br.strip_weights(7, 0.5)
    array([0.5     , 0.75    , 0.875   , 0.9375  , 0.96875 , 0.984375,
           1.984375])
    """
    return _weights(checked_strips(count), _checked_alpha(alpha))


def _weights(count: int, alpha: float) -> Floats:
    if alpha == 1:
        return np.concatenate((np.zeros(count - 1), [float(count)]))
    with np.errstate(divide="ignore"):
        weights: Floats = -np.expm1(np.arange(1, count + 1) * np.log(np.float64(alpha))) if alpha else np.ones(count)
    weights[-1] /= 1 - alpha
    return weights


@bounded()
def weighted_auc(counts: Counts | Points, *, alpha: float | str | None = None, costs: Costs | None = None, strips: int | str = STRIPS) -> float:
    """How well do the scores rank, when high recall matters more? An AUC with weight passed upwards.

    `alpha` from 0 (AUC) to 1 (only the top counts): given, from `costs` as 1 − cost ratio, or "class_ratio", 1 − positives per negative,
    where costs are unknown. `strips`: a number K of strips of equal height (10), an average over tpr in which 1 is perfect and dominance
    is kept, but which depends on K; "continuous", the limit with α per unit of tpr; or "segments", one strip a ROC segment, as
    published (to reproduce its Table 3: no merit order, and 1 − α for a perfect ranking of tied positives). The chance level is not ½:
    `weighted_auc_chance`. Weng & Poon 2008, AusDM.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(br.weighted_auc(counts, alpha=0.5), 4), br.weighted_auc(counts, alpha=0)
    (0.7016, 0.75)
    """
    points = Points.of(counts)
    missing = one_class(points)
    if missing:
        return Undefined(missing)
    share = _alpha(alpha, costs, points)
    if strips == "segments":
        refuse_merged(points, "one strip a ROC segment needs a point for every score")
        value = _segments(points, share)
    elif strips == "continuous":
        value = auc(counts) if share == 0 and isinstance(counts, Counts) else _continuous(points, share)
    else:
        value = _strips(points, share, checked_strips(strips))
    return Reading(value, name=f"weighted_auc(alpha={share!r}, strips={strips})")


def weighted_auc_chance(alpha: float, strips: int | str = STRIPS) -> float:
    """What does a random classifier get? The weighted AUC of the diagonal, to read a weighted AUC by.

    >>> import baserate as br
    >>> [round(br.weighted_auc_chance(alpha), 3) for alpha in (0, 0.1, 0.5, 0.8)]
    [0.5, 0.49, 0.42, 0.279]
    """
    return float(weighted_auc(Points.from_rates([0.0, 1.0], [0.0, 1.0]), alpha=alpha, strips=strips))


def chance_for(counts: Counts, alpha: float | str | None = None, *, costs: Costs | None = None, strips: int | str = STRIPS) -> float:
    """The same, with the arguments of `weighted_auc`: alpha may come from costs, or from the class ratio of the counts."""
    return weighted_auc_chance(_alpha(alpha, costs, Points.of(counts)), strips)


def _alpha(alpha: float | str | None, costs: Costs | None, points: Points) -> float:
    if (alpha is None) == (costs is None):
        raise refuse("BR565", "give alpha, or costs to take it from", "weighted_auc(counts, alpha=0.1)")
    if costs is not None:
        return costs.alpha
    if alpha == CLASS_RATIO:
        if points.why_no_prior:
            raise refuse("BR509", f"{points.why_no_prior}, so there is no class ratio", "give alpha, or costs")
        ratio = points.total_positives / points.total_negatives
        if ratio > 1:
            raise refuse("BR517", f"there are {ratio:.6g} positives for each negative: weight is shifted for rare positives only", "give alpha")
        return 1 - ratio
    return _checked_alpha(alpha)


def _checked_alpha(alpha: Any) -> float:
    try:
        value = float(exactly(alpha))
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not 0 <= value <= 1:
        raise refuse("BR565", f"alpha lies between 0 and 1, got {quoted(alpha)}", 'alpha=0.1, or "class_ratio"')
    return value


def checked_strips(strips: int | str) -> int:
    """A number of strips."""
    if not isinstance(strips, int | np.integer) or isinstance(strips, bool) or not 1 <= strips <= 10**6:
        raise refuse("BR565", f'strips is a whole number, "segments" or "continuous", got {quoted(strips)}', "strips=10")
    return int(strips)


def split_at_tpr(points: Points, cuts: Floats) -> Points:
    """The points with others put in where tpr passes the cuts, on the straight edges between them."""
    tpr = points.tpr
    # The edge on which tpr rises through the cut; cuts that are already points stay out.
    edges = np.clip(np.searchsorted(tpr, cuts, side="left") - 1, 0, len(points) - 2)
    rise = tpr[edges + 1] - tpr[edges]
    shares = np.divide(cuts - tpr[edges], rise, out=np.zeros(len(cuts)), where=rise > 0)
    fresh = (shares > 0) & (shares < 1)
    all_edges = np.concatenate((np.arange(len(points) - 1), edges[fresh], [len(points) - 2]))
    all_shares = np.concatenate((np.zeros(len(points) - 1), shares[fresh], [1.0]))
    order = np.lexsort((all_shares, all_edges))
    return mixed_points(points, all_edges[order], all_shares[order])


def _strip_of(low: Floats, high: Floats, count: int) -> Any:
    """The strip in which each piece lies; pieces do not cross the cuts, up to rounding."""
    return np.minimum(((low + high) / 2 * count).astype(np.intp), count - 1)


def _strips(points: Points, alpha: float, count: int) -> float:
    cut = split_at_tpr(points, np.arange(1, count) / count)
    tpr, right = cut.tpr, cut.tn / points.total_negatives
    areas = np.diff(tpr) * (right[1:] + right[:-1]) / 2
    # A mean of values of at most 1: what exceeds it is rounding.
    return min(1.0, math.fsum(areas * strip_weights(count, alpha)[_strip_of(tpr[:-1], tpr[1:], count)]))


def _segments(points: Points, alpha: float) -> float:
    tpr, right = points.tpr, points.tn / points.total_negatives
    areas = np.diff(tpr) * (right[1:] + right[:-1]) / 2
    return math.fsum(areas * _weights(len(areas), alpha))


def _continuous(points: Points, alpha: float) -> float:
    """∫ (1 − αᵘ)·(1 − fpr(u)) du over tpr u, and the rest of the mass, (1 − α) / −ln α, at the lowest fpr with tpr 1."""
    tpr, right = points.tpr, points.tn / points.total_negatives
    first = int(np.searchsorted(tpr, 1.0, side="left"))
    if alpha == 1:
        return float(right[first])
    low, width, height, fall = tpr[:-1], np.diff(tpr), right[:-1], np.diff(right)
    used = width > 0
    low, width, height, fall = (values[used] for values in (low, width, height, fall))
    plain = width * (height + fall / 2)
    if alpha == 0:
        return math.fsum(plain)
    rate = math.log(alpha)
    # ∫ α^(low + w·s) (height + fall·s) w ds over s from 0 to 1.
    step = width * rate
    mean = np.where(np.abs(step) < 1e-3, 1 + step / 2 + step * step / 6 + step**3 / 24, np.expm1(step) / np.where(step == 0, 1, step))
    exact_tilt = (np.exp(step) - mean) / np.where(step == 0, 1, step)
    tilt = np.where(np.abs(step) < 1e-3, 0.5 + step / 3 + step * step / 8 + step**3 / 30, exact_tilt)
    lost = np.exp(low * rate) * width * (height * mean + fall * tilt)
    return math.fsum(plain) - math.fsum(lost) + (1 - alpha) / -rate * float(right[first])


@bounded()
def weighted_pr_area(counts: Counts | Points, *, alpha: float, strips: int = STRIPS, at: Conditions | None = None) -> float:
    """The area under the precision-recall curve with weight passed towards full recall, in strips of equal width. Weng & Poon 2008 §6.

    α = 0 is `auprc`. 1 is perfect.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.weighted_pr_area(counts, alpha=0) == br.auprc(counts)
    True
    """
    points = Points.of(counts)
    missing = one_class(points)
    if missing:
        return Undefined(missing)
    share, count = _alpha(alpha, None, points), checked_strips(strips)
    cut = split_at_tpr(points, np.arange(1, count) / count)
    areas = pr_pieces(cut, at)
    tpr = cut.tpr
    used = np.diff(tpr) > 0
    weights = strip_weights(count, share)[_strip_of(tpr[:-1][used], tpr[1:][used], count)]
    resolved = checked_conditions(at).within(points.exact_prior, points.why_no_prior)
    return Reading(
        math.fsum(areas[used] * weights), label_shift_of(resolved, points), name=f"weighted_pr_area(alpha={share!r}, strips={count})"
    )


@bounded()
def weighted_cost_area(counts: Counts | Points, *, alpha: float, strips: int = STRIPS) -> float:
    """The area under the cost curve with weight passed towards costly misses (to the right), in strips of equal width.

    α = 0 is `cost_area`. 0 is perfect, and lower is better. Weng & Poon 2008 §6, Fig. 6.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.weighted_cost_area(counts, alpha=0), round(br.weighted_cost_area(counts, alpha=0.5), 4)
    (0.125, 0.1205)
    """
    points = Points.of(counts)
    missing = one_class(points)
    if missing:
        return Undefined(missing)
    share, count = _alpha(alpha, None, points), checked_strips(strips)
    curve = cost_curve(points)
    x = np.union1d(curve.x, np.arange(1, count) / count)
    y = np.interp(x, curve.x, curve.y)
    areas = np.diff(x) * (y[1:] + y[:-1]) / 2
    weights = strip_weights(count, share)[_strip_of(x[:-1], x[1:], count)]
    return Reading(math.fsum(areas * weights), name=f"weighted_cost_area(alpha={share!r}, strips={count})")
