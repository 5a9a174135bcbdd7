"""Reliability: how often what was given a probability turns out to be positive."""

from __future__ import annotations

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.curves.probabilities import both_shares, probability_points
from baserate.curves.values import Curve
from baserate.errors import quoted, refuse
from baserate.measures.confusions import checked_conditions, label_shift_of


def reliability_curve(counts: Counts, *, at: Conditions | None = None, bins: int | None = None) -> Curve:
    """Do the probabilities come true? x = mean score, y = share of positives, from low scores to high.

    In each block of the best monotone recalibration (PAV), or in each of so many `bins` of equal width that is not empty; at any base
    rate, with the scores as they are. Calibrated scores lie on the diagonal. `calibration_error` is the mean distance from it. DeGroot &
    Fienberg 1983, The Statistician 32:12-22; Dimitriadis, Gneiting & Jordan 2021, PNAS 118:e2016191118.

    >>> import baserate as br
    >>> curve = br.reliability_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> curve.x, curve.y
    (array([0.1  , 0.375, 0.8  ]), array([0. , 0.5, 1. ]))
    """
    points = probability_points(counts)
    resolved = checked_conditions(at).within(points.exact_prior, points.why_no_prior)
    prior, rest = both_shares(resolved)
    scores = np.clip(counts.scores.astype(np.float64), 0.0, 1.0)
    if bins is None:
        starts = np.concatenate(([0], np.searchsorted(-points.scores, -points.hull().scores[:-1], side="right")))
    elif not isinstance(bins, int | np.integer) or isinstance(bins, bool) or bins < 1:
        raise refuse("BR568", f"bins is a whole number from 1, got {quoted(bins)}", "bins=10")
    else:
        place = np.searchsorted(np.arange(1, bins) / bins, scores, side="right")
        starts = np.flatnonzero(np.concatenate(([True], np.diff(place) != 0)))
    ours, theirs = prior * counts.positives / counts.total_positives, rest * counts.negatives / counts.total_negatives
    mass = np.add.reduceat(ours + theirs, starts)
    x, y = np.add.reduceat((ours + theirs) * scores, starts) / mass, np.add.reduceat(ours, starts) / mass
    lowest = scores[np.append(starts[1:], len(scores)) - 1]
    columns = (x[::-1].copy(), y[::-1].copy(), lowest[::-1].copy())
    labels = ("mean_score", "positive_share")
    return Curve._of("reliability", labels, columns, resolved, counts, tuple(label_shift_of(resolved, points)))
