"""ROC space: curves, isolines of precision and NPV, lines of one cost, the ideal baseline, strips of a weighted AUC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.curves.named import to_broc
from baserate.decisions.baselines import Baseline
from baserate.errors import refuse
from baserate.isolines import IsoCost, Isoline, Kind, isoline
from baserate.plots.axes import Axis, linear, spanning
from baserate.plots.composing import LABELS, Chosen, Curves, Named, det_axes, named, panel_of, said
from baserate.plots.panels import FAINT, REFERENCE, Area, Figure, Line, Panel, Part, Style, Words, series
from baserate.uncertainty.bands import Band

SAMPLES = 200
# Below this base rate all that matters lies within a hair of the left axis.
SMALL_PRIOR = 0.01
ANGLES = (0.0, 9.0, 18.0, 27.0, 36.0, 45.0)


def roc_panel(  # noqa: PLR0913 (each is a thing to draw)
    curves: Curves,
    *,
    points: Chosen = (),
    isolines: Sequence[Isoline] = (),
    iso_costs: Sequence[IsoCost] = (),
    baseline: Baseline | None = None,
    bands: Band | Sequence[Band] = (),
    chance: bool = True,
    log: bool | None = None,
    title: str = "ROC",
) -> Panel:
    """ROCs and hulls, with whatever lines of ROC space belong to the question.

    Isolines of precision fan out from (0, 0), those of npv from (1, 1), each with its value at its end. `log` makes the axis of false alarms
    logarithmic, as it is by default where the isolines are for a base rate below 1 in 100.

    >>> import baserate as br
    >>> counts, at = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), br.Conditions(prior=0.2)
    >>> panel = br.roc_panel({"roc": br.roc(counts), "hull": br.roc_hull(counts)}, isolines=[br.isoline("precision", at, value=0.5)])
    >>> [part.name for part in panel.legend]
    ['guessing', 'precision isolines at base rate 0.2', 'roc', 'hull']
    """
    _check_lines(isolines, iso_costs, baseline)
    wide = any(line.prior < SMALL_PRIOR for line in isolines) if log is None else log
    found = named(curves, ("roc", "roc_hull"))
    x = _log_rates([one.curve.x for one in found]) if wide else linear(LABELS["fpr"])
    y = linear(LABELS["tpr"])
    behind: list[Part] = [Line(*_within(x, 0.0, 1.0), "guessing", REFERENCE)] if chance else []
    behind += _fan(isolines, x)
    if baseline is not None:
        behind.append(Line(*_within(x, baseline.tpr(0), baseline.tpr(1)), "ideal baseline", Style("black", "dashdot", 1.2)))
    for line in iso_costs:
        behind.append(Line(*_within(x, line.tpr(0), line.tpr(1)), "one cost", Style("black", "dotted", 1.2)))
    return panel_of(curves, title, points=points, bands=bands, behind=lambda *_: behind, axes=(x, y))


def _check_lines(isolines: Sequence[Any], iso_costs: Sequence[Any], baseline: Any) -> None:
    for line in isolines:
        if not isinstance(line, Isoline):
            raise refuse("BR651", f"an isoline is needed, got {type(line).__name__}", 'isoline("precision", at, value=0.5)')
    for line in iso_costs:
        if not isinstance(line, IsoCost):
            raise refuse("BR651", f"a line of one cost is needed, got {type(line).__name__}", "iso_cost_line(at, fpr=0.1, tpr=0.7)")
    if not isinstance(baseline, Baseline | None):
        raise refuse("BR651", f"a baseline is needed, got {type(baseline).__name__}", "ideal_baseline(at)")


def _log_rates(columns: Sequence[Any]) -> Axis:
    rates = np.concatenate([*columns, [0.1]])
    return spanning(LABELS["fpr"], np.maximum(rates[rates > 0], 1e-9), log=True)


def _within(x: Axis, at_zero: float, at_one: float) -> tuple[Any, Any]:
    """A straight line of ROC space as far as it lies in the unit square; on a logarithmic axis it is a curve, of many points."""
    slope = at_one - at_zero
    crossings = [(edge - at_zero) / slope for edge in (0.0, 1.0)] if slope else []
    low, high = min(crossings, default=0.0), max(crossings, default=1.0)
    low, high = max(low, x.low), min(high, 1.0)
    if low > high:
        return (), ()
    across = np.geomspace(low, high, SAMPLES) if x.scale == "log" else np.array([low, high])
    return across, np.clip(at_zero + slope * across, 0.0, 1.0)


def _fan(isolines: Sequence[Isoline], x: Axis) -> list[Part]:
    """Each isoline with its value at the end that is away from where all of them meet."""
    parts: list[Part] = []
    for line in isolines:
        of_precision = line.measure == "precision"
        ends = (0.0, 1 / line.tangent if line.tangent else 1e12) if of_precision else (1 - line.tangent, 1.0)
        across, up = _within(x, *ends)
        colour = "orange" if of_precision else "purple"
        name = f"{line.measure} isolines at base rate {line.prior:.6g}"
        parts.append(Line(across, up, name, Style(colour, "dashed" if of_precision else "dotted", 1.2)))
        if len(across) and of_precision:
            parts.append(Words(float(across[-1]), float(up[-1]), f"{line.value:.6g}", colour, "middle", up=0.4))
        elif len(across):
            parts.append(Words(float(across[0]), float(up[0]), f"{line.value:.6g}", colour, "start", 0.4, 0.3))
    return parts


def isoline_figure(measure: Kind, at: Sequence[Conditions], angles: Sequence[float] = ANGLES) -> Figure:
    """The fan of isolines by their angle, and the value of each angle at these base rates. Cárdenas & Baras 2006, Figs 1 and 2.

    >>> import baserate as br
    >>> br.isoline_figure("precision", [br.Conditions(prior=p) for p in (0.1, 0.001)])
    Figure precision by the angle of its isoline: 2 panels
    """
    if not at:
        raise refuse("BR519", "isolines need conditions", "[Conditions(prior=0.01)]")
    lines = [isoline(measure, at[0], angle=angle) for angle in angles]
    fan: list[Part] = []
    for line, angle in zip(lines, angles, strict=True):
        end = (line.tangent, 1.0) if measure == "precision" else (0.0, 1 - line.tangent)
        corner = (0.0, 0.0) if measure == "precision" else (1.0, 1.0)
        fan.append(Line((corner[0], end[0]), (corner[1], end[1]), "", Style("blue", "solid", 1.4)))
        words = (
            Words(*end, f"{angle:g}°", "blue", "middle", up=0.4)
            if measure == "precision"
            else Words(*end, f"{angle:g}°", "blue", "start", 0.4, 0.45)
        )
        fan.append(words)
    letter = "θ from the axis fpr = 0" if measure == "precision" else "φ from the line tpr = 1"
    x, y = linear(LABELS["fpr"]), linear(LABELS["tpr"])
    left = Panel(f"Isolines at the angle {letter}", x, y, tuple(fan), said("Isolines by angle", x, y))
    degrees = np.linspace(0.0, 45.0, 181)
    columns = [[isoline(measure, one, angle=float(angle)).value for angle in degrees] for one in at]
    small = measure == "precision" and min(min(column) for column in columns) < SMALL_PRIOR
    across = linear("angle in degrees", 0.0, 45.0)
    up = spanning(LABELS[measure], np.concatenate(columns), log=small)
    curves = [Line(degrees, column, f"base rate {one.prior:.6g}", series(i)) for i, (one, column) in enumerate(zip(at, columns, strict=True))]
    right = Panel(f"{LABELS[measure]}", across, up, tuple(curves), said(LABELS[measure], across, up))
    return Figure(f"{measure} by the angle of its isoline", (left, right))


def broc_mapping_figure(at: Conditions, roc: Curves | None = None) -> Figure:
    """Where the edges and the diagonal of the ROC square go in the B-ROC; with a ROC, where its hull goes. Cárdenas & Baras 2006, Fig. 5.

    >>> import baserate as br
    >>> br.broc_mapping_figure(br.Conditions(prior=0.1)).panels[1].x.label
    'share of alerts that are false (fdr, B_FA)'
    """
    way = np.linspace(0.0, 1.0, SAMPLES + 1)
    rising = np.linspace(0.002, 1.0, SAMPLES + 1)  # (0, 0) itself has no place of its own
    fine = np.concatenate(([0.0], np.geomspace(1e-9, 1.0, SAMPLES)))
    whole, ones = np.ones(SAMPLES + 1), np.zeros(SAMPLES + 1)
    edges = [("no false alarm: fpr = 0", ones, rising), ("every positive found: tpr = 1", fine, whole), ("guessing: tpr = fpr", rising, rising)]
    left = [Line(x, y, name, series(i)) for i, (name, x, y) in enumerate(edges)]
    right = [Line(*to_broc(x, y, at), "", series(i)) for i, (_, x, y) in enumerate(edges)]
    for height in (0.25, 0.5, 0.75):
        left.append(Line(way, whole * height, "", FAINT))
        right.append(Line(*to_broc(fine, whole * height, at), "", FAINT))
    if roc is not None:
        for one in named(roc, ("roc", "roc_hull")):
            dense = one.curve.densified(SAMPLES)
            shown = dense.y > 0
            left.append(Line(dense.x, dense.y, one.name or "the ROC", series(3)))
            right.append(Line(*to_broc(dense.x[shown], dense.y[shown], at), "", series(3)))
    x, broc, y = linear(LABELS["fpr"]), linear(LABELS["fdr"]), linear(LABELS["tpr"])
    panels = (Panel("ROC", x, y, tuple(left), said("ROC", x, y)), Panel("B-ROC", broc, y, tuple(right), said("B-ROC", broc, y)))
    return Figure(f"From the ROC to the B-ROC at base rate {at.prior:.6g}", panels)


def strips_panel(curves: Curves, weights: Sequence[float]) -> Panel:
    """A ROC cut into strips of equal height, the heavier the darker, each with its weight. Weng & Poon 2008, Fig. 2.

    >>> import baserate as br
    >>> panel = br.strips_panel(br.roc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), br.strip_weights(7, 0.5))
    >>> [part.text for part in panel.parts if hasattr(part, "text")][-1]
    '1.984'
    """
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 1 or not len(given) or not (given >= 0).all() or not given.sum():
        raise refuse("BR650", "strips need weights, none of them negative", "strip_weights(10, alpha=0.1)")
    heaviest = float(given.max())

    def strips(*_: Any) -> list[Part]:
        count = len(given)
        parts: list[Part] = []
        for place, weight in enumerate(given.tolist()):
            low, high = place / count, (place + 1) / count
            parts += [
                Area((0.0, 1.0), (low, low), (high, high), "", "sky", 0.05 + 0.75 * weight / heaviest),
                Line((0.0, 1.0), (high, high), "", FAINT),
                Words(1.0, (low + high) / 2, f"{weight:.4g}", "black", "start", 0.4, -0.35),
            ]
        return parts

    return panel_of(curves, "Weights of the strips of a weighted AUC", kinds=("roc", "roc_hull"), behind=strips)


def det_panel(curves: Curves, *, points: Chosen = (), bands: Band | Sequence[Band] = ()) -> Panel:
    """Misses against false alarms on normal deviates, where two normal classes give a straight line. Martin et al. 1997.

    >>> import baserate as br
    >>> br.det_panel(br.det(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))).x.scale
    'deviate'
    """
    found: list[Named] = named(curves, ("det",))
    return panel_of(curves, "DET", points=points, bands=bands, axes=det_axes([one.curve for one in found]))
