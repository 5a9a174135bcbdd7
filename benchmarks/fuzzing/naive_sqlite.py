"""A table of a SQLite file, walked page by page from the description of the format: no SQLite, no
journal, no overflow pages.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator

from benchmarks.fuzzing.naive_text import Broken

SIZES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0, 10: 0, 11: 0}
INNER, LEAF = 5, 13
MOST_DEPTH = 20
Value = None | int | float | str | bytes


def table(data: bytes, name: str) -> dict[str, list[Value]]:
    """The columns of a table by their names."""
    file = _File(data)
    schema = [row for _, row in file.rows(1, 0)]
    found = [row for row in schema if row[0] == "table" and row[1] == name]
    if len(found) != 1 or not isinstance(found[0][3], int) or not isinstance(found[0][4], str):
        raise Broken("no such table")
    inside = re.fullmatch(r"(?is)create table \w+ \((.*)\)", found[0][4])
    if not inside:
        raise Broken("a table that is not described plainly")
    described = [part.split() for part in inside[1].split(",")]
    rows = [row for _, row in file.rows(found[0][3], 0)]
    columns = {
        words[0]: [row[place] if place < len(row) else None for row in rows]
        for place, words in enumerate(described)
    }
    return {
        words[0]: _real(columns[words[0]]) if "REAL" in words else columns[words[0]]
        for words in described
    }


def _real(values: list[Value]) -> list[Value]:
    """Whole numbers of a REAL column are stored as such, and read as floats."""
    return [float(value) if isinstance(value, int) else value for value in values]


class _File:
    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[16:18], "big")
        self.data, self.size, self.spare = data, 65536 if size == 1 else size, data[20]
        if (
            not data.startswith(b"SQLite format 3\0")
            or self.size < 512
            or data[56:60] not in (b"\0\0\0\x01", b"\0\0\0\0")
        ):
            raise Broken("no SQLite, or not in UTF-8")

    def rows(self, number: int, depth: int) -> Iterator[tuple[int, list[Value]]]:
        """The rows below a page, with their numbers."""
        page = self.data[(number - 1) * self.size : number * self.size]
        begins = 100 if number == 1 else 0
        if depth > MOST_DEPTH or number < 1 or len(page) < self.size:
            raise Broken("a page that is not there")
        kind, cells = page[begins], int.from_bytes(page[begins + 3 : begins + 5], "big")
        if kind not in (INNER, LEAF):
            raise Broken("a page of another kind")
        first = begins + (12 if kind == INNER else 8)
        for cell in range(cells):
            place = int.from_bytes(page[first + 2 * cell : first + 2 * cell + 2], "big")
            if kind == INNER:
                yield from self.rows(int.from_bytes(page[place : place + 4], "big"), depth + 1)
            else:
                yield self._row(page, place)
        if kind == INNER:
            yield from self.rows(int.from_bytes(page[begins + 8 : begins + 12], "big"), depth + 1)

    def _row(self, page: bytes, place: int) -> tuple[int, list[Value]]:
        length, place = _varint(page, place)
        number, place = _varint(page, place)
        if length > self.size - self.spare - 35 or place + length > len(page):
            raise Broken("a row that goes on elsewhere")
        return number, _record(page[place : place + length])


def _record(data: bytes) -> list[Value]:
    head, place = _varint(data, 0)
    at, values = head, list[Value]()
    while place < head:
        kind, place = _varint(data, place)
        size = SIZES.get(kind, (kind - 12) // 2)
        part = data[at : at + size]
        values.append(
            _value(kind, part) if len(part) == size else None
        )  # what is not there is missing, and an error where it is wanted
        at += size
    return values


def _value(kind: int, part: bytes) -> Value:
    if kind in (0, 10, 11):  # the last two are reserved
        return None
    if kind == 7:
        value = struct.unpack(">d", part)[0]
        return None if math.isnan(value) else value
    if kind in (8, 9):
        return kind - 8
    if kind < 7:
        return int.from_bytes(part, "big", signed=True)
    try:
        return part if kind % 2 == 0 else part.decode()
    except UnicodeError:
        return part  # no text: an error where it is wanted, and nothing where it is not


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for count in range(9):
        if place + count >= len(data):
            raise Broken("a number that is not there")
        byte = data[place + count]
        if count == 8:
            return (value << 8) | byte, place + 9
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            break
    return value, place + count + 1
