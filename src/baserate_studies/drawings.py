"""Figures that only the sources ask for: isolines by their angle, the way from the ROC to the
B-ROC, strips of a weighted AUC, densities with a threshold, and cases of two features.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

import baserate as br
from baserate.extend import grouped
from baserate.plots import (
    Area,
    Axis,
    Figure,
    Line,
    Marks,
    Panel,
    Style,
    Words,
    linear_axis,
    roc_panel,
    series_style,
    spanning_axis,
)

ANGLES = (0.0, 9.0, 18.0, 27.0, 36.0, 45.0)
SAMPLES = 200
SMALL_PRIOR = 0.01
FAINT = Style("grey", "solid", 0.8)
FPR, TPR, FDR = (
    "false alarm rate (fpr)",
    "recall (tpr)",
    "share of alerts that are false (fdr, B_FA)",
)
VALUES = {"precision": "precision (purity, PPV)", "npv": "negative predictive value (npv)"}
Part = Area | Line | Marks | Words
CLASSES = (("positive", "vermillion"), ("negative", "blue"))


def isoline_figure(measure: Literal["precision", "npv"], at: Sequence[br.Conditions]) -> Figure:
    """The fan of isolines by their angle, and the value of each angle at these base rates. Cárdenas
    & Baras 2006, Figs 1 and 2.
    """
    of_precision = measure == "precision"
    fan: list[Part] = []
    for angle in ANGLES:
        tangent = br.curves.isoline(measure, at[0], angle=angle).tangent
        end = (tangent, 1.0) if of_precision else (0.0, 1 - tangent)
        corner = (0.0, 0.0) if of_precision else (1.0, 1.0)
        fan.append(Line((corner[0], end[0]), (corner[1], end[1]), "", Style("blue", "solid", 1.4)))
        if of_precision:
            fan.append(Words(*end, f"{angle:g}°", "blue", "middle", up=0.4))
        else:
            fan.append(Words(*end, f"{angle:g}°", "blue", "start", 0.4, 0.45))
    letter = "θ from the axis fpr = 0" if of_precision else "φ from the line tpr = 1"
    x, y = linear_axis(FPR), linear_axis(TPR)
    left = Panel(
        f"Isolines at the angle {letter}", x, y, tuple(fan), _in_words("Isolines by angle", x, y)
    )
    degrees = np.linspace(0.0, 45.0, 181)
    columns = [
        [br.curves.isoline(measure, one, angle=float(angle)).value for angle in degrees]
        for one in at
    ]
    small = of_precision and min(map(min, columns)) < SMALL_PRIOR
    across = linear_axis("angle in degrees", 0.0, 45.0)
    up = spanning_axis(VALUES[measure], np.concatenate(columns), log=small)
    curves = tuple(
        Line(degrees, column, f"base rate {one.prior:.6g}", series_style(i))
        for i, (one, column) in enumerate(zip(at, columns, strict=True))
    )
    title = VALUES[measure]
    right = Panel(title, across, up, curves, _in_words(title, across, up))
    return Figure(f"{measure} by the angle of its isoline", (left, right))


def broc_mapping_figure(at: br.Conditions, hull: br.Curve) -> Figure:
    """Where the edges and the diagonal of the ROC square go in the B-ROC, and where a hull goes.
    Cárdenas & Baras 2006, Fig. 5.
    """
    way = np.linspace(0.0, 1.0, SAMPLES + 1)
    rising = np.linspace(0.002, 1.0, SAMPLES + 1)  # (0, 0) itself has no place of its own
    fine = np.concatenate(([0.0], np.geomspace(1e-9, 1.0, SAMPLES)))
    whole, ones = np.ones(SAMPLES + 1), np.zeros(SAMPLES + 1)
    edges = [
        ("no false alarm: fpr = 0", ones, rising),
        ("every positive found: tpr = 1", fine, whole),
        ("guessing: tpr = fpr", rising, rising),
    ]
    left = [Line(x, y, name, series_style(i)) for i, (name, x, y) in enumerate(edges)]
    right = [_mapped(x, y, at, series_style(i)) for i, (_, x, y) in enumerate(edges)]
    for height in (0.25, 0.5, 0.75):
        left.append(Line(way, whole * height, "", FAINT))
        right.append(_mapped(fine, whole * height, at, FAINT))
    dense = hull.densified(SAMPLES)
    shown = dense.y > 0
    left.append(Line(dense.x, dense.y, "the ROC", series_style(3)))
    right.append(_mapped(dense.x[shown], dense.y[shown], at, series_style(3)))
    x, broc, y = linear_axis(FPR), linear_axis(FDR), linear_axis(TPR)
    panels = (
        Panel("ROC", x, y, tuple(left), _in_words("ROC", x, y)),
        Panel("B-ROC", broc, y, tuple(right), _in_words("B-ROC", broc, y)),
    )
    return Figure(f"From the ROC to the B-ROC at base rate {at.prior:.6g}", panels)


def _mapped(fpr: Any, tpr: Any, at: br.Conditions, style: Style) -> Line:
    return Line(*br.curves.to_broc(fpr, tpr, at), "", style)


def strips_panel(curve: br.Curve | Mapping[str, br.Curve], weights: Sequence[float]) -> Panel:
    """A ROC cut into strips of equal height, the heavier the darker, each with its weight. Weng &
    Poon 2008, Fig. 2.
    """
    heaviest = max(weights)
    strips: list[Part] = []
    for place, weight in enumerate(weights):
        low, high = place / len(weights), (place + 1) / len(weights)
        opacity = 0.05 + 0.75 * weight / heaviest
        strips += [
            Area((0.0, 1.0), (low, low), (high, high), "", "sky", opacity),
            Line((0.0, 1.0), (high, high), "", FAINT),
            Words(1.0, (low + high) / 2, f"{weight:.4g}", "black", "start", 0.4, -0.35),
        ]
    panel = roc_panel(curve, chance=False, title="Weights of the strips of a weighted AUC")
    return replace(panel, parts=(*strips, *panel.parts))


def density_panel(x: Any, densities: Mapping[str, Any], threshold: float) -> Panel:
    """The densities of the positives and of the negatives on one score, and the threshold that
    cuts them: what lies right of it is flagged. The part of the first that is flagged is the
    recall, that of the second the false alarm rate.
    """
    across = np.asarray(x, dtype=np.float64)
    columns = [np.asarray(values, dtype=np.float64) for values in densities.values()]
    axis = spanning_axis("score", across)
    height = linear_axis("density", 0.0, float(max(column.max() for column in columns)) * 1.1)
    right = np.concatenate(([threshold], across[across > threshold]))
    parts: list[Part] = [
        Area(right, np.zeros(len(right)), np.interp(right, across, column), name, colour, 0.3)
        for column, name, (_, colour) in zip(
            columns, ("recall (tpr)", "false alarm rate (fpr)"), CLASSES, strict=True
        )
    ]
    parts += [
        Line(across, column, name, Style(colour, dash))
        for (name, column, (_, colour), dash) in zip(
            densities, columns, CLASSES, ("solid", "dashed"), strict=True
        )
    ]
    parts += [
        Line((threshold, threshold), (height.low, height.high), "", Style("black", "dashed", 1.4)),
        Words(
            threshold, height.high, f"flagged from {threshold:.6g} on", "black", "start", 0.4, -1.2
        ),
    ]
    words = _in_words("Densities", axis, height, densities)
    return Panel("Densities of the two classes", axis, height, tuple(parts), words, square=False)


def scatter_panel(
    x: Any,
    y: Any,
    labels: Any,
    *,
    boundaries: Mapping[str, tuple[Any, Any]] | None = None,
    axes: tuple[str, str] = ("feature 1", "feature 2"),
    title: str = "Cases",
) -> Panel:
    """Cases of two features by class, with decision boundaries as lines. Landgrebe et al. 2004,
    Figs 1 and 5; Tan et al., Figs 5.44, 5.45.

    `labels` are true for positives. Negatives are drawn first, so that rare positives are not
    hidden.
    """
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    ours = np.asarray(labels, dtype=np.bool_)
    size = 2.2 if len(across) > 300 else 3.5
    parts: list[Part] = []
    for (name, colour), members, shape in (
        (CLASSES[1], ~ours, "circle"),
        (CLASSES[0], ours, "cross"),
    ):
        if members.any():
            shown = f"{name} ({grouped(int(members.sum()))})"
            parts.append(Marks(across[members], up[members], shown, colour, shape, size))
    given = boundaries or {}
    parts += [
        Line(*line, name, Style("black", series_style(i).dash, 1.6))
        for i, (name, line) in enumerate(given.items())
    ]
    x_axis, y_axis = (
        spanning_axis(label, values, room=0.04)
        for label, values in zip(axes, (across, up), strict=True)
    )
    return Panel(title, x_axis, y_axis, tuple(parts), _in_words(title, x_axis, y_axis, given))


def _in_words(title: str, x: Axis, y: Axis, names: Iterable[str] = ()) -> str:
    """A panel for those who cannot see it."""
    listed = ", ".join(names)
    return f"{title}: {y.label} against {x.label}" + (f", for {listed}" if listed else "")
