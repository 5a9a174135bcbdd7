"""`count` for arrays in memory: one set of scores, several models, groups of cases, several
classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from baserate.counts.cells import Array, masses, without_runs
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.errors import number_of, quoted, refuse
from baserate.kernels import Cells, Kernels, best
from baserate.kernels.portable import ascending_orders, scores_of_orders
from baserate.numbers import Bounds, Ints, Reading
from baserate.read.cases import SCORE, Cases, Names, checked, weigh
from baserate.read.columns import group_codes

# ----------------------------------------------------------------------
# Counting what a user holds in memory: one set of scores, several models on the same cases, or many
# groups of cases.


# With more positives than one case in so many, sorting everything is faster than looking every
# negative up.
RARE = 16
# More positives than this no longer fit the cache, and looking a negative up gets slow.
MOST_ANCHORS = 1 << 17


def count(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    keep: Literal["all", "positives"] = "all",
    design: Literal["random", "case-control"] = "random",
) -> Counts:
    """How many positives and negatives have each score?

    Labels 0/1 and bools are taken as they are; pairs such as "no"/"yes" or -1/1 with a note; for
    anything else `pos_label` says which value is positive. `sample_weight` makes masses of the
    counts. `keep="positives"` merges scores that only negatives have (see `Counts.condense`), which
    is much faster where positives are rare. `design="case-control"` says that the design fixed how
    many cases of each class there are, so that the sample's prior is no base rate and every measure
    that depends on it needs `at`.

    >>> import baserate as br
    >>> br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    Counts: 2 positives, 2 negatives, 4 distinct scores, prior 0.500
    """
    if keep not in ("all", "positives"):
        raise refuse(
            "BR227", f"keep must be 'all' or 'positives', got {quoted(keep)}", "keep='all'"
        )
    names = Names()
    # Not kept in a variable here, so that what was copied can be freed as soon as it is packed.
    return count_cases(
        checked(
            y_true,
            {SCORE: y_score},
            pos_label=pos_label,
            sample_weight=sample_weight,
            names=names,
            design=design,
        ),
        SCORE,
        keep=keep,
    )


def count_cases(cases: Cases, model: str, *, keep: str = "all", kernels: Kernels = best) -> Counts:
    """The counts of one model's scores."""
    scores, positive, weights, notes, ledger = (
        cases.scores[model],
        cases.positive,
        cases.weights,
        cases.notes,
        cases.ledger,
    )
    del cases
    if weights is not None:
        # The sign of a weight carries the class through the sort.
        cells = masses(*kernels.order_weighted(scores, positive, weights))
        notes = (*notes, *weigh(weights, positive, cells))
    elif keep == "positives" and _is_rare(positive):
        cells = _rare(scores, positive, kernels)
    else:
        finish = kernels.begin_count(scores, positive)
        del scores, positive
        cells = finish()
    if keep == "positives":
        cells = without_runs(cells)
    return Counts._of(cells, ledger, notes, condensed=keep == "positives")


def _is_rare(positive: Array) -> bool:
    positives = int(np.count_nonzero(positive))
    return 0 < RARE * positives <= len(positive) and positives <= MOST_ANCHORS


def _rare(scores: Array, positive: Array, kernels: Kernels) -> Cells:
    """Condensed cells without sorting the negatives: only the positives are ranked, and the
    negatives fall between them.
    """
    rows = np.flatnonzero(positive)
    ranked = kernels.count_cells(scores[rows], np.ones(len(rows), dtype=np.bool_))
    anchors = ascending_orders(ranked.scores)[::-1].copy()
    return between(ranked, *kernels.count_gaps(scores, positive, anchors))


def between(ranked: Cells, ties: Ints, gaps: Ints, lowest: Ints) -> Cells:
    """Condensed cells from those of the positives, and what `count_gaps` found of the negatives at
    them and between them.
    """
    # Descending: the run above the highest positive, that positive, the run below it, and so on
    # down.
    orders = np.empty(2 * len(ties) + 1, dtype=np.int64)
    hits, misses = np.zeros_like(orders), np.empty_like(orders)
    orders[0::2], orders[1::2] = lowest[::-1], ascending_orders(ranked.scores)
    misses[0::2], misses[1::2] = gaps[::-1], ties[::-1]
    hits[1::2] = ranked.positives
    used = hits + misses > 0
    return Cells(scores_of_orders(orders[used], ranked.scores.dtype), hits[used], misses[used])


def count_models(
    y_true: Any,
    y_scores: Mapping[str, Any],
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    design: str = "random",
) -> JointCounts:
    """Which scores did each of several models give the same cases?

    >>> import baserate as br
    >>> br.count([0, 0, 1, 1], {"logit": [0.1, 0.4, 0.35, 0.8], "forest": [0.0, 0.5, 0.5, 1.0]})
    JointCounts: 2 models (logit, forest), 2 positives, 2 negatives, 4 cells
    """
    check_named(y_scores, "count")
    cases = checked(
        y_true,
        y_scores,
        pos_label=pos_label,
        sample_weight=sample_weight,
        names=Names(),
        design=design,
    )
    positives, negatives, notes = cases.one_by_one()
    return JointCounts._of(cases.kept_scores(), positives, negatives, cases.ledger, notes)


def check_named(y_scores: Any, function: str) -> None:
    """Scores of several models, where each has a name."""
    if not isinstance(y_scores, Mapping) or not y_scores:
        raise refuse(
            "BR410",
            f"{function} needs the scores of each model by name",
            f'{function}(y_true, {{"logit": scores}})',
        )
    strange = [name for name in y_scores if not isinstance(name, str)]
    if strange:
        raise refuse(
            "BR410",
            f"a model is named {quoted(strange[0])}, which is not text",
            "name models by text",
        )


def count_groups(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    design: str = "random",
) -> GroupedCounts:
    """How many positives and negatives have each score, group by group: folds, slices, sites, days,
    clusters?

    >>> import baserate as br
    >>> by_site = br.count([0, 1, 0, 1], [0.2, 0.7, 0.1, 0.9], by=["a", "a", "b", "b"])
    >>> by_site["b"]
    Counts: 1 positive, 1 negative, 2 distinct scores, prior 0.500
    """
    arguments = {
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "groups": groups,
        "design": design,
    }
    cases = checked(y_true, {SCORE: y_score}, names=Names(), **arguments)
    if cases.groups is None:
        raise refuse("BR413", "groups is None", "give the group of every case, or use count")
    positives, negatives, notes = cases.one_by_one()
    names, codes = group_codes(cases.groups)
    return GroupedCounts._gathered(
        names, codes, Cells(cases.kept_scores()[SCORE], positives, negatives), cases.ledger, notes
    )


# ----------------------------------------------------------------------
# Several classes: each of them against the rest, in turn.


def count_classes(
    y_true: Any, y_scores: Any, *, classes: Sequence[Any] | None = None, sample_weight: Any = None
) -> dict[Any, Counts]:
    """How many cases of each class, and of the rest, have each of its scores? One set of counts a
    class, as the target in turn.

    `y_scores` maps each class to its scores, or is a matrix with one column per class, in the order
    of `classes`. Each score ranks how likely its class is against the rest.

    >>> import baserate as br
    >>> scores = {"a": [0.7, 0.2, 0.1], "b": [0.2, 0.5, 0.4], "c": [0.1, 0.3, 0.5]}
    >>> by_class = br.count_classes(["a", "b", "c"], scores)
    >>> {name: br.auc(counts) for name, counts in by_class.items()}
    {'a': 1.0, 'b': 1.0, 'c': 1.0}
    """
    columns = dict(y_scores) if isinstance(y_scores, Mapping) else _columns(y_scores, classes)
    labels = np.asarray(y_true)
    if labels.ndim != 1:
        raise refuse(
            "BR219",
            f"labels must be one-dimensional, got {labels.ndim} dimensions",
            "one class per case",
        )
    present = set(labels.tolist())
    unknown = [value for value in present if value not in columns]
    if unknown:
        raise refuse(
            "BR570",
            f"class {quoted(unknown[0])} has no scores",
            f"classes with scores are {', '.join(map(quoted, list(columns)[:5]))}",
        )
    return {
        name: count(labels == name, scores, pos_label=True, sample_weight=sample_weight)
        for name, scores in columns.items()
    }


def _columns(y_scores: Any, classes: Sequence[Any] | None) -> dict[Any, Any]:
    matrix = np.asarray(y_scores)
    if (
        matrix.ndim != 2
        or classes is None
        or len(classes) != matrix.shape[1]
        or len(set(classes)) != len(classes)
    ):
        shown = (
            number_of(matrix.ndim, "dimension")
            if matrix.ndim != 2
            else number_of(matrix.shape[1], "column")
        )
        text = (
            "a matrix of scores needs one column per class, and the classes in that order; got"
            f" {shown}"
        )
        raise refuse("BR570", text, "count_classes(y, matrix, classes=model.classes_)")
    return {name: matrix[:, i] for i, name in enumerate(classes)}


def macro(summary: Callable[..., float], by_class: Mapping[Any, Counts], **options: Any) -> float:
    """What is a summary on average over the classes, each against the rest, each with the same
    weight?

    NaN where it is undefined for one of them: a class that is missing is not a perfect one.

    >>> import baserate as br
    >>> scores = {"a": [0.7, 0.2, 0.1], "b": [0.2, 0.5, 0.4], "c": [0.1, 0.3, 0.5]}
    >>> br.summary(br.count_classes(["a", "b", "c"], scores), "auc", average="macro")
    1.0
    """
    if not by_class:
        raise refuse("BR570", "there are no classes to average over", "count_classes(y, scores)")
    values = [summary(counts, **options) for counts in by_class.values()]
    if not all(isinstance(value, float) for value in values):
        raise refuse(
            "BR570",
            f"{getattr(summary, '__name__', 'this')} gives several numbers, which have no one mean",
            "a summary such as auc",
        )
    ends = [getattr(value, "bounds", None) or (value, value) for value in values]
    low, high = (float(np.mean(column)) for column in zip(*ends, strict=True))
    return Reading(
        float(np.mean(values)), name="macro", bounds=Bounds(low, high) if low < high else None
    )
