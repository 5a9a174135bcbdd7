"""Training cases weighed by what they cost, for any estimator that takes weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from baserate.conditions import Conditions
from baserate.errors import refuse
from baserate.learners.calibrated import settled_at
from baserate.learners.stakes import sides, stakes, weights_of
from baserate.learners.wrappers import Transparent, checked


class CostWeighted(Transparent):
    """A classifier of two classes whose training cases weigh what getting them wrong costs (`cost_weights`).

    Its probabilities are calibrated at the weighted base rate `calibrated_at_`, where cutting at 1/2 is cutting at the threshold of the costs:
    `MovedThreshold` and `correct_probabilities(…, calibrated_at=…)` take them back. With `amounts` there is no such base rate, nor is it
    known where the estimator weighs classes of its own accord (class_weight), and it is None.
    Elkan 2001, IJCAI:973-978; Zadrozny, Langford & Abe 2003, ICDM.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from baserate import Conditions, Costs
    >>> from baserate.learners import CostWeighted
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 0, 0, 1, 1]
    >>> weighted = CostWeighted(LogisticRegression(), Conditions(costs=Costs(fp=1, fn=10))).fit(X, y)
    >>> weighted.predict(X), round(weighted.calibrated_at_, 4)
    (array([0, 0, 1, 1, 1, 1]), 0.8333)
    """

    def __init__(self, estimator: Any, at: Conditions | None = None, *, pos_label: Any = None) -> None:
        self.estimator = estimator
        self.at = at
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, amounts: Any = None) -> Self:  # noqa: N803 (scikit-learn's names)
        """The estimator inside is fitted to weighted cases; `amounts`: what missing each positive costs, in place of fn."""
        rows, labels = checked(X, y)
        found = sides(labels, self.at, self.pos_label)
        if not has_fit_parameter(self.estimator, "sample_weight"):
            text = f"{type(self.estimator).__name__} takes no weights in fit"
            raise refuse("BR907", text, "an estimator with sample_weight; of a pipeline, wrap its last step")
        weights = weights_of(stakes(found, self.at, amounts))
        self._fit_inside(rows, labels, sample_weight=weights)
        settled = None if amounts is not None else settled_at(self.estimator_, found.weighted_share(weights), found.place)
        self.calibrated_at_, self.place_ = None if settled is None else float(settled), found.place
        self.classes_ = found.classes
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """What the estimator inside answers."""
        check_is_fitted(self)
        found: npt.NDArray[Any] = np.asarray(self.estimator_.predict(X))
        return found
