"""The intervals of statsmodels.  python reference/adapters/statsmodels_answers.py answers.json"""

import sys

import statsmodels
from common import plain, references, write
from statsmodels.stats.proportion import proportion_confint

METHODS = {"wilson": "wilson", "clopper-pearson": "beta", "jeffreys": "jeffreys"}


def answers(reference):
    found = {}
    for question in reference["answers"].get("intervals", {}):
        rate, _, threshold = question.partition(" ")
        if rate == "auc":
            continue
        truth = reference["answers"]["measures"]["sample"][threshold]
        tp, fp, fn, tn = (int(truth[name]) for name in ("tp", "fp", "fn", "tn"))
        seen, whole = {"tpr": (tp, tp + fn), "fpr": (fp, fp + tn), "precision": (tp, tp + fp)}[rate]
        found[question] = {
            name: [plain(end) for end in proportion_confint(seen, whole, 0.05, method)]
            for name, method in METHODS.items()
        }
    return {"intervals": found}


def main(path):
    found = {one["name"]: answers(one) for one in references()}
    write("statsmodels", statsmodels.__version__, found, path)


if __name__ == "__main__":
    main(sys.argv[1])
