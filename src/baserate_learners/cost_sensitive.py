"""Cost-sensitive classifiers around any other: minimum expected cost, MetaCost, case weights, moved
thresholds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing, check_random_state, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    assert_all_finite,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from baserate import Conditions, Costs, choose, count_folds, response
from baserate.extend import checked_conditions, checked_whole, quoted, refuse
from baserate_learners.fitted import (
    PROBABILITY,
    SAMPLE,
    WEIGHT,
    Floats,
    Ints,
    calibrated_at,
    check_untouched,
    positive_place,
    prior_after_fitting,
    with_checked_weights,
)

# ----------------------------------------------------------------------
# What each training case puts at stake: how much more the wrong answer costs than the right one, at
# the base rate that will be met.


# Costs that differ by less than this share of their size are equal: it is what rounding can do to a
# few products.
CLOSE = 1e-12


class Sides(NamedTuple):
    """The two classes, the place of the positive one among them, and which cases are positive."""

    classes: npt.NDArray[Any]
    place: int
    positive: npt.NDArray[np.bool_]

    @property
    def share(self) -> Fraction:
        """The share of positives, exactly."""
        return Fraction(int(np.count_nonzero(self.positive)), len(self.positive))

    def weighted_share(self, weights: Floats | None) -> Fraction:
        """The same, where each case counts as often as its weight says."""
        if weights is None:
            return self.share
        ours, theirs = (
            Fraction(float(np.sum(weights[rows]))) for rows in (self.positive, ~self.positive)
        )
        return ours / (ours + theirs)


def find_sides(y: Any, at: Conditions | None = None, pos_label: Any = None) -> Sides:
    """Which of two classes is positive, and which cases are? Where both errors cost the same it
    makes no difference, and is not needed.
    """
    labels, given = np.asarray(y), checked_conditions(at)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) > 2:
        known = ", ".join(map(quoted, classes[:3].tolist()))
        text = (
            "Only binary classification is supported. The type of the target is multiclass:"
            f" {len(classes)} classes ({known} …)"
        )
        raise refuse("BR901", text, "MinimumExpectedCost or MetaCost with a cost matrix")
    check_two_classes(classes)
    even = given.as_in_sample and given.costs.miss == given.costs.false_alarm
    place = 1 if even and pos_label is None else positive_place(classes, pos_label)
    return Sides(classes, place, codes == place)


def check_two_classes(classes: npt.NDArray[Any]) -> None:
    """Refuse cases of one class alone."""
    if len(classes) < 2:
        raise refuse(
            "BR901",
            "there are cases of one class at most; two classes are needed",
            "cases of both classes",
        )


def costs_of_errors(found: Sides, at: Conditions | None = None, amounts: Any = None) -> Floats:
    """How much more does the wrong answer cost than the right one, case by case?

    fn − tp for a positive, fp − tn for a negative; with `amounts` the amount of the case stands in
    for fn. At a base rate π that is not the share of positives s, positives count π/s times and
    negatives (1−π)/(1−s) times. Below 0 where missing a case costs less than catching it.
    """
    given = checked_conditions(at)
    often = (Fraction(1), Fraction(1))
    if not given.as_in_sample:
        often = given.exact_prior / found.share, (1 - given.exact_prior) / (1 - found.share)
    missed: Any = float(given.costs.miss * often[0])
    if amounts is not None:
        missed = (checked_amounts(amounts, len(found.positive)) - float(given.costs.tp)) * float(
            often[0]
        )
        if not (missed[found.positive] > 0).any():
            raise refuse(
                "BR515",
                "no positive is worth catching: each costs less missed",
                "amounts above the cost of a true positive",
            )
    return np.where(found.positive, missed, float(given.costs.false_alarm * often[1]))


def cost_weights(
    y: Any, *, at: Conditions | None = None, amounts: Any = None, pos_label: Any = None
) -> Floats:
    """How should training cases be weighted, so that a learner that minimizes errors minimizes
    cost?

    As much as its wrong answer costs more than the right one: fn − tp for a positive, fp − tn for a
    negative, at the base rate `at` counted over or under; with `amounts` the amount of each
    positive stands in for fn. Scaled to a mean of 1. With equal costs at the base rate of the
    sample every weight is 1. A case that is better missed than caught weighs nothing. Probabilities
    learned from weighted cases are calibrated at the weighted base rate, not at that of the cases.
    Elkan 2001, IJCAI:973-978; Zadrozny, Langford & Abe 2003, ICDM.

    >>> from baserate import Conditions, Costs
    >>> from baserate_learners import cost_weights
    >>> cost_weights([0, 0, 0, 1], at=Conditions(costs=Costs(fp=1, fn=5)))
    array([0.5, 0.5, 0.5, 2.5])
    """
    return weights_of(costs_of_errors(find_sides(y, at, pos_label), at, amounts))


def weights_of(at_stake: Floats) -> Floats:
    """Stakes as weights: none below 0, and 1 on average."""
    weights = np.maximum(at_stake, 0.0)
    found: Floats = weights / weights.mean()
    return found


def checked_amounts(amounts: Any, cases: int) -> Floats:
    """One amount per case: finite, and 0 or more."""
    values = np.asarray(amounts)
    if values.shape != (cases,) or values.dtype.kind not in "iuf":
        raise refuse(
            "BR515",
            f"amounts are one number per case, {cases} here; got {quoted(values.shape)} of"
            f" {values.dtype}",
            "amounts=[…]",
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        raise refuse(
            "BR515",
            "an amount is missing, infinite or below 0",
            "amounts that are 0 or more",
            wrong[:3],
            len(wrong),
        )
    return values.astype(np.float64)


# ----------------------------------------------------------------------
# The answer that costs least on average, among any number of classes.


# So far may the probabilities of a case add up to something other than 1.
OFF = 1e-6
WRITE_MATRIX = (
    "one row per true class, one column per answer, in the order of classes_: [[0, 1], [5, 0]]"
)


def minimum_expected_cost(probabilities: npt.ArrayLike, cost_matrix: npt.ArrayLike) -> Ints:
    """Which answer costs least on average, case by case?

    The i with the least Σ_j p(j) · C(j, i): `cost_matrix` has a row for each true class and a
    column for each answer, in the order of the columns of `probabilities`. Returned are places in
    that order. Of answers that cost the same, up to rounding, the first. With costs of 0 and 1 it
    is the most probable class; with two classes and a miss five times as dear as a false alarm, the
    second above 1/6. Tan, Steinbach & Kumar, eq. 5.82.

    >>> from baserate_learners import minimum_expected_cost
    >>> minimum_expected_cost([[0.9, 0.1], [0.8, 0.2], [5 / 6, 1 / 6]], [[0, 1], [5, 0]])
    array([0, 1, 0])
    """
    shares = np.asarray(probabilities, dtype=np.float64)
    if (
        shares.ndim != 2
        or not np.isfinite(shares).all()
        or (shares < 0).any()
        or (np.abs(shares.sum(axis=1) - 1) > OFF).any()
    ):
        text = (
            "probabilities are one row per case and one column per class, from 0 to 1, and each row"
            " adds up to 1"
        )
        raise refuse("BR507", text, "predict_proba(X), for two classes both columns")
    return find_cheapest(shares, checked_matrix(cost_matrix, shares.shape[1]))


def find_cheapest(shares: Floats, matrix: Floats, first: int = 0) -> Ints:
    """The place of the least expected cost; of equal ones `first`, then in order."""
    costs = shares @ matrix
    near = costs.min(axis=1) + CLOSE * (shares @ np.abs(matrix)).max(axis=1)
    least = costs <= near[:, None]
    found: Ints = np.where(least[:, first], first, np.argmax(least, axis=1)).astype(np.int64)
    return found


def checked_matrix(cost_matrix: Any, classes: int) -> Floats:
    """A cost matrix of these classes, in which no wrong answer costs less than the right one."""
    try:
        matrix = np.asarray(cost_matrix, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (classes, classes) or not np.isfinite(matrix).all():
        text = (
            f"a cost matrix of {classes} classes has {classes} rows and as many columns of finite"
            f" numbers, got {quoted(cost_matrix)}"
        )
        raise refuse("BR904", text, WRITE_MATRIX)
    odd = np.argwhere(matrix < np.diag(matrix)[:, None])
    if len(odd):
        row, column = odd[0]
        text = (
            f"in row {row} the answer {column} costs {matrix[row, column]:g}, less than the right"
            f" one ({matrix[row, row]:g})"
        )
        raise refuse("BR904", text, WRITE_MATRIX)
    return matrix


def matrix_of(costs: Any, classes: npt.NDArray[Any], pos_label: Any = None) -> tuple[Floats, int]:
    """The matrix of these costs, and the class that equals go to: the negative one where there is
    one, else the first.
    """
    if isinstance(costs, Conditions):
        raise refuse(
            "BR904",
            "this takes costs only; the base rate is that of the cases",
            "costs=at.costs, or MovedThreshold(…, at=at)",
        )
    if costs is None:
        return 1.0 - np.eye(len(classes)), 0
    if not isinstance(costs, Costs):
        return checked_matrix(costs, len(classes)), 0
    if len(classes) != 2:
        raise refuse(
            "BR904",
            f"Costs are of two classes, and there are {len(classes)}",
            f"a matrix: {WRITE_MATRIX}",
        )
    place = (
        1
        if costs.miss == costs.false_alarm and pos_label is None
        else positive_place(classes, pos_label)
    )
    matrix = np.array([[costs.tn, costs.fp], [costs.fn, costs.tp]], dtype=np.float64)
    return matrix if place == 1 else matrix[::-1, ::-1].copy(), 1 - place


# ----------------------------------------------------------------------
# What classifiers around another one share: checked labels, the one inside fitted, its tags, its
# features, routed metadata.


def check_cases(X: Any, y: Any) -> tuple[Any, npt.NDArray[Any]]:  # noqa: N803 (scikit-learn's name)
    """Cases that can be taken one by one, and a label for each, as scikit-learn needs them."""
    labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    rows, labels = indexable(X, labels)
    return rows, labels


def with_probabilities(estimator: Any) -> Any:
    """The same, refused where it gives no probabilities."""
    if not hasattr(estimator, "predict_proba"):
        text = f"{type(estimator).__name__} gives no probabilities, and costs are weighed by them"
        raise refuse(
            "BR850", text, "CalibratedClassifierCV around it, or a threshold found empirically"
        )
    return estimator


def _gives_probabilities(self: Any) -> bool:
    # Raises AttributeError of the one inside where there are none, which hasattr turns into False.
    getattr(getattr(self, "estimator_", self.estimator), "predict_proba")  # noqa: B009
    return True


class Wrapper(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier around `estimator`, which is cloned, and fitted as `estimator_`."""

    estimator: Any
    estimator_: Any
    classes_: npt.NDArray[Any]
    several_classes = False

    def _inner_estimator(self) -> Any:
        return self.estimator

    def _fit_inside(self, X: Any, y: Any, **params: Any) -> None:  # noqa: N803
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        self._take_features(self.estimator_)

    def _take_features(self, fitted: Any) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def _route_metadata(self, params: dict[str, Any]) -> dict[str, Any]:
        """What of the metadata the estimator inside is fitted with: as it requests where routing is
        on, else everything.
        """
        if not get_config()["enable_metadata_routing"]:
            return params
        found: dict[str, Any] = dict(process_routing(self, "fit", **params).estimator.fit)
        return found

    def get_metadata_routing(self) -> Any:
        """What is given to fit goes to the fit of the estimator inside."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=self._inner_estimator(), method_mapping=mapping)
        )

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """The answer of the estimator inside."""
        check_is_fitted(self)
        found: npt.NDArray[Any] = np.asarray(self.estimator_.predict(X))
        return found

    def __sklearn_tags__(self) -> Any:
        tags, inside = super().__sklearn_tags__(), get_tags(self._inner_estimator())
        tags.classifier_tags.multi_class = (
            self.several_classes
            and inside.classifier_tags is not None
            and inside.classifier_tags.multi_class
        )
        for name in ("sparse", "pairwise", "allow_nan"):
            setattr(tags.input_tags, name, getattr(inside.input_tags, name))
        return tags


class Transparent(Wrapper):
    """One that leaves the probabilities of the estimator inside as they are."""

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The probabilities of the estimator inside, as they are: only the answer changes."""
        check_is_fitted(self)
        found: Floats = np.asarray(self.estimator_.predict_proba(X))
        return found


# ----------------------------------------------------------------------
# The answer that costs least, from the probabilities of any classifier.


class MinimumExpectedCost(Transparent):
    """A classifier of two or more classes that answers what costs least on average.

    `costs` are `Costs` (of two classes, with `pos_label` where it is not plain), or a matrix with a
    row a true class and a column an answer, in the order of `classes_`; None: every error costs 1.
    The probabilities are taken as they are, at the base rates of the training cases. Of equal costs
    the negative class, or the first. Tan, Steinbach & Kumar, eq. 5.82; Elkan 2001, IJCAI:973-978.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from baserate import Costs
    >>> from baserate_learners import MinimumExpectedCost
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> [int(MinimumExpectedCost(GaussianNB(), costs=Costs(fp=1, fn=fn)).fit(X, y).predict(X).sum()) for fn in (1, 5, 100)]
    [3, 4, 6]
    """  # noqa: E501

    several_classes = True

    def __init__(self, estimator: Any, costs: Any = None, *, pos_label: Any = None) -> None:
        self.estimator = estimator
        self.costs = costs
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, **params: Any) -> Self:  # noqa: N803 (scikit-learn's names)
        """The estimator inside is fitted; `params` are for its fit."""
        rows, labels = check_cases(X, y)
        self.cost_matrix_, self._first = matrix_of(self.costs, np.unique(labels), self.pos_label)
        self._fit_inside(rows, labels, **with_checked_weights(self._route_metadata(params), labels))
        self.classes_ = with_probabilities(self.estimator_).classes_
        check_untouched(self.estimator_, labels)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """The answer of the least expected cost."""
        check_is_fitted(self)
        found: npt.NDArray[Any] = self.classes_[
            find_cheapest(
                np.asarray(self.estimator_.predict_proba(X)), self.cost_matrix_, self._first
            )
        ]
        return found


# ----------------------------------------------------------------------
# MetaCost: training cases relabelled with the answer that costs least, and a learner that knows
# nothing of costs fitted to those.


# A bootstrap sample has no more cases: of a large data set, smaller ones do as well, and leave more
# copies to speak of a case that they did not see.
MOST_CASES = 30_000


class MetaCost(Wrapper):
    """A classifier of two or more classes, of any kind, made cost-sensitive by relabelling.

    `resamples` copies of the estimator are fitted to bootstrap samples (each class resampled by
    itself, so that none gets lost); their mean probabilities, or votes where there are none, say
    which answer costs least for each training case; a last copy is fitted to these answers. With
    `out_of_bag` (default) only copies that did not see a case speak of it, where there are such.
    `costs` as in `MinimumExpectedCost`. `relabelled_share_`: how many labels changed. `labels_`:
    what was learned; `probabilities_`: what it was derived from. It answers with labels only:
    probabilities of relabelled cases would not describe the true ones. A bootstrap sample has at
    most `max_samples` cases (a number, a share of them, or None for as many as there are), of each
    class its share. `n_jobs` copies are fitted at a time, in threads, with the same result for any
    number. Domingos 1999, KDD:155-164.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from baserate import Costs
    >>> from baserate_learners import MetaCost
    >>> X, y = [[i // 3] for i in range(30)], [0] * 12 + [0, 1, 0] * 3 + [1] * 9
    >>> [round(MetaCost(DecisionTreeClassifier(), Costs(fp=1, fn=fn)).fit(X, y).relabelled_share_, 2) for fn in (1, 5)]
    [0.2, 0.27]
    """  # noqa: E501

    several_classes = True

    def __init__(  # noqa: PLR0913 (parameters as scikit-learn has them)
        self,
        estimator: Any,
        costs: Any = None,
        *,
        resamples: int = 30,
        max_samples: float | None = MOST_CASES,
        out_of_bag: bool = True,
        pos_label: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.resamples = resamples
        self.max_samples = max_samples
        self.out_of_bag = out_of_bag
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 (scikit-learn's names)
        """The training cases relabelled, and the estimator inside fitted to them."""
        rows, labels = check_cases(X, y)
        text = "resamples are a whole number from 1 on"
        checked_whole(self.resamples, "BR580", text, "resamples=30")
        classes, codes = np.unique(labels, return_inverse=True)
        check_two_classes(classes)
        matrix, first = matrix_of(self.costs, classes, self.pos_label)
        self.probabilities_ = self._mean_probabilities(rows, labels, codes)
        self.labels_ = classes[find_cheapest(self.probabilities_, matrix, first)]
        self.relabelled_share_ = float(np.mean(self.labels_ != labels))
        self._fit_relabelled(rows)
        self.classes_ = classes
        return self

    def _fit_relabelled(self, X: Any) -> None:  # noqa: N803
        if len(np.unique(self.labels_)) > 1:
            self._fit_inside(X, self.labels_)
        # one answer for all is the cheapest, and most learners refuse to be told so; n_features_in_
        # is that of the last copy
        else:
            self.estimator_ = DummyClassifier(strategy="most_frequent").fit(X, self.labels_)

    def _mean_probabilities(self, X: Any, labels: npt.NDArray[Any], codes: Ints) -> Floats:  # noqa: N803
        """The mean over the copies that may speak of a case; of one that all have seen, over
        all.
        """
        random, cases = check_random_state(self.random_state), len(codes)
        share = _share_drawn(self.max_samples, cases)
        total, spoke = np.zeros((2, cases, codes.max() + 1)), np.zeros((2, cases))

        def fitted_to(copy: Any, rows: npt.NDArray[Any]) -> tuple[Any, Floats, npt.NDArray[Any]]:
            fitted = copy.fit(_safe_indexing(X, rows), _safe_indexing(labels, rows))
            return fitted, _shares_or_votes(fitted, X, total.shape[2]), rows

        drawn = (
            (_draw_rows(codes, share, random), _set_seeds(clone(self.estimator), random))
            for _ in range(self.resamples)
        )
        copies = Parallel(self.n_jobs, prefer="threads", return_as="generator")(
            delayed(fitted_to)(copy, rows) for rows, copy in drawn
        )
        for fitted, found, rows in copies:
            unseen = np.ones(cases, dtype=np.bool_)
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


def _share_drawn(most: float | None, cases: int) -> Fraction:
    """How many of the cases a bootstrap sample has, as a share of them."""
    if most is None:
        return Fraction(1)
    whole = isinstance(most, int | np.integer) and not isinstance(most, bool)
    if whole and most >= 1:
        return min(Fraction(1), Fraction(int(most), cases))
    if isinstance(most, float) and 0 < most <= 1:
        return Fraction(most)
    raise refuse(
        "BR580",
        f"max_samples is a whole number of cases from 1, a share, or None, got {quoted(most)}",
        f"max_samples={MOST_CASES}",
    )


def _draw_rows(codes: Ints, share: Fraction, random: np.random.RandomState) -> npt.NDArray[Any]:
    """So large a share of the rows of each class, one at least, drawn with replacement."""
    parts = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    sizes = [max(1, round(len(part) * share)) for part in parts]
    return np.concatenate(
        [random.choice(part, size) for part, size in zip(parts, sizes, strict=True)]
    )


def _set_seeds(estimator: Any, random: np.random.RandomState) -> Any:
    """The same with seeds of its own, wherever it takes one."""
    names = sorted(
        name
        for name in estimator.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    )
    return estimator.set_params(**{name: random.randint(np.iinfo(np.int32).max) for name in names})


def _shares_or_votes(fitted: Any, X: Any, classes: int) -> Floats:  # noqa: N803
    """Probabilities of every class, or votes. Every copy has seen every class, so the columns are
    those of all.
    """
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(X), dtype=np.float64)
    votes: Floats = np.eye(classes)[np.searchsorted(fitted.classes_, fitted.predict(X))]
    return votes


# ----------------------------------------------------------------------
# A threshold moved to where costs and base rate put it: in theory, or on cases that the learner did
# not see.


THEORETICAL, EMPIRICAL = "theoretical", "empirical"
METHODS = (THEORETICAL, EMPIRICAL)


class MovedThreshold(Transparent):
    """A classifier of two classes whose threshold lies where the base rate and costs `at` put it.

    "theoretical": flagged is what has a probability *above* t = (fp − tn) / ((fp − tn) + (fn −
    tp)), once it is corrected from the base rate at which it is calibrated to that of `at`.
    `calibrated_at` is that base rate, or "sample" for the share of positives among the training
    cases; it must be said where `at` has a base rate of its own, unless the estimator knows it
    (`calibrated_at_`). `cut_` holds both cuts: on the score as it is (`threshold_`) and on the
    corrected probability.

    "empirical": flagged is what scores `threshold_` or more, the cheapest threshold (a corner of
    the ROC hull) on the pooled scores of `cv` folds, each scored by a learner that did not see it.
    `point_` is that operating point, `folds_` are the counts. Needs no calibration, only cases.

    Elkan 2001, IJCAI:973-978; Tan, Steinbach & Kumar, §5.7.3; Provost & Fawcett 2001, Machine
    Learning 42:203-231.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from baserate import Conditions, Costs
    >>> from baserate_learners import MovedThreshold
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
        (rows, labels), at = check_cases(X, y), checked_conditions(self.at)
        if self.method not in METHODS:
            raise refuse(
                "BR905",
                f"a method is {' or '.join(map(quoted, METHODS))}; got {quoted(self.method)}",
                f"method={THEORETICAL!r}",
            )
        found, routed = (
            find_sides(labels, at, self.pos_label),
            with_checked_weights(self._route_metadata(params), labels),
        )
        self._place, share = found.place, found.weighted_share(routed.get(WEIGHT))
        if self.method == EMPIRICAL:
            self._find_threshold(rows, labels, found, at, routed)
            self._fit_inside(rows, labels, **routed)
        else:
            self._fit_inside(rows, labels, **routed)
            self._derive_threshold(with_probabilities(self.estimator_), share, at)
        self.classes_ = found.classes
        return self

    def _find_threshold(
        self,
        X: Any,  # noqa: N803
        labels: Any,
        found: Sides,
        at: Conditions,
        params: dict[str, Any],
    ) -> None:
        if self.calibrated_at is not None:
            raise refuse(
                "BR905",
                "an empirical threshold needs no calibration, and would ignore calibrated_at",
                "leave calibrated_at out",
            )
        positive = found.classes.tolist()[found.place]
        self.folds_ = count_folds(
            self.estimator, X, labels, cv=self.cv, pos_label=positive, params=params
        )
        self.point_ = choose(self.folds_.total(), at=at)
        self.threshold_ = (
            float("inf") if self.point_.threshold is None else float(self.point_.threshold)
        )

    def _derive_threshold(self, fitted: Any, share: Fraction, at: Conditions) -> None:
        trained = calibrated_at(fitted, self.calibrated_at, share, self._place)
        if trained is None and not at.as_in_sample and at.exact_prior != share:
            text = (
                f"at which base rate are the probabilities calibrated? {float(share):.6g} of the"
                " training cases are positive"
            )
            raise refuse(
                "BR507", text, f"calibrated_at={SAMPLE!r}, where nothing was resampled or weighted"
            )
        trained = share if trained is None else trained
        self._meant, self._trained = at.within(share), trained
        self.cut_ = self._meant.cut(trained)
        self.threshold_ = self.cut_.score

    def predict(self, X: Any, amounts: Any = None) -> npt.NDArray[Any]:  # noqa: N803
        """Positive where the score lies beyond the threshold; with `amounts` the amount of each
        case is what missing it costs.

        Then flagged is what has an expected loss above the expected nuisance: p · (amount − tp) >
        (1 − p) · (fp − tn).
        """
        check_is_fitted(self)
        kind = PROBABILITY if self.method == THEORETICAL else None
        scores = response(
            self.estimator_, X, pos_label=self.classes_.tolist()[self._place], kind=kind
        ).scores
        if amounts is not None:
            flagged = scores > self._cuts_by_amount(checked_amounts(amounts, len(scores)))
        elif self.method == THEORETICAL:
            flagged = scores > self.threshold_
        else:
            flagged = scores >= self.threshold_
        found: npt.NDArray[Any] = self.classes_[np.where(flagged, self._place, 1 - self._place)]
        return found

    def _cuts_by_amount(self, amounts: Floats) -> Floats:
        """The cut of each case on the score as it is; above 1 where it is better missed than
        caught.
        """
        if self.method != THEORETICAL:
            raise refuse(
                "BR905",
                "an empirical threshold is the same for all cases, whatever their amounts",
                f"method={THEORETICAL!r}",
            )
        costs, prior = self._meant.costs, self._meant.exact_prior
        shift = self._trained / (1 - self._trained) / (prior / (1 - prior))
        nuisance, loss = float(costs.false_alarm * shift), amounts - float(costs.tp)
        return np.where(loss > 0, nuisance / (nuisance + np.maximum(loss, 0.0)), 2.0)


# ----------------------------------------------------------------------
# Training cases weighed by what they cost, for any estimator that takes weights.


class CostWeighted(Transparent):
    """A classifier of two classes whose training cases weigh what getting them wrong costs
    (`cost_weights`).

    Its probabilities are calibrated at the weighted base rate `calibrated_at_`, where cutting at
    1/2 is cutting at the threshold of the costs: `MovedThreshold` and `correct_probabilities(…,
    calibrated_at=…)` take them back. With `amounts` there is no such base rate, nor is it known
    where the estimator weighs classes of its own accord (class_weight), and it is None. Elkan 2001,
    IJCAI:973-978; Zadrozny, Langford & Abe 2003, ICDM.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from baserate import Conditions, Costs
    >>> from baserate_learners import CostWeighted
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 0, 0, 1, 1]
    >>> weighted = CostWeighted(LogisticRegression(), Conditions(costs=Costs(fp=1, fn=10))).fit(X, y)
    >>> weighted.predict(X), round(weighted.calibrated_at_, 4)
    (array([0, 0, 1, 1, 1, 1]), 0.8333)
    """  # noqa: E501

    def __init__(
        self, estimator: Any, at: Conditions | None = None, *, pos_label: Any = None
    ) -> None:
        self.estimator = estimator
        self.at = at
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, amounts: Any = None) -> Self:  # noqa: N803 (scikit-learn's names)
        """The estimator inside is fitted to weighted cases; `amounts`: what missing each positive
        costs, in place of fn.
        """
        rows, labels = check_cases(X, y)
        found = find_sides(labels, self.at, self.pos_label)
        if not has_fit_parameter(self.estimator, "sample_weight"):
            text = f"{type(self.estimator).__name__} takes no weights in fit"
            raise refuse(
                "BR850", text, "an estimator with sample_weight; of a pipeline, wrap its last step"
            )
        weights = weights_of(costs_of_errors(found, self.at, amounts))
        self._fit_inside(rows, labels, sample_weight=weights)
        prior = (
            None
            if amounts is not None
            else prior_after_fitting(self.estimator_, found.weighted_share(weights), found.place)
        )
        self.calibrated_at_, self.place_ = None if prior is None else float(prior), found.place
        self.classes_ = found.classes
        return self
