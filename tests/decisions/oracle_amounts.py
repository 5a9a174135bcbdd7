"""Costs by amounts, case by case: nothing is sorted, summed up along the way or rounded."""

from fractions import Fraction
from typing import NamedTuple


class Case(NamedTuple):
    score: float
    positive: bool
    amount: Fraction


def meant(number):
    """A float is the decimal that it prints."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def cases_of(labels, scores, amounts):
    return [
        Case(score, bool(label), meant(amount))
        for label, score, amount in zip(labels, scores, amounts, strict=True)
    ]


def cuts_of(cases):
    """Every threshold there is, from the one that flags least."""
    return [None, *sorted({case.score for case in cases}, reverse=True)]


def is_flagged(case, cut):
    return cut is not None and case.score >= cut


def expected_cost(
    cases, cut, review, *, prior=None, recovered=1, amount_of=lambda case: case.amount
):
    """prior·(review·tpr + lost/positives) + (1 − prior)·review·fpr; at the sample's own prior the
    mean cost of its cases.
    """
    lost = {True: Fraction(0), False: Fraction(0)}
    size = {True: 0, False: 0}
    for case in cases:
        size[case.positive] += 1
        if is_flagged(case, cut):
            lost[case.positive] += meant(review)
        if case.positive:
            lost[True] += amount_of(case) * (1 - meant(recovered) if is_flagged(case, cut) else 1)
    if prior is None:
        return (lost[True] + lost[False]) / (size[True] + size[False])
    return meant(prior) * lost[True] / size[True] + (1 - meant(prior)) * lost[False] / size[False]


def cheapest(cases, review, **how):
    """The cut with the lowest cost; of equals the first, which flags least."""
    costs = [
        (expected_cost(cases, cut, review, **how), place, cut)
        for place, cut in enumerate(cuts_of(cases))
    ]
    cost, _, cut = min(costs, key=lambda found: found[:2])
    return cut, cost


def cheapest_by_average(cases, review, **how):
    """The cut that the mean amount of the positives would choose, and what it truly costs."""
    positives = [case.amount for case in cases if case.positive]
    mean = sum(positives) / len(positives)
    cut, _ = cheapest(cases, review, amount_of=lambda _: mean, **how)
    return cut, expected_cost(cases, cut, review, **how)
