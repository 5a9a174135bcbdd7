"""`expect` and `expect_curve`: a measure or a curve where base rate and costs are not known
exactly.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np

from baserate.conditions import (
    COARSE_PANELS,
    FINE_PANELS,
    Conditions,
    Nodes,
    told,
)
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.named import CURVES, curve_named
from baserate.decisions.best_threshold import NodeChoices
from baserate.decisions.operating_point import SHOW_ON_OTHERS
from baserate.decisions.regret import (
    check_conditions,
    note_assumption,
    own_prior,
    resolve_conditions,
    values_at,
)
from baserate.decisions.roc_geometry import Region, corners, regions
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


class Turns(NamedTuple):
    """Values of one part at which a choice changes, with the rates on either side of each: every
    value stands here twice.
    """

    values: Floats
    rates: Rates


NO_TURNS = Turns(np.empty(0), (np.empty(0), np.empty(0)))


class Setting(Protocol):
    """How a model is set: what it flags at each node, (tpr, fpr), and where along one part of the
    conditions that changes. `is_fixed` where it never does, `is_exact` where the changes are known
    and not looked for.
    """

    is_fixed: bool
    is_exact: bool

    def rates(self, nodes: Nodes) -> Rates: ...

    def turns(self, at: Conditions, part: str, sample_prior: float) -> Turns: ...


@dataclass(frozen=True)
class Fixed:
    """One operating point, whatever the conditions."""

    tpr: float
    fpr: float
    is_fixed = is_exact = True

    def rates(self, nodes: Nodes) -> Rates:
        length = len(nodes.weights)
        return np.full(length, self.tpr), np.full(length, self.fpr)

    def turns(self, at: Conditions, part: str, sample_prior: float) -> Turns:  # noqa: ARG002
        return NO_TURNS


@dataclass(frozen=True)
class Cheapest:
    """The cheapest threshold."""

    stretches: Sequence[Region]
    is_fixed = False
    is_exact = True

    @property
    def _borders(self) -> Floats:
        return np.array([float(one.low) for one in self.stretches[1:]])

    def _rates_of(self, places: Any) -> Rates:
        tpr = np.array([float(one.corner.y) for one in self.stretches])
        fpr = np.array([float(one.corner.x) for one in self.stretches])
        return tpr[places], fpr[places]

    def rates(self, nodes: Nodes) -> Rates:
        effective = nodes.miss / (nodes.miss + nodes.alarm)
        return self._rates_of(np.searchsorted(self._borders, effective))

    def turns(self, at: Conditions, part: str, sample_prior: float) -> Turns:
        known = {
            name: sample_prior if value is None else float(value)
            for name, value in at.parts.items()
            if name != part
        }
        values = values_at(self._borders, {**known, part: 0.0}, part)
        sides = np.repeat(np.arange(len(self.stretches)), 2)[1:-1]
        return Turns(np.repeat(values, 2), self._rates_of(sides))


@dataclass(frozen=True)
class Ruled:
    """The best threshold that satisfies a rule; no rates where none does."""

    choices: NodeChoices
    is_fixed = is_exact = False

    def rates(self, nodes: Nodes) -> Rates:
        return self.choices.rates(nodes)

    def turns(self, at: Conditions, part: str, sample_prior: float) -> Turns:
        """Find where the choice jumps along one part: seen between two of many places, and followed
        by bisection.
        """
        spread = at.parts[part]
        looks = (
            np.array(spread.grid(LOOKS // 4))
            if isinstance(spread, Range)
            else np.sort(spread.places(LOOKS // 16).values)
        )

        def nodes_at(values: Floats) -> Nodes:
            return _nodes_at(at, {part: values}, sample_prior)

        seen = self.choices.labels(nodes_at(looks))
        jumps = np.flatnonzero(seen[1:] != seen[:-1])
        low, high, before = looks[jumps], looks[jumps + 1], seen[jumps]
        while (high - low > CLOSE * np.abs(high)).any():
            middle = (low + high) / 2
            if not ((low < middle) & (middle < high)).any():
                break
            same = self.choices.labels(nodes_at(middle)) == before
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        sides = np.column_stack((low, high)).ravel()
        return Turns(np.repeat(low, 2), self.choices.rates(nodes_at(sides)))


def _nodes_at(at: Conditions, values: Mapping[str, Floats], sample_prior: float) -> Nodes:
    """Return nodes at these values of some parts, all with one weight; the others are known."""
    length = len(next(iter(values.values()), [0]))
    columns = {
        name: values[name]
        if name in values
        else np.full(length, sample_prior if part is None else float(part))
        for name, part in at.parts.items()
    }
    return Nodes(**columns, weights=np.full(length, 1 / length if length else 0.0))


@dataclass(frozen=True)
class Reader:
    """A model and its setting, of which a measure is read at each node."""

    name: str
    setting: Setting
    own_prior: Fraction | str

    def values(self, asked: Measure, nodes: Nodes, rates: Rates | None = None) -> Floats:
        """Return a measure at each node, or at rates that are known; NaN where it is undefined."""
        known = self.setting.rates(nodes) if rates is None else rates
        costs = (nodes.tp, nodes.fp, nodes.fn, nodes.tn)
        return np.array(rates_read(asked, known, nodes.prior, costs), dtype=np.float64)

    def parts(self, asked: Measure, nodes: Nodes) -> tuple[Floats, Floats]:
        """Return numerator and denominator per case, of which long-run values are made."""
        tpr, fpr = self.setting.rates(nodes)
        p, n = nodes.prior, 1 - nodes.prior
        costs = (nodes.tp, nodes.fp, nodes.fn, nodes.tn)
        shares = (p * tpr, n * fpr, p * (1 - tpr), n * (1 - fpr))
        outcomes = Outcomes(*shares, shares, nodes.fn - nodes.tp, nodes.fp - nodes.tn, costs)
        if asked.parts is None:  # checked before
            raise refuse("BR588", f"{asked} is not a share of outcomes", "another measure")
        above, below = asked.parts(outcomes, **dict(asked.parameters))
        return (
            np.broadcast_to(np.asarray(above, dtype=np.float64), p.shape),
            np.broadcast_to(np.asarray(below, dtype=np.float64), p.shape),
        )


def reader_of(
    name: str,
    counts: Any,
    how: tuple[str | None, Any, float | None],
    asked: Measure,
    at: Conditions,
) -> Reader:
    """Return how a measure of these cases is read: at a threshold, by a rule (with its volume), or
    at the least cost.
    """
    rule, threshold, volume = how
    if isinstance(counts, Confusion | OperatingPoint):
        if rule is not None or threshold is not NOT_SAID:
            raise refuse(
                "BR594",
                "this point is already set: a rule or threshold belongs to Counts",
                "leave them out",
            )
        return _fixed(
            name, counts.confusion if isinstance(counts, OperatingPoint) else counts, asked
        )
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
        return _fixed(name, confusion_at(points, points.place(threshold)), asked)
    if rule is None:
        cheapest = Cheapest(regions(corners({"model": points})))
        return Reader(name, cheapest, own_prior(points, [asked]))
    rules = parse_rule(rule, volume)
    own = own_prior(points, [asked, *(term.measure for term in rules.terms)])
    return Reader(name, Ruled(NodeChoices(points, rules, costs_given=at.costs_given)), own)


def _fixed(name: str, confusion: Confusion, asked: Measure) -> Reader:
    check_classes(confusion)
    tp, fp, fn, tn = (exactly(cases) for cases in confusion)
    setting = Fixed(float(tp / (tp + fn)), float(fp / (fp + tn)))
    return Reader(name, setting, own_prior(confusion, [asked]))


# ----------------------------------------------------------------------
# `expect`: what a measure comes to where base rate and costs are not known exactly.


UNKNOWN, VARYING = "unknown", "varying"
NO_AVERAGE = "a range has no average, only a lowest and a highest value"
NOT_KEPT = "the rule cannot be satisfied in part of what is possible"
NO_ENDS = "a distribution without ends has no worst and best"
# Places over a range, where a measure may turn inside it.
STEPS, COST_STEPS = 65, 9


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


class _Question(NamedTuple):
    """What is read, of one model or of the difference of two, and at which conditions; the sample's
    own prior stands for one that is not given.
    """

    measure: Measure
    readers: tuple[Reader, ...]
    at: Conditions
    sample_prior: float
    level: float
    kind: str

    def values(self, nodes: Nodes) -> Floats:
        """Return the measure, or the difference of two models, at every node."""
        found = [reader.values(self.measure, nodes) for reader in self.readers]
        return found[0] if len(found) == 1 else found[1] - found[0]

    def nodes(self, at: Conditions, **how: Any) -> Nodes:
        """Return the nodes of conditions without a range."""
        return at.nodes(sample_prior=self.sample_prior, **how)

    @property
    def is_rule_followed(self) -> bool:
        """Is a threshold chosen anew whose changes have to be looked for?"""
        return not all(reader.setting.is_exact for reader in self.readers)

    @property
    def is_monotone(self) -> bool:
        """Does it rise or fall all along every part? A quotient of straight lines does, at a
        threshold that stays.
        """
        fixed = len(self.readers) == 1 and self.readers[0].setting.is_fixed
        return fixed and _is_plain(self.measure)


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
    readers = _readers(asked, counts, (rule, threshold, volume), at)
    corners_ = at.corners()
    sample_prior = float(resolve_conditions(corners_[0], readers[0].own_prior).exact_prior)
    kind = _checked_kind_of(asked, readers, at, kind)
    question = _Question(asked, readers, at, sample_prior, checked_level(level), kind)
    value, error = (Undefined(NO_AVERAGE), 0.0) if at.has_range else _average(question)
    worst, best, holes = _find_extremes(question, corners_)
    low, high = _bounds(question, corners_) if at.believed else sorted((worst, best))
    if holes and rule is not None:
        worst = best = low = high = Undefined(NOT_KEPT)
    name = str(asked) if len(readers) == 1 else f"{asked} of {readers[1].name} - {readers[0].name}"
    notes = combine(
        note_assumption(at),
        (*_looked(question), *_holed(question, rule, holes=holes), *_same_cases(readers)),
    )
    budget = parse_rule(rule, volume).budget is not None and not at.costs_given
    chosen = (
        ""
        if all(reader.setting.is_fixed for reader in readers)
        else "tpr"
        if budget
        else "expected_cost"
    )
    return Expectation(
        value, low, high, worst, best, name, at, question.level, kind, error, chosen, notes
    )


def _holed(question: _Question, rule: str | None, *, holes: bool) -> tuple[Note, ...]:
    """What is not defined everywhere says so."""
    if not holes:
        return ()
    return (
        Note(
            "BR588",
            f"{NOT_KEPT}: no worst, best or bounds are given"
            if rule is not None
            else (
                f"{question.measure} is undefined in part of what is possible: worst, best and"
                " bounds are of the rest"
            ),
        ),
    )


def _same_cases(readers: Sequence[Reader]) -> tuple[Note, ...]:
    """Thresholds evaluated on the cases that chose them look better than they are."""
    chosen = not all(reader.setting.is_fixed for reader in readers)
    return (Note("BR528", SAME_CASES, SHOW_ON_OTHERS),) if chosen else ()


def _checked_kind_of(
    asked: Measure, readers: Sequence[Reader], at: Conditions, kind: str | None
) -> str:
    """Whether the base rate is unknown or varies; empty where it makes no difference."""
    pooled = _is_pooled(asked, readers)
    kind = _checked_kind(kind, at, str(asked) if pooled else "")
    if kind == VARYING and pooled and asked.parts is None:
        raise refuse(
            "BR588",
            f"{asked} is not a share of outcomes, so it has no long-run value",
            f'kind="{UNKNOWN}"',
        )
    return kind


def _checked_kind(kind: str | None, at: Conditions, pooled: str) -> str:
    """The kind that was given; refused where none is, and of what is `pooled` it matters which."""
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


def _is_pooled(asked: Measure, readers: Sequence[Reader]) -> bool:
    """Is its long-run value another one than its average? Where the threshold follows the base
    rate, that of rates is too: tpr is weighted by the positives of each day.
    """
    fixed = all(reader.setting.is_fixed for reader in readers)
    moves = asked.depends_on_prior or not fixed
    return moves and not _is_straight(asked)


def _is_straight(asked: Measure) -> bool:
    """Is it a plain average over cases, a straight line in the base rate?"""
    return (
        asked.name in ("posfrac", "accuracy", "error", "expected_cost", "net_benefit")
        or asked.counts_cases
    )


def _readers(
    asked: Measure, counts: Any, how: tuple[str | None, Any, float | None], at: Conditions
) -> tuple[Reader, ...]:
    rule, threshold, volume = how
    if asked.needs_counts:
        raise refuse(
            "BR588",
            f"{asked} counts the cases of the sample: it does not change with the conditions",
            "alerts, caught or expected_cost",
        )
    if not isinstance(counts, Mapping):
        return (reader_of("", counts, how, asked, at),)
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
        reader_of(name, one, (rule, cuts[name], volume), asked, at) for name, one in counts.items()
    )


# ---- averages ---------------------------------------------------------------------------------


def _average(question: _Question) -> tuple[float, float]:
    """Return the average, or the long-run value, and how far two quadratures are apart."""
    at = question.at
    breaks = {}
    if len(at.believed) == 1:  # between the values at which a choice changes
        for name in at.smooth:
            turns = [one.setting.turns(at, name, question.sample_prior) for one in question.readers]
            breaks[name] = np.concatenate([one.values[::2] for one in turns])
    fine, coarse = (
        _average_at(question, question.nodes(at, panels=panels, breaks=breaks))
        for panels in (FINE_PANELS, COARSE_PANELS)
    )
    if math.isnan(fine):
        text = f"{question.measure} is undefined in part of the assumed distribution"
        return Undefined(text), 0.0
    return fine, abs(fine - coarse) + 1e-15 * abs(fine)


def _average_at(question: _Question, nodes: Nodes) -> float:
    """Return the average over nodes, or the long-run value."""
    if question.kind != VARYING or not _is_pooled(question.measure, question.readers):
        return float(np.dot(question.values(nodes), nodes.weights))
    ratios = []
    for reader in question.readers:
        above, below = (
            float(np.dot(part, nodes.weights)) for part in reader.parts(question.measure, nodes)
        )
        ratios.append(above / below if below else math.nan)
    return ratios[0] if len(ratios) == 1 else ratios[1] - ratios[0]


# ---- bounds, worst and best -------------------------------------------------------------------


def _is_plain(asked: Measure) -> bool:
    """Does it rise or fall all along every part while the threshold stays?"""
    return asked.parts is not None or not asked.depends_on_prior or _is_straight(asked)


def _is_exact(question: _Question) -> bool:
    """Are worst and best at the ends and at the borders of the choice? Of one model, yes; of two,
    along one part, if straight.
    """
    if question.is_monotone:
        return True
    spans, measure = _spans(question.at), question.measure
    if question.is_rule_followed or (spans and _has_draws(question.at)):
        return False
    if len(question.readers) == 1:
        return _is_plain(measure)
    straight = _is_straight(measure) or not measure.depends_on_prior
    return not spans or (len(spans) == 1 and straight)


def _spans(at: Conditions) -> dict[str, Any]:
    """Return the parts that may lie anywhere between two ends."""
    return {name: part for name, part in at.parts.items() if name in at.ranges or name in at.smooth}


def _has_draws(at: Conditions) -> bool:
    return len(at.believed) > len(at.smooth)


def _looked(question: _Question) -> tuple[Note, ...]:
    """Note where a range was looked at in places, which."""
    ranges = question.at.ranges
    if not ranges:
        return ()
    grid = [f"{STEPS} base rates"] * ("prior" in ranges)
    grid += [f"{COST_STEPS} values of each cost"] * (len(ranges) > ("prior" in ranges))
    where = f"on a grid of {' and '.join(grid)}, and where the choice is seen to change"
    if not _is_exact(question):
        text = (
            f"over the range, worst and best were searched for {where}: between these it may go"
            " further"
        )
        return (Note("BR588", text),)
    if question.at.believed and not question.is_monotone:
        text = f"over the range, low and high were searched for {where}; worst and best are exact"
        return (Note("BR588", text),)
    return ()


def _bounds(question: _Question, every: Sequence[Conditions]) -> tuple[float, float]:
    """Return between which values it lies in that share of the assumed distribution; over ranges,
    the widest of all.
    """
    tails = (1 - question.level) / 2, (1 + question.level) / 2
    pairs = []
    for at in _walk_ranges(question, every):
        if len(at.believed) == 1 and question.is_monotone:
            ((name, part),) = at.believed.items()
            ends = np.array([part.quantile(share) for share in tails])
            values = question.values(_nodes_at(at, {name: ends}, question.sample_prior))
            pairs.append(sorted(values.tolist()))
        else:
            panels = (
                {**FINE_PANELS, 1: 4 * FINE_PANELS[1]} if len(at.believed) == 1 else FINE_PANELS
            )
            nodes = question.nodes(at, panels=panels)
            pairs.append(nodes.quantiles(question.values(nodes), tails))
    low, high = np.array(pairs).T
    if np.isnan(low).all():
        return math.nan, math.nan
    return float(np.nanmin(low)), float(np.nanmax(high))


def _walk_ranges(question: _Question, every: Sequence[Conditions]) -> list[Conditions]:
    """Return the corners of the ranges; where the measure may turn inside them, places across
    them.
    """
    ranges = question.at.ranges
    if not ranges or question.is_monotone:
        return list(every)
    grids = [part.grid(STEPS if name == "prior" else COST_STEPS) for name, part in ranges.items()]
    inside = [
        question.at.given(**dict(zip(ranges, values, strict=True)))
        for values in itertools.product(*grids)
    ]
    return [*every, *inside]


def _find_extremes(question: _Question, every: Sequence[Conditions]) -> tuple[float, float, bool]:
    """Return the worst and the best over everything possible, and whether it is undefined in a part
    of that.
    """
    if any(part.ends is None for part in question.at.believed.values()):
        holes = any(np.isnan(question.values(question.nodes(at))).any() for at in every)
        return Undefined(NO_ENDS), Undefined(NO_ENDS), holes
    found = [
        *(question.values(nodes) for nodes in _possible_nodes(question, every)),
        *_beside_borders(question),
    ]
    values = np.concatenate(found)
    known = values[~np.isnan(values)]
    if not len(known):
        return Undefined("undefined everywhere"), Undefined("undefined everywhere"), True
    low, high, holes = float(known.min()), float(known.max()), len(known) < len(values)
    best_is_high = question.measure.direction == "higher"
    return (low, high, holes) if best_is_high else (high, low, holes)


def _possible_nodes(question: _Question, every: Sequence[Conditions]) -> list[Nodes]:
    """Return nodes among which are the extremes but for where the choice changes: the corners, and
    where the measure may turn between them.
    """
    found = []
    for at in _walk_ranges(question, every):
        if at.is_exact or at.joint or not question.is_monotone:
            found.append(question.nodes(at))
        if at.believed and not at.joint:
            ends = itertools.product(*(map(float, part.ends) for part in at.believed.values()))
            columns = dict(zip(at.believed, np.array(list(ends)).T, strict=True))
            found.append(_nodes_at(at, columns, question.sample_prior))
    return found


def _beside_borders(question: _Question) -> list[Floats]:
    """Return the values on both sides of every place at which a choice changes, along every edge of
    the box of what may lie between two ends.
    """
    spans = _spans(question.at)
    if _has_draws(question.at):
        return []
    found = []
    for name in spans:
        others = [other for other in spans if other != name]
        for ends in itertools.product(*(map(float, spans[other].ends) for other in others)):
            edge = question.at.given(**dict(zip(others, ends, strict=True)))
            found += [_beside_turns(question, one, edge, name) for one in question.readers]
    return found


def _beside_turns(question: _Question, reader: Reader, edge: Conditions, name: str) -> Floats:
    """Return the values on both sides of where one reader's choice changes along one part, inside
    its ends.
    """
    low, high = map(float, edge.parts[name].ends)
    turns = reader.setting.turns(edge, name, question.sample_prior)
    inside = (turns.values > low) & (turns.values < high)
    nodes = _nodes_at(edge, {name: turns.values[inside]}, question.sample_prior)
    rates = turns.rates[0][inside], turns.rates[1][inside]
    found = [
        one.values(question.measure, nodes, rates if one is reader else None)
        for one in question.readers
    ]
    return found[0] if len(found) == 1 else found[1] - found[0]


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


class _Lines(NamedTuple):
    """The curve at each of several base rates, a row each, with their weights where there are
    any.
    """

    priors: Floats
    values: Floats
    weights: Floats | None


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
    asked = _checked_kind(kind, at, "a curve")
    places = curve_reader(name, None, x).x
    points = Points.of(counts)
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", "a curve needs cases of both classes", "count cases of both classes")
    fine, coarse = (
        _lines(points, (axis, measure), at, places, panels) for panels in (FINE, COARSE)
    )
    y, rough = (_average_curve(lines, measure, asked) for lines in (fine, coarse))
    if asked == VARYING and measure.name in OF_ALERTS:
        # At a recall that stays, true and false alerts are straight in the base rate: their
        # long-run share is that at its mean.
        y = rough = _read(points, (axis, measure), np.array([at.prior.mean]), places)[0]
    error = (
        0.0 if fine.weights is None else float(np.nanmax(np.abs(y - rough), initial=0.0)) + 1e-15
    )
    low, high = _bounds_along(fine, at.prior, checked_level(level), points, (axis, measure), places)
    worst, best = _ends(points, (axis, measure), at.prior, places, fine)
    return Outlook(
        name,
        axis.name,
        measure.name,
        places,
        y,
        low,
        high,
        worst,
        best,
        at,
        checked_level(level),
        asked,
        error,
        combine(points.notes, note_assumption(at)),
    )


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


def _lines(
    points: Points, parts: tuple[Measure, Measure], at: Conditions, places: Floats, panels: int
) -> _Lines:
    if isinstance(at.prior, Range):
        priors, weights = np.array(at.prior.grid(WALKED if parts[0].depends_on_prior else 2)), None
    else:
        nodes = at.prior.places(panels)
        priors, weights = nodes.values, nodes.weights
    return _Lines(priors, _read(points, parts, priors, places), weights)


def _read(points: Points, parts: tuple[Measure, Measure], priors: Floats, places: Floats) -> Floats:
    return np.array(
        [at_places(points, *parts, Conditions(float(prior)), places) for prior in priors]
    )


def _average_curve(lines: _Lines, measure: Measure, kind: str) -> Floats:
    """The average over the assumed distribution; in the long run each day weighs as many positives
    as it has, where a share of them is requested.
    """
    if lines.weights is None:
        return np.full(lines.values.shape[1], np.nan)
    by_positives = kind == VARYING and measure.name in OF_POSITIVES
    weights = lines.weights * lines.priors if by_positives else lines.weights
    return np.asarray(weights @ lines.values / weights.sum())


def _bounds_along(
    lines: _Lines,
    prior: Any,
    level: float,
    points: Points,
    parts: tuple[Measure, Measure],
    places: Floats,
) -> tuple[Floats, Floats]:
    """Over a range, all of it; of a distribution, what its middle `level` reaches."""
    if lines.weights is None:
        return _spanned(lines.values)
    tail = (1 - level) / 2
    if isinstance(prior, Draws) or parts[0].depends_on_prior:
        return _quantiles_along(lines.values, lines.weights, tail), _quantiles_along(
            lines.values, lines.weights, 1 - tail
        )
    ends = np.array([prior.quantile(tail), prior.quantile(1 - tail)])
    reached = _read(points, parts, ends, places)
    return reached.min(axis=0), reached.max(axis=0)


def _quantiles_along(values: Floats, weights: Floats, share: float) -> Floats:
    """At each place, the value below which that share of the assumed distribution lies."""
    order = np.argsort(values, axis=0)
    reached = np.cumsum(weights[order], axis=0)
    rows = np.minimum((reached < share * reached[-1]).sum(axis=0), len(order) - 1)
    return np.asarray(
        np.take_along_axis(np.take_along_axis(values, order, axis=0), rows[None, :], axis=0)[0],
        dtype=np.float64,
    )


def _ends(
    points: Points, parts: tuple[Measure, Measure], prior: Any, places: Floats, lines: _Lines
) -> tuple[Floats, Floats]:
    """The worst and the best at each place, over everything possible; unknown where a distribution
    has no ends.
    """
    if prior.ends is None or not 0 < prior.ends[0] <= prior.ends[1] < 1:
        nothing = np.full(len(places), np.nan)
        return nothing, nothing
    ends = _read(points, parts, np.array([float(end) for end in prior.ends]), places)
    low, high = _spanned(np.vstack([ends, lines.values]))
    return (low, high) if parts[1].direction == "higher" else (high, low)


def _spanned(values: Floats) -> tuple[Floats, Floats]:
    """The least and the most at each place; NaN where it is undefined at all base rates (precision,
    where nothing is flagged).
    """
    known = ~np.isnan(values)
    low, high = (
        np.where(known.any(axis=0), found, np.nan)
        for found in (
            np.where(known, values, np.inf).min(0),
            np.where(known, values, -np.inf).max(0),
        )
    )
    return low, high
