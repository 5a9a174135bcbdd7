"""Which threshold is best, for many samples at once: the last axis of every array is the
threshold, of which the first flags nothing and the last everything; axes before it are resamples.

`choose` decides the same for one sample, in exact numbers where a tie fills a budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions, Nodes
from baserate.counts.points import Points, refuse_merged
from baserate.decisions.rules import (
    NO_THRESHOLD,
    TOLERANCE,
    Mask,
    Rule,
    Term,
    find_best,
    parse_rule,
)
from baserate.measures.confusion import Measure, parse
from baserate.measures.registry import AlongPoints
from baserate.numbers import Floats, rounded
from baserate.results.operating_point import OperatingPoint

# A tie of less than this share of the budget does not matter.
SMALL_TIE = 0.01


@dataclass(frozen=True)
class ChoiceQuestion:
    """The question for every model: what must hold at the threshold, what to make best, where.

    Of equal thresholds the one that flags least is taken; where `use_up_budget`, the one that
    flags most.
    """

    rule: Rule
    objective: Measure
    at: Conditions | Nodes
    use_up_budget: bool = False

    @classmethod
    def of(cls, point: OperatingPoint) -> ChoiceQuestion:
        """The question that a chosen point answers."""
        rule = parse_rule(point.rule, point.volume) if point.rule else Rule()
        objective = parse(point.optimized, point.volume)
        use_up = rule.budget is not None and objective.name == "tpr" and not point.at.costs_given
        return cls(rule, objective, point.at, use_up)


class Places(NamedTuple):
    """A choice in every sample: all cases down to the place `upper` are flagged, and a `share` of
    those between it and `lower`, which is above 0 only where a tie fills a budget.
    """

    upper: npt.NDArray[np.intp]
    lower: npt.NDArray[np.intp]
    share: Floats
    feasible: Mask


@dataclass(frozen=True, eq=False)
class Flagged:
    """Positives and negatives that each threshold flags, of shape (..., thresholds)."""

    tp: Floats
    fp: Floats

    @property
    def totals(self) -> tuple[Any, Any]:
        """The positives and negatives of every sample; one number where all have as many."""
        sums = self.tp[..., -1:], self.fp[..., -1:]
        if all((column == column.flat[0]).all() for column in sums):
            return float(sums[0].flat[0]), float(sums[1].flat[0])
        return sums

    def at_places(self, places: Places) -> tuple[Floats, Floats]:
        """Return (tp, fp) of every sample at a place of its own, without the axis of thresholds."""
        tp, fp = (interpolate_places(column, places) for column in (self.tp, self.fp))
        return tp, fp


def interpolate_places(values: Floats, places: Places) -> Floats:
    """Return values along the thresholds at one place per sample; a single row of them is that of
    every sample.
    """
    upper, lower = pick_places(values, places.upper), pick_places(values, places.lower)
    return np.asarray(upper + places.share * (lower - upper))


def pick_places(values: Floats, places: npt.NDArray[np.intp]) -> Floats:
    """Return the value of every sample at its place."""
    return np.take_along_axis(values, places[..., np.newaxis], axis=-1)[..., 0]


class Outcomes(AlongPoints):
    """What the formula of a measure sees of many samples."""

    positives: Any
    negatives: Any
    costs: Any
    miss: Any
    false_alarm: Any

    def __init__(self, flagged: Flagged, totals: tuple[Any, Any], at: Conditions | Nodes) -> None:
        positives, negatives = totals
        weight: Any = 1.0
        if isinstance(at, Nodes):  # an axis of its own, before that of the thresholds
            prior, fp, fn, tp, tn = (np.asarray(part)[:, np.newaxis] for part in at[:-1])
            weight = (1 - prior) / prior * np.divide(positives, negatives)
            self.costs = (tp, fp, fn, tn)
            self.miss, self.false_alarm = fn - tp, fp - tn
        else:
            if not at.as_in_sample:
                with np.errstate(divide="ignore", invalid="ignore"):
                    odds = rounded((1 - at.exact_prior) / at.exact_prior)
                    weight = odds * np.divide(positives, negatives)
            costs = at.costs
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


def compute_values(measure: Measure, outcomes: Outcomes) -> Floats:
    """Return a measure at every threshold of every sample; NaN where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(measure.formula(outcomes), dtype=np.float64)
    return np.broadcast_to(values, outcomes.shape)


def compute_losses(question: ChoiceQuestion, outcomes: Outcomes, terms: tuple[Term, ...]) -> Floats:
    """Return the objective at every threshold of every sample, turned so that lower is better;
    NaN where it is undefined or one of the terms does not hold.
    """
    sign = 1.0 if question.objective.direction == "lower" else -1.0
    losses = sign * compute_values(question.objective, outcomes)
    for term in terms:
        losses[~term.holds(compute_values(term.measure, outcomes))] = math.nan
    return losses


def choose_places(question: ChoiceQuestion, flagged: Flagged, *, every: bool = True) -> Places:
    """Choose the best threshold of every sample as `choose` does.

    `every` says that all thresholds of the sample are there: only then is it known which of its
    cases tie.
    """
    outcomes = Outcomes(flagged, flagged.totals, question.at)
    losses = compute_losses(question, outcomes, question.rule.terms)
    place = np.asarray(find_best(losses))
    upper = np.maximum(place, 0)
    best = Places(upper, upper, np.zeros(upper.shape), place != NO_THRESHOLD)
    budget = question.rule.budget
    if budget is None:
        return best
    filled = _fill_budget(budget, flagged, compute_values(budget.measure, outcomes), every=every)
    tp, fp = (column[..., np.newaxis] for column in flagged.at_places(filled))
    totals = flagged.tp[..., -1:], flagged.fp[..., -1:]
    there = Outcomes(Flagged(tp, fp), totals, question.at)
    others = tuple(term for term in question.rule.terms if term is not budget)
    value = compute_losses(question, there, others)[..., 0]
    ours = np.where(best.feasible, pick_places(losses, upper), math.inf)
    slack = TOLERANCE * np.abs(value)
    taken = (
        value <= ours + slack
        if question.use_up_budget
        else (value < ours - slack) & (filled.share > 0)
    )
    return Places(*(np.where(taken, new, old) for new, old in zip(filled, best, strict=True)))


def _fill_budget(budget: Term, flagged: Flagged, used: Floats, *, every: bool) -> Places:
    """Return the last threshold within the budget of every sample, and the share of the tie below
    it that uses the budget up.
    """
    limit = rounded(budget.limit)
    within = np.count_nonzero(used <= limit * (1 + TOLERANCE), axis=-1) - 1
    lower = np.minimum(within + 1, used.shape[-1] - 1)
    alerts = pick_places(used, within)
    # Cells below the last one that was drawn add nothing: the threshold is that of the last drawn.
    upper = np.argmax(used >= alerts[..., np.newaxis], axis=-1)
    gap = pick_places(used, lower) - alerts
    share = np.divide(limit - alerts, gap, out=np.zeros(gap.shape), where=gap > 0).clip(0.0, 1.0)
    if every:  # as `choose`: a share only of a large tie of several cases
        cases = flagged.tp + flagged.fp
        tied = pick_places(cases, lower) - pick_places(cases, within)
        share[(gap <= SMALL_TIE * limit) | (tied <= 1)] = 0.0
    lower = np.where(share > 0, lower, upper)
    return Places(upper, lower, share, np.ones(upper.shape, dtype=np.bool_))


# ----------------------------------------------------------------------
# The choice at many conditions at once.


# Values at thresholds and nodes that are computed together.
BLOCK = 4_000_000


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
        step = max(1, BLOCK // len(self.points))
        found = []
        for start in range(0, len(nodes.weights), step):
            block = Nodes(*(column[start : start + step] for column in nodes))
            question = ChoiceQuestion(self.rule, objective, block, uses_up)
            found.append(choose_places(question, self._flagged))
        if not found:
            nowhere = np.empty(0, dtype=np.intp)
            return Places(nowhere, nowhere, np.empty(0), np.empty(0, dtype=np.bool_))
        return Places(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def rates(self, nodes: Nodes) -> tuple[Floats, Floats]:
        """Return (tpr, fpr) at every node; NaN where no threshold satisfies the rule."""
        places = self.places(nodes)
        tp, fp = self._flagged.at_places(places)
        missing = np.where(places.feasible, 0.0, math.nan)
        totals = self.points.total_positives, self.points.total_negatives
        return tp / totals[0] + missing, fp / totals[1] + missing

    def labels(self, nodes: Nodes) -> npt.NDArray[np.intp]:
        """Return a number for the choice at every node; equal ones are the same choice."""
        places = self.places(nodes)
        return np.where(places.feasible, 2 * places.upper + (places.share > 0), NO_THRESHOLD)
