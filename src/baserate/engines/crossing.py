"""Columns between two processes: raw numbers and JSON in frames of a stated length. What arrives is checked against what was promised."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from baserate.cells import Array, run_starts
from baserate.engines.coded import PROBE, codes_of

LENGTH = struct.Struct("<Q")
PIECE = 1 << 16  # values in a frame of JSON, at most
MOST_JSON = 1 << 24  # bytes in it: parsed, they may take more than twenty times the room
POINTER, OBJECT = 8, 48  # bytes of a value of Python's, beside those of its text
NUMBERS = {np.dtype(kind).str: np.dtype(kind) for kind in ("?", *"bhilqBHILQ", *"efdg")}  # bools, whole numbers, floats of any size
BYTE, MOST_BYTE = "|u1", 255
LONG = 16  # values in a run, on average, from which on runs travel instead
CODES = frozenset(np.dtype(code).str for code in ("u1", "u2", "u4"))
PLAIN = frozenset({str, type(None), bool, int, float})


class Untrue(Exception):  # noqa: N818 (the callers make one line of it)
    """An answer that cannot be: cut off, of another length than it says, or of a kind that no reader gives."""


def send(out: IO[bytes], said: Any) -> None:
    """A frame of JSON."""
    out.write(framed(said))


def framed(said: Any) -> bytes:
    """The same, as bytes."""
    data = json.dumps(said).encode("ascii")
    return LENGTH.pack(len(data)) + data


def send_column(out: IO[bytes], column: Array) -> None:
    """A column: first how it travels, then its values."""
    if column.dtype != object:
        if column.dtype.str not in NUMBERS:
            raise TypeError(f"a column of {column.dtype} cannot travel")
        _send_packed(out, column)
        return
    coded = codes_of(column)
    if coded is None:
        send(out, {"objects": len(column)})
        _send_objects(out, column)
        return
    values, codes = coded
    codes = codes if codes.dtype.str in CODES else codes.astype(np.uint32)
    send(out, {"values": len(values), "codes": codes.dtype.str})
    _send_objects(out, values)
    _send_numbers(out, codes)


def _send_packed(out: IO[bytes], column: Array) -> None:
    """Numbers as they are; in runs where counts were spread to rows, and small whole numbers, such as labels, in a byte each."""
    kind = {"as": column.dtype.str}
    starts = _runs(column)
    if starts is not None:
        send(out, {**kind, "runs": len(starts)})
        _send_numbers(out, column[starts])
        _send_numbers(out, np.diff(starts, append=len(column)).astype(np.int64))
        return
    if column.dtype.kind in "iu" and column.dtype.itemsize > 1 and len(column) and column.min() >= 0 and column.max() <= MOST_BYTE:
        column = column.astype(np.uint8)
    send(out, {**kind, "numbers": column.dtype.str})
    _send_numbers(out, column)


def _runs(column: Array) -> Array | None:
    """Where a run of equal bytes begins, if there are few; 0 and -0.0 are two."""
    if column.dtype.itemsize > 8:
        return None
    bits = np.ascontiguousarray(column).view(f"u{column.dtype.itemsize}")
    if len(bits) < PROBE or LONG * len(run_starts(bits[:PROBE])) > PROBE:
        return None
    starts = run_starts(bits)
    return starts if LONG * len(starts) <= len(bits) else None


def _send(out: IO[bytes], data: bytes | memoryview) -> None:
    out.write(LENGTH.pack(len(data)))
    out.write(data)


def _send_numbers(out: IO[bytes], values: Array) -> None:
    _send(out, memoryview(np.ascontiguousarray(values).view(np.uint8)))  # type: ignore[arg-type]


def _send_objects(out: IO[bytes], values: Array) -> None:
    for start in range(0, len(values), PIECE):
        _send_piece(out, values[start : start + PIECE].tolist())


def _send_piece(out: IO[bytes], piece: list[Any]) -> None:
    data = json.dumps(piece).encode("ascii")
    if len(data) <= MOST_JSON or len(piece) == 1:
        _send(out, data)
        return
    half = len(piece) // 2
    _send_piece(out, piece[:half])
    _send_piece(out, piece[half:])


class Incoming:
    """What the other side says, and how many bytes there are for it and for all that is made of it."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self.stream, self.left = stream, most

    def json(self) -> Any:
        """The next frame, of JSON."""
        length = self._length()
        if length > MOST_JSON:
            raise Untrue("more than a reader may say at once")
        self.take(length)
        room = bytearray(length)
        self._fill(memoryview(room))
        try:
            return json.loads(room)
        except (ValueError, RecursionError) as error:
            raise Untrue("broken JSON") from error

    def column(self, rows: int) -> Array:
        """A column of so many rows."""
        how = self.json()
        match how:
            case {"as": str(kind), "numbers": str(sent)} if kind in NUMBERS and (sent == kind or (sent == BYTE and NUMBERS[kind].kind in "iu")):
                if sent != kind:
                    self.take(rows * NUMBERS[kind].itemsize)
                return self._numbers(rows, NUMBERS[sent]).astype(NUMBERS[kind], copy=False)
            case {"as": str(kind), "runs": int(number)} if kind in NUMBERS and 0 <= number <= rows:
                return self._spread(number, rows, NUMBERS[kind])
            case {"objects": int(number)} if number == rows:
                return self._objects(rows)
            case {"values": int(number), "codes": str(kind)} if kind in CODES and 0 <= number <= rows:
                values, codes = self._objects(number), self._numbers(rows, NUMBERS[kind])
                if rows and int(codes.max()) >= number:
                    raise Untrue("a code without a value")
                self.take(POINTER * rows)
                return values[codes]
        raise Untrue("a column of an unknown kind")

    def _length(self) -> int:
        room = bytearray(LENGTH.size)
        self._fill(memoryview(room))
        return int(LENGTH.unpack(room)[0])

    def take(self, room: int) -> None:
        """So many bytes less are left; MemoryError where there are not so many."""
        if room > self.left:
            raise MemoryError
        self.left -= room

    def _numbers(self, rows: int, dtype: np.dtype[Any]) -> Array:
        if self._length() != rows * dtype.itemsize:
            raise Untrue("a column of another length")
        self.take(rows * dtype.itemsize)
        values = np.empty(rows, dtype=dtype)
        self._fill(memoryview(values.view(np.uint8)))  # type: ignore[arg-type]
        if dtype == np.bool_ and (values.view(np.uint8) > 1).any():
            raise Untrue("a bool that is neither")
        return values

    def _spread(self, number: int, rows: int, dtype: np.dtype[Any]) -> Array:
        self.take(rows * dtype.itemsize)
        values, lengths = self._numbers(number, dtype), self._numbers(number, np.dtype(np.int64))
        if (lengths < 1).any() or lengths.sum(dtype=np.float64) != rows:  # a sum of floats does not wrap around
            raise Untrue("runs of another length")
        return np.repeat(values, lengths)

    def _objects(self, rows: int) -> Array:
        self.take((POINTER + OBJECT) * rows)
        values, filled = np.empty(rows, dtype=object), 0
        while filled < rows:
            piece = self.json()
            if not isinstance(piece, list) or not 0 < len(piece) <= min(PIECE, rows - filled) or not set(map(type, piece)) <= PLAIN:
                raise Untrue("values of another number or kind")
            values[filled : filled + len(piece)] = piece
            filled += len(piece)
        return values

    def _fill(self, room: memoryview) -> None:
        read: Callable[[memoryview], int | None] = self.stream.readinto  # type: ignore[attr-defined]
        filled = 0
        while filled < len(room):
            came = read(room[filled:])
            if not came:
                raise EOFError
            filled += came
