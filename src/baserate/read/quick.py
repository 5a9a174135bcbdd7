"""Files that are read without NumPy, which takes longer to load than they take to read: JSON lines
that a program wrote, with the same fields in the same order in every line, and Parquet of which the
cases are counted where they lie.
"""

from __future__ import annotations

import json
import os
import re
from typing import IO, Any, NamedTuple

from baserate.read import streams
from baserate.read.sandbox import send_tables
from baserate.read.table import MISSING, Codes, ColumnRoles, InLines, Table, packed

try:
    from baserate.read import _lines
except ImportError:  # it was not built: other ways read the same
    _lines = None  # type: ignore[assignment]


def is_possible(source: str, wanted: ColumnRoles) -> bool:
    """Whether to try: a Parquet file, or JSON of which only labels and numbers are read."""
    if not os.path.isfile(source) or source in streams.STDIN:  # noqa: PTH113
        return False
    kind = streams.file_kind(_head(source), source)
    return kind == "Parquet" or (kind == "JSON" and wanted.texts == (wanted.label,))


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(streams.HEAD)


def has_sent(out: IO[bytes], path: str, wanted: ColumnRoles) -> bool:
    """Sends the table, or gives False where another way has to read the file."""
    streams.checked_regular(path)
    head = _head(path)
    streams.check_readable(head, path)
    if streams.file_kind(head, path) == "Parquet":
        from baserate.read.parquet import send_parquet

        send_parquet(out, path, wanted)
        return True
    if not begins(path, wanted):
        return False
    with streams.opened(path) as plain:
        table = _of_lines(plain, wanted)
    if table is not None:
        send_tables(out, [table])
    return table is not None


def _of_lines(plain: streams.Plain, wanted: ColumnRoles) -> Table | None:
    found = scanned(plain.path, wanted)
    if found is None:
        return None
    label = _labels(found.texts[wanted.label]) if wanted.label in found.texts else None
    if label is None:
        return None
    columns: dict[str, Any] = {wanted.label: label, **found.numbers}
    return Table(
        plain.shown,
        {name: columns[name] for name in wanted.columns},
        found.rows,
        sha256=plain.sha256,
        place=InLines(plain.shown, 1),
        notes=plain.notes,
        styles=dict.fromkeys(wanted.numbers),
    )


def _labels(texts: Texts) -> Codes | None:
    """Labels of one kind, none of them missing: whole numbers, bools or texts."""
    try:
        values = [json.loads(text) for text in texts.values]
    except ValueError:
        return None
    kinds = {type(value) for value in values}
    if kinds == {str}:
        missing = any(value.strip() in MISSING for value in values)
        return None if missing else Codes(values, texts.codes)
    if kinds == {bool} or (kinds == {int} and all(-(2**63) <= value < 2**63 for value in values)):
        kind = "?" if kinds == {bool} else "q"
        return Codes(packed(kind, values), texts.codes)
    return None


# ----------------------------------------------------------------------
# JSON lines, scanned in C.


NUMBER_TEXT = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
STRING_TEXT = r'"[^"\\\x00-\x1f\x7f]*"'
ANY_TEXT = f"{NUMBER_TEXT}|{STRING_TEXT}|true|false|null"
FIELD = re.compile(rf'([{{ ]? *"([^"\\]+)" *: *)(?:{ANY_TEXT})( *}}?)')

PIECE = 1 << 20  # bytes at a time; a longer line is no line of these
FIRST = 1 << 16  # bytes that tell whether to try
MOST_FIELDS = 256


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


class Texts(NamedTuple):
    """The values of a field of which there are few, each as it is written, and every row's place
    among them.
    """

    values: list[str]
    codes: memoryview[Any]


class Scanned(NamedTuple):
    """The rows of a file, its numbers (int64 where none is a fraction, float64 else) and texts."""

    rows: int
    numbers: dict[str, memoryview[Any]]
    texts: dict[str, Texts]


def begins(path: str, wanted: ColumnRoles) -> bool:
    """Whether the first lines are such lines."""
    with open(path, "rb") as file:
        data = file.read(FIRST)
    scan = None if _lines is None else _Scan.of(data, wanted)
    return scan is not None and scan.takes(data[: data.rfind(b"\n") + 1] or data + b"\n")


def scanned(path: str, wanted: ColumnRoles) -> Scanned | None:
    """The requested fields of every line; None where there is any doubt about one.

    Numbers are those in which no digit is lost: of up to fifteen digits, or as Python writes its
    floats. So no two numbers of a column, in whichever file, have become one.
    """
    if _lines is None:
        return None
    with open(path, "rb") as file:
        data = file.read(PIECE)
        scan = _Scan.of(data, wanted)
        if scan is None:
            return None
        while data:
            more = file.read(PIECE)
            end = data.rfind(b"\n") + 1 if more else len(data)
            lines, rest = data[:end], data[end:]
            if not more and not lines.endswith(b"\n"):
                lines += b"\n"
            if not lines or not scan.takes(lines):
                return None
            data = rest + more
    return scan.found()


class _Scan:
    """The columns as far as they were scanned."""

    def __init__(self, fields: Fields, wanted: ColumnRoles) -> None:
        self.names, self.behind, self.rows = fields.names, fields.behind.encode(), 0
        self.ahead = [
            ("," * bool(place) + ahead).encode() for place, ahead in enumerate(fields.ahead)
        ]
        texts = {*wanted.texts} - {*wanted.numbers}
        self.kinds = {
            name: "n" if name in wanted.numbers else "t" if name in texts else "s"
            for name in fields.names
        }
        self.columns = {name: bytearray() for name in fields.names if self.kinds[name] != "s"}
        self.known: dict[str, list[bytes]] = {name: [] for name in self.columns}
        self.fractions = dict.fromkeys(fields.names, False)

    @classmethod
    def of(cls, data: bytes, wanted: ColumnRoles) -> _Scan | None:
        """From how the first line is written."""
        line = data.partition(b"\n")[0]
        fields = fields_of(line.decode("ascii")) if line.isascii() else None
        # A column that is both is text to some, and its values are not known from its numbers.
        both = {*wanted.texts} & {*wanted.numbers}
        if fields is None or both or len(fields.names) > MOST_FIELDS:
            return None
        return cls(fields, wanted) if {*wanted.columns} <= {*fields.names} else None

    def takes(self, lines: bytes) -> bool:
        """Whether these lines are such lines; then they were added."""
        rows = lines.count(b"\n")
        rooms = {
            name: bytearray(rows * (8 if self.kinds[name] == "n" else 1)) for name in self.columns
        }
        fields = tuple(
            (ahead, self.kinds[name], rooms.get(name), self.known.get(name))
            for name, ahead in zip(self.names, self.ahead, strict=True)
        )
        found = _lines.scan(lines, fields, self.behind)
        if found is None or found[0] != rows:
            return False
        for name, room in rooms.items():
            self.columns[name] += room
        for name, fraction in zip(self.names, found[1], strict=True):
            self.fractions[name] |= fraction
        self.rows += rows
        return True

    def found(self) -> Scanned | None:
        """What was found, once all lines were scanned."""
        if not self.rows:
            return None
        numbers: dict[str, memoryview[Any]] = {}
        texts: dict[str, Texts] = {}
        for name, column in self.columns.items():
            if self.kinds[name] == "t":
                values = [text.decode("ascii") for text in self.known[name]]
                texts[name] = Texts(values, memoryview(column))
                continue
            if not self.fractions[name]:
                _lines.whole(column)
            numbers[name] = memoryview(column).cast("d" if self.fractions[name] else "q")
        return Scanned(self.rows, numbers, texts)
