"""Odd labels and scores are refused, unless the user says what to do with them: then it is done,
told, and every row is accounted for.
"""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.helpers import answered, refused, told, written

import baserate as br
from baserate.read.files import read_cases
from baserate.read.source import Options
from baserate.read.table import ColumnRoles

HEADER = ("id", "y", "m")


def counted(path, **options):
    return br.count(path, label="y", score="m", **options)


def rows(counts):
    return counts.ledger.rows_read, counts.ledger.rows_used, counts.ledger.rows_refused


@pytest.fixture
def gaps(tmp_path):
    """Six cases: one without a label (line 4), one without a score (line 6)."""
    return written(
        tmp_path / "gaps.csv",
        HEADER,
        [(1, 0, 0.1), (2, 1, 0.9), (3, "", 0.8), (4, 0, 0.3), (5, 1, ""), (6, 0, 0.2)],
    )


def test_both_gaps_are_refused_in_one_pass_with_what_to_say(gaps):
    with pytest.raises(
        br.InputError, match=r"1 of 6 labels in \"y\" is missing \(line 4\)"
    ) as caught:
        counted(gaps)
    assert [problem.code for problem in caught.value.problems] == ["BR105", "BR201"]
    assert caught.value.problems[1].where.lines == (6,)


def test_dropped_rows_are_told_and_accounted_for(gaps):
    counts = counted(gaps, missing_label="drop", nan_score="drop")
    assert counts.digest == br.count([0, 1, 0, 0], [0.1, 0.9, 0.3, 0.2]).digest
    assert rows(counts) == (6, 4, 2)
    assert [note.code for note in counts.notes if "as requested" in note.text] == ["BR105", "BR201"]


def test_labels_known_only_where_scores_are_high_are_said_to_be(tmp_path):
    """Whoever reviews alerts only knows recall among these: verification bias."""
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal(size=400), 2)
    y = (rng.random(400) < 0.3).astype(int)

    def told(name, known):
        kept = [
            (i, label if there else "", score)
            for i, (label, score, there) in enumerate(zip(y, scores, known, strict=True))
        ]
        counts = counted(written(tmp_path / name, HEADER, kept), missing_label="drop")
        return next(note.text for note in counts.notes if note.code == "BR105")

    said = "labels are known mostly where scores are {}: recall is then of those cases only"
    assert told("high.csv", scores >= 0.5).endswith(said.format("high"))
    assert told("low.csv", scores <= 0.5).endswith(said.format("low"))
    assert told("random.csv", rng.random(400) < 0.5).endswith("left out, as requested")
    assert told("one.csv", scores < scores.max()).endswith(
        "left out, as requested"
    )  # of one case nothing can be said


@pytest.mark.parametrize(("meant", "label"), [("negative", 0), ("positive", 1)])
def test_a_missing_label_stands_for_the_class_that_the_user_says(gaps, meant, label):
    counts = counted(gaps, missing_label=meant, nan_score="drop")
    assert counts.digest == br.count([0, 1, label, 0, 0], [0.1, 0.9, 0.8, 0.3, 0.2]).digest
    assert rows(counts) == (6, 5, 1)


def test_a_missing_score_ranks_below_every_other(gaps):
    counts = counted(gaps, missing_label="drop", nan_score="lowest")
    assert counts.digest == br.count([0, 1, 0, 1, 0], [0.1, 0.9, 0.3, -np.inf, 0.2]).digest


def test_errors_after_a_drop_still_name_the_line_of_the_file(tmp_path):
    path = written(
        tmp_path / "x.csv", HEADER, [(1, "", 0.1), (2, 1, 0.9), (3, 0, "oops"), (4, 0, 0.2)]
    )
    with pytest.raises(br.InputError, match=r"line 4"):
        counted(path, missing_label="drop")


@pytest.mark.parametrize("unknown", [("fraud", ""), ("fraud", "NA")])
def test_only_frauds_are_labelled_and_the_rest_is_negative(tmp_path, unknown):
    path = written(tmp_path / "x.csv", HEADER, [(i, unknown[i % 2], i / 10) for i in range(6)])
    counts = counted(path, positive="fraud", missing_label="negative")
    assert (counts.total_positives, counts.total_negatives) == (3, 3)
    with pytest.raises(br.InputError, match="cannot tell which is positive"):
        counted(path, missing_label="negative")


def test_numbers_in_a_database_are_treated_like_text(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.db")) as database, database:
        database.execute("CREATE TABLE t (y INTEGER, m REAL)")
        database.executemany(
            "INSERT INTO t VALUES (?, ?)", [(0, 0.1), (1, 0.9), (None, 0.8), (0, None)]
        )
    counts = counted(f"{tmp_path / 'x.db'}::t", missing_label="positive", nan_score="lowest")
    assert counts.digest == br.count([0, 1, 1, 0], [0.1, 0.9, 0.8, -np.inf]).digest


def test_spellings_of_one_label_are_one_where_that_is_said(tmp_path):
    path = written(
        tmp_path / "x.csv",
        HEADER,
        [(1, "Yes", 0.9), (2, "yes ", 0.8), (3, " NO", 0.1), (4, "no", 0.3)],
    )
    with pytest.raises(br.InputError, match="2 spellings of one label"):
        counted(path)
    assert (
        counted(path, normalize_labels=True).digest
        == br.count([1, 1, 0, 0], [0.9, 0.8, 0.1, 0.3]).digest
    )


def test_labels_of_mixed_types_are_cast_where_that_is_said(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"y": y, "m": m}) for y, m in [(0, 0.1), ("1", 0.9), (1, 0.7), ("0", 0.2)]
        )
    )
    with pytest.raises(br.InputError, match="mixes types"):
        counted(path)
    assert (
        counted(path, cast_labels=True).digest
        == br.count([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.2]).digest
    )


def test_soft_labels_are_cut_where_that_is_said(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(1, 0.1, 0.9), (2, 0.5, 0.8), (3, 0.7, 0.1)])
    assert counted(path, label_threshold=0.5).digest == br.count([0, 1, 1], [0.9, 0.8, 0.1]).digest
    with pytest.raises(br.InputError, match="a label threshold is a number"):
        counted(path, label_threshold=float("nan"))


def test_several_labels_are_negative_where_that_is_said(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(1, 0, 0.1), (2, 1, 0.9), (3, 2, 0.4), (4, 0, 0.2)])
    with pytest.raises(br.InputError, match="3 values"):
        counted(path, positive="1")
    assert (
        counted(path, positive="1", negative=["0", "2"]).digest
        == br.count([0, 1, 0, 0], [0.1, 0.9, 0.4, 0.2]).digest
    )
    with pytest.raises(br.InputError, match="the positive one is not"):
        counted(path, negative=["0", "2"])
    with pytest.raises(br.InputError, match="named positive and negative"):
        counted(path, positive="1", negative=["1", "2"])
    with pytest.raises(
        br.InputError,
        match=(
            r"has 1 label named neither positive nor negative, such as .2. \(line 4\). Fix:"
            r" negative='0,2'"
        ),
    ):
        counted(path, positive="1", negative=["0"])
    with pytest.raises(br.InputError, match='the positive label "7" is not in "y"'):
        counted(path, positive="7", negative=["0", "2"])


def test_low_scores_are_risky_where_that_is_said(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(1, 0, 3), (2, 1, 1), (3, 0, 2), (4, 1, 1)])
    counts = counted(path, lower_is_positive=True)
    assert counts.digest == br.count([0, 1, 0, 1], [-3, -1, -2, -1]).digest
    assert br.auc(counts) == 1
    assert any(note.code == "BR207" and "negated" in note.text for note in counts.notes)


@pytest.mark.parametrize(
    ("texts", "options", "numbers"),
    [
        (["12%", "3.5 %", "100%"], {"percent": True}, [0.12, 0.035, 1.0]),
        (["1,234.5", "12", "1,000,000"], {"thousands": ","}, [1234.5, 12.0, 1e6]),
        (["1.234,5", "12,25", "7"], {"thousands": ".", "decimal": ","}, [1234.5, 12.25, 7.0]),
        (["1,200%", "5%", "0%"], {"thousands": ",", "percent": True}, [12, 0.05, 0]),
    ],
)
def test_numbers_written_as_people_write_them(tmp_path, texts, options, numbers):
    path = tmp_path / "x.csv"
    path.write_text("y;m\n" + "".join(f"{y};{m}\n" for y, m in zip((1, 0, 0), texts, strict=True)))
    assert (
        counted(path, delimiter=";", **options).digest
        == br.count([1, 0, 0], [float(number) for number in numbers]).digest
    )


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (["12%", "0.3"], {"percent": True}),
        (["1,23", "1"], {"thousands": ","}),
        (["$3", "4"], {"thousands": ",", "percent": True}),
    ],
)
def test_what_does_not_fit_the_stated_way_of_writing_is_refused(tmp_path, texts, options):
    path = tmp_path / "x.csv"
    path.write_text("y;m\n" + "".join(f"{y};{m}\n" for y, m in zip((1, 0), texts, strict=True)))
    with pytest.raises(br.InputError, match="not a number"):
        counted(path, delimiter=";", **options)


def test_repeated_rows_are_left_out_where_that_is_said(tmp_path):
    path = written(
        tmp_path / "x.csv",
        ("id", "y", "m", "n"),
        [(1, 0, 0.1, 3), (2, 1, 0.9, 4), (2, 1, 0.9, 4), (3, 0, 0.3, 1)],
    )
    joint = br.count(path, label="y", score=["m", "n"], id="id", dedupe="first")
    assert joint.marginal("m").digest == br.count([0, 1, 0], [0.1, 0.9, 0.3]).digest
    assert (joint.ledger.rows_read, joint.ledger.rows_used, joint.ledger.rows_refused) == (4, 3, 1)
    with pytest.raises(br.InputError, match="dedupe='first'"):
        br.count(path, label="y", score=["m", "n"], id="id")
    with pytest.raises(br.InputError, match="no id is named"):
        counted(path, dedupe="first")


def test_a_repeated_id_with_other_values_is_refused_all_the_same(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(1, 0, 0.1), (2, 1, 0.9), (2, 1, 0.8), (3, 0, 0.3)])
    with pytest.raises(br.InputError, match="appears twice with different values"):
        br.count(path, label="y", score=["m"], id="id", dedupe="first")


def test_joined_files_may_each_repeat_rows(tmp_path):
    old = written(tmp_path / "old.csv", HEADER, [(1, 0, 0.1), (2, 1, 0.9), (2, 1, 0.9)])
    new = written(tmp_path / "new.csv", HEADER, [(2, 1, 0.5), (1, 0, 0.6), (1, 0, 0.6)])
    joint = br.count({"old": old, "new": new}, label="y", score=["m"], id="id", dedupe="first")
    assert joint.marginal("new").digest == br.count([0, 1], [0.6, 0.5]).digest
    assert [(source.rows_read, source.rows_used) for source in joint.ledger.sources] == [
        (3, 2),
        (3, 2),
    ]


def test_a_folder_of_files_says_which_file_lost_how_many(tmp_path):
    written(tmp_path / "a.csv", HEADER, [(1, 0, 0.1), (2, "", 0.9)])
    written(tmp_path / "b.csv", HEADER, [(3, 1, 0.4), (4, "", ""), (5, 1, "")])
    counts = counted(f"{tmp_path}/*.csv", missing_label="drop", nan_score="drop")
    assert [
        (source.rows_read, source.rows_used, source.rows_refused)
        for source in counts.ledger.sources
    ] == [(2, 1, 1), (3, 1, 2)]


def test_columns_beside_the_scores_lose_the_same_rows(tmp_path):
    path = written(
        tmp_path / "x.csv",
        ("y", "m", "eur", "day"),
        [(0, 0.1, 5, "mo"), ("", 0.2, 6, "tu"), (1, 0.3, 7, "we")],
    )
    cases = read_cases(
        path,
        ColumnRoles("y", ("m",), amount="eur", day="day"),
        Options.of({"missing_label": "drop"}),
    )
    assert cases.beside["day"].values.tolist() == ["mo", "we"]
    assert cases.beside["amount"].values.tolist() == [5, 7]


def test_nothing_left_is_refused(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(1, "", 0.1), (2, "", 0.9)])
    with pytest.raises(br.InputError, match="nothing remains"):
        counted(path, missing_label="drop")
    with pytest.raises(br.InputError, match="is known"):
        counted(path, missing_label="negative")


@pytest.mark.parametrize(
    ("option", "word"), [("--missing-label", "keep"), ("--nan-score", "zero"), ("--dedupe", "last")]
)
def test_an_unknown_treatment_is_refused_by_the_command_line(tmp_path, capsys, option, word):
    path = written(tmp_path / "x.csv", HEADER, [(1, 0, 0.1), (2, 1, 0.9)])
    assert "BR532" in refused(
        capsys, "compare", path, "--label", "y", "--score", "m", "--id", "id", option, word
    )


def test_the_command_line_says_the_same(gaps, capsys):
    document = answered(
        capsys,
        "show",
        gaps,
        "--label",
        "y",
        "--score",
        "m",
        "--missing-label",
        "drop",
        "--nan-score",
        "drop",
    )
    assert (
        document["sources"][0] | {"rows_read": 6, "rows_used": 4, "rows_refused": 2}
        == document["sources"][0]
    )
    assert {"BR105", "BR201"} <= {note["code"] for note in document["notes"]}


def test_a_positive_label_fits_the_types_of_its_column(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(1, 1, 0.9), (2, 2, 0.1)])
    assert counted(path, positive=1).digest == br.count([1, 0], [0.9, 0.1]).digest
    with closing(sqlite3.connect(tmp_path / "x.db")) as database, database:
        database.execute("CREATE TABLE t (y INTEGER, m REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(1, 0.9), (2, 0.1)])
    assert (
        counted(f"{tmp_path / 'x.db'}::t", positive="1").digest
        == br.count([1, 0], [0.9, 0.1]).digest
    )
    with pytest.raises(br.InputError, match="BR109"):
        counted(f"{tmp_path / 'x.db'}::t", positive="fraud")
    np.savez(tmp_path / "x.npz", y=np.array([True, False]), m=np.array([0.9, 0.1]))
    assert (
        counted(tmp_path / "x.npz", positive="False").digest == br.count([0, 1], [0.9, 0.1]).digest
    )


def test_of_many_labels_not_all_are_listed(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(i, f"v{i}", i) for i in range(9)])
    with pytest.raises(br.InputError, match=r"9 values .* need 2"):
        counted(path, positive="v1")


WITHOUT_ID, ROWS = ("y", "m"), [(0, 0.1), (1, 0.9), (0, 0.4), (1, 0.3)]
ONE = ("--label", "y", "--score", "m")


def test_another_spelling_of_the_positive_label_is_no_negative(tmp_path, capsys):
    written(tmp_path / "mon.csv", WITHOUT_ID, [("Yes", 0.9), ("No", 0.1)])
    tue = written(tmp_path / "tue.csv", WITHOUT_ID, [("yes", 0.9), ("yes", 0.2)])
    assert "BR109" in refused(
        capsys,
        "count",
        tmp_path / "mon.csv",
        tue,
        *ONE,
        "--positive",
        "Yes",
        "-o",
        tmp_path / "x.counts",
    )
    counts = br.count(tue, label="y", score="m", positive="Yes", normalize_labels=True)
    assert (counts.total_positives, counts.total_negatives) == (2, 0)
    both = br.count(
        tmp_path / "mon.csv",
        label="y",
        score="m",
        positive="Yes",
        negative=["No"],
        normalize_labels=True,
    )
    assert both.digest == br.count([1, 0], [0.9, 0.1]).digest


def test_a_missing_score_ranks_lowest_also_where_low_is_risky(tmp_path):
    path = written(tmp_path / "x.csv", WITHOUT_ID, [(1, 0.1), (0, 0.9), (0, "")])
    counts = br.count(path, label="y", score="m", nan_score="lowest", lower_is_positive=True)
    assert counts.digest == br.count([1, 0, 0], [-0.1, -0.9, -np.inf]).digest


def test_text_that_says_nan_is_no_label_to_cut(tmp_path):
    pq.write_table(
        pa.table({"y": ["nan", "1", "0", "NaN"], "m": [0.1, 0.9, 0.2, 0.8]}), tmp_path / "x.parquet"
    )
    counts = br.count(
        tmp_path / "x.parquet", label="y", score="m", label_threshold=0.5, missing_label="drop"
    )
    assert counts.digest == br.count([1, 0], [0.9, 0.2]).digest


@pytest.mark.parametrize("said", [("--cast-labels",), ("--positive", "1", "--negative", "0,2")])
def test_an_endless_label_is_refused_and_no_bug(tmp_path, capsys, said):
    path = tmp_path / "x.jsonl"
    path.write_text('{"y": 1, "m": 0.1}\n{"y": 1e999, "m": 0.2}\n{"y": "0", "m": 0.3}\n')
    assert told(capsys, "show", path, *ONE, *said).status == 2


def test_a_threshold_of_labels_beyond_floats_is_refused(tmp_path):
    path = written(tmp_path / "x.csv", WITHOUT_ID, ROWS)
    with pytest.raises(br.InputError, match="a label threshold is a number"):
        br.count(path, label="y", score="m", label_threshold=10**400)


@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"]])
@pytest.mark.parametrize("how", ["negative", "positive", "drop"])
def test_a_file_with_gaps_is_counted_as_its_rows_are(tmp_path, labels, how):
    rng = np.random.default_rng(3)
    many = 30_000
    y, gone = rng.random(many) < 0.2, rng.random(many) < 0.7
    scores = np.round(rng.random(many), 3)
    given = np.array(labels, dtype=object)[y.astype(int)]
    given[gone] = None
    path = tmp_path / "gaps.parquet"
    pq.write_table(pa.table({"y": pa.array(given.tolist()), "s": scores}), path)
    counts = br.count(path, label="y", score="s", missing_label=how)
    kept = ~gone if how == "drop" else np.ones(many, dtype=np.bool_)
    expected = br.count(np.where(gone, how == "positive", y)[kept], scores[kept])
    assert counts.digest == expected.digest
    assert counts.ledger.rows_refused == (int(gone.sum()) if how == "drop" else 0)
    if how == "drop":
        beside = br.count(np.zeros(int(gone.sum())), scores[gone])
        assert counts.unlabelled.negatives.tolist() == beside.negatives.tolist()


def test_the_least_whole_number_cannot_be_negated(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,m\n1,-9223372036854775808\n0,5\n")
    with pytest.raises(br.InputError, match="BR215: .* cannot be negated"):
        counted(path, lower_is_positive=True)
