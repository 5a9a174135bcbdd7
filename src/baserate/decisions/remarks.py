"""What a reader of an operating point should know."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from baserate.arithmetic import exactly, rounded
from baserate.counts import Counts
from baserate.decisions.operating import TIE, OperatingPoint, drawn_from, unlabelled_flagged
from baserate.decisions.rules import Rule, Term
from baserate.errors import Fix, grouped, number_of
from baserate.measures.confusions import Confusion, confusion_at, exact_value, label_shift, measure, out_of_range
from baserate.measures.values import Measure
from baserate.notes import Note
from baserate.points import LABELS_MISSING, ONLY_RATES, Points

# Below this share of the sample's prior, false positive rates matter that the sample is too small to show.
FAR = 1000
# Fewer false positives than this are too few to rest a precision on.
FEW = 10
SAME_CASES = "the threshold was chosen and evaluated on the same data, so these figures are optimistic: evaluate on held-out data"
# Of a budget: of what is left beyond that nothing is said.
NEARLY = 0.95
# Labels that are known for other shares of the flagged and of the other cases: the chi-square of p = 0.001, and a share of the larger one.
SIGNIFICANT, MATERIAL = Fraction("10.83"), Fraction(1, 10)


def on_reading(point: OperatingPoint, points: Points) -> Iterator[Note]:
    """Of any point read at conditions."""
    yield from label_shift(point.at, point.confusion)
    yield from out_of_range(points, point.threshold)
    yield from resolution(point, points)


def on_labels(point: OperatingPoint, counts: Counts | Points) -> Iterator[Note]:
    """Are labels as frequent among flagged cases as among the others? If not, recall is not that of all cases (Begg & Greenes 1983)."""
    yield from _no_prior_of_all(point)
    rest = unlabelled_flagged(point, counts)
    if rest is None:
        yield from _not_kept(point, counts)
        return
    tp, fp, fn, tn = (int(cases) for cases in point.confusion)
    labelled = (tp + fp, fn + tn)
    scored = (labelled[0] + rest[0], labelled[1] + rest[1] - rest[0])
    if not all(labelled) or not tp:
        return
    flagged, passed = (Fraction(part, whole) for part, whole in zip(labelled, scored, strict=True))
    both = Fraction(sum(labelled), sum(scored))
    spread = both * (1 - both) * (Fraction(1, scored[0]) + Fraction(1, scored[1]))
    # A score test at p < 0.001, and a difference of a tenth or more: with millions of cases anything is significant.
    if (flagged - passed) ** 2 > SIGNIFICANT * spread and abs(flagged - passed) > MATERIAL * max(flagged, passed):
        recall = tp / flagged / (tp / flagged + fn / passed)
        shares = f"{_percent(flagged)} of the flagged but {_percent(passed)} of the other cases have labels"
        way = "high" if flagged > passed else "low"
        text = f"{shares}: recall {tp / (tp + fn):.4g} is too {way} (about {float(recall):.4g} if labelling depends only on the flag)"
        yield Note("BR116", text)


def _no_prior_of_all(point: OperatingPoint) -> Iterator[Note]:
    """Among a volume alerts are counted, and positives are not: that takes the base rate of all cases."""
    if point.volume is not None and point.at.as_in_sample and point.confusion.labels_missing:
        text = f"{LABELS_MISSING}: caught, missed, false alarms and cost per volume need a base rate"
        yield Note("BR656", text, Fix("at=Conditions(prior=0.001)", "--prior 0.1%"))


def _not_kept(point: OperatingPoint, counts: Counts | Points) -> Iterator[Note]:
    """Counts that were saved, or made within a memory limit, do not know the cases without a label."""
    if point.at.as_in_sample and any(note.code == "BR105" and "left out" in note.text for note in counts.notes):
        text = "cases without a label were left out, and these counts do not keep them: the flagged share and alerts are of labelled cases only"
        yield Note("BR117", text)


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.3g} %"


def on_choice(point: OperatingPoint, points: Points, rule: Rule, objective: Measure) -> Iterator[Note]:
    """Of a point that was chosen, also how it was."""
    yield from label_shift(point.at, point.confusion)
    yield from resolution(point, points)
    yield from _trivial(point, points, rule, objective)
    yield from _budget(point, points, rule, objective)
    if not point.at.costs_given and objective.name == "expected_cost":
        fix = Fix("Conditions(costs=Costs(fp=1, fn=100)), or optimize='tpr'", "--cost fn=100,fp=1")
        yield Note("BR525", "no costs were given: fp = 1 and fn = 1 decided", fix)
    if point.guarantee is not None:
        text = f"only {point.guarantee} is guaranteed: the other figures were read on the cases that chose the threshold, and are optimistic"
        yield Note("BR638", text)
    elif point.regardless is None and len(points) > 2:
        yield Note("BR528", f"{SAME_CASES}, choose(dev).on(test) or show --threshold on another file")


def resolution(point: OperatingPoint, points: Points) -> Iterator[Note]:
    """False positive rates that the sample cannot show, where they matter."""
    negatives, at = points.total_negatives, point.at
    if points.why_no_prior == ONLY_RATES or not isinstance(negatives, int) or not negatives or at.as_in_sample or at.prior is None:
        return
    if point.regardless is not None or not (point.fn or point.tn):
        return  # precision is the prior, or there is none: nothing rests on false positives
    smallest = f"1/{grouped(negatives)} = {1 / negatives:.1e}"
    if not point.fp and point.tp:
        bound = most_unseen(negatives)
        flagged = Fraction(bound) * negatives
        worst = Confusion(point.confusion.tp, flagged, point.confusion.fn, negatives - flagged, why_no_prior=point.confusion.why_no_prior)
        least = measure("precision", worst, at=at)
        worst_case = f"fpr may be up to {bound:.3g} (95 %, for a threshold set in advance), and precision then {least:.3g}"
        text = f"no false positive in {number_of(negatives, 'negative')}: {worst_case}"
        yield Note("BR505", text)
    elif 0 < point.fp < FEW:
        few = f"{float(point.fp):.3g} false {'positive lies' if point.fp == 1 else 'positives lie'} above this threshold"
        yield Note("BR505", f"only {few} in this sample: at prior {at.prior:.6g} precision and costs rest on that")
    elif at.prior * FAR < points.prior:
        text = f"false positive rates finer than {smallest} cannot be seen in this sample: at prior {at.prior:.6g} precision rests on them"
        yield Note("BR505", text)


def most_unseen(negatives: int) -> float:
    """The largest fpr, at 95 %, at which none of so many negatives is flagged."""
    return -math.expm1(math.log(0.05) / negatives)


def _trivial(point: OperatingPoint, points: Points, rule: Rule, objective: Measure) -> Iterator[Note]:
    """Flagging nothing or everything is a result, and it is said at which base rate it stops being one."""
    nothing, everything = point.regardless == 0, point.share == 1 and not point.fn and not point.tn
    if rule.terms or objective.name != "expected_cost" or not (nothing or everything) or points.coarse:
        return
    best = "is cheapest" if point.at.costs_given else "makes the fewest errors"
    hull = points.hull()
    edge = 0 if nothing else len(hull) - 2
    across, up = (exactly(values[edge + 1].item()) - exactly(values[edge].item()) for values in (hull.fp, hull.tp))
    if not points.total_positives or not points.total_negatives:
        yield Note("BR524", f"flagging {'nothing' if nothing else 'everything'} {best}")
        return
    costs = point.at.costs
    gain = up / exactly(points.total_positives) * costs.miss
    loss = across / exactly(points.total_negatives) * costs.false_alarm
    border = f"{rounded(loss / (loss + gain)):.6g}"
    if border == "1":
        border = f"1 - {rounded(gain / (loss + gain)):.3g}"
    if nothing:
        yield Note("BR524", f"flagging nothing {best}: at these costs no threshold beats it below prior {border}")
    else:
        yield Note("BR524", f"flagging everything {best}: at these costs no threshold beats it above prior {border}")


def _budget(point: OperatingPoint, points: Points, rule: Rule, objective: Measure) -> Iterator[Note]:
    budget = rule.budget
    if budget is None or point.volume is None:
        return
    if budget.limit >= exactly(point.volume):
        yield Note("BR522", f"the budget of {float(budget.limit):g} alerts covers all {point.volume:g} cases")
    elif point.how == TIE:
        together = ", which were counted together" if point.merged and points.counts is not None else ""
        yield Note("BR523", f"the budget ends among the cases {drawn_from(point)}{together}: {_draw(point)}")
    elif point.counted is None and float(point["alerts"]) < float(budget.limit) and len(points) > 2:
        goal = "would pay" if objective.name == "expected_cost" else f"would make {objective.name} better"
        yield from unused(point, points, rule, budget, goal)


def unused(point: OperatingPoint, points: Points, rule: Rule, budget: Term, goal: str) -> Iterator[Note]:
    """Why a budget is not used up; of the next score that would not fit, only where it leaves much of the budget."""
    used, following = float(point["alerts"]), points.place(point.threshold) + 1
    others = [term for term in rule.terms if term is not budget]
    more = exact_value(budget.measure, confusion_at(points, following), point.at) if following < len(points) else Fraction(0)
    if point.share == 1 and more > budget.limit:
        if used >= NEARLY * budget.limit:
            return
        why = f"the next score of this sample stands for {float(more) - used:.3g} more (a larger sample would use the budget better)"
    elif others:
        why = f"more would break {' and '.join(map(str, others))}"
    else:
        why = f"no more of these {goal} (a larger budget may)"
    yield Note("BR523", f"{used:.6g} of {float(budget.limit):g} alerts are used: {why}")


def _draw(point: OperatingPoint) -> str:
    """What is flagged of a tie, and what luck can make of it."""
    share = f"{100 * point.share:.3g} % of them are flagged, drawn at random"
    if point.best is None or point.worst is None or (point.confusion.labels_missing and point.at.as_in_sample):
        return share
    mean, low, high = (measure("caught", one, at=point.at, volume=point.volume) for one in (point.confusion, point.worst, point.best))
    luck = "" if low == high else f", between {low:.6g} and {high:.6g}"
    return f"{share}; caught {mean:.6g}{' on average' if luck else ''}{luck}"
