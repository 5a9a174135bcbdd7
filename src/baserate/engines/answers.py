"""What a reader in a process of its own answers: its tables, or why there are none. Data only; the listener believes nothing unchecked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import IO, Any, TypeVar

from baserate.engines.crossing import Incoming, Untrue, framed, send, send_column
from baserate.engines.table_rows import InTables, TableRows
from baserate.engines.text_lines import InLines
from baserate.engines.wanted import Table
from baserate.errors import MOST_EXAMPLES, MOST_PROBLEMS, Fix, InputError, Problem, Where, escaped
from baserate.notes import Note

CODE = re.compile(r"BR[0-9]{3}")
SHA256 = re.compile(r"([0-9a-f]{64})?")
MOST_TABLES, MOST_ROWS, MOST_NOTES = 1 << 20, 1 << 62, 1000
MOST_TEXT, MOST_PATH = 2000, 4096  # characters of a problem or a note, and of a place
# Bytes of a table beside its values, and of a value: it is held, and held once more while it is counted.
TABLE, VALUE = 1 << 12, 16
READY = {"ready": True}  # the first frame: whatever happens before it has nothing to do with the file
OUT_OF_MEMORY = framed({"memory": True})  # made beforehand: there may be no room left to make it
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
        where: dict[str, Any] = {"path": place.path, "first": place.first, "listed": place.lines is not None}
    elif isinstance(place, InTables):
        where = {"paths": place.paths, "begins": place.begins}
    else:
        raise TypeError("this place cannot travel")
    notes = [asdict(note) for note in table.notes]
    said = {"path": table.path, "rows": table.rows, "refused": table.refused, "sha256": table.sha256}
    return {**said, "place": where, "notes": notes, "columns": list(table.columns)}


def send_error(out: IO[bytes], error: BaseException) -> None:
    """Why there is no table."""
    if isinstance(error, MemoryError):
        out.write(OUT_OF_MEMORY)
    elif isinstance(error, InputError):
        problems = [asdict(problem) | {"table": isinstance(problem.where, TableRows)} for problem in error.problems]
        send(out, {"problems": problems})
    elif isinstance(error, OSError) and error.errno is not None:
        send(out, {"system": error.errno, "said": str(error.strerror), "path": None if error.filename is None else str(error.filename)})
    else:
        send(out, {"failed": f"{type(error).__name__}: {error}"})


def received(incoming: Incoming, columns: Sequence[str], *, several: bool) -> list[Table]:
    """The tables, or the only one, with just these columns; what the reader refused is raised as if it had been refused here."""
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
    path, rows, refused = field_of(str, said, "path"), field_of(int, said, "rows"), field_of(int, said, "refused")
    sha256, columns = field_of(str, said, "sha256"), texts_of(said, "columns")
    if not 0 <= refused <= rows <= MOST_ROWS or set(columns) != set(wanted) or len(columns) != len(wanted) or not SHA256.fullmatch(sha256):
        raise Untrue("a table that was not asked for")
    held = rows - refused
    incoming.take(TABLE)
    if held * len(columns) * VALUE > incoming.left:
        raise MemoryError
    place = _place(incoming, field_of(dict, said, "place"), held)
    notes = tuple(map(note_of, field_of(list, said, "notes")[:MOST_NOTES]))
    return Table(path, {name: incoming.column(held) for name in columns}, rows, refused, sha256, place, notes)


def _place(incoming: Incoming, said: dict[str, Any], rows: int) -> InLines | InTables:
    if "paths" in said:
        paths, begins = tuple(texts_of(said, "paths")), whole_of(said, "begins")
        if not paths or len(begins) != len(paths) or begins[0] != 0 or list(begins) != sorted(begins):
            raise Untrue("rows that lie nowhere")
        return InTables(paths, begins)
    path, first, listed = field_of(str, said, "path"), field_of(int, said, "first"), field_of(bool, said, "listed")
    lines = incoming.column(rows) if listed else None
    if lines is not None and lines.dtype.kind != "i":
        raise Untrue("lines that are no numbers")
    return InLines(path, first, lines)


def _problem(said: Any) -> Problem:
    where, kind = field_of(dict, said, "where"), TableRows if field_of(bool, said, "table") else Where
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
