"""Scores of few distinct values under a rule: equal models are seldom called different."""

import math

import numpy as np
import pytest

import baserate as br
from baserate.inference.best_model import choose_amount_model, choose_model

COSTS = br.Conditions(0.01, br.Costs(fn=60))
MOST = br.Conditions(0.01, br.Costs(fn=1000))
QUESTIONS = {
    "recall": ("recall >= 0.7", COSTS, {}),
    "recall, limit beside a tie": ("recall >= 0.77", COSTS, {}),
    "fpr": ("fpr <= 0.05", MOST, {"optimize": "tpr"}),
    "precision": ("precision >= 0.05", MOST, {"optimize": "tpr"}),
}


def drawn(rng, positives, shifts, levels=6):
    """Labels, and scores of so many values by name."""
    y = np.repeat([1, 0], [positives, 20 * positives])
    common = 0.7 * rng.normal(size=len(y))
    cuts = np.linspace(-1.0, 2.5, levels - 1)
    return y, {
        name: np.searchsorted(cuts, shift * y + common + 0.7 * rng.normal(size=len(y)))
        for name, shift in zip("abcde", shifts, strict=False)
    }


def most(sets):
    return 0.05 + 3 * math.sqrt(0.05 * 0.95 / sets)


def told_apart(choice):
    return len(choice.indistinguishable) < len(choice.points)


@pytest.fixture(autouse=True)
def no_baseline(monkeypatch):
    """The lead over flagging nothing takes resamples, and is not asked for here."""
    for name in ("_beside_baseline", "_amounts_beside_baseline"):
        monkeypatch.setattr(f"baserate.inference.best_model.{name}", lambda choice, *_: choice)


@pytest.mark.parametrize(("positives", "sets"), [(60, 60), (200, 60)])
@pytest.mark.parametrize("asked", QUESTIONS)
def test_of_two_equal_models_one_is_seldom_called_better(asked, positives, sets):
    rng, wrong = np.random.default_rng([41, positives]), 0
    rule, at, options = QUESTIONS[asked]
    for _ in range(sets):
        choice = choose_model(br.count(*drawn(rng, positives, (1.5, 1.5))), rule, at=at, **options)
        wrong += told_apart(choice)
    assert wrong / sets <= most(sets)


@pytest.mark.parametrize("positives", [60, 200])
def test_of_five_equal_models_one_is_seldom_excluded(positives):
    rng, wrong, sets = np.random.default_rng([5, positives]), 0, 30
    for _ in range(sets):
        joint = br.count(*drawn(rng, positives, (1.5,) * 5))
        wrong += told_apart(choose_model(joint, "recall >= 0.7", at=COSTS))
    assert wrong / sets <= most(sets)


@pytest.mark.parametrize("positives", [60, 200])
def test_by_amounts_one_is_seldom_called_better(positives):
    rng, wrong, sets = np.random.default_rng([6, positives]), 0, 60
    for _ in range(sets):
        y, scores = drawn(rng, positives, (1.5, 1.5))
        amounts = br.count(y, scores, amount=rng.integers(40, 80, len(y)))
        choice = choose_amount_model(amounts, "recall >= 0.7", review=1, at=br.Conditions(0.01))
        wrong += told_apart(choice)
    assert wrong / sets <= most(sets)


def test_precision_under_a_rule_on_recall_seldom_differs():
    rng, wrong, sets = np.random.default_rng(60), 0, 60
    for _ in range(sets):
        joint = br.count(*drawn(rng, 60, (1.5, 1.5)))
        found = br.compare(joint, "precision", rule="recall >= 0.7", at=COSTS)
        wrong += found.significant
    assert wrong / sets <= most(sets)


def test_a_large_difference_is_found():
    y, scores = drawn(np.random.default_rng(1), 200, (0.8, 2.5))
    choice = choose_model(br.count(y, scores), "recall >= 0.7", at=COSTS)
    assert (choice.model, choice.indistinguishable) == ("b", ("b",))


def test_a_note_says_that_only_large_differences_are_found():
    y, scores = drawn(np.random.default_rng(2), 200, (1.5, 1.5))
    joint = br.count(y, scores)
    (lead,) = choose_model(joint, "recall >= 0.77", at=COSTS).differences
    assert [note.code for note in lead.notes] == ["BR642"]
    found = br.compare(joint, "precision", rule="recall >= 0.77", at=COSTS)
    assert "BR642" in [note.code for note in found.notes]
    amounts = br.count(y, scores, amount=np.ones(len(y)))
    at = br.Conditions(0.01)
    (lead,) = choose_amount_model(amounts, "recall >= 0.77", review=0.01, at=at).differences
    assert [note.code for note in lead.notes] == ["BR642"]


@pytest.mark.parametrize("rule", [None, "recall >= 0.77"])
def test_scores_that_are_all_distinct_have_no_such_note(rule):
    rng = np.random.default_rng(3)
    y, scores = drawn(rng, 60, (1.5, 1.5), levels=10**6)
    scores = {name: one + rng.random(len(y)) for name, one in scores.items()}
    (lead,) = choose_model(br.count(y, scores), rule, at=COSTS).differences
    assert lead.notes == ()
