"""Counting a CSV file: every line accounted for, and none read that does not fit.

This is the plain reader: UTF-8, commas, a header. It reads whole columns into memory.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from baserate.counts import Counts
from baserate.engines.arrays import count_cases
from baserate.engines.cases import Names, checked
from baserate.engines.columns import Column
from baserate.errors import Findings, Fix, InputError, Problem, Where, grouped, quoted
from baserate.notes import Ledger, Note, Source

MISSING = frozenset({"", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None"})
MISSING_NUMBERS = MISSING | {"-", "?"}
MAGIC = {b"\x1f\x8b": "gzip", b"PAR1": "Parquet", b"\x28\xb5\x2f\xfd": "zstd", b"PK": "zip", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
AMOUNTS = ("amount", "price", "value", "eur", "usd", "loss")


@dataclass(frozen=True)
class Table:
    """The columns asked for, and the line on which each row begins."""

    columns: dict[str, list[str]]
    lines: list[int]


def count_csv(path: str, *, label: str, scores: Sequence[str], positive: str | None = None, weight: str | None = None) -> dict[str, Counts]:
    """The counts of each score column of a CSV file, by its name."""
    _check_names(path, scores)
    before = _state(path)
    digest = _sha256(path)
    table = _read(path, [label, *scores, *([weight] if weight else [])])
    if _state(path) != before:
        raise _refused(path, "BR611", "changed while it was read", "run again when it is complete")
    rows = len(table.lines)
    try:
        counted = _counted(table, label, scores, positive, weight)
    except InputError as error:
        raise error.moved(lambda where: _in_file(path, table, where)) from None
    source = Source(path, digest, rows, rows, 0, label, counted[1])
    ledger = Ledger(rows, rows, 0, (source,))
    return {name: Counts._of(c._cells, ledger, c._recorded) for name, c in counted[0].items()}


def _counted(table: Table, label: str, scores: Sequence[str], positive: str | None, weight: str | None) -> tuple[dict[str, Counts], str]:
    names = Names(label=quoted(label), weight=quoted(weight or ""))
    cases = checked(
        _labels(table.columns[label], positive),
        {name: _values(table.columns[name], MISSING_NUMBERS) for name in scores},
        pos_label=positive,
        sample_weight=_values(table.columns[weight], MISSING_NUMBERS) if weight else None,
        names=names,
    )
    if weight and any(word in weight.casefold() for word in AMOUNTS):
        text = f"{quoted(weight)} looks like an amount of money: as a weight it makes an expensive case count as many cases"
        cases = cases._replace(notes=(*cases.notes, Note("BR305", text)))
    findings, counted = Findings(), {}
    for name in scores:
        with findings:
            counted[name] = count_cases(cases, name)
    findings.settle()
    return counted, "" if cases.decision.value is None else str(cases.decision.value)


def _labels(texts: list[str], positive: str | None) -> np.ndarray | Column:
    """A file has no types: 0 and 1 are numbers here, unless the positive class is named (then everything is compared as text)."""
    plain = positive is None and set(texts) <= {"0", "1"}
    return np.array(texts, dtype=np.int64) if plain else _values(texts, MISSING)


def _values(texts: list[str], missing: frozenset[str]) -> np.ndarray:
    values = np.empty(len(texts), dtype=object)
    values[:] = [None if text.strip() in missing else text for text in texts]
    return values


def _read(path: str, wanted: Sequence[str]) -> Table:
    """The wanted columns of every row; a row with more or fewer fields than the header is refused, and all of them are named."""
    _check_kind(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = _rows(path, csv.reader(file, strict=True))
        _, header = next(rows, (1, []))
        _check_header(path, header, wanted)
        places = [header.index(name) for name in wanted]
        columns: dict[str, list[str]] = {name: [] for name in wanted}
        lines, ragged = [], []
        for line, row in rows:
            if len(row) != len(header):
                ragged.append((line, len(row)))
                continue
            lines.append(line)
            for name, place in zip(wanted, places, strict=True):
                columns[name].append(row[place])
    while ragged and ragged[-1] == (ragged[-1][0], 0) and (not lines or ragged[-1][0] > lines[-1]):
        ragged.pop()  # blank lines at the end
    if ragged:
        found = ", ".join(f"{count} fields" for _, count in ragged[:3])
        where = Where(path, lines=tuple(line for line, _ in ragged[:3]), total=len(ragged))
        text = f"{grouped(len(ragged))} of {grouped(len(ragged) + len(lines))} rows do not have the header's {len(header)} fields ({found})"
        raise InputError(Problem("BR605", text, Fix.everywhere("correct or remove those lines"), where))
    if not lines:
        raise _refused(path, "BR603", "has a header but no rows", "give a file with cases")
    return Table(columns, lines)


def _rows(path: str, reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins (a quoted field may hold line breaks)."""
    line: Callable[[], int] = lambda: reader.line_num  # type: ignore[attr-defined] # noqa: E731
    try:
        while True:
            begins = line() + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            yield begins, row
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise _refused(path, "BR601", f"byte 0x{byte:02X} after line {line()} is not UTF-8", "save the file as UTF-8") from None
    except csv.Error as error:
        text = f"the CSV is broken in the record that begins on line {begins}: {error}"
        raise _refused(path, "BR614", text, "close the quotes and remove control characters there") from None


def _check_kind(path: str) -> None:
    with open(path, "rb") as file:
        start = file.read(4)
    if not start:
        raise _refused(path, "BR602", "is empty (0 bytes)", "give a file with a header and cases")
    kind = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
    if kind:
        raise _refused(path, "BR610", f"is {kind}, not plain CSV", "convert it to plain UTF-8 CSV first")


def _check_header(path: str, header: list[str], wanted: Sequence[str]) -> None:
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise _refused(path, "BR606", f"has more than one column {quoted(repeated[0])}", "rename one of them")
    absent = [name for name in wanted if name not in header]
    if not absent:
        return
    if all(_is_number(name) for name in header):
        raise _refused(path, "BR604", "has no header: its first line holds only numbers", "add a line with the names of the columns")
    near = difflib.get_close_matches(absent[0], header, n=1) or [name for name in header if name.casefold() == absent[0].casefold()]
    hint = f"did you mean {quoted(near[0])}?" if near else "use one of those"
    split = next((sign for sign in ";\t|" if len(header) == 1 and sign in header[0]), None)
    if split:
        hint = f"the separator seems to be {split!r}: save the file with commas"
    columns = ", ".join(map(quoted, header[:8])) + (" …" if len(header) > 8 else "")
    raise _refused(path, "BR613", f"has no column {quoted(absent[0])}; it has {columns}", hint.rstrip("?") if near else hint)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_names(path: str, scores: Sequence[str]) -> None:
    repeated = [name for name in scores if list(scores).count(name) > 1]
    if repeated:
        raise _refused(path, "BR407", f"the score {quoted(repeated[0])} was asked for twice", "name each score once")


def _in_file(path: str, table: Table, where: Where) -> Where:
    return replace(where, path=path, rows=(), lines=tuple(table.lines[row] for row in where.rows))


def _state(path: str) -> tuple[int, int]:
    found = os.stat(path)  # noqa: PTH116
    return found.st_size, found.st_mtime_ns


def _sha256(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refused(path: str, code: str, text: str, fix: str) -> InputError:
    return InputError(Problem(code, text, Fix.everywhere(fix), Where(path=path)))
