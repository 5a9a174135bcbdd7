"""The upper convex hull of points that rise: which of them no straight line between two others passes over or through."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.exact import INT64_MAX

# After so many passes over all points at once, the few that remain are looked at one by one.
MOST_PASSES = 60
# Masses are rounded: within so many units in the last place, three points are taken to lie on one line.
SLACK = 8 * 2.0**-53


def upper_hull(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The places of the hull's corners, first and last included; points rise in x and y. Exact for counts of any size.

    A point on or below the line between its two neighbours is no corner, and that stays true when the neighbours go as well: so all
    such points can be taken away at once, again and again, and only what is left needs the classic scan.
    """
    moved = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    kept = np.flatnonzero(np.concatenate(([True], moved)))
    if len(kept) <= 2:
        return kept
    if x.dtype == np.int64 and (int(x[-1]) + 1) * (int(y[-1]) + 1) > INT64_MAX // 2:
        return _scanned(kept, x.astype(object), y.astype(object))
    if x.dtype == np.float64:
        # Near one, by exact powers of two, so that no product leaves the range of floats.
        x, y = (np.ldexp(values, -int(np.frexp(values[-1])[1])) for values in (x, y))
    for _ in range(MOST_PASSES):
        across, up = np.diff(x[kept]), np.diff(y[kept])
        corner = _turns_right(across[:-1], up[:-1], across[1:], up[1:])
        if corner.all():
            return kept
        kept = kept[np.concatenate(([True], corner, [True]))]
        if len(kept) == 2:
            return kept
    return _scanned(kept, x, y)


def _turns_right(across: Any, up: Any, next_across: Any, next_up: Any) -> Any:
    """Whether the second step is less steep than the first."""
    first, second = up * next_across, next_up * across
    return first - second > (SLACK * (first + second) if getattr(first, "dtype", object) == np.float64 or isinstance(first, float) else 0)


def _scanned(kept: npt.NDArray[np.intp], x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Andrew's chain, one point at a time."""
    corners: list[int] = []
    xs, ys = x[kept].tolist(), y[kept].tolist()
    for i in range(len(kept)):
        while len(corners) >= 2 and not _turns_right(
            xs[corners[-1]] - xs[corners[-2]], ys[corners[-1]] - ys[corners[-2]], xs[i] - xs[corners[-1]], ys[i] - ys[corners[-1]]
        ):
            corners.pop()
        corners.append(i)
    return kept[corners]
