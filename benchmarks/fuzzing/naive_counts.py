"""Counts by plain definitions: from labels and scores as they are written to how many positives and
negatives have each score.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from benchmarks.fuzzing import naive_text
from benchmarks.fuzzing.naive_text import Broken, Number

FURTHEST = 18  # digits of an exponent and its sign: beyond them Decimal refuses
PLAIN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
WITH_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?", re.ASCII)
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", re.ASCII)
TOTALS = ("total", "totals", "grand total", "sum", "subtotal", "gesamt", "summe")
ENDLESS = re.compile(r"([+-]?)inf(inity)?", re.IGNORECASE | re.ASCII)
MISSING = {"", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None"}
PAIRS = (
    *(
        ("no", "yes"),
        ("n", "y"),
        ("neg", "pos"),
        ("negative", "positive"),
        ("f", "t"),
        ("false", "true"),
    ),
    *(("0", "1"), ("0.0", "1.0"), ("-1", "1")),
)
BEYOND = float("inf")

Cells = tuple[tuple[float, int, int], ...]


@dataclass(frozen=True)
class Said:
    """What is said of a file: which columns are label and score, and how it is written."""

    label: str = "y"
    score: str = "s"
    positive: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """What a file comes to: its rows, those that do not fit, and the cells in descending order of
    their scores.
    """

    rows: int
    refused: int
    cells: Cells


def cells(labels: Sequence[Any], scores: Sequence[Any], positive: str | None = None) -> Cells:
    """Each distinct score with its positives and negatives."""
    ours, theirs = Counter[float](), Counter[float]()
    for is_positive, score in zip(_positives(labels, positive), numbers(scores), strict=True):
        (ours if is_positive else theirs)[score] += 1
    return tuple(
        (score, ours[score], theirs[score]) for score in sorted({*ours, *theirs}, reverse=True)
    )


def numbers(values: Sequence[Any]) -> list[float]:
    """Scores as the nearest floats, or as whole numbers where all of them are; whole numbers stay
    exact, and none is endless. Decimals that one float holds are one score.
    """
    exact = [_exact(value) for value in values]
    if all(isinstance(value, int) for value in exact):
        if any(not -(2**63) <= value < 2**63 for value in exact):
            raise Broken("beyond 64 bits")
        return exact
    rounded = [_rounded(value) for value in exact]
    if any(
        isinstance(value, int) and value != near for value, near in zip(exact, rounded, strict=True)
    ):
        raise Broken("a whole number that no float holds, beside fractions")
    return rounded


def _rounded(value: Any) -> float:
    try:
        near = float(value)
    except OverflowError:
        raise Broken("beyond the largest float") from None
    if abs(near) == BEYOND and value not in (BEYOND, -BEYOND):
        raise Broken("beyond the largest float")
    return near


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | Decimal) and math.isnan(value)


def _exact(value: Any) -> Any:
    """The number that is written there, exactly."""
    if value is None or _is_nan(value):
        raise Broken("a missing score")
    if isinstance(value, bool | int | float | Decimal):
        whole = not isinstance(value, bool | int | float) and value == value.to_integral_value()
        return int(value) if whole or isinstance(value, bool) else value
    text = "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in str(value).strip()
    )  # digits of any script
    endless = ENDLESS.fullmatch(text)
    if endless:
        return -BEYOND if endless[1] == "-" else BEYOND
    if WHOLE.fullmatch(text):
        return int(text)
    if not PLAIN.fullmatch(text):
        raise Broken("no number")
    mantissa, _, exponent = text.lower().partition("e")
    if len(exponent) < FURTHEST:
        return Decimal(text)
    return Decimal(f"{mantissa}e{'-' if exponent[0] == '-' else ''}{'9' * (FURTHEST - 4)}")


def _positives(labels: Sequence[Any], positive: str | None) -> list[bool]:
    values = [_label(value) for value in labels]
    found = {*values}
    if len({type(value) for value in found}) > 1 or len({_folded(value) for value in found}) < len(
        found
    ):
        raise Broken("labels of two kinds, or two spellings of one")
    if positive is not None:
        if len(found) > 2 or (len(found) == 2 and positive not in found):
            raise Broken("labels beside the two")
        return [value == positive for value in values]
    pair = next((pair for pair in PAIRS if {_folded(value) for value in found} <= {*pair}), None)
    if pair is None:
        raise Broken("labels of unknown meaning")
    return [_folded(value) == pair[1] for value in values]


def _label(value: Any) -> Any:
    """Bools and numbers as fractions, text as it is."""
    if value is None or _is_nan(value) or (isinstance(value, str) and value.strip() in MISSING):
        raise Broken("a missing label")
    if isinstance(value, Number):
        value = _exact(value)
    if not isinstance(value, bool | int | float | Decimal):
        return value
    if value in (BEYOND, -BEYOND):
        raise Broken("an endless label")
    return Fraction(value)


def _folded(value: Any) -> str:
    return value.strip().casefold() if isinstance(value, str) else str(value)


def of_json(data: bytes, said: Said) -> Reading:
    """What a file of JSON comes to."""
    found = naive_text.objects(naive_text.text_of(data, said.options.get("encoding")))
    try:
        labels, scores = [each[said.label] for each in found], [each[said.score] for each in found]
    except KeyError:
        raise Broken("a field that is not there") from None
    if not found or any(isinstance(value, dict | list) for value in [*labels, *scores]):
        raise Broken("no objects, or nested ones")
    scores = [
        None if isinstance(value, str) and value.strip() in MISSING | {"-", "?"} else value
        for value in scores
    ]
    return Reading(len(found), 0, cells(labels, scores, said.positive))


def of_delimited(data: bytes, said: Said) -> Reading:
    """What delimited text comes to, in the one way in which it can be read."""
    return _one_table(data, said).reading()


def rows_of(data: bytes, said: Said) -> tuple[int, int]:
    """How many rows there are, and how many of them do not fit."""
    table = _one_table(data, said)
    return len(table.rows), len(table.rows) - len(table.fitting())


def _one_table(data: bytes, said: Said) -> _Table:
    text = naive_text.text_of(data, said.options.get("encoding"))
    speaks = not said.options.get("delimiter") and re.match(r"sep=.[\r\n]", text, re.IGNORECASE)
    lines = naive_text.lines(text)
    body = "".join(lines[said.options.get("skip_lines", 0) + bool(speaks) :])
    tables = [
        table
        for sign in said.options.get("delimiter") or (text[4] if speaks else ",;\t|")
        for table in _under(body, sign, said)
    ]
    exact = [table for table in tables if not table.padded] or tables
    if len(exact) != 1:
        raise Broken(f"{len(exact)} readings")
    if '"' not in text and len(naive_text.lines(text.rstrip("\r\n"))) > 1:
        exact[0].check_last()
    return exact[0]


def _under(body: str, sign: str, said: Said) -> list[_Table]:
    """The table under this separator, where its header has the columns as they are, or once blanks
    are left out; else nothing.
    """
    try:
        read = naive_text.records(body, sign)
    except Broken:
        return []
    names = said.options.get("columns") or (read.pop(0) if read else [])
    if said.options.get("columns") and not (read and len(read[0]) == len(names)):
        return []
    ways = (
        (padded, [name.strip() if padded else name for name in names]) for padded in (False, True)
    )
    return [
        _Table(spelled, read, sign, said, padded)
        for padded, spelled in ways
        if {said.label, said.score} <= {*spelled}
    ][:1]


@dataclass(frozen=True)
class _Table:
    names: list[str]
    rows: list[list[str]]
    sign: str
    said: Said
    padded: bool

    def reading(self) -> Reading:
        if len({*self.names}) < len(self.names):
            raise Broken("a name twice")
        good = self.fitting()
        refused = len(self.rows) - len(good)
        if refused > self.said.options.get("skip_bad", 0) or not good:
            raise Broken("rows that do not fit, or none")
        label, score = (self._column(good, name) for name in (self.said.label, self.said.score))
        return Reading(
            len(self.rows), refused, cells(label, self._pointed(score), self.said.positive)
        )

    def fitting(self) -> list[list[str]]:
        """The rows that have a field for every name."""
        return [row for row in self.rows if len(row) == len(self.names)]

    def check_last(self) -> None:
        """A line of totals is no case."""
        filled = [
            value.strip().casefold() for row in self.rows[-1:] for value in row if value.strip()
        ]
        if filled and filled[0] in TOTALS and len(self.rows[-1]) > 1:
            raise Broken("a line of totals")

    def _column(self, rows: list[list[str]], name: str) -> list[str]:
        values = [row[self.names.index(name)] for row in rows]
        return [value.strip() for value in values] if self.padded else values

    def _pointed(self, scores: list[str]) -> list[str | None]:
        """With decimal points, where all agree on commas."""
        plain = [None if score.strip() in MISSING | {"-", "?"} else score for score in scores]
        known = [score.strip() for score in plain if score is not None]
        commas = any(WITH_COMMA.fullmatch(score) for score in known) and all(
            WITH_COMMA.fullmatch(score) or WHOLE.fullmatch(score) for score in known
        )
        asked = self.said.options.get("decimal")
        if (
            asked is None
            and commas
            and self.sign != ","
            and all(THOUSANDS.fullmatch(score) for score in known if "," in score)
        ):
            raise Broken("thousands, or decimals?")
        if asked == "," or (asked is None and self.sign != "," and commas):
            return [
                score if score is None or "." in score else score.replace(",", ".")
                for score in plain
            ]
        return plain
