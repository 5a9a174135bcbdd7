"""Where scikit-learn defines the same summary, the value is the same; at another base rate, with
its weights.
"""

import numpy as np
import pytest
from sklearn import metrics
from tests.decisions.worked import F1_A, F1_B

import baserate as br

SEEDS = range(60)


def sample(seed):
    """Labels and probabilities with ties, never 0 or 1."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(4, 300))
    labels = (rng.random(size) < rng.choice([0.05, 0.3, 0.7])).astype(int)
    labels[:2] = [0, 1]
    scores = np.clip(
        np.round(rng.random(size) * 0.6 + labels * rng.choice([0, 0.3]), int(rng.integers(1, 4))),
        0.01,
        0.99,
    )
    return labels, scores


def weights_for(labels, prior):
    """What each case counts for, so that the positives are the prior of the whole."""
    return np.where(labels == 1, prior / labels.sum(), (1 - prior) / (len(labels) - labels.sum()))


@pytest.mark.parametrize("seed", SEEDS)
def test_average_precision_brier_log_loss_and_auc_are_scikit_learns(seed):
    labels, scores = sample(seed)
    counts = br.count(labels, scores)
    assert br.curves.average_precision(counts) == pytest.approx(
        metrics.average_precision_score(labels, scores), rel=1e-13
    )
    assert br.curves.brier(counts) == pytest.approx(
        metrics.brier_score_loss(labels, scores), rel=1e-13
    )
    assert br.curves.log_loss(counts) == pytest.approx(metrics.log_loss(labels, scores), rel=1e-13)
    assert br.auc(counts) == pytest.approx(metrics.roc_auc_score(labels, scores), rel=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("prior", [0.5, 0.01, 1e-5])
def test_another_base_rate_is_what_scikit_learns_weights_would_give(seed, prior):
    labels, scores = sample(seed)
    counts, at, weights = br.count(labels, scores), br.Conditions(prior), weights_for(labels, prior)
    assert br.curves.average_precision(counts, at=at) == pytest.approx(
        metrics.average_precision_score(labels, scores, sample_weight=weights), rel=1e-11
    )
    assert br.curves.brier(counts, at=at) == pytest.approx(
        metrics.brier_score_loss(labels, scores, sample_weight=weights), rel=1e-12
    )
    assert br.curves.log_loss(counts, at=at) == pytest.approx(
        metrics.log_loss(labels, scores, sample_weight=weights), rel=1e-12
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("most", [0.05, 0.1, 0.5])
def test_a_standardized_area_left_of_an_fpr_is_scikit_learns(seed, most):
    labels, scores = sample(seed)
    ours = br.curves.partial_auc(br.count(labels, scores), fpr=(0, most), standardized=True)
    assert ours == pytest.approx(
        metrics.roc_auc_score(labels, scores, max_fpr=most), rel=1e-12, abs=1e-14
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_weighted_cases_are_scikit_learns(seed):
    labels, scores = sample(seed)
    weights = np.random.default_rng(seed + 1000).random(len(labels)) + 0.01
    counts = br.count(labels, scores, sample_weight=weights)
    assert br.curves.average_precision(counts) == pytest.approx(
        metrics.average_precision_score(labels, scores, sample_weight=weights), rel=1e-12
    )
    assert br.curves.brier(counts) == pytest.approx(
        metrics.brier_score_loss(labels, scores, sample_weight=weights), rel=1e-12
    )
    assert br.curves.log_loss(counts) == pytest.approx(
        metrics.log_loss(labels, scores, sample_weight=weights), rel=1e-12
    )


def test_the_trapezoid_of_precision_and_recall_is_not_the_area():
    labels, scores = sample(3)
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    counts = br.count(labels, scores)
    assert metrics.auc(recall, precision) != pytest.approx(br.curves.auprc(counts), rel=1e-3)


def test_scenario_1_average_precision_prefers_a_on_the_test_set_and_b_in_the_field():
    at = br.Conditions(prior=0.001)
    assert [f"{br.curves.average_precision(counts):.6f}" for counts in (F1_A, F1_B)] == [
        "0.658974",
        "0.489005",
    ]
    assert [f"{br.curves.average_precision(counts, at=at):.6f}" for counts in (F1_A, F1_B)] == [
        "0.215192",
        "0.242437",
    ]


def test_isotonic_regression_gives_the_blocks_of_the_decomposition():
    from sklearn.isotonic import isotonic_regression

    for seed in SEEDS:
        labels, scores = sample(seed)
        order = np.argsort(scores, kind="stable")
        distinct, place = np.unique(scores[order], return_inverse=True)
        cases = np.bincount(place)
        fitted = isotonic_regression(
            np.bincount(place, labels[order]) / cases, sample_weight=cases.astype(float)
        )
        best = metrics.brier_score_loss(
            labels, np.clip(fitted[np.searchsorted(distinct, scores)], 0, 1)
        )
        parts = br.curves.brier_decomposition(br.count(labels, scores))
        assert parts.miscalibration == pytest.approx(parts.brier - best, abs=1e-14)
        assert parts.brier == pytest.approx(
            parts.miscalibration - parts.discrimination + parts.uncertainty, abs=1e-15
        )
