"""The bootstrap on the counts: resamples of cells, of whole clusters, or of cases that several models scored; nothing is sorted again."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate.cells import Array, run_starts
from baserate.counts import Counts
from baserate.errors import Fix, grouped, number_of, quoted, refuse
from baserate.exact import INT64_MAX, Floats, Ints
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.kernels import Cells, Urn, best
from baserate.kernels.parallel import in_parallel
from baserate.kernels.urns import MOST_CASES
from baserate.notes import CASE_CONTROL, Ledger, Note
from baserate.uncertainty.placements import refuse_weights
from baserate.uncertainty.statistics import Statistic

STRATIFIED, CASES, CLUSTERS = "stratified", "cases", "clusters"
HOWS = (STRATIFIED, CASES, CLUSTERS)
POSITIVES, NEGATIVES, WHOLE = 0, 1, 2
# So many numbers of a block of resamples are held at a time.
BLOCK = 1 << 21
FEWEST, FEW, FEW_CLUSTERS = 5, 30, 20
MOST_THREADS = 8
REPLICATES = Fix("replicates=2000", "--replicates 2000")
OTHERWISE = Fix("rate_interval, or interval(auc, …) by its own method", "leave --replicates out, or compare by auc or at thresholds")
MOST_REPLICATES = 10_000_000
Progress = Callable[[int, int], None]
Source = Counts | GroupedCounts | JointCounts


@dataclass(frozen=True)
class Plan:
    """How to resample: by class, by case or by cluster, how often, from which seed, and whom to tell how far it has got."""

    how: str
    replicates: int
    seed: int
    progress: Progress | None = None


def planned(source: Source, of_prior: bool, how: str | None, replicates: int, seed: int, progress: Progress | None) -> Plan:  # noqa: FBT001
    """By cluster where the cases are grouped; by case where the sample's own prior is estimated along; otherwise by class."""
    if how is None:
        random = source.ledger.design != CASE_CONTROL
        how = CLUSTERS if isinstance(source, GroupedCounts) else CASES if of_prior and random else STRATIFIED
    if how not in HOWS:
        raise refuse("BR581", f"resamples are drawn by {', '.join(map(quoted, HOWS))}, got {quoted(how)}", 'resample="stratified"')
    if (how == CLUSTERS) != isinstance(source, GroupedCounts):
        raise refuse("BR581", "clusters are resampled whole, and need GroupedCounts", "count_groups(y, scores, groups=patient)")
    cases = int(source.total_positives + source.total_negatives)
    if how != CLUSTERS and cases > MOST_CASES and not source.weighted:
        text = f"a bootstrap resamples up to {grouped(MOST_CASES)} cases, and these are {grouped(cases)}"
        raise refuse("BR631", text, OTHERWISE)
    return Plan(how, checked_replicates(replicates), checked_seed(seed), progress)


def checked_replicates(replicates: Any) -> int:
    """Fewer than a hundred resamples say nothing of the tails."""
    whole = isinstance(replicates, int | np.integer) and not isinstance(replicates, bool)
    if not whole or not 100 <= replicates <= MOST_REPLICATES:
        raise refuse("BR580", f"a bootstrap takes 100 to {grouped(MOST_REPLICATES)} replicates, got {quoted(replicates)}", REPLICATES)
    return int(replicates)


def checked_seed(seed: Any) -> int:
    """A seed is a whole number, so that the same call gives the same answer."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise refuse("BR580", f"a seed is a whole number, 0 or more, got {quoted(seed)}", Fix("seed=0", "--seed 0"))
    return int(seed)


def check_enough(source: Source) -> tuple[Note, ...]:
    """A bootstrap of a handful of cases only shows the same handful again: refused below five, and noted below thirty."""
    classes = {"positives": source.total_positives, "negatives": source.total_negatives}
    what, fewest = min(classes.items(), key=lambda pair: pair[1])
    if isinstance(source, GroupedCounts):
        clusters, what = min(((clusters_with(source, column), name) for name, column in classes_of(source)), key=lambda pair: pair[0])
        text = f"only {number_of(clusters, 'cluster holds', 'clusters hold')} {what}"
        if clusters < FEWEST:
            raise refuse("BR590", f"{text}: too few for an interval (at least 5 are needed)", "label more clusters")
        if clusters < FEW_CLUSTERS:
            return (Note("BR591", f"{text}: that is how much is known of them"),)
    elif fewest < FEWEST:
        raise refuse("BR590", f"only {number_of(fewest, what[:-1])}: too few to resample", OTHERWISE)
    return (Note("BR591", f"only {number_of(fewest, what[:-1])}: a bootstrap of so few is rough"),) if fewest < FEW else ()


def classes_of(groups: GroupedCounts) -> list[tuple[str, Array]]:
    """Both classes, by name."""
    return [("positives", groups.positives), ("negatives", groups.negatives)]


def clusters_with(groups: GroupedCounts, column: Array) -> int:
    """How many groups hold a case of this class."""
    if not len(groups):
        return 0
    totals = np.concatenate(([0], np.cumsum(column)))
    return int(np.count_nonzero(np.diff(totals[groups.offsets])))


def resampled(source: Source, plan: Plan) -> Iterator[list[Counts]]:
    """The counts of each resample: one for Counts and GroupedCounts, one a model for JointCounts."""
    drawer = _Clusters(source) if isinstance(source, GroupedCounts) else _Cases(source, plan)
    done = 0
    for positives, negatives in _drawn(drawer, plan):
        for row in range(len(positives)):
            yield [view(positives[row], negatives[row]) for view in drawer.views]
        done += len(positives)
        if plan.progress is not None:
            plan.progress(done, plan.replicates)


def _drawn(drawer: _Cases | _Clusters, plan: Plan) -> Iterator[tuple[Array, Array]]:
    """Blocks of resamples: the positives and negatives of each cell."""
    rows = max(1, BLOCK // max(1, drawer.width))
    for first in range(0, plan.replicates, rows):
        yield drawer.block(first, min(rows, plan.replicates - first), plan.seed)


def _drawn_from(source: JointCounts) -> JointCounts:
    """The same cases are drawn from in the same way, in whatever order they or their models stand, and however models are called.

    (Where two models have the same counts, only their names can tell them apart.)
    """
    return source.sorted_by(sorted(source.models, key=lambda model: (source.marginal(model).digest, str(model))))


class _Cases:
    """Cells of either class, drawn by class (sizes as they are) or by case (class totals drawn too)."""

    def __init__(self, source: Counts | JointCounts, plan: Plan) -> None:
        refuse_weights(source)
        if isinstance(source, Counts) and source.bins is not None:
            raise refuse("BR581", "these counts are coarse: resampling them would hide what the bins do", "count with every score kept")
        self.source = source
        form = _drawn_from(source) if isinstance(source, JointCounts) else source
        self.totals = int(source.total_positives), int(source.total_negatives)
        self.width = len(form.positives)
        self.sizes = class_sizes(self.totals, plan)
        columns = form.positives, form.negatives
        self.urns = [urn_of(column, plan) for column in columns]
        if isinstance(form, JointCounts):
            self.views = [_View(form.scores[name], form.ledger) for name in getattr(source, "models", ())]
        else:
            self.views = [_View(form.scores, form.ledger, form)]

    def block(self, first: int, count: int, seed: int) -> tuple[Array, Array]:
        parts = []
        for stream, (urn, sizes) in enumerate(zip(self.urns, self.sizes, strict=True)):
            out = np.empty((count, self.width), dtype=np.int64)
            best.draw(urn, sizes[first : first + count], seed, first, stream, out)
            parts.append(out)
        return parts[0], parts[1]


def urn_of(column: Array, plan: Plan) -> Urn:
    """What a class is drawn from; class totals that are drawn too hardly ever fall so far below their own."""
    whole = int(column.sum())
    return Urn(column, least=whole if plan.how == STRATIFIED else max(0, int(whole - 6 * math.sqrt(whole))))


def class_sizes(totals: tuple[int, int], plan: Plan) -> tuple[Ints, Ints]:
    """How many positives and negatives each resample has."""
    if plan.how == STRATIFIED:
        return np.full(plan.replicates, totals[0]), np.full(plan.replicates, totals[1])
    whole = sum(totals)
    rng = np.random.default_rng((plan.seed, 0xCA5E))
    positives = rng.binomial(whole, totals[0] / whole, plan.replicates)
    return positives, whole - positives


class _Clusters:
    """Whole groups, drawn with replacement; class totals follow."""

    def __init__(self, source: GroupedCounts) -> None:
        self.source, self.width = source, max(len(source.scores), len(source.groups))
        self.urn = Urn(np.ones(len(source.groups), dtype=np.int64))
        self.group = np.repeat(np.arange(len(source.groups)), np.diff(source.offsets))
        self.views = [_View(source.scores, source.ledger)]

    def block(self, first: int, count: int, seed: int) -> tuple[Array, Array]:
        times = _times(self.urn, first, count, seed)[:, self.group]
        return times * self.source.positives, times * self.source.negatives


def _times(urn: Urn, first: int, count: int, seed: int) -> Array:
    """How often each of the resamples from `first` on draws each group."""
    drawn = np.empty((count, urn.total), dtype=np.int64)
    best.draw(urn, np.full(count, urn.total), seed, first, WHOLE, drawn)
    return drawn


def groups_drawn(groups: int, plan: Plan) -> Iterator[Array]:
    """Blocks of resamples: how often each group is drawn, as `resampled` draws them."""
    urn, rows = Urn(np.ones(groups, dtype=np.int64)), max(1, BLOCK // max(1, groups))
    for first in range(0, plan.replicates, rows):
        count = min(rows, plan.replicates - first)
        yield _times(urn, first, count, plan.seed)
        if plan.progress is not None:
            plan.progress(first + count, plan.replicates)


class _View:
    """One model's scores of the cells drawn: counts of distinct scores, in descending order."""

    def __init__(self, scores: Array, ledger: Ledger, counts: Counts | None = None) -> None:
        self.ledger, self.counts = replace(ledger, sources=()), counts
        self.order = None if counts is not None else np.argsort(scores, kind="stable")[::-1]
        self.scores = scores if self.order is None else scores[self.order]
        self.starts = None if self.order is None else run_starts(self.scores)

    def __call__(self, positives: Array, negatives: Array) -> Counts:
        scores = self.scores
        if self.order is not None and self.starts is not None:
            positives, negatives = (np.add.reduceat(column[self.order], self.starts) for column in (positives, negatives))
            scores = scores[self.starts]
        kept = (positives > 0) | (negatives > 0)
        cells = Cells(scores[kept], positives[kept], negatives[kept])
        condensed = self.counts is not None and self.counts.condensed
        return Counts._of(cells, self.ledger, condensed=condensed)


def replicate_values(statistic: Statistic, source: Source, plan: Plan) -> Floats:
    """The statistic of every resample, one column a model; NaN where it is undefined."""
    if isinstance(source, Counts):
        refuse_weights(source)
        if source.bins is not None:
            raise refuse("BR581", "these counts are coarse: resampling them would hide what the bins do", "count with every score kept")
        if statistic.of_roc and not source.condensed:
            source = source.condense()
        if statistic.is_auc and _fits(source, plan):
            return auc_values(source, plan)[:, None]
    width = len(source.models) if isinstance(source, JointCounts) else 1
    values = np.empty((plan.replicates, width))
    for row, parts in enumerate(resampled(source, plan)):
        values[row] = [statistic.tried(counts) for counts in parts]
    return values


def _fits(counts: Counts, plan: Plan) -> bool:
    """Whether every resample's pairs fit 64 bits."""
    room = 4 if plan.how == CASES else 2
    return room * int(counts.total_positives) * int(counts.total_negatives) < INT64_MAX // 2


def auc_values(counts: Counts, plan: Plan) -> Floats:
    """AUC of every resample, without making the resamples."""
    totals = int(counts.total_positives), int(counts.total_negatives)
    sizes = class_sizes(totals, plan)
    urns = [urn_of(column, plan) for column in (counts.positives, counts.negatives)]
    pairs = 2.0 * sizes[0] * sizes[1]
    values = np.full(plan.replicates, np.nan)

    def work(first: int, end: int) -> None:
        part = slice(first, end)
        won = best.wins_again(urns[0], urns[1], sizes[0][part], sizes[1][part], plan.seed, first)
        np.divide(won, pairs[part], out=values[part], where=pairs[part] > 0)

    rows = max(1, BLOCK * 16 // max(1, len(counts.scores)))
    for first in range(0, plan.replicates, rows):
        end = min(first + rows, plan.replicates)
        in_parallel(lambda a, b, first=first: work(first + a, first + b), end - first, threads())  # type: ignore[misc]
        if plan.progress is not None:
            plan.progress(end, plan.replicates)
    return values


def threads() -> int:
    """As many as there are processors for us; what is drawn does not depend on it."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, MOST_THREADS))
