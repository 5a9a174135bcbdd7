"""Tables, views and queries of SQLite, and of any database that SQLAlchemy knows, PostgreSQL
among them: read-only.
"""

from __future__ import annotations

import datetime as dt
import os
import sqlite3
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import (
    InputError,
    escaped,
    grouped,
    quoted,
    refuse,
    refuse_file,
    relocate_problems,
)
from baserate.numbers import EXACT_FLOATS
from baserate.read.columns import from_spelled, objects
from baserate.read.duckdb import (
    check_types,
    in_time,
    open_database,
    reason,
    refused,
    source_of,
    types_of,
)
from baserate.read.engine import CaseTable, TypedCases, open_arrays
from baserate.read.quotas import patience_s, too_long
from baserate.read.streams import Plain, unchanged, with_log
from baserate.read.table import (
    ColumnRoles,
    Kind,
    Table,
    TableName,
    check_columns,
    check_use,
    find_table,
    identifier,
    in_table,
    needed,
    one_statement,
)

# ----------------------------------------------------------------------
# Columns gathered from rows of Python values, as drivers of databases give them: packed piece by
# piece, and of one kind each.


PIECE = 1 << 16
NOTHING = type(None)
PACKED = {bool: np.bool_, int: np.int64, float: np.float64}
KINDS: dict[type, Kind] = {
    bool: Kind.NUMBERS,
    int: Kind.NUMBERS,
    float: Kind.NUMBERS,
    Decimal: Kind.SPELLED,
    str: Kind.TEXT,
    uuid.UUID: Kind.TEXT,
    dt.date: Kind.TIMES,
    dt.time: Kind.TIMES,
    dt.timedelta: Kind.TIMES,
    bytes: Kind.BYTES,
    bytearray: Kind.BYTES,
    memoryview: Kind.BYTES,
}


def gather(
    path: str, pieces: Iterable[Sequence[Sequence[Any]]], wanted: ColumnRoles
) -> dict[str, Array]:
    """The requested columns from pieces of rows, each row with its values in the order of
    `wanted.columns`.
    """
    columns = [Gathered(name) for name in wanted.columns]
    for rows in pieces:
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.add(values)
    return {column.name: column.whole(path, wanted) for column in columns}


class Gathered:
    """One column: arrays where the values of a piece are of one type, lists where not, and which
    types there were, first in which row.
    """

    def __init__(self, name: str) -> None:
        self.name, self.rows = name, 0
        self.pieces: list[Any] = []
        self.types: Counter[type] = Counter()
        self.first: dict[type, tuple[int, Any]] = {}
        self.texts: dict[str, str] = {}

    def add(self, values: Sequence[Any]) -> None:
        """The next rows."""
        types = list(map(type, values))
        here = Counter(types)
        self.types.update(here)
        for found in here.keys() - self.first.keys():
            row = types.index(found)
            self.first[found] = (self.rows + row, values[row])
        self.rows += len(values)
        self.pieces.append(self._packed(values, here))

    def _packed(self, values: Sequence[Any], types: Counter[type]) -> Any:
        only = next(iter(types)) if len(types) == 1 else None
        if only in PACKED:
            try:
                return np.array(values, dtype=PACKED[only])
            except OverflowError:  # beyond 64 bits
                return values
        if types.keys() <= {str, NOTHING} and len(self.texts) < PIECE:
            return [
                None if value is None else self.texts.setdefault(value, value) for value in values
            ]  # equal texts are held once
        return values

    def whole(self, path: str, wanted: ColumnRoles) -> Array:
        """The column, or the reason why it is none."""
        kinds = {python_kind(found) for found in self.types if found is not NOTHING}
        if len(kinds) > 1 and kinds != {Kind.NUMBERS, Kind.SPELLED}:
            raise self._mixed(wanted)
        for kind in kinds:
            check_use(path, self.name, kind, wanted)
        if (
            self.pieces
            and all(isinstance(piece, np.ndarray) for piece in self.pieces)
            and len({piece.dtype for piece in self.pieces}) == 1
        ):
            return np.concatenate(self.pieces)
        return _together(
            [
                value
                for piece in self.pieces
                for value in (piece.tolist() if isinstance(piece, np.ndarray) else piece)
            ],
            kinds,
        )

    def _mixed(self, wanted: ColumnRoles) -> InputError:
        """SQLite lets any row hold any type; the rarest kind is most likely where the column went
        wrong.
        """
        times: Counter[Kind] = Counter()
        first: dict[Kind, tuple[int, Any]] = {}
        for found, (row, value) in sorted(self.first.items(), key=lambda pair: pair[1][0]):
            if found is not NOTHING:
                times[python_kind(found)] += self.types[found]
                first.setdefault(python_kind(found), (row, value))
        shown = ", ".join(
            f"{kind} ({grouped(count)}, such as {quoted(first[kind][1])})"
            for kind, count in times.most_common()
        )
        rarest, count = times.most_common()[-1]
        code = (
            "BR107"
            if self.name == wanted.label
            else "BR208"
            if self.name in wanted.numbers
            else "BR413"
        )
        return refuse(
            code,
            f"{quoted(self.name)} mixes types: {shown}",
            "store one type in that column",
            [first[rarest][0]],
            count,
        )


def python_kind(found: type) -> Kind:
    """What the values of a Python type are."""
    return next((KINDS[base] for base in found.__mro__ if base in KINDS), Kind.OTHER)


def _together(values: list[Any], kinds: set[Kind]) -> Array:
    """Values that are not all of one type, or not numbers."""
    if Kind.SPELLED in kinds:
        return from_spelled([None if value is None else str(value) for value in values])
    if kinds <= {Kind.TEXT, Kind.TIMES}:
        return objects(
            [value if value is None or isinstance(value, str) else str(value) for value in values]
        )
    types = set(map(type, values))
    if (
        float in types
        and types <= {float, int, NOTHING}
        and all(abs(value) <= EXACT_FLOATS for value in values if type(value) is int)
    ):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return objects(values)


# ----------------------------------------------------------------------
# Addresses of databases: what may be shown of them, and messages about them with every password
# taken out.


HIDDEN = "***"
SECRET = ("password", "passwd", "pwd", "sslpassword", "token", "secret", "key")
CHECK = "check the address, the user and the password"


def shown_url(url: str) -> str:
    """The address without user, password and options: what a message, a note and a ledger may
    hold.
    """
    parts = urlsplit(url)
    return (
        urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
        if parts.netloc
        else f"{parts.scheme}://{parts.path}"
    )


def check_url(url: str) -> None:
    """Refuse what is no address, without repeating it: it may well hold a password."""
    if not is_clear(url):
        raise refuse(
            "BR730",
            "the address of the database cannot be read",
            "write %40 for @, %3A for : and %2F for / in a user or password",
        )


def is_clear(url: str) -> bool:
    """Whether it is plain where user and password end. A "/", "?" or "#" in them ends the host too
    early, and an "@" comes after it.
    """
    try:
        parts = urlsplit(url)
        person, port = parts.netloc.rpartition("@")[0], parts.port
    except ValueError:
        return False
    if (
        not person
        and parts.netloc
        and ("@" in parts.path or (":" in parts.netloc and "@" in parts.query + parts.fragment))
    ):
        return False
    return "@" not in person and person.count(":") <= 1 and port != 0


def shown_anyhow(url: str) -> str:
    """The same as `shown_url` for an address that may not be plain: then nothing but its
    beginning.
    """
    return shown_url(url) if is_clear(url) else f"{url.partition('://')[0]}://…"


def unreached(url: str, error: BaseException) -> InputError:
    """The refusal where a database cannot be reached or does not let us in."""
    return refuse_file(shown_url(url), "BR730", _said(url, error), CHECK)


def not_run(url: str, error: BaseException) -> InputError:
    """The refusal where a database does not run the query."""
    return refuse_file(
        shown_url(url), "BR718", f"the query cannot be run: {_said(url, error)}", READ
    )


def _said(url: str, error: BaseException) -> str:
    return without_secrets(url, reason(_cause(error)))


def without_secrets(url: str, text: str) -> str:
    """A foreign message with every password of the address taken out, however it is spelled."""
    parts = urlsplit(url)
    options = [
        value
        for name, values in parse_qs(parts.query).items()
        if name.casefold().endswith(SECRET)
        for value in values
    ]
    for secret in filter(None, (parts.password, unquote(parts.password or ""), *options)):
        text = text.replace(secret, HIDDEN)
    return text.replace(url, shown_url(url))


def _cause(error: BaseException) -> Exception:
    """What the server or the library beneath said, in one line and without the statement."""
    text = str(getattr(error, "orig", None) or error)
    for mark in ("ERROR:  ", "FATAL:  ", "failed: ", "Failed to connect: "):
        if mark in text:
            text = text.split(mark, 1)[1]
            break
    return Exception(text.partition(" Query was:")[0])


# ----------------------------------------------------------------------
# A table, a view or a query of any database that SQLAlchemy knows: streamed, read-only where the
# database can be told so, never committed.


SQL_EXTRA, POSTGRES_EXTRA = "sql", "postgres"
# An address that names no driver takes this one.
PSYCOPG, POSTGRES = "postgresql+psycopg", ("postgresql", "postgres")
CONNECT_S, DENIED = 10, "42501"  # what PostgreSQL calls a permission that is missing
READ = "give a table or view of this database, or one SELECT that reads them"
READ_ONLY = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}


@contextmanager
def open_alchemy(url: str, table_or_query: str, wanted: ColumnRoles) -> Iterator[CaseTable]:
    """Give the cases of a table or query."""
    shown = shown_url(url)
    with _engine(url) as engine, _refused_by_driver(url), engine.connect() as connection:
        if engine.dialect.name in READ_ONLY:
            connection.exec_driver_sql(READ_ONLY[engine.dialect.name])
        with relocate_problems(in_table(shown)):
            columns = gather(shown, _rows(connection, shown, table_or_query, wanted), wanted)
        connection.rollback()
    with open_arrays([Plain(shown, shown, "a database", "")], lambda _: columns, wanted) as cases:
        yield cases


@contextmanager
def _engine(url: str) -> Iterator[Any]:
    is_postgres = url.partition(":")[0].casefold() in (*POSTGRES, PSYCOPG)
    sa = needed("sqlalchemy", POSTGRES_EXTRA if is_postgres else SQL_EXTRA)
    check_url(url)
    try:
        address = sa.make_url(url)
        if is_postgres:
            timeout = {"connect_timeout": str(CONNECT_S), **address.query}
            address = address.set(drivername=PSYCOPG, query=timeout)
        _check_file(address)
        engine = sa.create_engine(address)
    except sa.exc.NoSuchModuleError:
        raise refuse(
            "BR730",
            f"SQLAlchemy knows no database {quoted(url.partition(':')[0])}",
            "install its dialect, or check the address",
        ) from None
    except (sa.exc.ArgumentError, ValueError):
        raise refuse(
            "BR730",
            "the address of the database cannot be read",
            "write it as dialect://user:password@host/database",
        ) from None
    except ImportError as error:
        fix = (
            f'pip install "baserate[{POSTGRES_EXTRA}]", or name another driver in the address,'
            " such as postgresql+psycopg2://"
            if is_postgres
            else "install that driver, or name another in the address, such as mysql+pymysql://"
        )
        raise refuse(
            "BR714", f"the driver {quoted(str(error.name))} is not installed", fix
        ) from None
    try:
        yield engine
    finally:
        engine.dispose()


def _check_file(address: Any) -> None:
    """SQLite would make the file that is not there."""
    path = address.database
    if (
        address.get_backend_name() == "sqlite"
        and path
        and path != ":memory:"
        and not os.path.exists(path)  # noqa: PTH110
    ):
        raise FileNotFoundError(2, "No such file or directory", path)


def _rows(
    connection: Any, shown: str, asked: str, wanted: ColumnRoles
) -> Iterator[Sequence[Sequence[Any]]]:
    sa = needed("sqlalchemy", SQL_EXTRA)
    inspector = sa.inspect(connection)
    table = find_table(shown, _tables(inspector, asked), asked)
    stream = connection.execution_options(stream_results=True, max_row_buffer=PIECE)
    if table is None:
        # As text of SQLAlchemy's, so that a % is one to every driver; a colon begins no parameter
        # here.
        result = stream.execute(sa.text(one_statement(shown, asked).replace(":", r"\:")))
        names = list(result.keys()) if result.returns_rows else []
        check_columns(shown, names, wanted.columns)
        result = result.columns(*(names.index(name) for name in wanted.columns))
    else:
        schema = table.schema or None
        check_columns(
            shown,
            [column["name"] for column in inspector.get_columns(table.name, schema=schema)],
            wanted.columns,
        )
        # Names travel as names, never as text of the statement: each database quotes them in its
        # own way.
        columns = [sa.column(sa.sql.quoted_name(name, quote=True)) for name in wanted.columns]
        result = stream.execute(
            sa.select(*columns).select_from(
                sa.table(sa.sql.quoted_name(table.name, quote=True), schema=schema)
            )
        )
    return iter(result.partitions(PIECE))


def _tables(inspector: Any, asked: str) -> list[TableName]:
    """Tables and views of the default schema, and of the schema that is named in front of a dot."""
    schema = asked.rpartition(".")[0]
    here = [
        TableName("", name) for name in (*inspector.get_table_names(), *inspector.get_view_names())
    ]
    if not schema or schema not in inspector.get_schema_names():
        return here
    return here + [
        TableName(schema, name)
        for name in (*inspector.get_table_names(schema), *inspector.get_view_names(schema))
    ]


@contextmanager
def _refused_by_driver(url: str) -> Iterator[None]:
    """Whatever a driver says becomes one line of ours."""
    sa = needed("sqlalchemy", SQL_EXTRA)
    try:
        yield
    except (sa.exc.SQLAlchemyError, UnicodeError) as error:
        lost = (
            isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError)
            and error.statement is None
        )
        denied = getattr(getattr(error, "orig", None), "sqlstate", None) == DENIED
        raise (unreached(url, error) if lost or denied else not_run(url, error)) from None


# ----------------------------------------------------------------------
# A table, a view or a query of a SQLite file, through Python's own sqlite3: read-only, and SQLite
# itself refuses what does more.


MAGIC = b"SQLite format 3\0"
WAL_MODE = 2
WAIT_S = 1.0
STEPS = 100_000  # of SQLite, after which the clock is looked at
MOST_SQL = 1 << 20
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
REACHING = frozenset(
    {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"}
)  # functions that leave the file
SQLITE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%'"
    " ESCAPE '~' ORDER BY name"
)
LOCKED = ("is locked by another program", "close it there, or read a copy")
DAMAGED = ("is damaged: {}", "recover it with sqlite3's .recover, or get a whole copy")
UNFINISHED = (
    "cannot be read as it lies: a program has not finished writing to it",
    "open and close it with the program that wrote it, or copy it with its -wal or -journal file",
)
SQLITE_PROBLEMS = {
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_NOTADB: (
        "is encrypted, damaged, or of a newer SQLite",
        "open it with the program that wrote it, and export",
    ),
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_IOERR: DAMAGED,
    sqlite3.SQLITE_CANTOPEN: UNFINISHED,
    sqlite3.SQLITE_READONLY: UNFINISHED,
}
READ_FILE = "give a table or view of this file, or one SELECT that reads them"


@contextmanager
def open_sqlite(path: str, table_or_query: str, wanted: ColumnRoles) -> Iterator[CaseTable]:
    """Give the cases of a table or query. SQLite allows any type in any row: a column that mixes
    them is refused.
    """
    with (
        unchanged(with_log(path, "-wal")) as sha256,
        _refused_by_sqlite(path),
        closing(_opened(path)) as connection,
    ):
        columns = _sqlite_columns(connection, path, table_or_query, wanted)
    plain = Plain(path, path, "SQLite", sha256)
    with open_arrays([plain], lambda _: columns, wanted) as cases:
        yield cases


def _opened(path: str) -> sqlite3.Connection:
    """Read-only. Without a log beside it, a database in WAL mode is read as it lies: SQLite would
    otherwise write files next to it.
    """
    with open(path, "rb") as file:
        header, size = file.read(20), os.fstat(file.fileno()).st_size
    if not header.startswith(MAGIC):
        raise refuse_file(
            path, "BR706", "is not a SQLite database", "check the file's name and format"
        )
    # SQLite reads the missing end of a page as zeros, and its own integrity check finds nothing
    # wrong with them.
    page = {0: 1, 1: 65536}.get(of := int.from_bytes(header[16:18], "big"), of)
    if size % page:
        raise refuse_file(
            path, "BR706", "is damaged: its last page is cut off", "get a whole copy of the file"
        )
    as_it_lies = header[18:20] == bytes([WAL_MODE, WAL_MODE]) and not os.path.exists(path + "-wal")  # noqa: PTH110
    address = f"{Path(path).absolute().as_uri()}?mode=ro{'&immutable=1' if as_it_lies else ''}"
    connection = sqlite3.connect(address, uri=True, timeout=WAIT_S, isolation_level=None)
    # What a schema from elsewhere may call on its own, sizes that only an attack has, and damage
    # that is better seen than read over.
    for pragma in (
        "trusted_schema = OFF",
        "query_only = ON",
        "cell_size_check = ON",
        "mmap_size = 0",
    ):
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MOST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.execute("BEGIN")  # the schema and the rows are of one moment
    connection.set_authorizer(_allowed)
    end = time.monotonic() + patience_s(path)
    connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    return connection


def _allowed(action: int, _: str | None, second: str | None, *__: Any) -> int:
    """SQLite requests permission for every step of a statement, also inside of views."""
    harmless = action in READS or (action == sqlite3.SQLITE_FUNCTION and second not in REACHING)
    return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY


def _sqlite_columns(
    connection: sqlite3.Connection, path: str, asked: str, wanted: ColumnRoles
) -> dict[str, Any]:
    tables = [TableName("", name) for (name,) in connection.execute(SQLITE_TABLES)]
    table = find_table(path, tables, asked)
    source = table.sql if table else f"(\n{_one_query(connection, path, asked)}\n)"
    names = [
        column[0] for column in connection.execute(f"SELECT * FROM {source} LIMIT 0").description
    ]
    check_columns(path, names, wanted.columns, folds=True)
    chosen = ", ".join(map(identifier, wanted.columns))
    with relocate_problems(in_table(path)):
        return gather(path, _pieces(connection.execute(f"SELECT {chosen} FROM {source}")), wanted)


def _pieces(cursor: sqlite3.Cursor) -> Iterator[Sequence[Any]]:
    while rows := cursor.fetchmany(PIECE):
        yield rows


def _one_query(connection: sqlite3.Connection, path: str, query: str) -> str:
    """The query, if SQLite can prepare it by itself as one statement; the authorizer has a say in
    what it reads.
    """
    bare = query.rstrip().rstrip(";")
    try:
        connection.execute(f"EXPLAIN {bare}").close()
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise refuse_file(
            path, "BR718", f"the query cannot be run: {escaped(str(error))}", READ_FILE
        ) from None
    return bare


@contextmanager
def _refused_by_sqlite(path: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise _sqlite_problem(path, error) from None


def _sqlite_problem(path: str, error: Exception) -> InputError:
    text = str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return too_long(path)
    if code in SQLITE_PROBLEMS:
        what, fix = SQLITE_PROBLEMS[code]
        return refuse_file(path, "BR706", what.format(escaped(text)), fix)
    if "decode" in text:
        return refuse_file(path, "BR601", quoted(text, quotes=False), "store the text as UTF-8")
    return refuse_file(path, "BR718", f"cannot be read: {quoted(text, quotes=False)}", READ_FILE)


# ----------------------------------------------------------------------
# A table, a view or a query of a DuckDB file: opened read-only, with nothing else in reach.


@contextmanager
def open_duckdb(path: str, table_or_query: str, wanted: ColumnRoles) -> Iterator[CaseTable]:
    """Give the cases of a table or query."""
    with unchanged(with_log(path, ".wal")) as sha256, open_database(path) as connection:
        source = source_of(connection, path, table_or_query)
        cases = TypedCases(connection, wanted)
        with refused(path, "BR718", READ_FILE), in_time(connection, path):
            types = types_of(connection, source)
            check_columns(path, list(types), wanted.columns, folds=True)
            check_types(path, types, wanted)
            columns = {name: identifier(name) for name in wanted.columns}
            cases.replace_table("part0", f"SELECT {cases.select(columns, types)} FROM {source}")
            ((rows,),) = cases.ask("SELECT count(*) FROM part0")
        if not rows:
            raise refuse_file(path, "BR602", "has no rows", "give a table with cases")
        cases.add(Plain(path, path, "DuckDB", sha256), Table(path, rows, in_table(path, rows)))
        cases.make_view()
        yield cases
