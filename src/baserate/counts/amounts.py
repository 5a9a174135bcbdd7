"""`Amounts`: money beside the counts. A case counts once, whatever it is worth, and its amount is
summed exactly next to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from baserate.atomic import fingerprint_of
from baserate.counts.cells import Array, joined_scores
from baserate.counts.counts import Counts, JointCounts
from baserate.errors import Ledger, Note, combine, grouped, number_of, quoted, refuse
from baserate.numbers import EXACT_FLOATS, Digested, Floats, rounded

# Sums below this are held in 64 bits, others as integers of any size.
MOST_UNITS = 2**62
# A decimal of so many digits is the only one of that length that its float can stand for.
SAFE = 10**15
QUICK_DECIMALS = 6
# Up to here a power of ten is exact as a float.
EXACT_POWERS = 22
# From this share on, it is said that one case decides.
LARGE_SHARE = 0.25


class Amounts(Digested):
    """How much money lies at each score, on positives and on negatives, beside how many cases?

    Made by `count(…, amount=…)`. `counts` are the counts of the same cases. Amounts are whole
    numbers of units, 10^-`decimals` each: sums are exact, whatever the order, and rounded once
    when they are read. `a + b` are the amounts of both data sets together. Kept are the sum of the
    negatives at each distinct score, and for resampling the amount of every positive case: 8 bytes
    each.

    >>> import baserate as br
    >>> br.count([1, 0, 1], [0.9, 0.8, 0.8], amount=[0.1, 5, 0.2])
    Amounts: 0.3 on 2 positives, 5 on 1 negative, 2 distinct scores
    """

    counts: Counts
    decimals: int
    # Units of every positive case, from the highest score down, and within a score from the largest
    # amount down.
    cases: Array
    # Units of all negatives at each distinct score.
    negative_units: Array
    _recorded: tuple[Note, ...]

    def __init__(self) -> None:
        raise TypeError("Amounts are made by count(…, amount=…)")

    @classmethod
    def _of(
        cls,
        counts: Counts,
        decimals: int,
        cases: Array,
        negative_units: Array,
        notes: tuple[Note, ...] = (),
    ) -> Amounts:
        """From columns in canonical order; the arrays become ours."""
        return cls._make(
            counts=counts,
            decimals=decimals,
            cases=_held(cases),
            negative_units=_held(negative_units),
            _recorded=notes,
        )

    @classmethod
    def _gathered(
        cls,
        counts: Counts,
        rows: tuple[Array, Array, Array],
        decimals: int,
        notes: tuple[Note, ...] = (),
    ) -> Amounts:
        """From the score, the class and the units of every case, in any order."""
        scores, positive, units = rows
        ours = _ordered(scores[positive], units[positive])
        theirs = _summed(counts.scores, scores[~positive], units[~positive])
        return cls._of(counts, decimals, ours, theirs, notes)

    @classmethod
    def empty(cls) -> Amounts:
        """The amounts of no cases: adding them changes nothing."""
        none = np.empty(0, dtype=np.int64)
        return cls._of(Counts.empty(), 0, none, none.copy())

    @property
    def scores(self) -> Array:
        return self.counts.scores

    @property
    def prior(self) -> float:
        """The share of positives in the sample."""
        return self.counts.prior

    @property
    def ledger(self) -> Ledger:
        return self.counts.ledger

    @cached_property
    def caught_units(self) -> Array:
        """Units on the positives that each point flags: nothing flagged first, everything last."""
        flagged = np.concatenate(([0], np.cumsum(self.counts.positives)))
        return _running(self.cases)[flagged]

    @cached_property
    def false_alarm_units(self) -> Array:
        """Units on the negatives that each point flags."""
        return _running(self.negative_units)

    def exactly(self, units: Any) -> Fraction:
        """What a number of units is worth."""
        return Fraction(int(units), 10**self.decimals)

    @property
    def positive_amounts(self) -> Floats:
        """The amount of the positives at each distinct score, rounded once."""
        return self._rounded(np.diff(self.caught_units))

    @property
    def negative_amounts(self) -> Floats:
        """The amount of the negatives at each distinct score, rounded once."""
        return self._rounded(self.negative_units)

    @property
    def total_positive_amount(self) -> float:
        return rounded(self.exactly(self.caught_units[-1]))

    @property
    def total_negative_amount(self) -> float:
        return rounded(self.exactly(self.false_alarm_units[-1]))

    def _rounded(self, units: Array) -> Floats:
        if self.decimals <= EXACT_POWERS and int(units.max(initial=0)) <= EXACT_FLOATS:
            # A quotient of two exact floats is rounded once.
            return units.astype(np.float64) / 10.0**self.decimals
        return np.array([rounded(self.exactly(each)) for each in units.tolist()], dtype=np.float64)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What there is to say of the counts and of the amounts."""
        return combine(self.counts.notes, (*self._recorded, *self._observed()))

    def _observed(self) -> Iterator[Note]:
        if len(self.cases) > 1 and self.caught_units[-1]:
            share = rounded(Fraction(int(self.cases.max()), int(self.caught_units[-1])))
            if share >= LARGE_SHARE and share * len(self.cases) >= 2:
                yield Note(
                    "BR591",
                    f"one case holds {100 * share:.3g} % of the amount on positives: the result"
                    " depends on it",
                )

    def __add__(self, other: object) -> Amounts:
        """The amounts of both data sets together."""
        if not isinstance(other, Amounts):
            return NotImplemented
        counts, decimals = self.counts + other.counts, max(self.decimals, other.decimals)
        parts = [(part, 10 ** (decimals - part.decimals)) for part in (self, other)]
        scores = joined_scores(
            *(np.repeat(part.scores, part.counts.positives) for part, _ in parts)
        )
        ours = _ordered(
            scores, np.concatenate([_times(part.cases, factor) for part, factor in parts])
        )
        cells = joined_scores(self.scores, other.scores)
        theirs = _summed(
            counts.scores,
            cells,
            np.concatenate([_times(part.negative_units, factor) for part, factor in parts]),
        )
        return Amounts._of(counts, decimals, ours, theirs, combine(self._recorded, other._recorded))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of counts and amounts: the same for every order of the rows and every way of
        splitting them.
        """
        arrays = [self.cases, self.negative_units]
        long = "".join(f"{array.tolist()}\n" for array in arrays if array.dtype == object)
        head = f"baserate-amounts-1\n{self.counts.digest}\n{self.decimals}\n{long}"
        return fingerprint_of(head, [array for array in arrays if array.dtype != object])

    def __repr__(self) -> str:
        ours, theirs = (
            f"{value:.15g}" for value in (self.total_positive_amount, self.total_negative_amount)
        )
        positives, negatives = (
            number_of(self.counts.total_positives, "positive"),
            number_of(self.counts.total_negatives, "negative"),
        )
        return (
            f"Amounts: {ours} on {positives}, {theirs} on {negatives}, {grouped(len(self.scores))}"
            " distinct scores"
        )


@dataclass(frozen=True, eq=False)
class JointAmounts(Mapping[str, Amounts]):
    """The amounts of several models by their names, and which cases are the same: what a test of
    their difference needs.

    Made by `count(…, amount=…)` with several scores. `joint` has one cell per case, `units` what
    each is worth.

    >>> import baserate as br
    >>> both = br.count([1, 0, 1], {"a": [3, 2, 1], "b": [1, 2, 3]}, amount=[50, 5, 20])
    >>> list(both), both["a"]
    (['a', 'b'], Amounts: 70 on 2 positives, 5 on 1 negative, 3 distinct scores)
    """

    joint: JointCounts
    units: Array
    models: Mapping[str, Amounts]

    def __getitem__(self, name: str) -> Amounts:
        return self.models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        names = ", ".join(quoted(name, quotes=False) for name in self)
        return f"JointAmounts: {number_of(len(self), 'model')} ({names}), {self.joint._classes}"

    @property
    def worth(self) -> Floats:
        """The amount of every case."""
        return self.units.astype(np.float64) / 10.0 ** next(iter(self.models.values())).decimals


def in_units(numbers: Array) -> tuple[Array, int]:
    """Amounts as whole numbers of units, and how many decimals a unit has. A float is the decimal
    that it prints: 12.34 is 1234 cents.
    """
    if numbers.dtype == np.int64:
        return numbers, 0
    floats = (numbers.astype("U32") if numbers.dtype == np.float32 else numbers).astype(
        np.float64, copy=False
    )
    for decimals in range(QUICK_DECIMALS + 1):
        scale = 10.0**decimals
        with np.errstate(over="ignore"):
            units = np.rint(floats * scale)
        if ((units < SAFE) & (units / scale == floats)).all():
            return units.astype(np.int64), decimals
    written = [Decimal(repr(value)).normalize() for value in floats.tolist()]
    decimals = max(0, *(-int(number.as_tuple().exponent) for number in written))
    return _objects([int(number.scaleb(decimals)) for number in written]), decimals


def in_finer_units(units: Array, decimals: int, finer: int) -> Array:
    """The same amounts in units of more decimals."""
    return _held(_times(units, 10 ** (finer - decimals)))


def _times(units: Array, factor: int) -> Array:
    return units if factor == 1 else _objects([factor * each for each in units.tolist()])


def _objects(values: list[int]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _held(units: Array) -> Array:
    """In 64 bits where no running sum can leave them, whatever they were held in before; otherwise
    as Python's integers.
    """
    if units.dtype == np.int64 and float(units.sum(dtype=np.float64)) < MOST_UNITS:
        return units
    values = units.tolist()
    return np.array(values, dtype=np.int64) if sum(values) < MOST_UNITS else _objects(values)


def _running(units: Array) -> Array:
    return np.concatenate((np.zeros(1, dtype=units.dtype), np.cumsum(units)))


def _ordered(scores: Array, units: Array) -> Array:
    """Units from the highest score down, and within a score from the largest down."""
    order = np.argsort(units, kind="stable")
    order = order[np.argsort(scores[order], kind="stable")][::-1]
    return units[order]


def _summed(distinct: Array, scores: Array, units: Array) -> Array:
    """The sum of the units at each distinct score."""
    exact = _held(units)
    sums = np.zeros(len(distinct), dtype=exact.dtype)
    places = len(distinct) - 1 - np.searchsorted(distinct[::-1], scores)
    np.add.at(sums, places, exact)
    return sums


def check_amounts(amounts: Any) -> Amounts:
    """Amounts, where they are such."""
    if not isinstance(amounts, Amounts):
        raise refuse(
            "BR429",
            f"amounts are made by count(…, amount=…), got {type(amounts).__name__}",
            "count(y_true, y_score, amount=amount)",
        )
    return amounts
