"""The fast way to read delimited text, by DuckDB. It gives what the careful way would give, or nothing: then the careful way is taken.

DuckDB is told how to read it (see `scans`), and has to find as many rows as there are records by our own count of the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines import careful_csv, records
from baserate.engines.coded import MOST_VALUES, decoded
from baserate.engines.columns import Unread
from baserate.engines.dialects import Dialect, Text
from baserate.engines.locked_duckdb import locked
from baserate.engines.scans import MERGED, STRANGE, UNWRITTEN, Doubt, Seen, column_at, number_at, scan_of, style_at, unread_at
from baserate.engines.text_lines import InLines
from baserate.engines.wanted import Table, Wanted
from baserate.exact import EXACT_FLOATS

MOST_COLUMNS = 2000  # DuckDB is told every column by name
FEW_VALUES = 8
MANY_STYLES = "many"
NO_CODE = 255


def is_plain(text: Text, dialect: Dialect) -> bool:
    """Whether the file is of the kind that DuckDB and RFC 4180 read alike."""
    facts = text.facts
    return (
        facts.even
        and not facts.long
        and not dialect.padded
        and len(dialect.names) <= MOST_COLUMNS
        and len(dialect.delimiter.encode()) == 1
        and not any("\n" in name or "\r" in name for name in dialect.names)
        and text.path.isprintable()
    )


def rows_of(text: Text, dialect: Dialect) -> int:
    """How many records there are, where each is a line."""
    found = records.count_records(text.path, text.facts, dialect.delimiter, dialect.skip + dialect.header)
    if not found.well_formed or found.spanning or found.number < 1:
        raise Doubt
    return found.number


def place_of(text: Text, dialect: Dialect) -> InLines:
    """Where the rows lie: below the header, a line each."""
    return InLines(text.shown, dialect.skip + dialect.header + 1)


def read(text: Text, dialect: Dialect, wanted: Wanted, *, plain: bool = False) -> Table | None:
    """The table, or None where there is any doubt about it. `plain` says that nothing is done about scores that are no numbers."""
    try:
        rows = rows_of(text, dialect)
        path = os.path.abspath(text.path)  # noqa: PTH100 (links stay: what was looked at is what is read)
        with locked([path]) as connection:
            reader = _Reader(connection, path, dialect, rows, wanted.scores if plain else ())
            columns = reader.columns(wanted)
    except Exception:  # noqa: BLE001 (whatever DuckDB does not like, or its absence: the careful way says what is wrong, if anything is)
        return None
    return Table(text.shown, columns, rows, 0, "", place_of(text, dialect), styles=reader.styles)


class _Reader:
    """One file, one connection, and what it has to come to."""

    def __init__(self, connection: Any, path: str, dialect: Dialect, rows: int, refusable: Sequence[str] = ()) -> None:
        self.connection, self.dialect, self.rows, self.refusable = connection, dialect, rows, refusable
        self.scan = scan_of(path, dialect)
        # How numbers are written, where they are fractions: in few digits or as floats print themselves (None), in one other style, or in many.
        self.styles: dict[str, str | None] = {}

    def columns(self, wanted: Wanted) -> dict[str, Any]:
        """Each wanted column as the careful way would have it (numbers as numbers, where it has their texts)."""
        texts = [name for name in wanted.texts if name not in wanted.numbers]
        codes = {name: ["0", "1"] if name == wanted.label else self._distinct(name) for name in texts if name != wanted.id}
        read = self._fetched(texts, codes, wanted.numbers)
        if wanted.label in codes and (read[self._at(wanted.label)] == NO_CODE).any():
            codes[wanted.label] = self._distinct(wanted.label)
            read |= self._fetched([wanted.label], codes, ())
        gathered = {name: _texts(read.pop(self._at(name)), codes.get(name), label=name == wanted.label) for name in texts}
        gathered |= {name: self._column(read.pop(self._at(name)), read.pop(f"f{self._at(name)}"), name) for name in wanted.numbers}
        # A column that is both is text to the careful way, but for a label of 0 and 1.
        for name in set(wanted.texts) & set(wanted.numbers):
            column = gathered[name]
            if name != wanted.label or isinstance(column, Unread) or not np.isin(column, (0, 1)).all() or column.dtype != np.int64:
                raise Doubt
        return {name: gathered[name] for name in wanted.columns}

    def _fetched(self, texts: Sequence[str], codes: dict[str, list[str] | None], numbers: Sequence[str]) -> dict[str, Array]:
        parts, given = [], list[Any]()
        for name in texts:
            at, values = self._at(name), codes.get(name)
            parts.append(f"{self._coding(at, values)} AS {at}")
            given += values if values and len(values) <= FEW_VALUES else ()
        self.styles |= {name: style_at(self.connection, self.scan, self._at(name)) for name in numbers}
        parts += [number_at(self._at(name), self.styles[name]) for name in numbers]
        read = self._query(", ".join(parts), given)
        gaps = {self._at(name) for name in self.refusable} | {f"f{self._at(name)}" for name in self.refusable}
        if any(len(column) != self.rows or (np.ma.is_masked(column) and at not in gaps) for at, column in read.items()):
            raise Doubt
        return {at: column if at in gaps else np.asarray(column) for at, column in read.items()}

    def _coding(self, at: str, values: list[str] | None) -> str:
        """A text as a small number, where it is one of few."""
        if values is None:
            return at
        if len(values) <= FEW_VALUES:
            cases = " ".join(f"WHEN ? THEN {code}" for code in range(len(values)))
            return f"CAST(CASE {at} {cases} ELSE {NO_CODE} END AS UTINYINT)"
        self.connection.execute(f"CREATE TYPE e{at} AS ENUM (SELECT unnest(CAST(? AS VARCHAR[])))", [values])
        return f"CAST(enum_code(CAST({at} AS e{at})) AS INTEGER)"

    def _distinct(self, name: str) -> list[str] | None:
        """The texts of a column, each once; None where they are so many that codes are no help."""
        at = self._at(name)
        found = self._query(f"DISTINCT {at}", rest=f"LIMIT {MOST_VALUES + 1}")[at]
        return None if len(found) > MOST_VALUES or np.ma.is_masked(found) else list(found)

    def _column(self, values: Array, flags: Array, name: str) -> Any:
        """The numbers; where some are none, and that is to be refused, what there is to say of them."""
        if name not in self.refusable:
            return self._number(values, flags, name)
        gone = np.ma.getmaskarray(values) | np.isnan(np.ma.getdata(values)) if isinstance(values, np.ma.MaskedArray) else np.isnan(values)
        if gone.any():
            if (np.asarray(flags)[~gone] & STRANGE).any():  # DuckDB's numbers, and none of ours
                raise Doubt
            places = map(int, np.flatnonzero(gone))
            return unread_at(self.connection, self.scan, self._at(name), places, self.rows, self.dialect.delimiter)
        return self._number(np.asarray(values), np.asarray(flags), name)

    def _number(self, values: Array, flags: Array, name: str) -> Array:
        """Whole numbers where all are written so, floats else."""
        at, finite = self._at(name), np.isfinite(values)
        large = bool((np.abs(values[finite]) >= EXACT_FLOATS).any())
        seen = Seen(bool(np.isnan(values).any()), int(np.bitwise_or.reduce(flags)), bool(finite.all()), large)
        if seen.are_whole():
            return self._whole(at) if large else values.astype(np.int64)
        if seen.flags & UNWRITTEN:
            if len(self._query("count(*) AS n", rest=MERGED.format(at))["n"]):
                raise Doubt
            self.styles[name] = MANY_STYLES
        return values

    def _whole(self, at: str) -> Array:
        found = self._query(f"TRY_CAST({at} AS BIGINT) AS {at}")[at]
        if len(found) != self.rows or np.ma.is_masked(found):
            raise Doubt
        return np.asarray(found)

    def _at(self, name: str) -> str:
        return column_at(self.dialect, name)

    def _query(self, what: str, given: Sequence[Any] = (), rest: str = "") -> dict[str, Any]:
        query = f"SELECT {what} FROM {self.scan.sql} {rest}"  # noqa: S608
        found: dict[str, Any] = self.connection.execute(query, [*given, *self.scan.parameters]).fetchnumpy()
        return found


def _texts(read: Array, values: list[str] | None, *, label: bool) -> Array:
    """Texts from their codes, with None for what is missing; 0 and 1 as numbers, where a label is nothing else."""
    if values is None:
        return careful_csv.texts(read.tolist())
    if label and set(values) <= {"0", "1"}:
        return read.astype(np.int64)
    return decoded(careful_csv.texts(values), read)
