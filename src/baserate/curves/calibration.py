"""How good are the scores as probabilities? Brier score, log loss and calibration, at any base
rate.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, checked_conditions
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.areas import SHARE, check_both_classes, define_summary, hull_edges, one_class
from baserate.curves.named import (
    as_probabilities,
    calibration_blocks,
    calibration_prior,
    class_shares,
    equal_bins,
    multiply_odds,
    odds_ratio,
    probability_points,
    share_of_all,
    two_classes,
)
from baserate.errors import Note, check_corrected_once, number_of, quoted
from baserate.measures.confusion import at_prior, label_shift_of
from baserate.numbers import Floats, Reading, Undefinable, Undefined, rounded


class Decomposition(NamedTuple):
    """Brier = miscalibration − discrimination + uncertainty."""

    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    notes: tuple[Note, ...] = ()


class _Forecast(NamedTuple):
    """The distinct probabilities and their complements, and which share of all cases has each and
    is positive, or negative.
    """

    scores: Floats
    rest: Floats
    factor: float
    positives: Floats
    negatives: Floats
    prior: tuple[float, float]
    notes: tuple[Note, ...]
    how: str


def _read_forecast(counts: Counts, at: Conditions | None, calibrated_at: Any) -> _Forecast:
    points = probability_points(counts)
    resolved = at_prior(points, checked_conditions(at))
    prior = class_shares(resolved)
    scores = as_probabilities(counts.scores)
    notes: tuple[Note, ...] = label_shift_of(resolved, points)
    clipped = int(np.count_nonzero(scores != counts.scores))
    if clipped:
        notes += (
            Note(
                "BR567",
                f"{number_of(clipped, 'distinct score lies', 'distinct scores lie')} outside 0 and"
                " 1 by rounding: taken as 0 or 1",
            ),
        )
    how, factor, rest = "", Fraction(1), 1 - scores
    shares = scores
    if calibrated_at is not None:
        two_classes(points, "correcting scores")
        factor = odds_ratio(resolved.exact_prior, calibration_prior(calibrated_at, None))
        how = f"(calibrated_at={quoted(calibrated_at, quotes=False)})"
        check_corrected_once(counts.ledger, factor)
        shares, rest = multiply_odds(scores, factor)
    ours, theirs = (
        share_of_all(counts.positives, counts.total_positives, prior[0]),
        share_of_all(counts.negatives, counts.total_negatives, prior[1]),
    )
    return _Forecast(shares, rest, rounded(factor), ours, theirs, prior, notes, how)


@define_summary(direction="lower", range=SHARE, of_scores=True)
def brier(counts: Counts, *, at: Conditions | None = None, calibrated_at: Any = None) -> float:
    """How far are the probabilities from the truth? The mean squared error of score against label,
    at any base rate.

    Raw scores with the classes reweighted; with `calibrated_at`, scores first corrected from that
    base rate to the given one. 0 is perfect, prior·(1 − prior) what the prior itself gets.
    Brier 1950, Monthly Weather Review 78:1-3.

    >>> import baserate as br
    >>> br.curves.brier(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.15812500000000002
    """
    forecast = _read_forecast(counts, at, calibrated_at)
    return Reading(
        _mean_squared_error(forecast, forecast.scores, forecast.rest),
        forecast.notes,
        name=f"brier{forecast.how}",
    )


def _mean_squared_error(forecast: _Forecast, scores: Floats, rest: Floats) -> float:
    return math.fsum(np.concatenate((forecast.positives * rest**2, forecast.negatives * scores**2)))


@define_summary(of_scores=True, single=False)
def brier_decomposition(
    counts: Counts, *, at: Conditions | None = None, calibrated_at: Any = None
) -> Decomposition:
    """How much of the Brier score is miscalibration, and how much does the ranking help?

    Against the best monotone recalibration (pooled adjacent violators, the ROC hull):
    miscalibration is what recalibrating would gain, discrimination what the recalibrated scores
    gain over the prior alone, uncertainty is prior·(1 − prior). Fitted on the same cases, so both
    are biased upward; both are undefined of one class alone. Dimitriadis, Gneiting & Jordan 2021,
    PNAS 118:e2016191118.

    >>> import baserate as br
    >>> parts = br.curves.brier_decomposition(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> parts.brier == parts.miscalibration - parts.discrimination + parts.uncertainty
    True
    """
    forecast = _read_forecast(counts, at, calibrated_at)
    score = _mean_squared_error(forecast, forecast.scores, forecast.rest)
    (prior, rest), missing = forecast.prior, one_class(counts)
    if missing:
        unknown = Undefined(missing)
        return Decomposition(score, unknown, unknown, prior * rest, forecast.notes)
    # Each edge of the hull is a block; its share of positives is off the prior by a share of gap.
    rise, run, gap = hull_edges(Points.of(counts).hull())
    mass = prior * rise + rest * run
    best = math.fsum(prior * rise * rest * run / mass)
    gained = math.fsum((prior * rest * gap) ** 2 / mass)
    return Decomposition(score, score - best, gained, prior * rest, forecast.notes)


@define_summary(direction="lower", range=(0.0, math.inf), of_scores=True)
def log_loss(counts: Counts, *, at: Conditions | None = None, calibrated_at: Any = None) -> float:
    """How surprised are the probabilities by the truth? The mean of −ln of the probability given to
    the true class.

    0 is perfect; −π ln π − (1 − π) ln (1 − π) is what the prior itself gets. A score of 0 for a
    positive, or 1 for a negative, is an infinite surprise, and is reported: nothing is clipped.
    Good 1952, J. Royal Stat. Soc. B 14:107-114.

    >>> import baserate as br
    >>> round(br.curves.log_loss(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), 6)
    0.472288
    """
    forecast = _read_forecast(counts, at, calibrated_at)
    ours, theirs = forecast.positives > 0, forecast.negatives > 0
    scores = as_probabilities(counts.scores)
    if (scores[ours] == 0).any() or (scores[theirs] == 1).any():
        raise Undefinable("infinite: a positive has probability 0, or a negative probability 1")
    with np.errstate(over="ignore"):
        surprise = (
            np.log1p((1 - scores[ours]) / forecast.factor / scores[ours]),
            np.log1p(scores[theirs] * forecast.factor / (1 - scores[theirs])),
        )
    # Beyond the range of floats, the logarithm of the odds is taken part by part.
    far = np.isinf(surprise[0])
    surprise[0][far] = -np.log(scores[ours][far]) - math.log(forecast.factor)
    terms = (forecast.positives[ours] * surprise[0], forecast.negatives[theirs] * surprise[1])
    return Reading(math.fsum(np.concatenate(terms)), forecast.notes, name=f"log_loss{forecast.how}")


@define_summary(direction="lower", range=SHARE, of_scores=True)
def calibration_error(
    counts: Counts,
    *,
    at: Conditions | None = None,
    calibrated_at: Any = None,
    bins: int | None = None,
) -> float:
    """How far are the probabilities from the observed shares, on average? Σ share of cases · |mean
    score − share of positives|.

    Over the blocks of the best monotone recalibration (PAV), or over `bins` bins of equal width.
    0 is calibrated. Either is biased upward on the cases that it is computed on; of one class alone
    there are bins, and no blocks. Naeini, Cooper & Hauskrecht 2015, AAAI:2901-2907.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(br.curves.calibration_error(counts), 4)
    0.1375
    >>> round(br.curves.calibration_error(counts, bins=2), 4)
    0.0875
    """
    forecast = _read_forecast(counts, at, calibrated_at)
    if bins is None:
        check_both_classes(counts)
        starts, shown = calibration_blocks(Points.of(counts)), forecast.how
    else:
        starts = equal_bins(forecast.scores, bins)
        shown = f"({', '.join(filter(None, (forecast.how.strip('()'), f'bins={bins}')))})"
    # mass · score − positives, without the difference of what is close to 1.
    excess = forecast.negatives * forecast.scores - forecast.positives * forecast.rest
    gaps = np.add.reduceat(excess, starts)
    return Reading(math.fsum(np.abs(gaps)), forecast.notes, name=f"calibration_error{shown}")
