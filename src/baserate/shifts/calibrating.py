"""Scores into probabilities: isotonic (the blocks of the ROC hull), Platt's sigmoid, or beta calibration."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.arithmetic import rounded
from baserate.cells import gathered
from baserate.counts import Counts
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.notes import Note
from baserate.points import Points
from baserate.shifts.correcting import calibration_prior
from baserate.shifts.relabelling import as_probabilities, relabelled

ISOTONIC, PLATT, BETA = "isotonic", "platt", "beta"
METHODS = (ISOTONIC, PLATT, BETA)
MOST_STEPS = 100
CLOSE = 1e-10
SMALLEST = np.finfo(np.float64).tiny


@dataclass(frozen=True, repr=False)
class Calibration:
    """A map from scores to probabilities, calibrated at the base rate `prior` of the cases that it was fitted to.

    Isotonic: `values[i]` for scores from `scores[i]` up to the next higher. Platt: the logistic function of a · score + c; beta: of
    a · ln(score) − b · ln(1 − score) + c, with `parameters` (a, c) and (a, b, c).
    """

    method: str
    prior: float
    parameters: tuple[float, ...] = ()
    scores: Floats = field(default_factory=lambda: np.empty(0))
    values: Floats = field(default_factory=lambda: np.empty(0))
    notes: tuple[Note, ...] = ()

    def apply(self, scores: npt.ArrayLike) -> Floats:
        """The probabilities of these scores, at the base rate of calibration."""
        given = np.asarray(scores)
        if given.dtype.kind not in "biuf" or np.isnan(given.astype(np.float64)).any():
            raise refuse("BR201", "a score is missing or no number, and has no probability", "drop or score the cases that have none")
        flat = given.reshape(-1)
        if self.method == ISOTONIC:
            place = np.searchsorted(self.scores, flat, side="right") - 1
            return self.values[np.maximum(place, 0)].reshape(given.shape)
        return _logistic(_features(flat, self.method) @ np.array(self.parameters)).reshape(given.shape)

    def relabel(self, counts: Counts) -> Counts:
        """The same cases at their probabilities.

        A sigmoid keeps every cell and so every ranking measure, bit for bit. Isotonic calibration merges the scores of a block: what is left
        is the ROC hull of the cases that it was fitted to. A mark of corrected scores is gone: these are calibrated anew.
        """
        labels, ledger = self.apply(counts.scores), replace(counts.ledger, corrected="")
        if self.method != ISOTONIC:
            return relabelled(counts, labels, ledger)
        if counts.bins is not None or counts.condensed:
            raise refuse("BR220", "isotonic calibration merges scores, and these counts have merged some", "count with every score kept")
        return Counts._of(gathered(labels, counts.positives, counts.negatives), ledger, counts._recorded)

    def __repr__(self) -> str:
        fitted = f"{len(self.values)} blocks" if self.method == ISOTONIC else ", ".join(f"{value:.4g}" for value in self.parameters)
        return f"Calibration: {self.method} ({fitted}), at prior {self.prior:.4g}"


def calibrate(counts: Counts, method: str = ISOTONIC) -> Calibration:
    """Which probability does each score stand for, at the base rate of these cases?

    "isotonic": the share of positives in each block of pooled adjacent violators, which are the edges of the ROC hull (Zadrozny & Elkan 2002,
    KDD). "platt": a sigmoid of the score, fitted to labels drawn in a little, as Platt 1999 did. "beta": a sigmoid of ln(score) and
    ln(1 − score), for scores that are probabilities already (Kull, Silva Filho & Flach 2017, AISTATS). Fitted and judged on the same cases,
    a calibration looks better than it is: fit on some, apply to others. To another base rate: `correct_prior`.

    >>> import baserate as br
    >>> found = br.calibrate(br.count([0, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6]))
    >>> found, found.apply([0, 2.5, 4, 9]).round(4)
    (Calibration: isotonic (3 blocks), at prior 0.5, array([0.    , 0.    , 0.6667, 1.    ]))
    """
    if not isinstance(counts, Counts):
        raise refuse("BR228", f"a calibration is fitted to Counts, got {type(counts).__name__}", "count(...)")
    if method not in METHODS:
        raise refuse("BR543", f"a calibration is {', '.join(map(quoted, METHODS))}; got {quoted(method)}", f"method={ISOTONIC!r}")
    if not counts.total_positives or not counts.total_negatives:
        raise refuse("BR552", "both classes are needed", "count cases of both classes")
    if counts.bins is not None or counts.condensed:
        raise refuse("BR543", "condensed and coarse counts have merged scores: there is no calibrating them", "count with every score kept")
    prior = rounded(calibration_prior("sample", counts))
    return _isotonic(counts, prior) if method == ISOTONIC else _sigmoid(counts, method, prior)


def _isotonic(counts: Counts, prior: float) -> Calibration:
    hull = Points.of(counts).hull()
    ours, theirs = np.diff(hull.tp), np.diff(hull.fp)
    values, scores = (ours / (ours + theirs))[::-1].copy(), hull.scores[::-1].copy()
    for array in (values, scores):
        array.flags.writeable = False
    return Calibration(ISOTONIC, prior, scores=scores, values=values)


def _sigmoid(counts: Counts, method: str, prior: float) -> Calibration:
    if not np.isfinite(counts.scores[[0, -1]]).all():
        raise refuse("BR543", "an infinite score has no place on a sigmoid", 'method="isotonic"')
    if method == BETA:
        as_probabilities(counts.scores)
        # Platt draws the labels in, so that even classes that a score separates have a best sigmoid; without that, none is steep enough.
        if counts.scores[counts.positives > 0][-1] >= counts.scores[counts.negatives > 0][0]:
            raise refuse("BR543", "the scores separate the classes: no sigmoid is steep enough", 'method="platt", or "isotonic"')
    features, (hits, misses) = _features(counts.scores, method), _targets(counts, method)
    columns = list(range(features.shape[1]))
    while True:
        fitted = _fitted(features[:, columns], hits, misses)
        # A slope below 0 would turn the order of scores: beta calibration then does without the worst, Platt's says so.
        worst = min(columns[:-1], key=lambda column: fitted[columns.index(column)], default=None)
        if worst is None or fitted[columns.index(worst)] > 0:
            break
        columns.remove(worst)
    if len(columns) == 1:
        raise refuse(
            "BR543", "higher scores are not more often positive: no sigmoid rises with them", "negate the scores, if low means positive"
        )
    whole = np.zeros(features.shape[1])
    whole[columns] = fitted
    return Calibration(method, prior, tuple(whole.tolist()))


def _features(scores: npt.NDArray[Any], method: str) -> Floats:
    """What the sigmoid is linear in; the last column is the constant."""
    values = scores.astype(np.float64)
    if method == PLATT:
        return np.stack((values, np.ones(len(values))), axis=1)
    shares = as_probabilities(values)
    floor = np.maximum(shares, SMALLEST), np.maximum(1 - shares, np.finfo(np.float64).epsneg)
    return np.stack((np.log(floor[0]), -np.log(floor[1]), np.ones(len(values))), axis=1)


def _targets(counts: Counts, method: str) -> tuple[Floats, Floats]:
    """The cases of each cell; for Platt, labels drawn in: 1 is (P + 1) / (P + 2), and 0 is 1 / (N + 2)."""
    hits, misses = counts.positives.astype(np.float64), counts.negatives.astype(np.float64)
    if method == BETA:
        return hits, misses
    high, low = (hits.sum() + 1) / (hits.sum() + 2), 1 / (misses.sum() + 2)
    return high * hits + low * misses, (1 - high) * hits + (1 - low) * misses


def _fitted(features: Floats, hits: Floats, misses: Floats) -> Floats:
    """Logistic regression of the cells by Newton's method, on columns of one scale, each step halved until it helps."""
    centre, scale = features[:, :-1].mean(axis=0), features[:, :-1].std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    design = np.column_stack(((features[:, :-1] - centre) / scale, features[:, -1]))
    weights = np.zeros(design.shape[1])
    cases, loss = hits + misses, _loss(design @ weights, hits, misses)
    for _ in range(MOST_STEPS):
        shares = _logistic(design @ weights)
        slope = design.T @ (cases * shares - hits)
        bend = design.T @ (design * (cases * shares * (1 - shares))[:, None])
        step = np.linalg.solve(bend + 1e-12 * np.trace(bend) * np.eye(len(bend)) + SMALLEST, slope)
        size = 1.0
        while size > CLOSE and not _loss(design @ (weights - size * step), hits, misses) <= loss:
            size /= 2
        weights, before = weights - size * step, loss
        loss = _loss(design @ weights, hits, misses)
        if before - loss <= CLOSE**2 * abs(before) or np.abs(step).max() <= CLOSE:
            break
    slopes = weights[:-1] / scale
    return np.append(slopes, weights[-1] - float(slopes @ centre))


def _loss(odds: Floats, hits: Floats, misses: Floats) -> float:
    return float(hits @ np.logaddexp(0, -odds) + misses @ np.logaddexp(0, odds))


def _logistic(odds: Floats) -> Floats:
    return np.exp(-np.logaddexp(0, -odds))
