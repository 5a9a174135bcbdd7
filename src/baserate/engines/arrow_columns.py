"""Columns of Arrow as arrays that keep every value: decimals are spelled out, dictionaries read through, and nulls never become numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.coded import PROBE, decoded
from baserate.engines.extras import needed
from baserate.engines.typed import Kind, from_spelled, objects, with_none


def kind_of(of_type: Any) -> Kind:
    """What the values of an Arrow type are."""
    types = needed("pyarrow.types", "arrow")
    if types.is_dictionary(of_type):
        return kind_of(of_type.value_type)
    if hasattr(of_type, "storage_type"):  # an extension says how to read its values; only its plain storage is looked at
        spoken = {"numeric": Kind.SPELLED, "arrow.uuid": Kind.TEXT}
        name = getattr(of_type, "type_name", None) or of_type.extension_name
        return spoken.get(name) or kind_of(of_type.storage_type)
    tests = {
        Kind.NUMBERS: (types.is_boolean, types.is_integer, types.is_floating, types.is_null),
        Kind.SPELLED: (types.is_decimal,),
        Kind.TEXT: (types.is_string, types.is_large_string, getattr(types, "is_string_view", types.is_string)),
        Kind.TIMES: (types.is_temporal,),
        Kind.BYTES: (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, getattr(types, "is_binary_view", types.is_binary)),
    }
    return next((kind for kind, each in tests.items() if any(test(of_type) for test in each)), Kind.OTHER)


def from_arrow(column: Any, kind: Kind) -> Array:
    """A whole column (a ChunkedArray) as NumPy holds it, or as objects with None for what is missing."""
    pa = needed("pyarrow", "arrow")
    if getattr(column.type, "extension_name", "") == "arrow.uuid":
        return objects([None if value is None else str(value) for value in column.to_pylist()])
    if hasattr(column.type, "storage_type"):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], type=column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        return _through_dictionary(column, kind)
    if kind is Kind.SPELLED:
        return from_spelled(column.cast(pa.string()).to_pylist(), digits=getattr(column.type, "precision", 99))
    if kind is not Kind.NUMBERS:
        return _shared(column.cast(pa.string()))
    if not column.null_count:
        return np.asarray(column.to_numpy())
    if pa.types.is_floating(column.type):
        gone = np.asarray(column.is_null().to_numpy())
        return with_none(np.asarray(column.fill_null(0).to_numpy()), gone)
    return objects(column.to_pylist())  # as floats, whole numbers beside nulls would be rounded


def _shared(column: Any) -> Array:
    """Text of which each distinct value is made once where there are few of them: a row then needs 8 bytes and not 60."""
    few = column.slice(0, PROBE).combine_chunks().dictionary_encode()
    if 2 * len(getattr(few, "dictionary", ())) > len(few):
        return objects(column.to_pylist())
    return _through_dictionary(column.dictionary_encode(), Kind.TEXT)


def _through_dictionary(column: Any, kind: Kind) -> Array:
    """Each distinct value is made once; the rows share it."""
    pieces = list[Array]()
    for chunk in column.chunks:
        values = _values(chunk.dictionary, kind)
        gone = np.asarray(chunk.is_null().to_numpy(zero_copy_only=False))
        places = np.asarray(chunk.indices.fill_null(0).to_numpy(zero_copy_only=False))
        if values.dtype == object or not len(values):
            pieces.append(decoded(values, places, gone))
        else:
            pieces.append(with_none(values[places], gone) if gone.any() else values[places])
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, dtype=object)


def _values(dictionary: Any, kind: Kind) -> Array:
    pa = needed("pyarrow", "arrow")
    return objects(dictionary.cast(pa.string()).to_pylist()) if kind is Kind.TEXT else from_arrow(pa.chunked_array([dictionary]), kind)
