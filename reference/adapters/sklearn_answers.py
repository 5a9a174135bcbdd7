"""The answers of scikit-learn.  python reference/adapters/sklearn_answers.py answers.json

The base rate of the field enters as sample weights, as one would have it.
"""

import sys
import warnings

import numpy as np
import sklearn
from common import cases, conditions, plain, references, write
from sklearn import metrics

UNDEFINED = {"zero_division": np.nan}
OF_LABELS = {
    "tpr": lambda y, p, w: metrics.recall_score(y, p, sample_weight=w, **UNDEFINED),
    "tnr": lambda y, p, w: metrics.recall_score(y, p, pos_label=0, sample_weight=w, **UNDEFINED),
    "precision": lambda y, p, w: metrics.precision_score(y, p, sample_weight=w, **UNDEFINED),
    "npv": lambda y, p, w: metrics.precision_score(y, p, pos_label=0, sample_weight=w, **UNDEFINED),
    "accuracy": lambda y, p, w: metrics.accuracy_score(y, p, sample_weight=w),
    "error": lambda y, p, w: metrics.zero_one_loss(y, p, sample_weight=w),
    "f1": lambda y, p, w: metrics.f1_score(y, p, sample_weight=w, **UNDEFINED),
    "f_beta(beta=2)": lambda y, p, w: metrics.fbeta_score(
        y, p, beta=2, sample_weight=w, **UNDEFINED
    ),
    "f_beta(beta=0.5)": lambda y, p, w: metrics.fbeta_score(
        y, p, beta=0.5, sample_weight=w, **UNDEFINED
    ),
    "jaccard": lambda y, p, w: metrics.jaccard_score(y, p, sample_weight=w),
    "balanced_accuracy": lambda y, p, w: metrics.balanced_accuracy_score(y, p, sample_weight=w),
    "informedness": lambda y, p, w: metrics.balanced_accuracy_score(
        y, p, sample_weight=w, adjusted=True
    ),
    "mcc": lambda y, p, w: metrics.matthews_corrcoef(y, p, sample_weight=w),
    "kappa": lambda y, p, w: metrics.cohen_kappa_score(y, p, sample_weight=w),
    "lr_positive": lambda y, p, w: metrics.class_likelihood_ratios(y, p, sample_weight=w)[0],
    "lr_negative": lambda y, p, w: metrics.class_likelihood_ratios(y, p, sample_weight=w)[1],
}


def area(y, s, w):
    """The trapezoid under the precision-recall curve, as many take it."""
    precision, recall, _ = metrics.precision_recall_curve(y, s, sample_weight=w)
    return metrics.auc(recall, precision)


OF_SCORES = {
    "auc": lambda y, s, w: metrics.roc_auc_score(y, s, sample_weight=w),
    "average_precision": lambda y, s, w: metrics.average_precision_score(y, s, sample_weight=w),
    "auprc": area,
    "brier": lambda y, s, w: metrics.brier_score_loss(y, s, sample_weight=w),
    "log_loss": lambda y, s, w: metrics.log_loss(y, s, sample_weight=w, labels=[0, 1]),
}


def roc(y, s, w):
    fpr, tpr, _ = metrics.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    return fpr, tpr


def pr(y, s, w):
    precision, recall, _ = metrics.precision_recall_curve(y, s, sample_weight=w)
    return recall[::-1], precision[::-1]


def asked(function, *arguments):
    """The answer; null where scikit-learn raises or gives NaN."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments)
    except ValueError:
        return None


def number(value):
    return None if value is None else plain(value)


def weighed(labels, weights, prior):
    """Sample weights with which the positives are `prior` of the whole."""
    if prior is None:
        return weights
    given = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=float)
    ours, theirs = given[labels == 1].sum(), given[labels == 0].sum()
    if not ours or not theirs:
        return None
    return given * np.where(labels == 1, float(prior) / ours, (1 - float(prior)) / theirs)


def answers(reference):
    labels, scores, weights = cases(reference)
    y, s = np.asarray(labels), np.asarray(scores)
    found = {"measures": {}, "summaries": {}, "curves": {}}
    for where, thresholds in reference["answers"]["measures"].items():
        prior, _ = conditions(reference, where)
        w = weighed(y, weights, prior)
        if prior is not None and w is None:
            continue
        found["measures"][where] = {
            threshold: {
                name: number(asked(formula, y, flagged(s, threshold), w))
                for name, formula in OF_LABELS.items()
            }
            for threshold in thresholds
        }
        found["summaries"][where] = {
            name: number(asked(formula, y, s, w)) for name, formula in OF_SCORES.items()
        }
        if "curves" in reference["answers"]:
            found["curves"][where] = {
                name: points(asked(formula, y, s, w))
                for name, formula in (("roc", roc), ("pr", pr))
            }
    return found


def flagged(scores, threshold):
    if threshold == "none":
        return np.zeros(len(scores), dtype=int)
    kind = int if np.issubdtype(scores.dtype, np.integer) else float
    return (scores >= kind(threshold)).astype(int)


def points(pair):
    if pair is None:
        return None
    return [[plain(x), plain(y)] for x, y in zip(*pair, strict=True)]


def main(path):
    found = {one["name"]: answers(one) for one in references()}
    write("scikit-learn", sklearn.__version__, found, path)


if __name__ == "__main__":
    main(sys.argv[1])
