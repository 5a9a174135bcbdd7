"""Data of the sources, drawn again from a seed or fully determined: classes in the plane, the
balance scale, one attribute, ten records.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.extend import quoted, refuse
from baserate_studies.arrays import Floats

BAYES_ERROR = 0.153
# So far apart, the means of two classes of unit covariance leave that error: 2Φ⁻¹(1 − .153).
DISTANCE = 2 * NormalDist().inv_cdf(1 - BAYES_ERROR)
# Mean and variance of each coordinate.
TARGET, OTHER = ((1.0, 1.0), (1.0, 0.25)), ((2.0, 0.0), (0.01, 4.0))
TARGET_MODES, OTHER_MODES = ((-3.5, 1.0), (2.0, 0.4)), ((3.1, 4.0), (2.5, -3.5), (-0.4, 2.0))
RADII, ANGLE = (10.0, 6.2), math.pi / 3
Rows = Callable[[np.random.Generator, int], Floats]


class Cases(NamedTuple):
    """Cases as rows of attributes, and which of them are of the target class."""

    x: Floats
    target: npt.NDArray[np.bool_]


def two_gaussians(targets: int = 1500, others: int = 1500, *, seed: int = 0) -> Cases:
    """Two classes of unit covariance, 2.0473 apart: the least error is 15.3 % (Landgrebe et al.
    2004, §4).

    >>> from baserate_studies.generators import two_gaussians
    >>> two_gaussians(2, 3).target
    array([ True,  True, False, False, False])
    """
    return _drawn(
        targets,
        others,
        seed,
        lambda rng, n: rng.normal(size=(n, 2)),
        lambda rng, n: rng.normal((DISTANCE, 0.0), 1.0, (n, 2)),
    )


def highleyman(targets: int = 1500, others: int = 1500, *, seed: int = 0) -> Cases:
    """Targets N([1, 1], diag(1, .25)) and others N([2, 0], diag(.01, 4)) (Highleyman 1961;
    Landgrebe et al. 2004, Fig 1).
    """
    return _drawn(targets, others, seed, *(_normal(*of_class) for of_class in (TARGET, OTHER)))


def multimodal(targets: int = 1500, others: int = 1500, *, seed: int = 0) -> Cases:
    """Two modes against three of unit covariance: fitted to Table 2 of Landgrebe et al. 2004, whose
    own data were not published.
    """
    return _drawn(targets, others, seed, _modes(TARGET_MODES), _modes(OTHER_MODES))


def lithuanian(targets: int = 1500, others: int = 1500, *, seed: int = 0) -> Cases:
    """Two arcs of radius 10 and 6.2, each with noise of unit variance (Landgrebe et al. 2004, Fig
    5).
    """
    return _drawn(targets, others, seed, *(_arc(radius) for radius in RADII))


SETS: dict[str, Callable[..., Cases]] = {
    "TwoGaussians": two_gaussians,
    "Highleyman": highleyman,
    "Multimodal": multimodal,
    "Lithuanian": lithuanian,
}


def one_attribute(
    targets: int = 100, others: int = 300, *, distance: float = 2.0, seed: int = 0
) -> Cases:
    """One attribute x, normal in both classes, the targets' mean so much higher: whatever lies at x
    > t is called positive (the slides).
    """
    return _drawn(
        targets,
        others,
        seed,
        lambda rng, n: rng.normal(distance, 1.0, (n, 1)),
        lambda rng, n: rng.normal(0.0, 1.0, (n, 1)),
    )


def ten_records() -> Cases:
    """The ten scored records of Tan et al., Fig 5.42, and of the slides: five of each class, three
    of them tied at .85.

    >>> from baserate import auc, count
    >>> from baserate_studies.generators import ten_records
    >>> records = ten_records()
    >>> float(auc(count(records.target, records.x[:, 0])))
    0.56
    """
    scores = (0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95)
    return Cases(np.array(scores)[:, None], np.array([sign == "+" for sign in "+-+---+-++"]))


class Labelled(NamedTuple):
    """Cases of several classes."""

    x: Floats
    classes: npt.NDArray[np.str_]


def balance_scale() -> Labelled:
    """All 625 ways to lay 1 to 5 weights at distances 1 to 5 on both sides of a scale, and to which
    side it tips: L, B (neither) or R.

    The balance-scale set of the UCI repository, which is this enumeration (Siegler 1976).

    >>> from baserate_studies.generators import balance_scale
    >>> {side: int((balance_scale().classes == side).sum()) for side in "LBR"}
    {'L': 288, 'B': 49, 'R': 288}
    """
    rows = list(itertools.product(range(1, 6), repeat=4))
    tips = [
        (
            "L"
            if row[0] * row[1] > row[2] * row[3]
            else "R"
            if row[0] * row[1] < row[2] * row[3]
            else "B"
        )
        for row in rows
    ]
    return Labelled(np.array(rows, dtype=np.float64), np.array(tips))


def _drawn(targets: int, others: int, seed: int, of_targets: Rows, of_others: Rows) -> Cases:
    if min(targets, others) < 0 or seed < 0:
        raise refuse(
            "BR580",
            "so many cases, and a seed, are whole numbers from 0 on, got"
            f" {quoted((targets, others, seed))}",
            "seed=0",
        )
    rng = np.random.default_rng(seed)
    return Cases(
        np.concatenate((of_targets(rng, targets), of_others(rng, others))),
        np.repeat([True, False], [targets, others]),
    )


def _normal(mean: tuple[float, ...], variance: tuple[float, ...]) -> Rows:
    return lambda rng, n: rng.normal(mean, np.sqrt(variance), (n, 2))


def _modes(modes: tuple[tuple[float, float], ...]) -> Rows:
    return lambda rng, n: (
        np.array(modes)[rng.integers(len(modes), size=n)] + rng.normal(size=(n, 2))
    )


def _arc(radius: float) -> Rows:
    def rows(rng: np.random.Generator, n: int) -> Floats:
        angle = rng.uniform(-ANGLE, ANGLE, n)
        return radius * np.stack((np.cos(angle), np.sin(angle)), axis=1) + rng.normal(size=(n, 2))

    return rows
