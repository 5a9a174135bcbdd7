"""The answer that costs least on average, among any number of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.errors import quoted, refuse
from baserate.exact import Floats, Ints
from baserate.learners.responses import positive_place
from baserate.learners.stakes import CLOSE

# So far may the probabilities of a case add up to something other than 1.
OFF = 1e-6
WRITE_MATRIX = "a row a true class, a column an answer, in the order of classes_: [[0, 1], [5, 0]]"


def minimum_expected_cost(probabilities: npt.ArrayLike, cost_matrix: npt.ArrayLike) -> Ints:
    """Which answer costs least on average, case by case?

    The i with the least Σ_j p(j) · C(j, i): `cost_matrix` has a row for each true class and a column for each answer, in the order of the
    columns of `probabilities`. Returned are places in that order. Of answers that cost the same, up to rounding, the first. With costs of 0
    and 1 it is the most probable class; with two classes and a miss five times as dear as a false alarm, the second above 1/6. Tan,
    Steinbach & Kumar, eq. 5.82.

    >>> from baserate.learners import minimum_expected_cost
    >>> minimum_expected_cost([[0.9, 0.1], [0.8, 0.2], [5 / 6, 1 / 6]], [[0, 1], [5, 0]])
    array([0, 1, 0])
    """
    shares = np.asarray(probabilities, dtype=np.float64)
    if shares.ndim != 2 or not np.isfinite(shares).all() or (shares < 0).any() or (np.abs(shares.sum(axis=1) - 1) > OFF).any():
        text = "probabilities are a row a case and a column a class, from 0 to 1, and each row adds up to 1"
        raise refuse("BR903", text, "predict_proba(X), for two classes both columns")
    return cheapest(shares, checked_matrix(cost_matrix, shares.shape[1]))


def cheapest(shares: Floats, matrix: Floats, first: int = 0) -> Ints:
    """The place of the least expected cost; of equal ones `first`, then in order."""
    costs = shares @ matrix
    near = costs.min(axis=1) + CLOSE * (shares @ np.abs(matrix)).max(axis=1)
    least = costs <= near[:, None]
    found: Ints = np.where(least[:, first], first, np.argmax(least, axis=1)).astype(np.int64)
    return found


def checked_matrix(cost_matrix: Any, classes: int) -> Floats:
    """A cost matrix of so many classes, in which no wrong answer costs less than the right one."""
    try:
        matrix = np.asarray(cost_matrix, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (classes, classes) or not np.isfinite(matrix).all():
        text = f"a cost matrix of {classes} classes has {classes} rows and as many columns of finite numbers, got {quoted(cost_matrix)}"
        raise refuse("BR904", text, WRITE_MATRIX)
    odd = np.argwhere(matrix < np.diag(matrix)[:, None])
    if len(odd):
        row, column = odd[0]
        text = f"in row {row} the answer {column} costs {matrix[row, column]:g}, less than the right one ({matrix[row, row]:g})"
        raise refuse("BR904", text, WRITE_MATRIX)
    return matrix


def matrix_of(costs: Any, classes: npt.NDArray[Any], pos_label: Any = None) -> tuple[Floats, int]:
    """The matrix of these costs, and the class that equals go to: the negative one where there is one, else the first."""
    if isinstance(costs, Conditions):
        raise refuse("BR904", "this takes costs, and knows no base rate but that of the cases", "costs=at.costs, or MovedThreshold(…, at=at)")
    if costs is None:
        return 1.0 - np.eye(len(classes)), 0
    if not isinstance(costs, Costs):
        return checked_matrix(costs, len(classes)), 0
    if len(classes) != 2:
        raise refuse("BR904", f"Costs are of two classes, and there are {len(classes)}", f"a matrix: {WRITE_MATRIX}")
    place = 1 if costs.miss == costs.false_alarm and pos_label is None else positive_place(classes, pos_label)[0]
    matrix = np.array([[costs.tn, costs.fp], [costs.fn, costs.tp]], dtype=np.float64)
    return matrix if place == 1 else matrix[::-1, ::-1].copy(), 1 - place
