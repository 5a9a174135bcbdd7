"""Days from dates and times: in which day every case lies, in UTC or in a named time zone."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from baserate.counts.cells import Array
from baserate.counts.grouped import GroupedCounts
from baserate.errors import (
    Fix,
    InputError,
    Note,
    are,
    grouped,
    number_of,
    quoted,
    refuse,
    relocate_problems,
)
from baserate.read.cases import Cases, count_coded
from baserate.read.columns import Column, as_column, distinct

UTC = dt.UTC
ISO = Fix.everywhere("write days as 2026-01-31 or 2026-01-31T23:59:59+01:00 (ISO 8601)")
ZONE = "Europe/Berlin"
# A date, perhaps with a time behind it. As whole numbers only 20260131 is a day: seconds since 1970
# look like any other number, and a week is not a day.
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?|\d{8}(T.*)?")
MOST_OFFSETS = 3


def count_days(cases: Cases, model: str, tz: str | None = None) -> GroupedCounts:
    """Return the counts of one model's scores day by day."""
    with relocate_problems(cases.place):
        days, codes, notes = day_codes(cases.beside["day"], tz)
    unlabelled = None if cases.unlabelled is None else count_days(cases.unlabelled, model, tz)
    return count_coded(cases, model, days, codes, notes).beside(unlabelled)


def day_codes(
    column: Column, tz: str | None = None
) -> tuple[tuple[str | None, ...], Array, tuple[Note, ...]]:
    """Return the days there are (None: missing), the place of each case's day among them, and
    notes; refuse text that is not a day.
    """
    zone = zone_of(tz)
    values, codes = distinct(column, _listed)
    days, offsets = list[str | None](), list[dt.timedelta | None]()
    wrong = list[int]()
    for place, value in enumerate(values):
        try:
            day, offset = read_day(value, zone)
        except (ValueError, OverflowError):
            wrong.append(place)
            continue
        days.append(day)
        offsets.append(offset)
    if wrong:
        raise _no_days(column.name, values, np.flatnonzero(np.isin(codes, wrong)), codes)
    names = tuple(sorted(set(days), key=lambda day: (day is None, day or "")))
    places = {name: place for place, name in enumerate(names)}
    numbers = np.array([places[day] for day in days], dtype=np.min_scalar_type(len(names)))
    bare = np.array(
        [day is not None and offset is None for day, offset in zip(days, offsets, strict=True)],
        dtype=np.bool_,
    )
    notes = _offset_notes(column.name, Counter(offsets), bare, codes, tz)
    return names, numbers[codes], tuple(notes)


def read_day(value: Any, zone: ZoneInfo | None) -> tuple[str | None, dt.timedelta | None]:
    """Return the day of a date or time (None: missing), and the offset from UTC that it was written
    with; raise ValueError for what is not a day.
    """
    if value is None:
        return None, None
    if isinstance(value, dt.datetime):
        time = value
    elif isinstance(value, dt.date):
        return value.isoformat(), None
    elif DATE.fullmatch(str(value).strip()):
        time = dt.datetime.fromisoformat(str(value).strip())
    else:
        raise ValueError
    if time.tzinfo is None:
        return time.date().isoformat(), None
    return time.astimezone(zone or UTC).date().isoformat(), time.utcoffset()


def day_column(given: Any, name: str) -> Column:
    """Return dates and times from an array. Those of a dataframe with a time zone come in UTC,
    without saying so.
    """
    column = as_column(given, name)
    kind = getattr(given, "dtype", getattr(given, "type", None))
    has_zone = any(getattr(kind, name, None) is not None for name in ("tz", "time_zone"))
    if column.values.dtype.kind != "M" or not has_zone:
        return column
    texts = np.datetime_as_string(column.values, unit="us", timezone="UTC").astype(object)
    texts[np.isnat(column.values)] = None
    return Column(column.name, texts, column.missing, column.index)


def zone_of(name: str | None) -> ZoneInfo | None:
    """Return the time zone of this name."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError, TypeError):
        text = f"there is no time zone {quoted(name)} here"
        fix = Fix(f"tz={ZONE!r} (and pip install tzdata where none is known)", f"--tz {ZONE}")
        raise refuse("BR431", text, fix) from None


def hours_of(day: str, zone: ZoneInfo | None) -> float:
    """Return how long a day is: 23 or 25 hours where clocks are changed."""
    if zone is None:
        return 24.0
    first = dt.datetime.fromisoformat(day).replace(tzinfo=zone)
    try:
        following = (first + dt.timedelta(days=1)).astimezone(UTC)
        return (following - first.astimezone(UTC)) / dt.timedelta(hours=1)
    except OverflowError:  # the first day that there is, and the last
        return 24.0


def _listed(values: Array) -> list[Any]:
    return values.tolist() if values.dtype.kind != "M" else list(np.datetime_as_string(values))


def _no_days(name: str, values: list[Any], rows: Array, codes: Array) -> InputError:
    examples = dict.fromkeys(values[code] for code in codes[rows[:3]])
    what = number_of(len(rows), "value that is not a day", "values that are not days")
    text = f"{name} has {what}, such as {', '.join(map(quoted, examples))}"
    return refuse("BR430", text, ISO, rows[:3], len(rows))


def _offset_notes(
    name: str, offsets: Counter[dt.timedelta | None], bare: Array, codes: Array, tz: str | None
) -> Iterator[Note]:
    """Say in which zone days are, where an offset moves cases to another day; and what has no
    offset beside what has one.
    """
    written = sorted(offset for offset in offsets if offset is not None)
    if not written:
        return
    beside = ""
    if bare.any():
        many = int(np.count_nonzero(bare[codes]))
        beside = f"; {grouped(many)} without an offset {are(many)} taken as written"
    if tz is not None:
        if beside:
            yield Note("BR431", f"{name}: days are those of {tz}{beside}")
    elif beside or any(written):
        seen = f"{len(written)} offsets seen" if len(written) > 1 else "one offset seen"
        shown = ", ".join(map(_offset_text, written[:MOST_OFFSETS]))
        more = " …" if len(written) > MOST_OFFSETS else ""
        text = f"{name}: days are UTC; {seen} ({shown}{more}){beside}"
        yield Note("BR431", text, Fix.option("tz", ZONE))


def _offset_text(offset: dt.timedelta) -> str:
    return dt.datetime(2000, 1, 1, tzinfo=dt.timezone(offset)).strftime("%z")
