"""Sums that round once, and names for spreadsheets."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate.numbers import exact_total, running_sums, segment_sums, spreadsheet_safe

finite = st.floats(0, 1e300)


@given(st.lists(finite, min_size=1, max_size=40), st.data())
def test_every_run_is_summed_exactly_and_rounded_once(values, draws):
    starts = sorted({0, *draws.draw(st.lists(st.integers(0, len(values) - 1), max_size=5))})
    sums = segment_sums(np.array(values), np.array(starts, dtype=np.intp))
    ends = [*starts[1:], len(values)]
    assert sums.tolist() == [
        math.fsum(values[start:end]) for start, end in zip(starts, ends, strict=True)
    ]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200))
def test_running_sums_carry_what_was_rounded_away(values):
    exact = Fraction(0)
    for value, got in zip(values, running_sums(np.array(values)).tolist(), strict=True):
        exact += Fraction(value)
        assert math.isclose(got, float(exact), rel_tol=4e-16, abs_tol=5e-324)


def test_weights_that_are_not_finite_are_refused_rather_than_summed_for_ever():
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="must be finite"):
            segment_sums(np.array([bad, 1.0]), np.zeros(1, dtype=np.intp))


def test_totals_of_counts_are_exact_beyond_64_bits():
    assert exact_total(np.array([2**62, 2**62, 2**62])) == 3 * 2**62
    assert exact_total(np.empty(0)) == 0.0


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("-x", "'-x"),
        (" @x", " '@x"),
        ("\uff1d1", "'\uff1d1"),
        ('"=1', "\"'=1"),
        ("a;=1,+2", "a;'=1,'+2"),
        ('a"; =1', "a\"; '=1"),
        ("\t=1", "\\t=1"),
        ("a\r\n=1", "a\\r\\n=1"),
        ("\0=1", "\\x00=1"),
        ("\x1b[31m\x9b\u202e", "\\x1b[31m\\x9b\\u202e"),
        ("", ""),
        ("logit - new", "logit - new"),
        ("x@1, y=2", "x@1, y=2"),
    ],
)
def test_a_name_in_csv_is_no_formula_behind_any_separator_and_steers_no_terminal(name, safe):
    assert spreadsheet_safe(name) == safe
