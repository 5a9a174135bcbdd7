"""Weights: finite, not negative, and with a word on what they may mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.engines.columns import Column
from baserate.engines.scores import as_scores
from baserate.errors import grouped, number_of, refuse
from baserate.exact import EXACT_FLOATS, Floats, square_sum
from baserate.kernels import Cells
from baserate.notes import Note

# Most weights show at once what they are not, and need no second look.
FEW = slice(0, 1000)


def as_weights(column: Column) -> Floats:
    """Float64 weights, or the reason why these are none."""
    unclear = column.missing is not None or column.values.dtype.kind not in "biu"
    gone = column.missing_rows() if unclear and not _all_finite(column.values) else ()
    if len(gone):
        text = f"{column.name} has {number_of(len(gone), 'missing or NaN weight')}"
        raise refuse("BR303", text, "give every case a finite weight", gone[:3], len(gone))
    numbers = as_scores(column)  # read as scores are, also from text
    if numbers.dtype == np.int64 and ((numbers > EXACT_FLOATS) | (numbers < -EXACT_FLOATS)).any():
        raise refuse("BR303", f"{column.name} has whole weights above 2**53, which would be rounded", "scale the weights down")
    weights = numbers.astype(np.float64, copy=False)
    if len(weights) and weights.max() == np.inf:
        infinite = np.flatnonzero(np.isinf(weights))
        text = f"{column.name} has {number_of(len(infinite), 'infinite weight')}"
        raise refuse("BR303", text, "give every case a finite weight", infinite[:3], len(infinite))
    if len(weights) and weights.min() < 0:
        below = np.flatnonzero(weights < 0)
        text = f"{column.name} has {number_of(len(below), 'negative weight')}, such as {weights[below[0]]:g}"
        raise refuse("BR301", text, "drop those cases or correct their weights", below[:3], len(below))
    return weights


def _all_finite(values: npt.NDArray[Any]) -> bool:
    """Without making anything as large as the values: the least and the greatest are NaN where any is."""
    return values.dtype.kind == "f" and bool(len(values)) and bool(np.isfinite(values.min()) and np.isfinite(values.max()))


def with_weight(weights: Floats, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
    """Which cases have any weight (None: all of them); a class of which none has is refused."""
    if not len(weights) or weights.min() > 0:
        return None
    used: npt.NDArray[np.bool_] = weights != 0
    for name, members in (("positives", positive), ("negatives", ~positive)):
        if members.any() and not (used & members).any():
            raise refuse("BR302", f"the total weight of the {name} is 0", "give that class some weight, or leave its cases out")
    return used


def weigh(weights: Floats, positive: npt.NDArray[np.bool_], cells: Cells) -> tuple[Note, ...]:
    """Check that the masses can be added up, and say what the weights look like."""
    with np.errstate(over="ignore"):
        everything = float(cells.positives.sum()) + float(cells.negatives.sum())
    if everything == np.inf:
        raise refuse("BR308", "the total weight overflows", "scale the weights down")
    return tuple(_remarks(weights, positive, cells)) if len(weights) else ()


def _remarks(weights: Floats, positive: npt.NDArray[np.bool_], cells: Cells) -> Iterator[Note]:
    cases, largest = len(weights), weights.max()
    scaled = weights if 1e-100 < largest < 1e100 else weights / largest  # squares of others leave the range of floats
    effective = float(scaled.sum() ** 2 / square_sum(scaled))
    if effective < cases / 2:
        text = f"the weights of {grouped(cases)} rows as read are uneven: they count as {effective:.3g}"
        yield Note("BR307", f"{text} (Kish's effective sample size)")
    if all((weights[part] == np.floor(weights[part])).all() for part in (FEW, slice(None))) and (weights != 1).any():
        yield Note("BR306", "whole weights may be counts of cases or sampling weights: point values are the same, intervals are not")
    if _by_class(weights, positive):
        ours, theirs = float(cells.positives.sum()), float(cells.negatives.sum())
        mass, share = ours / (ours + theirs), np.count_nonzero(positive) / cases
        text = f"the weights of {grouped(cases)} rows as read are one value a class and imply a prior of {mass:.3g} (rows: {share:.3g})"
        yield Note("BR304", f"{text}; to read results at another base rate, set the prior instead of weighting")


def _by_class(weights: Floats, positive: npt.NDArray[np.bool_]) -> bool:
    """One weight for every positive and another for every negative."""
    first, other = int(np.argmax(positive)), int(np.argmin(positive))
    if positive[first] == positive[other] or weights[first] == weights[other]:
        return False
    return all(np.array_equal(weights[part], np.where(positive[part], weights[first], weights[other])) for part in (FEW, slice(None)))
