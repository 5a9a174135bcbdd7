"""One column from whatever a user holds (lists, arrays, Series, tensors), and what a column of a
type may be used for.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from importlib.util import find_spec
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from baserate.counts.cells import Array
from baserate.errors import Fix, InputError, grouped, quoted, refuse
from baserate.kernels import best
from baserate.numbers import EXACT_FLOATS, INT64_MAX
from baserate.read.table import Late

nw: Any = Late("narwhals.stable.v2")

# ----------------------------------------------------------------------
# One column from whatever a user holds: lists, arrays, Series and tensors, through protocols and
# never by guessing.


PIECE = 1 << 16  # rows that are Python objects at a time
NUMBER, FLAG, WORD = "numbers", "true or false", "text"


@dataclass(frozen=True)
class Column:
    """Flat values under the name a message should call them by, and where they are missing (None:
    nowhere).
    """

    name: str
    values: Array
    missing: npt.NDArray[np.bool_] | None = None
    index: Any = None  # the pandas index, where there is one
    encoded: tuple[list[Any], Array] | None = None  # `coded`, where a frame has it

    def __len__(self) -> int:
        return len(self.values)

    def only(self, rows: Array) -> Column:
        """These rows alone."""
        return Column(
            self.name, self.values[rows], None if self.missing is None else self.missing[rows]
        )

    def inferred(self) -> Column:
        """The same with a plain type, where Python objects are all of one kind."""
        if self.values.dtype.kind != "O":
            return self
        words, codes = self.coded
        plain = _from_list(words, self.name)
        if plain.ndim != 1 or plain.dtype.kind == "O":
            return self
        return replace(self, values=plain[codes], encoded=None)

    @cached_property
    def coded(self) -> tuple[list[Any], Array]:
        """The values there are, and for each row the place of its own among them. Numbers and
        objects that are equal may be there more than once, and every one where they are many.
        """
        if self.encoded is not None:
            return self.encoded
        found = best.distinct(self.values)
        if found is None:
            return self.values.tolist(), np.arange(len(self))
        return self.values[found[0]].tolist(), found[1]

    def where(self, test: Callable[[Any], bool]) -> npt.NDArray[np.bool_]:
        """The rows whose value passes a test, called once per value where these are few."""
        words, codes = self.coded
        return np.fromiter(map(test, words), dtype=np.bool_)[codes]

    def missing_rows(self) -> npt.NDArray[np.intp]:
        """Positions without a value: masked, null, None, NaN or blank text."""
        gone = np.zeros(len(self), dtype=np.bool_) if self.missing is None else self.missing
        if self.values.dtype.kind == "f":
            gone = gone | np.isnan(self.values)
        elif self.values.dtype.kind in "mM":
            gone = gone | np.isnat(self.values)
        elif self.values.dtype.kind in "OTU":
            gone = gone | self.where(is_missing)
        return np.flatnonzero(gone)


def is_missing(value: object) -> bool:
    """None, NaN, blank text, and the missing values of pandas, without importing it."""
    if isinstance(value, str):
        return not value.strip()
    return (
        value is None
        or type(value).__name__ in {"NAType", "NaTType"}
        or (isinstance(value, float | np.floating) and bool(np.isnan(value)))
        or (isinstance(value, Decimal) and value.is_nan())
    )


def kind_of_value(value: object) -> str:
    """What a value is in the eyes of a user, who sees a column: a number, true or false, a text, or
    what its type is called.
    """
    if isinstance(value, bool | np.bool_):
        return FLAG
    if isinstance(value, int | float | np.number):
        return NUMBER
    return WORD if isinstance(value, str) else type(value).__name__


def mixed(code: str, name: str, kinds: Counter[str], rarest: list[int]) -> InputError:
    """The error for a column of several kinds, with the rows of the rarest: that is most likely
    where it went wrong.
    """
    shown = ", ".join(f"{kind} ({grouped(count)})" for kind, count in kinds.most_common())
    labels = Fix(
        "convert the labels to one type; for a file or frame, cast_labels=True", "--cast-labels"
    )
    fix = labels if code == "BR107" else "write nothing but numbers in that column"
    return refuse(code, f"{name} mixes types: {shown}", fix, rarest[:3], len(rarest))


def is_masked_array(values: Any) -> TypeGuard[np.ma.MaskedArray[Any, Any]]:
    """Whether this is an array of `numpy.ma`, which takes long to load: where nobody has, it is
    none.
    """
    return "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray)


def mask_of(values: Any) -> Array | None:
    """Where values are masked; None where none is."""
    gone = np.ma.getmaskarray(values) if is_masked_array(values) else None
    return gone if gone is not None and gone.any() else None


def as_column(data: object, name: str) -> Column:
    """One flat column, or the reason why it is not."""
    try:
        return _column(data, name)
    except InputError:
        raise
    except Exception as error:  # whatever a foreign library raises, the user gets one line of ours
        wrong = quoted(str(error), quotes=False)
        raise refuse(
            "BR219",
            f"{name} cannot be read as an array: {wrong}",
            "convert it to a NumPy array first",
        ) from error


def _column(data: object, name: str) -> Column:
    if is_masked_array(data):
        masked = _flat(np.asarray(data.data), name)
        return Column(name, masked, _flat(np.ma.getmaskarray(data), name))
    if isinstance(data, np.ndarray):
        return Column(name, _flat(data, name))
    if isinstance(data, list | tuple | range):
        return Column(name, _flat(_from_list(data, name), name))
    return _from_frame(data, name) or Column(name, _flat(_from_protocol(data), name))


def _from_list(data: Iterable[Any], name: str) -> Array:
    """NumPy's reading of a list, except of text, and where it would round whole numbers in
    silence.
    """
    # Text stays as Python has it: NumPy's would cut trailing NULs, and give every value the room of
    # the longest.
    types = set(map(type, data))
    if any(issubclass(kind, str | bytes) for kind in types):
        return objects(list(data))
    try:
        array = np.asarray(data)
    except ValueError:
        raise refuse(
            "BR219", f"{name} is a list of lists of different lengths", "give one value per case"
        ) from None
    if array.ndim != 1 or array.dtype.kind == "O":
        return array
    rounded = array.dtype.kind == "f" and any(
        isinstance(value, int | np.integer) and abs(int(value)) > EXACT_FLOATS for value in data
    )
    flagged = array.dtype.kind in "iuf" and not types.isdisjoint({bool, np.bool_})
    return objects(list(data)) if rounded or flagged else array


def _from_frame(data: Any, name: str) -> Column | None:
    """A Series of pandas, polars, pyarrow or whatever else narwhals knows; a DataFrame of one
    column stands for that column.
    """
    if type(data).__module__.startswith("pyarrow") and type(data).__name__.endswith("Array"):
        import pyarrow as pa

        data = data if isinstance(data, pa.ChunkedArray) else pa.chunked_array([data])
    native = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        if native.shape[1] != 1:
            raise refuse(
                "BR204",
                f"{name} has {native.shape[1]} columns: which one?",
                f"pass one column of {', '.join(map(quoted, native.columns[:4]))}",
            )
        native = native[native.columns[0]]
    if not isinstance(native, nw.Series):
        return None
    if getattr(native.to_native(), "dtype", None) == np.dtype(object):
        # What is missing is seen by its value.
        return Column(name, native.to_numpy(), index=nw.maybe_get_index(native))
    nulls = np.asarray(native.is_null().to_numpy(), dtype=np.bool_)
    gone, index = nulls if nulls.any() else None, nw.maybe_get_index(native)
    if native.dtype in (nw.String, nw.Categorical, nw.Enum) and find_spec("pyarrow") is not None:
        words, codes = _encoded(native.to_arrow(), len(native))
        if all(isinstance(word, str) for word in words):  # categories may be numbers or times
            # A word that no row has is no value of the column.
            every = gone is None and native.dtype == nw.String
            values = objects([*words, None])[codes]
            return Column(name, values, gone, index, encoded=(words, codes) if every else None)
    # With nulls among them, whole numbers would become floats and merge; a list keeps them as they
    # are.
    values = np.asarray(native.to_numpy()) if gone is None else objects(native.to_list())
    return Column(name, values, gone, index)


def _encoded(text: Any, rows: int) -> tuple[list[Any], Array]:
    """The words of Arrow's text or categories, and for each row the place of its own, beyond the
    last where it is missing: no text is made for every row.
    """
    import pyarrow as pa

    if not rows:
        return [], np.empty(0, dtype=np.int32)
    encoded = text if pa.types.is_dictionary(text.type) else text.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    words = encoded.dictionary.to_pylist()
    return words, encoded.indices.fill_null(len(words)).to_numpy()


def _from_protocol(data: Any) -> Array:
    """Sparse matrices, tensors and other arrays."""
    if hasattr(data, "toarray"):
        return np.asarray(data.toarray())
    if hasattr(data, "__array__") or not hasattr(data, "__dlpack__"):
        return np.asarray(data)
    return np.asarray(np.from_dlpack(data))


def _flat(array: Array, name: str) -> Array:
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2:
        fix = f"pass one column, such as {name}[:, 1]"
        if len(array) < array.shape[1]:  # scores of several models, one after the other
            fix = '{"a": first, "b": second} for the scores of several models'
        raise refuse("BR204", f"{name} has {array.shape[1]} columns: which one?", fix)
    if array.ndim != 1:
        found = type(array.item()).__name__ if array.ndim == 0 else f"{array.ndim} dimensions"
        raise refuse(
            "BR219",
            f"{name} must be one-dimensional, got {found}",
            "give a list, array or Series with one value per case",
        )
    # Kernels expect "d", and an array of ctypes calls it "<d".
    named = array.dtype.byteorder in "<>"
    return array.astype(array.dtype.newbyteorder("=")) if named else array


def check_lengths(columns: Iterable[Column]) -> None:
    """Every column speaks of the same cases."""
    lengths = [(column.name, len(column)) for column in columns]
    if len({length for _, length in lengths}) > 1:
        found = ", ".join(f"{name} {grouped(length)}" for name, length in lengths)
        raise refuse("BR212", f"lengths differ: {found}", "give one value per case in each")


def check_indexes(columns: Iterable[Column]) -> None:
    """Two pandas indexes that differ mean that rows would be paired wrongly."""
    indexed = [column for column in columns if column.index is not None]
    for column in indexed[1:]:
        first = indexed[0]
        if not first.index.equals(column.index):
            shared = len(first.index.intersection(column.index))
            order = ", in another order" if shared == len(first) == len(column) else ""
            raise refuse(
                "BR211",
                f"the indexes of {first.name} and {column.name} differ ({grouped(shared)} of"
                f" {grouped(len(first))} shared{order})",
                f"{column.name}.reindex({first.name}.index), or .to_numpy() on each if the order is"
                " right",
            )


def group_codes(column: Column) -> tuple[tuple[Hashable, ...], Array]:
    """The distinct values, and for each case the place of its own among them; missing values are a
    group named None.
    """
    try:
        names, codes = distinct(column, partial(_names, fine=_is_fine(column.values)))
    except TypeError:
        raise refuse(
            "BR413",
            f"{column.name} holds values that cannot name a group",
            "name groups by text or numbers",
        ) from None
    whole = column.values.dtype.kind in "iu" and column.missing is None
    return tuple(names if whole else map(_whole, names)), codes


def distinct(
    column: Column, listed: Callable[[Array], list[Any]] = np.ndarray.tolist
) -> tuple[list[Any], Array]:
    """The distinct values as Python has them, and for each row the place of its own among them;
    None stands for what is missing.
    """
    known = None if column.missing is None else np.flatnonzero(~column.missing)
    values = column.values if known is None else column.values[known]
    firsts, codes = best.distinct(values) or _first_rows(values)
    words = listed(values[firsts])
    if values.dtype.kind in "mM":
        words = [
            None if gone else word
            for word, gone in zip(words, np.isnat(values[firsts]), strict=True)
        ]
    places = dict[Any, int]()
    merged = [places.setdefault(None if is_missing(w) else w, len(places)) for w in words]
    if len(places) < len(words):
        codes = np.array(merged, dtype=codes.dtype)[codes]
    if known is not None:
        every = np.full(len(column), places.setdefault(None, len(places)), dtype=np.int64)
        every[known] = codes
        codes = every
    return list(places), codes


def _first_rows(values: Array) -> tuple[Array, Array]:
    """Where each of many distinct values stands first, and the number of each row's."""
    if values.dtype.kind not in "OT":
        _, firsts, codes = np.unique(values, return_index=True, return_inverse=True)
        return firsts, codes
    places, seen = dict[Any, int](), list[int]()
    codes = np.empty(len(values), dtype=np.int64)
    for row, value in enumerate(values.tolist()):
        codes[row] = places.setdefault(None if is_missing(value) else value, len(places))
        if len(seen) < len(places):
            seen.append(row)
    return np.array(seen, dtype=np.int64), codes


def _is_fine(values: Array) -> bool:
    """Whether there are times that Python has no type for."""
    return values.dtype.kind == "M" and bool(
        ((values.astype("datetime64[us]") != values) & ~np.isnat(values)).any()
    )


def _names(values: Array, *, fine: bool) -> list[Any]:
    """Names of groups as Python values: times as text where Python has no type that holds them."""
    if fine:
        values = np.datetime_as_string(values)
    elif values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] != "D":
        values = values.astype("datetime64[us]")
    listed: list[Any] = values.tolist()
    return listed


def _whole(name: Any) -> Any:
    """Whole numbers are integers."""
    return int(name) if isinstance(name, float) and name.is_integer() else name


def as_text(ids: Any) -> list[str]:
    """Ids as they are written, so that "007" is not "7"; whole numbers of typed sources as their
    digits; nothing for a missing one.
    """
    return [
        value if isinstance(value, str) else _digits(value) for value in np.asarray(ids).tolist()
    ]


def _digits(value: object) -> str:
    if is_missing(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


# ----------------------------------------------------------------------
# Texts of which there are few.


def with_gaps(
    values: Sequence[Any] | Array, codes: Array, gone: Array | None
) -> tuple[Array, Array]:
    """The values with None behind them where rows are gone, and the codes that say so, whatever
    they said there before.
    """
    held = np.empty(len(values) + 1, dtype=object)  # the last one is None
    held[:-1] = values
    if gone is None or not gone.any():
        return held[:-1], codes
    narrow = codes.astype(np.min_scalar_type(len(values)))
    narrow[gone] = len(values)
    return held, narrow


def from_codes(values: Sequence[Any] | Array, codes: Array, gone: Array | None = None) -> Array:
    """Texts from their codes; None where they are gone, whatever the code there says."""
    held, places = with_gaps(values, codes, gone)
    return np.asarray(held[places])


# ----------------------------------------------------------------------
# Numbers that come spelled out because no float holds them.


# As many decimal digits always survive a float64, and as many tell two of them apart.
SAFE_DIGITS, FLOAT_DIGITS = 15, 17


def with_none(values: Array, gone: Array) -> Array:
    """Values with missing ones among them: NaN where floats have it, None elsewhere, so that
    nothing is mistaken for a value.
    """
    if values.dtype.kind == "f":
        return np.where(gone, values.dtype.type(np.nan), values)
    held = np.asarray(values, dtype=object)
    held[gone] = None
    return held


def objects(values: Sequence[Any]) -> Array:
    """Python values as they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def from_spelled(texts: Sequence[str | None], *, digits: int = SAFE_DIGITS + 1) -> Array:
    """Numbers from their decimal spelling: whole ones exactly, others as floats. Where those round
    whole numbers, or more digits than they keep, all stay text, to be looked at.
    """
    known = [text for text in texts if text is not None]
    missing = len(known) < len(texts)
    if all(text.lstrip("-").isdecimal() for text in known):
        whole = [None if text is None else int(text) for text in texts]
        return (
            objects(whole)
            if missing or any(abs(number or 0) > INT64_MAX for number in whole)
            else np.array(whole, dtype=np.int64)
        )
    if digits > SAFE_DIGITS and not all(map(_is_kept, set(known))):
        return objects(texts)
    return np.array([np.nan if text is None else float(text) for text in texts], dtype=np.float64)


def _is_kept(text: str) -> bool:
    """Whether a float holds a whole number exactly, or has as many digits as another number."""
    number = Decimal(text)
    if number.is_finite() and number == number.to_integral_value():
        return Decimal(float(number)) == number
    return significant_digits(text) <= FLOAT_DIGITS


def significant_digits(text: str) -> int:
    """How many digits of a number written as text count."""
    if len(text) <= FLOAT_DIGITS:
        return 0
    digits = text.casefold().partition("e")[0].strip().lstrip("+-").replace(".", "")
    return len(digits.strip("0")) if digits.isdecimal() else 0
