"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one
you tested on.
"""

from __future__ import annotations

TYPE_CHECKING = False  # to type checkers it is true; `typing` is not loaded for it
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

# Every public name, by the module that defines it. A name is loaded at its first use, so that
# `import baserate` costs little more than NumPy. `make docs` writes __init__.pyi, for type
# checkers, and docs/reference.md from this table.
PUBLIC: dict[str, tuple[str, ...]] = {
    "conditions": ("Conditions", "Costs", "Cut", "Uncertain"),
    "counts.amounts": ("Amounts",),
    "counts.counts": ("Counts",),
    "counts.grouped": ("GroupedCounts",),
    "counts.joint": ("JointCounts",),
    "counts.points": ("Points",),
    "counts.unlabelled": ("Unlabelled",),
    "curves.areas": (
        "auc",
        "auc_bounds",
        "auprc",
        "average_precision",
        "cost_area",
        "gini",
        "h_measure",
        "ks",
        "min_cost",
        "partial_auc",
        "strip_weights",
        "weighted_auc",
        "weighted_auc_chance",
        "weighted_cost_area",
        "weighted_pr_area",
    ),
    "curves.calibration": (
        "Decomposition",
        "brier",
        "brier_decomposition",
        "calibration_error",
        "log_loss",
    ),
    "curves.curve": ("Curve", "npv_prior_curve", "precision_prior_curve", "sweep", "trace"),
    "curves.named": (
        "amount_cost_curve",
        "amount_missed_curve",
        "brier_curve",
        "broc",
        "cost_curve",
        "cost_lines",
        "cost_threshold_curve",
        "decision_curve",
        "det",
        "family",
        "gain_curve",
        "ks_curve",
        "lift_curve",
        "posfrac_curve",
        "pr",
        "pr_gain",
        "reliability_curve",
        "roc",
        "roc_hull",
        "to_broc",
    ),
    "curves.summaries": ("Summary",),
    "decisions.amount_costs": (
        "AmountChoice",
        "AmountPoint",
        "choose_amount",
        "flag_amount_at",
    ),
    "decisions.operating_point": ("OperatingPoint",),
    "decisions.roc_geometry": (
        "Baseline",
        "Crossing",
        "Stretch",
        "Superiority",
        "Win",
        "ideal_baseline",
        "superiority",
        "winners",
    ),
    "decisions.selection": ("Choice", "Fixed", "choose", "fix", "flag_at", "random_classifier"),
    "distributions": ("Distribution", "Draws", "LogNormal", "LogUniform", "Pilot", "Range"),
    "errors": ("Infeasible", "InputError"),
    "inference.amount_intervals": ("amount_intervals", "choose_amount_model"),
    "inference.bands": (
        "Band",
        "FoldCurve",
        "FoldMean",
        "average_curve",
        "band",
        "difference_band",
        "fold_mean",
    ),
    "inference.best_model": ("choose_model",),
    "inference.differences": ("compare", "compare_all"),
    "inference.intervals": ("interval",),
    "inference.label_errors": (
        "LabelErrors",
        "Verified",
        "label_error_table",
        "under_label_errors",
        "under_verification",
    ),
    "inference.large_differences": ("compare_auc_file", "compare_frame"),
    "inference.paired": ("mcnemar_p",),
    "inference.rates": ("rate_interval",),
    "inference.requirements": ("non_inferiority", "require"),
    "inference.sample_size": (
        "Cases",
        "Detectable",
        "Support",
        "cases_for_auc",
        "cases_for_mcnemar",
        "cases_needed",
        "power_to_show",
        "sample_support",
        "smallest_detectable",
        "smallest_rate_shown",
    ),
    "inference.values": (
        "Check",
        "Difference",
        "Interval",
        "NonInferiority",
        "Part",
        "Requirement",
    ),
    "measures.calculator": ("Rates", "Solved", "solve_rates"),
    "measures.confusion": ("Confusion", "measure"),
    "measures.isolines": ("IsoCost", "Isoline", "iso_cost_line", "isoline"),
    "measures.measure": ("Measure",),
    "notes": ("Ledger", "Note", "Source"),
    "numbers": ("Bounds", "Reading", "Undefined"),
    "plots.displays": (
        "BRocDisplay",
        "BrierCurveDisplay",
        "CostCurveDisplay",
        "CostThresholdDisplay",
        "DecisionCurveDisplay",
        "GainDisplay",
        "KsDisplay",
        "LiftDisplay",
        "PosfracDisplay",
        "PrGainDisplay",
    ),
    "plots.figures": (
        "broc_mapping_figure",
        "broc_panel",
        "cost_panel",
        "cost_threshold_panel",
        "curve_panel",
        "decision_panel",
        "density_panel",
        "det_panel",
        "difference_panel",
        "gain_panel",
        "histogram_panel",
        "isoline_figure",
        "lift_panel",
        "outcome_tree_panel",
        "posfrac_panel",
        "pr_panel",
        "reliability_panel",
        "roc_panel",
        "scatter_panel",
        "strips_panel",
        "winner_map_panel",
    ),
    "plots.panels": ("Figure", "Panel"),
    "read.arrays": ("count", "count_classes", "count_groups", "count_models", "macro"),
    "read.files": (
        "count_amounts",
        "count_amounts_file",
        "count_days",
        "count_days_file",
        "count_file",
        "count_groups_file",
        "count_models_file",
        "count_unlabelled",
        "count_unlabelled_file",
        "load",
    ),
    "read.frames": ("count_frame", "count_groups_frame", "count_models_frame"),
    "read.large": ("count_chunks",),
    "reports.page": ("Report", "report"),
    "robustness.decision": (
        "Decision",
        "InformationValue",
        "RegretMixture",
        "decide",
        "value_of_information",
    ),
    "robustness.expectation": ("Expectation", "Outlook", "expect", "expect_curve"),
    "robustness.leaders": ("BestRecall", "Lead", "best_recall"),
    "robustness.minimax": ("Regret", "regret"),
    "robustness.sensitivity": ("Change", "Stability", "Stays", "stability"),
    "robustness.triage_zones": ("Triage", "triage"),
    "robustness.winner_regions": (
        "Border",
        "SignificanceRegion",
        "Undecided",
        "WinnerMap",
        "winner_map",
    ),
    "segments.days": ("Day", "Days", "by_day"),
    "segments.groups": ("Slice", "Slices", "by_group"),
    "shift.correct": ("Calibration", "calibrate", "correct_prior", "correct_probabilities"),
    "shift.estimate": ("PriorEstimate", "ShiftCheck", "check_label_shift", "estimate_prior"),
}

_MODULE_OF = {name: module for module, names in PUBLIC.items() for name in names}
__all__ = ["__version__", *sorted(_MODULE_OF)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'baserate' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"baserate.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
