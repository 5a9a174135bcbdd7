"""DuckDB with every door shut but the files it was given: no other file, no extension, no network, and no way to open them again."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from types import MappingProxyType
from typing import Any

from baserate.engines.extras import needed
from baserate.engines.quotas import held, most_held, patience_s, too_large, too_long, user_limit
from baserate.errors import escaped, refuse_file

IN_MEMORY = ":memory:"
MOST_REASON = 240
AGAIN_S = 0.1  # between two looks at the clock; an interrupt that comes between two queries ends none, and is sent again
MEMORY = "1GiB"
ROOMY = 10**9  # bytes below which DuckDB, which takes for every thread what it likes, gets one: where it finds no room, it crashes
# What is set before the lock; a plain scan is streamed, so that the limit on memory is for what a query sorts or joins.
SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",  # a table is never a variable of the program that happens to have its name
    "temp_directory": "",
    "memory_limit": MEMORY,
}


@contextmanager
def locked(files: Sequence[str] = (), *, database: str = IN_MEMORY, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[Any]:
    """A connection that reads these files, or this database, and nothing else; closed at the end."""
    duckdb = needed("duckdb")
    narrow = {"threads": "1"} if (user_limit() or ROOMY) < ROOMY else {}
    connection = duckdb.connect(database, read_only=database != IN_MEMORY, config={**SETTINGS, **narrow, **settings})
    try:
        connection.execute("SET TimeZone = 'UTC'")  # times as text must not depend on where the machine stands
        # A pattern and the file it matches are both looked up among the allowed paths.
        connection.execute("SET allowed_paths = ?", [[*files, *map(literally, files)]])
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def literally(path: str) -> str:
    """A path in which nothing is a pattern: DuckDB would otherwise read "a1" where it is asked for "a[1]"."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


def one_query(connection: Any, path: str, query: str) -> str:
    """The query, if DuckDB's own parser finds one statement that reads."""
    duckdb = needed("duckdb")
    with refused(path, "BR718", "write one SELECT that reads tables of this file"):
        statements = connection.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise refuse_file(path, "BR718", "the query is not a single SELECT", "write one SELECT that reads tables of this file")
    return str(statements[0].query).rstrip().rstrip(";")


@contextmanager
def in_time(connection: Any, path: str) -> Iterator[None]:
    """Queries of a database file, ended when they take too long, or give more than such a file can hold."""
    done, end, most = Event(), time.monotonic() + patience_s(path), most_held(path)
    before, large = held(), Event()

    def watch() -> None:
        while not done.wait(AGAIN_S):
            if held() - before > most:
                large.set()
            if large.is_set() or time.monotonic() > end:
                connection.interrupt()

    Thread(target=watch, daemon=True).start()
    try:
        yield
    except needed("duckdb").InterruptException:
        raise (too_large if large.is_set() else too_long)(path) from None
    finally:
        done.set()


@contextmanager
def refused(path: str, code: str, fix: str) -> Iterator[None]:
    """Whatever DuckDB says becomes one line of ours."""
    try:
        yield
    except foreign_errors() as error:
        check_memory(path, error)
        raise refuse_file(path, code, reason(error), fix) from None


def check_memory(path: str, error: BaseException) -> None:
    """Memory that was short is no damage of the file: there is none, or DuckDB went beyond the limit that it has from us."""
    if isinstance(error, MemoryError) or "bad allocation" in str(error) or "bad_alloc" in str(error):
        raise MemoryError from error
    if isinstance(error, needed("duckdb").OutOfMemoryException):
        raise refuse_file(path, "BR701", reason(error), "count a smaller part, or write the file in smaller row groups") from None


def foreign_errors() -> tuple[type[BaseException], ...]:
    """What DuckDB raises: its own errors, and some of Python's where values cannot be handed over."""
    return (needed("duckdb").Error, MemoryError, UnicodeError, OverflowError, RuntimeError)


def reason(error: BaseException) -> str:
    """The first line of a foreign message, short and harmless."""
    text = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    text = text.strip().rstrip(".!")
    return escaped(text if len(text) <= MOST_REASON else text[: MOST_REASON - 1] + "…")
