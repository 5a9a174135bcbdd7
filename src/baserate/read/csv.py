"""Delimited text, read two ways: carefully in plain Python, which defines the format, and fast by
DuckDB.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import (
    Note,
    quoted,
    refuse_file,
)
from baserate.numbers import EXACT_FLOATS
from baserate.read import csv_dialect, streams
from baserate.read.cases import rounded_note, spelled
from baserate.read.columns import FLOAT_DIGITS, BadCells, Unread, from_codes, mask_of, objects
from baserate.read.csv_dialect import Dialect, Text, decoded_text, detect
from baserate.read.duckdb import From, literally
from baserate.read.table import MISSING, MOST_VALUES, ColumnRoles, InLines
from baserate.read.text import TextOptions

# ----------------------------------------------------------------------
# The careful way to read delimited text, in plain Python: it defines what is right, and names the
# line of everything that is not.


MISSING_NUMBERS = MISSING | {"-", "?"}
WITH_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]+")
# One to three digits, a comma and three more are a thousand and some to one half of the world, and
# one and some to the other.
EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
PLAIN_LABELS = frozenset({"0", "1"})
MOST_SHOWN = 3


def texts(values: Sequence[str]) -> Array:
    """Texts as they are written, None for those that say that there is none."""
    return objects([None if text.strip() in MISSING else text for text in values])


def unread(rows: int, cells: Iterable[tuple[int, str]]) -> Unread:
    """What to say of a column of numbers in which these cells, each with its row, may be none.
    Noted apart as `_numbers` and scores.py do.
    """
    missing, wrong, nan = BadCells(), BadCells(), BadCells()
    for row, text in cells:
        if text.strip() in MISSING_NUMBERS:
            missing = missing.with_cell(row, text)
        elif (number := spelled(text)) is None:
            wrong = wrong.with_cell(row, text)
        elif isnan(number):
            nan = nan.with_cell(row, text)
    return Unread(rows, missing, wrong, nan)


# ----------------------------------------------------------------------
# Delimited text as DuckDB is told to read it, and what its numbers have to be; the same for a file
# in memory and for one in pieces.


SAMPLE = 1 << 11  # rows by which the labels are guessed
NEVER = "\x01\x02\x03"  # so that an empty field stays an empty text

# An infinity that is not spelled ("inf") is a number too large to hold.
BEYOND = "isinf(TRY_CAST({0} AS DOUBLE)) AND NOT contains(lower({0}), 'n')"
# More digits than a float keeps. What is not long need not be looked at.
LONG = (
    f"strlen({{0}}) > {FLOAT_DIGITS + 1} AND"
    " strlen(trim(replace(split_part(lower({0}), 'e', 1), '.', ''), ' +-0'))"
    f" > {FLOAT_DIGITS}"
)
FRACTION, STRANGE, ROUNDED = 1, 2, 4
FLAGS = (
    "CAST(CASE WHEN contains({0}, '.') OR contains({0}, 'e') OR contains({0}, 'E') THEN"
    f" {FRACTION} ELSE 0 END + CASE WHEN contains({{0}}, '_') OR contains({{0}}, '+-') OR"
    f" ({BEYOND}) THEN {STRANGE} ELSE 0 END + CASE WHEN {LONG} THEN {ROUNDED} ELSE 0 END AS"
    " UTINYINT)"
)


# A cell that holds no number, or one that says so.
NO_NUMBER = "TRY_CAST({0} AS DOUBLE) IS NULL OR isnan(TRY_CAST({0} AS DOUBLE))"
PIECE = 1 << 16


class NeedsCarefulReading(Exception):  # noqa: N818 (never reaches a user)
    """Something that the careful way has to look at."""


class Seen(NamedTuple):
    """The numbers of a column: whether one is missing or NaN, what is true of any text, whether all
    are finite, and one beyond 2^53.
    """

    gone: bool
    flags: int
    finite: bool
    large: bool

    def are_whole(self) -> bool:
        """Whether they are whole numbers, or floats; what scores.py would look at twice is left to
        it.
        """
        if self.gone or self.flags & STRANGE:
            raise NeedsCarefulReading
        whole = self.finite and not self.flags & FRACTION
        if self.large and not whole:
            raise NeedsCarefulReading
        return whole


def column_at(dialect: Dialect, name: str) -> str:
    """What DuckDB calls a column: names of our own, so that nothing in a header is SQL and "Y" is
    not "y".
    """
    return f"c{dialect.names.index(name)}"


def number_at(at: str) -> str:
    """A number and what there is to say of its text, as two columns."""
    return f"TRY_CAST({at} AS DOUBLE) AS {at}, {FLAGS.format(at)} AS f{at}"


def unread_at(
    connection: Any, scan: From, at: str, places: Iterable[int], rows: int, delimiter: str
) -> Unread:
    """What to say of the cells of a column that are not numbers, and lie in these rows; their texts
    are read one by one and not kept.
    """
    query = f"SELECT {at} FROM {scan.sql} WHERE {NO_NUMBER.format(at)}"  # noqa: S608
    found = connection.cursor().execute(query, list(scan.parameters))
    odd = unread(rows, zip(places, _without_commas(fetched(found), delimiter), strict=True))
    if not odd.missing.total + odd.wrong.total + odd.nan.total:  # Python reads them all
        raise NeedsCarefulReading
    return odd


def fetched(result: Any) -> Iterator[Any]:
    """The values of a result of one column."""
    while piece := result.fetchmany(PIECE):
        yield from (value for (value,) in piece)


def _without_commas(texts: Iterable[str], delimiter: str) -> Iterator[str]:
    """A comma may be a decimal sign where it does not separate: the careful way finds that out,
    over all numbers of the file.
    """
    for text in texts:
        if "," in text and delimiter != ",":
            raise NeedsCarefulReading
        yield text


def scan_of(path: str, dialect: Dialect, more: str = "", quote: str = '"') -> From:
    """Every record, each field a text."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(dialect.names)))
    told = (
        f"read_csv(?, auto_detect = false, columns = {{{columns}}}, delim = ?, quote = ?, escape"
        " = ?, header = false, skip = ?, nullstr = ?, compression = 'none', encoding = 'utf-8',"
        " strict_mode = true, null_padding = false, ignore_errors = false, store_rejects = false,"
        f" comment = '', hive_partitioning = false{more})"
    )
    return From(
        told,
        (literally(path), dialect.delimiter, quote, quote, dialect.skip + dialect.header, NEVER),
        steady=True,
    )


# ----------------------------------------------------------------------
# The fast way to read delimited text, by DuckDB. It gives what the careful way would give, or
# nothing: then the careful way is taken.


MOST_COLUMNS = 2000  # DuckDB is told every column by name
FEW_VALUES = 8
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
    found = csv_dialect.count_records(
        text.path, text.facts, dialect.delimiter, dialect.skip + dialect.header
    )
    if not found.well_formed or found.spanning or found.number < 1:
        raise NeedsCarefulReading
    return found.number


def place_of(text: Text, dialect: Dialect) -> InLines:
    """Where the rows lie: below the header, a line each."""
    return InLines(text.shown, dialect.skip + dialect.header + 1)


class Reader:
    """One file, one connection, and what it has to come to."""

    def __init__(
        self,
        connection: Any,
        path: str,
        dialect: Dialect,
        rows: int,
        refusable: Sequence[str] = (),
    ) -> None:
        self.connection, self.dialect, self.rows = connection, dialect, rows
        self.refusable = refusable
        self.scan = scan_of(path, dialect)
        self.notes: list[Note] = []

    def columns(self, wanted: ColumnRoles) -> dict[str, Any]:
        """Each requested column as the careful way would have it (numbers as numbers, where it has
        their texts).
        """
        self.label = wanted.label
        texts = [name for name in wanted.texts if name not in wanted.numbers]
        codes = {
            name: self._likely(name) if name == wanted.label else self._distinct(name)
            for name in texts
            if name != wanted.id
        }
        read = self._fetched(texts, codes, wanted.numbers)
        if wanted.label in codes and (read[self._at(wanted.label)] == NO_CODE).any():
            codes[wanted.label] = self._distinct(wanted.label)
            read |= self._fetched([wanted.label], codes, ())
        gathered = {
            name: self._texts(read.pop(self._at(name)), codes.get(name), name) for name in texts
        }
        gathered |= {
            name: self._column(read.pop(self._at(name)), read.pop(f"f{self._at(name)}"), name)
            for name in wanted.numbers
        }
        # A column that is both is text to the careful way, but for a label of 0 and 1.
        for name in set(wanted.texts) & set(wanted.numbers):
            column = gathered[name]
            if (
                name != wanted.label
                or isinstance(column, Unread)
                or not np.isin(column, (0, 1)).all()
                or column.dtype != np.int64
            ):
                raise NeedsCarefulReading
        return {name: gathered[name] for name in wanted.columns}

    def _fetched(
        self, texts: Sequence[str], codes: dict[str, list[str] | None], numbers: Sequence[str]
    ) -> dict[str, Array]:
        parts, given = [], list[Any]()
        for name in texts:
            at, values = self._at(name), codes.get(name)
            parts.append(f"{self._coding(at, values)} AS {at}")
            given += values if values and len(values) <= FEW_VALUES else ()
        for name in numbers:
            at = self._at(name)
            parts.append(number_at(at))
        read = self._query(", ".join(parts), given)
        gaps = {self._at(name) for name in self.refusable} | {
            f"f{self._at(name)}" for name in self.refusable
        }
        if any(
            len(column) != self.rows or (at not in gaps and mask_of(column) is not None)
            for at, column in read.items()
        ):
            raise NeedsCarefulReading
        return {at: column if at in gaps else np.asarray(column) for at, column in read.items()}

    def _coding(self, at: str, values: list[str] | None) -> str:
        """A text as a small number, where it is one of few."""
        if values is None:
            return at
        if len(values) <= FEW_VALUES:
            cases = " ".join(f"WHEN ? THEN {code}" for code in range(len(values)))
            return f"CAST(CASE {at} {cases} ELSE {NO_CODE} END AS UTINYINT)"
        self.connection.execute(
            f"CREATE TYPE e{at} AS ENUM (SELECT unnest(CAST(? AS VARCHAR[])))", [values]
        )
        return f"CAST(enum_code(CAST({at} AS e{at})) AS INTEGER)"

    def _likely(self, name: str) -> list[str]:
        """The labels of the first rows; most files have no others, and need no reading for them."""
        query = f"SELECT DISTINCT t FROM (SELECT {self._at(name)} AS t FROM {self.scan.sql} LIMIT {SAMPLE})"  # noqa: E501, S608
        found = self.connection.execute(query, list(self.scan.parameters)).fetchall()
        labels = sorted(text for (text,) in found if text is not None)
        return labels if not set(labels) <= {"0", "1"} and len(labels) <= FEW_VALUES else ["0", "1"]

    def _distinct(self, name: str) -> list[str] | None:
        """The texts of a column, each once; None where there are too many for codes to help."""
        at = self._at(name)
        found = self._query(f"DISTINCT {at}", rest=f"LIMIT {MOST_VALUES + 1}")[at]
        return None if len(found) > MOST_VALUES or mask_of(found) is not None else list(found)

    def _column(self, values: Array, flags: Array, name: str) -> Any:
        """The numbers; where some are none and that is refused, the problems instead."""
        if name not in self.refusable:
            return self._number(values, flags, name)
        masked, values = mask_of(values), np.asarray(values)
        gone = np.isnan(values) if masked is None else masked | np.isnan(values)
        if gone.any():
            if (np.asarray(flags)[~gone] & STRANGE).any():  # DuckDB's numbers, and none of ours
                raise NeedsCarefulReading
            places = map(int, np.flatnonzero(gone))
            return unread_at(
                self.connection,
                self.scan,
                self._at(name),
                places,
                self.rows,
                self.dialect.delimiter,
            )
        return self._number(values, np.asarray(flags), name)

    def _number(self, values: Array, flags: Array, name: str) -> Array:
        """Whole numbers where all are written so, floats else."""
        ends = float(values.min()), float(values.max())  # NaN where there is one
        finite = all(map(isfinite, ends))
        inside = values if finite else values[np.isfinite(values)]
        large = max(-inside.min(initial=0), inside.max(initial=0)) >= EXACT_FLOATS
        seen = Seen(isnan(ends[0]), int(np.bitwise_or.reduce(flags)), finite, bool(large))
        if seen.are_whole():
            return self._whole(self._at(name)) if large else values.astype(np.int64)
        if seen.flags & ROUNDED:
            self.notes.append(rounded_note(quoted(name)))
        return values

    def _whole(self, at: str) -> Array:
        found = self._query(f"TRY_CAST({at} AS BIGINT) AS {at}")[at]
        if len(found) != self.rows or mask_of(found) is not None:
            raise NeedsCarefulReading
        return np.asarray(found)

    def _texts(self, read: Array, values: list[str] | None, name: str) -> Array:
        """Texts from their codes, with None for what is missing; 0 and 1 as numbers, where a label
        is nothing else.
        """
        if values is None:
            return texts(read.tolist())
        if name == self.label and set(values) <= {"0", "1"}:
            return read.astype(np.int64)
        return from_codes(texts(values), read)

    def _at(self, name: str) -> str:
        return column_at(self.dialect, name)

    def _query(self, what: str, given: Sequence[Any] = (), rest: str = "") -> dict[str, Any]:
        query = f"SELECT {what} FROM {self.scan.sql} {rest}"  # noqa: S608
        found: dict[str, Any] = self.connection.execute(
            query, [*given, *self.scan.parameters]
        ).fetchnumpy()
        return found


# ----------------------------------------------------------------------
# Reading delimited text: every line accounted for, and none read that does not fit.


FAST_FROM = 1 << 20  # bytes; below, the careful way takes less time than DuckDB takes to load
TOTALS = frozenset({"total", "totals", "grand total", "sum", "subtotal", "gesamt", "summe"})
NOTHING_ASKED = TextOptions()


@contextlib.contextmanager
def understood(
    plain: streams.Plain, wanted: ColumnRoles, asked: TextOptions
) -> Iterator[tuple[Text, Dialect]]:
    """The text of a file, and how it is written."""
    asked = asked.checked()
    with decoded_text(plain.shown, plain.path, asked.encoding) as text:
        dialect = detect(text, wanted.columns, asked)
        _check_end(text, dialect)
        yield text, dialect


def notes_of(plain: streams.Plain, text: Text, dialect: Dialect) -> tuple[Note, ...]:
    """What was found out before a row was read."""
    return (*plain.notes, *text.notes, *dialect.notes)


def is_fast(text: Text, dialect: Dialect, asked: TextOptions) -> bool:
    """Whether the file, and the options given for it, is plain enough for DuckDB."""
    return (
        asked.decimal != ","
        and not asked.percent
        and not asked.thousands
        and is_plain(text, dialect)
    )


def _check_end(text: Text, dialect: Dialect) -> None:
    """A line of totals below the cases is no case. With quotes in the file, the last line may be a
    part of a record.
    """
    if text.facts.quotes:
        return
    fields = next(csv.reader([csv_dialect.last_line(text.path)], delimiter=dialect.delimiter), [])
    first = next((field.strip() for field in fields if field.strip()), "")
    if len(fields) > 1 and first.casefold() in TOTALS:
        line = csv_dialect.lines_in(text.path, text.facts)
        raise refuse_file(
            text.shown,
            "BR617",
            f'the last line seems to hold totals ("{first}"), not a case',
            "remove that line",
            (line,),
            1,
        )
