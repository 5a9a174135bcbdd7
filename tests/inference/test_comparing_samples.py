"""Comparing AUCs on different cases, and on more of them than 64 bits can square."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.inference.oracle_delong import (
    SCORES,
    counts_of,
    joint_of,
    naive_pair,
    naive_unpaired,
    welch,
)
from tests.inference.refusals import assert_refused
from tests.inference.two_models import models, separate

import baserate as br


@st.composite
def samples(draw):
    return tuple(draw(st.lists(SCORES, min_size=2, max_size=9)) for _ in range(4))


@given(samples())
def test_the_unpaired_test_adds_the_variances_of_two_samples(parts):
    values, pieces = naive_unpaired(parts)
    if not sum(variance for variance, _ in pieces):
        return
    found = br.compare(
        {"a": counts_of(*parts[:2]), "b": counts_of(*parts[2:])},
        br.auc,
        paired=False,
        method="delong-t",
    )
    difference, spread = (
        float(values[1] - values[0]),
        math.sqrt(sum(variance for variance, _ in pieces)),
    )
    freedom = welch([(variance, cases - 1) for variance, cases in pieces])
    assert (found.method, found.paired) == ("delong-t", False)
    assert found.values == (float(values[0]), float(values[1]))
    assert found.statistic == pytest.approx(difference / spread, rel=1e-7, abs=1e-12)
    assert found.p_value == pytest.approx(
        2 * stats.t.sf(abs(difference) / spread, freedom), rel=1e-6
    )
    half = stats.t.isf(0.025, freedom) * spread
    assert (found.low, found.high) == pytest.approx(
        (max(-1, difference - half), min(1, difference + half)), rel=1e-6, abs=1e-9
    )


@given(samples())
def test_the_plain_unpaired_test_has_pROCs_degrees_of_freedom(parts):
    values, pieces = naive_unpaired(parts)
    sizes = [len(parts[0]) + len(parts[1]), len(parts[2]) + len(parts[3])]
    variances = [pieces[0][0] + pieces[1][0], pieces[2][0] + pieces[3][0]]
    if not sum(variances):
        return
    found = br.compare(
        {"a": counts_of(*parts[:2]), "b": counts_of(*parts[2:])},
        br.auc,
        paired=False,
        method="delong",
    )
    freedom = welch([(variance, size - 1) for variance, size in zip(variances, sizes, strict=True)])
    t = abs(float(values[1] - values[0])) / math.sqrt(sum(variances))
    assert found.method == "delong"
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-6)


def test_one_name_stands_for_one_method_also_for_different_cases():
    parts = separate(cases=300)
    found = br.compare(parts, br.auc, paired=False)
    assert found == br.compare(parts, br.auc, paired=False, method=found.method)


@given(samples())
def test_swapping_two_samples_flips_the_sign_and_keeps_the_p_value(parts):
    both = {"a": counts_of(*parts[:2]), "b": counts_of(*parts[2:])}
    found, swapped = (
        br.compare(both, br.auc, pair=pair, paired=False) for pair in (("a", "b"), ("b", "a"))
    )
    assert (swapped.value, swapped.favours) == (-found.value, found.favours)
    assert (swapped.p_value, swapped.low, swapped.high) == pytest.approx(
        (found.p_value, -found.high, -found.low), rel=1e-9, abs=1e-12
    )


def test_large_samples_do_not_overflow():
    parts = {
        "a": br.Counts([3, 2, 1], [500_000, 300_000, 200_000], [200_000, 300_000, 500_000]),
        "b": br.Counts([3, 2, 1], [501_000, 300_000, 199_000], [200_000, 300_000, 500_000]),
    }
    found = br.compare(parts, br.auc, paired=False)
    thousandth = br.compare(
        {
            name: br.Counts(c.scores, c.positives // 1000, c.negatives // 1000)
            for name, c in parts.items()
        },
        br.auc,
        paired=False,
    )
    assert found.value == pytest.approx(thousandth.value, rel=1e-12)
    assert found.statistic == pytest.approx(thousandth.statistic * math.sqrt(1000), rel=2e-3)


@pytest.mark.parametrize("doublings", [12, 19])
def test_millions_of_cases_in_few_cells_do_not_overflow(doublings):
    """With 19 doublings the sums of squares leave 64 bits."""
    positives, negatives = [(2, 2), (3, 1), (1, 3), (2, 3)], [(1, 1), (2, 1), (1, 2), (3, 1)]
    whole = joint_of(positives, negatives)
    for _ in range(doublings):
        whole = (whole + whole).canonical()
    times = 2**doublings
    assert whole.total_positives == 4 * times
    values, parts = naive_pair(positives, negatives)
    exact = sum(
        part * Fraction(3, 4 * times - 1) for part in parts
    )  # one case less than there are, of four and of all
    found = br.compare(whole, br.auc)
    assert found.value == float(values[1]) - float(values[0]) != 0
    assert found.statistic == pytest.approx(found.value / math.sqrt(exact), rel=1e-9)


def test_weighted_cases_are_refused():
    labels, scores = models()
    weights = np.full(len(labels), 0.5)
    whole = br.count(labels, scores, sample_weight=weights)
    parts = {
        name: br.count(labels, values, sample_weight=weights) for name, values in scores.items()
    }
    for method in (None, "delong", "percentile"):
        for given_, paired in ((whole, True), (parts, False)):
            call = lambda given_=given_, paired=paired, method=method: br.compare(  # noqa: E731
                given_, br.auc, paired=paired, method=method
            )
            assert_refused("BR583", "weights do not say how many were seen", call)
