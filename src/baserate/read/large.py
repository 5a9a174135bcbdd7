"""Counting within a memory limit: every distinct score where they all fit; else two readings, the
positives' scores first and then the negatives between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array, cuts_of, gathered, run_starts, run_sums, without_runs
from baserate.counts.counts import Counts
from baserate.errors import (
    RANDOM,
    Fix,
    Ledger,
    Note,
    grouped,
    number_of,
    refuse,
    relocate_problems,
    size,
)
from baserate.kernels import Cells, Kernels, Labels, Scores, best
from baserate.kernels.portable import ascending_orders, scores_of_orders
from baserate.numbers import Ints
from baserate.read.cases import SCORE, between, cases_of_arrays, turned
from baserate.read.checks import Judged, other_rows
from baserate.read.engine import CaseTable
from baserate.read.table import CELL, POSITIVE, Ceiling

SAME = "give the same chunks each time"
# Odd, and with bits all over: what multiplies by them loses nothing, and mixes.
MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))
# So much waits to be merged before it is, so that merging costs little a row.
BATCH = 1 << 18
# Rows that are read together.
ROWS = 1 << 18


class Piece(NamedTuple):
    """Some cases: who is positive, and their scores, of which none is NaN."""

    positive: Labels
    scores: Scores


class Kept(NamedTuple):
    """What counts are made of: cells, whether runs were merged, and the thresholds that were kept
    apart.
    """

    cells: Cells
    condensed: bool = False
    cuts: Array | None = None


# The same cases at every call.
Reading = Callable[[], Iterable[Piece]]


def count_within(read: Reading, ceiling: Ceiling, kernels: Kernels = best) -> Kept:
    """Return full counts where these fit, else condensed ones, from at most two readings."""
    everything = DistinctScores(ceiling.room // CELL, kernels)
    positives = None
    for piece in read():
        if positives is None:
            everything.add(piece)
            if everything.are_too_many:
                positives = everything.positives(ceiling)
        else:
            positives.add(piece)
    if positives is None:
        cells = everything.settle()
        if not everything.are_too_many:
            return Kept(cells)
        positives = everything.positives(ceiling)
    gaps = Gaps(positives, cuts_of(ceiling.thresholds, positives.kind), kernels)
    for piece in read():
        gaps.counter.add(piece.scores, piece.positive)
    return Kept(gaps.cells(), condensed=True, cuts=gaps.cuts)


def as_counts(kept: Kept, ledger: Ledger, notes: tuple[Note, ...]) -> Counts:
    """Return counts that say what had to be merged."""
    return Counts._of(kept.cells, ledger, (*notes, *merged_notes(kept)), kept.condensed, kept.cuts)


def merged_notes(kept: Kept) -> tuple[Note, ...]:
    """Say that scores were merged."""
    if not kept.condensed:
        return ()
    kept_apart = ""
    if kept.cuts is not None:
        kept_apart = f" and {number_of(len(kept.cuts), 'requested threshold')}"
    text = "the scores did not all fit: runs of negatives are merged, exact for AUC and at every"
    more = "more memory, to keep every score", "a higher --memory, to keep every score"
    return (Note("BR947", f"{text} positive's score{kept_apart}", Fix(*more)),)


# ----------------------------------------------------------------------
# What is kept while cases go by in pieces.


def score_type(scores: Array) -> np.dtype[Any]:
    """Return the type in which counts hold these scores."""
    return np.dtype(np.int64) if scores.dtype == np.int64 else np.dtype(np.float64)


def check_type(kind: np.dtype[Any] | None, piece: Piece) -> None:
    """Refuse pieces of two types."""
    if kind not in (None, score_type(piece.scores)):
        text = "scores are whole numbers in some pieces and fractions in others"
        raise refuse("BR944", text, "give all of them one type")


class DistinctScores:
    """Every distinct score with its cases: full counts, for as long as they fit."""

    def __init__(self, most: int, kernels: Kernels) -> None:
        self.most, self.kernels = most, kernels
        self.cells: Cells | None = None
        self.kind: np.dtype[Any] | None = None
        self.waiting: list[Piece] = []

    @property
    def are_too_many(self) -> bool:
        """Whether there are more distinct scores than there is room for."""
        return self.cells is not None and len(self.cells.scores) > self.most

    def add(self, piece: Piece) -> None:
        """Take a piece; what waits is counted at once, which costs a third of merging small
        counts.
        """
        check_type(self.kind, piece)
        self.kind = score_type(piece.scores)
        self.waiting.append(piece)
        if sum(len(waiting.scores) for waiting in self.waiting) > max(BATCH, self.most):
            self.settle()

    def settle(self) -> Cells:
        """Return everything so far as one."""
        if self.waiting:
            scores = np.concatenate([piece.scores for piece in self.waiting])
            positive = np.concatenate([piece.positive for piece in self.waiting])
            self.waiting = []
            found = self.kernels.count_cells(scores, positive)
            if self.cells is not None:
                both = zip(self.cells, found, strict=True)
                found = gathered(*(np.concatenate(columns) for columns in both))
            self.cells = found
        if self.cells is None:
            return Cells(np.empty(0), *np.empty((2, 0), dtype=np.int64))
        return self.cells

    def positives(self, ceiling: Ceiling) -> PositiveScores:
        """Return the scores of positives among those that were counted."""
        cells = self.settle()
        self.cells = None
        return PositiveScores(cells, ceiling)


class PositiveScores:
    """The distinct scores of the positives, as orders, with the cases at each."""

    def __init__(self, cells: Cells, ceiling: Ceiling) -> None:
        assert ceiling.memory is not None
        ours = np.flatnonzero(cells.positives)[::-1]
        self.kind = score_type(cells.scores)
        self.most, self.memory = ceiling.room // POSITIVE, ceiling.memory
        self.orders, self.hits = ascending_orders(cells.scores[ours]), cells.positives[ours]
        self.waiting: list[Ints] = []

    def add(self, piece: Piece) -> None:
        """Take a piece."""
        check_type(self.kind, piece)
        self.waiting.append(ascending_orders(piece.scores[np.flatnonzero(piece.positive)]))
        room = min(len(self.orders), self.most - len(self.orders))
        if sum(map(len, self.waiting)) > max(BATCH, room):
            self.settle()

    def settle(self) -> None:
        """Sort them, each score once."""
        orders = np.concatenate((self.orders, *self.waiting))
        hits = np.concatenate((self.hits, np.ones(len(orders) - len(self.hits), dtype=np.int64)))
        self.waiting = []
        places = np.argsort(orders, kind="stable")
        orders, hits = orders[places], hits[places]
        starts = run_starts(orders)
        self.orders, self.hits = orders[starts], run_sums(hits, starts)
        if len(self.orders) > self.most:
            text = f"more than {grouped(self.most)} different scores of positives do not fit into"
            fix = Fix("more memory, or rounded scores", "a higher --memory, or rounded scores")
            raise refuse("BR951", f"{text} {size(self.memory)}", fix)


class Gaps:
    """How many negatives lie at each positive's score (and each cut), and between them."""

    def __init__(self, found: PositiveScores, cuts: Array | None, kernels: Kernels) -> None:
        found.settle()
        self.kind, self.cuts = found.kind, cuts
        self.anchors, self.hits = found.orders, found.hits
        if cuts is not None and len(cuts):
            # np.union1d hashes, and orders of floats collide.
            orders = np.sort(np.concatenate((found.orders, ascending_orders(cuts))), kind="stable")
            self.anchors = np.asarray(orders[run_starts(orders)])
            self.hits = np.zeros(len(self.anchors), dtype=np.int64)
            self.hits[np.searchsorted(self.anchors, found.orders)] = found.hits
        if not len(self.anchors):
            # Without positives all negatives are one run, and any anchor will do.
            self.anchors = self.hits = np.zeros(1, dtype=np.int64)
        self.counter = kernels.GapCounter(self.anchors)

    def cells(self) -> Cells:
        """Return what lies at the anchors and between them."""
        counter, hits = self.counter, self.hits[::-1]
        scores = scores_of_orders(self.anchors[::-1], self.kind)
        anchors = Cells(scores, hits, np.zeros_like(hits))
        return without_runs(between(anchors, counter.ties, counter.gaps, counter.lowest), self.cuts)


# ----------------------------------------------------------------------
# Chunks that a program makes.


def count_chunks(
    chunks: Callable[[], Iterable[tuple[Any, Any]]] | Iterable[tuple[Any, Any]],
    *,
    memory: str | int,
    pos_label: Any = None,
    thresholds: Iterable[float] = (),
    design: str = RANDOM,
) -> Counts:
    """How many positives and negatives have each score, where labels and scores come in chunks and
    do not fit into memory?

    `chunks` gives pairs of labels and scores: a function that begins anew each time, or a list.
    Full counts where every distinct score fits into `memory`; otherwise the chunks are read twice,
    and the counts are condensed (see `Counts.condense`), exact for AUC and its interval, for the
    hull, and at every one of `thresholds`. Chunks that are not the same cases when they are read
    again are refused.

    >>> import baserate as br
    >>> br.count(lambda: (([0, 1], [0.1, 0.4 + i]) for i in range(3)), memory="1GB")
    Counts: 3 positives, 3 negatives, 4 distinct scores, prior 0.500
    """
    given = Chunks(chunks, pos_label, design)
    ceiling = Ceiling.of({"memory": memory, "thresholds": tuple(thresholds)})
    kept = count_within(given.read, ceiling)
    if not given.seen:
        raise refuse("BR602", "there are no cases in any chunk", "give chunks with cases")
    ledger = Ledger(rows_read=given.seen, rows_used=given.seen, design=design)
    return as_counts(kept, ledger, tuple(given.notes))


class Chunks:
    """Pairs of labels and scores, from a function that begins anew or from something to go through
    again; the cases have to be the same each time.
    """

    def __init__(
        self, chunks: Callable[[], Iterable[Any]] | Iterable[Any], pos_label: Any, design: str
    ) -> None:
        self.chunks, self.asked = chunks, {"positive": pos_label, "design": design}
        self.notes: dict[Note, None] = {}
        self.seen, self.readings = 0, 0
        self.sums = [0, 0]

    def read(self) -> Iterator[Piece]:
        """Give the cases of every chunk."""
        self.readings += 1
        if self.readings > 1 and isinstance(self.chunks, Iterator):
            text = "these chunks can be gone through once, and the scores do not fit: they have to"
            fix = "give a function that starts again, such as lambda: read_chunks(), or more memory"
            raise refuse("BR944", f"{text} be read again", fix)
        rows, sums = 0, [0, 0]
        for number, chunk in enumerate(self.chunks() if callable(self.chunks) else self.chunks):
            piece = self._checked(chunk, number, rows)
            rows += len(piece.scores)
            added = zip(sums, sums_of(piece), strict=True)
            sums = [(one + other) % 2**64 for one, other in added]
            yield piece
        if self.readings > 1:
            self._check_same(rows, sums)
        self.seen, self.sums = rows, sums

    def _check_same(self, rows: int, sums: list[int]) -> None:
        if rows != self.seen:
            text = f"the chunks gave {self.seen} cases at first, and {rows} when they were read"
            raise refuse("BR944", f"{text} again", SAME)
        if sums != self.sums:
            text = "the chunks gave different cases when they were read again (random ones without"
            raise refuse("BR944", f"{text} a seed?)", SAME)

    def _checked(self, chunk: Any, number: int, rows: int) -> Piece:
        try:
            labels, scores = chunk
        except (TypeError, ValueError):
            text = f"chunk {number} is not a pair of labels and scores"
            raise refuse("BR944", text, "yield (y_true, y_score)") from None
        with relocate_problems(lambda at: replace(at, rows=tuple(row + rows for row in at.rows))):
            cases = cases_of_arrays(labels, {SCORE: scores}, **self.asked)
        self.notes.update(dict.fromkeys(cases.notes))
        return Piece(cases.positive, cases.scores[SCORE])


def sums_of(piece: Piece) -> tuple[int, int]:
    """Return a sum of all scores, mixed, and one of those of the positives: the same for every
    order of the cases and every way of cutting them.
    """
    mixed = ascending_orders(piece.scores).view(np.uint64) * MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(31))) * MIX[1]
    return int(mixed.sum()), int(mixed[np.flatnonzero(piece.positive)].sum())


# ----------------------------------------------------------------------
# Tables of cases.


def count_model_within(
    cases: CaseTable, judged: Judged, model: str, ceiling: Ceiling, *, lower_is_positive: bool
) -> Kept:
    """Count the scores of one model in a table, of which every row is used."""
    columns = {"positive": judged.positive, "score": judged.scores[model]}
    total = sum(rows for _, rows in cases.slices)

    def read() -> Iterator[Piece]:
        done = 0
        for source, rows in cases.slices:
            for begin in range(0, rows, ROWS):
                found = cases.rows_of(source, columns, begin, min(begin + ROWS, rows))
                scores = np.asarray(found["score"])
                if lower_is_positive:
                    scores = turned({model: scores})[0][model]
                yield Piece(np.asarray(found["positive"], dtype=np.bool_), scores)
                done += len(scores)
                if ceiling.progress is not None:
                    ceiling.progress(done, total)
        if done != total:
            raise other_rows(cases.parts[0].path, done, total)

    return count_within(read, ceiling)
