"""What merged scores leave open: thresholds of the exact scores may lie inside runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import Array
from baserate.counts.points import Points, exact_scores_needed
from baserate.decisions.rules import TOLERANCE, Mask, Term
from baserate.errors import InputError, Note, quoted
from baserate.measures.confusion import Measure, measure, measure_along
from baserate.numbers import Floats
from baserate.results.operating_point import OperatingPoint

# Where cases are weighted, the least of them is not known: so little of an edge.
LITTLE = 2.0**-30


class Hidden:
    """The edges inside which thresholds may be hidden, and between which values a measure lies
    there.

    Every measure rises or falls throughout with tp, and with fp, wherever it is defined; so it is
    lowest and highest at the outermost outcomes that are possible, or next to them where it is
    undefined there.
    """

    def __init__(self, points: Points) -> None:
        self.edges = np.flatnonzero(points.merged)
        self._outermost = list(_outermost(points, self.edges)) if len(self.edges) else []

    def __len__(self) -> int:
        return len(self.edges)

    def span(self, measure: Measure, at: Conditions) -> tuple[Floats, Floats]:
        """The lowest and the highest value inside each edge; NaN where the measure is undefined."""
        rows = np.array(
            [
                np.where(inside, measure_along(measure, points, at), np.nan)
                for points, inside in self._outermost
            ]
        )
        return np.fmin.reduce(rows), np.fmax.reduce(rows)

    def may_keep(self, terms: Sequence[Term], at: Conditions) -> Mask:
        """The edges inside which every term may hold, each for itself."""
        kept: Mask = np.ones(len(self), dtype=np.bool_)
        for term in terms if len(self) else ():
            low, high = self.span(term.measure, at)
            kept &= term.holds(high if term.sense == ">=" else low)
        return kept


def _outermost(points: Points, edges: Any) -> Iterator[tuple[Points, Mask]]:
    """Outcomes at the ends of an edge and next to them, in every combination; and whether they lie
    inside it, as both ends do not.
    """
    ours, theirs = (_places(values, edges) for values in (points.tp, points.fp))
    for tp in ours:
        for fp in theirs:
            inside = ((tp != ours[0]) | (fp != theirs[0])) & ((tp != ours[-1]) | (fp != theirs[-1]))
            yield (
                points.mixture(tp, fp, points.total_positives - tp, points.total_negatives - fp),
                inside,
            )


def _places(flagged: Array, edges: Any) -> list[Floats]:
    low, high = (flagged[places].astype(np.float64) for places in (edges, edges + 1))
    if (low == high).all():
        return [low]
    step = np.minimum(1.0, high - low) if flagged.dtype == np.int64 else (high - low) * LITTLE
    return [low, low + step, high - step, high]


def refuse_hidden_better(chosen: OperatingPoint, points: Points, question: Any) -> None:
    """Refuse a choice where a threshold inside merged scores may be better."""
    hidden, at, objective = Hidden(points), chosen.at, question.objective
    kept = hidden.may_keep(question.rule.terms, at)
    if not kept.any():
        return
    sign = 1.0 if objective.direction == "lower" else -1.0
    value = sign * measure(chosen.confusion, objective, at=at)
    low, high = hidden.span(objective, at)
    reach = np.where(kept, sign * (low if sign > 0 else high), np.nan)
    slack = TOLERANCE * abs(value)
    # Of equals the point that flags least is chosen, and that may be a hidden one, unless a budget
    # is to be used up.
    place = points.place(chosen.threshold)
    with np.errstate(invalid="ignore"):
        better = (reach < value - slack) | (
            (reach <= value + slack) & (hidden.edges < place) & (not question.use_up_budget)
        )
    if better.any():
        raise may_lie(points, hidden.edges[better], f"may have a better {objective.name}")


def refuse_infeasible(points: Points, terms: Sequence[Term], at: Conditions) -> None:
    """What no known point keeps, a threshold inside merged scores may keep: that is not known,
    rather than infeasible.
    """
    hidden = Hidden(points)
    kept = hidden.may_keep(terms, at)
    if kept.any():
        raise may_lie(points, hidden.edges[kept], "may satisfy the rule")


def refuse_hidden(points: Points, kept: Mask, asked: Iterable[tuple[Term, Conditions]]) -> None:
    """Where costs decide under a rule: inside a run of negatives no threshold is better than the
    run's beginning, if that satisfies the rule.

    `kept` are the points that satisfy it; the condition is that each term holds at its conditions.
    """
    hidden = Hidden(points)
    may = ~kept[hidden.edges]
    for term, at in asked if may.any() else ():
        may &= hidden.may_keep([term], at)
    if may.any():
        raise may_lie(points, hidden.edges[may], "may satisfy the rule")


def nearer(
    points: Points, asked: Measure, target: float, nearest: OperatingPoint, at: Conditions
) -> InputError | None:
    """The refusal of the nearest threshold, where one inside merged scores may be nearer to the
    target.
    """
    hidden = Hidden(points)
    if not len(hidden):
        return None
    low, high = hidden.span(asked, at)
    reached = float(measure(nearest.confusion, asked, at=at))
    away = abs(reached - target)
    with np.errstate(invalid="ignore"):
        gap = np.maximum(0.0, np.maximum(low - target, target - high))
        # Where the measure stays as near all along, an end of the run is as near, and stands for
        # it.
        same = np.maximum(np.abs(low - reached), np.abs(high - reached)) <= TOLERANCE * abs(reached)
        near = hidden.edges[(gap <= away + TOLERANCE * abs(target)) & ~same]
    return (
        may_lie(points, near, f"may bring {asked.name} nearer to {target:.4g}")
        if len(near)
        else None
    )


def may_lie(points: Points, edges: Any, what: str) -> InputError:
    """The refusal of an answer that a threshold inside one of these edges may change."""
    first = int(edges[0])
    upper = points.threshold(first)
    low = quoted(points.threshold(first + 1))
    where = f"from {low} up" if upper is None else f"between {low} and {quoted(upper)}"
    return exact_scores_needed(
        f"a threshold {where} {what}, but the scores there were counted together"
    )


def curve_note(points: Points) -> tuple[Note, ...]:
    """What a reader of a curve through every threshold should know where scores were merged."""
    if not points.merged.any():
        return ()
    text = "runs of negatives were counted together: thresholds among them are not on this curve"
    return (Note("BR232", text),)
