"""Cases of files and databases, checked and counted: of one score, of several models on the same
cases, and of scores that nobody labelled yet.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.counts.counts import Counts, JointCounts, Unlabelled
from baserate.counts.grouped import GroupedCounts
from baserate.errors import (
    Fix,
    InputError,
    Ledger,
    Note,
    Source,
    checked_design,
    quoted,
    refuse_file,
    relocate_problems,
)
from baserate.read.cases import (
    SCORE,
    CaseColumns,
    Cases,
    check_cases,
    count_cases,
    count_each_model,
    count_groups,
    count_jointly,
    fitting,
    score_name,
)
from baserate.read.checks import checked_cases
from baserate.read.columns import Column, Unread, as_column
from baserate.read.large import count_large, sources_in_pieces
from baserate.read.source import Options, parts_of, shown_source, text_cases, together
from baserate.read.streams import STDIN, spooled
from baserate.read.table import Ceiling, ColumnRoles, Table
from baserate.read.treatments import DROP, Treatment, heeded, treat

AMOUNTS = ("amount", "price", "value", "eur", "usd", "loss")


# ----------------------------------------------------------------------
# The cases of one source, checked: errors lie at the lines where the user sees them, and a ledger
# accounts for every row.


def read_cases(source: str, wanted: ColumnRoles, options: Options) -> Cases:
    """Return the cases of one source (a path, a pattern, "file.db::table", …)."""
    _check_roles(source, wanted)
    if source in STDIN and options.spooled is None:
        with spooled(options.limits) as path:
            return read_cases(source, wanted, options._replace(spooled=path))
    with text_cases(source, wanted, options) as held:
        if held is not None:
            parts, table = held.parts, together(source, held.parts)
            with relocate_problems(table.place):
                cases, table = checked_cases(held, table, options.treatment)
            return _with_ledger(cases, table, parts, wanted)
    untreated = options._replace(untreated=options.treatment.leaves_scores())
    wanted = heeded(wanted, options.treatment)
    tables = parts_of(source, wanted, untreated)
    table = together(source, tables)
    with relocate_problems(table.place):
        table = treat(table, wanted, options.treatment)
        cases = _cases(table, wanted)
        cases = cases._replace(unlabelled=_unlabelled_cases(table, wanted, options.treatment))
        if options.treatment.lower_is_positive:
            cases = cases.negated()
    return _with_ledger(cases, table, tables, wanted)


def _check_roles(source: str, wanted: ColumnRoles) -> None:
    checked_design(wanted.design)
    repeated = next((name for name in wanted.scores if wanted.scores.count(name) > 1), None)
    if repeated is not None:
        text = f"the score {quoted(repeated)} is named twice"
        raise refuse_file(shown_source(source), "BR407", text, "name each score once")


def _cases(table: Table, wanted: ColumnRoles) -> Cases:
    columns = {name: as_column(values, quoted(name)) for name, values in table.columns.items()}
    given = CaseColumns(
        columns[wanted.label],
        {name: columns[name] for name in wanted.scores},
        None if wanted.weight is None else columns[wanted.weight],
        {role: columns[name] for role, name in wanted.beside.items()},
    )
    positive = fitting(wanted.positive, table.columns[wanted.label])
    return check_cases(given, positive=positive, design=wanted.design, keyword="positive")


def _unlabelled_cases(table: Table, wanted: ColumnRoles, treatment: Treatment) -> Cases | None:
    """Return the scored cases that were left out because they have no label; None where there are
    none, or where they cannot be counted with the others.
    """
    if table.unlabelled is None or wanted.weight is not None:
        return None
    rows = len(next(iter(table.unlabelled.values())))
    columns = {**table.unlabelled, wanted.label: np.zeros(rows, dtype=np.int64)}
    rest = replace(table, columns=columns, notes=(), refused=table.rows - rows)
    try:
        # A row without a score is no alert, and no case that was scored.
        rest = treat(rest, wanted, Treatment(nan_score=treatment.nan_score or DROP))
        return _cases(rest, replace(wanted, positive=None))._replace(notes=())
    except InputError:
        return None  # what is wrong with rows that are left out is not refused


def refuse_unread(source: str, tables: Sequence[Table], wanted: ColumnRoles) -> None:
    """Say what is wrong with tables of which a reader kept no more than that: they are refused
    where they were read.
    """
    if any(isinstance(column, Unread) for table in tables for column in table.columns.values()):
        table = together(source, tables)
        with relocate_problems(table.place):
            _cases(table, wanted)


def _with_ledger(cases: Cases, table: Table, parts: Sequence[Table], wanted: ColumnRoles) -> Cases:
    """Return the cases with the place of every row and an account of the rows of each file."""
    label = "" if cases.label is None else str(cases.label)
    sources = tuple(
        _source(part, used, wanted, label)
        for part, used in zip(parts, _rows_used(parts, table), strict=True)
    )
    ledger = _sum_of(sources, wanted.design)
    notes = (*table.notes, *cases.notes, *_weight_notes(wanted.weight))
    return cases._replace(ledger=ledger, notes=notes, place=table.place)


def _sum_of(sources: Sequence[Source], design: str) -> Ledger:
    read, used = (sum(getattr(one, f"rows_{what}") for one in sources) for what in ("read", "used"))
    return Ledger(read, used, read - used, tuple(sources), design)


def _source(part: Table, used: int, wanted: ColumnRoles, positive: str) -> Source:
    rows = part.rows, used, part.rows - used
    return Source(part.path, part.sha256, *rows, wanted.label, positive, wanted.weight)


def _rows_used(parts: Sequence[Table], table: Table) -> list[int]:
    """Return how many rows of each part are left."""
    held = [part.rows - part.refused for part in parts]
    if table.kept is None:
        return held
    left: list[int] = np.diff(np.searchsorted(table.kept, np.cumsum([0, *held]))).tolist()
    return left


def _weight_notes(weight: str | None) -> tuple[Note, ...]:
    """Say which weights look like amounts of money."""
    if not weight or not any(word in weight.casefold() for word in AMOUNTS):
        return ()
    name = quoted(weight, quotes=False)
    text = f"{quoted(weight)} looks like an amount of money: as a weight it makes an expensive"
    fix = Fix(f"count(…, amount={name!r})", f"--amount {shlex.quote(name)}")
    return (Note("BR305", f"{text} case count as many cases", fix),)


# ----------------------------------------------------------------------
# Counting the cases of one source.


def count_scores(source: str, wanted: ColumnRoles, options: Options) -> dict[str, Counts]:
    """Return the counts of each score column by its name: how many positives and negatives have
    each score.

    `source` is a path (CSV, TSV, JSON lines, also compressed; Parquet, Arrow, npz), a pattern or a
    folder of such files, `"-"` for standard input, `"file.db::table"` or `"file.db::SELECT …"` for
    SQLite and DuckDB, or `"postgresql://…::table"`. Under a ceiling on memory it is read in pieces,
    where that can be: where the scores do not all fit, the counts are condensed (see
    `Counts.condense`), exact at every one of its thresholds.
    """
    if options.ceiling.memory is not None:
        pieces = sources_in_pieces(source)
        if pieces is not None and wanted.scores:
            counted = count_large(source, pieces, wanted, options)
            if counted is not None:
                return counted
        options = options._replace(ceiling=Ceiling(options.ceiling.memory))
    return count_each_model(read_cases(source, wanted, options))


def count_together(
    source: str, wanted: ColumnRoles, options: Options
) -> JointCounts | dict[str, Counts]:
    """Return the models of one file on the same cases; only the counts of each where cases are
    weighted, or are not all held in memory.
    """
    if options.ceiling.memory is not None:
        return count_scores(source, wanted, options)
    return together_or_each(read_cases(source, wanted, options))


def together_or_each(cases: Cases) -> JointCounts | dict[str, Counts]:
    """Return models counted on the same cases; only the counts of each where cases are weighted."""
    each = count_each_model(cases)
    if cases.weights is not None or len(each) < 2:
        return each
    return count_jointly(cases).counted_as(each)


def groups_of(source: str, wanted: ColumnRoles, options: Options) -> GroupedCounts:
    """Return the counts of one score, group by group."""
    return count_groups(read_cases(source, wanted, options), wanted.scores[0])


# ----------------------------------------------------------------------
# Counting scores that nobody labelled yet.


def unlabelled_of(source: str, score: str, options: Options) -> Unlabelled:
    """Return how many cases have each score, in a file or a table of a database."""
    known = Treatment(
        nan_score=options.treatment.nan_score,
        lower_is_positive=options.treatment.lower_is_positive,
    )
    if options.treatment != known:
        text = "an option applies to labels or ids, and there are none here"
        raise refuse_file(shown_source(source), "BR612", text, "leave it out")
    wanted = ColumnRoles(score, (score,))  # readers want a label: here the score stands in for it
    tables = parts_of(source, wanted, options)
    table = together(source, tables)
    with relocate_problems(table.place):
        table = treat(table, wanted, Treatment(nan_score=known.nan_score))
        cases = _unlabelled_scores(table.columns[score], score)
        if known.lower_is_positive:
            cases = cases.negated()
    cases = _with_ledger(cases, table, tables, replace(wanted, label=""))
    return _without_classes(cases, score)


def unlabelled_scores(values: Any) -> Unlabelled:
    """Return how many cases have each score, in an array."""
    return _without_classes(_unlabelled_scores(values, SCORE), SCORE)


def _unlabelled_scores(values: Any, name: str) -> Cases:
    column = as_column(values, score_name(name))
    negative = Column("labels", np.zeros(len(column), dtype=np.bool_))
    return check_cases(CaseColumns(negative, {name: column}))


def _without_classes(cases: Cases, model: str) -> Unlabelled:
    counts = count_cases(cases, model)
    scores, times = counts.scores.copy(), counts.negatives.copy()
    return Unlabelled._of(scores, times, cases.ledger, cases.notes)
