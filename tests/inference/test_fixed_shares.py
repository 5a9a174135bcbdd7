"""Intervals at a fixed point of what is so many cases out of so many: binomials."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.inference.oracle_fixed import (
    CONFUSIONS,
    MIDDLE,
    NOISY,
    WITHIN_A_CLASS,
    assert_bounds,
    jeffreys,
    values_over,
)

import baserate as br
from baserate.inference import rates

COUNTED = {
    "tpr": (("tp",), ("tp", "fn")),
    "fnr": (("fn",), ("tp", "fn")),
    "fpr": (("fp",), ("fp", "tn")),
    "tnr": (("tn",), ("fp", "tn")),
    "precision": (("tp",), ("tp", "fp")),
    "fdr": (("fp",), ("tp", "fp")),
    "npv": (("tn",), ("tn", "fn")),
    "false_omission_rate": (("fn",), ("tn", "fn")),
    "posfrac": (("tp", "fp"), ("tp", "fp", "fn", "tn")),
    "accuracy": (("tp", "tn"), ("tp", "fp", "fn", "tn")),
    "error": (("fp", "fn"), ("tp", "fp", "fn", "tn")),
    "jaccard": (("tp",), ("tp", "fp", "fn")),
}


def counted(name, confusion):
    above, below = COUNTED[name]
    return sum(getattr(confusion, part) for part in above), sum(
        getattr(confusion, part) for part in below
    )


def wilson(seen, whole, z):
    p, n = seen / whole, whole
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (p + z * z / (2 * n) - half) / (1 + z * z / n), (p + z * z / (2 * n) + half) / (
        1 + z * z / n
    )


@pytest.mark.parametrize("confusion", CONFUSIONS)
@pytest.mark.parametrize("name", COUNTED)
def test_at_the_samples_own_prior_a_share_is_a_binomial_of_its_own_numerator_and_denominator(
    name, confusion
):
    found, (seen, whole) = br.interval(confusion, name), counted(name, confusion)
    assert math.isclose(found.value, seen / whole)
    if min(seen, whole - seen) >= rates.FEW:
        assert found.method == "wilson"
        low, high = wilson(seen, whole, stats.norm.ppf(0.975))
    else:
        assert found.method == "clopper-pearson"
        low, high = (
            stats.beta.ppf(0.025, seen, whole - seen + 1),
            stats.beta.ppf(0.975, seen + 1, whole - seen),
        )
    assert np.allclose((found.low, found.high), (low, high), rtol=1e-9)
    assert (found.side, found.name, found.replicates) == ("both", name, None)


@pytest.mark.parametrize("name", ["tpr", "precision", "accuracy"])
@pytest.mark.parametrize(("side", "tails"), [("lower", (0.1, None)), ("upper", (None, 0.9))])
def test_one_bound_of_a_share_is_that_of_clopper_and_pearson(name, side, tails):
    found, (seen, whole) = br.interval(NOISY, name, side=side, level=0.9), counted(name, NOISY)
    low = 0.0 if tails[0] is None else stats.beta.ppf(tails[0], seen, whole - seen + 1)
    high = 1.0 if tails[1] is None else stats.beta.ppf(tails[1], seen + 1, whole - seen)
    assert np.allclose((found.low, found.high), (low, high), rtol=1e-9)
    assert (found.method, found.side, found.level) == ("clopper-pearson", side, 0.9)


@pytest.mark.parametrize("name", WITHIN_A_CLASS)
@pytest.mark.parametrize(
    "at",
    [
        br.Conditions(prior=0.3),
        br.Conditions(prior="0.01..0.1"),
        br.Conditions(prior=br.Pilot(1, 20)),
    ],
)
def test_a_rate_within_a_class_is_known_as_well_at_any_prior(name, at):
    here, there = br.interval(MIDDLE, name), br.interval(MIDDLE, name, at=at)
    assert (there.low, there.high, there.method) == (here.low, here.high, here.method)


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson", "jeffreys"])
def test_a_share_by_name_is_the_rate_interval_of_that_name(method):
    found, expected = (
        br.interval(MIDDLE, "precision", method=method),
        br.rate_interval(40, 50, method=method),
    )
    assert (found.low, found.high, found.method) == (expected.low, expected.high, method)


def test_f1_at_the_samples_prior_is_no_share_and_its_prior_is_drawn_too():
    """2·TP beside FP + FN: not so many out of so many."""
    found = br.interval(NOISY, "f1")
    assert found.method == "jeffreys-draws"
    own = stats.beta(50.5, 1000.5)
    assert_bounds(found, values_over("f1", jeffreys(NOISY), own), 0.025, 0.025)


def test_a_number_of_cases_at_the_samples_own_prior_is_a_share_of_the_volume():
    found = br.interval(MIDDLE, "alerts", volume=2000)
    low, high = wilson(50, 1050, stats.norm.ppf(0.975))
    assert np.allclose(
        (found.low, found.high, found.value), (2000 * low, 2000 * high, 2000 * 50 / 1050)
    )
    assert (found.method, found.name) == ("wilson", "alerts(volume=2000)")
