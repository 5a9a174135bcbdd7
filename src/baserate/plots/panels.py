"""`Panel`: lines, areas, marks and words on two axes, as plain values. A renderer draws them and computes nothing but their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.plots.axes import Axis

# Colours that people with every kind of colour vision tell apart (Okabe & Ito), and dashes beside them.
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
DASHES: dict[str, tuple[float, ...]] = {"solid": (), "dashed": (7, 4), "dotted": (2, 3), "dashdot": (8, 3, 2, 3), "long": (14, 4)}
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
            raise refuse("BR650", f"there is no {quoted(self.colour)} or no {quoted(self.dash)}", f"{', '.join(PALETTE)}; {', '.join(DASHES)}")


REFERENCE = Style("grey", "dashed", 1.2)
FAINT = Style("grey", "solid", 0.8)


def series(place: int) -> Style:
    """The style of the first, second, third curve: colour and dash both change."""
    colours, dashes = [name for name in PALETTE if name != "grey"], list(DASHES)
    return Style(colours[place % len(colours)], dashes[place % len(dashes)])


@dataclass(frozen=True)
class Line:
    """Points joined by straight strokes; NaN breaks the line."""

    x: Numbers
    y: Numbers
    name: str = ""
    style: Style = REFERENCE

    def __post_init__(self) -> None:
        _check(self, "x", "y")


@dataclass(frozen=True)
class Area:
    """What lies between two lines: a band, a bar, a region of a map; `sideways`, `x` are heights, and the two ends lie left and right."""

    x: Numbers
    low: Numbers
    high: Numbers
    name: str = ""
    colour: str = "blue"
    opacity: float = 0.2
    sideways: bool = False

    def __post_init__(self) -> None:
        _check(self, "x", "low", "high")

    def edges(self) -> tuple[tuple[Numbers, Numbers], tuple[Numbers, Numbers]]:
        """The two lines, each as x and y."""
        if self.sideways:
            return (self.low, self.x), (self.high, self.x)
        return (self.x, self.low), (self.x, self.high)


@dataclass(frozen=True)
class Marks:
    """Single points: operating points, cases of a scatter plot."""

    x: Numbers
    y: Numbers
    name: str = ""
    colour: str = "black"
    shape: str = "circle"
    size: float = 5.0

    def __post_init__(self) -> None:
        _check(self, "x", "y")
        if self.shape not in SHAPES:
            raise refuse("BR650", f"there is no shape {quoted(self.shape)}", ", ".join(SHAPES))


@dataclass(frozen=True)
class Words:
    """A text beside a point, moved by so many heights of its letters."""

    x: float
    y: float
    text: str
    colour: str = "black"
    anchor: Anchor = "start"
    across: float = 0.0
    up: float = 0.0


Part = Line | Area | Marks | Words


def _check(part: Any, *columns: str) -> None:
    """Columns become tuples of plain floats, all of one length."""
    for name in columns:
        object.__setattr__(part, name, tuple(np.asarray(getattr(part, name), dtype=np.float64).ravel().tolist()))
    lengths = {len(getattr(part, name)) for name in columns}
    if len(lengths) != 1:
        shown = " and ".join(str(len(getattr(part, name))) for name in columns)
        raise refuse("BR650", f"the columns of a {type(part).__name__.lower()} differ in length: {shown}", "give columns of one length")
    colour = getattr(part, "colour", "black")
    if colour not in PALETTE:
        raise refuse("BR650", f"there is no colour {quoted(colour)}", ", ".join(PALETTE))


class Drawable:
    """What can be drawn: on a page, in a terminal, in a notebook, by matplotlib."""

    def svg(self) -> str:
        """The drawing as the text of an SVG file: nothing in it is loaded from anywhere."""
        from baserate.plots.svg import svg_of

        return svg_of(figure_of(self))

    def save(self, path: str, *, force: bool = False) -> None:
        """Write the SVG; a file that is there is replaced only with `force`."""
        from baserate.atomic import write_atomically
        from baserate.outputs import reserved

        with reserved(path, force=force):
            write_atomically(path, [self.svg().encode()])

    def text(self, width: int = 72, *, ascii_only: bool = False) -> str:
        """The drawing in braille dots, or in plain characters, at most so many columns wide."""
        from baserate.plots.braille import text_of

        return text_of(figure_of(self), width, ascii_only=ascii_only)

    def matplotlib(self, ax: Any = None) -> Any:
        """The drawing on axes of matplotlib, which is needed for this: `pip install "baserate[plots]"`. Gives the axes."""
        from baserate.plots.matplotlib_axes import drawn_on

        return drawn_on(figure_of(self), ax)

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclass(frozen=True)
class Panel(Drawable):
    """One plot: two axes and what is drawn on them, in the order in which it is drawn.

    `says` is for those who cannot see it. `square` axes have one length; without a `frame` neither axes nor ticks are drawn.

    >>> import baserate as br
    >>> panel = br.roc_panel(br.roc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])))
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
        named = {part.name: part for part in reversed(self.parts) if not isinstance(part, Words) and part.name}
        return tuple(reversed(list(named.values())))

    def adding(self, *parts: Part) -> Panel:
        """The same with more drawn over it."""
        return replace(self, parts=(*self.parts, *parts))

    def __repr__(self) -> str:
        return f"Panel {self.title}: {self.y.label} against {self.x.label}, {len(self.parts)} parts"


@dataclass(frozen=True)
class Figure(Drawable):
    """Several panels side by side, so many to a row."""

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
    """A panel alone is a figure too."""
    return drawable if isinstance(drawable, Figure) else Figure("", (drawable,), 1)
