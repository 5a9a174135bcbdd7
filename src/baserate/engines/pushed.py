"""Counting in the source: each pair of label and score once, with the number of its cases, spread to one row a case here.

Only where that is provably the same: one score, nothing else wanted, labels that are whole or bool, scores that are numbers. Engines may
merge 0 and -0.0, which are one score to us too. They take NaN for a value, and a pair has no row number: where anything is missing or NaN,
the rows themselves are needed.
"""

from __future__ import annotations

import numpy as np

from baserate.cells import Array
from baserate.engines.wanted import Wanted

# Fewer distinct scores than cases by this much make it worth while: there are at most twice as many pairs.
FEWER = 4


def pair_of(wanted: Wanted) -> tuple[str, str] | None:
    """The names of the label and the score, where nothing else is wanted."""
    pair = (wanted.label, wanted.scores[0])
    return pair if wanted.columns == pair else None


def spread(labels: Array, scores: Array, times: Array) -> tuple[Array, Array] | None:
    """One row a case, in no particular order; None where anything is missing or NaN, or nothing is there."""
    gone = any(np.ma.is_masked(values) for values in (labels, scores)) or (scores.dtype.kind == "f" and bool(np.isnan(scores).any()))
    if gone or not len(times):
        return None
    counts = np.asarray(times, dtype=np.int64)
    return np.repeat(np.ma.getdata(labels), counts), np.repeat(np.ma.getdata(scores), counts)
