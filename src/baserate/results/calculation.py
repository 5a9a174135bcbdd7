"""What `calc` returns: the rates that follow from published ones, or a league of tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from baserate.conditions import Conditions
from baserate.errors import Note
from baserate.measures.calculator import Rates
from baserate.measures.confusion import Confusion
from baserate.numbers import Viewed, make_view
from baserate.results.values import Interval


@dataclass(frozen=True)
class Calculation(Viewed):
    """Every rate that follows from the given ones, at one base rate or at several.

    Attributes
    ----------
    rates : tuple of Rates
        One for each base rate.
    volume : float or None
        Number of cases among which alerts are counted.
    shows_rounding : bool
        Does its text show the range that the rounding of the given rates leaves open?

    """

    rates: tuple[Rates, ...]
    volume: float | None = None
    shows_rounding: bool = False
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return str(make_view("text", self))


@dataclass(frozen=True)
class LeagueRow:
    """A published table at one base rate: measures with intervals, or why they are undefined."""

    name: str
    at: Conditions
    confusion: Confusion
    intervals: Mapping[str, Interval]
    undefined: Mapping[str, str]

    def value(self, measure: str) -> float:
        """The measure; NaN where it is undefined."""
        return self.intervals[measure].value if measure in self.intervals else math.nan

    @property
    def prior(self) -> float:
        """The base rate that it is read at."""
        return self.confusion.prior if self.at.prior is None else self.at.prior


@dataclass(frozen=True)
class League(Viewed):
    """Published tables at one's own base rates, the best first.

    Attributes
    ----------
    rows : tuple of LeagueRow
        Every table at every base rate.
    measures : tuple of str
        The measures that are read.
    sorted_by : str or None
        The measure by which they are sorted.
    level : float
        Confidence level.
    unnamed : tuple of str
        The tables whose cells were typed without names: its text says how they were read.

    """

    rows: tuple[LeagueRow, ...]
    measures: tuple[str, ...]
    sorted_by: str | None
    level: float
    unnamed: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return str(make_view("text", self))
