"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one you tested on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate.calculator import Rates, Solved, solve_rates
    from baserate.conditions import Conditions, Cut
    from baserate.costs import Costs
    from baserate.counts import Counts
    from baserate.curves.costs import brier_curve, cost_curve, cost_lines, decision_curve
    from baserate.curves.named import (
        broc,
        cost_threshold_curve,
        det,
        family,
        gain_curve,
        ks_curve,
        lift_curve,
        posfrac_curve,
        pr,
        pr_gain,
        roc,
        roc_hull,
        to_broc,
    )
    from baserate.curves.sweeping import npv_prior_curve, precision_prior_curve, sweep
    from baserate.curves.tracing import trace
    from baserate.curves.values import Curve
    from baserate.decisions.baselines import Baseline, ideal_baseline
    from baserate.decisions.borders import Win, winners
    from baserate.decisions.choosing import choose, flag_at, guess
    from baserate.decisions.crossings import Crossing, Stretch, Superiority, superiority
    from baserate.decisions.fixing import Fixed, fix
    from baserate.decisions.models import Choice, choose_model
    from baserate.decisions.operating import OperatingPoint
    from baserate.engines.arrays import count, count_groups, count_models
    from baserate.engines.classes import count_classes, macro
    from baserate.engines.saved import load
    from baserate.errors import Infeasible, InputError
    from baserate.grouped import GroupedCounts
    from baserate.isolines import IsoCost, Isoline, iso_cost_line, isoline
    from baserate.joint import JointCounts
    from baserate.measures.confusions import Confusion, measure
    from baserate.measures.values import Measure
    from baserate.notes import Ledger, Note, Source
    from baserate.points import Points
    from baserate.readings import Reading
    from baserate.summaries.costs import cost_area, h_measure, min_cost
    from baserate.summaries.precision import auprc, average_precision
    from baserate.summaries.probabilities import Decomposition, brier, brier_decomposition, calibration_error, log_loss
    from baserate.summaries.ranking import Bounds, auc, auc_bounds, gini, ks, partial_auc
    from baserate.summaries.values import Summary
    from baserate.summaries.weighted import strip_weights, weighted_auc, weighted_auc_chance, weighted_cost_area, weighted_pr_area
    from baserate.undefined import Undefined

__version__ = "0.1.0"

# Where each public name lives: loaded when it is first asked for, so that `import baserate` costs little more than NumPy.
_HOMES = {
    "calculator": ("Rates", "Solved", "solve_rates"),
    "conditions": ("Conditions", "Cut"),
    "costs": ("Costs",),
    "counts": ("Counts",),
    "curves.costs": ("brier_curve", "cost_curve", "cost_lines", "decision_curve"),
    "curves.named": (
        "broc",
        "cost_threshold_curve",
        "det",
        "family",
        "gain_curve",
        "ks_curve",
        "lift_curve",
        "posfrac_curve",
        "pr",
        "pr_gain",
        "roc",
        "roc_hull",
        "to_broc",
    ),
    "curves.sweeping": ("npv_prior_curve", "precision_prior_curve", "sweep"),
    "curves.tracing": ("trace",),
    "curves.values": ("Curve",),
    "decisions.baselines": ("Baseline", "ideal_baseline"),
    "decisions.borders": ("Win", "winners"),
    "decisions.choosing": ("choose", "flag_at", "guess"),
    "decisions.crossings": ("Crossing", "Stretch", "Superiority", "superiority"),
    "decisions.fixing": ("Fixed", "fix"),
    "decisions.models": ("Choice", "choose_model"),
    "decisions.operating": ("OperatingPoint",),
    "engines.arrays": ("count", "count_groups", "count_models"),
    "engines.classes": ("count_classes", "macro"),
    "engines.saved": ("load",),
    "errors": ("Infeasible", "InputError"),
    "grouped": ("GroupedCounts",),
    "isolines": ("IsoCost", "Isoline", "iso_cost_line", "isoline"),
    "joint": ("JointCounts",),
    "measures.confusions": ("Confusion", "measure"),
    "measures.values": ("Measure",),
    "notes": ("Ledger", "Note", "Source"),
    "points": ("Points",),
    "readings": ("Reading",),
    "summaries.costs": ("cost_area", "h_measure", "min_cost"),
    "summaries.precision": ("auprc", "average_precision"),
    "summaries.probabilities": ("Decomposition", "brier", "brier_decomposition", "calibration_error", "log_loss"),
    "summaries.ranking": ("Bounds", "auc", "auc_bounds", "gini", "ks", "partial_auc"),
    "summaries.values": ("Summary",),
    "summaries.weighted": ("strip_weights", "weighted_auc", "weighted_auc_chance", "weighted_cost_area", "weighted_pr_area"),
    "undefined": ("Undefined",),
}
_MODULE_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Baseline",
    "Bounds",
    "Choice",
    "Conditions",
    "Confusion",
    "Costs",
    "Counts",
    "Crossing",
    "Curve",
    "Cut",
    "Decomposition",
    "Fixed",
    "GroupedCounts",
    "Infeasible",
    "InputError",
    "IsoCost",
    "Isoline",
    "JointCounts",
    "Ledger",
    "Measure",
    "Note",
    "OperatingPoint",
    "Points",
    "Rates",
    "Reading",
    "Solved",
    "Source",
    "Stretch",
    "Summary",
    "Superiority",
    "Undefined",
    "Win",
    "__version__",
    "auc",
    "auc_bounds",
    "auprc",
    "average_precision",
    "brier",
    "brier_curve",
    "brier_decomposition",
    "broc",
    "calibration_error",
    "choose",
    "choose_model",
    "cost_area",
    "cost_curve",
    "cost_lines",
    "cost_threshold_curve",
    "count",
    "count_classes",
    "count_groups",
    "count_models",
    "decision_curve",
    "det",
    "family",
    "fix",
    "flag_at",
    "gain_curve",
    "gini",
    "guess",
    "h_measure",
    "ideal_baseline",
    "iso_cost_line",
    "isoline",
    "ks",
    "ks_curve",
    "lift_curve",
    "load",
    "log_loss",
    "macro",
    "measure",
    "min_cost",
    "npv_prior_curve",
    "partial_auc",
    "posfrac_curve",
    "pr",
    "pr_gain",
    "precision_prior_curve",
    "roc",
    "roc_hull",
    "solve_rates",
    "strip_weights",
    "superiority",
    "sweep",
    "to_broc",
    "trace",
    "weighted_auc",
    "weighted_auc_chance",
    "weighted_cost_area",
    "weighted_pr_area",
    "winners",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'baserate' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"baserate.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
