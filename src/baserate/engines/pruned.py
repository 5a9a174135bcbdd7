"""Condensed counts of more distinct scores than fit anywhere: the positives come here, the negatives are dropped into the gaps where they lie.

Two passes over the columns: one GROUP BY that tells every label, and scores apart only where the label may be the positive one; and of the
negatives, for all models at once, the number at each positive's score and between them. Only these numbers travel. The counts are those of
`count(..., keep="positives")`, to the last bit. Where nothing says beforehand which label is positive, a pass over the labels comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import Array, gathered, without_runs
from baserate.counts import Counts
from baserate.engines.arrays import between
from baserate.engines.columns import distinct
from baserate.engines.duels import Sums
from baserate.engines.gaps import Negatives
from baserate.engines.labels import fitting
from baserate.engines.partitions import ENTRIES, over_partitions
from baserate.engines.scores import too_large
from baserate.engines.tallies import LABEL, Tally, collected, is_missing, judged, kind_of, score_key, tallied, whole_numbers, wide
from baserate.engines.treatments import Treatment
from baserate.engines.typed import objects
from baserate.engines.wanted import Wanted
from baserate.errors import grouped, quoted, refuse
from baserate.exact import INT64_MAX, Ints
from baserate.kernels import Cells
from baserate.kernels.portable import ascending_orders
from baserate.notes import Ledger, Note

MOST_LABELS = 1 << 20  # far more than two, and few enough to be told
SPARE = 1 << 10  # rows beside those of the positives: other labels, and what is missing


class Cases(NamedTuple):
    """Rows with a label and every score: the positives' scores side by side, the frame of all, and what was said and left out on the way."""

    frame: Any  # LABEL as 0 or 1, scores by their keys
    scores: dict[str, Array]
    times: Ints  # how many positives have each row of scores
    notes: tuple[Note, ...]
    ledger: Ledger
    label: object

    def cells(self, name: str) -> Cells:
        """The distinct scores of the positives by one model: the least that condensed counts have to hold."""
        return gathered(self.scores[name], self.times, np.zeros_like(self.times))


def with_positives(frame: Any, wanted: Wanted, treatment: Treatment, most: int) -> Cases:
    """The first pass: how many rows have each label, and each score of the positives. What is odd is refused or left out by that."""
    import narwhals.stable.v2 as nw

    frame = _signed(frame, wanted)
    schema = frame.collect_schema()
    _check_numbers(schema, wanted)
    there = [~is_missing(nw.col(key), schema[key]) for key in _keys(wanted)]
    likely = likely_positive(schema[LABEL], wanted.positive)
    tally = None if likely is None else tallied(frame, wanted, most + SPARE, nw.col(LABEL) == likely)
    if tally is None:
        tally, likely = _labels(frame, wanted), None
    found = judged(tally, wanted, treatment)
    held, is_positive = found, nw.col(LABEL) == found.label
    if found.positives.any() and found.label != likely:
        positives = tallied(frame.filter(is_positive, *there), wanted, most)
        held = judged(_checked(positives, wanted, most), wanted, treatment)
    rows = np.flatnonzero(held.positives)
    if len(rows) > most:
        _checked(None, wanted, most)
    # Whatever else is there is missing: null, NaN or blank.
    known = [nw.col(LABEL) == value for value in distinct(tally.label)[0] if value is not None]
    positive = nw.lit(0) if found.label is None else is_positive.cast(nw.Int64)
    numbers = (nw.col(key).cast(wide(schema[key])) for key in _keys(wanted))
    whole = frame.filter(reduce(or_, known), *there).select(positive.alias(LABEL), *numbers)
    scores = {name: column[rows] for name, column in held.scores.items()}
    return Cases(whole, scores, held.positives[rows], found.notes, found.ledger, found.label)


def likely_positive(dtype: Any, positive: Any) -> Any:
    """The label that is positive unless the labels turn out otherwise: the one that was named, true or 1; None where nothing says so."""
    import narwhals.stable.v2 as nw

    if dtype in (nw.String, nw.Categorical):
        named = fitting(positive, objects([""]))
        return named if isinstance(named, str) else None
    if dtype != nw.Boolean and not dtype.is_integer() and not dtype.is_float():
        return None
    kind: type = bool if dtype == nw.Boolean else int if dtype.is_integer() else float
    named = 1 if positive is None else fitting(positive, np.zeros(1, dtype=kind))
    try:
        found = kind(named)
        return found if found == named and abs(found) <= INT64_MAX else None
    except (TypeError, ValueError, OverflowError):
        return None


def _keys(wanted: Wanted) -> list[str]:
    return [score_key(place) for place in range(len(wanted.scores))]


def _signed(frame: Any, wanted: Wanted) -> Any:
    """Whole numbers without a sign as those with one, where they fit: a pass over them finds that out."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    keys = {key: name for key, name in zip(_keys(wanted), wanted.scores, strict=True) if schema[key] == nw.UInt64}
    if not keys:
        return frame
    most = collected(frame.select(*(nw.col(key).max() for key in keys)))
    for key, name in keys.items():
        largest = most[key].to_list()[0]
        if largest is not None and int(largest) > INT64_MAX:
            raise too_large(quoted(name))
    return frame.with_columns(*(nw.col(key).cast(nw.Int64) for key in keys))


def _check_numbers(schema: Any, wanted: Wanted) -> None:
    for key, name in zip(_keys(wanted), wanted.scores, strict=True):
        if wide(schema[key]) is None:
            text = f"{quoted(name)} holds {kind_of(schema[key])}, which cannot be condensed where they lie"
            raise refuse("BR954", text, "cast it to float64, or to a whole number of 64 bits")


def _labels(frame: Any, wanted: Wanted) -> Tally:
    """How many rows have each label, and scores or none."""
    tally = tallied(frame, wanted, MOST_LABELS, scored=False)
    if tally is None:
        raise refuse("BR103", f"{quoted(wanted.label)} has more than {grouped(MOST_LABELS)} values; need 2", "name the column of the labels")
    return tally


def _checked(positives: Tally | None, wanted: Wanted, most: int) -> Tally:
    if positives is None:
        what = "distinct scores" if len(wanted.scores) == 1 else "distinct rows of scores"
        text = f"the positives alone have more than {grouped(most)} {what} in {', '.join(map(quoted, wanted.scores))}"
        raise refuse("BR951", text, "allow more cells here, or round the scores")
    return positives


def condensed(cases: Cases, wanted: Wanted, pairs: Sequence[tuple[int, int]] = ()) -> tuple[dict[str, Counts], list[Sums]]:
    """The second pass: condensed counts of every model, and of every pair how far apart the negatives' placements are."""
    import narwhals.stable.v2 as nw

    ranked = [cases.cells(name) for name in wanted.scores]
    orders = tuple(ascending_orders(one.scores)[::-1].copy() for one in ranked)
    work = Negatives(orders, tuple(one.positives[::-1].copy() for one in ranked) if pairs else (), tuple(pairs))
    negative = cases.frame.filter(nw.col(LABEL) == 0).select(*_keys(wanted))
    entries = over_partitions(negative, work)
    found = collected(entries.group_by(ENTRIES[0]).agg(nw.col(ENTRIES[1]).min(), nw.col(ENTRIES[2]).sum()))
    gaps, sums = work.read(*(whole_numbers(found[name]) for name in ENTRIES))
    cells = [without_runs(between(one, *parts)) for one, parts in zip(ranked, gaps, strict=True)]
    counts = [Counts._of(one, cases.ledger, cases.notes, condensed=True) for one in cells]
    return dict(zip(wanted.scores, counts, strict=True)), sums
