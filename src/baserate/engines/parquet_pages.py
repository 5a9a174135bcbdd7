"""Checksums of Parquet pages, where a file has them: DuckDB does not look at them, and a flipped bit is otherwise a wrong score.

Before each page stands a header in Thrift's compact form. Only as much of it is understood as is needed to find the page and its CRC-32.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

CHUNKS = """
SELECT least(coalesce(nullif(dictionary_page_offset, 0), data_page_offset), data_page_offset), total_compressed_size
FROM parquet_metadata(?) WHERE list_contains(CAST(? AS VARCHAR[]), path_in_schema)
"""
SIZE_FIELD, CRC_FIELD = 3, 4
MOST_HEADER = 1 << 16
MOST_NESTED = 16


class Unclear(Exception):  # noqa: N818 (never leaves this module)
    """Bytes that are no page header as we know it; whether the file can be read is for DuckDB to say."""


def damaged_pages(connection: Any, pattern: str, path: str, columns: tuple[str, ...]) -> int:
    """How many pages of these columns differ from their checksums."""
    chunks = connection.execute(CHUNKS, [pattern, list(columns)]).fetchall()
    with open(path, "rb") as file:
        return sum(_damaged(file, start, size) for start, size in chunks if start is not None and size)


def _damaged(file: BinaryIO, start: int, size: int) -> int:
    """The damaged pages of one column chunk; a chunk whose first page has no checksum has none."""
    place, end, damaged = start, start + size, 0
    while place < end:
        file.seek(place)
        try:
            header = _Header(file.read(min(MOST_HEADER, end - place)))
        except Unclear:
            return damaged
        length = header.fields.get(SIZE_FIELD, -1)
        if length < 0 or CRC_FIELD not in header.fields:
            return damaged
        file.seek(place + header.length)
        damaged += zlib.crc32(file.read(length)) != header.fields[CRC_FIELD] & 0xFFFFFFFF
        place += header.length + length
    return damaged


class _Header:
    """The whole numbers of a page header by the number of their field, and how many bytes it takes."""

    def __init__(self, data: bytes) -> None:
        self.data, self.length = data, 0
        self.fields: dict[int, int] = {}
        self._struct(self.fields, 0)

    def _byte(self) -> int:
        if self.length >= len(self.data):
            raise Unclear
        self.length += 1
        return self.data[self.length - 1]

    def _unsigned(self) -> int:
        value, shift = 0, 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise Unclear

    def _whole(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _struct(self, kept: dict[int, int], depth: int) -> None:
        field = 0
        if depth > MOST_NESTED:
            raise Unclear
        while byte := self._byte():
            field = field + (byte >> 4) if byte >> 4 else self._whole()
            value = self._value(byte & 0x0F, depth)
            if isinstance(value, int):
                kept[field] = value

    def _value(self, kind: int, depth: int) -> int | None:
        if kind in (4, 5, 6):
            return self._whole()
        readers: dict[int, Callable[[], object]] = {
            1: lambda: None,
            2: lambda: None,
            3: self._byte,
            7: lambda: self._skip(8),
            8: lambda: self._skip(self._unsigned()),
            9: lambda: self._list(depth),
            10: lambda: self._list(depth),
            12: lambda: self._struct({}, depth + 1),
        }
        if kind not in readers:
            raise Unclear
        readers[kind]()
        return None

    def _skip(self, count: int) -> None:
        self.length += count
        if self.length > len(self.data):
            raise Unclear

    def _list(self, depth: int) -> None:
        byte = self._byte()
        count = byte >> 4 if byte >> 4 < 15 else self._unsigned()
        for _ in range(min(count, MOST_HEADER)):
            if byte & 0x0F in (1, 2):
                self._byte()
            else:
                self._value(byte & 0x0F, depth + 1)
