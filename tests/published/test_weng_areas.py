"""Weng & Poon 2008: rows W11, W13, W15 to W17, W19 to W23, W25 and W35 to W39, which are areas and
curves; errata B7, B7b and B8.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests.curves import oracle_summaries as oracle

import baserate as br

# Fig 1: two ROCs of one area, mirrored about the anti-diagonal; A reaches every positive first.
A, B = br.Points.from_rates([0.3], [1.0]), br.Points.from_rates([0.0], [0.7])
CELLS = [(5, 3, 1), (4, 1, 0), (3, 2, 4), (2, 0, 5), (1, 4, 20)]
COUNTS = br.Counts(*zip(*CELLS, strict=True))
STRIPS = [1, 2, 7, 10]


def printed_weights(count, alpha):
    """Eq 4 as printed, with W(0) = α."""
    found = [Fraction(alpha)]
    for place in range(1, count):
        found.append(
            alpha * found[-1] / (1 - alpha) + 1
            if place == count - 1
            else alpha * found[-1] + 1 - alpha
        )
    return found


def test_W11_W38_the_roc_runs_from_nothing_to_everything_and_its_area_shifts_no_weight():
    fpr, tpr, _ = br.roc(COUNTS, every=True)
    assert list(zip(fpr.tolist(), tpr.tolist(), strict=True)) == [
        (float(x), float(y)) for x, y in oracle.roc(CELLS)
    ]
    for strips in (*STRIPS, "segments", "continuous"):
        assert br.curves.weighted_auc(COUNTS, alpha=0, strips=strips) == pytest.approx(
            br.auc(COUNTS), rel=1e-14
        )


def test_W13_one_number_of_the_curve_is_the_area_under_it():
    fpr, tpr, _ = br.roc(COUNTS)
    assert np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2) == pytest.approx(
        br.auc(COUNTS), rel=1e-14
    )
    assert br.curves.partial_auc(COUNTS, fpr=(0, 1)) == pytest.approx(br.auc(COUNTS), rel=1e-14)


def test_W15_every_point_of_a_roc_is_a_line_of_cost_and_every_edge_of_the_hull_a_corner_of_the_envelope():  # noqa: E501
    at_zero, at_one, _ = br.curves.cost_lines(COUNTS)
    assert at_zero.tolist() == br.Points.of(COUNTS).fpr.tolist()
    assert 1 - at_one == pytest.approx(br.Points.of(COUNTS).tpr, rel=1e-15)
    hull, curve = br.curve(COUNTS, "roc_hull"), br.curve(COUNTS, "cost")
    slopes = np.diff(hull.x) / (np.diff(hull.x) + np.diff(hull.y))
    assert np.isin(np.round(curve.x[1:-1], 12), np.round(slopes, 12)).all()
    assert br.curve(br.Points.of(COUNTS).hull(), "cost").y.tolist() == curve.y.tolist()


def test_W16_precision_against_recall_with_the_interpolation_of_davis_and_goadrich():
    curve = br.pr(COUNTS)
    for tpr, precision, threshold in zip(*(column.tolist()[1:] for column in curve), strict=True):
        tp, fp = (sum(cell[i] for cell in CELLS if cell[0] >= threshold) for i in (1, 2))
        assert (tpr, precision) == (tp / 10, tp / (tp + fp))
    assert br.curves.auprc(COUNTS) == pytest.approx(float(oracle.pr_area(CELLS)), rel=1e-13)


@pytest.mark.parametrize("target", [0.9, 0.5, 0.05])
def test_W17_where_90_percent_of_recall_is_the_target_only_the_area_above_it_counts(target):
    exact = oracle.partial_area(oracle.roc(CELLS), (target, 1), "tpr")
    assert br.curves.partial_auc(COUNTS, tpr=(target, 1)) == pytest.approx(float(exact), rel=1e-13)
    ours, theirs = (br.curves.partial_auc(points, tpr=(0.9, 1)) for points in (A, B))
    assert ours > theirs


def test_W19_two_rocs_of_one_area_of_which_one_is_better_at_a_high_tpr():
    assert (
        br.curves.partial_auc(A, fpr=(0, 1))
        == pytest.approx(br.curves.partial_auc(B, fpr=(0, 1)), rel=1e-15)
        == pytest.approx(0.85)
    )
    for alpha, strips in itertools.product((0.1, 0.5, 0.8), (2, 10, "continuous")):
        assert br.curves.weighted_auc(A, alpha=alpha, strips=strips) > br.curves.weighted_auc(
            B, alpha=alpha, strips=strips
        )


def test_W20_the_seven_weights_of_fig_2():
    weights = br.curves.strip_weights(7, 0.5)
    assert weights.tolist() == [0.5, 0.75, 0.875, 0.9375, 0.96875, 0.984375, 1.984375]
    assert weights.sum() == 7


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("count", STRIPS)
def test_W21_B7_the_recursion_with_its_first_weight_put_right(count, alpha):
    share = Fraction(alpha)
    weights = br.curves.strip_weights(count, alpha)
    closed = [1 - share ** (i + 1) for i in range(count - 1)] + [(1 - share**count) / (1 - share)]
    assert weights.tolist() == pytest.approx([float(weight) for weight in closed], rel=1e-14)
    assert sum(closed) == count


def test_B7_the_printed_first_weight_loses_weight_and_is_hidden_in_fig_2():
    assert printed_weights(6, Fraction(0)) == [
        0,
        1,
        1,
        1,
        1,
        1,
    ]  # the sum is N, not N + 1: no AUC at α = 0
    assert float(sum(printed_weights(5, Fraction(1, 10)))) == pytest.approx(4.11, abs=0.005)
    assert [
        float(weight) for weight in printed_weights(7, Fraction(1, 2))
    ] == br.curves.strip_weights(7, 0.5).tolist()


def test_B7b_a_single_strip_weighs_1_and_all_weight_passed_on_is_the_limit():
    for alpha in (0, 0.1, 0.5, 1):
        assert br.curves.strip_weights(1, alpha).tolist() == [1]
    assert br.curves.strip_weights(4, 1).tolist() == [0, 0, 0, 4]
    assert br.curves.strip_weights(4, 1 - 1e-12).tolist() == pytest.approx([0, 0, 0, 4], abs=1e-10)
    one_segment = br.Counts([1], [3], [5])
    assert br.curves.weighted_auc(one_segment, alpha=0.1, strips="segments") == 0.5


def test_W22_no_weight_passed_on_is_the_auc_and_all_of_it_only_the_top_strip():
    assert br.curves.strip_weights(5, 0).tolist() == [1] * 5
    top = oracle.clipped_area(oracle.right_of(oracle.roc(CELLS)), Fraction(9, 10), Fraction(1))
    assert br.curves.weighted_auc(COUNTS, alpha=1) == pytest.approx(float(10 * top), rel=1e-13)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.8])
def test_W23_the_weighted_area_is_each_strips_area_times_its_weight(alpha):
    points = oracle.roc(CELLS)
    assert br.curves.weighted_auc(COUNTS, alpha=alpha, strips="segments") == pytest.approx(
        float(oracle.segments(points, alpha)), rel=1e-14
    )
    for strips in STRIPS:
        assert br.curves.weighted_auc(COUNTS, alpha=alpha, strips=strips) == pytest.approx(
            float(oracle.strips(points, alpha, strips)), rel=1e-13
        )


def test_W25_B8_the_published_form_has_neither_1_for_a_perfect_classifier_nor_as_its_maximum():
    perfect = br.Counts([2, 1], [5, 0], [0, 7])
    assert br.curves.weighted_auc(perfect, alpha=0.1, strips="segments") == pytest.approx(
        0.9, rel=1e-15
    )
    assert br.curves.weighted_auc(perfect, alpha=0.1, strips=10) == pytest.approx(1, rel=1e-15)
    inner = np.arange(1, 400) / 400 * 1e-9
    flat = br.Points.from_rates(inner, inner * 0)
    assert 1 < br.curves.weighted_auc(flat, alpha=0.8, strips="segments") < 2.5
    assert br.curves.weighted_auc(flat, alpha=0.8, strips=10) <= 1


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.8])
def test_W35_the_weight_of_a_cost_curve_shifts_to_the_right(alpha):
    exact = oracle.weighted_cost_area(CELLS, alpha, 10)
    assert br.curves.weighted_cost_area(COUNTS, alpha=alpha) == pytest.approx(
        float(exact), rel=1e-13
    )
    assert br.curves.weighted_cost_area(COUNTS, alpha=0) == pytest.approx(
        br.curves.cost_area(COUNTS), rel=1e-14
    )
    # A is the cheaper one where misses are costly, and gains on its mirror image as weight moves
    # there.
    assert br.curves.weighted_cost_area(A, alpha=alpha) < br.curves.weighted_cost_area(
        B, alpha=alpha
    )
    assert br.curves.cost_area(A) == pytest.approx(br.curves.cost_area(B), rel=1e-14)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.8])
def test_W36_the_weight_of_a_precision_recall_curve_shifts_to_full_recall(alpha):
    exact = oracle.weighted_pr_area(CELLS, alpha, 10)
    assert br.curves.weighted_pr_area(COUNTS, alpha=alpha) == pytest.approx(float(exact), rel=1e-12)
    assert br.curves.weighted_pr_area(COUNTS, alpha=0) == pytest.approx(
        br.curves.auprc(COUNTS), rel=1e-14
    )


def test_W37_unknown_costs_are_stood_in_for_by_the_class_ratio():
    assert br.curves.weighted_auc(COUNTS, alpha="class_ratio") == br.curves.weighted_auc(
        COUNTS, alpha=1 - 10 / 30
    )
    with pytest.raises(br.InputError, match="BR517"):
        br.curves.weighted_auc(br.Counts([2, 1], [5, 5], [1, 2]), alpha="class_ratio")


def test_W39_at_biased_costs_the_weighted_area_tells_the_pair_of_fig_1_apart_as_the_cost_does():
    costs = br.Costs(fp=1, fn=5)
    at = br.Conditions(prior=0.5, costs=costs)
    assert br.curves.weighted_auc(A, costs=costs) > br.curves.weighted_auc(B, costs=costs)
    assert br.curves.min_cost(A, at=at) < br.curves.min_cost(B, at=at)
