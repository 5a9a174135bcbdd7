"""What commands share on the way out: how sure they are, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from baserate import document, judgements, tables, verdicts
from baserate.cli.terminal import Progress, tell
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.document import Known, names_at
from baserate.errors import on_command_line
from baserate.joint import JointCounts
from baserate.notes import Ledger, Note
from baserate.uncertainty.chosen import Resampling, chosen_intervals
from baserate.uncertainty.resampling import checked_replicates, checked_seed
from baserate.uncertainty.values import Difference


@dataclass(frozen=True)
class Surety:
    """How intervals are wanted: at which level, and whether thresholds are to be chosen again on resamples."""

    level: float
    replicates: int | None
    seed: int

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        if self.replicates is not None:
            checked_replicates(self.replicates)

    def known(self, models: Mapping[str, Counts], points: Iterable[tuple[str, OperatingPoint]], options: dict[str, Any]) -> Known:
        """The intervals of all points; resampled where that is asked for, which is found out before anything is printed."""
        if self.replicates is None:
            return Known(self.level, self.seed)
        found = {}
        with Progress("resampling") as progress:
            how = Resampling(self.replicates, self.seed, self.level, progress)
            for name, point in points:
                # A guaranteed threshold is not chosen again: its guarantee would have to be found on every resample.
                if point.optimized and point.guarantee is None:
                    given = {**options, "rule": point.rule or None}
                    found[id(point)] = chosen_intervals(point, models[name], names_at(point), given, how)
        return Known(self.level, self.seed, found)

    def words(self, *, chosen: bool) -> str:
        """What was done about the thresholds."""
        if not chosen:
            return "at these thresholds, fixed in advance"
        if self.replicates is None:
            return "taking the thresholds as fixed in advance (they were chosen on these cases; --replicates 2000 chooses again)"
        return f"choosing the thresholds again on each of {self.replicates} resamples"


def tell_differences(
    found: Sequence[Difference], notes: Sequence[Note], ledger: Ledger, seed: int, joint: JointCounts | None = None, *, as_json: bool
) -> None:
    """Comparisons in words, or as JSON, and their notes; `joint` where their conditions have a part in it."""
    notes = document.merged(notes)
    if as_json:
        click.echo(document.text(verdicts.of_comparisons("compare", ledger.sources, found, notes, seed, joint)))
    else:
        tell(judgements.of_differences(found), *(tables.source(used) for used in ledger.sources))
    say(notes)


def say(notes: Iterable[Note]) -> None:
    """Notes, on stderr."""
    for note in notes:
        click.echo(f"note {note.code}: {note.line(on_command_line)}", err=True)
