"""The careful way to read delimited text, in plain Python: it defines what is right, and names the line of everything that is not."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from math import isnan
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.columns import Cells, Unread
from baserate.engines.dialects import Asked, Dialect, Text, lines_of
from baserate.engines.scores import spelled
from baserate.engines.text_lines import InLines
from baserate.engines.wanted import Table, Wanted
from baserate.errors import Findings, Fix, Where, escaped, grouped, number_of, quoted, refuse_file
from baserate.notes import Note

MISSING = frozenset({"", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None"})
MISSING_NUMBERS = MISSING | {"-", "?"}
WITH_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]+")
# One to three digits, a comma and three more are a thousand and some to one half of the world, and one and some to the other.
EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
PLAIN_LABELS = frozenset({"0", "1"})
MOST_SHOWN = 3


def read(text: Text, dialect: Dialect, wanted: Wanted, asked: Asked) -> Table:
    """The wanted columns of every row; a row with more or fewer fields than the header is refused, and all of them are named."""
    rows = _rows(text, dialect)
    if dialect.header:
        next(rows, None)
    width = len(dialect.names)
    columns: dict[str, list[str]] = {name: [] for name in wanted.columns}
    places = [(values, dialect.names.index(name)) for name, values in columns.items()]
    lines: list[int] = []
    ragged: list[tuple[int, int]] = []
    for line, row in rows:
        if len(row) != width:
            ragged.append((line, len(row)))
            continue
        lines.append(line)
        for values, place in places:
            values.append(row[place])
    while ragged and ragged[-1][1] == 0 and (not lines or ragged[-1][0] > lines[-1]):
        ragged.pop()  # blank lines at the end
    notes = _skipped(text, dialect, ragged, len(lines), asked)
    if not lines:
        raise refuse_file(text.shown, "BR603", "has a header but no rows", "give a file with cases")
    return _table(text, columns, lines, wanted, (dialect, asked, ragged, notes))


How = tuple[Dialect, Asked, list[tuple[int, int]], list[Note]]


def _table(text: Text, columns: dict[str, list[str]], lines: list[int], wanted: Wanted, how: How) -> Table:
    dialect, asked, ragged, notes = how
    if dialect.padded:
        columns = {name: [value.strip() for value in values] for name, values in columns.items()}
    columns |= {name: written_plainly(columns[name], asked) for name in wanted.numbers}
    said = asked.decimal or (asked.thousands and ".")  # whoever names the sign of thousands means a point by a point
    decimal = said or _decimal(text, dialect, {name: columns[name] for name in wanted.numbers}, lines)
    if decimal == "," and said is None:
        notes = [*notes, Note("BR612", "numbers are written with a decimal comma, everywhere in the file", Fix.option("decimal", "."))]
    if decimal == ",":
        _check_points(text, {name: columns[name] for name in wanted.numbers}, lines)
    arrays = {name: _numbers(columns[name], decimal) if name in wanted.numbers else texts(columns[name]) for name in columns}
    if wanted.label not in wanted.numbers or set(columns[wanted.label]) <= PLAIN_LABELS:
        arrays[wanted.label] = labels(columns[wanted.label])
    return Table(text.shown, arrays, len(lines) + len(ragged), len(ragged), "", InLines.of(text.shown, lines), tuple(notes))


def labels(values: Sequence[str]) -> Array:
    """A file has no types: a column of nothing but 0 and 1 holds numbers, and any other text."""
    return np.array(values, dtype=np.int64) if set(values) <= PLAIN_LABELS else texts(values)


def texts(values: Sequence[str]) -> Array:
    """Texts as they are written, None for those that say that there is none."""
    return _objects([None if text.strip() in MISSING else text for text in values])


def _numbers(values: Sequence[str], decimal: str) -> Array:
    """Numbers stay as they are written, for the one place that reads them to judge (scores.py); only the decimal sign is made a point."""
    if decimal == ",":
        values = [text.replace(",", ".") for text in values]
    return _objects([None if text.strip() in MISSING_NUMBERS else text for text in values])


def unread(rows: int, cells: Iterable[tuple[int, str]]) -> Unread:
    """What to say of a column of numbers in which these cells, each with its row, may be none. Told apart as `_numbers` and scores.py do."""
    missing, wrong, nan = Cells(), Cells(), Cells()
    for row, text in cells:
        if text.strip() in MISSING_NUMBERS:
            missing = missing.with_cell(row, text)
        elif (number := spelled(text)) is None:
            wrong = wrong.with_cell(row, text)
        elif isnan(number):
            nan = nan.with_cell(row, text)
    return Unread(rows, missing, wrong, nan)


def written_plainly(values: list[str], asked: Asked) -> list[str]:
    """Numbers without the signs that the user named: marks between thousands, and percent signs (12% is 0.12, exactly)."""
    if asked.thousands is not None:
        mark, point = asked.thousands, asked.decimal or "."
        grouped_digits = re.compile(rf"[+-]?[0-9]{{1,3}}(?:{re.escape(mark)}[0-9]{{3}})+(?:{re.escape(point)}[0-9]*)?%?")
        values = [text.replace(mark, "") if grouped_digits.fullmatch(text.strip()) else text for text in values]
    # In a column of percentages a bare number is in another unit, or a slip: it is left with a sign that makes it none.
    if asked.percent and any(text.strip().endswith("%") for text in values):
        values = [_hundredth(text, asked.decimal or ".") for text in values]
    return values


def _hundredth(text: str, point: str) -> str:
    bare = text.strip()
    if bare in MISSING_NUMBERS or not bare.isascii():
        return text
    try:
        shifted = Decimal(bare.removesuffix("%").strip().replace(point, ".")).scaleb(-2)
    except InvalidOperation:
        return text
    return f"{shifted:f}".replace(".", point) if bare.endswith("%") else f"{bare} (not %)"


def _objects(values: list[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _decimal(text: Text, dialect: Dialect, columns: dict[str, list[str]], lines: list[int]) -> str:
    """A comma where every number of every column agrees on it; the separator cannot be one then."""
    if dialect.delimiter == ",":
        return "."
    found = {value.strip() for values in columns.values() for value in values} - MISSING_NUMBERS
    commas = {value for value in found if WITH_COMMA.fullmatch(value)}
    if not commas or not all(WHOLE.fullmatch(value) for value in found - commas):
        return "."
    if all(EITHER.fullmatch(value) for value in commas):
        name, row = next((name, row) for name, values in columns.items() for row, value in enumerate(values) if value.strip() in commas)
        what = f"{quoted(name)} has numbers such as {quoted(columns[name][row].strip())}: thousands, or decimals?"
        raise refuse_file(text.shown, "BR208", what, Fix.option("decimal", ","), (lines[row],), 1)
    return ","


def _check_points(text: Text, columns: dict[str, list[str]], lines: list[int]) -> None:
    """Where the comma is the decimal sign a point separates thousands, or stands in a number of another making: neither is guessed."""
    findings = Findings()
    for name, values in columns.items():
        rows = [row for row, value in enumerate(values) if "." in value]
        if rows:
            found = number_of(len(rows), "value")
            what = f"{quoted(name)} has {found} with a point, such as {quoted(values[rows[0]])}: the decimal sign is a comma"
            with findings:
                raise refuse_file(text.shown, "BR208", what, "write no thousands separators", tuple(lines[row] for row in rows[:3]), len(rows))
    findings.settle()


def _skipped(text: Text, dialect: Dialect, ragged: list[tuple[int, int]], good: int, asked: Asked) -> list[Note]:
    """Rows that do not fit are refused, and with them the file, unless so many were allowed for."""
    if not ragged:
        return []
    found = ", ".join(str(count) for _, count in ragged[:MOST_SHOWN]) + (" …" if len(ragged) > MOST_SHOWN else "")
    width, lines = len(dialect.names), tuple(line for line, _ in ragged)
    have = "has" if len(ragged) == 1 else "have"
    expected = "the header's" if dialect.header else "the named"
    what = f"{grouped(len(ragged))} of {number_of(len(ragged) + good, 'row')} {have} {found} fields instead of {expected} {width}"
    if len(ragged) > asked.skip_bad:
        fix = f"correct or remove those lines, or allow that many to be skipped: --skip-bad {len(ragged)}"
        raise refuse_file(text.shown, "BR605", what, Fix(fix.replace("--skip-bad ", "skip_bad="), fix), lines, len(ragged))
    left = "it was" if len(ragged) == 1 else "they were"
    where = Where(lines=lines[:MOST_SHOWN], total=len(ragged))
    return [Note("BR605", f"{what} ({where}); {left} left out, as requested")]


def _rows(text: Text, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins (a quoted field may hold line breaks)."""
    reader = csv.reader(lines_of(text, dialect.skip), delimiter=dialect.delimiter, strict=True)
    begins = dialect.skip + 1
    try:
        for row in reader:
            yield begins, row
            begins = dialect.skip + reader.line_num + 1
    except csv.Error as error:
        what = f"the CSV is broken ({escaped(str(error))}) in the record that begins there"
        raise refuse_file(text.shown, "BR614", what, "close the quotes and shorten huge fields", (begins,), 1) from None
