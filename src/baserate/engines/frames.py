"""Counting data frames where they lie: Spark and Dask clusters, DuckDB, lazy and eager frames, through one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from baserate.cells import gathered
from baserate.counts import Counts
from baserate.engines.columns import group_codes
from baserate.engines.pruned import condensed, with_positives
from baserate.engines.tallies import Judged, checked_treatment, judged, opened, tallied
from baserate.engines.treatments import Treatment
from baserate.engines.wanted import Wanted
from baserate.errors import Fix, grouped, quoted, refuse
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.notes import RANDOM

# So many cells take less than a gigabyte here, on their way in and merged.
MOST_CELLS = 5_000_000
Keep = Literal["all", "positives"]


def count_frame(
    frame: Any,
    *,
    label: str,
    score: str,
    positive: Any = None,
    keep: Keep | None = None,
    cells: int = MOST_CELLS,
    design: str = RANDOM,
    **treatment: Any,
) -> Counts:
    """How many positives and negatives have each score, in a data frame that need not fit into memory?

    `frame` is one of PySpark, Dask, DuckDB, ibis, polars (lazy or not), pandas or pyarrow. The engine that holds it runs one GROUP BY, and only
    distinct scores come here. No more than `cells` of them: where there are more, the counts are condensed as `keep="positives"` has them,
    which is exact too, and the negatives never leave their workers; `keep="all"` refuses instead. Rows without a label or score are refused, or
    left out with `missing_label="drop"` and `nan_score="drop"`.

    >>> import baserate as br, polars
    >>> frame = polars.LazyFrame({"fraud": [0, 0, 1, 1], "m": [0.1, 0.4, 0.35, 0.8]})
    >>> br.count_frame(frame, label="fraud", score="m")
    Counts: 2 positives, 2 negatives, 4 distinct scores, prior 0.500
    """
    wanted = Wanted(label, (score,), positive, design=design)
    return counts_in(opened(frame, wanted), wanted, checked_treatment(treatment), keep=keep, cells=cells)[0]


def counts_in(frame: Any, wanted: Wanted, treatment: Treatment, *, keep: Keep | None = None, cells: int = MOST_CELLS) -> tuple[Counts, object]:
    """The same of a frame that is opened, and the label that was found to be positive."""
    if keep not in (None, "all", "positives"):
        raise refuse("BR227", f"keep must be 'all' or 'positives', got {quoted(keep)}", "keep='all'")
    tally = None if keep == "positives" else tallied(frame, wanted, checked_cells(cells))
    if tally is not None:
        found = judged(tally, wanted, treatment)
        return Counts._of(gathered(*found.cells(wanted.scores[0])), found.ledger, found.notes), found.label
    if keep == "all":
        raise _too_many(wanted.scores[0], cells)
    cases = with_positives(frame, wanted, treatment, checked_cells(cells))
    return condensed(cases, wanted)[0][wanted.scores[0]], cases.label


def checked_cells(cells: int) -> int:
    """How many cells may come here."""
    if isinstance(cells, bool) or not isinstance(cells, int) or cells < 1:
        raise refuse("BR951", f"the most cells to hold is a number of 1 or more, got {quoted(cells)}", Fix.option("cells", MOST_CELLS))
    return cells


def _too_many(score: str, cells: int) -> Exception:
    text = f"there are more than {grouped(cells)} distinct rows of values with {quoted(score)}, which is as many as may be held here"
    return refuse("BR951", text, Fix('cells=…, keep="positives", or round the scores', "--cells NUMBER, --keep positives, or round the scores"))


def count_groups_frame(
    frame: Any,
    *,
    label: str,
    score: str,
    group: str,
    positive: Any = None,
    cells: int = MOST_CELLS,
    design: str = RANDOM,
    **treatment: Any,
) -> GroupedCounts:
    """How many positives and negatives have each score, group by group (folds, slices, sites, days), in a data frame of any engine?"""
    wanted = Wanted(label, (score,), positive, group=group, design=design)
    return groups_in(opened(frame, wanted), wanted, checked_treatment(treatment), cells=cells)[0]


def groups_in(frame: Any, wanted: Wanted, treatment: Treatment, *, cells: int = MOST_CELLS) -> tuple[GroupedCounts, object]:
    """The same of a frame that is opened, and the positive label."""
    found = _judged(frame, wanted, treatment, cells)
    assert found.group is not None
    names, codes = group_codes(found.group)
    return GroupedCounts._gathered(names, codes, found.cells(wanted.scores[0]), found.ledger, found.notes), found.label


def count_models_frame(
    frame: Any,
    *,
    label: str,
    scores: Sequence[str],
    positive: Any = None,
    cells: int = MOST_CELLS,
    design: str = RANDOM,
    **treatment: Any,
) -> JointCounts:
    """Which scores did each of several models give the same cases, in a data frame of any engine?

    One cell a distinct row of scores: for scores that are rounded. Where there are more than `cells`, `compare_frame` needs none of them.
    """
    wanted = Wanted(label, tuple(scores), positive, design=design)
    return models_in(opened(frame, wanted), wanted, checked_treatment(treatment), cells=cells)[0]


def models_in(frame: Any, wanted: Wanted, treatment: Treatment, *, cells: int = MOST_CELLS) -> tuple[JointCounts, object]:
    """The same of a frame that is opened, and the positive label."""
    check_models(wanted.scores)
    found = _judged(frame, wanted, treatment, cells)
    joint = JointCounts._of(found.scores, found.positives, found.negatives, found.ledger, found.notes)
    return joint.sorted_by(wanted.scores), found.label


def check_models(scores: Sequence[str]) -> None:
    """At least one score, each named once."""
    if not scores:
        raise refuse("BR410", "no score is named", Fix('scores=["m1", "m2"]', "--score m1 --score m2"))
    repeated = [name for name in scores if scores.count(name) > 1]
    if repeated:
        raise refuse("BR407", f"the score {quoted(repeated[0])} was asked for twice", "name each score once")


def _judged(frame: Any, wanted: Wanted, treatment: Treatment, cells: int) -> Judged:
    tally = tallied(frame, wanted, checked_cells(cells))
    if tally is None:
        raise _too_many(wanted.scores[0], cells)
    return judged(tally, wanted, treatment)
