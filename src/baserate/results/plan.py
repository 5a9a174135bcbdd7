"""What `plan` returns: how many cases a test set needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from baserate.errors import Note
from baserate.numbers import Viewed, make_view


@dataclass(frozen=True)
class Design:
    """How many cases to collect: of each class, or scored by two models.

    Attributes
    ----------
    name : str
        Which of several designs it is: "few positives", "fewest cases" or "balanced"; else empty.
    positives, negatives, cases : int or None
        None for what the requirement does not depend on.

    """

    name: str = ""
    positives: int | None = None
    negatives: int | None = None
    cases: int | None = None


@dataclass(frozen=True)
class Plan(Viewed):
    """How many cases it takes, and how that was found.

    Attributes
    ----------
    kind : str
        "rate", "width", "at prior", "auc", "mcnemar" or "margin"; "power" where the number of cases
        was given.
    requirement : str
        The requirement to demonstrate.
    positives, negatives, cases : int or None
        Those of the first design.
    designs : tuple of Design
        One, or where the ratio of the classes is open, three to choose from.
    power : float or None
        Probability that such a test set succeeds; None where no error may be seen.
    level : float
        Confidence level.
    method : str
        By which bound, interval or test.
    assumed : dict of str to str
        What was expected, as it was typed: {"tpr": "0.9", "fpr": "0.01"}.
    fewest : int or None
        Of a rate: the cases that would do if no error is seen.
    prior : float or None
        The base rate, where one is given.

    """

    kind: str
    requirement: str
    positives: int | None
    negatives: int | None
    cases: int | None
    designs: tuple[Design, ...]
    power: float | None
    level: float
    method: str
    assumed: Mapping[str, str] = field(default_factory=dict)
    fewest: int | None = None
    prior: float | None = None
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return str(make_view("text", self))
