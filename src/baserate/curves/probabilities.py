"""Scores that are probabilities: some curves and summaries need them to be."""

from __future__ import annotations

from typing import Any

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.errors import refuse
from baserate.points import Points

# A probability may be off by so much by rounding and still be meant as one.
ROUNDING = 1e-6


def probability_points(counts: Any) -> Points:
    """The points of counts whose scores are probabilities of both classes; anything else is refused."""
    if not isinstance(counts, Counts):
        raise refuse("BR228", f"probabilities are read off Counts, got {type(counts).__name__}", "count(...)")
    if counts.condensed or counts.bins is not None:
        raise refuse("BR563", "condensed and coarse counts have merged scores: their probabilities are gone", "count with every score kept")
    if not counts.total_positives or not counts.total_negatives:
        raise refuse("BR552", "both classes are needed", "count cases of both classes")
    if counts.scores[0] > 1 + ROUNDING or counts.scores[-1] < -ROUNDING:
        span = f"{counts.scores[-1].item():.6g} to {counts.scores[0].item():.6g}"
        raise refuse(
            "BR563", f"these scores are not probabilities: they span {span}", "divide percentages by 100; turn logits into probabilities"
        )
    return Points.of(counts)


def both_shares(at: Conditions) -> tuple[float, float]:
    """The shares of positives and of negatives, each rounded on its own: near 1 the second would lose its digits."""
    prior = at.exact_prior if at.as_in_sample else exactly(at.prior)
    return rounded(prior), rounded(1 - prior)
