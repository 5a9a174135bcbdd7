"""Triage: two thresholds. Act on the highest scores, review those in between, let the rest pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from baserate.conditions import Conditions, told
from baserate.counts.cells import short
from baserate.errors import Note
from baserate.numbers import Viewed, make_view


@dataclass(frozen=True)
class Triage(Viewed):
    """Where to act, where to review, and what that costs.

    `score >= act` is acted on, `act > score >= review` is looked at (None: nothing is), and the
    rest passes. `acted`, `reviewed` and `passed` are shares of the cases at `at`; `found` is the
    share of positives that are acted on or found in review. `without` is what the best single
    threshold costs.
    """

    act: float | None
    review: float | None
    acted: float
    reviewed: float
    passed: float
    found: float
    cost: float
    without: float
    at: Conditions
    reviews: float | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    # The highest scores below either threshold, by which these are shown in few digits.
    below: tuple[Any, Any] = field(default=(None, None), compare=False, repr=False)

    @property
    def shown(self) -> tuple[str, str]:
        """Both thresholds in as few digits as flag the same cases."""
        act, review = (
            "" if cut is None else short(cut, under)
            for cut, under in zip((self.act, self.review), self.below, strict=True)
        )
        return act, review

    @property
    def saving(self) -> float:
        """What a case costs less than with one threshold."""
        return self.without - self.cost

    def __str__(self) -> str:
        return str(make_view("text", self))

    def __repr__(self) -> str:
        act, review = self.shown
        look = f"review down to {review}" if self.reviewed else "review nothing"
        acts = (
            f"act on {'nothing' if self.act is None else f'score ≥ {act}'}, {look}"
            f" ({self.reviewed:.4g} of the cases)"
        )
        return (
            f"Triage: {acts}; cost {self.cost:.4g} against {self.without:.4g}; at"
            f" {told(self.at, by_cost=True)}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Triages(Viewed, Mapping[str, Triage]):
    """The pair of thresholds of each of several models, by name; notes that not all models share
    name theirs.
    """

    by_model: Mapping[str, Triage]
    notes: tuple[Note, ...] = ()

    @property
    def model(self) -> str:
        """The model that costs least; of equals the first."""
        return min(self.by_model, key=lambda name: self.by_model[name].cost)

    def __getitem__(self, name: str) -> Triage:
        return self.by_model[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_model)

    def __len__(self) -> int:
        return len(self.by_model)

    def __str__(self) -> str:
        return str(make_view("text", self))

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {one!r}" for name, one in self.by_model.items())
