"""Sums that round once, at the end."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

# Above this a weight plus the scale it is split at could overflow.
LARGEST_SPLIT = 2.0**900
INT64_MAX = 2**63 - 1
EXACT_FLOATS = 2**53


def segment_sums(weights: Floats, starts: npt.NDArray[np.intp]) -> Floats:
    """The correctly rounded sum of each run weights[starts[i]:starts[i + 1]], whatever the order inside it.

    Each weight is cut into slices of few enough bits that a whole run of slices adds up without rounding (Rump, Ogita & Oishi 2008);
    only the exact totals of the slices are then rounded, once. The weights must be finite and not negative.
    """
    if len(starts) == len(weights):
        return weights
    if not np.isfinite(largest := weights.max()):
        raise ValueError("weights must be finite")
    if largest > LARGEST_SPLIT:
        return _one_by_one(weights, starts)
    longest = int(np.diff(starts, append=len(weights)).max())
    slices = []
    rest = weights
    while top := float(np.abs(rest).max()):
        scale = math.ldexp(1.0, math.frexp(top)[1] + (longest + 2).bit_length() + 1)
        high = (rest + scale) - scale
        slices.append(np.add.reduceat(high, starts))
        rest = rest - high
    return _rounded_once(slices, len(starts))


def _rounded_once(slices: list[Floats], count: int) -> Floats:
    """The sum of the slices: two need one rounding, more are left to `math.fsum` where the third still matters."""
    total = np.zeros(count)
    for part in slices[:2]:
        total += part
    if len(slices) > 2:
        columns = np.stack(slices)
        for cell in np.flatnonzero(columns[2:].any(axis=0)):
            total[cell] = math.fsum(columns[:, cell])
    return total


def _one_by_one(weights: Floats, starts: npt.NDArray[np.intp]) -> Floats:
    return np.array([_fsum(run) for run in np.split(weights, starts[1:])])


def _fsum(values: Floats) -> float:
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def total(values: npt.NDArray[Any]) -> int | float:
    """The exact total of counts, or the correctly rounded total of masses."""
    if not values.size:
        return 0 if values.dtype == np.int64 else 0.0
    if values.dtype == np.float64:
        return float(segment_sums(values, np.zeros(1, dtype=np.intp))[0])
    # A sum of int64 wraps in silence; the float sum is near enough to know whether it could.
    if float(values.sum(dtype=np.float64)) < 2.0**62:
        return int(values.sum())
    return int(sum(values.tolist()))


def square_sum(values: Floats) -> float:
    """The sum of squares, not by `np.dot`: its threads would spin on every core for a moment's work."""
    return float(np.einsum("i,i->", values, values))


def share_won(positives: npt.NDArray[Any], negatives: npt.NDArray[Any]) -> float:
    """The share of (positive, negative) pairs that the score puts in the right order, a tie counting one half.

    Cells are in descending order of the score, and both classes are there. Exact for counts of any size, then rounded once; for
    masses right to a few units in the last place.
    """
    if positives.dtype == np.int64 and negatives.dtype == np.int64:
        return _twice_wins(positives, negatives) / (2 * int(total(positives)) * int(total(negatives)))
    # Totals near one, by exact powers of two, so that no product leaves the range of floats.
    ours, theirs = _near_one(positives), _near_one(negatives)
    # Summed from the bottom up: taking the mass above from the whole would cancel where little lies below.
    below = np.concatenate((running_sums(theirs[::-1])[-2::-1], np.zeros(1)))
    return math.fsum(ours * (below + theirs / 2)) / (float(total(ours)) * float(total(theirs)))


def _near_one(masses: npt.NDArray[Any]) -> Floats:
    floats = masses.astype(np.float64)
    return np.ldexp(floats, -math.frexp(float(total(floats)))[1])


def _twice_wins(positives: Ints, negatives: Ints) -> int:
    all_negatives = int(total(negatives))
    if 2 * int(total(positives)) * all_negatives > INT64_MAX:
        return _twice_wins_of_large(positives, negatives, all_negatives)
    # 2·(negatives below) + ties, built in one array to spare memory.
    worse = np.cumsum(negatives)
    worse *= -2
    worse += negatives
    worse += 2 * all_negatives
    return int(np.dot(positives, worse))


def _twice_wins_of_large(positives: Ints, negatives: Ints, below: int) -> int:
    wins = 0
    for ours, theirs in zip(positives.tolist(), negatives.tolist(), strict=True):
        below -= theirs
        wins += ours * (2 * below + theirs)
    return wins


def running_sums(values: Floats) -> Floats:
    """Cumulative sums that carry along what each addition rounded away."""
    rough = np.cumsum(values)
    before, after, added = rough[:-1], rough[1:], values[1:]
    taken = after - before
    lost = (before - (after - taken)) + (added - taken)
    rough[1:] += np.cumsum(lost)
    return rough
