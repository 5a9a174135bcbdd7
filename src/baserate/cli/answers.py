"""What commands share on the way out: choices for several models, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import choose
from baserate.decisions.operating import OperatingPoint
from baserate.errors import Infeasible, Problem, on_command_line, quoted
from baserate.notes import Note

Points = dict[str, list[OperatingPoint]]


def choices(models: Mapping[str, Counts], rule: str | None, at: Conditions, **options: Any) -> dict[str, OperatingPoint]:
    """The chosen point of each model that can keep the rule; where none can, every reason."""
    found: dict[str, OperatingPoint] = {}
    problems: list[Problem] = []
    for name, counts in models.items():
        try:
            found[name] = choose(counts, rule, at=at, **options)
        except Infeasible as error:
            prefix = f"{quoted(name)}: " if len(models) > 1 else ""
            problems += [Problem(problem.code, prefix + problem.text, problem.fix) for problem in error.problems]
    if not found:
        raise Infeasible(problems)
    said(Note(problem.code, problem.text) for problem in problems)
    return found


def said(notes: Iterable[Note]) -> None:
    """Notes, on stderr."""
    for note in notes:
        click.echo(f"note {note.code}: {note.line(on_command_line)}", err=True)
