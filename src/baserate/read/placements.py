"""Where a model places the cases of one class among those of the other, and exact sums of how far
two models are apart.

The placement of a negative needs only the positives' scores; that of a positive only how many
negatives lie at those scores and between them. So whoever has the positives reads the negatives
once, in any order and in any number of parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baserate.counts.cells import Array
from baserate.kernels import Kernels, Ranks, best, portable
from baserate.kernels.portable import ascending_orders
from baserate.numbers import Ints

LIMB, DIGIT = 21, 32
# Products of two limbs, so many of which still fit into 63 bits.
CHUNK = 1 << 20


class Side:
    """One model: its positives' distinct scores as ascending orders, and the negatives at and
    between them; `hits` are the cases at each score.

    Without `hits` negatives are counted, and cannot be placed.
    """

    def __init__(self, orders: Ints, hits: Ints | None = None, kernels: Kernels = best) -> None:
        # What came over a network may lie at any byte, and the compiled search needs something to
        # find.
        self.orders, self.hits = np.require(orders, requirements=["C", "A"]), hits
        self.kernels = kernels if len(orders) else portable
        self.counter = self.kernels.GapCounter(self.orders)

    @classmethod
    def of(cls, scores: Array, kernels: Kernels = best) -> Side:
        """From the score of every positive."""
        orders, hits = np.unique(ascending_orders(scores), return_counts=True)
        return cls(orders, hits, kernels)

    @cached_property
    def ranks(self) -> Ranks:
        """Where scores lie among the positives'."""
        return self.kernels.Ranks(self.orders)

    @cached_property
    def above(self) -> Ints:
        """By twice the anchors below (and one more at one): twice the positives above, those at the
        same score counting one.
        """
        assert self.hits is not None
        found, below = (
            np.empty(2 * len(self.orders) + 1, dtype=np.int64),
            np.concatenate(([0], np.cumsum(self.hits))),
        )
        found[0::2], found[1::2] = 2 * (below[-1] - below), 2 * below[-1] - below[1:] - below[:-1]
        return found

    def count(self, negatives: Array) -> None:
        """Drop negatives into the gaps."""
        self.counter.add(negatives, np.zeros(len(negatives), dtype=np.bool_))

    def beaten_by(self, negatives: Array) -> Ints:
        """Of each negative, twice the positives above it, a tie counting one."""
        found: Ints = self.above[self.ranks.places(negatives)]
        return found

    def beating(self, scores: Array) -> Ints:
        """Of each positive, twice the negatives below it, a tie counting one: of those that were
        counted.
        """
        ties, gaps = self.counter.ties, self.counter.gaps
        below = np.cumsum(gaps[:-1]) + np.cumsum(ties) - ties
        found: Ints = (2 * below + ties)[np.searchsorted(self.orders, ascending_orders(scores))]
        return found


@dataclass
class Sums:
    """How many numbers, their sum, and the sum of their squares, as whole numbers of any size."""

    cases: int = 0
    total: int = 0
    squares: int = 0

    def add(self, values: Ints) -> None:
        """Numbers of up to 63 bits."""
        self.cases += len(values)
        for start in range(0, len(values), CHUNK):
            chunk = values[start : start + CHUNK]
            high = chunk >> DIGIT
            self.total += (int(high.sum()) << DIGIT) + int((chunk - (high << DIGIT)).sum())
            self.squares += squares(chunk)

    def add_times(self, values: Ints, times: Ints) -> None:
        """Each number repeated."""
        for start in range(0, len(values), CHUNK):
            for value, many in zip(
                values[start : start + CHUNK].tolist(),
                times[start : start + CHUNK].tolist(),
                strict=True,
            ):
                self.cases += many
                self.total += many * value
                self.squares += many * value * value

    def variance(self, unit: int) -> float:
        """The sample variance, in this unit, rounded once."""
        if self.cases < 2:
            return 0.0
        return (self.cases * self.squares - self.total * self.total) / (
            self.cases * (self.cases - 1) * unit * unit
        )


def squares(values: Ints) -> int:
    """The exact sum of squares of up to a million numbers of 63 bits: in limbs of 21 bits, whose
    products add up in 64.
    """
    sizes = np.abs(values)
    many = -(-int(sizes.max(initial=0)).bit_length() // LIMB)  # mostly one
    limbs = [(sizes >> (LIMB * place)) & ((1 << LIMB) - 1) for place in range(many)]
    return sum(
        (1 + (i < j)) * int(np.dot(limbs[i], limbs[j])) << (LIMB * (i + j))
        for i in range(many)
        for j in range(i, many)
    )


def digits(number: int) -> Iterator[tuple[int, int]]:
    """A whole number as digits of 32 bits, each with its sign, so that a column of 64-bit numbers
    can add up many of them.
    """
    sign, rest, place = (-1 if number < 0 else 1), abs(number), 0
    while rest:
        yield place, sign * (rest & ((1 << DIGIT) - 1))
        rest, place = rest >> DIGIT, place + 1
