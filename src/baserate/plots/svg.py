"""Panels as SVG: one text without scripts, styles or anything loaded from elsewhere. Text stays text, and what users named is escaped."""

from __future__ import annotations

import hashlib
import itertools
import textwrap
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

import numpy as np

from baserate.errors import escaped
from baserate.exact import Floats
from baserate.plots.panels import DASHES, PALETTE, Area, Figure, Line, Marks, Numbers, Panel, Part, Words

FONT, LETTER = 13, 6.9  # the height of letters, and how wide one is on average, in points
SQUARE, WIDE = (300, 300), (440, 270)
GAP, ROW, SAMPLE = 26, 19, 30
MOST_NAME = 90
CLIP = "\0clip\0"  # a placeholder that no escaped text can hold


class Box(NamedTuple):
    """Where the frame of a panel lies within its cell, and how large the cell is."""

    left: float
    top: float
    width: float
    height: float
    cell: tuple[float, float]


def svg_of(figure: Figure) -> str:
    """The whole figure."""
    parts, y, widest = [], 34.0 if figure.title else 8.0, 0.0
    for row in figure.rows():
        boxes = [_box(panel) for panel in row]
        x = 0.0
        for panel, box in zip(row, boxes, strict=True):
            parts.append(f'<g transform="translate({_n(x)} {_n(y)})">\n{_panel(panel, box)}\n</g>')
            x += box.cell[0] + GAP
        widest, y = max(widest, x - GAP), y + max(box.cell[1] for box in boxes) + 8
    widest = max(widest, 24 + _long(figure.title) * 1.1)
    heading = _text(12, 22, figure.title, "start", "#000", 'font-weight="bold"') if figure.title else ""
    title = figure.title or figure.panels[0].title
    says = " ".join(f"{panel.says or panel.title}." for panel in figure.panels)
    body = "\n".join(filter(None, (heading, *parts)))
    key = "p" + hashlib.sha256((title + body).encode("utf-8", "replace")).hexdigest()[:10]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(widest)} {_n(y)}" width="{_n(widest)}" height="{_n(y)}" role="img" '
        f'aria-labelledby="{key}-title {key}-desc" font-family="system-ui, sans-serif" font-size="{FONT}">'
    )
    named = f'<title id="{key}-title">{_safe(title, 200)}</title>\n<desc id="{key}-desc">{_safe(says, 2000)}</desc>'
    # What is drawn must be told apart from other figures in one page: clips are named by the figure's own fingerprint.
    return f'{head}\n{named}\n<rect width="100%" height="100%" fill="#fff"/>\n{_with_clips(body, key)}\n</svg>\n'


def _with_clips(body: str, key: str) -> str:
    pieces = body.split(CLIP)
    return "".join(f"{piece}{key}-c{place // 2}" if place < len(pieces) - 1 else piece for place, piece in enumerate(pieces))


def _box(panel: Panel) -> Box:
    """Room for ticks and labels, and for words that reach beyond the frame."""
    width, height = SQUARE if panel.square else WIDE
    ticks = max((_long(text) for _, text in panel.y.ticks), default=0.0) if panel.frame else 0.0
    left = 12 + (ticks + 8 + (22 if panel.y.label else 0) if panel.frame else 0)
    above, right = 0.0, 16.0
    for words in (part for part in panel.parts if isinstance(part, Words)):
        x, y = _where(panel, words, width, height)
        before, after = {"start": (0.0, 1.0), "middle": (0.5, 0.5), "end": (1.0, 0.0)}[words.anchor]
        left, right = max(left, before * _long(words.text) - x + 8), max(right, x + after * _long(words.text) - width + 8)
        above = max(above, FONT - y if 0 <= x <= width else 0.0)
    heading = len(_heading(panel, left + width + right)) * ROW
    top = heading + 6 + above
    below = (22 + (22 if panel.x.label else 0)) if panel.frame else 6
    legend = len(panel.legend) * ROW + (6 if panel.legend else 0)
    names = max((_long(_short(part.name)) + SAMPLE + 22 for part in panel.legend if not isinstance(part, Words)), default=0.0)
    return Box(left, top, width, height, (max(left + width + right, names, left + _long(panel.x.label)), top + height + below + legend))


def _heading(panel: Panel, room: float) -> list[str]:
    return textwrap.wrap(_short(panel.title), max(20, int((room - 12) / LETTER)), break_long_words=True) if panel.title else []


def _panel(panel: Panel, box: Box) -> str:
    lines = [_text(12, (i + 1) * ROW - 4, line, "start", "#000") for i, line in enumerate(_heading(panel, box.cell[0]))]
    frame = f'x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.width)}" height="{_n(box.height)}"'
    if panel.frame:
        # A line along the frame is seen in its whole width.
        clip = f'x="{_n(box.left - 1)}" y="{_n(box.top - 1)}" width="{_n(box.width + 2)}" height="{_n(box.height + 2)}"'
        lines += [f'<clipPath id="{CLIP}"><rect {clip}/></clipPath>', *_axes(panel, box)]
    drawn = [text for part in panel.parts if not isinstance(part, Words | Marks) for text in _shapes(part, panel, box)]
    lines.append(f'<g clip-path="url(#{CLIP})">\n{chr(10).join(drawn)}\n</g>' if panel.frame else "\n".join(drawn))
    if panel.frame:
        lines.append(f'<rect {frame} fill="none" stroke="#888"/>')
    lines += [text for part in panel.parts if isinstance(part, Marks) for text in _shapes(part, panel, box)]
    for words in (part for part in panel.parts if isinstance(part, Words)):
        x, y = _where(panel, words, box.width, box.height)
        lines.append(_text(box.left + x, box.top + y, words.text, words.anchor, _ink(words.colour), HALO))
    return "\n".join([*lines, *_legend(panel, box)])


# Text of a colour must be read on white (a contrast of 4.5 and more), for which most of the palette is too light.
DARK = {"vermillion": "#b04a00", "green": "#00775a", "purple": "#9c3f72", "sky": "#1f6f9f", "orange": "#8f6100", "grey": "#666666"}
# Words over lines stay readable: a white edge is painted first.
HALO = 'paint-order="stroke" stroke="#fff" stroke-width="3" stroke-linejoin="round"'


def _ink(colour: str) -> str:
    """A colour of the palette for text."""
    return DARK.get(colour, PALETTE[colour])


def _where(panel: Panel, words: Words, width: float, height: float) -> tuple[float, float]:
    x, y = float(panel.x.place([words.x])[0]), float(panel.y.place([words.y])[0])
    x, y = (0.5 if np.isnan(place) else place for place in (x, y))
    return x * width + words.across * FONT, (1 - y) * height - words.up * FONT


def _axes(panel: Panel, box: Box) -> Iterator[str]:
    bottom = box.top + box.height
    for value, text in panel.x.ticks:
        x = box.left + float(panel.x.place([value])[0]) * box.width
        yield f'<path d="M{_n(x)} {_n(bottom)}v4" stroke="#888"/>'
        yield _text(x, bottom + 18, text, "middle", "#555")
    for value, text in panel.y.ticks:
        y = box.top + (1 - float(panel.y.place([value])[0])) * box.height
        yield f'<path d="M{_n(box.left - 4)} {_n(y)}h4" stroke="#888"/>'
        yield _text(box.left - 8, y + 4.5, text, "end", "#555")
    if panel.x.label:
        yield _text(box.left + box.width / 2, bottom + 38, panel.x.label, "middle", "#000")
    if panel.y.label:
        middle = box.top + box.height / 2
        ticks = max((_long(text) for _, text in panel.y.ticks), default=0.0)
        turned = f'transform="translate({_n(box.left - ticks - 18)} {_n(middle)}) rotate(-90)"'
        yield f'<text {turned} text-anchor="middle">{_safe(panel.y.label)}</text>'


def _legend(panel: Panel, box: Box) -> Iterator[str]:
    top = box.cell[1] - len(panel.legend) * ROW
    for place, part in enumerate(panel.legend):
        y = top + place * ROW + 6
        yield _sample(part, 12.0, y)
        yield _text(12 + SAMPLE + 8, y + 4.5, _short(getattr(part, "name", "")), "start", "#000")


def _sample(part: Part, x: float, y: float) -> str:
    if isinstance(part, Line):
        return f'<path d="M{_n(x)} {_n(y)}h{SAMPLE}"{_stroke(part)}/>'
    if isinstance(part, Area):
        colour, opacity = PALETTE[part.colour], _n(part.opacity, 2)
        return f'<rect x="{_n(x)}" y="{_n(y - 6)}" width="{SAMPLE}" height="12" fill="{colour}" fill-opacity="{opacity}"/>'
    return _mark(part, x + SAMPLE / 2, y) if isinstance(part, Marks) else ""


def _shapes(part: Part, panel: Panel, box: Box) -> Iterator[str]:
    if isinstance(part, Line):
        path = "".join(_path(run) for run in _runs(part.x, part.y, panel, box))
        if path:
            yield f'<path d="{path}"{_stroke(part)}/>'
    elif isinstance(part, Area):
        lower, upper = (list(_runs(*edge, panel, box)) for edge in part.edges())
        for low, high in zip(lower, upper, strict=False):
            outline = _path(np.concatenate((high, low[::-1])))
            yield f'<path d="{outline}Z" fill="{PALETTE[part.colour]}" fill-opacity="{_n(part.opacity, 2)}"/>'
    elif isinstance(part, Marks):
        for x, y in itertools.chain.from_iterable(_runs(part.x, part.y, panel, box)):
            # A mark on the frame is drawn whole, one beyond it not at all.
            if 0 <= x - box.left <= box.width and 0 <= y - box.top <= box.height:
                yield _mark(part, x, y)


def _runs(x: Numbers, y: Numbers, panel: Panel, box: Box) -> Iterator[Floats]:
    """The points in the units of the drawing, one array a run without holes."""
    if not len(x):
        return
    places = np.stack((box.left + panel.x.place(x) * box.width, box.top + (1 - panel.y.place(y)) * box.height), axis=1)
    known = ~(np.isnan(places[:, 0]) | np.isnan(places[:, 1]))
    for run in np.split(np.arange(len(known)), np.flatnonzero(np.diff(known)) + 1):
        if known[run[0]]:
            yield np.round(places[run], 1)


def _path(points: Floats) -> str:
    """Through all points, but for those that fall together at a tenth of a point, or lie on a straight run."""
    new = np.concatenate(([True], (np.diff(points, axis=0) != 0).any(axis=1)))
    kept = points[new]
    if len(kept) > 2:
        steps = np.diff(kept, axis=0)
        straight = ((steps[1:] == 0) & (steps[:-1] == 0)).any(axis=1) & ((steps[1:] * steps[:-1]).sum(axis=1) > 0)
        kept = kept[np.concatenate(([True], ~straight, [True]))]
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in kept.tolist())


def _stroke(line: Line) -> str:
    dash = " ".join(f"{length:g}" for length in DASHES[line.style.dash])
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f' fill="none" stroke="{PALETTE[line.style.colour]}" stroke-width="{line.style.width:g}" stroke-linejoin="round"{dashes}'


def _mark(marks: Marks, x: float, y: float) -> str:
    r, colour = marks.size, PALETTE[marks.colour]
    if marks.shape == "circle":
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="{colour}"/>'
    if marks.shape == "cross":
        size = _n(2 * r)
        path = f"M{_n(x - r)} {_n(y - r)}l{size} {size}m-{size} 0l{size} -{size}"
        return f'<path d="{path}" stroke="{colour}" stroke-width="1.4"/>'
    if marks.shape == "square":
        return f'<rect x="{_n(x - r)}" y="{_n(y - r)}" width="{_n(2 * r)}" height="{_n(2 * r)}" fill="{colour}"/>'
    return f'<path d="M{_n(x)} {_n(y - r)}l{_n(r)} {_n(2 * r)}h-{_n(2 * r)}Z" fill="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str, more: str = "") -> str:
    extra = f" {more}" if more else ""
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" fill="{colour}"{extra}>{_safe(text)}</text>'


def _safe(text: str, most: int = MOST_NAME) -> str:
    """A user's text as text: nothing that XML does not allow, nothing that turns the direction, nothing that is markup."""
    return escape(_short(text, most))


def _short(text: str, most: int = MOST_NAME) -> str:
    shown = escaped(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _long(text: str) -> float:
    """About how long a text is; signs of eastern scripts are twice as wide."""
    return sum(2 if ord(letter) > 0x2E80 else 1 for letter in _short(text)) * LETTER


def _n(value: float, digits: int = 1) -> str:
    return f"{round(float(value), digits):g}"
