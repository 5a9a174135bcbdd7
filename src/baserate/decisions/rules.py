"""Rules as people write them: "recall >= 0.8 and posfrac <= 1%", "alerts <= 200". Synonyms are
read, and printed by their one name. Which points satisfy a rule, and which of them is best.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.points import ONLY_RATES, Points
from baserate.errors import Fix, escaped, quoted, refuse
from baserate.measures.confusion import (
    Confusion,
    Measure,
    along,
    between,
    confusion_at,
    exact_order,
    exact_value,
    orders_along,
    parse,
    why_no_prior,
)
from baserate.measures.registry import (
    CATALOGUE,
    SYNONYMS,
    UNITS,
    at_one_point,
    plain,
    weight_of_negatives,
)
from baserate.notation import cases, number, without_thousands
from baserate.numbers import Floats, Fractions, Undefinable, rounded

# No limit lies beyond this.
LARGEST = 10**200
AND = re.compile(r"\s+and\s+", flags=re.IGNORECASE)
TERM = re.compile(r"([^(<>=≤≥]+(?:\(.*?\))?)\s*(>=|<=|≥|≤|=>|=<|==|=|>|<)\s*(.+)", flags=re.DOTALL)
SENSES = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}
# "200/day" and "200 per day": the unit is that of the volume, and only the number is read.
UNIT = re.compile(r"\s*(?:/|per)\s*(?:an?\s+)?[a-z]+\s*$", flags=re.IGNORECASE)
WRITE_RULE = 'write rules such as "tpr >= 0.8 and posfrac <= 1%" or "alerts <= 200"'
BUDGET = "alerts"
LONGEST = 500


@dataclass(frozen=True)
class Term:
    """One requirement: a measure, which way, and the exact limit as it was written."""

    measure: Measure
    sense: str
    limit: Fraction

    def holds(self, value: Fraction) -> bool:
        return value >= self.limit if self.sense == ">=" else value <= self.limit

    @property
    def is_budget(self) -> bool:
        return self.measure.name == BUDGET and self.sense == "<="

    def __str__(self) -> str:
        # The volume is an argument of its own, and not part of what the rule says.
        shown = self.measure.name if self.measure.counts_cases else str(self.measure)
        return f"{shown} {self.sense} {_plain(self.limit)}"


@dataclass(frozen=True)
class Rule:
    """Every term must hold; a term holds only where its measure is defined."""

    terms: tuple[Term, ...] = ()

    @property
    def budget(self) -> Term | None:
        """The tightest budget among the terms, if there is one."""
        return min(
            (term for term in self.terms if term.is_budget),
            key=lambda term: term.limit,
            default=None,
        )

    def __str__(self) -> str:
        return " and ".join(map(str, self.terms))


def parse_rule(text: str | None, volume: float | None = None) -> Rule:
    """The rule that the text says; none at all holds everywhere."""
    if text is None:
        return Rule()
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        what = (
            "the rule is empty"
            if isinstance(text, str) and not text.strip()
            else f"a rule is a short text, got {quoted(text)}"
        )
        raise refuse("BR533", what, WRITE_RULE)
    return Rule(tuple(_term(part, volume) for part in AND.split(text.strip())))


def _term(text: str, volume: float | None) -> Term:
    found = TERM.fullmatch(text)
    if not found:
        raise refuse("BR533", f"cannot read {quoted(text)} as a rule", WRITE_RULE)
    name, sign, written = found.groups()
    if re.search(r"[<>=≤≥]", re.sub(r"\(.*\)", "", name)) or re.search(r"[<>=≤≥]", written):
        raise refuse(
            "BR533",
            f'cannot read {quoted(text)} as one requirement: join several by "and"',
            WRITE_RULE,
        )
    if sign not in SENSES:
        meant = ">=" if ">" in sign or sign in ("=", "==") else "<="
        raise refuse(
            "BR533",
            f"{quoted(sign)} in {quoted(text)}: a limit is written >= or <=",
            f'"{escaped(f"{name.strip()} {meant} {written.strip()}")}"',
        )
    _check_volume(name, written, volume)
    measure = parse(name, volume)
    if measure.counts_cases and "(" in name:
        raise refuse(
            "BR533",
            f"{quoted(text)}: give the volume once, beside the rule",
            Fix("volume=1_000_000", "--volume 1000000"),
        )
    limit = _limit(measure, written)
    low, high = measure.range
    if not low <= limit <= high or abs(limit) > LARGEST:
        percent = high == 1 and 1 < limit <= 100
        raise refuse(
            "BR533",
            f"{measure.name} lies between {low:g} and {high:g}, got"
            f" {quoted(written.strip(), quotes=False)}",
            f'"{measure.name} {sign} {_plain(limit)}%"' if percent else WRITE_RULE,
        )
    return Term(measure, SENSES[sign], limit)


def _check_volume(name: str, written: str, volume: float | None) -> None:
    """Measures that count in cases need to know how many there are."""
    known = SYNONYMS.get(plain(name))
    if (
        known is None
        or not any(parameter.name == "volume" for parameter in CATALOGUE[known].parameters)
        or volume is not None
    ):
        return
    unit = UNIT.search(written)
    each = re.sub(r"^\s*(?:/|per)\s*(?:an?\s+)?", "", unit[0]).strip() if unit else "day"
    raise refuse(
        "BR520",
        f"{quoted(written.strip(), quotes=False)} {known}: of how many cases?",
        Fix(
            f"volume=1_000_000, the number of cases per {each}",
            f"--volume 1000000, the number of cases per {each}",
        ),
    )


def _limit(measure: Measure, written: str) -> Fraction:
    bare = UNIT.sub("", written) if measure.counts_cases else written
    percent = bare.strip().endswith("%")
    limit = bare.strip().removesuffix("%").strip()
    value = cases(limit) if measure.counts_cases else number(without_thousands(limit))
    if value is None:
        raise refuse("BR533", f"{quoted(written.strip())} is not a number", WRITE_RULE)
    if percent and measure.counts_cases:
        raise refuse(
            "BR533", f"{measure.name} counts cases, got a percentage", "limit posfrac instead"
        )
    if measure.name == BUDGET and value < 1:
        raise refuse(
            "BR521",
            f"a budget is at least 1 alert, got {_plain(value)}",
            "give 1 or more, or limit posfrac",
        )
    return value / 100 if percent else value


def _plain(value: Fraction) -> str:
    """The shortest decimal that says it."""
    return (
        str(value.numerator)
        if value.denominator == 1 and abs(value) < 10**15
        else repr(rounded(value))
    )


# ----------------------------------------------------------------------
# Which points satisfy a rule, and which of them is best: fast on floats, exact wherever floats
# could round.

Mask = npt.NDArray[np.bool_]
T = TypeVar("T")
# Values closer than this share of themselves, or than the rounding of their largest terms, are
# compared exactly.
DOUBT = 1e-10
ROUNDING = 1e-14


def keeping(term: Term, points: Points, at: Conditions) -> Mask:
    """The points at which the term holds, decided exactly."""
    values, limit = along(term.measure, points, at), rounded(term.limit)
    doubt = DOUBT * abs(limit) + _rounding(term.measure, points, at, values)
    with np.errstate(invalid="ignore"):
        kept = values >= limit if term.sense == ">=" else values <= limit
        doubtful = np.flatnonzero((np.abs(values - limit) <= doubt) | math.isinf(doubt))
    if len(doubtful):
        kept[doubtful] = _exactly_kept(term, points, doubtful, at)
    return kept


def _rounding(measure: Measure, points: Points, at: Conditions, values: Floats) -> float:
    """How far off a value can be by rounding: much more than its last place where large terms
    cancel; infinite where floats do not even tell whether it is defined.
    """
    if measure.name == "savings" and min(at.costs.fp, at.costs.fn, at.costs.tp, at.costs.tn) < 0:
        return (
            math.inf
        )  # the cost of one answer for all, by which it divides, may cancel altogether
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max()) if len(finite) else 0.0
    terms = [1.0, largest]
    if measure.range[0] < 0:
        costs = at.costs
        cases = dict(measure.parameters).get(
            "volume", points.total_positives + points.total_negatives
        )
        terms.append(
            max(abs(float(cost)) for cost in (costs.fp, costs.fn, costs.tp, costs.tn))
            * max(1.0, float(cases))
        )
    return ROUNDING * max(terms)


def _exactly_kept(term: Term, points: Points, where: npt.NDArray[np.intp], at: Conditions) -> Any:
    limit = term.limit * abs(term.limit) if term.measure.is_root else term.limit

    def kept(orders: Fractions) -> Mask:
        gaps = (orders - limit).signs()
        return np.asarray(orders.known & (gaps >= 0 if term.sense == ">=" else gaps <= 0))

    found = _decided(term.measure, points, where, at, kept)
    if found is None:
        return [_holds(term, confusion_at(points, index), at) for index in where.tolist()]
    return found


def _decided(
    measure: Measure,
    points: Points,
    where: npt.NDArray[np.intp],
    at: Conditions,
    decide: Callable[[Fractions], T],
) -> T | None:
    """What follows from the exact values of these points, in 64 bits where they suffice; None where
    each point must be looked at by itself.
    """
    for kind in (np.uint64, object):
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                orders = orders_along(measure, points, at, where, kind)
                return None if orders is None else decide(orders)
        except OverflowError:
            continue
    return None


def _holds(term: Term, confusion: Confusion, at: Conditions) -> bool:
    try:
        if term.measure.is_root:
            return Term(term.measure, term.sense, term.limit * abs(term.limit)).holds(
                exact_order(term.measure, confusion, at)
            )
        return term.holds(exact_value(term.measure, confusion, at))
    except Undefinable:
        return False


def holds_all(terms: Sequence[Term], confusion: Confusion, at: Conditions) -> bool:
    """Whether one confusion satisfies every term."""
    return all(_holds(term, confusion, at) for term in terms)


def linear(
    measure: Measure, points: Points, at: Conditions
) -> tuple[list[Fraction], list[Fraction]] | None:
    """The weights of tp, fp, fn, tn in the numerator and denominator of a share of outcomes; None
    where it is no such share.
    """
    parts = measure.parts
    if parts is None or points.why_no_prior == ONLY_RATES or points.tp.dtype != np.int64:
        return None
    if measure.depends_on_prior:
        at = at.within(points.exact_prior, why_no_prior(measure, points))
    weight = weight_of_negatives(points.total_positives, points.total_negatives, at)
    if weight is None and measure.depends_on_prior:
        return None
    pairs = [
        parts(at_one_point(unit, weight or Fraction(1), at), **dict(measure.parameters))
        for unit in UNITS
    ]
    return [Fraction(above) for above, _ in pairs], [Fraction(below) for _, below in pairs]


def best_of(
    objective: Measure, points: Points, mask: Mask, at: Conditions, direction: str | None = None
) -> int | None:
    """The best of the points in the mask; among equals the one that flags least. None where the
    measure is defined at none of them.
    """
    lower = (direction or objective.direction) == "lower"
    if mask.all() and _on_hull(objective, points, at, lower=lower):
        places, hull = points.hull_places, points.hull()
        best = _best(objective, hull, np.ones(len(hull), dtype=np.bool_), at, lower=lower)
        return None if best is None else int(places[best])
    return _best(objective, points, mask, at, lower=lower)


def _on_hull(objective: Measure, points: Points, at: Conditions, *, lower: bool) -> bool:
    """Whether each positive flagged adds as much, and each negative takes as much: the best point
    is then a corner of the hull, and of equals on one of its edges that edge's beginning flags
    least.
    """
    found = linear(objective, points, at)
    if found is None:
        return False
    (tp, fp, fn, tn), below = found
    up, across = (fn - tp, tn - fp) if lower else (tp - fn, fp - tn)
    return up > 0 > across and below[0] == below[2] >= 0 and below[1] == below[3] >= 0


def _best(
    objective: Measure, points: Points, mask: Mask, at: Conditions, *, lower: bool
) -> int | None:
    """The best of the points in the mask, looked for among all of them."""
    values = np.where(mask, (1.0 if lower else -1.0) * along(objective, points, at), math.nan)
    doubt = _rounding(objective, points, at, values)
    if math.isinf(doubt):
        near = np.flatnonzero(mask)
    elif np.isnan(values).all():
        return None
    else:
        lowest = float(np.nanmin(values))
        with np.errstate(invalid="ignore"):
            near = np.flatnonzero(values - lowest <= DOUBT * abs(lowest) + doubt)
        if len(near) == 1:
            return int(near[0])
    best = _exact_best(objective, points, near, at, lower=lower)
    return None if best is None else int(near[best])


def _exact_best(
    measure: Measure, points: Points, where: npt.NDArray[np.intp], at: Conditions, *, lower: bool
) -> int | None:
    """The place, among those given, of the lowest or highest value; the first of equals. None where
    there is none.
    """
    best = _decided(measure, points, where, at, partial(_first_best, lower=lower))
    if best is not None:
        return best
    exact = [
        exact_or_none(measure, confusion_at(points, index), at, exact_order)
        for index in where.tolist()
    ]
    known = [value for value in exact if value is not None]
    return exact.index(min(known) if lower else max(known)) if known else None


def _first_best(orders: Fractions, *, lower: bool) -> int | None:
    left = np.flatnonzero(np.broadcast_to(orders.known, len(orders)))
    while len(left):
        gaps = (orders[left] - orders[left[len(left) // 2 :][:1]]).signs()
        better = left[gaps < 0 if lower else gaps > 0]
        if not len(better):
            return int(left[np.argmax(gaps == 0)])
        left = better
    return None


def exact_or_none(
    measure: Measure,
    confusion: Confusion,
    at: Conditions,
    read: Callable[[Measure, Confusion, Conditions], Fraction] = exact_value,
) -> Fraction | None:
    """The exact value, or what orders values, or None where the measure is undefined."""
    try:
        return read(measure, confusion, at)
    except Undefinable:
        return None


def is_better(objective: Measure, one: Confusion, other: Confusion, at: Conditions) -> bool:
    """Whether the first is strictly better; a defined value beats an undefined one."""
    ours, theirs = (exact_or_none(objective, each, at, exact_order) for each in (one, other))
    if ours is None or theirs is None:
        return ours is not None and theirs is None
    return ours < theirs if objective.direction == "lower" else ours > theirs


def share_at(
    measure: Measure, ends: tuple[Confusion, Confusion], limit: Fraction, at: Conditions
) -> Fraction | None:
    """How far along the straight line from one confusion to another the measure reaches the limit;
    None where it never does.

    Every measure allowed here is a quotient of two linear functions along the line, so three of its
    values determine it.
    """
    quarter, half, rest = (
        value_between(measure, ends, Fraction(part, 4), at) for part in (1, 2, 3)
    )
    if quarter is None or half is None or rest is None or quarter == rest:
        return None
    # f(s) = (f0 + s·(r·f1 − f0)) / (1 + s·(r − 1)), with r from the value half way; s runs from the
    # first quarter to the third.
    ratio = (quarter - half) / (half - rest)
    slope = ratio * rest - quarter - limit * (ratio - 1)
    if not slope:
        return None
    place = Fraction(1, 4) + (limit - quarter) / slope / 2
    return place if 0 <= place <= 1 else None


def value_between(
    measure: Measure, ends: tuple[Confusion, Confusion], share: Fraction, at: Conditions
) -> Fraction | None:
    """The measure's exact value part of the way between two confusions."""
    return exact_or_none(measure, between(*ends, share), at)
