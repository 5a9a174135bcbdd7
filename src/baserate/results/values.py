"""Results of inference, as plain values: `Interval`, `Difference`, `Requirement` and others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

from baserate.conditions import Conditions
from baserate.errors import Fix, Note, Problem, grouped, quoted, refuse
from baserate.notation import WholeCheck, checked_level, missed, percent
from baserate.numbers import TableCells, Viewed, format_cell, make_view
from baserate.results.operating_point import OperatingPoint

__all__ = [
    "BOTH",
    "LOWER",
    "SIDES",
    "UPPER",
    "Difference",
    "Interval",
    "bounds_in_words",
    "checked_level",
    "checked_side",
    "missed",
    "missed_in_tails",
    "percent",
]

BOTH, LOWER, UPPER = "both", "lower", "upper"
SIDES = (BOTH, LOWER, UPPER)
# The method of what is no estimate: flagging nothing or everything has its recall whatever the
# cases are.
EXACT = "exact"
# Begins the method of an interval that allows for choosing the threshold on the same cases.
CORRECTED = "optimism-corrected"


@dataclass(frozen=True)
class Interval(Viewed):
    """What are the bounds of this number, at which level, and by which method?

    `side` is "both", or says that only the "lower" or the "upper" bound is a statement and the
    other is where the range ends. Where the method is "exact" the number is no estimate, and both
    bounds are the number itself.

    >>> import baserate as br
    >>> found = br.rate_interval(180, 200)
    >>> found
    Interval: rate 0.9, 95 % from 0.8506 to 0.9343 (wilson)
    >>> 0.8 in found
    False
    """

    value: float
    low: float
    high: float
    level: float
    method: str
    side: str = BOTH
    name: str = ""
    at: Any = None
    replicates: int | None = None
    seed: int | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def digits(self) -> int:
        """How many significant digits tell its ends apart; four at least."""
        ends = (
            self.low if self.side != UPPER else self.value,
            self.high if self.side != LOWER else self.value,
        )
        return digits_apart(*ends)

    def __repr__(self) -> str:
        name = f"{self.name} " if self.name else ""
        bounds = (
            EXACT
            if self.method == EXACT
            else f"{percent(self.level)} {bounds_in_words(self)} ({self.method})"
        )
        return f"Interval: {name}{shown_value(self)}, {bounds}"

    def _table_cells(self) -> TableCells:
        row = (
            self.name or "value",
            format_cell(self.value, self.digits),
            bounds_in_words(self),
            self.method,
        )
        return ("", "value", percent(self.level), "method"), [row]


def is_corrected(points: Iterable[OperatingPoint]) -> bool:
    """Whether the intervals of any of these points allow for choosing its threshold on the same
    cases.
    """
    return any(
        one.method.startswith(CORRECTED) for point in points for one in point.intervals.values()
    )


@dataclass(frozen=True)
class Difference(Viewed):
    """How much higher is the second model than the first, with which interval and p-value?

    `value` is `values[1] - values[0]` of `models[1]` against `models[0]`. `p_value` is two-sided;
    `p_adjusted` is that of Holm where several pairs were compared at once. `favours` names the
    better of the two, whichever way is better for this statistic.
    """

    value: float
    low: float
    high: float
    p_value: float
    method: str
    models: tuple[str, str]
    values: tuple[float, float]
    level: float = 0.95
    name: str = ""
    better: str = "higher"
    at: Any = None
    # The z of the test; what it follows from is compared.
    statistic: float = field(default=math.nan, compare=False)
    paired: bool = True
    p_adjusted: float | None = None
    replicates: int | None = None
    seed: int | None = None
    # Of McNemar's test: cases that only one model has right, and all cases.
    discordant: tuple[int, int] | None = None
    # Nobody gave costs, and equal ones enter or choose the thresholds.
    assumes_equal_costs: bool = False
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def favours(self) -> str | None:
        """The model that is observed to be better; None where they are equal."""
        if not self.value:
            return None
        return self.models[(self.value > 0) == (self.better == "higher")]

    @property
    def significant(self) -> bool:
        """Whether chance is ruled out at the given level, after Holm's adjustment where there
        is one.
        """
        return (self.p_value if self.p_adjusted is None else self.p_adjusted) < missed(self.level)

    def __repr__(self) -> str:
        first, second = (quoted(name, quotes=False) for name in self.models)
        adjusted = "" if self.p_adjusted is None else f", {self.p_adjusted:.3g} after Holm"
        digits = digits_apart(self.low, self.high)
        bounds = f"{percent(self.level)} from {self.low:.{digits}g} to {self.high:.{digits}g}"
        return (
            f"Difference: {self.name} of {second} - {first} {self.value:.4g}, {bounds}, p ="
            f" {self.p_value:.3g}{adjusted} ({self.method})"
        )

    def __str__(self) -> str:
        return str(make_view("text", self))

    def _table_cells(self) -> TableCells:
        first, second = (quoted(name, quotes=False) for name in self.models)
        values = [format_cell(value, 4) for value in (*self.values, self.value)]
        headings = ["", first, second, "difference", percent(self.level), "p"]
        row = [
            self.name,
            *values,
            f"from {format_cell(self.low, 4)} to {format_cell(self.high, 4)}",
            f"{self.p_value:.3g}",
        ]
        if self.p_adjusted is not None:
            headings, row = [*headings, "p (Holm)"], [*row, f"{self.p_adjusted:.3g}"]
        return [*headings, "method"], [[*row, self.method]]


class _OnePair:
    """The numbers of a comparison of one pair."""

    value: float
    low: float
    high: float
    p_value: float
    p_adjusted: float | None
    method: str
    models: tuple[str, str]
    values: tuple[float, float]
    level: float
    name: str
    better: str
    at: Any
    statistic: float
    paired: bool
    replicates: int | None
    seed: int | None
    discordant: tuple[int, int] | None
    favours: str | None
    significant: bool


@dataclass(frozen=True, repr=False)
class Differences(Viewed, _OnePair, Sequence[Difference]):
    """The differences between models, pair by pair; of a single pair, also its numbers.

    >>> import baserate as br
    >>> y, s = [0] * 60 + [1] * 40, list(range(100))
    >>> models = br.count(y, {"a": s, "b": [*range(20, 80), *range(60, 100)], "c": s})
    >>> found = br.compare(models, "auc", against="a")
    >>> [(one.models, round(one.value, 3), round(one.p_adjusted, 4)) for one in found]
    [(('a', 'b'), -0.083, 0.003), (('a', 'c'), 0.0, 1.0)]
    """

    pairs: tuple[Difference, ...]
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, place: int) -> Difference: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Difference, ...]: ...
    def __getitem__(self, place: int | slice) -> Difference | tuple[Difference, ...]:
        return self.pairs[place]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in _OnePair.__annotations__:
                raise AttributeError(f"'Differences' object has no attribute {name!r}")
            if len(self) != 1:
                raise refuse(
                    "BR436",
                    f"{len(self)} pairs were compared: {name} is that of one",
                    "take one, [0], or name a pair=",
                )
            return getattr(self.pairs[0], name)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.pairs))

    def __str__(self) -> str:
        return str(make_view("text", self))


MOST_DIGITS = 17
# A number below this is not 1 but for its last digits.
ONE = 1 - 1e-12


def reverse_difference(one: Difference) -> Difference:
    """The same difference, of the models in the other order."""
    return replace(
        one,
        value=0 - one.value,
        low=0 - one.high,
        high=0 - one.low,
        models=one.models[::-1],
        values=one.values[::-1],
        statistic=0 - one.statistic,
    )


def digits_apart(low: float, high: float, least: int = 4) -> int:
    """How many significant digits it takes to see that two numbers differ from each other and from
    1: never "1 to 1" of what is 0.99975 to 0.99981, nor "0.999 to 1" of 0.99949 to 0.99955.
    """
    for count in range(least, MOST_DIGITS):
        shown = [f"{end:.{count}g}" for end in (low, high)]
        rounded_to_one = any(
            text == "1" and end < ONE for text, end in zip(shown, (low, high), strict=True)
        )
        if not rounded_to_one and (low == high or shown[0] != shown[1]):
            return count
    return MOST_DIGITS


def shown_value(interval: Interval) -> str:
    """The value, in as many digits as its bounds."""
    return "undefined" if math.isnan(interval.value) else f"{interval.value:.{interval.digits}g}"


def bounds_in_words(interval: Interval) -> str:
    """The bounds in words, in as many digits as tell them apart."""
    if interval.method == EXACT:
        return EXACT
    digits = interval.digits
    if interval.side == UPPER:
        return f"at most {interval.high:.{digits}g}"
    if interval.side == LOWER:
        return f"at least {interval.low:.{digits}g}"
    return f"from {interval.low:.{digits}g} to {interval.high:.{digits}g}"


def checked_side(side: Any) -> str:
    """Both bounds, or one of them."""
    if side not in SIDES:
        raise refuse(
            "BR580", f"a side is {', '.join(map(repr, SIDES))}, got {quoted(side)}", 'side="both"'
        )
    return str(side)


def missed_in_tails(level: float, side: str) -> tuple[float, float]:
    """How much may be missed below and above."""
    out = missed(level)
    return {BOTH: (out / 2, out / 2), LOWER: (out, 0.0), UPPER: (0.0, out)}[side]


# ----------------------------------------------------------------------
# Outcomes of a requirement, and of a comparison with a baseline.


SHOWN, OBSERVED, MISSED = "demonstrated", "met, not demonstrated", "not met"
UNJUDGED = "cannot be evaluated"
BETTER, SAME, WORSE, NOISE = "better", "no difference", "worse", "worse, not significant"
ALIKE = "better, not significant"
ALL = "all cases"


@dataclass(frozen=True)
class Check:
    """One requirement: what was observed, the bound that demonstrates it or does not, and how many
    cases it would take. `corrected` is the value if labelling depended only on the flag (of
    a summary: on the score), where that is worse: then no bound demonstrates it. `limit` is the
    number that is required.
    """

    requirement: str
    interval: Interval
    outcome: str
    needed: int | None = None
    at_point: bool = True
    corrected: float | None = None
    limit: float | None = None

    @property
    def bound(self) -> float:
        return self.interval.low if self.interval.side == LOWER else self.interval.high


@dataclass(frozen=True)
class Requirement(Viewed):
    """Whether every part of a requirement is demonstrated by these cases."""

    outcome: str
    checks: tuple[Check, ...]
    point: OperatingPoint | None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def passed(self) -> bool:
        """Whether it is demonstrated: the one-sided bound meets it."""
        return self.outcome == SHOWN

    def __repr__(self) -> str:
        lines = [f"Requirement: {self.outcome}"]
        for check in self.checks:
            found = repr(check.interval).removeprefix("Interval: ")
            lines.append(f"  {check.requirement}: {check.outcome}; {found}")
        if self.point is not None:
            lines.append(f"  {self.point!r}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Part:
    """The comparison on all cases or on one slice: its result, and the smallest difference that
    it could have detected.
    """

    name: str
    difference: Difference
    outcome: str
    p_adjusted: float
    detectable: float | None
    whole: bool = False


@dataclass(frozen=True)
class NonInferiority(Viewed):
    """Whether a candidate is worse than the baseline, anywhere."""

    passed: bool
    outcome: str
    parts: tuple[Part, ...]
    margin: float | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def failed(self) -> tuple[Part, ...]:
        """The parts on which the candidate is worse."""
        return tuple(part for part in self.parts if part.outcome == WORSE)

    @property
    def margin_note(self) -> Note | None:
        """How the largest loss compares with the margin; None where none was given."""
        return next((note for note in self.notes if "margin" in note.values), None)


@dataclass(frozen=True)
class Unsatisfied:
    """That no model can satisfy the rule at these conditions, beside answers at others."""

    at: Conditions
    problems: tuple[Problem, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why not."""
        return tuple(Note(one.code, one.text) for one in self.named)

    @property
    def named(self) -> tuple[Problem, ...]:
        """The problems, with the base rate that they are about."""
        where = f"at {self.at.spoken}: "
        return tuple(replace(one, text=where + one.text) for one in self.problems)

    def to_dict(self) -> dict[str, Any]:
        """The refusal, as the JSON of errors has it."""
        return {"refused": [{"code": one.code, "text": one.text} for one in self.problems]}


MOST_REPLICATES = 10_000_000
# Fewer than a hundred resamples do not describe the tails.
checked_replicates = WholeCheck(
    "BR580",
    f"a bootstrap takes 100 to {grouped(MOST_REPLICATES)} replicates",
    Fix("replicates=2000", "--replicates 2000"),
    100,
    MOST_REPLICATES,
)
checked_seed = WholeCheck("BR580", "a seed is a whole number, 0 or more", Fix("seed=0", "--seed 0"))
