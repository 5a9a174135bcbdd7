"""Rows that belong together, on the command line: counted by cluster, which are the units of every interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from baserate.cli.answers import Surety
from baserate.cli.options import Given
from baserate.cli.terminal import Progress
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.document import Known, names_at
from baserate.engines.file_cases import read_cases
from baserate.engines.file_counts import grouped_cases
from baserate.engines.wanted import Wanted
from baserate.errors import InputError
from baserate.grouped import GroupedCounts
from baserate.notes import Note
from baserate.summaries.ranking import auc
from baserate.uncertainty.adequacy import refuse_masses
from baserate.uncertainty.bootstrap import PERCENTILE
from baserate.uncertainty.clustered import cluster_intervals, cluster_notes, cluster_plan
from baserate.uncertainty.intervals import interval
from baserate.uncertainty.values import Interval


@dataclass(frozen=True)
class Clusters:
    """The clusters of every model, the counts of all of them together, and what is to be said of clusters."""

    groups: Mapping[str, GroupedCounts]
    models: dict[str, Counts]
    notes: tuple[Note, ...]

    def known(self, surety: Surety, points: Iterable[tuple[str, OperatingPoint]]) -> Known:
        """Every interval by the variance between clusters, or by resamples of them where that is asked for; chosen thresholds corrected."""
        found: dict[int, Mapping[str, Interval]] = {}
        notes: dict[Note, None] = {}
        with Progress("resampling clusters") as progress:
            aucs = {id(counts): self._auc(name, surety, progress) for name, counts in self.models.items()}
            plan = cluster_plan(surety.replicates, surety.seed, progress) if surety.replicates else None
            resampled = False
            for name, point in points:
                intervals, said = surety.at_chosen([point] if point.optimized else [], self.groups[name], progress)
                resampled = resampled or bool(intervals)
                fixed = intervals or [cluster_intervals(point, self.groups[name], names_at(point), plan, surety.level)]
                found[id(point)] = fixed[0]
                notes |= dict.fromkeys(said)
        return Known(surety.level, surety.seed, found, aucs, tuple(notes), corrected=resampled)

    def _auc(self, name: str, surety: Surety, progress: Progress) -> Interval | None:
        asked: dict[str, Any] = {"level": surety.level, "seed": surety.seed, "progress": progress}
        if surety.replicates:
            asked |= {"replicates": surety.replicates, "method": PERCENTILE}
        try:
            return interval(auc, self.groups[name], **asked)
        except InputError:
            return None  # too few clusters


def clusters_of(given: Given, wanted: Wanted) -> Clusters:
    """The cases of a file by cluster."""
    refuse_masses(wanted.weight is not None)
    cases, table = read_cases(given.path, wanted, given.options)
    try:
        groups = {name: grouped_cases(cases, name, cases.beside["cluster"]) for name in wanted.scores}
    except InputError as error:
        raise error.moved(table.place) from None
    return Clusters(groups, {name: each.total() for name, each in groups.items()}, cluster_notes(next(iter(groups.values()))))
