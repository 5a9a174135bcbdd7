"""Statistics of many resamples at once, read from the weights of their scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baserate.conditions import Conditions, Costs
from baserate.inference.resample import Weights
from baserate.measures.confusion import Measure, rates_read
from baserate.numbers import Floats


def total_weights(weights: Weights) -> tuple[Floats, Floats]:
    """Return how many positives and negatives each resample has."""
    return weights.positives.sum(axis=1), weights.negatives.sum(axis=1)


@dataclass(frozen=True)
class AreaUnderRoc:
    """The share of pairs in which the positive has the higher score; a tie is half a pair."""

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where a class is missing."""
        positives, negatives = total_weights(weights)
        below = negatives[:, np.newaxis] - np.cumsum(weights.negatives, axis=1)
        below += weights.negatives / 2
        with np.errstate(invalid="ignore"):
            won = np.einsum("ij,ij->i", weights.positives, below)
            return np.asarray(won / (positives * negatives))


@dataclass(frozen=True)
class AveragePrecision:
    """The mean precision at which each positive is found.

    Attributes
    ----------
    prior : float or None
        Base rate that precision is read at; None for that of each resample.

    """

    prior: float | None

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where a class is missing."""
        positives, negatives = total_weights(weights)
        caught = np.cumsum(weights.positives, axis=1, dtype=np.float64)
        flagged = np.cumsum(weights.negatives, axis=1, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.prior is not None:
                flagged *= ((1 - self.prior) / self.prior * positives / negatives)[:, np.newaxis]
            flagged += caught
            precision = np.divide(caught, flagged, out=caught, where=flagged > 0)
            found = np.einsum("ij,ij->i", weights.positives, precision) / positives
        return np.asarray(np.where((positives > 0) & (negatives > 0), found, np.nan))


@dataclass(frozen=True)
class KolmogorovSmirnov:
    """The largest difference tpr − fpr of all thresholds."""

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where a class is missing."""
        positives, negatives = total_weights(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = np.cumsum(weights.positives, axis=1, dtype=np.float64)
            gaps /= positives[:, np.newaxis]
            gaps -= np.cumsum(weights.negatives, axis=1) / negatives[:, np.newaxis]
        return np.asarray(np.maximum(0.0, gaps.max(axis=1)))


@dataclass(frozen=True)
class AtThreshold:
    """A measure at a threshold that stays where it is, of what lies above it and below it."""

    measure: Measure
    at: Conditions

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where it is undefined."""
        (tp, fn), (fp, tn) = (column.T for column in weights)
        return read_outcomes(self.measure, (tp, fp, fn, tn), self.at)


def read_outcomes(
    measure: Measure, outcomes: tuple[Floats, Floats, Floats, Floats], at: Conditions
) -> Floats:
    """Return a measure for arrays of tp, fp, fn and tn, NaN where it is undefined.

    Where the sample's own base rate is used, it is that of each of them.
    """
    tp, fp, fn, tn = outcomes
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = tp / (tp + fn), fp / (fp + tn)
        own = (tp + fn) / (tp + fp + fn + tn)
    prior = own if at.as_in_sample else np.full(own.shape, at.prior)
    values = rates_read(measure, rates, prior, float_costs(at.costs), (tp + fn, fp + tn))
    return np.where(np.isfinite(values), values, np.nan)


def float_costs(costs: Costs) -> tuple[float, ...]:
    """Return the costs of tp, fp, fn and tn."""
    return tuple(float(getattr(costs, name)) for name in ("tp", "fp", "fn", "tn"))
