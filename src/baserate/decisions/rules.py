"""Rules as people write them: "recall >= 0.8 and posfrac <= 1%", "alerts <= 200". Synonyms are
read, and printed by their one name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from baserate.errors import Fix, escaped, quoted, refuse
from baserate.measures.measure import Measure, parse
from baserate.measures.registry import CATALOGUE, SYNONYMS, plain
from baserate.notation import number, without_thousands
from baserate.numbers import rounded

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
        fix = Fix("volume=1_000_000", "--volume 1000000")
        raise refuse("BR533", f"{quoted(text)}: give the volume once, beside the rule", fix)
    limit = _limit(measure, written)
    low, high = measure.range
    if not low <= limit <= high or abs(limit) > LARGEST:
        meant = f"; {_plain(limit)}%?" if high == 1 and 1 < limit <= 100 else ""
        raise refuse(
            "BR533",
            f"{measure.name} lies between {low:g} and {high:g}, got"
            f" {quoted(written.strip(), quotes=False)}{meant}",
            WRITE_RULE,
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
    fix = Fix(
        f"volume=1_000_000, the number of cases a {each}",
        f"--volume 1000000, the number of cases a {each}",
    )
    raise refuse(
        "BR520", f"{quoted(written.strip(), quotes=False)} {known}: of how many cases?", fix
    )


def _limit(measure: Measure, written: str) -> Fraction:
    bare = UNIT.sub("", written) if measure.counts_cases else written
    percent = bare.strip().endswith("%")
    value = number(without_thousands(bare.strip().removesuffix("%").strip()))
    if value is None:
        raise refuse("BR533", f"{quoted(written.strip())} is not a number", WRITE_RULE)
    if percent and measure.counts_cases:
        raise refuse(
            "BR533", f"{measure.name} counts cases, got a percentage", "limit posfrac instead"
        )
    if measure.name == BUDGET and value < 1:
        raise refuse(
            "BR521",
            f"a budget of {_plain(value)} alerts is no budget",
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
