"""Names from outside: quoted in one place, looked up in the schema, and never anything but
names.
"""

import sqlite3
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from tests.read.tables import (
    W,
    assert_refused,
    read_alchemy,
    read_duckdb,
    read_parquet,
    read_sqlite,
)

from baserate.read import duckdb as duckdb_reader
from baserate.read.duckdb import literally, locked
from baserate.read.table import (
    ColumnRoles,
    TableName,
    check_columns,
    find_table,
    identifier,
    is_query,
    one_statement,
)

ODD = [
    '"; DROP TABLE canary; --',
    "'; DROP TABLE canary; --",
    'a"b""c',
    "a'b",
    "a b",
    "a.b",
    "a;b",
    "a--b",
    "a/*b*/",
    "a\\",
    "?",
    "$1",
    ":x",
    "%s",
    "{0}",
    "select",
    "from",
    "ünïcode ☃",
    "東京",
    "\u202egnp",
    "tab\there",
    "new\nline",
    "1",
    "*",
    "",
    "x" * 1000,
]
NAMES = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30),
)


@given(NAMES)
def test_any_name_survives_both_engines(name):
    connection = sqlite3.connect(":memory:")
    assert connection.execute(f"SELECT 7 AS {identifier(name)}").description[0][0] == name
    connection.close()
    if name:  # DuckDB has no empty names
        with duckdb.connect() as other:
            assert other.execute(f"SELECT 7 AS {identifier(name)}").description[0][0] == name


def test_a_name_with_a_nul_is_never_quoted():
    with pytest.raises(ValueError, match="NUL"):
        identifier("a\0b")


@pytest.mark.parametrize("name", [name for name in ODD if name])
def test_odd_names_of_tables_and_columns_are_read_and_drop_nothing(tmp_path, name):
    wanted = ColumnRoles(name, ("s",))
    lite, duck = str(tmp_path / "a.db"), str(tmp_path / "a.duckdb")
    connection = sqlite3.connect(lite)
    other = duckdb.connect(duck)
    for each in (connection, other):
        each.execute("CREATE TABLE canary (x INT)")
        each.execute(
            f"CREATE TABLE {identifier(name)} ({identifier(name)} INT, s DOUBLE PRECISION)"
        )
        each.execute(f"INSERT INTO {identifier(name)} VALUES (0, 0.25), (1, 0.75)")
    connection.commit()
    connection.close()
    other.close()
    parquet.write_table(pa.table({name: [0, 1], "s": [0.25, 0.75]}), tmp_path / "a.parquet")
    tables = [
        read_sqlite(lite, name, wanted),
        read_duckdb(duck, name, wanted),
        read_alchemy(f"sqlite:///{lite}", name, wanted),
    ]
    for table in [*tables, read_parquet(str(tmp_path / "a.parquet"), wanted)]:
        assert table.columns[name].tolist() == [0, 1]
        assert table.columns["s"].tolist() == [0.25, 0.75]
    with sqlite3.connect(lite) as again:
        assert again.execute("SELECT count(*) FROM canary").fetchone() == (0,)
    again.close()
    with duckdb.connect(duck) as again:
        assert again.execute("SELECT count(*) FROM canary").fetchone() == (0,)


@pytest.mark.parametrize("name", [*ODD, 's" FROM canary; --', 's", (SELECT 1) AS "z', "nul\0"])
def test_names_that_are_not_there_are_refused_and_reach_no_engine(tmp_path, name):
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE t (y INT, s REAL)")
    connection.execute("INSERT INTO t VALUES (1, 0.5)")
    connection.commit()
    connection.close()
    with duckdb.connect(str(tmp_path / "a.duckdb")) as other:
        other.execute("CREATE TABLE t AS SELECT 1 AS y, 0.5::DOUBLE AS s")
    parquet.write_table(pa.table({"y": [1], "s": [0.5]}), tmp_path / "a.parquet")
    wanted = replace(W, scores=(name,))
    for read in (
        lambda: read_sqlite(str(tmp_path / "a.db"), "t", wanted),
        lambda: read_duckdb(str(tmp_path / "a.duckdb"), "t", wanted),
        lambda: read_parquet(str(tmp_path / "a.parquet"), wanted),
        lambda: read_alchemy(f"sqlite:///{tmp_path}/a.db", "t", wanted),
    ):
        if name:
            assert_refused(read, "BR613", "has no column")


def test_hints_name_what_was_meant():
    assert_refused(
        lambda: check_columns("f", ["label", "score_a"], ["labels"]),
        "BR613",
        'no column "labels"; it has "label", "score_a". Fix: perhaps "label"',
    )
    assert_refused(
        lambda: check_columns("f", [f"c{n}" for n in range(20)], ["zzz"]),
        "BR613",
        '"c7" …. Fix: use one of those',
    )
    assert_refused(
        lambda: check_columns("f", ["A", "a"], ["a"], folds=True),
        "BR607",
        "differ by case alone. Fix: rename one of them",
    )
    assert_refused(
        lambda: check_columns("f", ["AB", "ab"], ["aB"]), "BR607", 'Fix: write "AB" or "ab"'
    )
    check_columns("f", ["A", "a"], ["a"])
    tables = [TableName("main", "cases"), TableName("x", "cases"), TableName("", "scores")]
    assert find_table("f", tables, "main.cases") == tables[0]
    assert find_table("f", tables, "select 1") is None
    assert_refused(lambda: find_table("f", tables, "cases"), "BR717", "write main.cases or x.cases")
    assert_refused(lambda: find_table("f", tables, "score"), "BR717", 'perhaps "scores"')
    assert_refused(lambda: find_table("f", [], "score"), "BR717", "it has none")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("SELECT 1", True),
        ("  \n( with x", True),
        ("-- note\nselect 1", True),
        ("/* a\nb */ Select 1", True),
        ("select", False),
        ("selected 1", False),
        ("DROP TABLE x", False),
        ("", False),
        ("-- only", False),
    ],
)
def test_queries_are_told_from_names(text, query):
    assert is_query(text) is query


def test_one_statement_is_asked_for():
    assert one_statement("f", "SELECT 1 ; ") == "SELECT 1"
    assert_refused(lambda: one_statement("f", "SELECT ';'"), "BR718", "semicolon")
    assert_refused(lambda: one_statement("f", "DELETE FROM x"), "BR718", "not a SELECT")


@pytest.fixture
def shut(tmp_path):
    parquet.write_table(pa.table({"v": [1]}), tmp_path / "in.parquet")
    parquet.write_table(pa.table({"v": [2]}), tmp_path / "out.parquet")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "out.parquet")
    with locked([str(tmp_path / "in.parquet")]) as connection:
        yield connection


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM read_parquet('{0}/out.parquet')",
        "SELECT * FROM read_parquet('{0}/../{1}/out.parquet')",
        "SELECT * FROM read_parquet('{0}/in.parquet/../out.parquet')",
        "SELECT * FROM read_parquet('{0}/link.parquet')",
        "SELECT * FROM read_parquet('{0}/*.parquet')",
        "SELECT * FROM read_parquet('file://{0}/out.parquet')",
        "SELECT * FROM read_csv('https://example.org/x.csv')",
        "ATTACH '{0}/x.db'",
        "ATTACH '{0}/x.db' (TYPE sqlite)",
        "COPY (SELECT 1) TO '{0}/stolen.csv'",
        "EXPORT DATABASE '{0}/stolen'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '{0}/x.duckdb_extension'",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET lock_configuration = false",
        "RESET lock_configuration",
        "SET autoinstall_known_extensions = true",
        "CREATE SECRET s (TYPE s3, KEY_ID 'x')",
        "PRAGMA enable_profiling = '{0}/x'",
        "CHECKPOINT '{0}/x'",
    ],
)
def test_a_locked_connection_reaches_only_what_it_was_given(shut, tmp_path, statement):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(
        duckdb.Error,
        match=r"(?i)permission|disabled|locked|not allowed|cannot|not be found|does not exist",
    ):
        shut.execute(statement.format(tmp_path, tmp_path.name)).fetchall()
    assert sorted(tmp_path.iterdir()) == before
    assert shut.execute(
        "SELECT v FROM read_parquet(?)", [str(tmp_path / "in.parquet")]
    ).fetchall() == [(1,)]


def test_nothing_is_loaded_from_elsewhere_by_itself(shut):
    settings = dict(shut.execute("SELECT name, value FROM duckdb_settings()").fetchall())
    assert (
        settings["autoload_known_extensions"] == settings["autoinstall_known_extensions"] == "false"
    )
    assert settings["enable_external_access"] == "false"
    assert settings["lock_configuration"] == "true"
    assert settings["temp_directory"] == ""


def test_patterns_in_names_are_no_patterns():
    assert literally("/a/x*[1]?.parquet") == "/a/x[*][[]1][?].parquet"


def test_foreign_messages_are_cut_and_harmless():
    assert len(duckdb_reader.reason(Exception("x" * 5000))) == duckdb_reader.MOST_REASON
    assert duckdb_reader.reason(Exception("one\x1b[31m\ntwo")) == "one\\x1b[31m"
    assert duckdb_reader.reason(Exception()) == "Exception"
