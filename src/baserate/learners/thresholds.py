"""A threshold moved to where costs and base rate put it: in theory, or on cases that the learner did not see."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from baserate.conditions import Conditions
from baserate.decisions.choosing import choose
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.learners.calibrated import SAMPLE, calibrated_at
from baserate.learners.case_weights import WEIGHT, weighed
from baserate.learners.counting import count_folds
from baserate.learners.responses import PROBABILITY, response
from baserate.learners.stakes import Sides, checked_amounts, sides
from baserate.learners.wrappers import Transparent, checked, with_probabilities
from baserate.measures.confusions import checked_conditions

THEORETICAL, EMPIRICAL = "theoretical", "empirical"
METHODS = (THEORETICAL, EMPIRICAL)


class MovedThreshold(Transparent):
    """A classifier of two classes whose threshold lies where the base rate and costs `at` put it.

    "theoretical": flagged is what has a probability *above* t = (fp − tn) / ((fp − tn) + (fn − tp)), once it is corrected from the base
    rate at which it is calibrated to that of `at`. `calibrated_at` is that base rate, or "sample" for the share of positives among the
    training cases; it must be said where `at` has a base rate of its own, unless the estimator knows it (`calibrated_at_`). `cut_` holds
    both cuts: on the score as it is (`threshold_`) and on the corrected probability.

    "empirical": flagged is what scores `threshold_` or more, the cheapest threshold (a corner of the ROC hull) on the pooled scores of `cv`
    folds, each scored by a learner that did not see it. `point_` is that operating point, `folds_` are the counts. Needs no calibration,
    only cases.

    Elkan 2001, IJCAI:973-978; Tan, Steinbach & Kumar, §5.7.3; Provost & Fawcett 2001, Machine Learning 42:203-231.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from baserate import Conditions, Costs
    >>> from baserate.learners import MovedThreshold
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> at = Conditions(prior=0.1, costs=Costs(fp=1, fn=5))
    >>> MovedThreshold(GaussianNB(), at, calibrated_at="sample").fit(X, y).cut_
    Cut(score=0.6428571428571429, probability=0.16666666666666666)
    """

    def __init__(
        self,
        estimator: Any,
        at: Conditions | None = None,
        *,
        method: str = THEORETICAL,
        calibrated_at: Any = None,
        cv: Any = 5,
        pos_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.at = at
        self.method = method
        self.calibrated_at = calibrated_at
        self.cv = cv
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, **params: Any) -> Self:  # noqa: N803 (scikit-learn's names)
        """The estimator inside is fitted to all cases, the threshold set; `params` are for its fit.

        With `sample_weight` a case counts as often as it weighs.
        """
        (rows, labels), at = checked(X, y), checked_conditions(self.at)
        if self.method not in METHODS:
            raise refuse("BR905", f"a method is {' or '.join(map(quoted, METHODS))}; got {quoted(self.method)}", f"method={THEORETICAL!r}")
        found, routed = sides(labels, at, self.pos_label), weighed(self._routed(params), labels)
        self._place, share = found.place, found.weighted_share(routed.get(WEIGHT))
        if self.method == EMPIRICAL:
            self._find(rows, labels, found, at, routed)
            self._fit_inside(rows, labels, **routed)
        else:
            self._fit_inside(rows, labels, **routed)
            self._derive(with_probabilities(self.estimator_), share, at)
        self.classes_ = found.classes
        return self

    def _find(self, X: Any, labels: Any, found: Sides, at: Conditions, params: dict[str, Any]) -> None:  # noqa: N803
        if self.calibrated_at is not None:
            raise refuse("BR905", "an empirical threshold needs no calibration, and would ignore calibrated_at", "leave calibrated_at out")
        positive = found.classes.tolist()[found.place]
        self.folds_ = count_folds(self.estimator, X, labels, cv=self.cv, pos_label=positive, params=params)
        self.point_ = choose(self.folds_.total(), at=at)
        self.threshold_ = float("inf") if self.point_.threshold is None else float(self.point_.threshold)

    def _derive(self, fitted: Any, share: Fraction, at: Conditions) -> None:
        trained = calibrated_at(fitted, self.calibrated_at, share, self._place)
        if trained is None and not at.as_in_sample and at.exact_prior != share:
            text = f"at which base rate are the probabilities calibrated? {float(share):.6g} of the training cases are positive"
            raise refuse("BR507", text, f"calibrated_at={SAMPLE!r}, where nothing was resampled or weighted")
        trained = share if trained is None else trained
        self._meant, self._trained = at.within(share), trained
        self.cut_ = self._meant.cut(trained)
        self.threshold_ = self.cut_.score

    def predict(self, X: Any, amounts: Any = None) -> npt.NDArray[Any]:  # noqa: N803
        """Positive where the score lies beyond the threshold; with `amounts` the amount of each case is what missing it costs.

        Then flagged is what has an expected loss above the expected nuisance: p · (amount − tp) > (1 − p) · (fp − tn).
        """
        check_is_fitted(self)
        kind = PROBABILITY if self.method == THEORETICAL else None
        scores = response(self.estimator_, X, pos_label=self.classes_.tolist()[self._place], kind=kind).scores
        if amounts is not None:
            flagged = scores > self._cuts(checked_amounts(amounts, len(scores)))
        elif self.method == THEORETICAL:
            flagged = scores > self.threshold_
        else:
            flagged = scores >= self.threshold_
        found: npt.NDArray[Any] = self.classes_[np.where(flagged, self._place, 1 - self._place)]
        return found

    def _cuts(self, amounts: Floats) -> Floats:
        """The cut of each case on the score as it is; above 1 where it is better missed than caught."""
        if self.method != THEORETICAL:
            raise refuse("BR905", "an empirical threshold is one for all cases, whatever they are worth", f"method={THEORETICAL!r}")
        costs, prior = self._meant.costs, self._meant.exact_prior
        shift = self._trained / (1 - self._trained) / (prior / (1 - prior))
        nuisance, loss = float(costs.false_alarm * shift), amounts - float(costs.tp)
        return np.where(loss > 0, nuisance / (nuisance + np.maximum(loss, 0.0)), 2.0)
