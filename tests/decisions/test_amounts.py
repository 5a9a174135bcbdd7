"""Thresholds chosen by amounts: what a review costs against what every missed case is worth, exact
at any base rate.
"""

import random
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from tests.decisions import oracle_amounts as oracle

import baserate as br

SCORES, LABELS, WORTH = (
    [0.9, 0.8, 0.7, 0.6, 0.2, 0.1],
    [1, 0, 1, 0, 1, 0],
    [1000, 50, 20, 500, 300, 10],
)


@pytest.fixture
def scenario():
    return br.count(LABELS, SCORES, amount=WORTH)


def generated(seed):
    """Few distinct scores and amounts, so that scores, amounts and costs tie; sometimes one class,
    zero amounts, or cents.
    """
    rng = random.Random(seed)
    size = rng.choice((1, 2, 5, 10, 18))
    labels = (
        [rng.random() < rng.choice((0, 0.3, 0.6, 1)) for _ in range(size)]
        if seed % 7 == 0
        else [rng.random() < 0.4 for _ in range(size)]
    )
    scores = [
        rng.choice((0.1, 0.25, 0.5, 0.75, 0.9, 1.0)) if seed % 2 else rng.random()
        for _ in range(size)
    ]
    kinds = (
        [0, 10, 20],
        [0.1, 0.2, 0.3, 12.34],
        [0, 0],
        [1 / 3, 1e-6, 1e4],
        [rng.random() * 1000 for _ in range(5)],
    )
    amounts = [rng.choice(kinds[seed % len(kinds)]) for _ in range(size)]
    return (
        [int(label) for label in labels],
        scores,
        amounts,
        rng.choice((0, 1, 10, 0.3, 1 / 3, 500)),
    )


def test_scenario_12(scenario):
    point = br.choose(scenario, review=150)
    assert (point.threshold, point.cost, point.expected_cost) == (0.9, 470, 470 / 6)
    assert (point.tp, point.fp, point.fn, point.tn, point.alerts) == (1, 0, 2, 3, 1)
    assert (point.amount_caught, point.amount_missed, point.amount_false_alarms) == (1000, 320, 0)
    assert (point.nothing, point.everything) == (1320, 900)
    assert (point.by_average.threshold, point.by_average.cost) == (0.2, 750)
    assert br.choose(scenario, threshold=0.2, review=150).cost == 750
    assert (
        repr(point)
        == "AmountPoint: score ≥ 0.9; cost 470, amount caught 1000, missed 320, of 6 cases; at"
        " a base rate of 50%"
    )


@pytest.mark.parametrize("part", range(8))
def test_choices_are_those_of_a_naive_loop_on_600_generated_sets(part):
    for seed in range(75 * part, 75 * part + 75):
        labels, scores, amounts, review = generated(seed)
        both = 0 < sum(labels) < len(labels)
        cases, counted = (
            oracle.cases_of(labels, scores, amounts),
            br.count(labels, scores, amount=amounts),
        )
        for prior in (None, 0.01, 0.5) if both else (None,):
            for recovered in (1, 0.8):
                at, how = br.Conditions(prior=prior), {"prior": prior, "recovered": recovered}
                point = br.choose(counted, review=review, recovered=recovered, at=at)
                cut, cost = oracle.cheapest(
                    cases, review if review != 1 / 3 else Fraction(1 / 3), **how
                )
                assert (point.threshold, point.sums.cost) == (cut, cost * len(cases)), seed
                assert point.expected_cost == float(cost)
                if sum(labels):
                    average = oracle.cheapest_by_average(
                        cases, review if review != 1 / 3 else Fraction(1 / 3), **how
                    )
                    assert (
                        point.by_average.threshold,
                        point.by_average.sums.cost / len(cases),
                    ) == average, seed
                    assert point.cost <= point.by_average.cost
                else:
                    assert point.by_average is None
                assert point.cost <= min(point.nothing, point.everything)


def test_a_volume_scales_every_sum(scenario):
    at = br.Conditions(prior="1%")
    one, many = (br.choose(scenario, review=150, at=at, volume=volume) for volume in (1, 1_000_000))
    assert many.sums == tuple(1_000_000 * each for each in one.sums)
    assert (many.cases, many.expected_cost) == (1_000_000, one.cost)
    assert one.sums.cost == Fraction("0.01") * (150 * Fraction(1, 3) + Fraction(320, 3))


def test_equal_amounts_cost_what_costs_of_outcomes_cost():
    labels, scores = [1, 0, 1, 0, 1, 0, 0], [0.9, 0.9, 0.5, 0.4, 0.4, 0.2, 0.1]
    amounts, counts = br.count(labels, scores, amount=[70] * 7), br.count(labels, scores)
    for prior in (None, 0.1, 0.7):
        at = br.Conditions(prior=prior)
        point, peer = (
            br.choose(amounts, review=9, at=at),
            br.choose(counts, at=br.Conditions(prior=prior, costs=br.Costs(fp=9, tp=9, fn=70))),
        )
        assert (point.threshold, point.expected_cost) == (
            peer.threshold,
            pytest.approx(peer.expected_cost, rel=1e-15),
        )
        assert point.by_average.sums == point.sums


def test_a_budget_without_a_review_catches_the_largest_amount(scenario):
    point = br.choose(scenario, "alerts <= 3", volume=6)
    assert (point.threshold, point.alerts, point.amount_caught, point.by_average) == (
        0.7,
        3,
        1020,
        None,
    )
    assert point.optimized == "amount_caught"
    priced = br.choose(scenario, "alerts <= 3", review=150, volume=6)
    assert (priced.threshold, priced.cost) == (0.9, 470)
    assert any(
        note.code == "BR523" and "more of them would cost more than they save" in note.text
        for note in priced.notes
    )


def test_a_budget_without_a_review_is_used_up_where_more_alerts_catch_no_more(scenario):
    point = br.choose(scenario, "alerts <= 2", volume=6)
    assert (point.threshold, point.alerts, point.amount_caught) == (0.8, 2, 1000)
    priced = br.choose(scenario, "alerts <= 2", review=0, volume=6)
    assert (priced.threshold, priced.amount_caught) == (0.9, 1000)  # of equals, the fewest alerts
    tied = br.count([1, 0, 0, 0, 1], [0.9, 0.5, 0.5, 0.5, 0.1], amount=[7, 1, 1, 1, 9])
    point = br.choose(tied, "alerts <= 3", volume=5)
    assert (point.how, point.alerts, point.amount_caught) == ("tie", 3, 7)
    assert (point.caught_best, point.caught_worst) == (7, 7)
    (note,) = [note.text for note in point.notes if note.code == "BR523"]
    assert note.endswith("66.7 % of them are flagged, drawn at random; amount caught 7")


def test_a_budget_inside_a_tie_is_met_on_average_with_the_best_and_the_worst_draw():
    amounts = br.count([1, 1, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.1], amount=[7, 100, 40, 1, 1])
    point = br.choose(amounts, "alerts <= 2", volume=5)
    assert (point.how, point.threshold, point.lower_threshold, point.alerts) == (
        "tie",
        0.9,
        0.5,
        2,
    )
    assert point.sums.amount_caught == 7 + Fraction(140, 3)
    assert (point.caught_best, point.caught_worst) == (107, 7)
    note = next(note for note in point.notes if note.code == "BR523")
    assert note.text.endswith(
        "drawn at random; amount caught 53.6667 on average, between 7 and 107"
    )
    more = br.choose(amounts, "alerts <= 3", volume=5)
    assert (more.caught_best, more.caught_worst) == (147, 47)
    part = br.choose(amounts, "alerts <= 5", volume=10)
    assert (part.caught_best, part.caught_worst) == (2 * (7 + 100 + 20), 2 * (7 + 20))


def test_amounts_in_cents_are_drawn_from_a_tie_in_full():
    amounts = br.count([1, 1, 1, 0], [0.5, 0.5, 0.5, 0.1], amount=[10.25, 0.5, 3, 0.01])
    point = br.choose(amounts, "alerts <= 2", volume=4)
    assert (point.caught_best, point.caught_worst) == (13.25, 3.5)
    part = br.choose(amounts, "alerts <= 5", volume=8)  # two and a half of the three
    assert (part.caught_best, part.caught_worst) == (2 * 13.5, 2 * (3.5 + 10.25 / 2))


def test_the_worst_and_the_best_draw_are_those_of_every_draw():
    from itertools import combinations

    rng = random.Random(5)
    for _ in range(60):
        labels, worth = [rng.randint(0, 1) for _ in range(6)], [rng.randint(0, 9) for _ in range(6)]
        amounts = br.count(labels, [0.5] * 6, amount=worth)
        budget = rng.randint(1, 5)
        draws = [
            sum(worth[i] for i in draw if labels[i]) for draw in combinations(range(6), budget)
        ]
        point = br.choose(amounts, f"alerts <= {budget}", volume=6)
        if point.how == "tie":
            assert (point.caught_best, point.caught_worst) == (max(draws), min(draws))
            assert point.sums.amount_caught == Fraction(sum(draws), len(draws))
        else:
            assert not any(draws)


def test_any_rule_may_be_kept(scenario):
    point = br.choose(scenario, "recall >= 0.6", review=150)
    assert (point.threshold, point.cost) == (0.7, 750)
    dear = br.choose(scenario, "recall >= 0.6", review=5000)
    assert (dear.threshold, dear.cost) == (0.7, 15_300)  # though flagging nothing would cost 1320
    with pytest.raises(br.Infeasible, match=r"no threshold has tpr >= 0.9 and fpr <= 0.1"):
        br.choose(scenario, "recall >= 0.9 and fpr <= 10%", review=150)
    with pytest.raises(br.InputError, match="expected_cost needs costs of outcomes"):
        br.choose(scenario, "expected_cost <= 3", review=150)


def test_a_point_chosen_on_some_cases_is_read_on_others(scenario):
    chosen = br.choose(scenario, review=150)
    other = br.count([1, 0, 1], [0.95, 0.92, 0.3], amount=[200, 10, 40.5])
    there = chosen.on(other)
    assert (there.threshold, there.cost, there.amount_missed) == (0.9, 340.5, 40.5)
    assert there.in_advance
    assert there.at.prior == 2 / 3
    assert (
        chosen.on(other, br.Conditions(prior=0.5)).expected_cost == 0.5 * (75 + 20.25) + 0.5 * 150
    )


def test_sums_are_among_the_values_and_the_rows_of_a_point(scenario):
    for point in (
        br.choose(scenario, review=150),
        br.choose(scenario, "alerts <= 3", volume=6),
    ):
        (row,) = point.to_frame().to_dict("records")
        values = point.to_dict()
        for name in ("cost", "expected_cost", "alerts", "amount_caught", "amount_missed"):
            assert values[name] == row[name] == point[name] == getattr(point, name)
        assert f"<td>{point['amount_caught']:g}</td>" in point._repr_html_()
    assert br.measure(br.choose(scenario, review=150), "expected_cost") == 470 / 6


def test_trivial_rules_are_chosen_and_said(scenario):
    nothing, everything = (
        br.choose(scenario, review=5000),
        br.choose(br.count([1, 1], [0.1, 0.2], amount=[9, 9]), review=1),
    )
    assert (nothing.threshold, nothing.cost) == (None, 1320)
    assert any(note.code == "BR524" and "flagging nothing" in note.text for note in nothing.notes)
    assert (everything.threshold, everything.cost) == (0.1, 2)
    assert any(
        note.code == "BR524" and "flagging everything" in note.text for note in everything.notes
    )
    free = br.choose(br.count([1, 0], [0.9, 0.1], amount=[0, 0]), review=0)
    assert (free.threshold, free.cost) == (None, 0)


def test_the_cheapest_model_wins_and_equals_are_named_together(scenario):
    worse = br.count(LABELS, [0.1, 0.9, 0.7, 0.6, 0.2, 0.3], amount=WORTH)
    choice = br.choose({"worse": worse, "good": scenario, "same": scenario}, review=150)
    assert (choice.models, choice.model, choice.point.cost) == (("good", "same"), "good", 470)
    assert choice.points["worse"].cost == 900
    caught = br.choose({"worse": worse, "good": scenario}, "alerts <= 1", volume=6)
    assert (caught.model, caught.point.amount_caught) == ("good", 1000)
    refused = br.choose(
        {"worse": worse, "good": scenario}, "fpr <= 0 and recall >= 0.3", review=150
    )
    assert (refused.models, list(refused.refused)) == (("good",), ["worse"])
    with pytest.raises(br.Infeasible, match="no threshold has"):
        br.choose({"worse": worse}, "fpr <= 0 and recall >= 0.3", review=150)
    with pytest.raises(br.InputError, match="BR429: choose needs counts, got list"):
        br.choose([scenario], review=150)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "what does a review cost"),
        ({"review": -1}, "what a review costs is a number, 0 or more, got -1"),
        ({"review": float("nan")}, "what a review costs is a number"),
        ({"review": "150"}, "what a review costs is a number"),
        ({"review": 1, "recovered": 0}, "the share recovered of a caught amount lies above 0"),
        ({"review": 1, "recovered": 80}, "the share recovered of a caught amount lies above 0"),
        (
            {"review": 1, "at": br.Conditions(costs=br.Costs(fp=1, fn=9))},
            "costs of outcomes are given beside amounts",
        ),
        ({"review": 1, "volume": 0}, "a volume is a number of cases above 0"),
        ({"review": 1, "at": 0.1}, "at must be Conditions"),
        ({"rule": "alerts <= 3"}, "of how many cases"),
    ],
)
def test_what_cannot_be_is_refused(scenario, arguments, words):
    with pytest.raises(br.InputError, match=words):
        br.choose(scenario, **arguments)


def test_no_cases_one_class_and_chosen_totals_are_refused_where_they_must_be(scenario):
    with pytest.raises(br.InputError, match="there are no cases"):
        br.choose(br.Amounts.empty(), review=1)
    with pytest.raises(br.InputError, match="no negatives in the sample"):
        br.choose(
            br.count([1, 1], [0.1, 0.2], amount=[9, 9]), review=1, at=br.Conditions(prior=0.1)
        )
    thinned = br.count(LABELS, SCORES, amount=WORTH, design="case-control")
    with pytest.raises(br.InputError, match="a prior must be given"):
        br.choose(thinned, review=150)
    at = br.Conditions(prior=0.5)
    assert (
        br.choose(thinned, review=150, at=at).cost
        == br.choose(scenario, review=150, at=at).cost
        == 470
    )
    with pytest.raises(br.InputError, match="BR002: review= and recovered= need amounts"):
        br.choose(scenario.counts, review=150)


def test_curves_have_the_cost_of_every_threshold(scenario):
    for prior in (None, 0.02):
        at = br.Conditions(prior=prior)
        cost = br.curve(scenario, "amount_cost", review=150, recovered=0.5, at=at, volume=1000)
        missed = br.curve(scenario, "amount_missed", at=at, volume=1000)
        for place, cut in enumerate(cost.x):
            point = br.choose(
                scenario, threshold=cut, review=150, recovered=0.5, at=at, volume=1000
            )
            assert cost.y[place] == pytest.approx(point.cost, rel=1e-14)
            assert missed.y[place] == pytest.approx(point.amount_missed, rel=1e-14)
    assert np.array_equal(cost.thresholds, SCORES)
    assert (cost.name, cost.x_label, cost.y_label) == ("amount_cost", "threshold", "cost")


def codes(point):
    return [note.code for note in point.notes]


def test_what_a_choice_by_amounts_says_of_its_budget(scenario):
    covered = br.choose(scenario, "alerts <= 6", review=150, volume=6)
    (note,) = [note.text for note in covered.notes if note.code == "BR522"]
    assert note == "the budget of 6 alerts covers all 6 cases"
    assert "BR523" in codes(br.choose(scenario, "alerts <= 5", review=150, volume=6))
    used_up = br.choose(scenario, "alerts <= 1", review=150, volume=6)
    assert (used_up.alerts, {"BR522", "BR523"} & set(codes(used_up))) == (1, set())


def test_what_a_choice_by_amounts_says_of_one_answer_for_all(scenario):
    chosen, nothing = br.choose(scenario, review=150), br.choose(scenario, review=5000)
    assert ("BR524" in codes(chosen), "BR528" in codes(chosen)) == (False, True)
    assert ("BR524" in codes(nothing), "BR528" in codes(nothing)) == (True, False)
    assert "BR524" not in codes(br.choose(scenario, "fpr <= 1", review=5000))
    every = br.choose(scenario, "recall >= 1 and fpr >= 1", review=1)
    assert (every.fn, every.tn, "BR524" in codes(every)) == (0, 0, False)
    half = br.choose(br.count([1, 0], [0.5, 0.5], amount=[9, 9]), review=1)
    assert (half.threshold, "BR528" in codes(half)) == (0.5, False)  # there is one threshold only


def test_the_ends_of_what_a_review_may_cost_and_of_what_is_recovered(scenario):
    assert br.choose(scenario, review=10**100).threshold is None
    with pytest.raises(br.InputError, match="BR514: what a review costs is a number"):
        br.choose(scenario, review=10**100 + 1)
    assert br.choose(scenario, review=150, recovered=1) == br.choose(scenario, review=150)
    assert br.choose(scenario, review=0, recovered=Fraction(1, 10**9)).fn == 0


@pytest.mark.parametrize(("volume", "cases"), [(None, 6), (1000, 1000), (2.5, 2.5)])
def test_sums_are_over_whole_cases_where_the_volume_is_whole(scenario, volume, cases):
    point = br.choose(scenario, review=150, volume=volume)
    assert (point.cases, type(point.cases)) == (cases, type(cases))


def test_a_share_of_a_tie_is_read_on_other_cases():
    amounts = br.count([1, 1, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.1], amount=[7, 100, 40, 1, 1])
    point = br.choose(amounts, "alerts <= 2", volume=5)
    assert point.share == pytest.approx(1 / 3)
    none_tied = br.count([1, 0], [0.95, 0.2], amount=[5, 1])
    assert point.on(none_tied).sums.amount_caught == Fraction(5) * Fraction(5, 2)  # of 5 cases
    some = br.count([1, 1, 0, 0, 0], [0.95, 0.6, 0.55, 0.5, 0.1], amount=[5, 30, 1, 1, 1])
    there = point.on(some)
    assert float(there.sums.amount_caught) == pytest.approx(5 + 30 / 3)
    assert there.amount_missed == pytest.approx(20)
    assert there.alerts == pytest.approx(1 + 3 / 3)


def test_models_that_saw_other_numbers_of_cases_are_compared_by_case(scenario):
    twice = br.count(LABELS * 2, SCORES * 2, amount=WORTH * 2)
    for asked in ({"review": 150}, {"rule": "alerts <= 3", "volume": 6}):
        choice = br.choose({"one": scenario, "twice": twice}, **asked)
        assert choice.models == ("one", "twice")


def test_models_that_a_test_did_not_find_worse_are_not_distinguished(scenario):
    choice = br.choose({"a": scenario, "b": scenario, "c": scenario}, review=150)
    assert choice.indistinguishable is None
    tests = tuple(SimpleNamespace(models=(name, "a"), significant=name == "b") for name in "bc")
    assert replace(choice, untested="", differences=tests).indistinguishable == ("a", "c")
