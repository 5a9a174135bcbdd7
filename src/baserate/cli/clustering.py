"""Rows that belong together, on the command line: counted by cluster, and resampled whole for every interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
from baserate.uncertainty.clustered import cluster_intervals, cluster_notes, cluster_plan
from baserate.uncertainty.intervals import REPLICATES, interval
from baserate.uncertainty.values import Interval


@dataclass(frozen=True)
class Clusters:
    """The clusters of every model, the counts of all of them together, and what is to be said of clusters."""

    groups: Mapping[str, GroupedCounts]
    models: dict[str, Counts]
    notes: tuple[Note, ...]

    def known(self, surety: Surety, points: Iterable[tuple[str, OperatingPoint]]) -> Known:
        """Every interval by resamples of whole clusters."""
        found: dict[int, Mapping[str, Interval]] = {}
        notes: dict[Note, None] = {}
        with Progress("resampling clusters") as progress:
            aucs = {id(counts): self._auc(name, surety.replicates or REPLICATES, surety, progress) for name, counts in self.models.items()}
            for name, point in points:
                intervals, said = surety.at_chosen([point] if point.optimized else [], self.groups[name], progress)
                plan = cluster_plan(surety.replicates or REPLICATES, surety.seed, progress)
                fixed = intervals or [cluster_intervals(point, self.groups[name], names_at(point), plan, surety.level)]
                found[id(point)] = fixed[0]
                notes |= dict.fromkeys(said)
        return Known(surety.level, surety.seed, found, aucs, tuple(notes))

    def _auc(self, name: str, replicates: int, surety: Surety, progress: Progress) -> Interval | None:
        try:
            return interval(auc, self.groups[name], level=surety.level, replicates=replicates, seed=surety.seed, progress=progress)
        except InputError:
            return None  # too few clusters to resample


def clusters_of(given: Given, wanted: Wanted) -> Clusters:
    """The cases of a file by cluster."""
    refuse_masses(wanted.weight is not None)
    cases, table = read_cases(given.path, wanted, given.options)
    try:
        groups = {name: grouped_cases(cases, name, cases.beside["cluster"]) for name in wanted.scores}
    except InputError as error:
        raise error.moved(table.place) from None
    return Clusters(groups, {name: each.total() for name, each in groups.items()}, cluster_notes(next(iter(groups.values()))))
