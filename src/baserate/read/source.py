"""One way in: whatever a user names as a source becomes one table of cases, by the reader that
knows it.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from typing import Any, NamedTuple

from baserate.atomic import user_limit
from baserate.errors import Fix, InputError, escaped, quoted, refuse, refuse_file
from baserate.read import json_lines, streams
from baserate.read.duckdb import ROOMY
from baserate.read.engine import CaseTable, open_arrays, open_texts
from baserate.read.parquet import open_folder, open_parquet
from baserate.read.streams import Limits, Plain
from baserate.read.table import WORDS, Ceiling, ColumnRoles, RowPlaces, Table
from baserate.read.text import TextOptions
from baserate.read.treatments import Treatment

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# The first :: that is no part of an address such as [::1]; what follows is a table or a query,
# which may hold more of them.
PARTS = re.compile(r"((?:\[[^\]]*\]|[^\[\]])*?)::(.*)", re.DOTALL)
REMOTE = frozenset(
    {
        "http",
        "https",
        "ftp",
        "sftp",
        "s3",
        "s3a",
        "gs",
        "gcs",
        "az",
        "abfs",
        "abfss",
        "hdfs",
        "hf",
        "r2",
        "ssh",
    }
)
WILD = re.compile(r"[*?\[]")
DATA = (".csv", ".tsv", ".txt", ".parquet", ".parq", ".pq", ".jsonl", ".ndjson")
PARQUET = (".parquet", ".parq", ".pq")
SEVERAL = ("columns", "negative")
# What is parsed by a library whose bytes nobody has checked.
NATIVE = frozenset({"Parquet", "Arrow", "npz", "SQLite", "DuckDB", *streams.COMPRESSED})


class Options(NamedTuple):
    """Options for reading, apart from which column is what."""

    asked: TextOptions = TextOptions()
    limits: Limits = Limits()
    treatment: Treatment = Treatment()
    ceiling: Ceiling = Ceiling()
    spooled: str | None = None  # the file that standard input was put into
    unconfined: bool = False  # no process of its own can be started

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """From keywords; one that no reader has is an error of the programmer's."""
        text, odd = ({field.name for field in fields(kind)} for kind in (TextOptions, Treatment))
        known = text | odd | {"max_bytes", *WORDS}
        unknown = sorted(given.keys() - known)
        if unknown:
            raise TypeError(f"unknown option {unknown[0]!r}; there are {', '.join(sorted(known))}")
        said: dict[str, Any] = {
            name: tuple(value) if name in SEVERAL else value for name, value in given.items()
        }
        most = given.get("max_bytes")
        if most is not None and (not isinstance(most, int) or most < 1):
            raise refuse(
                "BR612",
                f"a limit is a number of bytes, got {quoted(most)}",
                Fix.option("max_bytes", Limits.most),
            )
        asked = TextOptions(**{name: said[name] for name in said.keys() & text}).checked()
        treatment = Treatment(**{name: said[name] for name in said.keys() & odd}).checked()
        # Whoever names a limit means it: then there is none on the ratio.
        return cls(
            asked,
            Limits() if most is None else Limits(most, free=most),
            treatment,
            Ceiling.of(given),
        )


def said_of(options: Options) -> dict[str, Any]:
    """The options given, by name."""
    parts: tuple[Any, ...] = (options.asked, options.treatment)
    return {
        field.name: getattr(part, field.name)
        for part in parts
        for field in fields(part)
        if getattr(part, field.name) != field.default
    }


def is_confined(source: str, options: Options) -> bool:
    """Whether a source is read in a process of its own: what lies in files and is no plain text.
    Servers were chosen by the user.
    """
    if SCHEME.match(source):
        return False
    if source in streams.STDIN:
        return _may_hurt(options.spooled or "")
    if os.path.isdir(source):  # noqa: PTH112
        data = data_files_of(source)
        return not data or any(map(_may_hurt, data))
    if os.path.lexists(source):
        return _may_hurt(source)
    split = PARTS.fullmatch(source)
    if split:
        return os.path.isfile(split[1])  # noqa: PTH113
    return any(map(_may_hurt, glob.iglob(source, recursive=True)))  # noqa: PTH207


def _may_hurt(path: str) -> bool:
    """Whether a file is read by a library that may crash. What cannot be read at all is refused
    here.
    """
    if not os.path.isfile(path):  # noqa: PTH113
        return False
    with open(path, "rb") as file:
        return streams.file_kind(file.read(streams.HEAD), path) in NATIVE or is_narrow()


def is_narrow() -> bool:
    """Whether the memory of a process is so limited that DuckDB may crash where it finds no
    room.
    """
    return (user_limit() or ROOMY) < ROOMY


def files_of(source: str) -> list[str]:
    """The files that a source lies in, so that none of them is written over."""
    if SCHEME.match(source):
        return []
    if not os.path.lexists(source):
        split = PARTS.fullmatch(source)
        return [split[1]] if split else glob.glob(source, recursive=True)  # noqa: PTH207
    if os.path.isdir(source):  # noqa: PTH112
        return [
            os.path.join(folder, name) for folder, _, names in os.walk(source) for name in names
        ]
    return [source]


def shown_source(source: str) -> str:
    """What a message may say of a source: of an address no password, and not the query."""
    if not SCHEME.match(source):
        return source
    split = PARTS.fullmatch(source)
    from baserate.read.databases import shown_anyhow

    return shown_anyhow(split[1] if split else source)


# ----------------------------------------------------------------------
# A source as one table.


Opener = Callable[
    [Sequence[Plain], ColumnRoles, TextOptions, int | None], AbstractContextManager[CaseTable]
]


def open_arrow(
    plains: Sequence[Plain], wanted: ColumnRoles, _: TextOptions, __: int | None
) -> AbstractContextManager[CaseTable]:
    """Return the cases of Arrow files."""
    from baserate.read.arrow import read_arrow

    return open_arrays(plains, lambda plain: read_arrow(plain.path, wanted), wanted)


def open_npz(
    plains: Sequence[Plain], wanted: ColumnRoles, _: TextOptions, __: int | None
) -> AbstractContextManager[CaseTable]:
    """Return the cases of files of NumPy arrays."""
    from baserate.read.npz import read_npz

    return open_arrays(plains, lambda plain: read_npz(plain.path, wanted), wanted)


OPENERS: dict[str, Opener] = {
    streams.TEXT: open_texts,
    "JSON": json_lines.open_json,
    "Parquet": open_parquet,
    "Arrow": open_arrow,
    "npz": open_npz,
}
# What is counted within a memory limit without being held.
IN_PIECES = frozenset({streams.TEXT, "JSON", "Parquet"})


@contextlib.contextmanager
def open_cases(
    sources: Sequence[str], wanted: ColumnRoles, options: Options
) -> Iterator[CaseTable]:
    """Give the cases of sources that are one table."""
    source = sources[0]
    if len(sources) == 1 and (SCHEME.match(source) or _is_database(source)):
        with _open_database(source, wanted, options) as cases:
            yield cases
        return
    if len(sources) == 1 and os.path.isdir(source) and is_parquet_folder(source):  # noqa: PTH112
        check_unused(source, "Parquet", options)
        with open_folder(source, wanted, options.ceiling.memory) as cases:
            yield cases
        return
    with contextlib.ExitStack() as stack:
        plains = [
            stack.enter_context(streams.opened(path, options.limits, options.spooled))
            for each in sources
            for path in paths_of(each)
        ]
        opener = _opener_of(plains, options)
        with _as_shown(plains):
            asked = options.asked.checked()
            yield stack.enter_context(opener(plains, wanted, asked, options.ceiling.memory))


def _opener_of(plains: Sequence[Plain], options: Options) -> Opener:
    """Return what opens these files, all of which are of one kind."""
    first = plains[0]
    for plain in plains:
        if plain.kind not in OPENERS:
            raise _not_cases(plain)
        if plain.kind != first.kind:
            text = f"is {plain.kind}, and {escaped(first.shown)} is {first.kind}"
            raise refuse_file(plain.shown, "BR704", text, "give files of one kind")
        if plain.kind not in (streams.TEXT, "JSON"):
            check_unused(plain.shown, plain.kind, options)
    return OPENERS[first.kind]


def _not_cases(plain: Plain) -> InputError:
    if plain.kind in ("SQLite", "DuckDB"):
        text = f"is a {plain.kind} database: which table?"
        fix = f"write {escaped(plain.shown)}::TABLE, or ::SELECT … for a query"
        return refuse_file(plain.shown, "BR717", text, fix)
    fix_counts = Fix("baserate.load(path)", "count the cases that it was made from")
    return refuse_file(plain.shown, "BR610", "holds counts, not cases", fix_counts)


@contextlib.contextmanager
def _as_shown(plains: Sequence[Plain]) -> Iterator[None]:
    """Name files in messages as the user does, and not by the places of temporary copies."""
    names = {plain.path: plain.shown for plain in plains}
    try:
        yield
    except InputError as error:
        raise error.moved(
            lambda where: replace(where, path=names.get(where.path or "", where.path))
        ) from None


def paths_of(source: str) -> list[str]:
    """Return the files that a source names: one, those of a folder, or those of a pattern."""
    if os.path.isdir(source):  # noqa: PTH112
        found = data_files_of(source)
        if not found:
            text = "is not a regular file, but a folder without data files"
            raise refuse_file(source, "BR615", text, "give a file, or a folder of CSV or Parquet")
        return found
    if source in streams.STDIN or os.path.lexists(source) or not WILD.search(source):
        return [source]
    found = sorted(glob.glob(source, recursive=True))  # noqa: PTH207
    if not found:
        fix = "check the pattern; quote it, so that the shell does not expand it"
        raise refuse_file(source, "BR600", "no file matches", fix)
    return found


def is_read_in_pieces(source: str) -> bool:
    """Whether a source can be counted within a memory limit without being held."""
    if SCHEME.match(source) or _is_database(source):
        return False
    if source in streams.STDIN or (os.path.isdir(source) and is_parquet_folder(source)):  # noqa: PTH112
        return True
    kinds = set[str]()
    for path in paths_of(source):
        if os.path.isfile(path):  # noqa: PTH113
            with open(path, "rb") as file:
                kinds.add(streams.file_kind(file.read(streams.HEAD), path))
    return kinds <= {*IN_PIECES, *streams.COMPRESSED}


def _is_database(source: str) -> bool:
    is_file = source in streams.STDIN or os.path.lexists(source)
    return not is_file and PARTS.fullmatch(source) is not None


def _open_database(
    source: str, wanted: ColumnRoles, options: Options
) -> AbstractContextManager[CaseTable]:
    from baserate.read.databases import check_url, open_alchemy, open_duckdb, open_sqlite

    split, shown = PARTS.fullmatch(source), shown_source(source)
    if SCHEME.match(source):
        scheme = source.partition("://")[0].casefold()
        if scheme in REMOTE:
            raise refuse_file(shown, "BR708", "remote files are not read", "download it first")
        if scheme == "file":
            text = "is the address of a local file"
            raise refuse_file(shown, "BR708", text, "write its path instead")
        check_url(split[1] if split else source)
        check_unused(shown, "a database", options)
        if not split:
            fix = f"write {shown}::TABLE, or ::SELECT … for a query"
            raise refuse_file(shown, "BR717", "which table?", fix)
        return open_alchemy(split[1], split[2], wanted)
    assert split is not None
    path, asked = split[1], split[2]
    streams.checked_regular(path)
    with open(path, "rb") as file:
        kind = streams.file_kind(file.read(streams.HEAD), path)
    if kind not in ("SQLite", "DuckDB"):
        text = f"is not a database with tables (it is {kind})"
        raise refuse_file(path, "BR717", text, "leave out :: and what follows it")
    check_unused(path, "a database", options)
    open_file = open_sqlite if kind == "SQLite" else open_duckdb
    return open_file(path, asked, wanted)


def is_parquet_folder(folder: str) -> bool:
    """Whether a folder holds Parquet files, perhaps in folders within whose names are columns."""
    data = data_files_of(folder)
    if data:
        return all(path.casefold().endswith(PARQUET) for path in data)
    with os.scandir(folder) as entries:
        return any(entry.is_dir() for entry in entries)


def data_files_of(folder: str) -> list[str]:
    """The files that lie in a folder and are named like data."""
    with os.scandir(folder) as entries:
        files = sorted(
            entry.path
            for entry in entries
            if entry.is_file() and not entry.name.startswith((".", "_"))
        )
    return [
        path
        for path in files
        if path.casefold().endswith(DATA) or streams.name_of(path).ending in DATA
    ]


def check_unused(shown: str, kind: str, options: Options) -> None:
    """No option is ignored silently."""
    unused = options.asked.given
    if unused:
        raise refuse_file(
            shown,
            "BR612",
            f"{unused[0].replace('_', ' ')} applies to a text file, and this is {kind}",
            f"leave {unused[0]} out",
        )


def together(source: str, tables: Sequence[Table]) -> Table:
    """Return what there is to say of several tables as one."""
    if len(tables) == 1:
        return tables[0]
    rows, refused = sum(table.rows for table in tables), sum(table.refused for table in tables)
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    files = tuple(file for table in tables for file in table.place.files)
    return Table(source, rows, RowPlaces(files), refused, notes=notes)
