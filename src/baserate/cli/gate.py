"""`baserate gate`: the check that a build runs. Exit status 0 passes, 1 does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import click
from click.core import ParameterSource

from baserate.cli import options
from baserate.cli.commands import options_given
from baserate.cli.runner import (
    Request,
    Result,
    SourceOptions,
    check_unused,
    command,
    thresholds_of,
)
from baserate.cli.terminal import Progress
from baserate.counts.counts import Counts
from baserate.curves.summaries import summary_named
from baserate.errors import InputError, escaped, refuse
from baserate.gates import checks
from baserate.gates.settings import SETTINGS, Check, Data, Scored, load
from baserate.gates.template import TEMPLATE
from baserate.measures.confusion import NOT_SAID
from baserate.read.cases import count_groups
from baserate.read.files import read_cases
from baserate.read.saved import saved_models
from baserate.results.notes import merge_notes
from baserate.verbs.evidence import require
from baserate.views.comparisons import Judged
from baserate.views.formats import make_document

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
        click.echo(TEMPLATE, nl=False)
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
    with keep_summary_true(asked.markdown):
        if request.output.as_json and asked.markdown == STDOUT:
            raise refuse(
                "BR596", "JSON and Markdown cannot both be on standard output", "--markdown FILE"
            )
        if not request.source.paths:
            refuse_beside(click.get_current_context())
            return run_all(asked)
        return run_one(request, asked)


def run_all(asked: GateOptions) -> Result:
    """Run all checks of a file of settings."""
    settings = load(asked.config or SETTINGS)
    with Progress("resampling") as progress:
        outcomes = checks.run(settings, progress)
    found = checks.GateResult(tuple(outcomes), settings.seed, settings.path)
    return present_gate(found, asked, {})


def run_one(request: Request, asked: GateOptions) -> Result:
    """Run one check of a file of cases."""
    check_source(request.source, asked)
    names = name_models(asked, request.source)
    request = replace(request, source=replace(request.source, scores=names)).estimated()
    source, seed = request.source, request.intervals.seed
    check = make_check(request, asked)
    if asked.cluster is not None:
        outcome = judge_clusters(request, check, asked.cluster)
    else:
        data = Data(
            {name: Scored(source.path, name) for name in names},
            source.label or "",
            source.positive,
            source.design,
            options=source.options,
        )
        with Progress("resampling") as progress:
            outcome = checks.judge(check, checks.Reader(data), seed, progress)
    return present_gate(checks.GateResult((outcome,), seed), asked, options_given(request))


def judge_clusters(request: Request, check: Check, column: str) -> checks.Outcome:
    """Evaluate a requirement on cases that come in clusters, at a given threshold."""
    if check.verb != "require" or check.slice is not None:
        what = "--slice" if check.slice is not None else "a comparison"
        raise refuse(
            "BR594",
            f"clusters are not supported by {what} in gate yet",
            "the command compare takes --cluster",
        )
    columns = request.source.wanted(cluster=column)
    cases = read_cases(request.source.path, columns, request.source.options)
    judged, counted = list[Judged](), list[Counts]()
    for name in columns.scores:
        groups = count_groups(cases, name, "cluster").serving("cluster")
        found = require(
            groups,
            check.rule or "",
            at=check.at,
            volume=check.volume,
            threshold=check.thresholds.get(name, NOT_SAID),
            level=check.keywords["level"],
        )
        judged.append(Judged(name, None, found))
        counted.append(groups.total())
    notes = [note for counts in counted for note in counts.notes]
    outcome = checks.gather_outcome(check, judged, notes, counted)
    return replace(outcome, notes=tuple(merge_notes([*outcome.notes, *check.at.notes])))


def present_gate(
    found: checks.GateResult, asked: GateOptions, request: Mapping[str, Any]
) -> Result:
    """Return the answer, or the summary in its place."""
    summary = checks.summarize(found)
    if asked.markdown is not None and asked.markdown != STDOUT:
        checks.write_summary(asked.markdown, summary)
    return Result(
        found.notes,
        content=lambda: make_document("gate", request, [found], found.notes, found.sources),
        text=found.blocks,
        plain=summary.rstrip("\n") + "\n" if asked.markdown == STDOUT else None,
        status=0 if found.passed else NEGATIVE,
    )


def make_check(request: Request, asked: GateOptions) -> Check:
    """Return the requirement, or the comparison, that the options describe."""
    conditions, names = request.conditions, request.source.scores
    at = conditions.exact()
    if len(at) > 1:
        raise refuse(
            "BR596", "a gate has one base rate", "give one --prior, or run it once for each"
        )
    is_requirement = asked.requirement is not None
    compared = {
        "margin": asked.margin,
        "statistic": asked.statistic,
        "rule": asked.rule,
        "replicates": request.intervals.replicates,
    }
    if is_requirement:
        given = {f"--{name}": value is not None for name, value in compared.items()}
        check_unused(given, "on a requirement")
    else:
        check_unused({"--accept-observed": asked.accept_observed}, "on a comparison")
    keywords = {
        name: value for name, value in compared.items() if value is not None and name != "rule"
    }
    check = Check(
        "require" if is_requirement else "compare",
        names,
        asked.requirement if is_requirement else asked.rule,
        at[0],
        conditions.cases,
        thresholds_of(asked.thresholds, names) or {},
        {"level": request.intervals.level, **keywords},
        slice=asked.slices,
        accept_observed=asked.accept_observed,
    )
    if not is_requirement:
        check_thresholds(check)
    return check


def check_thresholds(check: Check) -> None:
    """Refuse a threshold that cannot matter: it was meant for something else."""
    if check.thresholds and check.rule is not None:
        raise refuse("BR594", "a rule and a threshold are both given", "give one of them")
    if check.thresholds and summary_named(check.statistic) is not None:
        text = "is a number of all cases: a threshold or rule has no effect on it"
        raise refuse("BR594", f"{escaped(check.statistic)} {text}", "leave it out")


def check_source(source: SourceOptions, asked: GateOptions) -> None:
    """Refuse a FILE without a label, unless it holds counts; and settings beside it."""
    if asked.config is not None:
        raise refuse("BR596", "--config names settings, and FILE names cases", "give one of them")
    if source.is_saved:
        source.check_saved({"--slice": asked.slices, "--cluster": asked.cluster})
    elif not source.label:
        compared = tuple(filter(None, (asked.baseline, asked.candidate)))
        replace(source, scores=source.scores or compared).wanted()


def name_models(asked: GateOptions, source: SourceOptions) -> tuple[str, ...]:
    """Return the scores to test: those given, or the two to compare. The models of saved counts
    need not be named.
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


def refuse_beside(context: click.Context) -> None:
    """Refuse options that the settings file gives."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in BESIDE and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise refuse(
                "BR596",
                f"{options.flag_of(parameter)} applies to a FILE, and none is named",
                f"name it, or say this in {SETTINGS}",
            )


@contextmanager
def keep_summary_true(markdown: str | None) -> Iterator[None]:
    """A summary of an earlier run must not be taken for one of this run: where it fails, or is
    killed, the summary says so.
    """
    if markdown is None or markdown == STDOUT:
        yield
        return
    checks.check_summary(markdown)
    unfinished = checks.break_entry("gate", ["the run did not come to an end"])
    checks.write_summary(markdown, checks.markdown([unfinished]))
    try:
        yield
    except Exception as error:
        lines = [f"{type(error).__name__}: {error}"]
        if isinstance(error, InputError):
            lines = checks.lines_of(error)
        checks.write_summary(markdown, checks.markdown([checks.break_entry("gate", lines)]))
        raise
