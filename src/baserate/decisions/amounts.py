"""`choose_amount`: the cheapest threshold where a review costs the same for every alert, and a miss costs what the case is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from baserate.amounts import Amounts, check_amounts
from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.decisions import amount_remarks, budgets
from baserate.decisions.operating import OperatingPoint, set_at, setting
from baserate.decisions.prices import REVIEW, Priced, Prices, Sums, checked_recovered, checked_review
from baserate.decisions.refusals import infeasible
from baserate.decisions.rules import Rule, parse_rule
from baserate.decisions.searching import Mask, holds_all, keeping
from baserate.errors import Fix, Infeasible, number_of, refuse
from baserate.measures.confusions import checked_conditions, checked_volume, confusion_at
from baserate.measures.values import Measure
from baserate.notes import Note, combine

COST, CAUGHT = "cost", "amount_caught"
SEPARATE = "the amounts of each model are counted alone, which does not say what both of two models caught"
UNKNOWN_BASELINE = "what flagging nothing costs is itself an estimate from these amounts"
MONEY = frozenset({"expected_cost", "normalized_cost", "total_cost", "savings", "net_benefit", "volume_cost"})


@dataclass(frozen=True)
class AmountPoint:
    """Where is the classifier set, what does that cost, and how much money does it catch?

    Sums (`cost`, `alerts`, the amounts) are over `cases` cases at the base rate of `at`: the volume, or as many as the sample has.
    `expected_cost` is the cost a case. `tp`, `fp`, `fn` and `tn` are those of the sample. `nothing` and `everything` are what flagging
    none or all of the cases costs; `by_average` is the point that one would choose if every positive had the mean amount, at its true cost.
    Where a budget ends among equal scores, sums are expected values, and `caught_best` and `caught_worst` are the amounts of the luckiest
    and unluckiest draw.
    """

    point: OperatingPoint
    prices: Prices
    sums: Sums
    nothing: float = math.nan
    everything: float = math.nan
    caught_best: float | None = None
    caught_worst: float | None = None
    by_average: AmountPoint | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def cases(self) -> float:
        """How many cases the sums are over."""
        cases = self.prices.cases
        return int(cases) if cases.denominator == 1 else rounded(cases)

    @property
    def threshold(self) -> float | None:
        return self.point.threshold

    @property
    def at(self) -> Conditions:
        return self.point.at

    @property
    def tp(self) -> float:
        return self.point.tp

    @property
    def fp(self) -> float:
        return self.point.fp

    @property
    def fn(self) -> float:
        return self.point.fn

    @property
    def tn(self) -> float:
        return self.point.tn

    @property
    def cost(self) -> float:
        return rounded(self.sums.cost)

    @property
    def expected_cost(self) -> float:
        return rounded(self.sums.cost / self.prices.cases)

    @property
    def alerts(self) -> float:
        return rounded(self.sums.alerts)

    @property
    def amount_caught(self) -> float:
        return rounded(self.sums.amount_caught)

    @property
    def amount_missed(self) -> float:
        return rounded(self.sums.amount_missed)

    @property
    def amount_false_alarms(self) -> float:
        return rounded(self.sums.amount_false_alarms)

    def on(self, amounts: Amounts, at: Conditions | None = None) -> AmountPoint:
        """The same setting on other cases: what a threshold chosen on development data costs on test data."""
        priced = Priced.of(check_amounts(amounts))
        moved = self.point.on(amounts.counts, at)
        prices = Prices.of(priced.points, moved.at, self.prices.review, self.prices.recovered, moved.volume)
        read = _read(priced, moved, prices)
        return replace(read, notes=combine(amounts.notes, moved.notes))

    def __repr__(self) -> str:
        sums = f"cost {self.cost:.15g}, amount caught {self.amount_caught:.15g}, missed {self.amount_missed:.15g}"
        return f"AmountPoint: {setting(self.point)}; {sums}, of {number_of(self.cases, 'case')}; at prior {self.at.prior:.6g}"


def choose_amount(
    amounts: Amounts,
    rule: str | None = None,
    *,
    review: float | None = None,
    recovered: float = 1,
    at: Conditions | None = None,
    volume: float | None = None,
) -> AmountPoint:
    """Where should the threshold be, if every alert costs a review and every miss its own amount?

    The cheapest point, by review·(TP + FP) + the amount missed, of those that keep the rule; flagging nothing and flagging everything are
    among them. `recovered` is the share of a caught amount that is not lost after all. At another prior than the sample's, positives and
    negatives are weighed by class. Equals go to the point that flags least. With a budget ("alerts <= 200" out of `volume`) and no
    `review`, the point that catches the largest amount.

    >>> import baserate as br
    >>> amounts = br.count_amounts([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], [1000, 50, 20, 500, 300, 10])
    >>> point = br.choose_amount(amounts, review=150)
    >>> point.threshold, point.cost
    (0.9, 470.0)
    >>> point.by_average.threshold, point.by_average.cost
    (0.2, 750.0)
    """
    volume, given, rules = _asked(rule, at, volume)
    priced = Priced.of(check_amounts(amounts))
    if len(priced.points) < 2:
        raise refuse("BR552", "there are no cases to choose a threshold on", "count some cases first")
    if review is None and rules.budget is None:
        raise refuse("BR514", "what does a review cost? Without that, flagging everything is best", REVIEW)
    prices = Prices.of(priced.points, given, checked_review(review or 0), checked_recovered(recovered), volume)
    found = decided(priced, rules, prices, use_up=review is None)
    chosen = _read(priced, replace(found, volume=volume, optimized=CAUGHT if review is None else COST), prices)
    if review is not None and priced.points.total_positives:
        chosen = replace(chosen, by_average=_by_average(priced, rules, prices, volume))
    return replace(chosen, notes=combine(amounts.notes, (*given.notes, *amount_remarks.on_choice(chosen, priced, rules))))


def flag_amount_at(
    amounts: Amounts, threshold: float | None, *, review: float, recovered: float = 1, at: Conditions | None = None, volume: float | None = None
) -> AmountPoint:
    """What does this threshold, set by hand, cost? None flags nothing.

    >>> import baserate as br
    >>> amounts = br.count_amounts([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], [1000, 50, 20, 500, 300, 10])
    >>> br.flag_amount_at(amounts, 0.2, review=150).cost
    750.0
    """
    volume, given, _ = _asked(None, at, volume)
    priced = Priced.of(check_amounts(amounts))
    prices = Prices.of(priced.points, given, checked_review(review), checked_recovered(recovered), volume)
    point = OperatingPoint(threshold, confusion_at(priced.points, priced.points.place(threshold)), prices.at, volume=volume)
    read = _read(priced, point, prices)
    return replace(read, notes=combine(amounts.notes, (*given.notes, *amount_remarks.on_reading(read, priced))))


def _asked(rule: str | None, at: Conditions | None, volume: float | None) -> tuple[float | None, Conditions, Rule]:
    """What was asked for, where it can be: amounts take the place of costs, so none may be given, nor bound by a rule."""
    cases, given = checked_volume(volume), checked_conditions(at)
    if given.costs_given:
        fix = Fix("Conditions(prior=…) without costs, and review=150", "--review 150 instead of --cost or --profit")
        raise refuse("BR513", "costs of outcomes are given beside amounts, which say what a miss costs", fix)
    rules = parse_rule(rule, cases)
    priced = [term.measure.name for term in rules.terms if term.measure.name in MONEY]
    if priced:
        raise refuse("BR533", f"{priced[0]} is read at costs of outcomes, and a miss costs its amount here", "limit tpr, posfrac or alerts")
    return cases, given, rules


def decided(priced: Priced, rule: Rule, prices: Prices, *, use_up: bool, averaged: bool = False) -> OperatingPoint:
    """The best of the points that keep the rule; a budget that is to be used up ends where it is, unless less is strictly better."""
    points, at = priced.points, prices.at
    masks = [keeping(term, points, at) for term in rule.terms]
    mask: Mask = reduce(np.logical_and, masks, np.ones(len(points), dtype=np.bool_))
    candidates = list(_candidates(priced, rule, mask, prices, use_up=use_up, averaged=averaged))
    if not candidates:
        raise infeasible(points, rule, masks, Measure("expected_cost"), at)
    chosen, cost = candidates[0], _cost(priced, candidates[0], prices, averaged=averaged)
    for other in candidates[1:]:
        price = _cost(priced, other, prices, averaged=averaged)
        if price < cost or (use_up and price == cost):
            chosen, cost = other, price
    return replace(chosen, rule=str(rule))


def _candidates(priced: Priced, rule: Rule, mask: Mask, prices: Prices, *, use_up: bool, averaged: bool) -> Iterator[OperatingPoint]:
    """The cheapest threshold, the last one within a budget that is to be used up, and the part of a tie that fills it."""
    if mask.any():
        last = [int(np.flatnonzero(mask)[-1])] if use_up else []
        for place in [priced.cheapest(mask, prices, averaged=averaged), *last]:
            yield set_at(priced.points, place, prices.at)
    if rule.budget is not None:
        shared = budgets.filled(priced.points, rule.budget, prices.at)
        others = [term for term in rule.terms if term is not rule.budget]
        if shared is not None and holds_all(others, shared.confusion, prices.at):
            yield shared


def _cost(priced: Priced, point: OperatingPoint, prices: Prices, *, averaged: bool) -> Fraction:
    flagged, totals = priced.set_as(point), priced.totals
    if averaged:
        flagged = flagged._replace(caught=flagged.tp * totals.caught / totals.tp)
    return prices.sums(flagged, totals).cost


def _by_average(priced: Priced, rule: Rule, prices: Prices, volume: float | None) -> AmountPoint:
    """The point that costs of the average amount would choose, at what it truly costs."""
    found = decided(priced, rule, prices, use_up=False, averaged=True)
    return _read(priced, replace(found, volume=volume), prices)


def _read(priced: Priced, point: OperatingPoint, prices: Prices) -> AmountPoint:
    """What a setting comes to."""
    totals, last = priced.totals, len(priced.points) - 1
    nothing, everything = (rounded(prices.sums(priced.at(index), totals).cost) for index in (0, last))
    best, worst = _lucky(priced, point, prices) if point.best is not None else (None, None)
    return AmountPoint(point, prices, prices.sums(priced.set_as(point), totals), nothing, everything, best, worst)


def _lucky(priced: Priced, point: OperatingPoint, prices: Prices) -> tuple[float, float]:
    """The amount caught by the luckiest draw from a tie, the largest amounts first, and by the unluckiest, the smallest last."""
    certain, points = priced.at(priced.points.place(point.threshold)), priced.points
    first, last = (int(points.tp[points.place(cut)]) for cut in (point.threshold, point.lower_threshold))
    tied = priced.amounts.cases[first:last].tolist()
    caught = []
    for draw, order in ((point.best, tied), (point.worst, tied[::-1])):
        hits = exactly(draw.tp) - certain.tp if draw is not None else Fraction(0)
        whole = math.floor(hits)
        units = sum(order[:whole]) + ((hits - whole) * order[whole] if hits > whole else 0)
        caught.append(rounded(prices.scale * (certain.caught + Fraction(units) / 10**priced.amounts.decimals)))
    return caught[0], caught[1]


@dataclass(frozen=True)
class AmountChoice:
    """The best model by its amounts, where it is set, and what the others would do; `refused` says of some why they cannot keep the rule.

    Whether the best model is significantly better than the others, or than flagging nothing or everything, is not tested: `untested` and
    `baseline_untested` say why.
    """

    models: tuple[str, ...]
    points: Mapping[str, AmountPoint]
    refused: Mapping[str, Infeasible]

    @property
    def untested(self) -> str:
        """Why the lead over the other models is not tested; nothing where there are no others."""
        return SEPARATE if len(self.points) > 1 else ""

    @property
    def baseline_untested(self) -> str:
        """Why the lead over flagging nothing or everything is not tested."""
        return UNKNOWN_BASELINE

    @property
    def model(self) -> str:
        """The best model; the first of those that are as good."""
        return self.models[0]

    @property
    def point(self) -> AmountPoint:
        return self.points[self.model]


def choose_amount_model(models: Mapping[str, Amounts], rule: str | None = None, **options: Any) -> AmountChoice:
    """Which model, and where should its threshold be, if every miss costs its own amount?

    Each model is set by `choose_amount` (with its options); the cheapest wins, or by a budget without `review` the one that catches most.

    >>> import baserate as br
    >>> labels, worth = [1, 1, 0, 0], [1000, 10, 5, 5]
    >>> a, b = (br.count_amounts(labels, scores, worth) for scores in ([0.4, 0.9, 0.8, 0.1], [0.9, 0.2, 0.3, 0.1]))
    >>> choice = br.choose_amount_model({"a": a, "b": b}, review=20)
    >>> choice.model, choice.point.cost, choice.points["a"].cost
    ('b', 30.0, 60.0)
    """
    if not isinstance(models, Mapping) or not models:
        raise refuse(
            "BR410", "choose_amount_model needs the amounts of each model by name", 'choose_amount_model({"logit": amounts}, review=150)'
        )
    points: dict[str, AmountPoint] = {}
    refused: dict[str, Infeasible] = {}
    for name, amounts in models.items():
        try:
            points[name] = choose_amount(amounts, rule, **options)
        except Infeasible as error:
            refused[name] = error
    if not points:
        raise Infeasible(problem for error in refused.values() for problem in error.problems)
    return AmountChoice(_best(points), points, refused)


def _best(points: Mapping[str, AmountPoint]) -> tuple[str, ...]:
    """The names of the best, in the order given; by case, as models need not have seen the same number of them."""
    worth = {
        name: (point.sums.amount_caught if point.point.optimized == CAUGHT else -point.sums.cost) / point.prices.cases
        for name, point in points.items()
    }
    return tuple(name for name, value in worth.items() if value == max(worth.values()))
