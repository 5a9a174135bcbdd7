"""Intervals at a point that a rule chooses: the threshold is chosen again on every resample, for all measures at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import choose
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import Rule, parse_rule
from baserate.errors import Infeasible, InputError
from baserate.grouped import GroupedCounts
from baserate.uncertainty.bootstrap import PERCENTILE, percentile_bounds, undefined_noted
from baserate.uncertainty.clustered import cluster_intervals
from baserate.uncertainty.fixed import point_intervals
from baserate.uncertainty.resampling import Progress, check_enough, planned, resampled
from baserate.uncertainty.values import BOTH, Interval


@dataclass(frozen=True)
class Resampling:
    """How often to resample, from which seed, for intervals of which level."""

    replicates: int = 2000
    seed: int = 0
    level: float = 0.95
    progress: Progress | None = None


def chosen_intervals(
    point: OperatingPoint, counts: Counts | GroupedCounts, names: Sequence[str], options: dict[str, Any], how: Resampling
) -> dict[str, Interval]:
    """The intervals of several measures at the point that `choose(counts, …, **options)` found, chosen again on every resample."""
    replicates, level = how.replicates, how.level
    if point.at.estimate is not None:
        # Resamples of the labelled cases alone would take the base rate as known: its error is drawn together with that of the rates.
        return point_intervals(point, names, level, how.seed)
    notes = check_enough(counts)
    at = _given(point)
    plan = planned(counts, at.as_in_sample, None, replicates, how.seed, how.progress)
    values = np.full((replicates, len(names)), math.nan)
    for row, (part,) in enumerate(resampled(counts, plan)):
        try:
            again = choose(part, at=at, **options)
        except (Infeasible, InputError):
            continue
        values[row] = [_read(again, name) for name in names]
    pinned = _pinned(point)
    found = dict[str, Interval]()
    fixed = (
        cluster_intervals(point, counts, names, plan, level)
        if isinstance(counts, GroupedCounts)
        else point_intervals(point, names, level, how.seed)
    )
    for column, name in enumerate(names):
        seen = _read(point, name)
        known = values[:, column]
        if math.isnan(seen) or np.isnan(known).mean() > 0.5:
            continue
        known, missing = undefined_noted(known)
        low, high = percentile_bounds(known, level, BOTH)
        if low == high and name in fixed and name not in pinned:
            found[name] = fixed[name]  # resamples cannot show what was never seen
            continue
        found[name] = Interval(seen, low, high, level, PERCENTILE, BOTH, name, point.at, replicates, how.seed, (*notes, *missing))
    return found


def _pinned(point: OperatingPoint) -> set[str]:
    """What the rule itself holds in place: that is no doubt left out."""
    rule = parse_rule(point.rule, point.volume) if point.rule else Rule()
    return {term.measure.name for term in rule.terms} | ({"alerts", "posfrac"} if rule.budget is not None else set())


def _given(point: OperatingPoint) -> Conditions:
    """The conditions as they were given: a prior that was the sample's own is that of each resample."""
    at = point.at
    return Conditions(None, at.costs if at.costs_given else None) if at.as_in_sample else at


def _read(point: OperatingPoint, name: str) -> float:
    try:
        return float(point[name])
    except InputError:
        return math.nan
