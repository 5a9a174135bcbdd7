"""Agreement with scikit-learn where the definitions coincide, on real and generated scores."""

import csv

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix_at_thresholds, roc_auc_score, roc_curve

import baserate as br


def assert_same_as_sklearn(labels, scores):
    counts = br.count(labels, scores)
    tn, fp, fn, tp, thresholds = confusion_matrix_at_thresholds(labels, scores)
    keep = np.isfinite(thresholds)
    assert np.array_equal(counts.scores, thresholds[keep])
    assert np.array_equal(np.cumsum(counts.positives), tp[keep])
    assert np.array_equal(np.cumsum(counts.negatives), fp[keep])
    assert np.array_equal(counts.total_positives - np.cumsum(counts.positives), fn[keep])
    assert np.array_equal(counts.total_negatives - np.cumsum(counts.negatives), tn[keep])
    assert br.auc(counts) == pytest.approx(roc_auc_score(labels, scores), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_confusion_at_every_threshold_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 3000))
    labels = np.r_[0, 1, rng.random(rows) < rng.choice([0.01, 0.3, 0.8])].astype(int)
    scores = rng.normal(size=rows + 2) + labels
    assert_same_as_sklearn(labels, scores if seed % 2 else np.round(scores, 1))


def test_weighted_rates_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    labels, scores, weights = rng.random(500) < 0.2, np.round(rng.random(500), 2), rng.random(500)
    counts = br.count(labels, scores, sample_weight=weights)
    fpr, tpr, _ = roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    assert np.cumsum(counts.positives) / counts.total_positives == pytest.approx(tpr[1:], rel=1e-12)
    assert np.cumsum(counts.negatives) / counts.total_negatives == pytest.approx(fpr[1:], rel=1e-12)
    assert br.auc(counts) == pytest.approx(
        roc_auc_score(labels, scores, sample_weight=weights), rel=1e-12
    )


@pytest.mark.parametrize("name", ["mammography", "oil_spill", "abalone_19"])
def test_real_scores_of_four_learners_agree_with_scikit_learn(shared, name):
    with open(shared / "scores" / f"imb_weka_{name}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    labels = np.array([int(row["class"]) for row in rows])
    for learner in ("nb", "j48", "smo", "ibk3"):
        assert_same_as_sklearn(labels, np.array([float(row[learner]) for row in rows]))


def test_published_auc_of_a_subarachnoid_marker(shared):
    """pROC's documentation prints 0.7314 for s100b."""
    with open(shared / "scores" / "pROC_aSAH.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    counts = br.count([int(row["class"]) for row in rows], [float(row["s100b"]) for row in rows])
    assert (counts.total_positives, counts.total_negatives) == (41, 72)
    assert round(br.auc(counts), 4) == 0.7314
