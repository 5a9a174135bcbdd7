"""`choose`: the best point that keeps a rule."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.cells import Array
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions import budgets, guarantees, merged, remarks, theory
from baserate.decisions.mixtures import best_mixture
from baserate.decisions.operating import COUNTED, GUESS, THRESHOLD, OperatingPoint, flagged_along, flagged_in_all, mixed, set_at
from baserate.decisions.refusals import infeasible
from baserate.decisions.rules import Rule, Term, parse_rule
from baserate.decisions.searching import Mask, best_of, exact_or_none, holds_all, is_better, keeping
from baserate.errors import grouped, quoted, refuse
from baserate.measures.confusions import checked_conditions, checked_volume, confusion_at, resolved_for
from baserate.measures.values import Measure, named
from baserate.notations import checked_level
from baserate.notes import Note, combine
from baserate.points import Points

COST = "expected_cost"


def choose(  # noqa: PLR0913 (each is a question of its own)
    counts: Counts | Points,
    rule: str | None = None,
    *,
    at: Conditions | None = None,
    volume: float | None = None,
    optimize: str | Measure | None = None,
    mix: bool = False,
    calibrated_at: Any = None,
    guarantee: str | None = None,
    level: float | None = None,
    among: int = 1,
) -> OperatingPoint:
    """Where should the threshold be, at this base rate and these costs?

    The cheapest point (lowest `expected_cost`) that keeps the rule, or the best by another measure: `optimize="f1"`. Equals go to the
    point that flags least. A rule joins terms by "and": "recall >= 0.8 and posfrac <= 1%". With a budget, "alerts <= 200" out of
    `volume` cases, the threshold never flags more; only where several cases tie at its end, more than 1 % of the budget, is a share of
    them flagged at random, and numbers are expected values. Where no costs are given a budget is used up (`optimize="tpr"`). `mix=True`
    also tries mixtures of two thresholds on the ROC hull. `calibrated_at` is the base rate at which the scores are calibrated
    probabilities: the threshold in theory then stands beside the empirical one. What no point can keep is refused (`Infeasible`), with
    what would be feasible.

    `guarantee="recall >= 0.9"` chooses among the thresholds at which the requirement holds in the field with 95 % confidence (or `level`),
    although they are chosen on these cases: the cheapest of them, or without costs the one with the fewest false alarms or the highest
    recall. Whoever then chooses among several models says `among` how many (`choose_model` does). What these cases cannot guarantee is
    refused, with the number of cases that would do.

    >>> import baserate as br
    >>> counts = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
    >>> at = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50))
    >>> point = br.choose(counts, at=at)
    >>> point.threshold, point.tpr, round(point.precision, 4), round(point.expected_cost, 4)
    (0.6, 0.9, 0.0833, 0.149)
    >>> br.choose(counts, "alerts <= 50", at=at, volume=10_000)["caught"]
    18.867924528301888
    >>> br.choose(counts, guarantee="recall >= 0.75", at=at).guarantee.requirements[0]
    Guaranteed(requirement='tpr >= 0.75', observed=0.9, bound=0.801..., method='clopper-pearson')
    """
    points = Points.of(counts)
    volume = checked_volume(volume)
    given, rules = checked_conditions(at), parse_rule(rule, volume)
    sure = None if guarantee is None else guarantees.parse_guarantee(guarantee, volume, given, mix=mix)
    if sure is None and (level is not None or among != 1):
        raise refuse("BR637", "level and among belong to a guarantee, and none is wanted", 'guarantee="recall >= 0.9", or leave them out')
    confidence = guarantees.Confidence(checked_level(0.95 if level is None else level), guarantees.checked_among(among))
    if len(points) < 2:
        raise refuse("BR552", "there are no cases to choose a threshold on", "count some cases first")
    objective = _objective(optimize, rules, given, volume, sure)
    resolved = resolved_for(points, given, [objective, *(term.measure for term in (*rules.terms, *(sure.terms if sure else ())))])
    # A budget without costs is there to be used up, also where more alerts find no more positives here.
    use_up = optimize is None and rules.budget is not None and not given.costs_given and sure is None
    found = (
        _guaranteed(points, rules, sure, objective, resolved, confidence)
        if sure
        else _found(points, rules, objective, resolved, mix=mix, use_up=use_up)
    )
    point = replace(found, rule=str(rules), optimized=str(objective), volume=volume)
    point = replace(point, counted=flagged_in_all(point, counts))
    if calibrated_at is not None:
        point = theory.beside(point, points, calibrated_at)
    said = (*point.notes, *given.notes, *remarks.on_choice(point, points, rules, objective), *_exceeded(point, rules))
    return replace(point, notes=combine((*remarks.on_labels(point, counts), *points.notes), said))


def _exceeded(point: OperatingPoint, rule: Rule) -> Iterator[Note]:
    """The rule was kept by what the labelled cases say of the field; what is counted there may not keep it."""
    for term in rule.terms if point.counted is not None else ():
        if term.measure.name in COUNTED:
            value, limit = point[term.measure], float(term.limit)
            if value > limit if term.sense == "<=" else value < limit:
                flagged, cases = (grouped(count) for count in point.counted or ())
                seen = f"{term.measure} is {value:.4g} there, and {term} is not kept"
                yield Note("BR653", f"this threshold flags {flagged} of the {cases} cases that were scored: {seen}")


def _objective(optimize: str | Measure | None, rule: Rule, at: Conditions, volume: float | None, sure: Rule | None) -> Measure:
    """What to make best: the cost, unless something else is asked for, or only a budget or a guarantee is known."""
    if optimize is not None:
        return named(optimize, volume)
    if sure is not None and not at.costs_given:
        return named(guarantees.objective_of(sure), volume)
    return named("tpr" if rule.budget and not at.costs_given else COST)


def _found(points: Points, rule: Rule, objective: Measure, at: Conditions, *, mix: bool, use_up: bool) -> OperatingPoint:
    """The best of the candidates; where a budget is to be used up, the one that does, unless another is strictly better."""
    scored = flagged_along(points, at)
    masks = [_kept(term, points, at, scored) for term in rule.terms]
    mask: Mask = reduce(np.logical_and, masks, np.ones(len(points), dtype=np.bool_))
    candidates = list(_candidates(points, rule, objective, at, mask, mix=mix, whole=scored is not None))
    if not candidates:
        merged.refuse_infeasible(points, rule.terms, at)
        raise infeasible(points, rule, masks, objective, at)
    if use_up and mask.any():
        # The last point within the budget, which a share of the next tie may go beyond.
        last = int(np.flatnonzero(mask)[-1])
        candidates.insert(1, set_at(points, last, at))
    chosen = candidates[0]
    for other in candidates[1:]:
        as_good = use_up and not is_better(objective, chosen.confusion, other.confusion, at)
        if as_good or is_better(objective, other.confusion, chosen.confusion, at):
            chosen = other
    known = next((one for one in candidates if one.how == THRESHOLD), None)
    return merged.settled(chosen, points, rule.terms, objective, known, use_up=use_up)


def _guaranteed(
    points: Points, rule: Rule, sure: Rule, objective: Measure, at: Conditions, confidence: guarantees.Confidence
) -> OperatingPoint:
    """The best of the thresholds that are guaranteed and keep the rule; only thresholds are, not shares of a tie."""
    here = [keeping(term, points, at) for term in sure.terms]
    limits, mask = guarantees.certified(points, sure, at, confidence)
    if not mask.any():
        possible = reduce(np.logical_and, here)[1:].any()
        raise guarantees.refusal(points, sure, at, confidence, limits) if possible else infeasible(points, sure, here, objective, at)
    kept: Mask = reduce(np.logical_and, (keeping(term, points, at) for term in rule.terms), mask)
    place = best_of(objective, points, kept, at) if kept.any() else None
    if place is None:
        raise guarantees.none_keeps(points, sure, rule, mask, at) if rule.terms else infeasible(points, sure, here, objective, at)
    found = guarantees.promised(place, points, sure, at, confidence, limits)
    return replace(set_at(points, place, at), guarantee=found)


def _kept(term: Term, points: Points, at: Conditions, scored: tuple[Array, int] | None) -> Mask:
    """The points at which the term holds; alerts are counted among all cases that were scored, also those without a label."""
    if scored is None or term.measure.name not in COUNTED:
        return keeping(term, points, at)
    flagged, cases = scored
    limit = term.limit * cases / exactly(dict(term.measure.parameters).get("volume", 1))
    kept: Mask = flagged <= math.floor(limit) if term.sense == "<=" else flagged >= math.ceil(limit)
    return kept


def _candidates(
    points: Points, rule: Rule, objective: Measure, at: Conditions, mask: Mask, *, mix: bool, whole: bool = False
) -> Iterator[OperatingPoint]:
    """The best threshold, the part of a tie that fills the budget, and the best mixture, whichever there are."""
    place = best_of(objective, points, mask, at) if mask.any() else None
    if place is not None:
        yield set_at(points, place, at)
    if rule.budget is not None and not whole:
        # Where the budget is all there is to keep, which points are within it is known.
        shared = budgets.filled(points, rule.budget, at, mask if len(rule.terms) == 1 else None)
        others = [term for term in rule.terms if term is not rule.budget]
        if shared is not None and holds_all(others, shared.confusion, at) and exact_or_none(objective, shared.confusion, at) is not None:
            yield shared
    if mix:
        mixture = best_mixture(points, rule, objective, at)
        if mixture is not None:
            yield mixture


def flag_at(counts: Counts | Points, threshold: float | None, *, at: Conditions | None = None, volume: float | None = None) -> OperatingPoint:
    """What follows from this threshold, set by hand? None flags nothing.

    >>> import baserate as br
    >>> br.flag_at(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 0.4).tpr
    0.5
    """
    points = Points.of(counts)
    given = checked_conditions(at)
    confusion = confusion_at(points, points.place(threshold))
    point = OperatingPoint(threshold, confusion, resolved_for(points, given, []), volume=checked_volume(volume))
    point = replace(point, counted=flagged_in_all(point, counts))
    labels = tuple(remarks.on_labels(point, counts))
    return replace(point, notes=combine((*labels, *points.notes), (*given.notes, *remarks.on_reading(point, points))))


def guess(counts: Counts | Points, share: float, *, at: Conditions | None = None, volume: float | None = None) -> OperatingPoint:
    """What does flagging so large a share of the cases at random do? 0 flags nothing, 1 flags everything: the baselines to beat.

    TPR = FPR = share, and precision is the prior (Tan et al. §5.7.2).

    >>> import baserate as br
    >>> br.guess(br.count([0, 0, 0, 1], [0.1, 0.4, 0.35, 0.8]), 0.3).precision
    0.25
    """
    points = Points.of(counts)
    try:
        part = exactly(share)
    except (TypeError, ValueError, OverflowError):
        part = Fraction(-1)
    if not 0 <= part <= 1:
        raise refuse("BR542", f"a share lies between 0 and 1, got {quoted(share)}", "guess(counts, 0.5)")
    given = checked_conditions(at)
    confusion = mixed(points, 0, len(points) - 1, part)
    point = OperatingPoint(None, confusion, resolved_for(points, given, []), GUESS, share=rounded(part), volume=checked_volume(volume))
    return replace(point, notes=combine((), (*given.notes, *remarks.on_reading(point, points))))
