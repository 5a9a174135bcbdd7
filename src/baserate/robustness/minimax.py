"""Regret: how much more a setting costs than the best possible one, over ranges and distributions
of conditions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import OUTCOMES, Conditions, Costs, Uncertain
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import LABELS_MISSING, Points
from baserate.decisions.operating_point import SHOW_ON_OTHERS
from baserate.decisions.roc_geometry import (
    EVERYTHING,
    NOTHING,
    Corner,
    Region,
    check_names,
    corners,
    regions,
)
from baserate.decisions.rules import Mask, Rule, Term, keeping
from baserate.decisions.selection import flag_at, refuse_hidden
from baserate.distributions import BELIEVED, SPREADS, Draws, LogUniform, Range
from baserate.errors import Note, quoted, refuse
from baserate.measures.confusion import ASSUMES_LABEL_SHIFT, Confusion, Measure
from baserate.notation import from_number
from baserate.numbers import Floats, Viewed, exactly, rounded
from baserate.results.operating_point import SAME_CASES

# ----------------------------------------------------------------------
# Scenes: the corners of what is possible. A range has two ends; what is believed stays a
# distribution within each scene.


PARTS = ("prior", *OUTCOMES)


class Stakes(NamedTuple):
    """What is at stake a case: missing every positive, flagging every negative, and what is paid in
    any event.
    """

    miss: Fraction
    alarm: Fraction
    base: Fraction


@dataclass(frozen=True)
class Scene:
    """Conditions in which every part is a number, or an assumed distribution; at one
    site, where there are several.
    """

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
        return (
            tuple(drawn)
            if len(drawn) > 1 and len({len(getattr(self, name).values) for name in drawn}) == 1
            else ()
        )

    @property
    def stakes(self) -> Stakes:
        """Expected stakes: exact where everything is known."""
        joint = self.joint
        if joint:
            rows = [row.stakes for row in self.rows()]
            return Stakes(
                *(sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True))
            )
        prior, fp, fn, tp, tn = (
            Fraction(part.mean) if isinstance(part, BELIEVED) else part
            for part in self.parts.values()
        )
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
        prior, *costs = (
            part.middle if isinstance(part, BELIEVED) else part for part in self.parts.values()
        )
        plain = [
            cost.numerator if isinstance(cost, Fraction) and cost.denominator == 1 else float(cost)
            for cost in costs
        ]
        told = Costs.told(dict(zip(OUTCOMES, plain, strict=True)), earned=self.earned)
        asked = Conditions(rounded(Fraction(prior)), told if self.costs_given else None)
        return (
            Conditions(None, asked.costs if self.costs_given else None).within(prior)
            if self.in_sample
            else asked
        )


def checked(at: Any) -> Uncertain | Conditions:
    """Conditions, known or not."""
    if not isinstance(at, Conditions):
        raise refuse(
            "BR519",
            f"at must be Conditions, got {type(at).__name__}",
            'at=Conditions(prior="1e-5..1e-3", costs={"fn": Range(100, 1000), "fp": 1})',
        )
    return at


def scenes(at: Uncertain | Conditions, priors: Mapping[Any, Fraction | str]) -> list[Scene]:
    """Every corner at every site. `priors` has the sample's own prior of each site, or the reason
    why there is none.
    """
    found: dict[tuple[Any, ...], Scene] = {}
    earned = at.earned if isinstance(at, Uncertain) else at.costs.earned
    for site, own in priors.items():
        known = _parts(at)
        in_sample = known["prior"] is None
        if in_sample:
            filled = (own, "") if isinstance(own, Fraction) else (Fraction(1, 2), own)
            known["prior"] = Conditions().within(*filled).exact_prior
        for values in product(*(_ends(name, part) for name, part in known.items())):
            prior, fp, fn, tp, tn = values
            found.setdefault(
                (site, *values),
                Scene(prior, fp, fn, tp, tn, site, in_sample, at.costs_given, earned),
            )
    return list(found.values())


def _parts(at: Uncertain | Conditions) -> dict[str, Any]:
    if not isinstance(at, Uncertain):
        prior = None if at.as_in_sample else at.exact_prior
        return {"prior": prior, **{name: exactly(getattr(at.costs, name)) for name in OUTCOMES}}
    given = {"prior": at.prior, **at.costs}
    return {
        name: part if part is None or isinstance(part, SPREADS) else _exact(name, part)
        for name, part in given.items()
    }


def _exact(name: str, value: Any) -> Fraction:
    """A prior as it was typed, a cost as the float that it is: as `Conditions` and `Costs` take
    them.
    """
    written = from_number(value) if name == "prior" else None
    return exactly(value) if written is None else written.value


def _ends(name: str, part: Any) -> list[Any]:
    return (
        list(dict.fromkeys(_exact(name, end) for end in part.ends))
        if isinstance(part, Range)
        else [part]
    )


# ----------------------------------------------------------------------
# What the best there is costs on average, where the base rate or a cost is a distribution and the
# choice is made anew at each of its values.


# How finely the parts that are not integrated exactly are walked, by how many there are of them;
# and how much coarser the check is.
PANELS = {0: (1, 1), 1: (16, 12), 2: (4, 3), 3: (2, 1)}
ROUNDING = 1e-15


class Least(NamedTuple):
    """The least cost on average, without what is paid in any event, and a bound on the error of
    that number.
    """

    value: Fraction
    error: float


def least(regions: Sequence[Region], scene: Scene) -> Least:
    """What the best setting costs where one may choose it anew for every value that the conditions
    can take.
    """
    if not scene.believed:
        return Least(cheapest(regions, scene.stakes).stake(*scene.stakes[:2]), 0.0)
    if scene.joint:
        rows = [least(regions, row) for row in scene.rows()]
        return Least(
            sum((row.value for row in rows), Fraction(0)) / len(rows),
            max(row.error for row in rows),
        )
    inner = min(scene.believed, key=lambda name: _roughness(getattr(scene, name)))
    outer = [name for name in scene.believed if name != inner]
    walked = sum(not isinstance(getattr(scene, name), Draws) for name in outer)
    if walked > max(PANELS):
        raise refuse(
            "BR588",
            "more than four parts are distributions: too many to integrate to a known error",
            "give joint Draws of them",
        )
    fine, coarse = PANELS[walked]
    value = _walked(regions, scene, inner, outer, fine)
    error = abs(value - _walked(regions, scene, inner, outer, coarse)) if walked else 0.0
    return Least(Fraction(value), error + ROUNDING * abs(value))


def shares(regions: Sequence[Region], scene: Scene) -> Floats:
    """How likely each region is, over the assumed distributions."""
    if not scene.believed:
        best = cheapest(regions, scene.stakes)
        return np.array([float(region.corner is best) for region in regions])
    if scene.joint:
        return np.asarray(np.mean([shares(regions, row) for row in scene.rows()], axis=0))
    inner = min(scene.believed, key=lambda name: _roughness(getattr(scene, name)))
    outer = [name for name in scene.believed if name != inner]
    walked = sum(not isinstance(getattr(scene, name), Draws) for name in outer)
    every = [
        weight * _shares_of(regions, known, inner)
        for known, weight in _settings(scene, outer, PANELS[min(walked, max(PANELS))][0])
    ]
    return np.asarray(np.sum(every, axis=0))


def _shares_of(regions: Sequence[Region], scene: Scene, inner: str) -> Floats:
    part, places = getattr(scene, inner), edges(regions, scene, inner)
    falls = places[0] > places[-1]
    ordered = places[::-1] if falls else places
    if isinstance(part, Draws):
        # A value on a border counts for what flags less, as everywhere.
        values = np.sort(np.asarray(part.values, dtype=np.float64))
        found = np.diff(np.searchsorted(values, ordered, side="left" if falls else "right")) / len(
            values
        )
    else:
        found = np.diff(part.below(ordered).share)
    return np.asarray(found[::-1] if falls else found)


def _roughness(part: Any) -> int:
    """What is best integrated exactly: over a distribution without edges, what is left is smooth in
    the other parts.
    """
    return 2 if isinstance(part, Draws) else int(isinstance(part, LogUniform))


def cheapest(regions: Sequence[Region], stakes: Stakes) -> Corner:
    """The cheapest corner; the effective prior decides. Of equals at a border, what flags least."""
    effective = stakes.miss / (stakes.miss + stakes.alarm)
    return next(region.corner for region in regions if region.low <= effective <= region.high)


def _walked(
    regions: Sequence[Region], scene: Scene, inner: str, outer: Sequence[str], panels: int
) -> float:
    return math.fsum(
        weight * _integrated(regions, known, inner)
        for known, weight in _settings(scene, outer, panels)
    )


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
    """The stakes as straight lines in one part: (at 0, slope) of missing every positive, and of
    flagging every negative.
    """
    at_zero, at_one = (scene.given(**{inner: Fraction(value)}).stakes for value in (0, 1))
    miss, alarm = ((float(a), float(b - a)) for a, b in zip(at_zero[:2], at_one[:2], strict=True))
    return miss, alarm


def _integrated(regions: Sequence[Region], scene: Scene, inner: str) -> float:
    """The expected least stake over one part, the others known."""
    part = getattr(scene, inner)
    x, missed = (
        np.array([float(value) for value in column])
        for column in zip(*((r.corner.x, 1 - r.corner.y) for r in regions), strict=True)
    )
    (miss, miss_slope), (alarm, alarm_slope) = straight(scene, inner)
    if isinstance(part, Draws):
        return _enumerated(part, (x, missed), (miss, miss_slope), (alarm, alarm_slope))
    places = edges(regions, scene, inner)
    rises = places[0] <= places[-1]
    found = part.below(places if rises else places[::-1])
    share, mean = (np.diff(values) if rises else np.diff(values)[::-1] for values in found)
    constant, slope = missed * miss + x * alarm, missed * miss_slope + x * alarm_slope
    return math.fsum((constant * share + slope * mean).tolist())


def _enumerated(
    part: Draws,
    corners: tuple[Floats, Floats],
    miss: tuple[float, float],
    alarm: tuple[float, float],
) -> float:
    """Every draw with the cheapest corner there."""
    values = np.asarray(part.values, dtype=np.float64)
    x, missed = corners
    stakes: Any = np.multiply.outer(miss[0] + miss[1] * values, missed) + np.multiply.outer(
        alarm[0] + alarm[1] * values, x
    )
    return math.fsum(stakes.min(axis=1).tolist()) / len(values)


def edges(regions: Sequence[Region], scene: Scene, inner: str) -> Floats:
    """Where one part has the borders of the regions: the value at which the effective prior is
    theirs; endless at either end.
    """
    (miss, alarm), found = straight(scene, inner), []
    for region in regions[1:]:
        low, rest = float(region.low), float(1 - region.low)
        found.append((low * alarm[0] - rest * miss[0]) / (rest * miss[1] - low * alarm[1]))
    first, last = (-math.inf, math.inf) if miss[1] > 0 or alarm[1] < 0 else (math.inf, -math.inf)
    return np.array([first, *found, last])


# ----------------------------------------------------------------------
# Settings: every threshold of every model, and what it flags at every site.


# The only site there is, where cases were not counted by site.
HERE = ""
Model = Counts | Points | GroupedCounts


@dataclass(frozen=True)
class Candidates:
    """A model with all its thresholds: `sites` are the points of each site, `places` where each
    threshold lies among them.
    """

    name: str
    points: Points
    sites: Mapping[Any, Points]
    places: Mapping[Any, npt.NDArray[np.intp]]

    def __len__(self) -> int:
        return len(self.points)

    def missed(self, site: Any) -> Floats:
        """1 − tpr of every threshold at a site."""
        return 1 - self.sites[site].tpr[self.places[site]]

    def alarmed(self, site: Any) -> Floats:
        """The fpr of every threshold at a site."""
        return self.sites[site].fpr[self.places[site]]

    def rates(self, index: int, site: Any) -> tuple[Fraction, Fraction]:
        """(fpr, tpr) of one threshold at a site, exactly."""
        return exact_rates(self.sites[site], int(self.places[site][index]))


def exact_rates(points: Points, index: int) -> tuple[Fraction, Fraction]:
    """(fpr, tpr) of one of the points, exactly."""
    fp, tp = exactly(points.fp[index].item()), exactly(points.tp[index].item())
    return fp / exactly(points.total_negatives), tp / exactly(points.total_positives)


def candidates(models: JointCounts | Mapping[str, Model]) -> list[Candidates]:
    """Every model with its thresholds; several sites must be the same of all."""
    if isinstance(models, JointCounts):
        models = {name: models.marginal(name) for name in models.models}
    if not isinstance(models, Mapping) or isinstance(models, GroupedCounts) or not models:
        raise refuse("BR410", "the counts of each model are needed by name", '{"logit": counts}')
    check_names(models)
    found = [_candidates(name, counts) for name, counts in models.items()]
    if len({frozenset(one.sites) for one in found}) > 1:
        raise refuse(
            "BR409",
            "the models were counted at different sites",
            "count(…, by=…) with the same groups for each model",
        )
    return found


def _candidates(name: str, counts: Any) -> Candidates:
    if not isinstance(counts, GroupedCounts):
        points = Points.of(counts)
        return Candidates(
            name, _checked(name, points), {HERE: points}, {HERE: np.arange(len(points))}
        )
    whole = Points.of(counts.total())
    sites = {site: _checked(f"{name} at {site}", Points.of(counts[site])) for site in counts}
    return Candidates(
        name, whole, sites, {site: _places(whole, points) for site, points in sites.items()}
    )


def _places(whole: Points, site: Points) -> npt.NDArray[np.intp]:
    """How many scores of the site each threshold of the whole flags."""
    flagged = len(site.scores) - np.searchsorted(site.scores[::-1], whole.scores, side="left")
    return np.concatenate(([0], flagged))


def _checked(name: str, points: Points) -> Points:
    if not points.total_positives or not points.total_negatives:
        raise refuse(
            "BR552",
            f"{quoted(name)} has cases of one class only: it has no ROC",
            "count cases of both classes",
        )
    return points


def own_priors(found: list[Candidates], asked: Iterable[Measure] = ()) -> dict[Any, Fraction | str]:
    """The sample's own prior of every site, or why there is none for these measures: it must be the
    same for all models.
    """
    asked = tuple(asked)
    own: dict[Any, Fraction | str] = {}
    for site in found[0].sites:
        priors = {own_prior(one.sites[site], asked) for one in found}
        own[site] = (
            priors.pop()
            if len(priors) == 1
            else "the models were counted on cases with different priors"
        )
    return own


def own_prior(sample: Points | Confusion, asked: Iterable[Measure]) -> Fraction | str:
    """The sample's own prior, or why there is none for these measures.

    Cases without a label are not counted over a range of conditions: neither those that are flagged
    nor the positives among them.
    """
    if sample.labels_missing and any(
        measure.counts_cases or measure.name == "posfrac" for measure in asked
    ):
        return LABELS_MISSING
    prior = sample.exact_prior
    return sample.why_no_prior or (prior if isinstance(prior, Fraction) else "only rates are known")


def kept(one: Candidates, rule: Rule, every: list[Scene]) -> Mask:
    """The thresholds that satisfy the rule in every scene: at every site, and over the whole of
    each range.
    """
    one_of_each_site = {scene.site: scene for scene in every}.values()
    asked = [
        (term, scene.site, known.conditions())
        for term in rule.terms
        for scene in (every if term.measure.depends_on_prior else one_of_each_site)
        for known in ends(term, scene)
    ]
    masks = [keeping(term, one.sites[site], at)[one.places[site]] for term, site, at in asked]
    mask: Mask = reduce(np.logical_and, masks, np.ones(len(one), dtype=np.bool_))
    refuse_hidden(one.points, mask, ((term, at) for term, _, at in asked))
    return mask


def ends(term: Term, scene: Scene) -> list[Scene]:
    """The scenes at which a term must hold so that it holds in all of this one; refused where that
    cannot be known.
    """
    if not term.measure.depends_on_prior:
        return [scene]
    if term.measure.parts is None:
        raise refuse(
            "BR534",
            f"{term.measure.name} may rise and fall between two base rates: a rule on it cannot be"
            " held over a range",
            "a measure such as precision, posfrac, alerts, f1 or expected_cost",
        )
    found = [scene]
    for name in scene.believed:
        part = getattr(scene, name)
        if part.ends is None:
            raise refuse(
                "BR588",
                f"a distribution of {name} without ends satisfies no rule for certain",
                "a Range, LogUniform or list of values",
            )
        values = (
            np.unique(np.asarray(part.values)).tolist() if isinstance(part, Draws) else part.ends
        )
        found = [
            one.given(**{name: Fraction(value)})
            for one in found
            for value in (min(values), max(values))
        ]
    return found


# ----------------------------------------------------------------------
# Regret: how much more a setting costs than the best there would have been, had one known.


# Of what the best costs on average, less than which no difference can be told from rounding.
NEXT_TO_NOTHING = 1e-13
# False positive rates that the sample is too small to show.
UNSEEN = "BR505"
# What a false alarm costs where a budget limits them, and nothing else does.
ALARMS = Fraction(0)
JUDGED = Note("BR528", SAME_CASES, SHOW_ON_OTHERS)


@dataclass(frozen=True)
class Regret(Viewed):
    """How much more does this setting cost per case than the best choice, at worst?

    `at` are the conditions (or, where a distribution is assumed, the middle of them) at which
    `value` is reached, `site` the site; `instead` is what would be best there, by model. Where a
    part is a distribution, costs are averages over it and `least` is that of choosing anew for each
    of its values. Under a budget without costs, `cost` is the positives missed a case and `least`
    that of the best threshold within the budget. `error` bounds the error of the integration; 0
    where everything is exact.
    """

    value: float
    model: str
    threshold: float | None
    cost: float
    least: float
    at: Conditions
    instead: Mapping[str, float | None]
    site: Any = None
    averaged: bool = False
    error: float = 0.0
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)


class Staged(NamedTuple):
    """A scene with what is at stake in it, who would be best, and what that costs."""

    scene: Scene
    stakes: Stakes
    regions: list[Region]
    least: Least

    def regret(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        return self.stakes.miss * (1 - tpr) + self.stakes.alarm * fpr - self.least.value


def staged(every: list[Candidates], at: Uncertain | Conditions) -> list[Staged]:
    """Every scene: against the best over all models, thresholds and both answers for all."""
    borders = {
        site: regions(corners({one.name: one.sites[site] for one in every}))
        for site in every[0].sites
    }
    return [
        Staged(scene, scene.stakes, borders[scene.site], least(borders[scene.site], scene))
        for scene in scenes(at, own_priors(every))
    ]


# ---- a budget, and no costs: what is missed beside the best within the budget -----------------


def staged_within(
    every: list[Candidates], budget: Term, at: Uncertain | Conditions
) -> list[Staged]:
    """Every scene in which a setting can be furthest from the best threshold within the budget, in
    positives missed a case.

    Of one threshold that catches tpr, at most p·(tpr' − tpr) more are caught at base rate p by
    another that catches tpr' and is within the budget there. That rises with p, so over a range it
    is largest at the highest base rate that leaves the other within the budget: each of these is a
    scene. Over a distribution the best is chosen anew for every base rate, and averaged.
    """
    share = budget.limit / exactly(dict(budget.measure.parameters)["volume"])
    by_site: dict[Any, list[Scene]] = {}
    for scene in scenes(at, own_priors(every)):
        by_site.setdefault(scene.site, []).append(scene)
    found: list[Staged] = []
    for parts in by_site.values():
        ends = parts[0].prior.ends if parts[0].believed else tuple(scene.prior for scene in parts)
        steps = _steps(every, parts[0], budget, share, (Fraction(min(ends)), Fraction(max(ends))))
        found += (
            [_averaged(steps, parts[0])]
            if parts[0].believed
            else [_at_step(step, parts[0]) for step in _furthest(_falling(steps))]
        )
    return found


class _Step(NamedTuple):
    """From one base rate up to another, this threshold is within the budget."""

    low: Fraction
    prior: Fraction
    name: str
    fpr: Fraction
    tpr: Fraction
    threshold: Any

    @property
    def region(self) -> Region:
        """As if it were best whatever the costs."""
        corner = Corner(self.fpr, self.tpr, {self.name: self.threshold})
        return Region(Fraction(0), Fraction(1), corner)


def _steps(
    every: list[Candidates],
    scene: Scene,
    budget: Term,
    share: Fraction,
    ends: tuple[Fraction, Fraction],
) -> list[_Step]:
    """The thresholds that may be the best within the budget somewhere between two base rates.

    Alerts are a straight line in the base rate: one that is within the budget at one end only is so
    up to where that line crosses it.
    """
    found: list[_Step] = []
    for one in every:
        points = one.sites[scene.site]
        low, high = (keeping(budget, points, scene.given(prior=end).conditions()) for end in ends)
        everywhere, below, above = (
            np.flatnonzero(mask) for mask in (low & high, low & ~high, high & ~low)
        )
        for places in (everywhere[-1:], below, above):
            # Of those that catch as many, the first flags least.
            _, first = np.unique(points.tp[places], return_index=True)
            for place in places[first].tolist():
                fpr, tpr = exact_rates(points, place)
                crossing = (
                    min(max(ends[0], (share - fpr) / (tpr - fpr)), ends[1])
                    if low[place] != high[place]
                    else ends[1]
                )
                until = (ends[0], crossing) if low[place] else (crossing, ends[1])
                found.append(
                    _Step(*until, one.name if place else NOTHING, fpr, tpr, points.threshold(place))
                )
    return found


def _falling(steps: list[_Step]) -> list[_Step]:
    """From the highest base rate down, what catches more than all that reaches as high."""
    kept: list[_Step] = []
    for step in sorted(steps, key=lambda step: (-step.prior, -step.tpr)):
        if not kept or step.tpr > kept[-1].tpr:
            kept.append(step)
    return kept


def _furthest(steps: list[_Step]) -> list[_Step]:
    """Of the steps those that can be furthest from some threshold: the upper hull of prior · tpr
    over prior.
    """
    kept: list[_Step] = []
    for step in steps[::-1]:
        while len(kept) >= 2 and _turn(kept[-2], kept[-1], step) >= 0:
            kept.pop()
        kept.append(step)
    return kept[::-1]


def _turn(first: _Step, middle: _Step, last: _Step) -> Fraction:
    """Above 0 where the way from the first through the middle to the last turns left."""
    across, up = middle.prior - first.prior, middle.prior * middle.tpr - first.prior * first.tpr
    return across * (last.prior * last.tpr - middle.prior * middle.tpr) - up * (
        last.prior - middle.prior
    )


def _at_step(step: _Step, scene: Scene) -> Staged:
    return Staged(
        scene.given(prior=step.prior),
        Stakes(step.prior, ALARMS, ALARMS),
        [step.region],
        Least(step.prior * (1 - step.tpr), 0.0),
    )


def _averaged(steps: list[_Step], scene: Scene) -> Staged:
    """Over a distribution: between two steps the best catches a share of the positives, so what is
    caught follows from their mean there.
    """
    mean, spread = Fraction(scene.prior.mean), scene.prior
    start = min(step.low for step in steps)
    steps = [
        *_falling([step for step in steps if step.low == start]),
        *(step for step in steps if step.low > start),
    ]
    lows, highs, tprs = (
        np.array([float(value) for value in column])
        for column in zip(*((s.low, s.prior, s.tpr) for s in steps), strict=True)
    )
    edges = np.unique(np.concatenate((lows, highs)))
    if isinstance(spread, Draws):
        values, parts = np.unique(np.asarray(spread.values, dtype=np.float64), return_counts=True)
        masses = values * parts / len(spread.values)
    else:
        values, masses = (edges[1:] + edges[:-1]) / 2, np.diff(spread.below(edges).part)
    best = np.array([tprs[(lows <= value) & (value <= highs)].max() for value in values.tolist()])
    caught = Fraction(math.fsum((best * masses).tolist()))
    middle = Fraction(scene.conditions().exact_prior)
    here = max(
        (step for step in steps if step.low <= middle <= step.prior), key=lambda step: step.tpr
    )
    return Staged(
        scene,
        Stakes(mean, ALARMS, ALARMS),
        [here.region],
        Least(mean - caught, 1e-15 * float(mean)),
    )


def regret(
    models: JointCounts | Mapping[str, Model],
    model: str,
    threshold: Any = None,
    *,
    at: Conditions | Uncertain,
) -> Regret:
    """How much more does this model at this threshold cost than the best of all models, thresholds
    and answers for all?

    At known conditions that is one number; over ranges the largest, which lies at a
    corner, as regret is convex in the prior and in each cost; over distributions the average.
    `model` may be "flag nothing" or "flag everything".

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> at = br.Conditions(prior="0.1%..10%", costs={"fn": 10})
    >>> found = br.robustness.regret({"a": a}, "a", 2, at=at)
    >>> round(found.value, 4), found.at.prior, dict(found.instead)
    (0.12, 0.1, {'a': 1})
    """
    every = candidates(models)
    scenes_ = staged(every, checked(at))
    if model in (NOTHING, EVERYTHING):
        rates = {site: (Fraction(model == EVERYTHING),) * 2 for site in every[0].sites}
    else:
        one = next((one for one in every if one.name == model), None)
        if one is None:
            raise refuse(
                "BR408",
                f"there is no model {quoted(model)}",
                f"one of {', '.join(quoted(one.name) for one in every)}",
            )
        place = one.points.place(threshold)
        rates = {site: one.rates(place, site) for site in one.sites}
    return worst(scenes_, rates, model, threshold, assumption(at))


def assumption(at: Uncertain | Conditions) -> tuple[Note, ...]:
    """The assumption behind a number at another base rate than the sample's."""
    if at.as_in_sample:
        return ()
    prior = str(at).partition(";")[0]
    return (Note("BR526", f"computed for {prior}; {ASSUMES_LABEL_SHIFT}"),)


def on_threshold(points: Points, threshold: Any, at: Uncertain | Conditions) -> tuple[Note, ...]:
    """What a reader of a chosen threshold should know: what the sample is too small to show of it,
    and that it was chosen there.
    """
    known = at.middle() if isinstance(at, Uncertain) else at
    return (
        *(note for note in flag_at(points, threshold, at=known).notes if note.code == UNSEEN),
        JUDGED,
    )


def worst(
    found: list[Staged],
    rates: Mapping[Any, tuple[Fraction, Fraction]],
    model: str,
    threshold: Any,
    notes: tuple[Note, ...],
) -> Regret:
    """The regret of one setting where it is largest; of equals, the first."""
    regrets = [part.regret(*rates[part.scene.site]) for part in found]
    place = max(range(len(found)), key=lambda i: (regrets[i], -i))
    part = found[place]
    base = part.stakes.base
    return Regret(
        _not_below_0(regrets[place], part),
        model,
        threshold,
        rounded(base + regrets[place] + part.least.value),
        rounded(base + part.least.value),
        part.scene.conditions(),
        dict(cheapest(part.regions, part.stakes).settings),
        None if part.scene.site == HERE else part.scene.site,
        bool(part.scene.believed),
        part.least.error,
        notes,
    )


def _not_below_0(value: Fraction, part: Staged) -> float:
    """Nothing costs less than the least: below 0, or next to nothing beside it, what an integral
    leaves is rounding.
    """
    least, error = part.least
    rounding = error and value <= max(error, NEXT_TO_NOTHING * abs(least))
    return 0.0 if rounding else rounded(value)
