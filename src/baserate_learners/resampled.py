"""Learners fitted to a resampled set, with scores corrected back to the base rate; samplers by
name.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from imblearn.over_sampling import ADASYN, SMOTE, RandomOverSampler
from imblearn.under_sampling import (
    EditedNearestNeighbours,
    NearMiss,
    NeighbourhoodCleaningRule,
    OneSidedSelection,
    RandomUnderSampler,
    TomekLinks,
)
from imblearn.under_sampling.base import BaseUnderSampler
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from baserate import Conditions, InputError, count, response
from baserate.extend import checked_whole, number_of, quoted, refuse
from baserate.shift import calibrate, correct_probabilities
from baserate.types import Calibration
from baserate_learners.fitted import PROBABILITY, Floats, positive_place, prior_after_fitting

# ----------------------------------------------------------------------
# Undersampling with an eye on the border: what lies far from it is dropped.


class FocusedUnderSampler(BaseUnderSampler):  # type: ignore[misc]
    """Which negatives lie nearest the border? Those are kept, and the ones that are far from it
    dropped.

    `estimator` (a logistic regression, by default) scores every case that it was not fitted to, in
    `cv` folds. The margin of a case is how far its log odds lie from those at which both classes
    would be equally likely, had they as many cases each; the smallest margins are kept, of equal
    ones the first. Classes and how many to keep are given as for any sampler of imbalanced-learn;
    by default the larger class gets as many as the smaller has. `margins_` are those of all cases.
    Tan, Steinbach & Kumar, §5.7.4.
    """

    def __init__(
        self, estimator: Any = None, *, sampling_strategy: Any = "auto", cv: int = 5
    ) -> None:
        super().__init__(sampling_strategy=sampling_strategy)
        self.estimator = estimator
        self.cv = cv

    def _fit_resample(self, X: Any, y: npt.NDArray[Any]) -> tuple[Any, npt.NDArray[Any]]:  # noqa: N803 (imbalanced-learn's names)
        classes, codes = np.unique(y, return_inverse=True)
        self.margins_ = self._margins_of(X, codes)
        kept = [
            self._nearest_to_border(np.flatnonzero(codes == code), label)
            for code, label in enumerate(classes)
        ]
        self.sample_indices_ = np.sort(np.concatenate(kept))
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def _margins_of(self, X: Any, codes: npt.NDArray[np.intp]) -> Floats:  # noqa: N803
        plain = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(max_iter=1000))
        learner = plain if self.estimator is None else self.estimator
        sizes = np.bincount(codes)
        if sizes.min() < 2:
            raise ValueError(
                "FocusedUnderSampler needs 2 cases of each class: a margin comes from a learner"
                " that did not see the case"
            )
        folds = StratifiedKFold(min(self.cv, int(sizes.min())), shuffle=True, random_state=0)
        shares = cross_val_predict(clone(learner), X, codes, cv=folds, method="predict_proba")[
            np.arange(len(codes)), codes
        ]
        with np.errstate(divide="ignore"):
            odds: Floats = np.abs(
                np.log(shares) - np.log1p(-shares) - np.log(sizes / (len(codes) - sizes))[codes]
            )
        return odds

    def _nearest_to_border(self, places: npt.NDArray[np.intp], label: Any) -> npt.NDArray[np.intp]:
        wanted = self.sampling_strategy_.get(label, len(places))
        order = np.argsort(self.margins_[places], kind="stable")
        return places[order[:wanted]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.sampler_tags.sample_indices = True
        return tags


# ----------------------------------------------------------------------
# Samplers by name, all of imbalanced-learn but for the focused one; and which of them draw at
# random within each class.


Labels = npt.NDArray[Any]


def thin_to_middle(y: Labels) -> dict[Any, int]:
    """The larger class cut down to the geometric mean of both, so that it is thinned by the factor
    by which the other is copied.
    """
    classes, sizes = np.unique(y, return_counts=True)
    return {
        classes[int(sizes.argmax())].item(): max(
            int(sizes.min()), isqrt(int(sizes.min()) * int(sizes.max()))
        )
    }


SAMPLERS: dict[str, Callable[[], list[Any]]] = {
    "under": lambda: [RandomUnderSampler()],
    "over": lambda: [RandomOverSampler()],
    "hybrid": lambda: [RandomUnderSampler(sampling_strategy=thin_to_middle), RandomOverSampler()],
    "focused": lambda: [FocusedUnderSampler()],
    "near-miss": lambda: [NearMiss()],
    "tomek": lambda: [TomekLinks()],
    "edited": lambda: [EditedNearestNeighbours()],
    "cleaning": lambda: [NeighbourhoodCleaningRule()],
    "one-sided": lambda: [OneSidedSelection()],
    "smote": lambda: [SMOTE()],
    "adasyn": lambda: [ADASYN()],
}


class Sample(NamedTuple):
    """What a learner is fitted to, and which training cases these are, as often as each was taken;
    None where some were made up.
    """

    X: Any
    y: Labels
    cases: npt.NDArray[np.intp] | None


def samplers_of(sampler: Any) -> list[Any]:
    """A name, a sampler, or several that work one after the other."""
    if isinstance(sampler, str):
        if sampler not in SAMPLERS:
            raise refuse(
                "BR910",
                f"a sampler is {', '.join(map(quoted, SAMPLERS))}; got {quoted(sampler)}",
                'sampler="under"',
            )
        return SAMPLERS[sampler]()
    several = list(sampler) if isinstance(sampler, list | tuple) else [sampler]
    for one in several:
        if not hasattr(one, "fit_resample"):
            raise refuse(
                "BR910",
                f"{type(one).__name__} does not resample",
                'sampler="under", or a sampler of imbalanced-learn',
            )
    return several


def is_random(sampler: Any) -> bool:
    """Whether each case of a class is as likely to be taken as any other: then one factor on the
    odds undoes it.
    """
    return type(sampler) is RandomUnderSampler or (
        type(sampler) is RandomOverSampler and sampler.shrinkage is None
    )


def draw_sample(samplers: list[Any], X: Any, y: Labels, seed: int) -> Sample:  # noqa: N803 (scikit-learn's name)
    """One sample; samplers that draw at random draw by this seed."""
    cases: npt.NDArray[np.intp] | None = np.arange(len(y))
    for one in samplers:
        sampler = clone(one)
        if "random_state" in sampler.get_params(deep=False):
            sampler.set_params(random_state=seed)
        X, y = sampler.fit_resample(X, y)  # noqa: N806
        taken = getattr(sampler, "sample_indices_", None)
        cases = None if cases is None or taken is None else cases[taken]
    return Sample(X, y, cases)


# ----------------------------------------------------------------------
# Learners fitted to a sample with another base rate, whose scores find their way back.


PRIOR, PLATT = "prior", "platt"
CALIBRATIONS = ("isotonic", PLATT, "beta")
CORRECTIONS = (PRIOR, *CALIBRATIONS)
# So many seeds are tried for a sample that no member has had.
MOST_TRIES = 100


class Member(NamedTuple):
    """A fitted learner, the share of positives in its sample, and the base rate of its scores: the
    same, unless it weighs or samples too.
    """

    estimator: Any
    prior: Fraction
    calibrated_at: Fraction | None


class Resampled(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """What does a learner give that was fitted to a sample of the training cases, at the base rate
    that they had?

    `sampler` is a name ("under", "over", "hybrid", "focused", "near-miss", "tomek", "edited",
    "cleaning", "one-sided", "smote", "adasyn"), a sampler of imbalanced-learn, or a list of them.
    Only `fit` samples, so that folds held out by whatever cross-validates it stay whole. With
    `repeats`, as many members are fitted to samples of which no two are the same, and their scores
    averaged.

    A sample with other shares of the classes moves every score. `correct` says how they come back:
    "prior" multiplies the odds by one number, the odds of the training cases over those of the
    sample (Elkan 2001, IJCAI:973-978), and is refused where the sampler does not draw at random
    within each class, because then no such number exists; "platt", "beta" and "isotonic" calibrate
    anew, on scores of cases in `cv` folds that their members did not see ("platt": on the log odds
    of probabilities); None leaves scores as they are. `prior` is the base rate at which
    probabilities are meant; None means that of the training cases. Base rates are shares of
    `pos_label`, or where it is not said of 1, "yes" and their like, or the second class.

    Fitted: `prior_` of the training cases, `sampled_prior_` of the sample, `calibrated_at_` of the
    probabilities given (None where there is none), `corrected_` (what odds were multiplied by:
    counts made from it carry that mark, and a second correction is refused), `samples_` (the
    training cases in each sample), `members_`, `calibration_`.

    >>> import numpy as np
    >>> from baserate_learners import Resampled
    >>> X, y = np.arange(100.0)[:, None], np.repeat([0, 1], [90, 10])
    >>> fitted = Resampled(sampler="under").fit(X, y)
    >>> fitted.prior_, fitted.sampled_prior_, fitted.corrected_
    (0.1, 0.5, '1/9')
    """

    def __init__(  # noqa: PLR0913 (each is a word that users say)
        self,
        estimator: Any = None,
        sampler: Any = "under",
        *,
        repeats: int = 1,
        correct: str | None = PRIOR,
        prior: Any = None,
        cv: int = 5,
        pos_label: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.repeats = repeats
        self.correct = correct
        self.prior = prior
        self.cv = cv
        self.pos_label = pos_label
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = get_tags(self._base_learner()).input_tags.sparse
        return tags

    def _base_learner(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 (scikit-learn's names)
        """Draw the samples, and fit a member to each."""
        samplers = self._check_parameters()
        X = self._validate_rows(X, reset=True)  # noqa: N806
        codes = self._encode_labels(X, y)
        random = check_random_state(self.random_state)
        meant = None if self.prior is None else Conditions(prior=self.prior).exact_prior
        before = Fraction(int(codes.sum()), len(codes))
        self.members_, self.samples_ = _fit_members(
            self._base_learner(), samplers, X, codes, self.repeats, random
        )
        after = self._known_prior(self.members_[0])
        self.prior_, self.sampled_prior_, self._meant = (
            float(before),
            float(self.members_[0].prior),
            meant or before,
        )
        self.calibration_ = (
            self._fit_calibration(samplers, X, codes, random)
            if self.correct in CALIBRATIONS
            else None
        )
        start = before if self.correct in CALIBRATIONS else after
        factor = (
            1 if start is None or self.correct is None else _odds_of(self._meant) / _odds_of(start)
        )
        self._set_calibration(after if all(map(is_random, samplers)) else None)
        self.corrected_ = "" if factor == 1 else str(factor)
        return self

    def _known_prior(self, member: Member) -> Fraction | None:
        """Where a member's scores start from; refused where nobody knows and one factor should
        bring them back.
        """
        if member.calibrated_at is None and self.correct == PRIOR:
            text = (
                f"{type(member.estimator).__name__} weighs or resamples by itself: no one number"
                " takes its scores back to a base rate"
            )
            raise refuse(
                "BR536",
                text,
                'a learner that does neither (no class_weight), or correct="platt", which'
                " calibrates again",
            )
        return member.calibrated_at

    def _set_calibration(self, sampled: Fraction | None) -> None:
        """`calibrated_at_`, unless probabilities are at the base rate of the cases and nothing says
        of which class that is.
        """
        known = sampled if self.correct is None else self._meant
        self.__dict__.pop("calibrated_at_", None)
        if self._knows_positive or self.correct is None:
            self.calibrated_at_ = (
                None if known is None or not self._knows_positive else float(known)
            )

    def _validate_rows(self, X: Any, *, reset: bool) -> Any:  # noqa: N803
        """Data frames as they are, for learners that read columns by name; anything else as an
        array. Missing values are the learner's.
        """
        if hasattr(X, "columns"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        sparse = "csr" if get_tags(self).input_tags.sparse else False
        return validate_data(
            self, X, reset=reset, accept_sparse=sparse, ensure_all_finite="allow-nan"
        )

    def _encode_labels(self, X: Any, y: Any) -> Labels:  # noqa: N803
        """1 for positives, 0 for negatives."""
        if y is None:
            raise ValueError("Resampled requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) == 1:
            raise ValueError("Resampled needs cases of 2 classes, and all are of one class")
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported: Resampled was given {len(self.classes_)}"
                " classes"
            )
        self.place_, known = _find_positive_class(self.classes_, self.pos_label)
        if self.prior is not None and not known:
            raise refuse(
                "BR910",
                "of which class is prior the share? The labels do not say",
                f"pos_label={self.classes_[1].item()!r}",
            )
        self._knows_positive = known
        return np.asarray(codes == self.place_, dtype=np.int64)

    def _check_parameters(self) -> list[Any]:
        samplers = samplers_of(self.sampler)
        if self.correct is not None and self.correct not in CORRECTIONS:
            words = ", ".join(map(quoted, CORRECTIONS))
            raise refuse(
                "BR910",
                f"scores are corrected by {words}, or None; got {quoted(self.correct)}",
                'correct="prior"',
            )
        focused = next((one for one in samplers if not is_random(one)), None)
        if self.correct == PRIOR and focused is not None:
            text = (
                f"{type(focused).__name__} does not draw at random within a class: no one number"
                " takes its scores back to a base rate"
            )
            raise refuse(
                "BR911", text, 'correct="platt", "beta" or "isotonic", which calibrate again'
            )
        if self.correct is None and self.prior is not None:
            raise refuse(
                "BR910",
                "a base rate is given, but scores are not corrected",
                'correct="prior"',
            )
        text = "repeats are a whole number from 1 on"
        checked_whole(self.repeats, "BR910", text, "repeats=10")
        return samplers

    def _fit_calibration(
        self,
        samplers: list[Any],
        X: Any,  # noqa: N803
        codes: Labels,
        random: Any,
    ) -> Calibration:
        """A calibration of scores that their members did not see, at the base rate of the training
        cases.
        """
        fewest = int(np.bincount(codes).min())
        if fewest < self.cv:
            raise refuse(
                "BR543",
                f"a class has {fewest} cases, too few for {self.cv} folds to calibrate on",
                f"cv={max(2, fewest)}",
            )
        scores = np.empty(len(codes))
        for train, test in StratifiedKFold(self.cv, shuffle=True, random_state=0).split(
            codes, codes
        ):
            part = _safe_indexing(X, train), codes[train]
            members, _ = _fit_members(self._base_learner(), samplers, *part, self.repeats, random)
            scores[test] = _average_scores(members, _safe_indexing(X, test))
        # A sigmoid of the probability would be flat near 0 and 1; of its log odds it is a straight
        # line.
        self._ends = (
            _ends_of_log_odds(scores)
            if self.correct == PLATT and hasattr(members[0].estimator, PROBABILITY)
            else None
        )
        return calibrate(count(codes, _to_log_odds(scores, self._ends)), str(self.correct))

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The probability of each class: at the given base rate, or of the training cases;
        uncorrected, at that of the sample.
        """
        check_is_fitted(self)
        X = self._validate_rows(X, reset=False)  # noqa: N806
        if self.calibration_ is not None:
            scores = self.calibration_.apply(
                _to_log_odds(_average_scores(self.members_, X), self._ends)
            )
            found = (
                scores
                if self.prior is None
                else _move_to_prior(scores, Fraction(self.prior_), self._meant)
            )
        elif self.correct == PRIOR:
            found = np.mean(
                [
                    _move_to_prior(_probabilities_of(one, X), one.calibrated_at, self._meant)
                    for one in self.members_
                ],
                axis=0,
            )
        else:
            found = np.mean([_probabilities_of(one, X) for one in self.members_], axis=0)
        return np.stack((1 - found, found) if self.place_ == 1 else (found, 1 - found), axis=1)

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """The more probable class; of equal ones the first."""
        best = np.argmax(self.predict_proba(X), axis=1)
        found: npt.NDArray[Any] = self.classes_[best]
        return found


def _find_positive_class(classes: npt.NDArray[Any], pos_label: Any) -> tuple[int, bool]:
    """Where the positive class stands, and whether labels or words gave it: scikit-learn takes the
    second where nothing does.
    """
    try:
        return positive_place(classes, pos_label), True
    except InputError:
        if pos_label is not None:
            raise
        return 1, False


def _fit_members(
    learner: Any,
    samplers: list[Any],
    X: Any,  # noqa: N803
    codes: Labels,
    repeats: int,
    random: Any,
) -> tuple[list[Member], list[npt.NDArray[np.intp] | None]]:
    """A member for each sample."""
    samples, members, seen = list[npt.NDArray[np.intp] | None](), list[Member](), set[bytes]()
    for _ in range(repeats):
        sample = _draw_new_sample(samplers, X, codes, seen, random)
        member = clone(learner).fit(sample.X, sample.y)
        prior = Fraction(int(sample.y.sum()), len(sample.y))
        members.append(Member(member, prior, prior_after_fitting(member, prior)))
        samples.append(sample.cases)
    return members, samples


def _draw_new_sample(
    samplers: list[Any],
    X: Any,  # noqa: N803
    codes: Labels,
    seen: set[bytes],
    random: Any,
) -> Sample:
    """A sample that no member has had."""
    for _ in range(MOST_TRIES):
        sample = draw_sample(samplers, X, codes, int(random.randint(2**31 - 1)))
        if sample.cases is None:
            return sample
        name = np.sort(sample.cases).tobytes()
        if name not in seen:
            seen.add(name)
            return sample
    text = (
        "the sampler gives no more than"
        f" {number_of(len(seen), 'different sample', 'different samples')} of these cases"
    )
    raise refuse("BR912", text, f"repeats={len(seen)}")


def _average_scores(members: list[Member], X: Any) -> Floats:  # noqa: N803
    return np.asarray(np.mean([response(member.estimator, X).scores for member in members], axis=0))


def _ends_of_log_odds(shares: Floats) -> tuple[float, float]:
    """What 0 and 1 stand for, which have no log odds: of votes and leaves, half as much as the
    next; else as near as floats tell.
    """
    inner, near = shares[(shares > 0) & (shares < 1)], float(np.finfo(np.float64).eps)
    low = float(inner.min(initial=0.5)) / 2 if (shares == 0).any() else near
    high = 1 - (1 - float(inner.max(initial=0.5))) / 2 if (shares == 1).any() else 1 - near
    return max(low, near), min(high, 1 - near)


def _to_log_odds(scores: Floats, ends: tuple[float, float] | None) -> Floats:
    if ends is None:
        return scores
    inside = np.clip(scores, *ends)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _probabilities_of(member: Member, X: Any) -> Floats:  # noqa: N803
    return response(member.estimator, X, kind=PROBABILITY).scores


def _move_to_prior(scores: Floats, calibrated_at: Fraction | None, prior: Fraction) -> Floats:
    return correct_probabilities(scores, calibrated_at=calibrated_at, at=Conditions(prior=prior))


def _odds_of(prior: Fraction) -> Fraction:
    return prior / (1 - prior)
