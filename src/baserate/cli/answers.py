"""What commands share on the way out: how sure they are, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import click

from baserate import document, judgements, tables, verdicts
from baserate.cli.terminal import Progress, tell
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.document import Known, names_at
from baserate.errors import InputError, on_command_line, quoted
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.notes import Ledger, Note
from baserate.uncertainty.chosen import REPLICATES, Resampling, chosen_intervals
from baserate.uncertainty.resampling import checked_replicates, checked_seed
from baserate.uncertainty.values import Difference, Interval


@dataclass(frozen=True)
class Surety:
    """How intervals are wanted: at which level, and with how many resamples for chosen thresholds (None: as many as usual, 0: none)."""

    level: float
    replicates: int | None
    seed: int

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        if self.replicates:
            checked_replicates(self.replicates)

    def known(self, models: Mapping[str, Counts], points: Iterable[tuple[str, OperatingPoint]]) -> Known:
        """The intervals of all points: of chosen thresholds as they will do in the field, unless that is not wanted, or cannot be had."""
        found: dict[int, Mapping[str, Interval]] = {}
        notes: list[Note] = []
        several = list(points)
        with Progress("resampling") as progress:
            for name, counts in models.items():
                chosen = [point for model, point in several if model == name and _is_resampled(point)]
                intervals, said = self.at_chosen(chosen, counts, progress)
                found |= {id(point): one for point, one in zip(chosen, intervals, strict=bool(intervals))}
                notes += [note if len(models) == 1 else replace(note, text=f"{quoted(name)}: {note.text}") for note in said]
        return Known(self.level, self.seed, found, notes=tuple(notes), corrected=bool(found))

    def at_chosen(
        self, points: Sequence[OperatingPoint], counts: Counts | GroupedCounts, progress: Progress
    ) -> tuple[list[dict[str, Interval]], list[Note]]:
        """The intervals of thresholds chosen on these counts, and what is to be said of them; none where they are treated as fixed."""
        if self.replicates == 0 or not points:
            return [], []
        how = Resampling(self.replicates or REPLICATES, self.seed, self.level, progress)
        try:
            found = chosen_intervals([(point, names_at(point)) for point in points], counts, how)
        except InputError as error:
            if self.replicates is not None:
                raise
            problem = error.problems[0]
            weighted = problem.code == "BR583"  # there are no intervals at all
            return [], [] if weighted else [Note("BR626", f"{problem.text}, so intervals treat the thresholds as fixed in advance")]
        said = [note for one in found for each in one.values() for note in each.notes]
        notes = [note for note in said if note.code == "BR625" or (note.code == "BR622" and "lies outside" in note.text)]
        return found, list(dict.fromkeys(notes))

    def words(self, known: Known, *, chosen: bool) -> str:
        """What was done about the thresholds."""
        if not chosen:
            return "at these thresholds, fixed in advance"
        if not known.corrected:
            return "treating the thresholds as fixed in advance, although they were chosen on these cases"
        return f"corrected for choosing the thresholds on these cases ({self.replicates or REPLICATES} resamples)"


def _is_resampled(point: OperatingPoint) -> bool:
    """Chosen on these cases, at a base rate that is known; a guarantee would have to be found again on every resample, and is not."""
    return bool(point.optimized) and point.at.estimate is None and point.guarantee is None


def tell_differences(
    found: Sequence[Difference],
    notes: Sequence[Note],
    ledger: Ledger,
    seed: int,
    joint: JointCounts | None = None,
    *,
    as_json: bool,
    by_cost: bool = False,
) -> None:
    """Comparisons in words, or as JSON, and their notes; `joint` where their conditions have a part in it."""
    notes = document.merged(notes)
    if as_json:
        click.echo(document.text(verdicts.of_comparisons("compare", ledger.sources, found, notes, seed, joint)))
    else:
        tell(judgements.of_differences(found, by_cost=by_cost), *(tables.source(used) for used in ledger.sources))
    say(notes)


def say(notes: Iterable[Note]) -> None:
    """Notes, on stderr."""
    for note in notes:
        click.echo(f"note {note.code}: {note.line(on_command_line)}", err=True)
