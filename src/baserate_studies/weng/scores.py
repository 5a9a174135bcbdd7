"""What Weka's learners made of the 20 problems of Table 3: counts of every fold, from ranks that
are part of the package.

A run of Weka 3.6.14 (NaiveBayes, J48, SMO, IBk -K 3, all with their defaults; ten times ten folds,
stratified) on sets of the UCI Machine Learning Repository (Dua & Graff). Their donors: see
docs/evidence/studies.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from baserate import Counts
from baserate_studies.values import Report
from baserate_studies.weng.tables import LEARNERS, PROBLEMS, Cells, areas

FILE = "table3_ranks.npz"
REPEATS, FOLDS = 10, 10


@cache
def _ranks() -> dict[str, Any]:
    with (
        files("baserate_studies.weng").joinpath(FILE).open("rb") as file,
        np.load(file, allow_pickle=False) as found,
    ):
        return dict(found)


def folds(problem: str, learner: str, repeats: int = REPEATS) -> list[Counts]:
    """The counts of each fold of each repeat: ranks within a fold stand for the scores, which were
    not comparable between folds anyway.
    """
    place, column = PROBLEMS.index(problem), LEARNERS.index(learner)
    kept = _ranks()
    ends = np.cumsum(kept["sizes"].astype(np.int64).ravel())
    first = place * REPEATS * FOLDS
    positive = np.unpackbits(kept["positive"], count=int(ends[-1])).astype(np.bool_)
    return [
        _counts(kept["ranks"][column, begin:end], positive[begin:end])
        for begin, end in _spans(ends, first, first + repeats * FOLDS)
    ]


def _spans(ends: Any, first: int, last: int) -> Iterator[tuple[int, int]]:
    return ((int(ends[i - 1]) if i else 0, int(ends[i])) for i in range(first, last))


def _counts(ranks: Any, positive: Any) -> Counts:
    top = int(ranks.max()) + 1
    counted = [
        np.bincount(ranks[of_class], minlength=top)[::-1] for of_class in (positive, ~positive)
    ]
    return Counts(np.arange(top)[::-1], *counted)


def cells(progress: Report, repeats: int = REPEATS) -> Cells:
    """All 80 cells of the table, no learner needed."""
    found: Cells = {}
    for problem in PROBLEMS:
        for learner in LEARNERS:
            found[problem, learner] = areas(folds(problem, learner, repeats))
            progress(len(found), len(PROBLEMS) * len(LEARNERS))
    return found
