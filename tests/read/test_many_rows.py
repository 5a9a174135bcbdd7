"""Many rows with few values: never as many Python objects, and the same groups, days and sums as
row by row.
"""

import datetime as dt
import tracemalloc
from collections import defaultdict

import numpy as np
import pytest

import baserate as br
from baserate.kernels import best
from baserate.read import cases
from baserate.read.columns import Column, group_codes, is_missing
from baserate.read.days import day_codes

NAN = float("nan")
COLUMNS = {
    "text": np.array(["b", "", "a", None, "b", " ", NAN, "c"] * 5, dtype=object),
    "mixed": np.array([1, 2.0, True, None, "1", NAN, 2, dt.date(2026, 1, 1)] * 5, dtype=object),
    "floats": np.array([1.0, NAN, 2.5, 1.0, -0.0, 0.0, 1e300, NAN] * 5),
    "days": np.array(["2026-01-02", "NaT", "2026-01-01", "2026-01-02"] * 10, dtype="M8[D]"),
    "seconds": np.array(
        ["2026-01-02T01", "NaT", "2026-01-01T02", "2026-01-02T01"] * 10, dtype="M8[s]"
    ),
    "nanoseconds": np.array(["2026-01-02T01:00:00.000000001", "NaT"] * 20, dtype="M8[ns]"),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("masked", [None, np.arange(40) % 7 == 0])
def test_groups_are_those_of_every_row_by_itself(name, masked):
    values = COLUMNS[name]
    fine = name == "nanoseconds"
    listed = np.datetime_as_string(values).tolist() if fine else values.tolist()
    gone = [
        is_missing(value) or str(value) == "NaT" or (masked is not None and masked[row])
        for row, value in enumerate(listed)
    ]
    expected = [None if missing else value for missing, value in zip(gone, listed, strict=True)]
    names, codes = group_codes(Column("g", values, masked))
    assert [names[code] for code in codes] == expected
    assert len(names) == len(set(expected))
    assert not any(isinstance(found, float) and found.is_integer() for found in names)


def test_values_that_cannot_name_a_group_are_refused():
    values = np.empty(2, dtype=object)
    values[:] = [(1, []), "a"]
    with pytest.raises(br.InputError, match="BR413: g holds values that cannot name a group"):
        group_codes(Column("g", values))


def test_a_million_equal_rows_take_the_room_of_their_codes():
    column = Column("d", np.array(["2026-01-01"], dtype=object)[np.zeros(1_000_000, dtype=np.intp)])
    tracemalloc.start()
    try:
        names, codes = group_codes(column)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (names, codes.max()) == (("2026-01-01",), 0)
    assert peak < 10 * len(codes)


def test_rows_that_are_no_days_are_named_and_counted():
    values = np.array(
        ["2026-01-01", "soon", "2026-01-02", "late", "soon", None, "soon"], dtype=object
    )
    with pytest.raises(
        br.InputError, match='BR430: d has 4 values that are not days, such as "soon", "late"'
    ) as caught:
        day_codes(Column("d", values))
    assert (caught.value.problems[0].where.rows, caught.value.problems[0].where.total) == (
        (1, 3, 4),
        4,
    )


@pytest.mark.parametrize("scores", [3, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_groups_hold_the_sums_of_their_cases(scores, weighted):
    rng = np.random.default_rng(12)
    y, s, g = rng.integers(0, 2, 1003), rng.integers(0, scores, 1003) / 8, rng.integers(0, 4, 1003)
    w = rng.random(1003) if weighted else None
    found = br.count(y, s, by=g, sample_weight=w)
    expected = defaultdict(lambda: [0, 0])
    for row in range(len(y)):
        expected[g[row], s[row]][1 - y[row]] += 1 if w is None else w[row]
    held = {
        (group, score): sums
        for group in found
        for score, *sums in zip(
            found[group].scores, found[group].positives, found[group].negatives, strict=True
        )
    }
    assert held.keys() == expected.keys()
    for key, sums in expected.items():
        assert held[key] == pytest.approx(sums, rel=1e-12)
    assert all(np.all(np.diff(found[group].scores) < 0) for group in found)


def sorts_all(positives, rows=32):
    """Whether the negatives are sorted too, where only scores of positives are kept."""
    labels, scores, called = np.arange(rows) < positives, np.arange(rows) * 7 % rows, []

    class Watched:
        def __getattr__(self, name):
            called.append(name)
            return getattr(best, name)

    given = cases.cases_of_arrays(labels, {"m": scores})
    counts = cases.count_cases(given, "m", keep="positives", kernels=Watched())
    assert counts == br.count(labels, scores).condense()
    return "begin_count" in called


def test_negatives_are_not_sorted_where_positives_are_rare(monkeypatch):
    assert [sorts_all(positives) for positives in range(5)] == [True, False, False, True, True]
    assert sorts_all(2, rows=31)
    monkeypatch.setattr(cases, "MOST_ANCHORS", 1)
    assert [sorts_all(positives) for positives in (1, 2)] == [False, True]
