"""Condensed counts of more distinct scores than fit anywhere: the positives come here, the negatives are dropped into the gaps where they lie.

Three passes over the columns: the labels (which are positive, how many rows have no score), the scores of the positives, and of the negatives
the number at each positive's score and between them. Only these numbers travel. The counts are those of `count(..., keep="positives")`, to the
last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import gathered, without_runs
from baserate.counts import Counts
from baserate.engines.arrays import between
from baserate.engines.columns import distinct
from baserate.engines.partitions import ENTRIES, Columns, over_partitions
from baserate.engines.tallies import CASES, LABEL, collected, is_missing, judged, kind_of, score_key, tallied, whole_numbers, wide
from baserate.engines.treatments import Treatment
from baserate.engines.wanted import Wanted
from baserate.errors import grouped, quoted, refuse
from baserate.exact import INT64_MAX, Ints
from baserate.kernels import Cells, best, portable
from baserate.kernels.portable import ascending_orders
from baserate.notes import Ledger, Note

SCORE = "score"
MOST_LABELS = 1 << 20  # far more than two, and few enough to be told


class Labelled(NamedTuple):
    """Rows with a label and every score, one of them positive or not, and what was said and left out on the way."""

    frame: Any  # LABEL as 0 or 1, scores by their keys
    notes: tuple[Note, ...]
    ledger: Ledger
    label: object


def labelled(frame: Any, wanted: Wanted, treatment: Treatment) -> Labelled:
    """The first pass: how many rows have each label, and a score or none. What is odd is refused or left out by that."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    keys = [score_key(place) for place in range(len(wanted.scores))]
    for key, name in zip(keys, wanted.scores, strict=True):
        if wide(schema[key]) is None:
            text = f"{quoted(name)} holds {kind_of(schema[key])}, which cannot be condensed where they lie"
            raise refuse("BR954", text, "cast it to float64, or to a whole number of 64 bits")
    there = {key: ~is_missing(nw.col(key), schema[key]) for key in keys}
    blank = frame.select(nw.col(LABEL), *(nw.when(there[key]).then(nw.lit(0.0)).alias(key) for key in keys))
    tally = tallied(blank, wanted, MOST_LABELS)
    if tally is None:
        raise refuse("BR103", f"{quoted(wanted.label)} has more than {grouped(MOST_LABELS)} values; need 2", "name the column of the labels")
    found = judged(tally, wanted, treatment)
    # Whatever else is there is missing: null, NaN or blank.
    known = [nw.col(LABEL) == value for value in distinct(tally.label)[0] if value is not None]
    positive = nw.lit(0) if found.label is None else (nw.col(LABEL) == found.label).cast(nw.Int64)
    whole = frame.filter(reduce(or_, known), *there.values())
    numbers = (nw.col(key).cast(wide(schema[key])) for key in keys)
    return Labelled(whole.select(positive.alias(LABEL), *numbers), found.notes, found.ledger, found.label)


def condensed(cases: Labelled, wanted: Wanted, place: int, most: int) -> Counts:
    """The second and the third pass, for one model."""
    ranked = positives_of(cases, wanted, place, most)
    return Counts._of(_between(cases, ranked, place), cases.ledger, cases.notes, condensed=True)


def positives_of(cases: Labelled, wanted: Wanted, place: int, most: int) -> Cells:
    """The distinct scores of the positives, with how many have each: the least that condensed counts have to hold."""
    import narwhals.stable.v2 as nw

    positive = cases.frame.filter(nw.col(LABEL) == 1).select(nw.col(score_key(place)).alias(SCORE))
    found = collected(positive.group_by(SCORE).agg(nw.len().alias(CASES)).head(most + 1))
    if len(found) > most:
        text = f"the positives alone have more than {grouped(most)} distinct scores in {quoted(wanted.scores[place])}"
        raise refuse("BR951", text, "allow more cells here, or round the scores")
    scores, times = np.asarray(found[SCORE].to_numpy()), whole_numbers(found[CASES])
    return gathered(scores, times, np.zeros_like(times))


def _between(cases: Labelled, ranked: Cells, place: int) -> Cells:
    import narwhals.stable.v2 as nw

    anchors = ascending_orders(ranked.scores)[::-1].copy()
    negative = cases.frame.filter(nw.col(LABEL) == 0).select(nw.col(score_key(place)).alias(SCORE))
    entries = over_partitions(negative, Gaps(anchors))
    found = collected(entries.group_by(ENTRIES[0]).agg(nw.col(ENTRIES[1]).min(), nw.col(ENTRIES[2]).sum()))
    places, lowest, many = (whole_numbers(found[name]) for name in ENTRIES)
    # Even places are the gaps, from the lowest; odd ones the positives' own scores.
    cases_at, least = np.zeros(2 * len(anchors) + 1, dtype=np.int64), np.full(2 * len(anchors) + 1, INT64_MAX)
    cases_at[places], least[places] = many, lowest
    return without_runs(between(ranked, cases_at[1::2], cases_at[0::2], least[0::2]))


@dataclass(frozen=True)
class Gaps:
    """How many scores of a partition lie at each anchor and between them, and the lowest of each gap; `anchors` are orders, ascending."""

    anchors: Ints

    def __call__(self, pieces: Iterator[Columns]) -> tuple[Ints, Ints, Ints]:
        size = 2 * len(self.anchors) + 1
        cases, lowest = np.zeros(size, dtype=np.int64), np.full(size, INT64_MAX)
        anchors = np.require(self.anchors, requirements=["C", "A"])  # what came over a network may lie at any byte
        kernels = best if len(anchors) else portable  # the compiled search needs something to find
        for piece in pieces:
            scores = np.require(piece[SCORE], requirements=["C", "A"])
            ties, gaps, least = kernels.count_gaps(scores, np.zeros(len(scores), dtype=np.bool_), anchors)
            cases[0::2] += gaps
            cases[1::2] += ties
            lowest[0::2] = np.minimum(lowest[0::2], least)
        used = np.flatnonzero(cases)
        return used, lowest[used], cases[used]
