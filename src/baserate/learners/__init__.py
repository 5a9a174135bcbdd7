"""The border to scikit-learn: scores and counts of any estimator and its folds, scorers; density
classifiers; costs; sampling.

Needs `baserate[learners]`; scikit-learn and imbalanced-learn are loaded when the first name needs
them.
"""

from typing import TYPE_CHECKING, Any

from baserate.learners.estimators import (
    Response,
    Scorer,
    count_estimator,
    count_folds,
    response,
    scorer,
)

if TYPE_CHECKING:
    from baserate.learners.cost_sensitive import (
        CostWeighted,
        MetaCost,
        MinimumExpectedCost,
        MovedThreshold,
        cost_weights,
        minimum_expected_cost,
    )
    from baserate.learners.cost_tree import CostSensitiveTree
    from baserate.learners.densities import LDC, QDC, GaussianMixtures, Parzen
    from baserate.learners.resampled import FocusedUnderSampler, Resampled

# Estimators inherit from scikit-learn's, so their modules are loaded when they are asked for.
_MODULE_OF = {
    "LDC": "densities",
    "QDC": "densities",
    "CostSensitiveTree": "cost_tree",
    "CostWeighted": "cost_sensitive",
    "FocusedUnderSampler": "resampled",
    "GaussianMixtures": "densities",
    "MetaCost": "cost_sensitive",
    "MinimumExpectedCost": "cost_sensitive",
    "MovedThreshold": "cost_sensitive",
    "Parzen": "densities",
    "Resampled": "resampled",
    "cost_weights": "cost_sensitive",
    "minimum_expected_cost": "cost_sensitive",
}

__all__ = [
    "LDC",
    "QDC",
    "CostSensitiveTree",
    "CostWeighted",
    "FocusedUnderSampler",
    "GaussianMixtures",
    "MetaCost",
    "MinimumExpectedCost",
    "MovedThreshold",
    "Parzen",
    "Resampled",
    "Response",
    "Scorer",
    "cost_weights",
    "count_estimator",
    "count_folds",
    "minimum_expected_cost",
    "response",
    "scorer",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        from importlib import import_module

        from baserate.read.table import needed

        module = _MODULE_OF[name]
        needed("imblearn" if module in {"focusing", "sampling"} else "sklearn", "learners")
        return getattr(import_module(f"baserate.learners.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
