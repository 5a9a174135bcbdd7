"""The passes over every row in NumPy: the whole substitute for the C extension.

Scores are float64, float32 or int64, contiguous, none of them NaN; labels are bools.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from baserate.numbers import Floats, Ints, words_a_value

Scores: TypeAlias = npt.NDArray[Any]
Labels: TypeAlias = npt.NDArray[np.bool_]
Keys: TypeAlias = npt.NDArray[Any]
Codes: TypeAlias = npt.NDArray[np.uint32]

NAME = "NumPy"
CHUNK = 1 << 20  # rows worked on at a time
MOST_DISTINCT = 1 << 16  # values that a column is read by; one with more is read row by row
INT64_MAX = np.int64(2**63 - 1)


class Cells(NamedTuple):
    """Distinct scores, descending, with the positives and negatives at each."""

    scores: Scores
    positives: Ints
    negatives: Ints


def count_cells(scores: Scores, labels: Labels) -> Cells:
    """One cell per distinct score."""
    return begin_count(scores, labels)()


def begin_count(scores: Scores, labels: Labels) -> Callable[[], Cells]:
    """The first half of counting, and the second half as a function that no longer needs the
    arguments.

    The label rides in the lowest bit of a key of the score's order, so that one sort of values
    sorts the cases.
    """
    keys, dtype = _pack_keys(scores, labels), scores.dtype
    split = len(keys) - int(np.count_nonzero(scores < 0))
    return lambda: _cells_of_keys(keys, split, dtype)


def _cells_of_keys(keys: Keys, split: int, dtype: np.dtype[Any]) -> Cells:
    keys[:split].sort()
    keys[split:].sort()
    hits = (keys & keys.dtype.type(1)).astype(np.bool_)
    keys >>= keys.dtype.type(1)
    starts = _starts_of_runs(keys, split)
    sizes = np.diff(starts, append=len(keys))
    positives = _sums_of_runs(hits, starts)
    return Cells(_scores_of_keys(keys[starts], starts < split, dtype), positives, sizes - positives)


def count_groups(scores: Scores, labels: Labels, codes: Codes, groups: int) -> tuple[Cells, Ints]:
    """The cells of each group, one group after the other, and where each begins."""
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(groups + 1))
    parts = [order[start:end] for start, end in pairwise(ends)]
    # Without groups there are no rows.
    found = [count_cells(scores[part], labels[part]) for part in parts]
    found = found or [count_cells(scores, labels)]
    sizes = [0, *(len(cells.scores) for cells in found)]
    offsets: Ints = np.cumsum(sizes[: groups + 1], dtype=np.int64)
    return Cells(*map(np.concatenate, zip(*found, strict=True))), offsets


def _pack_keys(scores: Scores, labels: Labels) -> Keys:
    """Keys of the scores that are not below zero, then of those that are; each part ascends as its
    scores descend.
    """
    word = np.uint32 if scores.dtype == np.float32 else np.uint64
    keys = (scores + scores.dtype.type(0)).view(word)
    below = scores < 0
    if scores.dtype == np.int64:
        np.invert(keys, out=keys)
    else:
        np.invert(keys, out=keys, where=~below)
    keys <<= word(1)
    keys |= labels
    return np.concatenate((keys[~below], keys[below])) if below.any() else keys


def _scores_of_keys(places: Keys, front: npt.NDArray[np.bool_], dtype: np.dtype[Any]) -> Scores:
    """The scores at these places, where `front` marks those not below zero."""
    sign = places.dtype.type(1 << (8 * places.itemsize - 1))
    behind = ~places if dtype == np.int64 else places | sign
    bits = np.where(front, ~places & ~sign, behind)
    scores: Scores = bits.view(dtype)
    return scores.astype(np.float64) if dtype == np.float32 else scores


def _starts_of_runs(keys: Keys, split: int) -> npt.NDArray[np.intp]:
    """Where each run of equal keys begins; the two signs never share a run."""
    first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    if split < len(keys):
        first[split] = True
    return np.flatnonzero(first)


def _sums_of_runs(hits: Labels, starts: npt.NDArray[np.intp]) -> Ints:
    if len(starts) == len(hits):
        return hits.astype(np.int64)
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(hits, dtype=np.int64)))
    return np.diff(before[starts], append=before[-1])


def distinct(values: npt.NDArray[Any]) -> tuple[Ints, Codes] | None:
    """Where each distinct value stands first, and for each row the number of its own, in the order
    of first appearance. None with too many values, and where they are of another kind.

    Numbers, times and fixed-width text are equal where every bit is; Python objects where they are
    the same, or text that reads the same.
    """
    width = words_a_value(values)
    if width is None:
        return None
    listed = (
        values.tolist()
        if not width
        else np.ascontiguousarray(values).view(f"V{4 * width}").tolist()
    )
    numbers: dict[Any, int] = {}
    firsts = list[int]()
    codes = np.empty(len(values), dtype=np.uint32)
    for row, value in enumerate(listed):
        key = value if width or type(value) is str else id(value)
        code = numbers.setdefault(key, len(numbers))
        if code == len(firsts):
            if code == MOST_DISTINCT:
                return None
            firsts.append(row)
        codes[row] = code
    return np.array(firsts, dtype=np.int64), codes


def ascending_orders(scores: Scores) -> Ints:
    """Each score as an int64 of the same order (the identity for integers)."""
    if scores.dtype == np.int64:
        return scores.copy()
    bits: Ints = (scores.astype(np.float64) + 0.0).view(np.int64)
    bits[bits < 0] ^= INT64_MAX
    return bits


def scores_of_orders(orders: Ints, dtype: np.dtype[Any]) -> Scores:
    """The inverse of `ascending_orders`: float64 scores, or int64 for integers."""
    if dtype == np.int64:
        return orders.copy()
    bits = orders.copy()
    bits[bits < 0] ^= INT64_MAX
    return bits.view(np.float64)


def order_weighted(scores: Scores, labels: Labels, weights: Floats) -> tuple[Scores, Floats]:
    """Scores, descending, each with its weight (below zero for a negative case).

    The order inside a tie is left open: what follows does not depend on it.
    """
    orders = ascending_orders(scores)
    order = np.argsort(orders)[::-1]
    return scores_of_orders(orders[order], scores.dtype), np.where(labels, weights, -weights)[order]


def tally_weighted(scores: Scores, labels: Labels, weights: Floats) -> Cells | None:  # noqa: ARG001
    """Cells by a table of the values: not in NumPy, where sorting is as fast."""
    return None


def count_gaps(scores: Scores, labels: Labels, anchors: Ints) -> tuple[Ints, Ints, Ints]:
    """Negatives at each anchor, strictly between anchors (one more than there are anchors), and the
    least order of each such run.
    """
    counter = GapCounter(anchors)
    counter.add(scores, labels)
    return counter.ties, counter.gaps, counter.lowest


def no_gaps(anchors: int) -> tuple[Ints, Ints, Ints]:
    """What a `GapCounter` starts from."""
    return (
        np.zeros(anchors, dtype=np.int64),
        np.zeros(anchors + 1, dtype=np.int64),
        np.full(anchors + 1, INT64_MAX),
    )


class GapCounter:
    """Counts negatives at and between anchors, piece by piece.

    Anchors are ascending orders, each once. Sorting a chunk of negatives at a time and looking the
    anchors up in it needs little memory.
    """

    def __init__(self, anchors: Ints) -> None:
        self.anchors = anchors
        self.ties, self.gaps, self.lowest = no_gaps(len(anchors))

    def add(self, scores: Scores, labels: Labels) -> None:
        for first in range(0, len(scores), CHUNK):
            part = slice(first, first + CHUNK)
            self._add(np.sort(ascending_orders(scores[part][~labels[part]])))

    def _add(self, chunk: Ints) -> None:
        left, right = (
            np.searchsorted(chunk, self.anchors, "left"),
            np.searchsorted(chunk, self.anchors, "right"),
        )
        opens, closes = np.concatenate(([0], right)), np.concatenate((left, [len(chunk)]))
        self.ties += right - left
        self.gaps += closes - opens
        filled = np.flatnonzero(closes > opens)
        self.lowest[filled] = np.minimum(self.lowest[filled], chunk[opens[filled]])
