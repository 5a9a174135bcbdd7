"""`Claim`: what a source says, what comes out here, how close it must be and why; the verdict
follows from the values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from baserate.extend import quoted, refuse

REPRODUCED, CLOSE, SENTENCE_HOLDS, FORMULA_HOLDS = (
    "reproduced",
    "close",
    "sentence_holds",
    "formula_holds",
)
DIFFERS, ERRATUM, NOT_REPRODUCIBLE, NOT_A_CLAIM = (
    "differs",
    "erratum",
    "not_reproducible",
    "not_a_claim",
)
VERDICTS = (
    REPRODUCED,
    CLOSE,
    SENTENCE_HOLDS,
    FORMULA_HOLDS,
    DIFFERS,
    ERRATUM,
    NOT_REPRODUCIBLE,
    NOT_A_CLAIM,
)
AGREEING = (REPRODUCED, CLOSE, SENTENCE_HOLDS, FORMULA_HOLDS)
Value = float | str | tuple[float, ...] | None


@dataclass(frozen=True)
class Claim:
    """Is what a source says what comes out?

    Numbers (or several in a row) agree within the `tolerance`, whose `reason` is given; words agree
    where `holds` is true, or where they are the same. Only a number that the source prints can be
    reproduced. Three kinds of agreement are weaker and are counted apart: a sentence that a test of
    ours finds true (`sentence_holds`), a formula of the source evaluated on numbers of our own
    (`own_numbers`, `formula_holds`), and a printed number that agrees within the tolerance but not
    to its last printed digit (`half_unit`, `close`). What does not agree is an erratum where the
    source is shown to be wrong (`errata` names why), and differs otherwise. With nothing of ours it
    is not reproducible, and with nothing published it is no claim; `reason` then says why. Where
    the data were `fitted` to what is published, agreement shows little: such claims are counted
    apart as well.

    >>> from baserate_studies.claims import Claim
    >>> Claim("table", ("L36",), 46.08, 45.7, 1.02, "twice the ± of the paper").verdict
    'reproduced'
    >>> Claim("f", ("S6",), 0.62, 2 / 3, 0.005, "as printed", errata=("B13",)).verdict
    'erratum'
    >>> Claim("table3", ("W32",), 0.84, 0.829, 0.02, "other learners", half_unit=0.005).verdict
    'close'
    """

    id: str
    inventory: tuple[str, ...]
    published: Value
    ours: Value
    tolerance: float | None = None
    reason: str = ""
    note: str = ""
    holds: bool | None = None
    errata: tuple[str, ...] = ()
    unit: str = ""
    fitted: bool = False
    own_numbers: bool = False
    half_unit: float | None = None

    def __post_init__(self) -> None:
        for value in (self.published, self.ours, self.tolerance):
            if any(
                isinstance(part, float) and not math.isfinite(part)
                for part in (value if isinstance(value, tuple) else (value,))
            ):
                raise refuse(
                    "BR920",
                    f"the claim {quoted(self.id)} has a number that is not finite",
                    "say in words why there is none",
                )
        if (
            self.compared
            and _numbers(self.published)
            and (self.tolerance is None or not self.reason)
        ):
            raise refuse(
                "BR920",
                f"the claim {quoted(self.id)} compares numbers",
                "give a tolerance, and its reason",
            )
        if not self.compared and not self.reason:
            raise refuse(
                "BR920", f"the claim {quoted(self.id)} compares nothing", "say in its reason why"
            )

    @property
    def compared(self) -> bool:
        """Whether there is something on both sides."""
        return self.published is not None and self.ours is not None

    @property
    def agrees(self) -> bool:
        """Whether what is published and what is ours are the same, within the tolerance."""
        return self.holds if self.holds is not None else self._within(self.tolerance or 0.0)

    def _within(self, tolerance: float) -> bool:
        published, ours = _numbers(self.published), _numbers(self.ours)
        if published and ours:
            close = tolerance * (
                1 + 1e-9
            )  # 0.1 is met by 1.1 against 1.0, whose difference is rounded
            return len(published) == len(ours) and all(
                abs(one - other) <= close for one, other in zip(published, ours, strict=True)
            )
        return self.published == self.ours

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if self.published is None:
            return NOT_A_CLAIM
        if self.ours is None:
            return NOT_REPRODUCIBLE
        if self.agrees:
            return self._agreement()
        return ERRATUM if self.errata else DIFFERS

    def _agreement(self) -> str:
        """What kind of agreement it is."""
        if isinstance(self.published, str):
            return SENTENCE_HOLDS
        if self.own_numbers:
            return FORMULA_HOLDS
        return REPRODUCED if self.half_unit is None or self._within(self.half_unit) else CLOSE


def _numbers(value: Value) -> tuple[float, ...]:
    """The numbers of a value; none of words."""
    if isinstance(value, tuple):
        return value
    return () if value is None or isinstance(value, str) else (float(value),)
