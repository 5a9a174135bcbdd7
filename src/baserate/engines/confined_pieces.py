"""Files as pieces, read by a process of its own: described once, and then read by the same process as often as counting needs."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.engines.answers import SHA256, field_of, note_of, raised, texts_of, whole_of
from baserate.engines.columns import Cells, Column, Unread
from baserate.engines.confined import Listening, listening
from baserate.engines.crossing import Untrue
from baserate.engines.files import Options
from baserate.engines.pieces import Piece
from baserate.engines.quotas import Quotas, machine_memory
from baserate.engines.scores import as_scores, no_rank
from baserate.engines.table_rows import in_tables
from baserate.engines.treatments import turned
from baserate.engines.wanted import Wanted
from baserate.errors import MOST_EXAMPLES, InputError, quoted
from baserate.notes import Note

# Rows in a piece: fewer row groups than this are put together, and a row group of more than the ceiling allows is read in parts.
ROWS = 1 << 20
BYTES_A_ROW = 256
PLAIN = (bool, int, float, str, type(None))


class Whole(Exception):  # noqa: N818 (never reaches a user)
    """The reader is in doubt about a text, which has to be read as a whole."""


class InText(NamedTuple):
    """What there is to say of a text: the line of its first row, the first rows without a label, the scores that are like labels, notes."""

    first: int
    unlabelled: tuple[int, ...]
    like_labels: list[str]
    notes: tuple[Note, ...]
    unread: dict[str, Unread]


class Described(NamedTuple):
    """A source: its files with the rows of each and of its row groups, the types of the scores, and how often each label occurs."""

    path: str
    sha256: str
    files: list[str]
    rows: tuple[int, ...]
    groups: list[tuple[int, ...]]
    types: dict[str, str]
    labels: Counter[Any]
    text: InText | None = None


class Reader:
    """A process that has described some sources, and reads them, for one listener or for several by turns."""

    def __init__(self, listening: Listening, found: list[Described], memory: int) -> None:
        self.incoming, self.ask, self.found, self.memory = *listening, found, memory
        self.owed = deque[Asked]()  # answers come in this order
        self.early = dict[Asked, tuple[Array, Array]]()  # those that came while another was waited for
        self.unwanted = set[Asked]()

    def answers(self, asked: Sequence[Asked]) -> Iterator[tuple[Array, Array, int]]:
        """Labels, scores and rows of each piece. The next is asked for before one is handed on: it is read while this one is counted."""
        mine = deque[Asked]()
        try:
            for number, piece in enumerate(asked):
                for ahead in asked[number + len(mine) : number + 2]:
                    self.ask(ahead._asdict())
                    self.owed.append(ahead)
                    mine.append(ahead)
                mine.popleft()
                yield (*self._wait_for(piece), piece.rows)
        finally:
            self.unwanted.update(mine)

    def _wait_for(self, piece: Asked) -> tuple[Array, Array]:
        while piece not in self.early:
            asked = self.owed.popleft()
            answer = self._answer(asked)
            if asked in self.unwanted:
                self.unwanted.remove(asked)
            else:
                self.early[asked] = answer
        return self.early.pop(piece)

    def _answer(self, asked: Asked) -> tuple[Array, Array]:
        self.incoming.left = self.memory  # of what came before, nothing is held
        said = raised(self.incoming.json())
        sent = field_of(int, said, "sent")
        if field_of(int, said, "rows") != asked.rows or not 0 <= sent <= asked.rows or (sent < asked.rows and not asked.positives):
            raise Untrue("a piece of another length")
        labels = np.ones(sent, dtype=np.bool_) if asked.positives else self.incoming.column(sent)
        if labels.dtype != np.bool_:
            raise Untrue("labels that are no bools")
        return labels, self.incoming.column(sent)


class Asked(NamedTuple):
    """Some rows of a file, by its place among the files: all of them, or the positives alone."""

    file: int
    begin: int
    rows: int
    positives: bool
    label: str
    score: str
    value: Any


@contextmanager
def described(sources: Sequence[str], shown: str, wanted: Wanted, options: Options, *, text: bool = False) -> Iterator[Reader]:
    """A reader of these sources, each a file or a folder, and what lies in them; errors are those that reading them would raise."""
    assert options.ceiling.memory is not None
    how = {"asked": asdict(options.asked), "limits": asdict(options.limits)} if text else None
    said = {"sources": list(sources), "wanted": asdict(wanted), "memory": options.ceiling.memory // 4, "text": how}
    quotas = Quotas(machine_memory())
    with listening(shown, {"scale": said}, quotas) as reader:
        head = raised(reader.incoming.json())
        if text and head == {"whole": True}:
            raise Whole
        if field_of(int, head, "sources") != len(sources):
            raise Untrue("other sources than were asked for")
        found = [_described(raised(reader.incoming.json()), wanted, text=text) for _ in sources]
        yield Reader(reader, found, quotas.memory)


def _described(said: Any, wanted: Wanted, *, text: bool) -> Described:
    files, rows = texts_of(said, "files"), whole_of(said, "rows")
    groups = [whole_of({"each": each}, "each") for each in field_of(list, said, "groups")]
    types, sha256 = field_of(dict, said, "types"), field_of(str, said, "sha256")
    fits = len(files) == len(rows) == len(groups) and all(sum(parts) == whole for parts, whole in zip(groups, rows, strict=True))
    if not files or not fits or min(rows) < 0 or any(min(parts, default=0) < 0 for parts in groups) or not SHA256.fullmatch(sha256):
        raise Untrue("rows that do not add up")
    if set(types) != set(wanted.scores):
        raise Untrue("other columns than were asked for")
    in_text = _in_text(field_of(dict, said, "text"), sum(rows)) if text else None
    return Described(field_of(str, said, "path"), sha256, files, rows, groups, types, _labels(said, sum(rows)), in_text)


def _in_text(said: Any, rows: int) -> InText:
    unlabelled = whole_of(said, "unlabelled")
    if not all(0 <= row < rows for row in unlabelled) or len(unlabelled) > MOST_EXAMPLES:
        raise Untrue("rows that are none")
    notes = tuple(map(note_of, field_of(list, said, "notes")))
    odd = {name: _unread(found, rows) for name, found in field_of(dict, said, "unread").items()}
    return InText(field_of(int, said, "first"), unlabelled, texts_of(said, "like_labels"), notes, odd)


def _unread(said: Any, rows: int) -> Unread:
    missing, wrong, nan = (_cells(field_of(dict, said, kind), rows) for kind in ("missing", "wrong", "nan"))
    if field_of(int, said, "rows") != rows or not 0 < missing.total + wrong.total + nan.total <= rows:
        raise Untrue("cells that are none")
    return Unread(rows, missing, wrong, nan)


def _cells(said: Any, rows: int) -> Cells:
    found, total = whole_of(said, "rows"), field_of(int, said, "total")
    if len(found) != min(total, MOST_EXAMPLES) or not all(0 <= row < rows for row in found):
        raise Untrue("rows that are none")
    return Cells(found, total, field_of(str, said, "first"))


def _labels(said: Any, rows: int) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for pair in field_of(list, said, "labels"):
        match pair:
            case [value, int(cases)] if isinstance(value, PLAIN) and cases > 0:
                found[value] += cases
            case _:
                raise Untrue("labels that are none")
    if found.total() > rows:
        raise Untrue("more labels than rows")
    return found


class ParquetPieces:
    """The cases of one score. The positive label is known; a score that is missing is refused where it lies."""

    can_leave_out = True

    def __init__(self, reader: Reader, wanted: Wanted, value: Any, memory: int, *, lower_is_positive: bool = False) -> None:
        self.reader, self.score, self.lower_is_positive = reader, wanted.scores[0], lower_is_positive
        self.asked = {"label": wanted.label, "score": self.score, "value": value}
        files = [file for part in reader.found for file in part.files]
        self.rows: int | None = sum(sum(part.rows) for part in reader.found)
        self.place = in_tables(files, [rows for part in reader.found for rows in part.rows])
        groups = [parts for part in reader.found for parts in part.groups]
        self.pieces = [piece for file, parts in enumerate(groups) for piece in _together(file, parts, max(memory // BYTES_A_ROW, 1))]

    def begin(self, first: int, *, positives: bool = False) -> Generator[Piece]:
        """The pieces from this one on. Where scores are missing, all of them are found before that is said."""
        gone, total, row = list[int](), 0, sum(rows for _, _, rows in self.pieces[:first])
        asked = [Asked(*piece, positives, **self.asked) for piece in self.pieces[first:]]
        for labels, scores, rows in self.reader.answers(asked):
            try:
                piece = Piece(labels, self._checked(scores), rows)
            except InputError as error:
                where = error.problems[0].where
                if error.code != "BR201":
                    raise error.moved(self.place) from None
                gone, total = [*gone, *(row + each for each in where.rows)], total + where.total
            else:
                if not total:
                    yield piece
            row += rows
        if total and positives:  # those of the negatives too
            yield from self.begin(0)
        if total:
            raise no_rank(quoted(self.score), gone[:3], total).moved(self.place)

    def _checked(self, scores: Array) -> Array:
        ranked = as_scores(Column(quoted(self.score), scores))
        return turned({self.score: ranked})[0][self.score] if self.lower_is_positive else ranked


def _together(file: int, groups: Sequence[int], most: int) -> Iterator[tuple[int, int, int]]:
    """Row groups as pieces of about the same number of rows: (file, first row, rows)."""
    begin, rows, target = 0, 0, min(ROWS, most)
    for group in groups:
        if rows and rows + group > target:
            yield file, begin, rows
            begin, rows = begin + rows, 0
        rows += group
        while rows > most:
            yield file, begin, most
            begin, rows = begin + most, rows - most
    if rows:
        yield file, begin, rows


def key_of(found: Sequence[Described], *said: object) -> str:
    """What a checkpoint is bound to: the digests of the sources, how they are cut into pieces, and what was asked."""
    return json.dumps([[part.sha256, part.rows, part.groups] for part in found] + [repr(each) for each in said])
