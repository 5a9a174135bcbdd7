"""Who has the highest recall within a share of false alerts, at each base rate: models compared
along the B-ROC's axis, at the base rate of interest.
"""

from __future__ import annotations

import contextlib
import itertools
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.joint import JointCounts
from baserate.counts.points import Points, refuse_bins
from baserate.decisions.roc_geometry import check_names
from baserate.decisions.selection import Choice, chosen_among
from baserate.errors import Fix, Infeasible, quoted, refuse
from baserate.inference.best_model import SEPARATE, WEIGHED, every_pair, of_best
from baserate.inference.paired import adjusted
from baserate.inference.values import checked_level
from baserate.notation import from_number, prior, share
from baserate.numbers import exactly, rounded
from baserate.views import Viewed

Corner = tuple[Fraction, Fraction]
# Base rates at which the leader is tested. They must not depend on who leads where, so they follow
# from the number of negatives.
PLACES = 6
NOT_COMPARABLE = "at none of the tested base rates have two models a threshold within the limit"


class Lead(NamedTuple):
    """From one base rate to another, these have the highest recall; none where no model satisfies
    the share of false alarms.
    """

    low: float
    high: float
    models: tuple[str, ...]


@dataclass(frozen=True)
class BestRecall(Viewed):
    """Who has the highest tpr with at most this share of false alarms among the alerts (fdr, B_FA),
    at each base rate.

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
    def models(self) -> tuple[str, ...]:
        return tuple(self._curves)

    def at(self, base_rate: Any) -> dict[str, float]:
        """The highest tpr of each model at this base rate, within the share of false alarms; 0
        where it flags nothing.
        """
        written = prior(base_rate)
        if written is None:
            raise refuse("BR509", "who leads depends on the base rate", 'leaders.at("1 in 1000")')
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
    `choose(joint, "precision >= 0.5", prior=…, optimize="tpr", mix=True)` tests one base rate
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
        raise refuse(
            "BR542",
            f"a share of false alarms lies between 0 and 1, got {quoted(fdr)}",
            Fix("fdr=0.5", "--fdr 50%"),
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
    each = {name: models.marginal(name) for name in models.models}
    rule, mix, made = f"fdr <= {found.fdr!r}", not found.attained, list[Choice]()
    for place in range(PLACES):
        slope = Fraction(int(models.total_negatives) ** (place / PLACES - 1))
        at = Conditions(rounded(_prior(slope, found._fdr)))
        with contextlib.suppress(Infeasible):
            made.append(chosen_among(each, rule, at=at, optimize="tpr", mix=mix))
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
    refuse_bins(
        points, f"{quoted(name)}: what is found within a share of false alarms needs every score"
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
    """Stretches of base rate with the same leaders, from every slope at which that can change."""
    slopes = [Fraction(0), *sorted(_slopes(curves, attained=attained))]
    found: list[tuple[Fraction, tuple[str, ...]]] = []
    for low, high in itertools.pairwise([*slopes, None]):
        middle = (
            (low + high) / 2 if low is not None and high is not None else (low or Fraction(0)) + 1
        )
        reached = {
            name: _reached(curve, middle, attained=attained) for name, curve in curves.items()
        }
        most = max(reached.values())
        names = tuple(name for name, value in reached.items() if value == most) if most else ()
        if not found or found[-1][1] != names:
            found.append((low or Fraction(0), names))
    edges = [_prior(slope, fdr) for slope, _ in found] + [Fraction(1)]
    for (low, high), (_, names) in zip(itertools.pairwise(edges), found, strict=True):
        yield Lead(rounded(low), rounded(high), names)


def _prior(slope: Fraction, fdr: Fraction) -> Fraction:
    odds = slope * (1 - fdr) / fdr
    return odds / (1 + odds)


def _slopes(curves: Mapping[str, _Curve], *, attained: bool) -> set[Fraction]:
    """Every fpr / tpr of a corner, and of a crossing of two curves."""
    found = {ratio for curve in curves.values() for ratio in curve.ratios if ratio}
    if attained:
        return found
    for one, other in itertools.combinations(curves.values(), 2):
        found |= {f / t for f, t in _crossings(one.corners, other.corners) if t and f}
    return found


def _crossings(one: list[Corner], other: list[Corner]) -> Iterator[Corner]:
    """Where two hulls, as straight lines between corners, meet: two fingers along fpr."""
    i = j = 0
    while i < len(one) - 1 and j < len(other) - 1:
        met = _met((one[i], one[i + 1]), (other[j], other[j + 1]))
        if met is not None:
            yield met
        if (one[i + 1][0], one[i + 1][1]) <= (other[j + 1][0], other[j + 1][1]):
            i += 1
        else:
            j += 1


def _met(one: tuple[Corner, Corner], other: tuple[Corner, Corner]) -> Corner | None:
    """Where two straight pieces cross, if they do."""
    (ax, ay), (bx, by) = one
    (cx, cy), (dx, dy) = other
    across = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if not across:
        return None
    first = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / across
    second = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / across
    return (
        (ax + first * (bx - ax), ay + first * (by - ay))
        if 0 <= first <= 1 and 0 <= second <= 1
        else None
    )
