"""Isolines: the straight lines of one precision, or of one NPV, in ROC space."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from baserate.conditions import Conditions, checked_conditions
from baserate.errors import quoted, refuse
from baserate.notation import NumberCheck
from baserate.numbers import exactly, rounded

Kind = Literal["precision", "npv"]


@dataclass(frozen=True)
class Isoline:
    """The line on which precision (or npv) has one value at one prior.

    Lines of one precision run through (0, 0): fpr / tpr = `tangent`, the tangent of the angle from
    the axis fpr = 0. Lines of one npv run through (1, 1): (1 − tpr) / (1 − fpr) = `tangent`, the
    tangent of the angle from the line tpr = 1. At those two corners themselves the measure is 0/0.
    From 0° to 45°, precision falls from 1 to the prior and npv from 1 to 1 − prior.
    """

    measure: Kind
    value: float
    tangent: float
    prior: float

    @property
    def angle(self) -> float:
        """In degrees."""
        return math.degrees(math.atan(self.tangent))

    def tpr(self, fpr: float) -> float:
        """Where the line is at this fpr; at an angle of 0 lines of one precision have no single
        tpr.
        """
        across, tangent = _check_within(fpr, "fpr", 0, 1), exactly(self.tangent)
        if self.measure == "npv":
            return rounded(1 - tangent * (1 - across))
        if not tangent:
            raise refuse(
                "BR542",
                "the line of precision 1 is vertical: fpr is 0 at every tpr",
                "use its fpr",
            )
        return rounded(across / tangent)

    def fpr(self, tpr: float) -> float:
        """Where the line is at this tpr."""
        up, tangent = _check_within(tpr, "tpr", 0, 1), exactly(self.tangent)
        if self.measure == "precision":
            return rounded(up * tangent)
        if not tangent:
            raise refuse(
                "BR542", "the line of npv 1 is horizontal: tpr is 1 at every fpr", "use its tpr"
            )
        return rounded(1 - (1 - up) / tangent)


def isoline(
    measure: Kind,
    at: Conditions,
    *,
    value: float | None = None,
    angle: float | None = None,
    tangent: float | None = None,
) -> Isoline:
    """Where in ROC space has precision, or npv, this value? By value, by angle in degrees, or by
    its tangent: one gives the others.

    Cárdenas & Baras 2006, eqs 3 to 6: precision = p / (p + (1 − p)·tan θ) and npv = (1 − p) /
    (p·(tan φ − 1) + 1).

    >>> import baserate as br
    >>> line = br.curves.isoline("precision", br.Conditions(prior=0.01), value=0.5)
    >>> round(line.angle, 4), line.fpr(tpr=1.0)
    (0.5787, 0.010101010101010102)
    """
    if measure not in ("precision", "npv"):
        raise refuse(
            "BR534",
            f"isolines are drawn for precision and npv, got {quoted(measure)}",
            'isoline("precision", at, value=0.5)',
        )
    at = _line_conditions(at)
    given = [part for part in (value, angle, tangent) if part is not None]
    if len(given) != 1:
        raise refuse(
            "BR542",
            f"give one of value, angle and tangent, got {len(given)}",
            'isoline("precision", at, value=0.5)',
        )
    # The float that precision itself is read at: points of the line have exactly this value.
    prior = at.as_shown().exact_prior
    odds = prior / (1 - prior) if measure == "precision" else (1 - prior) / prior
    if value is not None:
        share = _check_within(value, "value", 0, 1)
        if not share:
            raise refuse(
                "BR542",
                f"{measure} 0 is the other axis: its tangent is infinite",
                "give a value above 0",
            )
        return Isoline(measure, rounded(share), rounded(odds * (1 - share) / share), rounded(prior))
    slope = (
        _check_within(tangent, "tangent", 0, 10**30)
        if angle is None
        else _tangent_of(_check_within(angle, "angle", 0, 89.999999))
    )
    return Isoline(measure, rounded(odds / (odds + slope)), rounded(slope), rounded(prior))


@dataclass(frozen=True)
class IsoCost:
    """The points of ROC space that cost the same as one of them: a straight line with the slope of
    `at`; higher lines are cheaper.
    """

    slope: float
    through: tuple[float, float]
    at: Conditions

    def tpr(self, fpr: float) -> float:
        """Where the line is at this fpr; it may leave the square of ROC space."""
        loss, nuisance = self.at.at_stake
        start, height = (exactly(value) for value in self.through)
        return rounded(height + nuisance / loss * (_check_within(fpr, "fpr", 0, 1) - start))


def iso_cost_line(at: Conditions, *, fpr: float, tpr: float) -> IsoCost:
    """Which ROC points cost as much as this one, at this base rate and these costs?

    The slope is (1 − prior)·(fp − tn) / (prior·(fn − tp)); the cheapest point of a ROC is where
    such a line touches its hull.

    >>> import baserate as br
    >>> line = br.curves.iso_cost_line(br.Conditions(prior=0.2, costs=br.Costs(fp=1, fn=8)), fpr=0.1, tpr=0.7)
    >>> line.slope, round(line.tpr(0.3), 6)
    (0.5, 0.8)
    """  # noqa: E501
    at = _line_conditions(at)
    place = rounded(_check_within(fpr, "fpr", 0, 1)), rounded(_check_within(tpr, "tpr", 0, 1))
    return IsoCost(at.iso_cost_slope, place, at)


def _line_conditions(at: Any) -> Conditions:
    """Exact conditions: a line is read off no data, so None stands for no base rate here."""
    if at is None:
        raise refuse("BR519", "at must be Conditions, got NoneType", "Conditions(prior=0.001)")
    return checked_conditions(at)


def _tangent_of(degrees: Fraction) -> Fraction:
    """Exact where the tangent is a whole number."""
    return Fraction(1) if degrees == 45 else exactly(math.tan(math.radians(float(degrees))))


def _check_within(given: Any, name: str, low: float, high: float) -> Fraction:
    meaning = f"{name} lies between {low:g} and {high:g}"
    check = NumberCheck("BR542", meaning, f"give a {name} in that range", low, high)
    return exactly(check(given))
