"""Reading delimited text: every line accounted for, and none read that does not fit.

Two ways lead to the same table. The careful one, in Python, says what is right and names the line of whatever is not; the fast one, by
DuckDB, is taken for large plain files, and believed only where nothing about its answer is in doubt.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace

from baserate.engines import careful_csv, fast_csv, records, streams
from baserate.engines.compressed import Limits
from baserate.engines.dialects import Asked, Dialect, Text, decoded, detect
from baserate.engines.wanted import Table, Wanted
from baserate.errors import refuse_file

FAST_FROM = 1 << 20  # bytes; below, the careful way takes less time than DuckDB takes to load
TOTALS = frozenset({"total", "totals", "grand total", "sum", "subtotal", "gesamt", "summe"})
NOTHING_ASKED = Asked()


def read_csv(path: str, wanted: Wanted, asked: Asked = NOTHING_ASKED, limits: Limits | None = None) -> Table:
    """The wanted columns of a delimited text file, compressed or not; "-" is standard input."""
    with streams.opened(path, limits) as plain:
        return table_of(plain, wanted, asked)


def table_of(plain: streams.Plain, wanted: Wanted, asked: Asked = NOTHING_ASKED, fast_from: int = FAST_FROM) -> Table:
    """The table in a file whose bytes lie plain."""
    asked = asked.checked()
    with decoded(plain.shown, plain.path, asked.encoding) as text:
        dialect = detect(text, wanted.columns, asked)
        _check_end(text, dialect)
        read = _fast(text, dialect, asked, fast_from)
        table = (read and read(wanted)) or careful_csv.read(text, dialect, wanted, asked)
    return replace(table, sha256=plain.sha256, notes=(*plain.notes, *text.notes, *dialect.notes, *table.notes))


def _fast(text: Text, dialect: Dialect, asked: Asked, fast_from: int) -> Callable[[Wanted], Table | None] | None:
    """The fast way, where the file is large and plain enough for it."""
    if text.facts.size < fast_from or asked.decimal == "," or asked.percent or asked.thousands or not fast_csv.is_plain(text, dialect):
        return None
    return lambda wanted: fast_csv.read(text, dialect, wanted)


def _check_end(text: Text, dialect: Dialect) -> None:
    """A line of totals below the cases is no case. With quotes in the file, the last line may be a part of a record."""
    if text.facts.quotes:
        return
    fields = next(csv.reader([records.last_line(text.path)], delimiter=dialect.delimiter), [])
    first = next((field.strip() for field in fields if field.strip()), "")
    if len(fields) > 1 and first.casefold() in TOTALS:
        line = records.lines_in(text.path, text.facts)
        raise refuse_file(text.shown, "BR617", f'the last line seems to hold totals ("{first}"), not a case', "remove that line", (line,), 1)
