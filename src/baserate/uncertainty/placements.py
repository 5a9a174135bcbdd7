"""Intervals for AUC, from placements: the share of the other class that each case is ranked above (or below)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from baserate.counts import Counts
from baserate.errors import quoted, refuse
from baserate.exact import INT64_MAX, Floats, Ints, square_sum
from baserate.joint import JointCounts
from baserate.kernels import Labels, Scores, best
from baserate.notes import Note
from baserate.summaries.ranking import auc, one_class
from baserate.uncertainty.values import BOTH, Interval, tails

DELONG_LOGIT, DELONG, PLACEMENTS, FREE = "delong-logit", "delong", "placements-beta", "distribution-free"
# Below so many of the smaller class, or this close to perfect, DeLong's interval covers too little (benchmarks/coverage.py).
ENOUGH, PERFECT = 100, 0.9
# Placements with more than this share of the largest variance there could be are nearly all 0 or 1.
EXTREME = 0.9
HALVINGS = 200
Bounds = tuple[float, float]


class Placed(NamedTuple):
    """AUC, the class totals, and the variance of the placements within each class."""

    value: float
    positives: int
    negatives: int
    of_positives: float
    of_negatives: float

    @property
    def variance(self) -> float:
        """DeLong's variance of the AUC. DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837-845."""
        return self.of_positives / self.positives + self.of_negatives / self.negatives

    @property
    def smaller(self) -> int:
        return min(self.positives, self.negatives)


def placed(counts: Counts) -> Placed:
    """The placements of these counts, in two passes over the cells."""
    refuse_weights(counts)
    if counts.bins is not None:
        raise refuse("BR581", "these counts are coarse: placements inside a bin are not known", "count with every score kept")
    value, (ours, theirs) = float(auc(counts)), cell_placements(counts)
    total_p, total_n = int(counts.total_positives), int(counts.total_negatives)
    return Placed(value, total_p, total_n, _variance(ours, counts.positives, value), _variance(theirs, counts.negatives, value))


def cell_placements(counts: Counts) -> tuple[Floats, Floats]:
    """Of each cell: the share of negatives that a positive there beats, and the share of positives that beat a negative there."""
    positives, negatives = counts.positives, counts.negatives
    total_p, total_n = int(counts.total_positives), int(counts.total_negatives)
    beaten = (total_n - np.cumsum(negatives) + negatives / 2) / total_n
    beating = (np.cumsum(positives) - positives / 2) / total_p
    return beaten, beating


def _variance(values: Floats, cases: Floats, mean: float) -> float:
    """The sample variance over the cases; of one case it is not known, and taken for none."""
    whole = int(cases.sum())
    return float(np.sum(cases * (values - mean) ** 2)) / (whole - 1) if whole > 1 else 0.0


def refuse_weights(counts: Counts | JointCounts) -> None:
    """Masses are no number of cases: neither Wilson nor DeLong holds for them."""
    if counts.weighted:
        text = "these cases are weighted: intervals need whole cases, as weights do not say how many were seen"
        raise refuse("BR583", text, "count without weights, or resample whole groups: count_groups(...)")


def auc_interval(counts: Counts, level: float, method: str | None, side: str) -> Interval:
    """The interval for AUC: DeLong's on the logit scale where there are enough cases, placements' own otherwise."""
    missing = one_class(counts)
    if missing:
        raise refuse("BR552", f"{missing}: AUC is undefined, and so is its interval", "give cases of both classes")
    known = placed(counts)
    chosen = method or (_rule(known) if side == BOTH else PLACEMENTS)
    if chosen not in METHODS:
        raise refuse("BR581", f"there is no method {quoted(chosen)} for AUC", f"one of {', '.join(METHODS)}, or percentile, bca")
    low, high = METHODS[chosen](known, *tails(level, side))
    low, high = max(0.0, low), min(1.0, high)
    return Interval(known.value, low, high, level, chosen, side, "auc", notes=_notes(known, chosen))


def _rule(known: Placed) -> str:
    enough = known.smaller >= ENOUGH and 1 - PERFECT <= known.value <= PERFECT and known.variance > 0
    return DELONG_LOGIT if enough else PLACEMENTS


def _notes(known: Placed, method: str) -> tuple[Note, ...]:
    if method not in (DELONG, DELONG_LOGIT) or _rule(known) == DELONG_LOGIT:
        return ()
    text = (
        f"{method} covers less than it says with fewer than {ENOUGH} cases of the smaller class (here {known.smaller}), "
        "with AUC near 1, or with nothing but ties: "
        f"leave the method open for {PLACEMENTS}"
    )
    return (Note("BR597", text),)


def _all_or_nothing(known: Placed) -> bool:
    """Whether the placements of the smaller class are nearly all 0 or 1: the AUC is then a rate, and half a case at an end too little."""
    positives = known.positives <= known.negatives
    cases, variance = (known.positives, known.of_positives) if positives else (known.negatives, known.of_negatives)
    return cases > 1 and variance > EXTREME * known.value * (1 - known.value) * cases / (cases - 1)


def _plain(known: Placed, below: float, above: float) -> Bounds:
    spread = math.sqrt(known.variance)
    return (
        known.value + normal(below) * spread if below else 0.0,
        known.value - normal(above) * spread if above else 1.0,
    )


def _logit(known: Placed, below: float, above: float) -> Bounds:
    value, spread = known.value, math.sqrt(known.variance)
    if not 0 < value < 1:
        raise refuse("BR581", f"AUC is {value:g}: it has no logit, and DeLong's variance is 0", f"leave the method open for {PLACEMENTS}")
    centre, scale = math.log(value / (1 - value)), spread / (value * (1 - value))
    low = _expit(centre + normal(below) * scale) if below else 0.0
    high = _expit(centre - normal(above) * scale) if above else 1.0
    return low, high


def _expit(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def _placements_beta(known: Placed, below: float, above: float) -> Bounds:
    """A Beta distribution with the mean and variance that the placements leave possible.

    Each class's placements get half a case at 0 and half a case at 1 beside them, and are weighed by a Dirichlet distribution. With one
    class much larger, and the placements of the smaller all 0 or 1, that would be Beta(x + ½, n − x + ½), Jeffreys' interval, which covers
    down to 87 %: there, and for one bound alone, a whole case stands at the harder end, as Clopper and Pearson have it.
    """
    from scipy.special import betaincinv

    if known.value in (0.0, 1.0) and below and above:
        below, above = (below + above, 0.0) if known.value else (0.0, below + above)  # only one side is a statement
    both = bool(below and above) and not _all_or_nothing(known)
    low, high = 0.0, 1.0
    if below and known.value > 0:
        low = float(betaincinv(*_shape(known, 0.5 if both else 0.0), below))
    if above and known.value < 1:
        a, b = _shape(known, 0.5 if both else 1.0)
        high = 1 - float(betaincinv(b, a, above))
    # Half a case at either end moves the centre: the bounds still hold what was seen.
    return min(low, known.value), max(high, known.value)


def _shape(known: Placed, at_one: float) -> tuple[float, float]:
    """The Beta distribution of the placements, with one case added, so much of it at 1 and the rest at 0."""
    ours, theirs = (
        _dirichlet(known.value, cases, variance, at_one)
        for cases, variance in ((known.positives, known.of_positives), (known.negatives, known.of_negatives))
    )
    mean = ours[0] if known.positives <= known.negatives else theirs[0]
    variance = min(ours[1] + theirs[1], 0.999 * mean * (1 - mean))
    weight = mean * (1 - mean) / variance - 1
    return mean * weight, (1 - mean) * weight


def _dirichlet(value: float, cases: int, variance: float, at_one: float) -> tuple[float, float]:
    mean = (cases * value + at_one) / (cases + 1)
    squares = (cases - 1) * variance + cases * (value - mean) ** 2 + at_one * (1 - mean) ** 2 + (1 - at_one) * mean**2
    return mean, squares / ((cases + 1) * (cases + 2))


def _free(known: Placed, below: float, above: float) -> Bounds:
    """A bound that holds for every distribution of scores, however small the sample.

    AUC is a mean over min(P, N) independent pairs, so Hoeffding's inequality holds with that number: k · KL(seen ‖ true) <= log(1 / missed).
    Hoeffding 1963, JASA 58:13-30, eq 5.7 and theorem 1.
    """
    value, pairs = known.value, known.smaller
    low = _where(lambda true: pairs * _divergence(value, true) > -math.log(below), 0.0, value) if below else 0.0
    high = _where(lambda true: pairs * _divergence(value, true) > -math.log(above), 1.0, value) if above else 1.0
    return low, high


def _where(ruled_out: Callable[[float], bool], outside: float, inside: float) -> float:
    """The border between what is ruled out and what is not, on the safe side."""
    for _ in range(HALVINGS):
        middle = (outside + inside) / 2
        if middle in (outside, inside):
            break
        outside, inside = (middle, inside) if ruled_out(middle) else (outside, middle)
    return outside


def _divergence(seen: float, true: float) -> float:
    """Kullback and Leibler's divergence between two coins."""
    parts = ((seen, true), (1 - seen, 1 - true))
    return math.fsum(p * math.log(p / q) if q else math.inf for p, q in parts if p)


METHODS: dict[str, Callable[[Placed, float, float], Bounds]] = {
    DELONG_LOGIT: _logit,
    DELONG: _plain,
    PLACEMENTS: _placements_beta,
    FREE: _free,
}


class Pair(NamedTuple):
    """Two AUCs on the same cases, and the variance of the difference of placements within each class."""

    values: tuple[float, float]
    positives: int
    negatives: int
    of_positives: float
    of_negatives: float

    @property
    def parts(self) -> tuple[float, float]:
        """What each class adds to the variance of the difference."""
        return self.of_positives / self.positives, self.of_negatives / self.negatives

    @property
    def freedom(self) -> float:
        """Welch and Satterthwaite's degrees of freedom."""
        return freedom(zip(self.parts, (self.positives, self.negatives), strict=True))


def placed_pair(joint: JointCounts, models: tuple[str, str]) -> Pair:
    """The placements of both models, case by case."""
    refuse_weights(joint)
    total_p, total_n = int(joint.total_positives), int(joint.total_negatives)
    positive, both = _one_by_one(joint, models)
    first, second = best.twice_beaten(both, positive)
    # Twice the cases of the other class on the right side: whole numbers, of which means and differences are exact.
    # Products with 0 and 1 instead of masks: a random mask costs a wrong guess of the processor at every other case.
    ours = positive.astype(np.int64)
    values = [int(np.dot(beaten, ours)) / (2 * total_p * total_n) for beaten in (first, second)]
    apart = second - first
    spread = [_spread(apart, ours, total_p, 2 * total_n), _spread(apart, 1 - ours, total_n, 2 * total_p)]
    return Pair((values[0], values[1]), total_p, total_n, *spread)


def _spread(apart: Ints, ones: Ints, cases: int, unit: int) -> float:
    """The sample variance of the differences, in this unit, within the class that has `ones`; exact where 64 bits hold it."""
    if cases < 2:
        return 0.0
    within = apart * ones
    if cases * unit * unit < INT64_MAX:
        total, squares = int(within.sum()), int(np.dot(within, within))
        return (cases * squares - total * total) / (cases * (cases - 1) * unit * unit)
    off = (within - float(np.sum(within, dtype=np.float64)) / cases) * ones
    return square_sum(off / unit) / (cases - 1)


def _one_by_one(joint: JointCounts, models: tuple[str, str]) -> tuple[Labels, list[Scores]]:
    """Every case on its own: whether it is positive, and its score by each model."""
    columns = [joint.scores[model] for model in models]
    if bool((joint.positives + joint.negatives == 1).all()):
        return joint.positives == 1, columns
    times = np.concatenate((joint.positives, joint.negatives))
    positive = np.repeat(np.arange(len(times)) < len(joint.positives), times)
    return positive, [np.repeat(np.tile(column, 2), times) for column in columns]


def freedom(parts: object) -> float:
    """Welch and Satterthwaite's degrees of freedom of a sum of variances, each with the number of cases behind it."""
    pairs = [(variance, cases) for variance, cases in parts if variance > 0]  # type: ignore[attr-defined]
    below = math.fsum(variance**2 / max(cases - 1, 1) for variance, cases in pairs)
    return math.fsum(variance for variance, _ in pairs) ** 2 / below if below else math.inf


def normal(share: float) -> float:
    """The quantile of the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(share))
