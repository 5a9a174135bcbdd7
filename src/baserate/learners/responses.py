"""Continuous scores from any fitted estimator: what it gives, for the class that is positive."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.engines.columns import as_column
from baserate.engines.labels import decide
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.notes import Note

PROBABILITY, DECISION, LABELS = "predict_proba", "decision_function", "predict"
KINDS = (PROBABILITY, DECISION, LABELS)


class Response(NamedTuple):
    """A score for each case (higher means more likely positive), how it was had, of which class, and what was assumed.

    `corrected` is what the estimator itself multiplied the odds by, as a fraction ("1/9"), where it was fitted to a sample; otherwise empty.
    """

    scores: Floats
    kind: str
    positive: Any
    classes: tuple[Any, ...]
    notes: tuple[Note, ...] = ()
    corrected: str = ""


def response(estimator: Any, X: Any, *, pos_label: Any = None, kind: str | None = None) -> Response:  # noqa: N803 (scikit-learn's name)
    """Which score does a fitted classifier give each case, for the positive class?

    The first of `predict_proba` (trees: the share of positives in the leaf; nearest neighbours: among the neighbours; Bayes: the posterior),
    `decision_function` (SVM: the signed distance; boosting: the sum of votes) and `predict` (rules, hard labels: 1 or 0, one operating point)
    that it has; `kind` names another. Pipelines are asked as a whole. Which class is positive is decided as for labels: 0/1, bools and
    documented pairs speak for themselves, anything else needs `pos_label`; of several classes it is
    taken against the rest. Tan, Steinbach & Kumar, §5.7.2.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from baserate.learners import response
    >>> tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    >>> response(tree, [[0], [3]]).scores.round(3), response(tree, [[0], [3]]).kind
    (array([0.   , 0.667]), 'predict_proba')
    """
    if kind is not None and kind not in KINDS:
        raise refuse("BR850", f"a response is {', '.join(map(quoted, KINDS))}; got {quoted(kind)}", f"kind={PROBABILITY!r}")
    asked = next((name for name in KINDS if hasattr(estimator, name)), None) if kind is None else kind
    name = type(estimator).__name__
    if asked is None or not hasattr(estimator, asked):
        raise refuse("BR850", f"{name} has no {asked or 'way to answer'}", "a classifier with predict_proba, decision_function or predict")
    given = getattr(estimator, asked)(X)  # before classes_, so that one that is not fitted says so itself
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        raise refuse("BR850", f"{name} has no classes: it is no classifier", "a classifier, or count its numbers with count(y, scores)")
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
    """The mark of an estimator that corrects its own scores, also at the end of a pipeline or inside a search; turned for the other class."""
    inner = getattr(estimator, "best_estimator_", None) or (estimator[-1] if hasattr(estimator, "steps") else None)
    if inner is not None:
        return _corrected(inner, place)
    mark: str = getattr(estimator, "corrected_", "")
    return str(1 / Fraction(mark)) if mark and place != getattr(estimator, "place_", place) else mark


def positive_place(classes: Any, pos_label: Any) -> tuple[int, Any, tuple[Note, ...]]:
    """The place of the positive class among those that the estimator knows."""
    if len(classes) > 2 and pos_label is not None:
        places, notes = np.flatnonzero(classes == pos_label), tuple[Note, ...]()
    else:
        decision = decide(as_column(classes, "classes_"), pos_label)
        places, notes = np.flatnonzero(decision.positive), decision.notes
    if len(places) != 1:
        known = ", ".join(quoted(value) for value in classes.tolist()[:5])
        raise refuse("BR850", f"the estimator does not tell the positive class apart: it knows {known}", "fit it to cases of both classes")
    return int(places[0]), classes.tolist()[places[0]], notes
