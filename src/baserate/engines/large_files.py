"""Counting files under a ceiling on memory: Parquet and delimited text piece by piece, whatever else as a whole, where that fits."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import reduce
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from baserate.counts import Counts
from baserate.engines import kinds
from baserate.engines.careful_csv import PLAIN_LABELS
from baserate.engines.cases import UNLIKE_LABELS, swapped
from baserate.engines.checkpoints import check_place
from baserate.engines.chunks import as_counts
from baserate.engines.columns import Cells, Column, Unread, as_column
from baserate.engines.confined import is_possible
from baserate.engines.confined_pieces import Described, ParquetPieces, Reader, Whole, described, key_of
from baserate.engines.csv_files import FAST_FROM
from baserate.engines.files import PARQUET, PARTS, SCHEME, WILD, Options, check_unused, data_files_of, has_folders, together
from baserate.engines.labels import Decision, decide, fitting
from baserate.engines.parquet_pieces import MOST_LABELS
from baserate.engines.passes import count_pieces
from baserate.engines.scores import as_scores
from baserate.engines.streams import STDIN
from baserate.engines.text_lines import InLines
from baserate.engines.treatments import TURNED, Treatment
from baserate.engines.typed import objects
from baserate.engines.wanted import Table, Wanted
from baserate.errors import MOST_EXAMPLES, Findings, Fix, InputError, number_of, quoted, refuse, refuse_file
from baserate.notes import Ledger, Note, Source, checked_design, counted_twice

PACKED = "packed"


class Sources(NamedTuple):
    """Files that are read piece by piece, or a folder of them: Parquet, or delimited text."""

    paths: list[str]
    text: bool = False


def sources_in_pieces(source: str, *, short: bool = False) -> Sources | None:
    """What is read piece by piece; None where a source is read as a whole, as text is that is short, unless `short` is to be too."""
    if SCHEME.match(source) or source in STDIN:
        return None
    if os.path.isdir(source):  # noqa: PTH112
        found = data_files_of(source)
        if all(path.casefold().endswith(PARQUET) for path in found):  # or it lies in folders within
            return Sources([source]) if found or has_folders(source) else None
    elif os.path.lexists(source):
        found = [source]
    else:
        found = sorted(glob.glob(source, recursive=True)) if WILD.search(source) and not PARTS.fullmatch(source) else []  # noqa: PTH207
    there = {_kind_of(path) for path in found}
    if there == {"Parquet"} and not os.path.isdir(source):  # noqa: PTH112
        return Sources(found)
    is_text = bool(there) and there <= {kinds.TEXT, PACKED}
    return Sources(found, text=True) if is_text and (short or PACKED in there or _length(found) >= FAST_FROM) else None


def _kind_of(path: str) -> str | None:
    """Parquet, text or packed text, and None for what is none of them."""
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    with open(path, "rb") as file:
        kind = kinds.kind_of(file.read(kinds.HEAD), path)
    if kind in kinds.COMPRESSED:
        return PACKED if kinds.name_of(path).ending not in kinds.ENDINGS else None
    return kind if kind in ("Parquet", kinds.TEXT) else None


def _length(paths: Sequence[str]) -> int:
    return sum(map(os.path.getsize, paths))


def count_large(source: str, sources: Sources, wanted: Wanted, options: Options) -> dict[str, Counts] | None:
    """The counts of each score column, by its name, one after the other; None where text has to be read as a whole."""
    try:
        with _described(source, sources, wanted, options) as (reader, decision):
            return {name: _counted(reader, replace(wanted, scores=(name,)), decision, options) for name in wanted.scores}
    except Whole:
        return None


@contextmanager
def pieces_of(
    source: str, sources: Sources, wanted: Wanted, options: Options
) -> Iterator[tuple[dict[str, ParquetPieces], tuple[Note, ...], Ledger]]:
    """The same cases once for each score, to be read side by side, what was noted, and what is read. `Whole` where that cannot be."""
    with _described(source, sources, wanted, options) as (reader, decision):
        assert options.ceiling.memory is not None
        alone = {name: replace(wanted, scores=(name,)) for name in wanted.scores}
        share, low, value = options.ceiling.memory // len(alone), options.treatment.lower_is_positive, _written(decision, reader)
        pieces = {name: ParquetPieces(reader, one, value, share, lower_is_positive=low) for name, one in alone.items()}
        yield pieces, (*_notes(reader.found, decision), *((TURNED,) if low else ())), _ledger(reader.found, wanted, decision)


@contextmanager
def _described(source: str, sources: Sources, wanted: Wanted, options: Options) -> Iterator[tuple[Reader, Decision]]:
    check_place(options.ceiling.resume)
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
    """Refuse scores of texts that are no numbers, as they are where all cases are read at once."""
    texts = [(part.text, sum(part.rows)) for part in found if part.text]
    if not any(name in text.unread for text, _ in texts):
        return
    nothing = Cells(), Cells(), Cells()
    whole = reduce(Unread.above, (text.unread.get(name) or Unread(rows, *nothing) for text, rows in texts))
    try:
        as_scores(as_column(whole, quoted(name)))
    except InputError as error:
        table = _table(source, found)
        assert table is not None
        raise error.moved(table.place) from None


def _written(decision: Decision, reader: Reader) -> Any:
    """The positive label as the copy of a text has it, or as Parquet does."""
    return decision.value if decision.value is None or reader.found[0].text is None else str(decision.value)


def _check_text(wanted: Wanted, options: Options) -> None:
    """What is refused of Parquet, and whatever is asked for in an odd way, can be had of a text that is read as a whole."""
    odd = _needs_all(wanted, options) or wanted.label in wanted.scores or len(set(wanted.scores)) < len(wanted.scores)
    if odd or not is_possible():
        raise Whole


def _needs_all(wanted: Wanted, options: Options) -> list[str]:
    """What was said that needs more than a pass over pieces: treatments, weights and whatever lies beside."""
    treatment = asdict(replace(options.treatment, lower_is_positive=False))
    said = [name for name, value in treatment.items() if value != asdict(Treatment())[name]]
    beside = [part for part in ("weight", "group", "id", "amount", "day", "cluster", "currency") if getattr(wanted, part) is not None]
    return said + beside


def _check_possible(source: str, wanted: Wanted, options: Options) -> None:
    """Nothing that was said is ignored."""
    needs_all = _needs_all(wanted, options)
    if needs_all:
        what, option = needs_all[0].replace("_", " "), needs_all[0].replace("_", "-")
        fix = Fix(f"leave out {needs_all[0]}, or memory", f"leave out --{option}, or --memory")
        raise refuse_file(source, "BR943", f"{what} needs every case at once, and not piece by piece", fix)
    if len(wanted.scores) > 1 and options.ceiling.resume is not None:
        raise refuse_file(source, "BR943", "a run that can be resumed counts one score", "count one score at a time")


def _decided(source: str, found: list[Described], wanted: Wanted) -> Decision:
    labels: Counter[Any] = sum((part.labels for part in found), Counter())
    name, table = quoted(wanted.label), _table(source, found)
    if len(labels) > MOST_LABELS:
        text = f"{name} has more than {number_of(MOST_LABELS, 'value')}; need 2"
        raise refuse_file(source, "BR103", text, "name the column that says which cases are positive")
    if table is not None and labels.keys() <= PLAIN_LABELS:  # a text has no types: see careful_csv.labels
        labels = Counter({int(label): labels[label] for label in sorted(labels)})
    known = np.array([value for value in labels if value is not None]) if not any(isinstance(each, str) for each in labels) else None
    try:
        column, times = Column(name, objects(list(labels))), np.array(list(labels.values()), dtype=np.int64)
        return decide(column, fitting(wanted.positive, column.values if known is None else known), times, keyword="positive")
    except InputError as error:
        if table is None:
            raise error.moved(lambda where: replace(where, path=source)) from None
        raise _in_text(error, found, name, wanted).moved(table.place) from None


def _table(source: str, found: Sequence[Described]) -> Table | None:
    """Texts as one table without columns, which knows its notes and on which lines its rows lie; None for Parquet."""
    parts = [
        Table(part.path, {}, sum(part.rows), place=InLines(part.path, part.text.first), notes=part.text.notes) for part in found if part.text
    ]
    return together(source, parts) if parts else None


def _notes(found: Sequence[Described], decision: Decision) -> tuple[Note, ...]:
    """What was noted of the files, and of their labels; and that one was given twice, as where counts are added."""
    table = _table("", found)
    seen, twice = set[str](), list[str]()
    for part in found:
        twice += [part.path] if part.sha256 in seen else []
        seen.add(part.sha256)
    return (*(table.notes if table else ()), *decision.notes, *map(counted_twice, twice))


def _in_text(error: InputError, found: Sequence[Described], label: str, wanted: Wanted) -> InputError:
    """What is wrong with labels, as it is said of a text that is read as a whole: with the rows that have none, or as swapped."""
    begins = accumulate((sum(part.rows) for part in found), initial=0)
    parts = [(begin, part.text) for begin, part in zip(begins, found, strict=False) if part.text]
    rows = tuple(begin + row for begin, text in parts for row in text.unlabelled)[:MOST_EXAMPLES]
    like_labels = [name for name in wanted.scores if all(name in text.like_labels for _, text in parts)]
    if error.code in UNLIKE_LABELS and like_labels:
        return swapped(label, like_labels[0])
    return error.moved(lambda where: replace(where, rows=rows)) if error.code == "BR105" else error


def _counted(reader: Reader, wanted: Wanted, decision: Decision, options: Options) -> Counts:
    ceiling, low, found = options.ceiling, options.treatment.lower_is_positive, reader.found
    assert ceiling.memory is not None
    pieces = ParquetPieces(reader, wanted, _written(decision, reader), ceiling.memory, lower_is_positive=low)
    asked = (ceiling.memory, ceiling.approx, ceiling.thresholds, wanted.label, wanted.scores, decision.value, low, options.asked)
    kept = count_pieces(pieces, ceiling, key_of(found, *asked))
    ledger = _ledger(found, wanted, decision)
    rows = ledger.rows_read
    held = int(kept.cells.positives.sum()) + int(kept.cells.negatives.sum())
    if held != rows:  # every row is accounted for, or nothing is said
        raise refuse("BR999", f"{rows} rows were read, and {held} counted", "report it")
    return as_counts(kept, ledger, (*_notes(found, decision), *((TURNED,) if low else ())))


def _ledger(found: list[Described], wanted: Wanted, decision: Decision) -> Ledger:
    """Every row of every source is used."""
    positive = "" if decision.value is None else str(decision.value)
    sources = tuple(Source(part.path, part.sha256, sum(part.rows), sum(part.rows), 0, wanted.label, positive, wanted.weight) for part in found)
    rows = sum(source.rows_read for source in sources)
    return Ledger(rows, rows, 0, sources, wanted.design)
