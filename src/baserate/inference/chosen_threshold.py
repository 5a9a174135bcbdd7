"""Intervals at a threshold chosen on the same cases: its optimism, estimated by resampling, and
corrected intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.rules import Rule, Term, parse_rule
from baserate.errors import InputError, Note, combine, grouped, number_of, refuse
from baserate.inference.choose_again import Readings, read_choices
from baserate.inference.clusters import cluster_intervals, cluster_plan
from baserate.inference.estimated_prior import counted_interval
from baserate.inference.fixed_point import Question, measure_interval
from baserate.inference.rates import CLOPPER_PEARSON, Scale, normal, refuse_weights, special
from baserate.inference.resample import MOST_CASES, Progress, check_enough, float_costs, planned
from baserate.measures.confusion import (
    Confusion,
    Measure,
    confusion_at,
    exact_value,
    named,
    parse,
    rates_read,
)
from baserate.numbers import Floats, Undefined
from baserate.results.operating_point import COUNTED, TIE, OperatingPoint
from baserate.results.values import BOTH, CORRECTED, Difference, Interval

# ----------------------------------------------------------------------
# Intervals at a threshold that was chosen on these same cases: of what this very threshold does in
# the field.


# As many resamples give the mean optimism to within a twentieth of the standard error of the
# measure.
CHOSEN_REPLICATES = 400
# With this many positives and more, simulated intervals held as they should in every setting
# (benchmarks/chosen.md); with fewer it is noted.
FEW = 50
# The choice widens an interval by at most this factor: beyond it, the simulated coverage exceeded
# 97 % at more than 1.25 times the width.
MOST_WIDENING = 1.2
# With fewer resamples than this share that choose a threshold at all, their optimism is not that of
# the threshold chosen here.
LEAST_KNOWN = 0.5
# The smallest p-value that intervals by draws can show, and in how many steps others are found: to
# within a hundredth of them.
LEAST_P, STEPS = 1e-4, 11
POSITIVE_RATES, NEGATIVE_RATES, FLAGGED = ("tpr", "fnr"), ("fpr", "tnr"), ("posfrac", "alerts")


@dataclass(frozen=True)
class Resampling:
    """How an interval or a comparison is made: resamples, seed, level, side and method; of a chosen
    threshold that of the interval that is moved.
    """

    replicates: int = CHOSEN_REPLICATES
    seed: int = 0
    level: float = 0.95
    progress: Progress | None = None
    side: str = BOTH
    method: str | None = None
    resample: str | None = None
    # Conditions that are not known exactly; the threshold was chosen at those of the point.
    at: Conditions | None = None


PointMeasures = tuple[OperatingPoint, Sequence[str | Measure]]


def chosen_intervals(
    asked: Sequence[PointMeasures], counts: Counts | GroupedCounts, how: Resampling
) -> list[dict[str, Interval]]:
    """The intervals of several points that were chosen on these counts, by name: for each point
    those of the measures beside it.

    All points are read on the same resamples, so that many cost little more than one. No note is
    made of what is undefined; too few cases to resample, and weighted ones, are refused.
    """
    if isinstance(counts, Counts):
        refuse_weights(counts)
    notes = check_enough(counts)
    if max(counts.total_positives, counts.total_negatives) > MOST_CASES:
        raise refuse(
            "BR623",
            f"resamples are drawn from at most {grouped(MOST_CASES)} cases of a class",
            "replicates=0, or interval of the point: with this many cases the choice adds nothing",
        )
    held = [_held(point, counts) for point, _ in asked]
    resampled = [
        place
        for place, (point, names) in enumerate(asked)
        if _moves(point)
        and any(named(name, point.volume).name not in held[place] for name in names)
    ]
    read = dict[int, Readings]()
    for in_sample in (True, False):
        places = [place for place in resampled if asked[place][0].at.as_in_sample == in_sample]
        if places:
            plan = planned(counts, in_sample, how.resample, how.replicates, how.seed, how.progress)
            read |= dict(
                zip(
                    places,
                    read_choices(counts, [asked[place][0] for place in places], plan),
                    strict=True,
                )
            )
    return [
        _of_point(point, names, counts, (how, notes, held[place], read.get(place)))
        for place, (point, names) in enumerate(asked)
    ]


def chosen_interval(
    point: OperatingPoint, measure: Measure, counts: Counts | GroupedCounts, how: Resampling
) -> Interval:
    """The interval of one measure at a point that was chosen on these counts; refused where there
    is none.
    """
    (found,) = chosen_intervals([(point, [measure])], counts, how)
    if str(measure) not in found:
        _fixed(point, measure, counts, how, exact=False)  # says why
        raise refuse("BR589", f"{measure} has no interval here", "see its value for the reason")
    return found[str(measure)]


def lead_over(
    base: OperatingPoint,
    point: OperatingPoint,
    counts: Counts,
    names: tuple[str, str],
    how: Resampling,
) -> Difference | None:
    """Is a point chosen on these counts better in the field than flagging nothing, or everything,
    by what was made best?

    Of the two only the chosen point is an estimate, at a base rate that is given (the sample's is
    taken as such): the interval is that of the chosen threshold, less what is exact. p is 1 - level
    of the narrowest such interval that still contains no difference, and at least `LEAST_P`. None
    where either of them is undefined.
    """
    measure = parse(point.optimized, point.volume)
    at = (
        point.at
        if point.at.prior is None
        else Conditions(point.at.exact_prior, point.at.costs if point.at.costs_given else None)
    )
    point, base = replace(point, at=at), replace(base, at=at)
    exact = base[measure]
    if isinstance(exact, Undefined) or isinstance(point[measure], Undefined):
        return None
    notes, held = check_enough(counts), _held(point, counts)
    plan = planned(counts, at.as_in_sample, how.resample, how.replicates, how.seed, how.progress)
    read = (
        read_choices(counts, [point], plan)[0]
        if _moves(point) and measure.name not in held
        else None
    )

    def at_level(level: float) -> Interval | None:
        return _of_point(
            point, [measure], counts, (replace(how, level=level), notes, held, read)
        ).get(str(measure))

    def beyond(level: float) -> float:
        """By how much the interval excludes the baseline."""
        found = at_level(level)
        return (
            -1.0
            if found is None
            else found.low - exact
            if measure.direction == "higher"
            else exact - found.high
        )

    shown = at_level(how.level)
    if shown is None:
        return None
    value = float(point[measure])
    return Difference(
        value - exact,
        shown.low - exact,
        shown.high - exact,
        _least_missed(beyond, how.level),
        shown.method,
        names,
        (float(exact), value),
        how.level,
        measure.name if measure.counts_cases else str(measure),
        measure.direction,
        at,
        replicates=shown.replicates,
        seed=shown.seed,
        notes=shown.notes,
    )


def _least_missed(beyond: Callable[[float], float], level: float) -> float:
    """The smallest 1 - level at which an interval excludes something; 1 where not even the
    narrowest does.

    It is looked for among the normal quantiles of the levels, first at the one given: p and the
    interval that is shown then agree.
    """

    def excludes(end: float) -> bool:
        return beyond(2 * float(special().ndtr(end)) - 1) > 0

    low, high, middle = normal(0.5 + LEAST_P), normal(1 - LEAST_P / 2), normal((1 + level) / 2)
    if excludes(high):
        return LEAST_P
    if not excludes(low):
        return 1.0
    for _ in range(STEPS):
        low, high = (middle, high) if excludes(middle) else (low, middle)
        middle = (low + high) / 2
    return 2 * float(special().ndtr(-low))


def _moves(point: OperatingPoint) -> bool:
    """Was it chosen among thresholds? Flagging nothing or everything does what it does."""
    everything = point.share == 1 and not point.fn and not point.tn
    return (
        bool(point.optimized)
        and point.threshold is not None
        and not everything
        and not point.in_advance
    )


ReadResamples = tuple[Resampling, tuple[Note, ...], set[str], Readings | None]


def _of_point(
    point: OperatingPoint,
    names: Sequence[str | Measure],
    counts: Counts | GroupedCounts,
    known: ReadResamples,
) -> dict[str, Interval]:
    how, notes, held, read = known
    found = dict[str, Interval]()
    for name in names:
        asked = named(name, point.volume)
        if (
            point.counted is not None and asked.name in COUNTED and point.regardless is None
        ):  # among all cases that were scored
            found[str(name)] = counted_interval(asked, point.counted, how.level, how.side)
            continue
        fixed = None
        with suppress(InputError):
            fixed = _fixed(point, asked, counts, how, exact=asked.name in held)
        if read is not None and fixed is not None and asked.name not in held:
            fixed = _corrected(fixed, asked, point, read, how)
            fixed = replace(fixed, notes=combine(fixed.notes, (*notes, *_few(counts))))
        if fixed is not None:
            found[str(name)] = fixed
    return found


def _few(counts: Counts | GroupedCounts) -> Iterable[Note]:
    if counts.total_positives < FEW:
        few = number_of(int(counts.total_positives), "positive")
        yield Note(
            "BR625",
            f"only {few}: intervals of a chosen threshold are approximate with fewer than {FEW}",
        )


# ---- what the rule holds in place -------------------------------------------------------------


def _held(point: OperatingPoint, counts: Counts | GroupedCounts) -> set[str]:
    """The measures whose value the rule decides: the next threshold would break it. Rows of a
    cluster have no order statistics.
    """
    if not point.rule or not _moves(point) or isinstance(counts, GroupedCounts):
        return set()
    rule = parse_rule(point.rule, point.volume)
    return {name for term in rule.terms for name in _held_by(term, rule, point, Points.of(counts))}


def _held_by(term: Term, rule: Rule, point: OperatingPoint, points: Points) -> tuple[str, ...]:
    families = {
        name: family for family in (POSITIVE_RATES, NEGATIVE_RATES, FLAGGED) for name in family
    }
    family = families.get(term.measure.name, ())
    if not family:
        return ()
    if point.how == TIE:
        return family if term is rule.budget else ()
    place = points.place(point.threshold)
    flagged = {POSITIVE_RATES: points.tp, NEGATIVE_RATES: points.fp}.get(
        family, points.tp + points.fp
    )
    # The nearest points that differ in it: where one of them breaks the rule, the rule decides.
    fewer = int(np.searchsorted(flagged, flagged[place], side="left")) - 1
    more = int(np.searchsorted(flagged, flagged[place], side="right"))
    values = [
        exact_value(term.measure, confusion_at(points, near), point.at)
        for near in (fewer, more)
        if 0 <= near < len(points)
    ]
    return family if not all(term.holds(value) for value in values) else ()


# ---- the interval of a threshold fixed in advance ---------------------------------------------


def _fixed(
    point: OperatingPoint, asked: Measure, counts: Any, how: Resampling, *, exact: bool
) -> Interval | None:
    if isinstance(counts, GroupedCounts):
        if how.at is not None:
            raise refuse(
                "BR581",
                "clusters, a rule and uncertain conditions cannot be combined yet",
                "give a threshold, or Conditions",
            )
        return cluster_intervals(
            point, counts, [str(asked)], cluster_plan(how.replicates, how.seed), how.level, how.side
        ).get(str(asked))
    question = Question(
        asked,
        point.confusion,
        point.at if how.at is None else how.at,
        how.level,
        how.side,
        CLOPPER_PEARSON
        if how.method is None and _is_rate(asked, point, exact=exact)
        else how.method,
        how.seed,
        point.regardless,
    )
    if point.share == 1 or point.regardless is not None:
        return measure_interval(question)
    # A share of a tie is flagged at random: its outcomes vary no more than those of whole cases do,
    # on either side of the expected ones.
    parts = [
        measure_interval(replace(question, confusion=whole)) for whole in _whole(point.confusion)
    ]
    low, high = min(part.low for part in parts), max(part.high for part in parts)
    sides = {part.side for part in parts}
    return replace(
        parts[0],
        value=float(point[asked]),
        low=low,
        high=high,
        side=sides.pop() if len(sides) == 1 else BOTH,
    )


def _is_rate(asked: Measure, point: OperatingPoint, *, exact: bool) -> bool:
    """Is it some, and not all, of the cases of a class, or of all cases where the rule holds them
    in place?
    """
    one_class = asked.name in POSITIVE_RATES + NEGATIVE_RATES
    return (one_class or (exact and point.at.as_in_sample)) and 0 < float(
        point["posfrac" if not one_class else asked.name]
    ) < 1


def _whole(confusion: Confusion) -> list[Confusion]:
    """Confusions of whole cases next to an expected one."""
    tp, fp = Fraction(confusion.tp), Fraction(confusion.fp)
    positives, negatives = tp + Fraction(confusion.fn), fp + Fraction(confusion.tn)
    return [
        replace(confusion, tp=hits, fp=alarms, fn=int(positives) - hits, tn=int(negatives) - alarms)
        for hits, alarms in product(*({math.floor(cases), math.ceil(cases)} for cases in (tp, fp)))
    ]


# ---- moved by the optimism --------------------------------------------------------------------


def _corrected(
    fixed: Interval, asked: Measure, point: OperatingPoint, read: Readings, how: Resampling
) -> Interval:
    """The interval moved by the mean optimism, and widened by the ratio of its spread to that of a
    threshold that stays where it is.
    """
    scale = Scale(*ends_of(asked, point))
    own, sample, stays = (
        scale.of(_values(asked, point, cases, read.sizes))
        for cases in (read.here, read.there, read.fixed)
    )
    with np.errstate(invalid="ignore"):
        optimism = own - sample
    known = np.isfinite(optimism)
    if known.mean() < LEAST_KNOWN:
        text = (
            f"only {grouped(int(known.sum()))} of {grouped(len(known))} resamples choose such a"
            " threshold: it is treated as fixed in advance"
        )
        return replace(fixed, notes=combine(fixed.notes, (Note("BR622", text),)))
    shift, widening = (
        float(optimism[known].mean()),
        _widening(optimism[known], stays[np.isfinite(stays)]),
    )
    totals = np.array([[float(point.tp + point.fn), float(point.fp + point.tn)]])
    here = np.array([[float(point.tp), float(point.fp)]])
    seen = float(scale.of(_values(asked, point, here, totals))[0])
    low, high = float(scale.of(fixed.low)), float(scale.of(fixed.high))
    center = min(max(seen, low), high)
    bounds = [scale.back(center - shift + (bound - center) * widening) for bound in (low, high)]
    # A bound at the end of the range, or of a side that says nothing, stays there.
    low, high = (
        new if math.isfinite(old) else end
        for new, old, end in zip(bounds, (low, high), (fixed.low, fixed.high), strict=True)
    )
    if not point.fp:  # resamples show none either: how optimistic that is they cannot tell
        low, high = min(low, fixed.value), max(high, fixed.value)
    without = scale.back(float(scale.of(fixed.value)) - shift)
    notes = _notes(fixed, (low, high), without, how, int(known.sum()))
    return replace(
        fixed,
        low=low,
        high=high,
        method=f"{CORRECTED} {fixed.method}",
        replicates=how.replicates,
        seed=how.seed,
        notes=combine(fixed.notes, notes),
    )


def _widening(optimism: Floats, stays: Floats) -> float:
    """How much wider the choice makes the error than that of a threshold fixed in advance."""
    spread = float(stays.std()) if len(stays) else 0.0
    return min(max(1.0, float(optimism.std()) / spread), MOST_WIDENING) if spread else 1.0


def _notes(
    fixed: Interval, bounds: tuple[float, float], without: float, how: Resampling, known: int
) -> Iterable[Note]:
    missing = how.replicates - known
    others = (
        f"; {number_of(missing, 'other chooses', 'others choose')} no threshold" if missing else ""
    )
    yield Note(
        "BR622",
        "the threshold was chosen on these same cases; without the optimism of that choice"
        f" ({known} resamples{others}) about {without:.4g}",
    )
    if not bounds[0] <= fixed.value <= bounds[1]:
        yield Note(
            "BR622",
            f"the {fixed.name} seen here lies outside its interval: it is better than the chosen"
            " threshold is likely to do in the field",
            values={"outside": fixed.name},
        )


def _values(asked: Measure, point: OperatingPoint, cases: Floats, sizes: Floats) -> Floats:
    """The measure of (tp, fp) of given numbers of positives and negatives, half a case added to
    each outcome: no rate is then 0 or 1.
    """
    rates = (cases + 0.5) / (sizes + 1)
    return _at_rates(asked, point, rates[:, 0], rates[:, 1])


def _at_rates(asked: Measure, point: OperatingPoint, t: Floats, f: Floats) -> Floats:
    totals = float(point.tp + point.fn), float(point.fp + point.tn)
    prior = 0.5 if point.at.prior is None else point.at.prior
    return rates_read(asked, (t, f), prior, float_costs(point.at.costs), totals)


def ends_of(asked: Measure, point: OperatingPoint) -> tuple[float, float]:
    """The least and the most that the measure can be at these conditions: those of perfect and of
    wholly wrong answers, say.
    """
    corners = _at_rates(
        asked, point, np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    )
    known = corners[np.isfinite(corners)]
    reach = (
        (float(known.min()), float(known.max()))
        if len(known) == len(corners)
        else (-math.inf, math.inf)
    )
    low, high = (
        end if math.isfinite(end) else other for end, other in zip(asked.range, reach, strict=True)
    )
    return float(low), float(high)
