"""SQLite: read-only, one type a column, and no statement that does more than read."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from tests.read.tables import W, assert_refused, counts_of, mutants, read_sqlite

import baserate as br
from baserate.read import quotas

ROWS = [(0, 0.1, "a"), (1, 0.4, "b"), (0, 0.35, None), (1, 0.8, "a")]


def written(path, rows=ROWS, columns="y INTEGER, s REAL, g TEXT", mode="DELETE", then=()):
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute(f"CREATE TABLE t ({columns})")
    if rows:
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(rows[0]))})", rows)
    for statement in then:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return str(path)


def test_a_table_is_counted_as_its_columns_are(tmp_path):
    table = read_sqlite(written(tmp_path / "a.db"), "t", replace(W, group="g"))
    assert counts_of(table).digest == br.count([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]).digest
    assert table.columns["g"].tolist() == ["a", "b", None, "a"]
    assert len(table.sha256) == 64


def test_whole_numbers_beside_fractions_and_text_that_spells_numbers(tmp_path):
    rows = [(0, 1, "1"), (1, 0.5, "0.5"), (0, 3, "2.5"), (1, 2, "4")]
    path = written(tmp_path / "a.db", rows, "y, s NUMERIC, t TEXT")
    assert read_sqlite(path, "t", W).columns["s"].tolist() == [1.0, 0.5, 3.0, 2.0]
    table = read_sqlite(path, "t", replace(W, scores=("t",)))
    assert (
        counts_of(table, replace(W, scores=("t",))).digest
        == br.count([0, 1, 0, 1], [1, 0.5, 2.5, 4]).digest
    )
    path = written(tmp_path / "b.db", [(0, 2**53 + 1), (1, 0.5), (0, 1), (1, 2)], "y, s")
    assert_refused(lambda: counts_of(read_sqlite(path, "t", W)), "BR215", "beyond 2")
    path = written(tmp_path / "c.db", [(0, 2**53 + 1), (1, 2**53), (0, 1), (1, 2)], "y, s")
    assert counts_of(read_sqlite(path, "t", W)).scores.tolist() == [2**53 + 1, 2**53, 2, 1]


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        (
            [(0, 0.1), (1, "x"), (0, 0.2)],
            "BR208",
            r'"s" mixes types: numbers \(2, such as 0.1\), text \(1, such as "x"\) \(row 2\)',
        ),
        (
            [(0, 0.1), ("1", 0.3), (0, 0.2)],
            "BR107",
            r'"y" mixes types: numbers \(2, such as 0\), text \(1, such as "1"\) \(row 2\)',
        ),
        ([(0, 0.1), (1, b"x"), (0, 0.2)], "BR208", r"mixes types: numbers .* bytes"),
        ([(0, b"x"), (1, b"x")], "BR209", '"s" holds bytes, not scores'),
        ([(0, 0.1), (1, None), (0, 0.2)], "BR201", r"1 missing.*\(row 2\)"),
        ([(0, 1), (1, None), (0, 2)], "BR201", r"\(row 2\)"),
        ([(0, 1), (None, 3), (0, 2)], "BR105", r"\(row 2\)"),
        ([(0, "0.1"), (1, "x"), (1, "0.3")], "BR208", r'not a number, such as "x" \(row 2\)'),
        ([], "BR602", "no rows"),
    ],
    ids=str,
)
def test_columns_that_cannot_be_counted_are_refused_with_examples(tmp_path, rows, code, said):
    path = written(tmp_path / "a.db", rows, "y, s")
    assert_refused(lambda: counts_of(read_sqlite(path, "t", W)), code, said, path)


def test_mixed_groups_are_refused_and_a_row_after_many_is_named(tmp_path):
    rows = [(i % 2, i / 1e6, str(i % 7)) for i in range(70_000)]
    path = written(tmp_path / "a.db", [*rows, (1, 0.5, 7)], "y, s, g")
    assert_refused(
        lambda: read_sqlite(path, "t", replace(W, group="g")),
        "BR413",
        r"numbers \(1, such as 7\) \(row 70001\)",
        path,
    )
    assert (
        read_sqlite(path, "SELECT y, s, CAST(g AS TEXT) AS g FROM t", replace(W, group="g")).rows
        == 70_001
    )


FORBIDDEN = [
    "SELECT y, s FROM t; DROP TABLE t",
    "WITH a AS (SELECT 1) DELETE FROM t",
    "WITH a AS (SELECT 1) INSERT INTO t SELECT 1, 2, 3",
    "SELECT load_extension('/tmp/x.so') AS y, 1 AS s",
    "SELECT * FROM pragma_table_info('t')",
    "SELECT y, s FROM t) UNION SELECT 1, 2 FROM (t",
    "SELECT y, s FROM t WHERE y = ?",
    "SELECT y, s FROM nope",
    "SELECT y, s FROM",
    "SELECT y, s FROM t \0",
]


@pytest.mark.parametrize("query", FORBIDDEN)
def test_queries_only_read(tmp_path, query):
    path = written(tmp_path / "a.db")
    before = (tmp_path / "a.db").read_bytes()
    assert_refused(lambda: read_sqlite(path, query, W), "BR718", "the query cannot be run", path)
    assert (tmp_path / "a.db").read_bytes() == before


@pytest.mark.parametrize(
    "asked",
    [
        "DROP TABLE t",
        "ATTACH '/tmp/x' AS x",
        "PRAGMA writable_schema = 1",
        "VACUUM INTO 'x'",
        "tt",
        "",
        "t; DROP TABLE t",
    ],
)
def test_what_is_neither_table_nor_query_is_refused(tmp_path, asked):
    path = written(tmp_path / "a.db")
    assert_refused(lambda: read_sqlite(path, asked, W), "BR717", "has no table", path)
    assert os.listdir(tmp_path) == ["a.db"]


def test_views_that_do_more_than_read_are_refused_too(tmp_path):
    hidden = "CREATE VIEW v AS SELECT y, load_extension('/tmp/x.so') AS s FROM t"
    path = written(tmp_path / "a.db", then=[hidden])
    assert_refused(lambda: read_sqlite(path, "v", W), "BR718", "load_extension", path)


def test_unknown_columns_get_a_hint(tmp_path):
    path = written(tmp_path / "a.db", columns="label, score, g")
    assert_refused(
        lambda: read_sqlite(path, "t", W),
        "BR613",
        'no column "y" or "s"; it has "label", "score", "g"',
        path,
    )
    assert_refused(
        lambda: read_sqlite(path, "t", replace(W, label="label", scores=("scores",))),
        "BR613",
        'Fix: perhaps "score"',
        path,
    )
    assert_refused(lambda: read_sqlite(path, "T", W), "BR717", 'Fix: perhaps "t"', path)


def test_a_locked_database_is_refused(tmp_path):
    path = written(tmp_path / "a.db")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    assert_refused(lambda: read_sqlite(path, "t", W), "BR706", "locked by another program", path)
    writer.execute("ROLLBACK")
    writer.close()
    assert read_sqlite(path, "t", W).rows == 4


def test_a_log_beside_the_database_is_read_with_it(tmp_path):
    path = written(tmp_path / "a.db", mode="WAL")
    alone = read_sqlite(path, "t", W)
    assert os.listdir(tmp_path) == ["a.db"], "reading writes nothing"
    writer = sqlite3.connect(path)
    writer.execute("INSERT INTO t VALUES (1, 0.9, 'z')")
    writer.commit()
    assert sorted(os.listdir(tmp_path)) == ["a.db", "a.db-shm", "a.db-wal"]
    latest = read_sqlite(path, "t", W)
    writer.close()
    assert (alone.rows, latest.rows) == (4, 5)
    assert alone.sha256 != latest.sha256


def test_an_unfinished_change_is_never_read(tmp_path):
    """A journal left by a program that died: the file holds half of a change until somebody rolls
    it back.
    """
    path = written(tmp_path / "a.db", [(i % 2, i / 1000, "x" * 500) for i in range(1000)])
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size = 5")
    writer.execute("BEGIN")
    writer.execute("UPDATE t SET s = 7")
    for name in ("a.db", "a.db-journal"):
        (tmp_path / f"copy-{name}").write_bytes((tmp_path / name).read_bytes())
    writer.execute("ROLLBACK")
    writer.close()
    copy = tmp_path / "copy-a.db"
    os.chmod(copy, 0o644)
    try:
        scores = read_sqlite(str(copy), "t", W).columns["s"]
    except br.InputError as error:
        assert error.code == "BR706"
    else:
        assert 7 not in scores


def test_what_is_no_whole_database_is_refused(tmp_path):
    path = tmp_path / "a.db"
    written(tmp_path / "b.db", [(i % 2, i / 1000, "x" * 500) for i in range(1000)])
    data = (tmp_path / "b.db").read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert_refused(lambda: read_sqlite(str(path), "t", W), "BR706", "damaged", path)
    path.write_bytes(data[:18] + b"\x09\x09" + data[20:])
    assert_refused(
        lambda: read_sqlite(str(path), "t", W), "BR706", "newer SQLite|damaged|not finished", path
    )
    path.write_bytes(data[:4096] + os.urandom(len(data) - 4096))
    assert_refused(lambda: read_sqlite(str(path), "t", W), "BR706", "damaged", path)


def test_text_that_is_no_utf8_is_refused(tmp_path):
    path = written(tmp_path / "a.db", then=["INSERT INTO t VALUES (1, 0.5, CAST(x'ff41' AS TEXT))"])
    assert_refused(lambda: read_sqlite(path, "t", replace(W, group="g")), "BR601", "decode", path)


@pytest.mark.parametrize("name", ["a b#?%41.db", "ünï'\".db", "file:x.db", "x.db?mode=rwc"])
def test_odd_names_of_files_are_read_as_they_are(tmp_path, name):
    assert read_sqlite(written(tmp_path / name), "t", W).rows == 4
    assert os.listdir(tmp_path) == [name]


def test_a_missing_file_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none[.]db"):
        read_sqlite(str(tmp_path / "none.db"), "t", W)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("cut", [1, 11, 500])
def test_a_file_without_its_last_bytes_is_refused(tmp_path, cut):
    """SQLite would read zeros there: the first row of the last page, with a score of 0.0."""
    path = written(tmp_path / "a.db")
    with open(path, "r+b") as file:
        file.truncate(os.fstat(file.fileno()).st_size - cut)
    assert_refused(
        lambda: read_sqlite(path, "t", W), "BR706", "is damaged: its last page is cut off", path
    )


def test_mutations_are_read_or_refused(tmp_path):
    path = written(
        tmp_path / "a.db",
        [(i % 2, i / 7, "abc"[i % 3]) for i in range(400)],
        then=["CREATE INDEX i ON t (s)", "CREATE VIEW v AS SELECT * FROM t"],
    )
    assert mutants("sqlite", path, 200, asked="t")["refused"] > 20
    assert (
        mutants("sqlite", path, 200, seed=1, asked="SELECT y, s, g FROM v ORDER BY s")["refused"]
        > 20
    )


ENDLESS = (
    "WITH RECURSIVE n(y) AS (SELECT 1 UNION ALL SELECT 1 - y FROM n) SELECT y, 0.5 AS s FROM n"
    " WHERE y > 1"
)


@pytest.mark.parametrize("asked", ["v", ENDLESS])
def test_a_query_without_an_end_is_ended(tmp_path, monkeypatch, asked):
    path = str(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE VIEW v AS {ENDLESS}")
        connection.commit()
    monkeypatch.setattr(quotas, "PATIENCE_S", 0)
    assert_refused(
        lambda: read_sqlite(path, asked, W),
        "BR707",
        "the query takes longer than 0 s .* nothing was counted",
        path,
    )
