"""`decide`: one model and threshold for uncertain conditions, and the value of information."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, Uncertain, told
from baserate.counts.cells import Array
from baserate.counts.counts import JointCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import short_on
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import NO_THRESHOLD, TOLERANCE, Mask, Rule, find_best, parse_rule
from baserate.decisions.selection import COST, chosen_among, flag_at, may_lie, random_classifier
from baserate.distributions import BELIEVED
from baserate.errors import Fix, Infeasible, Note, Problem, combine, quoted, refuse
from baserate.inference.best_model import (
    DELTA,
    ESTIMATED,
    SEPARATE,
    WEIGHED,
    WEIGHTED_MCNEMAR,
    Moves,
    around,
    bounds_beside,
    leads,
    moved_p,
    normal_p,
    of_best,
    variance_of_prior,
)
from baserate.measures.confusion import checked_volume
from baserate.numbers import Floats, Viewed, rounded
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import Difference, checked_level
from baserate.robustness.minimax import (
    HERE,
    Candidates,
    Model,
    Regret,
    Staged,
    assumption,
    candidates,
    cheapest,
    checked,
    exact_rates,
    kept,
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
# `decide`: one model and one threshold for conditions that are not known exactly.


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
    all that satisfies the rule; `refused` says why the others have none. `mixture` is set where
    mixing two settings was requested and has a lower regret. `differences` holds the lead of the
    chosen setting over the best of every other model, and of one answer for all, the closest first;
    `untested` says why there is none.
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
            else f"{self.model} at score ≥ {self.shown(self.model, self.threshold)}"
        )
        where_at = told(self.at, by_cost=self.optimized == COST)
        return (
            f"Decision: {where}; regret {self.how} {self.regret.value:.4g} per case; at {where_at}"
        )

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

    @property
    def uses_scores(self) -> bool:
        """Does it flag some of the cases, and not all?"""
        return 0 < sum(self.whole) < 2


def decide(
    models: JointCounts | Mapping[str, Model],
    rule: str | None = None,
    *,
    at: Conditions | Uncertain,
    volume: float | None = None,
    level: float = 0.95,
) -> Decision:
    """Which model, at which threshold, where base rate and costs are not known exactly?

    The setting whose regret is least: at most, over ranges (it is largest at a corner, so nothing
    is approximated), and on average, over distributions. A rule must hold over the whole range and,
    where a model is given as `GroupedCounts`, at every site. With a budget ("alerts <= 200" out of
    `volume`) and no costs, regret is counted in positives missed beyond the best threshold within
    the budget: of the settings that stay within the budget everywhere, the one with the highest
    recall. One fixed threshold is chosen.

    With `JointCounts` the chosen setting is tested against the best of every other model (see
    `regret_leads`; at known conditions and under a budget, `leads`).

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> decide({"a": a}, at=br.Conditions(prior="0.1%..20%", costs={"fn": 10}))
    Decision: a at score ≥ 1; regret at most 0.2008 per case; at base rates from 0.1% to 20%, costs (fp = 1, fn = 10)
    >>> decide({"a": a}, "posfrac <= 20%", at=br.Conditions(prior="0.1%..20%", costs={"fn": 10})).threshold
    2
    """  # noqa: E501
    volume, level = checked_volume(volume), checked_level(level)
    every, rules = candidates(models), parse_rule(rule, volume)
    corners = scenes(checked(at), own_priors(every, [term.measure for term in rules.terms]))
    masks = {one.name: kept(one, rules, corners) for one in every}
    budget = None if at.costs_given else rules.budget
    found = staged(every, at) if budget is None else staged_within(every, budget, at)
    bests = [
        best for best in _bests(every, found, masks, use_up=budget is not None) if best is not None
    ]
    if not bests:
        raise _infeasible(every, rules, found, at, volume)
    _refuse_hidden(every, bests)
    least = min(best.value for best in bests)
    equal = [best for best in bests if best.value <= least + abs(least) * Fraction(TOLERANCE)]
    # A model that does best by flagging nothing, or everything, is no better than doing that.
    equal = [best for best in equal if best.name in (NOTHING, EVERYTHING) or best.uses_scores]
    chosen = equal[0]
    notes = combine(assumption(at), _remarks(every, chosen, at, by_cost=budget is None))
    rivals = {best.name: worst(found, best.rates, best.name, best.threshold, ()) for best in bests}
    decision = Decision(
        chosen.name,
        chosen.threshold,
        fpr=rounded(chosen.whole[0]),
        tpr=rounded(chosen.whole[1]),
        regret=rivals[chosen.name],
        models=tuple(best.name for best in equal),
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
        notes=notes,
        points={one.name: one.points for one in every},
    )
    return _tested(decision, models, found, level)


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
            "no costs given: a miss counts like a false alarm",
            Fix('costs={"fp": 1, "fn": 100}', "--cost fn=100,fp=1"),
        )
    one = next((one for one in every if one.name == chosen.name), None)
    if one is not None:
        yield from on_threshold(one.points, chosen.threshold, at)


def _bests(
    every: list[Candidates], found: list[Staged], masks: Mapping[str, Mask], *, use_up: bool
) -> Iterator[_Best | None]:
    """The best setting of each: flagging nothing, every model in its order, flagging everything. Of
    equals the one that flags least, but where a budget has to be used up the one that flags most.
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
            regret = max(part.regret(rate, rate) for part in found)
            yield _Best(regret, rates, name, None, (rate, rate))


def _best(one: Candidates, found: list[Staged], mask: Mask, *, use_up: bool) -> _Best | None:
    """The threshold of least regret of one model; flagging nothing or everything is one too."""
    losses = np.where(mask, _regrets(one, found), math.inf)
    index = int(find_best(losses, flag_most=use_up))
    if index == NO_THRESHOLD:
        return None
    rates = {site: one.rates(index, site) for site in one.sites}
    value = max(part.regret(*rates[part.scene.site]) for part in found)
    whole = exact_rates(one.points, index)
    return _Best(value, rates, one.name, one.points.threshold(index), whole)


def _regrets(one: Candidates, found: list[Staged]) -> Floats:
    rows = [
        float(part.stakes.miss) * one.missed(part.scene.site)
        + float(part.stakes.alarm) * one.alarmed(part.scene.site)
        - float(part.least.value)
        for part in found
    ]
    return np.asarray(np.max(rows, axis=0))


def _infeasible(
    every: list[Candidates],
    rule: Rule,
    found: list[Staged],
    at: Uncertain | Conditions,
    volume: float | None,
) -> Infeasible:
    """Where no setting satisfies the rule: what would be feasible there; or that no single
    threshold satisfies it everywhere.
    """
    for part in found:
        scene = part.scene
        where = "" if scene.site == HERE else f"in group {quoted(str(scene.site))}, "
        try:
            chosen_among(
                {one.name: one.sites[scene.site] for one in every},
                str(rule),
                at=scene.conditions(),
                volume=volume,
            )
        except Infeasible as error:
            return Infeasible(
                replace(problem, text=f"{where}at {scene.conditions()}: {problem.text}")
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
# Is the setting that was chosen better than those of the other models?


UNDER_RULE = "a rule keeps the thresholds, and how regret over a range varies along it is not known"
MIXED_PARTS = "some conditions are ranges and others distributions"
SITES = "no test is available for one threshold over several groups"


def _tested(decision: Decision, models: Any, found: list[Staged], level: float) -> Decision:
    """The decision with its lead over every other model, or why that is not tested."""
    if len(decision.points) < 2:
        return decision
    why = _why_untested(decision, models, found)
    if why:
        return replace(decision, untested=why)
    at = _known(decision)
    ahead = (
        regret_leads(decision, models, found, level=level)
        if at is None
        else leads(models, _points(decision, models, at), decision.model, level=level)
    )
    return replace(decision, differences=ahead)


def _why_untested(decision: Decision, models: Any, found: list[Staged]) -> str:
    if decision.regret.site is not None:
        return SITES
    if not isinstance(models, JointCounts):
        return SEPARATE
    if models.weighted:
        return WEIGHED
    if decision.at.estimate is not None:
        return ESTIMATED
    if _known(decision) is not None:
        return ""
    if decision.rule:
        return UNDER_RULE
    return MIXED_PARTS if len(found) > 1 and decision.regret.averaged else ""


def _known(decision: Decision) -> Conditions | None:
    """The conditions at which regret over all of them is decided: where they are known exactly,
    and at the highest base rate under a budget, which is kept there.
    """
    if decision.at.is_exact:
        return decision.at.middle()
    prior = decision.at.prior
    if decision.optimized != CAUGHT or isinstance(prior, int | float | None):
        return None
    return Conditions(max(prior.ends))


def _points(decision: Decision, joint: JointCounts, at: Conditions) -> dict[str, OperatingPoint]:
    """The best setting of every model, and of one answer for all, as points chosen on these
    cases.
    """
    first, points = joint.marginal(joint.models[0]), {}
    for name, rival in decision.rivals.items():
        point = (
            random_classifier(first, 1 if name == EVERYTHING else 0, at=at)
            if name in (NOTHING, EVERYTHING)
            else flag_at(joint.marginal(name), rival.threshold, at=at)
        )
        points[name] = replace(
            point,
            rule=decision.rule,
            optimized="tpr" if decision.optimized == CAUGHT else COST,
            volume=decision.volume,
        )
    return points


class _Regretted(NamedTuple):
    """A setting: which cases it flags, the one or two scenes that determine it, and how the
    regret of every scene changes to a stricter and to a looser threshold.
    """

    flags: Array
    scenes: tuple[int, ...]
    changes: Floats


def regret_leads(
    decision: Decision, joint: JointCounts, found: list[Staged], *, level: float = 0.95
) -> tuple[Difference, ...]:
    """By how much lower the regret of the chosen setting is than the best of every other model,
    closest first; with Holm's adjustment over all pairs where there are three or more.

    The least regret over a range lies where a stricter threshold has a higher regret in one scene
    and a looser one in another. To first order it varies with the cases as the regret of these two
    scenes do, weighted so that moving the threshold changes nothing (the least favourable mixture
    of a minimax problem); over a distribution there is one scene. What the best setting of a scene
    costs varies with the cases too. Where two models have the same scenes the test is that of
    `leads`, otherwise the delta method.
    """
    settings = {
        name: _regretted(joint, found, name, rival.threshold)
        for name, rival in decision.rivals.items()
    }
    best = [
        _flags(joint, *next(iter(cheapest(part.regions, part.stakes).settings.items())))
        for part in found
    ]
    pairs = [
        _less_regret(joint, found, best, (settings[a], settings[b]), (a, b), (decision, level))
        for a, b in combinations(settings, 2)
    ]
    return of_best(pairs, decision.model, "lower")


def _flags(joint: JointCounts, name: str, threshold: Any) -> Array:
    if name in (NOTHING, EVERYTHING):
        return np.full(len(joint.positives), float(name == EVERYTHING))
    points = Points.of(joint.marginal(name))
    place = points.place(threshold)
    if not place:
        return np.zeros(len(joint.positives))
    above: Array = joint.scores[name] >= points.scores[place - 1]
    return above.astype(np.float64)


def _regretted(joint: JointCounts, found: list[Staged], name: str, threshold: Any) -> _Regretted:
    flags = _flags(joint, name, threshold)
    if name in (NOTHING, EVERYTHING):
        rate = np.full(3, float(name == EVERYTHING))
        regrets = _regrets_of(found, rate, rate)
    else:
        points = Points.of(joint.marginal(name))
        places = list(around(points, points.place(threshold)))
        regrets = _regrets_of(found, points.tpr[places], points.fpr[places])
    changes = regrets[:, [0, 2]] - regrets[:, [1]]
    return _Regretted(flags, tuple(_keeping(regrets, changes)), changes)


def _regrets_of(found: Sequence[Staged], tpr: Floats, fpr: Floats) -> Floats:
    """One row a scene."""
    return np.array(
        [
            float(part.stakes.miss) * (1 - tpr)
            + float(part.stakes.alarm) * fpr
            - float(part.least.value)
            for part in found
        ]
    )


def _keeping(regrets: Floats, changes: Floats) -> Iterator[int]:
    """The scene of most regret; and where that falls towards one side, the scene that takes over
    there. As the threshold is the best, regret of the latter rises.
    """
    first = int(np.argmax(regrets[:, 1]))
    yield first
    for side, place in enumerate((0, 2)):
        other = int(np.argmax(regrets[:, place]))
        if changes[first, side] < 0 < changes[other, side]:
            yield other
            return


def _mixtures(pair: tuple[_Regretted, _Regretted]) -> tuple[Floats, Floats]:
    """The weights of the scenes for either setting, between what they are by changes to stricter
    thresholds and to looser ones: those of both together where the same scenes keep them.
    """
    same = set(pair[0].scenes) == set(pair[1].scenes)
    together = pair[0].changes + pair[1].changes
    ways = [together, together] if same else [one.changes for one in pair]
    first, second = (
        (_weights(one.scenes, changes[:, 0]) + _weights(one.scenes, changes[:, 1])) / 2
        for one, changes in zip(pair, ways, strict=True)
    )
    return first, second


def _weights(scenes: tuple[int, ...], changes: Floats) -> Floats:
    weights: Floats = np.eye(len(changes))[scenes[0]]
    if len(scenes) > 1:
        first, other = changes[list(scenes)]
        share = other / (other - first) if first * other < 0 else 0.5
        weights[scenes[0]], weights[scenes[1]] = share, 1 - share
    return weights


def _less_regret(
    joint: JointCounts,
    found: list[Staged],
    best: list[Array],
    pair: tuple[_Regretted, _Regretted],
    names: tuple[str, str],
    of: tuple[Decision, float],
) -> Difference:
    """The second setting against the first."""
    decision, level = of
    parts = _parts(joint, found, best, pair, _mixtures(pair))
    variance = _variance(parts, found)
    values = decision.rivals[names[0]].value, decision.rivals[names[1]].value
    value = values[1] - values[0]
    if all(math.isclose(part.added[1], -part.added[0]) for part in parts):
        p, method = moved_p(value, parts, variance), WEIGHTED_MCNEMAR
    else:
        apart = float((pair[0].flags != pair[1].flags) @ (joint.positives + joint.negatives))
        p, method = _normal_p(value, variance, apart), DELTA
    return Difference(
        value,
        *bounds_beside(value, variance, p, level),
        p,
        method,
        names,
        values,
        level,
        "regret",
        "lower",
        decision.at,
        statistic=value / math.sqrt(variance) if variance else math.nan,
    )


def _parts(
    joint: JointCounts,
    found: list[Staged],
    best: list[Array],
    pair: tuple[_Regretted, _Regretted],
    mixed: tuple[Floats, Floats],
) -> list[Moves]:
    """By how much the cases of each class move the difference of two mixtures of regret."""
    stakes = np.array([(-float(part.stakes.miss), float(part.stakes.alarm)) for part in found])
    parts = []
    for rate, cells in enumerate((joint.positives, joint.negatives)):
        first, second = (float(weights @ stakes[:, rate]) for weights in mixed)
        moves = second * pair[1].flags - first * pair[0].flags
        for weight, flags in zip((mixed[1] - mixed[0]) * stakes[:, rate], best, strict=True):
            moves = moves - weight * flags
        some = np.flatnonzero((moves != 0) & (cells > 0))
        parts.append(Moves(moves[some], cells[some], (-first, second), int(cells.sum())))
    return parts


def _variance(parts: list[Moves], found: list[Staged]) -> float:
    """Of the difference, with that of the base rate where it is the sample's own."""
    variance = sum(part.variance for part in parts)
    if found[0].scene.in_sample:
        variance += variance_of_prior([part.mean for part in parts], [part.cases for part in parts])
    return variance


def _normal_p(value: float, variance: float, apart: float) -> float:
    """Two-sided, and no surer than a coin tossed as often as the models differ."""
    if not value or not variance or not apart:
        return 1.0
    least: float = 2.0 ** (1 - min(apart, 1000))
    return min(1.0, max(normal_p(value, variance), least))


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
    at: Uncertain

    @property
    def notes(self) -> tuple[Note, ...]:
        """What it assumes of the field."""
        return assumption(self.at)


def value_of_information(
    models: JointCounts | Mapping[str, Model], *, at: Uncertain
) -> InformationValue:
    """What is it worth per case to know the base rate and the costs exactly before choosing model
    and threshold (the expected value of perfect information, EVPI)?

    The cost of the best fixed choice less the average cost of choosing anew for each value that
    could be learned. Parts must be distributions or lists: of a range nothing says how often each
    value comes; there, `choose(…).regret` is the price of not knowing.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> found = br.robustness.value_of_information({"a": a}, at=br.Conditions(prior=br.LogUniform(0.001, 0.2), costs={"fn": 10}))
    >>> round(found.now, 4), round(found.value, 4)
    (0.1599, 0.0393)
    """  # noqa: E501
    every = candidates(models)
    if (
        not isinstance(checked(at), Uncertain)
        or at.has_range
        or not any(isinstance(part, BELIEVED) for part in (at.prior, *at.costs.values()))
    ):
        raise refuse(
            "BR588",
            "what learning is worth on average needs a distribution of what may be learned",
            "Conditions(prior=LogUniform(1e-5, 1e-3)), or choose(...).regret over a range",
        )
    found = staged(every, at)
    if len(found) > 1:
        raise refuse(
            "BR588", "the value of information is computed for one site at a time", "groups[site]"
        )
    (part,) = found
    now = cheapest(part.regions, part.stakes).stake(part.stakes.miss, part.stakes.alarm)
    return InformationValue(
        rounded(now + part.stakes.base),
        max(0.0, rounded(now - part.least.value)),
        part.least.error,
        at,
    )


# ----------------------------------------------------------------------
# The decision with its surroundings: the winner map, its stability, and the value of information.


@dataclass(frozen=True)
class Recommendation:
    """Everything that answers one question; what cannot be computed for these models is left
    out.
    """

    decision: Decision
    map: WinnerMap | None = None
    stability: Stability | None = None
    learning: InformationValue | None = None


def recommend(
    models: Mapping[str, Any],
    rule: str | None,
    at: Uncertain | Conditions,
    *,
    joint: JointCounts | None = None,
    together: JointCounts | None = None,
    volume: float | None = None,
    **told: Any,
) -> Recommendation:
    """The decision, and whatever else can be said of these models; `joint`, resampled, gives the
    stretches where the winner is not significant.

    `together` are the models on the same cases, by which the lead of the chosen one is tested.
    """
    whole = models if together is None else together
    decision = decide(whole, rule, at=at, volume=volume, level=told.get("level", 0.95))
    sites = decision.regret.site is not None
    moving = any(term.measure.depends_on_prior for term in parse_rule(rule, volume).terms)
    if sites or moving:
        return Recommendation(decision)
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
    return Recommendation(decision, mapped, stability(models, rule, at=at), learned)
