"""What a column of a known type may be used for, and numbers that come spelled out because no float holds them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from math import isinf
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.wanted import Wanted
from baserate.errors import InputError, quoted, refuse_file
from baserate.exact import INT64_MAX

# As many decimal digits always survive a float64.
SAFE_DIGITS = 15


class Kind(StrEnum):
    """What the values of a column are; the text is what a message calls them."""

    NUMBERS = "numbers"
    SPELLED = "decimals"
    TEXT = "text"
    TIMES = "timestamps or dates"
    BYTES = "bytes"
    OTHER = "nested or other values"


PLAIN = (Kind.NUMBERS, Kind.SPELLED, Kind.TEXT)


def check_use(path: str, name: str, kind: Kind, wanted: Wanted) -> None:
    """Refuse scores that are times, labels that are lists, and the like. Times may name groups and days."""
    if kind in PLAIN or (kind is Kind.TIMES and name not in wanted.numbers and name != wanted.label):
        return
    raise misused(path, name, kind, wanted)


def misused(path: str, name: str, found: str, wanted: Wanted) -> InputError:
    """The refusal of a column whose values are not what it is wanted for."""
    code, use, fix = _use(name, wanted)
    return refuse_file(path, code, f"{quoted(name)} holds {found}, not {use}", fix)


def _use(name: str, wanted: Wanted) -> tuple[str, str, str]:
    if name in wanted.numbers:
        use = "scores" if name in wanted.scores else "weights" if name == wanted.weight else "amounts"
        return "BR209", use, "give a column of numbers"
    if name == wanted.label:
        return "BR107", "labels", "give a column with one label a case"
    return "BR413", "names", "give a column of text or numbers"


def with_none(values: Array, gone: Array) -> Array:
    """Values with missing ones among them: NaN where floats have it, None elsewhere, so that nothing is mistaken for a value."""
    if values.dtype.kind == "f":
        return np.where(gone, values.dtype.type(np.nan), values)
    objects = np.asarray(values, dtype=object)
    objects[gone] = None
    return objects


def objects(values: Sequence[Any]) -> Array:
    """Python values as they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def from_spelled(texts: Sequence[str | None], *, digits: int = SAFE_DIGITS + 1) -> Array:
    """Numbers from their decimal spelling: whole ones exactly, others as floats. Where those would merge some, all stay text, to be refused."""
    known = [text for text in texts if text is not None]
    missing = len(known) < len(texts)
    if all(text.lstrip("-").isdecimal() for text in known):
        whole = [None if text is None else int(text) for text in texts]
        return objects(whole) if missing or any(abs(number or 0) > INT64_MAX for number in whole) else np.array(whole, dtype=np.int64)
    if digits > SAFE_DIGITS and not _kept_apart(set(known)):
        return objects(texts)
    return np.array([np.nan if text is None else float(text) for text in texts], dtype=np.float64)


def _kept_apart(texts: set[str]) -> bool:
    """Whether floats hold every whole number exactly and merge no two different ones."""
    finite = {number for number in map(Decimal, texts) if number.is_finite()}
    floats = {number: float(number) for number in finite}
    if any(isinf(rounded) for rounded in floats.values()) or len(set(floats.values())) < len(finite):
        return False
    return all(Decimal(rounded) == number for number, rounded in floats.items() if number == number.to_integral_value())
