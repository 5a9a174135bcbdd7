"""The negatives of a partition among the positives' scores: what each worker counts and adds up, for all models in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from baserate.engines.duels import DIGIT, Side, Sums, digits
from baserate.engines.partitions import Columns
from baserate.engines.tallies import score_key
from baserate.exact import INT64_MAX, Ints

DIGITS = 8  # of 32 bits: more than any sum of squares has


@dataclass(frozen=True)
class Negatives:
    """How many scores lie at each anchor and between them, and the lowest of each gap; and how far pairs of models are apart in placing them.

    `orders` are the positives' scores of each model, as ascending orders; `hits` the positives at each, needed for pairs alone. It answers in
    places: of each model the gaps (even, from the lowest) and the anchors between them (odd), then the digits of two sums a pair.
    """

    orders: tuple[Ints, ...]
    hits: tuple[Ints, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    def __call__(self, pieces: Iterator[Columns]) -> tuple[Ints, Ints, Ints]:
        sides = [Side(orders, hits) for orders, hits in zip(self.orders, self.hits or [None] * len(self.orders), strict=True)]
        sums = [Sums() for _ in self.pairs]
        for piece in pieces:
            columns = [np.require(piece[score_key(place)], requirements=["C", "A"]) for place in range(len(sides))]
            for side, scores in zip(sides, columns, strict=True):
                side.count(scores)
            placed = [side.beaten_by(scores) for side, scores in zip(sides, columns, strict=True)] if self.pairs else []
            for apart, (one, other) in zip(sums, self.pairs, strict=True):
                apart.add(placed[other] - placed[one])
        return self._written(sides, sums)

    def _written(self, sides: list[Side], sums: list[Sums]) -> tuple[Ints, Ints, Ints]:
        starts = self._starts()
        lowest, values = np.full(starts[-1], INT64_MAX), np.zeros(starts[-1], dtype=np.int64)
        for side, start, stop in zip(sides, starts, starts[1:], strict=False):
            lowest[start:stop:2] = side.counter.lowest
            values[start:stop:2], values[start + 1 : stop : 2] = side.counter.gaps, side.counter.ties
        for number, each in enumerate(number for apart in sums for number in (apart.total, apart.squares)):
            for place, digit in digits(each):
                values[starts[len(sides)] + number * DIGITS + place] = digit
        used = np.flatnonzero(values)
        return used, lowest[used], values[used]

    def _starts(self) -> list[int]:
        """Where the places of each model begin, those of the sums, and where all end."""
        sizes = [2 * len(orders) + 1 for orders in self.orders]
        return np.cumsum([0, *sizes, 2 * DIGITS * len(self.pairs)]).tolist()  # type: ignore[no-any-return]

    def read(self, places: Ints, least: Ints, many: Ints) -> tuple[list[tuple[Ints, Ints, Ints]], list[Sums]]:
        """What all partitions gave together: ties, gaps and lowest of each model, and the sums of each pair."""
        starts = self._starts()
        lowest, values = np.full(starts[-1], INT64_MAX), np.zeros(starts[-1], dtype=np.int64)
        lowest[places], values[places] = least, many
        spans = pairwise(starts[:-1])
        gaps = [(values[start + 1 : stop : 2], values[start:stop:2], lowest[start:stop:2]) for start, stop in spans]
        numbers = [_number(part) for part in values[starts[-2] :].reshape(-1, DIGITS).tolist()]
        cases = int(values[: starts[1]].sum())
        return gaps, [Sums(cases, total, squares) for total, squares in zip(numbers[0::2], numbers[1::2], strict=True)]


def _number(parts: list[int]) -> int:
    return sum(value << (DIGIT * place) for place, value in enumerate(parts))
