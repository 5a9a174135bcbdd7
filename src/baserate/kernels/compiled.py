"""The passes over every row in C: memory is laid out here, the loops are in _kernels.c."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.kernels import _kernels, portable
from baserate.kernels.portable import MOST_DISTINCT, Cells, Codes, Labels, Scores
from baserate.kernels.threads import in_parallel, threads
from baserate.numbers import Floats, Ints, rounded_once, slice_scales, words_a_value

NAME = "C"

# A table pays where a value has at least so many rows; with fewer, most of the work is inserting
# values.
ROWS_A_VALUE = 16
# A table of so many values stays in the cache; only a column with more of them needs a larger one.
FEW_DISTINCT = 1 << 9
# Stretches that a thread sorts, and scores of the sample in each: as many as make them even.
PARTS, SAMPLED = 3, 512
# Rows per anchor from which on a further thread that drops negatives into gaps pays.
ROWS_AN_ANCHOR = 4


def count_cells(scores: Scores, labels: Labels) -> Cells:
    """One cell per distinct score."""
    return begin_count(scores, labels)()


def begin_count(scores: Scores, labels: Labels) -> Callable[[], Cells]:
    """The first half of counting, and the second half as a function that no longer needs the
    arguments.

    A table where the values are few, a sort of packed keys otherwise.
    """
    workers = threads(len(scores))
    tallied = in_parallel(
        lambda first, end: _tally_values(scores[first:end], labels[first:end]), len(scores), workers
    )
    found = [cells for cells in tallied if cells is not None]
    if len(found) == len(tallied):
        return lambda: _add_cells(found)
    if workers == 1:
        return _begin_sort(scores, labels)
    return _begin_parts(scores, labels, workers)


def _add_cells(parts: list[Cells]) -> Cells:
    """The cells of all rows from those of parts of them."""
    if len(parts) == 1:
        return parts[0]
    scores, positives, negatives = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(scores)[::-1]
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.nan) != 0)
    sums = (np.add.reduceat(column[order], starts) for column in (positives, negatives))
    return Cells(scores[order][starts], *sums)


def _tally_values(scores: Scores, labels: Labels) -> Cells | None:
    most = min(len(scores) // ROWS_A_VALUE, _kernels.MOST_VALUES)
    values = np.empty(most, dtype=np.int64 if scores.dtype == np.int64 else np.float64)
    counts = np.zeros((most, 2), dtype=np.int64)
    found = _kernels.tally(scores, labels, values, counts)
    if found < 0:
        return None
    order = np.argsort(values[:found])[::-1]
    return Cells(values[order], counts[order, 1], counts[order, 0])


def tally_weighted(scores: Scores, labels: Labels, weights: Floats) -> Cells | None:
    """One cell per distinct score with the masses of both classes, each the exact sum of its
    weights, rounded once; None where the values are many.
    """
    most = min(len(scores) // ROWS_A_VALUE, _kernels.MOST_VALUES)
    scales = slice_scales(weights, _kernels.SLICES)
    if not most or scales is None:
        return None
    values = np.empty(most, dtype=np.int64 if scores.dtype == np.int64 else np.float64)
    sums = np.zeros((most, 2, _kernels.SLICES))
    found = _kernels.tally_weights(scores, labels, weights, values, scales, sums)
    if found < 0:
        return None
    order = np.argsort(values[:found])[::-1]
    masses: list[Any] = [rounded_once([*sums[order, kind].T], found) for kind in (1, 0)]
    return Cells(values[order], *masses)


def distinct(values: npt.NDArray[Any]) -> tuple[Ints, Codes] | None:
    """Where each distinct value stands first, and for each row the number of its own; None with too
    many values, and where they are of another kind.
    """
    width = words_a_value(values)
    if width is None:
        return None
    rows = np.ascontiguousarray(values)
    codes = np.empty(len(rows), dtype=np.uint32)
    for most in (FEW_DISTINCT, MOST_DISTINCT):
        firsts = np.empty(min(len(rows), most), dtype=np.int64)
        found = _kernels.distinct(rows.view(np.uint32) if width else rows, width, codes, firsts)
        if found >= 0:
            return firsts[:found], codes
    return None


def _begin_sort(scores: Scores, labels: Labels) -> Callable[[], Cells]:
    room, keys = _allocate_room(scores)
    split = _kernels.pack(scores, labels, keys)
    return lambda: _cells_of_keys(keys, split, room)


def _begin_parts(scores: Scores, labels: Labels, workers: int) -> Callable[[], Cells]:
    """The same in threads: the keys of scores between the same two bounds, which come from a
    sample, go to one stretch of the room; each stretch is then sorted and scanned by itself. How
    many there are does not show in the cells.
    """
    rows, bounds = len(scores), _sample_bounds(scores, PARTS * workers)
    part, shares = np.empty(rows, dtype=np.uint8), range(workers)
    cuts = [rows * share // workers for share in range(workers + 1)]
    pieces = [slice(cuts[share], cuts[share + 1]) for share in shares]
    sizes = np.zeros((workers, len(bounds) + 1), dtype=np.int64)

    def divide(share: int, _: int) -> None:
        _kernels.parts(scores[pieces[share]], bounds, part[pieces[share]], sizes[share])

    in_parallel(divide, workers, workers)
    # The highest scores come first.
    of_part = sizes.sum(axis=0)
    starts = rows - np.cumsum(of_part)
    room, _ = _allocate_room(scores)
    keys = room.view(np.uint32 if scores.dtype == np.float32 else np.uint64)
    # Keys of float32 lie in the second half of their stretch.
    begins = 2 * starts + of_part if scores.dtype == np.float32 else starts
    places = begins + np.cumsum(sizes, axis=0) - sizes

    def pack(share: int, _: int) -> None:
        piece = pieces[share]
        _kernels.pack_parts(scores[piece], labels[piece], part[piece], keys, places[share])

    in_parallel(pack, workers, workers)
    below = np.concatenate((bounds <= 0, [False]))  # parts of scores below zero
    stretches = [
        (int(start), int(size), bool(sign))
        for start, size, sign in zip(starts, of_part, below, strict=True)
        if size
    ][::-1]
    return lambda: _cells_of_parts(room, keys.dtype, stretches, workers)


def _sample_bounds(scores: Scores, parts: int) -> Ints:
    """Orders between which about equally many scores lie; zero is one of them."""
    sample = portable.ascending_orders(scores[:: max(1, len(scores) // (SAMPLED * parts))].copy())
    sample.sort()
    step = max(1, len(sample) // parts)
    return np.unique(np.append(sample[step::step], 0))


def _cells_of_parts(
    room: Scores, word: npt.DTypeLike, stretches: list[tuple[int, int, bool]], workers: int
) -> Cells:
    cells = Cells(room, np.empty(len(room), dtype=np.int64), np.empty(len(room), dtype=np.int64))

    def count(first: int, end: int) -> list[int]:
        found = []
        for start, size, below in stretches[first:end]:
            own = Cells(*(column[start : start + size] for column in cells))
            keys, scratch = own.scores.view(word)[-size:], own.positives.view(word)[:size]
            _kernels.sort(keys, scratch)
            found.append(_kernels.scan(keys, 0 if below else size, *own))
        return found

    filled = 0
    counts = [n for part in in_parallel(count, len(stretches), workers) for n in part]
    for (start, *_), found in zip(stretches, counts, strict=True):
        for column in cells if start > filled else ():
            column[filled : filled + found] = column[start : start + found]
        filled += found
    return _shrink_cells(cells, filled)


def _allocate_room(scores: Scores) -> tuple[Scores, npt.NDArray[Any]]:
    """Room for the scores of cells, and for keys in the same memory."""
    rows = len(scores)
    room = np.empty(rows, dtype=np.int64 if scores.dtype == np.int64 else np.float64)
    # Keys of float32 are half as wide: they lie in the second half of the room, ahead of the scores
    # that the scan writes there.
    word = np.uint32 if scores.dtype == np.float32 else np.uint64
    return room, room.view(word)[-rows:] if rows else room.view(word)


def _shrink_cells(cells: Cells, found: int) -> Cells:
    """Gives the unused tail back without a copy; nothing looks at it any more."""
    for column in cells:
        column.resize(found, refcheck=False)
    return cells


def _cells_of_keys(keys: npt.NDArray[Any], split: int, room: Scores) -> Cells:
    """24 bytes a row in all: the keys become the scores where they lie, and the sort borrows the
    room of the positives.
    """
    cells = Cells(room, np.empty(len(room), dtype=np.int64), np.empty(len(room), dtype=np.int64))
    scratch = cells.positives.view(keys.dtype)
    _kernels.sort(keys[:split], scratch)
    _kernels.sort(keys[split:], scratch)
    return _shrink_cells(cells, _kernels.scan(keys, split, *cells))


def count_groups(scores: Scores, labels: Labels, codes: Codes, groups: int) -> tuple[Cells, Ints]:
    """The cells of each group, one group after the other, and where each begins: in 24 bytes a row,
    as for one.
    """
    rows = len(scores)
    starts = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=groups))))
    splits, backs, offsets = starts[:-1].copy(), starts[1:] - 1, np.empty_like(starts)
    room, keys = _allocate_room(scores)
    _kernels.pack_groups(scores, labels, codes, keys, splits, backs)
    cells = Cells(room, np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64))
    scratch = cells.positives.view(keys.dtype)[-rows:] if rows else keys
    _kernels.scan_groups(keys, starts, splits, scratch, *cells, offsets)
    return _shrink_cells(cells, int(offsets[-1])), offsets


def order_weighted(scores: Scores, labels: Labels, weights: Floats) -> tuple[Scores, Floats]:
    """Scores, descending, each with its weight (below zero for a negative case), by sorting pairs
    of the two.
    """
    rows = len(scores)
    pairs = np.empty((rows, 2), dtype=np.uint64)
    room = np.empty((2, rows), dtype=np.uint64)
    _kernels.pack_pairs(scores, labels, weights, pairs)
    _kernels.sort_pairs(pairs, room)
    ordered = (
        room[0].view(np.int64 if scores.dtype == np.int64 else np.float64),
        room[1].view(np.float64),
    )
    _kernels.unpack_pairs(pairs, *ordered)
    return ordered


def count_gaps(scores: Scores, labels: Labels, anchors: Ints) -> tuple[Ints, Ints, Ints]:
    """Negatives at each anchor, strictly between anchors, and the least order of each such run."""
    counter = GapCounter(anchors)
    counter.add(scores, labels)
    return counter.ties, counter.gaps, counter.lowest


class GapCounter:
    """Counts negatives at and between anchors, piece by piece; the anchors are put in order for
    looking up once.
    """

    def __init__(self, anchors: Ints) -> None:
        self.index = _kernels.index(anchors)
        self.ties, self.gaps, self.lowest = portable.no_gaps(len(anchors))

    def add(self, scores: Scores, labels: Labels) -> None:
        # A thread has counters of its own: it must bring many more rows than there are anchors.
        rows, anchors = len(scores), len(self.ties)
        workers = min(threads(rows), rows // (ROWS_AN_ANCHOR * (anchors + 1)))
        if workers < 2:
            _kernels.gaps(scores, labels, self.index, self.ties, self.gaps, self.lowest)
            return

        def count(first: int, end: int) -> tuple[Ints, Ints, Ints]:
            own = portable.no_gaps(anchors)
            _kernels.gaps(scores[first:end], labels[first:end], self.index, *own)
            return own

        for ties, gaps, lowest in in_parallel(count, rows, workers):
            self.ties += ties
            self.gaps += gaps
            np.minimum(self.lowest, lowest, out=self.lowest)
