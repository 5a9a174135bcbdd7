"""`decide`: one model and threshold for uncertain conditions, and the value of information."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import Array, upper_hull
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import Points
from baserate.decisions.best_recall import BestRecall, lead_by_recall, prior_at_slope
from baserate.decisions.regret import (
    CAUGHT,
    JUDGED,
    Decision,
    InformationValue,
    Model,
    Situation,
    choose_least_regret,
    value_of_information,
)
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import COST, chosen_among, flag_at, random_classifier
from baserate.decisions.sensitivity import Stability, stability
from baserate.decisions.winner_map import SignificanceRegion, Undecided, WinnerMap, map_winners
from baserate.errors import Infeasible, Note, combine, number_of, quoted, refuse
from baserate.inference.bands import curves_drawn, resampled_bounds
from baserate.inference.best_model import ESTIMATED, SEPARATE, WEIGHED, choose_model
from baserate.inference.intervals import REPLICATES
from baserate.inference.leads import (
    DELTA,
    WEIGHTED_MCNEMAR,
    Moves,
    around,
    delta_p,
    difference_of,
    every_pair,
    flags_above,
    leads,
    moved_p,
    of_best,
    slope_of_prior,
    variance_of_prior,
)
from baserate.inference.resample import Progress, adjusted, check_enough, planned
from baserate.notation import base_rate, checked_volume
from baserate.numbers import Floats, Viewed, make_view
from baserate.results.choice import Choice
from baserate.results.notes import merge_notes, notes_by_model
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import LOWER, Difference, checked_level

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
    return flags_above(joint.scores[name], points, points.place(threshold))


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
    variance = sum(part.variance for part in parts)
    if found[0].at.as_in_sample:
        cases = [part.cases for part in parts]
        slope = slope_of_prior([part.mean for part in parts], cases)
        variance += variance_of_prior(slope, cases)
    values = {name: decision.rivals[name].value for name in names}
    value = values[names[1]] - values[names[0]]
    if all(math.isclose(part.added[1], -part.added[0]) for part in parts):
        test = moved_p(value, parts, variance), WEIGHTED_MCNEMAR
    else:
        apart = float((pair[0].flags != pair[1].flags) @ (joint.positives + joint.negatives))
        test = delta_p(value, variance, apart), DELTA
    shown: dict[str, Any] = {"name": "regret", "better": "lower", "at": decision.at}
    return difference_of(value, variance, test, values, level=level, **shown)


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


@dataclass(frozen=True, repr=False)
class LeastRegretChoice(Choice):
    """A `Choice` over conditions that are not known exactly, or at several sites, with all that was
    found on the way: the regret of every model, who is best where, and how firm that is.
    """

    recommendation: Recommendation | None = field(default=None, compare=False, repr=False)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Those of every model, and of the winner map."""
        found = None if self.recommendation is None else self.recommendation.map
        apart = None if found is None else found.apart
        said = (*(() if found is None else found.notes), *(() if apart is None else apart.notes))
        of_conditions = () if self.over is None else self.over.notes
        return tuple(merge_notes([*super().notes, *of_conditions, *said]))


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


# ----------------------------------------------------------------------
# The winner map, and where on it the winner cannot be told from another: bounds on the differences
# of least costs that hold over the whole map at once.


# Places along the effective prior at which differences are bounded, evenly by its log odds, from a
# little before the first border.
PLACES = 61
MARGIN = 2.0
MOST_LOGIT = 30.0


def winner_map(
    models: Mapping[str, Any] | JointCounts,
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
    joint = models if isinstance(models, JointCounts) else None
    counts: Any = models if joint is None else {name: joint[name] for name in joint}
    rules = parse_rule(rule, checked_volume(volume))
    found = map_winners(counts, rules)
    if level is None:
        return found
    if joint is None or rules.terms:
        raise refuse(
            "BR595",
            "whether models can be distinguished is tested over all their thresholds on the same"
            " cases",
            "winner_map(count(y, {name: scores}), level=0.95), without a rule",
        )
    return replace(found, apart=told_apart(joint, found, level, replicates, seed, progress))


def told_apart(
    joint: JointCounts,
    found_map: WinnerMap,
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
    places = _places(found_map)
    names = (*joint.models, NOTHING, EVERYTHING)
    seen = _costs([joint.marginal(name) for name in joint.models], places)
    best = np.nanargmin(seen, axis=0)
    observed = _gaps(seen, best)
    values, plan = curves_drawn(
        lambda parts: _turned(_gaps(_costs(parts, places), best), observed, len(places)),
        joint,
        plan,
        (asked, LOWER, replicates is None),
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


def _places(found: WinnerMap) -> Floats:
    borders = [_logit(win.low) for win in found.wins[1:]] or [0.0]
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
# Who has the highest recall within a share of false alarms, and where that is significant.


# Base rates at which the leader is tested. They must not depend on who leads where, so they follow
# from the number of negatives.
RATES_TESTED = 6
MIXED = "the highest recall of two mixtures of thresholds is not tested (attained=True)"
NOT_COMPARABLE = "at none of the tested base rates have two models a threshold within the limit"


# A recall that rests on fewer positives than this is named.
FEW_POSITIVES = 10


@dataclass(frozen=True)
class RecallLeaders(Viewed):
    """Which model has the highest recall within a share of false alarms, and the tests at the base
    rates that were given; `tested` is None where the base rate is an estimate.
    """

    found: BestRecall
    priors: tuple[float, ...]
    tested: Mapping[float, Choice] | None
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return str(make_view("text", self))


def lead_at_priors(
    models: JointCounts | Mapping[str, Counts],
    fdr: Fraction,
    at: Sequence[Conditions],
    level: float,
) -> RecallLeaders:
    """Return the leaders at all base rates, tested at the given ones each alone, else at a few of
    all of them.
    """
    priors = [conditions.prior for conditions in at if conditions.prior is not None]
    each = {name: models[name] for name in models}
    found = best_recall(each if priors else models, fdr=fdr, attained=True, level=level)
    estimated = any(conditions.estimate is not None for conditions in at)
    tested = None if estimated else _test_at(found, models, priors, level)
    few = [
        note_few_positives(name, prior, tpr * float(each[name].total_positives))
        for prior in priors
        for name, tpr in found.at(prior).items()
        if 0 < tpr * float(each[name].total_positives) < FEW_POSITIVES
    ]
    of_models = notes_by_model({name: counts.notes for name, counts in each.items()})
    of_conditions = [note for conditions in at for note in conditions.notes]
    notes = [*of_models, *of_conditions, *found.notes, *few, JUDGED]
    return RecallLeaders(found, tuple(priors), tested, tuple(merge_notes(notes)))


def _test_at(
    found: BestRecall,
    models: JointCounts | Mapping[str, Counts],
    priors: Sequence[float],
    level: float,
) -> dict[float, Choice]:
    """Return at each base rate whether the model with the highest recall is better than the others;
    none where no setting satisfies the share.
    """
    if len(found.models) < 2:
        return {}
    if not priors:
        return {float(choice.point.at.prior or 0): choice for choice in found.tested}
    tested: dict[float, Choice] = {}
    rule = f"precision >= {1 - found.fdr!r}"
    for prior in priors:
        with contextlib.suppress(Infeasible):
            at = Conditions(prior)
            tested[prior] = choose_model(models, rule, at=at, optimize="tpr", level=level)
    return tested


def note_few_positives(name: str, prior: float, positives: float) -> Note:
    """Return that a recall rests on few positives of the sample."""
    rests = number_of(max(1, round(positives)), "positive")
    return Note(
        "BR505",
        f"at a base rate of {base_rate(prior)} the recall of {quoted(name)} rests on {rests} of"
        " this sample",
    )


def best_recall(
    models: JointCounts | Mapping[str, Counts | Points],
    *,
    fdr: Any,
    attained: bool = False,
    level: float = 0.95,
) -> BestRecall:
    """Which model has the highest recall, of the settings with at most this share of false alarms
    among the alerts, at each base rate? And where is it better than the others?

    With p the base rate and b the share, fdr <= b is fpr <= k · tpr with k = p / (1 − p) · b / (1 −
    b): only k matters. On the ROC hulls (mixtures of two thresholds) the best within b is the point
    at b, so "at a fixed B_FA" is the same question. `attained=True` takes thresholds only. Which
    hull lies above at a fixed tpr does not depend on the base rate; who leads within b does.
    Cárdenas & Baras 2006.

    Models that were counted on the same cases (`JointCounts`) are compared at six base rates, as
    `choose` compares them at one: where k is 1 / N, and from there on evenly on the log scale up to
    the last one before 1, with N negatives. Holm's adjustment is over all pairs at all of them, so
    that a model which is never better is called better at any of them in at most 5 %.
    `choose(joint, "precision >= 0.5", prior=…, optimize="tpr")` tests one base rate
    alone, and finds more.

    >>> import baserate as br
    >>> early, late = br.Points.from_rates([0.001], [0.5]), br.Points.from_rates([0.02], [0.9])
    >>> br.robustness.best_recall({"early": early, "late": late}, fdr=0.5)
    Best recall within fdr <= 0.5: from 0 to 0.001996 none; from 0.001996 to 0.02174 early; from 0.02174 to 0.5 late; from 0.5 to 1 early or late
    """  # noqa: E501
    counted = models
    if isinstance(models, JointCounts):
        counted = {name: models.marginal(name) for name in models.models}
    found = lead_by_recall(counted, fdr, attained=attained)
    return _with_tests(found, models, checked_level(level)) if len(found.models) > 1 else found


def _with_tests(
    found: BestRecall, models: JointCounts | Mapping[str, Counts | Points], level: float
) -> BestRecall:
    """With the lead of the best model at a few base rates, or why that is not tested."""
    if not isinstance(models, JointCounts) or models.weighted:
        weighed = any(getattr(models[name], "weighted", False) for name in models)
        return replace(found, untested=WEIGHED if weighed else SEPARATE)
    if not found.attained:
        return replace(found, untested=MIXED)
    each = {name: models[name] for name in models}
    rule, made = f"fdr <= {found.fdr!r}", list[Choice]()
    for place in range(RATES_TESTED):
        slope = int(models.total_negatives) ** (place / RATES_TESTED - 1)
        at = Conditions(prior_at_slope(slope, found.fdr))
        with contextlib.suppress(Infeasible):
            made.append(chosen_among(each, rule, at=at, optimize="tpr"))
    made = [choice for choice in made if len(choice.points) > 1]
    pairs = [every_pair(models, choice.points, level=level) for choice in made]
    every = iter(adjusted([one for here in pairs for one in here]))
    tested = tuple(
        replace(
            choice,
            differences=of_best([next(every) for _ in here], choice.model, "higher"),
        )
        for choice, here in zip(made, pairs, strict=True)
    )
    return replace(found, tested=tested, untested="" if tested else NOT_COMPARABLE)
