"""Curves over base rates: share flagged, precision and recall, B-ROC, gains, lift, and any measure along the base rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baserate.exact import Floats
from baserate.plots.axes import Axis, linear
from baserate.plots.composing import LABELS, Chosen, Curves, Named, axis_of, named, panel_of
from baserate.plots.panels import REFERENCE, Line, Panel, Part, Style
from baserate.plots.roc_figures import SMALL_PRIOR
from baserate.uncertainty.bands import Band

Bands = Band | Sequence[Band]


def _priors(found: list[Named]) -> list[tuple[float, str]]:
    """The base rates of the curves, each once, with the colour of its curve."""
    rates: dict[float, str] = {}
    for one in found:
        if one.curve.at is not None and one.curve.at.prior is not None:
            rates.setdefault(one.curve.at.prior, one.style.colour)
    return list(rates.items())


def _faint(colour: str, dash: str = "dotted") -> Style:
    return Style(colour, dash, 1.0)


def _reaching(label: str, columns: list[Floats], found: list[Named]) -> Axis:
    """A logarithmic axis that goes below the smallest base rate, so that what is perfect can be seen."""
    return axis_of(label, [*columns, np.array([prior / 2 for prior, _ in _priors(found)])], log=True)


def posfrac_panel(curves: Curves, *, points: Chosen = (), bands: Bands = (), log: bool = False) -> Panel:
    """How much must be looked at, for how much that is found: one curve a base rate. Landgrebe et al. 2004, Figs 3 and 4.

    Behind them guessing (y = x), and what a perfect ranking would flag (y = prior · x); points carry their value.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> panel = br.posfrac_panel(br.family(br.posfrac_curve, counts, at=[br.Conditions(prior=p) for p in (0.5, 0.1)]))
    >>> [part.name for part in panel.legend]
    ['guessing', 'perfect', 'base rate 0.5', 'base rate 0.1']
    """

    def behind(found: list[Named], x: Axis, y: Axis) -> list[Part]:
        low = max(x.low, y.low, 1e-9)
        start = low if y.scale == "log" else 0.0
        guess = Line((start, 1.0), (start, 1.0), "guessing", REFERENCE)
        ways = [i / 100 for i in range(1 if y.scale == "log" else 0, 101)]
        if y.scale == "log":
            guess = Line(ways, ways, "guessing", REFERENCE)
        return [guess, *(Line(ways, [prior * way for way in ways], "perfect", _faint(colour)) for prior, colour in _priors(found))]

    found = named(curves, ("posfrac",))
    columns = [one.curve.y[one.curve.y > 0] for one in found]
    axes = linear(LABELS["tpr"]), _reaching("posfrac", columns, found) if log else linear(LABELS["posfrac"])
    return panel_of(curves, "Share flagged against recall", points=points, bands=bands, behind=behind, axes=axes, labelled=True)


def pr_panel(curves: Curves, *, points: Chosen = (), bands: Bands = ()) -> Panel:
    """How pure the alerts are, for how much is found: one curve a base rate, over the level of guessing (the base rate).

    >>> import baserate as br
    >>> br.pr_panel(br.pr(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))).y.label
    'precision (purity, PPV)'
    """

    def behind(found: list[Named], _x: Axis, _y: Axis) -> list[Part]:
        return [Line((0.0, 1.0), (prior, prior), "guessing", _faint(colour)) for prior, colour in _priors(found)]

    return panel_of(curves, "Precision against recall", kinds=("pr",), points=points, bands=bands, behind=behind)


def broc_panel(curves: Curves, *, points: Chosen = (), bands: Bands = ()) -> Panel:
    """What is found, for which share of alerts that are false: one B-ROC a base rate. Cárdenas & Baras 2006, Figs 4 and 6 to 9.

    Guessing is the upright line at 1 − prior.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.broc_panel(br.family(br.broc, counts, at=[br.Conditions(prior=p) for p in (0.1, 0.01)])).title
    'B-ROC'
    """

    def behind(found: list[Named], _x: Axis, _y: Axis) -> list[Part]:
        return [Line((1 - prior, 1 - prior), (0.0, 1.0), "guessing", _faint(colour)) for prior, colour in _priors(found)]

    return panel_of(curves, "B-ROC", kinds=("broc",), points=points, bands=bands, behind=behind)


def gain_panel(curves: Curves, *, points: Chosen = (), bands: Bands = (), log: bool | None = None) -> Panel:
    """What is found in the first so many cases, between guessing and a perfect ranking; logarithmic where positives are rarer than 1 in 100.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.gain_panel(br.gain_curve(counts, at=br.Conditions(prior=0.001))).x.scale
    'log'
    """
    found = named(curves, ("gain",))
    wide = any(prior < SMALL_PRIOR for prior, _ in _priors(found)) if log is None else log

    def behind(found: list[Named], x: Axis, _y: Axis) -> list[Part]:
        start = x.low if wide else 0.0
        ways = [start + (1 - start) * (i / 200) ** (4 if wide else 1) for i in range(201)]
        perfect = [Line([prior * way for way in ways] + [1.0], [*ways, 1.0], "perfect", _faint(colour)) for prior, colour in _priors(found)]
        return [Line(ways, ways, "guessing", REFERENCE), *perfect]

    across = _reaching("posfrac", [one.curve.x for one in found], found) if wide else linear(LABELS["posfrac"])
    return panel_of(curves, "Cumulative gains", points=points, bands=bands, behind=behind, axes=(across, linear(LABELS["tpr"])))


def lift_panel(curves: Curves, *, points: Chosen = (), bands: Bands = (), log: bool | None = None) -> Panel:
    """How many times as many positives as by guessing, in the first so many cases.

    >>> import baserate as br
    >>> br.lift_panel(br.lift_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))).y.low
    0.0
    """
    found = named(curves, ("lift",))
    wide = any(prior < SMALL_PRIOR for prior, _ in _priors(found)) if log is None else log
    highest = max(float(one.curve.y.max()) for one in found)

    def behind(_found: list[Named], x: Axis, _y: Axis) -> list[Part]:
        return [Line((x.low, 1.0), (1.0, 1.0), "guessing", REFERENCE)]

    axes = axis_of("posfrac", [one.curve.x for one in found], log=wide), linear("lift", 0.0, max(highest, 1.0) * 1.05)
    return panel_of(curves, "Lift", points=points, bands=bands, behind=behind, axes=axes)


def curve_panel(
    curves: Curves,
    *,
    points: Chosen = (),
    bands: Bands = (),
    log_x: bool | None = None,
    log_y: bool = False,
    title: str | None = None,
) -> Panel:
    """Any curves that share their axes: of `trace`, of `sweep`, or named ones. Base rates are on a logarithmic axis unless said otherwise.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.curve_panel(br.precision_prior_curve(counts, 0.35)).x.scale
    'log'
    """
    first = named(curves)[0].curve
    wide = first.x_label == "prior" if log_x is None else log_x
    heading = f"{first.y_label} against {first.x_label}" if title is None else title
    return panel_of(curves, heading, points=points, bands=bands, log=(wide, log_y))
