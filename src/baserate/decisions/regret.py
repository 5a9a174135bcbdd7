"""Regret: how much more a setting costs than the best one would have, where base rate and costs are
not known exactly; and the setting with the least regret.

Over ranges the largest regret counts. It is convex in the base rate and in each cost, so that it
lies at a corner, where every range is at one of its ends. Over distributions the mean counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import COARSE_PANELS, FINE_PANELS, Conditions, Nodes, told
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import LABELS_MISSING, Points
from baserate.decisions.choose import Thresholds, keep_terms
from baserate.decisions.merged import may_lie, refuse_hidden
from baserate.decisions.operating_point import SHOW_ON_OTHERS, short_on
from baserate.decisions.roc_geometry import (
    EVERYTHING,
    NOTHING,
    Corner,
    Region,
    check_classes,
    check_models,
    corners,
    exact_rates,
    regions,
)
from baserate.decisions.rules import (
    NO_THRESHOLD,
    TOLERANCE,
    Mask,
    Rule,
    Term,
    find_best,
    parse_rule,
)
from baserate.decisions.selection import (
    COST,
    chosen_among,
    flag_at,
)
from baserate.distributions import LogUniform
from baserate.errors import Fix, Infeasible, Note, Problem, combine, quoted, refuse
from baserate.measures.confusion import ASSUMES_LABEL_SHIFT, Confusion, Measure
from baserate.notation import checked_volume
from baserate.numbers import Floats, Viewed, exactly, rounded
from baserate.results.operating_point import SAME_CASES
from baserate.results.values import Difference

# ----------------------------------------------------------------------
# The settings: every threshold of every model, and what it flags at every site.


# The only site there is, where cases were not counted by site.
HERE = ""
Model = Counts | Points | GroupedCounts
Rates = tuple[Fraction, Fraction]
OwnPriors = Mapping[Any, Fraction | str]


@dataclass(frozen=True)
class Candidates:
    """A model with all its thresholds: `sites` are the points of each site, `places` where each
    threshold lies among them.
    """

    name: str
    points: Points
    sites: Mapping[Any, Points]
    places: Mapping[Any, npt.NDArray[np.intp]]

    def rates_at(self, index: int) -> dict[Any, Rates]:
        """Return (fpr, tpr) of one threshold at every site, exactly."""
        return {
            site: exact_rates(points, int(self.places[site][index]))
            for site, points in self.sites.items()
        }


def candidates(models: JointCounts | Mapping[str, Model]) -> list[Candidates]:
    """Return every model with its thresholds; several sites must be the same of all."""
    if isinstance(models, JointCounts):
        models = {name: models.marginal(name) for name in models.models}
    check_models(models)
    every = [_candidates(name, counts) for name, counts in models.items()]
    if len({frozenset(one.sites) for one in every}) > 1:
        raise refuse(
            "BR409",
            "the models were counted at different sites",
            "count(…, by=…) with the same groups for each model",
        )
    return every


def _candidates(name: str, counts: Any) -> Candidates:
    if not isinstance(counts, GroupedCounts):
        points = Points.of(counts)
        check_classes(points, quoted(name))
        return Candidates(name, points, {HERE: points}, {HERE: np.arange(len(points))})
    whole = Points.of(counts.total())
    sites = {site: Points.of(counts[site]) for site in counts}
    for site, points in sites.items():
        check_classes(points, quoted(f"{name} at {site}"))
    places = {site: _places_at_site(whole, points) for site, points in sites.items()}
    return Candidates(name, whole, sites, places)


def _places_at_site(whole: Points, site: Points) -> npt.NDArray[np.intp]:
    """How many scores of the site each threshold of the whole flags."""
    flagged = len(site.scores) - np.searchsorted(site.scores[::-1], whole.scores, side="left")
    return np.concatenate(([0], flagged))


def own_priors(every: Sequence[Candidates], asked: Iterable[Measure] = ()) -> OwnPriors:
    """Return the sample's own prior of every site, or why there is none for these measures: it must
    be the same for all models.
    """
    asked = tuple(asked)
    own: dict[Any, Fraction | str] = {}
    for site in every[0].sites:
        priors = {own_prior(one.sites[site], asked) for one in every}
        different = "the models were counted on cases with different priors"
        own[site] = priors.pop() if len(priors) == 1 else different
    return own


def own_prior(sample: Points | Confusion, asked: Iterable[Measure]) -> Fraction | str:
    """Return the sample's own prior, or why there is none for these measures.

    Cases without a label are not counted over a range of conditions: neither those that are flagged
    nor the positives among them.
    """
    if sample.labels_missing and any(
        measure.counts_cases or measure.name == "posfrac" for measure in asked
    ):
        return LABELS_MISSING
    prior = sample.exact_prior
    return sample.why_no_prior or (prior if isinstance(prior, Fraction) else "only rates are known")


def resolve_conditions(at: Conditions, own: Fraction | str) -> Conditions:
    """Return exact conditions in the middle of these, at the sample's own prior where none is
    given.
    """
    middle = at.middle()
    return middle.within(own) if isinstance(own, Fraction) else middle.within(Fraction(1, 2), own)


def check_conditions(at: Any) -> Conditions:
    """Return the conditions, known exactly or not."""
    if not isinstance(at, Conditions):
        raise refuse(
            "BR519",
            f"at must be Conditions, got {type(at).__name__}",
            'at=Conditions(prior="1e-5..1e-3", costs={"fn": Range(100, 1000), "fp": 1})',
        )
    return at


# ----------------------------------------------------------------------
# Which thresholds satisfy a rule over all of the conditions.


def keep_everywhere(one: Candidates, rule: Rule, at: Conditions, own: OwnPriors) -> Mask:
    """Return the thresholds that satisfy the rule at every site and over the whole of each range
    and distribution.
    """
    asked = [
        (term, site, resolve_conditions(corner, own[site]))
        for term in rule.terms
        for site in one.sites
        for corner in _where_to_hold(term, at)
    ]
    mask = np.ones(len(one.points), dtype=np.bool_)
    for term, site, known in asked:
        mask &= keep_terms([term], Thresholds(one.sites[site]), known)[one.places[site]]
    refuse_hidden(one.points, mask, ((term, known) for term, _, known in asked))
    return mask


def _where_to_hold(term: Term, at: Conditions) -> list[Conditions]:
    """Return where a term must hold so that it holds everywhere; refused where that is unknown."""
    if not term.measure.depends_on_prior:
        return at.corners()[:1]
    if term.measure.parts is None:
        raise refuse(
            "BR534",
            f"{term.measure.name} may rise and fall between two base rates: a rule on it cannot be"
            " held over a range",
            "a measure such as precision, posfrac, alerts, f1 or expected_cost",
        )
    for name, part in at.believed.items():
        if part.ends is None:
            raise refuse(
                "BR588",
                f"a distribution of {name} without ends satisfies no rule for certain",
                "a Range, LogUniform or list of values",
            )
    return at.corners(of_believed=True)


# ----------------------------------------------------------------------
# What is at stake, and what the best setting costs, at each corner of the conditions.


# Of what the best costs on average, less than which no difference can be told from rounding.
NEXT_TO_NOTHING = 1e-13
ONE = np.ones(1)
ROUNDING = 1e-15


class Situation(NamedTuple):
    """A corner of the conditions at one site: what is at stake there, and what the best costs.

    `miss` is what missing every positive costs per case, `alarm` what flagging every negative does,
    and `base` what is paid in any event: means, where the corner has distributions. `least` is what
    the best costs beyond that, chosen anew for every value of these, with a bound on its error;
    `best` is the best setting in the middle.
    """

    at: Conditions
    site: Any
    miss: Fraction
    alarm: Fraction
    base: Fraction
    best: Corner
    least: Fraction
    error: float = 0.0
    averaged: bool = False

    def regret(self, rates: Rates) -> Fraction:
        """Return how much more these rates cost than the best."""
        fpr, tpr = rates
        return self.miss * (1 - tpr) + self.alarm * fpr - self.least

    def regrets(self, tpr: Floats, fpr: Floats) -> Floats:
        """Return the same of many rates, as floats."""
        return float(self.miss) * (1 - tpr) + float(self.alarm) * fpr - float(self.least)


def situations(every: Sequence[Candidates], at: Conditions) -> list[Situation]:
    """Return every corner at every site, against the best over all models, thresholds and both
    answers for all.
    """
    own = own_priors(every)
    found = []
    for site in every[0].sites:
        stretches = regions(corners({one.name: one.sites[site] for one in every}))
        found += [_situation(corner, site, own[site], stretches) for corner in at.corners()]
    return found


def _situation(
    at: Conditions, site: Any, own: Fraction | str, stretches: Sequence[Region]
) -> Situation:
    middle = resolve_conditions(at, own)
    if at.is_exact:
        (miss, alarm), exact, costs = middle.at_stake, middle.exact_prior, middle.costs
        base = exact * exactly(costs.tp) + (1 - exact) * exactly(costs.tn)
        best = cheapest(stretches, miss, alarm)
        return Situation(middle, site, miss, alarm, base, best, best.stake(miss, alarm))
    prior = float(middle.exact_prior)
    independent = {name: one.mean for name, one in at.believed.items() if name not in at.joint}
    means = at.given(**independent).nodes(sample_prior=prior)
    miss, alarm, base = (
        Fraction(means.average(part)) for part in (means.miss, means.alarm, means.base)
    )
    fine, coarse = (
        math.fsum(
            float(nodes.average(stake_at(stretches, nodes, places)))
            for nodes, places in cheapest_nodes(stretches, at, prior, panels)
        )
        for panels in (FINE_PANELS, COARSE_PANELS)
    )
    error = abs(fine - coarse) + ROUNDING * abs(fine)
    best = cheapest(stretches, miss, alarm)
    return Situation(middle, site, miss, alarm, base, best, Fraction(fine), error, averaged=True)


def cheapest(stretches: Sequence[Region], miss: Fraction, alarm: Fraction) -> Corner:
    """The cheapest corner; the effective prior decides. Of equals at a border, what flags least."""
    effective = miss / (miss + alarm)
    return next(one.corner for one in stretches if one.low <= effective <= one.high)


def stake_at(stretches: Sequence[Region], nodes: Nodes, places: npt.NDArray[np.intp]) -> Floats:
    """Return what the errors of these settings cost at each node."""
    fpr = np.array([float(one.corner.x) for one in stretches])[places]
    missed = np.array([float(1 - one.corner.y) for one in stretches])[places]
    return np.asarray(nodes.miss * missed + nodes.alarm * fpr)


def cheapest_nodes(
    stretches: Sequence[Region], at: Conditions, sample_prior: float, panels: Mapping[int, int]
) -> Iterator[tuple[Nodes, npt.NDArray[np.intp]]]:
    """Yield nodes of conditions without ranges, and which of the stretches is cheapest at each.

    The quadrature of one of the distributions ends its panels where the choice changes, so that all
    it integrates is smooth. The others are walked around it.
    """
    borders = np.array([float(one.low) for one in stretches[1:]])
    if not at.smooth:
        nodes = at.nodes(panels, sample_prior=sample_prior)
        yield nodes, np.searchsorted(borders, nodes.miss / (nodes.miss + nodes.alarm))
        return
    # Averaged over a distribution without edges, what is left is smooth in the other parts.
    inner = min(at.smooth, key=lambda name: isinstance(at.parts[name], LogUniform))
    part = at.parts[inner]
    outer = at.given(**{inner: part.mean}).nodes(panels, sample_prior=sample_prior)
    for row in zip(*(column.tolist() for column in outer), strict=True):
        known = dict(zip(Nodes._fields, row, strict=True))
        weight = known.pop("weights")
        values, weights = part.places(panels[1], values_at(borders, known, inner))
        nodes = Nodes(**{**known, inner: values}, weights=weight * weights)
        yield nodes, np.searchsorted(borders, nodes.miss / (nodes.miss + nodes.alarm))


def values_at(effective: Floats, known: Mapping[str, float], part: str) -> Floats:
    """Return the values of one part that make these effective priors, all else known."""
    nothing, one = (
        Nodes(
            **{name: np.array(each) for name, each in {**known, part: value}.items()}, weights=ONE
        )
        for value in (0.0, 1.0)
    )
    slope_of_miss, slope_of_alarm = one.miss - nothing.miss, one.alarm - nothing.alarm
    above = effective * nothing.alarm - (1 - effective) * nothing.miss
    return np.asarray(above / ((1 - effective) * slope_of_miss - effective * slope_of_alarm))


# ----------------------------------------------------------------------
# A budget and no costs: positives missed beyond those of the best threshold within the budget.


# What a false alarm costs where a budget limits them, and nothing else does.
NO_COST = Fraction(0)


class _Reach(NamedTuple):
    """A threshold, and the highest base rate of a range at which it is within the budget."""

    prior: Fraction
    rates: Rates
    settings: Mapping[str, Any]


def budget_situations(every: Sequence[Candidates], budget: Term, at: Conditions) -> list[Situation]:
    """Return the situations in which a threshold can be furthest from the best within the budget.

    Of one threshold that catches tpr, at most p·(tpr' − tpr) more are caught at base rate p by
    another that catches tpr' and is within the budget there. That rises with p, so over a range it
    is largest at the highest base rate that leaves the other within the budget. Over a distribution
    the best is chosen anew for every base rate.
    """
    own = own_priors(every)
    found = []
    for site in every[0].sites:
        points = {one.name: one.sites[site] for one in every}
        if "prior" in at.believed:
            found.append(_averaged_budget(points, budget, at, site))
            continue
        known = [resolve_conditions(corner, own[site]) for corner in at.corners()]
        known.sort(key=lambda one: one.exact_prior)
        reaches = [
            reach for name in points for reach in _reaches(name, points[name], budget, known)
        ]
        for reach in _furthest(reaches):
            prior, (fpr, tpr) = reach.prior, reach.rates
            there = next((one for one in known if one.exact_prior == prior), None)
            there = there or Conditions(rounded(prior))
            best = Corner(fpr, tpr, dict(reach.settings))
            least = prior * (1 - tpr)
            found.append(Situation(there, site, prior, NO_COST, NO_COST, best, least))
    return found


def _setting(name: str, points: Points, place: int) -> dict[str, Any]:
    return {name if place else NOTHING: points.threshold(place)}


def _share_of(budget: Term) -> Fraction:
    """The share of the cases that a budget allows to flag."""
    return budget.limit / exactly(dict(budget.measure.parameters)["volume"])


def _reaches(
    name: str, points: Points, budget: Term, known: Sequence[Conditions]
) -> Iterator[_Reach]:
    """Yield the thresholds of a model that may be the best within the budget somewhere between two
    base rates, and how far each of them reaches.

    Alerts are linear in the base rate: a threshold that is within the budget at the lower end only
    is so up to where they cross it.
    """
    low, high = (keep_terms([budget], Thresholds(points), one) for one in (known[0], known[-1]))
    ends = known[0].exact_prior, known[-1].exact_prior
    for places, crosses in (
        (np.flatnonzero(high)[-1:], False),
        (np.flatnonzero(low & ~high), True),
    ):
        # Of those that catch as many, the first flags least.
        _, first = np.unique(points.tp[places], return_index=True)
        for place in places[first].tolist():
            fpr, tpr = exact_rates(points, place)
            reach = (_share_of(budget) - fpr) / (tpr - fpr) if crosses else ends[1]
            prior = min(max(ends[0], reach), ends[1])
            yield _Reach(prior, (fpr, tpr), _setting(name, points, place))


def _furthest(reaches: list[_Reach]) -> list[_Reach]:
    """Return those that can be furthest from some threshold: of the lines prior · (tpr − x), the
    ones that are highest at some x.
    """
    kept: list[_Reach] = []
    for reach in sorted(reaches, key=lambda one: (-one.prior, -one.rates[1])):
        if kept and reach.rates[1] <= kept[-1].rates[1]:
            continue
        while len(kept) >= 2 and _crossing(kept[-2], kept[-1]) >= _crossing(kept[-1], reach):
            kept.pop()
        kept.append(reach)
    return kept


def _crossing(one: _Reach, other: _Reach) -> Fraction:
    """Return the tpr from which on the second line is higher than the first."""
    (_, tpr), (_, other_tpr) = one.rates, other.rates
    return (one.prior * tpr - other.prior * other_tpr) / (one.prior - other.prior)


def _averaged_budget(
    models: Mapping[str, Points], budget: Term, at: Conditions, site: Any
) -> Situation:
    """Over a distribution of the base rate: the best threshold at each of its nodes, between the
    places at which a threshold comes to exceed the budget.
    """
    share, ends = float(_share_of(budget)), at.parts["prior"].ends
    crossings = []
    for points in models.values():
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings.append((share - points.fpr) / (points.tpr - points.fpr))
    every = np.concatenate(crossings)
    breaks = np.unique(every[(every > ends[0]) & (every < ends[1])])
    nodes = Conditions(at.prior).nodes(breaks={"prior": breaks})
    caught = np.max(
        [points.tpr[_last_within(points, share, nodes.prior)] for points in models.values()], axis=0
    )
    middle, mean = at.middle(), Fraction(at.parts["prior"].mean)
    prior = np.array([middle.prior])
    places = {name: int(_last_within(one, share, prior)[0]) for name, one in models.items()}
    name = max(places, key=lambda one: models[one].tpr[places[one]])
    place = int(np.searchsorted(models[name].tp, models[name].tp[places[name]]))
    best = Corner(*exact_rates(models[name], place), _setting(name, models[name], place))
    least = mean - Fraction(nodes.average(nodes.prior * caught))
    error = ROUNDING * float(mean)
    return Situation(middle, site, mean, NO_COST, NO_COST, best, least, error, averaged=True)


def _last_within(points: Points, share: float, priors: Floats) -> npt.NDArray[np.intp]:
    """Return the last threshold that flags no more than this share at each base rate: what is
    flagged rises along the thresholds, so it is found by bisection.
    """
    low, high = np.zeros(len(priors), dtype=np.intp), np.full(len(priors), len(points))
    while (high - low > 1).any():
        middle = (low + high) // 2
        flagged = priors * points.tpr[middle] + (1 - priors) * points.fpr[middle]
        within = flagged <= share * (1 + TOLERANCE)
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return low


# ----------------------------------------------------------------------
# The regret of one setting.


# False positive rates that the sample is too small to show.
UNSEEN = "BR505"
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


def regret(
    models: JointCounts | Mapping[str, Model],
    model: str,
    threshold: Any = None,
    *,
    at: Conditions,
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
    found = situations(every, check_conditions(at))
    if model in (NOTHING, EVERYTHING):
        rates = every[0].rates_at(0 if model == NOTHING else -1)
    else:
        one = next((one for one in every if one.name == model), None)
        if one is None:
            raise refuse(
                "BR408",
                f"there is no model {quoted(model)}",
                f"one of {', '.join(quoted(one.name) for one in every)}",
            )
        rates = one.rates_at(one.points.place(threshold))
    return worst_regret(found, rates, model, threshold, note_assumption(at))


def worst_regret(
    found: Sequence[Situation],
    rates: Mapping[Any, Rates],
    model: str,
    threshold: Any,
    notes: tuple[Note, ...] = (),
) -> Regret:
    """Return the regret of one setting where it is largest; of equals, the first."""
    regrets = [one.regret(rates[one.site]) for one in found]
    value = max(regrets)
    one = found[regrets.index(value)]
    return Regret(
        _not_below_0(value, one),
        model,
        threshold,
        rounded(one.base + value + one.least),
        rounded(one.base + one.least),
        one.at,
        dict(one.best.settings),
        None if one.site == HERE else one.site,
        one.averaged,
        one.error,
        notes,
    )


def _not_below_0(value: Fraction, where: Situation) -> float:
    """Nothing costs less than the least: below 0, or next to nothing beside it, what an integral
    leaves is rounding.
    """
    slack = max(where.error, NEXT_TO_NOTHING * abs(where.least))
    return 0.0 if where.averaged and value <= slack else rounded(value)


def note_assumption(at: Conditions) -> tuple[Note, ...]:
    """The assumption behind a number at another base rate than the sample's."""
    if at.as_in_sample:
        return ()
    prior = str(at).partition(";")[0]
    return (Note("BR526", f"computed for {prior}; {ASSUMES_LABEL_SHIFT}"),)


def note_threshold(points: Points, threshold: Any, at: Conditions) -> tuple[Note, ...]:
    """What a reader of a chosen threshold should know: what the sample is too small to show of it,
    and that it was chosen there.
    """
    point = flag_at(points, threshold, at=at.middle())
    return (*(note for note in point.notes if note.code == UNSEEN), JUDGED)


# ----------------------------------------------------------------------
# The setting that regrets least.


CAUGHT = "caught"


@dataclass(frozen=True)
class Decision:
    """Which model, where to set it, and what not knowing better can cost.

    `model` and `threshold` are the setting of least regret (`model` may be "flag nothing" or "flag
    everything"), `models` all whose best setting is as good. `regret` is the price of not knowing:
    over ranges the most it can cost per case beyond the best choice, over distributions what it
    costs on average, and thereby what knowing would be worth. Under a rule it is measured against
    the best without it, and holds what the rule costs too; under a budget ("alerts <= 200") without
    costs, where `optimized` is "caught", it is the positives missed per case beyond those of the
    best threshold within the budget. `rivals` has the best setting of every model and answer for
    all that satisfies the rule; `refused` says why the others have none. `differences` holds the
    lead of the chosen setting over the best of every other model, and of one answer for all, the
    closest first; `untested` says why there is none.
    """

    model: str
    threshold: float | None
    fpr: float
    tpr: float
    regret: Regret
    models: tuple[str, ...]
    rivals: Mapping[str, Regret]
    at: Conditions
    rule: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    optimized: str = COST
    volume: float | None = None
    differences: tuple[Difference, ...] = ()
    untested: str = ""
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    # By which thresholds are shown in few digits.
    points: Mapping[str, Points] = field(default_factory=dict, compare=False, repr=False)

    @property
    def has_scenes(self) -> bool:
        """Is regret the largest of several, over a range or sites?"""
        return self.regret.site is not None or self.at.has_range

    @property
    def how(self) -> str:
        """Is regret the largest there is, an average, or the largest of averages?"""
        averaged = "on average" if self.regret.averaged else ""
        largest = "at most" if self.has_scenes or not self.regret.averaged else ""
        return " ".join(filter(None, (averaged, largest)))

    def __repr__(self) -> str:
        where = (
            self.model
            if self.model in (NOTHING, EVERYTHING)
            else f"{self.model} at score ≥ {self.shown(self.model, self.threshold)}"
        )
        where_at = told(self.at, by_cost=self.optimized == COST)
        return (
            f"Decision: {where}; regret {self.how} {self.regret.value:.4g} per case; at {where_at}"
        )

    def shown(self, model: str, threshold: Any) -> str:
        """A threshold of one of the models, in as few digits as flag the same cases."""
        return short_on(self.points[model], threshold)


class _Setting(NamedTuple):
    """The setting of least regret of one model, exactly."""

    value: Fraction
    rates: Mapping[Any, Rates]
    name: str
    threshold: Any
    whole: Rates

    @property
    def uses_scores(self) -> bool:
        """Does it flag some of the cases, and not all?"""
        return 0 < sum(self.whole) < 2


def choose_least_regret(
    models: JointCounts | Mapping[str, Model],
    rule: str | None = None,
    *,
    at: Conditions,
    volume: float | None = None,
) -> tuple[Decision, list[Situation]]:
    """Return the setting whose regret is least, and the situations in which it was evaluated.

    Regret counts at most, over ranges, and on average, over distributions. A rule must hold over
    the whole range and at every site. With a budget ("alerts <= 200" out of `volume`) and no costs,
    regret is counted in positives missed beyond the best threshold within the budget.
    """
    volume = checked_volume(volume)
    every, rules = candidates(models), parse_rule(rule, volume)
    own = own_priors(every, [term.measure for term in rules.terms])
    check_conditions(at)
    masks = {one.name: keep_everywhere(one, rules, at, own) for one in every}
    budget = None if at.costs_given else rules.budget
    found = situations(every, at) if budget is None else budget_situations(every, budget, at)
    settings = list(_best_settings(every, found, masks, use_up=budget is not None))
    if not settings:
        raise _infeasible(every, rules, found, at, volume)
    _refuse_hidden_settings(every, settings)
    least = min(one.value for one in settings)
    equal = [one for one in settings if one.value <= least + abs(least) * Fraction(TOLERANCE)]
    # A model that does best by flagging nothing, or everything, is no better than doing that.
    equal = [one for one in equal if one.name in (NOTHING, EVERYTHING) or one.uses_scores]
    chosen = equal[0]
    rivals = {one.name: worst_regret(found, one.rates, one.name, one.threshold) for one in settings}
    decision = Decision(
        chosen.name,
        chosen.threshold,
        fpr=rounded(chosen.whole[0]),
        tpr=rounded(chosen.whole[1]),
        regret=rivals[chosen.name],
        models=tuple(one.name for one in equal),
        rivals=rivals,
        at=at,
        rule=str(rules),
        refused={
            one.name: f"no threshold keeps {rules} everywhere"
            for one in every
            if one.name not in rivals
        },
        optimized=COST if budget is None else CAUGHT,
        volume=volume,
        notes=combine(
            note_assumption(at), _choice_notes(every, chosen, at, by_cost=budget is None)
        ),
        points={one.name: one.points for one in every},
    )
    return decision, found


def _choice_notes(
    every: Sequence[Candidates], chosen: _Setting, at: Conditions, *, by_cost: bool
) -> Iterator[Note]:
    """What a reader of the choice should know."""
    if by_cost and not at.costs_given:
        yield Note(
            "BR525",
            "no costs given: a miss counts like a false alarm",
            Fix('costs={"fp": 1, "fn": 100}', "--cost fn=100,fp=1"),
        )
    for one in every:
        if one.name == chosen.name:
            yield from note_threshold(one.points, chosen.threshold, at)


def _best_settings(
    every: Sequence[Candidates],
    found: Sequence[Situation],
    masks: Mapping[str, Mask],
    *,
    use_up: bool,
) -> Iterator[_Setting]:
    """Yield the best setting of each: flagging nothing, every model in its order, flagging
    everything. Of equals the one that flags least, but where a budget has to be used up the one
    that flags most.
    """
    if all(mask[0] for mask in masks.values()):
        yield _set_at(every[0], 0, found, NOTHING)
    for one in every:
        losses = np.where(masks[one.name], _largest_regrets(one, found), math.inf)
        index = int(find_best(losses, flag_most=use_up))
        if index != NO_THRESHOLD:
            yield _set_at(one, index, found)
    if all(mask[-1] for mask in masks.values()):
        yield _set_at(every[0], -1, found, EVERYTHING)


def _set_at(one: Candidates, index: int, found: Sequence[Situation], answer: str = "") -> _Setting:
    """A threshold of a model; the first and the last give one answer for all cases."""
    rates = one.rates_at(index)
    value = max(where.regret(rates[where.site]) for where in found)
    threshold = None if answer else one.points.threshold(index)
    return _Setting(value, rates, answer or one.name, threshold, exact_rates(one.points, index))


def _largest_regrets(one: Candidates, found: Sequence[Situation]) -> Floats:
    """Return the largest regret of every threshold over all situations."""
    largest = np.full(len(one.points), -math.inf)
    for where in found:
        points, places = one.sites[where.site], one.places[where.site]
        regrets = where.regrets(points.tpr, points.fpr)
        np.maximum(largest, regrets[places], out=largest)
    return largest


def _refuse_hidden_settings(every: Sequence[Candidates], settings: Sequence[_Setting]) -> None:
    """A model that is worse than flagging nothing does best where it flags next to nothing: that
    may be inside its first run of negatives.
    """
    values = {one.name: one.value for one in settings}
    for one in every:
        first = one.points.merged[:1].any() and not one.points.tp[1]
        if first and NOTHING in values and values.get(one.name, values[NOTHING]) > values[NOTHING]:
            raise may_lie(one.points, [0], f"may cost less than any other of {quoted(one.name)}")


def _infeasible(
    every: Sequence[Candidates],
    rule: Rule,
    found: Sequence[Situation],
    at: Conditions,
    volume: float | None,
) -> Infeasible:
    """Where no setting satisfies the rule: what would be feasible there; or that no single
    threshold satisfies it everywhere.
    """
    for where in found:
        site = "" if where.site == HERE else f"in group {quoted(str(where.site))}, "
        points = {one.name: one.sites[where.site] for one in every}
        try:
            chosen_among(points, str(rule), at=where.at, volume=volume)
        except Infeasible as error:
            return Infeasible(
                replace(problem, text=f"{site}at {where.at}: {problem.text}")
                for problem in error.problems
            )
    return Infeasible(
        Problem(
            "BR530",
            f"no single threshold of any model satisfies {rule} everywhere, at {at}: each base"
            " rate and site has one of its own",
            Fix.everywhere("relax the rule, narrow the range, or set sites apart"),
        )
    )


# ----------------------------------------------------------------------
# What is it worth to find out the base rate, or a cost, before choosing?


@dataclass(frozen=True)
class InformationValue(Viewed):
    """The expected cost per case of choosing `now`, and by how much it is lower (`value`) if
    everything is known before the choice. `error` is how far the integration may be off.
    """

    now: float
    value: float
    error: float
    at: Conditions

    @property
    def notes(self) -> tuple[Note, ...]:
        """What it assumes of the field."""
        return note_assumption(self.at)


def value_of_information(
    models: JointCounts | Mapping[str, Model], *, at: Conditions
) -> InformationValue:
    """What is it worth per case to know the base rate and the costs exactly before choosing model
    and threshold (the expected value of perfect information, EVPI)?

    The cost of the best fixed choice less the average cost of choosing anew for each value that
    could be learned. Parts must be distributions or lists: of a range nothing says how often each
    value comes; there, `choose(…).regret` is the price of not knowing.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> at = br.Conditions(prior=br.LogUniform(0.001, 0.2), costs={"fn": 10})
    >>> found = br.robustness.value_of_information({"a": a}, at=at)
    >>> round(found.now, 4), round(found.value, 4)
    (0.1599, 0.0393)
    """
    every = candidates(models)
    if check_conditions(at).has_range or not at.believed:
        raise refuse(
            "BR588",
            "what learning is worth on average needs a distribution of what may be learned",
            "Conditions(prior=LogUniform(1e-5, 1e-3)), or choose(...).regret over a range",
        )
    found = situations(every, at)
    if len(found) > 1:
        raise refuse(
            "BR588", "the value of information is computed for one site at a time", "groups[site]"
        )
    (where,) = found
    now = where.best.stake(where.miss, where.alarm)
    value = max(0.0, rounded(now - where.least))
    return InformationValue(rounded(now + where.base), value, where.error, at)
