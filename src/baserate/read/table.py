"""`Table`: the columns that a reader gives and where their rows lie; names of columns and tables;
memory limits; optional packages.
"""

from __future__ import annotations

import importlib
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import Any, NamedTuple, NoReturn

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import RANDOM, Fix, InputError, Note, Where, quoted, refuse, refuse_file, size


class Late:
    """A library that takes long to import, imported when something of it is first used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._module), name)


# ----------------------------------------------------------------------
# How much memory counting may take, and what to do where everything does not fit.


UNITS = {
    "": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
# What two interpreters, their libraries and a piece on its way take before anything is kept.
TAKEN = 260 * 10**6
LEAST = 320 * 10**6
# Bytes that a distinct score takes while cells are merged, and that a positive's score takes in the
# second pass.
CELL, POSITIVE = 112, 120
WORDS = ("memory", "thresholds")
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Ceiling:
    """The most bytes that counting may take (None: as many as there are), and how to go about it.

    `thresholds` are points that must stay exact.
    """

    memory: int | None = None
    thresholds: tuple[Any, ...] = ()
    progress: Progress | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Ceiling:
        """From keywords, each a word that is known."""
        memory = given.get("memory")
        if memory is None and given.get("thresholds"):
            text = "thresholds applies to counting within a memory limit, and none is given"
            raise refuse("BR940", text, Fix("memory='1GB'", "--memory 1GB"))
        several = tuple(given.get("thresholds", ()))
        return cls(
            None if memory is None else bytes_of(memory),
            several,
        )

    @property
    def room(self) -> int:
        """The bytes for what is kept."""
        assert self.memory is not None
        return self.memory - TAKEN

    def at(self, thresholds: tuple[Any, ...]) -> Ceiling:
        """The same with thresholds to be kept apart; without a ceiling every score is."""
        return self if self.memory is None else replace(self, thresholds=thresholds)


def bytes_of(memory: Any) -> int:
    """A number of bytes, as people write it: 1GB, 512 MiB, 1000000000."""
    found = WRITTEN.fullmatch(memory.strip().casefold()) if isinstance(memory, str) else None
    known = found is not None and found[2] in UNITS
    number = float(found[1]) * UNITS[found[2]] if found is not None and known else memory
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 2**62:
        raise refuse(
            "BR940",
            f"a ceiling is an amount of memory, got {quoted(memory)}",
            Fix("memory='1GB'", "--memory 1GB"),
        )
    if number < LEAST:
        text = f"a ceiling of {size(int(number))} is too low: the readers alone take {size(TAKEN)}"
        raise refuse("BR940", text, Fix("memory='320MB' or more", "--memory 320MB or more"))
    return int(number)


# As many rows tell whether a column repeats itself, and as many values may be held once for all
# rows.
PROBE, MOST_VALUES = 10_000, 1 << 16


# ----------------------------------------------------------------------
# Libraries that only some sources need: imported where they are needed, and named with the way to
# get them where they are not there.


def needed(module: str, extra: str | None = None) -> Any:
    """The module, or the one line that says how to install it: with an extra of ours, or by itself
    where we depend on it anyway.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise refuse(
            "BR714",
            f"{library} is not installed",
            f'pip install "baserate[{extra}]"' if extra else f"pip install {library}",
        ) from None


# ----------------------------------------------------------------------
# The names of columns: each once, and found exactly as they are written.


def check_names(shown: str, names: Sequence[str]) -> None:
    """No name stands twice."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise refuse_file(
            shown, "BR606", f"has more than one column {quoted(repeated[0])}", "rename one of them"
        )


def matched(shown: str, names: Sequence[str], wanted: Sequence[str]) -> None:
    """A name that is there only in other cases, and more than once, cannot be meant."""
    for name in wanted:
        alike = [other for other in names if other.casefold() == name.casefold()]
        if name not in names and len(alike) > 1:
            text = (
                f"has no column {quoted(name)}, but {' and '.join(map(quoted, alike))}, which"
                " differ only by case"
            )
            raise refuse_file(shown, "BR607", text, "write the name exactly")


def refuse_absent(shown: str, names: Sequence[str], absent: Sequence[str]) -> NoReturn:
    """Say which columns there are, and which was perhaps meant."""
    if names and all(map(_is_number, names)):
        fix = Fix('header=False, columns=["id", "y", "m1"]', "--columns id,y,m1")
        raise refuse_file(shown, "BR604", "has no header: its first line holds only numbers", fix)
    text = f"has no column {' or '.join(map(quoted, absent))}; it has {_listed(names)}"
    raise refuse_file(shown, "BR613", text, _hint(list(names), absent))


def _hint(names: list[str], absent: Sequence[str]) -> str:
    """What was probably meant by names that are not there."""
    for name in absent:
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and all(part in names for part in parts):
            return f"write {' '.join(f'--score {part}' for part in parts)}"
    return _nearest(absent, names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ----------------------------------------------------------------------
# Texts that say that there is no value.


MISSING = frozenset({"", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None"})


# ----------------------------------------------------------------------
# Names of tables and columns: looked up in the schema of their source, and quoted for SQL, here and
# nowhere else.


MOST_NAMES = 8
READING = ("select", "with", "from", "values", "table")


class TableName(NamedTuple):
    """A table or view, and the schema that holds it (empty where the source has none)."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name

    @property
    def sql(self) -> str:
        """The name as SQL takes it."""
        return ".".join(identifier(part) for part in (self.schema, self.name) if part)


def identifier(name: str) -> str:
    """A name as SQL takes it, whatever is in it. A NUL ends a statement in every engine, so no name
    has one.
    """
    if "\0" in name:
        raise ValueError("a name has no NUL")
    return '"' + name.replace('"', '""') + '"'


def check_columns(
    path: str, have: Sequence[str], wanted: Sequence[str], *, folds: bool = False
) -> None:
    """Every requested column is there, and it is clear which one it is; `folds` is for engines to
    which "Y" and "y" are one name.
    """
    repeated = [name for name, times in Counter(have).items() if times > 1 and name in wanted]
    if repeated:
        raise refuse_file(
            path, "BR606", f"has more than one column {quoted(repeated[0])}", "rename one of them"
        )
    for name in wanted:
        alike = [other for other in have if other.casefold() == name.casefold()]
        if len(alike) > 1 and (folds or name not in alike):
            raise refuse_file(
                path,
                "BR607",
                f"has columns {' and '.join(map(quoted, alike))}, which differ by case alone",
                (
                    "rename one of them"
                    if name in alike
                    else f"write {quoted(alike[0])} or {quoted(alike[1])}"
                ),
            )
    absent = [name for name in dict.fromkeys(wanted) if name not in have]
    if absent:
        text = f"has no column {' or '.join(map(quoted, absent))}; it has {_listed(have)}"
        raise refuse_file(path, "BR613", text, _nearest(absent, have))


def find_table(path: str, have: Sequence[TableName], asked: str) -> TableName | None:
    """The table or view of that name, with or without its schema; None where the text is a query
    instead.
    """
    found = [table for table in have if asked == str(table)] or [
        table for table in have if asked == table.name
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise refuse_file(
            path,
            "BR717",
            f"has {len(found)} tables {quoted(asked)}",
            f"write {' or '.join(map(str, found[:3]))}",
        )
    if is_query(asked):
        return None
    names = [str(table) for table in have]
    text = f"has no table {quoted(asked)}; it has {_listed(names) if names else 'none'}"
    raise refuse_file(
        path, "BR717", text, _nearest([asked], [*names, *(table.name for table in have)])
    )


def is_query(text: str) -> bool:
    """Whether the text begins as a query does; what it may do is for the engine to decide."""
    bare = re.sub(r"^(\s+|\(|--[^\n]*(\n|$)|/\*.*?\*/)+", "", text, flags=re.DOTALL)
    words = bare.split(maxsplit=1)
    return len(words) == 2 and words[0].casefold() in READING


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names[:MOST_NAMES])) + (" …" if len(names) > MOST_NAMES else "")


def _nearest(absent: Sequence[str], have: Sequence[str]) -> str:
    """What was probably meant by names that are not there."""
    import difflib

    alike = {name.casefold(): name for name in have}
    near = [
        match for name in absent for match in difflib.get_close_matches(name.casefold(), alike, n=1)
    ]
    return (
        f"perhaps {' and '.join(quoted(alike[match]) for match in near)}"
        if near
        else "use one of those"
    )


def one_statement(path: str, query: str) -> str:
    """A query for an engine that cannot check that. A semicolon inside of text is
    refused too: what quotes mean differs.
    """
    bare = query.rstrip().rstrip(";").rstrip()
    if ";" in bare:
        raise refuse_file(
            path,
            "BR718",
            "the query holds a semicolon, so it may be several statements",
            "write one SELECT without a semicolon",
        )
    if not is_query(bare):
        raise refuse_file(path, "BR718", "the query is not a SELECT", "write one SELECT")
    return bare


# ----------------------------------------------------------------------
# Where rows lie: on which lines of a text file, or in which rows of a table, counted from 1.


@dataclass(frozen=True)
class TableRows(Where):
    """Rows of a table, from 1; a table of a database has them in the order in which they were
    read.
    """

    def __str__(self) -> str:
        if not self.rows:
            return ""
        more = " …" if self.total > len(self.rows) else ""
        return f"{'row' if self.total == 1 else 'rows'} {', '.join(map(str, self.rows))}{more}"


@dataclass(frozen=True, eq=False)
class FileRows:
    """The rows of one file: how many, and on which lines of a text they lie: one after the other
    from `first` on, or where `lines` says. Rows of a table have no lines.
    """

    path: str
    rows: int
    first: int | None = None
    lines: Array | None = None

    @classmethod
    def on_lines(cls, path: str, lines: Sequence[int]) -> FileRows:
        """Return rows from the line of each; lines without a gap need only the first."""
        found = np.asarray(lines, dtype=np.int64)
        first = int(found[0]) if len(found) else 1
        is_dense = np.array_equal(found, np.arange(first, first + len(found)))
        return cls(path, len(found), first, None if is_dense else found)

    def place(self, rows: Sequence[int], total: int) -> Where:
        """Return where some of its rows lie."""
        if self.first is None:
            return TableRows(self.path, tuple(row + 1 for row in rows), (), total)
        if self.lines is None:
            return Where(self.path, (), tuple(self.first + row for row in rows), total)
        return Where(self.path, (), tuple(int(self.lines[row]) for row in rows), total)


@dataclass(frozen=True, eq=False)
class RowPlaces:
    """From positions of rows to the file that has the first of them, and where they lie in it; the
    other files' rows are in the total.
    """

    files: tuple[FileRows, ...]

    def __call__(self, where: Where) -> Where:
        if where.path:
            return where  # moved before
        begins = [0, *accumulate(file.rows for file in self.files[:-1])]
        number = bisect_right(begins, where.rows[0]) - 1 if where.rows else 0
        file, begin = self.files[number], begins[number]
        here = [row - begin for row in where.rows if row - begin < file.rows]
        found = file.place(here, where.total)
        return replace(found, lines=where.lines) if where.lines else found


def in_table(path: str, rows: int = sys.maxsize) -> RowPlaces:
    """Return the places of the rows of one table."""
    return RowPlaces((FileRows(path, rows),))


# ----------------------------------------------------------------------
# What is wanted of a source: which column is what, and what a column of a type may be. And what
# every reader gives: the columns, and where their rows lie.


@dataclass(frozen=True)
class ColumnRoles:
    """Which column is the label, which are scores, and which have a part to play beside them."""

    label: str
    scores: tuple[str, ...]
    positive: str | None = None
    weight: str | None = None
    group: str | None = None
    id: str | None = None
    amount: str | None = None
    day: str | None = None
    cluster: str | None = None
    currency: str | None = None
    design: str = RANDOM

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that hold numbers."""
        return tuple(
            dict.fromkeys(
                name for name in (*self.scores, self.weight, self.amount) if name is not None
            )
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns that are read as they are written."""
        return tuple(
            dict.fromkeys(
                name
                for name in (self.label, self.group, self.id, self.day, self.cluster, self.currency)
                if name is not None
            )
        )

    @property
    def only_day(self) -> str | None:
        """The column of which nothing but the day is needed, if there is one."""
        others = (self.label, self.group, self.id, self.cluster, self.currency, *self.numbers)
        return None if self.day in others else self.day

    @property
    def beside(self) -> dict[str, str]:
        """The columns that travel with the cases, by the part they play."""
        parts = {
            "group": self.group,
            "id": self.id,
            "amount": self.amount,
            "day": self.day,
            "cluster": self.cluster,
            "currency": self.currency,
        }
        return {part: name for part, name in parts.items() if name is not None}

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        return tuple(dict.fromkeys((*self.texts, *self.numbers)))


class Kind(StrEnum):
    """What the values of a column are; the text is what a message calls them."""

    NUMBERS = "numbers"
    SPELLED = "decimals"
    TEXT = "text"
    TIMES = "timestamps or dates"
    BYTES = "bytes"
    OTHER = "nested or other values"


PLAIN = (Kind.NUMBERS, Kind.SPELLED, Kind.TEXT)


def check_use(path: str, name: str, kind: Kind, wanted: ColumnRoles) -> None:
    """Refuse scores that are times, labels that are lists, and the like. Times may name groups and
    days.
    """
    if kind in PLAIN or (
        kind is Kind.TIMES and name not in wanted.numbers and name != wanted.label
    ):
        return
    raise misused(path, name, kind, wanted)


def misused(path: str, name: str, found: str, wanted: ColumnRoles) -> InputError:
    """The refusal of a column whose values do not fit its role."""
    code, use, fix = _use(name, wanted)
    return refuse_file(path, code, f"{quoted(name)} holds {found}, not {use}", fix)


def _use(name: str, wanted: ColumnRoles) -> tuple[str, str, str]:
    if name in wanted.numbers:
        use = (
            "scores" if name in wanted.scores else "weights" if name == wanted.weight else "amounts"
        )
        return "BR209", use, "give a column of numbers"
    if name == wanted.label:
        return "BR107", "labels", "give a column with one label per case"
    return "BR413", "names", "give a column of text or numbers"


@dataclass(frozen=True)
class Table:
    """What there is to say of a source: where its rows lie, how many were read, and how many of
    them its reader left out. `sha256` is of the bytes, where there are any.
    """

    path: str
    rows: int
    place: RowPlaces
    refused: int = 0
    sha256: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class SourceColumns:
    """Columns of a source as lists in memory have them."""

    columns: dict[str, Array]
    sha256: str
    notes: tuple[Note, ...]
