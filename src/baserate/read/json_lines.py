"""JSON lines: one object per line, flat values only. A single array of objects is read too, up to
100 MB, with a note.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import InputError, Note, grouped, number_of, quoted, refuse_file
from baserate.read import csv, streams
from baserate.read.columns import NUMBER, SAFE_DIGITS, from_codes, kind_of_value, mixed
from baserate.read.csv_dialect import Dialect, Text, decoded_text, lines_of
from baserate.read.duckdb import From, locked
from baserate.read.table import MISSING, ColumnRoles, InLines, Table, matched, refuse_absent
from baserate.read.text import TextOptions

LARGEST_ARRAY = 100_000_000
ONE_A_LINE = "write one flat object a line"
Record = tuple[int, dict[str, Any]]


def table_of(
    plain: streams.Plain,
    wanted: ColumnRoles,
    asked: TextOptions,
    fast_from: int = csv.FAST_FROM,
) -> Table:
    """The requested fields of every object, from a file whose bytes lie plain."""
    _check_asked(plain.shown, asked)
    with decoded_text(plain.shown, plain.path, asked.encoding) as text:
        notes = [*plain.notes, *text.notes]
        fast = _by_duckdb(text, wanted) if text.facts.size >= fast_from else None
        if fast is not None:
            return replace(fast, sha256=plain.sha256, notes=(*notes, *fast.notes))
        if _is_array(text):
            if text.facts.size > LARGEST_ARRAY:
                raise refuse_file(
                    plain.shown, "BR621", "is one JSON array of more than 100 MB", ONE_A_LINE
                )
            notes.append(
                Note(
                    "BR621",
                    "the file is one JSON array, read as a whole; a place is the number of the"
                    " object, from 1",
                )
            )
            found = list(_of_array(text))
        else:
            found = list(_of_lines(text))
    if not found:
        raise refuse_file(plain.shown, "BR602", "holds no objects", ONE_A_LINE)
    columns = _columns(plain.shown, found, wanted)
    place = InLines.of(plain.shown, [line for line, _ in found])
    return Table(plain.shown, columns, len(found), 0, plain.sha256, place, tuple(notes))


def _check_asked(shown: str, asked: TextOptions) -> None:
    unused = [name for name in asked.given if name != "encoding"]
    if unused:
        text = f"{unused[0].replace('_', ' ')} applies to a table of text, and this is JSON"
        raise refuse_file(shown, "BR612", text, f"leave {unused[0]} out")


def _is_array(text: Text) -> bool:
    return next((line.lstrip()[:1] == "[" for line in lines_of(text) if line.strip()), False)


def _of_lines(text: Text) -> Iterator[Record]:
    for number, line in enumerate(lines_of(text), 1):
        if line.strip():
            yield number, _object(text.shown, _parsed(text.shown, line, number), number)


def _of_array(text: Text) -> Iterator[Record]:
    with open(text.path, encoding="utf-8-sig") as file:
        found = _parsed(text.shown, file.read(), None)
    for number, value in enumerate(found, 1):
        yield number, _object(text.shown, value, number)


def _parsed(shown: str, text: str, line: int | None) -> Any:
    lines = () if line is None else (line,)
    try:
        return json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_fraction
        )
    except json.JSONDecodeError as error:
        place = (error.lineno,) if line is None else lines
        raise refuse_file(
            shown,
            "BR620",
            f"is broken JSON ({error.msg}, character {error.colno})",
            ONE_A_LINE,
            place,
            1,
        ) from None
    except _Twice as error:
        twice = f"has an object with more than one {quoted(str(error))}"
        raise refuse_file(
            shown, "BR606", twice, "give each field once", lines, len(lines)
        ) from None
    except (RecursionError, ValueError) as error:
        raise refuse_file(
            shown,
            "BR620",
            f"is broken JSON ({quoted(str(error), quotes=False)})",
            ONE_A_LINE,
            lines,
            len(lines),
        ) from None


class _Twice(Exception):  # noqa: N818 (never leaves this module)
    """A field that an object has twice."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return found


def _constant(text: str) -> float:
    """NaN and infinities are no JSON, and yet what Python writes; NaN is then refused as any
    missing score is.
    """
    return float(text)


class _Spelled(str):
    """A number of which a float may not keep every digit: it stays as it is written, for scores.py
    to check.
    """

    __slots__ = ()


def _fraction(text: str) -> float | _Spelled:
    """A float where it keeps every digit: of up to fifteen without an exponent, or what Python
    writes for that float.
    """
    value = float(text)
    plain = len(text) <= SAFE_DIGITS and "e" not in text and "E" not in text
    return value if plain or repr(value) == text else _Spelled(text)


def _meant(text: _Spelled) -> float | str:
    """The float that was written; the text where no float is that number, such as 1e-400, which is
    not 0.
    """
    value = float(text)
    return value if Decimal(text) == Decimal(repr(value)) else str(text)


def _settled(values: list[Any], *, number: bool) -> list[Any]:
    """Without such numbers: all of a column of numbers as text, so that they are compared; in any
    other floats, but for numbers that no float is.
    """
    if not any(type(value) is _Spelled for value in values):
        return values
    if not number:
        return [_meant(value) if type(value) is _Spelled else value for value in values]
    return [
        (
            repr(value)
            if type(value) in (int, float)
            else str(value)
            if type(value) is _Spelled
            else value
        )
        for value in values
    ]


def _object(shown: str, value: Any, number: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse_file(
            shown,
            "BR620",
            f"holds {quoted(value)} where an object was expected",
            ONE_A_LINE,
            (number,),
            1,
        )
    return value


def _columns(shown: str, found: list[Record], wanted: ColumnRoles) -> dict[str, Array]:
    """Each requested field. One that some objects lack is refused: left out and misspelled look the
    same.
    """
    columns = {}
    for name in wanted.columns:
        lacking = [line for line, record in found if name not in record]
        if len(lacking) == len(found):
            names = list(dict.fromkeys(other for _, record in found[:100] for other in record))
            matched(shown, names, [name])
            refuse_absent(shown, names, [name])
        if lacking:
            text = (
                f"the field {quoted(name)} is missing in {grouped(len(lacking))} of"
                f" {number_of(len(found), 'object')}"
            )
            raise refuse_file(
                shown,
                "BR605",
                text,
                "write null where there is no value",
                tuple(lacking),
                len(lacking),
            )
        columns[name] = _column(shown, name, found, wanted)
    return columns


def _column(shown: str, name: str, found: list[Record], wanted: ColumnRoles) -> Array:
    values = [record[name] for _, record in found]
    for (line, _), value in zip(found, values, strict=True):
        if isinstance(value, dict | list):
            raise _nested(shown, name, value, line)
    return _typed(shown, name, values, [line for line, _ in found], wanted)


def _typed(
    shown: str, name: str, values: list[Any], lines: list[int], wanted: ColumnRoles
) -> Array:
    """The values of a field as an array of the narrowest type that keeps them."""
    missing = csv.MISSING_NUMBERS if name in wanted.numbers else MISSING
    values = [
        None if isinstance(value, str) and value.strip() in missing else value for value in values
    ]
    if name in wanted.numbers:
        _check_kinds(shown, name, values, lines)
    values = _settled(values, number=name in wanted.numbers)
    if name in wanted.texts and name != wanted.label:
        return _plain(
            [
                None if value is None else value if isinstance(value, str) else json.dumps(value)
                for value in values
            ]
        )
    types = set(map(type, values))
    if types <= {bool}:
        return np.array(values, dtype=np.bool_)
    if types <= {int} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if types <= {float}:
        return np.array(values, dtype=np.float64)
    return _plain(values)


def _check_kinds(shown: str, name: str, values: list[Any], lines: list[int]) -> None:
    """A column of numbers may be written as numbers, or all as text; what is mixed went wrong
    somewhere.
    """
    here = [
        None if value is None else NUMBER if type(value) is _Spelled else kind_of_value(value)
        for value in values
    ]
    kinds = Counter(kind for kind in here if kind is not None)
    if len(kinds) > 1:
        rarest = kinds.most_common()[-1][0]
        error = mixed(
            "BR208", quoted(name), kinds, [row for row, kind in enumerate(here) if kind == rarest]
        )
        raise error.moved(InLines.of(shown, lines))


def _plain(values: list[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _nested(shown: str, name: str, value: Any, line: int) -> InputError:
    inner = f"{name}.{next(iter(value))}" if isinstance(value, dict) and value else f"{name}[0]"
    text = f"{quoted(name)} is nested (there is {quoted(inner)})"
    return refuse_file(shown, "BR620", text, "write flat objects with plain values", (line,), 1)


# ----------------------------------------------------------------------
# The fast way, for objects that a program wrote with the same fields in the same order: DuckDB
# reads each line as a record of delimited text, in which a field begins with its name. It gives
# what the careful way would give, or nothing: then the careful way is taken.


NUMBER_TEXT = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
STRING_TEXT = r'"[^"\\\x00-\x1f\x7f]*"'
ANY_TEXT = f"{NUMBER_TEXT}|{STRING_TEXT}|true|false|null"
FIELD = re.compile(rf'([{{ ]? *"([^"\\]+)" *: *)(?:{ANY_TEXT})( *}}?)')


class Fields(NamedTuple):
    """The names of the fields, what stands ahead of each value, and what behind the last."""

    names: tuple[str, ...]
    ahead: tuple[str, ...]
    behind: str


def fields_of(line: str) -> Fields | None:
    """How the first line is written; None where it is not plain enough."""
    found = [FIELD.fullmatch(part) for part in line.strip().split(",")]
    parts = [part for part in found if part is not None]
    ends = [part[3] for part in parts]
    names = tuple(part[2] for part in parts)
    if len(parts) < max(2, len(found)) or any(ends[:-1]) or len(set(names)) < len(names):
        return None
    if not parts[0][1].startswith("{") or not ends[-1].endswith("}"):
        return None
    return Fields(names, tuple(part[1] for part in parts), ends[-1])


def _of_texts(shown: str, name: str, values: list[str], codes: Array, wanted: ColumnRoles) -> Array:
    """A column from the values there are, as they are written, and the codes of all rows."""
    plain = [_parsed(shown, value, 1) for value in values]
    if any(isinstance(value, dict | list) for value in plain):
        raise csv.NeedsCarefulReading
    typed = _typed(shown, name, plain, [1] * len(plain), wanted)
    return from_codes(typed, codes) if typed.dtype == object else typed[codes]


def _by_duckdb(text: Text, wanted: ColumnRoles) -> Table | None:
    try:
        fields = fields_of(next(lines_of(text), ""))
        if fields is None or not text.facts.even or text.facts.long or text.facts.nuls:
            return None
        if not set(wanted.columns) <= set(fields.names) or not text.path.isprintable():
            return None
        path = os.path.abspath(text.path)  # noqa: PTH100 (links stay)
        with open(path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            rows = text.facts.newlines + (file.read(1) != b"\n")
        with locked([path]) as connection:
            reader = _JsonReader(connection, path, fields, rows, wanted)
            columns = reader.columns(wanted)
    except Exception:  # noqa: BLE001 (as for delimited text: the careful way says what is wrong)
        return None
    place, notes = InLines(text.shown, 1), tuple(reader.notes)
    return Table(text.shown, columns, rows, place=place, notes=notes)


class _JsonReader(csv.Reader):
    """Lines of JSON as records: the texts of values are those of JSON."""

    def __init__(
        self,
        connection: Any,
        path: str,
        fields: Fields,
        rows: int,
        wanted: ColumnRoles,
    ) -> None:
        dialect = Dialect(",", fields.names, 0, header=False)
        super().__init__(connection, path, dialect, rows)
        values, good, given, last = list[str](), list[str](), list[str](), len(fields.names) - 1
        for place, (name, ahead) in enumerate(zip(fields.names, fields.ahead, strict=True)):
            behind = fields.behind if place == last else ""
            begin, rest = len(ahead) + 1, len(ahead) + len(behind)
            values.append(f"substr(c{place}, {begin}, length(c{place}) - {rest})")
            if name in wanted.numbers or name not in wanted.columns:
                text = NUMBER_TEXT if name in wanted.numbers else ANY_TEXT
                good.append(f"regexp_full_match(c{place}, ?)")
                given.append(f"{re.escape(ahead)}(?:{text}){re.escape(behind)}")
            elif name != wanted.label:  # each value is parsed
                good.append(f"starts_with(c{place}, ?) AND ends_with(c{place}, ?)")
                given += [ahead, behind]
        # The label of a line in which anything is not as expected is NULL, for the careful way.
        label = fields.names.index(wanted.label)
        self.ahead, self.behind = fields.ahead[label], fields.behind if label == last else ""
        whole = f"good AND starts_with(c{label}, ?) AND ends_with(c{label}, ?)"
        values[label] = f"CASE WHEN {whole} THEN {values[label]} END"
        chosen = ", ".join(f"{value} AS c{place}" for place, value in enumerate(values))
        plain = csv.scan_of(path, dialect, quote="")
        self.scan = From(
            f"(SELECT {' AND '.join(good)} AS good, c{label} AS label, {chosen} FROM {plain.sql})",  # noqa: S608
            (*given, self.ahead, self.behind, *plain.parameters),
            steady=True,
        )
        self.shown, self.wanted = path, wanted

    def _coding(self, at: str, values: list[str] | None) -> str:
        """Labels are compared with all that stands in the record, which takes less time than to cut
        them out.
        """
        if at != self._at(self.label) or values is None or len(values) > csv.FEW_VALUES:
            return super()._coding(at, values)
        ahead, behind = (part.replace("'", "''") for part in (self.ahead, self.behind))
        cases = " ".join(
            f"WHEN '{ahead}' || ? || '{behind}' THEN {code}" for code in range(len(values))
        )
        return (
            f"CASE WHEN good THEN CAST(CASE label {cases} ELSE {csv.NO_CODE} END AS UTINYINT) END"
        )

    def _texts(self, read: Array, values: list[str] | None, name: str) -> Array:
        if values is None:
            raise csv.NeedsCarefulReading
        return _of_texts(self.shown, name, values, read, self.wanted)
