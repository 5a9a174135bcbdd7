"""Averages over what is believed, and what learning is worth: against integrals to many digits over
every setting.
"""

import itertools
import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats
from tests.decisions import generated
from tests.decisions.worked import CELLS, F1_A, F1_B
from tests.robustness import oracle_prospects as oracle

import baserate as br
from baserate.inference.decide import decide

MODELS = {"A": F1_A, "B": F1_B}
EVERY = oracle.settings(CELLS)


def crossings(lines):
    """Where any two straight lines (at 0, slope) cross."""
    found = set()
    for i, (a, b) in enumerate(lines):
        for c, d in lines[:i]:
            if b != d:
                found.add((c - a) / (b - d))
    return sorted(found)


def average_least(lines, density, low, high):
    """The average of the least of straight lines, between every two crossings on its own."""
    with mpmath.workdps(30):
        places = [low, *(x for x in crossings(lines) if low < x < high), high]
        exact = [
            (mpmath.mpf(a.numerator) / a.denominator, mpmath.mpf(b.numerator) / b.denominator)
            for a, b in lines
        ]
        return mpmath.quad(
            lambda x: density(x) * min(a + b * x for a, b in exact),
            [mpmath.mpf(p.numerator) / p.denominator for p in places],
        )


def in_prior(rates, costs):
    """The cost of a setting as a straight line in the prior."""
    fp, fn, tp, tn = map(Fraction, costs)
    at_zero = oracle.cost(rates, Fraction(0), fp, fn, tp, tn)
    return at_zero, oracle.cost(rates, Fraction(1), fp, fn, tp, tn) - at_zero


def beta_density(a, b):
    whole = mpmath.beta(a, b)
    return lambda x: x ** (a - 1) * (1 - x) ** (b - 1) / whole


LINES = [in_prior(rates, (5, 500, 5, 0)) for rates in EVERY.values()]
LOG_UNIFORM = lambda x: 1 / (x * mpmath.log(100))  # noqa: E731


@pytest.mark.parametrize(
    ("prior", "density", "ends"),
    [
        (br.LogUniform(1e-5, 1e-3), LOG_UNIFORM, (Fraction(1, 10**5), Fraction(1, 10**3))),
        (
            br.Pilot(3, 5000),
            beta_density(mpmath.mpf("3.5"), mpmath.mpf("4997.5")),
            (Fraction(0), Fraction(1, 50)),
        ),
        (stats.beta(2, 998), beta_density(2, 998), (Fraction(0), Fraction(1, 10))),
        (
            stats.uniform(0.0001, 0.0099),
            lambda _: 1 / mpmath.mpf("0.0099"),
            (Fraction(1, 10**4), Fraction(1, 100)),
        ),
    ],
    ids=["log-uniform", "pilot", "beta", "uniform"],
)
def test_the_least_cost_is_averaged_over_the_prior_to_ten_digits(prior, density, ends):
    at = br.Conditions(prior=prior, costs={"fp": 5, "fn": 500, "tp": 5})
    found = br.robustness.regret(MODELS, "A", 6, at=at)
    truth = average_least(LINES, density, *ends)
    assert float(abs(found.least - truth) / truth) < 1e-10
    assert found.error < 1e-10 * found.least
    fixed = average_least([in_prior(EVERY["A", 6], (5, 500, 5, 0))], density, *ends)
    assert float(abs(found.cost - fixed) / fixed) < 1e-10
    assert abs(found.value - float(fixed - truth)) < 1e-10


@pytest.mark.parametrize("cost", ["fn", "fp"])
def test_the_least_cost_is_averaged_over_a_cost_to_ten_digits(cost):
    order = {"fp": 0, "fn": 1}
    plain = [5, 500, 0, 0]
    spread = br.LogNormal(plain[order[cost]], 3)
    at = br.Conditions(prior=0.001, costs={"fp": 5, "fn": 500, cost: spread})
    lines = []
    for rates in EVERY.values():
        ends = []
        for value in (0, 1):
            costs = list(map(Fraction, plain))
            costs[order[cost]] = Fraction(value)
            ends.append(oracle.cost(rates, Fraction(1, 1000), *costs))
        lines.append((ends[0], ends[1] - ends[0]))
    sigma, median = mpmath.log(3), plain[order[cost]]

    def density(x):
        return mpmath.exp(-((mpmath.log(x / median) / sigma) ** 2) / 2) / (
            x * sigma * mpmath.sqrt(2 * mpmath.pi)
        )

    with mpmath.workdps(30):
        places = sorted(
            {
                Fraction(1, 10**6),
                *(Fraction(median) * Fraction(10) ** k for k in range(-5, 6)),
                *crossings(lines),
            }
            - {Fraction(0)}
        )
        places = [p for p in places if p > 0]
        exact = [
            (mpmath.mpf(a.numerator) / a.denominator, mpmath.mpf(b.numerator) / b.denominator)
            for a, b in lines
        ]
        at_places = [mpmath.mpf(p.numerator) / p.denominator for p in places]
        truth = mpmath.quad(lambda x: density(x) * min(a + b * x for a, b in exact), at_places)
    found = br.robustness.regret(MODELS, "A", 6, at=at)
    assert float(abs(found.least - truth) / truth) < 1e-10


def test_over_two_parts_the_error_is_within_what_is_stated():
    at = br.Conditions(prior=br.LogUniform(1e-5, 1e-3), costs={"fp": 5, "fn": br.LogNormal(500, 3)})
    found = br.robustness.regret(MODELS, "A", 6, at=at)
    rates = np.array([(float(f), float(t)) for f, t in EVERY.values()])

    def inner(prior):
        lines = [(float(f) * 5 * (1 - prior), prior * float(1 - t)) for f, t in EVERY.values()]
        breaks = [math.log(x / 500) / math.log(3) for x in crossings(lines) if x > 0]
        places = sorted({-9.0, *(z for z in breaks if -9 < z < 10), 10.0})

        def value(z):
            fn = 500 * np.exp(np.log(3) * z)
            return (
                (prior * fn * (1 - rates[:, 1]) + (1 - prior) * 5 * rates[:, 0]).min()
                * np.exp(-z * z / 2)
                / np.sqrt(2 * np.pi)
            )

        return sum(
            integrate.quad(value, a, b, epsabs=1e-14, epsrel=1e-12)[0]
            for a, b in itertools.pairwise(places)
        )

    # Averaged over the cost, it is smooth in the prior.
    place, weight = np.polynomial.legendre.leggauss(24)
    truth = sum(
        w / 2 * inner(math.exp(math.log(1e-4) + x * math.log(10)))
        for x, w in zip(place.tolist(), weight.tolist(), strict=True)
    )
    assert found.error < 1e-10
    assert abs(found.least - truth) < 1e-10


@pytest.mark.parametrize("seed", range(20))
def test_learning_is_worth_the_regret_of_not_knowing(seed):
    rng = random.Random(f"learn {seed}")
    models = {name: generated.counts(generated.cells(rng, both=True, most=7)) for name in "ab"}
    at = br.Conditions(prior=br.LogUniform(0.001, 0.3), costs={"fn": br.LogUniform(2, 50)})
    found = br.robustness.value_of_information(models, at=at)
    assert found.value >= 0
    chosen = decide(models, at=at)
    assert found.value == pytest.approx(chosen.regret.value, abs=found.error + 1e-12)
    assert found.now == pytest.approx(chosen.regret.cost, rel=1e-12)


def test_what_learning_is_worth_needs_a_distribution():
    for at in (br.Conditions(0.1), br.Conditions(prior="1e-5..1e-3"), br.Conditions(prior=0.1)):
        with pytest.raises(
            br.InputError, match="BR588: what learning is worth on average needs a distribution"
        ):
            br.robustness.value_of_information(MODELS, at=at)
    groups = {"m": br.count([0, 1, 0, 1], [1, 2, 3, 4], by=["a", "a", "b", "b"])}
    with pytest.raises(
        br.InputError, match="BR588: the value of information is computed for one site at a time"
    ):
        br.robustness.value_of_information(groups, at=br.Conditions(prior=br.LogUniform(0.01, 0.1)))
