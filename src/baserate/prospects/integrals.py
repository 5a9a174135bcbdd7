"""What the best there is costs on average, where the base rate or a cost is a distribution and the choice is made anew at each of its values.

The least cost is concave and, between two borders, a straight line in the prior and in each cost: over one part it is integrated exactly,
from how much of the distribution lies below each border and what that adds to its mean. Other parts are walked at weighted places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.decisions.borders import Region
from baserate.errors import refuse
from baserate.exact import Floats
from baserate.prospects.scenes import Scene, Stakes
from baserate.spreads import Draws, LogUniform

# How finely the parts that are not integrated exactly are walked, by how many there are of them; and how much coarser the check is.
PANELS = {0: (1, 1), 1: (16, 12), 2: (4, 3), 3: (2, 1)}
ROUNDING = 1e-15


class Least(NamedTuple):
    """The least cost on average, without what is paid in any event, and a bound on the error of that number."""

    value: Fraction
    error: float


def least(regions: Sequence[Region], scene: Scene) -> Least:
    """What the best setting costs where one may choose it anew for every value that the conditions can take."""
    if not scene.believed:
        return Least(_chosen(regions, scene.stakes), 0.0)
    if scene.joint:
        rows = [least(regions, row) for row in scene.rows()]
        return Least(sum((row.value for row in rows), Fraction(0)) / len(rows), max(row.error for row in rows))
    inner = min(scene.believed, key=lambda name: _roughness(getattr(scene, name)))
    outer = [name for name in scene.believed if name != inner]
    walked = sum(not isinstance(getattr(scene, name), Draws) for name in outer)
    if walked > max(PANELS):
        raise refuse("BR588", "more than four parts are distributions: too many to integrate to a known error", "give joint Draws of them")
    fine, coarse = PANELS[walked]
    value = _walked(regions, scene, inner, outer, fine)
    error = abs(value - _walked(regions, scene, inner, outer, coarse)) if walked else 0.0
    return Least(Fraction(value), error + ROUNDING * abs(value))


def shares(regions: Sequence[Region], scene: Scene) -> Floats:
    """How likely each region is, over what is believed."""
    if not scene.believed:
        effective = scene.stakes.miss / (scene.stakes.miss + scene.stakes.alarm)
        place = next(i for i, region in enumerate(regions) if region.low <= effective <= region.high)
        return np.asarray(np.eye(len(regions))[place])
    if scene.joint:
        return np.asarray(np.mean([shares(regions, row) for row in scene.rows()], axis=0))
    inner = min(scene.believed, key=lambda name: _roughness(getattr(scene, name)))
    outer = [name for name in scene.believed if name != inner]
    walked = sum(not isinstance(getattr(scene, name), Draws) for name in outer)
    every = [weight * _shares_of(regions, known, inner) for known, weight in _settings(scene, outer, PANELS[min(walked, max(PANELS))][0])]
    return np.asarray(np.sum(every, axis=0))


def _shares_of(regions: Sequence[Region], scene: Scene, inner: str) -> Floats:
    part, places = getattr(scene, inner), edges(regions, scene, inner)
    falls = places[0] > places[-1]
    ordered = places[::-1] if falls else places
    if isinstance(part, Draws):
        # A value on a border counts for what flags less, as everywhere.
        values = np.sort(np.asarray(part.values, dtype=np.float64))
        found = np.diff(np.searchsorted(values, ordered, side="left" if falls else "right")) / len(values)
    else:
        found = np.diff(part.below(ordered).share)
    likely: Floats = found[::-1] if falls else found
    return likely


def _roughness(part: Any) -> int:
    """What is best integrated exactly: over a distribution without edges, what is left is smooth in the other parts."""
    return 2 if isinstance(part, Draws) else int(isinstance(part, LogUniform))


def _chosen(regions: Sequence[Region], stakes: Stakes) -> Fraction:
    """The stake of the cheapest corner; the effective prior decides."""
    effective = stakes.miss / (stakes.miss + stakes.alarm)
    region = next(region for region in regions if region.low <= effective <= region.high)
    return region.corner.stake(stakes.miss, stakes.alarm)


def _walked(regions: Sequence[Region], scene: Scene, inner: str, outer: Sequence[str], panels: int) -> float:
    found = [weight * _integrated(regions, known, inner) for known, weight in _settings(scene, outer, panels)]
    return math.fsum(found)


def _settings(scene: Scene, outer: Sequence[str], panels: int) -> Iterator[tuple[Scene, float]]:
    """The scene with the outer parts at every place of theirs, and the weight of that."""
    if not outer:
        yield scene, 1.0
        return
    values, weights = getattr(scene, outer[0]).nodes(panels)
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        for known, rest in _settings(scene.given(**{outer[0]: Fraction(value)}), outer[1:], panels):
            yield known, weight * rest


def straight(scene: Scene, inner: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """The stakes as straight lines in one part: (at 0, slope) of missing every positive, and of flagging every negative."""
    at_zero, at_one = (scene.given(**{inner: Fraction(value)}).stakes for value in (0, 1))
    miss, alarm = ((float(a), float(b - a)) for a, b in zip(at_zero[:2], at_one[:2], strict=True))
    return miss, alarm


def _integrated(regions: Sequence[Region], scene: Scene, inner: str) -> float:
    """The expected least stake over one part, the others known."""
    part = getattr(scene, inner)
    x, missed = (np.array([float(value) for value in column]) for column in zip(*((r.corner.x, 1 - r.corner.y) for r in regions), strict=True))
    (miss, miss_slope), (alarm, alarm_slope) = straight(scene, inner)
    if isinstance(part, Draws):
        return _enumerated(part, (x, missed), (miss, miss_slope), (alarm, alarm_slope))
    places = edges(regions, scene, inner)
    rises = places[0] <= places[-1]
    found = part.below(places if rises else places[::-1])
    share, mean = (np.diff(values) if rises else np.diff(values)[::-1] for values in found)
    constant, slope = missed * miss + x * alarm, missed * miss_slope + x * alarm_slope
    return math.fsum((constant * share + slope * mean).tolist())


def _enumerated(part: Draws, corners: tuple[Floats, Floats], miss: tuple[float, float], alarm: tuple[float, float]) -> float:
    """Every draw with the cheapest corner there."""
    values = np.asarray(part.values, dtype=np.float64)
    x, missed = corners
    stakes: Any = np.multiply.outer(miss[0] + miss[1] * values, missed) + np.multiply.outer(alarm[0] + alarm[1] * values, x)
    return math.fsum(stakes.min(axis=1).tolist()) / len(values)


def edges(regions: Sequence[Region], scene: Scene, inner: str) -> Floats:
    """Where one part has the borders of the regions: the value at which the effective prior is theirs; endless at either end."""
    (miss, alarm), found = straight(scene, inner), []
    for region in regions[1:]:
        low, rest = float(region.low), float(1 - region.low)
        found.append((low * alarm[0] - rest * miss[0]) / (rest * miss[1] - low * alarm[1]))
    first, last = (-math.inf, math.inf) if miss[1] > 0 or alarm[1] < 0 else (math.inf, -math.inf)
    return np.array([first, *found, last])
