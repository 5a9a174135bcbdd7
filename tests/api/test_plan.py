"""`plan`: one question in words, the same numbers as the functions of `planning`."""

import json
import math

import pytest
from scipy import stats

import baserate as br


def test_both_doors_have_power_by_default():
    plan = br.plan("recall >= 0.9", expect=0.95)
    assert (plan.positives, plan.negatives, plan.power) == (203, None, 0.8)
    assert br.planning.cases_needed("recall >= 0.9", expect=0.95) == 203
    assert "with power 80 %" in str(plan)


@pytest.mark.parametrize(
    ("rate", "within"), [(0.9, 0.05), (0.5, 0.1), (0.97, 0.02), (0.05, 0.03), (1.0, 0.05)]
)
def test_from_that_number_on_every_interval_is_narrow_with_the_power(rate, within):
    def power(cases):
        widths = [br.rate_interval(found, cases).width for found in range(cases + 1)]
        chances = stats.binom.pmf(range(cases + 1), cases, rate)
        narrow = [width <= 2 * within * (1 + 1e-12) for width in widths]
        return math.fsum(chance for chance, fits in zip(chances, narrow, strict=True) if fits)

    cases = br.plan(f"recall ± {within}", expect=rate).positives
    assert power(cases - 1) < 0.8
    assert all(power(cases + more) >= 0.8 for more in range(40))


@pytest.mark.parametrize("text", ["recall ± 5 %", "sensitivity +- 5%", "tpr +/- 0.05"])
def test_a_width_is_written_in_several_ways(text):
    assert br.plan(text, expect="90%").positives == 165
    assert br.plan("specificity ± 5%", expect=0.9).negatives == 165


@pytest.mark.parametrize(
    ("requirement", "given"),
    [
        ("precision >= 20%", {"expect": "tpr=0.8,fpr=0.0001", "prior": "1 in 10000"}),
        ("auc >= 0.8", {"expect": 0.85}),
    ],
)
def test_without_a_ratio_there_are_three_designs(requirement, given):
    plan = br.plan(requirement, **given)
    few, fewest, balanced = plan.designs
    assert [design.name for design in plan.designs] == [
        "few positives",
        "fewest cases",
        "balanced",
    ]
    assert balanced.positives == balanced.negatives
    assert few.positives < min(fewest.positives, balanced.positives)
    assert (plan.positives, plan.negatives) == (few.positives, few.negatives)
    total = fewest.positives + fewest.negatives
    for ratio in (0.3, 1, 3, 30, 100):
        other = br.plan(requirement, ratio=ratio, **given)
        assert len(other.designs) == 1
        assert other.positives + other.negatives >= 0.97 * total


def test_a_plan_is_plain_data_and_strict_json():
    plan = br.plan("precision >= 0.1", expect={"recall": 0.9, "fpr": 0.02}, prior=0.01)
    found = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert found["designs"][2]["positives"] == plan.designs[2].positives
    assert found["assumed"] == {"recall": "0.9", "fpr": "0.02"}
    assert list(plan.to_frame()["positives"]) == [design.positives for design in plan.designs]


@pytest.mark.parametrize(
    ("requirement", "given", "match"),
    [
        ("recall ± 5%", {}, 'BR585: "recall ± 5%" needs expect. Fix: expect="0.9"'),
        ("precision ± 5%", {"expect": 0.9}, "BR585: precision is not a rate within one class"),
        ("recall ± 60%", {"expect": 0.9}, "lies between 0 and 0.5"),
        ("recall >= 0.9", {"expect": 0.95, "ratio": 2}, "BR002: ratio has no effect on"),
        ("recall >= 0.9", {"cases": 100}, "BR585: cases depends on the true rate"),
        ("recall >= 0.9", {"expect": 0.95, "cases": 9, "power": 0.9}, "are given together"),
        (7, {}, "BR533: a requirement is a text, got 7"),
    ],
)
def test_what_cannot_be_planned_is_refused(requirement, given, match):
    with pytest.raises(br.InputError, match=match):
        br.plan(requirement, **given)


def test_the_keyword_of_the_drafts_names_the_new_one():
    with pytest.raises(TypeError, match=r"did you mean expect=…\?"):
        br.plan("recall >= 0.9", expecting=0.95)
