"""Write docs/evidence/reference-set.md from the recorded scores in reference/results.

A test compares the page with what this writes.
"""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence" / "reference-set.md"
RESULTS = ROOT / "reference" / "results"
TOOLS = ("baserate", "scikit-learn", "torchmetrics", "pycm", "statsmodels", "hmeasure", "pROC",
         "ROCR", "PRROC")  # fmt: skip
HEAD = """# The reference set, and how tools score on it

Written by `python tools/docs/reference_set.py` from the scores in `reference/results`, each printed by `python reference/check.py answers.json --json`
on the answers of `reference/adapters`. The [set](../../reference/README.md) has version {version}: **{sets} data sets, {answers} answers**
({undefined} of them undefined), exact fractions or 50 digits, made by `reference/make.py` without baserate. Run them again:

```
python reference/adapters/sklearn_answers.py answers.json
python reference/check.py answers.json --worst 20
```

The score of an answer is its number of right digits (log relative error, as for NIST's reference data sets): 16 is the float64 nearest to
the truth. A tool is scored on what it offers, and may leave out the rest.
"""  # noqa: E501
# Where fewer digits of baserate are right; tests/test_reference_set.py says how many have to be.
OURS = (
    (
        "measures at a prior that is no float64",
        "definition",
        (
            "The set takes 1/1000 and 999999/1000000 as written, baserate the nearest float64"
            " (decision 10): ten digits of 1 − prior are left at 999999/1000000."
        ),
    ),
    (
        "`weights-cancel`, `weights-decimal`",
        "precision",
        (
            "A sum of weights is rounded once to float64; differences of two such sums keep that"
            " error."
        ),
    ),
    (
        "curves `ks`, `pr_gain` and `decision` where they are close to 0",
        "precision",
        "Differences of floats: right to about 10⁻¹⁶ in absolute terms, not in digits.",
    ),
)
# (tool, question, kind, why).
THEIRS = (
    (
        "scikit-learn, torchmetrics",
        "curves/pr",
        "definition",
        (
            "They add the point (recall 0, precision 1), also where the highest score holds"
            " negatives;"
            " the set has the limit along the first edge."
        ),
    ),
    (
        "scikit-learn, torchmetrics",
        "summaries/auprc",
        "definition",
        (
            "The trapezoid under the precision-recall curve with that point, as it is often"
            " taken: 0.25"
            " for 0.029 in `calibrated-rare`. Neither offers the area between mixed thresholds."
        ),
    ),
    (
        "scikit-learn, torchmetrics",
        "measures/mcc",
        "definition",
        "0/0 is 0; torchmetrics gives other numbers too, such as 0.045 where nothing is flagged.",
    ),
    (
        "torchmetrics",
        "measures/precision, measures/npv, measures/f1 …",
        "definition",
        "0/0 is 0. scikit-learn gives NaN where `zero_division=nan` can be asked for.",
    ),
    (
        "torchmetrics",
        "summaries/auc, summaries/average_precision, summaries/calibration_error(bins=4)",
        "error",
        (
            "Scores outside 0 … 1 are taken for logits and put through a sigmoid without a word: in"
            " `scores-percent` and `scores-huge` they merge into ties, and a calibration error of"
            " percentages is a number. One class alone has an AUC of 0."
        ),
    ),
    (
        "torchmetrics",
        "every measure",
        "precision",
        "Computed in float32: seven or eight digits, four in differences such as kappa.",
    ),
    (
        "scikit-learn",
        "summaries/log_loss",
        "definition",
        "Probabilities of 0 and 1 are clipped: 2.01 where the loss is infinite.",
    ),
    (
        "scikit-learn",
        "measures/balanced_accuracy, measures/informedness",
        "definition",
        "A missing class is left out of the mean, and −∞ appears for the adjusted form.",
    ),
    (
        "scikit-learn",
        "measures/lr_positive, measures/lr_negative",
        "error",
        "Products of whole-number weights pass 2⁶³ and wrap around: −1/3 for 2 in `huge-int64`.",
    ),
    (
        "scikit-learn",
        "summaries/auc, curves/roc",
        "definition",
        "Infinite scores are refused; the set ranks them at the ends.",
    ),
    (
        "scikit-learn, pycm",
        "measures/error, measures/fpr, measures/false_omission_rate, measures/informedness …",
        "precision",
        "Taken as 1 − accuracy, 1 − TNR and so on: nothing is left of a rate below 10⁻¹⁶.",
    ),
    (
        "pycm",
        "measures/diagnostic_odds_ratio, measures/kappa, measures/lr_positive",
        "definition",
        '"None" where an odds ratio or a likelihood ratio is 0, and where 1 − chance rounds to 0.',
    ),
    (
        "statsmodels",
        "intervals/jeffreys",
        "definition",
        (
            "The plain quantiles at 0 and n of n; the set has 0 and 1 there (Brown, Cai & DasGupta"
            " 2001), as baserate has."
        ),
    ),
    (
        "hmeasure",
        "summaries/h_measure(severity_ratio=0.25)",
        "precision",
        "A difference of nearly equal losses. Scores above 1 are refused.",
    ),
    (
        "pROC",
        "summaries/partial_auc(…, standardized)",
        "definition",
        "NA, with a warning, where the partial area lies below that of the diagonal.",
    ),
    (
        "pROC, ROCR",
        "measures/fpr, measures/false_omission_rate, measures/fdr",
        "precision",
        "Taken as 1 − specificity, 1 − NPV and so on.",
    ),
    (
        "ROCR",
        "summaries/auc, curves/roc, every measure",
        "error",
        (
            "Cases with an infinite score are left out without a word: an AUC of 1 for 5/8 in"
            " `scores-infinite`. pROC refuses them."
        ),
    ),
    (
        "ROCR",
        "curves/pr, curves/lift, measures/f1",
        "definition",
        "Undefined where nothing is flagged; the set has the limit along the first edge, F1 is 0.",
    ),
    (
        "ROCR",
        "measures/diagnostic_odds_ratio",
        "definition",
        "Infinite where the set divides by zero.",
    ),
    (
        "ROCR",
        "summaries/auprc",
        "definition",
        "The trapezoid under the precision-recall curve: 0.92 for 0.91 in `calibrated-ends`.",
    ),
    (
        "PRROC",
        "summaries/auprc",
        "definition",
        "Positives alone have an area of 1. Else the same area as the set's, to 12 digits.",
    ),
)
NOT_RUN = """## Not run

precrec and R's own hmeasure, which Debian does not have. What they define otherwise is in [comparison with other tools](peers.md); an adapter needs
to write the JSON that `check.py` reads, no more. pROC, ROCR and PRROC (R 4.6.1) take one row per case: sets with weights, with whole scores beyond
2⁵³ and with more than 5,000 cases were left out.
"""  # noqa: E501


def page() -> str:
    """The whole page."""
    index = json.loads((ROOT / "reference" / "index.json").read_text())
    undefined = sum(row["undefined"] for row in index["list"])
    shown = {name: f"{index[name]:,}" for name in ("sets", "answers")}
    head = HEAD.format(version=index["version"], undefined=f"{undefined:,}", **shown)
    found = [json.loads((RESULTS / f"{tool}.json").read_text()) for tool in TOOLS]
    parts = [head, _overview(found), _ours(), _theirs(), *map(_questions, found), NOT_RUN]
    return "\n".join(parts)


def _overview(found: list[dict[str, Any]]) -> str:
    lines = [
        "## Scores\n",
        (
            "| tool | questions | answers | nearest float64 | 14 digits | 6 digits | number for"
            " undefined | undefined for a number | other length |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in found:
        rows = one["questions"].values()
        shares = [
            f"{100 * one[key] / one['answers']:.1f} %"
            for key in ("16 digits", "14 digits", "6 digits")
        ]
        wrong = [
            str(sum(row[why] for row in rows))
            for why in ("number for undefined", "undefined for a number", "other length")
        ]
        cells = [
            f"{one['tool']} {one['version']}",
            str(len(rows)),
            f"{one['answers']:,}",
            *shares,
            *wrong,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _ours() -> str:
    rows = "\n".join(f"| {what} | {kind} | {why} |" for what, kind, why in OURS)
    return f"## Where baserate differs\n\n| answer | kind | why |\n|---|---|---|\n{rows}\n"


def _theirs() -> str:
    rows = "\n".join(f"| {tool} | {what} | {kind} | {why} |" for tool, what, kind, why in THEIRS)
    head = "| tool | question | kind | why |\n|---|---|---|---|\n"
    return f"## Where others differ\n\n{head}{rows}\n"


def _questions(one: dict[str, Any]) -> str:
    lines = [
        f"## {one['tool']} {one['version']}, question by question\n",
        "| question | answers | nearest | least digits | median | under 6 digits | furthest off |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, row in one["questions"].items():
        worst = row.get("worst")
        where = "" if worst is None else f"`{worst['set']}`, {worst['path']}"
        cells = [
            name,
            *(
                str(row[key])
                for key in ("answers", "nearest", "least digits", "median digits", "under 6 digits")
            ),
            where,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
