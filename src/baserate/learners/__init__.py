"""The border to scikit-learn: scores and counts of any estimator and its folds, scorers; density classifiers; costs; sampling.

Needs `baserate[learners]`; scikit-learn and imbalanced-learn are loaded when the first name needs them.
"""

from typing import TYPE_CHECKING, Any

from baserate.learners.counting import count_estimator, count_folds
from baserate.learners.expected_costs import minimum_expected_cost
from baserate.learners.responses import Response, response
from baserate.learners.scoring import Scorer, scorer
from baserate.learners.stakes import cost_weights

if TYPE_CHECKING:
    from baserate.learners.cost_trees import CostSensitiveTree
    from baserate.learners.densities import LDC, QDC, GaussianMixtures, Parzen
    from baserate.learners.focusing import FocusedUnderSampler
    from baserate.learners.least_costs import MinimumExpectedCost
    from baserate.learners.metacosts import MetaCost
    from baserate.learners.sampling import Resampled
    from baserate.learners.thresholds import MovedThreshold
    from baserate.learners.weighting import CostWeighted

# Estimators inherit from scikit-learn's, so their modules are loaded when they are asked for.
_MODULE_OF = {
    "LDC": "densities",
    "QDC": "densities",
    "CostSensitiveTree": "cost_trees",
    "CostWeighted": "weighting",
    "FocusedUnderSampler": "focusing",
    "GaussianMixtures": "densities",
    "MetaCost": "metacosts",
    "MinimumExpectedCost": "least_costs",
    "MovedThreshold": "thresholds",
    "Parzen": "densities",
    "Resampled": "sampling",
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

        from baserate.engines.extras import needed

        module = _MODULE_OF[name]
        needed("imblearn" if module in {"focusing", "sampling"} else "sklearn", "learners")
        return getattr(import_module(f"baserate.learners.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
