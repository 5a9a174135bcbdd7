"""Parquet files piece by piece, in the process that reads them: what there is, and then the cases, some row groups at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np

from baserate.engines.crossing import send, send_column
from baserate.engines.duckdb_columns import NUMBERS, From, column_of
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


class Part(NamedTuple):
    """A file, the state in which it was described, the types of the scores in it, and each column as SQL takes it."""

    path: str
    state: tuple[int, ...]
    types: dict[str, str]
    columns: dict[str, str]


def send_description(out: IO[bytes], sources: Sequence[str], wanted: Wanted, memory: int) -> list[Part]:
    """Of every source: its files and their row groups, the labels and how often each occurs, and the digest. Their files, in that order."""
    send(out, {"sources": len(sources)})
    parts = list[Part]()
    for source in sources:
        with opened(source, wanted, {**SETTINGS, "memory_limit": f"{memory}B"}) as found:
            _check_types(found, wanted)
            said: dict[str, Any] = {"path": found.shown, "files": found.files, "rows": found.rows, "sha256": found.sha256}
            said["groups"] = [_groups(found, file) for file in found.files]
            said["labels"] = _labels(found, wanted)
            said["types"] = {name: found.types[name] for name in wanted.scores}
            columns = {name: identifier(name) for name in (wanted.label, *wanted.scores)}
            parts += [Part(file, state_of(file), said["types"], columns) for file in found.files]
        send(out, said)
    return parts


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
    with refused(found.shown, "BR703", COPY):
        quick = _two_labels(found, source, label, found.types[wanted.label])
        if quick is not None:
            return quick
        query = f"SELECT {label}, count(*) FROM {source.sql} GROUP BY {label} ORDER BY count(*) DESC, {label} LIMIT {MOST_LABELS + 1}"  # noqa: S608
        return [list(row) for row in found.connection.execute(query, list(source.parameters)).fetchall()]


def _two_labels(found: Opened, source: From, label: str, of_type: str) -> list[list[Any]] | None:
    """The same of bools, and of whole numbers of which the largest is one more than the least: sums take a third of grouping."""
    if of_type != "BOOLEAN" and not of_type.endswith("INT") and of_type != "INTEGER":
        return None
    more = f"count_if({label})" if of_type == "BOOLEAN" else f"sum(CAST({label} AS HUGEINT))"
    query = f"SELECT count(*), count({label}), min({label}), max({label}), {more} FROM {source.sql}"  # noqa: S608
    cases, known, least, largest, total = found.connection.execute(query, list(source.parameters)).fetchone()
    if not known or largest - least > 1:
        return None
    above = int(total) - known * int(least)
    times = {least: known - above, largest: above, None: cases - known} if largest != least else {least: known, None: cases - known}
    return sorted(([value, many] for value, many in times.items() if many), key=lambda pair: -pair[1])


def answer_pieces(out: IO[bytes], parts: Sequence[Part], memory: int, next_request: Callable[[], Any]) -> None:
    """Cases, as often as they are asked for: some rows of a file, whether each is positive, and its score. Ends with the process."""
    with locked([os.path.abspath(part.path) for part in parts], settings={**SETTINGS, "memory_limit": f"{memory}B"}) as connection:  # noqa: PTH100
        while True:
            said = next_request()
            part = parts[said["file"]]
            check_state(part.path, part.state)
            with refused(part.path, "BR703", COPY):
                _send_piece(out, connection, part, said)
            check_state(part.path, part.state)
            out.flush()


def _send_piece(out: IO[bytes], connection: Any, part: Part, said: Mapping[str, Any]) -> None:
    rows, label, score, value = said["rows"], part.columns[said["label"]], part.columns[said["score"]], said["value"]
    is_positive = "false" if value is None else f"coalesce({label} = $value, false)"
    chosen = f"{score} AS s" if said["positives"] else f"{score} AS s, {is_positive} AS y"
    query = (
        f"SELECT {chosen} FROM read_parquet($path, hive_partitioning = false, file_row_number = true) "  # noqa: S608
        f"WHERE file_row_number >= $begin AND file_row_number < $end{' AND ' + is_positive if said['positives'] else ''}"
    )
    given = {"path": [literally(os.path.abspath(part.path))], "begin": said["begin"], "end": said["begin"] + rows}  # noqa: PTH100
    found = connection.execute(query, given | ({} if value is None else {"value": value})).fetchnumpy()
    scores = column_of(found.pop("s"), part.types[said["score"]])
    if len(scores) != rows and not said["positives"]:
        text = f"has {number_of(len(scores), 'row')} where the footer promises {number_of(rows, 'row')}"
        raise refuse_file(part.path, "BR703", text, COPY)
    send(out, {"rows": rows, "sent": len(scores)})
    if not said["positives"]:
        send_column(out, np.ma.getdata(found.pop("y")))
    send_column(out, scores)
