"""The learners are in a package of their own, `baserate_learners`; this says so to older code."""

from typing import Any

MOVED = {
    "baserate": ("count_estimator", "count_folds", "response", "scorer"),
    "baserate.types": ("Response", "Scorer"),
    "baserate_learners": (
        *("CostSensitiveTree", "CostWeighted", "FocusedUnderSampler", "GaussianMixtures", "LDC"),
        *("MetaCost", "MinimumExpectedCost", "MovedThreshold", "Parzen", "QDC", "Resampled"),
        *("cost_weights", "minimum_expected_cost"),
    ),
}


def __getattr__(name: str) -> Any:
    for package, names in MOVED.items():
        if name in names:
            raise ImportError(f"baserate.learners.{name} has moved: from {package} import {name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
