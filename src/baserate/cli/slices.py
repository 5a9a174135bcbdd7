"""`baserate slices`: one threshold at every site, and day by day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import say
from baserate.cli.prior import Learned, with_prior_from
from baserate.cli.terminal import tell
from baserate.conditions import Conditions
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import highest_below
from baserate.decisions.rules import AND, parse_rule
from baserate.errors import InputError, quoted, refuse, refuse_file
from baserate.measures.confusion import MOST_CASES, NOT_SAID
from baserate.notes import RANDOM, Ledger, Note, combine
from baserate.output import document, segment_tables, tables
from baserate.read.cases import Cases
from baserate.read.files import (
    clusters_by_group,
    days_of,
    group_names,
    grouped_cases,
    is_saved,
    load,
    read_cases,
    zone_of,
)
from baserate.segments.days import Days, by_day
from baserate.segments.groups import Slices, by_group, common_threshold


@click.command(name="slices", cls=Sectioned)
@options.source_whole
@options.conditions
@options.prior_from
@click.option(
    "--group",
    metavar="COLUMN",
    help="Every value of this column is a site of its own; missing ones are one too.",
)
@click.option(
    "--threshold", metavar="SCORE", help="The threshold for all (score >= SCORE is flagged)."
)
@click.option(
    "--rule",
    metavar="RULE",
    help="Choose that threshold on all cases together, where none is given.",
)
@click.option(
    "--require",
    metavar="RULE",
    help=(
        'What every site has to show: "recall >= 0.9 and fpr <= 5%"; "alerts <= 200/day" is asked'
        " of days."
    ),
)
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make the bounds of all sites hold together (Bonferroni), and not one by one.",
)
@click.option(
    "--day", metavar="COLUMN", help="The date or time of a case: count alerts day by day."
)
@click.option(
    "--tz",
    metavar="ZONE",
    help="The time zone of the days, such as Europe/Berlin; UTC unless said.",
)
@options.cluster
@options.uncertainty
@options.as_json
@with_prior_from
def slices(path: options.Given, as_json: bool, **given: Any) -> None:
    """Sites and days: what one threshold does at every site, at the site's own base rate, and how
    many alerts a day it gives.

    Every site is read at its own share of positives, or at the base rate given for it (--prior
    oslo=0.2%). A requirement is shown where its one-sided bound keeps it. The exit status does not
    tell: the check that a build runs is gate --slice.

    \b
    Examples:
      baserate slices scores.csv --label y --score m --group site --threshold 0.5 --require "recall >= 0.9"
      baserate slices scores.csv --label y --score m --group site --threshold 0.5 --prior oslo=0.2% --cluster patient
      baserate slices scores.csv --label y --score m --day date --threshold 0.5 --require "alerts <= 200/day"
    """  # noqa: E501
    if is_saved(path.path):
        _from_counts(path, given, as_json=as_json)
        return
    score, required, budget = _checked(given)
    where = {name: given[name] for name in ("positive", "group", "design", "day", "cluster")}
    wanted = options.wanted(path, given["label"], (score,), **where)
    zone_of(given["tz"])
    with options.reading(path.path):
        cases, table = read_cases(path.path, wanted, path.options)
    common, several = _priors(given)
    known: dict[str, Any] = {
        "level": options.level_of(given["level"]),
        "seed": given["seed"],
        "replicates": given["replicates"],
    }
    try:
        groups = _grouped(cases, score, given["cluster"])
        dated = None if given["day"] is None else days_of(cases, score, given["tz"])
    except InputError as error:
        raise error.moved(table.place) from None
    sites = None if groups is None else _by_site(groups, several or common, required, given, known)
    days = None if dated is None else _by_day(dated, common, sites, budget, given)
    _present(cases.ledger, sites, days, given, as_json=as_json)


def _from_counts(path: options.Given, given: dict[str, Any], *, as_json: bool) -> None:
    """The same from counts that were saved group by group."""
    said = {
        f"--{name}": given[name] for name in ("label", "positive", "group", "day", "tz", "cluster")
    }
    named = (
        given["scores"] if not any(isinstance(text, Learned) for text in given["priors"]) else ()
    )  # the column of the unlabelled file
    options.check_saved(path, {**said, "--score": named, "--design": given["design"] != RANDOM})
    groups = load(path.path)
    if not isinstance(groups, GroupedCounts):
        raise refuse_file(
            path.path,
            "BR433",
            "holds counts of all cases together",
            "count them by group: baserate count --group COLUMN",
        )
    _, required, _ = _checked({**given, "scores": ("counts",), "group": "group"})
    common, several = _priors(given)
    known: dict[str, Any] = {
        "level": options.level_of(given["level"]),
        "seed": given["seed"],
        "replicates": given["replicates"],
    }
    _present(
        groups.ledger,
        _by_site(groups, several or common, required, given, known),
        None,
        {**given, "group": "group"},
        as_json=as_json,
    )


def _checked(given: dict[str, Any]) -> tuple[str, str | None, float | None]:
    """The one score, what is required of sites, and what of days; nothing that is given is left
    unused.
    """
    if len(given["scores"]) != 1:
        raise refuse("BR433", "sites and days are read for one model at a time", "give one --score")
    if given["group"] is None and given["day"] is None:
        raise refuse("BR433", "nothing to slice by", "--group COLUMN, --day COLUMN, or both")
    budget, required = _split(given["require"])
    day_only = {"--tz": given["tz"], "--volume": given["volume"], "a budget of alerts": budget}
    site_only = {
        "--cluster": given["cluster"],
        "--simultaneous": given["simultaneous"] or None,
        "a requirement other than alerts": required,
    }
    for absent, named, options_of in (("day", "--day", day_only), ("group", "--group", site_only)):
        for name, value in options_of.items():
            if given[absent] is None and value is not None:
                raise refuse(
                    "BR433",
                    f"{name} says nothing without {named}",
                    f"give {named} COLUMN, or leave it out",
                )
    return given["scores"][0], required, budget


def _split(text: str | None) -> tuple[float | None, str | None]:
    """A budget of alerts is asked of days, everything else of sites."""
    budget, rest = None, []
    for part in AND.split(text.strip()) if text is not None else ():
        if part.strip().casefold().startswith(("alerts", "alarms")):
            term = parse_rule(part, MOST_CASES).terms[0]
            if not term.is_budget or budget is not None:
                raise refuse(
                    "BR533",
                    f"{quoted(part)}: a budget is one upper limit on the alerts of a day",
                    '"alerts <= 200/day"',
                )
            budget = float(term.limit)
        else:
            rest.append(part)
    return budget, " and ".join(rest) or (None if text is None or budget is not None else text)


def _priors(given: dict[str, Any]) -> tuple[Conditions, dict[str, Conditions]]:
    """The conditions for all, and those of single sites ("oslo=0.2%")."""
    every = [text for text in given["priors"] if "=" not in text]
    common = options.conditions_of(tuple(every), given["costs"], given["profits"])
    single = [text.rpartition("=") for text in given["priors"] if "=" in text]
    names = [name for name, _, _ in single]
    if len(common) > 1 or (every and single) or len(set(names)) < len(names):
        raise refuse(
            "BR433",
            "sites are read at one base rate each",
            "--prior 1% for all, or --prior oslo=0.2% --prior bern=1%",
        )
    costs = common[0].costs if common[0].costs_given else None
    return common[0], {name.strip(): Conditions(share.strip(), costs) for name, _, share in single}


def _grouped(cases: Cases, score: str, cluster: str | None) -> Any:
    """The counts of every site, or of its clusters; None where nothing is grouped."""
    if cases.groups is None:
        return None
    return (
        grouped_cases(cases, score, cases.groups)
        if cluster is None
        else clusters_by_group(cases, score)
    )


def _by_site(
    groups: Any, at: Any, required: str | None, given: dict[str, Any], known: dict[str, Any]
) -> Slices:
    if isinstance(at, Mapping):
        at = _by_name(groups, at)
    return by_group(
        groups,
        threshold=_cut(given),
        rule=given["rule"],
        at=at,
        require=required,
        simultaneous=given["simultaneous"],
        **known,
    )


def _cut(given: dict[str, Any]) -> Any:
    return NOT_SAID if given["threshold"] is None else options.threshold_of(given["threshold"])


def _by_name(groups: Any, at: Mapping[str, Conditions]) -> dict[Any, Conditions]:
    """The conditions of single sites, by the groups that are shown under these names."""
    shown = dict(zip(group_names(list(groups)), groups, strict=True))
    return {shown.get(name, name): conditions for name, conditions in at.items()}


def _by_day(
    dated: GroupedCounts,
    at: Conditions,
    sites: Slices | None,
    budget: float | None,
    given: dict[str, Any],
) -> Days:
    """Day by day, at the threshold of the sites, or one given or chosen on all cases."""
    notes = tuple[Note, ...]()
    if sites is not None:
        cut, chosen = sites.threshold, sites.chosen
    else:
        cut, chosen, notes = common_threshold(dated.total(), _cut(given), given["rule"], None, at)
    found = by_day(
        dated,
        threshold=cut,
        at=at,
        budget=budget,
        volume=options.volume_of(given["volume"]),
        tz=given["tz"],
    )
    if chosen and cut is not None:  # shown in few digits
        points = Points.of(dated.total())
        found = replace(
            found, point=replace(found.point, below=highest_below(points, points.place(cut)))
        )
    return replace(found, notes=combine(notes, found.notes))


def _present(
    ledger: Ledger, sites: Slices | None, days: Days | None, given: dict[str, Any], *, as_json: bool
) -> None:
    notes = document.merged(
        [note for part in (sites, days) if part is not None for note in part.notes]
    )
    if as_json:
        parts: dict[str, Any] = (
            {} if sites is None else segment_tables.slices_document(sites, given["group"])
        )
        parts |= {} if days is None else {"days": segment_tables.days_document(days, given["day"])}
        click.echo(
            document.text(
                document.answer("slices", notes, ledger.sources, given["seed"], models=[], **parts)
            )
        )
    else:
        blocks = [segment_tables.of_slices(sites)] if sites is not None else []
        blocks += [segment_tables.of_days(days)] if days is not None else []
        tell(*blocks, *(tables.source(used) for used in ledger.sources))
    say(notes)
