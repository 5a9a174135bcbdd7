"""Delimited text as DuckDB is told to read it, and what its numbers have to be; the same for a file in memory and for one in pieces.

Nothing is left for DuckDB to guess: the separator, quotes, the number of columns and their type (text) are said, no line is skipped or
filled up, and no column comes from the names of folders. Every number has to be one to DuckDB, to Python, and to the rules of scores.py alike;
else there is doubt, and the careful way reads the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from baserate.engines import careful_csv
from baserate.engines.columns import Unread
from baserate.engines.dialects import Dialect
from baserate.engines.duckdb_columns import From
from baserate.engines.locked_duckdb import literally

SAMPLE = 1 << 11  # rows by which the style of numbers is guessed
NEVER = "\x01\x02\x03"  # so that an empty field stays an empty text

# A text in which no decimal digit can be lost: with fifteen of them no two numbers become one float.
SHORT = "strlen({0}) <= 15 AND NOT contains({0}, 'e') AND NOT contains({0}, 'E')"
# A text that is what DuckDB writes for its number: of those no two belong to one number either.
WRITTEN = "CAST(TRY_CAST({0} AS DOUBLE) AS VARCHAR) = {0}"
# An infinity that is not spelled ("inf") is a number too large to hold.
BEYOND = "isinf(TRY_CAST({0} AS DOUBLE)) AND NOT contains(lower({0}), 'n')"
FRACTION, STRANGE, UNWRITTEN = 1, 2, 4
FLAGS = (
    f"CAST(CASE WHEN contains({{0}}, '.') OR contains({{0}}, 'e') OR contains({{0}}, 'E') THEN {FRACTION} ELSE 0 END"
    f" + CASE WHEN contains({{0}}, '_') OR contains({{0}}, '+-') OR ({BEYOND}) THEN {STRANGE} ELSE 0 END"
    f" + CASE WHEN {{1}} THEN 0 ELSE {UNWRITTEN} END AS UTINYINT)"
)
# One number that is written in two ways: they may be two numbers, which only exact arithmetic can tell.
MERGED = "GROUP BY TRY_CAST({0} AS DOUBLE) HAVING min({0}) <> max({0}) LIMIT 1"


# A cell that holds no number, or one that says so.
NO_NUMBER = "TRY_CAST({0} AS DOUBLE) IS NULL OR isnan(TRY_CAST({0} AS DOUBLE))"
PIECE = 1 << 16


class Doubt(Exception):  # noqa: N818 (never reaches a user)
    """Something that the careful way has to look at."""


class Seen(NamedTuple):
    """The numbers of a column: whether one is missing or NaN, what is true of any text, whether all are finite, and one beyond 2^53."""

    gone: bool
    flags: int
    finite: bool
    large: bool

    def are_whole(self) -> bool:
        """Whether they are whole numbers, or floats; what scores.py would look at twice is left to it."""
        if self.gone or self.flags & STRANGE:
            raise Doubt
        whole = self.finite and not self.flags & FRACTION
        if self.large and not whole:
            raise Doubt
        return whole


def column_at(dialect: Dialect, name: str) -> str:
    """What DuckDB calls a column: names of our own, so that nothing in a header is SQL and "Y" is not "y"."""
    return f"c{dialect.names.index(name)}"


def number_at(at: str, style: str | None = None) -> str:
    """A number and what there is to say of its text, as two columns; `style` is that in which all texts may be written (".18e")."""
    # Where each text is what one style makes of its number, no number has two texts: that is seen row by row, and nothing is grouped.
    alone = f"({SHORT}) OR {WRITTEN}" if style is None else f"{{0}} = format('{{{{:{style}}}}}', TRY_CAST({{0}} AS DOUBLE))"
    return f"TRY_CAST({at} AS DOUBLE) AS {at}, {FLAGS.format(at, alone.format(at))} AS f{at}"


def unread_at(connection: Any, scan: From, at: str, places: Iterable[int], rows: int, delimiter: str) -> Unread:
    """What to say of the cells of a column that are no numbers, and lie in these rows; their texts are read one by one and not kept."""
    query = f"SELECT {at} FROM {scan.sql} WHERE {NO_NUMBER.format(at)}"  # noqa: S608
    found = connection.cursor().execute(query, list(scan.parameters))
    odd = careful_csv.unread(rows, zip(places, _without_commas(fetched(found), delimiter), strict=True))
    if not odd.missing.total + odd.wrong.total + odd.nan.total:  # Python reads them all
        raise Doubt
    return odd


def fetched(result: Any) -> Iterator[Any]:
    """The values of a result of one column."""
    while piece := result.fetchmany(PIECE):
        yield from (value for (value,) in piece)


def _without_commas(texts: Iterable[str], delimiter: str) -> Iterator[str]:
    """A comma may be a decimal sign where it does not separate: the careful way finds that out, over all numbers of the file."""
    for text in texts:
        if "," in text and delimiter != ",":
            raise Doubt
        yield text


def style_at(connection: Any, scan: From, at: str) -> str | None:
    """The one style of the first numbers of a column, where it is not one of those that are known anyhow."""
    query = f"SELECT {at} AS t, {number_at(at)} FROM {scan.sql} LIMIT {SAMPLE}"  # noqa: S608
    rows = connection.execute(query, list(scan.parameters)).fetchall()
    return style_of([text for text, _, _ in rows]) if any(flags & UNWRITTEN for _, _, flags in rows) else None


def style_of(texts: Sequence[str]) -> str | None:
    """How a program printed these numbers, as Python's and DuckDB's `format` say it, if it printed all of them in one way."""
    digits = len(texts[0].lower().partition("e")[0].partition(".")[2])
    styles = (f".{digits}e", f".{digits}E", f".{digits}f", ".16g", ".17g", ".18g")
    return next((style for style in styles if all(_is_printed(text, style) for text in texts)), None)


def _is_printed(text: str, style: str) -> bool:
    try:
        return format(float(text), style) == text
    except ValueError:
        return False


def scan_of(path: str, dialect: Dialect, more: str = "") -> From:
    """Every record, each field a text."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(dialect.names)))
    told = (
        f"read_csv(?, auto_detect = false, columns = {{{columns}}}, delim = ?, quote = '\"', escape = '\"',"
        " header = false, skip = ?, nullstr = ?, compression = 'none', encoding = 'utf-8', strict_mode = true, null_padding = false,"
        f" ignore_errors = false, store_rejects = false, comment = '', hive_partitioning = false{more})"
    )
    return From(told, (literally(path), dialect.delimiter, dialect.skip + dialect.header, NEVER), steady=True)
