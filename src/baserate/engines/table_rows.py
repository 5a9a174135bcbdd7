"""Where the rows of a table lie: counted from 1, as a person counts them, and in which file where there are several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from baserate.errors import Where


@dataclass(frozen=True)
class TableRows(Where):
    """Rows of a table, from 1; a table of a database has them in the order in which they were read."""

    def __str__(self) -> str:
        if not self.rows:
            return ""
        more = " …" if self.total > len(self.rows) else ""
        return f"{'row' if self.total == 1 else 'rows'} {', '.join(map(str, self.rows))}{more}"


@dataclass(frozen=True)
class InTables:
    """From positions in a column to rows of the file that has the first of them; the other files' rows are in the total."""

    paths: tuple[str, ...]
    begins: tuple[int, ...]

    def __call__(self, where: Where) -> Where:
        if isinstance(where, TableRows):  # moved before
            return where
        file = bisect_right(self.begins, where.rows[0]) - 1 if where.rows else 0
        end = self.begins[file + 1] if file + 1 < len(self.begins) else None
        here = tuple(row - self.begins[file] + 1 for row in where.rows if end is None or row < end)
        return TableRows(self.paths[file], here, (), where.total)


def in_table(path: str) -> InTables:
    """From positions in a column to rows of one table."""
    return InTables((path,), (0,))


def in_tables(paths: Sequence[str], rows: Sequence[int]) -> InTables:
    """The same for several files, each with so many rows."""
    return InTables(tuple(paths), (0, *accumulate(rows[:-1])))
