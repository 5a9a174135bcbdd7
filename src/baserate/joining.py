"""Putting the columns of two values end to end, in types that hold either without loss. One set of rules for every `+`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from baserate.cells import Array
from baserate.errors import refuse
from baserate.exact import EXACT_FLOATS, INT64_MAX, total


def joined_scores(first: Array, second: Array) -> Array:
    """Integers and floats together become floats, where no two scores would become one."""
    return _joined(first, second, _as_float_scores)


def joined_counts(first: Array, second: Array) -> Array:
    """Counts and masses together become masses, where every count is exact as a float."""
    return _joined(first, second, as_masses)


def _joined(first: Array, second: Array, as_floats: Callable[[Array], Array]) -> Array:
    """An empty column has no say in the type."""
    if first.dtype == second.dtype:
        return np.concatenate((first, second))
    if not len(first) or not len(second):
        return (first if len(first) else second).copy()
    return np.concatenate((as_floats(first), as_floats(second)))


def as_masses(counts: Array) -> Array:
    """Counts as float64, or a refusal where that would round."""
    if counts.dtype == np.int64 and counts.size and int(counts.max()) > EXACT_FLOATS:
        raise refuse("BR224", "counts above 2**53 cannot be added to weighted counts without rounding", "weight all parts, or none")
    return counts.astype(np.float64)


def check_totals(positives: Array, negatives: Array) -> None:
    """Totals that int64 or float64 cannot hold are refused, not wrapped."""
    everything = total(positives) + total(negatives)
    if everything == math.inf or (isinstance(everything, int) and everything > INT64_MAX):
        raise refuse("BR223", "the totals go beyond what 64 bits hold", "scale the weights down, or count fewer cases")


def _as_float_scores(scores: Array) -> Array:
    floats = scores.astype(np.float64)
    # Comparing in Python is exact; NumPy would round the integer first. Only scores that a float might not hold need it.
    large = np.flatnonzero(np.abs(floats) >= EXACT_FLOATS) if scores.dtype == np.int64 else ()
    if any(int(floats[i]) != int(scores[i]) for i in large):
        text = "integer scores beyond 2**53 cannot be added to float scores without merging some"
        raise refuse("BR225", text, "use one type of score in all parts")
    return floats
