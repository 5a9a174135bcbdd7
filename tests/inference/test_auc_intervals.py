"""Intervals for AUC: against loops over every pair of cases, exact enumeration, and what pROC
prints.
"""

import csv
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.inference.classes import CLASSES, bounds, in_pairs, inner
from tests.inference.oracle_delong import (
    counts_of,
    covariance,
    naive,
    naive_variance,
    placements,
)

import baserate as br
from baserate.inference.auc import _divergence, placed


@pytest.fixture(scope="module")
def patients(shared):
    with open(shared / "scores" / "pROC_aSAH.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        marker: br.count([int(row["class"]) for row in rows], [float(row[marker]) for row in rows])
        for marker in ("s100b", "ndka", "wfns")
    }


# Definitions.


@pytest.mark.parametrize("method", ["delong", "delong-logit"])
@pytest.mark.parametrize(
    "counts", [br.Counts([2, 1], [1, 0], [3, 9]), br.Counts([2, 1], [5, 4], [1, 0])]
)
def test_delong_needs_two_cases_of_each_class(counts, method):
    with pytest.raises(br.InputError, match="BR590: DeLong's variance needs two cases of each"):
        br.interval(counts, "auc", method=method)
    assert br.interval(counts, "auc").method == "placements-beta"


@given(CLASSES.filter(in_pairs), st.sampled_from([0.8, 0.95, 0.99]))
def test_delong_is_the_normal_interval_with_the_variance_of_placements(classes, level):
    found = br.interval(counts_of(*classes), br.auc, method="delong", level=level)
    half = stats.norm.isf((1 - level) / 2) * math.sqrt(naive_variance(*classes))
    value = naive(*classes)[0]
    assert found.value == float(value)
    assert bounds(found) == pytest.approx(
        (max(0, value - half), min(1, value + half)), rel=1e-9, abs=1e-12
    )


@given(CLASSES.filter(in_pairs))
def test_the_variances_of_placements_are_those_of_their_definition(classes):
    counts, sides = counts_of(*classes), placements(*classes)
    expected = [float(covariance(side, side)) for side in sides]
    for known in (placed(counts), placed(counts.condense())):
        assert [known.of_positives, known.of_negatives] == pytest.approx(expected, rel=1e-12)
        # What does not vary at all has no variance, not a tiny one.
        assert [known.of_positives > 0, known.of_negatives > 0] == [each > 0 for each in expected]
    times = 10**7
    many = placed(br.Counts(counts.scores, counts.positives * times, counts.negatives * times))
    grown = [
        float(covariance(side, side)) * (len(side) - 1) * times / (len(side) * times - 1)
        for side in sides
    ]
    assert [many.of_positives, many.of_negatives] == pytest.approx(grown, rel=1e-9, abs=1e-12)


@given(CLASSES.filter(in_pairs).filter(inner), st.sampled_from([0.8, 0.95, 0.99]))
def test_delong_on_the_logit_scale_is_the_same_by_the_delta_method(classes, level):
    found = br.interval(counts_of(*classes), br.auc, method="delong-logit", level=level)
    value = float(naive(*classes)[0])
    half = (
        stats.norm.isf((1 - level) / 2)
        * math.sqrt(naive_variance(*classes))
        / (value * (1 - value))
    )
    logit = math.log(value / (1 - value))
    expected = [1 / (1 + math.exp(-(logit + sign * half))) for sign in (-1, 1)]
    assert bounds(found) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-12)


def dirichlet_moments(values, at_one=Fraction(1, 2)):
    """Mean and variance of a weighted mean under Dirichlet weights: a unit a case, and one unit
    shared between 0 and 1.
    """
    weights = [*(Fraction(1) for _ in values), 1 - at_one, at_one]
    spots = [*values, Fraction(0), Fraction(1)]
    whole = sum(weights)
    mean = sum(w * v for w, v in zip(weights, spots, strict=True)) / whole
    return mean, (sum(w * v * v for w, v in zip(weights, spots, strict=True)) / whole - mean**2) / (
        whole + 1
    )


def beta_of(sides, at_one):
    """The Beta distribution with the mean of the smaller class, and the variance of both."""
    (ours, theirs), smaller = (
        [dirichlet_moments(side, at_one) for side in sides],
        min(sides, key=len),
    )
    mean = float(dirichlet_moments(smaller, at_one)[0])
    variance = min(float(ours[1] + theirs[1]), 0.999 * mean * (1 - mean))
    weight = mean * (1 - mean) / variance - 1
    return stats.beta(mean * weight, (1 - mean) * weight)


def nearly_none_or_all(sides):
    """Whether the placements of the smaller class have over nine tenths of the variance that they
    would have if each were 0 or 1.
    """
    values = min(sides, key=len)
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) > Fraction(9, 10) * len(values) * mean * (
        1 - mean
    )


@given(CLASSES, st.sampled_from([0.8, 0.95]))
def test_placements_beta_has_the_moments_of_dirichlet_weighted_placements(classes, level):
    """Half a case at either end; a whole one at the harder end where placements are nearly all 0 or
    1, or the AUC is.
    """
    value, *sides = naive(*classes)
    missed = (1 - level) * (1 if value in (0, 1) else 1 / 2)
    careful = value in (0, 1) or nearly_none_or_all(sides)
    below, above = (Fraction(0), Fraction(1)) if careful else (Fraction(1, 2), Fraction(1, 2))
    low = min(beta_of(sides, below).ppf(missed), float(value)) if value > 0 else 0.0
    high = max(beta_of(sides, above).isf(missed), float(value)) if value < 1 else 1.0
    found = br.interval(counts_of(*classes), br.auc, method="placements-beta", level=level)
    assert bounds(found) == pytest.approx((low, high), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("cases", [1, 2, 10, 60])
def test_placements_beta_is_clopper_and_pearsons_interval_where_every_placement_is_none_or_all(
    cases,
):
    """Negatives tied at one score, and so many of them that they add no doubt; positives above it
    or below: the AUC is a rate.
    """
    for seen in {0, 1, cases // 3, cases - 1, cases}:
        counts = br.Counts([1, 0, -1], positives=[seen, 0, cases - seen], negatives=[0, 10**9, 0])
        mirrored = br.Counts([1, 0, -1], positives=[0, 10**9, 0], negatives=[cases - seen, 0, seen])
        # None or all of them is a statement on one side, as of every rate.
        exact = br.rate_interval(
            seen, cases, method=None if seen in (0, cases) else "clopper-pearson"
        )
        for made in (counts, mirrored):
            assert bounds(br.interval(made, br.auc, method="placements-beta")) == pytest.approx(
                bounds(exact), rel=1e-6
            )


@pytest.mark.parametrize(("positives", "negatives"), [(5, 200), (10, 300), (20, 500), (50, 1000)])
def test_the_default_covers_all_or_nothing_scores(positives, negatives):
    """Enumerated: each positive ranks above or below all negatives. Before, 86.9 % at the worst AUC
    with 10 positives, 90 % with 5.
    """
    seen = np.arange(positives + 1)
    found = [
        br.interval(br.Counts([3, 2, 1], [x, 0, positives - x], [0, negatives, 0]), "auc")
        for x in seen.tolist()
    ]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    for share in np.linspace(0.5, 0.97, 95):
        assert (
            stats.binom.pmf(seen, positives, share)[(low <= share) & (share <= high)].sum() > 0.925
        )


@given(CLASSES, st.sampled_from([0.8, 0.95]))
def test_the_distribution_free_bounds_are_where_hoeffdings_inequality_rules_out(classes, level):
    found = br.interval(counts_of(*classes), br.auc, method="distribution-free", level=level)
    seen, pairs = float(naive(*classes)[0]), min(map(len, classes))

    def bound(true):
        """The chance of an AUC so far from the true one, at most; Hoeffding 1963, theorem 1."""
        return ((true / seen) ** seen if seen else 1.0) ** pairs * (
            ((1 - true) / (1 - seen)) ** (1 - seen) if seen < 1 else 1.0
        ) ** pairs

    missed = (1 - level) / 2
    for end, border in ((0.0, found.low), (1.0, found.high)):
        if seen == end:
            assert border == end
        else:  # ruled out, and what is one step further inside is not
            assert bound(border) <= missed * (1 + 1e-9)
            assert bound(math.nextafter(border, seen)) >= missed * (1 - 1e-9)


@pytest.mark.parametrize("cases", [1, 7, 100])
def test_a_perfect_ranking_is_bounded_freely_by_a_root_of_what_may_be_missed(cases):
    perfect = br.Counts([1, 0], positives=[cases, 0], negatives=[0, 3 * cases])
    assert bounds(br.interval(perfect, br.auc, method="distribution-free")) == pytest.approx(
        (0.025 ** (1 / cases), 1.0), rel=1e-12
    )
    assert br.interval(
        perfect, br.auc, method="distribution-free", side="lower"
    ).low == pytest.approx(0.05 ** (1 / cases), rel=1e-12)


def test_distribution_free_bounds_contain_those_of_as_many_coins():
    """Chernoff's bound on a binomial tail is never below the tail itself."""
    for seen in range(21):
        counts = br.Counts([1, 0, -1], positives=[seen, 0, 20 - seen], negatives=[0, 50, 0])
        free, coins = (
            br.interval(counts, br.auc, method="distribution-free"),
            br.rate_interval(seen, 20, method="clopper-pearson"),
        )
        assert free.low <= coins.low <= coins.high <= free.high


@pytest.mark.parametrize("seen", [0.003, 0.3, 0.5, 0.97])
@pytest.mark.parametrize("shift", [-0.9, -0.04, -1e-3, 1e-3, 0.04, 0.9])
def test_the_divergence_of_two_coins_is_that_of_their_logarithms(seen, shift):
    """Also where they are nearly equal, and the logarithms nearly cancel."""
    p, q = Decimal(seen), Decimal(seen + shift * min(seen, 1 - seen))
    exact = p * (p / q).ln() + (1 - p) * ((1 - p) / (1 - q)).ln()
    assert _divergence(float(p), float(q)) == pytest.approx(float(exact), rel=1e-12)
    assert _divergence(seen, seen) == 0


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (5, 5), (8, 4), (3, 12)])
@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_the_distribution_free_bound_holds_for_every_pair_of_coins(sizes, side):
    """Scores 0 and 1: every sample, each with its exact chance."""
    p, n = sizes
    bounded = {}
    for a in range(p + 1):
        for b in range(n + 1):
            counts = br.Counts([1, 0], positives=[a, p - a], negatives=[b, n - b])
            bounded[a, b] = br.interval(counts, br.auc, method="distribution-free", side=side)
    for ours in (0.05, 0.3, 0.5, 0.8, 0.97, 1.0):
        for theirs in (0.0, 0.03, 0.4, 0.5, 0.9):
            true = ours * (1 - theirs) + (ours * theirs + (1 - ours) * (1 - theirs)) / 2
            held = [
                pair
                for pair, found in bounded.items()
                if found.low - 1e-12 <= true <= found.high + 1e-12
            ]
            chance = math.fsum(
                stats.binom.pmf(a, p, ours) * stats.binom.pmf(b, n, theirs) for a, b in held
            )
            assert chance >= 0.95 - 1e-12


# What pROC prints.


def test_pROC_prints_the_same_delong_interval_for_s100b(patients):
    found = br.interval(patients["s100b"], br.auc, method="delong")
    assert [round(number, 4) for number in (found.value, found.low, found.high)] == [
        0.7314,
        0.6301,
        0.8326,
    ]


def test_pROC_prints_the_same_delong_interval_for_ndka(patients):
    found = br.interval(patients["ndka"], br.auc, method="delong")
    assert [round(number, 3) for number in (found.value, found.low, found.high)] == [
        0.612,
        0.501,
        0.723,
    ]


def test_with_41_patients_of_the_smaller_class_the_default_is_not_delong(patients):
    found = br.interval(patients["s100b"], br.auc)
    assert (found.method, found.notes) == ("placements-beta", ())
    plain = br.interval(patients["s100b"], br.auc, method="delong")
    assert [note.code for note in plain.notes] == ["BR597"]
    assert "smaller class (here 41)" in plain.notes[0].text


# The rule.


def spread_counts(positives, negatives, auc):
    """Two scores for each class, with the AUC that is given."""
    high = round(positives * auc)
    return br.Counts([2, 1, 0], positives=[high, 0, positives - high], negatives=[0, negatives, 0])


@pytest.mark.parametrize(
    ("positives", "negatives", "auc", "method"),
    [
        (100, 100, 0.7, "delong-logit"),
        (100, 5000, 0.9, "delong-logit"),
        (5000, 100, 0.1, "delong-logit"),
        (99, 5000, 0.7, "placements-beta"),
        (5000, 99, 0.7, "placements-beta"),
        (1000, 1000, 0.95, "placements-beta"),
        (1000, 1000, 0.05, "placements-beta"),
    ],
)
def test_without_a_method_delong_is_for_many_cases_and_an_auc_that_is_not_near_an_end(
    positives, negatives, auc, method
):
    counts = spread_counts(positives, negatives, auc)
    found = br.interval(counts, br.auc)
    assert (found.method, found.name, found.side, found.notes) == (method, "auc", "both", ())
    assert found == br.interval(counts, "auc", method=method)


@pytest.mark.parametrize("method", ["delong", "delong-logit"])
def test_delong_by_name_says_where_it_covers_too_little(method):
    few, many = spread_counts(40, 400, 0.7), spread_counts(400, 400, 0.7)
    assert [note.code for note in br.interval(few, br.auc, method=method).notes] == ["BR597"]
    assert br.interval(many, br.auc, method=method).notes == ()
