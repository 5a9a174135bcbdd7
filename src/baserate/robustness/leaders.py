"""Who has the highest recall within a share of false alerts, at each base rate: models compared
along the B-ROC's axis, at the base rate of interest.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import Points
from baserate.decisions.roc_geometry import check_names
from baserate.decisions.selection import Choice, chosen_among
from baserate.errors import Fix, Infeasible, Note, quoted, refuse
from baserate.inference.best_model import SEPARATE, WEIGHED, every_pair, of_best
from baserate.inference.paired import adjusted
from baserate.inference.values import checked_level
from baserate.measures.confusion import ASSUMES_LABEL_SHIFT
from baserate.notation import from_number, prior, share
from baserate.numbers import Floats, Viewed, exactly, rounded

Corner = tuple[Fraction, Fraction]
# Base rates at which the leader is tested. They must not depend on who leads where, so they follow
# from the number of negatives.
PLACES = 6
MIXED = "the highest recall of two mixtures of thresholds is not tested (attained=True)"
NOT_COMPARABLE = "at none of the tested base rates have two models a threshold within the limit"
# What a line read by floats can be off by, as a share of its terms.
NOISE = 1e-14


class Lead(NamedTuple):
    """From one base rate to another, these have the highest recall; none where no model satisfies
    the share of false alarms.
    """

    low: float
    high: float
    models: tuple[str, ...]


@dataclass(frozen=True)
class BestRecall(Viewed):
    """Which model has the highest tpr with at most this share of false alarms among the alerts
    (fdr, B_FA), at each base rate.

    `leads` are exact stretches of base rate; `at` reads every model's tpr at one. A model leads
    another within a share of false alarms exactly where its hull lies above along one line through
    the origin of ROC space: the leaders change where hulls cross. `tested` are choices at a few
    base rates whose differences say whether the leader is significantly better there than the
    others, at one level for all of these base rates together; where there are none, `untested` says
    why.
    """

    fdr: float
    leads: tuple[Lead, ...]
    attained: bool
    tested: tuple[Choice, ...] = field(repr=False, compare=False)
    untested: str
    _curves: Mapping[str, _Curve] = field(repr=False, compare=False)
    _fdr: Fraction = field(repr=False, compare=False)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What it assumes of the field."""
        return (Note("BR526", f"computed for every base rate; {ASSUMES_LABEL_SHIFT}"),)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._curves)

    def at(self, base_rate: Any) -> dict[str, float]:
        """The highest tpr of each model at this base rate, within the share of false alarms; 0
        where it flags nothing.
        """
        written = prior(base_rate)
        if written is None:
            raise refuse(
                "BR509", "the best model depends on the base rate", 'leaders.at("1 in 1000")'
            )
        slope = written.value / (1 - written.value) * self._fdr / (1 - self._fdr)
        return {
            name: rounded(_reached(curve, slope, attained=self.attained))
            for name, curve in self._curves.items()
        }

    def __repr__(self) -> str:
        said = "; ".join(
            f"from {lead.low:.4g} to {lead.high:.4g} {' or '.join(lead.models) or 'none'}"
            for lead in self.leads
        )
        return f"Best recall within fdr <= {self.fdr:g}: {said}"


def best_recall(
    models: JointCounts | Mapping[str, Counts | Points],
    *,
    fdr: Any,
    attained: bool = False,
    level: float = 0.95,
) -> BestRecall:
    """Which model has the highest recall, of the settings with at most this share of false alarms
    among the alerts, at each base rate? And where is it better than the others?

    With p the base rate and b the share, fdr <= b is fpr <= k · tpr with k = p / (1 − p) · b / (1 −
    b): only k matters. On the ROC hulls (mixtures of two thresholds) the best within b is the point
    at b, so "at a fixed B_FA" is the same question. `attained=True` takes thresholds only. Which
    hull lies above at a fixed tpr does not depend on the base rate; who leads within b does.
    Cárdenas & Baras 2006.

    Models that were counted on the same cases (`JointCounts`) are compared at six base rates, as
    `choose` compares them at one: where k is 1 / N, and from there on evenly on the log scale up to
    the last one before 1, with N negatives. Holm's adjustment is over all pairs at all of them, so
    that a model which is never better is called better at any of them in at most 5 %.
    `choose(joint, "precision >= 0.5", prior=…, optimize="tpr")` tests one base rate
    alone, and finds more.

    >>> import baserate as br
    >>> early, late = br.Points.from_rates([0.001], [0.5]), br.Points.from_rates([0.02], [0.9])
    >>> br.robustness.best_recall({"early": early, "late": late}, fdr=0.5)
    Best recall within fdr <= 0.5: from 0 to 0.001996 none; from 0.001996 to 0.02174 early; from 0.02174 to 0.5 late; from 0.5 to 1 early or late
    """  # noqa: E501
    counted = (
        {name: models.marginal(name) for name in models.models}
        if isinstance(models, JointCounts)
        else models
    )
    if not isinstance(counted, Mapping) or not counted:
        raise refuse("BR410", "the counts of each model are needed by name", '{"logit": counts}')
    check_names(counted)
    written = share(fdr) if isinstance(fdr, str) else from_number(fdr)
    if written is None or not 0 < written.value < 1:
        shown = fdr if written is None else float(written.value)
        raise refuse(
            "BR542",
            f"a share of false alarms lies between 0 and 1, got {quoted(shown)}",
            Fix("fdr=0.5", '"fdr <= 50%"'),
        )
    curves = {
        name: _curve(name, Points.of(counts), attained=attained) for name, counts in counted.items()
    }
    found = BestRecall(
        rounded(written.value),
        tuple(_leads(curves, written.value, attained=attained)),
        attained,
        (),
        "",
        curves,
        written.value,
    )
    return _with_tests(found, models, checked_level(level)) if len(counted) > 1 else found


def _with_tests(
    found: BestRecall, models: JointCounts | Mapping[str, Counts | Points], level: float
) -> BestRecall:
    """With the lead of the best model at a few base rates, or why that is not tested."""
    if not isinstance(models, JointCounts) or models.weighted:
        weighed = any(
            getattr(one, "weighted", False)
            for one in ([models] if isinstance(models, JointCounts) else models.values())
        )
        return replace(found, untested=WEIGHED if weighed else SEPARATE)
    if not found.attained:
        return replace(found, untested=MIXED)
    each = {name: models.marginal(name) for name in models.models}
    rule, made = f"fdr <= {found.fdr!r}", list[Choice]()
    for place in range(PLACES):
        slope = Fraction(int(models.total_negatives) ** (place / PLACES - 1))
        at = Conditions(rounded(_prior(slope, found._fdr)))
        with contextlib.suppress(Infeasible):
            made.append(chosen_among(each, rule, at=at, optimize="tpr"))
    made = [choice for choice in made if len(choice.points) > 1]
    pairs = [every_pair(models, choice.points, level=level) for choice in made]
    every = iter(adjusted([one for here in pairs for one in here]))
    tested = tuple(
        replace(
            choice,
            differences=of_best([next(every) for _ in here], choice.model, "higher"),
        )
        for choice, here in zip(made, pairs, strict=True)
    )
    return replace(found, tested=tested, untested="" if tested else NOT_COMPARABLE)


class _Curve(NamedTuple):
    """What can be reached: corners by rising fpr / tpr, each with a higher tpr than those before,
    and these ratios.
    """

    corners: list[Corner]
    ratios: list[Fraction]


def _curve(name: str, points: Points, *, attained: bool) -> _Curve:
    if not points.total_positives or not points.total_negatives:
        raise refuse(
            "BR552",
            f"{quoted(name)} has cases of one class only: it has no ROC",
            "count cases of both classes",
        )
    kept = points.corners() if attained else points.hull()
    positives, negatives = exactly(kept.total_positives), exactly(kept.total_negatives)
    corners = [
        (exactly(f) / negatives, exactly(t) / positives)
        for f, t in zip(kept.fp.tolist(), kept.tp.tolist(), strict=True)
    ]
    if attained:
        corners = list(_records(corners))
    return _Curve(corners, [f / t if t else Fraction(0) for f, t in corners])


def _records(corners: list[Corner]) -> Iterator[Corner]:
    """Of all thresholds those that, from strict to loose, find more than any stricter one."""
    yield Fraction(0), Fraction(0)
    most = Fraction(0)
    for f, t in sorted(
        (corner for corner in corners if corner[1]),
        key=lambda corner: (corner[0] / corner[1], -corner[1]),
    ):
        if t > most:
            most = t
            yield f, t


def _reached(curve: _Curve, slope: Fraction, *, attained: bool) -> Fraction:
    """The highest tpr with fpr <= slope · tpr: of the corners, or on the straight lines between
    them.
    """
    place = bisect_right(curve.ratios, slope) - 1
    f, t = curve.corners[place]
    if attained or place == len(curve.corners) - 1:
        return t
    next_f, next_t = curve.corners[place + 1]
    here, there = f - slope * t, next_f - slope * next_t
    return t + (next_t - t) * here / (here - there) if here - there else t


def _leads(curves: Mapping[str, _Curve], fdr: Fraction, *, attained: bool) -> Iterator[Lead]:
    """Stretches of base rate with the same leaders. Between two neighbouring ratios of all corners
    every model's 1 / tpr is a straight line of the slope: floats see most of those that lead alone.
    """
    ratios = {ratio for curve in curves.values() for ratio in curve.ratios} | {Fraction(0)}
    slopes = [slope for _, slope in sorted((rounded(ratio), ratio) for ratio in ratios)]
    lines = _Lines.of(curves, slopes, attained=attained)
    ends = np.array([rounded(slope) for slope in slopes])
    alone, near = lines.alone(ends), lines.near(ends)
    found: list[tuple[Fraction, tuple[str, ...]]] = []
    for place, low in enumerate(slopes):
        known = place < len(alone) and alone[place] >= 0
        high = slopes[place + 1] if place + 1 < len(slopes) else low + 1
        close = near[:, place].tolist() if place < len(alone) else [True] * len(curves)
        pieces = (
            [(low, (int(alone[place]),))] if known else _pieces(lines.at(place, close), low, high)
        )
        for start, leaders in pieces:
            names = tuple(name for i, name in enumerate(curves) if i in leaders)
            if not found or found[-1][1] != names:
                found.append((start, names))
    edges = [_prior(slope, fdr) for slope, _ in found] + [Fraction(1)]
    for (low, high), (_, names) in zip(itertools.pairwise(edges), found, strict=True):
        yield Lead(rounded(low), rounded(high), names)


Line = tuple[Fraction, Fraction]


class _Lines(NamedTuple):
    """1 / tpr = height − fall · slope of each model, between each two neighbouring slopes; none
    where it finds nothing.
    """

    exact: list[list[Line | None]]
    places: npt.NDArray[np.intp]
    heights: Floats
    falls: Floats

    @classmethod
    def of(cls, curves: Mapping[str, _Curve], slopes: list[Fraction], *, attained: bool) -> _Lines:
        ranks = {slope: rank for rank, slope in enumerate(slopes)}
        exact, places, heights, falls = [], [], [], []
        for curve in curves.values():
            own = [_line(curve, place, attained=attained) for place in range(len(curve.corners))]
            where = np.searchsorted(
                [ranks[ratio] for ratio in curve.ratios], np.arange(len(slopes)), "right"
            )
            exact.append(own)
            places.append(where - 1)
            numbers = np.array(
                [(math.inf, 0.0) if line is None else tuple(map(rounded, line)) for line in own]
            )
            heights.append(numbers[where - 1, 0])
            falls.append(numbers[where - 1, 1])
        return cls(exact, np.array(places), np.array(heights), np.array(falls))

    def alone(self, slopes: Floats) -> npt.NDArray[np.intp]:
        """The one model that leads at both ends of each stretch, and so all along it; -1 where
        floats do not show one.
        """
        found = []
        for least, most in self._bounds(slopes):
            leading = least <= most.min(axis=0)
            single = (leading.sum(axis=0) == 1) & np.isfinite(least.min(axis=0))
            found.append(np.where(single, leading.argmax(axis=0), -1))
        return np.where(found[0] == found[1], found[0], -1)

    def near(self, slopes: Floats) -> npt.NDArray[np.bool_]:
        """Which models may lead somewhere between each two slopes: those that do not lie above the
        lowest of one end at both ends, beyond doubt.
        """
        bounds = list(self._bounds(slopes))
        above = np.zeros(bounds[0][0].shape, dtype=np.bool_)
        for _, most in bounds:
            lowest = most.argmin(axis=0)[None]
            over = [least > np.take_along_axis(high, lowest, axis=0) for least, high in bounds]
            above |= over[0] & over[1]
        return ~above

    def _bounds(self, slopes: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Between which floats the line of each model lies at the lower ends of all stretches, and
        at the upper ones.
        """
        heights = self.heights[:, :-1]
        for end in (slopes[:-1], slopes[1:]):
            falls = self.falls[:, :-1] * end
            values = heights - falls
            off = NOISE * np.where(np.isfinite(heights), heights + falls, 0.0)
            yield values - off, values + off

    def at(self, place: int, near: Sequence[bool]) -> list[Line | None]:
        """The line of each model that may lead from this slope to the next."""
        return [
            own[where] if close else None
            for own, where, close in zip(
                self.exact, self.places[:, place].tolist(), near, strict=True
            )
        ]


def _line(curve: _Curve, place: int, *, attained: bool) -> Line | None:
    f, t = curve.corners[place]
    if not t:
        return None
    if attained or place == len(curve.corners) - 1:
        return 1 / t, Fraction(0)
    next_f, next_t = curve.corners[place + 1]
    whole = t * next_f - f * next_t
    return (next_f - f) / whole, (next_t - t) / whole


def _pieces(
    lines: list[Line | None], low: Fraction, high: Fraction
) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """The models whose line is lowest, from each slope on at which they change: where the lowest
    lines of both ends cross, another may be lower.
    """
    known = {line for line in lines if line is not None}
    if not known:
        yield low, ()
        return
    # Just after the lower end the steepest of those that are lowest leads, just before the upper
    # end the flattest.
    first = min(known, key=lambda line: (line[0] - line[1] * low, -line[1]))
    last = min(known, key=lambda line: (line[0] - line[1] * high, line[1]))
    if first == last:
        yield low, tuple(i for i, line in enumerate(lines) if line == first)
        return
    crossing = (first[0] - last[0]) / (first[1] - last[1])
    yield from _pieces(lines, low, crossing)
    yield from _pieces(lines, crossing, high)


def _prior(slope: Fraction, fdr: Fraction) -> Fraction:
    odds = slope * (1 - fdr) / fdr
    return odds / (1 + odds)
