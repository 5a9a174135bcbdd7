"""BAD_INPUTS, section C, for arrays, where there is more to say than tests/bad_inputs does."""

import numpy as np
import pytest
from tests.read.refusals import S, assert_refused, codes, text_of

import baserate as br
from baserate.read.cases import as_weights, with_weight
from baserate.read.columns import Column


def test_row_38_a_class_without_weight_is_refused():
    assert_refused(
        "total weight of the positives is 0",
        [0, 0, 1, 1],
        S,
        code="BR552",
        sample_weight=[1, 1, 0, 0],
    )
    assert_refused(
        "total weight of the negatives is 0",
        [0, 0, 1, 1],
        S,
        code="BR552",
        sample_weight=[0, 0, 1, 1],
    )
    with pytest.raises(br.InputError, match="total weight of the positives is 0"):
        br.count([0, 0, 1, 1], {"m": S}, sample_weight=[1, 1, 0, 0])


@pytest.mark.parametrize(
    ("bad", "what"),
    [(float("nan"), "missing or NaN"), (None, "missing or NaN"), (float("inf"), "infinite")],
)
def test_row_39_weights_that_are_no_numbers_are_refused(bad, what):
    error = assert_refused(what, [0, 0, 1, 1], S, code="BR303", sample_weight=[1.0, 1.0, bad, 1.0])
    assert error.problems[0].where.rows == (2,)


def test_row_39_text_weights_are_read_or_refused():
    assert br.count([0, 1], [1, 2], sample_weight=["0.5", "2"]).total_positives == 2.0
    assert_refused("not numbers", [0, 1], [1, 2], code="BR208", sample_weight=["a", "b"])


def test_row_40_weights_that_overflow_a_class_are_refused_and_large_ones_are_not():
    assert_refused(
        "overflows", [0, 1, 1], [1, 2, 3], code="BR303", sample_weight=[1.0, 1e308, 1e308]
    )
    assert_refused(
        "overflows", [0, 1, 1], [1, 2, 2], code="BR303", sample_weight=[1.0, 1e308, 1e308]
    )
    assert_refused("overflows", [0, 1], [1, 2], code="BR303", sample_weight=[1e308, 1e308])
    large = br.count([0, 1], [1, 2], sample_weight=[8e307, 8e307])
    assert (large.total_positives, large.prior, br.auc(large)) == (8e307, 0.5, 1.0)


@pytest.mark.parametrize("light", [0, 1])
def test_row_40_nothing_is_read_off_a_class_that_weighs_next_to_nothing(light):
    labels = [0, 1, 0, 1]
    weights = [1e-310 if label == light else 1 for label in labels]
    counts = br.count(labels, [0.1, 0.9, 0.3, 0.7], sample_weight=weights)
    with pytest.raises(br.InputError, match="BR303: one class weighs 2 and the other"):
        br.choose(counts, prior=0.01)
    assert br.measure(counts, "precision", threshold=0.5) == 1


def test_row_40_whole_weights_that_floats_would_round_are_refused():
    assert_refused("above 2\\*\\*53", [0, 1], [1, 2], code="BR303", sample_weight=[2**53 + 1, 1])


def test_a_weight_of_zero_is_as_if_absent_everywhere():
    labels, scores, weights = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], [1.5, 2.5, 0.0, -0.0]
    few = slice(0, 2)
    assert br.count(labels, scores, sample_weight=weights) == br.count(
        labels[few], scores[few], sample_weight=weights[few]
    )
    joint = br.count(labels, {"m": scores}, sample_weight=weights)
    assert joint == br.count(labels[few], {"m": scores[few]}, sample_weight=weights[few])
    groups = br.count(labels, scores, by=list("aabb"), sample_weight=weights)
    assert groups == br.count(labels[few], scores[few], by=["a", "a"], sample_weight=weights[few])
    assert groups.ledger.rows_read == 4


def test_notes_on_weights_speak_of_weight_not_of_cases():
    assert "no positives in a weight of 25" in text_of(
        br.count([0, 0], [0.1, 0.2], sample_weight=[12.5, 12.5]), "BR104"
    )
    assert text_of(
        br.count([1, 1, 0], [0.1, 0.2, 0.3], sample_weight=[5e-324, 1e308, 1e-308]), "BR110"
    ).endswith("meant?")
    assert ">99.9 % of the weight" in text_of(
        br.count([1, 1, 0], [0.1, 0.2, 0.3], sample_weight=[0.5, 1e6, 0.5]), "BR110"
    )


def test_row_42_whole_weights_are_noted_as_ambiguous():
    assert "BR306" in codes(br.count([0, 0, 1, 1], S, sample_weight=[1, 2, 1, 2]))
    assert "BR306" not in codes(br.count([0, 0, 1, 1], S, sample_weight=[1, 1, 1, 1]))
    assert "BR306" not in codes(br.count([0, 0, 1, 1], S, sample_weight=[1.5, 2, 1, 2]))


def test_row_43_weights_by_class_are_noted_with_the_prior_they_imply():
    counts = br.count(
        [0] * 98 + [1] * 2, np.arange(100) / 100, sample_weight=[0.5] * 98 + [24.5] * 2
    )
    assert (
        "the weights of 100 rows are one value per class and imply a base rate of 0.5 (rows: 0.02)"
        in text_of(counts, "BR304")
    )
    assert "BR304" not in codes(br.count([0, 0, 1, 1], S, sample_weight=[0.5, 0.6, 0.7, 0.7]))
    assert "BR304" not in codes(br.count([1, 1], S[:2], sample_weight=[0.5, 0.6]))
    assert "BR304" not in codes(br.count([0, 1], S[:2], sample_weight=[0.5, 0.5]))


def test_independent_problems_are_found_in_one_pass():
    with pytest.raises(br.InputError, match="BR105.*\nBR208.*\nBR303") as caught:
        br.count([0, None, 1, 1], ["0.1", "x", "0.3", "0.8"], sample_weight=[1, 1, 1, -1])
    assert [problem.code for problem in caught.value.problems] == ["BR105", "BR208", "BR303"]


def test_messages_quote_little_and_nothing_that_steers_a_terminal():
    error = assert_refused("cannot tell", ["\x1b[31m" + "a" * 100, "b"] * 2, S, code="BR102")
    assert "\x1b" not in str(error)
    assert "a" * 50 not in str(error)


def test_keep_takes_two_words_only():
    assert_refused("keep must be", [0, 1], [1, 2], code="BR532", keep="some")


@pytest.mark.parametrize(
    ("weights", "words", "rows"),
    [
        (np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0]), "1 missing or NaN weight", (1,)),
        (np.ma.masked_array([1, 2, 3], mask=[0, 1, 0]), "1 missing or NaN weight", (1,)),
        ([1.0, np.nan, np.nan], "2 missing or NaN weights", (1, 2)),
        (["1", "", "2"], "1 missing or NaN weight", (1,)),
        ([np.inf, 1.0, np.inf], "2 infinite weights", (0, 2)),
        ([1.0, -0.5, -2.0], "2 negative weights, such as -0.5", (1, 2)),
        ([1.0, -np.inf, 2.0], "1 negative weight, such as -inf", (1,)),
        ([0.0, -0.5, 0.5], "1 negative weight, such as -0.5", (1,)),
        ([1, 2**53 + 1, 1], r"whole weights above 2\*\*53", ()),
        ([1, -(2**53) - 1, 1], "1 negative weight, such as -9.0072e.15", (1,)),
        ([1.0] * 3 + [np.nan] * 5, "5 missing or NaN weights", (3, 4, 5)),
    ],
    ids=range(11),
)
def test_weights_that_are_none_are_refused_with_their_rows(weights, words, rows):
    labels = [0, 1] * 4
    error = assert_refused(
        f"sample_weight has {words}",
        labels[: len(weights)],
        np.arange(len(weights)),
        code="BR303",
        sample_weight=weights,
    )
    assert error.problems[0].where.rows == rows


@pytest.mark.parametrize(
    "weights",
    [[2**53, 1], [0.5, 0.25], np.array([True, True]), np.array([1, 2], dtype=np.uint8), []],
    ids=str,
)
def test_weights_are_held_as_floats_without_rounding(weights):
    found = as_weights(Column("w", np.asarray(weights)))
    assert (found.dtype, found.tolist()) == (np.float64, [float(each) for each in weights])


def test_cases_without_weight_are_left_out_but_not_a_whole_class():
    positive = np.array([True, True, False])
    assert with_weight(np.array([0.5, 0.25, 1.0]), positive) is None
    assert with_weight(np.empty(0), positive[:0]) is None
    assert with_weight(np.array([0.0, 0.25, 1.0]), positive).tolist() == [False, True, True]
    assert with_weight(np.array([0.0, 1.0]), positive[:2]).tolist() == [False, True]
    for weights, name in (([0.0, 0.0, 1.0], "positives"), ([1.0, 1.0, 0.0], "negatives")):
        with pytest.raises(br.InputError, match=f"BR552: the total weight of the {name} is 0"):
            with_weight(np.array(weights), positive)


@pytest.mark.parametrize("unit", [1.0, 2.0**-400, 2.0**400, 2.0**-330, 2.0**330])
def test_uneven_weights_are_noted_where_they_count_for_less_than_half_the_rows(unit):
    """Of 2, 3, 6 and 23 the square of the sum is twice the sum of the squares: they count as 2."""
    even = np.array([2.0, 3.0, 6.0, 23.0]) * unit
    assert "BR307" not in codes(br.count([0, 1, 0, 1], S, sample_weight=even))
    uneven = br.count([0, 1, 0, 1], S, sample_weight=even * [1, 1, 1, 2])
    assert text_of(uneven, "BR307").startswith(
        "the weights of 4 rows as read are uneven: they count as 1.5 (Kish's"
    )


@pytest.mark.parametrize("late", [3, 1500])
def test_weights_are_looked_at_to_the_last_row(late):
    labels = np.arange(2000) % 2
    weights = np.where(labels == 1, 4.0, 2.0)
    whole = br.count(labels, np.arange(2000), sample_weight=weights)
    assert {"BR304", "BR306"} <= set(codes(whole))
    assert "a base rate of 0.667 (rows: 0.5)" in text_of(whole, "BR304")
    weights[late] += 0.5
    assert not {"BR304", "BR306"} & set(
        codes(br.count(labels, np.arange(2000), sample_weight=weights))
    )


def test_grouped_and_joint_counts_have_the_notes_of_their_weights():
    labels, weights = [0, 0, 0, 1], [1.0, 1.0, 1.0, 9.0]
    plain = br.count(labels, S, sample_weight=weights)
    said = [note for note in plain.notes if note.code in ("BR304", "BR306", "BR307")]
    assert len(said) == 3
    assert list(br.count(labels, S, by=list("aabb"), sample_weight=weights).notes) == said
    assert list(br.count(labels, {"m": S}, sample_weight=weights).notes) == said


def test_a_sum_of_weights_that_floats_do_not_hold_is_refused_in_groups_too():
    for more in ({"by": [1, 2, 3]}, {}):
        assert_refused(
            "the total weight overflows", [0, 1, 1], [1, 2, 3], code="BR303",
            sample_weight=[1.0, 1e308, 1e308], **more,
        )  # fmt: skip
