"""BAD_INPUTS, sections A to C, for arrays: one test a row, named by its number. Rows 16 (dates) and 32 (probability measures) need
what arrays do not have; row 44 is about the name of a column and stands with the command line."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import baserate as br

S = [0.1, 0.4, 0.35, 0.8]


def codes(counts):
    return [note.code for note in counts.notes]


def refused(match, *arguments, code, **named):
    with pytest.raises(br.InputError, match=match) as caught:
        br.count(*arguments, **named)
    assert caught.value.code == code
    assert "Fix: " in str(caught.value)
    return caught.value


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], [False, False, True, True], [0.0, 0.0, 1.0, 1.0], np.array([0, 0, 1, 1], np.uint8)])
def test_row_1_plain_labels_are_accepted_without_a_note(labels):
    counts = br.count(labels, S)
    assert (counts.total_positives, counts.total_negatives) == (2, 2)
    assert counts.notes == ()


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        ("no", "yes"),
        ("n", "y"),
        ("neg", "pos"),
        ("F", "T"),
        ("0", "1"),
        (-1, 1),
        ("False", "True"),
        ("negative", "positive"),
        ("No", "Yes"),
        (-1.0, 1.0),
    ],
)
def test_row_2_documented_pairs_are_accepted_with_a_note_that_says_how_to_turn_it_round(negative, positive):
    counts = br.count([negative, negative, negative, positive], S)
    assert counts.positives.tolist() == [1, 0, 0, 0]
    (note,) = counts.notes
    assert note.code == "BR101"
    assert "positive = " in note.text
    assert str(note).endswith(f"Override: pos_label={negative!r}")
    turned = br.count([negative, negative, negative, positive], S, pos_label=negative)
    assert turned.positives.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("labels", [["fraud", "legit", "legit", "legit"], ["bad", "good", "good", "good"]])
def test_row_3_words_without_a_documented_meaning_are_refused(labels):
    error = refused("cannot tell which is positive", labels, S, code="BR102")
    assert f'"{labels[0]}" (1)' in str(error)
    assert f"Fix: pos_label={labels[0]!r}" in str(error)
    assert error.problems[0].fix.command == f"--positive {labels[0]}"
    assert br.count(labels, S, pos_label=labels[0]).total_positives == 1


def test_row_4_one_and_two_are_refused():
    refused(r"values 1 \(3\), 2 \(1\); cannot tell", [1, 1, 1, 2], S, code="BR102")
    assert br.count([1, 1, 1, 2], S, pos_label=2).positives.tolist() == [1, 0, 0, 0]


def test_row_5_three_values_are_refused_even_with_a_positive_one():
    refused(r"3 values \(0 \(2\), 1 \(1\), 2 \(1\)\); need 2. Fix: count\(y_true == 1", [0, 0, 1, 2], S, code="BR103")
    refused("3 values", [0, 0, 1, 2], S, code="BR103", pos_label=1)
    refused("4 values|5 values", list("abcde"), [*S, 1], code="BR103")


def test_row_6_one_class_is_counted_with_a_note_and_what_is_undefined_says_why():
    none = br.count(np.zeros(100), np.arange(100) / 100)
    assert "BR104" in codes(none)
    assert "2.95 %" in next(note.text for note in none.notes if note.code == "BR104")
    assert repr(br.auc(none)) == "nan (no positives)"
    every = br.count(np.ones(100), np.arange(100) / 100)
    assert "no negatives" in next(note.text for note in every.notes if note.code == "BR104")
    assert repr(br.auc(every)) == "nan (no negatives)"


@pytest.mark.parametrize(
    "labels",
    [
        [0, None, 1, 1],
        ["no", " ", "yes", "no"],
        [0.0, float("nan"), 1.0, 1.0],
        pd.Series([0, pd.NA, 1, 1], dtype="Int64"),
        pl.Series([0, None, 1, 1]),
        pa.array([0, None, 1, 1]),
    ],
)
def test_row_7_missing_labels_are_refused_with_their_places(labels):
    error = refused("1 of 4 labels in y_true are missing", labels, S, code="BR105")
    assert error.problems[0].where.rows == (1,)
    assert "(index 1)" in str(error)


def test_row_7_missing_timestamps_are_missing_labels_too():
    refused("1 of 2 labels", np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"), [1, 2], code="BR105")


def test_no_labels_at_all_are_the_counts_of_nothing():
    for nothing in ([], np.array([], dtype=object), np.array([], dtype=str), np.array([], dtype=int)):
        assert br.count(nothing, []) == br.Counts.empty()
        assert br.count(nothing, [], pos_label="yes") == br.Counts.empty()


def test_row_7_three_examples_and_the_total_are_named():
    error = refused("4 of 5 labels", [0, None, None, None, None], [*S, 1], code="BR105")
    assert "index 1, 2, 3 …" in str(error)
    assert error.problems[0].where.total == 4


def test_labels_may_lie_anywhere_in_memory():
    table = np.zeros((4, 2), dtype=bool)
    table[2:, 0] = True
    assert br.count(table[:, 0], np.array([S, S]).T[:, 1]) == br.count([0, 0, 1, 1], S)
    assert br.count(table[::-1, 0], np.array(S)[::-1]) == br.count([0, 0, 1, 1], S)
    assert br.count(np.array([0, 0, 1, 1], dtype=">i4"), np.array(S, dtype=">f8")) == br.count([0, 0, 1, 1], S)


def test_row_8_fractional_labels_are_refused():
    refused(r"fractional \(0.1 to 0.9\)", [0.1, 0.9, 0.1, 0.9], S, code="BR106")
    refused("fractional", [0.0, 1.0, 0.25, float("inf")], S, code="BR106")


def test_row_9_mixed_types_are_refused():
    refused(r"mixes types: numbers \(3\), text \(1\)", [0, "1", 0, 1], S, code="BR107")
    refused("mixes types", np.array([0, "1", 0, 1], dtype=object), S, code="BR107")


def test_row_9_objects_that_cannot_be_labels_are_refused():
    boxes = np.empty(2, dtype=object)
    boxes[:] = [[0], [1]]
    refused("holds list objects, not labels", boxes, [1, 2], code="BR107")
    refused("holds list, not scores", [0, 1], boxes, code="BR209")


def test_row_10_spellings_of_one_label_are_refused():
    refused("3 spellings of one label", ["Yes", "yes ", " YES", "no"], S, code="BR108")
    refused("2 spellings", ["Yes", "yes", "no", "no"], S, code="BR108", pos_label="yes")


@pytest.mark.parametrize(
    ("labels", "given", "meant"), [(["no", "yes"] * 2, "Yes", "yes"), ([0, 1] * 2, "1", 1), ([0, 1] * 2, 7, 0), (["a", "bb"] * 2, "bc", "bb")]
)
def test_row_11_a_positive_label_that_is_not_there_is_refused_with_the_likely_one(labels, given, meant):
    refused(rf"is not in y_true.*Fix: pos_label={meant!r}", labels, S, code="BR109", pos_label=given)


@pytest.mark.parametrize("given", [float("nan"), [1]])
def test_row_11_what_cannot_be_a_label_is_refused(given):
    refused("cannot be a label", [0, 1, 0, 1], S, code="BR109", pos_label=given)


def test_row_11_a_part_without_positives_is_no_slip_of_the_pen():
    part = br.count(["no"] * 4, S, pos_label="yes")
    assert part.total_positives == 0
    assert "BR104" in codes(part)


def test_row_12_a_positive_majority_is_noted():
    assert "BR110" in codes(br.count([1] * 93 + [0] * 7, np.arange(100) / 100))
    assert "BR110" not in codes(br.count([1] * 50 + [0] * 50, np.arange(100) / 100))


def test_row_13_swapped_labels_and_scores_are_refused_or_noted():
    refused("seem to be swapped", S, [0, 1, 0, 1], code="BR111")
    assert "BR111" in codes(br.count([0, 1, 1, 0], [0, 1, 0, 1]))


def test_row_13_two_values_that_are_not_labels_are_not_called_swapped():
    refused("fractional", S, [0.3, 0.4, 0.3, 0.4], code="BR106")


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([0, 0, 1, 1], dtype="Int64"),
        pd.Series([False, False, True, True], dtype="boolean"),
        pd.Series([0, 0, 1, 1], dtype="category"),
        pd.Series(["0", "0", "1", "1"], dtype="category"),
        pd.Series([0, 0, 1, 1], dtype=object),
        pl.Series([False, False, True, True]),
        pl.Series(["no", "no", "yes", "yes"], dtype=pl.Categorical),
        pl.Series(["no", "no", "yes", "yes"], dtype=pl.Enum(["no", "yes"])),
        pa.array(["no", "no", "yes", "yes"]).dictionary_encode(),
        pa.chunked_array([[0, 0], [1, 1]]),
        pd.array([0, 0, 1, 1], dtype="Int64"),
        pd.Index([0, 0, 1, 1]),
    ],
    ids=lambda labels: f"{type(labels).__module__}.{getattr(labels, 'dtype', getattr(labels, 'type', ''))}",
)
def test_row_14_nullable_and_categorical_labels_are_accepted(labels):
    assert br.count(labels, S).positives.tolist() == [1, 0, 1, 0]


def test_row_15_a_score_that_equals_the_label_is_noted():
    counts = br.count([0, 1, 0, 1], [0, 1, 0, 1])
    assert "BR112" in codes(counts)
    assert "BR111" not in codes(counts)


@pytest.mark.parametrize(
    "scores",
    [
        [0.1, float("nan"), 0.35, 0.8],
        [0.1, None, 0.35, 0.8],
        np.array([0.1, np.nan, 0.35, 0.8], dtype=np.float32),
        np.array([0.1, -np.nan, 0.35, 0.8]),
        ["0.1", "nan", "0.3", "0.4"],
        ["0.1", "", "0.3", "0.4"],
        pd.Series([1, pd.NA, 3, 4], dtype="Int64"),
        np.ma.masked_array(S, mask=[0, 1, 0, 0]),
        [Decimal("0.1"), Decimal("NaN"), Decimal("0.3"), Decimal(1)],
    ],
    ids=str,
)
@pytest.mark.parametrize("keep", ["all", "positives"])
def test_row_17_missing_scores_are_refused_with_their_places(scores, keep):
    error = refused("1 missing or NaN scores", [0, 0, 1, 0], scores, code="BR201", keep=keep)
    assert error.problems[0].where.rows == (1,)


def test_row_17_missing_scores_are_refused_with_weights_groups_and_models_too():
    bad = [0.1, float("nan"), 0.35, 0.8]
    refused("NaN scores", [0, 0, 1, 1], bad, code="BR201", sample_weight=[1, 2, 3, 4])
    with pytest.raises(br.InputError, match='"m1" has 1 missing.*\n.*"m2" has 1 missing'):
        br.count_models([0, 0, 1, 1], {"m1": bad, "m2": bad, "m3": S})
    with pytest.raises(br.InputError, match="y_score has 1 missing"):
        br.count_groups([0, 0, 1, 1], bad, groups=[1, 1, 2, 2])


def test_row_17_a_hundred_thousand_rows_with_one_nan_are_refused_on_every_path():
    scores = np.random.default_rng(0).random(100_000)
    scores[77] = np.nan
    labels = np.zeros(100_000, dtype=bool)
    labels[::1000] = True
    for keep in ("all", "positives"):
        assert refused("NaN", labels, scores, code="BR201", keep=keep).problems[0].where.rows == (77,)
    refused("NaN", labels, np.where(np.isnan(scores), np.nan, np.round(scores, 1)), code="BR201")


def test_row_18_infinite_scores_rank_beyond_all_others_with_a_note():
    counts = br.count([0, 0, 1, 1], [-np.inf, 0.4, 0.35, np.inf])
    assert counts.scores.tolist() == [np.inf, 0.4, 0.35, -np.inf]
    assert "BR218" in codes(counts)


def test_row_19_percent_scores_are_noted():
    assert "BR202" in codes(br.count([0, 0, 1, 1], [10.0, 40.0, 35.0, 98.7]))


def test_row_20_logits_are_noted_and_never_transformed():
    counts = br.count([0, 0, 1, 1], [-3.0, 0.4, 0.35, 2.0])
    assert "BR203" in codes(counts)
    assert counts.scores.tolist() == [2.0, 0.4, 0.35, -3.0]


def test_row_21_two_named_columns_of_probabilities_use_the_positives_column():
    chances = {"no": [0.9, 0.6, 0.65, 0.2], "yes": [0.1, 0.4, 0.35, 0.8]}
    for frame in (pd.DataFrame(chances), pl.DataFrame(chances), pa.table(chances)):
        counts = br.count(["no", "no", "yes", "yes"], frame)
        assert counts.scores.tolist() == [0.8, 0.4, 0.35, 0.1]
        assert "BR204" in codes(counts)
    numbered = pd.DataFrame({0: chances["no"], 1: chances["yes"]})
    assert br.count([0, 0, 1, 1], numbered).scores[0] == 0.8
    assert br.count([False, False, True, True], numbered).scores[0] == 0.8


def test_row_21_two_columns_that_do_not_say_which_are_refused():
    matrix = np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
    refused(r"2 columns: which one\?", [0, 0, 1, 1], matrix, code="BR204")
    refused("which one", [0, 0, 1, 1], pd.DataFrame(matrix, columns=["a", "b"]), code="BR204")
    refused("which one", [0, 0, 1, 1], pd.DataFrame(2 * matrix, columns=[0, 1]), code="BR204")
    refused("3 columns", [0, 0, 1, 1], pd.DataFrame(np.ones((4, 3)), columns=list("abc")), code="BR204")


@pytest.mark.parametrize(
    "scores",
    [np.array(S)[:, None], [[s] for s in S], pd.DataFrame({"m": S}), pl.DataFrame({"m": S})],
    ids=["array", "list", "pandas", "polars"],
)
def test_row_22_one_column_in_two_dimensions_is_accepted(scores):
    assert br.count([0, 0, 1, 1], scores) == br.count([0, 0, 1, 1], S)


def test_row_23_hard_predictions_are_noted():
    assert "BR205" in codes(br.count([0, 0, 1, 1], [False, True, True, True]))


def test_row_24_a_constant_score_is_noted():
    counts = br.count([0, 0, 1, 1], [0.5] * 4)
    assert "BR206" in codes(counts)
    assert br.auc(counts) == 0.5


def test_row_25_large_ties_are_noted_with_their_share():
    counts = br.count([0, 0, 1, 1] * 25, [0.2, 0.4, 0.4, 0.8] * 25)
    assert "50 % of the scores tie at 0.4" in next(note.text for note in counts.notes if note.code == "BR216")
    assert "BR216" not in codes(br.count([0, 1] * 50, np.arange(100) / 100))


def test_row_26_reversed_scores_are_noted_and_never_turned():
    counts = br.count([1] * 20 + [0] * 80, np.arange(100) / 100)
    assert br.auc(counts) == 0
    assert "BR207" in codes(counts)
    assert "BR207" not in codes(br.count([1, 0, 0], [0.1, 0.2, 0.05])), "one pair in two is not evidence"
    weighted = br.count([1] * 20 + [0] * 80, np.arange(100) / 100, sample_weight=np.full(100, 1e-9))
    assert "BR207" in codes(weighted)


def test_row_27_numbers_written_as_text_are_read_and_anything_else_is_refused():
    assert br.count([0, 0, 1, 1], ["0.1", "0.4", "0.35", "8e-1"]) == br.count([0, 0, 1, 1], S)
    assert br.count([0, 0, 1, 1], ["1", "4", "3", "9007199254740993"]).scores[0] == 9007199254740993
    for bad in ("0,5", "12%", "$3", "1,234.5", "1_000", "abc"):
        error = refused("not numbers, such as", [0, 0, 1, 1], ["0.1", "0.4", bad, "0.8"], code="BR208")
        assert error.problems[0].where.rows == (2,)
        assert bad in str(error)


@pytest.mark.parametrize(
    ("scores", "what"),
    [
        (np.array(["2026-01-01"] * 4, dtype="datetime64[D]"), "timestamps"),
        (np.array([1, 2, 3, 4], dtype="timedelta64[s]"), "durations"),
        (np.array([1j, 2, 3, 4]), "complex"),
        (np.array([b"1", b"2", b"3", b"4"]), "bytes"),
        ([datetime.date(2026, 1, 1)] * 4, "date"),
        (pd.Series(pd.date_range("2026-01-01", periods=4)), "timestamps"),
        (pl.Series([datetime.date(2026, 1, 1)] * 4), "timestamps"),
        (np.zeros(4, dtype=[("a", int)]), "records"),
    ],
    ids=str,
)
def test_row_28_what_is_no_number_is_refused(scores, what):
    refused(what, [0, 0, 1, 1], scores, code="BR209")


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_row_29_narrow_floats_are_accepted_exactly(kind):
    scores = np.array(S, dtype=kind)
    assert br.count([0, 0, 1, 1], scores).scores.tolist() == sorted(scores.astype(np.float64).tolist(), reverse=True)


def test_row_30_integers_beyond_two_to_the_53_are_kept_apart():
    big = [2**53, 2**53 + 1, 2**62, 2**62 + 1]
    for scores in (big, np.array(big, dtype=np.uint64), pd.Series(big), pl.Series(big), pa.array(big), np.array(big, dtype=object)):
        assert br.count([0, 0, 1, 1], scores).scores.tolist() == sorted(big, reverse=True)


def test_row_30_what_64_bits_cannot_hold_is_refused():
    refused("beyond the largest 64-bit integer", [0, 1], np.array([1, 2**63], dtype=np.uint64), code="BR215")
    refused("beyond the largest 64-bit integer", [0, 1], [1, 2**64], code="BR215")
    refused("1 distinct values would merge", [0, 1, 0], [2**53, 2**53 + 1, 0.5], code="BR215")
    refused("beyond", [0, 1], [Fraction(10) ** 400, Fraction(1, 2)], code="BR215")


def test_row_30_decimals_and_fractions_are_accepted_unless_two_would_merge():
    assert br.count([0, 1], [Decimal("0.1"), Decimal("0.25")]).scores.tolist() == [0.25, 0.1]
    assert br.count([0, 1], [Fraction(1, 3), 1]).scores.tolist() == [1.0, 1 / 3]
    refused("would merge", [0, 1], [Decimal("0.1"), Decimal("0.10000000000000000001")], code="BR215")


def test_row_30_long_doubles_are_accepted_unless_two_would_merge():
    third = np.longdouble(1) / 3
    if third == np.float64(third):
        pytest.skip("long double is double on this platform")
    assert br.count([0, 1], np.array([third, 0.5], dtype=np.longdouble)).scores.tolist() == [0.5, float(third)]
    refused("would merge", [0, 1], np.array([third, np.longdouble(float(third))]), code="BR215")


def test_row_31_the_two_zeros_are_one_score():
    assert br.count([0, 1], [0.0, -0.0]).scores.tolist() == [0.0]
    assert br.count([0, 1], [0.0, -0.0]) == br.count([1, 0], [-0.0, -0.0])


def test_row_33_saturated_probabilities_are_noted():
    counts = br.count([0, 1] * 50, np.minimum(np.arange(100) / 60, 1.0))
    assert "40 % of the scores are exactly 1.0" in next(note.text for note in counts.notes if note.code == "BR210")


def test_row_34_series_with_different_indexes_are_refused():
    labels = pd.Series([0, 0, 1, 1], index=[3, 2, 1, 0])
    refused("indexes of y_true and y_score differ", labels, pd.Series(S), code="BR211")
    refused("sample_weight differ", pd.Series([0, 0, 1, 1]), S, code="BR211", sample_weight=pd.Series([1, 2, 3, 4], index=list("abcd")))
    assert br.count(labels, pd.Series(S, index=labels.index)) == br.count([0, 0, 1, 1], S)
    assert br.count(labels, S) == br.count([0, 0, 1, 1], S)


class Tensor:
    """An array of another library, known only by its protocol."""

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **named):
        return self.values.__dlpack__(**named)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_row_35_numpys_own_strings_are_read():
    words = np.array(["no", "no", "yes", "yes"], dtype=np.dtypes.StringDType())
    assert br.count(words, np.array(["0.1", "0.4", "0.35", "0.8"], dtype=np.dtypes.StringDType())) == br.count([0, 0, 1, 1], S)
    refused("not numbers", words, words, code="BR208")


class Stubborn:
    def __array__(self, *arguments, **named):
        raise RuntimeError("call .detach() first")


@pytest.mark.parametrize(
    "scores",
    [
        np.ma.masked_array(S, mask=False),
        scipy.sparse.csr_array(np.array(S)[:, None]),
        Tensor(S),
        pl.Series(S),
        pa.array(S),
        pd.Series(S, dtype="Float64"),
        memoryview(np.array(S)),
    ],
    ids=lambda scores: type(scores).__name__,
)
def test_row_35_foreign_arrays_are_read_through_their_protocols(scores):
    assert br.count([0, 0, 1, 1], scores) == br.count([0, 0, 1, 1], S)


def test_row_35_what_cannot_be_read_is_refused_in_one_line():
    error = refused("cannot be read as an array: call .detach", [0, 1], Stubborn(), code="BR219")
    assert "\n" not in str(error)
    refused("one-dimensional, got one value", [0, 1], (s for s in S), code="BR219")
    refused("one-dimensional, got 3 dimensions", [0, 1], np.zeros((2, 2, 2)), code="BR219")
    refused("different lengths", [0, 1], [[1, 2], [3]], code="BR219")


def test_row_36_different_lengths_are_refused():
    refused("lengths differ: y_true 4, y_score 3", [0, 0, 1, 1], S[:3], code="BR212")
    refused("sample_weight 2", [0, 0, 1, 1], S, code="BR212", sample_weight=[1, 2])


def test_row_37_negative_weights_are_refused():
    error = refused("weight of -5", [0, 0, 1, 1], S, code="BR301", sample_weight=[1, -5, 1, 1])
    assert error.problems[0].where.rows == (1,)


def test_row_38_a_class_without_weight_is_refused():
    refused("total weight of the positives is 0", [0, 0, 1, 1], S, code="BR302", sample_weight=[1, 1, 0, 0])
    refused("total weight of the negatives is 0", [0, 0, 1, 1], S, code="BR302", sample_weight=[0, 0, 1, 1])
    with pytest.raises(br.InputError, match="total weight of the positives is 0"):
        br.count_models([0, 0, 1, 1], {"m": S}, sample_weight=[1, 1, 0, 0])


@pytest.mark.parametrize(("bad", "what"), [(float("nan"), "missing or NaN"), (None, "missing or NaN"), (float("inf"), "infinite")])
def test_row_39_weights_that_are_no_numbers_are_refused(bad, what):
    error = refused(what, [0, 0, 1, 1], S, code="BR303", sample_weight=[1.0, 1.0, bad, 1.0])
    assert error.problems[0].where.rows == (2,)


def test_row_39_text_weights_are_read_or_refused():
    assert br.count([0, 1], [1, 2], sample_weight=["0.5", "2"]).total_positives == 2.0
    refused("not numbers", [0, 1], [1, 2], code="BR208", sample_weight=["a", "b"])


def test_row_40_weights_that_overflow_a_class_are_refused_and_large_ones_are_not():
    refused("overflows", [0, 1, 1], [1, 2, 3], code="BR308", sample_weight=[1.0, 1e308, 1e308])
    refused("overflows", [0, 1, 1], [1, 2, 2], code="BR308", sample_weight=[1.0, 1e308, 1e308])
    refused("overflows", [0, 1], [1, 2], code="BR308", sample_weight=[1e308, 1e308])
    large = br.count([0, 1], [1, 2], sample_weight=[8e307, 8e307])
    assert (large.total_positives, large.prior, br.auc(large)) == (8e307, 0.5, 1.0)


def test_row_41_weights_over_many_decades_are_exact_and_noted():
    weights = np.array([1e16, 1.0, 1e-16, 1e16, 1.0, 3e-16])
    counts = br.count([1, 1, 1, 0, 0, 0], [0.5] * 6, sample_weight=weights)
    assert counts.positives.tolist() == [float(Fraction(1e16) + 1 + Fraction(1e-16))]
    assert "BR307" in codes(counts)


def test_row_42_whole_weights_are_noted_as_ambiguous():
    assert "BR306" in codes(br.count([0, 0, 1, 1], S, sample_weight=[1, 2, 1, 2]))
    assert "BR306" not in codes(br.count([0, 0, 1, 1], S, sample_weight=[1, 1, 1, 1]))
    assert "BR306" not in codes(br.count([0, 0, 1, 1], S, sample_weight=[1.5, 2, 1, 2]))


def test_row_43_weights_by_class_are_noted_with_the_prior_they_imply():
    counts = br.count([0] * 98 + [1] * 2, np.arange(100) / 100, sample_weight=[0.5] * 98 + [24.5] * 2)
    assert "imply a prior of 0.5 (rows: 0.02)" in next(note.text for note in counts.notes if note.code == "BR304")
    assert "BR304" not in codes(br.count([0, 0, 1, 1], S, sample_weight=[0.5, 0.6, 0.7, 0.7]))
    assert "BR304" not in codes(br.count([1, 1], S[:2], sample_weight=[0.5, 0.6]))
    assert "BR304" not in codes(br.count([0, 1], S[:2], sample_weight=[0.5, 0.5]))


def test_independent_problems_are_found_in_one_pass():
    with pytest.raises(br.InputError, match="BR105.*\nBR208.*\nBR301") as caught:
        br.count([0, None, 1, 1], ["0.1", "x", "0.3", "0.8"], sample_weight=[1, 1, 1, -1])
    assert [problem.code for problem in caught.value.problems] == ["BR105", "BR208", "BR301"]


def test_messages_quote_little_and_nothing_that_steers_a_terminal():
    error = refused("cannot tell", ["\x1b[31m" + "a" * 100, "b"] * 2, S, code="BR102")
    assert "\x1b" not in str(error)
    assert "a" * 50 not in str(error)


def test_keep_takes_two_words_only():
    refused("keep must be", [0, 1], [1, 2], code="BR227", keep="some")
