"""Panels on axes of matplotlib, which is loaded only here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baserate.errors import escaped, quoted, refuse
from baserate.plots.axes import Axis
from baserate.plots.panels import DASHES, PALETTE, Area, Figure, Line, Marks, Panel, Part, Words

MARKERS = {"circle": "o", "square": "s", "triangle": "^", "cross": "x"}


def drawn_on(figure: Figure, ax: Any = None) -> Any:
    """One panel on the axes given, or on new ones; several on a new figure, or on as many axes. Gives axes, or an array of them."""
    several = isinstance(ax, np.ndarray | Sequence)
    axes = _new_axes(figure) if ax is None else list(np.ravel(ax)) if several else [ax]
    if len(axes) != len(figure.panels):
        raise refuse("BR652", f"{len(figure.panels)} panels need as many axes, got {len(axes)}", "leave ax out, or give one for each panel")
    for panel, one in zip(figure.panels, axes, strict=True):
        if not hasattr(one, "transData"):
            raise refuse("BR652", f"ax must be axes of matplotlib, got {quoted(type(one).__name__)}", "plt.subplots()[1]")
        _draw(panel, one)
    return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def _new_axes(figure: Figure) -> list[Any]:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise refuse("BR652", "matplotlib is not installed", 'pip install "baserate[plots]", or panel.svg()') from None
    rows = figure.rows()
    wide = [5.0 if panel.square else 6.5 for panel in rows[0]]
    made, grid = plt.subplots(len(rows), len(rows[0]), figsize=(sum(wide), 5.0 * len(rows)), squeeze=False, layout="constrained")
    if figure.title:
        made.suptitle(_plain(figure.title))
    axes = list(grid.ravel())
    for spare in axes[len(figure.panels) :]:
        spare.set_visible(False)
    return axes[: len(figure.panels)]


def _draw(panel: Panel, ax: Any) -> None:
    for part in panel.parts:
        _add(part, ax)
    above = any(isinstance(part, Words) and part.up > 0 and panel.y.place([part.y])[0] > 0.99 for part in panel.parts)
    ax.set_title(_plain(panel.title), loc="left", fontsize="medium", pad=18 if above else None)
    if not panel.frame:
        ax.set_axis_off()
    for name, axis in (("x", panel.x), ("y", panel.y)):
        _scale(ax, name, axis)
    if panel.square:
        ax.set_box_aspect(1)
    if panel.legend:
        ax.legend(loc="best", fontsize="small")


def _scale(ax: Any, name: str, axis: Axis) -> None:
    if axis.scale == "log":
        getattr(ax, f"set_{name}scale")("log", nonpositive="clip")
    elif axis.scale == "deviate":
        from scipy.special import ndtr, ndtri

        # Beyond the axis the deviates of 0 and 1 are infinite: they are held at its ends.
        low, high = axis.low / 10, 1 - (1 - axis.high) / 10
        getattr(ax, f"set_{name}scale")("function", functions=(lambda rate: ndtri(np.clip(rate, low, high)), ndtr))
    getattr(ax, f"set_{name}lim")(axis.low, axis.high)
    getattr(ax, f"set_{name}ticks")([value for value, _ in axis.ticks], [text for _, text in axis.ticks], minor=False)
    getattr(ax, f"set_{name}ticks")([], minor=True)
    getattr(ax, f"set_{name}label")(_plain(axis.label))


def _add(part: Part, ax: Any) -> None:
    named = {} if isinstance(part, Words) else {"label": _plain(part.name) if part.name and _new(part.name, ax) else "_nolegend_"}
    if isinstance(part, Line):
        dash = DASHES[part.style.dash]
        # Lengths of a dash are in points here, and in widths of the line there.
        pattern = (0, tuple(length / max(part.style.width, 0.1) for length in dash)) if dash else "solid"
        ax.plot(part.x, part.y, color=PALETTE[part.style.colour], linestyle=pattern, linewidth=part.style.width, **named)
    elif isinstance(part, Area):
        fill = ax.fill_betweenx if part.sideways else ax.fill_between
        fill(part.x, part.low, part.high, color=PALETTE[part.colour], alpha=part.opacity, linewidth=0, **named)
    elif isinstance(part, Marks):
        size = math.pi * part.size**2 / 2
        ax.scatter(part.x, part.y, s=size, color=PALETTE[part.colour], marker=MARKERS[part.shape], zorder=3, **named)
    else:
        place = (part.across * 10, part.up * 10)
        where = {"start": "left", "middle": "center", "end": "right"}[part.anchor]
        ax.annotate(
            _plain(part.text), (part.x, part.y), place, textcoords="offset points", color=PALETTE[part.colour], ha=where, fontsize="small"
        )


def _new(name: str, ax: Any) -> bool:
    """Whether the legend does not have this name yet."""
    return _plain(name) not in ax.get_legend_handles_labels()[1]


def _plain(text: str) -> str:
    """A user's text as it is: matplotlib would read dollars as mathematics, and leave out names that begin with a line."""
    shown = escaped(text).replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown
