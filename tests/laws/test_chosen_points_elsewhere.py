"""A setting read on the cases that it was chosen on says the same there, to the last digit."""

import math
import random

import pytest
from tests.strategies import seeds

import baserate as br
from baserate.measures.registry import CATALOGUE

SUMS = ("cost", "expected_cost", "alerts", "amount_caught", "amount_missed", "tp", "fp", "fn", "tn")


def random_request(seed):
    """Labels, scores with many ties or few, amounts, and what is asked of them."""
    rng = random.Random(seed)
    size = rng.choice((12, 30, 80))
    labels = [1, 0, *(int(rng.random() < 0.4) for _ in range(size - 2))]
    steps = rng.choice((2, 4, 50))
    scores = [[rng.randrange(steps) / steps for _ in labels] for _ in range(2)]
    worth = [rng.choice((1, 2.5, 10, 33)) for _ in labels]
    asked = {"prior": rng.choice((None, 0.01, "0.1%", 1 / 3)), "intervals": None}
    rule = None
    if rng.random() < 0.7:
        asked["volume"] = rng.choice((size, 100, 1000))
        rule = f"alerts <= {rng.randint(1, asked['volume'])}"
    return labels, scores, worth, rule, asked


def readings(point, names):
    found = {}
    for name in names:
        try:
            found[name] = getattr(point, name) if names is SUMS else point[name]
        except br.InputError:
            continue  # this measure needs a volume, or is undefined here
    return {name: "undefined" if math.isnan(value) else value for name, value in found.items()}


def chosen(counts, rule, **asked):
    try:
        return br.choose(counts, rule, **asked)
    except br.Infeasible:
        return None


@pytest.mark.parametrize("seed", seeds(300))
def test_a_choice_says_the_same_on_the_cases_it_was_made_on(seed):
    labels, (first, second), worth, rule, asked = random_request(seed)
    costs = random.Random(-seed).choice((None, {"fn": 3}, {"fn": 10, "fp": 2}))
    one = br.count(labels, first)
    if point := chosen(one, rule, costs=costs, **asked):
        assert readings(point.on(one), CATALOGUE) == readings(point, CATALOGUE)
    both = br.count(labels, {"a": first, "b": second})
    if choice := chosen(both, rule, costs=costs, **asked):
        there = choice.on(both)
        assert there.models == choice.models
        for name, point in choice.points.items():
            assert readings(there.points[name], CATALOGUE) == readings(point, CATALOGUE)
    amounts = br.count(labels, first, amount=worth)
    if point := chosen(amounts, rule, review=2, **asked):
        assert readings(point.on(amounts), SUMS) == readings(point, SUMS)
