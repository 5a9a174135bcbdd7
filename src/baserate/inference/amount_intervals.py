"""Intervals of costs and amounts: rows are resampled with their amounts, as no formula knows how
these are spread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.amounts import Amounts, check_amounts
from baserate.counts.cells import Array
from baserate.counts.counts import Counts
from baserate.decisions.amount_costs import CAUGHT, AmountPoint, Priced, Prices, decided
from baserate.decisions.operating_point import OperatingPoint
from baserate.decisions.rules import Rule, parse_rule
from baserate.errors import Infeasible
from baserate.inference.bootstrap import (
    BLOCK,
    NEGATIVES,
    PERCENTILE,
    POSITIVES,
    Plan,
    Progress,
    alike,
    check_enough,
    class_sizes,
    percentile_bounds,
    planned,
    undefined_noted,
    urn_of,
)
from baserate.inference.estimated_prior import refuse_estimate
from baserate.inference.values import BOTH, Interval, checked_level
from baserate.kernels import Cells, best
from baserate.notes import Note
from baserate.numbers import Floats, rounded

NAMES = ("cost", "expected_cost", "alerts", "amount_caught", "amount_missed")
FIXED = Note(
    "BR593", "the threshold was chosen on these same cases, and is taken as fixed in advance"
)


def amount_intervals(
    point: AmountPoint,
    amounts: Amounts,
    *,
    again: bool = True,
    replicates: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> dict[str, Interval]:
    """Between which bounds do the cost and the amounts of a chosen point lie?

    By the percentiles of resampled rows: within each class at a base rate that was given, over all
    cases at the sample's own. On every resample the threshold is chosen `again`, as it was here,
    and where the cost chose it, it is judged on the cases that the resample left out, as cases that
    chose it flatter it: the bounds may lie above the cost that was observed. With `again=False` it
    stays where it is.

    >>> import baserate as br
    >>> labels, scores, worth = [1, 0] * 40, [i % 7 + 3 * (i % 2 < 1) for i in range(80)], [i % 9 for i in range(80)]
    >>> amounts = br.count_amounts(labels, scores, worth)
    >>> br.amount_intervals(br.choose_amount(amounts, review=2), amounts, replicates=200)["cost"]
    Interval: cost 121, 95 % from 93.45 to 167.7 (percentile)
    """  # noqa: E501
    level = checked_level(level)
    refuse_estimate(point.at, "an interval of amounts")
    counts = check_amounts(amounts).counts
    plan = planned(counts, point.at.as_in_sample, None, replicates, seed, progress)
    notes = (*check_enough(counts), *(() if again or point.point.in_advance else (FIXED,)))
    values = np.full((plan.replicates, len(NAMES)), np.nan)
    # No cheapest point lies inside a run of negatives: where nothing but the cost decides, a
    # resample need not keep them apart.
    drawn = counts.condense() if again and not point.point.rule else counts
    others = _Others.of(amounts, drawn) if again and point.point.optimized != CAUGHT else None
    for row, (part, times, negatives) in enumerate(_resampled(amounts, drawn, plan)):
        setting, here = _set(point, Priced.of(part), again=again)
        if setting is not None:
            values[row] = (
                _values(setting, here, Priced.of(part))
                if others is None
                else others.judge(setting, here, times, negatives)
            )
    found = {}
    for column, name in enumerate(NAMES):
        known, missing = undefined_noted(values[:, column])
        low, high = percentile_bounds(known, level, BOTH)
        seen, said = float(getattr(point, name)), (*notes, *missing, *alike(low, high))
        found[name] = Interval(
            seen,
            low,
            high,
            level,
            PERCENTILE,
            BOTH,
            name,
            point.at,
            plan.replicates,
            plan.seed,
            said,
        )
    return found


def _set(
    point: AmountPoint, priced: Priced, *, again: bool
) -> tuple[OperatingPoint | None, Prices]:
    """Where one resample sets the threshold, and its prices; none where the rule cannot be kept
    there.
    """
    prices, setting = point.prices, point.point
    at = Conditions() if point.at.as_in_sample else point.at
    here = Prices.of(priced.points, at, prices.review, prices.recovered, setting.volume)
    if not again:
        return replace(setting, confusion=setting._flagged(priced.points)), here
    rule = parse_rule(setting.rule, setting.volume) if setting.rule else Rule()
    try:
        return decided(priced, rule, here, use_up=setting.optimized == CAUGHT), here
    except Infeasible:
        return None, here


def _values(setting: OperatingPoint, here: Prices, priced: Priced) -> tuple[float, ...]:
    """The numbers of one resample, on its own cases."""
    sums = here.sums(priced.set_as(setting), priced.totals)
    return (rounded(sums.cost), rounded(sums.cost / here.cases), *map(rounded, sums[1:4]))


@dataclass(frozen=True)
class _Others:
    """The cases that a resample left out, which judge what it chose: their rates within each class,
    at the resample's base rate.
    """

    scores: tuple[Array, Array]
    worth: Floats
    negatives: Floats

    @classmethod
    def of(cls, amounts: Amounts, counts: Counts) -> _Others:
        worth = amounts.cases / float(10**amounts.decimals)
        return cls(
            (np.repeat(counts.scores, counts.positives), counts.scores),
            worth,
            counts.negatives.astype(np.float64),
        )

    def judge(
        self, setting: OperatingPoint, here: Prices, times: Array, drawn: Array
    ) -> tuple[float, ...] | float:
        """The same numbers, on the cases that were not drawn; none where a class has none of
        these.
        """
        left = (times == 0).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Of m negatives at one score, of which k were drawn with repeats, so many are left out
            # on average: for one, whether it was.
            rest = np.where(
                self.negatives > 0, self.negatives * (1 - 1 / self.negatives) ** drawn, 0.0
            )
        if not left.any() or not rest.any():
            return np.nan
        flagged, alarms = (_flagged(scores, setting) for scores in self.scores)
        tpr, fpr = float(left @ flagged / left.sum()), float(rest @ alarms / rest.sum())
        caught, whole = (
            float(left * shares @ self.worth / left.sum()) for shares in (flagged, 1.0)
        )
        prior, cases, review, lost = (
            here.at.prior,
            float(here.cases),
            float(here.review),
            float(1 - here.recovered),
        )
        alerts, found, gone = (
            prior * tpr + (1 - prior) * fpr,
            prior * caught,
            prior * (whole - caught),
        )
        cost = review * alerts + gone + lost * found
        return cases * cost, cost, cases * alerts, cases * found, cases * gone


def _flagged(scores: Array, setting: OperatingPoint) -> Floats:
    """The probability that a case of each score is flagged."""
    shares = np.zeros(len(scores))
    for cut, share in ((setting.lower_threshold, setting.share), (setting.threshold, 1.0)):
        if cut is not None:
            shares[scores >= cut] = share
    return shares


def _resampled(
    amounts: Amounts, counts: Counts, plan: Plan
) -> Iterator[tuple[Amounts, Array, Array]]:
    """Positives are drawn one by one, with their amounts; negatives by score, as what they are
    worth costs nothing. And how often each was.
    """
    urns = urn_of(np.ones(len(amounts.cases), dtype=np.int64), plan), urn_of(counts.negatives, plan)
    sizes = class_sizes((int(counts.total_positives), int(counts.total_negatives)), plan)
    ledger = replace(counts.ledger, sources=())
    starts = np.cumsum(counts.positives)[:-1] if len(counts.scores) else ()
    rows = max(1, BLOCK // max(1, len(amounts.cases), len(counts.scores)))
    for first in range(0, plan.replicates, rows):
        count = min(rows, plan.replicates - first)
        drawn: list[Any] = []
        for stream, width in ((POSITIVES, len(amounts.cases)), (NEGATIVES, len(counts.scores))):
            drawn.append(np.empty((count, width), dtype=np.int64))
            best.draw(
                urns[stream],
                sizes[stream][first : first + count],
                plan.seed,
                first,
                stream,
                drawn[-1],
            )
        for times, negatives in zip(*drawn, strict=True):
            running = np.concatenate(([0], np.cumsum(times)))
            positives = np.diff(
                running[np.concatenate(([0], starts, [len(times)])).astype(np.intp)]
            )
            kept = (positives > 0) | (negatives > 0)
            cells = Cells(counts.scores[kept], positives[kept], negatives[kept])
            nothing = np.zeros(len(cells.scores), dtype=np.int64)
            part = Counts._of(cells, ledger, condensed=counts.condensed)
            yield (
                Amounts._of(part, amounts.decimals, np.repeat(amounts.cases, times), nothing),
                times,
                negatives,
            )
        if plan.progress is not None:
            plan.progress(first + count, plan.replicates)
