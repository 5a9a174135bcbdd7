"""Thresholds as scores: where a number that somebody names cuts through scores of a type."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from baserate.arithmetic import exactly, rounded
from baserate.errors import quoted, refuse
from baserate.exact import INT64_MAX

Array: TypeAlias = npt.NDArray[Any]


def lowest_score(threshold: Any, kind: np.dtype[Any]) -> Any:
    """The lowest score of this type that is not below the threshold; None where there is none."""
    infinite = isinstance(threshold, float | np.floating) and bool(np.isinf(threshold))
    try:
        exact = None if infinite else exactly(threshold)
    except (TypeError, ValueError, OverflowError):
        raise refuse("BR529", f"a threshold is a number, or None to flag nothing; got {quoted(threshold)}", "threshold=0.5") from None
    if kind == np.float64:
        near = float(threshold) if exact is None else rounded(exact)
        return near if exact is None or math.isinf(near) or exactly(near) >= exact else math.nextafter(near, math.inf)
    if exact is None or exact > INT64_MAX or exact < -INT64_MAX - 1:
        return None if threshold > 0 else -INT64_MAX - 1
    return math.ceil(exact)


def cuts_of(thresholds: Iterable[Any], kind: np.dtype[Any]) -> Array | None:
    """The scores from which on each threshold flags, ascending, each once; None where no threshold is named."""
    found = [lowest_score(threshold, kind) for threshold in thresholds if threshold is not None]
    return np.unique(np.array([cut for cut in found if cut is not None], dtype=kind)) + kind.type(0) if found else None


def next_below(scores: Array) -> Array:
    """The next score of the same type below each, which has to have one."""
    if scores.dtype == np.int64:
        return scores - 1
    with np.errstate(over="ignore"):  # below the lowest finite score comes −inf
        lower: Array = np.nextafter(scores, -math.inf)
    return lower
