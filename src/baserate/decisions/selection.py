"""`choose`: the best threshold that satisfies a rule, for one model or several; `fix`: read the
rest at a fixed measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, checked_conditions
from baserate.counts.cells import Array
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.decisions import guarantees, operating_point
from baserate.decisions.choose import (
    Question,
    Thresholds,
    choose_point,
    find_places,
    infeasible,
    keep_terms,
)
from baserate.decisions.merged import nearer
from baserate.decisions.operating_point import (
    choose_each,
    flagged_along,
    flagged_in_all,
    mixed,
    partway,
    set_at,
)
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING, check_models, exact_share
from baserate.decisions.rules import (
    NO_THRESHOLD,
    TOLERANCE,
    Rule,
    exact_or_none,
    holds_all,
    is_better,
    parse_rule,
    share_at,
    value_between,
)
from baserate.errors import (
    CASE_CONTROL,
    Fix,
    Infeasible,
    InputError,
    Note,
    Problem,
    combine,
    grouped,
    quoted,
    refuse,
)
from baserate.kernels import Cells
from baserate.measures.confusion import (
    Confusion,
    Measure,
    confusion_at,
    measure_along,
    named,
    parse,
    resolved_for,
)
from baserate.measures.registry import weight_of_negatives
from baserate.notation import (
    WholeCheck,
    base_rate,
    checked_level,
    checked_volume,
    parse_share,
)
from baserate.numbers import Floats, Viewed, exactly, rounded
from baserate.results.choice import Choice
from baserate.results.operating_point import ATTAINED, COUNTED, GUESS, INTERPOLATED, OperatingPoint

# ----------------------------------------------------------------------
# `choose`: the best point that satisfies a rule.


COST = "expected_cost"


def choose(  # noqa: PLR0913 (each is a question of its own)
    counts: Counts | Points,
    rule: str | None = None,
    *,
    at: Conditions | None = None,
    volume: float | None = None,
    optimize: str | Measure | None = None,
    guarantee: str | None = None,
    level: float | None = None,
    among: int = 1,
) -> OperatingPoint:
    """Where should the threshold be, at this base rate and these costs?

    The cheapest point (lowest `expected_cost`) that satisfies the rule, or the best by another
    measure: `optimize="f1"`. Equals go to the point that flags least. A rule joins terms by "and":
    "recall >= 0.8 and posfrac <= 1%". With a budget, "alerts <= 200" out of `volume` cases, the
    threshold never flags more; only where several cases tie at its end, more than 1 % of the
    budget, is a share of them flagged at random, and numbers are expected values. Where no costs
    are given a budget is used up (`optimize="tpr"`). What no point can keep is refused
    (`Infeasible`), with what would be feasible.

    `guarantee="recall >= 0.9"` chooses among the thresholds at which the requirement holds in the
    field with 95 % confidence (or `level`), although they are chosen on these cases: the cheapest
    of them, or without costs the one with the fewest false alarms or the highest recall. Whoever
    then chooses among several models says `among` how many (`choose_model` does). What these cases
    cannot guarantee is refused, with the number of cases that would do.

    >>> import baserate as br
    >>> counts = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
    >>> at = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50))
    >>> point = br.choose(counts, at=at)
    >>> point.threshold, point.tpr, round(point.precision, 4), round(point.expected_cost, 4)
    (0.6, 0.9, 0.0833, 0.149)
    >>> br.choose(counts, "alerts <= 50", at=at, volume=10_000)["caught"]
    18.867924528301888
    >>> guaranteed = br.choose(counts, guarantee="recall >= 0.75", at=at).guarantee.requirements[0]
    >>> guaranteed.requirement, guaranteed.observed, round(guaranteed.bound, 3)
    ('tpr >= 0.75', 0.9, 0.801)
    """
    points = Points.of(counts)
    volume = checked_volume(volume)
    given, rules = checked_conditions(at), parse_rule(rule, volume)
    sure = None if guarantee is None else guarantees.parse_guarantee(guarantee, volume, given)
    if sure is None and (level is not None or among != 1):
        raise refuse(
            "BR636",
            "level and among apply only to a guarantee, and none is given",
            'guarantee="recall >= 0.9", or leave them out',
        )
    confidence = guarantees.Confidence(
        checked_level(0.95 if level is None else level), checked_among(among)
    )
    if len(points) < 2:
        raise refuse(
            "BR552", "there are no cases to choose a threshold on", "count some cases first"
        )
    objective = _objective(optimize, rules, given, volume, sure)
    resolved = resolved_for(
        points,
        given,
        [objective, *(term.measure for term in (*rules.terms, *(sure.terms if sure else ())))],
    )
    # A budget without costs is there to be used up, also where more alerts find no more positives
    # here.
    use_up = (
        optimize is None and rules.budget is not None and not given.costs_given and sure is None
    )
    question = Question(rules, objective, resolved, use_up)
    found = (
        _choose_guaranteed(points, question, sure, confidence)
        if sure
        else choose_point(Thresholds(points, flagged_along(points, resolved)), question)
    )
    point = replace(found, rule=str(rules), optimized=str(objective), volume=volume)
    point = replace(point, counted=flagged_in_all(point, counts))
    said = (
        *point.notes,
        *given.notes,
        *operating_point.on_choice(point, points, rules, objective),
        *_exceeded(point, rules),
    )
    return replace(
        point, notes=combine((*operating_point.on_labels(point, counts), *points.notes), said)
    )


def _exceeded(point: OperatingPoint, rule: Rule) -> Iterator[Note]:
    """The rule was satisfied by what the labelled cases say of the field; what is counted there may
    not satisfy it.
    """
    for term in rule.terms if point.counted is not None else ():
        if term.measure.name in COUNTED:
            value, limit = point[term.measure], float(term.limit)
            if value > limit if term.sense == "<=" else value < limit:
                flagged, cases = (grouped(count) for count in point.counted or ())
                seen = f"{term.measure} is {value:.4g} there, and {term} is not kept"
                yield Note(
                    "BR653",
                    f"this threshold flags {flagged} of the {cases} cases that were scored: {seen}",
                )


def _objective(
    optimize: str | Measure | None,
    rule: Rule,
    at: Conditions,
    volume: float | None,
    sure: Rule | None,
) -> Measure:
    """What to make best: the cost, by default, or only a budget or a
    guarantee is known.
    """
    if optimize is not None:
        return named(optimize, volume)
    if sure is not None and not at.costs_given:
        return named(guarantees.objective_of(sure), volume)
    return named("tpr" if rule.budget and not at.costs_given else COST)


def _choose_guaranteed(
    points: Points, question: Question, sure: Rule, confidence: guarantees.Confidence
) -> OperatingPoint:
    """The best of the thresholds that are guaranteed and satisfy the rule; only thresholds are, not
    shares of a tie.
    """
    at, thresholds = question.at, Thresholds(points)
    limits, mask = guarantees.certified(points, sure, at, confidence)
    if not mask.any() and keep_terms(sure.terms, thresholds, at)[1:].any():
        raise guarantees.refusal(points, sure, at, confidence, limits)
    place = int(find_places(question, Thresholds(points, allowed=mask)))
    if place == NO_THRESHOLD:
        if mask.any() and question.rule.terms:
            raise guarantees.none_keeps(points, sure, question.rule, mask, at)
        raise infeasible(replace(question, rule=sure), thresholds)
    found = guarantees.promised(place, points, sure, at, confidence, limits)
    return replace(set_at(points, place, at), guarantee=found)


def flag_at(
    counts: Counts | Points,
    threshold: float | None,
    *,
    at: Conditions | None = None,
    volume: float | None = None,
) -> OperatingPoint:
    """What follows from this threshold, set by hand? None flags nothing.

    >>> import baserate as br
    >>> br.choose(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), threshold=0.4).tpr
    0.5
    """
    points = Points.of(counts)
    given = checked_conditions(at)
    point = OperatingPoint(
        threshold,
        confusion_at(points, points.place(threshold)),
        resolved_for(points, given, []),
        volume=checked_volume(volume),
        negated=points.negated,
    )
    point = replace(point, counted=flagged_in_all(point, counts))
    labels = tuple(operating_point.on_labels(point, counts))
    return replace(
        point,
        notes=combine(
            (*labels, *points.notes), (*given.notes, *operating_point.on_reading(point, points))
        ),
    )


def random_classifier(
    counts: Counts | Points,
    share: float,
    *,
    at: Conditions | None = None,
    volume: float | None = None,
) -> OperatingPoint:
    """What does flagging this share of the cases at random achieve? 0 flags nothing, 1 flags
    everything: the baselines to beat.

    TPR = FPR = share, and precision is the prior (Tan et al. §5.7.2).

    >>> import baserate as br
    >>> br.curves.random_classifier(br.count([0, 0, 0, 1], [0.1, 0.4, 0.35, 0.8]), 0.3).precision
    0.25
    """
    points = Points.of(counts)
    part = exact_share(share, "a share", "random_classifier(counts, 0.5)")
    given = checked_conditions(at)
    point = OperatingPoint(
        None,
        mixed(points, 0, len(points) - 1, part),
        resolved_for(points, given, []),
        GUESS,
        exact_share=part,
        volume=checked_volume(volume),
    )
    return replace(
        point, notes=combine((), (*given.notes, *operating_point.on_reading(point, points)))
    )


# ----------------------------------------------------------------------
# Which of several models: the chosen point of each, and the best of them.


def chosen_among(
    models: Mapping[str, Counts | Points],
    rule: str | None = None,
    *,
    at: Conditions | None = None,
    **options: Any,
) -> Choice:
    """Each model set by `choose`, and the best of them; whether it is better than the others is not
    tested here.
    """
    check_models(models)
    if options.get("guarantee") is not None:
        options = {**options, "among": len(models)}
    points, refused = choose_each(models, lambda counts: choose(counts, rule, at=at, **options))
    return _choice(_best(points), points, refused, _baselines(models, points))


def choice_of(
    points: Mapping[str, OperatingPoint],
    models: Mapping[str, Counts | Points],
    best: tuple[str, ...] | None = None,
) -> Choice:
    """The choice among points that are set already: the best of them, or as it was made before."""
    return _choice(best or _best(points), points, {}, _baselines(models, points))


def _choice(
    best: tuple[str, ...],
    points: Mapping[str, OperatingPoint],
    refused: Mapping[str, Infeasible],
    baselines: Mapping[str, OperatingPoint],
) -> Choice:
    """Return the choice, beside the better baseline and the one that the best model does not
    beat.
    """
    chosen = points[best[0]]
    left = {name: base for name, base in baselines.items() if not _is_better(chosen, base)}
    return Choice(
        best,
        points,
        refused,
        baselines,
        baseline=_best(baselines)[0] if baselines else None,
        unbeaten=_best(left)[0] if left else None,
    )


def _baselines(
    models: Mapping[str, Counts | Points], chosen: Mapping[str, OperatingPoint]
) -> dict[str, OperatingPoint]:
    """Flagging nothing and flagging everything, where that satisfies the rule, and the budget is
    not to be used up.
    """
    name, point = next(iter(chosen.items()))
    rule, points = parse_rule(point.rule or None, point.volume), Points.of(models[name])
    if point.guarantee is not None or (rule.budget is not None and not point.at.costs_given):
        return {}
    found = {}
    for answer, threshold, place in ((NOTHING, None, 0), (EVERYTHING, -math.inf, len(points) - 1)):
        confusion = confusion_at(points, place)
        if holds_all(rule.terms, confusion, point.at):
            found[answer] = OperatingPoint(
                threshold,
                confusion,
                point.at,
                rule=point.rule,
                optimized=point.optimized,
                volume=point.volume,
            )
    return found


def _best(points: Mapping[str, OperatingPoint]) -> tuple[str, ...]:
    """The names of the best, in the order given."""
    first = next(iter(points))
    for name, point in points.items():
        if _is_better(point, points[first]):
            first = name
    return tuple(name for name, point in points.items() if not _is_better(points[first], point))


def _is_better(one: OperatingPoint, other: OperatingPoint) -> bool:
    """Whether the first is strictly better, by what was made best."""
    return is_better(parse(one.optimized, one.volume), one.confusion, other.confusion, one.at)


# ----------------------------------------------------------------------
# Choices among models at several base rates: one answer each, or why there is none.


class Answer(NamedTuple):
    """The conditions, and the choice made at them; none where no model can satisfy the rule
    there.
    """

    at: Conditions
    choice: Choice | None


def settings_of(
    models: Iterable[str], answers: Iterable[Answer]
) -> dict[str, list[OperatingPoint]]:
    """The points that each model is set to, in the order of the answers."""
    made = [answer.choice for answer in answers if answer.choice is not None]
    return {
        name: [choice.points[name] for choice in made if name in choice.points] for name in models
    }


def made_by(
    choosing: Callable[..., Choice],
    models: Any,
    rule: str | None,
    at: Sequence[Conditions],
    **options: Any,
) -> tuple[list[Answer], list[Note]]:
    """The same, by any way of choosing among models."""
    found: list[Answer] = []
    problems: list[Problem] = []
    for conditions in at:
        sample = next(iter(models.values())) if isinstance(models, Mapping) else models
        prior = sample.prior if conditions.prior is None else conditions.prior
        rate = f" of {base_rate(prior)}" if 0 < prior < 1 else ""
        place = f"at a base rate{rate}: " if len(at) > 1 else ""
        try:
            choice = choosing(models, rule, at=conditions, **options)
        except Infeasible as error:
            found.append(Answer(conditions, None))
            problems += [replace(problem, text=place + problem.text) for problem in error.problems]
            continue
        found.append(Answer(conditions, choice))
        for name, refusal in choice.refused.items():
            problems += [
                replace(problem, text=f"{place}{quoted(name)}: {problem.text}")
                for problem in refusal.problems
            ]
    if not any(answer.choice for answer in found):
        raise Infeasible(problems)
    return found, [Note(problem.code, problem.text) for problem in problems]


# ----------------------------------------------------------------------
# Fix one measure and read the rest: between two thresholds, and at the nearest threshold there is.


@dataclass(frozen=True)
class Fixed(Viewed):
    """One measure fixed, read in two ways: each says in `how` which it is.

    `interpolated, attained = fix(…)` unpacks it. Where scores were merged, `attained` is refused if
    the nearest threshold may lie among them.
    """

    interpolated: OperatingPoint
    nearest: OperatingPoint | InputError

    @property
    def attained(self) -> OperatingPoint:
        """The threshold whose value is nearest."""
        if isinstance(self.nearest, InputError):
            raise self.nearest
        return self.nearest

    @property
    def notes(self) -> tuple[Note, ...]:
        """Those of both readings."""
        return combine(self.interpolated.notes, getattr(self.nearest, "notes", ()))

    def __iter__(self) -> Iterator[OperatingPoint]:
        return iter((self.interpolated, self.attained))


def fix(
    counts: Counts | Points,
    *,
    at: Conditions | None = None,
    volume: float | None = None,
    **target: float | str,
) -> Fixed:
    """With one measure fixed, what are the others? As in a case study at TPR 80 %, POSfrac 10 % or
    purity 50 %.

    `interpolated` lies on the straight line between two ROC points, where the measure has exactly
    that value: of several such places the one with the highest tpr, then the lowest fpr. `attained`
    is the threshold whose value is nearest. Landgrebe et al. §4.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[6, 3, 1], negatives=[1, 4, 15])
    >>> fixed = br.fix(counts, "tpr = 0.8", at=br.Conditions(prior=0.01))
    >>> round(fixed.interpolated.posfrac, 6), fixed.attained.threshold, fixed.attained.tpr
    (0.1895, 2, 0.9)
    """
    if len(target) != 1:
        raise refuse("BR533", f"fix one measure, got {len(target)}", "fix(counts, tpr=0.8)")
    ((name, given),) = target.items()
    volume = checked_volume(volume)
    asked, points, conditions = named(name, volume), Points.of(counts), checked_conditions(at)
    if not asked.straight:
        raise refuse(
            "BR534",
            f"{name} is not monotone between two thresholds, so it cannot be fixed",
            "fix tpr, fpr, posfrac or precision",
        )
    value = _value(asked, given)
    resolved = resolved_for(points, conditions, [asked])
    rule = f"{asked.name} = {quoted(given, quotes=False)}"

    def told(point: OperatingPoint) -> OperatingPoint:
        notes = combine(
            points.notes, (*conditions.notes, *operating_point.on_reading(point, points))
        )
        return replace(point, rule=rule, volume=volume, notes=notes)

    interpolated, nearest = (
        _interpolated(points, asked, value, resolved),
        _nearest(points, asked, value, resolved),
    )
    hidden = nearer(points, asked, float(value), nearest, resolved)
    return Fixed(told(interpolated), told(nearest) if hidden is None else hidden)


def _value(asked: Measure, given: float | str) -> Fraction:
    written = parse_share(given)
    if written is None or not asked.range[0] <= written.value <= asked.range[1]:
        low, high = asked.range
        raise refuse(
            "BR533",
            f"{asked.name} lies between {low:g} and {high:g}, got {quoted(given)}",
            f"fix(counts, {asked.name}=0.8)",
        )
    return written.value


def _interpolated(
    points: Points, asked: Measure, value: Fraction, at: Conditions
) -> OperatingPoint:
    values = measure_along(asked, points, at)
    for edge in reversed(_edges_through(values, float(value)).tolist()):
        ends = confusion_at(points, edge), confusion_at(points, edge + 1)
        place = share_at(asked, ends, value, at)
        if place is None and value_between(asked, ends, Fraction(1, 2), at) == value:
            # Constant along the edge: the end with the higher tpr, where the measure is defined
            # there.
            rises = (
                points.tp[edge + 1] > points.tp[edge]
                and exact_or_none(asked, ends[1], at) is not None
            )
            place = Fraction(int(rises))
        if place is not None:
            return _leftmost(points, asked, value, at, edge, place)
    defined = values[~np.isnan(values)]
    span = (
        f"it runs from {defined.min():.6g} to {defined.max():.6g}"
        if len(defined)
        else "it is defined at no threshold"
    )
    raise Infeasible(
        Problem(
            "BR530",
            f"{asked.name} never is {float(value):.6g}: {span}",
            Fix.everywhere("fix a value in between"),
        )
    )


def _edges_through(values: Floats, target: float) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The edges that may reach the value. Undefined ends may reach anything."""
    slack = TOLERANCE * abs(target)
    low, high = np.fmin(values[:-1], values[1:]), np.fmax(values[:-1], values[1:])
    undefined = np.isnan(values[:-1]) | np.isnan(values[1:])
    with np.errstate(invalid="ignore"):
        return np.flatnonzero(undefined | ((low - slack <= target) & (target <= high + slack)))


def _leftmost(
    points: Points, asked: Measure, value: Fraction, at: Conditions, edge: int, place: Fraction
) -> OperatingPoint:
    """The reading with the same tpr and the lowest fpr: on a horizontal run, its beginning, where
    the value is the same there.
    """
    confusion = mixed(points, edge, edge + 1, place)
    start = int(np.searchsorted(points.tp, points.tp[edge + int(place > 0)], side="left"))
    for run in (
        start,
        start + 1,
    ):  # where nothing is flagged, many measures are undefined: the run then begins one later
        if (
            run < len(points)
            and exactly(points.tp[run].item()) == exactly(confusion.tp)
            and exact_or_none(asked, confusion_at(points, run), at) == value
        ):
            return replace(set_at(points, run, at), how=INTERPOLATED)
    if place in (0, 1):
        return replace(set_at(points, edge + int(place), at), how=INTERPOLATED)
    return partway(points, edge, place, at, INTERPOLATED)


def _nearest(points: Points, asked: Measure, value: Fraction, at: Conditions) -> OperatingPoint:
    """The threshold whose value is nearest; of two as near the one that is better, then the one
    with the higher tpr and lower fpr.
    """
    target = float(value)
    values = measure_along(asked, points, at)
    away = np.abs(values - target)
    near = np.flatnonzero(away <= np.nanmin(away) + TOLERANCE * abs(target))
    losses = values[near] if asked.direction == "lower" else -values[near]
    best = near[losses <= losses.min() + TOLERANCE * abs(target)]
    index = int(best[np.lexsort((points.fp[best], -points.tp[best]))[0]])
    return replace(set_at(points, index, at), how=ATTAINED)


# ----------------------------------------------------------------------
# Several sites read as one, each at its own base rate: the sums of what each of them gives.


# Counts beyond this are kept as masses: their sums leave 64 bits.
MOST = 2**62
Site = tuple[Counts, Conditions]
Weights = tuple[Fraction, Fraction]


def class_weights(counts: Counts, at: Conditions, cases: Fraction | None = None) -> Weights:
    """What a positive and a negative count for, so that the prior is the given one, and the
    number of cases too.

    Of n cases with P positives and N negatives at the prior π: nπ / P and n(1 − π) / N. At the
    sample's own prior, or where a class is missing, both count alike.
    """
    positives, negatives = exactly(counts.total_positives), exactly(counts.total_negatives)
    size = positives + negatives
    scale = Fraction(1) if cases is None else cases / size
    of_negatives = weight_of_negatives(positives, negatives, at)
    if of_negatives is None or at.prior is None or at.as_in_sample:
        return scale, scale
    each = scale * size / (positives + of_negatives * negatives)
    return each, each * of_negatives


def pooled_prior(sites: Sequence[Site]) -> Fraction | None:
    """The share of positives among the cases of all sites, each at its own prior; None where that
    of one is unknown, or a class is missing.
    """
    positives, cases = Fraction(0), Fraction(0)
    for counts, at in sites:
        if at.prior is None and counts.ledger.design == CASE_CONTROL:
            return None
        cases += exactly(counts.total_positives) + exactly(counts.total_negatives)
        positives += class_weights(counts, at)[0] * exactly(counts.total_positives)
    return positives / cases if 0 < positives < cases else None


def pooled_confusion(sites: Sequence[Site], threshold: float | None) -> Confusion:
    """The outcomes of all sites at one threshold: exact sums over the sites, each at its own
    prior.
    """
    sums = [Fraction(0)] * 4
    for counts, at in sites:
        points = Points.of(counts)
        tp, fp, fn, tn = (exactly(cases) for cases in confusion_at(points, points.place(threshold)))
        of_positives, of_negatives = class_weights(counts, at)
        weighed = (tp * of_positives, fp * of_negatives, fn * of_positives, tn * of_negatives)
        sums = [one + other for one, other in zip(sums, weighed, strict=True)]
    tp, fp, fn, tn = sums
    return Confusion(tp=tp, fp=fp, fn=fn, tn=tn)


def pooled_counts(sites: Sequence[Site]) -> Counts:
    """Counts to choose a threshold on: every site's positives and negatives, weighed to its own
    prior.

    Whole numbers, all larger by one factor, where these fit; else masses, rounded once a cell.
    """
    weights = [class_weights(counts, at) for counts, at in sites]
    factor = math.lcm(*(weight.denominator for pair in weights for weight in pair))
    fits = (
        factor
        * sum(
            exactly(counts.total_positives) + exactly(counts.total_negatives) for counts, _ in sites
        )
        < MOST
    )
    parts = []
    for (counts, _), (of_positives, of_negatives) in zip(sites, weights, strict=True):
        columns = (
            _times(counts.positives, of_positives, factor, fits=fits),
            _times(counts.negatives, of_negatives, factor, fits=fits),
        )
        parts.append(
            Counts._of(Cells(counts.scores, *columns), counts.ledger, condensed=counts.condensed)
        )
    summed: Counts = added(parts)
    return summed


def _times(column: Array, weight: Fraction, factor: int, *, fits: bool) -> Array:
    return (
        np.asarray(column * int(weight * factor), dtype=np.int64)
        if fits
        else column * rounded(weight)
    )


def added(parts: Sequence[Any]) -> Any:
    """The sum of all, added in pairs, so that many small ones cost no more than few large ones."""
    rest = list(parts)
    while len(rest) > 1:
        rest = [
            rest[i] + rest[i + 1] if i + 1 < len(rest) else rest[i] for i in range(0, len(rest), 2)
        ]
    return rest[0]


checked_among = WholeCheck(
    "BR636", "among is the number of models that the choice is among", "among=3", 1
)
