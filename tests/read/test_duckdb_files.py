"""DuckDB files: read-only, locked down, views welcome."""

import os
import subprocess
import sys
from dataclasses import replace

import duckdb
import pytest
from tests.read.tables import W, assert_refused, counts_of, mutants, read_duckdb

import baserate as br
from baserate.read import quotas


def written(path, *statements):
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT * FROM (VALUES (0, 0.1::DOUBLE, 'a'), (1, 0.4, NULL), (0,"
            " 0.35, 'b'), (1, 0.8, 'a')) v(y, s, g)"
        )
        for statement in statements:
            connection.execute(statement)
    return str(path)


def test_tables_views_and_queries_are_read(tmp_path):
    path = written(
        tmp_path / "a.duckdb",
        "CREATE SCHEMA other",
        "CREATE TABLE other.u AS FROM t",
        'CREATE VIEW "select" AS FROM t',
    )
    expected = br.count([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]).digest
    for asked in (
        "t",
        "main.t",
        "u",
        "other.u",
        "select",
        "FROM t",
        "(SELECT y, s, g FROM t)",
        "-- all\nSELECT * FROM t ; ",
    ):
        table = read_duckdb(path, asked, replace(W, group="g"))
        assert counts_of(table).digest == expected
        assert table.columns["g"].tolist() == ["a", None, "b", "a"]


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"])
@pytest.mark.parametrize(
    "times",
    [
        ["2024-01-01 10:00:00", None, "2024-02-29 23:59:59"],
        ["1969-12-31 23:59:59", "1970-01-01 00:00:00"],
        ["1700-01-01 01:00:00", "2024-01-01 01:00:00"],  # farther apart than there are codes
        [None, None],
        ["infinity", "2024-01-01 00:00:00", "-infinity"],
        ["infinity", None],
    ],
)
def test_days_of_times_are_those_that_are_written(tmp_path, kind, times):
    path = written(tmp_path / "a.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(
            f"CREATE TABLE d AS SELECT CAST(unnest(CAST(? AS VARCHAR[])) AS {kind}) AS d, 1 AS y,"
            " 0.5 AS s",
            [times],
        )
    found = read_duckdb(path, "d", replace(W, day="d")).columns["d"]
    assert found.tolist() == [time and time.partition(" ")[0] for time in times]


@pytest.mark.parametrize(
    ("column", "code", "said"),
    [
        ("NULL::DOUBLE", "BR201", r"4 missing.*\(rows 1, 2, 3 …\)"),
        ("CASE WHEN s > 0.5 THEN NULL ELSE 5::BIGINT END", "BR201", r"\(row 4\)"),
        ("'nan'::DOUBLE", "BR201", "4 missing or NaN"),
        ("TIMESTAMP '2026-01-01'", "BR209", "timestamps or dates, not scores"),
        ("DATE '2026-01-01'", "BR209", "timestamps or dates"),
        ("INTERVAL 1 DAY", "BR209", "not scores"),
        ("[s]", "BR209", "nested"),
        ("{'a': s}", "BR209", "nested"),
        ("'x'::BLOB", "BR209", "bytes"),
        ("'x'", "BR208", "not numbers"),
        ("170141183460469231731687303715884105727::HUGEINT", "BR215", "64-bit integer"),
    ],
)
def test_columns_that_are_no_scores_are_refused(tmp_path, column, code, said):
    path = written(tmp_path / "a.duckdb")
    assert_refused(
        lambda: counts_of(read_duckdb(path, f"SELECT y, {column} AS s FROM t", W)), code, said, path
    )


def test_wide_numbers_enums_and_decimals_keep_their_values(tmp_path):
    path = written(tmp_path / "a.duckdb", "CREATE TYPE e AS ENUM ('no', 'yes')")
    query = "SELECT CASE WHEN y = 1 THEN 'yes' ELSE 'no' END::e AS y, {} AS s FROM t"
    wide = read_duckdb(path, query.format("(s * 100)::HUGEINT + 9007199254740993"), W)
    assert counts_of(wide).scores.tolist() == [
        9007199254741073,
        9007199254741033,
        9007199254741028,
        9007199254741003,
    ]
    assert read_duckdb(path, query.format("s::DECIMAL(38, 10)"), W).columns["s"].tolist() == [
        0.1,
        0.4,
        0.35,
        0.8,
    ]
    assert read_duckdb(path, query.format("sum(s) OVER (ROWS UNBOUNDED PRECEDING)"), W).rows == 4


REACHING = [
    "SELECT y, s FROM read_csv('/etc/passwd')",
    "SELECT content AS y, 1 AS s FROM read_text('/etc/passwd')",
    "SELECT file AS y, 1 AS s FROM glob('/etc/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_parquet('https://example.org/x.parquet')",
    "SELECT \"Delimiter\" AS y, 1 AS s FROM sniff_csv('/etc/passwd')",
    "SELECT y, s FROM a_variable_of_python",
    "SELECT 1 AS y, 2 AS s; DROP TABLE t",
    "WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 2, 'x'",
    "SELECT 1 AS y FROM t) x, (SELECT 2 AS s",
    "SELECT y, s FROM nope",
    "SELECT ? AS y, 1 AS s",
    "FROM query('DROP TABLE t')",
    "SELECT nextval('no_such')  AS y, 1 AS s",
]


@pytest.mark.parametrize("query", REACHING)
def test_queries_reach_nothing_but_the_file_and_only_read(tmp_path, query):
    path = written(tmp_path / "a.duckdb")
    a_variable_of_python = {"y": [1], "s": [0.5]}  # noqa: F841
    before = (tmp_path / "a.duckdb").read_bytes()
    assert_refused(lambda: read_duckdb(path, query, W), "BR718", ".", path)
    assert (tmp_path / "a.duckdb").read_bytes() == before


@pytest.mark.parametrize(
    "asked",
    [
        "DROP TABLE t",
        "ATTACH '/tmp/x'",
        "COPY t TO '/tmp/x'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "tt",
        "",
        't"; DROP TABLE t; --',
    ],
)
def test_what_is_neither_table_nor_query_is_refused(tmp_path, asked):
    path = written(tmp_path / "a.duckdb")
    assert_refused(
        lambda: read_duckdb(path, asked, W), "BR717", 'has no table.*it has "main.t"', path
    )


def test_a_view_that_reads_another_file_is_refused(tmp_path):
    (tmp_path / "secret.csv").write_text("y,s\n1,2\n")
    path = written(
        tmp_path / "a.duckdb", f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path}/secret.csv')"
    )
    assert_refused(lambda: read_duckdb(path, "v", W), "BR718", "disabled by configuration", path)


def test_tables_of_one_name_need_their_schema_and_columns_a_hint(tmp_path):
    path = written(
        tmp_path / "a.duckdb",
        "CREATE SCHEMA c",
        "CREATE SCHEMA d",
        "CREATE TABLE c.u AS FROM t",
        "CREATE TABLE d.u AS FROM t",
    )
    assert_refused(
        lambda: read_duckdb(path, "u", W), "BR717", 'has 2 tables "u". Fix: write c.u or d.u', path
    )
    assert_refused(
        lambda: read_duckdb(path, "t", replace(W, label="Y")), "BR613", 'perhaps "y"', path
    )
    assert_refused(lambda: read_duckdb(path, "tt", W), "BR717", 'Fix: perhaps "t"', path)
    assert_refused(
        lambda: read_duckdb(path, "SELECT y, s FROM t WHERE y > 5", W), "BR602", "no rows", path
    )


def test_a_database_that_another_process_holds_is_refused_with_its_number(tmp_path):
    path = written(tmp_path / "a.duckdb")
    script = (
        f"import duckdb, sys; c = duckdb.connect({path!r}); print('open', flush=True);"
        " sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "open\n"
        assert_refused(
            lambda: read_duckdb(path, "t", W), "BR706", f"is locked by process {holder.pid}", path
        )
        holder.stdin.close()
        holder.wait(30)
    assert read_duckdb(path, "t", W).rows == 4


def test_a_database_that_is_open_here_is_refused(tmp_path):
    path = written(tmp_path / "a.duckdb")
    with duckdb.connect(path):
        assert_refused(
            lambda: read_duckdb(path, "t", W), "BR706", "open in this Python process", path
        )


def test_a_log_beside_the_database_is_read_with_it(tmp_path):
    path = written(tmp_path / "a.duckdb")
    alone = read_duckdb(path, "t", W)
    script = (
        f'import duckdb, os; c = duckdb.connect({path!r}); c.execute("INSERT INTO t VALUES (1,'
        " 0.9, 'z')\"); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert sorted(os.listdir(tmp_path)) == ["a.duckdb", "a.duckdb.wal"]
    latest = read_duckdb(path, "t", W)
    assert (alone.rows, latest.rows) == (4, 5)
    assert alone.sha256 != latest.sha256


def test_what_is_no_whole_database_is_refused(tmp_path):
    path = tmp_path / "a.duckdb"
    path.write_bytes(b"hello" * 10_000)
    assert_refused(
        lambda: read_duckdb(str(path), "t", W), "BR706", "is not a DuckDB database", path
    )
    written(tmp_path / "b.duckdb")
    data = bytearray((tmp_path / "b.duckdb").read_bytes())
    path.write_bytes(data[: len(data) // 2])
    assert_refused(lambda: read_duckdb(str(path), "t", W), "BR706", ".", path)
    data[12] = 200  # the version of the storage, which the header's checksum covers
    path.write_bytes(data)
    assert_refused(
        lambda: read_duckdb(str(path), "t", W), "BR706", "cannot be opened by DuckDB", path
    )


def test_mutations_are_read_or_refused(tmp_path):
    path = written(
        tmp_path / "a.duckdb",
        "CREATE TABLE u AS SELECT (i % 2)::INT AS y, i / 7 AS s, 'abc'[i % 3 + 1] AS g FROM"
        " range(400) r(i)",
        "CHECKPOINT",
    )
    assert mutants("duckdb", path, 120, asked="u")["refused"] > 20


ENDLESS = {
    "rows": (
        "SELECT i % 2 AS y, i * 0.5 AS s, 'a' AS g FROM range(100000000000) t(i) WHERE i %"
        " 1000000 = 0"
    ),
    "recursion": (
        "WITH RECURSIVE n(y) AS (SELECT 1 UNION ALL SELECT 1 - y FROM n) SELECT y, 0.5 AS s FROM n"
        " WHERE y > 1"
    ),
    "product": (
        "SELECT count(*) AS y, 0.5 AS s FROM range(100000000) a(i), range(1000000) b(j) WHERE i *"
        " j = 3"
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_query_without_an_end_is_ended(tmp_path, monkeypatch, name):
    path = written(tmp_path / "a.duckdb", f"CREATE VIEW v AS {ENDLESS[name]}")
    monkeypatch.setattr(quotas, "PATIENCE_S", 0)
    for asked in ("v", ENDLESS[name]):
        assert_refused(
            lambda asked=asked: read_duckdb(path, asked, W),
            "BR707",
            "the query takes longer than 0 s .* nothing was counted",
            path,
        )


def test_a_view_of_more_rows_than_the_file_can_hold_is_ended_before_memory_is_short(
    tmp_path, monkeypatch
):
    path = written(
        tmp_path / "a.duckdb",
        "CREATE VIEW v AS SELECT i % 2 AS y, i * 0.5 AS s, 'a' AS g FROM range(100000000000) t(i)",
    )
    monkeypatch.setattr(quotas, "MOST_HELD", 200 * 10**6)
    monkeypatch.setattr(quotas, "HELD_A_BYTE", 0)
    said = r"the query gives more than 200\.0 MB .* nothing was counted"
    assert_refused(lambda: read_duckdb(path, "v", W), "BR702", said, path)
