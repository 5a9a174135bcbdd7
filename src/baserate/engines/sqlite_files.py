"""A table, a view or a query of a SQLite file, through Python's own sqlite3: read-only, and SQLite itself refuses what does more."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from baserate.engines.gathered import PIECE, gather
from baserate.engines.identifiers import TableName, check_columns, find_table, identifier
from baserate.engines.quotas import patience_s, too_long
from baserate.engines.table_rows import in_table
from baserate.engines.wanted import Table, Wanted
from baserate.engines.whole_files import unchanged, with_log
from baserate.errors import InputError, escaped, quoted, refuse_file

MAGIC = b"SQLite format 3\0"
WAL_MODE = 2
WAIT_S = 1.0
STEPS = 100_000  # of SQLite, after which the clock is looked at
MOST_SQL = 1 << 20
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
REACHING = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})  # functions that leave the file
TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
READ = "give a table or view of this file, or one SELECT that reads them"


def read_sqlite(path: str, table_or_query: str, wanted: Wanted) -> Table:
    """The wanted columns of a table or query. SQLite allows any type in any row: a column that mixes them is refused."""
    with unchanged(with_log(path, "-wal")) as sha256, _refused(path), closing(_opened(path)) as connection:
        columns = _columns(connection, path, table_or_query, wanted)
    rows = len(columns[wanted.label])
    if not rows:
        raise refuse_file(path, "BR603", "has no rows in what was asked for", "give a table with cases")
    return Table(path, columns, rows, sha256=sha256, place=in_table(path))


def _opened(path: str) -> sqlite3.Connection:
    """Read-only. Without a log beside it, a database in WAL mode is read as it lies: SQLite would otherwise write files next to it."""
    with open(path, "rb") as file:
        header, size = file.read(20), os.fstat(file.fileno()).st_size
    if not header.startswith(MAGIC):
        raise refuse_file(path, "BR706", "is not a SQLite database", "check the file's name and format")
    # SQLite reads the missing end of a page as zeros, and its own integrity check finds nothing wrong with them.
    page = {0: 1, 1: 65536}.get(of := int.from_bytes(header[16:18], "big"), of)
    if size % page:
        raise refuse_file(path, "BR706", "is damaged: its last page is cut off", "get a whole copy of the file")
    as_it_lies = header[18:20] == bytes([WAL_MODE, WAL_MODE]) and not os.path.exists(path + "-wal")  # noqa: PTH110
    address = f"{Path(path).absolute().as_uri()}?mode=ro{'&immutable=1' if as_it_lies else ''}"
    connection = sqlite3.connect(address, uri=True, timeout=WAIT_S, isolation_level=None)
    # What a schema from elsewhere may call on its own, sizes that only an attack has, and damage that is better seen than read over.
    for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MOST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.execute("BEGIN")  # the schema and the rows are of one moment
    connection.set_authorizer(_allowed)
    _end_after(connection, patience_s(path))
    return connection


def _end_after(connection: sqlite3.Connection, patience_s: float) -> None:
    end = time.monotonic() + patience_s
    connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)


def _allowed(action: int, _: str | None, second: str | None, *__: Any) -> int:
    """SQLite asks for every step that a statement would take, also inside of views."""
    harmless = action in READS or (action == sqlite3.SQLITE_FUNCTION and second not in REACHING)
    return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY


def _columns(connection: sqlite3.Connection, path: str, asked: str, wanted: Wanted) -> dict[str, Any]:
    tables = [TableName("", name) for (name,) in connection.execute(TABLES)]
    table = find_table(path, tables, asked)
    source = table.sql if table else f"(\n{_one_query(connection, path, asked)}\n)"
    names = [column[0] for column in connection.execute(f"SELECT * FROM {source} LIMIT 0").description]  # noqa: S608
    check_columns(path, names, wanted.columns, folds=True)
    chosen = ", ".join(map(identifier, wanted.columns))
    try:
        return gather(path, _pieces(connection.execute(f"SELECT {chosen} FROM {source}")), wanted)  # noqa: S608
    except InputError as error:
        raise error.moved(in_table(path)) from None


def _pieces(cursor: sqlite3.Cursor) -> Iterator[Sequence[Any]]:
    while rows := cursor.fetchmany(PIECE):
        yield rows


def _one_query(connection: sqlite3.Connection, path: str, query: str) -> str:
    """The query, if SQLite can prepare it by itself as one statement; the authorizer has a say in what it reads."""
    bare = query.rstrip().rstrip(";")
    try:
        connection.execute(f"EXPLAIN {bare}").close()
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise refuse_file(path, "BR718", f"the query cannot be run: {escaped(str(error))}", READ) from None
    return bare


@contextmanager
def _refused(path: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise _problem(path, error) from None


def _problem(path: str, error: Exception) -> InputError:
    text = str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return too_long(path)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return refuse_file(path, "BR706", "is locked by another program", "close it there, or read a copy")
    if code == sqlite3.SQLITE_NOTADB:
        return refuse_file(path, "BR706", "is encrypted, damaged, or of a newer SQLite", "open it with the program that wrote it, and export")
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR}:
        return refuse_file(path, "BR706", f"is damaged: {escaped(text)}", "recover it with sqlite3's .recover, or get a whole copy")
    if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
        text = "cannot be read as it lies: a program has not finished writing to it"
        return refuse_file(path, "BR706", text, "open and close it with the program that wrote it, or copy it with its -wal or -journal file")
    if "decode" in text:
        return refuse_file(path, "BR601", quoted(text, quotes=False), "store the text as UTF-8")
    return refuse_file(path, "BR718", f"cannot be read: {quoted(text, quotes=False)}", READ)
