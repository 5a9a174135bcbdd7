"""A table, a view or a query of PostgreSQL, through ADBC: in a read-only transaction, at one moment, and counted there where that is exact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from baserate.cells import Array
from baserate.engines.arrow_columns import from_arrow, kind_of
from baserate.engines.extras import needed
from baserate.engines.identifiers import TableName, check_columns, find_table, identifier, one_statement
from baserate.engines.pushed import FEWER, pair_of, spread
from baserate.engines.table_rows import in_table
from baserate.engines.typed import check_use
from baserate.engines.urls import check_url, shown_url, unreached
from baserate.engines.wanted import Table, Wanted
from baserate.errors import InputError, refuse_file

EXTRA = "postgres"
CONNECT_S = 10
READ = "give a table or view of this database, or one SELECT that reads them"
TABLES = """
SELECT n.nspname, c.relname, pg_table_is_visible(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1, 2
"""
STATISTICS = """
SELECT CASE WHEN s.n_distinct < 0 THEN -s.n_distinct * c.reltuples ELSE s.n_distinct END AS distinct_values, c.reltuples AS cases
FROM pg_stats s JOIN pg_namespace n ON n.nspname = s.schemaname JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename
WHERE s.schemaname = $1 AND s.tablename = $2 AND s.attname = $3
"""
# Types whose values GROUP BY merges only where counting would: equal numbers, 0 and -0.0 among them.
WHOLE = frozenset({"int2", "int4", "int8"})
LABELS, SCORES = WHOLE | {"bool"}, WHOLE | {"float4", "float8"}
DENIED = ("42501",)
STOPPED = "57014"


def read_postgres(url: str, table_or_query: str, wanted: Wanted, *, timeout_s: float | None = None) -> Table:
    """The wanted columns; a statement that takes longer than `timeout_s` seconds is given up."""
    check_url(url)
    shown = shown_url(url)
    with _connected(url) as connection, closing(connection.cursor()) as cursor, _refused(url, timeout_s):
        # One moment for the schema, the statistics and the rows; the server refuses any change.
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if timeout_s is not None:
            cursor.execute(f"SET LOCAL statement_timeout = {max(1, round(1000 * timeout_s))}")
        columns = _columns(cursor, shown, table_or_query, wanted)
    rows = len(columns[wanted.label])
    if not rows:
        raise refuse_file(shown, "BR603", "has no rows in what was asked for", "give a table with cases")
    return Table(shown, columns, rows, place=in_table(shown))


@contextmanager
def _connected(url: str) -> Iterator[Any]:
    needed("pyarrow", EXTRA)
    dbapi = needed("adbc_driver_postgresql.dbapi", EXTRA)
    try:
        connection = dbapi.connect(url if "connect_timeout" in url else f"{url}{'&' if '?' in url else '?'}connect_timeout={CONNECT_S}")
    except dbapi.Error as error:
        raise unreached(url, error) from None
    try:
        yield connection
    finally:
        connection.rollback()
        connection.close()


def _columns(cursor: Any, shown: str, asked: str, wanted: Wanted) -> dict[str, Array]:
    table = _table(cursor, shown, asked)
    source = table.sql if table else f"(\n{_query(cursor, shown, asked)}\n) AS asked"
    schema = cursor.adbc_execute_schema(f"SELECT * FROM {source}")  # noqa: S608
    check_columns(shown, schema.names, wanted.columns)
    kinds = {name: kind_of(schema.field(name).type) for name in wanted.columns}
    for name, kind in kinds.items():
        check_use(shown, name, kind, wanted)
    counted = _counted(cursor, table, schema, wanted) if table else None
    if counted is not None:
        return counted
    cursor.execute(f"SELECT {', '.join(map(identifier, wanted.columns))} FROM {source}")  # noqa: S608
    found = cursor.fetch_arrow_table()
    return {name: from_arrow(found.column(place), kinds[name]) for place, name in enumerate(wanted.columns)}


def _query(cursor: Any, shown: str, asked: str) -> str:
    """A query that PostgreSQL accepts by itself; only then may it stand between brackets."""
    query = one_statement(shown, asked)
    cursor.adbc_execute_schema(query)
    return query


def _table(cursor: Any, shown: str, asked: str) -> TableName | None:
    """A table that needs no schema in front of its name comes before one that does."""
    cursor.execute(TABLES)
    rows = cursor.fetchall()
    visible = [TableName(schema, name) for schema, name, seen in rows if seen and name == asked]
    return visible[0] if len(visible) == 1 else find_table(shown, [TableName(schema, name) for schema, name, _ in rows], asked)


def _counted(cursor: Any, table: TableName, schema: Any, wanted: Wanted) -> dict[str, Array] | None:
    """The columns from counts of the server's, where its statistics expect far fewer scores than cases; None where the rows are needed."""
    pair = pair_of(wanted)
    if pair is None or _type(schema, pair[0]) not in LABELS or _type(schema, pair[1]) not in SCORES:
        return None
    cursor.execute(STATISTICS, (table.schema, table.name, pair[1]))
    estimates = cursor.fetchall()
    if not estimates or not 0 < FEWER * estimates[0][0] < estimates[0][1]:
        return None
    names = ", ".join(map(identifier, pair))
    cursor.execute(f"SELECT {names}, count(*) FROM {table.sql} GROUP BY {names}")  # noqa: S608
    labels, scores, cases = cursor.fetch_arrow_table().columns
    if labels.null_count or scores.null_count:
        return None
    columns = spread(labels.to_numpy(), scores.to_numpy(), cases.to_numpy())
    return None if columns is None else dict(zip(pair, columns, strict=True))


def _type(schema: Any, name: str) -> str:
    """PostgreSQL's own name of a column's type."""
    return str((schema.field(name).metadata or {}).get(b"POSTGRESQL:type", b"").decode())


@contextmanager
def _refused(url: str, timeout_s: float | None) -> Iterator[None]:
    """Whatever the server says becomes one line of ours."""
    manager = needed("adbc_driver_manager", EXTRA)
    pa = needed("pyarrow", EXTRA)
    try:
        yield
    except (manager.Error, pa.ArrowException, OSError) as error:
        raise _problem(url, error, timeout_s) from None


def _problem(url: str, error: Exception, timeout_s: float | None) -> InputError:
    state, (problem,) = getattr(error, "sqlstate", None), unreached(url, error).problems
    if state == STOPPED and timeout_s is not None:
        return refuse_file(shown_url(url), "BR718", f"a statement took longer than {timeout_s:g} s", "allow more time, or ask for less")
    if state in DENIED or state is None:
        return InputError(problem)
    return refuse_file(shown_url(url), "BR718", f"the query cannot be run: {problem.text}", READ)
