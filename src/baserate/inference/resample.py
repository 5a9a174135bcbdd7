"""The resampling engine: cells of cases, their weights in every resample, a statistic of weights.

Cases are drawn again within each class, all together, or in whole groups. A statistic maps a block
of weights, one `Weights` for each model, to an array with one entry per resample. What several
models are read from are the same resamples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from baserate.conditions import Conditions, Costs
from baserate.counts.cells import Array
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.errors import CASE_CONTROL, Fix, Ledger, Note, are, grouped, number_of, quoted, refuse
from baserate.inference.rates import normal, refuse_weights, special
from baserate.kernels import Cells
from baserate.measures.confusion import Measure, rates_read
from baserate.numbers import INT64_MAX, Floats, Ints
from baserate.results.values import (
    Difference,
    checked_replicates,
    checked_seed,
    missed,
    missed_in_tails,
)

Source = Counts | GroupedCounts | JointCounts
Progress = Callable[[int, int], None]

# ----------------------------------------------------------------------
# How resamples are drawn, and whether there are enough cases.


STRATIFIED, CASES, CLUSTERS = "stratified", "cases", "clusters"
HOWS = (STRATIFIED, CASES, CLUSTERS)
MOST_CASES = 2**40
FEWEST, FEW, FEW_CLUSTERS = 5, 30, 20
TOO_FEW = "too few for a precise bootstrap interval"
OTHERWISE = Fix(
    'rate_interval, or interval(counts, "auc") by its own method',
    "leave --replicates out, or compare by auc or at thresholds",
)


@dataclass(frozen=True)
class Plan:
    """How resamples are drawn.

    Attributes
    ----------
    how : str
        Within each class ("stratified"), all cases together ("cases") or whole groups ("clusters").
    replicates : int
        Number of resamples. More of them begin with the same ones.
    seed : int
        Of the random numbers.
    progress : callable, optional
        Called with the number of resamples done and of all.

    """

    how: str
    replicates: int
    seed: int
    progress: Progress | None = None


def planned(
    source: Source,
    of_prior: bool,  # noqa: FBT001
    how: str | None,
    replicates: int,
    seed: int,
    progress: Progress | None,
) -> Plan:
    """Return a plan: groups where there are some; all cases together where the sample's own prior
    is estimated, too; otherwise each class.
    """
    if how is None:
        random = source.ledger.design != CASE_CONTROL
        how = CASES if of_prior and random else STRATIFIED
        how = CLUSTERS if isinstance(source, GroupedCounts) else how
    if how not in HOWS:
        raise refuse(
            "BR581",
            f"resamples are drawn by {', '.join(map(quoted, HOWS))}, got {quoted(how)}",
            'resample="stratified"',
        )
    if (how == CLUSTERS) != isinstance(source, GroupedCounts):
        raise refuse(
            "BR581",
            "clusters are resampled whole, and need GroupedCounts",
            "count(y, scores, cluster=patient)",
        )
    cases = int(source.total_positives + source.total_negatives)
    if how != CLUSTERS and cases > MOST_CASES and not source.weighted:
        raise refuse(
            "BR623",
            f"a bootstrap resamples up to {grouped(MOST_CASES)} cases, and these are"
            f" {grouped(cases)}",
            OTHERWISE,
        )
    return Plan(how, checked_replicates(replicates), checked_seed(seed), progress)


def check_enough(source: Source) -> tuple[Note, ...]:
    """Refuse to resample fewer than five cases or clusters of a class, and note fewer than thirty
    cases or twenty clusters: resamples only show the same handful again.
    """
    classes = {"positives": source.total_positives, "negatives": source.total_negatives}
    what, fewest = min(classes.items(), key=lambda pair: pair[1])
    if isinstance(source, GroupedCounts):
        what, clusters = min(clusters_by_class(source).items(), key=lambda pair: pair[1])
        text = f"only {number_of(clusters, 'cluster holds', 'clusters hold')} {what}"
        if clusters < FEWEST:
            raise refuse(
                "BR590",
                f"{text}: too few for an interval (at least 5 are needed)",
                "label more clusters",
            )
        if clusters < FEW_CLUSTERS:
            return (Note("BR591", f"{text}: intervals rest on these few"),)
    elif fewest < FEWEST:
        raise refuse(
            "BR590", f"only {number_of(fewest, what[:-1])}: too few to resample", OTHERWISE
        )
    few = Note("BR591", f"only {number_of(fewest, what[:-1])}, {TOO_FEW}")
    return (few,) if fewest < FEW else ()


def clusters_by_class(groups: GroupedCounts) -> dict[str, int]:
    """Return how many clusters hold a case of either class."""
    return {
        "positives": clusters_with(groups, groups.positives),
        "negatives": clusters_with(groups, groups.negatives),
    }


def clusters_with(groups: GroupedCounts, column: Array) -> int:
    """Return how many groups hold a case of this class."""
    return int(np.count_nonzero(sums_by_cluster(column, groups)))


def sums_by_cluster(column: Array, groups: GroupedCounts) -> Array:
    """Return the sum over each cluster."""
    return np.asarray(np.diff(np.concatenate(([0], np.cumsum(column)))[groups.offsets]))


# ----------------------------------------------------------------------
# What is drawn: cells of cases that no statistic tells apart.


class Weights(NamedTuple):
    """How many cases of each score a resample has: arrays of shape (resamples, scores).

    Scores are in descending order, or runs of neighbouring ones.
    """

    positives: Floats
    negatives: Floats


class ClassCells(NamedTuple):
    """The cells of one class.

    Attributes
    ----------
    numbers : array
        Cases of each cell; all have some.
    places : sequence of array
        By model, the place of each cell among the scores of the model.
    groups : array or None
        The group that each cell belongs to, where groups are drawn.

    """

    numbers: Array
    places: Sequence[Ints]
    groups: Ints | None


@dataclass(frozen=True, eq=False)
class Sample:
    """The cases that resamples are drawn from.

    Attributes
    ----------
    scores : sequence of array
        By model, its scores in descending order; of a run of neighbouring ones the lowest.
    positives, negatives : ClassCells
    group_number : int or None
        How many groups there are, where these are drawn.
    ledger : Ledger
        That of a resample.
    condensed : bool
        Whether scores were merged.

    """

    scores: Sequence[Array]
    positives: ClassCells
    negatives: ClassCells
    group_number: int | None
    ledger: Ledger
    condensed: bool

    def weights_by_model(self, drawn: Weights) -> list[Weights]:
        """Return how many cases of each score every model has, of how often cells were drawn."""
        classes = self.positives, self.negatives
        return [
            Weights(
                *(
                    sum_by_place(cases, cells.places[model], len(scores))
                    for cases, cells in zip(drawn, classes, strict=True)
                )
            )
            for model, scores in enumerate(self.scores)
        ]

    def make_counts(self, model: int, positives: Floats, negatives: Floats) -> Counts:
        """Return the counts of one model in one resample."""
        kept = (positives > 0) | (negatives > 0)
        kind = self.positives.numbers.dtype
        columns = (column[kept].astype(kind) for column in (positives, negatives))
        cells = Cells(self.scores[model][kept], *columns)
        return Counts._of(cells, self.ledger, condensed=self.condensed)

    def split_counts(self, weights: Sequence[Weights]) -> Iterator[list[Counts]]:
        """Return the counts of all models in each resample of a block."""
        for row in range(len(weights[0].positives)):
            yield [
                self.make_counts(model, one.positives[row], one.negatives[row])
                for model, one in enumerate(weights)
            ]


Runs = Callable[[Counts], Ints]


def every_score(counts: Counts) -> Ints:
    """Return the places of all scores, for a statistic that sees every one of them."""
    return np.arange(len(counts.scores))


def roc_runs(counts: Counts) -> Ints:
    """Return where runs of scores begin that the ROC does not tell apart.

    Those are scores that only negatives have. Above every positive each is a threshold of its own.
    """
    negatives_only = counts.positives == 0
    follows = negatives_only & np.append(False, negatives_only)[:-1]
    follows &= np.logical_or.accumulate(~negatives_only)
    return np.flatnonzero(~follows)


@dataclass(frozen=True)
class FlaggedRuns:
    """Two runs of scores: those that a threshold flags, and the others."""

    threshold: float | None

    def __call__(self, counts: Counts) -> Ints:
        """Return where the runs begin; what is no threshold of these counts is refused."""
        return np.array([0, Points.of(counts).place(self.threshold)])


def make_sample(source: Source, runs: Runs | Sequence[Runs] = every_score) -> Sample:
    """Return the cells that resamples of a source are drawn from.

    Parameters
    ----------
    source : Counts, JointCounts or GroupedCounts
        The cases.
    runs : callable or sequence of callable
        Maps counts of a model to the places where runs of its scores begin; a statistic does not
        tell the scores of a run apart. One for all models, or one for each.

    """
    groups = group_number = None
    if isinstance(source, GroupedCounts):
        groups, group_number = (
            np.repeat(np.arange(len(source)), np.diff(source.offsets)),
            len(source),
        )
    else:
        refuse_weights(source)
    counted = totals_of(source)
    order = [0]
    if not isinstance(source, JointCounts):
        scores = [source.scores]
    else:
        # The same cells in the same order, in whatever order models stand and however they are
        # called. (Where two have the same counts, only their names can tell them apart.)
        scores, names = [source.scores[name] for name in source], source.models
        order = sorted(range(len(names)), key=lambda one: (counted[one].digest, names[one]))
    models = list(zip(counted, scores, strict=True))
    several = [runs] * len(models) if callable(runs) else runs
    starts = [find(counts) for find, (counts, _) in zip(several, models, strict=True)]
    lowest = [
        counts.scores[np.append(begin[1:], len(counts.scores)) - 1]
        for begin, (counts, _) in zip(starts, models, strict=True)
    ]
    columns = source.positives, source.negatives
    if isinstance(source, Counts):
        positives, negatives = (merge_runs(column, starts[0]) for column in columns)
    else:
        places = [
            place_scores(column, counts.scores, begin)
            for begin, (counts, column) in zip(starts, models, strict=True)
        ]
        positives, negatives = (merge_cells(column, places, order, groups) for column in columns)
    merged = roc_runs in several or any(counts.condensed for counts, _ in models)
    return Sample(
        lowest,
        positives,
        negatives,
        group_number,
        replace(source.ledger, sources=()),
        merged,
    )


def place_scores(column: Array, scores: Array, starts: Ints) -> Ints:
    """Return the run that each entry of a column of scores lies in; `scores` are descending."""
    ends = np.append(starts[1:], len(scores))
    present = np.flatnonzero(starts < ends)
    lowest = scores[ends[present] - 1]
    return present[len(present) - np.searchsorted(lowest[::-1], column, side="right")]


def merge_runs(column: Array, starts: Ints) -> ClassCells:
    """Return the cells of a class of one model: the runs of scores that begin at these places."""
    whole = np.add.reduceat(column, np.minimum(starts, len(column) - 1))
    numbers = np.where(starts < np.append(starts[1:], len(column)), whole, 0)
    places = np.flatnonzero(numbers)
    return ClassCells(numbers[places].astype(column.dtype), [places], None)


def merge_cells(
    column: Array, places: Sequence[Ints], order: Sequence[int], groups: Ints | None
) -> ClassCells:
    """Return the cells of a class, those in the same places and group as one."""
    present = np.flatnonzero(column)
    keys = [places[model][present] for model in order]
    if groups is not None:
        keys.insert(0, groups[present])
    first, cell = find_distinct_rows(keys)
    numbers = np.bincount(cell, column[present], minlength=len(first)).astype(column.dtype)
    kept = present[first]
    return ClassCells(
        numbers, [one[kept] for one in places], None if groups is None else groups[kept]
    )


def find_distinct_rows(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the first row of each distinct kind, in order, and which kind every row is."""
    code = columns[0]
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        if int(code.max(initial=0)) >= INT64_MAX // width - 1:
            code = np.unique(code, return_inverse=True)[1]
        code = code * width + column
    width = int(code.max(initial=-1)) + 1
    if width > 4 * len(code):
        _, first, kind = np.unique(code, return_index=True, return_inverse=True)
        return first, kind
    # Without sorting, where few codes are possible.
    first = np.full(width, -1)
    first[code[::-1]] = np.arange(len(code))[::-1]
    present = first >= 0
    return first[present], (np.cumsum(present) - 1)[code]


def sum_by_place(cases: Floats, places: Ints, width: int) -> Floats:
    """Return the cases in each place, one row per resample; `cases` are those of each cell."""
    if len(places) == width and (np.diff(places) == 1).all():
        return cases
    rows = len(cases)
    flat = (places + width * np.arange(rows)[:, np.newaxis]).ravel()
    sums = np.bincount(flat, cases.ravel(), minlength=rows * width)
    return np.asarray(sums.reshape(rows, width), dtype=np.float64)


# ----------------------------------------------------------------------
# Drawing.


# A block of resamples holds about so many numbers, however many cells there are.
BLOCK_SIZE = 1 << 18
# Below this, drawing case by case is faster than drawing the number of each cell.
FEW_CASES_PER_CELL = 25


Statistic = Callable[..., Floats]


class Resampler:
    """Draws resamples, one block after the other; blocks of any size make up the same ones."""

    def __init__(self, sample: Sample, plan: Plan) -> None:
        self.sample, self.plan = sample, plan
        of_sizes, *of_classes = np.random.SeedSequence(plan.seed).spawn(3)
        self._size_generator = np.random.default_rng(of_sizes)
        numbers = [sample.positives.numbers, sample.negatives.numbers]
        if sample.group_number is not None:
            numbers = [np.ones(sample.group_number, dtype=np.int64)]
        self._samplers = [
            make_sampler(cells, seeds) for cells, seeds in zip(numbers, of_classes, strict=False)
        ]

    def draw_blocks(self, replicates: int) -> Iterator[Weights]:
        """Draw how often every cell is drawn: arrays of shape (resamples, cells)."""
        sample = self.sample
        drawn = len(sample.positives.numbers) + len(sample.negatives.numbers)
        width = max(1, drawn, *map(len, sample.scores))
        most = max(1, BLOCK_SIZE // width)
        draw = self._draw_cases if sample.group_number is None else self._draw_groups
        for start in range(0, replicates, most):
            size = min(most, replicates - start)
            yield draw(size)
            if self.plan.progress is not None:
                self.plan.progress(start + size, replicates)

    def replicate(self, statistic: Statistic, replicates: int) -> Floats:
        """Return a statistic of the next resamples: an array of shape (replicates, ...)."""
        by_model = map(self.sample.weights_by_model, self.draw_blocks(replicates))
        return np.concatenate([statistic(*weights) for weights in by_model])

    def _draw_cases(self, size: int) -> Weights:
        positives, negatives = self._samplers
        whole = positives.total + negatives.total
        sizes = np.full(size, positives.total)
        if self.plan.how == CASES:
            sizes = self._size_generator.binomial(whole, positives.total / whole, size)
        return Weights(positives.draw(sizes), negatives.draw(whole - sizes))

    def _draw_groups(self, size: int) -> Weights:
        (groups,) = self._samplers
        times = groups.draw(np.full(size, groups.total))
        classes = self.sample.positives, self.sample.negatives
        return Weights(*(times[:, cells.groups] * cells.numbers for cells in classes))


def replicate(sample: Sample, statistic: Statistic, plan: Plan) -> Floats:
    """Return a statistic of every resample.

    Parameters
    ----------
    sample : Sample
        What is resampled.
    statistic : callable
        Maps the `Weights` of each model to an array of shape (resamples, ...).
    plan : Plan
        How resamples are drawn.

    Returns
    -------
    array of shape (replicates, ...)

    """
    return Resampler(sample, plan).replicate(statistic, plan.replicates)


def resample_counts(
    source: Source, plan: Plan, runs: Runs | Sequence[Runs] = every_score
) -> Iterator[list[Counts]]:
    """Return the counts of every resample, one for each model."""
    sample = make_sample(source, runs)
    for drawn in Resampler(sample, plan).draw_blocks(plan.replicates):
        yield from sample.split_counts(sample.weights_by_model(drawn))


@dataclass(frozen=True)
class CountsStatistic:
    """A function of the counts of all models, called for one resample after the other."""

    sample: Sample
    read: Callable[[list[Counts]], Floats]

    def __call__(self, *weights: Weights) -> Floats:
        """Return its value in every resample."""
        return np.array([self.read(parts) for parts in self.sample.split_counts(weights)])


@dataclass(frozen=True, eq=False)
class CaseSampler:
    """Draws cases with replacement.

    Attributes
    ----------
    numbers : array
        How many cases each cell has.
    cell_of_case : array or None
        The cell of every case; None where the number of each cell is drawn.

    """

    numbers: Ints
    cell_of_case: Ints | None
    generator: np.random.Generator

    @property
    def total(self) -> int:
        """How many cases there are."""
        return int(self.numbers.sum())

    def draw(self, sizes: Ints) -> Floats:
        """Draw resamples of these sizes: how often each cell was drawn, one row per resample."""
        cells = len(self.numbers)
        if self.cell_of_case is None:
            return self.generator.multinomial(sizes, self.numbers / self.total).astype(np.float64)
        drawn, ends = np.empty((len(sizes), cells)), np.cumsum(sizes)
        cases = self.generator.integers(len(self.cell_of_case), size=int(ends[-1]), dtype=np.uint32)
        for row, part in zip(drawn, np.split(cases, ends[:-1]), strict=True):
            row[:] = np.bincount(self.cell_of_case[part], minlength=cells)
        return drawn


def make_sampler(numbers: Ints, seeds: np.random.SeedSequence) -> CaseSampler:
    """Return what draws from cells that have these numbers of cases, all of them some."""
    cell_of_case = None
    if numbers.sum() < max(1, FEW_CASES_PER_CELL * len(numbers)):
        kind = np.min_scalar_type(len(numbers))
        cell_of_case = np.repeat(np.arange(len(numbers), dtype=kind), numbers)
    # Its second child, so that seeds mean what they meant where one generator drew sizes.
    return CaseSampler(numbers, cell_of_case, np.random.default_rng(seeds.spawn(2)[1]))


# ----------------------------------------------------------------------
# Statistics of many resamples at once, read from the weights of their scores.


def total_weights(weights: Weights) -> tuple[Floats, Floats]:
    """Return how many positives and negatives each resample has."""
    return weights.positives.sum(axis=1), weights.negatives.sum(axis=1)


@dataclass(frozen=True)
class AreaUnderRoc:
    """The share of pairs in which the positive has the higher score; a tie is half a pair."""

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where a class is missing."""
        positives, negatives = total_weights(weights)
        below = negatives[:, np.newaxis] - np.cumsum(weights.negatives, axis=1)
        below += weights.negatives / 2
        with np.errstate(invalid="ignore"):
            won = np.einsum("ij,ij->i", weights.positives, below)
            return np.asarray(won / (positives * negatives))


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
        positives, negatives = total_weights(weights)
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
        positives, negatives = total_weights(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = np.cumsum(weights.positives, axis=1, dtype=np.float64)
            gaps /= positives[:, np.newaxis]
            gaps -= np.cumsum(weights.negatives, axis=1) / negatives[:, np.newaxis]
        return np.asarray(np.maximum(0.0, gaps.max(axis=1)))


@dataclass(frozen=True)
class AtThreshold:
    """A measure at a threshold that stays where it is, of what lies above it and below it."""

    measure: Measure
    at: Conditions

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where it is undefined."""
        (tp, fn), (fp, tn) = (column.T for column in weights)
        return read_outcomes(self.measure, (tp, fp, fn, tn), self.at)


def read_outcomes(
    measure: Measure, outcomes: tuple[Floats, Floats, Floats, Floats], at: Conditions
) -> Floats:
    """Return a measure for arrays of tp, fp, fn and tn, NaN where it is undefined.

    Where the sample's own base rate is used, it is that of each of them.
    """
    tp, fp, fn, tn = outcomes
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = tp / (tp + fn), fp / (fp + tn)
        own = (tp + fn) / (tp + fp + fn + tn)
    prior = own if at.as_in_sample else np.full(own.shape, at.prior)
    values = rates_read(measure, rates, prior, float_costs(at.costs), (tp + fn, fp + tn))
    return np.where(np.isfinite(values), values, np.nan)


def float_costs(costs: Costs) -> tuple[float, ...]:
    """Return the costs of tp, fp, fn and tn."""
    return tuple(float(getattr(costs, name)) for name in ("tp", "fp", "fn", "tn"))


# ----------------------------------------------------------------------
# From resampled values to bounds and p-values: percentiles, BCa, and what is undefined.


PERCENTILE, BCA = "percentile", "bca"
METHODS = (PERCENTILE, BCA)
# More undefined replicates than this, and what is left says little.
MOST_UNDEFINED = 0.5


def undefined_noted(values: Floats) -> tuple[Floats, tuple[Note, ...]]:
    """The values that are defined, and a note of how many are not."""
    missing = int(np.count_nonzero(np.isnan(values)))
    if missing > MOST_UNDEFINED * len(values):
        raise refuse(
            "BR592",
            f"{missing} of {len(values)} replicates are undefined: so no interval can be given",
            "choose another statistic",
        )
    if not missing:
        return values, ()
    text = (
        f"{missing} of {len(values)} replicates {are(missing)} undefined (a class or a rule went"
        " missing): the interval is of the others"
    )
    return values[~np.isnan(values)], (Note("BR592", text),)


def alike(low: float, high: float) -> tuple[Note, ...]:
    """Resamples of what was never seen to err do not err: that is no certainty."""
    if low != high:
        return ()
    return (
        Note(
            "BR591",
            "every resample gave the same value: resampling cannot show what was not observed, so"
            " the value is not certain",
        ),
    )


def percentile_bounds(
    values: Floats, level: float, side: str, ends: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[float, float]:
    """The quantiles of the replicates; an end where no bound is requested."""
    below, above = missed_in_tails(level, side)
    low = float(np.quantile(values, below)) if below else ends[0]
    return low, float(np.quantile(values, 1 - above)) if above else ends[1]


def bootstrap_p(values: Floats) -> float:
    """How often the resampled difference is not on the side that it was seen on, twice; never 0, as
    the number of draws is finite.
    """
    if not values.any():
        return 1.0
    below, above = int(np.count_nonzero(values <= 0)), int(np.count_nonzero(values >= 0))
    return min(1.0, 2 * (min(below, above) + 1) / (len(values) + 1))


def bca_bounds(
    values: Floats, seen: float, acceleration: float, level: float, side: str
) -> tuple[float, float]:
    """Quantiles corrected for bias and for a spread that changes with the value. Efron 1987, JASA
    82:171-185.
    """
    # Replicates equal to what was seen count half: with ties, as many lie on either side.
    below_seen = (np.count_nonzero(values < seen) + np.count_nonzero(values == seen) / 2) / len(
        values
    )
    if not 0 < below_seen < 1:
        return percentile_bounds(values, level, side)
    bias = normal(below_seen)
    bounds = [-math.inf, math.inf]
    for place, tail in enumerate(missed_in_tails(level, side)):
        if tail:
            z = bias + normal(tail if place == 0 else 1 - tail)
            share = float(special().ndtr(bias + z / (1 - acceleration * z)))
            bounds[place] = float(np.quantile(values, share))
    return bounds[0], bounds[1]


def with_cells(like: Counts, positives: Array, negatives: Array) -> Counts:
    """Counts at the scores of others, without those that no case has."""
    kept = (positives > 0) | (negatives > 0)
    cells = Cells(like.scores[kept], positives[kept], negatives[kept])
    return Counts._of(cells, like.ledger, condensed=like.condensed)


# ----------------------------------------------------------------------
# Several comparisons.


def totals_of(source: Source) -> list[Counts]:
    """All cases together, of each model."""
    if isinstance(source, JointCounts):
        return [source[name] for name in source]
    return [source.total()]


def adjusted(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """The same differences, with Holm's adjustment for how many there are."""
    return tuple(
        replace(one, p_adjusted=p)
        for one, p in zip(found, holm([one.p_value for one in found]), strict=True)
    )


def check_replicates(first: Difference, tests: int) -> None:
    """A bootstrap's p-value is never below 2 / (replicates + 1): after Holm's adjustment it must
    still be able to fall below the level.
    """
    if (
        first.method != PERCENTILE
        or first.replicates is None
        or tests * 2 / (first.replicates + 1) < missed(first.level)
    ):
        return
    needed = math.ceil(4 * tests / missed(first.level))
    raise refuse(
        "BR580",
        f"{tests} comparisons of {first.replicates} resamples each: after Holm's adjustment none"
        " could be significant",
        Fix(f"replicates={needed}", f"--replicates {needed}"),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for how many there are: as small as each may be called while all stay
    honest together.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
