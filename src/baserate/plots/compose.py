"""From finished curves to the parts of a panel: names, styles, axes, and lines as exact as the
drawing shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from baserate.curves.curve import Curve, halve_edges
from baserate.curves.named import CURVES, axis_label
from baserate.errors import quoted, refuse
from baserate.inference.bands import Band
from baserate.measures.confusion import measure
from baserate.numbers import Floats
from baserate.plots.axes import Axis, linear_axis, spanning_axis
from baserate.plots.panels import DASHES, Area, Line, Marks, Panel, Part, Style, Words, series_style
from baserate.results.operating_point import OperatingPoint

AnyCurves = Curve | Sequence[Curve] | Mapping[str, Any]
Chosen = OperatingPoint | Sequence[OperatingPoint] | Mapping[str, OperatingPoint]

# Finer than any screen shows a panel; what lies closer together than this share of an axis is one
# place.
PIXELS = 1024
MOST_PLACES = 4 * PIXELS
SHARES = (
    "fpr",
    "tpr",
    "fnr",
    "tnr",
    "fdr",
    "posfrac",
    "precision",
    "npv",
    "effective_prior",
    "cost_share",
    "mean_score",
    "positive_share",
)
# Where a curve would otherwise touch the frame.
ROOMY = ("expected_cost", "cost", "threshold")


class NamedCurve(NamedTuple):
    """A curve, what the legend calls it, and how it is drawn."""

    name: str
    curve: Curve
    style: Style


class Space(NamedTuple):
    """The axes of a panel, and what lies behind its curves."""

    x: Axis
    y: Axis
    behind: Sequence[Part] = ()
    square: bool = True


def check_kind(value: Any, kind: type, what: str, fix: str) -> None:
    """Refuse what is of another type."""
    if not isinstance(value, kind):
        raise refuse("BR650", f"{what} is needed, got {type(value).__name__}", fix)


def name_curves(curves: AnyCurves, kinds: Sequence[str] = ()) -> list[NamedCurve]:
    """The curves with their names: of models, or of the base rates of a family, or both. Where
    `kinds` are named, curves of these only.
    """
    if isinstance(curves, Mapping):
        groups = {
            str(name): [given] if isinstance(given, Curve) else list(given)
            for name, given in curves.items()
        }
    else:
        groups = {"": [curves] if isinstance(curves, Curve) else list(curves)}
    found = [NamedCurve(*each) for each in _style_groups(groups)]
    if not found:
        raise refuse(
            "BR650", "there is no curve to draw", 'roc_panel(roc(counts)), or {"name": curve}'
        )
    for one in found:
        if kinds and one.curve.name not in kinds:
            raise refuse(
                "BR650",
                f"a curve {quoted(one.curve.name)} does not belong here",
                f"give {' or '.join(kinds)}, or draw it by curve_panel",
            )
    return found


def _style_groups(groups: Mapping[str, list[Any]]) -> Iterable[tuple[str, Curve, Style]]:
    """Where models have several curves each, colours tell the models apart and dashes the
    conditions; else both change together.
    """
    several, place = len(groups) > 1 and any(len(group) > 1 for group in groups.values()), 0
    for model, (name, group) in enumerate(groups.items()):
        for dash, curve in enumerate(group):
            check_kind(curve, Curve, "a curve", "roc(counts), pr(counts, at=at)")
            style = (
                Style(series_style(model).colour, list(DASHES)[dash % len(DASHES)])
                if several
                else series_style(place)
            )
            where = conditions_of(curve) if len(group) > 1 else ""
            yield ", ".join(filter(None, (name, where))), curve, style
            place += 1


def conditions_of(curve: Curve) -> str:
    """The base rate that a curve is read at, in words."""
    return "" if curve.at is None or curve.at.prior is None else f"base rate {curve.at.prior:.6g}"


def axis_of(label: str, values: Iterable[Any], *, log: bool = False) -> Axis:
    """The axis of a measure: shares from 0 to 1, anything else as far as its values reach."""
    shown = axis_label(label)
    every = np.concatenate([np.asarray(column, dtype=np.float64).ravel() for column in values])
    if log:
        return spanning_axis(shown, every, log=True)
    if label in SHARES:
        return linear_axis(shown)
    if label == "normalized_cost":
        return linear_axis(shown, 0.0, 0.5 if not (every > 0.5).any() else 1.0)
    if label == "lift":
        return linear_axis(shown, 0.0, max(float(np.nanmax(every)), 1.0) * 1.05)
    return spanning_axis(shown, every, room=0.04 if label in ROOMY else 0.0)


def points_to_draw(curve: Curve, x: Axis, y: Axis) -> tuple[Floats, Floats]:
    """The points to draw: with others between them where an edge is long on these axes, so that
    the line is true there, and without those that fall together.
    """
    across, up = curve.x, curve.y
    if curve.name in CURVES and curve.x_label == "threshold":
        across, up = stair_points(across, up)
    between = curve.between
    if between is not None and curve.has_edges and len(curve) <= MOST_PLACES:

        def placed(edges: Any, shares: Any) -> tuple[Floats, Floats]:
            there = between(edges, shares)
            return x.place(there[0]), y.place(there[1])

        across, up = between(*halve_edges(x.place(across), y.place(up), placed, PIXELS // 4))
    kept = visible_points(x.place(across), y.place(up))
    return across[kept], up[kept]


def stair_points(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """What holds from each score down to the next lower one, as steps; scores fall."""
    if len(x) < 2:
        return x, y
    return np.append(np.repeat(x, 2)[1:], x[-1]), np.repeat(y, 2)


def visible_points(x: Floats, y: Floats) -> Any:
    """Which points are distinguished at this size: of many in one column, the first, the lowest,
    the highest and the last.
    """
    if len(x) <= MOST_PLACES:
        return np.arange(len(x))
    holes = np.isnan(x) | np.isnan(y)
    columns = np.where(holes, -1, np.nan_to_num(x) * PIXELS).astype(np.int64)
    starts = np.flatnonzero(np.diff(columns, prepend=-2))
    order = np.lexsort((y, np.repeat(np.arange(len(starts)), np.diff(starts, append=len(x)))))
    ends = np.append(starts[1:], len(x)) - 1
    return np.unique(np.concatenate((starts, order[starts], order[ends], ends)))


def marks_of(points: Chosen, x: str, y: str, height: Axis, *, labelled: bool = False) -> list[Part]:
    """Operating points where they lie on the axes of these two measures; labelled, with the value
    on the second.
    """
    if isinstance(points, OperatingPoint):
        points = [points]
    given = (
        list(points.items()) if isinstance(points, Mapping) else [("", point) for point in points]
    )
    parts: list[Part] = []
    for name, point in given:
        place = _read_measure(point, x), _read_measure(point, y)
        words = [name] if name else []
        words += [f"{place[1]:.3g}"] if labelled else []
        parts.append(Marks(place[:1], place[1:]))
        if words:
            up = 0.5 if height.place(place[1]) < 0.12 else -0.9
            parts.append(Words(*place, ": ".join(words), across=0.7, up=up))
    return parts


def _read_measure(point: Any, axis: str) -> float:
    check_kind(point, OperatingPoint, "an operating point", "choose(counts, at=at)")
    if axis == "threshold":
        return float("nan") if point.threshold is None else float(point.threshold)
    return float(measure(point.confusion, axis, at=point.at))


def bands_of(
    bands: Band | Sequence[Band],
    labels: tuple[str, str] | None = None,
    style: Callable[[int], Style] = series_style,
) -> list[Part]:
    """Each band as an area in the colour of its curve; what is read along the upright axis of the
    panel lies sideways.
    """
    every = [bands] if isinstance(bands, Band) else list(bands)
    for one in every:
        check_kind(one, Band, "a band", 'band(counts, "roc")')
        if labels is not None and {one.x_label, one.y_label} != set(labels):
            raise refuse(
                "BR650",
                f"a band of {one.y_label} along {one.x_label} does not belong to {labels[1]}"
                f" against {labels[0]}",
                "give the band of the curve that is drawn",
            )
    turned = [labels is not None and one.x_label != labels[0] for one in every]
    return [
        Area(one.x, one.low, one.high, "", style(place).colour, sideways=turned[place])
        for place, one in enumerate(every)
    ]


def axes_of(
    found: Sequence[NamedCurve], log: tuple[bool, bool] = (False, False)
) -> tuple[Axis, Axis]:
    """Axes that hold all these curves."""
    first = found[0].curve
    return (
        axis_of(first.x_label, [one.curve.x for one in found], log=log[0]),
        axis_of(first.y_label, [one.curve.y for one in found], log=log[1]),
    )


def panel_of(
    found: list[NamedCurve],
    space: Space,
    title: str | None = None,
    *,
    points: Chosen = (),
    bands: Band | Sequence[Band] = (),
    labelled: bool = False,
) -> Panel:
    """Curves in their space, over their bands and whatever else lies behind them, and under
    operating points.
    """
    first = found[0].curve
    labels = first.x_label, first.y_label
    for one in found:
        if (one.curve.x_label, one.curve.y_label) != labels:
            raise refuse(
                "BR650",
                f"{one.curve.name} and {first.name} have different axes",
                "draw each in a panel of its own",
            )
    if title is None:
        title = CURVES[first.name].title if first.name in CURVES else ""
    title = title or f"{labels[1]} against {labels[0]}"
    x, y = space.x, space.y
    parts = (
        *bands_of(bands, labels, lambda i: found[i % len(found)].style),
        *space.behind,
        *(Line(*points_to_draw(one.curve, x, y), one.name, one.style) for one in found),
        *marks_of(points, *labels, y, labelled=labelled),
    )
    return Panel(
        title, x, y, parts, describe_panel(title, x, y, [one.name for one in found]), space.square
    )


def describe_panel(title: str, x: Axis, y: Axis, names: Iterable[str] = ()) -> str:
    """A panel in words."""
    listed = ", ".join(filter(None, names))
    return f"{title}: {y.label} against {x.label}" + (f", for {listed}" if listed else "")
