"""The registry: every measure is defined once, with what a reader needs to know of it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from baserate.arithmetic import quotient
from baserate.measures.outcomes import Outcomes

Direction = Literal["higher", "lower"]
Formula = Callable[..., Any]


@dataclass(frozen=True)
class Parameter:
    """A number that a measure takes: its range, what it means, and its default (None: it must be given)."""

    name: str
    meaning: str
    default: float | None = None
    low: float = 0.0
    high: float = math.inf
    above_low: bool = False
    optional: bool = False

    def allows(self, value: float) -> bool:
        return self.low <= value <= self.high and not (self.above_low and value == self.low)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One measure: its formula twice (as code and as text), which way is better, and where it comes from."""

    name: str
    formula: Formula
    text: str
    extremes: str
    direction: Direction
    citation: str
    range: tuple[float, float] = (0, 1)
    synonyms: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    # Does it change with the base rate? If not, it can be read off a ROC alone.
    prior: bool = True
    # Along a straight line between two ROC points it rises or falls all the way: what mixing thresholds needs.
    straight: bool = False
    # Numerator and denominator, where both are sums of outcomes: what the calculator needs.
    parts: Formula | None = None
    # Exact and in the same order as the measure, where that is a root.
    order: Formula | None = None
    # The confusion must hold counts of cases, not only rates.
    counts: bool = False


CATALOGUE: dict[str, Definition] = {}
SYNONYMS: dict[str, str] = {}


def plain(name: str) -> str:
    """A name as the parser compares it: lower case, with one kind of separator."""
    return re.sub(r"(?<=\w)[\s_-]+(?=\w)", "_", name.casefold().replace("−", "-").strip())


def define(text: str, extremes: str, **facts: Any) -> Callable[[Formula], Formula]:
    """Enter a formula into the registry under its own name."""

    def enter(formula: Formula) -> Formula:
        entry = Definition(name=formula.__name__, formula=formula, text=text, extremes=extremes, **facts)
        CATALOGUE[entry.name] = entry
        for synonym in (entry.name, *entry.synonyms):
            if SYNONYMS.setdefault(plain(synonym), entry.name) != entry.name:
                raise ValueError(f"two measures are called {synonym}")
        return formula

    return enter


def define_share(text: str, extremes: str, reason: str, **facts: Any) -> Callable[[Formula], Formula]:
    """Enter a measure whose formula gives a numerator and a denominator, both sums of outcomes; 0/0 has the reason given."""

    def enter(parts: Formula) -> Formula:
        def formula(outcomes: Outcomes, **parameters: Any) -> Any:
            part, whole = parts(outcomes, **parameters)
            return quotient(part, whole, reason)

        formula.__name__ = parts.__name__
        define(text, extremes, parts=parts, straight=True, **facts)(formula)
        return parts

    return enter
