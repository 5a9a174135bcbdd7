"""A budget and no costs: every command makes most of what is caught, and counts regret in positives
missed.
"""

import random
from fractions import Fraction

import numpy as np
import pytest
from tests.cli.helpers import answered, told, written
from tests.decisions.worked import F1_A, F1_B
from tests.strategies import seeds

import baserate as br
from baserate.inference.decide import decide
from baserate.inference.expectation import expect

VOLUME = 1000


def some_models(rng):
    """Two models, the second now and then worse than chance."""
    models = {}
    for name in ("a", "b"):
        size = rng.randint(2, 8)
        positives, negatives = ([rng.randint(0, 6) for _ in range(size)] for _ in range(2))
        positives[rng.randrange(size)] += 1
        negatives[rng.randrange(size)] += 1
        models[name] = br.Counts(list(range(size, 0, -1)), positives=positives, negatives=negatives)
    return models


def rates(counts):
    """(tpr, fpr) of every threshold, flagging nothing first, by the definition."""
    positives, negatives = sum(counts.positives.tolist()), sum(counts.negatives.tolist())
    found, tp, fp = [(Fraction(0), Fraction(0))], 0, 0
    for more, false in zip(counts.positives.tolist(), counts.negatives.tolist(), strict=True):
        tp, fp = tp + more, fp + false
        found.append((Fraction(tp, positives), Fraction(fp, negatives)))
    return found


def within(rate, prior, share):
    return prior * rate[0] + (1 - prior) * rate[1] <= share


def most_caught(models, prior, share):
    """The highest tpr of any threshold within the budget."""
    return max(
        tpr
        for counts in models.values()
        for tpr, fpr in rates(counts)
        if within((tpr, fpr), prior, share)
    )


@pytest.mark.parametrize("seed", seeds(80))
def test_over_a_range_the_setting_within_the_budget_everywhere_that_catches_most_is_decided_on(
    seed,
):
    rng = random.Random(f"caught {seed}")
    models, budget = some_models(rng), rng.randint(1, VOLUME)
    low, high = sorted(Fraction(rng.randint(1, 990), 1000) for _ in range(2))
    share = Fraction(budget, VOLUME)
    found = decide(
        models,
        f"alerts <= {budget}",
        at=br.Conditions(prior=f"{float(low)}..{float(high)}"),
        volume=VOLUME,
    )
    everywhere = [
        one
        for counts in models.values()
        for one in rates(counts)
        if within(one, low, share) and within(one, high, share)
    ]
    best = max(tpr for tpr, _ in everywhere)
    assert (found.tpr, found.optimized) == (float(best), "caught")
    # Regret: p·(most caught within the budget at p − tpr), which is largest where a threshold stops
    # being within it.
    places = {low, high}
    for counts in models.values():
        places |= {(share - fpr) / (tpr - fpr) for tpr, fpr in rates(counts) if tpr != fpr}
    worst = max(p * (most_caught(models, p, share) - best) for p in places if low <= p <= high)
    assert found.regret.value == pytest.approx(float(worst), rel=1e-12, abs=1e-15)
    assert found.regret.value == pytest.approx(found.regret.cost - found.regret.least, abs=1e-15)
    grid = [low + (high - low) * Fraction(i, 60) for i in range(61)]
    assert all(p * (most_caught(models, p, share) - best) <= worst for p in grid)


@pytest.mark.parametrize("seed", seeds(40))
def test_over_values_and_distributions_the_average_is_that_of_choosing_anew(seed):
    rng = random.Random(f"average {seed}")
    models, budget = some_models(rng), rng.randint(50, VOLUME)
    share = Fraction(budget, VOLUME)
    values = [rng.uniform(0.01, 0.9) for _ in range(5)]
    found = decide(models, f"alerts <= {budget}", at=br.Conditions(prior=values), volume=VOLUME)
    average = (
        np.mean([p * float(most_caught(models, Fraction(p), share)) for p in values])
        - np.mean(values) * found.tpr
    )
    assert found.regret.value == pytest.approx(average, abs=1e-12)
    assert found.regret.averaged
    spread = decide(
        models,
        f"alerts <= {budget}",
        at=br.Conditions(prior=br.LogUniform(0.01, 0.9)),
        volume=VOLUME,
    )
    places = np.exp(np.linspace(np.log(0.01), np.log(0.9), 2001))
    middles = np.sqrt(places[1:] * places[:-1])
    steps = np.array([float(most_caught(models, Fraction(p), share)) for p in middles.tolist()])
    assert spread.regret.value == pytest.approx(np.mean(middles * (steps - spread.tpr)), abs=2e-3)


@pytest.mark.parametrize("seed", seeds(40))
def test_at_a_known_base_rate_decide_and_choose_agree(seed):
    rng = random.Random(f"known {seed}")
    # One case at each score, so that no tie is shared.
    labels = [1, 0, *(rng.randint(0, 1) for _ in range(30))]
    models = {name: br.count(labels, [rng.gauss(y, 1) for y in labels]) for name in ("a", "b")}
    rule, at = f"alerts <= {rng.randint(1, VOLUME)}", br.Conditions(rng.choice([0.01, 0.2]))
    choice = br.choose(models, rule, at=at, volume=VOLUME)
    found = decide(models, rule, at=at, volume=VOLUME)
    assert (found.tpr, found.regret.value) == (choice.point.tpr, 0)
    if found.model in models:
        assert found.threshold == choice.points[found.model].threshold


def test_sites_are_judged_each_by_its_own_best():
    rng = random.Random(7)
    labels, site = [1, 0] * 100, ["x"] * 120 + ["y"] * 80
    models = {
        name: br.count(labels, [rng.gauss(y, 1) for y in labels], by=site) for name in ("a", "b")
    }
    at = br.Conditions(prior="1%..20%")
    found = decide(models, "alerts <= 100", at=at, volume=VOLUME)
    share, worst = Fraction(1, 10), []
    for name in ("x", "y"):
        here = {model: counts[name] for model, counts in models.items()}
        tpr = br.choose(here[found.model], threshold=found.threshold).tpr
        low, high = Fraction(1, 100), Fraction(1, 5)
        places = [
            low,
            high,
            *((share - f) / (t - f) for one in here.values() for t, f in rates(one) if t != f),
        ]
        worst += [
            float(p) * (float(most_caught(here, p, share)) - tpr)
            for p in places
            if low <= p <= high
        ]
    assert found.regret.value == pytest.approx(max(worst), abs=1e-9)


def test_costs_that_are_given_decide_also_under_a_budget():
    models = some_models(random.Random(3))
    at = br.Conditions(prior="1%..20%", costs={"fn": 5, "fp": 1})
    assert decide(models, "alerts <= 100", at=at, volume=VOLUME).optimized == "expected_cost"


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    rng = random.Random(11)
    rows = [
        (y, round(rng.gauss(2 * y, 1), 4), round(rng.gauss(y, 1), 4))
        for y in [1] * 100 + [0] * 1900
    ]
    rows += [(0, 9, 9), (1, -9, -9)]  # so that no threshold is sure of either class
    return written(tmp_path_factory.mktemp("data") / "scores.csv", ["y", "a", "b"], rows)


TWO = ("--label", "y", "--score", "a", "--score", "b")
BUDGET = ("--rule", "alerts <= 500", "--volume", "200000", "--prior", "0.05%..0.3%")


def test_every_command_uses_the_budget_for_what_is_caught(scored, capsys):
    counted = br.count(scored, label="y", score="a")
    for command in ("choose", "show"):
        done = told(capsys, command, scored, *TWO, *BUDGET)
        assert "cost" not in done.out
        assert "cheapest" not in done.out
        assert "BR525" not in done.err
    decision = answered(capsys, "choose", scored, *TWO, *BUDGET)["result"]["decision"]
    assert (decision["optimized"], decision["model"]) == ("caught", "a")
    strictest = br.choose(counted, "alerts <= 500", at=br.Conditions("0.3%"), volume=200_000)
    assert decision["tpr"] == strictest.tpr
    found = answered(capsys, "show", scored, *TWO, *BUDGET)["expectations"]
    assert [one["measure"] for one in found[:2]] == ["caught(volume=200000)"] * 2
    assert found[0]["optimized"] == "tpr"


def test_without_costs_the_first_sentence_says_that_equal_ones_are_assumed(scored, capsys):
    assumed = "equal costs assumed (a miss counts like a false alarm)"
    commands = [
        ("choose", "--prior", "20%"),
        ("choose", "--prior", "1%", "--rule", "recall >= 0.5"),
        ("choose", "--prior", "1%..20%"),
    ]
    for command, *asked in [*commands, ("show", "--prior", "1%..20%")]:
        done = told(capsys, command, scored, *TWO, *asked)
        assert assumed in done.out.splitlines()[0]
        assert "cost per case" not in done.out
        assert "cheapest" not in done.out
        given = told(capsys, command, scored, *TWO, *asked, "--cost", "fn=10,fp=1")
        assert assumed not in given.out


def test_baselines_stand_in_every_table_and_an_answer_that_does_not_beat_them_says_so_first(
    scored, capsys
):
    costs = ("--cost", "fn=10,fp=1")
    for command, *asked in [
        ("choose", "--prior", "1%"),
        ("choose", "--prior", "1%..20%"),
        ("show", "--prior", "1%..20%"),
    ]:
        done = told(capsys, command, scored, *TWO, *asked, *costs)
        assert "\nflag nothing " in done.out
        assert "\nflag everything " in done.out
    everything = ("--cost", "fn=1000000,fp=1")
    chosen = told(capsys, "choose", scored, *TWO, "--prior", "50%", *everything).out
    assert chosen.startswith(
        "Flag everything: no model does better. At a base rate of 50%, costs (fp = 1, fn = 1e+06),"
        " its cost per case is 0.5000."
    )
    (known,) = [line for line in chosen.splitlines() if line.startswith("flag everything ")]
    assert " to " not in known  # nothing about it is estimated
    alone = told(capsys, "choose", scored, *TWO[:4], "--prior", "50%", *everything).out
    assert alone.startswith(
        "Flag everything: no threshold of a does better. At a base rate of 50%, costs (fp = 1, fn ="
        " 1e+06), its cost per case is 0.5000."
    )
    decided = told(capsys, "choose", scored, *TWO, "--prior", "40%..50%", *everything).out
    assert decided.startswith(
        "Flag everything: no model does better. At base rates from 40% to 50%, costs (fp = 1, fn ="
        " 1e+06), nothing costs less here."
    )
    expected = told(capsys, "show", scored, *TWO, "--prior", "40%..50%", *everything).out
    assert "No model beats flagging everything, at worst or at best." in expected


def test_a_budget_without_costs_is_used_up_in_expectation_too():
    at = br.Conditions(prior=br.Draws([0.001]))
    caught = [
        expect(one, "caught", rule="alerts <= 200", volume=1_000_000, at=at).value
        for one in (F1_A, F1_B)
    ]
    assert [f"{cases:.2f}" for cases in caught] == ["99.04", "142.07"]
    spread = expect(
        F1_A,
        "caught",
        rule="alerts <= 200",
        volume=1_000_000,
        at=br.Conditions(prior=br.LogUniform(1e-5, 1e-3)),
    )
    middles = np.exp(np.linspace(np.log(1e-5), np.log(1e-3), 401)[:-1] + np.log(100) / 800)
    each = [
        br.choose(F1_A, "alerts <= 200", at=br.Conditions(float(prior)), volume=1_000_000)["caught"]
        for prior in middles
    ]
    assert spread.value == pytest.approx(np.mean(each), rel=1e-3)
