"""What each answer of the reference set is: every definition written out in exact fractions.

Nothing is imported from baserate, and no float takes part in an answer. A value is

* a `Fraction`, where it is rational;
* an `Enclosure`, where it is not: a function that gives, at any precision, two numbers between
  which the value lies (`mpmath.iv`, or sums of whole numbers rounded outwards);
* `Undefined`, with the reason, where the definition divides by zero or has no meaning.

Cells are (score, positives, negatives) with the highest score first; a case is flagged where its
score is at least the threshold; equal scores are one cell.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise

from mpmath import iv

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


class Undefined(Exception):  # noqa: N818 (a result, not a mistake)
    """No number, and why."""


def over(part, whole, why):
    """A quotient; a division by zero is undefined."""
    if whole == 0:
        raise Undefined(why)
    return Fraction(part) / whole


# ----------------------------------------------------------------------
# Irrational values: enclosed between two fractions at any precision.


@dataclass(frozen=True)
class Enclosure:
    """A number known by bounds: `bounds(bits)` gives a lower and an upper fraction."""

    bounds: Callable[[int], tuple[Fraction, Fraction]]


def enclosed(formula):
    """The enclosure that a formula in interval arithmetic gives."""

    def bounds(bits):
        iv.prec = bits
        return ends(formula())

    return Enclosure(bounds)


def ends(interval):
    """Both ends of an interval as fractions."""
    return tuple(_exact(end) for end in interval._mpi_)


def _exact(raw):
    sign, mantissa, exponent, _ = raw
    whole = int(mantissa) * (-1 if sign else 1)
    return Fraction(whole << exponent) if exponent >= 0 else Fraction(whole, 1 << -exponent)


def real(value):
    """A fraction as an interval."""
    value = Fraction(value)
    return iv.mpf(value.numerator) / iv.mpf(value.denominator)


def root(square):
    """The square root of a fraction: a fraction where it is one."""
    square = Fraction(square)
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if above * above == square.numerator and below * below == square.denominator:
        return Fraction(above, below)
    return enclosed(lambda: iv.sqrt(real(square)))


def log_sum(constant, terms):
    """constant + Σ factor · ln(argument): a fraction where no logarithm is left."""
    kept = [(factor, argument) for factor, argument in terms if factor and argument != 1]
    if not kept:
        return Fraction(constant)
    return enclosed(
        lambda: real(constant) + sum(real(factor) * iv.log(real(at)) for factor, at in kept)
    )


# ----------------------------------------------------------------------
# Measures of one threshold.


@dataclass(frozen=True)
class Costs:
    """What each outcome costs."""

    tp: Fraction = ZERO
    fp: Fraction = ONE
    fn: Fraction = ONE
    tn: Fraction = ZERO


@dataclass(frozen=True)
class Outcomes:
    """Counted outcomes at a threshold, the prior (None: the sample's own) and the costs.

    Capitals are shares of the population: at a prior, the positives of the sample stand for that
    share of all cases and the negatives for the rest.
    """

    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction
    prior: Fraction | None
    costs: Costs

    @cached_property
    def shares(self):
        """(TP, FP, FN, TN) as shares of all cases."""
        if self.prior is None:
            everything = self.tp + self.fp + self.fn + self.tn
            return tuple(
                over(one, everything, "no cases") for one in (self.tp, self.fp, self.fn, self.tn)
            )
        ours, theirs = self.prior, 1 - self.prior
        return (
            ours * self.tpr,
            theirs * self.fpr,
            ours * (1 - self.tpr),
            theirs * (1 - self.fpr),
        )

    @property
    def tpr(self):
        return over(self.tp, self.tp + self.fn, "no positives")

    @property
    def fpr(self):
        return over(self.fp, self.fp + self.tn, "no negatives")

    TP = property(lambda self: self.shares[0])
    FP = property(lambda self: self.shares[1])
    FN = property(lambda self: self.shares[2])
    TN = property(lambda self: self.shares[3])
    P = property(lambda self: self.TP + self.FN)
    N = property(lambda self: self.FP + self.TN)


FLAGGED, PASSED = "nothing is flagged", "everything is flagged"
NONE_CAUGHT, EMPTY = "nothing flagged is positive", "a row or a column of the confusion is empty"


def precision(o):
    return over(o.TP, o.TP + o.FP, FLAGGED)


def npv(o):
    return over(o.TN, o.TN + o.FN, PASSED)


def f_beta(o, beta):
    square = Fraction(beta) ** 2
    caught = (1 + square) * o.TP
    return over(caught, caught + o.FP + square * o.FN, "no positives and nothing flagged")


def weighted_accuracy(o, w1, w2, w3, w4):
    right = w1 * o.TP + w4 * o.TN
    return over(right, right + w2 * o.FP + w3 * o.FN, "nothing that has a weight")


def mcc(o):
    gap = o.TP * o.TN - o.FP * o.FN
    square = over(gap * gap, (o.TP + o.FP) * (o.FN + o.TN) * o.P * o.N, EMPTY)
    value = root(square)
    if gap >= 0:
        return value
    if isinstance(value, Fraction):
        return -value
    return enclosed(lambda: -iv.sqrt(real(square)))


def kappa(o):
    agreed = o.TP + o.TN
    chance = (o.TP + o.FP) * o.P + (o.FN + o.TN) * o.N
    return over(agreed - chance, 1 - chance, "one class only, and one answer for all")


def corrected(o, correction):
    return tuple(value + correction for value in (o.tp, o.fp, o.fn, o.tn))


def odds_ratio(o, correction=ZERO):
    tp, fp, fn, tn = corrected(o, correction)
    return over(tp * tn, fp * fn, "no false positives or no false negatives")


def sedi(o, correction=ZERO):
    tp, fp, fn, tn = corrected(o, correction)
    hit, alarm = over(tp, tp + fn, "no positives"), over(fp, fp + tn, "no negatives")
    if hit in (0, 1) or alarm in (0, 1):
        raise Undefined("a rate of 0 or 1 has no logarithm")
    wrong, right = alarm * (1 - hit), hit * (1 - alarm)
    if wrong == right:
        return ZERO
    return enclosed(lambda: iv.log(real(wrong / right)) / iv.log(real(wrong * right)))


def expected_cost(o):
    c = o.costs
    return o.TP * c.tp + o.FP * c.fp + o.FN * c.fn + o.TN * c.tn


def normalized_cost(o):
    c = o.costs
    perfect, wrong = o.P * c.tp + o.N * c.tn, o.P * c.fn + o.N * c.fp
    return over(expected_cost(o) - perfect, wrong - perfect, "no cases")


def savings(o):
    c = o.costs
    cheapest = min(o.P * c.fn + o.N * c.tn, o.P * c.tp + o.N * c.fp)
    if cheapest <= 0:
        raise Undefined("one answer for all costs nothing or less")
    return 1 - expected_cost(o) / cheapest


def net_benefit(o, t=None):
    if t is None:
        alarm, miss = o.costs.fp - o.costs.tn, o.costs.fn - o.costs.tp
        t = alarm / (alarm + miss)
    return o.TP - o.FP * t / (1 - t)


VOLUME = Fraction(10_000)
# By the name that a tool answers to.
MEASURES = {
    "tp": lambda o: o.tp,
    "fp": lambda o: o.fp,
    "fn": lambda o: o.fn,
    "tn": lambda o: o.tn,
    "tpr": lambda o: o.tpr,
    "fpr": lambda o: o.fpr,
    "tnr": lambda o: 1 - o.fpr,
    "fnr": lambda o: 1 - o.tpr,
    "precision": precision,
    "npv": npv,
    "fdr": lambda o: 1 - precision(o),
    "false_omission_rate": lambda o: 1 - npv(o),
    "posfrac": lambda o: o.TP + o.FP,
    "accuracy": lambda o: o.TP + o.TN,
    "error": lambda o: o.FP + o.FN,
    "f1": lambda o: f_beta(o, 1),
    "f_beta(beta=2)": lambda o: f_beta(o, 2),
    "f_beta(beta=0.5)": lambda o: f_beta(o, HALF),
    "weighted_accuracy(w1=5, w2=1, w3=4, w4=2)": lambda o: weighted_accuracy(o, 5, 1, 4, 2),
    "jaccard": lambda o: over(o.TP, o.TP + o.FP + o.FN, "no positives and nothing flagged"),
    "precision_gain": lambda o: 1 - over(o.fpr, o.tpr, NONE_CAUGHT),
    "recall_gain": lambda o: 1 - over(o.P, o.N, "no negatives") * over(o.FN, o.TP, NONE_CAUGHT),
    "balanced_accuracy": lambda o: (o.tpr + 1 - o.fpr) / 2,
    "informedness": lambda o: o.tpr - o.fpr,
    "markedness": lambda o: precision(o) + npv(o) - 1,
    "g_mean": lambda o: root(o.tpr * (1 - o.fpr)),
    "fowlkes_mallows": lambda o: root(precision(o) * o.tpr),
    "mcc": mcc,
    "kappa": kappa,
    "lr_positive": lambda o: over(o.tpr, o.fpr, "no false positives"),
    "lr_negative": lambda o: over(1 - o.tpr, 1 - o.fpr, "no true negatives"),
    "diagnostic_odds_ratio": odds_ratio,
    "diagnostic_odds_ratio(correction=0.5)": lambda o: odds_ratio(o, HALF),
    "sedi": sedi,
    "sedi(correction=0.5)": lambda o: sedi(o, HALF),
    "total_cost": lambda o: (
        o.tp * o.costs.tp + o.fp * o.costs.fp + o.fn * o.costs.fn + o.tn * o.costs.tn
    ),
    "expected_cost": expected_cost,
    "normalized_cost": normalized_cost,
    "savings": savings,
    "net_benefit": net_benefit,
    "net_benefit(t=0.25)": lambda o: net_benefit(o, Fraction(1, 4)),
    "lift": lambda o: over(precision(o), o.P, "no positives"),
    "nne": lambda o: over(o.TP + o.FP, o.TP, NONE_CAUGHT),
    "alerts(volume=10000)": lambda o: VOLUME * (o.TP + o.FP),
    "caught(volume=10000)": lambda o: VOLUME * o.TP,
    "missed(volume=10000)": lambda o: VOLUME * o.FN,
    "false_alarms(volume=10000)": lambda o: VOLUME * o.FP,
    "volume_cost(volume=10000)": lambda o: VOLUME * expected_cost(o),
}


# ----------------------------------------------------------------------
# The ROC, its hull and the lower envelope of costs.


class Sample:
    """Cells with a prior and costs, and what follows from them."""

    def __init__(self, cells, prior=None, costs=None):
        self.cells, self.given, self.costs = cells, prior, costs or Costs()
        self.positives = sum((p for _, p, _ in cells), ZERO)
        self.negatives = sum((n for _, _, n in cells), ZERO)

    @cached_property
    def counted(self):
        """(TP, FP) of every threshold, from nothing flagged to everything."""
        found = [(ZERO, ZERO)]
        for _, ours, theirs in self.cells:
            found.append((found[-1][0] + ours, found[-1][1] + theirs))
        return found

    def outcomes(self, place):
        """The outcomes with the first `place` cells flagged."""
        tp, fp = self.counted[place]
        return Outcomes(tp, fp, self.positives - tp, self.negatives - fp, self.given, self.costs)

    def both(self):
        """Refuse a sample of one class."""
        if not self.positives or not self.negatives:
            raise Undefined("no positives" if self.negatives else "no negatives")
        return self

    @cached_property
    def prior(self):
        return self.given or self.positives / (self.positives + self.negatives)

    @cached_property
    def skew(self):
        """Negatives for each positive."""
        return (1 - self.prior) / self.prior

    @cached_property
    def roc(self):
        """(fpr, tpr) of every threshold."""
        self.both()
        return [(fp / self.negatives, tp / self.positives) for tp, fp in self.counted]

    @cached_property
    def hull(self):
        """The places of the corners of the upper hull of the ROC."""
        kept = []
        for place, (x, y) in enumerate(self.roc):
            while len(kept) > 1:
                (x0, y0), (x1, y1) = (self.roc[one] for one in kept[-2:])
                if (x1 - x0) * (y - y0) < (y1 - y0) * (x - x0):
                    break
                kept.pop()
            kept.append(place)
        return kept

    @cached_property
    def probabilities(self):
        """[(probability, share of cases with it that are positive, negative)], highest first."""
        if any(not 0 <= score <= 1 for score, _, _ in self.cells):
            raise Undefined("the scores are not probabilities")
        if self.given is None:
            whole = self.positives + self.negatives
            return [(score, p / whole, n / whole) for score, p, n in self.cells]
        self.both()
        ours, theirs = self.given / self.positives, (1 - self.given) / self.negatives
        return [(score, ours * p, theirs * n) for score, p, n in self.cells]

    def forecast(self, calibrated_at=None):
        """The probabilities, corrected from the base rate at which they are calibrated."""
        found = self.probabilities
        if calibrated_at is None:
            return found
        self.both()
        factor = self.prior / (1 - self.prior) / (calibrated_at / (1 - calibrated_at))
        return [(q * factor / (q * factor + 1 - q), p, n) for q, p, n in found]

    def blocks(self, found):
        """The forecast in the blocks of the best monotone recalibration: the edges of the hull."""
        return [found[start:end] for start, end in pairwise(self.hull)]


def envelope(points):
    """The straight pieces [(x0, x1, fpr, tpr)] of the lowest of the lines e·fnr + (1 − e)·fpr.

    From left to right; neighbours on the hull cost the same where e·Δtpr = (1 − e)·Δfpr.
    """
    pieces, left = [], ZERO
    for (x0, y0), (x1, y1) in pairwise(points):
        across, up = x1 - x0, y1 - y0
        place = across / (across + up)
        if place > left:
            pieces.append((left, place, x0, y0))
            left = place
    if left < 1:
        pieces.append((left, ONE, *points[-1]))
    return pieces


# ----------------------------------------------------------------------
# Summaries.


def auc(s):
    """The share of pairs in the right order, ties counting one half."""
    s.both()
    below, won = s.negatives, ZERO
    for _, ours, theirs in s.cells:
        below -= theirs
        won += ours * (below + theirs / 2)
    return won / (s.positives * s.negatives)


def area(points, low=ZERO, high=ONE):
    """The area under straight pieces between two abscissas."""
    total = ZERO
    for (x0, y0), (x1, y1) in pairwise(points):
        left, right = max(x0, low), min(x1, high)
        if left < right:
            slope = (y1 - y0) / (x1 - x0)
            total += (right - left) * (y0 + slope * ((left + right) / 2 - x0))
    return total


def right_of(points):
    """(tpr, 1 − fpr)."""
    return [(y, 1 - x) for x, y in points]


def partial_auc(s, axis, low, high, *, standardized=False):
    found = area(s.roc if axis == "fpr" else right_of(s.roc), low, high)
    if not standardized:
        return found
    triangle = (high**2 - low**2) / 2
    chance = triangle if axis == "fpr" else high - low - triangle
    return (1 + (found - chance) / (high - low - chance)) / 2


def min_cost(s):
    return min(expected_cost(s.outcomes(place)) for place in range(len(s.counted)))


def hull_points(s):
    return [s.roc[place] for place in s.hull]


def cost_pieces(s):
    """[(x0, y0, x1, y1)] of the cost curve."""
    return [
        (a, a * (1 - y) + (1 - a) * x, b, b * (1 - y) + (1 - b) * x)
        for a, b, x, y in envelope(hull_points(s))
    ]


def weights(count, alpha):
    """Each strip passes the share alpha of what it has to the next; the last keeps all."""
    found, passed = [], ZERO
    for place in range(count):
        held = 1 + passed
        passed = alpha * held if place < count - 1 else ZERO
        found.append(held - passed)
    return found


def strips(points, count, alpha):
    """Areas under straight pieces in strips of equal width, weighed."""
    return sum(
        weight * area(points, Fraction(k, count), Fraction(k + 1, count))
        for k, weight in enumerate(weights(count, alpha))
    )


def segments(s, alpha):
    pieces = list(pairwise(right_of(s.roc)))
    return sum(
        weight * (x1 - x0) * (y0 + y1) / 2
        for weight, ((x0, y0), (x1, y1)) in zip(weights(len(pieces), alpha), pieces, strict=True)
    )


def continuous(s, alpha):
    """∫ (1 − αᵘ)·(1 − fpr) du over tpr u, the rest of the mass at the lowest fpr with tpr 1."""
    points = right_of(s.roc)
    top = max(y for x, y in points if x == 1)

    def formula():
        rate = iv.log(real(alpha))
        total = real(area(points)) + (1 - real(alpha)) / -rate * real(top)
        for (x0, y0), (x1, y1) in pairwise(points):
            if x1 > x0:
                slope = real((y1 - y0) / (x1 - x0))
                first, last = iv.exp(rate * real(x0)), iv.exp(rate * real(x1))
                # ∫ αᵘ·y du by parts, y straight.
                total -= (last * real(y1) - first * real(y0)) / rate
                total += slope * (last - first) / rate**2
        return total

    return enclosed(formula)


def pr_terms(s, low=ZERO, high=ONE):
    """∫ precision d tpr between two tpr: a fraction, and logarithms [(factor, argument)].

    Along an edge of the ROC what is flagged is a·t + b, t the tpr, in units of the positives.
    """
    constant, terms = ZERO, []
    for (x0, y0), (x1, y1) in pairwise(s.roc):
        left, right = max(y0, low), min(y1, high)
        if left >= right:
            continue
        a = 1 + s.skew * (x1 - x0) / (y1 - y0)
        b = s.skew * (x0 - y0 * (x1 - x0) / (y1 - y0))
        constant += (right - left) / a
        if b:
            terms.append((-b / a**2, (a * right + b) / (a * left + b)))
    return constant, terms


def weighted_pr_area(s, count, alpha):
    constant, terms = ZERO, []
    for k, weight in enumerate(weights(count, alpha)):
        part, logs = pr_terms(s, Fraction(k, count), Fraction(k + 1, count))
        constant += weight * part
        terms += [(weight * factor, argument) for factor, argument in logs]
    return log_sum(constant, terms)


def average_precision(s):
    return sum(
        (y1 - y0) * y1 / (y1 + s.skew * x1) for (_, y0), (x1, y1) in pairwise(s.roc) if y1 > y0
    )


def brier(found):
    return sum(ours * (1 - q) ** 2 + theirs * q**2 for q, ours, theirs in found)


def recalibrated(s):
    """The Brier score of the best monotone recalibration."""
    total = ZERO
    for block in s.blocks(s.probabilities):
        ours, theirs = sum(p for _, p, _ in block), sum(n for _, _, n in block)
        total += ours * theirs / (ours + theirs)
    return total


def log_loss(found):
    terms = []
    for q, ours, theirs in found:
        if (ours and q == 0) or (theirs and q == 1):
            raise Undefined("infinite: a positive has probability 0, or a negative probability 1")
        terms += [(-ours, q), (-theirs, 1 - q)]
    return log_sum(ZERO, terms)


def binned(found, count):
    """The forecast in bins of equal width; an edge belongs to the bin above it."""
    bins = {}
    for q, ours, theirs in found:
        bins.setdefault(min(int(q * count), count - 1), []).append((q, ours, theirs))
    return list(bins.values())


def calibration_error(blocks):
    return sum(abs(sum((p + n) * q - p for q, p, n in block)) for block in blocks)


# The H-measure: the cost share c of a false positive is Beta(a, b).


def loss_pieces(s, points):
    """[(c0, c1, height, slope)]: the lowest expected loss along the cost share c."""
    ours, theirs = s.prior, 1 - s.prior
    pieces, high = [], ONE
    for (x0, y0), (x1, y1) in pairwise(points):
        up, across = ours * (y1 - y0), theirs * (x1 - x0)
        low = up / (up + across)
        if low < high:
            pieces.append((low, high, ours * (1 - y0), theirs * x0 - ours * (1 - y0)))
            high = low
    x, y = points[-1]
    if high > 0:
        pieces.append((ZERO, high, ours * (1 - y), theirs * x - ours * (1 - y)))
    return pieces


def h_whole(s, a, b):
    """1 − L / L_ref for whole a and b: polynomials."""

    def loss(points):
        return sum(
            height * polynomial(a, b, low, high) + slope * polynomial(a + 1, b, low, high)
            for low, high, height, slope in loss_pieces(s, points)
        )

    return 1 - loss(hull_points(s)) / loss([s.roc[0], s.roc[-1]])


def polynomial(a, b, low, high):
    """∫ cᵃ⁻¹ (1 − c)ᵇ⁻¹ dc between two c."""
    return sum(
        Fraction(math.comb(b - 1, k) * (-1) ** k, a + k) * (high ** (a + k) - low ** (a + k))
        for k in range(b)
    )


def h_measure(s):
    """1 − L / L_ref with Beta(1 + π₁, 1 + π₀)."""
    a, b = 1 + s.prior, 2 - s.prior
    pieces, reference = (
        loss_pieces(s, points) for points in (hull_points(s), [s.roc[0], s.roc[-1]])
    )
    if len(hull_points(s)) == 2:
        return ZERO
    if all(height == slope == 0 for _, _, height, slope in pieces):
        return ONE

    def formula():
        known = {}

        def loss(parts):
            return sum(
                real(height) * beta_between(a, b, low, high, known)
                + real(slope) * beta_between(a + 1, b, low, high, known)
                for low, high, height, slope in parts
                if height or slope
            )

        return 1 - loss(pieces) / loss(reference)

    return enclosed(formula)


def beta_between(a, b, low, high, known):
    return beta_part(a, b, high, known) - beta_part(a, b, low, known)


def beta_part(a, b, x, known):
    """∫ from 0 to x of cᵃ⁻¹ (1 − c)ᵇ⁻¹ dc, as an interval; from the nearer end."""
    if (a, b, x) not in known:
        if x in (0, 1):
            known[a, b, x] = iv.mpf(0) if x == 0 else whole_beta(a, b)
        elif x <= HALF:
            known[a, b, x] = lower_beta(a, b, x)
        else:
            known[a, b, x] = whole_beta(a, b) - lower_beta(b, a, 1 - x)
    return known[a, b, x]


def whole_beta(a, b):
    """B(a, b): exact for multiples of one half, else by both halves."""
    a, b = Fraction(a), Fraction(b)
    if (2 * a).denominator == (2 * b).denominator == 1:
        parts = gamma(a), gamma(b), gamma(a + b)
        halves = parts[0][1] + parts[1][1] - parts[2][1]
        return real(parts[0][0] * parts[1][0] / parts[2][0]) * iv.sqrt(iv.pi) ** halves
    return lower_beta(a, b, HALF) + lower_beta(b, a, HALF)


@cache
def gamma(a):
    """Γ of a multiple of one half: a fraction, and how often √π stands beside it."""
    if a.denominator == 1:
        return Fraction(math.factorial(int(a) - 1)), 0
    n = int(a - HALF)
    return Fraction(math.factorial(2 * n), 4**n * math.factorial(n)), 1


def lower_beta(a, b, x):
    """xᵃ (1 − x)ᵇ / a · Σ Π (a + b + k) / (a + 1 + k) · x: every term is positive."""
    low, high = series(Fraction(a), Fraction(b), Fraction(x), iv.prec + 40)
    power = iv.exp(real(a) * iv.log(real(x)) + real(b) * iv.log(real(1 - x)))
    return power / real(a) * iv.mpf([real(low).a, real(high).b])


def series(a, b, x, bits):
    """Bounds of 1 + Σ Π (a + b + k) / (a + 1 + k) · x, in whole numbers rounded outwards."""
    unit = 1 << bits
    low = high = sum_low = sum_high = unit
    common = math.lcm(a.denominator, b.denominator)
    top, bottom = int((a + b) * common), int((a + 1) * common)
    while True:
        above, below = top * x.numerator, bottom * x.denominator
        low, high = low * above // below, -(-high * above // below)
        sum_low, sum_high = sum_low + low, sum_high + high
        top, bottom = top + common, bottom + common
        if high >> 16:
            continue
        ratio = max(Fraction(top, bottom) * x, x)
        if ratio < 1:  # the rest is a geometric series at most
            sum_high += math.ceil(high * ratio / (1 - ratio)) + 1
            return Fraction(sum_low, unit), Fraction(sum_high, unit)


QUARTER, EIGHTH = Fraction(1, 4), Fraction(1, 8)
SUMMARIES = {
    "auc": auc,
    "gini": lambda s: 2 * auc(s) - 1,
    "ks": lambda s: max(y - x for x, y in s.roc),
    "partial_auc(fpr=0..0.25)": lambda s: partial_auc(s, "fpr", ZERO, QUARTER),
    "partial_auc(fpr=0.125..0.5, standardized)": lambda s: partial_auc(
        s, "fpr", EIGHTH, HALF, standardized=True
    ),
    "partial_auc(tpr=0.5..1)": lambda s: partial_auc(s, "tpr", HALF, ONE),
    "partial_auc(tpr=0.75..1, standardized)": lambda s: partial_auc(
        s, "tpr", Fraction(3, 4), ONE, standardized=True
    ),
    "min_cost": min_cost,
    "cost_area": lambda s: sum((b - a) * (y0 + y1) / 2 for a, y0, b, y1 in cost_pieces(s)),
    "h_measure": h_measure,
    "h_measure(prior=hand-2009)": lambda s: h_whole(s, 2, 2),
    "h_measure(severity_ratio=0.25)": lambda s: h_whole(s, 2, 5),
    "auprc": lambda s: log_sum(*pr_terms(s)),
    "average_precision": average_precision,
    "weighted_auc(alpha=0.5)": lambda s: strips(right_of(s.roc), 10, HALF),
    "weighted_auc(alpha=0.75, strips=4)": lambda s: strips(right_of(s.roc), 4, Fraction(3, 4)),
    "weighted_auc(alpha=0.5, strips=segments)": lambda s: segments(s, HALF),
    "weighted_auc(alpha=0.5, strips=continuous)": lambda s: continuous(s, HALF),
    "weighted_pr_area(alpha=0.5)": lambda s: weighted_pr_area(s, 10, HALF),
    "weighted_cost_area(alpha=0.5)": lambda s: strips(
        [(0, 0), *((b, y1) for _, _, b, y1 in cost_pieces(s))], 10, HALF
    ),
    "brier": lambda s: brier(s.probabilities),
    "brier(calibrated_at=0.25)": lambda s: brier(s.forecast(QUARTER)),
    "miscalibration": lambda s: brier(s.probabilities) - recalibrated(s),
    "discrimination": lambda s: s.prior * (1 - s.prior) - recalibrated(s),
    "uncertainty": lambda s: s.probabilities and s.prior * (1 - s.prior),
    "log_loss": lambda s: log_loss(s.probabilities),
    "log_loss(calibrated_at=0.25)": lambda s: log_loss(s.forecast(QUARTER)),
    "calibration_error": lambda s: calibration_error(s.blocks(s.probabilities)),
    "calibration_error(calibrated_at=0.25)": lambda s: calibration_error(
        s.blocks(s.forecast(QUARTER))
    ),
    "calibration_error(bins=4)": lambda s: calibration_error(binned(s.probabilities, 4)),
}


# ----------------------------------------------------------------------
# Curves: a list of (x, y), None where a coordinate is undefined.


def along(s, x, y, places=None, *, limit=False):
    """Two measures along the thresholds; with `limit`, the first point is read on the first edge,
    half-way, where a quotient has the value that it keeps down to the origin.
    """
    if s.given is not None:
        s.both()  # a class that is missing cannot be weighed to a prior
    found = []
    places = range(len(s.counted)) if places is None else places
    for place in places:
        outcomes = s.outcomes(place)
        if limit and place == 0:
            first = s.outcomes(list(places)[1])
            half = Outcomes(
                first.tp / 2,
                first.fp / 2,
                s.positives - first.tp / 2,
                s.negatives - first.fp / 2,
                s.given,
                s.costs,
            )
            pair = tuple(
                value(MEASURES[axis], half if axis in LIMITS else outcomes) for axis in (x, y)
            )
        else:
            pair = tuple(value(MEASURES[axis], outcomes) for axis in (x, y))
        found.append(pair)
    return found


LIMITS = ("precision", "fdr", "lift")  # 0/0 at the origin


def value(formula, subject):
    """The value, or None where it is undefined."""
    try:
        return formula(subject)
    except Undefined:
        return None


def cost_curve(s):
    pieces = cost_pieces(s)
    return [(pieces[0][0], pieces[0][1]), *((b, y1) for _, _, b, y1 in pieces)]


def brier_curve(s):
    """Both ends of the cost shares between two scores, from everything flagged to nothing."""
    scores = [ONE, *(q for q, _, _ in s.probabilities), ZERO]
    found = []
    for place in reversed(range(len(s.counted))):
        o = s.outcomes(place)
        ends_of = (scores[place + 1], scores[place])
        found += [(c, 2 * (c * o.FP + (1 - c) * o.FN)) for c in ends_of]
    return found


def decision_curve(s):
    """Net benefit at the probability of each score, moved from the sample's prior to the given one;
    from the lowest up, none at 1.
    """
    sample = s.positives / (s.positives + s.negatives)
    found = s.forecast(None if s.given is None else sample)
    return [
        (t, net_benefit(s.outcomes(place), t))
        for place, (t, _, _) in reversed(list(enumerate(found, start=1)))
        if t < 1
    ]


def reliability(blocks):
    """(mean score, share of positives), from low scores to high."""
    found = []
    for block in reversed(blocks):
        mass = sum(p + n for _, p, n in block)
        found.append(
            (sum((p + n) * q for q, p, n in block) / mass, sum(p for _, p, _ in block) / mass)
        )
    return found


def along_scores(s, name):
    if s.given is not None:
        s.both()
    return [
        (score, value(MEASURES[name], s.outcomes(place)))
        for place, (score, _, _) in enumerate(s.cells, start=1)
    ]


def as_counted(s):
    """The sample at its own prior, for curves that do not depend on one."""
    return Sample(s.cells)


CURVES = {
    "roc": lambda s: along(as_counted(s), "fpr", "tpr"),
    "roc_hull": hull_points,
    "det": lambda s: along(as_counted(s), "fpr", "fnr"),
    "pr": lambda s: along(s, "tpr", "precision", limit=True),
    "pr_gain": lambda s: along(s, "recall_gain", "precision_gain"),
    "broc": lambda s: along(s, "fdr", "tpr", s.hull, limit=True),
    "posfrac": lambda s: along(s, "tpr", "posfrac"),
    "gain": lambda s: along(s, "posfrac", "tpr"),
    "lift": lambda s: along(s, "posfrac", "lift", limit=True),
    "ks": lambda s: along_scores(as_counted(s), "informedness"),
    "cost": cost_curve,
    "cost_threshold": lambda s: along_scores(s, "expected_cost"),
    "brier": brier_curve,
    "decision": decision_curve,
    "reliability": lambda s: reliability(s.blocks(s.probabilities)),
    "reliability(bins=4)": lambda s: reliability(binned(s.probabilities, 4)),
}


# ----------------------------------------------------------------------
# Intervals, two-sided 95 % unless a bound is named.

TAIL, ONE_SIDED = Fraction(1, 40), Fraction(1, 20)


def enclosed_root(rises, guess, digits=24):
    """The place where an increasing function passes 0: a guess, widened until its signs differ.

    `rises(x)` gives the sign of the function at x as bounds of its value.
    """

    def bounds(_bits):
        near = Fraction(guess)
        width = abs(near) / 10**digits
        low, high = near - width, near + width
        if not (rises(low)[1] < 0 < rises(high)[0]):
            raise ArithmeticError("the guess of a quantile is not good enough")
        return low, high

    return Enclosure(bounds)


def beta_quantile(a, b, share):
    """The quantile of a Beta distribution: found by Newton's steps, then proved by two signs."""
    a, b, share = Fraction(a), Fraction(b), Fraction(share)
    iv.prec = 160
    whole = whole_beta(a, b)

    def gap(x):
        return ends(beta_part(a, b, x, {}) / whole - real(share))

    x = Fraction(_float_quantile(float(a), float(b), float(share)))
    for _ in range(6):
        low, high = gap(x)
        density = iv.exp((real(a) - 1) * iv.log(real(x)) + (real(b) - 1) * iv.log(real(1 - x)))
        rate = ends(density / whole)
        step = (low + high) / 2 / ((rate[0] + rate[1]) / 2)
        x = _short(x - step)
        if abs(step) < x / 10**30:
            break
    return enclosed_root(gap, x)


def _short(x):
    """A fraction with few bits that is as good as x."""
    shift = 150 - (x.numerator.bit_length() - x.denominator.bit_length())
    return Fraction(x.numerator * (1 << shift) // x.denominator, 1 << shift)


def _float_quantile(a, b, share):
    """A first guess, by halving; any guess near enough gives the same proved digits."""
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def below(x):
        if x > (a + 1) / (a + b + 2):
            return 1 - part(b, a, 1 - x)
        return part(a, b, x)

    def part(p, q, x):
        term = total = 1.0
        k = 0
        while term > 1e-17 * total:
            term *= (p + q + k) / (p + 1 + k) * x
            total += term
            k += 1
        return math.exp(scale + p * math.log(x) + q * math.log1p(-x)) / p * total

    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if below(middle) < share else (low, middle)
    return (low + high) / 2


def normal_quantile():
    """z with Φ(z) = 1 − 1/40: Φ(z) − ½ = φ(z)·Σ z²ⁿ⁺¹ / (1·3·…·(2n+1)), terms positive."""
    iv.prec = 200

    def gap(z):
        at = real(z)
        term, total = at, at
        odd = 1
        while term.b > 2.0**-190:
            odd += 2
            term = term * at**2 / odd
            total += term
        density = iv.exp(-(at**2) / 2) / iv.sqrt(2 * iv.pi)
        rest = 2 * density * term  # ratios below one half from here on
        return ends(density * total + rest * iv.mpf([0, 1]) - real(HALF - TAIL))

    z = Fraction(196, 100)
    for _ in range(8):
        low, high = gap(z)
        density = ends(iv.exp(-(real(z) ** 2) / 2) / iv.sqrt(2 * iv.pi))
        z = _short(z - (low + high) / 2 / density[0])
    near, width = z, Fraction(1, 10**40)
    if not gap(near - width)[1] < 0 < gap(near + width)[0]:
        raise ArithmeticError("the normal quantile is not proved")
    return near - width, near + width


_Z = normal_quantile()


def z_score():
    return iv.mpf([real(_Z[0]).a, real(_Z[1]).b])


def wilson(seen, whole):
    def end(sign):
        def formula():
            square = z_score() ** 2
            spread = z_score() * iv.sqrt(real(Fraction(seen * (whole - seen), whole)) + square / 4)
            return (seen + square / 2 + sign * spread) / (whole + square)

        return enclosed(formula)

    return (ZERO if seen == 0 else end(-1)), (ONE if seen == whole else end(1))


def clopper_pearson(seen, whole, below=TAIL, above=TAIL):
    low = beta_quantile(seen, whole - seen + 1, below) if seen and below else ZERO
    high = beta_quantile(seen + 1, whole - seen, 1 - above) if seen < whole and above else ONE
    return low, high


def jeffreys(seen, whole):
    shape = seen + HALF, whole - seen + HALF
    return (
        beta_quantile(*shape, TAIL) if seen else ZERO,
        beta_quantile(*shape, 1 - TAIL) if seen < whole else ONE,
    )


RATE_INTERVALS = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "clopper-pearson lower": lambda seen, whole: clopper_pearson(seen, whole, ONE_SIDED, ZERO),
    "clopper-pearson upper": lambda seen, whole: clopper_pearson(seen, whole, ZERO, ONE_SIDED),
}


def delong_variance(s):
    """DeLong's variance of the AUC, from the placements of both classes."""
    if s.positives < 2 or s.negatives < 2:
        raise Undefined("DeLong's variance needs two cases of each class")
    mean, won, lost = auc(s), ZERO, ZERO
    below, above = s.negatives, ZERO
    for _, ours, theirs in s.cells:
        below -= theirs
        won += ours * ((below + theirs / 2) / s.negatives - mean) ** 2
        lost += theirs * ((above + ours / 2) / s.positives - mean) ** 2
        above += ours
    return won / (s.positives * (s.positives - 1)) + lost / (s.negatives * (s.negatives - 1))


def delong(s):
    """AUC ± z·√variance, cut at 0 and 1."""
    mean, spread = auc(s), delong_variance(s)
    if not spread:
        return mean, mean
    found = []
    for sign, end in ((-1, ZERO), (1, ONE)):
        formula = enclosed(lambda sign=sign: real(mean) + sign * z_score() * iv.sqrt(real(spread)))
        low, high = formula.bounds(256)
        found.append(end if (low >= end if sign > 0 else high <= end) else formula)
    return tuple(found)


def delong_logit(s):
    mean, spread = auc(s), delong_variance(s)
    if mean in (0, 1):
        raise Undefined("an AUC of 0 or 1 has no logit")
    if not spread:
        return mean, mean

    def end(sign):
        def formula():
            step = z_score() * iv.sqrt(real(spread)) / real(mean * (1 - mean))
            return 1 / (1 + real((1 - mean) / mean) * iv.exp(-sign * step))

        return enclosed(formula)

    return end(-1), end(1)


def distribution_free(s):
    """Hoeffding's bounds: k·KL(AUC, true) = ln 40, with k the size of the smaller class."""
    mean, pairs = auc(s), min(s.positives, s.negatives)

    def gap(true):
        total = real(ZERO)
        for p, q in ((mean, true), (1 - mean, 1 - true)):
            if p:
                total += real(p) * iv.log(real(p / q))
        return real(pairs) * total - iv.log(real(1 / TAIL))

    def end(outside):
        if mean == outside:
            return outside
        iv.prec = 160
        sign = 1 if outside else -1
        close = 1 - Fraction(1, 10**22)
        if outside and ends(gap(close))[1] < 0:
            return Enclosure(lambda _bits: (close, ONE))  # 1 to every digit that is given
        away, near = Fraction(outside), mean
        while abs(near - away) > near / 10**30:
            middle = _short((away + near) / 2)
            low, _high = ends(gap(middle))
            away, near = (middle, near) if low > 0 else (away, middle)
        return enclosed_root(lambda x: ends(sign * gap(x)), _short((away + near) / 2))

    return end(ZERO), end(ONE)


AUC_INTERVALS = {
    "delong": delong,
    "delong-logit": delong_logit,
    "distribution-free": distribution_free,
}
