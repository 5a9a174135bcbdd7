"""Is a difference of two AUCs more than chance? DeLong's test, on the same cases or on others."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.counts import Counts
from baserate.errors import number_of, quoted, refuse
from baserate.joint import JointCounts
from baserate.kernels import Scores
from baserate.notes import Note
from baserate.uncertainty.placements import Pair, freedom, normal, placed, placed_pair
from baserate.uncertainty.values import Difference, missed

DELONG, DELONG_T, HOEFFDING = "delong", "delong-t", "hoeffding"
# Below so many of the smaller class, the normal distribution rejects too often, and Student's t stands in.
ENOUGH = 100
# With one or two, a variance says nothing (a test rejects 10 % of true hypotheses with two).
FEWEST = 3


def paired_delong(joint: JointCounts, names: tuple[str, str], level: float, method: str | None) -> Difference:
    """Two AUCs on the same cases. DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837-845."""
    pair = placed_pair(joint, names)
    same = not sum(pair.parts) and same_order(joint.scores[names[0]], joint.scores[names[1]])
    return of_pair(pair, names, level, method, same=same)


def of_pair(pair: Pair, names: tuple[str, str], level: float, method: str | None, *, same: bool, notes: tuple[Note, ...] = ()) -> Difference:
    """The same from the placements of both models; `same` says that they put all cases in the same order."""
    smaller = min(pair.positives, pair.negatives)
    if same and not sum(pair.parts):
        known = {"level": level, "name": "auc", "statistic": 0.0, "notes": (*notes, *_few(smaller))}
        return Difference(0.0, 0.0, 0.0, 1.0, method or DELONG, names, pair.values, **known)  # type: ignore[arg-type]
    found = _by_normal(pair.values, (sum(pair.parts), pair.freedom), smaller, (names, level, method), paired=True)
    return replace(found, notes=(*notes, *found.notes))


def same_order(first: Scores, second: Scores) -> bool:
    """Do two models put all cases in the same order, ties and all? Then they are the same to whatever sees only the ranking."""
    return bool(np.array_equal(np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]))


def unpaired_delong(parts: tuple[Counts, Counts], names: tuple[str, str], level: float, method: str | None) -> Difference:
    """Two AUCs on different cases, with Welch and Satterthwaite's degrees of freedom."""
    for name, counts in zip(names, parts, strict=True):
        if not counts.total_positives or not counts.total_negatives:
            raise refuse("BR552", f"{quoted(name)} has cases of one class only: AUC is undefined", "give cases of both classes")
    first, second = placed(parts[0]), placed(parts[1])
    pieces = [(one.of_positives / one.positives, one.positives) for one in (first, second)]
    pieces += [(one.of_negatives / one.negatives, one.negatives) for one in (first, second)]
    degrees = freedom(pieces)
    if method == DELONG:  # as in pROC: one number of cases a sample
        degrees = freedom((one.variance, one.positives + one.negatives) for one in (first, second))
    spread, smaller = first.variance + second.variance, min(first.smaller, second.smaller)
    return _by_normal((first.value, second.value), (spread, degrees), smaller, (names, level, method), paired=False)


def _by_normal(
    values: tuple[float, float], spread: tuple[float, float], smaller: int, how: tuple[tuple[str, str], float, str | None], *, paired: bool
) -> Difference:
    """A difference of two AUCs with its variance: by the normal distribution, or by Student's where cases are few."""
    from scipy.special import ndtr, stdtr, stdtrit

    (variance, degrees), (names, level, method) = spread, how
    value = values[1] - values[0]
    # By name, "delong" is pROC's: the normal distribution for pairs, Student's for two samples.
    asked_by_name = method is not None
    by_t = not paired or method == DELONG_T or (method is None and smaller < ENOUGH)
    method = method or (DELONG_T if by_t else DELONG)
    common: dict[str, Any] = {"level": level, "name": "auc", "paired": paired, "notes": _few(smaller)}
    if variance <= 0 or smaller < (2 if asked_by_name else FEWEST):
        return _without_variance(value, smaller, names, values, common)
    z = value / math.sqrt(variance)
    quantile = float(stdtrit(degrees, (1 + level) / 2)) if by_t else normal((1 + level) / 2)
    p = 2 * float(stdtr(degrees, -abs(z)) if by_t else ndtr(-abs(z)))
    half = quantile * math.sqrt(variance)
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Difference(value, low, high, p, method, names, values, statistic=z, **common)


def _few(smaller: int) -> tuple[Note, ...]:
    return (Note("BR591", f"only {number_of(smaller, 'case')} of the smaller class: a test of so few is rough"),) if smaller < 30 else ()


def _without_variance(value: float, smaller: int, names: tuple[str, str], values: tuple[float, float], common: dict[str, Any]) -> Difference:
    """Placements that do not vary, or too few to tell: DeLong would be certain, and Hoeffding's inequality holds all the same."""
    # A mean of so many independent pairs, each between -1 and 1.
    half = math.sqrt(2 * math.log(2 / missed(common["level"])) / smaller)
    p = min(1.0, 2 * math.exp(-smaller * value**2 / 2))
    return Difference(value, max(-1.0, value - half), min(1.0, value + half), p, HOEFFDING, names, values, **common)
