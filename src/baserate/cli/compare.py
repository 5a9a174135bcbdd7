"""`baserate compare`: is one model really better than another?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click

from baserate.cli import options
from baserate.cli.runner import (
    ConditionOptions,
    Request,
    Result,
    SourceOptions,
    command,
    thresholds_of,
)
from baserate.cli.show import clusters_of
from baserate.cli.terminal import Progress
from baserate.conditions import Conditions, Uncertain
from baserate.counts.counts import Counts, JointCounts
from baserate.curves.summaries import summary_named
from baserate.decisions.rules import parse_rule
from baserate.errors import Ledger, Note, refuse
from baserate.inference.differences import compare, compare_all
from baserate.inference.paired import Models
from baserate.inference.statistic import statistic_of
from baserate.measures.confusion import in_costs, parse
from baserate.read.frames import check_models
from baserate.read.joins import count_files_jointly
from baserate.read.saved import saved_joint
from baserate.results.values import Difference
from baserate.views import comparisons, document


class CompareOptions(NamedTuple):
    """The question that `compare` answers."""

    statistic: str | None
    rule: str | None
    thresholds: tuple[str, ...]
    against: str | None
    method: str | None
    cluster: str | None


@command("compare")
@options.file(weighted=False, metavar="FILE... [RULE]", nargs=-1, required=True)
@options.joining
@options.conditions
@options.listed("prior_from", "pilot")
@options.listed(
    "statistic",
    help=(
        'What to compare: auc, any summary, or any measure ("precision", "expected_cost",'
        ' "caught").'
    ),
)
@options.listed("rule", help="Read the measure where this rule chooses each model's threshold.")
@options.listed("budget_rule")
@options.listed(
    "thresholds", metavar="[MODEL=]SCORE", help="Fixed thresholds: one for all, or one per model."
)
@click.option(
    "--against",
    metavar="MODEL",
    help="Compare every other model with this one; otherwise every pair.",
)
@options.listed("cluster")
@options.intervals
@options.listed("method")
@options.answer
def compare_command(request: Request, **given: Any) -> Result:
    """Compare models on the same cases: the difference, its interval, and whether it is
    significant.

    By default AUC, by DeLong's test; with a base rate or costs the cost of the cheapest threshold,
    with a budget what it catches, by the same test as in baserate choose (--replicates resamples
    instead); with thresholds the share of errors, by McNemar's exact test. Several models are
    compared pair by pair, with Holm's adjustment. Base rate and costs may be ranges (one model must
    then be better over the whole range), log-uniform, or from a pilot sample.

    \b
    Examples:
      baserate compare scores.csv --label fraud --score logit --score forest
      baserate compare old.csv new.csv --label fraud --score m1 --id case
      baserate compare scores.csv --label fraud --score logit --score forest "alerts <= 200" --prior 0.1% --volume 1e6
      baserate compare scores.csv --label fraud --score logit --score forest --prior 1e-4..1e-2 --cost fn=100,fp=1
      baserate compare scores.csv --label fraud --score logit --score forest --threshold logit=0.5 --threshold forest=0.3
    """  # noqa: E501
    asked = CompareOptions(**given)
    request = request.estimated()
    conditions, intervals = request.conditions, request.intervals
    at = [conditions.uncertain()] if conditions.is_uncertain else conditions.exact()
    cases, (models, each, more) = conditions.cases, _counted(request.source, asked.cluster)
    cuts = thresholds_of(asked.thresholds, tuple(each))
    name = asked.statistic or _usual(conditions, asked.rule, cuts)
    summary = summary_named(name)
    how: dict[str, Any] = {
        "rule": asked.rule,
        "volume": cases,
        "level": intervals.level,
        "seed": intervals.seed,
        "method": asked.method,
        **({} if cuts is None else {"threshold": cuts}),
        **({} if intervals.replicates is None else {"replicates": intervals.replicates}),
    }
    found = _compared(summary or parse(name, cases), models, at, asked.against, how)
    if intervals.replicates is not None and all(one.replicates is None for one in found):
        raise refuse(
            "BR594",
            f"--replicates has no effect on {found[0].name}, compared by {found[0].method}",
            "leave it out",
        )
    said = [note for one in at if isinstance(one, Conditions) for note in one.notes]
    own = document.notes_of(each, {})
    notes = [*own, *more, *(note for difference in found for note in difference.notes), *said]
    caught = _within_budget(conditions, asked.rule) and not conditions.costs_given
    by_cost = in_costs(name) or (summary is None and cuts is None and not caught)
    first = next(iter(each.values()))
    return _result(found, notes, first.ledger, intervals.seed, first, by_cost=by_cost)


def _result(
    found: Sequence[Difference],
    notes: Sequence[Note],
    ledger: Ledger,
    seed: int,
    sample: Counts | None = None,
    *,
    by_cost: bool = False,
) -> Result:
    """Comparisons with their notes; `sample` where their conditions have a part in it."""
    merged = document.merged(notes)
    return Result(
        merged,
        lambda: comparisons.of_comparisons("compare", ledger.sources, found, merged, seed, sample),
        lambda: [comparisons.of_differences(found, by_cost=by_cost)],
        ledger.sources,
    )


def _counted(
    source: SourceOptions, cluster: str | None
) -> tuple[Models, dict[str, Counts], tuple[Note, ...]]:
    """The models on the same cases, or on the same clusters; each alone; and notes on clusters."""
    if cluster is None:
        joint = _joint(source)
        return joint, {name: joint.marginal(name) for name in joint.models}, ()
    if len(source.paths) > 1:
        raise refuse(
            "BR594",
            "clusters are compared on the models of one file",
            "give one FILE, or leave --cluster out",
        )
    check_models(source.scores)
    clusters = clusters_of(source, cluster)
    return clusters.groups, clusters.models, clusters.notes


def _joint(source: SourceOptions) -> JointCounts:
    """The models on the same cases: of one file or several, or counted before."""
    if len(source.paths) == 1 and source.is_saved:
        source.check_saved(_joined(source))
        return saved_joint(source.path, source.scores)
    wanted = source.wanted(id=source.id)
    with source.reading():
        return count_files_jointly(
            source.paths, wanted, source.options, by_position=source.by_position, join=source.join
        )


def _joined(source: SourceOptions) -> dict[str, Any]:
    """The options that join files."""
    return {"--id": source.id, "--join": source.join, "--by-position": source.by_position}


def _within_budget(conditions: ConditionOptions, rule: str | None) -> bool:
    return rule is not None and parse_rule(rule, conditions.cases).budget is not None


def _usual(conditions: ConditionOptions, rule: str | None, cuts: Any) -> str:
    """What people mean when they do not name a statistic."""
    if _within_budget(conditions, rule) and not conditions.costs_given:
        return "caught"
    if conditions.costs_given or conditions.priors or conditions.pilot:
        return "expected_cost"
    if cuts is not None:
        return "error"
    if rule is not None:
        on_recall = {term.measure.name for term in parse_rule(rule, None).terms} <= {"tpr", "fnr"}
        raise refuse(
            "BR594",
            "a rule chooses thresholds, and no measure to compare there is given",
            f"--statistic {'specificity' if on_recall else 'recall'}",
        )
    return "auc"


def _compared(
    measure: Any,
    models: Models,
    at: Sequence[Conditions | Uncertain],
    against: str | None,
    asked: dict[str, Any],
) -> list[Difference]:
    """Every pair at every base rate; the base rates do not matter to what does not depend on
    them.
    """
    found: list[Difference] = []
    described = {key: value for key, value in asked.items() if key in ("rule", "volume")}
    if "threshold" in asked:
        described["threshold"] = next(iter(asked["threshold"].values()))
    first = at[0].middle()
    matters = statistic_of(measure, at=first, **described)
    with Progress("resampling") as progress:
        for conditions in at if matters.at_matters else at[:1]:
            given = {**asked, "at": conditions, "progress": progress}
            names = models.models if isinstance(models, JointCounts) else tuple(models)
            if len(names) == 2 and against is None:
                found.append(compare(models, measure, **given))
            else:
                found += compare_all(models, measure, against=against, **given)
    return found if matters.at_matters else [replace(difference, at=None) for difference in found]
