"""Samplers by name, all of imbalanced-learn but for the focused one; and which of them draw at random within each class."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from imblearn.over_sampling import ADASYN, SMOTE, RandomOverSampler
from imblearn.under_sampling import (
    EditedNearestNeighbours,
    NearMiss,
    NeighbourhoodCleaningRule,
    OneSidedSelection,
    RandomUnderSampler,
    TomekLinks,
)
from sklearn.base import clone

from baserate.errors import quoted, refuse
from baserate.learners.focusing import FocusedUnderSampler

Labels = npt.NDArray[Any]


def middle(y: Labels) -> dict[Any, int]:
    """The larger class cut down to the geometric mean of both, so that it is thinned by the factor by which the other is copied."""
    classes, sizes = np.unique(y, return_counts=True)
    return {classes[int(sizes.argmax())].item(): max(int(sizes.min()), isqrt(int(sizes.min()) * int(sizes.max())))}


SAMPLERS: dict[str, Callable[[], list[Any]]] = {
    "under": lambda: [RandomUnderSampler()],
    "over": lambda: [RandomOverSampler()],
    "hybrid": lambda: [RandomUnderSampler(sampling_strategy=middle), RandomOverSampler()],
    "focused": lambda: [FocusedUnderSampler()],
    "near-miss": lambda: [NearMiss()],
    "tomek": lambda: [TomekLinks()],
    "edited": lambda: [EditedNearestNeighbours()],
    "cleaning": lambda: [NeighbourhoodCleaningRule()],
    "one-sided": lambda: [OneSidedSelection()],
    "smote": lambda: [SMOTE()],
    "adasyn": lambda: [ADASYN()],
}


class Sample(NamedTuple):
    """What a learner is fitted to, and which training cases these are, as often as each was taken; None where some were made up."""

    X: Any
    y: Labels
    cases: npt.NDArray[np.intp] | None


def samplers_of(sampler: Any) -> list[Any]:
    """A name, a sampler, or several that work one after the other."""
    if isinstance(sampler, str):
        if sampler not in SAMPLERS:
            raise refuse("BR910", f"a sampler is {', '.join(map(quoted, SAMPLERS))}; got {quoted(sampler)}", 'sampler="under"')
        return SAMPLERS[sampler]()
    several = list(sampler) if isinstance(sampler, list | tuple) else [sampler]
    for one in several:
        if not hasattr(one, "fit_resample"):
            raise refuse("BR910", f"{type(one).__name__} does not resample", 'sampler="under", or a sampler of imbalanced-learn')
    return several


def is_random(sampler: Any) -> bool:
    """Whether each case of a class is as likely to be taken as any other: then one factor on the odds undoes it."""
    return type(sampler) is RandomUnderSampler or (type(sampler) is RandomOverSampler and sampler.shrinkage is None)


def drawn(samplers: list[Any], X: Any, y: Labels, seed: int) -> Sample:  # noqa: N803 (scikit-learn's name)
    """One sample; samplers that draw at random draw by this seed."""
    cases: npt.NDArray[np.intp] | None = np.arange(len(y))
    for one in samplers:
        sampler = clone(one)
        if "random_state" in sampler.get_params(deep=False):
            sampler.set_params(random_state=seed)
        X, y = sampler.fit_resample(X, y)  # noqa: N806
        taken = getattr(sampler, "sample_indices_", None)
        cases = None if cases is None or taken is None else cases[taken]
    return Sample(X, y, cases)
