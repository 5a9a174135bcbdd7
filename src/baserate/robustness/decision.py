"""`decide`: one model and threshold for uncertain conditions, mixtures of two, and the value of
information.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, Uncertain, told
from baserate.counts.joint import JointCounts
from baserate.counts.points import Points
from baserate.decisions.merged_scores import may_lie
from baserate.decisions.operating_point import short_on
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING, Corner
from baserate.decisions.rules import Rule, parse_rule
from baserate.decisions.search import DOUBT, ROUNDING, Mask
from baserate.decisions.selection import COST, chosen_among, flag_at, random_classifier
from baserate.distributions import BELIEVED
from baserate.errors import Fix, Infeasible, Problem, quoted, refuse
from baserate.inference.best_model import leads
from baserate.inference.values import Difference
from baserate.measures.confusion import checked_volume
from baserate.notes import Note, combine
from baserate.numbers import Floats, rounded
from baserate.robustness.minimax import (
    HERE,
    Candidates,
    Model,
    Regret,
    Scene,
    Staged,
    assumption,
    candidates,
    checked,
    kept,
    least,
    on_threshold,
    own_priors,
    scenes,
    staged,
    staged_within,
    worst,
)
from baserate.robustness.sensitivity import Stability, stability
from baserate.robustness.winner_regions import WinnerMap, winner_map

# ----------------------------------------------------------------------
# Mixtures of two settings: where regret over a box is least when a share of the cases goes each
# way.


@dataclass(frozen=True)
class RegretMixture:
    """A share of the cases is judged by the first setting, the rest by the second; `regret` is that
    of both together.
    """

    models: tuple[str, str]
    thresholds: tuple[float | None, float | None]
    share: float
    fpr: float
    tpr: float
    regret: float


def least_regret_mixture(found: list[Staged]) -> tuple[RegretMixture, Fraction]:
    """The least regret on the hull of all models, exactly.

    Along the hull regret is convex, so it is least at the corner that is best among corners, or on
    one of the two edges beside it.
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
    return RegretMixture(names, cuts, rounded(share), rounded(x), rounded(y), rounded(best)), best


def _regret(found: list[Staged], x: Fraction, y: Fraction) -> Fraction:
    return max(part.regret(x, y) for part in found)


def _between(first: Corner, second: Corner, part: Fraction) -> tuple[Fraction, Fraction]:
    return first.x + part * (second.x - first.x), first.y + part * (second.y - first.y)


def _places(found: list[Staged], first: Corner, second: Corner) -> list[Fraction]:
    """Where the regrets of two scenes are equal on an edge: the largest of straight lines is least
    there, or at an end.
    """
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


# ----------------------------------------------------------------------
# `decide`: one model and one threshold for conditions that are not known exactly.


CAUGHT = "caught"


@dataclass(frozen=True)
class Decision:
    """Which model, where to set it, and what not knowing better can cost.

    `model` and `threshold` are the setting of least regret (`model` may be "flag nothing" or "flag
    everything"), `models` all whose best setting is as good. `regret` is the price of not knowing:
    over ranges the most it can cost a case beyond the best there would be, over distributions what
    it costs on average, and thereby what knowing would be worth. Under a rule it is measured
    against the best without it, and holds what the rule costs too; under a budget ("alerts <= 200")
    without costs, where `optimized` is "caught", it is the positives missed a case beyond those of
    the best threshold within the budget. `rivals` has the best setting of every model and answer
    for all that satisfies the rule; `refused` says why the others have none. `mixture` is set where
    mixing two settings was asked for and regrets less.
    """

    model: str
    threshold: float | None
    fpr: float
    tpr: float
    regret: Regret
    models: tuple[str, ...]
    rivals: Mapping[str, Regret]
    at: Uncertain | Conditions
    rule: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    mixture: RegretMixture | None = None
    optimized: str = COST
    volume: float | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    # By which thresholds are shown in few digits.
    points: Mapping[str, Points] = field(default_factory=dict, compare=False, repr=False)

    @property
    def has_scenes(self) -> bool:
        """Is regret the largest of several, over a range or sites?"""
        return self.regret.site is not None or (
            isinstance(self.at, Uncertain) and self.at.has_range
        )

    @property
    def how(self) -> str:
        """Is regret the largest there is, an average, or the largest of averages?"""
        averaged, largest = (
            "on average" if self.regret.averaged else "",
            "at most" if self.has_scenes or not self.regret.averaged else "",
        )
        return " ".join(filter(None, (averaged, largest)))

    def __repr__(self) -> str:
        where = (
            self.model
            if self.model in (NOTHING, EVERYTHING)
            else f"{self.model}, score >= {self.shown(self.model, self.threshold)}"
        )
        where_at = told(self.at, by_cost=self.optimized == COST)
        return f"Decision: {where}; regret {self.how} {self.regret.value:.4g} a case; at {where_at}"

    def shown(self, model: str, threshold: Any) -> str:
        """A threshold of one of the models, in as few digits as flag the same cases."""
        return short_on(self.points[model], threshold)


class _Best(NamedTuple):
    """The setting of least regret of one model, exactly."""

    value: Fraction
    rates: Mapping[Any, tuple[Fraction, Fraction]]
    name: str
    threshold: Any
    whole: tuple[Fraction, Fraction]


def decide(
    models: Mapping[str, Model],
    rule: str | None = None,
    *,
    at: Conditions | Uncertain,
    volume: float | None = None,
    mix: bool = False,
) -> Decision:
    """Which model, at which threshold, where base rate and costs are not known exactly?

    The setting whose regret is least: at most, over ranges (it is largest at a corner, so nothing
    is approximated), and on average, over distributions. A rule must hold over the whole range and,
    where a model is given as `GroupedCounts`, at every site. With a budget ("alerts <= 200" out of
    `volume`) and no costs, regret is counted in positives missed beyond the best threshold within
    the budget: of the settings that keep the budget everywhere, the one with the highest recall.
    One fixed threshold is chosen; `mix=True` also tries mixtures of two settings.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> br.decide({"a": a}, at=br.Uncertain(prior="0.1%..20%", costs={"fn": 10}))
    Decision: a, score >= 1; regret at most 0.2008 a case; at prior 0.001..0.2; costs (fp = 1, fn = 10)
    >>> br.decide({"a": a}, "posfrac <= 20%", at=br.Uncertain(prior="0.1%..20%", costs={"fn": 10})).threshold
    2
    """  # noqa: E501
    volume = checked_volume(volume)
    every, rules = candidates(models), parse_rule(rule, volume)
    corners = scenes(checked(at), own_priors(every, [term.measure for term in rules.terms]))
    masks = {one.name: kept(one, rules, corners) for one in every}
    budget = None if at.costs_given else rules.budget
    found = staged(every, at) if budget is None else staged_within(every, budget, at)
    bests = [
        best for best in _bests(every, found, masks, use_up=budget is not None) if best is not None
    ]
    if not bests:
        raise _infeasible(every, rules, found, at)
    _refuse_hidden(every, bests)
    least = min(best.value for best in bests)
    chosen = next(best for best in bests if best.value == least)
    notes = combine(assumption(at), _remarks(every, chosen, at, by_cost=budget is None))
    rivals = {best.name: worst(found, best.rates, best.name, best.threshold, ()) for best in bests}
    refused = {
        one.name: f"no threshold keeps {rules} everywhere"
        for one in every
        if one.name not in rivals and not masks[one.name][1:-1].any()
    }
    return Decision(
        chosen.name,
        chosen.threshold,
        fpr=rounded(chosen.whole[0]),
        tpr=rounded(chosen.whole[1]),
        regret=rivals[chosen.name],
        models=tuple(best.name for best in bests if best.value == least),
        rivals=rivals,
        at=at,
        rule=str(rules),
        refused=refused,
        mixture=_mixture(found, rules, least, mix=mix),
        optimized=COST if budget is None else CAUGHT,
        volume=volume,
        notes=notes,
        points={one.name: one.points for one in every},
    )


def _refuse_hidden(every: list[Candidates], bests: list[_Best]) -> None:
    """A model that is worse than flagging nothing does best where it flags next to nothing: that
    may be inside its first run of negatives.
    """
    values = {best.name: best.value for best in bests}
    for one in every:
        first = one.points.merged[:1].any() and not one.points.tp[1]
        if first and NOTHING in values and values.get(one.name, values[NOTHING]) > values[NOTHING]:
            raise may_lie(one.points, [0], f"may cost less than any other of {quoted(one.name)}")


def _remarks(
    every: list[Candidates], chosen: _Best, at: Uncertain | Conditions, *, by_cost: bool
) -> Iterator[Note]:
    """What a reader of the choice should know."""
    if by_cost and not at.costs_given:
        yield Note(
            "BR525",
            "no costs were given: fp = 1 and fn = 1 decided",
            Fix('costs={"fp": 1, "fn": 100}', "--cost fn=100,fp=1"),
        )
    one = next((one for one in every if one.name == chosen.name), None)
    if one is not None:
        yield from on_threshold(one.points, chosen.threshold, at)


def _mixture(
    found: list[Staged], rule: Rule, least: Fraction, *, mix: bool
) -> RegretMixture | None:
    if not mix:
        return None
    if rule.terms or len({part.scene.site for part in found}) > 1:
        raise refuse(
            "BR534", "mixtures are not searched under a rule, or over several sites", "mix=False"
        )
    mixed, value = least_regret_mixture(found)
    return mixed if value < least else None


def _bests(
    every: list[Candidates], found: list[Staged], masks: Mapping[str, Mask], *, use_up: bool
) -> Iterator[_Best | None]:
    """The best setting of each: flagging nothing, every model in its order, flagging everything. Of
    equals the one that flags least, but where a budget is to be used up the one that flags most.
    """
    sites = every[0].sites
    for name, rate, place in (
        (NOTHING, Fraction(0), 0),
        *((one.name, None, 0) for one in every),
        (EVERYTHING, Fraction(1), -1),
    ):
        if rate is None:
            one = next(one for one in every if one.name == name)
            yield _best(one, found, masks[name], use_up=use_up)
        elif all(mask[place] for mask in masks.values()):
            rates = dict.fromkeys(sites, (rate, rate))
            yield _Best(
                max(part.regret(rate, rate) for part in found), rates, name, None, (rate, rate)
            )


def _best(one: Candidates, found: list[Staged], mask: Mask, *, use_up: bool) -> _Best | None:
    """The threshold of least regret of one model: on floats, and exactly among those that floats
    cannot tell apart.
    """
    inside = mask.copy()
    inside[[0, -1]] = False
    if not inside.any():
        return None
    values = np.where(inside, _regrets(one, found), np.inf)
    scale = max(float(part.stakes.miss + part.stakes.alarm) for part in found)
    near = np.flatnonzero(values <= values.min() + DOUBT * abs(values.min()) + ROUNDING * scale)
    exact = {index: _exactly(one, found, index) for index in near.tolist()}
    index = min(exact, key=lambda place: (exact[place], -place if use_up else place))
    rates = {site: one.rates(index, site) for site in one.sites}
    whole = Candidates(one.name, one.points, {None: one.points}, {None: np.arange(len(one))}).rates(
        index, None
    )
    return _Best(exact[index], rates, one.name, one.threshold(index), whole)


def _regrets(one: Candidates, found: list[Staged]) -> Floats:
    rows = [
        float(part.stakes.miss) * one.missed(part.scene.site)
        + float(part.stakes.alarm) * one.alarmed(part.scene.site)
        - float(part.least.value)
        for part in found
    ]
    largest: Floats = np.max(rows, axis=0)
    return largest


def _exactly(one: Candidates, found: list[Staged], index: int) -> Fraction:
    rates = {site: one.rates(index, site) for site in one.sites}
    return max(part.regret(*rates[part.scene.site]) for part in found)


def _infeasible(
    every: list[Candidates], rule: Rule, found: list[Staged], at: Uncertain | Conditions
) -> Infeasible:
    """Where no setting satisfies the rule: what would be feasible there; or that no one threshold
    keeps it everywhere.
    """
    for part in found:
        scene = part.scene
        where = "" if scene.site == HERE else f"at site {quoted(str(scene.site))}, "
        try:
            chosen_among(
                {one.name: one.sites[scene.site] for one in every},
                str(rule),
                at=scene.conditions(),
                volume=_volume(rule),
            )
        except Infeasible as error:
            told = [
                replace(problem, text=f"{where}at {scene.conditions()}: {problem.text}")
                for problem in error.problems
            ]
            return Infeasible(told)
    text = (
        f"no one threshold of any model keeps {rule} everywhere, at {at}: each base rate and site"
        " has one of its own"
    )
    return Infeasible(
        Problem(
            "BR530", text, Fix.everywhere("relax the rule, narrow the range, or set sites apart")
        )
    )


def _volume(rule: Rule) -> float | None:
    volumes = [
        dict(term.measure.parameters).get("volume")
        for term in rule.terms
        if term.measure.counts_cases
    ]
    return volumes[0] if volumes else None


# ----------------------------------------------------------------------
# What is it worth to find out the base rate, or a cost, before choosing?


EVERY_PART = "everything"


@dataclass(frozen=True)
class InformationValue:
    """What a case costs where one chooses now, and where one first learns a part (or everything)
    and then chooses.

    `values` has the difference by part: what knowing it exactly is worth a case, on average.
    `errors` bound the integration.
    """

    now: float
    values: Mapping[str, float]
    errors: Mapping[str, float]
    at: Uncertain

    def __getitem__(self, part: str) -> float:
        return self.values[part]


def value_of_information(models: Mapping[str, Model], *, at: Uncertain) -> InformationValue:
    """What is it worth a case to know the base rate, or a cost, exactly before choosing model and
    threshold?

    The cost of the best fixed choice less the average cost of choosing anew for each value that
    could be learned, other parts still unknown. The re-chosen cost is concave and straight between
    borders, so it is integrated exactly. Parts must be distributions or lists: of a range nothing
    says how often each value comes; there, `decide(…).regret` is the price of not knowing.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> found = br.value_of_information({"a": a}, at=br.Uncertain(prior=br.LogUniform(0.001, 0.2), costs={"fn": 10}))
    >>> round(found.now, 4), round(found["prior"], 4)
    (0.1599, 0.0393)
    """  # noqa: E501
    every = candidates(models)
    if (
        not isinstance(checked(at), Uncertain)
        or at.has_range
        or not any(isinstance(part, BELIEVED) for part in (at.prior, *at.costs.values()))
    ):
        text = "what learning is worth on average needs a distribution of what may be learned"
        raise refuse(
            "BR588",
            text,
            "Uncertain(prior=LogUniform(1e-5, 1e-3)), or decide(...).regret over a range",
        )
    found = staged(every, at)
    if len(found) > 1:
        raise refuse(
            "BR588", "what learning is worth is asked of one site at a time", "groups[site]"
        )
    return _learning(found[0], at)


def _learning(part: Staged, at: Uncertain) -> InformationValue:
    stakes, scene = part.stakes, part.scene
    effective = stakes.miss / (stakes.miss + stakes.alarm)
    now = next(
        region for region in part.regions if region.low <= effective <= region.high
    ).corner.stake(stakes.miss, stakes.alarm)
    values, errors = {}, {}
    names = () if scene.joint else scene.believed
    for name, learned in {
        **{name: _others_known(scene, name) for name in names},
        EVERY_PART: scene,
    }.items():
        then = part.least if name == EVERY_PART else least(part.regions, learned)
        values[name], errors[name] = max(0.0, rounded(now - then.value)), then.error
    return InformationValue(rounded(now + stakes.base), values, errors, at)


def _others_known(scene: Scene, name: str) -> Scene:
    """The scene in which only one part will be learned: costs are straight in the others, so that
    their means decide.
    """
    means = {
        other: Fraction(getattr(scene, other).mean) for other in scene.believed if other != name
    }
    return scene.given(**means)


# ----------------------------------------------------------------------
# The decision with its surroundings: the winner map, its stability, the value of information, and
# the lead of the chosen setting.


@dataclass(frozen=True)
class Recommendation:
    """Everything that is said of one question; what could not be asked of these models is left
    out.
    """

    decision: Decision
    map: WinnerMap | None = None
    stability: Stability | None = None
    learning: InformationValue | None = None
    # The lead of the setting that was chosen over the others, where conditions are known exactly
    # and models were counted together.
    leads: tuple[Difference, ...] = ()


def recommend(
    models: Mapping[str, Any],
    rule: str | None,
    at: Uncertain | Conditions,
    *,
    joint: JointCounts | None = None,
    together: JointCounts | None = None,
    volume: float | None = None,
    mix: bool = False,
    **told: Any,
) -> Recommendation:
    """The decision, and whatever else can be said of these models; `joint`, resampled as it is
    `told`, says which winners are in doubt.

    `together` are the models on the same cases, by which the lead of the chosen one is tested where
    conditions are known exactly.
    """
    decision = decide(models, rule, at=at, volume=volume, mix=mix)
    exact = _exact(at)
    ahead = (
        ()
        if together is None or exact is None
        else _leads(decision, together, exact, volume, told.get("level", 0.95))
    )
    sites = decision.regret.site is not None
    moving = any(term.measure.depends_on_prior for term in parse_rule(rule, volume).terms)
    if sites or moving:
        return Recommendation(decision, leads=ahead)
    mapped = winner_map(models, rule) if joint is None else winner_map(joint, **told)
    believed = (
        isinstance(at, Uncertain)
        and not at.has_range
        and any(isinstance(part, BELIEVED) for part in (at.prior, *at.costs.values()))
    )
    learned = (
        value_of_information(models, at=at)
        if believed and rule is None and isinstance(at, Uncertain)
        else None
    )
    return Recommendation(decision, mapped, stability(models, rule, at=at), learned, ahead)


def _exact(at: Uncertain | Conditions) -> Conditions | None:
    """The conditions, where all of them are known exactly."""
    return at.middle() if at.is_exact else None


def _leads(
    decision: Decision, joint: JointCounts, at: Conditions, volume: float | None, level: float
) -> tuple[Difference, ...]:
    """What the chosen setting costs less than the best of every other model, and of one answer for
    all.
    """
    first, points = joint.marginal(joint.models[0]), {}
    for name, rival in decision.rivals.items():
        if name in (NOTHING, EVERYTHING):
            point = random_classifier(first, 1 if name == EVERYTHING else 0, at=at)
        else:
            point = flag_at(joint.marginal(name), rival.threshold, at=at)
        points[name] = replace(
            point,
            rule=decision.rule,
            optimized="tpr" if decision.optimized == CAUGHT else COST,
            volume=volume,
        )
    return leads(joint, points, decision.model, level=level)
