"""Text, tables and lists as plain HTML: everything escaped, and what users named kept apart from the direction of the text around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from baserate.errors import escaped
from baserate.pages import Grid, Page


def written(text: str) -> str:
    """Text as text: no markup, nothing that turns the direction."""
    return escape(escaped(text), quote=True)


def block(text: str, caption: str = "", whole: Mapping[str, str] | None = None) -> str:
    """A page, a table or paragraphs, whichever it is; `whole` are the names that tables show shortened, to be read on hover."""
    if isinstance(text, Page):
        return "\n".join(block(part, whole=whole) for part in text.blocks)
    if isinstance(text, Grid):
        return grid(text, caption, whole or {})
    return "\n".join(f"<p>{written(line)}</p>" for line in text.split("\n") if line)


def grid(found: Grid, caption: str, whole: Mapping[str, str]) -> str:
    """A table whose first columns name its rows."""
    head = "".join(f'<th scope="col">{written(heading)}</th>' if heading else "<td></td>" for heading in found.headings)
    body = "".join(f"<tr>{''.join(_cells(row, found.left, whole))}</tr>" for row in found.rows)
    above = f"<caption>{written(caption)}</caption>" if caption else ""
    return f'<div class="scroll" tabindex="0"><table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cells(row: Sequence[str], left: int, whole: Mapping[str, str]) -> Iterator[str]:
    for place, text in enumerate(row):
        title = f' title="{written(whole[text])}"' if place < left and text in whole else ""
        # A heading without words names nothing.
        yield f'<th scope="row"{title}><bdi>{written(text)}</bdi></th>' if place < left and text else f"<td>{written(text)}</td>"


def items(lines: Iterable[str]) -> str:
    """A list; nothing where it is empty."""
    inside = "".join(f"<li>{written(line)}</li>" for line in lines)
    return f"<ul>{inside}</ul>" if inside else ""


def section(part: str, title: str, *inside: str) -> str:
    """A part of the page under its heading; nothing where it is empty."""
    content = "\n".join(filter(None, inside))
    return f'<section data-part="{part}">\n<h2>{written(title)}</h2>\n{content}\n</section>' if content else ""


def terms(definitions: Iterable[Mapping[str, str]]) -> str:
    """Words and what they mean."""
    return f"<dl>{''.join(map(_term, definitions))}</dl>"


def _term(one: Mapping[str, str]) -> str:
    source = f" <small>{written(one['sources'])}</small>" if one["sources"] else ""
    return f"<dt>{written(one['title'])}</dt><dd>{written(one['text'])}{source}</dd>"
