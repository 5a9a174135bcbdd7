"""`baserate plan`: how many cases a test set needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from baserate import notation
from baserate.cli import options
from baserate.cli.runner import Request, Result, check_unused, command, share_of, volume_of
from baserate.conditions import Conditions
from baserate.decisions.rules import parse_rule
from baserate.errors import grouped, number_of, quoted, refuse
from baserate.inference.sample_size import (
    SENSES,
    Cases,
    cases_at_prior,
    cases_for_auc,
    cases_for_margin,
    cases_for_mcnemar,
    cases_needed,
    power_at_prior,
    power_to_show,
)
from baserate.measures.registry import CLASS_OF
from baserate.results.values import percent
from baserate.views import document

MCNEMAR = "mcnemar"
AUC = re.compile(r"\s*(?:roc[ _-]?)?auc\s*(?:>=|≥)\s*(\S+)\s*", flags=re.IGNORECASE)
MARGIN = re.compile(r"\s*(?:error|accuracy)\s+no worse than\s+(\S+)\s*", flags=re.IGNORECASE)
POWER = 0.8
A_POWER = "a power is a share"


@dataclass(frozen=True)
class Plan:
    """What is planned for, how many cases that takes, and how it was found."""

    kind: str
    requirement: str
    level: float
    power: float | None
    sentence: str
    method: str
    positives: int | None = None
    negatives: int | None = None
    cases: int | None = None

    def answer(self) -> dict[str, Any]:
        """As JSON."""
        counted = {"positives": self.positives, "negatives": self.negatives, "cases": self.cases}
        return document.answer(
            "plan",
            (),
            (),
            models=[],
            plan={
                "kind": self.kind,
                "requirement": self.requirement,
                **counted,
                "power": self.power,
                "level": self.level,
                "method": self.method,
            },
        )


@dataclass(frozen=True)
class Asked:
    """The question that `plan` answers, as it was typed."""

    requirement: str
    expect: str | None
    power: float | None
    cases: int | None
    ratio: str | None
    discordant: str | None
    difference: str | None
    level: float

    def unused(self, *names: str) -> None:
        """Refuse what this kind of requirement does not take."""
        given = {f"--{name}": getattr(self, name) is not None for name in names}
        check_unused(given, f"on {quoted(self.requirement)}")

    @property
    def wanted(self) -> float:
        """The power, as given or as usual."""
        return POWER if self.power is None else self.power

    def plan(self, kind: str, sentence: str, method: str, **found: Any) -> Plan:
        """The plan with this power, unless another is found."""
        asked = {"requirement": self.requirement, "level": self.level, "power": self.wanted}
        return Plan(kind, sentence=sentence, method=method, **{**asked, **found})

    @property
    def negatives_per_positive(self) -> float:
        """The ratio of the classes in the test set."""
        found = None if self.ratio is None else notation.number(self.ratio)
        if self.ratio is not None and found is None:
            raise refuse("BR585", f"a ratio is a number, got {quoted(self.ratio)}", "--ratio 10")
        return 1.0 if found is None else float(found)

    def needed(self, name: str, example: str) -> str:
        """An option that this requirement cannot do without."""
        given: str | None = getattr(self, name)
        if given is None:
            raise refuse(
                "BR585", f"{quoted(self.requirement)} needs --{name}", f"--{name} {example}"
            )
        return given


@command("plan")
@click.argument("requirement", metavar="REQUIREMENT")
@click.option("--expect", metavar="RATES", help="Expected rates: 0.95, or tpr=0.9,fpr=0.01.")
@click.option("--power", metavar="SHARE", help="Probability of success (default: 80%).")
@click.option(
    "--cases",
    metavar="NUMBER",
    help="Number of positives (for fpr and tnr: negatives): print the power.",
)
@click.option(
    "--ratio", metavar="NUMBER", help="Negatives per positive in the test set (default: 1)."
)
@click.option("--discordant", metavar="SHARE", help="Share of cases only one model gets right.")
@click.option("--difference", metavar="SHARE", help="True difference between the models.")
@options.listed("priors", "costs", "profits")
@options.listed("level")
@options.answer
def plan(request: Request, requirement: str, **given: Any) -> Result:
    """Print how many cases it takes to demonstrate a requirement, or to find a difference.

    REQUIREMENT is a rate of one class ("recall >= 0.9"), a measure at a base rate ("precision >=
    0.2", "cost <= 0.05"), "auc >= 0.8", mcnemar (is one of two models better?), or "error no worse
    than 1%" (non-inferiority). Demonstrated means that the one-sided bound at --level meets it.

    \b
    Examples:
      baserate plan "recall >= 0.9" --expect 0.95
      baserate plan "recall >= 0.9" --expect 0.95 --cases 100
      baserate plan "precision >= 0.2" --expect tpr=0.9,fpr=0.01 --prior 0.5% --ratio 10
      baserate plan "cost <= 0.05" --expect tpr=0.9,fpr=0.01 --prior 0.1% --cost fn=100,fp=1
      baserate plan "auc >= 0.8" --expect 0.85 --ratio 10
      baserate plan mcnemar --discordant 10% --difference 3%
      baserate plan "error no worse than 3%" --discordant 10%
    """
    power, cases = given.pop("power"), volume_of(given.pop("cases"))
    asked = Asked(
        requirement,
        power=None if power is None else share_of(power, A_POWER, "--power 80%", "BR585"),
        cases=None if cases is None else round(cases),
        level=request.intervals.level,
        **given,
    )
    if asked.power is not None and asked.cases is not None:
        raise refuse("BR585", "--power and --cases are given together", "give one of them")
    found = _planned(asked, request)
    return Result((), found.answer, lambda: [found.sentence])


def _planned(asked: Asked, request: Request) -> Plan:
    """The plan for this kind of requirement."""
    prior, cost = {"--prior": request.conditions.priors}, {"--cost": request.conditions.costs_given}
    where = f"of {quoted(asked.requirement)}"
    mcnemar = asked.requirement.strip().casefold() == MCNEMAR
    margin, auc = MARGIN.fullmatch(asked.requirement), AUC.fullmatch(asked.requirement)
    if mcnemar or margin or auc:
        check_unused({**prior, **cost}, where)
        if margin:
            return _margin(asked, margin[1])
        return _auc(asked, auc[1]) if auc else _mcnemar(asked)
    asked.unused("discordant", "difference")
    terms = parse_rule(asked.requirement, 1e6).terms
    if len(terms) == 1 and terms[0].measure.name in SENSES:
        check_unused(cost, where)
        return _rate(asked, request)
    return _at_prior(asked, request)


def _conditions(request: Request) -> Conditions:
    found = request.conditions.exact()
    if len(found) > 1:
        raise refuse("BR585", "a plan is made for one base rate", "--prior 0.1%")
    return found[0]


def _rate(asked: Asked, request: Request) -> Plan:
    """A rate within one class."""
    asked.unused("ratio")
    term = parse_rule(asked.requirement).terms[0]
    kind = ("positive", "negative")[CLASS_OF[term.measure.name]]
    method, at = "one-sided bound of Clopper and Pearson", _conditions(request)
    if asked.cases is not None:
        expected = asked.needed("expect", "0.95")
        power = power_to_show(str(term), expecting=expected, cases=asked.cases, level=asked.level)
        said = (
            f"{number_of(asked.cases, kind)} demonstrate {term} with power {_share(power)} if it is"
            f" {expected} ({percent(asked.level)} {method})."
        )
        found = {f"{kind}s": asked.cases, "requirement": str(term)}
        return asked.plan("power", said, method, power=power, **found)
    least = cases_needed(str(term), level=asked.level)
    if asked.expect is None:
        asked.unused("power")
        said = (
            f"{number_of(least, kind)} without a single error demonstrate {term}"
            f" ({percent(asked.level)} {method}). For the number that succeeds with a given power,"
            " add --expect."
        )
        found = {f"{kind}s": least, "requirement": str(term)}
        return asked.plan("rate", said, method, power=None, **found)
    number = cases_needed(str(term), expecting=asked.expect, level=asked.level, power=asked.wanted)
    said = (
        f"{number_of(number, kind)} demonstrate {term} with power {_share(asked.wanted)} if it is"
        f" {asked.expect} ({percent(asked.level)} {method}). {grouped(least)} would do if no error"
        f" is seen.{_to_collect(number, kind, at)}"
    )
    found = {f"{kind}s": number, "requirement": str(term)}
    return asked.plan("rate", said, method, **found)


def _to_collect(number: int, kind: str, at: Conditions) -> str:
    if at.prior is None:
        return ""
    share = at.prior if kind == "positive" else 1 - at.prior
    cases = grouped(round(number / share))
    return f" At a base rate of {notation.base_rate(at.prior)} about {cases} cases contain them."


def _at_prior(asked: Asked, request: Request) -> Plan:
    """What depends on both classes, at a base rate."""
    expected = _rates(asked.needed("expect", "tpr=0.9,fpr=0.01"))
    at, ratio = _conditions(request), asked.negatives_per_positive
    told = " and ".join(f"{name} is {value}" for name, value in expected.items())
    method = "one-sided bound, as in baserate gate"
    if asked.cases is not None:
        cases = Cases(asked.cases, max(1, round(asked.cases * ratio)))
        power = power_at_prior(
            asked.requirement,
            expecting=expected,
            at=at,
            positives=cases.positives,
            negatives=cases.negatives,
            level=asked.level,
        )
    else:
        power = asked.wanted
        cases = cases_at_prior(
            asked.requirement,
            expecting=expected,
            at=at,
            level=asked.level,
            power=power,
            negatives_per_positive=ratio,
        )
    said = (
        f"{number_of(cases.positives, 'positive')} and {number_of(cases.negatives, 'negative')}"
        f" demonstrate {asked.requirement} at a base rate of {notation.base_rate(at.prior)} with"
        f" power {_share(power)} if {told} ({percent(asked.level)} {method})."
    )
    kind = "power" if asked.cases is not None else "at prior"
    return asked.plan(kind, said, method, power=power, **cases._asdict())


def _rates(text: str) -> Mapping[str, str]:
    """Rates as they are typed: tpr=0.9,fpr=0.01."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise refuse(
                "BR585",
                f"expected rates are written by name, got {quoted(part)}",
                "--expect tpr=0.9,fpr=0.01",
            )
        found[name] = value
    return found


def _auc(asked: Asked, least: str) -> Plan:
    asked.unused("cases", "discordant", "difference")
    cases = cases_for_auc(
        expecting=asked.needed("expect", "0.85"),
        at_least=least,
        level=asked.level,
        power=asked.wanted,
        negatives_per_positive=asked.negatives_per_positive,
    )
    method = "normal approximation, variance of Hanley and McNeil"
    said = (
        f"{number_of(cases.positives, 'positive')} and {number_of(cases.negatives, 'negative')}"
        f" demonstrate AUC >= {least} with power about {_share(asked.wanted)} if it is"
        f" {asked.expect} ({percent(asked.level)} one-sided; {method})."
    )
    return asked.plan("auc", said, method, **cases._asdict())


def _mcnemar(asked: Asked) -> Plan:
    asked.unused("expect", "cases", "ratio")
    apart, ahead = asked.needed("discordant", "10%"), asked.needed("difference", "3%")
    cases = cases_for_mcnemar(
        discordant=apart, difference=ahead, level=asked.level, power=asked.wanted
    )
    method = "exact test of McNemar, two-sided"
    said = (
        f"{number_of(cases, 'case')}, scored by both models, find a difference of {ahead} with"
        f" power {_share(asked.wanted)} if {apart} of the cases are discordant"
        f" ({percent(asked.level)}, {method})."
    )
    return asked.plan("mcnemar", said, method, cases=cases, requirement=MCNEMAR)


def _margin(asked: Asked, margin: str) -> Plan:
    asked.unused("expect", "cases", "ratio")
    apart, worse = asked.needed("discordant", "10%"), asked.difference or "0"
    cases = cases_for_margin(
        discordant=apart, margin=margin, difference=worse, level=asked.level, power=asked.wanted
    )
    method = "two-sided interval of Bonett and Price within the margin"
    really = "it is as good" if asked.difference is None else f"it is really {worse} worse"
    said = (
        f"{number_of(cases, 'case')}, scored by both models, demonstrate that the candidate is no"
        f" more than {margin} worse with power {_share(asked.wanted)} if {really} and {apart} of"
        f" the cases are discordant ({percent(asked.level)} {method})."
    )
    return asked.plan("margin", said, method, cases=cases)


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"
