"""Texts of which there are few: an array like any other, that remembers the codes it was made from, so that these can travel instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baserate.cells import Array

# As many rows tell whether a column repeats itself, and as many values may be held once for all rows.
PROBE, MOST_VALUES = 10_000, 1 << 16


class Coded(np.ndarray[Any, Any]):
    """An object array made by `values[codes]`. Parts and copies of it are plain: they have no codes."""

    codes: Array | None = None
    values: Array | None = None

    @classmethod
    def of(cls, values: Array, codes: Array) -> Coded:
        """Each row's value."""
        made = values[codes].view(cls)
        made.codes, made.values = codes, values
        return made


def decoded(values: Sequence[Any] | Array, codes: Array, gone: Array | None = None) -> Coded:
    """Texts from their codes; None where they are gone, whatever the code there says."""
    held = np.empty(len(values) + 1, dtype=object)  # the last one is None
    held[:-1] = values
    if gone is None or not gone.any():
        return Coded.of(held[:-1], codes)
    return Coded.of(held, np.where(gone, len(values), codes).astype(np.uint32))


def codes_of(column: Array) -> tuple[Array, Array] | None:
    """The values of a column of text, each once, and every row's place among them; None where there are many, or anything but text."""
    if isinstance(column, Coded) and column.codes is not None and column.values is not None and len(column.values) <= len(column):
        return column.values, column.codes
    begin = column[:PROBE].tolist()
    if 2 * len(set(begin)) > len(begin):
        return None
    rows = column.tolist()
    if not set(map(type, rows)) <= {str, type(None)}:
        return None
    distinct = list(dict.fromkeys(rows))
    if len(distinct) > MOST_VALUES or 2 * len(distinct) > len(rows):
        return None
    places = {value: place for place, value in enumerate(distinct)}
    values = np.empty(len(distinct), dtype=object)
    values[:] = distinct
    return values, np.fromiter(map(places.__getitem__, rows), dtype=np.uint16, count=len(rows))
