"""`trace`: any two measures along the thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.curves.values import Curve
from baserate.decisions.merged import curve_note
from baserate.exact import EXACT_FLOATS, Floats
from baserate.measures.confusions import along, checked_conditions, label_shift_of, resolved_for
from baserate.measures.values import Measure, named
from baserate.notes import Note
from baserate.points import Points


def trace(
    counts: Counts | Points,
    *,
    x: str | Measure,
    y: str | Measure,
    at: Conditions | None = None,
    volume: float | None = None,
    every: bool = True,
    name: str = "trace",
) -> Curve:
    """How do two measures go together, from nothing flagged to everything?

    One point a threshold, in step with `thresholds`; NaN where a measure is undefined. `every=False` leaves out points in the middle of a
    straight run of the ROC: the curve stays the same.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> x, y, thresholds = br.trace(counts, x="posfrac", y="precision", at=br.Conditions(prior=0.1))
    >>> y.round(3)
    array([  nan, 1.   , 0.1  , 0.182, 0.1  ])
    """
    across, up = named(x, volume), named(y, volume)
    points = Points.of(counts) if every else Points.of(counts).corners()
    conditions = checked_conditions(at)
    return traced(points, (across, up), conditions, source=counts, name=name, notes=curve_note(points, every=every))


def traced(
    points: Points,
    measures: tuple[Measure, Measure],
    at: Conditions,
    *,
    source: Counts | Points,
    name: str,
    limit: bool = False,
    notes: tuple[Note, ...] = (),
) -> Curve:
    """The curve of two measures along these points; with `limit`, its first point is the limit where nothing is flagged."""
    needs_prior = any(measure.depends_on_prior for measure in measures)
    resolved = resolved_for(points, at, measures) if needs_prior else None
    columns = [along(measure, points, at) for measure in measures]

    if limit:
        columns = [_limited(column) for column in columns]
    notes = (*notes, *rounded_thresholds(points), *(label_shift_of(resolved, points) if resolved is not None else ()))
    labels = (str(measures[0]), str(measures[1]))
    return Curve._of(
        name, labels, (columns[0], columns[1], points.thresholds), resolved, source, (*at.notes, *notes), _Between(points, measures, at, limit)
    )


@dataclass(frozen=True)
class _Between:
    """What the curve is between its points."""

    points: Points
    measures: tuple[Measure, Measure]
    at: Conditions
    limit: bool

    def __call__(self, edges: Any, shares: Any) -> tuple[Floats, Floats]:
        inside = mixed_points(self.points, edges, shares)
        x, y = (along(measure, inside, self.at) for measure in self.measures)
        return (_limited(x), _limited(y)) if self.limit else (x, y)


def _limited(values: Floats) -> Floats:
    """On the first edge from (0, 0) a ratio of flagged cases is constant: its value there is the limit at (0, 0), where it is 0/0."""
    if len(values) > 1 and np.isnan(values[0]):
        values = values.copy()
        known = np.flatnonzero(~np.isnan(values))
        values[0] = values[known[0]] if len(known) else values[0]
    return values


def rounded_thresholds(points: Points) -> tuple[Note, ...]:
    """Integers that floats cannot hold apart are merged on a curve's axis of thresholds, and nowhere else."""
    scores = points.scores
    if scores.dtype != np.int64 or not len(scores) or max(abs(int(scores[0])), abs(int(scores[-1]))) <= EXACT_FLOATS:
        return ()
    return (Note("BR572", "scores beyond 2^53: thresholds of a curve are rounded to floats; those of operating points are exact"),)


def mixed_points(points: Points, edges: Any, shares: Any) -> Points:
    """Points so far along some of the edges; their outcomes are no longer whole."""
    columns = []
    for values in (points.tp, points.fp, points.fn, points.tn):
        start, end = values[edges].astype(np.float64), values[edges + 1].astype(np.float64)
        # Weighted means of both ends: exact at the ends, and never below 0.
        columns.append(start * (1 - shares) + end * shares)
    return points.mixture(*columns)
