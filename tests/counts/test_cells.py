"""Thresholds in few digits, one by one and all at once, and runs of negatives merged."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baserate.counts import cells

SCORES = st.one_of(
    st.floats(0, 1),
    st.floats(-1e6, 1e6),
    st.integers(-1000, 1000).map(lambda number: number / 100),
    st.sampled_from([0.0, 1e-9, 0.1 + 0.2, 1e15, 1e22, -1e300]),
)


@example([5e-324, -21.0])
@given(st.lists(SCORES, min_size=1, max_size=8))
def test_few_digits_of_many_thresholds_are_those_of_each(values):
    scores = np.unique(np.array(values) + 0.0)[::-1]
    whole, powers, texts = cells.short_decimals(scores, scores[1:])
    for place, score in enumerate(scores.tolist()):
        below = scores[place + 1].item() if place + 1 < len(scores) else -math.inf
        text = cells.short(score, below)
        assert below < float(text) <= score
        found = Decimal(int(whole[place])).scaleb(-int(powers[place]))
        assert Decimal(texts.get(place, str(found))) == Decimal(text)
        assert place in texts or whole[place] % 10 or not whole[place]


def hard_pairs(rng, count):
    """Thresholds, and scores below them, that lie at, beside and half way between short decimals of
    every size and number of digits.
    """
    digits, sizes = rng.integers(1, 17, count), rng.integers(-24, 23, count)
    whole = rng.integers(-(10**digits), 10**digits)
    unit = 10.0 ** (sizes - digits)
    top = whole * unit + rng.choice([0.0, 0.0, 0.5, 0.25, 1e-9, 0.04], count) * unit
    step = rng.choice([0.0, 0.04, 0.5, 1.0, 1.0, 2.0, 7.0, 100.0], count) * unit
    low = np.where(step == 0, np.nextafter(top, -math.inf), top - step)
    near = rng.random(count) < 0.2
    low = np.where(near, np.nextafter(low, rng.choice([-math.inf, math.inf], count)), low)
    kept = (low < top) & np.isfinite(top)
    return top[kept] + 0.0, low[kept] + 0.0


def test_few_digits_of_hard_thresholds_are_those_of_each():
    top, low = hard_pairs(np.random.default_rng(29), 3000)
    whole, powers, texts = cells.short_decimals(np.append(top, 0.5), low)
    for place, (score, below) in enumerate(zip(top.tolist(), low.tolist(), strict=True)):
        text = cells.short(score, below)
        assert below < float(text) <= score
        found = Decimal(int(whole[place])).scaleb(-int(powers[place]))
        assert Decimal(texts.get(place, str(found))) == Decimal(text), (score, below)
        assert abs(int(whole[place])) < 10**15
    assert texts  # neighbouring floats need more digits than that


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=8, unique=True))
def test_few_digits_of_whole_thresholds_are_whole(values):
    scores = np.sort(np.array(values))[::-1]
    whole, powers, texts = cells.short_decimals(scores, scores[1:])
    for place, score in enumerate(scores.tolist()):
        below = scores[place + 1].item() if place + 1 < len(scores) else -math.inf
        found = Decimal(texts.get(place, int(whole[place])))
        found = found if place in texts else found.scaleb(-int(powers[place]))
        assert found == int(cells.short(score, below))


@pytest.mark.parametrize(
    ("threshold", "below", "text"),
    [
        (0.4109800393967368, 0.3837292191193899, "0.4"),
        (0.00001234567, 0.00001, "0.000011"),
        (2e-9, 1e-9, "2e-9"),
        (2e30, 1e30, "2e+30"),
        (0.0, -1e-9, "0"),
        (1.0, 0.0, "1"),
        (123456789.0, 100000000.0, "110000000"),
        (20.0, 10.0, "20"),
        (0.3, 0.29999, "0.3"),
        (-0.5, -0.75, "-0.5"),
        (-0.5, -0.625, "-0.5"),
        (-0.51, -0.75, "-0.6"),
    ],
)
def test_a_threshold_has_as_few_digits_as_select_the_same_cases(threshold, below, text):
    assert cells.short(threshold, below) == text


def test_runs_of_negatives_do_not_reach_across_a_cut():
    found = cells.Cells(
        np.array([6.0, 5.0, 4.0, 3.0, 2.0]), np.array([1, 0, 0, 0, 1]), np.array([0, 1, 1, 1, 0])
    )
    merged = cells.without_runs(found)
    assert merged.scores.tolist() == [6.0, 3.0, 2.0]
    assert merged.negatives.tolist() == [0, 3, 0]
    cut = cells.without_runs(found, np.array([4.0]))
    assert cut.scores.tolist() == [6.0, 4.0, 3.0, 2.0]
    assert cut.negatives.tolist() == [0, 2, 1, 0]
