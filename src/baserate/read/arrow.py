"""Arrow columns and files (IPC, streams, Feather), validated in full and read without loss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import InputError, quoted, refuse_file
from baserate.read.columns import from_codes, from_spelled, objects, with_none
from baserate.read.table import (
    PROBE,
    ColumnRoles,
    Kind,
    check_columns,
    check_use,
    needed,
)

# ----------------------------------------------------------------------
# Columns of Arrow as arrays that keep every value: decimals are spelled out, dictionaries read
# through, and nulls never become numbers.


def arrow_kind(of_type: Any) -> Kind:
    """What the values of an Arrow type are."""
    types = needed("pyarrow.types", "arrow")
    if types.is_dictionary(of_type):
        return arrow_kind(of_type.value_type)
    if hasattr(
        of_type, "storage_type"
    ):  # an extension says how to read its values; only its plain storage is looked at
        spoken = {"numeric": Kind.SPELLED, "arrow.uuid": Kind.TEXT}
        name = getattr(of_type, "type_name", None) or of_type.extension_name
        return spoken.get(name) or arrow_kind(of_type.storage_type)
    tests = {
        Kind.NUMBERS: (types.is_boolean, types.is_integer, types.is_floating, types.is_null),
        Kind.SPELLED: (types.is_decimal,),
        Kind.TEXT: (
            types.is_string,
            types.is_large_string,
            getattr(types, "is_string_view", types.is_string),
        ),
        Kind.TIMES: (types.is_temporal,),
        Kind.BYTES: (
            types.is_binary,
            types.is_large_binary,
            types.is_fixed_size_binary,
            getattr(types, "is_binary_view", types.is_binary),
        ),
    }
    return next(
        (kind for kind, each in tests.items() if any(test(of_type) for test in each)), Kind.OTHER
    )


def from_arrow(column: Any, kind: Kind) -> Array:
    """A whole column (a ChunkedArray) as NumPy holds it, or as objects with None for what is
    missing.
    """
    pa = needed("pyarrow", "arrow")
    if getattr(column.type, "extension_name", "") == "arrow.uuid":
        return objects([None if value is None else str(value) for value in column.to_pylist()])
    if hasattr(column.type, "storage_type"):
        column = pa.chunked_array(
            [chunk.storage for chunk in column.chunks], type=column.type.storage_type
        )
    if pa.types.is_dictionary(column.type):
        return _through_dictionary(column, kind)
    if kind is Kind.SPELLED:
        return from_spelled(
            column.cast(pa.string()).to_pylist(), digits=getattr(column.type, "precision", 99)
        )
    if kind is not Kind.NUMBERS:
        return _shared(column.cast(pa.string()))
    if not column.null_count:
        return np.asarray(column.to_numpy())
    if pa.types.is_floating(column.type):
        gone = np.asarray(column.is_null().to_numpy())
        return with_none(np.asarray(column.fill_null(0).to_numpy()), gone)
    return objects(column.to_pylist())  # as floats, whole numbers beside nulls would be rounded


def _shared(column: Any) -> Array:
    """Text of which each distinct value is made once where there are few of them: a row then needs
    8 bytes and not 60.
    """
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
            pieces.append(from_codes(values, places, gone))
        else:
            pieces.append(with_none(values[places], gone) if gone.any() else values[places])
    return (
        pieces[0]
        if len(pieces) == 1
        else np.concatenate(pieces)
        if pieces
        else np.empty(0, dtype=object)
    )


def _values(dictionary: Any, kind: Kind) -> Array:
    pa = needed("pyarrow", "arrow")
    return (
        objects(dictionary.cast(pa.string()).to_pylist())
        if kind is Kind.TEXT
        else from_arrow(pa.chunked_array([dictionary]), kind)
    )


# ----------------------------------------------------------------------
# Arrow's own files: IPC files, IPC streams and Feather (version 2). Everything is validated in full
# before a value is used.


MAGIC, OLD_FEATHER = b"ARROW1", b"FEA1"
STREAM_END = b"\xff\xff\xff\xff\0\0\0\0"
AHEAD, MESSAGE = (
    8,
    b"\xff\xff\xff\xff",
)  # bytes of magic and padding before the schema, and how a message begins
COPY = "get a whole copy of the file, or write it again"


def read_arrow(path: str, wanted: ColumnRoles) -> dict[str, Array]:
    """The requested columns of an Arrow or Feather file, or of a stream that was saved."""
    with _refused(path):
        table = _table(path, wanted)
        kinds = {name: arrow_kind(table.schema.field(name).type) for name in wanted.columns}
        for name, kind in kinds.items():
            check_use(path, name, kind, wanted)
        table.validate(full=True)
        if not table.num_rows:
            raise refuse_file(path, "BR602", "has columns but no rows", "give a file with cases")
        return {name: from_arrow(table.column(name), kind) for name, kind in kinds.items()}


def _table(path: str, wanted: ColumnRoles) -> Any:
    """The requested columns, unchecked. Read into memory, not mapped: a file that shrinks under a
    map kills the process.
    """
    pa = needed("pyarrow", "arrow")
    with pa.OSFile(path, "rb") as file:
        first = file.read(len(MAGIC))
        if first.startswith(OLD_FEATHER):
            raise refuse_file(
                path, "BR703", "is Feather of version 1", "write it again with version=2"
            )
        if first != MAGIC:
            _check_end(path, file)
        file.seek(0)
        open_reader = pa.ipc.open_file if first == MAGIC else pa.ipc.open_stream
        with open_reader(file) as reader:
            names = reader.schema.names
            if first == MAGIC:
                _check_schema(path, file, reader.schema)
            check_columns(path, names, wanted.columns)
            places = sorted(names.index(name) for name in wanted.columns)
        file.seek(0)
        with open_reader(
            file, options=pa.ipc.IpcReadOptions(included_fields=places, ensure_native_endian=True)
        ) as reader:
            return reader.read_all()


def _check_schema(path: str, file: Any, schema: Any) -> None:
    """A file holds its schema twice, ahead of the data and behind them: where they differ, numbers
    would be read as others.
    """
    file.seek(AHEAD)
    if (
        file.read(len(MESSAGE)) != MESSAGE
    ):  # by polars, which writes the first one in a form of its own
        return
    file.seek(AHEAD)
    with needed("pyarrow", "arrow").ipc.open_stream(file) as stream:
        if not stream.schema.equals(schema):
            raise refuse_file(path, "BR703", "is damaged: its two schemas differ", COPY)


def _check_end(path: str, file: Any) -> None:
    """A stream that was cut off between two batches reads like a whole one, but for the mark at its
    end.
    """
    file.seek(max(file.size() - len(STREAM_END), 0))
    if file.read() != STREAM_END:
        raise refuse_file(
            path, "BR703", "is not a whole Arrow file: no mark at its end (cut off?)", COPY
        )


@contextmanager
def _refused(path: str) -> Iterator[None]:
    """Whatever Arrow says of damaged bytes becomes one line of ours."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # The system's own, not Arrow's, which wants any amount of memory where the damage is in a
        # length.
        if (isinstance(error, OSError) and error.errno) or (
            isinstance(error, MemoryError) and "arrow" not in type(error).__module__
        ):
            raise
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise refuse_file(
            path, "BR703", f"is not a whole Arrow file: {quoted(text, quotes=False)}", COPY
        ) from error
