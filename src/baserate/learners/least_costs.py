"""The answer that costs least, from the probabilities of any classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from baserate.learners.calibrated import check_untouched
from baserate.learners.case_weights import weighed
from baserate.learners.expected_costs import cheapest, matrix_of
from baserate.learners.wrappers import Transparent, checked, with_probabilities


class MinimumExpectedCost(Transparent):
    """A classifier of two or more classes that answers what costs least on average.

    `costs` are `Costs` (of two classes, with `pos_label` where it is not plain), or a matrix with a row a true class and a column an
    answer, in the order of `classes_`; None: every error costs 1. The probabilities are taken as they are, at the base rates of the
    training cases. Of equal costs the negative class, or the first. Tan, Steinbach & Kumar, eq. 5.82; Elkan 2001, IJCAI:973-978.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from baserate import Costs
    >>> from baserate.learners import MinimumExpectedCost
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> [int(MinimumExpectedCost(GaussianNB(), costs=Costs(fp=1, fn=fn)).fit(X, y).predict(X).sum()) for fn in (1, 5, 100)]
    [3, 4, 6]
    """

    several_classes = True

    def __init__(self, estimator: Any, costs: Any = None, *, pos_label: Any = None) -> None:
        self.estimator = estimator
        self.costs = costs
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, **params: Any) -> Self:  # noqa: N803 (scikit-learn's names)
        """The estimator inside is fitted; `params` are for its fit."""
        rows, labels = checked(X, y)
        self.cost_matrix_, self._first = matrix_of(self.costs, np.unique(labels), self.pos_label)
        self._fit_inside(rows, labels, **weighed(self._routed(params), labels))
        self.classes_ = with_probabilities(self.estimator_).classes_
        check_untouched(self.estimator_, labels)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """The answer of the least expected cost."""
        check_is_fitted(self)
        found: npt.NDArray[Any] = self.classes_[cheapest(np.asarray(self.estimator_.predict_proba(X)), self.cost_matrix_, self._first)]
        return found
