"""What is wanted of a source: which column is what. And what every reader gives: the columns, and where their rows lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from baserate.errors import Where
from baserate.notes import RANDOM, Note


@dataclass(frozen=True)
class Wanted:
    """Which column is the label, which are scores, and which have a part to play beside them."""

    label: str
    scores: tuple[str, ...]
    positive: str | None = None
    weight: str | None = None
    group: str | None = None
    id: str | None = None
    amount: str | None = None
    day: str | None = None
    cluster: str | None = None
    currency: str | None = None
    design: str = RANDOM

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that hold numbers."""
        return tuple(dict.fromkeys(name for name in (*self.scores, self.weight, self.amount) if name is not None))

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns that are read as they are written."""
        return tuple(
            dict.fromkeys(name for name in (self.label, self.group, self.id, self.day, self.cluster, self.currency) if name is not None)
        )

    @property
    def beside(self) -> dict[str, str]:
        """The columns that travel with the cases, by the part they play."""
        parts = {"amount": self.amount, "day": self.day, "cluster": self.cluster, "currency": self.currency}
        return {part: name for part, name in parts.items() if name is not None}

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        return tuple(dict.fromkeys((*self.texts, *self.numbers)))


@dataclass(frozen=True)
class Table:
    """The wanted columns of a source, as arrays that `cases.checked` takes, and what there is to say of it.

    A column is a NumPy array of numbers or bools, or an object array of text with None for what is missing. `place` moves positions of rows
    to where the user sees them: lines of a text file, rows of a table. `rows` were read, `refused` of them are not in the columns; `sha256`
    is of the bytes, where there are any.
    """

    path: str
    columns: dict[str, Any]
    rows: int
    refused: int = 0
    sha256: str = ""
    place: Callable[[Where], Where] = field(default=lambda where: where)
    notes: tuple[Note, ...] = ()
    unlabelled: dict[str, Any] | None = None  # the columns of rows that were left out for want of a label
    styles: Mapping[str, str | None] = field(default_factory=dict)  # of numbers whose texts were not kept: see `fast_csv`
    kept: Any = None  # positions of the rows that a treatment left, where it dropped some
