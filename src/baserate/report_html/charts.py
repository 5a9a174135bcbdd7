"""The charts of a report that needs no JavaScript: the usual panels of the points that it holds, at the first base rate asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from baserate.conditions import Conditions
from baserate.curves import costs, named
from baserate.curves.values import Curve
from baserate.decisions.operating import OperatingPoint
from baserate.errors import InputError
from baserate.isolines import IsoCost, iso_cost_line
from baserate.plots.base_rate_figures import broc_panel, gain_panel, posfrac_panel, pr_panel
from baserate.plots.cost_figures import cost_panel
from baserate.plots.panels import PALETTE, Panel
from baserate.plots.roc_figures import SMALL_PRIOR, roc_panel
from baserate.points import Points

MOST_DRAWN = len(PALETTE) - 1  # one colour a model
Curves = Mapping[str, Curve]
Chosen = Mapping[str, OperatingPoint]


def drawings(models: Mapping[str, Points], chosen: Chosen, at: Conditions) -> Iterator[Panel]:
    """ROC, B-ROC, precision, share flagged, gains and cost curve; what cannot be drawn of these cases is left out."""
    drawn = dict(list(models.items())[:MOST_DRAWN])
    points = {name: point for name, point in chosen.items() if name in drawn}
    marked = list(points.values())
    rare = any(point.at.prior is not None and point.at.prior < SMALL_PRIOR for point in marked)
    ways: tuple[Callable[[], Panel], ...] = (
        lambda: roc_panel(_curves(drawn, named.roc), points=points, iso_costs=[_one_cost(point) for point in marked[:1]], log=rare),
        lambda: broc_panel(_curves(drawn, named.broc, at), points=points),
        lambda: pr_panel(_curves(drawn, named.pr, at), points=points),
        lambda: posfrac_panel(_curves(drawn, named.posfrac_curve, at), points=points, log=rare),
        lambda: gain_panel(_curves(drawn, named.gain_curve, at), points=points),
        lambda: cost_panel(_curves(drawn, costs.cost_curve)),
    )
    for way in ways:
        try:
            yield way()
        except InputError:  # one class only: most curves do not exist
            continue


def _one_cost(point: OperatingPoint) -> IsoCost:
    return iso_cost_line(point.at, fpr=point.fpr, tpr=point.tpr)


def _curves(models: Mapping[str, Points], curve: Callable[..., Curve], at: Conditions | None = None) -> Curves:
    return {name: curve(points) if at is None else curve(points, at=at) for name, points in models.items()}
