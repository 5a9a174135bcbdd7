"""PostgreSQL, a real server: read-only, and passwords unseen."""

import gc
from dataclasses import replace

import numpy as np
import pytest
from tests.read.tables import W, assert_refused, counts_of, read_alchemy

import baserate as br
from baserate.read import table
from baserate.read.databases import shown_url, without_secrets


@pytest.fixture(scope="module")
def server(postgres):
    import psycopg

    statements = [
        (
            "CREATE TABLE tied AS SELECT (i % 3 = 0)::int AS y, (i % 7)::float8 / 7 AS s, 'g' || i"
            " % 5 AS g FROM generate_series(1, 20000) i"
        ),
        (
            "CREATE TABLE plain AS SELECT (i % 3 = 0) AS y, i::float8 / 7 AS s FROM"
            " generate_series(1, 1000) i"
        ),
        (
            "CREATE TABLE zeros AS SELECT (i % 2)::bigint AS y, ('{-0,0,inf}'::float8[])[i % 3 + 1]"
            " AS s FROM generate_series(1, 9000) i"
        ),
        (
            "CREATE TABLE nans AS SELECT (i % 2) AS y, CASE WHEN i = 4242 THEN 'nan' ELSE (i %"
            " 3)::float8 END AS s FROM generate_series(1, 9000) i"
        ),
        (
            "CREATE TABLE nulls AS SELECT (i % 2) AS y, CASE WHEN i = 17 THEN NULL ELSE (i % 3) END"
            " AS s FROM generate_series(1, 9000) i"
        ),
        (
            "CREATE TABLE texts AS SELECT (ARRAY['no', 'yes'])[i % 2 + 1] AS y, ((i % 3) /"
            " 10.0)::real AS s FROM generate_series(1, 9000) i"
        ),
        (
            "CREATE TABLE wide AS SELECT (i % 2)::numeric AS y, i / 7::numeric(20, 2) AS s FROM"
            " generate_series(1, 50) i"
        ),
        "ALTER TABLE wide ADD id uuid DEFAULT gen_random_uuid(), ADD day date DEFAULT '2026-01-02'",
        (
            "CREATE TABLE odd AS SELECT 1 AS y, now() AS s, '{1}'::int[] AS list, '\\x00'::bytea"
            " AS raw"
        ),
        (
            'CREATE TABLE "select; DROP TABLE plain; --" AS SELECT 1 AS "Y", 0 AS y, 0.5::float8 AS'
            ' "s""x"'
        ),
        "CREATE VIEW seen AS SELECT * FROM plain",
        "CREATE SCHEMA other",
        "CREATE TABLE other.elsewhere AS SELECT * FROM plain",
        "CREATE TABLE other.plain AS SELECT 1 AS y, 2 AS s",
        "CREATE TABLE empty (y int, s float8)",
        "CREATE ROLE bob LOGIN PASSWORD 'pass/word @: 1'",
        "GRANT SELECT ON plain TO bob",
    ]
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)
    return postgres


@pytest.mark.parametrize(
    "asked",
    [
        "plain",
        "public.plain",
        "seen",
        "other.elsewhere",
        "SELECT * FROM plain",
        "WITH p AS (SELECT * FROM plain) SELECT y, s FROM p;",
    ],
)
def test_tables_views_and_queries_are_read(server, asked):
    table = read_alchemy(server.url, asked, W)
    i = np.arange(1, 1001)
    assert counts_of(table).digest == br.count(i % 3 == 0, i / 7).digest
    assert table.path == server.shown
    assert table.sha256 == ""


def test_nan_and_null_are_found_in_their_rows(server):
    for name, row in (("nans", 4242), ("nulls", 17)):
        assert_refused(
            lambda name=name: counts_of(read_alchemy(server.url, name, W)),
            "BR201",
            rf"1 missing or NaN.*\(row {row}\)",
            server.shown,
        )


def test_minus_zero_and_infinity_are_scores(server):
    i = np.arange(1, 9001)
    expected = br.count(i % 2, np.choose(i % 3, [-0.0, 0.0, np.inf])).digest
    assert counts_of(read_alchemy(server.url, "zeros", W)).digest == expected


def test_text_labels_and_short_floats_are_read_as_they_are_printed(server):
    i = np.arange(1, 9001)
    counts = counts_of(read_alchemy(server.url, "texts", W))
    assert counts.digest == br.count(np.where(i % 2 == 0, "no", "yes"), (i % 3) / 10).digest


def test_numerics_uuids_and_days(server):
    table = read_alchemy(server.url, "wide", replace(W, id="id", day="day"))
    assert table.columns["y"].tolist()[:3] == [1, 0, 1]
    assert table.columns["day"].tolist()[:2] == ["2026-01-02", "2026-01-02"]
    assert len(table.columns["id"][0]) == 36
    counts = counts_of(table)
    assert counts.scores[0] == max(map(float, table.columns["s"]))


@pytest.mark.parametrize(
    ("column", "said"), [("s", "timestamps or dates"), ("list", "nested"), ("raw", "bytes")]
)
def test_columns_that_are_no_scores_are_refused(server, column, said):
    assert_refused(
        lambda: read_alchemy(server.url, "odd", replace(W, scores=(column,))),
        "BR209",
        said,
        server.shown,
    )


def test_odd_names_are_names(server):
    odd = "select; DROP TABLE plain; --"
    table = read_alchemy(server.url, odd, replace(W, scores=('s"x',)))
    assert table.columns["y"].tolist() == [0], "PostgreSQL tells Y from y"
    assert_refused(
        lambda: read_alchemy(
            server.url, "plain", replace(W, scores=('s" FROM plain; DROP TABLE plain; --',))
        ),
        "BR613",
        "no column",
    )
    assert read_alchemy(server.url, "plain", W).rows == 1000


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT 1; DROP TABLE plain", "semicolon"),
        (
            "WITH x AS (DELETE FROM plain RETURNING *) SELECT * FROM x",
            "must not contain data-modifying statements",
        ),
        ("SELECT y, s FROM plain) x, (SELECT 1", "syntax error"),
        ("SELECT y, s FROM nope", 'relation "nope" does not exist'),
        ("SELECT nextval('x') AS y, 1 AS s", "does not exist"),
        (
            "SELECT set_config('transaction_read_only', 'off', true) AS y, 1.0 AS s",
            "read-write mode must be set before any query",
        ),
        ("SELECT y, s / 0 AS s FROM plain", "division by zero"),
        ("SELECT $1 AS y, 1 AS s", "."),
    ],
)
def test_queries_only_read(server, query, said):
    assert_refused(lambda: read_alchemy(server.url, query, W), "BR718", said, server.shown)
    assert read_alchemy(server.url, "plain", W).rows == 1000


def test_functions_that_write_are_refused_by_the_server(server):
    import psycopg

    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION sneaky() RETURNS int LANGUAGE sql AS 'DELETE FROM plain; SELECT 1'"
        )
    assert_refused(
        lambda: read_alchemy(server.url, "SELECT sneaky() AS y, 1.0 AS s", W),
        "BR718",
        "read-only transaction",
    )
    assert read_alchemy(server.url, "plain", W).rows == 1000


def test_unknown_names_get_a_hint_and_empty_tables_a_line(server):
    assert_refused(
        lambda: read_alchemy(server.url, "plan", W),
        "BR717",
        'no table "plan".*Fix: perhaps "plain"',
        server.shown,
    )
    assert_refused(
        lambda: read_alchemy(server.url, "plain", replace(W, scores=("S",))),
        "BR613",
        'Fix: perhaps "s"',
        server.shown,
    )
    assert_refused(lambda: read_alchemy(server.url, "empty", W), "BR602", "no rows", server.shown)
    assert_refused(
        lambda: read_alchemy(server.url, "DROP TABLE plain", W), "BR717", "no table", server.shown
    )


def test_a_statement_that_the_server_gives_up_is_refused(server):
    slow = "SELECT 1 AS y, pg_sleep(20)::text AS s"
    hasty = f"{server.url}?options=-c%20statement_timeout%3D200"
    assert_refused(
        lambda: read_alchemy(hasty, slow, W),
        "BR718",
        "the query cannot be run: canceling statement due to statement timeout",
        server.shown,
    )


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # SQLAlchemy does not close such a cursor
def test_a_connection_that_is_lost_is_refused(server):
    lost = "SELECT 1 AS y, pg_terminate_backend(pg_backend_pid())::text AS s"
    assert_refused(
        lambda: read_alchemy(server.url, lost, W),
        "BR730",
        "terminating connection due to administrator command|server closed the connection",
        server.shown,
    )
    gc.collect()


def test_no_password_is_ever_shown(server):
    wrong = server.url.replace("pass%2F", "guess%2F")
    closed = server.url.replace(f":{server.port}/", ":1/")
    gone = server.url.replace("/postgres", "/nowhere")
    for url, said in (
        (wrong, "password authentication failed"),
        (closed, "Connection refused"),
        (gone, 'database "nowhere" does not exist'),
    ):
        problem = assert_refused(
            lambda url=url: read_alchemy(url, "plain", W), "BR730", said, shown_url(url)
        )
        assert "word" not in str(problem).replace("password", "").replace("BR730", "")
    for unclear in (
        "postgresql://a:b@c@localhost/x",
        "postgresql://a:b:c@localhost/x",
        "postgresql://a:b@localhost:port/x",
    ):
        problem = assert_refused(
            lambda url=unclear: read_alchemy(url, "plain", W), "BR730", "cannot be read"
        )
        assert problem.where.path is None
    option = f"{server.shown}?user=baserate&password=secret-7"
    problem = assert_refused(
        lambda: read_alchemy(option, "plain", W), "BR730", "authentication failed", server.shown
    )
    assert "secret-7" not in str(problem)


def test_what_may_be_shown_of_an_address():
    assert shown_url("postgresql://u:p%40@h:5/d?sslpassword=x#f") == "postgresql://h:5/d"
    assert shown_url("sqlite:///a/b.db") == "sqlite:///a/b.db"
    assert (
        without_secrets(
            "x://u:p%40ss@h/d?token=tok-9", "p@ss p%40ss tok-9 x://u:p%40ss@h/d?token=tok-9"
        )
        == "*** *** *** x://u:***@h/d?token=***"
    )


def test_who_may_not_read_is_told_so(server):
    assert read_alchemy(server.of("bob"), "plain", W).rows == 1000
    assert_refused(
        lambda: read_alchemy(server.of("bob"), "tied", W),
        "BR730",
        "permission denied for table tied",
        server.shown,
    )


def test_without_the_driver_one_line_says_how_to_get_it(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(table.importlib, "import_module", absent)
    assert_refused(
        lambda: read_alchemy("postgresql://h/d", "t", W),
        "BR714",
        r'not installed. Fix: pip install "baserate\[postgres\]"',
    )
