"""`baserate slices`: one threshold at every site, and day by day."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from baserate.cli import options
from baserate.cli.commands import make_command
from baserate.cli.runner import Request
from baserate.conditions import Conditions
from baserate.counts.grouped import GroupedCounts
from baserate.errors import refuse
from baserate.read.cases import count_clusters_by_group, count_groups
from baserate.read.days import count_days, zone_of
from baserate.read.files import read_cases
from baserate.verbs import slices as verbs


def file_and_rule(function: options.Command) -> options.Command:
    """Add the file, whose cases must be whole, and a rule that may follow it."""
    return options.file(weighted=False)(options.behind_file(function))


def count_groups_and_days(
    request: Request,
    *,
    group: str | None = None,
    day: str | None = None,
    tz: str | None = None,
    cluster: str | None = None,
) -> tuple[Any, GroupedCounts | None]:
    """Count each group, or its clusters, and each day; or load groups as counted before.

    Parameters
    ----------
    request : Request
        The request.
    group : str, optional
        Report every value of this column (sites, groups); missing values form one more group.
    day : str, optional
        The date or time of a case: count alerts day by day.
    tz : str, optional
        Time zone of the days, such as Europe/Berlin (default: UTC).
    cluster : str, optional
        Column of dependent rows (patient, card); resampled as a unit.
    """
    source = request.source
    if source.is_saved:
        columns = {"--group": group, "--day": day, "--tz": tz, "--cluster": cluster}
        # With --prior-from, --score is the column of the unlabelled file.
        scores = source.scores if request.conditions.learned is None else ()
        source.check_saved({**columns, "--score": scores})
        return source.saved_groups(), None
    if len(source.scores) > 1:  # none is refused with the columns of the file
        text = "sites and days are read for one model at a time"
        raise refuse("BR433", text, "give one --score")
    if cluster is not None and group is None:
        raise refuse("BR433", "--cluster needs --by", "--by COLUMN, or leave it out")
    zone_of(tz)
    roles = source.wanted(group=group, day=day, cluster=cluster)
    with source.reading():
        cases = read_cases(source.path, roles, source.options)
    (score,) = source.scores
    count = count_groups if cluster is None else count_clusters_by_group
    groups = None if group is None else count(cases, score)
    return groups, None if day is None else count_days(cases, score, tz)


def read_conditions(request: Request) -> Any:
    """Return the conditions of all cases, or those of single groups ("oslo=0.2%")."""
    given = request.conditions
    single = [text.rpartition("=") for text in given.priors if "=" in text]
    for_all = tuple(text for text in given.priors if "=" not in text)
    common = replace(given, priors=for_all).exact()
    names = [name.strip() for name, _, _ in single]
    if len(common) > 1 or (for_all and single) or len(set(names)) < len(names):
        raise refuse(
            "BR433",
            "sites are read at one base rate each",
            "--prior 1% for all, or --prior oslo=0.2% --prior bern=1%",
        )
    costs = common[0].costs if common[0].costs_given else None
    by_name = {name.strip(): Conditions(share.strip(), costs) for name, _, share in single}
    return by_name or common[0]


slices = make_command(
    "slices",
    verbs.slices,
    read=count_groups_and_days,
    conditions=read_conditions,
    source=file_and_rule,
    also=("prior_from",),
    rows={"rule": ("rule",), "threshold": ("threshold",)},
    name_sources=True,
    help="""Evaluate one threshold at every site, at the site's own base rate, and count the alerts of
    every day.

    Every site is evaluated at its own share of positives, or at the base rate given for it (--prior
    oslo=0.2%). A requirement is demonstrated where its one-sided bound meets it. The exit status
    is 0 either way; for a check in a build use gate --slice.

    \b
    Examples:
      baserate slices scores.csv --label y --score m --by site --threshold 0.5 --require "recall >= 0.9"
      baserate slices scores.csv --label y --score m --by site --threshold 0.5 --prior oslo=0.2% --cluster patient
      baserate slices scores.csv --label y --score m --day date --threshold 0.5 --require "alerts <= 200/day"
    """,  # noqa: E501
)
