"""Cases from tables that were read: checked, with errors at the lines where the user sees them, and a ledger of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.cases import Cases, Names, checked
from baserate.engines.files import Options, parts_of, shown_source, together
from baserate.engines.wanted import Table, Wanted
from baserate.errors import InputError, quoted, refuse_file
from baserate.notes import Ledger, Note, Source, checked_design

AMOUNTS = ("amount", "price", "value", "eur", "usd", "loss")
SPOKEN_BOOLS = {"true": True, "false": False, "1": True, "0": False}


def read_cases(source: str, wanted: Wanted, options: Options) -> tuple[Cases, Table]:
    """The cases of one source, and the table that they came from (errors found later lie there too)."""
    checked_design(wanted.design)
    repeated = [name for name in wanted.scores if wanted.scores.count(name) > 1]
    if repeated:
        raise refuse_file(shown_source(source), "BR407", f"the score {quoted(repeated[0])} was asked for twice", "name each score once")
    tables = parts_of(source, wanted, options)
    table = together(source, tables)
    try:
        cases = _cases(table, wanted)
    except InputError as error:
        raise error.moved(table.place) from None
    return cases._replace(ledger=_ledger(tables, wanted, cases.label), notes=(*table.notes, *cases.notes)), table


def _cases(table: Table, wanted: Wanted) -> Cases:
    columns, weight, group = table.columns, wanted.weight, wanted.group
    cases = checked(
        columns[wanted.label],
        {name: columns[name] for name in wanted.scores},
        pos_label=fitting(wanted.positive, columns[wanted.label]),
        sample_weight=columns[weight] if weight is not None else None,
        groups=columns[group] if group is not None else None,
        names=Names(quoted(wanted.label), quoted(weight or ""), quoted(group or "")),
    )
    if weight and any(word in weight.casefold() for word in AMOUNTS):
        text = f"{quoted(weight)} looks like an amount of money: as a weight it makes an expensive case count as many cases"
        return cases._replace(notes=(*cases.notes, Note("BR305", text)))
    return cases


def fitting(positive: Any, labels: Array) -> Any:
    """The positive label as the column has its values: a command line knows only text, and a text file has no types."""
    if not isinstance(positive, str):
        return str(positive) if isinstance(positive, int) and not isinstance(positive, bool) and _is_text(labels) else positive
    kind = np.asarray(labels).dtype.kind
    try:
        if kind == "b":
            return SPOKEN_BOOLS.get(positive.strip().casefold(), positive)
        if kind in "iu":
            return int(positive)
        return float(positive) if kind == "f" else positive
    except ValueError:
        return positive


def _is_text(labels: Array) -> bool:
    return labels.dtype == object and any(isinstance(value, str) for value in labels[:1])


def _ledger(tables: Sequence[Table], wanted: Wanted, label: object) -> Ledger:
    found = "" if label is None else str(label)
    sources = tuple(source_of(table, table.rows - table.refused, wanted, found) for table in tables)
    read, refused = sum(table.rows for table in tables), sum(table.refused for table in tables)
    return Ledger(read, read - refused, refused, sources, wanted.design)


def source_of(table: Table, used: int, wanted: Wanted, positive: str) -> Source:
    """One entry of the ledger."""
    return Source(table.path, table.sha256, table.rows, used, table.rows - used, wanted.label, positive, wanted.weight)
