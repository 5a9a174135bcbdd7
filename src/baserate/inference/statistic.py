"""A statistic by name, as a function of counts, and curves read at fixed places."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate.conditions import Conditions, Costs, checked_conditions
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves.areas import one_class
from baserate.curves.curve import PRIORS, mixed_points
from baserate.curves.named import CURVES, cost_curve, curve_named
from baserate.curves.summaries import SUMMARIES, Summary
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import choose, flag_at
from baserate.errors import Infeasible, InputError, Note, quoted, refuse
from baserate.inference.choose_again import prepare_choice
from baserate.inference.resample import (
    FlaggedRuns,
    Plan,
    Runs,
    Sample,
    Source,
    Weights,
    every_score,
    make_sample,
    replicate,
    roc_runs,
)
from baserate.inference.weight_statistics import (
    AreaUnderRoc,
    AtThreshold,
    AveragePrecision,
    KolmogorovSmirnov,
    float_costs,
)
from baserate.measures.confusion import (
    NOT_SAID,
    Measure,
    along,
    label_shift_of,
    named,
    rates_read,
    resolved_for,
)
from baserate.notation import checked_volume
from baserate.numbers import Floats
from baserate.results.operating_point import OperatingPoint

# ----------------------------------------------------------------------
# What a band is made of: a curve read at fixed places, so that the curves of resamples can be laid
# over each other.


PLACES = 100


@dataclass(frozen=True)
class Reader:
    """A curve as a function of counts: its value at each of the places `x`; NaN where it is
    undefined.
    """

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
    name, entry = curve_named(curve)
    conditions = checked_conditions(at)
    if entry is not None and entry.make is cost_curve:
        places = _places(x, np.arange(PLACES + 1) / PLACES)
        return Reader(
            name,
            "effective_prior",
            "normalized_cost",
            places,
            lambda counts: lowest_cost(counts, places),
            None,
            of_prior=False,
            chosen=True,
        )
    if entry is None or entry.read is None:
        known = ", ".join(short for short, one in CURVES.items() if one.has_band)
        raise refuse(
            "BR531",
            f"there is no band for {quoted(curve if isinstance(curve, str) else name or curve)}",
            f"one of {known}, or a measure with priors=[…]",
        )
    axis, measure = (Measure(part) for part in entry.read)
    # A share of no positives or no cases flags nothing, where a ratio of flagged cases is 0/0.
    places = _places(x, np.arange(0 if axis.name == "fpr" else 1, PLACES + 1) / PLACES)
    prior_free = not (axis.depends_on_prior or measure.depends_on_prior)
    return Reader(
        name,
        axis.name,
        measure.name,
        places,
        lambda counts: at_places(counts, axis, measure, conditions, places),
        None if prior_free else conditions,
        of_prior=not prior_free and conditions.as_in_sample,
    )


def _places(given: Any, usual: Floats) -> Floats:
    if given is None:
        return usual
    try:
        places = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        places = np.array(np.nan)
    if places.ndim != 1 or not len(places) or not ((places >= 0) & (places <= 1)).all():
        raise refuse("BR573", "a band is read at shares between 0 and 1", "x=[0.01, 0.05, 0.1]")
    return places


def at_places(
    counts: Counts | Points, axis: Measure, measure: Measure, at: Conditions, places: Floats
) -> Floats:
    """A measure where another one reaches given values: on the edge of the ROC that crosses them,
    at its better end.
    """
    points = Points.of(counts)
    if one_class(points):
        return np.full(len(places), np.nan)
    values = along(axis, points, at)
    # Along fpr the highest tpr at each place, along tpr the lowest fpr: the last point, or the
    # first, of those with that value.
    found = np.searchsorted(values, places, "right" if axis.name == "fpr" else "left") - 1
    edges = np.clip(found, 0, len(points) - 2)
    start, end = values[edges], values[edges + 1]
    length = end - start
    shares = np.divide(places - start, length, out=np.zeros(len(places)), where=length > 0)
    # At the very end: the last point, also where the last edge goes straight up.
    shares[found > edges] = 1.0
    inside = mixed_points(points, edges, shares)
    return np.asarray(
        along(
            measure, inside, resolved_for(points, at, [measure]) if measure.depends_on_prior else at
        )
    )


def lowest_cost(counts: Counts, places: Floats) -> Floats:
    """The normalized cost of the best threshold at each effective prior: the lower envelope of all
    lines.
    """
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
    measure: Any,
    priors: Sequence[Any] | None,
    *,
    costs: Any = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: Any = None,
) -> Reader:
    """A measure along the base rates: at a threshold that stays, or at the one that is chosen again
    for each of them.
    """
    asked = named(measure, volume)
    conditions = [Conditions(prior, costs) for prior in (PRIORS if priors is None else priors)]
    if not conditions or any(one.prior is None for one in conditions):
        raise refuse(
            "BR519", "a band along base rates needs base rates", "priors=[0.1, 0.01, 0.001]"
        )
    x = np.array([one.prior for one in conditions])

    def read(counts: Counts) -> Floats:
        points = Points.of(counts)
        if one_class(points):
            return np.full(len(x), np.nan)
        if rule is not None:
            return np.array([_chosen(points, asked, one, rule, volume) for one in conditions])
        known = conditions[0].costs
        if threshold is NOT_SAID:
            stakes = float(known.miss), float(known.false_alarm)
            return along_priors(asked, *cheapest_rates(points, x, *stakes), x, known)
        place = points.place(threshold)
        return along_priors(asked, points.tpr[place], points.fpr[place], x, known)

    if rule is not None and threshold is not NOT_SAID:
        raise refuse(
            "BR594", f"give a rule or a threshold for {asked}, not both", "give one of them"
        )
    if asked.needs_counts:
        raise refuse(
            "BR573",
            f"{asked} counts the cases of the sample: it does not change with the base rate",
            "alerts, caught or expected_cost",
        )
    return Reader(
        str(asked),
        "prior",
        str(asked),
        x,
        read,
        None,
        of_prior=False,
        of_roc=rule is None and threshold is NOT_SAID,
        threshold=threshold,
        costs=costs,
        chosen=threshold is NOT_SAID,
    )


def along_priors(asked: Measure, tpr: Any, fpr: Any, priors: Floats, costs: Costs) -> Floats:
    """A measure at one point, or at one point for each base rate."""
    t, f = (
        np.broadcast_to(np.asarray(rate, dtype=np.float64), priors.shape) for rate in (tpr, fpr)
    )
    return rates_read(asked, (t, f), priors, float_costs(costs))


def cheapest_rates(
    points: Points, priors: Floats, miss: Any, false_alarm: Any
) -> tuple[Floats, Floats]:
    """The rates at the cheapest corner of the hull, for each base rate and what a miss and a false
    alarm cost there; among equals the one that flags least.
    """
    hull = points.hull()
    fnr = hull.fn / hull.total_positives
    loss = np.outer(priors * miss, fnr) + np.outer((1 - priors) * false_alarm, hull.fpr)
    best = np.argmin(loss, axis=1)
    return hull.tpr[best], hull.fpr[best]


def _chosen(points: Points, asked: Measure, at: Conditions, rule: str, volume: Any) -> float:
    try:
        return float(choose(points, rule, at=at, volume=volume)[asked])
    except Infeasible:
        return np.nan


# ----------------------------------------------------------------------
# What is asked for: a summary, a measure at a threshold or a rule, or a function of one's own, as
# one function of counts.


@dataclass(frozen=True)
class Statistic:
    """A function of counts, and what a bootstrap needs to know of it.

    `runs` says which neighbouring scores it does not tell apart; `of_prior` that the sample's own
    prior enters, so that it has to be resampled too; `chosen` that the threshold is chosen again on
    every resample.
    """

    name: str
    value: Callable[[Counts], float]
    at: Conditions
    better: str = "higher"
    runs: Runs = every_score
    of_prior: bool = True
    chosen: bool = False
    measure: Measure | None = None
    threshold: Any = NOT_SAID
    # Does a rule choose, and not the cost alone?
    ruled: bool = False
    # The point at which a chosen threshold is set on these counts.
    point_of: Callable[[Counts], OperatingPoint] | None = None
    is_auc: bool = False
    # Does the prior or the cost that it is asked at change it?
    at_matters: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)
    # Its value in many resamples at once; without it they are made into counts one by one.
    of_weights: Callable[[Weights], Floats] | None = None

    def __call__(self, counts: Counts) -> float:
        """Its value; NaN where it is undefined, or where no threshold satisfies the rule."""
        try:
            return float(self.value(counts))
        except Infeasible:
            return math.nan

    def tried(self, counts: Counts) -> float:
        """Its value on a resample, which may lack a class: NaN for what it does not determine."""
        try:
            return float(self.value(counts))
        except InputError:
            return math.nan

    @property
    def fixed(self) -> bool:
        """Is it a measure at a threshold that stays where it is?"""
        return self.measure is not None and not self.chosen


def is_known(function: Any) -> bool:
    """Is it one of the summaries, of which it is known which way is better?"""
    entry = SUMMARIES.get(getattr(function, "__name__", ""))
    return entry is not None and entry.function is function


def directed(statistic: Statistic, better: str | None) -> Statistic:
    """The same, with what is better said; what is known of a measure or summary is not to be said
    otherwise.
    """
    if better is None:
        return statistic
    if better not in ("higher", "lower"):
        raise refuse(
            "BR594", f'better is "higher" or "lower", got {quoted(better)}', 'better="lower"'
        )
    return replace(statistic, better=better)


def statistic_of(
    asked: Any,
    *,
    at: Conditions | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    optimize: str | Measure | None = None,
) -> Statistic:
    """The statistic requested, or the reason why it cannot be read."""
    conditions = checked_conditions(at)
    if isinstance(asked, str) and asked.strip().partition("(")[0].strip() in SUMMARIES:
        asked = Summary.parse(asked)
    if isinstance(asked, str | Measure):
        return _of_measure(
            named(asked, checked_volume(volume)), conditions, rule, threshold, volume, optimize
        )
    if not callable(asked):
        raise refuse(
            "BR594",
            f"a statistic is a function of Counts or the name of a measure, got {quoted(asked)}",
            'br.auc, or "precision"',
        )
    if volume is not None:
        raise refuse(
            "BR532",
            "`volume` has no effect on this statistic",
            "leave volume out",
        )
    if rule is not None or threshold is not NOT_SAID or optimize is not None:
        raise refuse(
            "BR594",
            "a rule or threshold belongs to a measure; this statistic is a function of all counts",
            'use "precision"',
        )
    return (
        _described(asked.name, str(asked), lambda counts: asked(counts, conditions), conditions)
        if isinstance(asked, Summary)
        else _of_function(asked, conditions)
    )


def _of_measure(
    asked: Measure,
    at: Conditions,
    rule: str | None,
    threshold: Any,
    volume: float | None,
    optimize: str | Measure | None,
) -> Statistic:
    if threshold is not NOT_SAID and (rule is not None or optimize is not None):
        raise refuse(
            "BR594", f"give a rule or a threshold for {asked}, not both", "give one of them"
        )
    if (
        volume is not None
        and not asked.counts_cases
        and not any(term.measure.counts_cases for term in parse_rule(rule, volume).terms)
    ):
        raise refuse(
            "BR532",
            f"{asked.name} does not count cases, so `volume` has no effect on it",
            "leave volume out",
        )
    if threshold is not NOT_SAID:

        def value(counts: Counts) -> float:
            return flag_at(counts, threshold, at=at, volume=volume)[asked]

        return Statistic(
            str(asked),
            value,
            at,
            asked.direction,
            of_prior=asked.depends_on_prior and at.as_in_sample,
            measure=asked,
            threshold=threshold,
            range=asked.range,
            at_matters=asked.depends_on_prior,
            runs=FlaggedRuns(threshold),
            of_weights=AtThreshold(asked, at),
        )

    def chosen(counts: Counts) -> OperatingPoint:
        return choose(counts, rule, at=at, volume=volume, optimize=optimize)

    return Statistic(
        str(asked),
        lambda counts: chosen(counts)[asked],
        at,
        asked.direction,
        of_prior=at.as_in_sample,
        chosen=True,
        measure=asked,
        ruled=rule is not None,
        point_of=chosen,
        range=asked.range,
        # A threshold inside a run of negatives costs more than one before it.
        runs=every_score if rule is not None else roc_runs,
    )


def _of_function(function: Callable[..., Any], at: Conditions) -> Statistic:
    name = getattr(function, "__name__", "statistic")
    known = is_known(function)
    takes_at = "at" in _parameters(function)
    if not takes_at and not known and (at.costs_given or not at.as_in_sample):
        raise refuse(
            "BR594",
            f"{quoted(name)} takes no conditions",
            "define it with a parameter at, or leave at out",
        )
    call = (lambda counts: function(counts, at=at)) if takes_at else function
    if known:
        return _described(name, name, call, at)
    return Statistic(name, call, at, of_prior=at.as_in_sample)


def _described(name: str, shown: str, call: Callable[[Counts], float], at: Conditions) -> Statistic:
    entry = SUMMARIES[name]
    if not entry.single:
        raise refuse("BR594", f"{name} gives more than one number", "choose one of them")
    return Statistic(
        shown,
        call,
        at,
        entry.direction,
        # Strips between all points are not those between corners (ERRATA): such a value changes
        # where runs of negatives are merged.
        runs=every_score if entry.of_scores or "segments" in shown else roc_runs,
        of_prior=entry.takes_at and at.as_in_sample,
        is_auc=shown == "auc",
        range=entry.range,
        at_matters=entry.takes_at,
        of_weights=_of_weights(shown, at),
    )


def _of_weights(name: str, at: Conditions) -> Callable[[Weights], Floats] | None:
    """The summary of this name as a function of weights, where there is one."""
    if name == "auc":
        return AreaUnderRoc()
    if name == "average_precision":
        return AveragePrecision(None if at.as_in_sample else at.prior)
    return KolmogorovSmirnov() if name == "ks" else None


@dataclass(frozen=True)
class EachResample:
    """A statistic of one model that is called for one resample after the other."""

    statistic: Statistic
    sample: Sample
    model: int

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample."""
        resamples = zip(*weights, strict=True)
        parts = (self.sample.make_counts(self.model, *each) for each in resamples)
        return np.array([self.statistic.tried(part) for part in parts])


@dataclass(frozen=True)
class ModelStatistics:
    """One statistic for each model, side by side."""

    statistics: Sequence[Callable[[Weights], Floats]]

    def __call__(self, *weights: Weights) -> Floats:
        """Return their values: an array of shape (resamples, models)."""
        of_models = zip(self.statistics, weights, strict=True)
        return np.stack([statistic(weights) for statistic, weights in of_models], axis=1)


def prepare_statistic(statistic: Statistic, counts: Counts) -> Statistic:
    """Return the statistic with what many resamples are read by, where it chooses a threshold."""
    if statistic.point_of is None or statistic.measure is None:
        return statistic
    point = statistic.point_of(counts)
    runs, of_weights = prepare_choice(point, statistic.measure, counts)
    return replace(statistic, runs=runs, of_weights=of_weights)


def replicate_values(
    statistics: Statistic | Sequence[Statistic], source: Source, plan: Plan
) -> Floats:
    """Return the statistic of every resample, NaN where it is undefined, one column per model.

    Several statistics are for the models in turn.
    """
    if isinstance(source, JointCounts):
        models = [source.marginal(name) for name in source.models]
    else:
        models = [source.total() if isinstance(source, GroupedCounts) else source]
    if isinstance(statistics, Statistic):
        statistics = [statistics] * len(models)
    prepared = [
        prepare_statistic(one, counts) for one, counts in zip(statistics, models, strict=True)
    ]
    sample = make_sample(source, [one.runs for one in prepared])
    by_model = [
        one.of_weights or EachResample(one, sample, model) for model, one in enumerate(prepared)
    ]
    return replicate(sample, ModelStatistics(by_model), plan)


def shifted(statistic: Statistic, counts: Counts) -> tuple[Note, ...]:
    """The assumption behind a number at another base rate than the sample's."""
    return label_shift_of(statistic.at, Points.of(counts)) if statistic.at_matters else ()


def _parameters(function: Callable[..., Any]) -> Any:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
