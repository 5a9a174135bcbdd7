"""What holds of every interval for AUC: at its ends, of any number of cases; and what is
refused.
"""

import math
from fractions import Fraction
from itertools import pairwise
from statistics import fmean

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.inference.classes import CLASSES, METHODS, bounds, defined, inner
from tests.inference.oracle_delong import counts_of, naive
from tests.inference.refusals import assert_refused

import baserate as br

DEFINED_EVERYWHERE = (None, "delong", "placements-beta", "distribution-free")


# Laws.


@given(CLASSES.filter(inner), st.sampled_from([*METHODS, None]), st.sampled_from([0.5, 0.9, 0.999]))
def test_the_interval_holds_the_auc_and_stays_between_0_and_1(classes, method, level):
    assume(defined(classes, method))
    found = br.interval(counts_of(*classes), br.auc, method=method, level=level)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value == float(naive(*classes)[0]) == br.auc(counts_of(*classes))
    assert found.value in found


@given(CLASSES.filter(inner), st.sampled_from([*METHODS, None]))
def test_a_higher_level_is_no_narrower_and_holds_the_lower_one(classes, method):
    assume(defined(classes, method))
    found = [
        br.interval(counts_of(*classes), br.auc, method=method, level=level)
        for level in (0.5, 0.8, 0.95, 0.999)
    ]
    for inside, outside in pairwise(found):
        assert outside.low <= inside.low <= inside.high <= outside.high


@example(([0, 2], [1, 1]), "placements-beta")
@given(CLASSES.filter(inner), st.sampled_from([*METHODS, None]))
def test_turning_the_scores_round_or_swapping_the_classes_mirrors_the_interval(classes, method):
    assume(defined(classes, method))
    positives, negatives = classes
    found = br.interval(counts_of(positives, negatives), br.auc, method=method)
    turned = br.interval(
        counts_of([-s for s in positives], [-s for s in negatives]), br.auc, method=method
    )
    swapped = br.interval(counts_of(negatives, positives), br.auc, method=method)
    for mirrored in (turned, swapped):
        assert bounds(found) == pytest.approx(
            (1 - mirrored.high, 1 - mirrored.low), rel=1e-9, abs=1e-12
        )
        assert found.method == mirrored.method


@given(
    CLASSES.filter(inner),
    st.sampled_from([*METHODS, None]),
    st.sampled_from([lambda s: 3 * s - 7, lambda s: s**3, math.exp]),
)
def test_a_monotone_rescaling_of_the_scores_changes_nothing(classes, method, rescaled):
    assume(defined(classes, method))
    found, other = (
        br.interval(counts_of(*made), br.auc, method=method)
        for made in (classes, [[rescaled(s) for s in c] for c in classes])
    )
    assert found == other


@given(
    CLASSES.filter(inner),
    st.sampled_from([method for method in METHODS if method != "placements-beta"]),
    st.sampled_from([0.75, 0.9, 0.95]),
)
def test_one_bound_is_the_end_of_the_two_sided_interval_that_misses_twice_as_much(
    classes, method, level
):
    assume(defined(classes, method))
    counts = counts_of(*classes)
    both = br.interval(counts, br.auc, method=method, level=2 * level - 1)
    low, high = (
        br.interval(counts, br.auc, method=method, level=level, side=side)
        for side in ("lower", "upper")
    )
    assert low.low == pytest.approx(both.low, rel=1e-8, abs=1e-12)
    assert high.high == pytest.approx(both.high, rel=1e-8, abs=1e-12)
    assert (low.high, high.low) == (1.0, 0.0)


@pytest.mark.parametrize(("positives", "wins"), [(5, 5), (20, 20), (20, 17), (50, 31)])
def test_one_bound_of_placements_that_are_0_or_1_is_that_of_clopper_and_pearson(positives, wins):
    counts = br.Counts([3, 2, 1], positives=[wins, 0, positives - wins], negatives=[0, 10**9, 0])
    for side in ("lower", "upper"):
        exact = br.rate_interval(wins, positives, side=side)
        found = br.interval(counts, br.auc, side=side)
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=1e-6)
        assert found.method == "placements-beta"


@given(CLASSES, st.sampled_from(DEFINED_EVERYWHERE))
def test_condensed_counts_have_the_same_interval(classes, method):
    assume(defined(classes, method))
    counts = counts_of(*classes)
    found, condensed = (
        br.interval(made, br.auc, method=method) for made in (counts, counts.condense())
    )
    assert bounds(condensed) == pytest.approx(bounds(found), rel=1e-11, abs=1e-13)
    assert (condensed.value, condensed.method) == (found.value, found.method)


def test_condensed_counts_of_many_cases_have_the_same_delong_interval():
    rng = np.random.default_rng(5)
    labels, scores = rng.random(4000) < 0.1, rng.normal(size=4000)
    kept, merged = (
        br.interval(br.count(labels, scores + labels, keep=keep), br.auc)
        for keep in ("all", "positives")
    )
    assert kept.method == merged.method == "delong-logit"
    assert bounds(merged) == pytest.approx(bounds(kept), rel=1e-12)


def test_twice_the_cases_are_known_better():
    once, twice = (
        br.interval(br.Counts([2, 1, 0], np.array([6, 3, 3]) * k, np.array([2, 4, 6]) * k), br.auc)
        for k in (1, 2)
    )
    assert twice.width < once.width
    assert once.value == twice.value


# The ends.


@pytest.mark.parametrize("method", [None, "placements-beta", "distribution-free"])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 500), (5, 5), (300, 2), (2000, 2000)])
def test_a_perfect_or_reversed_ranking_is_not_certain(sizes, method):
    p, n = sizes
    perfect = br.interval(
        br.Counts([1, 0], positives=[p, 0], negatives=[0, n]), br.auc, method=method
    )
    reversed_ = br.interval(
        br.Counts([1, 0], positives=[0, p], negatives=[n, 0]), br.auc, method=method
    )
    assert 0 < perfect.low < 1 == perfect.value == perfect.high
    assert reversed_.low == reversed_.value == 0 < reversed_.high < 1
    assert reversed_.high == pytest.approx(1 - perfect.low, rel=1e-9)


def test_more_perfect_cases_leave_less_doubt():
    lows = [
        br.interval(br.Counts([1, 0], positives=[k, 0], negatives=[0, k]), br.auc).low
        for k in (2, 5, 20, 100, 1000)
    ]
    assert lows == sorted(lows)
    assert lows[0] < 0.8
    assert lows[-1] > 0.99


def test_plain_delong_of_a_perfect_ranking_is_one_point_and_says_that_it_covers_too_little():
    found = br.interval(
        br.Counts([1, 0], positives=[40, 0], negatives=[0, 40]), br.auc, method="delong"
    )
    assert bounds(found) == (1.0, 1.0)
    assert [note.code for note in found.notes] == ["BR597"]


@pytest.mark.parametrize("cells", [([5, 0], [0, 5]), ([0, 5], [5, 0])])
def test_a_perfect_or_reversed_ranking_has_no_logit(cells):
    counts = br.Counts([1, 0], *cells)
    assert_refused(
        "BR581",
        "it has no logit.*leave the method open",
        lambda: br.interval(counts, br.auc, method="delong-logit"),
    )


@pytest.mark.parametrize("cases", [1, 10, 99, 100, 1000])
def test_scores_that_are_all_equal_leave_doubt_about_the_auc(cases):
    found = br.interval(br.Counts([0], [cases], [cases]), br.auc)
    assert found.low < found.value == 0.5 < found.high


# Size.


def cell_oracle(positives, negatives):
    """AUC and DeLong's variance from cells in descending order, as fractions."""
    p, n = sum(positives), sum(negatives)
    ours = [
        Fraction(2 * sum(negatives[i + 1 :]) + negatives[i], 2 * n) for i in range(len(positives))
    ]
    theirs = [Fraction(2 * sum(positives[:i]) + positives[i], 2 * p) for i in range(len(positives))]
    value = sum(c * v for c, v in zip(positives, ours, strict=True)) / p
    parts = ((positives, ours, p), (negatives, theirs, n))
    return value, sum(
        sum(c * (v - value) ** 2 for c, v in zip(cells, at, strict=True)) / (k - 1) / k
        for cells, at, k in parts
    )


@pytest.mark.parametrize("times", [1, 1000, 10**6, 10**9])
def test_a_million_by_a_million_pairs_and_far_more_do_not_overflow(times):
    positives, negatives = (
        [500 * times, 300 * times, 200 * times],
        [200 * times, 300 * times, 500 * times],
    )
    value, variance = cell_oracle(positives, negatives)
    counts = br.Counts([3, 2, 1], positives, negatives)
    found = br.interval(counts, br.auc, method="delong")
    assert found.value == float(value)
    assert found.width == pytest.approx(2 * 1.959963984540054 * math.sqrt(variance), rel=1e-6)
    for method in METHODS:
        other = br.interval(counts, br.auc, method=method)
        assert 0.5 < other.low < other.value < other.high < 1
    assert br.interval(counts, br.auc).method == "delong-logit"


def test_one_positive_among_many_negatives_is_hardly_known():
    found = br.interval(br.Counts([2, 1, 0], positives=[0, 1, 0], negatives=[100, 0, 900]), br.auc)
    assert (found.value, found.method) == (0.9, "placements-beta")
    assert found.width > 0.5


# What is refused.


def test_weighted_counts_are_refused_as_weights_do_not_say_how_many_were_seen():
    weighted = br.count([0, 1] * 50, np.arange(100), sample_weight=[0.5] * 100)
    for method in (None, *METHODS, "percentile", "bca"):
        assert_refused(
            "BR583",
            "weights do not say how many were seen",
            lambda method=method: br.interval(weighted, br.auc, method=method),
        )


@pytest.mark.parametrize(
    ("labels", "missing"), [([], "no cases"), ([1, 1], "no negatives"), ([0, 0], "no positives")]
)
def test_an_absent_class_leaves_auc_and_its_interval_undefined(labels, missing):
    counts = br.count(labels, np.arange(float(len(labels))))
    assert_refused(
        "BR552",
        f"{missing}: AUC is undefined, and so is its interval",
        lambda: br.interval(counts, br.auc),
    )


def test_an_unknown_method_is_refused_with_those_there_are():
    counts = br.count([0, 1] * 50, np.arange(100))
    names = "delong-logit, delong, placements-beta, distribution-free"
    assert_refused(
        "BR581",
        f'no method "wilson" for AUC.*{names}, or percentile, bca',
        lambda: br.interval(counts, br.auc, method="wilson"),
    )


# The bootstrap, by name.


def test_bootstrap_intervals_are_the_same_by_seed_and_differ_by_seed():
    rng = np.random.default_rng(2)
    labels = rng.random(300) < 0.3
    counts = br.count(labels, rng.normal(size=300) + labels)
    first, again, other = (
        br.interval(counts, br.auc, method="percentile", replicates=500, seed=seed)
        for seed in (3, 3, 4)
    )
    assert first == again
    assert bounds(first) != bounds(other)
    assert (first.method, first.replicates, first.seed) == ("percentile", 500, 3)
    delong = br.interval(counts, br.auc, method="delong")
    assert bounds(first) == pytest.approx(bounds(delong), abs=0.02)
    assert fmean(bounds(first)) == pytest.approx(first.value, abs=0.02)
