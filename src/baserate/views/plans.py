"""A plan in words: how many cases, with which power, under which assumptions."""

from __future__ import annotations

from baserate import notation
from baserate.atomic import Grid
from baserate.errors import grouped, number_of
from baserate.results.plan import Design, Plan
from baserate.results.values import percent


def describe_plan(plan: Plan) -> str:
    """Return how many cases it takes; of several designs, the first."""
    describe = {
        "mcnemar": describe_mcnemar,
        "margin": describe_margin,
        "width": describe_width,
        "auc": describe_auc,
    }
    said = describe.get(plan.kind, describe_requirement)(plan)
    return said if len(plan.designs) == 1 else f"{said} Other ratios of the classes:"


def tabulate_designs(plan: Plan) -> list[str]:
    """Return a table of the designs, where there are several."""
    rows = [
        (
            design.name,
            grouped(design.positives or 0),
            grouped(design.negatives or 0),
            grouped((design.positives or 0) + (design.negatives or 0)),
        )
        for design in plan.designs
    ]
    table = Grid(("design", "positives", "negatives", "cases"), rows)
    return [table] if len(rows) > 1 else []


def describe_requirement(plan: Plan) -> str:
    """Return how many cases demonstrate a rate, or what depends on both classes."""
    bound = f"({percent(plan.level)} {plan.method})"
    shown = f"{name_cases(plan.designs[0])} demonstrate {plan.requirement}"
    if plan.power is None:
        return (
            f"{name_cases(plan.designs[0], ' without a single error')} demonstrate"
            f" {plan.requirement} {bound}. For the number that succeeds with a given power, add"
            " --expect."
        )
    power = f"with power {show_share(plan.power)}"
    if plan.fewest is None:
        rates = " and ".join(f"{name} is {value}" for name, value in plan.assumed.items())
        at = f"at a base rate of {notation.base_rate(plan.prior or 0)}"
        return f"{shown} {at} {power} if {rates} {bound}."
    (expected,) = plan.assumed.values()
    said = f"{shown} {power} if it is {expected} {bound}."
    if plan.kind == "rate":
        said += f" {grouped(plan.fewest)} would do if no error is seen."
    return said + describe_field(plan)


def describe_width(plan: Plan) -> str:
    """Return how many cases make the interval of a rate narrow."""
    (name, expected), (_, within) = plan.assumed.items()
    return (
        f"{name_cases(plan.designs[0])} make the {percent(plan.level)} interval of {name} reach at"
        f" most {within} to each side with power {show_share(plan.power)} if it is {expected}."
        f"{describe_field(plan)}"
    )


def describe_auc(plan: Plan) -> str:
    """Return how many cases demonstrate an AUC."""
    return (
        f"{name_cases(plan.designs[0])} demonstrate {plan.requirement} with power about"
        f" {show_share(plan.power)} if it is {plan.assumed['auc']} ({percent(plan.level)}"
        f" one-sided; {plan.method})."
    )


def describe_mcnemar(plan: Plan) -> str:
    """Return how many cases find a difference between two models."""
    return (
        f"{number_of(plan.cases or 0, 'case')}, scored by both models, find a difference of"
        f" {plan.assumed['difference']} with power {show_share(plan.power)} if"
        f" {plan.assumed['discordant']} of the cases are discordant ({percent(plan.level)},"
        f" {plan.method})."
    )


def describe_margin(plan: Plan) -> str:
    """Return how many cases demonstrate that a candidate is hardly worse."""
    worse = plan.assumed.get("difference")
    really = "it is as good" if worse is None else f"it is really {worse} worse"
    return (
        f"{number_of(plan.cases or 0, 'case')}, scored by both models, demonstrate that the"
        f" candidate is no more than {plan.assumed['margin']} worse with power"
        f" {show_share(plan.power)} if {really} and {plan.assumed['discordant']} of the cases are"
        f" discordant ({percent(plan.level)} {plan.method})."
    )


def describe_field(plan: Plan) -> str:
    """Return how many cases of the field contain those of one class."""
    if plan.prior is None:
        return ""
    positives, negatives = plan.positives, plan.negatives
    cases = positives / plan.prior if positives else (negatives or 0) / (1 - plan.prior)
    rate = notation.base_rate(plan.prior)
    return f" At a base rate of {rate} about {grouped(round(cases))} cases contain them."


def name_cases(design: Design, each: str = "") -> str:
    """Return the cases of each class in words."""
    named = (("positive", design.positives), ("negative", design.negatives))
    return " and ".join(number_of(cases, name) + each for name, cases in named if cases is not None)


def show_share(share: float | None) -> str:
    """Return a power as a percentage."""
    return f"{100 * (share or 0):.3g} %"
