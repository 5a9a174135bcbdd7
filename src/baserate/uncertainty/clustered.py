"""Cases that come in clusters (rows of one patient, of one card): intervals at a fixed threshold, and how many cases they are worth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.conditions import Conditions
from baserate.decisions.operating import OperatingPoint
from baserate.errors import InputError, number_of
from baserate.exact import Floats
from baserate.grouped import GroupedCounts
from baserate.measures.confusions import Confusion
from baserate.measures.values import Measure, named
from baserate.notes import Note
from baserate.points import Points
from baserate.uncertainty.adequacy import refuse_masses
from baserate.uncertainty.bootstrap import PERCENTILE, percentile_bounds, undefined_noted
from baserate.uncertainty.cluster_rates import alike_lower
from baserate.uncertainty.field import refuse_estimate
from baserate.uncertainty.rates import rate_interval
from baserate.uncertainty.reading import rates_read
from baserate.uncertainty.resampling import CLUSTERS, FEW_CLUSTERS, Plan, check_enough, clusters_with, groups_drawn
from baserate.uncertainty.values import BOTH, EXACT, LOWER, UPPER, Interval

# The class whose cases each rate is a share of: 0 positives, 1 negatives.
CLASS_OF = {"tpr": 0, "fnr": 0, "tnr": 1, "fpr": 1}
AS_CLUSTERS = "clopper-pearson of clusters"


@dataclass(frozen=True)
class Clustered:
    """How many rows a cluster has, and how many clusters hold either class; `worth` is how many independent cases they are worth at least."""

    clusters: int
    rows: int
    with_positives: int
    with_negatives: int
    worth: tuple[int, int]

    @property
    def rows_each(self) -> float:
        return self.rows / self.clusters if self.clusters else math.nan


def clustered(groups: GroupedCounts) -> Clustered:
    """How much do so many clusters tell?

    Where the rows of a cluster always come out alike, n rows in clusters of sizes nᵢ are worth (Σ nᵢ)² / Σ nᵢ² independent ones (Kish 1965,
    Survey Sampling, §11.7), which is the number of clusters where all are of one size. Where they do not, they are worth more.
    """
    refuse_masses(groups.weighted)
    columns = groups.positives, groups.negatives
    rows = int(groups.total_positives) + int(groups.total_negatives)
    worth = tuple(_worth(_sums(column, groups)) for column in columns)
    held = [clusters_with(groups, column) for column in columns]
    return Clustered(len(groups), rows, held[0], held[1], (worth[0], worth[1]))


def _sums(column: Array, groups: GroupedCounts) -> Array:
    """The cases of each cluster."""
    totals = np.concatenate(([0], np.cumsum(column)))
    return np.asarray(np.diff(totals[groups.offsets]))


def _worth(sizes: Array) -> int:
    whole, squares = int(sizes.sum()), sum(int(size) ** 2 for size in sizes.tolist())
    return whole**2 // squares if squares else 0


def cluster_notes(groups: GroupedCounts, name: str = "") -> tuple[Note, ...]:
    """What a reader should know of clusters: rows in each, and the number that counts."""
    found, of = clustered(groups), f" of {name}" if name else ""
    each = f"{number_of(found.rows, 'row')} in {number_of(found.clusters, 'cluster')}{of} ({found.rows_each:.3g} rows each)"
    worth = f"{number_of(found.with_positives, 'of them holds', 'of them hold')} positives, and that is how much is known of these"
    few = f"; below {FEW_CLUSTERS} an interval is rough" if found.with_positives < FEW_CLUSTERS else ""
    return (Note("BR432", f"{each} are resampled whole: {worth}{few}"),)


def cluster_bound(measure: str, groups: GroupedCounts, point: OperatingPoint, level: float, side: str) -> Interval:
    """The one-sided bound of a rate within a class, as if the rows of a cluster always came out alike."""
    of = CLASS_OF[measure]
    sizes = [size for size in _sums((groups.positives, groups.negatives)[of], groups).tolist() if size]
    seen = _seen(measure, point.confusion)
    value, ends = float(point[measure]), [0.0, 1.0]
    if sizes and side != UPPER:
        ends[0] = alike_lower(seen, sizes, level)
    if sizes and side != LOWER:
        ends[1] = 1 - alike_lower(sum(sizes) - seen, sizes, level)
    return Interval(value, ends[0], ends[1], level, AS_CLUSTERS, side, measure, point.at)


def _seen(measure: str, confusion: Confusion) -> int:
    tp, fp, fn, tn = (int(cases) for cases in confusion)
    return {"tpr": tp, "fnr": fn, "tnr": tn, "fpr": fp}[measure]


def _exact_rate(measure: str, confusion: Confusion) -> Fraction | None:
    whole = sum(_seen(each, confusion) for each in CLASS_OF if CLASS_OF[each] == CLASS_OF[measure])
    return Fraction(_seen(measure, confusion), whole) if whole else None


def cluster_intervals(
    point: OperatingPoint, groups: GroupedCounts, names: Iterable[str], plan: Plan, level: float = 0.95, side: str = BOTH
) -> dict[str, Interval]:
    """The intervals of several measures at a point whose threshold is fixed in advance: whole clusters are resampled.

    Where too few clusters hold a class there are none, and where every resample is alike the one that a rate has as a share of clusters.
    """
    refuse_estimate(point.at, "an interval from whole clusters")
    if point.share != 1 and point.regardless is None:
        return {}  # a share of a tie, or a mixture: expected values, of which no row is flagged or not
    try:
        notes = check_enough(groups)
    except InputError:
        return {}
    outcomes = _replicates(groups, point.threshold, plan)
    found: dict[str, Interval] = {}
    for name in names:
        asked = named(name, point.volume)
        try:
            values, missing = undefined_noted(_values(asked, outcomes, point.at))
            seen = float(point[asked])
        except InputError:
            continue
        if math.isnan(seen):
            continue
        low, high = percentile_bounds(values, level, side)
        if low == high:
            if point.regardless is not None:
                found[name] = Interval(seen, seen, seen, level, EXACT, side, name, point.at)
            elif name in CLASS_OF:
                found[name] = _never_seen(name, groups, point, level)
            continue
        ends = asked.range
        low, high = (ends[0] if side == UPPER else low), (ends[1] if side == LOWER else high)
        found[name] = Interval(seen, low, high, level, PERCENTILE, side, name, point.at, plan.replicates, plan.seed, (*notes, *missing))
    return found


def cluster_plan(replicates: int, seed: int, progress: Any = None) -> Plan:
    """Resamples of whole clusters."""
    return Plan(CLUSTERS, replicates, seed, progress)


def _never_seen(name: str, groups: GroupedCounts, point: OperatingPoint, level: float) -> Interval:
    """Resamples cannot show what was never seen: what so many clusters without an error show."""
    worth, share = clustered(groups).worth[CLASS_OF[name]], _exact_rate(name, point.confusion) or Fraction(0)
    known = rate_interval(round(share * worth), worth, level=level)
    return Interval(float(point[name]), known.low, known.high, level, AS_CLUSTERS, known.side, name, point.at)


def _replicates(groups: GroupedCounts, threshold: float | None, plan: Plan) -> tuple[Floats, Floats, Floats, Floats]:
    """The outcomes (tp, fp, fn, tn) of every resample of the clusters."""
    total = Points.of(groups.total())
    total.place(threshold)  # refuses what is no threshold here
    flagged = np.zeros(len(groups.scores), dtype=np.bool_) if threshold is None else groups.scores >= threshold
    columns = [_sums(column * kept, groups) for kept in (flagged, ~flagged) for column in (groups.positives, groups.negatives)]
    table = np.stack(columns, axis=1).astype(np.float64)
    drawn = np.concatenate([times @ table for times in groups_drawn(len(groups), plan)])
    tp, fp, fn, tn = drawn.T
    return tp, fp, fn, tn


def _values(asked: Measure, outcomes: tuple[Floats, Floats, Floats, Floats], at: Conditions) -> Floats:
    """The measure of every resample: at the resample's own prior where that of the sample was asked for."""
    tp, fp, fn, tn = outcomes
    with np.errstate(divide="ignore", invalid="ignore"):
        t, f = tp / (tp + fn), fp / (fp + tn)
        own = (tp + fn) / (tp + fp + fn + tn)
    prior = own if at.as_in_sample or at.prior is None else np.full(t.shape, at.prior)
    costs = tuple(float(getattr(at.costs, name)) for name in ("tp", "fp", "fn", "tn"))
    return rates_read(asked, (t, f), prior, costs)
