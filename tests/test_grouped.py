"""Folds, slices, sites, days and clusters."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br

Y = [0, 1, 0, 1, 1]
S = [0.2, 0.7, 0.1, 0.9, 0.9]
SITES = ["b", "b", "a", "a", "a"]


def test_groups_are_a_mapping_in_sorted_order():
    grouped = br.count_groups(Y, S, groups=SITES)
    assert repr(grouped) == "GroupedCounts: 2 groups, 3 positives, 2 negatives, 4 cells"
    assert list(grouped) == ["a", "b"]
    assert len(grouped) == 2
    assert "a" in grouped
    assert grouped["a"] == br.count(Y[2:], S[2:])
    assert grouped["a"].ledger.rows_used == 3
    assert grouped.total() == br.count(Y, S)
    assert [counts.prior for counts in grouped.values()] == [2 / 3, 0.5]


def test_an_unknown_group_is_a_key_error_that_names_one():
    with pytest.raises(KeyError, match='no group "c"; there are 2, such as "a"'):
        br.count_groups(Y, S, groups=SITES)["c"]


@pytest.mark.parametrize(
    "groups",
    [[1, 1, None, 2, 2], pd.Series([1, 1, None, 2, 2], dtype="Int64"), pl.Series([1, 1, None, 2, 2]), [1.0, 1.0, float("nan"), 2.0, 2.0]],
    ids=["list", "pandas", "polars", "nan"],
)
def test_missing_groups_are_one_group_named_none(groups):
    grouped = br.count_groups(Y, S, groups=groups)
    assert set(grouped) == {1, 2, None}
    assert grouped[None] == br.count([0], [0.1])


def test_grouped_counts_add_up_and_compare_by_value():
    first, second = br.count_groups(Y[:3], S[:3], groups=SITES[:3]), br.count_groups(Y[3:], S[3:], groups=SITES[3:])
    whole = br.count_groups(Y, S, groups=SITES)
    assert first + second == second + first == whole
    assert hash(first + second) == hash(whole)
    assert whole != first
    assert whole != "grouped"
    assert (first + second).ledger == whole.ledger
    assert pickle.loads(pickle.dumps(whole)) == whole
    with pytest.raises(TypeError, match="unsupported operand"):
        whole + 1
    with pytest.raises(br.InputError, match="float64 in one part and int64"):
        first + br.count_groups([0], [3], groups=["a"])


def test_grouped_counts_may_be_weighted():
    weights = [0.5, 1, 2, 0.25, 0.25]
    grouped = br.count_groups(Y, S, groups=SITES, sample_weight=weights)
    assert repr(grouped) == "GroupedCounts: 2 groups, weight 1.5 positive, 2.5 negative, 4 cells"
    assert grouped["a"] == br.count(Y[2:], S[2:], sample_weight=weights[2:])
    assert grouped["a"].ledger.rows_used == 2
    assert grouped.total() == br.count(Y, S, sample_weight=weights)


def test_a_label_note_travels_with_the_groups():
    grouped = br.count_groups(["no", "yes"], [1, 2], groups=["a", "b"])
    assert [note.code for note in grouped.notes] == ["BR101"]
    assert "BR101" in [note.code for note in grouped["a"].notes]


def test_many_small_clusters_are_counted():
    rng = np.random.default_rng(3)
    cluster, labels, scores = rng.integers(0, 20_000, 60_000), rng.random(60_000) < 0.1, rng.random(60_000)
    grouped = br.count_groups(labels, scores, groups=cluster)
    assert grouped.total() == br.count(labels, scores)
    assert grouped[7] == br.count(labels[cluster == 7], scores[cluster == 7])


def test_grouped_counts_are_frozen():
    grouped = br.count_groups(Y, S, groups=SITES)
    with pytest.raises(AttributeError, match="GroupedCounts is frozen"):
        grouped.groups = ()


def test_groups_of_the_wrong_length_or_index_are_refused():
    with pytest.raises(br.InputError, match="lengths differ: y_true 5, y_score 5, groups 2"):
        br.count_groups(Y, S, groups=["a", "b"])
    with pytest.raises(br.InputError, match="indexes of y_true and groups differ"):
        br.count_groups(pd.Series(Y), S, groups=pd.Series(SITES, index=[4, 3, 2, 1, 0]))
    with pytest.raises(br.InputError, match="groups is None"):
        br.count_groups(Y, S, groups=None)


def test_grouped_counts_are_saved(tmp_path):
    grouped = br.count_groups(Y, S, groups=["b", "b", None, 3, True])
    grouped.save(tmp_path / "g.counts")
    back = br.load(tmp_path / "g.counts")
    assert back == grouped
    assert set(back) == {"b", None, 3, True}
    assert back.ledger == grouped.ledger


def test_group_names_that_a_file_cannot_hold_are_refused_before_anything_is_written(tmp_path):
    grouped = br.count_groups(Y, S, groups=[datetime.date(2026, 1, day) for day in (1, 1, 2, 2, 3)])
    assert len(grouped) == 3
    with pytest.raises(br.InputError, match="name groups by text or numbers"):
        grouped.save(tmp_path / "g.counts")
    assert list(tmp_path.iterdir()) == []
