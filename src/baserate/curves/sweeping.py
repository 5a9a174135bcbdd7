"""`sweep`: one measure along the conditions, with the point chosen again at each of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.curves.values import Curve
from baserate.decisions.choosing import choose, flag_at
from baserate.decisions.operating import OperatingPoint
from baserate.errors import Infeasible, refuse
from baserate.measures.confusions import NOT_SAID, measure
from baserate.measures.values import Measure, named
from baserate.notes import Note
from baserate.points import Points, refuse_bins

# From one in a million to one in two, ten a decade.
SAID = ("BR525", "BR526", "BR528")
PRIORS = tuple(float(f"{10 ** (-6 + i / 10):.6g}") for i in range(58))


def sweep(
    counts: Counts | Points,
    y: str | Measure,
    *,
    priors: Iterable[Any] = PRIORS,
    costs: Costs | None = None,
    rule: str | None = None,
    threshold: float | None = NOT_SAID,
    volume: float | None = None,
) -> Curve:
    """How does a measure change with the base rate? x = prior, y = the measure.

    At each prior the point is chosen again, by cost or by a rule; with a `threshold` it stays where it is. NaN where no point keeps the
    rule, or where the measure is undefined; thresholds are NaN there too, and where nothing is flagged.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[60, 30, 10], negatives=[1, 20, 79])
    >>> curve = br.sweep(counts, "posfrac", priors=[0.5, 0.1, 0.001], rule="tpr >= 0.9")
    >>> curve.y.round(4)
    array([0.555 , 0.279 , 0.2107])
    """
    asked, points = named(y, volume), Points.of(counts)
    conditions = [Conditions(prior, costs) for prior in priors]
    if not conditions or any(one.prior is None for one in conditions):
        raise refuse("BR519", "a sweep needs base rates to go along", "priors=[0.5, 0.1, 0.001]")
    if rule is not None and threshold is not NOT_SAID:
        raise refuse("BR533", "a sweep keeps one threshold, or chooses again by a rule, not both", "leave one of them out")
    if threshold is NOT_SAID:
        refuse_bins(points, "a threshold that is chosen anew at each base rate needs every score")
    read = [_point(points, at, rule, threshold, volume) for at in conditions]
    x = np.array([at.prior for at in conditions])
    values = np.array([np.nan if point is None else _value(asked, point) for point in read])
    thresholds = np.array([np.nan if point is None or point.threshold is None else float(point.threshold) for point in read])
    return Curve._of("sweep", ("prior", str(asked)), (x, values, thresholds), None, counts, _notes(conditions, read))


def _notes(conditions: list[Conditions], read: list[OperatingPoint | None]) -> tuple[Note, ...]:
    """What there is to say, once: the assumption for all base rates together, and how points were chosen."""
    said = {note.code: note for point in read if point is not None for note in point.notes if note.code in SAID}
    priors = sorted(at.prior for at in conditions)
    span = f"{priors[0]:.6g} to {priors[-1]:.6g}"
    shift = Note("BR526", f"read at priors from {span}: this assumes label shift only (the scores of each class keep their distribution)")
    first = (shift,) if "BR526" in said else ()
    return (*first, *(note for code, note in said.items() if code != "BR526"))


def _point(points: Points, at: Conditions, rule: str | None, threshold: Any, volume: float | None) -> OperatingPoint | None:
    if threshold is not NOT_SAID:
        return flag_at(points, threshold, at=at, volume=volume)
    try:
        return choose(points, rule, at=at, volume=volume)
    except Infeasible:
        return None


def _value(asked: Measure, point: OperatingPoint) -> float:
    return float(measure(asked, point.confusion, at=point.at))


def precision_prior_curve(counts: Counts | Points, threshold: float | None, *, priors: Iterable[Any] = PRIORS) -> Curve:
    """How pure are the alerts of one threshold, at every base rate? x = prior, y = precision.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.precision_prior_curve(counts, 0.35, priors=[0.5, 0.01]).y.round(4)
    array([0.6667, 0.0198])
    """
    return sweep(counts, "precision", priors=priors, threshold=threshold)


def npv_prior_curve(counts: Counts | Points, threshold: float | None, *, priors: Iterable[Any] = PRIORS) -> Curve:
    """How safe is what one threshold passes, at every base rate? x = prior, y = npv.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.npv_prior_curve(counts, 0.8, priors=[0.5, 0.01]).y.round(4)
    array([0.6667, 0.995 ])
    """
    return sweep(counts, "npv", priors=priors, threshold=threshold)
