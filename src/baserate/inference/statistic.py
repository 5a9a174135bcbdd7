"""A statistic by name, as a function of counts, and curves read at fixed places."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate.conditions import Conditions, Nodes, checked_conditions
from baserate.counts.counts import Counts
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
    AreaUnderRoc,
    AtThreshold,
    AveragePrecision,
    FlaggedRuns,
    KolmogorovSmirnov,
    Plan,
    Runs,
    Sample,
    Source,
    Weights,
    every_score,
    make_sample,
    replicate,
    roc_runs,
    totals_of,
)
from baserate.measures.confusion import (
    NOT_SAID,
    Measure,
    label_shift_of,
    measure_along,
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
    at: Conditions | None = None
    of_prior: bool = False
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
        labels = name, "effective_prior", "normalized_cost"
        return Reader(*labels, places, LowestCost(places), chosen=True)
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
    moves = axis.depends_on_prior or measure.depends_on_prior
    return Reader(
        name,
        axis.name,
        measure.name,
        places,
        AlongAxis(axis, measure, conditions, places),
        conditions if moves else None,
        of_prior=moves and conditions.as_in_sample,
    )


@dataclass(frozen=True, eq=False)
class AlongAxis:
    """A measure where another one reaches given values."""

    axis: Measure
    measure: Measure
    at: Conditions
    places: Floats

    def __call__(self, counts: Counts) -> Floats:
        """Return it at every place."""
        return at_places(counts, self.axis, self.measure, self.at, self.places)


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
    values = measure_along(axis, points, at)
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
        measure_along(
            measure, inside, resolved_for(points, at, [measure]) if measure.depends_on_prior else at
        )
    )


@dataclass(frozen=True, eq=False)
class LowestCost:
    """The normalized cost of the best threshold at each effective prior: the lower envelope of all
    lines.
    """

    places: Floats

    def __call__(self, counts: Counts) -> Floats:
        """Return it at every place."""
        points, places = Points.of(counts), self.places
        if one_class(points):
            return np.full(len(places), np.nan)
        hull = points.hull()
        fpr, fnr = hull.fpr, hull.fn / hull.total_positives
        across, up = np.diff(fpr), -np.diff(fnr)
        best = np.searchsorted(across / (across + up), places, "right")
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
    statistic = _of_measure(asked, conditions[0], rule, threshold, volume, None)
    if asked.needs_counts:
        raise refuse(
            "BR573",
            f"{asked} counts the cases of the sample: it does not change with the base rate",
            "alerts, caught or expected_cost",
        )
    x = np.array([one.prior for one in conditions])
    chosen = threshold is NOT_SAID
    return Reader(
        str(asked),
        "prior",
        str(asked),
        x,
        AlongPriors(statistic, conditions),
        of_roc=rule is None and chosen,
        threshold=threshold,
        costs=costs,
        chosen=chosen,
    )


@dataclass(frozen=True)
class AlongPriors:
    """A statistic at each of several conditions that are known exactly."""

    statistic: Statistic
    conditions: Sequence[Conditions]

    def __call__(self, counts: Counts) -> Floats:
        """Return it at each of them."""
        if one_class(Points.of(counts)):
            return np.full(len(self.conditions), np.nan)
        if not self.statistic.reads_rates:
            return np.array([replace(self.statistic, at=at)(counts) for at in self.conditions])
        nodes = [at.nodes() for at in self.conditions]
        columns = zip(*nodes, strict=True)
        return self.statistic.at_nodes(counts, Nodes(*map(np.concatenate, columns)))


# ----------------------------------------------------------------------
# What is asked for: a summary, a measure at a threshold or a rule, or a function of one's own, as
# one function of counts.


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A number that is read of counts under conditions, and what a bootstrap needs to know of it.

    Attributes
    ----------
    name : str
        As it is shown.
    at : Conditions
        Where it is read; known exactly.
    better : str
        Which way is better, "higher" or "lower".
    range : tuple of float
        Between which ends it lies.
    at_matters : bool
        Whether the prior or the cost changes it.
    measure : Measure or None
        Where it is a measure at a threshold.
    threshold : float or None
        Where the threshold stays.

    """

    name: str
    at: Conditions
    better: str = "higher"
    range: tuple[float, float] = (-math.inf, math.inf)
    at_matters: bool = True
    measure: Measure | None = None
    threshold: Any = NOT_SAID

    def value(self, counts: Counts) -> float:
        """Return its value, or refuse."""
        raise NotImplementedError

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

    def at_nodes(self, counts: Counts, nodes: Nodes) -> Floats:
        """Return its value at other conditions; NaN stands for the sample's own prior."""
        if self.reads_rates:
            return self._at_nodes(counts, nodes)
        names, columns = Nodes._fields[:-1], [column.tolist() for column in nodes[:-1]]
        every = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        for parts in every:
            parts["prior"] = None if math.isnan(parts["prior"]) else parts["prior"]
        return np.array([replace(self, at=self.at.given(**parts)).tried(counts) for parts in every])

    def _at_nodes(self, counts: Counts, nodes: Nodes) -> Floats:
        """Return its value at many conditions by the rates at each of them."""
        points, measure = Points.of(counts), self.measure
        if one_class(points) or measure is None:
            return np.full(len(nodes.prior), np.nan)
        prior = np.where(np.isnan(nodes.prior), points.prior, nodes.prior)
        rates = self.rates_at(points, nodes._replace(prior=prior))
        return rates_read(measure, rates, prior, (nodes.tp, nodes.fp, nodes.fn, nodes.tn))

    def rates_at(self, points: Points, nodes: Nodes) -> tuple[Floats, Floats]:
        """Return tpr and fpr at many conditions."""
        raise NotImplementedError

    @property
    def reads_rates(self) -> bool:
        """Can it be read at many conditions at once?"""
        return False

    @property
    def runs(self) -> Runs:
        """Which neighbouring scores it does not tell apart."""
        return every_score

    @property
    def of_weights(self) -> Callable[[Weights], Floats] | None:
        """Its value in many resamples at once; without it they are made into counts one by one."""
        return None

    @property
    def of_prior(self) -> bool:
        """Does the sample's own prior enter, so that it has to be resampled too?"""
        return self.at_matters and self.at.as_in_sample

    @property
    def fixed(self) -> bool:
        """Is it a measure at a threshold that stays where it is?"""
        return self.measure is not None and self.threshold is not NOT_SAID

    @property
    def chosen(self) -> bool:
        """Is it a measure at a threshold that every resample chooses again?"""
        return self.measure is not None and not self.fixed

    @property
    def ruled(self) -> bool:
        """Does a rule choose, and not the cost alone?"""
        return False

    @property
    def is_auc(self) -> bool:
        return False


@dataclass(frozen=True, kw_only=True)
class SummaryStatistic(Statistic):
    """A summary of a curve."""

    summary: Summary

    def value(self, counts: Counts) -> float:
        return self.summary(counts, self.at)

    @property
    def runs(self) -> Runs:
        # Strips between all points are not those between corners (ERRATA): such a value changes
        # where runs of negatives are merged.
        of_scores = SUMMARIES[self.summary.name].of_scores or "segments" in self.name
        return every_score if of_scores else roc_runs

    @property
    def of_weights(self) -> Callable[[Weights], Floats] | None:
        if self.is_auc:
            return AreaUnderRoc()
        if self.name == "average_precision":
            return AveragePrecision(None if self.at.as_in_sample else self.at.prior)
        return KolmogorovSmirnov() if self.name == "ks" else None

    @property
    def is_auc(self) -> bool:
        return self.name == "auc"


@dataclass(frozen=True, kw_only=True)
class OwnStatistic(Statistic):
    """A function of one's own."""

    function: Callable[..., Any]
    takes_at: bool

    def value(self, counts: Counts) -> float:
        found: float = self.function(counts, **({"at": self.at} if self.takes_at else {}))
        return found


@dataclass(frozen=True, kw_only=True)
class MeasureAtThreshold(Statistic):
    """A measure at a threshold that stays where it is."""

    measure: Measure
    volume: float | None

    def value(self, counts: Counts) -> float:
        return flag_at(counts, self.threshold, at=self.at, volume=self.volume)[self.measure]

    def rates_at(self, points: Points, nodes: Nodes) -> tuple[Floats, Floats]:
        place, length = points.place(self.threshold), len(nodes.prior)
        return np.full(length, points.tpr[place]), np.full(length, points.fpr[place])

    @property
    def reads_rates(self) -> bool:
        return not self.measure.needs_counts

    @property
    def runs(self) -> Runs:
        return FlaggedRuns(self.threshold)

    @property
    def of_weights(self) -> Callable[[Weights], Floats] | None:
        return AtThreshold(self.measure, self.at)


@dataclass(frozen=True, kw_only=True)
class MeasureAtChoice(Statistic):
    """A measure at the threshold that is chosen on the counts."""

    measure: Measure
    volume: float | None
    rule: str | None
    optimize: str | Measure | None

    def value(self, counts: Counts) -> float:
        return self.point_of(counts)[self.measure]

    def point_of(self, counts: Counts | Points) -> OperatingPoint:
        """Return the point that these counts choose."""
        options: dict[str, Any] = {"volume": self.volume, "optimize": self.optimize}
        return choose(counts, self.rule, at=self.at, **options)

    def rates_at(self, points: Points, nodes: Nodes) -> tuple[Floats, Floats]:
        """Return those of the cheapest corner of the hull; among equals the one that flags
        least.
        """
        hull = points.hull()
        fnr = hull.fn / hull.total_positives
        best = np.argmin(np.outer(nodes.miss, fnr) + np.outer(nodes.alarm, hull.fpr), axis=1)
        return hull.tpr[best], hull.fpr[best]

    @property
    def reads_rates(self) -> bool:
        return self.rule is None and self.optimize is None and not self.measure.needs_counts

    @property
    def runs(self) -> Runs:
        # A threshold inside a run of negatives costs more than one before it.
        return every_score if self.ruled else roc_runs

    @property
    def ruled(self) -> bool:
        return self.rule is not None


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
        measure = named(asked, checked_volume(volume))
        found = _of_measure(measure, conditions, rule, threshold, volume, optimize)
        counting = (measure, *(term.measure for term in parse_rule(rule, volume).terms))
        if volume is not None and not any(one.counts_cases for one in counting):
            raise refuse(
                "BR532",
                f"{measure.name} does not count cases, so `volume` has no effect on it",
                "leave volume out",
            )
        return found
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
    if is_known(asked):
        asked = Summary(asked.__name__)
    return (
        _of_summary(asked, conditions)
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
    common: dict[str, Any] = {
        "name": str(asked),
        "at": at,
        "better": asked.direction,
        "range": asked.range,
        "measure": asked,
        "volume": volume,
    }
    if threshold is NOT_SAID:
        return MeasureAtChoice(rule=rule, optimize=optimize, **common)
    matters = asked.depends_on_prior
    return MeasureAtThreshold(threshold=threshold, at_matters=matters, **common)


def _of_function(function: Callable[..., Any], at: Conditions) -> Statistic:
    name = getattr(function, "__name__", "statistic")
    takes_at = "at" in _parameters(function)
    if not takes_at and (at.costs_given or not at.as_in_sample):
        raise refuse(
            "BR594",
            f"{quoted(name)} takes no conditions",
            "define it with a parameter at, or leave at out",
        )
    return OwnStatistic(name=name, at=at, function=function, takes_at=takes_at)


def _of_summary(summary: Summary, at: Conditions) -> Statistic:
    entry = SUMMARIES[summary.name]
    if not entry.single:
        raise refuse("BR594", f"{summary.name} gives more than one number", "choose one of them")
    return SummaryStatistic(
        name=str(summary),
        at=at,
        better=entry.direction,
        range=entry.range,
        at_matters=entry.takes_at,
        summary=summary,
    )


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


def prepare_statistic(
    statistic: Statistic, counts: Counts
) -> tuple[Runs, Callable[[Weights], Floats] | None]:
    """Return the runs of scores that a statistic does not tell apart, and how many resamples are
    read at once, where that is possible.
    """
    if isinstance(statistic, MeasureAtChoice):
        return prepare_choice(statistic.point_of(counts), statistic.measure, counts)
    return statistic.runs, statistic.of_weights


def replicate_values(
    statistics: Statistic | Sequence[Statistic], source: Source, plan: Plan
) -> Floats:
    """Return the statistic of every resample, NaN where it is undefined, one column per model.

    Several statistics are for the models in turn.
    """
    models = totals_of(source)
    if isinstance(statistics, Statistic):
        statistics = [statistics] * len(models)
    prepared = [
        prepare_statistic(one, counts) for one, counts in zip(statistics, models, strict=True)
    ]
    sample = make_sample(source, [runs for runs, _ in prepared])
    by_model = [
        read or EachResample(statistics[model], sample, model)
        for model, (_, read) in enumerate(prepared)
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
