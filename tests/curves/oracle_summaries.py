"""Truth for summaries: loops in exact fractions, and quadrature to 30 digits where there is no
fraction. Imports nothing from baserate.

Cells are (score, positives, negatives), in any order; a prior of None is the sample's own.
"""

import itertools
from fractions import Fraction
from functools import cache

from tests.digits import mpmath

DIGITS = 30
NOTHING, ONE = Fraction(0), Fraction(1)


def real(value):
    exact = Fraction(value)
    return mpmath().mpf(exact.numerator) / exact.denominator


def descending(cells):
    return sorted(cells, key=lambda cell: cell[0], reverse=True)


def totals(cells):
    return sum(Fraction(cell[1]) for cell in cells), sum(Fraction(cell[2]) for cell in cells)


def roc(cells):
    """(fpr, tpr) of every threshold, from nothing flagged to everything."""
    positives, negatives = totals(cells)
    points, tp, fp = [(NOTHING, NOTHING)], NOTHING, NOTHING
    for _, ours, theirs in descending(cells):
        tp, fp = tp + Fraction(ours), fp + Fraction(theirs)
        points.append((fp / negatives, tp / positives))
    return points


def right_of(points):
    """(tpr, 1 − fpr): what lies right of the ROC."""
    return [(tpr, 1 - fpr) for fpr, tpr in points]


def auc(cells):
    """Every pair of cells looked at."""
    won = NOTHING
    for score, ours, _ in cells:
        for other, _, theirs in cells:
            won += (
                Fraction(ours)
                * Fraction(theirs)
                * (1 if score > other else Fraction(1, 2) if score == other else 0)
            )
    positives, negatives = totals(cells)
    return won / (positives * negatives)


def ks(cells):
    return max(tpr - fpr for fpr, tpr in roc(cells))


def clipped_area(points, low, high):
    """Trapezoids under straight pieces between two abscissas; pieces that cross an end are cut
    there.
    """
    area = NOTHING
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        left, right = max(x0, low), min(x1, high)
        if left < right:
            slope = (y1 - y0) / (x1 - x0)
            area += (right - left) * (2 * y0 + slope * (left - x0 + right - x0)) / 2
    return area


def partial_area(points, band, axis):
    low, high = map(Fraction, band)
    return clipped_area(points if axis == "fpr" else right_of(points), low, high)


def mcclish(area, band, axis):
    """½ (1 + (area − guessing) / (perfect − guessing))."""
    low, high = map(Fraction, band)
    triangle = (high**2 - low**2) / 2
    guessing = triangle if axis == "fpr" else high - low - triangle
    return (1 + (area - guessing) / (high - low - guessing)) / 2


def weights(count, alpha):
    """Weng & Poon's recursion with W(0) = 1 − α: each strip passes the share α of what it has to
    the next, the last passes nothing.
    """
    alpha = Fraction(alpha)
    found, passed = [], NOTHING
    for place in range(count):
        has = 1 + passed
        passed = alpha * has if place < count - 1 else NOTHING
        found.append(has - passed)
    return found


def strips(points, alpha, count):
    """Strips of equal height in tpr."""
    right = right_of(points)
    return sum(
        w * clipped_area(right, Fraction(k, count), Fraction(k + 1, count))
        for k, w in enumerate(weights(count, alpha))
    )


def segments(points, alpha):
    """One strip a segment of the ROC, those without height included."""
    total = NOTHING
    pieces = list(itertools.pairwise(points))
    for weight, ((x0, y0), (x1, y1)) in zip(weights(len(pieces), alpha), pieces, strict=True):
        total += weight * (y1 - y0) * (1 - (x0 + x1) / 2)
    return total


@cache
def nodes():
    """24 nodes and weights on −1 … 1."""
    with mpmath().workdps(DIGITS):
        return (
            mpmath()
            .calculus.quadrature.GaussLegendre(mpmath().mp)
            .calc_nodes(4, mpmath().mp.prec + 20)
        )


def integral(f, low, high):
    middle, half = (low + high) / 2, (high - low) / 2
    return half * sum(weight * f(middle + half * node) for node, weight in nodes())


def continuous(points, alpha):
    """∫ (1 − αᵘ)·(1 − fpr(u)) du over tpr u, and the rest of the mass at the lowest fpr with tpr
    1.
    """
    with mpmath().workdps(DIGITS):
        highest = max(1 - fpr for fpr, tpr in points if tpr == 1)
        if alpha in (0, 1):
            return (
                real(clipped_area(right_of(points), NOTHING, ONE)) if alpha == 0 else real(highest)
            )
        base, total = real(alpha), mpmath().mpf(0)
        for (x0, y0), (x1, y1) in itertools.pairwise(right_of(points)):
            if x0 < x1:
                start, slope, low = real(y0), real((y1 - y0) / (x1 - x0)), real(x0)
                total += integral(
                    lambda u, a=start, b=slope, c=low: (1 - base**u) * (a + b * (u - c)),
                    low,
                    real(x1),
                )
        return total + (1 - base) / -mpmath().log(base) * real(highest)


def odds_against(cells, prior):
    """Negatives for each positive."""
    positives, negatives = totals(cells)
    return negatives / positives if prior is None else (1 - Fraction(prior)) / Fraction(prior)


def shares(cells, prior):
    """[(score, share of all cases that is positive and has it, the same of negatives)], at the
    prior, from the highest score.
    """
    positives, negatives = totals(cells)
    share = positives / (positives + negatives) if prior is None else Fraction(prior)
    return [
        (Fraction(s), share * Fraction(p) / positives, (1 - share) * Fraction(n) / negatives)
        for s, p, n in descending(cells)
    ]


def average_precision(cells, prior=None):
    skew, total = odds_against(cells, prior), NOTHING
    for (_, y0), (x1, y1) in itertools.pairwise(roc(cells)):
        if y1 > y0:
            total += (y1 - y0) * y1 / (y1 + skew * x1)
    return total


def pr_area(cells, prior=None, low=NOTHING, high=ONE):
    """∫ tp / (tp + w·fp) d tpr between two tpr, along the mixtures of neighbouring thresholds."""
    skew = odds_against(cells, prior)
    with mpmath().workdps(DIGITS):
        total = mpmath().mpf(0)
        for (x0, y0), (x1, y1) in itertools.pairwise(roc(cells)):
            if y1 > y0 and max(y0, low) < min(y1, high):
                start, end = ((y - y0) / (y1 - y0) for y in (max(y0, low), min(y1, high)))
                ends = ((y0, y0 + skew * x0), (y1, y1 + skew * x1))
                total += real(y1 - y0) * mean_precision(ends, start, end)
        return total


def mean_precision(ends, start, end):
    """∫ t(s) / F(s) ds where t and F are straight; pieces are no longer than three times their
    distance from where F is 0.
    """
    (t0, f0), (t1, f1) = ends
    if f0 == 0:
        return real((end - start) * t1 / f1)
    t_low, t_rise, f_low, f_rise = (real(value) for value in (t0, t1 - t0, f0, f1 - f0))
    pole = -f0 / (f1 - f0) if f1 > f0 else Fraction(-4)
    total, low = mpmath().mpf(0), start
    while low < end:
        high = min(end, low + 3 * (low - pole))
        total += integral(
            lambda s: (t_low + s * t_rise) / (f_low + s * f_rise), real(low), real(high)
        )
        low = high
    return total


def weighted_pr_area(cells, alpha, count, prior=None):
    with mpmath().workdps(DIGITS):
        strip = [
            pr_area(cells, prior, Fraction(k, count), Fraction(k + 1, count)) for k in range(count)
        ]
        return sum(real(w) * area for w, area in zip(weights(count, alpha), strip, strict=True))


def meetings(lines):
    """Where any two lines y = a + b·x meet between 0 and 1, and both ends."""
    found = {NOTHING, ONE}
    for (a, b), (c, d) in itertools.combinations(set(lines), 2):
        if b != d and 0 < (place := (c - a) / (b - d)) < 1:
            found.add(place)
    return sorted(found)


def lowest(lines, x):
    return min(a + b * x for a, b in lines)


def cost_lines(cells):
    """y = fpr + (fnr − fpr)·e of every threshold."""
    return [(fpr, 1 - tpr - fpr) for fpr, tpr in roc(cells)]


def envelope(cells, x):
    return lowest(cost_lines(cells), Fraction(x))


def envelope_area(cells, cuts=()):
    """[(left, right, area)] of the lowest line, between any places where two lines meet."""
    lines = cost_lines(cells)
    places = sorted({*meetings(lines), *cuts})
    heights = [lowest(lines, x) for x in places]
    return [
        (x0, x1, (x1 - x0) * (y0 + y1) / 2)
        for (x0, y0), (x1, y1) in itertools.pairwise(zip(places, heights, strict=True))
    ]


def cost_area(cells):
    return sum(area for _, _, area in envelope_area(cells))


def weighted_cost_area(cells, alpha, count):
    strip = weights(count, alpha)
    cuts = [Fraction(k, count) for k in range(1, count)]
    return sum(
        strip[int((x0 + x1) / 2 * count)] * area for x0, x1, area in envelope_area(cells, cuts)
    )


def min_cost(cells, prior, costs):
    """Over every threshold, flagging nothing and everything among them; costs are (tp, fp, fn,
    tn).
    """
    tp, fp, fn, tn = map(Fraction, costs)
    share = 1 / (1 + odds_against(cells, prior))
    return min(
        share * (y * tp + (1 - y) * fn) + (1 - share) * (x * fp + (1 - x) * tn)
        for x, y in roc(cells)
    )


def h_measure(cells, beta, prior=None):
    """1 − L / L_ref: the lowest loss of any threshold at each cost share c, weighed by cᵃ⁻¹(1 −
    c)ᵇ⁻¹; a constant cancels.
    """
    share = 1 / (1 + odds_against(cells, prior))
    lines = [(share * (1 - y), (1 - share) * x - share * (1 - y)) for x, y in roc(cells)]
    with mpmath().workdps(20):
        return 1 - expected_loss(lines, beta) / expected_loss([lines[0], lines[-1]], beta)


def expected_loss(lines, beta):
    a, b = (real(value) for value in beta)
    places = meetings(lines)
    total, low = mpmath().mpf(0), places[0]
    best = [
        min(lines, key=lambda line, x=(x0 + x1) / 2: line[0] + line[1] * x)
        for x0, x1 in itertools.pairwise(places)
    ]
    for place, (line, high) in enumerate(zip(best, places[1:], strict=True)):
        if place + 1 < len(best) and best[place + 1] == line:
            continue
        height, slope = map(real, line)
        total += mpmath().quad(
            lambda c, h=height, s=slope: (h + s * c) * c ** (a - 1) * (1 - c) ** (b - 1),
            [real(low), real(high)],
        )
        low = high
    return total


def corrected(score, trained, prior):
    """A probability calibrated at one base rate, at another."""
    score, trained, prior = map(Fraction, (score, trained, prior))
    ours, theirs = score * prior / trained, (1 - score) * (1 - prior) / (1 - trained)
    return ours / (ours + theirs)


def forecast(cells, prior=None, calibrated_at=None):
    """[(probability, share positive, share negative)], the probability corrected where it is asked
    for.
    """
    found = shares(cells, prior)
    if calibrated_at is None:
        return found
    share = sum(ours for _, ours, _ in found)
    return [(corrected(score, calibrated_at, share), ours, theirs) for score, ours, theirs in found]


def brier(found):
    return sum(ours * (1 - score) ** 2 + theirs * score**2 for score, ours, theirs in found)


def log_loss(found):
    """None where a positive has probability 0, or a negative probability 1."""
    if any((ours and score == 0) or (theirs and score == 1) for score, ours, theirs in found):
        return None
    with mpmath().workdps(DIGITS):
        ours = sum((real(p) * -mpmath().log(real(s)) for s, p, _ in found if p), mpmath().mpf(0))
        return ours + sum(
            (real(n) * -mpmath().log(real(1 - s)) for s, _, n in found if n), mpmath().mpf(0)
        )


def pav(found):
    """Blocks of neighbours, from the highest score, pooled until the share of positives falls
    strictly from block to block.
    """
    blocks = []
    for row in found:
        blocks.append([row])
        while len(blocks) > 1 and share_of(blocks[-1]) >= share_of(blocks[-2]):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
    return blocks


def share_of(block):
    ours = sum(row[1] for row in block)
    return ours / (ours + sum(row[2] for row in block))


def decomposition(found):
    """(Brier, miscalibration, discrimination, uncertainty)."""
    fitted = [(share_of(block), ours, theirs) for block in pav(found) for _, ours, theirs in block]
    prior = sum(row[1] for row in found)
    score, best, base = brier(found), brier(fitted), prior * (1 - prior)
    return score, score - best, base - best, base


def gap(block):
    return abs(sum((ours + theirs) * score - ours for score, ours, theirs in block))


def calibration_error(found, bins=None):
    if bins is None:
        return sum(map(gap, pav(found)))
    placed = {}
    for row in found:
        placed.setdefault(min(int(row[0] * bins), bins - 1), []).append(row)
    return sum(map(gap, placed.values()))
