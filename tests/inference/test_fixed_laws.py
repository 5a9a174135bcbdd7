"""What holds of every interval at a fixed point, and where an outcome was not seen."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.inference.oracle_fixed import (
    COSTS,
    FEW,
    MIDDLE,
    WITHIN_A_CLASS,
    assert_bounds,
    codes,
    toward,
    values_over,
)

import baserate as br
from baserate.inference import fixed_point

# Laws.


CASES = st.integers(1, 300)


UNSEEN = [
    br.Confusion(tp=4000, fp=0, fn=1000, tn=500),
    br.Confusion(tp=0, fp=30, fn=50, tn=9000),
    br.Confusion(tp=500, fp=900, fn=0, tn=20),
    br.Confusion(tp=30, fp=4000, fn=9, tn=0),
]


@pytest.mark.parametrize("name", ["posfrac", "accuracy", "expected_cost", "f1"])
@pytest.mark.parametrize("confusion", UNSEEN)
def test_where_an_outcome_was_not_seen_the_bounds_still_hold_what_was(name, confusion):
    for prior in (0.0001, 0.3):
        found = br.interval(confusion, name, at=br.Conditions(prior=prior))
        assert found.method == "clopper-pearson-draws"
        assert found.low <= found.value <= found.high


@pytest.mark.parametrize("name", ["posfrac", "accuracy", "expected_cost"])
@pytest.mark.parametrize(
    "confusion", [br.Confusion(tp=40, fp=0, fn=10, tn=990), br.Confusion(tp=50, fp=10, fn=0, tn=90)]
)
def test_where_an_outcome_was_not_seen_half_of_what_may_be_missed_lies_on_each_side(
    name, confusion
):
    found = br.interval(confusion, name, at=br.Conditions(0.05, COSTS))
    assert (found.side, found.method) == ("both", "clopper-pearson-draws")
    for side, tails in (("lower", (0.025, 0)), ("upper", (0, 0.025))):
        assert_bounds(
            found, values_over(name, toward(confusion, name, side, 0.05), 0.05, COSTS), *tails
        )
    assert found == br.interval(
        confusion, name, at=br.Conditions(0.05, COSTS), method="clopper-pearson-draws"
    )


@pytest.mark.parametrize("name", ["precision", "npv", "posfrac", "f1", "expected_cost"])
def test_the_same_rates_of_fewer_cases_are_known_less_well(name):
    widths = [
        br.interval(
            br.Confusion(tp=8 * k, fp=3 * k, fn=2 * k, tn=97 * k),
            name,
            at=br.Conditions(prior=0.05),
        ).width
        for k in (1, 3, 9, 27, 1000)
    ]
    assert sorted(widths, reverse=True) == widths
    assert widths[-1] < widths[0] / 10


@settings(max_examples=15)
@given(CASES, CASES, CASES, CASES, st.floats(0.001, 0.5), st.floats(0.001, 0.5))
def test_another_prior_moves_the_log_odds_of_precision_and_nothing_else(
    tp, fp, fn, tn, prior, other
):
    confusion = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
    here, there = (
        br.interval(confusion, "precision", at=br.Conditions(prior=p)) for p in (prior, other)
    )
    moved = math.log(prior / (1 - prior)) - math.log(other / (1 - other))
    for one, two in ((here.low, there.low), (here.high, there.high), (here.value, there.value)):
        assert math.isclose(
            math.log(one / (1 - one)) - math.log(two / (1 - two)), moved, abs_tol=1e-9
        )


@settings(max_examples=15)
@given(CASES, CASES, CASES, CASES, st.floats(0.001, 0.5))
def test_complements_have_the_complementary_interval(tp, fp, fn, tn, prior):
    confusion, at = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), br.Conditions(prior=prior)
    for name, other in (
        ("precision", "fdr"),
        ("npv", "false_omission_rate"),
        ("accuracy", "error"),
    ):
        one, two = br.interval(confusion, name, at=at), br.interval(confusion, other, at=at)
        assert np.allclose((one.low, one.high), (1 - two.high, 1 - two.low), rtol=0, atol=1e-14)


@settings(max_examples=15)
@given(CASES, CASES, CASES, CASES, st.floats(0.001, 0.5), st.floats(1, 1e9))
def test_a_number_of_cases_scales_exactly_with_the_volume(tp, fp, fn, tn, prior, volume):
    confusion, at = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), br.Conditions(prior=prior)
    share, cases = (
        br.interval(confusion, "posfrac", at=at),
        br.interval(confusion, "alerts", at=at, volume=volume),
    )
    assert np.allclose(
        np.array((share.low, share.high)) * volume, (cases.low, cases.high), rtol=1e-12
    )
    cost, total = (
        br.interval(confusion, "expected_cost", at=at),
        br.interval(confusion, "volume_cost", at=at, volume=volume),
    )
    assert np.allclose(
        np.array((cost.low, cost.high)) * volume, (total.low, total.high), rtol=1e-12
    )


@settings(max_examples=20)
@given(
    CASES,
    st.integers(0, 300),
    st.integers(0, 300),
    CASES,
    st.floats(0.001, 0.5),
    st.sampled_from(["precision", "posfrac", "npv", "f1"]),
)
@example(1, 0, 0, 1, 0.5, "precision")
def test_the_value_lies_within_its_bounds_and_bounds_within_the_range(tp, fp, fn, tn, prior, name):
    for side in ("lower", "upper", "both"):
        found = br.interval(
            br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), name, at=br.Conditions(prior=prior), side=side
        )
        assert 0 <= found.low <= found.high <= 1
        assert found.low <= found.value <= found.high


def test_the_same_seed_gives_the_same_bounds_and_another_does_not():
    at = br.Conditions(prior=0.01)
    one, two, other = (br.interval(MIDDLE, "precision", at=at, seed=seed) for seed in (7, 7, 8))
    assert one == two
    assert (one.low, one.high) != (other.low, other.high)
    assert math.isclose(one.low, other.low, rel_tol=0.02)


def test_measures_of_one_point_do_not_depend_on_what_was_asked_before():
    at = br.Conditions(prior=0.01)
    fixed_point._rates_drawn.cache_clear()
    alone = br.interval(MIDDLE, "npv", at=at)
    fixed_point._rates_drawn.cache_clear()
    br.interval(MIDDLE, "precision", at=at, side="lower")
    br.interval(FEW, "posfrac", at=at)
    assert br.interval(MIDDLE, "npv", at=at) == alone


# Nothing seen.


def test_without_false_alarms_precision_is_known_on_one_side_only():
    confusion = br.Confusion(tp=40, fp=0, fn=10, tn=990)
    found = br.interval(confusion, "precision", at=br.Conditions(prior=0.01))
    assert (found.value, found.high, found.side, found.method) == (
        1.0,
        1.0,
        "lower",
        "clopper-pearson-draws",
    )
    assert "BR584" in codes(found)
    assert "none of 990 negatives was flagged" in next(
        note.text for note in found.notes if note.code == "BR584"
    )
    assert_bounds(
        found, values_over("precision", (stats.beta(40, 11), stats.beta(1, 990)), 0.01), 0.05, 0
    )
    assert "at least" in repr(found)


def test_without_false_alarms_their_number_is_bounded_from_above():
    found = br.interval(
        br.Confusion(tp=40, fp=0, fn=10, tn=990),
        "false_alarms",
        at=br.Conditions(prior=0.01),
        volume=1000,
    )
    assert (found.value, found.low, found.side) == (0.0, 0.0, "upper")
    assert math.isclose(found.high, 990 * (1 - 0.05 ** (1 / 990)), rel_tol=0.05)


def test_what_is_known_on_both_sides_keeps_both_and_still_says_so():
    found = br.interval(
        br.Confusion(tp=40, fp=0, fn=10, tn=990), "posfrac", at=br.Conditions(prior=0.01)
    )
    assert (found.side, found.method) == ("both", "clopper-pearson-draws")
    assert found.low < found.value < found.high
    assert "BR584" in codes(found)
    assert "BR584" not in codes(br.interval(MIDDLE, "posfrac", at=br.Conditions(prior=0.01)))


def test_where_nothing_is_flagged_what_is_zero_is_bounded_from_above_and_precision_refused():
    nothing = br.Confusion(tp=0, fp=0, fn=50, tn=1000)
    for name, seen, whole in (("tpr", 0, 50), ("posfrac", 0, 1050), ("fpr", 0, 1000)):
        found = br.interval(nothing, name)
        assert (found.value, found.low, found.side) == (0.0, 0.0, "upper")
        assert math.isclose(found.high, 1 - 0.05 ** (1 / whole)), seen
        assert "BR584" in codes(found)
    found = br.interval(nothing, "posfrac", at=br.Conditions(prior=0.2))
    assert (found.low, found.side) == (0.0, "upper")
    assert_bounds(
        found, values_over("posfrac", (stats.beta(1, 50), stats.beta(1, 1000)), 0.2), 0, 0.05
    )
    for at in (None, br.Conditions(prior=0.2)):
        with pytest.raises(
            br.InputError, match=r"BR589: precision is undefined here \(nothing flagged\)"
        ):
            br.interval(nothing, "precision", at=at)


@pytest.mark.parametrize(
    ("name", "confusion", "message"),
    [
        (
            "npv",
            br.Confusion(tp=50, fp=1000, fn=0, tn=0),
            "BR589: npv is undefined here .everything flagged.",
        ),
        ("nne", br.Confusion(tp=0, fp=10, fn=50, tn=90), "BR589: nne is undefined here"),
        (
            "tpr",
            br.Confusion(tp=0, fp=10, fn=0, tn=90),
            "BR589: tpr is undefined here .no positives., and so is its interval",
        ),
        (
            "fpr",
            br.Confusion(tp=10, fp=0, fn=5, tn=0),
            "BR589: fpr is undefined here .no negatives., and so is its interval",
        ),
    ],
)
def test_what_is_undefined_has_no_interval(name, confusion, message):
    with pytest.raises(br.InputError, match=message):
        br.interval(confusion, name)


@pytest.mark.parametrize("at", [None, br.Conditions(prior=0.1)])
@pytest.mark.parametrize("name", WITHIN_A_CLASS)
def test_a_rate_within_a_class_needs_cases_of_that_class_only(name, at):
    alone = (
        br.Confusion(tp=40, fp=0, fn=10, tn=0)
        if name in ("tpr", "fnr")
        else br.Confusion(tp=0, fp=10, fn=0, tn=990)
    )
    found, expected = br.interval(alone, name, at=at), br.interval(MIDDLE, name)
    assert (found.value, found.low, found.high, found.method) == (
        expected.value,
        expected.low,
        expected.high,
        expected.method,
    )
    with pytest.raises(
        br.InputError,
        match="BR589: expected_cost is undefined here .no (positives|negatives) in the sample.",
    ):
        br.interval(alone, "expected_cost", at=br.Conditions(prior=0.1))


def test_a_perfect_point_has_one_sided_bounds_without_a_warning():
    perfect = br.Confusion(tp=5, fp=0, fn=0, tn=5)
    for name in ("precision", "npv", "accuracy", "f1", "mcc"):
        found = br.interval(perfect, name, at=br.Conditions(prior=0.1))
        assert (found.value, found.high, found.side) == (1.0, 1.0, "lower")
        assert 0 < found.low < 1 or (name == "mcc" and -1 < found.low < 1)


# Ratios without a bound.


@pytest.mark.parametrize(
    "confusion",
    [
        br.Confusion(tp=18, fp=0, fn=2, tn=480),
        br.Confusion(tp=20, fp=3, fn=0, tn=480),
        br.Confusion(tp=20, fp=0, fn=0, tn=480),
    ],
)
def test_the_odds_ratio_has_a_lower_bound_where_no_error_of_a_kind_was_seen(confusion):
    found = br.interval(confusion, "diagnostic_odds_ratio")
    assert math.isnan(found.value)
    assert (found.side, found.method, found.high) == ("lower", "clopper-pearson-draws", math.inf)
    assert 1 < found.low < math.inf
    assert "Only a lower limit is known" in next(
        note.text for note in found.notes if note.code == "BR584"
    )
    assert repr(found).startswith("Interval: diagnostic_odds_ratio undefined, 95 % at least ")
    assert found.low < br.interval(confusion, "diagnostic_odds_ratio", level=0.8).low


def test_the_lower_bound_of_an_odds_ratio_is_above_it_in_at_most_five_of_a_hundred_samples():
    """Every sample of 12 positives and 40 negatives in which an error of a kind is missing, with
    its probability.
    """
    positives, negatives = 12, 40
    unseen = [
        (tp, fp)
        for tp in range(1, positives + 1)
        for fp in range(negatives)
        if tp == positives or fp == 0
    ]
    lows = {
        pair: (
            br.interval(
                br.Confusion(
                    tp=pair[0], fp=pair[1], fn=positives - pair[0], tn=negatives - pair[1]
                ),
                "diagnostic_odds_ratio",
            ).low
        )
        for pair in unseen
    }
    for tpr in (0.5, 0.8, 0.95, 0.99):
        for fpr in (0.001, 0.01, 0.05, 0.3):
            true = tpr / (1 - tpr) * (1 - fpr) / fpr
            chances = [
                stats.binom.pmf(tp, positives, tpr) * stats.binom.pmf(fp, negatives, fpr)
                for tp, fp in unseen
                if lows[tp, fp] > true
            ]
            assert sum(chances) <= 0.05


def test_a_ratio_of_nothing_to_nothing_has_no_bound_either():
    for confusion in (
        br.Confusion(tp=0, fp=0, fn=20, tn=480),
        br.Confusion(tp=20, fp=480, fn=0, tn=0),
    ):
        with pytest.raises(br.InputError, match="BR589: diagnostic_odds_ratio is undefined here"):
            br.interval(confusion, "diagnostic_odds_ratio")
    with pytest.raises(br.InputError, match="BR589"):
        br.interval(br.Confusion(tp=18, fp=0, fn=2, tn=480), "diagnostic_odds_ratio", side="upper")
    assert br.interval(br.Confusion(tp=18, fp=0, fn=2, tn=480), "lr_positive").side == "lower"
