"""Weights of training cases, checked as those of counted cases are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.engines.columns import Column, as_column, check_lengths
from baserate.engines.weights import as_weights
from baserate.errors import quoted, refuse
from baserate.exact import Floats

WEIGHT = "sample_weight"


def checked_weights(weights: Any, labels: npt.NDArray[Any]) -> Floats:
    """One weight a case: finite, 0 or more, and together no more than floats can hold."""
    column = as_column(weights, WEIGHT)
    check_lengths((Column("y", labels), column))
    found = as_weights(column)
    with np.errstate(over="ignore"):
        if found.sum() == np.inf:
            raise refuse("BR308", "the total weight overflows", "scale the weights down")
    return found


def weighed(params: dict[str, Any], labels: npt.NDArray[Any]) -> dict[str, Any]:
    """What is given to fit, its weights checked; refused where they leave nothing of a class."""
    if params.get(WEIGHT) is None:
        return params
    weights = checked_weights(params[WEIGHT], labels)
    classes, codes = np.unique(labels, return_inverse=True)
    empty = np.flatnonzero(np.bincount(codes, weights=weights) <= 0)
    if len(empty):
        text = f"{WEIGHT} leaves no case of class {quoted(classes.tolist()[empty[0]])}: nothing can be learned of it"
        raise refuse("BR901", text, "weights above 0 in every class")
    return {**params, WEIGHT: weights}
