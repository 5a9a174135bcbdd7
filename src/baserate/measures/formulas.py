"""The formulas of the measures: rates, F measures, agreement, costs and workload."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from baserate.measures.registry import Outcomes, Parameter, define_measure, define_share
from baserate.numbers import natural_log, quotient, rounded, smaller_of, square_root

# ----------------------------------------------------------------------
# Counts, rates within a class, and rates within what was flagged or passed.


BOOK = "Tan, Steinbach & Kumar 2005, Introduction to Data Mining"
TAN = f"{BOOK} §5.7.1"
LANDGREBE = "Landgrebe et al. 2004, Cost-based classifier evaluation for imbalanced problems"
CARDENAS = (
    "Cárdenas & Baras 2006, B-ROC curves for the assessment of classifiers over imbalanced data"
    " sets"
)
COUNTED: dict[str, Any] = {
    "range": (0, math.inf),
    "prior": False,
    "counts": True,
    "straight": True,
    "citation": TAN,
}


@define_measure(
    "positives flagged, as counted",
    "0: nothing caught",
    direction="higher",
    synonyms=("true positives", "hits", "f++"),
    **COUNTED,
)
def tp(c: Outcomes) -> Any:
    return c.counted[0]


@define_measure(
    "negatives flagged, as counted",
    "0: no false alarm",
    direction="lower",
    synonyms=("false positives", "f-+"),
    **COUNTED,
)
def fp(c: Outcomes) -> Any:
    return c.counted[1]


@define_measure(
    "positives passed, as counted",
    "0: nothing missed",
    direction="lower",
    synonyms=("false negatives", "misses", "f+-"),
    **COUNTED,
)
def fn(c: Outcomes) -> Any:
    return c.counted[2]


@define_measure(
    "negatives passed, as counted",
    "0: every negative flagged",
    direction="higher",
    synonyms=("true negatives", "f--"),
    **COUNTED,
)
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
    heading="recall (tpr)",
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
    heading="false alarm rate (fpr)",
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
    synonyms=(
        "miss rate",
        "false negative rate",
        "FN rate",
        "FN_r",
        "beta",
        "β",
        "1-sensitivity",
        "type II error",
        "type 2 error",
    ),
    citation=TAN,
    label="miss rate (fnr)",
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
    heading="precision (PPV)",
    label="precision (purity, PPV)",
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
    label="negative predictive value (npv)",
)
def npv(c: Outcomes) -> Any:
    return c.tn, c.passed


@define_share(
    "FP / (TP + FP)",
    "0: every alert is real; 1 − prior: no better than flagging at random",
    "nothing flagged",
    direction="lower",
    synonyms=(
        "false discovery rate",
        "Bayesian false alarm rate",
        "B_FA",
        "bfa",
        "1-precision",
        "1-PPV",
    ),
    citation=f"{CARDENAS}: B_FA. Not the FDR of multiple testing, and not fpr",
    label="share of alerts that are false (fdr, B_FA)",
)
def fdr(c: Outcomes) -> Any:
    return c.fp, c.flagged


@define_share(
    "FN / (TN + FN)",
    "0: nothing passed is positive; the prior: no better than passing at random",
    "everything flagged",
    direction="lower",
    synonyms=("fomr", "for", "1-NPV"),
    citation=f"1 − NPV of {CARDENAS}, eq 2",
)
def false_omission_rate(c: Outcomes) -> Any:
    return c.fn, c.passed


@define_share(
    "(TP + FP) / (TP + FP + FN + TN) = prior · TPR + (1 − prior) · FPR",
    "0: nothing is flagged; 1: everything is. It tends to FPR as positives get rare",
    "no cases",
    direction="lower",
    synonyms=(
        "POS fraction",
        "positive fraction",
        "alarm rate",
        "alert rate",
        "detection prevalence",
        "predicted positive rate",
        "flag rate",
    ),
    citation=f"{LANDGREBE}, eqs 1, 2 and 5",
    heading="flagged (posfrac)",
    label="share of cases flagged (posfrac)",
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


# ----------------------------------------------------------------------
# One number for two kinds of error: F measures, G-mean, correlation, odds.


# Beyond this, the square leaves the range of floats; F-beta has long been recall.
HUGE_BETA = 1e100
EMPTY = "a row or a column of the confusion is empty"
NO_FLAG_OR_POSITIVE = "no positives and nothing flagged"
ODDS: dict[str, Any] = {"range": (0, math.inf), "prior": False}
HALF = Parameter(
    "correction",
    "added to each of the four counts; 0.5 is the correction of Haldane and Anscombe",
    default=0,
    high=1e100,
)
POWERS = "Powers 2011, J. Machine Learning Technologies 2:37-63"
YOUDEN = f"Youden 1950, Cancer 3:32-35; {POWERS}"


@define_share(
    "2·TP / (2·TP + FP + FN), the harmonic mean of precision and recall",
    "0: nothing caught; 1: no error. Blind to true negatives",
    NO_FLAG_OR_POSITIVE,
    direction="higher",
    synonyms=("F", "F-measure", "F-score", "F1 score", "F_1", "Dice", "Dice coefficient"),
    citation=f"{TAN}, eq 5.76",
)
def f1(c: Outcomes) -> Any:
    return 2 * c.tp, 2 * c.tp + c.fp + c.fn


def _f_parts(c: Outcomes, beta: float) -> Any:
    if math.isinf(beta) or (beta > HUGE_BETA and not isinstance(c.tp, Fraction)):
        return c.tp, c.positives
    square = _like(c.tp, beta) ** 2
    return (1 + square) * c.tp, (1 + square) * c.tp + c.fp + square * c.fn


@define_measure(
    "(1 + β²)·TP / ((1 + β²)·TP + FP + β²·FN)",
    "0: nothing caught; 1: no error. β = 0 is precision, β = 1 is F1, β = ∞ is recall",
    parts=_f_parts,
    straight=True,
    direction="higher",
    synonyms=("F-beta", "Fβ", "F-beta score"),
    parameters=(Parameter("beta", "how much more recall weighs than precision"),),
    citation=f"{TAN}, eq 5.77 with FP and FN put right (van Rijsbergen 1979)",
)
def f_beta(c: Outcomes, beta: float) -> Any:
    part, whole = _f_parts(c, beta)
    return quotient(
        part,
        whole,
        (
            "nothing flagged"
            if not beta
            else "no positives"
            if math.isinf(beta)
            else NO_FLAG_OR_POSITIVE
        ),
    )


@define_share(
    "(w1·TP + w4·TN) / (w1·TP + w2·FP + w3·FN + w4·TN)",
    "0: nothing weighed is right; 1: nothing weighed is wrong. Recall is (1, 0, 1, 0), precision"
    " (1, 1, 0, 0), F-beta (β² + 1, 1, β², 0), accuracy (1, 1, 1, 1)",
    "nothing that has a weight",
    direction="higher",
    parameters=tuple(
        Parameter(f"w{i}", f"weight of {outcome}", high=1e100)
        for i, outcome in enumerate(("TP", "FP", "FN", "TN"), start=1)
    ),
    citation=f"{TAN}, eq 5.78",
)
def weighted_accuracy(c: Outcomes, w1: float, w2: float, w3: float, w4: float) -> Any:
    one, two, three, four = (_like(c.tp, w) for w in (w1, w2, w3, w4))
    right = one * c.tp + four * c.tn
    return right, right + two * c.fp + three * c.fn


@define_share(
    "TP / (TP + FP + FN)",
    "0: nothing caught; 1: no error. Blind to true negatives",
    NO_FLAG_OR_POSITIVE,
    direction="higher",
    synonyms=("critical success index", "CSI", "threat score", "Tanimoto"),
    citation="Jaccard 1912, New Phytologist 11:37-50",
)
def jaccard(c: Outcomes) -> Any:
    return c.tp, c.tp + c.fp + c.fn


GAIN: dict[str, Any] = {
    "direction": "higher",
    "range": (-math.inf, 1),
    "straight": True,
    "citation": "Flach & Kull 2015, Precision-recall-gain curves, NeurIPS 28",
}


@define_measure(
    "(precision − prior) / ((1 − prior) · precision) = 1 − FPR / TPR",
    "0: as pure as flagging everything; 1: every alert is real; negative: worse than flagging"
    " everything",
    prior=False,
    **GAIN,
    label="precision gain",
)
def precision_gain(c: Outcomes) -> Any:
    caught, alarmed = _rates(c)
    return 1 - quotient(alarmed, caught, "nothing flagged is positive")


@define_measure(
    "(TPR − prior) / ((1 − prior) · TPR) = 1 − prior / (1 − prior) · FN / TP",
    "0: TPR is the prior; 1: no positive is missed; negative: TPR below the prior",
    **GAIN,
    label="recall gain",
)
def recall_gain(c: Outcomes) -> Any:
    return 1 - quotient(c.positives, c.negatives, "no negatives") * quotient(
        c.fn, c.tp, "nothing flagged is positive"
    )


def _rates(c: Outcomes) -> tuple[Any, Any]:
    return quotient(c.tp, c.positives, "no positives"), quotient(c.fp, c.negatives, "no negatives")


@define_measure(
    "(TPR + TNR) / 2",
    "0.5: knows nothing; 1: no error; 0: always wrong",
    direction="higher",
    prior=False,
    straight=True,
    synonyms=("BA", "balanced accuracy score"),
    citation="Brodersen et al. 2010, ICPR:3121-3124",
)
def balanced_accuracy(c: Outcomes) -> Any:
    return (
        quotient(c.tp, c.positives, "no positives") + quotient(c.tn, c.negatives, "no negatives")
    ) / 2


@define_measure(
    "TPR − FPR",
    "0: knows nothing; 1: no error; −1: always wrong",
    direction="higher",
    range=(-1, 1),
    prior=False,
    straight=True,
    synonyms=(
        "Youden",
        "Youden J",
        "Youden's J",
        "Youden index",
        "J",
        "bookmaker informedness",
        "Peirce skill score",
        "true skill statistic",
        "TSS",
    ),
    citation=YOUDEN,
    label="tpr − fpr",
)
def informedness(c: Outcomes) -> Any:
    caught, alarmed = _rates(c)
    return caught - alarmed


@define_measure(
    "precision + NPV − 1",
    "0: what is flagged is no likelier positive than what is passed; 1: no error; −1: always wrong",
    direction="higher",
    range=(-1, 1),
    synonyms=("delta P", "ΔP"),
    citation=POWERS,
)
def markedness(c: Outcomes) -> Any:
    return quotient(c.tp, c.flagged, "nothing flagged") - quotient(
        c.fn, c.passed, "everything flagged"
    )


@define_measure(
    "√(TPR · TNR)",
    "0: one class is always wrong; 1: no error; 0.5: as guessing half of each",
    direction="higher",
    prior=False,
    synonyms=("G-mean", "gmean", "geometric mean"),
    citation="Kubat & Matwin 1997, ICML:179-186",
)
def g_mean(c: Outcomes) -> Any:
    caught = quotient(c.tp, c.positives, "no positives")
    return square_root(caught * quotient(c.tn, c.negatives, "no negatives"))


@define_measure(
    "√(precision · TPR)",
    "0: nothing caught; 1: no error. Blind to true negatives",
    direction="higher",
    synonyms=("FM", "Fowlkes-Mallows index", "G-measure"),
    citation="Fowlkes & Mallows 1983, JASA 78:553-569",
)
def fowlkes_mallows(c: Outcomes) -> Any:
    right = quotient(c.tp, c.flagged, "nothing flagged")
    return square_root(right * quotient(c.tp, c.positives, "no positives"))


@define_measure(
    "(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
    "0: no correlation; 1: no error; −1: always wrong",
    direction="higher",
    range=(-1, 1),
    synonyms=("Matthews correlation coefficient", "Matthews correlation", "phi", "φ"),
    citation="Matthews 1975, Biochim. Biophys. Acta 405:442-451",
)
def mcc(c: Outcomes) -> Any:
    # Two factors under each root: the product of all four would leave the range of floats at
    # extreme priors.
    spread = square_root(c.flagged * c.passed) * square_root(c.positives * c.negatives)
    return quotient(c.tp * c.tn - c.fp * c.fn, spread, EMPTY)


@define_measure(
    "(accuracy − chance) / (1 − chance) = 2·(TP·TN − FP·FN) / ((TP+FP)(FP+TN) + (TP+FN)(FN+TN))",
    "0: as good as chance with the same shares; 1: no error; negative: worse than chance",
    direction="higher",
    range=(-1, 1),
    straight=True,
    synonyms=("Cohen's kappa", "Cohen kappa", "κ", "Heidke skill score"),
    citation="Cohen 1960, Educ. Psychol. Meas. 20:37-46",
)
def kappa(c: Outcomes) -> Any:
    apart = c.flagged * c.negatives + c.positives * c.passed
    return quotient(
        2 * (c.tp * c.tn - c.fp * c.fn), apart, "one class only, and one answer for all"
    )


@define_measure(
    "TPR / FPR",
    "1: an alert carries no information; above 1: it speaks for a positive",
    direction="higher",
    straight=True,
    synonyms=("LR+", "LR pos", "positive likelihood ratio", "PLR", "likelihood ratio positive"),
    citation="Deeks & Altman 2004, BMJ 329:168-169",
    **ODDS,
)
def lr_positive(c: Outcomes) -> Any:
    caught, alarmed = _rates(c)
    return quotient(
        caught,
        alarmed,
        "no false positives: the ratio has no bound" if _some(caught) else "nothing flagged",
    )


@define_measure(
    "FNR / TNR",
    "1: passing carries no information; 0: no positive is passed",
    direction="lower",
    straight=True,
    synonyms=("LR-", "LR neg", "negative likelihood ratio", "NLR", "likelihood ratio negative"),
    citation="Deeks & Altman 2004, BMJ 329:168-169",
    **ODDS,
)
def lr_negative(c: Outcomes) -> Any:
    missed, passed = (
        quotient(c.fn, c.positives, "no positives"),
        quotient(c.tn, c.negatives, "no negatives"),
    )
    return quotient(
        missed,
        passed,
        "no true negatives: the ratio has no bound" if _some(missed) else "everything flagged",
    )


@define_measure(
    "(TP · TN) / (FP · FN)",
    "1: knows nothing; large: flagged and passed cases differ much",
    direction="higher",
    synonyms=("DOR", "odds ratio"),
    parameters=(HALF,),
    citation="Glas et al. 2003, J. Clin. Epidemiol. 56:1129-1135",
    **ODDS,
)
def diagnostic_odds_ratio(c: Outcomes, correction: float = 0) -> Any:
    tp, fp, fn, tn = _corrected(c, correction)
    unbounded = "no false positives or no false negatives: the ratio has no bound"
    return quotient(tp, fn, unbounded) * quotient(tn, fp, unbounded)


@define_measure(
    "(ln FPR − ln TPR − ln TNR + ln FNR) / (ln FPR + ln TPR + ln TNR + ln FNR)",
    "0: knows nothing; towards 1 as errors vanish, towards −1 as hits do. Does not fade as"
    " positives get rare",
    direction="higher",
    range=(-1, 1),
    prior=False,
    synonyms=("symmetric extremal dependence index",),
    parameters=(HALF,),
    citation="Ferro & Stephenson 2011, Weather and Forecasting 26:699-713",
)
def sedi(c: Outcomes, correction: float = 0) -> Any:
    tp, fp, fn, tn = _corrected(c, correction)
    wrong = quotient(fp, fp + tn, "no negatives") * quotient(fn, tp + fn, "no positives")
    right = quotient(tp, tp + fn, "no positives") * quotient(tn, fp + tn, "no negatives")
    extreme = "a rate of 0 or 1 has no logarithm"
    return quotient(
        natural_log(quotient(wrong, right, extreme)), natural_log(wrong * right), extreme
    )


def _corrected(c: Outcomes, correction: float) -> tuple[Any, ...]:
    return tuple(value + _like(value, correction) for value in c.counted)


def _some(value: Any) -> bool:
    """Whether one point's value is not 0 (a curve keeps no reasons)."""
    return isinstance(value, Fraction) and value != 0


def _like(outcome: Any, number: float) -> Any:
    """The number in the arithmetic of the outcomes."""
    return Fraction(number) if isinstance(outcome, Fraction) else float(number)


# ----------------------------------------------------------------------
# What a classifier costs and how much work it makes.


VOLUME = Parameter(
    "volume", "how many cases there are, for example per day", above_low=True, high=1e18
)
DRUMMOND = "Drummond & Holte 2006, Machine Learning 65:95-130"
ANY_COST = (-math.inf, math.inf)
PER_VOLUME: dict[str, Any] = {"range": (0, math.inf), "parameters": (VOLUME,)}


@define_measure(
    "tp·TP + fp·FP + fn·FN + tn·TN, over the cases counted",
    "what all these cases cost; negative: a gain",
    direction="lower",
    range=ANY_COST,
    prior=False,
    straight=True,
    counts=True,
    synonyms=("overall cost", "C_t"),
    citation=f"{BOOK} §5.7.3, eq 5.79",
)
def total_cost(c: Outcomes) -> Any:
    return sum(cost * count for cost, count in zip(c.costs, c.counted, strict=True))


@define_share(
    "prior·(TPR·tp + FNR·fn) + (1 − prior)·(FPR·fp + TNR·tn), per case",
    "the cost of perfect answers at best; negative: a gain",
    "no cases",
    direction="lower",
    range=ANY_COST,
    synonyms=("cost", "expected loss", "loss", "risk", "cost per case"),
    citation="Elkan 2001, IJCAI:973-978",
    heading="cost per case",
    label="expected cost per case",
)
def expected_cost(c: Outcomes) -> Any:
    return c.cost, c.total


@define_share(
    "(cost − cost of perfect answers) / (cost of all wrong − cost of perfect answers) = e·FNR + (1"
    " − e)·FPR with e the effective prior",
    "0: no error; 1: every case is wrong. The smaller of e and 1 − e is one answer for all",
    "no cases",
    direction="lower",
    synonyms=("NEC", "normalised cost", "normalized expected cost", "normalised expected cost"),
    citation=DRUMMOND,
    label="normalized cost",
)
def normalized_cost(c: Outcomes) -> Any:
    worst = c.miss * c.positives + c.false_alarm * c.negatives
    return c.miss * c.fn + c.false_alarm * c.fp, worst


@define_measure(
    "1 − cost / min(cost of flagging nothing, cost of flagging everything)",
    "0: no better than one answer for all; 1: costs nothing; above 1: earns; negative: worse than"
    " one answer for all",
    direction="higher",
    range=(-math.inf, math.inf),
    straight=True,
    citation="Bahnsen et al. 2015, Expert Systems with Applications 42:6609-6619",
)
def savings(c: Outcomes) -> Any:
    cheapest = smaller_of(c.cost_of_nothing, c.cost_of_everything)
    reason = "one answer for all costs nothing or less: there is nothing to save"
    return 1 - quotient(c.cost, -smaller_of(-cheapest, 0 * cheapest), reason)


@define_measure(
    "prior·TPR − (1 − prior)·FPR·t / (1 − t), per case; t is (fp − tn) / ((fp − tn) + (fn − tp))"
    " unless given",
    "the prior: no error; 0: as flagging nothing; negative: worse than that",
    direction="higher",
    range=(-math.inf, 1),
    straight=True,
    parameters=(
        Parameter(
            "t", "the probability at which one would act", high=1, above_low=True, optional=True
        ),
    ),
    citation="Vickers & Elkin 2006, Medical Decision Making 26:565-574",
    label="net benefit",
)
def net_benefit(c: Outcomes, t: float | None = None) -> Any:
    if t is None:
        odds = c.false_alarm / c.miss
    elif isinstance(c.tp, Fraction):
        odds = quotient(Fraction(t), 1 - Fraction(t), "at t = 1 one would never act")
    else:
        odds = rounded(Fraction(t) / (1 - Fraction(t))) if t < 1 else math.nan
    return quotient(c.tp - odds * c.fp, c.total, "no cases")


@define_measure(
    "precision / prior",
    "1: no better than flagging at random; 1 / prior: every alert is real",
    direction="higher",
    range=(0, math.inf),
    straight=True,
    synonyms=("lift factor", "enrichment", "enrichment factor"),
    citation="Provost & Fawcett 2013, Data Science for Business",
)
def lift(c: Outcomes) -> Any:
    return quotient(c.tp, c.flagged, "nothing flagged") * quotient(
        c.total, c.positives, "no positives"
    )


@define_measure(
    "1 / precision = (TP + FP) / TP: cases looked at for each positive found",
    "1: every alert is real; 1 / prior: as looking at random",
    direction="lower",
    range=(1, math.inf),
    straight=True,
    synonyms=("alerts per true positive", "number needed to evaluate", "workup to detection ratio"),
    citation="Romero-Brufau et al. 2015, Critical Care 19:285",
)
def nne(c: Outcomes) -> Any:
    return quotient(c.flagged, c.tp, "nothing flagged is positive")


@define_share(
    "volume · posfrac",
    "0: nothing is flagged; the volume: everything is",
    "no cases",
    direction="lower",
    synonyms=("alarms", "flagged", "workload"),
    citation=f"{LANDGREBE}, §1: cases for manual inspection",
    **PER_VOLUME,
)
def alerts(c: Outcomes, volume: float) -> Any:
    return _volume(c, volume) * c.flagged, c.total


@define_share(
    "volume · prior · TPR",
    "0: nothing is caught; volume · prior: everything is",
    "no cases",
    direction="higher",
    synonyms=("detected", "found"),
    citation=f"{LANDGREBE}, §1",
    **PER_VOLUME,
)
def caught(c: Outcomes, volume: float) -> Any:
    return _volume(c, volume) * c.tp, c.total


@define_share(
    "volume · prior · FNR",
    "0: nothing is missed; volume · prior: everything is",
    "no cases",
    direction="lower",
    synonyms=("missed positives", "escapes"),
    citation=f"{LANDGREBE}, §1",
    **PER_VOLUME,
)
def missed(c: Outcomes, volume: float) -> Any:
    return _volume(c, volume) * c.fn, c.total


@define_share(
    "volume · (1 − prior) · FPR",
    "0: every alert is real",
    "no cases",
    direction="lower",
    synonyms=("false alerts",),
    citation=f"{LANDGREBE}, §1",
    **PER_VOLUME,
)
def false_alarms(c: Outcomes, volume: float) -> Any:
    return _volume(c, volume) * c.fp, c.total


@define_share(
    "volume · expected cost",
    "what that volume of cases costs; negative: a gain",
    "no cases",
    direction="lower",
    range=ANY_COST,
    parameters=(VOLUME,),
    synonyms=("cost per volume",),
    citation=f"{BOOK} §5.7.3, eq 5.79 at the prior",
)
def volume_cost(c: Outcomes, volume: float) -> Any:
    return _volume(c, volume) * c.cost, c.total


def _volume(c: Outcomes, volume: float) -> Any:
    return Fraction(volume) if isinstance(c.tp, Fraction) else float(volume)
