"""`baserate compare`: is one model really better than another?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from baserate import document
from baserate.cli import options
from baserate.cli.answers import tell_differences
from baserate.cli.comparing_large import within_memory
from baserate.cli.doubtful import conditions_of, is_doubtful, pilot
from baserate.cli.estimating import with_prior_from
from baserate.cli.sections import Sectioned
from baserate.cli.terminal import Progress
from baserate.conditions import Conditions
from baserate.decisions.rules import parse_rule
from baserate.engines.file_counts import joint_from
from baserate.engines.saved import is_saved, saved_joint
from baserate.errors import quoted, refuse
from baserate.joint import JointCounts
from baserate.measures.confusions import NOT_SAID
from baserate.measures.values import in_costs, parse
from baserate.notes import RANDOM
from baserate.summaries.values import summary_named
from baserate.uncertain import Uncertain
from baserate.uncertainty.comparing import compare, compare_all
from baserate.uncertainty.statistics import statistic_of
from baserate.uncertainty.values import Difference


@click.command(name="compare", cls=Sectioned)
@options.source_several
@options.conditions
@options.prior_from
@pilot
@click.option("--statistic", metavar="NAME", help='What to compare: auc, any summary, or any measure ("precision", "expected_cost", "caught").')
@click.option("--rule", metavar="RULE", help="Read the measure where this rule chooses each model's threshold.")
@click.option("--threshold", "thresholds", multiple=True, metavar="[MODEL=]SCORE", help="Fixed thresholds: one for all, or one a model.")
@click.option("--against", metavar="MODEL", help="Compare every other model with this one; otherwise every pair.")
@options.uncertainty
@click.option("--method", metavar="METHOD", help="delong, delong-t, percentile or mcnemar, instead of what suits the statistic.")
@options.as_json
@within_memory
@with_prior_from
def compare_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    design: str,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    pilot: str | None,
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

    By default AUC, by DeLong's test; with a base rate or costs the cost of the cheapest threshold, with a budget what it catches, by the
    same test as in baserate choose (--replicates resamples instead); with thresholds the share of errors, by McNemar's exact test.
    Several models are compared pair by pair, with Holm's adjustment. Base rate and
    costs may be ranges (one model must then lead all over them), log-uniform, or from a pilot sample. With --memory, AUC is compared from two
    readings of Parquet of any size.

    \b
    Examples:
      baserate compare scores.csv --label fraud --score logit --score forest
      baserate compare old.csv new.csv --label fraud --score m1 --id case
      baserate compare scores.csv --label fraud --score logit --score forest --rule "alerts <= 200" --prior 0.1% --volume 1e6
      baserate compare scores.csv --label fraud --score logit --score forest --prior 1e-4..1e-2 --cost fn=100,fp=1
      baserate compare scores.csv --label fraud --score logit --score forest --threshold logit=0.5 --threshold forest=0.3
      baserate compare "year/*.parquet" --label fraud --score logit --score forest --memory 1GB
    """
    at = _conditions(priors, costs, profits, pilot)
    cases, asked_level = options.volume_of(volume), options.level_of(level)
    joint = _joint(path, label, scores, positive, design)
    cuts = options.thresholds_of(thresholds, joint.models)
    name = statistic or _usual(rule, cuts, cases, given=bool(costs or profits or priors or pilot), given_costs=bool(costs or profits))
    summary = summary_named(name)
    measure: Any = summary if summary is not None else parse(name, cases)
    asked: dict[str, Any] = {"rule": rule, "volume": cases, "level": asked_level, "seed": seed, "method": method}
    if cuts is not None:
        asked["threshold"] = cuts
    if replicates is not None:
        asked["replicates"] = replicates
    found = _compared(measure, joint, at, against, asked)
    if replicates is not None and all(difference.replicates is None for difference in found):
        raise refuse("BR594", f"--replicates says nothing of {found[0].name}, which is compared by {found[0].method}", "leave it out")
    said = [note for conditions in at if isinstance(conditions, Conditions) for note in conditions.notes]
    own = document.notes_of({name: joint.marginal(name) for name in joint.models}, {})
    notes = [*own, *(note for difference in found for note in difference.notes), *said]
    by_cost = in_costs(name) or (summary is None and cuts is None and not (_within_budget(rule, cases) and not (costs or profits)))
    tell_differences(found, notes, joint.ledger, seed, joint, as_json=as_json, by_cost=by_cost)


def _conditions(
    priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...], pilot: str | None
) -> Sequence[Conditions | Uncertain]:
    """One set of conditions a base rate; or one for all, where they are not known exactly."""
    if not is_doubtful(priors, costs, profits, pilot):
        return options.conditions_of(priors, costs, profits)
    return [conditions_of(priors, costs, profits, pilot)]


def _joint(path: options.Given, label: str | None, scores: tuple[str, ...], positive: str | None, design: str) -> JointCounts:
    """The models on the same cases: of one file or several, or counted before."""
    rule = next((word for word in path.paths if "<=" in word or ">=" in word), None)
    if rule is not None:
        raise refuse("BR414", f"{quoted(rule)} is no file", f"a rule is given as --rule {shlex.quote(rule)}")
    if len(path.paths) == 1 and is_saved(path.path):
        joined = {"--id": path.id, "--join": path.join, "--by-position": path.by_position}
        options.check_saved(path, {"--label": label, "--positive": positive, "--design": design != RANDOM, **joined})
        return saved_joint(path.path, scores)
    wanted = options.wanted(path, label, scores, positive=positive, id=path.id, design=design)
    with options.reading(path.path):
        return joint_from(path.paths, wanted, path.options, by_position=path.by_position, join=path.join)


def _within_budget(rule: str | None, volume: float | None) -> bool:
    return rule is not None and parse_rule(rule, volume).budget is not None


def _usual(rule: str | None, cuts: Any, volume: float | None, *, given: bool, given_costs: bool) -> str:
    """What people mean when they do not name a statistic."""
    if _within_budget(rule, volume) and not given_costs:
        return "caught"
    if given:
        return "expected_cost"
    if cuts is not None:
        return "error"
    if rule is not None:
        raise refuse("BR594", "a rule chooses thresholds, and no measure to compare there is given", "--statistic precision")
    return "auc"


def _compared(
    measure: Any, joint: JointCounts, at: Sequence[Conditions | Uncertain], against: str | None, asked: dict[str, Any]
) -> list[Difference]:
    """Every pair at every base rate; the base rates do not matter to what does not depend on them."""
    found: list[Difference] = []
    described = {key: value for key, value in asked.items() if key in ("rule", "volume")}
    if "threshold" in asked:
        described["threshold"] = next(iter(asked["threshold"].values()))
    first = at[0].middle() if isinstance(at[0], Uncertain) else at[0]
    matters = statistic_of(measure, at=first, **described)
    with Progress("resampling") as progress:
        for conditions in at if matters.at_matters else at[:1]:
            given = {**asked, "at": conditions, "progress": progress}
            if given.get("threshold", NOT_SAID) is NOT_SAID:
                given.pop("threshold", None)
            if len(joint.models) == 2 and against is None:
                found.append(compare(measure, joint, **given))
            else:
                found += compare_all(measure, joint, against=against, **given)
    return found if matters.at_matters else [replace(difference, at=None) for difference in found]
