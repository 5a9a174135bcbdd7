"""Is the best model better than the others? Paired differences at chosen or given thresholds, in
closed form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import Array
from baserate.counts.counts import Counts, JointCounts, same_scores
from baserate.counts.points import Points
from baserate.decisions.operating_point import evaluate_on
from baserate.decisions.rules import Term, holds_all, parse_rule
from baserate.decisions.selection import Answer, choice_of, chosen_among, flag_at, made_by
from baserate.errors import InputError, Note, combine, quoted, refuse
from baserate.inference.choose_again import prepare_choice
from baserate.inference.chosen_threshold import (
    CHOSEN_REPLICATES,
    Resampling,
    ends_of,
    lead_over,
)
from baserate.inference.rates import normal, special
from baserate.inference.resample import (
    PERCENTILE,
    Progress,
    adjusted,
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
from baserate.measures.confusion import (
    Confusion,
    Measure,
    confusion_at,
    exact_value,
    measure_along,
    parse,
)
from baserate.numbers import Floats, Undefinable, exactly
from baserate.results.choice import Choice
from baserate.results.operating_point import GUESS, OperatingPoint
from baserate.results.values import (
    BOTH,
    Difference,
    checked_level,
    missed,
    turned,
)

MCNEMAR, WEIGHTED_MCNEMAR, DELTA = "mcnemar", "weighted-mcnemar", "delta"
SEPARATE = "the models were counted separately, not on the same cases"
WEIGHED = "the cases are weighted, and weights do not say how many cases were seen"
ESTIMATED = "the base rate is an estimate"
CHOSEN_AGAIN = (
    "thresholds are chosen again on each resample, so the interval is for models whose thresholds"
    " are chosen anew on other cases, not for the thresholds chosen here"
)
FEW_SCORES = Note(
    "BR642",
    "the scores have few distinct values near these thresholds, and on other cases the rule may"
    " choose a neighbouring one: the test allows for that, and finds only large differences",
)
# Relative size of what is lost to rounding where two gradients or values are compared.
ROUNDING = 1e-9
# A derivative is a difference over so small a part of a class; the arithmetic is exact, so only the
# curvature matters.
STEP = Fraction(1, 10**6)
# So many thresholds on each side are considered where ties leave few to choose from.
NEIGHBOURS = 10
# A note says so where they make up more than this share of the variance.
NOTED = 0.1
# Beyond so many standard deviations nothing of a binomial distribution is left that a float shows.
FAR = 40
# So many signs are tried in every combination.
TRIED = 14


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
    try:
        found = lead_over(choice.baselines[name], choice.point, counts, (name, choice.model), how)
    except InputError as error:
        return replace(choice, baseline_untested=error.problems[0].text)
    if found is not None and len(models) > 1:
        found = replace(found, p_adjusted=min(1.0, len(models) * found.p_value))
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
) -> tuple[list[Answer[Choice]], list[Note]]:
    """A choice for each base rate, and a note of every model that cannot satisfy the rule; where
    none can anywhere, that is refused.
    """
    return made_by(choose_model, models, rule, at, **options)


class Setting(NamedTuple):
    """A model at its threshold: what it flags, its value, how the value changes with tpr and fpr,
    and what determines it.
    """

    flags: Array
    value: float
    gradient: tuple[float, float]
    with_prior: float
    term: tuple[float, float] | None
    # How far tpr and fpr move from here to a somewhat stricter and to a somewhat looser threshold.
    sides: tuple[tuple[float, float], tuple[float, float]]
    in_advance: bool
    # How much of the variance of its value comes from choosing again between large ties.
    of_ties: float = 0.0
    # Is it another measure than the one that was made best?
    other: bool = False


def leads(
    joint: JointCounts,
    points: Mapping[str, OperatingPoint],
    best: str,
    *,
    measure: Measure | None = None,
    level: float = 0.95,
) -> tuple[Difference, ...]:
    """The lead of the best model over every other one, closest first; with Holm's adjustment over
    all pairs where there are three or more.

    What is compared is what the points were chosen by, or `measure`. A sum over cases (tpr, fpr,
    accuracy, cost, caught) is tested by whether swapping the two models on every case on which they
    differ could give as large a difference by chance: exact, and McNemar's test where one class
    matters; with costs each class has its weight. Any other measure (precision, f1, mcc) is
    compared by the delta method, with the covariance of the two models on the same cases.

    Thresholds that were chosen on these cases vary with them. Where a rule decides (a budget,
    recall >= 0.8), each class weighs as the measure changes along the rule, by the local slope of
    the ROC; for a `measure` that was not made best, the variance is at least that of thresholds
    fixed in advance. And one case each way and class is added to those on which the models differ
    (Bonett & Price 2012): otherwise thresholds that rest on the highest negatives or the lowest
    positives alone would look certain. Where ties are so large that the ROC has no local slope, the
    difference is tested at these thresholds, with the variance added of choosing again between
    neighbouring ones on other cases.

    All pairs enter the adjustment, because the best model was found on the same cases.
    """
    found = every_pair(joint, points, measure=measure, level=level)
    return of_best(found, best, (measure or made_best(points[best])).direction)


def every_pair(
    joint: JointCounts,
    points: Mapping[str, OperatingPoint],
    *,
    measure: Measure | None = None,
    level: float = 0.95,
) -> list[Difference]:
    """The differences of `leads` between any two models, not adjusted for their number."""
    settings = {name: _setting(joint, name, point, measure) for name, point in points.items()}
    names = [name for name, one in settings.items() if not math.isnan(one.value)]
    if len(names) < 2:
        return []
    table = _Table(joint, [settings[name].flags for name in names])
    what = measure or made_best(points[names[0]])
    return [
        _difference(table, (i, j), (settings[a], settings[b]), (a, b), (points[b], what, level))
        for (i, a), (j, b) in combinations(enumerate(names), 2)
    ]


def _tested(choice: Choice, found: list[Difference]) -> Choice:
    direction = made_best(choice.point).direction
    return replace(choice, differences=of_best(found, choice.model, direction))


def of_best(found: list[Difference], best: str, direction: str | None) -> tuple[Difference, ...]:
    """Of all pairs those with the best model, which stands second in each: the closest first;
    adjusted for their number, unless they were before.
    """
    every = adjusted(found) if len(found) > 1 and found[0].p_adjusted is None else found
    ours = [one if one.models[1] == best else turned(one) for one in every if best in one.models]
    return tuple(sorted(ours, key=lambda one: one.value if direction == "higher" else -one.value))


def made_best(point: OperatingPoint) -> Measure:
    """The measure that was optimized."""
    return parse(point.objective, point.volume)


# ---- one model --------------------------------------------------------------------------------


def _setting(
    joint: JointCounts, name: str, point: OperatingPoint, measure: Measure | None
) -> Setting:
    model = (
        name if name in joint.scores else joint.models[0]
    )  # flagging nothing or everything needs no scores
    points = Points.of(joint.marginal(model))
    what = measure or made_best(point)
    flags = flagged(joint.scores[model], points, point)
    term, of_ties = None, 0.0
    if point.optimized and point.rule and not point.in_advance:
        best = made_best(point)
        sign = 1.0 if best.direction == "higher" else -1.0
        order = sign * measure_along(best, points, point.at)
        term = binding(point, points, order, sign * point[best])
        if moves_by_ties(point, points):
            term, of_ties = (
                None,
                variance_of_ties(point, points, order, measure_along(what, points, point.at)),
            )
    try:
        value, gradient = (
            float(exact_value(what, point.confusion, point.at)),
            gradient_of(what, point.confusion, point.at),
        )
        along_rule = None if term is None else gradient_of(term.measure, point.confusion, point.at)
    except Undefinable:
        return Setting(
            flags, math.nan, (0.0, 0.0), 0.0, None, ((0.0, 0.0),) * 2, in_advance=point.in_advance
        )
    return Setting(
        flags,
        value,
        gradient,
        _with_prior(what, point.confusion, point.at),
        along_rule,
        _sides(points, point),
        point.in_advance,
        of_ties,
        along_rule is not None
        and not _parallel(gradient, gradient_of(made_best(point), point.confusion, point.at)),
    )


def _parallel(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Do both measures change alike, as recall and the number caught do?"""
    across = one[0] * other[1] - one[1] * other[0]
    return abs(across) <= ROUNDING * max(map(abs, one)) * max(map(abs, other))


def flagged(scores: Array, points: Points, point: OperatingPoint) -> Floats:
    """The probability with which the point flags each case: 1 or 0, or a share where a budget ends
    inside a tie, or of a mixture.
    """
    if point.how == GUESS:
        return np.full(len(scores), point.share)
    upper = _above(scores, points, points.place(point.threshold))
    if point.share == 1:
        return upper
    lower = _above(scores, points, points.place(point.lower_threshold))
    return upper + point.share * (lower - upper)


def _above(scores: Array, points: Points, place: int) -> Floats:
    # Compared with a score that is there, so that integers and floats mean the same as everywhere.
    return (
        (scores >= points.scores[place - 1]).astype(np.float64) if place else np.zeros(len(scores))
    )


def binding(point: OperatingPoint, points: Points, values: Floats, here: float) -> Term | None:
    """The term of the rule without which the threshold would be elsewhere. `values` are those of
    every point, higher ones better, and `here` that of the chosen one.
    """
    terms = (
        parse_rule(point.rule, point.volume).terms if point.rule and " = " not in point.rule else ()
    )
    if not terms or point.how == GUESS:
        return None
    if np.isnan(values).all() or not np.nanmax(values) > here + ROUNDING * abs(here):
        return None
    lower, upper = (
        points.place(cut)
        for cut in (point.threshold if point.share == 1 else point.lower_threshold, point.threshold)
    )
    with np.errstate(invalid="ignore"):
        better = np.flatnonzero(values > here + ROUNDING * abs(here))
    looser = int(np.nanargmax(values)) > upper
    nearest = better[better > upper][:1] if looser else better[better < lower][-1:]
    broken = (
        term
        for place in nearest.tolist()
        for term in terms
        if not holds_all([term], confusion_at(points, place), point.at)
    )
    return next(broken, None)


def gradient_of(what: Measure, confusion: Confusion, at: Conditions) -> tuple[float, float]:
    """How the measure changes with tpr and with fpr; from one side at the ends of their range."""
    return _slope(what, confusion, at, positives=True), _slope(what, confusion, at, positives=False)


def _slope(what: Measure, confusion: Confusion, at: Conditions, *, positives: bool) -> float:
    tp, fp, fn, tn = (exactly(value) for value in confusion)
    whole, flagged_now = (tp + fn, tp) if positives else (fp + tn, fp)
    ends = []
    for step in (-STEP, STEP):
        part = flagged_now + step * whole
        if 0 <= part <= whole:
            tp, fn = (part, whole - part) if positives else (tp, fn)
            fp, tn = (fp, tn) if positives else (part, whole - part)
            moved = Confusion(tp=tp, fp=fp, fn=fn, tn=tn, why_no_prior=confusion.why_no_prior)
            try:
                value = exact_value(what, moved, at)
            except Undefinable:
                continue
            ends.append((step, value))
    if len(ends) < 2:
        ends.append((Fraction(0), exact_value(what, confusion, at)))
    (one, low), (other, high) = ends[:2]
    return float((high - low) / (other - one)) if other != one else 0.0


def _with_prior(what: Measure, confusion: Confusion, at: Conditions) -> float:
    """How the measure changes with the base rate, where that is the sample's own and so known no
    better than the sample says.
    """
    if not what.depends_on_prior or not at.as_in_sample or at.prior is None:
        return 0.0
    prior = exactly(confusion.exact_prior)
    step = STEP * min(prior, 1 - prior)
    try:
        ends = [
            exact_value(what, confusion, Conditions(prior + sign * step, at.costs))
            for sign in (-1, 1)
        ]
    except Undefinable:
        return 0.0
    return float((ends[1] - ends[0]) / (2 * step)) if step else 0.0


def _sides(
    points: Points, point: OperatingPoint
) -> tuple[tuple[float, float], tuple[float, float]]:
    """How tpr and fpr move to a somewhat stricter threshold, and to a somewhat looser one."""
    places = around(points, points.place(point.threshold))
    low, here, high = (points.block(slice(place, place + 1)) for place in places)
    stricter, looser = (
        (float(b.tpr[0] - a.tpr[0]), float(b.fpr[0] - a.fpr[0]))
        for a, b in ((low, here), (here, high))
    )
    return stricter, looser


def around(points: Points, place: int) -> tuple[int, int, int]:
    """The place of a threshold between those of one that is two standard deviations of what is
    flagged stricter, and of one as much looser.
    """
    low = high = place
    for flagged_by, whole in (
        (points.tp, points.total_positives),
        (points.fp, points.total_negatives),
    ):
        now = float(flagged_by[place])
        width = 2 * math.sqrt(now * (1 - now / whole)) + 1 if whole else 0.0
        ends: tuple[float, float] = now - width, now + width
        if flagged_by.dtype == np.int64:  # else all of them would be copied as floats
            ends = math.ceil(ends[0]), math.floor(ends[1])
        low = min(low, int(np.searchsorted(flagged_by, ends[0], side="left")))
        high = max(high, int(np.searchsorted(flagged_by, ends[1], side="right")) - 1)
    return low, place, high


# ---- few distinct scores ---------------------------------------------------------------------


def moves_by_ties(point: OperatingPoint, points: Points) -> bool:
    """Does a rule choose this threshold where ties leave no other within two standard deviations of
    what is flagged, on one side? Then the ROC has no local slope along which it would move.
    """
    if not point.rule or " = " in point.rule or point.share != 1:
        return False
    place = points.place(point.threshold)
    for flagged_by, whole in (
        (points.tp, points.total_positives),
        (points.fp, points.total_negatives),
    ):
        now = float(flagged_by[place])
        ties = np.diff(flagged_by[max(0, place - 1) : place + 2])
        if whole and (ties > 2 * math.sqrt(now * (1 - now / whole)) + 1).any():
            return True
    return False


def variance_of_ties(point: OperatingPoint, points: Points, order: Floats, values: Floats) -> float:
    """How much of the variance of a value comes from choosing the threshold again on other cases,
    where ties leave few to choose from: the best by `order` at which the rule holds there.

    How likely the rule holds is known at each threshold alone. The chance that a better threshold
    is chosen is the highest of these, as if they held together, which they nearly do.
    """
    place = points.place(point.threshold)
    near = np.arange(max(0, place - NEIGHBOURS), min(len(points), place + NEIGHBOURS + 1))
    near = near[np.isfinite(order[near]) & np.isfinite(values[near])]
    near = near[np.argsort(-order[near], kind="stable")]
    terms = parse_rule(point.rule, point.volume).terms
    holds = [
        min(_holds_again(term, points, one, point.at) for term in terms) for one in near.tolist()
    ]
    chance = np.diff(np.maximum.accumulate(holds), prepend=0.0)
    if not chance.sum():
        return 0.0
    mean = chance @ values[near] / chance.sum()
    return float(chance @ (values[near] - mean) ** 2 / chance.sum())


def _holds_again(term: Term, points: Points, place: int, at: Conditions) -> float:
    """How likely a requirement of a rule holds on as many other cases, by a normal distribution."""
    confusion = confusion_at(points, place)
    try:
        beyond = float(exact_value(term.measure, confusion, at) - term.limit)
        variance = variance_at(term.measure, confusion, at)
    except Undefinable:
        return 0.0
    beyond = beyond if term.sense == ">=" else -beyond
    # The value varies on these cases and on the others.
    return (
        float(special().ndtr(beyond / math.sqrt(2 * variance))) if variance else float(beyond >= 0)
    )


def variance_at(what: Measure, confusion: Confusion, at: Conditions) -> float:
    """The variance of a measure at a fixed threshold by the delta method, with a case added to each
    outcome; with that of the base rate, where it is the sample's own.
    """
    tp, fp, fn, tn = (float(part) for part in confusion)
    whole = tp + fp + fn + tn
    share = (tp + fn) / whole
    variance = _with_prior(what, confusion, at) ** 2 * share * (1 - share) / whole
    slopes = gradient_of(what, confusion, at)
    for slope, part, cases in zip(slopes, (tp, fp), (tp + fn, fp + tn), strict=True):
        rate = (part + 1) / (cases + 2)
        variance += slope**2 * rate * (1 - rate) / (cases + 2)
    return variance


def with_ties(variance: float, of_ties: float) -> float:
    """The variance of a difference, where the value at each threshold and the choice between them
    may vary together.
    """
    return (math.sqrt(variance) + math.sqrt(of_ties)) ** 2


def said_of_ties(of_ties: float, variance: float) -> tuple[Note, ...]:
    """A note where choosing again between large ties is a notable part of the variance."""
    return (FEW_SCORES,) if of_ties > NOTED * variance else ()


# ---- two models -------------------------------------------------------------------------------


class _Table:
    """Of each class, how many cases two models flag together: sums over the cases of the products
    of what they flag.
    """

    def __init__(self, joint: JointCounts, flags: Sequence[Array]) -> None:
        self.cases = int(joint.total_positives), int(joint.total_negatives)
        some = np.flatnonzero(np.logical_or.reduce([one > 0 for one in flags]))
        columns = np.stack([one[some] for one in flags], axis=1)
        weighed = [columns * cells[some, None] for cells in (joint.positives, joint.negatives)]
        self.sums = [one.sum(axis=0) for one in weighed]
        self.products = [one.T @ columns for one in weighed]

    def apart(self, i: int, j: int) -> tuple[float, float]:
        """The squared differences of what two models flag, summed over each class: the cases
        only one of them flags.
        """
        return tuple(float(one[i, i] + one[j, j] - 2 * one[i, j]) for one in self.products)  # type: ignore[return-value]


Weights = tuple[tuple[float, float], tuple[float, float]]


def _difference(
    table: _Table,
    places: tuple[int, int],
    pair: tuple[Setting, Setting],
    names: tuple[str, str],
    of: tuple[OperatingPoint, Measure, float],
) -> Difference:
    """The second model against the first."""
    point, what, level = of
    value = pair[1].value - pair[0].value
    apart = table.apart(*places)
    weights, variance = max(
        (_spread(table, places, pair, side) for side in _possible(pair, table.cases)),
        key=lambda one: one[1],
    )
    chosen = not all(one.in_advance for one in pair)
    p, method = _p_value(value, weights, variance, apart, table.cases, added=2 if chosen else 0)
    of_ties = sum(one.of_ties for one in pair)
    if of_ties:
        variance = with_ties(variance, of_ties)
        p = max(p, normal_p(value, variance))
    middle = value
    if method == MCNEMAR and not chosen:  # Bonett & Price add a case each way to the value too
        cases = next(
            (size for size, weight in zip(table.cases, weights[0], strict=True) if weight), 0
        )
        middle = value * cases / (cases + 2)
    low, high = _possible_bounds(bounds_beside(middle, variance, p, level), what, point)
    return Difference(
        value,
        low,
        high,
        p,
        method,
        names,
        (pair[0].value, pair[1].value),
        level,
        what.short_name,
        what.direction,
        point.at,
        statistic=value / math.sqrt(variance) if variance else math.nan,
        discordant=(round(sum(apart)), sum(table.cases)),
        notes=said_of_ties(of_ties, variance),
    )


def _possible_bounds(
    bounds: tuple[float, float], what: Measure, point: OperatingPoint
) -> tuple[float, float]:
    """Bounds of a difference, no further apart than the measure can be at these conditions."""
    least, most = ends_of(what, point)
    return max(bounds[0], least - most), min(bounds[1], most - least)


def bounds_beside(value: float, variance: float, p: float, level: float) -> tuple[float, float]:
    """Bounds of a difference that contain 0 where its test rules nothing out: otherwise they would
    contradict each other.
    """
    half = normal((1 + level) / 2) * math.sqrt(variance)
    low, high = value - half, value + half
    return (min(low, 0.0), max(high, 0.0)) if p >= missed(level) else (low, high)


def _possible(
    pair: tuple[Setting, Setting], cases: tuple[int, int]
) -> list[tuple[float, float] | None]:
    """The local slopes of the ROC along which a rule moves the thresholds: towards stricter ones,
    and towards looser ones.
    """
    fixed: list[tuple[float, float] | None] = [None]
    if all(one.term is None for one in pair):
        return fixed
    moves = [
        tuple(sum(one.sides[side][rate] for one in pair) for rate in (0, 1)) for side in (0, 1)
    ]
    # Less than half a case is not seen to move. What the rule itself holds in place (recall with
    # recall >= 0.8) hardly varies along it, but in the field it does: of any other measure than the
    # one made best, the variance of fixed thresholds is a lower limit.
    along_rule = [(max(tpr, 0.5 / cases[0]), max(fpr, 0.5 / cases[1])) for tpr, fpr in moves]
    return [*along_rule, *(fixed if any(one.other for one in pair) else [])]


def _spread(
    table: _Table,
    places: tuple[int, int],
    pair: tuple[Setting, Setting],
    move: tuple[float, float] | None,
) -> tuple[Weights, float]:
    """What a share of each class counts for in the value of each model, and the variance of the
    difference.
    """
    weights = [one.gradient for one in pair]
    terms = [one.term for one in pair if one.term is not None]
    if move is not None and terms:
        rule = [math.fsum(term[rate] for term in terms) / len(terms) for rate in (0, 1)]
        moved = rule[0] * move[0] + rule[1] * move[1]
        ratios = [
            (weight[0] * move[0] + weight[1] * move[1]) / moved if moved else 0.0
            for weight in weights
        ]
        weights = [
            (weight[0] - ratio * rule[0], weight[1] - ratio * rule[1])
            for weight, ratio in zip(weights, ratios, strict=True)
        ]
    i, j = places
    variance = 0.0
    for rate, (sums, products) in enumerate(zip(table.sums, table.products, strict=True)):
        a, b = -weights[0][rate], weights[1][rate]
        cases = table.cases[rate] + 2
        squares = (
            a * a * (products[i, i] + 1) + b * b * (products[j, j] + 1) + 2 * a * b * products[i, j]
        )
        mean = (a * (sums[i] + 1) + b * (sums[j] + 1)) / cases
        variance += max(0.0, squares / cases - mean**2) / cases
    positives, whole = table.cases[0], sum(table.cases)
    share = positives / whole
    variance += (pair[1].with_prior - pair[0].with_prior) ** 2 * share * (1 - share) / whole
    return (weights[0], weights[1]), variance


def _p_value(
    value: float,
    weights: Weights,
    variance: float,
    apart: tuple[float, float],
    cases: tuple[int, int],
    *,
    added: int,
) -> tuple[float, str]:
    """Two-sided, and by which method."""
    if not value or not sum(apart):
        return 1.0, (
            MCNEMAR
            if _is_sum(weights) and not all(weights[0])
            else WEIGHTED_MCNEMAR
            if _is_sum(weights)
            else DELTA
        )
    if not _is_sum(weights):
        least = 2.0 ** (
            1 - min(sum(apart), 1000)
        )  # no surer than a coin tossed as often as the models differ
        return min(1.0, max(normal_p(value, variance), least)), DELTA
    steps = [
        abs(weight) / count if count else 0.0
        for weight, count in zip(weights[0], cases, strict=True)
    ]
    method = WEIGHTED_MCNEMAR if all(steps) else MCNEMAR
    # Shares of a tie count as the cases that would spread as much: a whole number of them, or one
    # more.
    counted = [math.ceil(part - ROUNDING * (1 + part)) + added for part in apart]
    p = swapped_p(value, (steps[0], counted[0]), (steps[1], counted[1]))
    return (p if method == MCNEMAR else max(p, normal_p(value, variance))), method


def normal_p(value: float, variance: float) -> float:
    """The two-sided p-value of a difference by its variance.

    Where both classes count, models that cost the same may differ in each of them: one has fewer
    false alarms, the other fewer misses. Swapping the models tests that they do not, so it is no
    test of the cost alone: with no miss seen, it would take the false alarms for certain evidence.
    """
    return 2 * float(special().ndtr(-abs(value) / math.sqrt(variance))) if variance else 1.0


def _is_sum(weights: Weights) -> bool:
    """Does a case count for the same in both models, so that the measure is a sum over cases?"""
    size = max(abs(part) for weight in weights for part in weight)
    return all(abs(a - b) <= ROUNDING * size for a, b in zip(*weights, strict=True))


def swapped_p(value: float, one: tuple[float, int], other: tuple[float, int]) -> float:
    """How likely is so large a difference, if each case on which two models differ favours either
    with equal chance?

    Of each class: how much each case counts, and the number of cases on which the models differ.
    With one class this is McNemar's exact test.

    >>> from baserate.inference.best_model import swapped_p
    >>> swapped_p(20, (1, 60), (0, 0)), swapped_p(7, (1, 17), (5, 0))
    (0.01348..., 0.14346...)
    """
    (step, cases), (other_step, others) = sorted(
        ((part[0], part[1] if part[0] else 0) for part in (one, other)),
        key=lambda part: (part[1], part[0]),
    )
    size, largest = abs(value), step * cases + other_step * others
    if not size or not others:
        return 1.0
    # The class with fewer cases is summed over, the tail of the other is known.
    middle, width = cases / 2, FAR * math.sqrt(cases) / 2
    heads = np.arange(
        max(0, math.floor(middle - width)),
        min(cases, math.ceil(middle + width)) + 1,
        dtype=np.float64,
    )
    chance = np.exp(
        special().gammaln(cases + 1)
        - special().gammaln(heads + 1)
        - special().gammaln(cases - heads + 1)
        - cases * math.log(2)
    )
    needed = (size - ROUNDING * largest - step * (2 * heads - cases)) / other_step
    fewest = np.ceil((needed + others) / 2)
    tail = np.where(
        fewest <= 0,
        1.0,
        np.where(
            fewest > others, 0.0, special().bdtrc(np.clip(fewest - 1, 0, others), others, 0.5)
        ),
    )
    return min(1.0, 2 * float(chance @ tail))


class Moves(NamedTuple):
    """By how much each case of a class moves a difference of sums: `sizes`, of `times` cases
    each, out of `cases`. `added` is what one case more moves that only the first of two models
    flags, and one that only the second does.
    """

    sizes: Floats
    times: Array
    added: tuple[float, float]
    cases: int

    @property
    def mean(self) -> float:
        """What the class adds to the difference."""
        return float(self.times @ self.sizes) / self.cases

    @property
    def variance(self) -> float:
        """Of the mean over the class, with a case more each way (Bonett & Price 2012)."""
        whole = self.cases + 2
        squares = float(self.times @ self.sizes**2) + sum(one**2 for one in self.added)
        mean = (float(self.times @ self.sizes) + sum(self.added)) / whole
        return max(0.0, squares / whole - mean**2) / whole


def variance_of_prior(means: Sequence[float], cases: Sequence[int]) -> float:
    """The variance of a sum that comes from the share of positives, where it is the sample's own;
    `means` are what either class adds.
    """
    share = cases[0] / sum(cases)
    slope = means[0] / share - means[1] / (1 - share)
    return slope**2 * share * (1 - share) / sum(cases)


def moved_p(value: float, parts: Sequence[Moves], variance: float) -> float:
    """The p-value of a difference of sums, by swapping the models on every case that moves it; not
    below that by its variance.
    """
    if not value or not any(part.sizes.any() for part in parts):
        return 1.0
    sizes = [np.abs([*part.sizes, *part.added]) / part.cases for part in parts]
    times = [np.asarray([*part.times, 1, 1], dtype=np.float64) for part in parts]
    p = flipped_p(value, np.concatenate(sizes), np.concatenate(times))
    return max(p, normal_p(value, variance))


def flipped_p(value: float, sizes: Floats, times: Floats) -> float:
    """`swapped_p` where cases count for different amounts: `sizes`, of `times` cases each.

    All signs of the largest are tried, and those of the others add up to a normal distribution: one
    large amount is one toss of a coin, however many small ones there are.

    >>> import numpy as np
    >>> from baserate.inference.best_model import flipped_p
    >>> flipped_p(100, np.array([90.0, 5, 4, 1]), np.ones(4)), flipped_p(20, np.ones(1), np.array([60.0]))
    (0.125, 0.01348...)
    """  # noqa: E501
    scale = float(sizes.max())
    distinct, place = np.unique(np.round(sizes / scale, 12) * scale, return_inverse=True)
    number = np.bincount(place, weights=times)
    distinct, number = distinct[distinct > 0], number[distinct > 0]
    if len(distinct) <= 2 and (number % 1 == 0).all():
        (one, other) = [*zip(distinct.tolist(), map(int, number), strict=True), *[(0.0, 0)] * 2][:2]
        return swapped_p(value, one, other)
    largest = np.repeat(distinct[::-1], np.minimum(number[::-1], TRIED).astype(np.int64))[:TRIED]
    sums = np.zeros(1)
    for size in largest:
        sums = np.concatenate((sums + size, sums - size))
    gone, slack = abs(value), ROUNDING * float(number @ distinct)
    rest = math.sqrt(max(0.0, float(number @ distinct**2) - float(largest @ largest)))
    if number.sum() <= TRIED or rest <= slack:
        beyond = float(np.mean(sums >= gone - slack))
    else:
        beyond = float(np.mean(special().ndtr((sums - gone) / rest)))
    return min(1.0, 2 * beyond)


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
    value, error = values[1] - values[0], math.sqrt(variance)
    half = normal((1 + level) / 2) * error
    return Difference(
        value,
        *_possible_bounds((value - half, value + half), what, point),
        normal_p(value, variance),
        DELTA,
        pair,
        (values[0], values[1]),
        level,
        what.short_name,
        what.direction,
        point.at,
        statistic=value / error if error else math.nan,
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
