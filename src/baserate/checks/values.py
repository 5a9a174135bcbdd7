"""Plain values: where the cases lie, under which conditions, what is asked of which model, and how it came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from baserate.conditions import Conditions
from baserate.decisions.rules import parse_rule
from baserate.engines.files import Options
from baserate.errors import escaped, quoted
from baserate.joint import JointCounts
from baserate.notes import RANDOM, Note, Source
from baserate.uncertainty.gates import Regression
from baserate.verdicts import Judged

ERROR, COST, CAUGHT = "error", "expected_cost", "caught"
LEVEL = 0.95


class Scored(NamedTuple):
    """Where a model's scores lie."""

    source: str
    column: str


@dataclass(frozen=True)
class Data:
    """The models' scores, which column is the label, and how the sources are read and joined."""

    models: Mapping[str, Scored]
    label: str
    positive: Any = None
    design: str = RANDOM
    id: str | None = None
    join: str | None = None
    by_position: bool = False
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class Scenario:
    """The conditions of the field, and the thresholds that are in use there."""

    name: str | None = None
    at: Conditions = field(default_factory=Conditions)
    volume: float | None = None
    thresholds: Mapping[str, float | None] | None = None

    def cuts(self, models: tuple[str, ...]) -> dict[str, float | None] | None:
        """The threshold of each of these models, where all of them have one."""
        given = self.thresholds or {}
        return {model: given[model] for model in models} if all(model in given for model in models) else None


@dataclass(frozen=True)
class Demand:
    """A requirement that models have to keep."""

    rule: str
    models: tuple[str, ...]
    scenario: Scenario = field(default_factory=Scenario)
    slice: str | None = None
    accept_observed: bool = False
    level: float = LEVEL

    @property
    def title(self) -> str:
        return f"{escaped(self.rule)} of {', '.join(quoted(model, quotes=False) for model in self.models)}{_where(self)}"


@dataclass(frozen=True)
class Comparison:
    """A candidate that must not be worse than the baseline."""

    baseline: str
    candidate: str
    scenario: Scenario = field(default_factory=Scenario)
    statistic: str | None = None
    rule: str | None = None
    margin: float | None = None
    slice: str | None = None
    level: float = LEVEL
    replicates: int | None = None

    @property
    def models(self) -> tuple[str, str]:
        return self.baseline, self.candidate

    @property
    def wanted(self) -> str:
        """What is compared: what is named; else costs where they are given, what a budget catches, or the share of errors."""
        if self.statistic is not None:
            return self.statistic
        if self.scenario.at.costs_given:
            return COST
        return CAUGHT if self.rule is not None and parse_rule(self.rule, self.scenario.volume).budget is not None else ERROR

    @property
    def title(self) -> str:
        rule = "" if self.rule is None else f" with {escaped(self.rule)}"
        by = f" by {escaped(self.wanted)}{rule}"
        return f"{quoted(self.candidate, quotes=False)} against {quoted(self.baseline, quotes=False)}{by}{_where(self)}"


def _where(check: Demand | Comparison) -> str:
    scenario = "" if check.scenario.name is None else f", {quoted(check.scenario.name, quotes=False)}"
    return f"{scenario}{'' if check.slice is None else f', by {quoted(check.slice, quotes=False)}'}"


@dataclass(frozen=True)
class Settings:
    """Everything that a `baserate.toml` says; `digests` are those of counts that must not have changed."""

    path: str
    data: Data
    checks: tuple[Demand | Comparison, ...]
    digests: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """How a check came out. Only a positive verdict passes."""

    check: Demand | Comparison
    passed: bool
    judged: tuple[Judged, ...] = ()
    regression: Regression | None = None
    joint: JointCounts | None = field(default=None, compare=False, repr=False)
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    sources: tuple[Source, ...] = ()
