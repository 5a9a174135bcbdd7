"""The curves by name, for the command line and for the page that lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from baserate.curves import costs, named
from baserate.curves.values import Curve


class Entry(NamedTuple):
    """A curve, and what it takes: conditions, and whether every threshold may be asked for."""

    make: Callable[..., Curve]
    conditions: bool
    every: bool = False


CURVES: dict[str, Entry] = {
    "roc": Entry(named.roc, conditions=False, every=True),
    "roc_hull": Entry(named.roc_hull, conditions=False),
    "det": Entry(named.det, conditions=False, every=True),
    "pr": Entry(named.pr, conditions=True, every=True),
    "pr_gain": Entry(named.pr_gain, conditions=True, every=True),
    "broc": Entry(named.broc, conditions=True),
    "posfrac": Entry(named.posfrac_curve, conditions=True, every=True),
    "gain": Entry(named.gain_curve, conditions=True, every=True),
    "lift": Entry(named.lift_curve, conditions=True, every=True),
    "ks": Entry(named.ks_curve, conditions=False),
    "cost": Entry(costs.cost_curve, conditions=False),
    "cost_threshold": Entry(named.cost_threshold_curve, conditions=True),
    "brier": Entry(costs.brier_curve, conditions=True),
    "decision": Entry(costs.decision_curve, conditions=True),
}
