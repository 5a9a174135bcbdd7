"""Costs: the cost curve with its lines, cost against the threshold, decision curves, differences with their bands, the winner map."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from baserate.curves.values import Curve
from baserate.errors import refuse
from baserate.plots.axes import Axis, linear, logarithmic, spanning
from baserate.plots.composing import LABELS, Chosen, Curves, Named, bands_of, named, panel_of, said, seen
from baserate.plots.panels import FAINT, REFERENCE, Area, Line, Panel, Part, Style, series
from baserate.points import Points
from baserate.prospects.maps import WinnerMap
from baserate.uncertainty.bands import Band

# More lines than this are one grey area.
MOST_LINES = 60
MOST_BORDERS = 12


def cost_panel(curves: Curves, *, lines: tuple[Any, Any, Any] | None = None, bands: Band | Sequence[Band] = (), points: Chosen = ()) -> Panel:
    """The least cost at every effective prior, under flagging nothing and flagging everything; with `cost_lines`, the line of each threshold.

    Drummond & Holte 2006; Weng & Poon 2008, Fig. 6.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> panel = br.cost_panel(br.cost_curve(counts), lines=br.cost_lines(counts))
    >>> [part.name for part in panel.legend]
    ['one threshold', 'flag nothing', 'flag everything']
    """
    behind: list[Part] = [
        Line((0.0, 1.0), (0.0, 1.0), "flag nothing", REFERENCE),
        Line((0.0, 1.0), (1.0, 0.0), "flag everything", Style("grey", "dotted", 1.2)),
    ]
    each: list[Part] = []
    if lines is not None:
        starts, ends = (np.asarray(column, dtype=np.float64) for column in lines[:2])
        kept = np.unique(np.linspace(0, len(starts) - 1, min(len(starts), MOST_LINES)).astype(np.intp))
        each += [Line((0.0, 1.0), (starts[i], ends[i]), "one threshold", FAINT) for i in kept.tolist()]
    return panel_of(curves, "Cost curve", kinds=("cost",), bands=bands, points=points, behind=lambda *_: [*each, *behind], square=False)


def cost_threshold_panel(curves: Curves, *, points: Chosen = (), log: bool = False) -> Panel:
    """What each threshold costs: one curve a model, or a set of conditions.

    >>> import baserate as br
    >>> br.cost_threshold_panel(br.cost_threshold_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))).x.label
    'threshold (score)'
    """
    return panel_of(curves, "Cost of each threshold", kinds=("cost_threshold",), points=points, log=(False, log), square=False)


def decision_panel(curves: Curves, *, most: float | None = None) -> Panel:
    """Net benefit against the threshold probability, beside acting on nobody and on everybody. Vickers & Elkin 2006.

    Between two scores the same cases are acted on, and the benefit falls with the threshold probability: that is what is drawn. `most` is
    where the axis ends.

    >>> import baserate as br
    >>> panel = br.decision_panel(br.decision_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])))
    >>> [part.name for part in panel.legend]
    ['act on nobody', 'act on everybody']
    """
    found = named(curves, ("decision",))
    end = most if most is not None else min(0.99, max(float(one.curve.x.max()) for one in found))
    highest = max(float(np.nanmax(one.curve.y)) for one in found)
    highest = highest if highest > 0 else 0.1
    x, y = linear(LABELS["t"], 0.0, max(end, 0.01)), linear(LABELS["net_benefit"], -0.35 * highest, 1.1 * highest)
    parts: list[Part] = [Line((0.0, 1.0), (0.0, 0.0), "act on nobody", REFERENCE)]
    for one in found:
        prior = one.curve.at.prior if one.curve.at is not None else math.nan
        t = np.linspace(0.0, min(end, 0.999), 200)
        where = f"act on everybody{', ' + one.name if _several_priors(found) else ''}"
        parts.append(Line(t, prior - (1 - prior) * t / (1 - t), where, Style("grey", "dotted", 1.2)))
    parts += [Line(*_benefits(one.curve, x, y), one.name, one.style) for one in found]
    return Panel("Decision curve", x, y, tuple(parts), said("Decision curve", x, y, [one.name for one in found]), square=False)


def _several_priors(found: Sequence[Named]) -> bool:
    return len({one.curve.at.prior for one in found if one.curve.at is not None}) > 1


def _benefits(curve: Curve, x: Axis, y: Axis) -> tuple[Any, Any]:
    """Both ends of the stretch of each score: at the score itself, and just above the next lower one, where the same cases are acted on."""
    counts = curve.source
    if counts is None or curve.at is None:
        return curve.x, curve.y
    points = Points.of(counts)
    # The curve holds the probabilities, moved to its base rate; scores with a probability of 1 are not on it.
    t = np.concatenate((np.ones(len(points) - 1 - len(curve.x)), curve.x[::-1]))
    below = np.append(t[1:], 0.0)
    prior = curve.at.prior
    ends = np.stack((np.minimum(t, 1 - 1e-12), below), axis=1)
    odds = ends / (1 - np.minimum(ends, 1 - 1e-12))
    values = prior * points.tpr[1:, None] - (1 - prior) * points.fpr[1:, None] * odds
    across, up = ends.ravel()[::-1], values.ravel()[::-1]
    kept = seen(x.place(across), y.place(up))
    return across[kept], up[kept]


def difference_panel(bands: Band | Mapping[str, Band], *, title: str | None = None) -> Panel:
    """The difference of two models along a curve or the base rate, with its band; where the band leaves 0, one is better.

    >>> import baserate as br
    >>> y, a, b = [0] * 60 + [1] * 40, list(range(100)), [*range(20, 80), *range(60, 100)]
    >>> panel = br.difference_panel(br.difference_band(br.cost_curve, br.count_models(y, {"a": a, "b": b}), x=[0.2, 0.5]))
    >>> panel.title
    'b - a: normalized_cost along effective_prior'
    """
    given = {"": bands} if isinstance(bands, Band) else dict(bands)
    areas = bands_of(list(given.values()))
    first = next(iter(given.values()))
    x = _places(first)
    y = spanning(
        LABELS.get(first.y_label, first.y_label),
        np.concatenate([np.concatenate((one.low, one.high, [0.0])) for one in given.values()]),
        room=0.04,
    )
    of = "" if first.models is None else f"{first.models[1]} - {first.models[0]}: "
    heading = f"{of}{first.y_label} along {first.x_label}" if title is None else title
    lines = [Line(one.x, one.y, name, series(i)) for i, (name, one) in enumerate(given.items())]
    parts = (*areas, Line((x.low, x.high), (0.0, 0.0), "", REFERENCE), *lines)
    return Panel(heading, x, y, parts, said(heading, x, y), square=False)


def _places(band: Band) -> Axis:
    log = band.x_label == "prior" and len(band.x) > 1 and bool((band.x > 0).all()) and float(band.x.max() / band.x.min()) > 20
    if log:
        return logarithmic(LABELS["prior"], float(band.x.min()), float(band.x.max()))
    return spanning(LABELS.get(band.x_label, band.x_label), band.x)


def winner_map_panel(winners: WinnerMap, *, priors: tuple[float, float] = (1e-5, 0.5), cost_ratios: tuple[float, float] = (1e-3, 1.0)) -> Panel:
    """Who is cheapest at each base rate and each cost ratio: coloured regions between borders that are straight by odds.

    Darker areas are where models cannot be told apart, if the map knows.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[60, 30, 10], negatives=[10, 200, 790])
    >>> panel = br.winner_map_panel(br.winner_map({"a": a}))
    >>> [part.name for part in panel.legend]
    ['flag nothing', 'a', 'flag everything']
    """
    if not isinstance(winners, WinnerMap):
        raise refuse("BR651", f"a winner map is needed, got {type(winners).__name__}", "winner_map(models)")
    if not winners.wins:
        raise refuse("BR651", "the winners change with the base rate under this rule: there is no one map", "winner_map(models), without it")
    x, y = logarithmic(LABELS["prior"], *priors), logarithmic("cost of a false alarm, in misses", *cost_ratios)
    across = np.geomspace(*priors, 201)
    odds = across / (1 - across)
    names = list(dict.fromkeys(" = ".join(win.models) for win in winners.wins))
    colour = dict(zip(names, _regions(names, winners.models), strict=True))
    parts: list[Part] = []
    for name, least, most in _stretches(winners):
        below, above = _ratio(odds, most), _ratio(odds, least)
        if ((below < y.high) & (above > y.low)).any():
            parts.append(Area(across, np.clip(below, y.low, y.high), np.clip(above, y.low, y.high), name, colour[name], 0.45))
    # Where one model changes its threshold there is a border too, as long as they can be told apart.
    shown = [border.effective_prior for border in winners.borders]
    shown = shown if len(shown) <= MOST_BORDERS else [least for _, least, _ in _stretches(winners)][1:]
    parts += [Line(across, _ratio(odds, effective), "", Style("black", "solid", 0.8)) for effective in shown]
    for doubt in winners.apart.doubts if winners.apart is not None else ():
        low, high = (np.clip(_ratio(odds, effective), y.low, y.high) for effective in (doubt.high, doubt.low))
        parts.append(Area(across, low, high, "not distinguished", "black", 0.25))
    return Panel("Which model is cheapest", x, y, tuple(parts), said("Which model is cheapest", x, y, names))


def _stretches(winners: WinnerMap) -> list[tuple[str, float, float]]:
    """Who wins from which effective prior to which, whatever the threshold."""
    found: list[tuple[str, float, float]] = []
    for win in winners.wins:
        name = " = ".join(win.models)
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1], win.high)
        else:
            found.append((name, win.low, win.high))
    return found


def _regions(names: Sequence[str], models: Sequence[str]) -> list[str]:
    """Models in the colours of their curves, ties in colours of their own, one answer for all in grey or black."""
    colours = {"flag nothing": "grey", "flag everything": "black"} | {model: series(place).colour for place, model in enumerate(models)}
    ties = itertools.count(len(models))
    return [colours[name] if name in colours else series(next(ties)).colour for name in names]


def _ratio(odds: Any, effective: float) -> Any:
    """The cost ratio at which these odds have this effective prior."""
    if effective <= 0:
        return np.full(len(odds), np.inf)
    return odds * ((1 - effective) / effective)
