"""Truth for curves, threshold by threshold in exact fractions. Imports nothing from baserate.

Cells are (score, positives, negatives), in any order; rates are (fpr, tpr); the prior is a
fraction.
"""

import itertools
from fractions import Fraction

NOTHING, ONE = Fraction(0), Fraction(1)


def prior_of(cells):
    positives, negatives = (sum(Fraction(cell[i]) for cell in cells) for i in (1, 2))
    return positives / (positives + negatives)


def roc(cells):
    """[(threshold, (fpr, tpr))]: None flags nothing."""
    positives, negatives = (sum(Fraction(cell[i]) for cell in cells) for i in (1, 2))
    found = [(None, (NOTHING, NOTHING))]
    for threshold in sorted((cell[0] for cell in cells), reverse=True):
        tp, fp = (sum(Fraction(cell[i]) for cell in cells if cell[0] >= threshold) for i in (1, 2))
        found.append((threshold, (fp / negatives, tp / positives)))
    return found


# Each measure as a numerator and a denominator that are straight along an edge of the ROC: of fpr
# x, tpr y and prior p.
PARTS = {
    "fpr": lambda x, _y, _p: (x, ONE),
    "tpr": lambda _x, y, _p: (y, ONE),
    "fnr": lambda _x, y, _p: (1 - y, ONE),
    "posfrac": lambda x, y, p: (p * y + (1 - p) * x, ONE),
    "precision": lambda x, y, p: (p * y, p * y + (1 - p) * x),
    "fdr": lambda x, y, p: ((1 - p) * x, p * y + (1 - p) * x),
    "lift": lambda x, y, p: (y, p * y + (1 - p) * x),
    "recall_gain": lambda _x, y, p: ((1 - p) * y - p * (1 - y), (1 - p) * y),
    "precision_gain": lambda x, y, _p: (y - x, y),
    "informedness": lambda x, y, _p: (y - x, ONE),
    "npv": lambda x, y, p: ((1 - p) * (1 - x), (1 - p) * (1 - x) + p * (1 - y)),
    "accuracy": lambda x, y, p: (p * y + (1 - p) * (1 - x), ONE),
    "f1": lambda x, y, p: (2 * p * y, p * y + (1 - p) * x + p),
}


def value(name, rates, p):
    """None where it is 0/0 or infinite."""
    above, below = PARTS[name](*rates, p)
    return above / below if below else None


def largest_term(name, rates, p):
    """What rounding is measured by: the value, or the terms of a difference."""
    x, y = rates
    terms = {
        "recall_gain": (ONE, p / (1 - p) * (1 - y) / y if y else 0),
        "precision_gain": (ONE, x / y if y else 0),
        "informedness": (x, y),
    }
    return max(abs(value(name, rates, p) or 0), *terms.get(name, (0,)))


def limit(name, cells, p):
    """The value as less and less is flagged: that of the first edge, which keeps it all along; None
    where there is none.
    """
    _, first = roc(cells)[1]
    return value(name, tuple(rate / 2 for rate in first), p)


def hull(rates):
    """Corners of the upper hull: both ends, and points that no chord between two others passes over
    or through.
    """
    distinct = sorted(set(rates))
    corners = []
    for point in distinct:
        if point in (distinct[0], distinct[-1]):
            corners.append(point)
            continue
        chords = itertools.combinations([other for other in distinct if other != point], 2)
        if not any(covers(a, b, point) for a, b in chords):
            corners.append(point)
    return corners


def covers(a, b, point):
    """Whether the chord from a to b passes over the point, or through it."""
    (x0, y0), (x1, y1), (x, y) = a, b, point
    if x0 == x1:
        return x == x0 and y <= max(y0, y1)
    return x0 <= x <= x1 and y0 + (y1 - y0) * (x - x0) / (x1 - x0) >= y


def height(rates, fpr):
    """The highest tpr of the polyline at an fpr."""
    found = [y for x, y in rates if x == fpr]
    for (x0, y0), (x1, y1) in itertools.pairwise(rates):
        if x0 < fpr < x1:
            found.append(y0 + (y1 - y0) * (fpr - x0) / (x1 - x0))
    return max(found)


def between(one, other, share):
    return tuple(a + share * (b - a) for a, b in zip(one, other, strict=True))


def share_at(name, ends, p, wanted):
    """How far along an edge the measure has a value; None where it has it everywhere or nowhere."""
    gaps = []
    for end in ends:
        above, below = PARTS[name](*end, p)
        gaps.append(above - Fraction(wanted) * below)
    return None if gaps[0] == gaps[1] else gaps[0] / (gaps[0] - gaps[1])


def distance(axes, ends, p, point):
    """How far a point lies from the curve that an edge of the ROC becomes: along either axis, the
    smaller.
    """
    found = []
    for i in (0, 1):
        share = share_at(axes[i], ends, p, point[i])
        if share is None:
            continue
        nearest = between(*ends, min(max(share, NOTHING), ONE))
        across = [value(axis, nearest, p) for axis in axes]
        if None not in across:
            found.append(
                max(abs(Fraction(point[0]) - across[0]), abs(Fraction(point[1]) - across[1]))
            )
    return float(min(found)) if found else None


def normalized_cost(rates, e):
    fpr, tpr = rates
    return e * (1 - tpr) + (1 - e) * fpr


def envelope(rates, e):
    return min(normalized_cost(point, Fraction(e)) for point in rates)


def expected_cost(rates, p, costs):
    fpr, tpr = rates
    tp, fp, fn, tn = map(Fraction, costs)
    return p * (tpr * tp + (1 - tpr) * fn) + (1 - p) * (fpr * fp + (1 - fpr) * tn)


def brier_loss(rates, p, c):
    """What cutting at the cost share costs: a false positive 2c, a false negative 2·(1 − c)."""
    fpr, tpr = rates
    return 2 * (Fraction(c) * (1 - p) * fpr + (1 - Fraction(c)) * p * (1 - tpr))


def brier(cells, p):
    positives, negatives = (sum(Fraction(cell[i]) for cell in cells) for i in (1, 2))
    return sum(
        p * Fraction(ours) / positives * (1 - Fraction(s)) ** 2
        + (1 - p) * Fraction(theirs) / negatives * Fraction(s) ** 2
        for s, ours, theirs in cells
    )


def net_benefit(rates, p, t):
    fpr, tpr = rates
    return p * tpr - (1 - p) * fpr * Fraction(t) / (1 - Fraction(t))
