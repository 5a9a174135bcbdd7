"""The winner map, and where on it the winner is not significantly better than another: bounds on
the differences of least costs that hold over the whole map at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.counts.cells import upper_hull
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import Points
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.decisions.winner_map import SignificanceRegion, Undecided, WinnerMap, map_winners
from baserate.errors import Note, combine, quoted, refuse
from baserate.inference.bands import curves_drawn, resampled_bounds
from baserate.inference.intervals import REPLICATES
from baserate.inference.resample import Progress, check_enough, planned
from baserate.notation import checked_volume
from baserate.numbers import Floats
from baserate.results.values import LOWER, checked_level

# Places along the effective prior at which differences are bounded, evenly by its log odds, from a
# little before the first border.
PLACES = 61
MARGIN = 2.0
MOST_LOGIT = 30.0


def winner_map(
    models: Mapping[str, Any] | JointCounts,
    rule: str | None = None,
    *,
    volume: float | None = None,
    level: float | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> WinnerMap:
    """Which model, at which threshold, is cheapest at each base rate and each cost ratio?

    Exact, from the convex hull of all models with "flag nothing" and "flag everything"; under a
    rule, from the points that satisfy it. With a `level`, and models on the same cases
    (`count(y, {…})`), the map also says where the winner is not significantly better than others:
    bounds on the differences of their least costs that hold over the whole map at once, by the
    bootstrap (2000 `replicates`, or as many more as that needs).

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[60, 30, 10], negatives=[10, 200, 790])
    >>> b = br.Counts([2, 1, 0], positives=[40, 58, 2], negatives=[2, 298, 700])
    >>> map = br.robustness.winner_map({"a": a, "b": b})
    >>> [(round(win.low, 4), win.models[0]) for win in map.wins]
    [(0.0, 'flag nothing'), (0.005, 'b'), (0.0385, 'a'), (0.4, 'a'), (0.5294, 'b'), (0.9722, 'flag everything')]
    >>> map.at(prior="1 in 1000", cost_ratio=1 / 100).models
    ('a',)
    """  # noqa: E501
    joint = models if isinstance(models, JointCounts) else None
    counts: Any = models if joint is None else {name: joint[name] for name in joint.models}
    rules = parse_rule(rule, checked_volume(volume))
    found = map_winners(counts, rules)
    if level is None:
        return found
    if joint is None or rules.terms:
        raise refuse(
            "BR595",
            "whether models can be distinguished is tested over all their thresholds on the same"
            " cases",
            "winner_map(count(y, {name: scores}), level=0.95), without a rule",
        )
    return replace(found, apart=told_apart(joint, found, level, replicates, seed, progress))


def told_apart(
    joint: JointCounts,
    found_map: WinnerMap,
    level: float,
    replicates: int | None,
    seed: int,
    progress: Progress | None = None,
) -> SignificanceRegion:
    """Bounds on how much more every rival costs than the winner, over the whole map at once."""
    asked = checked_level(level)
    plan = planned(
        joint,
        of_prior=False,
        how=None,
        replicates=replicates or REPLICATES,
        seed=seed,
        progress=progress,
    )
    notes = check_enough(joint)
    places = _places(found_map)
    names = (*joint.models, NOTHING, EVERYTHING)
    seen = _costs([joint.marginal(name) for name in joint.models], places)
    best = np.nanargmin(seen, axis=0)
    observed = _gaps(seen, best)
    values, plan = curves_drawn(
        lambda parts: _turned(_gaps(_costs(parts, places), best), observed, len(places)),
        joint,
        plan,
        (asked, LOWER, replicates),
        of_roc=True,
    )
    low, _, more = resampled_bounds(values, asked, LOWER)
    shown = low.reshape(-1, len(places)) > 0
    rivals = [
        tuple(name for i, name in enumerate(names) if i != best[k] and not shown[i, k])
        for k in range(len(places))
    ]
    winners = tuple(names[place] for place in best.tolist())
    found = tuple(_doubts(places, rivals, winners))
    return SignificanceRegion(
        found,
        tuple(places.tolist()),
        winners,
        asked,
        plan.replicates,
        plan.seed,
        combine(notes, (*more, *_unseen(joint))),
    )


def _turned(gaps: Floats, seen: Floats, places: int) -> Floats:
    """How much more each costs than the winner, as a resample shows it, for a lower bound.

    A resample finds its own cheapest threshold, so a model costs less there than it does, and what
    no threshold chooses (flagging nothing and everything) would always cost more. Of these two the
    gap is reflected about what was seen; between models the two biases cancel.
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
    text = (
        f"the highest scores of {', '.join(map(quoted, clean))} hold no negative: at low effective"
        " priors resamples know no false alarms"
    )
    return (Note("BR584", text),)


def _places(found: WinnerMap) -> Floats:
    borders = [_logit(win.low) for win in found.wins[1:]] or [0.0]
    odds = np.linspace(
        max(-MOST_LOGIT, min(borders) - MARGIN), min(MOST_LOGIT, max(borders) + MARGIN), PLACES
    )
    places: Floats = 1 / (1 + np.exp(-odds))
    return places


def _logit(share: float) -> float:
    return (
        math.log(share / (1 - share)) if 0 < share < 1 else math.copysign(MOST_LOGIT, share - 0.5)
    )


def _costs(parts: Sequence[Counts], places: Floats) -> Floats:
    """The normalized cost of each model's cheapest threshold at every place, and of flagging
    nothing and everything.
    """
    rows = [_cheapest(part, places) for part in parts]
    return np.array([*rows, places, 1 - places])


def _cheapest(counts: Counts, places: Floats) -> Floats:
    """Of thresholds that flag some cases and not all; infinite where there is none."""
    if counts.weighted:
        points = Points.of(counts)
        fp, tp = points.fp[1:-1], points.tp[1:-1]
    else:  # resamples are many, and nothing else of their points is asked for
        fp, tp = np.cumsum(counts.negatives)[:-1], np.cumsum(counts.positives)[:-1]
    if not len(fp):
        return np.full(len(places), math.inf)
    kept = upper_hull(fp, tp)
    fpr, fnr = fp[kept] / counts.total_negatives, 1 - tp[kept] / counts.total_positives
    costs: Floats = (np.multiply.outer(places, fnr) + np.multiply.outer(1 - places, fpr)).min(
        axis=1
    )
    return costs


def _gaps(costs: Floats, best: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    """How much more each costs than the observed winner, at every place; one row."""
    gaps: Floats = np.where(np.isinf(costs), 1.0, costs) - costs[best, np.arange(costs.shape[1])]
    return gaps.ravel()


def _doubts(
    places: Floats, rivals: Sequence[tuple[str, ...]], winners: Sequence[str]
) -> list[Undecided]:
    """Runs of places with the same doubts, reaching to the neighbouring places; where the winner
    changes, there is one in any event.
    """
    found: list[Undecided] = []
    ends = [0.0, *places.tolist(), 1.0]
    for k, names in enumerate(rivals):
        if names:
            low, high = ends[k], ends[k + 2]
            if found and found[-1].rivals == names and found[-1].high >= places[k]:
                found[-1] = found[-1]._replace(high=high)
            else:
                found.append(Undecided(low, high, names))
        if k + 1 < len(rivals) and winners[k] != winners[k + 1] and not names and not rivals[k + 1]:
            found.append(Undecided(ends[k + 1], ends[k + 2], (winners[k], winners[k + 1])))
    return found
