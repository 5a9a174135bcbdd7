"""The reader process: the tables it sends back, and the checks of what arrives."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import IO, Any, TypeVar

import numpy as np
from numpy.lib import format as npy

from baserate.counts.cells import Array
from baserate.errors import (
    MOST_EXAMPLES,
    MOST_PROBLEMS,
    Fix,
    InputError,
    Note,
    Problem,
    Where,
    escaped,
)
from baserate.read.columns import codes_of
from baserate.read.streams import fill
from baserate.read.table import Codes, InLines, InTables, Runs, Table, TableRows

# ----------------------------------------------------------------------
# Columns between two processes: lines of JSON and, behind those that say so, NumPy's .npy. What
# arrives is checked against what was promised.


PIECE = 1 << 16  # values in a line of JSON, at most
MOST_JSON = 1 << 24  # bytes in it: parsed, they may take more than twenty times the room
MOST_HEADER = 128  # bytes that describe an array
POINTER, OBJECT = 8, 48  # bytes of a value of Python's, beside those of its text
LENGTHS, CODES = ("i8",), ("u1", "u2", "u4")
PLAIN = frozenset({str, type(None), bool, int, float})


# What NumPy calls bools, whole numbers, and floats of any size.
NUMBERS = frozenset(np.dtype(kind).str for kind in ("?", *"bhilqBHILQ", *"efdg"))


class Untrue(Exception):  # noqa: N818 (the callers make one line of it)
    """An answer that cannot be: cut off, of another length than it says, or of a kind that no
    reader gives.
    """


def send(out: IO[bytes], said: Any) -> None:
    """A line of JSON."""
    out.write(lined(said))


def lined(said: Any) -> bytes:
    """The same, as bytes."""
    return json.dumps(said).encode("ascii") + b"\n"


def send_column(out: IO[bytes], column: Array | Runs | Codes) -> None:
    """A column: first how it travels, then its values."""
    if isinstance(column, Runs):
        send(out, "runs")
        _send_array(out, column.values)
        _send_array(out, column.lengths)
    elif isinstance(column, Codes) and len(column.values) <= len(column):
        _send_codes(out, column)
    else:
        column = column.spread() if isinstance(column, Codes) else column
        if column.dtype != object:
            send(out, "numbers")
            _send_array(out, column)
        else:
            _send_texts(out, column)


def _send_codes(out: IO[bytes], column: Codes) -> None:
    values, codes = column.values, column.codes
    if column.numbers:
        send(out, {"coded numbers": len(values)})
        _send_array(out, values)
    else:
        send(out, {"coded": len(values)})
        _send_objects(out, values)
    _send_array(out, codes if codes.dtype.str[1:] in CODES else codes.astype(np.uint32))


def _send_texts(out: IO[bytes], column: Array) -> None:
    """Python objects, as codes where there are few."""
    coded = codes_of(column)
    if coded is not None:
        _send_codes(out, Codes(*coded))
        return
    send(out, {"objects": len(column)})
    _send_objects(out, column)


def _send_array(out: IO[bytes], values: Array) -> None:
    """What `numpy.save` writes; it cannot write into a pipe."""
    if values.dtype.str not in NUMBERS:
        raise TypeError(f"a column of {values.dtype} cannot travel")
    values = np.ascontiguousarray(values)
    npy.write_array_header_1_0(out, npy.header_data_from_array_1_0(values))
    out.write(memoryview(values.view(np.uint8)))  # type: ignore[arg-type]


def _send_objects(out: IO[bytes], values: Array) -> None:
    for start in range(0, len(values), PIECE):
        _send_piece(out, values[start : start + PIECE].tolist())


def _send_piece(out: IO[bytes], piece: list[Any]) -> None:
    data = lined(piece)
    if len(data) <= MOST_JSON or len(piece) == 1:
        out.write(data)
        return
    half = len(piece) // 2
    _send_piece(out, piece[:half])
    _send_piece(out, piece[half:])


class Incoming:
    """What the other side says, and how many bytes there are for it and for all that is made of
    it.
    """

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self.stream, self.left = stream, most

    def json(self) -> Any:
        """The next line, of JSON."""
        line = self.stream.readline(MOST_JSON + 1)
        if len(line) > MOST_JSON:
            raise Untrue("more than a reader may say at once")
        if not line.endswith(b"\n"):
            raise EOFError
        self.take(len(line))
        try:
            return json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Untrue("broken JSON") from error

    def column(self, rows: int) -> Array:
        """A column of this number of rows."""
        found = self.as_sent(rows)
        return found if isinstance(found, np.ndarray) else found.spread()

    def as_sent(self, rows: int) -> Array | Runs | Codes:
        """The same, or the runs or codes that it is made from."""
        match self.json():
            case "numbers":
                return self._array(rows)
            case "runs":
                return self._runs(rows)
            case {"objects": int(number)} if number == rows:
                return self._objects(rows)
            case {"coded": int(number)} if 0 <= number <= rows:
                return self._coded(number, rows)
            case {"coded numbers": int(number)} if 0 <= number <= rows:
                values = self._array(number)
                return self._codes(values, rows, values.dtype.itemsize)
        raise Untrue("a column of an unknown kind")

    def _coded(self, number: int, rows: int) -> Codes:
        """A number of Python objects, and the place of each row's own among them."""
        return self._codes(self._objects(number), rows, POINTER)

    def _codes(self, values: Array, rows: int, width: int) -> Codes:
        """Values whose codes follow, and room for those of all rows, of this width each."""
        codes = self._array(rows, CODES)
        if rows and int(codes.max()) >= len(values):
            raise Untrue("a code without a value")
        self.take(width * rows)
        return Codes(values, codes)

    def take(self, room: int) -> None:
        """Takes bytes from those left; MemoryError where there are not enough."""
        if room > self.left:
            raise MemoryError
        self.left -= room

    def _array(self, rows: int, kinds: Collection[str] = (), *, fewer: bool = False) -> Array:
        """An array of one of these types, else of any numbers, with `rows` rows, or fewer where
        there may be.
        """
        shape, dtype = self._header()
        self._check_kind(dtype, kinds)
        if len(shape) != 1 or not (shape[0] == rows or (fewer and 0 <= shape[0] <= rows)):
            raise Untrue("a column of another length")
        self.take(shape[0] * dtype.itemsize)
        values = np.empty(shape, dtype=dtype)
        self._fill(values)
        return values

    def _check_kind(self, dtype: np.dtype[Any], kinds: Collection[str] = ()) -> None:
        if dtype.str not in NUMBERS or (kinds and dtype.str[1:] not in kinds):
            raise Untrue("a column of an unknown kind")

    def _fill(self, values: Array) -> None:
        fill(self.stream, memoryview(values.view(np.uint8)))  # type: ignore[arg-type]
        if values.dtype == np.bool_ and (values.view(np.uint8) > 1).any():
            raise Untrue("a bool that is neither")

    def _header(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        try:
            npy.read_magic(self.stream)
            shape, _, dtype = npy.read_array_header_1_0(self.stream, max_header_size=MOST_HEADER)
        except Exception as error:  # NumPy does not say which errors there can be
            if str(error).startswith("EOF"):
                raise EOFError from None
            raise Untrue("an array without its type") from error
        return shape, dtype

    def _runs(self, rows: int) -> Runs:
        values = self._array(rows, fewer=True)
        lengths = self._array(len(values), LENGTHS)
        self.take(rows * values.dtype.itemsize)
        if (lengths < 1).any() or lengths.sum(
            dtype=np.float64
        ) != rows:  # a sum of floats does not wrap around
            raise Untrue("runs of another length")
        return Runs(values, lengths)

    def _objects(self, rows: int) -> Array:
        self.take((POINTER + OBJECT) * rows)
        values, filled = np.empty(rows, dtype=object), 0
        while filled < rows:
            piece = self.json()
            if (
                not isinstance(piece, list)
                or not 0 < len(piece) <= min(PIECE, rows - filled)
                or not set(map(type, piece)) <= PLAIN
            ):
                raise Untrue("values of another number or kind")
            values[filled : filled + len(piece)] = piece
            filled += len(piece)
        return values


# ----------------------------------------------------------------------
# What a reader in a process of its own answers: its tables, or why there are none. Data only; the
# listener believes nothing unchecked.


CODE = re.compile(r"BR[0-9]{3}")
SHA256 = re.compile(r"([0-9a-f]{64})?")
MOST_TABLES, MOST_ROWS, MOST_NOTES = 1 << 20, 1 << 62, 1000
MOST_LABELS = 1000  # a column with more values is no label, whatever they are
MOST_TEXT, MOST_PATH = 2000, 4096  # characters of a problem or a note, and of a place
# Bytes of a table beside its values, and of a value: it is held, and held once more while it is
# counted.
TABLE, VALUE = 1 << 12, 16
READY = {
    "ready": True
}  # the first line: whatever happens before it has nothing to do with the file
OUT_OF_MEMORY = lined({"memory": True})  # made beforehand: there may be no room left to make it
T = TypeVar("T")


class Failed(Exception):  # noqa: N818 (the listener makes one line of it)
    """The reader ended with an error that it did not expect."""


def send_tables(out: IO[bytes], tables: Sequence[Table]) -> None:
    """Every table: what there is to say of it, and its columns."""
    send(out, {"tables": len(tables)})
    for table in tables:
        send(out, _described(table))
        if isinstance(table.place, InLines) and table.place.lines is not None:
            send_column(out, table.place.lines)
        for name in list(table.columns):
            send_column(out, table.columns.pop(name))  # what has left need not be held


def _described(table: Table) -> dict[str, Any]:
    place = table.place
    if isinstance(place, InLines):
        where: dict[str, Any] = {
            "path": place.path,
            "first": place.first,
            "listed": place.lines is not None,
        }
    elif isinstance(place, InTables):
        where = {"paths": place.paths, "begins": place.begins}
    else:
        raise TypeError("this place cannot travel")
    notes = [asdict(note) for note in table.notes]
    said = {
        "path": table.path,
        "rows": table.rows,
        "refused": table.refused,
        "sha256": table.sha256,
    }
    return {**said, "place": where, "notes": notes, "columns": list(table.columns)}


def send_error(out: IO[bytes], error: BaseException) -> None:
    """Why there is no table."""
    if isinstance(error, MemoryError):
        out.write(OUT_OF_MEMORY)
    elif isinstance(error, InputError):
        problems = [
            asdict(problem) | {"table": isinstance(problem.where, TableRows)}
            for problem in error.problems
        ]
        send(out, {"problems": problems})
    elif isinstance(error, OSError) and error.errno is not None:
        send(
            out,
            {
                "system": error.errno,
                "said": str(error.strerror),
                "path": None if error.filename is None else str(error.filename),
            },
        )
    else:
        send(out, {"failed": f"{type(error).__name__}: {error}"})


def received(
    incoming: Incoming, columns: Sequence[str], *, several: bool, as_sent: bool = False
) -> list[Table]:
    """The tables, or the only one, with just these columns, which `as_sent` leaves as runs
    where the reader sent runs; what the reader refused is raised as if it had been refused here.
    """
    tables = _answered(incoming, columns, several=several)
    return tables if as_sent else [table.spread() for table in tables]


def _answered(incoming: Incoming, columns: Sequence[str], *, several: bool) -> list[Table]:
    match raised(incoming.json()):
        case {"tables": int(number)} if 0 < number <= (MOST_TABLES if several else 1):
            return [_table(incoming, columns) for _ in range(number)]
    raise Untrue("no answer")


def raised(said: Any) -> Any:
    """What the reader says, unless that is why it has no answer."""
    match said:
        case {"problems": [_, *_] as problems}:
            raise InputError(map(_problem, problems[:MOST_PROBLEMS]))
        case {"memory": True}:
            raise MemoryError
        case {"system": int(number), "said": str(text), "path": str() | None as path}:
            raise OSError(number, escaped(text[:MOST_TEXT]), path and path[:MOST_PATH])
        case {"failed": str(text)}:
            raise Failed(text)
    return said


def _table(incoming: Incoming, wanted: Sequence[str]) -> Table:
    said = incoming.json()
    path, rows, refused = (
        field_of(str, said, "path"),
        field_of(int, said, "rows"),
        field_of(int, said, "refused"),
    )
    sha256, columns = field_of(str, said, "sha256"), texts_of(said, "columns")
    if (
        not 0 <= refused <= rows <= MOST_ROWS
        or set(columns) != set(wanted)
        or len(columns) != len(wanted)
        or not SHA256.fullmatch(sha256)
    ):
        raise Untrue("a table that was not requested")
    held = rows - refused
    incoming.take(TABLE)
    if held * len(columns) * VALUE > incoming.left:
        raise MemoryError
    place = _place(incoming, field_of(dict, said, "place"), held)
    notes = tuple(map(note_of, field_of(list, said, "notes")[:MOST_NOTES]))
    found = {name: incoming.as_sent(held) for name in columns}
    return Table(path, found, rows, refused, sha256, place, notes)


def _place(incoming: Incoming, said: dict[str, Any], rows: int) -> InLines | InTables:
    if "paths" in said:
        paths, begins = tuple(texts_of(said, "paths")), whole_of(said, "begins")
        if (
            not paths
            or len(begins) != len(paths)
            or begins[0] != 0
            or list(begins) != sorted(begins)
        ):
            raise Untrue("rows that lie nowhere")
        return InTables(paths, begins)
    path, first, listed = (
        field_of(str, said, "path"),
        field_of(int, said, "first"),
        field_of(bool, said, "listed"),
    )
    lines = incoming.column(rows) if listed else None
    if lines is not None and lines.dtype.kind != "i":
        raise Untrue("lines that are not numbers")
    return InLines(path, first, lines)


def _problem(said: Any) -> Problem:
    where, kind = (
        field_of(dict, said, "where"),
        TableRows if field_of(bool, said, "table") else Where,
    )
    path = where.get("path")
    if not isinstance(path, str | None):
        raise Untrue("a place without a name")
    rows, lines = (whole_of(where, name)[:MOST_EXAMPLES] for name in ("rows", "lines"))
    place = kind(path and path[:MOST_PATH], rows, lines, field_of(int, where, "total"))
    return Problem(_code(said), _text(said, "text"), _fix(field_of(dict, said, "fix")), place)


def note_of(said: Any) -> Note:
    """A note, which is harmless to show."""
    override = said.get("override") if isinstance(said, dict) else None
    return Note(_code(said), _text(said, "text"), None if override is None else _fix(override))


def _fix(said: Any) -> Fix:
    return Fix(_text(said, "python"), _text(said, "command"))


def _text(said: Any, name: str) -> str:
    """A text for a person: harmless, and not too long to be read."""
    text = field_of(str, said, name)
    return escaped(text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…")


def _code(said: Any) -> str:
    code = field_of(str, said, "code")
    if not CODE.fullmatch(code):
        raise Untrue("a code that is none")
    return code


def field_of(kind: type[T], said: Any, name: str) -> T:
    """One field, which has to be of this type."""
    found = said.get(name) if isinstance(said, dict) else None
    if type(found) is not kind:
        raise Untrue(f"{name} is missing, or of another type")
    return found


def texts_of(said: Any, name: str) -> list[str]:
    """One field, a list of texts."""
    return [_each(str, value) for value in field_of(list, said, name)]


def whole_of(said: Any, name: str) -> tuple[int, ...]:
    """One field, a list of whole numbers."""
    values: Iterable[Any] = field_of(list, said, name)
    return tuple(_each(int, value) for value in values)


def _each(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise Untrue("a value of another type")
    return value
