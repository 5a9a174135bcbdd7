"""Any database through SQLAlchemy: streamed rows, one kind of value a column, never committed."""

import datetime
import os
from dataclasses import replace
from decimal import Decimal

import pytest
import sqlalchemy as sa
from tests.read.tables import W, assert_refused, counts_of, read_alchemy

import baserate as br
from baserate.read import table


@pytest.fixture
def url(tmp_path):
    address = f"sqlite:///{tmp_path}/a.db"
    engine = sa.create_engine(address)
    metadata = sa.MetaData()
    table = sa.Table(
        "t",
        metadata,
        sa.Column("y", sa.Boolean),
        sa.Column("s", sa.Float),
        sa.Column("n", sa.Numeric(20, 4)),
        sa.Column("day", sa.Date),
    )
    mixed = sa.Table(
        "mixed",
        metadata,
        sa.Column("y", sa.Integer),
        sa.Column("s", sa.Text),
        sa.Column("b", sa.LargeBinary),
    )
    metadata.create_all(engine)
    with engine.begin() as connection:
        rows = [(False, 0.1), (True, 0.4), (False, 0.35), (True, 0.8)]
        connection.execute(
            table.insert(),
            [
                {"y": y, "s": s, "n": Decimal(str(s)), "day": datetime.date(2026, 1, 1)}
                for y, s in rows
            ],
        )
        connection.execute(
            mixed.insert(), [{"y": 0, "s": "0.5", "b": b"x"}, {"y": 1, "s": None, "b": b"x"}]
        )
        connection.exec_driver_sql("CREATE VIEW v AS SELECT y, s FROM t")
    engine.dispose()
    return address


def test_tables_views_and_queries_are_read(url):
    expected = br.count([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]).digest
    for asked in ("t", "v", "SELECT s, y FROM t", "SELECT * FROM t;"):
        table = read_alchemy(url, asked, W)
        assert counts_of(table).digest == expected
        assert table.path == url


def test_types_of_columns_are_kept(url):
    wanted = replace(W, scores=("n",), day="day")
    table = read_alchemy(url, "t", wanted)
    assert table.columns["n"].tolist() == [0.1, 0.4, 0.35, 0.8]
    assert table.columns["day"].tolist() == ["2026-01-01"] * 4


def test_what_is_missing_or_of_the_wrong_type_is_refused(url):
    assert_refused(
        lambda: counts_of(read_alchemy(url, "mixed", W)), "BR201", r"1 missing.*\(row 2\)", url
    )
    assert_refused(
        lambda: read_alchemy(url, "mixed", replace(W, scores=("b",))), "BR209", "bytes", url
    )
    assert_refused(
        lambda: read_alchemy(url, "SELECT y, CASE WHEN y THEN 'x' ELSE s END AS s FROM t", W),
        "BR208",
        r"mixes types.*\(rows 2 …\)",
        url,
    )
    assert_refused(
        lambda: read_alchemy(url, "SELECT y, s FROM t WHERE s > 9", W), "BR602", "no rows", url
    )


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ("tt", "BR717", 'no table "tt"; it has "mixed", "t", "v". Fix: perhaps "t"'),
        ("DROP TABLE t", "BR717", "no table"),
        ("SELECT 1; DROP TABLE t", "BR718", "semicolon"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "BR718", "readonly|read-only|attempt to write"),
        ("SELECT * FROM nope", "BR718", "no such table"),
        ("SELECT y FROM t", "BR613", 'no column "s"'),
        ("nope.t", "BR717", "no table"),
    ],
)
def test_what_does_not_read_is_refused(url, asked, code, said):
    assert_refused(lambda: read_alchemy(url, asked, W), code, said, url)
    assert read_alchemy(url, "t", W).rows == 4


def test_addresses_that_lead_nowhere_are_refused_without_their_passwords(tmp_path):
    assert_refused(
        lambda: read_alchemy("nodb://u:secret@h/d", "t", W), "BR730", 'knows no database "nodb"'
    )
    assert_refused(lambda: read_alchemy("sqlite://a:b@c@d/x", "t", W), "BR730", "cannot be read")
    problem = assert_refused(
        lambda: read_alchemy("mysql+nothere://u:secret@h/d", "t", W), "BR730", "knows no database"
    )
    assert "secret" not in str(problem)
    with pytest.raises(FileNotFoundError, match=r"none[.]db"):
        read_alchemy(f"sqlite:///{tmp_path}/none.db", "t", W)
    assert os.listdir(tmp_path) == []
    (tmp_path / "bad.db").write_bytes(b"hello" * 1000)
    assert_refused(
        lambda: read_alchemy(f"sqlite:///{tmp_path}/bad.db", "t", W), "BR718", "not a database"
    )


def test_a_driver_that_is_not_there_is_named():
    pytest.importorskip("sqlalchemy")
    try:
        import MySQLdb  # noqa: F401
    except ImportError:
        assert_refused(
            lambda: read_alchemy("mysql://u:secret@h/d", "t", W),
            "BR714",
            'driver "MySQLdb" is not installed',
        )


def test_postgresql_through_sqlalchemy_keeps_the_same_rules(postgres):
    pytest.importorskip("psycopg", reason="needs psycopg")
    url = postgres.url.replace("postgresql:", "postgresql+psycopg:")
    shown = postgres.shown.replace("postgresql:", "postgresql+psycopg:")
    query = "SELECT i % 2 AS y, i::numeric / 8 AS s, ':x' AS t FROM generate_series(1, 100) i"
    i = range(1, 101)
    assert (
        counts_of(read_alchemy(url, query, W)).digest
        == br.count([n % 2 for n in i], [n / 8 for n in i]).digest
    )
    assert_refused(
        lambda: read_alchemy(
            url, "WITH x AS (DELETE FROM pg_class RETURNING *) SELECT * FROM x", W
        ),
        "BR718",
        ".",
        shown,
    )
    wrong = url.replace("pass%2F", "guess%2F")
    problem = assert_refused(
        lambda: read_alchemy(wrong, query, W), "BR730", "password authentication failed", shown
    )
    assert "guess" not in str(problem)


def test_without_sqlalchemy_one_line_says_how_to_get_it(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(table.importlib, "import_module", absent)
    assert_refused(
        lambda: read_alchemy("sqlite:///x", "t", W),
        "BR714",
        r'sqlalchemy is not installed. Fix: pip install "baserate\[sql\]"',
    )
