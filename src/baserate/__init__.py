"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one
you tested on.
"""

from __future__ import annotations

TYPE_CHECKING = False  # to type checkers it is true; `typing` is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__version__ = "0.1.0"

# Every public name, by its namespace ("" is `baserate` itself) and by the module that defines it. A
# name is loaded at its first use, so that `import baserate` costs little more than NumPy.
# `make docs` writes the stubs (__init__.pyi, types.pyi, …) for type checkers, and
# docs/reference.md, from this table.
PUBLIC: dict[str, dict[str, tuple[str, ...]]] = {
    "": {
        "verbs.choices": (
            "choose",
            "fix",
        ),
        "verbs.estimators": (
            "count_estimator",
            "count_folds",
            "response",
            "scorer",
        ),
        "verbs.evidence": (
            "compare",
            "interval",
            "non_inferiority",
            "require",
        ),
        "verbs.plan": ("plan",),
        "verbs.readings": (
            "broc",
            "curve",
            "det",
            "measure",
            "pr",
            "roc",
            "summary",
            "table",
        ),
        "verbs.sources": (
            "count",
            "count_unlabelled",
        ),
        "conditions": (
            "Conditions",
            "Costs",
        ),
        "counts.amounts": ("Amounts",),
        "counts.counts": (
            "Counts",
            "JointCounts",
            "Unlabelled",
        ),
        "counts.grouped": ("GroupedCounts",),
        "counts.points": ("Points",),
        "curves.areas": ("auc",),
        "curves.curve": ("Curve",),
        "curves.summaries": ("Summary",),
        "distributions": (
            "Distribution",
            "Draws",
            "LogNormal",
            "LogUniform",
            "Pilot",
            "Range",
        ),
        "errors": (
            "Infeasible",
            "InputError",
        ),
        "inference.rates": ("rate_interval",),
        "results.choice": ("Choice",),
        "results.operating_point": ("OperatingPoint",),
        "results.values": (
            "Difference",
            "Interval",
            "Requirement",
        ),
        "measures.calculator": ("solve_rates",),
        "measures.confusion": (
            "Confusion",
            "Measure",
        ),
        "read.cases": ("count_classes",),
        "read.saved": ("load",),
        "read.sql": ("counting_sql",),
        "reports.page": (
            "Report",
            "report",
        ),
        "shift.estimate": ("estimate_prior",),
    },
    "types": {
        "verbs.estimators": (
            "Response",
            "Scorer",
        ),
        "conditions": ("Cut",),
        "counts.amounts": ("JointAmounts",),
        "curves.calibration": ("Decomposition",),
        "curves.curve": ("Curves",),
        "curves.threshold_table": ("ThresholdTable",),
        "decisions.amount_costs": (
            "AmountChoice",
            "AmountPoint",
        ),
        "decisions.roc_geometry": (
            "Baseline",
            "Crossing",
            "Stretch",
            "Superiority",
            "Win",
        ),
        "decisions.selection": ("Fixed",),
        "errors": (
            "Ledger",
            "Note",
            "Source",
        ),
        "inference.bands": (
            "Band",
            "FoldCurve",
            "FoldMean",
        ),
        "inference.label_errors": (
            "LabelErrors",
            "Verified",
        ),
        "inference.sample_size": (
            "Cases",
            "Detectable",
            "Support",
        ),
        "results.plan": (
            "Design",
            "Plan",
        ),
        "results.values": (
            "Check",
            "Differences",
            "NonInferiority",
            "Part",
        ),
        "measures.calculator": (
            "Rates",
            "Solved",
        ),
        "measures.isolines": (
            "IsoCost",
            "Isoline",
        ),
        "numbers": (
            "Reading",
            "Undefined",
        ),
        "decisions.regret": (
            "InformationValue",
            "Regret",
        ),
        "inference.expectation": (
            "Expectation",
            "Outlook",
        ),
        "decisions.best_recall": (
            "BestRecall",
            "Lead",
        ),
        "decisions.sensitivity": (
            "Change",
            "Stability",
            "Stays",
        ),
        "decisions.triage": ("Triage",),
        "decisions.winner_map": (
            "Border",
            "SignificanceRegion",
            "Undecided",
            "WinnerMap",
        ),
        "segments.days": (
            "Day",
            "Days",
        ),
        "segments.groups": (
            "Slice",
            "Slices",
        ),
        "shift.correct": ("Calibration",),
        "shift.estimate": (
            "PriorEstimate",
            "ShiftCheck",
        ),
    },
    "curves": {
        "curves.areas": (
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
            "brier",
            "brier_decomposition",
            "calibration_error",
            "log_loss",
        ),
        "curves.named": (
            "cost_lines",
            "to_broc",
        ),
        "decisions.roc_geometry": (
            "ideal_baseline",
            "superiority",
            "winners",
        ),
        "decisions.selection": ("random_classifier",),
        "inference.bands": (
            "average_curve",
            "band",
            "difference_band",
            "fold_mean",
        ),
        "measures.isolines": (
            "iso_cost_line",
            "isoline",
        ),
    },
    "robustness": {
        "inference.label_errors": (
            "label_error_table",
            "under_label_errors",
            "under_verification",
        ),
        "decisions.regret": (
            "regret",
            "value_of_information",
        ),
        "inference.best_recall": ("best_recall",),
        "decisions.sensitivity": ("stability",),
        "decisions.triage": ("triage",),
        "inference.winner_significance": ("winner_map",),
    },
    "planning": {
        "inference.paired": ("mcnemar_p",),
        "inference.sample_size": (
            "cases_at_prior",
            "cases_for_auc",
            "cases_for_margin",
            "cases_for_mcnemar",
            "cases_for_width",
            "cases_needed",
            "power_at_prior",
            "power_to_show",
            "sample_support",
            "smallest_detectable",
            "smallest_rate_shown",
        ),
    },
    "shift": {
        "shift.correct": (
            "calibrate",
            "correct_prior",
            "correct_probabilities",
        ),
        "shift.estimate": ("check_label_shift",),
    },
    "segments": {
        "segments.days": ("by_day",),
        "segments.groups": ("by_group",),
    },
    "plots": {
        "plots.axes": (
            "Axis",
            "linear_axis",
            "spanning_axis",
        ),
        "plots.figures": (
            "cost_panel",
            "curve_panel",
            "decision_panel",
            "difference_panel",
            "histogram_panel",
            "outcome_tree_panel",
            "roc_panel",
            "winner_map_panel",
        ),
        "plots.panels": (
            "Area",
            "Figure",
            "Line",
            "Marks",
            "Panel",
            "Style",
            "Words",
            "series_style",
        ),
    },
}
NAMESPACES = tuple(name for name in PUBLIC if name)


def lazily(space: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a namespace, whose names are loaded at their first
    use.
    """
    import sys

    home = f"{__name__}.{space}" if space else __name__
    module_of = {name: module for module, names in PUBLIC[space].items() for name in names}
    names = sorted([*module_of, *(() if space else ("__version__",))])
    shown = sorted([*names, *(() if space else NAMESPACES)])

    def load(name: str) -> Any:
        from importlib import import_module

        if not space and name in (*NAMESPACES, "learners"):
            return import_module(f"{home}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {home!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{module_of[name]}"), name)
        vars(sys.modules[home])[name] = value
        return value

    return load, shown.copy, names


__getattr__, __dir__, __all__ = lazily("")
