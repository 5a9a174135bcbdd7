"""The curves of Landgrebe et al. (L13 to L26), Tan et al. (T15 to T22), the slides (S14 to S21) and
C10 to C15, drawn as numbers.
"""

import numpy as np
import pytest
from tests.published import highleyman

import baserate as br

SCORES = (0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95)
TEN = br.count([int(sign == "+") for sign in "+-+---+-++"], SCORES)


def at(prior):
    return br.Conditions(prior=prior)


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.001])
def test_L13_L17_posfrac_rises_with_tpr_at_the_thresholds_of_the_roc(prior):
    curve, roc = br.curve(TEN, "posfrac", at=at(prior), every=True), br.roc(TEN, every=True)
    assert (np.diff(curve.y) > 0).all()
    assert np.array_equal(curve.thresholds, roc.thresholds, equal_nan=True)
    assert curve.y == pytest.approx(prior * roc.y + (1 - prior) * roc.x, abs=1e-15)


def test_L14_L22_L24_a_sweep_over_priors_leaves_posfrac_near_fpr():
    curve = br.curve(TEN, "posfrac:prior", priors=[0.5, 0.1, 0.001, 1e-6], threshold=0.53)
    assert curve.y[-1] == pytest.approx(br.choose(TEN, threshold=0.53).fpr, abs=1e-6)
    assert (np.abs(curve.y - br.choose(TEN, threshold=0.53).fpr) <= curve.x).all()


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.001])
def test_L18_L21_purity_along_the_roc_is_tpr_over_tpr_and_skewed_fpr(prior):
    roc, purity = br.roc(TEN, every=True), br.curve(TEN, "precision:tpr", at=at(prior))
    expected = roc.y[1:] / (roc.y[1:] + (1 - prior) / prior * roc.x[1:])
    assert purity.y[1:] == pytest.approx(expected, rel=1e-14)
    assert np.isnan(purity.y[0])


def test_L23_the_roc_and_the_posfrac_of_fig_3():
    curve = br.curve(highleyman.ldc_roc(), "posfrac", at=at(0.1))
    assert np.interp(0.8, curve.x, curve.y) == pytest.approx(0.2698414, abs=1e-6)


@pytest.mark.parametrize(
    ("prior", "linear", "quadratic"), [(0.001, 0.729, 0.950), (0.1, 0.648, 0.898)]
)
def test_L25_L26_the_curves_of_fig_4_read_at_posfrac_one_tenth(prior, linear, quadratic):
    for points, expected in (
        (highleyman.ldc_roc(), linear),
        (highleyman.qdc_roc(), quadratic),
    ):
        posfrac, tpr, _ = br.curve(points, "gain", at=at(prior))
        assert np.interp(0.1, posfrac, tpr) == pytest.approx(expected, abs=5e-4)


def test_T15_T16_S14_S15_the_roc_has_both_corners_and_moves_with_the_threshold():
    fpr, tpr, thresholds = br.roc(TEN, every=True)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(thresholds[1:]) < 0).all()
    turned = br.Counts([-s for s in TEN.scores.tolist()], TEN.positives, TEN.negatives)
    assert br.auc(turned) == pytest.approx(1 - br.auc(TEN), rel=1e-15)


def test_T17_guessing_is_the_diagonal_in_every_curve():
    tied = br.Counts([1], [3], [7])
    assert br.roc(tied).x.tolist() == br.roc(tied).y.tolist() == [0, 1]
    assert br.pr(tied).y == pytest.approx([0.3, 0.3])
    assert br.curve(tied, "lift").y == pytest.approx([1, 1])


def test_T18_T19_S19_neither_of_two_crossing_curves_dominates_and_areas_rank_from_one_half_to_1():
    first, second = (
        br.Points.from_rates([0.1, 0.36], [0.5, 0.7]),
        br.Points.from_rates([0.36, 0.6], [0.7, 0.95]),
    )
    ours, theirs = (np.interp([0.2, 0.5], *list(br.roc(points))[:2]) for points in (first, second))
    assert ours[0] > theirs[0]
    assert ours[1] < theirs[1]
    perfect = br.Points.from_rates([0.0], [1.0])
    for points in (first, second):
        assert (
            0.5
            < br.curves.partial_auc(points, fpr=(0, 1))
            < br.curves.partial_auc(perfect, fpr=(0, 1))
            == 1
        )


def test_T20_T21_T22_S20_S21_the_ten_records_give_nine_points_and_an_area_of_56_percent():
    fpr, tpr, thresholds = br.roc(TEN, every=True)
    points = [
        (0, 0),
        (0, 0.2),
        (0, 0.4),
        (0.2, 0.4),
        (0.6, 0.6),
        (0.8, 0.6),
        (0.8, 0.8),
        (1, 0.8),
        (1, 1),
    ]
    assert list(zip(fpr.tolist(), tpr.tolist(), strict=True)) == points
    assert thresholds[1:].tolist() == sorted(set(SCORES), reverse=True)
    assert br.curves.partial_auc(TEN, fpr=(0, 1)) == pytest.approx(0.56, rel=1e-15)


def test_S16_S17_S18_a_tree_of_few_scores_has_few_points_and_flags_at_its_threshold():
    tree = br.Counts([0.7, 0.3, 0.1], [645, 200, 9], [298, 700, 248])
    curve = br.roc(tree)
    assert len(curve) == 4
    assert curve.x[1] == pytest.approx(298 / 1246)
    assert br.choose(tree, threshold=0.7).fpr == curve.x[1]


@pytest.mark.parametrize("value", [0.9, 0.1])
def test_C10_C11_C15_a_ppv_isoline_cuts_the_precision_recall_curve_at_its_height(value):
    line = br.curves.isoline("precision", at(0.01), value=value)
    curve = br.pr(br.Points.from_rates([line.fpr(0.5)], [0.5]), at=at(0.01))
    assert curve.y[1] == pytest.approx(value, rel=1e-14)


def test_C12_C13_C14_npv_along_a_roc_falls_from_1_minus_p_on_the_diagonal():
    curve = br.curve(br.Counts([2, 1], [3, 3], [7, 7]), "npv:fpr", at=at(0.01))
    assert curve.y[:2] == pytest.approx([0.99, 0.99], rel=1e-15)
