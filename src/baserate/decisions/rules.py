"""Rules as people write them: "recall >= 0.8 and posfrac <= 1%", "alerts <= 200". Synonyms are
read, and printed by their one name. Which points satisfy a rule, and which of them is best.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.points import ONLY_RATES, Points
from baserate.errors import Fix, escaped, quoted, refuse
from baserate.measures.confusion import (
    Confusion,
    Measure,
    exact_value,
    interpolate_confusions,
    parse,
    why_no_prior,
)
from baserate.measures.registry import (
    CATALOGUE,
    SYNONYMS,
    UNITS,
    at_one_point,
    plain_name,
    weight_of_negatives,
)
from baserate.notation import parse_cases, parse_number, without_thousands
from baserate.numbers import Floats, Undefinable, rounded

# Values that differ by at most this share of the best of them, or from a limit by this share of it,
# are equal: sums of floats differ in their last digits.
TOLERANCE = 1e-12
# The place of the best threshold where there is none.
NO_THRESHOLD = -1
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

    def holds(self, values: Any) -> Any:
        """Whether values, one or an array, satisfy it; undefined ones do not."""
        return meets_limit(values, self.sense, rounded(self.limit))

    @property
    def is_budget(self) -> bool:
        return self.measure.name == BUDGET and self.sense == "<="

    def __str__(self) -> str:
        # The volume is an argument of its own, and not part of what the rule says.
        return f"{self.measure.short_name} {self.sense} {_plain(self.limit)}"


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
    known = SYNONYMS.get(plain_name(name))
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
    value = parse_cases(limit) if measure.counts_cases else parse_number(without_thousands(limit))
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
# Which points satisfy a rule, and which of them is best.

Mask = npt.NDArray[np.bool_]


def meets_limit(values: Any, sense: str, limit: float) -> Any:
    """Return whether values, one or an array, meet a limit, within 1e-12 of it; undefined ones do
    not.
    """
    slack = TOLERANCE * abs(limit)
    return values >= limit - slack if sense == ">=" else values <= limit + slack


def holds_all(terms: Sequence[Term], confusion: Confusion, at: Conditions) -> bool:
    """Whether one confusion satisfies every term."""
    return all(bool(term.holds(_value_or_nan(term.measure, confusion, at))) for term in terms)


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


def find_best(losses: Floats, *, flag_most: bool = False) -> Any:
    """Return the place of the lowest loss along the last axis; `NO_THRESHOLD` where every loss is
    NaN or infinite.

    Losses are equal if they differ by at most 1e-12 of the lowest. Of equals the first is taken,
    which flags least, or the last.
    """
    lowest = losses.min(axis=-1, keepdims=True, where=np.isfinite(losses), initial=math.inf)
    with np.errstate(invalid="ignore"):
        equal = losses <= lowest + TOLERANCE * np.abs(lowest)
    place = equal.argmax(axis=-1)
    if flag_most:
        place = losses.shape[-1] - 1 - equal[..., ::-1].argmax(axis=-1)
    return np.where(np.isfinite(lowest[..., 0]), place, NO_THRESHOLD)[()]


def is_better(
    objective: Measure,
    one: Confusion,
    other: Confusion,
    at: Conditions,
    direction: str | None = None,
) -> bool:
    """Whether the first is strictly better; a defined value beats an undefined one."""
    sign = 1.0 if (direction or objective.direction) == "lower" else -1.0
    losses = np.array([sign * _value_or_nan(objective, each, at) for each in (other, one)])
    return bool(find_best(losses) == 1)


def _value_or_nan(measure: Measure, confusion: Confusion, at: Conditions) -> float:
    value = exact_or_none(measure, confusion, at)
    return math.nan if value is None else rounded(value)


def exact_or_none(measure: Measure, confusion: Confusion, at: Conditions) -> Fraction | None:
    """The exact value, or None where the measure is undefined."""
    try:
        return exact_value(measure, confusion, at)
    except Undefinable:
        return None


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
    return exact_or_none(measure, interpolate_confusions(*ends, share), at)
