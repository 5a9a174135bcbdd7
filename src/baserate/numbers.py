"""Numbers: exact sums and fractions, undefined values with a reason, readings with notes, frozen
values; how results are had as tables and drawings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from baserate.errors import Note, escaped, grouped


class _NotSaid:
    """What stands for an argument that was not given, where None means something."""

    def __repr__(self) -> str:
        return "not given"

    def __reduce__(self) -> str:
        return "NOT_SAID"


NOT_SAID: Any = _NotSaid()


# ----------------------------------------------------------------------
# One formula, two arithmetics: exact fractions for one point, float64 arrays along a curve.


# Bits that a root keeps: twice those of a float, so that rounding it afterwards is as good as
# rounding the root itself.
ROOT_BITS = 120
# Exponents beyond this are no number that anybody means.
MOST_DIGITS = 400


class Undefinable(ArithmeticError):  # noqa: N818 (an answer, not an error)
    """There is no such number, for this reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def quotient(numerator: Any, denominator: Any, reason: str) -> Any:
    """Numerator / denominator; where the denominator is 0 the reason is raised (one point) or NaN
    stands (a curve).
    """
    if isinstance(numerator, np.ndarray) and isinstance(denominator, float):
        return numerator / denominator if denominator else np.full(numerator.shape, math.nan)
    if isinstance(denominator, float) and isinstance(numerator, float):
        return numerator / denominator if denominator else math.nan
    if isinstance(denominator, np.ndarray) or isinstance(numerator, np.ndarray):
        top, bottom = np.broadcast_arrays(
            np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
        )
        with np.errstate(invalid="ignore", over="ignore"):
            return np.divide(top, bottom, out=np.full(top.shape, math.nan), where=bottom != 0)
    if denominator == 0:
        raise Undefinable(reason)
    return Fraction(numerator) / Fraction(denominator)


def smaller_of(one: Any, other: Any) -> Any:
    """The smaller of two numbers, place by place in arrays."""
    return (
        np.minimum(one, other)
        if isinstance(one, np.ndarray) or isinstance(other, np.ndarray)
        else min(one, other)
    )


def square_root(value: Any) -> Any:
    """The square root; of a fraction as a fraction, exact for squares and otherwise right to 120
    bits.
    """
    if isinstance(value, np.ndarray):
        return np.sqrt(value)
    if isinstance(value, float):
        return math.sqrt(value)
    square = Fraction(value)
    product = square.numerator * square.denominator
    shift = max(0, ROOT_BITS - product.bit_length() // 2)
    return Fraction(math.isqrt(product << 2 * shift), square.denominator << shift)


def natural_log(value: Any) -> Any:
    """The natural logarithm of a positive number, to about one unit in the last place, also close
    to 1.
    """
    if isinstance(value, np.ndarray):
        with np.errstate(divide="ignore"):
            return np.log(value)
    exact = Fraction(value)
    if exact <= 0:
        raise Undefinable("a rate of 0 or 1 has no logarithm")
    scale = exact.numerator.bit_length() - exact.denominator.bit_length()
    shift = 0 if abs(scale) < 1000 else scale
    scaled = exact / Fraction(2) ** shift
    near = float(scaled)
    # What rounding to a float took away comes back as a first-order term: log(near · (1 + r)) =
    # log(near) + r.
    rest = scaled / Fraction(near) - 1
    return Fraction(math.log(near)) + rest + Fraction(shift * math.log(2))


def rounded(value: Fraction) -> float:
    """The float nearest to a fraction; beyond the largest float, infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def exactly(number: Any) -> Fraction:
    """A finite number of any kind as the fraction that it is; TypeError, ValueError or
    OverflowError for anything else.
    """
    if isinstance(number, Fraction):
        return number
    if type(number) in (int, float):
        return Fraction(number)
    if isinstance(number, np.integer | np.floating):
        return Fraction(int(number) if isinstance(number, np.integer) else float(number))
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        raise TypeError(f"not a number: {type(number).__name__}")
    if isinstance(number, Decimal) and number.is_finite() and abs(number.adjusted()) > MOST_DIGITS:
        raise OverflowError("a number far beyond the range of floats")
    return Fraction(number)


Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


# ----------------------------------------------------------------------
# Sums that round once, at the end.


# Above this a weight plus the scale it is split at could overflow.
LARGEST_SPLIT = 2.0**900
INT64_MAX = 2**63 - 1
EXACT_FLOATS = 2**53


def segment_sums(weights: Floats, starts: npt.NDArray[np.intp]) -> Floats:
    """The correctly rounded sum of each run weights[starts[i]:starts[i + 1]], whatever the order
    inside it.

    Each weight is cut into slices of few enough bits that a whole run of slices adds up without
    rounding (Rump, Ogita & Oishi 2008); only the exact totals of the slices are then rounded, once.
    The weights must be finite and not negative.
    """
    if len(starts) == len(weights):
        return weights
    if not np.isfinite(largest := weights.max()):
        raise ValueError("weights must be finite")
    if largest > LARGEST_SPLIT:
        return _one_by_one(weights, starts)
    longest = int(np.diff(starts, append=len(weights)).max())
    slices = []
    rest = weights
    while top := float(np.abs(rest).max()):
        scale = math.ldexp(1.0, math.frexp(top)[1] + (longest + 2).bit_length() + 1)
        high = (rest + scale) - scale
        slices.append(np.add.reduceat(high, starts))
        rest = rest - high
    return rounded_once(slices, len(starts))


def slice_scales(weights: Floats, slices: int) -> Floats | None:
    """The scales at which weights are cut into slices, if any number of them is one run; None where
    a scale would leave the range of floats.
    """
    top = float(weights.max(initial=0.0))
    if not top <= LARGEST_SPLIT:
        return None
    scales, spare = [], (len(weights) + 2).bit_length() + 1
    for _ in range(slices):
        scales.append(math.ldexp(1.0, math.frexp(top)[1] + spare))
        top = scales[-1] * 2.0**-53  # the most that the slice leaves
    return np.array(scales)


def rounded_once(slices: list[Floats], count: int) -> Floats:
    """The sum of the slices: two need one rounding, more are left to `math.fsum` where the third
    still matters.
    """
    total = np.zeros(count)
    for part in slices[:2]:
        total += part
    if len(slices) > 2:
        columns = np.stack(slices)
        for cell in np.flatnonzero(columns[2:].any(axis=0)):
            total[cell] = math.fsum(columns[:, cell])
    return total


def _one_by_one(weights: Floats, starts: npt.NDArray[np.intp]) -> Floats:
    return np.array([_sum_or_infinity(run) for run in np.split(weights, starts[1:])])


def _sum_or_infinity(values: Floats) -> float:
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def exact_total(values: npt.NDArray[Any]) -> int | float:
    """The exact total of counts, or the correctly rounded total of masses."""
    if not values.size:
        return 0 if values.dtype == np.int64 else 0.0
    if values.dtype == np.float64:
        return float(segment_sums(values, np.zeros(1, dtype=np.intp))[0])
    # A sum of int64 wraps in silence; the largest, or else the float sum, tells whether it could.
    if int(values.max()) < 2**62 // values.size or float(values.sum(dtype=np.float64)) < 2.0**62:
        return int(values.sum())
    return int(sum(values.tolist()))


def square_sum(values: Floats) -> float:
    """The sum of squares, not by `np.dot`: its threads would spin on every core for a moment's
    work.
    """
    return float(np.einsum("i,i->", values, values))


def share_won(positives: npt.NDArray[Any], negatives: npt.NDArray[Any]) -> float:
    """The share of (positive, negative) pairs that the score puts in the right order, a tie
    counting one half.

    Cells are in descending order of the score, and both classes are there. Exact for counts of any
    size, then rounded once; for masses right to a few units in the last place.
    """
    if positives.dtype == np.int64 and negatives.dtype == np.int64:
        totals = int(exact_total(positives)), int(exact_total(negatives))
        return _twice_wins(positives, negatives, totals) / (2 * totals[0] * totals[1])
    # Totals near one, by exact powers of two, so that no product leaves the range of floats.
    ours, theirs = _near_one(positives), _near_one(negatives)
    # Summed from the bottom up: taking the mass above from the whole would cancel where little lies
    # below.
    below = np.concatenate((running_sums(theirs[::-1])[-2::-1], np.zeros(1)))
    return math.fsum(ours * (below + theirs / 2)) / (
        float(exact_total(ours)) * float(exact_total(theirs))
    )


def surplus_won(positives: npt.NDArray[Any], negatives: npt.NDArray[Any]) -> float:
    """Pairs in the right order less pairs in the wrong one, as a share of all: 2 · share − 1, as
    exact as the share also where that is close to one half.
    """
    if positives.dtype == np.int64 and negatives.dtype == np.int64:
        totals = int(exact_total(positives)), int(exact_total(negatives))
        pairs = totals[0] * totals[1]
        return (_twice_wins(positives, negatives, totals) - pairs) / pairs
    return share_won(positives, negatives) - share_won(positives[::-1], negatives[::-1])


def _near_one(masses: npt.NDArray[Any]) -> Floats:
    floats = masses.astype(np.float64)
    return np.ldexp(floats, -math.frexp(float(exact_total(floats)))[1])


def _twice_wins(positives: Ints, negatives: Ints, totals: tuple[int, int] | None = None) -> int:
    all_positives, all_negatives = totals or (
        int(exact_total(positives)),
        int(exact_total(negatives)),
    )
    if 2 * all_positives * all_negatives > INT64_MAX:
        positives, negatives = positives.astype(object), negatives.astype(object)
    # Only where there are positives, to spare memory: 2·(negatives from there on) − ties.
    where = np.flatnonzero(positives != 0)
    if not len(where):
        return 0
    onward = np.cumsum(np.add.reduceat(negatives, where)[::-1])[::-1]
    return int(np.dot(positives[where], 2 * onward - negatives[where]))


def running_sums(values: Floats) -> Floats:
    """Cumulative sums that carry along what each addition rounded away."""
    rough = np.cumsum(values)
    before, after, added = rough[:-1], rough[1:], values[1:]
    taken = after - before
    lost = (before - (after - taken)) + (added - taken)
    rough[1:] += np.cumsum(lost)
    return rough


def words_a_value(values: npt.NDArray[Any]) -> int | None:
    """How many words of 4 bytes a value takes; 0 for Python objects, None for other kinds."""
    if values.dtype.kind == "O":
        return 0
    return (
        values.itemsize // 4 if values.dtype.kind in "UiufmM" and values.itemsize % 4 == 0 else None
    )


# ----------------------------------------------------------------------
# Values that do not change once made.


class Frozen:
    """A value of parts that are set once, by `_make`, and whose arrays are read-only."""

    _parts: tuple[str, ...]

    @classmethod
    def _make(cls, **parts: Any) -> Self:
        """Return a value of these parts; the arrays become ours."""
        value = cls.__new__(cls)
        value._keep(**parts)
        return value

    def _keep(self, **parts: Any) -> None:
        for part in parts.values():
            inside = tuple(part.values()) if isinstance(part, dict) else part
            for array in inside if isinstance(inside, tuple) else (inside,):
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False
        self.__dict__.update(parts, _parts=tuple(parts))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = {name: self.__dict__[name] for name in self._parts}
        return _remake_value, (type(self), parts)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")


def _remake_value(cls: type[Frozen], parts: dict[str, Any]) -> Frozen:
    """Return a value that was pickled."""
    return cls._make(**parts)


class Digested(Frozen):
    """A frozen value that equals others of its type with the same digest."""

    digest: Any

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)


# ----------------------------------------------------------------------
# Tables for a notebook: plain HTML without styles, everything escaped, at most ten rows.


MOST_ROWS = 10
GAP = "…"
UNDEFINED = "—"


# The headings and the rows of a table.
TableCells: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]


def html_table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table under what it is; the first column names the rows."""
    head = "".join(f'<th scope="col">{_escape_html(heading)}</th>' for heading in headings)
    body = "".join(
        "<tr><th"
        f' scope="row">{_escape_html(row[0])}</th>{"".join(f"<td>{_escape_html(cell)}</td>" for cell in row[1:])}</tr>'  # noqa: E501
        for row in rows
    )
    return f"<table><caption>{_escape_html(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"  # noqa: E501


def first_and_last(count: int, row: Callable[[int], Sequence[str]]) -> list[Sequence[str]]:
    """All rows, or the first and the last five with a gap between them."""
    if count <= MOST_ROWS:
        return [row(i) for i in range(count)]
    first, last = (range(MOST_ROWS // 2), range(count - MOST_ROWS // 2, count))
    begin = [row(i) for i in first]
    return [*begin, [GAP] * len(begin[0]), *(row(i) for i in last)]


def format_cell(value: Any, digits: int = 6) -> str:
    """A number: whole ones in full, others to `digits` digits, a dash where there is none."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, int):
        return grouped(plain) if plain >= 0 else str(plain)
    return UNDEFINED if math.isnan(plain) else f"{plain:.{digits}g}"


# Where a formula would begin: at the start, and behind what separates columns elsewhere.
FORMULA = re.compile(r'(?:^|[;,|"]) *(?=[=+\-@\uff1d\uff0b\uff0d\uff20])')


@lru_cache
def spreadsheet_safe(name: str) -> str:
    """A name that no spreadsheet takes for a formula, whatever separates its columns, and that no
    terminal obeys.
    """
    return FORMULA.sub(r"\g<0>'", escaped(name))


def _escape_html(value: str) -> str:
    import html

    return html.escape(escaped(value), quote=True)


# ----------------------------------------------------------------------
# Methods of results that draw, tabulate or continue them: done by modules above, which are loaded
# when a method is called.


# Which function of which module makes each view. The only imports that point upwards.
VIEWS = {
    "amounts on": "verbs.choices:evaluate_amounts_on",
    "csv": "views.curves:curves_as_csv",
    "dict": "views.results:as_dict",
    "frame": "views.results:as_frame",
    "html": "views.results:as_html",
    "interval": "inference.intervals:interval_at",
    "choice on": "verbs.choices:evaluate_choice_on",
    "on": "verbs.choices:evaluate_point_on",
    "plot": "plots.figures:draw_result",
    "text": "views.formats:write_text",
}


def make_view(kind: str, result: object, **given: Any) -> Any:
    """The view of a result by its kind."""
    from importlib import import_module

    module, _, name = VIEWS[kind].partition(":")
    return getattr(import_module(f"baserate.{module}"), name)(result, **given)


class Viewed:
    """A result that can be had as plain values, as a data frame, and as a table in a notebook."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values: numbers, text, lists and dictionaries, as the command line's JSON has
        them.
        """
        found: dict[str, Any] = make_view("dict", self)
        return found

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """The rows as a data frame of pandas, polars or pyarrow."""
        return make_view("frame", self, backend=backend)

    def _repr_html_(self) -> str:
        found: str = make_view("html", self)
        return found


# ----------------------------------------------------------------------
# A number with what a reader should know of it.


class Reading(float, Viewed):
    """A value that carries its notes, such as what it assumes at another base rate, and its name
    with all parameters.

    `over` is the `Expectation` over conditions that are not known exactly.

    >>> from baserate import Conditions, Confusion, measure
    >>> value = measure(Confusion(tp=9, fp=10, fn=1, tn=90), "precision", at=Conditions(prior=0.01))
    >>> value
    0.08333333333333333
    >>> print(value.notes[0])
    BR526: computed for a base rate of 1% (sample: 9.091%); this assumes that the scores within each class are the same in the field (label shift)
    """  # noqa: E501

    notes: tuple[Note, ...]
    name: str
    over: Any

    def __new__(
        cls,
        value: float,
        notes: Iterable[Note] = (),
        name: str = "",
        over: Any = None,
    ) -> Self:
        reading = super().__new__(cls, value)
        reading.notes = tuple(notes)
        reading.name = name
        reading.over = over
        return reading

    def __reduce__(self) -> tuple[Any, ...]:
        return Reading, (float(self), self.notes, self.name, self.over)


# ----------------------------------------------------------------------
# A number that does not exist, and why.


class Undefined(Reading):
    """NaN that says why: 0/0 is never a number, and the reason is given.

    >>> from baserate.numbers import Undefined
    >>> Undefined("no positives")
    nan (no positives)
    """

    reason: str

    def __new__(cls, reason: str, over: Any = None, notes: Iterable[Note] = ()) -> Self:
        value = super().__new__(cls, math.nan, notes, over=over)
        value.reason = reason
        return value

    def __repr__(self) -> str:
        return f"nan ({self.reason})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Undefined, (self.reason, self.over, self.notes)


def ratio_of(numerator: float, denominator: float, reason: str) -> float:
    """The quotient, or the reason why there is none where the denominator is zero."""
    return numerator / denominator if denominator else Undefined(reason)
