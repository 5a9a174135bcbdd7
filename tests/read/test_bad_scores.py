"""BAD_INPUTS, section B, for arrays, where there is more to say than tests/bad_inputs does. Row 32
belongs to probability measures.
"""

import ctypes
import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from tests.read.refusals import S, assert_refused, codes

import baserate as br
from baserate.read import cases
from baserate.read.cases import as_scores, decide
from baserate.read.columns import Column


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
    error = assert_refused("1 missing or NaN score", [0, 0, 1, 0], scores, code="BR201", keep=keep)
    assert error.problems[0].where.rows == (1,)


def test_row_17_missing_scores_are_refused_with_weights_groups_and_models_too():
    bad = [0.1, float("nan"), 0.35, 0.8]
    assert_refused("NaN score;", [0, 0, 1, 1], bad, code="BR201", sample_weight=[1, 2, 3, 4])
    with pytest.raises(br.InputError, match='"m1" has 1 missing.*\n.*"m2" has 1 missing'):
        br.count([0, 0, 1, 1], {"m1": bad, "m2": bad, "m3": S})
    with pytest.raises(br.InputError, match="y_score has 1 missing"):
        br.count([0, 0, 1, 1], bad, by=[1, 1, 2, 2])


def test_row_17_a_hundred_thousand_rows_with_one_nan_are_refused_on_every_path():
    scores = np.random.default_rng(0).random(100_000)
    scores[77] = np.nan
    labels = np.zeros(100_000, dtype=bool)
    labels[::1000] = True
    for keep in ("all", "positives"):
        assert assert_refused("NaN", labels, scores, code="BR201", keep=keep).problems[
            0
        ].where.rows == (77,)
    assert_refused(
        "NaN", labels, np.where(np.isnan(scores), np.nan, np.round(scores, 1)), code="BR201"
    )


def test_row_20_logits_are_noted_and_never_transformed():
    counts = br.count([0, 0, 1, 1], [-3.0, 0.4, 0.35, 2.0])
    assert "BR203" in codes(counts)
    assert counts.scores.tolist() == [2.0, 0.4, 0.35, -3.0]


def test_row_21_the_columns_of_a_frame_are_models_by_name():
    chances = {"no": [0.9, 0.6, 0.65, 0.2], "yes": [0.1, 0.4, 0.35, 0.8]}
    for frame in (pd.DataFrame(chances), pl.DataFrame(chances), pa.table(chances)):
        counts = br.count(["no", "no", "yes", "yes"], frame)
        assert counts.models == ("no", "yes")
        assert counts.marginal("yes").scores.tolist() == [0.8, 0.4, 0.35, 0.1]
    assert_refused(
        "a model is named 0, which is not text",
        [0, 0, 1, 1],
        pd.DataFrame({0: chances["no"], 1: chances["yes"]}),
        code="BR410",
    )


def test_row_21_two_columns_that_do_not_say_which_are_refused():
    matrix = np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
    assert_refused(r"2 columns: which one\?", [0, 0, 1, 1], matrix, code="BR204")
    for many, frame in (
        (2, pd.DataFrame(matrix, columns=["a", "b"])),
        (2, pd.DataFrame(2 * matrix, columns=[0, 1])),
        (3, pd.DataFrame(np.ones((4, 3)), columns=list("abc"))),
    ):
        assert_refused(f'"m" has {many} columns', [0, 0, 1, 1], {"m": frame}, code="BR204")


def test_row_25_large_ties_are_noted_with_their_share():
    counts = br.count([0, 0, 1, 1] * 25, [0.2, 0.4, 0.4, 0.8] * 25)
    assert "50 % of the scores equal 0.4" in next(
        note.text for note in counts.notes if note.code == "BR216"
    )
    assert "BR216" not in codes(br.count([0, 1] * 50, np.arange(100) / 100))


def test_row_26_reversed_scores_are_noted_and_never_turned():
    counts = br.count([1] * 20 + [0] * 80, np.arange(100) / 100)
    assert br.auc(counts) == 0
    assert "BR207" in codes(counts)
    assert "BR207" not in codes(br.count([1, 0, 0], [0.1, 0.2, 0.05])), (
        "one pair in two is not evidence"
    )
    weighted = br.count([1] * 20 + [0] * 80, np.arange(100) / 100, sample_weight=np.full(100, 1e-9))
    assert "BR207" in codes(weighted)


def test_row_27_numbers_written_as_text_are_read_and_anything_else_is_refused():
    assert br.count([0, 0, 1, 1], ["0.1", "0.4", "0.35", "8e-1"]) == br.count([0, 0, 1, 1], S)
    assert br.count([0, 0, 1, 1], ["1", "4", "3", "9007199254740993"]).scores[0] == 9007199254740993
    for bad in ("0,5", "12%", "$3", "1,234.5", "1_000", "abc"):
        error = assert_refused(
            "not a number, such as", [0, 0, 1, 1], ["0.1", "0.4", bad, "0.8"], code="BR208"
        )
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
    assert_refused(what, [0, 0, 1, 1], scores, code="BR209")


def test_row_27_whole_numbers_in_text_stay_different_scores_or_are_refused():
    assert_refused(
        "whole numbers beyond",
        [0, 1, 0],
        ["9007199254740993", "9007199254740992", "0.5"],
        code="BR215",
    )
    assert_refused("whole numbers beyond", [0, 1], [" 9007199254740993", "0.5"], code="BR215")
    assert br.count([0, 1], ["9007199254740994", "0.5"]).scores.tolist() == [
        9007199254740994.0,
        0.5,
    ]
    rounded = br.count([0, 1], ["0.1", "0.10000000000000000001"])
    assert rounded.scores.tolist() == [0.1]
    assert "BR215" in codes(rounded)
    assert_refused("beyond the largest float", [0, 1], ["1e400", "0.5"], code="BR215")
    assert_refused("beyond the largest float", [0, 1], ["9" * 5000, "0.5"], code="BR215")
    assert br.count([0, 1, 1], ["0.5", "0.50", "5e-1"]).scores.tolist() == [0.5]
    assert br.count([0, 1], ["-inf", "Infinity"]).scores.tolist() == [np.inf, -np.inf]


def test_row_27_text_keeps_every_character_and_takes_no_more_room_than_it_has():
    assert_refused("not a number", [0, 1, 0], ["0.2", "0.9\0\0", "0.93"], code="BR208")
    assert br.count([0, 1] * 5000, ["0.1"] * 9999 + ["0." + "1" * 100_000]).total_positives == 5000


def test_row_30_integers_beyond_two_to_the_53_are_kept_apart():
    big = [2**53, 2**53 + 1, 2**62, 2**62 + 1]
    for scores in (
        big,
        np.array(big, dtype=np.uint64),
        pd.Series(big),
        pl.Series(big),
        pa.array(big),
        np.array(big, dtype=object),
    ):
        assert br.count([0, 0, 1, 1], scores).scores.tolist() == sorted(big, reverse=True)


def test_row_30_what_64_bits_cannot_hold_is_refused():
    assert_refused(
        "beyond the largest 64-bit integer",
        [0, 1],
        np.array([1, 2**63], dtype=np.uint64),
        code="BR215",
    )
    assert_refused("beyond the largest 64-bit integer", [0, 1], [1, 2**64], code="BR215")
    assert_refused("whole numbers beyond", [0, 1, 0], [2**53, 2**53 + 1, 0.5], code="BR215")
    assert_refused("whole numbers beyond", [0, 1], [2**53 + 1, 0.5], code="BR215")
    assert_refused(
        "whole numbers beyond", [1, 0, 0], [np.int64(2**53), np.int64(2**53 + 1), 0.5], code="BR215"
    )
    assert_refused("beyond", [0, 1], [Fraction(10) ** 400, Fraction(1, 2)], code="BR215")


def test_row_30_decimals_and_fractions_are_accepted_unless_two_would_merge():
    assert br.count([0, 1], [Decimal("0.1"), Decimal("0.25")]).scores.tolist() == [0.25, 0.1]
    assert br.count([0, 1], [Fraction(1, 3), 1]).scores.tolist() == [1.0, 1 / 3]
    assert_refused(
        "would merge", [0, 1], [Decimal("0.1"), Decimal("0.10000000000000000001")], code="BR215"
    )


def test_row_30_long_doubles_are_accepted_unless_two_would_merge():
    third = np.longdouble(1) / 3
    if third == np.float64(third):
        pytest.skip("long double is double on this platform")
    assert br.count([0, 1], np.array([third, 0.5], dtype=np.longdouble)).scores.tolist() == [
        0.5,
        float(third),
    ]
    assert_refused(
        "would merge", [0, 1], np.array([third, np.longdouble(float(third))]), code="BR215"
    )


@pytest.mark.parametrize("nan", ["NaN", "sNaN"])
def test_row_30_decimals_that_are_no_number_are_missing(nan):
    assert_refused("1 missing", [0, 1], [Decimal(nan), Decimal(1)], code="BR201")
    assert_refused("1 missing", [0, 1], [1, 2], sample_weight=[Decimal(nan), 1], code="BR303")


def test_arrays_of_ctypes_are_arrays():
    scores = (ctypes.c_double * 4)(*S)
    assert br.count((ctypes.c_int * 4)(0, 0, 1, 1), scores) == br.count([0, 0, 1, 1], S)
    weighted = br.count([0, 0, 1, 1], S, sample_weight=scores)
    assert weighted == br.count([0, 0, 1, 1], S, sample_weight=S)


def test_row_32_probabilities_off_by_rounding_are_no_percent_and_no_logits():
    assert br.count([0, 1, 1], np.array([-1e-17, 0.8, 1.0000001])).notes == ()
    assert "BR203" in codes(br.count([0, 1, 1], [300, 620, 850]))


def test_row_34_series_with_different_indexes_are_refused():
    labels = pd.Series([0, 0, 1, 1], index=[3, 2, 1, 0])
    assert_refused(
        "indexes of y_true and y_score differ .4 of 4 shared, in another order.",
        labels,
        pd.Series(S),
        code="BR211",
    )
    assert_refused(
        "sample_weight differ",
        pd.Series([0, 0, 1, 1]),
        S,
        code="BR211",
        sample_weight=pd.Series([1, 2, 3, 4], index=list("abcd")),
    )
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
    assert br.count(
        words, np.array(["0.1", "0.4", "0.35", "0.8"], dtype=np.dtypes.StringDType())
    ) == br.count([0, 0, 1, 1], S)
    assert_refused("not numbers", words, words, code="BR208")


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
    error = assert_refused(
        "cannot be read as an array: call .detach", [0, 1], Stubborn(), code="BR219"
    )
    assert "\n" not in str(error)
    assert_refused("one-dimensional, got generator", [0, 1], (s for s in S), code="BR219")
    assert_refused("one-dimensional, got 3 dimensions", [0, 1], np.zeros((2, 2, 2)), code="BR219")
    assert_refused("different lengths", [0, 1], [[1, 2], [3]], code="BR219")


def test_row_35_scores_may_lie_at_odd_addresses():
    buffer = bytearray(33)
    scores = np.frombuffer(buffer, np.float64, 4, offset=1)
    scores[:] = S
    assert br.count([0, 0, 1, 1], scores) == br.count([0, 0, 1, 1], S)


def test_flags_without_numbers_beside_them_are_two_scores():
    counts = br.count([1, 0, 1], np.array([True, False, np.bool_(True)], dtype=object))
    assert counts.scores.tolist() == [1, 0]
    assert counts.positives.tolist() == [2, 0]


def test_labels_counted_by_another_engine_keep_their_numbers_of_cases():
    labels = Column("y", np.array(["no", "yes"]))
    found = decide(labels, times=np.array([7, 2]))
    assert found.positive.tolist() == [False, True]
    refused = Column("y", np.array(["a", "b", "c"]))
    with pytest.raises(br.InputError, match="7"):
        decide(refused, times=np.array([7, 2, 1]))


def test_flags_among_numeric_scores_are_refused_at_their_place():
    error = assert_refused("true or false", [0, 0, 1, 1], [0.1, 0.4, True, 0.8], code="BR208")
    assert "index 2" in str(error)


def test_missing_scores_that_an_engine_counted_are_told_by_their_cases():
    column = Column("s", np.array([0.5, np.nan, 0.25, np.nan]))
    with pytest.raises(br.InputError, match="BR201: s has 9 missing or NaN scores") as caught:
        cases.refuse_missing(column, np.array([3, 4, 1, 5]))
    assert caught.value.problems[0].where.rows == ()
    with pytest.raises(br.InputError, match=r"s has 2 missing or NaN scores.*\(index 1, 3\)"):
        cases.refuse_missing(column)
    cases.refuse_missing(Column("s", np.array([0.5])))


@pytest.mark.parametrize(
    ("scores", "dtype", "found"),
    [
        (np.array([1, 0], dtype=np.uint8), np.int64, [1, 0]),
        (np.array([2**63 - 1], dtype=np.uint64), np.int64, [2**63 - 1]),
        (np.array([], dtype=np.uint64), np.int64, []),
        (np.array([True, False]), np.int64, [1, 0]),
        (np.array([0.5], dtype=np.float16), np.float32, [0.5]),
        (np.array([0.5], dtype=np.float32), np.float32, [0.5]),
        (np.array([0.5, 0.25])[::-1], np.float64, [0.25, 0.5]),
        (np.array([0.5], dtype=np.longdouble), np.float64, [0.5]),
        (np.array([1, 2], dtype=object), np.int64, [1, 2]),
        (np.array([1, 2.5], dtype=object), np.float64, [1.0, 2.5]),
        (np.array([1, Decimal("2.5")], dtype=object), np.float64, [1.0, 2.5]),
        (np.array([np.int8(1), np.float32(2.5)], dtype=object), np.float32, [1.0, 2.5]),
        (np.array([" 1", "+2", "-3"], dtype=object), np.int64, [1, 2, -3]),
        (np.array(["1", "2.5"], dtype=object), np.float64, [1.0, 2.5]),
        (
            np.array(["-9223372036854775808", "9223372036854775807"], dtype=object),
            np.int64,
            [-(2**63), 2**63 - 1],
        ),
        (np.array(["1e3", 7], dtype=object), np.float64, [1000.0, 7.0]),
        (np.array([-(2**63), 2**63 - 1], dtype=object), np.int64, [-(2**63), 2**63 - 1]),
        (np.array([2**53, 0.5], dtype=object), np.float64, [2.0**53, 0.5]),
        (np.array([], dtype=object), np.float64, []),
    ],
    ids=str,
)
def test_scores_are_held_in_a_type_that_keeps_them_apart(scores, dtype, found):
    held = as_scores(Column("s", scores))
    assert (held.dtype, held.tolist()) == (dtype, found)
    assert held.flags.c_contiguous


@pytest.mark.parametrize(
    ("scores", "code", "words", "rows"),
    [
        (["0.1", "x", "y", "z", "w"], "BR208", '4 values that are not numbers, such as "x"', 3),
        (["0.1", "x"], "BR208", '1 value that is not a number, such as "x"', 1),
        (["1_0", "1"], "BR208", 'such as "1_0"', 1),
        (["\u0661", "1"], "BR208", "1 value that is not a number", 1),
        (["1e400", "1", "1e999"], "BR215", "s goes beyond the largest float", 2),
        ([2**63, 1], "BR215", "s goes beyond the largest 64-bit integer", 0),
        ([-(2**63) - 1, 1], "BR215", "s goes beyond the largest 64-bit integer", 0),
        (["9223372036854775808", "1"], "BR215", "s goes beyond the largest 64-bit integer", 0),
        (["-9223372036854775809", "1"], "BR215", "s goes beyond the largest 64-bit integer", 0),
        ([1, {2}], "BR209", "s holds set, not scores", 1),
        (["0.1", True], "BR208", "s mixes types: text .1., true or false .1.", 1),
        ([0.1, 0.2, 0.3, "0.4", "0.5", True], "BR208", "text .2., true or false .1.", 1),
        ([True, 0.5, 0.25, False, 0.1], "BR208", "numbers .3., true or false .2.", 2),
        ([Decimal("0.1"), Decimal("0.10000000000000000001")], "BR215", "1 distinct value would", 0),
    ],
    ids=range(14),
)
def test_scores_that_cannot_be_kept_apart_are_refused_with_their_rows(scores, code, words, rows):
    column = np.empty(len(scores), dtype=object)
    column[:] = scores
    with pytest.raises(br.InputError, match=words) as caught:
        as_scores(Column("s", column))
    assert caught.value.code == code
    assert len(caught.value.problems[0].where.rows) == rows


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("0,5", '; for decimal commas, --decimal ","'),
        ("-1,234.5", '; for thousands, --thousands ","'),
        ("12.5 %", "; for percentages, --percent"),
        ("$1", ""),
    ],
)
def test_numbers_as_people_write_them_are_refused_with_the_option_that_reads_them(text, option):
    error = assert_refused("not a number", [0, 1], ["0.5", text], code="BR208")
    plain = "write plain numbers with a decimal point: 0.5, not 0,5 or 50% or $1"
    assert error.problems[0].fix.python == plain
    assert error.problems[0].fix.command == plain + option


def test_two_spellings_of_one_number_are_one_score():
    counts = br.count([0, 1, 1], ["0.5", "0.50", "9007199254740992"])
    assert counts.scores.tolist() == [2.0**53, 0.5]
    assert br.count([0, 1], ["9007199254740993", "09007199254740993"]).scores.tolist() == [
        9007199254740993
    ]
    assert br.count([0, 1], ["Infinity", "-INF"]).scores.tolist() == [np.inf, -np.inf]


def test_swapped_models_are_told_by_name():
    with pytest.raises(br.InputError, match='BR111: y_true looks like a score and "m2" like'):
        br.count([0.1, 0.9, 0.3], {"m1": [0.1, 0.2, 0.3], "m2": [0, 1, 0]})
    with pytest.raises(br.InputError, match="BR111: y_true looks like a score and y_score like"):
        br.count([0.1, 0.9, 0.3], [0, 1, 0])
    with pytest.raises(br.InputError, match="BR102"):
        br.count(["a", "b", "a"], [0, 1, 0])


@pytest.mark.parametrize("rows", [16, 160])
def test_rare_positives_at_the_limit_are_condensed_as_from_all_cells(rows):
    scores = np.arange(rows) % 7 / 4
    for positives in (0, 1, rows // 16, rows // 16 + 1):
        labels = np.arange(rows) < positives
        for column in (scores, scores.astype(np.int64), -scores):
            quick = br.count(labels, column, keep="positives")
            assert quick == br.count(labels, column).condense()
