"""Comparing AUCs on the same cases: DeLong against loops over every pair of cases, and what pROC
prints.
"""

import csv
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.inference.oracle_delong import joint_of, naive_pair, scored, welch
from tests.inference.two_models import joint

import baserate as br


@pytest.fixture(scope="module")
def patients(shared):
    with open(shared / "scores" / "pROC_aSAH.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return br.count(
        [int(row["class"]) for row in rows],
        {name: [float(row[name]) for row in rows] for name in ("wfns", "s100b", "ndka")},
    )


# DeLong's test on the same cases.


@given(scored())
def test_the_paired_test_has_the_variance_of_delongs_matrices(cases):
    values, parts = naive_pair(*cases)
    found = br.compare(joint_of(*cases), br.auc, method="delong")
    difference, variance = values[1] - values[0], sum(parts)
    assert found.values == pytest.approx([float(value) for value in values], rel=1e-12)
    assert found.value == pytest.approx(float(difference), rel=1e-9, abs=1e-12)
    if not variance:
        assert found.p_value == pytest.approx(
            min(1.0, 2 * math.exp(-min(map(len, cases)) * float(difference) ** 2 / 2))
        )
        assert found.method == "hoeffding" or not difference
        return
    z = float(difference) / math.sqrt(variance)
    half = stats.norm.isf(0.025) * math.sqrt(variance)
    assert found.statistic == pytest.approx(z, rel=1e-7, abs=1e-9)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6)
    bounds = max(-1.0, float(difference) - half), min(1.0, float(difference) + half)
    assert (found.low, found.high) == pytest.approx(bounds, rel=1e-7, abs=1e-9)
    assert (found.method, found.models, found.name, found.paired, found.better) == (
        "delong",
        ("a", "b"),
        "auc",
        True,
        "higher",
    )


@given(scored())
def test_below_a_hundred_cases_students_t_stands_in_with_welchs_degrees_of_freedom(cases):
    values, parts = naive_pair(*cases)
    if not sum(parts):
        return
    found = br.compare(joint_of(*cases), br.auc, method="delong-t")
    freedom = welch([(part, len(members) - 1) for part, members in zip(parts, cases, strict=True)])
    spread = math.sqrt(sum(parts))
    assert found.method == "delong-t"
    assert found.p_value == pytest.approx(
        2 * stats.t.sf(abs(float(values[1] - values[0])) / spread, freedom), rel=1e-6
    )
    half = stats.t.isf(0.025, freedom) * spread
    assert (found.low, found.high) == pytest.approx(
        (
            max(-1.0, float(values[1] - values[0]) - half),
            min(1.0, float(values[1] - values[0]) + half),
        ),
        rel=1e-6,
        abs=1e-9,
    )


def test_from_a_hundred_of_the_smaller_class_on_the_plain_test_is_the_default():
    many, few = joint(cases=250), joint(cases=247)  # 100 and 99 positives
    assert (many.total_positives, few.total_positives) == (100, 99)
    assert br.compare(many, br.auc) == br.compare(many, br.auc, method="delong")
    assert br.compare(few, br.auc) == br.compare(few, br.auc, method="delong-t")
    assert br.compare(many, br.auc, method="delong-t").p_value > br.compare(many, br.auc).p_value
    # The notes of the counts come with those of the comparison.
    assert "BR591" in {note.code for note in br.compare(joint(cases=70), br.auc).notes}
    assert "BR591" not in {note.code for note in br.compare(few, br.auc).notes}


def test_pROC_has_the_same_z_and_p_for_wfns_against_s100b(patients):
    found = br.compare(patients, br.auc, pair=("s100b", "wfns"), method="delong")
    assert found.statistic == pytest.approx(2.20898359144091, rel=1e-12)
    assert found.p_value == pytest.approx(0.0271757822291882, rel=1e-12)
    assert (found.low, found.high) == pytest.approx(
        (0.0104061769564846, 0.174214419249478), rel=1e-10
    )
    assert round(found.values[0], 4) == 0.7314
    assert found.favours == "wfns"
    assert found.significant


@pytest.mark.parametrize(
    ("pair", "z", "p", "low", "high"),
    [
        (
            ("ndka", "wfns"),
            2.79777591868904,
            0.00514557970691098,
            0.0634011709339876,
            0.3600405634833566,
        ),
        (
            ("s100b", "ndka"),
            -1.39077002573558,
            0.164295175223054,
            -0.2876917446341914,
            0.0488706064228094,
        ),
    ],
)
def test_pROC_has_the_same_numbers_for_ndka(patients, pair, z, p, low, high):
    found = br.compare(patients, br.auc, pair=pair, method="delong")
    assert (found.statistic, found.p_value, found.low, found.high) == pytest.approx(
        (z, p, low, high), rel=1e-10
    )


@pytest.mark.parametrize(
    ("pair", "statistic", "p"),
    [
        (("s100b", "wfns"), 1.43490640926908, 0.152825378808796),
        (("ndka", "wfns"), 3.10125096778969, 0.00220950791756457),
        (("s100b", "ndka"), -1.55995743389685, 0.120192832430845),
    ],
)
def test_pROC_has_the_same_numbers_where_the_cases_are_taken_for_different_ones(
    patients, pair, statistic, p
):
    parts = {name: patients.marginal(name) for name in pair}
    found = br.compare(parts, br.auc, paired=False, method="delong")
    assert (found.statistic, found.p_value) == pytest.approx((statistic, p), rel=1e-9)
    assert not found.paired


def test_the_small_sample_test_of_the_patients_is_more_careful(patients):
    found = br.compare(patients, br.auc, pair=("s100b", "wfns"))
    assert found.method == "delong-t"
    assert 0.0271757822291882 < found.p_value < 0.035


@given(scored())
def test_cases_that_are_merged_into_cells_count_as_often(cases):
    whole = joint_of(*cases)
    found, merged = br.compare(whole, br.auc), br.compare(whole.canonical(), br.auc)
    assert (merged.value, merged.p_value) == pytest.approx(
        (found.value, found.p_value), rel=1e-9, abs=1e-12
    )


@given(scored())
def test_the_values_compared_are_the_aucs_to_the_last_digit(cases):
    found, whole = br.compare(joint_of(*cases), br.auc), joint_of(*cases)
    assert found.values == tuple(float(br.auc(whole.marginal(name))) for name in "ab")


@given(scored())
def test_no_model_is_favoured_where_the_aucs_are_equal(cases):
    found, whole = br.compare(joint_of(*cases), br.auc), joint_of(*cases)
    if br.auc(whole.marginal("a")) == br.auc(whole.marginal("b")):
        assert (found.value, found.favours) == (0.0, None)


def test_equal_aucs_of_different_rankings_differ_by_nothing():
    found = br.compare(
        joint_of([(1, 2), (2, 3), (3, 1)], [(0, 0), (0, 0), (0, 0), (0, 0), (1, 1)]), br.auc
    )
    assert (found.value, found.favours) == (0.0, None)
    assert found.p_value == 1


# Laws of DeLong's test.


@given(scored(least=1), st.sampled_from([None, "delong", "delong-t"]))
def test_identical_models_differ_by_nothing_with_p_1(cases, method):
    same = joint_of(*([(a, a) for a, _ in members] for members in cases))
    found = br.compare(same, br.auc, method=method)
    assert (found.value, found.low, found.high, found.p_value, found.statistic) == (
        0.0,
        0.0,
        0.0,
        1.0,
        0.0,
    )
    assert (found.favours, found.significant) == (None, False)


@given(scored(least=1))
def test_a_monotone_rescaling_of_one_model_is_the_same_model(cases):
    rescaled = joint_of(*([(a, 3 * a**3 - 7) for a, _ in members] for members in cases))
    found = br.compare(rescaled, br.auc)
    assert (found.value, found.p_value) == (0.0, 1.0)


@given(scored(least=1), st.sampled_from([None, "delong"]))
def test_a_monotone_rescaling_changes_no_comparison(cases, method):
    other = joint_of(*([(math.exp(a), 5 * b - 9) for a, b in members] for members in cases))
    assert br.compare(other, br.auc, method=method) == br.compare(
        joint_of(*cases), br.auc, method=method
    )


@given(scored(least=1), st.sampled_from([None, "delong"]))
def test_swapping_the_models_flips_the_sign_exactly_and_keeps_the_p_value(cases, method):
    whole = joint_of(*cases)
    found, swapped = (
        br.compare(whole, br.auc, pair=pair, method=method) for pair in (("a", "b"), ("b", "a"))
    )
    assert (swapped.value, swapped.p_value, swapped.low, swapped.high) == (
        -found.value,
        found.p_value,
        -found.high,
        -found.low,
    )
    assert swapped.favours == found.favours
    assert (swapped.models, swapped.values) == (("b", "a"), found.values[::-1])


@given(scored(least=1), st.sampled_from([None, "delong"]))
def test_swapping_the_classes_flips_the_sign(cases, method):
    positives, negatives = cases
    found, swapped = (
        br.compare(joint_of(*made), br.auc, method=method)
        for made in ((positives, negatives), (negatives, positives))
    )
    assert swapped.value == pytest.approx(-found.value, abs=1e-12)
    assert swapped.p_value == pytest.approx(found.p_value, rel=1e-6)


@given(scored(least=1))
def test_the_interval_holds_the_difference_and_a_higher_level_is_no_narrower(cases):
    found = [br.compare(joint_of(*cases), br.auc, level=level) for level in (0.5, 0.9, 0.99)]
    assert all(-1 <= one.low <= one.value <= one.high <= 1 for one in found)
    assert found[0].high <= found[1].high <= found[2].high
    assert found[2].low <= found[1].low <= found[0].low


@given(scored())
def test_the_interval_leaves_out_0_where_the_p_value_is_below_what_may_be_missed(cases):
    found = br.compare(joint_of(*cases), br.auc)
    if found.method == "delong-t" and abs(found.p_value - 0.05) > 1e-9:
        assert found.significant is not (found.low <= 0 <= found.high)


# Without variance.


@pytest.mark.parametrize("cases", [2, 50, 400])
def test_placements_that_do_not_vary_are_left_to_hoeffding(cases):
    """One model ranks all alike, the other perfectly: DeLong's variance of the difference is 0, and
    nothing is certain.
    """
    found = br.compare(joint_of([(0, 1)] * cases, [(0, 0)] * (2 * cases)), br.auc, level=0.9)
    half = math.sqrt(2 * math.log(2 / 0.1) / cases)
    assert (found.value, found.method) == (0.5, "hoeffding")
    assert found.p_value == pytest.approx(min(1.0, 2 * math.exp(-cases / 8)), rel=1e-12)
    assert (found.low, found.high) == pytest.approx(
        (max(-1.0, 0.5 - half), min(1.0, 0.5 + half)), rel=1e-9
    )
    assert math.isnan(found.statistic)


@pytest.mark.parametrize("cases", [3, 7, 49])
def test_a_ranking_that_wins_one_more_everywhere_is_left_to_hoeffding_in_spite_of_rounding(cases):
    """Classes take turns, positives first or last: every placement differs by the same share, which
    no float holds.
    """
    positives, negatives = (
        [(2 * k, 2 * k + 1) for k in range(cases)],
        [(2 * k + 1, 2 * k) for k in range(cases)],
    )
    assert naive_pair(positives, negatives)[1] == [0, 0]
    found = br.compare(joint_of(positives, negatives), br.auc)
    assert found.value == pytest.approx(1 / cases, rel=1e-12)
    assert (found.method, found.significant) == ("hoeffding", False)


@pytest.mark.parametrize("single", ["positives", "negatives"])
def test_a_single_case_of_a_class_shows_nothing_by_itself(single):
    many, one = [(k, k) for k in range(1000)], [(899.5, 499.5)]
    found = br.compare(
        joint_of(one, many) if single == "positives" else joint_of(many, one), br.auc
    )
    assert abs(found.value) == pytest.approx(0.4)
    assert found.p_value > 0.05
    assert found.low <= 0 <= found.high


def test_a_single_positive_in_each_of_two_samples_shows_nothing_either():
    parts = {
        name: br.Counts([2, 1, 0], positives=[0, 1, 0], negatives=[above, 0, 1000 - above])
        for name, above in (("a", 100), ("b", 500))
    }
    found = br.compare(parts, br.auc, paired=False)
    assert found.value == pytest.approx(-0.4)
    assert found.p_value > 0.05
    assert found.low <= 0 <= found.high


def test_two_perfect_samples_of_five_are_not_known_to_be_equally_good():
    perfect = br.count([0] * 5 + [1] * 5, range(10))
    found = br.compare({"a": perfect, "b": perfect}, br.auc, paired=False)
    assert (found.value, found.p_value) == (0.0, 1.0)
    assert found.low < 0 < found.high
