"""From published rates, rounded as they were printed, to the rest: or to what they contradict.

Shares of true and false positives and the prior, (x, y, p), determine every rate, and a rate that
is a quotient of sums of outcomes becomes a linear equation in them: TPR = x / p, PPV = x / (x + y),
F1 = 2x / (x + y + p). A rate printed as 0.549 says that its quotient lies between 0.5485 and
0.5495, two linear inequalities; all of them together cut out a polytope, and every other rate takes
its extremes at its corners. So what is forced, and what is impossible, is decided exactly.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate import notation
from baserate.conditions import HERE, Conditions
from baserate.errors import Fix, Note, quoted, refuse
from baserate.measures.confusion import Confusion, Measure, exact_value
from baserate.measures.registry import CATALOGUE, UNITS, at_one_point
from baserate.numbers import Undefinable, Viewed, rounded

# What can be given: shares of outcomes that need no parameter and no cost. The prior stands beside
# them.
GIVEN = tuple(
    name
    for name, entry in CATALOGUE.items()
    if entry.parts is not None
    and not entry.parameters
    and name not in ("expected_cost", "normalized_cost")
)
PRIOR = "prior"
SHOWN = (
    "prior",
    *GIVEN,
    "balanced_accuracy",
    "informedness",
    "markedness",
    "g_mean",
    "mcc",
    "kappa",
    "lr_positive",
    "lr_negative",
    "lift",
    "nne",
)
# Ratios without an upper bound, and the rate that they divide by.
UNBOUNDED = {"nne": "precision", "lr_positive": "fpr", "lr_negative": "tnr"}
Row = tuple[Fraction, Fraction, Fraction, Fraction]
Corner = tuple[Fraction, Fraction, Fraction]


class Solved(NamedTuple):
    """One rate: its value, and the range that the rounding of the given rates leaves open (None
    where that is not known exactly).
    """

    value: float
    low: float | None
    high: float | None
    given: bool


@dataclass(frozen=True)
class Rates(Viewed):
    """Every rate that follows from the given ones. `rates["precision"].value`, or
    `rates.precision`.
    """

    solved: dict[str, Solved]
    undefined: dict[str, str]
    notes: tuple[Note, ...] = ()

    def __getitem__(self, name: str) -> Solved:
        if name in self.undefined:
            raise refuse(
                "BR540", f"{name} is undefined here: {self.undefined[name]}", "choose another rate"
            )
        if name not in self.solved:
            raise refuse(
                "BR540",
                f"no rate {quoted(name)} was solved for",
                f"one of {', '.join(self.solved)}",
            )
        return self.solved[name]

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name].value
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.solved)

    def __repr__(self) -> str:
        return (
            "Rates:"
            f" {', '.join(f'{name} {rate.value:.4g}' for name, rate in self.solved.items() if name in (PRIOR, *GIVEN))}"  # noqa: E501
        )


@dataclass(frozen=True)
class _Given:
    name: str
    value: Fraction
    low: Fraction
    high: Fraction
    text: str
    notes: tuple[Note, ...] = ()


def solve_rates(**given: float | str) -> Rates:
    """What do these published rates imply, or contradict?

    Any three independent ones of prior, tpr, fpr, precision, npv, posfrac, accuracy, f1 … give all
    the others. A number stands for everything that rounds to it: 0.549 and "54.9%" for 0.5485 to
    0.5495. Whole numbers, fractions ("4/5") and the prior are exact. A contradiction is claimed
    only where no values that round to the given ones agree.

    >>> import baserate as br
    >>> rates = br.solve_rates(tpr=0.8, posfrac=0.549, prior=0.5)
    >>> round(rates.precision, 4), round(rates.fpr, 3)
    (0.7286, 0.298)
    >>> br.solve_rates(tpr=0.8, posfrac=0.549, prior=0.5, precision=0.779)
    Traceback (most recent call last):
        ...
    baserate.errors.InputError: BR541: these rates contradict each other: tpr 0.8, posfrac 0.549, prior 0.5 force precision to lie...
    """  # noqa: E501
    facts = [_read_rate(name, value) for name, value in given.items()]
    corners = _find_corners(facts)
    if not corners:
        raise refuse(
            "BR541",
            f"these rates contradict each other: {_describe_contradiction(facts)}",
            "check the printed values",
        )
    point = _middle_of(corners)
    # Decided at values that agree with each other: rounding makes 0.80 and 1 − 0.79 look like two
    # facts.
    agreeing = [
        _equation_of(fact.name, value)
        for fact in facts
        if (value := _rate_at(fact.name, point)) is not None
    ]
    if _rank_of(agreeing) < 3:
        raise refuse("BR540", *_what_is_missing(facts, agreeing, point))
    return _derive_rates(facts, corners)


def _read_rate(name: str, value: Any) -> _Given:
    if name != PRIOR and name not in GIVEN:
        asked = Measure.parse(name)
        known = f'"{asked.name}"' if asked.name in GIVEN else f"one of {', '.join((PRIOR, *GIVEN))}"
        raise refuse(
            "BR535" if asked.name in GIVEN else "BR540",
            f"{quoted(name)} is not a rate that can be given here",
            known,
        )
    written = (
        notation.parse_prior(value)
        if name == PRIOR
        else notation.parse_share(value)
        if isinstance(value, str)
        else notation.from_number(value)
    )
    if written is None or not 0 <= written.value <= 1:
        meant = (
            f"; for {quoted(value, quotes=False)} percent write {quoted(value, quotes=False)}%"
            if written and 1 < written.value <= 100
            else ""
        )
        raise refuse(
            "BR542",
            f"{name} must be a share between 0 and 1, got {quoted(value)}",
            f"write a number such as 0.8, or 80%{meant}",
        )
    whole = isinstance(value, int | Fraction | np.integer)
    exact = written.value
    slack = Fraction(0) if name == PRIOR or whole else _half_unit(written.text)
    return _Given(
        name,
        exact,
        max(Fraction(0), exact - slack),
        min(Fraction(1), exact + slack),
        quoted(written.text, quotes=False),
        written.notes,
    )


def _half_unit(text: str) -> Fraction:
    """Half a unit of the last digit printed: 0.549 and 54.9% both mean ±0.0005. A ratio such as
    1/3, and 0 and 1, are exact.
    """
    found = notation.WHOLE.fullmatch(text.strip().casefold())
    if found is None or text.strip() in ("0", "1"):
        return Fraction(0)
    scale = notation.SCALES[found[2]]
    mantissa, _, exponent = found[1].partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return Fraction(1, 2) / Fraction(10) ** decimals / scale


def _parts_of(name: str) -> tuple[Row, Row]:
    """Numerator and denominator as linear functions of (x, y, p), the last entry being the
    constant.
    """
    if name == PRIOR:
        return (Fraction(0), Fraction(0), Fraction(1), Fraction(0)), (
            Fraction(0),
            Fraction(0),
            Fraction(0),
            Fraction(1),
        )
    parts = CATALOGUE[name].parts
    assert parts is not None
    pairs = [parts(at_one_point(unit, Fraction(1), HERE)) for unit in UNITS]
    rows = []
    for side in (0, 1):
        tp, fp, fn, tn = (Fraction(pair[side]) for pair in pairs)
        # TP = x, FP = y, FN = p - x, TN = 1 - p - y
        rows.append((tp - fn, fp - tn, fn - tn, tn))
    return rows[0], rows[1]


def _equation_of(name: str, value: Fraction) -> Row:
    above, below = _parts_of(name)
    return tuple(a - value * b for a, b in zip(above, below, strict=True))  # type: ignore[return-value]


def _find_corners(facts: Sequence[_Given]) -> list[Corner]:
    """The corners of all (x, y, p) that fit: every three of the bounding planes that meet in a
    point where all inequalities hold.
    """
    planes = _bounding_planes(facts)
    found = {
        corner
        for rows in itertools.combinations(planes, 3)
        if (corner := _meeting_point(rows)) is not None and _fits_planes(corner, planes)
    }
    # A prior of 0 or 1 is no prior, though such corners bound the others; and every given rate must
    # be defined somewhere.
    priors = {corner[2] for corner in found}
    undefined = any(
        all(not _evaluate_row(_parts_of(fact.name)[1], corner) for corner in found)
        for fact in facts
    )
    return [] if priors in ({0}, {1}) or undefined else sorted(found)


def _bounding_planes(facts: Sequence[_Given]) -> list[Row]:
    """Everything that must not be negative at a point that fits."""
    zero, one = Fraction(0), Fraction(1)
    # 0 <= x <= p <= 1 and 0 <= y <= 1 - p, each as a row that must not be negative.
    planes: list[Row] = [
        (one, zero, zero, zero),
        (-one, zero, one, zero),
        (zero, one, zero, zero),
        (zero, -one, -one, one),
    ]
    for fact in facts:
        low, high = _equation_of(fact.name, fact.low), _equation_of(fact.name, fact.high)
        planes += [low, tuple(-part for part in high)]  # type: ignore[list-item]
    return planes


def _fits_planes(corner: Corner, planes: Sequence[Row]) -> bool:
    return all(_evaluate_row(row, corner) >= 0 for row in planes)


def _evaluate_row(row: Row, corner: Corner) -> Fraction:
    return row[0] * corner[0] + row[1] * corner[1] + row[2] * corner[2] + row[3]


def _meeting_point(planes: Sequence[Row]) -> Corner | None:
    """Where three planes meet; None where they do not meet in one point."""
    rows = _eliminate_rows(planes)
    if len(rows) < 3:
        return None
    x, y, p = (-row[3] for row in rows)
    return x, y, p


def _rank_of(equations: Sequence[Row]) -> int:
    """How many of the equations say something of x, y or p that the others do not."""
    return len(_eliminate_rows(equations))


def _eliminate_rows(equations: Sequence[Row]) -> list[list[Fraction]]:
    """The independent equations, each with a 1 where all others have a 0 (Gauss and Jordan)."""
    rows = [list(row) for row in equations]
    rank = 0
    for column in range(3):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        whole = rows[rank][column]
        rows[rank] = [value / whole for value in rows[rank]]
        for i, row in enumerate(rows):
            if i != rank and row[column]:
                factor = row[column]
                pairs = zip(row, rows[rank], strict=True)
                rows[i] = [value - factor * other for value, other in pairs]
        rank += 1
    return rows[:rank]


def _describe_contradiction(facts: Sequence[_Given]) -> str:
    """One rate that the others forbid, and what they force instead; preferably the last given."""
    for fact in reversed(facts):
        others = [other for other in facts if other is not fact]
        corners = _find_corners(others)
        if corners and others:
            values = [
                value for corner in corners if (value := _rate_at(fact.name, corner)) is not None
            ]
            named = ", ".join(f"{other.name} {other.text}" for other in others)
            if not values:
                return f"{named} leave {fact.name} undefined (0/0), and it is given as {fact.text}"
            nominal = _nominal_corner(others, corners)
            about = (
                ""
                if nominal is None or (v := _rate_at(fact.name, nominal)) is None
                else f" (about {float(v):.4g})"
            )
            return (
                f"{named} force {fact.name} to lie between {float(min(values)):.4g} and"
                f" {float(max(values)):.4g}{about}, not at {fact.text}"
            )
    return ", ".join(f"{fact.name} {fact.text}" for fact in facts)


def _rate_at(name: str, corner: Corner) -> Fraction | None:
    above, below = _parts_of(name)
    whole = _evaluate_row(below, corner)
    return _evaluate_row(above, corner) / whole if whole else None


def _nominal_corner(facts: Sequence[_Given], corners: Sequence[Corner]) -> Corner | None:
    """The point that three of the given values determine, where it fits all of them; else the
    middle of what fits.
    """
    equations, planes = (
        [_equation_of(fact.name, fact.value) for fact in facts],
        _bounding_planes(facts),
    )
    for rows in itertools.combinations(equations, 3):
        corner = _meeting_point(rows)
        defined = corner is not None and all(
            _evaluate_row(_parts_of(fact.name)[1], corner) for fact in facts
        )
        if corner is not None and defined and 0 < corner[2] < 1 and _fits_planes(corner, planes):
            return corner
    return _middle_of(corners) if corners else None


def _middle_of(corners: Sequence[Corner]) -> Corner:
    return tuple(sum(corner[i] for corner in corners) / len(corners) for i in range(3))  # type: ignore[return-value]


def _what_is_missing(
    facts: Sequence[_Given], equations: Sequence[Row], point: Corner
) -> tuple[str, Fix]:
    """What is open, and what would close it."""
    have = {fact.name for fact in facts}
    rates = {fact.name: fact.value for fact in facts}
    if rates.get("tpr") is not None and rates.get("tpr") == rates.get("fpr"):
        return (
            "tpr equals fpr, so flagging is independent of the class and leaves the prior open",
            Fix("prior=0.01", "--prior 1%"),
        )
    needed, names = 3 - _rank_of(equations), (PRIOR, *GIVEN)
    true = [(name, value) for name in names if (value := _rate_at(name, point)) is not None]
    more = [
        name
        for name, value in true
        if name not in have
        and _rank_of([*equations, _equation_of(name, value)]) > _rank_of(equations)
    ]
    verb = "does" if len(have) == 1 else "do"
    said = (
        f"{', '.join(sorted(have))} {verb} not determine the rest" if have else "no rate is given"
    )
    some = ("prior", "tpr", "fpr", "precision")
    wanted = [name for name in some if name in more][:needed]
    fix = Fix(", ".join(f"{name}=…" for name in wanted), " ".join(f"--{name} …" for name in wanted))
    return (
        f"{said}: add {needed} of {', '.join(more)}",
        fix,
    )


def _derive_rates(facts: Sequence[_Given], corners: Sequence[Corner]) -> Rates:
    nominal = _nominal_corner(facts, corners)
    assert nominal is not None
    given = {fact.name for fact in facts}
    solved: dict[str, Solved] = {}
    undefined: dict[str, str] = {}
    for name in SHOWN:
        try:
            value = _value_at(name, nominal)
        except Undefinable as reason:
            undefined[name] = reason.reason
            continue
        # Quotients of linear functions take their extremes at corners; with the prior given, so do
        # those of tpr and fpr.
        at_corners = name in (PRIOR, *GIVEN, "nne") or (PRIOR in given and CATALOGUE[name].straight)
        low, high = _range_over_corners(name, value, corners) if at_corners else (None, None)
        solved[name] = Solved(rounded(value), low, high, name in given)
    return Rates(solved, undefined, tuple(note for fact in facts for note in fact.notes))


def _range_over_corners(
    name: str, value: Fraction, corners: Sequence[Corner]
) -> tuple[float, float]:
    """The extremes at the corners; a ratio that loses its denominator at one of them has no upper
    bound.
    """
    known = [
        value,
        *(
            extreme
            for corner in corners
            if (extreme := _value_at_or_none(name, corner)) is not None
        ),
    ]
    unbounded = name in UNBOUNDED and any(_divides_by_zero(name, corner) for corner in corners)
    return rounded(min(known)), math.inf if unbounded else rounded(max(known))


def _divides_by_zero(name: str, corner: Corner) -> bool:
    """Whether something is divided by nothing at a corner (nothing by nothing is no bound lost)."""
    above = {"nne": "posfrac", "lr_positive": "tpr", "lr_negative": "fnr"}[name]
    return _value_at_or_none(UNBOUNDED[name], corner) == 0 and bool(
        _value_at_or_none(above, corner)
    )


def _value_at(name: str, corner: Corner) -> Fraction:
    x, y, prior = corner
    if name == PRIOR:
        return prior
    confusion = Confusion(tp=x, fp=y, fn=prior - x, tn=1 - prior - y)
    return exact_value(Measure(name), confusion, Conditions())


def _value_at_or_none(name: str, corner: Corner) -> Fraction | None:
    try:
        return _value_at(name, corner)
    except Undefinable:
        return None
