"""Counts of an estimator: on cases that it did not see, or fold by fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.counts import Counts
from baserate.engines.arrays import count, count_groups
from baserate.engines.extras import needed
from baserate.errors import quoted, refuse
from baserate.grouped import GroupedCounts
from baserate.learners.case_weights import WEIGHT, checked_weights
from baserate.learners.responses import Response, response


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
    >>> from baserate.learners import count_estimator
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> count_estimator(LogisticRegression().fit(X, y), X, y)
    Counts: 3 positives, 3 negatives, 6 distinct scores, prior 0.500
    """
    found = response(estimator, X, pos_label=pos_label, kind=kind)
    counts = count(_labels(y, found), found.scores, sample_weight=sample_weight)
    return Counts._of(counts._cells, replace(counts.ledger, corrected=found.corrected), counts._recorded)


def _labels(y: Any, found: Response) -> npt.NDArray[np.bool_]:
    """Which of these labels are positive; each must be one that the estimator knows, and one class may be missing here."""
    labels = np.asarray(y)
    strange = np.flatnonzero(~np.isin(labels, found.classes))
    if len(strange):
        known = ", ".join(map(quoted, found.classes[:5]))
        text = f"y holds {quoted(labels[strange[0]].item())}, and the estimator knows {known}"
        raise refuse("BR850", text, "labels as the estimator was fitted to", strange[:3], len(strange))
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
    """How many positives and negatives get each score in each fold, from a learner that was trained on the others?

    `estimator` is cloned and fitted for each split of `cv` (a number: stratified folds; or a splitter, with `groups` for those that need
    them). `params` go to fit, what is a case's own with the case; `sample_weight` among them weighs the counts as well. Folds are numbered
    from 0. The scores of two folds come from two models: `fold_mean` and `average_curve` keep them apart, `.total()` pools them.
    An estimator that corrects its own scores (`Resampled`) marks the counts; the mark of folds is that of the first.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from baserate.learners import count_folds
    >>> X, y = [[i] for i in range(20)], [0] * 10 + [1] * 10
    >>> count_folds(LogisticRegression(), X, y, cv=2)[0]
    Counts: 5 positives, 5 negatives, 10 distinct scores, prior 0.500
    """
    base, selection, indexing, checks = (
        needed(f"sklearn.{part}", "learners") for part in ("base", "model_selection", "utils", "utils.validation")
    )
    take = indexing._safe_indexing
    splitter = selection.check_cv(cv, y, classifier=True)
    labels, scores, folds, weights, marks = list[Any](), list[Any](), list[Any](), list[Any](), list[str]()
    given = dict(params or {})
    if given.get(WEIGHT) is not None:
        given[WEIGHT] = checked_weights(given[WEIGHT], np.asarray(y))
    for fold, (train, test) in enumerate(splitter.split(X, y, groups)):
        fitted = base.clone(estimator).fit(take(X, train), take(y, train), **checks._check_method_params(X, given, indices=train))
        found = response(fitted, take(X, test), pos_label=pos_label, kind=kind)
        labels.append(_labels(take(y, test), found))
        scores.append(found.scores)
        folds.append(np.full(len(test), fold))
        weights.append(None if given.get(WEIGHT) is None else given[WEIGHT][test])
        marks.append(found.corrected)
    if not folds:
        raise refuse("BR850", "the splitter gives no folds", "cv=5")
    heavy = None if weights[0] is None else np.concatenate(weights)
    counts = count_groups(np.concatenate(labels), np.concatenate(scores), groups=np.concatenate(folds), sample_weight=heavy)
    return GroupedCounts._of(counts.groups, counts.offsets, counts._cells, replace(counts.ledger, corrected=marks[0]), counts._recorded)
