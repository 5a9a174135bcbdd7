"""Delimited text for counting piece by piece, in the process that reads it: put once into Parquet of our own, of which all the rest is read.

A file is copied under the limit on memory, in one thread and in its order. What the fast way to read a whole file looks at is looked at
here too, as sums over the rows; with any doubt nothing is described, and the file is read as a whole.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO, Any, NamedTuple, Self

from baserate.atomic import FULL
from baserate.engines import careful_csv, streams
from baserate.engines.columns import Unread
from baserate.engines.compressed import Limits
from baserate.engines.crossing import send
from baserate.engines.csv_files import is_fast, notes_of, understood
from baserate.engines.dialects import Asked, Dialect, Text
from baserate.engines.fast_csv import place_of, rows_of
from baserate.engines.files import of_one_table
from baserate.engines.kinds import TEXT
from baserate.engines.locked_duckdb import literally, locked
from baserate.engines.parquet_pieces import MOST_LABELS, SETTINGS, Part
from baserate.engines.scans import MERGED, STRANGE, UNWRITTEN, Doubt, Seen, column_at, fetched, number_at, scan_of, style_at, unread_at
from baserate.engines.streams import no_temporary_room
from baserate.engines.wanted import Wanted
from baserate.engines.whole_files import state_of
from baserate.errors import MOST_EXAMPLES
from baserate.exact import EXACT_FLOATS
from baserate.notes import Note

# Rows of a row group. DuckDB's are some more where a buffer ends; pieces are cut by ours, so that they follow from the rows alone.
GROUP = 1 << 17
SMALL_BUFFERS = f", buffer_size = {1 << 22}"
MOST_TEXT = 1 << 20  # characters of all labels together
OF_DISKS = frozenset({"IOException", "OutOfMemoryException"})  # other errors of DuckDB quote what stands in a file
HELD = "read_parquet(?, file_row_number = true, hive_partitioning = false)"
SUMS = (
    "coalesce(bool_or({0} IS NULL OR isnan({0})), true), bit_or(f{0}), coalesce(bool_and(isfinite({0})), false),"
    " coalesce(max(abs({0})) FILTER (WHERE isfinite({0})) >= {1}, false), coalesce(bool_and({0} IN (0, 1)), false)"
)


class How(NamedTuple):
    """What was said of text files, how much may come out of compressed ones, and the bytes that DuckDB may take."""

    asked: Asked
    limits: Limits
    memory: int

    @classmethod
    def of(cls, asked: Mapping[str, Any], limits: Mapping[str, Any], memory: int) -> Self:
        """From what came as JSON."""
        return cls(Asked(**asked), Limits(**limits), memory)


class Copied(NamedTuple):
    """A text in Parquet: where, its rows, what its labels and scores are, the first rows without a label, and the scores like labels."""

    shown: str
    sha256: str
    notes: tuple[Note, ...]
    first: int
    file: str
    groups: list[int]
    labels: dict[str | None, int]
    unlabelled: list[int]
    seen: dict[str, Seen]
    styles: dict[str, str | None]
    like_labels: list[str]
    columns: dict[str, str]
    unread: dict[str, Unread]


def send_texts(out: IO[bytes], sources: Sequence[str], wanted: Wanted, how: How) -> list[Part]:
    """What `send_description` says of Parquet, of text; or that there is doubt."""
    try:
        copies = of_one_table(sources, lambda source: copied(source, wanted, how))
        if any(copy.unread for copy in copies):
            types = dict.fromkeys(wanted.scores, "DOUBLE")  # of what is refused, nothing is read
        else:
            types = {name: _agreed([copy.seen[name] for copy in copies]) for name in wanted.scores}
            _check_styles(copies, wanted)
    except Doubt:
        send(out, {"whole": True})
        return []
    send(out, {"sources": len(copies)})
    for copy in copies:
        said = {"path": copy.shown, "files": [copy.shown], "rows": [sum(copy.groups)], "sha256": copy.sha256, "groups": [copy.groups]}
        text = {"first": copy.first, "unlabelled": copy.unlabelled, "like_labels": copy.like_labels, "notes": list(map(asdict, copy.notes))}
        text["unread"] = {name: asdict(found) for name, found in copy.unread.items()}
        send(out, {**said, "labels": list(map(list, copy.labels.items())), "types": types, "text": text})
    return [Part(copy.file, state_of(copy.file), types, _columns(copy, types)) for copy in copies]


def _agreed(seen: Sequence[Seen]) -> str:
    """The type of a score in all files; beside fractions whole numbers are floats, unless they would be rounded."""
    whole = [each.are_whole() for each in seen]
    if any(whole) and not all(whole) and any(each.large for each in seen):
        raise Doubt
    return "BIGINT" if all(whole) else "DOUBLE"


def _check_styles(copies: Sequence[Copied], wanted: Wanted) -> None:
    """Two texts of one float are looked for in each file alone: those of two files are known to be none where all are written in one style."""
    for name in wanted.scores:
        styles, flags = {copy.styles[name] for copy in copies}, [copy.seen[name].flags for copy in copies]
        if len(copies) > 1 and (len(styles) > 1 or any(each & UNWRITTEN for each in flags)):
            raise Doubt


def _columns(copy: Copied, types: Mapping[str, str]) -> dict[str, str]:
    return copy.columns | {name: f"CAST({copy.columns[name]} AS {of_type})" for name, of_type in types.items()}


def copied(source: str, wanted: Wanted, how: How) -> Copied:
    """The wanted columns of one file, of which nothing is in doubt."""
    with streams.opened(source, how.limits) as plain:
        if plain.kind != TEXT:
            raise Doubt
        with understood(plain, wanted, how.asked) as (text, dialect):
            if not is_fast(text, dialect, how.asked):
                raise Doubt
            rows, folder = rows_of(text, dialect), tempfile.mkdtemp()
            with _doubtful(), _Copy.begun(text, dialect, folder, how.memory) as copy:
                copy.write(wanted, rows)
                labels, unlabelled = copy.labels(column_at(dialect, wanted.label))
        return Copied(
            shown=plain.shown,
            sha256=plain.sha256,
            notes=notes_of(plain, text, dialect),
            first=place_of(text, dialect).first,
            file=copy.file,
            groups=[*[GROUP] * (rows // GROUP), *([rows % GROUP] if rows % GROUP else [])],
            labels=labels,
            unlabelled=unlabelled,
            seen=copy.seen,
            styles=copy.styles,
            like_labels=copy.like_labels,
            columns={name: column_at(dialect, name) for name in wanted.columns},
            unread=copy.unread,
        )


@contextmanager
def _doubtful() -> Iterator[None]:
    """Whatever DuckDB does not like, or its absence, is for the careful way to judge; a full disk is not."""
    try:
        yield
    except (Doubt, OSError):
        raise
    except Exception as error:
        full = next((number for number in FULL if type(error).__name__ in OF_DISKS and os.strerror(number) in str(error)), None)
        if full is not None:
            raise no_temporary_room(OSError(full, os.strerror(full)), "a copy of the columns is needed") from None
        raise Doubt from error


class _Copy:
    """One text, one connection, and the Parquet file that is made of it."""

    def __init__(self, connection: Any, text: str, dialect: Dialect, file: str) -> None:
        self.connection, self.dialect, self.file = connection, dialect, file
        self.scan = scan_of(text, dialect, SMALL_BUFFERS)
        self.seen: dict[str, Seen] = {}
        self.styles: dict[str, str | None] = {}
        self.like_labels: list[str] = []
        self.unread: dict[str, Unread] = {}

    @classmethod
    @contextmanager
    def begun(cls, text: Text, dialect: Dialect, folder: str, memory: int) -> Iterator[Self]:
        """What has to be grouped may spill into a folder of our own."""
        path, file = os.path.abspath(text.path), os.path.join(folder, "columns.parquet")  # noqa: PTH100
        settings = {**SETTINGS, "memory_limit": f"{memory}B", "temp_directory": os.path.join(folder, "spilled")}
        with locked([path, file], settings=settings) as connection:
            yield cls(connection, path, dialect, file)

    def write(self, wanted: Wanted, rows: int) -> None:
        """Labels as text and scores as numbers; once more, where whole numbers beyond 2^53 turn up."""
        at = {name: column_at(self.dialect, name) for name in wanted.columns}
        label = at[wanted.label]
        self.styles = {name: style_at(self.connection, self.scan, at[name]) for name in wanted.scores}
        self._copy([label, *(number_at(at[name], style) for name, style in self.styles.items())])
        found, *sums = self._one(", ".join(["count(*)", *(SUMS.format(at[name], EXACT_FLOATS) for name in wanted.scores)]))
        if found != rows:
            raise Doubt
        for place, name in enumerate(wanted.scores):
            *parts, like_label = sums[5 * place : 5 * place + 5]
            self.seen[name] = Seen(*parts)
            self.like_labels += [name] if like_label else []
            if self.seen[name].gone:
                self.unread[name] = self._unread(at[name], rows)
        read = {name: seen for name, seen in self.seen.items() if name not in self.unread}
        large = [name for name, seen in read.items() if seen.are_whole() and seen.large]
        self._check_merges([at[name] for name, seen in read.items() if not seen.are_whole() and seen.flags & UNWRITTEN])
        if large and not self.unread:
            self._write_whole([at[name] for name in large], [label, *(at[name] for name in wanted.scores if name not in large)])

    def _unread(self, at: str, rows: int) -> Unread:
        """The cells that are no numbers: their rows are those of the copy, and their texts those of the file."""
        if self._one(f"coalesce(bool_or(f{at} & {STRANGE} <> 0) FILTER (WHERE NOT isnan({at})), false)")[0]:
            raise Doubt  # DuckDB's numbers, and none of ours
        query = f"SELECT file_row_number FROM {HELD} WHERE {at} IS NULL OR isnan({at})"  # noqa: S608
        places = fetched(self.connection.cursor().execute(query, [literally(self.file)]))
        return unread_at(self.connection, self.scan, at, places, rows, self.dialect.delimiter)

    def _write_whole(self, large: Sequence[str], others: Sequence[str]) -> None:
        kept = [*others[:1], *(f"TRY_CAST({at} AS DOUBLE) AS {at}" for at in others[1:])]
        self._copy([*kept, *(f"TRY_CAST({at} AS BIGINT) AS {at}" for at in large)])
        if self._one(" + ".join(f"count_if({at} IS NULL)" for at in large))[0]:
            raise Doubt

    def _check_merges(self, columns: Sequence[str]) -> None:
        scan = self.scan
        for at in columns:
            if self.connection.execute(f"SELECT 1 FROM {scan.sql} {MERGED.format(at)}", list(scan.parameters)).fetchall():  # noqa: S608
                raise Doubt

    def labels(self, at: str) -> tuple[dict[str | None, int], list[int]]:
        """Every label with the number of its cases, in the order in which they come, None for what is missing; and the first of these."""
        held = [literally(self.file)]
        query = f"SELECT {at}, count(*) FROM {HELD} GROUP BY {at} ORDER BY min(file_row_number) LIMIT {MOST_LABELS + 1}"  # noqa: S608
        found = dict(self.connection.execute(query, held).fetchall())
        if len(found) > MOST_LABELS or sum(map(len, found)) > MOST_TEXT:
            raise Doubt
        labels: dict[str | None, int] = {}
        for label, text in zip(careful_csv.texts(list(found)).tolist(), found, strict=True):
            labels[label] = labels.get(label, 0) + found[text]
        if None not in labels:
            return labels, []
        query = f"SELECT file_row_number FROM {HELD} WHERE NOT list_contains(?, {at}) LIMIT {MOST_EXAMPLES}"  # noqa: S608
        rows = self.connection.execute(query, [*held, [label for label in labels if label is not None]]).fetchall()
        return labels, [row for (row,) in rows]

    def _copy(self, columns: Sequence[str]) -> None:
        scan = self.scan
        told = f"FORMAT parquet, ROW_GROUP_SIZE {GROUP}, COMPRESSION uncompressed, USE_TMP_FILE false"
        query = f"COPY (SELECT {', '.join(columns)} FROM {scan.sql}) TO ? ({told})"  # noqa: S608
        self.connection.execute(query, [*scan.parameters, self.file])

    def _one(self, what: str) -> Any:
        return self.connection.execute(f"SELECT {what} FROM {HELD}", [literally(self.file)]).fetchone()  # noqa: S608
