"""`plan`: how many cases does a test set need?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from baserate import notation
from baserate.conditions import Conditions, CostsLike, Prior, exact_conditions
from baserate.decisions.rules import parse_rule
from baserate.errors import Fix, quoted, refuse
from baserate.inference.sample_size import (
    POWER,
    SENSES,
    Cases,
    cases_at_prior,
    cases_for_auc,
    cases_for_margin,
    cases_for_mcnemar,
    cases_for_width,
    cases_needed,
    checked_auc,
    checked_power,
    checked_ratio,
    checked_share,
    expected_rates,
    exponential_variances,
    parse_line,
    power_at_prior,
    power_to_show,
    refuse_plan,
)
from baserate.measures.confusion import parse
from baserate.measures.registry import CLASS_OF
from baserate.numbers import rounded
from baserate.results.plan import Design, Plan
from baserate.results.values import checked_level
from baserate.verbs.sources import verb

MCNEMAR = "mcnemar"
AUC = re.compile(r"\s*(?:roc[ _-]?)?auc\s*(?:>=|≥)\s*(\S+)\s*", flags=re.IGNORECASE)
MARGIN = re.compile(r"\s*(?:error|accuracy)\s+no worse than\s+(\S+)\s*", flags=re.IGNORECASE)
WIDTH = re.compile(r"\s*(.+?)\s*(?:±|\+-|\+/-)\s*(\S+(?:\s*%)?)\s*")
# What each kind of requirement depends on; anything else that is given is refused.
TAKES = {
    "rate": {"expect", "power", "cases", "prior"},
    "width": {"expect", "power", "prior"},
    "at prior": {"expect", "power", "cases", "ratio", "prior", "costs"},
    "auc": {"expect", "power", "ratio"},
    "mcnemar": {"power", "discordant", "difference"},
    "margin": {"power", "discordant", "difference"},
}
NEEDS = {
    "width": {"expect": "0.9"},
    "at prior": {"expect": "tpr=0.9,fpr=0.01"},
    "auc": {"expect": "0.85"},
    "mcnemar": {"discordant": "10%", "difference": "3%"},
    "margin": {"discordant": "10%"},
}
# Where positives are to be few, so many negatives that they add only this part of the variance:
# more of them would hardly save positives.
FEW_POSITIVES = 0.1
# The fewest cases in total are looked for at ratios that differ by this factor.
STEP = 1.5


@verb
def plan(  # noqa: PLR0913 (each is a question of its own)
    requirement: str,
    /,
    *,
    expect: float | str | Mapping[str, Any] | None = None,
    power: float | str | None = None,
    cases: int | None = None,
    ratio: float | str | None = None,
    discordant: float | str | None = None,
    difference: float | str | None = None,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    level: float = 0.95,
) -> Plan:
    """How many cases does it take to demonstrate a requirement, or to find a difference?

    Demonstrated means that the one-sided bound at `level` meets the requirement. The numbers are
    those with which a test set succeeds with probability `power`, four times in five by default.

    Parameters
    ----------
    requirement : str
        A rate of one class ("recall >= 0.9") or how precisely to estimate it ("recall ± 5%"), a
        measure at a base rate ("precision >= 0.2", "cost <= 0.05"), "auc >= 0.8", "mcnemar" (is one
        of two models better?), or "error no worse than 1%" (non-inferiority).
    expect : float, str or mapping, optional
        Expected rates: 0.95, or "tpr=0.9,fpr=0.01". Without it, of a rate: the fewest cases that
        can demonstrate it, when no error is seen.
    power : float or str, optional
        Probability of success (default: 80%).
    cases : int, optional
        Number of positives (for fpr and tnr: negatives) that there are: find the power instead.
    ratio : float or str, optional
        Negatives per positive in the test set (default: three ratios to choose from).
    discordant : float or str, optional
        Share of cases only one model gets right.
    difference : float or str, optional
        True difference between the models.
    at : Conditions, optional
        Base rate in the field, and costs; or give these by themselves.
    prior : float or str, optional
        Base rate in the field.
    costs : Costs or mapping, optional
        Cost of each outcome.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    Plan
        With `.positives`, `.negatives` or `.cases`, and all `.designs`.

    Examples
    --------
    >>> import baserate as br
    >>> br.plan("recall >= 0.9", expect=0.95).positives
    203
    >>> print(br.plan("recall ± 5%", expect=0.9))
    165 positives make the 95 % interval of tpr reach at most 5% to each side with power 80 % if it is 0.9.
    >>> plan = br.plan("precision >= 0.2", expect="tpr=0.9,fpr=0.01", prior=0.005)
    >>> [(design.name, design.positives, design.negatives) for design in plan.designs]
    [('few positives', 10, 25000), ('fewest cases', 92, 1564), ('balanced', 1470, 1470)]

    """  # noqa: E501
    kind, parts = recognize_kind(requirement)
    at = exact_conditions(at, prior, costs) or Conditions()
    given = {
        "expect": expect,
        "power": power,
        "cases": cases,
        "ratio": ratio,
        "discordant": discordant,
        "difference": difference,
        "prior": at.prior,
        "costs": at.costs if at.costs_given else None,
    }
    check_given(requirement, kind, given)
    share = rounded(checked_share(POWER if power is None else power, "power"))
    question = Question(requirement.strip(), parts, checked_level(level), checked_power(share))
    if kind == "mcnemar":
        return plan_mcnemar(question, discordant, difference)
    if kind == "margin":
        return plan_margin(question, discordant, difference)
    if kind == "auc":
        return plan_auc(question, expect, ratio)
    if kind == "width":
        return plan_width(question, expect, at)
    if kind == "rate":
        return plan_rate(question, expect, cases, at)
    return plan_at_prior(question, expect, cases, ratio, at)


@dataclass(frozen=True)
class Question:
    """What is planned for: the requirement, the parts that it was read into, and how sure."""

    requirement: str
    parts: tuple[str, ...]
    level: float
    power: float

    def answer(self, kind: str, *designs: Design, method: str, **found: Any) -> Plan:
        """Return the plan with this power, unless another is found."""
        first = designs[0]
        given = {"requirement": self.requirement, "power": self.power, "level": self.level}
        return Plan(
            kind,
            positives=first.positives,
            negatives=first.negatives,
            cases=first.cases,
            designs=designs,
            method=method,
            **{**given, **found},
        )


def recognize_kind(requirement: str) -> tuple[str, tuple[str, ...]]:
    """Return which kind of requirement this is, and its parts."""
    if not isinstance(requirement, str):
        raise refuse(
            "BR533", f"a requirement is a text, got {quoted(requirement)}", "recall >= 0.9"
        )
    if requirement.strip().casefold() == MCNEMAR:
        return "mcnemar", ()
    for kind, pattern in (("auc", AUC), ("margin", MARGIN), ("width", WIDTH)):
        if found := pattern.fullmatch(requirement):
            return kind, found.groups()
    terms = parse_rule(requirement, 1e6).terms  # a budget is read, and refused for what it is
    name = terms[0].measure.name if len(terms) == 1 else ""
    return ("rate", (str(terms[0]), name)) if name in SENSES else ("at prior", ())


def check_given(requirement: str, kind: str, given: Mapping[str, Any]) -> None:
    """Refuse what this kind of requirement does not take, and what it cannot do without."""
    for name, value in given.items():
        if value is not None and name not in TAKES[kind]:
            fix = Fix(f"leave {name}= out", f"leave --{name} out")
            raise refuse("BR002", f"{name} has no effect on {quoted(requirement)}", fix)
    for name, example in NEEDS.get(kind, {}).items():
        if given[name] is None:
            fix = Fix(f'{name}="{example}"', f"--{name} {example}")
            raise refuse_plan(f"{quoted(requirement)} needs {name}", fix)
    if given["power"] is not None and given["cases"] is not None:
        raise refuse_plan("power and cases are given together", "give one of them")
    if given["expect"] is None and kind == "rate":
        for name in ("power", "cases"):
            if given[name] is not None:
                fix = Fix('expect="0.95"', "--expect 0.95")
                raise refuse_plan(f"{name} depends on the true rate", fix)


def plan_mcnemar(question: Question, discordant: Any, difference: Any) -> Plan:
    """Plan to find which of two models is better."""
    found = cases_for_mcnemar(
        discordant=discordant, difference=difference, level=question.level, power=question.power
    )
    return question.answer(
        "mcnemar",
        Design(cases=found),
        method="exact test of McNemar, two-sided",
        assumed={"discordant": str(discordant), "difference": str(difference)},
        requirement=MCNEMAR,
    )


def plan_margin(question: Question, discordant: Any, difference: Any) -> Plan:
    """Plan to demonstrate that one model is not worse than another by more than a margin."""
    (margin,) = question.parts
    found = cases_for_margin(
        discordant=discordant,
        margin=margin,
        difference=difference or 0,
        level=question.level,
        power=question.power,
    )
    assumed = {"margin": margin, "discordant": str(discordant)}
    return question.answer(
        "margin",
        Design(cases=found),
        method="two-sided interval of Bonett and Price within the margin",
        assumed=assumed if difference is None else {**assumed, "difference": str(difference)},
    )


def plan_auc(question: Question, expect: Any, ratio: Any) -> Plan:
    """Plan to demonstrate a lower limit of AUC."""
    (limit,) = question.parts
    designs = design_each(
        partial(
            cases_for_auc,
            expect=expect,
            at_least=limit,
            level=question.level,
            power=question.power,
        ),
        ratio,
        exponential_variances(checked_auc(expect, "expect")),
    )
    return question.answer(
        "auc",
        *designs,
        method="normal approximation, variance of Hanley and McNeil",
        assumed={"auc": str(expect)},
        requirement=f"AUC >= {limit}",
    )


def plan_width(question: Question, expect: Any, at: Conditions) -> Plan:
    """Plan to estimate a rate of one class with a given precision."""
    name, within = question.parts
    found = cases_for_width(
        name, expect=expect, within=within, level=question.level, power=question.power
    )
    return question.answer(
        "width",
        design_of_class(parse(name).name, found),
        method="two-sided interval of Wilson, or Clopper and Pearson where fewer than ten are seen",
        assumed={parse(name).name: str(expect), "within": within},
        prior=at.prior,
    )


def plan_rate(question: Question, expect: Any, cases: int | None, at: Conditions) -> Plan:
    """Plan to demonstrate a rate of one class; or find the power of the cases that there are."""
    requirement, name = question.parts
    level = question.level
    fewest = cases_needed(requirement, level=level)
    power: float | None = question.power
    if cases is not None:
        needed = cases
        power = power_to_show(requirement, expect=expect, cases=cases, level=level)
    elif expect is not None:
        needed = cases_needed(requirement, expect=expect, level=level, power=question.power)
    else:
        needed, power = fewest, None
    return question.answer(
        "rate" if cases is None else "power",
        design_of_class(name, needed),
        method="one-sided bound of Clopper and Pearson",
        assumed={} if expect is None else {name: str(expect)},
        requirement=requirement,
        power=power,
        fewest=fewest,
        prior=at.prior,
    )


def plan_at_prior(
    question: Question, expect: Any, cases: int | None, ratio: Any, at: Conditions
) -> Plan:
    """Plan to demonstrate what depends on both classes, at a base rate."""
    assumed = parse_rates(expect)
    asked: dict[str, Any] = {"expect": assumed, "at": at, "level": question.level}
    requirement, power = question.requirement, question.power
    if cases is not None:
        share = checked_ratio(parse_ratio(ratio or 1))
        designs = [Design("", cases, max(1, round(cases * share)))]
        power = power_at_prior(
            requirement, positives=cases, negatives=designs[0].negatives or 1, **asked
        )
    else:
        tpr, fpr = expected_rates(assumed)
        line = parse_line(requirement, at)
        variances = tpr * (1 - tpr), line.slope**2 * fpr * (1 - fpr)
        designs = design_each(
            partial(cases_at_prior, requirement, power=power, **asked), ratio, variances
        )
    return question.answer(
        "at prior" if cases is None else "power",
        *designs,
        method="one-sided bound, as in baserate gate",
        assumed=assumed,
        power=power,
        prior=at.prior,
    )


def design_of_class(rate: str, cases: int) -> Design:
    """Return this number of cases of the class that a rate is about."""
    return Design(negatives=cases) if CLASS_OF[rate] else Design(positives=cases)


def design_each(
    plan_cases: Callable[..., Cases], ratio: Any, variances: tuple[float, float]
) -> list[Design]:
    """Return the design with this many negatives per positive; or three to choose from.

    `variances` are those that one case of each class adds. In large samples the fewest cases in
    total are needed where the classes are as their standard deviations (Neyman's allocation).
    """
    if ratio is not None:
        return [Design("", *plan_cases(negatives_per_positive=parse_ratio(ratio)))]
    designs = {"balanced": plan_cases(negatives_per_positive=1)}
    of_positives, of_negatives = variances
    if of_positives and of_negatives:
        few = of_negatives / of_positives * (1 - FEW_POSITIVES) / FEW_POSITIVES
        designs = {
            "few positives": plan_cases(negatives_per_positive=two_digits(few)),
            "fewest cases": fewest_cases(plan_cases, math.sqrt(of_negatives / of_positives)),
            **designs,
        }
    return [Design(name, *cases) for name, cases in designs.items()]


def fewest_cases(plan_cases: Callable[..., Cases], ratio: float) -> Cases:
    """Return the plan with the fewest cases in total, by steps from a first guess of the ratio."""
    best = plan_cases(negatives_per_positive=two_digits(ratio))
    for factor in (STEP, 1 / STEP):
        other = ratio * factor
        while sum(found := plan_cases(negatives_per_positive=two_digits(other))) < sum(best):
            best, other = found, other * factor
    return best


def two_digits(number: float) -> float:
    """Return a number with two significant digits."""
    return float(f"{number:.2g}")


def parse_ratio(ratio: Any) -> Any:
    """Return negatives per positive, which may be typed."""
    number = notation.parse_number(ratio) if isinstance(ratio, str) else ratio
    if number is None:
        raise refuse_plan(
            f"a ratio is a number, got {quoted(ratio)}", Fix("ratio=10", "--ratio 10")
        )
    return number


def parse_rates(expect: Any) -> dict[str, str]:
    """Return expected rates by name: of a mapping, or as they are typed, tpr=0.9,fpr=0.01."""
    if isinstance(expect, Mapping):
        return {str(name): str(value) for name, value in expect.items()}
    found: dict[str, str] = {}
    for part in str(expect).split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise refuse_plan(
                f"expected rates are written by name, got {quoted(part)}",
                Fix('expect="tpr=0.9,fpr=0.01"', "--expect tpr=0.9,fpr=0.01"),
            )
        found[name] = value
    return found
