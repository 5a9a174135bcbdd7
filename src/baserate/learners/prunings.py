"""Which parts of a tree are worth what they cost: the weakest links, by cost instead of by errors."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.exact import Floats, Ints

# So many strengths of pruning are tried on the folds.
MOST_TRIED = 50


class Shape(NamedTuple):
    """The children of each node of a tree, -1 at its leaves. A parent stands before its children."""

    left: Ints
    right: Ints

    @property
    def inner(self) -> Ints:
        """The nodes with children, parents first."""
        found: Ints = np.flatnonzero(self.left >= 0)
        return found

    @property
    def parents(self) -> Ints:
        """The parent of each node; -1 for the root."""
        above = np.full(len(self.left), -1, dtype=np.int64)
        for children in (self.left, self.right):
            above[children[self.inner]] = self.inner
        return above


def weakest_links(shape: Shape, alone: Floats, labelled: Floats) -> Floats:
    """From which price of a leaf on does each inner node become one? Never (infinity) where a node above it does before.

    `alone` is what each node costs as a leaf of its own, `labelled` what it costs as the leaf that it is. A node gives way once the cost
    that it saves, for each leaf below it beyond one, is not above the price. At price 0 go subtrees that are not cheaper than a leaf.
    Breiman, Friedman, Olshen & Stone 1984, §3.3 and §4, with costs for errors.
    """
    parents, prices = shape.parents, np.full(len(alone), np.inf)
    below, leaves = labelled.copy(), np.ones(len(alone), dtype=np.int64)
    for node in shape.inner[::-1]:
        below[node] = below[shape.left[node]] + below[shape.right[node]]
        leaves[node] = leaves[shape.left[node]] + leaves[shape.right[node]]
    standing = shape.left >= 0

    def link(node: int) -> tuple[float, int, int]:
        return float((alone[node] - below[node]) / (leaves[node] - 1)), node, int(leaves[node])

    queue, price = [link(int(node)) for node in shape.inner], 0.0
    heapq.heapify(queue)
    while queue:
        strength, node, then = heapq.heappop(queue)
        if not standing[node] or then != leaves[node]:
            continue  # it fell with a node above, or stands in the queue again with fewer leaves
        prices[node] = price = max(price, strength)
        _fell(shape, standing, node)
        saved, gone = alone[node] - below[node], leaves[node] - 1
        while node >= 0:
            below[node] += saved
            leaves[node] -= gone
            if standing[node]:
                heapq.heappush(queue, link(node))
            node = int(parents[node])
    return prices


def _fell(shape: Shape, standing: npt.NDArray[np.bool_], node: int) -> None:
    """Nothing below a node that became a leaf stands any more."""
    ways = [node]
    while ways:
        here = ways.pop()
        if standing[here]:
            standing[here] = False
            ways += [int(shape.left[here]), int(shape.right[here])]


def survivors(shape: Shape, prices: Floats, price: float) -> Ints:
    """At this price of a leaf, in which node does a case end that reaches each node?"""
    ends = np.arange(len(prices))
    for node in shape.inner:
        for child in (shape.left[node], shape.right[node]):
            if ends[node] != node or prices[node] <= price:
                ends[child] = ends[node]
    return ends


def prices_to_try(prices: Floats) -> Floats:
    """Nothing, the root alone, and what lies between two prices at which the tree changes."""
    steps = np.unique(np.concatenate(([0.0], prices[np.isfinite(prices)])))
    between = np.sqrt(steps[:-1] * steps[1:])
    tried = np.unique(np.concatenate((steps[:1], between, steps[-1:])))
    if len(tried) <= MOST_TRIED:
        return tried
    spread: Floats = tried[np.unique(np.linspace(0, len(tried) - 1, MOST_TRIED).astype(np.int64))]
    return spread
