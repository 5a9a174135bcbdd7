"""Scores as int64, float64 or float32, with every distinct value kept apart; what cannot be kept is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.columns import Column, Unread, kind_of, mixed
from baserate.errors import Fix, InputError, number_of, quoted, refuse
from baserate.exact import EXACT_FLOATS, INT64_MAX, Ints

ROUNDED = "whole numbers beyond 2**53 are mixed with fractions, and would be rounded"
CONVERT = "convert to float64 or int64 yourself, if that is meant"
UNSUITABLE = {"M": "timestamps", "m": "durations", "c": "complex numbers", "S": "bytes", "V": "records"}
# How people write numbers, and the option that says so.
WRITTEN = (
    (re.compile(r"[+-]?\d+(,\d{3})+\.\d*"), 'for thousands, --thousands ","'),
    (re.compile(r"[+-]?\d+,\d+"), 'for decimal commas, --decimal ","'),
    (re.compile(r"[+-]?[\d.,]+\s*%"), "for percentages, --percent"),
)


def as_scores(column: Column) -> Array:
    """Contiguous numbers that rank the cases as the user's values do; none is NaN."""
    if column.unread is not None:
        raise _refused(column.name, column.unread)
    if column.missing is not None:
        refuse_missing(column)
    column = column.inferred()
    scores = _numbers(column)
    # The least value is NaN where any is: one quick pass, and a slower look only where it is needed.
    if scores.dtype.kind == "f" and len(scores) and np.isnan(scores.min()):
        refuse_missing(Column(column.name, scores))
    return scores


def _numbers(column: Column) -> Array:
    values, kind = column.values, column.values.dtype.kind
    if kind in UNSUITABLE:
        raise refuse("BR209", f"{column.name} holds {UNSUITABLE[kind]}, not scores", "pass a numeric score")
    if kind in "OTU":
        return _from_objects(column)
    if kind == "u" and len(values) and int(values.max()) > INT64_MAX:
        raise too_large(column.name)
    if kind in "biu":
        return np.require(values, np.int64, ["C", "A"])
    if values.dtype == np.float16:
        return values.astype(np.float32)
    if values.dtype.itemsize > 8:
        return _narrowed(column, values)
    return np.require(values, requirements=["C", "A"])


def refuse_missing(column: Column, times: Ints | None = None) -> None:
    """Raise for the cases without a score, if there are any; `times` says how many cases each value stands for."""
    gone = column.missing_rows()
    if len(gone):
        many, rows = (len(gone), gone) if times is None else (int(times[gone].sum()), ())
        raise no_rank(column.name, rows[:3], many)


def no_rank(name: str, examples: Iterable[int], total: int) -> InputError:
    """The error for cases without a score."""
    text = f"{name} has {number_of(total, 'missing or NaN score')}; a missing score has no rank"
    fix = Fix("drop those cases or score them; of a file, nan_score='drop'", "--nan-score drop or lowest")
    return refuse("BR201", text, fix, examples, total)


def _refused(name: str, found: Unread) -> InputError:
    """Why such a column is refused, as if its cells were here."""
    if found.missing.total or not found.wrong.total:
        gone = found.missing if found.missing.total else found.nan
        return no_rank(name, gone.rows, gone.total)
    return _not_numbers(name, found.wrong.first, found.wrong.rows, found.wrong.total)


def _from_objects(column: Column) -> Array:
    """Python numbers and numbers written as text."""
    refuse_missing(column)
    values = column.values.tolist()
    _check_flags(column, values)
    numbers = _plain_text(values) or [_number(value) for value in values]
    bad = [row for row, number in enumerate(numbers) if number is None]
    if bad:
        raise _not_numbers(column.name, values[bad[0]], bad[:3], len(bad))
    if all(isinstance(value, str) for value in values):
        _check_spelled(column, values, numbers)
    if all(isinstance(number, int) for number in numbers):
        if not all(-INT64_MAX - 1 <= number <= INT64_MAX for number in numbers):
            raise too_large(column.name)
        return np.array(numbers, dtype=np.int64)
    if all(isinstance(number, float) for number in numbers):
        return np.array(numbers, dtype=np.float64)
    return _narrowed(column, np.array(numbers, dtype=object))


def _check_flags(column: Column, values: list[Any]) -> None:
    """True and false beside numbers are labels, or flags, that slipped in: as scores they would be the highest and the lowest of many."""
    if {bool, np.bool_}.isdisjoint(map(type, values)):
        return
    kinds = Counter(map(kind_of, values))
    if len(kinds) > 1:
        rarest = kinds.most_common()[-1][0]
        raise mixed("BR208", column.name, kinds, [row for row, value in enumerate(values) if kind_of(value) == rarest])


def _plain_text(values: list[Any]) -> list[Any] | None:
    """The quick way for a column of text that holds nothing odd."""
    try:
        if any("_" in value or not value.isascii() for value in values):
            return None
        return list(map(int if all(value.strip().lstrip("+-").isdecimal() for value in values) else float, values))
    except (TypeError, AttributeError, ValueError):
        return None


def _number(value: object) -> Any:
    """The number that a value is, or that text spells in the plain way; None for anything else."""
    from decimal import Decimal
    from fractions import Fraction

    if isinstance(value, bool | np.bool_ | int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, Decimal | Fraction):
        return value
    return spelled(value) if isinstance(value, str) else None


def spelled(text: str) -> float | None:
    """The number that a text spells in the plain way: Python would also take underscores, digits of any script and blanks of any width."""
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def _not_numbers(name: str, example: object, rows: Iterable[int], total: int) -> InputError:
    if not isinstance(example, str):
        return refuse("BR209", f"{name} holds {type(example).__name__}, not scores", "pass a numeric score", rows, total)
    text = f"{name} has {number_of(total, 'value that is not a number', 'values that are not numbers')}, such as {quoted(example)}"
    plain = "write plain numbers with a decimal point: 0.5, not 0,5 or 50% or $1"
    said = next((option for written, option in WRITTEN if written.fullmatch(example.strip())), None)
    fix = Fix(plain, f"{plain}; {said}" if said else plain)
    return refuse("BR208", text, fix, rows, total)


def _narrowed(column: Column, wide: Array) -> Array:
    """Float64 from wider numbers, unless a whole number would be rounded or two different ones become the same score."""
    try:
        narrow = wide.astype(np.float64)
    except (OverflowError, ValueError):
        raise too_large(column.name) from None
    refuse_missing(Column(column.name, narrow))
    whole = [(number, rounded) for number, rounded in zip(wide.tolist(), narrow.tolist(), strict=True) if isinstance(number, int)]
    if any(number != rounded for number, rounded in whole):
        raise refuse("BR215", f"{column.name}: {ROUNDED}", CONVERT)
    merged = len(set(wide.tolist())) - len(set(narrow.tolist()))
    if merged > 0:
        raise refuse("BR215", f"{column.name}: {number_of(merged, 'distinct value')} would merge in float64", CONVERT)
    return narrow


def _check_spelled(column: Column, texts: list[str], numbers: list[Any]) -> None:
    """Different numbers written as text must stay different scores, and none may become infinite."""
    from decimal import Decimal

    spelled = {text.strip().casefold() for text in texts}
    endless = [row for row, (text, number) in enumerate(zip(texts, numbers, strict=True)) if abs(number) == inf and "n" not in text.casefold()]
    if endless:
        raise refuse("BR215", f"{column.name} goes beyond the largest float", "write smaller numbers", endless[:3], len(endless))
    digits = [(text, number) for text, number in zip(texts, numbers, strict=True) if isinstance(number, float) and abs(number) >= EXACT_FLOATS]
    if any(text.strip().lstrip("+-").isdecimal() and int(text) != number for text, number in digits):
        raise refuse("BR215", f"{column.name}: {ROUNDED}", CONVERT)
    if len(spelled) > len(set(numbers)):
        exact = {Decimal(text) for text in spelled}
        merged = len(exact) - len({float(text) for text in spelled}) if not all(isinstance(number, int) for number in numbers) else 0
        if merged > 0:
            raise refuse("BR215", f"{column.name}: {number_of(merged, 'distinct value')} would merge in float64", CONVERT)


def too_large(name: str) -> InputError:
    """The error for whole numbers that 64 bits do not hold."""
    return refuse("BR215", f"{name} goes beyond the largest 64-bit integer", "subtract a constant, or convert to float64 if merging is meant")
