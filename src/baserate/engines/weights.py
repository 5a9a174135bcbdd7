"""Weights: finite, not negative, and with a word on what they may mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from baserate.engines.columns import Column
from baserate.engines.scores import as_scores
from baserate.errors import grouped, refuse
from baserate.exact import EXACT_FLOATS, Floats
from baserate.kernels import Cells
from baserate.notes import Note


def as_weights(column: Column) -> Floats:
    """Float64 weights, or the reason why these are none."""
    gone = column.missing_rows()
    if len(gone):
        raise refuse("BR303", f"{column.name} has missing or NaN weights", "give every case a finite weight", gone[:3], len(gone))
    numbers = as_scores(column)  # read as scores are, also from text
    weights = numbers.astype(np.float64) + 0.0
    if numbers.dtype == np.int64 and ((numbers > EXACT_FLOATS) | (numbers < -EXACT_FLOATS)).any():
        raise refuse("BR303", f"{column.name} has whole weights above 2**53, which would be rounded", "scale the weights down")
    infinite = np.flatnonzero(np.isinf(weights))
    if len(infinite):
        raise refuse("BR303", f"{column.name} has infinite weights", "give every case a finite weight", infinite[:3], len(infinite))
    below = np.flatnonzero(weights < 0)
    if len(below):
        text = f"{column.name} has a weight of {weights[below[0]]:g}; weights cannot be negative"
        raise refuse("BR301", text, "drop those cases or correct their weights", below[:3], len(below))
    return weights


def with_weight(weights: Floats, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
    """Which cases have any weight (None: all of them); a class of which none has is refused."""
    used: npt.NDArray[np.bool_] = weights != 0
    if used.all():
        return None
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
    cases = len(weights)
    scaled = weights / weights.max()
    effective = float(scaled.sum() ** 2 / np.dot(scaled, scaled))
    if effective < cases / 2:
        yield Note(
            "BR307", f"the weights of {grouped(cases)} rows as read are uneven: they count as {effective:.3g} (Kish's effective sample size)"
        )
    if (weights != 1).any() and (weights == np.floor(weights)).all():
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
    few = slice(0, 1000)  # most weights differ at once, and need no second look
    return all(np.array_equal(weights[part], np.where(positive[part], weights[first], weights[other])) for part in (few, slice(None)))
