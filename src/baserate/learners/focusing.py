"""Undersampling with an eye on the border: what lies far from it is dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from imblearn.under_sampling.base import BaseUnderSampler
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from baserate.exact import Floats


class FocusedUnderSampler(BaseUnderSampler):  # type: ignore[misc]
    """Which negatives lie nearest the border? Those are kept, and the ones that are far from it dropped.

    `estimator` (a logistic regression, unless said) scores every case that it was not fitted to, in `cv` folds. The margin of a case is how far
    its log odds lie from those at which both classes would be equally likely, had they as many cases each; the smallest margins are kept, of
    equal ones the first. Classes and how many to keep are said as for any sampler of imbalanced-learn; by default the larger class gets as
    many as the smaller has. `margins_` are those of all cases. Tan, Steinbach & Kumar, §5.7.4.
    """

    def __init__(self, estimator: Any = None, *, sampling_strategy: Any = "auto", cv: int = 5) -> None:
        super().__init__(sampling_strategy=sampling_strategy)
        self.estimator = estimator
        self.cv = cv

    def _fit_resample(self, X: Any, y: npt.NDArray[Any]) -> tuple[Any, npt.NDArray[Any]]:  # noqa: N803 (imbalanced-learn's names)
        classes, codes = np.unique(y, return_inverse=True)
        self.margins_ = self._margins(X, codes)
        kept = [self._nearest(np.flatnonzero(codes == code), label) for code, label in enumerate(classes)]
        self.sample_indices_ = np.sort(np.concatenate(kept))
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def _margins(self, X: Any, codes: npt.NDArray[np.intp]) -> Floats:  # noqa: N803
        plain = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(max_iter=1000))
        learner = plain if self.estimator is None else self.estimator
        sizes = np.bincount(codes)
        if sizes.min() < 2:
            raise ValueError("FocusedUnderSampler needs 2 cases of each class: a margin is told by a learner that did not see the case")
        folds = StratifiedKFold(min(self.cv, int(sizes.min())), shuffle=True, random_state=0)
        shares = cross_val_predict(clone(learner), X, codes, cv=folds, method="predict_proba")[np.arange(len(codes)), codes]
        with np.errstate(divide="ignore"):
            odds: Floats = np.abs(np.log(shares) - np.log1p(-shares) - np.log(sizes / (len(codes) - sizes))[codes])
        return odds

    def _nearest(self, places: npt.NDArray[np.intp], label: Any) -> npt.NDArray[np.intp]:
        wanted = self.sampling_strategy_.get(label, len(places))
        order = np.argsort(self.margins_[places], kind="stable")
        return places[order[:wanted]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.sampler_tags.sample_indices = True
        return tags
