"""One table of cases in a locked DuckDB connection: numbers, labels and texts of every source are
judged here, in SQL.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import (
    Findings,
    Fix,
    InputError,
    Note,
    Where,
    escaped,
    number_of,
    quoted,
    refuse,
    refuse_file,
)
from baserate.read.columns import FLOAT_DIGITS, mask_of, objects
from baserate.read.duckdb import check_memory, foreign_errors, literally, locked
from baserate.read.streams import Plain
from baserate.read.table import (
    MISSING,
    MOST_VALUES,
    Codes,
    ColumnRoles,
    InLines,
    Table,
    identifier,
    with_gaps,
)
from baserate.read.text import Bytes, Dialect, Records, Text, TextOptions, as_utf8, understand

# What is true of a number as it is written: it has a fraction or an exponent, or more digits than a
# float keeps.
FRACTION, ROUNDED = 1, 2
MISSING_NUMBERS = MISSING | {"-", "?"}
# So that an empty field stays an empty text.
NEVER = "\x01\x02\x03"
# DuckDB is told every column by name.
MOST_COLUMNS = 2000
# Bytes of a line for DuckDB, and of its buffer, which is else as large as several of the longest
# lines.
LINE, BUFFER = 1_000_000, 8_000_000
EXACT = 2**53
BLANKS = "' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)"
WITH_COMMA = "[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?"
WHOLE = "[+-]?[0-9]+"
# One to three digits, a comma and three more are a thousand and some to one half of the world, and
# one and some to the other.
EITHER = "[+-]?[1-9][0-9]{0,2},[0-9]{3}"


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written in a text: the signs between digits, and the columns of
    percentages.
    """

    decimal: str = "."
    thousands: str | None = None
    percent: frozenset[str] = frozenset()


@dataclass
class CaseTable:
    """The view `cases` of a connection: one row per case, and where the rows lie.

    `row` counts from 0. The label is `y`, a column of texts `t0`, `t1` …, NULL where it is missing.
    A number is `n0`, `n1` … with `o`, the text of what is no number (NULL otherwise); `f`, what
    is true of its spelling; and `b`, the number where it is whole and beyond 2**53.
    """

    connection: Any
    wanted: ColumnRoles
    parts: list[Table] = field(default_factory=list)  # the files, without columns
    missing: frozenset[str] = MISSING_NUMBERS

    def number(self, name: str, kind: str = "n") -> str:
        """Return the SQL name of a column of numbers."""
        return f"{kind}{self.wanted.numbers.index(name)}"

    def text(self, name: str) -> str:
        """Return the SQL name of a column of texts."""
        return f"t{self.wanted.texts.index(name)}"

    def is_missing(self, name: str) -> str:
        """Return the condition that a number is missing or NaN."""
        odd, number = self.number(name, "o"), self.number(name)
        return f"coalesce({is_among(odd, self.missing)} OR isnan({number}), false)"

    def labels(self, raw: list[Any]) -> list[Any]:
        """Return labels as Python has them."""
        return plain_labels(raw)

    def check_kinds(self, name: str, condition: str) -> None:
        """Refuse numbers of several types."""

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        found: list[tuple[Any, ...]] = self.connection.execute(query).fetchall()
        return found

    def rows(self, condition: str, most: int = 3) -> list[int]:
        """Return the first rows of which a condition is true."""
        query = f"SELECT row FROM cases WHERE {condition} ORDER BY row LIMIT {most}"
        return [row for (row,) in self.ask(query)]

    def arrays(self, columns: Mapping[str, str], condition: str = "true") -> dict[str, Array]:
        """Return columns of the rows of which a condition is true, in the order of the rows."""
        chosen = ", ".join(f"{column} AS {identifier(name)}" for name, column in columns.items())
        order = " ORDER BY row" if len(self.parts) > 1 else ""
        query = f"SELECT {chosen} FROM cases WHERE {condition}{order}"
        found: dict[str, Array] = self.connection.execute(query).fetchnumpy()
        return found

    def values(self, name: str, condition: str = "true") -> Any:
        """Return a column of texts: codes where there are few of them."""
        column = self.text(name)
        query = f"SELECT DISTINCT {column} FROM cases WHERE {condition} AND {column} IS NOT NULL"
        found = self.ask(f"{query} LIMIT {MOST_VALUES + 1}")
        words = [word for (word,) in found]
        if len(words) > MOST_VALUES or not words or not isinstance(words[0], str):
            values = self.arrays({"values": column}, condition)["values"]
            gone = mask_of(values)
            if gone is None:
                return np.asarray(values)
            held = np.asarray(values).astype(object)
            held[gone] = None
            return held
        listed = ", ".join(map(sql_text, sorted(words)))
        kind = identifier(f"words {column}")
        self.connection.execute(f"DROP TYPE IF EXISTS {kind}")
        self.connection.execute(f"CREATE TEMP TYPE {kind} AS ENUM ({listed})")
        codes = self.arrays({"codes": f"enum_code(CAST({column} AS {kind}))"}, condition)["codes"]
        return Codes(*with_gaps(sorted(words), np.asarray(codes), mask_of(codes)))

    def columns(self) -> dict[str, Any]:
        """Return every requested column as lists in memory have them."""
        wanted = self.wanted
        labels = self.labels([label for (label,) in self.ask("SELECT y FROM cases ORDER BY row")])
        found: dict[str, Any] = {name: self.numbers(name) for name in wanted.numbers}
        found |= {name: self.values(name) for name in wanted.texts if name != wanted.label}
        if wanted.label not in wanted.numbers:
            found[wanted.label] = objects(labels)
        return found

    def numbers(self, name: str, condition: str = "true") -> Any:
        """Return a column of numbers as lists in memory have them: the text of what is none, None
        where one is missing.
        """
        number, odd, flags, large = (self.number(name, kind) for kind in "nofb")
        is_whole = f"({flags} & {FRACTION}) = 0 AND NOT isinf({number})"
        some_odd, whole, some_large = self.ask(
            f"SELECT count({odd}) > 0, bool_and({is_whole}) FILTER (WHERE {odd} IS NULL),"
            f" count({large}) > 0 FROM cases WHERE {condition}"
        )[0]
        value = f"coalesce({large}, CAST({number} AS BIGINT))" if whole else number
        if not some_odd and (whole or not some_large):
            return np.asarray(self.arrays({"n": value}, condition)["n"])
        text = f"CASE WHEN {self.is_missing(name)} THEN NULL ELSE {odd} END"
        found = self.ask(
            f"SELECT {text}, {odd} IS NULL, {number}, {large}, TRY_CAST({number} AS HUGEINT)"
            f" FROM cases WHERE {condition} ORDER BY row"
        )
        return objects(
            [
                text if not good else big if big is not None else round_ if whole else number
                for text, good, number, big, round_ in found
            ]
        )


def plain_labels(labels: list[Any]) -> list[Any]:
    """Return labels of a file without types: nothing but 0 and 1 are numbers, any other text."""
    if not {label for label in labels if label is not None} <= {"0", "1"}:
        return labels
    return [None if label is None else int(label) for label in labels]


# ----------------------------------------------------------------------
# SQL of texts and numbers.


def sql_text(value: str) -> str:
    """Return a text as SQL takes it."""
    return "'" + value.replace("'", "''") + "'"


def is_among(column: str, words: frozenset[str]) -> str:
    """Return the condition that a text, without outer blanks, is one of these."""
    return is_one_of(f"trim({column}, {BLANKS})", map(sql_text, sorted(words)))


def is_one_of(column: str, values: Iterable[str]) -> str:
    """Return the condition that a value is one of these.

    Not by IN, of which DuckDB makes a join: that loses the order of rows.
    """
    cases = " ".join(f"WHEN {value} THEN true" for value in values)
    return f"CASE {column} {cases} ELSE false END" if cases else "false"


def text_sql(column: str, words: frozenset[str] = MISSING) -> str:
    """Return a text, or NULL where it says that there is no value."""
    return f"CASE WHEN {is_among(column, words)} THEN NULL ELSE {column} END"


def number_sql(name: str, column: str, place: int, how: NumberFormat, missing: Any) -> str:
    """Return the columns of a number that is written as text."""
    plain = column
    if how.thousands:
        mark, point = (escape_pattern(sign) for sign in (how.thousands, how.decimal))
        form = rf"[+-]?[0-9]{{1,3}}({mark}[0-9]{{3}})+({point}[0-9]*)?%?"
        whole = f"regexp_full_match(trim({column}, {BLANKS}), {sql_text(form)})"
        bare = f"replace({column}, {sql_text(how.thousands)}, '')"
        plain = f"CASE WHEN {whole} THEN {bare} ELSE {column} END"
    if how.decimal == ",":
        plain = f"CASE WHEN contains({plain}, '.') THEN NULL ELSE replace({plain}, ',', '.') END"
    if name in how.percent:
        bare = f"trim({plain}, {BLANKS})"
        digits = f"rtrim(substr({bare}, 1, length({bare}) - 1)) || 'e-2'"
        plain = f"CASE WHEN suffix({bare}, '%') THEN {digits} END"
        unit = f"suffix(trim({column}, {BLANKS}), '%') OR {is_among(column, missing)}"
        column = f"CASE WHEN {unit} THEN {column} ELSE trim({column}, {BLANKS}) || ' (not %)' END"
    # DuckDB also takes underscores between digits, and two signs.
    strange = f"contains({plain}, '_') OR contains({plain}, '+-')"
    exponent = f"contains({plain}, '.') OR contains({plain}, 'e') OR contains({plain}, 'E')"
    # What is not long need not be looked at.
    digits = f"trim(replace(split_part(lower({plain}), 'e', 1), '.', ''), ' +-0')"
    long = f"strlen({plain}) > {FLOAT_DIGITS + 1} AND strlen({digits}) > {FLOAT_DIGITS}"
    number, flags = f"n{place}", f"f{place}"
    flag = f"CASE WHEN {exponent} THEN {FRACTION} ELSE 0 END"
    flag += f" + CASE WHEN {long} THEN {ROUNDED} ELSE 0 END"
    # An infinity that is not spelled ("inf") is a number too large to hold.
    odd = f"{number} IS NULL OR isnan({number})"
    odd += f" OR (isinf({number}) AND NOT contains(lower({column}), 'n'))"
    large = f"abs({number}) >= {EXACT} AND ({flags} & {FRACTION}) = 0"
    return (
        f"CASE WHEN {strange} THEN NULL ELSE TRY_CAST({plain} AS DOUBLE) END AS {number},"
        f" CAST(coalesce({flag}, 0) AS UTINYINT) AS {flags},"
        f" CASE WHEN {odd} THEN coalesce({column}, '') END AS o{place},"
        f" CASE WHEN {large} THEN TRY_CAST({plain} AS BIGINT) END AS b{place}"
    )


def escape_pattern(sign: str) -> str:
    """Return a sign as a regular expression has it."""
    return "\\." if sign == "." else sign


def select_texts(
    wanted: ColumnRoles, columns: Mapping[str, str], how: NumberFormat, missing: frozenset[str]
) -> str:
    """Return the columns of `cases` from columns of texts."""
    parts = [f"{text_sql(columns[wanted.label])} AS y"]
    named = {wanted.group, wanted.id, *wanted.beside.values()}
    parts += [
        f"{text_sql(columns[name])} AS t{place}"
        for place, name in enumerate(wanted.texts)
        if name in named
    ]
    parts += [
        number_sql(name, columns[name], place, how, missing)
        for place, name in enumerate(wanted.numbers)
    ]
    return ", ".join(parts)


# ----------------------------------------------------------------------
# Tables of cases, and delimited text in them.


@contextlib.contextmanager
def opened_texts(
    plains: Sequence[Plain], wanted: ColumnRoles, asked: TextOptions
) -> Iterator[CaseTable]:
    """Give the cases of delimited text files that are one table."""
    with contextlib.ExitStack() as stack:
        texts = [
            stack.enter_context(as_utf8(plain.shown, plain.path, asked.encoding))
            for plain in plains
        ]
        # Others are read by Python's csv module.
        printable = [text.path for text in texts if text.path.isprintable()]
        connection = stack.enter_context(locked([os.path.abspath(path) for path in printable]))  # noqa: PTH100
        cases = CaseTable(connection, wanted)
        for plain, text in zip(plains, texts, strict=True):
            with of_one_table(cases):
                part = load_text(cases, text, asked, len(cases.parts))
            notes = (*plain.notes, *part.notes)
            cases.parts.append(replace(part, sha256=plain.sha256, notes=notes))
        make_view(cases)
        yield cases


@contextlib.contextmanager
def of_one_table(cases: CaseTable) -> Iterator[None]:
    """Say of a file that lacks a column which the first one has that it is none of theirs."""
    try:
        yield
    except InputError as error:
        if not cases.parts or error.code != "BR613":
            raise
        problem, first = error.problems[0], cases.parts[0].path
        text = f"{problem.text}, while {escaped(first)} has every requested column"
        fix = "give files of one table"
        raise refuse_file(problem.where.path or "", "BR704", text, fix) from None


def make_view(cases: CaseTable) -> None:
    """Make the view `cases` of all parts."""
    begin, parts = 0, []
    for place, part in enumerate(cases.parts):
        parts.append(f"SELECT *, rowid + {begin} AS row FROM part{place}")
        begin += part.rows - part.refused
    cases.connection.execute(f"CREATE TEMP VIEW cases AS {' UNION ALL '.join(parts)}")


def load_text(cases: CaseTable, text: Text, asked: TextOptions, place: int) -> Table:
    """Read a text into a table of its own: by DuckDB where every line is a record, else by
    Python's csv module.
    """
    wanted = cases.wanted
    dialect, found = understand(text, wanted.columns, asked)
    percent = frozenset(wanted.numbers if asked.percent else ())
    how = NumberFormat(asked.decimal or ".", asked.thousands, percent)
    loading = Loading(cases, text, dialect, found, asked, f"part{place}")
    part = loading.load(how)
    # In a column of percentages a bare number is in another unit, or a slip.
    of_percent = frozenset(name for name in percent if loading.has_percents(name))
    if of_percent != percent:
        how = replace(how, percent=of_percent)
        part = loading.load(how)
    notes = (*text.notes, *dialect.notes, *part.notes)
    if asked.decimal is None and not asked.thousands and loading.has_decimal_commas(part):
        how = replace(how, decimal=",")
        part = loading.load(how)
        said = "numbers are written with a decimal comma, everywhere in the file"
        notes = (*notes, Note("BR612", said, Fix.option("decimal", ".")))
    if how.decimal == ",":
        loading.check_points(part)
    return replace(part, notes=notes)


@dataclass
class Loading:
    """A text on its way into a table."""

    cases: CaseTable
    text: Text
    dialect: Dialect
    found: Bytes
    asked: TextOptions
    name: str

    def load(self, how: NumberFormat) -> Table:
        """Read the text, and drop what an earlier reading made of it."""
        return self._by_duckdb(how) or self._by_csv_module(how)

    def _begin(self, select: str) -> None:
        connection = self.cases.connection
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")
        connection.execute(f"CREATE TEMP TABLE {self.name} AS {select}")

    def _by_duckdb(self, how: NumberFormat) -> Table | None:
        """Return the table where DuckDB reads as many records as there are lines; None where there
        is any doubt.
        """
        rows = self.found.lines - self.dialect.skip
        if rows < 1 or not self._is_plain():
            return None
        names, wanted = self.dialect.names, self.cases.wanted
        columns = {name: f"c{names.index(name)}" for name in wanted.columns}
        told = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
        path = sql_text(literally(os.path.abspath(self.text.path)))  # noqa: PTH100
        scan = (
            f"read_csv({path}, auto_detect = false, columns = {{{told}}},"
            f" delim = {sql_text(self.dialect.delimiter)}, quote = '\"', escape = '\"',"
            f" header = false, skip = {self.dialect.skip}, nullstr = {sql_text(NEVER)},"
            " compression = 'none', encoding = 'utf-8', strict_mode = true, comment = '',"
            " null_padding = false, ignore_errors = false, store_rejects = false,"
            f" hive_partitioning = false, max_line_size = {LINE}, buffer_size = {BUFFER})"
        )
        chosen = select_texts(wanted, columns, how, self.cases.missing)
        try:
            self._begin(f"SELECT {chosen} FROM {scan}")
        except foreign_errors() as error:
            check_memory(self.text.shown, error)
            return None
        if self.cases.ask(f"SELECT count(*) FROM {self.name}") != [(rows,)]:
            return None
        return Table(
            self.text.shown, {}, rows, place=InLines(self.text.shown, self.dialect.skip + 1)
        )

    def _is_plain(self) -> bool:
        """Whether DuckDB and RFC 4180 read the file alike."""
        names = self.dialect.names
        return (
            self.found.plain
            and not self.dialect.padded
            and len(names) <= MOST_COLUMNS
            and self.text.path.isprintable()
        )

    def _by_csv_module(self, how: NumberFormat) -> Table:
        wanted = self.cases.wanted
        columns = {name: f"c{place}" for place, name in enumerate(wanted.columns)}
        chosen = select_texts(wanted, columns, how, self.cases.missing)
        texts = ", ".join(f"CAST(NULL AS VARCHAR) AS {column}" for column in columns.values())
        self._begin(f"SELECT {chosen} FROM (SELECT {texts} LIMIT 0)")
        records = Records(self.text, self.dialect, wanted.columns, self.asked)
        for batch in records.batches():
            insert_values(self.cases.connection, self.name, chosen, columns.values(), batch)
        return Table(
            self.text.shown,
            {},
            len(records.lines) + len(records.ragged),
            len(records.ragged),
            place=InLines.of(self.text.shown, records.lines),
            notes=tuple(records.notes),
        )

    def has_percents(self, name: str) -> bool:
        """Whether a column has any percentage."""
        odd = self.cases.number(name, "o")
        return self.cases.ask(
            f"SELECT count(*) FROM {self.name} WHERE {odd} IS NULL OR NOT suffix({odd}, '(not %)')"
            f" AND NOT {is_among(odd, self.cases.missing)}"
        ) != [(0,)]

    def has_decimal_commas(self, part: Table) -> bool:
        """Whether every number of every column agrees on a decimal comma, which cannot be one where
        it separates columns.
        """
        if self.dialect.delimiter == ",":
            return False
        commas = either = others = 0
        first = None
        for name in self.cases.wanted.numbers:
            odd, flags = self.cases.number(name, "o"), self.cases.number(name, "f")
            bare = f"trim({odd}, {BLANKS})"
            is_comma = f"regexp_full_match({bare}, '{WITH_COMMA}')"
            number = self.cases.number(name)
            is_other = f"{odd} IS NULL AND (({flags} & {FRACTION}) <> 0 OR isinf({number}))"
            is_other += f" OR NOT {is_comma} AND NOT {is_among(odd, self.cases.missing)}"
            found = self.cases.ask(
                f"SELECT count(*) FILTER (WHERE {is_comma}),"
                f" count(*) FILTER (WHERE regexp_full_match({bare}, '{EITHER}')),"
                f" count(*) FILTER (WHERE {is_other}),"
                f" min(rowid) FILTER (WHERE {is_comma}) FROM {self.name}"
            )[0]
            commas, either, others = commas + found[0], either + found[1], others + found[2]
            if first is None and found[3] is not None:
                first = name, found[3]
        if first is None or others:
            return False
        if either == commas:
            name, row = first
            odd = self.cases.number(name, "o")
            text = self.cases.ask(f"SELECT {odd} FROM {self.name} WHERE rowid = {row}")[0][0]
            what = f"{quoted(name)} has numbers such as {quoted(text.strip())}"
            error = refuse("BR208", f"{what}: thousands, or decimals?", Fix.option("decimal", ","))
            raise error.moved(lambda _: part.place(Where(rows=(row,), total=1)))
        return True

    def check_points(self, part: Table) -> None:
        """Refuse a point where the comma is the decimal sign: it separates thousands, or stands in
        a number of another making.
        """
        findings = Findings()
        for name in self.cases.wanted.numbers:
            odd = self.cases.number(name, "o")
            found = self.cases.ask(
                f"SELECT rowid, {odd} FROM {self.name} WHERE contains({odd}, '.') ORDER BY rowid"
            )
            if found:
                what = (
                    f"{quoted(name)} has {number_of(len(found), 'value')} with a point, such as"
                    f" {quoted(found[0][1])}: the decimal sign is a comma"
                )
                rows = [row for row, _ in found]
                fix = "write no thousands separators"
                with findings:
                    raise refuse("BR208", what, fix, rows[:3], len(rows)).moved(part.place)
        findings.settle()


def insert_values(
    connection: Any, table: str, chosen: str, columns: Any, values: Sequence[Sequence[Any]]
) -> None:
    """Add rows that Python holds, column by column, to a table."""
    names = list(columns)
    arrays = dict(zip(names, map(objects, values), strict=True))
    connection.register("given", arrays)
    texts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in names)
    connection.execute(f"INSERT INTO {table} SELECT {chosen} FROM (SELECT {texts} FROM given)")
    connection.unregister("given")
