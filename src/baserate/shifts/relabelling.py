"""New names for the thresholds of counts: every cell keeps its cases and its rank, whatever floats make of its new score."""

from __future__ import annotations

import numpy as np

from baserate.cells import Array, without_runs
from baserate.counts import Counts
from baserate.errors import grouped, refuse
from baserate.exact import Floats, Ints
from baserate.kernels import Cells
from baserate.kernels.portable import ascending_orders, scores_of_orders
from baserate.notes import Ledger, Note, combine
from baserate.observations import ROUNDING

# Rounding alone moves a label by so many units in the last place; only more is worth a note.
FEW_UNITS = 4
LIKELY = "divide percentages by 100; turn logits into probabilities"


def as_probabilities(scores: Array) -> Floats:
    """Scores that are probabilities, as floats; what lies outside by rounding is taken as 0 or 1, and anything else refused."""
    values = scores.astype(np.float64)
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if not (low >= -ROUNDING and high <= 1 + ROUNDING):
        raise refuse("BR563", f"these scores are not probabilities: they span {low:.6g} to {high:.6g}", LIKELY)
    return np.clip(values, 0.0, 1.0)


def relabelled(counts: Counts, labels: Floats, ledger: Ledger) -> Counts:
    """The same cells with these labels, which do not rise but may be equal where floats merge them: those are set apart again."""
    if counts.bins is not None:
        raise refuse("BR220", "coarse counts keep the edges of their bins, which other scores would not fit", "correct before coarsening")
    apart, moved = _set_apart(labels)
    cells = Cells(apart, counts.positives.copy(), counts.negatives.copy())
    if counts.cuts is not None:
        cells = without_runs(cells)  # thresholds that were kept apart have other names now
    notes = combine(counts._recorded, _moved(moved))
    return Counts._of(cells, ledger, notes, condensed=counts.condensed)


def _set_apart(labels: Floats) -> tuple[Floats, Ints]:
    """Strictly descending labels between 0 and 1, each the nearest there is below its predecessor, and by how many units each was moved."""
    wished, place = ascending_orders(labels), np.arange(len(labels))
    # In units of the last place: below every label before it, and above every label after it down to 0.
    orders = np.maximum(np.minimum.accumulate(wished + place) - place, len(labels) - 1 - place)
    return scores_of_orders(orders, np.dtype(np.float64)), np.abs(orders - wished)


def _moved(units: Ints) -> tuple[Note, ...]:
    far = units > FEW_UNITS
    if not far.any():
        return ()
    text = (
        f"{grouped(int(np.count_nonzero(far)))} scores merge when corrected, as floats are no finer; they keep their order, "
        f"and lie up to {grouped(int(units.max()))} units in the last place off"
    )
    return (Note("BR539", text),)
