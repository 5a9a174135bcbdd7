"""NumPy's .npz: a zip of arrays. Only the requested ones are read, never anything pickled, and
never more bytes than were promised.
"""

from __future__ import annotations

import errno
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import InputError, grouped, quoted, refuse_file
from baserate.read.streams import fill
from baserate.read.table import (
    ColumnRoles,
    Kind,
    check_columns,
    check_use,
    misused,
)

ENDING = ".npy"
# Bytes that compressed arrays may come to; what a file stores uncompressed has shown that it is
# there.
MOST_BYTES = 2_000_000_000
MOST_HEADER = 10_000
ENCRYPTED_FLAG = 1
COPY = "get a whole copy of the file, or write it again with numpy.savez"
SAVE = "write it again with numpy.savez, one plain array a column"
KINDS = {
    **dict.fromkeys("biuf", Kind.NUMBERS),
    "U": Kind.TEXT,
    "M": Kind.TIMES,
    "m": Kind.TIMES,
    "S": Kind.BYTES,
}


def read_npz(path: str, wanted: ColumnRoles, *, most_bytes: int = MOST_BYTES) -> dict[str, Array]:
    """The requested arrays, each one-dimensional and as long as the others."""
    with _refused(path), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        check_columns(
            path, [member.filename.removesuffix(ENDING) for member in members], wanted.columns
        )
        places = {member.filename.removesuffix(ENDING): member for member in members}
        chosen = {name: places[name] for name in wanted.columns}
        _check_size(path, list(chosen.values()), most_bytes)
        columns = {
            name: _array(path, archive, name, member, wanted) for name, member in chosen.items()
        }
    _check_lengths(path, columns)
    return columns


def _check_size(path: str, members: list[zipfile.ZipInfo], most_bytes: int) -> None:
    promised, limit = (
        sum(member.file_size for member in members),
        max(most_bytes, os.path.getsize(path)),  # noqa: PTH202
    )
    if promised > limit:
        text = f"would come to {grouped(promised)} bytes uncompressed, more than {grouped(limit)}"
        raise refuse_file(
            path,
            "BR702",
            text,
            "save the arrays with numpy.savez, uncompressed, if they are meant to be that large",
        )
    for member in members:
        if member.flag_bits & ENCRYPTED_FLAG:
            raise refuse_file(path, "BR703", "is encrypted", "decrypt it first")
        if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise refuse_file(path, "BR703", "is compressed in a way that NumPy never writes", SAVE)


def _array(
    path: str, archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo, wanted: ColumnRoles
) -> Array:
    with archive.open(member) as stream:
        length, of_type = _header(path, name, stream, wanted)
        size = length * of_type.itemsize
        if size != member.file_size - stream.tell():
            text = (
                f"{quoted(name)} should have {grouped(size)} bytes and has"
                f" {grouped(member.file_size - stream.tell())}"
            )
            raise refuse_file(path, "BR703", text, COPY)
        values = np.empty(length, dtype=of_type)
        if size:
            fill(stream, memoryview(values.view(np.uint8)))  # type: ignore[arg-type]
        stream.read(1)  # at the end of a member its checksum is verified
    if values.dtype == np.longdouble:
        return _narrowed(path, name, values)
    return _plain(values)


def _narrowed(path: str, name: str, values: Array) -> Array:
    """Float64 from wider floats, unless two different ones become the same."""
    narrow = values.astype(np.float64)
    if len(np.unique(narrow)) < len(np.unique(values)):
        text = f"{quoted(name)}: distinct values would merge in float64"
        raise refuse_file(path, "BR215", text, "convert to float64 yourself, if that is meant")
    return narrow


def _header(
    path: str, name: str, stream: IO[bytes], wanted: ColumnRoles
) -> tuple[int, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    read = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, of_type = read(stream, max_header_size=MOST_HEADER)
    if of_type.hasobject:
        raise refuse_file(
            path,
            "BR705",
            f"{quoted(name)} holds pickled objects, which can run code: not read",
            SAVE,
        )
    if len(shape) != 1:
        raise refuse_file(
            path, "BR219", f"{quoted(name)} has {len(shape)} dimensions instead of 1", SAVE
        )
    kind = KINDS.get(of_type.kind, Kind.OTHER)
    check_use(path, name, kind, wanted)
    if of_type.kind == "m" or (of_type.itemsize == 0 and shape[0]):
        raise misused(path, name, "durations" if of_type.kind == "m" else "nothing", wanted)
    return int(shape[0]), of_type


def _plain(values: Array) -> Array:
    """Text as Python's, times as text, and numbers in the byte order of this machine."""
    if values.dtype.kind == "U":
        return values.astype(object)
    if values.dtype.kind == "M":
        texts = np.datetime_as_string(values).astype(object)
        texts[np.isnat(values)] = None
        return texts
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _check_lengths(path: str, columns: dict[str, Array]) -> None:
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{quoted(name)} {grouped(length)}" for name, length in lengths.items())
        raise refuse_file(
            path, "BR212", f"lengths differ: {found}", "save arrays with one value per case in each"
        )
    if not next(iter(lengths.values())):
        raise refuse_file(path, "BR602", "has arrays but no rows", "give a file with cases")


@contextmanager
def _refused(path: str) -> Iterator[None]:
    """Whatever a damaged zip or header makes Python raise becomes one line of ours."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        if (
            isinstance(error, OSError) and error.errno != errno.EINVAL
        ):  # places outside of the file come from a damaged directory
            raise
        raise refuse_file(
            path,
            "BR703",
            f"is not a whole .npz: {quoted(str(error) or type(error).__name__, quotes=False)}",
            COPY,
        ) from error
