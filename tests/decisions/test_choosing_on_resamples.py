"""Choosing on arrays of resamples gives what `choose` gives on each of them."""

from __future__ import annotations

import numpy as np
import pytest

import baserate as br
from baserate import Infeasible
from baserate.decisions.choose import Flagged, Question, choose_places
from baserate.decisions.rules import NO_THRESHOLD, find_best

REQUESTS = [
    (None, {"costs": {"fn": 20}}),
    (None, {"optimize": "f1"}),
    ("recall >= 0.6 and posfrac <= 55%", {"costs": {"fn": 5}}),
    ("alerts <= 120", {"volume": 1000}),
    ("alerts <= 60 and precision >= 0.3", {"volume": 1000, "costs": {"fn": 3}}),
]


def draw_samples(generator: np.random.Generator) -> list[br.Counts]:
    scores = np.arange(12.0)[::-1]
    return [
        br.Counts(scores, generator.poisson(scores) + 1, generator.poisson(12 - scores) + 1)
        for _ in range(20)
    ]


def flag_each(samples: list[br.Counts]) -> Flagged:
    points = [br.Points.of(sample) for sample in samples]
    tp, fp = (np.array([getattr(one, name) for one in points], float) for name in ("tp", "fp"))
    return Flagged(tp, fp)


@pytest.mark.parametrize("prior", [None, 0.05])
@pytest.mark.parametrize(("rule", "options"), REQUESTS)
def test_many_samples_choose_what_choose_does_on_each(rule, options, prior):
    samples = draw_samples(np.random.default_rng(37))
    flagged = flag_each(samples)
    chosen = []
    for sample in samples:
        try:
            chosen.append(br.choose(sample, rule, prior=prior, **options))
        except Infeasible:
            chosen.append(None)
    question = Question.of(next(point for point in chosen if point is not None))
    at = br.Conditions(prior, options.get("costs"))
    question = Question(question.rule, question.objective, at, question.use_up_budget)
    places = choose_places(question, flagged)
    there = flagged.at_places(places)
    tp, fp = there.tp[:, 0], there.fp[:, 0]
    for row, point in enumerate(chosen):
        assert places.feasible[row] == (point is not None)
        if point is not None:
            assert (tp[row], fp[row]) == pytest.approx((float(point.tp), float(point.fp)))


def test_the_best_of_losses_is_found_along_the_last_axis():
    losses = np.array([[3.0, 1.0, 1.0 + 1e-13], [np.nan, np.inf, np.nan], [-np.inf, 2.0, 2.0]])
    assert find_best(losses).tolist() == [1, NO_THRESHOLD, 0]
    assert find_best(losses, flag_most=True).tolist() == [2, NO_THRESHOLD, 2]
