"""Comparing several models: Holm by closed testing; and what a difference says."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.two_models import joint, models

import baserate as br
from baserate.inference.resample import bootstrap_p, holm

# Several models.


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holms_adjustment_is_closed_testing_by_bonferroni(p_values):
    places = range(len(p_values))
    families = [
        family for size in range(1, len(p_values) + 1) for family in combinations(places, size)
    ]
    local = {
        family: min(1.0, len(family) * min(p_values[place] for place in family))
        for family in families
    }
    expected = [max(local[family] for family in families if place in family) for place in places]
    assert holm(p_values) == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_keeps_the_order_and_lies_between_each_p_value_and_bonferronis(p_values):
    adjusted = holm(p_values)
    assert all(
        p <= q <= min(1.0, len(p_values) * p) for p, q in zip(p_values, adjusted, strict=True)
    )
    assert [q for _, q in sorted(zip(p_values, adjusted, strict=True))] == sorted(adjusted)


def test_every_pair_is_compared_and_adjusted():
    whole = joint("abcd")
    found = br.compare(whole, br.auc, level=0.9)
    assert [one.models for one in found] == list(combinations("abcd", 2))
    for one in found:
        alone = br.compare(whole, br.auc, pair=one.models, level=0.9)
        assert (one.value, one.low, one.high, one.p_value, one.level) == (
            alone.value,
            alone.low,
            alone.high,
            alone.p_value,
            0.9,
        )
        assert alone.p_adjusted is None
    assert [one.p_adjusted for one in found] == holm([one.p_value for one in found])
    assert any(one.p_adjusted > one.p_value for one in found)


def test_models_placed_once_are_compared_as_each_pair_by_itself():
    rng = np.random.default_rng(5)
    y = np.arange(60) % 3 == 0
    several = br.count(y, {name: np.round(rng.normal(size=60) + y, 1) for name in "abcdef"})
    found = br.compare(several, "auc")
    for one, pair in zip(found, combinations("abcdef", 2), strict=True):
        alone = br.compare(several, "auc", pair=pair)
        assert (one.models, one.values, one.notes) == (pair, alone.values, alone[0].notes)
        assert (one.low, one.high, one.p_value) == (alone.low, alone.high, alone.p_value)


def test_every_model_is_compared_against_one():
    found = br.compare(joint("abcd"), "tpr", against="c", threshold=1.0)
    assert [one.models for one in found] == [("c", "a"), ("c", "b"), ("c", "d")]
    assert {one.method for one in found} == {"mcnemar"}
    assert [one.p_adjusted for one in found] == holm([one.p_value for one in found])


def test_two_models_need_no_adjustment():
    (found,) = br.compare(joint(), br.auc)
    assert found.p_adjusted is None


def test_the_bootstrap_compares_the_same_pair_alike_whatever_other_models_there_are():
    three, two = (
        br.compare(joint("abc"), br.curves.ks, pair=("a", "b"), replicates=100),
        br.compare(joint("ab"), br.curves.ks, replicates=100),
    )
    labels, scores = models("abc")
    of_two = br.compare(
        br.count(labels, {name: scores[name] for name in "ab"}), br.curves.ks, replicates=100
    )
    assert three == of_two
    assert two.models == three.models


# What a difference says.


def difference(**changes):
    known = {
        "value": 0.1,
        "low": 0.02,
        "high": 0.18,
        "p_value": 0.01,
        "method": "delong",
        "models": ("a", "b"),
        "values": (0.7, 0.8),
        "name": "auc",
    }
    return br.Difference(**{**known, **changes})


@pytest.mark.parametrize(
    ("value", "better", "favoured"),
    [
        (0.1, "higher", "b"),
        (-0.1, "higher", "a"),
        (0.1, "lower", "a"),
        (-0.1, "lower", "b"),
        (0.0, "higher", None),
        (-0.0, "lower", None),
    ],
)
def test_a_difference_favours_the_better_model_whichever_way_is_better(value, better, favoured):
    assert difference(value=value, better=better).favours == favoured


@pytest.mark.parametrize(
    ("p_value", "p_adjusted", "level", "significant"),
    [
        (0.049, None, 0.95, True),
        (0.051, None, 0.95, False),
        (0.01, 0.06, 0.95, False),
        (0.01, 0.03, 0.95, True),
        (0.01, None, 0.999, False),
    ],
)
def test_a_difference_is_significant_below_what_may_be_missed_after_adjustment(
    p_value, p_adjusted, level, significant
):
    assert (
        difference(p_value=p_value, p_adjusted=p_adjusted, level=level).significant is significant
    )


def test_a_p_value_of_what_may_be_missed_is_not_below_it():
    assert bootstrap_p(np.array([-1.0] * 49 + [1.0] * 1950)) == 0.05
    assert not difference(p_value=0.05, level=0.95).significant


def test_a_difference_says_which_model_is_taken_from_which():
    assert (
        repr(difference())
        == "Difference: auc of b - a 0.1, 95 % from 0.02 to 0.18, p = 0.01 (delong)"
    )
    assert (
        repr(difference(p_adjusted=0.03))
        == "Difference: auc of b - a 0.1, 95 % from 0.02 to 0.18, p = 0.01, 0.03 after Holm"
        " (delong)"
    )
    assert "\x1b" not in repr(difference(models=("a", "\x1b[31mred")))
