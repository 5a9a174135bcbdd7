"""`baserate gate`: the check that a build runs. Exit status 0 passes, 1 does not."""

from __future__ import annotations

from typing import Any

import click

from baserate import document, judgements, tables, verdicts
from baserate.cli import options
from baserate.cli.answers import say
from baserate.cli.progress import Progress
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import choose
from baserate.decisions.rules import parse_rule
from baserate.engines.file_counts import group_names, groups_of, joint_of, models_of, slices_of
from baserate.engines.wanted import Wanted
from baserate.errors import InputError, quoted, refuse
from baserate.joint import JointCounts
from baserate.measures.confusions import NOT_SAID
from baserate.measures.values import parse
from baserate.notes import Note
from baserate.summaries.values import summary_named
from baserate.uncertainty.gates import OBSERVED, UNJUDGED, Regression, Requirement, regression, require
from baserate.uncertainty.resampling import checked_seed
from baserate.verdicts import Judged

NEGATIVE = 1


@click.command(name="gate")
@options.source_unscored
@click.argument("requirement", required=False)
@click.option("--baseline", metavar="COLUMN", help="The score of the model in use: compare a candidate with it, instead of a requirement.")
@click.option("--candidate", metavar="COLUMN", help="The score of the model that is to replace it.")
@options.conditions
@click.option("--threshold", "thresholds", multiple=True, metavar="[MODEL=]SCORE", help="The thresholds in use: one for all, or one a model.")
@click.option("--statistic", metavar="NAME", help="What to compare, instead of the share of errors: auc, expected_cost, any measure.")
@click.option("--rule", metavar="RULE", help="Read --statistic where this rule chooses each model's threshold.")
@click.option("--margin", type=float, metavar="NUMBER", help="Pass only where the candidate is shown to be at most so much worse.")
@click.option("--slice", "slices", metavar="COLUMN", help="Judge every value of this column on its own as well.")
@click.option("--accept-observed", is_flag=True, help="Pass a requirement that is observed, though these cases do not show it.")
@options.uncertainty
@options.as_json
@click.pass_context
def gate(
    context: click.Context,
    path: options.Given,
    label: str,
    scores: tuple[str, ...],
    positive: str | None,
    design: str,
    requirement: str | None,
    baseline: str | None,
    candidate: str | None,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    thresholds: tuple[str, ...],
    statistic: str | None,
    rule: str | None,
    margin: float | None,
    slices: str | None,
    accept_observed: bool,
    level: str,
    replicates: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Pass or fail: is a REQUIREMENT shown, or is a candidate worse than the baseline?

    A requirement is shown where its one-sided bound keeps it (exit status 0); observed but not shown, or missed, is 1. Without a threshold, a
    random half of the cases chooses one and the other half judges it. A comparison fails (1) where the candidate is worse with p < 0.05 (1
    less the level), two-sided, after Holm's adjustment over all cases and slices; a margin is asked of all cases together. Wrong input is 2,
    never 0.

    \b
    Examples:
      baserate gate scores.csv "precision >= 0.2 and recall >= 0.8" --label fraud --score m1 --threshold 0.5 --prior 1e-4
      baserate gate scores.csv --label fraud --baseline m1 --candidate m2 --threshold 0.5 --slice country
    """
    at, cases, asked_level = _one(options.conditions_of(priors, costs, profits)), options.volume_of(volume), options.level_of(level)
    names = _names(requirement, baseline, candidate, scores)
    cuts = options.thresholds_of(thresholds, names)
    where: dict[str, Any] = {"label": label, "positive": positive, "design": design}
    asked: dict[str, Any] = {"at": at, "volume": cases, "level": asked_level, "seed": checked_seed(seed)}
    if requirement is not None:
        _refuse_unused({"--margin": margin, "--statistic": statistic, "--rule": rule, "--replicates": replicates}, "a requirement")
        passed = _require(path, names, where, (requirement, cuts, slices), asked, accept_observed=accept_observed, as_json=as_json)
    else:
        _refuse_unused({"--accept-observed": accept_observed or None}, "a comparison")
        asked |= {"replicates": replicates} if replicates is not None else {}
        wanted = statistic or _usual(rule, cases, given=bool(costs or profits))
        passed = _compare(path, names, where, (wanted, rule, cuts, margin, slices), asked, as_json=as_json)
    context.exit(0 if passed else NEGATIVE)


def _one(at: list[Conditions]) -> Conditions:
    if len(at) > 1:
        raise refuse("BR596", "a gate is judged at one base rate", "give one --prior, or run it once for each")
    return at[0]


def _usual(rule: str | None, volume: float | None, *, given: bool) -> str:
    """What a gate compares when nothing is named: costs where they are given, what a budget catches, otherwise the share of errors."""
    if given:
        return "expected_cost"
    return "caught" if rule is not None and parse_rule(rule, volume).budget is not None else "error"


def _refuse_unused(given: dict[str, Any], kind: str) -> None:
    """Nothing is accepted and ignored."""
    for name, value in given.items():
        if value is not None:
            raise refuse("BR596", f"{name} says nothing of {kind}", "leave it out")


def _require(
    path: options.Given,
    names: tuple[str, ...],
    where: dict[str, Any],
    what: tuple[str, Any, str | None],
    asked: dict[str, Any],
    *,
    accept_observed: bool,
    as_json: bool,
) -> bool:
    judged, counted = _required(path, names, where, what, asked)
    passed = all(one.requirement.passed or (accept_observed and one.requirement.outcome == OBSERVED) for one in judged)
    said = [note for one in judged if one.requirement.outcome != UNJUDGED for note in one.requirement.notes]
    notes = document.merged([*(note for counts in counted for note in counts.notes), *said])
    sources = list(dict.fromkeys(source for counts in counted for source in counts.ledger.sources))
    if as_json:
        click.echo(document.text(verdicts.of_requirement(judged, notes, sources, asked["seed"], passed=passed)))
    else:
        click.echo(judgements.of_requirements(judged, passed=passed, level=asked["level"]))
        for used in sources:
            click.echo(f"\n{tables.source(used)}")
    say(notes)
    return passed


def _compare(
    path: options.Given,
    names: tuple[str, ...],
    where: dict[str, Any],
    what: tuple[str, str | None, Any, float | None, str | None],
    asked: dict[str, Any],
    *,
    as_json: bool,
) -> bool:
    cases = models_of(path.path, Wanted(scores=names, group=what[4], **where), path.options)
    joint, parts = joint_of(cases), slices_of(cases)
    verdict = _regressed(joint, parts, what[:4], asked)
    models = {name: joint.marginal(name) for name in joint.models}
    notes = document.merged([*document.notes_of(models, {}), *verdict.notes])
    if as_json:
        click.echo(document.text(verdicts.of_regression(joint, verdict, notes, seed=asked["seed"])))
    else:
        click.echo(judgements.of_regression(verdict))
        for used in joint.ledger.sources:
            click.echo(f"\n{tables.source(used)}")
    say(notes)
    return verdict.passed


def _names(requirement: str | None, baseline: str | None, candidate: str | None, scores: tuple[str, ...]) -> tuple[str, ...]:
    """The scores to judge: those asked for, or the two to compare."""
    if requirement is not None:
        if baseline or candidate:
            raise refuse("BR596", "a requirement and a comparison are two gates", "run them one after the other")
        if not scores:
            raise refuse("BR596", "a requirement is judged for a model", "--score COLUMN")
        if len(set(scores)) < len(scores):
            raise refuse("BR407", "a score is asked for twice", "name each score once")
        return scores
    if not baseline or not candidate:
        raise refuse(
            "BR596",
            "nothing to judge: give a requirement, or a baseline and a candidate",
            '"precision >= 0.2", or --baseline m1 --candidate m2',
        )
    if baseline == candidate:
        raise refuse("BR596", f"baseline and candidate are both {quoted(baseline)}", "name two models")
    if scores:
        raise refuse("BR596", "a comparison names its models by --baseline and --candidate", "leave --score out")
    return baseline, candidate


def _required(
    path: options.Given, names: tuple[str, ...], where: dict[str, Any], what: tuple[str, Any, str | None], asked: dict[str, Any]
) -> tuple[list[Judged], list[Counts]]:
    """The requirement for every model, over all cases and on every slice; a slice that cannot be judged is not passed over."""
    requirement, cuts, slices = what
    judged, counted = [], []
    for name in names:
        threshold = NOT_SAID if cuts is None else cuts[name]
        parts: dict[str, Counts] = {}
        if slices is None:
            whole = options.counted(path, where["label"], (name,), where["positive"], None, where["design"])[name]
        else:
            groups = groups_of(path.path, Wanted(scores=(name,), group=slices, **where), path.options)
            whole = groups.total()
            parts = {shown: groups[group] for shown, group in zip(group_names(list(groups)), groups, strict=True)}
        counted.append(whole)
        over_all = require(requirement, whole, threshold=threshold, **asked)
        judged.append(Judged(name, None, over_all))
        if over_all.point is not None:
            threshold = over_all.point.threshold  # slices are judged at the threshold of all cases
        for part, counts in sorted(parts.items()):
            judged.append(Judged(name, part, _on_slice(requirement, counts, threshold, asked)))
    return judged, counted


def _on_slice(requirement: str, counts: Counts, threshold: Any, asked: dict[str, Any]) -> Requirement:
    try:
        return require(requirement, counts, threshold=threshold, **asked)
    except InputError as error:
        problem = error.problems[0]
        return Requirement(UNJUDGED, (), None, (Note(problem.code, problem.text),))


def _regressed(
    joint: JointCounts, parts: dict[str, JointCounts], what: tuple[str, str | None, Any, float | None], asked: dict[str, Any]
) -> Regression:
    """The candidate against the baseline; without thresholds, each at its own cheapest one, which a note says."""
    statistic, rule, cuts, margin = what
    baseline, candidate = joint.models
    summary = summary_named(statistic)
    if cuts is not None and rule is not None:
        raise refuse("BR594", "the models are asked for at a rule and at a threshold", "give one of them")
    is_summary = summary is not None
    measure: Any = summary if summary is not None else parse(statistic, asked["volume"])
    if is_summary and (cuts is not None or rule is not None):
        raise refuse("BR594", f"{statistic} is a number of all cases: a threshold or rule says nothing of it", "leave them out")
    given, notes = dict(asked), tuple[Note, ...]()
    if rule is not None:
        given["rule"] = rule
    elif not is_summary and cuts is None:
        cuts, notes = _own_thresholds(joint, asked["at"])
    if not is_summary and rule is None:
        given["threshold"] = cuts
    progress = Progress("resampling")
    verdict = regression(parts or joint, baseline=baseline, candidate=candidate, statistic=measure, margin=margin, progress=progress, **given)
    progress.close()
    return Regression(verdict.passed, verdict.outcome, verdict.parts, verdict.margin, (*notes, *verdict.notes))


def _own_thresholds(joint: JointCounts, at: Conditions) -> tuple[dict[str, Any], tuple[Note, ...]]:
    cuts = {name: choose(joint.marginal(name), at=at).threshold for name in joint.models}
    shown = ", ".join(f"{quoted(name)} {'flags nothing' if cut is None else f'at {quoted(cut)}'}" for name, cut in cuts.items())
    return cuts, (Note("BR593", f"no thresholds are given: {shown}, each the cheapest on these same cases, taken as fixed in advance"),)
