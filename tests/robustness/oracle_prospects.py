"""Truth for uncertain conditions, setting by setting in exact fractions. Imports nothing from
baserate.
"""

import itertools
from fractions import Fraction
from typing import NamedTuple

from tests.decisions import oracle_decisions

NOTHING, EVERYTHING = "flag nothing", "flag everything"


class Box(NamedTuple):
    """(low, high) of the prior and of each cost."""

    prior: tuple
    fp: tuple
    fn: tuple
    tp: tuple
    tn: tuple


def settings(models):
    """{(model, threshold): (fpr, tpr)}: every threshold of every model, and both answers for
    all.
    """
    found = {(NOTHING, None): (Fraction(0), Fraction(0))}
    for name, cells in models.items():
        for threshold, (tp, fp, fn, tn) in oracle_decisions.points(cells)[1:-1]:
            found[name, threshold] = fp / (fp + tn), tp / (tp + fn)
    return {**found, (EVERYTHING, None): (Fraction(1), Fraction(1))}


def cost(rates, prior, fp, fn, tp, tn):
    fpr, tpr = rates
    return prior * (tpr * tp + (1 - tpr) * fn) + (1 - prior) * (fpr * fp + (1 - fpr) * tn)


def least(every, where):
    return min(cost(rates, *where) for rates in every.values())


def corners(box):
    return set(itertools.product(*({Fraction(low), Fraction(high)} for low, high in box)))


def inside(box, steps):
    """A grid all over the box, its corners among it."""
    axes = [
        sorted(
            {Fraction(low) + (Fraction(high) - Fraction(low)) * k / steps for k in range(steps + 1)}
        )
        for low, high in box
    ]
    return itertools.product(*axes)


def worst(every, key, places):
    return max(cost(every[key], *where) - least(every, where) for where in places)


def minimax(every, places):
    """(regret, keys) of the settings whose largest regret is least."""
    places = list(places)
    best = [(least(every, where), where) for where in places]
    regrets = {
        key: max(cost(rates, *where) - low for low, where in best) for key, rates in every.items()
    }
    lowest = min(regrets.values())
    return lowest, [key for key, value in regrets.items() if value == lowest]
