"""The options of the command line, each declared once, and the help of a command in sections."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from baserate.errors import refuse

Command = Callable[..., Any]
SOURCE, OWN, OUTPUT = "FILE", "Options", "Output"
# The options of reading, which many commands share: `baserate help reading` lists them.
ODD, TEXT, LARGE = "Odd labels and scores", "Text and compressed files", "More than memory holds"
READING = (ODD, TEXT, LARGE)
READING_HINT = (
    "Options of reading (labels, missing scores, text files, memory): baserate help reading"
)


class Option(click.Option):
    """An option that knows its section of the help. `aliases` are accepted and not listed."""

    def __init__(
        self,
        flags: Sequence[str],
        section: str = OWN,
        aliases: tuple[str, ...] = (),
        **settings: Any,
    ) -> None:
        super().__init__([*flags, *aliases], **settings)
        self.section, self.aliases = section, aliases

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Its line of the help, without the aliases."""
        every = self.opts
        self.opts = [flag for flag in every if flag not in self.aliases]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = every


def flag_of(option: click.Parameter) -> str:
    """The flag by which an option is named: not an alias, and not one letter."""
    aliases = getattr(option, "aliases", ())
    return max((flag for flag in option.opts if flag not in aliases), key=len)


def _option(
    *flags: str, row: str = "", **settings: Any
) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """A row of the table, by its name: that of the parameter, unless another is given."""
    plain = [flag for flag in flags if not flag.startswith("-")]
    name = plain[0] if plain else flags[-1].removeprefix("--").replace("-", "_")
    return row or name, flags, settings


BETWEEN = re.compile(r",(?![^(]*\))")  # the commas that are not inside of parentheses


def _comma_separated(_: Any, __: Any, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.strip() for text in texts for word in BETWEEN.split(text))


# In which order the cells of a table are typed: the positives first, or row by row, as a 2×2 table
# is printed whose rows are the results of the test (and as epiR in R wants it).
CELL_ORDERS = {"classes": ("tp", "fn", "fp", "tn"), "rows": ("tp", "fp", "fn", "tn")}
# Every section of the help, and its options in the order in which the help lists them. A command
# takes them by the names of their parameters, and may say more of one: `listed("seed", help=…)`.
TABLE = {
    OWN: (
        _option(
            "--calibrated-at",
            metavar="SHARE",
            help=(
                'The base rate at which the scores are calibrated probabilities ("sample" for the'
                " labelled cases)."
            ),
        ),
        _option(
            "--pilot",
            metavar="POSITIVES/CASES",
            help="The base rate from a pilot sample of the field, instead of --prior: 12/5000.",
        ),
        _option(
            "--kind",
            metavar="KIND",
            help=(
                "How to read several base rates or a distribution: unknown (one true value, "
                "averaged over) or varying (days, sites: the long run)."
            ),
        ),
        _option("--rule", metavar="RULE", help="Rule; may also be given as the second argument."),
        _option("--rule", "rules", multiple=True, metavar="RULE"),
        _option(
            "--budget",
            "budget_rule",
            aliases=("--alerts", "--max-alerts"),
            metavar="ALERTS",
            help='At most this number of alerts out of --volume cases: "alerts <= ALERTS".',
        ),
        _option(
            "--measure",
            "measures",
            multiple=True,
            metavar="NAME",
            callback=_comma_separated,
            help="Show this measure instead of the usual ones: specificity,lr_positive. May be"
            " repeated or comma-separated.",
        ),
        _option("--threshold", metavar="[MODEL=]SCORE"),
        _option("--threshold", "thresholds", multiple=True, metavar="SCORE"),
        _option(
            "--threshold",
            "thresholds",
            multiple=True,
            metavar="[MODEL=]SCORE",
            row="thresholds_by_model",
        ),
        _option("--statistic", metavar="NAME", aliases=("--measure",)),
        _option("--against", metavar="MODEL"),
        _option(
            "--table",
            "cells",
            multiple=True,
            metavar="[NAME=]tp=TP,fn=FN,fp=FP,tn=TN",
            help="A published confusion table, in cases: tp=90,fn=10,fp=50,tn=950, or 90,10,50,950."
            " May be repeated.",
        ),
        _option(
            "--order",
            "cell_order",
            type=click.Choice([*CELL_ORDERS]),
            default="classes",
            show_default=True,
            help="Order of cells without names: classes is tp,fn,fp,tn; rows is tp,fp,fn,tn, a 2×2"
            " table row by row, with the results of the test as rows (as in epiR).",
        ),
        _option("--sort", metavar="MEASURE"),
        _option(
            "--from",
            "labelled",
            required=True,
            metavar="FILE",
            help="Labelled cases that the same model scored, or their saved counts.",
        ),
        _option(
            "--all-priors",
            is_flag=True,
            help=(
                'With a rule "fdr <= 50%" and --optimize tpr: which model has the highest recall,'
                " at every base rate."
            ),
        ),
        _option("--test", metavar="FILE"),
        _option("--optimize", metavar="MEASURE"),
        _option("--guarantee", metavar="REQUIREMENT"),
        _option("--review", metavar="NUMBER"),
        _option("--recovered", metavar="SHARE"),
        _option(
            "--svg",
            metavar="FILE",
            help="Also draw the answer (curves, points) into this SVG file.",
        ),
        _option("--csv", "as_csv", is_flag=True, help="Print all points as CSV."),
    ),
    "The data": (
        _option("--label", metavar="COLUMN", help="The column that says which cases are positive."),
        _option(
            "--score",
            "scores",
            multiple=True,
            metavar="COLUMN",
            help="A model's score; higher means more likely positive. May be repeated or"
            " comma-separated.",
        ),
        _option(
            "--positive",
            metavar="VALUE",
            help="The label of the positive cases, if labels are not 0/1, yes/no or similar.",
        ),
        _option("--weight", metavar="COLUMN", help="A weight for each case."),
        _option(
            "--design",
            default="random",
            metavar="DESIGN",
            help="case-control: class totals were fixed by design; needs --prior.",
        ),
        _option(
            "--id",
            metavar="COLUMN",
            help="The column by which the cases of several files are joined.",
        ),
        _option(
            "--join",
            metavar="inner",
            help="inner: keep the cases that all files have, and note how many were left out.",
        ),
        _option(
            "--by-position",
            is_flag=True,
            help="The rows of all files are the same cases in the same order.",
        ),
        _option("--by", "group", metavar="COLUMN", aliases=("--group",)),
        _option(
            "--day", metavar="COLUMN", help="The date or time of a case: count alerts day by day."
        ),
        _option(
            "--tz",
            metavar="ZONE",
            help="Time zone of the days, such as Europe/Berlin (default: UTC).",
        ),
        _option(
            "--cluster",
            metavar="COLUMN",
            help=("Column of dependent rows (patient, card); resampled as a unit."),
        ),
        _option(
            "--amount",
            metavar="COLUMN",
            help="Column of the amount of each case: a miss costs its amount, an alert a review.",
        ),
        _option(
            "--currency",
            metavar="COLUMN",
            help="The currency of each amount: more than one is refused.",
        ),
        _option(
            "--dedupe",
            metavar="first",
            help="first: leave out rows that repeat an id with the same values, and note how many.",
        ),
        _option(
            "--amount-missing",
            metavar="mean",
            help="mean: where an amount is missing, use the mean of its class, with a note.",
        ),
    ),
    "Conditions": (
        _option(
            "--prior",
            "priors",
            multiple=True,
            metavar="SHARE",
            aliases=("--prevalence", "--base-rate"),
            help=(
                'The base rate: 0.1%, "1 in 1000", 1:999, 1e-4, "12 per 100k"; several'
                " comma-separated."
            ),
        ),
        _option(
            "--cost",
            "costs",
            multiple=True,
            metavar="NAME=NUMBER",
            help="What an outcome costs: fn=100,fp=1 (also tp, tn; a reward is negative).",
        ),
        _option(
            "--profit",
            "profits",
            multiple=True,
            metavar="NAME=NUMBER",
            help="What an outcome earns, instead of --cost: tp=95,fp=-5.",
        ),
        _option(
            "--volume",
            metavar="CASES",
            help="Number of cases, for example per day; shows alerts, caught and missed.",
        ),
        _option(
            "--prior-from",
            metavar="FILE",
            help=(
                "Estimate the base rate from unlabelled cases that the (first) model scored,"
                " instead of --prior; see baserate prior. Intervals include its error, or are"
                " refused."
            ),
        ),
    ),
    "Intervals": (
        _option(
            "--level", default="95%", show_default=True, metavar="SHARE", help="Confidence level."
        ),
        _option(
            "--replicates",
            type=int,
            metavar="NUMBER",
            help="Number of bootstrap resamples (default: 2000).",
        ),
        _option(
            "--replicates",
            type=int,
            metavar="NUMBER",
            help=(
                "Resamples for the intervals of chosen thresholds (default: 400); 0 treats"
                " thresholds as fixed in advance."
            ),
            row="chosen_replicates",
        ),
        _option(
            "--seed",
            type=int,
            default=0,
            show_default=True,
            metavar="NUMBER",
            help="Random seed.",
        ),
        _option(
            "--method",
            metavar="METHOD",
            help="delong, delong-t, percentile or mcnemar (the default depends on the statistic).",
        ),
    ),
    ODD: (
        _option(
            "--negative",
            metavar="VALUES",
            help=(
                "The labels of the negative cases, comma-separated, where there are more than one."
            ),
        ),
        _option(
            "--missing-label",
            metavar="WHAT",
            help="Cases without a label: drop them, or count them as negative or positive.",
        ),
        _option(
            "--normalize-labels",
            is_flag=True,
            help="Treat labels that differ only in case or outer blanks as one.",
        ),
        _option(
            "--cast-labels",
            is_flag=True,
            help='Treat labels of several types that spell the same as one: 1, 1.0 and "1".',
        ),
        _option(
            "--label-threshold",
            type=float,
            metavar="NUMBER",
            help="Soft labels: at least this is positive.",
        ),
        _option(
            "--nan-score",
            metavar="WHAT",
            help="Cases without a score: drop them, or rank them lowest.",
        ),
        _option("--lower-is-positive", is_flag=True, help="Low scores mean positive: negate them."),
    ),
    TEXT: (
        _option("--percent", is_flag=True, help="Numbers of a text file may be written as 12%."),
        _option(
            "--thousands",
            metavar="SIGN",
            help="Thousands separator of numbers in a text file.",
        ),
        _option(
            "--delimiter",
            metavar="SIGN",
            help="Column delimiter (default: detected).",
        ),
        _option(
            "--encoding",
            metavar="NAME",
            help="The encoding of a text file that is not UTF-8, such as cp1252.",
        ),
        _option(
            "--decimal", metavar="SIGN", help="The decimal sign of a text file: a point or a comma."
        ),
        _option(
            "--columns",
            metavar="NAMES",
            help="Comma-separated names of all columns of a text file without a header line.",
        ),
        _option(
            "--skip-lines",
            type=int,
            metavar="NUMBER",
            help="Number of lines before the header of a text file.",
        ),
        _option(
            "--skip-bad",
            type=int,
            metavar="NUMBER",
            help=(
                "Leave out up to this number of rows with too many or too few fields, and note it."
            ),
        ),
        _option(
            "--max-bytes",
            type=int,
            metavar="NUMBER",
            help="Largest size that a compressed file may unpack to.",
        ),
    ),
    LARGE: (
        _option(
            "--memory",
            metavar="SIZE",
            help="Memory limit, such as 1GB: Parquet, CSV and JSON lines of any size are counted.",
        ),
    ),
    OUTPUT: (
        _option(
            "--json",
            "as_json",
            is_flag=True,
            help="Print the answer as JSON (docs/reference/schema.json).",
        ),
        _option(
            "-o",
            "--output",
            metavar="FILE",
            help=(
                "Write the answer to a file: as JSON if it ends in .json, with the notes if it"
                " ends in .txt."
            ),
        ),
        _option(
            "--notes",
            "all_notes",
            is_flag=True,
            help="Print all notes, not only the three that matter most.",
        ),
        # Of a command that writes something other than its answer.
        _option("-o", "--output", "written", metavar="FILE"),
        _option("--force", is_flag=True, help="Overwrite an existing file."),
        _option("--private", is_flag=True, help="Make the written file readable only by you."),
    ),
}
ROWS = {
    name: (flags, {"section": section, **settings})
    for section, rows in TABLE.items()
    for name, flags, settings in rows
}


def parameter_of(row: str) -> str:
    """Return the name of the parameter that a row of the table fills."""
    return str(click.Option(ROWS[row][0]).name)


def listed(*names: str, **changes: Any) -> Callable[[Command], Command]:
    """These options, in this order; `changes` are what this command says otherwise."""

    def decorate(command: Command) -> Command:
        for name in reversed(names):
            flags, settings = ROWS[name]
            command = click.option(*flags, cls=Option, **{**settings, **changes})(command)
        return command

    return decorate


def _in(section: str) -> tuple[str, ...]:
    return tuple(name for name, _, _ in TABLE[section])


def reading_help(context: click.Context) -> str:
    """The help of the options of reading."""
    formatter = context.make_formatter()
    formatter.write_text("Options of reading, in every command that reads a FILE of cases.")
    for section in READING:
        with formatter.section(section):
            every = [Option(*ROWS[name][:1], **ROWS[name][1]) for name in _in(section)]
            formatter.write_dl([one.get_help_record(context) or ("", "") for one in every])
    return formatter.getvalue()


# The groups that commands share.
reading = listed(*_in(ODD), *_in(TEXT))
of_any_size = listed(*_in(LARGE))
joining = listed("id", "join", "by_position", "dedupe")
conditions = listed("priors", "costs", "profits", "volume")
intervals = listed("level", "replicates", "seed")
intervals_of_chosen = listed("level", "chosen_replicates", "seed")
answer = listed("as_json", "output", "force", "private")


def file(*, weighted: bool = True, **argument: Any) -> Callable[[Command], Command]:
    """The file or files to read, which columns are what, and how to read them; without weights
    where cases must be whole.
    """
    words = ("label", "scores", "positive", *(("weight",) if weighted else ()), "design")

    def decorate(command: Command) -> Command:
        command = listed(*words)(reading(command))
        return click.argument("path", **{"metavar": SOURCE, **argument})(command)

    return decorate


def behind_file(command: Command) -> Command:
    """A rule may follow the file, too (`Request.of` puts it where --rule is)."""
    return click.argument("behind", required=False, metavar="[RULE]")(command)


# `-h` shows these first, then a command's own options, up to `MOST_LISTED` with the last ones.
COMMON = (
    *("label", "scores", "positive", "rule", "rules", "test", "threshold", "thresholds", "priors"),
    *("costs", "volume", "measures", "fixed", "group", "cluster", "optimize", "statistic"),
    *("guarantee", "amount", "level", "cells", "cell_order"),
)
ALWAYS = ("as_json", "output", "written", "all_notes")
MOST_LISTED = 16
WHOLE = "baserate.help-all"


def _show_all(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.meta[WHOLE] = True
        click.echo(context.get_help())
        context.exit()


HELP_ALL = Option(
    ["--help-all"],
    section=OUTPUT,
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_all,
    help="Show all options and exit.",
)


def is_rule(word: str) -> bool:
    """Is this a rule, and no file?"""
    return bool(re.search("[<>]", word)) and not os.path.exists(word)  # noqa: PTH110


# Options that take a rule: two of them are one rule.
RULES = {"rule": "rules", "require": "requirements", "guarantee": "guarantees"}


def _check_repeated(command: click.Command, context: click.Context, words: list[str]) -> None:
    """Refuse what would be dropped: an option with one value that is given twice, and a second
    rule behind the file.
    """
    _, left, order = command.make_parser(context).parse_args(words)
    single = [
        one
        for one in order
        if isinstance(one, click.Option) and not (one.multiple or one.is_flag or one.count)
    ]
    repeated = next((one for one in single if single.count(one) > 1), None)
    names = [one.name for one in command.params]
    if repeated is not None and repeated.name in RULES:
        raise refuse("BR533", f"two {RULES[repeated.name]} are given", 'join them by "and"')
    if repeated is not None:
        raise refuse("BR001", f"{flag_of(repeated)} is given twice", "give it once")
    if left and is_rule(left[0]) and not {"behind", "requirement"}.isdisjoint(names):
        raise refuse(
            "BR533",
            "two rules are given",
            'join them by "and"' + (", or give each by --rule" if "rules" in names else ""),
        )


class Sectioned(click.Command):
    """A command whose options are listed in sections: its own first; `-h` lists those that people
    use most, `--help-all` all of them.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Its parameters, none of which is dropped."""
        if not ctx.resilient_parsing:
            _check_repeated(self, ctx, list(args))
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its parameters, and --help-all."""
        return [*super().get_params(ctx), HELP_ALL]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every section that has options."""
        parts: dict[str, list[tuple[str, str]]] = {section: [] for section in TABLE}
        listed = None if ctx.meta.get(WHOLE) else self._listed()
        for option in self.get_params(ctx):
            shown = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            home = OUTPUT if "--help" in option.opts else getattr(option, "section", OWN)
            if shown is not None and home not in READING and (not listed or option.name in listed):
                parts[home].append(shown)
        for section, records in parts.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)
        if listed is not None:
            formatter.write_paragraph()
            formatter.write_text(f"All {len(self._own())} options: {ctx.command_path} --help-all")
        if any(getattr(option, "section", OWN) in READING for option in self.params):
            formatter.write_paragraph()
            formatter.write_text(READING_HINT)

    def _own(self) -> list[click.Option]:
        """The options without those of reading."""
        options = [option for option in self.params if isinstance(option, click.Option)]
        return [one for one in options if getattr(one, "section", OWN) not in READING]

    def _listed(self) -> set[str | None] | None:
        """The names of the options that `-h` shows; None for all, where they are few."""
        options = self._own()
        if len(options) <= MOST_LISTED:
            return None
        names = [option.name for option in options]
        own = [one.name for one in options if getattr(one, "section", OWN) == OWN]
        last = [name for name in ALWAYS if name in names]
        first = [name for name in (*COMMON, *own) if name in names and name not in last]
        return {*list(dict.fromkeys(first))[: MOST_LISTED - len(last)], *last}
