"""How wide a Parzen kernel is to be: as wide as makes each case most likely, given all the others."""

from __future__ import annotations

import numpy as np

from baserate.exact import Floats

GRID = 64
MOST_STEPS = 200
CLOSE = 1e-12


def leave_one_out_width(cases: Floats) -> float:
    """The width of an isotropic Gaussian kernel with the largest leave-one-out likelihood.

    The best of a grid from a hundredth of the least distance to the largest one, then EM (each case belongs to its neighbours in shares),
    which never lowers the likelihood. Where there is no largest value (no two cases differ, or every case has a twin), the least width tried
    stands in, or 1.
    """
    squares = np.sum((cases[:, None, :] - cases[None, :, :]) ** 2, axis=2) if len(cases) * cases.size < 1 << 24 else _squares(cases)
    np.fill_diagonal(squares, np.inf)  # no case counts for itself
    apart = squares[np.isfinite(squares) & (squares > 0)]
    if not len(apart):
        return 1.0
    low, high = float(np.sqrt(apart.min())) / 100, float(np.sqrt(apart.max()))
    grid = np.geomspace(low, high, GRID)
    width = float(grid[int(np.argmax([leave_one_out_likelihood(squares, one, cases.shape[1]) for one in grid]))])
    for _ in range(MOST_STEPS):
        shares = _shares(squares, width)
        again = float(np.sqrt(np.sum(shares * np.where(np.isfinite(squares), squares, 0.0)) / cases.size))
        moved, width = abs(again - width), max(again, low)
        if moved <= CLOSE * width:
            break
    return width


def leave_one_out_likelihood(squares: Floats, width: float, dimensions: int) -> float:
    """The logarithm of how likely all cases are, each given the others, up to a constant."""
    return float(np.logaddexp.reduce(-squares / (2 * width**2), axis=1).sum() - len(squares) * dimensions * np.log(width))


def _shares(squares: Floats, width: float) -> Floats:
    """How much each case belongs to the kernel of each other."""
    odds = -squares / (2 * width**2)
    found: Floats = np.exp(odds - np.logaddexp.reduce(odds, axis=1, keepdims=True))
    return found


def _squares(cases: Floats) -> Floats:
    lengths = np.sum(cases**2, axis=1)
    found: Floats = np.maximum(lengths[:, None] + lengths[None, :] - 2 * cases @ cases.T, 0.0)
    return found
