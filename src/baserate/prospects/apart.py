"""Where the winner of the map cannot be told from another: bounds that hold all over the map at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from baserate.counts import Counts
from baserate.decisions.borders import EVERYTHING, NOTHING, Region
from baserate.errors import quoted
from baserate.exact import Floats
from baserate.hulls import upper_hull
from baserate.joint import JointCounts
from baserate.notes import Note, combine
from baserate.points import Points
from baserate.uncertainty.bands import curves_drawn, resampled_bounds
from baserate.uncertainty.intervals import REPLICATES
from baserate.uncertainty.resampling import Progress, check_enough, planned
from baserate.uncertainty.values import LOWER, checked_level

# Places along the effective prior at which differences are bounded, evenly by its log odds, from a little before the first border.
PLACES = 61
MARGIN = 2.0
MOST_LOGIT = 30.0


class Doubt(NamedTuple):
    """From one effective prior to another, the winner cannot be told from these."""

    low: float
    high: float
    rivals: tuple[str, ...]


@dataclass(frozen=True)
class Apart:
    """Where the map is shown, and where it is not, at this level for all of it together.

    At each of `places` (effective priors) the observed `winners` are compared with every other model's cheapest threshold and with
    flagging nothing and everything; `doubts` are the stretches in which some rival's cost is not shown to be higher.
    """

    doubts: tuple[Doubt, ...]
    places: tuple[float, ...] = field(repr=False)
    winners: tuple[str, ...] = field(repr=False)
    level: float = 0.95
    replicates: int = 0
    seed: int = 0
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def doubtful(self, effective_prior: float) -> tuple[str, ...]:
        """The rivals that cannot be told from the winner at this effective prior."""
        found = [rival for doubt in self.doubts if doubt.low <= effective_prior <= doubt.high for rival in doubt.rivals]
        return tuple(dict.fromkeys(found))

    def between(self, low: float, high: float) -> tuple[str, ...]:
        """Who was cheapest at each place between two effective priors."""
        return tuple(winner for place, winner in zip(self.places, self.winners, strict=True) if low < place < high)


def told_apart(
    joint: JointCounts, regions: Sequence[Region], level: float, replicates: int | None, seed: int, progress: Progress | None = None
) -> Apart:
    """Bounds on how much more every rival costs than the winner, all over the map at once."""
    asked = checked_level(level)
    plan = planned(joint, of_prior=False, how=None, replicates=replicates or REPLICATES, seed=seed, progress=progress)
    notes = check_enough(joint)
    places = _places(regions)
    names = (*joint.models, NOTHING, EVERYTHING)
    seen = _costs([joint.marginal(name) for name in joint.models], places)
    best = np.nanargmin(seen, axis=0)
    observed = _gaps(seen, best)
    values, plan = curves_drawn(
        lambda parts: _turned(_gaps(_costs(parts, places), best), observed, len(places)), joint, plan, (asked, LOWER, replicates), of_roc=True
    )
    low, _, more = resampled_bounds(values, asked, LOWER)
    shown = low.reshape(-1, len(places)) > 0
    rivals = [tuple(name for i, name in enumerate(names) if i != best[k] and not shown[i, k]) for k in range(len(places))]
    winners = tuple(names[place] for place in best.tolist())
    found = tuple(_doubts(places, rivals, winners))
    return Apart(found, tuple(places.tolist()), winners, asked, plan.replicates, plan.seed, combine(notes, (*more, *_unseen(joint))))


def _turned(gaps: Floats, seen: Floats, places: int) -> Floats:
    """How much more each costs than the winner, as a resample shows it, for a lower bound.

    A resample finds its own cheapest threshold, so a model costs less there than it does, and what no threshold chooses (flagging nothing and
    everything) would always cost more. Of these two the gap is reflected about what was seen; between models the two biases cancel.
    """
    rows: Floats = gaps.copy()
    rows[-2 * places :] = 2 * seen[-2 * places :] - gaps[-2 * places :]
    return rows


def _unseen(joint: JointCounts) -> tuple[Note, ...]:
    """Where a threshold flags no negative of the sample, no resample shows one either."""
    points = {name: Points.of(joint.marginal(name)) for name in joint.models}
    clean = [name for name, one in points.items() if len(one) > 2 and one.tp[1] and not one.fp[1]]
    if not clean:
        return ()
    text = f"the highest scores of {', '.join(map(quoted, clean))} hold no negative: at low effective priors resamples know no false alarms"
    return (Note("BR584", text),)


def _places(regions: Sequence[Region]) -> Floats:
    borders = [_logit(float(region.low)) for region in regions[1:]] or [0.0]
    odds = np.linspace(max(-MOST_LOGIT, min(borders) - MARGIN), min(MOST_LOGIT, max(borders) + MARGIN), PLACES)
    places: Floats = 1 / (1 + np.exp(-odds))
    return places


def _logit(share: float) -> float:
    return math.log(share / (1 - share)) if 0 < share < 1 else math.copysign(MOST_LOGIT, share - 0.5)


def _costs(parts: Sequence[Counts], places: Floats) -> Floats:
    """The normalized cost of each model's cheapest threshold at every place, and of flagging nothing and everything."""
    rows = [_cheapest(Points.of(part), places) for part in parts]
    return np.array([*rows, places, 1 - places])


def _cheapest(points: Points, places: Floats) -> Floats:
    """Of thresholds that flag some cases and not all; infinite where there is none."""
    fp, tp = points.fp[1:-1], points.tp[1:-1]
    if not len(fp):
        return np.full(len(places), math.inf)
    kept = upper_hull(fp, tp)
    fpr, fnr = fp[kept] / points.total_negatives, 1 - tp[kept] / points.total_positives
    costs: Floats = (np.multiply.outer(places, fnr) + np.multiply.outer(1 - places, fpr)).min(axis=1)
    return costs


def _gaps(costs: Floats, best: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    """How much more each costs than the observed winner, at every place; one row."""
    gaps: Floats = np.where(np.isinf(costs), 1.0, costs) - costs[best, np.arange(costs.shape[1])]
    return gaps.ravel()


def _doubts(places: Floats, rivals: Sequence[tuple[str, ...]], winners: Sequence[str]) -> list[Doubt]:
    """Runs of places with the same doubts, reaching to the neighbouring places; where the winner changes, there is one in any event."""
    found: list[Doubt] = []
    ends = [0.0, *places.tolist(), 1.0]
    for k, names in enumerate(rivals):
        if names:
            low, high = ends[k], ends[k + 2]
            if found and found[-1].rivals == names and found[-1].high >= places[k]:
                found[-1] = found[-1]._replace(high=high)
            else:
                found.append(Doubt(low, high, names))
        if k + 1 < len(rivals) and winners[k] != winners[k + 1] and not names and not rivals[k + 1]:
            found.append(Doubt(ends[k + 1], ends[k + 2], (winners[k], winners[k + 1])))
    return found
