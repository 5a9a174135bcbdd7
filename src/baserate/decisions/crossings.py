"""Where is one ROC above another? Crossings, intervals of fpr, and dominance."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.arithmetic import exactly, rounded
from baserate.cells import Array
from baserate.counts import Counts
from baserate.errors import refuse
from baserate.exact import INT64_MAX, Floats
from baserate.points import Points, refuse_bins

FIRST, SECOND, EQUAL, NEITHER = "first", "second", "equal", "neither"
NAMES = {1: FIRST, -1: SECOND, 0: EQUAL}
# Differences of tpr below this are computed again in exact fractions.
DOUBT = 1e-9


class Crossing(NamedTuple):
    """Where two ROCs change places."""

    fpr: float
    tpr: float


class Stretch(NamedTuple):
    """An interval of fpr, and which ROC lies above inside it."""

    low: float
    high: float
    better: str


@dataclass(frozen=True)
class Superiority:
    """Where each of two ROCs lies above the other; `dominant` is the one that is nowhere below ("equal", "neither")."""

    stretches: tuple[Stretch, ...]
    crossings: tuple[Crossing, ...]
    dominant: str


def superiority(first: Counts | Points, second: Counts | Points) -> Superiority:
    """At which false positive rates does each of two models find more positives?

    ROCs are straight between their points; on a vertical run the highest tpr counts. Which ROC lies above does not depend on the base
    rate, so neither does this. Hulls are compared by passing `Points.of(counts).hull()`.

    >>> import baserate as br
    >>> early = br.Points.from_rates([0.1], [0.6])
    >>> late = br.Points.from_rates([0.3], [0.9])
    >>> found = br.superiority(early, late)
    >>> found.crossings
    (Crossing(fpr=0.21739130434782605, tpr=0.6521739130434783),)
    >>> found.dominant
    'neither'
    """
    ours, theirs = _curves(Points.of(first), Points.of(second))
    x = np.unique(np.concatenate([ours.x, theirs.x]))
    pieces = _pieces(ours, theirs, x)
    stretches = tuple(_stretches(pieces))
    return Superiority(stretches, tuple(_crossings(ours, theirs, pieces)), _dominant({stretch.better for stretch in stretches} - {EQUAL}))


def _dominant(seen: set[str]) -> str:
    if {FIRST, SECOND} <= seen:
        return NEITHER
    return next(iter(seen), EQUAL)


class _Piece(NamedTuple):
    low: Fraction
    high: Fraction
    better: str


class _Heights(NamedTuple):
    """The tpr at some places, in parts: (base + rise · part / across) / positives."""

    base: Array
    rise: Array
    part: Array
    across: Array
    positives: float

    def floats(self) -> Floats:
        share = self.part.astype(np.float64) / self.across.astype(np.float64)
        return (self.base.astype(np.float64) + self.rise.astype(np.float64) * share) / self.positives

    def exact(self, where: Any) -> tuple[Any, Any]:
        """Numerators and denominators of some of them, as Python integers or fractions."""
        base, rise, part, across = (_exact(values[where]) for values in self[:4])
        return base * across + rise * part, across * exactly(self.positives)


class _Curve(NamedTuple):
    """A ROC as a function of fpr: at each distinct place x = fpr · `whole`, the lowest and the highest tp."""

    x: Array
    low: Array
    high: Array
    positives: float
    whole: float

    def heights(self, x: Array, side: str) -> _Heights:
        """The tpr just right of each place ("high") or just left of it ("low")."""
        index = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 1)
        after = np.minimum(index + 1, len(self.x) - 1)
        corner = self.x[index] == x
        here = self.low[index] if side == "low" else self.high[index]
        return _Heights(
            base=np.where(corner, here, self.high[index]),
            rise=np.where(corner, 0, self.low[after] - self.high[index]),
            part=np.where(corner, 0, x - self.x[index]),
            across=np.where(corner, 1, self.x[after] - self.x[index]),
            positives=self.positives,
        )

    def height(self, x: Fraction, side: str = "high") -> Fraction:
        """The same for one place that need not be a corner of either ROC, exactly."""
        index = bisect.bisect_right(self.x, x, key=exactly) - 1
        before = exactly(self.x[index])
        if before == x:
            return exactly((self.low if side == "low" else self.high)[index]) / exactly(self.positives)
        part = (x - before) / (exactly(self.x[index + 1]) - before)
        base = exactly(self.high[index])
        return (base + part * (exactly(self.low[index + 1]) - base)) / exactly(self.positives)


def _curves(first: Points, second: Points) -> tuple[_Curve, _Curve]:
    """Both ROCs on one scale: exact integers for counts; for masses and published rates, the rates as they are rounded."""
    for points in (first, second):
        if not points.total_positives or not points.total_negatives:
            raise refuse("BR552", "a ROC needs cases of both classes", "count cases of both classes")
        refuse_bins(points, "which of two ROCs lies above needs every score")
    if first.fp.dtype != np.int64 or second.fp.dtype != np.int64:
        return tuple(_curve(points.fpr, points.tpr, 1.0, 1.0) for points in (first, second))  # type: ignore[return-value]
    ours, theirs = int(first.total_negatives), int(second.total_negatives)
    kind = np.int64 if ours * theirs <= INT64_MAX else object
    return (
        _curve(first.fp.astype(kind) * theirs, first.tp, first.total_positives, ours * theirs),
        _curve(second.fp.astype(kind) * ours, second.tp, second.total_positives, ours * theirs),
    )


def _curve(x: Array, tp: Array, positives: float, whole: float) -> _Curve:
    starts = np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))
    ends = np.concatenate((starts[1:], [len(x)])) - 1
    return _Curve(x[starts], tp[starts], tp[ends], positives, whole)


def _exact(values: Array) -> Any:
    if values.dtype == np.float64:
        return np.array([exactly(value) for value in values.tolist()], dtype=object)
    return values.astype(object)


def _signs(ours: _Curve, theirs: _Curve, x: Array, side: str) -> npt.NDArray[np.int8]:
    """Which ROC is above at each place; where floats cannot tell, in exact numbers."""
    one, other = ours.heights(x, side), theirs.heights(x, side)
    gap = one.floats() - other.floats()
    signs = np.sign(gap).astype(np.int8)
    same = one.positives == other.positives
    for ours_part, theirs_part in zip(one[:4], other[:4], strict=True):
        same = same & (ours_part == theirs_part)
    signs[same] = 0
    doubtful = np.flatnonzero((np.abs(gap) < DOUBT) & ~same)
    if len(doubtful):
        (top, bottom), (other_top, other_bottom) = one.exact(doubtful), other.exact(doubtful)
        difference = top * other_bottom - other_top * bottom
        signs[doubtful] = (difference > 0).astype(np.int8) - (difference < 0).astype(np.int8)
    return signs


def _pieces(ours: _Curve, theirs: _Curve, x: Array) -> list[_Piece]:
    """Runs of fpr in which one ROC is above. Between two neighbouring corners both are straight, and cross at most once."""
    start, end = _signs(ours, theirs, x[:-1], "high"), _signs(ours, theirs, x[1:], "low")
    crossed = start * end < 0
    signs = np.where(start != 0, start, end)
    fresh = np.flatnonzero(np.concatenate(([True], (signs[1:] != np.where(crossed, end, signs)[:-1]))) | crossed)
    whole, pieces = exactly(ours.whole), list[_Piece]()
    for index in fresh.tolist():
        low, high = exactly(x[index]), exactly(x[index + 1])
        pieces.append(_Piece(low / whole, Fraction(1), NAMES[int(signs[index])]))
        if crossed[index]:
            before, after = (ours.height(place, side) - theirs.height(place, side) for place, side in ((low, "high"), (high, "low")))
            middle = low + (high - low) * before / (before - after)
            pieces.append(_Piece(middle / whole, Fraction(1), NAMES[int(end[index])]))
    return [piece._replace(high=later.low) for piece, later in itertools.pairwise(pieces)] + pieces[-1:]


def _stretches(pieces: list[_Piece]) -> Iterator[Stretch]:
    """Neighbours with one name together."""
    for better, group in itertools.groupby(pieces, key=lambda piece: piece.better):
        run = list(group)
        yield Stretch(rounded(run[0].low), rounded(run[-1].high), better)


def _crossings(curve: _Curve, other: _Curve, pieces: list[_Piece]) -> Iterator[Crossing]:
    last = EQUAL
    for piece in pieces:
        if piece.better != EQUAL and last not in (EQUAL, piece.better):
            x = piece.low * exactly(curve.whole)
            yield Crossing(rounded(piece.low), rounded(min(curve.height(x), other.height(x))))
        last = last if piece.better == EQUAL else piece.better
