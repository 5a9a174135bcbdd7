"""Cases in clusters (rows of one patient, of one card): intervals, lower bounds of rates, and
effective sample sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, refuse_estimate
from baserate.counts.cells import Array
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves.areas import SHARE, auc
from baserate.decisions.operating_point import most_unseen, on_labels, unseen
from baserate.errors import InputError, Note, combine, number_of, refuse
from baserate.inference.auc import METHODS, PLACEMENTS, Placed, cell_placements, find_scores
from baserate.inference.rates import CLOPPER_PEARSON, Scale, bounds, special
from baserate.inference.resample import (
    CLUSTERS,
    FEW_CLUSTERS,
    PERCENTILE,
    FlaggedRuns,
    Plan,
    Weights,
    check_enough,
    clusters_by_class,
    clusters_with,
    float_costs,
    make_sample,
    percentile_bounds,
    read_outcomes,
    replicate,
    sums_by_cluster,
    undefined_noted,
)
from baserate.inference.sample_size import refuse_masses
from baserate.inference.statistic import Statistic, shifted
from baserate.measures.confusion import Measure, named, rates_read
from baserate.measures.registry import CLASS_OF
from baserate.numbers import Floats
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import BOTH, EXACT, LOWER, UPPER, Interval, missed, missed_in_tails

# ----------------------------------------------------------------------
# The lower bound of a rate whose cases come in clusters of any sizes, each as if all its rows came
# out alike.


# Rows times different sizes up to which the distribution is computed, and the least probability
# that it is computed for.
WORK, RARE = 300_000, 1e-9
# What a sum of computed probabilities may be wrong by.
SLACK = 1e-12
STEPS = 44


def alike_lower(seen: int, sizes: Sequence[int], level: float) -> float:
    """The rate at which as many rows, or more, would come out with probability 1 − level, where
    every cluster is drawn as one.

    With clusters of sizes nᵢ, rows seen are Σ nᵢ Bᵢ with independent Bᵢ at one rate: where all
    sizes are equal that is a binomial, and the bound Clopper and Pearson's; else their distribution
    is computed (its Fourier transform is a product), and of very many rows the probability is
    bounded as Chernoff did (1952, Ann. Math. Stat. 23:493-507), which is wider, never narrower. A
    number of rows that no whole clusters make is rounded down, and a bound is never above the share
    seen.
    """
    rows = sum(sizes)
    lengths, times = np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)
    if len(lengths) == 1:
        return bounds(seen // int(lengths[0]), len(sizes), level, CLOPPER_PEARSON, LOWER)[0]
    if seen == rows:
        return math.exp(math.log1p(-level) / len(sizes))
    missed = 1 - level
    if rows * len(lengths) <= WORK and missed >= RARE:
        reached = _made_of_clusters(seen, lengths.tolist(), times.tolist())
        low = (
            _largest(lambda rate: _tail(reached, rows, rate, lengths, times) + SLACK <= missed)
            if reached
            else 0.0
        )
    else:
        low = (
            _largest(lambda rate: _chernoff(seen, rate, lengths, times) <= math.log(missed))
            if seen
            else 0.0
        )
    return min(low, seen / rows)


def _largest(allowed: Callable[[float], bool]) -> float:
    """The largest rate that is allowed, to 2^−44, from below."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return low


def _made_of_clusters(seen: int, lengths: Sequence[int], times: Sequence[int]) -> int:
    """The largest number of rows, at most those seen, that some of the clusters have together: one
    bit a number.
    """
    within, reached = (1 << (seen + 1)) - 1, 1
    for length, count in zip(lengths, times, strict=True):
        left, step = count, 1
        while left > 0:  # 1, 2, 4 … of a size, so that many cost few shifts
            reached |= (reached << length * min(step, left)) & within
            left, step = left - step, 2 * step
    return reached.bit_length() - 1


def _tail(seen: int, rows: int, rate: float, lengths: Any, times: Any) -> float:
    """The probability of as many rows or more."""
    turns = np.exp(-2j * np.pi / (rows + 1) * np.arange((rows + 1) // 2 + 1))
    transform = np.ones(len(turns), dtype=np.complex128)
    for length, count in zip(lengths.tolist(), times.tolist(), strict=True):
        transform *= (1 - rate + rate * turns**length) ** count
    return float(np.fft.irfft(transform, rows + 1)[seen:].sum())


def _chernoff(seen: int, rate: float, lengths: Any, times: Any) -> float:
    """The logarithm of a bound on the same, least over the tilt; any tilt bounds it, so that how
    well it is found is no matter.
    """
    if not rate:
        return -math.inf
    unit = lengths / lengths[-1]
    low, high = 0.0, 700.0 * float(lengths[-1] / lengths[0])
    for _ in range(STEPS):
        tilt = (low + high) / 2
        with np.errstate(over="ignore"):
            risen = times * lengths / (1 + (1 - rate) / rate * np.exp(-tilt * unit))
        low, high = (tilt, high) if risen.sum() < seen else (low, tilt)
    if not low:
        return 0.0
    return float(
        (times * np.logaddexp(math.log1p(-rate), math.log(rate) + low * unit)).sum()
        - low * seen / lengths[-1]
    )


# ----------------------------------------------------------------------
# Cases that come in clusters (rows of one patient, of one card): intervals of AUC and at a fixed
# threshold, and how many cases they are worth.


# The class whose cases each rate is a share of: 0 positives, 1 negatives.
CLUSTER_T, AS_CLUSTERS = "cluster-t", "clopper-pearson of clusters"
# A slope is measured over this share of the way to the nearer end of a rate.
STEP = 1e-5
# With an AUC from here on and fewer clusters than this, simulated intervals missed the true value
# on one side in up to 5 %.
HIGH_AUC, MANY_CLUSTERS = 0.93, 100
# tp, fp, fn and tn of every cluster, one row each.
Table = Floats
Read = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Clustered:
    """How many rows a cluster has, and how many clusters hold either class; `worth` is how many
    independent cases they are worth at least.
    """

    clusters: int
    rows: int
    with_positives: int
    with_negatives: int
    worth: tuple[int, int]

    @property
    def rows_each(self) -> float:
        return self.rows / self.clusters if self.clusters else math.nan


def clustered(groups: GroupedCounts) -> Clustered:
    """How much information do these clusters hold?

    Where the rows of a cluster always come out alike, n rows in clusters of sizes nᵢ are worth (Σ
    nᵢ)² / Σ nᵢ² independent ones (Kish 1965, Survey Sampling, §11.7), which is the number of
    clusters where all are of one size. Where they do not, they are worth more.
    """
    refuse_masses(groups.weighted)
    columns = groups.positives, groups.negatives
    rows = int(groups.total_positives) + int(groups.total_negatives)
    worth = tuple(_worth(sums_by_cluster(column, groups)) for column in columns)
    held = clusters_by_class(groups)
    return Clustered(len(groups), rows, held["positives"], held["negatives"], (worth[0], worth[1]))


def _worth(sizes: Array) -> int:
    whole, squares = int(sizes.sum()), sum(int(size) ** 2 for size in sizes.tolist())
    return whole**2 // squares if squares else 0


def spread_of(source: Counts | JointCounts | GroupedCounts, level: float) -> float:
    """By how much resamples of few clusters must be spread about the value seen: by 1 where cases
    are drawn one by one.

    The variance of resampled clusters is too small by the factor (K - 1) / K, and as it is known
    from few clusters only, Student's t takes the place of the normal distribution.
    """
    if not isinstance(source, GroupedCounts):
        return 1.0
    share = 1 - missed(level) / 2
    sums = [sums_by_cluster(column, source) for column in (source.positives, source.negatives)]
    worth = min(float(cases.sum()) ** 2 / float(cases @ cases) for cases in sums)
    few = len(source) / max(1, len(source) - 1)
    return math.sqrt(few) * float(
        special().stdtrit(max(1.0, worth - 1), share) / special().ndtri(share)
    )


def cluster_notes(groups: GroupedCounts, name: str = "") -> tuple[Note, ...]:
    """What a reader should know of clusters: rows in each, and the number that counts."""
    found, of = clustered(groups), f" of {name}" if name else ""
    worth = number_of(found.with_positives, "of them contains", "of them contain")
    few = (
        f" (with fewer than {FEW_CLUSTERS} they are rough)"
        if found.with_positives < FEW_CLUSTERS
        else ""
    )
    return (
        Note(
            "BR432",
            f"{number_of(found.rows, 'row')} in {number_of(found.clusters, 'cluster')}{of}"
            f" ({found.rows_each:.3g} rows each): intervals treat each cluster as one unit{few};"
            f" {worth} positives",
        ),
    )


def with_clusters(point: OperatingPoint, groups: GroupedCounts, scored: Counts) -> OperatingPoint:
    """The point with notes that hold of clusters: how many false positives may be unseen, and
    whether labels are as frequent among flagged cases as among the others (`scored` has all
    scored cases).
    """
    held, notes = clusters_with(groups, groups.negatives), list[Note]()
    for note in point.notes:
        if note.code == "BR505" and not point.fp:
            negatives = f"{number_of(int(groups.total_negatives), 'negative')} of"
            bound = most_unseen(held)
            notes.append(unseen(point, bound, f"{negatives} {number_of(held, 'cluster')}"))
        else:
            notes.append(note)
    biased = [note for note in on_labels(point, scored) if note.code == "BR116"]
    return replace(point, notes=combine(biased, notes))


def cluster_bound(
    measure: str, groups: GroupedCounts, point: OperatingPoint, level: float, side: str
) -> Interval:
    """The one-sided bound of a rate within a class, as if the rows of a cluster always came out
    alike.
    """
    of = CLASS_OF[measure]
    sizes = [
        size
        for size in sums_by_cluster((groups.positives, groups.negatives)[of], groups).tolist()
        if size
    ]
    outcome = {"tpr": "tp", "fnr": "fn", "tnr": "tn", "fpr": "fp"}[measure]
    seen, low, high = int(getattr(point.confusion, outcome)), 0.0, 1.0
    if sizes and side != UPPER:
        low = alike_lower(seen, sizes, level)
    if sizes and side != LOWER:
        high = 1 - alike_lower(sum(sizes) - seen, sizes, level)
    return Interval(float(point[measure]), low, high, level, AS_CLUSTERS, side, measure, point.at)


def cluster_intervals(
    point: OperatingPoint,
    groups: GroupedCounts,
    names: Iterable[str],
    plan: Plan | None = None,
    level: float = 0.95,
    side: str = BOTH,
) -> dict[str, Interval]:
    """The intervals of several measures at a point whose threshold is fixed in advance: without
    resampling, or by the resamples of a `plan`.

    There are none where fewer than five clusters hold a class.
    """
    refuse_estimate(point.at, "an interval from whole clusters")
    if point.share != 1 and point.regardless is None:
        # a share of a tie: expected values, of which no row is flagged or not
        return {}
    try:
        notes = check_enough(groups)
    except InputError:
        return {}
    table = outcomes_by_cluster(groups, point.threshold)
    drawn = None if plan is None else draw_outcomes(groups, point.threshold, plan)
    found: dict[str, Interval] = {}
    for name in names:
        asked = named(name, point.volume)
        try:
            seen = float(point[asked])
            if math.isnan(seen):
                continue
            if point.regardless is not None and (
                not asked.depends_on_prior or not point.at.as_in_sample
            ):
                found[name] = Interval(seen, seen, seen, level, EXACT, side, name, point.at)
            elif plan is None or drawn is None:
                made = _at_threshold(asked, seen, table, point.at, level, side)
                found[name] = replace(made, notes=_few(groups))
            else:
                values, missing = undefined_noted(read_outcomes(asked, drawn, point.at))
                low, high = percentile_bounds(values, level, side, asked.range)
                alike = low == high  # resampling cannot show what was not observed
                found[name] = (
                    _at_threshold(asked, seen, table, point.at, level, side)
                    if alike
                    else Interval(
                        seen,
                        low,
                        high,
                        level,
                        PERCENTILE,
                        side,
                        name,
                        point.at,
                        plan.replicates,
                        plan.seed,
                        (*notes, *missing),
                    )
                )
        except InputError:
            continue
    return found


def outcomes_by_cluster(groups: GroupedCounts, threshold: float | None) -> Floats:
    """Return tp, fp, fn and tn of every cluster at this threshold, a row each."""
    Points.of(groups.total()).place(threshold)  # refuses what is no threshold here
    flagged = np.zeros(len(groups.scores), dtype=np.bool_)
    if threshold is not None:
        flagged = groups.scores >= threshold
    columns = [
        sums_by_cluster(column * kept, groups)
        for kept in (flagged, ~flagged)
        for column in (groups.positives, groups.negatives)
    ]
    return np.stack(columns, axis=1).astype(np.float64)


def draw_outcomes(
    groups: GroupedCounts, threshold: float | None, plan: Plan
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return tp, fp, fn and tn at this threshold in every resample."""
    tp, fn, fp, tn = replicate(make_sample(groups, FlaggedRuns(threshold)), stack_outcomes, plan).T
    return tp, fp, fn, tn


def stack_outcomes(weights: Weights) -> Floats:
    """Return tp, fn, fp and tn of every resample at a fixed threshold, a row each."""
    return np.concatenate(weights, axis=1)


def cluster_plan(replicates: int, seed: int, progress: Any = None) -> Plan:
    """Resamples of whole clusters."""
    return Plan(CLUSTERS, replicates, seed, progress)


def interval_of_clusters(
    statistic: Statistic, groups: GroupedCounts, level: float, side: str
) -> Interval:
    """The interval of AUC, Gini or a measure at a fixed threshold, without resampling."""
    refuse_masses(groups.weighted)
    check_enough(groups)
    total = groups.total()
    seen = float(statistic.value(total))
    if math.isnan(seen):
        raise refuse(
            "BR589",
            f"{statistic.name} is undefined for these cases, and so is its interval",
            "see its value for the reason",
        )
    if statistic.measure is None:
        found = _of_ranking(statistic.name, groups, total, level, side)
        return replace(found, notes=_few(groups) or _high(groups, total))
    found = _at_threshold(
        statistic.measure,
        seen,
        outcomes_by_cluster(groups, statistic.threshold),
        statistic.at,
        level,
        side,
    )
    high = _high(groups, total) if statistic.measure.name == "precision" else ()
    return replace(found, notes=combine(_few(groups) or high, shifted(statistic, total)))


def has_closed_form(statistic: Statistic) -> bool:
    """Whether its interval over clusters is known without resampling them."""
    return statistic.name in ("auc", "gini") or statistic.fixed


def _few(groups: GroupedCounts) -> tuple[Note, ...]:
    """What simulations found of intervals from few clusters."""
    fewest, what = min((held, name) for name, held in clusters_by_class(groups).items())
    few = Note(
        "BR630",
        f"only {number_of(fewest, 'cluster holds', 'clusters hold')} {what}: with so few, 95 %"
        " intervals held the true value in 93 to 99 % of simulated samples, and a true AUC outside"
        " lay mostly below the interval",
    )
    return (few,) if fewest < FEW_CLUSTERS else ()


def _high(groups: GroupedCounts, total: Counts) -> tuple[Note, ...]:
    """What simulations found of a high AUC, also with more clusters."""
    fewest = min(clusters_by_class(groups).values())
    if fewest >= MANY_CLUSTERS or not HIGH_AUC <= float(auc(total)) < 1:
        return ()
    return (
        Note(
            "BR630",
            f"with an AUC above {HIGH_AUC} and fewer than {MANY_CLUSTERS} clusters, 95 % intervals"
            " of AUC and precision held the true value in 93 to 95 % of simulated samples, and one"
            " outside lay mostly below",
        ),
    )


# ---- the variance between clusters ------------------------------------------------------------


class _Part(NamedTuple):
    """A mean over cases: by how much the cases of each cluster differ from it in all, and how many
    they are.
    """

    changes: Floats
    cases: Floats


def _deviation(parts: Sequence[_Part], left_out: Floats, slope: float) -> tuple[float, float]:
    """The standard deviation of a value on the scale of its bounds, and its degrees of freedom.

    `left_out` is how much it changes there without each cluster, and `slope` how fast it changes
    with the sum of the means. The jackknife and its linear approximation disagree where few
    clusters hold most of what can go wrong: the larger one counts. Where nothing is left to read
    without a cluster, its change is approximated.
    """
    linear = slope * np.sum(
        [part.changes / (part.cases.sum() - part.cases) for part in parts], axis=0
    )
    exact = np.where(np.isfinite(left_out), left_out, linear)
    # Of each mean, a cluster is expected to add to the variance in proportion to its cases.
    shares = np.sum(
        [
            np.sum((part.changes / part.cases.sum()) ** 2) * part.cases / part.cases.sum()
            for part in parts
        ],
        axis=0,
    )
    squares = float(np.sum(shares**2))
    degrees = float(np.sum(shares)) ** 2 / squares - 1 if squares else 0.0
    variance = max(float(linear @ linear), (1 - 1 / len(exact)) * float(exact @ exact))
    return math.sqrt(variance), max(degrees, 1.0)


def _scaled_bounds(
    scale: Scale, value: float, left_out: Floats, parts: Sequence[_Part], level: float, side: str
) -> tuple[float, float] | None:
    """From the value without each cluster; an end where no bound is requested, and None where all
    clusters say the same.
    """
    center = float(scale.of(value))
    deviation, degrees = _deviation(parts, center - scale.of(left_out), scale.slope(value))
    if not deviation:
        return None
    steps = [
        float(special().stdtrit(degrees, 1 - out)) * deviation if out else math.inf
        for out in missed_in_tails(level, side)
    ]
    return scale.back(center - steps[0]), scale.back(center + steps[1])


def _of_ranking(
    name: str, groups: GroupedCounts, total: Counts, level: float, side: str
) -> Interval:
    """AUC's, by the placements of each cluster's cases; or that of Gini's coefficient, which is
    twice AUC less one.
    """
    value = float(auc(total))
    places = find_scores(total, groups.scores)
    parts, left, pairs = [], -_within(groups), 1.0
    for placements, column, others in zip(
        cell_placements(total.positives, total.negatives),
        (groups.positives, groups.negatives),
        (int(total.total_negatives), int(total.total_positives)),
        strict=True,
    ):
        cases = sums_by_cluster(column, groups).astype(np.float64)
        beaten = sums_by_cluster(placements[places] * column, groups)
        parts.append(_Part(beaten / others - value * cases, cases))
        left, pairs = left + beaten, pairs * (cases.sum() - cases)
    whole = value * float(total.total_positives) * float(total.total_negatives)
    bounds = None
    if 0 < value < 1:
        bounds = _scaled_bounds(Scale(*SHARE), value, (whole - left) / pairs, parts, level, side)
    method = CLUSTER_T
    if bounds is None:
        method, side = AS_CLUSTERS, _known_side(value, SHARE, side)
        bounds = METHODS[PLACEMENTS](
            Placed(value, *clustered(groups).worth, 0.0, 0.0), *missed_in_tails(level, side)
        )
    low, high = bounds
    if name == "gini":
        value, low, high = 2 * value - 1, 2 * low - 1, 2 * high - 1
    return Interval(value, low, high, level, method, side, name)


def _within(groups: GroupedCounts) -> Floats:
    """Of each cluster, in how many pairs of its own cases the positive is ahead; a tie is half."""
    starts = np.repeat(groups.offsets[:-1], np.diff(groups.offsets))
    running = np.concatenate(([0], np.cumsum(groups.positives)))
    ahead = running[1:] - running[starts] - groups.positives / 2
    return sums_by_cluster(ahead * groups.negatives, groups).astype(np.float64)


def _known_side(value: float, ends: tuple[float, float], side: str) -> str:
    """Of a value at the end of its range nothing is known beyond."""
    if side != BOTH or value not in ends:
        return side
    return UPPER if value == ends[0] else LOWER


# ---- measures at a fixed threshold ------------------------------------------------------------


class _Rates(NamedTuple):
    """tpr, fpr and the share of positives: of each cluster the cases that count for the rate, and
    those it is a share of; and which matter.
    """

    hits: Floats
    cases: Floats
    used: tuple[int, ...]

    @property
    def values(self) -> Floats:
        return np.asarray(self.hits.sum(axis=1) / self.cases.sum(axis=1))

    @property
    def left_out(self) -> Floats:
        """The same without each cluster."""
        hits, cases = (part.sum(axis=1, keepdims=True) - part for part in (self.hits, self.cases))
        with np.errstate(invalid="ignore"):
            return np.asarray(hits / cases)


def _rates(asked: Measure, table: Table, at: Conditions) -> _Rates:
    tp, fp, fn, tn = table.T
    positives, rows = tp + fn, table.sum(axis=1)
    used: tuple[int, ...] = (CLASS_OF[asked.name],) if asked.name in CLASS_OF else (0, 1)
    if asked.depends_on_prior and at.as_in_sample:
        used = (0, 1, 2)
    return _Rates(np.array([tp, fp, positives]), np.array([positives, fp + tn, rows]), used)


def _at_threshold(
    asked: Measure, seen: float, table: Table, at: Conditions, level: float, side: str
) -> Interval:
    rates = _rates(asked, table, at)
    read = _reader(asked, table, at)
    values, ends = rates.values, _ends(asked, read, rates.values)
    if all(0 < values[one] < 1 for one in rates.used) and ends[0] < seen < ends[1]:
        slopes = _slopes(read, values, rates.used)
        changes = rates.hits - values[:, None] * rates.cases
        parts = [
            _Part(slope * changes[one], rates.cases[one])
            for slope, one in zip(slopes, rates.used, strict=True)
        ]
        bounds = _scaled_bounds(Scale(*ends), seen, read(rates.left_out.T), parts, level, side)
        if bounds is not None:
            return Interval(seen, *bounds, level, CLUSTER_T, side, str(asked), at)
    return _alike(asked, seen, (rates, read, ends), at, level, side)


def _reader(asked: Measure, table: Table, at: Conditions) -> Read:
    """The measure at rows of (tpr, fpr, share of positives)."""
    costs = float_costs(at.costs)
    totals = float(table[:, [0, 2]].sum()), float(table[:, [1, 3]].sum())
    prior = None if at.as_in_sample else at.prior
    return lambda rows: rates_read(
        asked, (rows[:, 0], rows[:, 1]), rows[:, 2] if prior is None else prior, costs, totals
    )


def _ends(asked: Measure, read: Read, values: Floats) -> tuple[float, float]:
    """The range of the measure: of costs and numbers of cases, which have none of their own, what
    no and all errors come to.
    """
    if all(map(math.isfinite, asked.range)):
        return asked.range
    corners = read(np.array([(t, f, values[2]) for t in (0.0, 1.0) for f in (0.0, 1.0)]))
    return (
        (float(corners.min()), float(corners.max())) if np.isfinite(corners).all() else asked.range
    )


def _slopes(read: Read, values: Floats, used: Sequence[int]) -> Floats:
    """How fast the measure changes with each rate."""
    steps = STEP * np.minimum(values, 1 - values)[list(used)]
    moves = np.zeros((len(used), 3))
    moves[np.arange(len(used)), list(used)] = steps
    return np.asarray((read(values + moves) - read(values - moves)) / (2 * steps))


def _alike(
    asked: Measure,
    seen: float,
    of: tuple[_Rates, Read, tuple[float, float]],
    at: Conditions,
    level: float,
    side: str,
) -> Interval:
    """Where an outcome was never seen: each rate as if the rows of a cluster always came out alike,
    and its share of what may be missed.
    """
    rates, read, ends = of
    side = _known_side(seen, ends, side)
    surely = 1 - missed(level) / (len(rates.used) * (2 if side == BOTH else 1))
    boxes = [(value, value) for value in rates.values.tolist()]
    for one in rates.used:
        sizes = [int(size) for size in rates.cases[one].tolist() if size]
        hits = int(rates.hits[one].sum())
        boxes[one] = (
            alike_lower(hits, sizes, surely),
            1 - alike_lower(sum(sizes) - hits, sizes, surely),
        )
    corners = read(np.array(list(product(*boxes))))
    low = ends[0] if side == UPPER else float(np.nanmin(corners))
    high = ends[1] if side == LOWER else float(np.nanmax(corners))
    return Interval(seen, low, high, level, AS_CLUSTERS, side, str(asked), at)
