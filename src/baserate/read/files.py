"""Cases of files and databases, checked and counted: of one score, of several models on the same
cases, and of scores that nobody labelled yet.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from baserate.counts.counts import Counts, JointCounts, Unlabelled
from baserate.counts.grouped import GroupedCounts
from baserate.errors import (
    TURNED,
    Fix,
    InputError,
    Ledger,
    Note,
    Source,
    checked_design,
    counted_twice,
    number_of,
    quoted,
    refuse_file,
    relocate_problems,
    size,
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
from baserate.read.checks import checked_cases, judge
from baserate.read.columns import Column, as_column
from baserate.read.engine import CaseTable
from baserate.read.large import as_counts, count_model_within
from baserate.read.parquet import open_parquet
from baserate.read.source import (
    Options,
    check_unused,
    count_confined,
    is_possible,
    parquet_sources,
    parts_of,
    shown_source,
    text_cases,
    together,
)
from baserate.read.streams import STDIN, spooled
from baserate.read.table import Ceiling, ColumnRoles, Table
from baserate.read.treatments import DROP, Treatment, heeded, treat

# What a case takes that is held with all that lies beside its score.
BYTES_A_ROW = 256
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
    with text_cases([source], wanted, options._replace(ceiling=Ceiling())) as held:
        if held is not None:
            return _cases_of_table(source, held, options.treatment)
    wanted = heeded(wanted, options.treatment)
    tables = parts_of(source, wanted, options)
    table = together(source, tables)
    with relocate_problems(table.place):
        table = treat(table, wanted, options.treatment)
        cases = _cases(table, wanted)
        cases = cases._replace(unlabelled=_unlabelled_cases(table, wanted, options.treatment))
        if options.treatment.lower_is_positive:
            cases = cases.negated()
    return _with_ledger(cases, table, tables, wanted)


def _cases_of_table(source: str, held: CaseTable, treatment: Treatment) -> Cases:
    table = together(source, held.parts)
    with relocate_problems(table.place):
        cases, table = checked_cases(held, table, treatment)
    return _with_ledger(cases, table, held.parts, held.wanted)


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


def _with_ledger(cases: Cases, table: Table, parts: Sequence[Table], wanted: ColumnRoles) -> Cases:
    """Return the cases with the place of every row and an account of the rows of each file."""
    ledger = _ledger(parts, _rows_used(parts, table), wanted, cases.label)
    notes = (*table.notes, *cases.notes, *_weight_notes(wanted.weight))
    return cases._replace(ledger=ledger, notes=notes, place=table.place)


def _ledger(
    parts: Sequence[Table], rows_used: Sequence[int], wanted: ColumnRoles, label: Any
) -> Ledger:
    positive = "" if label is None else str(label)
    sources = []
    for part, used in zip(parts, rows_used, strict=True):
        rows = part.rows, used, part.rows - used
        source = Source(part.path, part.sha256, *rows, wanted.label, positive, wanted.weight)
        sources.append(source)
    read = sum(part.rows for part in parts)
    return Ledger(read, sum(rows_used), read - sum(rows_used), tuple(sources), wanted.design)


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
    counted = None
    if options.ceiling.memory is not None:
        counted = count_within_memory([source], wanted, options)
    return counted or count_each_model(read_cases(source, wanted, options))


def count_within_memory(
    sources: Sequence[str], wanted: ColumnRoles, options: Options
) -> dict[str, Counts] | None:
    """Return the counts of each score of sources that are one table; None where they are read as a
    whole.
    """
    _check_roles(sources[0], wanted)
    if not wanted.scores:
        return None
    if all(map(parquet_sources, sources)) and is_possible():
        return count_confined(sources, wanted, options)
    return count_here(sources, wanted, options)


def count_here(
    sources: Sequence[str], wanted: ColumnRoles, options: Options
) -> dict[str, Counts] | None:
    """Return the same, read in this process."""
    parquet = [parquet_sources(source) for source in sources]
    if all(parquet):
        check_unused(sources[0], "Parquet", options)
        paths = list(chain.from_iterable(parquet))
        with open_parquet(paths, wanted, options.ceiling.memory) as cases:
            return _count_table(sources[0], cases, options)
    with text_cases(sources, wanted, options) as found:
        return None if found is None else _count_table(sources[0], found, options)


def _count_table(source: str, cases: CaseTable, options: Options) -> dict[str, Counts]:
    ceiling, treatment, wanted = options.ceiling, options.treatment, cases.wanted
    rows = sum(rows for _, rows in cases.slices)
    needs_all = _needs_all(wanted, treatment)
    if needs_all:
        if rows * BYTES_A_ROW > ceiling.room:
            raise _needs_memory(source, needs_all[0], rows, ceiling)
        return count_each_model(_cases_of_table(source, cases, treatment))
    table = together(source, cases.parts)
    low = treatment.lower_is_positive
    with relocate_problems(table.place):
        judged = judge(cases, treatment)
        kept = {
            name: count_model_within(cases, judged, name, ceiling, lower_is_positive=low)
            for name in wanted.scores
        }
    held = [part.rows - part.refused for part in cases.parts]
    ledger = _ledger(cases.parts, held, wanted, judged.label)
    notes = [*table.notes, *judged.notes, *judged.remarks, *((TURNED,) if low else ())]
    notes += map(counted_twice, _twice(cases.parts))
    return {name: as_counts(found, ledger, tuple(notes)) for name, found in kept.items()}


def _needs_all(wanted: ColumnRoles, treatment: Treatment) -> list[str]:
    """Return the options that need every case at once: columns beside the score, and rows that are
    left out.
    """
    asked = {"weight": wanted.weight, **wanted.beside, "dedupe": treatment.dedupe}
    found = [name for name, value in asked.items() if value is not None]
    found += ["missing_label"] if treatment.missing_label == DROP else []
    return found + (["nan_score"] if treatment.nan_score == DROP else [])


def _needs_memory(source: str, option: str, rows: int, ceiling: Ceiling) -> InputError:
    what, word = option.replace("_", " "), option.replace("_", "-")
    text = f"{what} needs every case at once, and {number_of(rows, 'case')} do not fit into"
    assert ceiling.memory is not None
    fix = Fix(f"leave out {option}, or memory", f"leave out --{word}, or --memory")
    return refuse_file(source, "BR943", f"{text} {size(ceiling.memory)}", fix)


def _twice(parts: Sequence[Table]) -> list[str]:
    """Return the files whose bytes another file has too."""
    digests = [part.sha256 for part in parts]
    return [part.path for place, part in enumerate(parts) if part.sha256 in digests[:place]]


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
