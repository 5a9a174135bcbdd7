"""Decisions, and what follows from conditions alone, are made at the prior as written; measures are
functions of the float that it shows.
"""

import copy
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.strategies import seeds

import baserate as br

TENTH = Fraction(1, 10)
# At one tenth and costs of 9 to 1, threshold 2 (tpr 0.5, fpr 0.5) costs what flagging nothing
# costs.
EVEN = br.Counts([2, 1], [1, 1], [1, 1])
NINE = br.Costs(fp=1, fn=9)


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        (0.1, TENTH),
        ("0.1", TENTH),
        ("10%", TENTH),
        ("1 in 10", TENTH),
        ("1:9", TENTH),
        (TENTH, TENTH),
        (1e-9, Fraction(1, 10**9)),
        (0.123456789012, Fraction(123456789012, 10**12)),
        (0.1234567890123, Fraction(0.1234567890123)),
        (1 / 3, Fraction(1 / 3)),
        (0.1 + 0.2, Fraction(0.1 + 0.2)),
        (np.float64(0.1), TENTH),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        ("1 in 3", Fraction(1, 3)),
        ("0.333333333333333333333", Fraction(333333333333333333333, 10**21)),
    ],
)
def test_the_exact_prior_is_the_one_that_was_written(written, exact):
    at = br.Conditions(written)
    assert at.exact_prior == exact
    assert at.prior == float(exact)


@pytest.mark.parametrize("seed", seeds(200))
def test_a_float_of_at_most_12_digits_is_its_decimal_and_any_other_is_itself(seed):
    rng = random.Random(f"meant {seed}")
    for number in (
        rng.random(),
        round(rng.random(), rng.randint(1, 14)) or 0.5,
        float(f"{rng.random():.{rng.randint(0, 14)}e}"),
    ):
        if 0 < number < 1:
            assert br.Conditions(number).exact_prior == oracle.meant(number)


def test_the_samples_own_prior_is_the_ratio_of_the_class_totals():
    assert br.choose(br.Counts([2, 1], [1, 0], [1, 1])).at.exact_prior == Fraction(1, 3)
    weighted = br.choose(br.Counts([2.0, 1.0], [0.5, 0.25], [1.5, 0.0])).at
    assert weighted.exact_prior == Fraction(1, 3)


def test_conditions_without_data_have_no_exact_prior():
    with pytest.raises(br.InputError, match="BR509: the prior is the sample's own"):
        _ = br.Conditions().exact_prior


@pytest.mark.parametrize("written", [0.1, "0.1", "10%", "1 in 10", "1:9", TENTH])
def test_costs_that_are_equal_at_the_prior_as_written_are_a_tie(written):
    assert br.choose(EVEN, at=br.Conditions(written, NINE)).threshold is None, (
        "equals go to the point that flags least"
    )


def test_a_prior_beyond_the_tolerance_is_no_tie():
    above, below = 0.1 + 1e-12, 0.1 - 1e-12
    assert Fraction(above) > TENTH > Fraction(below)
    assert br.choose(EVEN, at=br.Conditions(above, NINE)).threshold is not None
    assert br.choose(EVEN, at=br.Conditions(below, NINE)).threshold is None


@pytest.mark.parametrize("written", [0.3, "30%", "3 in 10"])
def test_limits_are_met_exactly_at_the_prior_as_written(written):
    """posfrac = 0.3 · 1 + 0.7 · 0.5 = 65 %, alerts 650 of 1,000: the float 0.3 is a little less
    than three tenths.
    """
    counts, at = br.Counts([2, 1], [2, 0], [1, 1]), br.Conditions(written)
    for rule in ("posfrac <= 65%", "posfrac >= 65%"):
        assert br.choose(counts, rule, at=at, optimize="tpr").threshold == 2
    budget = br.choose(counts, "alerts <= 650", at=at, volume=1000)
    assert (budget.how, budget.threshold, budget["alerts"]) == ("threshold", 2, 650)
    assert br.fix(counts, "posfrac = 0.65", at=at).interpolated.threshold == 2
    assert br.fix(counts, "posfrac = 0.65", at=at).interpolated.share == 1


@pytest.mark.parametrize("prior", [0.1, 0.3, 1 / 3, "1 in 3", "0.7"])
def test_what_follows_from_conditions_alone_is_rounded_once(prior):
    at = br.Conditions(prior, br.Costs(fp=3, fn=7))
    exact = at.exact_prior
    assert at.skew == float((1 - exact) / exact)
    assert at.effective_prior == float(7 * exact / (7 * exact + 3 * (1 - exact)))
    assert (
        at.iso_cost_slope
        == br.curves.ideal_baseline(at).slope
        == float(3 * (1 - exact) / (7 * exact))
    )
    odds = Fraction(3, 7) / (exact / (1 - exact))
    assert at.cut(0.5).score == float(odds / (1 + odds))


@pytest.mark.parametrize("prior", [0.1, 0.3, 1 / 3, "1 in 3", "0.7"])
def test_measures_are_functions_of_the_float(prior):
    at = br.Conditions(prior, br.Costs(fp=3, fn=7))
    shown = Fraction(at.prior)
    confusion = br.Confusion(tp=5, fp=3, fn=2, tn=11)
    truth = oracle.At(shown, (0, 3, 7, 0))
    for name in ("precision", "npv", "posfrac", "expected_cost", "f1"):
        assert br.measure(confusion, name, at=at) == float(oracle.value(name, (5, 3, 2, 11), truth))
        assert br.measure(confusion, name, at=br.Conditions(at.prior, at.costs)) == br.measure(
            confusion, name, at=at
        )


@pytest.mark.parametrize("prior", ["1 in 3", Fraction(2, 7), "1:9"])
def test_the_prior_as_written_survives_copies(prior):
    at = br.Conditions(prior, br.Costs(fn=3))
    for twin in (pickle.loads(pickle.dumps(at)), copy.deepcopy(at), copy.copy(at)):
        assert twin == at
        assert twin.exact_prior == at.exact_prior
    point = br.choose(EVEN, at=at)
    assert pickle.loads(pickle.dumps(point)).at.exact_prior == point.at.exact_prior


@pytest.mark.parametrize("seed", seeds(100))
def test_rules_at_the_edge_are_decided_as_written(seed):
    """The limit is the value at one of the points, at a prior that floats cannot hold."""
    rng = random.Random(f"edge {seed}")
    data = generated.cells(rng, both=True)
    prior = rng.choice([0.1, 0.3, 0.7, "1 in 10", "30%", 0.001])
    truth = oracle.At({"1 in 10": TENTH, "30%": Fraction(3, 10)}.get(prior, oracle.meant(prior)))
    name = rng.choice(["posfrac", "accuracy", "error", "precision"])
    _, counted = rng.choice(oracle.points(data)[1:])
    limit = oracle.value(name, counted, truth)
    if Fraction(repr(float(limit))) != limit:
        limit = Fraction(round(limit * 10**6), 10**6)
    for sense in (">=", "<="):
        expected = oracle.choose(data, [oracle.Term(name, sense, limit, {})], "tpr", truth)
        if expected:
            point = br.choose(
                generated.counts(data),
                f"{name} {sense} {float(limit)!r}",
                at=br.Conditions(prior),
                optimize="tpr",
            )
            assert (point.threshold, tuple(map(Fraction, point.confusion))) == expected


def test_conditions_filled_from_one_sample_mean_as_in_the_sample_on_another():
    first, second = br.Counts([2, 1], [1, 1], [1, 7]), br.Counts([2, 1], [5, 5], [1, 1])
    filled = br.choose(first, at=br.Conditions(costs=NINE)).at
    assert (filled.prior, filled.as_in_sample) == (0.2, True)
    own = Fraction(10, 12)
    assert br.choose(second, at=filled).at.exact_prior == own
    assert br.choose(second, threshold=2, at=filled).at.exact_prior == own
    assert br.fix(second, "tpr = 0.5", at=filled).attained.at.exact_prior == own
    assert br.curves.random_classifier(second, 0.5, at=filled).precision == float(own)
    assert br.measure(second, "precision", threshold=1, at=filled) == float(own)
    assert br.choose(second, at=filled).at.costs == NINE
    assert "BR526" not in [note.code for note in br.choose(second, at=filled).notes]


def test_the_ideal_baseline_of_other_counts_is_at_their_own_prior():
    first, second = br.Counts([2, 1], [1, 1], [1, 7]), br.Counts([2, 1], [5, 5], [1, 1])
    assert br.curves.ideal_baseline(br.choose(first).at, second).at.exact_prior == Fraction(10, 12)
