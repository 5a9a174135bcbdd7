"""Stability: how far may the base rate or a cost be off before another choice is better?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from baserate.conditions import PARTS, Conditions, told
from baserate.counts.cells import short
from baserate.counts.counts import JointCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import highest_below
from baserate.decisions.regret import (
    JUDGED,
    candidates,
    check_conditions,
    note_assumption,
    note_threshold,
    own_priors,
    resolve_conditions,
)
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING, Region, corners, prior_at, regions
from baserate.decisions.rules import parse_rule
from baserate.decisions.winner_map import from_zero, map_winners
from baserate.distributions import Draws, Range, Spread
from baserate.errors import Note, combine, refuse
from baserate.numbers import Viewed, exactly, rounded

# How much of a distribution lies beyond either of the values that count as its ends.
TAIL = 0.025

Settings = Mapping[str, Any]


class Stays(NamedTuple):
    """The range of one number within which the choice stays the same, all else equal, and what
    is chosen below and above.
    """

    low: float
    high: float
    below: Settings
    above: Settings


class Change(NamedTuple):
    """One number, its value, and the nearest value at which another choice is better, also as a
    factor.
    """

    part: str
    now: float
    then: float
    factor: float
    becomes: Settings


@dataclass(frozen=True)
class Stability(Viewed):
    """How firm is the choice at these conditions?

    `held` has, for the prior and each cost, between which values model and threshold stay cheapest,
    all else as it is; `model_held` the same for the model at whatever threshold; `break_even`
    between which values the chosen model beats flagging nothing and everything. `changes` are the
    nearest values at which another choice is better, the smallest change first. Where conditions
    are uncertain they are read in the middle, and `decisive` names the parts whose own
    uncertainty (of a distribution, its central 95 %) reaches beyond what holds the choice.
    """

    models: tuple[str, ...]
    thresholds: tuple[float | None, ...]
    at: Conditions
    cost: float
    held: Mapping[str, Stays]
    model_held: Mapping[str, tuple[float, float]]
    break_even: Mapping[str, tuple[float, float]]
    decisive: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    # The highest score below the threshold, by which it is shown in few digits.
    below: float | None = field(default=None, compare=False, repr=False)

    @property
    def model(self) -> str:
        return self.models[0]

    @property
    def threshold(self) -> float | None:
        return self.thresholds[0]

    @property
    def changes(self) -> tuple[Change, ...]:
        """Single numbers that would change the decision, by how little they would have to
        change.
        """
        found = []
        for part, held in self.held.items():
            now = float(self.at.prior if part == "prior" else getattr(self.at.costs, part))
            for then, becomes in ((held.low, held.below), (held.high, held.above)):
                if becomes and now > 0 and then > 0:
                    found.append(Change(part, now, then, then / now, becomes))
        return tuple(sorted(found, key=lambda change: abs(math.log(change.factor))))

    def __repr__(self) -> str:
        prior, best = self.held["prior"], "cheapest" if self.at.costs_given else "fewest errors"
        where = (
            self.model
            if self.model in (NOTHING, EVERYTHING)
            else f"{self.model} at score ≥ {short(self.threshold, self.below)}"
        )
        return (
            f"Stability: {where}; {best} from prior {prior.low:.4g} to {prior.high:.4g}; at"
            f" {told(self.at, by_cost=True)}"
        )


def stability(
    models: JointCounts | Mapping[str, Any],
    rule: str | None = None,
    *,
    at: Conditions,
) -> Stability:
    """Within which base rates and costs does the cheapest choice stay the same, and what single
    number would change it?

    Exact, from the borders of the winner map. A rule must not depend on the base rate (tpr and fpr
    may be limited).

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> found = br.robustness.stability({"a": a}, at=br.Conditions(0.01, br.Costs(fp=1, fn=10)))
    >>> found
    Stability: a at score ≥ 2; cheapest from prior 0.001664 to 0.0625; at a base rate of 1%, costs (fp = 1, fn = 10)
    >>> found.held["fn"].low, found.held["fn"].high, found.changes[0].part
    (1.65, 66.0, 'prior')
    """  # noqa: E501
    every = candidates(models)
    if len(every[0].sites) > 1:
        raise refuse("BR588", "stability is computed for one site at a time", "groups[site]")
    points = {one.name: one.points for one in every}
    (own,) = own_priors(every).values()
    conditions = resolve_conditions(check_conditions(at), own)
    found = _regions(points, rule)
    miss, alarm = conditions.at_stake
    effective = miss / (miss + alarm)
    place = next(i for i, region in enumerate(found) if region.low <= effective <= region.high)
    corner = found[place].corner
    held = {part: _held(found, place, place, part, conditions) for part in PARTS}
    run = _run(found, place)
    names = tuple(corner.settings)
    chosen = points.get(names[0])  # none where nothing or everything is flagged
    prior, costs = conditions.exact_prior, conditions.costs
    base = prior * exactly(costs.tp) + (1 - prior) * exactly(costs.tn)
    return Stability(
        names,
        tuple(corner.settings.values()),
        conditions,
        rounded(base + corner.stake(miss, alarm)),
        held,
        {part: tuple(_held(found, *run, part, conditions)[:2]) for part in PARTS},  # type: ignore[misc]
        {} if chosen is None else _break_even(chosen, conditions),
        _decisive(at, held),
        combine(note_assumption(at), _remarks(points, found, place, at)),
        (
            None
            if chosen is None
            else highest_below(chosen, chosen.place(corner.settings[names[0]]))
        ),
    )


def _remarks(
    points: Mapping[str, Points], found: Sequence[Region], place: int, at: Conditions
) -> tuple[Note, ...]:
    name, cut = next(iter(found[place].corner.settings.items()))
    if name in (NOTHING, EVERYTHING):
        return ()
    unseen = from_zero(found, points) if place == 0 else ()
    return (*unseen, JUDGED) if unseen else note_threshold(points[name], cut, at)


def _regions(points: Mapping[str, Points], rule: str | None) -> Sequence[Region]:
    if rule is None:
        return regions(corners(points))
    found = map_winners(points, parse_rule(rule))
    if not found.wins:
        raise refuse(
            "BR534",
            f"which thresholds satisfy {found.rule} depends on the base rate, so there is no single"
            " stable range",
            "limit tpr or fpr, or look at winner_map(models, rule).along(prior)",
        )
    return found._regions


def _run(found: Sequence[Region], place: int) -> tuple[int, int]:
    """The neighbouring regions that the same model wins, at whatever threshold."""
    names = set(found[place].corner.settings)
    first = last = place
    while first > 0 and names & set(found[first - 1].corner.settings):
        first -= 1
    while last < len(found) - 1 and names & set(found[last + 1].corner.settings):
        last += 1
    return first, last


def _held(found: Sequence[Region], first: int, last: int, part: str, at: Conditions) -> Stays:
    """Between which values of one part the regions from first to last win."""
    ends = _value(found[first].low, part, at), _value(found[last].high, part, at)
    before = dict(found[first - 1].corner.settings) if first > 0 else {}
    after = dict(found[last + 1].corner.settings) if last < len(found) - 1 else {}
    return (
        Stays(*ends, before, after)
        if part in ("prior", "fn", "tn")
        else Stays(ends[1], ends[0], after, before)
    )


def _value(effective: Fraction, part: str, at: Conditions) -> float:
    """The value of one part that makes this effective prior, all else as it is."""
    prior, costs = at.exact_prior, at.costs
    if part == "prior":
        return rounded(prior_at(effective, costs))
    sign = 1 if part in ("fn", "fp") else -1
    other = exactly(getattr(costs, {"fn": "tp", "tp": "fn", "fp": "tn", "tn": "fp"}[part]))
    miss, alarm = at.at_stake
    share, stake, cases = (
        (effective, alarm, prior) if part in ("fn", "tp") else (1 - effective, miss, 1 - prior)
    )
    if share == 1:
        return sign * math.inf
    return rounded(other + sign * share / (1 - share) * stake / cases)


def _break_even(points: Points, at: Conditions) -> dict[str, tuple[float, float]]:
    """Between which values of each part the model alone beats flagging nothing and everything."""
    found = regions(corners({"model": points}))
    own = [i for i, region in enumerate(found) if "model" in region.corner.settings]
    return {part: tuple(_held(found, own[0], own[-1], part, at)[:2]) for part in PARTS}  # type: ignore[misc]


def _decisive(at: Conditions, held: Mapping[str, Stays]) -> tuple[str, ...]:
    """The parts that may lie outside what holds the choice, all else in the middle."""
    spreads = {**at.ranges, **at.believed}
    ends = {name: _mostly(spreads[name]) for name in PARTS if name in spreads}
    return tuple(
        name for name, (low, high) in ends.items() if low < held[name].low or high > held[name].high
    )


def _mostly(part: Spread) -> tuple[float, float]:
    """The values between which it lies; of a distribution the central 95 %, as its ends are next to
    never reached.
    """
    return (
        part.ends
        if isinstance(part, Range | Draws)
        else (part.quantile(TAIL), part.quantile(1 - TAIL))
    )
