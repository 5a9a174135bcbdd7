"""A number with what a reader should know of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from baserate.notes import Note


class Bounds(NamedTuple):
    """Where the value of exact counts lies for certain."""

    low: float
    high: float


class Reading(float):
    """A value that carries its notes, such as what it assumes at another base rate, and its name with all parameters.

    `bounds` says where the value of the exact scores lies, where bins merged them; None where the value is exact.

    >>> from baserate import Conditions, Confusion, measure
    >>> value = measure("precision", Confusion(tp=9, fp=10, fn=1, tn=90), at=Conditions(prior=0.01))
    >>> value
    0.08333333333333333
    >>> print(value.notes[0])
    BR526: read at prior 0.01, not at the sample's 0.0909: this assumes label shift only (the scores of each class keep their distribution)
    """

    notes: tuple[Note, ...]
    name: str
    bounds: Bounds | None

    def __new__(cls, value: float, notes: Iterable[Note] = (), name: str = "", bounds: Bounds | None = None) -> Self:
        reading = super().__new__(cls, value)
        reading.notes = tuple(notes)
        reading.name = name
        reading.bounds = bounds
        return reading

    def __reduce__(self) -> tuple[Any, ...]:
        return Reading, (float(self), self.notes, self.name, self.bounds)
