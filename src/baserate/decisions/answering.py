"""Choices among models at several base rates: one answer each, and what cannot be had told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar

from baserate.conditions import Conditions
from baserate.decisions.amounts import AmountChoice
from baserate.decisions.models import Choice
from baserate.errors import Infeasible, Problem, quoted
from baserate.notes import Note

Made = TypeVar("Made", Choice, AmountChoice)


class Answer(NamedTuple, Generic[Made]):
    """The conditions, and the choice made at them; none where no model can keep the rule there."""

    at: Conditions
    choice: Made | None


def made_by(
    choosing: Callable[..., Made], models: Any, rule: str | None, at: Sequence[Conditions], **options: Any
) -> tuple[list[Answer[Made]], list[Note]]:
    """The same, by any way of choosing among models."""
    found: list[Answer[Made]] = []
    problems: list[Problem] = []
    for conditions in at:
        sample = next(iter(models.values())) if isinstance(models, Mapping) else models
        prior = sample.prior if conditions.prior is None else conditions.prior
        place = f"at prior {prior:.6g}: " if len(at) > 1 else ""
        try:
            choice = choosing(models, rule, at=conditions, **options)
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
