"""Scores and cases: reliability, histograms by class, densities with a threshold, scatter plots with boundaries, the tree of outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.errors import grouped, quoted, refuse
from baserate.exact import Floats
from baserate.measures.confusions import Confusion
from baserate.plots.axes import Axis, linear, spanning
from baserate.plots.composing import Curves, panel_of, said
from baserate.plots.panels import REFERENCE, Area, Line, Marks, Panel, Part, Style, Words, series
from baserate.points import refuse_merged

CLASSES = (("positive", "vermillion"), ("negative", "blue"))


def reliability_panel(curves: Curves) -> Panel:
    """How often each probability comes true, beside the diagonal on which calibrated scores lie.

    >>> import baserate as br
    >>> panel = br.reliability_panel(br.reliability_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])))
    >>> [part.name for part in panel.legend]
    ['calibrated']
    """
    diagonal = Line((0.0, 1.0), (0.0, 1.0), "calibrated", REFERENCE)
    made = panel_of(curves, "Reliability", kinds=("reliability",), behind=lambda *_: [diagonal])
    dots = [Marks(part.x, part.y, "", part.style.colour, size=4.0) for part in made.parts if isinstance(part, Line) and part is not diagonal]
    return made.adding(*dots)


def histogram_panel(counts: Counts, *, bins: int = 30, threshold: float | None = None) -> Panel:
    """How the scores of each class spread: the share of the class in each of so many bins, and a threshold between them.

    >>> import baserate as br
    >>> panel = br.histogram_panel(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), bins=2, threshold=0.5)
    >>> [part.high for part in panel.parts[:1]]
    [(0.5, 0.5, 0.5, 0.5)]
    """
    if not isinstance(counts, Counts) or not len(counts.scores):
        raise refuse("BR228", f"a histogram is made of Counts with cases, got {type(counts).__name__}", "count(...)")
    refuse_merged(counts, "a histogram shows how all scores spread")
    if not isinstance(bins, int) or isinstance(bins, bool) or not 1 <= bins <= 1000:
        raise refuse("BR568", f"bins is a whole number from 1 to 1000, got {quoted(bins)}", "bins=30")
    scores = counts.scores.astype(np.float64)
    known = scores[np.isfinite(scores)]
    axis = spanning("score", known)
    edges = np.linspace(axis.low, axis.high, bins + 1)
    parts: list[Part] = []
    for (name, colour), values in zip(CLASSES, (counts.positives, counts.negatives), strict=True):
        total = float(values.sum())
        if not total:
            continue
        place = np.clip(np.searchsorted(edges, np.clip(scores, axis.low, axis.high), side="right") - 1, 0, bins - 1)
        shares = np.bincount(place, weights=values, minlength=bins) / total
        parts.append(_bars(edges, shares, name, colour))
    height = linear("share of the class", 0.0, max(max(part.high) for part in parts if isinstance(part, Area)) * 1.05)
    cut = [] if threshold is None else _cut(threshold, height)
    return Panel(
        "Scores by class", axis, height, (*parts, *cut), said("Scores by class", axis, height, ("positives", "negatives")), square=False
    )


def _bars(edges: Floats, shares: Floats, name: str, colour: str) -> Area:
    across, up = np.repeat(edges, 2)[1:-1], np.repeat(shares, 2)
    return Area(across, np.zeros(len(across)), up, f"{name}s", colour, 0.4)


def _cut(threshold: float, height: Axis) -> list[Part]:
    line = Line((threshold, threshold), (height.low, height.high), "", Style("black", "dashed", 1.4))
    return [line, Words(threshold, height.high, f"flagged from {threshold:.6g} on", "black", "start", 0.4, -1.2)]


def density_panel(x: Any, densities: Mapping[str, Any], threshold: float | None = None) -> Panel:
    """Two densities on one score, and the threshold that cuts them: what lies right of it is flagged (the slides' picture).

    The first is that of the positives: the part of it right of the threshold is the recall, the same part of the other the false alarm rate.

    >>> import baserate as br
    >>> panel = br.density_panel([0, 1, 2], {"positive": [0, 0.5, 1], "negative": [1, 0.5, 0]}, threshold=1)
    >>> [part.name for part in panel.legend]
    ['recall (tpr)', 'false alarm rate (fpr)', 'positive', 'negative']
    """
    across = np.asarray(x, dtype=np.float64)
    if len(densities) != 2:
        raise refuse("BR650", f"two densities are needed, got {len(densities)}", "{'positive': …, 'negative': …}")
    columns = [np.asarray(values, dtype=np.float64) for values in densities.values()]
    axis, height = spanning("score", across), linear("density", 0.0, float(max(column.max() for column in columns)) * 1.1)
    areas: list[Part] = []
    if threshold is not None:
        right = across[across > threshold]
        there = np.concatenate(([threshold], right))
        for column, name, (_, colour) in zip(columns, ("recall (tpr)", "false alarm rate (fpr)"), CLASSES, strict=True):
            areas.append(Area(there, np.zeros(len(there)), np.interp(there, across, column), name, colour, 0.3))
    lines = [
        Line(across, column, name, Style(colour, dash))
        for (name, column, (_, colour), dash) in zip(densities, columns, CLASSES, ("solid", "dashed"), strict=True)
    ]
    cut = [] if threshold is None else _cut(threshold, height)
    return Panel("Densities of the two classes", axis, height, (*areas, *lines, *cut), said("Densities", axis, height, densities), square=False)


def scatter_panel(
    x: Any,
    y: Any,
    labels: Any,
    *,
    boundaries: Mapping[str, tuple[Any, Any]] | None = None,
    axes: tuple[str, str] = ("feature 1", "feature 2"),
    title: str = "Cases",
) -> Panel:
    """Cases of two features by class, with decision boundaries as lines. Landgrebe et al. 2004, Figs 1 and 5; Tan et al., Figs 5.44, 5.45.

    `labels` are true for positives. Negatives are drawn first, so that rare positives are not hidden.

    >>> import baserate as br
    >>> br.scatter_panel([0, 1], [1, 0], [True, False]).parts[1].name
    'positive (1)'
    """
    across, up, ours = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), np.asarray(labels, dtype=np.bool_)
    if not len(across) == len(up) == len(ours) or not len(across):
        raise refuse("BR650", "a scatter plot needs x, y and a label for each case", "give three columns of one length")
    size = 2.2 if len(across) > 300 else 3.5
    parts: list[Part] = []
    for (name, colour), members, shape in ((CLASSES[1], ~ours, "circle"), (CLASSES[0], ours, "cross")):
        if members.any():
            parts.append(Marks(across[members], up[members], f"{name} ({grouped(int(members.sum()))})", colour, shape, size))
    given = boundaries or {}
    parts += [Line(*line, name, Style("black", series(i).dash, 1.6)) for i, (name, line) in enumerate(given.items())]
    x_axis, y_axis = (spanning(label, values, room=0.04) for label, values in zip(axes, (across, up), strict=True))
    return Panel(title, x_axis, y_axis, tuple(parts), said(title, x_axis, y_axis, given))


def outcome_tree_panel(point: OperatingPoint | Confusion) -> Panel:
    """From all cases to those flagged and passed, and to what they are: the tree of outcomes. Landgrebe et al. 2004, Fig. 2.

    >>> import baserate as br
    >>> panel = br.outcome_tree_panel(br.Confusion(tp=40, fp=10, fn=10, tn=40))
    >>> [part.text for part in panel.parts if hasattr(part, "text")][:2]
    ['100 cases', 'classified']
    """
    confusion = point.confusion if isinstance(point, OperatingPoint) else point
    if not isinstance(confusion, Confusion):
        raise refuse("BR651", f"outcomes are those of a confusion, got {type(point).__name__}", "choose(counts), or Confusion(tp=…)")
    tp, fp, fn, tn = (float(value) for value in confusion)
    sums = {"all": tp + fp + fn + tn, "POS": tp + fp, "NEG": tn + fn}
    nodes = {
        "all": (0.12, 0.5, f"{_cases(sums['all'])} cases", "classified"),
        "POS": (0.45, 0.76, f"POS {_cases(sums['POS'])}", "flagged"),
        "NEG": (0.45, 0.24, f"NEG {_cases(sums['NEG'])}", "passed"),
        "TP": (0.85, 0.89, f"TP {_cases(tp)}", "positives flagged"),
        "FP": (0.85, 0.63, f"FP {_cases(fp)}", "false alarms"),
        "TN": (0.85, 0.37, f"TN {_cases(tn)}", "negatives passed"),
        "FN": (0.85, 0.11, f"FN {_cases(fn)}", "misses"),
    }
    edges = (("all", "POS"), ("all", "NEG"), ("POS", "TP"), ("POS", "FP"), ("NEG", "TN"), ("NEG", "FN"))
    right = {"TP", "TN"}
    parts: list[Part] = [_branch(nodes[one], nodes[other], good=other in right) for one, other in edges]
    for x, y, amount, what in nodes.values():
        parts += [Words(x, y, amount, "black", "middle", up=0.15), Words(x, y, what, "grey", "middle", up=-1.05)]
    bare = Axis("", 0.0, 1.0)
    spoken = f"Of {_cases(sums['all'])} cases {_cases(sums['POS'])} are flagged: {_cases(tp)} positives and {_cases(fp)} false alarms."
    return Panel("From cases to outcomes", bare, bare, tuple(parts), spoken, square=False, frame=False)


def _branch(one: tuple[float, float, str, str], other: tuple[float, float, str, str], *, good: bool) -> Line:
    """A stroke from beside one node to beside the other."""
    style = Style("green" if good else "grey", "solid", 1.4)
    return Line((one[0] + 0.13, other[0] - 0.14), (one[1], other[1]), "", style)


def _cases(value: float) -> str:
    return grouped(int(value)) if value == math.floor(value) else f"{value:.4g}"
