"""Results of inference as values: how they are shown, turned round and asked."""

import math

import numpy as np
import pytest
from tests.inference.refusals import assert_refused

import baserate as br
from baserate.results.values import (
    Difference,
    Interval,
    bounds_in_words,
    checked_replicates,
    checked_seed,
    checked_side,
    digits_apart,
    missed_in_tails,
    reverse_difference,
)


@pytest.mark.parametrize(
    ("low", "high", "least", "digits"),
    [
        (0.5, 0.6, 4, 4),
        (0.3, 0.3, 4, 4),
        (1.0, 1.0, 4, 4),
        (0.12341, 0.12344, 4, 5),
        (0.99975, 0.99981, 4, 5),
        (0.99949, 0.99955, 3, 4),
        (0.99999, 1.0, 4, 5),
        (0.99999, 0.99999, 4, 5),
        (1 - 1e-13, 1 - 1e-13, 4, 4),  # 1 but for its last digits
        (0.3, math.nextafter(0.3, 1), 4, 17),
    ],
)
def test_as_many_digits_are_shown_as_tell_two_ends_apart_and_from_1(low, high, least, digits):
    assert digits_apart(low, high, least) == digits


def test_an_interval_is_told_in_as_many_digits_as_its_statement_needs():
    both = Interval(0.99978, 0.99975, 0.99981, 0.95, "wilson", name="tpr")
    assert bounds_in_words(both) == "from 0.99975 to 0.99981"
    assert repr(both) == "Interval: tpr 0.99978, 95 % from 0.99975 to 0.99981 (wilson)"
    assert both.width == pytest.approx(6e-5)
    assert [value in both for value in (0.99975, 0.9998, 0.99981, 0.9999)] == [True] * 3 + [False]
    lower = Interval(0.9, 0.8512, 1.0, 0.95, "clopper-pearson", "lower")
    assert (bounds_in_words(lower), lower.digits) == ("at least 0.8512", 4)
    upper = Interval(0.1, 0.0, 0.1488, 0.9, "clopper-pearson", "upper")
    assert repr(upper) == "Interval: 0.1, 90 % at most 0.1488 (clopper-pearson)"
    exact = Interval(1.0, 1.0, 1.0, 0.95, "exact", name="tpr")
    assert (bounds_in_words(exact), repr(exact)) == ("exact", "Interval: tpr 1, exact")
    undefined = Interval(math.nan, math.nan, math.nan, 0.95, "undefined", name="npv")
    assert repr(undefined).startswith("Interval: npv undefined, ")


DIFFERENCE = Difference(
    -0.2, -0.3, -0.05, 0.01, "delong", ("a", "b"), (0.9, 0.7), name="auc", statistic=-2.5
)


def test_a_difference_turned_round_is_that_of_the_other_model():
    other = reverse_difference(DIFFERENCE)
    assert (other.value, other.low, other.high, other.statistic) == (0.2, 0.05, 0.3, 2.5)
    assert (other.models, other.values) == (("b", "a"), (0.7, 0.9))
    assert other.p_value == DIFFERENCE.p_value
    assert reverse_difference(other) == DIFFERENCE
    assert math.copysign(1, reverse_difference(no_difference()).value) == 1, (
        "no difference has no sign"
    )


def no_difference():
    return Difference(0.0, 0.0, 0.0, 1.0, "delong", ("a", "b"), (0.5, 0.5))


@pytest.mark.parametrize(
    ("value", "better", "favours"),
    [(-0.2, "higher", "a"), (-0.2, "lower", "b"), (0.2, "higher", "b"), (0.2, "lower", "a")],
)
def test_a_difference_favours_the_better_model(value, better, favours):
    found = Difference(value, -1, 1, 0.2, "delong", ("a", "b"), (0.5, 0.5 + value), better=better)
    assert found.favours == favours
    assert no_difference().favours is None


@pytest.mark.parametrize(
    ("p", "adjusted", "level", "significant"),
    [
        (0.049, None, 0.95, True),
        (0.05, None, 0.95, False),
        (0.02, 0.06, 0.95, False),
        (0.06, 0.06, 0.9, True),
        (0.02, None, 0.99, False),
    ],
)
def test_chance_is_ruled_out_below_the_level_after_adjustment(p, adjusted, level, significant):
    found = Difference(
        1, 0, 2, p, "delong", ("a", "b"), (0, 1), level=level, p_adjusted=adjusted, name="x"
    )
    assert found.significant is significant
    assert ("after Holm" in repr(found)) == (adjusted is not None)


def test_what_may_be_missed_is_shared_by_both_sides_or_all_on_one():
    assert missed_in_tails(0.95, "both") == pytest.approx((0.025, 0.025))
    assert missed_in_tails(0.9, "lower") == (pytest.approx(0.1), 0.0)
    assert missed_in_tails(0.9, "upper") == (0.0, pytest.approx(0.1))


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (
            checked_replicates,
            [100, 10_000_000, np.int64(2000)],
            [99, 10_000_001, 150.0, True, None],
        ),
        (checked_seed, [0, 7, np.int64(3)], [-1, 1.0, True, "1", None]),
        (checked_side, ["both", "lower", "upper"], ["left", None]),
    ],
)
def test_what_is_asked_of_resamples_and_bounds_is_checked(check, good, bad):
    for value in good:
        assert check(value) == value
    for value in bad:
        assert_refused("BR580", "BR580", lambda value=value: check(value))


def test_several_differences_have_no_number_of_their_own():
    y, s = [0] * 60 + [1] * 40, list(range(100))
    both = br.compare(br.count(y, {"a": s, "b": [*range(20, 80), *range(60, 100)], "c": s}), "auc")
    assert_refused("BR436", "3 pairs were compared: p_value is that of one", lambda: both.p_value)
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        both.colour  # noqa: B018
    one = br.compare(br.count(y, {"a": s, "c": s}), "auc")
    assert (one.p_value, one.value, one.significant) == (1.0, 0.0, False)
