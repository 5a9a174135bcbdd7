"""Highleyman's two classes (Landgrebe et al., Fig 1): their parameters, draws from them, and what
LDC and QDC reach on the population.

Target N([1, 1], diag(1, .25)), non-target N([2, 0], diag(.01, 4)), independent in x and y. Knows
nothing of how baserate computes.
"""

import functools
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

import baserate as br

TARGET, OTHER = (
    (np.array([1.0, 1.0]), np.array([1.0, 0.25])),
    (np.array([2.0, 0.0]), np.array([0.01, 4.0])),
)
# One step in a thousand of tpr, so that every rate that the paper names is a point of the ROC.
GRID = np.arange(1, 1000) / 1000


class Linear(NamedTuple):
    """LDC's direction w = S⁻¹(m₁ − m₂) with S the mean covariance, and what it makes of each
    class.
    """

    weights: np.ndarray
    means: tuple[float, float]
    deviations: tuple[float, float]

    def cut(self, tpr):
        return self.means[0] - self.deviations[0] * ndtri(tpr)

    def fpr(self, tpr):
        return ndtr((self.means[1] - self.cut(tpr)) / self.deviations[1])


def _linear():
    weights = (TARGET[0] - OTHER[0]) / ((TARGET[1] + OTHER[1]) / 2)
    means = tuple(float(weights @ mean) for mean, _ in (TARGET, OTHER))
    deviations = tuple(float(np.sqrt(weights**2 @ variance)) for _, variance in (TARGET, OTHER))
    return Linear(weights, means, deviations)


LDC = _linear()


def ldc_roc():
    """The population's ROC of the linear discriminant: a binormal curve."""
    return br.Points.from_rates(LDC.fpr(GRID), GRID)


def qdc_rates(cuts):
    """(fpr, tpr) of flagging log p₁ − log p₂ >= cut, by quadrature over y; in x, the set is what
    lies outside an interval.
    """
    nodes, weights = np.polynomial.legendre.leggauss(800)
    rates = []
    for mean, variance in (OTHER, TARGET):
        deviation = np.sqrt(variance)
        y = mean[1] + deviation[1] * 9 * nodes
        of_y = np.log(0.1) + np.log(4) - (y - 1) ** 2 / 0.5 + y**2 / 8
        # −(x − 1)²/2 + (x − 2)²/.02 = 49.5·x² − 199·x + 199.5 must reach what y leaves over.
        square = 199**2 - 4 * 49.5 * (199.5 - (cuts[:, None] - of_y))
        root = np.sqrt(np.maximum(square, 0))
        outside = ndtr(((199 - root) / 99 - mean[0]) / deviation[0]) + ndtr(
            (mean[0] - (199 + root) / 99) / deviation[0]
        )
        density = weights * 9 * np.exp(-((9 * nodes) ** 2) / 2) / np.sqrt(2 * np.pi)
        rates.append(np.where(square > 0, outside, 1) @ density)
    return rates[0], rates[1]


@functools.cache
def qdc_roc():
    """The population's ROC of the quadratic discriminant, which is Bayes' own rule here."""
    fpr, tpr = qdc_rates(np.linspace(60, -40, 4001))
    return br.Points.from_rates(np.clip(fpr, 0, 1), np.clip(tpr, 0, 1))


def draw(rng, targets, others):
    """(labels, x) with so many cases of each class."""
    x = [
        rng.normal(mean, np.sqrt(variance), (count, 2))
        for (mean, variance), count in ((TARGET, targets), (OTHER, others))
    ]
    return np.repeat([1, 0], [targets, others]), np.concatenate(x)
