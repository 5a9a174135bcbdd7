"""Intervals and tests where cases do not fit into memory: the numbers that memory would give."""

import numpy as np
import pytest

import baserate as br
from baserate.read import large, table
from baserate.read.table import CELL, LEAST


def made(rows=4_000, prior=0.05, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < prior
    first = rng.normal(size=rows) + labels
    return labels, first, np.round(first + rng.normal(size=rows), 1)


@pytest.mark.parametrize("method", [None, "delong", "percentile", "bca"])
def test_intervals_of_condensed_counts_are_those_of_every_score(monkeypatch, method):
    """DeLong and the bootstrap see only what condensed counts keep."""
    labels, scores, _ = made(prior=0.02)
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 1_000)
    monkeypatch.setattr(large, "BATCH", 64)
    cut = [(labels[at : at + 500], scores[at : at + 500]) for at in range(0, 4_000, 500)]
    condensed, whole = br.count(cut, memory=LEAST), br.count(labels, scores)
    assert condensed.condensed
    ours, theirs = (
        br.interval(
            counts,
            br.auc,
            method=method,
            **({"replicates": 400} if method in ("percentile", "bca") else {}),
        )
        for counts in (condensed, whole)
    )
    assert (ours.value, ours.method) == (theirs.value, theirs.method)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_a_billion_cases_are_resampled_as_counts():
    """The totals of scenario 9: nothing is resampled row by row, and nothing overflows."""
    counts = br.Counts(
        [9.0, 5.0, 1.0],
        positives=[400_000, 397_300, 200_000],
        negatives=[96_302_700, 300_000_000, 600_000_000],
    )
    bounds = br.interval(counts, br.auc, method="percentile", replicates=200)
    plain = br.interval(counts, br.auc, method="delong")
    assert bounds.low < bounds.value < bounds.high
    assert bounds.high - bounds.low == pytest.approx(plain.high - plain.low, rel=0.25)
