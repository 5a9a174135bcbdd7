"""Counting in pieces: what is kept between pieces (distinct scores, condensed counts)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from baserate.counts.cells import Array, gathered, run_starts, run_sums, without_runs
from baserate.errors import (
    Fix,
    Ledger,
    Note,
    grouped,
    refuse,
    relocate_problems,
    size,
)
from baserate.kernels import Cells, Kernels, Labels, Scores
from baserate.kernels.portable import ascending_orders, scores_of_orders
from baserate.numbers import Ints
from baserate.read.cases import SCORE, between, cases_of_arrays

# ----------------------------------------------------------------------
# Cases in pieces, in one order, as often as they are asked for: what counting under a ceiling
# reads.


SAME = "give the same chunks each time"
# Odd, and with bits all over: what multiplies by them loses nothing, and mixes.
MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


class Piece(NamedTuple):
    """Some cases: who is positive, and their scores, of which none is NaN; and of how many rows
    they are.
    """

    positive: Labels
    scores: Scores
    rows: int


class Pieces(Protocol):
    """The same cases in the same order at every reading; `rows` is None where nobody knows how many
    there are.
    """

    rows: int | None
    can_leave_out: bool  # whether the negatives are left out where only the positives are needed

    def begin(self, first: int, *, positives: bool = False) -> Generator[Piece]:
        """The pieces from this one on; where only the positives are needed, others may be left
        out.
        """
        ...


class Chunks:
    """Pieces that a program makes: pairs of labels and scores, from a function that begins anew or
    from something to go through again.
    """

    rows: int | None = None
    can_leave_out = False

    def __init__(
        self, chunks: Callable[[], Iterable[Any]] | Iterable[Any], pos_label: Any, design: str
    ) -> None:
        self.chunks, self.asked = chunks, {"positive": pos_label, "design": design}
        self.notes: dict[Note, None] = {}
        self.seen, self.begun = 0, 0
        self.sums = [0, 0]

    def begin(self, first: int, *, positives: bool = False) -> Generator[Piece]:  # noqa: ARG002
        """The same, whichever are needed."""
        self.begun += 1
        if self.begun > 1 and isinstance(self.chunks, Iterator):
            raise refuse(
                "BR944",
                "these chunks can be gone through once, and the scores do not fit: they have to be"
                " read again",
                "give a function that starts again, such as lambda: read_chunks(), or more memory",
            )
        again = self.begun > 1
        rows, sums = 0, [0, 0]
        for number, chunk in enumerate(self.chunks() if callable(self.chunks) else self.chunks):
            piece = self._checked(chunk, number, rows)
            rows += len(piece.scores)
            sums = [(one + other) % 2**64 for one, other in zip(sums, _sums(piece), strict=True)]
            if number >= first:
                yield piece
        if again and rows != self.seen:
            text = (
                f"the chunks gave {self.seen} cases at first, and {rows} when they were read again"
            )
            raise refuse("BR944", text, SAME)
        if again and sums != self.sums:
            raise refuse(
                "BR944",
                "the chunks gave different cases when they were read again (random ones without a"
                " seed?)",
                SAME,
            )
        self.seen, self.sums = rows, sums

    def _checked(self, chunk: Any, number: int, rows: int) -> Piece:
        try:
            labels, scores = chunk
        except (TypeError, ValueError):
            raise refuse(
                "BR944",
                f"chunk {number} is not a pair of labels and scores",
                "yield (y_true, y_score)",
            ) from None
        with relocate_problems(lambda at: replace(at, rows=tuple(row + rows for row in at.rows))):
            cases = cases_of_arrays(labels, {SCORE: scores}, **self.asked)
        self.notes.update(dict.fromkeys(cases.notes))
        return Piece(cases.positive, cases.scores[SCORE], len(cases.positive))

    def ledger(self) -> Ledger:
        """What was read in all."""
        return Ledger(rows_read=self.seen, rows_used=self.seen, design=self.asked["design"])


def _sums(piece: Piece) -> tuple[int, int]:
    """A sum of each class's scores, mixed, that is the same for every order of the cases and every
    way of cutting them.
    """
    mixed = ascending_orders(piece.scores).view(np.uint64) * MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(31))) * MIX[1]
    return int(mixed.sum()), int(mixed[np.flatnonzero(piece.positive)].sum())


def score_type(scores: Array) -> np.dtype[Any]:
    """The type in which counts hold these scores."""
    return np.dtype(np.int64) if scores.dtype == np.int64 else np.dtype(np.float64)


# ----------------------------------------------------------------------
# What is kept while cases go by in pieces: every distinct score; or the positives' scores, and then
# what lies between them.


# So much waits to be merged before it is, so that merging costs little a row.
BATCH = 1 << 18


class Stage(Protocol):
    """Something that takes pieces."""

    kind: np.dtype[Any] | None

    @property
    def full(self) -> bool:
        """Whether there is more than there is room for."""
        return False

    def check_kind(self, piece: Piece) -> None:
        """Refuse pieces of two types."""
        if self.kind not in (None, score_type(piece.scores)):
            raise refuse(
                "BR944",
                "scores are whole numbers in some pieces and fractions in others",
                "give all of them one type",
            )

    def add(self, piece: Piece) -> None: ...


class Everything(Stage):
    """Every distinct score with its cases: full counts, for as long as they fit.

    Rows wait until there are as many as distinct scores would fit, and are then counted at once:
    that costs a third of merging small counts. What no longer fits is `rest`, so that how pieces
    are cut decides nothing.
    """

    def __init__(self, most: int, kernels: Kernels) -> None:
        self.most, self.kernels = most, kernels
        self.cells: Cells | None = None
        self.kind: np.dtype[Any] | None = None
        self.waiting: list[Piece] = []
        self.rows = 0
        self.rest: Piece | None = None

    @property
    def full(self) -> bool:
        """Whether there are more distinct scores than there is room for."""
        return self.cells is not None and len(self.cells.scores) > self.most

    def add(self, piece: Piece) -> None:
        self.check_kind(piece)
        self.kind = score_type(piece.scores)
        step, start = max(BATCH, self.most) + 1, 0
        while start < len(piece.scores):
            end = min(start + step - self.rows, len(piece.scores))
            self.waiting.append(Piece(piece.positive[start:end], piece.scores[start:end], 0))
            self.rows, start = self.rows + end - start, end
            if self.rows == step:
                self.settle()
            if self.full:
                self.rest = (
                    Piece(piece.positive[start:], piece.scores[start:], 0)
                    if start < len(piece.scores)
                    else None
                )
                return

    def settle(self) -> Cells:
        """Everything so far as one."""
        if self.waiting:
            scores, positive = (
                np.concatenate([getattr(piece, name) for piece in self.waiting])
                for name in ("scores", "positive")
            )
            self.waiting, self.rows = [], 0
            found = self.kernels.count_cells(scores, positive)
            del scores, positive
            self.cells = found if self.cells is None else _merged(self.cells, found)
        return (
            self.cells
            if self.cells is not None
            else Cells(np.empty(0), *np.empty((2, 0), dtype=np.int64))
        )


def _merged(first: Cells, second: Cells) -> Cells:
    return gathered(*(np.concatenate(columns) for columns in zip(first, second, strict=True)))


class Positives(Stage):
    """The distinct scores of the positives, as orders, with the cases at each."""

    def __init__(
        self, kind: np.dtype[Any], most: int, memory: int, orders: Ints, hits: Ints
    ) -> None:
        self.kind, self.most, self.memory = kind, most, memory
        self.orders, self.hits = orders, hits
        self.waiting: list[Ints] = []

    @classmethod
    def among(cls, cells: Cells, most: int, memory: int) -> Positives:
        """Those among what was counted already."""
        ours = np.flatnonzero(cells.positives)[::-1]
        kind = score_type(cells.scores)
        return cls(kind, most, memory, ascending_orders(cells.scores[ours]), cells.positives[ours])

    def add(self, piece: Piece) -> None:
        self.check_kind(piece)
        self.waiting.append(ascending_orders(piece.scores[np.flatnonzero(piece.positive)]))
        if sum(map(len, self.waiting)) > max(
            BATCH, min(len(self.orders), self.most - len(self.orders))
        ):
            self.settle()

    def settle(self) -> None:
        """Sorted, each score once."""
        orders = np.concatenate((self.orders, *self.waiting))
        hits = np.concatenate((self.hits, np.ones(len(orders) - len(self.hits), dtype=np.int64)))
        self.waiting = []
        places = np.argsort(orders, kind="stable")
        orders, hits = orders[places], hits[places]
        starts = run_starts(orders)
        self.orders, self.hits = orders[starts], run_sums(hits, starts)
        if len(self.orders) > self.most:
            raise refuse(
                "BR951",
                f"more than {grouped(self.most)} different scores of positives do not fit into"
                f" {size(self.memory)}",
                Fix("more memory, or rounded scores", "a higher --memory, or rounded scores"),
            )


def _together(first: Ints, second: Ints) -> Ints:
    """Both, ascending, each once. (np.union1d hashes, and orders of floats collide.)"""
    orders = np.sort(np.concatenate((first, second)), kind="stable")
    return np.asarray(orders[run_starts(orders)])


class Gaps(Stage):
    """How many negatives lie at each positive's score (and each cut), and between them."""

    def __init__(self, found: Positives, cuts: Array | None, kernels: Kernels) -> None:
        self.kind, self.cuts = found.kind, cuts
        asked = ascending_orders(cuts) if cuts is not None else np.empty(0, dtype=np.int64)
        self.anchors = _together(found.orders, asked) if len(asked) else found.orders
        self.hits = found.hits
        if len(self.anchors) > len(found.orders):
            self.hits = np.zeros(len(self.anchors), dtype=np.int64)
            self.hits[np.searchsorted(self.anchors, found.orders)] = found.hits
        if not len(self.anchors):
            # Without positives all negatives are one run, and any anchor will do.
            self.anchors = self.hits = np.zeros(1, dtype=np.int64)
        self.counter = kernels.GapCounter(self.anchors)

    def add(self, piece: Piece) -> None:
        self.counter.add(piece.scores, piece.positive)

    def cells(self) -> Cells:
        """What lies at the anchors and between them."""
        counter, hits = self.counter, self.hits[::-1]
        scores = scores_of_orders(self.anchors[::-1], self.kind)
        anchors = Cells(scores, hits, np.zeros_like(hits))
        return without_runs(between(anchors, counter.ties, counter.gaps, counter.lowest), self.cuts)
