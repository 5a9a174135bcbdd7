"""Geometry of the ROC: the ideal baseline, exact borders between winners, crossings and
dominance.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions, Costs, checked_conditions
from baserate.counts.cells import Array, run_starts, upper_hull
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.decisions.rules import Mask
from baserate.errors import Note, quoted, refuse
from baserate.measures.confusion import Confusion
from baserate.numbers import INT64_MAX, Floats, exactly, rounded
from baserate.results.operating_point import OperatingPoint

# ----------------------------------------------------------------------
# The ideal baseline: the line in ROC space that a classifier must beat to be worth more than one
# answer for all.


@dataclass(frozen=True)
class Baseline:
    """The points that cost as much as the cheaper of flagging nothing and flagging everything:
    the line with `slope` through (0, 0) or (1, 1).

    `answer` is the cheaper one, "nothing" or "everything"; `intercept` is the tpr of the line at
    fpr 0. Above the line a classifier is worth considering.
    """

    slope: float
    answer: str
    at: Conditions
    notes: tuple[Note, ...] = ()

    @property
    def _exact_slope(self) -> Fraction:
        loss, nuisance = self.at.at_stake
        return nuisance / loss

    @property
    def intercept(self) -> float:
        return self.tpr(0)

    def tpr(self, fpr: float) -> float:
        """The tpr that is needed at this fpr (it may lie outside [0, 1], where no classifier
        can).
        """
        return rounded(self._needed(exact_share(fpr, "fpr", "give a share")))

    def _needed(self, fpr: Fraction) -> Fraction:
        return (
            1 - self._exact_slope * (1 - fpr)
            if self.answer == "everything"
            else self._exact_slope * fpr
        )

    def beaten_by(self, point: OperatingPoint | Confusion) -> bool:
        """Whether the point lies above the line: cheaper than either answer for all."""
        confusion = point.confusion if isinstance(point, OperatingPoint) else point
        if not isinstance(confusion, Confusion):
            raise refuse(
                "BR551",
                f"only an operating point can beat a line, got {type(point).__name__}",
                "beaten_by(choose(counts))",
            )
        positives, negatives = (
            exactly(confusion.tp) + exactly(confusion.fn),
            exactly(confusion.fp) + exactly(confusion.tn),
        )
        if not positives or not negatives:
            raise refuse("BR552", "a ROC point needs cases of both classes", "add cases")
        return exactly(confusion.tp) / positives > self._needed(exactly(confusion.fp) / negatives)


def exact_share(value: Any, name: str, fix: str) -> Fraction:
    """A number between 0 and 1, exactly."""
    try:
        found = exactly(value)
    except (TypeError, ValueError, OverflowError):
        found = Fraction(-1)
    if not 0 <= found <= 1:
        raise refuse("BR542", f"{name} lies between 0 and 1, got {quoted(value)}", fix)
    return found


def ideal_baseline(at: Conditions, counts: Counts | Points | None = None) -> Baseline:
    """What must a classifier reach to beat flagging nothing and flagging everything? Weng & Poon
    2008 §4.

    With m the iso-cost slope, cost ratio over class ratio: the line 1 − m·(1 − fpr) through (1, 1)
    where flagging everything is cheaper (m ≤ 1), and m·fpr through (0, 0) where flagging nothing
    is. `counts` are needed only for a the sample's base rate.

    >>> import baserate as br
    >>> at = br.Conditions(prior=0.2, costs=br.Costs(fp=1, fn=5))    # 100 positives, 400 negatives
    >>> br.curves.ideal_baseline(at).intercept
    0.2
    """
    conditions = checked_conditions(at)
    if conditions.as_in_sample:
        if counts is None and conditions.prior is None:
            raise refuse(
                "BR509",
                "the prior is the sample's own, and no counts are given",
                "ideal_baseline(at, counts), or a prior",
            )
        points = Points.of(counts) if counts is not None else None
        conditions = (
            conditions
            if points is None
            else conditions.within(points.exact_prior, points.why_no_prior)
        )
    slope = conditions.iso_cost_slope
    notes: tuple[Note, ...] = ()
    if conditions.at_stake[1] > conditions.at_stake[0]:
        text = (
            f"the cost ratio exceeds the class ratio (slope {slope:.6g} > 1): flagging nothing is"
            " cheaper, so the line starts at (0, 0)"
        )
        notes = (Note("BR553", text),)
    return Baseline(slope, "nothing" if notes else "everything", conditions, notes)


# ----------------------------------------------------------------------
# Who is cheapest at which base rate: exact borders from the hull of all models together.


NOTHING, EVERYTHING = "flag nothing", "flag everything"
Settings = dict[str, Any]
Models = Mapping[str, Counts | Points]


@dataclass(frozen=True)
class Win:
    """From one base rate to another, this is cheapest: one or more models (a tie) at their
    thresholds, or one answer for all.
    """

    low: float
    high: float
    models: tuple[str, ...]
    thresholds: tuple[float | None, ...]
    fpr: float
    tpr: float


class Corner(NamedTuple):
    """A place in ROC space, and which models are there at which thresholds."""

    x: Fraction
    y: Fraction
    settings: Settings

    def stake(self, miss: Fraction, alarm: Fraction) -> Fraction:
        """What its errors cost, where missing every positive costs `miss` and flagging every
        negative `alarm`.
        """
        return miss * (1 - self.y) + alarm * self.x


class Region(NamedTuple):
    """From one effective prior to another, this corner is cheapest. Everything exact."""

    low: Fraction
    high: Fraction
    corner: Corner


def winners(models: Models, costs: Costs | None = None) -> tuple[Win, ...]:
    """Which model, at which threshold, is cheapest at each base rate?

    The winner depends on the effective prior alone, so at fixed costs the borders are exact: those
    of the convex hull of all models with "flag nothing" and "flag everything".

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> for win in br.curves.winners({"a": a}, br.Costs(fp=1, fn=10)):
    ...     print(f"{win.low:.4f} to {win.high:.4f}: {', '.join(win.models)}")
    0.0000 to 0.0017: flag nothing
    0.0017 to 0.0625: a
    0.0625 to 0.4413: a
    0.4413 to 1.0000: flag everything
    """
    if not isinstance(models, Mapping) or not models:
        raise refuse(
            "BR410", "winners needs the counts of each model by name", 'winners({"logit": counts})'
        )
    if costs is not None and not isinstance(costs, Costs):
        raise refuse(
            "BR513",
            f"costs must be Costs, got {type(costs).__name__}",
            "winners(models, Costs(fp=1, fn=100))",
        )
    check_names(models)
    chosen = costs or Costs()
    return tuple(
        won(region, prior_at(region.low, chosen), prior_at(region.high, chosen))
        for region in regions(corners(models))
    )


def won(region: Region, low: Fraction, high: Fraction) -> Win:
    """The region as a value, on whichever axis."""
    corner = region.corner
    names, thresholds = tuple(corner.settings), tuple(corner.settings.values())
    return Win(rounded(low), rounded(high), names, thresholds, rounded(corner.x), rounded(corner.y))


def check_names(models: Mapping[str, Any]) -> None:
    """No model may be called what flagging all or none is called."""
    reserved = {NOTHING, EVERYTHING} & set(models)
    if reserved:
        raise refuse(
            "BR410",
            f"a model is named {quoted(min(reserved))}, which is the name of a baseline",
            "give it another name",
        )


def prior_at(effective: Fraction, costs: Costs) -> Fraction:
    """The prior at which these costs make this effective prior."""
    loss, gain = effective * costs.false_alarm, (1 - effective) * costs.miss
    return loss / (loss + gain)


def corners(models: Models, masks: Mapping[str, Mask] | None = None) -> list[Corner]:
    """What can be cheapest somewhere: the hull corners of every model, those at one place together,
    in ascending order.

    Where there are masks, only points in them count, also for flagging all or none.
    """
    found: dict[tuple[Fraction, Fraction], Settings] = {}
    for place, name, threshold, end in (
        ((Fraction(0), Fraction(0)), NOTHING, None, 0),
        ((Fraction(1), Fraction(1)), EVERYTHING, -math.inf, -1),
    ):
        if masks is None or any(mask[end] for mask in masks.values()):
            found[place] = {name: threshold}
    for name, counts in models.items():
        points = Points.of(counts)
        if not points.total_positives or not points.total_negatives:
            raise refuse(
                "BR552",
                f"{quoted(name)} has cases of one class only: it has no ROC",
                "count cases of both classes",
            )
        source = points.hull() if masks is None else points
        kept = range(1, len(source) - 1) if masks is None else _kept(points, masks[name])
        positives, negatives = exactly(points.total_positives), exactly(points.total_negatives)
        for index in kept:
            place = (
                exactly(source.fp[index].item()) / negatives,
                exactly(source.tp[index].item()) / positives,
            )
            found.setdefault(place, {})[name] = source.threshold(index)
    return [
        Corner(*place, settings)
        for place, settings in sorted(found.items(), key=lambda item: item[0])
    ]


def _kept(points: Points, mask: Mask) -> Sequence[int]:
    """The hull corners among the points of the mask, but for the two answers for all."""
    inside = np.flatnonzero(mask)
    inside = inside[(inside > 0) & (inside < len(points) - 1)]
    kept: list[int] = (
        inside[upper_hull(points.fp[inside], points.tp[inside])].tolist() if len(inside) else []
    )
    return kept


def regions(found: Sequence[Corner]) -> list[Region]:
    """Which corner is cheapest from which effective prior to which: the upper hull, in exact
    fractions (there are few corners left).
    """
    kept: list[Corner] = []
    for corner in found:
        while len(kept) >= 2 and (kept[-1].y - kept[-2].y) * (corner.x - kept[-1].x) <= (
            corner.y - kept[-1].y
        ) * (kept[-1].x - kept[-2].x):
            kept.pop()
        kept.append(corner)
    # Where a rule leaves the last point out, what lies beyond the highest is no better anywhere.
    highest = max(range(len(kept)), key=lambda place: (kept[place].y, -kept[place].x))
    kept = kept[: highest + 1]
    borders = [Fraction(0)]
    for before, after in pairwise(kept):
        loss, gain = after.x - before.x, after.y - before.y
        borders.append(loss / (loss + gain))
    borders.append(Fraction(1))
    spans = zip(kept, borders, borders[1:], strict=False)
    return [Region(low, high, corner) for corner, low, high in spans if low < high]


# ----------------------------------------------------------------------
# Where is one ROC above another? Crossings, intervals of fpr, and dominance.


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
    """Where each of two ROCs lies above the other; `dominant` is the one that is nowhere below
    ("equal", "neither").
    """

    stretches: tuple[Stretch, ...]
    crossings: tuple[Crossing, ...]
    dominant: str


def superiority(first: Counts | Points, second: Counts | Points) -> Superiority:
    """At which false positive rates does each of two models find more positives?

    ROCs are straight between their points; on a vertical run the highest tpr counts. Which ROC lies
    above does not depend on the base rate, so neither does this. Hulls are compared by passing
    `Points.of(counts).hull()`.

    >>> import baserate as br
    >>> early = br.Points.from_rates([0.1], [0.6])
    >>> late = br.Points.from_rates([0.3], [0.9])
    >>> found = br.curves.superiority(early, late)
    >>> found.crossings
    (Crossing(fpr=0.21739130434782605, tpr=0.6521739130434783),)
    >>> found.dominant
    'neither'
    """
    ours, theirs, whole = _curves(Points.of(first).corners(), Points.of(second).corners())
    both = np.sort(np.concatenate([ours.x, theirs.x]), kind="stable")  # a merge: both are sorted
    pieces = _pieces(ours, theirs, both[run_starts(both)], whole)
    stretches = tuple(_stretches(pieces))
    above = {stretch.better for stretch in stretches} - {EQUAL}
    dominant = NEITHER if len(above) > 1 else next(iter(above), EQUAL)
    return Superiority(stretches, tuple(_crossings(ours, theirs, pieces, whole)), dominant)


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
        return (
            self.base.astype(np.float64) + self.rise.astype(np.float64) * share
        ) / self.positives

    def exact(self, where: Any) -> tuple[Any, Any]:
        """Numerators and denominators of some of them, as Python integers or fractions."""
        base, rise, part, across = (_exact(values[where]) for values in self[:4])
        return base * across + rise * part, across * exactly(self.positives)


class _Curve(NamedTuple):
    """A ROC as a function of fpr: at each distinct place x, a multiple of fpr, the lowest and the
    highest tp.
    """

    x: Array
    low: Array
    high: Array
    positives: float

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
            return exactly((self.low if side == "low" else self.high)[index]) / exactly(
                self.positives
            )
        part = (x - before) / (exactly(self.x[index + 1]) - before)
        base = exactly(self.high[index])
        return (base + part * (exactly(self.low[index + 1]) - base)) / exactly(self.positives)


def _curves(first: Points, second: Points) -> tuple[_Curve, _Curve, Fraction]:
    """Both ROCs on one scale, and its length: exact integers for counts; for masses and published
    rates, the rates as they are rounded.
    """
    for points in (first, second):
        if not points.total_positives or not points.total_negatives:
            raise refuse(
                "BR552", "a ROC needs cases of both classes", "count cases of both classes"
            )
    if first.fp.dtype != np.int64 or second.fp.dtype != np.int64:
        ours, theirs = (_curve(points.fpr, points.tpr, 1.0) for points in (first, second))
        return ours, theirs, Fraction(1)
    own, other = int(first.total_negatives), int(second.total_negatives)
    whole = own * other
    kind = np.int64 if whole <= INT64_MAX else object
    return (
        _curve(first.fp.astype(kind) * other, first.tp, first.total_positives),
        _curve(second.fp.astype(kind) * own, second.tp, second.total_positives),
        Fraction(whole),
    )


def _curve(x: Array, tp: Array, positives: float) -> _Curve:
    starts = np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))
    ends = np.concatenate((starts[1:], [len(x)])) - 1
    return _Curve(x[starts], tp[starts], tp[ends], positives)


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


def _pieces(ours: _Curve, theirs: _Curve, x: Array, whole: Fraction) -> list[_Piece]:
    """Runs of fpr in which one ROC is above. Between two neighbouring corners both are straight,
    and cross at most once.
    """
    start, end = _signs(ours, theirs, x[:-1], "high"), _signs(ours, theirs, x[1:], "low")
    crossed = start * end < 0
    signs = np.where(start != 0, start, end)
    fresh = np.flatnonzero(
        np.concatenate(([True], (signs[1:] != np.where(crossed, end, signs)[:-1]))) | crossed
    )
    pieces = list[_Piece]()
    for index in fresh.tolist():
        low, high = exactly(x[index]), exactly(x[index + 1])
        pieces.append(_Piece(low / whole, Fraction(1), NAMES[int(signs[index])]))
        if crossed[index]:
            before, after = (
                ours.height(place, side) - theirs.height(place, side)
                for place, side in ((low, "high"), (high, "low"))
            )
            middle = low + (high - low) * before / (before - after)
            pieces.append(_Piece(middle / whole, Fraction(1), NAMES[int(end[index])]))
    return [piece._replace(high=later.low) for piece, later in itertools.pairwise(pieces)] + pieces[
        -1:
    ]


def _stretches(pieces: list[_Piece]) -> Iterator[Stretch]:
    """Neighbours with one name together."""
    for better, group in itertools.groupby(pieces, key=lambda piece: piece.better):
        run = list(group)
        yield Stretch(rounded(run[0].low), rounded(run[-1].high), better)


def _crossings(
    curve: _Curve, other: _Curve, pieces: list[_Piece], whole: Fraction
) -> Iterator[Crossing]:
    last = EQUAL
    for piece in pieces:
        if piece.better != EQUAL and last not in (EQUAL, piece.better):
            x = piece.low * whole
            yield Crossing(rounded(piece.low), rounded(min(curve.height(x), other.height(x))))
        last = last if piece.better == EQUAL else piece.better
