"""Counting a CSV file: every line accounted for, and none read that does not fit.

This is the plain reader: UTF-8, commas, a header, a regular file that fits in memory.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.cells import Array
from baserate.counts import Counts
from baserate.engines.arrays import count_cases
from baserate.engines.cases import Cases, Names, checked
from baserate.engines.columns import group_codes
from baserate.errors import Findings, InputError, Where, grouped, quoted, refuse_file
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.kernels import Cells
from baserate.notes import RANDOM, Ledger, Note, Source, checked_design

MISSING = frozenset({"", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None"})
MISSING_NUMBERS = MISSING | {"-", "?"}
MAGIC = {b"\x1f\x8b": "gzip", b"PAR1": "Parquet", b"\x28\xb5\x2f\xfd": "zstd", b"PK": "zip", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
AMOUNTS = ("amount", "price", "value", "eur", "usd", "loss")
MOST_NAMES = 8


@dataclass(frozen=True)
class Table:
    """The columns asked for, and the line on which each row begins."""

    columns: dict[str, list[str]]
    lines: list[int]


class Columns(NamedTuple):
    """Which columns of the file are what."""

    label: str
    scores: Sequence[str]
    positive: str | None = None
    weight: str | None = None
    group: str | None = None


def count_csv(
    path: str, *, label: str, scores: Sequence[str], positive: str | None = None, weight: str | None = None, design: str = RANDOM
) -> dict[str, Counts]:
    """The counts of each score column of a CSV file, by its name."""
    read = _read(path, Columns(label, scores, positive, weight), design)
    try:
        counted = _counted(read.cases, scores)
    except InputError as error:
        raise error.moved(read.place) from None
    return {name: Counts._of(counts._cells, read.cases.ledger, counts._recorded) for name, counts in counted.items()}


def count_models_csv(
    path: str, *, label: str, scores: Sequence[str], positive: str | None = None, group: str | None = None, design: str = RANDOM
) -> tuple[JointCounts, dict[str, JointCounts]]:
    """The scores that each model gave the same cases, and the same for each group of cases, by its name, where a column is given."""
    cases = _read(path, Columns(label, scores, positive, None, group), design).cases
    if cases.groups is None:
        return _joint(cases), {}
    names, codes = group_codes(cases.groups)
    shown = group_names(names)
    slices = {shown[code]: _joint(_alone(cases, np.flatnonzero(codes == code))) for code in range(len(names))}
    return _joint(cases), dict(sorted(slices.items()))


def count_groups_csv(
    path: str, *, label: str, score: str, group: str, positive: str | None = None, weight: str | None = None, design: str = RANDOM
) -> GroupedCounts:
    """The counts of one score column, group by group."""
    cases = _read(path, Columns(label, [score], positive, weight, group), design).cases
    positives, negatives, notes = cases.one_by_one()
    names, codes = group_codes(cases.groups) if cases.groups is not None else ((), np.empty(0, dtype=np.intp))
    return GroupedCounts._gathered(names, codes, Cells(cases.kept_scores()[score], positives, negatives), cases.ledger, notes)


def _joint(cases: Cases) -> JointCounts:
    positives, negatives, notes = cases.one_by_one()
    return JointCounts._of(cases.kept_scores(), positives, negatives, cases.ledger, notes)


def _alone(cases: Cases, rows: Array) -> Cases:
    """Some of the rows, with a ledger of their own: they are a part of the file, and name no source twice."""
    ledger = replace(cases.ledger, rows_read=len(rows), rows_used=len(rows), sources=())
    return cases.only(rows)._replace(ledger=ledger)


def group_names(groups: Sequence[object]) -> list[str]:
    """Groups by what they are called, and the missing ones by a name that no other group has."""
    names = {str(group) for group in groups if group is not None}
    missing = "(missing)"
    while missing in names:
        missing = f"({missing})"
    return [missing if group is None else str(group) for group in groups]


@dataclass(frozen=True)
class _Read:
    """The cases of a file, and where its rows lie."""

    cases: Cases
    place: Callable[[Where], Where]


def _read(path: str, columns: Columns, design: str) -> _Read:
    repeated = [name for name in columns.scores if list(columns.scores).count(name) > 1]
    if repeated:
        raise refuse_file(path, "BR407", f"the score {quoted(repeated[0])} was asked for twice", "name each score once")
    content = _content(path)
    others = [name for name in (columns.weight, columns.group) if name is not None]
    table = _table(path, content, list(dict.fromkeys([columns.label, *columns.scores, *others])))

    def place(where: Where) -> Where:
        return _in_file(path, table, where)

    rows = len(table.lines)
    try:
        cases = _cases(table, columns)
    except InputError as error:
        raise error.moved(place) from None
    found = "" if cases.label is None else str(cases.label)
    source = Source(path, hashlib.sha256(content).hexdigest(), rows, rows, 0, columns.label, found, columns.weight)
    ledger = Ledger(rows, rows, 0, (source,), checked_design(design))
    return _Read(cases._replace(ledger=ledger), place)


def _cases(table: Table, columns: Columns) -> Cases:
    weight, group = columns.weight, columns.group
    cases = checked(
        _labels(table.columns[columns.label], columns.positive),
        {name: _values(table.columns[name], MISSING_NUMBERS) for name in columns.scores},
        pos_label=columns.positive,
        sample_weight=_values(table.columns[weight], MISSING_NUMBERS) if weight else None,
        groups=_values(table.columns[group], MISSING) if group is not None else None,
        names=Names(quoted(columns.label), quoted(weight or ""), quoted(group or "")),
    )
    if weight and any(word in weight.casefold() for word in AMOUNTS):
        text = f"{quoted(weight)} looks like an amount of money: as a weight it makes an expensive case count as many cases"
        return cases._replace(notes=(*cases.notes, Note("BR305", text)))
    return cases


def _counted(cases: Cases, scores: Sequence[str]) -> dict[str, Counts]:
    findings, counted = Findings(), {}
    for name in scores:
        with findings:
            counted[name] = count_cases(cases, name)
    findings.settle()
    return counted


def _labels(texts: list[str], positive: str | None) -> npt.NDArray[Any]:
    """A file has no types: 0 and 1 are numbers here, unless the positive class is named (then everything is compared as text)."""
    plain = positive is None and set(texts) <= {"0", "1"}
    return np.array(texts, dtype=np.int64) if plain else _values(texts, MISSING)


def _values(texts: list[str], missing: frozenset[str]) -> npt.NDArray[Any]:
    values = np.empty(len(texts), dtype=object)
    values[:] = [None if text.strip() in missing else text for text in texts]
    return values


def _content(path: str) -> bytes:
    """The bytes of a plain CSV file, read once, so that what is hashed is what is counted."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
        raise refuse_file(path, "BR615", "is not a regular file", "save the data to a file first")
    with open(path, "rb") as file:
        content = file.read()
    if not content:
        raise refuse_file(path, "BR602", "is empty (0 bytes)", "give a file with a header and cases")
    kind = next((kind for magic, kind in MAGIC.items() if content.startswith(magic)), None)
    if kind:
        raise refuse_file(path, "BR610", f"is {kind}, not plain CSV", "convert it to plain UTF-8 CSV first")
    return content


def _text(path: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte 0x{content[error.start]:02X} is not UTF-8"
        raise refuse_file(path, "BR601", wrong, "save the file as UTF-8", (line,), 1) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise refuse_file(path, "BR608", "there is a NUL character", "save the file as plain UTF-8 text", (line,), 1)
    return text


def _table(path: str, content: bytes, wanted: Sequence[str]) -> Table:
    """The wanted columns of every row; a row with more or fewer fields than the header is refused, and all of them are named."""
    rows = _rows(path, csv.reader(io.StringIO(_text(path, content), newline=""), strict=True))
    _, header = next(rows, (1, []))
    _check_header(path, header, wanted)
    columns: dict[str, list[str]] = {name: [] for name in wanted}
    places = [(values, header.index(name)) for name, values in columns.items()]
    lines, ragged = [], []
    for line, row in rows:
        if len(row) != len(header):
            ragged.append((line, len(row)))
            continue
        lines.append(line)
        for values, place in places:
            values.append(row[place])
    while ragged and ragged[-1][1] == 0 and (not lines or ragged[-1][0] > lines[-1]):
        ragged.pop()  # blank lines at the end
    if ragged:
        found = ", ".join(str(count) for _, count in ragged[:3]) + (" …" if len(ragged) > 3 else "")
        text = f"{grouped(len(ragged))} of {grouped(len(ragged) + len(lines))} rows have {found} fields instead of the header's {len(header)}"
        raise refuse_file(path, "BR605", text, "correct or remove those lines", tuple(line for line, _ in ragged), len(ragged))
    if not lines:
        raise refuse_file(path, "BR603", "has a header but no rows", "give a file with cases")
    return Table(columns, lines)


def _rows(path: str, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins (a quoted field may hold line breaks)."""
    begins = 1
    try:
        for row in reader:
            yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        text = f"the CSV is broken ({error}) in the record that begins there"
        raise refuse_file(path, "BR614", text, "close the quotes and shorten huge fields", (begins,), 1) from None


def _check_header(path: str, header: list[str], wanted: Sequence[str]) -> None:
    repeated = [name for name, times in Counter(header).items() if times > 1]
    if repeated:
        raise refuse_file(path, "BR606", f"has more than one column {quoted(repeated[0])}", "rename one of them")
    absent = [name for name in dict.fromkeys(wanted) if name not in header]
    if not absent:
        return
    if all(_is_number(name) for name in header):
        raise refuse_file(path, "BR604", "has no header: its first line holds only numbers", "add a line with the names of the columns")
    columns = ", ".join(map(quoted, header[:MOST_NAMES])) + (" …" if len(header) > MOST_NAMES else "")
    text = f"has no column {' or '.join(map(quoted, absent))}; it has {columns}"
    raise refuse_file(path, "BR613", text, _hint(header, absent))


def _hint(header: list[str], absent: list[str]) -> str:
    """What was probably meant by names that are not there."""
    split = next((sign for sign in ";\t|" if len(header) == 1 and sign in header[0]), None)
    if split:
        return f"the separator seems to be {split!r}: save the file with commas"
    for name in absent:
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and all(part in header for part in parts):
            return f"write {' '.join(f'--score {part}' for part in parts)}"
    alike = {name.casefold(): name for name in header}
    near = [match for name in absent for match in difflib.get_close_matches(name.casefold(), alike, n=1)]
    return f"perhaps {' and '.join(quoted(alike[match]) for match in near)}" if near else "use one of those"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _in_file(path: str, table: Table, where: Where) -> Where:
    return replace(where, path=path, rows=(), lines=tuple(table.lines[row] for row in where.rows))
