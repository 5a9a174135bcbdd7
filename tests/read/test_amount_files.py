"""Amounts from every source are the same amounts; what is wrong with them is named by its line."""

import gzip
import json
import sqlite3
import tracemalloc
from contextlib import closing

import numpy as np
import pytest
from tests.cli.helpers import written

import baserate as br
from baserate.read import amounts
from baserate.read.columns import Column

HEADER = ("y", "m", "eur", "cur")
ROWS = [
    (1, 0.9, 1000, "EUR"),
    (0, 0.8, 50.5, "EUR"),
    (1, 0.7, 20.25, "EUR"),
    (0, 0.6, 500, "EUR"),
    (1, 0.2, 300, "EUR"),
    (0, 0.1, 10, "EUR"),
]
LABELS, SCORES, AMOUNTS = (list(column) for column in list(zip(*ROWS, strict=True))[:3])
DIGEST = br.count(LABELS, SCORES, amount=AMOUNTS).digest


def counted(source, **options):
    return br.count(source, label="y", score="m", amount="eur", **options)


@pytest.fixture
def table(tmp_path):
    return written(tmp_path / "cases.csv", HEADER, ROWS)


def test_text_json_binary_and_databases_agree(tmp_path, table):
    import duckdb
    import pandas as pd

    frame = pd.DataFrame(ROWS, columns=HEADER)
    frame.to_parquet(tmp_path / "cases.parquet")
    frame.to_json(tmp_path / "cases.jsonl", orient="records", lines=True)
    np.savez(tmp_path / "cases.npz", **{name: frame[name].to_numpy() for name in ("y", "m", "eur")})
    (tmp_path / "cases.csv.gz").write_bytes(gzip.compress((tmp_path / "cases.csv").read_bytes()))
    with closing(sqlite3.connect(tmp_path / "cases.db")) as database, database:
        database.execute("CREATE TABLE t (y INTEGER, m REAL, eur NUMERIC, cur TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
    with closing(duckdb.connect(str(tmp_path / "cases.duckdb"))) as database:
        database.execute("CREATE TABLE t (y INTEGER, m DOUBLE, eur DECIMAL(10, 2), cur VARCHAR)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
    for name in (
        "cases.csv",
        "cases.csv.gz",
        "cases.parquet",
        "cases.jsonl",
        "cases.npz",
        "cases.db::t",
        "cases.duckdb::t",
    ):
        amounts = counted(tmp_path / name)
        assert (amounts.digest, amounts.ledger.rows_used) == (DIGEST, 6), name


def test_parts_of_a_folder_are_one_table(tmp_path):
    written(tmp_path / "a.csv", HEADER, ROWS[:2])
    written(tmp_path / "b.csv", HEADER, ROWS[2:])
    assert counted(tmp_path).digest == DIGEST


def test_decimal_commas_and_thousands_are_read_as_in_scores(tmp_path):
    path = tmp_path / "german.csv"
    path.write_text(
        "y;m;eur\n"
        + "".join(
            f"{y};{str(m).replace('.', ',')};{str(eur).replace('.', ',')}\n"
            for y, m, eur, _ in ROWS
        )
    )
    assert counted(path).digest == DIGEST
    spelled = written(
        tmp_path / "thousands.csv", HEADER, [(y, m, f"{eur:,}", c) for y, m, eur, c in ROWS]
    )
    assert counted(spelled, thousands=",").digest == DIGEST


@pytest.mark.parametrize(
    ("worth", "words"),
    [
        ("-3", r"BR515: .*\"eur\" has 1 negative amount \(line 4\)"),
        ("", r"BR515: .*\"eur\" has 1 missing or NaN amount.* \(line 4\)"),
        ("nan", r"BR515: .*1 missing or NaN amount.* \(line 4\)"),
        ("inf", r"BR515: .*1 infinite amount \(line 4\)"),
        ("20 EUR", r"BR516: .*1 amount with a currency, such as \"20 EUR\" \(line 4\)"),
        ("$20", r"BR516: .*such as \"\$20\" \(line 4\)"),
        ("much", r"BR208: .*not a number, such as \"much\" \(line 4\)"),
    ],
)
def test_row_80_an_amount_that_is_none_is_refused_by_its_line(tmp_path, worth, words):
    rows = [*ROWS[:2], (1, 0.7, worth, "EUR"), *ROWS[3:]]
    with pytest.raises(br.InputError, match=words):
        counted(written(tmp_path / "x.csv", HEADER, rows))


def test_lines_are_named_also_after_rows_were_left_out(tmp_path):
    rows = [("", 0.5, 7, "EUR"), *ROWS[:2], (1, 0.7, -3, "EUR"), *ROWS[3:]]
    with pytest.raises(br.InputError, match=r"\(line 5\)"):
        counted(written(tmp_path / "x.csv", HEADER, rows), missing_label="drop")


def test_a_missing_amount_is_the_mean_where_that_is_said(tmp_path):
    rows = [*ROWS[:2], (1, 0.7, "", "EUR"), *ROWS[3:]]
    amounts = counted(written(tmp_path / "x.csv", HEADER, rows), amount_missing="mean")
    assert amounts.positive_amounts[2] == 650
    assert (
        'amounts in "eur" is missing; the mean of the class was taken, as requested: 650 for 1'
        " positive" in str(amounts.notes)
    )
    path = tmp_path / "x.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"y": y, "m": m, "eur": None if m == 0.7 else eur}) for y, m, eur, _ in ROWS
        )
    )
    assert counted(path, amount_missing="mean") == amounts


def test_row_81_a_second_currency_is_refused(tmp_path, table):
    assert counted(table, currency="cur").digest == DIGEST
    mixed = written(tmp_path / "x.csv", HEADER, [*ROWS[:5], (0, 0.1, 10, "USD")])
    with pytest.raises(
        br.InputError,
        match=r'BR516: .*"cur" has more than one currency: "EUR" \(5\), "USD" \(1\)\. Fix: convert',
    ):
        counted(mixed, currency="cur")
    assert counted(mixed).digest == DIGEST
    gap = written(tmp_path / "y.csv", HEADER, [*ROWS[:5], (0, 0.1, 10, "")])
    with pytest.raises(br.InputError, match=r'"EUR" \(5\), missing \(1\)'):
        counted(gap, currency="cur")


def test_one_long_currency_does_not_take_its_room_in_every_row():
    values = np.array(["E" * 100_000, *["EUR"] * 10_000], dtype=object)
    tracemalloc.start()
    try:
        with pytest.raises(
            br.InputError,
            match=r'BR516: cur has more than one currency: "E{39}…" \(1\), "EUR" \(10,000\)',
        ):
            amounts.check_currency(Column("cur", values))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10**6


def test_a_column_that_is_not_there_and_an_unknown_option_are_refused(table):
    with pytest.raises(br.InputError, match='BR613: .*"usd"'):
        br.count(table, label="y", score="m", amount="usd")
    with pytest.raises(br.InputError, match="BR002: weight= has no effect on files with amount="):
        counted(table, weight="eur")


def test_row_44_a_weight_that_is_an_amount_says_what_to_write(table):
    note = next(
        note
        for note in br.count(table, label="y", score="m", weight="eur").notes
        if note.code == "BR305"
    )
    assert str(note).endswith("Override: count(…, amount='eur')")
