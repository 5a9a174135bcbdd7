"""A measure as a value: it prints as one would type it, and what is printed parses back."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from baserate.errors import quoted, refuse
from baserate.measures import formulas
from baserate.measures.registry import CATALOGUE, SYNONYMS, Definition, Formula, Parameter, plain
from baserate.notation import number
from baserate.numbers import rounded

__all__ = ["Measure", "formulas", "in_costs", "named", "parse"]

F_NUMBER = re.compile(r"f_?(\d{1,6}(?:\.\d{1,6})?)(?:_score)?")
LONGEST = 300
# The measures and summaries that costs enter.
COSTED = (
    "expected_cost",
    "normalized_cost",
    "total_cost",
    "savings",
    "net_benefit",
    "volume_cost",
    "min_cost",
)


@dataclass(frozen=True)
class Measure:
    """One of the measures in the registry, with its parameters.

    >>> from baserate import Measure
    >>> Measure.parse("F-beta(beta=2)")
    f_beta(beta=2)
    >>> Measure.parse("recall").name, Measure.parse("recall").direction
    ('tpr', 'higher')
    """

    name: str
    parameters: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        given = dict(self.parameters)
        for parameter in self._entry.parameters:
            _check(self.name, parameter, given)
        unknown = set(given) - {parameter.name for parameter in self._entry.parameters}
        if unknown:
            takes = (
                ", ".join(parameter.name for parameter in self._entry.parameters) or "no parameters"
            )
            raise refuse(
                "BR532", f"{self.name} has no parameter {quoted(min(unknown))}", f"it takes {takes}"
            )
        defaults = {parameter.name: parameter.default for parameter in self._entry.parameters}
        ordered = tuple(
            (name, float(given[name]))
            for name in defaults
            if name in given and given[name] != defaults[name]
        )
        object.__setattr__(self, "parameters", ordered)

    @classmethod
    def parse(cls, text: str) -> Measure:
        """A measure from its name, a synonym, or a name with parameters."""
        return parse(text)

    @property
    def _entry(self) -> Definition:
        if self.name not in CATALOGUE:
            raise _unknown(self.name)
        return CATALOGUE[self.name]

    @property
    def definition(self) -> str:
        """The formula as text."""
        return self._entry.text

    @property
    def extremes(self) -> str:
        """What the ends of the range mean."""
        return self._entry.extremes

    @property
    def direction(self) -> str:
        """Which way is better: "higher" or "lower"."""
        return self._entry.direction

    @property
    def range(self) -> tuple[float, float]:
        return self._entry.range

    @property
    def synonyms(self) -> tuple[str, ...]:
        """What else it is called; accepted by the command line and by rules."""
        return self._entry.synonyms

    @property
    def citation(self) -> str:
        return self._entry.citation

    @property
    def depends_on_prior(self) -> bool:
        """Does it change with the base rate? If not, a ROC is enough to know it."""
        return self._entry.prior

    @property
    def straight(self) -> bool:
        """Does it rise or fall all the way along a straight line between two ROC points?"""
        return self._entry.straight

    @property
    def parts(self) -> Formula | None:
        """Numerator and denominator as functions of the outcomes, where both are sums of them."""
        return self._entry.parts

    @property
    def is_root(self) -> bool:
        """Is `order` its square, with its sign?"""
        return self._entry.order is not None

    @property
    def needs_counts(self) -> bool:
        """Does it count the cases of the sample, or add to them, which cannot be done where only
        rates are known?
        """
        return self._entry.counts or any(name == "correction" for name, _ in self.parameters)

    def formula(self, outcomes: Any) -> Any:
        """Its value for outcomes in either arithmetic."""
        return self._entry.formula(outcomes, **dict(self.parameters))

    def order(self, outcomes: Any) -> Any:
        """A number that rises and falls with it and is exact, also where the measure itself is
        irrational: for comparing.
        """
        return (self._entry.order or self._entry.formula)(outcomes, **dict(self.parameters))

    @property
    def counts_cases(self) -> bool:
        """Whether it is a number of cases, or a sum over them, out of a volume."""
        return self._entry.per_volume

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={_shown(value)}" for name, value in self.parameters)
        return f"{self.name}({inside})" if inside else self.name

    __repr__ = __str__


def parse(text: str, volume: float | None = None) -> Measure:
    """A measure as people write it: any synonym, any case; `volume` is used where the measure needs
    one and has none.
    """
    name, arguments = _split(text)
    key = plain(name)
    if key not in SYNONYMS:
        if arguments is None and (shorthand := _f_number(key)):
            return shorthand
        raise _unknown(name)
    return _made(SYNONYMS[key], arguments, volume)


def in_costs(*names: str) -> bool:
    """Do costs enter one of these, written as a measure or summary prints? Net benefit at a
    threshold probability given needs none.
    """
    return any(
        name.partition("(")[0].partition(" ")[0] in COSTED and not name.startswith("net_benefit(")
        for name in names
    )


def _f_number(key: str) -> Measure | None:
    """F2 and F0.5, as people write them."""
    found = F_NUMBER.fullmatch(key)
    return Measure("f_beta", (("beta", float(found[1])),)) if found else None


def named(text: str | Measure, volume: float | None = None) -> Measure:
    """A measure, or what `parse` makes of its name."""
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise refuse(
            "BR531", f"a measure is named by text, got {type(text).__name__}", 'such as "precision"'
        )
    return parse(text, volume)


def _split(text: str) -> tuple[str, str | None]:
    name, opened, rest = (
        text.strip().partition("(")
        if isinstance(text, str) and len(text) <= LONGEST
        else ("", "", "")
    )
    if (
        not name.strip()
        or ")" in name
        or (opened and (not rest.endswith(")") or "(" in rest or ")" in rest[:-1]))
    ):
        raise refuse(
            "BR531",
            f"cannot read {quoted(text)} as a measure",
            "write a name, or name(parameter=value)",
        )
    return name.strip(), rest[:-1] if opened else None


def _made(name: str, arguments: str | None, volume: float | None) -> Measure:
    parameters = _arguments(name, arguments or "")
    if volume is not None and CATALOGUE[name].per_volume:
        if parameters.get("volume", volume) != volume:
            raise refuse(
                "BR532",
                f"{name} is given two volumes: {parameters['volume']:g} and {volume:g}",
                "say it once",
            )
        parameters["volume"] = volume
    return Measure(name, tuple(parameters.items()))


def _arguments(name: str, text: str) -> dict[str, float]:
    known, given = CATALOGUE[name].parameters, dict[str, float]()
    for place, part in enumerate(piece.strip() for piece in text.split(",") if piece.strip()):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            if place >= len(known):
                raise refuse(
                    "BR532",
                    f"{name} takes {len(known)} parameters, got {quoted(text)}",
                    f"see the definition of {name}",
                )
            key, value = known[place].name, key
        if key in given:
            raise refuse("BR532", f"{name} is given {quoted(key)} twice", "say each parameter once")
        given[key] = _number(name, key, value)
    return given


def _number(name: str, key: str, text: str) -> float:
    if text.casefold() in ("inf", "infinity", "∞"):
        return math.inf
    value = number(text)
    if value is None or math.isinf(rounded(value)):
        raise refuse(
            "BR532",
            f"{name}: {key} is {quoted(text)}, which is not a number",
            f"write {name}({key}=2)",
        )
    return rounded(value)


def _check(name: str, parameter: Parameter, given: Mapping[str, float]) -> None:
    if parameter.name not in given:
        if parameter.default is None and not parameter.optional:
            raise refuse(
                "BR532",
                f"{name} needs {parameter.name}: {parameter.meaning}",
                f"write {name}({parameter.name}=…)",
            )
        return
    value = given[parameter.name]
    try:
        allowed = not isinstance(value, bool | str) and parameter.allows(float(value))
    except (TypeError, ValueError, OverflowError):
        allowed = False
    if not allowed:
        low = "above" if parameter.above_low else "at least"
        high = "" if math.isinf(parameter.high) else f" and at most {_shown(parameter.high)}"
        raise refuse(
            "BR532",
            f"{name}: {parameter.name} must be {low} {_shown(parameter.low)}{high}, got"
            f" {quoted(value)}",
            "correct it",
        )


def _shown(value: float) -> str:
    """A number as one would type it."""
    if math.isfinite(value) and float(value).is_integer() and abs(value) < 1e16:
        return str(int(value))
    return repr(float(value))


def _unknown(name: str) -> Exception:
    near = difflib.get_close_matches(plain(name), list(SYNONYMS), n=1)
    if not near:
        return refuse("BR531", f"unknown measure {quoted(name)}", f"one of {', '.join(CATALOGUE)}")
    meant = next(
        synonym
        for synonym in (SYNONYMS[near[0]], *CATALOGUE[SYNONYMS[near[0]]].synonyms)
        if plain(synonym) == near[0]
    )
    here = "" if meant == SYNONYMS[near[0]] else f" (here: {SYNONYMS[near[0]]})"
    return refuse(
        "BR531",
        f"unknown measure {quoted(name)}; did you mean {quoted(meant)}{here}?",
        f'"{SYNONYMS[near[0]]}"',
    )
