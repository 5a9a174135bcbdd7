"""Counting files and chunks that do not fit into memory: read in pieces, as often as it takes."""

from __future__ import annotations

import contextlib
import glob
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import reduce
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array, cuts_of
from baserate.counts.counts import Counts
from baserate.errors import (
    MOST_EXAMPLES,
    RANDOM,
    TURNED,
    Findings,
    Fix,
    InputError,
    Ledger,
    Note,
    Source,
    checked_design,
    counted_twice,
    number_of,
    quoted,
    refuse,
    refuse_file,
)
from baserate.kernels import Cells, Kernels, best
from baserate.read import streams
from baserate.read.cases import (
    UNLIKE_LABELS,
    Decision,
    as_scores,
    decide,
    fitting,
    no_rank,
    swapped,
    turned,
)
from baserate.read.columns import BadCells, Column, Unread, as_column, objects
from baserate.read.condense import (
    Chunks,
    Everything,
    Gaps,
    Piece,
    Pieces,
    Positives,
    Stage,
)
from baserate.read.csv import FAST_FROM, PLAIN_LABELS
from baserate.read.quotas import Quotas, machine_memory
from baserate.read.sandbox import (
    MOST_LABELS,
    SHA256,
    Untrue,
    field_of,
    note_of,
    raised,
    texts_of,
    whole_of,
)
from baserate.read.source import (
    PARQUET,
    PARTS,
    SCHEME,
    WILD,
    Listening,
    Options,
    check_unused,
    data_files_of,
    has_folders,
    is_possible,
    listening,
    together,
)
from baserate.read.streams import STDIN
from baserate.read.table import CELL, POSITIVE, Ceiling, ColumnRoles, InLines, Table, in_tables
from baserate.read.treatments import Treatment

# ----------------------------------------------------------------------
# Counting what does not fit: cases go by in pieces, as often as it takes, and never more is kept
# than there is room for.


class Kept(NamedTuple):
    """What counts are made of: cells, whether runs were merged, and the thresholds that were kept
    apart.
    """

    cells: Cells
    condensed: bool = False
    cuts: Array | None = None


def count_pieces(pieces: Pieces, ceiling: Ceiling, kernels: Kernels = best) -> Kept:
    """Full counts, or condensed ones where these do not fit."""
    return _Run(pieces, ceiling, kernels).kept()


class _Run:
    """One count: what is being filled, and where in which reading of the pieces it stands."""

    def __init__(self, pieces: Pieces, ceiling: Ceiling, kernels: Kernels) -> None:
        self.pieces, self.ceiling, self.kernels = pieces, ceiling, kernels
        self.reading, self.piece, self.rows = 0, 0, 0
        self.stage: Stage = Everything(ceiling.room // CELL, kernels)

    def kept(self) -> Kept:
        """Read until there is a result."""
        while True:
            self._read()
            if isinstance(self.stage, Everything):
                cells = self.stage.settle()
                if not self.stage.full:
                    return Kept(cells)
                self.stage = self._less(self.stage)
            match self.stage:
                case Positives():
                    self.stage.settle()
                    self._begin(
                        Gaps(
                            self.stage,
                            cuts_of(self.ceiling.thresholds, self.stage.kind),
                            self.kernels,
                        )
                    )
                case Gaps():
                    return Kept(self.stage.cells(), condensed=True, cuts=self.stage.cuts)

    def _begin(self, stage: Stage) -> None:
        """The next reading, from the first piece."""
        self.stage, self.reading, self.piece, self.rows = stage, self.reading + 1, 0, 0

    def _read(self) -> None:
        """Every piece that is left; from where only the positives are needed, these alone."""
        while self._goes_on():
            pass

    def _goes_on(self) -> bool:
        positives = isinstance(self.stage, Positives)
        with contextlib.closing(self.pieces.begin(self.piece, positives=positives)) as pieces:
            for piece in pieces:
                self.stage.add(piece)
                self.piece += 1
                self.rows += piece.rows
                if self.stage.full:
                    self.stage = self._less(self.stage)
                if self.ceiling.progress is not None:
                    self.ceiling.progress(self.rows, self.pieces.rows or self.rows)
                if (
                    isinstance(self.stage, Positives)
                    and not positives
                    and self.pieces.can_leave_out
                ):
                    return True
        return False

    def _less(self, stage: Stage) -> Stage:
        """What is kept from here on where every score is too much."""
        assert isinstance(stage, Everything)
        assert self.ceiling.memory is not None
        cells, room = stage.settle(), self.ceiling.room
        less = Positives.among(cells, room // POSITIVE, self.ceiling.memory)
        if stage.rest is not None:
            less.add(stage.rest)
        return less


# ----------------------------------------------------------------------
# Counting what a program makes piece by piece, under a ceiling on memory.


def count_chunks(
    chunks: Callable[[], Iterable[tuple[Any, Any]]] | Iterable[tuple[Any, Any]],
    *,
    memory: str | int,
    pos_label: Any = None,
    thresholds: Iterable[float] = (),
    design: str = RANDOM,
) -> Counts:
    """How many positives and negatives have each score, where labels and scores come in chunks and
    do not fit into memory?

    `chunks` gives pairs of labels and scores: a function that begins anew each time, or a list.
    Full counts where every distinct score fits into `memory`; otherwise the chunks are read twice,
    and the counts are condensed (see `Counts.condense`), exact for AUC and its interval, for the
    hull, and at every one of `thresholds`. Chunks that are not the same cases when they are read
    again are refused.

    >>> import baserate as br
    >>> br.count(lambda: (([0, 1], [0.1, 0.4 + i]) for i in range(3)), memory="1GB")
    Counts: 3 positives, 3 negatives, 4 distinct scores, prior 0.500
    """
    pieces = Chunks(chunks, pos_label, design)
    ceiling = Ceiling.of({"memory": memory, "thresholds": tuple(thresholds)})
    kept = count_pieces(pieces, ceiling)
    if not pieces.seen:
        raise refuse("BR602", "there are no cases in any chunk", "give chunks with cases")
    return as_counts(kept, pieces.ledger(), tuple(pieces.notes))


def as_counts(kept: Kept, ledger: Ledger, notes: tuple[Note, ...]) -> Counts:
    """Counts that say what had to be merged."""
    return Counts._of(kept.cells, ledger, (*notes, *_merged(kept)), kept.condensed, kept.cuts)


def _merged(kept: Kept) -> tuple[Note, ...]:
    if not kept.condensed:
        return ()
    kept_apart = (
        "" if kept.cuts is None else f" and {number_of(len(kept.cuts), 'requested threshold')}"
    )
    text = (
        "the scores did not all fit: runs of negatives are merged, exact for AUC and at every"
        f" positive's score{kept_apart}"
    )
    return (
        Note(
            "BR947",
            text,
            Fix("more memory, to keep every score", "a higher --memory, to keep every score"),
        ),
    )


# ----------------------------------------------------------------------
# Files as pieces, read by a process of its own: described once, and then read by the same process
# as often as counting needs.


# Rows in a piece: fewer row groups than this are put together, and a row group of more than the
# ceiling allows is read in parts.
ROWS = 1 << 20
BYTES_A_ROW = 256
PLAIN = (bool, int, float, str, type(None))


class Whole(Exception):  # noqa: N818 (never reaches a user)
    """The reader is in doubt about a text, which has to be read as a whole."""


class InText(NamedTuple):
    """What there is to say of a text: the line of its first row, the first rows without a label,
    the scores that are like labels, notes.
    """

    first: int
    unlabelled: tuple[int, ...]
    like_labels: list[str]
    notes: tuple[Note, ...]
    unread: dict[str, Unread]


class Described(NamedTuple):
    """A source: its files with the rows of each and of its row groups, the types of the scores, and
    how often each label occurs.
    """

    path: str
    sha256: str
    files: list[str]
    rows: tuple[int, ...]
    groups: list[tuple[int, ...]]
    types: dict[str, str]
    labels: Counter[Any]
    text: InText | None = None


class Reader:
    """A process that has described some sources, and reads them, for one listener or for several by
    turns.
    """

    def __init__(self, listening: Listening, found: list[Described], memory: int) -> None:
        self.incoming, self.ask, self.found, self.memory = *listening, found, memory
        self.owed = deque[RowRange]()  # answers come in this order
        self.early = dict[
            RowRange, tuple[Array, Array]
        ]()  # those that came while another was waited for
        self.unwanted = set[RowRange]()

    def answers(self, asked: Sequence[RowRange]) -> Iterator[tuple[Array, Array, int]]:
        """Labels, scores and rows of each piece. The next is requested before one is handed on: it
        is read while this one is counted.
        """
        mine = deque[RowRange]()
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

    def _wait_for(self, piece: RowRange) -> tuple[Array, Array]:
        while piece not in self.early:
            asked = self.owed.popleft()
            answer = self._answer(asked)
            if asked in self.unwanted:
                self.unwanted.remove(asked)
            else:
                self.early[asked] = answer
        return self.early.pop(piece)

    def _answer(self, asked: RowRange) -> tuple[Array, Array]:
        self.incoming.left = self.memory  # of what came before, nothing is held
        said = raised(self.incoming.json())
        sent = field_of(int, said, "sent")
        if (
            field_of(int, said, "rows") != asked.rows
            or not 0 <= sent <= asked.rows
            or (sent < asked.rows and not asked.positives)
        ):
            raise Untrue("a piece of another length")
        labels = np.ones(sent, dtype=np.bool_) if asked.positives else self.incoming.column(sent)
        if labels.dtype != np.bool_:
            raise Untrue("labels that are no bools")
        return labels, self.incoming.column(sent)


class RowRange(NamedTuple):
    """Some rows of a file, by its place among the files: all of them, or the positives alone."""

    file: int
    begin: int
    rows: int
    positives: bool
    label: str
    score: str
    value: Any


@contextmanager
def described(
    sources: Sequence[str], shown: str, wanted: ColumnRoles, options: Options, *, text: bool = False
) -> Iterator[Reader]:
    """A reader of these sources, each a file or a folder, and what lies in them; errors are those
    that reading them would raise.
    """
    assert options.ceiling.memory is not None
    how = {"asked": asdict(options.asked), "limits": asdict(options.limits)} if text else None
    said = {
        "sources": list(sources),
        "wanted": asdict(wanted),
        "memory": options.ceiling.memory // 4,
        "text": how,
    }
    quotas = Quotas(machine_memory())
    with listening(shown, {"scale": said}, quotas) as reader:
        head = raised(reader.incoming.json())
        if text and head == {"whole": True}:
            raise Whole
        if field_of(int, head, "sources") != len(sources):
            raise Untrue("other sources than were requested")
        found = [
            _described_by_reader(raised(reader.incoming.json()), wanted, text=text) for _ in sources
        ]
        yield Reader(reader, found, quotas.memory)


def _described_by_reader(said: Any, wanted: ColumnRoles, *, text: bool) -> Described:
    files, rows = texts_of(said, "files"), whole_of(said, "rows")
    groups = [whole_of({"each": each}, "each") for each in field_of(list, said, "groups")]
    types, sha256 = field_of(dict, said, "types"), field_of(str, said, "sha256")
    fits = len(files) == len(rows) == len(groups) and all(
        sum(parts) == whole for parts, whole in zip(groups, rows, strict=True)
    )
    if (
        not files
        or not fits
        or min(rows) < 0
        or any(min(parts, default=0) < 0 for parts in groups)
        or not SHA256.fullmatch(sha256)
    ):
        raise Untrue("rows that do not add up")
    if set(types) != set(wanted.scores):
        raise Untrue("other columns than were requested")
    in_text = _in_text_of_reader(field_of(dict, said, "text"), sum(rows)) if text else None
    return Described(
        field_of(str, said, "path"),
        sha256,
        files,
        rows,
        groups,
        types,
        _labels(said, sum(rows)),
        in_text,
    )


def _in_text_of_reader(said: Any, rows: int) -> InText:
    unlabelled = whole_of(said, "unlabelled")
    if not all(0 <= row < rows for row in unlabelled) or len(unlabelled) > MOST_EXAMPLES:
        raise Untrue("rows that are none")
    notes = tuple(map(note_of, field_of(list, said, "notes")))
    odd = {name: _unread(found, rows) for name, found in field_of(dict, said, "unread").items()}
    return InText(
        field_of(int, said, "first"), unlabelled, texts_of(said, "like_labels"), notes, odd
    )


def _unread(said: Any, rows: int) -> Unread:
    missing, wrong, nan = (
        _cells(field_of(dict, said, kind), rows) for kind in ("missing", "wrong", "nan")
    )
    if (
        field_of(int, said, "rows") != rows
        or not 0 < missing.total + wrong.total + nan.total <= rows
    ):
        raise Untrue("cells that are none")
    return Unread(rows, missing, wrong, nan)


def _cells(said: Any, rows: int) -> BadCells:
    found, total = whole_of(said, "rows"), field_of(int, said, "total")
    if len(found) != min(total, MOST_EXAMPLES) or not all(0 <= row < rows for row in found):
        raise Untrue("rows that are none")
    return BadCells(found, total, field_of(str, said, "first"))


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
    """The cases of one score. The positive label is known; a score that is missing is refused where
    it lies.
    """

    can_leave_out = True

    def __init__(
        self,
        reader: Reader,
        wanted: ColumnRoles,
        value: Any,
        memory: int,
        *,
        lower_is_positive: bool = False,
    ) -> None:
        self.reader, self.score, self.lower_is_positive = (
            reader,
            wanted.scores[0],
            lower_is_positive,
        )
        self.asked = {"label": wanted.label, "score": self.score, "value": value}
        files = [file for part in reader.found for file in part.files]
        self.rows: int | None = sum(sum(part.rows) for part in reader.found)
        self.place = in_tables(files, [rows for part in reader.found for rows in part.rows])
        groups = [parts for part in reader.found for parts in part.groups]
        self.pieces = [
            piece
            for file, parts in enumerate(groups)
            for piece in _together(file, parts, max(memory // BYTES_A_ROW, 1))
        ]

    def begin(self, first: int, *, positives: bool = False) -> Generator[Piece]:
        """The pieces from this one on. Where scores are missing, all of them are found before that
        is reported.
        """
        gone, total, row = list[int](), 0, sum(rows for _, _, rows in self.pieces[:first])
        asked = [RowRange(*piece, positives, **self.asked) for piece in self.pieces[first:]]
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


# ----------------------------------------------------------------------
# Counting files under a ceiling on memory: Parquet and delimited text piece by piece, whatever else
# as a whole, where that fits.


PACKED = "packed"


class Sources(NamedTuple):
    """Files that are read piece by piece, or a folder of them: Parquet, or delimited text."""

    paths: list[str]
    text: bool = False


def sources_in_pieces(source: str) -> Sources | None:
    """What is read piece by piece; None where a source is read as a whole, as short text is."""
    if SCHEME.match(source) or source in STDIN:
        return None
    if os.path.isdir(source):  # noqa: PTH112
        found = data_files_of(source)
        if all(path.casefold().endswith(PARQUET) for path in found):  # or it lies in folders within
            return Sources([source]) if found or has_folders(source) else None
    elif os.path.lexists(source):
        found = [source]
    else:
        found = (
            sorted(glob.glob(source, recursive=True))  # noqa: PTH207
            if WILD.search(source) and not PARTS.fullmatch(source)
            else []
        )
    there = {_kind_of(path) for path in found}
    if there == {"Parquet"} and not os.path.isdir(source):  # noqa: PTH112
        return Sources(found)
    is_text = bool(there) and there <= {streams.TEXT, PACKED}
    return (
        Sources(found, text=True)
        if is_text and (PACKED in there or sum(map(os.path.getsize, found)) >= FAST_FROM)
        else None
    )


def _kind_of(path: str) -> str | None:
    """Parquet, text or packed text, and None for what is none of them."""
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    with open(path, "rb") as file:
        kind = streams.file_kind(file.read(streams.HEAD), path)
    if kind in streams.COMPRESSED:
        return PACKED if streams.name_of(path).ending not in streams.ENDINGS else None
    return kind if kind in ("Parquet", streams.TEXT) else None


def count_large(
    source: str, sources: Sources, wanted: ColumnRoles, options: Options
) -> dict[str, Counts] | None:
    """The counts of each score column, by its name, one after the other; None where text has to be
    read as a whole.
    """
    try:
        with _described(source, sources, wanted, options) as (reader, decision):
            return {
                name: _counted(reader, replace(wanted, scores=(name,)), decision, options)
                for name in wanted.scores
            }
    except Whole:
        return None


@contextmanager
def _described(
    source: str, sources: Sources, wanted: ColumnRoles, options: Options
) -> Iterator[tuple[Reader, Decision]]:
    checked_design(wanted.design)
    if sources.text:
        _check_text(wanted, options)
    else:
        check_unused(source, "Parquet", options)
    _check_possible(source, wanted, options)
    with described(sources.paths, source, wanted, options, text=sources.text) as reader:
        findings, decided = Findings(), list[Decision]()
        with findings:
            decided.append(_decided(source, reader.found, wanted))
        if any(problem.code == "BR111" for problem in findings.problems):
            findings.settle()  # swapped: what else is wrong follows from that
        for name in wanted.scores:
            with findings:
                _check_read(source, reader.found, name)
        findings.settle()
        yield reader, decided[0]


def _check_read(source: str, found: Sequence[Described], name: str) -> None:
    """Refuse scores of texts that are not numbers, as they are where all cases are read at once."""
    texts = [(part.text, sum(part.rows)) for part in found if part.text]
    if not any(name in text.unread for text, _ in texts):
        return
    nothing = BadCells(), BadCells(), BadCells()
    whole = reduce(
        Unread.above, (text.unread.get(name) or Unread(rows, *nothing) for text, rows in texts)
    )
    try:
        as_scores(as_column(whole, quoted(name)))
    except InputError as error:
        table = _table(source, found)
        assert table is not None
        raise error.moved(table.place) from None


def _written(decision: Decision, reader: Reader) -> Any:
    """The positive label as the copy of a text has it, or as Parquet does."""
    return (
        decision.value
        if decision.value is None or reader.found[0].text is None
        else str(decision.value)
    )


def _check_text(wanted: ColumnRoles, options: Options) -> None:
    """What is refused of Parquet, and whatever is requested in an unusual way, is possible with a
    text that is read as a whole.
    """
    odd = (
        _needs_all(wanted, options)
        or wanted.label in wanted.scores
        or len(set(wanted.scores)) < len(wanted.scores)
    )
    if odd or not is_possible():
        raise Whole


def _needs_all(wanted: ColumnRoles, options: Options) -> list[str]:
    """Options that need more than a pass over pieces: treatments, weights and whatever lies
    beside.
    """
    treatment = asdict(replace(options.treatment, lower_is_positive=False))
    said = [name for name, value in treatment.items() if value != asdict(Treatment())[name]]
    beside = [
        part
        for part in ("weight", "group", "id", "amount", "day", "cluster", "currency")
        if getattr(wanted, part) is not None
    ]
    return said + beside


def _check_possible(source: str, wanted: ColumnRoles, options: Options) -> None:
    """No option is ignored."""
    needs_all = _needs_all(wanted, options)
    if needs_all:
        what, option = needs_all[0].replace("_", " "), needs_all[0].replace("_", "-")
        fix = Fix(f"leave out {needs_all[0]}, or memory", f"leave out --{option}, or --memory")
        raise refuse_file(
            source, "BR943", f"{what} needs every case at once, and not piece by piece", fix
        )


def _decided(source: str, found: list[Described], wanted: ColumnRoles) -> Decision:
    labels: Counter[Any] = sum((part.labels for part in found), Counter())
    name, table = quoted(wanted.label), _table(source, found)
    if len(labels) > MOST_LABELS:
        text = f"{name} has more than {number_of(MOST_LABELS, 'value')}; need 2"
        raise refuse_file(
            source, "BR103", text, "name the column that says which cases are positive"
        )
    if (
        table is not None and labels.keys() <= PLAIN_LABELS
    ):  # a text has no types: see careful_csv.labels
        labels = Counter({int(label): labels[label] for label in sorted(labels)})
    known = (
        np.array([value for value in labels if value is not None])
        if not any(isinstance(each, str) for each in labels)
        else None
    )
    try:
        column, times = (
            Column(name, objects(list(labels))),
            np.array(list(labels.values()), dtype=np.int64),
        )
        return decide(
            column,
            fitting(wanted.positive, column.values if known is None else known),
            times,
            keyword="positive",
        )
    except InputError as error:
        if table is None:
            raise error.moved(lambda where: replace(where, path=source)) from None
        raise _in_text(error, found, name, wanted).moved(table.place) from None


def _table(source: str, found: Sequence[Described]) -> Table | None:
    """Texts as one table without columns, which knows its notes and on which lines its rows lie;
    None for Parquet.
    """
    parts = [
        Table(
            part.path,
            {},
            sum(part.rows),
            place=InLines(part.path, part.text.first),
            notes=part.text.notes,
        )
        for part in found
        if part.text
    ]
    return together(source, parts) if parts else None


def _notes(found: Sequence[Described], decision: Decision) -> tuple[Note, ...]:
    """What was noted of the files, and of their labels; and that one was given twice, as where
    counts are added.
    """
    table = _table("", found)
    seen, twice = set[str](), list[str]()
    for part in found:
        twice += [part.path] if part.sha256 in seen else []
        seen.add(part.sha256)
    return (*(table.notes if table else ()), *decision.notes, *map(counted_twice, twice))


def _in_text(
    error: InputError, found: Sequence[Described], label: str, wanted: ColumnRoles
) -> InputError:
    """What is wrong with labels, as for a text that is read as a whole: with the rows
    that have none, or as swapped.
    """
    begins = accumulate((sum(part.rows) for part in found), initial=0)
    parts = [(begin, part.text) for begin, part in zip(begins, found, strict=False) if part.text]
    rows = tuple(begin + row for begin, text in parts for row in text.unlabelled)[:MOST_EXAMPLES]
    like_labels = [
        name for name in wanted.scores if all(name in text.like_labels for _, text in parts)
    ]
    if error.code in UNLIKE_LABELS and like_labels:
        return swapped(label, like_labels[0])
    return error.moved(lambda where: replace(where, rows=rows)) if error.code == "BR105" else error


def _counted(reader: Reader, wanted: ColumnRoles, decision: Decision, options: Options) -> Counts:
    ceiling, low, found = options.ceiling, options.treatment.lower_is_positive, reader.found
    assert ceiling.memory is not None
    pieces = ParquetPieces(
        reader, wanted, _written(decision, reader), ceiling.memory, lower_is_positive=low
    )
    kept = count_pieces(pieces, ceiling)
    ledger = _ledger(found, wanted, decision)
    rows = ledger.rows_read
    held = int(kept.cells.positives.sum()) + int(kept.cells.negatives.sum())
    if held != rows:  # every row is accounted for, or nothing is said
        raise refuse("BR999", f"{rows} rows were read, and {held} counted", "report it")
    return as_counts(kept, ledger, (*_notes(found, decision), *((TURNED,) if low else ())))


def _ledger(found: list[Described], wanted: ColumnRoles, decision: Decision) -> Ledger:
    """Every row of every source is used."""
    positive = "" if decision.value is None else str(decision.value)
    sources = tuple(
        Source(
            part.path,
            part.sha256,
            sum(part.rows),
            sum(part.rows),
            0,
            wanted.label,
            positive,
            wanted.weight,
        )
        for part in found
    )
    rows = sum(source.rows_read for source in sources)
    return Ledger(rows, rows, 0, sources, wanted.design)
