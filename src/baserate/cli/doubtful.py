"""Conditions as people write them where they are not known exactly: ranges, log-uniform ranges, lists, a pilot sample."""

from __future__ import annotations

import re
from typing import Any

import click

from baserate.cli import options
from baserate.cli.estimating import Learned, whole_interval
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.errors import quoted, refuse
from baserate.notations import number
from baserate.spreads import LogUniform, Pilot, Range
from baserate.uncertain import OUTCOMES, Uncertain

LOG_UNIFORM = re.compile(r"\s*\(?log-?\s?uniform\)?\s*$", flags=re.IGNORECASE)
PILOT = re.compile(r"\s*(\d+)\s*(?:/|of|in|out of)\s*(\d+)\s*")

pilot = click.option("--pilot", metavar="POSITIVES/CASES", help="The base rate from a pilot sample of the field, instead of --prior: 12/5000.")
kind = click.option(
    "--kind",
    metavar="KIND",
    help="Of a base rate that is a distribution: unknown (one true value, averaged over) or varying (days, sites: the long run).",
)


def is_doubtful(priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...], pilot: str | None) -> bool:
    """Is anything given that is no number: a range, a distribution, a pilot sample?"""
    return pilot is not None or any(".." in text or LOG_UNIFORM.search(text) for text in (*priors, *costs, *profits))


def conditions_of(priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...], pilot: str | None) -> Uncertain | Conditions:
    """The conditions as they are written: numbers, ranges, a list, a log-uniform range, a pilot sample."""
    if costs and profits:
        raise refuse("BR513", "costs and profits are given together", "give --cost or --profit")
    if priors and pilot is not None:
        raise refuse("BR503", "a base rate and a pilot sample are given together", "give --prior or --pilot")
    chosen = costs_of(",".join(costs or profits), profits=bool(profits)) if costs or profits else None
    learned = next((text.estimate for text in priors if isinstance(text, Learned)), None)
    if learned is not None:
        return Uncertain(Range(*whole_interval(learned)), chosen)
    prior = _pilot(pilot) if pilot is not None else _prior([part for text in priors for part in options.shares(text)])
    return Uncertain(prior, chosen, earned=bool(profits))


def _pilot(text: str) -> Pilot:
    found = PILOT.fullmatch(text)
    if not found:
        raise refuse("BR588", f"a pilot sample is written as positives/cases, got {quoted(text)}", "--pilot 12/5000")
    return Pilot(int(found[1]), int(found[2]))


def _prior(parts: list[str]) -> Any:
    if len(parts) > 1:
        if any(".." in part for part in parts):
            raise refuse("BR503", "a range of base rates stands alone", "--prior 1e-5..1e-3")
        return parts
    if not parts:
        return None
    plain = LOG_UNIFORM.sub("", parts[0])
    if plain == parts[0]:
        return parts[0]
    low, dots, high = plain.partition("..")
    if not dots:
        raise refuse("BR503", f"{quoted(parts[0])} has no ends to lie between", '--prior "1e-5..1e-3 log-uniform"')
    return LogUniform(low.strip(), high.strip())


def costs_of(text: str, *, profits: bool) -> dict[str, Any]:
    """Costs as people write them, each a number or a range: fn=100..1000,fp=1."""
    spans = {}
    plain = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if ".." in value:
            low, _, high = value.partition("..")
            spans[name.strip().casefold()] = _range(name.strip(), low, high, profits=profits)
            plain.append(f"{name}={low}")
        else:
            plain.append(part)
    # Names are checked as those of plain costs are; what they cost, when the ranges are in place.
    parsed = {name: value for name, value in _checked(",".join(plain), profits=profits).items() if name not in spans}
    return {**parsed, **spans}


def _checked(text: str, *, profits: bool) -> dict[str, Any]:
    """Plain costs by name, only those that were given."""
    named = [part.partition("=")[0].strip().casefold() for part in text.split(",") if part.strip()]
    costs = Costs.parse(text, profits=profits)
    return {name: getattr(costs, name) for name in OUTCOMES if name in named or profits}


def _range(name: str, low: str, high: str, *, profits: bool) -> Range:
    ends = number(low), number(high)
    if ends[0] is None or ends[1] is None:
        text = f"the cost of {quoted(name, quotes=False)} is {quoted(f'{low}..{high}')}, which is no range of numbers"
        raise refuse("BR514", text, "--cost fn=100..1000,fp=1")
    first, last = (float(end) if end.denominator != 1 else end.numerator for end in ends if end is not None)
    if first > last:
        raise refuse("BR504", f"the range of the cost of {quoted(name, quotes=False)} is reversed: {first:g}..{last:g}", f"{last:g}..{first:g}")
    return Range(-last, -first) if profits else Range(first, last)
