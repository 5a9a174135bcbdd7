"""Mixtures: between two corners of the ROC hull, every point is reached by using one threshold for a share of the cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from baserate.arithmetic import rounded
from baserate.conditions import Conditions
from baserate.decisions.operating import MIXTURE, OperatingPoint, lower_at, mixed, set_at
from baserate.decisions.rules import Rule, Term
from baserate.decisions.searching import exact_or_none, holds_all, is_better, share_at, value_between
from baserate.errors import refuse
from baserate.measures.confusions import Confusion, confusion_at
from baserate.measures.values import Measure
from baserate.points import Points, refuse_bins

Ends = tuple[Confusion, Confusion]


def best_mixture(points: Points, rule: Rule, objective: Measure, at: Conditions) -> OperatingPoint | None:
    """The best point on the edges of the hull that keeps the rule; None where no mixture keeps it."""
    for measure in (objective, *(term.measure for term in rule.terms)):
        if not measure.straight:
            text = f"{measure.name} may rise and fall between two thresholds: mixtures are not searched for it"
            raise refuse("BR534", text, "mix=False, or a measure such as tpr, precision, f1 or expected_cost")
    refuse_bins(points, "mixtures lie on the hull of all scores")
    hull = points.hull()
    chosen: OperatingPoint | None = None
    for corner in range(len(hull) - 1):
        for share in _shares((confusion_at(hull, corner), confusion_at(hull, corner + 1)), rule, at):
            confusion = mixed(hull, corner, corner + 1, share)
            if not holds_all(rule.terms, confusion, at) or exact_or_none(objective, confusion, at) is None:
                continue
            if chosen and not is_better(objective, confusion, chosen.confusion, at):
                continue
            chosen = _point(hull, corner, share, confusion, at)
    return chosen


def _point(hull: Points, corner: int, share: Fraction, confusion: Confusion, at: Conditions) -> OperatingPoint:
    if share in (0, 1):
        return set_at(hull, corner + int(share), at)
    return replace(set_at(hull, corner, at), confusion=confusion, how=MIXTURE, share=rounded(share), **lower_at(hull, corner + 1))


def _shares(ends: Ends, rule: Rule, at: Conditions) -> Iterator[Fraction]:
    """Where an optimum can lie on an edge: at the ends of the stretch on which every term holds."""
    low, high = Fraction(0), Fraction(1)
    for term in rule.terms:
        bound = share_at(term.measure, ends, term.limit, at)
        if bound is None:
            continue
        if _holds_from(term, ends, at):
            low = max(low, bound)
        else:
            high = min(high, bound)
    if low <= high:
        yield low
        yield high


def _holds_from(term: Term, ends: Ends, at: Conditions) -> bool:
    """Whether the term holds beyond the place where its limit is reached, rather than before it."""
    before, after = (value_between(term.measure, ends, Fraction(part, 4), at) for part in (1, 3))
    if before is None or after is None:
        return False
    return (after > before) == (term.sense == ">=")
