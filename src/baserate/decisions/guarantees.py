"""Guarantees: the thresholds at which a requirement holds in the field with a given confidence,
although they were chosen on these cases.

Every requirement becomes a limit on the cases that may go wrong. A measure that rises or falls with
the threshold needs one exact bound (Clopper and Pearson). Precision, npv, cost and the like are
tested at every threshold at once, against the least favourable ROC: the straight line on which the
requirement just holds. docs/develop/decisions/0028-guarantees.md has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.points import ONLY_RATES, Points
from baserate.decisions.rules import Mask, Rule, Term, linear, parse_rule
from baserate.errors import Fix, Infeasible, Problem, grouped, number_of, refuse
from baserate.measures.confusion import Confusion, confusion_at, measure, measure_along
from baserate.notation import missed, percent
from baserate.numbers import Floats, rounded

EXACT, BOX, SCAN = "clopper-pearson", "clopper-pearson box", "least favourable roc"
# Samples drawn from the least favourable case: so many set the limits of each threshold, and twice
# as many the level of all together.
SAMPLES = 9_999
# At how many thresholds (numbers of positives caught) the scan looks, evenly spread, and towards
# the ends for each factor e; the limit of one holds up to the next.
LOOKS, MOST_LOOKS, CLOSE = 48, 200, 12
# Thresholds that catch fewer positives than this, or a smaller share, are not looked at: each look
# costs all others some power.
LEAST, LEAST_SHARE = 3, Fraction(1, 50)
# A look at the end of the line still has this share of the weight of one half way.
LEAST_WEIGHT = 0.05
# Below this a simulated level is not known well.
SMALLEST_ALPHA = 5e-4
POWER = 0.8
# Nobody collects more than so many times the cases that there are.
MOST_TIMES = 1000
NOT_WITH_MORE = "cases would not do"
SUPPORTED = (
    "tpr, fnr, fpr, tnr, precision, fdr, npv, false_omission_rate, posfrac, alerts, caught, missed,"
    " expected_cost, accuracy, f1 and their like"
)
ESTIMATED = "BR544"
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Guaranteed:
    """One requirement that is guaranteed: its value here, and the bound that meets it (none where
    all thresholds are tested at once).
    """

    requirement: str
    observed: float
    bound: float | None
    method: str
    measure: str
    sense: str
    limit: float


@dataclass(frozen=True)
class Guarantee:
    """What holds in the field at a threshold, with which confidence, also if it was chosen among
    the thresholds of several models.
    """

    requirements: tuple[Guaranteed, ...]
    level: float
    models: int = 1

    def __str__(self) -> str:
        return " and ".join(one.requirement for one in self.requirements)


class Confidence(NamedTuple):
    """The level of a guarantee, and among how many models the choice is."""

    level: float
    among: int = 1

    def alpha(self, rule: Rule) -> float:
        """What each requirement on each model may miss, so that all of them together miss no more
        than is left over.
        """
        return missed(self.level) / len(rule.terms) / self.among


class Limits(NamedTuple):
    """Guaranteed are the thresholds with at most `allowed` cases of the outcome `bad`, where `good`
    has reached the look before it.
    """

    good: str
    bad: str
    looks: Integers
    allowed: Integers
    method: str = EXACT
    split: float = 0.0  # of a box: the share of alpha that the bound of tpr has

    def met(self, tp: Any, fp: Any, positives: int, negatives: int) -> Mask:
        outcomes = {
            "tp": tp,
            "fp": fp,
            "fn": positives - tp,
            "tn": negatives - fp,
            "flagged": tp + fp,
        }
        place = np.searchsorted(self.looks, outcomes[self.good], side="right") - 1
        return np.asarray((place >= 0) & (outcomes[self.bad] <= self.allowed[np.maximum(place, 0)]))


def parse_guarantee(text: Any, volume: float | None, at: Conditions) -> Rule:
    """The requirement to guarantee, or why it cannot be one."""
    rule = parse_rule(text, volume)
    if any(note.code == ESTIMATED for note in at.notes):
        raise refuse(
            "BR636",
            "the base rate is an estimate, whose error a guarantee would ignore",
            Fix("at=Conditions(prior=0.001)", "--prior 0.1%, instead of --prior-from"),
        )
    for term in rule.terms:
        if term.sense != (">=" if term.measure.direction == "higher" else "<="):
            other = "<=" if term.sense == ">=" else ">="
            raise refuse(
                "BR636",
                f"{term} limits {term.measure.name} from the wrong side",
                f'"{term.measure.name} {other} …"',
            )
        if term.measure.parts is None:
            raise refuse(
                "BR636",
                f"{term.measure.name} cannot be guaranteed",
                f"guarantee one of {SUPPORTED}",
            )
    return rule


def objective_of(rule: Rule) -> str:
    """What to make best where nobody says: recall, or the fewest false alarms where recall or npv
    is what is guaranteed.
    """
    first = rule.terms[0].measure
    if first.name in ("tpr", "fnr", "caught", "missed", "npv", "false_omission_rate"):
        return "fpr"
    return (
        "tpr"
        if first.name in ("fpr", "tnr", "posfrac", "alerts", "false_alarms", "precision", "fdr")
        else str(first)
    )


def certified(
    points: Points, rule: Rule, at: Conditions, confidence: Confidence
) -> tuple[list[Limits], Mask]:
    """The limits of every requirement, and the thresholds that meet them all; several requirements
    share what may be missed.
    """
    if points.why_no_prior == ONLY_RATES:
        raise refuse(
            "BR583",
            "only rates are known, but a guarantee needs the number of cases",
            "give Counts",
        )
    if points.tp.dtype != np.int64:
        raise refuse(
            "BR583",
            "these cases are weighted: a guarantee needs whole cases, not weights",
            Fix("count without weights", "leave --weight out"),
        )
    limits = [_limits(term, points, at, confidence.alpha(rule)) for term in rule.terms]
    totals = int(points.total_positives), int(points.total_negatives)
    masks = [one.met(points.tp, points.fp, *totals) for one in limits]
    mask: Mask = reduce(np.logical_and, masks)
    mask[0] = False  # flagging nothing is no threshold, and what it guarantees needs no cases
    return limits, mask


def promised(
    place: int,
    points: Points,
    rule: Rule,
    at: Conditions,
    confidence: Confidence,
    limits: Sequence[Limits],
) -> Guarantee:
    """What is guaranteed at one of the thresholds."""
    confusion, alpha = confusion_at(points, place), confidence.alpha(rule)
    found = (
        Guaranteed(
            str(term),
            float(measure(confusion, term.measure, at=at)),
            _bound(term, points, place, at, alpha, limit),
            limit.method,
            term.measure.short_name,
            term.sense,
            float(term.limit),
        )
        for term, limit in zip(rule.terms, limits, strict=True)
    )
    return Guarantee(tuple(found), *confidence)


def refusal(
    points: Points, rule: Rule, at: Conditions, confidence: Confidence, limits: Sequence[Limits]
) -> Infeasible:
    """What cannot be guaranteed with these cases, and how many more would do."""
    totals = int(points.total_positives), int(points.total_negatives)
    more = [
        _more(term, points, at, confidence.alpha(rule))
        for term, limit in zip(rule.terms, limits, strict=True)
        if not limit.met(points.tp, points.fp, *totals)[1:].any()
    ]
    advice = "; ".join(more) if more else "each of the requirements can, but not at one threshold"
    return Infeasible(
        Problem(
            "BR635",
            f"{rule} cannot be guaranteed with {percent(confidence.level)} confidence on these"
            f" cases ({number_of(totals[0], 'positive')} and {number_of(totals[1], 'negative')}):"
            f" {advice}",
            Fix.everywhere(
                "require less, or find a better model"
                if any(NOT_WITH_MORE in one for one in more)
                else "label more cases, require less, or lower the level"
            ),
        )
    )


def none_keeps(
    points: Points, guaranteed: Rule, rule: Rule, kept: Mask, at: Conditions
) -> Infeasible:
    """No guaranteed threshold satisfies the rule in this sample."""
    nearest = []
    for term in rule.terms:
        values = measure_along(term.measure, points, at)[kept]
        best = np.nanmax(values) if term.sense == ">=" else np.nanmin(values)
        nearest.append(
            f"the {'highest' if term.sense == '>=' else 'lowest'} {term.measure.name} among them is"
            f" {best:.4g}"
        )
    return Infeasible(
        Problem(
            "BR635",
            f"no threshold that guarantees {guaranteed} has {rule}: {'; '.join(nearest)}",
            Fix.everywhere("relax the rule or the requirement, or label more cases"),
        )
    )


# ---- from a requirement to limits ----


class _Line(NamedTuple):
    """A requirement as caught · tpr + alarm · fpr + constant >= 0."""

    caught: Fraction
    alarm: Fraction
    constant: Fraction

    @property
    def most_missed(self) -> Fraction:
        """How large fnr may be, where fpr does not matter; below 0 where none is small enough."""
        return (self.caught + self.constant) / self.caught


def _line(term: Term, points: Points, at: Conditions) -> _Line:
    parts = linear(term.measure, points, at)
    assert parts is not None  # what has none was refused
    sign = 1 if term.sense == ">=" else -1
    tp, fp, fn, tn = (
        sign * (above - term.limit * below) for above, below in zip(*parts, strict=True)
    )
    positives, negatives = int(points.total_positives), int(points.total_negatives)
    return _Line((tp - fn) * positives, (fp - tn) * negatives, fn * positives + tn * negatives)


def _limits(term: Term, points: Points, at: Conditions, alpha: float) -> Limits:
    positives, negatives = int(points.total_positives), int(points.total_negatives)
    if at.as_in_sample and term.measure.depends_on_prior:
        return _in_sample(term, positives + negatives, alpha)
    return _limits_of(_line(term, points, at), positives, negatives, alpha, term)


def _limits_of(
    line: _Line, positives: int, negatives: int, alpha: float, term: Term, samples: int = SAMPLES
) -> Limits:
    """At a base rate that is given, the classes are two samples of their own."""
    if line.caught <= 0 <= line.alarm:
        raise refuse(
            "BR636",
            f"{term.measure.name} cannot be guaranteed at these conditions",
            f"guarantee one of {SUPPORTED}",
        )
    if not line.alarm:
        return _constant("fn", _most(positives, line.most_missed, alpha))
    if not line.caught:
        return _constant("fp", _most(negatives, line.constant / -line.alarm, alpha))
    if line.caught < 0:
        return _box(line, positives, negatives, alpha)
    start, slope = rounded(-line.constant / line.caught), rounded(-line.alarm / line.caught)
    return Limits(
        "tp", "fp", *_scan(positives, negatives, start, slope, *_simulated(alpha, samples)), SCAN
    )


def _in_sample(term: Term, cases: int, alpha: float, samples: int = SAMPLES) -> Limits:
    """At the sample's own base rate, which is not known, flagged or passed cases are one sample."""
    name, limit = term.measure.name, term.limit
    if name in ("posfrac", "alerts", "missed", "false_alarms"):
        share = (
            limit
            if name == "posfrac"
            else limit / Fraction(dict(term.measure.parameters)["volume"])
        )
        return _constant(
            {"missed": "fn", "false_alarms": "fp"}.get(name, "flagged"),
            _most(cases, share, alpha),
        )
    if name in ("precision", "fdr", "npv", "false_omission_rate"):
        good, bad = ("tp", "fp") if name in ("precision", "fdr") else ("tn", "fn")
        share = limit if term.sense == ">=" else 1 - limit
        return Limits(good, bad, *_run(cases, rounded(share), *_simulated(alpha, samples)), SCAN)
    raise refuse(
        "BR636",
        f"a guarantee on {name} needs the base rate of the field: the sample's own is only an"
        " estimate of it",
        Fix("at=Conditions(prior=0.001)", "--prior 0.1%"),
    )


def _simulated(alpha: float, samples: int) -> tuple[float, int]:
    """What may be missed, and how many samples show that."""
    if alpha < SMALLEST_ALPHA:
        raise refuse(
            "BR636",
            "the limits of this guarantee are simulated, which cannot show an error rate of"
            f" {alpha:.2g} for each requirement and model",
            Fix("level=0.99", "--level 99%"),
        )
    return alpha, max(samples, math.ceil(50 / alpha))


def _constant(bad: str, allowed: int) -> Limits:
    return Limits("tp", bad, np.array([0]), np.array([allowed]))


def _most(cases: int, limit: Fraction, alpha: float) -> int:
    """The most errors among `cases` that demonstrate a rate of at most the limit: P(as many or
    fewer | limit) <= alpha; -1 where none do.
    """
    return int(_most_each(cases, np.array([rounded(limit)]), alpha)[0])


def _most_each(cases: int, limits: Floats, alpha: float) -> Integers:
    from scipy.special import betaincc

    low, high = (
        np.full(len(limits), -1, dtype=np.int64),
        np.full(len(limits), cases, dtype=np.int64),
    )
    low[limits >= 1] = cases
    high[limits < 0] = -1
    rates = np.clip(limits, 0, 1)
    while (high - low > 1).any():
        middle = (low + high) // 2
        shown = betaincc(middle + 1.0, cases - middle, rates) <= alpha * (1 + 2.0**-40)
        low, high = np.where(shown, middle, low), np.where(shown, high, middle)
    return low


def _box(line: _Line, positives: int, negatives: int, alpha: float) -> Limits:
    """Both rates at their upper bounds. How alpha is split depends on the numbers of cases alone:
    the split that allows most.
    """
    from scipy.special import betaincinv

    looks = np.unique(np.linspace(0, positives, 4 * LOOKS + 1).astype(np.int64))
    last = np.append(
        looks[1:] - 1, positives
    )  # a limit holds up to the next look, and is that of its last case
    caught, alarm, constant = (rounded(part) for part in line)
    best, split = np.full(len(looks), -2, dtype=np.int64), 0.0
    for share in (0.02, 0.05, 0.1, 0.25, 0.5):
        with np.errstate(invalid="ignore"):
            highest = np.where(
                last < positives,
                betaincinv(last + 1.0, np.maximum(positives - last, 1), 1 - share * alpha),
                1.0,
            )
        allowed = _most_each(negatives, (constant + caught * highest) / -alarm, (1 - share) * alpha)
        if allowed[len(allowed) // 2] > best[len(best) // 2]:
            best, split = allowed, share
    return Limits("tp", "fp", looks, best, BOX, split)


# ---- all thresholds at once ----


@lru_cache(maxsize=64)
def _scan(
    positives: int, negatives: int, start: float, slope: float, alpha: float, samples: int
) -> tuple[Integers, Integers]:
    """How many negatives may lie above the k-th positive, if none of the thresholds may be
    certified by chance.

    Least favourable is the ROC tpr = start + slope · fpr, on which every threshold just misses the
    requirement: whatever the ROC, at those thresholds that miss it no more positives are flagged
    than there.
    """
    # With fewer positives than start says the requirement cannot be met.
    first = max(LEAST, math.ceil(positives * LEAST_SHARE), math.ceil(positives * start))
    looks = _looks(first, positives)
    if not len(looks) or not negatives or start >= 1:
        return np.array([0]), np.array([-1])
    rng = np.random.default_rng((positives, negatives, 28))
    steps = np.diff(np.concatenate(([0], looks, [positives + 1])))

    def drawn(samples: int) -> Integers:
        gaps = np.cumsum(rng.standard_gamma(steps, size=(samples, len(steps))), axis=1)
        where = (gaps[:, :-1] / gaps[:, -1:] - start) / slope
        return _counted(rng, np.maximum(where, 0), negatives)

    weights = _weights(looks / (positives + 1), start)
    return looks, _calibrated(drawn(samples), drawn(2 * samples), weights, alpha)


def _weights(tpr: Floats, start: float) -> Floats:
    """How much of what may be missed each look has: where the requirement can be met at all, it is
    met most clearly half way along the line rather than at its ends.
    """
    way = np.clip((tpr - start) / (1 - start), 0, 1)
    return np.maximum(4 * way * (1 - way), LEAST_WEIGHT)


def _counted(rng: np.random.Generator, where: Floats, negatives: int) -> Integers:
    """How many of the negatives, spread evenly from 0 to 1, lie before each place; one too many for
    a place that no threshold reaches.
    """
    seen = np.zeros(where.shape, dtype=np.int64)
    before, last = np.zeros(len(where), dtype=np.int64), np.zeros(len(where))
    for look in range(where.shape[1]):
        here = np.minimum(where[:, look], 1)
        chance = np.clip((here - last) / np.maximum(1 - last, 2.0**-1000), 0, 1)
        before = before + rng.binomial(negatives - before, chance)
        seen[:, look] = np.where(where[:, look] > 1, negatives + 1, before)
        last = here
    return seen


@lru_cache(maxsize=64)
def _run(cases: int, share: float, alpha: float, samples: int) -> tuple[Integers, Integers]:
    """The same at the sample's own base rate: least favourable are cases that are good with this
    chance, wherever they lie.
    """
    looks = _looks(LEAST, cases)
    if not len(looks) or not 0 < share < 1:
        return np.array([0]), np.array([cases if share <= 0 else -1])
    rng = np.random.default_rng((cases, 28))
    steps = np.diff(np.concatenate(([0], looks)))

    def drawn(samples: int) -> Integers:
        bad = np.cumsum(rng.negative_binomial(steps, share, size=(samples, len(steps))), axis=1)
        return np.where(bad + looks > cases, cases + 1, bad)

    return looks, _calibrated(drawn(samples), drawn(2 * samples), np.ones(len(looks)), alpha)


def _looks(first: int, last: int) -> Integers:
    """At which numbers of cases to look: at each of a few; of many evenly, the more finely the more
    there are, and closer towards both ends.
    """
    if last - first < LOOKS:
        return np.arange(first, last + 1)
    even = np.linspace(first, last, round(min(max(2 * math.sqrt(last), LOOKS), MOST_LOOKS)))
    rising, falling = (
        np.geomspace(low, high, math.ceil(CLOSE * math.log(high / low)))
        for low, high in ((first, last), (1, last + 1 - first))
    )
    return np.unique(np.round(np.concatenate((even, rising, last + 1 - falling))).astype(np.int64))


def _calibrated(one: Integers, two: Integers, weights: Floats, alpha: float) -> Integers:
    """For each look the most that may go wrong: so rare at every look of the first samples, by its
    weight, that alpha of the second reach any.

    Of the second samples and one more like them, that one is among the `allowed` + 1 that go lowest
    with probability alpha at most; two standard errors less, so that it also holds for these very
    samples, which every question of this kind uses again.
    """
    ranked = np.sort(one, axis=0)
    ranks = np.stack(
        [
            np.searchsorted(ranked[:, look], two[:, look], side="right")
            for look in range(one.shape[1])
        ],
        axis=1,
    )
    lowest = np.sort((ranks / weights).min(axis=1))
    expected = alpha * (len(two) + 1)
    allowed = math.floor(expected - 2 * math.sqrt(expected * (1 - alpha))) - 1
    rank = np.ceil(lowest[allowed] * weights).astype(np.int64) - 1
    limits = np.where(
        rank >= 0,
        np.take_along_axis(ranked, np.maximum(rank, 0)[None], axis=0)[0] - 1,
        -1,
    )
    return np.maximum.accumulate(limits).astype(np.int64)


# ---- what is said of them ----


def _bound(
    term: Term, points: Points, place: int, at: Conditions, alpha: float, limit: Limits
) -> float | None:
    """The measure with its rates at their exact bounds; none where all thresholds are tested at
    once.
    """
    if limit.method == SCAN:
        return None
    tp, fp, fn, tn = (int(value) for value in points.counted(place))
    positives, negatives = tp + fn, fp + tn
    if at.as_in_sample and term.measure.depends_on_prior:
        errors = {"fn": fn, "fp": fp, "flagged": tp + fp}[limit.bad]
        return _highest(errors, positives + negatives, alpha) * dict(term.measure.parameters).get(
            "volume", 1.0
        )
    if limit.bad == "fn":
        missing = positives * _highest(fn, positives, alpha)
        return float(
            measure(
                Confusion(tp=positives - missing, fp=fp, fn=missing, tn=tn), term.measure, at=at
            )
        )
    caught = positives * _highest(tp, positives, limit.split * alpha) if limit.method == BOX else tp
    alarms = negatives * _highest(fp, negatives, (1 - limit.split) * alpha)
    return float(
        measure(
            Confusion(tp=caught, fp=alarms, fn=positives - caught, tn=negatives - alarms),
            term.measure,
            at=at,
        )
    )


def _highest(errors: int, cases: int, alpha: float) -> float:
    """The upper bound of Clopper and Pearson."""
    from scipy.special import betaincinv

    return 1.0 if errors >= cases else float(betaincinv(errors + 1.0, cases - errors, 1 - alpha))


def _more(term: Term, points: Points, at: Conditions, alpha: float) -> str:
    """How many more cases would do, if the rates are as observed."""
    positives, negatives = int(points.total_positives), int(points.total_negatives)
    line = None if (at.as_in_sample and term.measure.depends_on_prior) else _line(term, points, at)
    if line is not None and not line.alarm:
        share = rounded(line.most_missed)
        if not share > 0:
            return f"{term} holds at no threshold below flagging everything"
        needed = math.ceil(math.log(alpha) / math.log1p(-share) * (1 - 2.0**-50)) - positives
        return f"{number_of(needed, 'more positive', 'more positives')} would do"
    times = _times(term, points, line, alpha)
    if times is None:
        return f"{grouped(MOST_TIMES)} times as many {NOT_WITH_MORE}, if the rates are as observed"
    more = (times - 1) * positives, (times - 1) * negatives
    chance = f"would do with {round(100 * POWER)} % chance, if the rates are as observed"
    if line is not None and not line.caught:
        return f"{number_of(_rounded(more[1]), 'more negative')} {chance}"
    return (
        f"about {number_of(_rounded(more[0]), 'more positive')}, with"
        f" {number_of(_rounded(more[1]), 'more negative')}, {chance}"
    )


def _rounded(cases: float) -> int:
    """A number of cases in two digits, upwards."""
    unit = int(10 ** max(0, len(str(math.ceil(cases))) - 2))
    return math.ceil(cases / unit) * unit


def _times(term: Term, points: Points, line: _Line | None, alpha: float) -> float | None:
    """How many times as many cases of both classes would be certified at one of the thresholds of
    now with the required power.
    """
    if _power(term, points, line, alpha, MOST_TIMES) < POWER:
        return None
    low, high = 0.0, math.log(MOST_TIMES)
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (
            (low, middle)
            if _power(term, points, line, alpha, math.exp(middle)) >= POWER
            else (middle, high)
        )
    return math.exp(high)


def _power(term: Term, points: Points, line: _Line | None, alpha: float, times: float) -> float:
    """The chance that a multiple of the cases certifies the best of the thresholds of now, with
    half an error added to each rate.
    """
    draws, samples, rng = 1000, 1999, np.random.default_rng(28)
    positives, negatives = (
        math.ceil(times * points.total_positives),
        math.ceil(times * points.total_negatives),
    )
    limits = (
        _in_sample(term, positives + negatives, alpha, samples)
        if line is None
        else _limits_of(line, positives, negatives, alpha, term, samples)
    )
    some = np.unique(np.linspace(1, len(points) - 1, 4 * LOOKS).astype(np.int64))
    some = some[points.tp[some] >= max(LEAST, float(LEAST_SHARE) * points.total_positives)]
    if not len(some):
        return 0.0
    tpr, fpr = (
        (part[some] + 0.5) / (whole + 1)
        for part, whole in (
            (points.tp, points.total_positives),
            (points.fp, points.total_negatives),
        )
    )
    tp, fp = (
        rng.binomial(positives, tpr, (draws, len(some))),
        rng.binomial(negatives, fpr, (draws, len(some))),
    )
    return float(limits.met(tp, fp, positives, negatives).mean(axis=0).max())
