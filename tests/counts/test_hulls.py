"""The upper hull of a ROC against brute force in exact fractions, and against pooled adjacent
violators.
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from tests import strategies
from tests.strategies import seeds

import baserate as br
from baserate.counts import cells


def brute_force(points):
    """Corners: the distinct points through or over which no line between an earlier and a later one
    passes. Every triple is looked at.
    """
    distinct = list(
        dict.fromkeys(
            (Fraction(x), Fraction(y))
            for x, y in zip(points.fp.tolist(), points.tp.tolist(), strict=True)
        )
    )
    return [
        (x, y)
        for k, (x, y) in enumerate(distinct)
        if all(
            (y - b) * (d - a) > (e - b) * (x - a)
            for a, b in distinct[:k]
            for d, e in distinct[k + 1 :]
        )
    ]


def corners(points):
    hull = points.hull()
    return list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True))


def random_points(rng, most):
    cells = rng.randint(1, 14)
    positives, negatives = (
        [rng.choice([0, rng.randint(0, most)]) for _ in range(cells)] for _ in range(2)
    )
    return br.Points.of(br.Counts(np.arange(cells), positives, negatives))


@pytest.mark.parametrize("most", [1, 2, 5, 1000, 2**31, 2**58])
def test_the_hull_is_that_of_brute_force(most):
    rng = random.Random(most)
    for _ in range(200):
        points = random_points(rng, most)
        assert corners(points) == brute_force(points)


@given(strategies.cases())
def test_the_hull_of_any_counts_is_that_of_brute_force(data):
    points = br.Points.of(br.count(*data))
    assert corners(points) == brute_force(points)
    hull = points.hull()
    for place in range(len(hull)):
        assert hull.counted(place) == points.counted(points.place(hull.threshold(place)))


@pytest.mark.parametrize("passes", [0, 1, 2])
def test_the_scan_one_by_one_gives_the_same_corners(passes, monkeypatch):
    monkeypatch.setattr(cells, "MOST_PASSES", passes)
    rng = random.Random(passes)
    for most in (2, 9, 10**6):
        for _ in range(60):
            points = random_points(rng, most)
            assert corners(points) == brute_force(points)


@pytest.mark.parametrize(
    ("positives", "negatives", "expected"),
    [
        ([], [], [(0, 0)]),
        ([3], [5], [(0, 0), (5, 3)]),
        ([1, 2, 3], [0, 0, 0], [(0, 0), (0, 6)]),
        ([0, 0, 0], [1, 2, 3], [(0, 0), (6, 0)]),
        ([0, 0, 1, 2], [3, 4, 0, 0], [(0, 0), (0, 3), (7, 3)]),
        ([1, 2, 0, 0], [0, 0, 3, 4], [(0, 0), (7, 3)]),
        ([1, 2, 3], [2, 4, 6], [(0, 0), (12, 6)]),
        ([2**60, 1, 2**59], [1, 2**59, 2**60], None),
    ],
    ids=[
        "no cases",
        "one score",
        "positives only",
        "negatives only",
        "perfect",
        "reversed",
        "collinear",
        "huge",
    ],
)
def test_degenerate_curves_have_the_hull_they_should(positives, negatives, expected):
    points = br.Points.of(br.Counts(np.arange(len(positives)), positives, negatives))
    assert corners(points) == (expected or brute_force(points))


def test_products_beyond_64_bits_do_not_bend_the_hull():
    just_off_the_line = br.Points.of(br.Counts([2, 1], [2**60, 2**60 - 1], [2**60, 2**60]))
    assert len(just_off_the_line.hull()) == 3
    assert len(br.Points.of(br.Counts([2, 1], [2**60 - 1, 2**60], [2**60, 2**60])).hull()) == 2


@pytest.mark.parametrize("first", [(0, 2**60), (2**60, 0), (1, 1)])
def test_products_beyond_64_bits_do_not_bend_a_hull_that_begins_on_an_axis(first):
    rng = random.Random(4)
    for _ in range(20):
        steps = [first, *((rng.randint(1, 2**60), rng.randint(1, 2**60)) for _ in range(3))]
        positives, negatives = zip(*steps, strict=True)
        points = br.Points.of(br.Counts(-np.arange(4), positives, negatives))
        assert corners(points) == brute_force(points)


def random_masses(rng, unit=1.0):
    cells = rng.randint(1, 12)
    positives, negatives = (
        [rng.choice([0.0, rng.random()]) * unit for _ in range(cells)] for _ in range(2)
    )
    return br.Points.of(br.Counts(np.arange(cells), positives, negatives))


def height(points, x):
    """The hull at x, exactly; the highest where it is vertical."""
    ends = [(Fraction(a), Fraction(b)) for a, b in corners(points)]
    inside = [
        b + (d - b) * (x - a) / (c - a)
        for (a, b), (c, d) in itertools.pairwise(ends)
        if a <= x <= c and a < c
    ]
    return max(inside + [b for a, b in ends if a == x])


@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e12, 1e-170, 1e170], ids=str)
def test_the_hull_of_masses_is_that_of_brute_force_up_to_rounding(unit):
    rng = random.Random(1)
    for _ in range(150):
        points = random_masses(rng, unit)
        assert set(corners(points)) <= set(brute_force(points))
        for x, y in zip(points.fp.tolist(), points.tp.tolist(), strict=True):
            assert height(points, Fraction(x)) >= Fraction(y) - Fraction(
                points.total_positives
            ) * Fraction(1, 10**12)


def test_the_hull_lies_nowhere_below_the_curve():
    rng = random.Random(2)
    for _ in range(300):
        points = random_points(rng, rng.choice([2, 50, 10**9]))
        for x, y in zip(points.fp.tolist(), points.tp.tolist(), strict=True):
            assert height(points, Fraction(x)) >= y


def test_slopes_fall_along_the_hull_and_the_hull_is_its_own_hull():
    rng = random.Random(3)
    for _ in range(300):
        points = random_points(rng, rng.choice([2, 50, 10**9]))
        ends = corners(points)
        steps = [(c - a, d - b) for (a, b), (c, d) in itertools.pairwise(ends)]
        assert all(
            up * next_across > next_up * across
            for (across, up), (next_across, next_up) in itertools.pairwise(steps)
        )
        assert corners(points.hull()) == ends


@pytest.mark.parametrize("seed", seeds(60))
def test_edges_are_the_blocks_of_pooled_adjacent_violators(seed):
    rng = np.random.default_rng(seed)
    labels = np.r_[0, 1, rng.random(200) < 0.3].astype(int)
    scores = np.round(labels * rng.random() + rng.normal(size=202), int(rng.integers(0, 3)))
    fitted = IsotonicRegression().fit(scores, labels).predict(scores)
    hull = br.Points.of(br.count(labels, scores)).hull()
    caught, alarmed = np.diff(hull.tp), np.diff(hull.fp)
    blocks = np.unique(fitted.round(12))[::-1]
    assert caught / (caught + alarmed) == pytest.approx(blocks, abs=1e-11)
    lowest = [scores[fitted.round(12) == block].min() for block in blocks]
    assert hull.scores.tolist() == lowest


def cost_on(points, prior, costs):
    """The least expected cost on any of the points, exactly."""
    measured = []
    for place in range(len(points)):
        tp, fp, fn, tn = map(Fraction, points.counted(place))
        mine, theirs = prior / (tp + fn), (1 - prior) / (fp + tn)
        measured.append(
            mine * (tp * costs[0] + fn * costs[2]) + theirs * (fp * costs[1] + tn * costs[3])
        )
    return min(measured)


@given(
    strategies.cases(both=True),
    st.fractions(Fraction(1, 10**9), 1 - Fraction(1, 10**9), max_denominator=10**9),
    st.tuples(*[st.integers(1, 500)] * 2, *[st.integers(-50, 50)] * 2),
)
def test_the_least_cost_on_the_hull_is_that_on_the_curve(data, prior, amounts):
    miss, alarm, tp, tn = amounts
    points = br.Points.of(br.count(*data))
    costs = (tp, tn + alarm, tp + miss, tn)
    assert cost_on(points.hull(), prior, costs) == cost_on(points, prior, costs)


@given(strategies.cases())
def test_condensing_leaves_the_hull_alone(data):
    counts = br.count(*data)
    full, merged = br.Points.of(counts).hull(), br.Points.of(counts.condense()).hull()
    assert corners(full) == corners(merged)
    assert full.scores.tolist() == merged.scores.tolist()


def test_published_points_that_repeat_are_one_corner():
    points = br.Points.from_rates([0, 0.1, 0.1, 0.1, 1, 1], [0, 0.5, 0.5, 0.9, 1, 1])
    assert corners(points) == [(0, 0), (0.1, 0.9), (1, 1)]
    for fpr, tpr in (([0, 0.1, 0.1, 1], [0, 0.9, 0.9, 1]), ([0.1, 0.1, 0.1], [0.9, 0.9, 0.9])):
        assert corners(br.Points.from_rates(fpr, tpr)) == [(0, 0), (0.1, 0.9), (1, 1)]


def test_masses_on_one_line_up_to_rounding_have_no_corner_between_the_ends():
    thirds = np.full(3, 0.1)
    for positives, negatives in ((thirds, 3 * thirds), (thirds * [1, 7, 3], thirds * [3, 21, 9])):
        points = br.Points.of(br.Counts([3, 2, 1], positives, negatives))
        assert len(points.hull()) == 2
        above = br.Points.of(br.Counts([3, 2, 1], positives * [1 + 1e-12, 1, 1], negatives))
        assert len(above.hull()) == 3


@pytest.mark.parametrize("total", [3037000499, 3037000500, 2**32, 2**33])
def test_the_hull_is_exact_where_products_reach_the_largest_integer(total):
    """The square of the first total is the last below 2^63."""
    half = total // 2
    for up, corners_ in ((half + 1, 3), (half, 2), (half - 1, 2)):
        points = br.Points.of(br.Counts([2, 1], [up, 2 * half - up], [half, half]))
        assert len(points.hull()) == corners_
