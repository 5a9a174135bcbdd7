"""Days: how many alerts a fixed threshold gives, day by day, and on how many days that is more than
a budget.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from zoneinfo import ZoneInfo

from baserate.conditions import Conditions, checked_conditions
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import LABELS_MISSING, Points
from baserate.decisions.selection import Weights, class_weights, flag_at
from baserate.errors import Fix, Note, combine, number_of, quoted, refuse
from baserate.measures.confusion import Confusion, confusion_at
from baserate.notation import NumberCheck, checked_volume
from baserate.numbers import Undefined, Viewed, exactly, make_view, rounded
from baserate.read.days import hours_of, zone_of
from baserate.results.operating_point import OperatingPoint

# Days without positives at the end are taken for labels still to come where chance would give them
# less often than this.
IMPROBABLE = 0.001
AS_COUNTED: Weights = (Fraction(1), Fraction(1))
NOT_AT_A_VOLUME = Note(
    "BR656",
    f"{LABELS_MISSING}: positives and caught are not known at this volume",
    Fix(
        "leave volume out to count them among the labelled cases",
        "leave --volume out to count them among the labelled cases",
    ),
)


@dataclass(frozen=True)
class Day:
    """One day: its cases, the positives among them, the alerts, and the positives caught.

    As counted, these are whole numbers; at another prior or volume, what the same day would have
    had. `hours` are 23 or 25 where clocks change. Alerts are counted among all `cases`; positives
    and those caught are known among the `labelled` ones only (None: all of them), and are NaN at a
    volume where labels are missing: how many positives there are among all cases is not known.
    """

    day: str
    cases: float
    positives: float
    alerts: float
    caught: float
    hours: float = 24.0
    labelled: float | None = None


@dataclass(frozen=True)
class Days(Viewed):
    """The alerts of a fixed threshold for each day, in order, with their mean, minimum and maximum.

    `over` are the days with more alerts than the budget. `undated` holds cases without a day, which
    no mean counts; None where there are none.
    """

    parts: tuple[Day, ...]
    point: OperatingPoint
    budget: float | None = None
    tz: str | None = None
    undated: Day | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def threshold(self) -> float | None:
        return self.point.threshold

    @property
    def mean(self) -> float:
        """Alerts a day on average."""
        return rounded(
            sum((exactly(day.alerts) for day in self.parts), Fraction(0)) / len(self.parts)
        )

    @property
    def least(self) -> Day:
        return min(self.parts, key=lambda day: day.alerts)

    @property
    def most(self) -> Day:
        return max(self.parts, key=lambda day: day.alerts)

    @property
    def over(self) -> tuple[Day, ...]:
        return (
            ()
            if self.budget is None
            else tuple(day for day in self.parts if day.alerts > self.budget)
        )

    def __str__(self) -> str:
        return str(make_view("text", self))

    def __repr__(self) -> str:
        alerts = (
            f"{self.mean:.6g} alerts a day, from {self.least.alerts:.6g} to {self.most.alerts:.6g}"
        )
        over = "" if self.budget is None else f", more than {self.budget:g} on {len(self.over)}"
        return f"Days: {number_of(len(self.parts), 'day')}, {alerts}{over}"


def by_day(
    days: GroupedCounts,
    *,
    threshold: float | None,
    at: Conditions | None = None,
    budget: float | None = None,
    volume: float | None = None,
    tz: str | None = None,
) -> Days:
    """How many alerts a day does this threshold give, and on how many days is that more than the
    budget?

    `days` come from `count(…, day=…)`. A fixed threshold gives another number every day. At another
    prior every positive and every negative of every day weighs as much more or less as it takes for
    that prior over all days, which keeps the number of cases; `volume` is how many cases a day
    there will be on average, where the file holds fewer. `tz` is the time zone that the days were
    counted in: some of its days have 23 or 25 hours. Cases without a label that were left out when
    the file was read (`count(…, day=…, missing_label="drop")`) are alerts too.

    >>> import baserate as br
    >>> y, s = [0, 1, 0, 1, 0, 0], [0.2, 0.7, 0.8, 0.9, 0.6, 0.1]
    >>> found = br.segments.by_day(br.count(y, s, day=["2026-01-01"] * 3 + ["2026-01-02"] * 3), threshold=0.65, budget=1)
    >>> found
    Days: 2 days, 1.5 alerts a day, from 1 to 2, more than 1 on 1
    >>> [day.day for day in found.over], [day.caught for day in found.parts]
    (['2026-01-01'], [1, 1])
    """  # noqa: E501
    if not isinstance(days, GroupedCounts):
        raise refuse(
            "BR430",
            f"days are GroupedCounts by day, got {type(days).__name__}",
            "count(y, scores, day=dates)",
        )
    counted, missing = days.scored(), days.unlabelled is not None
    names = {group: _day_name(group) for group in counted if group is not None}
    if not names:
        raise refuse(
            "BR430", "there are no days: every case lacks one", "give the column of the days"
        )
    zone, limit, given = zone_of(tz), checked_budget(budget), checked_conditions(at)
    whole = days.total()
    point = flag_at(whole, threshold, at=given, volume=checked_volume(volume))
    if missing and not point.at.as_in_sample:
        text = (
            "alerts are counted among all cases, and those without a label have no class that"
            " another base rate could weigh"
        )
        raise refuse("BR115", text, Fix("leave the prior out", "leave --prior out"))
    weights = class_weights(
        whole + whole.unlabelled if missing else whole,
        point.at,
        None if volume is None else Fraction(volume) * len(names),
    )
    order = sorted(names, key=lambda group: names[group])
    seen = tuple(
        _make_day(names[group], counted[group], threshold, AS_COUNTED, zone) for group in order
    )
    parts = tuple(
        _make_day(names[group], counted[group], threshold, weights, zone) for group in order
    )
    said = tuple(point.notes)
    if volume is not None and point.at.as_in_sample and whole.labels_missing:
        unknown = Undefined(LABELS_MISSING)
        parts = tuple(replace(day, positives=unknown, caught=unknown) for day in parts)
        said = tuple(
            NOT_AT_A_VOLUME if note.code == NOT_AT_A_VOLUME.code else note for note in said
        )
    undated = _make_day("", counted[None], threshold, AS_COUNTED, None) if None in counted else None
    found = Days(parts, point, limit, tz, undated)
    return replace(
        found,
        notes=combine(
            days.notes, (*said, *_notes_of_days(replace(found, parts=seen), weighted=days.weighted))
        ),
    )


def _day_name(group: Hashable) -> str:
    try:
        text = group if isinstance(group, str) else group.isoformat()  # type: ignore[attr-defined]
        return dt.date.fromisoformat(text).isoformat()
    except (ValueError, AttributeError):
        raise refuse(
            "BR430", f"the group {quoted(group)} is not a day", "count(y, scores, day=dates)"
        ) from None


checked_budget = NumberCheck(
    "BR521", "a budget is a number of alerts a day, 1 or more", "budget=200", 1
).or_none


def _make_day(
    name: str, counts: Counts, threshold: float | None, weights: Weights, zone: ZoneInfo | None
) -> Day:
    tp, fp, fn, tn = (
        exactly(cases) * weight
        for cases, weight in zip(
            _confusion_at(counts, threshold), (*weights, *weights), strict=True
        )
    )
    alerts, labelled = tp + fp, tp + fp + fn + tn
    hours, cases = hours_of(name, zone) if name else 24.0, labelled
    if counts.unlabelled is not None:
        rest = _confusion_at(counts.unlabelled, threshold)
        alerts, cases = (
            alerts + weights[1] * exactly(rest.fp),
            labelled + weights[1] * exactly(rest.fp + rest.tn),
        )
    known = None if counts.unlabelled is None else _plain_number(labelled)
    return Day(
        name,
        _plain_number(cases),
        _plain_number(tp + fn),
        _plain_number(alerts),
        _plain_number(tp),
        hours,
        known,
    )


def _confusion_at(counts: Counts, threshold: float | None) -> Confusion:
    points = Points.of(counts)
    return confusion_at(points, points.place(threshold))


def _plain_number(value: Fraction) -> float:
    return int(value) if value.denominator == 1 else rounded(value)


def _notes_of_days(found: Days, *, weighted: bool) -> Iterator[Note]:
    if found.undated is not None:
        yield Note(
            "BR435",
            f"{number_of(found.undated.cases, 'case')} without a day: not counted in any day or"
            " mean",
        )
    first, last = (dt.date.fromisoformat(found.parts[place].day) for place in (0, -1))
    without = (last - first).days + 1 - len(found.parts)
    if without:
        yield Note(
            "BR435",
            f"{number_of(without, 'day')} without cases between {first} and {last}: in no mean",
        )
    changed = [f"{day.day} ({day.hours:g} h)" for day in found.parts if day.hours != 24]
    if changed:
        yield Note(
            "BR431",
            f"clocks change on {', '.join(changed[:3])}{' …' if len(changed) > 3 else ''}: such a"
            " day has more or fewer cases",
        )
    if not weighted:
        yield from _no_labels_yet(found.parts)


def _no_labels_yet(days: Sequence[Day]) -> Iterator[Note]:
    """The last days have no positives, though the rate before makes that improbable: their labels
    may not have come in yet.
    """
    end = len(days)
    while end and not days[end - 1].positives:
        end -= 1
    before, after = days[:end], days[end:]
    if not before or not after:
        return
    cases, tail = (
        sum(day.cases if day.labelled is None else day.labelled for day in some)
        for some in (before, after)
    )
    positives = sum(day.positives for day in before)
    rate, chance = positives / cases, _none_at_the_end(positives, cases, tail)
    if chance >= IMPROBABLE:
        return
    shown = f"{chance:.1g}" if chance >= 1e-300 else "less than 1e-300"
    text = (
        f"no positives among {number_of(tail, 'case')} from {after[0].day} on, though {rate:.3g} of"
        " those before were positive"
    )
    yield Note(
        "BR113",
        f"{text} (by chance with probability {shown}): labels of the last days may not have come"
        " in yet",
        Fix.everywhere("leave those days out"),
    )


def _none_at_the_end(positives: float, cases: float, tail: float) -> float:
    """The chance that these positives, in any order among all cases, leave the last ones without
    any: C(n, k) / C(n + tail, k).

    Given how many positives there are, every order of the cases is as probable where the rate stays
    the same, whatever it is: nothing is estimated, so that few positives do not make it too small.
    """
    ends = (cases, 1), (cases - positives, -1), (cases + tail, -1), (cases + tail - positives, 1)
    return min(1.0, math.exp(math.fsum(sign * math.lgamma(number + 1) for number, sign in ends)))
