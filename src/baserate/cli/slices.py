"""`baserate slices`: one threshold at every site, and day by day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.options import listed
from baserate.cli.runner import ConditionOptions, Request, Result, command, thresholds_of
from baserate.conditions import Conditions
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import highest_below
from baserate.decisions.rules import AND, parse_rule
from baserate.errors import Ledger, Note, combine, quoted, refuse
from baserate.measures.confusion import NOT_SAID
from baserate.notation import MOST_CASES
from baserate.read.cases import Cases, count_clusters_by_group, count_groups, group_names
from baserate.read.days import count_days, zone_of
from baserate.read.files import read_cases
from baserate.results.notes import merge_notes
from baserate.segments.days import Days, by_day
from baserate.segments.groups import Slices, by_group, common_threshold
from baserate.views import document, segment_tables


@dataclass(frozen=True)
class SliceOptions:
    """The question that `slices` answers."""

    group: str | None
    threshold: str | None
    rule: str | None
    require: str | None
    simultaneous: bool
    day: str | None
    tz: str | None
    cluster: str | None

    def cut(self, score: str) -> Any:
        """The threshold that is given."""
        if self.threshold is None:
            return NOT_SAID
        found = thresholds_of((self.threshold,), (score,))
        return NOT_SAID if found is None else found[score]


@command("slices")
@options.file(weighted=False)
@options.behind_file
@options.conditions
@listed("prior_from")
@listed(
    "group",
    help="Report every value of this column (sites, groups); missing values form one more group.",
)
@listed("threshold", help="The threshold for all (score >= SCORE is flagged).")
@listed("rule", help="Rule that chooses the threshold on all cases together, if none is given.")
@click.option(
    "--require",
    metavar="RULE",
    help=(
        'Requirement for every site: "recall >= 0.9 and fpr <= 5%"; "alerts <= 200/day" applies'
        " to days."
    ),
)
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Bounds that hold for all sites together (Bonferroni), not one by one.",
)
@listed("day", "tz", "cluster")
@options.intervals
@options.answer
def slices(request: Request, **given: Any) -> Result:
    """Evaluate one threshold at every site, at the site's own base rate, and count the alerts of
    every day.

    Every site is evaluated at its own share of positives, or at the base rate given for it (--prior
    oslo=0.2%). A requirement is demonstrated where its one-sided bound meets it. The exit status
    is 0 either way; for a check in a build use gate --slice.

    \b
    Examples:
      baserate slices scores.csv --label y --score m --by site --threshold 0.5 --require "recall >= 0.9"
      baserate slices scores.csv --label y --score m --by site --threshold 0.5 --prior oslo=0.2% --cluster patient
      baserate slices scores.csv --label y --score m --day date --threshold 0.5 --require "alerts <= 200/day"
    """  # noqa: E501
    asked, request, source = SliceOptions(**given), request.estimated(), request.source
    if source.is_saved:
        return _from_counts(request, asked)
    required, budget = _checked(request, asked)
    wanted = source.wanted(group=asked.group, day=asked.day, cluster=asked.cluster)
    zone_of(asked.tz)
    score = source.scores[0]
    with source.reading():
        cases = read_cases(source.path, wanted, source.options)
    common, several = _priors(request.conditions)
    groups = _grouped(cases, score, asked.cluster)
    dated = None if asked.day is None else count_days(cases, score, asked.tz)
    sites = days = None
    if groups is not None:
        sites = _by_site(request, asked, groups, several or common, required)
    if dated is not None:
        how = {"budget": budget, "volume": request.conditions.cases}
        days = _by_day(dated, common, sites, asked, asked.cut(score), **how)
    return _result(request, asked, cases.ledger, sites, days)


def _from_counts(request: Request, asked: SliceOptions) -> Result:
    """The same from counts that were saved group by group."""
    names = ("group", "day", "tz", "cluster")
    # With --prior-from, --score is the column of the unlabelled file.
    named = request.source.scores if request.conditions.learned is None else ()
    request.source.check_saved(
        {**{f"--{name}": getattr(asked, name) for name in names}, "--score": named}
    )
    groups = request.source.saved_groups()
    request = replace(request, source=replace(request.source, scores=("counts",)))
    asked = replace(asked, group="group")
    required, _ = _checked(request, asked)
    common, several = _priors(request.conditions)
    sites = _by_site(request, asked, groups, several or common, required)
    return _result(request, asked, groups.ledger, sites, None)


def _checked(request: Request, asked: SliceOptions) -> tuple[str | None, float | None]:
    """What is required of sites, and what of days; nothing that is given is left unused."""
    if len(request.source.scores) != 1:
        raise refuse("BR433", "sites and days are read for one model at a time", "give one --score")
    if asked.group is None and asked.day is None:
        raise refuse("BR433", "nothing to slice by", "--by COLUMN, --day COLUMN, or both")
    budget, required = _split(asked.require)
    day_only = {
        "--tz": asked.tz,
        "--volume": request.conditions.volume,
        "a budget of alerts": budget,
    }
    site_only = {
        "--cluster": asked.cluster,
        "--simultaneous": asked.simultaneous or None,
        "a requirement other than alerts": required,
    }
    for column, named, beside in (
        (asked.day, "--day", day_only),
        (asked.group, "--by", site_only),
    ):
        unused = next((name for name, value in beside.items() if value is not None), None)
        if column is None and unused is not None:
            by_group = named == "--day" and asked.group is not None
            beside_group = (
                "; the alerts of a group are those among its own cases" if by_group else ""
            )
            raise refuse(
                "BR433",
                f"{unused} needs {named}{beside_group}",
                f"give {named} COLUMN, or leave it out",
            )
    return required, budget


def _split(text: str | None) -> tuple[float | None, str | None]:
    """A budget of alerts applies to days, everything else to sites."""
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


def _priors(given: ConditionOptions) -> tuple[Conditions, dict[str, Conditions]]:
    """The conditions for all, and those of single sites ("oslo=0.2%")."""
    every = tuple(text for text in given.priors if "=" not in text)
    common = replace(given, priors=every).exact()
    single = [text.rpartition("=") for text in given.priors if "=" in text]
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
    if "group" not in cases.beside:
        return None
    return count_groups(cases, score) if cluster is None else count_clusters_by_group(cases, score)


def _by_site(
    request: Request, asked: SliceOptions, groups: Any, at: Any, required: str | None
) -> Slices:
    if isinstance(at, Mapping):
        at = _by_name(groups, at)
    return by_group(
        groups,
        threshold=asked.cut(request.source.scores[0]),
        rule=asked.rule,
        at=at,
        require=required,
        simultaneous=asked.simultaneous,
        **vars(request.intervals),
    )


def _by_name(groups: Any, at: Mapping[str, Conditions]) -> dict[Any, Conditions]:
    """The conditions of single sites, by the groups that are shown under these names."""
    shown = dict(zip(group_names(list(groups)), groups, strict=True))
    return {shown.get(name, name): conditions for name, conditions in at.items()}


def _by_day(
    dated: GroupedCounts,
    at: Conditions,
    sites: Slices | None,
    asked: SliceOptions,
    threshold: Any,
    **how: Any,
) -> Days:
    """Day by day, at the threshold of the sites, or one given or chosen on all cases."""
    notes = tuple[Note, ...]()
    if sites is not None:
        cut, chosen = sites.threshold, sites.chosen
    else:
        cut, chosen, notes = common_threshold(dated.total(), threshold, asked.rule, None, at)
    found = by_day(dated, threshold=cut, at=at, tz=asked.tz, **how)
    if chosen and cut is not None:  # shown in few digits
        points = Points.of(dated.total())
        found = replace(
            found, point=replace(found.point, below=highest_below(points, points.place(cut)))
        )
    return replace(found, notes=combine(notes, found.notes))


def _result(
    request: Request, asked: SliceOptions, ledger: Ledger, sites: Slices | None, days: Days | None
) -> Result:
    notes = merge_notes([note for part in (sites, days) if part is not None for note in part.notes])

    def content() -> dict[str, Any]:
        parts: dict[str, Any] = {"models": []}
        if sites is not None:
            parts |= segment_tables.slices_document(sites, asked.group or "")
        if days is not None:
            parts["days"] = segment_tables.days_document(days, asked.day or "")
        return document.answer("slices", notes, ledger.sources, request.intervals.seed, **parts)

    def text() -> Iterator[str]:
        if sites is not None:
            yield segment_tables.of_slices(sites)
        if days is not None:
            yield segment_tables.of_days(days)

    return Result(notes, content, text, ledger.sources)
