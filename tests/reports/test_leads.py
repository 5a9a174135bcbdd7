"""Where the controls were moved, the page tests the lead itself: exactly as Python at the cheapest
thresholds, elsewhere with the fewest cases that two models can flag together.
"""

import json
import random

import numpy as np
import pytest
from tests.reports.frontend import FRONTEND, node
from tests.reports.made import leads_on_page
from tests.reports.test_core_vectors import PRIORS, some_costs

import baserate as br
from baserate.decisions.selection import chosen_among
from baserate.errors import Infeasible
from baserate.inference import best_model
from baserate.inference.paired import adjusted
from baserate.output import tables
from baserate.reports import content

LEVEL, QUESTIONS, GRAIN = 0.95, 400, 0.01


def some_joint(rng, cases, models, share=0.1, digits=None):
    """Models that share a part of what they know, some of them with ties."""
    labels = rng.random(cases) < share
    labels[:2] = True, False
    common = rng.normal(size=cases)
    scores = {
        f"m{i}": common + rng.normal(size=cases) + labels * (1 + 0.7 * i) for i in range(models)
    }
    return br.count(
        labels,
        {
            name: values if digits is None or i % 2 else values.round(digits)
            for i, (name, values) in enumerate(scores.items())
        },
    )


def some_question(draw):
    volume = draw.choice((1000.0, 1e6))
    rule = draw.choice(
        (
            None,
            None,
            f"alerts <= {draw.choice((20, 150, 700))}",
            f"recall >= {draw.choice((0.3, 0.6, 0.9))}",
            f"fpr <= {draw.choice((0.01, 0.1))}",
            f"precision >= {draw.choice((0.1, 0.3))} and recall >= 0.2",
        )
    )
    prior = None if draw.random() < 0.2 else draw.choice(PRIORS).format(n=draw.randint(5, 200))
    return {
        "prior": prior,
        "costs": some_costs(draw),
        "earned": False,
        "volume": volume,
        "rule": rule,
    }


@pytest.fixture(scope="module")
def joints():
    rng = np.random.default_rng(24)
    return [
        some_joint(rng, 40, 2),
        some_joint(rng, 300, 3, digits=1),
        some_joint(rng, 3000, 2),
        some_joint(rng, 3000, 4, share=0.03, digits=2),
    ]


def sent(joint):
    """A report's thresholds and cases flagged together, as a page has them."""
    models = {name: joint.marginal(name) for name in joint.models}
    settings = dict.fromkeys(models, ())
    points = [
        content.points_of(name, counts, (), LEVEL, len(models)) for name, counts in models.items()
    ]
    return {
        "points": points,
        "joint": content.joint_of(joint, models, settings, LEVEL, list(models)),
    }


@pytest.fixture(scope="module")
def answered(joints, tmp_path_factory):
    """Questions, what the page says of them, and what Python does."""
    draw, folder = random.Random(24), tmp_path_factory.mktemp("core")
    node("build.mjs", "core", folder)
    documents = [sent(joint) for joint in joints]
    questions = [(i % len(joints), some_question(draw)) for i in range(QUESTIONS)]
    vectors = [
        {
            **one,
            "models": None,
            **documents[i],
            "level": LEVEL,
        }
        for i, one in questions
    ]
    text = json.dumps({"vectors": vectors, "formats": [], "names": []})
    script = FRONTEND / "tests" / "answer_vectors.mjs"
    found = json.loads(node(script, folder / "core.mjs", input=text))["answers"]
    return [
        (joints[i], documents[i], one, page)
        for (i, one), page in zip(questions, found, strict=True)
    ]


def chosen(joint, one):
    costs = None if one["costs"] is None else br.Costs.told(one["costs"], earned=False)
    models = {name: joint.marginal(name) for name in joint.models}
    at = br.Conditions(one["prior"], costs)
    try:
        found = chosen_among(models, one["rule"], at=at, volume=one["volume"])
    except Infeasible:
        return None
    return best_model.with_leads(found, joint, LEVEL)


def test_at_the_cheapest_thresholds_the_page_tests_the_lead_exactly_as_python_does(answered):
    seen = {True: 0, False: 0}
    for joint, _, one, page in answered:
        choice = None if one["rule"] else chosen(joint, one)
        if choice is None:
            continue
        assert page["sentence"] == tables.verdict(choice, alone=False)
        compare(page["differences"], choice.differences)
        for difference in choice.differences:
            seen[difference.significant] += 1
    assert min(seen.values()) > 30


def test_elsewhere_it_knows_only_the_lines_and_its_interval_is_never_narrower_than_pythons(
    answered,
):
    rules = 0
    for joint, document, one, page in answered:
        choice = chosen(joint, one) if one["rule"] else None
        if choice is None or len(choice.points) < 2:
            continue
        rules += 1
        compare(page["differences"], leads_on_page(joint, document, choice))
        for ours, exact in zip(page["differences"], choice.differences, strict=True):
            assert ours["models"] == list(exact.models)
            # Where the classes count for unequal amounts their sums lie on no common grid: p is
            # not monotone in the number of cases that differ, but nearly; the variance is.
            assert max(ours["p_value"], 1e-15) >= exact.p_value * (1 - GRAIN)
            assert ours["low"] <= exact.low + 1e-12 * abs(exact.low)
            assert ours["high"] >= exact.high - 1e-12 * abs(exact.high)
    assert rules > 100


def compare(page, library):
    assert len(page) == len(library)
    for ours, theirs in zip(page, library, strict=True):
        assert ours["models"] == list(theirs.models)
        assert ours["statistic"] == theirs.name
        assert ours["significant"] == theirs.significant
        for name in ("value", "low", "high", "p_value", "p_adjusted"):
            known = getattr(theirs, name)
            if known is None:
                assert ours[name] is None
            else:
                assert ours[name] == pytest.approx(known, rel=1e-7, abs=1e-12), name


def test_of_equal_models_a_moved_lead_is_called_clear_in_at_most_one_set_of_twenty():
    rng, sets = np.random.default_rng(11), 300
    rules = (None, "alerts <= 150", "recall >= 0.6")
    clear = dict.fromkeys(rules, 0)
    for _ in range(sets):
        labels = rng.random(1500) < 0.06
        common = rng.normal(size=1500)
        joint = br.count(
            labels, {name: common + rng.normal(size=1500) + 2 * labels for name in "ab"}
        )
        document = sent(joint)
        for rule in rules:
            one = {"rule": rule, "costs": {"fp": 1, "fn": 30}, "prior": "2%", "volume": 1000.0}
            choice = chosen(joint, one)
            clear[rule] += leads_on_page(joint, document, choice)[0].significant
    most = 0.05 * sets + 3 * (0.05 * 0.95 * sets) ** 0.5
    assert max(clear.values()) <= most, clear


def test_pairs_that_are_not_in_the_file_count_as_no_evidence():
    """Holm's adjustment of some of the pairs is never smaller than that of all."""
    rng = np.random.default_rng(3)
    joint = some_joint(rng, 2000, 4)
    choice = br.choose(joint, at=br.Conditions(0.05))
    every = best_model.every_pair(joint, choice.points)
    known = {one.models: one.p_adjusted for one in adjusted(every)}
    some = [one for one in every if choice.model in one.models]
    least = content_holm([one.p_value for one in some], len(every))
    assert all(p >= known[one.models] for p, one in zip(least, some, strict=True))


def content_holm(values, tests):
    """As the page does: those that are not known count as 1."""
    order, found, highest = sorted(range(len(values)), key=values.__getitem__), {}, 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (tests - rank) * values[place]))
        found[place] = highest
    return [found[place] for place in range(len(values))]


def test_models_counted_apart_and_weighted_cases_say_why_no_lead_is_tested():
    labels = [0, 1] * 20
    scores = {"a": list(range(40)), "b": list(range(40, 0, -1))}
    apart = {name: br.count(labels, values) for name, values in scores.items()}
    assert br.report(apart).document["report"]["joint"] == {"untested": best_model.SEPARATE}
    weighted = br.count(labels, scores, sample_weight=[0.5] * 40)
    assert br.report(weighted).document["report"]["joint"] == {"untested": best_model.WEIGHED}
    assert br.report(apart["a"]).document["report"]["joint"] is None


def test_of_many_models_pairs_with_one_that_can_be_the_cheapest_are_counted_the_best_first():
    rng = np.random.default_rng(5)
    joint = some_joint(rng, 4000, 9)
    report = br.report(joint, at=br.Conditions(0.01, br.Costs(fp=1, fn=20)))
    pairs = [one["models"] for one in report.document["report"]["joint"]["pairs"]]
    best = joint.models.index(report.contents.first.model)
    assert best in pairs[0]
    assert len(pairs) == len(set(map(tuple, pairs)))
    size = sum(
        len(one["positives"]) + len(one["negatives"])
        for one in report.document["report"]["joint"]["pairs"]
    )
    assert size <= content.MOST_JOINT
