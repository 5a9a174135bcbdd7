"""MetaCost: training cases relabelled with the answer that costs least, and a learner that knows nothing of costs fitted to those."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from baserate.errors import quoted, refuse
from baserate.exact import Floats, Ints
from baserate.learners.calibrated import check_untouched
from baserate.learners.expected_costs import cheapest, matrix_of
from baserate.learners.wrappers import Wrapper, checked


class MetaCost(Wrapper):
    """A classifier of two or more classes made cost-sensitive from outside, whatever it is.

    `resamples` copies of the estimator are fitted to bootstrap samples (each class resampled by itself, so that none gets lost); their mean
    probabilities, or votes where there are none, say which answer costs least for each training case; a last copy is fitted to these
    answers. With `out_of_bag` (default) only copies that did not see a case speak of it, where there are such. `costs` as in
    `MinimumExpectedCost`. `relabelled_share_`: how many labels changed. `labels_`: what was learned; `probabilities_`: what it was derived
    from. It answers with labels only: probabilities of relabelled cases would say nothing of the true ones. Domingos 1999, KDD:155-164.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from baserate import Costs
    >>> from baserate.learners import MetaCost
    >>> X, y = [[i // 3] for i in range(30)], [0] * 12 + [0, 1, 0] * 3 + [1] * 9
    >>> [round(MetaCost(DecisionTreeClassifier(), Costs(fp=1, fn=fn)).fit(X, y).relabelled_share_, 2) for fn in (1, 5)]
    [0.2, 0.27]
    """

    several_classes = True

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        *,
        resamples: int = 30,
        out_of_bag: bool = True,
        pos_label: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.resamples = resamples
        self.out_of_bag = out_of_bag
        self.pos_label = pos_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 (scikit-learn's names)
        """The training cases relabelled, and the estimator inside fitted to them."""
        rows, labels = checked(X, y)
        if not isinstance(self.resamples, int | np.integer) or self.resamples < 1:
            raise refuse("BR908", f"resamples are a whole number from 1 on, got {quoted(self.resamples)}", "resamples=30")
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise refuse("BR901", "there are cases of one class at most: nothing can be learned of a second", "cases of both classes")
        matrix, first = matrix_of(self.costs, classes, self.pos_label)
        self.probabilities_ = self._probabilities(rows, labels, codes)
        self.labels_ = classes[cheapest(self.probabilities_, matrix, first)]
        self.relabelled_share_ = float(np.mean(self.labels_ != labels))
        self._fit_relabelled(rows)
        self.classes_ = classes
        return self

    def _fit_relabelled(self, X: Any) -> None:  # noqa: N803
        if len(np.unique(self.labels_)) > 1:
            self._fit_inside(X, self.labels_)
        else:  # one answer for all is the cheapest, and most learners refuse to be told so; n_features_in_ is that of the last copy
            self.estimator_ = DummyClassifier(strategy="most_frequent").fit(X, self.labels_)

    def _probabilities(self, X: Any, labels: npt.NDArray[Any], codes: Ints) -> Floats:  # noqa: N803
        """The mean over the copies that may speak of a case; of one that all have seen, over all."""
        random, cases = check_random_state(self.random_state), len(codes)
        total, spoke = np.zeros((2, cases, codes.max() + 1)), np.zeros((2, cases))
        for _ in range(self.resamples):
            rows = _resampled(codes, random)
            fitted = _seeded(clone(self.estimator), random).fit(_safe_indexing(X, rows), _safe_indexing(labels, rows))
            found, unseen = _shares(fitted, X, total.shape[2]), np.ones(cases, dtype=np.bool_)
            unseen[rows] = False
            for part, who in enumerate((np.ones(cases, dtype=np.bool_), unseen)):
                total[part, who] += found[who]
                spoke[part, who] += 1
            check_untouched(fitted, labels)
            self._take_features(fitted)
        part = ((spoke[1] > 0) & self.out_of_bag).astype(np.int64)
        case = np.arange(cases)
        means: Floats = total[part, case] / spoke[part, case][:, None]
        return means

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """The answer of the classifier that was fitted to relabelled cases."""
        check_is_fitted(self)
        found: npt.NDArray[Any] = np.asarray(self.estimator_.predict(X))
        return found


def _resampled(codes: Ints, random: np.random.RandomState) -> npt.NDArray[Any]:
    """As many rows of each class as there are, drawn with replacement."""
    parts = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    return np.concatenate([random.choice(part, len(part)) for part in parts])


def _seeded(estimator: Any, random: np.random.RandomState) -> Any:
    """The same with seeds of its own, wherever it takes one."""
    names = sorted(name for name in estimator.get_params(deep=True) if name == "random_state" or name.endswith("__random_state"))
    return estimator.set_params(**{name: random.randint(np.iinfo(np.int32).max) for name in names})


def _shares(fitted: Any, X: Any, classes: int) -> Floats:  # noqa: N803
    """Probabilities of every class, or votes. Every copy has seen every class, so the columns are those of all."""
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(X), dtype=np.float64)
    votes: Floats = np.eye(classes)[np.searchsorted(fitted.classes_, fitted.predict(X))]
    return votes
