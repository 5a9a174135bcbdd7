"""Mixtures of two thresholds: only on request, labelled, never worse, and as good as any mixture
can be.
"""

import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.strategies import seeds

import baserate as br

COUNTS = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
NAMES = tuple(oracle.PARTS)
STRAIGHT = (
    "tpr",
    "fpr",
    "precision",
    "npv",
    "posfrac",
    "accuracy",
    "f1",
    "jaccard",
    "expected_cost",
    "informedness",
    "kappa",
    "lift",
    "nne",
)
CURVED = ("mcc", "g_mean", "markedness", "fowlkes_mallows", "diagnostic_odds_ratio", "sedi")


def exactly(point):
    return tuple(map(Fraction, point.confusion))


def chosen(counts, *arguments, **asked):
    try:
        return br.choose(counts, *arguments, **asked)
    except br.Infeasible:
        return None


@pytest.mark.parametrize("seed", seeds(150))
def test_a_mixture_is_never_worse_and_as_good_as_any(seed):
    rng = random.Random(f"mix {seed}")
    data = generated.cells(rng, both=True, most=7)
    at, truth = generated.at(rng, known=True)
    text, terms, _ = generated.rule(rng, NAMES, 2, sensible=True)
    plain, mixed = (chosen(generated.counts(data), text, at=at, mix=mix) for mix in (False, True))
    best = oracle.best_mixture(data, terms, "expected_cost", truth)
    assert (mixed is None) == (best is None)
    if mixed is None:
        return
    cost = oracle.value("expected_cost", exactly(mixed), truth)
    assert cost == best
    assert all(oracle.holds(term, exactly(mixed), truth) for term in terms)
    assert plain is None or cost <= oracle.value("expected_cost", exactly(plain), truth)
    if plain is not None and cost == oracle.value("expected_cost", exactly(plain), truth):
        assert mixed == plain, "no mixture where a threshold is as good"


@pytest.mark.parametrize("name", STRAIGHT)
def test_every_straight_measure_can_be_optimized_by_mixing(name):
    rng = random.Random(f"mix {name}")
    for _ in range(25):
        data = generated.cells(rng, both=True, most=6)
        at, truth = generated.at(rng, known=True)
        text, terms, _ = generated.rule(rng, ("tpr", "tnr", "posfrac"), 2, sensible=True)
        best = oracle.best_mixture(data, terms, name, truth)
        mixed = chosen(generated.counts(data), text, at=at, mix=True, optimize=name)
        if best is None:
            assert mixed is None
        else:
            assert oracle.value(name, exactly(mixed), truth) == best


def test_a_mixture_is_labelled_with_its_two_thresholds_and_share():
    point = br.choose(COUNTS, "tpr >= 0.75", mix=True)
    assert point.how == "mixture"
    assert (point.threshold, point.lower_threshold, point.share) == (3, 2, 0.5)
    assert (point.tp, point.fp) == (7.5, 11)
    assert repr(point).startswith(
        "OperatingPoint: score ≥ 2 for 50 % of the cases, score ≥ 3 for the rest; tpr 0.75"
    )
    first = br.choose(COUNTS, "tpr >= 0.3", mix=True, at=br.Conditions(1e-6))
    assert (first.threshold, first.lower_threshold, first.share) == (None, 3, 0.5)
    assert repr(first).startswith(
        "OperatingPoint: score ≥ 3 for 50 % of the cases, nothing for the rest; tpr 0.3"
    )


def test_no_mixture_without_asking():
    assert br.choose(COUNTS, "tpr >= 0.75").how == "threshold"
    assert br.choose(COUNTS, "tpr >= 0.75").threshold == 2


def test_a_mixture_makes_feasible_what_no_threshold_is():
    with pytest.raises(br.Infeasible, match="no threshold has tpr >= 0.7 and fpr <= 0.15"):
        br.choose(COUNTS, "tpr >= 0.7 and fpr <= 0.15")
    point = br.choose(COUNTS, "tpr >= 0.7 and fpr <= 0.15", mix=True)
    assert point.tpr == 0.7
    assert point.fpr == pytest.approx(0.01 + 0.2 / 3)
    with pytest.raises(br.Infeasible, match="BR530"):
        br.choose(COUNTS, "tpr >= 0.9 and fpr <= 0.15", mix=True)


def test_a_mixture_fills_a_budget_on_the_hull():
    counts = br.Counts([4, 3, 2, 1], [5, 0, 5, 0], [1, 9, 0, 85])
    tie = br.choose(counts, "alerts <= 12", volume=105)
    mixed = br.choose(counts, "alerts <= 12", volume=105, mix=True)
    assert (tie.threshold, tie.lower_threshold, tie.tp, tie["alerts"]) == (4, 3, 5, 12)
    assert (mixed.threshold, mixed.lower_threshold, mixed["alerts"]) == (4, 2, 12)
    assert mixed.tp == pytest.approx(5 + 5 * 6 / 14)
    assert "BR523" not in [note.code for note in mixed.notes]  # nothing of the budget is left


def test_a_budget_that_ends_at_a_corner_of_the_hull_needs_no_mixture():
    for budget, threshold in ((7, 3), (30, 2)):
        point = br.choose(COUNTS, f"alerts <= {budget}", volume=110, mix=True)
        assert (point.how, point.threshold, point.share) == ("threshold", threshold, 1)


@pytest.mark.parametrize("name", CURVED)
def test_measures_that_bend_between_thresholds_are_refused(name):
    with pytest.raises(
        br.InputError, match=f"BR534: {name} may rise and fall between two thresholds"
    ):
        br.choose(COUNTS, optimize=name, mix=True)
    with pytest.raises(
        br.InputError, match=f"BR534: {name} may rise and fall between two thresholds"
    ):
        br.choose(COUNTS, f"{name} >= 0.1", mix=True)


def test_a_mixture_whose_objective_is_undefined_is_no_answer():
    with pytest.raises(br.Infeasible, match="BR530"):
        br.choose(COUNTS, "posfrac <= 0", optimize="precision", mix=True)


def test_a_mixture_may_be_pinned_to_one_value():
    point = br.choose(COUNTS, "tpr >= 0.75 and tpr <= 0.75", mix=True)
    assert (point.how, point.tpr, point.share) == ("mixture", 0.75, 0.5)
    corner = br.choose(COUNTS, "tpr >= 0.6 and tpr <= 0.6", mix=True)
    assert (corner.how, corner.threshold) == ("threshold", 3)
