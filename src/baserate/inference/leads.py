"""Is one of several models better than another on the same cases, each at a threshold? In closed
form, by what every case adds to the difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.amounts import JointAmounts
from baserate.counts.cells import Array
from baserate.counts.counts import JointCounts
from baserate.counts.points import Points
from baserate.decisions.amount_costs import CAUGHT, AmountPoint, Priced
from baserate.decisions.rules import Term, holds_all, parse_rule
from baserate.errors import Note
from baserate.inference.chosen_threshold import ends_of
from baserate.inference.rates import normal, special
from baserate.inference.resample import adjusted
from baserate.measures.confusion import (
    Confusion,
    Measure,
    confusion_at,
    exact_value,
    measure_along,
    parse,
)
from baserate.numbers import Floats, Undefinable, exactly
from baserate.results.operating_point import GUESS, OperatingPoint
from baserate.results.values import Difference, missed, reverse_difference

MCNEMAR, WEIGHTED_MCNEMAR, DELTA = "mcnemar", "weighted-mcnemar", "delta"
FEW_SCORES = Note(
    "BR642",
    "the scores have few distinct values near these thresholds, and on other cases the rule may"
    " choose a neighbouring one: the test allows for that, and finds only large differences",
)
# Relative size of what is lost to rounding where two gradients or values are compared.
ROUNDING = 1e-9
# A derivative is a difference over so small a part of a class; the arithmetic is exact, so only the
# curvature matters.
STEP = Fraction(1, 10**6)
# So many thresholds on each side are considered where ties leave few to choose from.
NEIGHBOURS = 10
# A note says so where they make up more than this share of the variance.
NOTED = 0.1
# This many standard deviations from its mean, a binomial distribution has nothing left in a float.
FAR = 40
# Up to this number of signs, every combination is tried.
TRIED = 14
# Of what has no least and no largest value.
NO_ENDS = -math.inf, math.inf


# ----------------------------------------------------------------------
# What each case adds to a difference.


class Moves(NamedTuple):
    """By how much each case of a class moves a difference of sums: `sizes`, of `times` cases
    each, out of `cases`. `added` is what one case more moves that only the first of two models
    flags, and one that only the second does. `step` is what a case counts for where all of the
    class count alike.
    """

    sizes: Floats
    times: Array
    added: tuple[float, float]
    cases: int
    step: float | None = None

    @property
    def mean(self) -> float:
        """What the class adds to the difference."""
        return self.sum_of(self.sizes) / self.cases

    @property
    def variance(self) -> float:
        """Of the mean over the class, with a case more each way (Bonett & Price 2012)."""
        whole = self.cases + 2
        squares = self.sum_of(self.sizes**2) + sum(one**2 for one in self.added)
        mean = (self.sum_of(self.sizes) + sum(self.added)) / whole
        return max(0.0, squares / whole - mean**2) / whole

    def sum_of(self, values: Floats) -> float:
        """Return the sum over all cases, the same in whatever order they come."""
        return math.fsum((self.times * values).tolist())


def slope_of_prior(means: Sequence[float], cases: Sequence[int]) -> float:
    """Return how a sum changes with the share of positives; `means` are what either class adds."""
    share = cases[0] / sum(cases)
    return means[0] / share - means[1] / (1 - share)


def variance_of_prior(slope: float, cases: Sequence[int]) -> float:
    """Return the variance that comes from the share of positives, where it is the sample's own."""
    share = cases[0] / sum(cases)
    return slope**2 * share * (1 - share) / sum(cases)


# ----------------------------------------------------------------------
# How likely chance is.


def normal_p(value: float, variance: float) -> float:
    """The two-sided p-value of a difference by its variance.

    Where both classes count, models that cost the same may differ in each of them: one has fewer
    false alarms, the other fewer misses. Swapping the models tests that they do not, so it is no
    test of the cost alone: with no miss seen, it would take the false alarms for certain evidence.
    """
    return 2 * float(special().ndtr(-abs(value) / math.sqrt(variance))) if variance else 1.0


def delta_p(value: float, variance: float, apart: float) -> float:
    """Return the p-value by the variance, no surer than a coin tossed as often as the models
    differ.
    """
    if not value or not variance or not apart:
        return 1.0
    return min(1.0, max(normal_p(value, variance), float(2.0 ** (1 - min(apart, 1000)))))


def moved_p(value: float, parts: Sequence[Moves], variance: float, added: int = 2) -> float:
    """Return the p-value of a difference of sums, by swapping the models on every case that moves
    it, and `added` ones of each class.

    It is not below that by the variance, unless the cases of one class alone count and count
    alike.
    """
    if not value or not any(part.sizes.any() for part in parts):
        return 1.0
    if any(part.step is None for part in parts):
        sizes = [np.abs([*part.sizes, *part.added]) / part.cases for part in parts]
        times = [np.asarray([*part.times, 1, 1], dtype=np.float64) for part in parts]
        p = flipped_p(value, np.concatenate(sizes), np.concatenate(times))
        return max(p, normal_p(value, variance))
    one, other = (alike_swaps(part, added) for part in parts)
    p = swapped_p(value, one, other)
    return max(p, normal_p(value, variance)) if one[0] and other[0] else p


def alike_swaps(part: Moves, added: int) -> tuple[float, int]:
    """Return how much each case of a class counts that counts like the others, and the number of
    cases on which the models differ.

    Shares of a tie count as the cases that would spread as much: a whole number of them, or one
    more.
    """
    if not part.step or not part.cases:
        return 0.0, added
    apart = float(part.times @ (part.sizes / part.step) ** 2)
    return part.step / part.cases, math.ceil(apart - ROUNDING * (1 + apart)) + added


def swapped_p(value: float, one: tuple[float, int], other: tuple[float, int]) -> float:
    """How likely is so large a difference, if each case on which two models differ favours either
    with equal chance?

    Of each class: how much each case counts, and the number of cases on which the models differ.
    With one class this is McNemar's exact test.

    >>> from baserate.inference.leads import swapped_p
    >>> swapped_p(20, (1, 60), (0, 0)), swapped_p(7, (1, 17), (5, 0))
    (0.01348..., 0.14346...)
    """
    (step, cases), (other_step, others) = sorted(
        ((part[0], part[1] if part[0] else 0) for part in (one, other)),
        key=lambda part: (part[1], part[0]),
    )
    size, largest = abs(value), step * cases + other_step * others
    if not size or not others:
        return 1.0
    # The class with fewer cases is summed over, the tail of the other is known.
    middle, width = cases / 2, FAR * math.sqrt(cases) / 2
    heads = np.arange(
        max(0, math.floor(middle - width)),
        min(cases, math.ceil(middle + width)) + 1,
        dtype=np.float64,
    )
    chance = np.exp(
        special().gammaln(cases + 1)
        - special().gammaln(heads + 1)
        - special().gammaln(cases - heads + 1)
        - cases * math.log(2)
    )
    needed = (size - ROUNDING * largest - step * (2 * heads - cases)) / other_step
    fewest = np.ceil((needed + others) / 2)
    tail = np.where(
        fewest <= 0,
        1.0,
        np.where(
            fewest > others, 0.0, special().bdtrc(np.clip(fewest - 1, 0, others), others, 0.5)
        ),
    )
    return min(1.0, 2 * float(chance @ tail))


def flipped_p(value: float, sizes: Floats, times: Floats) -> float:
    """`swapped_p` where cases count for different amounts: `sizes`, of `times` cases each.

    All signs of the largest are tried, and those of the others add up to a normal distribution: one
    large amount is one toss of a coin, however many small ones there are.

    >>> import numpy as np
    >>> from baserate.inference.leads import flipped_p
    >>> flipped_p(100, np.array([90.0, 5, 4, 1]), np.ones(4)), flipped_p(20, np.ones(1), np.array([60.0]))
    (0.125, 0.01348...)
    """  # noqa: E501
    scale = float(sizes.max())
    distinct, place = np.unique(np.round(sizes / scale, 12) * scale, return_inverse=True)
    number = np.bincount(place, weights=times)
    distinct, number = distinct[distinct > 0], number[distinct > 0]
    if len(distinct) <= 2 and (number % 1 == 0).all():
        (one, other) = [*zip(distinct.tolist(), map(int, number), strict=True), *[(0.0, 0)] * 2][:2]
        return swapped_p(value, one, other)
    largest = np.repeat(distinct[::-1], np.minimum(number[::-1], TRIED).astype(np.int64))[:TRIED]
    sums = np.zeros(1)
    for size in largest:
        sums = np.concatenate((sums + size, sums - size))
    gone, slack = abs(value), ROUNDING * float(number @ distinct)
    rest = math.sqrt(max(0.0, float(number @ distinct**2) - float(largest @ largest)))
    if number.sum() <= TRIED or rest <= slack:
        beyond = float(np.mean(sums >= gone - slack))
    else:
        beyond = float(np.mean(special().ndtr((sums - gone) / rest)))
    return min(1.0, 2 * beyond)


def bounds_beside(value: float, variance: float, p: float, level: float) -> tuple[float, float]:
    """Bounds of a difference that contain 0 where its test rules nothing out: otherwise they would
    contradict each other.
    """
    half = normal((1 + level) / 2) * math.sqrt(variance)
    low, high = value - half, value + half
    return (min(low, 0.0), max(high, 0.0)) if p >= missed(level) else (low, high)


def difference_of(
    value: float,
    variance: float,
    test: tuple[float, str],
    values: Mapping[str, float],
    *,
    middle: float | None = None,
    ends: tuple[float, float] = NO_ENDS,
    level: float,
    **shown: Any,
) -> Difference:
    """Return a difference of the values of two models, with the bounds that belong to its variance
    and its `test`: a p-value and a method.

    Bounds lie around `middle`, where that is not the value itself, and no further apart than what
    is compared, which lies between `ends`, can be.
    """
    p, method = test
    low, high = bounds_beside(value if middle is None else middle, variance, p, level)
    least, most = ends
    bounds = max(low, least - most), min(high, most - least)
    statistic = value / math.sqrt(variance) if variance else math.nan
    first, second = values
    both = values[first], values[second]
    return Difference(
        value, *bounds, p, method, (first, second), both, level, statistic=statistic, **shown
    )


# ----------------------------------------------------------------------
# One model at its threshold: what it flags, what that changes, and what keeps the threshold.


@dataclass(frozen=True, eq=False)
class Setting:
    """A model at its threshold. Its rates are tpr, fpr and, where positives have amounts, the
    amount caught of the average positive.

    Attributes
    ----------
    flags : array
        The probability with which each cell of the cases is flagged.
    value : float
        What is compared; NaN where it is undefined.
    gradient : array of shape (3,)
        How the value changes with each of the rates.
    with_prior : float
        How it changes with the base rate, where that is the sample's own and so known no better
        than the sample says.
    term : array of shape (3,) or None
        How the requirement that decides where the threshold lies changes with each of the rates.
    sides : array of shape (2, 3)
        How far the rates move from here to a somewhat stricter and to a somewhat looser threshold.
    of_ties : float
        How much of the variance of the value comes from choosing again between large ties.
    in_advance : bool
        Whether the threshold was fixed before these cases were seen.
    other : bool
        Whether another measure is compared than the one that was made best.

    """

    flags: Floats
    value: float
    gradient: Floats
    with_prior: float
    term: Floats | None
    sides: Floats
    of_ties: float
    in_advance: bool
    other: bool = False


class Cases(NamedTuple):
    """The cases on which models are compared: cells of either class, how many cases each has, and
    what each positive is worth, where they have amounts.
    """

    cells: tuple[Array, Array]
    times: tuple[Array, Array]
    totals: tuple[int, int]
    worth: Floats | None = None

    @classmethod
    def of(cls, joint: JointCounts, kept: Array, worth: Floats | None = None) -> Cases:
        """Return those of the cells that are kept: the others are flagged by no model."""
        columns = joint.positives, joint.negatives
        ours, theirs = (kept[column[kept] > 0] for column in columns)
        times = joint.positives[ours].astype(float), joint.negatives[theirs].astype(float)
        totals = int(joint.total_positives), int(joint.total_negatives)
        return cls((ours, theirs), times, totals, None if worth is None else worth[ours])

    @property
    def mean_worth(self) -> float:
        """What a positive is worth on average."""
        return 0.0 if self.worth is None else float(self.worth.mean())


def measure_setting(
    joint: JointCounts, name: str, point: OperatingPoint, measure: Measure | None
) -> Setting:
    """Return the setting of a model of which a measure is compared, or what was made best."""
    # Flagging nothing or everything needs no scores.
    model = name if name in joint.scores else joint.models[0]
    points, what = Points.of(joint.marginal(model)), measure or made_best(point)
    flags = flagged(joint.scores[model], points, point)
    term, of_ties = None, 0.0
    if point.optimized and point.rule and not point.in_advance:
        best = made_best(point)
        sign = 1.0 if best.direction == "higher" else -1.0
        order = sign * measure_along(best, points, point.at)
        if moves_by_ties(point, points):
            values = measure_along(what, points, point.at)
            of_ties = variance_of_ties(point, points, order, values)
        else:
            term = binding(point, points, order, sign * point[best])
    try:
        value = float(exact_value(what, point.confusion, point.at))
        gradient = gradient_of(what, point.confusion, point.at)
        along_rule = None if term is None else gradient_of(term.measure, point.confusion, point.at)
    except Undefinable:
        nothing = np.zeros(3)
        return Setting(flags, math.nan, nothing, 0.0, None, np.zeros((2, 3)), 0.0, point.in_advance)
    other = along_rule is not None and not _parallel(
        gradient, gradient_of(made_best(point), point.confusion, point.at)
    )
    return Setting(
        flags,
        value,
        gradient,
        _with_prior(what, point.confusion, point.at),
        along_rule,
        rate_steps(points, point),
        of_ties,
        point.in_advance,
        other,
    )


def amount_setting(models: JointAmounts, cases: Cases, name: str, point: AmountPoint) -> Setting:
    """Return the setting of a model whose cost by amounts, or amount caught, is compared."""
    priced, prices = Priced.of(models[name]), point.prices
    points = priced.points
    flags = flagged(models.joint.scores[name], points, point)
    is_cost = point.optimized != CAUGHT
    losses = (priced.costs if is_cost else priced.missed)(prices)
    term, of_ties = None, 0.0
    if not point.in_advance:
        here = point.cost if is_cost else point.amount_missed
        if moves_by_ties(point, points):
            of_ties = variance_of_ties(point, points, -losses, losses)
        else:
            term = binding(point, points, -losses, -here)
    gradient = amount_gradient(point)
    with_prior = 0.0
    if point.at.as_in_sample:
        weights = gradient[0] + gradient[2] * cases.worth, gradient[1]
        means = [
            float(np.sum(flags[cells] * weight)) / total
            for cells, weight, total in zip(cases.cells, weights, cases.totals, strict=True)
        ]
        with_prior = slope_of_prior(means, cases.totals)
    caught = priced.amounts.caught_units.astype(np.float64) / 10.0**priced.amounts.decimals
    return Setting(
        flags,
        float(point.cost if is_cost else point.amount_caught),
        gradient,
        with_prior,
        None if term is None else gradient_of(term.measure, point.confusion, point.at),
        rate_steps(points, point, caught / float(points.total_positives)),
        of_ties,
        point.in_advance,
    )


def amount_gradient(point: AmountPoint) -> Floats:
    """Return how the cost by amounts changes with tpr, fpr and the amount caught of the average
    positive; or the amount caught, where that was made best.
    """
    prices, prior = point.prices, float(point.at.prior or 0)
    review, recovered, cases = (
        float(each) for each in (prices.review, prices.recovered, prices.cases)
    )
    if point.optimized == CAUGHT:
        return np.array([0.0, 0.0, cases * prior])
    ours = cases * prior
    return np.array([ours * review, cases * (1 - prior) * review, -ours * recovered])


def made_best(point: OperatingPoint) -> Measure:
    """The measure that was optimized."""
    return parse(point.objective, point.volume)


def _parallel(one: Floats, other: Floats) -> bool:
    """Do both measures change alike, as recall and the number caught do?"""
    across = one[0] * other[1] - one[1] * other[0]
    return bool(abs(across) <= ROUNDING * np.abs(one).max() * np.abs(other).max())


def flagged(scores: Array, points: Points, point: OperatingPoint) -> Floats:
    """The probability with which the point flags each case: 1 or 0, or a share where a budget ends
    inside a tie, or of a mixture.
    """
    if point.how == GUESS:
        return np.full(len(scores), point.share)
    upper = flags_above(scores, points, points.place(point.threshold))
    if point.share == 1:
        return upper
    lower = flags_above(scores, points, points.place(point.lower_threshold))
    return upper + point.share * (lower - upper)


def flags_above(scores: Array, points: Points, place: int) -> Floats:
    """Return 1 for the scores that the threshold at this place flags, and 0 for the others."""
    # Compared with a score that is there, so that integers and floats mean the same as everywhere.
    return (
        (scores >= points.scores[place - 1]).astype(np.float64) if place else np.zeros(len(scores))
    )


def binding(point: OperatingPoint, points: Points, values: Floats, here: float) -> Term | None:
    """The term of the rule without which the threshold would be elsewhere. `values` are those of
    every point, higher ones better, and `here` that of the chosen one.
    """
    terms = (
        parse_rule(point.rule, point.volume).terms if point.rule and " = " not in point.rule else ()
    )
    if not terms or point.how == GUESS:
        return None
    if np.isnan(values).all() or not np.nanmax(values) > here + ROUNDING * abs(here):
        return None
    lower, upper = (
        points.place(cut)
        for cut in (point.threshold if point.share == 1 else point.lower_threshold, point.threshold)
    )
    with np.errstate(invalid="ignore"):
        better = np.flatnonzero(values > here + ROUNDING * abs(here))
    looser = int(np.nanargmax(values)) > upper
    nearest = better[better > upper][:1] if looser else better[better < lower][-1:]
    broken = (
        term
        for place in nearest.tolist()
        for term in terms
        if not holds_all([term], confusion_at(points, place), point.at)
    )
    return next(broken, None)


def gradient_of(what: Measure, confusion: Confusion, at: Conditions) -> Floats:
    """How the measure changes with tpr and with fpr, from one side at the ends of their range; with
    amounts it does not.
    """
    slopes = [_slope(what, confusion, at, positives=positives) for positives in (True, False)]
    return np.array([*slopes, 0.0])


def _slope(what: Measure, confusion: Confusion, at: Conditions, *, positives: bool) -> float:
    tp, fp, fn, tn = (exactly(value) for value in confusion)
    whole, flagged_now = (tp + fn, tp) if positives else (fp + tn, fp)
    ends = []
    for step in (-STEP, STEP):
        part = flagged_now + step * whole
        if 0 <= part <= whole:
            tp, fn = (part, whole - part) if positives else (tp, fn)
            fp, tn = (fp, tn) if positives else (part, whole - part)
            moved = Confusion(tp=tp, fp=fp, fn=fn, tn=tn, why_no_prior=confusion.why_no_prior)
            try:
                value = exact_value(what, moved, at)
            except Undefinable:
                continue
            ends.append((step, value))
    if len(ends) < 2:
        ends.append((Fraction(0), exact_value(what, confusion, at)))
    (one, low), (other, high) = ends[:2]
    return float((high - low) / (other - one)) if other != one else 0.0


def _with_prior(what: Measure, confusion: Confusion, at: Conditions) -> float:
    """How the measure changes with the base rate, where that is the sample's own and so known no
    better than the sample says.
    """
    if not what.depends_on_prior or not at.as_in_sample or at.prior is None:
        return 0.0
    prior = exactly(confusion.exact_prior)
    step = STEP * min(prior, 1 - prior)
    try:
        ends = [
            exact_value(what, confusion, Conditions(prior + sign * step, at.costs))
            for sign in (-1, 1)
        ]
    except Undefinable:
        return 0.0
    return float((ends[1] - ends[0]) / (2 * step)) if step else 0.0


def rate_steps(points: Points, point: OperatingPoint, caught: Floats | None = None) -> Floats:
    """Return how far tpr, fpr and the amount `caught` at each threshold move to a somewhat stricter
    threshold, and to a somewhat looser one.
    """
    low, here, high = around(points, points.place(point.threshold))
    rates = [points.block(slice(place, place + 1)) for place in (low, here, high)]
    places = np.array(
        [
            (float(rate.tpr[0]), float(rate.fpr[0]), 0.0 if caught is None else caught[place])
            for rate, place in zip(rates, (low, here, high), strict=True)
        ]
    )
    return np.diff(places, axis=0)


def around(points: Points, place: int) -> tuple[int, int, int]:
    """The place of a threshold between those of one that is two standard deviations of what is
    flagged stricter, and of one as much looser.
    """
    low = high = place
    for flagged_by, whole in (
        (points.tp, points.total_positives),
        (points.fp, points.total_negatives),
    ):
        now = float(flagged_by[place])
        width = 2 * math.sqrt(now * (1 - now / whole)) + 1 if whole else 0.0
        ends: tuple[float, float] = now - width, now + width
        if flagged_by.dtype == np.int64:  # else all of them would be copied as floats
            ends = math.ceil(ends[0]), math.floor(ends[1])
        low = min(low, int(np.searchsorted(flagged_by, ends[0], side="left")))
        high = max(high, int(np.searchsorted(flagged_by, ends[1], side="right")) - 1)
    return low, place, high


# ---- few distinct scores ---------------------------------------------------------------------


def moves_by_ties(point: OperatingPoint, points: Points) -> bool:
    """Does a rule choose this threshold where ties leave no other within two standard deviations of
    what is flagged, on one side? Then the ROC has no local slope along which it would move.
    """
    if not point.rule or " = " in point.rule or point.share != 1:
        return False
    place = points.place(point.threshold)
    for flagged_by, whole in (
        (points.tp, points.total_positives),
        (points.fp, points.total_negatives),
    ):
        now = float(flagged_by[place])
        ties = np.diff(flagged_by[max(0, place - 1) : place + 2])
        if whole and (ties > 2 * math.sqrt(now * (1 - now / whole)) + 1).any():
            return True
    return False


def variance_of_ties(point: OperatingPoint, points: Points, order: Floats, values: Floats) -> float:
    """How much of the variance of a value comes from choosing the threshold again on other cases,
    where ties leave few to choose from: the best by `order` at which the rule holds there.

    How likely the rule holds is known at each threshold alone. The chance that a better threshold
    is chosen is the highest of these, as if they held together, which they nearly do.
    """
    place = points.place(point.threshold)
    near = np.arange(max(0, place - NEIGHBOURS), min(len(points), place + NEIGHBOURS + 1))
    near = near[np.isfinite(order[near]) & np.isfinite(values[near])]
    near = near[np.argsort(-order[near], kind="stable")]
    terms = parse_rule(point.rule, point.volume).terms
    holds = [
        min(_holds_again(term, points, one, point.at) for term in terms) for one in near.tolist()
    ]
    chance = np.diff(np.maximum.accumulate(holds), prepend=0.0)
    if not chance.sum():
        return 0.0
    mean = chance @ values[near] / chance.sum()
    return float(chance @ (values[near] - mean) ** 2 / chance.sum())


def _holds_again(term: Term, points: Points, place: int, at: Conditions) -> float:
    """How likely a requirement of a rule holds on as many other cases, by a normal distribution."""
    confusion = confusion_at(points, place)
    try:
        beyond = float(exact_value(term.measure, confusion, at) - term.limit)
        variance = variance_at(term.measure, confusion, at)
    except Undefinable:
        return 0.0
    beyond = beyond if term.sense == ">=" else -beyond
    # The value varies on these cases and on the others.
    return (
        float(special().ndtr(beyond / math.sqrt(2 * variance))) if variance else float(beyond >= 0)
    )


def variance_at(what: Measure, confusion: Confusion, at: Conditions) -> float:
    """The variance of a measure at a fixed threshold by the delta method, with a case added to each
    outcome; with that of the base rate, where it is the sample's own.
    """
    tp, fp, fn, tn = (float(part) for part in confusion)
    whole = tp + fp + fn + tn
    share = (tp + fn) / whole
    variance = _with_prior(what, confusion, at) ** 2 * share * (1 - share) / whole
    slopes = gradient_of(what, confusion, at)[:2].tolist()
    for slope, part, cases in zip(slopes, (tp, fp), (tp + fn, fp + tn), strict=True):
        rate = (part + 1) / (cases + 2)
        variance += slope**2 * rate * (1 - rate) / (cases + 2)
    return variance


def with_ties(variance: float, of_ties: float) -> float:
    """The variance of a difference, where the value at each threshold and the choice between them
    may vary together.
    """
    return (math.sqrt(variance) + math.sqrt(of_ties)) ** 2


def said_of_ties(of_ties: float, variance: float) -> tuple[Note, ...]:
    """A note where choosing again between large ties is a notable part of the variance."""
    return (FEW_SCORES,) if of_ties > NOTED * variance else ()


# ----------------------------------------------------------------------
# Pairs of models.


def every_pair(
    joint: JointCounts,
    points: Mapping[str, OperatingPoint],
    *,
    measure: Measure | None = None,
    level: float = 0.95,
) -> list[Difference]:
    """The differences of `leads` between any two models, not adjusted for their number."""
    settings = {
        name: measure_setting(joint, name, point, measure) for name, point in points.items()
    }
    known = {name: one for name, one in settings.items() if not math.isnan(one.value)}
    if len(known) < 2:
        return []
    flags = [one.flags > 0 for one in known.values()]
    cases = Cases.of(joint, np.flatnonzero(np.logical_or.reduce(flags)))
    first = next(iter(points.values()))
    what = measure or made_best(first)
    ends = ends_of(what, first)
    shown = {"level": level, "name": what.short_name, "better": what.direction, "at": first.at}
    return [
        compare_settings(cases, (known[a], known[b]), (a, b), ends, **shown)
        for a, b in combinations(known, 2)
    ]


def every_amount_pair(
    models: JointAmounts, points: Mapping[str, AmountPoint], level: float
) -> list[Difference]:
    """The differences between any two models by their cost, or by the amount caught, not adjusted
    for their number.
    """
    first, rows = next(iter(points.values())), np.arange(len(models.joint.positives))
    cases = Cases.of(models.joint, rows, models.worth)
    settings = {name: amount_setting(models, cases, name, point) for name, point in points.items()}
    caught = first.optimized == CAUGHT
    name, better = (CAUGHT, "higher") if caught else ("cost", "lower")
    shown = {"level": level, "name": name, "better": better, "at": first.at}
    return [
        compare_settings(cases, (settings[a], settings[b]), (a, b), NO_ENDS, **shown)
        for a, b in combinations(points, 2)
    ]


def leads(
    joint: JointCounts,
    points: Mapping[str, OperatingPoint],
    best: str,
    *,
    measure: Measure | None = None,
    level: float = 0.95,
) -> tuple[Difference, ...]:
    """The lead of the best model over every other one, closest first; with Holm's adjustment over
    all pairs where there are three or more.

    What is compared is what the points were chosen by, or `measure`. A sum over cases (tpr, fpr,
    accuracy, cost, caught) is tested by whether swapping the two models on every case on which they
    differ could give as large a difference by chance: exact, and McNemar's test where one class
    matters; with costs each class has its weight. Any other measure (precision, f1, mcc) is
    compared by the delta method, with the covariance of the two models on the same cases.

    Thresholds that were chosen on these cases vary with them. Where a rule decides (a budget,
    recall >= 0.8), each class weighs as the measure changes along the rule, by the local slope of
    the ROC; for a `measure` that was not made best, the variance is at least that of thresholds
    fixed in advance. And one case each way and class is added to those on which the models differ
    (Bonett & Price 2012): otherwise thresholds that rest on the highest negatives or the lowest
    positives alone would look certain. Where ties are so large that the ROC has no local slope, the
    difference is tested at these thresholds, with the variance added of choosing again between
    neighbouring ones on other cases.

    All pairs enter the adjustment, because the best model was found on the same cases.
    """
    found = every_pair(joint, points, measure=measure, level=level)
    return of_best(found, best, (measure or made_best(points[best])).direction)


def of_best(found: list[Difference], best: str, direction: str | None) -> tuple[Difference, ...]:
    """Of all pairs those with the best model, which stands second in each: the closest first;
    adjusted for their number, unless they were before.
    """
    every = adjusted(found) if len(found) > 1 and found[0].p_adjusted is None else found
    ours = [
        one if one.models[1] == best else reverse_difference(one)
        for one in every
        if best in one.models
    ]
    return tuple(sorted(ours, key=lambda one: one.value if direction == "higher" else -one.value))


def compare_settings(
    cases: Cases,
    pair: tuple[Setting, Setting],
    names: tuple[str, str],
    ends: tuple[float, float],
    **shown: Any,
) -> Difference:
    """The second model against the first; `ends` are those of what is compared."""
    value = pair[1].value - pair[0].value
    flags, every = (pair[0].flags, pair[1].flags), possible_weights(cases, pair)
    found = [(weights, move_cases(cases, flags, weights)) for weights in every]
    weights, parts = max(found, key=lambda one: sum(part.variance for part in one[1]))
    variance = sum(part.variance for part in parts)
    variance += variance_of_prior(pair[1].with_prior - pair[0].with_prior, cases.totals)
    apart = sum(
        float(times @ (flags[1][cells] - flags[0][cells]) ** 2)
        for cells, times in zip(cases.cells, cases.times, strict=True)
    )
    of_ties = sum(one.of_ties for one in pair)
    spread = with_ties(variance, of_ties) if of_ties else variance
    chosen = not all(one.in_advance for one in pair)
    if _is_sum(weights):
        p = moved_p(value, parts, spread, added=2 if chosen else 0)
        one_class = any(part.step == 0 or not part.cases for part in parts)
        method = MCNEMAR if one_class and cases.worth is None else WEIGHTED_MCNEMAR
    else:
        p, method = delta_p(value, variance, apart), DELTA
    if of_ties:
        p = max(p, normal_p(value, spread))
    middle = value
    if method == MCNEMAR and not chosen:  # Bonett & Price add a case each way to the value too
        whole = next((part.cases for part in parts if part.step), 0)
        middle = value * whole / (whole + 2)
    return difference_of(
        value,
        spread,
        (p, method),
        {name: one.value for name, one in zip(names, pair, strict=True)},
        middle=middle,
        ends=ends,
        discordant=(round(apart), sum(cases.totals)),
        notes=said_of_ties(of_ties, spread),
        **shown,
    )


def possible_weights(cases: Cases, pair: tuple[Setting, Setting]) -> list[tuple[Floats, Floats]]:
    """Return what a share of each rate counts for in the value of either model: as the value
    changes, or where a rule keeps a threshold, as it changes along the rule, towards stricter
    thresholds and towards looser ones.
    """
    plain = pair[0].gradient, pair[1].gradient
    terms = [one.term for one in pair if one.term is not None]
    if not terms:
        return [plain]
    rule, ways = np.mean(terms, axis=0), []
    for tpr, fpr, caught in (pair[0].sides + pair[1].sides).tolist():
        mean = caught / tpr if tpr else cases.mean_worth
        # Less than half a case is not seen to move.
        ours, theirs = (
            max(rate, 0.5 / total) for rate, total in zip((tpr, fpr), cases.totals, strict=True)
        )
        move = np.array([ours, theirs, mean * ours])
        moved = float(rule @ move)
        first, second = (
            gradient - (float(gradient @ move) / moved if moved else 0.0) * rule
            for gradient in plain
        )
        ways.append((first, second))
    # What the rule itself holds in place (recall with recall >= 0.8) hardly varies along it, but in
    # the field it does: of any other measure than the one made best, the variance of fixed
    # thresholds is a lower limit.
    return [*ways, plain] if any(one.other for one in pair) else ways


def move_cases(cases: Cases, flags: tuple[Any, Any], weights: tuple[Floats, Floats]) -> list[Moves]:
    """Return by how much the cases of each class move the difference of what two models flag, of
    which the rates count for these weights.
    """
    before, after = flags
    parts = []
    for rate, (cells, times, total) in enumerate(
        zip(cases.cells, cases.times, cases.totals, strict=True)
    ):
        first, second = (
            weight[rate] if rate or cases.worth is None else weight[0] + weight[2] * cases.worth
            for weight in weights
        )
        moves = second * after[cells] - first * before[cells]
        some = np.flatnonzero(moves)
        added = -usual_weight(first, times), usual_weight(second, times)
        step = abs(float(first)) if cases.worth is None else None
        parts.append(Moves(moves[some], times[some], added, total, step))
    return parts


def usual_weight(weights: Any, times: Array) -> float:
    """Return what a case counts for that is added to those of a class.

    Where these count for w each, Σw² / Σ|w|: they are worth (Σw)² / Σw² equal ones (Kish 1965,
    Survey Sampling), and it is one of these.
    """
    if np.ndim(weights) == 0:
        return float(weights)
    whole = float(times @ np.abs(weights))
    return float(times @ weights**2) / whole if whole else 0.0


def _is_sum(weights: tuple[Floats, Floats]) -> bool:
    """Does a case count for the same in both models, so that what is compared is a sum over
    cases?
    """
    size = max(np.abs(weight).max() for weight in weights)
    return bool((np.abs(weights[0] - weights[1]) <= ROUNDING * size).all())
