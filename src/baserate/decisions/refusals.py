"""What no point can keep, and what would be feasible instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from baserate.conditions import Conditions
from baserate.cuts import short
from baserate.decisions.budgets import filled
from baserate.decisions.operating import drawn_from, highest_below
from baserate.decisions.rules import Rule, Term
from baserate.decisions.searching import Mask, best_of, exact_or_none, holds_all
from baserate.errors import Fix, Infeasible, Problem
from baserate.measures.confusions import Confusion, confusion_at, measure
from baserate.measures.values import Measure
from baserate.points import Points


def infeasible(points: Points, rule: Rule, masks: Sequence[Mask], objective: Measure, at: Conditions) -> Infeasible:
    """The refusal of a rule, with the nearest that each of its terms can get while the others are kept."""
    if not masks or _all_but(masks, None).any():
        text = f"{objective.name} is defined at no threshold{f' that has {rule}' if rule.terms else ''}"
        return Infeasible(Problem("BR530", text, Fix.everywhere("make another measure best")))
    found = []
    for i, term in enumerate(rule.terms):
        nearest = _nearest(points, term, [other for other in rule.terms if other is not term], _all_but(masks, i), at)
        if nearest:
            found.append(nearest)
    if not found:
        everywhere = np.ones(len(points), dtype=np.bool_)
        alone = [_nearest(points, term, (), everywhere, at) or f"{term.measure.name} is defined nowhere" for term in rule.terms]
        found = [f"each for itself, {'; '.join(alone)}"] if len(alone) > 1 else alone
    advice = "; ".join(found)
    fix = Fix.everywhere("relax one of the requirements, or find a better model")
    return Infeasible(Problem("BR530", f"no threshold has {rule}: {advice}", fix))


def _all_but(masks: Sequence[Mask], left_out: int | None) -> Mask:
    """The points that keep every term but one."""
    kept: Mask = reduce(np.logical_and, (mask for i, mask in enumerate(masks) if i != left_out), np.ones(len(masks[0]), dtype=np.bool_))
    return kept


def _nearest(points: Points, term: Term, others: Sequence[Term], kept: Mask, at: Conditions) -> str:
    candidates = list(_candidates(points, term, others, kept, at))
    if not candidates:
        return ""
    confusion, where = candidates[0]
    if len(candidates) > 1 and _beyond(term, candidates[1][0], confusion, at):
        confusion, where = candidates[1]
    value = measure(term.measure, confusion, at=at)
    given = f" with {' and '.join(map(str, others))}" if others else ""
    return f"the {'highest' if term.sense == '>=' else 'lowest'} {term.measure.name}{given} is {value:.6g}, {where}"


def _candidates(points: Points, term: Term, others: Sequence[Term], kept: Mask, at: Conditions) -> Iterator[tuple[Confusion, str]]:
    """The best threshold, and where a budget is among the others, the share of a tie that uses it up."""
    place = best_of(term.measure, points, kept, at, "higher" if term.sense == ">=" else "lower") if kept.any() else None
    if place is not None:
        threshold = points.threshold(place)
        shown = "flagging nothing" if threshold is None else f"at threshold {short(threshold, highest_below(points, place))}"
        yield confusion_at(points, place), shown
    budget = Rule(tuple(others)).budget
    shared = filled(points, budget, at) if budget is not None else None
    if shared is not None and holds_all([other for other in others if other is not budget], shared.confusion, at):
        yield shared.confusion, f"with a share of the {'run' if shared.merged else 'tie'} {drawn_from(shared)}"


def _beyond(term: Term, one: Confusion, other: Confusion, at: Conditions) -> bool:
    ours, theirs = (exact_or_none(term.measure, confusion, at) for confusion in (one, other))
    return ours is not None and theirs is not None and (ours > theirs if term.sense == ">=" else ours < theirs)
