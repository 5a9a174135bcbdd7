"""Weng & Poon 2008, "A new evaluation measure for imbalanced datasets": rows W1 to W14, W18, W24
and W26 to W29.

Areas and curves (W15 to W17, W19 to W23, W25, W35 to W39) are in test_weng_areas.py.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests import oracle
from tests.oracle import in_cells

import baserate as br

# Table 2: what errors cost; (a) the same, (b) one to five.
EQUAL, UNEVEN = br.Costs(fp=1, fn=1), br.Costs(fp=1, fn=5)
CONFUSION = br.Confusion(tp=30, fp=20, fn=10, tn=140)


@pytest.fixture(scope="module")
def scored():
    """Labels and scores with ties, from a seed."""
    rng = np.random.default_rng(8)
    labels = rng.random(300) < 0.2
    return labels.astype(int), np.round(rng.normal(labels * 0.8, 1.0), 1)


def baseline(positives, negatives, costs=UNEVEN):
    return br.curves.ideal_baseline(
        br.Conditions(prior=Fraction(positives, positives + negatives), costs=costs)
    )


def cost(positives, negatives, missed, alarms, costs=UNEVEN):
    """What so many misses and false alarms cost in a test set of this size."""
    confusion = br.Confusion(tp=positives - missed, fn=missed, fp=alarms, tn=negatives - alarms)
    return br.measure(confusion, "total_cost", at=br.Conditions(costs=costs))


def test_W1_T2_S4_99_percent_accuracy_without_one_rare_example_found():
    blind = br.Confusion(tp=0, fn=10, fp=0, tn=990)
    assert blind["accuracy"] == 0.99
    assert blind["tpr"] == 0
    (note,) = blind["accuracy"].notes
    assert note.code == "BR527"
    assert "accuracy 0.99 is not better than flagging nothing, which has 0.99" in note.text


def test_W1_an_accuracy_that_beats_the_majority_has_no_such_note():
    assert not br.Confusion(tp=1, fn=9, fp=0, tn=990)["accuracy"].notes


def test_W2_each_class_has_a_rate_of_its_own_whatever_the_other_class_does():
    for negatives_right in (0, 70, 160):
        one = br.Confusion(tp=30, fn=10, fp=160 - negatives_right, tn=negatives_right)
        assert one["tpr"] == 0.75
        assert one["tnr"] == negatives_right / 160


def test_W3_the_confusion_matrix_has_actual_classes_as_rows():
    matrix = [[30, 10], [20, 140]]
    confusion = br.Confusion(tp=matrix[0][0], fn=matrix[0][1], fp=matrix[1][0], tn=matrix[1][1])
    assert (confusion["tp"] + confusion["fn"], confusion["fp"] + confusion["tn"]) == (
        sum(matrix[0]),
        sum(matrix[1]),
    )
    assert (confusion["tpr"], confusion["fpr"]) == (30 / sum(matrix[0]), 20 / sum(matrix[1]))


@pytest.mark.parametrize(
    "counted", [(30, 20, 10, 140), (1, 0, 9, 990), (0, 3, 0, 7), (10**15, 1, 3, 10**9)]
)
def test_W4_accuracy_is_what_is_right_over_all(counted):
    tp, _, _, tn = counted
    assert br.Confusion(**in_cells(*counted))["accuracy"] == float(Fraction(tp + tn, sum(counted)))


@pytest.mark.parametrize(("returned", "relevant"), [(50, 30), (7, 7), (10**6, 1)])
def test_W5_B6_precision_is_the_relevant_over_the_returned_and_not_the_other_way_round(
    returned, relevant
):
    confusion = br.Confusion(tp=relevant, fp=returned - relevant, fn=3, tn=5)
    printed, right = Fraction(returned, relevant), Fraction(relevant, returned)
    assert confusion["precision"] == float(right) <= 1 <= printed
    assert printed == 1 or confusion["precision"] != float(printed)


@pytest.mark.parametrize(("found", "relevant"), [(30, 40), (0, 9), (7, 7), (1, 3)])
def test_W6_recall_is_the_relevant_returned_over_all_that_is_relevant(found, relevant):
    assert br.Confusion(tp=found, fn=relevant - found, fp=4, tn=50)["tpr"] == float(
        Fraction(found, relevant)
    )


@pytest.mark.parametrize(
    "counted", [(30, 20, 10, 140), (10, 10, 0, 980), (1, 0, 9, 990), (1, 10**6, 3, 1)]
)
def test_W7_f_is_twice_recall_times_precision_over_their_sum(counted):
    tp, fp, fn, _ = counted
    precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
    assert br.Confusion(**in_cells(*counted))["f1"] == float(
        2 * recall * precision / (recall + precision)
    )


def test_W8_the_two_cost_matrices_of_table_2_as_costs():
    assert (EQUAL.fp, EQUAL.fn, EQUAL.tp, EQUAL.tn) == (1, 1, 0, 0)
    assert (UNEVEN.fp, UNEVEN.fn, UNEVEN.tp, UNEVEN.tn) == (1, 5, 0, 0)
    assert br.Costs.parse("fn=5,fp=1") == UNEVEN
    assert UNEVEN.ratio == 0.2


@pytest.mark.parametrize(
    ("costs", "expected"), [(EQUAL, 30), (UNEVEN, 70), (br.Costs(fp=2, fn=9, tp=-3, tn=-1), -100)]
)
def test_W8_W9_the_cost_of_a_model_is_its_confusion_matrix_times_the_cost_matrix(costs, expected):
    cells = zip(CONFUSION, (costs.tp, costs.fp, costs.fn, costs.tn), strict=True)
    assert sum(count * price for count, price in cells) == expected
    assert br.measure(CONFUSION, "total_cost", at=br.Conditions(costs=costs)) == expected


def test_W10_one_confusion_matrix_is_a_spot_and_another_prior_or_cost_can_turn_the_comparison_round():  # noqa: E501
    careful, eager = (
        br.Confusion(tp=50, fn=50, fp=1, tn=99),
        br.Confusion(tp=90, fn=10, fp=20, tn=80),
    )
    assert eager["accuracy"] > careful["accuracy"]

    def cheaper(**conditions):
        costs = [
            br.measure(model, "expected_cost", at=br.Conditions(**conditions))
            for model in (careful, eager)
        ]
        return "careful" if costs[0] < costs[1] else "eager"

    assert cheaper(prior=0.5) == "eager"
    assert cheaper(prior=0.05) == "careful"
    assert cheaper(prior=0.05, costs=br.Costs(fp=1, fn=50)) == "eager"


def test_W11_varying_the_threshold_from_0_to_1_runs_the_roc_from_everything_to_nothing(scored):
    labels, scores = scored
    probabilities = 1 / (1 + np.exp(-scores))
    counts = br.count(labels, probabilities)
    readings = [
        br.choose(counts, threshold=threshold) for threshold in np.linspace(0, 1, 41).tolist()
    ]
    assert (readings[0].tpr, readings[0].fpr, readings[-1].tpr, readings[-1].fpr) == (1, 1, 0, 0)
    for reading in readings:
        tp, fp, fn, tn = oracle.confusion(
            labels.tolist(), probabilities.tolist(), reading.threshold
        )
        assert reading["tpr"] == reading[br.Measure.parse("recall")] == tp / (tp + fn)
        assert reading["fpr"] == fp / (fp + tn)
    for high, low in itertools.pairwise(readings):
        assert high.tpr >= low.tpr
        assert high.fpr >= low.fpr


def test_W12_nearer_to_the_top_left_is_better_at_every_cost_and_base_rate():
    ours, theirs = (
        br.Confusion.from_rates(tpr=tpr, fpr=fpr, positives=100, negatives=100)
        for tpr, fpr in ((0.9, 0.1), (0.7, 0.3))
    )
    for prior, miss in itertools.product((0.9, 0.1, 1e-4), (0.01, 1, 1000)):
        at = br.Conditions(prior=prior, costs=br.Costs(fp=1, fn=miss))
        assert br.measure(ours, "expected_cost", at=at) < br.measure(theirs, "expected_cost", at=at)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
def test_W12_B9b_the_diagonal_is_guessing_at_any_rate_not_only_at_even_odds(scored, share):
    guessed = br.curves.random_classifier(br.count(*scored), share)
    assert guessed.tpr == guessed.fpr == share


def test_W12_where_one_model_is_superior_is_an_interval_of_fpr():
    first, second = br.Points.from_rates([0.1], [0.6]), br.Points.from_rates([0.4], [0.9])
    found = br.curves.superiority(first, second)
    # 0.6 + (x − 0.1)·4/9 = x·9/4 at x = 20/65
    crossing = Fraction(20, 65)
    assert found.crossings[0].fpr == pytest.approx(float(crossing), rel=1e-14)
    assert [stretch.better for stretch in found.stretches] == ["first", "second"]
    assert (found.stretches[0].low, found.stretches[-1].high) == (0, 1)
    assert found.dominant == "neither"


def test_W13_auc_is_the_share_of_pairs_in_the_right_order(scored):
    labels, scores = scored
    assert br.auc(br.count(labels, scores)) == float(oracle.auc(labels.tolist(), scores.tolist()))


def test_W13_the_larger_auc_belongs_to_the_better_ranking():
    assert br.auc(br.count([0, 0, 1, 1], [1, 2, 3, 4])) == 1
    assert br.auc(br.count([0, 0, 1, 1], [1, 3, 2, 4])) == 0.75
    assert br.auc(br.count([0, 0, 1, 1], [4, 3, 2, 1])) == 0


@pytest.mark.parametrize(
    "counted", [(40, 10, 10, 40), (40, 1000, 10, 4000), (0, 3, 7, 1), (1, 77, 6, 913)]
)
def test_W14_a_confusion_matrix_is_a_point_of_the_roc_and_comes_back_from_it_given_the_class_totals(
    counted,
):
    tp, fp, fn, tn = counted
    confusion = br.Confusion(**in_cells(*counted))
    again = br.Confusion.from_rates(
        tpr=confusion["tpr"], fpr=confusion["fpr"], positives=tp + fn, negatives=fp + tn
    )
    assert again == confusion
    assert {name: again[name] for name in ("accuracy", "tpr", "fpr", "error")} == {
        name: confusion[name] for name in ("accuracy", "tpr", "fpr", "error")
    }


def test_W14_the_point_alone_does_not_say_which_confusion_matrix_it_was():
    point = br.Points.from_rates([0.2], [0.8])
    with pytest.raises(br.InputError, match="a prior must be given"):
        br.measure(point, "precision", threshold=point.threshold(1))


def test_W18_whoever_wants_every_positive_takes_the_lowest_fpr_at_tpr_1(scored):
    labels, scores = scored
    counts = br.count(labels, scores)
    lowest = float(scores[labels == 1].min())
    expected = np.mean(scores[labels == 0] >= lowest)
    fixed = br.fix(counts, "tpr = 1")
    for reading in (fixed.interpolated, fixed.attained):
        assert (reading.threshold, reading.tpr, reading.fpr) == (lowest, 1, expected)
    assert br.choose(counts, "recall >= 100%", optimize="fpr").threshold == lowest


def test_W18_of_two_learners_the_one_that_touches_tpr_1_first_is_preferred():
    # Fig 4 in small: the second is better at a low FPR, the first reaches every positive earlier.
    first, second = (
        br.Points.from_rates([0.1, 0.2], [0.6, 1]),
        br.Points.from_rates([0.05, 0.5], [0.8, 1]),
    )
    assert br.fix(first, "tpr = 1", at=br.Conditions(prior=0.1)).interpolated.fpr == 0.2
    assert br.fix(second, "tpr = 1", at=br.Conditions(prior=0.1)).interpolated.fpr == 0.5
    assert br.curves.superiority(first, second).stretches[0].better == "second"


def test_W24_the_share_of_weight_to_pass_on_is_one_minus_the_cost_ratio():
    assert UNEVEN.alpha == 0.8
    assert EQUAL.alpha == 0
    assert br.Costs(fp=1, fn=100, tp=-1).alpha == float(1 - Fraction(1, 101))
    with pytest.raises(br.InputError, match="the cost ratio is 5 > 1"):
        _ = br.Costs(fp=5, fn=1).alpha


def test_W26_with_100_of_each_class_and_1_to_5_the_baseline_runs_from_80_percent_to_the_corner():
    line = baseline(100, 100)
    assert (line.slope, line.intercept, line.tpr(1), line.answer) == (0.2, 0.8, 1, "everything")
    assert cost(100, 100, missed=0, alarms=100) == 100
    assert cost(100, 100, missed=20, alarms=0) == 100


def test_W26_a_classifier_is_worth_considering_only_above_that_line():
    line = baseline(100, 100)
    for alarms in range(0, 100, 10):
        affordable = 20 - alarms // 5
        assert line.tpr(alarms / 100) == pytest.approx(1 - affordable / 100, rel=1e-15)
        assert cost(100, 100, missed=affordable, alarms=alarms) == 100
        on, above = (
            br.Confusion(tp=100 - missed, fn=missed, fp=alarms, tn=100 - alarms)
            for missed in (affordable, affordable - 1)
        )
        assert not line.beaten_by(on)
        assert line.beaten_by(above)


def test_W27_with_100_to_400_the_adjusted_baseline_may_miss_80():
    line = baseline(100, 400)
    assert Fraction(1, 5) / Fraction(100, 400) == Fraction(4, 5)
    assert (line.slope, line.intercept, line.tpr(1)) == pytest.approx((0.8, 0.2, 1), rel=4e-16)
    assert cost(100, 400, missed=0, alarms=400) == cost(100, 400, missed=80, alarms=0) == 400


def test_W27_the_training_datas_own_class_distribution_is_the_default_estimate():
    counts = br.Counts([1, 0], positives=[60, 40], negatives=[50, 350])
    line = br.curves.ideal_baseline(br.Conditions(costs=UNEVEN), counts)
    assert (line.slope, line.intercept) == pytest.approx((0.8, 0.2), rel=4e-16)


def test_W28_B9_where_the_class_ratio_is_below_the_cost_ratio_the_line_starts_at_flagging_nothing():
    line = baseline(100, 1000)
    assert line.slope == 2
    printed = 1 - line.slope
    assert printed == -1  # "miss 200 of 100 positives"
    assert (line.answer, line.intercept, line.tpr(0.5)) == ("nothing", 0, 1)
    assert (
        cost(100, 1000, missed=100, alarms=0)
        == 500
        < cost(100, 1000, missed=0, alarms=1000)
        == 1000
    )
    (note,) = line.notes
    assert note.code == "BR553"
    assert "slope 2 > 1" in note.text


def test_W28_B9_the_printed_line_would_pass_a_classifier_that_costs_more_than_doing_nothing():
    line = baseline(100, 1000)
    poor = br.Confusion(tp=50, fn=50, fp=500, tn=500)
    assert poor["tpr"] > 1 - line.slope * (1 - poor["fpr"])  # above the printed line through (1, 1)
    assert br.measure(poor, "total_cost", at=br.Conditions(costs=UNEVEN)) == 750
    assert cost(100, 1000, missed=100, alarms=0) == 500
    assert not line.beaten_by(poor)


@pytest.mark.parametrize(
    ("positives", "negatives"), [(100, 100), (100, 400), (100, 499), (100, 501), (7, 93)]
)
def test_W28_the_baseline_is_the_cost_of_the_cheaper_answer_for_all(positives, negatives):
    line = baseline(positives, negatives)
    nothing, everything = 5 * positives, negatives
    assert (line.answer == "nothing") == (nothing < everything)
    for alarms in (0, negatives // 3, negatives):
        tpr = Fraction(line.tpr(alarms / negatives))
        assert 5 * positives * (1 - tpr) + alarms == pytest.approx(
            min(nothing, everything), rel=1e-12
        )


def test_W28_where_both_answers_for_all_cost_the_same_the_line_is_the_diagonal():
    line = baseline(100, 300, br.Costs(fp=1, fn=3))
    assert (line.slope, line.intercept, line.tpr(0.25), line.notes) == (1, 0, 0.25, ())


@pytest.mark.parametrize("costs", [UNEVEN, EQUAL, br.Costs(fp=3, fn=20, tp=-2, tn=-1)])
@pytest.mark.parametrize("prior", [0.5, 0.2, 0.001])
def test_W29_lines_of_one_cost_have_the_slope_of_base_rates_and_costs(costs, prior):
    at = br.Conditions(prior=Fraction(prior), costs=costs)
    p = Fraction(prior)
    slope = (1 - p) * (costs.fp - costs.tn) / (p * (costs.fn - costs.tp))
    assert at.iso_cost_slope == float(slope)
    base, moved = Fraction(1, 4), Fraction(1, 2**12)
    one = br.Confusion(tp=base, fn=1 - base, fp=base, tn=1 - base)
    along = br.Confusion(
        tp=base + moved * slope, fn=1 - base - moved * slope, fp=base + moved, tn=1 - base - moved
    )
    assert br.measure(one, "expected_cost", at=at) == br.measure(along, "expected_cost", at=at)


@pytest.mark.parametrize(("prior", "miss"), [(0.2, 1), (0.2, 5), (0.05, 30), (0.5, 2)])
def test_W29_the_cheapest_point_is_where_that_slope_is_tangent_to_the_roc(scored, prior, miss):
    counts = br.count(*scored)
    at = br.Conditions(prior=prior, costs=br.Costs(fp=1, fn=miss))
    point, hull = br.choose(counts, at=at), br.Points.of(counts).hull()
    place = [hull.threshold(i) for i in range(len(hull))].index(point.threshold)
    (rise, run), (next_rise, next_run) = (
        (np.diff(hull.tpr)[i], np.diff(hull.fpr)[i]) for i in (place - 1, place)
    )
    slope = float(
        (1 - at.exact_prior) / (at.exact_prior * miss)
    )  # at the prior as written: 0.2 is one fifth
    assert rise >= slope * run * (1 - 1e-12)
    assert next_rise <= slope * next_run * (1 + 1e-12)
