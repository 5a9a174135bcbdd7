"""`choose_model`: each model is set as `choose` sets it, and the best of them is found exactly."""

import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import CELLS, F1_A, F1_B
from tests.strategies import seeds

import baserate as br

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
    asked = {"at": FIELD, "volume": 1_000_000, "mix": True}
    choice = br.choose(MODELS, "alerts <= 1000", **asked)
    for name, point in choice.points.items():
        assert point == br.choose(MODELS[name], "alerts <= 1000", **asked)
    with pytest.raises(br.InputError, match="BR507"):
        br.choose(MODELS, calibrated_at=0.5)
    with pytest.raises(TypeError, match="unexpected keyword"):
        br.choose(MODELS, mixed=True)


@pytest.mark.parametrize(
    ("models", "refusal"),
    [
        ({}, "BR410: choose needs the counts of each model by name"),
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
