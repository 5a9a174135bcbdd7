"""`choose_model`: each model is set as `choose` sets it, and the best of them is found exactly."""

import random
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import CELLS, F1_A, F1_B
from tests.strategies import seeds

import baserate as br
from baserate.decisions.selection import chosen_among, made_by, settings_of

MODELS = {"A": F1_A, "B": F1_B}
FIELD = br.Conditions(prior=0.001)


@pytest.mark.parametrize("seed", seeds(100))
def test_the_best_models_are_those_of_the_oracle(seed):
    rng = random.Random(f"models {seed}")
    data = {name: generated.cells(rng, both=True, most=6) for name in "abc"[: rng.randint(1, 3)]}
    if rng.random() < 0.3:
        data["twin"] = data["a"]
    at, truth = generated.at(rng, known=True)
    text, terms, _ = generated.rule(rng, most=2, sensible=True)
    objective = rng.choice(["expected_cost", "f1", "mcc", "informedness", "tpr", "precision"])
    best = {name: oracle.choose(cells, terms, objective, truth) for name, cells in data.items()}
    models = {name: generated.counts(cells) for name, cells in data.items()}
    if not any(best.values()):
        with pytest.raises(br.Infeasible, match="BR530"):
            br.choose(models, text, at=at, optimize=objective)
        return
    choice = br.choose(models, text, at=at, optimize=objective)
    values = {
        name: oracle.value(objective, found[1], truth) for name, found in best.items() if found
    }
    top = min(values.values()) if objective in oracle.LOWER else max(values.values())
    assert choice.models == tuple(name for name in data if values.get(name) == top)
    assert set(choice.refused) == {name for name, found in best.items() if not found}
    for name, point in choice.points.items():
        assert (point.threshold, tuple(map(Fraction, point.confusion))) == best[name]
        assert point == br.choose(models[name], text, at=at, optimize=objective)


def test_the_model_and_its_point_are_those_of_choose():
    choice = br.choose(MODELS, at=br.Conditions(0.001, br.Costs(fp=5, fn=500, tp=5)))
    assert (choice.model, choice.models, choice.refused) == ("A", ("A",), {})
    assert choice.point is choice.points["A"]
    assert choice.point == br.choose(F1_A, at=choice.point.at)
    assert f"{choice.point.expected_cost:.6g}" == "0.192094"
    assert list(choice.points) == ["A", "B"]


def test_scenario_3_the_model_depends_on_the_budget():
    assert br.choose(MODELS, "alerts <= 200", at=FIELD, volume=1_000_000).model == "B"
    assert br.choose(MODELS, "alerts <= 1000", at=FIELD, volume=1_000_000).model == "A"


def test_models_that_are_as_good_are_named_together_in_the_order_given():
    scaled = br.Counts(range(9, -1, -1), *([3 * cell[i] for cell in CELLS["A"]] for i in (1, 2)))
    for objective in ("expected_cost", "mcc", "g_mean", "fowlkes_mallows", "f_beta(beta=2)"):
        choice = br.choose(
            {"B": F1_B, "A": F1_A, "3A": scaled}, at=br.Conditions(0.3), optimize=objective
        )
        assert choice.models == ("A", "3A"), objective
        assert choice.model == "A"


def test_models_are_compared_each_at_its_own_prior_where_none_is_given():
    rich = br.Counts([1, 0], [400, 0], [0, 100])
    choice = br.choose({"A": F1_A, "rich": rich})
    assert choice.models == ("rich",)
    assert [point.at.prior for point in choice.points.values()] == [0.02, 0.8]


def test_a_model_that_cannot_keep_the_rule_is_refused_and_the_others_are_answered():
    choice = br.choose(MODELS, "precision >= 45% and tpr >= 0.3", at=FIELD)
    assert (choice.models, list(choice.points), list(choice.refused)) == (("B",), ["B"], ["A"])
    assert isinstance(choice.refused["A"], br.Infeasible)
    assert (
        choice.refused["A"]
        .problems[0]
        .text.startswith("no threshold has precision >= 0.45 and tpr >= 0.3: the highest")
    )


def test_where_no_model_can_keep_the_rule_all_are_named():
    with pytest.raises(br.Infeasible, match="BR530") as caught:
        br.choose(MODELS, "precision >= 99%", at=FIELD)
    texts = [problem.text for problem in caught.value.problems]
    assert [text.partition(":")[0] for text in texts] == ['"A"', '"B"']
    assert all("no threshold has precision >= 0.99" in text for text in texts)


def test_one_model_alone_is_refused_as_by_choose():
    with pytest.raises(br.Infeasible, match="BR530") as alone:
        br.choose({"A": F1_A}, "precision >= 99%", at=FIELD)
    with pytest.raises(br.Infeasible, match="BR530") as chosen:
        br.choose(F1_A, "precision >= 99%", at=FIELD)
    assert str(alone.value) == str(chosen.value)


def test_every_option_of_choose_is_passed_on():
    asked = {"at": FIELD, "volume": 1_000_000}
    choice = br.choose(MODELS, "alerts <= 1000", **asked)
    for name, point in choice.points.items():
        assert point == br.choose(MODELS[name], "alerts <= 1000", **asked)
    with pytest.raises(TypeError, match="unexpected keyword"):
        br.choose(MODELS, mixed=True)


@pytest.mark.parametrize(
    ("models", "refusal"),
    [
        ({}, "BR410: the counts of each model are needed by name"),
        ({"flag nothing": F1_A}, 'BR410: a model is named "flag nothing", which is the name of'),
        (None, "BR429: choose needs counts, got NoneType"),
        ([F1_A], "BR429: choose needs counts, got list"),
        ("A", "BR429: the data come first"),
    ],
)
def test_what_is_no_mapping_of_models_is_refused(models, refusal):
    with pytest.raises(br.InputError, match=refusal):
        br.choose(models)


def test_what_is_wrong_with_the_question_is_no_infeasibility():
    with pytest.raises(br.InputError, match="BR531") as caught:
        br.choose(MODELS, "tprr >= 0.5")
    assert not isinstance(caught.value, br.Infeasible)
    with pytest.raises(br.InputError, match="BR410: every model must be counted in the same way"):
        br.choose({"A": F1_A, "B": [1, 2]})


def compared_with(other, favours, p, *, significant=False, adjusted=None):
    """What a test of the best model against another says."""
    return SimpleNamespace(
        models=(other, "A"),
        favours=favours,
        significant=significant,
        p_value=p,
        p_adjusted=adjusted,
        level=0.9,
        notes=(),
    )


def test_a_choice_shows_the_closest_three_tests_and_what_was_not_tested():
    models = {name: F1_A if name == "A" else F1_B for name in "ABCDE"}
    choice = br.choose(models, at=br.Conditions(0.02, br.Costs(fp=1, fn=50)))
    first, *rest = repr(choice).splitlines()
    assert first == f"Choice: A; {repr(choice.point).removeprefix('OperatingPoint: ')}"
    assert rest == ["  not chosen: B, C, D", f"  not tested: {choice.untested}"]
    differences = (
        compared_with("B", "A", 0.25),
        compared_with("C", "C", 0.25, significant=True),
        compared_with("D", None, 0.5, adjusted=0.75),
        compared_with("E", "A", 0.125),
    )
    compared = replace(choice, untested="", differences=differences)
    assert repr(compared).splitlines()[1:] == [
        "  better than B (not significant, p = 0.25)",
        "  worse than C (p = 0.25)",
        "  as good as D (not significant, p = 0.75)",
    ]
    assert choice.indistinguishable is None
    assert compared.indistinguishable == ("A", "B", "D", "E")
    known = replace(compared, differences=differences[:2])
    assert known.indistinguishable == ("A", "B")  # the others were not tested


def test_a_choice_shows_whether_it_is_better_than_one_answer_for_all():
    choice = br.choose({"A": F1_A}, at=br.Conditions(0.01, br.Costs(fp=1, fn=50)))
    assert (choice.baseline, choice.unbeaten) == ("flag nothing", None)
    plain = replace(choice, lead_over_baseline=None, baseline_untested="")
    assert repr(plain).count("\n") == 0

    def last(**given):
        return repr(replace(plain, **given)).splitlines()[-1]

    assert last(lead_over_baseline=compared_with("A", "A", 0.25)) == (
        "  not significantly better than flagging nothing (p = 0.25)"
    )
    assert last(lead_over_baseline=compared_with("A", "A", 0.25, adjusted=0.5)).endswith(
        "(p = 0.5)"
    )
    assert last(baseline_untested="few cases") == (
        "  not tested against flagging nothing: few cases"
    )
    sure = compared_with("A", "A", 0.001, significant=True)
    assert repr(replace(plain, lead_over_baseline=sure)) == repr(plain)
    everything = br.choose({"A": F1_A}, at=br.Conditions(0.9, br.Costs(fp=1, fn=50)))
    assert everything.unbeaten == "flag everything"
    assert repr(everything).splitlines()[-1] == "  no better than flagging everything"


@pytest.mark.parametrize(("names", "noted"), [("AB", False), ("ABC", True), ("ABCD", True)])
def test_the_best_of_three_or_more_was_found_on_the_same_cases(names, noted):
    at = br.Conditions(0.02, br.Costs(fp=1, fn=50))
    choice = br.choose({name: F1_A if name == "A" else F1_B for name in names}, at=at)
    said = [str(note) for note in choice.notes if note.code == "BR657"]
    assert bool(said) == noted
    if noted:
        assert f"level={1 - 0.05 / len(names):.4g} for intervals that hold for all" in said[0]
        level = replace(choice, differences=(compared_with("B", "A", 0.25),))
        (fix,) = [str(note) for note in level.notes if note.code == "BR657"]
        assert f"level={1 - 0.1 / len(names):.4g} for" in fix
    before = replace(choice, points={n: p.on(F1_A) for n, p in choice.points.items()})
    assert "BR657" not in [note.code for note in before.notes]


def test_choices_at_several_base_rates_say_where_there_is_none():
    rule, rare, even = "precision >= 45% and tpr >= 0.3", FIELD, br.Conditions(prior=1e-6)
    answers, notes = made_by(chosen_among, MODELS, rule, [rare, even])
    assert [answer.choice is None for answer in answers] == [False, True]
    assert [answer.at for answer in answers] == [rare, even]
    heads = [note.text.partition(": no threshold has ")[0] for note in notes]
    assert heads == [
        'at a base rate of 0.1% (1 in 1,000): "A"',
        'at a base rate of 0.0001% (1 in 1,000,000): "A"',
        'at a base rate of 0.0001% (1 in 1,000,000): "B"',
    ]
    settings = settings_of(MODELS, answers)
    assert [len(settings[name]) for name in MODELS] == [0, 1]
    assert settings["B"] == [answers[0].choice.points["B"]]
    _, (alone,) = made_by(chosen_among, MODELS, rule, [rare])
    assert alone.text.startswith('"A": no threshold has')
    with pytest.raises(br.Infeasible) as refused:
        made_by(chosen_among, MODELS, rule, [even, br.Conditions(prior=1e-7)])
    assert len(refused.value.problems) == 4


def test_choices_at_the_base_rate_of_the_sample_name_it():
    at = [br.Conditions(), FIELD]
    _, notes = made_by(chosen_among, MODELS, "precision >= 60% and tpr >= 0.5", at)
    heads = [note.text.partition(": no threshold has ")[0] for note in notes]
    assert heads == [
        'at a base rate of 2%: "B"',
        'at a base rate of 0.1% (1 in 1,000): "A"',
        'at a base rate of 0.1% (1 in 1,000): "B"',
    ]


@pytest.mark.parametrize("cells", [([0, 0], [3, 4]), ([3, 4], [0, 0])])
def test_choices_on_cases_of_one_class_name_no_base_rate(cells):
    models = {"m": br.Counts([2, 1], *cells)}
    at = [br.Conditions(), br.Conditions(costs=br.Costs(fn=2))]
    with pytest.raises(br.Infeasible) as refused:
        made_by(chosen_among, models, "posfrac >= 0.5 and posfrac <= 0.55", at)
    heads = {problem.text.partition("no threshold has ")[0] for problem in refused.value.problems}
    assert heads == {"at a base rate: "}
