"""Cases from tables that were read: checked, with errors at the lines where the user sees them, and a ledger of every row."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from baserate.engines.cases import Cases, Names, checked
from baserate.engines.columns import Unread, as_column
from baserate.engines.files import Options, parts_of, shown_source, together
from baserate.engines.labels import fitting
from baserate.engines.treatments import DROP, Treatment, heeded, treat, turned
from baserate.engines.wanted import Table, Wanted
from baserate.errors import Fix, InputError, quoted, refuse_file
from baserate.notes import Ledger, Note, Source, checked_design

AMOUNTS = ("amount", "price", "value", "eur", "usd", "loss")


def read_cases(source: str, wanted: Wanted, options: Options) -> tuple[Cases, Table]:
    """The cases of one source, and the table that they came from (errors found later lie there too)."""
    checked_design(wanted.design)
    if options.ceiling.approx or options.ceiling.resume is not None:
        text = "this needs every case at once: nothing is approximated, and nothing can be resumed"
        raise refuse_file(shown_source(source), "BR943", text, "leave approx and resume out")
    repeated = [name for name in wanted.scores if wanted.scores.count(name) > 1]
    if repeated:
        raise refuse_file(shown_source(source), "BR407", f"the score {quoted(repeated[0])} was asked for twice", "name each score once")
    wanted = heeded(wanted, options.treatment)
    tables = parts_of(source, wanted, options._replace(untreated=options.treatment.leaves_scores()))
    table = together(source, tables)
    try:
        table = treat(table, wanted, options.treatment)
        cases = _cases(table, wanted)
        rest = _without_labels(table, wanted, options.treatment)
        if options.treatment.lower_is_positive:
            scores, notes = turned(cases.scores)
            cases = cases._replace(scores=scores, notes=(*cases.notes, *notes))
            rest = None if rest is None else rest._replace(scores=turned(rest.scores)[0])
        cases = cases._replace(unlabelled=rest)
    except InputError as error:
        raise error.moved(table.place) from None
    ledger = _ledger(tables, _used(tables, table), wanted, cases.label)
    return cases._replace(ledger=ledger, notes=(*table.notes, *cases.notes)), table


def refuse_unread(source: str, tables: Sequence[Table], wanted: Wanted) -> None:
    """Say what is wrong with tables of which a reader kept no more than that: they are refused where they were read."""
    if any(isinstance(column, Unread) for table in tables for column in table.columns.values()):
        table = together(source, tables)
        try:
            _cases(table, wanted)
        except InputError as error:
            raise error.moved(table.place) from None


def _used(tables: Sequence[Table], table: Table) -> list[int]:
    """How many rows of each table are left."""
    held = [part.rows - part.refused for part in tables]
    if table.kept is None:
        return held
    left: list[int] = np.diff(np.searchsorted(table.kept, np.cumsum([0, *held]))).tolist()
    return left


def _cases(table: Table, wanted: Wanted) -> Cases:
    columns, weight, group = table.columns, wanted.weight, wanted.group
    cases = checked(
        columns[wanted.label],
        {name: columns[name] for name in wanted.scores},
        pos_label=fitting(wanted.positive, columns[wanted.label]),
        sample_weight=columns[weight] if weight is not None else None,
        groups=columns[group] if group is not None else None,
        names=Names(quoted(wanted.label), quoted(weight or ""), quoted(group or ""), "positive"),
        beside={part: as_column(columns[name], quoted(name)) for part, name in wanted.beside.items()},
    )
    if weight and any(word in weight.casefold() for word in AMOUNTS):
        text = f"{quoted(weight)} looks like an amount of money: as a weight it makes an expensive case count as many cases"
        name = quoted(weight, quotes=False)
        fix = Fix(f"count_amounts_file(…, amount={name!r})", f"choose … --amount {shlex.quote(name)}")
        return cases._replace(notes=(*cases.notes, Note("BR305", text, fix)))
    return cases


def _without_labels(table: Table, wanted: Wanted, treatment: Treatment) -> Cases | None:
    """The scored cases that were left out for want of a label; None where there are none, or where they cannot be counted with the others."""
    if table.unlabelled is None or wanted.weight is not None:
        return None
    rows = len(next(iter(table.unlabelled.values())))
    rest = replace(table, columns={**table.unlabelled, wanted.label: np.zeros(rows, dtype=np.int64)}, notes=(), refused=table.rows - rows)
    try:
        # A row without a score is no alert, and no case that was scored.
        rest = treat(rest, wanted, Treatment(nan_score=treatment.nan_score or DROP))
        return _cases(rest, replace(wanted, positive=None))._replace(notes=())
    except InputError:
        return None  # what is wrong with rows that are left out is not refused


def _ledger(tables: Sequence[Table], used: Sequence[int], wanted: Wanted, label: object) -> Ledger:
    found = "" if label is None else str(label)
    sources = tuple(source_of(table, rows, wanted, found) for table, rows in zip(tables, used, strict=True))
    read = sum(table.rows for table in tables)
    return Ledger(read, sum(used), read - sum(used), sources, wanted.design)


def source_of(table: Table, used: int, wanted: Wanted, positive: str) -> Source:
    """One entry of the ledger."""
    return Source(table.path, table.sha256, table.rows, used, table.rows - used, wanted.label, positive, wanted.weight)
