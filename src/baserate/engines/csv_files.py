"""Reading delimited text: every line accounted for, and none read that does not fit.

Two ways lead to the same table. The careful one, in Python, says what is right and names the line of whatever is not; the fast one, by
DuckDB, is taken for large plain files, and believed only where nothing about its answer is in doubt.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator
from dataclasses import replace

from baserate.engines import careful_csv, fast_csv, records, streams
from baserate.engines.compressed import Limits
from baserate.engines.dialects import Asked, Dialect, Text, decoded, detect
from baserate.engines.wanted import Table, Wanted
from baserate.errors import refuse_file
from baserate.notes import Note

FAST_FROM = 1 << 20  # bytes; below, the careful way takes less time than DuckDB takes to load
TOTALS = frozenset({"total", "totals", "grand total", "sum", "subtotal", "gesamt", "summe"})
NOTHING_ASKED = Asked()


def read_csv(path: str, wanted: Wanted, asked: Asked = NOTHING_ASKED, limits: Limits | None = None) -> Table:
    """The wanted columns of a delimited text file, compressed or not; "-" is standard input."""
    with streams.opened(path, limits) as plain:
        return table_of(plain, wanted, asked)


def table_of(
    plain: streams.Plain, wanted: Wanted, asked: Asked = NOTHING_ASKED, fast_from: int = FAST_FROM, *, untreated: bool = False
) -> Table:
    """The table in a file whose bytes lie plain. Where odd scores are `untreated`, one that is refused for them may come as `Unread`."""
    with understood(plain, wanted, asked) as (text, dialect):
        fast = text.facts.size >= fast_from and is_fast(text, dialect, asked)
        table = (fast and fast_csv.read(text, dialect, wanted, plain=untreated)) or careful_csv.read(text, dialect, wanted, asked.checked())
    return replace(table, sha256=plain.sha256, notes=(*notes_of(plain, text, dialect), *table.notes))


@contextlib.contextmanager
def understood(plain: streams.Plain, wanted: Wanted, asked: Asked) -> Iterator[tuple[Text, Dialect]]:
    """The text of a file, and how it is written."""
    asked = asked.checked()
    with decoded(plain.shown, plain.path, asked.encoding) as text:
        dialect = detect(text, wanted.columns, asked)
        _check_end(text, dialect)
        yield text, dialect


def notes_of(plain: streams.Plain, text: Text, dialect: Dialect) -> tuple[Note, ...]:
    """What was found out before a row was read."""
    return (*plain.notes, *text.notes, *dialect.notes)


def is_fast(text: Text, dialect: Dialect, asked: Asked) -> bool:
    """Whether the file, and what was said of it, is plain enough for DuckDB."""
    return asked.decimal != "," and not asked.percent and not asked.thousands and fast_csv.is_plain(text, dialect)


def _check_end(text: Text, dialect: Dialect) -> None:
    """A line of totals below the cases is no case. With quotes in the file, the last line may be a part of a record."""
    if text.facts.quotes:
        return
    fields = next(csv.reader([records.last_line(text.path)], delimiter=dialect.delimiter), [])
    first = next((field.strip() for field in fields if field.strip()), "")
    if len(fields) > 1 and first.casefold() in TOTALS:
        line = records.lines_in(text.path, text.facts)
        raise refuse_file(text.shown, "BR617", f'the last line seems to hold totals ("{first}"), not a case', "remove that line", (line,), 1)
