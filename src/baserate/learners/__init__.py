"""The border to scikit-learn: scores and counts of any estimator and its folds, scorers; density
classifiers; costs; sampling.

Needs `baserate[learners]`; scikit-learn and imbalanced-learn are loaded when the first name needs
them.
"""

from typing import Any

from baserate import PUBLIC, lazily

_load, __dir__, __all__ = lazily("learners")
# Estimators inherit from scikit-learn's, so their modules need it to be loaded; the rest needs it
# only when it is used.
_FREE = frozenset(PUBLIC["learners"]["learners.estimators"])


def __getattr__(name: str) -> Any:
    if name in __all__ and name not in _FREE:
        from baserate.read.table import needed

        sampled = name in PUBLIC["learners"]["learners.resampled"]
        needed("imblearn" if sampled else "sklearn", "learners")
    return _load(name)
