"""A number that does not exist, and why."""

from __future__ import annotations

from typing import Any, Self


class Undefined(float):
    """NaN that says why: 0/0 is never a number, and the reader is told what was missing.

    >>> from baserate.undefined import Undefined
    >>> Undefined("no positives")
    nan (no positives)
    """

    reason: str
    notes: tuple[()] = ()

    def __new__(cls, reason: str) -> Self:
        value = super().__new__(cls, "nan")
        value.reason = reason
        return value

    def __repr__(self) -> str:
        return f"nan ({self.reason})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Undefined, (self.reason,)


def ratio(numerator: float, denominator: float, reason: str) -> float:
    """The quotient, or the reason why there is none where the denominator is zero."""
    return numerator / denominator if denominator else Undefined(reason)
