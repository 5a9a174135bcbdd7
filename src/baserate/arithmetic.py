"""One formula, two arithmetics: exact fractions for one point, float64 arrays along a curve.

A measure is written once with `quotient`, `root` and `logarithm`. On fractions every step is exact (or far beyond a float), so its
value is rounded once; on arrays it is what NumPy computes.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

# Bits that a root keeps: twice those of a float, so that rounding it afterwards is as good as rounding the root itself.
ROOT_BITS = 120
# Exponents beyond this are no number that anybody means.
MOST_DIGITS = 400


class Undefinable(ArithmeticError):  # noqa: N818 (an answer, not an error)
    """There is no such number, for this reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def quotient(numerator: Any, denominator: Any, reason: str) -> Any:
    """Numerator / denominator; where the denominator is 0 the reason is raised (one point) or NaN stands (a curve)."""
    if isinstance(numerator, np.ndarray) and isinstance(denominator, float):
        return numerator / denominator if denominator else np.full(numerator.shape, math.nan)
    if isinstance(denominator, float) and isinstance(numerator, float):
        return numerator / denominator if denominator else math.nan
    if isinstance(denominator, np.ndarray) or isinstance(numerator, np.ndarray):
        top, bottom = np.broadcast_arrays(np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64))
        with np.errstate(invalid="ignore", over="ignore"):
            return np.divide(top, bottom, out=np.full(top.shape, math.nan), where=bottom != 0)
    if denominator == 0:
        raise Undefinable(reason)
    return Fraction(numerator) / Fraction(denominator)


def least(one: Any, other: Any) -> Any:
    """The smaller of two numbers, place by place in arrays."""
    return np.minimum(one, other) if isinstance(one, np.ndarray) or isinstance(other, np.ndarray) else min(one, other)


def root(value: Any) -> Any:
    """The square root; of a fraction as a fraction, exact for squares and otherwise right to 120 bits."""
    if isinstance(value, np.ndarray):
        return np.sqrt(value)
    if isinstance(value, float):
        return math.sqrt(value)
    square = Fraction(value)
    product = square.numerator * square.denominator
    shift = max(0, ROOT_BITS - product.bit_length() // 2)
    return Fraction(math.isqrt(product << 2 * shift), square.denominator << shift)


def logarithm(value: Any) -> Any:
    """The natural logarithm of a positive number, to about one unit in the last place, also close to 1."""
    if isinstance(value, np.ndarray):
        with np.errstate(divide="ignore"):
            return np.log(value)
    exact = Fraction(value)
    if exact <= 0:
        raise Undefinable("a rate of 0 or 1 has no logarithm")
    scale = exact.numerator.bit_length() - exact.denominator.bit_length()
    shift = 0 if abs(scale) < 1000 else scale
    scaled = exact / Fraction(2) ** shift
    near = float(scaled)
    # What rounding to a float took away comes back as a first-order term: log(near · (1 + r)) = log(near) + r.
    rest = scaled / Fraction(near) - 1
    return Fraction(math.log(near)) + rest + Fraction(shift * math.log(2))


def rounded(value: Fraction) -> float:
    """The float nearest to a fraction; beyond the largest float, infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def exactly(number: Any) -> Fraction:
    """A finite number of any kind as the fraction that it is; TypeError, ValueError or OverflowError for anything else."""
    if isinstance(number, Fraction):
        return number
    if isinstance(number, np.integer | np.floating):
        return Fraction(int(number) if isinstance(number, np.integer) else float(number))
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        raise TypeError(f"not a number: {type(number).__name__}")
    if isinstance(number, Decimal) and number.is_finite() and abs(number.adjusted()) > MOST_DIGITS:
        raise OverflowError("a number far beyond the range of floats")
    return Fraction(number)
