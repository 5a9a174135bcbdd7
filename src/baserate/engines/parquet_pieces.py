"""Parquet files piece by piece, in the process that reads them: what there is, and then the cases, some row groups at a time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np

from baserate.engines.crossing import send, send_column
from baserate.engines.duckdb_columns import NUMBERS, column_of
from baserate.engines.identifiers import identifier
from baserate.engines.locked_duckdb import literally, locked, refused
from baserate.engines.parquet_files import COPY, Opened, opened, source_of
from baserate.engines.wanted import Wanted
from baserate.engines.whole_files import check_state, state_of
from baserate.errors import number_of, quoted, refuse_file

GROUPS = "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?) ORDER BY row_group_id"
LABELS = frozenset({*NUMBERS, "VARCHAR"})
# A column with more values than this is no label, whatever they are.
MOST_LABELS = 1000
SETTINGS = {"threads": "1"}


def send_description(out: IO[bytes], sources: Sequence[str], wanted: Wanted, memory: int) -> None:
    """Of every source: its files and their row groups, the labels and how often each occurs, and the digest."""
    send(out, {"sources": len(sources)})
    for source in sources:
        with opened(source, wanted, {**SETTINGS, "memory_limit": f"{memory}B"}) as found:
            _check_types(found, wanted)
            said: dict[str, Any] = {"path": found.shown, "files": found.files, "rows": found.rows, "sha256": found.sha256}
            said["groups"] = [_groups(found, file) for file in found.files]
            said["states"] = [list(state_of(file)) for file in found.files]
            said["labels"] = _labels(found, wanted)
            said["types"] = {name: found.types[name] for name in wanted.scores}
        send(out, said)


def _check_types(found: Opened, wanted: Wanted) -> None:
    """Scores are numbers, and labels numbers or text, that lie in the files themselves."""
    for name, known, what in ((wanted.label, LABELS, "labels"), *((score, NUMBERS, "scores") for score in wanted.scores)):
        of_type = found.types.get(name)
        if of_type not in known:
            there = "lies in the names of folders" if of_type is None else f"is {of_type}"
            text = f"{quoted(name)} {there}: such {what} are not counted piece by piece"
            raise refuse_file(found.shown, "BR943", text, "leave the ceiling on memory out, or write the column as numbers")


def _groups(found: Opened, file: str) -> list[int]:
    with refused(file, "BR703", COPY):
        return [int(rows) for _, rows in found.connection.execute(GROUPS, [literally(os.path.abspath(file))]).fetchall()]  # noqa: PTH100


def _labels(found: Opened, wanted: Wanted) -> list[list[Any]]:
    """Every label with the number of its cases; more than there may be are cut off, and the parent sees that there are too many."""
    source, label = source_of(*found.files), identifier(wanted.label)
    query = f"SELECT {label}, count(*) FROM {source.sql} GROUP BY {label} ORDER BY count(*) DESC, {label} LIMIT {MOST_LABELS + 1}"  # noqa: S608
    with refused(found.shown, "BR703", COPY):
        return [list(row) for row in found.connection.execute(query, list(source.parameters)).fetchall()]


def send_pieces(out: IO[bytes], said: Mapping[str, Any], memory: int) -> None:
    """These rows of these files, in this order: whether each is positive, and its score."""
    files, states = said["files"], said["states"]
    with locked([os.path.abspath(file) for file in files], settings={**SETTINGS, "memory_limit": f"{memory}B"}) as connection:  # noqa: PTH100
        for file, begin, rows in said["pieces"]:
            path = files[file]
            check_state(path, tuple(states[file]))
            with refused(path, "BR703", COPY):
                _send_piece(out, connection, path, (begin, rows), said, said["types"][file])
            check_state(path, tuple(states[file]))
    send(out, {"end": True})


def _send_piece(out: IO[bytes], connection: Any, path: str, part: tuple[int, int], said: Mapping[str, Any], of_type: str) -> None:
    begin, rows = part
    label, score, value = identifier(said["label"]), identifier(said["score"]), said["value"]
    is_positive = "false" if value is None else f"coalesce({label} = $value, false)"
    chosen = f"{score} AS s" if said["positives"] else f"{score} AS s, {is_positive} AS y"
    query = (
        f"SELECT {chosen} FROM read_parquet($path, hive_partitioning = false, file_row_number = true) "  # noqa: S608
        f"WHERE file_row_number >= $begin AND file_row_number < $end{' AND ' + is_positive if said['positives'] else ''}"
    )
    given = {"path": [literally(os.path.abspath(path))], "begin": begin, "end": begin + rows}  # noqa: PTH100
    found = connection.execute(query, given | ({} if value is None else {"value": value})).fetchnumpy()
    scores = column_of(found.pop("s"), of_type)
    if len(scores) != rows and not said["positives"]:
        text = f"has {number_of(len(scores), 'row')} where the footer promises {number_of(rows, 'row')}"
        raise refuse_file(path, "BR703", text, COPY)
    send(out, {"rows": rows, "sent": len(scores)})
    if not said["positives"]:
        send_column(out, np.ma.getdata(found.pop("y")))
    send_column(out, scores)
