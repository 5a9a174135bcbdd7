"""What a band is made of: a curve read at fixed places, so that the curves of resamples can be laid over each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.curves.sweeping import PRIORS
from baserate.curves.tracing import mixed_points
from baserate.decisions.choosing import choose
from baserate.errors import Infeasible, quoted, refuse
from baserate.exact import Floats
from baserate.measures.confusions import NOT_SAID, along, checked_conditions, resolved_for
from baserate.measures.outcomes import Outcomes
from baserate.measures.values import Measure, named
from baserate.points import Points
from baserate.summaries.ranking import one_class

# Along which axis each curve is read, and what is read there. Every axis is linear in the outcomes, so places on an edge are exact.
CURVES = {
    "roc": ("fpr", "tpr"),
    "det": ("fpr", "fnr"),
    "pr": ("tpr", "precision"),
    "broc": ("tpr", "fdr"),
    "posfrac_curve": ("tpr", "posfrac"),
    "gain_curve": ("posfrac", "tpr"),
    "lift_curve": ("posfrac", "lift"),
}
COST_CURVE = "cost_curve"
PLACES = 100
SHORT = {"posfrac": "posfrac_curve", "gain": "gain_curve", "lift": "lift_curve", "cost": COST_CURVE}


@dataclass(frozen=True)
class Reader:
    """A curve as a function of counts: its value at each of the places `x`; NaN where it is undefined."""

    name: str
    x_label: str
    y_label: str
    x: Floats
    read: Callable[[Counts], Floats]
    at: Conditions | None
    of_prior: bool
    of_roc: bool = True
    threshold: Any = NOT_SAID
    costs: Any = None
    # Is a threshold chosen at every place?
    chosen: bool = False


def curve_reader(curve: Any, at: Conditions | None, x: Any) -> Reader:
    """The curve of this name, or the function that makes it, read at `x`."""
    given = curve if isinstance(curve, str) else getattr(curve, "__name__", "")
    name = SHORT.get(given, given)
    conditions = checked_conditions(at)
    if name == COST_CURVE:
        places = _places(x, 0.0, 1.0, np.arange(PLACES + 1) / PLACES)
        read_cost = lambda counts: lowest_cost(counts, places)  # noqa: E731
        return Reader(name, "effective_prior", "normalized_cost", places, read_cost, None, of_prior=False, chosen=True)
    if name not in CURVES:
        known = ", ".join((*CURVES, COST_CURVE))
        raise refuse("BR569", f"there is no band for {quoted(given or curve)}", f"one of {known}, or a measure with priors=[…]")
    axis, measure = (Measure(part) for part in CURVES[name])
    # A share of no positives or no cases flags nothing, where a ratio of flagged cases is 0/0.
    usual = np.arange(0 if axis.name == "fpr" else 1, PLACES + 1) / PLACES
    places = _places(x, 0.0, 1.0, usual)
    prior_free = not (axis.depends_on_prior or measure.depends_on_prior)

    def read(counts: Counts) -> Floats:
        return at_places(counts, axis, measure, conditions, places)

    at_shown = None if prior_free else conditions
    return Reader(name, axis.name, measure.name, places, read, at_shown, of_prior=not prior_free and conditions.as_in_sample)


def _places(given: Any, low: float, high: float, usual: Floats) -> Floats:
    if given is None:
        return usual
    try:
        places = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        places = np.array(np.nan)
    if places.ndim != 1 or not len(places) or not ((places >= low) & (places <= high)).all():
        raise refuse("BR573", "a band is read at shares between 0 and 1", "x=[0.01, 0.05, 0.1]")
    return places


def at_places(counts: Counts | Points, axis: Measure, measure: Measure, at: Conditions, places: Floats) -> Floats:
    """A measure where another one reaches given values: on the edge of the ROC that crosses them, at its better end."""
    points = Points.of(counts)
    if one_class(points):
        return np.full(len(places), np.nan)
    values = along(axis, points, at)
    # Along fpr the highest tpr at each place, along tpr the lowest fpr: the last point, or the first, of those with that value.
    side = "right" if axis.name == "fpr" else "left"
    found = np.searchsorted(values, places, side) - 1  # type: ignore[call-overload]
    edges = np.clip(found, 0, len(points) - 2)
    start, end = values[edges], values[edges + 1]
    length = end - start
    shares = np.clip(np.divide(places - start, length, out=np.zeros(len(places)), where=length > 0), 0.0, 1.0)
    shares[found > edges] = 1.0  # at the very end: the last point, also where the last edge goes straight up
    inside = mixed_points(points, edges, shares)
    return np.asarray(along(measure, inside, resolved_for(points, at, [measure]) if measure.depends_on_prior else at))


def lowest_cost(counts: Counts, places: Floats) -> Floats:
    """The normalized cost of the best threshold at each effective prior: the lower envelope of all lines."""
    points = Points.of(counts)
    if one_class(points):
        return np.full(len(places), np.nan)
    hull = points.hull()
    fpr, fnr = hull.fpr, hull.fn / hull.total_positives
    across, up = np.diff(fpr), -np.diff(fnr)
    borders = across / (across + up)
    best = np.searchsorted(borders, places, "right")
    return np.asarray(places * fnr[best] + (1 - places) * fpr[best])


def prior_reader(
    measure: Any, priors: Sequence[Any] | None, *, costs: Any = None, rule: str | None = None, threshold: Any = NOT_SAID, volume: Any = None
) -> Reader:
    """A measure along the base rates: at a threshold that stays, or at the one that is chosen again for each of them."""
    asked = named(measure, volume)
    conditions = [Conditions(prior, costs) for prior in (PRIORS if priors is None else priors)]
    if not conditions or any(one.prior is None for one in conditions):
        raise refuse("BR519", "a band along base rates needs base rates", "priors=[0.1, 0.01, 0.001]")
    x = np.array([one.prior for one in conditions])

    def read(counts: Counts) -> Floats:
        points = Points.of(counts)
        if one_class(points):
            return np.full(len(x), np.nan)
        if rule is not None:
            return np.array([_chosen(points, asked, one, rule, volume) for one in conditions])
        if threshold is NOT_SAID:
            return along_priors(asked, *_cheapest(points, x, conditions[0].costs), x, conditions[0].costs)
        place = points.place(threshold)
        return along_priors(asked, points.tpr[place], points.fpr[place], x, conditions[0].costs)

    if rule is not None and threshold is not NOT_SAID:
        raise refuse("BR594", f"{asked} is asked for at a rule and at a threshold", "give one of them")
    if asked.needs_counts:
        raise refuse(
            "BR573", f"{asked} counts the cases of the sample: it does not change with the base rate", "alerts, caught or expected_cost"
        )
    of_roc = rule is None and threshold is NOT_SAID
    known: dict[str, Any] = {"threshold": threshold, "costs": costs, "chosen": threshold is NOT_SAID}
    return Reader(str(asked), "prior", str(asked), x, read, None, of_prior=False, of_roc=of_roc, **known)


def along_priors(asked: Measure, tpr: Any, fpr: Any, priors: Floats, costs: Costs) -> Floats:
    """A measure at one point, or at one point for each base rate."""
    t, f = (np.broadcast_to(np.asarray(rate, dtype=np.float64), priors.shape) for rate in (tpr, fpr))
    return rates_read(asked, (t, f), priors, tuple(float(getattr(costs, name)) for name in ("tp", "fp", "fn", "tn")))


def rates_read(
    asked: Measure, rates: tuple[Floats, Floats], prior: Any, costs: tuple[Any, ...], totals: tuple[Any, Any] = (1.0, 1.0)
) -> Floats:
    """A measure for arrays of rates, at base rates and costs (tp, fp, fn, tn) that may be arrays too."""
    (t, f), (tp, fp, fn, tn) = rates, costs
    counted = (totals[0] * t, totals[1] * f, totals[0] * (1 - t), totals[1] * (1 - f))
    outcomes = Outcomes(prior * t, (1 - prior) * f, prior * (1 - t), (1 - prior) * (1 - f), counted, fn - tp, fp - tn, (tp, fp, fn, tn))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.broadcast_to(np.asarray(asked.formula(outcomes), dtype=np.float64), t.shape)


def outcomes_read(asked: Measure, outcomes: tuple[Any, Any, Any, Any], at: Conditions) -> Floats:
    """A measure for arrays of tp, fp, fn and tn: at their own prior where that of the sample is asked for; NaN where it is undefined."""
    tp, fp, fn, tn = outcomes
    with np.errstate(divide="ignore", invalid="ignore"):
        t, f = tp / (tp + fn), fp / (fp + tn)
        own = (tp + fn) / (tp + fp + fn + tn)
    prior = own if at.as_in_sample or at.prior is None else np.full(t.shape, at.prior)
    costs = tuple(float(getattr(at.costs, name)) for name in ("tp", "fp", "fn", "tn"))
    values = rates_read(asked, (t, f), prior, costs, (tp + fn, fp + tn))
    return np.where(np.isfinite(values), values, np.nan)


def _cheapest(points: Points, priors: Floats, costs: Costs) -> tuple[Floats, Floats]:
    """The rates at the cheapest corner of the hull, for each base rate; among equals the one that flags least."""
    hull = points.hull()
    fpr, fnr = hull.fpr, hull.fn / hull.total_positives
    loss = np.outer(priors * float(costs.miss), fnr) + np.outer((1 - priors) * float(costs.false_alarm), fpr)
    best = np.argmin(loss, axis=1)
    return hull.tpr[best], fpr[best]


def _chosen(points: Points, asked: Measure, at: Conditions, rule: str, volume: Any) -> float:
    try:
        return float(choose(points, rule, at=at, volume=volume)[asked])
    except Infeasible:
        return np.nan
