"""Cells: distinct scores in descending order, with what lies at each. The array work behind `Counts`."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from baserate.exact import Floats, segment_sums
from baserate.kernels import Cells

Array: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = npt.NDArray[np.intp]


def run_starts(*keys: Array) -> Indices:
    """Where a run of equal keys begins, for keys that are already in order; several keys are compared together."""
    first = np.zeros(len(keys[0]), dtype=np.bool_)
    first[:1] = True
    for key in keys:
        first[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(first)


def run_sums(values: Array, starts: Indices) -> Array:
    """The sum of each run: exact for counts, correctly rounded for masses."""
    if not len(starts):
        return values[:0]
    if len(starts) == len(values):
        return values
    if values.dtype == np.int64:
        sums: Array = np.add.reduceat(values, starts)
        return sums
    return segment_sums(values, starts)


def gathered(scores: Array, positives: Array, negatives: Array) -> Cells:
    """Cells in canonical form from cells in any order: descending, one a distinct score, none empty, no -0.0."""
    used = (positives > 0) | (negatives > 0)
    if not used.all():
        scores, positives, negatives = scores[used], positives[used], negatives[used]
    # A stable sort merges runs that are already in order in linear time: that is what adding two Counts gives it.
    order = np.argsort(scores, kind="stable")[::-1]
    scores = scores[order] + scores.dtype.type(0)
    starts = run_starts(scores)
    return Cells(scores[starts], run_sums(positives[order], starts), run_sums(negatives[order], starts))


def without_runs(cells: Cells, cuts: Array | None = None) -> Cells:
    """Runs of scores that only negatives have, each merged into its lowest score: flagging down to there flags the whole run.

    No run reaches across a cut, so that flagging from a cut on stays exact too.
    """
    alone = cells.positives == 0
    follows = alone & np.concatenate(([False], alone[:-1]))
    if cuts is not None and len(cuts):
        above = np.searchsorted(cuts, cells.scores, side="right")
        follows[1:] &= above[1:] == above[:-1]
    starts = np.flatnonzero(~follows)
    ends = np.concatenate((starts[1:], [len(alone)])) - 1 if len(starts) else starts
    return Cells(cells.scores[ends], run_sums(cells.positives, starts), run_sums(cells.negatives, starts))


def binned(bins: Array, lows: Array, highs: Array, positives: Array, negatives: Array) -> tuple[Cells, Array]:
    """One cell a bin, highest bin first, named by its lowest score; and the highest score of each."""
    order = np.argsort(bins, kind="stable")[::-1]
    starts = run_starts(bins[order])
    if not len(starts):
        return Cells(lows, positives, negatives), highs
    merged = Cells(np.minimum.reduceat(lows[order], starts), run_sums(positives[order], starts), run_sums(negatives[order], starts))
    return merged, np.maximum.reduceat(highs[order], starts)


def masses(scores: Array, weights: Floats) -> Cells:
    """Cells from descending scores with signed weights: above zero for a positive case, below zero for a negative one."""
    starts = run_starts(scores)
    distinct = scores if len(starts) == len(scores) else scores[starts]
    return Cells(distinct, run_sums(np.maximum(weights, 0.0), starts), run_sums(np.maximum(-weights, 0.0), starts))
