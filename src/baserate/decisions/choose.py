"""Which threshold satisfies a rule and is best: of one sample, in exact numbers, and of many
resamples, or at many conditions, at once.

The last axis of every array is the threshold, of which the first flags nothing and the last
everything; axes before it are resamples or conditions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions, Nodes
from baserate.counts.cells import Array, short
from baserate.counts.points import Points, refuse_merged
from baserate.decisions.merged import refuse_hidden_better, refuse_infeasible
from baserate.decisions.operating_point import partway, set_at, several
from baserate.decisions.rules import (
    NO_THRESHOLD,
    TOLERANCE,
    Mask,
    Rule,
    Term,
    find_best,
    parse_rule,
)
from baserate.errors import Fix, Infeasible, Problem
from baserate.measures.confusion import (
    Confusion,
    Measure,
    confusion_at,
    exact_value,
    measure,
    measure_along,
    parse,
)
from baserate.measures.registry import AlongPoints, weight_of_negatives
from baserate.numbers import Floats, exactly, rounded
from baserate.results.operating_point import COUNTED, TIE, OperatingPoint, describe_tied_cases

# A tie of at most this share of the budget does not matter.
SMALL_TIE = 0.01 * (1 + TOLERANCE)
# Thresholds at which a measure is computed together: what it takes fits into the cache.
BLOCK = 1 << 16
# Values at thresholds and nodes that are computed together.
NODE_BLOCK = 4_000_000

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Question:
    """What must hold at the threshold, what to make best there, and under which conditions.

    `at` are exact conditions, or `Nodes`. Of equal thresholds the one that flags least is taken;
    where `use_up_budget`, the one that flags most. The `direction` of the objective is that of the
    measure, unless another is given.
    """

    rule: Rule
    objective: Measure | AmountCost
    at: Any
    use_up_budget: bool = False
    direction: str = ""

    @classmethod
    def of(cls, point: OperatingPoint) -> Question:
        """The question that a chosen point answers."""
        rule = parse_rule(point.rule or None, point.volume)
        objective = parse(point.optimized, point.volume)
        use_up = rule.budget is not None and objective.name == "tpr" and not point.at.costs_given
        return cls(rule, objective, point.at, use_up)


@dataclass(frozen=True)
class AmountCost:
    """An objective: a review of every alert, the amounts missed, and this share of those caught."""

    review: float
    lost: float
    name: str = "expected_cost"
    direction: str = "lower"

    def read(self, flagged: Flagged | Thresholds, at: Conditions) -> Floats:
        """Return it at every threshold of every sample, positives weighing 1."""
        caught, missed = flagged.amounts or (0.0, 0.0)
        alerts = flagged.tp + weigh_negatives(flagged.sizes, at) * flagged.fp
        return np.asarray(self.review * alerts + missed + self.lost * caught)


class Places(NamedTuple):
    """A choice in every sample: all cases down to the place `upper` are flagged, and a `share` of
    those between it and `lower`, which is above 0 only where a tie fills a budget.
    """

    upper: Indices
    lower: Indices
    share: Floats
    feasible: Mask

    @classmethod
    def at_thresholds(cls, places: Any) -> Places:
        """Return the choice of these thresholds, without shares; infeasible at `NO_THRESHOLD`."""
        upper = np.maximum(places, 0)
        return cls(upper, upper, np.zeros(np.shape(places)), np.not_equal(places, NO_THRESHOLD))

    @classmethod
    def of(cls, point: OperatingPoint, points: Points) -> Places:
        """Return where a point lies among all thresholds."""
        places = cls.at_thresholds(points.place(point.threshold))
        if point.how != TIE:
            return places
        lower = np.asarray(points.place(point.lower_threshold))
        return places._replace(lower=lower, share=np.asarray(point.share))

    def repeat(self, samples: int) -> Places:
        """Return the choice of one sample as that of many."""
        return Places(*(np.full(samples, part) for part in self))


# ----------------------------------------------------------------------
# What thresholds flag, and measures of that.


@dataclass(frozen=True, eq=False)
class Flagged:
    """Positives and negatives that each threshold flags in many samples, of shape (...,
    thresholds).

    `every` says that all thresholds of the sample are there: only then is it known which of its
    cases tie. `totals` are the positives and negatives of every sample; where they are not given,
    what the last threshold flags. `amounts` are those caught and missed at each threshold.
    """

    tp: Floats
    fp: Floats
    every: bool = True
    totals: tuple[Any, Any] | None = None
    amounts: tuple[Floats, Floats] | None = None

    def __len__(self) -> int:
        return int(self.tp.shape[-1])

    @property
    def parts(self) -> list[slice]:
        """Thresholds of which measures are computed together: here all."""
        return [slice(None)]

    def block(self, _: slice) -> Flagged:
        """Return one of these parts."""
        return self

    def count_within(self, budget: Term, at: Any) -> Any:
        """Return how many thresholds of every sample are within the budget."""
        return np.count_nonzero(budget.holds(self.read(budget.measure, at)), axis=-1)

    @cached_property
    def sizes(self) -> tuple[Any, Any]:
        """The totals of both classes; one number where all samples have as many."""
        sums = self.totals or (self.tp[..., -1:], self.fp[..., -1:])
        if all((np.asarray(column) == np.ravel(column)[0]).all() for column in sums):
            return float(np.ravel(sums[0])[0]), float(np.ravel(sums[1])[0])
        return sums

    def read(self, asked: Measure, at: Conditions | Nodes) -> Floats:
        """Return a measure at every threshold of every sample; NaN where it is undefined."""
        outcomes = Outcomes(self, at)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.asarray(asked.formula(outcomes), dtype=np.float64)
        return np.broadcast_to(values, outcomes.shape)

    def at_places(self, places: Places) -> Flagged:
        """Return what the choice of every sample flags, as one threshold."""
        tp, fp, *amounts = (
            interpolate_places(column, places)[..., np.newaxis]
            for column in (self.tp, self.fp, *(self.amounts or ()))
        )
        totals = self.totals or (self.tp[..., -1:], self.fp[..., -1:])
        return Flagged(tp, fp, self.every, totals, (amounts[0], amounts[1]) if amounts else None)

    def may_split(self, places: Indices, gap: Floats) -> Mask:
        """Whether a share of the cases behind these places may be flagged, which are this share of
        the budget: of several only, and of many.
        """
        if not self.every:
            return np.asarray(gap > 0)
        cases = self.tp + self.fp
        lower = np.minimum(places + 1, cases.shape[-1] - 1)
        tied = pick_places(cases, lower) - pick_places(cases, places)
        return np.asarray((tied > 1) & (gap > SMALL_TIE))


@dataclass(frozen=True, eq=False)
class Thresholds:
    """All thresholds of one sample, at which measures are read as on its curves.

    `counted` says how many of all the cases that were scored each threshold flags, also of those
    without a label, and how many there are; alerts are then counted among these. `allowed` are the
    thresholds that may be chosen, `amounts` those caught and missed at each.
    """

    points: Points
    counted: tuple[Array, int] | None = None
    allowed: Mask | None = None
    amounts: tuple[Floats, Floats] | None = None

    @property
    def tp(self) -> Array:
        return self.points.tp

    @property
    def fp(self) -> Array:
        return self.points.fp

    @property
    def sizes(self) -> tuple[Any, Any]:
        """The positives and negatives of the sample."""
        return self.points.total_positives, self.points.total_negatives

    def __len__(self) -> int:
        return len(self.points)

    @property
    def parts(self) -> list[slice]:
        """Thresholds of which measures are computed together."""
        return [slice(start, start + BLOCK) for start in range(0, len(self), BLOCK)]

    def block(self, part: slice) -> Thresholds:
        """Return some of the thresholds in a row, or at regular steps."""
        if part.start == 0 and part.step is None and len(self) <= BLOCK:
            return self
        counted = None if self.counted is None else (self.counted[0][part], self.counted[1])
        allowed = None if self.allowed is None else self.allowed[part]
        amounts = None if self.amounts is None else (self.amounts[0][part], self.amounts[1][part])
        return Thresholds(self.points.block(part), counted, allowed, amounts)

    def count_within(self, budget: Term, at: Any) -> int:
        """Return how many thresholds are within the budget; alerts rise along them."""
        first = self.block(slice(0, None, BLOCK)).read(budget.measure, at)
        start = BLOCK * max(0, int(np.count_nonzero(budget.holds(first))) - 1)
        used = self.block(slice(start, start + BLOCK)).read(budget.measure, at)
        return start + int(np.count_nonzero(budget.holds(used)))

    def read(self, asked: Measure, at: Any) -> Floats:
        """Return a measure at every threshold; NaN where it is undefined."""
        if self.counted is not None and asked.name in COUNTED:
            flagged, cases = self.counted
            return flagged * (dict(asked.parameters).get("volume", 1.0) / cases)
        return measure_along(asked, self.points, at)

    def at_places(self, places: Places) -> Thresholds:
        """Return what a choice flags, as one threshold."""
        points, share = self.points, float(places.share)
        ends = [np.array(points.counted(int(place)), dtype=np.float64) for place in places[:2]]
        outcomes = ends[0] + share * (ends[1] - ends[0])
        counted = None
        if self.counted is not None:
            counted = self.counted[0][[int(places.upper)]], self.counted[1]
        amounts = None
        if self.amounts is not None:
            caught, missed = (interpolate_places(one, places)[np.newaxis] for one in self.amounts)
            amounts = caught, missed
        return Thresholds(points.mixture(*outcomes[:, np.newaxis]), counted, None, amounts)

    def may_split(self, place: Any, gap: Any) -> bool:
        """Whether a share of the cases behind this place may be flagged.

        Of weighted cases, or where only rates are known, it is not known how many tie. A run of
        condensed counts is no tie: with every score kept, thresholds inside it use a budget up.
        """
        points, place = self.points, int(place)
        if self.counted is not None or self.allowed is not None or not gap > SMALL_TIE:
            return False
        tied = points.tp[place + 1] - points.tp[place] + points.fp[place + 1] - points.fp[place]
        unknown = points.counts is None or points.counts.weighted
        return bool((unknown or tied > 1) and not points.merged[place])


def interpolate_places(values: Floats, places: Places) -> Floats:
    """Return values along the thresholds at one place per sample; a single row of them is that of
    every sample.
    """
    upper, lower = pick_places(values, places.upper), pick_places(values, places.lower)
    return np.asarray(upper + places.share * (lower - upper))


def pick_places(values: Floats, places: Indices) -> Floats:
    """Return the value of every sample at its place."""
    return np.take_along_axis(values, places[..., np.newaxis], axis=-1)[..., 0]


def weigh_negatives(sizes: tuple[Any, Any], at: Conditions) -> Any:
    """Return what makes the positives of every sample `at.prior` of the whole."""
    if at.as_in_sample:
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return rounded((1 - at.exact_prior) / at.exact_prior) * np.divide(*sizes)


class Outcomes(AlongPoints):
    """What the formula of a measure sees of many samples."""

    positives: Any
    negatives: Any
    costs: Any
    miss: Any
    false_alarm: Any

    def __init__(self, flagged: Flagged, at: Conditions | Nodes) -> None:
        positives, negatives = flagged.sizes
        if isinstance(at, Nodes):  # an axis of its own, before that of the thresholds
            prior, fp, fn, tp, tn = (np.asarray(part)[:, np.newaxis] for part in at[:-1])
            weight = (1 - prior) / prior * np.divide(positives, negatives)
            self.costs = (tp, fp, fn, tn)
            self.miss, self.false_alarm = fn - tp, fp - tn
        else:
            weight, costs = weigh_negatives(flagged.sizes, at), at.costs
            self.costs = (float(costs.tp), float(costs.fp), float(costs.fn), float(costs.tn))
            self.miss, self.false_alarm = rounded(costs.miss), rounded(costs.false_alarm)
        self.tp, self._fp, self._weight = flagged.tp, flagged.fp, weight
        self.positives, self.negatives, self._negatives = positives, negatives * weight, negatives
        self.cost_of_nothing = self.costs[2] * positives + self.costs[3] * self.negatives
        self.cost_of_everything = self.costs[0] * positives + self.costs[1] * self.negatives

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one value at every threshold, sample and node."""
        return np.broadcast_shapes(self.tp.shape, np.shape(self._weight))

    @cached_property
    def fp(self) -> Floats:
        return np.asarray(self._fp * self._weight)

    @cached_property
    def fn(self) -> Floats:
        return np.asarray(self.positives - self.tp)

    @cached_property
    def tn(self) -> Floats:
        return np.asarray(self.negatives - self.fp)

    @cached_property
    def counted(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.tp, self._fp, self.fn, self._negatives - self._fp


# ----------------------------------------------------------------------
# The choice: the same of one sample and of many.


def choose_places(question: Question, flagged: Flagged | Thresholds) -> Places:
    """Choose the best threshold of every sample; where a tie fills the budget, a share of it."""
    best = Places.at_thresholds(find_places(question, flagged))
    budget = question.rule.budget
    if budget is None:
        return best
    filled = fill_budget(budget, flagged, question.at)
    others = tuple(term for term in question.rule.terms if term is not budget)
    value = compute_losses(question, flagged.at_places(filled), others)[..., 0]
    ours = compute_losses(question, flagged.at_places(best), ())[..., 0]
    ours = np.where(best.feasible, ours, math.inf)
    slack = TOLERANCE * np.abs(value) * (1 if question.use_up_budget else -1)
    taken = (value <= ours + slack) & (filled.share > 0)
    return Places(*(np.where(taken, new, old) for new, old in zip(filled, best, strict=True)))


def find_places(question: Question, flagged: Flagged | Thresholds) -> Any:
    """Return the place of the best threshold of every sample that satisfies the rule;
    `NO_THRESHOLD` where there is none.
    """
    terms, flag_most = question.rule.terms, question.use_up_budget
    parts = flagged.parts
    if len(parts) == 1:
        return find_best(compute_losses(question, flagged, terms), flag_most=flag_most)
    lowest = []
    for part in parts:
        losses = compute_losses(question, flagged.block(part), terms)
        lowest.append(losses.min(where=np.isfinite(losses), initial=math.inf))
    best = min(lowest)
    if not math.isfinite(best):
        return NO_THRESHOLD
    limit = best + TOLERANCE * abs(best)
    wanted = -1 if flag_most else 0
    part = [part for part, least in zip(parts, lowest, strict=True) if least <= limit][wanted]
    with np.errstate(invalid="ignore"):
        equal = compute_losses(question, flagged.block(part), terms) <= limit
    return part.start + int(np.flatnonzero(equal)[wanted])


def compute_losses(
    question: Question, flagged: Flagged | Thresholds, terms: Sequence[Term]
) -> Floats:
    """Return the objective at every threshold of every sample, turned so that lower is better;
    NaN where it is undefined, where one of the terms does not hold, or it is not allowed.
    """
    objective, at = question.objective, question.at
    if isinstance(objective, AmountCost):
        values = objective.read(flagged, at)
    else:
        values = flagged.read(objective, at)
    lower = (question.direction or question.objective.direction) == "lower"
    losses = np.array(values) if lower else np.negative(values)
    for term in terms:
        losses[~term.holds(flagged.read(term.measure, question.at))] = math.nan
    allowed = getattr(flagged, "allowed", None)
    if allowed is not None:
        losses[~allowed] = math.nan
    return losses


def keep_terms(terms: Sequence[Term], flagged: Thresholds, at: Conditions) -> Mask:
    """Return the thresholds of a sample at which all the terms hold."""
    mask = np.ones(len(flagged), dtype=np.bool_)
    for part in flagged.parts if terms else ():
        block = flagged.block(part)
        for term in terms:
            mask[part] &= term.holds(block.read(term.measure, at))
    return mask


def fill_budget(budget: Term, flagged: Flagged | Thresholds, at: Any) -> Places:
    """Return the last threshold within the budget of every sample, and the share of a large tie
    below it that uses the budget up.

    A tie is large if it holds several cases and more than 1 % of the budget. Elsewhere the last
    threshold leaves less than one case of the sample, or 1 % of the budget, unused, and no draw is
    needed.
    """
    limit, asked = rounded(budget.limit), budget.measure
    upper = np.asarray(np.maximum(flagged.count_within(budget, at) - 1, 0))
    lower = np.minimum(upper + 1, len(flagged) - 1)
    alerts, more = (
        flagged.at_places(Places.at_thresholds(places)).read(asked, at)[..., 0]
        for places in (upper, lower)
    )
    gap = more - alerts
    split = flagged.may_split(upper, gap / limit)
    share = np.divide(limit - alerts, gap, out=np.zeros(np.shape(gap)), where=split).clip(0.0, 1.0)
    return Places(upper, np.where(share > 0, lower, upper), share, np.ones(upper.shape, np.bool_))


# ----------------------------------------------------------------------
# The chosen point of one sample.


def choose_point(thresholds: Thresholds, question: Question) -> OperatingPoint:
    """Return the best point that satisfies the rule; refused where there is none, and where one
    inside merged scores may be better.
    """
    points, rule = thresholds.points, question.rule
    places = choose_places(question, thresholds)
    if not places.feasible:
        refuse_infeasible(points, rule.terms, question.at)
        raise infeasible(question, thresholds)
    point = replace(point_at(points, places, question), rule=str(rule))
    refuse_hidden_better(point, points, question)
    return point


def point_at(points: Points, places: Places, question: Question) -> OperatingPoint:
    """Return a choice as an operating point; the share of a tie is that of the budget, exactly."""
    place, at = int(places.upper), question.at
    if places.share > 0:
        tied = share_tie(points, place, question.rule.budget, at)
        if tied is not None:
            return tied
    return set_at(points, place, at)


def share_tie(points: Points, place: int, budget: Any, at: Any) -> OperatingPoint | None:
    """Return the point that uses the budget up with a share of the tie behind this place; none
    where nothing is left of the budget.

    Of the tie's cases a share drawn at random is flagged: outcomes are expected values, with the
    best and the worst draw beside them. Between points of a hull or of a published ROC the cases of
    all scores are drawn from together: the point then says from where up to where.
    """
    used, more = (
        exact_value(budget.measure, confusion_at(points, index), at) for index in (place, place + 1)
    )
    share = (budget.limit - used) / (more - used)
    if share <= 0:
        return None
    best, worst = _draws(points, place, share, at)
    return replace(
        partway(points, place, share, at, TIE),
        merged=several(points, place, points.threshold(place + 1)),
        best=best,
        worst=worst,
    )


def filled_tie(points: Points, budget: Term, at: Conditions) -> OperatingPoint | None:
    """Return the point that uses a budget up inside a large tie; none where a threshold does."""
    places = fill_budget(budget, Thresholds(points), at)
    return share_tie(points, int(places.upper), budget, at) if places.share > 0 else None


def _draws(
    points: Points, last: int, share: Fraction, at: Conditions
) -> tuple[Confusion, Confusion]:
    """The luckiest and the unluckiest draw from the tie, at the same number of alerts."""
    weight = weight_of_negatives(points.total_positives, points.total_negatives, at) or Fraction(1)
    here, below = (
        [exactly(cases) for cases in confusion_at(points, place)] for place in (last, last + 1)
    )
    tp, fp, fn, tn = here
    more_tp, more_fp = below[0] - tp, below[1] - fp
    drawn = share * (more_tp + weight * more_fp)
    lucky = min(drawn, more_tp)
    unlucky = max(Fraction(0), drawn - weight * more_fp)
    best, worst = (
        replace(
            confusion_at(points, last),
            tp=tp + hits,
            fp=fp + (drawn - hits) / weight,
            fn=fn - hits,
            tn=tn - (drawn - hits) / weight,
        )
        for hits in (lucky, unlucky)
    )
    return best, worst


# ----------------------------------------------------------------------
# What no point can keep, and what would be feasible instead.


def infeasible(question: Question, thresholds: Thresholds) -> Infeasible:
    """The refusal of a rule, with the nearest that each of its terms can get while the others are
    kept.
    """
    rule = question.rule
    if keep_terms(rule.terms, thresholds, question.at).any():
        that = f" that has {rule}" if rule.terms else ""
        text = f"{question.objective.name} is defined at no threshold{that}"
        return Infeasible(Problem("BR530", text, Fix.everywhere("optimize another measure")))
    nearest = []
    for term in rule.terms:
        others = Rule(tuple(other for other in rule.terms if other is not term))
        nearest.append(describe_nearest(term, others, question, thresholds))
    nearest = list(filter(None, nearest))
    if not nearest:
        alone = [
            describe_nearest(term, Rule(), question, thresholds)
            or f"{term.measure.name} is defined nowhere"
            for term in rule.terms
        ]
        nearest = [f"each for itself, {'; '.join(alone)}"] if len(alone) > 1 else alone
    return Infeasible(
        Problem(
            "BR530",
            f"no threshold has {rule}: {'; '.join(nearest)}",
            Fix.everywhere("relax one of the requirements, or find a better model"),
        )
    )


def describe_nearest(term: Term, others: Rule, question: Question, thresholds: Thresholds) -> str:
    """Describe how near a term gets to its limit while the others hold; "" where they cannot."""
    at_least = term.sense == ">="
    direction = "higher" if at_least else "lower"
    nearest = Question(others, term.measure, question.at, direction=direction)
    places = choose_places(nearest, thresholds)
    if not places.feasible:
        return ""
    point = point_at(thresholds.points, places, nearest)
    where = "flagging nothing"
    if point.how == TIE:
        kind = "run" if point.merged else "tie"
        where = f"with a share of the {kind} {describe_tied_cases(point)}"
    elif point.threshold is not None:
        where = f"at threshold {short(point.threshold, point.below)}"
    value = measure(point.confusion, term.measure, at=question.at)
    given = f" with {' and '.join(map(str, others.terms))}" if others.terms else ""
    end = "highest" if at_least else "lowest"
    return f"the {end} {term.measure.name}{given} is {value:.6g}, {where}"


# ----------------------------------------------------------------------
# The choice at many conditions at once.


@dataclass(frozen=True)
class NodeChoices:
    """The best threshold of one model at each of many exact conditions.

    The cheapest that satisfies the rule; without costs a budget is used up.
    """

    points: Points
    rule: Rule
    costs_given: bool

    def __post_init__(self) -> None:
        refuse_merged(self.points, "a rule over uncertain conditions looks at all scores")

    @cached_property
    def _flagged(self) -> Flagged:
        tp, fp = (np.asarray(cases, dtype=np.float64) for cases in (self.points.tp, self.points.fp))
        return Flagged(tp[np.newaxis], fp[np.newaxis])

    def places(self, nodes: Nodes) -> Places:
        """Return the choice at every node."""
        uses_up = self.rule.budget is not None and not self.costs_given
        objective = parse("tpr" if uses_up else "expected_cost")
        step = max(1, NODE_BLOCK // len(self.points))
        found = []
        for start in range(0, len(nodes.weights), step):
            block = Nodes(*(column[start : start + step] for column in nodes))
            question = Question(self.rule, objective, block, uses_up)
            found.append(choose_places(question, self._flagged))
        if not found:
            return Places.at_thresholds(np.empty(0, dtype=np.intp))
        return Places(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def rates(self, nodes: Nodes) -> tuple[Floats, Floats]:
        """Return (tpr, fpr) at every node; NaN where no threshold satisfies the rule."""
        places = self.places(nodes)
        chosen = self._flagged.at_places(places)
        missing = np.where(places.feasible, 0.0, math.nan)
        totals = self.points.total_positives, self.points.total_negatives
        return chosen.tp[:, 0] / totals[0] + missing, chosen.fp[:, 0] / totals[1] + missing

    def labels(self, nodes: Nodes) -> Indices:
        """Return a number for the choice at every node; equal ones are the same choice."""
        places = self.places(nodes)
        return np.where(places.feasible, 2 * places.upper + (places.share > 0), NO_THRESHOLD)
