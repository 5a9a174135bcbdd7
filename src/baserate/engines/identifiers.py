"""Names of tables and columns: looked up in the schema of their source, and quoted for SQL, here and nowhere else.

Values and paths are never quoted: they travel as bound parameters.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from baserate.errors import quoted, refuse_file

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
    """A name as SQL takes it, whatever is in it. A NUL ends a statement in every engine, so no name has one."""
    if "\0" in name:
        raise ValueError("a name has no NUL")
    return '"' + name.replace('"', '""') + '"'


def check_columns(path: str, have: Sequence[str], wanted: Sequence[str], *, folds: bool = False) -> None:
    """Every wanted column is there, and it is clear which one it is; `folds` is for engines to which "Y" and "y" are one name."""
    repeated = [name for name, times in Counter(have).items() if times > 1 and name in wanted]
    if repeated:
        raise refuse_file(path, "BR606", f"has more than one column {quoted(repeated[0])}", "rename one of them")
    for name in wanted:
        alike = [other for other in have if other.casefold() == name.casefold()]
        if len(alike) > 1 and (folds or name not in alike):
            text = f"has columns {' and '.join(map(quoted, alike))}, which differ by case alone"
            raise refuse_file(path, "BR607", text, "rename one of them" if name in alike else f"write {quoted(alike[0])} or {quoted(alike[1])}")
    absent = [name for name in dict.fromkeys(wanted) if name not in have]
    if absent:
        text = f"has no column {' or '.join(map(quoted, absent))}; it has {_listed(have)}"
        raise refuse_file(path, "BR613", text, _nearest(absent, have))


def find_table(path: str, have: Sequence[TableName], asked: str) -> TableName | None:
    """The table or view of that name, with or without its schema; None where the text is a query instead."""
    found = [table for table in have if asked == str(table)] or [table for table in have if asked == table.name]
    if len(found) == 1:
        return found[0]
    if found:
        raise refuse_file(path, "BR717", f"has {len(found)} tables {quoted(asked)}", f"write {' or '.join(map(str, found[:3]))}")
    if is_query(asked):
        return None
    names = [str(table) for table in have]
    text = f"has no table {quoted(asked)}; it has {_listed(names) if names else 'none'}"
    raise refuse_file(path, "BR717", text, _nearest([asked], [*names, *(table.name for table in have)]))


def is_query(text: str) -> bool:
    """Whether the text begins as a query does; what it may do is for the engine to judge."""
    bare = re.sub(r"^(\s+|\(|--[^\n]*(\n|$)|/\*.*?\*/)+", "", text, flags=re.DOTALL)
    words = bare.split(maxsplit=1)
    return len(words) == 2 and words[0].casefold() in READING


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names[:MOST_NAMES])) + (" …" if len(names) > MOST_NAMES else "")


def _nearest(absent: Sequence[str], have: Sequence[str]) -> str:
    """What was probably meant by names that are not there."""
    alike = {name.casefold(): name for name in have}
    near = [match for name in absent for match in difflib.get_close_matches(name.casefold(), alike, n=1)]
    return f"perhaps {' and '.join(quoted(alike[match]) for match in near)}" if near else "use one of those"


def one_statement(path: str, query: str) -> str:
    """A query for an engine that cannot be asked whether it is one. A semicolon inside of text is refused too: what quotes mean differs."""
    bare = query.rstrip().rstrip(";").rstrip()
    if ";" in bare:
        raise refuse_file(path, "BR718", "the query holds a semicolon, so it may be several statements", "write one SELECT without a semicolon")
    if not is_query(bare):
        raise refuse_file(path, "BR718", "the query is not a SELECT", "write one SELECT")
    return bare
