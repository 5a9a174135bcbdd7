"""The answers of pycm.  python reference/adapters/pycm_answers.py answers.json

It takes the confusion; weighted sets are left out, as are all base rates but the sample's.
"""

import sys
import warnings

import pycm
from common import plain, references, write

NAMES = {
    "tpr": "TPR", "tnr": "TNR", "fpr": "FPR", "fnr": "FNR", "precision": "PPV", "npv": "NPV",
    "fdr": "FDR", "false_omission_rate": "FOR", "accuracy": "ACC", "error": "ERR", "f1": "F1",
    "f_beta(beta=2)": "F2", "f_beta(beta=0.5)": "F0.5", "jaccard": "J", "mcc": "MCC",
    "informedness": "BM", "markedness": "MK", "g_mean": "GM", "fowlkes_mallows": "G",
    "lr_positive": "PLR", "lr_negative": "NLR", "diagnostic_odds_ratio": "DOR",
}  # fmt: skip


def number(value):
    return None if isinstance(value, str) else plain(value)


def answers(reference):
    if "weights" in reference["kinds"]:
        return {}
    found = {}
    for threshold, truth in reference["answers"]["measures"]["sample"].items():
        tp, fp, fn, tn = (int(truth[name]) for name in ("tp", "fp", "fn", "tn"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matrix = pycm.ConfusionMatrix(matrix={"1": {"1": tp, "0": fn}, "0": {"1": fp, "0": tn}})
        found[threshold] = {
            name: number(matrix.class_stat[theirs]["1"]) for name, theirs in NAMES.items()
        } | {"kappa": number(matrix.overall_stat["Kappa"])}
    return {"measures": {"sample": found}}


def main(path):
    write("pycm", pycm.__version__, {one["name"]: answers(one) for one in references()}, path)


if __name__ == "__main__":
    main(sys.argv[1])
