"""The file of saved counts: a line of magic, a JSON head, little-endian arrays, a SHA-256 of all of it. No pickle.

docs/file-format.md describes every byte. Arrays are named, and a reader refuses a name it does not know, so that a later version
can add some (`positive_amounts` and `negative_amounts` are reserved) and an earlier one cannot lose them in silence.
"""

from __future__ import annotations

import os
import stat
from typing import Any, NamedTuple

import numpy as np

from baserate.atomic import write_atomically
from baserate.cells import Array
from baserate.digests import little_endian, sha256
from baserate.errors import quoted, refuse_file

MAGIC = b"baserate-counts-file-1\n"
LENGTH = 8
CHECKSUM = 32
DTYPES = {"<i8": np.dtype("<i8"), "<f8": np.dtype("<f8")}
MOST_HEAD = 1 << 25


class Saved(NamedTuple):
    """What a file holds: its kind, its arrays by name, and everything else as plain values."""

    kind: str
    arrays: dict[str, Array]
    facts: dict[str, Any]


def write(path: str | os.PathLike[str], saved: Saved, magic: bytes = MAGIC) -> None:
    """Save, so that a kill at any moment leaves the old file or the new one."""
    import json

    arrays = [{"name": name, "dtype": array.dtype.newbyteorder("<").str, "length": len(array)} for name, array in saved.arrays.items()]
    head = json.dumps({"kind": saved.kind, "arrays": arrays, "facts": saved.facts}, allow_nan=False).encode()
    pieces: list[bytes | memoryview] = [magic, len(head).to_bytes(LENGTH, "little"), head, *map(little_endian, saved.arrays.values())]
    write_atomically(path, [*pieces, sha256(pieces)])


def read(path: str | os.PathLike[str]) -> Saved:
    """What was saved, or an error where the file is not one of ours or is damaged."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
        raise refuse_file(path, "BR615", "is not a regular file", "give a file written by save()")
    with open(path, "rb") as file:
        content = file.read()
    if not content.startswith(MAGIC[:-2]):
        raise refuse_file(path, "BR710", "is not a file of saved counts", "give a file written by save()")
    if not content.startswith(MAGIC):
        raise refuse_file(path, "BR712", "was saved by a later version of baserate, or is damaged", "update baserate, or count again")
    body, checksum = memoryview(content)[:-CHECKSUM], content[-CHECKSUM:]
    if sha256([body]) != checksum:
        raise refuse_file(path, "BR711", "is damaged or cut off: its checksum does not match", "count again, or restore the file from a copy")
    try:
        return parsed(body, len(MAGIC))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise refuse_file(path, "BR711", f"does not hold what its head says ({quoted(str(error), quotes=False)})", "count again") from None


def parsed(body: memoryview, begin: int) -> Saved:
    """What lies behind the magic; whatever is wrong with it raises one of a few errors of Python's."""
    import json

    start = begin + LENGTH
    length = int.from_bytes(body[begin:start], "little")
    if length > MOST_HEAD:
        raise ValueError("head too long")
    head = json.loads(bytes(body[start : start + length]))
    offset, arrays = start + length, {}
    for entry in head["arrays"]:
        dtype, items, name = DTYPES[entry["dtype"]], entry["length"], entry["name"]
        if type(items) is not int or not 0 <= items <= (len(body) - offset) // dtype.itemsize or type(name) is not str or name in arrays:
            raise ValueError("an array does not fit the file")
        array = np.frombuffer(body, dtype, items, offset) if items else np.empty(0, dtype)
        arrays[name] = array.astype(dtype.newbyteorder("="))
        offset += items * dtype.itemsize
    if offset != len(body):
        raise ValueError("bytes left over")
    return Saved(str(head["kind"]), arrays, dict(head["facts"]))
