"""Intervals of any measure at a fixed threshold: sampling error of both classes, uncertain base
rates and uncertain costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from baserate.conditions import Conditions, Drawn, Nodes, any_conditions, refuse_estimate
from baserate.counts.points import ONLY_RATES
from baserate.distributions import Pilot
from baserate.errors import Fix, InputError, Note, number_of, quoted, refuse
from baserate.inference import rates
from baserate.inference.estimated_prior import JOINT_DRAWS, counted_interval, estimate_interval
from baserate.inference.rates import normal
from baserate.measures.confusion import Confusion, Measure, measure, named, rates_read, why_no_prior
from baserate.measures.registry import UNITS, at_one_point
from baserate.numbers import Floats, Undefined, rounded
from baserate.results.operating_point import COUNTED, OperatingPoint
from baserate.results.values import BOTH, EXACT, LOWER, UPPER, Interval, missed_in_tails

# ----------------------------------------------------------------------
# What is believed of the conditions, as places and weights: an average over it is a weighted sum.


# Panels of the quadrature (16 places each), by how many parts are distributions.
PANELS = {0: 1, 1: 32, 2: 2, 3: 1, 4: 1, 5: 1}
MOST = 4096


def believed(at: Conditions, panels: dict[int, int] = PANELS, *, pilots: bool = False) -> Nodes:
    """Return the nodes of conditions without a range, NaN for the sample's own prior; one where
    everything is known.

    What a pilot sample says is drawn anew with every resample, and its share stands for it here,
    unless `pilots` are averaged over too.
    """
    if isinstance(at.prior, Pilot) and not pilots:
        at = at.given(prior=at.prior.middle)
    nodes = at.nodes(panels)
    if len(nodes.weights) <= MOST:
        return nodes._replace(weights=nodes.weights / nodes.weights.sum())
    # Every so many of them, heavy or light.
    generator = np.random.default_rng(len(nodes.weights))
    kept = generator.choice(len(nodes.weights), MOST, replace=False, p=nodes.weights)
    thinned = Nodes(*(column[kept] for column in nodes))
    return thinned._replace(weights=np.full(MOST, 1 / MOST))


# ----------------------------------------------------------------------
# Intervals for any measure at a fixed point: sampling error of both classes, times an uncertain
# base rate, times uncertain costs.


JEFFREYS_DRAWS, SAFE_DRAWS, MERCALDO, PREDICTIVE = (
    "jeffreys-draws",
    "clopper-pearson-draws",
    "mercaldo",
    "predictive",
)
DRAWS = 40_000
# A small step in a rate, to see which way the measure goes.
STEP = 1e-6
# How finely a range of base rates is walked where that costs little.
FINE = 33


@dataclass(frozen=True)
class Question:
    """Statistics of one confusion."""

    asked: Measure
    confusion: Confusion
    at: Conditions
    level: float = 0.95
    side: str = BOTH
    method: str | None = None
    seed: int = 0
    # The share of the cases that is flagged whatever their scores, which is then the rate of either
    # class; None where scores decide.
    regardless: float | None = None


def measure_interval(question: Question) -> Interval:
    """The interval of a measure at a point that was fixed in advance."""
    if question.regardless is None:
        refuse_masses(question.confusion)
    if question.asked.depends_on_prior:
        refuse_estimate(question.at, f"this interval of {question.asked}")
    conditions = question.at.middle()
    value = measure(question.confusion, question.asked, at=conditions)
    if isinstance(value, Undefined):
        return _of_undefined(question, value)
    if _is_exact(question):
        return Interval(
            float(value),
            float(value),
            float(value),
            question.level,
            EXACT,
            question.side,
            str(question.asked),
            question.at,
        )
    if question.regardless is not None and any(
        isinstance(cases, float) for cases in question.confusion
    ):
        raise refuse(
            "BR583",
            "these cases are weighted: weights do not say how well their base rate is known",
            "give a prior",
        )
    return _estimated(question, value)


def _estimated(question: Question, value: float) -> Interval:
    """The interval of a number that is an estimate: of a share of the cases, or of both rates
    together.
    """
    share = None if question.regardless not in (None, 0, 1) else _share(question)
    if question.method == PREDICTIVE:
        _check_predictable(question)
    elif share is not None:
        return _of_share(question, share, value)
    check_classes(question.confusion)
    if question.method == MERCALDO:
        return _mercaldo(question, value)
    if question.method not in (None, JEFFREYS_DRAWS, SAFE_DRAWS, PREDICTIVE):
        raise refuse(
            "BR581",
            f"there is no method {quoted(question.method)} for {question.asked} at this base rate",
            f"one of {JEFFREYS_DRAWS}, {SAFE_DRAWS}; of Counts also percentile, bca"
            + (f", {MERCALDO}" if question.asked.name in MERCALDO_OF else ""),
        )
    return _by_draws(question, value)


def _of_undefined(question: Question, value: Undefined) -> Interval:
    """A bound on one side of a ratio that grows without bound; nothing of what else is
    undefined.
    """
    if _is_unbounded(question, value):
        return _at_least(question, value)
    raise refuse(
        "BR589",
        f"{question.asked} is undefined here ({value.reason}), and so is its interval",
        "give cases of both classes"
        if value.reason.startswith("no ")
        else "choose another threshold",
    )


def _is_exact(question: Question) -> bool:
    """Is the number no estimate? Both rates are known where scores do not decide; base rate and
    costs must be known too, or not matter.
    """
    at = question.at
    if question.regardless is None or question.method == PREDICTIVE or question.asked.needs_counts:
        return False
    if question.method not in (None, EXACT, *rates.METHODS, JEFFREYS_DRAWS, SAFE_DRAWS, MERCALDO):
        raise refuse(
            "BR581",
            f"there is no method {quoted(question.method)} for {question.asked}",
            f"leave it open for {EXACT}",
        )
    if at.is_exact and not at.as_in_sample:
        return True
    rng, flagged = (
        np.random.default_rng((question.seed, 0xC0DE)),
        np.full(FINE, question.regardless),
    )
    drawn = [one.draw(rng, FINE) for one in at.pinned(FINE)]
    # The sample's own base rate is an estimate: it may be any.
    anywhere = [
        one._replace(prior=np.linspace(0.01, 0.99, FINE)) if one.prior is None else one
        for one in drawn
    ]
    values = np.concatenate([along_draws(question, flagged, flagged, one) for one in anywhere])
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


def _is_unbounded(question: Question, value: Undefined) -> bool:
    """Is it a ratio that grows without bound as errors vanish, and none was seen? Then a lower
    bound is known.
    """
    tp, _, _, tn = question.confusion
    return (
        value.reason.endswith("the ratio has no bound")
        and question.side != UPPER
        and (question.method in (None, SAFE_DRAWS))
        and bool(tp and tn)
    )


def _at_least(question: Question, value: Undefined) -> Interval:
    """The lower bound of such a ratio: both rates drawn from the safe side."""
    check_classes(question.confusion)
    at_least = replace(question, side=LOWER)
    settings = question.at.pinned(FINE)
    low = min(_bounds(at_least, setting, SAFE_DRAWS)[0] for setting in settings)
    notes = (*_said(value), Note("BR584", f"{value.reason}. Only a lower limit is known"))
    name, end = str(question.asked), question.asked.range[1]
    return Interval(
        float(value),
        low,
        end,
        question.level,
        SAFE_DRAWS,
        LOWER,
        name,
        question.at,
        DRAWS,
        question.seed,
        notes,
    )


def _check_predictable(question: Question) -> None:
    """A number of cases to come can be predicted: what is known of the rates, and the luck of the
    day on top.
    """
    if not question.asked.counts_cases or "cost" in question.asked.name:
        raise refuse(
            "BR581",
            f"{question.asked} is not a number of cases among a volume, so it has no prediction"
            " interval",
            f"{PREDICTIVE} is for alerts, caught, missed and false_alarms: interval(counts,"
            ' "alerts", …, volume=1_000_000)',
        )
    if not float(dict(question.asked.parameters)["volume"]).is_integer():
        raise refuse("BR532", "a prediction needs a whole number of cases", "volume=1_000_000")


def refuse_masses(confusion: Confusion) -> None:
    """Intervals are made of cases: not of rates alone, nor of weights, nor of what is expected of a
    tie.
    """
    if confusion.why_no_prior == ONLY_RATES:
        raise refuse(
            "BR583",
            "only rates are known, but an interval needs the number of cases",
            "give Counts or a Confusion",
        )
    if any(isinstance(cases, float) and not cases.is_integer() for cases in confusion):
        raise refuse(
            "BR583",
            "these cases are weighted: weights do not say how many were seen",
            Fix("count without weights", "leave --weight out"),
        )
    if any(isinstance(cases, Fraction) for cases in confusion):
        raise refuse(
            "BR583",
            "a share of a tie is flagged: its outcomes are expected values, not cases that were"
            " seen",
            'give the rule: interval(counts, "precision", rule="alerts <= 200", …)',
        )


def check_classes(confusion: Confusion) -> None:
    """Rates of both classes need cases of both."""
    if not confusion.tp + confusion.fn or not confusion.fp + confusion.tn:
        raise refuse(
            "BR552",
            "a class has no cases: nothing is known of its rates",
            "give cases of both classes",
        )


def _in_sample(question: Question) -> bool:
    return question.at.as_in_sample


def _share(question: Question) -> tuple[Fraction, Fraction, Fraction] | None:
    """Seen, cases and unit, where the measure is a number of cases among others: within a class, or
    at the sample's own prior.
    """
    asked, confusion = question.asked, question.confusion
    free = not asked.depends_on_prior
    if asked.parts is None or not (
        free or (_in_sample(question) and not why_no_prior(asked, confusion))
    ):
        return None
    parts = [
        asked.parts(at_one_point(unit, Fraction(1), Conditions()), **dict(asked.parameters))
        for unit in UNITS
    ]
    unit = max(above for above, _ in parts)
    if unit <= 0 or "cost" in asked.name:
        return None
    # Each case counts once or not at all, and is among those that it is a share of.
    if any(above not in (0, unit) or below not in (0, bool(above), 1) for above, below in parts):
        return None
    seen = whole = Fraction(0)
    for cases, (above, below) in zip(confusion, parts, strict=True):
        seen += Fraction(cases) if above else 0
        whole += Fraction(cases) if below else 0
    return (seen, whole, Fraction(unit)) if whole else None


def _of_share(
    question: Question, share: tuple[Fraction, Fraction, Fraction], value: float
) -> Interval:
    seen, whole, unit = share
    found = rates.rate_interval(
        int(seen), int(whole), level=question.level, method=question.method, side=question.side
    )
    low, high = (rounded(Fraction(bound) * unit) for bound in (found.low, found.high))
    return replace(
        found,
        value=float(value),
        low=low,
        high=high,
        name=str(question.asked),
        at=question.at,
        notes=(*found.notes, *_said(value)),
    )


def _said(value: float) -> tuple[Note, ...]:
    return tuple(getattr(value, "notes", ()))


def _by_draws(question: Question, value: float) -> Interval:
    """Draws of both rates, of the prior and of the costs, each from what is known of it, through
    the measure.
    """
    low_end, high_end = question.asked.range
    side = question.side
    if (
        side == BOTH
        and float(value) in (low_end, high_end)
        and question.method != PREDICTIVE
        and question.regardless is None
    ):
        side = UPPER if float(value) == low_end else LOWER  # nothing is known of the other side
    # One bound is a statement that must hold, and of an outcome that was not seen nothing is known
    # beyond its end: each class is then drawn from the safe side, as Clopper and Pearson do.
    safe = side != BOTH or (question.regardless is None and not all(question.confusion))
    method = question.method or (SAFE_DRAWS if safe else JEFFREYS_DRAWS)
    question = replace(question, side=side)
    settings = question.at.pinned(FINE)
    found = [_bounds(question, setting, method) for setting in settings]
    low, high = min(bounds[0] for bounds in found), max(bounds[1] for bounds in found)
    if is_believed(question.at):
        value = float(np.mean([average for _, _, average in found]))
    outside = Note(
        "BR588",
        "the average over the assumed distribution lies outside the interval: it is dominated by a"
        " few extreme values",
    )
    beyond = () if low <= float(value) <= high else (outside,)
    return Interval(
        float(value),
        low,
        high,
        question.level,
        method,
        side,
        str(question.asked),
        question.at,
        DRAWS,
        question.seed,
        (*_said(value), *_notes(question), *beyond),
    )


def is_believed(at: Conditions) -> bool:
    """Is it a distribution, and no range beside it: something that a value can be averaged over?"""
    return not at.has_range and any(not isinstance(one, Pilot) for one in at.believed.values())


def _notes(question: Question) -> Iterator[Note]:
    at = question.at
    if at.has_range:
        yield over_range(at)
    if (
        not question.confusion.fp
        and question.asked.depends_on_prior
        and question.regardless is None
    ):
        yield Note(
            "BR584",
            f"none of {number_of(int(question.confusion.tn), 'negative')} was flagged: what depends"
            " on false alarms is known on one side only",
        )


def over_range(at: Conditions) -> Note:
    """What was done with a range."""
    return Note(
        "BR588",
        f"the widest bounds over {at}; the value is the one at {at.middle()}",
    )


def _bounds(question: Question, at: Conditions, method: str) -> tuple[float, float, float]:
    """The bounds, and the average over conditions that are not known exactly."""
    rng = np.random.default_rng((question.seed, 0xC0DE))
    drawn = _conditions(question, at, rng)
    if method != SAFE_DRAWS:
        tp, fp, fn, tn = (float(cases) for cases in question.confusion)
        t, f = _both_rates(question, (tp + 0.5, fn + 0.5), (fp + 0.5, tn + 0.5))
        values = along_draws(question, t, f, drawn)
        if method == PREDICTIVE:
            volume = dict(question.asked.parameters)["volume"]
            values = rng.binomial(int(volume), np.clip(values / volume, 0, 1)).astype(np.float64)
        bounds = _quantiles(values, question)
    else:
        bounds = _safe(question, at, drawn)
    if question.at.is_exact:
        return (*bounds, math.nan)
    tp, fp, fn, tn = (float(cases) for cases in question.confusion)
    seen = np.full(DRAWS, tp / (tp + fn)), np.full(DRAWS, fp / (fp + tn))
    return (*bounds, float(np.mean(along_draws(question, *seen, drawn))))


def _both_rates(
    question: Question, of_positives: tuple[float, float], of_negatives: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Rates of both classes for each draw: where scores do not decide, the share that is
    flagged.
    """
    if question.regardless is not None:
        return (np.full(DRAWS, question.regardless),) * 2
    return _rates_drawn(of_positives, of_negatives, question.seed)


@lru_cache(maxsize=8)
def _rates_drawn(
    of_positives: tuple[float, float], of_negatives: tuple[float, float], seed: int
) -> tuple[Floats, Floats]:
    """Rates of both classes, each from a Beta distribution; kept, as one point is read for many
    measures.
    """
    rng = np.random.default_rng((seed, 0xBE7A))
    t, f = (_beta(rng, *shape) for shape in (of_positives, of_negatives))
    for rates_drawn in (t, f):
        rates_drawn.flags.writeable = False
    return t, f


def _beta(rng: np.random.Generator, a: float, b: float) -> Floats:
    """Draws; where one parameter is 0 nothing is known beyond that end, and it is taken for
    sure.
    """
    return np.full(DRAWS, 0.0 if not a else 1.0) if not a or not b else rng.beta(a, b, DRAWS)


def _conditions(question: Question, at: Conditions, rng: np.random.Generator) -> Drawn:
    """The conditions of each draw; the sample's own prior is known only as well as the sample tells
    it.
    """
    drawn = at.draw(rng, DRAWS)
    if drawn.prior is None:
        confusion = question.confusion
        why = why_no_prior(question.asked, confusion)
        if why and question.asked.depends_on_prior:
            raise refuse(
                "BR509",
                f"{why}, so a prior must be given",
                Fix("at=Conditions(prior=0.001)", "--prior 0.1%"),
            )
        drawn = drawn._replace(
            prior=rng.beta(
                float(confusion.tp + confusion.fn) + 0.5,
                float(confusion.fp + confusion.tn) + 0.5,
                DRAWS,
            )
        )
    return drawn


def _quantiles(values: Floats, question: Question) -> tuple[float, float]:
    below, above = missed_in_tails(question.level, question.side)
    low_end, high_end = question.asked.range
    known = values[~np.isnan(values)] if np.isnan(values).any() else values
    if not len(known):
        return low_end, high_end
    # One of the values drawn (the inverse of their distribution function), so that numbers of cases
    # stay whole; as far from the upper end as from the lower, so that complements have complements.
    low, high = (max(0, math.ceil(len(known) * tail - 1)) for tail in (below, above))
    ordered = np.partition(known, (low, len(known) - 1 - high))
    return (
        max(low_end, float(ordered[low])) if below else low_end,
        min(high_end, float(ordered[-1 - high])) if above else high_end,
    )


def _safe(question: Question, at: Conditions, drawn: Drawn) -> tuple[float, float]:
    """Each rate, and the share of positives in a pilot, drawn as Clopper and Pearson bound it:
    towards what makes the statement harder.
    """
    tp, fp, fn, tn = (float(cases) for cases in question.confusion)
    ups, ends = _slopes(question, drawn), []
    pilot = at.prior if isinstance(at.prior, Pilot) else None
    for side, sign in ((LOWER, -1), (UPPER, 1)):
        if question.side not in (BOTH, side):
            ends.append(question.asked.range[sign > 0])
            continue
        t, f = _both_rates(question, _toward(tp, fn, ups[0] * sign), _toward(fp, tn, ups[1] * sign))
        if pilot is not None:
            shape = _toward(
                float(pilot.positives), float(pilot.cases - pilot.positives), ups[2] * sign
            )
            drawn = drawn._replace(
                prior=np.clip(
                    _beta(np.random.default_rng((question.seed, 0x9107)), *shape), 1e-300, 1 - 1e-16
                )
            )
        ends.append(_quantiles(along_draws(question, t, f, drawn), question)[sign > 0])
    return ends[0], ends[1]


def _slopes(question: Question, drawn: Drawn) -> tuple[float, float, float]:
    """Whether the measure rises with either rate, at the rates seen, and with the prior."""
    tp, fp, fn, tn = (float(cases) for cases in question.confusion)
    t, f = (min(max(rate, STEP), 1 - STEP) for rate in (tp / (tp + fn), fp / (fp + tn)))
    prior, ways = np.asarray(drawn.prior), []
    for step in ((STEP / 2, 0.0, 0.0), (0.0, STEP / 2, 0.0), (0.0, 0.0, STEP)):
        up, down = (
            along_draws(
                question,
                np.full(DRAWS, t + sign * step[0]),
                np.full(DRAWS, f + sign * step[1]),
                drawn._replace(prior=prior * (1 + sign * step[2])),
            )
            for sign in (1, -1)
        )
        ways.append(float(np.sign(np.nanmean(up - down))))
    return ways[0], ways[1], ways[2]


def _toward(seen: float, rest: float, way: float) -> tuple[float, float]:
    """The Beta distribution of Clopper and Pearson's upper (way > 0) or lower bounds; Jeffreys'
    where the rate does not matter.
    """
    if not way:
        return seen + 0.5, rest + 0.5
    return (seen + 1, rest) if way > 0 else (seen, rest + 1)


def point_intervals(
    point: OperatingPoint, names: Iterable[str], level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """The intervals of several measures at one point; none for what is undefined, or where cases
    are weighted.
    """
    found: dict[str, Interval] = {}
    if any(isinstance(cases, float) for cases in point.confusion) and (
        point.regardless is None or point.at.as_in_sample
    ):
        return found  # masses of weighted cases, also where they are whole numbers
    for name in names:
        with suppress(InputError):
            asked = named(name, point.volume)
            found[name] = interval_of_point(asked, point, None, level, BOTH, None, seed)
    return found


def interval_of_point(
    asked: Measure,
    source: Confusion | OperatingPoint,
    at: Conditions | None,
    level: float,
    side: str,
    method: str | None,
    seed: int,
) -> Interval:
    """Return the interval of a measure at a point, its threshold taken as fixed in advance; at its
    own conditions, or at others.
    """
    if isinstance(source, Confusion):
        if asked.depends_on_prior:
            refuse_estimate(at, "a point without its threshold")
        return measure_interval(
            Question(asked, source, any_conditions(at), level, side, method, seed)
        )
    confusion, regardless = source.confusion, source.regardless
    conditions = source.at if at is None else any_conditions(at)
    if asked.name in COUNTED and regardless is not None and conditions.estimate:
        value = float(source[asked])  # of all cases none, or all: no estimate enters
        return Interval(value, value, value, level, EXACT, BOTH, str(asked), conditions)
    if source.counted and at is None and asked.name in COUNTED and regardless is None:
        return counted_interval(asked, source.counted, level, side)
    by_estimate = conditions.estimate is not None and asked.depends_on_prior
    if by_estimate and method in (None, JOINT_DRAWS):
        refuse_masses(confusion)
        how = level, side, seed
        return estimate_interval(asked, confusion, source.threshold, conditions, how)
    return measure_interval(
        Question(asked, confusion, conditions, level, side, method, seed, regardless)
    )


def along_draws(question: Question, t: Floats, f: Floats, drawn: Drawn) -> Floats:
    """The measure for each draw of the rates and the conditions."""
    confusion = question.confusion
    prior = np.broadcast_to(np.asarray(drawn.prior, dtype=np.float64), t.shape)
    totals = float(confusion.tp + confusion.fn), float(confusion.fp + confusion.tn)
    return rates_read(
        question.asked, (t, f), prior, (drawn.tp, drawn.fp, drawn.fn, drawn.tn), totals
    )


MERCALDO_OF = ("precision", "npv")


def _mercaldo(question: Question, value: float) -> Interval:
    """The logit interval of Mercaldo, Lau & Zhou 2007, Statistics in Medicine 26:2170-2183."""
    at, (tp, fp, fn, tn) = question.at, (float(cases) for cases in question.confusion)
    if question.asked.name not in MERCALDO_OF or not at.is_exact or at.as_in_sample:
        raise refuse(
            "BR581",
            f"{MERCALDO} is for precision and npv at a given base rate",
            f"leave the method open for {JEFFREYS_DRAWS}",
        )
    flagged = (tp, fn, fp, tn) if question.asked.name == "precision" else (fn, tp, tn, fp)
    if not flagged[0] or not flagged[2]:
        raise refuse(
            "BR581",
            f"{MERCALDO} needs some of each class on that side, here {flagged[0]:g} and"
            f" {flagged[2]:g}",
            f"leave the method open for {JEFFREYS_DRAWS}",
        )
    # log odds are log(prior odds) + log(rate of one class / rate of the other): variances of two
    # log rates.
    spread = math.sqrt(
        flagged[1] / (flagged[0] * (flagged[0] + flagged[1]))
        + flagged[3] / (flagged[2] * (flagged[2] + flagged[3]))
    )
    centre = math.log(float(value) / (1 - float(value)))
    below, above = missed_in_tails(question.level, question.side)
    low = 1 / (1 + math.exp(-(centre + normal(below) * spread))) if below else 0.0
    high = 1 / (1 + math.exp(-(centre - normal(above) * spread))) if above else 1.0
    return Interval(
        float(value),
        low,
        high,
        question.level,
        MERCALDO,
        question.side,
        str(question.asked),
        at,
        notes=_said(value),
    )
