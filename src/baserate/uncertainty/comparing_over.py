"""Two models compared where base rate and costs are not known exactly: over all of a range together, or on average of what is believed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.exact import Floats
from baserate.measures.confusions import NOT_SAID
from baserate.notes import Note
from baserate.points import Points
from baserate.spreads import Pilot, Range
from baserate.summaries.ranking import one_class
from baserate.uncertain import COST_STEPS, OUTCOMES, Drawn, Uncertain
from baserate.uncertainty.believing import PANELS, believed
from baserate.uncertainty.bootstrap import percentile_bounds, undefined_noted
from baserate.uncertainty.reading import rates_read
from baserate.uncertainty.statistics import Statistic
from baserate.uncertainty.values import BOTH

Both = tuple[Statistic, Statistic]
Again = Callable[[Conditions], Both]
# Places over a range of base rates, alone and beside ranges of costs; where a rule chooses, each takes its time.
ALONE, BESIDE, RULED = (65, COST_STEPS), (17, 5), (9, COST_STEPS)
ZOOMS, CLOSER = 4, 9


class Over(NamedTuple):
    """What was found: the values of both models, bounds of their difference, how likely chance is, and what to say of it."""

    seen: tuple[float, float]
    low: float
    high: float
    p_value: float
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class _Places:
    """Settings of a range, and the conditions at which each is read: averaged with these weights from each of these starts on."""

    rows: list[Drawn]
    weights: Floats
    starts: list[int]

    @classmethod
    def of(cls, settings: Sequence[Uncertain], *, quick: bool) -> _Places:
        rows: list[Drawn] = []
        weights, starts = [], []
        for setting in settings:
            found = believed(setting, PANELS if quick else dict.fromkeys(PANELS, 1))
            starts.append(len(rows))
            rows += found.rows
            weights.append(found.weights)
        return cls(rows, np.concatenate(weights), starts)

    def averaged(self, values: Floats) -> Floats:
        """One value a setting."""
        return np.asarray(np.add.reduceat(values * self.weights, self.starts))


def over_conditions(again: Again, at: Uncertain, whole: tuple[Counts, Counts], pairs: Iterator[list[Counts]], how: tuple[Any, ...]) -> Over:
    """Every resample is read where the conditions may lie: on average of what is believed, and over a range at places all over it.

    Over a range the bounds are the widest of all places, and chance is ruled out only where it is at every one of them, for the same model:
    the larger of the one-sided p-values along the range, doubled. The base rate of a pilot sample is drawn with every resample.
    """
    replicates, seed, level = how
    quick = _is_quick(again(at.middle()))
    settings = _settings(again, at, whole, quick=quick)
    places = _Places.of(settings, quick=quick)
    pilot = at.prior.draw(np.random.default_rng((seed, 0xC0DE)), replicates) if isinstance(at.prior, Pilot) else None
    values = np.empty((len(settings), replicates))
    for row, parts in enumerate(pairs):
        drawn = places.rows if pilot is None else [one._replace(prior=float(pilot[row])) for one in places.rows]
        first, second = (_read(again, at, place, counts, drawn) for place, counts in enumerate(parts))
        values[:, row] = places.averaged(second - first)
    kept, notes = [], list[Note]()
    for line in values:
        defined, said = undefined_noted(line)
        kept.append(defined)
        notes += said
    bounds = [percentile_bounds(line, level, BOTH) for line in kept]
    if at.has_range:
        notes.append(_looked(at, len(settings), quick=quick))
    middle = _Places.of([at if not at.has_range else _middle(at)], quick=quick)
    seen = [float(middle.averaged(_read(again, at, place, counts, middle.rows))[0]) for place, counts in enumerate(whole)]
    return Over((seen[0], seen[1]), min(low for low, _ in bounds), max(high for _, high in bounds), joint_p(kept), tuple(dict.fromkeys(notes)))


def joint_p(lines: list[Floats]) -> float:
    """Could the same model fail to lead somewhere along the range? Never 0, as only so many were drawn."""
    if not any(line.any() for line in lines):
        return 1.0
    not_above = max((int(np.count_nonzero(line <= 0)) + 1) / (len(line) + 1) for line in lines)
    not_below = max((int(np.count_nonzero(line >= 0)) + 1) / (len(line) + 1) for line in lines)
    return min(1.0, 2 * min(not_above, not_below))


def _looked(at: Uncertain, places: int, *, quick: bool) -> Note:
    where = ", those among them where the difference is least and most" if quick else ""
    text = f"the widest bounds of {places} places all over {at}{where}; the values are those at {_middle(at).middle()}"
    return Note("BR588", text)


def _is_quick(both: Both) -> bool:
    """Can both be read from rates, many conditions at once?"""
    return not any(one.measure is None or one.ruled or one.measure.needs_counts for one in both)


# ---- which places -----------------------------------------------------------------------------------------------------------------


def _settings(again: Again, at: Uncertain, whole: tuple[Counts, Counts], *, quick: bool) -> list[Uncertain]:
    """Places all over the ranges, and where the difference on these cases is least and most."""
    if not at.has_range:
        return [at]
    if not quick:
        return list(at.pinned(*RULED))
    several = any(isinstance(part, Range) for part in at.costs.values())
    found = list(at.pinned(*(BESIDE if several else ALONE)))
    return [*found, *_extremes(again, at, whole, found)]


def _extremes(again: Again, at: Uncertain, whole: tuple[Counts, Counts], found: list[Uncertain]) -> list[Uncertain]:
    """Closer and closer about the places where the difference is least and most; the difference bends where a choice changes."""
    ends = []
    for sign in (1, -1):
        best, box = _least(again, at, whole, found, sign), _spans(at)
        for _ in range(ZOOMS):
            box = {name: _about(part, _part(best, name), BESIDE[0] if name == "prior" else BESIDE[1]) for name, part in box.items()}
            best = _least(again, at, whole, [best, *_with(at, box).pinned(CLOSER, CLOSER)], sign)
        ends.append(best)
    return ends


def _least(again: Again, at: Uncertain, whole: tuple[Counts, Counts], settings: list[Uncertain], sign: int) -> Uncertain:
    places = _Places.of(settings, quick=True)
    first, second = (_read(again, at, place, counts, places.rows) for place, counts in enumerate(whole))
    values = sign * places.averaged(second - first)
    return settings[int(np.nanargmin(values))] if not np.isnan(values).all() else settings[0]


def _spans(at: Uncertain) -> dict[str, Range]:
    return {name: part for name in ("prior", *OUTCOMES) if isinstance(part := _part(at, name), Range)}


def _part(at: Uncertain, name: str) -> Any:
    return at.prior if name == "prior" else at.costs[name]


def _with(at: Uncertain, parts: dict[str, Any]) -> Uncertain:
    costs = {name: parts.get(name, at.costs[name]) for name in OUTCOMES} if at.costs_given else None
    return Uncertain(parts.get("prior", at.prior), costs, earned=at.earned)


def _middle(at: Uncertain) -> Uncertain:
    """The same with every range in its middle; what is believed stays so."""
    return _with(at, {name: part.middle for name, part in _spans(at).items()})


def _about(part: Range, value: float, steps: int) -> Range:
    """From the neighbour below to the neighbour above, where the range is walked in so many steps."""
    grid = part.grid(steps)
    place = int(np.argmin(np.abs(np.asarray(grid) - float(value))))
    return Range(grid[max(0, place - 1)], grid[min(len(grid) - 1, place + 1)])


# ---- one model at many conditions -------------------------------------------------------------------------------------------------


def _read(again: Again, at: Uncertain, place: int, counts: Counts, drawn: list[Drawn]) -> Floats:
    """One model at each of these conditions: by its rates where no rule chooses, which is quick, otherwise one by one."""
    asked = again(at.middle())[place]
    if not _is_quick((asked, asked)):
        return np.array([again(at.known(one))[place].tried(counts) for one in drawn])
    points = Points.of(counts)
    if one_class(points) or asked.measure is None:
        return np.full(len(drawn), np.nan)
    columns = np.array([[points.prior if value is None else value for value in one] for one in drawn], dtype=np.float64).T
    prior, costs = columns[0], dict(zip(OUTCOMES, columns[1:], strict=True))
    rates = _fixed(points, asked.threshold, len(drawn)) if asked.threshold is not NOT_SAID else _cheapest(points, prior, costs)
    return np.array(rates_read(asked.measure, rates, prior, (costs["tp"], costs["fp"], costs["fn"], costs["tn"])))


def _fixed(points: Points, threshold: Any, length: int) -> tuple[Floats, Floats]:
    place = points.place(threshold)
    return np.full(length, points.tpr[place]), np.full(length, points.fpr[place])


def _cheapest(points: Points, prior: Floats, costs: dict[str, Floats]) -> tuple[Floats, Floats]:
    """The rates of the cheapest corner of the hull at each of the conditions; among equals the one that flags least."""
    hull = points.hull()
    tpr, fpr, fnr = hull.tpr, hull.fpr, hull.fn / hull.total_positives
    loss = np.outer(prior * (costs["fn"] - costs["tp"]), fnr) + np.outer((1 - prior) * (costs["fp"] - costs["tn"]), fpr)
    best = np.argmin(loss, axis=1)
    return tpr[best], fpr[best]
