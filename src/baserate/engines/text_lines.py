"""Where the rows of a text file lie: on which lines, counted from 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from baserate.cells import Array
from baserate.errors import Where


@dataclass(frozen=True, eq=False)
class InLines:
    """From positions in a column to lines of a file: one after the other from `first` on, or where `lines` says."""

    path: str
    first: int = 1
    lines: Array | None = None

    @classmethod
    def of(cls, path: str, lines: Sequence[int]) -> InLines:
        """From the line of each row; lines without a gap need only the first."""
        found = np.asarray(lines, dtype=np.int64)
        first = int(found[0]) if len(found) else 1
        return cls(path, first, None if np.array_equal(found, np.arange(first, first + len(found))) else found)

    def __call__(self, where: Where) -> Where:
        if not where.rows:
            return replace(where, path=self.path)
        return replace(where, path=self.path, rows=(), lines=tuple(map(self._line, where.rows)))

    def _line(self, row: int) -> int:
        return self.first + row if self.lines is None else int(self.lines[row])
