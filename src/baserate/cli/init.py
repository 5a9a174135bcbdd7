"""`baserate init`: settings for a build, from a file and a few questions; `baserate completion`:
the script that completes commands and options in a shell.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import click

from baserate.atomic import reserved, write_atomically
from baserate.cli import options
from baserate.cli.runner import Request, Result, SourceOptions, command, threshold_of, thresholds_of
from baserate.conditions import Conditions, Costs
from baserate.counts.counts import Counts
from baserate.errors import InputError, Problem, escaped, grouped, on_command_line, quoted, refuse
from baserate.gates.settings import SETTINGS, Answers, columns_of, settings_text
from baserate.inference.requirements import check_requirement
from baserate.output import document

WHICH_IS_POSITIVE = frozenset({"BR102", "BR103", "BR109"})
SAMPLE = "sample"
EQUAL = "fn=1,fp=1"
CHANCE = "auc >= 0.5"
MOST_COLUMNS = 30
SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_BASERATE_COMPLETE"


class Asker(NamedTuple):
    """Asks a person; with --yes it takes the default, and where there is none it does not guess."""

    yes: bool

    def __call__(
        self, question: str, option: str, check: Callable[[str], Any], default: str | None = None
    ) -> Any:
        if self.yes:
            if default is None:
                raise refuse(
                    "BR845",
                    f"{question} --yes does not guess that",
                    f"{option}, or leave --yes out",
                )
            return check(default)
        return click.prompt(
            question,
            default=default,
            err=True,
            value_proc=partial(_asked_again, check),
            show_default=bool(default),
            prompt_suffix=" ",
        )


def _asked_again(check: Callable[[str], Any], text: str) -> Any:
    """A refusal is shown, and the question repeated."""
    try:
        return check(text)
    except InputError as error:
        raise click.UsageError(error.problems[0].line(on_command_line)) from None


@command("init")
@options.file(weighted=False)
@click.option(
    "--prior",
    metavar="SHARE",
    help='The base rate in the field: 0.1%, "1 in 1000"; sample: as in the file.',
)
@click.option(
    "--cost", metavar="NAME=NUMBER", help="What a miss and a false alarm cost: fn=100,fp=1."
)
@options.listed("thresholds", help="The thresholds in use: one for all, or one per model.")
@click.option(
    "--require",
    "rule",
    metavar="RULE",
    help='What the last model has to satisfy: "precision >= 0.2".',
)
@options.listed(
    "written", default=SETTINGS, show_default=True, help="Where the settings are written."
)
@options.listed("force", help="Overwrite an existing file.")
@click.option("--yes", is_flag=True, help="Do not prompt; use defaults, fail where there is none.")
@options.listed("as_json")
def init(request: Request, written: str, yes: bool, **field: Any) -> Result:
    """Write baserate.toml, the checks of a build, for a FILE of cases, from a few answers.

    An option answers its question in advance. The positive class is never guessed. Of several
    scores the first is the model in use, and the others have to be no worse; `baserate gate` then
    runs the checks.

    \b
    Examples:
      baserate init scores.csv
      baserate init scores.csv --label fraud --score m1 --score m2 --prior "1 in 1000" --cost fn=100,fp=1 --yes
    """  # noqa: E501
    with reserved(written, request.source.paths, force=request.output.force):
        answers, counts = _answers(Asker(yes), request.source, **field)
        write_atomically(written, [settings_text(answers, written).encode()])
    config = "" if written == SETTINGS else f" --config {shlex.quote(written)}"
    run = f"baserate gate{config}"
    notes, sources = counts.notes, counts.ledger.sources
    return Result(
        notes,
        lambda: document.answer("init", notes, sources, models=[], written=written),
        tuple,
        plain=f"{escaped(written)} is written. Run its checks: {escaped(run)}\n",
    )


def _answers(
    ask: Asker,
    source: SourceOptions,
    prior: str | None,
    cost: str | None,
    thresholds: tuple[str, ...],
    rule: str | None,
) -> tuple[Answers, Counts]:
    """What options say of the cases and of the field, and what a person answers to the rest."""
    columns = columns_of(source.path, source.options)
    if not ask.yes:
        _show(columns)
    label = source.label or ask(
        "Which column says who is positive?", "--label COLUMN", partial(_column, columns)
    )
    names = source.scores or ask(
        "Which columns are scores (comma-separated, the model in use first)?",
        "--score COLUMN",
        partial(_columns, columns),
    )
    counts = _counted(ask, replace(source, label=label, scores=names))
    rate, weights = _conditions(ask, prior, cost)
    cuts = thresholds_of(thresholds, names) or _thresholds(ask, names)
    kept = rule if rule is not None else _rule(ask, names)
    if kept is not None:
        check_requirement(kept)
    read = counts.ledger.sources[0].positive or None
    path, design, how = source.path, source.design, source.options
    return Answers(path, label, names, read, rate, weights, cuts, kept, design, how), counts


def _show(columns: list[tuple[str, str]]) -> None:
    for name, value in columns[:MOST_COLUMNS]:
        click.echo(f"  {quoted(name, quotes=False)}  ({quoted(value, quotes=False)})", err=True)
    if len(columns) > MOST_COLUMNS:
        click.echo(f"  … {grouped(len(columns) - MOST_COLUMNS)} more columns", err=True)


def _column(columns: list[tuple[str, str]], text: str) -> str:
    name = text.strip()
    if not name or (columns and name not in dict(columns)):
        raise refuse(
            "BR613",
            f"there is no column {quoted(name)}",
            f"one of {', '.join(quoted(column) for column, _ in columns[:8])}",
        )
    return name


def _columns(columns: list[tuple[str, str]], text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_column(columns, part) for part in text.split(",")))


def _counted(ask: Asker, source: SourceOptions) -> Counts:
    """The cases, read once to see that these answers fit them; a question for the
    positive class where the file does not give it.
    """
    positive = source.positive
    while True:
        try:
            counts = next(iter(replace(source, positive=positive).counted().values()))
        except InputError as error:
            unclear = [problem for problem in error.problems if problem.code in WHICH_IS_POSITIVE]
            if not unclear or ask.yes or source.positive is not None:
                raise
            positive = _positive(ask, source.label or "", unclear[0])
        else:
            click.echo("" if ask.yes else f"  {counts!r}\n", err=True, nl=False)
            return counts


def _positive(ask: Asker, label: str, problem: Problem) -> str:
    click.echo(f"  {problem.text}.", err=True)
    found: str = ask(f"Which value of {quoted(label)} is positive?", "--positive VALUE", str.strip)
    return found


def _conditions(ask: Asker, prior: str | None, cost: str | None) -> tuple[str | None, Costs | None]:
    def share(text: str) -> str | None:
        return None if Conditions(text).prior is None else text.strip()

    question = (
        'How often is a case positive in the field (0.1%, "1 in 1000"; sample: as in this file)?'
    )
    rate = (
        share(prior)
        if prior is not None
        else ask(question, "--prior SHARE", lambda text: share(text.strip('" ')), SAMPLE)
    )
    question = "What do a miss (fn) and a false alarm (fp) cost?"
    costs: Costs = (
        Costs.parse(cost)
        if cost is not None
        else ask(question, "--cost fn=100,fp=1", Costs.parse, EQUAL)
    )
    return rate, None if cost is None and costs == Costs() else costs


def _thresholds(ask: Asker, names: tuple[str, ...]) -> dict[str, float | None]:
    """The thresholds in use: of all models, or of none."""

    def cut(text: str) -> Any:
        return text if not text.strip() else threshold_of(text)

    found: dict[str, Any] = {}
    for name in names:
        question = (
            f"From which score on does {quoted(name)}"
            f" flag{'' if found else ' (empty: not set yet)'}?"
        )
        found[name] = ask(
            question,
            "--threshold SCORE",
            threshold_of if found else cut,
            None if found else "",
        )
        if found[name] == "":
            return {}
    return found


def _rule(ask: Asker, names: tuple[str, ...]) -> str | None:
    def kept(text: str) -> str | None:
        if text.strip():
            check_requirement(text)
        return text.strip() or None

    alone = len(names) == 1
    question = (
        f"What must {quoted(names[-1])} keep, such as precision >="
        f" 0.2{'' if alone else ' (empty: nothing but to be no worse)'}?"
    )
    found: str | None = ask(question, "--require RULE", kept, CHANCE if alone else "")
    return found


@click.command(name="completion", cls=options.Sectioned)
@click.argument("shell", metavar="|".join(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands and options in SHELL.

    \b
    Examples:
      baserate completion bash >> ~/.bashrc
      baserate completion fish > ~/.config/fish/completions/baserate.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        raise refuse(
            "BR001", f"there is no completion for {quoted(shell)}", f"one of {', '.join(SHELLS)}"
        )
    click.echo(found(context.find_root().command, {}, "baserate", VARIABLE).source())
