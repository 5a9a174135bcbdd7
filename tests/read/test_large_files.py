"""Parquet under a ceiling on memory: the same counts as without one, and never beyond the
ceiling.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.helpers import answered, refused, told
from tests.peaks import taken_by

import baserate as br
from baserate.read import large, table
from baserate.read import parquet as reading
from baserate.read.table import CELL, LEAST

ROOT = Path(__file__).parents[2]


def made(rows=5_000, prior=0.01, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < prior
    return labels, rng.random(rows) + 0.2 * labels


def written(path, labels, scores, group=700, **more):
    parquet.write_table(pa.table({"y": labels, "s": scores, **more}), path, row_group_size=group)
    return str(path)


@pytest.fixture
def tight(monkeypatch):
    """Room for 500 distinct scores, pieces of a row group each, and no other process."""
    monkeypatch.setattr("baserate.read.files.is_possible", lambda: False)
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 500)
    monkeypatch.setattr(large, "BATCH", 16)
    monkeypatch.setattr(large, "ROWS", 700)


def count(path, **how):
    return br.count(path, label="y", score="s", memory=LEAST, **how)


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "int8"])
def test_a_file_gives_the_counts_of_memory(tmp_path, tight, kind):
    labels, scores = made()
    scores = (
        scores.astype(kind)
        if kind.startswith("float")
        else (scores * 1e5 % (100 if kind == "int8" else 50_000)).astype(kind)
    )
    path = written(tmp_path / "x.parquet", labels.astype(np.int8), scores)
    counts, whole = count(path), br.count(labels, scores)
    expected = whole if kind == "int8" else whole.condense()
    assert counts.condensed is (kind != "int8")
    assert counts == expected
    assert counts.digest == expected.digest
    assert counts.ledger == br.count(path, label="y", score="s").ledger


def test_ties_zeros_and_infinities_are_those_of_memory(tmp_path, tight):
    labels, scores = made()
    scores[::7], scores[1::7], scores[2::11], scores[3::13], scores[4::17] = (
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.round(scores[4::17], 1),
    )
    path = written(tmp_path / "x.parquet", labels, scores)
    assert count(path, thresholds=[0.5, 0]) == br.count(labels, scores).condense([0.5, 0])


@pytest.mark.parametrize("group", [1, 5_000])
def test_row_groups_of_any_size_and_parts_of_large_ones_give_the_same(
    tmp_path, tight, monkeypatch, group
):
    labels, scores = made(1_500 if group == 1 else 5_000)
    monkeypatch.setattr(large, "ROWS", 900)
    path = written(tmp_path / "x.parquet", labels, scores, group)
    assert count(path) == br.count(labels, scores).condense()


def test_a_pattern_and_a_folder_are_one_data_set(tmp_path, tight):
    labels, scores = made()
    for part in range(3):
        written(tmp_path / f"{part}.parquet", labels[part::3], scores[part::3])
    expected = br.count(labels, scores).condense()
    for source, sources in ((tmp_path / "*.parquet", 3), (tmp_path, 1)):
        counts = count(str(source))
        assert counts == expected
        assert len(counts.ledger.sources) == sources
        assert counts.ledger == br.count(str(source), label="y", score="s").ledger


@pytest.mark.parametrize(
    ("labels", "how", "positive"),
    [
        (np.array(["no", "yes"], dtype=object), {}, "yes"),
        (np.array(["legit", "fraud"], dtype=object), {"positive": "fraud"}, "fraud"),
        (np.array([0.0, 1.0]), {}, "1"),
        (np.array([True, False]), {"positive": "false"}, "False"),
    ],
    ids=str,
)
def test_labels_are_decided_as_they_are_in_memory(tmp_path, tight, labels, how, positive):
    is_positive, scores = made()
    path = written(tmp_path / "x.parquet", labels[is_positive.astype(int)], scores)
    ours, theirs = count(path, **how), br.count(path, label="y", score="s", **how)
    assert ours == theirs.condense()
    assert ours.ledger == theirs.ledger
    assert ours.ledger.sources[0].positive == positive
    assert [note for note in ours.notes if note.code == "BR101"] == [
        note for note in theirs.notes if note.code == "BR101"
    ]


def test_low_scores_may_be_the_risky_ones(tmp_path, tight):
    labels, scores = made()
    path = written(tmp_path / "x.parquet", labels, -scores)
    assert count(path, lower_is_positive=True) == br.count(labels, scores).condense()


def test_a_file_without_positives_is_one_run(tmp_path, tight):
    _, scores = made()
    path = written(tmp_path / "x.parquet", np.zeros(len(scores), dtype=np.int8), scores)
    counts = count(path)
    assert (counts.total_positives, counts.total_negatives, len(counts.scores)) == (0, 5_000, 1)
    assert counts.scores[0] == scores.min()


@pytest.mark.parametrize(("first", "second"), [("floats", "nan"), ("ints", "null")])
def test_missing_scores_are_all_found_and_named_by_their_rows(tmp_path, tight, first, second):
    labels, scores = made()
    labels[[900, 4_000]] = True
    column = (scores * 1e6).astype(np.int64) if first == "ints" else scores.copy()
    gone = np.isin(np.arange(5_000), [900, 901, 4_000, 4_001])
    if second == "nan":
        column[gone] = np.nan
    path = written(
        tmp_path / "x.parquet", labels, pa.array(column, mask=None if second == "nan" else gone)
    )
    with pytest.raises(
        br.InputError,
        match=r'BR201: .*"s" has 4 missing or NaN scores; .*\(rows 901, 902, 4001 …\)',
    ):
        count(path)


def test_missing_labels_are_refused(tmp_path, tight):
    labels, scores = made()
    path = written(tmp_path / "x.parquet", pa.array(labels, mask=np.arange(5_000) < 3), scores)
    with pytest.raises(br.InputError, match='BR105: .*3 of 5,000 labels in "y" are missing'):
        count(path)


@pytest.mark.parametrize(
    ("columns", "how", "match"),
    [
        ({"y": np.arange(5_000)}, {}, 'BR103: .*"y" has more than 1,000 values'),
        ({"y": np.arange(5_000) % 3}, {}, 'BR103: .*"y" has 3 values'),
        ({}, {"delimiter": ";"}, "BR612: .*delimiter applies to a text file"),
        ({}, {"positive": "2"}, "BR109"),
    ],
)
def test_what_cannot_be_counted_in_pieces_is_refused(tmp_path, columns, how, match):
    labels, scores = made()
    path = str(tmp_path / "x.parquet")
    parquet.write_table(
        pa.table({"y": labels.astype(np.int8), "s": scores, "w": scores, **columns}), path
    )
    with pytest.raises(br.InputError, match=match):
        count(path, **how)


@pytest.mark.parametrize("how", [{"nan_score": "drop"}, {"missing_label": "drop"}, {"weight": "w"}])
def test_what_needs_every_case_is_counted_where_these_fit(tmp_path, monkeypatch, how):
    labels, scores = made()
    columns = {"y": labels.astype(np.int8), "s": scores, "w": scores + 1}
    path = str(tmp_path / "x.parquet")
    parquet.write_table(pa.table(columns), path)
    assert count(path, **how) == br.count(path, label="y", score="s", **how)
    monkeypatch.setattr("baserate.read.files.is_possible", lambda: False)
    monkeypatch.setattr("baserate.read.files.BYTES_A_ROW", LEAST)
    (option,) = how
    needs = f"{option.replace('_', ' ')} needs every case at once, and 5,000 cases do not fit"
    with pytest.raises(br.InputError, match=f"BR943: .*{needs} into 320.0 MB"):
        count(path, **how)


def test_scores_written_as_text_are_counted(tmp_path, tight):
    labels, scores = made()
    path = written(tmp_path / "x.parquet", labels, np.array(scores, dtype=str).astype(object))
    assert count(path) == br.count(labels, scores).condense()


def test_json_lines_are_counted_too(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"y": 0, "s": 0.1}\n{"y": 1, "s": 0.4}\n')
    assert count(path) == br.count([0, 1], [0.1, 0.4])


def test_a_file_that_changes_between_two_readings_is_refused(tmp_path, tight, monkeypatch):
    labels, scores = made()
    path = written(tmp_path / "x.parquet", labels, scores)
    rows_of = reading.ParquetCases.rows_of

    def changed(self, *arguments):
        os.utime(path, ns=(1, 1))
        return rows_of(self, *arguments)

    monkeypatch.setattr(reading.ParquetCases, "rows_of", changed)
    with pytest.raises(br.InputError, match="BR611: .*changed while it was read"):
        count(path)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="resident sets are read from /proc"
)
def test_a_ceiling_holds_for_both_processes_together(tmp_path):
    labels, scores = made(3_000_000, prior=0.001)
    path = written(tmp_path / "x.parquet", labels, scores, 1 << 20)
    program = (
        f"import baserate as br; print(br.count({path!r}, label='y', score='s', memory='320MB'))"
    )
    taken = taken_by([sys.executable, "-c", program])
    assert "condensed" in taken.said
    assert 50e6 < taken.peak <= 320e6


def test_show_labels_what_was_merged_and_keeps_its_threshold_exact(
    tmp_path, tight, monkeypatch, capsys
):
    labels, scores = made()
    path = written(tmp_path / "x.parquet", labels, scores)
    asked = ("show", path, "--label", "y", "--score", "s", "--threshold", "0.9")
    exact = answered(capsys, *asked)["models"][0]
    found = answered(capsys, *asked, "--memory", LEAST)["models"][0]
    assert found["counts"]["condensed"] is True
    assert found["points"] == exact["points"]
    auc, whole = found["summaries"]["auc"], exact["summaries"]["auc"]
    assert auc["value"] == whole["value"]
    # Runs of negatives are summed as one: the ends may differ in the last digit.
    for end in ("low", "high"):
        assert auc.pop(end) == pytest.approx(whole.pop(end), rel=1e-15)
    assert found["summaries"] == exact["summaries"]
    done = told(capsys, *asked, "--memory", LEAST)
    assert "(condensed)" in done.out
    assert "BR947" in done.err


def test_count_saves_condensed_counts_that_other_commands_read(tmp_path, tight, capsys):
    labels, scores = made()
    for part in range(2):
        written(tmp_path / f"{part}.parquet", labels[part::2], scores[part::2])
    saved = tmp_path / "x.counts"
    files = (tmp_path / "0.parquet", tmp_path / "1.parquet")
    done = told(
        capsys,
        "count",
        *files,
        "--label",
        "y",
        "--score",
        "s",
        "--memory",
        LEAST,
        "-o",
        saved,
    )
    assert done.status == 0, done.err
    assert br.load(saved) == br.count(labels, scores).condense()
    assert answered(capsys, "show", saved)["models"][0]["counts"]["condensed"] is True
    line = refused(capsys, "show", saved, "--memory", "1GB")
    assert "BR002" in line
    line = refused(
        capsys,
        "count",
        *files,
        "--label",
        "y",
        "--score",
        "s",
        "--score",
        "y",
        "--memory",
        LEAST,
        "-o",
        tmp_path / "y.counts",
    )
    assert "BR943" in line


def test_what_is_refused_names_the_option_to_leave_out(tmp_path, monkeypatch, capsys):
    path = written(tmp_path / "x.parquet", *made())
    monkeypatch.setattr("baserate.read.files.is_possible", lambda: False)
    monkeypatch.setattr("baserate.read.files.BYTES_A_ROW", LEAST)
    columns = ("--label", "y", "--score", "s", "--nan-score", "drop")
    done = told(capsys, "count", path, *columns, "--memory", LEAST, "-o", tmp_path / "m.counts")
    assert "BR943" in done.err
    assert "leave out --nan-score, or --memory" in done.err
