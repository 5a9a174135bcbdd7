"""Stand-ins for Weka's learners: naive Bayes for mixed attributes, a linear machine with hard
labels, three neighbours; the tree is in `trees`.

Each takes training cases, their classes and cases to score. A nominal attribute has `sizes` values,
coded from 0; a numeric one has size 0; NaN is a missing value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from baserate.extend import needed
from baserate_studies.arrays import Floats
from baserate_studies.weng.trees import tree_scores

Flags = npt.NDArray[np.bool_]
LEAST = 1e-75  # no attribute alone makes a class less likely than that, as in Weka
NEIGHBOURS = 3
PRECISION = 0.01  # of an attribute with one value only


def bayes_scores(train: Floats, target: Flags, test: Floats, sizes: Sequence[int]) -> Floats:
    """The log odds of naive Bayes: a normal density for a number, Laplace's rule for a nominal
    value; what is missing says nothing.
    """
    odds = np.full(len(test), np.log((target.sum() + 1) / ((~target).sum() + 1)))
    for column, size in enumerate(sizes):
        parts = [
            _density(train[of_class, column], train[:, column], test[:, column], size)
            for of_class in (target, ~target)
        ]
        likely = [np.log(np.maximum(part, LEAST)) for part in parts]
        odds += np.where(np.isnan(test[:, column]), 0.0, likely[0] - likely[1])
    return odds


def _density(values: Floats, every: Floats, at: Floats, size: int) -> Floats:
    known = values[~np.isnan(values)]
    if size:
        counts = np.bincount(known.astype(np.intp), minlength=size) + 1.0
        found: Floats = (counts / counts.sum())[np.nan_to_num(at).astype(np.intp)]
        return found
    return _normal(known, every[~np.isnan(every)], np.nan_to_num(at))


def _normal(known: Floats, every: Floats, at: Floats) -> Floats:
    """The probability of the interval that a rounded number stands for: as wide as distinct values
    are apart on average.
    """
    from scipy.special import ndtr

    gaps = np.diff(np.unique(every))
    width = float(gaps.mean()) if len(gaps) else PRECISION
    known, at = np.rint(known / width) * width, np.rint(at / width) * width
    mean = float(known.mean()) if len(known) else 0.0
    deviation = max(float(known.std()) if len(known) else 0.0, width / 6)
    found: Floats = ndtr((at - mean + width / 2) / deviation) - ndtr(
        (at - mean - width / 2) / deviation
    )
    return found


def machine_scores(train: Floats, target: Flags, test: Floats, sizes: Sequence[int]) -> Floats:
    """The hard labels of a linear support vector machine, C = 1, on attributes scaled to 0…1; what
    is missing becomes the mean or the mode.
    """
    svm = needed("sklearn.svm", "learners")
    both = np.concatenate((train, test))
    columns = [
        part
        for column, size in enumerate(sizes)
        for part in _scaled(both[:, column], len(train), size)
    ]
    x = np.stack(columns, axis=1)
    found: Floats = (
        svm.SVC(kernel="linear", C=1.0)
        .fit(x[: len(train)], target)
        .predict(x[len(train) :])
        .astype(np.float64)
    )
    return found


def _scaled(values: Floats, trained: int, size: int) -> list[Floats]:
    """A numeric column scaled by the training cases; a nominal one as one column a value, or a
    single one of two values.
    """
    known = values[:trained][~np.isnan(values[:trained])]
    if size:
        common = float(np.bincount(known.astype(np.intp), minlength=size).argmax())
        codes = np.where(np.isnan(values), common, values)
        return (
            [codes] if size == 2 else [(codes == value).astype(np.float64) for value in range(size)]
        )
    filled = np.where(np.isnan(values), known.mean() if len(known) else 0.0, values)
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    return [(filled - low) / (high - low) if high > low else np.zeros(len(values))]


def neighbour_scores(train: Floats, target: Flags, test: Floats, sizes: Sequence[int]) -> Floats:
    """The share of positives among the three nearest cases; every case as near as the third votes,
    and each class has 1/n of a vote more.
    """
    squares = np.zeros((len(test), len(train)))
    for column, size in enumerate(sizes):
        squares += _apart(train[:, column], test[:, column], size) ** 2
    third = np.partition(squares, NEIGHBOURS - 1, axis=1)[:, [NEIGHBOURS - 1]]
    votes = squares <= third
    more = 1 / len(train)
    found: Floats = (votes[:, target].sum(axis=1) + more) / (votes.sum(axis=1) + 2 * more)
    return found


def _apart(train: Floats, test: Floats, size: int) -> Floats:
    """How far apart cases are in one attribute: 0 or 1 of nominal values; a missing value is as far
    away as it can be.
    """
    if size:
        differs = test[:, None] != train[None, :]
        found: Floats = differs.astype(np.float64)  # NaN differs from everything, also from NaN
        return found
    known = train[~np.isnan(train)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    one, other = (
        (values - low) / (high - low) if high > low else np.zeros(len(values)) * values
        for values in (test, train)
    )
    gap = np.abs(one[:, None] - other[None, :])
    alone = np.where(
        np.isnan(one)[:, None], other[None, :], one[:, None]
    )  # the one of the two that is known
    farthest = np.where(np.isnan(alone), 1.0, np.maximum(alone, 1 - alone))
    return np.where(np.isnan(gap), farthest, gap)


STAND_INS: dict[str, Callable[[Floats, Flags, Floats, Sequence[int]], Floats]] = {
    "nb": bayes_scores,
    "j48": tree_scores,
    "smo": machine_scores,
    "3nn": neighbour_scores,
}
