"""JSON lines: one flat object per line; a single array of objects is read too, up to 100 MB, with a
note. DuckDB reads large files, and Python's json module small ones and all that is in doubt.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import isnan
from typing import Any

from baserate.errors import InputError, Note, grouped, number_of, quoted, refuse_file
from baserate.read.columns import SAFE_DIGITS
from baserate.read.duckdb import check_memory, foreign_errors, literally
from baserate.read.engine import (
    JsonCases,
    insert_rows,
    json_label,
    of_one_table,
    select_json,
    sql_text,
    utf8_texts,
)
from baserate.read.streams import Plain
from baserate.read.table import (
    ColumnRoles,
    FileRows,
    RowPlaces,
    Table,
    identifier,
    matched,
    refuse_absent,
)
from baserate.read.text import BATCH, Text, TextOptions, chunks, lines_of, scan_bytes

LARGEST_ARRAY = 100_000_000
ONE_A_LINE = "write one flat object a line"
# Bytes from which DuckDB reads a file.
LARGE = 1 << 20
# What DuckDB takes for JSON, and Python does not.
TRAILING_COMMA = re.compile(rb",\s*[}\]]")
# How nested values begin, infinities, and what is not a number.
IN_DOUBT = ", ".join(str(ord(sign)) for sign in "{[iINn")
Record = tuple[int, dict[str, Any]]


@contextlib.contextmanager
def open_json(
    plains: Sequence[Plain], wanted: ColumnRoles, options: TextOptions, memory: int | None = None
) -> Iterator[JsonCases]:
    """Give the cases of files of JSON that are one table."""
    for plain in plains:
        check_json_options(plain.shown, options)
    with utf8_texts(plains, options, memory) as (texts, connection):
        cases = JsonCases(connection, wanted, memory=memory)
        for plain, text in zip(plains, texts, strict=True):
            with of_one_table(cases.first_path):
                part = load_json(cases, text, cases.next_part)
                cases.add(plain, replace(part, notes=(*text.notes, *part.notes)))
        cases.make_view()
        yield cases


def load_json(cases: JsonCases, text: Text, name: str) -> Table:
    """Read the objects of a text into a table of its own."""
    found = scan_bytes(text)
    if os.path.getsize(text.path) >= LARGE and found.is_even:  # noqa: PTH202
        table = load_by_duckdb(cases, text, name, found.lines)
        if table is not None:
            return table
    return load_by_json_module(cases, text, name)


def check_json_options(shown: str, options: TextOptions) -> None:
    """Refuse options of delimited text."""
    unused = [name for name in options.given if name != "encoding"]
    if unused:
        text = f"{unused[0].replace('_', ' ')} applies to a table of text, and this is JSON"
        raise refuse_file(shown, "BR612", text, f"leave {unused[0]} out")


def load_by_duckdb(cases: JsonCases, text: Text, name: str, lines: int) -> Table | None:
    """Return the table where DuckDB reads one object from every line; None where there is any
    doubt.
    """
    if not text.path.isprintable() or has_trailing_comma(text.path):
        return None
    wanted = cases.wanted.columns
    path = sql_text(literally(os.path.abspath(text.path)))  # noqa: PTH100
    how = "compression = 'none', maximum_object_size = 16000000"
    typed = ", ".join(f"{sql_text(each)}: 'JSON'" for each in wanted)
    columns = {each: f"c{place}" for place, each in enumerate(wanted)}
    chosen = ", ".join(f"{checked_json(identifier(each))} AS {columns[each]}" for each in wanted)
    scan = (
        f"SELECT {chosen} FROM read_json({path}, format = 'newline_delimited',"
        f" auto_detect = false, columns = {{{typed}}}, {how})"
    )
    # A field that is not there reads like null.
    paths = ", ".join(sql_text(f"$.{json.dumps(each)}") for each in wanted)
    lacking = (
        f"SELECT count(*) FROM read_ndjson_objects({path}, {how})"
        f" WHERE list_contains(list_transform(json_extract(json, [{paths}]), x -> x IS NULL), true)"
    )
    try:
        cases.replace_table(name, select_json(cases.wanted, columns, scan))
        ((rows, gaps),) = cases.ask(f"SELECT count(*), {counted_gaps(cases)} FROM {name}")
        if rows != lines or (gaps and cases.ask(lacking) != [(0,)]):
            return None
    except foreign_errors() as error:
        check_memory(text.shown, error)
        return None
    return Table(text.shown, rows, RowPlaces((FileRows(text.shown, rows, 1),)))


def checked_json(column: str) -> str:
    """Return the SQL of a value as a text, with an error for what is nested or no number of
    JSON.
    """
    text = f"CAST({column} AS VARCHAR)"
    odd = f"ascii({text}) IN ({IN_DOUBT}) OR (prefix({text}, '-') AND contains({text}, 'n'))"
    return f"CASE WHEN {odd} THEN error('in doubt') ELSE {text} END"


def counted_gaps(cases: JsonCases) -> str:
    """Return the SQL of how many values may be missing."""
    wanted = cases.wanted
    gaps = ["count(*) FILTER (WHERE y IS NULL)"]
    gaps += [f"count({cases.number(name, 'o')})" for name in wanted.numbers]
    gaps += [
        f"count(*) FILTER (WHERE {cases.text(name)} IS NULL)"
        for name in wanted.texts
        if name != wanted.label or name in wanted.beside.values()
    ]
    return " + ".join(gaps)


def has_trailing_comma(path: str) -> bool:
    """Whether a comma may follow the last value of an object or a list."""
    last = b""
    for chunk in chunks(path):
        if TRAILING_COMMA.search(last + chunk):
            return True
        last = chunk[-64:]
    return False


# ----------------------------------------------------------------------
# Objects by Python's json module, with the line of everything that is wrong.


def load_by_json_module(cases: JsonCases, text: Text, name: str) -> Table:
    """Read every object, in batches."""
    wanted, notes = cases.wanted.columns, []
    records = objects_of_lines(text)
    if is_array(text):
        if os.path.getsize(text.path) > LARGEST_ARRAY:  # noqa: PTH202
            said = "is one JSON array of more than 100 MB"
            raise refuse_file(text.shown, "BR621", said, ONE_A_LINE)
        said = "the file is one JSON array, read as a whole; a place is the number of the object"
        notes.append(Note("BR621", f"{said}, from 1"))
        records = objects_of_array(text)
    columns = {each: f"c{place}" for place, each in enumerate(wanted)}
    texts = ", ".join(f"CAST(NULL AS VARCHAR) AS {column}" for column in columns.values())
    cases.replace_table(name, select_json(cases.wanted, columns, f"SELECT {texts} LIMIT 0"))
    reading = Reading(text.shown, cases.wanted)
    while batch := list(islice(records, BATCH)):
        query = select_json(cases.wanted, columns, "SELECT * FROM given")
        insert_rows(cases.connection, name, query, columns.values(), reading.texts(batch))
    reading.check_fields()
    rows = FileRows.on_lines(text.shown, reading.lines)
    return Table(text.shown, rows.rows, RowPlaces((rows,)), notes=tuple(notes))


class Reading:
    """Objects that go by: their lines, and the fields that some lack."""

    def __init__(self, shown: str, wanted: ColumnRoles) -> None:
        self.shown, self.wanted = shown, wanted
        self.lines = list[int]()
        self.lacking: dict[str, list[int]] = {name: [] for name in wanted.columns}
        self.names: dict[str, None] = {}

    def texts(self, records: Sequence[Record]) -> list[list[str | None]]:
        """Return the requested fields as texts of JSON, column by column."""
        self.names.update(dict.fromkeys(name for _, record in records[:100] for name in record))
        self.lines.extend(line for line, _ in records)
        return [self._column(name, records) for name in self.wanted.columns]

    def _column(self, name: str, records: Sequence[Record]) -> list[str | None]:
        found: list[str | None] = []
        for line, record in records:
            if name not in record:
                self.lacking[name].append(line)
            value = record.get(name)
            if name not in self.wanted.numbers and isinstance(value, float) and isnan(value):
                value = None
            if isinstance(value, dict | list):
                raise refuse_nested(self.shown, name, value, line)
            if isinstance(value, RawNumber) and name not in self.wanted.numbers:
                value = json_label(value)
            is_number = isinstance(value, RawNumber)
            found.append(value if is_number or value is None else json.dumps(value))
        return found

    def check_fields(self) -> None:
        """Refuse a field that some objects lack: left out and misspelled look the same."""
        if not self.lines:
            raise refuse_file(self.shown, "BR602", "holds no objects", ONE_A_LINE)
        for name, lines in self.lacking.items():
            if len(lines) == len(self.lines):
                matched(self.shown, list(self.names), [name])
                refuse_absent(self.shown, list(self.names), [name])
            if lines:
                objects = number_of(len(self.lines), "object")
                text = f"the field {quoted(name)} is missing in {grouped(len(lines))} of {objects}"
                fix = "write null where there is no value"
                raise refuse_file(self.shown, "BR605", text, fix, tuple(lines), len(lines))


def refuse_nested(shown: str, name: str, value: Any, line: int) -> InputError:
    """Return the refusal of a value that is no plain one."""
    inner = f"{name}.{next(iter(value))}" if isinstance(value, dict) and value else f"{name}[0]"
    text = f"{quoted(name)} is nested (there is {quoted(inner)})"
    return refuse_file(shown, "BR620", text, "write flat objects with plain values", (line,), 1)


def is_array(text: Text) -> bool:
    """Whether the first object stands in a list."""
    return next((line.lstrip()[:1] == "[" for line in lines_of(text) if line.strip()), False)


def objects_of_lines(text: Text) -> Iterator[Record]:
    """Give the object of each line that is not blank."""
    for number, line in enumerate(lines_of(text), 1):
        if line.strip():
            yield number, check_object(text.shown, parse_json(text.shown, line, number), number)


def objects_of_array(text: Text) -> Iterator[Record]:
    """Give the objects of the only array."""
    with open(text.path, encoding="utf-8-sig") as file:
        found = parse_json(text.shown, file.read(), None)
    for number, value in enumerate(found, 1):
        yield number, check_object(text.shown, value, number)


def check_object(shown: str, value: Any, number: int) -> dict[str, Any]:
    """Refuse anything that is no object."""
    if not isinstance(value, dict):
        text = f"holds {quoted(value)} where an object was expected"
        raise refuse_file(shown, "BR620", text, ONE_A_LINE, (number,), 1)
    return value


class RawNumber(str):
    """A number of which a float may not keep every digit: it stays as it is written."""

    __slots__ = ()


class RepeatedFieldError(Exception):
    """A field that an object has twice."""


def parse_json(shown: str, text: str, line: int | None) -> Any:
    """Return the value of a text of JSON, or refuse it with its line."""
    lines = () if line is None else (line,)
    try:
        return json.loads(
            text, object_pairs_hook=object_of, parse_constant=float, parse_float=fraction
        )
    except json.JSONDecodeError as error:
        what = f"is broken JSON ({error.msg}, character {error.colno})"
        lines = lines or (error.lineno,)
    except RepeatedFieldError as error:
        what = f"has an object with more than one {quoted(str(error))}"
        fix = "give each field once"
        raise refuse_file(shown, "BR606", what, fix, lines, len(lines)) from None
    except (RecursionError, ValueError) as error:
        what = f"is broken JSON ({quoted(str(error), quotes=False)})"
    raise refuse_file(shown, "BR620", what, ONE_A_LINE, lines, len(lines)) from None


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object, each of which it has once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedFieldError(next(name for name in names if names.count(name) > 1))
    return found


def fraction(text: str) -> float | RawNumber:
    """Return a float where it keeps every digit: of up to fifteen without an exponent, or what
    Python writes for that float.
    """
    value = float(text)
    is_plain = len(text) <= SAFE_DIGITS and "e" not in text and "E" not in text
    return value if is_plain or repr(value) == text else RawNumber(text)
