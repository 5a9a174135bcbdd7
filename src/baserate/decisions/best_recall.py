"""Who has the highest recall within a share of false alerts, at each base rate: models compared
along the B-ROC's axis, at the base rate of interest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.points import Points
from baserate.decisions.roc_geometry import check_classes, check_models
from baserate.decisions.rules import TOLERANCE
from baserate.errors import Fix, Note, quoted, refuse
from baserate.measures.confusion import ASSUMES_LABEL_SHIFT
from baserate.notation import parse_prior, parse_share
from baserate.numbers import Floats, Viewed, rounded
from baserate.results.choice import Choice

# Base rates a decade at which the best models are compared, besides every corner and crossing.
A_DECADE = 200


class Lead(NamedTuple):
    """From one base rate to another, these have the highest recall; none where no model satisfies
    the share of false alarms.
    """

    low: float
    high: float
    models: tuple[str, ...]


@dataclass(frozen=True)
class BestRecall(Viewed):
    """Which model has the highest tpr with at most this share of false alarms among the alerts
    (fdr, B_FA), at each base rate.

    `leads` are stretches of base rate, found on a grid of 200 base rates a decade with every corner
    and crossing of the curves; `at` reads every model's tpr at one. A model leads another within a
    share of false alarms where its hull lies above along one line through the origin of ROC space:
    the leaders change where hulls cross. `tested` are choices at a few
    base rates whose differences say whether the leader is significantly better there than the
    others, at one level for all of these base rates together; where there are none, `untested` says
    why.
    """

    fdr: float
    leads: tuple[Lead, ...]
    attained: bool
    tested: tuple[Choice, ...] = field(repr=False, compare=False)
    untested: str
    _curves: Mapping[str, _Reach] = field(repr=False, compare=False)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What it assumes of the field."""
        return (Note("BR526", f"computed for every base rate; {ASSUMES_LABEL_SHIFT}"),)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._curves)

    def at(self, base_rate: Any) -> dict[str, float]:
        """The highest tpr of each model at this base rate, within the share of false alarms; 0
        where it flags nothing.
        """
        written = parse_prior(base_rate)
        if written is None:
            raise refuse(
                "BR509", "the best model depends on the base rate", 'leaders.at("1 in 1000")'
            )
        slope = rounded(written.value / (1 - written.value)) * self.fdr / (1 - self.fdr)
        return {
            name: float(curve.within(np.array([slope]))[0]) for name, curve in self._curves.items()
        }

    def __repr__(self) -> str:
        said = "; ".join(
            f"from {lead.low:.4g} to {lead.high:.4g} {' or '.join(lead.models) or 'none'}"
            for lead in self.leads
        )
        return f"Best recall within fdr <= {self.fdr:g}: {said}"


def lead_by_recall(models: Any, fdr: Any, *, attained: bool) -> BestRecall:
    """Return which model has the highest recall within a share of false alarms, at each base rate,
    before any test.
    """
    check_models(models)
    written = parse_share(fdr)
    if written is None or not 0 < written.value < 1:
        shown = fdr if written is None else float(written.value)
        raise refuse(
            "BR542",
            f"a share of false alarms lies between 0 and 1, got {quoted(shown)}",
            Fix("fdr=0.5", '"fdr <= 50%"'),
        )
    curves = {
        name: _Reach.of(name, Points.of(counts), attained=attained)
        for name, counts in models.items()
    }
    limit = rounded(written.value)
    return BestRecall(limit, tuple(_leads(curves, limit)), attained, (), "", curves)


class _Reach(NamedTuple):
    """What can be reached: corners by rising fpr / tpr, each with a higher tpr than those before,
    and these ratios; straight lines between them, or steps.
    """

    fpr: Floats
    tpr: Floats
    ratios: Floats
    attained: bool

    @classmethod
    def of(cls, name: str, points: Points, *, attained: bool) -> _Reach:
        check_classes(points, quoted(name))
        kept = points.corners() if attained else points.hull()
        fpr, tpr = kept.fpr[kept.tpr > 0], kept.tpr[kept.tpr > 0]
        order = np.lexsort((-tpr, fpr / tpr))
        fpr, tpr = fpr[order], tpr[order]
        rises = tpr > np.concatenate(([0.0], np.maximum.accumulate(tpr)[:-1]))
        fpr, tpr = (np.concatenate(([0.0], rate[rises])) for rate in (fpr, tpr))
        return cls(fpr, tpr, np.concatenate(([0.0], fpr[1:] / tpr[1:])), attained)

    def within(self, slopes: Floats) -> Floats:
        """The highest tpr with fpr <= slope · tpr, at each slope."""
        place = np.searchsorted(self.ratios, slopes * (1 + TOLERANCE), side="right") - 1
        if self.attained:
            return self.tpr[place]
        after = np.minimum(place + 1, len(self.tpr) - 1)
        here = slopes * self.tpr[place] - self.fpr[place]
        there = self.fpr[after] - slopes * self.tpr[after]
        gap = here + there
        share = np.divide(here, gap, out=np.zeros(len(slopes)), where=gap > 0).clip(0.0, 1.0)
        return np.asarray(self.tpr[place] + share * (self.tpr[after] - self.tpr[place]))


def _leads(curves: Mapping[str, _Reach], fdr: float) -> Iterator[Lead]:
    """Stretches of base rate with the same leaders, between the places of a grid."""
    slopes = _grid(list(curves.values()))
    between = np.concatenate(([slopes[0] / 2], (slopes[1:] + slopes[:-1]) / 2, [2 * slopes[-1]]))
    reached = np.array([curve.within(between) for curve in curves.values()])
    leading = (reached >= reached.max(axis=0) * (1 - TOLERANCE)) & (reached > 0)
    starts = np.flatnonzero(np.append(True, (leading[:, 1:] != leading[:, :-1]).any(axis=0)))
    edges = [0.0, *(prior_at_slope(slopes[start - 1], fdr) for start in starts[1:].tolist()), 1.0]
    for start, (low, high) in zip(starts.tolist(), itertools.pairwise(edges), strict=True):
        names = tuple(name for name, leads in zip(curves, leading[:, start], strict=True) if leads)
        yield Lead(low, high, names)


def _grid(curves: Sequence[_Reach]) -> Floats:
    """Slopes at which the leaders may change: those of all corners, 200 a decade between them, and
    where two models cross.
    """
    # Nothing is flagged at a slope of 0, and from 1 on everything may be.
    corners = np.unique(np.concatenate([[0.0, 1.0], *(curve.ratios for curve in curves)]))
    steps = math.ceil(-A_DECADE * math.log10(corners[1])) + 2
    slopes = np.unique(np.concatenate((corners, np.geomspace(corners[1], 1.0, steps))))
    with np.errstate(divide="ignore"):
        lines = [1 / curve.within(slopes) for curve in curves]
    found = [slopes[1:]]
    for one, other in itertools.combinations(lines, 2):
        # Between two slopes 1 / tpr is a straight line.
        with np.errstate(invalid="ignore"):
            gap = one - other
            left, right = gap[:-1], gap[1:]
            crossed = np.flatnonzero(np.isfinite(left * right) & (left * right < 0))
        share = left[crossed] / (left[crossed] - right[crossed])
        found.append(slopes[crossed] + share * (slopes[crossed + 1] - slopes[crossed]))
    places = np.unique(np.concatenate(found))
    # A crossing at a corner is one place, whatever its last digits are.
    apart = np.diff(places, prepend=0.0) > TOLERANCE * places
    return places[apart]


def prior_at_slope(slope: float, fdr: float) -> float:
    """Return the base rate at which this share of false alarms allows fpr = slope · tpr."""
    odds = slope * (1 - fdr) / fdr
    return odds / (1 + odds)
