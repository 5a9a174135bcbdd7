"""Distributions of base rates and costs: means, parts below a value and quadrature, against scipy
and closed forms.
"""

import math

import numpy as np
import pytest
from scipy import stats

import baserate as br

CASES = [
    (br.Pilot(3, 500), stats.beta(3.5, 497.5)),
    (br.Pilot(0, 40), stats.beta(0.5, 40.5)),
    (br.LogUniform(1e-5, 1e-2), stats.loguniform(1e-5, 1e-2)),
    (br.LogNormal(50.0, 3.0), stats.lognorm(math.log(3), scale=50.0)),
    (br.Distribution(stats.beta(2, 998)), stats.beta(2, 998)),
    (br.Distribution(stats.gamma(4, scale=30)), stats.gamma(4, scale=30)),
]


@pytest.mark.parametrize(("part", "law"), CASES)
def test_mean_and_parts_are_those_of_scipy(part, law):
    assert part.mean == pytest.approx(law.mean(), rel=1e-13)
    breaks = law.ppf([1e-6, 0.01, 0.3, 0.9, 0.999])
    values, weights = part.places(breaks=breaks)
    below = [values < value for value in breaks]
    shares = [weights[some].sum() for some in below]
    assert shares == pytest.approx(law.cdf(breaks), rel=1e-12)
    parts = [
        law.expect(lambda x: x, lb=law.support()[0], ub=value, epsabs=0, epsrel=1e-12)
        for value in breaks
    ]
    assert [np.dot(weights[some], values[some]) for some in below] == pytest.approx(parts, rel=1e-9)


@pytest.mark.parametrize(("part", "law"), CASES)
@pytest.mark.parametrize("power", [1, 2, 3])
def test_powers_are_integrated_to_ten_digits(part, law, power):
    values, weights = part.places()
    assert weights.sum() == pytest.approx(1, rel=1e-13)
    assert np.dot(values**power, weights) == pytest.approx(law.moment(power), rel=1e-10)


def test_precision_over_a_log_uniform_prior_has_a_closed_form():
    low, high, t, f = 1e-6, 1e-4, 0.9, 0.001
    values, weights = br.LogUniform(low, high).places()
    # p·t / (p·t + (1 − p)·f) over dp / p
    closed = (
        t / (t - f) * math.log((f + (t - f) * high) / (f + (t - f) * low)) / math.log(high / low)
    )
    assert np.dot(values * t / (values * t + (1 - values) * f), weights) == pytest.approx(
        closed, rel=1e-13
    )


def test_a_log_normal_prior_is_taken_given_that_it_lies_below_one():
    prior = br.Conditions(prior=br.LogNormal("1%", 4)).prior
    law = stats.lognorm(math.log(4), scale=0.01)
    assert prior.most == 1
    assert prior.mean == pytest.approx(
        law.expect(lambda x: x, ub=1, epsabs=0, epsrel=1e-12) / law.cdf(1), rel=1e-10
    )
    assert np.dot(*prior.places()) == pytest.approx(prior.mean, rel=1e-12)
    drawn = br.Conditions(prior=br.LogNormal(0.01, 4)).draw(np.random.default_rng(0), 20_000).prior
    assert 0 < drawn.min() < drawn.max() <= 1
    assert stats.kstest(drawn, lambda x: law.cdf(x) / law.cdf(1)).pvalue > 1e-3


def test_a_list_is_draws_and_a_frozen_distribution_is_taken_as_it_is():
    assert br.Conditions(prior=[0.001, "1%"]).prior == br.Draws([0.001, 0.01])
    assert br.Conditions(costs={"fn": [10, 20]}).costs["fn"] == br.Draws([10, 20])
    law = stats.beta(2, 998)
    assert br.Conditions(prior=law).prior == br.Distribution(law)
    assert str(br.Conditions(prior=law)).startswith("base rates from a distribution about 0.001679")
    assert "about 0.01, within a factor of 4 (log-normal)" in str(
        br.Conditions(prior=br.LogNormal(0.01, 4))
    )
    assert (
        stats.kstest(
            br.Conditions(prior=law).draw(np.random.default_rng(1), 20_000).prior, law.cdf
        ).pvalue
        > 1e-3
    )


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (br.LogNormal(0, 3), "BR503: prior 0"),
        (
            br.LogNormal(0.1, 1),
            "BR588: a log-normal prior has a median above 0 and a factor above 1",
        ),
        (br.LogNormal(0.1, "3"), "BR588: a log-normal prior"),
        (br.LogNormal(0.5, 3), r"BR588: 26\.4 % of this log-normal prior lies above 1"),
        (br.LogNormal("sample", 3), "BR503: the sample's own prior cannot be one"),
        (stats.norm(0.1, 0.01), "BR588: this distribution of base rates is not confined to 0 to 1"),
        (br.Distribution(3), "BR588: 3 is not a distribution"),
        ([], "BR588: draws of prior"),
        ([0.1, 1.5], "BR503: prior must lie strictly between 0 and 1"),
    ],
)
def test_base_rates_that_are_none_are_refused(prior, message):
    with pytest.raises(br.InputError, match=message):
        br.Conditions(prior=prior)


@pytest.mark.parametrize("cost", [br.LogNormal(-3, 2), br.LogNormal(3, 0.5)])
def test_costs_that_are_none_are_refused(cost):
    with pytest.raises(br.InputError, match="BR588: a log-normal cost of fn"):
        br.Conditions(costs={"fn": cost})


def test_a_cost_that_may_fall_below_what_catching_costs_is_refused():
    with pytest.raises(br.InputError, match="BR510: fn cost"):
        br.Conditions(costs={"fn": br.LogNormal(10, 3), "tp": 1})
    with pytest.raises(br.InputError, match="BR510: fn cost"):
        br.Conditions(costs={"fn": stats.norm(10, 3)})
