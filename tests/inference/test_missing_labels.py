"""Requirements where some scored cases have no label: what a bound does not show."""

import math

import numpy as np
import pytest

import baserate as br

SHOWN, OBSERVED, MISSED = "demonstrated", "met, not demonstrated", "not met"


def beside(counts, flagged, passed):
    """Counts at two scores, and so many cases without a label at either."""
    return counts.beside(br.Counts([1, 0], positives=[0, 0], negatives=[flagged, passed]))


def checked(counts, requirement, **options):
    (check,) = br.require(counts, requirement, threshold=1, **options).checks
    return check


FEW_PASSED = beside(br.Counts([1, 0], positives=[90, 10], negatives=[20, 80]), 0, 1000)
# Of the flagged cases all have labels, of the others 90 of 1,090.
ALL_MISSES = 10 * 1090 / 90


@pytest.mark.parametrize(
    ("requirement", "outcome", "corrected"),
    [
        ("recall >= 0.8", OBSERVED, 90 / (90 + ALL_MISSES)),
        ("fnr <= 0.2", OBSERVED, ALL_MISSES / (90 + ALL_MISSES)),
        ("fpr <= 0.3", SHOWN, None),  # with all labels it would be lower still
        ("specificity >= 0.7", SHOWN, None),
        ("recall >= 0.95", MISSED, None),
        ("recall >= 0.89", OBSERVED, 90 / (90 + ALL_MISSES)),
    ],
)
def test_where_labels_depend_on_the_flag_no_bound_shows_what_they_make_too_good(
    requirement, outcome, corrected
):
    check = checked(FEW_PASSED, requirement)
    assert check.outcome == outcome
    assert check.corrected == (None if corrected is None else pytest.approx(corrected))
    assert check.needed is None


SLIGHT = beside(
    br.Counts([1, 0], positives=[9000, 1000], negatives=[1000, 89_000]), flagged=0, passed=4000
)


@pytest.mark.parametrize(
    ("requirement", "outcome"),
    [
        ("recall >= 0.89", SHOWN),
        ("recall >= 0.893", OBSERVED),
        ("fnr <= 0.11", SHOWN),
        ("fnr <= 0.107", OBSERVED),
    ],
)
def test_where_they_depend_on_it_slightly_the_bound_is_moved_by_as_much(requirement, outcome):
    """Recall is 0.9, at least 0.8949; with a label of every case about 0.896."""
    misses = 1000 * 94 / 90
    check = checked(SLIGHT, requirement)
    assert check.outcome == outcome
    recall = 9000 / (9000 + misses)
    expected = recall if "recall" in requirement else 1 - recall
    assert check.corrected == (pytest.approx(expected) if outcome == OBSERVED else None)
    labelled = br.Counts([1, 0], positives=[9000, 1000], negatives=[1000, 89_000])
    assert checked(labelled, requirement).outcome == SHOWN


def test_the_share_flagged_is_counted_among_all_cases():
    """110 of 1,200 scored cases are flagged, of the labelled ones more than half."""
    check = checked(FEW_PASSED, "posfrac <= 0.12")
    assert (check.outcome, check.corrected) == (SHOWN, None)
    assert check.interval.value == 110 / 1200
    assert checked(FEW_PASSED, "posfrac <= 0.09").outcome == MISSED
    assert checked(FEW_PASSED, "posfrac >= 0.07").outcome == SHOWN
    assert checked(FEW_PASSED, "posfrac >= 0.092").outcome == MISSED


def scored(seed=2, rows=4000):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.2
    return rng, y, np.round(rng.normal(size=rows) + y, 2)


def counted(y, scores, known):
    rest = br.count(np.zeros(int((~known).sum()), dtype=int), scores[~known], pos_label=1)
    return br.count(y[known], scores[known]).beside(rest)


def weighted_auc(y, scores, weights):
    """The weight of the pairs that are in order, ties one half, over that of all pairs."""
    ours, theirs = scores[y][:, None], scores[~y]
    pairs = weights[y][:, None] * weights[~y]
    return np.sum(pairs * ((ours > theirs) + (ours == theirs) / 2)) / pairs.sum()


@pytest.mark.parametrize(("often", "limit"), [((0.2, 0.9), "<= 0.95"), ((0.9, 0.2), ">= 0.55")])
def test_an_auc_is_weighed_by_how_many_cases_have_a_label_among_similar_scores(often, limit):
    rng, y, scores = scored()
    known = rng.random(len(y)) < np.where(np.abs(scores - 0.2) > 0.8, *often)
    counts = counted(y, scores, known)
    (check,) = br.require(counts, f"auc {limit}").checks
    # The lowest score among the highest 1, 2, 5 … % of all cases divides them.
    ordered = np.sort(scores)[::-1]
    shares = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5)
    edges = sorted({ordered[math.ceil(share * len(y)) - 1] for share in shares})
    part = np.searchsorted(edges, scores, side="right")
    weights = np.array([1 / known[part == one].mean() for one in range(len(edges) + 1)])[part]
    other = weighted_auc(y[known], scores[known], weights[known])
    assert abs(other - check.interval.value) > 0.01
    assert (other > check.interval.value) == limit.startswith("<=")
    assert (check.outcome, check.corrected) == (OBSERVED, pytest.approx(other, rel=1e-9))
    turned = "auc >= 0.55" if limit.startswith("<=") else "auc <= 0.95"
    (check,) = br.require(counts, turned).checks
    assert (check.outcome, check.corrected) == (SHOWN, None)


def test_labels_that_are_missing_by_chance_change_no_summary():
    rng, y, scores = scored()
    counts = counted(y, scores, rng.random(len(y)) < 0.4)
    (check,) = br.require(counts, "auc >= 0.55").checks
    assert (check.outcome, check.corrected) == (SHOWN, None)
    (check,) = br.require(counts, "auc <= 0.95").checks
    assert (check.outcome, check.corrected) == (SHOWN, None)
