"""Classifiers that model the density of each class: linear, quadratic, mixtures of Gaussians,
Parzen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.covariance import empirical_covariance
from sklearn.mixture import GaussianMixture
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from baserate import Conditions
from baserate.extend import quoted, refuse
from baserate_learners.fitted import Floats

# ----------------------------------------------------------------------
# The width of a Parzen kernel: the one that makes each case most likely, given all the others.


Indices: TypeAlias = npt.NDArray[np.intp]
T = TypeVar("T", bound=np.generic)
GRID, STRIDE = 64, 8
SAMPLE = 256  # cases whose likelihood is searched where there are more
LARGER, ROUGHLY = 2048, 0.15  # cases with which the width is first found, about, and how closely
MOST_STEPS = 100
CLOSE = 1e-5  # of the last step: what is left of the error is about its square
MOST_HELD = 1 << 22  # distances that are kept for all widths of the grid
BLOCK = 1 << 18  # distances in a block: those that fit into a processor's cache


def leave_one_out_width(cases: Floats, near: float | None = None) -> float:
    """The width of an isotropic Gaussian kernel with the largest leave-one-out likelihood.

    The best of a grid from a hundredth of the least distance to the largest one (every eighth
    first, then those around the best), for at most 256 of the cases, each given all the others;
    from there Newton's method, or EM where its steps lead too far, first for 2,048 of the cases
    where there are many. Where there is no largest value
    (no two cases differ, or every case has a twin), the least width tried stands in, or 1. Where
    the width is known to lie `near` another, as of nearly the same cases, no grid is tried.
    """
    rows = np.arange(len(cases))
    if near is None and len(cases) > SAMPLE:
        near = _search_width(cases, _evenly_spaced(len(rows), SAMPLE))
        if len(rows) > 2 * LARGER:
            ends = (near / 2, near * 2)
            near = _refine_width(
                cases, _evenly_spaced(len(rows), LARGER), near, ends, close=ROUGHLY
            )
    if near is not None:
        width = _refine_width(cases, rows, near, (near / 2, near * 2))
        if near / 2 < width < near * 2:
            return width
    return _search_width(cases, rows)


def _evenly_spaced(cases: int, count: int) -> Indices:
    """The places of `count` cases, evenly spaced from the first to the last."""
    return np.linspace(0, cases - 1, count).astype(np.intp)


def _search_width(cases: Floats, rows: Indices) -> float:
    """The best of a grid for these rows, given all the others, and the largest value near it."""
    least, most = np.inf, 0.0
    for squares, _ in _squares_to_others(cases, rows):
        apart = squares[(squares > 0) & (squares < np.inf)]
        least, most = apart.min(initial=least), apart.max(initial=most)
    if not most:
        return 1.0
    grid = np.geomspace(np.sqrt(least) / 100, np.sqrt(most), GRID)

    few = len(rows) * len(cases) <= MOST_HELD
    held = list(_squares_to_others(cases, rows)) if few else None

    def likelihood(place: int) -> float:
        blocks = _squares_to_others(cases, rows) if held is None else held
        return _sum_likelihood(blocks, float(grid[place]), len(rows) * cases.shape[1])

    best = max(range(0, GRID, STRIDE), key=likelihood)
    best = max(range(max(0, best - STRIDE + 1), min(GRID, best + STRIDE)), key=likelihood)
    ends = float(grid[max(0, best - 1)]), float(grid[min(GRID - 1, best + 1)])
    return _refine_width(cases, rows, float(grid[best]), ends)


def _refine_width(
    cases: Floats, rows: Indices, width: float, ends: tuple[float, float], *, close: float = CLOSE
) -> float:
    """The width between these two at which the likelihood of these rows is largest."""
    for _ in range(MOST_STEPS):
        wanted, slope = _em_step(cases, rows, width**2)
        ahead = width**2 + (wanted - width**2) / (1 - slope) if slope < 1 else np.inf
        again = max(np.sqrt(ahead if ends[0] ** 2 <= ahead <= ends[1] ** 2 else wanted), ends[0])
        moved, width = abs(again - width), float(again)
        if moved <= close * width:
            break
    return width


def _em_step(cases: Floats, rows: Indices, variance: float) -> tuple[float, float]:
    """The mean square of the distances in a dimension, each weighed by how much a case belongs to
    the other, and how it changes with the variance of the kernel.
    """
    mean, slope = 0.0, 0.0
    for squares, own in _squares_to_others(cases, rows):
        likely = _shares_of_nearest(squares, variance)
        squares[own] = 0
        total = likely.sum(axis=1)
        first = np.einsum("ij,ij->i", likely, squares) / total
        likely *= squares
        mean += float(first.sum())
        slope += float((np.einsum("ij,ij->i", likely, squares) / total - first**2).sum())
    size = len(rows) * cases.shape[1]
    return mean / size, slope / (2 * variance**2 * size)


def _sum_likelihood(
    blocks: Iterable[tuple[Floats, tuple[Indices, Indices]]], width: float, dimensions: int
) -> float:
    """The logarithm of how likely rows are, each given all the others, up to a constant."""
    total = sum(float(_log_kernels(squares, width).sum()) for squares, _ in blocks)
    return float(total - dimensions * np.log(width))


def _squares_to_others(
    cases: Floats, rows: Indices
) -> Iterator[tuple[Floats, tuple[Indices, Indices]]]:
    """The squared distances of these rows to all cases, in blocks, exactly 0 to twins and infinite
    to themselves; and where these lie.
    """
    for some in _split_rows(rows, len(cases)):
        squares = cdist(cases[some], cases, "sqeuclidean")
        own = np.arange(len(some)), some
        squares[own] = np.inf
        yield squares, own


def _split_rows(rows: npt.NDArray[T], columns: int) -> Iterator[npt.NDArray[T]]:
    step = max(1, BLOCK // columns)
    return (rows[first : first + step] for first in range(0, len(rows), step))


def _shares_of_nearest(squares: Floats, variance: float) -> Floats:
    """Kernels as shares of the nearest one, so that they do not all vanish."""
    likely: Floats = squares * (-0.5 / variance)
    likely -= likely.max(axis=1, keepdims=True)
    np.exp(likely, out=likely)
    return likely


def _log_kernels(squares: Floats, width: float) -> Floats:
    """The logarithm of the sum of the kernels at these distances, row by row."""
    total = _shares_of_nearest(squares, width**2).sum(axis=1)
    found: Floats = np.log(total) - squares.min(axis=1) / (2 * width**2)
    return found


# ----------------------------------------------------------------------
# Classifiers that model each class by itself, with priors of one's own: linear, quadratic, mixtures
# of Gaussians, Parzen.


EQUAL = "equal"
LOG_TWO_PI = float(np.log(2 * np.pi))
# So much of its mean is added to the variance of every direction, so that one without spread has a
# density.
RIDGE = 1e-9


class _Densities(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all of them share: a density for each class, and Bayes' rule with priors that may be
    said, also after fitting.
    """

    priors: Any
    classes_: npt.NDArray[Any]
    priors_: Floats

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 (scikit-learn's names)
        """A density for each class of the training cases."""
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs cases of 2 classes, and all are of one class:"
                f" {self.classes_[0]!r}"
            )
        shares = np.bincount(codes) / len(codes)
        self.priors_ = shares if self.priors is None else _read_priors(self.priors, self.classes_)
        self._fit_classes([rows[codes == code] for code in range(len(self.classes_))])
        return self

    def _fit_classes(self, parts: list[Floats]) -> None:
        raise NotImplementedError

    def _log_densities(self, rows: Floats) -> Floats:
        raise NotImplementedError

    def log_densities(self, X: Any) -> Floats:  # noqa: N803
        """The logarithm of the density of each case in each class; no prior enters."""
        check_is_fitted(self)
        return self._log_densities(validate_data(self, X, dtype=np.float64, reset=False))

    def posterior(self, X: Any, priors: Any) -> Floats:  # noqa: N803
        """The probability of each class at these priors: one per class, "equal", or for two classes
        that of the second ("1 in 1000").
        """
        return np.exp(_log_posterior(self.log_densities(X), _read_priors(priors, self.classes_)))

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The probability of each class, at the priors of the classifier."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Floats:  # noqa: N803
        """Its logarithm."""
        return _log_posterior(self.log_densities(X), self.priors_)

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """The most probable class; of equal ones the first."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
        found: npt.NDArray[Any] = self.classes_[best]
        return found


def _log_posterior(densities: Floats, priors: Floats) -> Floats:
    """The logarithm of the probability of each class, by Bayes' rule."""
    joint = densities + np.log(priors)
    found: Floats = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
    return found


def _read_priors(priors: Any, classes: npt.NDArray[Any]) -> Floats:
    """Priors as they are given, one per class."""
    if isinstance(priors, str) and priors == EQUAL:
        return np.full(len(classes), 1 / len(classes))
    if np.ndim(priors) == 0 and len(classes) == 2:
        rare = Conditions(prior=priors).exact_prior
        return np.array([float(1 - rare), float(rare)])
    shares = np.asarray(priors, dtype=np.float64) if np.ndim(priors) == 1 else np.empty(0)
    if len(shares) != len(classes) or not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:
        text = (
            f"priors are {len(classes)} shares above 0 that add up to 1, in the order of classes_;"
            f" got {quoted(priors)}"
        )
        raise refuse("BR503", text, 'priors="equal", or None for those of the training cases')
    return shares


class _Gaussians(_Densities):
    """Classes that are each one Gaussian."""

    means_: Floats
    covariances_: Floats

    def _log_densities(self, rows: Floats) -> Floats:
        parts = [
            _log_gaussian(rows - mean, covariance)
            for mean, covariance in zip(self.means_, self.covariances_, strict=True)
        ]
        return np.stack(parts, axis=1)


def _log_gaussian(off: Floats, covariance: Floats) -> Floats:
    steady = covariance + np.eye(len(covariance)) * (
        RIDGE * (np.trace(covariance) / len(covariance)) or 1.0
    )
    factor = np.linalg.cholesky(steady)
    scaled = np.linalg.solve(factor, off.T)
    found: Floats = (
        -(np.sum(scaled**2, axis=0) + off.shape[1] * LOG_TWO_PI) / 2 - np.log(np.diag(factor)).sum()
    )
    return found


class LDC(_Gaussians):
    """Gaussian classes of one covariance, pooled with the priors as weights: the border is a
    straight line.

    Fisher 1936; as scikit-learn's LinearDiscriminantAnalysis, whose probabilities it has.
    """

    def __init__(self, priors: Any = None) -> None:
        self.priors = priors

    def _fit_classes(self, parts: list[Floats]) -> None:
        self.means_ = np.stack([part.mean(axis=0) for part in parts])
        pooled = sum(
            prior * empirical_covariance(part)
            for prior, part in zip(self.priors_, parts, strict=True)
        )
        self.covariances_ = np.stack([np.asarray(pooled)] * len(parts))


class QDC(_Gaussians):
    """Gaussian classes, each with a covariance of its own (divided by n): the border is a conic. As
    QuadraticDiscriminantAnalysis.
    """

    def __init__(self, priors: Any = None) -> None:
        self.priors = priors

    def _fit_classes(self, parts: list[Floats]) -> None:
        if min(map(len, parts)) < 2:
            raise ValueError(
                "QDC needs 2 cases of each class: the spread of one class is not known from a"
                " single case"
            )
        self.means_ = np.stack([part.mean(axis=0) for part in parts])
        self.covariances_ = np.stack([empirical_covariance(part) for part in parts])


class GaussianMixtures(_Densities):
    """A mixture of Gaussians for each class, fitted by EM (scikit-learn's GaussianMixture); a class
    of few cases gets as many components.
    """

    def __init__(
        self, n_components: int = 2, *, priors: Any = None, n_init: int = 1, random_state: Any = 0
    ) -> None:
        self.n_components = n_components
        self.priors = priors
        self.n_init = n_init
        self.random_state = random_state

    def _fit_classes(self, parts: list[Floats]) -> None:
        self.mixtures_ = [self._fit_mixture(part) for part in parts]

    def _fit_mixture(self, part: Floats) -> Any:
        rows = (
            part if len(part) > 1 else np.repeat(part, 2, axis=0)
        )  # EM wants two rows, and twice the same one says no more
        components = min(self.n_components, len(np.unique(part, axis=0)))
        return GaussianMixture(components, n_init=self.n_init, random_state=self.random_state).fit(
            rows
        )

    def _log_densities(self, rows: Floats) -> Floats:
        return np.stack([mixture.score_samples(rows) for mixture in self.mixtures_], axis=1)


class Parzen(_Densities):
    """A Gaussian kernel around every training case; its width, one per class, makes the
    leave-one-out likelihood of the class largest.

    Duin 1976, IEEE Trans. Computers 25:1175-1179. `widths` says the widths instead: one, or one per
    class.
    """

    def __init__(self, widths: Any = None, *, priors: Any = None) -> None:
        self.widths = widths
        self.priors = priors

    def _fit_classes(self, parts: list[Floats]) -> None:
        self.cases_ = parts
        if self.widths is None:
            self.widths_ = np.array([leave_one_out_width(part) for part in parts])
            return
        widths = np.broadcast_to(np.asarray(self.widths, dtype=np.float64), len(parts))
        if not (np.isfinite(widths) & (widths > 0)).all():
            raise refuse(
                "BR850",
                f"a width is a number above 0, got {quoted(self.widths)}",
                "widths=None finds them",
            )
        self.widths_ = widths.copy()

    def _log_densities(self, rows: Floats) -> Floats:
        return np.stack(
            [
                _kernel_sum(rows, part, width)
                for part, width in zip(self.cases_, self.widths_, strict=True)
            ],
            axis=1,
        )


def _kernel_sum(rows: Floats, cases: Floats, width: float) -> Floats:
    """The logarithm of the mean of the kernels, a block of rows at a time."""
    scale = cases.shape[1] * (LOG_TWO_PI / 2 + np.log(width)) + np.log(len(cases))
    found = [
        _log_kernels(cdist(block, cases, "sqeuclidean"), width)
        for block in _split_rows(rows, len(cases))
    ]
    total: Floats = np.concatenate(found) - scale
    return total
