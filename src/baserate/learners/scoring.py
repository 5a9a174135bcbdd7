"""Scorers: any measure or summary, under any rule, at any base rate and cost, where scikit-learn asks for `scoring`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.decisions.rules import parse_rule
from baserate.engines.arrays import count
from baserate.engines.columns import as_column
from baserate.engines.extras import needed
from baserate.engines.labels import decide
from baserate.errors import refuse
from baserate.learners.counting import count_estimator
from baserate.measures.confusions import measure as read_measure
from baserate.measures.values import named
from baserate.summaries.values import summary_named
from baserate.uncertainty.statistics import Statistic, statistic_of

# What a tuner of thresholds sees where a rule is broken: finite, as it averages and interpolates, and below anything that is kept.
BROKEN = -1e9


@dataclass(frozen=True)
class Scorer:
    """`scorer(estimator, X, y)`: higher is better, so what should be low is negated; NaN where it is undefined or no threshold keeps the rule.

    In `TunedThresholdClassifierCV` the threshold is the tuner's: the measure is read where it flags, and a rule that is broken there counts
    as -1e9.
    """

    name: str
    rule: str | None = None
    threshold: float | None = None
    at: Conditions | None = None
    volume: float | None = None
    pos_label: Any = None
    kind: str | None = None

    def __post_init__(self) -> None:
        # What is wrong with the words is said before anything is fitted.
        parse_rule(self.rule, self.volume)
        self._statistic()

    def _statistic(self) -> Statistic:
        summary = summary_named(self.name)
        asked: dict[str, Any] = {"at": self.at, "rule": self.rule, "volume": self.volume}
        if self.threshold is not None:
            asked["threshold"] = self.threshold
        return statistic_of(self.name if summary is None else summary, **asked)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        counts = count_estimator(estimator, X, y, pos_label=self.pos_label, sample_weight=sample_weight, kind=self.kind)
        return self._sign * self._statistic()(counts) + 0.0  # no -0.0

    @property
    def _sign(self) -> int:
        return 1 if self._statistic().better == "higher" else -1

    @property
    def _kwargs(self) -> dict[str, Any]:
        return {} if self.pos_label is None else {"pos_label": self.pos_label}

    def _score_func(self, y_true: Any, y_pred: Any, pos_label: Any = None) -> float:
        """The measure where a tuner's threshold flags, as it is (not negated)."""
        if summary_named(self.name) is not None:
            raise refuse("BR850", f"{self.name} has no threshold to be tuned", 'a measure: scorer("expected_cost", at=…)')
        labels, answers = np.asarray(y_true), np.asarray(y_pred)
        decision = decide(as_column(np.concatenate((labels, answers)), "y"), pos_label)
        truth, flags = decision.positive[: len(labels)], decision.positive[len(labels) :].astype(np.int64)
        counts = count(truth, flags)
        for term in parse_rule(self.rule, self.volume).terms:
            value = float(read_measure(term.measure, counts, threshold=1, at=self.at))
            # Both are rounded once, so that a limit that is met exactly is met here too.
            if not (value >= float(term.limit) if term.sense == ">=" else value <= float(term.limit)):
                return self._sign * BROKEN
        value = float(read_measure(named(self.name, self.volume), counts, threshold=1, at=self.at))
        return self._sign * BROKEN if math.isnan(value) else value

    def get_metadata_routing(self) -> Any:
        """No metadata is asked for."""
        return needed("sklearn.utils.metadata_routing", "learners").MetadataRequest(owner=self)


def scorer(
    name: str,
    *,
    rule: str | None = None,
    threshold: float | None = None,
    at: Conditions | None = None,
    volume: float | None = None,
    pos_label: Any = None,
    kind: str | None = None,
) -> Scorer:
    """What to give `cross_val_score`, `GridSearchCV` or `TunedThresholdClassifierCV` as `scoring`?

    A summary ("auc", "h_measure", "average_precision"), or a measure: at a `threshold`, or at the cheapest one that keeps the `rule`,
    chosen on the very cases that are scored. Read at the base rate and costs `at`. Higher is better: costs come negated.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from baserate import Conditions, Costs
    >>> from baserate.learners import scorer
    >>> X, y = [[i % 7] for i in range(60)], [int(i % 7 > 3) for i in range(60)]
    >>> cost = scorer("expected_cost", at=Conditions(prior=0.01, costs=Costs(fp=1, fn=50)))
    >>> cross_val_score(LogisticRegression(), X, y, scoring=cost, cv=2).tolist()
    [0.0, 0.0]
    """
    return Scorer(name, rule, threshold, at, volume, pos_label, kind)
