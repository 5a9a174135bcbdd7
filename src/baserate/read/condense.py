"""Counting in pieces: what is kept between pieces (distinct scores, condensed counts, certified
bins).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from baserate.counts.cells import Array, gathered, run_starts, run_sums, without_runs
from baserate.counts.counts import Bins
from baserate.errors import (
    Fix,
    Ledger,
    Note,
    grouped,
    placed,
    refuse,
    size,
)
from baserate.kernels import Cells, Kernels, Labels, Scores
from baserate.kernels.portable import INT64_MAX, ascending_orders, scores_of_orders
from baserate.numbers import EXACT_FLOATS, Ints
from baserate.read.cases import SCORE, between, checked

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
        self.chunks, self.asked = chunks, {"pos_label": pos_label, "design": design}
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
        with placed(lambda at: replace(at, rows=tuple(row + rows for row in at.rows))):
            cases = checked(labels, {SCORE: scores}, **self.asked)
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
                Fix(
                    "more memory, or approx=True for certified bins",
                    "a higher --memory, or --approx for certified bins",
                ),
            )


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


# ----------------------------------------------------------------------
# Certified bins: what is kept where not even the positives fit, and how far AUC can be off for it.


BOUND = 1e-6
BINS = 1 << 20
# Bytes of a bin: its four words, its edge three times (as order, sorted, as float), and the table
# to find it by.
BIN = 96
MOST_ROUNDS = 8
# How finely densities are told, and which part of the bound is aimed at: the first cases are only a
# sample.
BLOCKS, MARGIN = 64, 0.75
# Edges that lie evenly in each of so many parts of the range are found five times as fast; so many
# times the number of bins are worth that.
PARTS_BITS, DEAR = 11, 1.5
FEW = 1 << 19
# A score with the cases of so many bins has one of its own.
HEAVY = 8


class Certified(Stage):
    """Both classes between edges, with the lowest and the highest score of each bin."""

    def __init__(self, kind: np.dtype[Any], edges: Ints, kernels: Kernels) -> None:
        self.kind, self.edges = kind, edges
        self.counter = kernels.BinCounter(edges)

    @classmethod
    def among(cls, cells: Cells, most: int, cuts: Array | None, kernels: Kernels) -> Certified:
        """Edges where the cells that were counted already make them most useful; the cells are put
        into the bins.
        """
        edges = _useful(cells, min(BINS, most // 2))
        kind = score_type(cells.scores)
        if (
            cuts is not None and kind == np.int64
        ):  # where every score is one that a float64 holds, other cuts flag all or nothing
            cuts = cuts[np.abs(cuts.astype(np.float64)) <= EXACT_FLOATS]
        bins = cls(
            kind, as_edges(edges if cuts is None else np.concatenate((edges, cuts))), kernels
        )
        bins.take(cells)
        return bins

    def take(self, cells: Cells) -> None:
        """Put cells that were counted before into their bins."""
        orders = ascending_orders(cells.scores)[::-1]
        begins = np.concatenate(([0], np.searchsorted(orders, self.edges, side="left")))
        ends = np.append(begins[1:], len(orders))
        filled = np.flatnonzero(ends > begins)
        begins, ends = begins[filled], ends[filled]
        found = self.counter.bins[filled]
        for column, values in ((0, cells.negatives), (1, cells.positives)):
            found[:, column] += np.add.reduceat(values[::-1], begins)
        found[:, 2], found[:, 3] = (
            np.minimum(found[:, 2], orders[begins]),
            np.maximum(found[:, 3], orders[ends - 1]),
        )
        self.counter.bins[filled] = found

    def add(self, piece: Piece) -> None:
        self.check_kind(piece)
        self.counter.add(piece.scores, piece.positive)

    def cells(self) -> tuple[Cells, Bins]:
        """One cell per bin that holds anything, highest first, named by its lowest score."""
        bins = self.counter.bins
        used = bins[(bins[:, 0] > 0) | (bins[:, 1] > 0)][::-1]
        cells = Cells(
            scores_of_orders(used[:, 2].copy(), self.kind), used[:, 1].copy(), used[:, 0].copy()
        )
        edges = scores_of_orders(self.edges, self.kind).astype(np.float64)
        return cells, Bins(edges, scores_of_orders(used[:, 3].copy(), self.kind))

    def bound(self) -> float:
        """The most that AUC can be off, but for rounding."""
        return float(self._doubts().sum() / 2)

    def _doubts(self) -> Array:
        bins = self.counter.bins.astype(np.float64)
        totals = np.maximum(bins[:, :2].sum(axis=0), 1.0)
        return np.asarray(
            bins[:, 0]
            / totals[0]
            * (bins[:, 1] / totals[1])
            * (self.counter.bins[:, 3] > self.counter.bins[:, 2])
        )

    def finer(self, most: int, cuts: Array | None, kernels: Kernels) -> Certified | None:
        """Empty bins with more edges where there is most doubt; None where no further edge fits.

        Splitting a bin evenly into m divides its doubt by m, so that the sum is least with m in
        proportion to the root of each doubt. Half of what there is room for is kept for later:
        evenly is a guess.
        """
        weights, kept = np.sqrt(self._doubts()), self._needed(cuts)
        more = min(BINS, (most - len(kept) + 1) // 2)
        if more < 1 or not weights.sum():
            return None
        heavy = np.flatnonzero(weights)
        parts = np.floor(more * weights[heavy] / weights.sum()).astype(np.int64) + 1
        heavy, parts = heavy[parts > 1], parts[parts > 1] - 1
        low, high = self.counter.bins[heavy, 2], self.counter.bins[heavy, 3]
        inner = as_edges(self._inside(low, high, parts))
        found = _together(kept, inner)
        return None if len(found) == len(kept) else Certified(self.kind, found, kernels)

    def _inside(self, low: Ints, high: Ints, parts: Ints) -> Array:
        """Values inside of each range: half of them spread evenly, and of floats half evenly by
        their size, for ranges of many magnitudes.
        """
        first, last = (
            scores_of_orders(orders, self.kind).astype(np.float64) for orders in (low, high)
        )
        if self.kind == np.int64:
            return np.asarray(
                np.ceil(np.clip(_between(first, last, parts), -EXACT_FLOATS, EXACT_FLOATS)).astype(
                    np.int64
                )
            )
        values = _between(first, last, (parts + 1) // 2)
        steps = _between(low.astype(np.float64), high.astype(np.float64), (parts + 1) // 2)
        sizes = np.clip(steps, -(2.0**63), 2.0**63 - 1024).astype(np.int64)
        return np.concatenate((values, scores_of_orders(sizes, self.kind)))

    def _needed(self, cuts: Array | None) -> Ints:
        """The edges without which there would be more doubt, or a requested threshold would be
        lost: not those between bins of one class.
        """
        some = self.counter.bins[:, :2] > 0
        filled = np.flatnonzero(some.any(axis=1))
        lower, upper = some[filled[:-1]], some[filled[1:]]
        needed = (
            np.isin(self.edges, ascending_orders(cuts))
            if cuts is not None
            else np.zeros(len(self.edges), dtype=np.bool_)
        )
        needed[filled[1:][(lower | upper).all(axis=1)] - 1] = True
        return np.asarray(self.edges[needed])


def _useful(cells: Cells, most: int) -> Array:
    """Edges that make the bound least for their number, and no more of them than it takes.

    With bins in proportion to the root of p(x)·n(x), the sum of pᵢnᵢ/(P·N) is the square of the
    integral of that root over the number of bins. The two densities are estimated from the cases in
    blocks of equal size; a class that is hardly there is taken to be everywhere. A score that very
    many cases have gets a bin of its own, from an edge at it to one right above.
    """
    cases = cells.positives + cells.negatives
    heavy = cases * BINS > HEAVY * cases.sum()
    alone = ascending_orders(cells.scores[heavy])
    plain = ~heavy & np.isfinite(cells.scores)
    others = cells if plain.all() else Cells(*(column[plain] for column in cells))
    edges = (
        _between_ties(others, most, _part_of(others, cells)) if len(others.scores) else alone[:0]
    )
    return scores_of_orders(
        np.concatenate((edges, alone, alone[alone < INT64_MAX] + 1)), score_type(cells.scores)
    )


def _between_ties(cells: Cells, most: int, part: float) -> Ints:
    """The edges where hardly two cases have the same score, for this part of all pairs of a
    positive and a negative.
    """
    orders, weights, roots = _weights(cells)
    wanted = int(min(most, part * roots**2 / (2 * MARGIN * BOUND))) + 1
    share, shift = _shares(orders, weights)
    edges = evenly(int(orders[0]), share, shift, wanted)
    price = _unevenness(orders, weights, edges)
    if price > DEAR:
        return _quantiles(orders, weights, wanted)
    return (
        evenly(int(orders[0]), share, shift, int(min(wanted * price, most))) if price > 1 else edges
    )


def _part_of(some: Cells, cells: Cells) -> float:
    """The pairs of a positive and a negative among some of the cells, as a part of all of them;
    all, where a class is missing.
    """
    pairs = float(cells.positives.sum()) * float(cells.negatives.sum())
    return (
        float(some.positives.sum() + 1) * float(some.negatives.sum() + 1) / pairs if pairs else 1.0
    )


def _weights(cells: Cells) -> tuple[Ints, Array, float]:
    """Orders, ascending; how many bins each deserves, in some unit; and the integral of the root.
    Some cells in a row are taken for one.
    """
    few = np.arange(0, len(cells.scores), max(len(cells.scores) // FEW, 1))
    positives, negatives = (
        np.add.reduceat(column[::-1], few) for column in (cells.positives, cells.negatives)
    )
    cases = positives + negatives
    block = (np.cumsum(cases) - 1) * BLOCKS // cases.sum()
    shares = [
        np.bincount(block, column, BLOCKS) + np.sqrt(column.sum() / BLOCKS + 1.0)
        for column in (positives, negatives)
    ]
    roots = np.sqrt((shares[0] / shares[0].sum()) * (shares[1] / shares[1].sum()))
    return ascending_orders(cells.scores[::-1][few]), cases * roots[block], float(roots.sum())


def _quantiles(orders: Ints, weights: Array, wanted: int) -> Ints:
    """Edges between which the same weight lies."""
    below = np.cumsum(weights)
    places = np.searchsorted(
        below, np.arange(1, wanted + 1) * (below[-1] / (wanted + 1)), side="left"
    )
    return np.asarray(orders[np.minimum(places, len(below) - 1)])


def _shares(orders: Ints, weights: Array) -> tuple[Array, int]:
    """The weight of each of 2048 equal parts of the range, and how many bits of orders a part
    holds.
    """
    shift = max((int(orders[-1]) - int(orders[0])).bit_length() - PARTS_BITS, 0)
    parts = (orders - orders[0]).view(np.uint64) >> np.uint64(
        shift
    )  # what wraps around is right as an unsigned number
    return np.bincount(parts.astype(np.intp), weights, 1 << PARTS_BITS), shift


def evenly(first: int, share: Array, shift: int, wanted: int) -> Ints:
    """Edges that lie evenly in each part of the range, as many as its weight deserves: arithmetic
    finds the bin of a score then.
    """
    coarse = max(shift - 32, 0)
    inside = np.minimum(np.rint(wanted * share / share.sum()), 2.0 ** (shift - coarse)).astype(
        np.int64
    )
    inside[0] = max(inside[0], 1)  # the parts begin at the first edge
    part = np.repeat(np.arange(len(inside), dtype=np.uint64), inside)
    place = np.arange(len(part)) - np.repeat(np.cumsum(inside) - inside, inside)
    within = -(-(place << (shift - coarse)) // np.repeat(inside, inside)) << coarse
    return np.asarray(
        (np.uint64(first % 2**64) + (part << np.uint64(shift)) + within.astype(np.uint64)).astype(
            np.int64
        )
    )


def _unevenness(orders: Ints, weights: Array, edges: Ints) -> float:
    """How many times the bound exceeds that of as many bins that share the weight alike: by pairs
    of cases that share a bin.
    """
    inside = np.bincount(np.searchsorted(edges, orders, side="right"), weights)
    return float(
        (np.dot(inside, inside) - np.dot(weights, weights)) * len(edges) / inside.sum() ** 2
    )


def _between(low: Array, high: Array, parts: Ints) -> Array:
    """Values inside of each range, evenly spread."""
    largest = np.finfo(np.float64).max
    low, high = np.maximum(low, -largest), np.minimum(high, largest)
    which = np.repeat(np.arange(len(parts)), parts)
    share = (np.arange(len(which)) - np.repeat(np.cumsum(parts) - parts, parts) + 1) / (
        parts[which] + 1
    )
    return np.asarray(low[which] * (1 - share) + high[which] * share)


def as_edges(scores: Array) -> Ints:
    """Edges as orders: finite, ascending, each once, and whole as float64."""
    finite = scores[np.isfinite(scores)] + scores.dtype.type(0)
    if (
        finite.dtype == np.int64
        and len(finite)
        and max(int(finite.max()), -int(finite.min())) > EXACT_FLOATS
    ):
        raise refuse(
            "BR942",
            "certified bins need scores that a float64 holds, and these are whole numbers beyond"
            " 2**53",
            "use more memory",
        )
    if not len(finite):
        finite = np.zeros(1, dtype=scores.dtype)
    orders = np.sort(ascending_orders(finite))
    return np.asarray(orders[run_starts(orders)])


def _together(first: Ints, second: Ints) -> Ints:
    """Both, ascending, each once. (np.union1d hashes, and orders of floats collide.)"""
    orders = np.sort(np.concatenate((first, second)), kind="stable")
    return np.asarray(orders[run_starts(orders)])


def not_certified(bound: float, *, rounds: bool) -> Exception:
    """The error where no more edges fit, or the most readings were not enough, and the bound is
    still missed.
    """
    why = f"{MOST_ROUNDS} more readings were not enough" if rounds else "more edges do not fit"
    return refuse(
        "BR942",
        f"certified bins leave AUC uncertain by {bound:.1e}, and {BOUND:g} is promised: {why}",
        Fix("more memory, or leave approx out", "a higher --memory, or leave --approx out"),
    )
