"""The resampling engine: weights of cells, a statistic of weights, and its value in every resample.

Cases are drawn again within each class, or whole groups where the counts have them. A statistic is
a frozen dataclass that maps a block of weights to an array with one entry per resample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.counts.cells import run_starts
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.numbers import Floats, Ints

# A block of weights holds about so many numbers, whatever the number of cells.
BLOCK_SIZE = 1 << 18
# Below this, drawing case by case is faster than drawing the number of each cell.
FEW_CASES_PER_CELL = 10
# So many cells are drawn at a time: what they need stays in the cache of a processor, and Ctrl-C
# does not wait for millions of them.
CELLS_AT_A_TIME = 1 << 12


class Weights(NamedTuple):
    """How many cases of each score a resample has: arrays of shape (resamples, scores).

    Scores are in descending order.
    """

    positives: Floats
    negatives: Floats


WeightStatistic = Callable[[Weights], Floats]
Progress = Callable[[int, int], None]


def replicate_statistic(
    counts: Counts | GroupedCounts,
    statistic: WeightStatistic,
    *,
    replicates: int,
    seed: int,
    draw_prior: bool = False,
    progress: Progress | None = None,
) -> Floats:
    """Compute a statistic of many resamples.

    Parameters
    ----------
    counts : Counts or GroupedCounts
        What is resampled: cases within each class, or whole groups.
    statistic : callable
        Maps `Weights` to an array of shape (resamples, ...).
    replicates : int
        Number of resamples. More of them begin with the same ones.
    seed : int
        Of the random numbers.
    draw_prior : bool, default False
        Draw the number of positives, too, as where the cases are a random sample. Whole groups
        always do.
    progress : callable, optional
        Called with the number of resamples done and of all.

    Returns
    -------
    array of shape (replicates, ...)

    """
    if isinstance(counts, GroupedCounts):
        blocks = resample_groups(counts, replicates=replicates, seed=seed)
    else:
        blocks = resample_cases(counts, replicates=replicates, seed=seed, draw_prior=draw_prior)
    values: list[Floats] = []
    done = 0
    for weights in blocks:
        values.append(statistic(weights))
        done += len(values[-1])
        if progress is not None:
            progress(done, replicates)
    return np.concatenate(values)


# ----------------------------------------------------------------------
# Drawing.


def resample_cases(
    counts: Counts, *, replicates: int, seed: int, draw_prior: bool
) -> Iterator[Weights]:
    """Draw cases within each class, in blocks of resamples."""
    totals = int(counts.total_positives), int(counts.total_negatives)
    of_sizes, of_positives, of_negatives = np.random.SeedSequence(seed).spawn(3)
    size_generator = np.random.default_rng(of_sizes)
    positives = make_sampler(counts.positives, of_positives)
    negatives = make_sampler(counts.negatives, of_negatives)
    for size in block_sizes(replicates, len(counts.scores)):
        drawn_positives = np.full(size, totals[0])
        if draw_prior:
            prior = totals[0] / sum(totals)
            drawn_positives = size_generator.binomial(sum(totals), prior, size)
        drawn_negatives = sum(totals) - drawn_positives
        yield Weights(positives.draw_cases(drawn_positives), negatives.draw_cases(drawn_negatives))


def resample_groups(counts: GroupedCounts, *, replicates: int, seed: int) -> Iterator[Weights]:
    """Draw whole groups, in blocks of resamples; the same ones for every model of the groups."""
    order = np.argsort(counts.scores, kind="stable")[::-1]
    starts = run_starts(counts.scores[order])
    positives, negatives = counts.positives[order], counts.negatives[order]
    groups = np.repeat(np.arange(len(counts)), np.diff(counts.offsets))[order]
    sampler = make_sampler(np.ones(len(counts), dtype=np.int64), np.random.SeedSequence(seed))
    for size in block_sizes(replicates, len(groups)):
        times = sampler.draw_cases(np.full(size, len(counts)))[:, groups]
        yield Weights(
            np.add.reduceat(times * positives, starts, axis=1),
            np.add.reduceat(times * negatives, starts, axis=1),
        )


def block_sizes(replicates: int, cells: int) -> Iterator[int]:
    """Return how many resamples to hold at a time."""
    most = max(1, BLOCK_SIZE // max(1, cells))
    for start in range(0, replicates, most):
        yield min(most, replicates - start)


@dataclass(frozen=True, eq=False)
class CellPart:
    """Neighbouring cells of one class and the generator that draws their cases.

    Each part has its own generator, so that the draws do not depend on the size of a block.

    Attributes
    ----------
    cells : array
        Their places among all cells.
    numbers : array
        How many cases each of them has.
    cell_of_case : array or None
        The cell of every case; None where the number of each cell is drawn.

    """

    cells: Ints
    numbers: Ints
    cell_of_case: npt.NDArray[np.uint16] | None
    generator: np.random.Generator

    def draw_cases(self, sizes: Ints) -> Ints:
        """Draw cases with replacement: how often each cell was drawn.

        Parameters
        ----------
        sizes : array of shape (resamples,)
            How many cases each resample has in these cells.

        Returns
        -------
        array of shape (resamples, cells)

        """
        total, cells = int(self.numbers.sum()), len(self.numbers)
        if self.cell_of_case is None:
            drawn: Ints = self.generator.multinomial(sizes, self.numbers / total)
            return drawn
        cases = self.generator.integers(total, size=sizes.sum())
        places = self.cell_of_case[cases] + np.repeat(np.arange(len(sizes)) * cells, sizes)
        return np.bincount(places, minlength=len(sizes) * cells).reshape(len(sizes), cells)


def make_part(cells: Ints, numbers: Ints, generator: np.random.Generator) -> CellPart:
    """Return the part of a class in these cells, each of which has a case."""
    cell_of_case = None
    if numbers.sum() < FEW_CASES_PER_CELL * len(cells):
        cell_of_case = np.repeat(np.arange(len(cells), dtype=np.uint16), numbers)
    return CellPart(cells, numbers, cell_of_case, generator)


@dataclass(frozen=True, eq=False)
class CaseSampler:
    """Draws cases of one class: first how many of each part, then of each cell within it."""

    width: int
    parts: tuple[CellPart, ...]
    generator: np.random.Generator

    def draw_cases(self, sizes: Ints) -> Floats:
        """Draw resamples of these sizes: how often each cell was drawn, one row per resample."""
        drawn = np.zeros((len(sizes), self.width))
        if not self.parts:
            return drawn
        totals = np.array([part.numbers.sum() for part in self.parts])
        sizes_of_parts = self.generator.multinomial(sizes, totals / totals.sum())
        for part, sizes_of_part in zip(self.parts, sizes_of_parts.T, strict=True):
            drawn[:, part.cells] = part.draw_cases(sizes_of_part)
        return drawn


def make_sampler(numbers: Ints, seeds: np.random.SeedSequence) -> CaseSampler:
    """Return what draws from cells with these numbers of cases."""
    present = np.flatnonzero(numbers)
    parts = [
        present[start : start + CELLS_AT_A_TIME]
        for start in range(0, len(present), CELLS_AT_A_TIME)
    ]
    of_sizes, *of_parts = (np.random.default_rng(one) for one in seeds.spawn(1 + len(parts)))
    return CaseSampler(
        len(numbers),
        tuple(
            make_part(cells, numbers[cells], generator)
            for cells, generator in zip(parts, of_parts, strict=True)
        ),
        of_sizes,
    )


# ----------------------------------------------------------------------
# Statistics.


@dataclass(frozen=True)
class AveragePrecision:
    """The mean precision at which each positive is found.

    Attributes
    ----------
    prior : float or None
        Base rate that precision is read at; None for that of each resample.

    """

    prior: float | None

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where a class is missing."""
        positives, negatives = weights.positives.sum(axis=1), weights.negatives.sum(axis=1)
        caught = np.cumsum(weights.positives, axis=1, dtype=np.float64)
        flagged = np.cumsum(weights.negatives, axis=1, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.prior is not None:
                flagged *= ((1 - self.prior) / self.prior * positives / negatives)[:, np.newaxis]
            flagged += caught
            precision = np.divide(caught, flagged, out=caught, where=flagged > 0)
            found = np.einsum("ij,ij->i", weights.positives, precision) / positives
        return np.asarray(np.where((positives > 0) & (negatives > 0), found, np.nan))


@dataclass(frozen=True)
class KolmogorovSmirnov:
    """The largest difference tpr − fpr of all thresholds."""

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where a class is missing."""
        positives, negatives = weights.positives.sum(axis=1), weights.negatives.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = np.cumsum(weights.positives, axis=1, dtype=np.float64)
            gaps /= positives[:, np.newaxis]
            gaps -= np.cumsum(weights.negatives, axis=1) / negatives[:, np.newaxis]
        return np.asarray(np.maximum(0.0, gaps.max(axis=1)))
