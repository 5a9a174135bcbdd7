"""`baserate compare`: is one model really better than another?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from baserate import document, judgements, tables, verdicts
from baserate.cli import options
from baserate.cli.answers import say
from baserate.cli.progress import Progress
from baserate.conditions import Conditions
from baserate.decisions.rules import parse_rule
from baserate.engines.file_counts import joint_from, models_named
from baserate.engines.wanted import Wanted
from baserate.errors import refuse
from baserate.joint import JointCounts
from baserate.measures.confusions import NOT_SAID
from baserate.measures.values import parse
from baserate.summaries.values import summary_named
from baserate.uncertainty.comparing import compare, compare_all
from baserate.uncertainty.statistics import statistic_of
from baserate.uncertainty.values import Difference


@click.command(name="compare")
@options.source_several
@options.conditions
@click.option("--statistic", metavar="NAME", help='What to compare: auc, any summary, or any measure ("precision", "expected_cost", "caught").')
@click.option("--rule", metavar="RULE", help="Read the measure where this rule chooses each model's threshold.")
@click.option("--threshold", "thresholds", multiple=True, metavar="[MODEL=]SCORE", help="Fixed thresholds: one for all, or one a model.")
@click.option("--against", metavar="MODEL", help="Compare every other model with this one; otherwise every pair.")
@options.uncertainty
@click.option("--method", metavar="METHOD", help="delong, delong-t, percentile or mcnemar, instead of what suits the statistic.")
@options.as_json
def compare_command(
    path: options.Given,
    label: str,
    scores: tuple[str, ...],
    positive: str | None,
    design: str,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    statistic: str | None,
    rule: str | None,
    thresholds: tuple[str, ...],
    against: str | None,
    level: str,
    replicates: int | None,
    seed: int,
    method: str | None,
    as_json: bool,
) -> None:
    """Compare models on the same cases: how much better, between which bounds, and could it be chance?

    By default AUC, by DeLong's test; with a base rate or costs the cost of the cheapest threshold, with a budget what it catches, with
    thresholds the share of errors, by McNemar's exact test. Several models are compared pair by pair, with Holm's adjustment.

    \b
    Examples:
      baserate compare scores.csv --label fraud --score logit --score forest
      baserate compare old.csv new.csv --label fraud --score m1 --id case
      baserate compare scores.csv --label fraud --score logit --score forest --rule "alerts <= 200" --prior 0.1% --volume 1e6
      baserate compare scores.csv --label fraud --score logit --score forest --threshold logit=0.5 --threshold forest=0.3
    """
    at, cases, asked_level = options.conditions_of(priors, costs, profits), options.volume_of(volume), options.level_of(level)
    cuts = options.thresholds_of(thresholds, models_named(path.paths, scores))
    name = statistic or _usual(rule, cuts, cases, given=bool(costs or profits or priors), given_costs=bool(costs or profits))
    summary = summary_named(name)
    measure: Any = summary if summary is not None else parse(name, cases)
    wanted = Wanted(label, scores, positive, id=path.id, design=design)
    joint = joint_from(path.paths, wanted, path.options, by_position=path.by_position, join=path.join)
    asked: dict[str, Any] = {"rule": rule, "volume": cases, "level": asked_level, "seed": seed, "method": method}
    if cuts is not None:
        asked["threshold"] = cuts
    if replicates is not None:
        asked["replicates"] = replicates
    found = _compared(measure, joint, at, against, asked)
    if replicates is not None and all(difference.replicates is None for difference in found):
        raise refuse("BR594", f"--replicates says nothing of {found[0].name}, which is compared by {found[0].method}", "leave it out")
    _tell(joint, found, seed, as_json=as_json)


def _tell(joint: JointCounts, found: list[Difference], seed: int, *, as_json: bool) -> None:
    models = {name: joint.marginal(name) for name in joint.models}
    notes = document.merged([*document.notes_of(models, {}), *(note for difference in found for note in difference.notes)])
    if as_json:
        click.echo(document.text(verdicts.of_comparisons("compare", joint, found, notes, seed=seed)))
    else:
        for used in joint.ledger.sources:
            click.echo(f"{tables.source(used)}\n")
        click.echo(judgements.of_differences(found))
    say(notes)


def _usual(rule: str | None, cuts: Any, volume: float | None, *, given: bool, given_costs: bool) -> str:
    """What people mean when they do not name a statistic."""
    if rule is not None and parse_rule(rule, volume).budget is not None and not given_costs:
        return "caught"
    if given:
        return "expected_cost"
    if cuts is not None:
        return "error"
    if rule is not None:
        raise refuse("BR594", "a rule chooses thresholds: what is to be compared there?", "--statistic precision")
    return "auc"


def _compared(measure: Any, joint: JointCounts, at: list[Conditions], against: str | None, asked: dict[str, Any]) -> list[Difference]:
    """Every pair at every base rate; the base rates do not matter to what does not depend on them."""
    progress = Progress("resampling")
    found: list[Difference] = []
    described = {key: value for key, value in asked.items() if key in ("rule", "volume")}
    if "threshold" in asked:
        described["threshold"] = next(iter(asked["threshold"].values()))
    matters = statistic_of(measure, at=at[0], **described)
    for conditions in at if matters.at_matters else at[:1]:
        given = {**asked, "at": conditions, "progress": progress}
        if given.get("threshold", NOT_SAID) is NOT_SAID:
            given.pop("threshold", None)
        if len(joint.models) == 2 and against is None:
            found.append(compare(measure, joint, **given))
        else:
            found += compare_all(measure, joint, against=against, **given)
    progress.close()
    return found if matters.at_matters else [replace(difference, at=None) for difference in found]
