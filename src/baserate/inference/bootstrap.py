"""The bootstrap on counts: resamples of cells, clusters or paired cases, and percentile and BCa
intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import Array, lowest_score, run_starts
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.errors import CASE_CONTROL, Fix, Ledger, Note, are, grouped, number_of, quoted, refuse
from baserate.inference.auc import cell_placements
from baserate.inference.rates import normal, refuse_weights, special
from baserate.inference.resample import Weights, replicate_statistic
from baserate.inference.statistic import Statistic, float_costs, outcomes_read
from baserate.kernels import Cells, Urn, best
from baserate.kernels.draws import MOST_CASES, in_parallel, threads
from baserate.numbers import INT64_MAX, Floats, Ints
from baserate.results.values import checked_replicates, checked_seed, tails

# ----------------------------------------------------------------------
# From resampled values to an interval: percentiles, or BCa, with every degenerate replicate
# accounted for.


PERCENTILE, BCA = "percentile", "bca"
METHODS = (PERCENTILE, BCA)
# The jackknife leaves out at most so many cases of each class, spread evenly over the scores.
MOST_LEFT_OUT = 500
# More undefined replicates than this, and what is left says little.
MOST_UNDEFINED = 0.5
# Differences in influence below this share of it are rounding.
ROUNDING = 1e-11


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
    below, above = tails(level, side)
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
    for place, missed in enumerate(tails(level, side)):
        if missed:
            z = bias + normal(missed if place == 0 else 1 - missed)
            share = float(special().ndtr(bias + z / (1 - acceleration * z)))
            bounds[place] = float(np.quantile(values, share))
    return bounds[0], bounds[1]


def acceleration(
    statistic: Statistic, source: Counts | GroupedCounts | JointCounts, how: str
) -> float:
    """How fast the spread changes, from what leaving one case (or one cluster) out does to the
    statistic.

    Where class totals are drawn too, all cases are one sample; otherwise each class is one.
    """
    if isinstance(source, GroupedCounts):
        return _skewness([_clusters_left_out(statistic, source)])
    if isinstance(source, JointCounts):
        raise refuse(
            "BR581",
            "bca is for one set of counts; differences are compared by percentile",
            'method="percentile"',
        )
    whole = float(source.total_positives + source.total_negatives)
    if statistic.is_auc:
        columns = source.positives, source.negatives
        parts: list[tuple[Floats, Any]] = list(zip(cell_placements(source), columns, strict=True))
        if how == CASES:
            # One more case of a class counts the more, the fewer it has.
            mean = np.average(parts[0][0], weights=parts[0][1])
            parts = [((values - mean) * whole / cases.sum(), cases) for values, cases in parts]
    else:
        parts = [
            _cases_left_out(statistic, source, of_positives=side, together=how == CASES)
            for side in (True, False)
        ]
    if how == CASES:
        values, cases = (np.concatenate(column) for column in zip(*parts, strict=True))
        return _skewness([_centred(values, cases, whole)])
    totals = float(source.total_positives), float(source.total_negatives)
    return _skewness([_centred(*part, total) for part, total in zip(parts, totals, strict=True)])


Influence = tuple[Floats, Floats, float]


def _centred(values: Floats, cases: Any, whole: float) -> Influence:
    """Influence around its mean, with the number of cases that have it; what is only rounding is
    nothing.
    """
    kept = (cases > 0) & ~np.isnan(values)
    if not kept.any():
        return np.zeros(1), np.ones(1), whole
    weights = cases[kept].astype(np.float64)
    centred = values[kept] - np.average(values[kept], weights=weights)
    centred[np.abs(centred) <= ROUNDING * np.abs(values[kept]).max()] = 0.0
    return centred, weights, whole


def _cases_left_out(
    statistic: Statistic, counts: Counts, *, of_positives: bool, together: bool
) -> tuple[Floats, Floats]:
    """The empirical influence of cases spread evenly over one class, and how many cases each of
    them stands for.
    """
    column = counts.positives if of_positives else counts.negatives
    cells = np.flatnonzero(column > 0)
    picked = cells[_spread_evenly(len(cells))]
    whole = (
        float(counts.total_positives + counts.total_negatives) if together else float(column.sum())
    )
    without = []
    for cell in picked:
        fewer = column.copy()
        fewer[cell] -= 1
        columns = (fewer, counts.negatives) if of_positives else (counts.positives, fewer)
        without.append(statistic.tried(with_cells(counts, *columns)))
    # Cells picked evenly stand for the others of their class.
    weights = column[picked] * (float(column.sum()) / float(column[picked].sum()))
    return -(whole - 1) * np.array(without), weights


def _spread_evenly(number: int) -> Ints:
    """Places of those that are left out, of this number of cells or clusters."""
    return np.unique(np.linspace(0, number - 1, min(number, MOST_LEFT_OUT)).round().astype(np.intp))


def with_cells(like: Counts | View, positives: Array, negatives: Array) -> Counts:
    """Counts at the scores of others, without those that no case has."""
    kept = (positives > 0) | (negatives > 0)
    cells = Cells(like.scores[kept], positives[kept], negatives[kept])
    return Counts._of(cells, like.ledger, condensed=like.condensed)


def _clusters_left_out(statistic: Statistic, groups: GroupedCounts) -> Influence:
    names, total = list(groups), groups.total()
    without = []
    for place in _spread_evenly(len(names)):
        part = groups[names[place]]
        places = len(total.scores) - 1 - np.searchsorted(total.scores[::-1], part.scores)
        positives, negatives = total.positives.copy(), total.negatives.copy()
        positives[places] -= part.positives
        negatives[places] -= part.negatives
        without.append(statistic.tried(with_cells(total, positives, negatives)))
    return _centred(-(len(names) - 1) * np.array(without), np.ones(len(without)), float(len(names)))


def _skewness(classes: list[Influence]) -> float:
    """A sixth of the skewness of the sum of the classes' means, as BCa needs it."""
    cubes = squares = 0.0
    for influence, weights, cases in classes:
        share = weights / weights.sum()
        cubes += float(np.sum(share * influence**3)) / cases**2
        squares += float(np.sum(share * influence**2)) / cases
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


# ----------------------------------------------------------------------
# The bootstrap on the counts: resamples of cells, of whole clusters, or of cases that several
# models scored; nothing is sorted again.


STRATIFIED, CASES, CLUSTERS = "stratified", "cases", "clusters"
HOWS = (STRATIFIED, CASES, CLUSTERS)
POSITIVES, NEGATIVES, WHOLE = 0, 1, 2
# Numbers of a block of resamples that are held at a time; up to MOST_HELD where each thread then
# has a resample.
BLOCK, MOST_HELD = 1 << 21, 1 << 24
FEWEST, FEW, FEW_CLUSTERS = 5, 30, 20
TOO_FEW = "too few for a precise bootstrap interval"
# Up to so many clusters, the pairs that each wins over each are counted once (a square of 8 bytes a
# pair).
MOST_SQUARED = 2500
OTHERWISE = Fix(
    'rate_interval, or interval(counts, "auc") by its own method',
    "leave --replicates out, or compare by auc or at thresholds",
)
Progress = Callable[[int, int], None]
Source = Counts | GroupedCounts | JointCounts


@dataclass(frozen=True)
class Plan:
    """How to resample: by class, by case or by cluster, how often, from which seed, and whom to
    tell how far it has got.
    """

    how: str
    replicates: int
    seed: int
    progress: Progress | None = None
    # The number of the first resample: the next ones are drawn by a plan that starts where this one
    # ends.
    first: int = 0

    def told(self, done: int) -> None:
        """Reports that `done` resamples are drawn."""
        if self.progress is not None:
            self.progress(done, self.replicates)


def planned(
    source: Source,
    of_prior: bool,  # noqa: FBT001
    how: str | None,
    replicates: int,
    seed: int,
    progress: Progress | None,
) -> Plan:
    """By cluster where the cases are grouped; by case where the sample's own prior is estimated
    along; otherwise by class.
    """
    if how is None:
        random = source.ledger.design != CASE_CONTROL
        how = (
            CLUSTERS
            if isinstance(source, GroupedCounts)
            else CASES
            if of_prior and random
            else STRATIFIED
        )
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
    """A bootstrap of a handful of cases only shows the same handful again: refused below five, and
    noted below thirty.
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
    """How many clusters hold a case of either class."""
    return {
        "positives": clusters_with(groups, groups.positives),
        "negatives": clusters_with(groups, groups.negatives),
    }


def clusters_with(groups: GroupedCounts, column: Array) -> int:
    """How many groups hold a case of this class."""
    return int(np.count_nonzero(sums_by_cluster(column, groups)))


# What a statistic sees of the scores: each of them, or the ROC alone, which runs of negatives of
# whatever length leave as it is. Where it sees one threshold a model, it is handed that.
EVERY_SCORE, ROC_ALONE = "every score", "the roc alone"


def resampled(source: Source, plan: Plan, sight: Any = EVERY_SCORE) -> Iterator[list[Counts]]:
    """The counts of each resample, as far as they are seen: one for Counts and GroupedCounts, one
    per model for JointCounts.
    """
    drawer = drawer_of(source, plan, sight)
    for done, blocks in _blocks(drawer, plan, lambda _, *block: block):
        for positives, negatives in blocks:
            for row in zip(positives, negatives, strict=True):
                yield [view(*row) for view in drawer.views]
        plan.told(done)


def drawer_of(source: Source, plan: Plan, sight: Any) -> Drawer:
    """What draws the cells of resamples, and views that turn them into counts."""
    if isinstance(source, GroupedCounts):
        return _Clusters(source, sight)
    if isinstance(source, Counts):
        return _Cases(source, plan, sight)
    return _Models(source, plan, sight)


def _blocks(
    drawer: Drawer, plan: Plan, read: Callable[[int, Array, Array], Any]
) -> Iterator[tuple[int, list[Any]]]:
    """`read(number of the first, positives, negatives)` of blocks of resamples, a row of cells
    each: drawn and read in threads, in order. With the results comes how many are done.
    """
    width, workers = max(1, drawer.width), threads()
    rows = max(1, BLOCK // width, min(workers, MOST_HELD // width))
    for first in range(0, plan.replicates, rows):
        end = min(first + rows, plan.replicates)

        def work(start: int, end: int, first: int = first) -> Any:
            shape = end - start, drawer.width
            positives, negatives = np.empty(shape, drawer.kind), np.empty(shape, drawer.kind)
            drawer.draw(first + start, plan, (positives, negatives))
            return read(first + start, positives, negatives)

        yield end, in_parallel(work, end - first, workers)


class _Cases:
    """Cells of either class, drawn by class (sizes as they are) or by case (class totals drawn
    too).
    """

    kind: Any = np.int64

    def __init__(self, source: Counts, plan: Plan, sight: Any) -> None:
        refuse_weights(source)
        scores, columns = source.scores, [source.positives, source.negatives]
        outcomes = isinstance(sight, Mapping)
        if outcomes:
            place = Points.of(source).place(*sight.values())
            scores, columns = (
                np.array([math.inf, -math.inf]),
                [np.array([column[:place].sum(), column[place:].sum()]) for column in columns],
            )
        self.width = len(scores)
        self.sizes = class_sizes((int(source.total_positives), int(source.total_negatives)), plan)
        self.urns = [urn_of(column, plan) for column in columns]
        self.views = [
            View(
                scores,
                source.ledger,
                slice(None),
                condensed=source.condensed,
                outcomes=outcomes,
            )
        ]

    def draw(self, start: int, plan: Plan, block: tuple[Array, Array]) -> None:
        draw_classes(self.urns, self.sizes, start, plan, block)


def draw_classes(
    urns: Sequence[Urn], sizes: tuple[Ints, Ints], start: int, plan: Plan, block: Sequence[Array]
) -> None:
    """Cells of positives and of negatives, of the resamples from `start` on, into a row each."""
    for stream, (urn, size, out) in enumerate(zip(urns, sizes, block, strict=True)):
        best.draw(urn, size[start : start + len(out)], plan.seed, plan.first + start, stream, out)


class _Models:
    """Cases that several models scored, drawn once and added up model by model.

    Cases that no statistic can tell apart are one cell of the urn: of the ROC alone, those between
    the same positives of every model; of thresholds, those that are flagged by the same models.
    """

    kind: Any = np.int64

    def __init__(self, source: JointCounts, plan: Plan, sight: Any) -> None:
        refuse_weights(source)
        # The same cases are drawn from in the same way, in whatever order they or their models
        # stand, and however models are called. (Where two models have the same counts, only their
        # names can tell them apart.)
        order = sorted(source.models, key=lambda name: (source.marginal(name).digest, str(name)))
        cells = {name: _cells_seen(source, name, sight) for name in order}
        places = np.cumsum([0, *(len(cells[name].scores) for name in order)])
        offsets = dict(zip(order, places[:-1].tolist(), strict=True))
        self.width = int(places[-1])
        self.sizes = class_sizes((int(source.total_positives), int(source.total_negatives)), plan)
        codes, together = _together(
            [cells[name].codes for name in order], [len(cells[name].scores) for name in order]
        )
        self.urns, self.spots = [], []
        for column in (source.positives, source.negatives):
            sums = (
                np.bincount(together, column, minlength=len(codes)).astype(np.int64)
                if column.any()
                else np.zeros(len(codes), dtype=np.int64)
            )
            used = np.flatnonzero(sums)
            self.urns.append(urn_of(sums[used], plan) if len(used) else None)
            self.spots.append(np.ascontiguousarray(codes[used] + places[:-1], dtype=np.uint32))
        self.views = [
            View(
                cells[name].scores,
                source.ledger,
                slice(offsets[name], offsets[name] + len(cells[name].scores)),
                condensed=sight == ROC_ALONE,
                outcomes=isinstance(sight, Mapping),
            )
            for name in source.models
        ]

    def draw(self, start: int, plan: Plan, block: tuple[Array, Array]) -> None:
        for stream, (urn, spots, sizes, out) in enumerate(
            zip(self.urns, self.spots, self.sizes, block, strict=True)
        ):
            if urn is None:
                out[...] = 0
            else:
                best.draw_sums(
                    urn,
                    sizes[start : start + len(out)],
                    plan.seed,
                    plan.first + start,
                    stream,
                    spots,
                    out,
                )


class _Seen(NamedTuple):
    """The cells that are distinguished, in descending order: the lowest score of each, and which
    one every case is in.
    """

    scores: Array
    codes: Ints


def _cells_seen(source: JointCounts, name: str, sight: Any) -> _Seen:
    scores = source.scores[name]
    if isinstance(sight, Mapping):
        cut = sight[name]
        flagged = np.zeros(len(scores), dtype=np.bool_) if cut is None else scores >= cut
        least = math.inf if cut is None else lowest_score(cut, np.dtype(np.float64))
        return _Seen(np.array([least, -math.inf]), np.where(flagged, 0, 1))
    distinct, inverse = np.unique(scores, return_inverse=True)
    codes = len(distinct) - 1 - inverse.reshape(-1)
    return (
        _merged(distinct[::-1], codes, source.positives)
        if sight == ROC_ALONE
        else _Seen(distinct[::-1], codes)
    )


def _merged(scores: Array, codes: Ints, positives: Array) -> _Seen:
    """Runs of scores that only negatives have, each as one cell; but not those above every
    positive, where each is the first threshold.
    """
    hit = np.zeros(len(scores), dtype=np.bool_)
    hit[codes[positives > 0]] = True
    follows = ~hit & np.concatenate(([False], ~hit[:-1])) & np.logical_or.accumulate(hit)
    numbers = np.cumsum(~follows) - 1
    ends = (
        np.flatnonzero(np.append(~follows[1:], True)) if len(scores) else np.empty(0, dtype=np.intp)
    )
    return _Seen(scores[ends], numbers[codes])


def _together(columns: Sequence[Ints], widths: Sequence[int]) -> tuple[Ints, Ints]:
    """The distinct rows of several columns of codes, in order, and which one every case has."""
    if math.prod(widths) < INT64_MAX:
        key = np.ravel_multi_index(tuple(columns), tuple(widths))
        distinct, inverse = np.unique(key, return_inverse=True)
        return np.stack(np.unravel_index(distinct, tuple(widths)), axis=1), inverse.reshape(-1)
    rows, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return rows, inverse.reshape(-1)


def urn_of(column: Array, plan: Plan) -> Urn:
    """What a class is drawn from; class totals that are drawn too hardly ever fall so far below
    their own.
    """
    whole = int(column.sum())
    return Urn(
        column, least=whole if plan.how == STRATIFIED else max(0, int(whole - 6 * math.sqrt(whole)))
    )


def class_sizes(totals: tuple[int, int], plan: Plan) -> tuple[Ints, Ints]:
    """How many positives and negatives each resample has."""
    if plan.how == STRATIFIED:
        return np.full(plan.replicates, totals[0]), np.full(plan.replicates, totals[1])
    whole = sum(totals)
    rng = np.random.default_rng((plan.seed, 0xCA5E))
    positives = rng.binomial(whole, totals[0] / whole, plan.first + plan.replicates)[plan.first :]
    return positives, whole - positives


class _Clusters:
    """Whole groups, drawn with replacement; class totals follow."""

    def __init__(self, source: GroupedCounts, sight: Any) -> None:
        self.urn = Urn(np.ones(len(source.groups), dtype=np.int64))
        order = np.argsort(source.scores, kind="stable")[::-1]
        scores = source.scores[order]
        self.groups = np.repeat(np.arange(len(source.groups)), np.diff(source.offsets))[order]
        self.columns = source.positives[order], source.negatives[order]
        self.starts = run_starts(scores)
        if sight == ROC_ALONE and len(scores):
            codes = np.cumsum(np.isin(np.arange(len(scores)), self.starts)) - 1
            seen = _merged(scores[self.starts], codes, self.columns[0])
            self.starts, scores = run_starts(seen.codes), seen.scores
        else:
            scores = scores[self.starts]
        self.width, self.kind = len(scores), self.columns[0].dtype
        self.views = [View(scores, source.ledger, slice(None), condensed=sight == ROC_ALONE)]

    def draw(self, start: int, plan: Plan, block: tuple[Array, Array]) -> None:
        drawn_times = times_drawn(self.urn, plan.first + start, len(block[0]), plan.seed)
        for row, times in enumerate(drawn_times):
            drawn = times[self.groups]
            for column, out in zip(self.columns, block, strict=True):
                out[row] = np.add.reduceat(drawn * column, self.starts)


def times_drawn(urn: Urn, first: int, count: int, seed: int) -> Array:
    """How often each of the resamples from `first` on draws each group."""
    drawn = np.empty((count, urn.total), dtype=np.int64)
    best.draw(urn, np.full(count, urn.total), seed, first, WHOLE, drawn)
    return drawn


def rows_held(width: int) -> int:
    """How many resamples are held at a time, each of `width` numbers."""
    return max(1, BLOCK // max(1, width))


def groups_drawn(groups: int, plan: Plan) -> Iterator[Array]:
    """Blocks of resamples: how often each group is drawn, as `resampled` draws them."""
    urn, rows = Urn(np.ones(groups, dtype=np.int64)), rows_held(groups)
    for first in range(0, plan.replicates, rows):
        count = min(rows, plan.replicates - first)
        yield times_drawn(urn, plan.first + first, count, plan.seed)
        plan.told(first + count)


class View:
    """One model's part of a row of cells drawn: as counts of distinct scores, in descending
    order. With `outcomes` there are two cells, what a threshold flags and what it does not.
    """

    def __init__(
        self,
        scores: Array,
        ledger: Ledger,
        part: slice,
        *,
        condensed: bool,
        outcomes: bool = False,
    ) -> None:
        self.scores, self.ledger, self.part = scores, replace(ledger, sources=()), part
        self.condensed, self.outcomes = condensed, outcomes

    def __call__(self, positives: Array, negatives: Array) -> Counts:
        return with_cells(self, positives[self.part], negatives[self.part])


# What draws cells of resamples into rows; a view a model turns such a row into its counts.
Drawer = _Cases | _Models | _Clusters


# ---- the values of a statistic ----------------------------------------------------------------


def replicate_values(
    statistic: Statistic | Sequence[Statistic], source: Source, plan: Plan
) -> Floats:
    """The statistic of every resample, one column per model; NaN where it is undefined. Several
    statistics are for the models in turn.
    """
    if isinstance(source, JointCounts):
        several = (
            [statistic] * len(source.models)
            if isinstance(statistic, Statistic)
            else list(statistic)
        )
        return _values_of_models(several, source, plan)
    one = statistic if isinstance(statistic, Statistic) else statistic[0]
    if isinstance(source, GroupedCounts):
        return _values_of_clusters(one, source, plan)[:, None]
    refuse_weights(source)
    source = condensed_for(source, of_roc=one.of_roc)
    if one.of_weights is not None:
        return replicate_statistic(
            source,
            one.of_weights,
            replicates=plan.replicates,
            seed=plan.seed,
            draw_prior=plan.how == CASES,
            progress=plan.progress,
        )[:, None]
    if one.is_auc and _fits(source, plan):
        return auc_values(source, plan)[:, None]
    sight = sight_of({"": one}) if one.fixed else EVERY_SCORE
    return _values_read([one], drawer_of(source, plan, sight), plan)


def condensed_for(counts: Counts, *, of_roc: bool) -> Counts:
    """With runs of negatives merged, where the ROC alone decides and every score is known."""
    plain = not (counts.weighted or counts.condensed)
    return counts.condense() if of_roc and plain else counts


def sight_of(statistics: Mapping[str, Statistic]) -> Any:
    """What these statistics of the models see of the scores.

    Runs of negatives may be merged also where the cost chooses, as a threshold inside a run costs
    more than one before it.
    """
    several = statistics.values()
    if all(one.fixed for one in several):
        return {name: one.threshold for name, one in statistics.items()}
    of_roc = all(one.of_roc or (one.chosen and not one.ruled) for one in several)
    return ROC_ALONE if of_roc else EVERY_SCORE


def _values_of_models(statistics: Sequence[Statistic], joint: JointCounts, plan: Plan) -> Floats:
    sight = sight_of(dict(zip(joint.models, statistics, strict=True)))
    if isinstance(sight, Mapping):
        for name, threshold in sight.items():
            Points.of(joint.marginal(name)).place(threshold)  # refuses what is no threshold here
    return _values_read(statistics, drawer_of(joint, plan, sight), plan)


def _values_read(statistics: Sequence[Statistic], drawer: Drawer, plan: Plan) -> Floats:
    """The statistic of each view, a column each, of every resample. What is read from arrays is
    read in threads; other functions, which may be a user's, are called one by one.
    """
    values = np.empty((plan.replicates, len(statistics)))
    columns = list(zip(values.T, statistics, drawer.views, strict=True))

    def read(first: int, positives: Array, negatives: Array) -> list[Any]:
        rows, left = slice(first, first + len(positives)), []
        for column, one, view in columns:
            found = _read_block(one, view, positives, negatives)
            if found is None:
                left.append((column[rows], one, view, positives, negatives))
            else:
                column[rows] = found
        return left

    for done, blocks in _blocks(drawer, plan, read):
        for column, one, view, *block in (each for left in blocks for each in left):
            column[:] = [one.tried(view(*row)) for row in zip(*block, strict=True)]
        plan.told(done)
    return values


def _read_block(
    statistic: Statistic, view: View, positives: Array, negatives: Array
) -> Floats | None:
    """The statistic of every row; None where it cannot be read from arrays."""
    hits, misses = positives[:, view.part], negatives[:, view.part]
    if view.outcomes:
        assert statistic.measure is not None
        return outcomes_read(
            statistic.measure, (hits[:, 0], misses[:, 0], hits[:, 1], misses[:, 1]), statistic.at
        )
    if statistic.is_auc and 2 * int(hits[0].sum()) * int(misses[0].sum()) < INT64_MAX // 8:
        below = misses.sum(axis=1)[:, None] - np.cumsum(misses, axis=1)
        return _shares(
            np.einsum("ij,ij->i", hits, 2 * below + misses),
            2 * hits.sum(axis=1) * misses.sum(axis=1),
        )
    if statistic.of_weights is not None:
        return statistic.of_weights(Weights(hits, misses))
    if statistic.chosen and not statistic.ruled and statistic.name == "expected_cost":
        return _least_cost(hits, misses, statistic.at)
    return None


def _least_cost(hits: Array, misses: Array, at: Conditions) -> Floats:
    """The expected cost of the cheapest threshold of every row, flagging nothing among them."""
    totals = hits.sum(axis=1), misses.sum(axis=1)
    tp, fp, fn, tn = float_costs(at.costs)
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = (
            totals[0] / (totals[0] + totals[1]) if at.as_in_sample else np.full(len(hits), at.prior)
        )
        change = np.cumsum(hits, axis=1, dtype=np.float64)
        change *= (prior * (tp - fn) / totals[0])[:, None]
        change += (
            np.cumsum(misses, axis=1, dtype=np.float64)
            * ((1 - prior) * (fp - tn) / totals[1])[:, None]
        )
        found = prior * fn + (1 - prior) * tn + np.minimum(0.0, change.min(axis=1))
    return np.where((totals[0] > 0) & (totals[1] > 0), found, np.nan)


def _shares(won: Array, pairs: Array) -> Floats:
    """Pairs won of all pairs; NaN where there are none."""
    with np.errstate(invalid="ignore"):
        return np.asarray(won / pairs)


def _values_of_clusters(statistic: Statistic, groups: GroupedCounts, plan: Plan) -> Floats:
    if statistic.of_weights is not None:
        return replicate_statistic(
            groups,
            statistic.of_weights,
            replicates=plan.replicates,
            seed=plan.seed,
            progress=plan.progress,
        )
    if statistic.fixed:
        assert statistic.measure is not None
        return outcomes_read(
            statistic.measure,
            outcomes_drawn(outcomes_by_cluster(groups, statistic.threshold), plan),
            statistic.at,
        )
    if (
        statistic.is_auc
        and len(groups) <= MOST_SQUARED
        and not groups.weighted
        and _exact_wins(groups)
    ):
        return _auc_of_clusters(groups, plan)
    return np.array(
        [
            statistic.tried(counts)
            for (counts,) in resampled(groups, plan, sight_of({"": statistic}))
        ]
    )


def outcomes_by_cluster(groups: GroupedCounts, threshold: Any) -> Floats:
    """tp, fp, fn and tn of every cluster at this threshold, a row each."""
    Points.of(groups.total()).place(threshold)  # refuses what is no threshold here
    flagged = (
        np.zeros(len(groups.scores), dtype=np.bool_)
        if threshold is None
        else groups.scores >= threshold
    )
    columns = [
        sums_by_cluster(column * kept, groups)
        for kept in (flagged, ~flagged)
        for column in (groups.positives, groups.negatives)
    ]
    return np.stack(columns, axis=1).astype(np.float64)


def sums_by_cluster(column: Array, groups: GroupedCounts) -> Array:
    """The sum over each cluster."""
    return np.asarray(np.diff(np.concatenate(([0], np.cumsum(column)))[groups.offsets]))


def outcomes_drawn(table: Floats, plan: Plan) -> tuple[Floats, Floats, Floats, Floats]:
    """The outcomes (tp, fp, fn, tn) of every resample of the clusters."""
    tp, fp, fn, tn = np.concatenate([times @ table for times in groups_drawn(len(table), plan)]).T
    return tp, fp, fn, tn


def _exact_wins(groups: GroupedCounts) -> bool:
    """Whether the pairs of every resample, with room for one far larger than the sample, are whole
    numbers of a float.
    """
    return 32 * int(groups.total_positives) * int(groups.total_negatives) < 2**53


def _auc_of_clusters(groups: GroupedCounts, plan: Plan) -> Floats:
    """Where cluster i is drawn tᵢ times, positives win tᵀWt pairs; W, what those of i win over the
    negatives of j, is counted once.
    """
    wins = win_matrix(groups)
    totals = np.stack(
        [sums_by_cluster(column, groups) for column in (groups.positives, groups.negatives)], axis=1
    )
    found = []
    for times in groups_drawn(len(groups), plan):
        drawn = times.astype(np.float64)
        cases = times @ totals
        found.append(
            _shares(np.einsum("ij,ij->i", drawn @ wins, drawn), 2 * cases[:, 0] * cases[:, 1])
        )
    return np.concatenate(found)


def win_matrix(groups: GroupedCounts) -> Floats:
    """Twice the pairs that the positives of each cluster (a row) win over the negatives of each (a
    column), ties one half.
    """
    positives, negatives, scores = groups.positives, groups.negatives, groups.scores
    flipped = np.count_nonzero(positives) > np.count_nonzero(negatives)
    order = np.argsort(scores, kind="stable")
    # the rarer class is walked over: from the lowest score on, negatives lose to the positives
    # still to come
    if flipped:
        positives, negatives = negatives, positives
    else:
        order = order[::-1]
    scores, codes = scores[order], np.repeat(np.arange(len(groups)), np.diff(groups.offsets))[order]
    hits, misses = positives[order].astype(np.float64), negatives[order].astype(np.float64)
    below = np.bincount(codes, misses, minlength=len(groups))
    wins = np.zeros((len(groups), len(groups)))
    starts = run_starts(scores)
    ends = np.append(starts[1:], len(scores))
    held = np.add.reduceat(hits, starts) > 0 if len(starts) else np.empty(0, dtype=np.bool_)
    before = 0
    for start, end in zip(starts[held].tolist(), ends[held].tolist(), strict=True):
        np.subtract.at(below, codes[before:end], misses[before:end])
        beaten = 2 * below + np.bincount(codes[start:end], misses[start:end], minlength=len(groups))
        for cell in range(start, end):
            if hits[cell]:
                wins[codes[cell]] += hits[cell] * beaten
        before = end
    return wins.T if flipped else wins


def _fits(counts: Counts, plan: Plan) -> bool:
    """Whether every resample's pairs fit 64 bits."""
    room = 4 if plan.how == CASES else 2
    return room * int(counts.total_positives) * int(counts.total_negatives) < INT64_MAX // 2


def auc_values(counts: Counts, plan: Plan) -> Floats:
    """AUC of every resample, without making the resamples."""
    sizes = class_sizes((int(counts.total_positives), int(counts.total_negatives)), plan)
    urns = [urn_of(column, plan) for column in (counts.positives, counts.negatives)]
    pairs = 2.0 * sizes[0] * sizes[1]
    values = np.empty(plan.replicates)

    def work(first: int, end: int) -> None:
        part = slice(first, end)
        won = best.wins_again(
            urns[0], urns[1], sizes[0][part], sizes[1][part], plan.seed, plan.first + first
        )
        values[part] = _shares(won, pairs[part])

    rows = max(1, BLOCK * 16 // max(1, len(counts.scores)))
    for first in range(0, plan.replicates, rows):
        end = min(first + rows, plan.replicates)
        in_parallel(lambda a, b, first=first: work(first + a, first + b), end - first, threads())  # type: ignore[misc]
        plan.told(end)
    return values
