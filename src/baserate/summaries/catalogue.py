"""The summaries by name: each a function of counts that gives one number (or a few that belong together)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from baserate.summaries import costs, precision, probabilities, ranking, weighted

SUMMARIES: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        ranking.auc,
        ranking.auc_bounds,
        ranking.gini,
        ranking.ks,
        ranking.partial_auc,
        weighted.weighted_auc,
        weighted.weighted_auc_chance,
        weighted.strip_weights,
        weighted.weighted_pr_area,
        weighted.weighted_cost_area,
        precision.average_precision,
        precision.auprc,
        costs.h_measure,
        costs.cost_area,
        costs.min_cost,
        probabilities.brier,
        probabilities.brier_decomposition,
        probabilities.log_loss,
        probabilities.calibration_error,
    )
}
