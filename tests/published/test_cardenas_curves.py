"""Cárdenas & Baras 2006: rows C18 to C25, the B-ROC as a curve; errata B17 and B18."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests.curves import oracle_curves as oracle

import baserate as br

IDS = 6.52e-5
PRIORS = [0.5, 0.01, IDS, 1e-9]
CELLS = [(5, 3, 1), (4, 1, 0), (3, 2, 4), (2, 0, 5), (1, 4, 20)]
COUNTS = br.Counts(*zip(*CELLS, strict=True))


def at(prior):
    return br.Conditions(prior=prior)


def random_roc(rng, size=6):
    return br.Points.from_rates(np.sort(rng.random(size)), np.sort(rng.random(size)))


@pytest.mark.parametrize("prior", PRIORS)
def test_C18_b_fa_is_1_minus_ppv_and_y_the_detection_rate_point_by_point(prior):
    curve = br.broc(COUNTS, at=at(prior), hull=False, every=True)
    for place, (_, rates) in enumerate(oracle.roc(CELLS)[1:], start=1):
        assert curve.x[place] == pytest.approx(
            float(oracle.value("fdr", rates, Fraction(prior))), rel=1e-14
        )
        assert curve.y[place] == float(rates[1])
    assert (curve.x_label, curve.y_label) == ("fdr", "tpr")


def test_C19_false_alarms_up_to_one_in_a_thousand_fill_the_whole_axis():
    p_fa = np.linspace(0, 1e-3, 50)
    b_fa, _ = br.curves.to_broc(p_fa[1:], np.full(49, 0.8), at(IDS))
    assert (b_fa.min(), b_fa.max()) == (
        pytest.approx(0.28, abs=0.01),
        pytest.approx(0.95, abs=0.01),
    )


@pytest.mark.parametrize("prior", PRIORS)
def test_C20_the_edges_and_the_diagonal_of_fig_5(prior):
    grid = np.linspace(0.05, 1, 20)
    assert br.curves.to_broc(np.zeros(20), grid, at(prior))[0].tolist() == [0] * 20
    top, tpr = br.curves.to_broc(grid, np.ones(20), at(prior))
    assert (np.diff(top) > 0).all()
    assert top[-1] == pytest.approx(1 - prior, rel=1e-15)
    assert tpr.tolist() == [1] * 20
    assert br.curves.to_broc(grid, grid, at(prior))[0] == pytest.approx(
        np.full(20, 1 - prior), rel=1e-14
    )
    assert np.isnan(br.curves.to_broc([0.0], [0.0], at(prior))[0]).all()


@pytest.mark.parametrize("prior", PRIORS)
def test_C21_B18_the_curve_starts_at_the_limit_and_rises_straight_up_along_the_first_segment(prior):
    concave = br.Points.from_rates([0.1, 0.5], [0.5, 0.9])
    curve = br.broc(concave, at=at(prior))
    p = Fraction(prior)
    limit = (1 - p) / (p * (5 - 1) + 1)
    assert curve.x[:2] == pytest.approx([float(limit)] * 2, rel=1e-14)
    assert curve.y[:2].tolist() == [0, 0.5]
    dense = curve.densified(64)
    assert dense.x[dense.y < 0.5] == pytest.approx(float(limit), rel=1e-14)
    assert br.broc(br.Points.from_rates([0, 0.5], [0.4, 0.9]), at=at(prior)).x[0] == 0


def test_C22_raw_curves_are_rarely_monotone_and_those_of_hulls_always():
    rng = np.random.default_rng(22)
    raw = hulls = 0
    for _ in range(398):
        points = random_roc(rng)
        raw += bool((np.diff(br.broc(points, at=at(0.01), hull=False).x) < 0).any())
        hulls += bool((np.diff(br.broc(points, at=at(0.01)).x) < -1e-15).any())
    assert raw > 350
    assert hulls == 0


def test_C23_B17_at_a_fixed_detection_rate_no_prior_changes_the_order_of_two_models():
    rng = np.random.default_rng(23)
    checked = 0
    for _ in range(60):
        one, other = random_roc(rng), random_roc(rng)
        for tpr in (0.2, 0.5, 0.8, 0.95):
            fpr = [
                br.fix(points, f"tpr = {tpr}", at=at(0.5)).interpolated.fpr
                for points in (one, other)
            ]
            for prior in PRIORS:
                b_fa = br.curves.to_broc(fpr, [tpr, tpr], at(prior))[0]
                assert (fpr[0] < fpr[1]) == (b_fa[0] < b_fa[1]) or abs(b_fa[0] - b_fa[1]) < 1e-9
                checked += 1
    assert checked == 60 * 4 * 4


def test_C24_a_range_of_priors_is_a_family_of_curves():
    curves = list(br.curve(COUNTS, "broc", at=[at(prior) for prior in PRIORS]).values())
    assert [curve.at.prior for curve in curves] == PRIORS
    for likely, rare in itertools.pairwise(curves):
        assert (likely.x <= rare.x).all()


def test_C25_one_roc_gives_the_curve_of_any_base_rate_where_precision_and_recall_need_the_datas_own():  # noqa: E501
    curve, precision = br.broc(COUNTS, hull=False, every=True), br.pr(COUNTS, every=True)
    assert curve.x == pytest.approx(1 - precision.y, abs=1e-15)
    from_rates = br.Points.from_rates(br.Points.of(COUNTS).fpr, br.Points.of(COUNTS).tpr)
    assert br.broc(from_rates, at=at(0.25)).x == pytest.approx(br.broc(COUNTS).x, rel=1e-14)
