"""Columns of DuckDB as arrays that keep every value: what `fetchnumpy` would round is spelled out first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.engines.coded import MOST_VALUES, PROBE, decoded
from baserate.engines.identifiers import identifier
from baserate.engines.typed import SAFE_DIGITS, Kind, check_use, from_spelled, with_none
from baserate.engines.wanted import Wanted

NUMBERS = frozenset(
    "BOOLEAN TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE".split() + ['"NULL"']  # noqa: SIM905
)
SPELLED = frozenset({"DECIMAL", "HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"})
TEXT = frozenset({"VARCHAR", "ENUM", "UUID"})
TIMES = ("DATE", "TIME", "INTERVAL")


class From(NamedTuple):
    """What stands after FROM, the parameters bound in it, and whether it gives the same rows each time, as a view or a query may not."""

    sql: str
    parameters: tuple[Any, ...] = ()
    steady: bool = False


def types_of(connection: Any, source: From) -> dict[str, str]:
    """The columns of a table, file or query, and DuckDB's names of their types."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM {source.sql}", list(source.parameters)).fetchall()  # noqa: S608
    return {row[0]: row[1] for row in rows}


def kind_of(name: str) -> Kind:
    """What the values of a type are."""
    base = name.partition("(")[0]
    if name.endswith("]"):
        return Kind.OTHER
    if base in NUMBERS:
        return Kind.NUMBERS
    if base in SPELLED:
        return Kind.SPELLED
    if base in TEXT:
        return Kind.TEXT
    if base.startswith(TIMES):
        return Kind.TIMES
    return Kind.BYTES if base in {"BLOB", "BIT"} else Kind.OTHER


def check_types(path: str, types: Mapping[str, str], wanted: Wanted) -> None:
    """Refuse columns whose type cannot be what they are wanted for."""
    for name in wanted.columns:
        if name in types:
            check_use(path, name, kind_of(types[name]), wanted)


def fetched(connection: Any, source: From, types: Mapping[str, str], names: tuple[str, ...]) -> dict[str, Array]:
    """These columns, streamed; rows keep the order in which they lie."""
    texts = {name: _texts(connection, source, name) for name in names if source.steady and types[name] == "VARCHAR"}
    coded = {name: f'"baserate {place}"' for place, name in enumerate(texts) if texts[name]}
    for name, enum in coded.items():
        connection.execute(f"CREATE TEMP TYPE {enum} AS ENUM (SELECT unnest(CAST(? AS VARCHAR[])))", [texts[name]])
    expressions = [_coded(name, coded[name]) if name in coded else _expression(name, types[name]) for name in names]
    found = _executed(connection, source, ", ".join(f"{each} AS c{place}" for place, each in enumerate(expressions)))
    taken = {name: found.pop(f"c{place}") for place, name in enumerate(names)}
    return {name: _decoded(taken.pop(name), texts[name] or []) if name in coded else column_of(taken.pop(name), types[name]) for name in names}


def _executed(connection: Any, source: From, chosen: str, rest: str = "") -> dict[str, Array]:
    found: dict[str, Array] = connection.execute(f"SELECT {chosen} FROM {source.sql} {rest}", list(source.parameters)).fetchnumpy()  # noqa: S608
    return found


def _texts(connection: Any, source: From, name: str) -> list[str] | None:
    """The distinct texts of a long column that has few of them: as one object each they take 8 bytes a row, and not 60."""
    column = f"{identifier(name)} AS c"
    begin = _executed(connection, source, column, f"LIMIT {PROBE}")["c"]
    if len(begin) < PROBE or 2 * len(set(begin.tolist())) > PROBE:
        return None
    distinct = _executed(connection, source, f"DISTINCT {column}", f"LIMIT {MOST_VALUES}")["c"]
    return None if len(distinct) == MOST_VALUES else [text for text in distinct.tolist() if text is not None]


def _coded(name: str, enum: str) -> str:
    """The place of a text among the distinct ones. A text that is not among them is an error, never another text."""
    return f"enum_code(CAST({identifier(name)} AS {enum}))"


def _decoded(codes: Array, texts: list[str]) -> Array:
    return decoded(texts, np.ma.getdata(codes), np.ma.getmaskarray(codes) if isinstance(codes, np.ma.MaskedArray) else None)


def _expression(name: str, of_type: str) -> str:
    plain = of_type in NUMBERS or of_type == "VARCHAR"
    return identifier(name) if plain else f"CAST({identifier(name)} AS VARCHAR)"


def column_of(values: Array, of_type: str) -> Array:
    """What DuckDB fetched, with every value kept."""
    if isinstance(values, np.ma.MaskedArray):
        gone = np.ma.getmaskarray(values)
        values = with_none(values.data, gone) if gone.any() else values.data
    return from_spelled(values.tolist(), digits=_digits(of_type)) if kind_of(of_type) is Kind.SPELLED else values


def _digits(of_type: str) -> int:
    precision = of_type.partition("(")[2].partition(",")[0]
    return int(precision) if precision.isdecimal() else SAFE_DIGITS + 1
