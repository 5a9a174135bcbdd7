"""The panels of each curve: ROC space, base rates, costs, scores; and which panel belongs to which
curve.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.counts import Counts
from baserate.counts.points import refuse_merged
from baserate.curves.curve import Curve, Curves
from baserate.curves.named import CURVES, act_on_everybody, axis_label, benefits_at, roc
from baserate.decisions.roc_geometry import Baseline
from baserate.decisions.winner_map import WinnerMap
from baserate.errors import grouped, refuse
from baserate.inference.bands import Band
from baserate.inference.decide import LeastRegretChoice
from baserate.measures.confusion import Confusion
from baserate.measures.isolines import IsoCost, Isoline
from baserate.notation import WholeCheck
from baserate.numbers import Floats
from baserate.plots.axes import Axis, deviate_axis, linear_axis, log_axis, spanning_axis
from baserate.plots.compose import (
    SHARES,
    AnyCurves,
    Chosen,
    NamedCurve,
    Space,
    axes_of,
    axis_of,
    bands_of,
    check_kind,
    describe_panel,
    name_curves,
    panel_of,
    visible_points,
)
from baserate.plots.panels import (
    FAINT,
    REFERENCE,
    Area,
    Line,
    Marks,
    Panel,
    Part,
    Style,
    Words,
    series_style,
)
from baserate.results.choice import Choice
from baserate.results.operating_point import OperatingPoint

# ----------------------------------------------------------------------
# ROC space: curves, isolines of precision and NPV, lines of one cost, the ideal baseline.


SAMPLES = 200
# Below this base rate all that matters lies within a hair of the left axis.
SMALL_PRIOR = 0.01


def roc_panel(  # noqa: PLR0913 (each is a thing to draw)
    curves: AnyCurves,
    *,
    points: Chosen = (),
    isolines: Sequence[Isoline] = (),
    iso_costs: Sequence[IsoCost] = (),
    baseline: Baseline | None = None,
    bands: Band | Sequence[Band] = (),
    chance: bool = True,
    log: bool | None = None,
    title: str | None = None,
) -> Panel:
    """ROCs and hulls, with whatever lines of ROC space belong to the question.

    Isolines of precision fan out from (0, 0), those of npv from (1, 1), each with its value at its
    end. `log` makes the axis of false alarms logarithmic, as it is by default where the isolines
    are for a base rate below 1 in 100.

    >>> import baserate as br
    >>> counts, at = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), br.Conditions(prior=0.2)
    >>> panel = br.plots.roc_panel({"roc": br.roc(counts), "hull": br.curve(counts, "roc_hull")}, isolines=[br.curves.isoline("precision", at, value=0.5)])
    >>> [part.name for part in panel.legend]
    ['guessing', 'precision isolines at base rate 0.2', 'roc', 'hull']
    """  # noqa: E501
    for isoline in isolines:
        check_kind(isoline, Isoline, "an isoline", 'isoline("precision", at, value=0.5)')
    for line in iso_costs:
        check_kind(line, IsoCost, "a line of one cost", "iso_cost_line(at, fpr=0.1, tpr=0.7)")
    if baseline is not None:
        check_kind(baseline, Baseline, "a baseline", "ideal_baseline(at)")
    wide = any(line.prior < SMALL_PRIOR for line in isolines) if log is None else log
    found = name_curves(curves, ("roc", "roc_hull"))
    x = _log_rates([one.curve.x for one in found]) if wide else linear_axis(axis_label("fpr"))
    y = linear_axis(axis_label("tpr"))
    behind: list[Part] = (
        [Line(*_clip_to_unit_square(x, 0.0, 1.0), "guessing", REFERENCE)] if chance else []
    )
    behind += _isoline_parts(isolines, x)
    if baseline is not None:
        ends = baseline.tpr(0), baseline.tpr(1)
        behind.append(
            Line(*_clip_to_unit_square(x, *ends), "ideal baseline", Style("black", "dashdot", 1.2))
        )
    for line in iso_costs:
        ends = line.tpr(0), line.tpr(1)
        behind.append(
            Line(*_clip_to_unit_square(x, *ends), "one cost", Style("black", "dotted", 1.2))
        )
    return panel_of(found, Space(x, y, behind), title, points=points, bands=bands)


def _log_rates(columns: Sequence[Any]) -> Axis:
    rates = np.concatenate([*columns, [0.1]])
    return spanning_axis(axis_label("fpr"), np.maximum(rates[rates > 0], 1e-9), log=True)


def _clip_to_unit_square(x: Axis, at_zero: float, at_one: float) -> tuple[Any, Any]:
    """A straight line of ROC space as far as it lies in the unit square; on a logarithmic axis it
    is a curve, of many points.
    """
    slope = at_one - at_zero
    crossings = [(edge - at_zero) / slope for edge in (0.0, 1.0)] if slope else []
    low, high = min(crossings, default=0.0), max(crossings, default=1.0)
    low, high = max(low, x.low), min(high, 1.0)
    if low > high:
        return (), ()
    across = np.geomspace(low, high, SAMPLES) if x.scale == "log" else np.array([low, high])
    return across, np.clip(at_zero + slope * across, 0.0, 1.0)


def _isoline_parts(isolines: Sequence[Isoline], x: Axis) -> list[Part]:
    """Each isoline with its value at the end that is away from where all of them meet."""
    parts: list[Part] = []
    for line in isolines:
        name, value = f"{line.measure} isolines at base rate {line.prior:.6g}", f"{line.value:.6g}"
        if line.measure == "precision":
            across, up = _clip_to_unit_square(x, 0.0, 1 / line.tangent if line.tangent else 1e12)
            parts.append(Line(across, up, name, Style("orange", "dashed", 1.2)))
            ends = zip(across[-1:], up[-1:], strict=True)
            parts += [Words(*end, value, "orange", "middle", up=0.4) for end in ends]
        else:
            across, up = _clip_to_unit_square(x, 1 - line.tangent, 1.0)
            parts.append(Line(across, up, name, Style("purple", "dotted", 1.2)))
            starts = zip(across[:1], up[:1], strict=True)
            parts += [Words(*start, value, "purple", "start", 0.4, 0.3) for start in starts]
    return parts


# ----------------------------------------------------------------------
# Any curve in the space that belongs to it: which axes, and what lies behind it.


Bands = Band | Sequence[Band]
Log = bool | None  # None: where positives are rare


def curve_panel(
    curves: AnyCurves,
    *,
    points: Chosen = (),
    bands: Bands = (),
    log: bool | None = None,
    title: str | None = None,
) -> Panel:
    """Curves of one kind, along thresholds or along conditions, with what belongs behind them:
    guessing, a perfect ranking, the base rate.

    `log` makes an axis logarithmic: that of base rates, or of the share of cases or alerts that is
    tiny where positives are rare (by default below 1 in 100). ROC, cost and decision curves have
    panels of their own, with more to draw.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.plots.curve_panel(br.curve(counts, "precision:prior", threshold=0.35)).x.scale
    'log'
    >>> panel = br.plots.curve_panel(br.curve(counts, "posfrac", at=[br.Conditions(prior=p) for p in (0.5, 0.1)]))
    >>> [part.name for part in panel.legend]
    ['guessing', 'perfect', 'a base rate of 50%', 'a base rate of 10%']
    """  # noqa: E501
    found = name_curves(curves)
    name = found[0].curve.name
    space = _det_space(found) if name == "det" else _space_of(found, log)
    panel = panel_of(found, space, title, points=points, bands=bands, labelled=name == "posfrac")
    if name != "reliability":
        return panel
    dots = [Marks(one.curve.x, one.curve.y, "", one.style.colour, size=4.0) for one in found]
    return panel.adding(*dots)


def _det_space(found: list[NamedCurve]) -> Space:
    """Misses against false alarms on normal deviates, where two normal classes give a straight
    line (Martin et al. 1997); as far as the rates reach, from no less than one in a million.
    """
    ends = []
    for column in ("x", "y"):
        rates = np.concatenate([getattr(one.curve, column) for one in found])
        inside = rates[(rates > 0) & (rates < 1)]
        low, high = (float(inside.min()), float(inside.max())) if len(inside) else (0.01, 0.99)
        ends.append((max(min(low / 1.5, 0.05), 1e-6), min(max(1 - (1 - high) / 1.5, 0.5), 0.999)))
    return Space(
        deviate_axis(axis_label("fpr"), *ends[0]), deviate_axis(axis_label("fnr"), *ends[1])
    )


class Reference(NamedTuple):
    """A line behind the curves: `line` gives its points for shares up to 1 and a base rate; `each`
    where it is another at each base rate.
    """

    name: str
    line: Callable[[Floats, float], tuple[Any, Any]]
    each: bool = False


class Background(NamedTuple):
    """What belongs behind the curves of one kind, and which axis is logarithmic where positives are
    rare.
    """

    log: str = "x"
    references: tuple[Reference, ...] = ()
    square: bool = True


def _line_of_guessing(shares: Floats, _prior: float) -> tuple[Any, Any]:
    return shares, shares


def _lift_of_one(shares: Floats, _prior: float) -> tuple[Any, Any]:
    return shares, np.ones(len(shares))


def _flag_positives_only(shares: Floats, prior: float) -> tuple[Any, Any]:
    return shares, prior * shares


def _positives_first(shares: Floats, prior: float) -> tuple[Any, Any]:
    return np.append(prior * shares, 1.0), np.append(shares, 1.0)


def _precision_of_guessing(_shares: Floats, prior: float) -> tuple[Any, Any]:
    return (0.0, 1.0), (prior, prior)


def _fdr_of_guessing(_shares: Floats, prior: float) -> tuple[Any, Any]:
    return (1 - prior, 1 - prior), (0.0, 1.0)


# Landgrebe et al. 2004, Figs 3 and 4 (posfrac); Cárdenas & Baras 2006, Figs 4 and 6 to 9 (B-ROC).
BACKGROUNDS = {
    "pr": Background("y", (Reference("guessing", _precision_of_guessing, each=True),)),
    "broc": Background("x", (Reference("guessing", _fdr_of_guessing, each=True),)),
    "posfrac": Background(
        "y",
        (
            Reference("guessing", _line_of_guessing),
            Reference("perfect", _flag_positives_only, each=True),
        ),
    ),
    "gain": Background(
        "x",
        (
            Reference("guessing", _line_of_guessing),
            Reference("perfect", _positives_first, each=True),
        ),
    ),
    "lift": Background("x", (Reference("guessing", _lift_of_one),)),
    "cost_threshold": Background("y", square=False),
    "reliability": Background("", (Reference("calibrated", _line_of_guessing),)),
}
# Where positives are rare, these are seen from below the smallest base rate on.
OF_THE_SIZE_OF_THE_PRIOR = ("posfrac", "precision")


def _space_of(found: list[NamedCurve], log: Log) -> Space:
    """The axes of curves of one kind, and the reference lines behind them."""
    first = found[0].curve
    background = BACKGROUNDS.get(first.name)
    wide = _positives_are_rare(found, log)
    if background is None:
        background = Background()
        wide = first.x_label == "prior" if log is None else log
    elif first.name == "cost_threshold" and log is None:
        wide = wide and all((one.curve.y > 0).all() for one in found)
    x = _axis_along(found, "x", log=wide and background.log == "x")
    y = _axis_along(found, "y", log=wide and background.log == "y")
    # On a logarithmic axis a straight line is a curve, of many points.
    least = x.low if x.scale == "log" else 0.01
    shares = np.geomspace(least, 1.0, SAMPLES) if wide else np.array([0.0, 1.0])
    behind: list[Part] = []
    for name, line, each in background.references:
        if not each:
            behind.append(Line(*line(shares, math.nan), name, REFERENCE))
            continue
        for prior, colour in _priors_and_colours(found):
            behind.append(Line(*line(shares, prior), name, Style(colour, "dotted", 1.0)))
    return Space(x, y, behind, background.square)


def _axis_along(found: list[NamedCurve], column: str, *, log: bool) -> Axis:
    """The axis of one column of the curves."""
    label = getattr(found[0].curve, f"{column}_label")
    values = [getattr(one.curve, column) for one in found]
    if log and label in SHARES:
        values.append(np.array([1.0]))
    if log and label in OF_THE_SIZE_OF_THE_PRIOR:
        values.append(np.array([prior / 2 for prior, _ in _priors_and_colours(found)]))
    return axis_of(label, values, log=log)


def _priors_and_colours(found: list[NamedCurve]) -> list[tuple[float, str]]:
    """The base rates of the curves, each once, with the colour of its curve."""
    rates: dict[float, str] = {}
    for one in found:
        if one.curve.at is not None and one.curve.at.prior is not None:
            rates.setdefault(one.curve.at.prior, one.style.colour)
    return list(rates.items())


def _positives_are_rare(found: list[NamedCurve], log: Log) -> bool:
    """Whether an axis is logarithmic: as it was given, or where positives are rarer than 1 in
    100.
    """
    return (
        any(0 < prior < SMALL_PRIOR for prior, _ in _priors_and_colours(found))
        if log is None
        else log
    )


# ----------------------------------------------------------------------
# Costs: the cost curve with its lines, decision curves, differences with their bands, the winner
# map.


# More lines than this are one grey area.
MOST_LINES = 60
MOST_BORDERS = 12


def cost_panel(
    curves: AnyCurves,
    *,
    lines: tuple[Any, Any, Any] | None = None,
    bands: Band | Sequence[Band] = (),
    points: Chosen = (),
) -> Panel:
    """The least cost at every effective prior, under flagging nothing and flagging everything; with
    `cost_lines`, the line of each threshold.

    Drummond & Holte 2006; Weng & Poon 2008, Fig. 6.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> panel = br.plots.cost_panel(br.curve(counts, "cost"), lines=br.curves.cost_lines(counts))
    >>> [part.name for part in panel.legend]
    ['one threshold', 'flag nothing', 'flag everything']
    """
    behind: list[Part] = [
        Line((0.0, 1.0), (0.0, 1.0), "flag nothing", REFERENCE),
        Line((0.0, 1.0), (1.0, 0.0), "flag everything", Style("grey", "dotted", 1.2)),
    ]
    if lines is not None:
        starts, ends = (np.asarray(column, dtype=np.float64) for column in lines[:2])
        kept = np.linspace(0, len(starts) - 1, min(len(starts), MOST_LINES)).astype(np.intp)
        pairs = zip(starts[kept].tolist(), ends[kept].tolist(), strict=True)
        behind = [Line((0.0, 1.0), pair, "one threshold", FAINT) for pair in pairs] + behind
    found = name_curves(curves, ("cost",))
    space = Space(*axes_of(found), behind, square=False)
    return panel_of(found, space, points=points, bands=bands)


def decision_panel(
    curves: AnyCurves, *, most: float | None = None, log: bool | None = None
) -> Panel:
    """Net benefit against the threshold probability, beside acting on nobody and on everybody.
    Vickers & Elkin 2006.

    Between two scores the same cases are acted on, and the benefit falls with the threshold
    probability: that is what is drawn. `most` is where the axis ends; it is logarithmic where
    positives are rarer than 1 in 100.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> panel = br.plots.decision_panel(br.curve(counts, "decision"))
    >>> [part.name for part in panel.legend]
    ['act on nobody', 'act on everybody']
    """
    found = name_curves(curves, ("decision",))
    end = most if most is not None else min(0.99, max(float(one.curve.x.max()) for one in found))
    highest = max(float(np.nanmax(one.curve.y)) for one in found)
    highest = highest if highest > 0 else 0.1
    y = linear_axis(axis_label("net_benefit"), -0.35 * highest, 1.1 * highest)
    x, t = _threshold_probabilities(found, end, log)
    several = len({prior for prior, _ in _priors_and_colours(found)}) > 1
    parts: list[Part] = [Line((x.low, 1.0), (0.0, 0.0), "act on nobody", REFERENCE)]
    for one in found:
        name = f"act on everybody{f', {one.name}' if several else ''}"
        prior = one.curve.at.prior if one.curve.at is not None else math.nan
        parts.append(Line(t, act_on_everybody(t, prior), name, Style("grey", "dotted", 1.2)))
    parts += [Line(*_benefits_between(one.curve, t, x, y), one.name, one.style) for one in found]
    title = CURVES["decision"].title
    spoken = describe_panel(title, x, y, [one.name for one in found])
    return Panel(title, x, y, tuple(parts), spoken, square=False)


def _threshold_probabilities(found: list[NamedCurve], end: float, log: Log) -> tuple[Axis, Floats]:
    """The axis of threshold probabilities, and places along it: on a logarithmic one from a tenth
    of the lowest base rate on, below which everybody is acted on.
    """
    last = min(end, 0.999)
    if not _positives_are_rare(found, log):
        return linear_axis(axis_label("t"), 0.0, max(end, 0.01)), np.linspace(0.0, last, SAMPLES)
    first = min([last, *(prior for prior, _ in _priors_and_colours(found))]) / 10
    return log_axis(axis_label("t"), first, last), np.geomspace(first, last, SAMPLES)


def _benefits_between(curve: Curve, t: Floats, x: Axis, y: Axis) -> tuple[Floats, Floats]:
    """The net benefit at these places, at each score, and just above it, where its cases are no
    longer acted on.
    """
    above = np.minimum(np.nextafter(curve.x, 1.0), 1 - 1e-12)
    across = np.unique(np.concatenate((t, curve.x, above)))
    benefits, _ = benefits_at(curve, across)
    kept = visible_points(x.place(across), y.place(benefits))
    return across[kept], benefits[kept]


def difference_panel(bands: Band | Mapping[str, Band], *, title: str | None = None) -> Panel:
    """The difference of two models along a curve or the base rate, with its band; where the band
    leaves 0, one is better.

    >>> import baserate as br
    >>> y, a, b = [0] * 60 + [1] * 40, list(range(100)), [*range(20, 80), *range(60, 100)]
    >>> panel = br.plots.difference_panel(br.curves.difference_band(br.count(y, {"a": a, "b": b}), "cost", x=[0.2, 0.5]))
    >>> panel.title
    'b - a: normalized_cost along effective_prior'
    """  # noqa: E501
    given = {"": bands} if isinstance(bands, Band) else dict(bands)
    areas = bands_of(list(given.values()))
    first = next(iter(given.values()))
    x = _axis_of_places(first)
    y = spanning_axis(
        axis_label(first.y_label),
        np.concatenate([np.concatenate((one.low, one.high, [0.0])) for one in given.values()]),
        room=0.04,
    )
    of = "" if first.models is None else f"{first.models[1]} - {first.models[0]}: "
    heading = f"{of}{first.y_label} along {first.x_label}" if title is None else title
    lines = [
        Line(one.x, one.y, name, series_style(i)) for i, (name, one) in enumerate(given.items())
    ]
    parts = (*areas, Line((x.low, x.high), (0.0, 0.0), "", REFERENCE), *lines)
    return Panel(heading, x, y, parts, describe_panel(heading, x, y), square=False)


def _axis_of_places(band: Band) -> Axis:
    log = (
        band.x_label == "prior"
        and len(band.x) > 1
        and bool((band.x > 0).all())
        and float(band.x.max() / band.x.min()) > 20
    )
    if log:
        return log_axis(axis_label("prior"), float(band.x.min()), float(band.x.max()))
    return spanning_axis(axis_label(band.x_label), band.x)


def winner_map_panel(
    winners: WinnerMap,
    *,
    priors: tuple[float, float] = (1e-5, 0.5),
    cost_ratios: tuple[float, float] = (1e-3, 1.0),
) -> Panel:
    """Which model is cheapest at each base rate and cost ratio: coloured regions between
    borders that are straight by odds.

    Darker areas are where models cannot be distinguished, if the map knows.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[60, 30, 10], negatives=[10, 200, 790])
    >>> panel = br.plots.winner_map_panel(br.robustness.winner_map({"a": a}))
    >>> [part.name for part in panel.legend]
    ['flag nothing', 'a', 'flag everything']
    """
    check_kind(winners, WinnerMap, "a winner map", "winner_map(models)")
    if not winners.wins:
        raise refuse(
            "BR650",
            "under this rule the winners depend on the base rate, so there is no single map",
            "winner_map(models), without it",
        )
    x, y = (
        log_axis(axis_label("prior"), *priors),
        log_axis("cost of a false alarm, in misses", *cost_ratios),
    )
    across = np.geomspace(*priors, 201)
    odds = across / (1 - across)
    names = list(dict.fromkeys(" = ".join(win.models) for win in winners.wins))
    colour = dict(zip(names, _region_colours(names, winners.models), strict=True))
    parts: list[Part] = []
    for name, least, most in _merge_wins(winners):
        below, above = _cost_ratio_at(odds, most), _cost_ratio_at(odds, least)
        if ((below < y.high) & (above > y.low)).any():
            parts.append(
                Area(
                    across,
                    np.clip(below, y.low, y.high),
                    np.clip(above, y.low, y.high),
                    name,
                    colour[name],
                    0.45,
                )
            )
    # Where one model changes its threshold there is a border too, as long as they can be told
    # apart.
    shown = [border.effective_prior for border in winners.borders]
    shown = (
        shown if len(shown) <= MOST_BORDERS else [least for _, least, _ in _merge_wins(winners)][1:]
    )
    parts += [
        Line(across, _cost_ratio_at(odds, effective), "", Style("black", "solid", 0.8))
        for effective in shown
    ]
    for doubt in winners.apart.doubts if winners.apart is not None else ():
        low, high = (
            np.clip(_cost_ratio_at(odds, effective), y.low, y.high)
            for effective in (doubt.high, doubt.low)
        )
        parts.append(Area(across, low, high, "not distinguished", "black", 0.25))
    return Panel(
        "Which model is cheapest",
        x,
        y,
        tuple(parts),
        describe_panel("Which model is cheapest", x, y, names),
    )


def _merge_wins(winners: WinnerMap) -> list[tuple[str, float, float]]:
    """Who wins from which effective prior to which, whatever the threshold."""
    found: list[tuple[str, float, float]] = []
    for win in winners.wins:
        name = " = ".join(win.models)
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1], win.high)
        else:
            found.append((name, win.low, win.high))
    return found


def _region_colours(names: Sequence[str], models: Sequence[str]) -> list[str]:
    """Models in the colours of their curves, ties in colours of their own, one answer for all in
    grey or black.
    """
    colours = {"flag nothing": "grey", "flag everything": "black"} | {
        model: series_style(place).colour for place, model in enumerate(models)
    }
    ties = itertools.count(len(models))
    return [colours[name] if name in colours else series_style(next(ties)).colour for name in names]


def _cost_ratio_at(odds: Any, effective: float) -> Any:
    """The cost ratio at which these odds have this effective prior."""
    if effective <= 0:
        return np.full(len(odds), np.inf)
    return odds * ((1 - effective) / effective)


# ----------------------------------------------------------------------
# Scores and cases: reliability, histograms by class, densities with a threshold, scatter plots with
# boundaries, the tree of outcomes.


CLASSES = (("positive", "vermillion"), ("negative", "blue"))


checked_bins = WholeCheck("BR542", "bins is a whole number from 1 to 1000", "bins=30", 1, 1000)


def histogram_panel(counts: Counts, *, bins: int = 30, threshold: float | None = None) -> Panel:
    """How the scores of each class spread: the share of the class in each of the bins, and a
    threshold between them.

    >>> import baserate as br
    >>> panel = br.plots.histogram_panel(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), bins=2, threshold=0.5)
    >>> [part.high for part in panel.parts[:1]]
    [(0.5, 0.5, 0.5, 0.5)]
    """  # noqa: E501
    if not isinstance(counts, Counts) or not len(counts.scores):
        raise refuse(
            "BR429",
            f"a histogram is made of Counts with cases, got {type(counts).__name__}",
            "count(...)",
        )
    refuse_merged(counts, "a histogram shows how all scores spread")
    checked_bins(bins)
    scores = counts.scores.astype(np.float64)
    known = scores[np.isfinite(scores)]
    axis = spanning_axis("score", known)
    edges = np.linspace(axis.low, axis.high, bins + 1)
    held = np.clip(scores, axis.low, axis.high)
    place = np.clip(np.searchsorted(edges, held, side="right") - 1, 0, bins - 1)
    parts: list[Part] = []
    highest = 0.0
    for (name, colour), values in zip(CLASSES, (counts.positives, counts.negatives), strict=True):
        total = float(values.sum())
        if not total:
            continue
        shares = np.bincount(place, weights=values, minlength=bins) / total
        across, up = np.repeat(edges, 2)[1:-1], np.repeat(shares, 2)
        parts.append(Area(across, np.zeros(2 * bins), up, f"{name}s", colour, 0.4))
        highest = max(highest, float(shares.max()))
    height = linear_axis("share of the class", 0.0, highest * 1.05)
    if threshold is not None:
        text, top = f"flagged from {threshold:.6g} on", height.high
        style = Style("black", "dashed", 1.4)
        parts.append(Line((threshold, threshold), (height.low, top), "", style))
        parts.append(Words(threshold, top, text, "black", "start", 0.4, -1.2))
    title = "Scores by class"
    spoken = describe_panel(title, axis, height, ("positives", "negatives"))
    return Panel(title, axis, height, tuple(parts), spoken, square=False)


def outcome_tree_panel(point: OperatingPoint | Confusion) -> Panel:
    """From all cases to those flagged and passed, and to what they are: the tree of outcomes.
    Landgrebe et al. 2004, Fig. 2.

    >>> import baserate as br
    >>> panel = br.plots.outcome_tree_panel(br.Confusion(tp=40, fp=10, fn=10, tn=40))
    >>> [part.text for part in panel.parts if hasattr(part, "text")][:2]
    ['100 cases', 'classified']
    """
    confusion = point.confusion if isinstance(point, OperatingPoint) else point
    check_kind(confusion, Confusion, "a confusion", "choose(counts), or Confusion(tp=…)")
    tp, fp, fn, tn = (float(value) for value in confusion)
    flagged, passed = tp + fp, tn + fn
    spoken = (
        f"Of {_format_cases(flagged + passed)} cases {_format_cases(flagged)} are flagged:"
        f" {_format_cases(tp)} positives and {_format_cases(fp)} false alarms."
    )
    upper, lower = (0.45, 0.76), (0.45, 0.24)
    parts: list[Part] = []
    # Each node with where it hangs, and whether it is right.
    for at, before, amount, what, colour in (
        ((0.12, 0.5), None, f"{_format_cases(flagged + passed)} cases", "classified", ""),
        (upper, (0.12, 0.5), f"POS {_format_cases(flagged)}", "flagged", "grey"),
        (lower, (0.12, 0.5), f"NEG {_format_cases(passed)}", "passed", "grey"),
        ((0.85, 0.89), upper, f"TP {_format_cases(tp)}", "positives flagged", "green"),
        ((0.85, 0.63), upper, f"FP {_format_cases(fp)}", "false alarms", "grey"),
        ((0.85, 0.37), lower, f"TN {_format_cases(tn)}", "negatives passed", "green"),
        ((0.85, 0.11), lower, f"FN {_format_cases(fn)}", "misses", "grey"),
    ):
        if before is not None:
            ends = (before[0] + 0.13, at[0] - 0.14), (before[1], at[1])
            parts.append(Line(*ends, "", Style(colour, "solid", 1.4)))
        parts.append(Words(*at, amount, "black", "middle", up=0.15))
        parts.append(Words(*at, what, "grey", "middle", up=-1.05))
    bare = Axis("", 0.0, 1.0)
    title = "From cases to outcomes"
    return Panel(title, bare, bare, tuple(parts), spoken, square=False, frame=False)


def _format_cases(value: float) -> str:
    return grouped(int(value)) if value == math.floor(value) else f"{value:.4g}"


# ----------------------------------------------------------------------
# Which panel belongs to which curve.


PANELS: dict[str, Callable[..., Panel]] = {
    "roc": roc_panel,
    "roc_hull": roc_panel,
    "cost": cost_panel,
    "decision": decision_panel,
}


def _draw_curves(curves: AnyCurves, options: dict[str, Any]) -> Panel:
    """Curves of one kind, in the panel of their kind."""
    kind = name_curves(curves)[0].curve.name
    return PANELS.get(kind, curve_panel)(curves, **options)


# ----------------------------------------------------------------------
# The picture of a result: what its `plot` method draws.


# The window of a winner map.
MAP_PRIORS, MAP_COST_RATIOS = (1e-6, 0.5), (1e-4, 1.0)


def draw_result(result: Any, *, ax: Any = None, **given: Any) -> Panel:
    """The panel that shows this result; drawn on these axes of matplotlib where they are given."""
    panel = _panel_of(result, given)
    if ax is not None:
        panel.matplotlib(ax)
    return panel


def _panel_of(result: Any, given: dict[str, Any]) -> Panel:
    if isinstance(result, Curve):
        return _draw_curves(result, {**_drawn_with([result]), **given})
    if isinstance(result, Curves):
        models: dict[str, list[Curve]] = {}
        for model, curve in result.by_model():
            models.setdefault(model, []).append(curve)
        options = {**_drawn_with(list(result.values())), **given}
        return _draw_curves(models if any(models) else list(result.values()), options)
    if isinstance(result, OperatingPoint):
        return outcome_tree_panel(result, **given)
    if isinstance(result, LeastRegretChoice):
        return _least_regret_panel(result, given)
    if isinstance(result, Choice):
        return _choice_panel(result, given)
    if isinstance(result, WinnerMap):
        return winner_map_panel(result, **given)
    if isinstance(result, Band):
        return difference_panel(result, **given)
    raise refuse("BR650", f"a {type(result).__name__} has no picture", "to_frame()")


def _least_regret_panel(choice: LeastRegretChoice, given: dict[str, Any]) -> Panel:
    """The map of winners over base rates and cost ratios that people meet."""
    found = None if choice.recommendation is None else choice.recommendation.map
    if found is None:
        raise refuse(
            "BR650",
            "the winners differ between sites or with the rule, so there is no single map",
            "leave by= and the rule out",
        )
    window = {"priors": MAP_PRIORS, "cost_ratios": MAP_COST_RATIOS}
    return winner_map_panel(found, **{**window, **given})


def _drawn_with(curves: Sequence[Curve]) -> dict[str, Any]:
    """Return the bands of curves, and the isolines and the baseline that they share."""
    first, bands = curves[0], [curve.band for curve in curves if curve.band is not None]
    parts = {"isolines": first.isolines, "baseline": first.baseline, "bands": bands}
    return {name: part for name, part in parts.items() if part}


def _choice_panel(choice: Choice, given: dict[str, Any]) -> Panel:
    """The ROC of every model, with the chosen points."""
    if not choice.sources:
        raise refuse(
            "BR650", "this choice does not keep the counts that it was made on", "roc(x).plot()"
        )
    curves = {name: roc(choice.sources[name]) for name in choice.points}
    return roc_panel(curves, points=dict(choice.points), **given)
