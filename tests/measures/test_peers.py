"""Agreement with scikit-learn where the definitions coincide, at the sample's prior and, through
weights, at others.
"""

import warnings

import numpy as np
import pytest
from sklearn import metrics

import baserate as br

SETS = 200
PRIORS = (None, 0.5, 0.01, 1e-6, 0.999)
SAME = {
    "accuracy": metrics.accuracy_score,
    "error": metrics.zero_one_loss,
    "precision": metrics.precision_score,
    "tpr": metrics.recall_score,
    "f1": metrics.f1_score,
    "jaccard": metrics.jaccard_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "f_beta(0)": lambda y, p, **named: metrics.fbeta_score(y, p, beta=0, **named),
    "f_beta(0.5)": lambda y, p, **named: metrics.fbeta_score(y, p, beta=0.5, **named),
    "f_beta(2)": lambda y, p, **named: metrics.fbeta_score(y, p, beta=2, **named),
    "f_beta(inf)": lambda y, p, **named: metrics.fbeta_score(y, p, beta=np.inf, **named),
    "npv": lambda y, p, **named: metrics.precision_score(y, p, pos_label=0, **named),
    "tnr": lambda y, p, **named: metrics.recall_score(y, p, pos_label=0, **named),
    "informedness": lambda y, p, **named: metrics.balanced_accuracy_score(
        y, p, adjusted=True, **named
    ),
    "lr_positive": lambda y, p, **named: metrics.class_likelihood_ratios(y, p, **named)[0],
    "lr_negative": lambda y, p, **named: metrics.class_likelihood_ratios(y, p, **named)[1],
    "fowlkes_mallows": lambda y, p, **named: np.sqrt(
        metrics.precision_score(y, p, **named) * metrics.recall_score(y, p, **named)
    ),
}


def drawn(seed):
    """Labels and predictions in which every cell of the confusion is taken."""
    rng = np.random.default_rng(seed)
    labels = np.r_[
        0, 0, 1, 1, rng.random(int(rng.integers(1, 400))) < rng.choice([0.02, 0.3, 0.9])
    ].astype(int)
    wrong = rng.random(len(labels)) < rng.choice([0.05, 0.3, 0.7])
    predicted = np.where(wrong, 1 - labels, labels)
    predicted[:4] = [0, 1, 0, 1]
    return labels, predicted


def weights_to(prior, labels):
    """Weights under which the positives are the prior of the whole."""
    if prior is None:
        return None
    return np.where(labels == 1, prior / labels.mean(), (1 - prior) / (1 - labels.mean()))


@pytest.mark.parametrize("name", SAME)
def test_the_value_is_that_of_scikit_learn(name):
    for seed in range(SETS):
        labels, predicted = drawn(seed)
        prior = PRIORS[seed % len(PRIORS)]
        ours = br.measure(
            br.count(labels, predicted),
            str(br.Measure.parse(name)),
            threshold=1,
            at=br.Conditions(prior),
        )
        theirs = SAME[name](labels, predicted, sample_weight=weights_to(prior, labels))
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-15), (seed, prior)


def test_the_confusion_is_that_of_scikit_learn():
    for seed in range(SETS):
        labels, predicted = drawn(seed)
        counts = br.count(labels, predicted)
        tn, fp, fn, tp = metrics.confusion_matrix(labels, predicted).ravel()
        assert br.Points.of(counts).counted(1) == (tp, fp, fn, tn)


def quietly(function, *arguments, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*arguments, **named))


ALL_PASSED, ALL_FLAGGED = ([0, 1, 0, 1], [0, 0, 0, 0]), ([0, 1, 0, 1], [1, 1, 1, 1])
NO_POSITIVES, NO_ERRORS = ([0, 0, 0, 0], [0, 0, 0, 0]), ([0, 1, 0, 1], [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("name", "data", "theirs", "reason"),
    [
        ("precision", ALL_PASSED, 0.0, "nothing flagged"),
        ("npv", ALL_FLAGGED, 0.0, "everything flagged"),
        ("tpr", NO_POSITIVES, 0.0, "no positives"),
        ("f1", NO_POSITIVES, 0.0, "no positives and nothing flagged"),
        ("jaccard", NO_POSITIVES, 0.0, "no positives and nothing flagged"),
        ("mcc", ALL_PASSED, 0.0, "a row or a column of the confusion is empty"),
        ("mcc", NO_POSITIVES, 0.0, "a row or a column of the confusion is empty"),
        ("kappa", NO_POSITIVES, np.nan, "one class only, and one answer for all"),
        ("fowlkes_mallows", ALL_PASSED, 0.0, "nothing flagged"),
        ("balanced_accuracy", NO_POSITIVES, 1.0, "no positives"),
        ("lr_positive", NO_ERRORS, np.nan, "no false positives: the ratio has no bound"),
        ("lr_negative", ALL_FLAGGED, np.nan, "everything flagged"),
    ],
)
def test_where_scikit_learn_invents_a_number_ours_is_undefined_and_says_why(
    name, data, theirs, reason
):
    labels, predicted = data
    tp, fp, fn, tn = (
        sum((y, p) == pair for y, p in zip(labels, predicted, strict=True))
        for pair in ((1, 1), (0, 1), (1, 0), (0, 0))
    )
    ours = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)[name]
    assert ours.reason == reason
    assert quietly(SAME[name], labels, predicted) == pytest.approx(theirs, nan_ok=True)
