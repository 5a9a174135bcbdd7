"""Parquet and delimited text in pieces, inside the process that reads them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO, Any, NamedTuple, Self

import numpy as np

from baserate.atomic import FULL
from baserate.errors import MOST_EXAMPLES, Note, number_of, quoted, refuse_file
from baserate.numbers import EXACT_FLOATS
from baserate.read import csv, streams
from baserate.read.cases import rounded_note
from baserate.read.columns import Unread
from baserate.read.csv import (
    ROUNDED,
    STRANGE,
    NeedsCarefulReading,
    Seen,
    column_at,
    fetched,
    is_fast,
    notes_of,
    number_at,
    place_of,
    rows_of,
    scan_of,
    understood,
    unread_at,
)
from baserate.read.csv_dialect import Dialect, Text
from baserate.read.duckdb import NUMBERS, From, column_of, literally, locked, refused
from baserate.read.parquet import COPY, Opened, opened, source_of
from baserate.read.sandbox import MOST_LABELS, send, send_column
from baserate.read.source import of_one_table
from baserate.read.streams import TEXT, Limits, State, check_state, no_temporary_room, state_of
from baserate.read.table import ColumnRoles, identifier
from baserate.read.text import TextOptions

# ----------------------------------------------------------------------
# Parquet files piece by piece, in the process that reads them: what there is, and then the cases,
# some row groups at a time.


GROUPS = (
    "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?) ORDER BY"
    " row_group_id"
)
LABELS = frozenset({*NUMBERS, "VARCHAR"})
SETTINGS = {"threads": "1"}


class Part(NamedTuple):
    """A file, the state in which it was described, the types of the scores in it, and each column
    as SQL takes it.
    """

    path: str
    state: State
    types: dict[str, str]
    columns: dict[str, str]


def send_description(
    out: IO[bytes], sources: Sequence[str], wanted: ColumnRoles, memory: int
) -> list[Part]:
    """Of every source: its files and their row groups, the labels and how often each occurs, and
    the digest. Their files, in that order.
    """
    send(out, {"sources": len(sources)})
    parts = list[Part]()
    for source in sources:
        with opened(source, wanted, {**SETTINGS, "memory_limit": f"{memory}B"}) as found:
            _check_types(found, wanted)
            said: dict[str, Any] = {
                "path": found.shown,
                "files": found.files,
                "rows": found.rows,
                "sha256": found.sha256,
            }
            said["groups"] = [_groups(found, file) for file in found.files]
            said["labels"] = _labels(found, wanted)
            said["types"] = {name: found.types[name] for name in wanted.scores}
            columns = {name: identifier(name) for name in (wanted.label, *wanted.scores)}
            parts += [Part(file, state_of(file), said["types"], columns) for file in found.files]
        send(out, said)
    return parts


def _check_types(found: Opened, wanted: ColumnRoles) -> None:
    """Scores are numbers, and labels numbers or text, that lie in the files themselves."""
    for name, known, what in (
        (wanted.label, LABELS, "labels"),
        *((score, NUMBERS, "scores") for score in wanted.scores),
    ):
        of_type = found.types.get(name)
        if of_type not in known:
            there = "lies in the names of folders" if of_type is None else f"is {of_type}"
            text = f"{quoted(name)} {there}: such {what} are not counted piece by piece"
            raise refuse_file(
                found.shown,
                "BR943",
                text,
                "leave the ceiling on memory out, or write the column as numbers",
            )


def _groups(found: Opened, file: str) -> list[int]:
    with refused(file, "BR703", COPY):
        return [
            int(rows)
            for _, rows in found.connection.execute(
                GROUPS,
                [literally(os.path.abspath(file))],  # noqa: PTH100
            ).fetchall()
        ]


def _labels(found: Opened, wanted: ColumnRoles) -> list[list[Any]]:
    """Every label with the number of its cases; more than there may be are cut off, and the parent
    sees that there are too many.
    """
    source, label = source_of(*found.files), identifier(wanted.label)
    with refused(found.shown, "BR703", COPY):
        quick = _two_labels(found, source, label, found.types[wanted.label])
        if quick is not None:
            return quick
        query = f"SELECT {label}, count(*) FROM {source.sql} GROUP BY {label} ORDER BY count(*) DESC, {label} LIMIT {MOST_LABELS + 1}"  # noqa: E501, S608
        return [
            list(row) for row in found.connection.execute(query, list(source.parameters)).fetchall()
        ]


def _two_labels(found: Opened, source: From, label: str, of_type: str) -> list[list[Any]] | None:
    """The same of bools, and of whole numbers of which the largest is one more than the least: sums
    take a third of grouping.
    """
    if of_type != "BOOLEAN" and not of_type.endswith("INT") and of_type != "INTEGER":
        return None
    more = f"count_if({label})" if of_type == "BOOLEAN" else f"sum(CAST({label} AS HUGEINT))"
    query = f"SELECT count(*), count({label}), min({label}), max({label}), {more} FROM {source.sql}"  # noqa: S608
    cases, known, least, largest, total = found.connection.execute(
        query, list(source.parameters)
    ).fetchone()
    if not known or largest - least > 1:
        return None
    above = int(total) - known * int(least)
    times = (
        {least: known - above, largest: above, None: cases - known}
        if largest != least
        else {least: known, None: cases - known}
    )
    return sorted(
        ([value, many] for value, many in times.items() if many), key=lambda pair: -pair[1]
    )


def answer_pieces(
    out: IO[bytes], parts: Sequence[Part], memory: int, next_request: Callable[[], Any]
) -> None:
    """Cases, as often as they are requested: some rows of a file, whether each is positive, and its
    score. Ends with the process.
    """
    with locked(
        [os.path.abspath(part.path) for part in parts],  # noqa: PTH100
        settings={**SETTINGS, "memory_limit": f"{memory}B"},
    ) as connection:
        while True:
            said = next_request()
            part = parts[said["file"]]
            check_state(part.path, part.state)
            with refused(part.path, "BR703", COPY):
                _send_piece(out, connection, part, said)
            check_state(part.path, part.state)
            out.flush()


def _send_piece(out: IO[bytes], connection: Any, part: Part, said: Mapping[str, Any]) -> None:
    rows, label, score, value = (
        said["rows"],
        part.columns[said["label"]],
        part.columns[said["score"]],
        said["value"],
    )
    is_positive = "false" if value is None else f"coalesce({label} = $value, false)"
    chosen = f"{score} AS s" if said["positives"] else f"{score} AS s, {is_positive} AS y"
    query = (
        f"SELECT {chosen} FROM read_parquet($path, hive_partitioning = false, file_row_number = true) "  # noqa: E501, S608
        "WHERE file_row_number >= $begin AND file_row_number <"
        f" $end{' AND ' + is_positive if said['positives'] else ''}"
    )
    given = {
        "path": [literally(os.path.abspath(part.path))],  # noqa: PTH100
        "begin": said["begin"],
        "end": said["begin"] + rows,
    }
    found = connection.execute(
        query, given | ({} if value is None else {"value": value})
    ).fetchnumpy()
    scores = column_of(found.pop("s"), part.types[said["score"]])
    if len(scores) != rows and not said["positives"]:
        text = (
            f"has {number_of(len(scores), 'row')} where the footer promises"
            f" {number_of(rows, 'row')}"
        )
        raise refuse_file(part.path, "BR703", text, COPY)
    send(out, {"rows": rows, "sent": len(scores)})
    if not said["positives"]:
        send_column(out, np.asarray(found.pop("y")))
    send_column(out, scores)


# ----------------------------------------------------------------------
# Delimited text for counting piece by piece, in the process that reads it: put once into Parquet of
# our own, of which all the rest is read.


# Rows of a row group. DuckDB's are some more where a buffer ends; pieces are cut by ours, so that
# they follow from the rows alone.
GROUP = 1 << 17
SMALL_BUFFERS = f", buffer_size = {1 << 22}"
MOST_TEXT = 1 << 20  # characters of all labels together
OF_DISKS = frozenset(
    {"IOException", "OutOfMemoryException"}
)  # other errors of DuckDB quote what stands in a file
HELD = "read_parquet(?, file_row_number = true, hive_partitioning = false)"
SUMS = (
    "coalesce(bool_or({0} IS NULL OR isnan({0})), true), bit_or(f{0}),"
    " coalesce(bool_and(isfinite({0})), false), coalesce(max(abs({0})) FILTER (WHERE isfinite({0}))"
    " >= {1}, false), coalesce(bool_and({0} IN (0, 1)), false)"
)


class How(NamedTuple):
    """Options for text files, how much may come out of compressed ones, and the bytes that
    DuckDB may take.
    """

    asked: TextOptions
    limits: Limits
    memory: int

    @classmethod
    def of(cls, asked: Mapping[str, Any], limits: Mapping[str, Any], memory: int) -> Self:
        """From what came as JSON."""
        return cls(TextOptions(**asked), Limits(**limits), memory)


class Copied(NamedTuple):
    """A text in Parquet: where, its rows, what its labels and scores are, the first rows without a
    label, and the scores like labels.
    """

    shown: str
    sha256: str
    notes: tuple[Note, ...]
    first: int
    file: str
    groups: list[int]
    labels: dict[str | None, int]
    unlabelled: list[int]
    seen: dict[str, Seen]
    like_labels: list[str]
    columns: dict[str, str]
    unread: dict[str, Unread]


def send_texts(out: IO[bytes], sources: Sequence[str], wanted: ColumnRoles, how: How) -> list[Part]:
    """What `send_description` says of Parquet, of text; or that there is doubt."""
    try:
        copies = of_one_table(sources, lambda source: copied(source, wanted, how))
        if any(copy.unread for copy in copies):
            types = dict.fromkeys(wanted.scores, "DOUBLE")  # of what is refused, nothing is read
        else:
            types = {name: _agreed([copy.seen[name] for copy in copies]) for name in wanted.scores}
    except NeedsCarefulReading:
        send(out, {"whole": True})
        return []
    send(out, {"sources": len(copies)})
    for copy in copies:
        said = {
            "path": copy.shown,
            "files": [copy.shown],
            "rows": [sum(copy.groups)],
            "sha256": copy.sha256,
            "groups": [copy.groups],
        }
        text = {
            "first": copy.first,
            "unlabelled": copy.unlabelled,
            "like_labels": copy.like_labels,
            "notes": list(map(asdict, copy.notes)),
        }
        text["unread"] = {name: asdict(found) for name, found in copy.unread.items()}
        send(
            out,
            {**said, "labels": list(map(list, copy.labels.items())), "types": types, "text": text},
        )
    return [Part(copy.file, state_of(copy.file), types, _columns(copy, types)) for copy in copies]


def _agreed(seen: Sequence[Seen]) -> str:
    """The type of a score in all files; beside fractions whole numbers are floats, unless they
    would be rounded.
    """
    whole = [each.are_whole() for each in seen]
    if any(whole) and not all(whole) and any(each.large for each in seen):
        raise NeedsCarefulReading
    return "BIGINT" if all(whole) else "DOUBLE"


def _columns(copy: Copied, types: Mapping[str, str]) -> dict[str, str]:
    return copy.columns | {
        name: f"CAST({copy.columns[name]} AS {of_type})" for name, of_type in types.items()
    }


def copied(source: str, wanted: ColumnRoles, how: How) -> Copied:
    """The requested columns of one file, of which nothing is in doubt."""
    with streams.opened(source, how.limits) as plain:
        if plain.kind != TEXT:
            raise NeedsCarefulReading
        with understood(plain, wanted, how.asked) as (text, dialect):
            if not is_fast(text, dialect, how.asked):
                raise NeedsCarefulReading
            rows, folder = rows_of(text, dialect), tempfile.mkdtemp()
            with _doubtful(), _Copy.begun(text, dialect, folder, how.memory) as copy:
                copy.write(wanted, rows)
                labels, unlabelled = copy.labels(column_at(dialect, wanted.label))
        return Copied(
            shown=plain.shown,
            sha256=plain.sha256,
            notes=(*notes_of(plain, text, dialect), *copy.notes),
            first=place_of(text, dialect).first,
            file=copy.file,
            groups=[*[GROUP] * (rows // GROUP), *([rows % GROUP] if rows % GROUP else [])],
            labels=labels,
            unlabelled=unlabelled,
            seen=copy.seen,
            like_labels=copy.like_labels,
            columns={name: column_at(dialect, name) for name in wanted.columns},
            unread=copy.unread,
        )


@contextmanager
def _doubtful() -> Iterator[None]:
    """Whatever DuckDB does not like, or its absence, is for the careful reader to decide; a full
    disk is not.
    """
    try:
        yield
    except (NeedsCarefulReading, OSError):
        raise
    except Exception as error:
        full = next(
            (
                number
                for number in FULL
                if type(error).__name__ in OF_DISKS and os.strerror(number) in str(error)
            ),
            None,
        )
        if full is not None:
            raise no_temporary_room(
                OSError(full, os.strerror(full)), "a copy of the columns is needed"
            ) from None
        raise NeedsCarefulReading from error


class _Copy:
    """One text, one connection, and the Parquet file that is made of it."""

    def __init__(self, connection: Any, text: str, dialect: Dialect, file: str) -> None:
        self.connection, self.dialect, self.file = connection, dialect, file
        self.scan = scan_of(text, dialect, SMALL_BUFFERS)
        self.seen: dict[str, Seen] = {}
        self.like_labels: list[str] = []
        self.unread: dict[str, Unread] = {}
        self.notes: list[Note] = []

    @classmethod
    @contextmanager
    def begun(cls, text: Text, dialect: Dialect, folder: str, memory: int) -> Iterator[Self]:
        """What has to be grouped may spill into a folder of our own."""
        path, file = os.path.abspath(text.path), os.path.join(folder, "columns.parquet")  # noqa: PTH100
        settings = {
            **SETTINGS,
            "memory_limit": f"{memory}B",
            "temp_directory": os.path.join(folder, "spilled"),
        }
        with locked([path, file], settings=settings) as connection:
            yield cls(connection, path, dialect, file)

    def write(self, wanted: ColumnRoles, rows: int) -> None:
        """Labels as text and scores as numbers; once more, where whole numbers beyond 2^53 turn
        up.
        """
        at = {name: column_at(self.dialect, name) for name in wanted.columns}
        label = at[wanted.label]
        self._copy([label, *(number_at(at[name]) for name in wanted.scores)])
        found, *sums = self._one(
            ", ".join(
                ["count(*)", *(SUMS.format(at[name], EXACT_FLOATS) for name in wanted.scores)]
            )
        )
        if found != rows:
            raise NeedsCarefulReading
        for place, name in enumerate(wanted.scores):
            *parts, like_label = sums[5 * place : 5 * place + 5]
            self.seen[name] = Seen(*parts)
            self.like_labels += [name] if like_label else []
            if self.seen[name].gone:
                self.unread[name] = self._unread(at[name], rows)
        read = {name: seen for name, seen in self.seen.items() if name not in self.unread}
        large = [name for name, seen in read.items() if seen.are_whole() and seen.large]
        self.notes = [
            rounded_note(quoted(name))
            for name, seen in read.items()
            if not seen.are_whole() and seen.flags & ROUNDED
        ]
        if large and not self.unread:
            self._write_whole(
                [at[name] for name in large],
                [label, *(at[name] for name in wanted.scores if name not in large)],
            )

    def _unread(self, at: str, rows: int) -> Unread:
        """Cells that are not numbers: their rows are those of the copy, and their texts those of
        the file.
        """
        if self._one(
            f"coalesce(bool_or(f{at} & {STRANGE} <> 0) FILTER (WHERE NOT isnan({at})), false)"
        )[0]:
            raise NeedsCarefulReading  # DuckDB's numbers, and none of ours
        query = f"SELECT file_row_number FROM {HELD} WHERE {at} IS NULL OR isnan({at})"  # noqa: S608
        places = fetched(self.connection.cursor().execute(query, [literally(self.file)]))
        return unread_at(self.connection, self.scan, at, places, rows, self.dialect.delimiter)

    def _write_whole(self, large: Sequence[str], others: Sequence[str]) -> None:
        kept = [*others[:1], *(f"TRY_CAST({at} AS DOUBLE) AS {at}" for at in others[1:])]
        self._copy([*kept, *(f"TRY_CAST({at} AS BIGINT) AS {at}" for at in large)])
        if self._one(" + ".join(f"count_if({at} IS NULL)" for at in large))[0]:
            raise NeedsCarefulReading

    def labels(self, at: str) -> tuple[dict[str | None, int], list[int]]:
        """Every label with the number of its cases, in the order in which they come, None for what
        is missing; and the first of these.
        """
        held = [literally(self.file)]
        query = f"SELECT {at}, count(*) FROM {HELD} GROUP BY {at} ORDER BY min(file_row_number) LIMIT {MOST_LABELS + 1}"  # noqa: E501, S608
        found = dict(self.connection.execute(query, held).fetchall())
        if len(found) > MOST_LABELS or sum(map(len, found)) > MOST_TEXT:
            raise NeedsCarefulReading
        labels: dict[str | None, int] = {}
        for label, text in zip(csv.texts(list(found)).tolist(), found, strict=True):
            labels[label] = labels.get(label, 0) + found[text]
        if None not in labels:
            return labels, []
        query = f"SELECT file_row_number FROM {HELD} WHERE NOT list_contains(?, {at}) LIMIT {MOST_EXAMPLES}"  # noqa: E501, S608
        rows = self.connection.execute(
            query, [*held, [label for label in labels if label is not None]]
        ).fetchall()
        return labels, [row for (row,) in rows]

    def _copy(self, columns: Sequence[str]) -> None:
        scan = self.scan
        told = (
            f"FORMAT parquet, ROW_GROUP_SIZE {GROUP}, COMPRESSION uncompressed, USE_TMP_FILE false"
        )
        query = f"COPY (SELECT {', '.join(columns)} FROM {scan.sql}) TO ? ({told})"  # noqa: S608
        self.connection.execute(query, [*scan.parameters, self.file])

    def _one(self, what: str) -> Any:
        return self.connection.execute(
            f"SELECT {what} FROM {HELD}",  # noqa: S608
            [literally(self.file)],
        ).fetchone()
