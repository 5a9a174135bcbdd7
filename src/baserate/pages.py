"""Text that knows its parts: tables and paragraphs, whole for a file, and folded for a narrow terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Self

GAP = "  "
NARROWEST = 20


class Grid(str):
    """A table as text: the first columns to the left, the others, which are numbers, to the right. It keeps its cells for a narrower page."""

    __slots__ = ("headings", "left", "rows")
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int

    def __new__(cls, headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Self:
        grid = super().__new__(cls, "\n".join(_lines([headings, *rows], left)))
        grid.headings, grid.rows, grid.left = tuple(headings), tuple(tuple(row) for row in rows), left
        return grid

    def fitted(self, width: int) -> str:
        """As it is where it fits, else with headings of several lines, else one row below the other."""
        if _width(self) <= width:
            return str(self)
        folded = "\n".join(_lines([*_folded(self.headings, self.rows), *self.rows], self.left))
        return folded if _width(folded) <= width else "\n\n".join(self._records(width))

    def _records(self, width: int) -> Iterator[str]:
        """Each row as a list of its cells, under what stands on its left; of a table of words alone, under the first of them."""
        left = self.left if self.left < len(self.headings) else 1
        widest = max(len(heading) for heading in self.headings)
        hanging = " " * (widest + 2 * len(GAP))
        for row in self.rows:
            title = ", ".join(cell for cell in row[:left] if cell)
            pairs = list(zip(self.headings[left:], row[left:], strict=True))
            lines = [_hung(cell, f"{GAP}{heading.ljust(widest)}{GAP}", hanging, width) for heading, cell in pairs]
            if max(map(_width, lines), default=0) > width:
                lines = [line for heading, cell in pairs for line in (f"{GAP}{heading}", _hung(cell, GAP * 2, GAP * 2, width))]
            yield "\n".join(line.rstrip() for line in (*([title] if title else []), *lines))


class Page(str):
    """Paragraphs and tables, one below the other."""

    __slots__ = ("blocks",)
    blocks: tuple[str, ...]

    def __new__(cls, *blocks: str) -> Self:
        page = super().__new__(cls, "\n\n".join(blocks))
        page.blocks = blocks
        return page


def fitted(text: str, width: int) -> str:
    """Text for a page of so many columns: tables folded, paragraphs wrapped."""
    width = max(width, NARROWEST)
    if isinstance(text, Page):
        return "\n\n".join(fitted(block, width) for block in text.blocks)
    return text.fitted(width) if isinstance(text, Grid) else "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    return line if len(line) <= width else textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)


def _hung(text: str, first: str, others: str, width: int) -> str:
    """Words after `first`, and on further lines below themselves."""
    if len(first + text) <= width:
        return first + text
    return textwrap.fill(text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False)


def _lines(rows: Sequence[Sequence[str]], left: int) -> Iterator[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) if i < left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True)))
        yield GAP.join(cells).rstrip()


def _folded(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Headings over as many lines as their words need, at the bottom of the space."""
    widths = [max([len(word) for word in heading.split()] + [len(row[i]) for row in rows]) for i, heading in enumerate(headings)]
    broken = [textwrap.wrap(heading, width) or [""] for heading, width in zip(headings, widths, strict=True)]
    most = max(map(len, broken))
    return [list(line) for line in zip(*([""] * (most - len(lines)) + lines for lines in broken), strict=True)]


def _width(text: str) -> int:
    return max(map(len, text.split("\n")))
