"""Calibration of scores, and probabilities corrected from one base rate to another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate import notation
from baserate.conditions import Conditions, checked_conditions, kept_share
from baserate.counts.cells import gathered, without_runs
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.named import as_probabilities, calibration_prior, multiply_odds, odds_ratio
from baserate.errors import (
    Fix,
    Ledger,
    Note,
    check_corrected_once,
    combine,
    grouped,
    quoted,
    refuse,
)
from baserate.kernels import Cells
from baserate.kernels.portable import ascending_orders, scores_of_orders
from baserate.numbers import Floats, Ints, Viewed, rounded

# ----------------------------------------------------------------------
# New names for the thresholds of counts: every cell keeps its cases and its rank, whatever floats
# make of its new score.


# Rounding alone moves a label by so many units in the last place; only more is worth a note.
FEW_UNITS = 4


def with_thresholds(
    counts: Counts, labels: Floats, ledger: Ledger, remarks: tuple[Note, ...] = ()
) -> Counts:
    """The same cells with these labels, which do not rise but may be equal where floats merge them:
    those are set apart again.
    """
    apart, moved = _set_apart(labels)
    cells = Cells(apart, counts.positives.copy(), counts.negatives.copy())
    if counts.cuts is not None:
        cells = without_runs(cells)  # thresholds that were kept apart have other names now
    notes = combine(counts._recorded, (*_note_merged_scores(moved), *remarks))
    return Counts._of(cells, ledger, notes, condensed=counts.condensed)


def _set_apart(labels: Floats) -> tuple[Floats, Ints]:
    """Strictly descending labels between 0 and 1, each the nearest there is below its predecessor,
    and by how many units each was moved.
    """
    wished, place = ascending_orders(labels), np.arange(len(labels))
    # In units of the last place: below every label before it, and above every label after it down
    # to 0.
    orders = np.maximum(np.minimum.accumulate(wished + place) - place, len(labels) - 1 - place)
    return scores_of_orders(orders, np.dtype(np.float64)), np.abs(orders - wished)


def _note_merged_scores(units: Ints) -> tuple[Note, ...]:
    far = units > FEW_UNITS
    if not far.any():
        return ()
    text = (
        f"{grouped(int(np.count_nonzero(far)))} scores merge when corrected, as floats are no"
        f" finer; they keep their order, and lie up to {grouped(int(units.max()))} units in the"
        " last place off"
    )
    return (Note("BR539", text),)


# ----------------------------------------------------------------------
# From one base rate to another: what a calibrated probability is worth where positives are rarer,
# or more frequent.


HOW = "negatives_kept=0.01, or calibrated_at=0.5 with at=Conditions(prior=0.001)"


def correct_prior(
    counts: Counts,
    *,
    negatives_kept: Any = None,
    calibrated_at: Any = None,
    at: Conditions | None = None,
) -> Counts:
    """Which thresholds do these counts have, once their scores are corrected to the base rate of
    the field?

    Either `negatives_kept`, the share of the negatives that the training data kept (every positive
    was), or `calibrated_at`, the base rate at which the scores are probabilities, and `at`, the one
    that is meant. The odds of every score are multiplied by one number, so the order of the cases
    cannot change: the thresholds get new names, and every cell keeps its cases. A ranking measure
    has the same value, bit for bit. What was corrected is marked, also in sums and in files, and
    correcting it again is refused. Elkan 2001, IJCAI:973-978, theorem 2.

    >>> import baserate as br
    >>> counts = br.count([0, 1, 0, 1], [0.5, 0.9, 0.2, 0.99])
    >>> br.shift.correct_prior(counts, negatives_kept=0.01).scores.round(6)
    array([0.497487, 0.082569, 0.009901, 0.002494])
    """
    if not isinstance(counts, Counts):
        raise refuse(
            "BR429",
            f"thresholds are corrected of Counts, got {type(counts).__name__}",
            "count(...)",
        )
    sample = None if not counts.total_positives or not counts.total_negatives else counts
    factor = odds_factor(negatives_kept, calibrated_at, at, sample)
    check_corrected_once(counts.ledger, factor)
    labels, _ = multiply_odds(as_probabilities(counts.scores), factor)
    ledger = replace(counts.ledger, corrected=counts.ledger.corrected or _correction_mark(factor))
    return with_thresholds(counts, labels, ledger, _note_uncalibrated(sample, calibrated_at))


# A calibrated score averages to the prior; further off than this share of it is worth a note.
FAR_OFF = 0.1


def _note_uncalibrated(sample: Counts | None, calibrated_at: Any) -> tuple[Note, ...]:
    """At the base rate where scores are calibrated their mean is that base rate: a simple check,
    and no proof.
    """
    if sample is None or calibrated_at is None or sample.condensed:
        return ()
    prior = float(calibration_prior(calibrated_at, sample))
    scores = sample.scores.astype(np.float64)
    means = [
        float(np.dot(cases / cases.sum(), scores)) for cases in (sample.positives, sample.negatives)
    ]
    mean = prior * means[0] + (1 - prior) * means[1]
    if abs(mean - prior) <= FAR_OFF * prior:
        return ()
    text = (
        "the correction assumes calibrated scores; at a base rate of"
        f" {notation.base_rate(prior)} their mean would be {prior:.3g}, and it is {mean:.3g}"
    )
    return (Note("BR507", text),)


def correct_probabilities(
    scores: npt.ArrayLike,
    *,
    negatives_kept: Any = None,
    calibrated_at: Any = None,
    at: Conditions | None = None,
) -> Floats:
    """What are these probabilities worth at another base rate?

    As `correct_prior`, for single scores: to be shown to a person, or cut at a threshold of
    corrected counts. Very close probabilities may become one float; counts are corrected by
    `correct_prior`, which keeps them apart. An array carries no mark: whether it was corrected
    before is for the caller to know.

    >>> import baserate as br
    >>> br.shift.correct_probabilities([0.5, 0.9, 0.99], negatives_kept="1%").round(6)
    array([0.009901, 0.082569, 0.497487])
    """
    given = _array_of(scores, "BR507", "probabilities are numbers from 0 to 1, and none is missing")
    factor = odds_factor(negatives_kept, calibrated_at, at, None)
    return multiply_odds(as_probabilities(given.reshape(-1)), factor)[0].reshape(given.shape)


def _array_of(scores: npt.ArrayLike, code: str, text: str) -> npt.NDArray[Any]:
    """Scores as an array of numbers, none of them missing."""
    given = np.asarray(scores)
    if given.dtype.kind not in "biuf" or np.isnan(given.astype(np.float64)).any():
        raise refuse(code, text, "drop or score the cases that have none")
    return given


def odds_factor(
    negatives_kept: Any, calibrated_at: Any, at: Conditions | None, sample: Counts | None
) -> Fraction:
    """What the odds are multiplied by, exactly: the share of negatives kept, or the prior odds
    meant over those of calibration.
    """
    stated = at is not None and not checked_conditions(at).as_in_sample
    if negatives_kept is not None:
        if calibrated_at is not None or at is not None:
            raise refuse(
                "BR542",
                "a share of negatives kept, and base rates beside it: both would be applied",
                HOW,
            )
        return kept_share(negatives_kept)
    if calibrated_at is None:
        raise refuse(
            "BR507",
            "correcting scores needs the base rate at which they are calibrated, or the share of"
            " negatives kept",
            HOW,
        )
    if at is None or not stated:
        raise refuse(
            "BR509",
            "to which base rate are the scores corrected? The sample's own is not known without"
            " data",
            Fix.everywhere(HOW),
        )
    trained, meant = calibration_prior(calibrated_at, sample), at.exact_prior
    return odds_ratio(meant, trained)


def _correction_mark(factor: Fraction) -> str:
    return "" if factor == 1 else str(factor)


# ----------------------------------------------------------------------
# Scores into probabilities: isotonic (the blocks of the ROC hull), Platt's sigmoid, or beta
# calibration.


ISOTONIC, PLATT, BETA = "isotonic", "platt", "beta"
METHODS = (ISOTONIC, PLATT, BETA)
MOST_STEPS = 100
CLOSE = 1e-10
SMALLEST = np.finfo(np.float64).tiny
# What a sum of many terms can be off by, as a share of it.
NOISE = 1e-14


@dataclass(frozen=True, repr=False)
class Calibration(Viewed):
    """A map from scores to probabilities, calibrated at the base rate `prior` of the cases that it
    was fitted to.

    Isotonic: `values[i]` for scores from `scores[i]` up to the next higher. Platt: the logistic
    function of a · score + c; beta: of a · ln(score) − b · ln(1 − score) + c, with `parameters` (a,
    c) and (a, b, c).
    """

    method: str
    prior: float
    parameters: tuple[float, ...] = ()
    scores: Floats = field(default_factory=lambda: np.empty(0))
    values: Floats = field(default_factory=lambda: np.empty(0))
    notes: tuple[Note, ...] = ()

    def apply(self, scores: npt.ArrayLike) -> Floats:
        """The probabilities of these scores, at the base rate of calibration."""
        given = _array_of(scores, "BR201", "a score is missing or not a number")
        flat = given.reshape(-1)
        if self.method == ISOTONIC:
            place = np.searchsorted(self.scores, flat, side="right") - 1
            return self.values[np.maximum(place, 0)].reshape(given.shape)
        return _logistic_of(
            _sigmoid_features(flat, self.method) @ np.array(self.parameters)
        ).reshape(given.shape)

    def relabel(self, counts: Counts) -> Counts:
        """The same cases at their probabilities.

        A sigmoid keeps every cell and so every ranking measure, bit for bit. Isotonic calibration
        merges the scores of a block: what is left is the ROC hull of the cases that it was fitted
        to. A mark of corrected scores is gone: these are calibrated anew.
        """
        labels, ledger = self.apply(counts.scores), replace(counts.ledger, corrected="")
        if self.method != ISOTONIC:
            return with_thresholds(counts, labels, ledger)
        if counts.condensed:
            raise refuse(
                "BR220",
                "isotonic calibration merges scores, and these counts have merged some",
                "count with every score kept",
            )
        return Counts._of(
            gathered(labels, counts.positives, counts.negatives), ledger, counts._recorded
        )

    def __repr__(self) -> str:
        fitted = (
            f"{len(self.values)} blocks"
            if self.method == ISOTONIC
            else ", ".join(f"{value:.4g}" for value in self.parameters)
        )
        at = f"at a base rate of {notation.base_rate(self.prior)}"
        return f"Calibration: {self.method} ({fitted}), {at}"


def calibrate(counts: Counts, method: str = ISOTONIC) -> Calibration:
    """Which probability does each score stand for, at the base rate of these cases?

    "isotonic": the share of positives in each block of pooled adjacent violators, which are the
    edges of the ROC hull (Zadrozny & Elkan 2002, KDD). "platt": a sigmoid of the score, fitted to
    labels drawn in a little, as Platt 1999 did. "beta": a sigmoid of ln(score) and ln(1 − score),
    for scores that are probabilities already (Kull, Silva Filho & Flach 2017, AISTATS). Fitted and
    evaluated on the same cases, a calibration looks better than it is: fit on some, apply to
    others. To another base rate: `correct_prior`.

    >>> import baserate as br
    >>> found = br.shift.calibrate(br.count([0, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6]))
    >>> found
    Calibration: isotonic (3 blocks), at a base rate of 50%
    >>> found.apply([0, 2.5, 4, 9]).round(4)
    array([0.    , 0.    , 0.6667, 1.    ])
    """
    if not isinstance(counts, Counts):
        raise refuse(
            "BR429", f"a calibration is fitted to Counts, got {type(counts).__name__}", "count(...)"
        )
    if method not in METHODS:
        raise refuse(
            "BR543",
            f"a calibration is {', '.join(map(quoted, METHODS))}; got {quoted(method)}",
            f"method={ISOTONIC!r}",
        )
    if not counts.total_positives or not counts.total_negatives:
        raise refuse("BR552", "both classes are needed", "count cases of both classes")
    if counts.condensed:
        raise refuse(
            "BR543",
            "condensed counts have merged scores, so they cannot be calibrated",
            "count with every score kept",
        )
    prior = rounded(calibration_prior("sample", counts))
    return (
        _fit_isotonic(counts, prior) if method == ISOTONIC else _fit_sigmoid(counts, method, prior)
    )


def _fit_isotonic(counts: Counts, prior: float) -> Calibration:
    hull = Points.of(counts).hull()
    ours, theirs = np.diff(hull.tp), np.diff(hull.fp)
    values, scores = (ours / (ours + theirs))[::-1].copy(), hull.scores[::-1].copy()
    for array in (values, scores):
        array.flags.writeable = False
    return Calibration(ISOTONIC, prior, scores=scores, values=values)


def _fit_sigmoid(counts: Counts, method: str, prior: float) -> Calibration:
    if not np.isfinite(counts.scores[[0, -1]]).all():
        raise refuse(
            "BR543", "an infinite score cannot be calibrated by a sigmoid", 'method="isotonic"'
        )
    if method == BETA:
        as_probabilities(counts.scores)
        # Platt draws the labels in, so that even classes that a score separates have a best
        # sigmoid; without that, none is steep enough.
        if counts.scores[counts.positives > 0][-1] >= counts.scores[counts.negatives > 0][0]:
            raise refuse(
                "BR543",
                "the scores separate the classes: no sigmoid is steep enough",
                'method="platt", or "isotonic"',
            )
    features, (hits, misses) = (
        _sigmoid_features(counts.scores, method),
        _label_targets(counts, method),
    )
    columns = list(range(features.shape[1]))
    while True:
        fitted = _fit_logistic(features[:, columns], hits, misses)
        # A slope below 0 would turn the order of scores: beta calibration then does without the
        # worst, Platt's says so.
        worst = min(columns[:-1], key=lambda column: fitted[columns.index(column)], default=None)
        if worst is None or fitted[columns.index(worst)] > 0:
            break
        columns.remove(worst)
    if len(columns) == 1:
        raise refuse(
            "BR543",
            "higher scores are not more often positive, so no increasing sigmoid fits",
            "negate the scores, if low means positive",
        )
    whole = np.zeros(features.shape[1])
    whole[columns] = fitted
    return Calibration(method, prior, tuple(whole.tolist()))


def _sigmoid_features(scores: npt.NDArray[Any], method: str) -> Floats:
    """What the sigmoid is linear in; the last column is the constant."""
    values = scores.astype(np.float64)
    if method == PLATT:
        return np.stack((values, np.ones(len(values))), axis=1)
    shares = as_probabilities(values)
    floor = np.maximum(shares, SMALLEST), np.maximum(1 - shares, np.finfo(np.float64).epsneg)
    return np.stack((np.log(floor[0]), -np.log(floor[1]), np.ones(len(values))), axis=1)


def _label_targets(counts: Counts, method: str) -> tuple[Floats, Floats]:
    """The cases of each cell; for Platt, labels drawn in: 1 is (P + 1) / (P + 2), and 0 is 1 / (N +
    2).
    """
    hits, misses = counts.positives.astype(np.float64), counts.negatives.astype(np.float64)
    if method == BETA:
        return hits, misses
    high, low = (hits.sum() + 1) / (hits.sum() + 2), 1 / (misses.sum() + 2)
    return high * hits + low * misses, (1 - high) * hits + (1 - low) * misses


def _fit_logistic(features: Floats, hits: Floats, misses: Floats) -> Floats:
    """Logistic regression of the cells, on columns of one scale."""
    centre, scale = features[:, :-1].mean(axis=0), features[:, :-1].std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    design = np.column_stack(((features[:, :-1] - centre) / scale, features[:, -1]))
    weights = _minimize_loss(design, hits, misses)
    slopes = weights[:-1] / scale
    return np.append(slopes, weights[-1] - float(slopes @ centre))


def _minimize_loss(design: Floats, hits: Floats, misses: Floats) -> Floats:
    """Newton's method, each step halved until it helps."""
    cases, weights = hits + misses, np.zeros(design.shape[1])

    def read(weights: Floats) -> tuple[float, Floats]:
        odds = design @ weights
        falls = np.exp(-np.abs(odds))
        loss = float(cases @ (np.maximum(odds, 0) + np.log1p(falls)) - hits @ odds)
        return loss, np.where(odds >= 0, 1.0, falls) / (1 + falls)

    loss, shares = read(weights)
    for _ in range(MOST_STEPS):
        expected = cases * shares
        slope = design.T @ (expected - hits)
        bend = (design * (expected * (1 - shares))[:, None]).T @ design
        step = np.linalg.solve(bend + 1e-12 * np.trace(bend) * np.eye(len(bend)) + SMALLEST, slope)
        size, before = 1.0, loss
        loss, shares = read(weights - step)
        while size > CLOSE and not loss <= before + NOISE * abs(before):
            size /= 2
            loss, shares = read(weights - size * step)
        weights = weights - size * step
        if before - loss <= CLOSE**2 * abs(before) or np.abs(step).max() <= CLOSE:
            break
    return weights


def _logistic_of(odds: Floats) -> Floats:
    return np.exp(-np.logaddexp(0, -odds))
