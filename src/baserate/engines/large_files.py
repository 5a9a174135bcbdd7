"""Counting files under a ceiling on memory: Parquet piece by piece, whatever else as a whole, where that fits."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from baserate.counts import Counts
from baserate.engines import kinds
from baserate.engines.checkpoints import check_place
from baserate.engines.chunks import as_counts
from baserate.engines.columns import Column
from baserate.engines.confined_pieces import Described, ParquetPieces, Reader, described, key_of
from baserate.engines.files import PARQUET, PARTS, SCHEME, WILD, Options, check_unused, data_files_of
from baserate.engines.labels import Decision, decide, fitting
from baserate.engines.parquet_pieces import MOST_LABELS
from baserate.engines.passes import count_pieces
from baserate.engines.streams import STDIN
from baserate.engines.treatments import TURNED, Treatment
from baserate.engines.typed import objects
from baserate.engines.wanted import Wanted
from baserate.errors import InputError, number_of, quoted, refuse, refuse_file
from baserate.notes import Ledger, Note, Source, checked_design


def sources_in_pieces(source: str) -> list[str] | None:
    """The files or the folder that are read piece by piece; None where a source is read as a whole."""
    if SCHEME.match(source) or source in STDIN:
        return None
    if os.path.isdir(source):  # noqa: PTH112
        data = data_files_of(source)
        return [source] if all(path.casefold().endswith(PARQUET) for path in data) else None
    if os.path.lexists(source):
        found = [source]
    else:
        found = sorted(glob.glob(source, recursive=True)) if WILD.search(source) and not PARTS.fullmatch(source) else []  # noqa: PTH207
    return found if found and all(map(_is_parquet, found)) else None


def _is_parquet(path: str) -> bool:
    if not os.path.isfile(path):  # noqa: PTH113
        return False
    with open(path, "rb") as file:
        return kinds.kind_of(file.read(kinds.HEAD), path) == "Parquet"


def count_large(source: str, sources: list[str], wanted: Wanted, options: Options) -> dict[str, Counts]:
    """The counts of each score column, by its name, one after the other."""
    _check_possible(source, wanted, options)
    assert options.ceiling.memory is not None
    with described(sources, source, wanted, options.ceiling.memory) as reader:
        decision = _decided(source, reader.found, wanted)
        return {name: _counted(reader, replace(wanted, scores=(name,)), decision, options) for name in wanted.scores}


@contextmanager
def pieces_of(
    source: str, sources: list[str], wanted: Wanted, options: Options
) -> Iterator[tuple[dict[str, ParquetPieces], tuple[Note, ...], Ledger]]:
    """The same cases once for each score, to be read side by side, what was noted of their labels, and what is read."""
    _check_possible(source, wanted, options)
    assert options.ceiling.memory is not None
    with described(sources, source, wanted, options.ceiling.memory) as reader:
        decision = _decided(source, reader.found, wanted)
        alone = {name: replace(wanted, scores=(name,)) for name in wanted.scores}
        share, low = options.ceiling.memory // len(alone), options.treatment.lower_is_positive
        pieces = {name: ParquetPieces(reader, one, decision.value, share, lower_is_positive=low) for name, one in alone.items()}
        yield pieces, (*decision.notes, *((TURNED,) if low else ())), _ledger(reader.found, wanted, decision)


def _check_possible(source: str, wanted: Wanted, options: Options) -> None:
    """Weights and treatments need more than a pass over pieces; nothing that was said is ignored."""
    check_place(options.ceiling.resume)
    checked_design(wanted.design)
    check_unused(source, "Parquet", options)
    treatment = asdict(replace(options.treatment, lower_is_positive=False))
    said = [name for name, value in treatment.items() if value != asdict(Treatment())[name]]
    beside = [part for part in ("weight", "group", "id", "amount", "day", "cluster", "currency") if getattr(wanted, part) is not None]
    if said or beside:
        what = (said + beside)[0].replace("_", " ")
        raise refuse_file(source, "BR943", f"{what} needs every case at once, and not piece by piece", f"leave out {what}, or the ceiling")
    if len(wanted.scores) > 1 and options.ceiling.resume is not None:
        raise refuse_file(source, "BR943", "a run that can be resumed counts one score", "count one score at a time")


def _decided(source: str, found: list[Described], wanted: Wanted) -> Decision:
    labels: Counter[Any] = sum((part.labels for part in found), Counter())
    name = quoted(wanted.label)
    if len(labels) > MOST_LABELS:
        text = f"{name} has more than {number_of(MOST_LABELS, 'value')}; need 2"
        raise refuse_file(source, "BR103", text, "name the column that says which cases are positive")
    known = np.array([value for value in labels if value is not None]) if not any(isinstance(each, str) for each in labels) else None
    try:
        column, times = Column(name, objects(list(labels))), np.array(list(labels.values()), dtype=np.int64)
        return decide(column, fitting(wanted.positive, column.values if known is None else known), times)
    except InputError as error:
        raise error.moved(lambda where: replace(where, path=source)) from None


def _counted(reader: Reader, wanted: Wanted, decision: Decision, options: Options) -> Counts:
    ceiling, low, found = options.ceiling, options.treatment.lower_is_positive, reader.found
    assert ceiling.memory is not None
    pieces = ParquetPieces(reader, wanted, decision.value, ceiling.memory, lower_is_positive=low)
    asked = (ceiling.memory, ceiling.approx, ceiling.thresholds, wanted.label, wanted.scores, decision.value, low)
    kept = count_pieces(pieces, ceiling, key_of(found, *asked))
    ledger = _ledger(found, wanted, decision)
    rows = ledger.rows_read
    held = int(kept.cells.positives.sum()) + int(kept.cells.negatives.sum())
    if held != rows:  # every row is accounted for, or nothing is said
        raise refuse("BR999", f"{rows} rows were read, and {held} counted", "report it")
    return as_counts(kept, ledger, (*decision.notes, *((TURNED,) if low else ())))


def _ledger(found: list[Described], wanted: Wanted, decision: Decision) -> Ledger:
    """Every row of every source is used."""
    positive = "" if decision.value is None else str(decision.value)
    sources = tuple(Source(part.path, part.sha256, sum(part.rows), sum(part.rows), 0, wanted.label, positive, wanted.weight) for part in found)
    rows = sum(source.rows_read for source in sources)
    return Ledger(rows, rows, 0, sources, wanted.design)
