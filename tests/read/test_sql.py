"""SQL that counts elsewhere: run on DuckDB, PostgreSQL and Spark, parsed by sqlglot for the rest,
and its result read into the counts that the rows themselves give.
"""

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp
from tests.cli.helpers import refused, run, told
from tests.read.tables import assert_refused

import baserate as br
from baserate.read.sql import DIALECTS, OF_BINS, OF_SCORES

RNG = np.random.default_rng(25)
Y = RNG.integers(0, 2, 3000)
# With ties, both zeros, scores at edges and beyond the ends of the bins, and infinities.
S = np.round(RNG.normal(size=3000) * 0.3 + 0.4 + 0.2 * Y, 3)
S[:8] = [-0.0, 0.0, 0.5, 1.0, 1e300, -1e300, np.inf, -np.inf]
EDGES = np.arange(65) / 64
# Everything that quotes are for: quotes of all dialects, a backslash, blanks, a reserved word.
ODD = 'a"b`c\\d e'
HOW = {"label": "y", "score": "s"}


def expected(bins, y=Y, s=S):
    if bins is None:
        return br.count(y, s)
    place = np.searchsorted(EDGES, s, side="right")
    lowest = {number: s[place == number].min() for number in set(place.tolist())}
    return br.count(y, np.array([lowest[number] for number in place.tolist()]))


def holding(y=Y, s=S):
    connection = duckdb.connect()
    connection.register("rows", pd.DataFrame({"y": y, "s": s}))
    connection.execute("CREATE TABLE scores AS SELECT * FROM rows")
    return connection


@pytest.mark.parametrize("bins", [None, 64])
def test_duckdb_gives_the_counts_of_the_rows(bins, tmp_path):
    connection = holding()
    query = br.counting_sql("duckdb", "scores", **HOW, bins=bins)
    result = connection.sql(query)
    for frame in (result, result.df(), result.pl(), result.pl().lazy(), result.to_arrow_table()):
        assert br.count(frame, counted=True) == expected(bins)
    for name, write in (("a.csv", result.write_csv), ("a.parquet", result.write_parquet)):
        write(str(tmp_path / name))
        counts = br.count(tmp_path / name, counted=True)
        assert (counts, counts.digest) == (expected(bins), expected(bins).digest)
        (source,) = counts.ledger.sources
        assert (source.rows_read, source.positive, len(source.sha256)) == (3000, "1", 64)


@pytest.mark.parametrize("bins", [None, 64])
def test_postgres_gives_the_counts_of_the_rows(postgres, bins):
    import psycopg

    rows = zip((Y == 1).tolist(), S.tolist(), strict=True)
    with psycopg.connect(postgres.url) as connection, connection.cursor() as cursor:
        named = ODD.replace('"', '""')
        cursor.execute(
            f'CREATE TEMP TABLE "sql scores" ("{named}" bool, "S" float8, label int, score int)'
        )
        cursor.executemany('INSERT INTO "sql scores" VALUES (%s, %s, 7, 8)', list(rows))
        cursor.execute('INSERT INTO "sql scores" VALUES (NULL, 0.5, 7, 8), (true, NULL, 7, 8)')
        cursor.execute("""INSERT INTO "sql scores" VALUES (true, 'NaN', 7, 8)""")
        cursor.execute(br.counting_sql("postgres", "sql scores", label=ODD, score="S", bins=bins))
        names = [column.name for column in cursor.description]
        result = pd.DataFrame(cursor.fetchall(), columns=names)
    with pytest.raises(br.InputError, match="1 of 3,003 labels") as raised:
        br.count(result, counted=True)
    assert [problem.code for problem in raised.value.problems] == ["BR105", "BR201"]
    dropped = {"missing_label": "drop", "nan_score": "drop"}
    counts = br.count(result, counted=True, **dropped)
    assert counts == expected(bins)
    assert (counts.ledger.rows_read, counts.ledger.rows_refused) == (3003, 3)


@pytest.mark.parametrize("bins", [None, 64])
def test_spark_gives_the_counts_of_the_rows(spark, bins):
    named = ODD.replace("\\", "")
    frame = spark.createDataFrame([*zip(Y.tolist(), S.tolist(), strict=True)], [named, "label"])
    frame.createOrReplaceTempView("sql_scores")
    query = br.counting_sql("spark", "sql_scores", label=named, score="label", bins=bins)
    assert br.count(spark.sql(query), counted=True) == expected(bins)
    holes = "SELECT CAST('NaN' AS DOUBLE) AS s, 1 AS y UNION ALL SELECT NULL, 0"
    query = br.counting_sql("spark", holes, **HOW, bins=bins)
    assert_refused(
        lambda: br.count(spark.sql(query), counted=True), "BR201", "2 missing or NaN scores"
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 1, None]),
            st.one_of(
                st.none(),
                st.floats(),
                st.integers(-5, 70).map(lambda k: k / 64),
                st.integers(-5, 70).map(lambda k: float(np.nextafter(k / 64, -9))),
            ),
        ),
        max_size=40,
    ),
    st.sampled_from([None, 64]),
)
def test_any_rows_count_alike_in_sql_and_here(rows, bins):
    """Digest for digest, the rows left out included."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE scores (y INT, s DOUBLE)")
    if rows:
        connection.executemany("INSERT INTO scores VALUES (?, ?)", rows)
    result = connection.sql(br.counting_sql("duckdb", "scores", **HOW, bins=bins))
    whole = [(y, s) for y, s in rows if y is not None and s is not None and not np.isnan(s)]
    dropped = {"missing_label": "drop", "nan_score": "drop"}
    if not whole:
        assert_refused(lambda: br.count(result, counted=True, **dropped), "BR602", "no")
        return
    counts = br.count(result, counted=True, **dropped)
    y, s = (np.array(column) for column in zip(*whole, strict=True))
    assert counts == expected(bins, y, s.astype(float))
    assert counts.digest == expected(bins, y, s.astype(float)).digest
    assert counts.ledger.rows_refused == len(rows) - len(whole)


@pytest.mark.parametrize("bins", [None, 1024])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_parses_with_the_names_that_were_meant(dialect, bins):
    query = br.counting_sql(dialect, "my db.logs.order", label=ODD, score="select", bins=bins)
    tree = sqlglot.parse_one(query, read=dialect)
    assert tuple(tree.named_selects) == (OF_SCORES if bins is None else OF_BINS)
    assert {ODD, "select"} <= {column.name for column in tree.find_all(exp.Column)}
    (table,) = tree.find_all(exp.Table)
    assert (table.catalog, table.db, table.name) == ("my db", "logs", "order")
    assert len(list(tree.find_all(exp.Group))) == 1
    if bins is not None:
        floats = {cast.to.sql("duckdb") for cast in tree.find_all(exp.Cast)}
        assert floats == {"DOUBLE"}
        assert any(isinstance(found, exp.Floor) for found in tree.walk())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_quoted_parts_of_a_table_stay_and_queries_stand_in_brackets(dialect):
    quoted = DIALECTS[dialect].name("odd.name")
    query = br.counting_sql(dialect, f"logs.{quoted}", **HOW)
    assert f"{DIALECTS[dialect].name('logs')}.{quoted} AS t" in query
    asked = "WITH a AS (SELECT 1 AS y, 2 AS s) SELECT * FROM a -- all"
    tree = sqlglot.parse_one(br.counting_sql(dialect, asked + " ", **HOW), read=dialect)
    assert "a" in {table.name for table in tree.find_all(exp.Table)}


def test_results_of_two_days_in_the_same_bins_add_up(tmp_path):
    paths = []
    for day, part in enumerate((slice(0, 1000), slice(1000, None))):
        result = holding(Y[part], S[part]).sql(br.counting_sql("duckdb", "scores", **HOW, bins=64))
        paths.append(str(tmp_path / f"{day}.csv"))
        result.write_csv(paths[-1])
    output = str(tmp_path / "a.counts")
    assert run("count", *paths, "--counted", "-o", output).returncode == 0
    counts, whole = br.load(output), br.count(Y, S)
    assert counts == expected(64, Y[:1000], S[:1000]) + expected(64, Y[1000:], S[1000:])
    assert 0 < abs(br.auc(counts) - br.auc(whole)) <= 0.01
    assert br.choose(counts, threshold=0.5).tp == br.choose(whole, threshold=0.5).tp


def test_the_command_prints_what_python_gives(capsys):
    asked = ["sql", "logs.scores", "--dialect", "trino", "--label", "y", "--score", "s"]
    assert told(capsys, *asked).out == br.counting_sql("trino", "logs.scores", **HOW) + "\n"
    binned = br.counting_sql("trino", "logs.scores", **HOW, bins=8, low=-4, high=4)
    done = told(capsys, *asked, "--bins", 8, "--low", -4, "--high", 4)
    assert done.out == binned + "\n"
    assert 'WHEN "score" < -4 THEN -33 WHEN "score" >= 4 THEN 32' in binned


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({"dialect": "postgresql"}, "BR955", "postgres"),
        ({"dialect": None}, "BR955", "one of snowflake"),
        ({"source": "a; DROP TABLE b"}, None, ""),
        ({"source": "SELECT 1; SELECT 2"}, "BR718", "semicolon"),
        ({"source": 'half"quoted'}, "BR718", "no name of a table"),
        ({"source": "a..b"}, "BR718", "no name of a table"),
        ({"source": " "}, "BR718", "text"),
        ({"source": 7}, "BR718", "text"),
        ({"label": ""}, "BR718", "a name"),
        ({"label": None}, "BR718", "a name"),
        ({"score": "a\0"}, "BR718", "a name"),
        ({"score": ["a"]}, "BR718", "a name"),
        ({"bins": 1000}, "BR220", "power of two"),
        ({"bins": 0}, "BR220", "power of two"),
        ({"bins": 0.5}, "BR220", "power of two"),
        ({"bins": True}, "BR220", "power of two"),
        ({"bins": 4, "low": 0.5}, "BR220", "whole numbers"),
        ({"bins": 4, "low": 1}, "BR220", "whole numbers"),
        ({"bins": 1 << 25}, "BR220", "more than"),
        ({"low": -1}, "BR220", "none are requested"),
    ],
)
def test_what_no_query_can_be_written_for_is_refused(given, code, said):
    arguments = {"dialect": "duckdb", "source": "scores", **HOW, **given}

    def asked():
        return br.counting_sql(arguments.pop("dialect"), arguments.pop("source"), **arguments)

    if code is None:  # one odd name, and nothing that runs
        assert 'FROM "a; DROP TABLE b" AS t' in asked()
    else:
        assert_refused(asked, code, said)


def test_what_is_no_result_is_refused(tmp_path, capsys):
    right = {"label": [0, 1], "score": [0.1, 0.9], "cases": [3, 2]}
    binned = {"label": [0, 1], "lowest": [0.1, 0.6], "highest": [0.2, 0.7], "cases": [3, 2]}
    binned |= {"bins": [2, 2], "low": [0, 0], "high": [1, 1]}
    assert br.count(pd.DataFrame(right), counted=True) == br.Counts([0.1, 0.9], [0, 2], [3, 0])
    assert br.count(pd.DataFrame(binned), counted=True) == br.Counts([0.1, 0.6], [0, 2], [3, 0])
    path = tmp_path / "a.csv"
    for table, code, said in (
        ({"label": [0, 1], "s": [1, 2], "cases": [1, 1]}, "BR613", "no result of counting_sql"),
        (right | {"cases": [3, None]}, "BR222", "is missing"),
        (right | {"cases": [3, -2]}, "BR222", "not a number of cases"),
        (right | {"cases": [3, 1.5]}, "BR222", "not a number of cases"),
        (right | {"label": [0, 2]}, "BR103|BR104|BR106|BR102", "2"),
        (right | {"score": ["a", "b"]}, "BR20", "score"),
        (binned | {"highest": [0.6, 0.7]}, "BR222", "several bins"),
        (binned | {"highest": [0.0, 0.7]}, "BR222", "several bins"),
        (binned | {"bins": [2, 4]}, "BR409", "different bins"),
        (binned | {"bins": [3, 3]}, "BR220", "power of two"),
        ({name: column[:0] for name, column in right.items()}, "BR60", ""),
    ):
        frame = pd.DataFrame(table)
        with pytest.raises(br.InputError, match=code) as raised:
            br.count(frame, counted=True)
        assert said in str(raised.value)
        frame.to_csv(path, index=False)
        with pytest.raises(br.InputError, match=code) as raised:
            br.count(path, counted=True)
        assert "a.csv" in str(raised.value)
    for beside, code in (
        ({"label": "y"}, "BR003"),
        ({"keep": "all"}, "BR002"),
        ({"by": "g"}, "BR002"),
        ({"nan_score": "lowest"}, "BR953"),
    ):
        with pytest.raises(br.InputError, match=code):
            br.count(pd.DataFrame(right), counted=True, **beside)
    pd.DataFrame(right).to_csv(path, index=False)
    asked = ["count", path, "--counted", "-o", tmp_path / "a.counts"]
    for more in (["--label", "y"], ["--by", "g"], ["--memory", "1GB"]):
        assert f"{more[0]} has no effect on the result of baserate sql" in refused(
            capsys, *asked, *more
        )
    assert "BR953" in refused(capsys, *asked, "--lower-is-positive")


def test_defaults_of_columns_give_way_to_a_result(tmp_path):
    (tmp_path / "baserate.toml").write_text(
        '[data]\nsource = "b.csv"\nlabel = "fraud"\n[defaults]\nscores = ["logit"]\n'
    )
    (tmp_path / "a.csv").write_text("label,score,cases\n0,0.1,3\n1,0.9,2\n")
    done = run("count", "a.csv", "--counted", "-o", "a.counts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "a.csv").open() as file:
        assert file.readline() == "label,score,cases\n"
    assert br.load(tmp_path / "a.counts") == br.Counts([0.1, 0.9], [0, 2], [3, 0])
