"""Certified bins: what is kept where not even the positives fit, and how far AUC can be off for it.

A bin adds at most half of its pairs to the error of AUC, ½·pᵢnᵢ/(P·N), and nothing where it holds one distinct score. Edges are chosen from
the first cases, so that at most a million bins keep the bound for data in any order but that of the scores. Where it is missed, the bins that
add most to it are split, and the cases are read once more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from baserate.cells import Array, run_starts
from baserate.counts import Bins
from baserate.engines.pieces import Piece, kind_of
from baserate.engines.stages import mixed_kinds, whole
from baserate.errors import Fix, refuse
from baserate.exact import EXACT_FLOATS, Ints
from baserate.kernels import Cells, Kernels
from baserate.kernels.portable import INT64_MAX, ascending_orders, scores_of_orders

BOUND = 1e-6
BINS = 1 << 20
# Bytes of a bin: its four words, its edge three times (as order, sorted, as float), and the table to find it by.
BIN = 96
MOST_ROUNDS = 8
# How finely densities are told, and which part of the bound is aimed at: the first cases are only a sample.
BLOCKS, MARGIN = 64, 0.75
# Edges that lie evenly in each of so many parts of the range are found five times as fast; so many times the number of bins are worth that.
PARTS_BITS, DEAR = 11, 1.5
FEW = 1 << 19
# A score with the cases of so many bins has one of its own.
HEAVY = 8


class Certified:
    """Both classes between edges, with the lowest and the highest score of each bin."""

    NAME = "bins"

    def __init__(self, kind: np.dtype[Any], edges: Ints, kernels: Kernels) -> None:
        self.kind, self.edges = kind, edges
        self.counter = kernels.BinCounter(edges)

    @classmethod
    def among(cls, cells: Cells, most: int, cuts: Array | None, kernels: Kernels) -> Certified:
        """Edges where the cells that were counted already make them most useful; the cells are put into the bins."""
        edges = _useful(cells, min(BINS, most // 2))
        kind = kind_of(cells.scores)
        if cuts is not None and kind == np.int64:  # where every score is one that a float64 holds, other cuts flag all or nothing
            cuts = cuts[np.abs(cuts.astype(np.float64)) <= EXACT_FLOATS]
        bins = cls(kind, as_edges(edges if cuts is None else np.concatenate((edges, cuts))), kernels)
        bins.take(cells)
        return bins

    @property
    def full(self) -> bool:
        return False

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
        found[:, 2], found[:, 3] = np.minimum(found[:, 2], orders[begins]), np.maximum(found[:, 3], orders[ends - 1])
        self.counter.bins[filled] = found

    def add(self, piece: Piece) -> None:
        if kind_of(piece.scores) != self.kind:
            raise mixed_kinds()
        self.counter.add(piece.scores, piece.positive)

    def arrays(self) -> dict[str, Array]:
        return {"edges": self.edges, "bins": self.counter.bins.reshape(-1), "whole": whole(self.kind)}

    def restored(self, arrays: dict[str, Array]) -> Certified:
        """The same, as far as it had got."""
        self.counter.bins[:] = arrays["bins"].reshape(self.counter.bins.shape)
        return self

    def cells(self) -> tuple[Cells, Bins]:
        """One cell a bin that holds anything, highest first, named by its lowest score."""
        bins = self.counter.bins
        used = bins[(bins[:, 0] > 0) | (bins[:, 1] > 0)][::-1]
        cells = Cells(scores_of_orders(used[:, 2].copy(), self.kind), used[:, 1].copy(), used[:, 0].copy())
        edges = scores_of_orders(self.edges, self.kind).astype(np.float64)
        return cells, Bins(edges, scores_of_orders(used[:, 3].copy(), self.kind))

    def bound(self) -> float:
        """The most that AUC can be off, but for rounding."""
        return float(self._doubts().sum() / 2)

    def _doubts(self) -> Array:
        bins = self.counter.bins.astype(np.float64)
        totals = np.maximum(bins[:, :2].sum(axis=0), 1.0)
        return np.asarray(bins[:, 0] / totals[0] * (bins[:, 1] / totals[1]) * (self.counter.bins[:, 3] > self.counter.bins[:, 2]))

    def finer(self, most: int, cuts: Array | None, kernels: Kernels) -> Certified | None:
        """Empty bins with more edges where there is most doubt; None where no further edge fits.

        Splitting a bin evenly into m divides its doubt by m, so that the sum is least with m in proportion to the root of each doubt. Half of
        what there is room for is kept for later: evenly is a guess.
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
        found = np.union1d(kept, inner)
        return None if len(found) == len(kept) else Certified(self.kind, found, kernels)

    def _inside(self, low: Ints, high: Ints, parts: Ints) -> Array:
        """Values inside of each range: half of them spread evenly, and of floats half evenly by their size, for ranges of many magnitudes."""
        first, last = (scores_of_orders(orders, self.kind).astype(np.float64) for orders in (low, high))
        if self.kind == np.int64:
            return np.asarray(np.ceil(np.clip(_between(first, last, parts), -EXACT_FLOATS, EXACT_FLOATS)).astype(np.int64))
        between = _between(first, last, (parts + 1) // 2)
        steps = _between(low.astype(np.float64), high.astype(np.float64), (parts + 1) // 2)
        sizes = np.clip(steps, -(2.0**63), 2.0**63 - 1024).astype(np.int64)
        return np.concatenate((between, scores_of_orders(sizes, self.kind)))

    def _needed(self, cuts: Array | None) -> Ints:
        """The edges without which there would be more doubt, or a threshold asked for would be lost: not those between bins of one class."""
        some = self.counter.bins[:, :2] > 0
        filled = np.flatnonzero(some.any(axis=1))
        lower, upper = some[filled[:-1]], some[filled[1:]]
        needed = np.isin(self.edges, ascending_orders(cuts)) if cuts is not None else np.zeros(len(self.edges), dtype=np.bool_)
        needed[filled[1:][(lower | upper).all(axis=1)] - 1] = True
        return np.asarray(self.edges[needed])


def _useful(cells: Cells, most: int) -> Array:
    """Edges that make the bound least for their number, and no more of them than it takes.

    With bins in proportion to the root of p(x)·n(x), the sum of pᵢnᵢ/(P·N) is the square of the integral of that root over the number of bins.
    The two densities are told from the cases in blocks of equal size; a class that is hardly there is taken to be everywhere. A score that very
    many cases have gets a bin of its own, from an edge at it to one right above.
    """
    cases = cells.positives + cells.negatives
    heavy = cases * BINS > HEAVY * cases.sum()
    alone = ascending_orders(cells.scores[heavy])
    plain = ~heavy & np.isfinite(cells.scores)
    others = cells if plain.all() else Cells(*(column[plain] for column in cells))
    edges = _between_ties(others, most, _part_of(others, cells)) if len(others.scores) else alone[:0]
    return scores_of_orders(np.concatenate((edges, alone, alone[alone < INT64_MAX] + 1)), kind_of(cells.scores))


def _between_ties(cells: Cells, most: int, part: float) -> Ints:
    """The edges where hardly two cases have the same score, for this part of all pairs of a positive and a negative."""
    orders, weights, roots = _weights(cells)
    wanted = int(min(most, part * roots**2 / (2 * MARGIN * BOUND))) + 1
    share, shift = _shares(orders, weights)
    edges = evenly(int(orders[0]), share, shift, wanted)
    price = _unevenness(orders, weights, edges)
    if price > DEAR:
        return _quantiles(orders, weights, wanted)
    return evenly(int(orders[0]), share, shift, int(min(wanted * price, most))) if price > 1 else edges


def _part_of(some: Cells, cells: Cells) -> float:
    """The pairs of a positive and a negative among some of the cells, as a part of all of them; all, where a class is missing."""
    pairs = float(cells.positives.sum()) * float(cells.negatives.sum())
    return float(some.positives.sum() + 1) * float(some.negatives.sum() + 1) / pairs if pairs else 1.0


def _weights(cells: Cells) -> tuple[Ints, Array, float]:
    """Orders, ascending; how many bins each deserves, in some unit; and the integral of the root. Some cells in a row are taken for one."""
    few = np.arange(0, len(cells.scores), max(len(cells.scores) // FEW, 1))
    positives, negatives = (np.add.reduceat(column[::-1], few) for column in (cells.positives, cells.negatives))
    cases = positives + negatives
    block = (np.cumsum(cases) - 1) * BLOCKS // cases.sum()
    shares = [np.bincount(block, column, BLOCKS) + np.sqrt(column.sum() / BLOCKS + 1.0) for column in (positives, negatives)]
    roots = np.sqrt((shares[0] / shares[0].sum()) * (shares[1] / shares[1].sum()))
    return ascending_orders(cells.scores[::-1][few]), cases * roots[block], float(roots.sum())


def _quantiles(orders: Ints, weights: Array, wanted: int) -> Ints:
    """Edges between which the same weight lies."""
    below = np.cumsum(weights)
    places = np.searchsorted(below, np.arange(1, wanted + 1) * (below[-1] / (wanted + 1)), side="left")
    return np.asarray(orders[np.minimum(places, len(below) - 1)])


def _shares(orders: Ints, weights: Array) -> tuple[Array, int]:
    """The weight of each of 2048 equal parts of the range, and how many bits of orders a part holds."""
    shift = max((int(orders[-1]) - int(orders[0])).bit_length() - PARTS_BITS, 0)
    parts = (orders - orders[0]).view(np.uint64) >> np.uint64(shift)  # what wraps around is right as an unsigned number
    return np.bincount(parts.astype(np.intp), weights, 1 << PARTS_BITS), shift


def evenly(first: int, share: Array, shift: int, wanted: int) -> Ints:
    """Edges that lie evenly in each part of the range, as many as its weight deserves: arithmetic finds the bin of a score then."""
    coarse = max(shift - 32, 0)
    inside = np.minimum(np.rint(wanted * share / share.sum()), 2.0 ** (shift - coarse)).astype(np.int64)
    inside[0] = max(inside[0], 1)  # the parts begin at the first edge
    part = np.repeat(np.arange(len(inside), dtype=np.uint64), inside)
    place = np.arange(len(part)) - np.repeat(np.cumsum(inside) - inside, inside)
    within = -(-(place << (shift - coarse)) // np.repeat(inside, inside)) << coarse
    return np.asarray((np.uint64(first % 2**64) + (part << np.uint64(shift)) + within.astype(np.uint64)).astype(np.int64))


def _unevenness(orders: Ints, weights: Array, edges: Ints) -> float:
    """How many times the bound exceeds that of as many bins that share the weight alike: by pairs of cases that share a bin."""
    inside = np.bincount(np.searchsorted(edges, orders, side="right"), weights)
    return float((np.dot(inside, inside) - np.dot(weights, weights)) * len(edges) / inside.sum() ** 2)


def _between(low: Array, high: Array, parts: Ints) -> Array:
    """So many values inside of each range, evenly spread."""
    largest = np.finfo(np.float64).max
    low, high = np.maximum(low, -largest), np.minimum(high, largest)
    which = np.repeat(np.arange(len(parts)), parts)
    share = (np.arange(len(which)) - np.repeat(np.cumsum(parts) - parts, parts) + 1) / (parts[which] + 1)
    return np.asarray(low[which] * (1 - share) + high[which] * share)


def as_edges(scores: Array) -> Ints:
    """Edges as orders: finite, ascending, each once, and whole as float64."""
    finite = scores[np.isfinite(scores)] + scores.dtype.type(0)
    if finite.dtype == np.int64 and len(finite) and max(int(finite.max()), -int(finite.min())) > EXACT_FLOATS:
        raise refuse("BR942", "certified bins need scores that a float64 holds, and these are whole numbers beyond 2**53", "use more memory")
    if not len(finite):
        finite = np.zeros(1, dtype=scores.dtype)
    orders = np.sort(ascending_orders(finite))
    return np.asarray(orders[run_starts(orders)])


def not_certified(bound: float, *, rounds: bool) -> Exception:
    """The error where no more edges fit, or so many readings were not enough, and the bound is still missed."""
    why = f"{MOST_ROUNDS} more readings were not enough" if rounds else "more edges do not fit"
    text = f"certified bins leave AUC uncertain by {bound:.1e}, and {BOUND:g} is promised: {why}"
    return refuse("BR942", text, Fix("more memory, or leave approx out", "a higher --memory, or leave --approx out"))
