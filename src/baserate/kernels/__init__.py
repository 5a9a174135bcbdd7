"""The passes over every row: in C where the extension was built, in NumPy otherwise, with identical
results; and threads for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy.typing as npt

from baserate.kernels import portable
from baserate.kernels.portable import Cells, Codes, Labels, Scores
from baserate.kernels.threads import in_parallel, threads, using
from baserate.numbers import Floats, Ints

__all__ = [
    "Cells",
    "Kernels",
    "Labels",
    "Scores",
    "best",
    "in_parallel",
    "portable",
    "threads",
    "using",
]


class GapCounter(Protocol):
    """Negatives at and between anchors, piece by piece."""

    ties: Ints
    gaps: Ints
    lowest: Ints

    def add(self, scores: Scores, labels: Labels) -> None: ...


class Kernels(Protocol):
    """What either implementation offers."""

    NAME: str

    def count_cells(self, scores: Scores, labels: Labels) -> Cells: ...
    def begin_count(self, scores: Scores, labels: Labels) -> Callable[[], Cells]: ...
    def count_groups(
        self, scores: Scores, labels: Labels, codes: Codes, groups: int
    ) -> tuple[Cells, Ints]: ...
    def order_weighted(
        self, scores: Scores, labels: Labels, weights: Floats
    ) -> tuple[Scores, Floats]: ...
    def tally_weighted(self, scores: Scores, labels: Labels, weights: Floats) -> Cells | None: ...
    def distinct(self, values: npt.NDArray[Any]) -> tuple[Ints, Codes] | None: ...
    def count_gaps(
        self, scores: Scores, labels: Labels, anchors: Ints
    ) -> tuple[Ints, Ints, Ints]: ...
    def GapCounter(self, anchors: Ints) -> GapCounter: ...  # noqa: N802 (a class in both)


def _best() -> Kernels:
    try:
        from baserate.kernels import compiled
    except ImportError:
        return portable
    return compiled


best: Kernels = _best()
