"""`expect` and `expect_curve`: a measure or a curve where base rate and costs are not known
exactly.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, Costs, Uncertain, told
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.named import CURVES, curve_named
from baserate.decisions.operating_point import SHOW_ON_OTHERS
from baserate.decisions.roc_geometry import Region, corners, regions
from baserate.decisions.rules import Rule, parse_rule
from baserate.decisions.selection import choose
from baserate.distributions import BELIEVED, Draws, Range
from baserate.errors import Fix, Infeasible, Note, combine, grouped, quoted, refuse
from baserate.inference.bands import CurveBounds
from baserate.inference.fixed_point import check_classes
from baserate.inference.statistic import at_places, curve_reader
from baserate.measures.confusion import (
    NOT_SAID,
    Confusion,
    Measure,
    checked_volume,
    confusion_at,
    in_costs,
    named,
    rates_read,
)
from baserate.measures.registry import Outcomes
from baserate.numbers import Floats, Undefined, Viewed, exactly
from baserate.results.operating_point import SAME_CASES, OperatingPoint
from baserate.results.values import checked_level, percent
from baserate.robustness.minimax import (
    HERE,
    PARTS,
    Scene,
    assumption,
    checked,
    edges,
    own_prior,
    scenes,
)

# ----------------------------------------------------------------------
# The rates of a model at many conditions at once: at a threshold that stays, or at the one that is
# chosen anew for each of them.


# A choice that changes between two places is followed this close.
CLOSE = 1e-13
PLACES = 400


class Where(NamedTuple):
    """Conditions, row by row."""

    prior: Floats
    fp: Floats
    fn: Floats
    tp: Floats
    tn: Floats
    costs_given: bool = True

    def row(self, place: int) -> Conditions:
        """One of them; without costs where none were given, as a budget is then used up."""
        costs = (
            Costs(*(float(column[place]) for column in (self.fp, self.fn, self.tp, self.tn)))
            if self.costs_given
            else None
        )
        return Conditions(float(self.prior[place]), costs)


Rates = tuple[Floats, Floats]


class Sides(NamedTuple):
    """Values of a part at which a choice changes, with the rates on either side of each: every
    value stands here twice.
    """

    values: Floats
    rates: Rates


@dataclass(frozen=True)
class Reader:
    """What a model flags at each of many conditions: (tpr, fpr), and where along a part that
    changes; `exact` where that is known exactly.
    """

    name: str
    rates: Callable[[Where], Rates]
    sides: Callable[[Scene, str], Sides]
    own_prior: Mapping[Any, Fraction | str]
    fixed: bool
    exact: bool = True

    def values(self, asked: Measure, where: Where, rates: Rates | None = None) -> Floats:
        """A measure at each of the conditions, or at rates that are known; NaN where it is
        undefined.
        """
        found = self.rates(where) if rates is None else rates
        return np.array(
            rates_read(asked, found, where.prior, (where.tp, where.fp, where.fn, where.tn)),
            dtype=np.float64,
        )

    def parts(self, asked: Measure, where: Where) -> tuple[Floats, Floats]:
        """Numerator and denominator a case, of which long-run values are made."""
        tpr, fpr = self.rates(where)
        p, n = where.prior, 1 - where.prior
        costs = (where.tp, where.fp, where.fn, where.tn)
        shares = (p * tpr, n * fpr, p * (1 - tpr), n * (1 - fpr))
        outcomes = Outcomes(*shares, shares, where.fn - where.tp, where.fp - where.tn, costs)
        if asked.parts is None:  # checked before
            raise refuse("BR588", f"{asked} is not a share of outcomes", "another measure")
        above, below = asked.parts(outcomes, **dict(asked.parameters))
        return (
            np.broadcast_to(np.asarray(part, dtype=np.float64), p.shape) for part in (above, below)
        )  # type: ignore[return-value]


def reader_of(
    name: str, counts: Any, rule: str | None, threshold: Any, asked: tuple[Measure, float | None]
) -> Reader:
    """How the rates of these cases are found, to read a measure of them; `asked` is that measure,
    and the volume.
    """
    volume = asked[1]
    if isinstance(counts, Confusion | OperatingPoint):
        if rule is not None or threshold is not NOT_SAID:
            raise refuse(
                "BR594",
                "this point is already set: a rule or threshold belongs to Counts",
                "leave them out",
            )
        return _fixed(
            name, counts.confusion if isinstance(counts, OperatingPoint) else counts, asked[0]
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
        return _fixed(name, confusion_at(points, points.place(threshold)), asked[0])
    own = {
        HERE: own_prior(
            points, [asked[0], *(term.measure for term in parse_rule(rule, volume).terms)]
        )
    }
    if rule is None:
        found = regions(corners({"model": points}))
        return Reader(
            name,
            lambda where: _cheapest(found, where),
            lambda scene, part: _borders(found, scene, part),
            own,
            fixed=False,
        )

    ruled, turning = _ruled(_unbeaten(points, parse_rule(rule, volume)), rule, volume)
    return Reader(name, ruled, turning, own, fixed=False, exact=False)


def _ruled(
    points: Points, rule: str, volume: float | None
) -> tuple[Callable[[Where], Rates], Callable[[Scene, str], Sides]]:
    """The rates that a rule chooses, and where they change. Average, bounds and ends look at the
    same conditions: each is answered once.
    """
    rates: dict[tuple[bytes | bool, ...], Rates] = {}
    sides: list[tuple[Scene, str, Sides]] = []

    def ruled(where: Where) -> Rates:
        columns = (where.prior, where.fp, where.fn, where.tp, where.tn)
        key: tuple[bytes | bool, ...] = (*(each.tobytes() for each in columns), where.costs_given)
        if key not in rates:
            rows = range(len(where.prior))
            rates[key] = _rates(_chosen(points, rule, volume, where.row(row)) for row in rows)
        return rates[key]

    def turning(scene: Scene, part: str) -> Sides:
        for known, name, found in sides:
            if name == part and _alike(known, scene):
                return found
        sides.append((scene, part, _turns(points, rule, volume, scene, part)))
        return sides[-1][2]

    return ruled, turning


def _alike(one: Scene, other: Scene) -> bool:
    """Whether two scenes have equal numbers, and the very same distributions."""
    return all(
        ours is theirs or (isinstance(ours, Fraction | bool | str) and ours == theirs)
        for ours, theirs in zip(vars(one).values(), vars(other).values(), strict=True)
    )


def _unbeaten(points: Points, rule: Rule) -> Points:
    """Without the points that the cost never chooses, at whatever conditions: they flag negatives
    beyond a point that satisfies the rule whenever they do.

    (Nothing flagged may be no such point, as measures may be undefined there.)
    """
    if not all(
        term.measure.parts is not None
        and not term.is_budget
        and term.sense == (">=" if term.measure.direction == "higher" else "<=")
        for term in rule.terms
    ):
        return points
    more = np.flatnonzero(np.diff(points.tp[1:]) > 0) + 2
    return points.only(np.unique([0, 1, *more.tolist(), len(points) - 1]))


def _fixed(name: str, confusion: Confusion, asked: Measure) -> Reader:
    check_classes(confusion)
    tp, fp, fn, tn = (exactly(cases) for cases in confusion)
    tpr, fpr = float(tp / (tp + fn)), float(fp / (fp + tn))
    own = {HERE: own_prior(confusion, [asked])}

    def rates(where: Where) -> Rates:
        return np.full(len(where.prior), tpr), np.full(len(where.prior), fpr)

    nowhere = Sides(np.empty(0), (np.empty(0), np.empty(0)))
    return Reader(name, rates, lambda _scene, _part: nowhere, own, fixed=True)


def _borders(found: list[Region], scene: Scene, part: str) -> Sides:
    """Where the cheapest setting changes along one part, the others known."""
    beside = [region.corner for pair in pairwise(found) for region in pair]
    tpr, fpr = (
        np.array([float(value) for value in column])
        for column in ([one.y for one in beside], [one.x for one in beside])
    )
    return Sides(np.repeat(edges(found, scene, part)[1:-1], 2), (tpr, fpr))


def _cheapest(found: list[Region], where: Where) -> Rates:
    miss, alarm = where.prior * (where.fn - where.tp), (1 - where.prior) * (where.fp - where.tn)
    place = np.searchsorted(
        np.array([float(region.high) for region in found[:-1]]), miss / (miss + alarm)
    )
    tpr, fpr = (
        np.array([float(value) for value in column])[place]
        for column in ([r.corner.y for r in found], [r.corner.x for r in found])
    )
    return tpr, fpr


def _chosen(
    points: Points, rule: str, volume: float | None, at: Conditions
) -> OperatingPoint | None:
    """The point that the rule chooses; none where it cannot be satisfied."""
    try:
        return choose(points, rule, at=at, volume=volume)
    except Infeasible:
        return None


def _rates(chosen: Iterable[OperatingPoint | None]) -> Rates:
    rows = [
        (math.nan, math.nan) if one is None else (float(one.tpr), float(one.fpr)) for one in chosen
    ]
    tpr, fpr = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    return tpr, fpr


def _turns(points: Points, rule: str, volume: float | None, scene: Scene, part: str) -> Sides:
    """Where the choice under a rule jumps along one part: seen between two of many places, and
    followed by bisection.
    """
    spread = getattr(scene, part)
    values = (
        np.array(spread.grid(PLACES // 4))
        if isinstance(spread, Range)
        else np.sort(spread.nodes(PLACES // 16).values)
    )

    def point(value: float) -> OperatingPoint | None:
        at = scene.given(**{part: Fraction(value)}).conditions()
        return _chosen(points, rule, volume, at)

    def setting(value: float) -> Any:
        chosen = point(value)
        return None if chosen is None else (chosen.threshold, chosen.share == 1)

    seen = [setting(value) for value in values.tolist()]
    found: list[float] = []
    for low, high, before, after in zip(
        values.tolist(), values[1:].tolist(), seen, seen[1:], strict=False
    ):
        if before != after:
            found += _followed(setting, low, high, before)
    ends = np.array(found, dtype=np.float64)
    return Sides(np.repeat(ends[1::2], 2), _rates(map(point, found)))


def _followed(
    setting: Callable[[float], Any], low: float, high: float, before: Any
) -> tuple[float, float]:
    """The last value before the jump, and the first after it."""
    while high - low > CLOSE * abs(high):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if setting(middle) == before:
            low = middle
        else:
            high = middle
    return low, high


# ----------------------------------------------------------------------
# `expect`: what a measure comes to where base rate and costs are not known exactly.


UNKNOWN, VARYING = "unknown", "varying"
NO_AVERAGE = "a range has no average, only a lowest and a highest value"
NOT_KEPT = "the rule cannot be satisfied in part of what is possible"
NO_ENDS = "a distribution without ends has no worst and best"
# Panels of the quadrature, by how many parts are distributions, and of the coarser one that bounds
# its error.
PANELS = {1: (24, 16), 2: (6, 4), 3: (2, 1)}
MOST_ROWS = 2_000_000
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
    at: Uncertain
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


class _Request(NamedTuple):
    measure: Measure
    readers: tuple[Reader, ...]
    at: Uncertain
    level: float
    kind: str


def expect(  # noqa: PLR0913 (each is a question of its own)
    counts: Counts | Points | Confusion | OperatingPoint | Mapping[str, Counts | Points],
    measure: str | Measure,
    *,
    at: Uncertain,
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
    if not isinstance(checked(at), Uncertain):
        raise refuse(
            "BR519",
            "these conditions are exact, so there is nothing to average",
            'measure(counts, "precision", …, at=at), or at=Conditions(prior="1e-5..1e-3")',
        )
    asked = named(measure, checked_volume(volume))
    readers = _readers(asked, counts, rule, threshold, volume)
    scene, *others = scenes(at, readers[0].own_prior)
    found = _Request(asked, readers, at, checked_level(level), _kind(asked, readers, at, kind))
    value, error = (
        _average(found, scene) if not others and not at.has_range else (Undefined(NO_AVERAGE), 0.0)
    )
    worst, best, holes = _extremes(found, [scene, *others])
    low, high = _bounds(found, [scene, *others]) if scene.believed else sorted((worst, best))
    if holes and rule is not None:
        worst = best = low = high = Undefined(NOT_KEPT)
    name = str(asked) if len(readers) == 1 else f"{asked} of {readers[1].name} - {readers[0].name}"
    notes = combine(
        assumption(at),
        (*_looked(found, scene), *_holed(found, rule, holes=holes), *_same_cases(readers)),
    )
    budget = parse_rule(rule, volume).budget is not None and not at.costs_given
    chosen = "" if all(reader.fixed for reader in readers) else "tpr" if budget else "expected_cost"
    return Expectation(
        value, low, high, worst, best, name, at, found.level, found.kind, error, chosen, notes
    )


def _holed(asked: _Request, rule: str | None, *, holes: bool) -> tuple[Note, ...]:
    """What is not defined everywhere says so."""
    if not holes:
        return ()
    return (
        Note(
            "BR588",
            f"{NOT_KEPT}: no worst, best or bounds are given"
            if rule is not None
            else (
                f"{asked.measure} is undefined in part of what is possible: worst, best and bounds"
                " are of the rest"
            ),
        ),
    )


def _same_cases(readers: Sequence[Reader]) -> tuple[Note, ...]:
    """Thresholds evaluated on the cases that chose them look better than they are."""
    chosen = not all(reader.fixed for reader in readers)
    return (Note("BR528", SAME_CASES, SHOW_ON_OTHERS),) if chosen else ()


def _kind(asked: Measure, readers: Sequence[Reader], at: Uncertain, kind: str | None) -> str:
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


def _checked_kind(kind: str | None, at: Uncertain, pooled: str) -> str:
    """The kind that was given; refused where none is, and of what is `pooled` it matters which."""
    if kind not in (None, UNKNOWN, VARYING):
        raise refuse(
            "BR588",
            f'kind is "{UNKNOWN}" or "{VARYING}", got {quoted(kind)}',
            Fix(f'kind="{UNKNOWN}"', f"--kind {UNKNOWN}"),
        )
    if isinstance(at.prior, BELIEVED) and pooled and kind is None:
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
    moves = asked.depends_on_prior or not all(reader.fixed for reader in readers)
    return moves and not _is_straight(asked)


def _is_straight(asked: Measure) -> bool:
    """Is it a plain average over cases, a straight line in the base rate?"""
    return (
        asked.name in ("posfrac", "accuracy", "error", "expected_cost", "net_benefit")
        or asked.counts_cases
    )


def _readers(
    asked: Measure, counts: Any, rule: str | None, threshold: Any, volume: float | None
) -> tuple[Reader, ...]:
    if asked.needs_counts:
        raise refuse(
            "BR588",
            f"{asked} counts the cases of the sample: it does not change with the conditions",
            "alerts, caught or expected_cost",
        )
    if not isinstance(counts, Mapping):
        return (reader_of("", counts, rule, threshold, (asked, volume)),)
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
        reader_of(name, one, rule, cuts[name], (asked, volume)) for name, one in counts.items()
    )


# ---- averages ---------------------------------------------------------------------------------


def _average(asked: _Request, scene: Scene) -> tuple[float, float]:
    """The average, or the long-run value, and how far two quadratures are apart."""
    smooth = [name for name in scene.believed if not isinstance(getattr(scene, name), Draws)]
    if len(smooth) > max(PANELS):
        raise refuse(
            "BR588",
            "more than three parts are distributions: too many to integrate to a known error",
            "give joint Draws of them",
        )
    fine, coarse = (
        _value(asked, _grid(asked, scene, panels)) for panels in PANELS[max(1, len(smooth))]
    )
    if math.isnan(fine):
        return Undefined(f"{asked.measure} is undefined in part of the assumed distribution"), 0.0
    return float(fine), abs(fine - coarse) + 1e-15 * abs(fine) if smooth else 1e-15 * abs(fine)


def _grid(asked: _Request, scene: Scene, panels: int) -> tuple[Where, Floats]:
    """Every combination of the places of the parts with a distribution, and their weights."""
    rest = [name for name in scene.believed if name not in scene.joint]
    nodes = [_nodes(asked, scene, name, panels) for name in rest]
    # Draws that belong together are one part: a row of them is one of its places.
    axes = [[(value,) for value in one.values.tolist()] for one in nodes]
    weights = [one.weights for one in nodes]
    if scene.joint:
        rows = (np.asarray(getattr(scene, name).values, dtype=np.float64) for name in scene.joint)
        together = list(zip(*(row.tolist() for row in rows), strict=True))
        axes = [together, *axes]
        weights = [np.full(len(together), 1 / len(together)), *weights]
    names = [*scene.joint, *rest]
    flat = [tuple(itertools.chain(*places)) for places in itertools.product(*axes)]
    if len(flat) > MOST_ROWS:
        raise refuse(
            "BR588",
            f"{len(flat)} combinations of values are too many",
            "give joint Draws, or fewer values",
        )
    combined = np.ones(1)
    for one in weights:
        combined = np.multiply.outer(combined, one).ravel()
    columns = np.array(flat, dtype=np.float64).reshape(len(flat), len(names)).T
    return _where(scene, dict(zip(names, columns, strict=True)), len(flat)), combined


def _where(scene: Scene, known: Mapping[str, Floats], length: int) -> Where:
    prior, fp, fn, tp, tn = (
        known[name] if name in known else np.full(length, float(getattr(scene, name)))
        for name in PARTS
    )
    return Where(prior, fp, fn, tp, tn, scene.costs_given)


def _nodes(asked: _Request, scene: Scene, name: str, panels: int) -> Any:
    """The places of one part; where it is the only one, between the values at which a choice
    changes.
    """
    part = getattr(scene, name)
    alone = len(scene.believed) == 1 and not isinstance(part, Draws)
    breaks = (
        np.concatenate([reader.sides(scene, name).values[::2] for reader in asked.readers])
        if alone
        else None
    )
    return part.nodes(panels, breaks)


def _value(asked: _Request, grid: tuple[Where, Floats]) -> float:
    where, weights = grid
    if asked.kind == VARYING and _is_pooled(asked.measure, asked.readers):
        parts = [reader.parts(asked.measure, where) for reader in asked.readers]
        sums = [
            (float(np.dot(above, weights)), float(np.dot(below, weights))) for above, below in parts
        ]
        ratios = [above / below if below else math.nan for above, below in sums]
        return ratios[-1] - (ratios[0] if len(ratios) > 1 else 0.0)
    return float(np.dot(_values(asked, where), weights))


def _values(asked: _Request, where: Where) -> Floats:
    """The measure, or the difference of two models, at every setting of the conditions."""
    found = [reader.values(asked.measure, where) for reader in asked.readers]
    return found[0] if len(found) == 1 else found[1] - found[0]


# ---- bounds, and ends -------------------------------------------------------------------------


def _monotone(asked: _Request) -> bool:
    """Does it rise or fall all along every part? A quotient of straight lines does, at a threshold
    that stays.
    """
    return len(asked.readers) == 1 and asked.readers[0].fixed and _is_plain(asked.measure)


def _is_plain(asked: Measure) -> bool:
    """Does it rise or fall all along every part while the threshold stays?"""
    return asked.parts is not None or not asked.depends_on_prior or _is_straight(asked)


def _is_exact(asked: _Request, scene: Scene) -> bool:
    """Are worst and best at the ends and at the borders of the choice? Of one model, yes; of two,
    along one part, if straight.
    """
    if _monotone(asked):
        return True
    spans = _spans(asked, scene)
    if not all(reader.exact for reader in asked.readers) or (
        spans and len(_spans(asked, scene, drawn=True)) > len(spans)
    ):
        return False
    if len(asked.readers) == 1:
        return _is_plain(asked.measure)
    return not spans or (
        len(spans) == 1 and (_is_straight(asked.measure) or not asked.measure.depends_on_prior)
    )


def _looked(asked: _Request, scene: Scene) -> tuple[Note, ...]:
    """Where a range was looked at in places, which."""
    if not asked.at.has_range:
        return ()
    costs = any(isinstance(part, Range) for part in asked.at.costs.values())
    grid = [f"{STEPS} base rates"] * isinstance(asked.at.prior, Range) + [
        f"{COST_STEPS} values of each cost"
    ] * costs
    where = f"on a grid of {' and '.join(grid)}, and where the choice is seen to change"
    if not _is_exact(asked, scene):
        return (
            Note(
                "BR588",
                f"over the range, worst and best were searched for {where}: between these it may go"
                " further",
            ),
        )
    if scene.believed and not _monotone(asked):
        return (
            Note(
                "BR588",
                f"over the range, low and high were searched for {where}; worst and best are exact",
            ),
        )
    return ()


def _bounds(asked: _Request, every: Sequence[Scene]) -> tuple[float, float]:
    """Between which values it lies in that share of the assumed distribution; over ranges, the
    widest of all.
    """
    tail = (1 - asked.level) / 2
    lows, highs = [], []
    for scene in _walked(asked, every):
        if not scene.believed:
            value = float(_values(asked, _where(scene, {}, 1))[0])
            pair = [value, value]
        elif len(scene.believed) == 1 and _monotone(asked):
            (name,) = scene.believed
            ends = np.array([getattr(scene, name).quantile(share) for share in (tail, 1 - tail)])
            pair = sorted(_values(asked, _where(scene, {name: ends}, 2)).tolist())
        else:
            where, weights = _grid(
                asked,
                scene,
                (
                    4 * PANELS[1][0]
                    if len(scene.believed) == 1
                    else PANELS[min(3, len(scene.believed))][0]
                ),
            )
            pair = _quantiles(_values(asked, where), weights, tail)
        lows.append(pair[0])
        highs.append(pair[1])
    return float(np.nanmin(lows)) if not np.isnan(lows).all() else math.nan, (
        float(np.nanmax(highs)) if not np.isnan(highs).all() else math.nan
    )


def _quantiles(values: Floats, weights: Floats, tail: float) -> list[float]:
    known = ~np.isnan(values)
    if not known.any():
        return [math.nan, math.nan]
    order = np.argsort(values[known])
    ordered, reached = values[known][order], np.cumsum(weights[known][order])
    reached = reached / reached[-1]
    places = np.minimum(np.searchsorted(reached, [tail, 1 - tail]), len(ordered) - 1)
    return [float(value) for value in ordered[places]]


def _spans(asked: _Request, scene: Scene, *, drawn: bool = False) -> dict[str, Any]:
    """The parts that may lie anywhere between two ends."""
    parts = {"prior": asked.at.prior, **asked.at.costs}
    believed = {
        name: part
        for name, part in parts.items()
        if name in scene.believed and (drawn or not isinstance(part, Draws))
    }
    return {name: part for name, part in parts.items() if isinstance(part, Range)} | believed


def _walked(asked: _Request, every: Sequence[Scene]) -> list[Scene]:
    """The corners of the ranges; where the measure may turn inside them, places across them."""
    spans = {
        name: part for name, part in _spans(asked, every[0]).items() if isinstance(part, Range)
    }
    if not spans or _monotone(asked):
        return list(every)
    grids = [
        [Fraction(value) for value in part.grid(STEPS if name == "prior" else COST_STEPS)]
        for name, part in spans.items()
    ]
    return [
        *every,
        *(
            every[0].given(**dict(zip(spans, values, strict=True)))
            for values in itertools.product(*grids)
        ),
    ]


def _extremes(asked: _Request, every: Sequence[Scene]) -> tuple[float, float, bool]:
    """The worst and the best over everything possible, and whether it is undefined in a part of
    that.
    """
    if any(getattr(scene, name).ends is None for scene in every for name in scene.believed):
        holes = any(
            np.isnan(
                _values(asked, _grid(asked, scene, PANELS[min(3, len(scene.believed))][0])[0])
            ).any()
            for scene in every
        )
        return Undefined(NO_ENDS), Undefined(NO_ENDS), holes
    found = [
        value for scene in _walked(asked, every) for value in _possible(asked, scene)
    ] + _beside_borders(asked, every[0])
    known = [value for value in found if not math.isnan(value)]
    if not known:
        return Undefined("undefined everywhere"), Undefined("undefined everywhere"), True
    low, high, holes = min(known), max(known), len(known) < len(found)
    return (low, high, holes) if asked.measure.direction == "higher" else (high, low, holes)


def _possible(asked: _Request, scene: Scene) -> list[float]:
    """Values among which are the extremes of one scene: at its ends, and where it may turn between
    them.
    """
    names = scene.believed
    if not names:
        return [float(_values(asked, _where(scene, {}, 1))[0])]
    found: list[float] = []
    if scene.joint or not _monotone(asked):
        found += _values(asked, _grid(asked, scene, PANELS[min(3, len(names))][0])[0]).tolist()
    if not scene.joint:
        ends = list(
            itertools.product(
                *([float(end) for end in getattr(scene, name).ends] for name in names)
            )
        )
        columns = np.array(ends, dtype=np.float64).T
        found += _values(
            asked, _where(scene, dict(zip(names, columns, strict=True)), len(ends))
        ).tolist()
    return found


def _beside_borders(asked: _Request, scene: Scene) -> list[float]:
    """Both sides of every place at which a choice changes, along every edge of the box of what may
    lie between two ends.
    """
    spans = _spans(asked, scene)
    if len(spans) < len(_spans(asked, scene, drawn=True)):
        return []
    found: list[float] = []
    for name, part in spans.items():
        others = [other for other in spans if other != name]
        for values in itertools.product(*(spans[other].ends for other in others)):
            edge = scene.given(
                **dict(zip(others, map(Fraction, values), strict=True)), **{name: part}
            )
            for reader in asked.readers:
                found += _on_sides(asked, reader, edge, name)
    return found


def _on_sides(asked: _Request, reader: Reader, edge: Scene, name: str) -> list[float]:
    """The statistic on both sides of where one reader's choice changes along one part, inside its
    ends.
    """
    low, high = (float(end) for end in getattr(edge, name).ends)
    sides = reader.sides(edge, name)
    inside = (sides.values > low) & (sides.values < high)
    if not inside.any():
        return []
    where = _where(edge, {name: sides.values[inside]}, int(inside.sum()))
    rates = sides.rates[0][inside], sides.rates[1][inside]
    found = [
        one.values(asked.measure, where, rates if one is reader else None) for one in asked.readers
    ]
    return list(map(float, found[0] if len(found) == 1 else found[1] - found[0]))


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
    at: Uncertain
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
    at: Uncertain,
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
    if not isinstance(checked(at), Uncertain):
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
        combine(points.notes, assumption(at)),
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


def _check_prior(at: Uncertain, name: str) -> None:
    if not isinstance(at.prior, (*BELIEVED, Range)):
        raise refuse(
            "BR588",
            f"the base rate is known, and {name} depends on nothing else",
            'at=Conditions(prior="1e-5..1e-3"), or the curve itself at one base rate',
        )


def _lines(
    points: Points, parts: tuple[Measure, Measure], at: Uncertain, places: Floats, panels: int
) -> _Lines:
    if isinstance(at.prior, Range):
        priors, weights = np.array(at.prior.grid(WALKED if parts[0].depends_on_prior else 2)), None
    else:
        nodes = at.prior.nodes(panels)
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
