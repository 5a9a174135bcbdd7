"""One table of cases in a locked DuckDB connection: numbers, labels and texts of every source are
checked here, in SQL.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import isnan
from typing import Any, ClassVar

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
from baserate.numbers import INT64_MAX
from baserate.read.columns import (
    FLAG,
    FLOAT_DIGITS,
    NUMBER,
    WORD,
    from_codes,
    from_spelled,
    mask_of,
    mixed,
    objects,
    with_none,
)
from baserate.read.duckdb import (
    LOCAL,
    NUMBERS,
    check_memory,
    duckdb_kind,
    foreign_errors,
    literally,
    locked,
)
from baserate.read.streams import Plain
from baserate.read.table import (
    MISSING,
    MOST_VALUES,
    ColumnRoles,
    FileRows,
    Kind,
    RowPlaces,
    Table,
    identifier,
    in_table,
)
from baserate.read.text import Bytes, Dialect, Records, Text, TextOptions, as_utf8, understand

# What is true of a number as it is written: it has a fraction or an exponent, or more digits than a
# float keeps.
FRACTION, ROUNDED = 1, 2
MISSING_NUMBERS = MISSING | {"-", "?"}
# So that an empty field stays an empty text.
NEVER = "\x01\x02\x03"
# The text of a source with types that says that there is no value.
BLANK = frozenset({""})
# The type of a column that the names of folders spell.
IN_FOLDERS = "the name of a folder"
JSON_KINDS = (NUMBER, FLAG, WORD)
# What DuckDB calls the types of NumPy.
NUMPY_TYPES = {
    "b1": "BOOLEAN",
    "i1": "TINYINT",
    "i2": "SMALLINT",
    "i4": "INTEGER",
    "i8": "BIGINT",
    "u1": "UTINYINT",
    "u2": "USMALLINT",
    "u4": "UINTEGER",
    "u8": "UBIGINT",
    "f4": "FLOAT",
    "f8": "DOUBLE",
}
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
    A number is `n0`, `n1` … with `o`, the text of what is not a number (NULL otherwise); `f`, what
    is true of its spelling; and `b`, the number where it is whole and beyond 2**53.
    """

    connection: Any
    wanted: ColumnRoles
    parts: list[Table] = field(default_factory=list)  # the files, without columns
    missing: frozenset[str] = MISSING_NUMBERS
    memory: int | None = None  # the most bytes that may be taken
    # The name of what gives rows of `cases`, and how many; `place` is the position of a row in it.
    slices: list[tuple[str, int]] = field(default_factory=list)
    place: ClassVar[str] = "rowid"

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

    def label_number(self) -> str:
        """Return the SQL of a label that is a number."""
        return "TRY_CAST(y AS DOUBLE)"

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
        order = " ORDER BY row" if len(self.slices) > 1 else ""
        query = f"SELECT {chosen} FROM cases WHERE {condition}{order}"
        found: dict[str, Array] = self.connection.execute(query).fetchnumpy()
        return found

    def rows_of(
        self, source: str, columns: Mapping[str, str], begin: int, end: int
    ) -> dict[str, Array]:
        """Return columns of some rows of a slice."""
        chosen = ", ".join(f"{column} AS {identifier(name)}" for name, column in columns.items())
        condition = f"{self.place} >= {begin} AND {self.place} < {end}"
        query = f"SELECT {chosen} FROM {source} WHERE {condition}"
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
            return np.asarray(values) if gone is None else with_none(np.asarray(values), gone)
        listed = ", ".join(map(sql_text, sorted(words)))
        kind = identifier(f"words {column}")
        self.connection.execute(f"DROP TYPE IF EXISTS {kind}")
        self.connection.execute(f"CREATE TEMP TYPE {kind} AS ENUM ({listed})")
        codes = self.arrays({"codes": f"enum_code(CAST({column} AS {kind}))"}, condition)["codes"]
        return from_codes(sorted(words), np.asarray(codes), mask_of(codes))

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
        is_beyond = f"{is_whole} AND abs({number}) >= {EXACT} AND {large} IS NULL"
        some_odd, whole, some_large, some_beyond = self.ask(
            f"SELECT count({odd}) > 0, bool_and({is_whole}) FILTER (WHERE {odd} IS NULL),"
            f" count({large}) > 0, count(*) FILTER (WHERE {is_beyond}) > 0"
            f" FROM cases WHERE {condition}"
        )[0]
        value = f"coalesce({large}, CAST({number} AS BIGINT))" if whole else number
        if not some_odd and not some_beyond and (whole or not some_large):
            return np.asarray(self.arrays({"n": value}, condition)["n"])
        text = f"CASE WHEN {self.is_missing(name)} THEN NULL ELSE {odd} END"
        found = self.ask(
            f"SELECT {text}, {odd} IS NULL, {number}, {large}"
            f" FROM cases WHERE {condition} ORDER BY row"
        )
        return objects(
            [
                text if not good else big if big is not None else int(number) if whole else number
                for text, good, number, big in found
            ]
        )

    @property
    def first_path(self) -> str | None:
        """Return the first file, where one was added."""
        return self.parts[0].path if self.parts else None

    @property
    def next_part(self) -> str:
        """Return the name of the table of the next file."""
        return f"part{len(self.parts)}"

    def add(self, plain: Plain, part: Table) -> None:
        """Add what was read of a file."""
        self.slices.append((self.next_part, part.rows - part.refused))
        notes = (*plain.notes, *part.notes)
        self.parts.append(replace(part, sha256=plain.sha256, notes=notes))

    def replace_table(self, name: str, query: str) -> None:
        """Make a table of a query in place of what was made before."""
        self.connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
        self.connection.execute(f"CREATE TEMP TABLE {name} AS {query}")

    def make_view(self) -> None:
        """Make the view `cases` of all slices."""
        begin, parts = 0, []
        for source, rows in self.slices:
            parts.append(f"SELECT *, {self.place} + {begin} AS row FROM {source}")
            begin += rows
        self.connection.execute(f"CREATE TEMP VIEW cases AS {' UNION ALL '.join(parts)}")


class JsonCases(CaseTable):
    """Cases of JSON: the label is JSON too, and `k` says of what type a number is."""

    def labels(self, raw: list[Any]) -> list[Any]:
        return [None if label is None else json_label(label) for label in raw]

    def label_number(self) -> str:
        return f"TRY_CAST({json_text('y')} AS DOUBLE)"

    def check_kinds(self, name: str, condition: str) -> None:
        kind = self.number(name, "k")
        query = f"SELECT {kind}, count(*) FROM cases WHERE {condition} GROUP BY ALL"
        counts = {key: times for key, times in self.ask(query) if key is not None}
        kinds = Counter({JSON_KINDS[key]: counts[key] for key in sorted(counts)})
        if len(kinds) > 1:
            rarest, total = kinds.most_common()[-1]
            rows = self.rows(f"{condition} AND {kind} = {JSON_KINDS.index(rarest)}")
            error = mixed("BR208", quoted(name), kinds, rows)
            raise error.moved(lambda where: replace(where, total=total))


class TypedCases(CaseTable):
    """Cases of a source whose columns have types, such as Parquet."""

    label_types: frozenset[str] = frozenset()

    def add_arrays(self, plain: Plain, columns: Mapping[str, Array]) -> None:
        """Add columns that lie in memory."""
        held, types = dict[str, Array](), dict[str, str]()
        for number, name in enumerate(self.wanted.columns):
            held[f"c{number}"], types[name] = registrable(columns[name])
        places = {name: f"c{number}" for number, name in enumerate(self.wanted.columns)}
        self.connection.register("held", held)
        self.replace_table(self.next_part, f"SELECT {self.select(places, types)} FROM held")
        self.connection.unregister("held")
        rows = len(columns[self.wanted.label])
        self.add(plain, Table(plain.shown, rows, in_table(plain.shown, rows)))

    def select(self, columns: Mapping[str, str], types: Mapping[str, str]) -> str:
        """Return the columns of `cases` from columns of these types."""
        self.label_types |= {types[self.wanted.label]}
        return select_typed(self.wanted, columns, types)

    def labels(self, raw: list[Any]) -> list[Any]:
        if self.label_types == {IN_FOLDERS}:
            return plain_labels(raw)
        return list(from_spelled(raw)) if all(map(is_spelled, self.label_types)) else raw


def registrable(values: Array) -> tuple[Array, str]:
    """Return a column as DuckDB takes it, and what its type is called."""
    if values.dtype != object:
        native = values.astype(np.float32) if values.dtype == np.float16 else values
        return native, NUMPY_TYPES[native.dtype.str[1:]]
    listed = values.tolist()
    kinds = {type(value) for value in listed if value is not None}
    for kind, dtype, name in ((bool, np.bool_, "BOOLEAN"), (int, np.int64, "BIGINT")):
        if kinds == {kind} and all(value is None or abs(value) <= INT64_MAX for value in listed):
            filled = np.array([value or 0 for value in listed], dtype=dtype)
            return np.ma.MaskedArray(filled, [value is None for value in listed]), name
    texts = objects([value if value is None else str(value) for value in listed])
    return texts, "VARCHAR" if kinds <= {str} else "HUGEINT"


def json_label(text: str) -> Any:
    """Return a label of JSON; a number that no float is stays a text."""
    value = json.loads(text)
    if isinstance(value, float) and not isnan(value) and Decimal(text) != Decimal(repr(value)):
        return text
    return value


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
    parts += [f"{text_sql(columns[name])} AS t{place}" for name, place in text_places(wanted)]
    parts += [
        number_sql(name, columns[name], place, how, missing)
        for place, name in enumerate(wanted.numbers)
    ]
    return ", ".join(parts)


def text_places(wanted: ColumnRoles) -> list[tuple[str, int]]:
    """Return the columns that are read as texts beside the label, and the place of each."""
    named = {wanted.group, wanted.id, *wanted.beside.values()}
    return [(name, place) for place, name in enumerate(wanted.texts) if name in named]


def json_text(column: str) -> str:
    """Return the SQL of the text in a value of JSON, or of the value where it is no text."""
    return f"CASE WHEN prefix({column}, '\"') THEN {column} ->> '$' ELSE {column} END"


def select_json(wanted: ColumnRoles, columns: Mapping[str, str], scan: str) -> str:
    """Return the query that makes the columns of `cases` from texts of JSON."""
    inner, parts = ["*"], []
    for name, made in ((wanted.label, "y"), *((n, f"t{p}") for n, p in text_places(wanted))):
        value, kept = columns[name], columns[name] if made == "y" else f"text_{made}"
        inner.append(f"{json_text(value)} AS text_{made}")
        gone = f"prefix({value}, '\"') AND {is_among(f'text_{made}', MISSING)}"
        parts.append(f"CASE WHEN {gone} THEN NULL ELSE {kept} END AS {made}")
    for place, name in enumerate(wanted.numbers):
        value, text = columns[name], f"text_n{place}"
        is_text = f"WHEN prefix({value}, '\"') THEN"
        flags = f"WHEN {value} = 'true' THEN '1' WHEN {value} = 'false' THEN '0'"
        inner.append(f"CASE {is_text} {value} ->> '$' {flags} ELSE {value} END AS {text}")
        parts.append(number_sql(name, text, place, NumberFormat(), MISSING_NUMBERS))
        word = f"CASE WHEN {is_among(text, MISSING_NUMBERS)} THEN NULL ELSE 2 END"
        kind = f"CASE {is_text} {word} WHEN {value} IN ('true', 'false') THEN 1"
        kind += f" WHEN {value} IS NOT NULL THEN 0 END"
        parts.append(f"CAST({kind} AS UTINYINT) AS k{place}")
    return f"SELECT {', '.join(parts)} FROM (SELECT {', '.join(inner)} FROM ({scan}))"


def is_spelled(of_type: str) -> bool:
    """Whether numbers of a type are read as they are spelled, because no float holds them all."""
    return duckdb_kind(of_type) is Kind.SPELLED


def select_typed(wanted: ColumnRoles, columns: Mapping[str, str], types: Mapping[str, str]) -> str:
    """Return the columns of `cases` from columns that have types."""
    label = typed_sql(columns[wanted.label], types[wanted.label])
    if duckdb_kind(types[wanted.label]) is Kind.TEXT:
        label = text_sql(label, BLANK)
    elif types[wanted.label] in ("FLOAT", "DOUBLE"):
        label = f"CASE WHEN NOT isnan({label}) THEN {label} END"
    parts = [f"{label} AS y"]
    for name, place in text_places(wanted):
        column, of_type = columns[name], types[name]
        if name == wanted.only_day and of_type in LOCAL:
            column = f"CAST({column} AS DATE)"
        parts.append(f"{typed_sql(column, of_type)} AS t{place}")
    for place, name in enumerate(wanted.numbers):
        parts.append(typed_number_sql(name, columns[name], place, types[name]))
    return ", ".join(parts)


def typed_sql(column: str, of_type: str) -> str:
    """Return a column as it is where it holds numbers or texts, else its texts."""
    return column if of_type in NUMBERS or of_type == "VARCHAR" else f"CAST({column} AS VARCHAR)"


def typed_number_sql(name: str, column: str, place: int, of_type: str) -> str:
    """Return the columns of a number that has a type."""
    if of_type not in NUMBERS:
        return number_sql(name, typed_sql(column, of_type), place, NumberFormat(), BLANK)
    number = f"CAST({column} AS DOUBLE)"
    flags, large = 0, "CAST(NULL AS BIGINT)"
    if of_type in ("FLOAT", "DOUBLE"):
        # NaN is missing here, and no later condition looks for it: DuckDB skips row groups of
        # Parquet whose statistics, which leave NaN out, show none.
        number, flags = f"CASE WHEN NOT isnan({number}) THEN {number} END", FRACTION
    elif of_type.endswith("BIGINT"):
        large = f"CASE WHEN abs({number}) >= {EXACT} THEN TRY_CAST({column} AS BIGINT) END"
    return (
        f"{number} AS n{place}, CAST({flags} AS UTINYINT) AS f{place},"
        f" CASE WHEN ({number}) IS NULL THEN '' END AS o{place}, {large} AS b{place}"
    )


# ----------------------------------------------------------------------
# Tables of cases, and delimited text in them.


@contextlib.contextmanager
def utf8_texts(
    plains: Sequence[Plain], options: TextOptions, memory: int | None
) -> Iterator[tuple[list[Text], Any]]:
    """Give the texts of files in UTF-8, and a connection that reads them."""
    with contextlib.ExitStack() as stack:
        texts = [
            stack.enter_context(as_utf8(plain.shown, plain.path, options.encoding))
            for plain in plains
        ]
        # Others are read by Python.
        printable = [text.path for text in texts if text.path.isprintable()]
        files = [os.path.abspath(path) for path in printable]  # noqa: PTH100
        yield texts, stack.enter_context(locked(files, memory=memory))


@contextlib.contextmanager
def open_texts(
    plains: Sequence[Plain], wanted: ColumnRoles, options: TextOptions, memory: int | None = None
) -> Iterator[CaseTable]:
    """Give the cases of delimited text files that are one table."""
    with utf8_texts(plains, options, memory) as (texts, connection):
        cases = CaseTable(connection, wanted, memory=memory)
        for plain, text in zip(plains, texts, strict=True):
            with of_one_table(cases.first_path):
                cases.add(plain, load_text(cases, text, options, cases.next_part))
        cases.make_view()
        yield cases


@contextlib.contextmanager
def open_arrays(
    plains: Sequence[Plain], read: Callable[[Plain], Mapping[str, Array]], wanted: ColumnRoles
) -> Iterator[CaseTable]:
    """Give the cases of inputs of which the columns are read into memory."""
    columns = list[Mapping[str, Array]]()
    for plain in plains:
        with of_one_table(plains[0].shown if columns else None):
            columns.append(read(plain))
        if not len(columns[-1][wanted.label]):
            raise refuse_file(plain.shown, "BR602", "has no rows", "give a table with cases")
    with locked() as connection:
        cases = TypedCases(connection, wanted)
        for plain, values in zip(plains, columns, strict=True):
            cases.add_arrays(plain, values)
        cases.make_view()
        yield cases


@contextlib.contextmanager
def of_one_table(first: str | None) -> Iterator[None]:
    """Say of a file that lacks a column which the first one has that it is none of theirs."""
    try:
        yield
    except InputError as error:
        if first is None or error.code != "BR613":
            raise
        problem = error.problems[0]
        text = f"{problem.text}, while {escaped(first)} has every requested column"
        fix = "give files of one table"
        raise refuse_file(problem.where.path or "", "BR704", text, fix) from None


def load_text(cases: CaseTable, text: Text, asked: TextOptions, name: str) -> Table:
    """Read a text into a table of its own: by DuckDB where every line is a record, else by
    Python's csv module.
    """
    wanted = cases.wanted
    dialect, found = understand(text, wanted.columns, asked)
    percent = frozenset(wanted.numbers if asked.percent else ())
    how = NumberFormat(asked.decimal or ".", asked.thousands, percent)
    loading = Loading(cases, text, dialect, found, asked, name)
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
            self.cases.replace_table(self.name, f"SELECT {chosen} FROM {scan}")
        except foreign_errors() as error:
            check_memory(self.text.shown, error)
            return None
        if self.cases.ask(f"SELECT count(*) FROM {self.name}") != [(rows,)]:
            return None
        lines = FileRows(self.text.shown, rows, self.dialect.skip + 1)
        return Table(self.text.shown, rows, RowPlaces((lines,)))

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
        self.cases.replace_table(self.name, f"SELECT {chosen} FROM (SELECT {texts} LIMIT 0)")
        records = Records(self.text, self.dialect, wanted.columns, self.asked)
        for batch in records.batches():
            query = f"SELECT {chosen} FROM given"
            insert_rows(self.cases.connection, self.name, query, columns.values(), batch)
        rows, ragged = len(records.lines), len(records.ragged)
        lines = FileRows.on_lines(self.text.shown, records.lines)
        notes = tuple(records.notes)
        return Table(self.text.shown, rows + ragged, RowPlaces((lines,)), ragged, notes=notes)

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


def insert_rows(
    connection: Any, table: str, query: str, columns: Iterable[str], values: Sequence[Any]
) -> None:
    """Add rows that Python holds, column by column, to a table: what a query makes of `given`."""
    connection.register("held", dict(zip(columns, map(objects, values), strict=True)))
    texts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in columns)
    connection.execute(f"CREATE TEMP VIEW given AS SELECT {texts} FROM held")
    connection.execute(f"INSERT INTO {table} {query}")
    connection.execute("DROP VIEW given")
    connection.unregister("held")
