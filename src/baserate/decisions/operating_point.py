"""Operating points: at a place among the thresholds, on other cases, and their notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from baserate.conditions import Conditions, checked_conditions
from baserate.counts.cells import Array, short
from baserate.counts.counts import Counts
from baserate.counts.points import EVERY_SCORE, LABELS_MISSING, ONLY_RATES, Points
from baserate.decisions.rules import (
    Rule,
    Term,
    parse_rule,
)
from baserate.errors import (
    Fix,
    Infeasible,
    Note,
    combine,
    grouped,
    number_of,
    quoted,
)
from baserate.measures.confusion import (
    Confusion,
    Measure,
    confusion_at,
    exact_value,
    interpolate_confusions,
    label_shift_of,
    measure,
    out_of_range,
    parse,
    resolved_for,
)
from baserate.numbers import exactly, rounded
from baserate.results.operating_point import (
    AT_A_POINT,
    GUESS,
    OF_A_VOLUME,
    ON_SAME_CASES,
    SELECTIVE,
    TIE,
    How,
    OperatingPoint,
    describe_tied_cases,
    format_share,
)


def evaluate_on(
    point: OperatingPoint, counts: Counts | Points, at: Conditions | None = None
) -> OperatingPoint:
    """Return the same setting on other cases."""
    points = Points.of(counts)
    given = point.at if at is None else checked_conditions(at)
    confusion = flagged_by(point, points)
    resolved = resolved_for(points, given)
    shown: dict[str, Any] = {
        name: None if known is None else max(known, highest_below(points, points.place(cut)))
        for name, known, cut in (
            ("below", point.below, point.threshold),
            ("lower_below", point.lower_below, point.lower_threshold),
        )
    }
    found = replace(
        point,
        confusion=confusion,
        at=resolved,
        in_advance=True,
        best=None,
        worst=None,
        guarantee=None,
        intervals={},
        notes=combine(
            points.notes,
            (
                *given.notes,
                *label_shift_of(resolved, confusion),
                *out_of_range(points, point.threshold),
            ),
        ),
        negated=points.negated,
        merged=point.how == TIE
        and several(points, points.place(point.threshold), point.lower_threshold),
        **shown,
    )
    return replace(found, counted=flagged_in_all(found, counts))


def flagged_by(point: OperatingPoint, points: Points) -> Confusion:
    """Return what the setting of a point flags of these cases."""
    if point.how == GUESS:
        return mixed(points, 0, len(points) - 1, point.exact_share)
    upper = points.place(point.threshold)
    if point.share == 1:
        return confusion_at(points, upper)
    return mixed(points, upper, points.place(point.lower_threshold), point.exact_share)


def measures_shown(point: OperatingPoint) -> tuple[str, ...]:
    """The measures that are shown of a point: the usual ones, those of a volume, and the requested
    ones.
    """
    usual = AT_A_POINT + (OF_A_VOLUME if point.volume is not None else ())
    return (*usual, *(name for name in measures_requested(point) if name not in usual))


def measures_requested(point: OperatingPoint) -> tuple[str, ...]:
    """What was optimized at a point, what its rule requires, and what else was requested."""
    rule = "" if not point.rule or " = " in point.rule else point.rule
    terms = parse_rule(rule, point.volume).terms if rule else ()
    best = (parse(point.optimized, point.volume),) if point.optimized else ()
    found = [asked.short_name for asked in (*best, *(term.measure for term in terms))]
    return tuple(dict.fromkeys((*found, *point.shown)))


def flagged_in_all(point: OperatingPoint, counts: Counts | Points) -> tuple[int, int] | None:
    """How many cases are flagged of all that were scored; None where only labelled cases are known.

    In the field, where the base rate was estimated there; or here, with those that have no label,
    at the sample's own base rate.
    """
    if point.share != 1:
        return None
    if point.at.estimate is not None:
        return point.at.estimate.flagged(counts, point.threshold)
    rest = unlabelled_flagged(point, counts)
    if rest is None or not point.at.as_in_sample:
        return None
    tp, fp, fn, tn = (int(cases) for cases in point.confusion)
    return tp + fp + int(rest[0]), tp + fp + fn + tn + rest[1]


def flagged_along(points: Points, at: Conditions) -> tuple[Array, int] | None:
    """The same at every threshold: how many cases each flags of all that were scored, and how many
    there are.
    """
    counts = points.counts
    if counts is None or counts.weighted:
        return None
    if at.estimate is not None:
        field = at.estimate.field_of(counts)
        return (
            None if field is None else (_from_above(field.scores, field.cases, points), field.total)
        )
    rest = counts.unlabelled
    if rest is None or not at.as_in_sample:
        return None
    cases = int(counts.total_positives) + int(counts.total_negatives) + int(rest.total_negatives)
    return points.tp + points.fp + _from_above(rest.scores, rest.negatives, points), cases


def _from_above(scores: Array, cases: Array, points: Points) -> Array:
    """How many of these cases have a score at or above each threshold; none at the first, which
    flags nothing.
    """
    above = np.searchsorted(
        -scores.astype(np.float64), -points.scores.astype(np.float64), side="right"
    )
    return np.concatenate(([0], np.concatenate(([0], np.cumsum(cases)))[above]))


def unlabelled_flagged(
    point: OperatingPoint, counts: Counts | Points
) -> tuple[Fraction, int] | None:
    """How many of the cases without a label are flagged, and how many of them there are; of a tie
    or a mixture, the expected number.
    """
    rest = getattr(counts, "unlabelled", None)
    if rest is None or point.how == GUESS:
        return None

    def above(threshold: float | None) -> int:
        return 0 if threshold is None else int(rest.negatives[rest.scores >= threshold].sum())

    flagged = Fraction(above(point.threshold))
    if point.share != 1:
        flagged += point.exact_share * (above(point.lower_threshold) - flagged)
    return flagged, int(rest.total_negatives)


def set_at(points: Points, place: int, at: Conditions) -> OperatingPoint:
    """The point that flags down to this place among the thresholds."""
    return OperatingPoint(
        points.threshold(place),
        confusion_at(points, place),
        at,
        below=highest_below(points, place),
        negated=points.negated,
    )


def partway(
    points: Points, place: int, share: Fraction, at: Conditions, how: How
) -> OperatingPoint:
    """The point that flags down to this place, and a share of the cases from there to the next."""
    return replace(
        set_at(points, place, at),
        confusion=mixed(points, place, place + 1, share),
        how=how,
        exact_share=share,
        lower_threshold=points.threshold(place + 1),
        lower_below=highest_below(points, place + 1),
    )


def highest_below(points: Points, place: int) -> Any:
    """The highest score, also of cases without a label, that the point at this place does not flag:
    −inf where it flags all, None where scores between points are not known.
    """
    if points.counts is None:
        return None
    below = (
        (points.scores if points.tops is None else points.tops)[place].item()
        if place < len(points.scores)
        else -math.inf
    )
    rest = points.counts.unlabelled
    if rest is None or not place:
        return below
    rising = rest.scores[::-1]
    fewer = int(np.searchsorted(rising, points.scores[place - 1]))
    return max(below, rising[fewer - 1].item()) if fewer else below


def short_on(points: Points, threshold: Any) -> str:
    """A threshold in as few digits as flag the same cases of these."""
    return short(threshold, highest_below(points, points.place(threshold)))


def several(points: Points, upper: int, threshold: float | None) -> bool:
    """Whether cases from this threshold up to the upper point may have other scores than the
    threshold.
    """
    lower = points.place(threshold)
    if lower == upper:
        return False
    highest = (points.scores if points.tops is None else points.tops)[upper].item()
    return points.counts is None or highest != threshold


def mixed(points: Points, upper: int, lower: int, share: Fraction) -> Confusion:
    """What is flagged on average when a share of the cases uses the lower point and the rest the
    upper one.
    """
    return interpolate_confusions(confusion_at(points, upper), confusion_at(points, lower), share)


# ----------------------------------------------------------------------
# What a reader of an operating point should know.


# Below this share of the sample's prior, false positive rates matter that the sample is too small
# to show.
FAR = 1000
# Fewer false positives than this are too few to rest a precision on.
FEW = 10
# Of what cannot be moved to test data as a whole.
SHOW_ON_OTHERS = Fix("choose(test, threshold=…)", "show --threshold SCORE")
# A budget of which at least this share is used needs no note.
NEARLY = 0.95
COSTS_MORE = "cost more than they save"
# Labels that are known for other shares of the flagged and of the other cases: the chi-square of p
# = 0.001, and a share of the larger one.
SIGNIFICANT, MATERIAL = Fraction("10.83"), Fraction(1, 10)


def on_reading(point: OperatingPoint, points: Points) -> Iterator[Note]:
    """Of any point read at conditions."""
    yield from label_shift_of(point.at, point.confusion)
    yield from out_of_range(points, point.threshold)
    yield from resolution(point, points)


def on_labels(point: OperatingPoint, counts: Counts | Points) -> Iterator[Note]:
    """Are labels as frequent among flagged cases as among the others? If not, recall is not that of
    all cases.
    """
    yield from _no_prior_of_all(point)
    if unlabelled_flagged(point, counts) is None:
        yield from _not_kept(point, counts)
    corrected = if_all_labelled(point, counts)
    if corrected is None or not point.tp:
        return
    (tp, fp, fn, tn), after = point.confusion, corrected
    flagged, passed = (tp + fp) / (after.tp + after.fp), (fn + tn) / (after.fn + after.tn)
    labelled = (format_share(flagged), format_share(passed))
    shares = "{} of the flagged but {} of the other cases have labels".format(*labelled)
    way = "high" if flagged > passed else "low"
    yield Note(
        SELECTIVE,
        f"{shares}: recall {float(tp / (tp + fn)):.4g} is too {way} (about"
        f" {after['tpr']:.4g} if labelling depends only on the flag)",
    )


def if_all_labelled(
    point: OperatingPoint, counts: Counts | Points, *, material: Fraction = MATERIAL
) -> Confusion | None:
    """What all cases would come to if labelling depended only on the flag (Begg & Greenes 1983);
    None where labels are as frequent among flagged cases as among the others.
    """
    rest = unlabelled_flagged(point, counts)
    if rest is None:
        return None
    tp, fp, fn, tn = (Fraction(cases) for cases in point.confusion)
    labelled = (tp + fp, fn + tn)
    if not all(labelled):
        return None
    scored = (labelled[0] + rest[0], labelled[1] + rest[1] - rest[0])
    flagged, passed = (Fraction(part, whole) for part, whole in zip(labelled, scored, strict=True))
    both = Fraction(sum(labelled), sum(scored))
    spread = both * (1 - both) * (Fraction(1, scored[0]) + Fraction(1, scored[1]))
    # A score test at p < 0.001, and a difference of a tenth or more: with millions of cases
    # anything is significant.
    if (flagged - passed) ** 2 <= SIGNIFICANT * spread:
        return None
    if abs(flagged - passed) <= material * max(flagged, passed):
        return None
    return Confusion(tp=tp / flagged, fp=fp / flagged, fn=fn / passed, tn=tn / passed)


def _no_prior_of_all(point: OperatingPoint) -> Iterator[Note]:
    """Among a volume alerts are counted, and positives are not: that takes the base rate of all
    cases.
    """
    if point.volume is not None and point.at.as_in_sample and point.confusion.labels_missing:
        yield Note(
            "BR656",
            f"{LABELS_MISSING}: caught, missed, false alarms and cost per volume need a base rate",
            Fix("at=Conditions(prior=0.001)", "--prior 0.1%"),
        )


def _not_kept(point: OperatingPoint, counts: Counts | Points) -> Iterator[Note]:
    """Counts that were saved, or made within a memory limit, do not know the cases without a
    label.
    """
    if point.at.as_in_sample and any("left_out" in note.values for note in counts.notes):
        yield Note(
            "BR117",
            "cases without a label were left out, and these counts do not keep them: the flagged"
            " share and alerts are of labelled cases only",
        )


def on_choice(
    point: OperatingPoint, points: Points, rule: Rule, objective: Measure
) -> Iterator[Note]:
    """Of a point that was chosen, also how it was."""
    yield from label_shift_of(point.at, point.confusion)
    yield from resolution(point, points)
    yield from _trivial(point, points, rule, objective)
    goal = COSTS_MORE if objective.name == "expected_cost" else f"not improve {objective.name}"
    yield from on_budget(point, points, rule, goal, _caught_by_draw(point))
    if not point.at.costs_given and objective.name == "expected_cost":
        yield Note(
            "BR525",
            "no costs given: a miss counts like a false alarm",
            Fix("costs={'fn': 100, 'fp': 1}, or optimize='tpr'", "--cost fn=100,fp=1"),
        )
    if point.guarantee is not None:
        yield Note(
            "BR638",
            f"only {point.guarantee} is guaranteed: the other figures are from the cases on which"
            " the threshold was chosen, and are optimistic",
        )
    elif point.regardless is None and len(points) > 2:
        yield ON_SAME_CASES


def resolution(point: OperatingPoint, points: Points) -> Iterator[Note]:
    """False positive rates that the sample cannot show, where they matter."""
    negatives, at = points.total_negatives, point.at
    if (
        points.why_no_prior == ONLY_RATES
        or not isinstance(negatives, int)
        or not negatives
        or at.as_in_sample
        or at.prior is None
    ):
        return
    if point.regardless is not None or not (point.fn or point.tn):
        return  # precision is the prior, or there is none: nothing rests on false positives
    smallest = f"1/{grouped(negatives)} = {1 / negatives:.1e}"
    if not point.fp and point.tp:
        yield unseen(point, most_unseen(negatives), number_of(negatives, "negative"))
    elif 0 < point.fp < FEW:
        few = f"{float(point.fp):.3g} false {'positive' if point.fp == 1 else 'positives'}"
        yield Note(
            "BR505",
            f"precision and cost at {at.spoken} depend on only {few} in this sample",
        )
    elif at.prior * FAR < points.prior:
        yield Note(
            "BR505",
            f"false positive rates below {smallest} cannot be seen in this sample, and precision at"
            f" {at.spoken} depends on them",
        )


def unseen(point: OperatingPoint, bound: float, negatives: str) -> Note:
    """No negative was flagged: what fpr may be up to, and precision then."""
    cases = exactly(point.fp) + exactly(point.tn)
    flagged = Fraction(bound) * cases
    worst = replace(point.confusion, fp=flagged, tn=cases - flagged)
    least = measure(worst, "precision", at=point.at)
    return Note(
        "BR505",
        f"no false positive in {negatives}: fpr may be up to {bound:.3g} (95 %, for a threshold set"
        f" in advance), and precision then {least:.3g} at the recall of this sample",
    )


Point = TypeVar("Point")
Source = TypeVar("Source")


def choose_each(
    models: Mapping[str, Source], choose: Callable[[Source], Point]
) -> tuple[dict[str, Point], dict[str, Infeasible]]:
    """The chosen point of every model, by name, and why others have none; refused where all are."""
    points: dict[str, Point] = {}
    refused: dict[str, Infeasible] = {}
    for name, source in models.items():
        try:
            points[name] = choose(source)
        except Infeasible as error:
            refused[name] = error
    if not points:
        raise Infeasible(
            problem
            if len(models) == 1
            else replace(problem, text=f"{quoted(name)}: {problem.text}")
            for name, error in refused.items()
            for problem in error.problems
        )
    return points, refused


def most_unseen(negatives: int) -> float:
    """The largest fpr, at 95 %, at which none of these negatives is flagged."""
    return -math.expm1(math.log(0.05) / negatives)


def _trivial(
    point: OperatingPoint, points: Points, rule: Rule, objective: Measure
) -> Iterator[Note]:
    """Flagging nothing or everything is a result, with the base rate at which it stops being
    one.
    """
    nothing, everything = point.regardless == 0, point.share == 1 and not point.fn and not point.tn
    if rule.terms or objective.name != "expected_cost" or not (nothing or everything):
        return
    best = "is cheapest" if point.at.costs_given else "makes the fewest errors"
    hull = points.hull()
    edge = 0 if nothing else len(hull) - 2
    across, up = (
        exactly(values[edge + 1].item()) - exactly(values[edge].item())
        for values in (hull.fp, hull.tp)
    )
    flagging = f"flagging {'nothing' if nothing else 'everything'} {best}"
    if not points.total_positives or not points.total_negatives:
        yield Note("BR524", flagging)
        return
    costs = point.at.costs
    gain = up / exactly(points.total_positives) * costs.miss
    loss = across / exactly(points.total_negatives) * costs.false_alarm
    border = f"{rounded(loss / (loss + gain)):.6g}"
    if border == "1":
        border = f"1 - {rounded(gain / (loss + gain)):.3g}"
    yield Note(
        "BR524",
        f"{flagging}: at these costs no threshold is better {'below' if nothing else 'above'} a"
        f" base rate of {border}",
    )


def on_budget(
    point: OperatingPoint, points: Points, rule: Rule, goal: str, caught: str
) -> Iterator[Note]:
    """How the budget of a rule is used: what more alerts would do, and what a draw from a tie
    catches.
    """
    budget = rule.budget
    if budget is None or point.volume is None:
        return
    if budget.limit >= exactly(point.volume):
        yield Note(
            "BR522",
            f"the budget of {float(budget.limit):g} alerts covers all {point.volume:g} cases",
        )
    elif point.how == TIE:
        tied = describe_tied_cases(point)
        share = f"{100 * point.share:.3g} % of them are flagged, drawn at random"
        yield Note("BR523", f"the budget ends among the cases {tied}: {share}{caught}")
    elif point.counted is None and float(point["alerts"]) < float(budget.limit) and len(points) > 2:
        yield from _unused(point, points, rule, budget, goal)


def _unused(
    point: OperatingPoint, points: Points, rule: Rule, budget: Term, goal: str
) -> Iterator[Note]:
    """Why a budget is not used up; of the next score that would not fit, only where it leaves much
    of the budget.
    """
    used, following = float(point["alerts"]), points.place(point.threshold) + 1
    others = [term for term in rule.terms if term is not budget]
    more = (
        exact_value(budget.measure, confusion_at(points, following), point.at)
        if following < len(points)
        else Fraction(0)
    )
    shown = f"{used:,.0f}" if used >= 10 else f"{used:.3g}"
    whole = f"{float(budget.limit):,.10g}"
    run = following < len(points) and bool(points.merged[following - 1])
    if run and not point.at.costs_given:
        left = float(budget.limit) - used
        yield Note(
            "BR523",
            f"{shown} of {whole} alerts are used and {left:,.4g} remain: the next scores were"
            " counted together, and a threshold among them is not known",
            EVERY_SCORE,
        )
        return
    if point.share == 1 and more > budget.limit and not run:
        if used >= NEARLY * budget.limit:
            return
        why = (
            f"the next score of this sample would add {float(more) - used:.3g} (a larger sample"
            " would use the budget better)"
        )
    elif others:
        why = f"more would break {' and '.join(map(str, others))}"
    else:
        why = f"more of them would {goal}"
    yield Note("BR523", f"{shown} of {whole} alerts are used: {why}")


def _caught_by_draw(point: OperatingPoint) -> str:
    """How many positives a draw from a tie catches, and what luck can make of that."""
    if (
        point.best is None
        or point.worst is None
        or point.volume is None
        or (point.confusion.labels_missing and point.at.as_in_sample)
    ):
        return ""
    mean, low, high = (
        f"{value:.2g}" if value < 10 else grouped(round(value))
        for one in (point.confusion, point.worst, point.best)
        for value in (float(measure(one, "caught", at=point.at, volume=point.volume)),)
    )
    luck = "" if low == high else f", between {low} and {high}"
    return f"; caught {mean}{' on average' if luck else ''}{luck}"
