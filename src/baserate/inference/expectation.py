"""`expect` and `expect_curve`: a measure or a curve where base rate and costs are not known
exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, product
from typing import Any, NamedTuple, Protocol

import numpy as np

from baserate.conditions import COARSE_PANELS, FINE_PANELS, Conditions, Nodes, told
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.named import CURVES, curve_named
from baserate.decisions.choose import NodeChoices
from baserate.decisions.operating_point import SHOW_ON_OTHERS
from baserate.decisions.regret import (
    check_conditions,
    note_assumption,
    own_prior,
    resolve_conditions,
    values_at,
)
from baserate.decisions.roc_geometry import corners, regions
from baserate.decisions.rules import parse_rule
from baserate.distributions import BELIEVED, Draws, Range
from baserate.errors import Fix, Note, combine, grouped, quoted, refuse
from baserate.inference.bands import CurveBounds
from baserate.inference.fixed_point import check_classes
from baserate.inference.statistic import at_places, curve_reader
from baserate.measures.confusion import (
    NOT_SAID,
    Confusion,
    Measure,
    confusion_at,
    in_costs,
    named,
    rates_read,
)
from baserate.measures.registry import Outcomes
from baserate.notation import checked_volume
from baserate.numbers import Floats, Undefined, Viewed, exactly
from baserate.results.operating_point import SAME_CASES, OperatingPoint
from baserate.results.values import checked_level, percent

# ----------------------------------------------------------------------
# What a model flags at many conditions at once: at a threshold that stays, or at the one that is
# chosen anew for each of them.


# A choice that changes between two places is followed this close.
CLOSE = 1e-13
# Places at which a choice under a rule is looked at, to see where it changes.
LOOKS = 401

Rates = tuple[Floats, Floats]


class Setting(Protocol):
    """How a model is set: what it flags at each node, (tpr, fpr), and where along one part of the
    conditions that changes: places just before and just after each change, in turn.
    """

    def rates(self, nodes: Nodes) -> Rates: ...

    def changes(self, at: Conditions, part: str, sample_prior: float) -> Floats: ...


@dataclass(frozen=True)
class Fixed:
    """One operating point, whatever the conditions."""

    tpr: float
    fpr: float

    def rates(self, nodes: Nodes) -> Rates:
        length = len(nodes.weights)
        return np.full(length, self.tpr), np.full(length, self.fpr)

    def changes(self, at: Conditions, part: str, sample_prior: float) -> Floats:  # noqa: ARG002
        return np.empty(0)


@dataclass(frozen=True)
class Cheapest:
    """The cheapest threshold: the one of these that lies between its borders of effective prior."""

    borders: Floats
    tpr: Floats
    fpr: Floats

    @classmethod
    def of(cls, points: Points) -> Cheapest:
        found = regions(corners({"model": points}))
        borders = [float(one.low) for one in found[1:]]
        ends = [(float(one.corner.y), float(one.corner.x)) for one in found]
        return cls(np.array(borders), *np.array(ends).T)

    def rates(self, nodes: Nodes) -> Rates:
        places = np.searchsorted(self.borders, nodes.miss / (nodes.miss + nodes.alarm))
        return self.tpr[places], self.fpr[places]

    def changes(self, at: Conditions, part: str, sample_prior: float) -> Floats:
        known = {
            name: sample_prior if value is None else float(value)
            for name, value in at.parts.items()
            if name != part
        }
        values = values_at(self.borders, {**known, part: 0.0}, part)
        return np.ravel(values[:, np.newaxis] * [1 - CLOSE, 1 + CLOSE])


@dataclass(frozen=True)
class Ruled:
    """The best threshold that satisfies a rule; no rates where none does."""

    choices: NodeChoices

    def rates(self, nodes: Nodes) -> Rates:
        return self.choices.rates(nodes)

    def changes(self, at: Conditions, part: str, sample_prior: float) -> Floats:
        """Find where the choice jumps along one part: seen between two of many places, and followed
        by bisection.
        """

        def label(values: Floats) -> Any:
            return self.choices.labels(nodes_along(at, {part: values}, sample_prior))

        spread = at.parts[part]
        looks = (
            np.array(spread.grid(LOOKS // 4))
            if isinstance(spread, Range)
            else np.sort(spread.places(LOOKS // 16).values)
        )
        seen = label(looks)
        jumps = np.flatnonzero(seen[1:] != seen[:-1])
        low, high, before = looks[jumps], looks[jumps + 1], seen[jumps]
        while (high - low > CLOSE * np.abs(high)).any():
            middle = (low + high) / 2
            if not ((low < middle) & (middle < high)).any():
                break
            same = label(middle) == before
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return np.column_stack((low, high)).ravel()


def nodes_along(at: Conditions, values: Mapping[str, Floats], sample_prior: float) -> Nodes:
    """Return nodes at these values of some parts, all with one weight; the others are known."""
    length = len(next(iter(values.values()), [0]))
    known = {
        name: np.full(length, sample_prior if part is None else float(part))
        for name, part in at.parts.items()
        if name not in values
    }
    return Nodes(**known, **values, weights=np.full(length, 1 / max(1, length)))


class Model(NamedTuple):
    """A model and how it is set."""

    name: str
    setting: Setting
    own_prior: Fraction | str

    @property
    def is_fixed(self) -> bool:
        """Does its threshold stay where it is?"""
        return isinstance(self.setting, Fixed)

    def values(self, asked: Measure, nodes: Nodes) -> Floats:
        """Return a measure at each node; NaN where it is undefined."""
        costs = (nodes.tp, nodes.fp, nodes.fn, nodes.tn)
        return rates_read(asked, self.setting.rates(nodes), nodes.prior, costs)

    def pooled(self, asked: Measure, nodes: Nodes) -> float:
        """Return a share of outcomes over all nodes together."""
        tpr, fpr = self.setting.rates(nodes)
        p, n = nodes.prior, 1 - nodes.prior
        costs = (nodes.tp, nodes.fp, nodes.fn, nodes.tn)
        shares = (p * tpr, n * fpr, p * (1 - tpr), n * (1 - fpr))
        outcomes = Outcomes(*shares, shares, nodes.fn - nodes.tp, nodes.fp - nodes.tn, costs)
        parts = asked.parts(outcomes, **dict(asked.parameters)) if asked.parts else ()
        above, below = (nodes.average(np.broadcast_to(part, p.shape)) for part in parts)
        return above / below if below else math.nan


# What sets the threshold: a rule, a threshold, and the volume of the rule.
How = tuple[str | None, Any, float | None]


def set_model(name: str, counts: Any, how: How, asked: Measure, at: Conditions) -> Model:
    """Return a model at a threshold, by a rule (with its volume), or at the least cost."""
    rule, threshold, volume = how
    if isinstance(counts, Confusion | OperatingPoint):
        if rule is not None or threshold is not NOT_SAID:
            raise refuse(
                "BR594",
                "this point is already set: a rule or threshold belongs to Counts",
                "leave them out",
            )
        confusion = counts.confusion if isinstance(counts, OperatingPoint) else counts
        return _fix_model(name, confusion, asked)
    if not isinstance(counts, Counts | Points):
        raise refuse(
            "BR429",
            "a measure is read of Counts, a Confusion or an OperatingPoint, got"
            f" {type(counts).__name__}",
            "count(...)",
        )
    points = Points.of(counts)
    check_classes(confusion_at(points, 0))
    if rule is not None and threshold is not NOT_SAID:
        raise refuse("BR594", "a measure is given a rule and a threshold", "give one of them")
    if threshold is not NOT_SAID:
        return _fix_model(name, confusion_at(points, points.place(threshold)), asked)
    if rule is None:
        return Model(name, Cheapest.of(points), own_prior(points, [asked]))
    rules = parse_rule(rule, volume)
    own = own_prior(points, [asked, *(term.measure for term in rules.terms)])
    return Model(name, Ruled(NodeChoices(points, rules, costs_given=at.costs_given)), own)


def _fix_model(name: str, confusion: Confusion, asked: Measure) -> Model:
    check_classes(confusion)
    tp, fp, fn, tn = (exactly(cases) for cases in confusion)
    setting = Fixed(float(tp / (tp + fn)), float(fp / (fp + tn)))
    return Model(name, setting, own_prior(confusion, [asked]))


# ----------------------------------------------------------------------
# `expect`: what a measure comes to where base rate and costs are not known exactly.


UNKNOWN, VARYING = "unknown", "varying"
NO_AVERAGE = "a range has no average, only a lowest and a highest value"
NOT_KEPT = "the rule cannot be satisfied in part of what is possible"
NO_ENDS = "a distribution without ends has no worst and best"
# Places over a range, where a measure may turn inside it.
STEPS, COST_STEPS = 65, 9
# Plain averages over cases: straight lines in the base rate.
STRAIGHT = ("posfrac", "accuracy", "error", "expected_cost", "net_benefit")


@dataclass(frozen=True)
class Expectation(Viewed):
    """What a measure comes to over uncertain conditions.

    `value` is its average over the assumed distribution (or, where the base rate varies, its
    long-run value), with `error` a bound on the error of the integration; undefined over a range,
    which has no average. From `low` to `high` it lies in `level` of the assumed distribution, over
    all of a range together; `worst` and `best` are over everything possible. `optimized` says by
    what the threshold was chosen anew for every value of the conditions, "tpr" under a budget
    without costs; it is empty for a threshold that stays. Cases are taken as they are: for sampling
    error too, see `interval`.
    """

    value: float
    low: float
    high: float
    worst: float
    best: float
    name: str
    at: Conditions
    level: float = 0.95
    kind: str = ""
    error: float = 0.0
    optimized: str = ""
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        value = (
            "no average" if isinstance(self.value, Undefined) else f"{self.value:.4g} on average"
        )
        kind = f", base rate {self.kind}" if self.kind else ""
        spread = f"{100 * self.level:g} % from {self.low:.4g} to {self.high:.4g}"
        where = told(self.at, by_cost=in_costs(self.optimized, self.name))
        return f"Expectation: {self.name} {value}, {spread}{kind}; at {where}"


@dataclass(frozen=True)
class _Question:
    """What is read, of one model or of the difference of two, and at which conditions; the sample's
    own prior stands for one that is not given.
    """

    measure: Measure
    models: tuple[Model, ...]
    at: Conditions
    sample_prior: float
    level: float

    def values(self, nodes: Nodes) -> Floats:
        """Return the measure, or the difference of two models, at every node."""
        values = [model.values(self.measure, nodes) for model in self.models]
        return values[0] if len(values) == 1 else values[1] - values[0]

    def nodes(self, at: Conditions, **how: Any) -> Nodes:
        """Return the nodes of conditions without a range."""
        return at.nodes(sample_prior=self.sample_prior, **how)

    def along(self, at: Conditions, **values: Floats) -> Floats:
        """Return the measure at these values of some parts."""
        return self.values(nodes_along(at, values, self.sample_prior))

    @property
    def is_fixed(self) -> bool:
        """Do all thresholds stay where they are?"""
        return all(model.is_fixed for model in self.models)

    @property
    def is_straight(self) -> bool:
        """Is the measure a plain average over cases?"""
        return self.measure.name in STRAIGHT or self.measure.counts_cases

    @property
    def is_pooled(self) -> bool:
        """Is its long-run value another one than its average? Where the threshold follows the base
        rate, that of rates is too: tpr is weighted by the positives of each day.
        """
        return (self.measure.depends_on_prior or not self.is_fixed) and not self.is_straight

    @property
    def is_plain(self) -> bool:
        """Does the measure rise or fall all along every part while the threshold stays? A quotient
        of straight lines does.
        """
        return bool(self.measure.parts) or not self.measure.depends_on_prior or self.is_straight

    @property
    def is_monotone(self) -> bool:
        """Does the value rise or fall all along every part?"""
        return len(self.models) == 1 and self.is_fixed and self.is_plain

    @property
    def spans(self) -> dict[str, Any]:
        """The parts that may lie anywhere between two ends."""
        names = (*self.at.ranges, *self.at.smooth)
        return {name: part for name, part in self.at.parts.items() if name in names}

    @property
    def is_exact(self) -> bool:
        """Are worst and best at the ends and at the borders of the choice? Of one model, yes; of
        two, along one part, if straight.
        """
        if self.is_monotone:
            return True
        ruled = any(isinstance(model.setting, Ruled) for model in self.models)
        if ruled or (self.spans and has_draws(self.at)):
            return False
        if len(self.models) == 1:
            return self.is_plain
        straight = self.is_straight or not self.measure.depends_on_prior
        return not self.spans or (len(self.spans) == 1 and straight)


def has_draws(at: Conditions) -> bool:
    """Are values of some parts given one by one?"""
    return len(at.believed) > len(at.smooth)


def expect(  # noqa: PLR0913 (each is a question of its own)
    counts: Counts | Points | Confusion | OperatingPoint | Mapping[str, Counts | Points],
    measure: str | Measure,
    *,
    at: Conditions,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    kind: str | None = None,
    volume: float | None = None,
    level: float = 0.95,
) -> Expectation:
    """What does this measure come to over all assumed or possible values of base rate and
    costs?

    Read at a `threshold`, or where a `rule` (or the least cost) chooses it anew for every value of
    the conditions; with a budget and no costs, the one that catches most within it. Of two models
    by name, the difference of the second and the first. Where the base rate is a distribution and
    the measure is no plain average over it, `kind` must say which question is meant: "unknown", one
    true base rate that is not known, gives the average of the measure; "varying", from day to day
    or site to site, gives its long-run value, all cases pooled.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    >>> days = br.Conditions(prior=br.LogUniform(1e-4, 1e-2))
    >>> found = expect(counts, "precision", threshold=3, at=days, kind="unknown")
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
    (0.3611, 0.0481, 0.8019)
    >>> round(expect(counts, "precision", threshold=3, at=days, kind="varying").value, 4)
    0.4923
    """
    if check_conditions(at).is_exact:
        raise refuse(
            "BR519",
            "these conditions are exact, so there is nothing to average",
            'measure(counts, "precision", …, at=at), or at=Conditions(prior="1e-5..1e-3")',
        )
    asked = named(measure, checked_volume(volume))
    models = _set_models(asked, counts, (rule, threshold, volume), at)
    corner = resolve_conditions(at.corners()[0], models[0].own_prior)
    question = _Question(asked, models, at, float(corner.exact_prior), checked_level(level))
    kind = _check_kind(kind, at, str(asked) if question.is_pooled else "")
    if kind == VARYING and question.is_pooled and asked.parts is None:
        raise refuse(
            "BR588",
            f"{asked} is not a share of outcomes, so it has no long-run value",
            f'kind="{UNKNOWN}"',
        )
    value, error = (Undefined(NO_AVERAGE), 0.0) if at.has_range else _average(question, kind)
    worst, best, holes = _find_extremes(question)
    low, high = _bounds(question) if at.believed else sorted((worst, best))
    if holes and rule is not None:
        worst = best = low = high = Undefined(NOT_KEPT)
    name = str(asked) if len(models) == 1 else f"{asked} of {models[1].name} - {models[0].name}"
    notes = combine(note_assumption(at), _notes(question, rule, holes=holes))
    uses_budget = parse_rule(rule, volume).budget is not None and not at.costs_given
    optimized = "tpr" if uses_budget else "expected_cost"
    return Expectation(
        value,
        low,
        high,
        worst,
        best,
        name,
        at,
        question.level,
        kind,
        error,
        "" if question.is_fixed else optimized,
        notes,
    )


def _notes(question: _Question, rule: str | None, *, holes: bool) -> list[Note]:
    """Return notes of where a range was searched, where the measure is undefined, and of thresholds
    that are evaluated on the cases that chose them.
    """
    notes, ranges = [], question.at.ranges
    grid = [f"{STEPS} base rates"] * ("prior" in ranges)
    grid += [f"{COST_STEPS} values of each cost"] * (len(ranges) > ("prior" in ranges))
    where = f"on a grid of {' and '.join(grid)}, and where the choice is seen to change"
    searched = f"over the range, worst and best were searched for {where}"
    if ranges and not question.is_exact:
        notes.append(Note("BR588", f"{searched}: between these it may go further"))
    elif ranges and question.at.believed and not question.is_monotone:
        searched = f"over the range, low and high were searched for {where}"
        notes.append(Note("BR588", f"{searched}; worst and best are exact"))
    if holes and rule is not None:
        notes.append(Note("BR588", f"{NOT_KEPT}: no worst, best or bounds are given"))
    elif holes:
        text = (
            f"{question.measure} is undefined in part of what is possible: worst, best and"
            " bounds are of the rest"
        )
        notes.append(Note("BR588", text))
    if not question.is_fixed:
        notes.append(Note("BR528", SAME_CASES, SHOW_ON_OTHERS))
    return notes


def _check_kind(kind: str | None, at: Conditions, pooled: str) -> str:
    """Return the kind that was given; refuse none where it matters to what is `pooled` which."""
    if kind not in (None, UNKNOWN, VARYING):
        raise refuse(
            "BR588",
            f'kind is "{UNKNOWN}" or "{VARYING}", got {quoted(kind)}',
            Fix(f'kind="{UNKNOWN}"', f"--kind {UNKNOWN}"),
        )
    if "prior" in at.believed and pooled and kind is None:
        raise refuse(
            "BR588",
            f"is the base rate unknown, or does it vary? The average of {pooled} and its long-run"
            " value differ",
            Fix(
                f'kind="{UNKNOWN}" (one true base rate) or kind="{VARYING}" (days, sites)',
                f"--kind {UNKNOWN} (one true base rate) or --kind {VARYING} (days, sites)",
            ),
        )
    return kind or ""


def _set_models(asked: Measure, counts: Any, how: How, at: Conditions) -> tuple[Model, ...]:
    rule, threshold, volume = how
    if asked.needs_counts:
        raise refuse(
            "BR588",
            f"{asked} counts the cases of the sample: it does not change with the conditions",
            "alerts, caught or expected_cost",
        )
    if not isinstance(counts, Mapping):
        return (set_model("", counts, how, asked, at),)
    if len(counts) != 2:
        raise refuse(
            "BR410",
            f"a difference is that of two models, got {len(counts)}",
            '{"a": first, "b": second}',
        )
    cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(counts, threshold)
    if set(cuts) != set(counts):
        raise refuse(
            "BR529", "a threshold is needed for each model", 'threshold={"a": 0.5, "b": 0.3}'
        )
    return tuple(
        set_model(name, one, (rule, cuts[name], volume), asked, at) for name, one in counts.items()
    )


def _average(question: _Question, kind: str) -> tuple[float, float]:
    """Return the average, or the long-run value, and how far two quadratures are apart."""
    at, breaks = question.at, {}
    if len(at.believed) == 1:  # between the values at which a choice changes
        for name in at.smooth:
            changes = [
                one.setting.changes(at, name, question.sample_prior) for one in question.models
            ]
            breaks[name] = np.concatenate([one[::2] for one in changes])
    fine, coarse = (
        _average_at(question, kind, question.nodes(at, panels=panels, breaks=breaks))
        for panels in (FINE_PANELS, COARSE_PANELS)
    )
    if math.isnan(fine):
        text = f"{question.measure} is undefined in part of the assumed distribution"
        return Undefined(text), 0.0
    return fine, abs(fine - coarse) + 1e-15 * abs(fine)


def _average_at(question: _Question, kind: str, nodes: Nodes) -> float:
    """Return the average over nodes, or the long-run value."""
    if kind != VARYING or not question.is_pooled:
        return float(np.dot(question.values(nodes), nodes.weights))
    shares = [model.pooled(question.measure, nodes) for model in question.models]
    return shares[0] if len(shares) == 1 else shares[1] - shares[0]


def _settings(question: _Question) -> list[Conditions]:
    """Return the corners of the ranges; where the measure may turn inside them, places across
    them too.
    """
    at = question.at
    if not at.ranges or question.is_monotone:
        return at.corners()
    return [*at.corners(), *at.pinned(STEPS, COST_STEPS)]


def _bounds(question: _Question) -> tuple[float, float]:
    """Return between which values it lies in that share of the assumed distribution; over ranges,
    the widest of all.
    """
    tails = (1 - question.level) / 2, (1 + question.level) / 2
    pairs = []
    for at in _settings(question):
        if len(at.believed) == 1 and question.is_monotone:
            ((name, part),) = at.believed.items()
            ends = np.array([part.quantile(share) for share in tails])
            pairs.append(sorted(question.along(at, **{name: ends}).tolist()))
            continue
        finer = {1: 4 * FINE_PANELS[1]} if len(at.believed) == 1 else {}
        nodes = question.nodes(at, panels={**FINE_PANELS, **finer})
        pairs.append(nodes.quantiles(question.values(nodes), tails))
    low, high = np.array(pairs).T
    if np.isnan(low).all():
        return math.nan, math.nan
    return float(np.nanmin(low)), float(np.nanmax(high))


def _find_extremes(question: _Question) -> tuple[float, float, bool]:
    """Return the worst and the best over everything possible, and whether it is undefined in a part
    of that.
    """
    endless = any(part.ends is None for part in question.at.believed.values())
    values = []
    for at in question.at.corners() if endless else _settings(question):
        if endless or at.is_exact or at.joint or not question.is_monotone:
            values.append(question.values(question.nodes(at)))
        if at.believed and not at.joint and not endless:
            ends = np.array(list(product(*(part.ends for part in at.believed.values()))))
            values.append(question.along(at, **dict(zip(at.believed, ends.T * 1.0, strict=True))))
    if not endless:
        values += _values_at_changes(question)
    every = np.concatenate(values)
    known = every[~np.isnan(every)]
    holes = len(known) < len(every)
    if endless:
        return Undefined(NO_ENDS), Undefined(NO_ENDS), holes
    if not len(known):
        return Undefined("undefined everywhere"), Undefined("undefined everywhere"), True
    low, high = float(known.min()), float(known.max())
    return (low, high, holes) if question.measure.direction == "higher" else (high, low, holes)


def _values_at_changes(question: _Question) -> list[Floats]:
    """Return the values on both sides of every place at which a choice changes, along every edge of
    the box of what may lie between two ends.
    """
    if has_draws(question.at):
        return []
    values = []
    for name, part in question.spans.items():
        others = {other: each for other, each in question.spans.items() if other != name}
        low, high = map(float, part.ends)
        for ends in product(*(map(float, each.ends) for each in others.values())):
            edge = question.at.given(**dict(zip(others, ends, strict=True)))
            changes = chain.from_iterable(
                one.setting.changes(edge, name, question.sample_prior) for one in question.models
            )
            inside = np.array([value for value in changes if low < value < high])
            values.append(question.along(edge, **{name: inside}))
    return values


# ----------------------------------------------------------------------
# `expect_curve`: where a curve lies while the base rate is not known exactly; on average, mostly,
# at worst and at best.


FINE, COARSE = 24, 16
# Over a range: at a recall that stays, everything rises or falls with the base rate, so that the
# ends decide; elsewhere it is walked.
WALKED = 129
OF_ALERTS, OF_POSITIVES = ("precision", "fdr"), ("tpr", "lift")


@dataclass(frozen=True, eq=False)
class Outlook(CurveBounds):
    """A curve over uncertain base rates: at each `x`, `y` on average (or in the long run), `low` to
    `high` in `level` of the assumed distribution.

    `worst` and `best` are over everything possible; over a range, which has no average, `y` is NaN
    and `low` to `high` span the range. NaN too where a distribution has no ends. `error` bounds the
    error of the integration. Cases are taken as they are: see `band` for theirs.
    """

    worst: Floats
    best: Floats
    at: Conditions
    level: float = 0.95
    kind: str = ""
    error: float = 0.0
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @property
    def _bounds(self) -> tuple[str, ...]:
        return "low", "high", "worst", "best"

    def __repr__(self) -> str:
        kind = f", base rate {self.kind}" if self.kind else ""
        return (
            f"Outlook {self.name}: {self.y_label} along {self.x_label}, {grouped(len(self))}"
            f" places, {percent(self.level)}{kind}; at {self.at}"
        )


@dataclass(frozen=True)
class _CurveOverPriors:
    """A curve of these points, read at the same places at many base rates."""

    points: Points
    axis: Measure
    measure: Measure
    places: Floats
    prior: Any
    kind: str

    def read(self, priors: Floats | Sequence[float]) -> Floats:
        """Return the curve at each base rate, a row each."""
        return np.array(
            [
                at_places(
                    self.points, self.axis, self.measure, Conditions(float(prior)), self.places
                )
                for prior in priors
            ]
        )

    def average(self, priors: Floats, weights: Floats, values: Floats) -> Floats:
        """Return the average over the assumed distribution; in the long run each day weighs as many
        positives as it has, where a share of them is requested.
        """
        if self.kind == VARYING and self.measure.name in OF_ALERTS:
            # At a recall that stays, true and false alerts are straight in the base rate: their
            # long-run share is that at its mean.
            return np.asarray(self.read([self.prior.mean])[0])
        if self.kind == VARYING and self.measure.name in OF_POSITIVES:
            weights = weights * priors
        return np.asarray(weights @ values / weights.sum())

    def bounds(self, nodes: Nodes, values: Floats, level: float) -> list[Floats]:
        """Return what the middle of the distribution reaches at each place."""
        tails = [(1 - level) / 2, (1 + level) / 2]
        if isinstance(self.prior, Draws) or self.axis.depends_on_prior:
            return list(np.array([nodes.quantiles(column, tails) for column in values.T]).T)
        return span_values(self.read([self.prior.quantile(share) for share in tails]))


def expect_curve(
    counts: Counts | Points,
    curve: Any,
    *,
    at: Conditions,
    kind: str | None = None,
    x: Any = None,
    level: float = 0.95,
) -> Outlook:
    """Where does this curve lie, while the base rate is not known exactly?

    `curve` is `br.pr`, `br.broc`, "posfrac" (read along recall), "gain" or
    "lift" (along the share flagged), at the places `x`. `kind` says of a distribution
    whether the base rate is "unknown" (one true value: the average of the curve) or "varying"
    (days, sites: its long-run value, all cases pooled).

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    >>> found = expect_curve(counts, br.pr, at=br.Conditions(prior="1e-4..1e-2"), x=[0.5, 0.9])
    >>> found.low.round(4), found.high.round(4)
    (array([0.0431, 0.0431]), array([0.8197, 0.8197]))
    """
    if check_conditions(at).is_exact:
        raise refuse(
            "BR519",
            "these conditions are exact, so there is nothing to average",
            'the curve itself: pr(counts, at=at), or at=Conditions(prior="1e-5..1e-3")',
        )
    name, axis, measure = _named(curve)
    _check_prior(at, name)
    asked = _check_kind(kind, at, "a curve")
    places, level = curve_reader(name, None, x).x, checked_level(level)
    points, prior = Points.of(counts), at.prior
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", "a curve needs cases of both classes", "count cases of both classes")
    lines = _CurveOverPriors(points, axis, measure, places, prior, asked)
    if isinstance(prior, Range):
        values = lines.read(prior.grid(WALKED if axis.depends_on_prior else 2))
        y, error = np.full(len(places), np.nan), 0.0
        low, high = span_values(values)
    else:
        # Of the prior alone, whatever else is uncertain.
        fine, coarse = (
            Conditions(prior).nodes({1: panels, 0: panels}) for panels in (FINE, COARSE)
        )
        values = lines.read(fine.prior)
        y = lines.average(fine.prior, fine.weights, values)
        rough = lines.average(coarse.prior, coarse.weights, lines.read(coarse.prior))
        error = float(np.nanmax(np.abs(y - rough), initial=0.0)) + 1e-15
        low, high = lines.bounds(fine, values, level)
    worst = best = np.full(len(places), np.nan)
    if prior.ends is not None and 0 < prior.ends[0] <= prior.ends[1] < 1:
        ends = span_values(np.vstack([lines.read(prior.ends), values]))
        worst, best = ends if measure.direction == "higher" else reversed(ends)
    notes = combine(points.notes, note_assumption(at))
    labels = name, axis.name, measure.name
    return Outlook(*labels, places, y, low, high, worst, best, at, level, asked, error, notes)


def span_values(values: Floats) -> list[Floats]:
    """Return the least and the most at each place; NaN where it is undefined at all base rates
    (precision, where nothing is flagged).
    """
    known = ~np.isnan(values)
    low = np.where(known, values, np.inf).min(axis=0)
    high = np.where(known, values, -np.inf).max(axis=0)
    return [np.where(known.any(axis=0), end, np.nan) for end in (low, high)]


def _named(curve: Any) -> tuple[str, Measure, Measure]:
    name, entry = curve_named(curve)
    moving = [short for short, one in CURVES.items() if one.along and one.conditions]
    if entry is None or entry.read is None or not (entry.along and entry.conditions):
        other = (
            "; a cost curve already shows every base rate, and a ROC does not depend on it"
            if name in ("roc", "det", "cost_curve")
            else ""
        )
        given = curve if isinstance(curve, str) else name or curve
        raise refuse(
            "BR531",
            f"{quoted(given)} cannot be computed over a range of base rates{other}",
            f"one of {', '.join(moving)}",
        )
    axis, measure = (Measure(part) for part in entry.read)
    return name, axis, measure


def _check_prior(at: Conditions, name: str) -> None:
    if not isinstance(at.prior, (*BELIEVED, Range)):
        raise refuse(
            "BR588",
            f"the base rate is known, and {name} depends on nothing else",
            'at=Conditions(prior="1e-5..1e-3"), or the curve itself at one base rate',
        )
