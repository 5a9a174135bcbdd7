"""`interval` by the bootstrap, at conditions that are not known exactly."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.inference.samples import counts, quantiles, text_of

import baserate as br


def recorder():
    """A statistic that is the prior it is asked at."""
    seen = []

    def asked_at(part, at=None):
        seen.append((at.prior, float(at.costs.fn)))
        return at.prior

    return asked_at, seen


def test_every_resample_has_a_draw_of_the_conditions_of_its_own():
    statistic, seen = recorder()
    at = br.Conditions(prior=br.Pilot(30, 300), costs={"fn": br.LogUniform(1, 100)})
    found = br.interval(counts(), statistic, at=at, replicates=1000)
    middle, drawn, averaged = seen[0], seen[1:1001], seen[1001:]
    assert middle == pytest.approx((0.1, 10))
    assert len(averaged) == 32 * 32
    assert found.value == pytest.approx(30.5 / 301, rel=1e-9)
    assert len(drawn) == len({prior for prior, _ in drawn}) == 1000
    priors, costs = np.array(drawn).T
    assert stats.kstest(priors, stats.beta(30.5, 270.5).cdf).pvalue > 1e-3
    assert stats.kstest(costs, stats.loguniform(1, 100).cdf).pvalue > 1e-3
    assert abs(stats.spearmanr(priors, costs).statistic) < 0.1
    assert (found.low, found.high) == quantiles(priors)
    assert found.at == at


def test_over_a_range_the_interval_of_a_chosen_threshold_is_the_widest_of_all_its_places():
    at = br.Conditions(prior="0.01..0.2")
    found = br.interval(counts(), "precision", rule="tpr >= 0.5", at=at, replicates=2000)
    point = br.choose(counts(), "tpr >= 0.5", at=at.middle())
    ends = [br.interval(point, "precision", at=br.Conditions(prior=prior)) for prior in (0.01, 0.2)]
    assert found.value == point["precision"]
    assert found.low == pytest.approx(ends[0].low, rel=0.1), "moved by the optimism"
    assert found.high == pytest.approx(ends[1].high, rel=0.1)
    assert text_of(found, "BR588").startswith("the widest bounds over base rates from 1% to 20%; ")
    assert text_of(found, "BR588").endswith("; the value is the one at a base rate of 4.472%")


def test_the_threshold_is_chosen_once_at_the_middle_of_the_conditions():
    at = br.Conditions(prior=br.Draws([0.01, 0.05, 0.2]), costs={"fn": 20})
    found = br.interval(counts(), "tpr", at=at, replicates=120)
    point = br.choose(counts(), at=at.middle())
    assert found.value == point.tpr
    assert found.low < point.tpr < found.high


@pytest.mark.parametrize("part", [br.LogUniform(1e-4, 0.3), br.Draws([0.001, 0.01, 0.5])])
def test_the_value_at_a_distribution_is_the_same_by_every_method(part):
    by_draws, again = (
        br.interval(
            counts(),
            "precision",
            threshold=1.0,
            at=br.Conditions(prior=part),
            method=method,
            replicates=200,
        )
        for method in (None, "percentile")
    )
    assert math.isclose(by_draws.value, again.value, rel_tol=0.1)


def test_the_samples_own_prior_stays_that_of_each_resample_where_only_costs_are_in_doubt():
    seen = []

    def prior_seen(part, at=None):
        seen.append((at.as_in_sample, at.costs.fn))
        return part.prior

    found = br.interval(
        counts(), prior_seen, at=br.Conditions(costs={"fn": br.Range(2, 8)}), replicates=100
    )
    assert {own for own, _ in seen} == {True}
    assert {2, 8} <= {cost for _, cost in seen}
    assert "of all cases, the prior with them" in text_of(found, "BR598")
    assert found.low < counts().prior < found.high
