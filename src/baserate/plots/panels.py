"""`Panel`: lines, areas, marks and text as plain values, drawn as SVG, as text for a terminal, or
on matplotlib axes.
"""

from __future__ import annotations

import hashlib
import math
import string
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

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
            column = np.asarray(getattr(self, name), dtype=np.float64).ravel()
            object.__setattr__(self, name, tuple(column.tolist()))
        lengths = [len(getattr(self, name)) for name in self._columns]
        if len(set(lengths)) != 1:
            shown = " and ".join(map(str, lengths))
            raise refuse(
                "BR650",
                f"the columns of a {type(self).__name__.lower()} differ in length: {shown}",
                "give columns of one length",
            )
        for kind, allowed in (("colour", tuple(PALETTE)), ("shape", SHAPES)):
            given = getattr(self, kind, allowed[0])
            if given not in allowed:
                raise refuse("BR650", f"there is no {kind} {quoted(given)}", ", ".join(allowed))


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
Kind = TypeVar("Kind", Line, Area, Marks, Words)


class Drawable:
    """What can be drawn on a page, in a terminal and in a notebook."""

    def svg(self) -> str:
        """The drawing as the text of an SVG file: nothing in it is loaded from anywhere."""
        return draw_svg(figure_of(self))

    def save(self, path: str, *, force: bool = False) -> None:
        """Write the SVG; a file that is there is replaced only with `force`."""
        from baserate.atomic import reserve_output, write_atomically

        with reserve_output(path, force=force):
            write_atomically(path, [self.svg().encode()])

    def text(self, width: int = 72, *, ascii_only: bool = False) -> str:
        """The drawing in braille dots, or in plain characters, at most `width` columns wide."""
        return draw_text(figure_of(self), width, ascii_only=ascii_only)

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
    def legend(self) -> tuple[Line | Area | Marks, ...]:
        """The parts that have a name, each name once."""
        named: dict[str, Line | Area | Marks] = {}
        for part in self.parts:
            if not isinstance(part, Words) and part.name:
                named.setdefault(part.name, part)
        return tuple(named.values())

    def parts_of(self, kind: type[Kind]) -> list[Kind]:
        """The lines, areas, marks or words of this panel."""
        return [part for part in self.parts if isinstance(part, kind)]

    def places(self, x: Numbers, y: Numbers) -> Floats:
        """Where points lie within the frame: each a row, from (0, 0) at the lower left corner to
        (1, 1).
        """
        return np.stack((self.x.place(x), self.y.place(y)), axis=1)

    def matplotlib(self, ax: Any) -> Any:
        """The panel drawn on these axes of matplotlib, such as `plt.subplots()[1]`."""
        draw_on_axes(self, ax)
        return ax

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
# What the renderers share: points along lines, and names beside them.


LETTER = 6.9  # how wide a letter is on average, in points, where it is FONT high
FONT = 13
MOST_NAME = 90
# How far a name stands from its line, and how far any other line has to be; in points.
BESIDE, CLEAR = 10.0, 11.0
MOST_CLEAR = 40.0  # beyond this a place is as good as any other
EVERY = 6.0  # how far apart the places are that are tried along a line
LONGEST = 0.62  # of the frame, for a name inside it


def unbroken_runs(places: Floats) -> Iterator[Floats]:
    """The stretches of a line between its holes."""
    known = ~np.isnan(places.sum(axis=1))
    for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(known)) + 1):
        if len(run) and known[run[0]]:
            yield places[run]


def from_top(places: Floats, width: float, height: float) -> Floats:
    """Places of a frame in units of this size, from its upper left corner."""
    scaled: Floats = (places * (1, -1) + (0, 1)) * (width, height)
    return scaled


def points_along(places: Floats, step: float) -> Floats:
    """Points on a line, each this step from the one before it."""
    found = [np.empty((0, 2))]
    for run in unbroken_runs(places):
        lengths = np.hypot(*np.diff(run, axis=0).T)
        far = np.concatenate(([0.0], np.cumsum(lengths)))
        steps = np.arange(0, far[-1] + step, step)
        found.append(np.stack([np.interp(steps, far, column) for column in run.T], axis=1))
    return np.concatenate(found)


def shorten_text(text: str, most: int = MOST_NAME) -> str:
    """A user's text, of at most `most` letters, without signs that act."""
    shown = escaped(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def text_width(text: str) -> float:
    """About how long a text is; signs of eastern scripts are twice as wide."""
    return sum(2 if ord(letter) > 0x2E80 else 1 for letter in shorten_text(text)) * LETTER


def label_lines(panel: Panel, width: float, height: float) -> dict[str, tuple[float, float]]:
    """Place names beside their lines in a frame of this size: the left end of each, and its
    middle from the top. Each where no other line, mark or name is near; the rest are left to the
    legend.
    """
    if not panel.frame:
        return {}
    lines = panel.parts_of(Line)
    along = []
    for line in lines:
        places = points_along(from_top(panel.places(line.x, line.y), width, height), EVERY)
        along.append(places[((places >= -1) & (places <= (width + 1, height + 1))).all(axis=1)])
    taken = [np.empty((0, 2))]
    all_marks = panel.parts_of(Marks)
    taken += [from_top(panel.places(marks.x, marks.y), width, height) for marks in all_marks]
    for words in panel.parts_of(Words):
        x, y = words_place(panel, words, width, height)
        taken.append(_under_text(x, y - 4, text_width(words.text)))
    found: dict[str, tuple[float, float]] = {}
    for own, line in enumerate(lines):
        long = text_width(line.name)
        alone = sum(line.name == other.name for other in lines) == 1
        if not (line.name and alone and long <= LONGEST * width):
            continue
        others = [places for i, places in enumerate(along) if i != own]
        spot = _clearest_place(along[own], np.concatenate([*others, *taken]), long, (width, height))
        if spot is not None:
            found[line.name] = spot
            taken.append(_under_text(*spot, long))
    return found


def _under_text(x: float, y: float, long: float) -> Floats:
    """Places that a text covers."""
    steps = np.arange(0, long + EVERY, EVERY)
    return np.stack((x + steps, np.full(len(steps), y)), axis=1)


def _clearest_place(
    own: Floats, others: Floats, long: float, frame: tuple[float, float]
) -> tuple[float, float] | None:
    """The place for a name of this length beside a line that is farthest from all others; None
    where none is clear.
    """
    above = [(shift, -BESIDE) for shift in (4.0, -long - 4.0, -long / 2)]
    below = [(shift, BESIDE) for shift, _ in above]
    beside = [(BESIDE, 0.0), (-long - BESIDE, 0.0)]
    places = np.concatenate([own[::2] + np.array([move]) for move in above + below + beside])
    x, y = places.T
    room = FONT / 2 + 2
    fits = (x >= 3) & (x + long <= frame[0] - 3) & (y >= room) & (y <= frame[1] - room)
    places = places[fits]
    places = places[_distance_to(own, places, long) > FONT / 2 - 2]
    if not len(places):
        return None
    far = np.minimum(_distance_to(others, places, long), MOST_CLEAR)
    best = int(far.argmax())
    x, y = places[best].tolist()
    return (x, y) if far[best] > CLEAR else None


def _distance_to(points: Floats, places: Floats, long: float) -> Floats:
    """How far the nearest of these points is from the middle line of a name that begins at each
    place.
    """
    right = points[:, 0] - places[:, :1]
    across = np.maximum(np.maximum(-right, right - long), 0)
    distances = np.hypot(across, points[:, 1] - places[:, 1:])
    nearest: Floats = distances.min(axis=1, initial=math.inf)
    return nearest


def words_place(panel: Panel, words: Words, width: float, height: float) -> tuple[float, float]:
    """Where a text is anchored in a frame of this size, from its upper left corner; in the middle
    where it has no place.
    """
    x, y = np.nan_to_num(panel.places([words.x], [words.y]), nan=0.5)[0].tolist()
    return x * width + words.across * FONT, (1 - y) * height - words.up * FONT


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

    def draw_line(self, places: Floats, *, dotted: bool) -> Floats:
        """Dots along a line, every third of them where it is dotted; gives the places of all that
        lie within the frame.
        """
        dots = np.array((self.columns * 2, self.rows * 4))
        inside: Floats = points_along(places * dots, 1.0) / dots
        inside = inside[((inside >= 0) & (inside <= 1)).all(axis=1)]
        across, up = np.minimum(inside[:: 3 if dotted else 1] * dots, dots - 1).astype(np.intp).T
        down = self.rows * 4 - 1 - up
        np.bitwise_or.at(self.bits, (down // 4, across // 2), DOTS[down % 4, across % 2])
        return inside

    def put(self, place: Floats, sign: str) -> None:
        """One sign over the dots, unless there is another."""
        x, y = place.tolist()
        if 0 <= x <= 1 and 0 <= y <= 1:
            row, column = int((1 - y) * self.rows), int(x * self.columns)
            self.signs.setdefault((min(row, self.rows - 1), min(column, self.columns - 1)), sign)

    def write(self, words: Words, place: Floats) -> None:
        """A text beside a place, moved into the frame, where there is no other sign."""
        x, y = place.tolist()
        text = escaped(words.text)
        shift = {"start": 1, "middle": -(len(text) // 2), "end": -len(text)}[words.anchor]
        first = min(max(int(x * self.columns) + shift, 0), max(self.columns - len(text), 0))
        row = min(max(int((1 - y) * self.rows), 0), self.rows - 1)
        for column, letter in enumerate(text[: self.columns], first):
            self.signs.setdefault((row, column), letter)

    def lines(self) -> Iterator[str]:
        """The rows from the top."""
        for row in range(self.rows):
            yield "".join(
                self.signs.get((row, column)) or self._braille_sign(int(self.bits[row, column]))
                for column in range(self.columns)
            )

    def _braille_sign(self, bits: int) -> str:
        if not bits:
            return " "
        return LAMPS[min(bits.bit_count(), 2) - 1] if self.plain else chr(BLANK + bits)


def draw_text(figure: Figure, width: int, *, ascii_only: bool) -> str:
    """All panels, one below the other."""
    room = min(max(width, NARROWEST), WIDEST)
    heading = [shorten_text(figure.title, room)] if figure.title else []
    blocks = ["\n".join(_panel_in_text(panel, room, plain=ascii_only)) for panel in figure.panels]
    text = "\n\n".join([*heading, *blocks])
    return text.encode("ascii", "replace").decode("ascii") if ascii_only else text


def _panel_in_text(panel: Panel, width: int, *, plain: bool) -> Iterator[str]:
    if not panel.frame:  # a diagram of words has no axes: they are read from top to bottom
        yield from (shorten_text(text, width) for text in (panel.title, panel.says) if text)
        return
    margin = min(max((len(text) for _, text in panel.y.ticks), default=0), 9)
    columns = width - margin - 2
    rows = min(TALLEST, max(6, columns // (3 if panel.square else 4)))
    ticks = {int((1 - at) * (rows - 1) + 0.5): text for at, text in panel.y.placed_ticks()}
    canvas = Canvas(columns, rows, plain=plain)
    names = _fill_canvas(panel, canvas)
    if panel.title:
        yield shorten_text(panel.title, width)
    yield shorten_text(panel.y.label, width)
    bar, corner, floor = ("|", "+", "-") if plain else ("│", "└", "─")
    for row, line in enumerate(canvas.lines()):
        yield f"{ticks.get(row, '')[:margin].rjust(margin)} {bar}{line}".rstrip()
    yield " " * (margin + 1) + corner + floor * columns
    yield _ticks_below(panel, margin + 2, columns)
    below = shorten_text(panel.x.label, width)
    yield below.rjust(min(width, margin + 2 + (columns + len(below)) // 2))
    for name in names:
        yield shorten_text(name, width)


def _fill_canvas(panel: Panel, canvas: Canvas) -> list[str]:
    """Everything on the canvas: marks over lines, and words over both. Gives the letter of each
    line that has a name, with the name.
    """
    for area in panel.parts_of(Area):
        for edge in area.edges():
            canvas.draw_line(panel.places(*edge), dotted=True)
    lettered: list[tuple[str, Line, Floats]] = []
    letters = iter(LETTERS)
    for line in panel.parts_of(Line):
        thin = line.style.width < THIN
        places = canvas.draw_line(panel.places(line.x, line.y), dotted=thin)
        if line.name and not thin:
            lettered.append((next(letters, "*"), line, places))
    for marks in panel.parts_of(Marks):
        for place in panel.places(marks.x, marks.y):
            canvas.put(place, "o" if canvas.plain else "●")
    for turn, (letter, _, places) in enumerate(lettered):
        _put_letter(letter, places, turn, canvas)
    for words in panel.parts_of(Words):
        canvas.write(words, panel.places([words.x], [words.y])[0])
    return [f"{letter}  {line.name}" for letter, line, _ in lettered]


def _put_letter(letter: str, places: Floats, turn: int, canvas: Canvas) -> None:
    """A letter three times along a line; those of the next line elsewhere, so that lines that run
    together keep theirs.
    """
    for share in (0.1, 0.4, 0.7) if len(places) else ():
        canvas.put(places[int((share + 0.06 * (turn % 5)) * (len(places) - 1))], letter)


def _ticks_below(panel: Panel, margin: int, columns: int) -> str:
    """The ticks of the lower axis, as many as there is room for."""
    line = [" "] * (margin + columns)
    taken = -1
    for at, text in panel.x.placed_ticks():
        middle = margin + int(at * (columns - 1))
        first = min(max(middle - len(text) // 2, 0), len(line) - len(text))
        if first > taken:
            line[first : first + len(text)] = text
            taken = first + len(text)
    return "".join(line).rstrip()


# ----------------------------------------------------------------------
# Panels on axes of matplotlib.


MARKERS = {"circle": "o", "square": "s", "triangle": "^", "cross": "x"}
# Labels are placed for letters of FONT; small ones are 8.33 points high here.
POINTS_PER_INCH = FONT / 8.33 * 72


def draw_on_axes(panel: Panel, ax: Any) -> None:
    """Draw a panel on the axes given."""
    if not hasattr(ax, "transData"):
        raise refuse(
            "BR650",
            f"ax must be axes of matplotlib, got {quoted(type(ax).__name__)}",
            "plt.subplots()[1]",
        )
    for part in panel.parts:
        _add_part(part, ax)
    above = any(
        words.up > 0 and panel.y.place([words.y])[0] > 0.99 for words in panel.parts_of(Words)
    )
    title = _without_markup(panel.title)
    ax.set_title(title, loc="left", fontsize="medium", pad=18 if above else None)
    if not panel.frame:
        ax.set_axis_off()
    for name, axis in (("x", panel.x), ("y", panel.y)):
        _set_scale(ax, name, axis)
    if panel.square:
        ax.set_box_aspect(1)
    _add_names(panel, ax)


def _add_names(panel: Panel, ax: Any) -> None:
    """Names beside their lines, and the others in a legend."""
    box, inches = ax.get_position(), ax.figure.get_size_inches()
    width = box.width * inches[0] * POINTS_PER_INCH
    height = box.height * inches[1] * POINTS_PER_INCH
    if panel.square:
        width = height = min(width, height)
    labels = label_lines(panel, width, height)
    for line in panel.parts_of(Line):
        if line.name in labels:
            x, y = labels[line.name]
            ax.text(
                x / width,
                1 - y / height,
                _without_markup(line.name),
                transform=ax.transAxes,
                color=_text_colour(line.style.colour),
                va="center",
                fontsize="small",
            )
    beside = {_without_markup(name) for name in labels}
    handles, names = ax.get_legend_handles_labels()
    listed = [pair for pair in zip(handles, names, strict=True) if pair[1] not in beside]
    if listed:
        ax.legend(*zip(*listed, strict=True), loc="best", fontsize="small")


def _set_scale(ax: Any, name: str, axis: Axis) -> None:
    if axis.scale == "log":
        getattr(ax, f"set_{name}scale")("log", nonpositive="clip")
    elif axis.scale == "deviate":
        from scipy.special import ndtr, ndtri

        # Beyond the axis the deviates of 0 and 1 are infinite: they are held at its ends.
        low, high = axis.low / 10, 1 - (1 - axis.high) / 10
        to_deviates = (lambda rate: ndtri(np.clip(rate, low, high)), ndtr)
        getattr(ax, f"set_{name}scale")("function", functions=to_deviates)
    ax.set(**{f"{name}lim": (axis.low, axis.high), f"{name}label": _without_markup(axis.label)})
    set_ticks = getattr(ax, f"set_{name}ticks")
    set_ticks([value for value, _ in axis.ticks], [text for _, text in axis.ticks], minor=False)
    set_ticks([], minor=True)


def _add_part(part: Part, ax: Any) -> None:
    if isinstance(part, Words):
        ax.annotate(
            _without_markup(part.text),
            (part.x, part.y),
            (part.across * 10, part.up * 10),
            textcoords="offset points",
            color=PALETTE[part.colour],
            ha={"start": "left", "middle": "center", "end": "right"}[part.anchor],
            fontsize="small",
        )
        return
    name = _without_markup(part.name)
    if not name or name in ax.get_legend_handles_labels()[1]:
        name = "_nolegend_"
    if isinstance(part, Line):
        # Lengths of a dash are in points here, and in widths of the line there.
        width = part.style.width
        dash = tuple(length / max(width, 0.1) for length in DASHES[part.style.dash])
        pattern = (0, dash) if dash else "solid"
        colour = PALETTE[part.style.colour]
        ax.plot(part.x, part.y, color=colour, linestyle=pattern, linewidth=width, label=name)
        return
    colour = PALETTE[part.colour]
    if isinstance(part, Area):
        fill = ax.fill_betweenx if part.sideways else ax.fill_between
        ends = part.x, part.low, part.high
        fill(*ends, color=colour, alpha=part.opacity, linewidth=0, label=name)
    else:
        size, marker = math.pi * part.size**2 / 2, MARKERS[part.shape]
        ax.scatter(part.x, part.y, s=size, color=colour, marker=marker, zorder=3, label=name)


def _without_markup(text: str) -> str:
    """A user's text as it is: matplotlib would read dollars as mathematics, and leave out names
    that begin with a line.
    """
    shown = escaped(text).replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown


# ----------------------------------------------------------------------
# Panels as SVG: one text without scripts, styles or anything loaded from elsewhere. Text stays
# text, and what users named is escaped.


SQUARE, WIDE = (300, 300), (440, 270)
GAP, ROW, SAMPLE = 26, 19, 30
KEY = "\0"  # a placeholder that no escaped text can hold
UNSEEN = 0.1  # how far off a line, in points, nobody sees
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
HALO = {"paint_order": "stroke", "stroke": "#fff", "stroke_width": 3, "stroke_linejoin": "round"}
FRAME, TICK_TEXT, INK = "#888", "#555", "#000"


class Box(NamedTuple):
    """Where the frame of a panel lies within its cell, and how large both are."""

    left: float
    top: float
    width: float
    height: float
    cell_width: float
    cell_height: float
    labels: dict[str, tuple[float, float]]

    def points(self, panel: Panel, x: Numbers, y: Numbers) -> Floats:
        """Points in the units of the drawing, from the upper left corner of the frame."""
        return from_top(panel.places(x, y), self.width, self.height)


def draw_svg(figure: Figure) -> str:
    """The whole figure."""
    parts: list[str] = []
    top, width = 8.0, 24 + text_width(figure.title) * 1.1
    if figure.title:
        parts.append(_text_element(12, 22, figure.title, font_weight="bold"))
        top = 34.0
    for row in figure.rows():
        boxes = [_box_of(panel) for panel in row]
        left = 0.0
        for panel, box in zip(row, boxes, strict=True):
            content = _panel_in_svg(panel, box, clip=f"{KEY}-c{len(parts)}")
            parts.append(_xml_group("g", content, transform=_translate_to(left, top)))
            left += box.cell_width + GAP
        width = max(width, left - GAP)
        top += max(box.cell_height for box in boxes) + 8
    # Drawings on one page need names of their own for their clips: that of what is drawn.
    key = "p" + hashlib.sha256("".join(parts).encode("utf-8", "replace")).hexdigest()[:10]
    title = figure.title or figure.panels[0].title
    says = " ".join(f"{panel.says or panel.title}." for panel in figure.panels)
    parts = [
        _xml_element("title", escape(shorten_text(title, 200)), id=f"{key}-title"),
        _xml_element("desc", escape(shorten_text(says, 2000)), id=f"{key}-desc"),
        _xml_element("rect", width="100%", height="100%", fill="#fff"),
        *(part.replace(KEY, key) for part in parts),
    ]
    drawing = _xml_group(
        "svg",
        parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_format_number(width)} {_format_number(top)}",
        width=width,
        height=top,
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
        font_family="system-ui, sans-serif",
        font_size=FONT,
    )
    return drawing + "\n"


def _xml_element(tag: str, content: str = "", **attributes: Any) -> str:
    """An element of XML: numbers are rounded, and lines in the names of attributes are dashes."""
    written = "".join(
        f' {name.replace("_", "-")}="{value if isinstance(value, str) else _format_number(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def _xml_group(tag: str, parts: list[str], **attributes: Any) -> str:
    """An element that holds others, each on a line of its own."""
    return _xml_element(tag, "\n".join(("", *parts, "")), **attributes)


def _translate_to(left: float, top: float) -> str:
    """The transformation that draws from another corner."""
    return f"translate({_format_number(left)} {_format_number(top)})"


def _format_number(value: float) -> str:
    return f"{round(float(value), 1):g}"


def _text_element(x: float, y: float, text: str, *, fill: str = INK, **more: Any) -> str:
    return _xml_element("text", escape(shorten_text(text)), x=x, y=y, fill=fill, **more)


def _text_colour(colour: str) -> str:
    """A colour of the palette for text."""
    return DARK.get(colour, PALETTE[colour])


def _box_of(panel: Panel) -> Box:
    """Room for ticks and labels, and for words that reach beyond the frame."""
    width, height = SQUARE if panel.square else WIDE
    left, right, above, below = 12.0, 16.0, 0.0, 6.0
    if panel.frame:
        left += _tick_room(panel) + 8 + (22 if panel.y.label else 0)
        below = 22 + (22 if panel.x.label else 0)
    for words in panel.parts_of(Words):
        x, y = words_place(panel, words, width, height)
        long = text_width(words.text)
        begin = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[words.anchor] * long
        left, right = max(left, 8 - begin), max(right, begin + long - width + 8)
        if 0 <= x <= width:
            above = max(above, FONT - y)
    labels = label_lines(panel, width, height)
    listed = [part.name for part in panel.legend if part.name not in labels]
    names = [text_width(name) + SAMPLE + 22 for name in listed]
    heading = _heading_lines(panel, left + width + right)
    top = len(heading) * ROW + 6 + above
    return Box(
        left,
        top,
        width,
        height,
        max(left + width + right, left + text_width(panel.x.label), *names),
        top + height + below + (len(listed) * ROW + 6 if listed else 0),
        labels,
    )


def _tick_room(panel: Panel) -> float:
    return max((text_width(text) for _, text in panel.y.ticks), default=0.0)


def _heading_lines(panel: Panel, room: float) -> list[str]:
    return textwrap.wrap(shorten_text(panel.title), max(20, int((room - 12) / LETTER)))


def _panel_in_svg(panel: Panel, box: Box, clip: str) -> list[str]:
    heading = _heading_lines(panel, box.cell_width)
    lines = [_text_element(12, (row + 1) * ROW - 4, line) for row, line in enumerate(heading)]
    inside = list(_lines_and_areas(panel, box))
    if panel.frame:
        # A line along the frame is seen in its whole width.
        seen = _xml_element("rect", x=-1, y=-1, width=box.width + 2, height=box.height + 2)
        inside = [
            _xml_element("clipPath", seen, id=clip),
            *_axes_in_svg(panel, box),
            _xml_group("g", inside, clip_path=f"url(#{clip})"),
            _xml_element("rect", width=box.width, height=box.height, fill="none", stroke=FRAME),
        ]
    inside += _marks_and_words(panel, box)
    frame = _xml_group("g", inside, transform=_translate_to(box.left, box.top))
    return [*lines, frame, *_legend_in_svg(panel, box)]


def _lines_and_areas(panel: Panel, box: Box) -> Iterator[str]:
    for part in panel.parts:
        if isinstance(part, Line):
            runs = unbroken_runs(box.points(panel, part.x, part.y))
            path = "".join(_path_data(run) for run in runs)
            if path:
                yield _line_element(path, part.style)
        elif isinstance(part, Area):
            lower, upper = (unbroken_runs(box.points(panel, *edge)) for edge in part.edges())
            for low, high in zip(lower, upper, strict=False):
                yield _area_element(f"{_path_data(np.concatenate((high, low[::-1])))}Z", part)


def _marks_and_words(panel: Panel, box: Box) -> Iterator[str]:
    for marks in panel.parts_of(Marks):
        for x, y in box.points(panel, marks.x, marks.y).tolist():
            # A mark on the frame is drawn whole, one beyond it not at all.
            if 0 <= x <= box.width and 0 <= y <= box.height:
                yield _mark_element(marks, x, y)
    for words in panel.parts_of(Words):
        x, y = words_place(panel, words, box.width, box.height)
        colour = _text_colour(words.colour)
        yield _text_element(x, y, words.text, fill=colour, text_anchor=words.anchor, **HALO)
    for line in panel.parts_of(Line):
        if line.name in box.labels:
            x, y = box.labels[line.name]
            yield _text_element(x, y + 4.5, line.name, fill=_text_colour(line.style.colour), **HALO)


def _axes_in_svg(panel: Panel, box: Box) -> Iterator[str]:
    for at, text in panel.x.placed_ticks():
        x = at * box.width
        yield _xml_element(
            "path", d=f"M{_format_number(x)} {_format_number(box.height)}v4", stroke=FRAME
        )
        yield _text_element(x, box.height + 18, text, fill=TICK_TEXT, text_anchor="middle")
    for at, text in panel.y.placed_ticks():
        y = (1 - at) * box.height
        yield _xml_element("path", d=f"M-4 {_format_number(y)}h4", stroke=FRAME)
        yield _text_element(-8, y + 4.5, text, fill=TICK_TEXT, text_anchor="end")
    if panel.x.label:
        yield _text_element(box.width / 2, box.height + 38, panel.x.label, text_anchor="middle")
    if panel.y.label:
        turned = f"{_translate_to(-_tick_room(panel) - 18, box.height / 2)} rotate(-90)"
        yield _text_element(0, 0, panel.y.label, text_anchor="middle", transform=turned)


def _legend_in_svg(panel: Panel, box: Box) -> Iterator[str]:
    listed = [part for part in panel.legend if part.name not in box.labels]
    for place, part in enumerate(listed):
        y = box.cell_height - (len(listed) - place) * ROW + 6
        if isinstance(part, Line):
            yield _line_element(f"M12 {_format_number(y)}h{SAMPLE}", part.style)
        elif isinstance(part, Area):
            yield _area_element(f"M12 {_format_number(y - 6)}h{SAMPLE}v12h-{SAMPLE}Z", part)
        else:
            yield _mark_element(part, 12 + SAMPLE / 2, y)
        yield _text_element(12 + SAMPLE + 8, y + 4.5, part.name)


def _line_element(path: str, style: Style) -> str:
    more = {"stroke_dasharray": " ".join(f"{length:g}" for length in DASHES[style.dash])}
    return _xml_element(
        "path",
        d=path,
        fill="none",
        stroke=PALETTE[style.colour],
        stroke_width=style.width,
        stroke_linejoin="round",
        **(more if DASHES[style.dash] else {}),
    )


def _area_element(path: str, area: Area) -> str:
    colour, opacity = PALETTE[area.colour], f"{area.opacity:.2g}"
    return _xml_element("path", d=path, fill=colour, fill_opacity=opacity)


def _mark_element(marks: Marks, x: float, y: float) -> str:
    size, colour = marks.size, PALETTE[marks.colour]
    if marks.shape == "circle":
        return _xml_element("circle", cx=x, cy=y, r=size, fill=colour)
    left, top, side = _format_number(x - size), _format_number(y - size), _format_number(2 * size)
    if marks.shape == "cross":
        path = f"M{left} {top}l{side} {side}m-{side} 0l{side} -{side}"
        return _xml_element("path", d=path, stroke=colour, stroke_width=1.4)
    if marks.shape == "square":
        return _xml_element("path", d=f"M{left} {top}h{side}v{side}h-{side}Z", fill=colour)
    path = f"M{_format_number(x)} {top}l{_format_number(size)} {side}h-{side}Z"
    return _xml_element("path", d=path, fill=colour)


def _path_data(points: Floats) -> str:
    """A path through these points. Steps are written, as they take fewer digits than places."""
    tenths = np.rint(10 * _corners_of(points)).astype(np.int64)
    (x, y), steps = tenths[0] / 10, np.diff(tenths, axis=0) / 10
    written = " ".join(f"{step:g}" for step in steps.ravel().tolist())
    return f"M{x:g} {y:g}" + (f"l{written}" if written else "")


def _corners_of(points: Floats) -> Floats:
    """Without the points that nobody could see on the line through those that stay (the algorithm
    of Ramer, Douglas and Peucker).
    """
    kept = {0, len(points) - 1}
    stretches = [(0, len(points) - 1)]
    while stretches:
        start, end = stretches.pop()
        if end - start < 2:
            continue
        along, aside = points[end] - points[start], points[start + 1 : end] - points[start]
        share = np.clip(aside @ along / max(along @ along, 1e-9), 0, 1)
        off = np.hypot(*(aside - share[:, None] * along).T)
        farthest = int(off.argmax())
        if off[farthest] > UNSEEN:
            corner = start + 1 + farthest
            kept.add(corner)
            stretches += [(start, corner), (corner, end)]
    return points[sorted(kept)]
