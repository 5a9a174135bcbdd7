"""Days from dates and times: which day every case lies in, in UTC or in a time zone that is named."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from baserate.cells import Array
from baserate.engines.cases import SCORE, Cases, Names, checked
from baserate.engines.columns import Column, as_column, distinct
from baserate.engines.file_cases import read_cases
from baserate.engines.files import Options
from baserate.engines.wanted import Wanted
from baserate.errors import Fix, InputError, are, grouped, number_of, quoted, refuse
from baserate.grouped import GroupedCounts
from baserate.kernels import Cells
from baserate.notes import RANDOM, Note

DAY = "day"
UTC = dt.UTC
ISO = Fix.everywhere("write days as 2026-01-31 or 2026-01-31T23:59:59+01:00 (ISO 8601)")
ZONE = "Europe/Berlin"
# A date, perhaps with a time behind it.
WRITTEN = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?|\d{8}(T.*)?")


def count_days(
    y_true: Any, y_score: Any, *, days: Any, tz: str | None = None, pos_label: Any = None, sample_weight: Any = None, design: str = RANDOM
) -> GroupedCounts:
    """How many positives and negatives have each score, day by day?

    `days` are dates or times: typed, or text in ISO 8601. Groups are named by the day ("2026-01-31"), in their order. A time with an offset
    lies in a day of UTC, or of the time zone `tz` ("Europe/Berlin"); without an offset the day is the one that is written. A missing day is a
    group of its own, named None.

    >>> import baserate as br
    >>> times = ["2026-03-01T23:30:00+00:00", "2026-03-02T01:00:00+00:00"]
    >>> list(br.count_days([0, 1], [0.2, 0.7], days=times)), list(br.count_days([0, 1], [0.2, 0.7], days=times, tz="Europe/Berlin"))
    (['2026-03-01', '2026-03-02'], ['2026-03-02'])
    """
    column = _in_utc(as_column(days, "days"), days)
    known = {"pos_label": pos_label, "sample_weight": sample_weight, "design": design}
    cases = checked(y_true, {SCORE: y_score}, names=Names(), beside={DAY: column}, **known)
    return days_of(cases, SCORE, tz)


def count_days_file(  # noqa: PLR0913 (as count_groups_file, and a time zone)
    source: str | os.PathLike[str],
    *,
    label: str,
    score: str,
    day: str,
    tz: str | None = None,
    positive: Any = None,
    weight: str | None = None,
    design: str = RANDOM,
    **options: Any,
) -> GroupedCounts:
    """How many positives and negatives have each score, day by day, in a file or a table?"""
    cases, table = read_cases(os.fspath(source), Wanted(label, (score,), positive, weight, day=day, design=design), Options.of(options))
    try:
        return days_of(cases, score, tz)
    except InputError as error:
        raise error.moved(table.place) from None


def days_of(cases: Cases, score: str, tz: str | None = None) -> GroupedCounts:
    """The counts of one score, day by day."""
    names, codes, said = day_codes(cases.beside[DAY], tz)
    positives, negatives, notes = cases.one_by_one()
    rest = None if cases.unlabelled is None else days_of(cases.unlabelled, score, tz)
    found = GroupedCounts._gathered(names, codes, Cells(cases.kept_scores()[score], positives, negatives), cases.ledger, (*notes, *said))
    return found.beside(rest)


def zone_of(name: str | None) -> ZoneInfo | None:
    """The time zone of this name."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError, TypeError):
        text = f"there is no time zone {quoted(name)} here"
        raise refuse("BR431", text, Fix(f"tz={ZONE!r} (and pip install tzdata where none is known)", f"--tz {ZONE}")) from None


def day_codes(column: Column, tz: str | None = None) -> tuple[tuple[str | None, ...], Array, tuple[Note, ...]]:
    """The days there are, for each case the place of its own among them, and what there is to say; text that is no day is refused."""
    zone = zone_of(tz)
    values, codes = distinct(column, _listed)
    read = [_day(value, zone) for value in values]
    wrong = [place for place, found in enumerate(read) if found is None]
    if wrong:
        rows = np.flatnonzero(np.isin(codes, wrong))
        shown = ", ".join(quoted(value) for value in dict.fromkeys(values[code] for code in codes[rows[:3]]))
        what = number_of(len(rows), "value that is no day", "values that are no day")
        raise refuse("BR430", f"{column.name} has {what}, such as {shown}", ISO, rows[:3], len(rows))
    days, written = zip(*(found for found in read if found is not None), strict=True) if read else ((), ())
    places = {day: place for place, day in enumerate(sorted(set(days), key=lambda day: (day is None, day or "")))}
    offsets = Counter[dt.timedelta | None]()
    for value, offset, times in zip(values, written, np.bincount(codes, minlength=len(values)).tolist(), strict=True):
        if value is not None:
            offsets[offset] += times
    return tuple(places), np.array([places[day] for day in days], dtype=np.intp)[codes], tuple(_remarks(column.name, offsets, tz))


def _listed(values: Array) -> list[Any]:
    return values.tolist() if values.dtype.kind != "M" else list(np.datetime_as_string(values))


def _day(value: Any, zone: ZoneInfo | None) -> tuple[str | None, dt.timedelta | None] | None:
    """The day, and the offset from UTC that it was written with; None for what is no day."""
    if value is None:
        return None, None
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value.isoformat(), None
    try:
        # As whole numbers only 20260131 is a day: seconds since 1970 look like any other number, and a week is no day.
        if not isinstance(value, dt.datetime) and not WRITTEN.fullmatch(str(value).strip()):
            return None
        time = value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(str(value).strip())
        if time.tzinfo is None:
            return time.date().isoformat(), None
        return time.astimezone(zone or UTC).date().isoformat(), time.utcoffset()
    except (ValueError, OverflowError):
        return None


def _in_utc(column: Column, given: Any) -> Column:
    """Times of a dataframe with a time zone come in UTC, without saying so."""
    kind = getattr(given, "dtype", getattr(given, "type", None))
    zoned = any(getattr(kind, name, None) is not None for name in ("tz", "time_zone"))
    if column.values.dtype.kind != "M" or not zoned:
        return column
    texts = np.datetime_as_string(column.values, unit="us", timezone="UTC").astype(object)
    texts[np.isnat(column.values)] = None
    return Column(column.name, texts, column.missing, column.index)


def _remarks(name: str, offsets: Counter[dt.timedelta | None], tz: str | None) -> Iterator[Note]:
    """Where an offset moves cases to another day, in which zone days are; and what has no offset beside what has one."""
    written = sorted(offset for offset in offsets if offset is not None)
    if not written:
        return
    bare = f"; {grouped(offsets[None])} without an offset {are(offsets[None])} taken as written" if offsets[None] else ""
    if tz is not None:
        if bare:
            yield Note("BR431", f"{name}: days are those of {tz}{bare}")
    elif bare or any(written):
        seen = f"{len(written)} offsets seen" if len(written) > 1 else "one offset seen"
        shown = ", ".join(_shown(offset) for offset in written[:3]) + (" …" if len(written) > 3 else "")
        yield Note("BR431", f"{name}: days are UTC; {seen} ({shown}){bare}", Fix.option("tz", ZONE))


def _shown(offset: dt.timedelta) -> str:
    return dt.datetime(2000, 1, 1, tzinfo=dt.timezone(offset)).strftime("%z")


def hours_of(day: str, zone: ZoneInfo | None) -> float:
    """How long the day is: 23 or 25 hours where clocks are changed."""
    if zone is None:
        return 24.0
    first = dt.datetime.fromisoformat(day).replace(tzinfo=zone)
    if first.date() == dt.date.max:
        return 24.0
    try:
        return ((first + dt.timedelta(days=1)).astimezone(UTC) - first.astimezone(UTC)) / dt.timedelta(hours=1)
    except OverflowError:  # the first day that there is
        return 24.0
