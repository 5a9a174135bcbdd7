"""Parquet files and folders: requested columns only, hive partitions, page checksums, counts of
repeated scores.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from baserate.errors import Note, escaped, quoted, refuse_file
from baserate.read.duckdb import check_types, literally, locked, reason, refused, types_of
from baserate.read.engine import IN_FOLDERS, TypedCases, of_one_table, sql_text
from baserate.read.streams import Plain, unchanged
from baserate.read.table import (
    ColumnRoles,
    FileRows,
    RowPlaces,
    Table,
    check_columns,
    identifier,
)
from baserate.read.text import TextOptions

# ----------------------------------------------------------------------
# A folder of Parquet files: which files are its data, and the columns that the names of its folders
# spell (hive partitions).


ENDINGS = (".parquet", ".parq", ".pq")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def data_files(folder: str) -> list[str]:
    """The Parquet files of a folder and its folders, in the order of their names. Names that begin
    with "_" or "." are bookkeeping.
    """
    found = []
    for place, folders, names in os.walk(folder):
        if "_temporary" in folders:
            text = "is still being written: it holds a folder _temporary"
            raise refuse_file(folder, "BR704", text, "wait for the job, or delete what it left")
        folders[:] = sorted(name for name in folders if not name.startswith(("_", ".")))
        found += [
            os.path.join(place, name)
            for name in sorted(names)
            if name.endswith(ENDINGS) and not name.startswith(("_", "."))
        ]
    root = Path(folder).resolve()
    for path in found:
        if not Path(path).resolve().is_relative_to(root):
            raise refuse_file(
                path,
                "BR615",
                "is a link to a file outside of its folder",
                "copy the file there, or name it by itself",
            )
    if not found:
        raise refuse_file(
            folder,
            "BR602",
            f"holds no file that ends in {', '.join(ENDINGS)}",
            "give a folder with Parquet files",
        )
    return found


def partitions(paths: Sequence[str], names: Sequence[str]) -> dict[str, list[str | None]]:
    """Of these columns, those that the folders of all files spell: the value of each file."""
    found = [spelled(path) for path in paths]
    return {
        name: [values[name] for values in found]
        for name in names
        if all(name in values for values in found)
    }


def spelled(path: str) -> dict[str, str | None]:
    """The columns that the folders of a file name, such as `site=a`, and their values."""
    pairs = [part.split("=", 1) for part in Path(path).parent.parts if "=" in part]
    return {
        unquote(key): None if value == NO_VALUE else unquote(value) for key, value in pairs if key
    }


# ----------------------------------------------------------------------
# Parquet files: the wanted columns alone, streamed by DuckDB, with every row of every file
# accounted for.


WHOLE, ENCRYPTED = b"PAR1", b"PARE"
COPY = "get a whole copy of the file, or write it again"
SCHEMA = "SELECT name, num_children FROM parquet_schema(?)"


@contextmanager
def open_parquet(
    plains: Sequence[Plain],
    wanted: ColumnRoles,
    _: TextOptions,
    memory: int | None = None,
) -> Iterator[ParquetCases]:
    """Give the cases of Parquet files that are one table."""
    with open_parts([(plain, [plain.path]) for plain in plains], wanted, memory) as cases:
        yield cases


@contextmanager
def open_folder(
    folder: str, wanted: ColumnRoles, memory: int | None = None
) -> Iterator[ParquetCases]:
    """Give the cases of a folder of Parquet files."""
    files = data_files(folder)
    with (
        unchanged(files) as sha256,
        open_parts([(Plain(folder, folder, "Parquet", sha256), files)], wanted, memory) as cases,
    ):
        yield cases


@contextmanager
def open_parts(
    parts: Sequence[tuple[Plain, list[str]]], wanted: ColumnRoles, memory: int | None
) -> Iterator[ParquetCases]:
    """Give the cases of inputs, each with the files that it consists of."""
    files = [file for _, part in parts for file in part]
    for file in files:
        _check_frame(file)
    absolute = [os.path.abspath(file) for file in files]  # noqa: PTH100
    shown = parts[0][0].shown
    with locked(absolute, memory=memory) as connection, refused(shown, "BR703", COPY):
        cases = ParquetCases(connection, wanted, memory=memory)
        for plain, part in parts:
            with of_one_table(cases.first_path):
                cases.add_files(plain, part)
        cases.make_view()
        yield cases


class ParquetCases(TypedCases):
    """Cases of Parquet files, of which nothing is copied."""

    place = "file_row_number"

    def add_files(self, plain: Plain, files: Sequence[str]) -> None:
        """Add files of one input: a view for each."""
        shown = [plain.shown if file == plain.path else file for file in files]
        types = _agreed_types(self.connection, files, self.wanted)
        rows = [_row_count(self.connection, file) for file in files]
        if not sum(rows):
            text = "has columns but no rows"
            raise refuse_file(plain.shown, "BR602", text, "give a file with cases")
        of_folders = partitions(files, [name for name in self.wanted.columns if name not in types])
        for number, file in enumerate(files):
            _check_pages(self.connection, file, list(types))
            columns = {name: identifier(name) for name in types}
            columns |= {name: text_or_null(values[number]) for name, values in of_folders.items()}
            every = types | dict.fromkeys(of_folders, IN_FOLDERS)
            chosen = self.select(columns, every)
            name, rest = f"slice{len(self.slices)}", f"file_row_number FROM {scan_of(file)}"
            self.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {chosen}, {rest}")
            self.slices.append((name, rows[number]))
        said = "is taken from the names of the folders (hive partitions)"
        notes = tuple(Note("BR704", f"{quoted(name)} {said}") for name in of_folders)
        place = RowPlaces(tuple(map(FileRows, shown, rows)))
        part = Table(plain.shown, sum(rows), place, sha256=plain.sha256)
        self.parts.append(replace(part, notes=(*plain.notes, *notes)))


def text_or_null(value: str | None) -> str:
    """Return a text, or none, as SQL takes it."""
    return "NULL" if value is None else sql_text(value)


def _check_frame(path: str) -> None:
    """The marks at both ends; DuckDB looks at the last one only."""
    with open(path, "rb") as file:
        first = file.read(4)
        file.seek(max(os.fstat(file.fileno()).st_size - 4, 0))
        last = file.read(4)
    if ENCRYPTED in (first, last):
        raise refuse_file(path, "BR703", "is encrypted", "decrypt it first")
    if first != WHOLE:
        raise refuse_file(
            path, "BR703", "does not begin with PAR1: it is not Parquet, or damaged", COPY
        )
    if last != WHOLE:
        raise refuse_file(path, "BR703", "does not end with PAR1 (cut off?)", COPY)


def scan_of(file: str) -> str:
    """Return what stands after FROM for a file; what its folders spell is not for DuckDB to
    read.
    """
    path = sql_text(literally(os.path.abspath(file)))  # noqa: PTH100
    return f"read_parquet({path}, hive_partitioning = false)"


def _agreed_types(connection: Any, files: Sequence[str], wanted: ColumnRoles) -> dict[str, str]:
    """The types of the requested columns that the files hold, the same in each of them."""
    first, *others = files
    agreed = _types(connection, first, wanted, _have(connection, first))
    for file in others:
        have = _have(connection, file)
        lacking = next((name for name in wanted.columns if name not in have), None)
        if lacking is not None:
            text = f"has no column {quoted(lacking)}, which {escaped(first)} has"
            raise refuse_file(file, "BR704", text, "give files of one table")
        types = _types(connection, file, wanted, have)
        differing = next(
            (name for name in wanted.columns if agreed.get(name) != types.get(name)), None
        )
        if differing is not None:
            here, there = (
                found.get(differing, "the name of a folder") for found in (types, agreed)
            )
            text = f"{quoted(differing)} is {here} here and {there} in {escaped(first)}"
            raise refuse_file(file, "BR704", text, "write the files with one schema")
    return agreed


def _have(connection: Any, file: str) -> list[str]:
    """The columns of a file, and behind them those that its folders spell."""
    with refused(file, "BR703", COPY):
        names = _names(connection, file)
    return [*names, *(key for key in spelled(file) if key not in names)]


def _types(connection: Any, file: str, wanted: ColumnRoles, have: Sequence[str]) -> dict[str, str]:
    check_columns(file, have, wanted.columns, folds=True)
    with refused(file, "BR703", COPY):
        types = {
            name: of_type
            for name, of_type in types_of(connection, scan_of(file)).items()
            if name in wanted.columns
        }
    check_types(file, types, wanted)
    return types


def _names(connection: Any, file: str) -> list[str]:
    """The names of the columns as the file has them; DuckDB renames the second of two that differ
    by case.
    """
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
        rows = connection.execute(
            "SELECT num_rows FROM parquet_file_metadata(?)",
            [literally(os.path.abspath(file))],  # noqa: PTH100
        ).fetchall()
    return int(rows[0][0])


# Where the pages of some columns begin. The header of a page begins with three whole numbers, in
# Thrift's compact protocol, and has a fourth where the page has a checksum.
FIRST_PAGE = """
SELECT min(least(coalesce(nullif(dictionary_page_offset, 0), data_page_offset), data_page_offset))
FROM parquet_metadata(?) WHERE list_contains(CAST(? AS VARCHAR[]), path_in_schema)
"""
WITH_CHECKSUM = re.compile(rb"(?:\x15[\x80-\xff]{0,4}[\x00-\x7f]){4}")


def _check_pages(connection: Any, file: str, columns: list[str]) -> None:
    """Compare pages with their checksums, where the file has them and pyarrow is installed: DuckDB
    does not look at them.
    """
    with refused(file, "BR703", COPY):
        pattern = literally(os.path.abspath(file))  # noqa: PTH100
        (begin,) = connection.execute(FIRST_PAGE, [pattern, columns]).fetchone()
    with open(file, "rb") as pages:
        pages.seek(max(begin or 0, 0))
        if not WITH_CHECKSUM.match(pages.read(24)):
            return
    try:
        from pyarrow import parquet
    except ImportError:
        return
    try:
        with parquet.ParquetFile(file, page_checksum_verification=True) as read:
            for group in range(read.num_row_groups):
                read.read_row_group(group, columns=columns)
    except Exception as error:  # noqa: BLE001 (whether the file can be read is for DuckDB to say)
        if "CRC" in str(error):
            raise refuse_file(
                file, "BR703", f"a page differs from its checksum ({reason(error)})", COPY
            ) from None
