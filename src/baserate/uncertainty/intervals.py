"""`interval`: how well is a number known?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.measures.confusions import NOT_SAID, Confusion, checked_conditions, checked_volume, confusion_at, out_of_range
from baserate.measures.values import Measure, named
from baserate.notes import Note, combine
from baserate.points import Points
from baserate.uncertain import Uncertain
from baserate.uncertainty.believing import believed
from baserate.uncertainty.bootstrap import BCA, METHODS, PERCENTILE, acceleration, alike, bca_bounds, percentile_bounds, undefined_noted
from baserate.uncertainty.clustered import CLUSTER_T, has_closed_form, interval_of_clusters
from baserate.uncertainty.fixed import Question, is_believed, measure_interval, over_range, refuse_masses
from baserate.uncertainty.placements import auc_interval
from baserate.uncertainty.resampling import Plan, Progress, check_enough, checked_replicates, checked_seed, planned, replicate_values, resampled
from baserate.uncertainty.statistics import Statistic, shifted, statistic_of
from baserate.uncertainty.values import BOTH, LOWER, UPPER, Interval, checked_level, checked_side

REPLICATES = 2000
# So many draws of the conditions give the average of a value whose threshold is chosen again for each of them.
Source = Counts | GroupedCounts | Confusion | OperatingPoint


@dataclass(frozen=True)
class Asked:
    """How an interval is wanted."""

    level: float
    side: str
    method: str | None
    seed: int
    replicates: int
    resample: str | None
    progress: Progress | None


def interval(  # noqa: PLR0913 (each is a question of its own)
    statistic: Any,
    counts: Source,
    *,
    at: Conditions | Uncertain | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    level: float = 0.95,
    side: str = BOTH,
    method: str | None = None,
    resample: str | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Interval:
    """How well is this number known?

    `statistic` is a function of Counts (`br.auc`), the name of a summary, or the name of a measure; a measure is read at a `threshold`,
    which is then fixed in advance, or where `rule` (or the cost) chooses it, which is then chosen again on every resample. `counts` may
    be `GroupedCounts`, whose groups are the units, or a `Confusion` or `OperatingPoint`. `at` may be `Uncertain`: sampling error,
    base rate and costs are then propagated together.

    Without a `method`: AUC by DeLong's variance on the logit scale, or from its placements where cases are few or it is near 1; a rate by
    Wilson, or Clopper and Pearson; what depends on a base rate that is given by draws of both classes' rates; AUC and measures at a
    threshold of groups by the variance between groups ("cluster-t"); anything else by the bootstrap ("percentile", or "bca"), which
    promises no coverage. Every result names its method.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    >>> br.interval(br.auc, counts)
    Interval: auc 0.987, 95 % from 0.9348 to 0.9978 (placements-beta)
    >>> br.interval("precision", counts, threshold=3, at=br.Conditions(prior="1 in 1000"))
    Interval: precision 0.3106, 95 % from 0.1992 to 0.4657 (jeffreys-draws)
    >>> br.interval("precision", counts, threshold=3, at=br.Uncertain(prior=br.Pilot(5, 5000)))
    Interval: precision 0.3106, 95 % from 0.1262 to 0.5542 (jeffreys-draws)
    """
    asked = Asked(checked_level(level), checked_side(side), method, checked_seed(seed), checked_replicates(replicates), resample, progress)
    if isinstance(counts, Confusion | OperatingPoint):
        return _of_point(statistic, counts, at, asked, (rule, threshold, volume))
    if not isinstance(counts, Counts | GroupedCounts):
        fix = "compare(...) for a difference, or joint.marginal(name)" if isinstance(counts, JointCounts) else "count(...)"
        raise refuse("BR228", f"an interval is made of Counts, got {type(counts).__name__}", fix)
    conditions = at.middle() if isinstance(at, Uncertain) else checked_conditions(at)
    wanted = statistic_of(statistic, at=conditions, rule=rule, threshold=threshold, volume=volume)
    if isinstance(counts, GroupedCounts) and method in (None, CLUSTER_T) and resample is None and not counts.weighted:
        known_at = not isinstance(at, Uncertain) or not wanted.at_matters
        if known_at and has_closed_form(wanted):
            return interval_of_clusters(wanted, counts, asked.level, asked.side)
    by_bootstrap = method in METHODS or isinstance(counts, GroupedCounts) or resample is not None
    if wanted.name in ("auc", "gini") and not by_bootstrap and isinstance(counts, Counts):
        return _of_ranking(wanted.name, auc_interval(counts, asked.level, method, asked.side))
    if wanted.fixed and wanted.measure is not None and not by_bootstrap and isinstance(counts, Counts):
        return _at_threshold(wanted.measure, counts, threshold, at, asked)
    again = _again(statistic, rule, threshold, volume)
    return _by_bootstrap(wanted, counts, at if isinstance(at, Uncertain) else None, asked, again)


def _of_ranking(name: str, of_auc: Interval) -> Interval:
    """AUC's own interval, or that of Gini's coefficient, which is twice AUC less one."""
    if name == "auc":
        return of_auc
    value, low, high = (2 * bound - 1 for bound in (of_auc.value, of_auc.low, of_auc.high))
    return replace(of_auc, value=value, low=low, high=high, name=name)


def _again(statistic: Any, rule: str | None, threshold: Any, volume: float | None) -> Callable[[Conditions], Statistic]:
    """The same statistic at other conditions."""
    return lambda at: statistic_of(statistic, at=at, rule=rule, threshold=threshold, volume=volume)


def _of_point(statistic: Any, source: Confusion | OperatingPoint, at: Any, asked: Asked, rest: tuple[Any, Any, Any]) -> Interval:
    rule, threshold, volume = rest
    notes: tuple[Note, ...] = ()
    if asked.resample is not None:
        raise refuse("BR594", "a point has no cases to resample", "give Counts and a rule or threshold")
    if rule is not None or threshold is not NOT_SAID:
        raise refuse("BR594", "this point is already set: a rule or threshold belongs to Counts", "leave them out")
    if not isinstance(statistic, str | Measure):
        raise refuse("BR594", f"a point has measures, and no {quoted(getattr(statistic, '__name__', statistic))}", 'such as "precision"')
    if isinstance(source, Confusion):
        measure, confusion, conditions = named(statistic, checked_volume(volume)), source, at
    else:
        refuse_masses(source.confusion)
        if any(isinstance(cases, float) for cases in source.confusion):
            raise refuse("BR583", "these cases are weighted: weights do not say how many were seen", "count without weights")
        measure, confusion = named(statistic, checked_volume(volume) or source.volume), source.confusion
        conditions, notes = source.at if at is None else at, chosen_here(source)
    found = measure_interval(_question(measure, confusion, conditions, asked))
    return replace(found, notes=combine(notes, found.notes))


def chosen_here(point: OperatingPoint) -> tuple[Note, ...]:
    """A threshold chosen on these same cases looks better than it is, and the interval does not know."""
    if point.in_advance or not point.optimized:
        return ()
    text = "the threshold was chosen on these same cases, and is taken as fixed in advance: the interval is too hopeful"
    return (Note("BR593", text),)


def _question(measure: Measure, confusion: Confusion, at: Any, asked: Asked) -> Question:
    conditions = at if isinstance(at, Uncertain) else checked_conditions(at)
    return Question(measure, confusion, conditions, asked.level, asked.side, asked.method, asked.seed)


def _at_threshold(measure: Measure, counts: Counts, threshold: Any, at: Any, asked: Asked) -> Interval:
    if counts.weighted:
        raise refuse("BR583", "these cases are weighted: weights do not say how many were seen", "count without weights")
    points = Points.of(counts)
    found = measure_interval(_question(measure, confusion_at(points, points.place(threshold)), at, asked))
    return replace(found, notes=combine(found.notes, out_of_range(points, threshold)))


def _by_bootstrap(
    statistic: Statistic,
    counts: Counts | GroupedCounts,
    uncertain: Uncertain | None,
    asked: Asked,
    again: Callable[[Conditions], Statistic],
) -> Interval:
    method = asked.method or PERCENTILE
    if method not in METHODS:
        raise refuse("BR581", f"there is no method {quoted(method)} for {statistic.name} here", f"one of {', '.join(METHODS)}")
    notes = check_enough(counts)
    seen = float(statistic.value(counts.total() if isinstance(counts, GroupedCounts) else counts))
    if math.isnan(seen):
        raise refuse("BR589", f"{statistic.name} is undefined for these cases, and so is its interval", "see its value for the reason")
    plan = planned(counts, statistic.of_prior, asked.resample, asked.replicates, asked.seed, asked.progress)
    if uncertain is None:
        low, high, missing = _bounds(statistic, counts, plan, seen, (method, asked))
    else:
        low, high, missing = _union(again, counts, plan, uncertain, (method, asked))
        if is_believed(uncertain):
            seen = _average(again, counts, uncertain)
    ends = statistic.range
    low, high = (ends[0] if asked.side == UPPER else low), (ends[1] if asked.side == LOWER else high)
    at = uncertain or statistic.at
    whole = counts.total() if isinstance(counts, GroupedCounts) else counts
    notes = combine(notes, (*missing, *_caveats(statistic, plan), *shifted(statistic, whole), *alike(low, high)))
    return Interval(seen, low, high, asked.level, method, asked.side, statistic.name, at, plan.replicates, plan.seed, notes)


def _caveats(statistic: Statistic, plan: Plan) -> tuple[Note, ...]:
    how = {"stratified": "within each class", "cases": "of all cases, the prior with them", "clusters": "of whole clusters"}[plan.how]
    text = f"{plan.replicates} resamples {how}: approximate, with no promise of coverage"
    if statistic.chosen:
        text += "; the threshold is chosen again on each of them"
    elif statistic.fixed:
        text += "; the threshold is taken as fixed in advance"
    return (Note("BR598", text),)


def _bounds(
    statistic: Statistic, counts: Counts | GroupedCounts, plan: Plan, seen: float, how: tuple[str, Asked]
) -> tuple[float, float, tuple[Note, ...]]:
    method, asked = how
    values, notes = undefined_noted(replicate_values(statistic, counts, plan)[:, 0])
    if method == BCA:
        low, high = bca_bounds(values, seen, acceleration(statistic, counts, plan.how), asked.level, asked.side)
    else:
        low, high = percentile_bounds(values, asked.level, asked.side)
    return low, high, notes


def _union(
    again: Callable[[Conditions], Statistic], counts: Counts | GroupedCounts, plan: Plan, at: Uncertain, how: tuple[str, Asked]
) -> tuple[float, float, tuple[Note, ...]]:
    """A draw of the conditions with every resample; over a range, the widest of all its bounds."""
    method, asked = how
    if method == BCA:
        raise refuse("BR581", "bca has no place for uncertain conditions", f'method="{PERCENTILE}"')
    found = []
    for pinned in at.pinned():
        values, notes = undefined_noted(_drawn_values(again, counts, plan, pinned))
        found.append((*percentile_bounds(values, asked.level, asked.side), notes))
    held = (over_range(at),) if at.has_range else ()
    return min(part[0] for part in found), max(part[1] for part in found), combine(held, (note for part in found for note in part[2]))


def _average(again: Callable[[Conditions], Statistic], counts: Counts | GroupedCounts, at: Uncertain) -> float:
    """The value as these cases have it, averaged over what is believed of the conditions."""
    whole = counts.total() if isinstance(counts, GroupedCounts) else counts
    found = believed(at, pilots=True)
    values = np.array([again(at.known(one))(whole) for one in found.rows])
    known = ~np.isnan(values)
    return float(values[known] @ found.weights[known] / found.weights[known].sum()) if known.any() else math.nan


def _drawn_values(again: Callable[[Conditions], Statistic], counts: Counts | GroupedCounts, plan: Plan, at: Uncertain) -> Floats:
    rng = np.random.default_rng((plan.seed, 0xC0DE))
    drawn = at.draw(rng, plan.replicates)
    values = np.empty(plan.replicates)
    for row, (part,) in enumerate(resampled(counts, plan)):
        values[row] = again(at.known(drawn.row(row))).tried(part)
    return values
