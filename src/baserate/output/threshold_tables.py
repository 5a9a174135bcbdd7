"""Every threshold in one table, and published tables in a league, for a person and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from baserate.atomic import Grid
from baserate.conditions import Conditions
from baserate.curves.threshold_table import ThresholdTable
from baserate.errors import grouped, quoted
from baserate.inference.values import Interval, digits_apart, percent
from baserate.measures.confusion import Confusion
from baserate.measures.measure import Measure
from baserate.measures.registry import CATALOGUE
from baserate.notation import base_rate
from baserate.notes import Note
from baserate.numbers import Undefined, cell
from baserate.output import document
from baserate.output.tables import UNDEFINED, VOLUME, span

MOST_ROWS, MOST_COLUMNS = 40, 12
KEYS = {"model": "model", "prior": "base rate (prior)", "threshold": "score >="}
# Names of two to four letters are abbreviations, and written as the textbooks write them.
CAPITALS = {name: name.upper() for name in CATALOGUE if len(name) <= 3 and name != "f1"}


def of_thresholds(found: ThresholdTable) -> Iterator[str]:
    """The table, or as many thresholds of it as a person reads, evenly by rank."""
    most = MOST_COLUMNS if found.across else MOST_ROWS
    shown = _spread(len(found), most)
    rows = [tuple(quoted(text, quotes=False) for text in found.cells(place)) for place in shown]
    headings = [_heading(name) for name in found.columns]
    if found.across:
        head, *lines = zip(headings, *rows, strict=True)
        yield Grid(head, lines)
    else:
        yield Grid(headings, rows, left=headings.index(KEYS["threshold"]))
    if len(shown) < len(found):
        kind = "columns" if found.across else "rows"
        yield f"{len(shown)} of {grouped(len(found))} {kind} are shown; for all of them add --csv."


def _spread(count: int, most: int) -> list[int]:
    if count <= most:
        return list(range(count))
    return sorted({round(place * (count - 1) / (most - 1)) for place in range(most)})


def _heading(name: str) -> str:
    bare = VOLUME.sub("", name)
    return KEYS.get(bare) or CAPITALS.get(bare) or bare


def of_thresholds_as_json(found: ThresholdTable) -> dict[str, Any]:
    """The columns, each as long as the others; null where a measure is undefined."""
    columns = {
        name: [_json(name, value) for value in values] for name, values in found.to_dict().items()
    }
    return {"rows": len(found), "measures": list(found.measures), "columns": columns}


def _json(name: str, value: Any) -> Any:
    if name == "threshold":
        return document.threshold(None if value != value else value)  # noqa: PLR0124 (NaN)
    if isinstance(value, int):
        return document.whole(value)
    return value if isinstance(value, str) else document.number(value)


# ----------------------------------------------------------------------
# Published tables, read at one's own base rate.


class Row(NamedTuple):
    """A published table at one set of conditions: each measure with its interval, or undefined."""

    name: str
    at: Conditions
    confusion: Confusion
    found: dict[str, Interval | Undefined]

    def value(self, measure: str) -> float:
        """The measure; NaN where it is undefined."""
        found = self.found[measure]
        return found.value if isinstance(found, Interval) else found

    @property
    def prior(self) -> float:
        """The base rate that it is read at."""
        return self.confusion.prior if self.at.prior is None else self.at.prior


def of_published(
    rows: Sequence[Row], asked: Sequence[Measure], by: Measure, level: float
) -> Iterator[str]:
    """The league table under its first line in words."""
    yield " ".join(_headline(rows, by))
    known = percent(level)
    names = [str(one) for one in asked]
    headings = ["table", KEYS["prior"]]
    for name in names:
        headings += [_heading(name), known]
    yield Grid(headings, [_line(row, names) for row in rows], left=1)


def _line(row: Row, names: Sequence[str]) -> list[str]:
    cells = [quoted(row.name, quotes=False), cell(row.prior, 4)]
    for name in names:
        found = row.found[name]
        known = span(found) if isinstance(found, Interval) else UNDEFINED
        cells += [cell(row.value(name), 4), known]
    return cells


def _headline(rows: Sequence[Row], by: Measure) -> Iterator[str]:
    """What the first table reaches at each base rate."""
    several = len({row.name for row in rows}) > 1
    for at in dict.fromkeys(row.at for row in rows):
        first = next(row for row in rows if row.at == at)
        found = first.found.get(str(by))
        if not isinstance(found, Interval):
            continue
        value, low, high = (_shown(end, found, by) for end in (found.value, found.low, found.high))
        where = f"a base rate of {base_rate(first.prior)}" if at.prior else "its own base rate"
        best = {"higher": "highest", "lower": "lowest"}[by.direction]
        name, model = _heading(str(by)), quoted(first.name)
        says = (
            f"{model} has the {best} {name}: {value}" if several else f"{model} has {name} {value}"
        )
        if by.name == "precision" and not several:
            says = f"{value} of the positive results of {model} are true positives"
        known = f"({percent(found.level)} interval {low} to {high})"
        yield f"At {where}, {says} {known}."
    if several:
        yield "Differences between tables are not tested."


def _shown(value: float, found: Interval, by: Measure) -> str:
    """A share in percent, in as many digits as tell the bounds apart."""
    count = digits_apart(found.low, found.high, least=3)
    if by.range == (0, 1):
        return f"{100 * value:.{count}g} %"
    return f"{value:.{count}g}" if math.isfinite(value) else "infinite"


def of_published_as_json(
    rows: Sequence[Row], notes: Sequence[Note], by: str | None
) -> dict[str, Any]:
    """Every table at every base rate, the best first."""
    return document.answer(
        "calc",
        notes,
        (),
        models=[],
        league={"sorted_by": by, "rows": [_league_row(row) for row in rows]},
    )


def _league_row(row: Row) -> dict[str, Any]:
    known = {name: one for name, one in row.found.items() if isinstance(one, Interval)}
    missing = {name: one.reason for name, one in row.found.items() if isinstance(one, Undefined)}
    values = {name: document.number(row.value(name)) for name in row.found}
    intervals = {name: document.of_interval(one) for name, one in known.items()}
    own = row.at.as_in_sample
    return {
        "name": row.name,
        "at": {**document.conditions(row.at), "prior": row.prior, "as_in_sample": own},
        **document.outcomes(row.confusion),
        "values": document.with_former(values),
        "intervals": document.with_former(intervals),
        "undefined": missing,
    }
