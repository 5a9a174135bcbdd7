"""Cárdenas & Baras 2006, "B-ROC curves for the assessment of classifiers over imbalanced data
sets": rows C1 to C17.

C18 to C25 are in test_cardenas_curves.py.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.oracle import in_cells

import baserate as br

IDS = 6.52e-5
RATES = [(0.01, 1.0), (0.001, 0.7), (0.2, 0.8), (0.5, 0.5), (0.9, 0.1), (0.0, 0.3), (1.0, 1.0)]
PRIORS = [0.5, 0.01, IDS, 1e-5, 1e-9]


def at(prior):
    return br.Conditions(prior=prior)


def detector(p_fa, p_d):
    """An operating point of which only the two rates are known."""
    return br.Confusion(
        tp=Fraction(p_d), fn=1 - Fraction(p_d), fp=Fraction(p_fa), tn=1 - Fraction(p_fa)
    )


def ppv(p_fa, p_d, prior):
    return br.measure(detector(p_fa, p_d), "precision", at=at(prior))


def npv(p_fa, p_d, prior):
    return br.measure(detector(p_fa, p_d), "npv", at=at(prior))


def concave_roc():
    """A stand-in for the ROC of Fig 3, whose data were not published: concave, steep at the
    origin.
    """
    p_fa = np.geomspace(1e-7, 1, 200)
    return br.Points.from_rates(p_fa, p_fa**0.06)


def test_C1_the_probability_of_a_positive_example_is_said_wherever_it_matters():
    roc = br.Points.from_rates([0.01], [1.0])
    for name in ("precision", "npv", "posfrac", "accuracy", "fdr"):
        with pytest.raises(br.InputError, match="a prior must be given"):
            br.measure(roc, name, threshold=roc.threshold(1))
    assert br.measure(roc, "tpr", threshold=roc.threshold(1)) == 1
    said = repr(br.choose(roc, threshold=roc.threshold(1), at=at(1e-5)))
    assert said.endswith("; at a base rate of 0.001% (1 in 100,000)")


def test_C2_false_alarm_and_detection_probabilities_are_rates_within_a_class():
    labels, alarms = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0, 0, 0]
    model = br.choose(br.count(labels, alarms), threshold=1)
    pairs = list(zip(labels, alarms, strict=True))
    assert (
        model[br.Measure.parse("P_FA")] == sum(alarm for attack, alarm in pairs if not attack) / 6
    )
    assert model[br.Measure.parse("P_D")] == sum(alarm for attack, alarm in pairs if attack) / 4


def test_C3_C6_a_good_point_floods_with_alarms_of_which_one_in_a_thousand_is_real():
    roc = br.Points.from_rates([0.01], [1.0])
    good = br.choose(roc, threshold=roc.threshold(1), at=at(1e-5), volume=10**5)
    assert good["alerts"] == pytest.approx(1 + 0.01 * 99_999, rel=1e-12)
    assert (good["caught"], good["false_alarms"]) == pytest.approx((1, 999.99), rel=1e-12)
    assert good["nne"] == pytest.approx(1000.99, rel=1e-12)


@pytest.mark.parametrize(("p_fa", "p_d"), RATES)
@pytest.mark.parametrize("prior", PRIORS)
def test_C4_ppv_is_bayes_theorem(p_fa, p_d, prior):
    p, false_alarm, detection = Fraction(prior), Fraction(p_fa), Fraction(p_d)
    assert ppv(p_fa, p_d, prior) == float(p * detection / (p * detection + (1 - p) * false_alarm))


@pytest.mark.parametrize("counted", [(30, 20, 10, 140), (1, 7, 2, 990), (9, 0, 1, 10**6)])
def test_C5_L21_ppv_at_the_samples_own_prevalence_is_its_precision(counted):
    tp, fp, fn, tn = (Fraction(value) for value in counted)
    prevalence = (tp + fn) / (tp + fp + fn + tn)
    p_d, p_fa = tp / (tp + fn), fp / (fp + tn)
    assert prevalence * p_d / (prevalence * p_d + (1 - prevalence) * p_fa) == tp / (tp + fp)
    sample = br.Confusion(**in_cells(*counted))
    assert sample["precision"] == float(tp / (tp + fp))
    assert br.measure(sample, "precision", at=at(sample.prior)) == pytest.approx(
        float(tp / (tp + fp)), rel=4e-16
    )


def test_C6_one_attack_in_100000_events_gives_a_ppv_of_000999():
    value = ppv(0.01, 1.0, 1e-5)
    assert value == pytest.approx(0.00099901098, abs=5e-12)
    assert f"{value:.6f}" == "0.000999"
    assert 1 / value == pytest.approx(1000.99, rel=1e-9)


def test_C7_ppv_is_largest_without_false_alarms_however_little_is_detected():
    for p_d in (1.0, 0.1, 1e-6, 1e-12):
        assert ppv(0.0, p_d, 1e-5) == 1
        assert ppv(1e-3, p_d, 1e-5) < 1
    nothing = br.measure(detector(0.0, 0.0), "precision", at=at(1e-5))
    assert isinstance(nothing, br.types.Undefined)
    assert nothing.reason == "nothing flagged"


@pytest.mark.parametrize("p_fa", [10.0**-k for k in range(1, 7)])
def test_C7_B16_where_detections_vanish_as_fast_as_false_alarms_ppv_stays_at_the_base_rate(p_fa):
    assert ppv(p_fa, p_fa, 1e-5) == 1e-5
    assert ppv(p_fa, math.sqrt(p_fa), 1e-5) > ppv(
        10 * p_fa, math.sqrt(10 * p_fa), 1e-5
    )  # P_FA / P_D → 0: only then does it rise to 1


@pytest.mark.parametrize(("p_fa", "p_d"), [pair for pair in RATES if pair != (1.0, 1.0)])
@pytest.mark.parametrize("prior", PRIORS)
def test_C8_npv_is_bayes_theorem_for_what_is_passed(p_fa, p_d, prior):
    p, false_alarm, detection = Fraction(prior), Fraction(p_fa), Fraction(p_d)
    expected = (1 - p) * (1 - false_alarm) / (p * (1 - detection) + (1 - p) * (1 - false_alarm))
    assert npv(p_fa, p_d, prior) == float(expected)


def test_C9_four_thousandths_of_false_alarms_more_take_four_fifths_of_ppv_and_nothing_of_npv():
    few, many = (0.001, 0.7), (0.005, 0.7)
    assert (ppv(*few, IDS), ppv(*many, IDS)) == pytest.approx((0.0437, 0.0090), abs=5e-5)
    assert abs(npv(*few, IDS) - npv(*many, IDS)) < 1e-7
    # The other way round: npv almost stands still while detections fall from 90 to 10 percent.
    assert npv(0.001, 0.9, IDS) - npv(0.001, 0.1, IDS) < 6e-5


@pytest.mark.parametrize("prior", PRIORS)
def test_C10_points_share_their_ppv_exactly_if_they_share_p_fa_over_p_d(prior):
    line = br.curves.isoline("precision", at(prior), tangent=0.125)
    on = [(p_d / 8, p_d) for p_d in (1.0, 0.5, 2.0**-20)]
    assert {ppv(*point, prior) for point in on} == {line.value}
    assert [line.fpr(p_d) for _, p_d in on] == [p_fa for p_fa, _ in on]
    assert ppv(0.125, 0.9, prior) < line.value < ppv(0.1, 1.0, prior)


def test_C10_B19_the_origin_lies_on_every_ppv_line_and_has_no_ppv():
    for tangent in (0.01, 0.5, 1):
        line = br.curves.isoline("precision", at(0.01), tangent=tangent)
        assert (line.fpr(0), line.tpr(0)) == (0, 0)
    assert math.isnan(ppv(0.0, 0.0, 0.01))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("degrees", [0.01, 1, 10, 30, 44.9])
def test_C11_ppv_of_a_line_at_an_angle_and_the_angle_of_a_ppv(prior, degrees):
    line = br.curves.isoline("precision", at(prior), angle=degrees)
    p, tangent = Fraction(prior), Fraction(math.tan(math.radians(degrees)))
    assert line.value == float(p / (p + (1 - p) * tangent))
    back = br.curves.isoline("precision", at(prior), value=line.value)
    assert (back.angle, back.tangent) == pytest.approx((degrees, float(tangent)), rel=1e-12)
    assert ppv(line.fpr(0.8), 0.8, prior) == pytest.approx(line.value, rel=1e-14)


@pytest.mark.parametrize("prior", PRIORS)
def test_C12_points_share_their_npv_exactly_if_they_share_misses_over_passed_negatives(prior):
    line = br.curves.isoline("npv", at(prior), tangent=0.25)
    on = [(0.0, 0.75), (0.5, 0.875), (1 - 2.0**-20, 1 - 2.0**-22)]
    assert {npv(*point, prior) for point in on} == {line.value}
    assert [line.tpr(p_fa) for p_fa, _ in on] == [p_d for _, p_d in on]


def test_C12_B19_the_corner_of_everything_lies_on_every_npv_line_and_has_no_npv():
    for tangent in (0.01, 0.5, 1):
        line = br.curves.isoline("npv", at(0.01), tangent=tangent)
        assert (line.fpr(1), line.tpr(1)) == (1, 1)
    nothing_passed = br.measure(detector(1.0, 1.0), "npv", at=at(0.01))
    assert math.isnan(nothing_passed)
    assert nothing_passed.reason == "everything flagged"


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("degrees", [1, 10, 30, 44.9])
def test_C13_npv_of_a_line_at_an_angle_and_the_angle_of_an_npv(prior, degrees):
    line = br.curves.isoline("npv", at(prior), angle=degrees)
    p, tangent = Fraction(prior), Fraction(math.tan(math.radians(degrees)))
    assert line.value == float((1 - p) / (p * (tangent - 1) + 1))
    # At a tiny base rate npv is so near to 1 that its last digit is worth 2⁻⁵³ / p of the tangent.
    slack = 1e-12 + 2.0**-52 / prior
    assert br.curves.isoline("npv", at(prior), value=line.value).tangent == pytest.approx(
        float(tangent), rel=slack / float(tangent)
    )
    assert npv(0.3, line.tpr(0.3), prior) == pytest.approx(line.value, rel=1e-15)


@pytest.mark.parametrize("prior", PRIORS)
def test_C14_from_the_axis_to_the_diagonal_ppv_falls_from_1_to_p_and_npv_from_1_to_1_minus_p(prior):
    for name, end in (("precision", prior), ("npv", float(1 - Fraction(prior)))):
        assert br.curves.isoline(name, at(prior), angle=0).value == 1
        assert br.curves.isoline(name, at(prior), tangent=1).value == end
        assert br.curves.isoline(name, at(prior), angle=45).value == pytest.approx(end, rel=4e-16)
        fall = [
            br.curves.isoline(name, at(prior), angle=degrees).value for degrees in range(0, 46, 5)
        ]
        assert all(high >= low for high, low in itertools.pairwise(fall))
    assert br.curves.isoline("precision", at(prior), value=prior).angle == pytest.approx(
        45, rel=1e-15
    )


@pytest.mark.parametrize("value", [0.9, 0.5, 0.1, 0.01])
def test_C15_where_the_isolines_of_fig_3_cut_a_roc_the_detector_has_that_ppv(value):
    line = br.curves.isoline("precision", at(IDS), value=value)
    assert line.tangent == pytest.approx(IDS / (1 - IDS) * (1 - value) / value, rel=1e-14)
    reading = br.fix(concave_roc(), f"precision = {value}", at=at(IDS)).interpolated
    assert line.fpr(reading.tpr) == pytest.approx(reading.fpr, rel=1e-12)
    assert reading.precision == pytest.approx(value, rel=1e-15)
    assert reading.fpr < 0.01  # all of it happens where a linear axis shows nothing


@pytest.mark.parametrize("value", [0.99994, 0.99998])
def test_C15_where_the_npv_isolines_of_fig_3_cut_a_roc_the_detector_has_that_npv(value):
    line = br.curves.isoline("npv", at(IDS), value=value)
    reading = br.fix(concave_roc(), f"npv = {value}", at=at(IDS)).interpolated
    assert line.tpr(reading.fpr) == pytest.approx(reading.tpr, abs=1e-9)
    assert 1 - IDS < reading.npv < 1


@pytest.mark.parametrize(
    ("value", "tangent", "needed"), [(0.9998, 3.07, 2e-4), (0.99975, 3.84, 2.5e-4)]
)
def test_C16_B15_the_two_npv_of_the_text_are_below_anything_of_interest_at_the_papers_base_rate(
    value, tangent, needed
):
    assert value < 1 - IDS == br.curves.isoline("npv", at(IDS), tangent=1).value
    line = br.curves.isoline("npv", at(IDS), value=value)
    assert line.tangent == pytest.approx(tangent, abs=0.005)
    assert (
        line.tpr(0) < 0
    )  # such a detector would have to miss more than everything, or lie below the diagonal
    assert br.curves.isoline("npv", at(needed), value=value).tangent == pytest.approx(1, abs=1e-10)


def test_C17_detections_and_ppv_are_the_two_that_a_point_is_chosen_by():
    roc = concave_roc()
    chosen = br.choose(roc, "P_D >= 0.4 and PPV >= 0.5", at=at(IDS), optimize="tpr")
    assert chosen.rule == "tpr >= 0.4 and precision >= 0.5"
    assert chosen.tpr >= 0.4
    assert chosen.precision >= 0.5
    place = roc.place(chosen.threshold)
    assert br.measure(roc, "precision", threshold=roc.threshold(place + 1), at=at(IDS)) < 0.5
    with pytest.raises(br.Infeasible, match="the highest tpr with precision >= 0.5 is"):
        br.choose(roc, "P_D >= 0.9 and PPV >= 0.5", at=at(IDS))


@pytest.mark.parametrize("prior", PRIORS)
def test_C17_B17_at_one_detection_rate_the_order_by_bayesian_false_alarms_is_that_by_false_alarms(
    prior,
):
    for p_d in (0.1, 0.5, 0.9, 1.0):
        rates = [0.0, 1e-6, 1e-4, 0.01, 0.3, 1.0]
        b_fa = [
            br.measure(detector(p_fa, p_d), br.Measure.parse("B_FA"), at=at(prior))
            for p_fa in rates
        ]
        assert all(low < high for low, high in itertools.pairwise(b_fa[:4]))
        assert b_fa == sorted(b_fa)
        assert b_fa[0] == 0


def test_B18_the_first_segment_of_a_concave_roc_has_one_bayesian_false_alarm_rate():
    p, slope = Fraction(1, 100), 5
    limit = (1 - p) / (p * (slope - 1) + 1)
    values = {
        br.measure(detector(Fraction(k, 100), Fraction(slope * k, 100)), "fdr", at=at(0.01))
        for k in range(1, 21)
    }
    assert len(values) == 1
    assert values.pop() == pytest.approx(float(limit), rel=1e-15)
    assert float(limit) == pytest.approx(0.951923, abs=5e-7)
