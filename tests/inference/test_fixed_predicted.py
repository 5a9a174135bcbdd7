"""Numbers of cases to come: what is known of the rates, and the luck of the day on top."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.inference.oracle_fixed import DRAWS, MIDDLE, jeffreys, spread, values_over

import baserate as br


@pytest.mark.parametrize("volume", [20, 1000])
@pytest.mark.parametrize("name", ["alerts", "caught", "missed", "false_alarms"])
def test_what_will_be_counted_has_the_luck_of_the_day_on_top(name, volume):
    prior = 0.1
    found = br.interval(
        MIDDLE, name, at=br.Conditions(prior=prior), volume=volume, method="predictive"
    )
    shares = values_over(name, jeffreys(MIDDLE), prior)
    shares = spread(stats.rv_histogram(np.histogram(shares, 4000)), 1500)
    luck = 4.5 * math.sqrt(0.025 * 0.975 / DRAWS) + 0.001
    for bound, share in ((found.low, 0.025), (found.high, 0.975)):
        assert np.mean(stats.binom.cdf(bound - 1, volume, shares)) <= share + luck
        assert np.mean(stats.binom.cdf(bound, volume, shares)) >= share - luck
    plain = br.interval(MIDDLE, name, at=br.Conditions(prior=prior), volume=volume)
    assert found.low < plain.low < plain.high < found.high
    assert (found.method, found.side, found.value) == ("predictive", "both", plain.value)


def test_what_will_be_counted_is_a_whole_number_of_cases():
    for volume in (50, 1000):
        found = br.interval(
            MIDDLE, "alerts", at=br.Conditions(prior=0.1), volume=volume, method="predictive"
        )
        assert found.low.is_integer()
        assert found.high.is_integer()


def test_of_a_large_volume_too_a_whole_number_of_cases_is_predicted():
    bounds = []
    for seed in range(5):
        found = br.interval(
            MIDDLE,
            "alerts",
            at=br.Conditions(prior=0.01),
            volume=1_000_000,
            method="predictive",
            seed=seed,
        )
        bounds += [found.low, found.high]
    assert all(bound.is_integer() for bound in bounds)


def test_cases_to_come_at_the_samples_own_prior_are_not_those_of_a_share():
    plain, found = (
        br.interval(MIDDLE, "alerts", volume=1000, method=method)
        for method in ("jeffreys", "predictive")
    )
    assert found.method == "predictive"
    assert found.width > 1.2 * plain.width


@pytest.mark.parametrize(
    ("name", "volume"),
    [
        ("precision", None),
        ("posfrac", None),
        ("volume_cost", 1000),
        ("expected_cost", None),
        ("tpr", None),
    ],
)
def test_only_numbers_of_cases_are_predicted(name, volume):
    with pytest.raises(br.InputError, match="BR581: .* is not a number of cases among a volume"):
        br.interval(MIDDLE, name, at=br.Conditions(prior=0.1), volume=volume, method="predictive")
