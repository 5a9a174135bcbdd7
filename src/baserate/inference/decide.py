"""`decide`: one model and threshold for uncertain conditions, and the value of information."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import Array
from baserate.counts.counts import JointCounts
from baserate.counts.points import Points
from baserate.decisions.regret import (
    CAUGHT,
    Decision,
    InformationValue,
    Model,
    Situation,
    choose_least_regret,
    value_of_information,
)
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import COST, flag_at, random_classifier
from baserate.decisions.sensitivity import Stability, stability
from baserate.decisions.winner_map import WinnerMap
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
from baserate.inference.winner_significance import winner_map
from baserate.numbers import Floats
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import Difference, checked_level

# ----------------------------------------------------------------------
# `decide`: one model and one threshold for conditions that are not known exactly.


def decide(
    models: JointCounts | Mapping[str, Model],
    rule: str | None = None,
    *,
    at: Conditions,
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
    >>> at = br.Conditions(prior="0.1%..20%", costs={"fn": 10})
    >>> decide({"a": a}, at=at).threshold, decide({"a": a}, "posfrac <= 20%", at=at).threshold
    (1, 2)
    """
    level = checked_level(level)
    decision, found = choose_least_regret(models, rule, at=at, volume=volume)
    return _tested(decision, models, found, level)


# ----------------------------------------------------------------------
# Is the setting that was chosen better than those of the other models?


UNDER_RULE = "a rule keeps the thresholds, and how regret over a range varies along it is not known"
MIXED_PARTS = "some conditions are ranges and others distributions"
SITES = "no test is available for one threshold over several groups"


def _tested(decision: Decision, models: Any, found: list[Situation], level: float) -> Decision:
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


def _why_untested(decision: Decision, models: Any, found: list[Situation]) -> str:
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
    decision: Decision, joint: JointCounts, found: list[Situation], *, level: float = 0.95
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
    best = [_flags(joint, *next(iter(part.best.settings.items()))) for part in found]
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


def _regretted(joint: JointCounts, found: list[Situation], name: str, threshold: Any) -> _Regretted:
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


def _regrets_of(found: Sequence[Situation], tpr: Floats, fpr: Floats) -> Floats:
    """One row a scene."""
    return np.array([part.regrets(tpr, fpr) for part in found])


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
    found: list[Situation],
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
    found: list[Situation],
    best: list[Array],
    pair: tuple[_Regretted, _Regretted],
    mixed: tuple[Floats, Floats],
) -> list[Moves]:
    """By how much the cases of each class move the difference of two mixtures of regret."""
    stakes = np.array([(-float(part.miss), float(part.alarm)) for part in found])
    parts = []
    for rate, cells in enumerate((joint.positives, joint.negatives)):
        first, second = (float(weights @ stakes[:, rate]) for weights in mixed)
        moves = second * pair[1].flags - first * pair[0].flags
        for weight, flags in zip((mixed[1] - mixed[0]) * stakes[:, rate], best, strict=True):
            moves = moves - weight * flags
        some = np.flatnonzero((moves != 0) & (cells > 0))
        parts.append(Moves(moves[some], cells[some], (-first, second), int(cells.sum())))
    return parts


def _variance(parts: list[Moves], found: list[Situation]) -> float:
    """Of the difference, with that of the base rate where it is the sample's own."""
    variance = sum(part.variance for part in parts)
    if found[0].at.as_in_sample:
        variance += variance_of_prior([part.mean for part in parts], [part.cases for part in parts])
    return variance


def _normal_p(value: float, variance: float, apart: float) -> float:
    """Two-sided, and no surer than a coin tossed as often as the models differ."""
    if not value or not variance or not apart:
        return 1.0
    least: float = 2.0 ** (1 - min(apart, 1000))
    return min(1.0, max(normal_p(value, variance), least))


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
    at: Conditions,
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
    learned = None
    if at.believed and not at.has_range and rule is None:
        learned = value_of_information(models, at=at)
    return Recommendation(decision, mapped, stability(models, rule, at=at), learned)
