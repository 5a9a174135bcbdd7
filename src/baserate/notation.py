"""What people write: 0.1%, 1 in 1000, 1:999, 1e-4, 12 per 100k. Read exactly, or refused with what
to write instead.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.errors import Fix, InputError, Note, grouped, quoted, refuse
from baserate.numbers import MOST_DIGITS, exactly, rounded

NUMBER = r"[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
UNITS = {
    "": 1,
    "k": 10**3,
    "thousand": 10**3,
    "m": 10**6,
    "million": 10**6,
    "bn": 10**9,
    "billion": 10**9,
    "mille": 10**3,
    "cent": 10**2,
}
WHOLE = re.compile(rf"({NUMBER})\s*(%|ppm|‰)?")
SHARE = re.compile(rf"({NUMBER})\s*(in|per|/|:|to|out of)\s*({NUMBER})?\s*([a-z]*)")
THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[,\u00a0\u202f\u2009 ]\d{3})+(?![\d.,])")
OF_THOUSANDS = re.compile(
    r"(?:\b(?:in|per|to|of)|[:/])\s*[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?!\s*(?:in|per|to|out|:|/))",
    flags=re.IGNORECASE,
)
SCALES = {None: 1, "": 1, "%": 100, "‰": 1000, "ppm": 10**6}
# Smaller than this, squares of weights would leave the range of floats; nothing is that rare.
# Nobody writes a number, or a ratio of two, in more characters.
LONGEST = 80
# People type no more digits than this; floats that need more were computed.
TYPED_DIGITS = 12
SMALLEST_PRIOR = 1e-30
SAMPLE = frozenset({"sample", "test"})
WRITE_PRIOR = 'write it as 0.001, "0.1%", "1 in 1000", "1:999" or "12 per 100k"'


class Written(NamedTuple):
    """A number, how it was written, and what there is to say of it."""

    value: Fraction
    text: str
    notes: tuple[Note, ...] = ()


def parse_number(text: str) -> Fraction | None:
    """A plain decimal number, or None."""
    bare = text.strip() if len(text) <= LONGEST else ""
    if not re.fullmatch(NUMBER, bare) or abs(_exponent_of(bare)) > MOST_DIGITS:
        return None
    return Fraction(bare.replace("_", ""))


def _exponent_of(text: str) -> int:
    found = re.search(r"[eE]([+-]?\d+)", text)
    return int(found[1]) if found else 0


def parse_share(given: object) -> Written | None:
    """A share in any notation (a number, or as text a percentage, "1 in 1000", odds), or None where
    it is none of these.
    """
    if not isinstance(given, str):
        return from_number(given)
    text = given
    if len(text) > LONGEST:
        return None
    bare = without_thousands(text.strip().casefold())
    if found := WHOLE.fullmatch(bare):
        value = parse_number(found[1])
        return None if value is None else Written(value / SCALES[found[2]], text)
    found = SHARE.fullmatch(bare)
    if not found or (found[3] is None and not found[4]) or found[4] not in UNITS:
        return None
    part, whole = parse_number(found[1]), parse_number(found[3] or "1")
    if part is None or whole is None or whole <= 0:
        return None
    return _read_ratio(part, whole * UNITS[found[4]], found[2], text)


def _read_ratio(part: Fraction, whole: Fraction, word: str, text: str) -> Written | None:
    if word not in (":", "to"):
        return Written(part / whole, text)
    if part < 0:
        return None
    odds, other = part / (part + whole), f"{_format_fraction(part)} in {_format_fraction(whole)}"
    said = (
        f"{quoted(text)} is read as odds, positives to negatives: {float(odds):.6g} ({other} is"
        f" {rounded(part / whole):.6g})"
    )
    return Written(odds, text, (Note("BR508", said, Fix.everywhere(other)),))


def _format_fraction(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def without_thousands(text: str) -> str:
    """`1 in 1,000` and `1 in 1 000` as `1 in 1000`. A group after a leading 0 is no thousands:
    `0,010` is a decimal comma.
    """
    return THOUSANDS.sub(lambda found: re.sub(r"\D", "", found[0]), text)


def parse_cases(text: str) -> Fraction | None:
    """A number of cases as people write it: 1000000, 1e6, 1_000_000, 1,000,000 or 10k."""
    bare = without_thousands(text.strip().casefold()) if len(text) <= LONGEST else ""
    unit = next((unit for unit in ("k", "m") if bare.endswith(unit)), "")
    value = parse_number(bare.removesuffix(unit).strip())
    return None if value is None else value * UNITS[unit]


def split_list(text: str) -> list[str]:
    """A list separated by commas; in a ratio, a comma before three digits separates thousands."""
    if len(text) > 100 * LONGEST:
        raise refuse("BR503", "that is a very long list of base rates", "give fewer")
    joined = OF_THOUSANDS.sub(lambda found: found[0].replace(",", ""), text)
    return [part.strip() for part in joined.split(",")]


def parse_prior(given: object) -> Written | None:
    """A base rate between 0 and 1, from a number or from what people write; None for the sample's
    own.
    """
    if given is None or (isinstance(given, str) and given.strip().casefold() in SAMPLE):
        return None
    written = parse_share(given)
    if written is None or written.value < 0:
        raise refuse(
            "BR503", f"prior {quoted(given)} is not a share", _point_for_comma(given) or WRITE_PRIOR
        )
    shown = quoted(written.text, quotes=False)
    if written.value in (0, 1):
        sure = written.value == 1
        meaning = "nothing but positives" if sure else "no positives ever"
        instead = "a smaller value, such as 0.999" if sure else "a small value, such as 1e-6"
        raise refuse(
            "BR503",
            f"prior {shown} means {meaning}: precision and costs are not informative then",
            f"use {instead}",
        )
    if written.value > 1:
        number_only = written.value < 100 and "%" not in written.text
        raise refuse(
            "BR503",
            f"prior must lie strictly between 0 and 1, got {shown}",
            f"{float(written.value):.6g}% or {float(written.value / 100):.6g}"
            if number_only
            else WRITE_PRIOR,
        )
    if not SMALLEST_PRIOR <= float(written.value) < 1:
        raise refuse(
            "BR503",
            f"prior {shown} is too close to 0 or 1",
            "use 1e-30 or more, and at most 1 - 1e-16",
        )
    return written


def _point_for_comma(given: object) -> str:
    comma = (
        isinstance(given, str)
        and len(given) <= LONGEST
        and re.fullmatch(r"\d*,\d+ ?%?", given.strip())
    )
    return f"write a decimal point: {comma[0].replace(',', '.')}" if comma else ""


def base_rate(value: float, *, brief: bool = False) -> str:
    """A base rate for a person: "2.5%", "0.1% (1 in 1,000)", "1 in 300"; `brief` for a table or one
    end of a range: "0.1%".
    """
    if value in (0, 1):  # of a sample of one class
        return f"{100 * value:.0f}%"
    if math.isinf(1 / value):  # of a class that weighs next to nothing
        return f"{value:.6g}"
    inverse = round(1 / value)
    share = f"{100 * value:.4g}"
    exact = inverse >= 10 and math.isclose(value * inverse, 1, rel_tol=1e-12)
    one_in = f"1 in {grouped(inverse)}"
    if "e" in share or share == "100":
        return one_in if exact else f"{value:.6g}"
    if brief:
        return f"{share}%"
    if exact and len(share.replace(".", "").strip("0")) > 3:
        return one_in
    return f"{share}% ({one_in})" if exact and value < 0.01 else f"{share}%"


def from_number(given: object) -> Written | None:
    """A number of any kind, exactly; None for what is no finite number."""
    try:
        value = (
            typed_value(float(given)) if isinstance(given, float | np.floating) else exactly(given)
        )
    except (TypeError, ValueError, OverflowError):
        return None
    plain = (
        float(given)
        if isinstance(given, np.floating)
        else str(given)
        if isinstance(given, Decimal)
        else given
    )
    return Written(value, quoted(plain, quotes=False))


def typed_value(number: float) -> Fraction:
    """What a float stands for: 0.001 is one thousandth, as it was typed; one that needs all its
    digits was computed, and is itself.
    """
    shortest = repr(number)
    typed = (
        len(shortest.partition("e")[0].replace(".", "").replace("-", "").lstrip("0"))
        <= TYPED_DIGITS
    )
    return Fraction(shortest) if typed and math.isfinite(number) else Fraction(number)


def missed(level: float) -> float:
    """What a level leaves out: 0.05 of 0.95, without the last digits of the subtraction."""
    return round(1 - level, 12)


def percent(level: float) -> str:
    """A level as one says it."""
    return f"{100 * level:.6g} %"


CALL = re.compile(r"([^()]+)(?:\(([^()]*)\))?")
LONGEST_CALL = 300


def split_call(text: Any, what: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the name and the arguments of what is written as name(key=value, …): the key, "=" or
    nothing, and the value of each.
    """
    written = text.strip() if isinstance(text, str) and len(text) <= LONGEST_CALL else ""
    found = CALL.fullmatch(written)
    if found is None or not found[1].strip():
        raise refuse(
            "BR531",
            f"cannot read {quoted(text)} as a {what}",
            "write a name, or name(parameter=value)",
        )
    arguments = []
    for part in (found[2] or "").split(","):
        if part.strip():
            key, equals, value = part.partition("=")
            arguments.append((key.strip(), equals, value.strip()))
    return found[1].strip(), arguments


# ----------------------------------------------------------------------
# Numbers among the arguments: which are allowed, and what a refusal says.


@dataclass(frozen=True)
class NumberCheck:
    """Which numbers an argument may be: called with a value, it returns the number or refuses it.

    Attributes
    ----------
    code, meaning, fix : str
        Of the refusal; what was given follows the meaning.
    low, high : float
        Ends of the range, both allowed.
    above_low : bool
        Is the lower end itself refused?
    share : str
        Name of an argument that people may give in percent: for 95 the fix is 0.95.

    """

    code: str
    meaning: str
    fix: Fix | str
    low: float = 0.0
    high: float = math.inf
    above_low: bool = False
    share: str = ""

    def exactly(self, given: Any) -> Fraction:
        """Return the number as the fraction that was written."""
        written = from_number(given)
        if written is None or not self.allows(written.value):
            raise self.refusal(given)
        return written.value

    def allows(self, value: float | Fraction) -> bool:
        """Does the number lie in the range? Its ends are what was typed, 1e-9 and not its float."""
        low = typed_value(float(self.low))
        high = typed_value(float(self.high)) if math.isfinite(self.high) else math.inf
        return low <= value <= high and not (self.above_low and value == low)

    def refusal(self, given: Any) -> InputError:
        """Return the error to raise for a value."""
        fix = self.fix
        if self.share and isinstance(given, int | float) and self.allows(given / 100):
            fix = Fix(f"{self.share}={given / 100:g}", f"--{self.share} {given:g}%")
        shown = f"{float(given):g}" if isinstance(given, Fraction) else quoted(given)
        return refuse(self.code, f"{self.meaning}, got {shown}", fix)

    def __call__(self, given: Any) -> float:
        return rounded(self.exactly(given))

    def or_none(self, given: Any) -> float | None:
        """Return the number, or None where nothing was given."""
        return None if given is None else self(given)


class WholeCheck(NumberCheck):
    """The same for an argument that counts something."""

    def __call__(self, given: Any) -> int:
        if not isinstance(given, int | np.integer):
            raise self.refusal(given)
        return int(self.exactly(given))


checked_level = NumberCheck(
    "BR580",
    "a level lies between 0.5 and 1",
    Fix("level=0.95", "--level 95%"),
    0.5,
    1 - 1e-9,
    share="level",
)
MOST_CASES = 10**18  # beyond it, floats would overflow
checked_volume = NumberCheck(
    "BR520",
    "a volume is a number of cases above 0",
    "volume=1_000_000",
    high=MOST_CASES,
    above_low=True,
).or_none
