"""Scenes: the corners of what is possible. A range has two ends; what is believed stays a distribution within each scene.

The regret of a fixed point is convex in the prior and in each cost, so it is largest at a corner: no grid is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.errors import refuse
from baserate.notations import from_number
from baserate.spreads import BELIEVED, SPREADS, Draws, Range
from baserate.uncertain import OUTCOMES, Uncertain

PARTS = ("prior", *OUTCOMES)


class Stakes(NamedTuple):
    """What is at stake a case: missing every positive, flagging every negative, and what is paid in any event."""

    miss: Fraction
    alarm: Fraction
    base: Fraction


@dataclass(frozen=True)
class Scene:
    """Conditions in which every part is a number, or a distribution that is believed in; at one site, where there are several."""

    prior: Any
    fp: Any
    fn: Any
    tp: Any
    tn: Any
    site: Any = ""
    in_sample: bool = False
    costs_given: bool = True
    earned: bool = False

    @property
    def parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in PARTS}

    @property
    def believed(self) -> tuple[str, ...]:
        """The parts that are distributions."""
        return tuple(name for name, part in self.parts.items() if isinstance(part, BELIEVED))

    @property
    def joint(self) -> tuple[str, ...]:
        """The parts whose draws belong together, row by row."""
        drawn = [name for name in self.believed if isinstance(getattr(self, name), Draws)]
        return tuple(drawn) if len(drawn) > 1 and len({len(getattr(self, name).values) for name in drawn}) == 1 else ()

    @property
    def stakes(self) -> Stakes:
        """Expected stakes: exact where everything is known."""
        joint = self.joint
        if joint:
            rows = [row.stakes for row in self.rows()]
            return Stakes(*(sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)))
        prior, fp, fn, tp, tn = (Fraction(part.mean) if isinstance(part, BELIEVED) else part for part in self.parts.values())
        return Stakes(prior * (fn - tp), (1 - prior) * (fp - tn), prior * tp + (1 - prior) * tn)

    def given(self, **parts: Any) -> Scene:
        """The same with some of its parts known."""
        return replace(self, **parts)

    def rows(self) -> Iterator[Scene]:
        """One scene a draw, for draws that belong together."""
        columns = {name: np.asarray(getattr(self, name).values).tolist() for name in self.joint}
        for values in zip(*columns.values(), strict=True):
            known = {name: _exact(name, value) for name, value in zip(columns, values, strict=True)}
            yield self.given(**known)

    def conditions(self) -> Conditions:
        """The scene, or its middle, as conditions that a person reads."""
        prior, *costs = (part.middle if isinstance(part, BELIEVED) else part for part in self.parts.values())
        plain = [cost.numerator if isinstance(cost, Fraction) and cost.denominator == 1 else float(cost) for cost in costs]
        told = Costs.told(dict(zip(OUTCOMES, plain, strict=True)), earned=self.earned)
        asked = Conditions(rounded(Fraction(prior)), told if self.costs_given else None)
        return Conditions(None, asked.costs if self.costs_given else None).within(prior) if self.in_sample else asked


def checked(at: Any) -> Uncertain | Conditions:
    """Conditions, known or not."""
    if not isinstance(at, Uncertain | Conditions):
        text = f"at must be Conditions or Uncertain, got {type(at).__name__}"
        raise refuse("BR519", text, 'at=Uncertain(prior="1e-5..1e-3", costs={"fn": Range(100, 1000), "fp": 1})')
    return at


def scenes(at: Uncertain | Conditions, priors: Mapping[Any, Fraction | str]) -> list[Scene]:
    """Every corner at every site. `priors` has the sample's own prior of each site, or the reason why there is none."""
    found: dict[tuple[Any, ...], Scene] = {}
    earned = at.earned if isinstance(at, Uncertain) else at.costs.earned
    for site, own in priors.items():
        known = _parts(at)
        in_sample = known["prior"] is None
        if in_sample:
            filled = Conditions().within(own, "") if isinstance(own, Fraction) else Conditions().within(Fraction(1, 2), own)
            known["prior"] = filled.exact_prior
        for values in product(*(_ends(name, part) for name, part in known.items())):
            prior, fp, fn, tp, tn = values
            found.setdefault((site, *values), Scene(prior, fp, fn, tp, tn, site, in_sample, at.costs_given, earned))
    return list(found.values())


def _parts(at: Uncertain | Conditions) -> dict[str, Any]:
    if isinstance(at, Conditions):
        prior = None if at.as_in_sample else at.exact_prior
        return {"prior": prior, **{name: exactly(getattr(at.costs, name)) for name in OUTCOMES}}
    given = {"prior": at.prior, **at.costs}
    return {name: part if part is None or isinstance(part, SPREADS) else _exact(name, part) for name, part in given.items()}


def _exact(name: str, value: Any) -> Fraction:
    """A prior as it was typed, a cost as the float that it is: as `Conditions` and `Costs` take them."""
    written = from_number(value) if name == "prior" else None
    return exactly(value) if written is None else written.value


def _ends(name: str, part: Any) -> list[Any]:
    return list(dict.fromkeys(_exact(name, end) for end in part.ends)) if isinstance(part, Range) else [part]
