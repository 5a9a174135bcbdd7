"""What an accepted mutant comes to by another reader: our own naive ones for text and SQLite, other
libraries for the rest.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.fuzzing import naive_counts, naive_sqlite
from benchmarks.fuzzing.naive_counts import Cells, Reading, Said
from benchmarks.fuzzing.naive_text import Broken
from benchmarks.fuzzing.seeds import Seed

AGREES, UNCHANGED, UNREAD, DIFFERS = "agrees", "unchanged", "no peer reads it", "differs"
TEXT = ("csv", "tsv", "jsonl", "csv-fast")


def verdict(seed: Seed, data: bytes, found: Reading, whole: Reading | None) -> tuple[str, str]:
    """Whether a reading of a mutant is right, and what was expected; `whole` is the reading of the
    seed.

    Text is held against the naive readers, and has to agree with them. A bit of a binary file
    without checksums is another value by right: there another library has to see the same, or the
    damage has changed nothing. With checksums nothing may have changed.
    """
    said = Said(positive=seed.positive, options=seed.options)
    if seed.format in TEXT or seed.format.startswith("csv."):
        return _of_text(seed, data, found, said)
    if seed.name.startswith("checked") and found != whole:
        return DIFFERS, "other values in spite of checksums"
    refused, differing = [], []
    for peer, read in _peers(seed):
        try:
            expected = read(data)
        except BaseException as error:  # noqa: BLE001 (a peer may panic: that is its own affair)
            refused.append(f"{peer}: {type(error).__name__}: {error}"[:200])
            continue
        if expected == found.cells:
            return AGREES, peer
        differing.append(f"{peer}: {expected}")
    if whole is not None and found == whole:
        return UNCHANGED, "; ".join([*refused, *differing])
    return (DIFFERS, "; ".join(differing)) if differing else (UNREAD, "; ".join(refused))


def _of_text(seed: Seed, data: bytes, found: Reading, said: Said) -> tuple[str, str]:
    try:
        inside = unpacked(data, seed.format.partition(".")[2])
        expected = (
            naive_counts.of_json(inside, said)
            if seed.format == "jsonl"
            else naive_counts.of_delimited(inside, said)
        )
    except Broken as error:
        return DIFFERS, f"should have been refused: {error}"
    return (AGREES, "") if expected == found else (DIFFERS, repr(expected))


def unpacked(data: bytes, how: str) -> bytes:
    """What a compressed file holds, by the shortest way there is."""
    ways: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        "gz": gzip.decompress,
        "bz2": bz2.decompress,
        "xz": lzma.decompress,
        "zip": _of_zip,
    }
    try:
        return _of_zst(data) if how == "zst" else ways[how](data)
    except Exception as error:  # noqa: BLE001 (every library has its own)
        raise Broken(f"cannot be unpacked: {error}") from None


def _of_zip(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (member,) = archive.infolist()
        return archive.read(member)


def _of_zst(data: bytes) -> bytes:
    import zstandard

    with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
        data, read_across_frames=True
    ) as stream:
        return bytes(stream.read())


def _peers(seed: Seed) -> Iterator[tuple[str, Callable[[bytes], Cells]]]:
    if seed.format == "parquet":
        yield "pyarrow", lambda data: _cells(_by_pyarrow(data))
        yield "polars", lambda data: _cells(_by_polars(data, "parquet"))
    elif seed.format == "arrow":
        yield (
            "polars",
            lambda data: _cells(
                _by_polars(data, "stream" if seed.name.startswith("stream") else "ipc")
            ),
        )
    elif seed.format == "npz":
        yield "numpy", lambda data: _cells(_by_numpy(data))
    elif seed.format == "sqlite":
        yield "our own", lambda data: _cells(naive_sqlite.table(data, seed.asked))
    elif seed.format == "counts":
        yield "our own", _of_saved


def _cells(columns: dict[str, Any]) -> Cells:
    return naive_counts.cells(columns["y"], columns["s"])


def _by_pyarrow(data: bytes) -> dict[str, list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    read = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read(
        columns=["y", "s"], use_threads=False
    )
    read.validate(full=True)
    return {name: read[name].to_pylist() for name in ("y", "s")}


def _by_polars(data: bytes, kind: str) -> dict[str, list[Any]]:
    import polars as pl

    readers: dict[str, Callable[..., Any]] = {
        "parquet": pl.read_parquet,
        "ipc": pl.read_ipc,
        "stream": pl.read_ipc_stream,
    }
    read = readers[kind](io.BytesIO(data), columns=["y", "s"])
    return {name: read[name].to_list() for name in ("y", "s")}


def _by_numpy(data: bytes) -> dict[str, list[Any]]:
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {name: archive[name].tolist() for name in ("y", "s")}


def _of_saved(data: bytes) -> Cells:
    """The cells of saved counts (docs/reference/file-format.md); of several models or groups, of
    all of them together.
    """
    start = len(b"baserate-counts-file-1\n") + 8
    length = int.from_bytes(data[start - 8 : start], "little")
    head = json.loads(data[start : start + length])
    arrays, place = {}, start + length
    for entry in head["arrays"]:
        kind = {"<i8": "q", "<f8": "d"}[entry["dtype"]]
        arrays[entry["name"]] = struct.unpack_from(f"<{entry['length']}{kind}", data, place)
        place += 8 * entry["length"]
    scores = arrays.get("scores") or next(
        values for name, values in arrays.items() if name.startswith("scores ")
    )
    merged: dict[float, list[float]] = {}
    for score, ours, theirs in zip(scores, arrays["positives"], arrays["negatives"], strict=True):
        cell = merged.setdefault(score, [0, 0])
        cell[0], cell[1] = cell[0] + ours, cell[1] + theirs
    return tuple(
        (score, ours, theirs)
        for score, (ours, theirs) in sorted(merged.items(), reverse=True)
        if ours or theirs
    )  # type: ignore[misc]
