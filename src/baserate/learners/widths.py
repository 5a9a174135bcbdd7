"""How wide a Parzen kernel is to be: as wide as makes each case most likely, given all the others."""

from __future__ import annotations

import numpy as np

from baserate.exact import Floats

GRID, STRIDE = 64, 8
MOST_STEPS = 100
CLOSE = 1e-5  # of the last leap: what is left of the error is about its square


def leave_one_out_width(cases: Floats, near: float | None = None) -> float:
    """The width of an isotropic Gaussian kernel with the largest leave-one-out likelihood.

    The best of a grid from a hundredth of the least distance to the largest one (every eighth first, then those around the best), then EM
    (each case belongs to its neighbours in shares), two steps of which foretell where they lead. Where there is no largest value (no two
    cases differ, or every case has a twin), the least width tried stands in, or 1. Where it is known to lie `near` a width, as of
    nearly the same cases, no grid is tried.
    """
    squares = np.zeros((len(cases), len(cases)))
    for column in cases.T:  # differences before squares: twins are exactly 0 apart
        squares += (column[:, None] - column[None, :]) ** 2
    np.fill_diagonal(squares, np.inf)  # no case counts for itself
    if near is not None:
        return _settled(squares, cases.size, near, (near / 2, near * 2))
    apart = squares[np.isfinite(squares) & (squares > 0)]
    if not len(apart):
        return 1.0
    low, high = float(np.sqrt(apart.min())) / 100, float(np.sqrt(apart.max()))
    grid = np.geomspace(low, high, GRID)
    best = _best(squares, grid, range(0, GRID, STRIDE), cases.shape[1])
    best = _best(squares, grid, range(max(0, best - STRIDE + 1), min(GRID, best + STRIDE)), cases.shape[1])
    return _settled(squares, cases.size, float(grid[best]), (float(grid[max(0, best - 1)]), float(grid[min(GRID - 1, best + 1)])))


def _best(squares: Floats, grid: Floats, places: range, dimensions: int) -> int:
    return max(places, key=lambda place: leave_one_out_likelihood(squares, float(grid[place]), dimensions))


def _settled(squares: Floats, size: int, width: float, ends: tuple[float, float]) -> float:
    """Where EM comes to rest, between the neighbours of the best width of the grid; Aitken's rule leaps ahead of its small steps."""
    beyond = squares.min(axis=1, keepdims=True) - squares
    known = np.where(np.isfinite(squares), squares, 0.0)

    def step(width: float) -> float:
        """The mean square of the distances, each weighed by how much a case belongs to the other."""
        likely = np.exp(beyond / (2 * width**2))
        shares = np.einsum("ij,ij->i", likely, known) / likely.sum(axis=1)
        return max(float(np.sqrt(shares.sum() / size)), ends[0])

    for _ in range(MOST_STEPS):
        once = step(width)
        twice = step(once)
        bend = twice - 2 * once + width
        ahead = width - (once - width) ** 2 / bend if bend else twice
        again = ahead if ends[0] <= ahead <= ends[1] else twice
        moved, width = abs(again - width), again
        if moved <= CLOSE * width:
            break
    return width


def leave_one_out_likelihood(squares: Floats, width: float, dimensions: int) -> float:
    """The logarithm of how likely all cases are, each given the others, up to a constant."""
    nearest = squares.min(axis=1, keepdims=True)  # kernels as shares of the nearest one, so that none of them all vanishes
    total = np.exp((nearest - squares) / (2 * width**2)).sum(axis=1)
    return float((np.log(total) - nearest[:, 0] / (2 * width**2)).sum()) - len(squares) * dimensions * float(np.log(width))
