"""`slices`: one threshold at every site, and day by day."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from baserate.conditions import Conditions, CostsLike, Prior, any_conditions, given_conditions
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import highest_below
from baserate.decisions.rules import AND, parse_rule
from baserate.errors import Fix, Note, combine, quoted, refuse
from baserate.measures.confusion import NOT_SAID
from baserate.notation import MOST_CASES
from baserate.read.cases import group_names
from baserate.results.notes import merge_notes
from baserate.segments.days import Days, by_day
from baserate.segments.groups import by_group, common_threshold
from baserate.segments.groups_and_days import GroupsAndDays
from baserate.verbs.sources import Threshold, verb

OWN_CASES = "; the alerts of a group are those among its own cases"
Groups = GroupedCounts | Mapping[Hashable, Counts] | Mapping[Hashable, GroupedCounts]


@verb
def slices(  # noqa: PLR0913 (each is a question of its own)
    groups: Groups | None = None,
    days: GroupedCounts | None = None,
    /,
    *,
    at: Conditions | Mapping[Any, Conditions] | None = None,
    prior: Prior | Mapping[Any, Prior] | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold = NOT_SAID,
    rule: str | None = None,
    require: str | None = None,
    simultaneous: bool = False,
    tz: str | None = None,
    volume: float | None = None,
    level: float = 0.95,
    replicates: int | None = None,
    seed: int = 0,
) -> GroupsAndDays:
    """What does one threshold do at every site, and how many alerts does it give day by day?

    Every site is evaluated at its own share of positives, or at the base rate given for it. Both
    `by_group` and `by_day` say more of their part.

    Parameters
    ----------
    groups : GroupedCounts or mapping, optional
        Counts by group, or the clusters of each group by name.
    days : GroupedCounts, optional
        Counts of the same cases by day.
    at, prior, costs
        Base rate and costs: of all cases, or a mapping from a group to its base rate.
    threshold : float, optional
        The threshold for all (score >= SCORE is flagged).
    rule : str, optional
        Rule that chooses the threshold on all cases together, if none is given.
    require : str, optional
        Requirement for every site: "recall >= 0.9 and fpr <= 5%"; "alerts <= 200/day" applies to
        days.
    simultaneous : bool
        Bounds that hold for all sites together (Bonferroni), not one by one.
    tz : str, optional
        Time zone that the days were counted in, such as Europe/Berlin (default: UTC).
    volume : float, optional
        Number of cases per day.
    level : float
        Confidence level.
    replicates : int, optional
        Number of resamples of whole clusters.
    seed : int
        Random seed.

    Examples
    --------
    >>> import baserate as br
    >>> y, score, site = [1, 1, 0, 0] * 20, [3, 2, 1, 1] * 20, ["oslo", "bern"] * 40
    >>> sites = br.count(y, score, by=site)
    >>> found = br.segments.slices(sites, threshold=2, require="recall >= 0.8")
    >>> found.groups["oslo"].outcome
    'demonstrated'
    """
    budget, required = _split_requirement(require)
    at_days, at_groups = _read_conditions(at, prior, costs)
    if groups is None and days is None:
        raise refuse(
            "BR433",
            "nothing to slice by",
            Fix("count(…, by=…), or count(…, day=…)", "--by COLUMN, --day COLUMN, or both"),
        )
    of_days = {"tz": tz, "volume": volume, "a budget of alerts": budget}
    of_groups = {
        "simultaneous": simultaneous or None,
        "a requirement other than alerts": required,
        "a base rate for each group": at_groups,
    }
    if days is None:
        _check_unused("day", of_days, OWN_CASES)
    if groups is None:
        _check_unused("by", of_groups)
    sites = by_date = None
    if groups is not None:
        sites = by_group(
            groups,
            threshold=threshold,
            rule=rule,
            at=at_days if at_groups is None else _match_names(groups, at_groups),
            require=required,
            simultaneous=simultaneous,
            level=level,
            replicates=replicates,
            seed=seed,
        )
    if days is not None:
        if sites is not None:
            cut = _Cut(sites.threshold, sites.chosen)
        else:
            cut = _Cut(*common_threshold(days.total(), threshold, rule, None, at_days))
        by_date = _count_alerts(days, cut, at=at_days, budget=budget, volume=volume, tz=tz)
    parts = [part for part in (sites, by_date) if part is not None]
    notes = merge_notes([note for part in parts for note in part.notes])
    return GroupsAndDays(sites, by_date, tuple(notes))


class _Cut(NamedTuple):
    """The threshold for all days; whether it was chosen on these cases, and the notes on that."""

    threshold: float | None
    chosen: bool
    notes: tuple[Note, ...] = ()


def _count_alerts(days: GroupedCounts, cut: _Cut, *, at: Conditions, **options: Any) -> Days:
    """Return the alerts of every day; a threshold that was chosen is shown in few digits."""
    found = by_day(days, threshold=cut.threshold, at=at, **options)
    if cut.chosen and cut.threshold is not None:
        points = Points.of(days.total())
        below = highest_below(points, points.place(cut.threshold))
        found = replace(found, point=replace(found.point, below=below))
    return replace(found, notes=combine(cut.notes, found.notes))


def _split_requirement(text: str | None) -> tuple[float | None, str | None]:
    """Return the budget of alerts, which applies to days, and the rest, which applies to sites."""
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


def _read_conditions(
    at: Any, prior: Any, costs: Any
) -> tuple[Conditions, dict[Any, Conditions] | None]:
    """Return the conditions for all cases, and those of single groups, where these are given."""
    if isinstance(prior, Mapping):
        given_conditions(at, None, costs)
        by_name = {name: Conditions(share, costs) for name, share in prior.items()}
        return Conditions(None, costs), by_name
    if isinstance(at, Mapping):
        if prior is not None or costs is not None:
            given_conditions(Conditions(), prior, costs)
        return Conditions(), dict(at)
    return any_conditions(given_conditions(at, prior, costs)), None


def _match_names(groups: Groups, at: Mapping[Any, Conditions]) -> dict[Any, Conditions]:
    """Return the conditions of single groups, which may be named as they are shown."""
    shown = dict(zip(group_names(list(groups)), groups, strict=True))
    return {shown.get(name, name): conditions for name, conditions in at.items()}


def _check_unused(column: str, options: Mapping[str, Any], why: str = "") -> None:
    """Refuse options that apply to days, or to groups, where none are counted."""
    unused = next((name for name, value in options.items() if value is not None), None)
    if unused is not None:
        counts = {"day": "counts by day", "by": "counts by group"}[column]
        raise refuse(
            "BR433",
            f"{unused} needs {counts}{why}",
            Fix(f"count(…, {column}=…), or leave it out", f"--{column} COLUMN, or leave it out"),
        )
