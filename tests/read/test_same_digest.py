"""One data set, every source: the same counts to the last bit."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet
from tests.read.tables import (
    cases_of,
    counts_of,
    read_alchemy,
    read_arrow,
    read_duckdb,
    read_npz,
    read_parquet,
    read_sqlite,
)

import baserate as br
from baserate.read.columns import group_codes
from baserate.read.table import ColumnRoles

WANTED = ColumnRoles("label", ("score",), group="site")
ODD = [
    0.1 + 0.2,
    0.3,
    -0.0,
    0.0,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1e308,
    -1e308,
    1 / 3,
    0.1,
    np.nextafter(0.1, 1),
    np.inf,
    -np.inf,
]


def data():
    rng = np.random.default_rng(6)
    scores = np.concatenate(
        [ODD, np.round(rng.random(500), 2), rng.random(500), rng.standard_normal(500) * 1e-300]
    )
    labels = rng.integers(0, 2, len(scores))
    sites = [
        ("north", 'sü\'d "x"', "東京", " padded ", "NULL")[place]
        for place in rng.integers(0, 5, len(scores))
    ]
    return labels, scores, sites


LABELS, SCORES, SITES = data()
FRAME = pa.table({"label": LABELS, "score": SCORES, "site": SITES, "unused": ["x"] * len(SITES)})
ROWS = list(zip(LABELS.tolist(), SCORES.tolist(), SITES, strict=True))


@pytest.fixture(scope="module")
def expected():
    counts = br.count(LABELS, SCORES)
    assert counts.scores.dtype == np.float64
    return counts.digest, [counts_at(site) for site in dict.fromkeys(SITES)]


def counts_at(site):
    rows = [row for row, name in enumerate(SITES) if name == site]
    return site, br.count(LABELS[rows], SCORES[rows]).digest


def assert_same(table, expected):
    assert table.rows == len(SCORES)
    assert table.refused == 0
    assert counts_of(table, WANTED).digest == expected[0]
    cases = cases_of(table, WANTED)
    names, codes = group_codes(cases.beside["group"])
    found = {
        name: br.count(cases.positive[codes == code], cases.scores["score"][codes == code]).digest
        for code, name in enumerate(names)
    }
    assert found == dict(expected[1])


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"row_group_size": 100},
        {"compression": "zstd"},
        {"use_dictionary": False, "data_page_version": "2.0"},
    ],
)
def test_parquet(tmp_path, expected, how):
    parquet.write_table(FRAME, tmp_path / "a.parquet", **how)
    assert_same(read_parquet(str(tmp_path / "a.parquet"), WANTED), expected)


def test_parquet_in_several_files_and_written_by_others(tmp_path, expected):
    parquet.write_table(FRAME.slice(0, 700), tmp_path / "a.parquet")
    pl.from_arrow(FRAME.slice(700)).select("unused", "site", "score", "label").write_parquet(
        tmp_path / "b.parquet"
    )
    assert_same(
        read_parquet([str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")], WANTED), expected
    )
    assert_same(read_parquet(str(tmp_path), WANTED), expected)


def test_parquet_in_hive_folders(tmp_path, expected):
    parquet.write_to_dataset(FRAME, tmp_path / "set", partition_cols=["site"])
    table = read_parquet(str(tmp_path / "set"), WANTED)
    assert_same(table, expected)
    assert [note.code for note in table.notes] == ["BR704"]


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_arrow_file_and_stream(tmp_path, expected, compression):
    options = ipc.IpcWriteOptions(compression=compression)
    for name, writer in (("a.arrow", ipc.new_file), ("stream.arrow", ipc.new_stream)):
        with writer(str(tmp_path / name), FRAME.schema, options=options) as out:
            out.write_table(FRAME, max_chunksize=300)
        assert_same(read_arrow(str(tmp_path / name), WANTED), expected)


def test_feather(tmp_path, expected):
    feather.write_feather(
        FRAME.set_column(2, "site", FRAME["site"].dictionary_encode()), str(tmp_path / "a.feather")
    )
    assert_same(read_arrow(str(tmp_path / "a.feather"), WANTED), expected)
    pl.from_arrow(FRAME).write_ipc(tmp_path / "polars.arrow")  # text as views
    assert_same(read_arrow(str(tmp_path / "polars.arrow"), WANTED), expected)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, expected, save):
    save(tmp_path / "a.npz", label=LABELS.astype(">i2"), score=SCORES, site=np.array(SITES))
    assert_same(read_npz(str(tmp_path / "a.npz"), WANTED), expected)


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("sqlite") / "a.db")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cases (label INTEGER, score REAL, site TEXT, unused BLOB)")
    connection.executemany("INSERT INTO cases VALUES (?, ?, ?, x'00')", ROWS)
    connection.execute('CREATE VIEW "a view" AS SELECT site, score, label FROM cases')
    connection.commit()
    connection.close()
    return path


@pytest.mark.parametrize(
    "asked",
    [
        "cases",
        "a view",
        "SELECT label, score, site FROM cases",
        "WITH c AS (SELECT * FROM cases) SELECT * FROM c;",
    ],
)
def test_sqlite_and_sqlalchemy(sqlite, expected, asked):
    assert_same(read_sqlite(sqlite, asked, WANTED), expected)
    assert_same(read_alchemy(f"sqlite:///{sqlite}", asked, WANTED), expected)


@pytest.mark.parametrize(
    "asked",
    ["cases", "main.cases", "a view", "SELECT label, score, site FROM cases -- all of them"],
)
def test_duckdb(tmp_path, expected, asked):
    path = str(tmp_path / "a.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE cases AS SELECT * FROM FRAME")
        connection.execute(
            'CREATE VIEW "a view" AS SELECT site, score, label::BOOLEAN AS label FROM cases'
        )
    assert_same(read_duckdb(path, asked, WANTED), expected)


@pytest.fixture(scope="module")
def in_postgres(postgres):
    import psycopg

    with psycopg.connect(postgres.url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA same")
        cursor.execute(
            "CREATE TABLE same.cases (label smallint, score float8, site text, unused int)"
        )
        cursor.executemany("INSERT INTO same.cases VALUES (%s, %s, %s, 1)", ROWS)
        cursor.execute(
            "CREATE VIEW same.seen AS SELECT label = 1 AS label, score, site FROM same.cases"
        )
    return postgres


@pytest.mark.parametrize(
    "asked", ["same.cases", "same.seen", "SELECT label, score, site FROM same.cases"]
)
def test_postgresql(in_postgres, expected, asked):
    assert_same(read_alchemy(in_postgres.url, asked, WANTED), expected)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.to_pandas(),
        pl.from_arrow(FRAME),
        pd.DataFrame(FRAME.to_pydict()).convert_dtypes(),
    ],
)
def test_dataframes(frame, expected):
    assert br.count(frame["label"], frame["score"]).digest == expected[0]
    assert (
        br.count(frame["label"], frame["score"], by=frame["site"])["東京"].digest
        == dict(expected[1])["東京"]
    )
