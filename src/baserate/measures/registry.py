"""The registry: every measure is defined once, as a function of the four outcomes and the costs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import check_ratio
from baserate.counts.points import Points
from baserate.numbers import exactly, quotient, rounded

# ----------------------------------------------------------------------
# What a measure's formula sees: the four outcomes weighed to a base rate, and the costs, all in one
# arithmetic.


# Masses of this many powers of two away from one are scaled.
FAR = 80
# The rates within a class, and which class: 0 the positives, 1 the negatives.
CLASS_OF = {"tpr": 0, "fnr": 0, "tnr": 1, "fpr": 1}
# One case of each outcome: what a sum of outcomes is made of.
UNITS = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


@dataclass(frozen=True)
class Outcomes:
    """True and false positives and negatives, weighed so that the positives are `at.prior` of the
    whole.

    Positives keep weight 1 and negatives get one weight, as if each of them stood for several: a
    share of outcomes does not change with the scale, and at the sample's own prior the outcomes are
    the counted ones. Fractions for one point, arrays along a curve.
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    counted: tuple[Any, Any, Any, Any]
    miss: Any
    false_alarm: Any
    costs: tuple[Any, Any, Any, Any]

    @property
    def positives(self) -> Any:
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        return self.fp + self.tn

    @property
    def flagged(self) -> Any:
        return self.tp + self.fp

    @property
    def passed(self) -> Any:
        return self.fn + self.tn

    @property
    def total(self) -> Any:
        return self.positives + self.negatives

    @property
    def cost(self) -> Any:
        """What all the weighed outcomes cost together."""
        tp, fp, fn, tn = self.costs
        return tp * self.tp + fp * self.fp + fn * self.fn + tn * self.tn

    @property
    def cost_of_nothing(self) -> Any:
        """The same where nothing is flagged."""
        return self.costs[2] * self.positives + self.costs[3] * self.negatives

    @property
    def cost_of_everything(self) -> Any:
        """The same where everything is flagged."""
        return self.costs[0] * self.positives + self.costs[1] * self.negatives


def weight_of_negatives(positives: Any, negatives: Any, at: Conditions) -> Fraction | None:
    """The weight that makes the positives `at.prior` of the whole; None where a class is missing,
    and no weight can.
    """
    check_ratio(positives, negatives)
    if at.as_in_sample or at.prior is None:
        return Fraction(1)
    if not positives or not negatives:
        return None
    return _weight_at_prior(positives, negatives, at.exact_prior)


@lru_cache(maxsize=64)
def _weight_at_prior(positives: Any, negatives: Any, prior: Fraction) -> Fraction:
    """Kept, as many measures are read of the same cases."""
    return (1 - prior) / prior * exactly(positives) / exactly(negatives)


def at_one_point(counted: tuple[Any, Any, Any, Any], weight: Fraction, at: Conditions) -> Outcomes:
    """The outcomes of one confusion, as exact fractions."""
    tp, fp, fn, tn = (exactly(value) for value in counted)
    costs = at.costs
    matrix = (exactly(costs.tp), exactly(costs.fp), exactly(costs.fn), exactly(costs.tn))
    return Outcomes(
        tp, fp * weight, fn, tn * weight, (tp, fp, fn, tn), costs.miss, costs.false_alarm, matrix
    )


class AlongPoints:
    """The same along a curve, as float64 arrays: each computed at its first use, as
    they are large. What all points share is computed exactly and rounded once.
    """

    # What correct answers alone cost, where errors are better added to that: large costs and
    # rewards then cancel before anything is rounded.
    _cost_of_no_error: float | None = None

    def __init__(self, points: Points, weight: Fraction, at: Conditions) -> None:
        costs = at.costs
        self._points, self._weight = points, rounded(weight)
        self.miss, self.false_alarm = rounded(costs.miss), rounded(costs.false_alarm)
        self.costs = (float(costs.tp), float(costs.fp), float(costs.fn), float(costs.tn))
        # Masses far from one are brought near it by an exact power of two, so that no product
        # leaves the range of floats.
        exponent = math.frexp(float(points.total_positives))[1]
        self._shift = 0 if abs(exponent) < FAR else -exponent
        scale = Fraction(2) ** self._shift
        positives = scale * exactly(points.total_positives)
        negatives = scale * exactly(points.total_negatives) * weight
        self.positives, self.negatives = rounded(positives), rounded(negatives)
        tp, fp, fn, tn = (exactly(cost) for cost in (costs.tp, costs.fp, costs.fn, costs.tn))
        no_error = tp * positives + tn * negatives
        all_correct = abs(tp) * positives + abs(tn) * negatives
        all_wrong = abs(fn) * positives + abs(fp) * negatives
        errors = costs.miss * positives + costs.false_alarm * negatives
        if abs(no_error) + errors < max(all_correct, all_wrong):
            self._cost_of_no_error = rounded(no_error)
        self.cost_of_nothing = rounded(fn * positives + tn * negatives)
        self.cost_of_everything = rounded(tp * positives + fp * negatives)

    def _scale_cases(self, values: Any, weight: float = 1.0) -> Any:
        array = np.asarray(values, dtype=np.float64)
        if self._shift:
            array = np.ldexp(array, self._shift)
        return array if weight == 1 else array * weight

    @cached_property
    def tp(self) -> Any:
        return self._scale_cases(self._points.tp)

    @cached_property
    def fp(self) -> Any:
        return self._scale_cases(self._points.fp, self._weight)

    @cached_property
    def fn(self) -> Any:
        return self._scale_cases(self._points.fn)

    @cached_property
    def tn(self) -> Any:
        return self._scale_cases(self._points.tn, self._weight)

    @cached_property
    def counted(self) -> tuple[Any, Any, Any, Any]:
        points = self._points
        tp, fp, fn, tn = (
            np.asarray(values, dtype=np.float64)
            for values in (points.tp, points.fp, points.fn, points.tn)
        )
        return tp, fp, fn, tn

    @cached_property
    def flagged(self) -> Any:
        return self.tp + self.fp

    @cached_property
    def passed(self) -> Any:
        return self.fn + self.tn

    @property
    def total(self) -> Any:
        return self.positives + self.negatives

    @property
    def cost(self) -> Any:
        if self._cost_of_no_error is not None:
            return self._cost_of_no_error + self.miss * self.fn + self.false_alarm * self.fp
        tp, fp, fn, tn = self.costs
        terms = [
            cost * values
            for cost, values in ((tp, self.tp), (fp, self.fp), (fn, self.fn), (tn, self.tn))
            if np.any(cost)
        ]
        return sum(terms[1:], start=terms[0])  # costs of which none counts are refused


# ----------------------------------------------------------------------
# The registry: every measure is defined once, with what a reader needs to know of it.


Direction = Literal["higher", "lower"]
Formula = Callable[..., Any]


@dataclass(frozen=True)
class Parameter:
    """A number that a measure takes: its range, what it means, and its default (None: it must be
    given).
    """

    name: str
    meaning: str
    default: float | None = None
    low: float = 0.0
    high: float = math.inf
    above_low: bool = False
    optional: bool = False

    def allows(self, value: float) -> bool:
        return self.low <= value <= self.high and not (self.above_low and value == self.low)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One measure: its formula twice (as code and as text), which way is better, and where it comes
    from.
    """

    name: str
    formula: Formula
    text: str
    extremes: str
    direction: Direction
    citation: str
    range: tuple[float, float] = (0, 1)
    synonyms: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    # What a column of it is called, and an axis.
    heading: str
    label: str
    # Does it change with the base rate? If not, it can be read off a ROC alone.
    prior: bool = True
    # Along a straight line between two ROC points it rises or falls all the way: what mixing
    # thresholds needs.
    straight: bool = False
    # Numerator and denominator, where both are sums of outcomes: what the calculator needs.
    parts: Formula | None = None
    # The confusion must hold counts of cases, not only rates.
    counts: bool = False

    @property
    def per_volume(self) -> bool:
        """Is it a number of cases, or a sum over them, out of a volume?"""
        return any(parameter.name == "volume" for parameter in self.parameters)


CATALOGUE: dict[str, Definition] = {}
SYNONYMS: dict[str, str] = {}


def plain_name(name: str) -> str:
    """A name as the parser compares it: lower case, with one kind of separator."""
    return re.sub(r"(?<=\w)[\s_-]+(?=\w)", "_", name.casefold().replace("−", "-").strip())


def define_measure(text: str, extremes: str, **facts: Any) -> Callable[[Formula], Formula]:
    """Enter a formula into the registry under its own name, which also heads columns and axes
    unless a heading or label is given.
    """

    def enter(formula: Formula) -> Formula:
        name = formula.__name__
        words = {"heading": name, "label": facts.get("heading", name)} | facts
        entry = Definition(name=name, formula=formula, text=text, extremes=extremes, **words)
        CATALOGUE[entry.name] = entry
        for synonym in (entry.name, *entry.synonyms):
            if SYNONYMS.setdefault(plain_name(synonym), entry.name) != entry.name:
                raise ValueError(f"two measures are called {synonym}")
        return formula

    return enter


def define_share(
    text: str, extremes: str, reason: str, **facts: Any
) -> Callable[[Formula], Formula]:
    """Enter a measure whose formula gives a numerator and a denominator, both sums of outcomes; 0/0
    has the reason given.
    """

    def enter(parts: Formula) -> Formula:
        def formula(outcomes: Outcomes, **parameters: Any) -> Any:
            part, whole = parts(outcomes, **parameters)
            return quotient(part, whole, reason)

        formula.__name__ = parts.__name__
        define_measure(text, extremes, parts=parts, straight=True, **facts)(formula)
        return parts

    return enter
