"""What is known of a number that is not known exactly: a range, a pilot sample, or a distribution
that one believes in.

Every distribution answers the same questions: its mean, its ends, its quantiles, and places with
weights at which any smooth function is integrated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.numbers import Floats

# How finely a range is walked. Most measures rise or fall all along it, so that its ends decide.
STEPS = 9
# The normal variable by which a distribution is walked: what lies beyond weighs less than 1e-18.
FARTHEST = 9.0
# Places in each panel of the quadrature (Gauss-Legendre).
ORDER = 16
PANELS = 12
# How much of an endless distribution may lie beyond what is taken for its ends.
BEYOND = 1e-12
# The normal variable beyond which that much lies.
NEARLY_ALL = 7.034
NOWHERE: Floats = np.empty(0)


class Places(NamedTuple):
    """Values and weights (which add up to 1): a function's average is its weighted sum there."""

    values: Floats
    weights: Floats


class _Smooth:
    """A distribution whose values are a smooth function of a normal variable."""

    def _at(self, z: Floats) -> Floats:
        """Return the value at each place of the normal variable."""
        raise NotImplementedError

    def _normal(self, values: Floats) -> Floats:
        """Return the normal variable at each value."""
        raise NotImplementedError

    @property
    def _farthest(self) -> float:
        """How far up the normal variable goes."""
        return FARTHEST

    def quantile(self, share: float) -> float:
        from scipy.special import ndtri

        return float(self._at(np.asarray(ndtri(share))))

    def places(self, panels: int = PANELS, breaks: Floats = NOWHERE) -> Places:
        """Return values and weights of a quadrature, of which no panel reaches across a break."""
        z, weights = _legendre(panels, -FARTHEST, self._farthest, self._normal(breaks))
        mass = weights * np.exp(-z * z / 2)
        return Places(self._at(z), mass / mass.sum())


@dataclass(frozen=True)
class Range:
    """A value between two ends, without a distribution: results hold for the whole range."""

    low: Any
    high: Any

    def grid(self, steps: int = STEPS) -> list[float]:
        """Values across the range, its ends among them: evenly by odds between 0 and 1, by ratio
        above 0.
        """
        low, high = float(self.low), float(self.high)
        if 0 < low <= high < 1:
            odds = np.geomspace(low / (1 - low), high / (1 - high), steps)
            spread = odds / (1 + odds)
        else:
            spread = np.geomspace(low, high, steps) if low > 0 else np.linspace(low, high, steps)
        return [low, *map(float, spread[1:-1]), high]

    @property
    def middle(self) -> float:
        low, high = float(self.low), float(self.high)
        return math.sqrt(low * high) if low > 0 else (low + high) / 2

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high


@dataclass(frozen=True)
class Pilot(_Smooth):
    """A pilot sample drawn from the field: positives and cases."""

    positives: int
    cases: int

    @property
    def _shape(self) -> tuple[float, float]:
        return self.positives + 0.5, self.cases - self.positives + 0.5

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Priors that the pilot leaves possible: Beta(k + ½, n − k + ½)."""
        return np.clip(rng.beta(*self._shape, count), 1e-300, 1 - 1e-16)

    @property
    def middle(self) -> float:
        seen = 0 < self.positives < self.cases
        return self.positives / self.cases if seen else (self.positives + 0.5) / (self.cases + 1)

    @property
    def mean(self) -> float:
        return (self.positives + 0.5) / (self.cases + 1)

    @property
    def ends(self) -> None:
        """It leaves every base rate possible."""

    def _at(self, z: Floats) -> Floats:
        from scipy.special import betainccinv, betaincinv, ndtr

        a, b = self._shape
        below, above = betaincinv(a, b, ndtr(z)), betainccinv(a, b, ndtr(-z))
        return np.asarray(np.where(z < 0, below, above))

    def _normal(self, values: Floats) -> Floats:
        from scipy.special import betainc, betaincc

        inside = np.clip(values, 0.0, 1.0)
        return _normal_at(betainc(*self._shape, inside), betaincc(*self._shape, inside))


@dataclass(frozen=True)
class LogUniform:
    """Any order of magnitude between two values is as likely as any other."""

    low: Any
    high: Any

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        low, high = math.log(float(self.low)), math.log(float(self.high))
        return np.clip(np.exp(rng.uniform(low, high, count)), float(self.low), float(self.high))

    @property
    def _width(self) -> float:
        return math.log1p((float(self.high) - float(self.low)) / float(self.low))

    @property
    def middle(self) -> float:
        return math.sqrt(float(self.low) * float(self.high))

    @property
    def mean(self) -> float:
        return (
            (float(self.high) - float(self.low)) / self._width if self._width else float(self.low)
        )

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def quantile(self, share: float) -> float:
        return float(self.low) * math.exp(self._width * share)

    def places(self, panels: int = PANELS, breaks: Floats = NOWHERE) -> Places:
        if not self._width:
            return Places(np.array([float(self.low)]), np.ones(1))
        with np.errstate(divide="ignore"):
            edges = np.log(np.maximum(breaks, 0.0) / float(self.low))
        steps, weights = _legendre(panels, 0.0, self._width, edges)
        return Places(float(self.low) * np.exp(steps), weights / weights.sum())


@dataclass(frozen=True)
class LogNormal(_Smooth):
    """About `median`, and in two cases of three within that factor of it: its logarithm is normal,
    cut off above `most`.
    """

    median: Any
    factor: Any
    most: float = math.inf

    @property
    def _sigma(self) -> float:
        return math.log(float(self.factor))

    def _normal(self, values: npt.ArrayLike) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(values, 0.0) / float(self.median)) / self._sigma

    def _at(self, z: Floats) -> Floats:
        return float(self.median) * np.exp(self._sigma * z)

    @property
    def _farthest(self) -> float:
        # As far up as what adds to the mean goes, which is a sigma more than the mass itself.
        return min(FARTHEST + self._sigma, float(self._normal(self.most)))

    @property
    def kept(self) -> float:
        """How much of it lies below `most`."""
        from scipy.special import ndtr

        return float(ndtr(self._normal(self.most)))

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        from scipy.special import ndtri

        return np.minimum(self._at(ndtri(rng.random(count) * self.kept)), self.most)

    @property
    def middle(self) -> float:
        return float(self.median)

    @property
    def mean(self) -> float:
        from scipy.special import ndtr

        whole = float(self.median) * math.exp(self._sigma**2 / 2)
        return whole * float(ndtr(self._normal(self.most) - self._sigma)) / self.kept

    @property
    def ends(self) -> None:
        """It has none, or goes down to nothing."""

    def quantile(self, share: float) -> float:
        return super().quantile(share * self.kept)


@dataclass(frozen=True)
class Draws:
    """Values drawn from an assumed distribution, each as likely as any other."""

    values: Any

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Every value about equally often, in random order."""
        values: Floats = np.resize(np.asarray(self.values, dtype=np.float64), count)
        return (
            rng.permutation(values)
            if count > len(self.values)
            else rng.choice(np.asarray(self.values, dtype=np.float64), count)
        )

    @property
    def middle(self) -> float:
        return float(np.median(np.asarray(self.values, dtype=np.float64)))

    @property
    def mean(self) -> float:
        return math.fsum(np.asarray(self.values, dtype=np.float64).tolist()) / len(self.values)

    @property
    def ends(self) -> tuple[float, float]:
        values = np.asarray(self.values, dtype=np.float64)
        return float(values.min()), float(values.max())

    def quantile(self, share: float) -> float:
        return float(
            np.quantile(np.asarray(self.values, dtype=np.float64), share, method="inverted_cdf")
        )

    def places(self, panels: int = PANELS, breaks: Floats = NOWHERE) -> Places:  # noqa: ARG002 (as the others are asked)
        values = np.asarray(self.values, dtype=np.float64)
        return Places(values, np.full(len(values), 1 / len(values)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Draws) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(tuple(np.asarray(self.values).tolist()))


@dataclass(frozen=True)
class Distribution(_Smooth):
    """A frozen distribution of `scipy.stats`, or whatever has its `cdf`, `ppf`, `isf`, `mean` and
    `rvs`.
    """

    frozen: Any

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        return np.asarray(self.frozen.rvs(size=count, random_state=rng), dtype=np.float64)

    @property
    def middle(self) -> float:
        return float(self.frozen.ppf(0.5))

    @property
    def mean(self) -> float:
        return float(self.frozen.mean())

    @property
    def ends(self) -> tuple[float, float] | None:
        low, high = (float(end) for end in self.frozen.support())
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def _at(self, z: Floats) -> Floats:
        from scipy.special import ndtr

        below, above = self.frozen.ppf(ndtr(z)), self.frozen.isf(ndtr(-z))
        return np.asarray(np.where(z < 0, below, above), dtype=np.float64)

    def _normal(self, values: Floats) -> Floats:
        return _normal_at(self.frozen.cdf(values), self.frozen.sf(values))

    def quantile(self, share: float) -> float:
        return float(self.frozen.ppf(share))


class Estimated:
    """A base rate that was estimated, with the cases that it rests on: its error is drawn together
    with that of the rates, or not at all.

    `threshold` is where cases were flagged; `counts` are the labelled cases and `unlabelled` those
    of the field, None where they are not kept. `beside` holds the counts of other models on the
    same labelled cases, each with their scores of the same field.
    """

    value: float
    low: float
    high: float
    method: str
    threshold: float | int | None
    counts: Any
    unlabelled: Any
    beside: tuple[tuple[Any, Any], ...]
    cases: int
    notes: Any

    def flagged(self, counts: Any, threshold: float | None) -> tuple[int, int] | None:
        """How many cases of the field the model of these counts flags, and how many there are; None
        where that is not known.
        """
        field = self.field_of(counts)
        return None if field is None else (field.flagged(threshold), field.total)

    def field_of(self, counts: Any) -> Any:
        """The scores in the field of the model of these counts; None where they are not known."""
        for ours, field in ((self.counts, self.unlabelled), *self.beside):
            if ours is not None and (ours is counts or ours == counts):
                return field
        return None


Spread = Range | Pilot | LogUniform | LogNormal | Draws | Distribution
Believed = Pilot | LogUniform | LogNormal | Draws | Distribution
SPREADS = (Range, Pilot, LogUniform, LogNormal, Draws, Distribution)
BELIEVED = (Pilot, LogUniform, LogNormal, Draws, Distribution)


def nearly_all(part: Spread) -> tuple[float, float]:
    """The values between which it lies; for a distribution without ends, but for one in 10¹² on
    either side.
    """
    ends = part.ends
    if ends is not None:
        return ends
    if isinstance(part, Distribution):
        return float(part.frozen.ppf(BEYOND)), float(part.frozen.isf(BEYOND))
    if isinstance(part, LogNormal):
        far = float(part.factor) ** NEARLY_ALL
        return float(part.median) / far, min(float(part.median) * far, part.most)
    return 0.0, 1.0


def _normal_at(share: Any, rest: Any) -> Floats:
    """Return the normal variable with this much below it and this much above, from the smaller of
    the two.
    """
    from scipy.special import ndtri

    return np.asarray(np.where(share < rest, ndtri(share), -ndtri(rest)))


@lru_cache(maxsize=4)
def _gauss() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(ORDER)


def _legendre(panels: int, low: float, high: float, breaks: Floats) -> tuple[Floats, Floats]:
    """Places and weights between two ends, in at least `panels` panels, none of which reaches
    across a break.
    """
    if not high > low:
        return NOWHERE, NOWHERE
    inside = np.unique(breaks[(breaks > low) & (breaks < high)]) if len(breaks) else breaks
    edges = [low, *inside.tolist(), high]
    # Two panels at least between two breaks.
    counts = [
        max(2 if len(inside) else 1, math.ceil(panels * (b - a) / (high - low)))
        for a, b in pairwise(edges)
    ]
    starts = np.concatenate(
        [
            np.linspace(a, b, count + 1)[:-1]
            for (a, b), count in zip(pairwise(edges), counts, strict=True)
        ]
        + [[high]]
    )
    place, weight = _gauss()
    widths = np.diff(starts)[:, None]
    return (starts[:-1, None] + widths * (place + 1) / 2).ravel(), (widths * weight / 2).ravel()
