"""Folds, slices, sites, days and clusters."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from baserate.counts.grouped import rank
from baserate.kernels import Cells
from baserate.types import Ledger

Y = [0, 1, 0, 1, 1]
S = [0.2, 0.7, 0.1, 0.9, 0.9]
SITES = ["b", "b", "a", "a", "a"]


def test_groups_are_a_mapping_in_sorted_order():
    grouped = br.count(Y, S, by=SITES)
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
        br.count(Y, S, by=SITES)["c"]


@pytest.mark.parametrize(
    "groups",
    [
        [1, 1, None, 2, 2],
        pd.Series([1, 1, None, 2, 2], dtype="Int64"),
        pl.Series([1, 1, None, 2, 2]),
        [1.0, 1.0, float("nan"), 2.0, 2.0],
    ],
    ids=["list", "pandas", "polars", "nan"],
)
def test_missing_groups_are_one_group_named_none(groups):
    grouped = br.count(Y, S, by=groups)
    assert set(grouped) == {1, 2, None}
    assert grouped[None] == br.count([0], [0.1])


def test_grouped_counts_add_up_and_compare_by_value():
    first, second = (
        br.count(Y[:3], S[:3], by=SITES[:3]),
        br.count(Y[3:], S[3:], by=SITES[3:]),
    )
    whole = br.count(Y, S, by=SITES)
    assert first + second == second + first == whole
    assert hash(first + second) == hash(whole)
    assert whole != first
    assert whole != "grouped"
    assert (first + second).ledger == whole.ledger
    assert pickle.loads(pickle.dumps(whole)) == whole
    with pytest.raises(TypeError, match="unsupported operand"):
        whole + 1
    mixed = first + br.count([0], [3], by=["a"])
    assert mixed["a"].scores.tolist() == [3.0, 0.1]
    with pytest.raises(br.InputError, match="without merging some"):
        first + br.count([0], [2**53 + 1], by=["a"])


def test_parts_without_cases_change_nothing():
    for whole in (
        br.count([0, 1], [2**53, 2**53 + 1], by=["a", "a"]),
        br.count([0, 1], [0.5, 0.25], by=["a", "a"], sample_weight=[0.5, 0.25]),
    ):
        for nothing in (
            br.count([], [], by=[]),
            br.count([], [], by=[], sample_weight=[]),
        ):
            assert nothing + whole == whole + nothing == whole


def test_totals_beyond_64_bits_are_refused():
    grouped = br.count([1, 0], [0.5, 0.2], by=["a", "a"])
    for _ in range(61):
        grouped = grouped + grouped
    with pytest.raises(br.InputError, match="exceed 64-bit integers"):
        grouped + grouped


@pytest.mark.parametrize(
    "frame",
    [pl.Series, lambda v: pd.Series(v, dtype="Int64"), pa.array, list],
    ids=["polars", "pandas", "pyarrow", "list"],
)
def test_group_ids_are_kept_apart_and_named_alike_with_and_without_gaps(frame):
    ids = [2**60 + 1, 2**60 + 1, 2**60, 2**60, None]
    grouped = br.count([1, 0, 1, 0, 1], [0.9, 0.1, 0.2, 0.8, 0.5], by=frame(ids))
    assert set(grouped) == {2**60, 2**60 + 1, None}
    assert br.auc(grouped[2**60 + 1]) == 1.0
    gap, full = (
        br.count([0, 1], [0.1, 0.2], by=frame([7, None])),
        br.count([0, 1], [0.1, 0.2], by=frame([7, 8])),
    )
    assert gap + full == full + gap
    assert (gap + full).groups == (full + gap).groups == (None, 7, 8)


def test_groups_from_float_and_int_columns_are_the_same_groups():
    ints, floats = (
        br.count([0, 1], [0.1, 0.2], by=[1, 2]),
        br.count([0, 1], [0.1, 0.2], by=np.array([1.0, np.nan])),
    )
    assert (ints + floats).digest == (floats + ints).digest
    assert list(ints + floats) == [None, 1, 2]


def test_days_are_groups_whatever_their_unit():
    days = pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"]))
    first = br.count([0, 1], [0.1, 0.2], by=days.astype("datetime64[ns]"))
    second = br.count([0, 1], [0.1, 0.2], by=days.astype("datetime64[us]"))
    assert (
        list(first)
        == list(second)
        == [datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 2)]  # noqa: DTZ001
    )
    assert list(
        br.count([0, 1], [0.1, 0.2], by=np.array(["2026-01-01", "2026-01-02"], "M8[D]"))
    ) == [
        datetime.date(2026, 1, 1),
        datetime.date(2026, 1, 2),
    ]
    fine = np.array([1, 2], dtype="M8[ns]")
    assert len(br.count([0, 1], [0.1, 0.2], by=fine)) == 2


def test_values_that_cannot_name_a_group_are_refused():
    sets = np.empty(2, dtype=object)
    sets[:] = [{1}, {2}]
    with pytest.raises(br.InputError, match="cannot name a group"):
        br.count([0, 1], [0.1, 0.2], by=sets)


def test_groups_may_be_numbers_of_any_size():
    grouped = br.count([0, 1, 1], [0.1, 0.2, 0.3], by=[10**400, 0.5, -1])
    assert list(grouped) == [-1, 0.5, 10**400]
    assert grouped.digest


def test_a_group_named_infinity_is_not_saved(tmp_path):
    with pytest.raises(br.InputError, match="a file cannot hold"):
        br.count([0, 1], [0.1, 0.2], by=[float("inf"), 1.5]).save(tmp_path / "g.counts")


def test_grouped_counts_may_be_weighted():
    weights = [0.5, 1, 2, 0.25, 0.25]
    grouped = br.count(Y, S, by=SITES, sample_weight=weights)
    assert repr(grouped) == "GroupedCounts: 2 groups, weight 1.5 positive, 2.5 negative, 4 cells"
    assert grouped["a"] == br.count(Y[2:], S[2:], sample_weight=weights[2:])
    assert grouped["a"].ledger == br.types.Ledger(), (
        "masses do not say how many rows they came from"
    )
    assert grouped.total() == br.count(Y, S, sample_weight=weights)


def test_a_label_note_travels_with_the_groups():
    grouped = br.count(["no", "yes"], [1, 2], by=["a", "b"])
    assert [note.code for note in grouped.notes] == ["BR101"]
    assert "BR101" in [note.code for note in grouped["a"].notes]


def test_many_small_clusters_are_counted():
    rng = np.random.default_rng(3)
    cluster, labels, scores = (
        rng.integers(0, 20_000, 60_000),
        rng.random(60_000) < 0.1,
        rng.random(60_000),
    )
    grouped = br.count(labels, scores, by=cluster)
    assert grouped.total() == br.count(labels, scores)
    assert grouped[7] == br.count(labels[cluster == 7], scores[cluster == 7])


def test_grouped_counts_are_frozen():
    grouped = br.count(Y, S, by=SITES)
    with pytest.raises(TypeError, match="made by count"):
        br.GroupedCounts()
    with pytest.raises(AttributeError, match="GroupedCounts is frozen"):
        grouped.groups = ()


def test_groups_of_the_wrong_length_or_index_are_refused():
    with pytest.raises(br.InputError, match="lengths differ: y_true 5, y_score 5, groups 2"):
        br.count(Y, S, by=["a", "b"])
    with pytest.raises(br.InputError, match="indexes of y_true and groups differ"):
        br.count(pd.Series(Y), S, by=pd.Series(SITES, index=[4, 3, 2, 1, 0]))
    assert br.count(Y, S, by=None) == br.count(Y, S), "None: not given"


def test_scores_of_several_models_are_checked_together_whatever_they_are_grouped_by():
    gap = [*S[:-1], np.nan]
    for role in ("by", "cluster", "amount"):
        beside = {role: [1, 2, 3, 4, 5]}
        with pytest.raises(br.InputError, match='BR201: "b" has 1 missing or NaN score'):
            br.count(Y, {"a": S, "b": gap}, **beside)
        with pytest.raises(br.InputError, match="BR410: a model is named 1"):
            br.count(Y, {1: S}, **beside)
        with pytest.raises(br.InputError, match="BR410: count needs the scores of each model"):
            br.count(Y, {}, **beside)


def test_grouped_counts_are_saved(tmp_path):
    grouped = br.count(Y, S, by=["b", "b", None, 3, True])
    grouped.save(tmp_path / "g.counts")
    back = br.load(tmp_path / "g.counts")
    assert back == grouped
    assert set(back) == {"b", None, 3, True}
    assert back.ledger == grouped.ledger


def test_group_names_that_a_file_cannot_hold_are_refused_before_anything_is_written(tmp_path):
    grouped = br.count(Y, S, by=[datetime.date(2026, 1, day) for day in (1, 1, 2, 2, 3)])
    assert len(grouped) == 3
    with pytest.raises(br.InputError, match="name groups by text or numbers"):
        grouped.save(tmp_path / "g.counts")
    assert list(tmp_path.iterdir()) == []


def test_a_cell_without_cases_is_as_if_absent():
    cells = Cells(np.array([0.9, 0.5, 0.1]), np.array([1, 0, 0]), np.array([0, 0, 2]))
    grouped = br.GroupedCounts._gathered(("a",), np.zeros(3, dtype=np.intp), cells, Ledger(), ())
    assert grouped["a"].scores.tolist() == [0.9, 0.1]


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (1, ("number", 1)),
        (1.0, ("number", 1)),
        (True, ("number", 1)),
        (0.5, ("number", 0.5)),
        (2**60 + 1, ("number", 2**60 + 1)),
        ("1", ("text", "1")),
        (None, ("NoneType", "None")),
        (datetime.date(2026, 1, 2), ("date", "datetime.date(2026, 1, 2)")),
    ],
)
def test_equal_numbers_are_one_group_and_text_is_none_of_them(group, expected):
    found = rank(group)
    assert (found, type(found[1])) == (expected, type(expected[1]))


def test_the_digest_knows_names_and_which_cells_are_whose():
    cells = Cells(np.array([0.9, 0.5]), np.array([1, 0]), np.array([0, 1]))

    def grouped(names, offsets):
        return br.GroupedCounts._of(names, np.array(offsets), cells, Ledger())

    found = [
        grouped(("a", "b"), [0, 1, 2]),
        grouped(("a", "c"), [0, 1, 2]),
        grouped(("a", "b"), [0, 2, 2]),
        grouped((1, 2), [0, 1, 2]),
        grouped(("1", "2"), [0, 1, 2]),
    ]
    assert len({each.digest for each in found}) == len(found)
    assert found[0] == grouped(("a", "b"), [0, 1, 2])


def test_groups_keep_what_they_are_for_and_cases_without_a_label():
    whole = br.count(Y, S, by=SITES)
    assert whole.role == "group"
    plain = whole.serving("")
    assert [(one + other).role for one, other in ((plain, whole), (whole, plain))] == ["group"] * 2
    assert pickle.loads(pickle.dumps(whole)).role == "group"
    none = np.zeros(2, dtype=bool)
    rest = br.count(none, [0.3, 0.4], by=["a", "c"])
    beside = br.count(Y, S, by=SITES).beside(rest)
    assert beside["a"].unlabelled == rest["a"]
    assert beside["b"].unlabelled is None
    assert beside.total().unlabelled == rest.total()
    assert beside.serving("day").unlabelled is rest
    assert (beside + whole).unlabelled is rest
    assert (beside + beside).unlabelled == rest + rest
    scored = beside.scored()
    assert list(scored) == ["a", "b", "c"]
    assert scored["c"].total_negatives == 0
    assert scored["c"].unlabelled == rest["c"]
    assert scored["a"] == whole["a"]
    assert list(whole.scored()) == ["a", "b"]


def test_groups_of_a_design_are_of_that_design():
    grouped = br.count(Y, S, by=SITES, design="case-control")
    assert grouped["a"].ledger.design == "case-control"
    assert br.count(Y, S, by=SITES)["a"].ledger.design == "random"


def test_a_table_of_groups_has_their_totals_and_priors():
    html = br.count([0, 1, 0, 0, 1], S, by=SITES)._repr_html_()
    for group, cells in (("a", ("1", "2", "0.333")), ("b", ("1", "1", "0.5"))):
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        assert f'<th scope="row">{group}</th>{row}' in html
