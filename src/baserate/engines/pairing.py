"""Several models on the same cases, too many to hold: what DeLong's test needs of every pair, from two passes over the rows.

The positives' scores come here side by side, and go out again; the negatives are counted between them and their placements compared where they
lie. How many negatives lie in each gap places the positives, here. Whole numbers all of them, exact however many there are.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.counts import Counts
from baserate.engines.duels import Sums
from baserate.engines.pruned import Cases, condensed, with_positives
from baserate.engines.treatments import Treatment
from baserate.engines.wanted import Wanted
from baserate.exact import Ints


class Paired(NamedTuple):
    """Sums over the cases of two models: differences of twice the number beaten, and their squares, for positives and for negatives."""

    models: tuple[str, str]
    positives: Sums
    negatives: Sums


def paired_sums(frame: Any, wanted: Wanted, treatment: Treatment, most: int) -> tuple[dict[str, Counts], list[Paired]]:
    """The condensed counts of each model, and the sums of every pair of them."""
    cases = with_positives(frame, wanted, treatment, most)
    pairs = list(combinations(range(len(wanted.scores)), 2))
    counts, of_negatives = condensed(cases, wanted, pairs)
    placed = [beating(cases, name, counts[name]) for name in wanted.scores]
    found = []
    for (one, other), negatives in zip(pairs, of_negatives, strict=True):
        positives = Sums()
        positives.add_times(placed[other] - placed[one], cases.times)
        found.append(Paired((wanted.scores[one], wanted.scores[other]), positives, negatives))
    return counts, found


def beating(cases: Cases, name: str, counts: Counts) -> Ints:
    """Of each row of the positives' scores, twice the negatives below it by one model, a tie counting one."""
    scores, negatives = counts.scores[::-1], counts.negatives[::-1]
    twice = 2 * (np.cumsum(negatives) - negatives) + negatives
    found: Ints = twice[np.searchsorted(scores, cases.scores[name])]
    return found
