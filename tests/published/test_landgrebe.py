"""Landgrebe, Paclík, Tax, Verzakov & Duin 2004, "Cost-based classifier evaluation for imbalanced
problems": rows L1 to L33.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from tests import oracle
from tests.oracle import in_cells
from tests.published import highleyman

import baserate as br

PRIORS = (0.5, 0.1, 0.001)
EIGHTY = Fraction(4, 5)
# Table 2: POSfrac in percent at TPr 80 %, for P(Ct) = .5, .1, .001, and the ± of each.
TABLE_2 = {
    "TwoGaussians": {
        "LDC": ("46.08", "18.94", "12.22"),
        "QDC": ("45.99", "18.78", "12.05"),
        "MOGC": ("47.86", "22.14", "15.78"),
        "PARZEN": ("45.58", "18.05", "11.24"),
    },
    "Highleyman": {
        "LDC": ("52.14", "29.85", "24.33"),
        "QDC": ("40.00", "8.00", "0.08"),
        "MOGC": ("40.00", "8.00", "0.08"),
        "PARZEN": ("40.00", "8.00", "0.08"),
    },
    "Multimodal": {
        "LDC": ("69.00", "60.21", "58.03"),
        "QDC": ("50.25", "26.46", "20.57"),
        "MOGC": ("41.20", "10.15", "2.47"),
        "PARZEN": ("40.93", "9.68", "1.94"),
    },
    "Lithuanian": {
        "LDC": ("46.81", "20.26", "13.68"),
        "QDC": ("42.10", "11.77", "4.27"),
        "MOGC": ("40.16", "8.28", "0.39"),
        "PARZEN": ("40.06", "8.11", "0.21"),
    },
}
CELLS = [(data, model) for data, row in TABLE_2.items() for model in row]
POINT = br.Confusion(tp=30, fp=20, fn=10, tn=140)


@pytest.fixture(scope="module")
def ldc():
    return highleyman.ldc_roc()


@pytest.fixture(scope="module")
def qdc():
    return highleyman.qdc_roc()


@pytest.fixture(scope="module")
def scored():
    """Posterior probabilities of two overlapping classes, rounded so that some tie."""
    rng = np.random.default_rng(5)
    labels = np.repeat([1, 0], [40, 160])
    return labels, np.round(np.clip(rng.normal(0.35 + 0.2 * labels, 0.15), 0, 1), 2)


def at(prior):
    return br.Conditions(prior=prior)


def fpr_implied(posfrac, prior):
    """The range of FPr that a printed POSfrac at TPr 80 % leaves open."""
    return br.solve_rates(tpr=EIGHTY, posfrac=f"{posfrac}%", prior=prior)["fpr"]


@pytest.mark.parametrize(("data", "model"), CELLS)
def test_L1_L20_the_three_cells_of_a_model_in_table_2_are_one_fpr_read_at_three_priors(data, model):
    implied = [
        fpr_implied(cell, prior) for cell, prior in zip(TABLE_2[data][model], PRIORS, strict=True)
    ]
    low, high = max(fpr.low for fpr in implied), min(fpr.high for fpr in implied)
    assert low <= high
    for cell, prior in zip(TABLE_2[data][model], PRIORS, strict=True):
        middle = br.Confusion.from_rates(tpr=0.8, fpr=(low + high) / 2, positives=1, negatives=1)
        assert 100 * br.measure(middle, "posfrac", at=at(prior)) == pytest.approx(
            float(cell), abs=0.0051
        )


@pytest.mark.parametrize("data", ["Multimodal", "Lithuanian"])
def test_L1_models_of_the_densities_keep_their_posfrac_low_where_the_linear_one_does_not(data):
    fprs = {model: fpr_implied(cells[0], 0.5).value for model, cells in TABLE_2[data].items()}
    models = {
        model: br.Confusion.from_rates(tpr=0.8, fpr=fpr, positives=1, negatives=1)
        for model, fpr in fprs.items()
    }
    balanced, rare = (
        {model: br.measure(c, "alerts(volume=1000)", at=at(prior)) for model, c in models.items()}
        for prior in (0.5, 0.001)
    )
    resilience = {model: balanced[model] / rare[model] for model in models}
    assert sorted(resilience, key=resilience.get) == ["LDC", "QDC", "MOGC", "PARZEN"]
    for model in ("MOGC", "PARZEN"):
        assert resilience[model] > 10 * resilience["LDC"]
        assert rare[model] < rare["LDC"] / 20
        assert balanced[model] > balanced["LDC"] / 2


@pytest.mark.parametrize("times", [2, 7, 1000])
def test_L2_replicating_the_negatives_leaves_tpr_and_fpr_alone_and_changes_posfrac_and_purity(
    scored, times
):
    counts = br.count(*scored)
    more = br.Counts(counts.scores, counts.positives, counts.negatives * times)
    before, after = br.Points.of(counts), br.Points.of(more)
    assert np.array_equal(before.tpr, after.tpr)
    assert np.array_equal(before.fpr, after.fpr)
    assert br.auc(counts) == br.auc(more)
    for name in ("posfrac", "precision"):
        assert br.measure(more, name, threshold=0.4) < br.measure(counts, name, threshold=0.4)


def test_L3_a_loss_matrix_moves_the_decision_boundary(scored):
    counts = br.count(*scored)
    chosen = [
        br.choose(counts, at=br.Conditions(costs=br.Costs(fp=1, fn=miss))).threshold
        for miss in (1, 4, 30)
    ]
    assert chosen[0] > chosen[1] > chosen[2]


def test_L4_accuracy_purity_recall_and_posfrac_are_measures_of_one_operating_point():
    values = {
        name: POINT[br.Measure.parse(name)]
        for name in ("accuracy", "purity", "precision", "recall", "POSfrac", "TPr", "FPr")
    }
    assert values == {
        "accuracy": 0.85,
        "purity": 0.6,
        "precision": 0.6,
        "recall": 0.75,
        "POSfrac": 0.25,
        "TPr": 0.75,
        "FPr": 0.125,
    }


def test_L5_the_share_for_manual_inspection_times_the_images_is_the_experts_workload(ldc):
    screened = br.fix(ldc, "tpr = 0.8", at=at(0.001), volume=50_000).interpolated
    assert screened["alerts"] == pytest.approx(50_000 * screened.posfrac, rel=1e-15)
    assert screened["alerts"] == pytest.approx(50_000 * (0.001 * 0.8 + 0.999 * 0.2109349), abs=0.01)
    assert screened["caught"] == pytest.approx(40, rel=1e-12)


def test_L6_balanced_and_one_in_ten_draws_of_fig_1_have_the_rates_of_the_population():
    rng = np.random.default_rng(7)
    for targets, others in ((1500, 1500), (1500, 13_500)):
        labels, x = highleyman.draw(rng, targets, others)
        counts = br.count(labels, x @ highleyman.LDC.weights)
        assert counts.prior == targets / (targets + others)
        point = br.choose(counts, threshold=float(highleyman.LDC.cut(0.8)))
        assert point.tpr == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / targets))
        assert point.fpr == pytest.approx(0.2109349, abs=4 * math.sqrt(0.1664 / others))


def test_L7_at_one_in_ten_false_positives_outnumber_the_targets_found(ldc):
    balanced, skewed = (
        br.fix(ldc, "tpr = 0.8", at=at(prior), volume=1).interpolated for prior in (0.5, 0.1)
    )
    assert skewed.fpr == pytest.approx(0.2109349, abs=1e-6)
    assert skewed["false_alarms"] == pytest.approx(0.1898, abs=5e-5)
    assert skewed["caught"] == pytest.approx(0.08, abs=1e-15)
    assert skewed["false_alarms"] > skewed["caught"]
    assert balanced["false_alarms"] < balanced["caught"] / 3


def test_L8_every_case_goes_left_or_right_and_then_to_one_of_four_leaves(scored):
    labels, scores = scored
    counts = br.count(labels, scores)
    for threshold in (None, 0.0, 0.3, 0.5, 0.77, 1.5):
        point = br.choose(counts, threshold=threshold)
        flagged = 0 if threshold is None else int((scores >= threshold).sum())
        assert point.tp + point.fp == flagged
        assert point.fn + point.tn == len(labels) - flagged
        assert (point.tp + point.fn, point.fp + point.tn) == (40, 160)


def test_L9_rows_are_true_labels_and_columns_are_estimated_ones():
    counts = br.count([1, 1, 1, 0, 0, 0, 0], [0.9, 0.9, 0.1, 0.9, 0.1, 0.1, 0.1])
    confusion = br.choose(counts, threshold=0.5).confusion
    assert confusion == br.Confusion(tp=2, fn=1, fp=1, tn=3)
    assert list(confusion) == [2, 1, 1, 3]
    with pytest.raises(br.InputError, match="rows may be truth or prediction"):
        br.Costs([[0, 1], [5, 0]])


@pytest.mark.parametrize(
    "counted", [(30, 20, 10, 140), (0, 3, 7, 1), (5, 0, 0, 9), (1, 10**9, 2, 10**12)]
)
def test_L10_the_four_rates_are_shares_of_their_class_and_complements(counted):
    tp, fp, fn, tn = counted
    confusion = br.Confusion(**in_cells(*counted))
    assert confusion["tpr"] == float(Fraction(tp, tp + fn))
    assert confusion["fpr"] == float(Fraction(fp, fp + tn))
    assert confusion["tnr"] == float(1 - Fraction(fp, fp + tn))
    assert confusion["fnr"] == float(1 - Fraction(tp, tp + fn))


@pytest.mark.parametrize("counted", [(30, 20, 10, 140), (0, 0, 7, 1), (5, 9, 0, 0)])
def test_L11_posfrac_is_pos_over_pos_and_neg(counted):
    tp, fp, fn, tn = counted
    assert br.Confusion(**in_cells(*counted))["posfrac"] == float(
        Fraction(tp + fp, (tp + fp) + (fn + tn))
    )


def test_L12_purity_is_tp_over_pos_and_undefined_where_nothing_is_positive():
    assert POINT["precision"] == float(Fraction(30, 50))
    nothing = br.Confusion(tp=0, fp=0, fn=10, tn=90)
    assert isinstance(nothing["precision"], br.types.Undefined)
    assert math.isnan(nothing["precision"])
    assert nothing["precision"].reason == "nothing flagged"
    assert nothing["tpr"] == 0


def test_L12_a_tpr_of_90_percent_flags_90_percent_of_the_targets(scored):
    point = br.fix(br.count(*scored), "tpr = 90%").interpolated
    assert (point.tp, point.fn) == (36, 4)


@pytest.mark.parametrize("prior", [0.9, 0.5, 0.01, 1e-6])
def test_L13_posfrac_rises_strictly_along_the_roc(scored, prior):
    points = br.Points.of(br.count(*scored))
    rising = [
        br.measure(points, "posfrac", threshold=points.threshold(i), at=at(prior))
        for i in range(len(points))
    ]
    assert all(low < high for low, high in itertools.pairwise(rising))


def test_L14_a_low_prior_does_not_make_posfrac_low(ldc, qdc):
    linear, quadratic = (
        br.fix(roc, "tpr = 0.8", at=at(0.001)).interpolated.posfrac for roc in (ldc, qdc)
    )
    assert linear > 200 * 0.001
    assert quadratic < 0.001


def test_L15_W11_the_roc_is_the_confusion_matrix_at_every_threshold(scored):
    labels, scores = scored
    points = br.Points.of(br.count(labels, scores))
    thresholds = sorted(set(scores.tolist()), reverse=True)
    assert np.array_equal(points.thresholds[1:], thresholds)
    for place, threshold in enumerate(thresholds, start=1):
        counted = oracle.confusion(labels.tolist(), scores.tolist(), threshold)
        assert points.counted(place) == counted
        assert points.tpr[place] == counted[0] / 40
        assert points.fpr[place] == counted[1] / 160


@pytest.mark.parametrize("counted", [(30, 20, 10, 140), (3, 0, 4, 11), (1, 999, 0, 10**6)])
def test_L16_the_count_form_and_the_prior_form_of_posfrac_agree_exactly(counted):
    tp, fp, fn, tn = (Fraction(value) for value in counted)
    targets, others = tp + fn, fp + tn
    eq_2 = (tp / targets * targets + fp / others * others) / (targets + others)
    eq_5 = targets / (targets + others) * (tp / targets) + others / (targets + others) * (
        fp / others
    )
    assert eq_2 == eq_5
    assert br.Confusion(**in_cells(*counted))["posfrac"] == float(eq_2)


def test_L17_L18_posfrac_and_purity_are_read_at_the_thresholds_of_the_roc(scored):
    points = br.Points.of(br.count(*scored))
    assert len(points.thresholds) == len(points.tpr) == len(points.fpr) == len(points)
    for place in range(len(points)):
        tp, fp, _, _ = points.counted(place)
        cut = points.threshold(place)
        assert br.measure(points, "posfrac", threshold=cut) == float(Fraction(tp + fp, 200))
        purity = br.measure(points, "precision", threshold=cut)
        assert purity == float(Fraction(tp, tp + fp)) if tp + fp else math.isnan(purity)


@pytest.mark.parametrize(("targets", "others"), [(1, 9), (1500, 1500), (1, 999), (3, 1)])
def test_L19_prior_and_skew_ratio_say_the_same(targets, others):
    prior = br.count([1] * targets + [0] * others, [0.5] * (targets + others)).prior
    assert prior == targets / (targets + others)
    assert br.Conditions.from_skew(others / targets).prior == prior
    assert br.Conditions(prior=Fraction(targets, targets + others)).skew == pytest.approx(
        others / targets, rel=1e-15
    )


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.001, 4e-6, 1e-9])
def test_L20_posfrac_is_the_prior_weighted_mean_of_the_rates(prior):
    share = Fraction(prior)
    assert br.measure(POINT, "posfrac", at=at(prior)) == float(
        share * Fraction(3, 4) + (1 - share) * Fraction(1, 8)
    )


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.001, 4e-6, 1e-9])
def test_L21_purity_is_tpr_over_tpr_and_skewed_fpr(prior):
    skew = (1 - Fraction(prior)) / Fraction(prior)
    assert br.measure(POINT, "precision", at=at(prior)) == float(
        Fraction(3, 4) / (Fraction(3, 4) + skew * Fraction(1, 8))
    )


@pytest.mark.parametrize("exponent", range(1, 10))
def test_L22_posfrac_tends_to_fpr_as_targets_get_rare(exponent):
    prior = Fraction(1, 2**exponent) ** 3
    away = Fraction(br.measure(POINT, "posfrac", at=at(float(prior)))) - Fraction(1, 8)
    assert away == prior * (Fraction(3, 4) - Fraction(1, 8)) <= prior


def test_L23_the_linear_classifier_at_one_in_ten_flags_just_under_30_percent(ldc):
    point = br.fix(ldc, "tpr = 0.8", at=at(0.1)).interpolated
    assert point.posfrac == pytest.approx(0.2698414, abs=1e-6)
    paper = fpr_implied("29.85", 0.1)
    assert abs(paper.value - point.fpr) < 2 * 0.0246  # the paper's own ± on FPr
    assert 0.25 < point.posfrac < 0.3


def test_L24_across_a_range_of_priors_posfrac_runs_straight_from_fpr_to_tpr(ldc):
    points = [
        br.fix(ldc, "tpr = 0.8", at=at(prior)).interpolated for prior in (0.01, 0.1, 0.25, 0.5, 0.9)
    ]
    slopes = [
        (b.posfrac - a.posfrac) / (b.at.prior - a.at.prior) for a, b in itertools.pairwise(points)
    ]
    assert slopes == pytest.approx([0.8 - points[0].fpr] * 4, rel=1e-12)
    assert all(points[0].fpr < point.posfrac < 0.8 for point in points)


@pytest.mark.parametrize(
    ("prior", "linear", "quadratic"),
    [(0.5, 0.50546748, 0.40000570), (0.1, 0.26984144, 0.08001026), (0.001, 0.21152401, 0.00081138)],
)
def test_L25_the_posfrac_curves_of_fig_4_at_tpr_80_percent(ldc, qdc, prior, linear, quadratic):
    assert br.fix(ldc, "tpr = 0.8", at=at(prior)).interpolated.posfrac == pytest.approx(
        linear, abs=1e-6
    )
    assert br.fix(qdc, "tpr = 0.8", at=at(prior)).interpolated.posfrac == pytest.approx(
        quadratic, abs=1e-6
    )


@pytest.mark.parametrize(
    ("prior", "linear", "quadratic"), [(0.001, 0.729, 0.950), (0.1, 0.648, 0.898)]
)
def test_L26_at_posfrac_one_tenth_the_quadratic_classifier_finds_far_more(
    ldc, qdc, prior, linear, quadratic
):
    ours, theirs = (br.fix(roc, "posfrac = 0.1", at=at(prior)).interpolated for roc in (ldc, qdc))
    assert ours.tpr == pytest.approx(linear, abs=5e-4)
    assert theirs.tpr == pytest.approx(quadratic, abs=5e-4)
    assert ours.posfrac == theirs.posfrac == pytest.approx(0.1, abs=1e-15)


def test_L27_B11_the_posfrac_and_the_purity_of_the_balanced_case_contradict_each_other():
    with pytest.raises(br.InputError, match="force precision to lie between 0.72.* not at 0.779"):
        br.solve_rates(tpr=EIGHTY, posfrac=0.549, prior=0.5, precision=0.779)
    from_posfrac, from_purity = (
        br.solve_rates(tpr=EIGHTY, prior=0.5, **given)
        for given in ({"posfrac": 0.549}, {"precision": 0.779})
    )
    assert (from_posfrac.fpr, from_posfrac.precision) == pytest.approx((0.298, 0.7286), abs=5e-5)
    assert (from_purity.fpr, from_purity.posfrac) == pytest.approx((0.227, 0.5135), abs=5e-5)


def test_L27_B11_the_consistent_set_is_52_14_and_76_7_and_24_8_percent():
    table = br.solve_rates(tpr=EIGHTY, posfrac="52.14%", prior=0.5)
    assert table.precision == pytest.approx(0.767, abs=5e-4)
    assert table.fpr == pytest.approx(0.2428, abs=5e-5)
    rare = br.solve_rates(tpr=EIGHTY, posfrac="24.8%", prior=0.01)
    assert rare.fpr == pytest.approx(0.2424, abs=5e-5)
    assert rare["fpr"].low < table.fpr < rare["fpr"].high
    for wrong in (0.298, 0.227):
        assert not rare["fpr"].low < wrong < rare["fpr"].high


def test_L28_B12c_the_prior_fell_fifty_times_and_posfrac_not_much_more_than_twice():
    fpr = br.solve_rates(tpr=EIGHTY, posfrac="52.14%", prior=0.5).fpr
    linear = br.Points.from_rates([fpr], [0.8])
    before, after = (
        br.fix(linear, "tpr = 0.8", at=at(prior)).interpolated for prior in (0.5, 0.01)
    )
    assert before.at.prior / after.at.prior == 50
    assert before.posfrac / after.posfrac == pytest.approx(0.5214 / 0.248, abs=0.01)
    assert before.precision / after.precision > 20


def test_L29_at_a_fixed_tpr_the_order_of_two_classifiers_is_that_of_their_fpr_at_every_prior():
    weak, strong = br.Points.from_rates([0.2], [0.8]), br.Points.from_rates([0.05], [0.8])
    for prior in (0.999, 0.5, 0.1, 1e-3, 1e-6, 1e-9):
        worse, better = (
            br.fix(roc, "tpr = 0.8", at=at(prior)).interpolated for roc in (weak, strong)
        )
        assert better.posfrac < worse.posfrac
        assert better.precision > worse.precision


def test_L30_B12b_highleymans_row_of_table_2_comes_back_from_30_folds_with_the_standard_error_as_its_plus_minus():  # noqa: E501
    labels, x = highleyman.draw(np.random.default_rng(30), 1500, 1500)
    folds = np.tile(np.arange(30), 100)  # stratified: the classes lie one after the other
    for pooled, published in (
        (True, TABLE_2["Highleyman"]["LDC"]),
        (False, TABLE_2["Highleyman"]["QDC"]),
    ):
        scores = np.empty(3000)
        for fold in range(30):
            inside = folds == fold
            scores[inside] = highleyman.fitted_score(labels[~inside], x[~inside], pooled=pooled)(
                x[inside]
            )
        by_fold = br.count(labels, scores, by=folds)
        for cell, prior, paper in zip(published, PRIORS, (1.23, 2.22, 2.46), strict=True):
            each = [
                100 * br.fix(counts, "tpr = 0.8", at=at(prior)).interpolated.posfrac
                for _, counts in by_fold.items()
            ]
            spread = np.std(each, ddof=1)
            assert np.mean(each) == pytest.approx(float(cell), abs=3 * paper if pooled else 0.05)
            assert not pooled or spread / math.sqrt(30) == pytest.approx(paper, rel=0.35)
            assert not pooled or spread > 3 * paper


def test_L31_tpr_posfrac_or_purity_can_be_the_one_that_is_fixed(ldc):
    by_tpr = br.fix(ldc, "tpr = 0.8", at=at(0.1)).interpolated
    by_posfrac = br.fix(ldc, f"posfrac = {by_tpr.posfrac}", at=at(0.1)).interpolated
    by_purity = br.fix(ldc, f"precision = {by_tpr.precision}", at=at(0.1)).interpolated
    for point in (by_posfrac, by_purity):
        assert (point.tpr, point.posfrac, point.precision) == pytest.approx(
            (by_tpr.tpr, by_tpr.posfrac, by_tpr.precision), rel=1e-12
        )


def test_L32_another_operating_point_may_favour_another_classifier_so_the_point_is_named():
    early, late = br.Points.from_rates([0.05], [0.6]), br.Points.from_rates([0.2], [0.9])
    winner = {}
    for tpr in (0.5, 0.8):
        one, other = (
            br.fix(roc, f"tpr = {tpr}", at=at(0.01)).interpolated for roc in (early, late)
        )
        winner[one.rule] = "early" if one.posfrac < other.posfrac else "late"
        assert one.how == "interpolated"
    assert winner == {"tpr = 0.5": "early", "tpr = 0.8": "late"}


@pytest.mark.parametrize("prior", [0.5, 0.125, 2.0**-20])
def test_L33_posfrac_times_purity_is_the_share_of_true_positives(prior):
    posfrac, purity = (
        Fraction(br.measure(br.Confusion(tp=3, fp=1, fn=1, tn=3), name, at=at(prior)))
        for name in ("posfrac", "precision")
    )
    assert float(posfrac * purity) == pytest.approx(prior * 0.75, rel=4e-16)
    assert POINT["posfrac"] == float(Fraction(POINT.tp, 200) / Fraction(30, 50))


def test_L33_B12_posfrac_and_purity_are_inversely_dependent_only_at_a_fixed_tpr():
    cautious, bold = (
        br.Confusion.from_rates(tpr=tpr, fpr=fpr, positives=100, negatives=100)
        for tpr, fpr in ((0.2, 0.1), (0.8, 0.2))
    )
    assert bold["posfrac"] > cautious["posfrac"]
    assert bold["precision"] > cautious["precision"]
    products = {
        round(float(c["posfrac"] * c["precision"]), 15)
        for c in (
            br.Confusion.from_rates(tpr=0.8, fpr=fpr, positives=100, negatives=100)
            for fpr in (0.01, 0.2, 0.7)
        )
    }
    assert products == {0.4}
