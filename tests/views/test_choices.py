"""A decision under uncertain conditions, in words and in JSON: what its numbers are averages of,
what they are compared with, and conditions as they were given.
"""

import math
from dataclasses import replace

import numpy as np
from tests.robustness.rare import BOTH

import baserate as br
from baserate.inference.decide import Recommendation, decide
from baserate.views.choices import rivals, sentence, tabulate_recommendation, uncertain
from baserate.views.tables import span


def test_the_largest_of_averages_is_called_so_and_says_where():
    decision = decide(
        BOTH, at=br.Conditions(prior=br.Pilot(2, 100_000), costs={"fn": br.Range(500, 2000)})
    )
    assert "regret on average at most" in repr(decision)
    assert sentence(decision) == (
        "Use rules at score ≥ 3. At the base rate of a pilot (2 of 100,000 cases), costs (fp = 1,"
        " fn = 500..2000), it costs on average at most 0.002698 more per case than the best choice;"
        " the best choice is made for every value; the worst case is fn = 2000."
    )
    title, _, headings, *_ = rivals(decision).splitlines()
    assert title == "Worst case of the average regret of each option, at its best threshold:"
    assert headings.endswith("lowest possible cost  base rate              costs")
    plain = decide(BOTH, at=br.Conditions(prior=br.Pilot(2, 100_000), costs={"fn": 2000}))
    assert sentence(plain) == (
        "Use forest at score ≥ 3. At the base rate of a pilot (2 of 100,000 cases), costs (fp = 1,"
        " fn = 2000), it costs on average 0.0006659 more per case than the best choice; the best"
        " choice is made for every value."
    )
    assert "base rate" not in rivals(plain)


def test_regret_under_a_rule_is_said_to_be_against_the_best_without_it():
    at = br.Conditions(prior="1e-6..1e-4", costs={"fn": 2000})
    assert sentence(decide(BOTH, "tpr >= 0.99", at=at)) == (
        "Use forest at score ≥ 2. At base rates from 0.0001% to 0.01%, costs (fp = 1, fn = 2000),"
        " with tpr >= 0.99, it costs at most 0.1058 more per case than the best choice without the"
        " rule; the worst case is a base rate of 0.0001% (1 in 1,000,000), where forest at score ≥"
        " 4 would be best."
    )
    assert sentence(decide(BOTH, at=at)) == (
        "Use forest at score ≥ 3. At base rates from 0.0001% to 0.01%, costs (fp = 1, fn = 2000),"
        " it costs at most 0.005800 more per case than the best choice; the worst case is a base"
        " rate of 0.0001% (1 in 1,000,000), where forest at score ≥ 4 would be best."
    )


def test_what_is_cheapest_but_not_told_from_another_is_said_in_one_breath():
    rng, labels = np.random.default_rng(3), [1] * 60 + [0] * 60
    joint = br.count(
        labels, {name: (rng.normal(size=120) + np.array(labels)).tolist() for name in "ab"}
    )
    at, models = br.Conditions(0.1, br.Costs(fn=9)), {name: joint.marginal(name) for name in "ab"}
    firm, map_ = br.robustness.stability(models, at=at), br.robustness.winner_map(joint, level=0.95)
    said = tabulate_recommendation(Recommendation(decide(models, at=at), map_, firm))
    (other,) = {"a", "b"} - set(firm.models)
    assert f" is cheapest (not significantly better than {other})." in said[-1]
    assert any(
        block.splitlines()[2].split("  ")[0] == "cheapest"
        and block.splitlines()[2].endswith("  not significantly better than")
        for block in said
        if "resamples" in block
    )


def test_json_has_the_cases_of_a_pilot():
    found = uncertain(br.Conditions(prior=br.Pilot(12, 5000)))["prior"]
    assert (found["kind"], found["positives"], found["cases"]) == ("pilot", 12, 5000)
    assert math.isclose(found["mean"], 12.5 / 5001)


def test_what_was_given_as_profits_is_told_as_profits():
    profits = br.Costs.from_profits(tp=50, fp=-5)
    told = decide(BOTH, at=br.Conditions(prior="1e-4..1e-2", costs=profits))
    assert sentence(told) == (
        "Use forest at score ≥ 3. At base rates from 0.01% to 1%, profits (tp = 50, fp = -5), it"
        " costs at most 0.03012 more per case than the best choice; the worst case is a base rate"
        " of 0.01% (1 in 10,000), where forest at score ≥ 4 would be best."
    )
    assert rivals(told).splitlines()[2].split("  ")[-1].strip() == "profits"
    assert "its profit  highest possible profit" in rivals(told)
    spans = br.Conditions(
        prior=0.01, costs={"tp": br.Range(-500, -50), "fp": 5, "fn": 0}, earned=True
    )
    assert str(spans) == "a base rate of 1%, profits (tp = 50..500, fp = -5)"
    assert "profits (tp = 50, fp = -5)" in str(
        br.robustness.regret(BOTH, "rules", 3, at=br.Conditions(0.01, profits)).at
    )


def test_intervals_of_cases_are_whole_numbers_where_these_say_enough():
    found = br.interval(br.Confusion(tp=9, fp=1, fn=1, tn=9), "tpr")
    ends = [(12.9, 46.7), (0.4, 1234.5), (12.6, 13.4), (0.31, 3.6)]
    shown = [span(replace(found, low=low, high=high), whole=True) for low, high in ends]
    assert shown == ["13 to 47", "0 to 1,234", "12.6 to 13.4", "0.3 to 3.6"]


def test_what_was_chosen_on_the_same_data_is_advised_in_python_and_on_the_command_line():
    point = br.choose(br.count([0, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6]), costs={"fn": 2, "fp": 1})
    (note,) = [note for note in point.notes if note.code == "BR528"]
    assert str(note) == (
        "BR528: the threshold was chosen and evaluated on the same data, so these figures are"
        " optimistic; evaluate on held-out data: choose(dev).on(test)"
    )
    assert note.line(lambda fix: fix.command).endswith("held-out data: choose --test FILE")
