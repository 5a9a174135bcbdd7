"""`baserate plan`: how many cases a test set needs."""

from __future__ import annotations

from typing import Any

import click

from baserate.cli import options
from baserate.cli.runner import Request, Result, command, volume_of
from baserate.errors import refuse
from baserate.verbs import plan as verbs
from baserate.views import document
from baserate.views.plans import write_plan
from baserate.views.results import plain


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
    "--ratio",
    metavar="NUMBER",
    help="Negatives per positive in the test set (default: three to choose from).",
)
@click.option("--discordant", metavar="SHARE", help="Share of cases only one model gets right.")
@click.option("--difference", metavar="SHARE", help="True difference between the models.")
@options.listed("priors", "costs", "profits")
@options.listed("level")
@options.answer
def plan(request: Request, requirement: str, cases: str | None, **given: Any) -> Result:
    """Print how many cases it takes to demonstrate a requirement, or to find a difference.

    REQUIREMENT is a rate of one class ("recall >= 0.9") or how well it is to be known ("recall ±
    5%"), a measure at a base rate ("precision >= 0.2", "cost <= 0.05"), "auc >= 0.8", mcnemar (is
    one of two models better?), or "error no worse than 1%" (non-inferiority). Demonstrated means
    that the one-sided bound at --level meets it.

    \b
    Examples:
      baserate plan "recall >= 0.9" --expect 0.95
      baserate plan "recall >= 0.9" --expect 0.95 --cases 100
      baserate plan "recall +- 5%" --expect 0.9
      baserate plan "precision >= 0.2" --expect tpr=0.9,fpr=0.01 --prior 0.5%
      baserate plan "cost <= 0.05" --expect tpr=0.9,fpr=0.01 --prior 0.1% --cost fn=100,fp=1
      baserate plan "auc >= 0.8" --expect 0.85 --ratio 10
      baserate plan mcnemar --discordant 10% --difference 3%
      baserate plan "error no worse than 3%" --discordant 10%
    """
    number, conditions = volume_of(cases), request.conditions.exact()
    if len(conditions) > 1:
        raise refuse("BR585", "a plan is made for one base rate", "--prior 0.1%")
    found = verbs.plan(
        requirement,
        cases=None if number is None else round(number),
        prior=conditions[0].prior if request.conditions.priors else None,
        costs=conditions[0].costs if request.conditions.costs_given else None,
        level=request.intervals.level,
        **given,
    )
    return Result(
        (),
        lambda: document.answer("plan", (), (), models=[], plan=plain(found)),
        lambda: [write_plan(found)],
    )
