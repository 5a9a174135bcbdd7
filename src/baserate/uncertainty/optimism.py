"""How much better a threshold looks on the cases that chose it than on others: its optimism, estimated by resampling.

On every resample the threshold is chosen again, as it was on the sample, and read twice: on the resample, which flatters it, and on the
sample, which stands for the field (Efron 1983, JASA 78:316-331). No `Counts` are made of a resample: cells are drawn, added up from the
highest score down, and searched as arrays, many resamples at a time and in threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.arithmetic import quotient, rounded
from baserate.cells import Array
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.budgets import SMALL
from baserate.decisions.operating import TIE, OperatingPoint
from baserate.decisions.rules import Rule, Term, parse_rule
from baserate.exact import Floats, Ints
from baserate.grouped import GroupedCounts
from baserate.kernels import Urn, best
from baserate.kernels.parallel import in_parallel
from baserate.measures.values import Measure, parse
from baserate.points import Points
from baserate.uncertainty.resampling import NEGATIVES, POSITIVES, WHOLE, Plan, class_sizes, threads, urn_of

# With more thresholds than this, a resample tries only some of them: none is further from the next than a fraction of the standard
# deviation of the cases above it, which the choice cannot tell from its neighbours anyway.
MOST_TRIED = 512
STEPS = 3.0  # thresholds tried for each standard deviation
# So many numbers of a block of resamples are worked on at a time, and so many resamples at least: blocks stay in the cache of a processor.
BLOCK, LEAST_ROWS = 1 << 14, 8
# Fewer numbers than this are drawn sooner than threads are started.
WORTH_THREADS = 1 << 20
# Limits are kept to within this share of them, as sums of floats round.
ROUNDING = 1e-12


class Readings(NamedTuple):
    """What every resample flags, in cases: one row each of (tp, fp). NaN where the rule cannot be kept, or flagging nothing or all is chosen.

    `here` is the resample at the threshold that it chooses, `there` the sample at that threshold, `fixed` the resample at the threshold
    that the sample chose; `sizes` are the positives and negatives of every resample.
    """

    here: Floats
    there: Floats
    fixed: Floats
    sizes: Floats


@dataclass(frozen=True)
class Choosing:
    """How a point was chosen: what it must keep, what was made best, and at which conditions."""

    rule: Rule
    objective: Measure
    at: Conditions
    use_up: bool
    # Whether every threshold is tried.
    every: bool = True

    @classmethod
    def of(cls, point: OperatingPoint) -> Choosing:
        rule = parse_rule(point.rule, point.volume) if point.rule else Rule()
        objective = parse(point.optimized, point.volume)
        use_up = rule.budget is not None and objective.name == "tpr" and not point.at.costs_given
        return cls(rule, objective, point.at, use_up)


class Chosen(NamedTuple):
    """For every resample: all cases down to the place `upper` are flagged, and a `share` of those between it and `lower`."""

    upper: npt.NDArray[np.intp]
    lower: npt.NDArray[np.intp]
    share: Floats
    feasible: npt.NDArray[np.bool_]


def readings(source: Counts | GroupedCounts, points: Sequence[OperatingPoint], plan: Plan) -> list[Readings]:
    """What every resample chooses by the rule of each point; all points are read on the same resamples."""
    whole = Points.of(source.total() if isinstance(source, GroupedCounts) else source)
    places = [(whole.place(point.threshold), whole.place(point.lower_threshold if point.how == TIE else point.threshold)) for point in points]
    kept = _tried(whole, {place for pair in places for place in pair})
    tp, fp = (column[kept].astype(np.float64) for column in (whole.tp, whole.fp))
    drawer = _ClusterDraws(source, kept, plan) if isinstance(source, GroupedCounts) else _CellDraws(whole, kept, plan)
    choosings = [replace(Choosing.of(point), every=len(kept) == len(whole)) for point in points]
    settings = [
        (int(np.searchsorted(kept, upper)), int(np.searchsorted(kept, lower)), point.share if point.how == TIE else 0.0)
        for (upper, lower), point in zip(places, points, strict=True)
    ]
    found = [Readings(*(np.full((plan.replicates, 2), math.nan) for _ in range(4))) for _ in points]

    def work(first: int, end: int) -> None:
        rows = max(LEAST_ROWS, BLOCK // len(kept))
        for start in range(first, end, rows):
            count = min(rows, end - start)
            resample = _Resamples.of(*drawer.block(start, count))
            for choosing, setting, out in zip(choosings, settings, found, strict=True):
                _read(resample, choosing, setting, (tp, fp), [array[start : start + count] for array in out])

    # Every resample is a function of its number alone: how they are split among threads does not matter.
    part = max(1, plan.replicates // 10) if plan.progress is not None else plan.replicates
    workers = threads() if part * len(kept) > WORTH_THREADS else 1
    for first in range(0, plan.replicates, part):
        end = min(first + part, plan.replicates)
        in_parallel(lambda a, b, first=first: work(first + a, first + b), end - first, workers)  # type: ignore[misc]
        if plan.progress is not None:
            plan.progress(end, plan.replicates)
    return found


def _read(resample: _Resamples, choosing: Choosing, setting: tuple[int, int, float], sample: tuple[Floats, Floats], out: list[Floats]) -> None:
    """What the resamples choose, and what is flagged there, into the rows of `out`."""
    chosen = _chosen(resample, choosing)
    last = resample.tp.shape[1] - 1
    trivial = ((chosen.upper == 0) | (chosen.upper == last)) & (chosen.share == 0)
    known = chosen.feasible & ~trivial
    here, there, fixed, sizes = out
    here[known] = np.stack(resample.at(chosen), axis=1)[known]
    there[known] = np.stack([_between(column[chosen.upper], column[chosen.lower], chosen.share) for column in sample], axis=1)[known]
    fixed[:] = np.stack([_between(column[:, setting[0]], column[:, setting[1]], setting[2]) for column in (resample.tp, resample.fp)], axis=1)
    sizes[:] = np.stack((resample.tp[:, -1], resample.fp[:, -1]), axis=1)


def _between(upper: Floats, lower: Floats, share: Any) -> Floats:
    return np.asarray(upper + share * (lower - upper))


# ---- which thresholds are tried, and how resamples are drawn ------------------------------------------------------------------


def _tried(points: Points, needed: set[int]) -> Ints:
    """The points that resamples choose among: all of them where they are few; the first, the last and those needed always."""
    if len(points) <= MOST_TRIED:
        return np.arange(len(points))
    steps = [_steps(column, float(total)) for column, total in ((points.tp, points.total_positives), (points.fp, points.total_negatives))]
    moved = (np.diff(steps[0]) != 0) | (np.diff(steps[1]) != 0)
    return np.unique(np.concatenate(([0], np.flatnonzero(moved), [len(points) - 1], sorted(needed)))).astype(np.int64)


def _steps(flagged: Array, total: float) -> Floats:
    """The number of the step that each point is on: a step is √x / STEPS cases, with x flagged or passed, whichever are fewer."""
    above = np.minimum(flagged, total / 2)
    below = np.minimum(total - flagged, total / 2)
    return np.floor(2 * STEPS * (np.sqrt(above) + math.sqrt(total / 2) - np.sqrt(below)))


class _CellDraws:
    """Cells of either class, by class or by case."""

    def __init__(self, points: Points, kept: Ints, plan: Plan) -> None:
        self.cells = [np.diff(column[kept]) for column in (points.tp, points.fp)]
        self.urns = [urn_of(column, plan) for column in self.cells]
        self.sizes = class_sizes((int(points.total_positives), int(points.total_negatives)), plan)
        self.seed = plan.seed

    def block(self, first: int, count: int) -> tuple[Ints, Ints]:
        drawn = []
        for stream in (POSITIVES, NEGATIVES):
            out = np.empty((count, len(self.cells[stream])), dtype=np.int64)
            best.draw(self.urns[stream], self.sizes[stream][first : first + count], self.seed, first, stream, out)
            drawn.append(out)
        return drawn[0], drawn[1]


class _ClusterDraws:
    """Whole clusters: how often each is drawn, times what it has in every cell."""

    def __init__(self, groups: GroupedCounts, kept: Ints, plan: Plan) -> None:
        from scipy.sparse import csr_array

        scores = groups.total().scores
        place = len(scores) - np.searchsorted(scores[::-1], groups.scores, side="left")  # the point that flags down to this score
        column = np.searchsorted(kept, place, side="left") - 1
        row = np.repeat(np.arange(len(groups)), np.diff(groups.offsets))
        shape = (len(kept) - 1, len(groups))
        self.tables = [csr_array((cases, (column, row)), shape=shape) for cases in (groups.positives, groups.negatives)]
        self.urn, self.seed = Urn(np.ones(len(groups), dtype=np.int64)), plan.seed

    def block(self, first: int, count: int) -> tuple[Ints, Ints]:
        times = np.empty((count, self.urn.total), dtype=np.int64)
        best.draw(self.urn, np.full(count, self.urn.total), self.seed, first, WHOLE, times)
        positives, negatives = ((table @ times.T).T for table in self.tables)
        return positives, negatives


# ---- the choice, on arrays ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Resamples:
    """What every threshold flags on every resample: one row a resample, one column a threshold; the first flags nothing."""

    tp: Floats
    fp: Floats

    @classmethod
    def of(cls, positives: Ints, negatives: Ints) -> _Resamples:
        running = []
        for cases in (positives, negatives):
            flagged = np.zeros((cases.shape[0], cases.shape[1] + 1), dtype=np.int64)
            np.cumsum(cases, axis=1, out=flagged[:, 1:])
            running.append(flagged.astype(np.float64))  # adding up as floats would take four times as long
        return cls(running[0], running[1])

    @property
    def totals(self) -> tuple[Any, Any]:
        """The positives and negatives of every resample; one number where all have as many."""
        sums = self.tp[:, -1:], self.fp[:, -1:]
        alike = all((column == column[0, 0]).all() for column in sums)
        return (float(sums[0][0, 0]), float(sums[1][0, 0])) if alike else sums

    def at(self, chosen: Chosen) -> tuple[Floats, Floats]:
        """(tp, fp) of every resample at a place of its own."""
        rows = np.arange(len(self.tp))
        upper, lower = ((self.tp[rows, place], self.fp[rows, place]) for place in (chosen.upper, chosen.lower))
        tp, fp = (_between(one, other, chosen.share) for one, other in zip(upper, lower, strict=True))
        return tp, fp


class _Outcomes:
    """What a formula sees of resamples (as `Outcomes`): each part is made when it is first asked for."""

    def __init__(self, tp: Floats, fp: Floats, totals: tuple[Any, Any], at: Conditions) -> None:
        """`totals` are the positives and negatives of each row."""
        positives, negatives = totals
        weight: Any = 1.0
        if not (at.as_in_sample or at.prior is None):
            odds = rounded((1 - at.exact_prior) / at.exact_prior)
            weight = odds * positives / (negatives or math.nan) if isinstance(negatives, float) else odds * quotient(positives, negatives, "")
        costs = at.costs
        self.tp, self._fp, self._weight = tp, fp, weight
        self.positives, self.negatives, self._negatives = positives, negatives * weight, negatives
        self.costs = (float(costs.tp), float(costs.fp), float(costs.fn), float(costs.tn))
        self.miss, self.false_alarm = rounded(costs.miss), rounded(costs.false_alarm)

    @cached_property
    def fp(self) -> Floats:
        return np.asarray(self._fp * self._weight)

    @cached_property
    def fn(self) -> Floats:
        return np.asarray(self.positives - self.tp)

    @cached_property
    def tn(self) -> Floats:
        return np.asarray(self.negatives - self.fp)

    @property
    def counted(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.tp, self._fp, self.fn, self._negatives - self._fp

    @cached_property
    def flagged(self) -> Floats:
        return np.asarray(self.tp + self.fp)

    @cached_property
    def passed(self) -> Floats:
        return np.asarray(self.fn + self.tn)

    @property
    def total(self) -> Any:
        return self.positives + self.negatives

    @property
    def cost(self) -> Floats:
        tp, fp, fn, tn = self.costs
        terms = [cost * values for cost, values in ((tp, self.tp), (fp, self.fp), (fn, self.fn), (tn, self.tn)) if cost]
        return np.asarray(sum(terms[1:], start=terms[0]) if terms else self.tp * 0.0)


def _chosen(resample: _Resamples, choosing: Choosing) -> Chosen:
    """The place that every resample chooses, as `choose` does: the best that keeps the rule, of equals the one that flags least."""
    outcomes = _Outcomes(resample.tp, resample.fp, resample.totals, choosing.at)
    loss = _loss(choosing.objective, outcomes)
    rows = np.arange(len(loss))
    for term in choosing.rule.terms:
        loss = np.where(_keeps(term, outcomes), loss, math.nan)
    np.copyto(loss, math.inf, where=np.isnan(loss))
    upper = np.argmin(loss, axis=1)
    found = Chosen(upper, upper, np.zeros(len(rows)), np.isfinite(loss[rows, upper]))
    budget = choosing.rule.budget
    return found if budget is None else _with_budget(resample, choosing, budget, outcomes, (found, loss))


def _with_budget(resample: _Resamples, choosing: Choosing, budget: Term, outcomes: _Outcomes, best_of: tuple[Chosen, Floats]) -> Chosen:
    """The same where a budget may be used up inside a tie: by a share of the cases below the last threshold within it."""
    found, loss = best_of
    rows, last = np.arange(len(loss)), loss.shape[1] - 1
    used = np.asarray(budget.measure.formula(outcomes), dtype=np.float64)
    limit = rounded(budget.limit)
    within = np.count_nonzero(used <= limit * (1 + ROUNDING), axis=1) - 1
    lower = np.minimum(within + 1, last)
    filled = used[rows, within]
    upper = np.argmax(used >= filled[:, None], axis=1)  # the cell drawn last: those below it that were not drawn add nothing
    gap = used[rows, lower] - filled
    share = np.divide(limit - filled, gap, out=np.zeros(len(rows)), where=gap > 0).clip(0.0, 1.0)
    if choosing.every:  # as `choose`: a share only of a tie of several cases and more than 1 % of the budget
        flagged = resample.tp + resample.fp
        share[(gap <= rounded(SMALL * budget.limit)) | (flagged[rows, lower] - flagged[rows, within] <= 1)] = 0.0
    shared = Chosen(upper, np.where(share > 0, lower, upper), share, np.ones(len(rows), dtype=np.bool_))
    tp, fp = resample.at(shared)
    there = _Outcomes(tp, fp, (resample.tp[:, -1], resample.fp[:, -1]), choosing.at)
    value = _loss(choosing.objective, there)
    others = [term for term in choosing.rule.terms if term is not budget]
    holds = np.logical_and.reduce([np.isfinite(value), *(_keeps(term, there) for term in others)])
    ours = loss[rows, found.upper]
    better = holds & ((value <= ours) if choosing.use_up else (value < ours) & (share > 0))
    return Chosen(*(np.where(better, new, old) for new, old in zip(shared, found, strict=True)))


def _loss(objective: Measure, outcomes: _Outcomes) -> Floats:
    """The objective, lower is better; NaN where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.broadcast_to(np.asarray(objective.formula(outcomes), dtype=np.float64), outcomes.tp.shape)
    return values.copy() if objective.direction == "lower" else -values


def _keeps(term: Term, outcomes: _Outcomes) -> npt.NDArray[np.bool_]:
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.broadcast_to(np.asarray(term.measure.formula(outcomes), dtype=np.float64), outcomes.tp.shape)
        limit = rounded(term.limit)
        slack = ROUNDING * abs(limit)
        return np.asarray(values >= limit - slack if term.sense == ">=" else values <= limit + slack)
