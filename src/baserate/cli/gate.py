"""`baserate gate`: the check that a build runs. Exit status 0 passes, 1 does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource

from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import say
from baserate.cli.prior import learned
from baserate.cli.terminal import Progress, tell
from baserate.conditions import Conditions
from baserate.curves.summaries import summary_named
from baserate.errors import InputError, escaped, quoted, refuse
from baserate.gates import checks
from baserate.gates.checks import Reader, judge, run
from baserate.gates.settings import (
    SETTINGS,
    Comparison,
    Data,
    Demand,
    Outcome,
    Scenario,
    Scored,
    load,
)
from baserate.inference.bootstrap import checked_seed
from baserate.notes import RANDOM
from baserate.output import document, tables
from baserate.read.files import is_saved, saved_models

NEGATIVE = 1
STDOUT = "-"
# What may be said beside a file of settings; everything else is said in it.
BESIDE = frozenset({"config", "markdown", "as_json", "output", "force", "private"})


@click.command(name="gate", cls=Sectioned)
@options.source_or_settings
@click.argument("requirement", required=False)
@click.option(
    "--baseline",
    metavar="COLUMN",
    help="The score of the model in use: compare a candidate with it, instead of a requirement.",
)
@click.option("--candidate", metavar="COLUMN", help="The score of the model that is to replace it.")
@options.conditions
@options.prior_from
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="[MODEL=]SCORE",
    help="The thresholds in use: one for all, or one a model.",
)
@click.option(
    "--statistic",
    metavar="NAME",
    help="What to compare, instead of the share of errors: auc, expected_cost, any measure.",
)
@click.option(
    "--rule",
    metavar="RULE",
    help="Read --statistic where this rule chooses each model's threshold.",
)
@click.option(
    "--margin",
    type=float,
    metavar="NUMBER",
    help="Pass only where the candidate is shown to be at most so much worse.",
)
@click.option(
    "--slice",
    "slices",
    metavar="COLUMN",
    help="Judge every value of this column on its own as well.",
)
@click.option(
    "--accept-observed",
    is_flag=True,
    help="Pass a requirement that is observed, though these cases do not show it.",
)
@options.uncertainty
@click.option(
    "--config",
    metavar="FILE",
    help=f"The settings to run where no FILE is named; {SETTINGS} unless said.",
)
@click.option(
    "--markdown",
    metavar="FILE",
    help="Write a summary for the page of a change; - is standard output.",
)
@options.as_json
@click.pass_context
def gate(
    context: click.Context,
    /,
    path: options.Given,
    label: str | None,
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
    prior_from: str | None,
    thresholds: tuple[str, ...],
    slices: str | None,
    seed: int,
    config: str | None,
    markdown: str | None,
    as_json: bool,
    **judged: Any,
) -> None:
    """Pass or fail: is a REQUIREMENT shown, or is a candidate worse than the baseline?

    A requirement is shown where its one-sided bound keeps it (exit status 0); observed but not
    shown, or missed, is 1. Without a threshold, a random half of the cases chooses one and the
    other half judges it. A comparison fails (1) where the candidate is worse with p < 0.05 (1 less
    the level), two-sided, after Holm's adjustment over all cases and slices; a margin is asked of
    all cases together. Wrong input is 2, never 0. Without FILE, every check of baserate.toml is
    run.

    \b
    Examples:
      baserate gate scores.csv "precision >= 0.2 and recall >= 0.8" --label fraud --score m1 --threshold 0.5 --prior 1e-4
      baserate gate scores.csv --label fraud --baseline m1 --candidate m2 --threshold 0.5 --slice country
      baserate gate --config ci/baserate.toml --markdown summary.md
    """  # noqa: E501
    with _kept_true(markdown):
        if as_json and markdown == STDOUT:
            raise refuse(
                "BR596", "JSON and Markdown cannot both be on standard output", "--markdown FILE"
            )
        if not path.paths:
            _refuse_beside(context)
            passed = _run_all(config or SETTINGS, markdown, as_json=as_json)
        else:
            _check_named(
                path,
                config,
                {
                    "--label": label,
                    "--positive": positive,
                    "--design": design != RANDOM,
                    "--slice": slices,
                },
            )
            names = _names(requirement, baseline, candidate, scores or _saved(path, requirement))
            rates = learned(
                prior_from, context.params | {"path": path, "scores": names, "priors": priors}
            )
            at, cases = (
                _one(options.conditions_of(rates, costs, profits)),
                options.volume_of(volume),
            )
            given = {**judged, "requirement": requirement, "slices": slices}
            check = _check(
                given, names, Scenario(None, at, cases, options.thresholds_of(thresholds, names))
            )
            data = Data(
                {name: Scored(path.path, name) for name in names},
                label or "",
                positive,
                design,
                options=path.options,
            )
            passed = _run_one(check, data, checked_seed(seed), markdown, as_json=as_json)
    context.exit(0 if passed else NEGATIVE)


def _check(
    given: Mapping[str, Any], names: tuple[str, ...], scenario: Scenario
) -> Demand | Comparison:
    """The requirement, or the comparison, that the options describe."""
    level = options.level_of(given["level"])
    compared = {name: given[name] for name in ("margin", "statistic", "rule", "replicates")}
    if given["requirement"] is not None:
        _refuse_unused({f"--{name}": value for name, value in compared.items()}, "a requirement")
        return Demand(
            given["requirement"], names, scenario, given["slices"], given["accept_observed"], level
        )
    _refuse_unused({"--accept-observed": given["accept_observed"] or None}, "a comparison")
    check = Comparison(names[0], names[1], scenario, slice=given["slices"], level=level, **compared)
    _check_thresholds(check)
    return check


def _check_named(path: options.Given, config: str | None, said: dict[str, Any]) -> None:
    """A FILE needs a label, unless it holds counts, and settings do not go with it."""
    if config is not None:
        raise refuse("BR596", "--config names settings, and FILE names cases", "give one of them")
    if is_saved(path.path):
        options.check_saved(path, said)
    elif not said["--label"]:
        options.wanted(path, None, ())


def _saved(path: options.Given, requirement: str | None) -> tuple[str, ...]:
    """The models of saved counts, which need not be named."""
    return tuple(saved_models(path.path)) if requirement is not None and is_saved(path.path) else ()


def _one(at: list[Conditions]) -> Conditions:
    if len(at) > 1:
        raise refuse(
            "BR596",
            "a gate is judged at one base rate",
            "give one --prior, or run it once for each",
        )
    return at[0]


def _refuse_unused(given: dict[str, Any], kind: str) -> None:
    """Nothing is accepted and ignored."""
    for name, value in given.items():
        if value is not None:
            raise refuse("BR596", f"{name} says nothing of {kind}", "leave it out")


def _names(
    requirement: str | None, baseline: str | None, candidate: str | None, scores: tuple[str, ...]
) -> tuple[str, ...]:
    """The scores to judge: those asked for, or the two to compare."""
    if requirement is not None:
        if baseline or candidate:
            raise refuse(
                "BR596",
                "a requirement and a comparison are two gates",
                "run them one after the other",
            )
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
        raise refuse(
            "BR596", f"baseline and candidate are both {quoted(baseline)}", "name two models"
        )
    if scores:
        raise refuse(
            "BR596",
            "a comparison names its models by --baseline and --candidate",
            "leave --score out",
        )
    return baseline, candidate


def _refuse_beside(context: click.Context) -> None:
    """What settings say is said there alone."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in BESIDE and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise refuse(
                "BR596",
                f"{parameter.opts[-1]} applies to a FILE, and none is named",
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


def _run_all(config: str, markdown: str | None, *, as_json: bool) -> bool:
    """All checks of a file of settings."""
    settings = load(config)
    with Progress("resampling") as progress:
        outcomes = run(settings, progress)
    answer = (
        [document.text(checks.document_of_all(outcomes, settings.seed))]
        if as_json
        else checks.of_outcomes(settings, outcomes)
    )
    return _tell(outcomes, answer, markdown, as_json=as_json)


def _run_one(
    check: Demand | Comparison, data: Data, seed: int, markdown: str | None, *, as_json: bool
) -> bool:
    """One check of a file of cases."""
    with Progress("resampling") as progress:
        outcome = judge(check, Reader(data), seed, progress)
    words = [checks.text(outcome), *map(tables.source, outcome.sources)]
    return _tell(
        [outcome],
        [document.text(checks.document_of(outcome, seed))] if as_json else words,
        markdown,
        as_json=as_json,
    )


def _tell(
    outcomes: Sequence[Outcome], answer: Sequence[str], markdown: str | None, *, as_json: bool
) -> bool:
    """The answer on stdout, or the summary in its place; notes on stderr."""
    summary = checks.summary(outcomes)
    if markdown is not None and markdown != STDOUT:
        checks.write_summary(markdown, summary)
    if as_json or markdown == STDOUT:
        click.echo(summary.rstrip("\n") if markdown == STDOUT else answer[0])
    else:
        tell(*answer)
    say(checks.notes_of(outcomes))
    return all(outcome.passed for outcome in outcomes)


def _check_thresholds(check: Comparison) -> None:
    """A threshold that cannot matter was meant for something else."""
    given = check.scenario.thresholds is not None
    if given and check.rule is not None:
        raise refuse(
            "BR594", "the models are asked for at a rule and at a threshold", "give one of them"
        )
    if summary_named(check.wanted) is not None and (given or check.rule is not None):
        text = (
            f"{escaped(check.wanted)} is a number of all cases: a threshold or rule says nothing"
            " of it"
        )
        raise refuse("BR594", text, "leave them out")
