"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one you tested on."""

from __future__ import annotations

from baserate.homes import HOMES

TYPE_CHECKING = False  # to type checkers it is true; `typing` is not loaded for it
if TYPE_CHECKING:
    from typing import Any

    from baserate.amounts import Amounts
    from baserate.calculator import Rates, Solved, solve_rates
    from baserate.conditions import Conditions, Cut
    from baserate.costs import Costs
    from baserate.counts import Counts
    from baserate.curves.amounts import amount_cost_curve, amount_missed_curve
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
    from baserate.curves.reliability import reliability_curve
    from baserate.curves.sweeping import npv_prior_curve, precision_prior_curve, sweep
    from baserate.curves.tracing import trace
    from baserate.curves.values import Curve
    from baserate.days import Day, Days, by_day
    from baserate.decisions.amounts import AmountChoice, AmountPoint, choose_amount, choose_amount_model, flag_amount_at
    from baserate.decisions.baselines import Baseline, ideal_baseline
    from baserate.decisions.borders import Win, winners
    from baserate.decisions.choosing import choose, flag_at, guess
    from baserate.decisions.crossings import Crossing, Stretch, Superiority, superiority
    from baserate.decisions.fixing import Fixed, fix
    from baserate.decisions.models import Choice
    from baserate.decisions.operating import OperatingPoint
    from baserate.engines.amounts import count_amounts, count_amounts_file
    from baserate.engines.arrays import count, count_groups, count_models
    from baserate.engines.chunks import count_chunks
    from baserate.engines.classes import count_classes, macro
    from baserate.engines.dates import count_days, count_days_file
    from baserate.engines.file_counts import count_file, count_groups_file, count_models_file
    from baserate.engines.frames import count_frame, count_groups_frame, count_models_frame
    from baserate.engines.saved import load
    from baserate.engines.unlabelled import count_unlabelled, count_unlabelled_file
    from baserate.errors import Infeasible, InputError
    from baserate.grouped import GroupedCounts
    from baserate.isolines import IsoCost, Isoline, iso_cost_line, isoline
    from baserate.joint import JointCounts
    from baserate.measures.confusions import Confusion, measure
    from baserate.measures.values import Measure
    from baserate.notes import Ledger, Note, Source
    from baserate.plots.base_rate_figures import broc_panel, curve_panel, gain_panel, lift_panel, posfrac_panel, pr_panel
    from baserate.plots.cost_figures import cost_panel, cost_threshold_panel, decision_panel, difference_panel, winner_map_panel
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
    from baserate.plots.panels import Figure, Panel
    from baserate.plots.roc_figures import broc_mapping_figure, det_panel, isoline_figure, roc_panel, strips_panel
    from baserate.plots.score_figures import density_panel, histogram_panel, outcome_tree_panel, reliability_panel, scatter_panel
    from baserate.points import Points
    from baserate.prospects.apart import Apart, Doubt
    from baserate.prospects.changes import Change, Held, Stability, stability
    from baserate.prospects.deciding import Decision, decide
    from baserate.prospects.expectations import Expectation, expect
    from baserate.prospects.leading import Lead, Leaders, leaders_within
    from baserate.prospects.learning import Learning, value_of_learning
    from baserate.prospects.maps import Border, WinnerMap, winner_map
    from baserate.prospects.mixing import Mixed
    from baserate.prospects.outlooks import Outlook, expect_curve
    from baserate.prospects.regrets import Regret, regret
    from baserate.prospects.triaging import Triage, triage
    from baserate.readings import Bounds, Reading
    from baserate.report_html.reporting import report
    from baserate.report_html.values import Report
    from baserate.shifts.calibrating import Calibration, calibrate
    from baserate.shifts.checking import ShiftCheck, check_label_shift
    from baserate.shifts.correcting import correct_prior, correct_probabilities
    from baserate.shifts.estimating import PriorEstimate, estimate_prior
    from baserate.slices import Slice, Slices, by_group
    from baserate.spreads import Distribution, Draws, LogNormal, LogUniform, Pilot, Range
    from baserate.summaries.costs import cost_area, h_measure, min_cost
    from baserate.summaries.precision import auprc, average_precision
    from baserate.summaries.probabilities import Decomposition, brier, brier_decomposition, calibration_error, log_loss
    from baserate.summaries.ranking import auc, auc_bounds, gini, ks, partial_auc
    from baserate.summaries.values import Summary
    from baserate.summaries.weighted import strip_weights, weighted_auc, weighted_auc_chance, weighted_cost_area, weighted_pr_area
    from baserate.uncertain import Uncertain
    from baserate.uncertainty.adequacy import Support, cases_needed, power_to_show, smallest_rate_shown, support
    from baserate.uncertainty.amounts import amount_intervals
    from baserate.uncertainty.bands import Band, band, difference_band
    from baserate.uncertainty.best import choose_model
    from baserate.uncertainty.comparing import compare, compare_all
    from baserate.uncertainty.folds import FoldCurve, FoldMean, average_curve, fold_mean
    from baserate.uncertainty.framed import compare_frame
    from baserate.uncertainty.gates import Check, Part, Regression, Requirement, regression, require
    from baserate.uncertainty.intervals import interval
    from baserate.uncertainty.label_errors import LabelErrors, Verified, label_error_table, under_label_errors, under_verification
    from baserate.uncertainty.matched import mcnemar_p
    from baserate.uncertainty.paired_passes import compare_auc_file
    from baserate.uncertainty.planning import Cases, Detectable, cases_for_auc, cases_for_mcnemar, smallest_detectable
    from baserate.uncertainty.rates import rate_interval
    from baserate.uncertainty.values import Difference, Interval
    from baserate.undefined import Undefined
    from baserate.unlabelled import Unlabelled

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
