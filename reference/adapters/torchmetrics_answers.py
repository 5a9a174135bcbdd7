"""The answers of torchmetrics.  python reference/adapters/torchmetrics_answers.py answers.json

It takes no weights and no counts: weighted sets and those of more than 5,000 cases are left out, as
are all base rates but the sample's. Scores are given in float64; hard decisions as 0 and 1.
"""

import sys
import warnings

import torch
import torchmetrics
from common import cases, plain, references, write
from torchmetrics.functional import classification as tm

OF_LABELS = {
    "tpr": tm.binary_recall,
    "tnr": tm.binary_specificity,
    "precision": tm.binary_precision,
    "npv": tm.binary_negative_predictive_value,
    "accuracy": tm.binary_accuracy,
    "f1": tm.binary_f1_score,
    "f_beta(beta=2)": lambda p, y: tm.binary_fbeta_score(p, y, beta=2.0),
    "f_beta(beta=0.5)": lambda p, y: tm.binary_fbeta_score(p, y, beta=0.5),
    "jaccard": tm.binary_jaccard_index,
    "mcc": tm.binary_matthews_corrcoef,
    "kappa": tm.binary_cohen_kappa,
}


def area(scores, labels):
    precision, recall, _ = tm.binary_precision_recall_curve(scores, labels)
    return torch.trapezoid(precision.flip(0), recall.flip(0))


OF_SCORES = {
    "auc": tm.binary_auroc,
    "average_precision": tm.binary_average_precision,
    "auprc": area,
    "calibration_error(bins=4)": lambda s, y: tm.binary_calibration_error(s, y, n_bins=4),
}


def roc(scores, labels):
    fpr, tpr, _ = tm.binary_roc(scores, labels)
    return fpr, tpr


def pr(scores, labels):
    precision, recall, _ = tm.binary_precision_recall_curve(scores, labels)
    return recall.flip(0), precision.flip(0)


def asked(function, *arguments):
    """The answer; null where torchmetrics raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments)
    except (ValueError, RuntimeError):
        return None


def number(value):
    return None if value is None else plain(value.item())


def points(pair):
    if pair is None:
        return None
    return [[plain(x), plain(y)] for x, y in zip(*(part.tolist() for part in pair), strict=True)]


def answers(reference):
    labels, scores, weights = cases(reference)
    if weights is not None:
        return {}
    y, s = torch.tensor(labels), torch.tensor(scores, dtype=torch.float64)
    found = {
        "measures": {
            "sample": {
                threshold: {
                    name: number(asked(formula, flagged(s, threshold), y))
                    for name, formula in OF_LABELS.items()
                }
                for threshold in reference["answers"]["measures"]["sample"]
            }
        },
        "summaries": {
            "sample": {name: number(asked(formula, s, y)) for name, formula in OF_SCORES.items()}
        },
    }
    if "curves" in reference["answers"]:
        found["curves"] = {
            "sample": {
                name: points(asked(formula, s, y)) for name, formula in (("roc", roc), ("pr", pr))
            }
        }
    return found


def flagged(scores, threshold):
    if threshold == "none":
        return torch.zeros(len(scores), dtype=torch.long)
    return (scores >= float(threshold)).long()


def main(path):
    found = {one["name"]: answers(one) for one in references()}
    write("torchmetrics", torchmetrics.__version__, found, path)


if __name__ == "__main__":
    main(sys.argv[1])
