"""Work on the rows of each partition, where they lie: little goes to it, and little comes back."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from baserate.cells import Array
from baserate.engines.extras import needed
from baserate.exact import Ints

ENTRIES = ("place", "extra", "value")
# Rows that are worked on at once: Spark hands out ten thousand at a time, which is too few to search many thousand places for.
PIECE = 1 << 20

Columns = Mapping[str, Array]


class Work(Protocol):
    """What is done in a partition: pieces of columns go in, three columns of whole numbers come out. It is sent to every worker."""

    def __call__(self, pieces: Iterator[Columns]) -> tuple[Ints, Ints, Ints]: ...


def over_partitions(frame: Any, work: Work) -> Any:
    """The entries that every partition gives, as a lazy frame in the same engine; a frame without partitions is one."""
    import narwhals.stable.v2 as nw

    native = frame.to_native()
    if frame.implementation.is_spark_like():
        return nw.from_native(_in_spark(native, work))
    if frame.implementation.is_dask():
        nothing = needed("pandas").DataFrame({name: np.empty(0, dtype=np.int64) for name in ENTRIES})
        return nw.from_native(native.map_partitions(_OfPandas(work), meta=nothing, enforce_metadata=False))
    found = work(gathered_pieces(_streamed(frame)))
    backend: Any = "pyarrow" if frame.implementation.is_duckdb() else frame.implementation
    return nw.from_dict(dict(zip(ENTRIES, found, strict=True)), backend=backend).lazy()


def _streamed(frame: Any) -> Iterator[Columns]:
    """The columns of a frame on this machine, batch by batch where its engine hands them out so."""
    import narwhals.stable.v2 as nw

    native = frame.to_native()
    if frame.implementation.is_duckdb():
        for batch in native.to_arrow_reader(PIECE):
            yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
        return
    batches = map(nw.from_native, native.collect_batches()) if hasattr(native, "collect_batches") else [frame.collect()]
    for batch in batches:
        yield {name: batch[name].to_numpy() for name in batch.columns}


def _in_spark(native: Any, work: Work) -> Any:
    schema = ", ".join(f"{name} long" for name in ENTRIES)
    with warnings.catch_warnings():
        # Spark asks for pandas, and doubts the newest, also where batches are Arrow's and pandas has no part in it.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        return native.mapInArrow(_OfArrow(work), schema)


class _OfArrow:
    """The work on the record batches that Spark hands to a Python worker."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        names = [*ENTRIES]
        pieces = ({name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names} for batch in batches)
        yield pa.RecordBatch.from_arrays([pa.array(column) for column in self.work(gathered_pieces(pieces))], names=names)


class _OfPandas:
    """The work on a partition of Dask."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def __call__(self, part: Any) -> Any:
        pieces = [{str(name): part[name].to_numpy() for name in part.columns}]
        return needed("pandas").DataFrame(dict(zip(ENTRIES, self.work(gathered_pieces(pieces)), strict=True)))


def gathered_pieces(pieces: Iterable[Columns]) -> Iterator[Columns]:
    """The same rows in pieces of about a million."""
    held: list[Columns] = []
    rows = 0
    for piece in _cut(pieces):
        held.append(piece)
        rows += len(next(iter(piece.values())))
        if rows >= PIECE:
            yield _joined(held)
            held, rows = [], 0
    if held:
        yield _joined(held)


def _cut(pieces: Iterable[Columns]) -> Iterator[Columns]:
    for piece in pieces:
        for start in range(0, len(next(iter(piece.values()))) or 1, PIECE):
            yield {name: column[start : start + PIECE] for name, column in piece.items()}


def _joined(pieces: list[Columns]) -> Columns:
    return pieces[0] if len(pieces) == 1 else {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
