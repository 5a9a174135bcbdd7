"""Which of two ROCs lies above, and where: crossings, stretches and dominance, against a reading in
fractions.
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import CELLS, F1_A, F1_B
from tests.strategies import seeds

import baserate as br

SIGNS = {"first": 1, "second": -1, "equal": 0}


def assert_as_the_oracle(one, other):
    found = br.curves.superiority(generated.counts(one), generated.counts(other))
    first, second = oracle.roc(one), oracle.roc(other)
    expected = oracle.superiority(first, second)
    assert [(s.low, s.high, SIGNS[s.better]) for s in found.stretches] == [
        (float(low), float(high), sign) for low, high, sign in expected
    ]
    signs = {sign for _, _, sign in expected} - {0}
    assert found.dominant == (
        "neither"
        if len(signs) == 2
        else {1: "first", -1: "second"}[signs.pop()]
        if signs
        else "equal"
    )
    unequal = [piece for piece in expected if piece[2]]
    places = [later[0] for piece, later in itertools.pairwise(unequal) if piece[2] != later[2]]
    heights = [
        min(oracle.height(roc, place, "high") for roc in (first, second)) for place in places
    ]
    assert [tuple(crossing) for crossing in found.crossings] == [
        (float(x), float(y)) for x, y in zip(places, heights, strict=True)
    ]
    return found


@pytest.mark.parametrize("seed", seeds(300))
def test_random_rocs_compare_as_in_the_oracle(seed):
    rng = random.Random(f"superiority {seed}")
    one = generated.cells(rng, both=True)
    other = generated.cells(rng, both=True)
    if any(isinstance(value, float) for cell in [*one, *other] for value in cell[1:]):
        one, other = (
            [(score, int(4 * hits), int(4 * misses)) for score, hits, misses in data]
            for data in (one, other)
        )
    assert_as_the_oracle(one, other)


@pytest.mark.parametrize("seed", seeds(200))
def test_rocs_on_one_grid_touch_overlap_and_cross_as_in_the_oracle(seed):
    rng = random.Random(f"grid {seed}")
    data = []
    for _ in range(2):
        hits, misses = ([0, *sorted(rng.randint(0, 4) for _ in range(4)), 4] for _ in range(2))
        steps = [
            (b - a, d - c) for a, b, c, d in zip(hits, hits[1:], misses, misses[1:], strict=False)
        ]
        data.append([(-i, up, across) for i, (up, across) in enumerate(steps) if up or across])
    assert_as_the_oracle(*data)


@pytest.mark.parametrize("seed", seeds(60))
def test_swapping_the_two_swaps_the_answer(seed):
    rng = random.Random(f"swap {seed}")
    one, other = (generated.counts(generated.cells(rng, both=True)) for _ in range(2))
    there, back = br.curves.superiority(one, other), br.curves.superiority(other, one)
    names = {"first": "second", "second": "first", "equal": "equal", "neither": "neither"}
    assert [(s.low, s.high, names[s.better]) for s in there.stretches] == [
        tuple(s) for s in back.stretches
    ]
    assert there.crossings == back.crossings
    assert names[there.dominant] == back.dominant


@pytest.mark.parametrize("seed", seeds(40))
def test_identical_rocs_are_equal_whatever_their_totals_and_weights(seed):
    rng = random.Random(f"same {seed}")
    data = [(i, rng.randint(0, 9), rng.randint(1, 9)) for i in range(8)]
    whole = [(0.0, 1.0, "equal")]
    data[0] = (0, 1, 1)
    for ours, theirs in ((1, 1), (7, 3), (10**9, 1)):
        scaled = [(score, hits * ours, misses * theirs) for score, hits, misses in data]
        found = br.curves.superiority(generated.counts(data), generated.counts(scaled))
        assert [tuple(s) for s in found.stretches] == whole
        assert (found.crossings, found.dominant) == ((), "equal")


@pytest.mark.parametrize("seed", range(12))
def test_arbitrary_weights_break_nothing(seed):
    rng = random.Random(f"weights {seed}")
    data = [(i, rng.random(), rng.random()) for i in range(rng.randint(1, 12))]
    same = br.curves.superiority(generated.counts(data), generated.counts(data))
    assert (same.dominant, len(same.stretches)) == ("equal", 1)
    other = [(i, rng.random() * 3, rng.random() * 7) for i in range(9)]
    found = br.curves.superiority(generated.counts(data), generated.counts(other))
    assert (found.stretches[0].low, found.stretches[-1].high) == (0, 1)
    assert all(0 <= crossing.fpr <= 1 and 0 <= crossing.tpr <= 1 for crossing in found.crossings)


def test_dominance_is_said():
    good, poor = br.Points.from_rates([0.1], [0.9]), br.Points.from_rates([0.3], [0.6])
    assert br.curves.superiority(good, poor).dominant == "first"
    assert br.curves.superiority(poor, good).dominant == "second"
    assert br.curves.superiority(good, poor).stretches == ((0.0, 1.0, "first"),)
    assert br.curves.superiority(good, good).dominant == "equal"


def test_touching_is_not_crossing():
    straight = [(2, 1, 1), (1, 1, 1)]
    above = [(4, 2, 1), (3, 0, 1), (2, 1, 0), (1, 1, 2)]
    found = assert_as_the_oracle(above, straight)
    assert (found.crossings, found.dominant) == ((), "first")
    assert [s.better for s in found.stretches] == ["first"], (
        "one place without length is no stretch"
    )


def test_a_common_run_before_a_crossing_is_a_stretch_of_its_own():
    one = [(4, 3, 1), (3, 1, 2), (2, 0, 1), (1, 0, 0)][:3]
    other = [(4, 2, 1), (3, 2, 1), (2, 0, 2)]
    found = assert_as_the_oracle(one, other)
    assert found.stretches[-1].better == "equal"


def test_a_crossing_on_a_vertical_run_lies_on_it():
    steps = [(3, 1, 0), (2, 0, 2), (1, 3, 2)]
    jump = [(3, 0, 2), (2, 3, 0), (1, 1, 2)]
    found = assert_as_the_oracle(steps, jump)
    assert found.crossings == ((0.5, 0.25),)
    assert [s.better for s in found.stretches] == ["first", "second"]


def test_rates_that_differ_by_rounding_are_equal_at_counts_of_any_size():
    big = 2**61
    one = [(3, big - 1, 1), (2, 1, big), (1, big, 5)]
    other = [(3, big, 1), (2, 1, big + 3), (1, big, 1)]
    found = br.curves.superiority(generated.counts(one), generated.counts(other))
    assert (found.dominant, found.crossings) == ("equal", ())
    assert_as_the_oracle([(2, big, 1), (1, 1, big)], [(2, big, 1), (1, big, big // 2)])


def test_hulls_are_compared_by_passing_them():
    found = br.curves.superiority(br.Points.of(F1_A).hull(), br.Points.of(F1_A))
    assert found.dominant in ("first", "equal")
    assert br.curves.superiority(F1_A, F1_B).dominant == "neither"
    assert_as_the_oracle(CELLS["A"], CELLS["B"])


def test_the_order_at_a_fixed_tpr_does_not_depend_on_the_prior():
    (crossing,) = br.curves.superiority(F1_A, F1_B).crossings
    for prior in (1e-6, 0.02, 0.5):
        at = br.Conditions(prior)
        for tpr in (0.3, 0.5, 0.8, 0.95):
            a, b = (
                br.fix(counts, f"tpr = {tpr}", at=at).interpolated.precision
                for counts in (F1_A, F1_B)
            )
            assert (a > b) == (tpr > crossing.tpr)


def test_counts_and_rates_may_be_compared():
    counts = br.Counts([2, 1], [3, 1], [1, 3])
    assert br.curves.superiority(counts, br.Points.from_rates([0.25], [0.75])).dominant == "equal"
    assert br.curves.superiority(br.Points.from_rates([0.25], [0.5]), counts).dominant == "second"


def test_long_random_rocs_compare_as_in_the_oracle():
    rng = np.random.default_rng(4)
    labels = rng.random(600) < 0.3
    one, other = (br.count(labels, np.round(labels + rng.normal(size=600), 1)) for _ in range(2))
    cells = [
        list(zip(c.scores.tolist(), c.positives.tolist(), c.negatives.tolist(), strict=True))
        for c in (one, other)
    ]
    assert_as_the_oracle(*cells)


def test_a_roc_needs_both_classes():
    with pytest.raises(br.InputError, match="BR552: a ROC needs cases of both classes"):
        br.curves.superiority(F1_A, br.Counts([1], [3], [0]))
    with pytest.raises(br.InputError, match="BR429"):
        br.curves.superiority(F1_A, [0.1])
    assert Fraction(br.curves.superiority(F1_A, F1_A).stretches[0].high) == 1
