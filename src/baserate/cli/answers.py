"""What commands share on the way out: choices at several base rates, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.models import Choice, choose_model
from baserate.errors import Infeasible, Problem, on_command_line, quoted
from baserate.notes import Note


class Answer(NamedTuple):
    """The conditions, and the choice made at them; none where no model can keep the rule there."""

    at: Conditions
    choice: Choice | None


def choices(models: Mapping[str, Counts], rule: str | None, at: Sequence[Conditions], **options: Any) -> tuple[list[Answer], list[Note]]:
    """A choice for each base rate, and a note of every model that cannot keep the rule; where none can anywhere, that is refused."""
    found: list[Answer] = []
    problems: list[Problem] = []
    for conditions in at:
        prior = next(iter(models.values())).prior if conditions.prior is None else conditions.prior
        place = f"at prior {prior:.6g}: " if len(at) > 1 else ""
        try:
            choice = choose_model(models, rule, at=conditions, **options)
        except Infeasible as error:
            found.append(Answer(conditions, None))
            problems += [replace(problem, text=place + problem.text) for problem in error.problems]
            continue
        found.append(Answer(conditions, choice))
        for name, refusal in choice.refused.items():
            problems += [replace(problem, text=f"{place}{quoted(name)}: {problem.text}") for problem in refusal.problems]
    if not any(answer.choice for answer in found):
        raise Infeasible(problems)
    return found, [Note(problem.code, problem.text) for problem in problems]


def say(notes: Iterable[Note]) -> None:
    """Notes, on stderr."""
    for note in notes:
        click.echo(f"note {note.code}: {note.line(on_command_line)}", err=True)
