"""Every threshold in one table, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from baserate.atomic import Grid
from baserate.curves.threshold_table import ThresholdTable
from baserate.errors import grouped, quoted
from baserate.measures.registry import CATALOGUE
from baserate.output import document
from baserate.output.tables import VOLUME

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
