"""The winner map: which model, at which threshold, is cheapest at each base rate and cost ratio."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import FINE_PANELS, Conditions
from baserate.counts.points import ONLY_RATES, Points
from baserate.decisions.choose import Thresholds, filled_tie, keep_terms
from baserate.decisions.merged import refuse_hidden
from baserate.decisions.operating_point import most_unseen, short_on
from baserate.decisions.regret import JUDGED, cheapest_nodes
from baserate.decisions.roc_geometry import (
    Corner,
    Region,
    Win,
    check_classes,
    check_models,
    corners,
    regions,
    won,
)
from baserate.decisions.rules import Mask, Rule, holds_all
from baserate.errors import Fix, Infeasible, Note, Problem, number_of, quoted, refuse
from baserate.notation import Written, base_rate, from_number, parse_prior
from baserate.numbers import Viewed, exactly, make_view, rounded


class Undecided(NamedTuple):
    """From one effective prior to another, the winner is not significantly better than these."""

    low: float
    high: float
    rivals: tuple[str, ...]


@dataclass(frozen=True)
class SignificanceRegion:
    """Where the winner of the map is significant, and where it is not, at this level for all of it
    together.

    At each of `places` (effective priors) the observed `winners` are compared with every other
    model's cheapest threshold and with flagging nothing and everything; `doubts` are the stretches
    in which some rival's cost is not significantly higher.
    """

    doubts: tuple[Undecided, ...]
    places: tuple[float, ...] = field(repr=False)
    winners: tuple[str, ...] = field(repr=False)
    level: float = 0.95
    replicates: int = 0
    seed: int = 0
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def doubtful(self, effective_prior: float) -> tuple[str, ...]:
        """The rivals that are not significantly worse than the winner at this effective prior."""
        found = [
            rival
            for doubt in self.doubts
            if doubt.low <= effective_prior <= doubt.high
            for rival in doubt.rivals
        ]
        return tuple(dict.fromkeys(found))

    def between(self, low: float, high: float) -> tuple[str, ...]:
        """Who was cheapest at each place between two effective priors."""
        return tuple(
            winner
            for place, winner in zip(self.places, self.winners, strict=True)
            if low < place < high
        )


Models = Mapping[str, Any]


class Border(NamedTuple):
    """Where two settings cost the same: at this effective prior, a straight line over logit(prior)
    and log(cost ratio).

    logit(prior) = `intercept` + log(cost ratio); all borders are parallel.
    """

    effective_prior: float
    intercept: float

    def prior(self, cost_ratio: float) -> float:
        """The prior on the border at this cost ratio."""
        odds = (
            Fraction(self.effective_prior)
            / (1 - Fraction(self.effective_prior))
            * exactly(cost_ratio)
        )
        return rounded(odds / (1 + odds))


@dataclass(frozen=True)
class WinnerMap(Viewed):
    """Which model is cheapest at which base rate and cost ratio (what a false alarm costs in
    units of a miss, (fp − tn) / (fn − tp)).

    The winner depends on the effective prior alone, e = prior / (prior + (1 − prior) · ratio):
    `wins` are its stretches, exact, with ties named together, `borders` the lines between them.
    Under a rule that depends on the base rate they change with it, and `along` has those at one
    base rate. `apart` says where models cannot be distinguished, if that was requested.
    """

    models: tuple[str, ...]
    wins: tuple[Win, ...] = ()
    rule: str = ""
    apart: SignificanceRegion | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    _regions: tuple[Region, ...] = field(default=(), repr=False, compare=False)
    _points: Mapping[str, Points] = field(default_factory=dict, repr=False, compare=False)
    _rule: Rule = field(default=Rule(), repr=False, compare=False)

    def plot(self, **given: Any) -> Any:
        """The map; keywords are those of `baserate.plots.winner_map_panel`."""
        return make_view("plot", self, **given)

    @property
    def borders(self) -> tuple[Border, ...]:
        """The lines between neighbouring stretches, from low to high effective prior."""
        lows = [region.low for region in self._regions[1:]]
        return tuple(Border(rounded(low), math.log(low / (1 - low))) for low in lows)

    def along(self, prior: Any) -> tuple[Win, ...]:
        """The stretches of effective prior at one base rate: the same at all of them, unless the
        rule depends on it.
        """
        return tuple(won(region, region.low, region.high) for region in self._at(_prior(prior)))

    def at(self, prior: Any, cost_ratio: Any) -> Win:
        """Who wins at this base rate and this cost ratio; on a border, what flags less. `low` and
        `high` are effective priors.
        """
        share, ratio = _prior(prior), _ratio(cost_ratio)
        effective = share.value / (share.value + (1 - share.value) * ratio)
        found = self._at(share)
        region = found[bisect_left([region.high for region in found], effective)]
        return won(region, region.low, region.high)

    def grid(self, priors: Any, cost_ratios: Any) -> npt.NDArray[np.object_]:
        """The names of the winners, one row per base rate and one column per cost ratio; a tie is
        one name joined by " = ".
        """
        shares, ratios = (
            [_prior(value) for value in priors],
            [_ratio(value) for value in cost_ratios],
        )
        found = np.empty((len(shares), len(ratios)), dtype=object)
        for row, share in enumerate(shares):
            here = self._at(share)
            highs = np.array([float(region.high) for region in here])
            effective = np.array(
                [float(share.value / (share.value + (1 - share.value) * ratio)) for ratio in ratios]
            )
            names = np.array([" = ".join(region.corner.settings) for region in here], dtype=object)
            found[row] = names[np.minimum(np.searchsorted(highs, effective), len(here) - 1)]
        return found

    def likely(self, at: Conditions) -> dict[str, float]:
        """How likely is each to be cheapest, over the assumed distribution of base rate and costs?
        Names of a tie are joined by " = ".
        """
        if not self._regions or at.has_range:
            text = "how likely a winner is needs distributions, and borders that stay"
            raise refuse(
                "BR588", text, "LogUniform(1e-5, 1e-3), and no rule that depends on the base rate"
            )
        at.middle().within(Fraction(1, 2), "" if at.prior is not None else "a base rate is needed")
        shares = np.zeros(len(self._regions))
        for nodes, places in cheapest_nodes(self._regions, at, math.nan, FINE_PANELS):
            shares += np.bincount(places, nodes.weights, len(shares))
        found: dict[str, float] = {}
        for region, share in zip(self._regions, shares.tolist(), strict=True):
            name = " = ".join(region.corner.settings)
            found[name] = found.get(name, 0.0) + share
        return found

    def _at(self, share: Written) -> tuple[Region, ...]:
        if self._regions:
            return self._regions
        return tuple(_constrained(self._points, self._rule, Conditions(share.value)))

    def __repr__(self) -> str:
        under = f", with {self.rule}" if self.rule else ""
        parts = (
            f"{len(self.wins)} stretches of effective prior"
            if self.wins
            else "stretches that change with the base rate"
        )
        return f"WinnerMap of {', '.join(self.models)}{under}: {parts}"


def map_winners(models: Models, rules: Rule) -> WinnerMap:
    """Return which model, at which threshold, is cheapest at each base rate and each cost ratio.

    Exact, from the convex hull of all models with "flag nothing" and "flag everything"; under a
    rule, from the points that satisfy it.
    """
    check_models(models)
    points = {name: Points.of(one) for name, one in models.items()}
    stretches: Sequence[Region] = ()
    if not rules.terms:
        stretches = regions(corners(points))
    elif not any(term.measure.depends_on_prior for term in rules.terms):
        stretches = _constrained(points, rules, Conditions())
    return WinnerMap(
        tuple(models),
        tuple(won(region, region.low, region.high) for region in stretches),
        str(rules),
        notes=(*from_zero(stretches, points), JUDGED),
        _regions=tuple(stretches),
        _points=points,
        _rule=rules,
    )


def from_zero(found: Sequence[Region], points: Mapping[str, Points]) -> tuple[Note, ...]:
    """A model that is cheapest down to a base rate of 0 rests on no false positive among the
    negatives of the sample.
    """
    corner = found[0].corner if found else None
    if corner is None or corner.x or not corner.y:
        return ()
    name, cut = next(iter(corner.settings.items()))
    negatives = points[name].total_negatives
    if points[name].why_no_prior == ONLY_RATES or not isinstance(negatives, int):
        return ()
    bound = most_unseen(negatives)
    shown = short_on(points[name], cut)
    seen = (
        f"{quoted(name)} at score ≥ {shown} is best however rare positives are, as it flags none of"
        f" {number_of(negatives, 'negative')}"
    )
    border = bound / (bound + float(corner.y))
    text = (
        f"{seen}: its fpr may be up to {bound:.3g} (95 %), and then flagging nothing is better"
        f" at base rates below {border:.3g} (at equal costs)"
    )
    return (Note("BR505", text),)


def _constrained(points: Mapping[str, Points], rule: Rule, at: Conditions) -> list[Region]:
    """The stretches of what satisfies the rule at these conditions: thresholds, and the part of a
    tie that fills a budget.
    """
    masks: dict[str, Mask] = {}
    for name, one in points.items():
        check_classes(one, quoted(name))
        masks[name] = keep_terms(rule.terms, Thresholds(one), at)
        refuse_hidden(one, masks[name], [(term, at) for term in rule.terms])
    found = corners(points, masks)
    if rule.budget is not None:
        found = _with_ties(found, points, rule, at)
    if not found:
        where = f" at a base rate of {base_rate(at.prior)}" if at.prior is not None else ""
        fix = Fix.everywhere("relax one of the requirements, or find a better model")
        raise Infeasible(Problem("BR530", f"no threshold of any model has {rule}{where}", fix))
    return regions(found)


def _with_ties(
    found: list[Corner], points: Mapping[str, Points], rule: Rule, at: Conditions
) -> list[Corner]:
    """The corners, and where each model's budget ends inside a tie, the share of it that may be
    flagged (named by the threshold above it).
    """
    every = {(corner.x, corner.y): dict(corner.settings) for corner in found}
    for name, one in points.items():
        shared = None if rule.budget is None else filled_tie(one, rule.budget, at)
        others = [term for term in rule.terms if term is not rule.budget]
        if shared is not None and holds_all(others, shared.confusion, at):
            tp, fp = exactly(shared.confusion.tp), exactly(shared.confusion.fp)
            place = fp / exactly(one.total_negatives), tp / exactly(one.total_positives)
            every.setdefault(place, {})[name] = shared.threshold
    return [
        Corner(*place, settings)
        for place, settings in sorted(every.items(), key=lambda item: item[0])
    ]


def _prior(given: Any) -> Written:
    written = parse_prior(given)
    if written is None:
        raise refuse(
            "BR509",
            "a place on the map needs a base rate",
            'map.at(prior="1 in 1000", cost_ratio=0.01)',
        )
    return written


def _ratio(given: Any) -> Fraction:
    """What a false alarm costs in units of a miss."""
    written = from_number(given)
    if written is None or written.value <= 0:
        text = (
            "a cost ratio is what a false alarm costs in units of a miss, above 0, got"
            f" {quoted(given)}"
        )
        raise refuse("BR542", text, "Costs(fp=1, fn=100).ratio, or 0.01")
    return written.value
