"""Intervals for a rate: against sums of binomial chances, the score equation, scipy, and the
numbers that were promised.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import baserate as br

METHODS = ("wilson", "clopper-pearson", "jeffreys")
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@st.composite
def seen_of(draw, most=60):
    cases = draw(st.integers(1, most))
    return draw(st.integers(0, cases)), cases


def root(rises, low, high):
    """Where a rising function crosses 0, by halving."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return (low + high) / 2


def chance(cases, rate, successes):
    return math.fsum(math.comb(cases, k) * rate**k * (1 - rate) ** (cases - k) for k in successes)


def exact_low(seen, cases, missed):
    """The rate at which so many successes or more have a chance of `missed`."""
    return (
        root(lambda rate: chance(cases, rate, range(seen, cases + 1)) - missed, 0.0, 1.0)
        if seen
        else 0.0
    )


def exact_high(seen, cases, missed):
    return (
        root(lambda rate: missed - chance(cases, rate, range(seen + 1)), 0.0, 1.0)
        if seen < cases
        else 1.0
    )


def assert_refused(code, match, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code


# The numbers of scenario 5.


def test_no_false_positive_in_forty_thousand_shows_at_most_seven_in_a_hundred_thousand():
    found = br.rate_interval(0, 40_000)
    assert found.high == pytest.approx(7.48905e-5, rel=1e-6)
    assert found.high == pytest.approx(-math.expm1(math.log(0.05) / 40_000), rel=1e-13)
    assert (found.low, found.value, found.side, found.method) == (
        0.0,
        0.0,
        "upper",
        "clopper-pearson",
    )
    assert [(note.code, "none of 40,000 were seen" in note.text) for note in found.notes] == [
        ("BR584", True)
    ]
    assert repr(found) == "Interval: rate 0, 95 % at most 7.489e-05 (clopper-pearson)"


def test_forty_five_of_fifty_lies_between_the_promised_bounds():
    exact, wilson = (
        br.rate_interval(45, 50, method=method) for method in ("clopper-pearson", "wilson")
    )
    assert (exact.low, exact.high) == pytest.approx((0.781865, 0.966725), abs=5e-7)
    assert (wilson.low, wilson.high) == pytest.approx((0.786398, 0.956524), abs=5e-7)
    assert br.rate_interval(45, 50) == exact


@pytest.mark.parametrize(
    ("seen", "cases", "bound", "shown"), [(95, 100, 0.897747, False), (190, 200, 0.916665, True)]
)
def test_a_sensitivity_is_shown_by_the_guaranteed_one_sided_bound(seen, cases, bound, shown):
    found = br.rate_interval(seen, cases, side="lower")
    assert found.low == pytest.approx(bound, abs=5e-7)
    assert (found.low >= 0.9) is shown
    assert (found.high, found.side, found.method) == (1.0, "lower", "clopper-pearson")


def test_the_two_sided_bound_of_the_same_cases_is_lower():
    assert br.rate_interval(95, 100, method="clopper-pearson").low == pytest.approx(
        0.887165, abs=5e-7
    )


def test_showing_one_in_a_hundred_thousand_takes_299_572_negatives():
    assert br.rate_interval(0, 299_572).high <= 1e-5 < br.rate_interval(0, 299_571).high


# Definitions.


@given(seen_of(), LEVELS)
def test_clopper_pearson_bounds_are_where_exact_binomial_tails_hold_what_may_be_missed(rate, level):
    found = br.rate_interval(*rate, level=level, method="clopper-pearson")
    missed = (1 - level) / 2
    assert found.low == pytest.approx(exact_low(*rate, missed), rel=1e-9, abs=1e-15)
    assert found.high == pytest.approx(exact_high(*rate, missed), rel=1e-9)


@given(seen_of(), LEVELS, st.sampled_from(["lower", "upper"]))
def test_one_clopper_pearson_bound_spends_all_that_may_be_missed_on_its_side(rate, level, side):
    found = br.rate_interval(*rate, level=level, side=side)
    if side == "lower":
        assert found.low == pytest.approx(exact_low(*rate, 1 - level), rel=1e-9, abs=1e-15)
        assert found.high == 1.0
    else:
        assert found.high == pytest.approx(exact_high(*rate, 1 - level), rel=1e-9)
        assert found.low == 0.0


@given(seen_of(1000), LEVELS)
def test_wilson_bounds_solve_the_score_equation(rate, level):
    seen, cases = rate
    found = br.rate_interval(seen, cases, level=level, method="wilson")
    share, z = seen / cases, stats.norm.isf((1 - level) / 2)

    def score(true):
        return (share - true) - z * math.sqrt(true * (1 - true) / cases)

    low = root(lambda true: -score(true), 0.0, share) if seen else 0.0
    high = (
        root(lambda true: -(share - true) - z * math.sqrt(true * (1 - true) / cases), share, 1.0)
        if seen < cases
        else 1.0
    )
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9, abs=1e-15)


@given(seen_of(1000), LEVELS)
def test_jeffreys_bounds_are_quantiles_of_a_beta_distribution_and_reach_the_ends(rate, level):
    seen, cases = rate
    found = br.rate_interval(seen, cases, level=level, method="jeffreys")
    known, missed = stats.beta(seen + 0.5, cases - seen + 0.5), (1 - level) / 2
    assert found.low == (0.0 if seen == 0 else pytest.approx(known.ppf(missed), rel=1e-8))
    assert found.high == (1.0 if seen == cases else pytest.approx(known.isf(missed), rel=1e-8))


@given(seen_of(3000), LEVELS, st.sampled_from([("wilson", "wilson"), ("clopper-pearson", "exact")]))
def test_scipy_has_the_same_bounds_on_both_sides_and_on_one(rate, level, names):
    ours, theirs = names
    for side, alternative in (("both", "two-sided"), ("lower", "greater"), ("upper", "less")):
        found = br.rate_interval(*rate, level=level, method=ours, side=side)
        peer = stats.binomtest(*rate, alternative=alternative).proportion_ci(level, method=theirs)
        assert (found.low, found.high) == pytest.approx((peer.low, peer.high), rel=1e-8, abs=1e-12)


def test_without_a_method_it_is_wilson_where_ten_or_more_lie_on_either_side():
    rules = [
        (found.method, found.side) for found in (br.rate_interval(seen, 22) for seen in range(23))
    ]
    few = [("clopper-pearson", "both")] * 9
    ends = ("clopper-pearson", "upper"), ("clopper-pearson", "lower")
    assert rules == [ends[0], *few, *[("wilson", "both")] * 3, *few, ends[1]]


@pytest.mark.parametrize("method", METHODS)
def test_a_method_by_name_keeps_both_sides_also_where_none_were_seen(method):
    found = br.rate_interval(0, 30, method=method)
    assert (found.side, found.low, found.method) == ("both", 0.0, method)
    assert found.high > br.rate_interval(0, 30, method=method, side="upper").high > 0
    assert found.notes == ()


# Laws.


@given(seen_of(10_000), st.sampled_from([*METHODS, None]), LEVELS)
def test_the_interval_holds_the_rate_that_was_seen(rate, method, level):
    found = br.rate_interval(*rate, method=method, level=level)
    assert found.value == rate[0] / rate[1]
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value in found
    assert found.width == found.high - found.low > 0


@given(seen_of(10_000), st.sampled_from([*METHODS, None]))
def test_a_higher_level_is_wider(rate, method):
    widths = [
        br.rate_interval(*rate, method=method, level=level).width
        for level in (0.5, 0.8, 0.95, 0.99, 0.9999)
    ]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


@given(
    seen_of(10_000),
    st.sampled_from([*METHODS, None]),
    LEVELS,
    st.sampled_from([("both", "both"), ("lower", "upper"), ("upper", "lower")]),
)
def test_counting_failures_instead_mirrors_the_interval(rate, method, level, sides):
    seen, cases = rate
    found = br.rate_interval(seen, cases, method=method, level=level, side=sides[0])
    mirrored = br.rate_interval(cases - seen, cases, method=method, level=level, side=sides[1])
    assert (found.low, found.high) == pytest.approx(
        (1 - mirrored.high, 1 - mirrored.low), rel=1e-9, abs=1e-12
    )
    assert found.method == mirrored.method


@given(seen_of(10_000), st.sampled_from(METHODS), st.sampled_from([0.75, 0.9, 0.95, 0.99]))
def test_one_bound_is_the_end_of_the_two_sided_interval_that_misses_twice_as_much(
    rate, method, level
):
    both = br.rate_interval(*rate, method=method, level=2 * level - 1)
    assert br.rate_interval(*rate, method=method, level=level, side="lower").low == pytest.approx(
        both.low, rel=1e-9
    )
    assert br.rate_interval(*rate, method=method, level=level, side="upper").high == pytest.approx(
        both.high, rel=1e-9
    )


@pytest.mark.parametrize("method", METHODS)
def test_bounds_rise_with_what_was_seen(method):
    found = [br.rate_interval(seen, 40, method=method) for seen in range(41)]
    for bounds in ([one.low for one in found[1:]], [one.high for one in found[:-1]]):
        assert all(a < b for a, b in pairwise(bounds))


@given(seen_of(), LEVELS)
def test_clopper_pearson_contains_jeffreys(rate, level):
    exact, jeffreys = (
        br.rate_interval(*rate, level=level, method=method)
        for method in ("clopper-pearson", "jeffreys")
    )
    assert exact.low <= jeffreys.low <= jeffreys.high <= exact.high


def covered(cases, method, side, rates):
    """The exact chance that the interval holds the rate, for every rate."""
    found = [br.rate_interval(seen, cases, method=method, side=side) for seen in range(cases + 1)]
    for rate in rates:
        held = [seen for seen in range(cases + 1) if found[seen].low <= rate <= found[seen].high]
        yield sum(
            (math.comb(cases, k) * rate**k * (1 - rate) ** (cases - k) for k in held), Fraction(0)
        )


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_clopper_pearson_never_covers_less_than_it_says(side):
    for cases in range(1, 31):
        assert min(
            covered(cases, "clopper-pearson", side, [Fraction(k, 60) for k in range(61)])
        ) >= Fraction(19, 20)


def test_clopper_pearson_covers_just_enough_right_beside_its_own_bounds():
    """Where a guarantee is tightest: a hair inside and outside of a bound."""
    for cases in (4, 17, 30):
        bounds = [
            br.rate_interval(seen, cases, method="clopper-pearson").low
            for seen in range(1, cases + 1)
        ]
        beside = [Fraction(bound) + Fraction(step, 10**9) for bound in bounds for step in (-1, 1)]
        assert min(covered(cases, "clopper-pearson", "both", beside)) >= Fraction(
            19, 20
        ) - Fraction(1, 10**6)


def test_wilson_gives_no_such_guarantee_which_is_why_the_ends_are_not_left_to_it():
    assert min(covered(30, "wilson", "both", [Fraction(k, 200) for k in range(1, 200)])) < Fraction(
        90, 100
    )


@pytest.mark.parametrize("cases", [30, 50, 100])
def test_without_a_method_every_rate_is_covered_93_times_in_100_but_for_what_a_study_cannot_see(
    cases,
):
    """What CONVENTIONS asks of default intervals from thirty cases on (93 % less three standard
    errors of 10,000 sets), by exact sums.
    """
    assert min(
        covered(cases, None, "both", [Fraction(k, 1000) for k in range(1, 501)])
    ) >= Fraction(922, 1000)


# Size, and what is refused.


def test_a_million_billion_cases_keep_their_digits():
    cases, missed = 10**15, 0.025
    one = br.rate_interval(1, cases, method="clopper-pearson")
    assert one.high == pytest.approx(stats.gamma(2).isf(missed) / cases, rel=1e-6)
    assert one.low == pytest.approx(-math.log1p(-missed) / cases, rel=1e-6)
    assert br.rate_interval(0, cases).high == pytest.approx(-math.log(0.05) / cases, rel=1e-9)
    assert 1 - br.rate_interval(cases, cases).low == pytest.approx(-math.log(0.05) / cases, rel=0.1)
    half = br.rate_interval(cases // 2, cases)
    assert half.width == pytest.approx(2 * 1.959964 * math.sqrt(0.25 / cases), rel=1e-5)
    for method in METHODS:
        found = br.rate_interval(7, cases, method=method)
        assert 0 < found.low < 7 / cases < found.high < 1e-13


def test_whole_numbers_of_any_type_are_taken():
    plain = br.rate_interval(45, 50)
    assert (
        br.rate_interval(np.int64(45), np.int32(50))
        == br.rate_interval(45.0, np.float64(50))
        == plain
    )


@pytest.mark.parametrize(
    ("seen", "cases"),
    [
        (5, 4),
        (-1, 4),
        (0, 0),
        (1.5, 3),
        (1, 3.5),
        (True, 3),
        (1, True),
        ("1", 3),
        (None, 3),
        (math.nan, 3),
        (1, math.inf),
        (1, 10**15 + 1),
    ],
)
def test_what_is_no_number_out_of_a_number_is_refused(seen, cases):
    assert_refused(
        "BR551",
        "a number of successes among a number of cases, in whole numbers; got",
        lambda: br.rate_interval(seen, cases),
    )


@pytest.mark.parametrize("level", [0, 1, 0.49, 1.5, -0.95, math.nan, "0.95", True, None, 200])
def test_a_level_outside_of_a_half_and_one_is_refused(level):
    assert_refused(
        "BR580",
        r"level lies between 0\.5 and 1, got .*level=0\.95",
        lambda: br.rate_interval(1, 2, level=level),
    )


def test_a_level_in_percent_is_told_as_a_share():
    assert_refused("BR580", r"got 90\. Fix: level=0\.9\.", lambda: br.rate_interval(1, 2, level=90))


def test_an_unknown_side_or_method_is_refused_with_those_there_are():
    assert_refused(
        "BR580",
        "a side is 'both', 'lower', 'upper', got \"left\"",
        lambda: br.rate_interval(1, 2, side="left"),
    )
    assert_refused(
        "BR581",
        'no method "wald" for a rate.* wilson, clopper-pearson, jeffreys',
        lambda: br.rate_interval(1, 2, method="wald"),
    )


def test_an_interval_says_its_bounds_in_words():
    assert (
        repr(br.rate_interval(45, 50, method="wilson"))
        == "Interval: rate 0.9, 95 % from 0.7864 to 0.9565 (wilson)"
    )
    assert (
        repr(br.rate_interval(95, 100, side="lower", level=0.975))
        == "Interval: rate 0.95, 97.5 % at least 0.8872 (clopper-pearson)"
    )
    found = br.rate_interval(45, 50)
    assert 0.8 in found
    assert 0.7 not in found
