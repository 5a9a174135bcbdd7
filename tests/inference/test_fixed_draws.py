"""Intervals at a fixed point and another prior: both rates are integrated over, or approximated as
Mercaldo does.
"""

import math

import pytest
from scipy import stats
from tests.inference.oracle_fixed import (
    CONFUSIONS,
    COSTS,
    DRAWS,
    FEW,
    MIDDLE,
    assert_bounds,
    jeffreys,
    toward,
    values_over,
)

import baserate as br

# At another prior.


@pytest.mark.parametrize("confusion", CONFUSIONS)
@pytest.mark.parametrize("prior", [0.001, 0.3])
@pytest.mark.parametrize(
    "name", ["precision", "npv", "posfrac", "fdr", "accuracy", "f1", "mcc", "expected_cost"]
)
def test_both_rates_are_integrated_over_at_another_prior(name, prior, confusion):
    found = br.interval(confusion, name, at=br.Conditions(prior, COSTS))
    assert (found.method, found.side, found.replicates, found.seed) == (
        "jeffreys-draws",
        "both",
        DRAWS,
        0,
    )
    assert found.value == br.measure(confusion, name, at=br.Conditions(prior, COSTS))
    assert_bounds(found, values_over(name, jeffreys(confusion), prior, COSTS), 0.025, 0.025)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_the_level_is_the_one_that_is_asked_for(level):
    found = br.interval(MIDDLE, "precision", at=br.Conditions(prior=0.01), level=level)
    assert_bounds(
        found, values_over("precision", jeffreys(MIDDLE), 0.01), (1 - level) / 2, (1 - level) / 2
    )
    assert found.level == level


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("name", ["precision", "npv", "posfrac", "accuracy", "expected_cost"])
@pytest.mark.parametrize("confusion", [FEW, MIDDLE])
def test_one_bound_draws_each_rate_from_the_safe_side(confusion, name, side):
    found = br.interval(confusion, name, at=br.Conditions(0.05, COSTS), side=side)
    assert (found.method, found.side) == ("clopper-pearson-draws", side)
    values = values_over(name, toward(confusion, name, side, 0.05), 0.05, COSTS)
    assert_bounds(found, values, *((0.05, 0) if side == "lower" else (0, 0.05)))
    other = found.high if side == "lower" else found.low
    assert other == br.Measure(name).range[side == "lower"]


@pytest.mark.parametrize("name", ["precision", "npv", "posfrac", "accuracy", "expected_cost"])
@pytest.mark.parametrize("confusion", CONFUSIONS)
def test_the_safe_bound_is_more_careful_than_that_of_jeffreys(confusion, name):
    at = br.Conditions(0.05, COSTS)
    for side, sign in (("lower", -1), ("upper", 1)):
        safe, plain = (
            br.interval(confusion, name, at=at, side=side, method=method)
            for method in ("clopper-pearson-draws", "jeffreys-draws")
        )
        ends = (safe.low, plain.low) if side == "lower" else (safe.high, plain.high)
        assert sign * ends[0] > sign * ends[1]


@pytest.mark.parametrize("confusion", [FEW, MIDDLE])
def test_safe_bounds_on_both_sides_share_what_may_be_missed(confusion):
    at = br.Conditions(prior=0.05)
    found = br.interval(confusion, "precision", at=at, method="clopper-pearson-draws")
    assert found.side == "both"
    low = values_over("precision", toward(confusion, "precision", "lower", 0.05), 0.05)
    high = values_over("precision", toward(confusion, "precision", "upper", 0.05), 0.05)
    assert_bounds(found, low, 0.025, 0)
    assert_bounds(found, high, 0, 0.025)


ONE_RATE = {"caught": ("tp", "fn", 1), "missed": ("fn", "tp", 1), "false_alarms": ("fp", "tn", 0)}


@pytest.mark.parametrize("name", ONE_RATE)
@pytest.mark.parametrize("confusion", CONFUSIONS)
def test_where_one_rate_decides_one_bound_is_that_of_clopper_and_pearson(name, confusion):
    seen_name, rest_name, of_positives = ONE_RATE[name]
    seen, rest = getattr(confusion, seen_name), getattr(confusion, rest_name)
    prior, volume = 0.02, 500
    unit = volume * (prior if of_positives else 1 - prior)
    lower, upper = (
        br.interval(confusion, name, at=br.Conditions(prior=prior), volume=volume, side=side)
        for side in ("lower", "upper")
    )
    luck = 4.5 * math.sqrt(0.05 * 0.95 / DRAWS)
    assert math.isclose(stats.beta.cdf(lower.low / unit, seen, rest + 1), 0.05, abs_tol=luck)
    assert math.isclose(stats.beta.sf(upper.high / unit, seen + 1, rest), 0.05, abs_tol=luck)


def test_where_the_other_class_is_known_very_well_precision_is_bounded_by_one_rate():
    """With a billion positives only the false alarms are in doubt, and precision falls with
    them.
    """
    confusion, prior = br.Confusion(tp=8 * 10**8, fp=7, fn=2 * 10**8, tn=993), 0.01
    found = br.interval(confusion, "precision", at=br.Conditions(prior=prior), side="lower")
    fpr = 0.8 * prior / (1 - prior) * (1 - found.low) / found.low
    assert math.isclose(
        stats.beta.sf(fpr, 8, 993), 0.05, abs_tol=4.5 * math.sqrt(0.05 * 0.95 / DRAWS)
    )


# Mercaldo.


@pytest.mark.parametrize(
    ("side", "z"),
    [
        ("both", stats.norm.ppf(0.975)),
        ("lower", stats.norm.ppf(0.95)),
        ("upper", stats.norm.ppf(0.95)),
    ],
)
@pytest.mark.parametrize("confusion", CONFUSIONS)
def test_mercaldo_is_the_published_formula(confusion, side, z):
    """With Se, Sp and p: logit(PPV) = log(Se·p / ((1 − Sp)·(1 − p))), its variance (1 − Se)/(Se·n1)
    + Sp/((1 − Sp)·n0).
    """
    tp, fp, fn, tn = confusion
    n1, n0, p = tp + fn, fp + tn, 0.07
    se, sp = tp / n1, tn / n0
    logits = {
        "precision": (
            math.log(se * p / ((1 - sp) * (1 - p))),
            (1 - se) / (se * n1) + sp / ((1 - sp) * n0),
        ),
        "npv": (
            math.log(sp * (1 - p) / ((1 - se) * p)),
            se / ((1 - se) * n1) + (1 - sp) / (sp * n0),
        ),
    }
    for name, (logit, variance) in logits.items():
        found = br.interval(
            confusion, name, at=br.Conditions(prior=p), method="mercaldo", side=side
        )
        low, high = (
            1 / (1 + math.exp(-(logit + sign * z * math.sqrt(variance)))) for sign in (-1, 1)
        )
        assert math.isclose(found.low, 0.0 if side == "upper" else low, rel_tol=1e-9)
        assert math.isclose(found.high, 1.0 if side == "lower" else high, rel_tol=1e-9)
        assert (found.method, found.side, found.replicates) == ("mercaldo", side, None)


@pytest.mark.parametrize(
    ("name", "confusion", "at", "message"),
    [
        (
            "posfrac",
            MIDDLE,
            br.Conditions(prior=0.1),
            "BR581: mercaldo is for precision and npv at a given base rate",
        ),
        (
            "precision",
            MIDDLE,
            br.Conditions(prior="0.1..0.2"),
            "BR581: mercaldo is for precision and npv",
        ),
        ("precision", MIDDLE, None, 'BR581: there is no method "mercaldo" for a rate'),
        (
            "precision",
            br.Confusion(tp=40, fp=0, fn=10, tn=990),
            br.Conditions(prior=0.1),
            "BR581: mercaldo needs some of each class on that side, here 40 and 0",
        ),
        (
            "npv",
            br.Confusion(tp=40, fp=10, fn=0, tn=990),
            br.Conditions(prior=0.1),
            "BR581: mercaldo needs some of each class on that side, here 0 and 990",
        ),
    ],
)
def test_mercaldo_is_refused_where_it_does_not_hold(name, confusion, at, message):
    with pytest.raises(br.InputError, match=message):
        br.interval(confusion, name, at=at, method="mercaldo")
