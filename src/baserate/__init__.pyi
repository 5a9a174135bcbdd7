from baserate.conditions import (
    Conditions as Conditions,
    Costs as Costs,
    Cut as Cut,
    Uncertain as Uncertain,
)
from baserate.counts.amounts import (
    Amounts as Amounts,
)
from baserate.counts.counts import (
    Counts as Counts,
)
from baserate.counts.grouped import (
    GroupedCounts as GroupedCounts,
)
from baserate.counts.joint import (
    JointCounts as JointCounts,
)
from baserate.counts.points import (
    Points as Points,
)
from baserate.counts.unlabelled import (
    Unlabelled as Unlabelled,
)
from baserate.curves.areas import (
    auc as auc,
    auc_bounds as auc_bounds,
    auprc as auprc,
    average_precision as average_precision,
    cost_area as cost_area,
    gini as gini,
    h_measure as h_measure,
    ks as ks,
    min_cost as min_cost,
    partial_auc as partial_auc,
    strip_weights as strip_weights,
    weighted_auc as weighted_auc,
    weighted_auc_chance as weighted_auc_chance,
    weighted_cost_area as weighted_cost_area,
    weighted_pr_area as weighted_pr_area,
)
from baserate.curves.calibration import (
    Decomposition as Decomposition,
    brier as brier,
    brier_decomposition as brier_decomposition,
    calibration_error as calibration_error,
    log_loss as log_loss,
)
from baserate.curves.curve import (
    Curve as Curve,
    npv_prior_curve as npv_prior_curve,
    precision_prior_curve as precision_prior_curve,
    sweep as sweep,
    trace as trace,
)
from baserate.curves.named import (
    amount_cost_curve as amount_cost_curve,
    amount_missed_curve as amount_missed_curve,
    brier_curve as brier_curve,
    broc as broc,
    cost_curve as cost_curve,
    cost_lines as cost_lines,
    cost_threshold_curve as cost_threshold_curve,
    decision_curve as decision_curve,
    det as det,
    family as family,
    gain_curve as gain_curve,
    ks_curve as ks_curve,
    lift_curve as lift_curve,
    posfrac_curve as posfrac_curve,
    pr as pr,
    pr_gain as pr_gain,
    reliability_curve as reliability_curve,
    roc as roc,
    roc_hull as roc_hull,
    to_broc as to_broc,
)
from baserate.curves.summaries import (
    Summary as Summary,
)
from baserate.decisions.amount_costs import (
    AmountChoice as AmountChoice,
    AmountPoint as AmountPoint,
    choose_amount as choose_amount,
    flag_amount_at as flag_amount_at,
)
from baserate.decisions.operating_point import (
    OperatingPoint as OperatingPoint,
)
from baserate.decisions.roc_geometry import (
    Baseline as Baseline,
    Crossing as Crossing,
    Stretch as Stretch,
    Superiority as Superiority,
    Win as Win,
    ideal_baseline as ideal_baseline,
    superiority as superiority,
    winners as winners,
)
from baserate.decisions.selection import (
    Choice as Choice,
    Fixed as Fixed,
    choose as choose,
    fix as fix,
    flag_at as flag_at,
    random_classifier as random_classifier,
)
from baserate.distributions import (
    Distribution as Distribution,
    Draws as Draws,
    LogNormal as LogNormal,
    LogUniform as LogUniform,
    Pilot as Pilot,
    Range as Range,
)
from baserate.errors import (
    Infeasible as Infeasible,
    InputError as InputError,
)
from baserate.inference.amount_intervals import (
    amount_intervals as amount_intervals,
    choose_amount_model as choose_amount_model,
)
from baserate.inference.bands import (
    Band as Band,
    FoldCurve as FoldCurve,
    FoldMean as FoldMean,
    average_curve as average_curve,
    band as band,
    difference_band as difference_band,
    fold_mean as fold_mean,
)
from baserate.inference.best_model import (
    choose_model as choose_model,
)
from baserate.inference.differences import (
    compare as compare,
    compare_all as compare_all,
)
from baserate.inference.intervals import (
    interval as interval,
)
from baserate.inference.label_errors import (
    LabelErrors as LabelErrors,
    Verified as Verified,
    label_error_table as label_error_table,
    under_label_errors as under_label_errors,
    under_verification as under_verification,
)
from baserate.inference.large_differences import (
    compare_auc_file as compare_auc_file,
    compare_frame as compare_frame,
)
from baserate.inference.paired import (
    mcnemar_p as mcnemar_p,
)
from baserate.inference.rates import (
    rate_interval as rate_interval,
)
from baserate.inference.requirements import (
    non_inferiority as non_inferiority,
    require as require,
)
from baserate.inference.sample_size import (
    Cases as Cases,
    Detectable as Detectable,
    Support as Support,
    cases_for_auc as cases_for_auc,
    cases_for_mcnemar as cases_for_mcnemar,
    cases_needed as cases_needed,
    power_to_show as power_to_show,
    sample_support as sample_support,
    smallest_detectable as smallest_detectable,
    smallest_rate_shown as smallest_rate_shown,
)
from baserate.inference.values import (
    Check as Check,
    Difference as Difference,
    Interval as Interval,
    NonInferiority as NonInferiority,
    Part as Part,
    Requirement as Requirement,
)
from baserate.measures.calculator import (
    Rates as Rates,
    Solved as Solved,
    solve_rates as solve_rates,
)
from baserate.measures.confusion import (
    Confusion as Confusion,
    measure as measure,
)
from baserate.measures.isolines import (
    IsoCost as IsoCost,
    Isoline as Isoline,
    iso_cost_line as iso_cost_line,
    isoline as isoline,
)
from baserate.measures.measure import (
    Measure as Measure,
)
from baserate.notes import (
    Ledger as Ledger,
    Note as Note,
    Source as Source,
)
from baserate.numbers import (
    Bounds as Bounds,
    Reading as Reading,
    Undefined as Undefined,
)
from baserate.plots.displays import (
    BRocDisplay as BRocDisplay,
    BrierCurveDisplay as BrierCurveDisplay,
    CostCurveDisplay as CostCurveDisplay,
    CostThresholdDisplay as CostThresholdDisplay,
    DecisionCurveDisplay as DecisionCurveDisplay,
    GainDisplay as GainDisplay,
    KsDisplay as KsDisplay,
    LiftDisplay as LiftDisplay,
    PosfracDisplay as PosfracDisplay,
    PrGainDisplay as PrGainDisplay,
)
from baserate.plots.figures import (
    broc_mapping_figure as broc_mapping_figure,
    broc_panel as broc_panel,
    cost_panel as cost_panel,
    cost_threshold_panel as cost_threshold_panel,
    curve_panel as curve_panel,
    decision_panel as decision_panel,
    density_panel as density_panel,
    det_panel as det_panel,
    difference_panel as difference_panel,
    gain_panel as gain_panel,
    histogram_panel as histogram_panel,
    isoline_figure as isoline_figure,
    lift_panel as lift_panel,
    outcome_tree_panel as outcome_tree_panel,
    posfrac_panel as posfrac_panel,
    pr_panel as pr_panel,
    reliability_panel as reliability_panel,
    roc_panel as roc_panel,
    scatter_panel as scatter_panel,
    strips_panel as strips_panel,
    winner_map_panel as winner_map_panel,
)
from baserate.plots.panels import (
    Figure as Figure,
    Panel as Panel,
)
from baserate.read.arrays import (
    count as count,
    count_classes as count_classes,
    count_groups as count_groups,
    count_models as count_models,
    macro as macro,
)
from baserate.read.files import (
    count_amounts as count_amounts,
    count_amounts_file as count_amounts_file,
    count_days as count_days,
    count_days_file as count_days_file,
    count_file as count_file,
    count_groups_file as count_groups_file,
    count_models_file as count_models_file,
    count_unlabelled as count_unlabelled,
    count_unlabelled_file as count_unlabelled_file,
    load as load,
)
from baserate.read.frames import (
    count_frame as count_frame,
    count_groups_frame as count_groups_frame,
    count_models_frame as count_models_frame,
)
from baserate.read.large import (
    count_chunks as count_chunks,
)
from baserate.reports.page import (
    Report as Report,
    report as report,
)
from baserate.robustness.decision import (
    Decision as Decision,
    InformationValue as InformationValue,
    RegretMixture as RegretMixture,
    decide as decide,
    value_of_information as value_of_information,
)
from baserate.robustness.expectation import (
    Expectation as Expectation,
    Outlook as Outlook,
    expect as expect,
    expect_curve as expect_curve,
)
from baserate.robustness.leaders import (
    BestRecall as BestRecall,
    Lead as Lead,
    best_recall as best_recall,
)
from baserate.robustness.minimax import (
    Regret as Regret,
    regret as regret,
)
from baserate.robustness.sensitivity import (
    Change as Change,
    Stability as Stability,
    Stays as Stays,
    stability as stability,
)
from baserate.robustness.triage_zones import (
    Triage as Triage,
    triage as triage,
)
from baserate.robustness.winner_regions import (
    Border as Border,
    SignificanceRegion as SignificanceRegion,
    Undecided as Undecided,
    WinnerMap as WinnerMap,
    winner_map as winner_map,
)
from baserate.segments.days import (
    Day as Day,
    Days as Days,
    by_day as by_day,
)
from baserate.segments.groups import (
    Slice as Slice,
    Slices as Slices,
    by_group as by_group,
)
from baserate.shift.correct import (
    Calibration as Calibration,
    calibrate as calibrate,
    correct_prior as correct_prior,
    correct_probabilities as correct_probabilities,
)
from baserate.shift.estimate import (
    PriorEstimate as PriorEstimate,
    ShiftCheck as ShiftCheck,
    check_label_shift as check_label_shift,
    estimate_prior as estimate_prior,
)

__version__: str
PUBLIC: dict[str, tuple[str, ...]]
