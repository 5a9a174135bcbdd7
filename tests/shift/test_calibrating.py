"""Calibration: isotonic against exact pooling, Platt and beta against scikit-learn, and how good
the probabilities are before and after.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from tests.inference.refusals import assert_refused

import baserate as br


def sample(seed, cases=2000):
    rng = np.random.default_rng(seed)
    labels = (rng.random(cases) < 0.3).astype(int)
    x = rng.normal(size=cases) + 1.2 * labels
    return labels, x, 1 / (1 + np.exp(-(2.5 * x - 1.8)))


LABELS, X, WRONG = sample(1)
COUNTS = br.count(LABELS, WRONG)


def pooled(cells):
    """Pooled adjacent violators, from the highest score down: the share of positives of each block,
    as exact fractions.
    """
    blocks = []
    for score, positives, negatives in cells:
        blocks.append([Fraction(positives), Fraction(positives + negatives), [score]])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] <= blocks[-1][0] * blocks[-2][1]:
            ours, whole, scores = blocks.pop()
            blocks[-1] = [blocks[-1][0] + ours, blocks[-1][1] + whole, blocks[-1][2] + scores]
    return {score: ours / whole for ours, whole, scores in blocks for score in scores}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=25))
def test_isotonic_is_the_share_of_positives_in_each_pooled_block(cells):
    kept = [(float(i), p, n) for i, (p, n) in enumerate(cells) if p + n]
    if not sum(p for _, p, _ in kept) or not sum(n for _, _, n in kept):
        return
    counts = br.Counts(*zip(*kept, strict=True))
    expected = pooled(reversed(kept))
    found = br.shift.calibrate(counts)
    assert [float(expected[score]) for score, _, _ in kept] == found.apply(
        [score for score, _, _ in kept]
    ).tolist()


def test_isotonic_agrees_with_scikit_learn():
    theirs = IsotonicRegression(out_of_bounds="clip").fit(X, LABELS).predict(X)
    assert br.shift.calibrate(br.count(LABELS, X)).apply(X) == pytest.approx(theirs, abs=1e-12)


def test_between_two_scores_isotonic_keeps_the_lower_blocks_value():
    found = br.shift.calibrate(br.Counts([3, 1], [3, 1], [1, 3]))
    assert found.apply([0, 1, 2.9, 3, 7]).tolist() == [0.25, 0.25, 0.25, 0.75, 0.75]


def test_isotonic_counts_are_the_roc_hull():
    counts = br.shift.calibrate(COUNTS).relabel(COUNTS)
    hull = br.Points.of(COUNTS).hull()
    assert np.array_equal(br.Points.of(counts).tp, hull.tp)
    assert np.array_equal(br.Points.of(counts).fp, hull.fp)
    assert br.curves.brier_decomposition(counts).miscalibration == pytest.approx(0, abs=1e-12)


def test_platt_agrees_with_scikit_learn():
    from sklearn.calibration import _sigmoid_calibration

    steepness, offset = _sigmoid_calibration(X, LABELS)
    found = br.shift.calibrate(br.count(LABELS, X), "platt")
    assert found.parameters == pytest.approx((-steepness, -offset), rel=1e-4)


@pytest.mark.filterwarnings("ignore:Setting penalty=None")  # scikit-learn 1.8
def test_beta_agrees_with_a_logistic_regression_of_the_two_logarithms():
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(
        np.stack((np.log(WRONG), -np.log(1 - WRONG)), axis=1), LABELS
    )
    found = br.shift.calibrate(COUNTS, "beta")
    assert found.parameters == pytest.approx((*theirs.coef_[0], theirs.intercept_[0]), rel=1e-4)


@pytest.mark.parametrize("method", ["platt", "beta"])
def test_a_sigmoid_leaves_ranking_measures_alone_bit_for_bit(method):
    counts = br.shift.calibrate(COUNTS, method).relabel(COUNTS)
    assert br.auc(counts) == br.auc(COUNTS)
    assert np.array_equal(counts.positives, COUNTS.positives)


@pytest.mark.parametrize("method", ["isotonic", "platt", "beta"])
def test_reliability_is_better_after_than_before_on_other_cases(method):
    labels, _, wrong = sample(2)
    test = br.count(labels, wrong)
    after = br.shift.calibrate(COUNTS, method).relabel(test)
    assert (
        br.curves.brier_decomposition(after).miscalibration
        < br.curves.brier_decomposition(test).miscalibration / 3
    )
    assert (
        br.curves.calibration_error(after, bins=10) < br.curves.calibration_error(test, bins=10) / 3
    )
    assert br.curves.brier(after) < br.curves.brier(test)


def test_calibrated_at_the_sample_and_corrected_to_the_field():
    found = br.shift.calibrate(COUNTS, "beta")
    assert found.prior == pytest.approx(LABELS.mean(), rel=1e-15)
    corrected = br.shift.correct_prior(
        found.relabel(COUNTS), calibrated_at=found.prior, at=br.Conditions(prior=0.001)
    )
    assert br.curves.brier(corrected, at=br.Conditions(prior=0.001)) < br.curves.brier(
        COUNTS, at=br.Conditions(prior=0.001)
    )


def test_calibration_starts_anew_after_a_correction():
    corrected = br.shift.correct_prior(COUNTS, negatives_kept=0.01)
    found = br.shift.calibrate(corrected, "beta").relabel(corrected)
    assert found.ledger.corrected == ""
    assert br.curves.brier(found) < br.curves.brier(corrected)


def test_beta_drops_a_slope_that_would_turn_the_order():
    rng = np.random.default_rng(7)
    labels = (rng.random(3000) < 0.5).astype(int)
    scores = np.where(
        rng.random(3000) < 0.5,
        rng.uniform(0.5, 1, 3000),
        rng.uniform(0, 0.5, 3000) * (0.1 + 0.9 * labels),
    )
    slopes = br.shift.calibrate(br.count(labels, scores), "beta").parameters[:2]
    assert min(slopes) == 0
    assert max(slopes) > 0


def test_scores_of_0_and_1_have_a_place_on_a_beta_sigmoid():
    counts = br.Counts([1, 0.6, 0.3, 0], [9, 5, 3, 1], [1, 3, 5, 9])
    found = br.shift.calibrate(counts, "beta").apply(counts.scores)
    assert ((found > 0) & (found < 1)).all()
    assert (np.diff(found) < 0).all()


@pytest.mark.parametrize(
    ("code", "match", "call"),
    [
        ("BR543", 'got "temperature"', lambda: br.shift.calibrate(COUNTS, "temperature")),
        ("BR552", "both classes", lambda: br.shift.calibrate(br.count([0, 0], [0.1, 0.2]))),
        ("BR543", "merged scores", lambda: br.shift.calibrate(COUNTS.condense())),
        ("BR429", "got list", lambda: br.shift.calibrate([1])),
        (
            "BR543",
            "separate the classes",
            lambda: br.shift.calibrate(br.count([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]), "beta"),
        ),
        (
            "BR543",
            "not more often positive",
            lambda: br.shift.calibrate(br.count(1 - LABELS, X), "platt"),
        ),
        (
            "BR543",
            "cannot be calibrated by a sigmoid",
            lambda: br.shift.calibrate(br.count([0, 1, 0], [0.1, np.inf, 3]), "platt"),
        ),
        ("BR507", "not probabilities", lambda: br.shift.calibrate(br.count(LABELS, X), "beta")),
        (
            "BR201",
            "missing or not a number",
            lambda: br.shift.calibrate(COUNTS).apply([0.2, np.nan]),
        ),
        ("BR220", "merged some", lambda: br.shift.calibrate(COUNTS).relabel(COUNTS.condense())),
    ],
)
def test_what_cannot_be_calibrated_is_refused(code, match, call):
    assert_refused(code, match, call)


def test_a_calibration_is_readable():
    assert (
        repr(br.shift.calibrate(br.Counts([3, 1], [3, 1], [1, 3])))
        == "Calibration: isotonic (2 blocks), at a base rate of 50%"
    )
    assert repr(br.shift.calibrate(COUNTS, "platt")).startswith("Calibration: platt (")
