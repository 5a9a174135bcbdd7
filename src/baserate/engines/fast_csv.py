"""The fast way to read delimited text, by DuckDB. It gives what the careful way would give, or nothing: then the careful way is taken.

Nothing is left for DuckDB to guess: the separator, quotes, the number of columns and their type (text) are said, no line is skipped or
filled up. It has to find as many rows as there are records by our own count of the same bytes, and every number has to be one to
DuckDB, to Python, and to the rules of scores.py alike.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines import careful_csv, records
from baserate.engines.coded import MOST_VALUES, decoded
from baserate.engines.dialects import Dialect, Text
from baserate.engines.locked_duckdb import literally, locked
from baserate.engines.text_lines import InLines
from baserate.engines.wanted import Table, Wanted
from baserate.exact import EXACT_FLOATS

MOST_COLUMNS = 2000  # DuckDB is told every column by name
NEVER = "\x01\x02\x03"  # so that an empty field stays an empty text
FEW_VALUES = 8
NO_CODE = 255

# A text in which no decimal digit can be lost: with fifteen of them no two numbers become one float.
SHORT = "strlen({0}) <= 15 AND NOT contains({0}, 'e') AND NOT contains({0}, 'E')"
# A text that is what DuckDB writes for its number: of those no two belong to one number either.
WRITTEN = "CAST(TRY_CAST({0} AS DOUBLE) AS VARCHAR) = {0}"
FRACTION, STRANGE, UNWRITTEN = 1, 2, 4
FLAGS = (
    f"CAST(CASE WHEN contains({{0}}, '.') OR contains({{0}}, 'e') OR contains({{0}}, 'E') THEN {FRACTION} ELSE 0 END"
    f" + CASE WHEN contains({{0}}, '_') THEN {STRANGE} ELSE 0 END"
    f" + CASE WHEN {SHORT} THEN 0 WHEN {WRITTEN} THEN 0 ELSE {UNWRITTEN} END AS UTINYINT)"
)


class Doubt(Exception):  # noqa: N818 (never leaves this module)
    """Something that the careful way has to look at."""


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


def read(text: Text, dialect: Dialect, wanted: Wanted) -> Table | None:
    """The table, or None where there is any doubt about it."""
    above = dialect.skip + dialect.header
    found = records.count_records(text.path, text.facts, dialect.delimiter, above)
    if not found.well_formed or found.spanning or found.number < 1:
        return None
    try:
        path = os.path.abspath(text.path)  # noqa: PTH100 (links stay: what was looked at is what is read)
        with locked([path]) as connection:
            columns = _Reader(connection, path, dialect, found.number).columns(wanted)
    except Exception:  # noqa: BLE001 (whatever DuckDB does not like, or its absence: the careful way says what is wrong, if anything is)
        return None
    return Table(text.shown, columns, found.number, 0, "", InLines(text.shown, above + 1))


class _Reader:
    """One file, one connection, and what it has to come to."""

    def __init__(self, connection: Any, path: str, dialect: Dialect, rows: int) -> None:
        self.connection, self.path, self.dialect, self.rows = connection, path, dialect, rows

    def columns(self, wanted: Wanted) -> dict[str, Array]:
        """Each wanted column as the careful way would have it (numbers as numbers, where it has their texts)."""
        texts = [name for name in wanted.texts if name not in wanted.numbers]
        codes = {name: ["0", "1"] if name == wanted.label else self._distinct(name) for name in texts if name != wanted.id}
        read = self._fetched(texts, codes, wanted.numbers)
        if wanted.label in codes and (read[self._at(wanted.label)] == NO_CODE).any():
            codes[wanted.label] = self._distinct(wanted.label)
            read |= self._fetched([wanted.label], codes, ())
        gathered = {name: _texts(read.pop(self._at(name)), codes.get(name), label=name == wanted.label) for name in texts}
        gathered |= {name: self._number(read.pop(self._at(name)), read.pop(f"f{self._at(name)}"), name) for name in wanted.numbers}
        # A column that is both is text to the careful way, but for a label of 0 and 1.
        for name in set(wanted.texts) & set(wanted.numbers):
            if name != wanted.label or not np.isin(gathered[name], (0, 1)).all() or gathered[name].dtype != np.int64:
                raise Doubt
        return {name: gathered[name] for name in wanted.columns}

    def _fetched(self, texts: Sequence[str], codes: dict[str, list[str] | None], numbers: Sequence[str]) -> dict[str, Array]:
        parts, given = [], list[Any]()
        for name in texts:
            at, values = self._at(name), codes.get(name)
            parts.append(f"{self._coding(at, values)} AS {at}")
            given += values if values and len(values) <= FEW_VALUES else ()
        parts += [f"TRY_CAST({at} AS DOUBLE) AS {at}, {FLAGS.format(at)} AS f{at}" for at in map(self._at, numbers)]
        read = self._query(", ".join(parts), given)
        if any(len(column) != self.rows or np.ma.is_masked(column) for column in read.values()):
            raise Doubt
        return {name: np.asarray(column) for name, column in read.items()}

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

    def _number(self, values: Array, flags: Array, name: str) -> Array:
        """Whole numbers where all are written so, floats else; what scores.py would look at twice is left to it."""
        at, finite = self._at(name), np.isfinite(values)
        if np.isnan(values).any() or (flags & STRANGE).any() or not (finite.all() or self._spelled_infinities(at)):
            raise Doubt
        large = bool((np.abs(values[finite]) >= EXACT_FLOATS).any())
        if finite.all() and not (flags & FRACTION).any():
            if not large:
                return values.astype(np.int64)
            return self._whole(at)
        if large or ((flags & UNWRITTEN).any() and self._merges(at)):
            raise Doubt
        return values

    def _whole(self, at: str) -> Array:
        found = self._query(f"TRY_CAST({at} AS BIGINT) AS {at}")[at]
        if len(found) != self.rows or np.ma.is_masked(found):
            raise Doubt
        return np.asarray(found)

    def _spelled_infinities(self, at: str) -> bool:
        """Whether every infinity is written as one ("inf"), and none is a number too large to hold."""
        large = f"WHERE isinf(TRY_CAST({at} AS DOUBLE)) AND NOT contains(lower({at}), 'n') LIMIT 1"
        return not len(self._query(at, rest=large)[at])

    def _merges(self, at: str) -> bool:
        """Whether one number is written in two ways: they may be two numbers, which only exact arithmetic can tell."""
        grouped = f"GROUP BY TRY_CAST({at} AS DOUBLE) HAVING min({at}) <> max({at}) LIMIT 1"
        return bool(len(self._query("count(*) AS n", rest=grouped)["n"]))

    def _at(self, name: str) -> str:
        """What DuckDB calls a column: names of our own, so that nothing in a header is SQL and "Y" is not "y"."""
        return f"c{self.dialect.names.index(name)}"

    def _query(self, what: str, given: Sequence[Any] = (), rest: str = "") -> dict[str, Any]:
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.dialect.names)))
        query = (
            f"SELECT {what} FROM read_csv(?, auto_detect = false, columns = {{{columns}}}, delim = ?, quote = '\"', escape = '\"',"  # noqa: S608
            " header = false, skip = ?, nullstr = ?, compression = 'none', encoding = 'utf-8', strict_mode = true, null_padding = false,"
            f" ignore_errors = false, store_rejects = false, comment = '') {rest}"
        )
        above = self.dialect.skip + self.dialect.header
        given = [*given, literally(self.path), self.dialect.delimiter, above, NEVER]
        found: dict[str, Any] = self.connection.execute(query, given).fetchnumpy()
        return found


def _texts(read: Array, values: list[str] | None, *, label: bool) -> Array:
    """Texts from their codes, with None for what is missing; 0 and 1 as numbers, where a label is nothing else."""
    if values is None:
        return careful_csv.texts(read.tolist())
    if label and set(values) <= {"0", "1"}:
        return read.astype(np.int64)
    return decoded(careful_csv.texts(values), read)
