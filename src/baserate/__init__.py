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
    from baserate.engines.file_counts import count_file, count_groups_file, count_models_file
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
    from baserate.uncertain import Draws, LogUniform, Pilot, Range, Uncertain
    from baserate.uncertainty.adequacy import Support, cases_needed, power_to_show, smallest_rate_shown, support
    from baserate.uncertainty.bands import Band, band, difference_band
    from baserate.uncertainty.comparing import compare, compare_all
    from baserate.uncertainty.folds import FoldCurve, FoldMean, average_curve, fold_mean
    from baserate.uncertainty.gates import Check, Part, Regression, Requirement, regression, require
    from baserate.uncertainty.intervals import interval
    from baserate.uncertainty.label_errors import LabelErrors, Verified, label_error_table, under_label_errors, under_verification
    from baserate.uncertainty.matched import mcnemar_p
    from baserate.uncertainty.planning import Cases, Detectable, cases_for_auc, cases_for_mcnemar, smallest_detectable
    from baserate.uncertainty.rates import rate_interval
    from baserate.uncertainty.values import Difference, Interval
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
    "engines.file_counts": ("count_file", "count_groups_file", "count_models_file"),
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
    "uncertain": ("Draws", "LogUniform", "Pilot", "Range", "Uncertain"),
    "uncertainty.comparing": ("compare", "compare_all"),
    "uncertainty.intervals": ("interval",),
    "uncertainty.rates": ("rate_interval",),
    "uncertainty.values": ("Difference", "Interval"),
    "uncertainty.bands": ("Band", "band", "difference_band"),
    "uncertainty.folds": ("FoldCurve", "FoldMean", "average_curve", "fold_mean"),
    "uncertainty.gates": ("Check", "Part", "Regression", "Requirement", "regression", "require"),
    "uncertainty.matched": ("mcnemar_p",),
    "uncertainty.adequacy": ("Support", "cases_needed", "power_to_show", "smallest_rate_shown", "support"),
    "uncertainty.planning": ("Cases", "Detectable", "cases_for_auc", "cases_for_mcnemar", "smallest_detectable"),
    "uncertainty.label_errors": ("LabelErrors", "Verified", "label_error_table", "under_label_errors", "under_verification"),
    "undefined": ("Undefined",),
}
_MODULE_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Band",
    "Baseline",
    "Bounds",
    "Cases",
    "Check",
    "Choice",
    "Conditions",
    "Confusion",
    "Costs",
    "Counts",
    "Crossing",
    "Curve",
    "Cut",
    "Decomposition",
    "Detectable",
    "Difference",
    "Draws",
    "Fixed",
    "FoldCurve",
    "FoldMean",
    "GroupedCounts",
    "Infeasible",
    "InputError",
    "Interval",
    "IsoCost",
    "Isoline",
    "JointCounts",
    "LabelErrors",
    "Ledger",
    "LogUniform",
    "Measure",
    "Note",
    "OperatingPoint",
    "Part",
    "Pilot",
    "Points",
    "Range",
    "Rates",
    "Reading",
    "Regression",
    "Requirement",
    "Solved",
    "Source",
    "Stretch",
    "Summary",
    "Superiority",
    "Support",
    "Uncertain",
    "Undefined",
    "Verified",
    "Win",
    "__version__",
    "auc",
    "auc_bounds",
    "auprc",
    "average_curve",
    "average_precision",
    "band",
    "brier",
    "brier_curve",
    "brier_decomposition",
    "broc",
    "calibration_error",
    "cases_for_auc",
    "cases_for_mcnemar",
    "cases_needed",
    "choose",
    "choose_model",
    "compare",
    "compare_all",
    "cost_area",
    "cost_curve",
    "cost_lines",
    "cost_threshold_curve",
    "count",
    "count_classes",
    "count_file",
    "count_groups",
    "count_groups_file",
    "count_models",
    "count_models_file",
    "decision_curve",
    "det",
    "difference_band",
    "family",
    "fix",
    "flag_at",
    "fold_mean",
    "gain_curve",
    "gini",
    "guess",
    "h_measure",
    "ideal_baseline",
    "interval",
    "iso_cost_line",
    "isoline",
    "ks",
    "ks_curve",
    "label_error_table",
    "lift_curve",
    "load",
    "log_loss",
    "macro",
    "mcnemar_p",
    "measure",
    "min_cost",
    "npv_prior_curve",
    "partial_auc",
    "posfrac_curve",
    "power_to_show",
    "pr",
    "pr_gain",
    "precision_prior_curve",
    "rate_interval",
    "regression",
    "require",
    "roc",
    "roc_hull",
    "smallest_detectable",
    "smallest_rate_shown",
    "solve_rates",
    "strip_weights",
    "superiority",
    "support",
    "sweep",
    "to_broc",
    "trace",
    "under_label_errors",
    "under_verification",
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
