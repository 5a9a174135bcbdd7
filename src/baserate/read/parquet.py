"""Parquet files and folders: requested columns only, hive partitions, page checksums, counts of
repeated scores.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import Note, escaped, number_of, quoted, refuse_file
from baserate.read.columns import objects
from baserate.read.duckdb import (
    FEWER,
    From,
    check_types,
    engine,
    fetched,
    literally,
    locked,
    pair_of,
    reason,
    refused,
    repeated_in,
    types_of,
)
from baserate.read.engine import IN_FOLDERS, TypedCases, of_one_table, sql_text
from baserate.read.streams import unchanged
from baserate.read.table import (
    ColumnRoles,
    Table,
    check_columns,
    identifier,
    in_tables,
)

# ----------------------------------------------------------------------
# Whether a Parquet file's scores repeat themselves, told by its footer, and their counts by DuckDB
# if they do.


# Bytes of each value where it is written out: once for a row, or once for a dictionary.
WIDTHS = {"FLOAT": 4, "DOUBLE": 8, "INTEGER": 4, "BIGINT": 8}
LABELS = frozenset(
    {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
)
SAMPLE = 1 << 11  # rows by which it is guessed which labels there are
SIZES = """
SELECT sum(total_uncompressed_size), bool_or(encodings LIKE '%DELTA%') FROM parquet_metadata(?) WHERE path_in_schema = ?
"""  # noqa: E501


def counted(
    connection: Any,
    files: Sequence[str],
    source: From,
    rows: int,
    types: Mapping[str, str],
    wanted: ColumnRoles,
) -> dict[str, Any] | None:
    """The requested columns in no particular order, if DuckDB counts them faster than it hands them
    over; None where it does not.
    """
    pair = pair_of(wanted)
    if pair is None or not is_repeated(connection, files, rows, types, pair):
        return None
    label, score = map(identifier, pair)
    try:
        if not _count_two(connection, source, label, score, types[pair[0]]):
            _count_any(connection, source, label, score)
    except engine().OutOfMemoryException:  # as many pairs as that are better streamed
        return None
    columns = repeated_in(connection, "pairs")
    return None if columns is None else dict(zip(pair, columns, strict=True))


def is_repeated(
    connection: Any,
    files: Sequence[str],
    rows: int,
    types: Mapping[str, str],
    pair: tuple[str, str],
) -> bool:
    """Whether this label and this score can be counted, and the scores repeat themselves."""
    label, score = types.get(pair[0]), types.get(pair[1], "")
    if label not in LABELS or score not in WIDTHS:
        return False
    return _repeats(connection, files, rows, pair[1], WIDTHS[score])


def _count_any(connection: Any, source: From, label: str, score: str) -> None:
    """Makes a table of all pairs (a, b) of a label and a score, and how often each occurs (c)."""
    counting = f"SELECT {label} AS a, {score} AS b, count(*) AS c FROM {source.sql}"  # noqa: S608
    connection.execute(
        f"CREATE TEMP TABLE pairs AS {counting} GROUP BY {label}, {score}", list(source.parameters)
    )


def _count_two(connection: Any, source: From, label: str, score: str, kind: str) -> bool:
    """The same where there are no labels but two, in three quarters of the time: DuckDB need not
    look every score of a dictionary up. False where there are others.
    """
    sample = f"SELECT DISTINCT {label} FROM (SELECT {label} FROM {source.sql} LIMIT {SAMPLE})"  # noqa: S608
    found = {value for (value,) in connection.execute(sample, list(source.parameters)).fetchall()}
    labels = [0, 1] if found <= {0, 1} else list(found)
    if len(labels) != 2 or None in labels:
        return False
    first, second = (f"{label} = CAST(? AS {kind})" for _ in labels)
    connection.execute(
        f"CREATE TEMP TABLE scores AS SELECT {score} AS b, count(*) AS c, count(*) FILTER (WHERE"  # noqa: S608
        f" {first}) AS d, count(*) FILTER (WHERE {second}) AS e FROM {source.sql} GROUP BY {score}",
        [*labels, *source.parameters],
    )
    if connection.execute("SELECT count(*) FROM scores WHERE c <> d + e").fetchone()[0]:
        return False
    parts = [f"SELECT CAST(? AS {kind}) AS a, b, {of} AS c FROM scores" for of in "de"]  # noqa: S608
    pairs = f"SELECT * FROM ({' UNION ALL '.join(parts)}) WHERE c > 0"  # noqa: S608
    connection.execute(f"CREATE TEMP TABLE pairs AS {pairs}", labels)
    return True


def _repeats(connection: Any, files: Sequence[str], rows: int, score: str, width: int) -> bool:
    """Each distinct score takes its width at least once in a file, so that the size bounds their
    number; deltas take less, and tell nothing.
    """
    total = 0
    for file in files:
        size, deltas = connection.execute(
            SIZES,
            [literally(os.path.abspath(file)), score],  # noqa: PTH100
        ).fetchone()
        if deltas or size is None:
            return False
        total += size
    return FEWER * total <= width * rows


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


class Opened(NamedTuple):
    """Files of one table, looked at and found whole: what a message calls them, their rows, and the
    types of the requested columns in them.
    """

    connection: Any
    shown: str
    files: list[str]
    rows: list[int]
    types: dict[str, str]
    sha256: str


@contextmanager
def open_parquet(
    sources: Sequence[str], wanted: ColumnRoles, memory: int | None = None
) -> Iterator[ParquetCases]:
    """Give the cases of Parquet files, and folders of them, that are one table."""
    parts = [_files(source) for source in sources]
    files = [file for _, part in parts for file in part]
    with contextlib.ExitStack() as stack:
        digests = [stack.enter_context(unchanged(part)) for _, part in parts]
        for file in files:
            _check_frame(file)
        absolute = [os.path.abspath(file) for file in files]  # noqa: PTH100
        connection = stack.enter_context(locked(absolute, memory=memory))
        cases = ParquetCases(connection, wanted, memory=memory)
        for (shown, part), sha256 in zip(parts, digests, strict=True):
            with of_one_table(cases), refused(shown, "BR703", COPY):
                cases.add_files(shown, part, sha256)
        with refused(files[0], "BR703", COPY):
            cases.make_view()
            yield cases


class ParquetCases(TypedCases):
    """Cases of Parquet files, of which nothing is copied."""

    place = "file_row_number"

    def add_files(self, shown: str, files: Sequence[str], sha256: str) -> None:
        """Add files of one source: a view for each."""
        types = _agreed_types(self.connection, files, self.wanted)
        rows = [_row_count(self.connection, file) for file in files]
        if not sum(rows):
            raise refuse_file(shown, "BR602", "has columns but no rows", "give a file with cases")
        of_folders = partitions(files, [name for name in self.wanted.columns if name not in types])
        for number, file in enumerate(files):
            _check_pages(self.connection, file, list(types))
            columns = {name: identifier(name) for name in types}
            columns |= {name: text_or_null(values[number]) for name, values in of_folders.items()}
            every = types | dict.fromkeys(of_folders, IN_FOLDERS)
            chosen = self.select(columns, every)
            path = sql_text(literally(os.path.abspath(file)))  # noqa: PTH100
            name = f"slice{len(self.slices)}"
            self.connection.execute(
                f"CREATE TEMP VIEW {name} AS SELECT {chosen}, file_row_number"  # noqa: S608
                f" FROM read_parquet({path}, hive_partitioning = false, file_row_number = true)"
            )
            self.slices.append((name, rows[number]))
        said = "is taken from the names of the folders (hive partitions)"
        notes = tuple(Note("BR704", f"{quoted(name)} {said}") for name in of_folders)
        place = in_tables(files, rows)
        self.parts.append(Table(shown, {}, sum(rows), sha256=sha256, place=place, notes=notes))


def text_or_null(value: str | None) -> str:
    """Return a text, or none, as SQL takes it."""
    return "NULL" if value is None else sql_text(value)


@contextmanager
def opened(
    paths: str | Sequence[str],
    wanted: ColumnRoles,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Opened]:
    """A Parquet file, several, or a folder of them, from the first check to the last: they do not
    change meanwhile.
    """
    shown, files = _files(paths)
    with unchanged(files) as sha256:
        for file in files:
            _check_frame(file)
        with locked([os.path.abspath(file) for file in files], settings=settings) as connection:  # noqa: PTH100
            types = _agreed_types(connection, files, wanted)
            rows = [_row_count(connection, file) for file in files]
            if not sum(rows):
                raise refuse_file(
                    shown, "BR602", "has columns but no rows", "give a file with cases"
                )
            for file in files:
                _check_pages(connection, file, list(types))
            yield Opened(connection, shown, files, rows, types, sha256)


def read_parquet(paths: str | Sequence[str], wanted: ColumnRoles) -> Table:
    """The requested columns of a Parquet file, of several, or of a folder of them."""
    with opened(paths, wanted) as found:
        columns, notes = _columns(found.connection, found.files, found.rows, found.types, wanted)
    rows, place = sum(found.rows), in_tables(found.files, found.rows)
    _check_rows(found.shown, columns, rows)
    return Table(found.shown, columns, rows, sha256=found.sha256, place=place, notes=notes)


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
        raise refuse_file(
            path, "BR703", "does not begin with PAR1: it is not Parquet, or damaged", COPY
        )
    if last != WHOLE:
        raise refuse_file(path, "BR703", "does not end with PAR1 (cut off?)", COPY)


def source_of(*files: str) -> From:
    """The files, in this order; what their folders spell is not for DuckDB to read."""
    absolute = [literally(os.path.abspath(file)) for file in files]  # noqa: PTH100
    return From("read_parquet(?, hive_partitioning = false)", (absolute,), steady=True)


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
            for name, of_type in types_of(connection, source_of(file)).items()
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


def _columns(
    connection: Any,
    files: Sequence[str],
    rows: Sequence[int],
    types: Mapping[str, str],
    wanted: ColumnRoles,
) -> tuple[dict[str, Any], tuple[Note, ...]]:
    stored = tuple(name for name in wanted.columns if name in types)
    with refused(files[0] if len(files) == 1 else os.path.commonpath(files), "BR703", COPY):
        columns = counted(connection, files, source_of(*files), sum(rows), types, wanted)
        if columns is None:
            columns = (
                fetched(connection, source_of(*files), types, stored, wanted.only_day)
                if stored
                else {}
            )
    notes = []
    for name, values in partitions(
        files, [name for name in wanted.columns if name not in types]
    ).items():
        columns[name] = _spread(values, rows, is_label=name == wanted.label)
        notes.append(
            Note(
                "BR704", f"{quoted(name)} is taken from the names of the folders (hive partitions)"
            )
        )
    return {name: columns[name] for name in wanted.columns}, tuple(notes)


def _spread(values: Sequence[str | None], rows: Sequence[int], *, is_label: bool) -> Array:
    """The value of each file's folder for each of its rows. Folders have no types: labels 0 and 1
    are numbers, as in a text file.
    """
    plain = is_label and set(values) <= {"0", "1"}
    return np.repeat(np.array(values, dtype=np.int64) if plain else objects(values), rows)


def _check_rows(path: str, columns: Mapping[str, Any], rows: int) -> None:
    """Every row that the footer promises, and no other."""
    for name, values in columns.items():
        if len(values) != rows:
            text = (
                f"{quoted(name)} has {number_of(len(values), 'value')}, but the footer promises"
                f" {number_of(rows, 'row')}"
            )
            raise refuse_file(path, "BR703", text, COPY)
