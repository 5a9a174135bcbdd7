"""Tables for a notebook: plain HTML without styles, everything escaped, at most ten rows."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from typing import Any

from baserate.errors import escaped, grouped

MOST_ROWS = 10
GAP = "…"
UNDEFINED = "—"


def table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table under what it is; the first column names the rows."""
    head = "".join(f'<th scope="col">{_text(heading)}</th>' for heading in headings)
    body = "".join(f'<tr><th scope="row">{_text(row[0])}</th>{"".join(f"<td>{_text(cell)}</td>" for cell in row[1:])}</tr>' for row in rows)
    return f"<table><caption>{_text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def some(count: int, row: Callable[[int], Sequence[str]]) -> list[Sequence[str]]:
    """All rows, or the first and the last five with a gap between them."""
    if count <= MOST_ROWS:
        return [row(i) for i in range(count)]
    first, last = (range(MOST_ROWS // 2), range(count - MOST_ROWS // 2, count))
    begin = [row(i) for i in first]
    return [*begin, [GAP] * len(begin[0]), *(row(i) for i in last)]


def cell(value: Any, digits: int = 6) -> str:
    """A number: whole ones in full, others to so many digits, a dash where there is none."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, int):
        return grouped(plain) if plain >= 0 else str(plain)
    return UNDEFINED if math.isnan(plain) else f"{plain:.{digits}g}"


def _text(value: str) -> str:
    return html.escape(escaped(value), quote=True)
