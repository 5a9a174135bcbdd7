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
    that keeps the rule, `refused` says of the others why they do not.
    """

    models: tuple[str, ...]
    points: Mapping[str, OperatingPoint]
    refused: Mapping[str, Infeasible]

    @property
    def model(self) -> str:
        """The best model; the first of those that are as good."""
        return self.models[0]

    @property
    def point(self) -> OperatingPoint:
        return self.points[self.model]


def choose_model(models: Mapping[str, Counts | Points], rule: str | None = None, *, at: Conditions | None = None, **options: Any) -> Choice:
    """Which model, and where should its threshold be, at this base rate and these costs?

    Each model is set by `choose` (with its options) and the best of the chosen points wins, by what was made best: the expected cost, the
    positives caught by a budget, or `optimize`. Models that cannot keep the rule are told apart; where none can, that is refused.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[40, 40, 20], negatives=[2, 100, 898])
    >>> b = br.Counts([2, 1, 0], positives=[50, 15, 35], negatives=[1, 50, 949])
    >>> choice = br.choose_model({"a": a, "b": b}, "alerts <= 10", at=br.Conditions(prior=0.01), volume=1000)
    >>> choice.model, round(choice.point["caught"], 3), round(choice.points["a"]["caught"], 3)
    ('b', 5.118, 4.156)
    """
    if not isinstance(models, Mapping) or not models:
        raise refuse("BR410", "choose_model needs the counts of each model by name", 'choose_model({"logit": counts})')
    points: dict[str, OperatingPoint] = {}
    refused: dict[str, Infeasible] = {}
    if options.get("guarantee") is not None:
        options = {**options, "among": len(models)}
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
