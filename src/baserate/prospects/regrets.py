"""Regret: how much more a setting costs than the best there would have been, had one known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from baserate.arithmetic import rounded
from baserate.conditions import Conditions
from baserate.decisions.borders import EVERYTHING, NOTHING, Corner, Region, corners, regions
from baserate.decisions.choosing import flag_at
from baserate.errors import quoted, refuse
from baserate.notes import Note
from baserate.points import Points
from baserate.prospects.integrals import Least, least
from baserate.prospects.scenes import Scene, Stakes, checked, scenes
from baserate.prospects.settings import HERE, Candidates, Model, candidates, own_priors
from baserate.uncertain import Uncertain

# Of what the best costs on average, less than which no difference can be told from rounding.
NEXT_TO_NOTHING = 1e-13
# False positive rates that the sample is too small to show.
UNSEEN = "BR505"
JUDGED = Note("BR528", "chosen and judged on the same cases, which flatters it: judge it on others")


@dataclass(frozen=True)
class Regret:
    """How much more does this setting cost a case than the best there would be, where that is most?

    `at` are the conditions (or, where something is believed, the middle of them) at which `value` is reached, `site` the site; `instead`
    is what would be best there, by model. Where a part is a distribution, costs are averages over it and `least` is that of choosing anew
    for each of its values. `error` bounds the error of the integration; 0 where everything is exact.
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
