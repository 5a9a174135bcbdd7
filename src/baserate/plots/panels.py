"""`Panel`: lines, areas, marks and text as plain values, drawn as SVG, as text for a terminal, or
on matplotlib axes.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import string
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from baserate.errors import escaped, quoted, refuse
from baserate.numbers import Floats
from baserate.plots.axes import Axis

# ----------------------------------------------------------------------
# `Panel`: lines, areas, marks and words on two axes, as plain values. A renderer draws them and
# computes nothing but their places.


# Colours that people with every kind of colour vision tell apart (Okabe & Ito), and dashes beside
# them.
PALETTE = {
    "blue": "#0072b2",
    "vermillion": "#d55e00",
    "green": "#009e73",
    "purple": "#cc79a7",
    "sky": "#56b4e9",
    "orange": "#e69f00",
    "black": "#000000",
    "grey": "#777777",
}
# Lengths of stroke and gap, in points.
DASHES: dict[str, tuple[float, ...]] = {
    "solid": (),
    "dashed": (7, 4),
    "dotted": (2, 3),
    "dashdot": (8, 3, 2, 3),
    "long": (14, 4),
}
SHAPES = ("circle", "square", "triangle", "cross")
Anchor = Literal["start", "middle", "end"]
Numbers = Sequence[float] | Floats  # given as any of these, and kept as a tuple of floats


@dataclass(frozen=True)
class Style:
    """A colour of the palette by its name, a dash by its name, and a width in points."""

    colour: str = "blue"
    dash: str = "solid"
    width: float = 2.0

    def __post_init__(self) -> None:
        if self.colour not in PALETTE or self.dash not in DASHES:
            raise refuse(
                "BR650",
                f"there is no {quoted(self.colour)} or no {quoted(self.dash)}",
                f"{', '.join(PALETTE)}; {', '.join(DASHES)}",
            )


REFERENCE = Style("grey", "dashed", 1.2)
FAINT = Style("grey", "solid", 0.8)


def series_style(place: int) -> Style:
    """The style of the first, second, third curve: colour and dash both change."""
    colours, dashes = [name for name in PALETTE if name != "grey"], list(DASHES)
    return Style(colours[place % len(colours)], dashes[place % len(dashes)])


class _Columns:
    """What is drawn from columns of numbers: they become tuples of plain floats, all of one
    length.
    """

    _columns: ClassVar[tuple[str, ...]] = ("x", "y")

    def __post_init__(self) -> None:
        for name in self._columns:
            object.__setattr__(
                self,
                name,
                tuple(np.asarray(getattr(self, name), dtype=np.float64).ravel().tolist()),
            )
        lengths = [len(getattr(self, name)) for name in self._columns]
        if len(set(lengths)) != 1:
            shown = " and ".join(map(str, lengths))
            raise refuse(
                "BR650",
                f"the columns of a {type(self).__name__.lower()} differ in length: {shown}",
                "give columns of one length",
            )
        colour = getattr(self, "colour", "black")
        if colour not in PALETTE:
            raise refuse("BR650", f"there is no colour {quoted(colour)}", ", ".join(PALETTE))
        shape = getattr(self, "shape", "circle")
        if shape not in SHAPES:
            raise refuse("BR650", f"there is no shape {quoted(shape)}", ", ".join(SHAPES))


@dataclass(frozen=True)
class Line(_Columns):
    """Points joined by straight strokes; NaN breaks the line."""

    x: Numbers
    y: Numbers
    name: str = ""
    style: Style = REFERENCE


@dataclass(frozen=True)
class Area(_Columns):
    """What lies between two lines: a band, a bar, a region of a map; `sideways`, `x` are heights,
    and the two ends lie left and right.
    """

    x: Numbers
    low: Numbers
    high: Numbers
    name: str = ""
    colour: str = "blue"
    opacity: float = 0.2
    sideways: bool = False
    _columns: ClassVar[tuple[str, ...]] = ("x", "low", "high")

    def edges(self) -> tuple[tuple[Numbers, Numbers], tuple[Numbers, Numbers]]:
        """The two lines, each as x and y."""
        if self.sideways:
            return (self.low, self.x), (self.high, self.x)
        return (self.x, self.low), (self.x, self.high)


@dataclass(frozen=True)
class Marks(_Columns):
    """Single points: operating points, cases of a scatter plot."""

    x: Numbers
    y: Numbers
    name: str = ""
    colour: str = "black"
    shape: str = "circle"
    size: float = 5.0


@dataclass(frozen=True)
class Words:
    """A text beside a point, moved by a multiple of the height of its letters."""

    x: float
    y: float
    text: str
    colour: str = "black"
    anchor: Anchor = "start"
    across: float = 0.0
    up: float = 0.0


Part = Line | Area | Marks | Words


class Drawable:
    """What can be drawn: on a page, in a terminal, in a notebook, by matplotlib."""

    def svg(self) -> str:
        """The drawing as the text of an SVG file: nothing in it is loaded from anywhere."""
        return svg_of(figure_of(self))

    def save(self, path: str, *, force: bool = False) -> None:
        """Write the SVG; a file that is there is replaced only with `force`."""
        from baserate.atomic import reserved, write_atomically

        with reserved(path, force=force):
            write_atomically(path, [self.svg().encode()])

    def text(self, width: int = 72, *, ascii_only: bool = False) -> str:
        """The drawing in braille dots, or in plain characters, at most `width` columns wide."""
        return text_of(figure_of(self), width, ascii_only=ascii_only)

    def matplotlib(self, ax: Any = None) -> Any:
        """The drawing on axes of matplotlib, which is needed for this: `pip install
        "baserate[plots]"`. Gives the axes.
        """
        return drawn_on(figure_of(self), ax)

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclass(frozen=True)
class Panel(Drawable):
    """One plot: two axes and what is drawn on them, in the order in which it is drawn.

    `says` is for those who cannot see it. `square` axes have one length; without a `frame` neither
    axes nor ticks are drawn.

    >>> import baserate as br
    >>> panel = br.plots.roc_panel(br.roc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])))
    >>> panel.title, panel.x.label, [type(part).__name__ for part in panel.parts]
    ('ROC', 'false alarm rate (fpr)', ['Line', 'Line'])
    >>> panel.svg()[:4]
    '<svg'
    """

    title: str
    x: Axis
    y: Axis
    parts: tuple[Part, ...] = ()
    says: str = ""
    square: bool = True
    frame: bool = True

    @property
    def legend(self) -> tuple[Part, ...]:
        """The parts that have a name, each name once."""
        named = {
            part.name: part
            for part in reversed(self.parts)
            if not isinstance(part, Words) and part.name
        }
        return tuple(reversed(list(named.values())))

    def adding(self, *parts: Part) -> Panel:
        """The same with more drawn over it."""
        return replace(self, parts=(*self.parts, *parts))

    def __repr__(self) -> str:
        return f"Panel {self.title}: {self.y.label} against {self.x.label}, {len(self.parts)} parts"


@dataclass(frozen=True)
class Figure(Drawable):
    """Several panels side by side, `columns` to a row."""

    title: str
    panels: tuple[Panel, ...]
    columns: int = 2

    def __post_init__(self) -> None:
        if not self.panels or self.columns < 1:
            raise refuse("BR650", "a figure needs panels", "Figure(title, (panel,))")

    def __iter__(self) -> Iterator[Panel]:
        return iter(self.panels)

    def rows(self) -> list[tuple[Panel, ...]]:
        """The panels row by row."""
        return [self.panels[i : i + self.columns] for i in range(0, len(self.panels), self.columns)]

    def __repr__(self) -> str:
        return f"Figure {self.title}: {len(self.panels)} panels"


def figure_of(drawable: Any) -> Figure:
    """A panel alone is a figure, too."""
    if isinstance(drawable, Figure):
        return drawable
    return Figure("", (drawable,), 1)


# ----------------------------------------------------------------------
# Panels as text: braille dots where the terminal shows them, plain characters elsewhere; as wide as
# there is room.


NARROWEST, WIDEST, TALLEST = 20, 100, 24
# The bit of each dot of a braille sign, by its row and column.
DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
BLANK = 0x2800
LETTERS = string.ascii_uppercase
LAMPS = ".:"
# Thinner lines are there to compare with: they are dotted, and have no letter.
THIN = 1.5


class Canvas:
    """Dots within a frame of characters; on top of them letters and marks."""

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
            cell = (
                min(int((1 - y) * self.rows), self.rows - 1),
                min(int(x * self.columns), self.columns - 1),
            )
            if over or cell not in self.signs:
                self.signs[cell] = sign

    def lines(self) -> Iterator[str]:
        """The rows from the top."""
        for row in range(self.rows):
            yield "".join(
                self.signs.get((row, column)) or self._sign(int(self.bits[row, column]))
                for column in range(self.columns)
            )

    def _sign(self, bits: int) -> str:
        if not bits:
            return " "
        return LAMPS[min(bits.bit_count(), 2) - 1] if self.plain else chr(BLANK + bits)


def text_of(figure: Figure, width: int, *, ascii_only: bool) -> str:
    """All panels, one below the other."""
    room = min(max(width, NARROWEST), WIDEST)
    heading = [_cut(figure.title, room)] if figure.title else []
    blocks = ["\n".join(_panel_in_text(panel, room, plain=ascii_only)) for panel in figure.panels]
    text = "\n\n".join([*heading, *blocks])
    return text.encode("ascii", "replace").decode("ascii") if ascii_only else text


def _panel_in_text(panel: Panel, width: int, *, plain: bool) -> Iterator[str]:
    if not panel.frame:  # a diagram of words has no axes: they are read from top to bottom
        yield from (_cut(text, width) for text in filter(None, (panel.title, panel.says)))
        return
    margin = min(max((len(text) for _, text in panel.y.ticks), default=0), 9)
    columns = width - margin - 2
    rows = min(TALLEST, max(6, columns // (3 if panel.square else 4)))
    ticks = {
        int((1 - float(panel.y.place([value])[0])) * (rows - 1) + 0.5): text
        for value, text in panel.y.ticks
    }
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
            _stroke_in_text(part, panel, canvas, sign)
            if sign:
                yield sign, part.name
        elif isinstance(part, Area):
            for edge in part.edges():
                _stroke_in_text(Line(*edge), panel, canvas, "")


def _over(panel: Panel, canvas: Canvas) -> None:
    """Marks, and then words, over the lines."""
    for marks in (part for part in panel.parts if isinstance(part, Marks)):
        for x, y in zip(
            panel.x.place(marks.x).tolist(), panel.y.place(marks.y).tolist(), strict=True
        ):
            canvas.put(x, y, "o" if canvas.plain else "●")
    for words in (part for part in panel.parts if isinstance(part, Words)):
        _write(words, panel, canvas)


def _stroke_in_text(line: Line, panel: Panel, canvas: Canvas, sign: str) -> None:
    """Dots along every edge, close enough to join; a letter at three places along the line."""
    x, y = panel.x.place(line.x), panel.y.place(line.y)
    known = ~(np.isnan(x) | np.isnan(y))
    for start, end in zip(range(len(x) - 1), range(1, len(x)), strict=True):
        if known[start] and known[end]:
            steps = (
                int(
                    max(
                        abs(x[end] - x[start]) * canvas.columns * 2,
                        abs(y[end] - y[start]) * canvas.rows * 4,
                    )
                )
                + 2
            )
            shares = np.linspace(0.0, 1.0, steps)
            dotted = shares[:: 3 if line.style.width < THIN else 1]
            canvas.dot(
                x[start] + dotted * (x[end] - x[start]), y[start] + dotted * (y[end] - y[start])
            )
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


# ----------------------------------------------------------------------
# Panels on axes of matplotlib, which is loaded only here.


MARKERS = {"circle": "o", "square": "s", "triangle": "^", "cross": "x"}


def drawn_on(figure: Figure, ax: Any = None) -> Any:
    """One panel on the axes given, or on new ones; several on a new figure, or on as many axes.
    Gives axes, or an array of them.
    """
    several = isinstance(ax, np.ndarray | Sequence)
    axes = _new_axes(figure) if ax is None else list(np.ravel(ax)) if several else [ax]
    if len(axes) != len(figure.panels):
        raise refuse(
            "BR650",
            f"{len(figure.panels)} panels need as many axes, got {len(axes)}",
            "leave ax out, or give one for each panel",
        )
    for panel, one in zip(figure.panels, axes, strict=True):
        if not hasattr(one, "transData"):
            raise refuse(
                "BR650",
                f"ax must be axes of matplotlib, got {quoted(type(one).__name__)}",
                "plt.subplots()[1]",
            )
        _draw(panel, one)
    return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def _new_axes(figure: Figure) -> list[Any]:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise refuse(
            "BR714", "matplotlib is not installed", 'pip install "baserate[plots]", or panel.svg()'
        ) from None
    rows = figure.rows()
    wide = [5.0 if panel.square else 6.5 for panel in rows[0]]
    made, grid = plt.subplots(
        len(rows),
        len(rows[0]),
        figsize=(sum(wide), 5.0 * len(rows)),
        squeeze=False,
        layout="constrained",
    )
    if figure.title:
        made.suptitle(_plain(figure.title))
    axes = list(grid.ravel())
    for spare in axes[len(figure.panels) :]:
        spare.set_visible(False)
    return axes[: len(figure.panels)]


def _draw(panel: Panel, ax: Any) -> None:
    for part in panel.parts:
        _add(part, ax)
    above = any(
        isinstance(part, Words) and part.up > 0 and panel.y.place([part.y])[0] > 0.99
        for part in panel.parts
    )
    ax.set_title(_plain(panel.title), loc="left", fontsize="medium", pad=18 if above else None)
    if not panel.frame:
        ax.set_axis_off()
    for name, axis in (("x", panel.x), ("y", panel.y)):
        _scale(ax, name, axis)
    if panel.square:
        ax.set_box_aspect(1)
    _name(panel, ax)


def _name(panel: Panel, ax: Any) -> None:
    """Names beside their lines, and the others in a legend."""
    box, figure = ax.get_position(), ax.figure
    # In the units of `direct_labels`, whose letters are larger than small ones are here.
    wide, high = (FONT / 8.33 * 72 * side for side in figure.get_size_inches())
    wide, high = box.width * wide, box.height * high
    size = (min(wide, high),) * 2 if panel.square else (wide, high)
    labels = direct_labels(panel, *size)
    for part in (part for part in panel.legend if isinstance(part, Line) and part.name in labels):
        spot = labels[part.name]
        ax.text(
            spot.x / size[0],
            1 - spot.y / size[1],
            _plain(part.name),
            transform=ax.transAxes,
            color=_ink(part.style.colour),
            va="center",
            fontsize="small",
        )
    said = {_plain(name) for name in labels}
    handles, names = ax.get_legend_handles_labels()
    left = [pair for pair in zip(handles, names, strict=True) if pair[1] not in said]
    if left:
        ax.legend(*zip(*left, strict=True), loc="best", fontsize="small")


def _scale(ax: Any, name: str, axis: Axis) -> None:
    if axis.scale == "log":
        getattr(ax, f"set_{name}scale")("log", nonpositive="clip")
    elif axis.scale == "deviate":
        from scipy.special import ndtr, ndtri

        # Beyond the axis the deviates of 0 and 1 are infinite: they are held at its ends.
        low, high = axis.low / 10, 1 - (1 - axis.high) / 10
        getattr(ax, f"set_{name}scale")(
            "function", functions=(lambda rate: ndtri(np.clip(rate, low, high)), ndtr)
        )
    getattr(ax, f"set_{name}lim")(axis.low, axis.high)
    getattr(ax, f"set_{name}ticks")(
        [value for value, _ in axis.ticks], [text for _, text in axis.ticks], minor=False
    )
    getattr(ax, f"set_{name}ticks")([], minor=True)
    getattr(ax, f"set_{name}label")(_plain(axis.label))


def _add(part: Part, ax: Any) -> None:
    named = (
        {}
        if isinstance(part, Words)
        else {"label": _plain(part.name) if part.name and _new(part.name, ax) else "_nolegend_"}
    )
    if isinstance(part, Line):
        dash = DASHES[part.style.dash]
        # Lengths of a dash are in points here, and in widths of the line there.
        pattern = (
            (0, tuple(length / max(part.style.width, 0.1) for length in dash)) if dash else "solid"
        )
        ax.plot(
            part.x,
            part.y,
            color=PALETTE[part.style.colour],
            linestyle=pattern,
            linewidth=part.style.width,
            **named,
        )
    elif isinstance(part, Area):
        fill = ax.fill_betweenx if part.sideways else ax.fill_between
        fill(
            part.x,
            part.low,
            part.high,
            color=PALETTE[part.colour],
            alpha=part.opacity,
            linewidth=0,
            **named,
        )
    elif isinstance(part, Marks):
        size = math.pi * part.size**2 / 2
        ax.scatter(
            part.x,
            part.y,
            s=size,
            color=PALETTE[part.colour],
            marker=MARKERS[part.shape],
            zorder=3,
            **named,
        )
    else:
        place = (part.across * 10, part.up * 10)
        where = {"start": "left", "middle": "center", "end": "right"}[part.anchor]
        ax.annotate(
            _plain(part.text),
            (part.x, part.y),
            place,
            textcoords="offset points",
            color=PALETTE[part.colour],
            ha=where,
            fontsize="small",
        )


def _new(name: str, ax: Any) -> bool:
    """Whether the legend does not have this name yet."""
    return _plain(name) not in ax.get_legend_handles_labels()[1]


def _plain(text: str) -> str:
    """A user's text as it is: matplotlib would read dollars as mathematics, and leave out names
    that begin with a line.
    """
    shown = escaped(text).replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown


# ----------------------------------------------------------------------
# Panels as SVG: one text without scripts, styles or anything loaded from elsewhere. Text stays
# text, and what users named is escaped.


FONT, LETTER = 13, 6.9  # the height of letters, and how wide one is on average, in points
SQUARE, WIDE = (300, 300), (440, 270)
GAP, ROW, SAMPLE = 26, 19, 30
MOST_NAME = 90
UNSEEN = 0.1  # how far off a line, in points, nobody sees
CLIP = "\0clip\0"  # a placeholder that no escaped text can hold


class Box(NamedTuple):
    """Where the frame of a panel lies within its cell, and how large the cell is."""

    left: float
    top: float
    width: float
    height: float
    cell: tuple[float, float]
    labels: Mapping[str, Spot]


class Spot(NamedTuple):
    """Where the name of a line goes beside it, within the frame: its left end, and its middle
    from the top.
    """

    x: float
    y: float


# How far a name stands from its line, and how far any other line has to be; in points.
BESIDE, CLEAR = 10.0, 11.0
MOST_CLEAR = 40.0  # beyond this a place is as good as any other
EVERY = 6.0  # how far apart the places are that are tried along a line
LONGEST = 0.62  # of the frame, for a name inside it


def direct_labels(panel: Panel, width: float, height: float) -> dict[str, Spot]:
    """Names beside their lines, each where no other line, mark or name is near; the rest
    are left to the legend.
    """
    if not panel.frame:
        return {}
    lines = [part for part in panel.parts if isinstance(part, Line)]
    along = [_along(line, panel, width, height) for line in lines]
    taken = [
        np.stack((panel.x.place(part.x) * width, (1 - panel.y.place(part.y)) * height), axis=1)
        for part in panel.parts
        if isinstance(part, Marks)
    ]
    taken += [
        np.array([_where(panel, part, width, height)]) + np.array([[step, -4]])
        for part in panel.parts
        if isinstance(part, Words)
        for step in np.arange(0, _long(part.text), EVERY)
    ]
    found: dict[str, Spot] = {}
    for own, line in enumerate(lines):
        long = _long(_short(line.name))
        alone = sum(line.name == other.name for other in lines) == 1
        if not (line.name and alone and long <= LONGEST * width and len(along[own])):
            continue
        others = np.concatenate(
            [np.empty((0, 2)), *taken, *(along[i] for i in range(len(lines)) if i != own)]
        )
        spot = _clearest(along[own], others, long, (width, height))
        if spot is not None:
            found[line.name] = spot
            steps = np.arange(0, long + EVERY, EVERY)
            taken.append(np.stack((spot.x + steps, np.full(len(steps), spot.y)), axis=1))
    return found


def _along(line: Line, panel: Panel, width: float, height: float) -> Floats:
    """Places along a line within the frame, evenly apart."""
    whole = np.stack((panel.x.place(line.x) * width, (1 - panel.y.place(line.y)) * height), axis=1)
    known = ~(np.isnan(whole[:, 0]) | np.isnan(whole[:, 1]))
    found = [np.empty((0, 2))]
    for run in np.split(np.arange(len(whole)), np.flatnonzero(np.diff(known)) + 1):
        if len(run) and known[run[0]]:
            x, y = whole[run].T
            far = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))))
            steps = np.arange(0, far[-1] + EVERY, EVERY)
            found.append(np.stack((np.interp(steps, far, x), np.interp(steps, far, y)), axis=1))
    every = np.concatenate(found)
    return every[(every >= -1).all(axis=1) & (every <= (width + 1, height + 1)).all(axis=1)]


def _clearest(own: Floats, others: Floats, long: float, frame: tuple[float, float]) -> Spot | None:
    """The place beside a line that is farthest from all others; None where none is clear."""
    across, half = (4.0, -long - 4.0, -long / 2), FONT / 2
    tries = [(shift, side * BESIDE) for side in (-1, 1) for shift in across]
    tries += [(BESIDE, 0.0), (-long - BESIDE, 0.0)]
    places = np.concatenate([own[::2] + np.array([shift]) for shift in tries])
    x, y = places.T
    fits = (x >= 3) & (x + long <= frame[0] - 3) & (y >= half + 2) & (y <= frame[1] - half - 2)
    places = places[fits]
    places = places[_away(own, places, long) > half - 2]
    if not len(places):
        return None
    far = np.minimum(_away(others, places, long), MOST_CLEAR)
    best = int(far.argmax())
    return Spot(*places[best].tolist()) if far[best] > CLEAR else None


def _away(points: Floats, places: Floats, long: float) -> Floats:
    """How far the nearest of these points is from the middle line of a name that begins at each
    place.
    """
    if not len(points):
        return np.full(len(places), math.inf)
    x, y = places[:, :1], places[:, 1:]
    across = np.maximum(np.maximum(x - points[:, 0], points[:, 0] - x - long), 0)
    up = points[:, 1] - y
    nearest: Floats = np.sqrt((across * across + up * up).min(axis=1))
    return nearest


def svg_of(figure: Figure) -> str:
    """The whole figure."""
    parts, y, widest = [], 34.0 if figure.title else 8.0, 0.0
    for row in figure.rows():
        boxes = [_box(panel) for panel in row]
        x = 0.0
        for panel, box in zip(row, boxes, strict=True):
            parts.append(
                f'<g transform="translate({_n(x)} {_n(y)})">\n{_panel_in_svg(panel, box)}\n</g>'
            )
            x += box.cell[0] + GAP
        widest, y = max(widest, x - GAP), y + max(box.cell[1] for box in boxes) + 8
    widest = max(widest, 24 + _long(figure.title) * 1.1)
    heading = (
        _text(12, 22, figure.title, "start", "#000", 'font-weight="bold"') if figure.title else ""
    )
    title = figure.title or figure.panels[0].title
    says = " ".join(f"{panel.says or panel.title}." for panel in figure.panels)
    body = "\n".join(filter(None, (heading, *parts)))
    key = "p" + hashlib.sha256((title + body).encode("utf-8", "replace")).hexdigest()[:10]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(widest)} {_n(y)}"'
        f' width="{_n(widest)}" height="{_n(y)}" role="img" aria-labelledby="{key}-title'
        f' {key}-desc" font-family="system-ui, sans-serif" font-size="{FONT}">'
    )
    named = (
        f'<title id="{key}-title">{_safe(title, 200)}</title>\n<desc'
        f' id="{key}-desc">{_safe(says, 2000)}</desc>'
    )
    # What is drawn must be distinguished from other figures in one page: clips are named by the
    # figure's own fingerprint.
    return (
        f'{head}\n{named}\n<rect width="100%" height="100%"'
        f' fill="#fff"/>\n{_with_clips(body, key)}\n</svg>\n'
    )


def _with_clips(body: str, key: str) -> str:
    pieces = body.split(CLIP)
    return "".join(
        f"{piece}{key}-c{place // 2}" if place < len(pieces) - 1 else piece
        for place, piece in enumerate(pieces)
    )


def _box(panel: Panel) -> Box:
    """Room for ticks and labels, and for words that reach beyond the frame."""
    width, height = SQUARE if panel.square else WIDE
    ticks = max((_long(text) for _, text in panel.y.ticks), default=0.0) if panel.frame else 0.0
    left = 12 + (ticks + 8 + (22 if panel.y.label else 0) if panel.frame else 0)
    above, right = 0.0, 16.0
    for words in (part for part in panel.parts if isinstance(part, Words)):
        x, y = _where(panel, words, width, height)
        before, after = {"start": (0.0, 1.0), "middle": (0.5, 0.5), "end": (1.0, 0.0)}[words.anchor]
        left, right = (
            max(left, before * _long(words.text) - x + 8),
            max(right, x + after * _long(words.text) - width + 8),
        )
        above = max(above, FONT - y if 0 <= x <= width else 0.0)
    heading = len(_heading(panel, left + width + right)) * ROW
    top = heading + 6 + above
    below = (22 + (22 if panel.x.label else 0)) if panel.frame else 6
    labels = direct_labels(panel, width, height)
    listed = [name for part in panel.legend if (name := getattr(part, "name", "")) not in labels]
    legend = len(listed) * ROW + (6 if listed else 0)
    names = max((_long(_short(name)) + SAMPLE + 22 for name in listed), default=0.0)
    return Box(
        left,
        top,
        width,
        height,
        (
            max(left + width + right, names, left + _long(panel.x.label)),
            top + height + below + legend,
        ),
        labels,
    )


def _heading(panel: Panel, room: float) -> list[str]:
    return (
        textwrap.wrap(
            _short(panel.title), max(20, int((room - 12) / LETTER)), break_long_words=True
        )
        if panel.title
        else []
    )


def _panel_in_svg(panel: Panel, box: Box) -> str:
    lines = [
        _text(12, (i + 1) * ROW - 4, line, "start", "#000")
        for i, line in enumerate(_heading(panel, box.cell[0]))
    ]
    frame = (
        f'x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.width)}" height="{_n(box.height)}"'
    )
    if panel.frame:
        # A line along the frame is seen in its whole width.
        clip = (
            f'x="{_n(box.left - 1)}" y="{_n(box.top - 1)}" width="{_n(box.width + 2)}"'
            f' height="{_n(box.height + 2)}"'
        )
        lines += [f'<clipPath id="{CLIP}"><rect {clip}/></clipPath>', *_axes(panel, box)]
    drawn = [
        text
        for part in panel.parts
        if not isinstance(part, Words | Marks)
        for text in _shapes(part, panel, box)
    ]
    lines.append(
        f'<g clip-path="url(#{CLIP})">\n{chr(10).join(drawn)}\n</g>'
        if panel.frame
        else "\n".join(drawn)
    )
    if panel.frame:
        lines.append(f'<rect {frame} fill="none" stroke="#888"/>')
    lines += [
        text
        for part in panel.parts
        if isinstance(part, Marks)
        for text in _shapes(part, panel, box)
    ]
    for words in (part for part in panel.parts if isinstance(part, Words)):
        x, y = _where(panel, words, box.width, box.height)
        lines.append(
            _text(box.left + x, box.top + y, words.text, words.anchor, _ink(words.colour), HALO)
        )
    for part in panel.legend:
        if isinstance(part, Line) and part.name in box.labels:
            spot = box.labels[part.name]
            place = box.left + spot.x, box.top + spot.y + 4.5
            lines.append(_text(*place, _short(part.name), "start", _ink(part.style.colour), HALO))
    return "\n".join([*lines, *_legend(panel, box)])


# Text of a colour must be read on white (a contrast of 4.5 and more), for which most of the palette
# is too light.
DARK = {
    "vermillion": "#b04a00",
    "green": "#00775a",
    "purple": "#9c3f72",
    "sky": "#1f6f9f",
    "orange": "#8f6100",
    "grey": "#666666",
}
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
    listed = [part for part in panel.legend if getattr(part, "name", "") not in box.labels]
    top = box.cell[1] - len(listed) * ROW
    for place, part in enumerate(listed):
        y = top + place * ROW + 6
        yield _sample(part, 12.0, y)
        yield _text(12 + SAMPLE + 8, y + 4.5, _short(getattr(part, "name", "")), "start", "#000")


def _sample(part: Part, x: float, y: float) -> str:
    if isinstance(part, Line):
        return f'<path d="M{_n(x)} {_n(y)}h{SAMPLE}"{_stroke_in_svg(part)}/>'
    if isinstance(part, Area):
        colour, opacity = PALETTE[part.colour], _n(part.opacity, 2)
        return (
            f'<rect x="{_n(x)}" y="{_n(y - 6)}" width="{SAMPLE}" height="12" fill="{colour}"'
            f' fill-opacity="{opacity}"/>'
        )
    return _mark(part, x + SAMPLE / 2, y) if isinstance(part, Marks) else ""


def _shapes(part: Part, panel: Panel, box: Box) -> Iterator[str]:
    if isinstance(part, Line):
        path = "".join(_path(run) for run in _runs(part.x, part.y, panel, box))
        if path:
            yield f'<path d="{path}"{_stroke_in_svg(part)}/>'
    elif isinstance(part, Area):
        lower, upper = (list(_runs(*edge, panel, box)) for edge in part.edges())
        for low, high in zip(lower, upper, strict=False):
            outline = _path(np.concatenate((high, low[::-1])))
            yield (
                f'<path d="{outline}Z" fill="{PALETTE[part.colour]}"'
                f' fill-opacity="{_n(part.opacity, 2)}"/>'
            )
    elif isinstance(part, Marks):
        for x, y in itertools.chain.from_iterable(_runs(part.x, part.y, panel, box)):
            # A mark on the frame is drawn whole, one beyond it not at all.
            if 0 <= x - box.left <= box.width and 0 <= y - box.top <= box.height:
                yield _mark(part, x, y)


def _runs(x: Numbers, y: Numbers, panel: Panel, box: Box) -> Iterator[Floats]:
    """The points in the units of the drawing, one array a run without holes."""
    if not len(x):
        return
    places = np.stack(
        (box.left + panel.x.place(x) * box.width, box.top + (1 - panel.y.place(y)) * box.height),
        axis=1,
    )
    known = ~(np.isnan(places[:, 0]) | np.isnan(places[:, 1]))
    for run in np.split(np.arange(len(known)), np.flatnonzero(np.diff(known)) + 1):
        if known[run[0]]:
            yield np.round(places[run], 1)


def _path(points: Floats) -> str:
    """Through all points, but for those that nobody could see: on the line between their
    neighbours, to a tenth of a point. Steps are written, as they take fewer digits than places.
    """
    kept = points[np.concatenate(([True], (np.diff(points, axis=0) != 0).any(axis=1)))]
    first = quiet = 0
    while quiet < 2:  # every second point in turn, until neither half has one to drop
        before, here, after = kept[first:-2:2], kept[first + 1 : -1 : 2], kept[first + 2 :: 2]
        along, aside = after - before, here - before
        off = np.abs(along[:, 0] * aside[:, 1] - along[:, 1] * aside[:, 0])
        straight = (off <= UNSEEN * np.hypot(*along.T)) & (
            (aside * (after - here)).sum(axis=1) >= 0
        )
        kept = np.delete(kept, 2 * np.flatnonzero(straight) + first + 1, axis=0)
        first, quiet = 1 - first, 0 if straight.any() else quiet + 1
    places = np.rint(10 * kept).astype(np.int64)
    steps = "".join(f"{_step(x)}{_step(y)}" for x, y in np.diff(places, axis=0).tolist())
    return f"M{_n(kept[0, 0])} {_n(kept[0, 1])}" + (f"l{steps.strip()}" if steps else "")


def _step(tenths: int) -> str:
    text = f"{tenths / 10:g}".replace("0.", ".", 1) if abs(tenths) < 10 else f"{tenths / 10:g}"
    return text if tenths < 0 else f" {text}"


def _stroke_in_svg(line: Line) -> str:
    dash = " ".join(f"{length:g}" for length in DASHES[line.style.dash])
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f' fill="none" stroke="{PALETTE[line.style.colour]}" stroke-width="{line.style.width:g}"'
        f' stroke-linejoin="round"{dashes}'
    )


def _mark(marks: Marks, x: float, y: float) -> str:
    r, colour = marks.size, PALETTE[marks.colour]
    if marks.shape == "circle":
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="{colour}"/>'
    if marks.shape == "cross":
        size = _n(2 * r)
        path = f"M{_n(x - r)} {_n(y - r)}l{size} {size}m-{size} 0l{size} -{size}"
        return f'<path d="{path}" stroke="{colour}" stroke-width="1.4"/>'
    if marks.shape == "square":
        return (
            f'<rect x="{_n(x - r)}" y="{_n(y - r)}" width="{_n(2 * r)}" height="{_n(2 * r)}"'
            f' fill="{colour}"/>'
        )
    return f'<path d="M{_n(x)} {_n(y - r)}l{_n(r)} {_n(2 * r)}h-{_n(2 * r)}Z" fill="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str, more: str = "") -> str:
    extra = f" {more}" if more else ""
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}"'
        f' fill="{colour}"{extra}>{_safe(text)}</text>'
    )


def _safe(text: str, most: int = MOST_NAME) -> str:
    """A user's text as text: nothing that XML does not allow, nothing that turns the direction,
    nothing that is markup.
    """
    return escape(_short(text, most))


def _short(text: str, most: int = MOST_NAME) -> str:
    shown = escaped(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _long(text: str) -> float:
    """About how long a text is; signs of eastern scripts are twice as wide."""
    return sum(2 if ord(letter) > 0x2E80 else 1 for letter in _short(text)) * LETTER


def _n(value: float, digits: int = 1) -> str:
    return f"{round(float(value), digits):g}"
