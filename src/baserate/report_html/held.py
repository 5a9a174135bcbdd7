"""Which points of a model a report holds: every corner of the hull, what was answered, the front of what is attained, and others between."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.cells import Array, Indices
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint, short_on
from baserate.document import Settings, number, threshold, whole
from baserate.exact import Floats
from baserate.notes import CASE_CONTROL
from baserate.points import Points
from baserate.uncertainty.rates import MOST_CASES, rate_bounds

MOST_FURTHER = 2000
# What the points of all models together may take, and about what one takes: a score of 17 digits and in few, two counts, four bounds.
MOST_BYTES, BYTES_A_POINT = 2_100_000, 86
SHOWN_DIGITS, KEPT_DIGITS = 3, 6


def held_points(models: Mapping[str, Counts], settings: Settings) -> dict[str, Points]:
    """The points that are held of each model."""
    corners = {name: hull_places(Points.of(counts)) for name, counts in models.items()}
    most = further_points(len(models), sum(map(len, corners.values())))
    every = {name: Points.of(counts) for name, counts in models.items()}
    return {
        name: points.only(held_places(points, corners[name], answered_places(points, settings[name]), most)) for name, points in every.items()
    }


def further_points(models: int, corners: int) -> int:
    """How many points beyond the corners each of so many models may hold, so that the file stays small at any number of rows."""
    return max(100, min(MOST_FURTHER, (MOST_BYTES // BYTES_A_POINT - corners) // max(models, 1)))


def hull_places(points: Points) -> Indices:
    """Where the corners of the hull lie among all points."""
    return _places(points, points.hull().scores)


def _places(points: Points, scores: Array) -> Indices:
    """The points that flag down to these scores, which the points have, and the one that flags nothing."""
    found = len(points.scores) - np.searchsorted(points.scores[::-1], scores, side="left")
    return np.concatenate(([0], found)).astype(np.intp)


def held_places(points: Points, corners: Indices, answered: Iterable[int], most: int) -> Indices:
    """The corners, what was answered, and others up to `most`: up to half of them of the front, which keeps what any point keeps."""
    if len(points) - len(corners) <= most:
        return np.arange(len(points))
    asked = np.fromiter(answered, dtype=np.intp)
    kept = np.zeros(len(points), dtype=np.bool_)
    kept[corners] = True
    most -= int((~kept[np.unique(asked)]).sum())
    kept[asked] = True
    flagged = (points.tp + points.fp).astype(np.float64)
    front = spread(flagged, np.flatnonzero(on_front(points) & ~kept), most // 2)
    kept[front] = True
    kept[spread(flagged, np.flatnonzero(~kept), most - len(front))] = True
    return np.flatnonzero(kept)


def on_front(points: Points) -> npt.NDArray[np.bool_]:
    """The points that no other beats: none catches as many with fewer false alarms, nor more with as many."""
    caught, alarmed = np.diff(points.tp) > 0, np.diff(points.fp) > 0
    return np.concatenate(([True], caught)) & np.concatenate((alarmed, [True]))


def spread(flagged: Floats, places: Indices, most: int) -> Indices:
    """So many of these places: half evenly in the logarithm of what they flag, the others evenly among the rest."""
    if len(places) <= most:
        return places
    there = flagged[places]
    kept = np.zeros(len(places), dtype=np.bool_)
    kept[np.searchsorted(there, np.geomspace(there[0], there[-1], most // 2), side="right") - 1] = True
    free = np.flatnonzero(~kept)
    kept[free[np.linspace(0, len(free) - 1, most - int(kept.sum())).astype(np.intp)]] = True
    return places[kept]


def answered_places(points: Points, chosen: Sequence[OperatingPoint]) -> list[int]:
    """The points that were chosen, and where a share of a tie is flagged, both ends of it."""
    cuts = [cut for point in chosen for cut in (point.threshold, *(() if point.share == 1 else (point.lower_threshold,)))]
    return [points.place(cut) for cut in cuts]


def held(name: str, counts: Counts, points: Points, level: float) -> dict[str, Any]:
    """The points of one model, as the report embeds them; counts are exact, bounds are rounded outward."""
    chosen_totals = counts.ledger.design == CASE_CONTROL
    passed = {} if points.passed is None else {"fn": _cases(points.passed[0]), "tn": _cases(points.passed[1])}
    return {
        "name": name,
        "positives": whole(counts.total_positives),
        "negatives": whole(counts.total_negatives),
        "sample_prior": None if chosen_totals else number(counts.prior),
        "weighted": counts.weighted,
        "integer": counts.scores.dtype == np.int64,
        "thresholds": [threshold(points.threshold(place)) for place in range(len(points))],
        "shown": shown_thresholds(Points.of(counts), [points.threshold(place) for place in range(len(points))]),
        "tp": _cases(points.tp),
        "fp": _cases(points.fp),
        **passed,
        "hull": hull_places(points).tolist(),
        "every": len(points) == len(counts.scores) + 1 and counts.bins is None and not counts.condensed,
        "distinct": len(counts.scores),
        "tpr_bounds": _bounds(points.tp, counts.total_positives, level, weighted=counts.weighted),
        "fpr_bounds": _bounds(points.fp, counts.total_negatives, level, weighted=counts.weighted),
        **_unlabelled(counts, points),
    }


def _unlabelled(counts: Counts, points: Points) -> dict[str, Any]:
    """Cases that were scored and have no label: how many each point flags, and how many there are; nothing where there are none."""
    if counts.unlabelled is None:
        return {}
    rest = Points.of(counts.unlabelled)  # all of them as negatives
    flagged = rest.fp[[rest.place(points.threshold(place)) for place in range(len(points))]]
    return {"unlabelled": {"flagged": _cases(flagged), "cases": whole(counts.unlabelled.total_negatives)}}


def shown_thresholds(every: Points, thresholds: Sequence[Any]) -> list[str]:
    """Each threshold in as few digits as flag the same cases."""
    return ["none" if cut is None else short_on(every, cut) for cut in thresholds]


def _cases(values: Array) -> list[float | str]:
    return [whole(value) for value in values.tolist()]


def _bounds(seen: Array, cases: float, level: float, *, weighted: bool) -> list[list[float | None]]:
    """Lower and upper bounds of a rate at each point; null where there is none on that side, for weights, and beyond all numbers of cases."""
    if weighted or not 0 < cases <= MOST_CASES:
        return [[None] * len(seen), [None] * len(seen)]
    low, high = rate_bounds(seen, int(cases), level)
    return [
        [None if part == 0 else outward(bound, up=False) for part, bound in zip(seen.tolist(), low.tolist(), strict=True)],
        [None if part == cases else outward(bound, up=True) for part, bound in zip(seen.tolist(), high.tolist(), strict=True)],
    ]


def outward(bound: float, *, up: bool) -> float:
    """A bound to six digits, away from the rate, unless the three that are shown would then be others."""
    unit = 10.0 ** (math.floor(math.log10(bound)) - KEPT_DIGITS + 1) if bound > 0 else 0.0
    near = float(f"{bound:.{KEPT_DIGITS}g}")
    if near != bound and (near < bound) == up:
        near = float(f"{near + (unit if up else -unit):.{KEPT_DIGITS}g}")
    return near if f"{near:.{SHOWN_DIGITS}g}" == f"{bound:.{SHOWN_DIGITS}g}" else bound
