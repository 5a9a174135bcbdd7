"""What is believed of the conditions, as places and weights: an average over it is a weighted sum."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from baserate.exact import Floats
from baserate.spreads import BELIEVED, Draws, Pilot
from baserate.uncertain import OUTCOMES, Drawn, Uncertain

# Panels of the quadrature (16 places each), by how many parts are distributions.
PANELS = {1: 32, 2: 2, 3: 1}
MOST = 4096
NAMES = ("prior", *OUTCOMES)


class Believed(NamedTuple):
    """Conditions, row by row, each with its weight; the weights add up to 1."""

    rows: list[Drawn]
    weights: Floats


def believed(at: Uncertain, panels: dict[int, int] = PANELS, *, pilots: bool = False) -> Believed:
    """The places at which to look, of conditions without a range; one where everything is known.

    What a pilot sample says is drawn anew with every resample, and its share stands for it here, unless `pilots` are averaged over too.
    """
    parts = {"prior": at.prior, **at.costs}
    spread = {name: part for name, part in parts.items() if isinstance(part, BELIEVED) and (pilots or not isinstance(part, Pilot))}
    known = {name: part.middle if isinstance(part, Pilot) else part for name, part in parts.items()}
    if not spread:
        return Believed([Drawn(**known)], np.ones(1))
    axes = _axes(spread, panels)
    rows = [Drawn(**{**known, **dict(itertools.chain.from_iterable(values))}) for values in itertools.product(*(axis[0] for axis in axes))]
    weights = np.ones(1)
    for _, each in axes:
        weights = np.multiply.outer(weights, each).ravel()
    if len(rows) > MOST:  # every so many of them, heavy or light
        kept = np.random.default_rng(len(rows)).choice(len(rows), MOST, replace=False, p=weights)
        rows, weights = [rows[place] for place in kept], np.full(MOST, 1 / MOST)
    return Believed(rows, weights / weights.sum())


Axis = tuple[list[tuple[tuple[str, float], ...]], Floats]


def _axes(spread: dict[str, Any], panels: dict[int, int]) -> list[Axis]:
    """One list of places for each part; draws of one length belong together, and are one list."""
    drawn = {name: part for name, part in spread.items() if isinstance(part, Draws)}
    joint = len(drawn) > 1 and len({len(part.values) for part in drawn.values()}) == 1
    found: list[Axis] = []
    if joint:
        columns = [[(name, float(value)) for value in part.values] for name, part in drawn.items()]
        together = list(zip(*columns, strict=True))
        found.append((together, np.full(len(together), 1 / len(together))))
    smooth = sum(not isinstance(part, Draws) for part in spread.values())
    for name, part in spread.items():
        if not (joint and name in drawn):
            nodes = part.nodes(panels[min(3, max(1, smooth))])
            found.append(([((name, float(value)),) for value in nodes.values], np.asarray(nodes.weights)))
    return found
