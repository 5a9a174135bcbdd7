"""Is a requirement shown by cases that come in clusters?"""

from __future__ import annotations

from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import Term, parse_rule
from baserate.decisions.searching import holds_all
from baserate.errors import refuse
from baserate.grouped import GroupedCounts
from baserate.uncertainty.clustered import CLASS_OF, cluster_bound, cluster_intervals, clustered
from baserate.uncertainty.gates import MISSED, OBSERVED, SHOWN, Check, Requirement, split_requirement
from baserate.uncertainty.resampling import Plan
from baserate.uncertainty.values import LOWER, UPPER


def require_of_clusters(
    requirement: str, point: OperatingPoint, clusters: GroupedCounts, level: float, plan: Plan | None = None
) -> Requirement:
    """A rate within a class is judged by what the clusters that hold it are worth; of anything else only an approximate interval is known."""
    summaries, rule = split_requirement(requirement)
    if summaries:
        text = f"{summaries[0][0]} of clusters has only an approximate interval, which cannot demonstrate a requirement"
        raise refuse("BR433", text, "require a measure")
    checks = tuple(_check(term, point, clusters, level, plan) for term in parse_rule(rule, point.volume).terms)
    return Requirement(max((check.outcome for check in checks), key=(SHOWN, OBSERVED, MISSED).index), checks, point)


def _check(term: Term, point: OperatingPoint, clusters: GroupedCounts, level: float, plan: Plan | None) -> Check:
    side, name = LOWER if term.sense == ">=" else UPPER, term.measure.name
    holds = holds_all([term], point.confusion, point.at)
    shown = False
    if name in CLASS_OF:
        if not clustered(clusters).worth[CLASS_OF[name]]:
            raise refuse("BR589", f"{name} is undefined here, and so is its bound", "give cases of both classes")
        found = cluster_bound(name, clusters, point, level, side)
        shown = holds and (found.low >= float(term.limit) if side == LOWER else found.high <= float(term.limit))
    else:
        bounds = cluster_intervals(point, clusters, (name,), plan, level, side)
        if name not in bounds:
            raise refuse("BR590", f"too few clusters for an interval of {name}", "label more clusters, or require a rate within a class")
        found = bounds[name]
    return Check(str(term), found, SHOWN if shown else OBSERVED if holds else MISSED)
