"""Lines of one precision and of one NPV in ROC space: Cárdenas & Baras 2006, eqs 3 to 6, both
ways.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br

priors = st.floats(1e-9, 1 - 1e-9)
values = st.floats(1e-6, 1)
tangents = st.floats(0, 1e6)


def exact(measure, prior, tangent):
    """Eqs 4 and 6, in fractions."""
    p, t = Fraction(prior), Fraction(tangent)
    return p / (p + (1 - p) * t) if measure == "precision" else (1 - p) / (p * (t - 1) + 1)


@given(priors, tangents, st.sampled_from(["precision", "npv"]))
def test_a_tangent_gives_the_value_of_the_published_equation(prior, tangent, measure):
    line = br.curves.isoline(measure, br.Conditions(prior), tangent=tangent)
    assert line.value == float(exact(measure, prior, tangent))
    assert line.tangent == tangent


@given(priors, values, st.sampled_from(["precision", "npv"]))
def test_a_value_gives_the_tangent_back(prior, value, measure):
    at = br.Conditions(prior)
    line = br.curves.isoline(measure, at, value=value)
    p, v = Fraction(prior), Fraction(value)
    odds = p / (1 - p) if measure == "precision" else (1 - p) / p
    assert line.tangent == float(odds * (1 - v) / v)
    assert br.curves.isoline(measure, at, tangent=line.tangent).value == pytest.approx(
        value, rel=1e-15
    )


@given(st.floats(0, 89.9), priors, st.sampled_from(["precision", "npv"]))
def test_an_angle_comes_back(angle, prior, measure):
    line = br.curves.isoline(measure, br.Conditions(prior), angle=angle)
    assert line.angle == pytest.approx(angle, rel=1e-12)
    assert line.tangent == pytest.approx(math.tan(math.radians(angle)), rel=1e-15)


@given(priors, st.floats(0.01, 1), st.floats(0, 1), st.sampled_from(["precision", "npv"]))
def test_every_point_of_the_line_has_the_value(prior, rate, tangent, measure):
    line = br.curves.isoline(measure, br.Conditions(prior), tangent=tangent)
    fpr, tpr = (line.fpr(rate), rate) if measure == "precision" else (1 - rate, line.tpr(1 - rate))
    confusion = br.Confusion(tp=tpr, fp=fpr, fn=1 - Fraction(tpr), tn=1 - Fraction(fpr))
    # Close to 1 a tpr is a float like any other, and half its last place is that much of the few
    # misses that npv hangs on.
    rounding = 2**-53 / max(float(1 - Fraction(tpr)), 2**-53) if measure == "npv" else 0
    assert br.measure(confusion, measure, at=br.Conditions(prior)) == pytest.approx(
        line.value, rel=1e-9 + rounding
    )


def test_next_to_1_a_point_of_an_npv_line_is_as_good_as_its_float():
    at = br.Conditions(0.9999999989999999)
    line = br.curves.isoline("npv", at, tangent=1e-9)
    tpr = line.tpr(0.0)
    found = br.measure(br.Confusion(tp=tpr, fp=0, fn=1 - Fraction(tpr), tn=1), "npv", at=at)
    assert found == pytest.approx(line.value, rel=2**-53 / 1e-9)
    assert found != line.value


@pytest.mark.parametrize("prior", [1e-5, 6.52e-5, 0.01, 0.25, 0.5])
def test_from_0_to_45_degrees_precision_falls_from_1_to_the_prior_and_npv_to_its_rest(prior):
    at = br.Conditions(prior)
    assert (
        br.curves.isoline("precision", at, angle=0).value
        == br.curves.isoline("npv", at, angle=0).value
        == 1
    )
    assert br.curves.isoline("precision", at, tangent=1).value == prior
    assert br.curves.isoline("npv", at, tangent=1).value == 1 - prior
    assert br.curves.isoline("precision", at, value=prior).angle == pytest.approx(45, rel=1e-14)


def test_lines_of_precision_run_through_the_origin_and_of_npv_through_the_other_corner():
    precision, npv = (
        br.curves.isoline(name, br.Conditions(0.25), value=0.875) for name in ("precision", "npv")
    )
    assert (precision.fpr(0), precision.tpr(0)) == (0, 0)
    assert (npv.fpr(1), npv.tpr(1)) == (1, 1)
    assert precision.tangent == float(Fraction(1, 21))
    assert precision.fpr(1) == float(Fraction(precision.tangent))
    assert (npv.tangent, npv.tpr(0), npv.fpr(0.5714285714285714)) == pytest.approx(
        (3 / 7, 4 / 7, 0)
    )


def test_b15_npv_in_the_range_of_interest_is_at_least_1_minus_the_prior():
    at = br.Conditions(6.52e-5)
    assert br.curves.isoline("npv", at, tangent=1).value == pytest.approx(0.9999348, rel=1e-12)
    assert br.curves.isoline("npv", at, value=0.9998).tangent == pytest.approx(3.07, abs=0.005)
    assert br.curves.isoline("npv", at, value=0.99975).tangent == pytest.approx(3.84, abs=0.005)


def test_ends_without_one_answer_are_refused():
    at = br.Conditions(0.1)
    with pytest.raises(br.InputError, match="BR542: the line of precision 1 is vertical"):
        br.curves.isoline("precision", at, value=1).tpr(0.5)
    with pytest.raises(br.InputError, match="BR542: the line of npv 1 is horizontal"):
        br.curves.isoline("npv", at, value=1).fpr(0.5)
    assert br.curves.isoline("precision", at, value=1).fpr(0.5) == 0
    assert br.curves.isoline("npv", at, value=1).tpr(0.5) == 1


def test_what_gives_no_line_is_refused():
    at = br.Conditions(0.1)
    with pytest.raises(
        br.InputError, match='BR534: isolines are drawn for precision and npv, got "tpr"'
    ):
        br.curves.isoline("tpr", at, value=0.5)
    for given_ in ({}, {"value": 0.5, "angle": 10}, {"value": 0.5, "angle": 10, "tangent": 1}):
        with pytest.raises(
            br.InputError, match=f"BR542: give one of value, angle and tangent, got {len(given_)}"
        ):
            br.curves.isoline("precision", at, **given_)
    with pytest.raises(br.InputError, match="BR542: precision 0 is the other axis"):
        br.curves.isoline("precision", at, value=0)
    for name, value in (
        ("value", 1.5),
        ("value", -0.1),
        ("value", math.nan),
        ("angle", 90),
        ("angle", -1),
        ("tangent", -1),
        ("tangent", "x"),
    ):
        with pytest.raises(br.InputError, match=f"BR542: {name} lies between 0 and"):
            br.curves.isoline("npv", at, **{name: value})
    with pytest.raises(br.InputError, match="BR509"):
        br.curves.isoline("npv", br.Conditions(), value=0.5)


EIGHT = br.Conditions(0.2, br.Costs(fp=1, fn=8))


@pytest.mark.parametrize(
    "wrong", ["half", None, [0.5], True, math.nan, 1j, np.array([0.5]), -0.1, 1.1]
)
def test_what_is_no_rate_is_refused(wrong):
    line = br.curves.isoline("precision", br.Conditions(0.1), value=0.5)
    cost = br.curves.iso_cost_line(EIGHT, fpr=0.1, tpr=0.7)
    for read in (
        line.tpr,
        line.fpr,
        cost.tpr,
        lambda rate: br.curves.iso_cost_line(EIGHT, fpr=rate, tpr=0.5),
        lambda rate: br.curves.iso_cost_line(EIGHT, fpr=0.5, tpr=rate),
    ):
        with pytest.raises(br.InputError, match="BR542: .pr lies between 0 and 1"):
            read(wrong)


def test_points_of_an_iso_cost_line_cost_the_same():
    line = br.curves.iso_cost_line(EIGHT, fpr=0.25, tpr=0.5)
    assert [line.tpr(fpr) for fpr in (0, 0.25, 0.5, 1)] == [0.375, 0.5, 0.625, 0.875]
    costs = {
        br.measure(
            br.Confusion.from_rates(tpr=line.tpr(fpr), fpr=fpr, positives=10**6, negatives=10**6),
            "expected_cost",
            at=EIGHT,
        )
        for fpr in (0, 0.25, 0.5, 1)
    }
    assert costs == {1}


@pytest.mark.parametrize("degrees", [1, 30, 44, 45, 46, 60, 89])
def test_the_tangent_is_that_of_the_angle(degrees):
    line = br.curves.isoline("precision", br.Conditions(0.25), angle=degrees)
    tangent = math.tan(math.radians(degrees)) if degrees != 45 else 1
    assert (line.tangent, line.angle) == (tangent, pytest.approx(degrees, rel=1e-14))
    assert line.value == pytest.approx(0.25 / (0.25 + 0.75 * tangent), rel=1e-15)


def test_the_ends_of_a_tangent_and_an_angle_are_lines():
    at = br.Conditions(0.5)
    assert br.curves.isoline("npv", at, angle=89.999999).value < 1e-7
    assert br.curves.isoline("npv", at, tangent=10**30).value < 1e-29
    for wrong in ({"angle": 90}, {"tangent": 10**30 + 1}):
        with pytest.raises(br.InputError, match="BR542: .* lies between 0 and"):
            br.curves.isoline("npv", at, **wrong)


@pytest.mark.parametrize("at", [0.1, None, "0.1", {"prior": 0.1}])
def test_conditions_that_are_none_are_refused(at):
    with pytest.raises(br.InputError, match="BR519: at must be Conditions"):
        br.curves.isoline("precision", at, value=0.5)


@pytest.mark.parametrize("measure", [5, None, ["precision"], {}])
def test_measures_that_are_no_text_are_refused(measure):
    with pytest.raises(br.InputError, match="BR534: isolines are drawn for precision and npv"):
        br.curves.isoline(measure, br.Conditions(0.1), value=0.5)
