"""Sites and days in words, as tables and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from baserate.atomic import Grid, Page
from baserate.errors import grouped, number_of, quoted
from baserate.measures.registry import CLASS_OF
from baserate.results.operating_point import describe_briefly, describe_setting
from baserate.results.values import LOWER, MISSED, OBSERVED, SHOWN, UNJUDGED, Check, percent
from baserate.segments.days import Day, Days
from baserate.segments.groups import TOO_FEW, Slice, Slices
from baserate.segments.groups_and_days import GroupsAndDays
from baserate.views.document import (
    number,
    of_check,
    of_interval,
    point_of,
    read,
    threshold,
    whole,
)
from baserate.views.tables import UNDEFINED, digits, shown_prior, span

MOST_SITES, MOST_DAYS, MOST_NAMED = 50, 31, 5
KINDS: dict[str, tuple[str, str]] = {
    MISSED: ("group does not meet it", "groups do not meet it"),
    OBSERVED: (
        "group meets it without demonstrating it",
        "groups meet it without demonstrating it",
    ),
    TOO_FEW: ("group has too few cases", "groups have too few cases"),
    UNJUDGED: ("group cannot be evaluated", "groups cannot be evaluated"),
}


def describe_slices(found: Slices) -> str:
    """Return which groups demonstrate the requirement, and which do not."""
    parts = _named_groups(found)
    where = found.setting if found.threshold is None else f"at {found.setting}"
    count = number_of(len(found), "group")
    if len(parts) < len(found):
        count = f"the {len(parts)} largest of {count}"
    if found.require is None:
        return f"{count[0].upper()}{count[1:]}, {where}."
    kinds = {
        outcome: [part for part in parts if part.outcome == outcome] for outcome in (SHOWN, *KINDS)
    }
    verb = "demonstrates" if len(kinds[SHOWN]) == 1 else "demonstrate"
    lines = [
        f"{len(kinds[SHOWN])} of {count} {verb} {quoted(found.require, quotes=False)}, {where}."
    ]
    for outcome, (one, many) in KINDS.items():
        if kinds[outcome]:
            named = ", ".join(_group_with_bound(part) for part in kinds[outcome][:MOST_NAMED])
            more = (
                f" and {len(kinds[outcome]) - MOST_NAMED} more"
                if len(kinds[outcome]) > MOST_NAMED
                else ""
            )
            lines.append(
                f"{len(kinds[outcome])} {one if len(kinds[outcome]) == 1 else many}: {named}{more}."
            )
    return "\n".join([*lines, *_same_everywhere(parts)])


def tabulate_slices(found: Slices, *, alerts: bool = True) -> list[str]:
    """Return the rates of all cases and of each group, and what follows at each base rate.

    Alerts are counted out of each group's own cases; with a volume, the share flagged is given
    instead.
    """
    rows = [(found.total, "all"), *((part, "") for part in found.largest(MOST_SITES))]
    workload = _workload_grid(rows, found.level, judged=found.require is not None, alerts=alerts)
    return [_rates_grid(rows, found.level), workload]


def _named_groups(found: Slices) -> Sequence[Slice]:
    """Return the groups that are shown by name: of many the last one are all the others."""
    shown = found.largest(MOST_SITES)
    return shown if len(shown) == len(found) else shown[:-1]


def _group_with_bound(part: Slice) -> str:
    """A group with what was observed there, and its bound."""
    name = quoted(part.name, quotes=False)
    if part.requirement is None or not part.requirement.checks:
        reason = (
            part.requirement.notes[0].text
            if part.requirement is not None and part.requirement.notes
            else ""
        )
        return f"{name} ({reason})"
    worst = [check for check in part.requirement.checks if check.outcome == part.outcome]
    return (
        f"{name}"
        f" ({'; '.join(_check_in_words(check, several=len(part.requirement.checks) > 1) for check in worst)})"  # noqa: E501
    )


def _check_in_words(check: Check, *, several: bool) -> str:
    side = "lower" if check.interval.side == LOWER else "upper"
    of = f"{check.requirement.split(' ')[0]} " if several else ""
    more = "" if check.needed is None else f"; {_cases_needed(check)} at this rate would do"
    return f"{of}{digits(check.interval.value, 4)}, {side} bound {digits(check.bound, 4)}{more}"


def _same_everywhere(parts: Sequence[Slice]) -> list[str]:
    """Does one threshold meet the requirement in every group?"""
    judged = [part for part in parts if part.requirement is not None and part.requirement.checks]
    kept = [part for part in judged if all(_is_met(check) for check in part.requirement.checks)]  # type: ignore[union-attr]
    if not judged:
        return []
    if all(part.outcome == TOO_FEW for part in judged):
        return ["No group has enough cases to tell whether it meets the requirement."]
    if len(kept) == len(judged):
        return ["The threshold meets the requirement in every group that has enough cases."]
    alone = [
        quoted(part.name, quotes=False)
        + f" {'none' if part.own is None else describe_briefly(part.own)}"
        for part in judged
        if part not in kept
    ]
    more = f" and {len(alone) - MOST_NAMED} more" if len(alone) > MOST_NAMED else ""
    needed = f"{', '.join(alone[:MOST_NAMED])}{more}"
    return [
        f"The threshold does not meet the requirement in every group; own thresholds: {needed}."
    ]


def _is_met(check: Check) -> bool:
    """Whether it is met in this sample, also where there are too few cases to demonstrate it."""
    if check.outcome != TOO_FEW:
        return check.outcome != MISSED
    value, limit = check.interval.value, check.limit
    return limit is not None and (
        value >= limit if check.interval.side == LOWER else value <= limit
    )


def _slice_name(part: Slice, kind: str) -> str:
    return part.name if kind else quoted(part.name, quotes=False)


def _rates_grid(rows: Sequence[tuple[Slice, str]], level: float) -> str:
    missing = any(part.labelled is not None for part, _ in rows)
    headings = [
        "group",
        "cases",
        *(["labelled"] if missing else []),
        "positives",
        "base rate",
        "recall (TPR)",
        f"{percent(level)} interval",
        "one-sided bound",
        "specificity (TNR)",
        f"{percent(level)} interval",
        "one-sided bound",
    ]
    lines = []
    for part, kind in rows:
        prior = shown_prior(part.prior)
        labelled = (
            [grouped(part.cases if part.labelled is None else part.labelled)] if missing else []
        )
        cells = [
            _slice_name(part, kind),
            grouped(part.cases),
            *labelled,
            grouped(part.positives),
            prior,
        ]
        for name in ("tpr", "tnr"):
            bound = part.bounds.get(name)
            low = UNDEFINED if bound is None else digits(bound.low, 4)
            cells += [digits(read(part.point, name), 4), span(part.intervals.get(name)), low]
        lines.append(cells)
    return Grid(headings, lines)


def _workload_grid(
    rows: Sequence[tuple[Slice, str]], level: float, *, judged: bool, alerts: bool
) -> str:
    """What the threshold means at each base rate: how many alerts, how many of them real, and the
    verdict.
    """
    given = any(not part.point.at.as_in_sample for part, _ in rows)
    amount = "alerts" if alerts else "flagged (posfrac)"
    amount += " at this base rate" if alerts and given else ""
    headings = [
        "group",
        "precision (PPV)",
        f"{percent(level)} interval",
        "NPV",
        amount,
        "alerts per true positive (NNE)",
    ]
    headings += ["verdict", "cases needed", "own threshold"] if judged else []
    lines = []
    for part, kind in rows:
        values = {
            name: read(part.point, name)
            for name in ("precision", "npv", "alerts", "posfrac", "nne")
        }
        cells = [
            _slice_name(part, kind),
            digits(values["precision"], 4),
            span(part.intervals.get("precision")),
            digits(values["npv"], 4),
        ]
        cells += [
            _format_cases(values["alerts"]) if alerts else digits(values["posfrac"], 4),
            digits(values["nne"], 4),
        ]
        lines.append(cells + (_verdict_cells(part) if judged else []))
    return Grid(headings, lines)


def _verdict_cells(part: Slice) -> list[str]:
    checks = part.requirement.checks if part.requirement is not None else ()
    needed = max((check for check in checks if check.needed), key=_more_needed, default=None)
    alone = UNDEFINED if part.own is None else describe_briefly(part.own)
    return [str(part.outcome), UNDEFINED if needed is None else _cases_needed(needed), alone]


def _more_needed(check: Check) -> int:
    return check.needed or 0


def _cases_needed(check: Check) -> str:
    return number_of(
        _more_needed(check), ("positive", "negative")[CLASS_OF.get(check.interval.name, 0)]
    )


def _format_cases(value: float) -> str:
    if value != value:  # noqa: PLR0124 (NaN)
        return UNDEFINED
    return (
        grouped(round(value)) if float(value).is_integer() or abs(value) >= 10 else f"{value:.3g}"
    )


def describe_days(found: Days) -> str:
    """Return how many alerts per day there are, and on how many days too many."""
    budget = (
        ""
        if found.budget is None
        else (
            f"; more than {found.budget:g} on {len(found.over)} of"
            f" {number_of(len(found.parts), 'day')}"
        )
    )
    ends = (
        f"from {_format_cases(found.least.alerts)} ({found.least.day}) to"
        f" {_format_cases(found.most.alerts)}"
        f" ({found.most.day})"
    )
    count = number_of(len(found.parts), "day")
    where = "flagging nothing" if found.threshold is None else f"at {describe_setting(found.point)}"
    zone = f" of {found.tz}" if found.tz is not None else ""
    return (
        f"Alerts per day {where}: {_format_cases(found.mean)} on average over {count}{zone},"
        f" {ends}{budget}."
    )


def tabulate_days(found: Days) -> list[str]:
    """Return the days, of many the last ones."""
    shown = found.parts[-MOST_DAYS:]
    columns: list[tuple[str, Callable[[Day], str]]] = [
        ("day", lambda day: day.day),
        ("cases", lambda day: _format_cases(day.cases)),
        *(
            [
                (
                    "labelled",
                    lambda day: _format_cases(day.cases if day.labelled is None else day.labelled),
                )
            ]
            if any(day.labelled is not None for day in shown)
            else []
        ),
        ("positives", lambda day: _format_cases(day.positives)),
        ("alerts", lambda day: _format_cases(day.alerts)),
        ("caught", lambda day: _format_cases(day.caught)),
    ]
    if any(day.hours != 24 for day in shown):
        columns.append(("hours", lambda day: f"{day.hours:g}"))
    if found.budget is not None:
        columns.append(("", lambda day: "over" if day in found.over else ""))
    table = Grid(
        [name for name, _ in columns], [[cell(day) for _, cell in columns] for day in shown]
    )
    if len(shown) == len(found.parts):
        return [table]
    return [Page(f"The last {MOST_DAYS} days (all with --json):", table)]


def slices_as_json(found: Slices) -> dict[str, Any]:
    """Return all groups, the first entry being all cases together; and how they were evaluated."""
    grouping = {
        "threshold": threshold(found.threshold),
        "chosen": found.chosen,
        "require": found.require,
        "level": found.level,
        "bound_level": found.parts[0].options.bound_level,
        "simultaneous": "bonferroni" if found.simultaneous else None,
    }
    return {
        "grouping": grouping,
        "groups": [
            _slice_as_json(found.total, whole_sample=True),
            *(_slice_as_json(part, whole_sample=False) for part in found.parts),
        ],
    }


def _slice_as_json(part: Slice, *, whole_sample: bool) -> dict[str, Any]:
    requirement = part.requirement
    return {
        "name": part.name,
        "whole": whole_sample,
        "missing": part.group is None and not whole_sample,
        "cases": whole(part.cases),
        **({} if part.labelled is None else {"labelled": part.labelled}),
        "positives": whole(part.positives),
        "clusters": None if part.clusters is None else len(part.clusters),
        "point": point_of(part.point),
        "nne": number(read(part.point, "nne")),
        "bounds": {name: of_interval(bound) for name, bound in part.bounds.items()},
        "outcome": part.outcome,
        "checks": (
            [of_check(check) for check in requirement.checks] if requirement is not None else []
        ),
        "reason": (
            requirement.notes[0].text
            if requirement is not None and part.outcome == UNJUDGED and requirement.notes
            else None
        ),
        "alone": None if part.own is None else threshold(part.own.threshold),
    }


def days_as_json(found: Days) -> dict[str, Any]:
    """Return all days in their order, and what a fixed threshold gives on them."""
    return {
        "tz": found.tz or "UTC",
        "threshold": threshold(found.threshold),
        "budget": found.budget,
        "mean": found.mean,
        "least": found.least.day,
        "most": found.most.day,
        "over": [day.day for day in found.over],
        "days": [_day_as_json(day) for day in found.parts],
        "undated": None if found.undated is None else found.undated.cases,
    }


def groups_and_days_as_json(found: GroupsAndDays) -> dict[str, Any]:
    """Return the groups and the days that there are."""
    groups = {} if found.groups is None else slices_as_json(found.groups)
    return groups if found.days is None else {**groups, "days": days_as_json(found.days)}


def _day_as_json(day: Day) -> dict[str, Any]:
    labelled = {} if day.labelled is None else {"labelled": day.labelled}
    known = {
        "day": day.day,
        "cases": day.cases,
        **labelled,
        "positives": _known_or_null(day.positives),
    }
    return {**known, "alerts": day.alerts, "caught": _known_or_null(day.caught), "hours": day.hours}


def _known_or_null(cases: float) -> float | None:
    """A number of cases; null where it is not known."""
    return None if math.isnan(cases) else cases
