"""Which panel belongs to which curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from baserate.curves.values import Curve
from baserate.plots.base_rate_figures import broc_panel, curve_panel, gain_panel, lift_panel, posfrac_panel, pr_panel
from baserate.plots.cost_figures import cost_panel, cost_threshold_panel, decision_panel
from baserate.plots.panels import Panel
from baserate.plots.roc_figures import det_panel, roc_panel
from baserate.plots.score_figures import reliability_panel

PANELS: dict[str, Callable[[Any], Panel]] = {
    "roc": roc_panel,
    "roc_hull": roc_panel,
    "det": det_panel,
    "pr": pr_panel,
    "broc": broc_panel,
    "posfrac": posfrac_panel,
    "gain": gain_panel,
    "lift": lift_panel,
    "cost": cost_panel,
    "cost_threshold": cost_threshold_panel,
    "decision": decision_panel,
    "reliability": reliability_panel,
}


def panel_for(curves: Sequence[tuple[str, Curve]]) -> Panel:
    """The panel of curves of one kind, each with the name of its model: one curve a model, or one a model and base rate."""
    models: dict[str, list[Curve]] = {}
    for model, curve in curves:
        models.setdefault(model, []).append(curve)
    return PANELS.get(curves[0][1].name, curve_panel)(models)
