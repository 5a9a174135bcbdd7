"""Two models on the same cases, too many to hold: what DeLong's test needs of them, from one more pass over the rows.

A case is placed by how many of the other class lie on its right side, and the counts of each model alone say that of every score. So the pass
looks both scores of a case up, and adds up the difference and its square: whole numbers, exact however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.counts import Counts
from baserate.engines.partitions import ENTRIES, Columns, over_partitions
from baserate.engines.pruned import condensed, labelled
from baserate.engines.tallies import LABEL, collected, score_key, whole_numbers
from baserate.engines.treatments import Treatment
from baserate.engines.wanted import Wanted
from baserate.exact import Ints
from baserate.kernels.portable import ascending_orders

LIMB, DIGIT = 21, 32
# Products of two limbs, so many of which still fit into 63 bits.
CHUNK = 1 << 20
SUMS = 4  # of the positives: differences, their squares; of the negatives the same


class Paired(NamedTuple):
    """Sums over the cases of two models: differences of twice the number beaten, and their squares, for positives and for negatives."""

    models: tuple[str, str]
    positives: tuple[int, int]
    negatives: tuple[int, int]


def paired_sums(frame: Any, wanted: Wanted, treatment: Treatment, most: int) -> tuple[dict[str, Counts], list[Paired]]:
    """The condensed counts of each model, and the sums of every pair of them."""
    import narwhals.stable.v2 as nw

    cases = labelled(frame, wanted, treatment)
    counts = {name: condensed(cases, wanted, place, most) for place, name in enumerate(wanted.scores)}
    pairs = list(combinations(range(len(wanted.scores)), 2))
    work = Duels(tuple(Beaten.of(one) for one in counts.values()), tuple(pairs))
    entries = over_partitions(cases.frame, work)
    found = collected(entries.group_by(*ENTRIES[:2]).agg(nw.col(ENTRIES[2]).sum()))
    sums = [0] * (SUMS * len(pairs))
    for place, digit, value in zip(*(whole_numbers(found[name]).tolist() for name in ENTRIES), strict=True):
        sums[place] += value << (DIGIT * digit)
    parts = [sums[SUMS * number : SUMS * number + SUMS] for number in range(len(pairs))]
    named = [(wanted.scores[one], wanted.scores[other]) for one, other in pairs]
    return counts, [Paired(names, (part[0], part[1]), (part[2], part[3])) for names, part in zip(named, parts, strict=True)]


@dataclass(frozen=True)
class Beaten:
    """Of any score of one model, twice how many of the other class are on the right side of it, a tie counting one.

    `anchors` are the orders of the positives' scores, ascending. A positive at anchor i beats `below[i]`; a negative that has i anchors below
    it, and j at or below it, is beaten by `above[i] + above[j]`.
    """

    anchors: Ints
    below: Ints
    above: Ints

    @classmethod
    def of(cls, counts: Counts) -> Beaten:
        """From counts in which every score of a positive has a cell of its own."""
        positives, negatives = counts.positives[::-1], counts.negatives[::-1]
        at = np.flatnonzero(positives)
        under = np.cumsum(negatives) - negatives
        running = np.concatenate(([0], np.cumsum(positives[at])))
        return cls(ascending_orders(counts.scores)[::-1][at], (2 * under + negatives)[at], running[-1] - running)

    def __call__(self, scores: Any, positive: Any) -> Ints:
        orders = ascending_orders(scores)
        left, right = (np.searchsorted(self.anchors, orders, side) for side in ("left", "right"))
        beaten: Ints = self.above[left] + self.above[right]
        beaten[positive] = self.below[left[positive]]
        return beaten


@dataclass(frozen=True)
class Duels:
    """Sums of differences between the placements of each pair of models, over a partition, as digits of 32 bits."""

    beaten: tuple[Beaten, ...]
    pairs: Sequence[tuple[int, int]]

    def __call__(self, pieces: Iterator[Columns]) -> tuple[Ints, Ints, Ints]:
        sums = [0] * (SUMS * len(self.pairs))
        for piece in pieces:
            for start in range(0, len(piece[LABEL]), CHUNK):
                self._add(sums, {name: column[start : start + CHUNK] for name, column in piece.items()})
        entries = [(place, digit, value) for place, number in enumerate(sums) for digit, value in digits(number)]
        columns = np.array(entries, dtype=np.int64).reshape(-1, 3)
        return columns[:, 0], columns[:, 1], columns[:, 2]

    def _add(self, sums: list[int], piece: Columns) -> None:
        positive = piece[LABEL] == 1
        placed = [beaten(piece[score_key(place)], positive) for place, beaten in enumerate(self.beaten)]
        for number, (one, other) in enumerate(self.pairs):
            apart = placed[other] - placed[one]
            for part, rows in enumerate((positive, ~positive)):
                sums[SUMS * number + 2 * part] += _whole_sum(apart[rows])
                sums[SUMS * number + 2 * part + 1] += squares(apart[rows])


def _whole_sum(values: Ints) -> int:
    """Of up to a million numbers of 63 bits, without overflow."""
    high = values >> DIGIT
    return (int(high.sum()) << DIGIT) + int((values - (high << DIGIT)).sum())


def squares(values: Ints) -> int:
    """The exact sum of squares of up to a million numbers of 63 bits: in limbs of 21 bits, whose products add up in 64."""
    sizes = np.abs(values)
    limbs = [(sizes >> (LIMB * place)) & ((1 << LIMB) - 1) for place in range(3)]
    return sum(int(np.dot(a, b)) << (LIMB * (i + j)) for i, a in enumerate(limbs) for j, b in enumerate(limbs))


def digits(number: int) -> Iterator[tuple[int, int]]:
    """A whole number as digits of 32 bits, each with its sign, so that a column of 64-bit numbers can add up many of them."""
    sign, rest, place = (-1 if number < 0 else 1), abs(number), 0
    while rest:
        yield place, sign * (rest & ((1 << DIGIT) - 1))
        rest, place = rest >> DIGIT, place + 1
