"""A frame of class probabilities, as classifiers return them: its columns are named by class, and the positive's is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate.engines.columns import Column, as_column
from baserate.engines.labels import Decision
from baserate.errors import quoted, refuse
from baserate.notes import Note

SUM_ERROR = 1e-6


@dataclass(frozen=True)
class ClassColumn(Column):
    """A column of probabilities, and the class that it is named by."""

    label: object = None


def two_columns(data: Any, name: str) -> tuple[ClassColumn, ...]:
    """The two named columns of a DataFrame, or nothing where `data` is something else."""
    labels = getattr(data, "column_names", getattr(data, "columns", ()))  # pyarrow's name for it first
    if isinstance(data, np.ndarray) or len(labels) != 2:
        return ()
    columns = (as_column(data[label], f"{name}[{quoted(label)}]") for label in labels)
    return tuple(ClassColumn(c.name, c.values, c.missing, c.index, label=label) for c, label in zip(columns, labels, strict=True))


def of_positive(columns: tuple[Column, ...], decision: Decision) -> tuple[Column, Note]:
    """The column named like the positive class, if the two are the probabilities of a case being one or the other."""
    pair = [column for column in columns if isinstance(column, ClassColumn)]
    numeric = all(column.values.dtype.kind in "iuf" and column.missing is None for column in pair)
    complete = numeric and bool((np.abs(sum(column.values for column in pair) - 1.0) <= SUM_ERROR).all())
    matches = [column for column in pair if _spelled(column.label) == _spelled(decision.value)]
    if not complete or len(matches) != 1:
        names = ", ".join(quoted(column.label) for column in pair)
        raise refuse("BR204", f"the scores have 2 columns ({names}): which one ranks the positives?", "pass one column")
    return matches[0], Note("BR204", f"two columns of class probabilities: {matches[0].name} is the positive's")


def _spelled(label: object) -> str:
    """Column names are often text where labels are numbers or bools."""
    if isinstance(label, bool | np.bool_ | int | float | np.number):
        return str(int(label)) if float(label).is_integer() else str(label)
    return str(label)
