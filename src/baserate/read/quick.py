"""Files that are read without NumPy, which takes longer to load than they take to read: JSON lines
that a program wrote, and Parquet of which the cases are counted where they lie.
"""

from __future__ import annotations

import json
import os
from typing import IO, Any

from baserate.read import json_scan, streams
from baserate.read.sandbox import send_tables
from baserate.read.table import MISSING, Codes, ColumnRoles, InLines, Table, packed


def is_possible(source: str, wanted: ColumnRoles) -> bool:
    """Whether to try: a Parquet file, or JSON of which nothing is wanted but labels and numbers."""
    if not os.path.isfile(source) or source in streams.STDIN:  # noqa: PTH113
        return False
    kind = streams.file_kind(_head(source), source)
    return kind == "Parquet" or (kind == "JSON" and wanted.texts == (wanted.label,))


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(streams.HEAD)


def has_sent(out: IO[bytes], path: str, wanted: ColumnRoles) -> bool:
    """Sends the table, or gives False where another way has to read the file."""
    streams.checked_regular(path)
    head = _head(path)
    streams.check_readable(head, path)
    if streams.file_kind(head, path) == "Parquet":
        from baserate.read.parquet import send_parquet

        send_parquet(out, path, wanted)
        return True
    if not json_scan.begins(path, wanted):
        return False
    with streams.opened(path) as plain:
        table = _of_lines(plain, wanted)
    if table is not None:
        send_tables(out, [table])
    return table is not None


def _of_lines(plain: streams.Plain, wanted: ColumnRoles) -> Table | None:
    found = json_scan.scanned(plain.path, wanted)
    if found is None:
        return None
    label = _labels(found.texts[wanted.label]) if wanted.label in found.texts else None
    if label is None:
        return None
    columns: dict[str, Any] = {wanted.label: label, **found.numbers}
    return Table(
        plain.shown,
        {name: columns[name] for name in wanted.columns},
        found.rows,
        sha256=plain.sha256,
        place=InLines(plain.shown, 1),
        notes=plain.notes,
        styles=dict.fromkeys(wanted.numbers),
    )


def _labels(texts: json_scan.Texts) -> Codes | None:
    """Labels of one kind, none of them missing: whole numbers, bools or texts."""
    try:
        values = [json.loads(text) for text in texts.values]
    except ValueError:
        return None
    kinds = {type(value) for value in values}
    if kinds == {str}:
        missing = any(value.strip() in MISSING for value in values)
        return None if missing else Codes(values, texts.codes)
    if kinds == {bool} or (kinds == {int} and all(-(2**63) <= value < 2**63 for value in values)):
        kind = "?" if kinds == {bool} else "q"
        return Codes(packed(kind, values), texts.codes)
    return None
