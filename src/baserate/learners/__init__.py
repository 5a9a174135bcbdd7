"""The border to scikit-learn: scores of any estimator, counts of it and of its folds, scorers, and density classifiers.

Needs `baserate[learners]`; scikit-learn is loaded when the first name needs it.
"""

from typing import TYPE_CHECKING, Any

from baserate.learners.counting import count_estimator, count_folds
from baserate.learners.responses import Response, response
from baserate.learners.scoring import Scorer, scorer

if TYPE_CHECKING:
    from baserate.learners.densities import LDC, QDC, GaussianMixtures, Parzen

__all__ = ["LDC", "QDC", "GaussianMixtures", "Parzen", "Response", "Scorer", "count_estimator", "count_folds", "response", "scorer"]


def __getattr__(name: str) -> Any:
    if name in {"LDC", "QDC", "GaussianMixtures", "Parzen"}:
        from baserate.engines.extras import needed

        needed("sklearn", "learners")
        from baserate.learners import densities

        return getattr(densities, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
