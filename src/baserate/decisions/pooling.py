"""Several sites read as one, each at its own base rate: the sums of what each of them gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.cells import Array
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.kernels import Cells
from baserate.measures.confusions import Confusion, confusion_at
from baserate.measures.outcomes import weight_of_negatives
from baserate.notes import CASE_CONTROL
from baserate.points import Points

# Counts beyond this are kept as masses: their sums leave 64 bits.
MOST = 2**62
Site = tuple[Counts, Conditions]
Weights = tuple[Fraction, Fraction]


def class_weights(counts: Counts, at: Conditions, cases: Fraction | None = None) -> Weights:
    """What a positive and a negative count for, so that the prior is the one asked for, and the number of cases too.

    Of n cases with P positives and N negatives at the prior π: nπ / P and n(1 − π) / N. At the sample's own prior, or where a class is
    missing, both count alike.
    """
    positives, negatives = exactly(counts.total_positives), exactly(counts.total_negatives)
    size = positives + negatives
    scale = Fraction(1) if cases is None else cases / size
    of_negatives = weight_of_negatives(positives, negatives, at)
    if of_negatives is None or at.prior is None or at.as_in_sample:
        return scale, scale
    each = scale * size / (positives + of_negatives * negatives)
    return each, each * of_negatives


def pooled_prior(sites: Sequence[Site]) -> Fraction | None:
    """The share of positives among the cases of all sites, each at its own prior; None where that of one is unknown, or a class is missing."""
    positives, cases = Fraction(0), Fraction(0)
    for counts, at in sites:
        if at.prior is None and counts.ledger.design == CASE_CONTROL:
            return None
        cases += exactly(counts.total_positives) + exactly(counts.total_negatives)
        positives += class_weights(counts, at)[0] * exactly(counts.total_positives)
    return positives / cases if 0 < positives < cases else None


def pooled_confusion(sites: Sequence[Site], threshold: float | None) -> Confusion:
    """The outcomes of all sites at one threshold: exact sums over the sites, each at its own prior."""
    sums = [Fraction(0)] * 4
    for counts, at in sites:
        points = Points.of(counts)
        tp, fp, fn, tn = (exactly(cases) for cases in confusion_at(points, points.place(threshold)))
        of_positives, of_negatives = class_weights(counts, at)
        weighed = (tp * of_positives, fp * of_negatives, fn * of_positives, tn * of_negatives)
        sums = [one + other for one, other in zip(sums, weighed, strict=True)]
    return Confusion(*sums)


def pooled_counts(sites: Sequence[Site]) -> Counts:
    """Counts to choose a threshold on: every site's positives and negatives, weighed to its own prior.

    Whole numbers, all larger by one factor, where these fit; else masses, rounded once a cell.
    """
    weights = [class_weights(counts, at) for counts, at in sites]
    factor = math.lcm(*(weight.denominator for pair in weights for weight in pair))
    fits = factor * sum(exactly(counts.total_positives) + exactly(counts.total_negatives) for counts, _ in sites) < MOST
    parts = []
    for (counts, _), (of_positives, of_negatives) in zip(sites, weights, strict=True):
        columns = _times(counts.positives, of_positives, factor, fits=fits), _times(counts.negatives, of_negatives, factor, fits=fits)
        parts.append(Counts._of(Cells(counts.scores, *columns), counts.ledger, (), counts.bins, counts.condensed))
    summed: Counts = added(parts)
    return summed


def _times(column: Array, weight: Fraction, factor: int, *, fits: bool) -> Array:
    return np.asarray(column * int(weight * factor), dtype=np.int64) if fits else column * rounded(weight)


def added(parts: Sequence[Any]) -> Any:
    """The sum of all, added in pairs, so that many small ones cost no more than few large ones."""
    rest = list(parts)
    while len(rest) > 1:
        rest = [rest[i] + rest[i + 1] if i + 1 < len(rest) else rest[i] for i in range(0, len(rest), 2)]
    return rest[0]
