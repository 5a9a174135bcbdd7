"""The picture of a result: what its `plot` method draws."""

from __future__ import annotations

from typing import Any

from baserate.curves.curve import Curve, Curves
from baserate.curves.named import CURVES, roc
from baserate.decisions.amount_costs import AmountPoint
from baserate.decisions.operating_point import OperatingPoint
from baserate.decisions.selection import Choice
from baserate.errors import refuse
from baserate.inference.bands import Band
from baserate.plots import figures
from baserate.plots.panels import Panel
from baserate.robustness.winner_regions import WinnerMap


def picture(result: Any, **given: Any) -> Panel:
    """The panel that shows this result."""
    if isinstance(result, Curve | Curves):
        return _curves(result, given)
    if isinstance(result, OperatingPoint | AmountPoint):
        point = result.point if isinstance(result, AmountPoint) else result
        return figures.outcome_tree_panel(point, **given)
    if isinstance(result, Choice):
        return _choice(result, given)
    if isinstance(result, WinnerMap):
        return figures.winner_map_panel(result, **given)
    if isinstance(result, Band):
        return figures.difference_panel(result, **given)
    raise refuse("BR651", f"a {type(result).__name__} has no picture", "to_frame()")


def _curves(result: Curve | Curves, given: dict[str, Any]) -> Panel:
    """Curves of one kind, in the panel of their kind."""
    listed = [result] if isinstance(result, Curve) else list(result.values())
    named = isinstance(result, Curves) and all(isinstance(key, str) for key in result)
    entry = CURVES.get(listed[0].name)
    draw: Any = figures.curve_panel if entry is None else getattr(figures, entry.panel)
    found: Panel = draw(result if named else listed, **given)
    return found


def _choice(choice: Choice, given: dict[str, Any]) -> Panel:
    """The ROC of every model, with the chosen points."""
    if not choice.sources:
        raise refuse(
            "BR651", "this choice does not keep the counts that it was made on", "roc(x).plot()"
        )
    curves = {name: roc(choice.sources[name]) for name in choice.points}
    return figures.roc_panel(curves, points=dict(choice.points), **given)
