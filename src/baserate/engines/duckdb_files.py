"""A table, a view or a query of a DuckDB file: opened read-only, with nothing else in reach."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from baserate.engines.duckdb_columns import From, check_types, fetched, types_of
from baserate.engines.identifiers import TableName, check_columns, find_table
from baserate.engines.locked_duckdb import foreign_errors, in_time, locked, one_query, reason, refused
from baserate.engines.table_rows import in_table
from baserate.engines.wanted import Table, Wanted
from baserate.engines.whole_files import unchanged, with_log
from baserate.errors import InputError, refuse_file

TABLES = "SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY 1, 2"
READ = "give a table or view of this file, or one SELECT that reads them"


def read_duckdb(path: str, table_or_query: str, wanted: Wanted) -> Table:
    """The wanted columns of a table or query."""
    with unchanged(with_log(path, ".wal")) as sha256, _opened(path) as connection:
        source = _source(connection, path, table_or_query)
        with refused(path, "BR718", READ), in_time(connection, path):
            types = types_of(connection, source)
            check_columns(path, list(types), wanted.columns, folds=True)
            check_types(path, types, wanted)
            columns = fetched(connection, source, types, wanted.columns)
    rows = len(columns[wanted.label])
    if not rows:
        raise refuse_file(path, "BR603", "has no rows in what was asked for", "give a table with cases")
    return Table(path, columns, rows, sha256=sha256, place=in_table(path))


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """The locked connection; only what goes wrong at opening is a trouble with the file as a whole."""
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(locked(database=path))
        except foreign_errors() as error:
            raise _unopened(path, error) from None
        yield connection


def _unopened(path: str, error: BaseException) -> InputError:
    said = str(error)
    holder = re.search(r"\(PID (\d+)\)", said)
    # A reader in a process of its own meets the lock of the program that started it; without one, DuckDB knows of its other connection.
    if "different configuration" in said or (holder and int(holder[1]) == os.getppid()):
        return refuse_file(path, "BR706", "is open in this Python process", "close that connection first, or read a copy")
    if re.search(r"\block\b", said):
        by = f" by process {holder[1]}" if holder else ""
        return refuse_file(path, "BR706", f"is locked{by}", "close it there, or read a copy")
    if "not a valid DuckDB" in said:
        return refuse_file(path, "BR706", "is not a DuckDB database", "check the file's name and format")
    text = f"cannot be opened by DuckDB: {reason(error)}"
    return refuse_file(path, "BR706", text, "open it with the version that wrote it, and export to Parquet")


def _source(connection: Any, path: str, asked: str) -> From:
    with refused(path, "BR706", "read a copy that is whole"):
        tables = {TableName(*row[:2]): row[2] for row in connection.execute(TABLES).fetchall()}
    table = find_table(path, list(tables), asked)
    if table is None:
        return From(f"(\n{one_query(connection, path, asked)}\n)")
    return From(table.sql, steady=tables[table] == "BASE TABLE")
