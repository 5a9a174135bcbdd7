"""Weighted AUC: what holds for K strips and for the continuous form, and where the published form
of segments fails.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.curves import oracle_summaries as oracle
from tests.strategies import cases

import baserate as br

NORMALISED = (1, 2, 7, 10, "continuous")
alphas = st.one_of(st.sampled_from([0.0, 1.0, 0.1, 0.5]), st.floats(0, 1))
rates = st.lists(st.integers(0, 20), min_size=1, max_size=6)
# The example ROC of the errata's table of K: AUC .7.
EXAMPLE_K = {1: 0.700, 2: 0.592, 5: 0.568, 10: 0.615, 50: 0.681, 200: 0.695}


def roc_of(across, up):
    """A ROC through the sorted rates, in twentieths."""
    size = min(len(across), len(up))
    return br.Points.from_rates(np.sort(across[:size]) / 20, np.sort(up[:size]) / 20)


def points_of(points):
    return [
        (oracle.Fraction(x), oracle.Fraction(y))
        for x, y in zip(points.fpr.tolist(), points.tpr.tolist(), strict=True)
    ]


@given(cases(both=True), st.sampled_from([*NORMALISED, "segments"]))
def test_nothing_passed_on_is_the_auc_in_all_three_forms(data, strips):
    counts = br.count(*data)
    assert br.curves.weighted_auc(counts, alpha=0, strips=strips) == pytest.approx(
        br.auc(counts), abs=1e-15
    )


@given(alphas, st.sampled_from(NORMALISED), st.integers(1, 6), st.integers(1, 6))
def test_a_perfect_ranking_has_1_in_the_normalised_forms(alpha, strips, positives, negatives):
    perfect = br.count([1] * positives + [0] * negatives, range(positives + negatives, 0, -1))
    assert br.curves.weighted_auc(perfect, alpha=alpha, strips=strips) == pytest.approx(
        1, abs=1e-14
    )
    reverse = br.count([0] * negatives + [1] * positives, range(positives + negatives, 0, -1))
    assert br.curves.weighted_auc(reverse, alpha=alpha, strips=strips) == pytest.approx(
        0, abs=1e-14
    )


@given(rates, rates, alphas, st.sampled_from(NORMALISED))
def test_the_normalised_forms_lie_between_0_and_1(across, up, alpha, strips):
    assert (
        -1e-14
        <= br.curves.weighted_auc(roc_of(across, up), alpha=alpha, strips=strips)
        <= 1 + 1e-14
    )


@given(rates, rates, alphas, st.sampled_from(NORMALISED), st.integers(2, 5))
def test_points_on_a_straight_line_change_nothing_in_the_normalised_forms(
    across, up, alpha, strips, parts
):
    plain = roc_of(across, up)
    share = np.arange(parts) / parts
    finer = [
        np.append((ends[:-1, None] + share * np.diff(ends)[:, None]).ravel(), 1.0)
        for ends in (plain.fpr, plain.tpr)
    ]
    split = br.Points.from_rates(np.maximum.accumulate(finer[0]), np.maximum.accumulate(finer[1]))
    got = br.curves.weighted_auc(split, alpha=alpha, strips=strips)
    assert got == pytest.approx(
        br.curves.weighted_auc(plain, alpha=alpha, strips=strips), abs=2e-13
    )


@given(
    rates,
    rates,
    st.lists(st.integers(0, 20), min_size=6, max_size=6),
    alphas,
    st.sampled_from(NORMALISED),
)
def test_a_roc_that_dominates_has_no_less_in_the_normalised_forms(across, up, lower, alpha, strips):
    worse = roc_of(across, up)
    inner = len(worse) - 2
    assume(inner > 0)
    better = br.Points.from_rates(
        np.maximum.accumulate(np.minimum(worse.fpr[1:-1], np.sort(lower)[:inner] / 20)),
        worse.tpr[1:-1],
    )
    ours, theirs = (
        br.curves.weighted_auc(points, alpha=alpha, strips=strips) for points in (better, worse)
    )
    assert ours >= theirs - 2e-13


def diagonal(segments):
    inner = np.arange(1, segments) / segments
    return br.Points.from_rates(np.append(inner, 1), np.append(inner, 1))


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.1, {1: 0.5, 2: 0.475, 10: 0.4901, 100: 0.4989}),
        (0.8, {1: 0.5, 2: 0.3, 10: 0.2785, 100: 0.462}),
    ],
)
def test_points_on_a_straight_line_do_change_segments(alpha, expected):
    for parts, value in expected.items():
        assert br.curves.weighted_auc(
            diagonal(parts), alpha=alpha, strips="segments"
        ) == pytest.approx(value, abs=5e-5)


def test_a_better_roc_can_have_less_in_segments():
    found = [
        br.curves.weighted_auc(br.Points.from_rates([0, 1], [tpr, 1]), alpha=0.8, strips="segments")
        for tpr in (0.5, 0.8, 1)
    ]
    assert found == pytest.approx([0.55, 0.34, 0.20], abs=1e-12)
    flat = [
        br.curves.weighted_auc(
            br.Points.from_rates([0, 1], [tpr, 1]), alpha=1 / 3, strips="segments"
        )
        for tpr in (0.2, 0.5, 0.8, 1)
    ]
    assert flat == pytest.approx([flat[0]] * 4, rel=1e-14)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_two_segments_have_a_closed_form(f, t, alpha):
    assume((f, t) not in ((0, 0), (1, 1)))
    points = br.Points.from_rates([f], [t])
    area = (1 + t - f) / 2
    expected = (1 - alpha) * area + alpha * (1 - t) * (1 - f)
    assert br.curves.weighted_auc(points, alpha=alpha, strips="segments") == pytest.approx(
        expected, abs=1e-14
    )


def test_a_perfect_ranking_of_tied_positives_has_1_minus_alpha_in_segments():
    tied = br.Counts([2, 1], [5, 0], [0, 7])
    for alpha in (0, 0.1, 0.5, 0.8):
        assert br.curves.weighted_auc(tied, alpha=alpha, strips="segments") == pytest.approx(
            1 - alpha, rel=1e-15
        )
    steps = br.count([1, 1, 1, 0], [4, 3, 2, 1])
    expected = 1 - sum(0.5 ** (i + 1) / 3 for i in range(3))
    assert br.curves.weighted_auc(steps, alpha=0.5, strips="segments") == pytest.approx(
        expected, rel=1e-15
    )


def test_segments_exceed_1_only_where_alpha_exceeds_one_half():
    """B8: the supremum is max(1, 1 / (2·(1 − α)))."""
    steps = 600
    inner = np.arange(1, steps) / steps * 1e-9
    almost = br.Points.from_rates(inner, inner * 0)
    worst = br.curves.weighted_auc(almost, alpha=0.8, strips="segments")
    assert worst == pytest.approx(2.5, abs=1e-3)
    assert worst < 1 / (2 * (1 - 0.8))
    rng = np.random.default_rng(8)
    for _ in range(200):
        alpha = rng.random()
        points = br.Points.from_rates(np.sort(rng.random(5)) ** 3, np.sort(rng.random(5)))
        assert br.curves.weighted_auc(points, alpha=alpha, strips="segments") <= max(
            1, 1 / (2 * (1 - alpha))
        )


@given(rates, rates)
def test_everything_passed_on_is_the_top_strip_or_the_lowest_fpr_at_full_recall(across, up):
    points = roc_of(across, up)
    lowest = points.fpr[points.tpr == 1].min()
    assert br.curves.weighted_auc(points, alpha=1, strips="continuous") == 1 - lowest
    top = oracle.clipped_area(
        oracle.right_of(points_of(points)), oracle.Fraction(9, 10), oracle.ONE
    )
    assert br.curves.weighted_auc(points, alpha=1, strips=10) == pytest.approx(
        float(10 * top), abs=2e-14
    )
    assert br.curves.weighted_auc(points, alpha=1 - 1e-12, strips="continuous") == pytest.approx(
        1 - lowest, abs=1e-3
    )


@pytest.mark.parametrize(
    ("alpha", "ten", "limit"), [(0.1, 0.490, 0.2355), (0.5, 0.420, 0.0980), (0.8, 0.279, 0.0352)]
)
def test_chance_levels(alpha, ten, limit):
    assert br.curves.weighted_auc_chance(alpha) == pytest.approx(ten, abs=5e-4)
    assert br.curves.weighted_auc_chance(alpha, "continuous") == pytest.approx(limit, abs=5e-5)
    assert br.curves.weighted_auc_chance(alpha, 10) == float(
        br.curves.weighted_auc(br.count([1, 0], [0, 0]), alpha=alpha)
    )


def test_so_many_strips_return_to_the_auc_and_not_steadily():
    """The errata's table: AUC .700, and .592, .568, .615, .681, .695 for 2, 5, 10, 50 and 200
    strips at α = ½.
    """
    found = {}
    for across, up in itertools.product(range(1, 20), repeat=2):
        points = br.Points.from_rates([across / 20], [up / 20])
        found[across, up] = [br.curves.weighted_auc(points, alpha=0.5, strips=k) for k in EXAMPLE_K]
    close = [
        key
        for key, values in found.items()
        if values == pytest.approx(list(EXAMPLE_K.values()), abs=6e-4)
    ]
    assert close
    assert all((1 + up / 20 - across / 20) / 2 == pytest.approx(0.7) for across, up in close)


def test_the_papers_own_pair_is_put_right_by_strips_and_wrong_by_segments():
    a, b = br.Points.from_rates([0.3], [1.0]), br.Points.from_rates([0.0], [0.7])
    assert [
        br.curves.weighted_auc(points, alpha=0, strips=10) for points in (a, b)
    ] == pytest.approx([0.85, 0.85], rel=1e-15)
    assert [
        br.curves.weighted_auc(points, alpha=0.1, strips="segments") for points in (a, b)
    ] == pytest.approx([0.765, 0.795], rel=1e-14)
    assert [
        round(br.curves.weighted_auc(points, alpha=0.1, strips=10), 4) for points in (a, b)
    ] == [
        0.8470,
        0.8407,
    ]
    assert br.curves.weighted_auc(a, alpha=0.1, strips="continuous") > br.curves.weighted_auc(
        b, alpha=0.1, strips="continuous"
    )


@given(st.integers(1, 60), st.floats(0, 1))
def test_the_weights_sum_to_their_number_and_rise(count, alpha):
    weights = br.curves.strip_weights(count, alpha)
    assert len(weights) == count
    assert math.fsum(weights) == pytest.approx(count, rel=1e-12)
    assert (np.diff(weights) >= -1e-15).all()
    exact = [float(w) for w in oracle.weights(count, alpha)]
    assert weights.tolist() == pytest.approx(exact, rel=1e-12)


def test_alpha_comes_from_costs_or_from_the_class_ratio():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [2, 8, 30])
    assert br.curves.weighted_auc(counts, costs=br.Costs(fp=1, fn=5)) == br.curves.weighted_auc(
        counts, alpha=0.8
    )
    ratio = br.curves.weighted_auc(counts, alpha="class_ratio")
    assert ratio == br.curves.weighted_auc(counts, alpha=0.75)
    assert ratio.name == "weighted_auc(alpha=0.75, strips=10)"
    assert (
        br.curves.weighted_auc(counts, alpha=0.1, strips="segments").name
        == "weighted_auc(alpha=0.1, strips=segments)"
    )
    balanced = br.Counts([2, 1], [3, 1], [1, 3])
    assert br.curves.weighted_auc(balanced, alpha="class_ratio") == pytest.approx(
        br.auc(balanced), rel=1e-15
    )
