"""Which of several models: the chosen point of each, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.borders import EVERYTHING, NOTHING
from baserate.decisions.choosing import choose
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import parse_rule
from baserate.decisions.searching import holds_all, is_better
from baserate.errors import Infeasible, Problem, quoted, refuse
from baserate.measures.confusions import confusion_at
from baserate.measures.values import parse
from baserate.points import Points


@dataclass(frozen=True)
class Choice:
    """The best model, where it is set, and what the others would do.

    `models` names more than one where they cannot be told apart by what was made best, or where bins leave open which is best; `points`
    holds the chosen point of every model that keeps the rule, `refused` says of the others why they do not. `baselines` are flagging
    nothing and flagging everything, where they keep the rule too; under a budget without costs there are none. `differences` holds the lead
    of the best model over every other one, the closest first, with its interval and p-value, where the models were counted together; where
    they were not, `untested` says why. `lead_over_baseline` is the same over the better of the two baselines, where the best model beats it on
    these cases; `baseline_untested` says why that was not tested.
    """

    models: tuple[str, ...]
    points: Mapping[str, OperatingPoint]
    refused: Mapping[str, Infeasible]
    baselines: Mapping[str, OperatingPoint] = field(default_factory=dict)
    differences: tuple[Any, ...] = ()
    untested: str = ""
    lead_over_baseline: Any = None
    baseline_untested: str = ""

    @property
    def baseline(self) -> str | None:
        """The better one of the baselines, by what was made best; None where there is none."""
        return _best(self.baselines)[0] if self.baselines else None

    @property
    def unbeaten(self) -> str | None:
        """Which of the baselines no model beats by what was made best; None where the best model beats both."""
        left = {name: base for name, base in self.baselines.items() if not _is_better(self.point, base)}
        return _best(left)[0] if left else None

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
    if options.get("guarantee") is not None:
        options = {**options, "among": len(models)}
    for name, counts in models.items():
        try:
            points[name] = choose(counts, rule, at=at, **options)
        except Infeasible as error:
            refused[name] = error
    if not points:
        raise Infeasible(_named(name, problem, models) for name, error in refused.items() for problem in error.problems)
    return Choice(_best(points), points, refused, _baselines(models, points))


def _baselines(models: Mapping[str, Counts | Points], chosen: Mapping[str, OperatingPoint]) -> dict[str, OperatingPoint]:
    """Flagging nothing and flagging everything, where that keeps the rule, and the budget is not to be used up."""
    name, point = next(iter(chosen.items()))
    rule, points = parse_rule(point.rule or None, point.volume), Points.of(models[name])
    if point.guarantee is not None or (rule.budget is not None and not point.at.costs_given):
        return {}
    found = {}
    for answer, threshold, place in ((NOTHING, None, 0), (EVERYTHING, -math.inf, len(points) - 1)):
        confusion = confusion_at(points, place)
        if holds_all(rule.terms, confusion, point.at):
            found[answer] = OperatingPoint(threshold, confusion, point.at, rule=point.rule, optimized=point.optimized, volume=point.volume)
    return found


def _named(name: str, problem: Problem, models: Mapping[str, Any]) -> Problem:
    return problem if len(models) == 1 else Problem(problem.code, f"{quoted(name)}: {problem.text}", problem.fix)


def _best(points: Mapping[str, OperatingPoint]) -> tuple[str, ...]:
    """The names of the best, in the order given."""
    best: list[str] = []
    for name, point in points.items():
        if not best or _is_better(point, points[best[0]]):
            best = [name]
        elif not _is_better(points[best[0]], point):
            best.append(name)
    return tuple(name for name in points if name in best or _may_win(points[name], points[best[0]])) if _open(points) else tuple(best)


def _open(points: Mapping[str, OperatingPoint]) -> bool:
    return any(point.bounds is not None for point in points.values())


def _may_win(point: OperatingPoint, best: OperatingPoint) -> bool:
    """Whether it may be as good as the best with every score kept, where bins merged scores."""
    lower = parse(point.optimized, point.volume).direction == "lower"
    (low, high), (best_low, best_high) = (one.bounds or (one[one.optimized],) * 2 for one in (point, best))
    return low <= best_high if lower else high >= best_low


def _is_better(one: OperatingPoint, other: OperatingPoint) -> bool:
    """Whether the first is strictly better, by what was made best."""
    return is_better(parse(one.optimized, one.volume), one.confusion, other.confusion, one.at)
