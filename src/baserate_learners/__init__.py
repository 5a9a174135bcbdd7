"""Classifiers for scikit-learn: cost-sensitive ones, resampled ones with scores corrected to the
base rate, and density classifiers.

Needs `baserate[learners]`: scikit-learn, and imbalanced-learn for sampling.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate_learners.cost_sensitive import (
        CostWeighted,
        MetaCost,
        MinimumExpectedCost,
        MovedThreshold,
        cost_weights,
        minimum_expected_cost,
    )
    from baserate_learners.cost_tree import CostSensitiveTree
    from baserate_learners.densities import LDC, QDC, GaussianMixtures, Parzen
    from baserate_learners.resampled import FocusedUnderSampler, Resampled

# Loaded at their first use, so that imbalanced-learn is needed for sampling alone.
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
    "cost_weights",
    "minimum_expected_cost",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from baserate.extend import needed

    needed("imblearn" if _MODULE_OF[name] == "resampled" else "sklearn", "learners")
    return getattr(import_module(f"baserate_learners.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
