"""What benchmarks/approaches.py reads off the answers of an approach: costs, against another
approach, and how well it ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import baserate as br

# A miss costs so many false alarms, at so many times the base rate of the sample.
STATED = ((10, 1.0), (100, 1.0), (30, 0.1))
PRIOR = 0.01
TPR = 0.8
NORMAL = 1.959964


class Judged(NamedTuple):
    """An approach on a set: costs relative to the better of flagging nothing and everything, one a
    condition, and what was shown.
    """

    data: str
    learner: str
    approach: str
    costs: tuple[float, ...]
    differences: tuple[float, ...]
    shown: tuple[int, ...]  # −1: shown cheaper than the reference, 1: shown dearer, 0: neither
    precision: float | None
    posfrac: float | None


def conditions_for(y: np.ndarray) -> list[br.Conditions]:
    sample = float(y.mean())
    return [br.Conditions(sample * times, br.Costs(fp=1, fn=miss)) for miss, times in STATED]


def odds_ratio(at: br.Conditions, y: np.ndarray) -> float:
    """The odds of the conditions over those of these cases."""
    sample = float(y.mean())
    return at.prior / (1 - at.prior) * (1 - sample) / sample


def stakes(y: np.ndarray, at: br.Conditions) -> np.ndarray:
    """What the wrong answer to each case adds to the expected cost."""
    prior, costs = at.prior, at.costs
    return np.where(
        y == 1,
        prior * float(costs.fn) / y.sum(),
        (1 - prior) * float(costs.fp) / (len(y) - y.sum()),
    )


def trivial(at: br.Conditions) -> float:
    """The expected cost of the better of two answers for all."""
    return min(at.prior * float(at.costs.fn), (1 - at.prior) * float(at.costs.fp))


def compared(
    y: np.ndarray, flags: np.ndarray, other: np.ndarray, at: br.Conditions
) -> tuple[float, float]:
    """How much more these flags cost than the others, case by case, and the standard error of that:
    each class by itself.

    A flag is the share of divisions into folds in which the case was flagged.
    """
    parts = stakes(y, at) * (np.abs(flags - y) - np.abs(other - y))
    variance = sum(part.var(ddof=1) * len(part) for part in (parts[y == 1], parts[y == 0]))
    return float(parts.sum()), float(np.sqrt(variance))


def judged(
    of: tuple[str, str, str],
    y: np.ndarray,
    flags: np.ndarray,
    reference: np.ndarray,
    scores: list[np.ndarray | None],
) -> Judged:
    """What an approach costs on a set under every condition, beside the reference; and how well its
    scores rank.
    """
    costs, differences, shown = [], [], []
    for at, ours, theirs in zip(conditions_for(y), flags, reference, strict=True):
        costs.append(float((stakes(y, at) * np.abs(ours - y)).sum()) / trivial(at))
        more, error = compared(y, ours, theirs, at)
        differences.append(more / trivial(at))
        shown.append(int(np.sign(more)) if abs(more) > NORMAL * error else 0)
    points = [
        br.choose(br.count(y, one), f"tpr >= {TPR}", at=br.Conditions(PRIOR))
        for one in scores
        if one is not None
    ]
    ranked = [
        float(np.mean([getattr(point, name) for point in points])) if points else None
        for name in ("precision", "posfrac")
    ]
    return Judged(*of, tuple(costs), tuple(differences), tuple(shown), *ranked)
