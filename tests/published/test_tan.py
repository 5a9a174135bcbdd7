"""Tan, Steinbach & Kumar 2005, "Introduction to Data Mining" §5.7: rows T1, T2 and T5 to T33
(without T29).
"""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from tests import oracle

import baserate as br

CONFUSION = br.Confusion(tp=30, fp=20, fn=10, tn=140)
# Fig 5.42 as it was meant (its class row has one sign too many, one score is missing; the slides
# print the same table).
SCORES = (0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95)
CLASSES = "+-+---+-++"
PRINTED_CLASSES = "+-+--+-+-++"
# Its columns (TP, FP), left to right, from everything flagged to nothing.
COLUMNS = ((5, 5), (4, 5), (4, 4), (3, 4), (3, 3), (3, 2), (3, 1), (2, 1), (2, 0), (1, 0), (0, 0))
# Table 5.7 and the two models of table 5.8; the last column of M2 is lost in our copy: 45 from the
# formula, 200 from N = 500.
REWARDED = br.Costs(tp=-1, fn=100, fp=1, tn=0)
M1, M2 = br.Confusion(tp=150, fn=40, fp=60, tn=250), br.Confusion(tp=250, fn=45, fp=5, tn=200)


def f_beta(beta):
    return br.Measure("f_beta", (("beta", beta),))


def weighted(*weights):
    return br.Measure(
        "weighted_accuracy", tuple((f"w{i}", w) for i, w in enumerate(weights, start=1))
    )


def ten_records():
    return br.count([int(sign == "+") for sign in CLASSES], SCORES)


def area(points):
    """Trapezoids under (TP, FP) pairs out of five and five, from nothing to everything."""
    rising = sorted(points)
    return sum(
        (
            Fraction(a[0] + b[0], 10) * Fraction(b[1] - a[1], 5)
            for a, b in itertools.pairwise(rising)
        ),
        Fraction(0),
    )


def leaves(seed=31, count=12):
    """Leaves of a tree: (positives, negatives) in each, with one leaf of exactly half and half."""
    rng = random.Random(seed)
    return [(5, 5), *((rng.randint(0, 30), rng.randint(1, 60)) for _ in range(count - 1))]


def of_leaves(found):
    """Counts whose score is the share of positives in each leaf; leaves with one share are one
    score.
    """
    return br.Counts(
        [pos / (pos + neg) for pos, neg in found],
        [pos for pos, _ in found],
        [neg for _, neg in found],
    )


@pytest.mark.parametrize("written", ["4 per million", 4e-6, "1 in 100", "1%"])
def test_T1_base_rates_down_to_four_in_a_million_are_exact(written):
    at = br.Conditions(prior=written)
    p = Fraction(at.prior)
    assert p == pytest.approx(4e-6 if written in ("4 per million", 4e-6) else 0.01, rel=1e-15)
    assert br.measure(CONFUSION, "precision", at=at) == float(
        p * Fraction(3, 4) / (p * Fraction(3, 4) + (1 - p) * Fraction(1, 8))
    )
    assert br.measure(CONFUSION, "posfrac", at=at) == float(
        p * Fraction(3, 4) + (1 - p) * Fraction(1, 8)
    )


def test_T2_calling_every_transaction_legitimate_is_99_percent_accurate():
    model = br.curves.random_classifier(
        br.Points.from_rates([0.1], [0.9]), 0, at=br.Conditions(prior="1%")
    )
    assert model["accuracy"] == 0.99
    assert model.tpr == 0
    assert [note.code for note in model["accuracy"].notes if note.code == "BR527"] == ["BR527"]


@pytest.mark.parametrize(
    ("symbol", "name", "value"),
    [("f++", "tp", 30), ("f+-", "fn", 10), ("f-+", "fp", 20), ("f--", "tn", 140)],
)
def test_T5_the_four_counts_by_the_books_symbols(symbol, name, value):
    assert br.Measure.parse(symbol).name == name
    assert CONFUSION[name] == getattr(CONFUSION, name) == value


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sensitivity", (30, 40)), ("specificity", (140, 160)), ("fpr", (20, 160)), ("fnr", (10, 40))],
)
def test_T6_the_four_rates(name, expected):
    assert CONFUSION[br.Measure.parse(name)] == float(Fraction(*expected))


@pytest.mark.parametrize(("tp", "fp", "fn"), [(30, 20, 10), (1, 0, 9), (3, 10**12, 4)])
def test_T7_precision_and_recall(tp, fp, fn):
    confusion = br.Confusion(tp=tp, fp=fp, fn=fn, tn=5)
    assert confusion["precision"] == float(Fraction(tp, tp + fp))
    assert confusion["tpr"] == confusion[br.Measure.parse("recall")] == float(Fraction(tp, tp + fn))


def test_T8_all_positive_has_perfect_recall_and_the_prevalence_as_its_precision():
    counts = br.Counts([1, 0], positives=[3, 7], negatives=[90, 900])
    everything = br.curves.random_classifier(counts, 1)
    assert (everything.tpr, everything.precision) == (1, counts.prior)
    memoriser = br.Confusion(tp=1, fn=9, fp=0, tn=990)
    assert (memoriser["precision"], memoriser["tpr"]) == (1, 0.1)


@pytest.mark.parametrize(("tp", "fp", "fn"), [(30, 20, 10), (1, 0, 9), (3, 10**12, 4), (7, 0, 0)])
def test_T9_three_ways_to_write_f1(tp, fp, fn):
    r, p = Fraction(tp, tp + fn), Fraction(tp, tp + fp)
    ways = {2 * r * p / (r + p), Fraction(2 * tp, 2 * tp + fp + fn), 2 / (1 / r + 1 / p)}
    assert len(ways) == 1
    assert br.Confusion(tp=tp, fp=fp, fn=fn, tn=5)["f1"] == float(ways.pop())


def test_T9_f1_of_nothing_is_undefined_and_not_zero():
    assert math.isnan(br.Confusion(tp=0, fp=0, fn=0, tn=5)["f1"])
    assert br.Confusion(tp=0, fp=1, fn=1, tn=5)["f1"] == 0


def test_T10_the_harmonic_mean_of_1_and_5_is_nearer_to_the_smaller_than_the_geometric_and_the_arithmetic():  # noqa: E501
    # Precision 1/5 and recall 1, five times.
    model = br.Confusion(tp=1, fp=4, fn=0, tn=0)
    harmonic, geometric, arithmetic = (
        5 * model["f1"],
        5 * model["fowlkes_mallows"],
        5 * (model["precision"] + model["tpr"]) / 2,
    )
    assert (harmonic, geometric, arithmetic) == pytest.approx((5 / 3, math.sqrt(5), 3), rel=1e-15)
    assert (round(harmonic, 3), round(geometric, 3)) == (1.667, 2.236)
    assert harmonic - 1 < geometric - 1 < arithmetic - 1


def test_T11_B1_f_beta_weighs_false_negatives_with_beta_squared_and_not_false_positives():
    tp, fp, fn, square = 30, 20, 10, 4
    precision, recall = Fraction(3, 5), Fraction(3, 4)
    by_rates = (square + 1) * recall * precision / (recall + square * precision)
    printed = Fraction((square + 1) * tp, (square + 1) * tp + square * fp + fn)
    corrected = Fraction((square + 1) * tp, (square + 1) * tp + square * fn + fp)
    assert (by_rates, printed, corrected) == (Fraction(5, 7), Fraction(5, 8), Fraction(5, 7))
    assert CONFUSION[f_beta(2)] == float(corrected)


def test_T12_B1_beta_0_is_precision_and_beta_infinity_recall_which_the_printed_form_turns_round():
    assert CONFUSION[f_beta(0)] == CONFUSION["precision"] == 0.6
    assert CONFUSION[f_beta(math.inf)] == CONFUSION["tpr"] == 0.75
    assert CONFUSION[f_beta(1)] == CONFUSION["f1"]
    printed_at_0 = Fraction(30, 30 + 0 * 20 + 10)
    assert float(printed_at_0) == CONFUSION["tpr"]
    assert 0.6 < CONFUSION[f_beta(0.5)] < CONFUSION[f_beta(2)] < 0.75


@pytest.mark.parametrize("weights", [(1, 2, 3, 4), (0.5, 0, 7, 1), (1, 1, 1, 0)])
def test_T13_weighted_accuracy(weights):
    w1, w2, w3, w4 = map(Fraction, weights)
    right = 30 * w1 + 140 * w4
    assert CONFUSION[weighted(*weights)] == float(right / (right + 20 * w2 + 10 * w3))


@pytest.mark.parametrize(
    ("name", "printed", "corrected"),
    [
        ("tpr", (1, 1, 0, 0), (1, 0, 1, 0)),
        ("precision", (1, 0, 1, 0), (1, 1, 0, 0)),
        ("f_beta(beta=2)", (5, 4, 1, 0), (5, 1, 4, 0)),
    ],
)
def test_T14_B2_the_weights_of_recall_precision_and_f_beta_have_fp_and_fn_changed_over(
    name, printed, corrected
):
    assert CONFUSION[weighted(*corrected)] == CONFUSION[name]
    assert CONFUSION[weighted(*printed)] != CONFUSION[name]


def test_T14_B2_the_printed_recall_is_precision_and_accuracy_is_all_ones():
    assert CONFUSION[weighted(1, 1, 0, 0)] == 3 / 5
    assert CONFUSION[weighted(1, 0, 1, 0)] == 3 / 4
    assert CONFUSION[weighted(1, 1, 1, 1)] == CONFUSION["accuracy"] == 0.85


def test_T15_each_point_of_the_roc_is_one_model_that_the_classifier_induces():
    counts = ten_records()
    points = br.Points.of(counts)
    for place in range(len(points)):
        model = br.choose(counts, threshold=points.threshold(place))
        assert (model.fpr, model.tpr) == (points.fpr[place], points.tpr[place])
    assert (np.diff(points.fpr) >= 0).all()
    assert (np.diff(points.tpr) >= 0).all()


@pytest.mark.parametrize(
    "points",
    [
        br.Points.from_rates([0.3], [0.7]),
        br.Points.of(ten_records()),
        br.Points.of(br.count([1, 0], [0.5, 0.5])),
    ],
)
def test_T16_S15_both_corners_are_always_there(points):
    assert (points.tpr[0], points.fpr[0]) == (0, 0)
    assert (points.tpr[-1], points.fpr[-1]) == (1, 1)
    assert points.threshold(0) is None


def test_T16_the_ideal_model_flags_the_positives_and_nothing_else():
    ideal = br.choose(br.count([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]))
    assert (ideal.tpr, ideal.fpr, ideal.threshold) == (1, 0, 0.8)


@pytest.mark.parametrize("p", [0.0, 0.25, 0.3, 1.0])
def test_T17_B3_random_guessing_flags_p_of_each_class(p):
    counts = br.Counts([1, 0], positives=[8, 32], negatives=[60, 100])
    guessed = br.curves.random_classifier(counts, p)
    assert guessed.tp == pytest.approx(p * 40, rel=1e-15)
    assert guessed.fp == pytest.approx(p * 160, rel=1e-15)
    assert guessed.tpr == guessed.fpr == p
    # Printed is (p·n−)/p, which is n−; the divisor is n−.
    assert p == 0 or p * 160 / p == 160 != guessed.fpr


def test_T18_S19_one_model_is_better_below_fpr_36_percent_and_the_other_above():
    first, second = (
        br.Points.from_rates([0.1, 0.36], [0.5, 0.7]),
        br.Points.from_rates([0.36, 0.6], [0.7, 0.95]),
    )
    found = br.curves.superiority(first, second)
    assert found.stretches == ((0, 0.36, "first"), (0.36, 1, "second"))
    assert [(crossing.fpr, crossing.tpr) for crossing in found.crossings] == [(0.36, 0.7)]
    assert found.dominant == "neither"


def test_T19_S19_the_area_is_1_if_perfect_and_one_half_if_guessing():
    assert br.auc(br.count([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])) == 1
    assert br.auc(br.count([0, 0, 1, 1], [0.5] * 4)) == 0.5


def test_T19_a_model_that_dominates_has_the_larger_area_and_the_larger_area_need_not_dominate():
    rng = np.random.default_rng(19)
    labels = np.repeat([1, 0], [6, 8])
    seen = {"first": 0, "second": 0, "neither": 0}
    for _ in range(300):
        first, second = (br.count(labels, rng.integers(0, 6, 14) + 2 * labels) for _ in range(2))
        dominant = br.curves.superiority(first, second).dominant
        seen[dominant] = seen.get(dominant, 0) + (br.auc(first) != br.auc(second))
        assert dominant != "first" or br.auc(first) > br.auc(second)
        assert dominant != "second" or br.auc(first) < br.auc(second)
    assert min(seen["first"], seen["second"], seen["neither"]) > 10


def test_T20_B5b_the_procedure_stops_one_step_before_nothing_is_flagged():
    tp = fp = 5
    steps = [(tp, fp)]
    for sign in CLASSES[:-1]:  # steps 3 and 4, until the highest ranked record is selected
        tp, fp = (tp - 1, fp) if sign == "+" else (tp, fp - 1)
        steps.append((tp, fp))
    assert steps[-1] == (1, 0)
    reached = {(tp, fp) for tp, fp, _, _ in map(br.Points.of(ten_records()).counted, range(9))}
    assert reached - set(steps) == {(0, 0)}


def test_T21_B4_the_class_row_has_one_sign_too_many():
    assert (PRINTED_CLASSES.count("+"), PRINTED_CLASSES.count("-")) == (6, 5)
    counts = ten_records()
    assert (counts.total_positives, counts.total_negatives) == (5, 5)
    # The second last column has TP 1 of 5: a TPR of .2, not the .4 that is printed.
    assert br.choose(counts, threshold=0.95).tpr == 0.2


def test_T21_S21_B5_three_records_tie_at_85_so_two_printed_columns_belong_to_no_threshold():
    points = br.Points.of(ten_records())
    reached = {points.counted(place)[:2] for place in range(len(points))}
    assert len(points) == 9
    assert set(COLUMNS) - reached == {(3, 2), (3, 1)}
    assert reached <= set(COLUMNS)
    assert points.counted(points.place(0.85))[:2] == (3, 3)
    assert points.counted(points.place(0.87))[:2] == (2, 1)


def test_T22_B5_the_area_is_56_percent_and_the_printed_columns_depend_on_the_order_within_the_tie():
    counts = ten_records()
    points = br.Points.of(counts)
    reached = [points.counted(place)[:2] for place in range(len(points))]
    unlucky = [*(column for column in COLUMNS if column not in ((3, 2), (3, 1))), (2, 3), (2, 2)]
    assert br.auc(counts) == float(oracle.auc([sign == "+" for sign in CLASSES], SCORES)) == 0.56
    assert (area(reached), area(COLUMNS), area(unlucky)) == (
        Fraction(14, 25),
        Fraction(3, 5),
        Fraction(13, 25),
    )


def test_T23_a_cost_matrix_may_reward_what_is_right():
    assert (REWARDED.tp, REWARDED.fn, REWARDED.fp, REWARDED.tn) == (-1, 100, 1, 0)
    right = br.Confusion(tp=7, fp=0, fn=0, tn=3)
    assert br.measure(right, "total_cost", at=br.Conditions(costs=REWARDED)) == -7


@pytest.mark.parametrize("costs", [(1, 1, 0, 0), (1, 100, -1, 0), (2.5, 7, -3, -0.25)])
def test_T24_the_overall_cost_is_each_count_times_its_cost(costs):
    fp, fn, tp, tn = costs
    expected = 30 * Fraction(tp) + 20 * Fraction(fp) + 10 * Fraction(fn) + 140 * Fraction(tn)
    assert br.measure(
        CONFUSION, "total_cost", at=br.Conditions(costs=br.Costs(fp=fp, fn=fn, tp=tp, tn=tn))
    ) == float(expected)


@pytest.mark.parametrize("confusion", [CONFUSION, M1, M2])
def test_T25_under_costs_of_0_and_1_the_cost_is_the_number_of_errors(confusion):
    cost = br.measure(confusion, "total_cost", at=br.Conditions(costs=br.Costs(fp=1, fn=1)))
    assert cost == confusion.fp + confusion.fn == round(sum(confusion) * confusion["error"])
    assert br.measure(confusion, "expected_cost") == confusion["error"]


def test_T26_example_5_9_costs_3910_and_4255():
    assert [
        br.measure(model, "total_cost", at=br.Conditions(costs=REWARDED)) for model in (M1, M2)
    ] == [3910, 4255]


def test_T27_B10c_accuracy_would_prefer_the_dearer_model_and_the_two_cannot_share_a_test_set():
    assert (M1["accuracy"], M2["accuracy"]) == (0.8, 0.9)
    assert sum(M1) == sum(M2) == 500
    assert (M1.tp + M1.fn, M2.tp + M2.fn) == (190, 295)
    assert M1.prior != M2.prior


def test_T28_costly_misses_extend_the_boundary_towards_the_negatives():
    counts = of_leaves(leaves())
    before, after = (
        br.choose(counts, at=br.Conditions(costs=br.Costs(fp=1, fn=miss))) for miss in (1, 5)
    )
    assert after.threshold < before.threshold
    assert after.tp > before.tp
    assert after.fp > before.fp
    assert (before.at.costs.threshold, after.at.costs.threshold) == (1 / 2, 1 / 6)


def test_T30_the_majority_rule_is_strict_so_a_leaf_of_half_and_half_is_negative():
    found = leaves()
    assert br.Costs().threshold == 0.5
    chosen = br.choose(of_leaves(found))
    positive = {leaf for leaf in found if leaf[0] / sum(leaf) >= chosen.threshold}
    assert positive == {leaf for leaf in found if leaf[0] > leaf[1]}
    assert (5, 5) in set(found) - positive


def test_T30_B10b_shares_of_a_class_instead_of_shares_of_a_node_would_not_add_up_and_mislabel():
    found = [(30, 60), (10, 100)]
    by_class = [(Fraction(pos, 40), Fraction(neg, 160)) for pos, neg in found]
    assert [sum(shares) for shares in by_class] != [1, 1]
    assert by_class[0][0] > Fraction(
        1, 2
    )  # "positive" by the printed reading, though 60 of its 90 records are not
    assert br.choose(of_leaves(found)).threshold is None


@pytest.mark.parametrize(
    "costs",
    [br.Costs(1, 1), br.Costs(1, 5), br.Costs(3, 2), REWARDED, br.Costs(fp=4, fn=6, tp=1, tn=-2)],
)
def test_T31_the_label_of_least_expected_cost_leaf_by_leaf_is_the_choice_at_the_cost_threshold(
    costs,
):
    matrix = {"++": costs.tp, "+-": costs.fn, "-+": costs.fp, "--": costs.tn}
    found, flagged = leaves(), []
    for positives, negatives in found:
        shares = {
            "+": Fraction(positives, positives + negatives),
            "-": Fraction(negatives, positives + negatives),
        }
        expected = {
            label: sum(shares[actual] * Fraction(matrix[actual + label]) for actual in "+-")
            for label in "+-"
        }
        if expected["+"] < expected["-"]:
            flagged.append((positives, negatives))
        assert (expected["+"] < expected["-"]) == (
            positives / (positives + negatives) > costs.threshold
        )
    chosen = br.choose(of_leaves(found), at=br.Conditions(costs=costs))
    assert (chosen.tp, chosen.fp) == (
        sum(pos for pos, _ in flagged),
        sum(neg for _, neg in flagged),
    )


def test_T32_the_threshold_for_1_to_5_is_one_sixth():
    assert br.Costs(fp=1, fn=5).threshold == 1 / 6
    assert br.Conditions(prior=0.2, costs=br.Costs(fp=1, fn=5)).cut(calibrated_at=0.2) == (
        1 / 6,
        1 / 6,
    )


def test_T32_B10_with_a_reward_the_threshold_is_1_in_102_and_not_1_in_101():
    assert REWARDED.threshold == 1 / 102
    printed = Fraction(1, 1 + 100)
    between = Fraction(98525, 10**7)
    assert Fraction(1, 102) < between < printed
    positive = between * -1 + (1 - between) * 1
    negative = between * 100
    assert (float(positive), float(negative)) == pytest.approx((0.980295, 0.98525), abs=1e-12)
    leaf = br.Counts([float(between)], [98525], [10**7 - 98525])
    assert br.choose(leaf, at=br.Conditions(costs=REWARDED)).threshold == float(between)


@pytest.mark.parametrize(("fp", "fn"), [(1, 2), (0.5, 0.7), (3, 3), (9, 1), (1, 10**6)])
def test_T33_a_costlier_miss_puts_the_threshold_below_one_half(fp, fn):
    threshold = br.Costs(fp=fp, fn=fn).threshold
    assert (threshold < 0.5) == (fp < fn)
    assert (threshold > 0.5) == (fp > fn)
