"""Parquet files as pieces, read by a process of its own: described once, and then read as often as counting needs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.engines.answers import SHA256, field_of, raised, texts_of, whole_of
from baserate.engines.columns import Column
from baserate.engines.confined import listening
from baserate.engines.crossing import Untrue
from baserate.engines.pieces import Piece
from baserate.engines.quotas import Quotas, machine_memory
from baserate.engines.scores import as_scores, no_rank
from baserate.engines.table_rows import in_tables
from baserate.engines.treatments import turned
from baserate.engines.wanted import Wanted
from baserate.errors import InputError, quoted

# Rows in a piece: fewer row groups than this are put together, and a row group of more than the ceiling allows is read in parts.
ROWS = 1 << 20
BYTES_A_ROW = 256
PLAIN = (bool, int, float, str, type(None))


class Described(NamedTuple):
    """A source: its files with the rows of each, of its row groups, their state, the types of the scores, and how often each label occurs."""

    path: str
    sha256: str
    files: list[str]
    rows: tuple[int, ...]
    groups: list[tuple[int, ...]]
    states: list[tuple[int, ...]]
    types: dict[str, str]
    labels: Counter[Any]


def describe(sources: Sequence[str], shown: str, wanted: Wanted, memory: int) -> list[Described]:
    """What lies in these sources, each a file or a folder; errors are those that reading them would raise."""
    said = {"sources": list(sources), "wanted": asdict(wanted), "memory": memory // 4}
    with listening(shown, {"scale": said}, Quotas(machine_memory())) as incoming:
        head = raised(incoming.json())
        if field_of(int, head, "sources") != len(sources):
            raise Untrue("other sources than were asked for")
        return [_described(raised(incoming.json()), wanted) for _ in sources]


def _described(said: Any, wanted: Wanted) -> Described:
    files, rows = texts_of(said, "files"), whole_of(said, "rows")
    groups, states = ([whole_of({"each": each}, "each") for each in field_of(list, said, name)] for name in ("groups", "states"))
    types, sha256 = field_of(dict, said, "types"), field_of(str, said, "sha256")
    fits = len(files) == len(rows) == len(groups) == len(states) and all(sum(parts) == whole for parts, whole in zip(groups, rows, strict=True))
    if not files or not fits or min(rows) < 0 or any(min(parts, default=0) < 0 for parts in groups) or not SHA256.fullmatch(sha256):
        raise Untrue("rows that do not add up")
    if set(types) != set(wanted.scores):
        raise Untrue("other columns than were asked for")
    return Described(field_of(str, said, "path"), sha256, files, rows, groups, states, types, _labels(said, sum(rows)))


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

    def __init__(self, found: Sequence[Described], wanted: Wanted, value: Any, memory: int, *, lower_is_positive: bool = False) -> None:
        self.score, self.memory, self.lower_is_positive = wanted.scores[0], memory, lower_is_positive
        self.files = [file for part in found for file in part.files]
        self.rows: int | None = sum(sum(part.rows) for part in found)
        self.place = in_tables(self.files, [rows for part in found for rows in part.rows])
        self.said = {
            "files": self.files,
            "states": [state for part in found for state in part.states],
            "types": [part.types[self.score] for part in found for _ in part.files],
            "label": wanted.label,
            "score": self.score,
            "value": value,
            "memory": memory // 4,
        }
        groups = [parts for part in found for parts in part.groups]
        self.pieces = [piece for file, parts in enumerate(groups) for piece in _together(file, parts, max(memory // BYTES_A_ROW, 1))]

    def begin(self, first: int, *, positives: bool = False) -> Generator[Piece]:
        """The pieces from this one on. Where scores are missing, all of them are found before that is said."""
        gone, total, row = list[int](), 0, sum(rows for _, _, rows in self.pieces[:first])
        for labels, scores, rows in self._received(first, positives=positives):
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

    def _received(self, first: int, *, positives: bool) -> Iterator[tuple[Array, Array, int]]:
        quotas = Quotas(machine_memory())
        asked = self.said | {"pieces": self.pieces[first:], "positives": positives}
        with listening(self.files[0], {"scale": asked}, quotas) as incoming:
            for _, _, rows in self.pieces[first:]:
                incoming.left = quotas.memory  # of what came before, nothing is held
                said = raised(incoming.json())
                sent = field_of(int, said, "sent")
                if field_of(int, said, "rows") != rows or not 0 <= sent <= rows or (sent < rows and not positives):
                    raise Untrue("a piece of another length")
                labels = np.ones(sent, dtype=np.bool_) if positives else incoming.column(sent)
                if labels.dtype != np.bool_:
                    raise Untrue("labels that are no bools")
                yield labels, incoming.column(sent), rows
            if raised(incoming.json()) != {"end": True}:
                raise Untrue("no end")

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
