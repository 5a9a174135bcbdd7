"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one
you tested on.
"""

from __future__ import annotations

from baserate.homes import HOMES

TYPE_CHECKING = False  # to type checkers it is true; `typing` is not loaded for it
if TYPE_CHECKING:
    from typing import Any

    from baserate.conditions import Conditions, Costs, Cut, Uncertain
    from baserate.counts.amounts import Amounts
    from baserate.counts.counts import Counts
    from baserate.counts.grouped import GroupedCounts
    from baserate.counts.joint import JointCounts
    from baserate.counts.points import Points
    from baserate.counts.unlabelled import Unlabelled
    from baserate.curves.areas import (
        auc,
        auc_bounds,
        auprc,
        average_precision,
        cost_area,
        gini,
        h_measure,
        ks,
        min_cost,
        partial_auc,
        strip_weights,
        weighted_auc,
        weighted_auc_chance,
        weighted_cost_area,
        weighted_pr_area,
    )
    from baserate.curves.calibration import (
        Decomposition,
        brier,
        brier_decomposition,
        calibration_error,
        log_loss,
    )
    from baserate.curves.curve import Curve, npv_prior_curve, precision_prior_curve, sweep, trace
    from baserate.curves.named import (
        amount_cost_curve,
        amount_missed_curve,
        brier_curve,
        broc,
        cost_curve,
        cost_lines,
        cost_threshold_curve,
        decision_curve,
        det,
        family,
        gain_curve,
        ks_curve,
        lift_curve,
        posfrac_curve,
        pr,
        pr_gain,
        reliability_curve,
        roc,
        roc_hull,
        to_broc,
    )
    from baserate.curves.summaries import Summary
    from baserate.decisions.amount_costs import (
        AmountChoice,
        AmountPoint,
        choose_amount,
        choose_amount_model,
        flag_amount_at,
    )
    from baserate.decisions.operating_point import OperatingPoint
    from baserate.decisions.roc_geometry import (
        Baseline,
        Crossing,
        Stretch,
        Superiority,
        Win,
        ideal_baseline,
        superiority,
        winners,
    )
    from baserate.decisions.selection import Choice, Fixed, choose, fix, flag_at, guess
    from baserate.distributions import Distribution, Draws, LogNormal, LogUniform, Pilot, Range
    from baserate.errors import Infeasible, InputError
    from baserate.inference.amount_intervals import amount_intervals
    from baserate.inference.bands import (
        Band,
        FoldCurve,
        FoldMean,
        average_curve,
        band,
        difference_band,
        fold_mean,
    )
    from baserate.inference.best_model import choose_model
    from baserate.inference.differences import compare, compare_all
    from baserate.inference.intervals import interval
    from baserate.inference.label_errors import (
        LabelErrors,
        Verified,
        label_error_table,
        under_label_errors,
        under_verification,
    )
    from baserate.inference.large_differences import compare_auc_file, compare_frame
    from baserate.inference.paired import mcnemar_p
    from baserate.inference.rates import rate_interval
    from baserate.inference.requirements import (
        Check,
        Part,
        Regression,
        Requirement,
        regression,
        require,
    )
    from baserate.inference.sample_size import (
        Cases,
        Detectable,
        Support,
        cases_for_auc,
        cases_for_mcnemar,
        cases_needed,
        power_to_show,
        smallest_detectable,
        smallest_rate_shown,
        support,
    )
    from baserate.inference.values import Difference, Interval
    from baserate.measures.calculator import Rates, Solved, solve_rates
    from baserate.measures.confusion import Confusion, measure
    from baserate.measures.isolines import IsoCost, Isoline, iso_cost_line, isoline
    from baserate.measures.measure import Measure
    from baserate.notes import Ledger, Note, Source
    from baserate.numbers import Bounds, Reading, Undefined
    from baserate.plots.displays import (
        BrierCurveDisplay,
        BRocDisplay,
        CostCurveDisplay,
        CostThresholdDisplay,
        DecisionCurveDisplay,
        GainDisplay,
        KsDisplay,
        LiftDisplay,
        PosfracDisplay,
        PrGainDisplay,
    )
    from baserate.plots.figures import (
        broc_mapping_figure,
        broc_panel,
        cost_panel,
        cost_threshold_panel,
        curve_panel,
        decision_panel,
        density_panel,
        det_panel,
        difference_panel,
        gain_panel,
        histogram_panel,
        isoline_figure,
        lift_panel,
        outcome_tree_panel,
        posfrac_panel,
        pr_panel,
        reliability_panel,
        roc_panel,
        scatter_panel,
        strips_panel,
        winner_map_panel,
    )
    from baserate.plots.panels import Figure, Panel
    from baserate.read.arrays import count, count_classes, count_groups, count_models, macro
    from baserate.read.files import (
        count_amounts,
        count_amounts_file,
        count_days,
        count_days_file,
        count_file,
        count_groups_file,
        count_models_file,
        count_unlabelled,
        count_unlabelled_file,
        load,
    )
    from baserate.read.frames import count_frame, count_groups_frame, count_models_frame
    from baserate.read.large import count_chunks
    from baserate.reports.page import Report, report
    from baserate.robustness.decision import Decision, Learning, Mixed, decide, value_of_learning
    from baserate.robustness.expectation import Expectation, Outlook, expect, expect_curve
    from baserate.robustness.leaders import Lead, Leaders, leaders_within
    from baserate.robustness.minimax import Regret, regret
    from baserate.robustness.sensitivity import Change, Held, Stability, stability
    from baserate.robustness.triage_zones import Triage, triage
    from baserate.robustness.winner_regions import Apart, Border, Doubt, WinnerMap, winner_map
    from baserate.segments.days import Day, Days, by_day
    from baserate.segments.groups import Slice, Slices, by_group
    from baserate.shift.correct import Calibration, calibrate, correct_prior, correct_probabilities
    from baserate.shift.estimate import PriorEstimate, ShiftCheck, check_label_shift, estimate_prior

__version__ = "0.1.0"

_MODULE_OF = {name: home for home, names in HOMES.items() for name in names}

__all__ = [
    "AmountChoice",
    "AmountPoint",
    "Amounts",
    "Apart",
    "BRocDisplay",
    "Band",
    "Baseline",
    "Border",
    "Bounds",
    "BrierCurveDisplay",
    "Calibration",
    "Cases",
    "Change",
    "Check",
    "Choice",
    "Conditions",
    "Confusion",
    "CostCurveDisplay",
    "CostThresholdDisplay",
    "Costs",
    "Counts",
    "Crossing",
    "Curve",
    "Cut",
    "Day",
    "Days",
    "Decision",
    "DecisionCurveDisplay",
    "Decomposition",
    "Detectable",
    "Difference",
    "Distribution",
    "Doubt",
    "Draws",
    "Expectation",
    "Figure",
    "Fixed",
    "FoldCurve",
    "FoldMean",
    "GainDisplay",
    "GroupedCounts",
    "Held",
    "Infeasible",
    "InputError",
    "Interval",
    "IsoCost",
    "Isoline",
    "JointCounts",
    "KsDisplay",
    "LabelErrors",
    "Lead",
    "Leaders",
    "Learning",
    "Ledger",
    "LiftDisplay",
    "LogNormal",
    "LogUniform",
    "Measure",
    "Mixed",
    "Note",
    "OperatingPoint",
    "Outlook",
    "Panel",
    "Part",
    "Pilot",
    "Points",
    "PosfracDisplay",
    "PrGainDisplay",
    "PriorEstimate",
    "Range",
    "Rates",
    "Reading",
    "Regression",
    "Regret",
    "Report",
    "Requirement",
    "ShiftCheck",
    "Slice",
    "Slices",
    "Solved",
    "Source",
    "Stability",
    "Stretch",
    "Summary",
    "Superiority",
    "Support",
    "Triage",
    "Uncertain",
    "Undefined",
    "Unlabelled",
    "Verified",
    "Win",
    "WinnerMap",
    "__version__",
    "amount_cost_curve",
    "amount_intervals",
    "amount_missed_curve",
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
    "broc_mapping_figure",
    "broc_panel",
    "by_day",
    "by_group",
    "calibrate",
    "calibration_error",
    "cases_for_auc",
    "cases_for_mcnemar",
    "cases_needed",
    "check_label_shift",
    "choose",
    "choose_amount",
    "choose_amount_model",
    "choose_model",
    "compare",
    "compare_all",
    "compare_auc_file",
    "compare_frame",
    "correct_prior",
    "correct_probabilities",
    "cost_area",
    "cost_curve",
    "cost_lines",
    "cost_panel",
    "cost_threshold_curve",
    "cost_threshold_panel",
    "count",
    "count_amounts",
    "count_amounts_file",
    "count_chunks",
    "count_classes",
    "count_days",
    "count_days_file",
    "count_file",
    "count_frame",
    "count_groups",
    "count_groups_file",
    "count_groups_frame",
    "count_models",
    "count_models_file",
    "count_models_frame",
    "count_unlabelled",
    "count_unlabelled_file",
    "curve_panel",
    "decide",
    "decision_curve",
    "decision_panel",
    "density_panel",
    "det",
    "det_panel",
    "difference_band",
    "difference_panel",
    "estimate_prior",
    "expect",
    "expect_curve",
    "family",
    "fix",
    "flag_amount_at",
    "flag_at",
    "fold_mean",
    "gain_curve",
    "gain_panel",
    "gini",
    "guess",
    "h_measure",
    "histogram_panel",
    "ideal_baseline",
    "interval",
    "iso_cost_line",
    "isoline",
    "isoline_figure",
    "ks",
    "ks_curve",
    "label_error_table",
    "leaders_within",
    "lift_curve",
    "lift_panel",
    "load",
    "log_loss",
    "macro",
    "mcnemar_p",
    "measure",
    "min_cost",
    "npv_prior_curve",
    "outcome_tree_panel",
    "partial_auc",
    "posfrac_curve",
    "posfrac_panel",
    "power_to_show",
    "pr",
    "pr_gain",
    "pr_panel",
    "precision_prior_curve",
    "rate_interval",
    "regression",
    "regret",
    "reliability_curve",
    "reliability_panel",
    "report",
    "require",
    "roc",
    "roc_hull",
    "roc_panel",
    "scatter_panel",
    "smallest_detectable",
    "smallest_rate_shown",
    "solve_rates",
    "stability",
    "strip_weights",
    "strips_panel",
    "superiority",
    "support",
    "sweep",
    "to_broc",
    "trace",
    "triage",
    "under_label_errors",
    "under_verification",
    "value_of_learning",
    "weighted_auc",
    "weighted_auc_chance",
    "weighted_cost_area",
    "weighted_pr_area",
    "winner_map",
    "winner_map_panel",
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
