"""The ways in which a claim is made: a printed number, a formula, a sentence, and what cannot be
compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from baserate_studies.claims import Claim, Value

ROUNDED = "half a unit of the last printed digit of each number"
FORMULA = "the printed formula, computed in exact fractions and rounded once"
Number = float | Fraction
Numbers = Number | Iterable[Number]
ROUNDING = "a few roundings of float64 along a curve"
NEARLY = 4 * 2.0**-52


def rows_of(written: str) -> tuple[str, ...]:
    """The rows of the inventory in "T1 T2"."""
    return tuple(written.split())


def printed(
    name: str, rows: str, published: str, ours: Numbers, *, note: str = "", errata: str = ""
) -> Claim:
    """Numbers as they are printed ("0.62", or several with spaces between them), each held to its
    last digit.

    >>> from baserate_studies.stating import printed
    >>> printed("f", "S7", "0.18", 2 / 11).verdict
    'reproduced'
    >>> printed("f", "S6", "0.62", 2 / 3, errata="B13").verdict
    'erratum'
    """
    texts = published.split()
    numbers = [float(text) for text in texts]
    found = _floats(ours)
    # Each number is held to its own last digit; the claim as a whole shows the coarsest of them.
    halves = [
        0.5 * 10.0 ** float(Decimal(text).as_tuple().exponent) if "." in text else 0.0
        for text in texts
    ]
    close = len(numbers) == len(found) and all(
        abs(a - b) <= h * (1 + NEARLY) for a, b, h in zip(numbers, found, halves, strict=True)
    )
    return Claim(
        name,
        rows_of(rows),
        _value(numbers),
        _value(found),
        max(halves),
        ROUNDED if max(halves) else "exact",
        note,
        close,
        rows_of(errata),
    )


def formula(  # noqa: PLR0913 (a claim has as many parts)
    name: str,
    rows: str,
    published: Numbers,
    ours: Numbers,
    *,
    note: str = "",
    errata: str = "",
    nearly: bool = False,
    in_print: bool = False,
) -> Claim:
    """What a printed formula gives, computed apart from the library, and what the library gives:
    the same float64.

    The numbers are ours, unless they too stand in the source (`in_print`).

    Along a curve the library computes in floats; `nearly` lets each number be off by so many units
    in its last place.
    """
    theirs, found = _floats(published), _floats(ours)
    close = (
        NEARLY * min((abs(number) for number in theirs if number), default=1.0) if nearly else 0.0
    )
    return Claim(
        name,
        rows_of(rows),
        _value(theirs),
        _value(found),
        close,
        ROUNDING if nearly else FORMULA,
        note,
        errata=rows_of(errata),
        own_numbers=not in_print,
    )


def stated(
    name: str,
    rows: str,
    published: str,
    ours: str,
    *,
    holds: bool,
    note: str = "",
    errata: str = "",
) -> Claim:
    """A sentence of the source, and in words what comes out here."""
    return Claim(
        name, rows_of(rows), published, ours, note=note, holds=holds, errata=rows_of(errata)
    )


def unclaimed(name: str, rows: str, reason: str) -> Claim:
    """What the source has here, and why nothing in it could be wrong."""
    return Claim(name, rows_of(rows), None, None, reason=reason)


def unavailable(name: str, rows: str, published: Value, reason: str, *, note: str = "") -> Claim:
    """What the source says, and why it cannot be repeated here."""
    return Claim(name, rows_of(rows), published, None, reason=reason, note=note)


def _floats(numbers: Numbers) -> list[float]:
    return (
        [float(number) for number in numbers] if isinstance(numbers, Iterable) else [float(numbers)]
    )


def _value(numbers: list[float]) -> Value:
    return numbers[0] if len(numbers) == 1 else tuple(numbers)
