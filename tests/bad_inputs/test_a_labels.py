"""Section A: labels."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
from tests.bad_inputs.bench import M, Y, table, with_
from tests.bad_inputs.rows import also, row

import baserate as br

S = [0.1, 0.4, 0.35, 0.8]


def words(negative, positive):
    return [positive if y else negative for y in Y]


@row(
    1,
    "0/1, False/True, 0.0/1.0",
    why="in a text file True and False are words, and get the note of row 2",
)
def test_row_1_plain_labels_speak_for_themselves(bench):
    for negative, positive in ((False, True), (0.0, 1.0), (0, 1)):
        counts = br.count(words(negative, positive), list(map(float, M)))
        assert (counts.total_positives, counts.notes) == (5, ())
    bench.noted("BR101", *bench.show(table(y=words(False, True), m=M)))
    return bench.accepted(*bench.show(table(y=Y, m=M)))


@row(
    2,
    "no/yes, n/y, neg/pos, F/T, -1/1",
    why="without counts: the note has to stay true when parts are added",
)
def test_row_2_documented_pairs_are_noted_with_what_turns_them_round(bench):
    for negative, positive in (("no", "yes"), ("n", "y"), ("neg", "pos"), ("F", "T"), (-1, 1)):
        shown = bench.noted("BR101", *bench.show(table(y=words(negative, positive), m=M)))
        assert shown.endswith(f"Override: --positive {negative}")
        document = bench.answer(
            *bench.show(table(y=words(negative, positive), m=M), f"--positive={negative}")
        )
        assert document["models"][0]["counts"]["total_positives"] == 15
    return bench.noted("BR101", *bench.show(table(y=words("no", "yes"), m=M)))


@row(3, "fraud/legit, bad/good")
def test_row_3_words_without_a_documented_meaning_are_refused(bench):
    bench.refused("BR102", *bench.show(table(y=words("good", "bad"), m=M)))
    shown = bench.refused("BR102", *bench.show(table(y=words("legit", "fraud"), m=M)))
    assert shown.endswith(
        '"legit" (15), "fraud" (5); cannot tell which is positive. Fix: --positive fraud.'
    )
    assert bench.accepted(*bench.show(table(y=words("legit", "fraud"), m=M), "--positive", "fraud"))
    return shown


@row(4, "1/2")
def test_row_4_one_and_two_are_refused(bench):
    shown = bench.refused("BR102", *bench.show(table(y=words(1, 2), m=M)))
    assert shown.endswith("Fix: --positive 2.")
    return shown


@row(5, "three or more values")
def test_row_5_three_values_are_refused_with_their_counts(bench):
    three = with_(Y, at0=2)
    shown = bench.refused("BR103", *bench.show(table(y=three, m=M)))
    assert '"y" has 3 values' in shown
    return shown


@also(5)
def test_row_5_one_against_named_others(bench):
    three = bench.show(table(y=with_(Y, at0=2), m=M), "--positive", "1")
    shown = bench.refused("BR103", *three)
    assert "--positive 1 --negative 0,2" in shown
    assert "--negative 0,2" in bench.refused("BR103", *three, "--negative", "0", lines=(2,))
    assert bench.answer(*three, "--negative", "0,2")["models"][0]["counts"]["total_positives"] == 5
    return shown, bench.accepted(*three, "--negative", "0,2")


@row(6, "only one class")
def test_row_6_what_is_defined_is_shown_and_the_rest_says_why(bench):
    one = bench.show(table(y=[0] * 100, m=[f"0.{i:03}" for i in range(100)]))
    shown = bench.noted("BR104", *one)
    assert "upper bound on prevalence 2.95 % (95 %, one-sided)" in shown
    assert bench.answer(*one)["models"][0]["summaries"]["auc"] == {
        "value": None,
        "undefined": "no positives",
    }
    assert "—" in bench.told(*one).out
    return shown, bench.noted("BR104", *bench.show(table(y=[1] * 20, m=M)))


@row(7, "missing labels")
def test_row_7_missing_labels_are_named_by_line(bench):
    gone = bench.show(table(y=with_(Y, at2="", at5="NA", at7="null", at9="NaN"), m=M))
    shown = bench.refused("BR105", *gone, lines=(4, 7, 9), total=4)
    assert "4 of 20 labels" in shown
    bench.raised("BR105", br.count, pd.Series([0, pd.NA, 1, 1], dtype="Int64"), S, rows=(1,))
    return shown


@also(7)
def test_row_7_missing_labels_are_dropped_or_taken_for_a_class_where_that_is_said(bench):
    gone = bench.show(table(y=with_(Y, at2="", at5="NA"), m=M))
    assert "--missing-label drop" in bench.refused("BR105", *gone)
    dropped = bench.answer(*gone, "--missing-label", "drop")
    assert dropped["sources"][0]["rows_refused"] == 2
    for word, positives in (("negative", 5), ("positive", 7)):
        assert (
            bench.answer(*gone, "--missing-label", word)["models"][0]["counts"]["total_positives"]
            == positives
        )
    return (
        bench.told(*gone, "--missing-label", "drop").err.strip(),
        bench.told(*gone, "--missing-label", "negative").err.strip(),
    )


@row(8, "soft labels")
def test_row_8_fractional_labels_are_refused(bench):
    bench.refused(
        "BR106", *bench.show(table(y=[m if y else "0.1" for y, m in zip(Y, M, strict=True)], m=M))
    )
    shown = bench.refused("BR106", *bench.show(table(y=[0.9 if y else 0.1 for y in Y], m=M)))
    assert "fractional (0.1 to 0.9)" in shown
    assert "fractional (0.1 to 0.9)" in bench.raised("BR106", br.count, [0.1, 0.9, 0.1, 0.9], S)
    return shown


@also(8)
def test_row_8_fractional_labels_are_cut_where_that_is_said(bench):
    soft = bench.show(table(y=[0.9 if y else 0.1 for y in Y], m=M))
    assert "--label-threshold 0.5" in bench.refused("BR106", *soft)
    assert (
        bench.answer(*soft, "--label-threshold", "0.5")["models"][0]["counts"]["total_positives"]
        == 5
    )
    return bench.told(*soft, "--label-threshold", "0.5").out.splitlines()[0]


@row(9, 'mixed 0 and "1"')
def test_row_9_mixed_types_are_refused_with_their_counts(bench):
    mixed = "".join(
        json.dumps({"y": y if i else str(y), "m": float(m)}) + "\n"
        for i, (y, m) in enumerate(zip(Y, M, strict=True))
    )
    shown = bench.refused("BR107", *bench.show(mixed, name="scores.jsonl"))
    assert "numbers (19), text (1)" in shown
    bench.raised("BR107", br.count, [0, "1", 0, 1], S)
    return shown


@also(9)
def test_row_9_mixed_types_are_cast_where_that_is_said(bench):
    mixed = "".join(
        json.dumps({"y": y if i else str(y), "m": float(m)}) + "\n"
        for i, (y, m) in enumerate(zip(Y, M, strict=True))
    )
    assert "--cast-labels" in bench.refused("BR107", *bench.show(mixed, name="scores.jsonl"))
    return bench.told(*bench.show(mixed, "--cast-labels", name="scores.jsonl")).out.splitlines()[0]


SPELLINGS = ["yes" if y else "no" for y in Y[4:]] + ["Yes", "yes ", " YES", "no"]


@row(10, "case and space variants")
def test_row_10_spellings_of_one_label_are_refused(bench):
    shown = bench.refused("BR108", *bench.show(table(y=SPELLINGS, m=M)))
    assert "4 spellings of one label" in shown
    return shown


@also(10)
def test_row_10_spellings_are_one_label_where_that_is_said(bench):
    spelled = bench.show(table(y=SPELLINGS, m=M))
    assert "--normalize-labels" in bench.refused("BR108", *spelled)
    assert (
        bench.answer(*spelled, "--normalize-labels")["models"][0]["counts"]["total_positives"] == 7
    )
    return bench.told(*spelled, "--normalize-labels").out.splitlines()[0]


@row(11, "a positive label that is not there")
def test_row_11_a_slip_of_the_pen_is_refused_with_what_was_meant(bench):
    shown = bench.refused(
        "BR109", *bench.show(table(y=words("no", "yes"), m=M), "--positive", "Yes")
    )
    assert shown.endswith('which has "no" (15), "yes" (5). Fix: --positive yes.')
    return shown


@row(12, "the positive class is the majority", why="counts do not know how the labels are written")
def test_row_12_a_positive_majority_is_noted(bench):
    return bench.noted("BR110", *bench.show(table(y=[1 - y for y in Y[:-1]] + [1], m=M)))


@row(13, "labels and scores swapped")
def test_row_13_swapped_columns_are_refused_or_noted(bench):
    shown = bench.refused("BR111", *bench.show(table(y=M, m=Y)))
    assert shown.endswith("Fix: swap --label and --score.")
    return shown, bench.noted("BR111", *bench.show(table(y=Y, m=with_(Y, at0=1, at3=0))))


@row(14, "nullable, category, Arrow dictionary")
def test_row_14_typed_labels_are_read(bench):
    for labels in (
        pd.Series([0, 0, 1, 1], dtype="Int64"),
        pd.Series([False, False, True, True], dtype="boolean"),
        pd.Series(["0", "0", "1", "1"], dtype="category"),
        pl.Series(["no", "no", "yes", "yes"], dtype=pl.Categorical),
        pa.array(["no", "no", "yes", "yes"]).dictionary_encode(),
    ):
        counts = br.count(labels, S)
        assert counts.positives.tolist() == [1, 0, 1, 0]
    return repr(counts)


@row(15, "the label as its own score")
def test_row_15_a_leak_is_noted(bench):
    leaked = bench.show(table(y=Y, m=Y))
    assert "BR111" not in bench.told(*leaked).err
    return bench.noted("BR112", *leaked)


@row(16, "recent days without labels, coded 0", why="where `slices --day` names the column")
def test_row_16_days_without_positives_at_the_end_are_noted(bench):
    days = [f"2026-01-{1 + i // 20:02}" for i in range(600)]
    labels = [int(i % 10 == 0 and i < 480) for i in range(600)]
    late = bench.file(table(y=labels, m=[f"0.{i:03}" for i in range(600)], day=days))
    return bench.noted(
        "BR113",
        "slices",
        late,
        "--label",
        "y",
        "--score",
        "m",
        "--day",
        "day",
        "--threshold",
        "0.5",
    )
