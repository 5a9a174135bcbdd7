"""Truth for every measure: the textbook's definition in fractions, roots and logarithms to 50
digits. Imports nothing from baserate.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from tests.digits import mpmath

DIGITS = 50


class Matrix(NamedTuple):
    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction


@dataclass(frozen=True)
class Case:
    """Counted outcomes, the prior (None: the sample's own) and the costs of the outcomes; capitals
    are shares of the population.
    """

    counted: Matrix
    prior: Fraction | None
    costs: Matrix

    @classmethod
    def of(cls, counted, prior, costs):
        counts, money = (Matrix(*map(Fraction, values)) for values in (counted, costs))
        return cls(counts, None if prior is None else Fraction(prior), money)

    @cached_property
    def shares(self):
        tp, fp, fn, tn = self.counted
        if self.prior is None:
            return Matrix(*(value / (tp + fp + fn + tn) for value in self.counted))
        p, n = self.prior, 1 - self.prior
        return Matrix(
            p * tp / (tp + fn), n * fp / (fp + tn), p * fn / (tp + fn), n * tn / (fp + tn)
        )

    @cached_property
    def rates(self):
        tp, fp, fn, tn = self.counted
        return Matrix(tp / (tp + fn), fp / (fp + tn), fn / (tp + fn), tn / (fp + tn))

    @property
    def cost_terms(self):
        return [share * cost for share, cost in zip(self.shares, self.costs, strict=True)]

    @property
    def total_terms(self):
        return [count * cost for count, cost in zip(self.counted, self.costs, strict=True)]


def tpr(c):
    return c.counted.tp / (c.counted.tp + c.counted.fn)


def fpr(c):
    return c.counted.fp / (c.counted.fp + c.counted.tn)


def tnr(c):
    return c.counted.tn / (c.counted.fp + c.counted.tn)


def fnr(c):
    return c.counted.fn / (c.counted.tp + c.counted.fn)


def precision(c):
    return c.shares.tp / (c.shares.tp + c.shares.fp)


def npv(c):
    return c.shares.tn / (c.shares.tn + c.shares.fn)


def prior(c):
    return c.shares.tp + c.shares.fn


def f_beta(c, beta):
    if beta == math.inf:
        return c.shares.tp / (c.shares.tp + c.shares.fn)
    square = Fraction(beta) ** 2
    return (
        (1 + square)
        * c.shares.tp
        / ((1 + square) * c.shares.tp + c.shares.fp + square * c.shares.fn)
    )


def weighted_accuracy(c, w1, w2, w3, w4):
    a, b, d, e = map(Fraction, (w1, w2, w3, w4))
    tp, fp, fn, tn = c.shares
    return (a * tp + e * tn) / (a * tp + b * fp + d * fn + e * tn)


def kappa(c):
    tp, fp, fn, tn = c.shares
    observed, chance = tp + tn, (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)
    return (observed - chance) / (1 - chance)


def corrected(c, correction):
    return Matrix(*(value + Fraction(correction) for value in c.counted))


def diagnostic_odds_ratio(c, correction=0):
    tp, fp, fn, tn = corrected(c, correction)
    return tp * tn / (fp * fn)


def expected_cost(c):
    return sum(c.cost_terms)


def normalized_cost(c):
    positives, negatives = c.shares.tp + c.shares.fn, c.shares.fp + c.shares.tn
    perfect = positives * c.costs.tp + negatives * c.costs.tn
    wrong = positives * c.costs.fn + negatives * c.costs.fp
    return (expected_cost(c) - perfect) / (wrong - perfect)


def one_answer_terms(c):
    """The terms of the cheaper of flagging nothing and flagging everything."""
    positives, negatives = c.shares.tp + c.shares.fn, c.shares.fp + c.shares.tn
    nothing = (positives * c.costs.fn, negatives * c.costs.tn)
    everything = (positives * c.costs.tp, negatives * c.costs.fp)
    return min(nothing, everything, key=sum)


def savings(c):
    cheapest = sum(one_answer_terms(c))
    if cheapest <= 0:
        raise ZeroDivisionError("nothing to save")
    return 1 - expected_cost(c) / cheapest


def odds_to_act(c, t):
    if t is None:
        false_alarm, miss = c.costs.fp - c.costs.tn, c.costs.fn - c.costs.tp
        t = false_alarm / (false_alarm + miss)
    return Fraction(t) / (1 - Fraction(t))


def net_benefit(c, t=None):
    return c.shares.tp - c.shares.fp * odds_to_act(c, t)


def real(value):
    return mpmath().mpf(value.numerator) / value.denominator


def mcc(c):
    tp, fp, fn, tn = c.shares
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return real(tp * tn - fp * fn) / mpmath().sqrt(real(spread))


def sedi_terms(c, correction=0):
    tp, fp, fn, tn = corrected(c, correction)
    rates = (fp / (fp + tn), tp / (tp + fn), tn / (fp + tn), fn / (tp + fn))
    if 0 in rates:
        raise ZeroDivisionError("no logarithm of 0")
    return [mpmath().log(real(rate)) for rate in rates]


def sedi(c, correction=0):
    f, h, not_f, not_h = sedi_terms(c, correction)
    return (f - h - not_f + not_h) / (f + h + not_f + not_h)


RATIONAL = {
    "tp": lambda c: c.counted.tp,
    "fp": lambda c: c.counted.fp,
    "fn": lambda c: c.counted.fn,
    "tn": lambda c: c.counted.tn,
    "tpr": tpr,
    "fpr": fpr,
    "tnr": tnr,
    "fnr": fnr,
    "precision": precision,
    "npv": npv,
    "fdr": lambda c: 1 - precision(c),
    "false_omission_rate": lambda c: 1 - npv(c),
    "posfrac": lambda c: c.shares.tp + c.shares.fp,
    "accuracy": lambda c: c.shares.tp + c.shares.tn,
    "error": lambda c: c.shares.fp + c.shares.fn,
    "f1": lambda c: f_beta(c, 1),
    "f_beta": f_beta,
    "weighted_accuracy": weighted_accuracy,
    "jaccard": lambda c: c.shares.tp / (c.shares.tp + c.shares.fp + c.shares.fn),
    "balanced_accuracy": lambda c: (tpr(c) + tnr(c)) / 2,
    "informedness": lambda c: tpr(c) + tnr(c) - 1,
    "markedness": lambda c: precision(c) + npv(c) - 1,
    "kappa": kappa,
    "lr_positive": lambda c: tpr(c) / fpr(c),
    "lr_negative": lambda c: fnr(c) / tnr(c),
    "diagnostic_odds_ratio": diagnostic_odds_ratio,
    "total_cost": lambda c: sum(c.total_terms),
    "expected_cost": expected_cost,
    "normalized_cost": normalized_cost,
    "savings": savings,
    "net_benefit": net_benefit,
    "lift": lambda c: precision(c) / prior(c),
    "precision_gain": lambda c: (precision(c) - prior(c)) / ((1 - prior(c)) * precision(c)),
    "recall_gain": lambda c: (tpr(c) - prior(c)) / ((1 - prior(c)) * tpr(c)),
    "nne": lambda c: 1 / precision(c),
    "alerts": lambda c, volume: Fraction(volume) * (c.shares.tp + c.shares.fp),
    "caught": lambda c, volume: Fraction(volume) * c.shares.tp,
    "missed": lambda c, volume: Fraction(volume) * c.shares.fn,
    "false_alarms": lambda c, volume: Fraction(volume) * c.shares.fp,
    "volume_cost": lambda c, volume: Fraction(volume) * expected_cost(c),
}
IRRATIONAL = {
    "g_mean": lambda c: mpmath().sqrt(real(tpr(c) * tnr(c))),
    "fowlkes_mallows": lambda c: mpmath().sqrt(real(precision(c) * tpr(c))),
    "mcc": mcc,
    "sedi": sedi,
}
ORACLE = RATIONAL | IRRATIONAL


def sedi_scale(c, correction=0):
    terms = sedi_terms(c, correction)
    return max(map(abs, terms)) / abs(sum(terms))


def savings_scale(c):
    terms = one_answer_terms(c)
    cheapest = sum(terms)
    amplified = abs(expected_cost(c)) / cheapest * max(map(abs, terms)) / cheapest
    return max(1, max(map(abs, c.cost_terms)) / cheapest, amplified)


def kappa_scale(c):
    tp, fp, fn, tn = c.shares
    return 2 * max(tp * tn, fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def mcc_scale(c):
    tp, fp, fn, tn = c.shares
    return real(max(tp * tn, fp * fn)) / mpmath().sqrt(
        real((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    )


LARGEST_TERM = {
    "informedness": lambda c: max(tpr(c), fpr(c)),
    "markedness": lambda c: max(precision(c), 1 - npv(c)),
    "precision_gain": lambda c: max(1, fpr(c) / tpr(c)),
    "recall_gain": lambda c: max(1, prior(c) / (1 - prior(c)) * fnr(c) / tpr(c)),
    "mcc": mcc_scale,
    "kappa": kappa_scale,
    "sedi": sedi_scale,
    "total_cost": lambda c: max(map(abs, c.total_terms)),
    "expected_cost": lambda c: max(map(abs, c.cost_terms)),
    "volume_cost": lambda c, volume: Fraction(volume) * max(map(abs, c.cost_terms)),
    "savings": savings_scale,
    "net_benefit": lambda c, t=None: max(c.shares.tp, c.shares.fp * odds_to_act(c, t)),
}


def value(name, case, **parameters):
    """The exact value (50 digits of it where it is irrational), or None where the definition
    divides by 0.
    """
    try:
        with mpmath().workdps(DIGITS):
            return ORACLE[name](case, **parameters)
    except ZeroDivisionError:
        return None


def scale(name, case, **parameters):
    """The largest of the value and of the terms that it is summed from: what rounding errors are
    measured by.
    """
    with mpmath().workdps(DIGITS):
        return max(
            abs(formula(case, **parameters))
            for formula in (ORACLE[name], LARGEST_TERM.get(name, ORACLE[name]))
        )
