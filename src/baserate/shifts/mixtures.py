"""Unlabelled scores as a mixture of the two classes: what share of positives makes them most likely, or flags as many of them?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.counts import Counts
from baserate.exact import Floats, Ints
from baserate.joining import joined_scores
from baserate.unlabelled import Unlabelled

# Newton's steps on a concave function, each kept inside what bisection has left: far fewer are needed.
MOST_STEPS = 100
CLOSE = 1e-12
# A cut is looked for among so many.
MOST_CUTS = 256


class Flags(NamedTuple):
    """Cases of either class and without a label in the cells between some thresholds, descending; the last cell holds what none flags."""

    thresholds: Array
    positives: Ints
    negatives: Ints
    cases: Ints


def flags_of(counts: Counts, unlabelled: Unlabelled, threshold: float | None) -> Flags:
    """Cells of equal share in the classes; or what lies above and below the threshold that is given."""
    cuts = even_cuts(counts, MOST_CUTS) if threshold is None else np.array([threshold])
    return Flags(cuts, *(between(scores, cases, cuts) for scores, cases in _columns(counts, unlabelled)))


def even_cuts(counts: Counts, cells: int) -> Array:
    """Thresholds, descending, that cut the cases into up to so many cells of equal share, each class counting half."""
    running = np.cumsum(counts.positives / counts.total_positives / 2 + counts.negatives / counts.total_negatives / 2)
    places = np.unique(np.searchsorted(running, np.arange(1, cells) / cells))
    inner = places[places < len(counts.scores) - 1]
    return counts.scores[inner] if len(inner) else counts.scores[:1]


def _columns(counts: Counts, unlabelled: Unlabelled) -> list[tuple[Array, Ints]]:
    joined_scores(counts.scores, unlabelled.scores)  # refuses whole numbers beside floats that would round them
    return [(counts.scores, counts.positives), (counts.scores, counts.negatives), (unlabelled.scores, unlabelled.cases)]


def between(scores: Array, cases: Ints, cuts: Array) -> Ints:
    """How many cases lie at or above the first cut, between it and the next, and so on, and below the last."""
    running = np.concatenate(([0], np.cumsum(cases)))
    ascending = scores[::-1]
    reached = running[len(scores) - np.searchsorted(ascending, cuts, side="left")]
    return np.diff(np.concatenate(([0], reached, running[-1:])))


def adjusted(positives: Ints, negatives: Ints, cases: Ints) -> tuple[Floats, Ints]:
    """The share of positives that flags as many cases, and at which cut: (flagged − FPR) / (TPR − FPR) where TPR and FPR add up to 1.

    Where TPR − FPR is largest it is too large by chance, and the share too small. One row a sample; NaN where the cut does not tell the
    classes apart. Not yet limited to 0 and 1.
    """
    tpr, fpr, flagged = (np.cumsum(part, axis=-1)[..., :-1] / np.sum(part, axis=-1, keepdims=True) for part in (positives, negatives, cases))
    best = np.argmin(np.abs(tpr + fpr - 1), axis=-1)
    ours, theirs, seen = (np.take_along_axis(rates, best[..., None], axis=-1)[..., 0] for rates in (tpr, fpr, flagged))
    gap = ours - theirs
    return np.divide(seen - theirs, gap, out=np.full(np.shape(gap), np.nan), where=gap > 0), best


def most_likely(ours: Floats, theirs: Floats, cases: Floats, start: float = 0.5) -> Floats:
    """The share of positives under which cases with these densities in either class are most likely, one for each row of `cases`.

    Densities are the same for every row, or have a row for each; NaN where every case is as likely in either class. The share maximises
    Σ cases · ln(π · ours + (1 − π) · theirs), which is concave in π: where Saerens' EM ends, if it is given the time.
    """
    share = _at_the_ends(ours, theirs, cases, start)
    open_rows = np.flatnonzero((share > 0) & (share < 1))
    low, high = np.zeros(len(cases)), np.ones(len(cases))
    for _ in range(MOST_STEPS):
        if not len(open_rows):
            break
        now = share[open_rows]
        here, there = (part if part.ndim == 1 else part[open_rows] for part in (ours, theirs))
        slope, bend = _slopes(here, there, cases[open_rows], now)
        low[open_rows], high[open_rows] = np.where(slope > 0, now, low[open_rows]), np.where(slope > 0, high[open_rows], now)
        step = now + slope / bend
        inside = (step > low[open_rows]) & (step < high[open_rows])
        share[open_rows] = np.where(inside, step, (low[open_rows] + high[open_rows]) / 2)
        open_rows = open_rows[np.abs(share[open_rows] - now) > CLOSE * now]
    return share


def _slopes(ours: Floats, theirs: Floats, cases: Floats, share: Floats) -> tuple[Floats, Floats]:
    """The first derivative of the likelihood at each share, and the second with its sign turned."""
    gaps = ours - theirs
    pull = gaps / (theirs + share[:, None] * gaps)
    pulled = cases * pull
    return pulled.sum(axis=1), np.einsum("ij,ij->i", pulled, pull)


def _at_the_ends(ours: Floats, theirs: Floats, cases: Floats, start: float) -> Floats:
    """0 or 1, where the likelihood falls from there on; NaN where nothing is told; elsewhere the start."""
    gaps, there = ours - theirs, cases > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        at_none, at_all = (np.where(there & (gaps != 0), cases * (gaps / density), 0.0).sum(axis=1) for density in (theirs, ours))
    told = (there & (gaps != 0)).any(axis=1)
    return np.where(~told, np.nan, np.where(at_none <= 0, 0.0, np.where(at_all >= 0, 1.0, start)))
