"""`response`, `count_estimator`, `count_folds` and `scorer`: scores and counts of scikit-learn
estimators and of their folds, and any measure as a scikit-learn scorer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.curves.summaries import summary_named
from baserate.decisions.rules import parse_rule
from baserate.errors import Note, quoted, refuse
from baserate.inference.statistic import Statistic, statistic_of
from baserate.measures.confusion import measure as read_measure
from baserate.measures.confusion import named
from baserate.numbers import Floats
from baserate.read.cases import (
    SCORE,
    as_weights,
    cases_of_arrays,
    count_arrays,
    count_groups,
    decide,
)
from baserate.read.columns import Column, as_column, check_lengths
from baserate.read.table import needed

# ----------------------------------------------------------------------
# Continuous scores from any fitted estimator: what it gives, for the class that is positive.


PROBABILITY, DECISION, LABELS = "predict_proba", "decision_function", "predict"
KINDS = (PROBABILITY, DECISION, LABELS)


class Response(NamedTuple):
    """A score for each case (higher means more likely positive), how it was had, of which class,
    and what was assumed.

    `corrected` is what the estimator itself multiplied the odds by, as a fraction ("1/9"), where it
    was fitted to a sample; otherwise empty.
    """

    scores: Floats
    kind: str
    positive: Any
    classes: tuple[Any, ...]
    notes: tuple[Note, ...] = ()
    corrected: str = ""


def response(estimator: Any, X: Any, *, pos_label: Any = None, kind: str | None = None) -> Response:  # noqa: N803 (scikit-learn's name)
    """Which score does a fitted classifier give each case, for the positive class?

    The first of `predict_proba` (trees: the share of positives in the leaf; nearest neighbours:
    among the neighbours; Bayes: the posterior), `decision_function` (SVM: the signed distance;
    boosting: the sum of votes) and `predict` (rules, hard labels: 1 or 0, one operating point) that
    it has; `kind` names another. Pipelines are used as a whole. Which class is positive is decided
    as for labels: 0/1, bools and documented pairs speak for themselves, anything else needs
    `pos_label`; of several classes it is taken against the rest. Tan, Steinbach & Kumar, §5.7.2.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from baserate import response
    >>> tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    >>> response(tree, [[0], [3]]).scores.round(3), response(tree, [[0], [3]]).kind
    (array([0.   , 0.667]), 'predict_proba')
    """
    if kind is not None and kind not in KINDS:
        raise refuse(
            "BR850",
            f"a response is {', '.join(map(quoted, KINDS))}; got {quoted(kind)}",
            f"kind={PROBABILITY!r}",
        )
    asked = (
        next((name for name in KINDS if hasattr(estimator, name)), None) if kind is None else kind
    )
    name = type(estimator).__name__
    if asked is None or not hasattr(estimator, asked):
        raise refuse(
            "BR850",
            f"{name} has no {asked or 'way to answer'}",
            "a classifier with predict_proba, decision_function or predict",
        )
    given = getattr(estimator, asked)(
        X
    )  # before classes_, so that one that is not fitted says so itself
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        raise refuse(
            "BR850",
            f"{name} has no classes, so it is not a classifier",
            "a classifier, or count its numbers with count(y, scores)",
        )
    place, positive, notes = positive_place(np.asarray(classes), pos_label)
    values = np.asarray(given)
    if asked == LABELS:
        scores = (values == np.asarray(classes)[place]).astype(np.float64)
    elif values.ndim == 2:
        scores = values[:, place].astype(np.float64)
    else:  # of two classes, the second is the side above 0
        scores = values.astype(np.float64) * (1.0 if place == 1 else -1.0)
    mark = _corrected(estimator, place) if asked == PROBABILITY else ""
    return Response(scores, asked, positive, tuple(np.asarray(classes).tolist()), notes, mark)


def _corrected(estimator: Any, place: int) -> str:
    """The mark of an estimator that corrects its own scores, also at the end of a pipeline or
    inside a search; turned for the other class.
    """
    inner = getattr(estimator, "best_estimator_", None) or (
        estimator[-1] if hasattr(estimator, "steps") else None
    )
    if inner is not None:
        return _corrected(inner, place)
    mark: str = getattr(estimator, "corrected_", "")
    return (
        str(1 / Fraction(mark)) if mark and place != getattr(estimator, "place_", place) else mark
    )


def positive_place(classes: Any, pos_label: Any) -> tuple[int, Any, tuple[Note, ...]]:
    """The place of the positive class among those that the estimator knows."""
    if len(classes) > 2 and pos_label is not None:
        places, notes = np.flatnonzero(classes == pos_label), tuple[Note, ...]()
    else:
        decision = decide(as_column(classes, "classes_"), pos_label)
        places, notes = np.flatnonzero(decision.positive), decision.notes
    if len(places) != 1:
        known = ", ".join(quoted(value) for value in classes.tolist()[:5])
        raise refuse(
            "BR850",
            f"the estimator does not know the positive class; it knows {known}",
            "fit it to cases of both classes",
        )
    return int(places[0]), classes.tolist()[places[0]], notes


# ----------------------------------------------------------------------
# Counts of an estimator: on cases that it did not see, or fold by fold.


WEIGHT = "sample_weight"


def checked_weights(weights: Any, labels: npt.NDArray[Any]) -> Floats:
    """One weight per case: finite, 0 or more, and together no more than floats can hold."""
    column = as_column(weights, WEIGHT)
    check_lengths((Column("y", labels), column))
    found = as_weights(column)
    with np.errstate(over="ignore"):
        if found.sum() == np.inf:
            raise refuse("BR303", "the total weight overflows", "scale the weights down")
    return found


def count_estimator(
    estimator: Any,
    X: Any,  # noqa: N803 (scikit-learn's name)
    y: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    kind: str | None = None,
) -> Counts:
    """How many positives and negatives get each score from a fitted estimator?

    >>> from sklearn.linear_model import LogisticRegression
    >>> from baserate import count_estimator
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> count_estimator(LogisticRegression().fit(X, y), X, y)
    Counts: 3 positives, 3 negatives, 6 distinct scores, prior 0.500
    """
    found = response(estimator, X, pos_label=pos_label, kind=kind)
    counts = count_arrays(_labels(y, found), found.scores, sample_weight=sample_weight)
    return Counts._of(
        counts._cells, replace(counts.ledger, corrected=found.corrected), counts._recorded
    )


def _labels(y: Any, found: Response) -> npt.NDArray[np.bool_]:
    """Which of these labels are positive; each must be one that the estimator knows, and one class
    may be missing here.
    """
    labels = np.asarray(y)
    strange = np.flatnonzero(~np.isin(labels, found.classes))
    if len(strange):
        known = ", ".join(map(quoted, found.classes[:5]))
        text = f"y holds {quoted(labels[strange[0]].item())}, and the estimator knows {known}"
        raise refuse(
            "BR850", text, "labels as the estimator was fitted to", strange[:3], len(strange)
        )
    return np.asarray(labels == found.positive, dtype=np.bool_)


def count_folds(  # noqa: PLR0913
    estimator: Any,
    X: Any,  # noqa: N803 (scikit-learn's name)
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    pos_label: Any = None,
    kind: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> GroupedCounts:
    """How many positives and negatives get each score in each fold, from a learner that was trained
    on the others?

    `estimator` is cloned and fitted for each split of `cv` (a number: stratified folds; or a
    splitter, with `groups` for those that need them). `params` go to fit, what is a case's own with
    the case; `sample_weight` among them weighs the counts as well. Folds are numbered from 0. The
    scores of two folds come from two models: `fold_mean` and `average_curve` keep them apart,
    `.total()` pools them. An estimator that corrects its own scores (`Resampled`) marks the counts;
    the mark of folds is that of the first.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from baserate import count_folds
    >>> X, y = [[i] for i in range(20)], [0] * 10 + [1] * 10
    >>> count_folds(LogisticRegression(), X, y, cv=2)[0]
    Counts: 5 positives, 5 negatives, 10 distinct scores, prior 0.500
    """
    base, selection, indexing, checks = (
        needed(f"sklearn.{part}", "learners")
        for part in ("base", "model_selection", "utils", "utils.validation")
    )
    take = indexing._safe_indexing
    splitter = selection.check_cv(cv, y, classifier=True)
    labels, scores, folds, weights, marks = (
        list[Any](),
        list[Any](),
        list[Any](),
        list[Any](),
        list[str](),
    )
    given = dict(params or {})
    if given.get(WEIGHT) is not None:
        given[WEIGHT] = checked_weights(given[WEIGHT], np.asarray(y))
    for fold, (train, test) in enumerate(splitter.split(X, y, groups)):
        fitted = base.clone(estimator).fit(
            take(X, train), take(y, train), **checks._check_method_params(X, given, indices=train)
        )
        found = response(fitted, take(X, test), pos_label=pos_label, kind=kind)
        labels.append(_labels(take(y, test), found))
        scores.append(found.scores)
        folds.append(np.full(len(test), fold))
        weights.append(None if given.get(WEIGHT) is None else given[WEIGHT][test])
        marks.append(found.corrected)
    if not folds:
        raise refuse("BR850", "the splitter gives no folds", "cv=5")
    heavy = None if weights[0] is None else np.concatenate(weights)
    cases = cases_of_arrays(
        np.concatenate(labels),
        {SCORE: np.concatenate(scores)},
        beside={"group": as_column(np.concatenate(folds), "folds")},
        sample_weight=heavy,
    )
    counts = count_groups(cases, SCORE)
    return GroupedCounts._of(
        counts.groups,
        counts.offsets,
        counts._cells,
        replace(counts.ledger, corrected=marks[0]),
        counts._recorded,
        "fold",
    )


# ----------------------------------------------------------------------
# Scorers: any measure or summary, under any rule, at any base rate and cost, where scikit-learn
# asks for `scoring`.


# What a tuner of thresholds sees where a rule is broken: finite, as it averages and interpolates,
# and below anything that is kept.
BROKEN = -1e9


@dataclass(frozen=True)
class Scorer:
    """`scorer(estimator, X, y)`: higher is better, so what should be low is negated; NaN where it
    is undefined or no threshold satisfies the rule.

    In `TunedThresholdClassifierCV` the threshold is the tuner's: the measure is read where it
    flags, and a rule that is broken there counts as -1e9.
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
        counts = count_estimator(
            estimator, X, y, pos_label=self.pos_label, sample_weight=sample_weight, kind=self.kind
        )
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
            raise refuse(
                "BR850",
                f"{self.name} has no threshold to be tuned",
                'a measure: scorer("expected_cost", at=…)',
            )
        labels, answers = np.asarray(y_true), np.asarray(y_pred)
        decision = decide(as_column(np.concatenate((labels, answers)), "y"), pos_label)
        truth, flags = (
            decision.positive[: len(labels)],
            decision.positive[len(labels) :].astype(np.int64),
        )
        counts = count_arrays(truth, flags)
        for term in parse_rule(self.rule, self.volume).terms:
            value = float(read_measure(counts, term.measure, threshold=1, at=self.at))
            # Both are rounded once, so that a limit that is met exactly is met here too.
            if not (
                value >= float(term.limit) if term.sense == ">=" else value <= float(term.limit)
            ):
                return self._sign * BROKEN
        value = float(read_measure(counts, named(self.name, self.volume), threshold=1, at=self.at))
        return self._sign * BROKEN if math.isnan(value) else value

    def get_metadata_routing(self) -> Any:
        """No metadata is requested."""
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

    A summary ("auc", "h_measure", "average_precision"), or a measure: at a `threshold`, or at the
    cheapest one that keeps the `rule`, chosen on the very cases that are scored. Read at the base
    rate and costs `at`. Higher is better: costs come negated.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from baserate import Conditions, Costs
    >>> from baserate import scorer
    >>> X, y = [[i % 7] for i in range(60)], [int(i % 7 > 3) for i in range(60)]
    >>> cost = scorer("expected_cost", at=Conditions(prior=0.01, costs=Costs(fp=1, fn=50)))
    >>> cross_val_score(LogisticRegression(), X, y, scoring=cost, cv=2).tolist()
    [0.0, 0.0]
    """
    return Scorer(name, rule, threshold, at, volume, pos_label, kind)
