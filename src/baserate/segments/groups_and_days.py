"""What `slices` returns: one threshold at every site and on every day."""

from __future__ import annotations

from dataclasses import dataclass, field

from baserate.errors import Note
from baserate.numbers import Viewed, make_view
from baserate.segments.days import Days
from baserate.segments.groups import Slices


@dataclass(frozen=True)
class GroupsAndDays(Viewed):
    """What one threshold does at every site, and on every day; None for what was not counted."""

    groups: Slices | None
    days: Days | None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return str(make_view("text", self))
