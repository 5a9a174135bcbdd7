"""A table, a view or a query of any database that SQLAlchemy knows: streamed, read-only where the database can be told so, never committed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from baserate.engines.extras import needed
from baserate.engines.gathered import PIECE, gather
from baserate.engines.identifiers import TableName, check_columns, find_table, one_statement
from baserate.engines.table_rows import in_table
from baserate.engines.urls import check_url, shown_url, unreached
from baserate.engines.wanted import Table, Wanted
from baserate.errors import InputError, quoted, refuse, refuse_file

EXTRA = "sql"
READ = "give a table or view of this database, or one SELECT that reads them"
READ_ONLY = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET TRANSACTION READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}


def read_alchemy(url: str, table_or_query: str, wanted: Wanted) -> Table:
    """The wanted columns of a table or query."""
    shown = shown_url(url)
    with _engine(url) as engine, _refused(url), engine.connect() as connection:
        if engine.dialect.name in READ_ONLY:
            connection.exec_driver_sql(READ_ONLY[engine.dialect.name])
        try:
            columns = gather(shown, _rows(connection, shown, table_or_query, wanted), wanted)
        except InputError as error:
            raise error.moved(in_table(shown)) from None
        connection.rollback()
    rows = len(columns[wanted.label])
    if not rows:
        raise refuse_file(shown, "BR603", "has no rows in what was asked for", "give a table with cases")
    return Table(shown, columns, rows, place=in_table(shown))


@contextmanager
def _engine(url: str) -> Iterator[Any]:
    sa = needed("sqlalchemy", EXTRA)
    check_url(url)
    try:
        address = sa.make_url(url)
        _check_file(address)
        engine = sa.create_engine(address)
    except sa.exc.NoSuchModuleError:
        raise refuse(
            "BR730", f"SQLAlchemy knows no database {quoted(url.partition(':')[0])}", "install its dialect, or check the address"
        ) from None
    except (sa.exc.ArgumentError, ValueError):
        raise refuse("BR730", "the address of the database cannot be read", "write it as dialect://user:password@host/database") from None
    except ImportError as error:
        fix = "install that driver, or name another in the address, such as mysql+pymysql://"
        raise refuse("BR714", f"the driver {quoted(str(error.name))} is not installed", fix) from None
    try:
        yield engine
    finally:
        engine.dispose()


def _check_file(address: Any) -> None:
    """SQLite would make the file that is not there."""
    path = address.database
    if address.get_backend_name() == "sqlite" and path and path != ":memory:" and not os.path.exists(path):  # noqa: PTH110
        raise FileNotFoundError(2, "No such file or directory", path)


def _rows(connection: Any, shown: str, asked: str, wanted: Wanted) -> Iterator[Sequence[Sequence[Any]]]:
    sa = needed("sqlalchemy", EXTRA)
    inspector = sa.inspect(connection)
    table = find_table(shown, _tables(inspector, asked), asked)
    stream = connection.execution_options(stream_results=True, max_row_buffer=PIECE)
    if table is None:
        # As text of SQLAlchemy's, so that a % is one to every driver; a colon begins no parameter here.
        result = stream.execute(sa.text(one_statement(shown, asked).replace(":", r"\:")))
        names = list(result.keys()) if result.returns_rows else []
        check_columns(shown, names, wanted.columns)
        result = result.columns(*(names.index(name) for name in wanted.columns))
    else:
        schema = table.schema or None
        check_columns(shown, [column["name"] for column in inspector.get_columns(table.name, schema=schema)], wanted.columns)
        # Names travel as names, never as text of the statement: each database quotes them in its own way.
        columns = [sa.column(sa.sql.quoted_name(name, quote=True)) for name in wanted.columns]
        result = stream.execute(sa.select(*columns).select_from(sa.table(sa.sql.quoted_name(table.name, quote=True), schema=schema)))
    return iter(result.partitions(PIECE))


def _tables(inspector: Any, asked: str) -> list[TableName]:
    """Tables and views of the default schema, and of the schema that is named in front of a dot."""
    schema = asked.rpartition(".")[0]
    here = [TableName("", name) for name in (*inspector.get_table_names(), *inspector.get_view_names())]
    if not schema or schema not in inspector.get_schema_names():
        return here
    return here + [TableName(schema, name) for name in (*inspector.get_table_names(schema), *inspector.get_view_names(schema))]


@contextmanager
def _refused(url: str) -> Iterator[None]:
    """Whatever a driver says becomes one line of ours."""
    sa = needed("sqlalchemy", EXTRA)
    try:
        yield
    except (sa.exc.SQLAlchemyError, UnicodeError) as error:
        (problem,) = unreached(url, error).problems
        if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError) and error.statement is None:
            raise InputError(problem) from None
        raise refuse_file(shown_url(url), "BR718", f"the query cannot be run: {problem.text}", READ) from None
