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
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from baserate.atomic import user_limit
from baserate.counts.cells import Array
from baserate.errors import InputError, escaped, refuse_file
from baserate.read import columns as arrays
from baserate.read.quotas import held, most_held, patience_s, too_large, too_long
from baserate.read.streams import unchanged, with_log
from baserate.read.table import (
    MOST_VALUES,
    PROBE,
    Codes,
    ColumnRoles,
    Kind,
    Runs,
    Table,
    TableName,
    check_columns,
    check_use,
    find_table,
    identifier,
    in_table,
    needed,
    with_gaps,
)
from baserate.read.temporary import temporary_folder

# ----------------------------------------------------------------------
# Columns of DuckDB as arrays that keep every value: what `fetchnumpy` would round is spelled out
# first.


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
# Their day as a number, which takes a third of the time that its text takes; one that is infinite
# lies beyond any other: no time is that far away.
ENDLESS = 2**31 - 1
DAYS = (
    "CAST(CASE WHEN isfinite({0}) THEN CAST({0} AS DATE) - DATE '1970-01-01'"
    f" WHEN {{0}} IS NOT NULL THEN {ENDLESS} END AS INTEGER)"
)
SPELLED_DAYS = "SELECT CAST(DATE '1970-01-01' + CAST(range AS INTEGER) AS VARCHAR) FROM range(?, ?)"


FEW = 100


class From(NamedTuple):
    """What stands after FROM, the parameters bound in it, and whether it gives the same rows each
    time, as a view or a query may not.
    """

    sql: str
    parameters: tuple[Any, ...] = ()
    steady: bool = False


def types_of(connection: Any, source: From) -> dict[str, str]:
    """The columns of a table, file or query, and DuckDB's names of their types."""
    rows = connection.execute(
        f"DESCRIBE SELECT * FROM {source.sql}",  # noqa: S608
        list(source.parameters),
    ).fetchall()
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


def fetched(
    connection: Any,
    source: From,
    types: Mapping[str, str],
    names: tuple[str, ...],
    only_day: str | None = None,
) -> dict[str, Array | Codes]:
    """These columns, streamed; rows keep the order in which they lie. Of times without a zone in
    the column `only_day` the day is read.
    """
    return Fetching(connection, source, types, names, only_day).columns(source)


class Fetching:
    """How columns of a source are read, as a whole or some of its rows at a time."""

    def __init__(
        self,
        connection: Any,
        source: From,
        types: Mapping[str, str],
        names: tuple[str, ...],
        only_day: str | None = None,
    ) -> None:
        self.connection, self.types = connection, types
        self.day = only_day if only_day in names and types[only_day] in LOCAL else None
        self.read_as = {name: _expression(name, types[name]) for name in names}
        self.texts = dict[str, list[str]]()
        for name in names:
            texts = source.steady and name != self.day and self._texts(source, name)
            if texts:
                self._code(name, texts)
        if self.day is not None:
            self.read_as[self.day] = DAYS.format(identifier(self.day))

    def _texts(self, source: From, name: str) -> list[str] | None:
        if duckdb_kind(self.types[name]) not in (Kind.TEXT, Kind.TIMES):
            return None
        return _texts(self.connection, source, self.read_as[name])

    def _code(self, name: str, texts: list[str]) -> None:
        """Texts of which there are few are read as codes; one that is not among them is an error,
        never another text.
        """
        enum = f'"baserate {len(self.texts)}"'
        self.connection.execute(
            f"CREATE TEMP TYPE {enum} AS ENUM (SELECT unnest(CAST(? AS VARCHAR[])))", [texts]
        )
        self.texts[name] = texts
        self.read_as[name] = f"enum_code(CAST({self.read_as[name]} AS {enum}))"

    def columns(self, source: From) -> dict[str, Array | Codes]:
        """The columns of these rows."""
        names = list(self.read_as)
        found = _executed(
            self.connection,
            source,
            ", ".join(f"{self.read_as[name]} AS c{place}" for place, name in enumerate(names)),
        )
        return {
            name: self._column(source, name, found.pop(f"c{place}"))
            for place, name in enumerate(names)
        }

    def column(self, source: From, name: str) -> Array | Codes:
        """One of the columns."""
        found = _executed(self.connection, source, f"{self.read_as[name]} AS c")
        return self._column(source, name, found["c"])

    def _column(self, source: From, name: str, values: Array) -> Array | Codes:
        if name == self.day:
            return _days(self.connection, source, name, values)
        if name in self.texts:
            held = with_gaps(self.texts[name], np.asarray(values), arrays.mask_of(values))
            return Codes(*held)
        return column_of(values, self.types[name])


def _days(connection: Any, source: From, name: str, numbers: Array) -> Array | Codes:
    """The texts of days from their numbers; read as texts where they lie too far apart, or one is
    infinite.
    """
    gone, numbers = arrays.mask_of(numbers), np.asarray(numbers)
    known = numbers if gone is None else numbers[~gone]
    first, last = (int(known.min()), int(known.max())) if len(known) else (0, -1)
    if last - first >= MOST_VALUES or last == ENDLESS:
        text = f"CAST(CAST({identifier(name)} AS DATE) AS VARCHAR) AS c"
        return column_of(_executed(connection, source, text)["c"], "VARCHAR")
    texts = connection.execute(SPELLED_DAYS, [first, last + 1]).fetchall()
    return Codes(*with_gaps([text for (text,) in texts], (numbers - first).astype(np.uint16), gone))


def _executed(connection: Any, source: From, chosen: str, rest: str = "") -> dict[str, Array]:
    found: dict[str, Array] = connection.execute(
        f"SELECT {chosen} FROM {source.sql} {rest}",  # noqa: S608
        list(source.parameters),
    ).fetchnumpy()
    return found


def _texts(connection: Any, source: From, expression: str) -> list[str] | None:
    """The distinct texts of a long column that has few of them: as one object each they take 8
    bytes a row, and not 60.
    """
    column = f"{expression} AS c"
    begin = _executed(connection, source, column, f"LIMIT {PROBE}")["c"]
    if len(begin) < PROBE or 2 * len(set(begin.tolist())) > PROBE:
        return None
    distinct = _executed(connection, source, f"DISTINCT {column}", f"LIMIT {MOST_VALUES}")["c"]
    return (
        None
        if len(distinct) == MOST_VALUES
        else [text for text in distinct.tolist() if text is not None]
    )


def _expression(name: str, of_type: str) -> str:
    plain = of_type in NUMBERS or of_type == "VARCHAR"
    return identifier(name) if plain else f"CAST({identifier(name)} AS VARCHAR)"


def column_of(values: Array, of_type: str) -> Array | Codes:
    """What DuckDB fetched, with every value kept."""
    gone, values = arrays.mask_of(values), np.asarray(values)
    if duckdb_kind(of_type) is Kind.SPELLED:
        texts = values if gone is None else arrays.with_none(values, gone)
        return arrays.from_spelled(texts.tolist(), digits=_digits(of_type))
    return values if gone is None else _with_gaps(values, gone)


def _with_gaps(values: Array, gone: Array) -> Array | Codes:
    """Values with None where they are gone; whole numbers of which there can be few, such as
    labels, as one object each.
    """
    if values.dtype.kind in "iu":
        least, most = values.min(), values.max()
        if int(most) - int(least) < FEW:
            words = list(range(int(least), int(most) + 1))
            return Codes(*with_gaps(words, (values - least).astype(np.uint8), gone))
    return arrays.with_none(values, gone)


def _digits(of_type: str) -> int:
    precision = of_type.partition("(")[2].partition(",")[0]
    return int(precision) if precision.isdecimal() else arrays.SAFE_DIGITS + 1


# ----------------------------------------------------------------------
# Counting in the source: each pair of label and score once, with the number of its cases.


# Fewer distinct scores than cases by this much make it worth while: there are at most twice as many
# pairs.
FEWER = 4


def pair_of(wanted: ColumnRoles) -> tuple[str, str] | None:
    """The names of the label and the score, where nothing else is requested."""
    pair = (wanted.label, wanted.scores[0])
    return pair if wanted.columns == pair else None


def repeated_in(connection: Any, pairs: str) -> tuple[Runs, Runs] | None:
    """One row per case, in no particular order, from a table of pairs (a, b) and how often each
    occurs (c); None where anything is missing or NaN, or nothing is there.
    """
    found = connection.execute(f"SELECT a, b, c FROM {pairs}").fetchnumpy()  # noqa: S608
    labels, scores, times = found["a"], found["b"], found["c"]
    gone = any(arrays.mask_of(values) is not None for values in (labels, scores)) or (
        scores.dtype.kind == "f" and bool(np.isnan(scores).any())
    )
    if gone or not len(times):
        return None
    lengths = np.asarray(times, dtype=np.int64)
    return Runs(np.asarray(labels), lengths), Runs(np.asarray(scores), lengths)


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
MEMORY = "1GiB"
ROOMY = (
    10**9
    # bytes below which DuckDB, which takes for every thread what it likes, gets one: where it finds no  # noqa: E501
    # room, it crashes
)
# A memory limit leaves DuckDB one byte of so many, and each thread takes so many.
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
    "memory_limit": MEMORY,
}


@contextmanager
def locked(
    files: Sequence[str] = (),
    *,
    database: str = IN_MEMORY,
    settings: Mapping[str, str] = MappingProxyType({}),
    memory: int | None = None,
) -> Iterator[Any]:
    """A connection that reads these files, or this database, and nothing else; closed at the end.
    Where the memory of all is limited, what does not fit is put into temporary files.
    """
    duckdb = engine()
    narrow = {"threads": "1"} if (user_limit() or ROOMY) < ROOMY else {}
    with ExitStack() as stack:
        folders = [] if memory is None else [stack.enter_context(temporary_folder())]
        within = {} if memory is None else settings_within(memory, folders[0])
        config = {**SETTINGS, **narrow, **settings, **within}
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
    """Return what DuckDB may take where all may take so many bytes."""
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


TABLES = "SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY 1, 2"
READ = "give a table or view of this file, or one SELECT that reads them"


def read_duckdb(path: str, table_or_query: str, wanted: ColumnRoles) -> Table:
    """The requested columns of a table or query."""
    with unchanged(with_log(path, ".wal")) as sha256, _opened(path) as connection:
        source = _source(connection, path, table_or_query)
        with refused(path, "BR718", READ), in_time(connection, path):
            types = types_of(connection, source)
            check_columns(path, list(types), wanted.columns, folds=True)
            check_types(path, types, wanted)
            columns = fetched(connection, source, types, wanted.columns, wanted.only_day)
    rows = len(columns[wanted.label])
    if not rows:
        raise refuse_file(path, "BR602", "has no rows", "give a table with cases")
    return Table(path, columns, rows, sha256=sha256, place=in_table(path))


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """The locked connection; only what goes wrong at opening is a trouble with the file as a
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


def _source(connection: Any, path: str, asked: str) -> From:
    with refused(path, "BR706", "read a copy that is whole"):
        tables = {TableName(*row[:2]): row[2] for row in connection.execute(TABLES).fetchall()}
    table = find_table(path, list(tables), asked)
    if table is None:
        return From(f"(\n{one_query(connection, path, asked)}\n)")
    return From(table.sql, steady=tables[table] == "BASE TABLE")
