"""Scores without labels, from arrays and files: every case is there once, and what is missing is
refused or told.
"""

import pickle
from collections import Counter

import numpy as np
import polars as pl
import pytest
from tests.inference.refusals import assert_refused

import baserate as br
from baserate.read.files import unlabelled_of
from baserate.read.source import Options


def test_every_case_is_counted_at_its_score():
    values = np.random.default_rng(1).integers(0, 20, 500) / 8
    found = br.count_unlabelled(values)
    assert dict(zip(found.scores.tolist(), found.cases.tolist(), strict=True)) == dict(
        Counter(values.tolist())
    )
    assert (np.diff(found.scores) < 0).all()
    assert found.total == 500


def test_the_cases_at_or_above_a_threshold_are_flagged():
    found = br.count_unlabelled([0.5, 0.25, 0.5, 1.0])
    assert repr(found) == "Unlabelled: 4 cases, 3 distinct scores"
    assert [found.flagged(threshold) for threshold in (None, 2, 0.5, 0.3, 0)] == [0, 0, 3, 3, 4]


@pytest.mark.parametrize(
    "made", [list, np.array, pl.Series, lambda values: np.array(values, dtype=np.float32)]
)
def test_whatever_holds_the_scores(made):
    assert br.count_unlabelled(made([0.5, 0.25, 0.5])) == br.count_unlabelled([0.25, 0.5, 0.5])


def test_files_of_any_kind_give_the_same(tmp_path):
    frame = pl.DataFrame({"m": [0.5, 0.25, 0.5, 1.0], "other": ["a", "b", "c", None]})
    frame.write_csv(tmp_path / "u.csv")
    frame.select("m").write_csv(tmp_path / "alone.csv")
    frame.write_parquet(tmp_path / "u.parquet")
    frame.write_ndjson(tmp_path / "u.jsonl")
    expected = br.count_unlabelled([0.5, 0.25, 0.5, 1.0])
    for name in ("u.csv", "alone.csv", "u.parquet", "u.jsonl"):
        found = br.count_unlabelled(tmp_path / name, score="m")
        assert found == expected
        assert (found.ledger.rows_read, found.ledger.rows_used, found.ledger.rows_refused) == (
            4,
            4,
            0,
        )
        assert found.ledger.sources[0].path.endswith(name)
        assert found.digest == expected.digest


def test_hard_labels_in_a_file_are_scores_too(tmp_path):
    (tmp_path / "u.csv").write_text("m\n1\n0\n0\n")
    assert br.count_unlabelled(tmp_path / "u.csv", score="m") == br.count_unlabelled([1, 0, 0])


def test_missing_scores_are_refused_with_their_line_or_dropped_and_told(tmp_path):
    (tmp_path / "u.csv").write_text("m,x\n0.5,1\n,2\n0.25,3\n")
    assert_refused(
        "BR201", r"\(line 3\)", lambda: br.count_unlabelled(tmp_path / "u.csv", score="m")
    )
    found = br.count_unlabelled(tmp_path / "u.csv", score="m", nan_score="drop")
    assert found == br.count_unlabelled([0.5, 0.25])
    assert (found.ledger.rows_read, found.ledger.rows_used, found.ledger.rows_refused) == (3, 2, 1)
    assert [note.code for note in found.notes] == ["BR201"]


def test_low_scores_that_are_risky_are_turned(tmp_path):
    (tmp_path / "u.csv").write_text("m,x\n0.5,1\n0.25,3\n")
    found = br.count_unlabelled(tmp_path / "u.csv", score="m", lower_is_positive=True)
    assert found.scores.tolist() == [-0.25, -0.5]
    assert [note.code for note in found.notes] == ["BR207"]


def test_what_is_said_of_labels_is_refused(tmp_path):
    (tmp_path / "u.csv").write_text("m,x\n0.5,1\n")
    path = tmp_path / "u.csv"
    with pytest.raises(TypeError, match="unexpected keyword argument 'missing_label'"):
        br.count_unlabelled(path, score="m", missing_label="drop")
    options = Options.of({"missing_label": "drop"})
    call = lambda: unlabelled_of(str(path), "m", options)  # noqa: E731
    assert_refused("BR612", "applies to labels or ids", call)


def test_several_files_are_one(tmp_path):
    for name, rows in (("a.csv", "0.5\n0.25\n"), ("b.csv", "0.5\n")):
        (tmp_path / name).write_text(f"m\n{rows}")
    found = br.count_unlabelled(tmp_path / "*.csv", score="m")
    assert found == br.count_unlabelled([0.5, 0.25, 0.5])
    assert len(found.ledger.sources) == 2


def test_rows_that_are_left_out_are_told_for_each_file(tmp_path):
    for name, rows in (("a.csv", "0.5\nNA\nNA\n"), ("b.csv", "0.5\n0.25\n")):
        (tmp_path / name).write_text(f"m\n{rows}")
    found = br.count_unlabelled(tmp_path / "*.csv", score="m", nan_score="drop").ledger
    assert [(one.rows_used, one.rows_refused) for one in found.sources] == [(1, 2), (2, 0)]
    assert (found.rows_read, found.rows_used, found.rows_refused) == (5, 3, 2)


def test_it_is_a_frozen_value():
    found = br.count_unlabelled([0.5, 0.25])
    assert pickle.loads(pickle.dumps(found)) == found
    assert hash(found) == hash(br.count_unlabelled([0.25, 0.5]))
    assert found != br.count_unlabelled([0.5])
    assert found != 1
    with pytest.raises(AttributeError, match="is frozen"):
        found.scores = 1
    with pytest.raises(ValueError, match="read-only"):
        found.cases[0] = 7


def test_what_is_no_array_is_refused():
    assert_refused("BR219", "must be one-dimensional", lambda: br.count_unlabelled(0.5))
    assert_refused("BR201", "missing or NaN", lambda: br.count_unlabelled([0.5, None]))
