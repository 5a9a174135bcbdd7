"""`baserate gate`: the check that a build runs. Exit status 0 passes, 1 does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import click
from click.core import ParameterSource

from baserate.cli import options
from baserate.cli.runner import (
    ConditionOptions,
    Request,
    Result,
    SourceOptions,
    check_unused,
    command,
    thresholds_of,
)
from baserate.cli.show import clusters_of
from baserate.cli.terminal import Progress
from baserate.conditions import Conditions, refuse_estimate
from baserate.curves.summaries import summary_named
from baserate.decisions.selection import flag_at
from baserate.errors import InputError, escaped, quoted, refuse
from baserate.gates import checks
from baserate.gates.settings import (
    SETTINGS,
    Comparison,
    Data,
    Demand,
    Outcome,
    Scenario,
    Scored,
    load,
    template,
)
from baserate.inference.clusters import with_clusters
from baserate.inference.requirements import require_of_clusters
from baserate.read.files import saved_models
from baserate.views import document, tables
from baserate.views.comparisons import Judged

NEGATIVE = 1
STDOUT = "-"
# What may be said beside a file of settings; everything else is said in it.
BESIDE = frozenset({"config", "markdown", "as_json", "output", "all_notes", "force", "private"})


@dataclass(frozen=True)
class GateOptions:
    """The question that `gate` answers."""

    requirement: str | None
    baseline: str | None
    candidate: str | None
    thresholds: tuple[str, ...]
    statistic: str | None
    rule: str | None
    margin: float | None
    slices: str | None
    cluster: str | None
    accept_observed: bool
    config: str | None
    markdown: str | None


def _print_template(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(template(), nl=False)
        context.exit()


@command("gate")
@options.file(weighted=False, metavar="[FILE]", required=False)
@click.argument("requirement", required=False)
@click.option(
    "--require",
    metavar="REQUIREMENT",
    help="Requirement; may also be given as the second argument.",
)
@click.option(
    "--baseline",
    metavar="COLUMN",
    help="The score of the model in use: compare a candidate with it, instead of a requirement.",
)
@click.option("--candidate", metavar="COLUMN", help="The score of the model to replace it with.")
@options.conditions
@options.listed("prior_from")
@options.listed(
    "thresholds",
    metavar="[MODEL=]SCORE",
    help="The thresholds in use: one for all, or one per model.",
)
@options.listed(
    "statistic",
    help="What to compare, instead of the share of errors: auc, expected_cost, any measure.",
)
@options.listed("rule", help="Read --statistic where this rule chooses each model's threshold.")
@click.option(
    "--margin",
    type=float,
    metavar="NUMBER",
    help=(
        "Non-inferiority margin: pass only if the candidate is demonstrated to be at most this"
        " much worse."
    ),
)
@click.option(
    "--slice",
    "slices",
    metavar="COLUMN",
    help="Also check every value of this column.",
)
@options.listed("cluster")
@click.option(
    "--accept-observed",
    is_flag=True,
    help="Pass a requirement that is met in the sample, even if it is not demonstrated.",
)
@options.intervals
@click.option(
    "--config",
    metavar="FILE",
    help=f"The settings to run where no FILE is named (default: {SETTINGS}).",
)
@click.option(
    "--markdown",
    metavar="FILE",
    help="Write a Markdown summary, for example for a pull request; - is standard output.",
)
@click.option(
    "--template",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_template,
    help=f"Print a {SETTINGS} to start from, with every setting and a comment on it.",
)
@options.answer
def gate(request: Request, require: str | None, **given: Any) -> Result:
    """Pass or fail: is a REQUIREMENT demonstrated, or is a candidate worse than the baseline?

    A requirement is demonstrated where its one-sided bound satisfies it (exit status 0); met but
    not demonstrated, or not met, is 1. Without a threshold, a random half of the cases chooses one
    and the other half tests it. A comparison fails (1) where the candidate is worse with p < 0.05
    (1 less the level), two-sided, after Holm's adjustment over all cases and slices; a margin
    applies to all cases together. Wrong input is 2, never 0. Without FILE, every check of
    baserate.toml is run.

    \b
    Examples:
      baserate gate scores.csv "precision >= 0.2 and recall >= 0.8" --label fraud --score m1 --threshold 0.5 --prior 1e-4
      baserate gate scores.csv --label fraud --baseline m1 --candidate m2 --threshold 0.5 --slice country
      baserate gate --template > baserate.toml
      baserate gate --config ci/baserate.toml --markdown summary.md
    """  # noqa: E501
    if require is not None and given["requirement"] is not None:
        raise refuse("BR533", "two requirements are given", 'join them by "and"')
    if require is not None:
        given["requirement"] = require
    asked = GateOptions(**given)
    with _kept_true(asked.markdown):
        if request.output.as_json and asked.markdown == STDOUT:
            raise refuse(
                "BR596", "JSON and Markdown cannot both be on standard output", "--markdown FILE"
            )
        if not request.source.paths:
            _refuse_beside(click.get_current_context())
            return _run_all(asked)
        return _run_one(request, asked)


def _run_all(asked: GateOptions) -> Result:
    """All checks of a file of settings."""
    settings = load(asked.config or SETTINGS)
    with Progress("resampling") as progress:
        outcomes = checks.run(settings, progress)
    return _result(
        outcomes,
        lambda: checks.document_of_all(outcomes, settings.seed),
        lambda: checks.of_outcomes(settings, outcomes),
        asked.markdown,
    )


def _run_one(request: Request, asked: GateOptions) -> Result:
    """One check of a file of cases."""
    _check_named(request.source, asked)
    names = _names(asked, request.source)
    request = replace(request, source=replace(request.source, scores=names)).estimated()
    source, given, seed = request.source, request.conditions, request.intervals.seed
    scenario = Scenario(None, _one(given), given.cases, thresholds_of(asked.thresholds, names))
    check = _check(request, asked, scenario)
    data = Data(
        {name: Scored(source.path, name) for name in names},
        source.label or "",
        source.positive,
        source.design,
        options=source.options,
    )
    with Progress("resampling") as progress:
        outcome = (
            checks.judge(check, checks.Reader(data), seed, progress)
            if asked.cluster is None
            else _of_clusters(request, check, asked)
        )
    return _result(
        [outcome],
        lambda: checks.document_of(outcome, seed),
        lambda: [checks.text(outcome), *map(tables.source, outcome.sources)],
        asked.markdown,
    )


def _of_clusters(request: Request, check: Demand | Comparison, asked: GateOptions) -> Outcome:
    """A requirement on cases that come in clusters, at a given threshold."""
    if isinstance(check, Comparison) or asked.slices is not None:
        what = "--slice" if asked.slices is not None else "a comparison"
        raise refuse(
            "BR594",
            f"clusters are not supported by {what} in gate yet",
            "the command compare takes --cluster",
        )
    cuts = check.scenario.thresholds
    if cuts is None:
        raise refuse("BR594", "--cluster needs the threshold in use", "--threshold SCORE")
    refuse_estimate(check.scenario.at, "a requirement on clusters")
    clusters = clusters_of(request.source, asked.cluster or "")
    judged = []
    for name in check.models:
        groups, scored = clusters.groups[name], clusters.scored[name]
        at, volume = check.scenario.at, check.scenario.volume
        point = flag_at(clusters.models[name], cuts[name], at=at, volume=volume)
        point = with_clusters(point, groups, scored)
        found = require_of_clusters(check.rule, point, groups, check.level, scored=scored)
        judged.append(Judged(name, None, found))
    models = clusters.models.values()
    return Outcome(
        check,
        checks.is_passed(check, judged),
        judged=tuple(judged),
        notes=tuple(
            document.merged(
                [
                    *(note for counts in models for note in counts.notes),
                    *clusters.notes,
                    *(note for one in judged for note in one.requirement.notes),
                    *check.scenario.at.notes,
                ]
            )
        ),
        sources=tuple(dict.fromkeys(one for counts in models for one in counts.ledger.sources)),
    )


def _result(
    outcomes: Sequence[Outcome],
    content: Callable[[], dict[str, Any]],
    text: Callable[[], Sequence[str]],
    markdown: str | None,
) -> Result:
    """The answer, or the summary in its place."""
    summary = checks.summary(outcomes)
    if markdown is not None and markdown != STDOUT:
        checks.write_summary(markdown, summary)
    return Result(
        checks.notes_of(outcomes),
        content,
        text,
        plain=summary.rstrip("\n") + "\n" if markdown == STDOUT else None,
        status=0 if all(outcome.passed for outcome in outcomes) else NEGATIVE,
    )


def _check(request: Request, asked: GateOptions, scenario: Scenario) -> Demand | Comparison:
    """The requirement, or the comparison, that the options describe."""
    level, names = request.intervals.level, request.source.scores
    compared: dict[str, Any] = {
        "margin": asked.margin,
        "statistic": asked.statistic,
        "rule": asked.rule,
        "replicates": request.intervals.replicates,
    }
    if asked.requirement is not None:
        given = {f"--{name}": value is not None for name, value in compared.items()}
        check_unused(given, "on a requirement")
        return Demand(
            asked.requirement, names, scenario, asked.slices, asked.accept_observed, level
        )
    check_unused({"--accept-observed": asked.accept_observed}, "on a comparison")
    check = Comparison(names[0], names[1], scenario, slice=asked.slices, level=level, **compared)
    _check_thresholds(check)
    return check


def _check_named(source: SourceOptions, asked: GateOptions) -> None:
    """A FILE needs a label, unless it holds counts, and settings do not go with it."""
    if asked.config is not None:
        raise refuse("BR596", "--config names settings, and FILE names cases", "give one of them")
    if source.is_saved:
        source.check_saved({"--slice": asked.slices, "--cluster": asked.cluster})
    elif not source.label:
        compared = tuple(filter(None, (asked.baseline, asked.candidate)))
        replace(source, scores=source.scores or compared).wanted()


def _one(given: ConditionOptions) -> Conditions:
    at = given.exact()
    if len(at) > 1:
        raise refuse(
            "BR596",
            "a gate has one base rate",
            "give one --prior, or run it once for each",
        )
    return at[0]


def _names(asked: GateOptions, source: SourceOptions) -> tuple[str, ...]:
    """The scores to test: those given, or the two to compare. The models of saved counts need
    not be named.
    """
    scores, baseline, candidate = source.scores, asked.baseline, asked.candidate
    required = asked.requirement is not None
    if required and not scores and source.is_saved:
        scores = tuple(saved_models(source.path))
    for wrong, text, fix in (
        (
            required and (baseline or candidate),
            "a requirement and a comparison are two gates",
            "run them one after the other",
        ),
        (required and not scores, "a requirement needs a model", "--score COLUMN"),
        (
            not required and not (baseline and candidate),
            "nothing to test: give a requirement, or a baseline and a candidate",
            '"precision >= 0.2", or --baseline m1 --candidate m2',
        ),
        (
            not required and baseline == candidate,
            f"baseline and candidate are both {quoted(baseline)}",
            "name two models",
        ),
        (
            not required and scores,
            "a comparison names its models by --baseline and --candidate",
            "leave --score out",
        ),
    ):
        if wrong:
            raise refuse("BR596", text, fix)
    if len(set(scores)) < len(scores):
        raise refuse("BR407", "a score is named twice", "name each score once")
    return scores if required else (baseline or "", candidate or "")


def _refuse_beside(context: click.Context) -> None:
    """What the settings file gives cannot be given as an option too."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in BESIDE and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise refuse(
                "BR596",
                f"{options.flag_of(parameter)} applies to a FILE, and none is named",
                f"name it, or say this in {SETTINGS}",
            )


@contextmanager
def _kept_true(markdown: str | None) -> Iterator[None]:
    """A summary of an earlier run must not be taken for one of this run: where it fails, the
    summary says so.
    """
    if markdown is not None and markdown != STDOUT:
        checks.check_summary(markdown)
        # Also of a run that is killed: what stands there from now on is not what stood there
        # before.
        checks.write_summary(
            markdown, checks.markdown(checks.broken("gate", ["the run did not come to an end"]))
        )
    try:
        yield
    except Exception as error:
        if markdown is not None and markdown != STDOUT:
            lines = (
                checks.lines_of(error)
                if isinstance(error, InputError)
                else [f"{type(error).__name__}: {error}"]
            )
            checks.write_summary(markdown, checks.markdown(checks.broken("gate", lines)))
        raise


def _check_thresholds(check: Comparison) -> None:
    """A threshold that cannot matter was meant for something else."""
    given = check.scenario.thresholds is not None
    if given and check.rule is not None:
        raise refuse("BR594", "a rule and a threshold are both given", "give one of them")
    if summary_named(check.wanted) is not None and (given or check.rule is not None):
        raise refuse(
            "BR594",
            f"{escaped(check.wanted)} is a number of all cases: a threshold or rule has no effect"
            " on it",
            "leave them out",
        )
