"""Which cases are positive: decided here, once, and never guessed."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.cells import Array
from baserate.engines.columns import Column, is_missing, kind_of, mixed
from baserate.engines.scores import spelled
from baserate.errors import Fix, are, grouped, number_of, quoted, refuse
from baserate.exact import EXACT_FLOATS, Ints
from baserate.notes import Note

# Pairs (negative, positive) whose meaning needs no asking; used with a note. Text is compared without case and outer blanks.
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
    """The positive cases, the value that marks them (None where there are none to see), and what was assumed."""

    positive: npt.NDArray[np.bool_]
    value: object
    notes: tuple[Note, ...] = ()


def decide(column: Column, pos_label: object = None, times: Ints | None = None, *, keyword: str = "pos_label") -> Decision:
    """Which cases are positive? 0/1 and bools speak for themselves, documented pairs with a note, the rest needs `pos_label`.

    Where each value stands once for all cases that have it, `times` says how many those are. `keyword` is what the caller's caller knows
    the positive label by: `count(pos_label=1)`, and `count_file(positive=1)`.
    """
    gone = column.missing_rows()
    if len(gone):
        cases, rows = (len(column), gone) if times is None else (int(times.sum()), ())
        many = len(gone) if times is None else int(times[gone].sum())
        text = f"{grouped(many)} of {number_of(cases, 'label')} in {column.name} {are(many)} missing"
        fix = Fix("drop those cases or label them; of a file, missing_label='drop'", "--missing-label drop, negative or positive")
        raise refuse("BR105", text, fix, rows[:3], many)
    column = column.inferred()
    if pos_label is None:
        return _plain(column) or _spoken(column, _distinct(column, times), keyword)
    if not isinstance(pos_label, Hashable) or is_missing(pos_label):
        raise refuse("BR109", f"the positive label {quoted(pos_label)} cannot be a label", "give the value that marks the positive cases")
    return _asked(column, _distinct(column, times), pos_label, keyword)


def _plain(column: Column) -> Decision | None:
    """Bools and numbers that are all 0 or 1."""
    values = column.values
    if values.dtype.kind == "b":
        return Decision(np.ascontiguousarray(values), value=True)
    if values.dtype.kind not in "iuf":
        return None
    ones, zeros = np.empty(len(values), dtype=np.bool_), 0
    for start in range(0, len(values), CHUNK):  # in pieces that fit the cache, so that nothing large is made to be thrown away
        part = slice(start, start + CHUNK)
        np.equal(values[part], 1, out=ones[part])
        zeros += int(np.count_nonzero(values[part] == 0))
    return Decision(ones, 1) if np.count_nonzero(ones) + zeros == len(values) else None


def _distinct(column: Column, times: Ints | None = None) -> dict[Any, int]:
    """Each value with the number of its cases. Mixed types are refused: 0 and "1" in one column is a column gone wrong."""
    values = column.values
    if times is not None:
        return dict(zip(values.tolist(), times.tolist(), strict=True))
    if values.dtype.kind in "biuf" and len(values):
        low, high = values.min(), values.max()
        ends = {end.item(): int(np.count_nonzero(values == end)) for end in (low, high)}
        if sum(ends.values()) == len(values):
            return ends
        found, counts = np.unique(values, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))
    kinds = Counter(map(kind_of, values))
    if not all(isinstance(value, Hashable) for value in values):
        raise refuse("BR107", f"{column.name} holds {next(iter(kinds))} objects, not labels", "give one label a case")
    if len(kinds) > 1:
        rarest = kinds.most_common()[-1][0]
        raise mixed("BR107", column.name, kinds, [row for row, value in enumerate(values) if kind_of(value) == rarest])
    return dict(Counter(values.tolist()))


def _spoken(column: Column, found: dict[Any, int], keyword: str) -> Decision:
    """Values whose meaning is documented, or the reason why someone has to say which is positive."""
    if not found:
        return Decision(np.zeros(0, dtype=np.bool_), None)
    _check_spelling(column, found)
    pair = _known_pair(found)
    if pair is not None:
        return _noted(column, found, pair, keyword)
    _check_kind(column, found)
    if len(found) > 2:
        raise _too_many(column, found, None)
    first = min(found, key=lambda value: found[value])
    text = f"{column.name} has values {_shown(found)}; cannot tell which is positive"
    raise refuse("BR102", text, Fix.option(keyword, first))


def _known_pair(found: dict[Any, int]) -> tuple[str, str] | None:
    spelled = {_folded(value) for value in found}
    return next((pair for pair in WORDS if spelled <= set(pair)), None)


def _folded(value: object) -> str:
    """The spelling to look a value up by: text without case and outer blanks, whole numbers as they are written."""
    if isinstance(value, str):
        return value.strip().casefold()
    if isinstance(value, int | float) and abs(value) < EXACT_FLOATS and value == int(value):
        return str(int(value))
    return quoted(value)


def _noted(column: Column, found: dict[Any, int], pair: tuple[str, str], keyword: str) -> Decision:
    """No counts in the note: it stays true, and the same, when parts of the data are added."""
    negative, positive = (next((value for value in found if _folded(value) == word), word) for word in pair)
    text = f"{column.name}: positive = {quoted(positive)}, negative = {quoted(negative)}"
    note = Note("BR101", text, Fix.option(keyword, negative))
    return Decision(np.asarray(column.values == positive, dtype=np.bool_), positive if positive in found else None, (note,))


def _asked(column: Column, found: dict[Any, int], pos_label: object, keyword: str) -> Decision:
    """The user said which value is positive: everything else must then be one other value."""
    _check_spelling(column, found)
    key = next((value for value in found if value == pos_label), None)
    if len(found) > 2:
        raise _too_many(column, found, key)
    # A single other value is a part of the data without positives; two others, or one of another kind, mean a slip of the pen.
    if key is None and (len(found) == 2 or any(isinstance(value, str) != isinstance(pos_label, str) for value in found)):
        import difflib

        near = difflib.get_close_matches(
            quoted(pos_label, quotes=False).strip().casefold(), [_folded(value) for value in found], n=1, cutoff=0.4
        )
        meant = next((value for value in found if [_folded(value)] == near), min(found, key=lambda value: found[value]))
        text = f"the positive label {quoted(pos_label)} is not in {column.name}, which has {_shown(found)}"
        raise refuse("BR109", text, Fix.option(keyword, meant))
    if key is None and any(_folded(value) == _folded(pos_label) for value in found):
        text = f"the positive label {quoted(pos_label)} is written otherwise in {column.name}, which has {_shown(found)}"
        raise refuse("BR109", text, Fix.option(keyword, next(iter(found))))
    if key is None:
        return Decision(np.zeros(len(column), dtype=np.bool_), None)
    return Decision(np.asarray(column.values == key, dtype=np.bool_), key)


def _check_spelling(column: Column, found: dict[Any, int]) -> None:
    spellings = Counter(_folded(value) for value in found)
    word, count = spellings.most_common(1)[0] if spellings else ("", 0)
    if count > 1:
        variants = {value: cases for value, cases in found.items() if _folded(value) == word}
        fix = Fix("write each label in one way; of a file, normalize_labels=True", "--normalize-labels")
        raise refuse("BR108", f"{column.name} has {count} spellings of one label: {_shown(variants)}", fix)


def _check_kind(column: Column, found: dict[Any, int]) -> None:
    numbers = [_as_number(value) for value in found]  # a text file writes them as text
    if all(number is not None for number in numbers) and not all(number.is_integer() for number in numbers):
        low, high = min(numbers), max(numbers)
        text = f"{column.name} is fractional ({low:.6g} to {high:.6g}), not a label"
        raise refuse("BR106", text, Fix(f"count({column.name} >= 0.5, ...); of a file, label_threshold=0.5", "--label-threshold 0.5"))


def _as_number(value: Any) -> Any:
    """The float that a label is or spells, or None."""
    return spelled(value) if isinstance(value, str) else value if isinstance(value, float) else None


def _too_many(column: Column, found: dict[Any, int], positive: object) -> Exception:
    """With the positive label where the user named one; which of several it is, nobody can tell from the data."""
    one, said, others = "VALUE", "VALUE", "OTHERS"
    if positive is not None:
        one = repr(quoted(positive, quotes=False)) if isinstance(positive, str) else quoted(positive)
        said = shlex.quote(quoted(positive, quotes=False))
        if len(found) <= MOST_SHOWN:
            others = shlex.quote(",".join(quoted(value, quotes=False) for value in sorted(found, key=str) if value != positive))
    said = f"--positive {said} --negative {others}, or filter"
    fix = Fix(f"count({column.name} == {one}, ...) for one against the rest, or filter", said)
    return refuse("BR103", f"{column.name} has {grouped(len(found))} values ({_shown(found)}); need 2", fix)


def _shown(found: dict[Any, int]) -> str:
    shown = ", ".join(f"{quoted(value)} ({grouped(count)})" for value, count in list(found.items())[:MOST_SHOWN])
    return shown + (" …" if len(found) > MOST_SHOWN else "")


def fitting(positive: Any, labels: Array) -> Any:
    """The positive label as the column has its values: a command line knows only text, and a text file has no types."""
    if not isinstance(positive, str):
        return str(positive) if isinstance(positive, int) and not isinstance(positive, bool) and _is_text(labels) else positive
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
