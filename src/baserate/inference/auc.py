"""Intervals of AUC from placements, and DeLong's test of a difference of two AUCs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array
from baserate.counts.counts import Counts, JointCounts
from baserate.curves.areas import auc, one_class
from baserate.errors import Note, number_of, quoted, refuse
from baserate.inference.rates import normal, refuse_weights, special
from baserate.kernels import Scores
from baserate.numbers import Floats, Ints, share_won
from baserate.results.values import BOTH, Difference, Interval, missed, missed_in_tails

# ----------------------------------------------------------------------
# Intervals for AUC, from placements: the share of the other class that each case is ranked above
# (or below).


DELONG_LOGIT, DELONG, PLACEMENTS, FREE = (
    "delong-logit",
    "delong",
    "placements-beta",
    "distribution-free",
)
# Below this many of the smaller class, or this close to perfect, DeLong's interval covers too
# little (benchmarks/coverage.py).
ENOUGH_FOR_LOGIT, PERFECT = 100, 0.9
# Placements with more than this share of the largest variance there could be are nearly all 0 or 1.
EXTREME = 0.9
HALVINGS = 200
Bounds = tuple[float, float]


class Placed(NamedTuple):
    """An AUC, or the difference of two, the class totals, and the variance of the placements (or
    their differences) within each class.
    """

    value: float
    positives: int
    negatives: int
    of_positives: float
    of_negatives: float

    @property
    def pieces(self) -> tuple[tuple[float, int], tuple[float, int]]:
        """What each class adds to the variance, and its cases."""
        return (
            (self.of_positives / self.positives, self.positives),
            (self.of_negatives / self.negatives, self.negatives),
        )

    @property
    def variance(self) -> float:
        """DeLong's variance. DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837-845."""
        return self.pieces[0][0] + self.pieces[1][0]

    @property
    def smaller(self) -> int:
        return min(self.positives, self.negatives)


def placed(counts: Counts) -> Placed:
    """Return the AUC of these counts with the variances of its placements."""
    refuse_weights(counts)
    cases = counts.positives, counts.negatives
    return _placed(float(auc(counts)), cell_placements(*cases), cases)


def _placed(value: float, placements: Sequence[Floats], cases: Sequence[Array]) -> Placed:
    """Return a value with the variances of placements of positives and of negatives; `cases` are
    how many have each of them.
    """
    totals = [int(column.sum()) for column in cases]
    variances = [
        sample_variance(values, column, of_other)
        for values, column, of_other in zip(placements, cases, reversed(totals), strict=True)
    ]
    return Placed(value, totals[0], totals[1], *variances)


def cell_placements(positives: Array, negatives: Array) -> tuple[Floats, Floats]:
    """Return, for each cell in descending order, how many negatives a positive there beats, and how
    many positives beat a negative there; a tie is half.
    """
    beaten = float(negatives.sum()) - np.cumsum(negatives) + negatives / 2
    return beaten, np.cumsum(positives) - positives / 2


def sample_variance(values: Floats, cases: Array, unit: float = 1) -> float:
    """Return the sample variance over the cases of values in this unit; of one case it is not
    known, and taken for none.
    """
    whole = int(cases.sum())
    if whole < 2:
        return 0.0
    # Around the value of a case, so that equal values have no variance.
    off = values - values[int(np.argmax(cases > 0))]
    off[cases == 0] = 0.0
    off -= float(np.einsum("i,i->", off, cases)) / whole
    return float(np.einsum("i,i,i->", off, off, cases)) / (whole - 1) / unit**2


def auc_interval(counts: Counts, level: float, method: str | None, side: str) -> Interval:
    """The interval for AUC: DeLong's on the logit scale where there are enough cases, placements'
    own otherwise.
    """
    missing = one_class(counts)
    if missing:
        raise refuse(
            "BR552",
            f"{missing}: AUC is undefined, and so is its interval",
            "give cases of both classes",
        )
    known = placed(counts)
    chosen = method or (_rule(known) if side == BOTH else PLACEMENTS)
    if chosen not in METHODS:
        raise refuse(
            "BR581",
            f"there is no method {quoted(chosen)} for AUC",
            f"one of {', '.join(METHODS)}, or percentile, bca",
        )
    if chosen in (DELONG, DELONG_LOGIT) and known.smaller < 2:
        raise refuse(
            "BR590",
            "DeLong's variance needs two cases of each class, and one class has only 1",
            f'method="{PLACEMENTS}", or leave it out',
        )
    low, high = METHODS[chosen](known, *missed_in_tails(level, side))
    low, high = max(0.0, low), min(1.0, high)
    return Interval(known.value, low, high, level, chosen, side, "auc", notes=_notes(known, chosen))


def _rule(known: Placed) -> str:
    enough = (
        known.smaller >= ENOUGH_FOR_LOGIT
        and 1 - PERFECT <= known.value <= PERFECT
        and known.variance > 0
    )
    return DELONG_LOGIT if enough else PLACEMENTS


def _notes(known: Placed, method: str) -> tuple[Note, ...]:
    if method not in (DELONG, DELONG_LOGIT) or _rule(known) == DELONG_LOGIT:
        return ()
    return (
        Note(
            "BR597",
            f"{method} covers less than it says with fewer than {ENOUGH_FOR_LOGIT} cases of the"
            f" smaller class (here {known.smaller}), with AUC near 1, or with nothing but ties:"
            f" leave the method open for {PLACEMENTS}",
        ),
    )


def _all_or_nothing(known: Placed) -> bool:
    """Whether the placements of the smaller class are nearly all 0 or 1: the AUC is then a rate,
    and half a case at an end too little. Of two classes of one size, either will do.
    """
    classes = ((known.positives, known.of_positives), (known.negatives, known.of_negatives))
    bound = EXTREME * known.value * (1 - known.value)
    return any(
        cases > 1 and variance > bound * cases / (cases - 1)
        for cases, variance in classes
        if cases == known.smaller
    )


def _plain(known: Placed, below: float, above: float) -> Bounds:
    spread = math.sqrt(known.variance)
    return (
        known.value + normal(below) * spread if below else 0.0,
        known.value - normal(above) * spread if above else 1.0,
    )


def _logit(known: Placed, below: float, above: float) -> Bounds:
    value, spread = known.value, math.sqrt(known.variance)
    if not 0 < value < 1:
        raise refuse(
            "BR581",
            f"AUC is {value:g}: it has no logit, and DeLong's variance is 0",
            f"leave the method open for {PLACEMENTS}",
        )
    centre, scale = math.log(value / (1 - value)), spread / (value * (1 - value))
    low = _expit(centre + normal(below) * scale) if below else 0.0
    return low, (_expit(centre - normal(above) * scale) if above else 1.0)


def _expit(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def _placements_beta(known: Placed, below: float, above: float) -> Bounds:
    """A Beta distribution with the mean and variance that the placements leave possible.

    Each class's placements get half a case at 0 and half a case at 1 beside them, and are weighed
    by a Dirichlet distribution. With one class much larger, and the placements of the smaller all 0
    or 1, that would be Beta(x + ½, n − x + ½), Jeffreys' interval, which covers down to 87 %:
    there, and for one bound alone, a whole case stands at the harder end, as Clopper and Pearson
    have it.
    """
    if known.value in (0.0, 1.0) and below and above:
        below, above = (
            (below + above, 0.0) if known.value else (0.0, below + above)
        )  # only one side is a statement
    both = bool(below and above) and not _all_or_nothing(known)
    low, high = 0.0, 1.0
    if below and known.value > 0:
        low = float(special().betaincinv(*_shape(known, 0.5 if both else 0.0), below))
    if above and known.value < 1:
        a, b = _shape(known, 0.5 if both else 1.0)
        high = 1 - float(special().betaincinv(b, a, above))
    # Half a case at either end moves the centre: the bounds still hold what was seen.
    return min(low, known.value), max(high, known.value)


def _shape(known: Placed, at_one: float) -> tuple[float, float]:
    """The Beta distribution of the placements, with one case added, part of it at 1 and the rest
    at 0.
    """
    ours, theirs = (
        _dirichlet(known.value, cases, variance, at_one)
        for cases, variance in (
            (known.positives, known.of_positives),
            (known.negatives, known.of_negatives),
        )
    )
    mean = ours[0] if known.positives <= known.negatives else theirs[0]
    variance = min(ours[1] + theirs[1], 0.999 * mean * (1 - mean))
    weight = mean * (1 - mean) / variance - 1
    return mean * weight, (1 - mean) * weight


def _dirichlet(value: float, cases: int, variance: float, at_one: float) -> tuple[float, float]:
    mean = (cases * value + at_one) / (cases + 1)
    squares = (
        (cases - 1) * variance
        + cases * (value - mean) ** 2
        + at_one * (1 - mean) ** 2
        + (1 - at_one) * mean**2
    )
    return mean, squares / ((cases + 1) * (cases + 2))


def _free(known: Placed, below: float, above: float) -> Bounds:
    """A bound that holds for every distribution of scores, however small the sample.

    AUC is a mean over min(P, N) independent pairs, so Hoeffding's inequality holds with that
    number: k · KL(seen ‖ true) <= log(1 / missed). Hoeffding 1963, JASA 58:13-30, eq 5.7 and
    theorem 1.
    """
    value, pairs = known.value, known.smaller
    low = (
        _where(lambda true: pairs * _divergence(value, true) > -math.log(below), 0.0, value)
        if below
        else 0.0
    )
    high = (
        _where(lambda true: pairs * _divergence(value, true) > -math.log(above), 1.0, value)
        if above
        else 1.0
    )
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
    """Kullback and Leibler's divergence between two coins.

    Nearly equal coins have logarithms that nearly cancel, and then what is left is taken term by
    term: p · (x − log(1 + x)) with x = (q − p) / p of either side.
    """
    shift = true - seen
    if abs(shift) < 0.05 * min(seen, 1 - seen):
        return seen * _beyond_linear(shift / seen) + (1 - seen) * _beyond_linear(shift / (seen - 1))
    parts = ((seen, true), (1 - seen, 1 - true))
    return math.fsum(p * math.log(p / q) if q else math.inf for p, q in parts if p)


def _beyond_linear(x: float) -> float:
    """By how much x exceeds log(1 + x), of a small x."""
    return math.fsum((-x) ** k / k for k in range(2, 16))


METHODS: dict[str, Callable[[Placed, float, float], Bounds]] = {
    DELONG_LOGIT: _logit,
    DELONG: _plain,
    PLACEMENTS: _placements_beta,
    FREE: _free,
}


def freedom(pieces: Iterable[tuple[float, int]]) -> float:
    """Return Welch and Satterthwaite's degrees of freedom of a sum of variances, each with the
    number of cases behind it.
    """
    some = [(variance, cases) for variance, cases in pieces if variance > 0]
    below = math.fsum(variance**2 / max(cases - 1, 1) for variance, cases in some)
    return math.fsum(variance for variance, _ in some) ** 2 / below if below else math.inf


# ----------------------------------------------------------------------
# Is a difference of two AUCs more than chance? DeLong's test, on the same cases or on others.


DELONG_T, HOEFFDING = "delong-t", "hoeffding"
# Below this many of the smaller class, the normal distribution rejects too often, and Student's t
# stands in.
ENOUGH_FOR_NORMAL = 100
# With one or two, a variance says nothing (a test rejects 10 % of true hypotheses with two).
FEWEST = 3


def paired_delong(
    joint: JointCounts, pairs: Sequence[tuple[str, str]], level: float, method: str | None
) -> list[Difference]:
    """Compare pairs of AUCs on the same cases. DeLong, DeLong & Clarke-Pearson 1988, Biometrics
    44:837-845.
    """
    refuse_weights(joint)
    models = {name: rank_cases(joint, name) for name in dict.fromkeys(chain.from_iterable(pairs))}
    cases = [column[column > 0] for column in (joint.positives, joint.negatives)]
    found = []
    for names in pairs:
        first, second = (models[name] for name in names)
        moved = [b - a for a, b in zip(first.placements, second.placements, strict=True)]
        values = first.value, second.value
        apart = _placed(values[1] - values[0], moved, cases)
        if not apart.variance and np.array_equal(first.ranks, second.ranks):
            found.append(_same_ranking(names, values, level, method or DELONG, apart.smaller))
        else:
            spread, how = (apart.variance, freedom(apart.pieces)), (names, level, method)
            found.append(_by_normal(values, spread, apart.smaller, how, paired=True))
    return found


class Ranked(NamedTuple):
    """One of several models: the rank of the score of each cell of the joint counts, its AUC, and
    the placements of the cells that have positives, and of those that have negatives.
    """

    ranks: Ints
    value: float
    placements: list[Floats]


def rank_cases(joint: JointCounts, model: str) -> Ranked:
    """Return the cases of joint counts as one of the models ranks them."""
    scores, ascending = np.unique(joint.scores[model], return_inverse=True)
    ranks = len(scores) - 1 - ascending
    columns = joint.positives, joint.negatives
    cells = [np.bincount(ranks, column).astype(np.int64) for column in columns]
    placements = [
        values[ranks[column > 0]]
        for values, column in zip(cell_placements(*cells), columns, strict=True)
    ]
    return Ranked(ranks, share_won(*cells), placements)


def find_scores(counts: Counts, scores: Scores) -> Ints:
    """Return the cell of these counts that has each of the scores."""
    return len(counts.scores) - 1 - np.searchsorted(counts.scores[::-1], scores)


def _same_ranking(
    names: tuple[str, str], values: tuple[float, float], level: float, method: str, smaller: int
) -> Difference:
    """Return the difference of two models that put all cases in the same order."""
    notes = _few(smaller)
    ends = 0.0, 0.0, 0.0
    return Difference(*ends, 1.0, method, names, values, level, "auc", statistic=0.0, notes=notes)


def unpaired_delong(
    parts: tuple[Counts, Counts], names: tuple[str, str], level: float, method: str | None
) -> Difference:
    """Two AUCs on different cases, with Welch and Satterthwaite's degrees of freedom."""
    for name, counts in zip(names, parts, strict=True):
        if not counts.total_positives or not counts.total_negatives:
            raise refuse(
                "BR552",
                f"{quoted(name)} has cases of one class only: AUC is undefined",
                "give cases of both classes",
            )
    first, second = placed(parts[0]), placed(parts[1])
    if method == DELONG:  # as in pROC: one number of cases a sample
        pieces = [(one.variance, one.positives + one.negatives) for one in (first, second)]
    else:
        pieces = [*first.pieces, *second.pieces]
    return _by_normal(
        (first.value, second.value),
        (first.variance + second.variance, freedom(pieces)),
        min(first.smaller, second.smaller),
        (names, level, method),
        paired=False,
    )


def _by_normal(
    values: tuple[float, float],
    spread: tuple[float, float],
    smaller: int,
    how: tuple[tuple[str, str], float, str | None],
    *,
    paired: bool,
) -> Difference:
    """A difference of two AUCs with its variance: by the normal distribution, or by Student's where
    cases are few.
    """
    (variance, degrees), (names, level, method) = spread, how
    value = values[1] - values[0]
    # By name, "delong" is pROC's: the normal distribution for pairs, Student's for two samples.
    asked_by_name = method is not None
    by_t = not paired or method == DELONG_T or (method is None and smaller < ENOUGH_FOR_NORMAL)
    method = method or (DELONG_T if by_t else DELONG)
    common: dict[str, Any] = {
        "level": level,
        "name": "auc",
        "paired": paired,
        "notes": _few(smaller),
    }
    if variance <= 0 or smaller < (2 if asked_by_name else FEWEST):
        return _without_variance(value, smaller, names, values, common)
    z = value / math.sqrt(variance)
    quantile = (
        float(special().stdtrit(degrees, (1 + level) / 2)) if by_t else normal((1 + level) / 2)
    )
    p = 2 * float(special().stdtr(degrees, -abs(z)) if by_t else special().ndtr(-abs(z)))
    half = quantile * math.sqrt(variance)
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Difference(value, low, high, p, method, names, values, statistic=z, **common)


def _few(smaller: int) -> tuple[Note, ...]:
    return (
        (
            Note(
                "BR591",
                f"only {number_of(smaller, 'case')} of the smaller class: a test with so few cases"
                " is approximate",
            ),
        )
        if smaller < 30
        else ()
    )


def _without_variance(
    value: float,
    smaller: int,
    names: tuple[str, str],
    values: tuple[float, float],
    common: dict[str, Any],
) -> Difference:
    """Placements that do not vary, or too few to tell: DeLong would be certain, and Hoeffding's
    inequality holds all the same.
    """
    # A mean of so many independent pairs, each between -1 and 1.
    half = math.sqrt(2 * math.log(2 / missed(common["level"])) / smaller)
    return Difference(
        value,
        max(-1.0, value - half),
        min(1.0, value + half),
        min(1.0, 2 * math.exp(-smaller * value**2 / 2)),
        HOEFFDING,
        names,
        values,
        **common,
    )
