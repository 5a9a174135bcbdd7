"""How well do the scores rank? Areas under the ROC, whole, in a band, or weighted; none depends on the base rate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import choose
from baserate.errors import quoted, refuse
from baserate.exact import Floats, share_won
from baserate.points import Points
from baserate.readings import Bounds, Reading
from baserate.summaries.bounds import bounded
from baserate.undefined import Undefined

Band = tuple[float, float]


@bounded()
def auc(counts: Counts | Points) -> float:
    """How often does a positive score higher than a negative?

    The share of (positive, negative) pairs that the score puts in the right order, a tie counting one half: the area under the
    ROC curve, (wins + ties / 2) / (P · N). 1 ranks every positive above every negative, 0.5 knows nothing, 0 is perfectly reversed.
    It does not depend on the prior. Exact for whole counts, then rounded once; for coarse counts within `counts.auc_error_bound`; of a
    published ROC, the area under straight lines between its points.
    Hanley & McNeil 1982, Radiology 143:29-36.

    >>> import baserate as br
    >>> br.auc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    if not isinstance(counts, Counts | Points):
        raise refuse("BR228", f"auc takes Counts, got {type(counts).__name__}", "count(...), joint.marginal(name), or groups[name]")
    missing = one_class(counts)
    if missing:
        return Undefined(missing)
    if isinstance(counts, Points):
        return Reading(_area(counts.fpr, counts.tpr, 0.0, 1.0), name="auc")
    return Reading(share_won(counts.positives, counts.negatives), name="auc")


def one_class(counts: Counts | Points) -> str:
    """Which class is missing, if one is."""
    if not counts.total_positives and not counts.total_negatives:
        return "no cases"
    return "" if counts.total_positives and counts.total_negatives else f"no {'negatives' if counts.total_positives else 'positives'}"


def auc_bounds(counts: Counts) -> Bounds:
    """Between which values does the AUC of the exact scores lie, where scores were merged into bins?

    AUC ± `counts.auc_error_bound`, within 0 and 1; both ends are the AUC where nothing was merged.

    >>> import baserate as br
    >>> br.auc_bounds(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    Bounds(low=0.75, high=0.75)
    """
    value = auc(counts)
    if math.isnan(value):
        return Bounds(value, value)
    return Bounds(max(0.0, value - counts.auc_error_bound), min(1.0, value + counts.auc_error_bound))


@bounded()
def gini(counts: Counts | Points) -> float:
    """How much better than guessing is the ranking? 2 · AUC − 1, also called Somers' D and accuracy ratio.

    1 ranks every positive above every negative, 0 knows nothing, −1 is perfectly reversed. Somers 1962, Am. Sociol. Rev. 27:799-811.

    >>> import baserate as br
    >>> br.gini(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.5
    """
    value = auc(counts)
    if isinstance(value, Undefined):
        return value
    # Wins less losses, over pairs: as exact as AUC also where it is close to one half.
    if isinstance(counts, Points) or abs(value - 0.5) > 0.25:
        return Reading(2 * value - 1, name="gini")
    return Reading(value - auc(_reversed(counts)), name="gini")


def _reversed(counts: Counts) -> Counts:
    return Counts(-np.arange(len(counts.scores), dtype=np.int64)[::-1], counts.positives, counts.negatives)


@bounded()
def ks(counts: Counts | Points) -> float:
    """How far apart are the two classes at best? The largest tpr − fpr over all thresholds: the Kolmogorov-Smirnov statistic.

    1 is perfect, 0 knows nothing (or is reversed: scores are never flipped).

    >>> import baserate as br
    >>> br.ks(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.5
    """
    missing = one_class(Points.of(counts))
    if missing:
        return Undefined(missing)
    return Reading(float(choose(counts, at=Conditions(prior=0.5), optimize="informedness")["informedness"]), name="ks")


@bounded()
def partial_auc(counts: Counts | Points, *, fpr: Band | None = None, tpr: Band | None = None, standardized: bool = False) -> float:
    """How well do the scores rank where it matters? The area under the ROC in a band of fpr, or right of it in a band of tpr.

    In a band of fpr, ∫ tpr d fpr; in a band of tpr, ∫ (1 − fpr) d tpr. From 0 to the width of the band. `standardized=True` is McClish's
    ½·(1 + (area − guessing) / (perfect − guessing)): 1 perfect, 0.5 guessing, below that worse; not clipped. McClish 1989, Medical
    Decision Making 9:190-195.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.partial_auc(counts, fpr=(0, 0.5)), br.partial_auc(counts, tpr=(0.5, 1), standardized=True)
    (0.25, 0.66...)
    """
    low, high = _band(fpr, tpr)
    if not isinstance(standardized, bool):
        raise refuse("BR564", f"standardized is True or False, got {quoted(standardized)}", "standardized=True")
    points = Points.of(counts)
    missing = one_class(points)
    if missing:
        return Undefined(missing)
    width, both = high - low, low + high
    # What is missing of a perfect area: nothing cancels in it, however narrow the band.
    if fpr is not None:
        area, short = _area(points.fpr, points.tpr, low, high), _area(points.fpr, points.fn / points.total_positives, low, high)
        ratio = short / (width * (2 - both))
    else:
        area, short = _area(points.tpr, points.tn / points.total_negatives, low, high), _area(points.tpr, points.fpr, low, high)
        ratio = short / (width * both)
    name = f"partial_auc({'fpr' if fpr is not None else 'tpr'}={low!r}..{high!r}{', standardized' if standardized else ''})"
    return Reading(1 - ratio if standardized else area, name=name)


def _band(fpr: Band | None, tpr: Band | None) -> Band:
    if (fpr is None) == (tpr is None):
        raise refuse("BR564", "give one band, of fpr or of tpr", "partial_auc(counts, fpr=(0, 0.1))")
    given: Any = fpr if fpr is not None else tpr
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not 0 <= low < high <= 1:
        raise refuse("BR564", f"a band runs from a lower to a higher share, got {quoted(given)}", "partial_auc(counts, fpr=(0, 0.1))")
    return low, high


def _area(x: Floats, y: Floats, low: float, high: float) -> float:
    """The area under straight pieces between two abscissas: pieces that cross an end are cut there."""
    left, right = np.clip(x[:-1], low, high), np.clip(x[1:], low, high)
    width = right - left
    used = width > 0
    x0, x1, y0, y1 = x[:-1][used], x[1:][used], y[:-1][used], y[1:][used]
    rise = (y1 - y0) / (x1 - x0)
    ends = [y0 + rise * (left[used] - x0), y0 + rise * (right[used] - x0)]
    return math.fsum(width[used] * (ends[0] + ends[1]) / 2)
