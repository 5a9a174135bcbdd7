"""Table 2 of Landgrebe et al. made again: four density classifiers on four data sets, 30 folds,
POSfrac at a recall of 80 %.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import Counts, Points, count
from baserate.extend import needed
from baserate_studies.arrays import Floats
from baserate_studies.generators import SETS, Cases
from baserate_studies.values import How

RECALL, PRIORS, FOLDS, CASES, SEED = 0.8, (0.5, 0.1, 0.001), 30, 1500, 0
FEW_FOLDS, FEW_CASES = 3, 60
PRINTED = 0.005  # half a unit of the last digit of the table
FITTED = "Multimodal"  # where its modes lie was not published: they were fitted to the table
CLASSIFIERS = ("LDC", "QDC", "MOGC", "PARZEN")
DRAWS = {"LDC": 25, "QDC": 25, "MOGC": 25, "PARZEN": 9}
MANY_DRAWS = {"LDC": 101, "QDC": 101, "MOGC": 101, "PARZEN": 25}
# POSfrac in percent at each prior with its ±, for LDC, QDC, MOGC and PARZEN.
PUBLISHED: dict[str, tuple[str, ...]] = {
    "TwoGaussians": (
        "46.08 0.51  45.99 0.50  47.86 0.77  45.58 0.54",
        "18.94 0.92  18.78 0.90  22.14 1.38  18.05 0.98",
        "12.22 1.02  12.05 1.00  15.78 1.53  11.24 1.08",
    ),
    "Highleyman": (
        "52.14 1.23  40.00 0.00  40.00 0.00  40.00 0.00",
        "29.85 2.22  8.00 0.00  8.00 0.00  8.00 0.00",
        "24.33 2.46  0.08 0.00  0.08 0.00  0.08 0.00",
    ),
    "Multimodal": (
        "69.00 1.06  50.25 0.94  41.20 0.22  40.93 0.21",
        "60.21 1.90  26.46 1.68  10.15 0.40  9.68 0.38",
        "58.03 2.11  20.57 1.87  2.47 0.45  1.94 0.42",
    ),
    "Lithuanian": (
        "46.81 0.81  42.10 0.33  40.16 0.04  40.06 0.04",
        "20.26 1.45  11.77 0.59  8.28 0.07  8.11 0.07",
        "13.68 1.61  4.27 0.65  0.39 0.08  0.21 0.08",
    ),
}


class Cell(NamedTuple):
    """One number of the table, with its ±, in percent."""

    data: str
    classifier: str
    prior: float
    value: float
    error: float

    @property
    def tolerance(self) -> float:
        """Twice the ± of the paper, where it and the value are taken for anything that rounds to
        them.
        """
        return 2 * (self.error + PRINTED) + PRINTED


def published() -> Iterator[Cell]:
    """The 48 cells as printed."""
    for data, lines in PUBLISHED.items():
        for prior, line in zip(PRIORS, lines, strict=True):
            numbers = [float(word) for word in line.split()]
            for classifier, value, error in zip(
                CLASSIFIERS, numbers[::2], numbers[1::2], strict=True
            ):
                yield Cell(data, classifier, prior, value, error)


class Crossed(NamedTuple):
    """What a classifier reached on a data set: the false alarm rate at the recall asked for, in
    each fold.
    """

    fprs: Floats

    @property
    def fpr(self) -> float:
        """Its mean over the folds."""
        return float(self.fprs.mean())

    @property
    def error(self) -> float:
        """The standard error of that mean."""
        return float(self.fprs.std(ddof=1)) / math.sqrt(len(self.fprs))

    def posfrac(self, prior: float) -> float:
        """The share that is flagged at this prior, in percent (eq 5)."""
        return 100 * (prior * RECALL + (1 - prior) * self.fpr)

    def posfrac_error(self, prior: float) -> float:
        """Its standard error, in percent."""
        return 100 * (1 - prior) * self.error

    def agrees(self, cell: Cell) -> bool:
        """Whether it is as printed, within the tolerance."""
        return abs(self.posfrac(cell.prior) - cell.value) <= cell.tolerance * (1 + 1e-9)


class Draws(NamedTuple):
    """Every draw of the data, cross-validated; the run with the median false alarm rate is the one
    reported.
    """

    runs: tuple[Crossed, ...]

    @property
    def middle(self) -> Crossed:
        return sorted(self.runs, key=lambda crossed: crossed.fpr)[len(self.runs) // 2]


Table = dict[tuple[str, str], Draws]


def agreeing(made: Table) -> list[int]:
    """How many of the cells whose data were published agree in the first draw, the second, and so
    on, as far as every classifier was drawn.
    """
    cells = [cell for cell in published() if cell.data != FITTED]
    draws = min(len(made[cell.data, cell.classifier].runs) for cell in cells)
    return [
        sum(made[cell.data, cell.classifier].runs[draw].agrees(cell) for cell in cells)
        for draw in range(draws)
    ]


def table(how: How) -> Table:
    """All 16 pairs of data set and classifier, on several draws of the data each; folds are fitted
    side by side.

    One run of 30 folds comes out anywhere within a few of its own ±. So the data are drawn again,
    as often as the classifier's speed allows; the median run is reported, and beside it what every
    single draw gives.
    """
    needed(
        "sklearn.mixture", "learners"
    )  # before the limit below, which holds for libraries that are loaded
    limits = needed("threadpoolctl", "learners")
    keys = [(name, classifier) for name in SETS for classifier in CLASSIFIERS]
    draws = _draws(how)
    total, found, done = len(SETS) * sum(draws.values()), Table(), itertools.count(1)
    # One thread a fold: the libraries below would start their own besides.
    with ThreadPoolExecutor(os.cpu_count()) as pool, limits.threadpool_limits(1):
        for name, classifier in keys:
            runs = []
            for seed in range(draws[classifier]):
                runs.append(run(name, classifier, seed, how, pool))
                how.progress(next(done), total)
            found[name, classifier] = Draws(tuple(runs))
    return found


def _draws(how: How) -> dict[str, int]:
    """How often the data are drawn for each classifier."""
    if how.rehearsal:
        return dict.fromkeys(CLASSIFIERS, 1)
    return MANY_DRAWS if how.full else DRAWS


def run(name: str, classifier: str, seed: int, how: How, pool: ThreadPoolExecutor) -> Crossed:
    """One draw of the data, cross-validated."""
    folds, cases = (FEW_FOLDS, FEW_CASES) if how.rehearsal else (FOLDS, CASES)
    data = SETS[name](cases, cases, seed=seed)
    parts, near = fold_of(data, folds, seed), _widths(classifier, data)
    scores = np.empty(len(data.target))

    def fit(fold: int) -> None:
        inside = parts == fold
        scores[inside] = scored(classifier, data, inside, near)

    list(pool.map(fit, range(folds)))
    return crossed(data, scores, parts)


def _widths(classifier: str, data: Cases) -> tuple[float, ...]:
    """Where the search for Parzen's widths begins in every fold: those of all cases."""
    if classifier != "PARZEN":
        return ()
    from baserate_learners.densities import leave_one_out_width

    return tuple(leave_one_out_width(data.x[data.target == of_class]) for of_class in (False, True))


def fold_of(data: Cases, folds: int, seed: int) -> npt.NDArray[np.intp]:
    """The fold of each case: as many of each class in every fold, in an order drawn from the
    seed.
    """
    rng, found = np.random.default_rng(seed), np.empty(len(data.target), dtype=np.intp)
    for of_class in (True, False):
        places = rng.permutation(np.flatnonzero(data.target == of_class))
        found[places] = np.arange(len(places)) % folds
    return found


def scored(
    classifier: str, data: Cases, inside: npt.NDArray[np.bool_], near: tuple[float, ...]
) -> Floats:
    """The log ratio of densities inside a fold, of the classifier fitted outside of it: no
    posterior that rounds to 1 ties cases.
    """
    fitted = _learner(classifier, data, ~inside, near).fit(data.x[~inside], data.target[~inside])
    densities = fitted.log_densities(data.x[inside])
    found: Floats = densities[:, 1] - densities[:, 0]
    return found


def _learner(
    classifier: str, data: Cases, outside: npt.NDArray[np.bool_], near: tuple[float, ...]
) -> Any:
    """The density classifier of this name, with equal training priors as in the paper."""
    from baserate_learners.densities import LDC, QDC, GaussianMixtures, Parzen, leave_one_out_width

    if classifier == "PARZEN":
        parts = [data.x[outside & (data.target == of_class)] for of_class in (False, True)]
        return Parzen(
            [leave_one_out_width(part, start) for part, start in zip(parts, near, strict=True)],
            priors="equal",
        )
    return {"LDC": LDC, "QDC": QDC, "MOGC": GaussianMixtures}[classifier](priors="equal")


def crossed(data: Cases, scores: Floats, folds: npt.NDArray[np.intp]) -> Crossed:
    """Read every fold's own ROC at the recall of the paper."""
    every = [count(data.target[folds == fold], scores[folds == fold]) for fold in np.unique(folds)]
    return Crossed(np.array([_fpr(counts) for counts in every]))


def _fpr(counts: Counts) -> float:
    """The lowest false alarm rate with so many targets found; 80 % of the targets of a fold are a
    whole number.
    """
    points = Points.of(counts)
    return float(points.fpr[int(np.argmax(points.tp >= RECALL * counts.total_positives))])
