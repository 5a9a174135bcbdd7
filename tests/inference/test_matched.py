"""McNemar's test and the interval beside it: against sums of coin tosses and a walk over the
cases.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import baserate as br
from baserate.inference.differences import bonett_price, discordant, mcnemar_p

MEASURES = ("tpr", "fnr", "fpr", "tnr", "accuracy", "error")
SCORES = st.integers(-2, 3)
THRESHOLDS = st.one_of(SCORES, st.sampled_from([-7, 9, 0.5, 1.5, None]))


@st.composite
def scored(draw, least=1):
    """Labels with both classes, and two models' scores."""
    size = draw(st.integers(2 * least, 25))
    labels = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    labels[: 2 * least] = [1, 0] * least
    return labels, *(draw(st.lists(SCORES, min_size=size, max_size=size)) for _ in range(2))


def coin_p(one, other):
    """How likely is a fair coin as uneven as that, either way?"""
    tosses, least = one + other, min(one, other)
    tail = sum(math.comb(tosses, k) for k in range(least + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**tosses))


def joint_of(labels, a, b):
    return br.count(labels, {"a": a, "b": b})


def flagged(score, threshold):
    return threshold is not None and score >= threshold


def right(label, score, threshold):
    return flagged(score, threshold) == (label == 1)


def walk(cases, thresholds, measure):
    """What McNemar's test sees, case by case: the two shares, cases only one model has right, and
    all that count.
    """
    labels, *models = cases
    kept = [
        i
        for i, label in enumerate(labels)
        if {"tpr": label, "fnr": label, "fpr": not label, "tnr": not label}.get(measure, True)
    ]
    good = [
        [right(labels[i], scores[i], threshold) for i in kept]
        for scores, threshold in zip(models, thresholds, strict=True)
    ]
    shares = [Fraction(sum(row), len(kept)) for row in good]
    if measure in ("fnr", "fpr", "error"):
        shares = [1 - share for share in shares]
    pairs = list(zip(*good, strict=True))
    return shares, pairs.count((True, False)), pairs.count((False, True)), len(kept)


def answers(first_only, second_only, both=30):
    """Positives that one model flags, and negatives that none does: tpr differs by as many
    pairs.
    """
    labels = [1] * (first_only + second_only + both) + [0] * 10
    a = [1] * first_only + [0] * second_only + [1] * both + [0] * 10
    b = [0] * first_only + [1] * second_only + [1] * both + [0] * 10
    return joint_of(labels, a, b)


def assert_refused(code, match, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code


# The p-value.


@pytest.mark.parametrize(("one", "other", "p"), [(40, 20, 0.0134893), (12, 5, 0.143463)])
def test_the_promised_p_values_come_out(one, other, p):
    assert mcnemar_p(one, other) == mcnemar_p(other, one) == pytest.approx(p, rel=5e-6)
    found = br.compare(answers(one, other), "tpr", threshold=1)
    assert found.p_value == mcnemar_p(one, other)
    assert found.discordant == (one + other, one + other + 30)
    assert found.value == (other - one) / (one + other + 30)
    assert found.significant is (p < 0.05)
    assert found.favours == "a"


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_p_value_is_the_exact_sum_over_a_fair_coin(one, other):
    assert mcnemar_p(one, other) == pytest.approx(float(coin_p(one, other)), rel=1e-10)


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_p_value_is_that_of_a_binomial_test_and_the_same_either_way(one, other):
    expected = stats.binomtest(one, one + other).pvalue if one + other else 1.0
    assert mcnemar_p(one, other) == mcnemar_p(other, one) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("pairs", [1, 2, 7, 20, 101])
def test_the_p_value_falls_as_the_pairs_get_more_uneven(pairs):
    values = [mcnemar_p(one, pairs - one) for one in range(pairs // 2 + 1)]
    assert values == sorted(values)
    assert values[0] == 2.0 ** (1 - pairs)


def test_as_many_either_way_and_none_at_all_are_no_evidence():
    assert [mcnemar_p(k, k) for k in (0, 1, 5, 10**9)] == [1.0] * 4


def test_billions_of_pairs_do_not_overflow():
    one, other = 10**9, 10**9 + 90_000
    z = (other - one - 1) / math.sqrt(one + other)
    assert mcnemar_p(one, other) == pytest.approx(2 * stats.norm.sf(z), rel=1e-3)


@pytest.mark.parametrize("pairs", [(-1, 5), (2.5, 5), (math.nan, 5), ("1", 5)])
def test_what_is_no_number_of_pairs_is_refused(pairs):
    with pytest.raises(br.InputError, match="whole number|pairs|cases"):
        br.planning.mcnemar_p(*pairs)


# Pairs of cases.


@given(scored(), THRESHOLDS, THRESHOLDS, st.sampled_from(["all", "positives", "negatives"]))
def test_discordant_cases_are_those_that_a_walk_over_the_cases_finds(cases, first, second, within):
    measure = {"all": "accuracy", "positives": "tpr", "negatives": "tnr"}[within]
    _, one, two, whole = walk(cases, (first, second), measure)
    found = discordant(joint_of(*cases), ("a", "b"), (first, second), within)
    assert found == (one, two, whole)
    assert found.pairs == one + two


@given(scored(), THRESHOLDS, THRESHOLDS, st.sampled_from(MEASURES))
def test_shares_at_fixed_thresholds_are_compared_by_mcnemar(cases, first, second, measure):
    shares, one, two, whole = walk(cases, (first, second), measure)
    found = br.compare(joint_of(*cases), measure, threshold={"a": first, "b": second})
    assert (found.method, found.name, found.models, found.paired) == (
        "mcnemar",
        measure,
        ("a", "b"),
        True,
    )
    assert found.values == pytest.approx([float(share) for share in shares], rel=1e-12)
    assert found.value == pytest.approx(float(shares[1] - shares[0]), rel=1e-12, abs=1e-15)
    assert found.p_value == pytest.approx(float(coin_p(one, two)), rel=1e-10)
    assert found.discordant == (one + two, whole)
    assert found.low <= found.value <= found.high
    assert found[0].notes[0].code == "BR599"
    assert (
        found[0].notes[0].text
        == f'{one} {"case is" if one == 1 else "cases are"} correct only with "a",'
        f' {two} only with "b"'
    )


@given(scored(), THRESHOLDS, THRESHOLDS, st.sampled_from(MEASURES))
def test_swapping_the_models_flips_the_sign_and_keeps_the_p_value(cases, first, second, measure):
    thresholds = {"a": first, "b": second}
    found = br.compare(joint_of(*cases), measure, threshold=thresholds)
    swapped = br.compare(joint_of(*cases), measure, pair=("b", "a"), threshold=thresholds)
    assert swapped.value == -found.value
    assert swapped.p_value == found.p_value
    assert swapped.values == found.values[::-1]
    assert swapped.favours == found.favours
    if found.discordant[0]:
        assert (swapped.low, swapped.high) == pytest.approx(
            (-found.high, -found.low), rel=1e-12, abs=1e-15
        )


@given(scored(), THRESHOLDS, st.sampled_from(MEASURES))
def test_identical_models_differ_by_nothing_with_p_1(cases, threshold, measure):
    labels, scores, _ = cases
    found = br.compare(joint_of(labels, scores, scores), measure, threshold=threshold)
    assert (found.value, found.p_value, found.favours, found.significant) == (0.0, 1.0, None, False)
    assert found.low <= 0 <= found.high
    assert any("the same answer for every case" in note.text for note in found.notes)


@given(scored(), THRESHOLDS, st.sampled_from(MEASURES))
def test_between_identical_models_neither_side_is_wider(cases, threshold, measure):
    labels, scores, _ = cases
    found = br.compare(joint_of(labels, scores, scores), measure, threshold=threshold)
    assert found.low == pytest.approx(-found.high, abs=1e-15)


@given(scored(), THRESHOLDS, st.sampled_from(MEASURES))
def test_cases_that_are_merged_into_cells_count_as_often(cases, threshold, measure):
    joint = joint_of(*cases)
    assert br.compare(joint.canonical() + joint, measure, threshold=threshold) == br.compare(
        joint + joint, measure, threshold=threshold
    )


@given(
    st.integers(0, 60), st.integers(0, 60), st.integers(0, 200), st.sampled_from([0.8, 0.95, 0.99])
)
def test_the_interval_is_walds_with_one_pair_of_either_kind_added(gained, lost, rest, level):
    cases = gained + lost + rest
    up, down = Fraction(gained + 1, cases + 2), Fraction(lost + 1, cases + 2)
    half = stats.norm.isf((1 - level) / 2) * math.sqrt((up + down - (up - down) ** 2) / (cases + 2))
    low, high = max(-1.0, float(up - down) - half), min(1.0, float(up - down) + half)
    assert bonett_price(gained, lost, cases, level) == pytest.approx(
        (low, high), rel=1e-9, abs=1e-12
    )


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 200))
def test_a_higher_level_is_wider(gained, lost, rest):
    narrow, wide = (
        bonett_price(gained, lost, gained + lost + rest, level) for level in (0.8, 0.99)
    )
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def test_the_interval_of_one_share_reaches_the_comparison():
    found = br.compare(answers(12, 5), "tpr", threshold=1, level=0.9)
    assert (found.low, found.high) == pytest.approx(bonett_price(5, 12, 47, 0.9))
    assert found.level == 0.9


@pytest.mark.parametrize(
    ("cases", "rates"), [(40, (0.1, 0.05)), (60, (0.02, 0.02)), (30, (0.4, 0.1))]
)
def test_the_interval_covers_about_what_it_says(cases, rates):
    """Every split of the cases into gained, lost and neither, with its exact chance."""
    true, chance = rates[0] - rates[1], 0.0
    for gained in range(cases + 1):
        for lost in range(cases + 1 - gained):
            low, high = bonett_price(gained, lost, cases, 0.95)
            if low <= true <= high:
                logs = (
                    gained * math.log(rates[0])
                    + lost * math.log(rates[1])
                    + (cases - gained - lost) * math.log(1 - sum(rates))
                )
                ways = (
                    math.lgamma(cases + 1)
                    - math.lgamma(gained + 1)
                    - math.lgamma(lost + 1)
                    - math.lgamma(cases - gained - lost + 1)
                )
                chance += math.exp(ways + logs)
    assert chance > 0.93


# Where McNemar's test is in place, and where it is not.


def many(seed=0, cases=200):
    rng = np.random.default_rng(seed)
    labels = (rng.random(cases) < 0.4).astype(int)
    return labels, *(np.round(rng.normal(size=cases) + labels, 1) for _ in range(2))


def test_what_depends_on_a_prior_that_is_given_is_not_left_to_mcnemar():
    joint, at = joint_of(*many()), br.Conditions(prior=0.01)
    assert (
        br.compare(joint, "accuracy", threshold=0.5, at=at, replicates=200).method == "percentile"
    )
    assert br.compare(joint, "accuracy", threshold=0.5, at=br.Conditions()).method == "mcnemar"
    assert br.compare(joint, "tpr", threshold=0.5, at=at).method == "mcnemar"
    assert br.compare(joint, "precision", threshold=0.5, replicates=200).method == "percentile"


def test_mcnemar_by_name_is_refused_at_another_prior_than_the_samples():
    joint = joint_of(*many())
    with pytest.raises(br.InputError, match="prior"):
        br.compare(joint, "accuracy", threshold=0.5, at=br.Conditions(prior=0.01), method="mcnemar")


@pytest.mark.parametrize(
    ("statistic", "options"),
    [("precision", {"threshold": 0.5}), (br.auc, {}), ("tpr", {"rule": "fpr <= 0.2"})],
)
def test_mcnemar_by_name_is_refused_for_anything_but_shares_at_fixed_thresholds(statistic, options):
    call = lambda: br.compare(joint_of(*many()), statistic, method="mcnemar", **options)  # noqa: E731
    assert_refused(
        "BR581",
        "McNemar's test compares tpr, fnr, fpr, tnr, accuracy, error at fixed thresholds",
        call,
    )


def test_a_threshold_that_is_chosen_on_these_cases_is_no_fixed_one():
    found = br.compare(joint_of(*many()), "tpr", rule="fpr <= 0.2", replicates=100)
    assert found.method == "percentile"
    assert "thresholds are chosen again" in found.notes[-1].text


def test_weighted_cases_are_refused():
    labels, a, b = many()
    joint = br.count(labels, {"a": a, "b": b}, sample_weight=np.full(len(labels), 0.5))
    assert_refused(
        "BR583",
        "these cases are weighted: intervals need whole cases",
        lambda: br.compare(joint, "tpr", threshold=0.5),
    )


def test_accuracy_of_cases_whose_classes_were_chosen_needs_a_prior_and_tpr_does_not():
    labels, a, b = many()
    joint = br.count(labels, {"a": a, "b": b}, design="case-control")
    assert_refused(
        "BR509",
        "the sample's prior is not a base rate",
        lambda: br.compare(joint, "accuracy", threshold=0.5),
    )
    assert br.compare(joint, "tpr", threshold=0.5) == br.compare(
        joint_of(labels, a, b), "tpr", threshold=0.5
    )


@pytest.mark.parametrize("measure", ["tpr", "fpr"])
def test_a_rate_of_a_class_needs_both_classes(measure):
    assert_refused(
        "BR552",
        "there are no negatives",
        lambda: br.compare(joint_of([1, 1], [0, 1], [1, 0]), measure, threshold=1),
    )


def test_accuracy_needs_one_class_only():
    found = br.compare(
        joint_of([1] * 6, [1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 0]), "accuracy", threshold=1
    )
    assert (found.value, found.p_value, found.discordant) == (-0.5, 0.25, (3, 6))


def test_no_cases_at_all_are_refused():
    nothing = joint_of([], [], [])
    with pytest.raises(br.InputError, match="no cases|undefined|both classes"):
        br.compare(nothing, "accuracy", threshold=0.5)


def test_a_threshold_means_the_same_for_whole_and_for_broken_scores():
    labels = [0, 0, 1, 1, 1]
    ints, floats = (
        joint_of(labels, [1, 2, 2, 3, 1], [2, 1, 3, 3, 3]),
        joint_of(labels, [1.0, 2.0, 2.0, 3.0, 1.0], [2.0, 1.0, 3.0, 3.0, 3.0]),
    )
    for threshold in (1, 1.5, 2, 2.0, 3, 4, None):
        assert br.compare(ints, "accuracy", threshold=threshold) == br.compare(
            floats, "accuracy", threshold=threshold
        )
