"""BAD_INPUTS, section A, for arrays, where there is more to say than tests/bad_inputs does. Row 16
needs a column of dates.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.read.refusals import S, assert_refused, codes

import baserate as br
from baserate.read.cases import as_written, decide, fitting
from baserate.read.columns import Column, as_column


@pytest.mark.parametrize(
    "labels",
    [
        [0, 0, 1, 1],
        [False, False, True, True],
        [0.0, 0.0, 1.0, 1.0],
        np.array([0, 0, 1, 1], np.uint8),
    ],
)
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
def test_row_2_documented_pairs_are_accepted_with_a_note_that_says_how_to_turn_it_round(
    negative, positive
):
    counts = br.count([negative, negative, negative, positive], S)
    assert counts.positives.tolist() == [1, 0, 0, 0]
    (note,) = counts.notes
    assert note.code == "BR101"
    assert "positive = " in note.text
    assert str(note).endswith(f"Override: pos_label={negative!r}")
    turned = br.count([negative, negative, negative, positive], S, pos_label=negative)
    assert turned.positives.tolist() == [0, 1, 1, 1]


TEXTS = ["no", "no", "yes", "no"]
HELD = {
    "a list": TEXTS,
    "fixed-width text": np.array(TEXTS),
    "objects": np.array(TEXTS, dtype=object),
    "NumPy strings": np.array(TEXTS, dtype=np.dtypes.StringDType()),
    "pandas objects": pd.Series(TEXTS, dtype=object),
    "pandas text": pd.Series(TEXTS),
    "pandas strings": pd.Series(TEXTS, dtype="string"),
    "pandas categories": pd.Series(TEXTS, dtype=pd.CategoricalDtype(["yes", "unused", "no"])),
    "polars text": pl.Series(TEXTS),
    "polars categories": pl.Series(TEXTS).cast(pl.Categorical),
    "arrow text": pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
    "arrow dictionary": pa.DictionaryArray.from_arrays([2, 2, 0, 2], ["yes", "unused", "no"]),
}


@pytest.mark.parametrize("held", HELD)
def test_text_labels_count_alike_whatever_holds_them(held):
    counts = br.count(HELD[held], S)
    assert counts.digest == br.count([0, 0, 1, 0], S).digest
    assert [note.code for note in counts.notes] == ["BR101"]
    assert set(br.count([0, 1, 0, 1], S, by=HELD[held])) == {"no", "yes"}


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(["no", None, "yes", "no"]),
        pd.Series(["no", None, "yes", "no"], dtype=object),
        pd.Series(["no", None, "yes", "no"], dtype="category"),
        pl.Series(["no", None, "yes", "no"]),
        pl.Series(["no", None, "yes", "no"]).cast(pl.Categorical),
        pa.array(["no", None, "yes", "no"]).dictionary_encode(),
        np.array(["no", " ", "yes", "no"]),
    ],
)
def test_missing_text_labels_are_refused_with_their_place(labels):
    with pytest.raises(br.InputError, match=r"BR105: 1 of 4 labels .*index 1") as refused:
        br.count(labels, S)
    assert "drop those cases" in str(refused.value)


@pytest.mark.parametrize(
    ("labels", "kinds"),
    [
        ([0, "1", 0, 0], r"numbers \(3\), text \(1\)"),
        ([True, 1, 0, 0], r"numbers \(3\), true or false \(1\)"),
        ([1.0, "1", True, 1], r"numbers \(2\), text \(1\), true or false \(1\)"),
    ],
)
def test_equal_values_of_other_kinds_are_not_merged_before_they_are_looked_at(labels, kinds):
    column = np.empty(4, dtype=object)
    column[:] = labels
    with pytest.raises(br.InputError, match=rf"BR107: y_true mixes types: {kinds}"):
        br.count(column, S)


@pytest.mark.parametrize(
    "labels", [["fraud", "legit", "legit", "legit"], ["bad", "good", "good", "good"]]
)
def test_row_3_words_without_a_documented_meaning_are_refused(labels):
    error = assert_refused("cannot tell which is positive", labels, S, code="BR102")
    assert f'"{labels[0]}" (1)' in str(error)
    assert f"Fix: pos_label={labels[0]!r}" in str(error)
    assert error.problems[0].fix.command == f"--positive {labels[0]}"
    assert br.count(labels, S, pos_label=labels[0]).total_positives == 1


def test_row_5_three_values_are_refused_even_with_a_positive_one():
    assert_refused(
        r"3 values \(0 \(2\), 1 \(1\), 2 \(1\)\); need 2. Fix: count\(y_true == VALUE",
        [0, 0, 1, 2],
        S,
        code="BR103",
    )
    assert_refused("3 values", [0, 0, 1, 2], S, code="BR103", pos_label=1)
    assert_refused("4 values|5 values", list("abcde"), [*S, 1], code="BR103")


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
    error = assert_refused("1 of 4 labels in y_true is missing", labels, S, code="BR105")
    assert error.problems[0].where.rows == (1,)
    assert "(index 1)" in str(error)


def test_row_7_missing_timestamps_are_missing_labels_too():
    assert_refused(
        "1 of 2 labels",
        np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"),
        [1, 2],
        code="BR105",
    )


def test_no_labels_at_all_are_the_counts_of_nothing():
    for nothing in (
        [],
        np.array([], dtype=object),
        np.array([], dtype=str),
        np.array([], dtype=int),
    ):
        assert br.count(nothing, []) == br.Counts.empty()
        assert br.count(nothing, [], pos_label="yes") == br.Counts.empty()


def test_row_7_three_examples_and_the_total_are_named():
    error = assert_refused("4 of 5 labels", [0, None, None, None, None], [*S, 1], code="BR105")
    assert "index 1, 2, 3 …" in str(error)
    assert error.problems[0].where.total == 4


def test_labels_may_lie_anywhere_in_memory():
    table = np.zeros((4, 2), dtype=bool)
    table[2:, 0] = True
    assert br.count(table[:, 0], np.array([S, S]).T[:, 1]) == br.count([0, 0, 1, 1], S)
    assert br.count(table[::-1, 0], np.array(S)[::-1]) == br.count([0, 0, 1, 1], S)
    assert br.count(np.array([0, 0, 1, 1], dtype=">i4"), np.array(S, dtype=">f8")) == br.count(
        [0, 0, 1, 1], S
    )


def test_row_8_fractional_labels_are_refused():
    assert_refused(r"fractional \(0.1 to 0.9\)", [0.1, 0.9, 0.1, 0.9], S, code="BR106")
    assert_refused("fractional", [0.0, 1.0, 0.25, float("inf")], S, code="BR106")


def test_row_9_mixed_types_are_refused():
    assert_refused(r"mixes types: numbers \(3\), text \(1\)", [0, "1", 0, 1], S, code="BR107")
    assert_refused("mixes types", np.array([0, "1", 0, 1], dtype=object), S, code="BR107")


def test_row_9_objects_that_cannot_be_labels_are_refused():
    boxes = np.empty(2, dtype=object)
    boxes[:] = [[0], [1]]
    assert_refused("holds list objects, not labels", boxes, [1, 2], code="BR107")
    assert_refused("holds list, not scores", [0, 1], boxes, code="BR209")


def test_row_10_spellings_of_one_label_are_refused():
    assert_refused("3 spellings of one label", ["Yes", "yes ", " YES", "no"], S, code="BR108")
    assert_refused("2 spellings", ["Yes", "yes", "no", "no"], S, code="BR108", pos_label="yes")


@pytest.mark.parametrize(
    ("labels", "given", "meant"),
    [
        (["no", "yes"] * 2, "Yes", "yes"),
        ([0, 1] * 2, "1", 1),
        ([0, 1] * 2, 7, 0),
        (["a", "bb"] * 2, "bc", "bb"),
        (["yes", "yes", "yes", "yess"], "yesx", "yes"),
    ],
)
def test_row_11_a_positive_label_that_is_not_there_is_refused_with_the_likely_one(
    labels, given, meant
):
    assert_refused(
        rf"is not in y_true.*Fix: pos_label={meant!r}", labels, S, code="BR109", pos_label=given
    )


def test_row_11_the_positive_label_is_compared_as_python_does():
    big = 2**53
    assert (
        br.count([big, big + 1, big + 1], [0.1, 0.2, 0.3], pos_label=float(big)).total_positives
        == 1
    )
    assert br.count([0, 0, 0], [0.1, 0.2, 0.3], pos_label=(0, 1, 1)).total_positives == 0
    assert_refused("is not in y_true", [1, 1, 1], [0.1, 0.2, 0.3], code="BR109", pos_label="1")
    assert_refused("is not in y_true", ["1", "1"], [0.1, 0.2], code="BR109", pos_label=1)
    assert_refused("a very long int", [0, 1], [0.1, 0.2], code="BR109", pos_label=10**5000)


def test_row_5_huge_whole_labels_are_just_labels():
    assert br.count([10**5000, 2], [0.5, 0.2], pos_label=10**5000).positives.tolist() == [1, 0]


@pytest.mark.parametrize("given", [float("nan"), [1]])
def test_row_11_what_cannot_be_a_label_is_refused(given):
    assert_refused("cannot be a label", [0, 1, 0, 1], S, code="BR109", pos_label=given)


def test_row_11_a_part_without_positives_is_no_slip_of_the_pen():
    part = br.count(["no"] * 4, S, pos_label="yes")
    assert part.total_positives == 0
    assert "BR104" in codes(part)


def test_row_12_a_positive_majority_is_noted():
    assert "BR110" in codes(br.count([1] * 93 + [0] * 7, np.arange(100) / 100))
    assert "BR110" not in codes(br.count([1] * 50 + [0] * 50, np.arange(100) / 100))


def test_row_13_swapped_labels_and_scores_are_refused_or_noted():
    assert_refused("seem to be swapped", S, [0, 1, 0, 1], code="BR111")
    assert "BR111" in codes(br.count([0, 1, 1, 0], [0, 1, 0, 1]))


def test_row_13_two_values_that_are_not_labels_are_not_called_swapped():
    assert_refused("fractional", S, [0.3, 0.4, 0.3, 0.4], code="BR106")


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
    ids=lambda labels: (
        f"{type(labels).__module__}.{getattr(labels, 'dtype', getattr(labels, 'type', ''))}"
    ),
)
def test_row_14_nullable_and_categorical_labels_are_accepted(labels):
    assert br.count(labels, S).positives.tolist() == [1, 0, 1, 0]


def objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


@pytest.mark.parametrize(
    ("said", "labels", "meant"),
    [
        ("1", np.array([0, 1]), 1),
        ("1", np.array([0, 1], dtype=np.uint8), 1),
        ("1.5", np.array([0, 1]), "1.5"),
        ("fraud", np.array([0, 1]), "fraud"),
        ("1", np.array([0.0, 1.0]), 1.0),
        ("fraud", np.array([0.0, 1.0]), "fraud"),
        (" TRUE ", np.array([True, False]), True),
        ("0", np.array([True, False]), False),
        ("maybe", np.array([True, False]), "maybe"),
        ("1", objects(["0", "1"]), "1"),
        (1, objects(["0", "1"]), "1"),
        (1, objects([0, "1"]), 1),
        (1, objects([]), 1),
        (1, np.array([0, 1]), 1),
        (True, objects(["0", "1"]), True),
        (1.5, objects(["0", "1"]), 1.5),
        (None, objects(["0", "1"]), None),
    ],
)
def test_a_positive_label_is_read_as_its_column_is(said, labels, meant):
    found = fitting(said, labels)
    assert (found, type(found)) == (meant, type(meant))


@pytest.mark.parametrize(
    ("label", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (True, "1"),
        (False, "0"),
        (np.bool_(True), "1"),
        (np.int64(-1), "-1"),
        (np.float32(2.0), "2"),
        (0.5, "0.5"),
        (float("inf"), "inf"),
        ("1.0", "1.0"),
        (None, "None"),
    ],
)
def test_a_label_is_written_as_a_text_file_has_it(label, text):
    assert as_written(label) == text


@pytest.mark.parametrize(
    ("labels", "positive", "code", "words", "command"),
    [
        (
            list("aabbc"),
            None,
            "BR103",
            r'3 values \("a" \(2\), "b" \(2\), "c" \(1\)\); need 2\. Fix: count\(y_true == VALUE,',
            "--positive VALUE --negative OTHERS, or filter",
        ),
        (
            list("abcd"),
            "b",
            "BR103",
            r'"d" \(1\)\); need 2\. Fix: count\(y_true == \'b\', ',
            "--positive b --negative a,c,d, or filter",
        ),
        (
            list("abcde"),
            "b",
            "BR103",
            r'5 values \("a" \(1\), "b" \(1\), "c" \(1\), "d" \(1\) …\); need 2',
            "--positive b --negative OTHERS, or filter",
        ),
        (
            [3, 2, 1, 2],
            2,
            "BR103",
            r"count\(y_true == 2, \.\.\.\)",
            "--positive 2 --negative 1,3, or filter",
        ),
        (
            ["a b", "c", "d"],
            "a b",
            "BR103",
            r"count\(y_true == 'a b', ",
            "--positive 'a b' --negative c,d, or filter",
        ),
        (
            [1, 1, 2],
            None,
            "BR102",
            r"y_true has values 1 \(2\), 2 \(1\); cannot tell which is positive",
            "--positive 2",
        ),
        (
            ["0.5", "abc"],
            None,
            "BR102",
            r'values "0\.5" \(1\), "abc" \(1\); cannot tell which is positive',
            "--positive 0.5",
        ),
        (
            ["no", "no", "ja"],
            "yes",
            "BR109",
            r'"yes" is not in y_true, which has "no" \(2\), "ja" \(1\)',
            "--positive ja",
        ),
        (
            ["No", "No"],
            "no",
            "BR109",
            r'"no" is written otherwise in y_true, which has "No" \(2\)',
            "--positive No",
        ),
        (
            ["Yes", "yes", "no"],
            None,
            "BR108",
            r'y_true has 2 spellings of one label: "Yes" \(1\), "yes" \(1\)\.',
            "--normalize-labels",
        ),
        (
            ["0.5", "1", "0"],
            None,
            "BR106",
            r"fractional \(0 to 1\), not a label\. Fix: count\(y_true >= 0\.5",
            "--label-threshold 0.5",
        ),
    ],
    ids=range(11),
)
def test_labels_that_leave_it_open_who_is_positive_are_refused_with_what_to_say(
    labels, positive, code, words, command
):
    scores = np.arange(len(labels))
    error = assert_refused(words, labels, scores, code=code, pos_label=positive)
    assert error.problems[0].fix.command == command


@pytest.mark.parametrize(
    ("labels", "named", "positives"),
    [
        ([1.0, 0.0], None, [True, False]),
        ([1, 1], None, [True, True]),
        (["1.0", "0.0"], None, [True, False]),
        ([1.0, -1.0], None, [True, False]),
        (["yes", "yes"], None, [True, True]),
        (["no", "no"], None, [False, False]),
        ([2, 2], 2, [True, True]),
        ([2, 3], 2, [True, False]),
        ([2, 2], 3, [False, False]),
        ([2.5, 1.0], 2.5, [True, False]),
        ([True, False], False, [False, True]),
        (["b", "a"], "a", [False, True]),
        ([2**60, 2**60 + 1], 2**60 + 1, [False, True]),
        ([float(2**60), 1.0], 1.0, [False, True]),
    ],
)
def test_cases_are_positive_where_their_label_is_the_positive_one(labels, named, positives):
    decision = decide(as_column(labels, "y"), named)
    assert decision.positive.tolist() == positives
    seen = [label for label, positive in zip(labels, positives, strict=True) if positive]
    assert decision.value == (seen[0] if seen else None)


def test_labels_of_one_class_are_noted_with_the_words_of_both():
    for labels, value in ((["no"] * 4, None), (["yes"] * 4, "yes")):
        decision = decide(as_column(labels, "y"))
        assert decision.value == value
        (note,) = decision.notes
        assert note.text == 'y: positive = "yes", negative = "no"'
        assert note.override.python == "pos_label='no'"


def test_many_plain_labels_are_looked_at_piece_by_piece():
    labels = np.zeros(200_000, dtype=np.int8)
    labels[[0, 65_535, 65_536, 131_072, 199_999]] = 1
    assert np.flatnonzero(decide(Column("y", labels)).positive).tolist() == [
        0,
        65_535,
        65_536,
        131_072,
        199_999,
    ]
    labels[131_071] = 2
    with pytest.raises(br.InputError, match=r"3 values \(0 \(199,994\), 1 \(5\), 2 \(1\)\)"):
        decide(Column("y", labels))


def test_missing_labels_that_an_engine_counted_are_told_by_their_cases():
    labels = Column("y", objects(["no", None, "yes"]))
    with pytest.raises(br.InputError, match="BR105: 5 of 14 labels in y are missing") as caught:
        decide(labels, times=np.array([7, 5, 2]))
    where = caught.value.problems[0].where
    assert (where.rows, where.total) == ((), 5)


def test_labels_of_rare_kinds_are_named_by_their_rows():
    error = assert_refused(
        r"mixes types: text \(3\), numbers \(2\)", objects(["a", 1, "b", "a", 2]), range(5),
        code="BR107",
    )  # fmt: skip
    assert (error.problems[0].where.rows, error.problems[0].where.total) == ((1, 4), 2)
    error = assert_refused("mixes types", objects(["a", 1, "b", True, 2]), range(5), code="BR107")
    assert error.problems[0].where.rows == (3,)


def test_more_words_than_few_are_counted_as_few_are():
    words = [f"w{place % 6}" for place in range(20)]
    assert_refused(
        r'6 values \("w0" \(4\), "w1" \(4\), "w2" \(3\), "w3" \(3\) …\)', words, range(20),
        code="BR103",
    )  # fmt: skip
