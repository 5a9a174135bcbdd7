"""From resampled values to bounds and p-values: percentiles, BCa, and what is undefined or all
alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from baserate.counts.cells import Array
from baserate.counts.counts import Counts
from baserate.errors import Note, are, refuse
from baserate.inference.rates import normal, special
from baserate.inference.resample import BLOCK_SIZE, CASES, Sample, Source, Weights, make_sample
from baserate.inference.statistic import EachResample, Statistic
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


def acceleration(statistic: Statistic, source: Source, how: str) -> float:
    """Return how fast the spread changes, by the jackknife: what leaving one case (or one group)
    out does to the statistic.

    Where class totals are drawn too, all cases are one sample; otherwise each class is one.
    """
    sample = make_sample(source, statistic.runs)
    if len(sample.scores) > 1:
        raise refuse(
            "BR581",
            "bca is for one set of counts; differences are compared by percentile",
            'method="percentile"',
        )
    read = statistic.of_weights or EachResample(statistic, sample, 0)
    if sample.group_number is not None:
        groups = _spread_evenly(sample.group_number)
        values = _read_each(read, sample, groups, leave_out_groups)
        return _skewness([_center(values, np.ones(len(groups)), sample.group_number)])
    totals = [int(part.numbers.sum()) for part in (sample.positives, sample.negatives)]
    classes = []
    for side, part in enumerate((sample.positives, sample.negatives)):
        cells = _spread_evenly(len(part.numbers))
        values = _read_each(read, sample, cells, LeaveOutCases(side))
        # Cells picked evenly stand for the others of their class.
        picked = part.numbers[cells]
        classes.append((values, picked * (totals[side] / max(1, int(picked.sum())))))
    if how == CASES:
        values, cases = (np.concatenate(column) for column in zip(*classes, strict=True))
        return _skewness([_center(values, cases, sum(totals))])
    return _skewness([_center(*one, total) for one, total in zip(classes, totals, strict=True)])


Influence = tuple[Floats, Floats, float]


def _center(left_out: Floats, cases: Floats, whole: int) -> Influence:
    """Return the influence around its mean, with the number of cases that have it, from the value
    without each of them; what is only rounding is nothing.
    """
    values = -(whole - 1) * left_out
    kept = ~np.isnan(values)
    if not kept.any():
        return np.zeros(1), np.ones(1), whole
    centered = values[kept] - np.average(values[kept], weights=cases[kept])
    centered[np.abs(centered) <= ROUNDING * np.abs(values[kept]).max()] = 0.0
    return centered, cases[kept], whole


def _spread_evenly(number: int) -> Ints:
    """Return the places of those that are left out, of this number of cells or groups."""
    return np.unique(np.linspace(0, number - 1, min(number, MOST_LEFT_OUT)).round().astype(np.intp))


def _read_each(
    read: Callable[[Weights], Floats],
    sample: Sample,
    units: Ints,
    leave_out: Callable[[Sample, Ints], Weights],
) -> Floats:
    """Return the statistic without each of these units, a block of them at a time."""
    cells = len(sample.positives.numbers) + len(sample.negatives.numbers)
    most = max(1, BLOCK_SIZE // max(1, cells))
    blocks = [units[start : start + most] for start in range(0, len(units), most)]
    left = (sample.weights_by_model(leave_out(sample, block))[0] for block in blocks)
    return np.concatenate([np.empty(0), *map(read, left)])


def leave_out_groups(sample: Sample, groups: Ints) -> Weights:
    """Return the cases of each cell without each of these groups."""
    classes = sample.positives, sample.negatives
    return Weights(*(part.numbers * (part.groups != groups[:, np.newaxis]) for part in classes))


@dataclass(frozen=True)
class LeaveOutCases:
    """The cases of each cell without one case of a cell, of the positives (0) or the negatives."""

    side: int

    def __call__(self, sample: Sample, cells: Ints) -> Weights:
        """Return them, a row for each of these cells."""
        classes = sample.positives, sample.negatives
        rows = [np.repeat([part.numbers * 1.0], len(cells), axis=0) for part in classes]
        rows[self.side][np.arange(len(cells)), cells] -= 1
        return Weights(*rows)


def with_cells(like: Counts, positives: Array, negatives: Array) -> Counts:
    """Counts at the scores of others, without those that no case has."""
    kept = (positives > 0) | (negatives > 0)
    cells = Cells(like.scores[kept], positives[kept], negatives[kept])
    return Counts._of(cells, like.ledger, condensed=like.condensed)


def _skewness(classes: list[Influence]) -> float:
    """A sixth of the skewness of the sum of the classes' means, as BCa needs it."""
    cubes = squares = 0.0
    for influence, weights, cases in classes:
        share = weights / weights.sum()
        cubes += float(np.sum(share * influence**3)) / cases**2
        squares += float(np.sum(share * influence**2)) / cases
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0
