"""Mixtures of two settings: where regret over a box is least when a share of the cases goes each way."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from baserate.arithmetic import rounded
from baserate.decisions.borders import Corner
from baserate.prospects.regrets import Staged


@dataclass(frozen=True)
class Mixed:
    """A share of the cases is judged by the first setting, the rest by the second; `regret` is that of both together."""

    models: tuple[str, str]
    thresholds: tuple[float | None, float | None]
    share: float
    fpr: float
    tpr: float
    regret: float


def least_regret_mixture(found: list[Staged]) -> tuple[Mixed, Fraction]:
    """The least regret on the hull of all models, exactly.

    Along the hull regret is convex, so it is least at the corner that is best among corners, or on one of the two edges beside it.
    """
    hull = [region.corner for region in found[0].regions]
    values = [_regret(found, corner.x, corner.y) for corner in hull]
    place = values.index(min(values))
    best, pair, share = values[place], (place, place), Fraction(1)
    for edge in (place - 1, place):
        if 0 <= edge < len(hull) - 1:
            for part in _places(found, hull[edge], hull[edge + 1]):
                value = _regret(found, *_between(hull[edge], hull[edge + 1], part))
                if value < best:
                    best, pair, share = value, (edge, edge + 1), 1 - part
    first, second = hull[pair[0]], hull[pair[1]]
    x, y = _between(first, second, 1 - share)
    names = next(iter(first.settings)), next(iter(second.settings))
    cuts = first.settings[names[0]], second.settings[names[1]]
    return Mixed(names, cuts, rounded(share), rounded(x), rounded(y), rounded(best)), best


def _regret(found: list[Staged], x: Fraction, y: Fraction) -> Fraction:
    return max(part.regret(x, y) for part in found)


def _between(first: Corner, second: Corner, part: Fraction) -> tuple[Fraction, Fraction]:
    return first.x + part * (second.x - first.x), first.y + part * (second.y - first.y)


def _places(found: list[Staged], first: Corner, second: Corner) -> list[Fraction]:
    """Where the regrets of two scenes are equal on an edge: the largest of straight lines is least there, or at an end."""
    lines = []
    for part in found:
        start, end = part.regret(first.x, first.y), part.regret(second.x, second.y)
        lines.append((start, end - start))
    places = []
    for (start, slope), (other, other_slope) in combinations(dict.fromkeys(lines), 2):
        if slope != other_slope:
            place = (other - start) / (slope - other_slope)
            if 0 < place < 1:
                places.append(place)
    return places
