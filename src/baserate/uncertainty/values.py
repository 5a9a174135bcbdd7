"""`Interval` and `Difference`: a number with what is known of it, and how that was found out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from baserate.errors import Fix, quoted, refuse
from baserate.notes import Note

BOTH, LOWER, UPPER = "both", "lower", "upper"
SIDES = (BOTH, LOWER, UPPER)


@dataclass(frozen=True)
class Interval:
    """Between which bounds does the number lie, at which level, found by which method?

    `side` is "both", or says that only the "lower" or the "upper" bound is a statement and the other is where the range ends.

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

    def __repr__(self) -> str:
        name = f"{self.name} " if self.name else ""
        value = "undefined" if math.isnan(self.value) else f"{self.value:.4g}"
        return f"Interval: {name}{value}, {percent(self.level)} {stated(self)} ({self.method})"

    def _repr_html_(self) -> str:
        from baserate.html_tables import cell, table

        row = (self.name or "value", cell(self.value, 4), stated(self), self.method)
        return table(repr(self), ("", "value", percent(self.level), "method"), [row])


@dataclass(frozen=True)
class Difference:
    """How much higher is the second model than the first, between which bounds, and could it be chance?

    `value` is `values[1] - values[0]` of `models[1]` against `models[0]`. `p_value` is two-sided; `p_adjusted` is that of Holm where
    several pairs were compared at once. `favours` names the better of the two, whichever way is better for this statistic.
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
    statistic: float = math.nan
    paired: bool = True
    p_adjusted: float | None = None
    replicates: int | None = None
    seed: int | None = None
    # Of McNemar's test: cases that only one model has right, and all cases.
    discordant: tuple[int, int] | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def favours(self) -> str | None:
        """The model that is observed to be better; None where they are equal."""
        if not self.value:
            return None
        return self.models[(self.value > 0) == (self.better == "higher")]

    @property
    def significant(self) -> bool:
        """Whether chance is ruled out at the level asked for, after Holm's adjustment where there is one."""
        return (self.p_value if self.p_adjusted is None else self.p_adjusted) < missed(self.level)

    def __repr__(self) -> str:
        first, second = (quoted(name, quotes=False) for name in self.models)
        adjusted = "" if self.p_adjusted is None else f", {self.p_adjusted:.3g} after Holm"
        bounds = f"{percent(self.level)} from {self.low:.4g} to {self.high:.4g}"
        return f"Difference: {self.name} of {second} - {first} {self.value:.4g}, {bounds}, p = {self.p_value:.3g}{adjusted} ({self.method})"

    def _repr_html_(self) -> str:
        from baserate.html_tables import cell, table

        first, second = (quoted(name, quotes=False) for name in self.models)
        values = [cell(value, 4) for value in (*self.values, self.value)]
        headings = ["", first, second, "difference", percent(self.level), "p"]
        row = [self.name, *values, f"from {cell(self.low, 4)} to {cell(self.high, 4)}", f"{self.p_value:.3g}"]
        if self.p_adjusted is not None:
            headings, row = [*headings, "p (Holm)"], [*row, f"{self.p_adjusted:.3g}"]
        return table(repr(self), [*headings, "method"], [[*row, self.method]])


def stated(interval: Interval) -> str:
    """The bounds in words."""
    if interval.side == UPPER:
        return f"at most {interval.high:.4g}"
    if interval.side == LOWER:
        return f"at least {interval.low:.4g}"
    return f"from {interval.low:.4g} to {interval.high:.4g}"


def missed(level: float) -> float:
    """What a level leaves out: 0.05 of 0.95, without the last digits of the subtraction."""
    return round(1 - level, 12)


def percent(level: float) -> str:
    """A level as one says it."""
    return f"{100 * level:.6g} %"


def checked_level(level: Any) -> float:
    """A level between 0 and 1; 95 is most likely meant as 0.95."""
    number = isinstance(level, int | float) and not isinstance(level, bool)
    if not number or not 0.5 <= level <= 1 - 1e-9 or math.isnan(level):
        meant = level / 100 if number and 50 <= level < 100 else 0.95
        raise refuse("BR580", f"a level lies between 0.5 and 1, got {quoted(level)}", Fix(f"level={meant:g}", f"--level {100 * meant:g}%"))
    return float(level)


def checked_side(side: Any) -> str:
    """Both bounds, or one of them."""
    if side not in SIDES:
        raise refuse("BR580", f"a side is {', '.join(map(repr, SIDES))}, got {quoted(side)}", 'side="both"')
    return str(side)


def tails(level: float, side: str) -> tuple[float, float]:
    """How much may be missed below and above."""
    out = missed(level)
    return {BOTH: (out / 2, out / 2), LOWER: (out, 0.0), UPPER: (0.0, out)}[side]
