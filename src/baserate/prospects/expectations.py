"""`expect`: what a measure comes to where base rate and costs are not known exactly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import told
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.remarks import SAME_CASES
from baserate.decisions.rules import parse_rule
from baserate.errors import Fix, quoted, refuse
from baserate.exact import Floats
from baserate.measures.confusions import NOT_SAID, Confusion, checked_volume
from baserate.measures.values import Measure, in_costs, named
from baserate.notes import Note, combine
from baserate.points import Points
from baserate.prospects.reading import Reader, Where, reader_of
from baserate.prospects.regrets import assumption
from baserate.prospects.scenes import PARTS, Scene, checked, scenes
from baserate.spreads import BELIEVED, Draws, Range
from baserate.uncertain import Uncertain
from baserate.uncertainty.values import checked_level
from baserate.undefined import Undefined

UNKNOWN, VARYING = "unknown", "varying"
NO_AVERAGE = "nothing says how often each value of a range comes"
NOT_KEPT = "the rule cannot be kept in part of what is possible"
NO_ENDS = "a distribution without ends has no worst and best"
# Panels of the quadrature, by how many parts are distributions, and of the coarser one that bounds its error.
PANELS = {1: (24, 16), 2: (6, 4), 3: (2, 1)}
MOST_ROWS = 2_000_000
# Places over a range, where a measure may turn inside it.
STEPS, COST_STEPS = 65, 9


@dataclass(frozen=True)
class Expectation:
    """What a measure comes to over uncertain conditions.

    `value` is its average over what is believed (or, where the base rate varies, its long-run value), with `error` a bound on the error of
    the integration; undefined over a range, which has no average. From `low` to `high` it lies in `level` of what is believed, over all of
    a range together; `worst` and `best` are over everything possible. `optimized` says by what the threshold was chosen anew for every value
    of the conditions, "tpr" under a budget without costs; it is empty for a threshold that stays. Cases are taken as they are: for sampling
    error too, ask `interval`.
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
        value = "no average" if isinstance(self.value, Undefined) else f"{self.value:.4g} on average"
        kind = f", base rate {self.kind}" if self.kind else ""
        spread = f"{100 * self.level:g} % from {self.low:.4g} to {self.high:.4g}"
        where = told(self.at, by_cost=in_costs(self.optimized, self.name))
        return f"Expectation: {self.name} {value}, {spread}{kind}; at {where}"


class _Asked(NamedTuple):
    measure: Measure
    readers: tuple[Reader, ...]
    at: Uncertain
    level: float
    kind: str


def expect(  # noqa: PLR0913 (each is a question of its own)
    measure: str | Measure,
    counts: Counts | Points | Confusion | OperatingPoint | Mapping[str, Counts | Points],
    *,
    at: Uncertain,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    kind: str | None = None,
    volume: float | None = None,
    level: float = 0.95,
) -> Expectation:
    """What does this measure come to over all that is believed, or possible, of base rate and costs?

    Read at a `threshold`, or where a `rule` (or the least cost) chooses it anew for every value of the conditions; with a budget and no
    costs, the one that catches most within it. Of two models by name,
    the difference of the second and the first. Where the base rate is a distribution and the measure is no plain average over it, `kind`
    must say which question is meant: "unknown", one true base rate that is not known, gives the average of the measure; "varying", from day
    to day or site to site, gives its long-run value, all cases pooled.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    >>> days = br.Uncertain(prior=br.LogUniform(1e-4, 1e-2))
    >>> found = br.expect("precision", counts, threshold=3, at=days, kind="unknown")
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
    (0.3611, 0.0481, 0.8019)
    >>> round(br.expect("precision", counts, threshold=3, at=days, kind="varying").value, 4)
    0.4923
    """
    if not isinstance(checked(at), Uncertain):
        raise refuse("BR519", "conditions that are known need no average", 'measure("precision", …, at=at), or at=Uncertain(...)')
    asked = named(measure, checked_volume(volume))
    readers = _readers(asked, counts, rule, threshold, volume)
    (scene, *others) = scenes(at, readers[0].own_prior)
    found = _Asked(asked, readers, at, checked_level(level), _kind(asked, readers, at, kind))
    value, error = _average(found, scene) if not others and not at.has_range else (Undefined(NO_AVERAGE), 0.0)
    worst, best, holes = _extremes(found, [scene, *others])
    low, high = _bounds(found, [scene, *others]) if scene.believed else sorted((worst, best))
    if holes and rule is not None:
        worst = best = low = high = Undefined(NOT_KEPT)
    name = str(asked) if len(readers) == 1 else f"{asked} of {readers[1].name} - {readers[0].name}"
    notes = combine(assumption(at), (*_looked(found, scene), *_holed(found, rule, holes=holes), *_same_cases(readers)))
    budget = parse_rule(rule, volume).budget is not None and not at.costs_given
    chosen = "" if all(reader.fixed for reader in readers) else "tpr" if budget else "expected_cost"
    return Expectation(value, low, high, worst, best, name, at, found.level, found.kind, error, chosen, notes)


def _holed(asked: _Asked, rule: str | None, *, holes: bool) -> tuple[Note, ...]:
    """What is not defined everywhere says so."""
    if not holes:
        return ()
    text = (
        f"{NOT_KEPT}: no worst, best or bounds are given"
        if rule is not None
        else (f"{asked.measure} is undefined in part of what is possible: worst, best and bounds are of the rest")
    )
    return (Note("BR588", text),)


def _same_cases(readers: Sequence[Reader]) -> tuple[Note, ...]:
    """Thresholds that are chosen on the cases that they are judged on look better than they are."""
    return () if all(reader.fixed for reader in readers) else (Note("BR528", SAME_CASES),)


def _kind(asked: Measure, readers: Sequence[Reader], at: Uncertain, kind: str | None) -> str:
    """Which question of the base rate is asked; where it makes no difference, none."""
    if kind not in (None, UNKNOWN, VARYING):
        raise refuse("BR588", f'kind is "{UNKNOWN}" or "{VARYING}", got {quoted(kind)}', Fix(f'kind="{UNKNOWN}"', f"--kind {UNKNOWN}"))
    pooled = _is_pooled(asked, readers)
    if isinstance(at.prior, BELIEVED) and pooled and kind is None:
        text = f"is the base rate unknown, or does it vary? The average of {asked} and its long-run value differ"
        fix = Fix(
            f'kind="{UNKNOWN}" (one true base rate) or kind="{VARYING}" (days, sites)',
            f"--kind {UNKNOWN} (one true base rate) or --kind {VARYING} (days, sites)",
        )
        raise refuse("BR588", text, fix)
    if kind == VARYING and pooled and asked.parts is None:
        raise refuse("BR588", f"{asked} is no share of outcomes: there is no long-run value of it", f'kind="{UNKNOWN}"')
    return kind or ""


def _is_pooled(asked: Measure, readers: Sequence[Reader]) -> bool:
    """Is its long-run value another one than its average? Where the threshold follows the base rate, that of rates is too: tpr is weighted by
    the positives of each day.
    """
    moves = asked.depends_on_prior or not all(reader.fixed for reader in readers)
    return moves and not _is_straight(asked)


def _is_straight(asked: Measure) -> bool:
    """Is it a plain average over cases, a straight line in the base rate?"""
    return asked.name in ("posfrac", "accuracy", "error", "expected_cost", "net_benefit") or asked.counts_cases


def _readers(asked: Measure, counts: Any, rule: str | None, threshold: Any, volume: float | None) -> tuple[Reader, ...]:
    if asked.needs_counts:
        text = f"{asked} counts the cases of the sample: it does not change with the conditions"
        raise refuse("BR588", text, "alerts, caught or expected_cost")
    if not isinstance(counts, Mapping):
        return (reader_of("", counts, rule, threshold, (asked, volume)),)
    if len(counts) != 2:
        raise refuse("BR410", f"a difference is that of two models, got {len(counts)}", '{"a": first, "b": second}')
    cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(counts, threshold)
    if set(cuts) != set(counts):
        raise refuse("BR529", "a threshold is needed for each model", 'threshold={"a": 0.5, "b": 0.3}')
    return tuple(reader_of(name, one, rule, cuts[name], (asked, volume)) for name, one in counts.items())


# ---- averages ------------------------------------------------------------------------------------------------------------------


def _average(asked: _Asked, scene: Scene) -> tuple[float, float]:
    """The average, or the long-run value, and how far two quadratures are apart."""
    smooth = [name for name in scene.believed if not isinstance(getattr(scene, name), Draws)]
    if len(smooth) > max(PANELS):
        raise refuse("BR588", "more than three parts are distributions: too many to integrate to a known error", "give joint Draws of them")
    fine, coarse = (_value(asked, _grid(asked, scene, panels)) for panels in PANELS[max(1, len(smooth))])
    if math.isnan(fine):
        return Undefined(f"{asked.measure} is undefined in part of the assumed distribution"), 0.0
    return float(fine), abs(fine - coarse) + 1e-15 * abs(fine) if smooth else 1e-15 * abs(fine)


def _grid(asked: _Asked, scene: Scene, panels: int) -> tuple[Where, Floats]:
    """Every combination of the places of the believed parts, and their weights."""
    if scene.joint:
        rows = [np.asarray(getattr(scene, name).values, dtype=np.float64) for name in scene.joint]
        rest = [name for name in scene.believed if name not in scene.joint]
        axes = [list(zip(*(row.tolist() for row in rows), strict=True)), *(_nodes(asked, scene, name, panels).values.tolist() for name in rest)]
        weights = [np.full(len(rows[0]), 1 / len(rows[0])), *(_nodes(asked, scene, name, panels).weights for name in rest)]
        names = [*scene.joint, *rest]
        flat = [(*first, *others) for first, *others in itertools.product(*axes)]
    else:
        names = list(scene.believed)
        nodes = [_nodes(asked, scene, name, panels) for name in names]
        flat, weights = list(itertools.product(*(one.values.tolist() for one in nodes))), [one.weights for one in nodes]
    if len(flat) > MOST_ROWS:
        raise refuse("BR588", f"{len(flat)} combinations of values are too many", "give joint Draws, or fewer values")
    together = np.ones(1)
    for one in weights:
        together = np.multiply.outer(together, one).ravel()
    columns = np.array(flat, dtype=np.float64).reshape(len(flat), len(names)).T
    return _where(scene, dict(zip(names, columns, strict=True)), len(flat)), together


def _where(scene: Scene, known: Mapping[str, Floats], length: int) -> Where:
    prior, fp, fn, tp, tn = (known[name] if name in known else np.full(length, float(getattr(scene, name))) for name in PARTS)
    return Where(prior, fp, fn, tp, tn, scene.costs_given)


def _nodes(asked: _Asked, scene: Scene, name: str, panels: int) -> Any:
    """The places of one part; where it is the only one, between the values at which a choice changes."""
    part = getattr(scene, name)
    alone = len(scene.believed) == 1 and not isinstance(part, Draws)
    breaks = np.concatenate([reader.breaks(scene, name) for reader in asked.readers]) if alone else None
    return part.nodes(panels, breaks)


def _value(asked: _Asked, grid: tuple[Where, Floats]) -> float:
    where, weights = grid
    if asked.kind == VARYING and _is_pooled(asked.measure, asked.readers):
        parts = [reader.parts(asked.measure, where) for reader in asked.readers]
        sums = [(float(np.dot(above, weights)), float(np.dot(below, weights))) for above, below in parts]
        ratios = [above / below if below else math.nan for above, below in sums]
        return ratios[-1] - (ratios[0] if len(ratios) > 1 else 0.0)
    return float(np.dot(_values(asked, where), weights))


def _values(asked: _Asked, where: Where) -> Floats:
    """The measure, or the difference of two models, at every setting of the conditions."""
    found = [reader.values(asked.measure, where) for reader in asked.readers]
    return found[0] if len(found) == 1 else found[1] - found[0]


# ---- bounds, and ends ----------------------------------------------------------------------------------------------------------


def _monotone(asked: _Asked) -> bool:
    """Does it rise or fall all along every part? A quotient of straight lines does, at a threshold that stays."""
    return len(asked.readers) == 1 and asked.readers[0].fixed and _is_plain(asked.measure)


def _is_plain(asked: Measure) -> bool:
    """Does it rise or fall all along every part while the threshold stays?"""
    return asked.parts is not None or not asked.depends_on_prior or _is_straight(asked)


def _is_exact(asked: _Asked, scene: Scene) -> bool:
    """Are worst and best at the ends and at the borders of the choice? Of one model, yes; of two, along one part, if straight."""
    if _monotone(asked):
        return True
    spans = _spans(asked, scene)
    if not all(reader.exact for reader in asked.readers) or (spans and len(_spans(asked, scene, drawn=True)) > len(spans)):
        return False
    if len(asked.readers) == 1:
        return _is_plain(asked.measure)
    return not spans or (len(spans) == 1 and (_is_straight(asked.measure) or not asked.measure.depends_on_prior))


def _looked(asked: _Asked, scene: Scene) -> tuple[Note, ...]:
    """Where a range was looked at in places, which."""
    if not asked.at.has_range:
        return ()
    costs = any(isinstance(part, Range) for part in asked.at.costs.values())
    grid = [f"{STEPS} base rates"] * isinstance(asked.at.prior, Range) + [f"{COST_STEPS} values of each cost"] * costs
    where = f"on a grid of {' and '.join(grid)}, and where the choice is seen to change"
    if not _is_exact(asked, scene):
        return (Note("BR588", f"over the range, worst and best were looked for {where}: between these it may go further"),)
    if scene.believed and not _monotone(asked):
        return (Note("BR588", f"over the range, low and high were looked for {where}; worst and best are exact"),)
    return ()


def _bounds(asked: _Asked, every: Sequence[Scene]) -> tuple[float, float]:
    """Between which values it lies in so much of what is believed; over ranges, the widest of all."""
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
            where, weights = _grid(asked, scene, 4 * PANELS[1][0] if len(scene.believed) == 1 else PANELS[min(3, len(scene.believed))][0])
            pair = _quantiles(_values(asked, where), weights, tail)
        lows.append(pair[0])
        highs.append(pair[1])
    return float(np.nanmin(lows)) if not np.isnan(lows).all() else math.nan, float(np.nanmax(highs)) if not np.isnan(highs).all() else math.nan


def _quantiles(values: Floats, weights: Floats, tail: float) -> list[float]:
    known = ~np.isnan(values)
    if not known.any():
        return [math.nan, math.nan]
    order = np.argsort(values[known])
    ordered, reached = values[known][order], np.cumsum(weights[known][order])
    reached = reached / reached[-1]
    places = np.minimum(np.searchsorted(reached, [tail, 1 - tail]), len(ordered) - 1)
    return [float(value) for value in ordered[places]]


def _spans(asked: _Asked, scene: Scene, *, drawn: bool = False) -> dict[str, Any]:
    """The parts that may lie anywhere between two ends."""
    parts = {"prior": asked.at.prior, **asked.at.costs}
    believed = {name: part for name, part in parts.items() if name in scene.believed and (drawn or not isinstance(part, Draws))}
    return {name: part for name, part in parts.items() if isinstance(part, Range)} | believed


def _walked(asked: _Asked, every: Sequence[Scene]) -> list[Scene]:
    """The corners of the ranges; where the measure may turn inside them, places all over."""
    spans = {name: part for name, part in _spans(asked, every[0]).items() if isinstance(part, Range)}
    if not spans or _monotone(asked):
        return list(every)
    grids = [[Fraction(value) for value in part.grid(STEPS if name == "prior" else COST_STEPS)] for name, part in spans.items()]
    return [*every, *(every[0].given(**dict(zip(spans, values, strict=True))) for values in itertools.product(*grids))]


def _extremes(asked: _Asked, every: Sequence[Scene]) -> tuple[float, float, bool]:
    """The worst and the best over everything possible, and whether it is undefined in a part of that."""
    if any(getattr(scene, name).ends is None for scene in every for name in scene.believed):
        holes = any(np.isnan(_values(asked, _grid(asked, scene, PANELS[min(3, len(scene.believed))][0])[0])).any() for scene in every)
        return Undefined(NO_ENDS), Undefined(NO_ENDS), holes
    found = [value for scene in _walked(asked, every) for value in _possible(asked, scene)] + _beside_borders(asked, every[0])
    known = [value for value in found if not math.isnan(value)]
    if not known:
        return Undefined("undefined everywhere"), Undefined("undefined everywhere"), True
    low, high, holes = min(known), max(known), len(known) < len(found)
    return (low, high, holes) if asked.measure.direction == "higher" else (high, low, holes)


def _possible(asked: _Asked, scene: Scene) -> list[float]:
    """Values among which are the extremes of one scene: at its ends, and where it may turn between them."""
    names = scene.believed
    if not names:
        return [float(_values(asked, _where(scene, {}, 1))[0])]
    found: list[float] = []
    if scene.joint or not _monotone(asked):
        found += _values(asked, _grid(asked, scene, PANELS[min(3, len(names))][0])[0]).tolist()
    if not scene.joint:
        ends = list(itertools.product(*([float(end) for end in getattr(scene, name).ends] for name in names)))
        columns = np.array(ends, dtype=np.float64).T
        found += _values(asked, _where(scene, dict(zip(names, columns, strict=True)), len(ends))).tolist()
    return found


def _beside_borders(asked: _Asked, scene: Scene) -> list[float]:
    """Both sides of every place at which a choice changes, along every edge of the box of what may lie between two ends."""
    spans = _spans(asked, scene)
    if len(spans) < len(_spans(asked, scene, drawn=True)):
        return []
    found: list[float] = []
    for name, part in spans.items():
        others = [other for other in spans if other != name]
        for values in itertools.product(*(spans[other].ends for other in others)):
            edge = scene.given(**dict(zip(others, map(Fraction, values), strict=True)), **{name: part})
            for reader in asked.readers:
                found += _on_sides(asked, reader, edge, name)
    return found


def _on_sides(asked: _Asked, reader: Reader, edge: Scene, name: str) -> list[float]:
    """What is asked on both sides of where one reader's choice changes along one part, inside its ends."""
    low, high = (float(end) for end in getattr(edge, name).ends)
    sides = reader.sides(edge, name)
    inside = (sides.values > low) & (sides.values < high)
    if not inside.any():
        return []
    where = _where(edge, {name: sides.values[inside]}, int(inside.sum()))
    rates = sides.rates[0][inside], sides.rates[1][inside]
    found = [one.values(asked.measure, where, rates if one is reader else None) for one in asked.readers]
    return list(map(float, found[0] if len(found) == 1 else found[1] - found[0]))
