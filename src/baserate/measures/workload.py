"""What a classifier costs and how much work it makes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from baserate.arithmetic import least, quotient, rounded
from baserate.measures.catalogue import Parameter, define, define_share
from baserate.measures.outcomes import Outcomes
from baserate.measures.rates import BOOK, LANDGREBE

VOLUME = Parameter("volume", "how many cases there are, for example a day", above_low=True, high=1e18)
DRUMMOND = "Drummond & Holte 2006, Machine Learning 65:95-130"
ANY_COST = (-math.inf, math.inf)
PER_VOLUME: dict[str, Any] = {"range": (0, math.inf), "parameters": (VOLUME,)}


@define(
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
    "prior·(TPR·tp + FNR·fn) + (1 − prior)·(FPR·fp + TNR·tn), a case",
    "the cost of perfect answers at best; negative: a gain",
    "no cases",
    direction="lower",
    range=ANY_COST,
    synonyms=("cost", "expected loss", "loss", "risk", "cost per case"),
    citation="Elkan 2001, IJCAI:973-978",
)
def expected_cost(c: Outcomes) -> Any:
    return c.cost, c.total


@define_share(
    "(cost − cost of perfect answers) / (cost of all wrong − cost of perfect answers) = e·FNR + (1 − e)·FPR with e the effective prior",
    "0: no error; 1: every case is wrong. The smaller of e and 1 − e is one answer for all",
    "no cases",
    direction="lower",
    synonyms=("NEC", "normalised cost", "normalized expected cost", "normalised expected cost"),
    citation=DRUMMOND,
)
def normalized_cost(c: Outcomes) -> Any:
    worst = c.miss * c.positives + c.false_alarm * c.negatives
    return c.miss * c.fn + c.false_alarm * c.fp, worst


@define(
    "1 − cost / min(cost of flagging nothing, cost of flagging everything)",
    "0: no better than one answer for all; 1: costs nothing; above 1: earns; negative: worse than one answer for all",
    direction="higher",
    range=(-math.inf, math.inf),
    straight=True,
    citation="Bahnsen et al. 2015, Expert Systems with Applications 42:6609-6619",
)
def savings(c: Outcomes) -> Any:
    tp, fp, fn, tn = c.costs
    cheapest = least(fn * c.positives + tn * c.negatives, tp * c.positives + fp * c.negatives)
    reason = "one answer for all costs nothing or less: there is nothing to save"
    return 1 - quotient(c.cost, -least(-cheapest, 0 * cheapest), reason)


@define(
    "prior·TPR − (1 − prior)·FPR·t / (1 − t), a case; t is (fp − tn) / ((fp − tn) + (fn − tp)) unless given",
    "the prior: no error; 0: as flagging nothing; negative: worse than that",
    direction="higher",
    range=(-math.inf, 1),
    straight=True,
    parameters=(Parameter("t", "the probability at which one would act", high=1, above_low=True, optional=True),),
    citation="Vickers & Elkin 2006, Medical Decision Making 26:565-574",
)
def net_benefit(c: Outcomes, t: float | None = None) -> Any:
    if t is None:
        odds = c.false_alarm / c.miss
    elif isinstance(c.tp, Fraction):
        odds = quotient(Fraction(t), 1 - Fraction(t), "at t = 1 one would never act")
    else:
        odds = rounded(Fraction(t) / (1 - Fraction(t))) if t < 1 else math.nan
    return quotient(c.tp - odds * c.fp, c.total, "no cases")


@define(
    "precision / prior",
    "1: no better than flagging at random; 1 / prior: every alert is real",
    direction="higher",
    range=(0, math.inf),
    straight=True,
    synonyms=("lift factor", "enrichment", "enrichment factor"),
    citation="Provost & Fawcett 2013, Data Science for Business",
)
def lift(c: Outcomes) -> Any:
    return quotient(c.tp, c.flagged, "nothing flagged") * quotient(c.total, c.positives, "no positives")


@define(
    "1 / precision = (TP + FP) / TP: cases looked at for each positive found",
    "1: every alert is real; 1 / prior: as looking at random",
    direction="lower",
    range=(1, math.inf),
    straight=True,
    synonyms=("number needed to evaluate", "workup to detection ratio"),
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
