"""What LDC and QDC reach on the whole population of Gaussian classes: no sampling, so exact to many
digits.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from baserate import Points
from baserate_studies.arrays import Floats
from baserate_studies.generators import DISTANCE, OTHER, TARGET

NODES, REACH = 800, 9.0  # of the quadrature over y, and how many deviations far
STEPS = np.arange(1, 1000) / 1000  # of tpr, so that every rate that the paper names is a point
CUTS = np.linspace(60, -40, 2001)
# QDC's log ratio in x is 49.5·x² − 199·x + 199.5, and a function of y besides.
SQUARE, LINEAR, CONSTANT = 49.5, -199.0, 199.5


def two_gaussians_fpr(tpr: float) -> float:
    """Of the only sensible rule for two classes of unit covariance: Φ(Φ⁻¹(tpr) − δ)."""
    from scipy.special import ndtr, ndtri

    return float(ndtr(ndtri(tpr) - DISTANCE))


class Line(NamedTuple):
    """LDC's direction, and mean and deviation of both classes along it."""

    weights: Floats
    means: tuple[float, float]
    deviations: tuple[float, float]


def highleyman_line() -> Line:
    """The weights S⁻¹(m₁ − m₂) with S the mean of both covariances."""
    (mean, variance), (other, spread) = (
        (np.array(part) for part in of_class) for of_class in (TARGET, OTHER)
    )
    weights = (mean - other) / ((variance + spread) / 2)
    means = float(weights @ mean), float(weights @ other)
    return Line(weights, means, (math.sqrt(weights**2 @ variance), math.sqrt(weights**2 @ spread)))


def ldc_fpr(tpr: Floats | float) -> Floats:
    """LDC's false alarms on Highleyman's classes: a binormal ROC."""
    from scipy.special import ndtr, ndtri

    line = highleyman_line()
    cut = line.means[0] - line.deviations[0] * ndtri(tpr)
    found: Floats = ndtr((line.means[1] - cut) / line.deviations[1])
    return found


def ldc_roc() -> Points:
    """The ROC of LDC on Highleyman's population."""
    return Points.from_rates(ldc_fpr(STEPS), STEPS)


def qdc_rates(cuts: Floats) -> tuple[Floats, Floats]:
    """(fpr, tpr) of flagging log p₁ − log p₂ >= cut: Bayes' own rule on Highleyman's classes, by
    quadrature over y.
    """
    from scipy.special import ndtr

    nodes, density = _quadrature()
    rates = []
    for (mean_x, mean_y), (variance_x, variance_y) in (OTHER, TARGET):
        y = mean_y + math.sqrt(variance_y) * REACH * nodes
        root = _roots(cuts[:, None] - of_y(y))
        deviation = math.sqrt(variance_x)
        # Flagged is what lies outside the two roots; where there are none, everything.
        left, right = ((-LINEAR + sign * root) / (2 * SQUARE) for sign in (-1, 1))
        outside = ndtr((left - mean_x) / deviation) + ndtr((mean_x - right) / deviation)
        rates.append(np.where(np.isnan(root), 1.0, outside) @ density)
    return rates[0], rates[1]


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Places from −1 to 1, and how much of a normal variable lies around each, `REACH` deviations
    being 1.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights * REACH * np.exp(-((REACH * nodes) ** 2) / 2) / math.sqrt(2 * math.pi)


def of_y(y: Floats) -> Floats:
    """What y adds to QDC's log ratio on Highleyman's classes."""
    found: Floats = math.log(0.1) + math.log(4) - (y - 1) ** 2 / 0.5 + y**2 / 8
    return found


def _roots(left_over: Floats) -> Floats:
    """The root of the discriminant in x; NaN where every x is flagged."""
    square = LINEAR**2 - 4 * SQUARE * (CONSTANT - left_over)
    with np.errstate(invalid="ignore"):
        found: Floats = np.sqrt(square)
    return found


def qdc_fpr(tpr: float) -> float:
    """QDC's false alarms on Highleyman's classes at this recall."""
    from scipy.optimize import brentq

    cut = brentq(lambda cut: float(qdc_rates(np.array([cut]))[1][0]) - tpr, -40, 60, xtol=1e-13)
    return float(qdc_rates(np.array([cut]))[0][0])


def qdc_roc() -> Points:
    """The ROC of QDC on Highleyman's population."""
    fpr, tpr = qdc_rates(CUTS)
    return Points.from_rates(np.clip(fpr, 0, 1), np.clip(tpr, 0, 1))


def boundaries() -> dict[str, tuple[Floats, Floats]]:
    """Where LDC and QDC are undecided at equal priors, as lines to draw; NaN lies between the two
    branches of QDC's.
    """
    line, y = highleyman_line(), np.linspace(-9, 9, 400)
    straight = (sum(line.means) / 2 - line.weights[1] * y) / line.weights[0]
    root = _roots(-of_y(y))
    left, right = ((-LINEAR + sign * root) / (2 * SQUARE) for sign in (-1, 1))
    gap = np.array([np.nan])
    return {
        "LDC": (straight, y),
        "QDC": (np.concatenate((left, gap, right)), np.concatenate((y, gap, y))),
    }
