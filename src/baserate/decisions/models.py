"""Which of several models: the chosen point of each, and the best of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import choose
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.searching import is_better
from baserate.errors import Infeasible, Problem, quoted, refuse
from baserate.measures.values import parse
from baserate.points import Points


@dataclass(frozen=True)
class Choice:
    """The best model, where it is set, and what the others would do.

    `models` names more than one where they cannot be told apart by what was made best; `points` holds the chosen point of every model
    that keeps the rule, `refused` says of the others why they do not. `differences` holds the lead of the best model over every other one,
    the closest first, with its interval and p-value, where the models were counted together; where they were not, `untested` says why.
    """

    models: tuple[str, ...]
    points: Mapping[str, OperatingPoint]
    refused: Mapping[str, Infeasible]
    differences: tuple[Any, ...] = ()
    untested: str = ""

    @property
    def indistinguishable(self) -> tuple[str, ...] | None:
        """The models that cannot be distinguished from the best, which is among them; None where that was not tested."""
        if self.untested:
            return None
        worse = {one.models[0] for one in self.differences if one.significant}
        known = {self.model, *(one.models[0] for one in self.differences)}
        return tuple(name for name in self.points if name in known - worse)

    @property
    def model(self) -> str:
        """The best model; the first of those that are as good."""
        return self.models[0]

    @property
    def point(self) -> OperatingPoint:
        return self.points[self.model]


def chosen_among(models: Mapping[str, Counts | Points], rule: str | None = None, *, at: Conditions | None = None, **options: Any) -> Choice:
    """Each model set by `choose`, and the best of them; whether it is better than the others is not tested here."""
    if not isinstance(models, Mapping) or not models:
        raise refuse("BR410", "choose_model needs the counts of each model by name", 'choose_model({"logit": counts})')
    points: dict[str, OperatingPoint] = {}
    refused: dict[str, Infeasible] = {}
    for name, counts in models.items():
        try:
            points[name] = choose(counts, rule, at=at, **options)
        except Infeasible as error:
            refused[name] = error
    if not points:
        raise Infeasible(_named(name, problem, models) for name, error in refused.items() for problem in error.problems)
    return Choice(_best(points), points, refused)


def _named(name: str, problem: Problem, models: Mapping[str, Any]) -> Problem:
    return problem if len(models) == 1 else Problem(problem.code, f"{quoted(name)}: {problem.text}", problem.fix)


def _best(points: Mapping[str, OperatingPoint]) -> tuple[str, ...]:
    """The names of the best, in the order given."""
    best: list[str] = []
    for name, point in points.items():
        objective = parse(point.optimized, point.volume)
        if not best or is_better(objective, point.confusion, points[best[0]].confusion, point.at):
            best = [name]
        elif not is_better(objective, points[best[0]].confusion, point.confusion, point.at):
            best.append(name)
    return tuple(best)
