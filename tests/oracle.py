"""Truth, loop by loop: definitions written out as slowly and plainly as possible. Imports nothing
from baserate.
"""

import math
from fractions import Fraction


def count(labels, scores, weights=None):
    """{score: [positives, negatives]} with exact sums, scores descending. Python compares ints and
    floats exactly.
    """
    cells = {}
    for row, (label, score) in enumerate(zip(labels, scores, strict=True)):
        weight = 1 if weights is None else Fraction(float(weights[row]))
        if weight == 0:
            continue
        key = score + 0 if score == 0 else score
        cell = cells.setdefault(key, [0, 0])
        cell[0 if label else 1] += weight
    return dict(sorted(cells.items(), key=lambda item: item[0], reverse=True))


def rounded(value):
    """The float nearest to an exact sum (Python's division of integers rounds correctly)."""
    return value.numerator / value.denominator if isinstance(value, Fraction) else value


def auc(labels, scores, weights=None):
    """Every pair looked at."""
    wins = total = Fraction(0)
    rows = range(len(labels))
    for i in rows:
        for j in rows:
            if labels[i] and not labels[j]:
                pair = (
                    Fraction(1)
                    if weights is None
                    else Fraction(float(weights[i])) * Fraction(float(weights[j]))
                )
                total += pair
                wins += pair * (
                    1 if scores[i] > scores[j] else Fraction(1, 2) if scores[i] == scores[j] else 0
                )
    return wins / total if total else math.nan


def condense(cells):
    """Runs of negative-only cells, each merged into its lowest score."""
    merged, run = {}, None
    for score, (positives, negatives) in cells.items():
        if positives:
            if run is not None:
                merged[run[0]] = [0, run[1]]
                run = None
            merged[score] = [positives, negatives]
        else:
            run = (score, negatives + (run[1] if run else 0))
    if run is not None:
        merged[run[0]] = [0, run[1]]
    return merged


def in_cells(tp, fp, fn, tn):
    """The four cells of a confusion by name."""
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


def confusion(labels, scores, threshold):
    """(tp, fp, fn, tn) where score ≥ threshold is flagged."""
    tp = fp = fn = tn = 0
    for label, score in zip(labels, scores, strict=True):
        if score >= threshold:
            tp, fp = (tp + 1, fp) if label else (tp, fp + 1)
        else:
            fn, tn = (fn + 1, tn) if label else (fn, tn + 1)
    return tp, fp, fn, tn
