"""What commands share on the way out: choices at several base rates, and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

import click

from baserate.cli.terminal import Progress
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.amounts import AmountChoice
from baserate.decisions.models import Choice, choose_model
from baserate.decisions.operating import OperatingPoint
from baserate.document import Known, names_at
from baserate.errors import Infeasible, Problem, on_command_line, quoted
from baserate.notes import Note
from baserate.uncertainty.chosen import Resampling, chosen_intervals
from baserate.uncertainty.resampling import checked_replicates, checked_seed

Made = TypeVar("Made", Choice, AmountChoice)


class Answer(NamedTuple, Generic[Made]):
    """The conditions, and the choice made at them; none where no model can keep the rule there."""

    at: Conditions
    choice: Made | None


def choices(
    models: Mapping[str, Counts], rule: str | None, at: Sequence[Conditions], **options: Any
) -> tuple[list[Answer[Choice]], list[Note]]:
    """A choice for each base rate, and a note of every model that cannot keep the rule; where none can anywhere, that is refused."""
    return made_by(choose_model, models, rule, at, **options)


def made_by(
    choosing: Callable[..., Made], models: Mapping[str, Any], rule: str | None, at: Sequence[Conditions], **options: Any
) -> tuple[list[Answer[Made]], list[Note]]:
    """The same, by any way of choosing among models."""
    found: list[Answer[Made]] = []
    problems: list[Problem] = []
    for conditions in at:
        prior = next(iter(models.values())).prior if conditions.prior is None else conditions.prior
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


@dataclass(frozen=True)
class Surety:
    """How intervals are wanted: at which level, and whether thresholds are to be chosen again on resamples."""

    level: float
    replicates: int | None
    seed: int

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        if self.replicates is not None:
            checked_replicates(self.replicates)

    def known(self, models: Mapping[str, Counts], points: Iterable[tuple[str, OperatingPoint]], options: dict[str, Any]) -> Known:
        """The intervals of all points; resampled where that is asked for, which is found out before anything is printed."""
        if self.replicates is None:
            return Known(self.level, self.seed)
        found = {}
        with Progress("resampling") as progress:
            how = Resampling(self.replicates, self.seed, self.level, progress)
            for name, point in points:
                if point.optimized:
                    given = {**options, "rule": point.rule or None}
                    found[id(point)] = chosen_intervals(point, models[name], names_at(point), given, how)
        return Known(self.level, self.seed, found)

    def words(self, *, chosen: bool) -> str:
        """What was done about the thresholds."""
        if not chosen:
            return "at these thresholds, fixed in advance"
        if self.replicates is None:
            return "taking the thresholds as fixed in advance (they were chosen on these cases; --replicates 2000 chooses again)"
        return f"choosing the thresholds again on each of {self.replicates} resamples"


def say(notes: Iterable[Note]) -> None:
    """Notes, on stderr."""
    for note in notes:
        click.echo(f"note {note.code}: {note.line(on_command_line)}", err=True)
