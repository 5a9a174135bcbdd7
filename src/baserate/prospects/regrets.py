"""Regret: how much more a setting costs than the best there would have been, had one known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.decisions.borders import EVERYTHING, NOTHING, Corner, Region, corners, regions
from baserate.decisions.choosing import flag_at
from baserate.decisions.remarks import SAME_CASES
from baserate.decisions.rules import Term
from baserate.decisions.searching import keeping
from baserate.errors import quoted, refuse
from baserate.notes import Note
from baserate.points import Points
from baserate.prospects.integrals import Least, least
from baserate.prospects.scenes import Scene, Stakes, checked, scenes
from baserate.prospects.settings import HERE, Candidates, Model, candidates, exact_rates, own_priors
from baserate.spreads import Draws
from baserate.uncertain import Uncertain

# Of what the best costs on average, less than which no difference can be told from rounding.
NEXT_TO_NOTHING = 1e-13
# False positive rates that the sample is too small to show.
UNSEEN = "BR505"
# What a false alarm costs where a budget limits them, and nothing else does.
ALARMS = Fraction(0)
JUDGED = Note("BR528", SAME_CASES)


@dataclass(frozen=True)
class Regret:
    """How much more does this setting cost a case than the best there would be, where that is most?

    `at` are the conditions (or, where something is believed, the middle of them) at which `value` is reached, `site` the site; `instead`
    is what would be best there, by model. Where a part is a distribution, costs are averages over it and `least` is that of choosing anew
    for each of its values. Under a budget without costs, `cost` is the positives missed a case and `least` that of the best threshold
    within the budget. `error` bounds the error of the integration; 0 where everything is exact.
    """

    value: float
    model: str
    threshold: float | None
    cost: float
    least: float
    at: Conditions
    instead: Mapping[str, float | None]
    site: Any = None
    averaged: bool = False
    error: float = 0.0
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)


class Staged(NamedTuple):
    """A scene with what is at stake in it, who would be best, and what that costs."""

    scene: Scene
    stakes: Stakes
    regions: list[Region]
    least: Least

    def regret(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        return self.stakes.miss * (1 - tpr) + self.stakes.alarm * fpr - self.least.value


def staged(every: list[Candidates], at: Uncertain | Conditions) -> list[Staged]:
    """Every scene: against the best over all models, thresholds and both answers for all."""
    borders = {site: regions(corners({one.name: one.sites[site] for one in every})) for site in every[0].sites}
    every_scene = scenes(at, own_priors(every))
    return [Staged(scene, scene.stakes, borders[scene.site], least(borders[scene.site], scene)) for scene in every_scene]


# ---- a budget, and no costs: what is missed beside the best within the budget ---------------------------------------------------


def staged_within(every: list[Candidates], budget: Term, at: Uncertain | Conditions) -> list[Staged]:
    """Every scene in which a setting can be furthest from the best threshold within the budget, in positives missed a case.

    Of one threshold that catches tpr, at most p·(tpr' − tpr) more are caught at base rate p by another that catches tpr' and is within the
    budget there. That rises with p, so over a range it is largest at the highest base rate that leaves the other within the budget: each
    of these is a scene. Over a distribution the best is chosen anew for every base rate, and averaged.
    """
    share = budget.limit / exactly(dict(budget.measure.parameters)["volume"])
    by_site: dict[Any, list[Scene]] = {}
    for scene in scenes(at, own_priors(every)):
        by_site.setdefault(scene.site, []).append(scene)
    found: list[Staged] = []
    for parts in by_site.values():
        ends = parts[0].prior.ends if parts[0].believed else tuple(scene.prior for scene in parts)
        steps = _steps(every, parts[0], budget, share, (Fraction(min(ends)), Fraction(max(ends))))
        found += [_averaged(steps, parts[0])] if parts[0].believed else [_at_step(step, parts[0]) for step in _furthest(_falling(steps))]
    return found


class _Step(NamedTuple):
    """From one base rate up to another, this threshold is within the budget."""

    low: Fraction
    prior: Fraction
    name: str
    fpr: Fraction
    tpr: Fraction
    threshold: Any

    @property
    def corner(self) -> Corner:
        return Corner(self.fpr, self.tpr, {self.name: self.threshold})


def _steps(every: list[Candidates], scene: Scene, budget: Term, share: Fraction, ends: tuple[Fraction, Fraction]) -> list[_Step]:
    """The thresholds that may be the best within the budget somewhere between two base rates.

    Alerts are a straight line in the base rate: one that is within the budget at one end only is so up to where that line crosses it.
    """
    found: list[_Step] = []
    for one in every:
        points = one.sites[scene.site]
        low, high = (keeping(budget, points, scene.given(prior=end).conditions()) for end in ends)
        everywhere, below, above = (np.flatnonzero(mask) for mask in (low & high, low & ~high, high & ~low))
        for places in (everywhere[-1:], below, above):
            # Of those that catch as many, the first flags least.
            _, first = np.unique(points.tp[places], return_index=True)
            for place in places[first].tolist():
                fpr, tpr = exact_rates(points, place)
                crossing = min(max(ends[0], (share - fpr) / (tpr - fpr)), ends[1]) if low[place] != high[place] else ends[1]
                until = (ends[0], crossing) if low[place] else (crossing, ends[1])
                found.append(_Step(*until, one.name if place else NOTHING, fpr, tpr, points.threshold(place)))
    return found


def _falling(steps: list[_Step]) -> list[_Step]:
    """From the highest base rate down, what catches more than all that reaches as high."""
    kept: list[_Step] = []
    for step in sorted(steps, key=lambda step: (-step.prior, -step.tpr)):
        if not kept or step.tpr > kept[-1].tpr:
            kept.append(step)
    return kept


def _furthest(steps: list[_Step]) -> list[_Step]:
    """Of the steps those that can be furthest from some threshold: the upper hull of prior · tpr over prior."""
    kept: list[_Step] = []
    for step in steps[::-1]:
        while len(kept) >= 2 and _turn(kept[-2], kept[-1], step) >= 0:
            kept.pop()
        kept.append(step)
    return kept[::-1]


def _turn(first: _Step, middle: _Step, last: _Step) -> Fraction:
    """Above 0 where the way from the first through the middle to the last turns left."""
    across, up = middle.prior - first.prior, middle.prior * middle.tpr - first.prior * first.tpr
    return across * (last.prior * last.tpr - middle.prior * middle.tpr) - up * (last.prior - middle.prior)


def _at_step(step: _Step, scene: Scene) -> Staged:
    least_ = Least(step.prior * (1 - step.tpr), 0.0)
    return Staged(scene.given(prior=step.prior), Stakes(step.prior, ALARMS, ALARMS), [_alone(step)], least_)


def _averaged(steps: list[_Step], scene: Scene) -> Staged:
    """Over a distribution: between two steps the best catches a share of the positives, so what is caught follows from their mean there."""
    mean, spread = Fraction(scene.prior.mean), scene.prior
    start = min(step.low for step in steps)
    steps = [*_falling([step for step in steps if step.low == start]), *(step for step in steps if step.low > start)]
    lows, highs, tprs = (np.array([float(value) for value in column]) for column in zip(*((s.low, s.prior, s.tpr) for s in steps), strict=True))
    edges = np.unique(np.concatenate((lows, highs)))
    if isinstance(spread, Draws):
        values, parts = np.unique(np.asarray(spread.values, dtype=np.float64), return_counts=True)
        masses = values * parts / len(spread.values)
    else:
        values, masses = (edges[1:] + edges[:-1]) / 2, np.diff(spread.below(edges).part)
    best = np.array([tprs[(lows <= value) & (value <= highs)].max() for value in values.tolist()])
    caught = Fraction(math.fsum((best * masses).tolist()))
    middle = Fraction(scene.conditions().exact_prior)
    here = max((step for step in steps if step.low <= middle <= step.prior), key=lambda step: step.tpr)
    return Staged(scene, Stakes(mean, ALARMS, ALARMS), [_alone(here)], Least(mean - caught, 1e-15 * float(mean)))


def _alone(step: _Step) -> Region:
    return Region(Fraction(0), Fraction(1), step.corner)


def regret(models: Mapping[str, Model], model: str, threshold: Any = None, *, at: Conditions | Uncertain) -> Regret:
    """How much more does this model at this threshold cost than the best of all models, thresholds and answers for all?

    At `Conditions` that is one number; over the ranges of `Uncertain` the largest, which lies at a corner, as regret is convex in the prior
    and in each cost; over distributions the average. `model` may be "flag nothing" or "flag everything".

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> found = br.regret({"a": a}, "a", 2, at=br.Uncertain(prior="0.1%..10%", costs={"fn": 10}))
    >>> round(found.value, 4), found.at.prior, dict(found.instead)
    (0.12, 0.1, {'a': 1})
    """
    every = candidates(models)
    scenes_ = staged(every, checked(at))
    if model in (NOTHING, EVERYTHING):
        rates = {site: (Fraction(model == EVERYTHING),) * 2 for site in every[0].sites}
    else:
        one = next((one for one in every if one.name == model), None)
        if one is None:
            raise refuse("BR408", f"there is no model {quoted(model)}", f"one of {', '.join(map(quoted, models))}")
        place = one.points.place(threshold)
        rates = {site: one.rates(place, site) for site in one.sites}
    return worst(scenes_, rates, model, threshold, assumption(at))


def assumption(at: Uncertain | Conditions) -> tuple[Note, ...]:
    """The assumption behind a number at another base rate than the sample's."""
    if at.as_in_sample:
        return ()
    prior = str(at).partition(";")[0]
    return (Note("BR526", f"read at {prior}: this assumes label shift only (the scores of each class keep their distribution)"),)


def on_threshold(points: Points, threshold: Any, at: Uncertain | Conditions) -> tuple[Note, ...]:
    """What a reader of a chosen threshold should know: what the sample is too small to show of it, and that it was chosen there."""
    known = at.middle() if isinstance(at, Uncertain) else at
    return (*(note for note in flag_at(points, threshold, at=known).notes if note.code == UNSEEN), JUDGED)


def worst(found: list[Staged], rates: Mapping[Any, tuple[Fraction, Fraction]], model: str, threshold: Any, notes: tuple[Note, ...]) -> Regret:
    """The regret of one setting where it is largest; of equals, the first."""
    regrets = [part.regret(*rates[part.scene.site]) for part in found]
    place = max(range(len(found)), key=lambda i: (regrets[i], -i))
    part = found[place]
    base = part.stakes.base
    return Regret(
        _not_below_0(regrets[place], part),
        model,
        threshold,
        rounded(base + regrets[place] + part.least.value),
        rounded(base + part.least.value),
        part.scene.conditions(),
        dict(best_at(part).settings),
        None if part.scene.site == HERE else part.scene.site,
        bool(part.scene.believed),
        part.least.error,
        notes,
    )


def _not_below_0(value: Fraction, part: Staged) -> float:
    """Nothing costs less than the least: below 0, or next to nothing beside it, what an integral leaves is rounding."""
    if not part.least.error:
        return rounded(value)
    return 0.0 if value <= max(part.least.error, NEXT_TO_NOTHING * abs(part.least.value)) else rounded(value)


def best_at(part: Staged) -> Corner:
    """What is cheapest in a scene, where nothing more will be known: of equals at a border, what flags least."""
    effective = part.stakes.miss / (part.stakes.miss + part.stakes.alarm)
    return next(region.corner for region in part.regions if region.low <= effective <= region.high)
