"""How C4.5 splits the cases of a node: by gain ratio, among the splits that gain at least as much
as is usual (Quinlan 1993).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from baserate_studies.arrays import Floats

LEAST_CASES = 2.0  # in at least two branches
MOST_ASKED = 25.0  # of a numeric split, in each branch
SLACK = 1e-3
NEAR = 1e-5  # numbers closer than that are one


@dataclass(frozen=True)
class Sample:
    """The cases of a node: rows, classes (0, 1), weights (a case with a missing value goes into
    several branches, in parts).
    """

    x: Floats
    y: npt.NDArray[np.intp]
    weights: Floats

    @property
    def counts(self) -> Floats:
        """The weight of each class."""
        return np.bincount(self.y, weights=self.weights, minlength=2).astype(np.float64)

    @property
    def total(self) -> float:
        return float(self.weights.sum())


@dataclass(frozen=True)
class Split:
    """A question: the value of a nominal attribute, or on which side of a threshold a number lies;
    the share of known cases in each branch.
    """

    column: int
    size: int
    threshold: float
    shares: Floats
    gain: float
    ratio: float

    def branch(self, values: Floats) -> npt.NDArray[np.intp]:
        """Where each value goes; -1 where it is missing."""
        codes = values if self.size else (values > self.threshold).astype(np.float64)
        return np.where(np.isnan(values), -1, np.nan_to_num(codes)).astype(np.intp)

    def parts(self, sample: Sample) -> list[Sample]:
        """The cases of each branch; those with a missing value in all of them, by the shares of the
        others.
        """
        where = self.branch(sample.x[:, self.column])
        found = []
        for place, share in enumerate(self.shares):
            weights = np.where(
                where == place, sample.weights, np.where(where < 0, sample.weights * share, 0.0)
            )
            kept = weights > 0
            found.append(Sample(sample.x[kept], sample.y[kept], weights[kept]))
        return found


def best_split(sample: Sample, sizes: Sequence[int], cases: int) -> Split | None:
    """The split with the best gain ratio among those whose gain is not below average; none where
    nothing is gained.

    Attributes with nearly as many values as the training set has `cases` do not count for the
    average.
    """
    if sample.total < 2 * LEAST_CASES or not sample.counts.all():
        return None
    found = [
        split
        for column, size in enumerate(sizes)
        if (split := _split(sample, column, size)) is not None
    ]
    many = all(size and size >= 0.3 * cases for size in sizes)
    usual = [split.gain for split in found if many or split.size < 0.3 * cases]
    if not usual:
        return None
    least = float(np.mean(usual)) - SLACK
    worthy = [split for split in found if split.gain >= least and split.ratio > 0]
    return max(worthy, key=lambda split: split.ratio, default=None)


def _split(sample: Sample, column: int, size: int) -> Split | None:
    values = sample.x[:, column]
    known = ~np.isnan(values)
    inside = Sample(values[known], sample.y[known], sample.weights[known])
    return (
        _nominal(inside, sample.total, column, size)
        if size
        else _numeric(inside, sample.total, column)
    )


def _nominal(inside: Sample, total: float, column: int, size: int) -> Split | None:
    flat = np.bincount(
        inside.x.astype(np.intp) * 2 + inside.y, weights=inside.weights, minlength=2 * size
    )
    table = flat.astype(np.float64).reshape(size, 2)
    if np.count_nonzero(table.sum(axis=1) >= LEAST_CASES) < 2:
        return None
    gain = float(_gains(table[None], inside.total, total)[0])
    return _made(column, size, 0.0, table, gain, total) if gain > 0 else None


def _numeric(inside: Sample, total: float, column: int) -> Split | None:
    """The best threshold, its gain less what it costs to name one of so many."""
    least = min(max(0.1 * inside.total / 2, LEAST_CASES), MOST_ASKED)
    order = np.argsort(inside.x, kind="stable")
    values = inside.x[order]
    classes = np.zeros((len(values), 2))
    classes[np.arange(len(values)), inside.y[order]] = inside.weights[order]
    left = np.cumsum(classes, axis=0)[:-1]
    tables = np.stack((left, classes.sum(axis=0) - left), axis=1)
    allowed = (np.diff(values) > NEAR) & (tables.sum(axis=2) >= least).all(axis=1)
    if not allowed.any():
        return None
    gains = np.where(allowed, _gains(tables, inside.total, total), -1.0)
    place = int(np.argmax(gains))
    gain = float(gains[place]) - np.log2(np.count_nonzero(allowed)) / total
    if gain <= 0:
        return None
    # The threshold is a value that occurs: the largest one below the middle.
    return _made(column, 0, float(values[place]), tables[place], gain, total)


def _made(
    column: int, size: int, threshold: float, table: Floats, gain: float, total: float
) -> Split:
    branches = table.sum(axis=1)
    unknown = max(0.0, total - float(branches.sum()))
    spread = float(
        (_n_log_n(np.array(total)) - _n_log_n(branches).sum() - _n_log_n(np.array(unknown))) / total
    )
    return Split(
        column,
        size,
        threshold,
        branches / branches.sum(),
        gain,
        gain / spread if spread > 0 else 0.0,
    )


def _gains(tables: Floats, known: float, total: float) -> Floats:
    """Bits that knowing the branch saves a case, of cases whose value is known, times how many of
    them are.
    """
    before = _n_log_n(np.array(known)) - _n_log_n(tables.sum(axis=1)).sum(axis=1)
    after = (_n_log_n(tables.sum(axis=2)) - _n_log_n(tables).sum(axis=2)).sum(axis=1)
    found: Floats = (before - after) * (known / total) / known
    return found


def _n_log_n(n: Floats) -> Floats:
    found: Floats = n * np.log2(np.where(n > 0, n, 1.0))
    return found
