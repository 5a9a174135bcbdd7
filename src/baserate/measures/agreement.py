"""One number for two kinds of error: F measures, G-mean, correlation, odds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from baserate.arithmetic import logarithm, quotient, root
from baserate.measures.catalogue import Parameter, define, define_share
from baserate.measures.outcomes import Outcomes
from baserate.measures.rates import TAN

# Beyond this, the square leaves the range of floats; F-beta has long been recall.
HUGE_BETA = 1e100
EMPTY = "a row or a column of the confusion is empty"
NO_FLAG_OR_POSITIVE = "no positives and nothing flagged"
ODDS: dict[str, Any] = {"range": (0, math.inf), "prior": False}
HALF = Parameter("correction", "added to each of the four counts; 0.5 is the correction of Haldane and Anscombe", default=0, high=1e100)
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


@define(
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
    return quotient(part, whole, "nothing flagged" if not beta else "no positives" if math.isinf(beta) else NO_FLAG_OR_POSITIVE)


@define_share(
    "(w1·TP + w4·TN) / (w1·TP + w2·FP + w3·FN + w4·TN)",
    "0: nothing weighed is right; 1: nothing weighed is wrong. Recall is (1, 0, 1, 0), precision (1, 1, 0, 0), "
    "F-beta (β² + 1, 1, β², 0), accuracy (1, 1, 1, 1)",
    "nothing that has a weight",
    direction="higher",
    parameters=tuple(Parameter(f"w{i}", f"weight of {outcome}", high=1e100) for i, outcome in enumerate(("TP", "FP", "FN", "TN"), start=1)),
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


@define(
    "(precision − prior) / ((1 − prior) · precision) = 1 − FPR / TPR",
    "0: as pure as flagging everything; 1: every alert is real; negative: worse than flagging everything",
    prior=False,
    **GAIN,
)
def precision_gain(c: Outcomes) -> Any:
    caught, alarmed = _rates(c)
    return 1 - quotient(alarmed, caught, "nothing flagged is positive")


@define(
    "(TPR − prior) / ((1 − prior) · TPR) = 1 − prior / (1 − prior) · FN / TP",
    "0: TPR is the prior; 1: no positive is missed; negative: TPR below the prior",
    **GAIN,
)
def recall_gain(c: Outcomes) -> Any:
    return 1 - quotient(c.positives, c.negatives, "no negatives") * quotient(c.fn, c.tp, "nothing flagged is positive")


def _rates(c: Outcomes) -> tuple[Any, Any]:
    return quotient(c.tp, c.positives, "no positives"), quotient(c.fp, c.negatives, "no negatives")


@define(
    "(TPR + TNR) / 2",
    "0.5: knows nothing; 1: no error; 0: always wrong",
    direction="higher",
    prior=False,
    straight=True,
    synonyms=("BA", "balanced accuracy score"),
    citation="Brodersen et al. 2010, ICPR:3121-3124",
)
def balanced_accuracy(c: Outcomes) -> Any:
    return (quotient(c.tp, c.positives, "no positives") + quotient(c.tn, c.negatives, "no negatives")) / 2


@define(
    "TPR − FPR",
    "0: knows nothing; 1: no error; −1: always wrong",
    direction="higher",
    range=(-1, 1),
    prior=False,
    straight=True,
    synonyms=("Youden's J", "Youden index", "J", "bookmaker informedness", "Peirce skill score", "true skill statistic", "TSS"),
    citation=YOUDEN,
)
def informedness(c: Outcomes) -> Any:
    caught, alarmed = _rates(c)
    return caught - alarmed


@define(
    "precision + NPV − 1",
    "0: what is flagged is no likelier positive than what is passed; 1: no error; −1: always wrong",
    direction="higher",
    range=(-1, 1),
    synonyms=("delta P", "ΔP"),
    citation=POWERS,
)
def markedness(c: Outcomes) -> Any:
    return quotient(c.tp, c.flagged, "nothing flagged") - quotient(c.fn, c.passed, "everything flagged")


def _squared_g(c: Outcomes) -> Any:
    return quotient(c.tp, c.positives, "no positives") * quotient(c.tn, c.negatives, "no negatives")


def _squared_fm(c: Outcomes) -> Any:
    return quotient(c.tp, c.flagged, "nothing flagged") * quotient(c.tp, c.positives, "no positives")


def _squared_mcc(c: Outcomes) -> Any:
    gap = c.tp * c.tn - c.fp * c.fn
    return quotient(gap * abs(gap), c.flagged * c.passed * c.positives * c.negatives, EMPTY)


@define(
    "√(TPR · TNR)",
    "0: one class is always wrong; 1: no error; 0.5: as guessing half of each",
    direction="higher",
    prior=False,
    order=_squared_g,
    synonyms=("G-mean", "gmean", "geometric mean"),
    citation="Kubat & Matwin 1997, ICML:179-186",
)
def g_mean(c: Outcomes) -> Any:
    return root(_squared_g(c))


@define(
    "√(precision · TPR)",
    "0: nothing caught; 1: no error. Blind to true negatives",
    direction="higher",
    order=_squared_fm,
    synonyms=("FM", "Fowlkes-Mallows index", "G-measure"),
    citation="Fowlkes & Mallows 1983, JASA 78:553-569",
)
def fowlkes_mallows(c: Outcomes) -> Any:
    return root(_squared_fm(c))


@define(
    "(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
    "0: no correlation; 1: no error; −1: always wrong",
    direction="higher",
    range=(-1, 1),
    order=_squared_mcc,
    synonyms=("Matthews correlation coefficient", "Matthews correlation", "phi", "φ"),
    citation="Matthews 1975, Biochim. Biophys. Acta 405:442-451",
)
def mcc(c: Outcomes) -> Any:
    # Two factors under each root: the product of all four would leave the range of floats at extreme priors.
    spread = root(c.flagged * c.passed) * root(c.positives * c.negatives)
    return quotient(c.tp * c.tn - c.fp * c.fn, spread, EMPTY)


@define(
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
    return quotient(2 * (c.tp * c.tn - c.fp * c.fn), apart, "one class only, and one answer for all")


@define(
    "TPR / FPR",
    "1: an alert says nothing; above 1: it speaks for a positive",
    direction="higher",
    straight=True,
    synonyms=("LR+", "positive likelihood ratio", "PLR", "likelihood ratio positive"),
    citation="Deeks & Altman 2004, BMJ 329:168-169",
    **ODDS,
)
def lr_positive(c: Outcomes) -> Any:
    caught, alarmed = _rates(c)
    return quotient(caught, alarmed, "no false positives: the ratio has no bound" if _some(caught) else "nothing flagged")


@define(
    "FNR / TNR",
    "1: passing says nothing; 0: no positive is passed",
    direction="lower",
    straight=True,
    synonyms=("LR-", "negative likelihood ratio", "NLR", "likelihood ratio negative"),
    citation="Deeks & Altman 2004, BMJ 329:168-169",
    **ODDS,
)
def lr_negative(c: Outcomes) -> Any:
    missed, passed = quotient(c.fn, c.positives, "no positives"), quotient(c.tn, c.negatives, "no negatives")
    return quotient(missed, passed, "no true negatives: the ratio has no bound" if _some(missed) else "everything flagged")


@define(
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


@define(
    "(ln FPR − ln TPR − ln TNR + ln FNR) / (ln FPR + ln TPR + ln TNR + ln FNR)",
    "0: knows nothing; towards 1 as errors vanish, towards −1 as hits do. Does not fade as positives get rare",
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
    return quotient(logarithm(quotient(wrong, right, extreme)), logarithm(wrong * right), extreme)


def _corrected(c: Outcomes, correction: float) -> tuple[Any, ...]:
    return tuple(value + _like(value, correction) for value in c.counted)


def _some(value: Any) -> bool:
    """Whether one point's value is not 0 (a curve keeps no reasons)."""
    return isinstance(value, Fraction) and value != 0


def _like(outcome: Any, number: float) -> Any:
    """The number in the arithmetic of the outcomes."""
    return Fraction(number) if isinstance(outcome, Fraction) else float(number)
