"""The cheapest threshold where every case has its own amount: `choose_amount`, its costs and its
notes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, checked_conditions
from baserate.counts.amounts import Amounts, check_amounts
from baserate.counts.cells import Array
from baserate.counts.points import Points
from baserate.decisions.choose import (
    AmountCost,
    Question,
    Thresholds,
    choose_point,
)
from baserate.decisions.operating_point import (
    COSTS_MORE,
    choose_each,
    evaluate_on,
    on_budget,
    on_reading,
    resolution,
)
from baserate.decisions.roc_geometry import check_models
from baserate.decisions.rules import Rule, parse_rule
from baserate.errors import Fix, Note, combine, number_of, refuse
from baserate.measures.confusion import (
    Measure,
    confusion_at,
    label_shift_of,
    resolved_for,
)
from baserate.measures.registry import weight_of_negatives
from baserate.notation import NumberCheck, base_rate, checked_volume
from baserate.numbers import Floats, TableCells, exactly, format_cell, make_view, rounded
from baserate.results.choice import Choice, combine_notes
from baserate.results.notes import notes_by_model
from baserate.results.operating_point import (
    ON_SAME_CASES,
    OperatingPoint,
    describe_setting_in_full,
)

# ----------------------------------------------------------------------
# What flagging costs where every case has its own amount: a review for each alert, and what is lost
# on each positive.


# A cost beyond this is none.
LARGEST = 10**100
REVIEW = Fix("review=150", "--review 150")


class Sums(NamedTuple):
    """What a setting comes to over a number of cases, in exact numbers."""

    cost: Fraction
    alerts: Fraction
    amount_caught: Fraction
    amount_missed: Fraction
    amount_false_alarms: Fraction


@dataclass(frozen=True)
class Prices:
    """What a review costs, which share of a caught amount is recovered, and how the cases of a
    sample are weighed and scaled.

    Positives keep weight 1 and negatives get `weight`, so that the positives are `at.prior` of the
    whole; sums are scaled to `cases`.
    """

    review: Fraction
    recovered: Fraction
    at: Conditions
    weight: Fraction
    scale: Fraction
    cases: Fraction

    @classmethod
    def of(
        cls,
        points: Points,
        at: Conditions,
        review: Fraction,
        recovered: Fraction,
        volume: float | None,
    ) -> Prices:
        """At these conditions, over a volume of cases, or over as many as the sample has."""
        resolved = resolved_for(points, at, [Measure("expected_cost")])
        weight = weight_of_negatives(
            points.total_positives, points.total_negatives, resolved
        ) or Fraction(1)
        positives, negatives = exactly(points.total_positives), exactly(points.total_negatives)
        cases = positives + negatives if volume is None else exactly(volume)
        return cls(
            review, recovered, resolved, weight, cases / (positives + weight * negatives), cases
        )

    @property
    def objective(self) -> AmountCost:
        """What is made least."""
        return AmountCost(rounded(self.review), rounded(1 - self.recovered))


@dataclass(frozen=True)
class Priced:
    """The points of the counts, and beside them the amounts that each flags."""

    amounts: Amounts
    points: Points

    @classmethod
    def of(cls, amounts: Amounts) -> Priced:
        return cls(amounts, Points.of(amounts.counts))

    @property
    def total(self) -> Fraction:
        """The amount of all positives."""
        return self.amounts.exactly(self.amounts.caught_units[-1])

    def sums(self, point: OperatingPoint, prices: Prices) -> Sums:
        """What a setting comes to: review·alerts + the amount missed + what of the amount caught is
        not recovered.
        """
        caught = self.amount_flagged(self.amounts.caught_units, point)
        false_alarms = self.amount_flagged(self.amounts.false_alarm_units, point)
        alerts = exactly(point.confusion.tp) + prices.weight * exactly(point.confusion.fp)
        missed = self.total - caught
        cost = prices.review * alerts + missed + (1 - prices.recovered) * caught
        unscaled = (cost, alerts, caught, missed, prices.weight * false_alarms)
        return Sums(*(prices.scale * each for each in unscaled))

    def amount_flagged(self, units: Array, point: OperatingPoint) -> Fraction:
        """The amount that a setting flags, of units along the thresholds; of a share of the cases,
        on average.
        """
        upper = self.amounts.exactly(units[self.points.place(point.threshold)])
        if point.share == 1:
            return upper
        lower = self.amounts.exactly(units[self.points.place(point.lower_threshold)])
        return upper + point.exact_share * (lower - upper)

    def thresholds(self, *, averaged: bool = False) -> Thresholds:
        """Return what can be chosen; `averaged`: as if every positive were the mean."""
        units, decimals = self.amounts.caught_units, self.amounts.decimals
        caught, missed = _floats(units, decimals), _floats(units[-1] - units, decimals)
        if averaged:
            mean = caught[-1] / self.points.tp[-1]
            caught, missed = mean * self.points.tp, mean * self.points.fn
        return Thresholds(self.points, amounts=(caught, missed))

    def costs(self, prices: Prices) -> Floats:
        """The cost of every point, each right to a few units in the last place."""
        return rounded(prices.scale) * prices.objective.read(self.thresholds(), prices.at)

    def missed(self, prices: Prices) -> Floats:
        """The amount missed at every point."""
        units = self.amounts.caught_units
        return rounded(prices.scale) * _floats(units[-1] - units, self.amounts.decimals)


def _floats(units: Array, decimals: int) -> Floats:
    """Units as money; integers of any size become floats, each rounded once, and are then divided
    by a power of ten.
    """
    return units.astype(np.float64) / float(10**decimals)


checked_review = NumberCheck(
    "BR514", "what a review costs is a number, 0 or more", REVIEW, high=LARGEST
).exactly
checked_recovered = NumberCheck(
    "BR542",
    "the share recovered of a caught amount lies above 0 and not above 1",
    Fix("recovered=0.8", "--recovered 80%"),
    high=1,
    above_low=True,
).exactly


# ----------------------------------------------------------------------
# What a reader of a point chosen by amounts should know.


def on_choice(point: AmountPoint, priced: Priced, rule: Rule) -> Iterator[Note]:
    """Of a point that was chosen, also how it was."""
    yield from label_shift_of(point.at, point.confusion)
    yield from resolution(point, priced.points)
    if not rule.terms and point.regardless == 0:
        yield Note("BR524", "flagging nothing is cheapest: no review is worth its cost")
    elif not rule.terms and point.share == 1 and not point.fn and not point.tn:
        yield Note(
            "BR524",
            "flagging everything is cheapest: every review is worth its cost",
        )
    yield from on_budget(point, priced.points, rule, COSTS_MORE, _caught_by_draw(point))
    if point.regardless is None and len(priced.points) > 2:
        yield ON_SAME_CASES


def _caught_by_draw(point: AmountPoint) -> str:
    """The amount that a draw from a tie catches, and what luck can make of that."""
    low, high = point.caught_worst, point.caught_best
    luck = "" if low == high else f" on average, between {low:.6g} and {high:.6g}"
    return f"; amount caught {point.amount_caught:.6g}{luck}"


# ----------------------------------------------------------------------
# `choose_amount`: the cheapest threshold where a review costs the same for every alert, and a miss
# costs what the case is worth.


COST, CAUGHT = "cost", "amount_caught"
SUMS = (COST, "expected_cost", "alerts", CAUGHT, "amount_missed", "amount_false_alarms")
MONEY = frozenset(
    {"expected_cost", "normalized_cost", "total_cost", "savings", "net_benefit", "volume_cost"}
)


@dataclass(frozen=True, kw_only=True)
class AmountPoint(OperatingPoint):
    """Where is the classifier set, what does that cost, and how much money does it catch?

    Sums (`cost`, `alerts`, the amounts) are over `cases` cases at the base rate of `at`: the
    volume, or as many as the sample has. `expected_cost` is the cost per case. `tp`, `fp`, `fn` and
    `tn` are those of the sample. `nothing` and `everything` are what flagging none or all of the
    cases costs; `by_average` is the point that one would choose if every positive had the mean
    amount, at its true cost. Where a budget ends among equal scores, sums are expected values, and
    `caught_best` and `caught_worst` are the amounts of the luckiest and unluckiest draw.
    `intervals` holds the intervals of the cost and the amounts, by name, where they were requested.
    """

    prices: Prices
    sums: Sums
    nothing: float
    everything: float
    caught_best: float | None = None
    caught_worst: float | None = None
    by_average: AmountPoint | None = None

    @classmethod
    def of(cls, priced: Priced, point: OperatingPoint, prices: Prices) -> AmountPoint:
        """What a setting comes to."""
        nothing = prices.scale * priced.total
        everything = prices.review * prices.cases + (1 - prices.recovered) * nothing
        best, worst = _lucky(priced, point, prices) if point.best is not None else (None, None)
        setting = {one.name: getattr(point, one.name) for one in fields(OperatingPoint)}
        return cls(
            **setting,
            prices=prices,
            sums=priced.sums(point, prices),
            nothing=rounded(nothing),
            everything=rounded(everything),
            caught_best=best,
            caught_worst=worst,
        )

    def __getitem__(self, name: str | Measure) -> float:
        """Any measure at this point, and its sums by their names."""
        if name not in SUMS:
            return super().__getitem__(name)
        value: float = getattr(self, str(name))
        return value

    @property
    def question(self) -> Question:
        """The question that it answers."""
        rule = parse_rule(self.rule or None, self.volume)
        return Question(rule, self.prices.objective, self.at, self.optimized == CAUGHT)

    @property
    def cases(self) -> float:
        """How many cases the sums are over."""
        cases = self.prices.cases
        return int(cases) if cases.denominator == 1 else rounded(cases)

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

    def on(self, counts: Any, at: Conditions | None = None) -> AmountPoint:
        """The same setting on the amounts of other cases: what a threshold chosen on development
        data costs on test data.
        """
        priced = Priced.of(check_amounts(counts))
        moved = evaluate_on(self, priced.points, at)
        prices = Prices.of(
            priced.points, moved.at, self.prices.review, self.prices.recovered, moved.volume
        )
        notes = combine(priced.amounts.notes, moved.notes)
        return replace(AmountPoint.of(priced, moved, prices), notes=notes)

    def _table_cells(self) -> TableCells:
        names = ("tp", "fp", "fn", "tn", *SUMS)
        rows = [(name, format_cell(getattr(self, name))) for name in names]
        return ("", "value"), rows

    def __repr__(self) -> str:
        sums = (
            f"cost {self.cost:.15g}, amount caught {self.amount_caught:.15g}, missed"
            f" {self.amount_missed:.15g}"
        )
        return (
            f"AmountPoint: {describe_setting_in_full(self)}; {sums}, of"
            f" {number_of(self.cases, 'case')}; at a base rate of {base_rate(self.at.prior)}"
        )


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

    The cheapest point, by review·(TP + FP) + the amount missed, of those that satisfy the rule;
    flagging nothing and flagging everything are among them. `recovered` is the share of a caught
    amount that is not lost after all. At another prior than the sample's, positives and negatives
    are weighed by class. Equals go to the point that flags least. With a budget ("alerts <= 200"
    out of `volume`) and no `review`, the point that catches the largest amount.

    >>> import baserate as br
    >>> amounts = br.count([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], amount=[1000, 50, 20, 500, 300, 10])
    >>> point = br.choose(amounts, review=150)
    >>> point.threshold, point.cost
    (0.9, 470.0)
    >>> point.by_average.threshold, point.by_average.cost
    (0.2, 750.0)
    """  # noqa: E501
    volume, given, rules = _asked(rule, at, volume)
    priced = Priced.of(check_amounts(amounts))
    if len(priced.points) < 2:
        raise refuse(
            "BR552", "there are no cases to choose a threshold on", "count some cases first"
        )
    if review is None and rules.budget is None:
        raise refuse(
            "BR514", "what does a review cost? Without that, flagging everything is best", REVIEW
        )
    prices = Prices.of(
        priced.points, given, checked_review(review or 0), checked_recovered(recovered), volume
    )
    question = Question(rules, prices.objective, prices.at, use_up_budget=review is None)
    found = choose_point(priced.thresholds(), question)
    found = replace(found, volume=volume, optimized=CAUGHT if review is None else COST)
    chosen = AmountPoint.of(priced, found, prices)
    if review is not None and priced.points.total_positives:
        average = choose_point(priced.thresholds(averaged=True), question)
        average = replace(average, volume=volume)
        chosen = replace(chosen, by_average=AmountPoint.of(priced, average, prices))
    return replace(
        chosen, notes=combine(amounts.notes, (*given.notes, *on_choice(chosen, priced, rules)))
    )


def flag_amount_at(
    amounts: Amounts,
    threshold: float | None,
    *,
    review: float,
    recovered: float = 1,
    at: Conditions | None = None,
    volume: float | None = None,
) -> AmountPoint:
    """What does this threshold, set by hand, cost? None flags nothing.

    >>> import baserate as br
    >>> amounts = br.count([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], amount=[1000, 50, 20, 500, 300, 10])
    >>> br.choose(amounts, threshold=0.2, review=150).cost
    750.0
    """  # noqa: E501
    volume, given, _ = _asked(None, at, volume)
    priced = Priced.of(check_amounts(amounts))
    prices = Prices.of(
        priced.points, given, checked_review(review), checked_recovered(recovered), volume
    )
    point = OperatingPoint(
        threshold,
        confusion_at(priced.points, priced.points.place(threshold)),
        prices.at,
        volume=volume,
    )
    read = AmountPoint.of(priced, point, prices)
    return replace(
        read, notes=combine(amounts.notes, (*given.notes, *on_reading(point, priced.points)))
    )


def _asked(
    rule: str | None, at: Conditions | None, volume: float | None
) -> tuple[float | None, Conditions, Rule]:
    """What was requested, checked: amounts take the place of costs, so none may be given,
    nor bound by a rule.
    """
    cases, given = checked_volume(volume), checked_conditions(at)
    if given.costs_given:
        raise refuse(
            "BR513",
            "costs of outcomes are given beside amounts, which say what a miss costs",
            Fix(
                "Conditions(prior=…) without costs, and review=150",
                "--review 150 instead of --cost or --profit",
            ),
        )
    rules = parse_rule(rule, cases)
    priced = [term.measure.name for term in rules.terms if term.measure.name in MONEY]
    if priced:
        raise refuse(
            "BR533",
            f"{priced[0]} needs costs of outcomes, but here a miss costs its amount",
            "limit tpr, posfrac or alerts",
        )
    return cases, given, rules


def _lucky(priced: Priced, point: OperatingPoint, prices: Prices) -> tuple[float, float]:
    """The amount caught by the luckiest draw from a tie, the largest amounts first, and by the
    unluckiest, the smallest last.
    """
    points, amounts = priced.points, priced.amounts
    upper, lower = (points.place(cut) for cut in (point.threshold, point.lower_threshold))
    certain, last = int(points.tp[upper]), int(points.tp[lower])
    tied = amounts.cases[certain:last].tolist()
    caught = []
    for draw, order in ((point.best, tied), (point.worst, tied[::-1])):
        hits = exactly(draw.tp) - certain if draw is not None else Fraction(0)
        whole = math.floor(hits)
        units = sum(order[:whole]) + ((hits - whole) * order[whole] if hits > whole else 0)
        units += int(amounts.caught_units[upper])
        caught.append(rounded(prices.scale * Fraction(units) / 10**amounts.decimals))
    return caught[0], caught[1]


@dataclass(frozen=True)
class AmountChoice(Choice):
    """The best model by its amounts, where it is set, and what the others would do: as a `Choice`,
    by the cost or the amount caught. It has no `baselines`: what flagging nothing or everything
    costs is `nothing` and `everything` of each point, and `lead_over_baseline` the lead over the
    cheaper one.
    """

    points: Mapping[str, AmountPoint]

    @property
    def point(self) -> AmountPoint:
        return self.points[self.model]

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of every point and of its intervals, each once, with its models."""
        said = {
            name: (
                *point.notes,
                *(note for one in point.intervals.values() for note in one.notes),
            )
            for name, point in self.points.items()
        }
        return combine_notes(notes_by_model(said), self)

    def on(self, test: Mapping[str, Amounts], at: Conditions | None = None) -> AmountChoice:
        """The same choice on other cases, each model at the threshold that was chosen before."""
        found: AmountChoice = make_view("amounts on", self, test=test, at=at)
        return found


def chosen_among_amounts(
    models: Mapping[str, Amounts], rule: str | None = None, **options: Any
) -> AmountChoice:
    """Each model set by `choose_amount`, and the best of them; whether it is better than the others
    is not tested here.
    """
    check_models(models)
    points, refused = choose_each(models, lambda one: choose_amount(one, rule, **options))
    return AmountChoice(_best(points), points, refused)


def _best(points: Mapping[str, AmountPoint]) -> tuple[str, ...]:
    """The names of the best, in the order given; by case, as models need not have seen the same
    number of them.
    """
    worth = {
        name: (
            (point.sums.amount_caught if point.optimized == CAUGHT else -point.sums.cost)
            / point.prices.cases
        )
        for name, point in points.items()
    }
    return tuple(name for name, value in worth.items() if value == max(worth.values()))
