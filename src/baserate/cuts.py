"""Thresholds as scores: where a number that somebody names cuts through scores of a type."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from baserate.arithmetic import exactly, rounded
from baserate.errors import quoted, refuse
from baserate.exact import INT64_MAX

Array: TypeAlias = npt.NDArray[Any]
# Wide enough for the middle between any two floats; and between which sizes a number is written out.
HALF = Context(prec=800)
SMALL, LARGE = Decimal("0.0001"), Decimal("1e16")
# Integers beyond 2^53 have more digits than floats tell apart.
MOST_DIGITS = 19


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


def short(threshold: Any, below: Any) -> str:
    """A threshold in as few digits as flag the same cases: above `below`, the highest score that is not flagged, and at most the threshold.

    That is the number half way between the two, rounded to the fewest digits that still separate them, or the threshold itself where it has
    no more digits; of integer scores an integer. A `below`
    of −inf says that nothing is left unflagged: four digits, rounded down. None says that the threshold is to be shown as it is.

    >>> short(0.4109800393967368, 0.3837292191193899), short(0.50021, 0.5001), short(13, 12), short(0.123456, -math.inf)
    ('0.4', '0.5002', '13', '0.1234')
    """
    whole = isinstance(threshold, int)
    if below is None or not math.isfinite(threshold) or (whole and math.isinf(below)):
        return quoted(threshold)
    if math.isinf(below):
        return _plain(Decimal(repr(threshold)), 4, ROUND_FLOOR, lambda _: True) or ""
    middle = HALF.divide(HALF.add(Decimal(below), Decimal(threshold)), 2)

    def separates(value: Decimal) -> bool:
        # A decimal is read back as the nearest float, which has to lie on the same side.
        near = int(value) if whole and value == value.to_integral_value() else float(value)
        return (not whole or isinstance(near, int)) and below < near <= threshold

    # Of scores that were rounded themselves, neighbours one unit apart, only the threshold itself is as short.
    for digits, rounding in product(range(1, MOST_DIGITS + 1), (ROUND_HALF_UP, ROUND_CEILING)):
        text = _plain(middle, digits, rounding, separates)
        if text is not None:
            return _plain(Decimal(repr(threshold)), digits, ROUND_HALF_UP, lambda near: near == Decimal(repr(threshold))) or text
    return quoted(threshold)


def _plain(value: Decimal, digits: int, rounding: str, good: Callable[[Decimal], bool]) -> str | None:
    """So many digits of a number as people write it, where that is good."""
    near = Context(prec=digits, rounding=rounding).plus(value)
    if not good(near):
        return None
    text = f"{near:f}"
    return (
        (text.rstrip("0").rstrip(".") if "." in text else text) if SMALL <= abs(near) < LARGE or not near else f"{near.normalize():.{digits}g}"
    )


def next_below(scores: Array) -> Array:
    """The next score of the same type below each, which has to have one."""
    if scores.dtype == np.int64:
        return scores - 1
    with np.errstate(over="ignore"):  # below the lowest finite score comes −inf
        lower: Array = np.nextafter(scores, -math.inf)
    return lower
