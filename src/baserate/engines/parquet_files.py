"""Parquet files: the wanted columns alone, streamed by DuckDB, with every row of every file accounted for.

DuckDB was chosen by measuring (see benchmarks/data_in_columnar.py), and needs no further library. A row is named by its number in its
file, from 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.engines.duckdb_columns import From, check_types, fetched, types_of
from baserate.engines.identifiers import check_columns
from baserate.engines.locked_duckdb import literally, locked, refused
from baserate.engines.parquet_counts import counted
from baserate.engines.parquet_folders import data_files, partitions, spelled
from baserate.engines.parquet_pages import damaged_pages
from baserate.engines.table_rows import in_tables
from baserate.engines.typed import objects
from baserate.engines.wanted import Table, Wanted
from baserate.engines.whole_files import unchanged
from baserate.errors import escaped, number_of, quoted, refuse_file
from baserate.notes import Note

WHOLE, ENCRYPTED = b"PAR1", b"PARE"
COPY = "get a whole copy of the file, or write it again"
SCHEMA = "SELECT name, num_children FROM parquet_schema(?)"


class Opened(NamedTuple):
    """Files of one table, looked at and found whole: what a message calls them, their rows, and the types of the wanted columns in them."""

    connection: Any
    shown: str
    files: list[str]
    rows: list[int]
    types: dict[str, str]
    sha256: str


@contextmanager
def opened(paths: str | Sequence[str], wanted: Wanted, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[Opened]:
    """A Parquet file, several, or a folder of them, from the first check to the last: they do not change meanwhile."""
    shown, files = _files(paths)
    with unchanged(files) as sha256:
        for file in files:
            _check_frame(file)
        with locked([os.path.abspath(file) for file in files], settings=settings) as connection:  # noqa: PTH100
            types = _agreed_types(connection, files, wanted)
            rows = [_row_count(connection, file) for file in files]
            if not sum(rows):
                raise refuse_file(shown, "BR603", "has columns but no rows", "give a file with cases")
            for file in files:
                _check_pages(connection, file, tuple(types))
            yield Opened(connection, shown, files, rows, types, sha256)


def read_parquet(paths: str | Sequence[str], wanted: Wanted) -> Table:
    """The wanted columns of a Parquet file, of several, or of a folder of them."""
    with opened(paths, wanted) as found:
        columns, notes = _columns(found.connection, found.files, found.rows, found.types, wanted)
    _check_rows(found.shown, columns, sum(found.rows))
    place = in_tables(found.files, found.rows)
    return Table(found.shown, columns, sum(found.rows), sha256=found.sha256, place=place, notes=notes)


def _files(paths: str | Sequence[str]) -> tuple[str, list[str]]:
    """What a message calls the whole, and the files it consists of."""
    if not isinstance(paths, str):
        files = list(paths)
        return files[0] if len(files) == 1 else os.path.commonpath(files), files
    return paths, data_files(paths) if os.path.isdir(paths) else [paths]  # noqa: PTH112


def _check_frame(path: str) -> None:
    """The marks at both ends; DuckDB looks at the last one only."""
    with open(path, "rb") as file:
        first = file.read(4)
        file.seek(max(os.fstat(file.fileno()).st_size - 4, 0))
        last = file.read(4)
    if ENCRYPTED in (first, last):
        raise refuse_file(path, "BR703", "is encrypted", "decrypt it first")
    if first != WHOLE:
        raise refuse_file(path, "BR703", "does not begin with PAR1: it is not Parquet, or damaged", COPY)
    if last != WHOLE:
        raise refuse_file(path, "BR703", "does not end with PAR1 (cut off?)", COPY)


def source_of(*files: str) -> From:
    """The files, in this order; what their folders spell is not for DuckDB to read."""
    absolute = [literally(os.path.abspath(file)) for file in files]  # noqa: PTH100
    return From("read_parquet(?, hive_partitioning = false)", (absolute,), steady=True)


def _agreed_types(connection: Any, files: Sequence[str], wanted: Wanted) -> dict[str, str]:
    """The types of the wanted columns that the files hold, the same in each of them."""
    first, *others = files
    agreed = _types(connection, first, wanted, _have(connection, first))
    for file in others:
        have = _have(connection, file)
        lacking = next((name for name in wanted.columns if name not in have), None)
        if lacking is not None:
            text = f"has no column {quoted(lacking)}, which {escaped(first)} has"
            raise refuse_file(file, "BR704", text, "give files of one table")
        types = _types(connection, file, wanted, have)
        differing = next((name for name in wanted.columns if agreed.get(name) != types.get(name)), None)
        if differing is not None:
            here, there = (found.get(differing, "the name of a folder") for found in (types, agreed))
            text = f"{quoted(differing)} is {here} here and {there} in {escaped(first)}"
            raise refuse_file(file, "BR704", text, "write the files with one schema")
    return agreed


def _have(connection: Any, file: str) -> list[str]:
    """The columns of a file, and behind them those that its folders spell."""
    with refused(file, "BR703", COPY):
        names = _names(connection, file)
    return [*names, *(key for key in spelled(file) if key not in names)]


def _types(connection: Any, file: str, wanted: Wanted, have: Sequence[str]) -> dict[str, str]:
    check_columns(file, have, wanted.columns, folds=True)
    with refused(file, "BR703", COPY):
        types = {name: of_type for name, of_type in types_of(connection, source_of(file)).items() if name in wanted.columns}
    check_types(file, types, wanted)
    return types


def _names(connection: Any, file: str) -> list[str]:
    """The names of the columns as the file has them; DuckDB renames the second of two that differ by case."""
    elements = connection.execute(SCHEMA, [literally(os.path.abspath(file))]).fetchall()  # noqa: PTH100
    names, place = [], 1
    while place < len(elements):
        names.append(elements[place][0])
        place = _after(elements, place)
    return names


def _after(elements: Sequence[tuple[str, int | None]], place: int) -> int:
    """The place behind an element and all that is nested in it."""
    open_children = 1
    while open_children and place < len(elements):
        open_children += (elements[place][1] or 0) - 1
        place += 1
    return place


def _row_count(connection: Any, file: str) -> int:
    with refused(file, "BR703", COPY):
        rows = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [literally(os.path.abspath(file))]).fetchall()  # noqa: PTH100
    return int(rows[0][0])


def _check_pages(connection: Any, file: str, columns: tuple[str, ...]) -> None:
    with refused(file, "BR703", COPY):
        damaged = damaged_pages(connection, literally(os.path.abspath(file)), file, columns)  # noqa: PTH100
    if damaged:
        what = number_of(damaged, "page differs from its checksum", "pages differ from their checksums")
        raise refuse_file(file, "BR703", f"{what}: the file is damaged", COPY)


def _columns(
    connection: Any, files: Sequence[str], rows: Sequence[int], types: Mapping[str, str], wanted: Wanted
) -> tuple[dict[str, Array], tuple[Note, ...]]:
    stored = tuple(name for name in wanted.columns if name in types)
    with refused(files[0] if len(files) == 1 else os.path.commonpath(files), "BR703", COPY):
        columns = counted(connection, files, source_of(*files), sum(rows), types, wanted)
        if columns is None:
            columns = fetched(connection, source_of(*files), types, stored) if stored else {}
    notes = []
    for name, values in partitions(files, [name for name in wanted.columns if name not in types]).items():
        columns[name] = _spread(values, rows, is_label=name == wanted.label)
        notes.append(Note("BR704", f"{quoted(name)} is taken from the names of the folders (hive partitions)"))
    return {name: columns[name] for name in wanted.columns}, tuple(notes)


def _spread(values: Sequence[str | None], rows: Sequence[int], *, is_label: bool) -> Array:
    """The value of each file's folder for each of its rows. Folders have no types: labels 0 and 1 are numbers, as in a text file."""
    plain = is_label and set(values) <= {"0", "1"}
    return np.repeat(np.array(values, dtype=np.int64) if plain else objects(values), rows)


def _check_rows(path: str, columns: Mapping[str, Array], rows: int) -> None:
    """Every row that the footer promises, and no other."""
    for name, values in columns.items():
        if len(values) != rows:
            text = f"{quoted(name)} has {number_of(len(values), 'value')}, but the footer promises {number_of(rows, 'row')}"
            raise refuse_file(path, "BR703", text, COPY)
