"""`baserate report`: one file that opens offline."""

from __future__ import annotations

import os
from typing import Any

import click

from baserate.atomic import reserve_output
from baserate.cli import options
from baserate.cli.runner import (
    Request,
    Result,
    SourceOptions,
    budget_of,
    check_unused,
    command,
    inputs_of,
    write,
)
from baserate.conditions import Conditions
from baserate.errors import Note, escaped, number_of, refuse_file
from baserate.read.cases import count_groups
from baserate.read.files import read_cases, together_or_each
from baserate.read.saved import name_of
from baserate.reports.page import Report, report
from baserate.views import document

HOME = "report.html"
MOST_SAID = 5


@command("report")
@options.file()
@options.behind_file
@options.listed(
    "rules", help="Answer with the best threshold that satisfies this rule. May be repeated."
)
@click.option(
    "--budget",
    "--alerts",
    "budget",
    metavar="ALERTS",
    help="Answer for this number of alerts out of --volume cases.",
)
@options.listed(
    "group",
    help="Also show every value of this column (a site, a country) at its own base rate.",
)
@click.option("--title", metavar="TEXT", help="Title of the report.")
@options.conditions
@options.listed("prior_from", "pilot", "level")
@options.listed(
    "as_json",
    help=(
        "Print the document in the report as JSON (schema baserate/1), and write only what -o"
        " names."
    ),
)
@options.listed(
    "written", help=f"Where the report is written (default: {HOME}); as JSON if it ends in .json."
)
@options.listed("force", "private")
def report_command(
    request: Request,
    rules: tuple[str, ...],
    budget: str | None,
    group: str | None,
    title: str | None,
    written: str | None,
) -> Result:
    """Write a self-contained interactive HTML report: the answer in words, linked charts, and
    controls for base rate, costs, threshold and volume.

    Every answer is exact. A base rate or cost that is a range
    (1e-5..1e-3) adds the decision over the whole range, as in baserate choose.

    \b
    Examples:
      baserate report scores.csv --label fraud --score logit --score forest --prior "1 in 1000" --cost fn=100,fp=1
      baserate report scores.csv --label fraud --score logit --prior 0.1% --budget 200 --volume 1000000 -o fraud.html
      baserate report scores.csv --label sick --score m1 --rule "recall >= 0.9" --by hospital
      baserate report scores.csv --label fraud --score logit --score forest --prior 1e-5..1e-3 --cost fn=100..1000,fp=1
    """  # noqa: E501
    output, inputs = request.output, inputs_of(request, {})
    request = request.estimated()
    place = HOME if written is None and not output.as_json else written
    asked = {"rule": rules, "title": title}
    if place is None:
        check_unused(
            {"--force": output.force, "--private": output.private},
            "where nothing is written (-o FILE)",
        )
        return _result(_made(request, budget, group, **asked), "")
    ending = _ending(place)
    with reserve_output(place, inputs, force=output.force) as check:
        found = _made(request, budget, group, **asked)
        content = document.text(found.document) if ending == ".json" else found.html
        write(place, content, check, private=output.private)
    return _result(found, place)


def _ending(place: str) -> str:
    """The form that the name of a file promises."""
    ending = os.path.splitext(place)[1].casefold()  # noqa: PTH122
    if ending in (".csv", ".txt"):
        raise refuse_file(
            place, "BR803", "a report is written as HTML or as JSON", "name it .html or .json"
        )
    return ending


def _result(found: Report, place: str) -> Result:
    """The answers, and where the file lies."""
    said = list(found.sentences)
    if len(said) > MOST_SAID:
        more = f"and {number_of(len(said) - MOST_SAID, 'more answer')} in the report."
        said = [*said[:MOST_SAID], more]
    models = number_of(len(found.document["models"]), "model")
    where = f"{escaped(place)}: {models}; it opens offline in any browser."
    return Result(
        [Note(note["code"], note["text"]) for note in found.document["notes"]],
        lambda: found.document,
        lambda: ["\n".join(said), where],
    )


def _made(request: Request, budget: str | None, by: str | None, **asked: Any) -> Report:
    given = request.conditions
    found = given.uncertain() if given.is_uncertain else given.exact()
    at = [found] if type(found) is Conditions else found
    volume = given.cases
    alerts = None if budget is None else budget_of(budget, volume)
    models, named = _counted(request.source, by)
    level = request.intervals.level
    return report(models, at=at, volume=volume, budget=alerts, level=level, **asked, **named)


def _counted(source: SourceOptions, by: str | None) -> tuple[Any, dict[str, Any]]:
    """The models counted on the same cases, and each by group where a column is named."""
    if by is None:
        return source.together(), {}
    if source.is_saved:
        groups = {name_of(source.path): source.saved_groups()}
        return groups, {"slices": {by: groups}}
    wanted = source.wanted(group=by)
    with source.reading():
        cases = read_cases(source.path, wanted, source.options)
    groups = {name: count_groups(cases, name) for name in source.scores}
    return together_or_each(cases), {"slices": {by: groups}}
