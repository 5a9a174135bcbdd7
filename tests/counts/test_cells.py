"""Thresholds in few digits, one by one and all at once, and runs of negatives merged."""

import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baserate import InputError
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
        assert place in texts or whole[place] % 10 or (whole[place], powers[place]) == (0, 0)


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


LOWEST, HIGHEST, LARGEST = -(2**63), 2**63 - 1, sys.float_info.max


@pytest.mark.parametrize(
    ("threshold", "kind", "cut"),
    [
        (0.5, float, 0.5),
        (np.float32(0.25), float, 0.25),
        (Fraction(1, 2) + Fraction(1, 2**80), float, math.nextafter(0.5, 1)),
        (Fraction(1, 2) - Fraction(1, 2**80), float, 0.5),
        (2**53 + 1, float, 2.0**53 + 2),
        (math.inf, float, math.inf),
        (np.float32(-math.inf), float, -math.inf),
        (10**400, float, math.inf),
        (-(10**400), float, -LARGEST),
        (0.5, int, 1),
        (-0.5, int, 0),
        (HIGHEST, int, HIGHEST),
        (HIGHEST + Fraction(1, 2), int, None),
        (2**63, int, None),
        (math.inf, int, None),
        (np.float32(math.inf), int, None),
        (LOWEST, int, LOWEST),
        (LOWEST - Fraction(1, 2), int, LOWEST),
        (-(2**70), int, LOWEST),
        (-math.inf, int, LOWEST),
    ],
)
def test_a_threshold_is_the_lowest_score_that_is_not_below_it(threshold, kind, cut):
    found = cells.lowest_score(threshold, np.dtype(kind))
    assert (found, type(found)) == (cut, type(cut))


def test_cuts_are_each_there_once_and_ascend():
    kind = np.dtype(np.float64)
    assert cells.cuts_of([], kind) is None
    assert cells.cuts_of([None], kind) is None
    assert cells.cuts_of([0.5, None, 0.25, 0.5], kind).tolist() == [0.25, 0.5]
    assert not np.signbit(cells.cuts_of([-0.0], kind)).any()
    whole = cells.cuts_of([2.5, 2**70, -1], np.dtype(np.int64))
    assert (whole.tolist(), whole.dtype) == ([-1, 3], np.int64)
    assert cells.cuts_of([2**70], np.dtype(np.int64)).tolist() == []


def test_the_next_score_below_is_of_the_same_type():
    assert cells.next_below(np.array([3, LOWEST + 1])).tolist() == [2, LOWEST]
    floats = cells.next_below(np.array([1.0, 0.0, -LARGEST]))
    assert floats.tolist() == [math.nextafter(1, 0), -5e-324, -math.inf]


def test_runs_are_equal_in_every_key_and_sums_are_rounded_once():
    first, second = np.array([2, 2, 1, 1, 1]), np.array([5, 5, 5, 4, 4])
    starts = cells.run_starts(first, second)
    assert starts.tolist() == [0, 2, 3]
    assert cells.run_sums(np.array([1, 2, 3, 4, 5]), starts).tolist() == [3, 3, 9]
    tenths = cells.run_sums(np.full(5, 0.1), np.array([0, 2]))
    assert tenths.tolist() == [0.2, float(3 * Fraction(0.1))]
    nothing = np.empty(0)
    assert cells.run_sums(nothing, cells.run_starts(nothing)).tolist() == []


def test_a_bin_has_the_lowest_and_the_highest_score_in_it():
    lows, highs = np.array([0.5, 0.9, 0.1, 0.7]), np.array([0.6, 0.95, 0.1, 0.8])
    positives, negatives = np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])
    merged, tops = cells.binned(np.array([1, 2, 0, 1]), lows, highs, positives, negatives)
    assert merged.scores.tolist() == [0.9, 0.5, 0.1]
    assert tops.tolist() == [0.95, 0.8, 0.1]
    assert merged.positives.tolist() == [2, 5, 3]
    assert merged.negatives.tolist() == [6, 13, 7]
    none = np.empty(0, dtype=np.int64)
    merged, tops = cells.binned(none, lows[:0], highs[:0], none, none)
    assert [len(column) for column in (*merged, tops)] == [0] * 4


@pytest.mark.parametrize(
    ("top", "low"),
    [
        (5e-23, -1.0),  # its own power of ten is beyond those that floats hold
        (-5e-23, -1.0),
        (3e-300, -3e-300),
        (LARGEST, -LARGEST),
        (5e-324, 0.0),
        (0.0, -5e-324),
        (math.inf, LARGEST),
        (2.0**60, 3.0),
        (1e15, 1e15 - 2),
        (-1e14, -1e16),
        (-0.009000000000000001, -0.121),  # nearly half way between two decimals
        (-3.0000000000000004e-05, -0.00107),
    ],
)
def test_few_digits_of_thresholds_at_the_ends_of_the_range_are_those_of_each(top, low):
    whole, powers, texts = cells.short_decimals(np.array([top, low]), np.array([low]))
    for place, below in enumerate((low, -math.inf)):
        found = Decimal(int(whole[place])).scaleb(-int(powers[place]))
        text = cells.short((top, low)[place], below)
        assert Decimal(texts.get(place, str(found))) == Decimal(text)


def test_few_digits_of_whole_thresholds_that_floats_round_are_exact():
    scores = np.array([HIGHEST, HIGHEST - 1, 2**53 + 1, 2**53, 7, LOWEST])
    whole, powers, texts = cells.short_decimals(scores, scores[1:])
    for place, score in enumerate(scores.tolist()[:-1]):
        below = scores[place + 1].item()
        found = Decimal(texts.get(place, int(whole[place])))
        found = found if place in texts else found.scaleb(-int(powers[place]))
        assert found == Decimal(cells.short(score, below))
        assert below < found <= score


@pytest.mark.parametrize(
    ("kind", "most"),
    [("random", 1), ("wide", 1), ("negative", 1), ("rounded", 20), ("whole", 4), ("small", 20)],
)
def test_floats_leave_few_thresholds_to_be_looked_at_one_by_one(kind, most, monkeypatch):
    rng, short, calls = np.random.default_rng(6), cells.short, []
    scores = {
        "random": lambda: rng.random(500),
        "wide": lambda: rng.normal(size=500) * 10.0 ** rng.integers(-12, 12, 500),
        "negative": lambda: -rng.random(500) - 7,
        "rounded": lambda: rng.random(500).round(3),
        "whole": lambda: rng.integers(-(10**6), 10**6, 500),
        "small": lambda: rng.random(500) * 1e-18,
    }[kind]()
    scores = np.unique(scores)[::-1]
    monkeypatch.setattr(cells, "short", lambda *given: calls.append(given) or short(*given))
    cells.short_decimals(scores, scores[1:])
    assert 1 <= len(calls) <= most  # the last flags everything


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.123456, "12.3 %"),
        (0.5, "50 %"),
        (0.9994, "99.9 %"),
        (0.9995, ">99.9 %"),
        (0.999999, ">99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_a_share_is_never_rounded_up_to_everything(share, text):
    assert cells.percent(share) == text


def test_totals_are_refused_one_beyond_the_largest_integer():
    one, rest = np.array([1]), np.array([HIGHEST - 1])
    cells.check_totals(one, rest)
    cells.check_totals(np.array([LARGEST]), np.zeros(1))
    with pytest.raises(InputError, match="BR223"):
        cells.check_totals(np.array([LARGEST]), np.array([LARGEST]))
    with pytest.raises(InputError, match="BR223: the totals exceed 64-bit integers"):
        cells.check_totals(one + 1, rest)


def test_counts_become_masses_up_to_the_last_that_floats_hold():
    assert cells.as_masses(np.array([2**53, 0])).tolist() == [2.0**53, 0.0]
    assert cells.as_masses(np.empty(0, dtype=np.int64)).dtype == np.float64
    assert cells.as_masses(np.array([2.0**60])).tolist() == [2.0**60]
    with pytest.raises(InputError, match="BR223: counts above"):
        cells.as_masses(np.array([0, 2**53 + 1]))


def test_columns_of_two_types_are_joined_in_the_type_that_holds_both():
    ints, floats = np.array([3, 2**60]), np.array([0.5])
    assert cells.joined_scores(ints, ints).dtype == np.int64
    assert cells.joined_scores(ints, floats).tolist() == [3.0, 2.0**60, 0.5]
    assert cells.joined_scores(floats, ints).tolist() == [0.5, 3.0, 2.0**60]
    for one, other in ((ints, floats[:0]), (floats[:0], ints)):
        found = cells.joined_scores(one, other)
        assert (found.tolist(), found.dtype) == (ints.tolist(), np.int64)
        assert not np.shares_memory(found, ints)
    for large in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(InputError, match="BR409"):
            cells.joined_scores(np.array([large]), floats)
