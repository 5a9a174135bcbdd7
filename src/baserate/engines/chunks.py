"""Counting what a program makes piece by piece, under a ceiling on memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from baserate.counts import Counts
from baserate.engines.ceilings import Ceiling
from baserate.engines.passes import Kept, count_pieces
from baserate.engines.pieces import Chunks
from baserate.errors import Fix, grouped, refuse
from baserate.notes import RANDOM, Ledger, Note


def count_chunks(
    chunks: Callable[[], Iterable[tuple[Any, Any]]] | Iterable[tuple[Any, Any]],
    *,
    memory: str | int,
    pos_label: Any = None,
    thresholds: Iterable[float] = (),
    approx: bool = False,
    design: str = RANDOM,
) -> Counts:
    """How many positives and negatives have each score, where labels and scores come in chunks and do not fit into memory?

    `chunks` gives pairs of labels and scores: a function that begins anew each time, or a list. Full counts where every distinct score fits
    into `memory`; otherwise the chunks are read twice, and the counts are condensed (see `Counts.condense`), exact for AUC and its interval,
    for the hull, and at every one of `thresholds`. `approx=True` keeps certified bins instead, with AUC within 1e-6, mostly after one reading.
    Chunks that are not the same cases when they are read again are refused.

    >>> import baserate as br
    >>> br.count_chunks(lambda: (([0, 1], [0.1, 0.4 + i]) for i in range(3)), memory="1GB")
    Counts: 3 positives, 3 negatives, 4 distinct scores, prior 0.500
    """
    pieces = Chunks(chunks, pos_label, design)
    ceiling = Ceiling.of({"memory": memory, "thresholds": tuple(thresholds), "approx": approx})
    kept = count_pieces(pieces, ceiling)
    if not pieces.seen:
        raise refuse("BR603", "there are no cases in any chunk", "give chunks with cases")
    return as_counts(kept, pieces.ledger(), tuple(pieces.notes))


def as_counts(kept: Kept, ledger: Ledger, notes: tuple[Note, ...]) -> Counts:
    """Counts that say what had to be merged."""
    counts = Counts._of(kept.cells, ledger, (*notes, *_merged(kept)), kept.bins, kept.condensed, kept.cuts)
    if kept.bins is None:
        return counts
    text = f"certified bins: AUC within {counts.auc_error_bound:.1e}; every point shown is exact, and between two of them lie at most"
    shares = [column.max() / max(int(column.sum()), 1) for column in (kept.cells.positives, kept.cells.negatives)]
    note = Note("BR946", f"{text} {100 * shares[0]:.2g} % of the positives and {100 * shares[1]:.2g} % of the negatives")
    return Counts._of(kept.cells, ledger, (*notes, note), kept.bins, kept.condensed, kept.cuts)


def _merged(kept: Kept) -> tuple[Note, ...]:
    if not kept.condensed:
        return ()
    kept_apart = "" if kept.cuts is None else f", and at the {grouped(len(kept.cuts))} asked for"
    text = f"the scores did not all fit: runs of negatives are merged, exact for AUC and at every positive's score{kept_apart}"
    return (Note("BR947", text, Fix("more memory, to keep every score", "a higher --memory, to keep every score")),)
