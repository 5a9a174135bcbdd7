"""Whether a Parquet file's scores repeat themselves, told by its footer, and their counts by DuckDB if they do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from baserate.cells import Array
from baserate.engines.duckdb_columns import From
from baserate.engines.extras import needed
from baserate.engines.identifiers import identifier
from baserate.engines.locked_duckdb import literally
from baserate.engines.pushed import FEWER, pair_of, spread
from baserate.engines.wanted import Wanted

# Bytes of each value where it is written out: once for a row, or once for a dictionary.
WIDTHS = {"FLOAT": 4, "DOUBLE": 8, "INTEGER": 4, "BIGINT": 8}
LABELS = frozenset({"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
SIZES = """
SELECT sum(total_uncompressed_size), bool_or(encodings LIKE '%DELTA%') FROM parquet_metadata(?) WHERE path_in_schema = ?
"""


def counted(
    connection: Any, files: Sequence[str], source: From, rows: int, types: Mapping[str, str], wanted: Wanted
) -> dict[str, Array] | None:
    """The wanted columns in no particular order, if DuckDB counts them faster than it hands them over; None where it does not."""
    pair = pair_of(wanted)
    if pair is None or types.get(pair[0]) not in LABELS or types.get(pair[1]) not in WIDTHS:
        return None
    if not _repeats(connection, files, rows, pair[1], WIDTHS[types[pair[1]]]):
        return None
    names = ", ".join(map(identifier, pair))
    query = f"SELECT {identifier(pair[0])} AS a, {identifier(pair[1])} AS b, count(*) AS c FROM {source.sql} GROUP BY {names}"  # noqa: S608
    try:
        found = connection.execute(query, list(source.parameters)).fetchnumpy()
    except needed("duckdb").OutOfMemoryException:  # as many pairs as that are better streamed
        return None
    columns = spread(found["a"], found["b"], found["c"])
    return None if columns is None else dict(zip(pair, columns, strict=True))


def _repeats(connection: Any, files: Sequence[str], rows: int, score: str, width: int) -> bool:
    """Each distinct score takes its width at least once in a file, so that the size bounds their number; deltas take less, and tell nothing."""
    total = 0
    for file in files:
        size, deltas = connection.execute(SIZES, [literally(os.path.abspath(file)), score]).fetchone()  # noqa: PTH100
        if deltas or size is None:
            return False
        total += size
    return FEWER * total <= width * rows
