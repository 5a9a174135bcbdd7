"""What merged scores leave open: thresholds of the exact scores may lie inside runs and bins, and
these are the most they can do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import Array
from baserate.counts.points import Points, lacking
from baserate.decisions.operating_point import TIE, OperatingPoint
from baserate.decisions.rules import Term
from baserate.decisions.search import DOUBT, ROUNDING, Mask
from baserate.errors import InputError, quoted
from baserate.measures.confusion import along, measure
from baserate.measures.measure import Measure
from baserate.notes import Note
from baserate.numbers import Bounds, Floats

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
                np.where(inside, along(measure, points, at), np.nan)
                for points, inside in self._outermost
            ]
        )
        return np.fmin.reduce(rows), np.fmax.reduce(rows)

    def may_keep(self, terms: Sequence[Term], at: Conditions) -> Mask:
        """The edges inside which every term may hold, each for itself."""
        kept: Mask = np.ones(len(self), dtype=np.bool_)
        for term in terms if len(self) else ():
            low, high = self.span(term.measure, at)
            limit = float(term.limit)
            slack = DOUBT * abs(limit) + ROUNDING
            kept &= high >= limit - slack if term.sense == ">=" else low <= limit + slack
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


def settled(
    chosen: OperatingPoint,
    points: Points,
    terms: Sequence[Term],
    objective: Measure,
    known: OperatingPoint | None,
    *,
    use_up: bool,
) -> OperatingPoint:
    """What was chosen, if no threshold inside merged scores may be better; `known` is the best
    threshold that is known.

    For condensed counts anything else is refused; bins were requested, and give the point with
    bounds of what was made best.
    """
    hidden, at = Hidden(points), chosen.at
    kept = hidden.may_keep(terms, at)
    if not kept.any():
        return chosen
    if points.coarse and known is None:
        raise may_lie(points, hidden.edges[kept], "may satisfy the rule")
    sign = 1.0 if objective.direction == "lower" else -1.0
    value = sign * measure(chosen.confusion, objective, at=at)
    low, high = hidden.span(objective, at)
    reach = np.where(kept, sign * (low if sign > 0 else high), np.nan)
    slack = ROUNDING * max(1.0, abs(value))
    # Of equals the point that flags least is chosen, and that may be a hidden one, unless a budget
    # is to be used up.
    place = points.place(chosen.threshold)
    with np.errstate(invalid="ignore"):
        better = (reach < value - slack) | (
            (reach <= value + slack) & (hidden.edges < place) & (not use_up)
        )
    if not better.any() and not (points.coarse and chosen.how == TIE):
        return chosen
    if not points.coarse:
        raise may_lie(points, hidden.edges[better], f"may have a better {objective.name}")
    ends = [
        value,
        float(np.nanmin(reach)),
        sign * measure((known or chosen).confusion, objective, at=at),
    ]
    bounds = Bounds(*sorted((sign * min(ends), sign * max(ends))))
    return replace(chosen, bounds=bounds, notes=(bins_note(objective.name, bounds),))


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
        same = np.maximum(np.abs(low - reached), np.abs(high - reached)) <= DOUBT * abs(reached)
        near = hidden.edges[(gap <= away * (1 + DOUBT)) & ~same]
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
    return lacking(f"a threshold {where} {what}, but the scores there were counted together")


def curve_note(points: Points, *, every: bool = False, hull: bool = False) -> tuple[Note, ...]:
    """What a reader of a curve should know where scores were merged; corners and hull of condensed
    counts are those of all scores.
    """
    if points.coarse:
        line = (
            "with every score kept, this curve may be better"
            if hull
            else "what the curve does between two points is not known"
        )
        return (Note("BR232", f"scores were merged into bins: {line}"),)
    if every and points.merged.any():
        return (
            Note(
                "BR232",
                "runs of negatives were counted together: thresholds among them are not on this"
                " curve",
            ),
        )
    return ()


def bins_note(name: str, bounds: Bounds) -> Note:
    """Between which values the exact scores have it, in as many digits as tell these apart."""
    texts = ([f"{end:.{digits}g}" for end in bounds] for digits in range(4, 18))
    low, high = next(
        (pair for pair in texts if pair[0] != pair[1]), [f"{end:.4g}" for end in bounds]
    )
    return Note(
        "BR232",
        f"scores were merged into bins: with every score kept, {name} lies between {low} and"
        f" {high}",
    )
