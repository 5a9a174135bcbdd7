"""Classifiers for scikit-learn: cost-sensitive ones, resampled ones with scores corrected to the
base rate, and density classifiers.

Needs `baserate[learners]`: scikit-learn, and imbalanced-learn for sampling.
"""

from pathlib import Path
from typing import Any

from baserate import read_stub

# Loaded at their first use, so that imbalanced-learn is needed for sampling alone.
_MODULE_OF = read_stub(str(Path(__file__).with_suffix(".pyi")))

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from baserate.extend import needed

    module = _MODULE_OF[name]
    needed("imblearn" if module.endswith("resampled") else "sklearn", "learners")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return list(__all__)
