"""Who is cheapest at which base rate: exact borders, against every threshold of every model at many
priors.
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import F1_A, F1_B
from tests.strategies import seeds

import baserate as br
from baserate import Points
from baserate.decisions.roc_geometry import corners, regions

COSTS = br.Costs(fp=5, fn=500, tp=5, tn=0)


def money(costs):
    tp, fp, fn, tn = costs
    return br.Costs(tp=tp, fp=fp, fn=fn, tn=tn)


def assert_wins(models, costs, wins):
    """In the middle of every win, and at many priors, exactly the models named are cheapest."""
    assert (wins[0].low, wins[-1].high) == (0, 1)
    assert all(a.high == b.low for a, b in itertools.pairwise(wins))
    middles = [(win, (Fraction(win.low) + Fraction(win.high)) / 2) for win in wins]
    dense = [
        (win, Fraction(k, 97))
        for k in range(1, 97)
        for win in wins
        if Fraction(win.low) < Fraction(k, 97) < Fraction(win.high)
    ]
    for win, prior in [*middles, *dense]:
        if abs(float(prior) - win.low) < 1e-12 or abs(float(prior) - win.high) < 1e-12:
            continue
        found = oracle.cheapest(models, prior, costs)
        lowest = min(found.values())
        assert set(win.models) == {name for name, cost in found.items() if cost == lowest}


@pytest.mark.parametrize("seed", seeds(150))
def test_the_winners_are_those_of_brute_force(seed):
    rng = random.Random(f"winners {seed}")
    models = {name: generated.cells(rng, both=True, most=8) for name in "abc"[: rng.randint(1, 3)]}
    costs = generated.costs(rng)
    wins = br.curves.winners(
        {name: generated.counts(data) for name, data in models.items()}, money(costs)
    )
    assert_wins(models, costs, wins)
    for win in wins:
        for name, threshold in zip(win.models, win.thresholds, strict=True):
            if name in models:
                _, counted = next(
                    point for point in oracle.points(models[name]) if point[0] == threshold
                )
                assert (win.tpr, win.fpr) == (
                    float(counted[0] / (counted[0] + counted[2])),
                    float(counted[1] / (counted[1] + counted[3])),
                )


@pytest.mark.parametrize("seed", seeds(60))
def test_the_winner_of_one_model_is_what_choose_chooses(seed):
    rng = random.Random(f"chosen {seed}")
    data, costs = generated.cells(rng, both=True), generated.costs(rng)
    counts = generated.counts(data)
    for win in br.curves.winners({"m": counts}, money(costs)):
        prior = (win.low + win.high) / 2
        if not win.low < prior < win.high or prior < 1e-12 or prior > 1 - 1e-12:
            continue
        point = br.choose(counts, at=br.Conditions(prior, money(costs)))
        assert (point.tpr, point.fpr) == pytest.approx((win.tpr, win.fpr))


def test_scenario_4_borders_to_every_digit():
    wins = br.curves.winners({"A": F1_A, "B": F1_B}, COSTS)
    runs = [
        (names, list(group)) for names, group in itertools.groupby(wins, key=lambda win: win.models)
    ]
    assert [names for names, _ in runs] == [("flag nothing",), ("B",), ("A",), ("flag everything",)]
    assert [f"{group[-1].high:.6g}" for _, group in runs] == [
        "4.12284e-06",
        "7.65616e-05",
        "0.198314",
        "1",
    ]


def test_scenario_4_costs_at_one_in_a_thousand():
    at = br.Conditions(prior=0.001, costs=COSTS)
    a, b = (br.choose(counts, at=at) for counts in (F1_A, F1_B))
    assert (a.threshold, f"{a.expected_cost:.6g}") == (5, "0.192094")
    assert (b.threshold, f"{b.expected_cost:.6g}") == (5, "0.303469")
    assert br.curves.random_classifier(F1_A, 0, at=at).expected_cost == 0.5
    assert br.curves.random_classifier(F1_A, 1, at=at).expected_cost == 5


def test_scenario_4_borders_are_where_choose_changes_its_mind():
    for border, below, above in ((4.12284e-6, None, 9), (0.198314, 2, 0)):
        low, high = (
            br.choose(F1_B if border < 1e-4 else F1_A, at=br.Conditions(border * factor, COSTS))
            for factor in (0.999, 1.001)
        )
        assert low.threshold == below or (
            below is not None and low.threshold is not None and low.threshold > 0
        )
        assert high.threshold == above
    note = next(
        note.text
        for note in br.choose(F1_B, at=br.Conditions(1e-6, COSTS)).notes
        if note.code == "BR524"
    )
    assert note.endswith("no threshold is better below a base rate of 4.12284e-06")


def test_costs_shift_the_borders_by_the_effective_prior_alone():
    equal, dear = (
        br.curves.winners({"A": F1_A, "B": F1_B}),
        br.curves.winners({"A": F1_A, "B": F1_B}, COSTS),
    )
    assert [(w.models, w.thresholds) for w in equal] == [(w.models, w.thresholds) for w in dear]
    for one, other in zip(equal[:-1], dear[:-1], strict=True):
        assert br.Conditions(other.high, COSTS).effective_prior == pytest.approx(one.high)


def test_a_shared_corner_is_a_tie():
    nothing, both, everything = br.curves.winners(
        {"m": br.Counts([2, 1], [6, 2], [1, 7]), "n": br.Counts([9, 1], [3, 1], [10, 70])}
    )
    assert (both.models, both.thresholds) == (("m", "n"), (2, 9))
    assert (nothing.models, everything.models) == (("flag nothing",), ("flag everything",))
    assert (nothing.thresholds, everything.thresholds) == ((None,), (float("-inf"),))


def test_a_perfect_model_always_wins_and_a_useless_one_never():
    (win,) = br.curves.winners({"m": br.Counts([2, 1], [5, 0], [0, 5])})
    assert (win.models, win.low, win.high, win.tpr, win.fpr) == (("m",), 0, 1, 1, 0)
    nothing, everything = br.curves.winners(
        {"m": br.Counts([2, 1], [1, 4], [4, 1])}, br.Costs(fp=1, fn=3)
    )
    assert nothing.high == everything.low == 0.25


@pytest.mark.parametrize("costs", [(1, 2), 5, {"fp": 1, "fn": 2}, "fn=2", br.Conditions(0.5)])
def test_costs_that_are_no_costs_are_refused(costs):
    with pytest.raises(
        br.InputError, match=f"BR513: costs must be Costs, got {type(costs).__name__}"
    ):
        br.curves.winners({"A": F1_A}, costs)


@pytest.mark.parametrize("name", ["flag nothing", "flag everything"])
def test_models_may_not_be_named_as_the_answers_for_all(name):
    with pytest.raises(br.InputError, match=f'BR410: a model is named "{name}"'):
        br.curves.winners({"A": F1_A, name: F1_B})


def test_winners_needs_models_with_both_classes():
    for models in ({}, None, [F1_A], F1_A):
        with pytest.raises(
            br.InputError, match="BR410: the counts of each model are needed by name"
        ):
            br.curves.winners(models)
    with pytest.raises(br.InputError, match='BR552: "m" has cases of one class only'):
        br.curves.winners({"m": br.Counts([1], [1], [0])})


@pytest.mark.parametrize("seed", seeds(30))
def test_a_rule_that_every_point_satisfies_leaves_every_winner(seed):
    rng = random.Random(f"masks {seed}")
    data = {name: generated.cells(rng, both=True, most=8) for name in "ab"}
    models = {name: generated.counts(cells) for name, cells in data.items()}
    every = {name: np.ones(len(Points.of(counts)), bool) for name, counts in models.items()}
    assert regions(corners(models, every)) == regions(corners(models))


def test_under_a_rule_only_the_points_that_satisfy_it_are_corners():
    counts = br.Counts([4, 3, 2, 1], positives=[6, 2, 1, 1], negatives=[1, 2, 3, 4])
    middle = {"m": np.array([False, False, True, True, False])}
    found = corners({"m": counts}, middle)
    assert [(corner.x, corner.y, corner.settings) for corner in found] == [
        (Fraction(3, 10), Fraction(8, 10), {"m": 3}),
        (Fraction(6, 10), Fraction(9, 10), {"m": 2}),
    ]
    assert [(one.low, one.high) for one in regions(found)] == [(0, 0.75), (0.75, 1)]
    ends = {"m": np.array([True, False, False, False, True])}
    assert [list(corner.settings) for corner in corners({"m": counts}, ends)] == [
        ["flag nothing"],
        ["flag everything"],
    ]
