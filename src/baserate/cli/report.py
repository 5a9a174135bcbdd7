"""`baserate report`: one file that opens offline."""

from __future__ import annotations

import os
from typing import Any

import click

from baserate import notation
from baserate.atomic import reserved, write_atomically
from baserate.cli import options, prior
from baserate.cli.help import Sectioned
from baserate.cli.options import say
from baserate.cli.prior import with_prior_from
from baserate.cli.terminal import tell
from baserate.conditions import Conditions, Uncertain
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.errors import InputError, escaped, number_of, quoted, refuse, refuse_file
from baserate.notes import Note
from baserate.output import document
from baserate.read.files import grouped_cases, is_saved, load, name_of, read_cases
from baserate.reports.page import Report, report

HOME = "report.html"
MOST_SAID = 5


@click.command(name="report", cls=Sectioned)
@options.source
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Answer with the best threshold that satisfies this rule. May be repeated.",
)
@click.option(
    "--budget",
    "--alerts",
    "budget",
    metavar="ALERTS",
    help="Answer for this number of alerts out of --volume cases.",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Also show every value of this column (a site, a country) at its own base rate.",
)
@click.option("--title", metavar="TEXT", help="What stands above the report.")
@options.conditions
@options.prior_from
@options.level
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help=(
        "Print the document in the report as JSON (schema baserate/1), and write only what -o"
        " names."
    ),
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help=f"Where the report is written ({HOME} unless said); as JSON if FILE ends so.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@click.option("--private", is_flag=True, help="Let nobody else read the file that is written.")
@with_prior_from
def report_command(
    path: options.Given, output: str | None, force: bool, private: bool, as_json: bool, **given: Any
) -> None:
    """Write one file that opens offline: the answer in words, linked charts, and base rate, costs,
    threshold and volume to move.

    Everything that is asked here is answered exactly. A base rate or a cost that is a range
    (1e-5..1e-3) adds the decision under all of it, as baserate decide makes it.

    \b
    Examples:
      baserate report scores.csv --label fraud --score logit --score forest --prior "1 in 1000" --cost fn=100,fp=1
      baserate report scores.csv --label fraud --score logit --prior 0.1% --budget 200 --volume 1000000 -o fraud.html
      baserate report scores.csv --label sick --score m1 --rule "recall >= 0.9" --by hospital
      baserate report scores.csv --label fraud --score logit --score forest --prior 1e-5..1e-3 --cost fn=100..1000,fp=1
    """  # noqa: E501
    place = HOME if output is None and not as_json else output
    if place is None:
        options.check_unused(
            {"--force": force, "--private": private}, "where nothing is written (-o FILE)"
        )
        found = _made(path, given)
        click.echo(document.text(found.document))
    else:
        ending = _ending(place)
        with reserved(place, options.inputs_of({"path": path, **given}), force=force) as check:
            found = _made(path, given)
            content = (document.text(found.document) if ending == ".json" else found.html).encode(
                "utf-8", "surrogateescape"
            )
            check()
            write_atomically(place, [content], private=private)
        if as_json:
            click.echo(document.text(found.document))
        else:
            _tell(found, place)
    say(Note(note["code"], note["text"]) for note in found.document["notes"])


def _ending(place: str) -> str:
    """The form that the name of a file promises."""
    ending = os.path.splitext(place)[1].casefold()  # noqa: PTH122
    if ending in (".csv", ".txt"):
        raise refuse_file(
            place, "BR803", "a report is written as HTML or as JSON", "name it .html or .json"
        )
    return ending


def _tell(found: Report, place: str) -> None:
    """The answers, and where the file lies."""
    said = list(found.sentences)
    more = (
        [f"and {number_of(len(said) - MOST_SAID, 'more answer')} in the report."]
        if len(said) > MOST_SAID
        else []
    )
    models = number_of(len(found.document["models"]), "model")
    tell(
        "\n".join([*said[:MOST_SAID], *more]),
        f"{escaped(place)}: {models}; it opens offline in any browser.",
    )


def _made(path: options.Given, given: dict[str, Any]) -> Report:
    at, volume = _conditions(given), options.volume_of(given["volume"])
    budget = None if given["budget"] is None else _budget(given["budget"], volume)
    models = _counted(path, given)
    by_group = not isinstance(models, JointCounts) and any(
        isinstance(one, GroupedCounts) for one in models.values()
    )
    named = {"slices": {given["by"] or "group": models}} if by_group else {}
    return report(
        models,
        at=at,
        rule=given["rules"],
        volume=volume,
        budget=budget,
        title=given["title"],
        level=options.level_of(given["level"]),
        **named,
    )


def _budget(text: str, volume: float | None) -> float:
    if volume is None:
        raise refuse(
            "BR861",
            "--budget is a number of alerts out of a volume of cases",
            "--volume 1000000 beside it",
        )
    try:
        return 0.0 if notation.number(text) == 0 else options.volume_of(text) or 0.0
    except InputError:
        raise refuse(
            "BR861", f"a budget is a number of alerts, got {quoted(text)}", "--budget 200"
        ) from None


def _conditions(given: dict[str, Any]) -> list[Conditions] | Uncertain:
    """One set of conditions a base rate; a range of any of them makes them uncertain."""
    written = (*given["priors"], *given["costs"], *given["profits"])
    if not any(".." in text for text in written):
        return options.conditions_of(given["priors"], given["costs"], given["profits"])
    found = prior.conditions_of(given["priors"], given["costs"], given["profits"], None)
    return found if isinstance(found, Uncertain) else [found]


def _counted(
    path: options.Given, given: dict[str, Any]
) -> JointCounts | dict[str, Counts] | dict[str, GroupedCounts]:
    """The models counted on the same cases, or each by group where a column is named."""
    label, scores, positive, weight, design = (
        given[name] for name in ("label", "scores", "positive", "weight", "design")
    )
    if given["by"] is None:
        return options.counted_together(path, label, scores, positive, weight, design)
    if is_saved(path.path):
        found = load(path.path)
        if not isinstance(found, GroupedCounts):
            raise refuse_file(
                path.path,
                "BR433",
                "holds counts of all cases together",
                "count them by group: baserate count --group COLUMN",
            )
        return {name_of(path.path): found}
    wanted = options.wanted(
        path, label, scores, positive=positive, weight=weight, group=given["by"], design=design
    )
    with options.reading(path.path):
        cases, table = read_cases(path.path, wanted, path.options)
    try:
        return {name: grouped_cases(cases, name, cases.groups) for name in scores}
    except InputError as error:
        raise error.moved(table.place) from None
