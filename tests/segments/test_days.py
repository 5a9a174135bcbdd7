"""Days: which day a case lies in, alerts day by day, budgets, and labels that have not come in
yet.
"""

import datetime as dt
from fractions import Fraction
from math import comb

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.read.days import hours_of, zone_of

UTC = dt.UTC
LATE = dt.datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def days_named(days, **options):
    return list(br.count([0, 1], [0.2, 0.7], day=days, **options))


@pytest.mark.parametrize(
    "days",
    [
        [LATE, NOON],
        ["2026-03-01T23:30:00Z", "2026-03-02 12:00:00+00:00"],
        ["20260301T233000+0000", " 2026-03-02T14:00:00+02:00 "],
        pd.Series([LATE, NOON]),
        pd.Series([LATE, NOON]).dt.tz_convert("Europe/Berlin"),
        pl.Series([LATE, NOON]),
    ],
)
def test_a_time_with_an_offset_lies_in_a_day_of_utc_or_of_the_zone_named(days):
    assert days_named(days) == ["2026-03-01", "2026-03-02"]
    assert days_named(days, tz="Europe/Berlin") == ["2026-03-02"]


@pytest.mark.parametrize(
    "days",
    [
        ["2026-03-01", "2026-03-02"],
        ["2026-03-01T23:30:00", "2026-03-02T00:10:00"],
        [dt.date(2026, 3, 1), dt.date(2026, 3, 2)],
        np.array(["2026-03-01T23:30", "2026-03-02T01:00"], "M8[m]"),
        [20260301, 20260302],
    ],
)
def test_without_an_offset_the_day_is_the_one_that_is_written(days):
    assert days_named(days) == days_named(days, tz="Europe/Berlin") == ["2026-03-01", "2026-03-02"]


def test_days_stand_in_their_order_and_a_missing_one_is_a_group():
    counted = br.count([0, 1, 0], [1, 2, 3], day=["2026-01-10", "", "2026-01-02"])
    assert set(counted) == {"2026-01-10", "2026-01-02", None}
    found = br.segments.by_day(counted, threshold=2)
    assert [day.day for day in found.parts] == ["2026-01-02", "2026-01-10"]
    assert found.undated.cases == 1
    assert [note.text for note in found.notes if note.code == "BR435"] == [
        "1 case without a day: not counted in any day or mean",
        "7 days without cases between 2026-01-02 and 2026-01-10: in no mean",
    ]


@pytest.mark.parametrize(
    ("days", "tz", "text"),
    [
        (
            ["2026-01-01T00:00:00+01:00", "2026-07-01T00:00:00+02:00"],
            None,
            "days: days are UTC; 2 offsets seen (+0100, +0200)",
        ),
        (["2026-01-01T00:00:00+01:00"] * 2, None, "days: days are UTC; one offset seen (+0100)"),
        (
            ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00"],
            None,
            "days: days are UTC; one offset seen (+0000); 1 without an offset is taken as written",
        ),
        (
            ["2026-01-01T00:00:00Z", "2026-01-01"],
            "Asia/Tokyo",
            "days: days are those of Asia/Tokyo; 1 without an offset is taken as written",
        ),
        (["2026-01-01T00:00:00Z"] * 2, None, None),
        (["2026-01-01T00:00:00+01:00", "2026-07-01T00:00:00+02:00"], "Europe/Berlin", None),
    ],
)
def test_offsets_are_said(days, tz, text):
    notes = [
        note for note in br.count([0, 1], [0.1, 0.2], day=days, tz=tz).notes if note.code == "BR431"
    ]
    assert [note.text for note in notes] == ([] if text is None else [text])
    assert all(note.override.command == "--tz Europe/Berlin" for note in notes if tz is None)


@pytest.mark.parametrize(
    "wrong",
    ["31.01.2026", "01/31/2026", "2026-13-01", "1735689600", "yesterday", "12:30", "2026-02-30"],
)
def test_what_is_no_day_is_refused_with_its_place(wrong):
    with pytest.raises(
        br.InputError,
        match=r'BR430: days has 2 values that are not days, such as ".*" \(index 1, 2\)',
    ):
        br.count([0, 1, 0], [1, 2, 3], day=["2026-01-01", wrong, wrong])


def test_a_file_that_holds_no_day_is_refused_at_the_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,m,t\n0,1,2026-01-01\n1,2,soon\n")
    with pytest.raises(
        br.InputError,
        match=r'BR430: .*x.csv: "t" has 1 value that is not a day, such as "soon" \(line 3\)',
    ):
        br.count(path, label="y", score="m", day="t")
    path.write_text("y,m,t\n0,1,2026-01-01\n1,2,2026-01-02\n")
    assert list(br.count(path, label="y", score="m", day="t")) == [
        "2026-01-01",
        "2026-01-02",
    ]


def test_an_unknown_zone_is_refused():
    with pytest.raises(br.InputError, match='BR431: there is no time zone "Mars/Base" here'):
        days_named(["2026-01-01"] * 2, tz="Mars/Base")


def test_days_on_which_clocks_change_have_23_or_25_hours():
    times = ["2026-03-29T12:00:00Z", "2026-10-25T12:00:00Z", "2026-06-01T12:00:00Z"]
    found = br.segments.by_day(
        br.count([0, 1, 0], [1, 2, 3], day=times, tz="Europe/Berlin"),
        threshold=2,
        tz="Europe/Berlin",
    )
    assert {day.day: day.hours for day in found.parts} == {
        "2026-03-29": 23,
        "2026-06-01": 24,
        "2026-10-25": 25,
    }
    assert any(
        "clocks change on 2026-03-29 (23 h), 2026-10-25 (25 h)" in note.text for note in found.notes
    )


@pytest.fixture
def month():
    rng = np.random.default_rng(3)
    y = (rng.random(2000) < 0.1).astype(int)
    s = np.round(rng.normal(size=2000) + y, 2)
    d = np.array([f"2026-01-{day:02}" for day in rng.integers(1, 31, 2000)])
    return y, s, d


def test_alerts_a_day_are_those_of_the_rows_of_that_day(month):
    y, s, d = month
    found = br.segments.by_day(br.count(y, s, day=d), threshold=1.0, budget=15)
    for day in found.parts:
        rows = d == day.day
        assert (day.cases, day.positives) == (rows.sum(), y[rows].sum())
        assert (day.alerts, day.caught) == (
            (s[rows] >= 1.0).sum(),
            ((s[rows] >= 1.0) & (y[rows] == 1)).sum(),
        )
    alerts = [day.alerts for day in found.parts]
    assert found.mean == sum(alerts) / len(alerts)
    assert (found.least.alerts, found.most.alerts) == (min(alerts), max(alerts))
    assert len(found.over) == sum(number > 15 for number in alerts)


def test_at_another_prior_every_case_weighs_as_much_as_it_takes(month):
    y, s, d = month
    prior, n, positives = Fraction(1, 100), len(y), int(y.sum())
    found = br.segments.by_day(br.count(y, s, day=d), threshold=1.0, at=br.Conditions(prior="1%"))
    up, down = prior * n / positives, (1 - prior) * n / (n - positives)
    for day in found.parts:
        rows = (d == day.day) & (s >= 1.0)
        assert day.alerts == float(up * int(y[rows].sum()) + down * int((1 - y[rows]).sum()))
    expected = br.measure(
        br.count(y, s), "alerts", threshold=1.0, at=br.Conditions(prior="1%"), volume=n
    )
    assert sum(day.alerts for day in found.parts) == pytest.approx(expected)
    assert any(note.code == "BR526" for note in found.notes)


def test_a_volume_is_the_mean_number_of_cases_a_day(month):
    y, s, d = month
    at = br.Conditions(prior="1 in 1000")
    found = br.segments.by_day(br.count(y, s, day=d), threshold=1.0, at=at, volume=1_000_000)
    assert found.mean == pytest.approx(
        br.measure(br.count(y, s), "alerts", threshold=1.0, at=at, volume=1_000_000)
    )


def daily(rates):
    """Days of 500 cases with so many positives each."""
    y, d = [], []
    for i, positives in enumerate(rates):
        y += [1] * positives + [0] * (500 - positives)
        d += [f"2026-01-{i + 1:02}"] * 500
    return br.count(y, y, day=d)


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ([5, 5, 5, 5, 0, 0], True),
        ([5, 5, 5, 5, 0], False),
        ([50, 50, 0], True),
        ([5, 0, 0, 5], False),
        ([0, 0, 0], False),
        ([7, 7, 0], False),
        ([9, 9, 0], True),
    ],
)
def test_days_without_positives_at_the_end_are_noted_where_chance_makes_them_improbable(
    rates, said
):
    tail = len(rates) - max((i + 1 for i, rate in enumerate(rates) if rate), default=0)
    before = rates[: len(rates) - tail]
    chance = (
        comb(500 * len(before), sum(rates)) / comb(500 * len(rates), sum(rates))
        if before and tail
        else 1
    )
    assert (chance < 0.001) == said
    notes = [
        note for note in br.segments.by_day(daily(rates), threshold=1).notes if note.code == "BR113"
    ]
    assert bool(notes) == said
    if said:
        assert f"no positives among {500 * tail:,} cases" in notes[0].text
        assert "labels of the last days may not have come in yet" in notes[0].text


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"threshold": 1, "budget": 0}, "BR521: a budget is a number of alerts a day"),
        ({"threshold": 1, "volume": -1}, "BR520: a volume"),
        ({"threshold": 1, "tz": "nowhere"}, "BR431: there is no time zone"),
    ],
)
def test_a_day_that_cannot_be_read_is_refused(options, match):
    with pytest.raises(br.InputError, match=match):
        br.segments.by_day(daily([1, 2]), **options)


def test_groups_that_are_no_days_are_refused():
    with pytest.raises(br.InputError, match='BR430: the group "monday" is not a day'):
        br.segments.by_day(br.count([0, 1], [0, 1], by=["monday", "monday"]), threshold=1)
    with pytest.raises(br.InputError, match="BR430: days are GroupedCounts by day, got Counts"):
        br.segments.by_day(br.count([0, 1], [0, 1]), threshold=1)
    with pytest.raises(br.InputError, match="BR430: there are no days"):
        br.segments.by_day(br.count([0, 1], [0, 1], day=["", ""]), threshold=1)
    assert (
        br.segments.by_day(br.count([0, 1], [0, 1], by=[dt.date(2026, 1, 2)] * 2), threshold=1)
        .parts[0]
        .day
        == "2026-01-02"
    )


def noted(positives, cases):
    """Whether days with so many positives and cases are said to lack labels."""
    days = [f"2026-01-{day + 1:02}" for day in range(len(positives))]
    rows = [
        (label, day)
        for day, has, of in zip(days, positives, cases, strict=True)
        for label in [1] * has + [0] * (of - has)
    ]
    labels, dates = zip(*rows, strict=True)
    found = br.segments.by_day(br.count(labels, [0.5] * len(labels), day=dates), threshold=0.5)
    return [note.text for note in found.notes if note.code == "BR113"]


def test_one_early_positive_does_not_make_the_days_after_it_improbable():
    # One positive among the first 10 of 300 cases is there with probability 1 in 30, whatever the
    # rate.
    assert not noted([1, *[0] * 29], [10] * 30)


def test_the_chance_of_days_without_positives_is_that_of_any_order_of_the_cases():
    # Among all orders of 4 positives and 56 others none of the last 50 is positive in C(10, 4) of
    # C(60, 4).
    assert comb(10, 4) / comb(60, 4) < 0.001
    assert (
        f"probability {comb(10, 4) / comb(60, 4):.1g})"
        in noted([1, 3, *[0] * 5], [5, 5, *[10] * 5])[0]
    )
    assert not noted([1, 2, *[0] * 5], [5, 5, *[10] * 5])
    assert comb(10, 3) / comb(60, 3) > 0.001


@pytest.mark.parametrize("text", ["1712123112345", "2026-W01", "1712123112"])
def test_seconds_and_weeks_are_no_days(text):
    with pytest.raises(br.InputError, match="BR430|day"):
        br.count([0, 1], [0.1, 0.2], day=[text, "2026-01-31"])


def test_the_first_day_of_all_has_a_length():
    assert hours_of("0001-01-01", zone_of("Europe/Berlin")) == 24.0


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_of_times_in_a_file_the_day_is_the_one_that_is_written(tmp_path, unit):
    times = ["1969-12-31T23:59:59", "1970-01-01T00:00:00", None, "2026-03-01T23:30:00"] * 3000
    times = np.array([time or "NaT" for time in times], f"M8[{unit}]")
    times[::4] += np.timedelta64(0 if unit == "s" else 999, "ms").astype(f"m8[{unit}]")
    y, scores = np.arange(len(times)) % 3 == 0, np.arange(len(times)) / 7
    path = str(tmp_path / "times.parquet")
    pq.write_table(pa.table({"y": y, "s": scores, "t": pa.array(times)}), path)
    found = br.count(path, label="y", score="s", day="t")
    assert set(found) == {"1969-12-31", "1970-01-01", "2026-03-01", None}
    alike = br.count(y, scores, day=times)
    assert {day: one.digest for day, one in found.items()} == {
        day: one.digest for day, one in alike.items()
    }
    zoned = br.count(path, label="y", score="s", day="t", tz="Europe/Berlin")
    assert zoned.digest == found.digest
