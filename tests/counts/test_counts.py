"""The central value: what it holds, what it refuses, how it prints, adds and stays as it is."""

import copy
import pickle

import numpy as np
import pytest

import baserate as br
from baserate.counts.counts import same_scores
from baserate.types import Ledger, Source

F1_A = br.Counts(
    range(9, -1, -1),
    [400, 300, 300, 250, 200, 150, 150, 100, 100, 50],
    [20, 40, 100, 240, 600, 2000, 5000, 10000, 20000, 60000],
)
F1_B = br.Counts(
    range(9, -1, -1),
    [500, 150, 100, 100, 150, 250, 250, 250, 150, 100],
    [10, 20, 70, 200, 700, 3000, 9000, 15000, 25000, 45000],
)


def assert_refused(match, call, code):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code


def test_the_repr_says_what_was_counted():
    counts = br.Counts(
        np.arange(8204),
        np.r_[312, np.zeros(8203, np.int64)],
        np.r_[30941 - 8203, np.ones(8203, np.int64)],
    )
    assert (
        repr(counts)
        == "Counts: 312 positives, 30,941 negatives, 8,204 distinct scores, prior 0.00998"
    )
    assert (
        repr(br.Counts.empty())
        == "Counts: 0 positives, 0 negatives, 0 distinct scores, prior undefined (no cases)"
    )
    assert (
        repr(br.Counts([1, 2], [0.5, 1.0], [2.25, 0.0]))
        == "Counts: weight 1.5 positive, 2.25 negative, 2 distinct scores, prior 0.400"
    )
    assert "cells (condensed: runs of negatives merged)" in repr(F1_A.condense())


def test_auc_of_the_worked_scenario_is_exact():
    assert br.auc(F1_A) == 46779 / 49000
    assert br.auc(F1_B) == 348741 / 392000


def test_cells_may_come_in_any_order_with_repeats_and_empty_ones():
    counts = br.Counts([0.1, 0.9, 0.1, 0.5, -0.0, 0.0], [1, 2, 0, 0, 1, 0], [0, 0, 3, 0, 0, 1])
    assert counts.scores.tolist() == [0.9, 0.1, 0.0]
    assert counts.positives.tolist() == [2, 1, 1]
    assert counts.negatives.tolist() == [0, 3, 1]
    assert not np.signbit(counts.scores).any()


def test_counts_are_made_of_copies_and_cannot_be_changed():
    mine = np.array([1, 2, 3])
    counts = br.Counts([3, 2, 1], mine, [0, 0, 0])
    mine[0] = 99
    assert counts.positives.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        counts.positives[0] = 5
    with pytest.raises(AttributeError, match="Counts is frozen: scores cannot be set"):
        counts.scores = mine
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del counts.scores


def test_counts_compare_by_value_hash_and_copy():
    other = br.Counts([1, 2], [1, 0], [0, 1])
    assert other == br.Counts([2, 1], [0, 1], [1, 0])
    assert hash(other) == hash(br.Counts([2, 1], [0, 1], [1, 0]))
    assert other != br.Counts([1.0, 2.0], [1, 0], [0, 1]), (
        "integers and floats are different scores"
    )
    assert other != br.Counts([1, 2], [1.0, 0.0], [0.0, 1.0]), "masses are no counts"
    assert F1_A.condense() != F1_A
    assert other != "counts"
    for twin in (
        copy.copy(other),
        copy.deepcopy(other),
        pickle.loads(pickle.dumps(F1_A.condense())),
    ):
        assert twin in {other, F1_A.condense()}
        assert not twin.positives.flags.writeable


def test_the_digest_is_the_documented_hash():
    import hashlib
    import struct

    content = (
        b"baserate-counts-1\nfloat64\n"
        + struct.pack("<2d", 0.5, 0.0)
        + struct.pack("<2q", 1, 2)
        + struct.pack("<2q", 3, 4)
    )
    assert br.Counts([-0.0, 0.5], [2, 1], [4, 3]).digest == hashlib.sha256(content).hexdigest()
    assert br.Counts([0, 1], [2, 1], [4, 3]).digest != br.Counts([0.0, 1.0], [2, 1], [4, 3]).digest


def test_the_prior_is_the_share_of_positives():
    assert F1_A.prior == 0.02
    assert repr(br.Counts.empty().prior) == "nan (no cases)"
    assert repr(br.auc(br.Counts.empty())) == "nan (no cases)"


def test_sum_adds_many_parts():
    parts = [br.count([0, 1], [i / 10, 0.5]) for i in range(10)]
    total = sum(parts, br.Counts.empty())
    assert (total.total_positives, total.total_negatives) == (10, 10)
    assert total.ledger == Ledger(20, 20, 0)


def test_empty_counts_change_nothing_not_even_the_type():
    for counts in (
        F1_A,
        F1_A.condense(),
        br.Counts([1.5], [0.5], [0.25]),
        br.count([], []),
    ):
        assert br.Counts.empty() + counts == counts
        assert counts + br.Counts.empty() == counts


def test_only_counts_add_to_counts():
    with pytest.raises(TypeError, match="unsupported operand"):
        F1_A + 1


def test_int_and_float_scores_add_only_without_loss():
    total = br.Counts([1, 2], [1, 1], [0, 0]) + br.Counts([0.5, 1.0], [1, 1], [0, 0])
    assert total.scores.tolist() == [2.0, 1.0, 0.5]
    assert total.positives.tolist() == [1, 2, 1]
    exact = br.Counts([2**60], [1], [0]) + br.Counts([0.5], [1], [0])
    assert exact.scores.tolist() == [2.0**60, 0.5]
    assert_refused(
        "without merging",
        lambda: br.Counts([2**53 + 1], [1], [0]) + br.Counts([0.5], [1], [0]),
        "BR409",
    )


def test_counts_and_masses_add_only_without_loss():
    total = br.Counts([1, 2], [1, 1], [0, 0]) + br.Counts([1], [0.5], [0.25])
    assert total.positives.tolist() == [1.0, 1.5]
    assert_refused(
        "above 2\\*\\*53",
        lambda: br.Counts([1], [2**53 + 2], [0]) + br.Counts([1], [0.5], [0.25]),
        "BR223",
    )


def test_sums_beyond_64_bits_are_refused():
    huge = br.Counts([1], [2**62], [2**61])
    assert_refused("exceed 64-bit integers", lambda: huge + huge, "BR223")
    assert_refused(
        "exceed 64-bit integers", lambda: br.Counts([1, 2], [2**62, 2**62], [0, 1]), "BR223"
    )
    assert_refused(
        "exceed 64-bit integers", lambda: br.Counts([1, 1], [1e308, 1e308], [0.0, 0.0]), "BR223"
    )


def test_auc_is_exact_where_products_go_beyond_64_bits():
    counts = br.Counts([2, 1], [2**61, 1], [1, 2**61])
    wins = 2 * 2**61 * 2**61 + 2**61 + 2**61
    assert br.auc(counts) == wins / (2 * (2**61 + 1) ** 2)


def test_condensed_counts_add_only_with_the_same_positive_scores():
    first = br.count([1, 0, 0], [0.5, 0.4, 0.3], keep="positives")
    same = br.count([1, 0, 0], [0.5, 0.9, 0.1], keep="positives")
    other = br.count([1, 0, 0], [0.6, 0.4, 0.3], keep="positives")
    assert (first + same).scores.tolist() == [0.9, 0.5, 0.1]
    assert (first + same).negatives.tolist() == [1, 0, 3]
    assert (first + br.count([1, 0], [0.5, 0.2])).condensed
    assert_refused("different positive scores", lambda: first + other, "BR409")


@pytest.mark.parametrize(
    ("cells", "match", "code"),
    [
        (([1, 2], [1], [1]), "need one of each: got 2 scores, 1 positives, 1 negatives", "BR222"),
        (([np.nan], [1], [1]), "NaN", "BR201"),
        (([1], [-1], [1]), "not negative", "BR222"),
        (([1], [np.inf], [1.0]), "finite", "BR222"),
        (([[1]], [1], [1]), "one-dimensional", "BR222"),
        ((["a"], [1], [1]), "one-dimensional numbers", "BR222"),
        ((np.array([2**63], np.uint64), [1], [1]), "largest 64-bit", "BR215"),
    ],
)
def test_cells_that_cannot_have_been_counted_are_refused(cells, match, code):
    assert_refused(match, lambda: br.Counts(*cells), code)


def test_whole_scores_without_a_sign_are_kept_up_to_the_largest():
    largest = br.Counts(np.array([2**63 - 1, 3], np.uint64), [1, 0], [0, 1])
    assert (largest.scores.tolist(), largest.scores.dtype) == ([2**63 - 1, 3], np.int64)
    assert br.Counts(np.array([], np.uint64), [], []).scores.dtype == np.int64
    small = br.Counts(np.array([1.5, 0.5], np.float16), np.array([True, False]).astype(int), [1, 1])
    assert (small.scores.tolist(), small.scores.dtype) == ([1.5, 0.5], np.float64)


def test_the_same_file_on_both_sides_of_a_sum_is_noted():
    source = Source("day1.csv", "ab" * 32, 2, 2, 0, "y", "1")
    counts = br.Counts._of(F1_A._cells, Ledger(2, 2, 0, (source,)))
    total = counts + counts
    assert [note.code for note in total.notes if note.code == "BR411"] == ["BR411"]
    assert total.ledger.sources == (source, source)
    joint, groups = (
        br.count([0, 1], {"m": [1, 2]}),
        br.count([0, 1], [1, 2], by=["a", "a"]),
    )
    for value in (joint, groups):
        value.__dict__["ledger"] = counts.ledger
        assert [note.code for note in (value + value).notes] == ["BR411"]


def test_recorded_notes_travel_and_are_kept_once():
    part = br.count(["no", "yes"], [0.1, 0.9])
    total = part + part
    assert [note.code for note in total.notes if note.code == "BR101"] == ["BR101"]


def test_notes_of_many_parts_do_not_pile_up():
    parts = [br.count([0, 1], [0.1, 0.9], sample_weight=[1.5, 2.5 + i]) for i in range(20)]
    codes = [note.code for note in sum(parts, br.Counts.empty()).notes]
    assert codes.count("BR304") == 4
    mixed = sum(
        (br.count(labels, [0.1, 0.9]) for labels in (["no", "yes"], ["no", "no"], ["yes", "yes"])),
        br.Counts.empty(),
    )
    assert [note.code for note in mixed.notes].count("BR101") == 1


def test_observed_notes_are_those_of_the_sum_not_of_its_parts():
    parts = [br.count([0] * 20, np.arange(20) / 20), br.count([1] * 20, np.arange(20) / 20 + 0.01)]
    assert all("BR104" in [note.code for note in part.notes] for part in parts)
    assert "BR104" not in [note.code for note in (parts[0] + parts[1]).notes]


def test_masses_so_large_that_slicing_would_overflow_are_still_exact():
    weights = [2.0**1000, 2.0**940, 1.0, 2.0**1000]
    counts = br.count([1, 1, 1, 0], [1, 1, 1, 1], sample_weight=weights)
    assert counts.positives.tolist() == [float(2**1000 + 2**940 + 1)]


def test_whole_and_fractional_columns_become_masses():
    assert br.Counts([1, 2], [1, 2], [0.5, 0.0]).positives.tolist() == [2.0, 1.0]


def test_errors_and_undefined_numbers_survive_a_trip_to_another_process():
    with pytest.raises(br.InputError, match="BR102") as caught:
        br.count(["a", "b"], [1, 2])
    twin = pickle.loads(pickle.dumps(caught.value))
    assert str(twin) == str(caught.value)
    assert twin.problems == caught.value.problems
    assert pickle.loads(pickle.dumps(br.types.Undefined("no positives"))).reason == "no positives"


def test_summaries_take_counts_and_nothing_that_looks_like_them():
    joint, groups = (
        br.count([0, 1], {"m": [1, 2]}),
        br.count([0, 1], [1, 2], by=["a", "a"]),
    )
    for other in (joint, groups, np.array([1, 2])):
        assert_refused(
            "auc takes the counts of one model, got", lambda other=other: br.auc(other), "BR429"
        )
    assert br.auc(joint.marginal("m")) == br.auc(groups["a"]) == 1.0


def test_small_weighted_auc_keeps_its_digits():
    assert br.auc(br.count([0, 1, 0], [3, 2, 1], sample_weight=[1e16, 1, 1])) == pytest.approx(
        1e-16, rel=1e-12, abs=0
    )
    assert br.auc(br.Counts([3.0, 2.0, 1.0], [0, 1.0, 0], [1e10, 0, 1e-3])) == pytest.approx(
        1e-3 / (1e10 + 1e-3), rel=1e-14, abs=0
    )


def test_cells_that_floats_would_round_are_refused():
    assert_refused(
        "float64 would round",
        lambda: br.Counts([2**53, 2**53 + 1, 0.5], [1, 0, 0], [0, 1, 1]),
        "BR215",
    )
    third = np.longdouble(1) / 3
    if third != np.float64(third):
        assert_refused(
            "float64 would round", lambda: br.Counts(np.array([third]), [1], [0]), "BR215"
        )


def test_merged_counts_say_nothing_of_what_merging_hides():
    merged = br.count([0, 0, 1], [90, 60, 10], keep="positives")
    assert not {"BR202", "BR203", "BR205", "BR206"} & {note.code for note in merged.notes}


def test_scores_are_called_reversed_only_where_they_are():
    nearly = br.Counts([0.9, 0.1], [49_980_000, 50_020_000], [50_000_000, 50_000_000])
    assert "BR207" not in [note.code for note in nearly.notes]
    flagged = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        noise = br.count(
            np.arange(400) % 2, rng.random(400), sample_weight=rng.lognormal(0, 1.5, 400)
        )
        flagged += "BR207" in [note.code for note in noise.notes]
    assert flagged <= 8


def test_counts_and_masses_have_different_digests():
    assert br.Counts([0.5], [1], [1]).digest != br.Counts([0.5], [5e-324], [5e-324]).digest


def test_rare_positives_are_condensed_as_from_all_cells():
    """Where positives are rare, the negatives are not sorted."""
    labels, scores = np.arange(200) % 90 == 7, np.arange(200) * 37 % 101 / 100
    quick, full = br.count(labels, scores, keep="positives"), br.count(labels, scores).condense()
    assert quick == full
    assert quick.digest == full.digest


def test_scores_that_are_the_labels_are_noted():
    codes = [[note.code for note in br.count([0, 1], [low, 1.0]).notes] for low in (0.0, 0.5)]
    assert ["BR112" in found for found in codes] == [True, False]
    assert "BR112" not in [note.code for note in br.count([0, 1, 1], [0.0, 1.0, 0.0]).notes]


def test_condensed_counts_keep_their_cuts_where_both_have_the_same():
    first = br.count([1, 0, 0, 0], [0.5, 0.4, 0.3, 0.2]).condense([0.3])
    same = br.count([1, 0, 0], [0.5, 0.35, 0.1]).condense([0.3])
    other = br.count([1, 0, 0], [0.5, 0.35, 0.1]).condense([0.2])
    assert (first + same).cuts.tolist() == [0.3]
    assert (first + same).scores.tolist() == [0.5, 0.3, 0.1]
    for parts in ((first, other), (first, other.condense()), (other.condense(), first)):
        assert sum(parts, br.Counts.empty()).cuts is None
        assert sum(parts, br.Counts.empty()).scores.tolist() == [0.5, 0.1]


def test_equal_counts_are_merged_in_the_same_way():
    assert F1_A.condense() == F1_A.condense()
    one = br.Counts([1], [1], [1])
    assert one.condense() != one
    assert len({one, one.condense(), br.Counts([1], [1], [1])}) == 2


def test_scores_without_labels_are_counted_and_flagged():
    found = br.count_unlabelled([0.9, 0.2, 0.2, 0.1])
    assert (found.total, found.scores.tolist(), found.cases.tolist()) == (
        4,
        [0.9, 0.2, 0.1],
        [1, 2, 1],
    )
    assert [found.flagged(cut) for cut in (None, 1, 0.9, 0.2, 0.15, 0)] == [0, 0, 1, 3, 3, 4]
    assert found == br.count_unlabelled([0.1, 0.2, 0.9, 0.2])
    assert found != br.count_unlabelled([0.1, 0.2, 0.9])
    assert pickle.loads(pickle.dumps(found)) == found


def test_masses_of_one_each_stay_masses_by_model():
    joint = br.count([0, 1, 1], {"a": [1, 2, 3], "b": [3, 2, 1]}, sample_weight=[1.0, 1.0, 1.0])
    assert joint["a"].weighted
    assert joint["a"] == br.count([0, 1, 1], [1, 2, 3], sample_weight=[1.0, 1.0, 1.0])
    merged = joint + br.count([0, 1, 1], {"a": [1, 2, 3], "b": [3, 2, 1]})
    assert merged.canonical()["b"].positives.tolist() == [0.0, 2.0, 2.0]


def test_models_with_the_same_scores_are_noted_in_pairs():
    scores = {"a": [1, 2, 3], "b": [1, 2, 3], "c": [3, 2, 1], "d": [1, 2, 3]}
    found = same_scores(br.count([0, 1, 1], scores), list(scores))
    assert [note.text.split(" have")[0] for note in found] == [
        '"a" and "b"',
        '"a" and "d"',
        '"b" and "d"',
    ]
    assert {note.code for note in found} == {"BR406"}


def test_counts_of_scores_corrected_otherwise_do_not_add_up():
    plain, corrected = (br.Counts._of(F1_A._cells, Ledger(corrected=odds)) for odds in ("", "3/4"))
    assert (corrected + corrected).ledger.corrected == "3/4"
    for parts in ((plain, corrected), (corrected, plain)):
        with pytest.raises(br.InputError, match=r"BR536: .*(not at all and by|by 3/4 and not)"):
            parts[0] + parts[1]
    assert (br.Counts.empty() + corrected).total_positives == 2000


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([], np.int64), ([1, 2], np.int64), ([1.5], np.float64), (np.empty(0), np.float64)],
)
def test_an_empty_list_has_no_type_but_an_empty_array_has(values, dtype):
    assert br.Counts(np.arange(len(values)), values, values).positives.dtype == dtype
    assert br.Counts([], [], []).scores.dtype == np.float64
