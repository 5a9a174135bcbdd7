"""Budgets of alerts: one threshold that never flags more; large ties are shared at random, with the best and the worst draw known."""

import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import F1_A, F1_B

import baserate as br

AT = br.Conditions(prior=0.001)
MILLION = 1_000_000
UNTIL_20 = br.Counts([3, 2, 1], [5, 0, 5], [5, 10, 80])


def caught(counts, alerts):
    return br.choose(counts, f"alerts <= {alerts}", at=AT, volume=MILLION)["caught"]


def test_scenario_3_two_hundred_alerts_find_more_frauds_with_b():
    assert f"{caught(F1_A, 200):.3f}" == "99.040"
    assert f"{caught(F1_B, 200):.3f}" == "142.070"


def test_scenario_3_two_hundred_lies_inside_both_top_ties():
    a, b = (br.choose(counts, "alerts <= 200", at=AT, volume=MILLION) for counts in (F1_A, F1_B))
    assert (f"{100 * a.share:.1f}", f"{100 * b.share:.1f}") == ("49.5", "56.8")
    assert (a.threshold, a.lower_threshold, b.threshold, b.lower_threshold) == (None, 9, None, 9)
    assert a["alerts"] == b["alerts"] == 200


def test_scenario_3_a_thousand_alerts_find_more_frauds_with_a():
    assert f"{caught(F1_A, 1000):.3f}" == "354.921"
    assert f"{caught(F1_B, 1000):.3f}" == "349.175"


def test_scenario_3_the_recommendation_flips_at_945_228_alerts():
    assert caught(F1_A, "945.2275") < caught(F1_B, "945.2275")
    assert caught(F1_A, "945.2285") > caught(F1_B, "945.2285")
    low, high = Fraction(200), Fraction(1000)
    while high - low > Fraction(1, 10**6):
        middle = (low + high) / 2
        low, high = (middle, high) if caught(F1_A, float(middle)) < caught(F1_B, float(middle)) else (low, middle)
    assert f"{float(low):.3f}" == "945.228"


@pytest.mark.parametrize("seed", range(200))
def test_a_budget_is_filled_as_in_the_oracle(seed):
    rng = random.Random(f"budget {seed}")
    data = generated.cells(rng, both=True)
    prior, volume = rng.choice(generated.PRIORS), rng.choice([10, 1000, 12345.5])
    budget = Fraction(rng.randint(100, 100 * int(volume)), 100)
    truth = oracle.At(generated.exact(prior))
    point = br.choose(generated.counts(data), f"alerts <= {float(budget)!r}", at=br.Conditions(prior), volume=volume)
    found = oracle.filled(data, budget, volume, truth)
    if found is None:
        assert (point.fn, point.tn) == (0, 0) or point.tpr == 1
        return
    share, counted = found
    assert exactly(point.confusion) == counted, "a budget is used up, also inside a large tie without positives"
    assert (point.how, point.share) == (("tie", float(share)) if share else ("threshold", 1))
    assert point.optimized == "tpr"


def exactly(confusion):
    return tuple(map(Fraction, confusion))


@pytest.mark.parametrize("seed", range(100))
def test_expected_best_and_worst_are_those_of_every_possible_draw(seed):
    rng = random.Random(f"draws {seed}")
    data = [(score, rng.randint(0, 6), rng.randint(0, 6)) for score in range(6, 0, -1)]
    data = [(score, hits + (not hits + misses), misses + 1) for score, hits, misses in data]
    volume = sum(cell[1] + cell[2] for cell in data)
    budget = rng.randint(1, volume - 1)
    point = br.choose(generated.counts(data), f"alerts <= {budget}", volume=volume)
    if point.how == "threshold":
        assert point["alerts"] <= budget
        return
    above = [cell for cell in data if cell[0] > point.lower_threshold]
    certain, drawn = sum(cell[1] for cell in above), budget - sum(cell[1] + cell[2] for cell in above)
    _, hits, misses = next(cell for cell in data if cell[0] == point.lower_threshold)
    chances = oracle.draws(hits, misses, drawn)
    assert Fraction(point.confusion.tp) == certain + sum(number * chance for number, chance in chances.items())
    assert (point.worst.tp, point.best.tp) == (certain + min(chances), certain + max(chances))
    for draw in (point.best, point.worst):
        assert draw.tp + draw.fp == budget
        assert sum(draw) == volume


@pytest.mark.parametrize("seed", range(60))
def test_best_and_worst_use_the_same_alerts_at_any_prior_and_stay_inside_the_tie(seed):
    rng = random.Random(f"bounds {seed}")
    data, prior = generated.cells(rng, both=True), rng.choice([1e-6, 0.01, 0.5, 0.99])
    at, volume = br.Conditions(prior), 1000
    point = br.choose(generated.counts(data), f"alerts <= {rng.randint(1, 999)}", at=at, volume=volume)
    if point.best is None:
        return
    alerts = [
        oracle.value("alerts", exactly(c), oracle.At(generated.exact(prior)), volume=volume) for c in (point.confusion, point.best, point.worst)
    ]
    assert len(set(alerts)) == 1
    assert point.worst.tp <= point.confusion.tp <= point.best.tp
    tie = next(cell for cell in data if cell[0] == point.lower_threshold)
    certain = sum(cell[1] for cell in data if cell[0] > point.lower_threshold), sum(cell[2] for cell in data if cell[0] > point.lower_threshold)
    for draw in (point.best, point.worst):
        assert certain[0] <= draw.tp <= certain[0] + tie[1]
        assert certain[1] <= draw.fp <= certain[1] + tie[2]
    assert point.best.tp == certain[0] + tie[1] or point.best.fp == certain[1], "no luckier draw"
    assert point.worst.tp == certain[0] or point.worst.fp == certain[1] + tie[2], "no unluckier draw"


@pytest.mark.parametrize("budget", [1000, 1001, 10**9])
def test_row_83_a_budget_of_every_case_flags_everything(budget):
    counts = br.Counts([3, 2, 1], [5, 5, 0], [5, 5, 90])
    point = br.choose(counts, f"alerts <= {budget}", volume=1000)
    assert point.tpr == 1
    assert (point.threshold, point.fn, point.tn) == (1, 0, 0)
    assert "BR522" in [note.code for note in point.notes]


def test_stated_costs_may_use_less_than_the_budget():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    cheap = br.choose(counts, "alerts <= 50", at=br.Conditions(costs=br.Costs(fp=1, fn=2)), volume=110)
    assert (cheap.threshold, cheap["alerts"], cheap.how) == (3, 7, "threshold")
    dear = br.choose(counts, "alerts <= 50", at=br.Conditions(costs=br.Costs(fp=1, fn=1000)), volume=110)
    assert dear["alerts"] == 50
    assert br.choose(counts, "alerts <= 50", volume=110)["alerts"] == 50
    assert br.choose(counts, "alerts <= 50", volume=110, optimize="expected_cost")["alerts"] == 7


def test_a_budget_that_ends_at_a_threshold_is_no_draw():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    point = br.choose(counts, "alerts <= 30", volume=110)
    assert (point.threshold, point.how, point.share, point.best) == (2, "threshold", 1.0, None)


def test_a_floor_beside_a_budget_is_kept_by_the_shared_tie():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    point = br.choose(counts, "alerts <= 20 and precision >= 0.3", volume=110)
    assert point["alerts"] == 20
    assert point.precision >= 0.3
    assert br.choose(counts, "alerts <= 20 and precision >= 0.5", volume=110).threshold == 3


@pytest.mark.parametrize("budget", [12, 15, 19])
def test_a_budget_is_used_up_in_a_tie_without_positives(budget):
    point = br.choose(UNTIL_20, f"alerts <= {budget}", volume=105)
    assert (point.how, point.threshold, point.lower_threshold, point["alerts"], point.tp) == ("tie", 3, 2, budget, 5)


def test_a_budget_that_ends_exactly_behind_a_tie_without_positives_is_used_up():
    point = br.choose(UNTIL_20, "alerts <= 20", volume=105)
    assert (point.how, point.threshold, point["alerts"], point.tp) == ("threshold", 2, 20, 5)
    assert "BR523" not in [note.code for note in point.notes]


def test_stated_costs_or_another_goal_leave_a_tie_without_positives_alone():
    for asked in ({"at": br.Conditions(costs=br.Costs(fp=1, fn=100))}, {"optimize": "tpr"}):
        point = br.choose(UNTIL_20, "alerts <= 15", volume=105, **asked)
        assert (point.how, point.threshold, point["alerts"]) == ("threshold", 3, 10)


def test_a_budget_is_left_unused_only_for_what_is_strictly_better():
    """With mixtures, more positives are found on the hull than in the tie at the same number of alerts."""
    point = br.choose(UNTIL_20, "alerts <= 15", volume=105, mix=True)
    assert (point.how, point["alerts"]) == ("mixture", 15)
    assert point.tp > 5
