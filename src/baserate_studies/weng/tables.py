"""Table 3 of Weng & Poon as printed, and made again: AUC and weighted AUC of every fold's own ROC,
then their mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from baserate import Counts, Points, auc
from baserate.curves import weighted_auc

ALPHA = 0.1
LEARNERS = ("nb", "j48", "smo", "3nn")
# AUC of nb, j48, smo and 3nn, then the weighted AUC of the same.
PRINTED = """
anneal-1: .99 .64 .94 .82  .90 .61 .85 .75
anneal-2: .97 1 .97 .89  .97 .90 .88 .86
anneal-5: 1 .99 1 1  .98 .89 .90 .90
audiology-age: .98 .98 .95 .92  .96 .89 .86 .89
audiology-age_and_noise: .99 .96 .92 .63  .94 .87 .84 .60
audiology-cochlear_unknow: .91 .92 .89 .81  .89 .88 .82 .78
audiology-poss-noise: .98 .78 .90 .87  .94 .73 .83 .81
autos-2: .65 .81 .63 .81  .64 .77 .63 .78
balance-scale-B: .33 .50 .50 .35  .33 .50 .50 .35
balance-scale-L: .99 .84 .92 .98  .99 .81 .83 .97
balance-scale-R: .99 .84 .92 .98  .99 .81 .83 .97
breast-cancer: .70 .61 .58 .64  .69 .60 .58 .63
cleveland-heart-50_1: .91 .77 .83 .85  .90 .73 .77 .81
credit-rating: .90 .89 .86 .75  .89 .88 .78 .72
german_credit: .79 .65 .67 .61  .78 .63 .65 .60
Glass-buildwindfloat: .76 .81 .57 .87  .75 .78 .58 .82
Glass-buildwindnonfloat: .70 .76 .50 .84  .69 .73 .50 .80
heart-statlog: .90 .79 .83 .84  .89 .76 .77 .79
hepatitis: .86 .67 .77 .76  .83 .64 .73 .74
horse-colic.ORIG: .79 .50 .71 .61  .78 .50 .68 .59
"""


class Areas(NamedTuple):
    """Means over the folds: AUC, the weighted AUC as published, and the same of strips of equal
    height.
    """

    auc: float
    weighted: float
    strips: float


Cells = dict[tuple[str, str], Areas]


def published() -> dict[tuple[str, str], tuple[float, float]]:
    """AUC and weighted AUC of each problem and learner."""
    found = {}
    for line in PRINTED.strip().splitlines():
        problem, _, words = line.partition(":")
        numbers = [float(word) for word in words.split()]
        found.update(
            {
                (problem, name): pair
                for name, pair in zip(
                    LEARNERS, zip(numbers[:4], numbers[4:], strict=True), strict=True
                )
            }
        )
    return found


PROBLEMS = tuple(dict.fromkeys(problem for problem, _ in published()))


def areas(folds: Iterable[Counts], alpha: float = ALPHA) -> Areas:
    """The three areas, each the mean over the folds that have cases of both classes."""
    every = [
        areas_of(counts, alpha)
        for counts in folds
        if counts.total_positives and counts.total_negatives
    ]
    return Areas(*(float(column) for column in np.mean(every, axis=0)))


def areas_of(counts: Counts | Points, alpha: float = ALPHA) -> Areas:
    """The three areas of one ROC."""
    points = Points.of(counts)
    plain = (
        float(auc(counts)) if isinstance(counts, Counts) else float(weighted_auc(points, alpha=0.0))
    )
    return Areas(
        plain,
        float(weighted_auc(points, alpha=alpha, strips="segments")),
        float(weighted_auc(points, alpha=alpha)),
    )


def ranking(values: dict[str, float]) -> tuple[tuple[str, ...], ...]:
    """Learners from the best, those with the same value (to two digits, as printed) together."""
    rounded = {name: round(value, 2) for name, value in values.items()}
    return tuple(
        tuple(name for name in rounded if rounded[name] == value)
        for value in sorted(set(rounded.values()), reverse=True)
    )


def told(order: tuple[tuple[str, ...], ...]) -> str:
    """A ranking in words: nb and smo share the second place in "j48; nb, smo; 3nn"."""
    return "; ".join(", ".join(tied) for tied in order)


class Change(NamedTuple):
    """A problem on which the order of learners is another by the weighted area; `reversed` where
    two of them change places.
    """

    problem: str
    by_auc: tuple[tuple[str, ...], ...]
    by_weighted: tuple[tuple[str, ...], ...]
    reversed: bool


def changes(
    values: dict[tuple[str, str], tuple[float, float]], learners: tuple[str, ...] = LEARNERS
) -> Iterator[Change]:
    """Where AUC and weighted AUC rank these learners differently."""
    for problem in PROBLEMS:
        plain, weighted = ({name: values[problem, name][i] for name in learners} for i in (0, 1))
        orders = ranking(plain), ranking(weighted)
        if orders[0] != orders[1]:
            yield Change(problem, *orders, _turned(plain, weighted))


def _turned(plain: dict[str, float], weighted: dict[str, float]) -> bool:
    pairs = [(one, other) for one in plain for other in plain]
    return any(
        round(plain[a], 2) > round(plain[b], 2) and round(weighted[a], 2) < round(weighted[b], 2)
        for a, b in pairs
    )
