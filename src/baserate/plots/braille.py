"""Panels as text: braille dots where the terminal shows them, plain characters elsewhere; as wide as there is room."""

from __future__ import annotations

import string
from collections.abc import Iterator

import numpy as np

from baserate.errors import escaped
from baserate.exact import Floats
from baserate.plots.panels import Area, Figure, Line, Marks, Panel, Words

NARROWEST, WIDEST, TALLEST = 20, 100, 24
# The bit of each dot of a braille sign, by its row and column.
DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
BLANK = 0x2800
LETTERS = string.ascii_uppercase
LAMPS = ".:"
# Thinner lines are there to compare with: they are dotted, and have no letter.
THIN = 1.5


class Canvas:
    """Dots within a frame of so many signs; on top of them letters and marks, a sign each."""

    def __init__(self, columns: int, rows: int, *, plain: bool) -> None:
        self.columns, self.rows, self.plain = columns, rows, plain
        self.bits = np.zeros((rows, columns), dtype=np.int64)
        self.signs: dict[tuple[int, int], str] = {}

    def dot(self, x: Floats, y: Floats) -> None:
        """Dots at places between 0 and 1; what lies outside is left out."""
        seen = (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
        across = np.minimum((x[seen] * self.columns * 2).astype(np.intp), self.columns * 2 - 1)
        down = np.minimum(((1 - y[seen]) * self.rows * 4).astype(np.intp), self.rows * 4 - 1)
        np.bitwise_or.at(self.bits, (down // 4, across // 2), DOTS[down % 4, across % 2])

    def put(self, x: float, y: float, sign: str, *, over: bool = True) -> None:
        """One sign over the dots."""
        if 0 <= x <= 1 and 0 <= y <= 1:
            cell = min(int((1 - y) * self.rows), self.rows - 1), min(int(x * self.columns), self.columns - 1)
            if over or cell not in self.signs:
                self.signs[cell] = sign

    def lines(self) -> Iterator[str]:
        """The rows from the top."""
        for row in range(self.rows):
            yield "".join(self.signs.get((row, column)) or self._sign(int(self.bits[row, column])) for column in range(self.columns))

    def _sign(self, bits: int) -> str:
        if not bits:
            return " "
        return LAMPS[min(bits.bit_count(), 2) - 1] if self.plain else chr(BLANK + bits)


def text_of(figure: Figure, width: int, *, ascii_only: bool) -> str:
    """All panels, one below the other."""
    room = min(max(width, NARROWEST), WIDEST)
    heading = [_cut(figure.title, room)] if figure.title else []
    blocks = ["\n".join(_panel(panel, room, plain=ascii_only)) for panel in figure.panels]
    text = "\n\n".join([*heading, *blocks])
    return text.encode("ascii", "replace").decode("ascii") if ascii_only else text


def _panel(panel: Panel, width: int, *, plain: bool) -> Iterator[str]:
    if not panel.frame:  # a diagram of words has no axes: they are read from top to bottom
        yield from (_cut(text, width) for text in filter(None, (panel.title, panel.says)))
        return
    margin = min(max((len(text) for _, text in panel.y.ticks), default=0), 9)
    columns = width - margin - 2
    rows = min(TALLEST, max(6, columns // (3 if panel.square else 4)))
    ticks = {int((1 - float(panel.y.place([value])[0])) * (rows - 1) + 0.5): text for value, text in panel.y.ticks}
    canvas = Canvas(columns, rows, plain=plain)
    letters = dict(_drawn(panel, canvas))
    _over(panel, canvas)
    if panel.title:
        yield _cut(panel.title, width)
    yield _cut(panel.y.label, width)
    bar, corner, floor = ("|", "+", "-") if plain else ("│", "└", "─")
    for row, line in enumerate(canvas.lines()):
        yield f"{ticks.get(row, '')[:margin].rjust(margin)} {bar}{line}".rstrip()
    yield " " * (margin + 1) + corner + floor * columns
    yield _below(panel, margin + 2, columns)
    below = _cut(panel.x.label, width)
    yield below.rjust(min(width, margin + 2 + (columns + len(below)) // 2))
    for letter, name in letters.items():
        yield _cut(f"{letter}  {name}", width)


def _drawn(panel: Panel, canvas: Canvas) -> Iterator[tuple[str, str]]:
    """Everything on the canvas; gives the letter of each line that has a name."""
    letters = iter(LETTERS)
    for part in panel.parts:
        if isinstance(part, Line):
            sign = next(letters, "*") if part.name and part.style.width >= THIN else ""
            _stroke(part, panel, canvas, sign)
            if sign:
                yield sign, part.name
        elif isinstance(part, Area):
            for edge in part.edges():
                _stroke(Line(*edge), panel, canvas, "")


def _over(panel: Panel, canvas: Canvas) -> None:
    """Marks, and then words, over the lines."""
    for marks in (part for part in panel.parts if isinstance(part, Marks)):
        for x, y in zip(panel.x.place(marks.x).tolist(), panel.y.place(marks.y).tolist(), strict=True):
            canvas.put(x, y, "o" if canvas.plain else "●")
    for words in (part for part in panel.parts if isinstance(part, Words)):
        _write(words, panel, canvas)


def _stroke(line: Line, panel: Panel, canvas: Canvas, sign: str) -> None:
    """Dots along every edge, close enough to join; a letter at three places along the line."""
    x, y = panel.x.place(line.x), panel.y.place(line.y)
    known = ~(np.isnan(x) | np.isnan(y))
    for start, end in zip(range(len(x) - 1), range(1, len(x)), strict=True):
        if known[start] and known[end]:
            steps = int(max(abs(x[end] - x[start]) * canvas.columns * 2, abs(y[end] - y[start]) * canvas.rows * 4)) + 2
            shares = np.linspace(0.0, 1.0, steps)
            dotted = shares[:: 3 if line.style.width < THIN else 1]
            canvas.dot(x[start] + dotted * (x[end] - x[start]), y[start] + dotted * (y[end] - y[start]))
    inside = np.flatnonzero(known & (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1))
    if sign and len(inside):
        away = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x[inside]), np.diff(y[inside])))))
        # Each letter at places of its own, so that curves that run together keep theirs.
        for share in (start + 0.06 * (LETTERS.find(sign) % 5) for start in (0.1, 0.4, 0.7)):
            place = inside[int(np.searchsorted(away, share * away[-1]))]
            canvas.put(float(x[place]), float(y[place]), sign, over=False)


def _write(words: Words, panel: Panel, canvas: Canvas) -> None:
    text = escaped(words.text)
    x, y = float(panel.x.place([words.x])[0]), float(panel.y.place([words.y])[0])
    shift = {"start": 1, "middle": -(len(text) // 2), "end": -len(text)}[words.anchor]
    first = min(max(int(x * canvas.columns) + shift, 0), max(canvas.columns - len(text), 0))
    row = min(max(int((1 - y) * canvas.rows), 0), canvas.rows - 1)
    for place, letter in enumerate(text[: canvas.columns]):
        canvas.signs.setdefault((row, first + place), letter)


def _below(panel: Panel, margin: int, columns: int) -> str:
    """The ticks of the lower axis, as many as there is room for."""
    line = [" "] * (margin + columns)
    taken = -1
    for value, text in panel.x.ticks:
        middle = margin + int(float(panel.x.place([value])[0]) * (columns - 1))
        first = min(max(middle - len(text) // 2, 0), len(line) - len(text))
        if first > taken:
            line[first : first + len(text)] = text
            taken = first + len(text)
    return "".join(line).rstrip()


def _cut(text: str, width: int) -> str:
    shown = escaped(text)
    return shown if len(shown) <= width else shown[: width - 1] + "…"
