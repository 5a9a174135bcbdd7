"""Is the best model better than the others? Paired differences at chosen or given thresholds, in
closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.amounts import Amounts, JointAmounts
from baserate.counts.counts import Counts, JointCounts, same_scores
from baserate.counts.points import Points
from baserate.decisions.amount_costs import COST, AmountChoice, AmountPoint, chosen_among_amounts
from baserate.decisions.operating_point import evaluate_on
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.selection import Answer, choice_of, chosen_among, flag_at, made_by
from baserate.errors import InputError, Note, combine, quoted, refuse
from baserate.inference.choose_again import amount_optimism, prepare_choice
from baserate.inference.chosen_threshold import (
    CHOSEN_REPLICATES,
    Resampling,
    ends_of,
    lead_over,
)
from baserate.inference.leads import (
    DELTA,
    WEIGHTED_MCNEMAR,
    Cases,
    amount_gradient,
    difference_of,
    every_amount_pair,
    flagged,
    leads,
    made_best,
    move_cases,
    moved_p,
    normal_p,
    of_best,
    slope_of_prior,
    variance_at,
    variance_of_prior,
)
from baserate.inference.resample import (
    PERCENTILE,
    Progress,
    bootstrap_p,
    check_enough,
    check_replicates,
    make_sample,
    percentile_bounds,
    planned,
    replicate,
    undefined_noted,
)
from baserate.inference.statistic import ModelStatistics
from baserate.measures.confusion import exact_value
from baserate.results.choice import Choice
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import (
    BOTH,
    Difference,
    checked_level,
)

SEPARATE = "the models were counted separately, not on the same cases"
WEIGHED = "the cases are weighted, and weights do not say how many cases were seen"
ESTIMATED = "the base rate is an estimate"
AMOUNTS_APART = (
    "the amounts of each model were counted alone, which does not say what both of two models"
    " caught; count(…, amount=…) takes several scores"
)
ONE_CLASS = "there are cases of one class only"
AnyChoice = TypeVar("AnyChoice", Choice, AmountChoice)
CHOSEN_AGAIN = (
    "thresholds are chosen again on each resample, so the interval is for models whose thresholds"
    " are chosen anew on other cases, not for the thresholds chosen here"
)


def choose_model(  # noqa: PLR0913 (each is a question of its own)
    models: JointCounts | Mapping[str, Counts | Points],
    rule: str | None = None,
    *,
    at: Conditions | None = None,
    paired: bool = True,
    level: float = 0.95,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Choice:
    """Which model, and where should its threshold be, at this base rate and these costs? And is it
    better than the others?

    Each model is set by `choose` (with its options) and the best of the chosen points wins, by what
    was optimized: the expected cost, the positives caught by a budget, or `optimize`. Models that
    cannot satisfy the rule are listed apart; where none can, that is refused.

    With `JointCounts` (see `count`) the winner is tested against every other model on the
    same cases, and `indistinguishable` names the models that cannot be distinguished from the best.
    By default the test is a closed form (see `leads`); `replicates=2000` resamples the cases
    instead and chooses the thresholds again on each resample. Counts of each model alone do not say
    which cases were flagged by both, so nothing is tested, unless `paired=False` says that the
    models scored different cases.

    `lead_over_baseline` says whether the answer is better than flagging nothing and flagging
    everything: by the interval of a threshold chosen on these cases (400 resamples, see
    `interval`), its p-value times the number of models among which it was chosen.

    >>> import baserate as br
    >>> y, a = [0] * 60 + [1] * 40, list(range(100))
    >>> joint = br.count(y, {"a": a, "b": [*range(20, 80), *range(60, 100)]})
    >>> choice = br.choose(joint, at=br.Conditions(prior=0.1))
    >>> choice.model, choice.indistinguishable
    ('a', ('a',))
    >>> choice.differences[0]
    Difference: expected_cost of a - b -0.05, 95 % from -0.09348 to -0.006519, p = 0.0335 (weighted-mcnemar)
    """  # noqa: E501
    each = {name: models[name] for name in models}
    if options.get("guarantee") is not None:
        options = {**options, "level": level}
    drawn = Resampling(
        CHOSEN_REPLICATES if replicates is None else replicates, seed, checked_level(level)
    )
    choice = _beside_baseline(chosen_among(each, rule, at=at, **options), each, drawn)
    why = _why_untested(choice, models, paired=paired)
    if why or len(choice.points) < 2:
        return replace(choice, untested=why)
    if not isinstance(models, JointCounts):
        return _tested(
            choice,
            [_apart(choice.points, each, pair, level) for pair in combinations(choice.points, 2)],
        )
    if replicates is None:
        found = leads(models, choice.points, choice.model, level=level)
        return replace(
            choice,
            differences=tuple(
                replace(one, notes=(*same_scores(models, one.models), *one.notes)) for one in found
            ),
        )
    return _tested(
        choice,
        _resampled(models, choice.points, level, (replicates, seed, progress)),
    )


def set_by_hand(
    models: JointCounts | Mapping[str, Counts | Points],
    thresholds: Mapping[str, float | None],
    *,
    at: Conditions | None = None,
    volume: float | None = None,
    level: float = 0.95,
) -> Choice:
    """Which model is cheapest, each at a threshold that was set by hand? On the same cases
    (`JointCounts`) the winner is tested against the others.
    """
    each = {name: models[name] for name in models}
    missing = [name for name in each if name not in thresholds]
    if missing:
        raise refuse("BR529", f"there is no threshold of {missing[0]}", "give one for every model")
    points = {
        name: replace(
            flag_at(counts, thresholds[name], at=at, volume=volume),
            optimized="expected_cost",
            in_advance=True,
        )
        for name, counts in each.items()
    }
    return with_leads(choice_of(points, each), models, level)


def with_leads(choice: Choice, models: Any, level: float) -> Choice:
    """A choice whose thresholds were set before these cases were seen, with the lead of its model
    over the others.
    """
    why = _why_untested(choice, models)
    if why or len(choice.points) < 2:
        return replace(choice, untested=why)
    return replace(choice, differences=leads(models, choice.points, choice.model, level=level))


def moved(
    choice: Choice,
    test: Any,
    at: Conditions | None = None,
    *,
    level: float | None = None,
    replicates: int | None = None,
    seed: int = 0,
) -> Choice:
    """A choice on other cases: thresholds and order are those of before, and the lead is tested
    there.
    """
    if not isinstance(test, JointCounts | Mapping):
        names = ", ".join(f'"{name}"' for name in choice.points)
        raise refuse(
            "BR410",
            f"a choice is evaluated on counts of the same models, got {type(test).__name__}",
            f"on(count(test, label=…, score=[{names}]))",
        )
    models = {name: test[name] for name in test}
    missing = [name for name in choice.points if name not in models]
    if missing:
        raise refuse(
            "BR408", f"the test data have no model {quoted(missing[0])}", "count it there too"
        )
    points = {name: evaluate_on(point, models[name], at) for name, point in choice.points.items()}
    here = choice_of(points, models, choice.models)
    if level is None:
        level = next((one.level for one in choice.differences), 0.95)
    here = replace(
        with_leads(here, test, level),
        refused=choice.refused,
        over=choice.over,
        regrets=choice.regrets,
        sources={name: models[name] for name in points},
        chosen=choice,
        baseline_untested=OVER_A_RANGE if choice.over is not None else "",
    )
    if here.over is not None:
        return here
    drawn = Resampling(
        CHOSEN_REPLICATES if replicates is None else replicates, seed, checked_level(level)
    )
    return _beside_baseline(here, {here.model: models[here.model]}, drawn)


OVER_A_RANGE = "over a range of base rates or costs it is not tested on other data"


def _beside_baseline(
    choice: Choice, models: Mapping[str, Counts | Points], how: Resampling
) -> Choice:
    """The choice, tested against the better of flagging nothing and flagging everything, where it
    beats both of them on these cases.
    """
    name, counts = choice.baseline, models[choice.model]
    if name is None or choice.unbeaten is not None:
        return choice
    if not isinstance(counts, Counts):
        return replace(choice, baseline_untested="only rates are known")
    reasons = {
        WEIGHED: counts.weighted,
        ESTIMATED: choice.point.at.estimate is not None,
    }
    why = next((reason for reason, holds in reasons.items() if holds), "")
    if why:
        return replace(choice, baseline_untested=why)
    asked = choice.baselines[name], choice.point, counts, (name, choice.model), how
    return _with_lead(choice, len(models), lead_over, *asked)


def _with_lead(
    choice: AnyChoice, models: int, find: Callable[..., Difference | None], *asked: Any
) -> AnyChoice:
    """The choice with its lead over a baseline, or why that is not known; p is that of the best of
    this number of models.
    """
    try:
        found = find(*asked)
    except InputError as error:
        return replace(choice, baseline_untested=error.problems[0].text)
    if found is not None and models > 1:
        found = replace(found, p_adjusted=min(1.0, models * found.p_value))
    return replace(choice, lead_over_baseline=found)


def _why_untested(choice: Choice, models: Any, *, paired: bool = True) -> str:
    """Why the lead over other models cannot be tested; nothing where it can, or there are none."""
    if len(choice.points) < 2 or not (paired or isinstance(models, JointCounts)):
        return ""
    several = [models] if isinstance(models, JointCounts) else models.values()
    if any(getattr(counts, "weighted", False) for counts in several):
        return WEIGHED
    if not isinstance(models, JointCounts):
        return SEPARATE
    if choice.point.guarantee is not None:
        return "no test is available for guaranteed thresholds"
    return ESTIMATED if choice.point.at.estimate is not None else ""


def choices(
    models: JointCounts | Mapping[str, Counts],
    rule: str | None,
    at: Sequence[Conditions],
    **options: Any,
) -> tuple[list[Answer], list[Note]]:
    """A choice for each base rate, and a note of every model that cannot satisfy the rule; where
    none can anywhere, that is refused.
    """
    return made_by(choose_model, models, rule, at, **options)


def _tested(choice: Choice, found: list[Difference]) -> Choice:
    direction = made_best(choice.point).direction
    return replace(choice, differences=of_best(found, choice.model, direction))


# ---- different cases, and resamples -----------------------------------------------------------


def _apart(
    points: Mapping[str, OperatingPoint],
    models: Mapping[str, Any],
    pair: tuple[str, str],
    level: float,
) -> Difference:
    """Two models that scored different cases: the variances of both add up."""
    values, variance = [], 0.0
    for name in pair:
        point, counts = points[name], models[name]
        if not isinstance(counts, Counts) or counts.weighted:
            raise refuse(
                "BR583",
                f"{quoted(name)}: a difference is tested on whole cases",
                "count(...) without weights",
            )
        what = made_best(point)
        values.append(float(exact_value(what, point.confusion, point.at)))
        variance += variance_at(what, point.confusion, point.at)
    value = values[1] - values[0]
    return difference_of(
        value,
        variance,
        (normal_p(value, variance), DELTA),
        dict(zip(pair, values, strict=True)),
        ends=ends_of(what, point),
        level=level,
        name=what.short_name,
        better=what.direction,
        at=point.at,
        paired=False,
    )


def _resampled(
    joint: JointCounts,
    points: Mapping[str, OperatingPoint],
    level: float,
    draws: tuple[int, int, Progress | None],
) -> list[Difference]:
    """Every pair by resamples of the cases, the thresholds chosen again on each."""
    names = tuple(points)
    notes = check_enough(joint)
    what, at = made_best(points[names[0]]), points[names[0]].at
    kept = joint.only(names)
    plan = planned(kept, at.as_in_sample, None, *draws)
    runs, statistics = zip(
        *(prepare_choice(point, what, joint.marginal(name)) for name, point in points.items()),
        strict=True,
    )
    values = replicate(make_sample(kept, runs), ModelStatistics(statistics), plan)
    said = Note("BR598", f"{plan.replicates} resamples ({plan.how}): approximate; {CHOSEN_AGAIN}")
    found = []
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        drawn, missing = undefined_noted(values[:, j] - values[:, i])
        seen = points[a][what], points[b][what]
        found.append(
            Difference(
                seen[1] - seen[0],
                *percentile_bounds(drawn, level, BOTH),
                bootstrap_p(drawn),
                PERCENTILE,
                (a, b),
                seen,
                level,
                what.short_name,
                what.direction,
                at,
                replicates=plan.replicates,
                seed=plan.seed,
                notes=combine(notes, (*missing, said)),
            )
        )
    check_replicates(found[0], len(found))
    return found


# ----------------------------------------------------------------------
# The same where every miss costs its own amount.


def choose_amount_model(
    models: JointAmounts | Mapping[str, Amounts],
    rule: str | None = None,
    *,
    level: float = 0.95,
    **options: Any,
) -> AmountChoice:
    """Which model, and where should its threshold be, if every miss costs its own amount? And is it
    better than the others?

    Each model is set by `choose` (with its options); the cheapest wins, or by a budget
    without `review` the one that catches most. With the amounts of all models on the same cases
    the best model is tested against every other one (see `every_amount_pair`), and whether it is cheaper
    than flagging nothing or everything is tested too (see `amount_lead_over`).

    >>> import baserate as br
    >>> labels, worth = [1, 1, 0, 0], [1000, 10, 5, 5]
    >>> both = br.count(labels, {"a": [0.4, 0.9, 0.8, 0.1], "b": [0.9, 0.2, 0.3, 0.1]}, amount=worth)
    >>> choice = br.choose(both, review=20)
    >>> choice.model, choice.point.cost, choice.points["a"].cost, choice.indistinguishable
    ('b', 30.0, 60.0, ('a', 'b'))
    """  # noqa: E501
    level, choice = checked_level(level), chosen_among_amounts(models, rule, **options)
    return _amounts_beside_baseline(_amounts_tested(choice, models, level), models, level)


def amounts_moved(
    choice: AmountChoice,
    test: JointAmounts | Mapping[str, Amounts],
    at: Conditions | None = None,
    *,
    level: float | None = None,
) -> AmountChoice:
    """A choice by amounts on other cases: thresholds and order are those of before, and the lead is
    tested there.
    """
    missing = next((name for name in choice.points if name not in test), None)
    if missing is not None:
        raise refuse(
            "BR408", f"the test data have no model {quoted(missing)}", "count it there too"
        )
    points = {name: point.on(test[name], at) for name, point in choice.points.items()}
    if level is None:
        level = next((one.level for one in choice.differences), 0.95)
    sources = {name: test[name] for name in points}
    here = AmountChoice(choice.models, points, choice.refused, chosen=choice, sources=sources)
    own = {choice.model: test[choice.model]}
    return _amounts_beside_baseline(_amounts_tested(here, test, checked_level(level)), own, level)


def _amounts_tested(
    choice: AmountChoice, models: JointAmounts | Mapping[str, Amounts], level: float
) -> AmountChoice:
    """With the lead of the best model over the others, or why it is not tested."""
    if len(choice.points) < 2:
        return choice
    if not isinstance(models, JointAmounts):
        return replace(choice, untested=AMOUNTS_APART)
    if choice.point.at.estimate is not None:
        return replace(choice, untested=ESTIMATED)
    if not models.joint.total_positives or not models.joint.total_negatives:
        return replace(choice, untested=ONE_CLASS)
    found = every_amount_pair(models, choice.points, level)
    found = [
        replace(one, notes=(*same_scores(models.joint, one.models), *one.notes)) for one in found
    ]
    return replace(choice, differences=of_best(found, choice.model, found[0].better))


def _amounts_beside_baseline(
    choice: AmountChoice, models: Mapping[str, Amounts], level: float
) -> AmountChoice:
    """The choice, tested against the cheaper one of flagging nothing and flagging everything, where
    it is cheaper than both on these cases.
    """
    point = choice.point
    if point.optimized != COST or point.cost >= min(point.nothing, point.everything):
        return choice
    if point.at.estimate is not None:
        return replace(choice, baseline_untested=ESTIMATED)
    asked = point, models[choice.model], choice.model, level
    return _with_lead(choice, len(models), amount_lead_over, *asked)


def amount_lead_over(point: AmountPoint, amounts: Amounts, name: str, level: float) -> Difference:
    """Is a point cheaper in the field than the cheaper one of flagging nothing and flagging
    everything?

    What flagging nothing costs is an estimate too, but only the cases that one of the two flags
    count for the difference: it is tested as that of two models. A threshold that was chosen on
    these cases makes it too large by what resamples gain from choosing their own, measured on the
    resample less on these cases (Efron 1983): that is taken off first, from the interval too.
    """
    counts, everything = amounts.counts, point.everything < point.nothing
    notes, points = check_enough(counts), Points.of(counts)
    parts = [np.repeat(counts.scores, counts.positives), counts.scores]
    rows = np.arange(sum(map(len, parts)))
    cases = Cases(
        (rows[: len(parts[0])], rows[len(parts[0]) :]),
        (np.ones(len(parts[0]), dtype=np.int64), counts.negatives),
        (int(counts.total_positives), int(counts.total_negatives)),
        amounts.cases / float(10**amounts.decimals),
    )
    gradient = amount_gradient(point)
    flags = np.concatenate([flagged(scores, points, point) for scores in parts])
    moves = move_cases(cases, (np.full(len(rows), float(everything)), flags), (gradient, gradient))
    value = math.fsum(part.mean for part in moves)
    variance = math.fsum(part.variance for part in moves)
    if point.at.as_in_sample:
        slope = slope_of_prior([part.mean for part in moves], cases.totals)
        variance += variance_of_prior(slope, cases.totals)
    in_advance = point.in_advance
    left = value
    if not in_advance:
        left -= amount_optimism(point, amounts, CHOSEN_REPLICATES, everything=everything)
    left = min(0.0, left)
    base = EVERYTHING if everything else NOTHING
    found = difference_of(
        left,
        variance,
        (moved_p(left, moves, variance), WEIGHTED_MCNEMAR),
        {base: point.everything if everything else point.nothing, name: point.cost},
        level=level,
        name=COST,
        better="lower",
        at=point.at,
        replicates=None if in_advance else CHOSEN_REPLICATES,
        seed=None if in_advance else 0,
        notes=notes,
    )
    return replace(found, value=value)
