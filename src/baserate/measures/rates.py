"""Counts, rates within a class, and rates within what was flagged or passed."""

from __future__ import annotations

import math
from typing import Any

from baserate.measures.catalogue import define, define_share
from baserate.measures.outcomes import Outcomes

BOOK = "Tan, Steinbach & Kumar 2005, Introduction to Data Mining"
TAN = f"{BOOK} §5.7.1"
LANDGREBE = "Landgrebe et al. 2004, Cost-based classifier evaluation for imbalanced problems"
CARDENAS = "Cárdenas & Baras 2006, B-ROC curves for the assessment of classifiers over imbalanced data sets"
COUNTED: dict[str, Any] = {"range": (0, math.inf), "prior": False, "counts": True, "straight": True, "citation": TAN}


@define("positives flagged, as counted", "0: nothing caught", direction="higher", synonyms=("true positives", "hits", "f++"), **COUNTED)
def tp(c: Outcomes) -> Any:
    return c.counted[0]


@define("negatives flagged, as counted", "0: no false alarm", direction="lower", synonyms=("false positives", "f-+"), **COUNTED)
def fp(c: Outcomes) -> Any:
    return c.counted[1]


@define("positives passed, as counted", "0: nothing missed", direction="lower", synonyms=("false negatives", "misses", "f+-"), **COUNTED)
def fn(c: Outcomes) -> Any:
    return c.counted[2]


@define("negatives passed, as counted", "0: every negative flagged", direction="higher", synonyms=("true negatives", "f--"), **COUNTED)
def tn(c: Outcomes) -> Any:
    return c.counted[3]


@define_share(
    "TP / (TP + FN)",
    "0: no positive is flagged; 1: every positive is",
    "no positives",
    direction="higher",
    prior=False,
    synonyms=(
        "recall",
        "sensitivity",
        "hit rate",
        "true positive rate",
        "detection rate",
        "TP rate",
        "TP_r",
        "TPr",
        "P_D",
        "pd",
        "power",
        "1-beta",
        "1-β",
    ),
    citation=TAN,
)
def tpr(c: Outcomes) -> Any:
    return c.tp, c.positives


@define_share(
    "FP / (FP + TN)",
    "0: no negative is flagged; 1: every negative is",
    "no negatives",
    direction="lower",
    prior=False,
    synonyms=(
        "fall-out",
        "fallout",
        "false alarm rate",
        "false positive rate",
        "FP rate",
        "FP_r",
        "FPr",
        "P_FA",
        "pfa",
        "1-specificity",
        "alpha",
        "α",
        "type I error",
        "type 1 error",
    ),
    citation=TAN,
)
def fpr(c: Outcomes) -> Any:
    return c.fp, c.negatives


@define_share(
    "TN / (FP + TN)",
    "0: every negative is flagged; 1: none is",
    "no negatives",
    direction="higher",
    prior=False,
    synonyms=("specificity", "true negative rate", "selectivity", "TN rate", "TN_r"),
    citation=TAN,
)
def tnr(c: Outcomes) -> Any:
    return c.tn, c.negatives


@define_share(
    "FN / (TP + FN)",
    "0: every positive is flagged; 1: none is",
    "no positives",
    direction="lower",
    prior=False,
    synonyms=("miss rate", "false negative rate", "FN rate", "FN_r", "beta", "β", "1-sensitivity", "type II error", "type 2 error"),
    citation=TAN,
)
def fnr(c: Outcomes) -> Any:
    return c.fn, c.positives


@define_share(
    "TP / (TP + FP)",
    "the prior: no better than flagging at random; 1: every alert is real",
    "nothing flagged",
    direction="higher",
    synonyms=("PPV", "purity", "positive predictive value", "Bayesian detection rate"),
    citation=f"{LANDGREBE}, eqs 4 and 6; {CARDENAS}, eq 1",
)
def precision(c: Outcomes) -> Any:
    return c.tp, c.flagged


@define_share(
    "TN / (TN + FN)",
    "1 − prior: no better than passing at random; 1: nothing passed is positive",
    "everything flagged",
    direction="higher",
    synonyms=("negative predictive value",),
    citation=f"{CARDENAS}, eq 2",
)
def npv(c: Outcomes) -> Any:
    return c.tn, c.passed


@define_share(
    "FP / (TP + FP)",
    "0: every alert is real; 1 − prior: no better than flagging at random",
    "nothing flagged",
    direction="lower",
    synonyms=("false discovery rate", "Bayesian false alarm rate", "B_FA", "bfa", "1-precision", "1-PPV"),
    citation=f"{CARDENAS}: B_FA. Not the FDR of multiple testing, and not fpr",
)
def fdr(c: Outcomes) -> Any:
    return c.fp, c.flagged


@define_share(
    "FN / (TN + FN)",
    "0: nothing passed is positive; the prior: no better than passing at random",
    "everything flagged",
    direction="lower",
    synonyms=("for", "false omission rate", "1-NPV"),
    citation=f"1 − NPV of {CARDENAS}, eq 2",
)
def fomr(c: Outcomes) -> Any:
    return c.fn, c.passed


@define_share(
    "(TP + FP) / (TP + FP + FN + TN) = prior · TPR + (1 − prior) · FPR",
    "0: nothing is flagged; 1: everything is. It tends to FPR as positives get rare",
    "no cases",
    direction="lower",
    synonyms=("POS fraction", "positive fraction", "alarm rate", "alert rate", "detection prevalence", "predicted positive rate", "flag rate"),
    citation=f"{LANDGREBE}, eqs 1, 2 and 5",
)
def posfrac(c: Outcomes) -> Any:
    return c.flagged, c.total


@define_share(
    "(TP + TN) / (TP + FP + FN + TN)",
    "the larger of prior and 1 − prior: no better than one answer for all; 1: no error",
    "no cases",
    direction="higher",
    synonyms=("ACC", "correct classification rate"),
    citation=TAN,
)
def accuracy(c: Outcomes) -> Any:
    return c.tp + c.tn, c.total


@define_share(
    "(FP + FN) / (TP + FP + FN + TN)",
    "0: no error; the smaller of prior and 1 − prior: no better than one answer for all",
    "no cases",
    direction="lower",
    synonyms=("error rate", "misclassification rate", "zero-one loss", "1-accuracy", "Err"),
    citation=f"{TAN}, eq 5.80",
)
def error(c: Outcomes) -> Any:
    return c.fp + c.fn, c.total
