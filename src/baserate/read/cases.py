"""Labels, scores and weights checked together, so that everything wrong with them is found in one
pass; and `count` for arrays in memory.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.counts.cells import Array, gathered, masses, without_runs
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts, rank
from baserate.errors import (
    MOST_EXAMPLES,
    RANDOM,
    TURNED,
    Findings,
    Fix,
    InputError,
    Ledger,
    Note,
    Where,
    are,
    checked_design,
    grouped,
    number_of,
    quoted,
    refuse,
    relocate_problems,
)
from baserate.kernels import Cells, Kernels, best
from baserate.kernels.portable import ascending_orders, scores_of_orders
from baserate.numbers import EXACT_FLOATS, INT64_MAX, Floats, Ints, Reading, square_sum
from baserate.read.columns import (
    FLOAT_DIGITS,
    Column,
    as_column,
    check_indexes,
    check_lengths,
    group_codes,
    is_missing,
    kind_of_value,
    mixed,
    significant_digits,
)

# ----------------------------------------------------------------------
# Scores as int64, float64 or float32, with every distinct value kept apart; what cannot be kept is
# refused.


ROUNDED = "whole numbers beyond 2**53 are mixed with fractions, and would be rounded"
CONVERT = "convert to float64 or int64 yourself, if that is meant"
UNSUITABLE = {
    "M": "timestamps",
    "m": "durations",
    "c": "complex numbers",
    "S": "bytes",
    "V": "records",
}
# How people write numbers, and the option that says so.
WRITTEN = (
    (re.compile(r"[+-]?\d+(,\d{3})+\.\d*"), 'for thousands, --thousands ","'),
    (re.compile(r"[+-]?\d+,\d+"), 'for decimal commas, --decimal ","'),
    (re.compile(r"[+-]?[\d.,]+\s*%"), "for percentages, --percent"),
)


def as_scores(column: Column, times: Ints | None = None) -> Array:
    """Contiguous numbers that rank the cases as the user's values do; none is NaN. `times` says how
    many cases each value stands for.
    """
    if column.missing is not None or times is not None:
        refuse_missing(column, times)
    column = column.inferred()
    scores = _numbers(column)
    # The least value is NaN where any is: one quick pass, and a slower look only where it is
    # needed.
    if scores.dtype.kind == "f" and len(scores) and np.isnan(scores.min()):
        refuse_missing(Column(column.name, scores))
    return scores


def _numbers(column: Column) -> Array:
    values, kind = column.values, column.values.dtype.kind
    if kind in UNSUITABLE:
        raise refuse(
            "BR209", f"{column.name} holds {UNSUITABLE[kind]}, not scores", "pass a numeric score"
        )
    if kind in "OTU":
        return _from_objects(column)
    if kind == "u" and len(values) and int(values.max()) > INT64_MAX:
        raise too_large(column.name)
    if kind in "biu":
        return np.require(values, np.int64, ["C", "A"])
    if values.dtype == np.float16:
        return values.astype(np.float32)
    if values.dtype == np.longdouble:
        return _narrowed(column, values)
    return np.require(values, requirements=["C", "A"])


def refuse_missing(column: Column, times: Ints | None = None) -> None:
    """Raise for the cases without a score, if there are any; `times` says how many cases each value
    stands for.
    """
    gone = column.missing_rows()
    if len(gone):
        many, rows = (len(gone), gone) if times is None else (int(times[gone].sum()), ())
        raise no_rank(column.name, rows[:MOST_EXAMPLES], many)


def no_rank(name: str, examples: Iterable[int], total: int) -> InputError:
    """The error for cases without a score."""
    text = f"{name} has {number_of(total, 'missing or NaN score')}; a missing score has no rank"
    fix = Fix(
        "drop those cases or score them; for a file or frame, nan_score='drop'",
        "--nan-score drop or lowest",
    )
    return refuse("BR201", text, fix, examples, total)


def refuse_rows(
    code: str, name: str, what: str, fix: Fix | str, rows: Sequence[int] | Ints, example: str = ""
) -> InputError:
    """The error for a number of rows of a column that hold something ("2 negative weights")."""
    text = f"{name} has {number_of(len(rows), what)}{example}"
    return refuse(code, text, fix, rows[:MOST_EXAMPLES], len(rows))


def _from_objects(column: Column) -> Array:
    """Python numbers and numbers written as text."""
    refuse_missing(column)
    values = column.values.tolist()
    _check_flags(column, values)
    numbers = [_number(value) for value in values]
    bad = [row for row, number in enumerate(numbers) if number is None]
    if bad:
        raise not_numbers(column.name, values[bad[0]], bad[:MOST_EXAMPLES], len(bad))
    _check_endless(column.name, values, numbers)
    kinds = set(map(type, numbers))
    if kinds <= {int}:
        if any(not -INT64_MAX - 1 <= number <= INT64_MAX for number in numbers):
            raise too_large(column.name)
        return np.array(numbers, dtype=np.int64)
    if kinds <= {float}:
        return np.array(numbers, dtype=np.float64)
    return _narrowed(column, np.array(numbers, dtype=object))


def _check_flags(column: Column, values: list[Any]) -> None:
    """True and false beside numbers are labels, or flags, that slipped in: as scores they would be
    the highest and the lowest of many. A column of nothing else is no column of objects.
    """
    if set(map(type, values)).isdisjoint({bool, np.bool_}):
        return
    kinds = Counter(map(kind_of_value, values))
    rarest = kinds.most_common()[-1][0]
    raise mixed(
        "BR208",
        column.name,
        kinds,
        [row for row, value in enumerate(values) if kind_of_value(value) == rarest],
    )


def _number(value: object) -> Any:
    """The number that a value is, or that text spells in the plain way, whole numbers exactly; None
    for anything else.
    """
    from decimal import Decimal
    from fractions import Fraction

    if isinstance(value, str):
        number = spelled(value)
        whole = number is not None and value.strip().lstrip("+-").isdecimal()
        return int(value) if whole and abs(number or 0) < inf else number
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    return value if isinstance(value, Decimal | Fraction) else None


def spelled(text: str) -> float | None:
    """The number that a text spells in the plain way: Python would also take underscores, digits of
    any script and blanks of any width.
    """
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def not_numbers(name: str, example: object, rows: Iterable[int], total: int) -> InputError:
    """The error for scores that are not numbers."""
    if not isinstance(example, str):
        return refuse(
            "BR209",
            f"{name} holds {type(example).__name__}, not scores",
            "pass a numeric score",
            rows,
            total,
        )
    text = (
        f"{name} has"
        f" {number_of(total, 'value that is not a number', 'values that are not numbers')}, such as"
        f" {quoted(example)}"
    )
    plain = "write plain numbers with a decimal point: 0.5, not 0,5 or 50% or $1"
    said = next((option for written, option in WRITTEN if written.fullmatch(example.strip())), None)
    return refuse("BR208", text, Fix(plain, f"{plain}; {said}" if said else plain), rows, total)


def _narrowed(column: Column, wide: Array) -> Array:
    """Float64 from wider numbers, unless a whole number would be rounded or two different ones
    become the same score.
    """
    try:
        narrow = wide.astype(np.float64)
    except (OverflowError, ValueError):
        raise too_large(column.name) from None
    if any(
        isinstance(number, int) and number != rounded
        for number, rounded in zip(wide.tolist(), narrow.tolist(), strict=True)
    ):
        raise refuse("BR215", f"{column.name}: {ROUNDED}", CONVERT)
    merged = len(set(wide.tolist())) - len(set(narrow.tolist()))
    if merged > 0:
        raise refuse(
            "BR215",
            f"{column.name}: {number_of(merged, 'distinct value')} would merge in float64",
            CONVERT,
        )
    return narrow


def _check_endless(name: str, values: list[Any], numbers: list[Any]) -> None:
    """Refuse numbers written as text that are larger than any float."""
    endless = [
        row
        for row, number in enumerate(numbers)
        if type(number) is float
        and abs(number) == inf
        and isinstance(values[row], str)
        and "n" not in values[row].casefold()
    ]
    if endless:
        text = f"{name} goes beyond the largest float"
        raise refuse("BR215", text, "write smaller numbers", endless[:MOST_EXAMPLES], len(endless))


def rounded_note(name: str) -> Note:
    """What to say of numbers with more digits than a float keeps."""
    text = f"{name} has numbers of more than {FLOAT_DIGITS} significant digits: scores are rounded"
    return Note("BR215", f"{text} to float64")


def _has_rounded(column: Column) -> bool:
    """Whether texts of a column have more digits than a float keeps."""
    return column.values.dtype == object and any(
        isinstance(value, str) and significant_digits(value) > FLOAT_DIGITS
        for value in column.values.tolist()
    )


def too_large(name: str) -> InputError:
    """The error for whole numbers that 64 bits do not hold."""
    return refuse(
        "BR215",
        f"{name} goes beyond the largest 64-bit integer",
        "subtract a constant, or convert to float64 if merging is meant",
    )


# ----------------------------------------------------------------------
# Which cases are positive: decided here, once, and never guessed.


# Pairs (negative, positive) whose meaning needs no asking; used with a note. Text is compared
# without case and outer blanks.
WORDS = (
    ("no", "yes"),
    ("n", "y"),
    ("neg", "pos"),
    ("negative", "positive"),
    ("f", "t"),
    ("false", "true"),
    ("0", "1"),
    ("0.0", "1.0"),
    ("-1", "1"),
)

SPOKEN_BOOLS = {"true": True, "false": False, "1": True, "0": False}
MOST_SHOWN = 4
CHUNK = 1 << 16


@dataclass(frozen=True)
class Decision:
    """The positive cases, the value that marks them (None where there are none to see), and what
    was assumed.
    """

    positive: npt.NDArray[np.bool_]
    value: object
    notes: tuple[Note, ...] = ()


def decide(
    column: Column,
    pos_label: object = None,
    times: Ints | None = None,
    *,
    keyword: str = "pos_label",
) -> Decision:
    """Which cases are positive? 0/1 and bools speak for themselves, documented pairs with a note,
    the rest needs `pos_label`.

    Where each value stands once for all cases that have it, `times` says how many those are.
    `keyword` is what the caller's caller knows the positive label by: `count(pos_label=1)`, and
    `count(source, positive=1)`.
    """
    _refuse_missing_labels(column, times)
    column = column.inferred()
    if pos_label is None:
        plain = _plain(column)
        if plain is not None:
            return plain
    elif not isinstance(pos_label, Hashable) or is_missing(pos_label):
        text = f"the positive label {quoted(pos_label)} cannot be a label"
        raise refuse("BR109", text, "give the value that marks the positive cases")
    labels = _distinct(column, times)
    _check_spelling(column.name, labels)
    notes = tuple[Note, ...]()
    if pos_label is not None:
        positive = _given_positive(column.name, labels, pos_label, keyword)
    elif labels:
        positive, notes = _documented_positive(column.name, labels, keyword)
    else:
        positive = None
    return Decision(_equal(column, positive), positive, notes)


def _refuse_missing_labels(column: Column, times: Ints | None) -> None:
    gone = column.missing_rows()
    if not len(gone):
        return
    cases, missing, rows = len(column), len(gone), gone[:MOST_EXAMPLES].tolist()
    if times is not None:
        cases, missing, rows = int(times.sum()), int(times[gone].sum()), []
    text = f"{grouped(missing)} of {number_of(cases, 'label')} in {column.name} {are(missing)}"
    fix = Fix(
        "drop those cases or label them; for a file or frame, missing_label='drop'",
        "--missing-label drop, negative or positive",
    )
    raise refuse("BR105", f"{text} missing", fix, rows, missing)


def _plain(column: Column) -> Decision | None:
    """Bools and numbers that are all 0 or 1."""
    values = column.values
    if values.dtype.kind == "b":
        return Decision(np.ascontiguousarray(values), value=True)
    if values.dtype.kind not in "iuf":
        return None
    ones, zeros = np.empty(len(values), dtype=np.bool_), 0
    for start in range(
        0, len(values), CHUNK
    ):  # in pieces that fit the cache, so that nothing large is made to be thrown away
        part = slice(start, start + CHUNK)
        np.equal(values[part], 1, out=ones[part])
        zeros += int(np.count_nonzero(values[part] == 0))
    return Decision(ones, 1) if np.count_nonzero(ones) + zeros == len(values) else None


def _distinct(column: Column, times: Ints | None = None) -> dict[Any, int]:
    """Each label with the number of its cases. Mixed types are refused: 0 and "1" in one column is
    a column gone wrong.
    """
    numeric = column.values.dtype.kind in "biuf"
    words, codes = column.coded
    if numeric and len(words) == len(column):  # too many to be labels
        found, codes = np.unique(column.values, return_inverse=True)
        words = found.tolist()
    sizes = np.zeros(len(words), dtype=np.int64)
    if times is None:
        sizes += np.bincount(codes, minlength=len(words))
    else:
        np.add.at(sizes, codes, times)
    if not numeric:
        _check_kinds(column, words, codes, sizes)
    labels = Counter[Any]()
    for word, size in zip(words, sizes.tolist(), strict=True):
        labels[word] += size
    return dict(sorted(labels.items())) if numeric else dict(labels)


def _check_kinds(column: Column, words: list[Any], codes: Array, sizes: Ints) -> None:
    """Refuse labels of several kinds, and objects that are none."""
    each = [kind_of_value(word) for word in words]
    if not all(isinstance(word, Hashable) for word in words):
        text = f"{column.name} holds {each[0]} objects, not labels"
        raise refuse("BR107", text, "give one label per case")
    kinds = Counter[str]()
    for kind, size in zip(each, sizes.tolist(), strict=True):
        kinds[kind] += size
    if len(kinds) > 1:
        rarest = kinds.most_common()[-1][0]
        places = [place for place, kind in enumerate(each) if kind == rarest]
        rows = np.flatnonzero(np.isin(codes, places)).tolist()
        raise mixed("BR107", column.name, kinds, rows)


def _equal(column: Column, value: object) -> npt.NDArray[np.bool_]:
    if value is None:
        return np.zeros(len(column), dtype=np.bool_)
    if column.values.dtype.kind in "OU":
        return column.where(lambda other: bool(other == value))
    return np.asarray(column.values == value, dtype=np.bool_)


def _documented_positive(
    name: str, labels: dict[Any, int], keyword: str
) -> tuple[Any, tuple[Note, ...]]:
    """The positive one of labels whose meaning is documented (None where it is not among them), and
    a note that says so; or the reason why someone has to say which is positive.
    """
    spellings = {_folded(value) for value in labels}
    pair = next((pair for pair in WORDS if spellings <= set(pair)), None)
    if pair is None:
        _check_kind(name, labels)
        if len(labels) > 2:
            raise _too_many(name, labels, None)
        text = f"{name} has values {_shown(labels)}; cannot tell which is positive"
        raise refuse("BR102", text, Fix.option(keyword, min(labels, key=labels.__getitem__)))
    # No counts in the note: it stays true, and the same, when parts of the data are added.
    held = {_folded(value): value for value in labels}
    negative, positive = (held.get(word, word) for word in pair)
    text = f"{name}: positive = {quoted(positive)}, negative = {quoted(negative)}"
    note = Note("BR101", text, Fix.option(keyword, negative))
    return positive if positive in labels else None, (note,)


def _folded(value: object) -> str:
    """The spelling to look a value up by: text without case and outer blanks, whole numbers as they
    are written.
    """
    if isinstance(value, str):
        return value.strip().casefold()
    if isinstance(value, int | float) and abs(value) < EXACT_FLOATS and value == int(value):
        return str(int(value))
    return quoted(value)


def _given_positive(name: str, labels: dict[Any, int], pos_label: object, keyword: str) -> Any:
    """The label that the user calls positive, as the column has it; everything else must then be
    one other value. None where it is not among them: a part of the data without positives.
    """
    positive = next((value for value in labels if value == pos_label), None)
    if len(labels) > 2:
        raise _too_many(name, labels, positive)
    if positive is not None or not labels:
        return positive
    # Two others, or one of another kind, mean a slip of the pen.
    shown = f"the positive label {quoted(pos_label)} is"
    if len(labels) == 2 or any(
        isinstance(value, str) != isinstance(pos_label, str) for value in labels
    ):
        fix = Fix.option(keyword, _nearest(pos_label, labels))
        raise refuse("BR109", f"{shown} not in {name}, which has {_shown(labels)}", fix)
    (other,) = labels
    if _folded(other) == _folded(pos_label):
        text = f"{shown} written otherwise in {name}, which has {_shown(labels)}"
        raise refuse("BR109", text, Fix.option(keyword, other))
    return None


def _nearest(pos_label: object, labels: dict[Any, int]) -> Any:
    """The label that was most likely meant: spelled alike, or the rarest."""
    import difflib

    spellings = {_folded(value): value for value in labels}
    written = quoted(pos_label, quotes=False).strip().casefold()
    near = difflib.get_close_matches(written, spellings, n=1, cutoff=0.4)
    return spellings[near[0]] if near else min(labels, key=labels.__getitem__)


def _check_spelling(name: str, labels: dict[Any, int]) -> None:
    for word, spellings in Counter(map(_folded, labels)).most_common(1):
        if spellings > 1:
            variants = {value: labels[value] for value in labels if _folded(value) == word}
            fix = Fix(
                "write each label in one way; for a file or frame, normalize_labels=True",
                "--normalize-labels",
            )
            text = f"{name} has {spellings} spellings of one label: {_shown(variants)}"
            raise refuse("BR108", text, fix)


def _check_kind(name: str, labels: dict[Any, int]) -> None:
    """Refuse fractions as labels; a text file writes them as text."""
    numbers = [spelled(value) if isinstance(value, str) else value for value in labels]
    floats = [number for number in numbers if isinstance(number, float)]
    if len(floats) == len(numbers) and not all(number.is_integer() for number in floats):
        text = f"{name} is fractional ({min(floats):.6g} to {max(floats):.6g}), not a label"
        fix = Fix(
            f"count({name} >= 0.5, ...); for a file or frame, label_threshold=0.5",
            "--label-threshold 0.5",
        )
        raise refuse("BR106", text, fix)


def _too_many(name: str, labels: dict[Any, int], positive: object) -> InputError:
    """With the positive label where the user named one; which of several it is, nobody can tell
    from the data.
    """
    one, said, others = "VALUE", "VALUE", "OTHERS"
    if positive is not None:
        said = quoted(positive, quotes=False)
        one = repr(said) if isinstance(positive, str) else quoted(positive)
        said = shlex.quote(said)
    if positive is not None and len(labels) <= MOST_SHOWN:
        rest = [value for value in sorted(labels, key=str) if value != positive]
        others = shlex.quote(",".join(quoted(value, quotes=False) for value in rest))
    fix = Fix(
        f"count({name} == {one}, ...) for one against the rest, or filter",
        f"--positive {said} --negative {others}, or filter",
    )
    text = f"{name} has {grouped(len(labels))} values ({_shown(labels)}); need 2"
    return refuse("BR103", text, fix)


def _shown(labels: dict[Any, int]) -> str:
    few = list(labels.items())[:MOST_SHOWN]
    shown = ", ".join(f"{quoted(value)} ({grouped(cases)})" for value, cases in few)
    return shown + (" …" if len(labels) > MOST_SHOWN else "")


def fitting(positive: Any, labels: Array) -> Any:
    """The positive label as the column has its values: a command line knows only text, and a text
    file has no types.
    """
    if not isinstance(positive, str):
        return (
            str(positive)
            if isinstance(positive, int) and not isinstance(positive, bool) and _is_text(labels)
            else positive
        )
    kind = np.asarray(labels).dtype.kind
    try:
        if kind == "b":
            return SPOKEN_BOOLS.get(positive.strip().casefold(), positive)
        if kind in "iu":
            return int(positive)
        return float(positive) if kind == "f" else positive
    except ValueError:
        return positive


def _is_text(labels: Array) -> bool:
    return labels.dtype == object and any(isinstance(value, str) for value in labels[:1])


def as_written(label: object) -> str:
    """A label of any type as text: 1, 1.0 and true are the "1" of a text file. Column names are
    often text where labels are numbers or bools.
    """
    if isinstance(label, bool | np.bool_ | int | float | np.number):
        return str(int(label)) if float(label).is_integer() else str(label)
    return str(label)


# ----------------------------------------------------------------------
# Weights: finite, not negative, and with a word on what they may mean.


# Most weights show at once what they are not, and need no second look.
FEW = slice(0, 1000)
FINITE = "give every case a finite weight"
# Squares of weights beyond these leave the range of floats.
SMALLEST, LARGEST = 1e-100, 1e100


def as_weights(column: Column) -> Floats:
    """Float64 weights, or the reason why these are none."""
    name, gone = column.name, column.missing_rows()
    if len(gone):
        raise refuse_rows("BR303", name, "missing or NaN weight", FINITE, gone)
    numbers = as_scores(column)  # read as scores are, also from text
    if numbers.dtype == np.int64 and numbers.max(initial=0) > EXACT_FLOATS:
        text = f"{name} has whole weights above 2**53, which would be rounded"
        raise refuse("BR303", text, "scale the weights down")
    weights = numbers.astype(np.float64, copy=False)
    if weights.max(initial=0) == inf:
        infinite = np.flatnonzero(np.isinf(weights))
        raise refuse_rows("BR303", name, "infinite weight", FINITE, infinite)
    if weights.min(initial=0) < 0:
        rows = np.flatnonzero(weights < 0)
        example, fix = (
            f", such as {weights[rows[0]]:g}",
            "drop those cases or correct their weights",
        )
        raise refuse_rows("BR303", name, "negative weight", fix, rows, example)
    return weights


def with_weight(weights: Floats, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
    """Which cases have any weight (None: all of them); a class of which none has is refused."""
    if not len(weights) or weights.min() > 0:
        return None
    used: npt.NDArray[np.bool_] = weights != 0
    for name, members in (("positives", positive), ("negatives", ~positive)):
        if members.any() and not (used & members).any():
            raise refuse(
                "BR552",
                f"the total weight of the {name} is 0",
                "give that class some weight, or leave its cases out",
            )
    return used


def weigh(weights: Floats, positive: npt.NDArray[np.bool_], cells: Cells) -> tuple[Note, ...]:
    """Check that the masses can be added up, and say what the weights look like."""
    with np.errstate(over="ignore"):
        everything = float(cells.positives.sum()) + float(cells.negatives.sum())
    if everything == np.inf:
        raise refuse("BR303", "the total weight overflows", "scale the weights down")
    return tuple(_remarks(weights, positive, cells)) if len(weights) else ()


def _remarks(weights: Floats, positive: npt.NDArray[np.bool_], cells: Cells) -> Iterator[Note]:
    cases, largest = len(weights), weights.max()
    # A power of two rounds nothing.
    squarable = SMALLEST < largest < LARGEST
    scaled = weights if squarable else np.ldexp(weights, -int(np.frexp(largest)[1]))
    effective = float(scaled.sum() ** 2 / square_sum(scaled))
    if effective < cases / 2:
        text = (
            f"the weights of {grouped(cases)} rows as read are uneven: they count as"
            f" {effective:.3g}"
        )
        yield Note("BR307", f"{text} (Kish's effective sample size)")
    if (
        all((weights[part] == np.floor(weights[part])).all() for part in (FEW, slice(None)))
        and (weights != 1).any()
    ):
        yield Note(
            "BR306",
            "whole weights may be counts of cases or sampling weights: point values are the same,"
            " intervals are not",
        )
    if _by_class(weights, positive):
        ours, theirs = float(cells.positives.sum()), float(cells.negatives.sum())
        mass, share = ours / (ours + theirs), np.count_nonzero(positive) / cases
        text = (
            f"the weights of {grouped(cases)} rows are one value per class and imply a base rate"
            f" of {mass:.3g} (rows: {share:.3g})"
        )
        yield Note(
            "BR304",
            f"{text}; to read results at another base rate, set the prior instead of weighting",
        )


def _by_class(weights: Floats, positive: npt.NDArray[np.bool_]) -> bool:
    """One weight for every positive and another for every negative."""
    first, other = int(np.argmax(positive)), int(np.argmin(positive))
    if positive[first] == positive[other] or weights[first] == weights[other]:
        return False
    return all(
        np.array_equal(weights[part], np.where(positive[part], weights[first], weights[other]))
        for part in (FEW, slice(None))
    )


# ----------------------------------------------------------------------
# Checked cases: everything that is wrong with labels, scores and weights is found in one pass.


SCORE = "y_score"
UNLIKE_LABELS = frozenset({"BR103", "BR106"})


def in_place(where: Where) -> Where:
    """Return the place of a problem as it is."""
    return where


@dataclass(frozen=True)
class KeptRows:
    """From positions among the rows that are left to where the user sees them."""

    place: Callable[[Where], Where]
    kept: Array

    def __call__(self, where: Where) -> Where:
        return self.place(replace(where, rows=tuple(int(self.kept[row]) for row in where.rows)))


class Cases(NamedTuple):
    """Which cases are positive and by which label, the scores of each model, and what else is known
    of each case.

    `times` says how many cases a row stands for, where rows were grouped. `beside` holds columns
    that travel with the cases by their role: group, cluster, day, amount, currency, id.
    `unlabelled` are cases that were left out because they have no label, all of them as negatives:
    alerts are counted among them too. `place` is where the user sees a row.
    """

    positive: Array
    label: object
    scores: dict[str, Array]
    weights: Floats | None
    notes: tuple[Note, ...]
    ledger: Ledger
    beside: Mapping[str, Column] = MappingProxyType({})
    times: Ints | None = None
    unlabelled: Cases | None = None
    place: Callable[[Where], Where] = in_place

    def only(self, rows: Array) -> Cases:
        """Return these rows alone; the ledger still speaks of all that were read."""
        kept = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return self._replace(
            positive=self.positive[kept],
            scores={name: scores[kept] for name, scores in self.scores.items()},
            weights=None if self.weights is None else self.weights[kept],
            times=None if self.times is None else self.times[kept],
            beside={role: column.only(kept) for role, column in self.beside.items()},
            place=KeptRows(self.place, kept),
        )

    def alone(self, rows: Array) -> Cases:
        """Return these rows with a ledger of their own, which names no source twice."""
        ledger = replace(
            self.ledger, rows_read=len(rows), rows_used=len(rows), rows_refused=0, sources=()
        )
        return self.only(rows)._replace(ledger=ledger, unlabelled=None)

    def one_by_one(self) -> tuple[Array, Array, tuple[Note, ...]]:
        """Return the positives and negatives in each row, and every note."""
        masses = self.weights if self.times is None else self.times
        if masses is None:
            masses = np.ones(len(self.positive), dtype=np.int64)
        nothing = masses.dtype.type(0)
        positives = np.where(self.positive, masses, nothing)
        negatives = np.where(self.positive, nothing, masses)
        notes = self.notes
        if self.weights is not None:
            notes += weigh(self.weights, self.positive, Cells(positives, positives, negatives))
        return positives, negatives, notes

    def kept_scores(self) -> dict[str, Array]:
        """Return the scores as counts hold them: copies in float64 or int64, no -0.0."""
        return {
            name: scores.astype(np.int64 if scores.dtype == np.int64 else np.float64) + 0
            for name, scores in self.scores.items()
        }

    def negated(self) -> Cases:
        """Return the cases with negated scores, for scores whose low values mean positive."""
        scores, notes = turned(self.scores)
        unlabelled = None if self.unlabelled is None else self.unlabelled.negated()
        return self._replace(scores=scores, notes=(*self.notes, *notes), unlabelled=unlabelled)


def turned(scores: Mapping[str, Array]) -> tuple[dict[str, Array], tuple[Note, ...]]:
    """Return scores whose low values are risky negated, so that `score >= threshold` flags them."""
    for name, values in scores.items():
        if values.dtype.kind == "i" and len(values) and int(values.min()) < -INT64_MAX:
            text = (
                f"{quoted(name)} holds the least whole number of 64 bits, which cannot be negated"
            )
            raise refuse("BR215", text, "write smaller numbers")
    return {name: -values for name, values in scores.items()}, (TURNED,)


class CaseColumns(NamedTuple):
    """Columns of the same cases, not yet checked; `times` says how many cases a row stands for."""

    label: Column
    scores: dict[str, Column]
    weight: Column | None = None
    beside: Mapping[str, Column] = MappingProxyType({})
    times: Ints | None = None

    @property
    def every(self) -> list[Column]:
        """All of them."""
        weights = [] if self.weight is None else [self.weight]
        return [self.label, *self.scores.values(), *weights, *self.beside.values()]

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return self.cases_in(slice(None))

    def cases_in(self, rows: Array | slice) -> int:
        """Return how many cases these rows stand for."""
        times = np.broadcast_to(1, len(self.label)) if self.times is None else self.times
        return int(times[rows].sum())

    def without(
        self, rows: Array, place: Callable[[Where], Where]
    ) -> tuple[CaseColumns, Callable[[Where], Where]]:
        """Return the columns without these rows, and the place of the rows that are left."""
        kept = np.delete(np.arange(len(self.label)), rows)
        columns = CaseColumns(
            self.label.only(kept),
            {name: column.only(kept) for name, column in self.scores.items()},
            None if self.weight is None else self.weight.only(kept),
            {role: column.only(kept) for role, column in self.beside.items()},
            None if self.times is None else self.times[kept],
        )
        return columns, KeptRows(place, kept)


def check_cases(
    columns: CaseColumns,
    *,
    positive: Any = None,
    design: str = RANDOM,
    missing_label: str | None = None,
    nan_score: str | None = None,
    keyword: str = "pos_label",
) -> Cases:
    """Return the cases of columns, or every reason why they cannot be counted.

    `missing_label="drop"` and `nan_score="drop"` leave out cases without a label or a score.
    `keyword` is what the caller calls the positive label.
    """
    check_lengths(columns.every)
    check_indexes(columns.every)
    rows, notes = columns.cases, list[Note]()
    place: Callable[[Where], Where] = in_place
    if missing_label is not None or nan_score is not None:
        columns, notes, place = _drop_missing(columns, missing_label, nan_score)
    findings, numbers = Findings(), dict[str, Array]()
    with findings:
        decision = decide(columns.label, positive, columns.times, keyword=keyword)
        notes.extend(decision.notes)
    for name, column in columns.scores.items():
        with findings:
            numbers[name] = as_scores(column, columns.times)
            if numbers[name].dtype.kind == "f" and _has_rounded(column):
                notes.append(rounded_note(column.name))
    weights = None
    if columns.weight is not None:
        with findings:
            weights = as_weights(columns.weight)
    _check_swapped(findings, columns.label.name, numbers)
    with relocate_problems(place):
        findings.settle()
    ledger = Ledger(rows, columns.cases, rows - columns.cases, design=checked_design(design))
    cases = Cases(
        decision.positive,
        decision.value,
        numbers,
        weights,
        tuple(notes),
        ledger,
        columns.beside,
        columns.times,
        place=place,
    )
    used = None if weights is None else with_weight(weights, decision.positive)
    return cases if used is None else cases.only(used)


def _drop_missing(
    columns: CaseColumns, missing_label: str | None, nan_score: str | None
) -> tuple[CaseColumns, list[Note], Callable[[Where], Where]]:
    """Leave out cases without a label or a score, where that is requested, and say so."""
    notes, rows = list[Note](), columns.cases
    place: Callable[[Where], Where] = in_place
    gone = columns.label.missing_rows()
    if missing_label is not None and len(gone):
        many = columns.cases_in(gone)
        what = f"{grouped(many)} of {number_of(rows, 'label')} in {columns.label.name} {are(many)}"
        text = f"{what} missing: left out, as requested"
        notes.append(Note("BR105", text, values={"left_out": many}))
        columns, place = columns.without(gone, place)
    missing = {name: column.missing_rows() for name, column in columns.scores.items()}
    gone = np.unique(np.concatenate([*missing.values()]))
    if nan_score is not None and len(gone):
        each = {name: columns.cases_in(gaps) for name, gaps in missing.items() if len(gaps)}
        shown = ", ".join(f"{quoted(name)} {grouped(many)}" for name, many in each.items())
        what = f"{number_of(columns.cases_in(gone), 'case')} without a score ({shown})"
        notes.append(Note("BR201", f"{what}: left out, as requested"))
        columns, place = columns.without(gone, place)
    if rows and not columns.cases:
        text = "every row was left out, as requested: nothing remains"
        raise refuse("BR602", text, "give whole cases")
    return columns, notes, place


def cases_of_arrays(
    y_true: Any,
    y_scores: Mapping[str, Any],
    *,
    sample_weight: Any = None,
    beside: Mapping[str, Column] = MappingProxyType({}),
    **options: Any,
) -> Cases:
    """Return the cases of arrays, named as the arguments of `count` are."""
    columns = CaseColumns(
        as_column(y_true, "y_true"),
        {name: as_column(scores, score_name(name)) for name, scores in y_scores.items()},
        None if sample_weight is None else as_column(sample_weight, "sample_weight"),
        beside,
    )
    return check_cases(columns, **options)


def score_name(model: str) -> str:
    """Return what a message calls a model's scores: the argument of `count`, or the model."""
    return model if model == SCORE else quoted(model)


def _check_swapped(findings: Findings, label: str, scores: Mapping[str, Array]) -> None:
    """Labels that look like scores beside scores that look like labels: say that, instead of what
    is wrong with either.
    """
    if any(problem.code in UNLIKE_LABELS for problem in findings.problems):
        for name, values in scores.items():
            if len(values) and np.isin(values, (0, 1)).all():
                raise swapped(label, name)


def swapped(label: str, score: str) -> InputError:
    """The error for a label and a score that took each other's place."""
    text = f"{label} looks like a score and {score_name(score)} like a label"
    fix = Fix("swap y_true and y_score", "swap --label and --score")
    return refuse("BR111", f"{text}: they seem to be swapped", fix)


# ----------------------------------------------------------------------
# Counting checked cases: one model, several on the same cases, or groups of cases.


# With more positives than one case in so many, sorting everything is faster than looking every
# negative up.
RARE = 16
# More positives than this no longer fit the cache, and looking a negative up gets slow.
MOST_ANCHORS = 1 << 17


def count_arrays(y_true: Any, y_score: Any, *, keep: str = "all", **options: Any) -> Counts:
    """Return the counts of one array of scores."""
    check_keep(keep)
    return count_cases(cases_of_arrays(y_true, {SCORE: y_score}, **options), SCORE, keep=keep)


def count_cases(cases: Cases, model: str, *, keep: str = "all", kernels: Kernels = best) -> Counts:
    """Return the counts of one model's scores."""
    scores, positive, weights = cases.scores[model], cases.positive, cases.weights
    notes, ledger, times = cases.notes, cases.ledger, cases.times
    unlabelled = None if cases.unlabelled is None else count_cases(cases.unlabelled, model)
    if times is not None:
        positives, negatives, _ = cases.one_by_one()
        cells = gathered(cases.kept_scores()[model], positives, negatives)
    elif weights is not None:
        tallied = kernels.tally_weighted(scores, positive, weights)
        # The sign of a weight carries the class through the sort.
        cells = tallied or masses(*kernels.order_weighted(scores, positive, weights))
        notes = (*notes, *weigh(weights, positive, cells))
    elif keep == "positives" and _is_rare(positive):
        cells = _rare(scores, positive, kernels)
    else:
        finish = kernels.begin_count(scores, positive)
        del cases, scores, positive  # what was copied can be freed once it is packed
        cells = finish()
    if keep == "positives":
        cells = without_runs(cells)
    return Counts._of(cells, ledger, notes, condensed=keep == "positives").beside(unlabelled)


def check_keep(keep: object) -> None:
    """Refuse a word for what is kept that is not known."""
    if keep not in ("all", "positives"):
        text = f"keep must be 'all' or 'positives', got {quoted(keep)}"
        raise refuse("BR532", text, "keep='all'")


def _is_rare(positive: Array) -> bool:
    positives = int(np.count_nonzero(positive))
    return 0 < positives <= min(len(positive) // RARE, MOST_ANCHORS)


def _rare(scores: Array, positive: Array, kernels: Kernels) -> Cells:
    """Condensed cells without sorting the negatives: only the positives are ranked, and the
    negatives fall between them.
    """
    rows = np.flatnonzero(positive)
    ranked = kernels.count_cells(scores[rows], np.ones(len(rows), dtype=np.bool_))
    anchors = ascending_orders(ranked.scores)[::-1].copy()
    return between(ranked, *kernels.count_gaps(scores, positive, anchors))


def between(ranked: Cells, ties: Ints, gaps: Ints, lowest: Ints) -> Cells:
    """Condensed cells from those of the positives, and what `count_gaps` found of the negatives at
    them and between them.
    """
    # Descending: the run above the highest positive, that positive, the run below it, and so on
    # down.
    orders = np.empty(2 * len(ties) + 1, dtype=np.int64)
    hits, misses = np.zeros_like(orders), np.empty_like(orders)
    orders[0::2], orders[1::2] = lowest[::-1], ascending_orders(ranked.scores)
    misses[0::2], misses[1::2] = gaps[::-1], ties[::-1]
    hits[1::2] = ranked.positives
    used = hits + misses > 0
    return Cells(scores_of_orders(orders[used], ranked.scores.dtype), hits[used], misses[used])


def check_named(y_scores: Any) -> None:
    """Scores of several models, where each has a name."""
    if not isinstance(y_scores, Mapping) or not y_scores:
        raise refuse(
            "BR410",
            "count needs the scores of each model by name",
            'count(y_true, {"logit": scores})',
        )
    strange = [name for name in y_scores if not isinstance(name, str)]
    if strange:
        raise refuse(
            "BR410",
            f"a model is named {quoted(strange[0])}, which is not text",
            "name models by text",
        )


def count_each_model(cases: Cases) -> dict[str, Counts]:
    """Return the counts of every model by its name."""
    findings, counted = Findings(), dict[str, Counts]()
    for name in cases.scores:
        with findings:
            counted[name] = count_cases(cases, name)
    with relocate_problems(cases.place):
        findings.settle()
    return counted


def count_jointly(cases: Cases) -> JointCounts:
    """Return several models counted on the same cases."""
    positives, negatives, notes = cases.one_by_one()
    return JointCounts._of(cases.kept_scores(), positives, negatives, cases.ledger, notes)


def count_coded(
    cases: Cases, model: str, names: tuple[Hashable, ...], codes: Array, notes: Iterable[Note] = ()
) -> GroupedCounts:
    """Return the counts of one model's scores by group, from the place of each case's group."""
    if cases.weights is None and cases.times is None:
        rows = cases.scores[model], cases.positive
        return GroupedCounts._counted(names, codes, rows, cases.ledger, (*cases.notes, *notes))
    positives, negatives, said = cases.one_by_one()
    cells = Cells(cases.kept_scores()[model], positives, negatives)
    return GroupedCounts._gathered(names, codes, cells, cases.ledger, (*said, *notes))


def count_groups(cases: Cases, model: str, role: str = "group") -> GroupedCounts:
    """Return the counts of one model's scores by the values of a column."""
    with relocate_problems(cases.place):
        names, codes = group_codes(cases.beside[role])
    unlabelled = None if cases.unlabelled is None else count_groups(cases.unlabelled, model, role)
    return count_coded(cases, model, names, codes).beside(unlabelled)


def split_by_group(cases: Cases) -> dict[Hashable, Cases]:
    """Return the cases of each group."""
    if "group" not in cases.beside:
        return {}
    with relocate_problems(cases.place):
        names, codes = group_codes(cases.beside["group"])
    rows = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[rows], np.arange(len(names) + 1))
    return {
        name: cases.alone(rows[ends[place] : ends[place + 1]]) for place, name in enumerate(names)
    }


def count_clusters_by_group(cases: Cases, model: str) -> dict[Hashable, GroupedCounts]:
    """Return the clusters of every group of cases; a cluster that has rows in two groups is a part
    of each.
    """
    groups = split_by_group(cases)
    for name in list(groups)[:1]:  # so that their sum names the sources once
        ledger = replace(groups[name].ledger, sources=cases.ledger.sources)
        groups[name] = groups[name]._replace(ledger=ledger)
    parts = {name: count_groups(part, model, "cluster") for name, part in groups.items()}
    if cases.unlabelled is not None:
        for name, clusters in count_clusters_by_group(cases.unlabelled, model).items():
            if name not in parts:
                nothing = cases.alone(np.empty(0, dtype=np.intp))
                parts[name] = count_groups(nothing, model, "cluster")
            parts[name].beside(clusters)
    return dict(sorted(parts.items(), key=lambda item: rank(item[0])))


def count_jointly_by_group(cases: Cases) -> dict[str, JointCounts]:
    """Return several models counted on the same cases in each group, by the group's name; nothing
    where there are no groups.
    """
    parts = split_by_group(cases)
    names = group_names(list(parts))
    return {
        name: count_jointly(part)
        for name, part in sorted(zip(names, parts.values(), strict=True), key=itemgetter(0))
    }


def group_names(groups: Sequence[object]) -> list[str]:
    """Return what groups are called, and the missing ones by a name that no other group has."""
    names = {str(group) for group in groups if group is not None}
    missing = "(missing)"
    while missing in names:
        missing = f"({missing})"
    return [missing if group is None else str(group) for group in groups]


# ----------------------------------------------------------------------
# Several classes: each of them against the rest, in turn.


def count_classes(
    y_true: Any, y_scores: Any, *, classes: Sequence[Any] | None = None, sample_weight: Any = None
) -> dict[Any, Counts]:
    """How many cases of each class, and of the rest, have each of its scores? One set of counts
    per class, each against the rest.

    `y_scores` maps each class to its scores, or is a matrix with one column per class, in the order
    of `classes`. Each score ranks how likely its class is against the rest.

    >>> import baserate as br
    >>> scores = {"a": [0.7, 0.2, 0.1], "b": [0.2, 0.5, 0.4], "c": [0.1, 0.3, 0.5]}
    >>> by_class = br.count_classes(["a", "b", "c"], scores)
    >>> {name: br.auc(counts) for name, counts in by_class.items()}
    {'a': 1.0, 'b': 1.0, 'c': 1.0}
    """
    columns = dict(y_scores) if isinstance(y_scores, Mapping) else _columns(y_scores, classes)
    labels = np.asarray(y_true)
    if labels.ndim != 1:
        raise refuse(
            "BR219",
            f"labels must be one-dimensional, got {labels.ndim} dimensions",
            "one class per case",
        )
    present = set(labels.tolist())
    unknown = [value for value in present if value not in columns]
    if unknown:
        raise refuse(
            "BR570",
            f"class {quoted(unknown[0])} has no scores",
            f"classes with scores are {', '.join(map(quoted, list(columns)[:5]))}",
        )
    return {
        name: count_arrays(labels == name, scores, sample_weight=sample_weight)
        for name, scores in columns.items()
    }


def _columns(y_scores: Any, classes: Sequence[Any] | None) -> dict[Any, Any]:
    matrix = np.asarray(y_scores)
    if (
        matrix.ndim != 2
        or classes is None
        or len(classes) != matrix.shape[1]
        or len(set(classes)) != len(classes)
    ):
        shown = (
            number_of(matrix.ndim, "dimension")
            if matrix.ndim != 2
            else number_of(matrix.shape[1], "column")
        )
        text = (
            "a matrix of scores needs one column per class, and the classes in that order; got"
            f" {shown}"
        )
        raise refuse("BR570", text, "count_classes(y, matrix, classes=model.classes_)")
    return {name: matrix[:, i] for i, name in enumerate(classes)}


def macro(summary: Callable[..., float], by_class: Mapping[Any, Counts], **options: Any) -> float:
    """What is a summary on average over the classes, each against the rest, each with the same
    weight?

    NaN where it is undefined for one of them: a class that is missing is not a perfect one.

    >>> import baserate as br
    >>> scores = {"a": [0.7, 0.2, 0.1], "b": [0.2, 0.5, 0.4], "c": [0.1, 0.3, 0.5]}
    >>> br.summary(br.count_classes(["a", "b", "c"], scores), "auc", average="macro")
    1.0
    """
    if not by_class:
        raise refuse("BR570", "there are no classes to average over", "count_classes(y, scores)")
    values = [summary(counts, **options) for counts in by_class.values()]
    if not all(isinstance(value, float) for value in values):
        raise refuse(
            "BR570",
            f"{getattr(summary, '__name__', 'this')} gives several numbers, which have no one mean",
            "a summary such as auc",
        )
    return Reading(float(np.mean(values)), name="macro")
