"""The lower bound of a rate whose cases come in clusters of any sizes, each as if all its rows came out alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from baserate.uncertainty.rates import CLOPPER_PEARSON, bounds
from baserate.uncertainty.values import LOWER

# Rows times different sizes up to which the distribution is computed, and the least probability that it is computed for.
WORK, RARE = 300_000, 1e-9
# What a sum of computed probabilities may be wrong by.
SLACK = 1e-12
STEPS = 44


def alike_lower(seen: int, sizes: Sequence[int], level: float) -> float:
    """The rate at which so many rows, or more, would come out with probability 1 − level, where every cluster is drawn as one.

    With clusters of sizes nᵢ, rows seen are Σ nᵢ Bᵢ with independent Bᵢ at one rate: where all sizes are equal that is a binomial, and the
    bound Clopper and Pearson's; else their distribution is computed (its Fourier transform is a product), and of very many rows the
    probability is bounded as Chernoff did (1952, Ann. Math. Stat. 23:493-507), which is wider, never narrower. A number of rows that no
    whole clusters make is rounded down, and a bound is never above the share seen.
    """
    rows = sum(sizes)
    lengths, times = np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)
    if len(lengths) == 1:
        return bounds(seen // int(lengths[0]), len(sizes), level, CLOPPER_PEARSON, LOWER)[0]
    if seen == rows:
        return math.exp(math.log1p(-level) / len(sizes))
    missed = 1 - level
    if rows * len(lengths) <= WORK and missed >= RARE:
        reached = _made_of_clusters(seen, lengths.tolist(), times.tolist())
        low = _largest(lambda rate: _tail(reached, rows, rate, lengths, times) + SLACK <= missed) if reached else 0.0
    else:
        low = _largest(lambda rate: _chernoff(seen, rate, lengths, times) <= math.log(missed)) if seen else 0.0
    return min(low, seen / rows)


def _largest(allowed: Callable[[float], bool]) -> float:
    """The largest rate that is allowed, to 2^−44, from below."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return low


def _made_of_clusters(seen: int, lengths: Sequence[int], times: Sequence[int]) -> int:
    """The largest number of rows, at most those seen, that some of the clusters have together: one bit a number."""
    within, reached = (1 << (seen + 1)) - 1, 1
    for length, count in zip(lengths, times, strict=True):
        left, step = count, 1
        while left > 0:  # 1, 2, 4 … of a size, so that many cost few shifts
            reached |= (reached << length * min(step, left)) & within
            left, step = left - step, 2 * step
    return reached.bit_length() - 1


def _tail(seen: int, rows: int, rate: float, lengths: Any, times: Any) -> float:
    """The probability of so many rows or more."""
    turns = np.exp(-2j * np.pi / (rows + 1) * np.arange((rows + 1) // 2 + 1))
    transform = np.ones(len(turns), dtype=np.complex128)
    for length, count in zip(lengths.tolist(), times.tolist(), strict=True):
        transform *= (1 - rate + rate * turns**length) ** count
    return float(np.fft.irfft(transform, rows + 1)[seen:].sum())


def _chernoff(seen: int, rate: float, lengths: Any, times: Any) -> float:
    """The logarithm of a bound on the same, least over the tilt; any tilt bounds it, so that how well it is found is no matter."""
    if not rate:
        return -math.inf
    unit = lengths / lengths[-1]
    low, high = 0.0, 700.0 * float(lengths[-1] / lengths[0])
    for _ in range(STEPS):
        tilt = (low + high) / 2
        with np.errstate(over="ignore"):
            risen = times * lengths / (1 + (1 - rate) / rate * np.exp(-tilt * unit))
        low, high = (tilt, high) if risen.sum() < seen else (low, tilt)
    if not low:
        return 0.0
    return float((times * np.logaddexp(math.log1p(-rate), math.log(rate) + low * unit)).sum() - low * seen / lengths[-1])
