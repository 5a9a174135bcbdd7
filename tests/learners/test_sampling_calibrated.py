"""Scores of sampled learners, taken back to the true base rate, are probabilities there: tests of
calibration, with controls that fail.
"""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from baserate_learners import Resampled

LEARNER = LogisticRegression(C=1e6, tol=1e-8)


def cases(seed, size):
    """Cases of a logistic law, 4.4 % of them positive."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(size, 2))
    chance = 1 / (1 + np.exp(4 - 1.5 * rows[:, 0] + 0.5 * rows[:, 1]))
    return rows, (rng.random(size) < chance).astype(int)


TRAIN, TEST = cases(1, 60_000), cases(2, 8000)


def spiegelhalter(labels, shares):
    """Spiegelhalter's z (1986, Statistics in Medicine 5): normal where the shares are the chances
    of the labels.
    """
    off, variance = 0.0, 0.0
    for label, share in zip(labels, shares, strict=True):
        off += (label - share) * (1 - 2 * share)
        variance += (1 - 2 * share) ** 2 * share * (1 - share)
    return off / variance**0.5


def in_the_large(labels, shares):
    """As many positives as the shares add up to: normal where they are the chances of the
    labels.
    """
    return (labels.sum() - shares.sum()) / (shares * (1 - shares)).sum() ** 0.5


def worst_bin(labels, shares, bins=10):
    """The least p-value of exact binomial tests in bins of equal size, times their number."""
    order = np.argsort(shares, kind="stable")
    tests = [
        binomtest(int(labels[part].sum()), len(part), float(shares[part].mean())).pvalue
        for part in np.array_split(order, bins)
    ]
    return min(1.0, bins * min(tests))


def assert_calibrated(labels, shares):
    assert abs(in_the_large(labels, shares)) < 3
    assert abs(spiegelhalter(labels, shares)) < 3
    assert worst_bin(labels, shares) > 0.01


def shares_of(**said):
    return Resampled(LEARNER, **said).fit(*TRAIN).predict_proba(TEST[0])[:, 1]


RANDOM = [
    {"sampler": "under"},
    {"sampler": "over"},
    {"sampler": "hybrid"},
    {"sampler": "under", "repeats": 5},
]


@pytest.mark.parametrize("said", RANDOM, ids=str)
def test_corrected_back_scores_of_random_samples_are_calibrated(said):
    assert_calibrated(TEST[1], shares_of(**said))
    raw = shares_of(**said, correct=None)  # the same scores as they are
    assert in_the_large(TEST[1], raw) < -20
    assert worst_bin(TEST[1], raw) < 1e-20


def test_focused_samples_are_calibrated_anew_and_no_factor_would_do():
    assert_calibrated(TEST[1], shares_of(sampler="focused", correct="isotonic"))
    raw = Resampled(LEARNER, "focused", correct=None).fit(*TRAIN)
    rows, labels = cases(5, 60_000)
    odds = np.divide(*raw.predict_proba(rows).T[::-1])
    factors = np.geomspace(1e-3, 1, 40)
    assert max(worst_bin(labels, factor * odds / (1 + factor * odds)) for factor in factors) < 1e-6


def test_scores_at_another_base_rate_are_calibrated_there():
    """One in four of the positives leaves the field: the law of each class stays, the base rate
    falls to about 1.1 %.
    """
    rows, labels = cases(3, 40_000)
    kept = (labels == 0) | (np.random.default_rng(4).random(len(labels)) < 0.25)
    rows, labels = rows[kept], labels[kept]
    shares = (
        Resampled(LEARNER, "under", repeats=5, prior=float(labels.mean()))
        .fit(*TRAIN)
        .predict_proba(rows)[:, 1]
    )
    assert_calibrated(labels, shares)
    stale = Resampled(LEARNER, "under", repeats=5).fit(*TRAIN).predict_proba(rows)[:, 1]
    assert in_the_large(labels, stale) < -10


RNG = np.random.default_rng(0)
PRIOR, SHIFT = 0.0507, 1.5
Y = (RNG.random(40_000) < PRIOR).astype(int)
X = RNG.normal(size=(40_000, 1)) + SHIFT * Y[:, None]
GRID = np.linspace(-3, 6, 9001)[:, None]


def chance(x):
    """The true probability: normal classes of one spread have log odds that are straight."""
    return 1 / (1 + (1 - PRIOR) / PRIOR * np.exp(SHIFT**2 / 2 - SHIFT * np.asarray(x)))


@pytest.mark.parametrize("correct", ["platt", "beta"])
def test_a_sigmoid_is_calibrated_from_end_to_end(correct):
    at = [-1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    found = (
        Resampled(LogisticRegression(C=1e6), "under", correct=correct)
        .fit(X, Y)
        .predict_proba(np.array(at)[:, None])[:, 1]
    )
    odds = np.log(found / (1 - found)) - np.log(chance(at) / (1 - chance(at)))
    assert np.abs(odds).max() < 0.35
    assert found[-1] > 0.9  # a sigmoid of the probability itself ends at 0.455


def test_votes_of_none_and_of_all_have_log_odds_too():
    """Shares of nine neighbours: the sigmoid keeps their order, and as many are positive as it
    says.
    """
    rows, labels = X[:8000], Y[:8000]
    fitted = Resampled(KNeighborsClassifier(9), "under", correct="platt", cv=3).fit(rows, labels)
    raw = (
        Resampled(KNeighborsClassifier(9), "under", correct=None)
        .fit(rows, labels)
        .predict_proba(GRID)[:, 1]
    )
    found = fitted.predict_proba(GRID)[:, 1]
    assert {0.0, 1.0} <= set(raw)
    assert np.array_equal(
        np.unique(raw, return_inverse=True)[1], np.unique(found, return_inverse=True)[1]
    )
    assert fitted.predict_proba(X[8000:])[:, 1].mean() == pytest.approx(PRIOR, rel=0.15)


def test_isotonic_calibration_reads_scores_as_they_are():
    """Its blocks begin at probabilities, and not at their log odds, some of which are below 0."""
    rows, labels = X[:2000], Y[:2000]
    fitted = Resampled(LogisticRegression(), "under", correct="isotonic").fit(rows, labels)
    assert 0 < fitted.calibration_.scores.min() < fitted.calibration_.scores.max() < 1
