"""`baserate triage`: which cases to act on, which to review first, and which to let pass."""

from __future__ import annotations

from typing import Any

import click

from baserate.cli import options
from baserate.cli.runner import ALONE, Request, Result, command, share_of
from baserate.decisions.triage import triage
from baserate.errors import refuse
from baserate.notation import number
from baserate.views import choices

OVERLOOKED = ("--overlooked is a share of the positives", "--overlooked 10%", "BR542")


@command("triage")
@options.file()
@options.listed("review", metavar="COST", help="Cost of reviewing a case.")
@click.option(
    "--abstain",
    metavar="COST",
    help="Instead of --review: cost of a case that is handed over undecided.",
)
@click.option("--overlooked", metavar="SHARE", help="The share of positives that a review misses.")
@click.option(
    "--most",
    metavar="REVIEWS",
    help="Most reviews allowed: a share of the cases (5%), or a number of them with --volume.",
)
@options.conditions
@options.listed("prior_from")
@options.answer
def triage_command(
    request: Request,
    review: str | None,
    abstain: str | None,
    overlooked: str | None,
    most: str | None,
) -> Result:
    """Set two thresholds: act on the highest scores, review those in between, let the rest pass.

    The cheapest of all pairs, at known costs and base rate, for each model, and what a single
    threshold would cost.

    \b
    Examples:
      baserate triage scores.csv --label fraud --score logit --score forest --prior 0.1% --cost fn=100,fp=5 --review 2
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --review 2 --overlooked 10% --most 5%
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --abstain 3 --most 200 --volume 1e5
    """  # noqa: E501
    given = request.estimated(ALONE).conditions
    at, cases = given.exact(), given.cases
    if len(at) != 1:
        raise refuse("BR503", "two thresholds are set at one base rate", "give one --prior")
    asked: dict[str, Any] = {
        "review": _number("--review", review),
        "abstain": _number("--abstain", abstain),
        "overlooked": 0 if overlooked is None else share_of(overlooked, *OVERLOOKED),
        "most": most if most is None or most.strip().endswith("%") else _number("--most", most),
        "volume": cases,
    }
    models = request.source.counted()
    found = {name: triage(counts, at=at[0], **asked) for name, counts in models.items()}
    return Result.of_models(
        "triage",
        models,
        at,
        [note for one in found.values() for note in one.notes],
        lambda: [choices.triaged(found)],
        lambda: {"triage": [choices.of_triage(name, one) for name, one in found.items()]},
    )


def _number(option: str, text: str | None) -> Any:
    if text is None:
        return None
    value = number(text)
    if value is None:
        raise refuse("BR514", f"{option} is a number, got {text!r}", f"{option} 2")
    return value.numerator if value.denominator == 1 else float(value)
