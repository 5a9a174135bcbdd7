"""Cases in pieces, in one order, as often as they are asked for: what counting under a ceiling reads."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from baserate.cells import Array
from baserate.engines.cases import SCORE, Names, checked
from baserate.errors import InputError, Where, refuse
from baserate.kernels import Labels, Scores
from baserate.kernels.portable import ascending_orders
from baserate.notes import Ledger, Note

SAME = "give the same chunks each time"
# Odd, and with bits all over: what multiplies by them loses nothing, and mixes.
MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


class Piece(NamedTuple):
    """Some cases: who is positive, and their scores, of which none is NaN; and of how many rows they are."""

    positive: Labels
    scores: Scores
    rows: int


class Pieces(Protocol):
    """The same cases in the same order at every reading; `rows` is None where nobody knows how many there are."""

    rows: int | None
    can_leave_out: bool  # whether the negatives are left out where only the positives are needed

    def begin(self, first: int, *, positives: bool = False) -> Generator[Piece]:
        """The pieces from this one on; where only the positives are needed, others may be left out."""
        ...


class Chunks:
    """Pieces that a program makes: pairs of labels and scores, from a function that begins anew or from something to go through again."""

    rows: int | None = None
    can_leave_out = False

    def __init__(self, chunks: Callable[[], Iterable[Any]] | Iterable[Any], pos_label: Any, design: str) -> None:
        self.chunks, self.asked = chunks, {"pos_label": pos_label, "design": design}
        self.notes: dict[Note, None] = {}
        self.seen, self.begun = 0, 0
        self.sums = [0, 0]

    def begin(self, first: int, *, positives: bool = False) -> Generator[Piece]:  # noqa: ARG002
        """The same, whichever are needed."""
        self.begun += 1
        if self.begun > 1 and isinstance(self.chunks, Iterator):
            text = "these chunks can be gone through once, and the scores do not fit: they have to be read again"
            raise refuse("BR944", text, "give a function that begins anew, such as lambda: read_chunks(), or more memory")
        again = self.begun > 1
        rows, sums = 0, [0, 0]
        for number, chunk in enumerate(self.chunks() if callable(self.chunks) else self.chunks):
            piece = self._checked(chunk, number, rows)
            rows += len(piece.scores)
            sums = [(one + other) % 2**64 for one, other in zip(sums, _sums(piece), strict=True)]
            if number >= first:
                yield piece
        if again and rows != self.seen:
            text = f"the chunks gave {self.seen} cases at first, and {rows} when they were read again"
            raise refuse("BR944", text, SAME)
        if again and sums != self.sums:
            raise refuse("BR944", "the chunks gave other cases when they were read again (random ones without a seed?)", SAME)
        self.seen, self.sums = rows, sums

    def _checked(self, chunk: Any, number: int, rows: int) -> Piece:
        try:
            labels, scores = chunk
        except (TypeError, ValueError):
            raise refuse("BR944", f"chunk {number} is no pair of labels and scores", "yield (y_true, y_score)") from None
        try:
            cases = checked(labels, {SCORE: scores}, sample_weight=None, names=Names(), **self.asked)
        except InputError as error:
            raise error.moved(lambda where: Where(where.path, tuple(row + rows for row in where.rows), where.lines, where.total)) from None
        self.notes.update(dict.fromkeys(cases.notes))
        return Piece(cases.positive, cases.scores[SCORE], len(cases.positive))

    def ledger(self) -> Ledger:
        """What was read in all."""
        return Ledger(rows_read=self.seen, rows_used=self.seen, design=self.asked["design"])


def _sums(piece: Piece) -> tuple[int, int]:
    """A sum of each class's scores, mixed, that is the same for every order of the cases and every way of cutting them."""
    mixed = ascending_orders(piece.scores).view(np.uint64) * MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(31))) * MIX[1]
    return int(mixed.sum()), int(mixed[np.flatnonzero(piece.positive)].sum())


def kind_of(scores: Array) -> np.dtype[Any]:
    """The type in which counts hold these scores."""
    return np.dtype(np.int64) if scores.dtype == np.int64 else np.dtype(np.float64)
