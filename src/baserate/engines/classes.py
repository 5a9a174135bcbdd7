"""Several classes: each of them against the rest, in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from baserate.counts import Counts
from baserate.engines.arrays import count
from baserate.errors import number_of, quoted, refuse
from baserate.readings import Bounds, Reading


def count_classes(y_true: Any, y_scores: Any, *, classes: Sequence[Any] | None = None, sample_weight: Any = None) -> dict[Any, Counts]:
    """How many cases of each class, and of the rest, have each of its scores? One set of counts a class, as the target in turn.

    `y_scores` maps each class to its scores, or is a matrix with one column a class, in the order of `classes`. Each score ranks how likely
    its class is against the rest.

    >>> import baserate as br
    >>> scores = {"a": [0.7, 0.2, 0.1], "b": [0.2, 0.5, 0.4], "c": [0.1, 0.3, 0.5]}
    >>> by_class = br.count_classes(["a", "b", "c"], scores)
    >>> {name: br.auc(counts) for name, counts in by_class.items()}
    {'a': 1.0, 'b': 1.0, 'c': 1.0}
    """
    columns = dict(y_scores) if isinstance(y_scores, Mapping) else _columns(y_scores, classes)
    labels = np.asarray(y_true)
    if labels.ndim != 1:
        raise refuse("BR219", f"labels must be one-dimensional, got {labels.ndim} dimensions", "one class a case")
    present = set(labels.tolist())
    unknown = [value for value in present if value not in columns]
    if unknown:
        raise refuse(
            "BR570", f"class {quoted(unknown[0])} has no scores", f"classes with scores are {', '.join(map(quoted, list(columns)[:5]))}"
        )
    return {name: count(labels == name, scores, pos_label=True, sample_weight=sample_weight) for name, scores in columns.items()}


def _columns(y_scores: Any, classes: Sequence[Any] | None) -> dict[Any, Any]:
    matrix = np.asarray(y_scores)
    if matrix.ndim != 2 or classes is None or len(classes) != matrix.shape[1] or len(set(classes)) != len(classes):
        shown = number_of(matrix.ndim, "dimension") if matrix.ndim != 2 else number_of(matrix.shape[1], "column")
        text = f"a matrix of scores needs one column a class, and the classes in that order; got {shown}"
        raise refuse("BR570", text, "count_classes(y, matrix, classes=model.classes_)")
    return {name: matrix[:, i] for i, name in enumerate(classes)}


def macro(summary: Callable[..., float], by_class: Mapping[Any, Counts], **options: Any) -> float:
    """What is a summary on average over the classes, each against the rest, each with the same weight?

    NaN where it is undefined for one of them: a class that is missing is not a perfect one.

    >>> import baserate as br
    >>> scores = {"a": [0.7, 0.2, 0.1], "b": [0.2, 0.5, 0.4], "c": [0.1, 0.3, 0.5]}
    >>> br.macro(br.auc, br.count_classes(["a", "b", "c"], scores))
    1.0
    """
    if not by_class:
        raise refuse("BR570", "there are no classes to average over", "count_classes(y, scores)")
    values = [summary(counts, **options) for counts in by_class.values()]
    if not all(isinstance(value, float) for value in values):
        raise refuse("BR570", f"{getattr(summary, '__name__', 'this')} gives several numbers, which have no one mean", "a summary such as auc")
    ends = [getattr(value, "bounds", None) or (value, value) for value in values]
    low, high = (float(np.mean(column)) for column in zip(*ends, strict=True))
    return Reading(float(np.mean(values)), name="macro", bounds=Bounds(low, high) if low < high else None)
