"""Truth for decisions, threshold by threshold, in exact fractions. Imports nothing from
baserate.
"""

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

from tests.measures import oracle_measures

LOWER = {
    "fp",
    "fn",
    "fpr",
    "fnr",
    "fdr",
    "false_omission_rate",
    "posfrac",
    "error",
    "lr_negative",
    "total_cost",
    "expected_cost",
    "normalized_cost",
    "nne",
}
LOWER |= {"alerts", "missed", "false_alarms", "volume_cost"}


class At(NamedTuple):
    """The prior (None: the sample's own) and the costs (tp, fp, fn, tn)."""

    prior: object = None
    costs: tuple = (0, 1, 1, 0)

    @property
    def shown(self):
        """The same at the float nearest to the prior: numbers are read there, decisions are made at
        what was written.
        """
        return self if self.prior is None else self._replace(prior=Fraction(float(self.prior)))


class Term(NamedTuple):
    name: str
    sense: str
    limit: Fraction
    parameters: dict


def meant(number):
    """What a float stands for: the decimal of at most 12 digits that reads back as it, or else
    itself. None and fractions stay.
    """
    if not isinstance(number, float):
        return number
    typed = f"{number:.12g}"
    return Fraction(typed) if float(typed) == number else Fraction(number)


def points(cells):
    """(threshold, (tp, fp, fn, tn)) from nothing flagged to everything flagged; cells are (score,
    positives, negatives).
    """
    all_positives, all_negatives = (sum(Fraction(cell[i]) for cell in cells) for i in (1, 2))
    found = []
    for threshold in [None, *sorted({cell[0] for cell in cells}, reverse=True)]:
        flagged = [cell for cell in cells if threshold is not None and cell[0] >= threshold]
        tp, fp = (sum((Fraction(cell[i]) for cell in flagged), Fraction(0)) for i in (1, 2))
        found.append((threshold, (tp, fp, all_positives - tp, all_negatives - fp)))
    return found


def case(counted, at):
    return oracle_measures.Case.of(counted, at.prior, at.costs)


def signed_square(numerator, square):
    return (1 if numerator > 0 else -1) * numerator**2 / square


def mcc(c):
    tp, fp, fn, tn = c.shares
    return signed_square(tp * tn - fp * fn, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


# Roots order as their squares do, and squares are exact.
SQUARES = {
    "mcc": mcc,
    "g_mean": lambda c: oracle_measures.tpr(c) * oracle_measures.tnr(c),
    "fowlkes_mallows": lambda c: oracle_measures.precision(c) * oracle_measures.tpr(c),
}


def value(name, counted, at, **parameters):
    """A measure exactly (of roots the squares, which are in the same order); None where it is
    undefined.
    """
    if name in SQUARES:
        try:
            return SQUARES[name](case(counted, at))
        except ZeroDivisionError:
            return None
    return oracle_measures.value(name, case(counted, at), **parameters)


def holds(term, counted, at):
    """Undefined never holds."""
    found = value(term.name, counted, at, **term.parameters)
    if found is None:
        return False
    limit = term.limit * abs(term.limit) if term.name in SQUARES else term.limit
    return found >= limit if term.sense == ">=" else found <= limit


def better(name, one, other):
    return one < other if name in LOWER else one > other


def choose(cells, terms, objective, at, **parameters):
    """(threshold, counted) of the best point that keeps all terms, the first among equals; None
    where there is none.
    """
    best = found = None
    for threshold, counted in points(cells):
        mine = value(objective, counted, at, **parameters)
        if mine is None or not all(holds(term, counted, at) for term in terms):
            continue
        if best is None or better(objective, mine, best):
            best, found = mine, (threshold, counted)
    return found


def between(one, other, share):
    return tuple(a + share * (b - a) for a, b in zip(one, other, strict=True))


# Numerator and denominator as sums of shares of the population.
PARTS = {
    "tpr": lambda s: (s.tp, s.tp + s.fn),
    "fpr": lambda s: (s.fp, s.fp + s.tn),
    "tnr": lambda s: (s.tn, s.fp + s.tn),
    "fnr": lambda s: (s.fn, s.tp + s.fn),
    "precision": lambda s: (s.tp, s.tp + s.fp),
    "npv": lambda s: (s.tn, s.tn + s.fn),
    "fdr": lambda s: (s.fp, s.tp + s.fp),
    "false_omission_rate": lambda s: (s.fn, s.tn + s.fn),
    "posfrac": lambda s: (s.tp + s.fp, 1),
    "accuracy": lambda s: (s.tp + s.tn, 1),
    "error": lambda s: (s.fp + s.fn, 1),
    "f1": lambda s: (2 * s.tp, 2 * s.tp + s.fp + s.fn),
    "jaccard": lambda s: (s.tp, s.tp + s.fp + s.fn),
}


def parts(name, counted, at, volume=None):
    known = case(counted, at)
    if name == "expected_cost":
        return sum(known.cost_terms), Fraction(1)
    if name == "alerts":
        return Fraction(volume) * (known.shares.tp + known.shares.fp), Fraction(1)
    return PARTS[name](known.shares)


def shares_at(term, ends, at):
    """Where on the way from one point to the other the measure has the limit: the difference there
    is a straight line.
    """
    gaps = []
    for end in ends:
        above, below = parts(term.name, end, at, **term.parameters)
        gaps.append(above - term.limit * below)
    if gaps[0] == gaps[1]:
        return [Fraction(0), Fraction(1)] if gaps[0] == 0 else []
    share = gaps[0] / (gaps[0] - gaps[1])
    return [share] if 0 <= share <= 1 else []


def fix(cells, term, at):
    """(tpr, fpr) where the measure has the value on the straight lines between points: the highest
    tpr, then the lowest fpr.
    """
    found = []
    for (_, one), (_, other) in itertools.pairwise(points(cells)):
        for share in shares_at(term, (one, other), at):
            counted = between(one, other, share)
            if value(term.name, counted, at, **term.parameters) is not None:
                rates = case(counted, at).rates
                found.append((rates.tp, -rates.fp))
    return (max(found)[0], -max(found)[1]) if found else None


def nearest(cells, term, at):
    """(threshold, counted) nearest to the value; of equals the better one, then the higher tpr,
    then the lower fpr.
    """
    ranked = []
    for threshold, counted in points(cells):
        mine = value(term.name, counted, at, **term.parameters)
        if mine is not None:
            ranked.append(
                (
                    abs(mine - term.limit),
                    mine if term.name in LOWER else -mine,
                    -counted[0],
                    counted[1],
                    threshold,
                    counted,
                )
            )
    return min(ranked, key=lambda row: row[:4])[4:]


def filled(cells, budget, volume, at):
    """(share of the tie, expected counted) where the budget ends; None where everything may be
    flagged.

    The share is 0 where the tie is known to hold one case only, or 1 % of the budget or less.
    """
    for (_, one), (_, other) in itertools.pairwise(points(cells)):
        before, after = (value("alerts", counted, at, volume=volume) for counted in (one, other))
        if before <= budget < after:
            # Masses of weighted cases do not say how many cases there are.
            weighted = any(isinstance(mass, float) for _, *masses in cells for mass in masses)
            large = (weighted or sum(other[:2]) - sum(one[:2]) > 1) and (
                after - before
            ) / budget > Fraction(1, 100)
            share = (budget - before) / (after - before) if large else Fraction(0)
            return share, between(one, other, share)
    return None


def draws(positives, negatives, drawn):
    """{hits: chance} when so many of a tie's cases are drawn: every subset counted."""
    ways = {
        hits: math.comb(positives, hits) * math.comb(negatives, drawn - hits)
        for hits in range(drawn + 1)
    }
    whole = sum(ways.values())
    return {hits: Fraction(number, whole) for hits, number in ways.items() if number}


def roc(cells):
    """Rates (fpr, tpr) of every point."""
    rates = []
    for _, (tp, fp, fn, tn) in points(cells):
        rates.append((fp / (fp + tn), tp / (tp + fn)))
    return rates


def height(rates, fpr, side):
    """The tpr of a ROC just right ("high") or just left ("low") of a place."""
    here = [y for x, y in rates if x == fpr]
    if here:
        return max(here) if side == "high" else min(here)
    (x, y), (next_x, next_y) = (
        max(p for p in rates if p[0] < fpr),
        min(p for p in rates if p[0] > fpr),
    )
    return y + (fpr - x) / (next_x - x) * (next_y - y)


def superiority(one, other):
    """[(low, high, sign)]: between two neighbouring corners both ROCs are straight; neighbours of
    one sign are joined.
    """
    places = sorted({x for x, _ in [*one, *other]})
    pieces = []
    for low, high in itertools.pairwise(places):
        start, end = (
            height(one, x, side) - height(other, x, side)
            for x, side in ((low, "high"), (high, "low"))
        )
        if start * end < 0:
            middle = low + (high - low) * start / (start - end)
            pieces += [(low, middle, 1 if start > 0 else -1), (middle, high, 1 if end > 0 else -1)]
        else:
            pieces.append((low, high, (start + end > 0) - (start + end < 0)))
    joined = []
    for sign, run in itertools.groupby(pieces, key=lambda piece: piece[2]):
        members = list(run)
        joined.append((members[0][0], members[-1][1], sign))
    return joined


def cheapest(models, prior, costs):
    """{model or answer for all: lowest cost} at one prior, over every threshold of every model."""
    found = {}
    for name, cells in models.items():
        for _, counted in points(cells)[1:-1]:
            cost = value("expected_cost", counted, At(prior, costs))
            found[name] = min(cost, found.get(name, cost))
    tp, fp, fn, tn = map(Fraction, costs)
    found["flag nothing"] = prior * fn + (1 - prior) * tn
    found["flag everything"] = prior * tp + (1 - prior) * fp
    return found
