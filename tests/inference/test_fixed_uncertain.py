"""Intervals at a fixed point, at conditions that are not known exactly."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.inference.oracle_fixed import (
    DRAWS,
    FEW,
    MIDDLE,
    assert_bounds,
    codes,
    jeffreys,
    spread,
    value_of,
    values_over,
)

import baserate as br
from baserate.inference.fixed_point import believed

RISING = {"precision": 1, "posfrac": 1, "npv": -1, "f1": 1}


@pytest.mark.parametrize("name", RISING)
@pytest.mark.parametrize("confusion", [FEW, MIDDLE])
def test_over_a_range_a_measure_that_rises_with_the_prior_lies_between_the_bounds_at_its_ends(
    name, confusion
):
    low, high = (
        br.interval(confusion, name, at=br.Conditions(prior=prior))
        for prior in (0.001, 0.1)[:: RISING[name]]
    )
    at = br.Conditions(prior="0.001..0.1")
    found = br.interval(confusion, name, at=at)
    assert (found.low, found.high) == (low.low, high.high)
    assert found.value == br.measure(confusion, name, at=br.Conditions(prior=0.01))
    assert found.at == at
    text = next(note.text for note in found.notes if note.code == "BR588")
    assert text == (
        "the widest bounds over base rates from 0.1% to 10%; the value is the one at a base rate of"
        " 1%"
    )


def test_over_a_range_a_measure_that_rises_and_falls_holds_everywhere():
    at = br.Conditions(prior="0.01..0.99")
    found = br.interval(MIDDLE, "mcc", at=at)
    inside = [br.interval(MIDDLE, "mcc", at=br.Conditions(prior=one.prior)) for one in at.pinned()]
    assert found.low == min(one.low for one in inside)
    assert found.high == max(one.high for one in inside)
    assert found.high > max(inside[0].high, inside[-1].high)


def test_over_ranges_of_costs_the_cost_lies_between_its_corners():
    at = br.Conditions(prior="0.001..0.1", costs={"fn": br.Range(10, 1000), "fp": 2})
    found = br.interval(MIDDLE, "expected_cost", at=at)
    corners = [
        br.interval(MIDDLE, "expected_cost", at=br.Conditions(prior, br.Costs(fn=fn, fp=2)))
        for prior in (0.001, 0.1)
        for fn in (10, 1000)
    ]
    assert (found.low, found.high) == (
        min(one.low for one in corners),
        max(one.high for one in corners),
    )


def test_costs_in_a_range_leave_a_rate_alone_and_the_samples_prior_in_doubt():
    at = br.Conditions(costs={"fn": br.Range(1, 50)})
    assert br.interval(MIDDLE, "precision", at=at).method == "wilson"
    found = br.interval(MIDDLE, "expected_cost", at=at)
    own = stats.beta(50.5, 1000.5)
    assert_bounds(
        found, values_over("expected_cost", jeffreys(MIDDLE), own, br.Costs(fn=1)), 0.025, 0
    )
    assert_bounds(
        found, values_over("expected_cost", jeffreys(MIDDLE), own, br.Costs(fn=50)), 0, 0.025
    )


@pytest.mark.parametrize("name", ["precision", "posfrac"])
@pytest.mark.parametrize(
    ("part", "law"),
    [
        (br.Pilot(4, 100), stats.beta(4.5, 96.5)),
        (br.LogUniform(0.001, 0.3), stats.loguniform(0.001, 0.3)),
    ],
)
def test_a_prior_that_is_drawn_is_integrated_over_with_both_rates(name, part, law):
    found = br.interval(MIDDLE, name, at=br.Conditions(prior=part))
    assert_bounds(found, values_over(name, jeffreys(MIDDLE), law), 0.025, 0.025)
    assert "BR588" not in codes(found)


def test_a_pilot_leaves_more_in_doubt_than_a_known_prior_and_a_huge_one_does_not():
    known = br.interval(MIDDLE, "precision", at=br.Conditions(prior=0.02))
    widths = [
        br.interval(MIDDLE, "precision", at=br.Conditions(prior=br.Pilot(2 * k, 100 * k)))
        for k in (1, 10, 100, 10**9)
    ]
    assert sorted((one.width for one in widths), reverse=True) == [one.width for one in widths]
    assert widths[0].low < known.low < known.high < widths[0].high
    assert np.allclose((widths[-1].low, widths[-1].high), (known.low, known.high), rtol=1e-3)
    assert {one.value for one in widths} == {known.value}


def test_the_value_at_a_distribution_is_the_average_over_it():
    rates = (0.8, 0.01)
    found = br.interval(MIDDLE, "precision", at=br.Conditions(prior=br.LogUniform(0.001, 0.3)))
    priors = spread(stats.loguniform(0.001, 0.3), 20_000)
    values = value_of("precision", *rates, priors)
    assert math.isclose(found.value, values.mean(), abs_tol=4.5 * values.std() / math.sqrt(DRAWS))
    assert abs(found.value - value_of("precision", *rates, math.sqrt(0.0003))) > 0.01
    given_ = br.interval(
        MIDDLE, "precision", at=br.Conditions(prior=br.Draws([0.001, 0.01, 0.1, 0.4]))
    )
    assert math.isclose(
        given_.value,
        np.mean([value_of("precision", *rates, p) for p in (0.001, 0.01, 0.1, 0.4)]),
        rel_tol=1e-9,
    )


def test_draws_of_the_costs_are_averaged_over_and_widen_the_interval():
    at = br.Conditions(prior=0.1, costs={"fn": br.Draws([10, 20, 60]), "fp": 1})
    found, known = (
        br.interval(MIDDLE, "expected_cost", at=at),
        br.interval(MIDDLE, "expected_cost", at=br.Conditions(0.1, br.Costs(fn=30))),
    )
    assert math.isclose(found.value, known.value, rel_tol=1e-3)
    assert found.low < known.low
    assert found.high > known.high


def test_one_bound_over_a_range_is_the_worst_one_of_the_range():
    at = br.Conditions(prior="0.001..0.1")
    worst = br.interval(MIDDLE, "precision", at=br.Conditions(prior=0.001), side="lower")
    found = br.interval(MIDDLE, "precision", at=at, side="lower")
    assert (found.low, found.high, found.method) == (worst.low, 1, "clopper-pearson-draws")


def test_draws_of_one_length_belong_together_and_of_others_go_with_each():
    together = br.Conditions(
        prior=br.Draws([0.1, 0.2]), costs={"fn": br.Draws([5.0, 7.0]), "fp": 1.0}
    )
    found = believed(together)
    assert list(zip(found.prior, found.fn, strict=True)) == [(0.1, 5.0), (0.2, 7.0)]
    assert found.weights.tolist() == [0.5, 0.5]
    each = br.Conditions(
        prior=br.Draws([0.1, 0.2]), costs={"fn": br.Draws([5.0, 7.0, 9.0]), "fp": 1.0}
    )
    found = believed(each)
    assert sorted(zip(found.prior, found.fn, strict=True)) == [
        (prior, fn) for prior in (0.1, 0.2) for fn in (5.0, 7.0, 9.0)
    ]
    assert found.weights == pytest.approx([1 / 6] * 6)


def test_what_is_known_exactly_is_one_place_and_a_pilot_its_share():
    at = br.Conditions(prior=br.Pilot(5, 100), costs={"fn": 7, "fp": 1})
    assert [column.tolist() for column in believed(at)] == [[0.05], [1], [7], [0], [0], [1.0]]
    spread_out = believed(at, pilots=True)
    assert len(spread_out.weights) > 100
    mean = np.dot(spread_out.weights, spread_out.prior)
    assert mean == pytest.approx(5.5 / 101, rel=1e-6)
