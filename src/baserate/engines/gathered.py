"""Columns gathered from rows of Python values, as drivers of databases give them: packed piece by piece, and of one kind each."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.typed import Kind, check_use, from_spelled, objects
from baserate.engines.wanted import Wanted
from baserate.errors import InputError, grouped, quoted, refuse
from baserate.exact import EXACT_FLOATS

PIECE = 1 << 16
NOTHING = type(None)
PACKED = {bool: np.bool_, int: np.int64, float: np.float64}
KINDS: dict[type, Kind] = {
    bool: Kind.NUMBERS,
    int: Kind.NUMBERS,
    float: Kind.NUMBERS,
    Decimal: Kind.SPELLED,
    str: Kind.TEXT,
    uuid.UUID: Kind.TEXT,
    dt.date: Kind.TIMES,
    dt.time: Kind.TIMES,
    dt.timedelta: Kind.TIMES,
    bytes: Kind.BYTES,
    bytearray: Kind.BYTES,
    memoryview: Kind.BYTES,
}


def gather(path: str, pieces: Iterable[Sequence[Sequence[Any]]], wanted: Wanted) -> dict[str, Array]:
    """The wanted columns from pieces of rows, each row with its values in the order of `wanted.columns`."""
    columns = [Gathered(name) for name in wanted.columns]
    for rows in pieces:
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.add(values)
    return {column.name: column.whole(path, wanted) for column in columns}


class Gathered:
    """One column: arrays where the values of a piece are of one type, lists where not, and which types there were, first in which row."""

    def __init__(self, name: str) -> None:
        self.name, self.rows = name, 0
        self.pieces: list[Any] = []
        self.types: Counter[type] = Counter()
        self.first: dict[type, tuple[int, Any]] = {}
        self.texts: dict[str, str] = {}

    def add(self, values: Sequence[Any]) -> None:
        """The next rows."""
        types = list(map(type, values))
        here = Counter(types)
        self.types.update(here)
        for found in here.keys() - self.first.keys():
            row = types.index(found)
            self.first[found] = (self.rows + row, values[row])
        self.rows += len(values)
        self.pieces.append(self._packed(values, here))

    def _packed(self, values: Sequence[Any], types: Counter[type]) -> Any:
        only = next(iter(types)) if len(types) == 1 else None
        if only in PACKED:
            try:
                return np.array(values, dtype=PACKED[only])
            except OverflowError:  # beyond 64 bits
                return values
        if types.keys() <= {str, NOTHING} and len(self.texts) < PIECE:
            return [None if value is None else self.texts.setdefault(value, value) for value in values]  # equal texts are held once
        return values

    def whole(self, path: str, wanted: Wanted) -> Array:
        """The column, or the reason why it is none."""
        kinds = {kind_of(found) for found in self.types if found is not NOTHING}
        if len(kinds) > 1 and kinds != {Kind.NUMBERS, Kind.SPELLED}:
            raise self._mixed(wanted)
        for kind in kinds:
            check_use(path, self.name, kind, wanted)
        if self.pieces and all(isinstance(piece, np.ndarray) for piece in self.pieces) and len({piece.dtype for piece in self.pieces}) == 1:
            return np.concatenate(self.pieces)
        return _together([value for piece in self.pieces for value in (piece.tolist() if isinstance(piece, np.ndarray) else piece)], kinds)

    def _mixed(self, wanted: Wanted) -> InputError:
        """SQLite lets any row hold any type; the rarest kind is most likely where the column went wrong."""
        times: Counter[Kind] = Counter()
        first: dict[Kind, tuple[int, Any]] = {}
        for found, (row, value) in sorted(self.first.items(), key=lambda pair: pair[1][0]):
            if found is not NOTHING:
                times[kind_of(found)] += self.types[found]
                first.setdefault(kind_of(found), (row, value))
        shown = ", ".join(f"{kind} ({grouped(count)}, such as {quoted(first[kind][1])})" for kind, count in times.most_common())
        rarest, count = times.most_common()[-1]
        code = "BR107" if self.name == wanted.label else "BR208" if self.name in wanted.numbers else "BR413"
        return refuse(code, f"{quoted(self.name)} mixes types: {shown}", "store one type in that column", [first[rarest][0]], count)


def kind_of(found: type) -> Kind:
    """What the values of a Python type are."""
    return next((KINDS[base] for base in found.__mro__ if base in KINDS), Kind.OTHER)


def _together(values: list[Any], kinds: set[Kind]) -> Array:
    """Values that are not all of one type, or not numbers."""
    if Kind.SPELLED in kinds:
        return from_spelled([None if value is None else str(value) for value in values])
    if kinds <= {Kind.TEXT, Kind.TIMES}:
        return objects([value if value is None or isinstance(value, str) else str(value) for value in values])
    types = set(map(type, values))
    if float in types and types <= {float, int, NOTHING} and all(abs(value) <= EXACT_FLOATS for value in values if type(value) is int):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return objects(values)
