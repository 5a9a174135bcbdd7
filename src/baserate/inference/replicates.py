"""From resampled values to bounds and p-values: percentiles, BCa, and what is undefined or all
alike.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from baserate.counts.cells import Array
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.errors import Note, are, refuse
from baserate.inference.auc import cell_placements
from baserate.inference.rates import normal, special
from baserate.inference.resample import CASES
from baserate.inference.statistic import Statistic
from baserate.kernels import Cells
from baserate.numbers import Floats, Ints
from baserate.results.values import tails

PERCENTILE, BCA = "percentile", "bca"
METHODS = (PERCENTILE, BCA)
# The jackknife leaves out at most so many cases of each class, spread evenly over the scores.
MOST_LEFT_OUT = 500
# More undefined replicates than this, and what is left says little.
MOST_UNDEFINED = 0.5
# Differences in influence below this share of it are rounding.
ROUNDING = 1e-11


def undefined_noted(values: Floats) -> tuple[Floats, tuple[Note, ...]]:
    """The values that are defined, and a note of how many are not."""
    missing = int(np.count_nonzero(np.isnan(values)))
    if missing > MOST_UNDEFINED * len(values):
        raise refuse(
            "BR592",
            f"{missing} of {len(values)} replicates are undefined: so no interval can be given",
            "choose another statistic",
        )
    if not missing:
        return values, ()
    text = (
        f"{missing} of {len(values)} replicates {are(missing)} undefined (a class or a rule went"
        " missing): the interval is of the others"
    )
    return values[~np.isnan(values)], (Note("BR592", text),)


def alike(low: float, high: float) -> tuple[Note, ...]:
    """Resamples of what was never seen to err do not err: that is no certainty."""
    if low != high:
        return ()
    return (
        Note(
            "BR591",
            "every resample gave the same value: resampling cannot show what was not observed, so"
            " the value is not certain",
        ),
    )


def percentile_bounds(
    values: Floats, level: float, side: str, ends: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[float, float]:
    """The quantiles of the replicates; an end where no bound is requested."""
    below, above = tails(level, side)
    low = float(np.quantile(values, below)) if below else ends[0]
    return low, float(np.quantile(values, 1 - above)) if above else ends[1]


def bootstrap_p(values: Floats) -> float:
    """How often the resampled difference is not on the side that it was seen on, twice; never 0, as
    the number of draws is finite.
    """
    if not values.any():
        return 1.0
    below, above = int(np.count_nonzero(values <= 0)), int(np.count_nonzero(values >= 0))
    return min(1.0, 2 * (min(below, above) + 1) / (len(values) + 1))


def bca_bounds(
    values: Floats, seen: float, acceleration: float, level: float, side: str
) -> tuple[float, float]:
    """Quantiles corrected for bias and for a spread that changes with the value. Efron 1987, JASA
    82:171-185.
    """
    # Replicates equal to what was seen count half: with ties, as many lie on either side.
    below_seen = (np.count_nonzero(values < seen) + np.count_nonzero(values == seen) / 2) / len(
        values
    )
    if not 0 < below_seen < 1:
        return percentile_bounds(values, level, side)
    bias = normal(below_seen)
    bounds = [-math.inf, math.inf]
    for place, missed in enumerate(tails(level, side)):
        if missed:
            z = bias + normal(missed if place == 0 else 1 - missed)
            share = float(special().ndtr(bias + z / (1 - acceleration * z)))
            bounds[place] = float(np.quantile(values, share))
    return bounds[0], bounds[1]


def acceleration(
    statistic: Statistic, source: Counts | GroupedCounts | JointCounts, how: str
) -> float:
    """How fast the spread changes, from what leaving one case (or one cluster) out does to the
    statistic.

    Where class totals are drawn too, all cases are one sample; otherwise each class is one.
    """
    if isinstance(source, GroupedCounts):
        return _skewness([_clusters_left_out(statistic, source)])
    if isinstance(source, JointCounts):
        raise refuse(
            "BR581",
            "bca is for one set of counts; differences are compared by percentile",
            'method="percentile"',
        )
    whole = float(source.total_positives + source.total_negatives)
    if statistic.is_auc:
        columns = source.positives, source.negatives
        parts: list[tuple[Floats, Any]] = list(zip(cell_placements(source), columns, strict=True))
        if how == CASES:
            # One more case of a class counts the more, the fewer it has.
            mean = np.average(parts[0][0], weights=parts[0][1])
            parts = [((values - mean) * whole / cases.sum(), cases) for values, cases in parts]
    else:
        parts = [
            _cases_left_out(statistic, source, of_positives=side, together=how == CASES)
            for side in (True, False)
        ]
    if how == CASES:
        values, cases = (np.concatenate(column) for column in zip(*parts, strict=True))
        return _skewness([_centred(values, cases, whole)])
    totals = float(source.total_positives), float(source.total_negatives)
    return _skewness([_centred(*part, total) for part, total in zip(parts, totals, strict=True)])


Influence = tuple[Floats, Floats, float]


def _centred(values: Floats, cases: Any, whole: float) -> Influence:
    """Influence around its mean, with the number of cases that have it; what is only rounding is
    nothing.
    """
    kept = (cases > 0) & ~np.isnan(values)
    if not kept.any():
        return np.zeros(1), np.ones(1), whole
    weights = cases[kept].astype(np.float64)
    centred = values[kept] - np.average(values[kept], weights=weights)
    centred[np.abs(centred) <= ROUNDING * np.abs(values[kept]).max()] = 0.0
    return centred, weights, whole


def _cases_left_out(
    statistic: Statistic, counts: Counts, *, of_positives: bool, together: bool
) -> tuple[Floats, Floats]:
    """The empirical influence of cases spread evenly over one class, and how many cases each of
    them stands for.
    """
    column = counts.positives if of_positives else counts.negatives
    cells = np.flatnonzero(column > 0)
    picked = cells[_spread_evenly(len(cells))]
    whole = (
        float(counts.total_positives + counts.total_negatives) if together else float(column.sum())
    )
    without = []
    for cell in picked:
        fewer = column.copy()
        fewer[cell] -= 1
        columns = (fewer, counts.negatives) if of_positives else (counts.positives, fewer)
        without.append(statistic.tried(with_cells(counts, *columns)))
    # Cells picked evenly stand for the others of their class.
    weights = column[picked] * (float(column.sum()) / float(column[picked].sum()))
    return -(whole - 1) * np.array(without), weights


def _spread_evenly(number: int) -> Ints:
    """Places of those that are left out, of this number of cells or clusters."""
    return np.unique(np.linspace(0, number - 1, min(number, MOST_LEFT_OUT)).round().astype(np.intp))


def with_cells(like: Counts, positives: Array, negatives: Array) -> Counts:
    """Counts at the scores of others, without those that no case has."""
    kept = (positives > 0) | (negatives > 0)
    cells = Cells(like.scores[kept], positives[kept], negatives[kept])
    return Counts._of(cells, like.ledger, condensed=like.condensed)


def _clusters_left_out(statistic: Statistic, groups: GroupedCounts) -> Influence:
    names, total = list(groups), groups.total()
    without = []
    for place in _spread_evenly(len(names)):
        part = groups[names[place]]
        places = len(total.scores) - 1 - np.searchsorted(total.scores[::-1], part.scores)
        positives, negatives = total.positives.copy(), total.negatives.copy()
        positives[places] -= part.positives
        negatives[places] -= part.negatives
        without.append(statistic.tried(with_cells(total, positives, negatives)))
    return _centred(-(len(names) - 1) * np.array(without), np.ones(len(without)), float(len(names)))


def _skewness(classes: list[Influence]) -> float:
    """A sixth of the skewness of the sum of the classes' means, as BCa needs it."""
    cubes = squares = 0.0
    for influence, weights, cases in classes:
        share = weights / weights.sum()
        cubes += float(np.sum(share * influence**3)) / cases**2
        squares += float(np.sum(share * influence**2)) / cases
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0
