"""The winner map: which model is cheapest at each base rate and cost ratio, and where that is
significant.
"""

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
from baserate.counts.cells import upper_hull
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import ONLY_RATES, Points
from baserate.decisions.operating_point import filled, most_unseen, short_on
from baserate.decisions.regret import JUDGED, cheapest_nodes
from baserate.decisions.roc_geometry import (
    EVERYTHING,
    NOTHING,
    Corner,
    Region,
    Win,
    check_names,
    corners,
    regions,
    won,
)
from baserate.decisions.rules import Mask, Rule, holds_all, keeping, parse_rule
from baserate.decisions.selection import refuse_hidden
from baserate.errors import Fix, Infeasible, Note, Problem, combine, number_of, quoted, refuse
from baserate.inference.bands import curves_drawn, resampled_bounds
from baserate.inference.intervals import REPLICATES
from baserate.inference.resample import Progress, check_enough, planned
from baserate.measures.confusion import checked_volume
from baserate.notation import Written, base_rate, from_number, prior
from baserate.numbers import Floats, Viewed, exactly, rounded, view
from baserate.results.values import LOWER, checked_level

# ----------------------------------------------------------------------
# Where the winner of the map cannot be told from another: bounds that hold all over the map at
# once.


# Places along the effective prior at which differences are bounded, evenly by its log odds, from a
# little before the first border.
PLACES = 61
MARGIN = 2.0
MOST_LOGIT = 30.0


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


def told_apart(
    joint: JointCounts,
    regions: Sequence[Region],
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
    places = _places(regions)
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


def _places(regions: Sequence[Region]) -> Floats:
    borders = [_logit(float(region.low)) for region in regions[1:]] or [0.0]
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


# ----------------------------------------------------------------------
# The winner map: which model, at which threshold, is cheapest at each base rate and cost ratio.


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
        return view("plot", self, **given)

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


def winner_map(
    models: Models | JointCounts,
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
    counts = (
        {name: models.marginal(name) for name in models.models}
        if isinstance(models, JointCounts)
        else models
    )
    if not isinstance(counts, Mapping) or not counts:
        raise refuse(
            "BR410",
            "winner_map needs the counts of each model by name",
            'winner_map({"logit": counts})',
        )
    check_names(counts)
    rules = parse_rule(rule, checked_volume(volume))
    points = {name: Points.of(one) for name, one in counts.items()}
    moving = any(term.measure.depends_on_prior for term in rules.terms)
    fixed = (
        ()
        if moving
        else tuple(
            _constrained(points, rules, Conditions()) if rules.terms else regions(corners(points))
        )
    )
    apart = None
    if level is not None:
        if not isinstance(models, JointCounts) or rules.terms:
            text = (
                "whether models can be distinguished is tested over all their thresholds on the"
                " same cases"
            )
            raise refuse(
                "BR595", text, "winner_map(count(y, {name: scores}), level=0.95), without a rule"
            )
        apart = told_apart(models, fixed, level, replicates, seed, progress)
    wins = tuple(won(region, region.low, region.high) for region in fixed)
    return WinnerMap(
        tuple(counts),
        wins,
        str(rules),
        apart,
        (*from_zero(fixed, points), JUDGED),
        fixed,
        points,
        rules,
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
        if not one.total_positives or not one.total_negatives:
            raise refuse(
                "BR552",
                f"{quoted(name)} has cases of one class only: it has no ROC",
                "count cases of both classes",
            )
        masks[name] = np.logical_and.reduce(
            [np.ones(len(one), dtype=np.bool_), *(keeping(term, one, at) for term in rule.terms)]
        )
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
        shared = None if rule.budget is None else filled(one, rule.budget, at)
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
    written = prior(given)
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
