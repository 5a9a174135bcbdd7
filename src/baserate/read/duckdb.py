"""DuckDB files, and DuckDB with every other file, extension and network access locked."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Event, Thread
from typing import Any

from baserate.atomic import user_limit
from baserate.errors import InputError, escaped, refuse_file
from baserate.read.quotas import held, machine_memory, most_held, patience_s, too_large, too_long
from baserate.read.table import (
    ColumnRoles,
    Kind,
    TableName,
    check_use,
    find_table,
    needed,
)
from baserate.read.temporary import temporary_folder

# ----------------------------------------------------------------------
# What the values of DuckDB's types are.


NUMBERS = frozenset(
    [
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "FLOAT",
        "DOUBLE",
    ]
    + ['"NULL"']
)
SPELLED = frozenset({"DECIMAL", "HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"})
TEXT = frozenset({"VARCHAR", "ENUM", "UUID"})
TIMES = ("DATE", "TIME", "INTERVAL")
# Times without a zone: their day is the one that is written.
LOCAL = frozenset({"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})


def types_of(connection: Any, source: str) -> dict[str, str]:
    """Return the columns of a table, file or query, and DuckDB's names of their types."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608
    return {row[0]: row[1] for row in rows}


def duckdb_kind(name: str) -> Kind:
    """What the values of a type are."""
    base = name.partition("(")[0]
    if name.endswith("]"):
        return Kind.OTHER
    if base in NUMBERS:
        return Kind.NUMBERS
    if base in SPELLED:
        return Kind.SPELLED
    if base in TEXT:
        return Kind.TEXT
    if base.startswith(TIMES):
        return Kind.TIMES
    return Kind.BYTES if base in {"BLOB", "BIT"} else Kind.OTHER


def check_types(path: str, types: Mapping[str, str], wanted: ColumnRoles) -> None:
    """Refuse columns whose type does not fit their role."""
    for name in wanted.columns:
        if name in types:
            check_use(path, name, duckdb_kind(types[name]), wanted)


# ----------------------------------------------------------------------
# DuckDB with every door shut but the files it was given: no other file, no extension, no network,
# and no way to open them again.


def engine() -> Any:
    """DuckDB. Its compiled module alone, where it has one by itself and nobody has loaded the rest:
    that is relations in Python, which take longer to load than a small file to read.
    """
    if "duckdb" not in sys.modules:
        with contextlib.suppress(ImportError):
            return import_module("_duckdb")
    return needed("duckdb")


IN_MEMORY = ":memory:"
MOST_REASON = 240
# between two looks at the clock; an interrupt that comes between two queries ends none, and is sent
# again
AGAIN_S = 0.1
ROOMY = (
    10**9
    # bytes below which DuckDB, which takes for every thread what it likes, gets one: where it finds no  # noqa: E501
    # room, it crashes
)
# Of a memory limit DuckDB may take one part in SHARE, and each thread needs A_THREAD bytes.
SHARE, A_THREAD = 4, 60_000_000
# What is set before the lock; a plain scan is streamed, so that the limit on memory is for what a
# query sorts or joins.
SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": (
        "false"
    ),  # a table is never a variable of the program that happens to have its name
    "temp_directory": "",
}


@contextmanager
def locked(
    files: Sequence[str] = (),
    *,
    database: str = IN_MEMORY,
    memory: int | None = None,
) -> Iterator[Any]:
    """A connection that reads these files, or this database, and nothing else; closed at the end.
    Where the memory of all is limited, what does not fit is put into temporary files.
    """
    duckdb = engine()
    narrow = {"threads": "1"} if (user_limit() or ROOMY) < ROOMY else {}
    with ExitStack() as stack:
        folders = [] if memory is None else [stack.enter_context(temporary_folder())]
        within = {"memory_limit": f"{machine_memory() * 4 // 5}B"}
        if memory is not None:
            within = settings_within(memory, folders[0])
        config = {**SETTINGS, **narrow, **within}
        try:
            connection = duckdb.connect(database, read_only=database != IN_MEMORY, config=config)
        except duckdb.OutOfMemoryException as error:  # of no data yet: of the process
            raise MemoryError from error
        stack.callback(connection.close)
        # Times as text must not depend on where the machine stands.
        connection.execute("SET TimeZone = 'UTC'")
        # A pattern and the file it matches are both looked up among the allowed paths.
        connection.execute("SET allowed_paths = ?", [[*files, *map(literally, files)]])
        connection.execute("SET allowed_directories = ?", [folders])
        # Statistics of Parquet leave NaN out, and then isnan() would be false everywhere.
        connection.execute("SET disabled_optimizers = 'statistics_propagation'")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def settings_within(memory: int, folder: str) -> dict[str, str]:
    """Return what DuckDB may take where all together may take this number of bytes."""
    limit = memory // SHARE
    threads = min(max(limit // A_THREAD, 1), os.cpu_count() or 1)
    return {"memory_limit": f"{limit}B", "temp_directory": folder, "threads": str(threads)}


def literally(path: str) -> str:
    """A path in which nothing is a pattern: DuckDB would otherwise read "a1" where it is given
    "a[1]".
    """
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


def one_query(connection: Any, path: str, query: str) -> str:
    """The query, if DuckDB's own parser finds one statement that reads."""
    duckdb = engine()
    with refused(path, "BR718", "write one SELECT that reads tables of this file"):
        statements = connection.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise refuse_file(
            path,
            "BR718",
            "the query is not a single SELECT",
            "write one SELECT that reads tables of this file",
        )
    return str(statements[0].query).rstrip().rstrip(";")


@contextmanager
def in_time(connection: Any, path: str) -> Iterator[None]:
    """Queries of a database file, ended when they take too long, or give more than such a file can
    hold.
    """
    done, end, most = Event(), time.monotonic() + patience_s(path), most_held(path)
    before, large = held(), Event()

    def watch() -> None:
        while not done.wait(AGAIN_S):
            if held() - before > most:
                large.set()
            if large.is_set() or time.monotonic() > end:
                connection.interrupt()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except engine().InterruptException:
        raise (too_large if large.is_set() else too_long)(path) from None
    finally:
        done.set()
        watcher.join()  # it must not interrupt a connection that is closed


@contextmanager
def refused(path: str, code: str, fix: str) -> Iterator[None]:
    """Whatever DuckDB says becomes one line of ours."""
    try:
        yield
    except foreign_errors() as error:
        check_memory(path, error)
        raise refuse_file(path, code, reason(error), fix) from None


def check_memory(path: str, error: BaseException) -> None:
    """Memory that was short is no damage of the file: there is none, or DuckDB went beyond the
    limit that it has from us.
    """
    if (
        isinstance(error, MemoryError)
        or "bad allocation" in str(error)
        or "bad_alloc" in str(error)
    ):
        raise MemoryError from error
    if isinstance(error, engine().OutOfMemoryException):
        raise refuse_file(
            path,
            "BR701",
            reason(error),
            "count a smaller part, or write the file in smaller row groups",
        ) from None


def foreign_errors() -> tuple[type[BaseException], ...]:
    """What DuckDB raises: its own errors, and some of Python's where values cannot be handed
    over.
    """
    return (engine().Error, MemoryError, UnicodeError, OverflowError, RuntimeError)


def reason(error: BaseException) -> str:
    """The first line of a foreign message, short and harmless."""
    text = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    text = text.strip().rstrip(".!")
    return escaped(text if len(text) <= MOST_REASON else text[: MOST_REASON - 1] + "…")


# ----------------------------------------------------------------------
# A table, a view or a query of a DuckDB file: opened read-only, with nothing else in reach.


TABLES = "SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2"


@contextmanager
def open_database(path: str) -> Iterator[Any]:
    """Give the locked connection; only what goes wrong at opening is a trouble with the file as a
    whole.
    """
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(locked(database=path))
        except foreign_errors() as error:
            check_memory(path, error)
            raise _unopened(path, error) from None
        yield connection


def _unopened(path: str, error: BaseException) -> InputError:
    said = str(error)
    holder = re.search(r"\(PID (\d+)\)", said)
    # A reader in a process of its own meets the lock of the program that started it; without one,
    # DuckDB knows of its other connection.
    if "different configuration" in said or (holder and int(holder[1]) == os.getppid()):
        return refuse_file(
            path,
            "BR706",
            "is open in this Python process",
            "close that connection first, or read a copy",
        )
    if re.search(r"\block\b", said):
        by = f" by process {holder[1]}" if holder else ""
        return refuse_file(path, "BR706", f"is locked{by}", "close it there, or read a copy")
    if "not a valid DuckDB" in said:
        return refuse_file(
            path, "BR706", "is not a DuckDB database", "check the file's name and format"
        )
    text = f"cannot be opened by DuckDB: {reason(error)}"
    return refuse_file(
        path, "BR706", text, "open it with the version that wrote it, and export to Parquet"
    )


def source_of(connection: Any, path: str, asked: str) -> str:
    """Return what stands after FROM for a table, a view or a query."""
    with refused(path, "BR706", "read a copy that is whole"):
        tables = [TableName(*row) for row in connection.execute(TABLES).fetchall()]
    table = find_table(path, tables, asked)
    return f"(\n{one_query(connection, path, asked)}\n)" if table is None else table.sql
