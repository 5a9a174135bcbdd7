"""Costs and amounts: intervals by resampled rows, and whether the best model by amounts is better
than the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, refuse_estimate
from baserate.counts.amounts import Amounts, JointAmounts, check_amounts
from baserate.counts.cells import Array
from baserate.counts.counts import Counts, same_scores
from baserate.counts.points import Points
from baserate.decisions.amount_costs import (
    CAUGHT,
    COST,
    AmountChoice,
    AmountPoint,
    Priced,
    chosen_among_amounts,
)
from baserate.decisions.choose import Flagged, Places, Question, choose_places
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import Rule, parse_rule
from baserate.errors import InputError, Note, quoted, refuse
from baserate.inference.best_model import (
    ESTIMATED,
    WEIGHTED_MCNEMAR,
    Moves,
    around,
    binding,
    bounds_beside,
    flagged,
    gradient_of,
    moved_p,
    moves_by_ties,
    of_best,
    said_of_ties,
    variance_of_prior,
    variance_of_ties,
    with_ties,
)
from baserate.inference.choose_again import cumulate
from baserate.inference.chosen_threshold import CHOSEN_REPLICATES
from baserate.inference.resample import (
    PERCENTILE,
    ClassCells,
    Plan,
    Progress,
    Resampler,
    Sample,
    alike,
    check_enough,
    percentile_bounds,
    planned,
    undefined_noted,
)
from baserate.numbers import Floats, Ints
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import BOTH, Difference, Interval, checked_level

NAMES = ("cost", "expected_cost", "alerts", "amount_caught", "amount_missed")
FIXED = Note(
    "BR593", "the threshold was chosen on these same cases, and is treated as fixed in advance"
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
    and where the cost chose it, it is evaluated on the cases that the resample left out, as cases
    that chose it flatter it: the bounds may lie above the cost that was observed. With
    `again=False` it stays where it is.

    >>> import baserate as br
    >>> labels, scores, worth = [1, 0] * 40, [i % 7 + 3 * (i % 2 < 1) for i in range(80)], [i % 9 for i in range(80)]
    >>> amounts = br.count(labels, scores, amount=worth)
    >>> amount_intervals(br.choose(amounts, review=2), amounts, replicates=200)["cost"]
    Interval: cost 121, 95 % from 94.8 to 171.4 (percentile)
    """  # noqa: E501
    level = checked_level(level)
    refuse_estimate(point.at, "an interval of amounts")
    counts = check_amounts(amounts).counts
    plan = planned(counts, point.at.as_in_sample, None, replicates, seed, progress)
    notes = (*check_enough(counts), *(() if again or point.point.in_advance else (FIXED,)))
    reader = ReadAmounts(point, again=again)
    # No cheapest point lies inside a run of negatives: where nothing but the cost decides, a
    # resample need not keep them apart.
    drawn = counts.condense() if again and not point.point.rule else counts
    blocks = resample_amounts(amounts, drawn, plan)
    values = np.concatenate([reader(*block, Points.of(drawn)) for block in blocks])
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


def choose_among(point: AmountPoint, flagged: Flagged) -> Places:
    """Choose in every sample as a point was chosen."""
    setting = point.point
    rule = parse_rule(setting.rule, setting.volume) if setting.rule else Rule()
    use_up = setting.optimized == CAUGHT
    return choose_places(Question(rule, point.prices.objective, point.at, use_up), flagged)


def read_sums(point: AmountPoint, flagged: Flagged, prior: Floats) -> Floats:
    """Return what settings come to at these base rates, over as many cases as the point's sums are:
    the numbers of `NAMES`, one row per sample. NaN where a class has no cases.
    """
    review, recovered, cases = (
        float(part) for part in (point.prices.review, point.prices.recovered, point.prices.cases)
    )
    totals = [np.broadcast_to(np.ravel(total), prior.shape) for total in flagged.totals or ()]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_positives, of_negatives = cases * prior / totals[0], cases * (1 - prior) / totals[1]
        caught, missed = (of_positives * np.ravel(part) for part in flagged.amounts or ())
        alerts = of_positives * np.ravel(flagged.tp) + of_negatives * np.ravel(flagged.fp)
    cost = review * alerts + missed + (1 - recovered) * caught
    return np.stack([cost, cost / cases, alerts, caught, missed], axis=1)


def priors_of(point: AmountPoint, drawn: Flagged) -> Floats:
    """Return the base rate of every resample: its own, or that of the field."""
    positives, cases = drawn.tp[:, -1], drawn.tp[:, -1] + drawn.fp[:, -1]
    given = np.full(len(cases), point.at.prior)
    return positives / cases if point.at.as_in_sample else given


@dataclass(frozen=True)
class ReadAmounts:
    """A statistic: the sums of a point, in every resample.

    Where the cost chose the threshold, it is chosen `again` on every resample, and evaluated on the
    cases that the resample left out.
    """

    point: AmountPoint
    again: bool

    def __call__(self, drawn: Flagged, left_out: Flagged, points: Points) -> Floats:
        """Return the sums of every resample, NaN where the rule cannot be kept."""
        setting = self.point.point
        if self.again:
            places = choose_among(self.point, drawn)
        else:
            places = Places.of(setting, points).repeat(len(drawn.tp))
        judged = left_out if self.again and setting.optimized != CAUGHT else drawn
        sums = read_sums(self.point, judged.at_places(places), priors_of(self.point, drawn))
        return np.where(places.feasible[:, np.newaxis], sums, np.nan)


def flag_amounts(positives: Floats, negatives: Floats, worth: Floats, ends: Ints) -> Flagged:
    """Return what every threshold flags, of how often each positive and the negatives of each score
    are there; above each threshold lie `ends` positives, each with its amount.
    """
    tp, caught = (cumulate(column)[:, ends] for column in (positives, positives * worth))
    return Flagged(tp, cumulate(negatives), amounts=(caught, caught[:, -1:] - caught))


def resample_amounts(
    amounts: Amounts, counts: Counts, plan: Plan
) -> Iterator[tuple[Flagged, Flagged]]:
    """Yield what every threshold of the counts flags in blocks of resamples, of the cases drawn and
    of those left out.

    Positives are drawn one by one, with their amounts; negatives by score, as what they are worth
    costs nothing.
    """
    ends = np.concatenate(([0], np.cumsum(counts.positives)))
    worth = amounts.cases / float(10**amounts.decimals)
    cases = np.ones(len(worth), dtype=np.int64)
    present = np.flatnonzero(counts.negatives)
    numbers = counts.negatives[present]
    sample = Sample(
        [counts.scores],
        ClassCells(cases, [np.repeat(np.arange(len(counts.scores)), counts.positives)], None),
        ClassCells(numbers, [present], None),
        None,
        replace(counts.ledger, sources=()),
        counts.condensed,
    )
    for drawn in Resampler(sample, plan).draw_blocks(plan.replicates):
        # Of m negatives at one score, of which k were drawn with repeats, so many are left out on
        # average: for one, whether it was.
        rest = numbers * (1 - 1 / numbers) ** drawn.negatives
        pairs = (drawn.positives, drawn.negatives), (drawn.positives == 0.0, rest)
        blocks = []
        for positives, negatives in pairs:
            of_scores = np.zeros((len(positives), len(counts.scores)))
            of_scores[:, present] = negatives
            blocks.append(flag_amounts(np.asarray(positives, float), of_scores, worth, ends))
        yield blocks[0], blocks[1]


def share_flagged(scores: Array, setting: OperatingPoint) -> Floats:
    """Return the probability that a case of each score is flagged."""
    shares = np.zeros(len(scores))
    for cut, share in ((setting.lower_threshold, setting.share), (setting.threshold, 1.0)):
        if cut is not None:
            shares[scores >= cut] = share
    return shares


# ---- is the best model better? ----------------------------------------------------------------


SEPARATE = (
    "the amounts of each model were counted alone, which does not say what both of two models"
    " caught; count(…, amount=…) takes several scores"
)
ONE_CLASS = "there are cases of one class only"


def choose_amount_model(
    models: JointAmounts | Mapping[str, Amounts],
    rule: str | None = None,
    *,
    level: float = 0.95,
    **options: Any,
) -> AmountChoice:
    """Which model, and where should its threshold be, if every miss costs its own amount? And is it
    better than the others?

    Each model is set by `choose` (with its options); the cheapest wins, or by a budget
    without `review` the one that catches most. With the amounts of all models on the same cases
    the best model is tested against every other one (see `amount_leads`), and whether it is cheaper
    than flagging nothing or everything is tested too (see `amount_lead_over`).

    >>> import baserate as br
    >>> labels, worth = [1, 1, 0, 0], [1000, 10, 5, 5]
    >>> both = br.count(labels, {"a": [0.4, 0.9, 0.8, 0.1], "b": [0.9, 0.2, 0.3, 0.1]}, amount=worth)
    >>> choice = br.choose(both, review=20)
    >>> choice.model, choice.point.cost, choice.points["a"].cost, choice.indistinguishable
    ('b', 30.0, 60.0, ('a', 'b'))
    """  # noqa: E501
    level, choice = checked_level(level), chosen_among_amounts(models, rule, **options)
    return _beside_baseline(_tested(choice, models, level), models, level)


def amounts_moved(
    choice: AmountChoice,
    test: JointAmounts | Mapping[str, Amounts],
    at: Conditions | None = None,
    *,
    level: float | None = None,
) -> AmountChoice:
    """A choice by amounts on other cases: thresholds and order are those of before, and the lead is
    tested there.
    """
    missing = next((name for name in choice.points if name not in test), None)
    if missing is not None:
        raise refuse(
            "BR408", f"the test data have no model {quoted(missing)}", "count it there too"
        )
    points = {name: point.on(test[name], at) for name, point in choice.points.items()}
    if level is None:
        level = next((one.level for one in choice.differences), 0.95)
    sources = {name: test[name] for name in points}
    here = AmountChoice(choice.models, points, choice.refused, chosen=choice, sources=sources)
    own = {choice.model: test[choice.model]}
    return _beside_baseline(_tested(here, test, checked_level(level)), own, level)


def _tested(
    choice: AmountChoice, models: JointAmounts | Mapping[str, Amounts], level: float
) -> AmountChoice:
    """With the lead of the best model over the others, or why it is not tested."""
    if len(choice.points) < 2:
        return choice
    if not isinstance(models, JointAmounts):
        return replace(choice, untested=SEPARATE)
    if choice.point.at.estimate is not None:
        return replace(choice, untested=ESTIMATED)
    if not models.joint.total_positives or not models.joint.total_negatives:
        return replace(choice, untested=ONE_CLASS)
    ahead = amount_leads(models, choice.points, choice.model, level=level)
    return replace(choice, differences=ahead)


def amount_leads(
    models: JointAmounts, points: Mapping[str, AmountPoint], best: str, *, level: float = 0.95
) -> tuple[Difference, ...]:
    """The lead of the best model over every other one by cost, or by the amount caught, closest
    first; with Holm's adjustment over all pairs where there are three or more.

    As in `leads`, the test is whether swapping the two models on every case on which they differ
    could give as large a difference; a positive counts for its amount less the review, a negative
    for the review. Where a rule decides, each counts for what it changes along the rule. One case
    each way and class is added, of weight Σw² / Σ|w| where those of its class have weights w: they
    are worth (Σw)² / Σw² equal ones (Kish 1965, Survey Sampling), and it is one of these. With all
    amounts equal the answer is that of `choose_model`.
    """
    settings = {name: _setting(models, name, point) for name, point in points.items()}
    found = [
        _lead(models, (settings[a], settings[b]), (points[a], points[b]), (a, b), level)
        for a, b in combinations(points, 2)
    ]
    return of_best(found, best, found[0].better)


def _beside_baseline(
    choice: AmountChoice, models: Mapping[str, Amounts], level: float
) -> AmountChoice:
    """The choice, tested against the cheaper one of flagging nothing and flagging everything, where
    it is cheaper than both on these cases.
    """
    point = choice.point
    if point.point.optimized != COST or point.cost >= min(point.nothing, point.everything):
        return choice
    if point.at.estimate is not None:
        return replace(choice, baseline_untested=ESTIMATED)
    try:
        found = amount_lead_over(point, models[choice.model], choice.model, level)
    except InputError as error:
        return replace(choice, baseline_untested=error.problems[0].text)
    if len(models) > 1:
        found = replace(found, p_adjusted=min(1.0, len(models) * found.p_value))
    return replace(choice, lead_over_baseline=found)


def amount_lead_over(point: AmountPoint, amounts: Amounts, name: str, level: float) -> Difference:
    """Is a point cheaper in the field than the cheaper one of flagging nothing and flagging
    everything?

    What flagging nothing costs is an estimate too, but only the cases that one of the two flags
    count for the difference: it is tested as in `amount_leads`. A threshold that was chosen on
    these cases makes it too large by what resamples gain from choosing their own, measured on the
    resample less on these cases (Efron 1983): that is taken off first, from the interval too.
    """
    counts, everything = amounts.counts, point.everything < point.nothing
    notes = check_enough(counts)
    weigh, negative = _per_case(point)
    worth = amounts.cases / float(10**amounts.decimals)
    cases = int(counts.total_positives), int(counts.total_negatives)
    of_positives, of_negatives = (
        share_flagged(scores, point.point) - everything
        for scores in (np.repeat(counts.scores, counts.positives), counts.scores)
    )
    parts = [
        _moves(of_positives, weigh(worth), cases[0]),
        Moves(of_negatives * negative, counts.negatives, (-negative, negative), cases[1]),
    ]
    value = math.fsum(part.mean for part in parts)
    variance = math.fsum(part.variance for part in parts)
    if point.at.as_in_sample:
        variance += variance_of_prior([part.mean for part in parts], cases)
    left = min(0.0, value - _optimism(point, amounts, everything=everything))
    p = moved_p(left, parts, variance)
    low, high = bounds_beside(left, variance, p, level)
    return Difference(
        value,
        low,
        high,
        p,
        WEIGHTED_MCNEMAR,
        (EVERYTHING if everything else NOTHING, name),
        (point.everything if everything else point.nothing, point.cost),
        level,
        COST,
        "lower",
        point.at,
        statistic=left / math.sqrt(variance) if variance else math.nan,
        replicates=None if point.point.in_advance else CHOSEN_REPLICATES,
        seed=None if point.point.in_advance else 0,
        notes=notes,
    )


def _optimism(point: AmountPoint, amounts: Amounts, *, everything: bool) -> float:
    """By how much less a threshold costs on the cases that it was chosen on than in the field,
    beside flagging nothing or everything; 0 where it was set in advance.
    """
    if point.point.in_advance:
        return 0.0
    plan = planned(amounts.counts, False, None, CHOSEN_REPLICATES, 0, None)  # noqa: FBT003
    counts = amounts.counts if point.point.rule else amounts.counts.condense()
    points = Points.of(counts)
    times, negatives = np.ones((1, len(amounts.cases))), counts.negatives[np.newaxis]
    worth = amounts.cases / float(10**amounts.decimals)
    original = flag_amounts(times, negatives, worth, points.tp)
    base_place = len(points) - 1 if everything else 0
    gained: list[float] = []
    for drawn, _ in resample_amounts(amounts, counts, plan):
        places, prior = choose_among(point, drawn), priors_of(point, drawn)
        base = Places.at_thresholds(np.full(len(prior), base_place))
        gains = [
            read_sums(point, sample.at_places(places), prior)[:, 0]
            - read_sums(point, sample.at_places(base), prior)[:, 0]
            for sample in (drawn, original)
        ]
        gained += (gains[0] - gains[1])[places.feasible].tolist()
    return math.fsum(gained) / len(gained) if gained else 0.0


class _Setting(NamedTuple):
    """Which cases a model flags, how the rule that determines its threshold changes with tpr and
    fpr, how tpr, fpr and the amount caught a positive move to stricter and to looser thresholds,
    and how much of the variance of the sum comes from choosing again between large ties.
    """

    flags: Floats
    term: tuple[float, float] | None
    sides: Floats
    of_ties: float


def _setting(models: JointAmounts, name: str, point: AmountPoint) -> _Setting:
    priced, where = Priced.of(models[name]), point.point
    points, caught = priced.points, where.optimized == CAUGHT
    values = (priced.missed if caught else priced.costs)(point.prices)
    here = point.amount_missed if caught else point.cost
    term, of_ties = None if where.in_advance else binding(where, points, -values, -here), 0.0
    if not where.in_advance and moves_by_ties(where, points):
        term, of_ties = None, variance_of_ties(where, points, -values, values)
    low, place, high = around(points, points.place(where.threshold))
    worth = priced.amounts.caught_units.astype(np.float64) / 10.0**priced.amounts.decimals
    columns = points.tpr, points.fpr, worth / float(points.total_positives)
    sides = [
        [column[b] - column[a] for column in columns] for a, b in ((low, place), (place, high))
    ]
    return _Setting(
        flagged(models.joint.scores[name], points, where),
        None if term is None else gradient_of(term.measure, where.confusion, where.at),
        np.array(sides, dtype=np.float64),
        of_ties,
    )


def _lead(
    models: JointAmounts,
    pair: tuple[_Setting, _Setting],
    points: tuple[AmountPoint, AmountPoint],
    names: tuple[str, str],
    level: float,
) -> Difference:
    """The second model against the first."""
    one, joint = points[0], models.joint
    caught = one.point.optimized == CAUGHT
    name = CAUGHT if caught else "cost"
    values = float(getattr(one, name)), float(getattr(points[1], name))
    cases = int(joint.total_positives), int(joint.total_negatives)
    apart, ours = pair[1].flags - pair[0].flags, joint.positives > 0
    plain, ways = _weights(pair, one, models.worth[ours], cases)
    found = []
    for weights in ways:
        parts = [
            _moves(apart[of], weight, size)
            for of, weight, size in zip((ours, ~ours), weights, cases, strict=True)
        ]
        found.append((sum(part.variance for part in parts), parts))
    variance, parts = max(found, key=lambda each: each[0])
    if one.at.as_in_sample:
        variance += variance_of_prior(
            [
                float(apart[of] @ weight) / size
                for of, weight, size in zip((ours, ~ours), plain, cases, strict=True)
            ],
            cases,
        )
    of_ties = sum(each.of_ties for each in pair)
    variance = with_ties(variance, of_ties)
    value = values[1] - values[0]
    p = moved_p(value, parts, variance)
    return Difference(
        value,
        *bounds_beside(value, variance, p, level),
        p,
        WEIGHTED_MCNEMAR,
        names,
        values,
        level,
        name,
        "higher" if caught else "lower",
        one.at,
        statistic=value / math.sqrt(variance) if variance else math.nan,
        discordant=(int(np.count_nonzero(apart)), sum(cases)),
        notes=(*same_scores(joint, names), *said_of_ties(of_ties, variance)),
    )


Weights = tuple[Floats, Floats]


def _weights(
    pair: tuple[_Setting, _Setting], point: AmountPoint, worth: Floats, cases: tuple[int, int]
) -> tuple[Weights, list[Weights]]:
    """What flagging each positive, and each negative, changes the sum by, times the cases of its
    class; and the same along the rule where that keeps the thresholds, towards stricter ones and
    towards looser ones.
    """
    weigh, negative = _per_case(point)
    plain = weigh(worth), np.full(cases[1], negative)
    terms = [one.term for one in pair if one.term is not None]
    if not terms:
        return plain, [plain]
    rule, ways = np.mean(terms, axis=0), []
    for tpr, fpr, moved in pair[0].sides + pair[1].sides:
        mean = moved / tpr if tpr else float(worth.mean())
        # Less than half a case is not seen to move.
        move = np.array([max(tpr, 0.5 / cases[0]), max(fpr, 0.5 / cases[1])])
        along_rule = float(rule @ move)
        ratio = float(move @ (weigh(mean), negative)) / along_rule if along_rule else 0.0
        ways.append((plain[0] - ratio * rule[0], plain[1] - ratio * rule[1]))
    return plain, ways


def _per_case(point: AmountPoint) -> tuple[Callable[[Any], Any], float]:
    """What flagging a positive of some amount, and a negative, changes the sum by, times the cases
    of its class.
    """
    prices, prior = point.prices, float(point.at.prior or 0)
    review, recovered, whole = (
        float(each) for each in (prices.review, prices.recovered, prices.cases)
    )
    if point.point.optimized == CAUGHT:
        return lambda amounts: whole * prior * amounts, 0.0
    return (
        lambda amounts: whole * prior * (review - recovered * amounts),
        whole * (1 - prior) * review,
    )


def _moves(apart: Floats, weights: Floats, cases: int) -> Moves:
    some = np.flatnonzero(apart)
    sizes = apart[some] * weights[some]
    whole = float(np.abs(weights).sum())
    usual = float(weights @ weights) / whole if whole else 0.0
    return Moves(sizes, np.ones(len(some)), (-usual, usual), cases)
