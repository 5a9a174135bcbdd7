from baserate.curves.areas import (
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
    brier as brier,
    brier_decomposition as brier_decomposition,
    calibration_error as calibration_error,
    log_loss as log_loss,
)
from baserate.curves.named import (
    cost_lines as cost_lines,
    to_broc as to_broc,
)
from baserate.decisions.roc_geometry import (
    ideal_baseline as ideal_baseline,
    superiority as superiority,
    winners as winners,
)
from baserate.decisions.selection import (
    random_classifier as random_classifier,
)
from baserate.inference.bands import (
    average_curve as average_curve,
    band as band,
    difference_band as difference_band,
    fold_mean as fold_mean,
)
from baserate.measures.isolines import (
    iso_cost_line as iso_cost_line,
    isoline as isoline,
)
