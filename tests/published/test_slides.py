"""The slides to Tan, Steinbach & Kumar's chapter 6, "Measures of classification performance": rows
S1 to S21.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import baserate as br

# The last two slides: ten instances, sorted by score, and the columns of their table from the
# lowest threshold up.
INSTANCES = (
    (0.95, "+"),
    (0.93, "+"),
    (0.87, "-"),
    (0.85, "-"),
    (0.85, "-"),
    (0.85, "+"),
    (0.76, "-"),
    (0.53, "+"),
    (0.43, "-"),
    (0.25, "+"),
)
TABLE = {
    "threshold": (0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95, 1.00),
    "tp": (5, 4, 4, 3, 3, 3, 3, 2, 2, 1, 0),
    "fp": (5, 5, 4, 4, 3, 2, 1, 1, 0, 0, 0),
    "tn": (0, 0, 1, 1, 2, 3, 4, 4, 5, 5, 5),
    "fn": (0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5),
    "tpr": (1, 0.8, 0.8, 0.6, 0.6, 0.6, 0.6, 0.4, 0.4, 0.2, 0),
    "fpr": (1, 1, 0.8, 0.8, 0.6, 0.4, 0.2, 0.2, 0, 0, 0),
}
UNREACHABLE = (5, 6)


def matrix(a, b, c, d):
    """A confusion in the order of the slides: a TP, b FN, c FP, d TN."""
    return br.Confusion(tp=a, fn=b, fp=c, tn=d)


def ten_instances():
    return br.count([sign == "+" for _, sign in INSTANCES], [score for score, _ in INSTANCES])


def read(confusion, *names):
    return tuple(confusion[name] for name in names)


@pytest.mark.parametrize("prior", ["1 in 100", "6.52e-5", "4 per million"])
def test_S1_where_frauds_intrusions_or_defects_are_rare_accuracy_says_nothing(prior):
    at = br.Conditions(prior=prior)
    good, blind = (
        br.Confusion.from_rates(tpr=0.9, fpr=0.02, positives=100, negatives=100),
        matrix(0, 100, 0, 100),
    )
    assert br.measure(good, "accuracy", at=at) < br.measure(blind, "accuracy", at=at)
    for model in (good, blind):
        assert "BR527" in [note.code for note in br.measure(model, "accuracy", at=at).notes]
    assert br.measure(good, "tpr", at=at) > br.measure(blind, "tpr", at=at)


def test_S1_a_sample_without_one_labelled_rare_case_is_said_to_bound_its_share_only():
    counts = br.count([0] * 300, np.linspace(0, 1, 300))
    (note,) = (note for note in counts.notes if note.code == "BR104")
    assert "upper bound on prevalence 0.994 %" in note.text  # 1 − 0.05^(1/300)
    assert math.isnan(br.auc(counts))


def test_S2_a_b_c_d_are_tp_fn_fp_tn():
    assert read(matrix(1, 2, 3, 4), "tp", "fn", "fp", "tn") == (1, 2, 3, 4)


@pytest.mark.parametrize(
    "cells", [(10, 0, 10, 980), (1, 9, 0, 990), (40, 10, 1000, 4000), (3, 1, 4, 1)]
)
def test_S3_accuracy_is_the_diagonal_over_all(cells):
    assert matrix(*cells)["accuracy"] == float(Fraction(cells[0] + cells[3], sum(cells)))


def test_S4_990_to_10_and_everything_no_is_99_percent():
    counts = br.Counts([0.0], positives=[10], negatives=[990])
    nothing = br.choose(counts, threshold=None)
    assert (nothing["accuracy"], nothing["tpr"]) == (0.99, 0)


@pytest.mark.parametrize(
    "cells",
    [(10, 0, 10, 980), (1, 9, 0, 990), (40, 10, 10, 40), (40, 10, 1000, 4000), (10, 40, 10, 40)],
)
def test_S5_precision_recall_and_f(cells):
    a, b, c, _ = cells
    p, r = Fraction(a, a + c), Fraction(a, a + b)
    assert read(matrix(*cells), "precision", "tpr", "f1") == (
        float(p),
        float(r),
        float(2 * r * p / (r + p)),
    )


def test_S6_B13_f_of_precision_one_half_and_recall_1_is_two_thirds_and_not_62_percent():
    model = matrix(10, 0, 10, 980)
    assert read(model, "precision", "tpr", "accuracy") == (0.5, 1, 0.99)
    assert model["f1"] == 2 / 3
    assert round(model["f1"], 2) != 0.62
    # .62 is the F of a later matrix, with precision .5 and recall .8.
    assert round(matrix(40, 10, 40, 10)["f1"], 2) == 0.62


def test_S7_one_found_of_ten():
    model = matrix(1, 9, 0, 990)
    assert read(model, "precision", "tpr", "f1", "accuracy") == (1, 0.1, 2 / 11, 0.991)
    assert round(model["f1"], 2) == 0.18


def test_S8_40_10_10_40_is_80_percent_in_everything():
    assert read(matrix(40, 10, 10, 40), "precision", "tpr", "f1", "accuracy", "fpr") == (
        0.8,
        0.8,
        0.8,
        0.8,
        0.2,
    )


def test_S9_a_hundred_times_the_negatives_leave_the_rates_and_ruin_precision_and_f():
    balanced, skewed = matrix(40, 10, 10, 40), matrix(40, 10, 1000, 4000)
    assert (
        read(skewed, "tpr", "fpr", "accuracy")
        == read(balanced, "tpr", "fpr", "accuracy")
        == (0.8, 0.2, 0.8)
    )
    assert read(skewed, "precision", "f1") == (40 / 1040, 80 / 1090)
    assert [round(value, 4) for value in read(skewed, "precision", "f1")] == [0.0385, 0.0734]
    # The same matrix is the balanced one, read at the base rate of the skewed one.
    at = br.Conditions(prior=skewed.prior)
    assert br.measure(balanced, "precision", at=at) == pytest.approx(skewed["precision"], rel=1e-15)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("alpha", "fpr"),
        ("Type I error", "fpr"),
        ("beta", "fnr"),
        ("Type II error", "fnr"),
        ("power", "tpr"),
        ("sensitivity", "tpr"),
        ("TP rate", "tpr"),
        ("specificity", "tnr"),
        ("TN rate", "tnr"),
        ("positive predictive value", "precision"),
        ("error rate", "error"),
    ],
)
def test_S10_the_words_of_hypothesis_tests_name_the_same_rates(said, name):
    assert br.Measure.parse(said).name == name


def test_S10_power_is_1_minus_beta_and_alpha_1_minus_specificity():
    model = matrix(3, 5, 1, 7)
    alpha, beta, power = (model[br.Measure.parse(word)] for word in ("alpha", "beta", "power"))
    assert (alpha, beta) == (1 / 8, 5 / 8)
    assert power == 1 - beta
    assert alpha == 1 - model["tnr"]
    assert model["error"] == 1 - model["accuracy"] == 0.375


@pytest.mark.parametrize(
    ("cells", "rate", "f"),
    [
        ((10, 40, 10, 40), 0.2, Fraction(2, 7)),
        ((25, 25, 25, 25), 0.5, Fraction(1, 2)),
        ((40, 10, 40, 10), 0.8, Fraction(8, 13)),
    ],
)
def test_S11_S12_S13_three_random_models_share_their_precision_and_lie_on_the_diagonal(
    cells, rate, f
):
    model = matrix(*cells)
    assert read(model, "precision", "tpr", "fpr", "accuracy") == (0.5, rate, rate, 0.5)
    assert model["f1"] == float(f)
    assert model["informedness"] == 0


def test_S14_moving_the_threshold_moves_the_point_along_detections_and_false_alarms():
    counts = ten_instances()
    places = [
        (br.choose(counts, threshold=t)["fpr"], br.choose(counts, threshold=t)["tpr"])
        for t in (1.0, 0.9, 0.6, 0.3, 0.0)
    ]
    assert places == [(0, 0), (0, 0.4), (0.8, 0.6), (1, 0.8), (1, 1)]
    assert br.Measure.parse("detection rate").name == "tpr"
    assert br.Measure.parse("false alarm rate").name == "fpr"


def test_S15_the_corners_of_the_roc():
    counts = br.count([0, 0, 1], [0.1, 0.2, 0.9])
    assert [
        (p.tpr, p.fpr)
        for p in (
            br.choose(counts, threshold=None),
            br.choose(counts, threshold=0),
            br.choose(counts, threshold=0.9),
        )
    ] == [(0, 0), (1, 1), (1, 0)]


def test_S15_below_the_diagonal_the_prediction_is_the_opposite_of_the_truth():
    rng = np.random.default_rng(15)
    labels = np.repeat([1, 0], [50, 80])
    scores = np.round(rng.normal(-labels, 1), 1)
    reversed_scores, turned = br.count(labels, scores), br.count(labels, -scores)
    assert br.auc(reversed_scores) < 0.5
    assert br.auc(turned) == pytest.approx(1 - br.auc(reversed_scores), rel=1e-15)
    assert "BR207" in [note.code for note in reversed_scores.notes]
    assert "BR207" not in [note.code for note in turned.notes]
    wrong = br.choose(reversed_scores, threshold=0.0).confusion
    opposite = br.Confusion(tp=wrong.fn, fn=wrong.tp, fp=wrong.tn, tn=wrong.fp)
    assert wrong["informedness"] == -opposite["informedness"] < 0


def test_S16_discrete_outputs_give_one_point_and_continuous_ones_rank():
    labels = [1, 1, 1, 0, 0, 0, 0, 0]
    hard = br.count(labels, [1, 1, 0, 1, 0, 0, 0, 0])
    assert len(br.Points.of(hard)) == 3
    assert "BR205" in [note.code for note in hard.notes]
    point = br.choose(hard, threshold=1)
    assert (
        br.auc(hard) == point["balanced_accuracy"] == float((Fraction(2, 3) + Fraction(4, 5)) / 2)
    )
    # Shares of positives in the leaves of a tree, or among three neighbours, rank: one point for
    # each value, and the corner.
    votes = br.count(labels, [3, 2, 1, 2, 1, 0, 0, 0])
    assert len(br.Points.of(votes)) == 5
    assert br.auc(votes) > br.auc(hard)


def test_S17_the_two_trees_with_the_negative_class_listed_first():
    strict, loose = (
        br.Confusion(tn=645, fp=209, fn=298, tp=948),
        br.Confusion(tn=181, fp=673, fn=78, tp=1168),
    )
    for model, expected in ((strict, (0.7608, 0.2447, 0.7586)), (loose, (0.9374, 0.7881, 0.6424))):
        assert read(model, "tpr", "fpr", "accuracy") == pytest.approx(expected, abs=5e-5)
    # Read with the positive class first, as every other slide has it, the rates would be others.
    assert matrix(645, 209, 298, 948)["tpr"] == pytest.approx(0.7553, abs=5e-5)


def test_S17_B14_alpha_is_no_threshold_on_the_positive_share_but_on_the_negative_one():
    bands = br.Counts(
        [0.7, 0.3, 0.0], positives=[948, 1168 - 948, 78], negatives=[209, 673 - 209, 181]
    )
    at_3, at_7 = br.choose(bands, threshold=0.3), br.choose(bands, threshold=0.7)
    assert at_3.fpr > at_7.fpr  # a threshold on P(+) flags less as it rises
    # The slide flags more at α = .7: "predict + where P(o) <= α" is P(+) >= 1 − α.
    assert (at_7.fn, at_7.fp) == (298, 209)
    assert (at_3.fn, at_3.fp) == (78, 673)
    # Nor is it the Type I error that a slide before calls α.
    assert (round(at_7.fpr, 3), round(at_3.fpr, 3)) == (0.245, 0.788)


def test_S18_x_above_t_is_the_next_threshold_up_and_x_at_t_is_flagged_here():
    labels, x = [0, 1, 0, 1, 1], [1.0, 2.0, 2.0, 3.0, 4.0]
    counts = br.count(labels, x)
    for t in x:
        strict = sum(label for label, value in zip(labels, x, strict=True) if value > t)
        inclusive = sum(label for label, value in zip(labels, x, strict=True) if value >= t)
        assert br.choose(counts, threshold=t).tp == inclusive
        assert br.choose(counts, threshold=math.nextafter(t, math.inf)).tp == strict


def test_S19_T18_no_model_outperforms_the_other_consistently():
    first, second = (
        br.Points.from_rates([0.1, 0.3], [0.6, 0.7]),
        br.Points.from_rates([0.2, 0.5], [0.4, 0.95]),
    )
    found = br.curves.superiority(first, second)
    assert found.dominant == "neither"
    assert (found.stretches[0].better, found.stretches[-1].better) == ("first", "second")


def test_S20_B5_one_threshold_for_each_unique_score_as_the_slide_says():
    counts = ten_instances()
    points = br.Points.of(counts)
    unique = sorted({score for score, _ in INSTANCES}, reverse=True)
    assert points.thresholds[1:].tolist() == unique
    for threshold in unique:
        flagged = list(itertools.takewhile(lambda row, t=threshold: row[0] >= t, INSTANCES))
        signs = [sign for _, sign in flagged]
        confusion = br.choose(counts, threshold=threshold).confusion
        assert (confusion.tp, confusion.fp) == (signs.count("+"), signs.count("-"))
        assert (confusion.fn, confusion.tn) == (5 - signs.count("+"), 5 - signs.count("-"))


@pytest.mark.parametrize("column", [place for place in range(11) if place not in UNREACHABLE])
def test_S21_the_table_of_the_last_slide_column_by_column(column):
    point = br.choose(ten_instances(), threshold=TABLE["threshold"][column])
    for name in ("tp", "fp", "tn", "fn", "tpr", "fpr"):
        assert point[name] == TABLE[name][column]


def test_S21_B5_at_85_there_is_one_operating_point_and_not_three():
    point = br.choose(ten_instances(), threshold=0.85)
    printed = [(TABLE["tp"][column], TABLE["fp"][column]) for column in (4, *UNREACHABLE)]
    assert printed == [(3, 3), (3, 2), (3, 1)]
    assert (point.tp, point.fp) == printed[0]
    assert len(br.Points.of(ten_instances())) == 9
    assert br.auc(ten_instances()) == 14 / 25
