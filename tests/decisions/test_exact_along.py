"""Where floats cannot tell, points are compared exactly, all at once: as one by one."""

import random
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions import generated

import baserate as br
from baserate.measures.confusion import CATALOGUE, Measure, confusion_at, exact_order, orders_along
from baserate.numbers import Undefinable

LOGARITHMIC = "sedi"
NAMES = sorted(set(CATALOGUE) - {LOGARITHMIC})
PARAMETERS = {
    "f_beta": {"beta": 2.5},
    "weighted_accuracy": {"w1": 1.0, "w2": 0.1, "w3": 3.0, "w4": 0.7},
    "diagnostic_odds_ratio": {"correction": 0.5},
} | {name: {"volume": 1e6} for name, entry in CATALOGUE.items() if entry.per_volume}


def one_by_one(asked, points, at):
    for index in range(len(points)):
        try:
            yield exact_order(asked, confusion_at(points, index), at)
        except Undefinable:
            yield None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1, 10**5 + 3, 10**8])
def test_values_along_a_curve_are_compared_as_exactly_as_one_by_one(name, scale):
    asked = Measure(name, tuple(PARAMETERS.get(name, {}).items()))
    for seed in range(6):
        rng = random.Random(f"{name} {scale} {seed}")
        data = [(s, scale * hits, scale * misses) for s, hits, misses in generated.cells(rng)]
        at, _ = generated.at(rng, known=True)
        points = br.Points.of(generated.counts(data))
        try:
            expected = list(one_by_one(asked, points, at))
        except br.InputError:
            continue  # a prior is needed, and there is none
        known = [value for value in expected if value is not None]
        limits = [*known, *(value + Fraction(1, 10**30) for value in known), Fraction(1, 2)]
        for kind in (np.uint64, object):
            try:
                assert_compared(asked, points, at, (expected, limits, kind))
            except OverflowError:  # 64 bits and a float do not suffice: integers of any size do
                assert kind == np.uint64


def assert_compared(asked, points, at, told):
    expected, limits, kind = told
    found = orders_along(asked, points, at, np.arange(len(points)), kind)
    if found is None:
        assert points.tp.dtype != np.int64 or all(value is None for value in expected)
        return
    is_known = np.broadcast_to(found.known, len(points)).tolist()
    assert is_known == [value is not None for value in expected]
    for limit in limits:
        signs = np.broadcast_to((found - limit).signs(), len(expected)).tolist()
        for sign, value in zip(signs, expected, strict=True):
            assert value is None or sign == (value > limit) - (value < limit)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_of_many_equal_points_is_chosen(name):
    """Each class in turn, so that hundreds of points have values that floats cannot tell apart."""
    asked = Measure(name, tuple(PARAMETERS.get(name, {}).items()))
    for prior in (None, 0.03):
        counts = br.Counts(list(range(600, 0, -1)), [1, 0] * 300, [0, 1] * 300)
        at = br.Conditions(prior=prior, costs=br.Costs(fn=3))
        points = br.Points.of(counts)
        values = list(one_by_one(asked, points, at))
        known = [value for value in values if value is not None]
        best = (min if asked.direction == "lower" else max)(known)
        chosen = br.choose(counts, at=at, optimize=asked)
        assert points.place(chosen.threshold) == values.index(best)
