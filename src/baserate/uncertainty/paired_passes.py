"""DeLong's test for two models whose cases do not fit into memory: two readings, of which the positives alone are kept.

The placement of a negative is its place among the positives' scores, and that of a positive its place among the negatives', which are counted
into the gaps between the positives. So the first reading keeps the positives' scores by both models, side by side; the second counts the gaps
and adds up, case by case, by how much the placements of each negative differ. All sums are of whole numbers, and exact.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.ceilings import POSITIVE, Ceiling
from baserate.engines.confined_pieces import Whole
from baserate.engines.files import Options, shown_source
from baserate.engines.large_files import pieces_of, sources_in_pieces
from baserate.engines.pieces import Pieces, kind_of
from baserate.engines.wanted import Wanted
from baserate.errors import Fix, InputError, grouped, quoted, refuse, refuse_file, size
from baserate.exact import Ints
from baserate.kernels import Kernels, best
from baserate.kernels.portable import ascending_orders
from baserate.notes import RANDOM, Note
from baserate.uncertainty.delong import DELONG, DELONG_T, of_pair
from baserate.uncertainty.placements import Pair
from baserate.uncertainty.values import Difference, checked_level

# Squares of so many bits are added up in two halves, so that 64 bits hold their sums.
HALF = 20
Two = tuple[Array, Array]


def compare_auc_file(  # noqa: PLR0913 (each is a word that users say)
    source: str | os.PathLike[str],
    *,
    label: str,
    scores: Sequence[str],
    memory: str | int,
    positive: Any = None,
    level: float = 0.95,
    method: str | None = None,
    design: str = RANDOM,
) -> Difference:
    """Is the second model's AUC really better than the first's, on cases that do not fit into memory?

    DeLong's paired test, as `compare(auc, ...)` has it, from two readings of a Parquet or CSV file, a pattern or a folder of them. Only the
    positives are kept. DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837-845. Models with the same scores differ by 0 with p = 1;
    whether others put all cases in the same order cannot be told piece by piece.
    """
    if len(scores) != 2 or len(set(scores)) != 2:
        raise refuse("BR410", f"a pair is compared, and {len(set(scores))} scores are named", 'scores=["m1", "m2"]')
    options = Options.of({"memory": memory})
    path, wanted = os.fspath(source), Wanted(label, tuple(scores), positive, design=design)
    found = sources_in_pieces(path, short=True)
    if found is None:
        raise _not_in_pieces(path)
    try:
        with pieces_of(path, found, wanted, options) as (pieces, notes):
            return paired_in_passes((pieces[scores[0]], pieces[scores[1]]), (scores[0], scores[1]), options.ceiling, level, method, notes)
    except Whole:
        raise _not_in_pieces(path) from None


def _not_in_pieces(source: str) -> InputError:
    text = "is neither Parquet nor plain CSV: only these are read piece by piece"
    return refuse_file(shown_source(source), "BR943", text, "write it as Parquet, or compare(auc, count_models_file(...))")


def paired_in_passes(
    pieces: tuple[Pieces, Pieces],
    names: tuple[str, str],
    ceiling: Ceiling,
    level: float,
    method: str | None,
    notes: Iterable[Note] = (),
    kernels: Kernels = best,
) -> Difference:
    """The same from pieces of both models: the same cases in the same order."""
    if method not in (None, DELONG, DELONG_T):
        raise refuse("BR581", f"there is no method {quoted(method)} for pairs that are read piece by piece", f"one of {DELONG}, {DELONG_T}")
    assert ceiling.memory is not None
    ours = _positives(pieces, ceiling.room // (2 * POSITIVE), ceiling.memory)
    sides = [_Side(scores, kernels) for scores in ours]
    apart, same = _Sums(), np.array_equal(ours[0], ours[1])
    for positive, both in _pairs(pieces, positives=False):
        others = np.flatnonzero(~positive)
        negatives = both[0][others], both[1][others]
        first, second = (side.beaten_by(scores) for side, scores in zip(sides, negatives, strict=True))
        apart.add(second - first)
        same = same and np.array_equal(negatives[0], negatives[1])
    pair = _pair(ours, sides, apart)
    return of_pair(pair, names, checked_level(level), method, same=bool(same), notes=tuple(notes))


def _pairs(pieces: tuple[Pieces, Pieces], *, positives: bool) -> Iterator[tuple[Array, Two]]:
    with closing(pieces[0].begin(0, positives=positives)) as first, closing(pieces[1].begin(0, positives=positives)) as second:
        for one, other in zip(first, second, strict=True):
            if not np.array_equal(one.positive, other.positive):
                raise refuse("BR944", "two readings of the same cases gave different labels", "give the same cases to both models")
            yield one.positive, (one.scores, other.scores)


def _positives(pieces: tuple[Pieces, Pieces], most: int, memory: int) -> Two:
    """The scores of the positives by both models, side by side."""
    kept: tuple[list[Array], list[Array]] = ([], [])
    held = 0
    for positive, both in _pairs(pieces, positives=True):
        rows = np.flatnonzero(positive)
        held += len(rows)
        if held > most:
            text = f"more than {grouped(most)} positives of two models do not fit into {size(memory)}"
            raise refuse("BR941", text, Fix("more memory", "a higher --memory"))
        for scores, parts in zip(both, kept, strict=True):
            parts.append(scores[rows].astype(kind_of(scores)) + 0)
    joined = [np.concatenate(parts) if parts else np.empty(0) for parts in kept]
    return joined[0], joined[1]


class _Side:
    """One model: its positives' distinct scores with the cases at each, and the negatives at and between them."""

    def __init__(self, scores: Array, kernels: Kernels) -> None:
        self.orders, hits = np.unique(ascending_orders(scores), return_counts=True)
        anchors = self.orders if len(self.orders) else np.zeros(1, dtype=np.int64)
        self.ranks, self.counter, self.total = kernels.Ranks(anchors), kernels.GapCounter(anchors), len(scores)
        below = np.concatenate(([0], np.cumsum(hits)))
        # By twice the anchors below (and one more at one): twice the positives above, those at the same score counting one.
        self.above = np.zeros(2 * len(anchors) + 1, dtype=np.int64)
        if self.total:
            self.above[0::2], self.above[1::2] = 2 * (self.total - below), 2 * self.total - below[1:] - below[:-1]

    def beaten_by(self, negatives: Array) -> Ints:
        """Of each negative, twice the positives above it, a tie counting one. They are counted into the gaps, too."""
        self.counter.add(negatives, np.zeros(len(negatives), dtype=np.bool_))
        found: Ints = self.above[self.ranks.places(negatives)]
        return found

    def beating(self, scores: Array) -> Ints:
        """Of each positive, twice the negatives below it, a tie counting one."""
        below = np.cumsum(self.counter.gaps[:-1]) + np.concatenate(([0], np.cumsum(self.counter.ties)[:-1]))
        found: Ints = (2 * below + self.counter.ties)[np.searchsorted(self.orders, ascending_orders(scores))]
        return found


class _Sums:
    """How many numbers, their sum, and the sum of their squares, as whole numbers of any size."""

    def __init__(self) -> None:
        self.cases, self.total, self.squares = 0, 0, 0

    def add(self, values: Ints) -> None:
        high, low = values >> HALF, values & ((1 << HALF) - 1)
        self.cases += len(values)
        self.total += int(values.sum())
        dots = (int(np.dot(high, high)) << 2 * HALF, int(np.dot(high, low)) << HALF + 1, int(np.dot(low, low)))
        self.squares += sum(dots)

    def variance(self, unit: int) -> float:
        """The sample variance, in this unit, rounded once."""
        if self.cases < 2:
            return 0.0
        return (self.cases * self.squares - self.total * self.total) / (self.cases * (self.cases - 1) * unit * unit)


def _pair(ours: Two, sides: Sequence[_Side], of_negatives: _Sums) -> Pair:
    total_p, total_n = len(ours[0]), of_negatives.cases
    if not total_p or not total_n:
        raise refuse("BR552", f"there are no {'negatives' if total_p else 'positives'}: AUC is undefined", "give cases of both classes")
    beating = [side.beating(scores) for side, scores in zip(sides, ours, strict=True)]
    of_positives = _Sums()
    of_positives.add(beating[1] - beating[0])
    first, second = (int(each.sum()) / (2 * total_p * total_n) for each in beating)
    return Pair((first, second), total_p, total_n, of_positives.variance(2 * total_n), of_negatives.variance(2 * total_p))
