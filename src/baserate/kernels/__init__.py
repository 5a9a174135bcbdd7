"""The passes over every row: in C where the extension was built, in NumPy otherwise, with identical results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from baserate.exact import Floats, Ints
from baserate.kernels import portable
from baserate.kernels.portable import Cells, Labels, Scores

__all__ = ["Cells", "Kernels", "Labels", "Scores", "best", "portable"]


class Kernels(Protocol):
    """What either implementation offers."""

    NAME: str

    def count_cells(self, scores: Scores, labels: Labels) -> Cells: ...
    def begin_count(self, scores: Scores, labels: Labels) -> Callable[[], Cells]: ...
    def order_weighted(self, scores: Scores, labels: Labels, weights: Floats) -> tuple[Scores, Floats]: ...
    def count_gaps(self, scores: Scores, labels: Labels, anchors: Ints) -> tuple[Ints, Ints, Ints]: ...


def _best() -> Kernels:
    try:
        from baserate.kernels import compiled
    except ImportError:
        return portable
    return compiled


best: Kernels = _best()
