"""Intervals in a field whose base rate is estimated from its unlabelled scores: one draw of the
rates gives both the base rate and the measure.

The estimate of the base rate rests on the same labelled cases as TPR and FPR do. Taken as known, or
as independent of them, it makes intervals far too narrow. So all cells that the two thresholds cut
are drawn together: the threshold of the estimate, where cases are counted, and the threshold in
question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.counts import Counts, JointCounts, Unlabelled
from baserate.counts.points import Points
from baserate.errors import Note, combine, grouped, refuse
from baserate.inference.rates import rate_interval
from baserate.inference.resample import float_costs
from baserate.measures.confusion import Confusion, Measure, confusion_at, rates_read
from baserate.numbers import Floats, rounded
from baserate.results.operating_point import COUNTED
from baserate.results.values import BOTH, LOWER, UPPER, Interval

JOINT_DRAWS = "joint-draws"
# The one way of estimating a base rate whose error is known together with that of the rates.
ADJUSTED = "adjusted-count"
DRAWS = 20_000
STREAM = 0xF1E1D
# Where the classes cannot be distinguished in more than this share of the draws, no base rate
# follows from the share that is flagged.
UNTOLD = 0.005
# A cell of cases: flagged at the threshold of the estimate and at the one in question; at the first
# only; at the second only; at neither. Half a case in the first and in the last of them makes the
# rate at either threshold a Jeffreys draw, Beta(k + ½, n − k + ½).
WEIGHTS = (0.5, 0.0, 0.0, 0.5)
HARDLY = 1e-12
Crossed = tuple[int, int, int, int]


@dataclass(frozen=True)
class FieldTable:
    """What is counted at two thresholds: labelled cases of each class in the cells between them,
    and unlabelled cases.

    `seen` of the `cases` in the field are flagged at the threshold of the estimate, and `flagged`
    of them at the one in question, which is None where the field was not scored by that model.
    `nothing` says that the threshold in question flags nothing, whatever comes.
    """

    positives: Crossed
    negatives: Crossed
    seen: int
    cases: int
    flagged: int | None = None
    nothing: bool = False

    @property
    def rates(self) -> tuple[float, float]:
        """TPR and FPR at the threshold in question."""
        return _rate(self.positives, (0, 2)), _rate(self.negatives, (0, 2))

    @property
    def prior(self) -> float:
        """The adjusted count: (share flagged − FPR) / (TPR − FPR), not below 0 nor above 1."""
        tpr, fpr = _rate(self.positives, (0, 1)), _rate(self.negatives, (0, 1))
        return min(1.0, max(0.0, (self.seen / self.cases - fpr) / (tpr - fpr)))


def _rate(cells: Crossed, places: tuple[int, int]) -> float:
    return sum(cells[place] for place in places) / sum(cells)


def table_of(
    counts: Counts, unlabelled: Unlabelled, cut: float, threshold: float | None
) -> FieldTable:
    """The table of one model's scores: the cut of the estimate, and the threshold in question."""
    field = unlabelled.flagged(cut), unlabelled.total, unlabelled.flagged(threshold)
    return _table(counts, (counts.scores, cut), (counts.scores, threshold), field)


def table_of_models(
    joint: JointCounts,
    estimated: tuple[str, float],
    asked: tuple[str, float | None],
    field: tuple[int, int],
) -> FieldTable:
    """The same where one model estimated the base rate and another one is read at it, on the same
    labelled cases.

    `field` says how many unlabelled cases the first model flags, and how many there are.
    """
    at_cut, at_threshold = ((joint.scores[name], limit) for name, limit in (estimated, asked))
    return _table(joint, at_cut, at_threshold, (*field, None))


def _table(
    source: Counts | JointCounts,
    at_cut: tuple[Any, float | None],
    at_threshold: tuple[Any, float | None],
    field: tuple[int, int, int | None],
) -> FieldTable:
    # 0: flagged at both, 1: at the cut only, 2: at the threshold only, 3: at neither
    cell = np.zeros(len(source.positives), dtype=np.intp)
    for weight, (scores, limit) in ((2, at_cut), (1, at_threshold)):
        cell += weight * (~(scores >= limit) if limit is not None else np.True_)
    positives, negatives = (
        tuple(np.bincount(cell, column, minlength=4).astype(np.int64).tolist())
        for column in (source.positives, source.negatives)
    )
    return FieldTable(positives, negatives, *field, nothing=at_threshold[1] is None)


def joint_draws(table: FieldTable, seed: int, draws: int = DRAWS) -> tuple[Floats, Floats, Floats]:
    """Base rates, TPR and FPR that the cases leave possible, draw by draw; a base rate may lie
    below 0, and is NaN where none follows.
    """
    rng = np.random.default_rng((seed, STREAM))
    (cut_tpr, tpr), (cut_fpr, fpr) = (
        _crossed_draws(rng, cells, draws) for cells in (table.positives, table.negatives)
    )
    seen = rng.beta(table.seen + 0.5, table.cases - table.seen + 0.5, draws)
    gap = cut_tpr - cut_fpr
    prior = np.divide(seen - cut_fpr, gap, out=np.full(draws, np.nan), where=gap > 0)
    if table.nothing:
        tpr = fpr = np.zeros(draws)
    return prior, tpr, fpr


def _crossed_draws(rng: np.random.Generator, cells: Crossed, draws: int) -> tuple[Floats, Floats]:
    """The rates of a class at both thresholds: a Dirichlet draw of its four cells."""
    both, first, second, neither = (
        rng.standard_gamma(cases + weight, draws)
        for cases, weight in zip(cells, WEIGHTS, strict=True)
    )
    whole = both + first + second + neither
    return (both + first) / whole, (both + second) / whole


def in_field(
    asked: Measure,
    table: FieldTable,
    at: Conditions,
    level: float,
    side: str,
    seed: int,
    draws: int = DRAWS,
) -> Interval:
    """The interval of a measure at a threshold that was fixed in advance, at the base rate that the
    unlabelled cases speak for.

    One bound is taken where the interval of both would end: it is held to be a statement, and half
    the error is spared for it.
    """
    if asked.name in COUNTED and table.flagged is not None:
        return counted_interval(asked, (table.flagged, table.cases), level, side)
    costs = float_costs(at.costs)
    totals = float(sum(table.positives)), float(sum(table.negatives))

    def read(prior: Any, tpr: Any, fpr: Any) -> Floats:
        return rates_read(
            asked, (np.asarray(tpr), np.asarray(fpr)), np.asarray(prior), costs, totals
        )

    prior, tpr, fpr = joint_draws(table, seed, draws)
    told = ~np.isnan(prior)
    if np.mean(~told) > UNTOLD:
        raise refuse(
            "BR537",
            "these scores hardly separate the classes, so the flagged share does not determine the"
            " base rate",
            "another score",
        )
    value = read(np.array([table.prior]), *(np.array([rate]) for rate in table.rates))[0]
    if np.isnan(value):
        raise refuse(
            "BR589",
            f"{asked} is undefined at this threshold, and so is its interval",
            "choose another threshold",
        )
    low, high = _bounds(read, (prior[told], tpr[told], fpr[told]), level, asked.range)
    low, high = (
        (asked.range[0] if side == UPPER else min(low, value)),
        (asked.range[1] if side == LOWER else max(high, value)),
    )
    return Interval(float(value), low, high, level, JOINT_DRAWS, side, str(asked), at, draws, seed)


def _bounds(
    read: Any, drawn: tuple[Floats, Floats, Floats], level: float, ends: tuple[float, float]
) -> tuple[float, float]:
    """Quantiles where base rates below 0 count as 0, where such draws are left out, and where 0 is
    the base rate; the widest of these.

    The first alone could end at 0 although positives are not ruled out, the second alone could
    exclude 0 although none were seen; and a base rate below 0 goes with a high FPR, so that the
    third is needed for a cost. The same at 1.
    """
    prior, tpr, fpr = drawn
    missed = (1 - level) / 2
    limited = read(np.clip(prior, 0.0, 1.0), tpr, fpr)
    # What is undefined without positives is read where there are hardly any.
    values = [
        np.where(np.isnan(limited), read(np.clip(prior, HARDLY, 1 - HARDLY), tpr, fpr), limited)
    ]
    inside = (prior > 0) & (prior < 1)
    if inside.sum() <= 1 / missed:
        raise refuse(
            "BR537",
            "the share of flagged cases is none that a mixture of the two classes could give: not"
            " only the base rate changed",
            "label some cases of the field",
        )
    values.append(values[0][inside])
    ends_possible = [
        end
        for end, beyond in ((HARDLY, prior <= 0), (1 - HARDLY, prior >= 1))
        if beyond.mean() >= missed
    ]
    values += [read(np.full(len(prior), end), tpr, fpr) for end in ends_possible]
    lows, highs = zip(*(np.nanquantile(part, [missed, 1 - missed]) for part in values), strict=True)
    return max(ends[0], float(min(lows))), min(ends[1], float(max(highs)))


def counted_interval(
    asked: Measure, counted: tuple[int, int], level: float, side: str = BOTH
) -> Interval:
    """The interval of the share that is flagged, or of the alerts among a volume, from the cases
    flagged.
    """
    volume = Fraction(dict(asked.parameters).get("volume", 1))
    found = rate_interval(*counted, level=level, side=side)
    value, low, high = (
        rounded(Fraction(bound) * volume) for bound in (Fraction(*counted), found.low, found.high)
    )
    return replace(found, value=value, low=low, high=high, name=str(asked))


def estimate_interval(
    asked: Measure,
    source: Counts | Confusion,
    threshold: float | None,
    at: Conditions,
    how: tuple[float, str, int],
) -> Interval:
    """The interval of a measure at a threshold, at a base rate that was estimated with the same
    labelled cases.
    """
    table = _table_of_estimate(at.estimate, source, threshold)
    found = in_field(asked, table, at, *how)
    return replace(found, at=at, notes=combine(found.notes, (jointly(table.cases), *at.notes)))


def _table_of_estimate(estimate: Any, source: Any, threshold: float | None) -> FieldTable:
    if estimate.method != ADJUSTED or estimate.counts is None or estimate.unlabelled is None:
        raise refuse(
            "BR647",
            f'the error of a base rate estimated by "{estimate.method}" is not known together with'
            " that of the rates",
            "estimate_prior(counts, unlabelled) without calibrated_at",
        )
    if isinstance(source, Confusion):
        points = Points.of(estimate.counts)
        same = tuple(source) == tuple(confusion_at(points, points.place(threshold)))
    else:
        same = source == estimate.counts
    if not same:
        raise refuse(
            "BR648",
            "the base rate was estimated with other labelled cases or another score: its error is"
            " not known together with that of these rates",
            "estimate_prior(these counts, unlabelled)",
        )
    return table_of(estimate.counts, estimate.unlabelled, estimate.threshold, threshold)


def jointly(cases: int) -> Note:
    """What was done about a base rate that is itself an estimate."""
    return Note(
        "BR649",
        f"the base rate is estimated from {grouped(cases)} unlabelled cases, and intervals take its"
        " error together with that of the rates; flagged cases and alerts are counted there."
        " Assumed: only the base rate changed (label shift)",
    )
