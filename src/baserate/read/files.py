"""Counting files and databases: cases, groups, days, amounts, unlabelled scores, files joined by
id, saved counts.
"""

from __future__ import annotations

import datetime as dt
import math
import os
import re
import shlex
import stat
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from baserate.counts import counts
from baserate.counts.amounts import Amounts, JointAmounts, in_finer_units, in_units
from baserate.counts.cells import Array, gathered, lowest_score
from baserate.counts.counts import ARRAYS, Counts, JointCounts, Unlabelled
from baserate.counts.grouped import GroupedCounts, rank
from baserate.errors import (
    Findings,
    Fix,
    InputError,
    Ledger,
    Note,
    Source,
    are,
    checked_design,
    combine,
    escaped,
    grouped,
    number_of,
    placed,
    quoted,
    refuse,
    refuse_file,
)
from baserate.kernels import Cells
from baserate.numbers import rounded
from baserate.read.cases import (
    SCORE,
    Cases,
    Names,
    as_scores,
    checked,
    count_cases,
    fitting,
    group_counts,
)
from baserate.read.checks import checked_cases
from baserate.read.columns import (
    CodedColumn,
    Column,
    Unread,
    as_column,
    as_text,
    distinct,
    group_codes,
    is_missing,
)
from baserate.read.large import count_large, sources_in_pieces
from baserate.read.source import (
    Options,
    parts_as_sent,
    parts_of,
    shown_source,
    text_cases,
    together,
)
from baserate.read.streams import STDIN, spooled
from baserate.read.table import Ceiling, ColumnRoles, Runs, Table
from baserate.read.treatments import DROP, Treatment, heeded, treat, turned

# ----------------------------------------------------------------------
# Cases from tables that were read: checked, with errors at the lines where the user sees them, and
# a ledger of every row.


AMOUNTS = ("amount", "price", "value", "eur", "usd", "loss")


def read_cases(source: str, wanted: ColumnRoles, options: Options) -> tuple[Cases, Table]:
    """The cases of one source, and the table that they came from (errors found later lie there
    too).
    """
    _check_asked(source, wanted)
    if source in STDIN and options.spooled is None:
        with spooled(options.limits) as path:
            return read_cases(source, wanted, options._replace(spooled=path))
    with text_cases(source, wanted, options) as held:
        if held is not None:
            table = together(source, held.parts)
            with placed(table.place):
                cases, table = checked_cases(held, table, options.treatment)
            cases = _with_weight_note(cases, wanted.weight)
            ledger = _ledger(held.parts, _used(held.parts, table), wanted, cases.label)
            return cases._replace(ledger=ledger, notes=(*table.notes, *cases.notes)), table
    wanted = heeded(wanted, options.treatment)
    return _of_tables(source, _tables(source, wanted, options), wanted, options.treatment)


def _check_asked(source: str, wanted: ColumnRoles) -> None:
    checked_design(wanted.design)
    repeated = [name for name in wanted.scores if wanted.scores.count(name) > 1]
    if repeated:
        raise refuse_file(
            shown_source(source),
            "BR407",
            f"the score {quoted(repeated[0])} is named twice",
            "name each score once",
        )


def _tables(source: str, wanted: ColumnRoles, options: Options) -> list[Table]:
    """The tables of one source, as its reader sent them."""
    _check_asked(source, wanted)
    untreated = options.treatment.leaves_scores()
    return parts_as_sent(source, wanted, options._replace(untreated=untreated))


def _of_tables(
    source: str, tables: Sequence[Table], wanted: ColumnRoles, treatment: Treatment
) -> tuple[Cases, Table]:
    # Labels with gaps that are to be filled or left out stay codes until that is done, days until
    # they are counted.
    few = (wanted.label if treatment.only_fills(wanted) else None, wanted.only_day)
    tables = [table.spread(but=few if len(tables) == 1 else ()) for table in tables]
    table = together(source, tables)
    try:
        table = treat(table, wanted, treatment)
        cases = _cases(table, wanted)
        rest = _without_labels(table, wanted, treatment)
        if treatment.lower_is_positive:
            scores, notes = turned(cases.scores)
            cases = cases._replace(scores=scores, notes=(*cases.notes, *notes))
            rest = None if rest is None else rest._replace(scores=turned(rest.scores)[0])
        cases = cases._replace(unlabelled=rest)
    except InputError as error:
        raise error.moved(table.place) from None
    ledger = _ledger(tables, _used(tables, table), wanted, cases.label)
    return cases._replace(ledger=ledger, notes=(*table.notes, *cases.notes)), table


def _of_runs(
    tables: Sequence[Table], wanted: ColumnRoles, treatment: Treatment
) -> dict[str, Counts] | None:
    """The counts of a score whose pairs with the label were counted where they lie: no row is made.
    None where the table has rows, and where anything is wrong: counting row by row then says what.
    """
    table, pair = tables[0], (wanted.label, *wanted.scores)
    if len(tables) > 1 or len(pair) != 2 or treatment != Treatment() or table.refused:
        return None
    labels, scores = (table.columns[name] for name in pair)
    if (
        wanted.columns != pair
        or not isinstance(labels, Runs)
        or not isinstance(scores, Runs)
        or not np.array_equal(labels.lengths, scores.lengths)
    ):
        return None
    values = {pair[0]: np.asarray(labels.values), pair[1]: np.asarray(scores.values)}
    try:
        cases = _cases(replace(table, columns=values), wanted)
    except InputError:
        return None
    lengths = np.asarray(labels.lengths)
    positives = np.where(cases.positive, lengths, 0)
    (name, found), negatives = cases.kept_scores().popitem(), lengths - positives
    ledger = _ledger(tables, [table.rows], wanted, cases.label)
    cells, notes = gathered(found, positives, negatives), (*table.notes, *cases.notes)
    return {name: Counts._of(cells, ledger, notes)}


def refuse_unread(source: str, tables: Sequence[Table], wanted: ColumnRoles) -> None:
    """Say what is wrong with tables of which a reader kept no more than that: they are refused
    where they were read.
    """
    if any(isinstance(column, Unread) for table in tables for column in table.columns.values()):
        table = together(source, tables)
        with placed(table.place):
            _cases(table, wanted)


def _used(tables: Sequence[Table], table: Table) -> list[int]:
    """How many rows of each table are left."""
    held = [part.rows - part.refused for part in tables]
    if table.kept is None:
        return held
    left: list[int] = np.diff(np.searchsorted(table.kept, np.cumsum([0, *held]))).tolist()
    return left


def _cases(table: Table, wanted: ColumnRoles) -> Cases:
    columns, weight, group = table.columns, wanted.weight, wanted.group
    cases = checked(
        columns[wanted.label],
        {name: columns[name] for name in wanted.scores},
        pos_label=fitting(wanted.positive, columns[wanted.label]),
        sample_weight=columns[weight] if weight is not None else None,
        groups=columns[group] if group is not None else None,
        names=Names(quoted(wanted.label), quoted(weight or ""), quoted(group or ""), "positive"),
        beside={
            part: as_column(columns[name], quoted(name)) for part, name in wanted.beside.items()
        },
    )
    return _with_weight_note(cases, weight)


def _with_weight_note(cases: Cases, weight: str | None) -> Cases:
    """The same, with a word on weights that look like amounts of money."""
    if not weight or not any(word in weight.casefold() for word in AMOUNTS):
        return cases
    text = (
        f"{quoted(weight)} looks like an amount of money: as a weight it makes an expensive"
        " case count as many cases"
    )
    name = quoted(weight, quotes=False)
    fix = Fix(f"count(…, amount={name!r})", f"--amount {shlex.quote(name)}")
    return cases._replace(notes=(*cases.notes, Note("BR305", text, fix)))


def _without_labels(table: Table, wanted: ColumnRoles, treatment: Treatment) -> Cases | None:
    """The scored cases that were left out because they have no label; None where there are none, or
    where they cannot be counted with the others.
    """
    if table.unlabelled is None or wanted.weight is not None:
        return None
    rows = len(next(iter(table.unlabelled.values())))
    rest = replace(
        table,
        columns={**table.unlabelled, wanted.label: np.zeros(rows, dtype=np.int64)},
        notes=(),
        refused=table.rows - rows,
    )
    try:
        # A row without a score is no alert, and no case that was scored.
        rest = treat(rest, wanted, Treatment(nan_score=treatment.nan_score or DROP))
        return _cases(rest, replace(wanted, positive=None))._replace(notes=())
    except InputError:
        return None  # what is wrong with rows that are left out is not refused


def _ledger(
    tables: Sequence[Table], used: Sequence[int], wanted: ColumnRoles, label: object
) -> Ledger:
    found = "" if label is None else str(label)
    sources = tuple(
        source_of(table, rows, wanted, found) for table, rows in zip(tables, used, strict=True)
    )
    read = sum(table.rows for table in tables)
    return Ledger(read, sum(used), read - sum(used), sources, wanted.design)


def source_of(table: Table, used: int, wanted: ColumnRoles, positive: str) -> Source:
    """One entry of the ledger."""
    return Source(
        table.path,
        table.sha256,
        table.rows,
        used,
        table.rows - used,
        wanted.label,
        positive,
        wanted.weight,
    )


# ----------------------------------------------------------------------
# Files of the same cases, joined by their ids: compared as text, each once, and never by position
# unless that is asked for.


INNER = "inner"
ROUNDED = re.compile(r"[0-9](\.[0-9]+)?E\+[0-9]+", re.IGNORECASE)  # how Excel writes long numbers


@dataclass(frozen=True)
class Part:
    """One model's file: its cases, the table that they came from, and the row of each id."""

    model: str
    cases: Cases
    table: Table
    wanted: ColumnRoles
    rows: Mapping[str, int]


def join_cases(
    named: Mapping[str, tuple[str, str]],
    wanted: ColumnRoles,
    options: Options,
    *,
    by_position: bool,
    join: str | None,
) -> Cases:
    """The cases that all files have, with the score of each model."""
    if join not in (None, INNER):
        raise refuse(
            "BR401",
            f"join must be {INNER!r} or nothing, got {quoted(join)}",
            Fix.option("join", INNER),
        )
    if by_position == (wanted.id is not None):
        text = (
            "an id and by position: say one of them"
            if by_position
            else "several files, and nothing says which rows belong together"
        )
        raise refuse(
            "BR414", text, Fix('id="COLUMN", or by_position=True', "--id COLUMN, or --by-position")
        )
    findings, parts = Findings(), list[Part]()
    for model, (path, column) in named.items():
        with findings:  # what is wrong with one file says nothing of the others
            parts.append(_part(model, path, replace(wanted, scores=(column,)), options))
    findings.settle()
    if by_position:
        return _by_position(parts)
    kept = _kept(parts, join)
    return _assembled(parts, kept)


def _part(model: str, path: str, wanted: ColumnRoles, options: Options) -> Part:
    cases, table = read_cases(path, wanted, options)
    if wanted.id is None:
        return Part(model, cases, table, wanted, {})
    cases = with_ids(cases, table, wanted)
    rows = {found: row for row, found in enumerate(as_text(table.columns[wanted.id]))}
    return Part(model, cases, table, wanted, rows)


def with_ids(cases: Cases, table: Table, wanted: ColumnRoles) -> Cases:
    """The same cases, once it is clear that every one has an id of its own; a note where ids look
    damaged.
    """
    ids = as_text(table.columns[wanted.id or ""])
    gone = [row for row, found in enumerate(ids) if not found]
    if gone:
        text = (
            f"{quoted(wanted.id or '')} is missing for {grouped(len(gone))} of"
            f" {number_of(len(ids), 'case')}"
        )
        raise refuse("BR416", text, "give every case an id", gone[:3], len(gone)).moved(table.place)
    if len(set(ids)) < len(ids):
        raise _repeated(ids, cases, wanted).moved(table.place)
    damaged = [found for found in ids if ROUNDED.fullmatch(found)]
    if damaged:
        note = Note("BR609", f"ids such as {quoted(damaged[0])} look rounded by a spreadsheet")
        return cases._replace(notes=(*cases.notes, note))
    return cases


def _repeated(ids: Sequence[str], cases: Cases, wanted: ColumnRoles) -> InputError:
    """Ids that stand twice: with the same values, or with others."""
    twice = {found for found, times in Counter(ids).items() if times > 1}
    first: dict[str, tuple[Any, ...]] = {}
    rows = [row for row, found in enumerate(ids) if found in twice]
    columns = [cases.positive, *cases.scores.values()]
    for row in rows:
        values = tuple(column[row].item() for column in columns)
        if first.setdefault(ids[row], values) != values:
            names = (f"{quoted(wanted.label)} positive", *map(quoted, wanted.scores))
            differ = next(
                (name, old, new)
                for name, old, new in zip(names, first[ids[row]], values, strict=True)
                if old != new
            )
            text = (
                f"the id {quoted(ids[row])} appears twice with different values ({differ[0]}:"
                f" {differ[1]}, {differ[2]})"
            )
            both = [other for other in rows if ids[other] == ids[row]]
            return refuse(
                "BR403", text, "give the column that identifies the cases", both[:3], len(rows)
            )
    text = (
        f"{number_of(len(twice), 'id appears', 'ids appear')} more than once, with the same values"
    )
    return refuse("BR402", text, Fix.option("dedupe", "first"), rows[:3], len(rows))


def _kept(parts: Sequence[Part], join: str | None) -> list[str]:
    """The ids that all files have, in the order of the first; without `join` all have to have
    all.
    """
    first, *others = parts
    common = [found for found in first.rows if all(found in part.rows for part in others)]
    everything = dict.fromkeys(found for part in parts for found in part.rows)
    if len(common) == len(everything):
        return common
    _check_spelling(parts, len(common))
    if join == INNER and common:
        return common
    part = min(parts, key=lambda part: len(part.rows))  # where some lack any, this one does
    lacking = [found for found in everything if found not in part.rows]
    more = " …" if len(lacking) > MOST_SHOWN else ""
    shown = ", ".join(map(quoted, lacking[:MOST_SHOWN])) + more
    text = (
        f"{quoted(part.model)} lacks {grouped(len(lacking))} of"
        f" {number_of(len(everything), 'id')} ({shown})"
    )
    fix, many = Fix.option("join", INNER), f" ({number_of(len(common), 'case')} that all have)"
    raise refuse_file(part.table.path, "BR401", text, Fix(fix.python + many, fix.command + many))


def _check_spelling(parts: Sequence[Part], common: int) -> None:
    """Ids that would match if zeros in front, blanks or case were left out are written in two
    ways.
    """
    first = parts[0]
    bare = {_bare(found): found for found in first.rows}
    for part in parts[1:]:
        alike = [
            (bare[_bare(found)], found)
            for found in part.rows
            if found not in first.rows and _bare(found) in bare
        ]
        alike = [(ours, theirs) for ours, theirs in alike if ours not in part.rows]
        if alike:
            ours, theirs = alike[0]
            other = escaped(first.table.path)
            raise refuse_file(
                part.table.path,
                "BR405",
                f"{grouped(common)} of {number_of(len(first.rows), 'id')} match; is {quoted(ours)}"
                f" in {other} the same as {quoted(theirs)}?",
                "write ids in one way in all files (they are compared as text)",
            )


def _bare(found: str) -> str:
    return found.strip().casefold().removesuffix(".0").lstrip("0") or "0"


def _assembled(parts: Sequence[Part], kept: Sequence[str]) -> Cases:
    """The cases of the first file in its order, and everybody's scores."""
    rows = [
        np.fromiter((part.rows[found] for found in kept), dtype=np.intp, count=len(kept))
        for part in parts
    ]
    first = parts[0]
    positive = first.cases.positive[rows[0]]
    for part, own in zip(parts[1:], rows[1:], strict=True):
        differ = np.flatnonzero(part.cases.positive[own] != positive)
        if len(differ):
            id_ = kept[differ[0]]
            count, other = (
                number_of(len(differ), "case has", "cases have"),
                escaped(first.table.path),
            )
            text = f"{count} another label than in {other}, such as the id {quoted(id_)}"
            raise refuse(
                "BR404", text, "correct the label that is wrong", own[differ[:3]], len(differ)
            ).moved(part.table.place)
    return _merged(parts, rows, len({found for part in parts for found in part.rows}))


def _by_position(parts: Sequence[Part]) -> Cases:
    """Row by row, because the user said so: at least the labels have to agree."""
    first, other = parts[0], escaped(parts[0].table.path)
    for part in parts[1:]:
        if len(part.cases.positive) != len(first.cases.positive):
            text = (
                f"has {number_of(len(part.cases.positive), 'case')}, and {other}"
                f" {grouped(len(first.cases.positive))}: not the same"
            )
            raise refuse_file(part.table.path, "BR401", text, Fix("id='COLUMN'", "--id COLUMN"))
        differ = np.flatnonzero(part.cases.positive != first.cases.positive)
        if len(differ):
            text = (
                f"{number_of(len(differ), 'row has', 'rows have')} another label than in {other}:"
                " they are not the same cases"
            )
            raise refuse(
                "BR404", text, Fix("id='COLUMN'", "--id COLUMN"), differ[:3], len(differ)
            ).moved(part.table.place)
    count = len(first.cases.positive)
    cases = _merged(parts, [np.arange(count)] * len(parts), count)
    note = Note(
        "BR415",
        "rows of several files were paired by their position, as requested; their labels agree",
    )
    return cases._replace(notes=(*cases.notes, note))


def _merged(parts: Sequence[Part], rows: Sequence[Array], everything: int) -> Cases:
    first, notes = parts[0], tuple[Note, ...]()
    scores = {
        part.model: part.cases.scores[part.wanted.scores[0]][own]
        for part, own in zip(parts, rows, strict=True)
    }
    for part in parts:
        notes = combine(notes, part.cases.notes)
    used = len(rows[0])
    sources = tuple(
        source_of(
            part.table, used, part.wanted, "" if part.cases.label is None else str(part.cases.label)
        )
        for part in parts
    )
    ledger = Ledger(everything, used, everything - used, sources, first.wanted.design)
    if lost := everything - used:
        notes = (
            *notes,
            Note(
                "BR401",
                f"{grouped(lost)} of {number_of(everything, 'case')} {are(lost)} not in every file:"
                " left out",
            ),
        )
    return first.cases.only(rows[0])._replace(scores=scores, notes=notes, ledger=ledger)


# ----------------------------------------------------------------------
# Counting what lies in files and databases: one score, several models on the same cases, or many
# groups of cases.


Path = str | os.PathLike[str]
NAME_THEM = Fix(
    'name them: {"logit": "a.csv", "forest": "b.csv"}',
    "rename one of the files: a model has the name of its file",
)


def count_scores(source: str, wanted: ColumnRoles, options: Options) -> dict[str, Counts]:
    """How many positives and negatives have each score, in a file or a table of a database? The
    counts of each score column, by its name.

    `source` is a path (CSV, TSV, JSON lines, also compressed; Parquet, Arrow, npz), a pattern or a
    folder of such files, `"-"` for standard input, `"file.db::table"` or `"file.db::SELECT …"` for
    SQLite and DuckDB, or `"postgresql://…::table"`. Under a ceiling on memory it is read in pieces,
    where that can be: where the scores do not all fit, the counts are condensed (see
    `Counts.condense`), exact at every one of its thresholds.
    """
    if options.ceiling.memory is not None:
        pieces = sources_in_pieces(source)
        counted = (
            count_large(source, pieces, wanted, options)
            if pieces is not None and wanted.scores
            else None
        )
        if counted is not None:
            return counted
        options = options._replace(ceiling=Ceiling(options.ceiling.memory))
    return _each_score(*read_cases(source, wanted, options), wanted)


def _each_score(cases: Cases, table: Table, wanted: ColumnRoles) -> dict[str, Counts]:
    findings, counted = Findings(), {}
    for name in wanted.scores:
        with findings:
            counted[name] = count_cases(cases, name).beside(
                None if cases.unlabelled is None else count_cases(cases.unlabelled, name)
            )
    with placed(table.place):
        findings.settle()
    return counted


def count_together(
    source: str, wanted: ColumnRoles, options: Options
) -> JointCounts | dict[str, Counts]:
    """The models of one file on the same cases; only the counts of each where cases are weighted,
    or are not all held in memory.
    """
    if options.ceiling.memory is not None:
        return count_scores(source, wanted, options)
    return counted_together(*read_cases(source, wanted, options), wanted)


def counted_together(
    cases: Cases, table: Table, wanted: ColumnRoles
) -> JointCounts | dict[str, Counts]:
    """The same of cases that were read."""
    each = _each_score(cases, table, wanted)
    if wanted.weight is not None or len(wanted.scores) < 2:
        return each
    return joint_of(cases).counted_as(each)


def joint_from(
    sources: Sequence[Path] | Mapping[str, Path],
    wanted: ColumnRoles,
    options: Options,
    *,
    by_position: bool = False,
    join: str | None = None,
) -> JointCounts:
    """Which scores did each of several models give the same cases, in one file or in several?

    One source holds a column for each model. Of several, each holds one: `{"logit": "a.csv",
    "forest": "b.csv"}` with the name of the score, or a list with as many scores. They are joined
    by the column `wanted.id`; where each lacks cases of the other, `join="inner"` keeps those that
    all have. `by_position` says that the rows of all files are the same cases in the same order.
    """
    if len(sources) == 1 and not isinstance(sources, Mapping):
        if by_position or join is not None:
            raise refuse(
                "BR414",
                "one file is not joined with another",
                "leave join and by_position out, or name the other file",
            )
        return joint_of(models_of(os.fspath(sources[0]), wanted, options))
    return joint_of(
        join_cases(
            _named(sources, wanted.scores), wanted, options, by_position=by_position, join=join
        )
    )


def models_of(source: str, wanted: ColumnRoles, options: Options) -> Cases:
    """Several models in one source."""
    if not wanted.scores:
        raise refuse(
            "BR410", "no score is named", Fix('scores=["m1", "m2"]', "--score m1 --score m2")
        )
    cases, table = read_cases(source, wanted, options)
    return cases if wanted.id is None else with_ids(cases, table, wanted)


def _named(
    sources: Sequence[Path] | Mapping[str, Path], scores: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Each model with its source and the column there."""
    paths = [
        os.fspath(path) for path in (sources.values() if isinstance(sources, Mapping) else sources)
    ]
    if not paths or not scores:
        raise refuse(
            "BR410",
            "no file or no score is named",
            'count({"logit": "a.csv", "forest": "b.csv"}, label="y", score="m", id="case")',
        )
    if len(scores) not in (1, len(paths)):
        text = f"{len(paths)} files and {len(scores)} scores: which is where?"
        raise refuse("BR410", text, "name one score for every file, or one that all have")
    columns = list(scores) if len(scores) == len(paths) else [scores[0]] * len(paths)
    if isinstance(sources, Mapping):
        names = list(sources)
    elif len(set(columns)) == len(columns):
        names = columns
    else:
        names = [os.path.basename(shown_source(path)).split(".")[0] for path in paths]  # noqa: PTH119
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise refuse("BR407", f"two models are named {quoted(repeated[0])}", NAME_THEM)
    return dict(zip(names, zip(paths, columns, strict=True), strict=True))


def groups_of(source: str, wanted: ColumnRoles, options: Options) -> GroupedCounts:
    """The counts of one score, group by group."""
    cases, table = read_cases(source, wanted, options)
    with placed(table.place):
        return grouped_cases(cases, wanted.scores[0], cases.groups)


def grouped_cases(cases: Cases, score: str, column: Column | None) -> GroupedCounts:
    """The counts of one score, grouped by a column of the cases."""
    names, codes = group_codes(column) if column is not None else ((), np.empty(0, dtype=np.intp))
    rest = (
        None
        if cases.unlabelled is None or column is not cases.groups
        else grouped_cases(cases.unlabelled, score, cases.unlabelled.groups)
    )
    return group_counts(cases, score, names, codes).beside(rest)


def clusters_by_group(cases: Cases, score: str) -> dict[Hashable, GroupedCounts]:
    """The clusters of every group of cases; a cluster that has rows in two groups is a part of
    each.
    """
    parts = {
        name: grouped_cases(alone, score, alone.beside["cluster"])
        for name, alone in _by_group(cases)
    }
    rest = {} if cases.unlabelled is None else clusters_by_group(cases.unlabelled, score)
    for name, clusters in rest.items():
        none = _alone(cases, np.empty(0, dtype=np.intp))
        parts.setdefault(name, grouped_cases(none, score, none.beside["cluster"])).beside(clusters)
    return dict(sorted(parts.items(), key=lambda item: rank(item[0])))


def _by_group(cases: Cases) -> Iterator[tuple[Hashable, Cases]]:
    """The cases of each group, with its name."""
    if cases.groups is not None:
        names, codes = group_codes(cases.groups)
        rows = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[rows], np.arange(len(names) + 1))
        for place, name in enumerate(names):
            yield name, _alone(cases, rows[ends[place] : ends[place + 1]])


def joint_of(cases: Cases) -> JointCounts:
    """Several models on the same cases."""
    positives, negatives, notes = cases.one_by_one()
    return JointCounts._of(cases.kept_scores(), positives, negatives, cases.ledger, notes)


def slices_of(cases: Cases) -> dict[str, JointCounts]:
    """The same for each group of cases, by its name; nothing where there are no groups."""
    parts = {name: joint_of(alone) for name, alone in _by_group(cases)}
    slices = dict(zip(group_names(list(parts)), parts.values(), strict=True))
    return dict(sorted(slices.items()))


def group_names(groups: Sequence[object]) -> list[str]:
    """Groups by what they are called, and the missing ones by a name that no other group has."""
    names = {str(group) for group in groups if group is not None}
    missing = "(missing)"
    while missing in names:
        missing = f"({missing})"
    return [missing if group is None else str(group) for group in groups]


def _alone(cases: Cases, rows: Array) -> Cases:
    """Some of the rows, with a ledger of their own: they are a part of the file, and name no source
    twice.
    """
    ledger = replace(
        cases.ledger, rows_read=len(rows), rows_used=len(rows), rows_refused=0, sources=()
    )
    return cases.only(rows)._replace(ledger=ledger)


# ----------------------------------------------------------------------
# Counting cases with their amounts: read as scores are, finite and not negative, in one currency.


MEAN = "mean"
AMOUNT, CURRENCY = "amount", "currency"
# A mean is written with so many decimals, or as many as the amounts have.
DECIMALS_OF_MEAN = 6
# Amounts beyond these are no money, and their sums would leave the range of floats.
LARGEST, MOST_DECIMALS = 1e30, 100
SIGN = r"(?:[^\W\d_]{1,4}|[$\u00a2-\u00a5\u20a0-\u20cf])"
WITH_CURRENCY = re.compile(rf"[+-]?{SIGN}\s*[+-]?[\d.,']+|[+-]?[\d.,']+\s*{SIGN}")
MOST_SHOWN = 3


def amounts_from(
    source: str, wanted: ColumnRoles, options: Options, missing: str | None
) -> JointAmounts:
    """The amounts at each score column, by its name."""
    cases, table = read_cases(source, wanted, options)
    with placed(table.place):
        return amounts_of(cases, missing)


def amounts_of(cases: Cases, missing: str | None) -> JointAmounts:
    """The same of cases that were read."""
    if CURRENCY in cases.beside:
        _check_currency(cases.beside[CURRENCY])
    units, decimals, notes = _units(cases.beside[AMOUNT], cases.positive, missing)
    joint = joint_of(cases)
    models = {
        name: Amounts._gathered(
            count_cases(cases, name), (scores, cases.positive, units), decimals, notes
        )
        for name, scores in joint.scores.items()
    }
    return JointAmounts(joint, units, models)


def _check_currency(column: Column) -> None:
    """Sums of two currencies are no amount of either."""
    gone = column.missing_rows()
    held = Counter(
        map(str, np.delete(column.values, gone).tolist())
    )  # an array of text would give every row the room of the longest
    if len(held) + bool(len(gone)) < 2:
        return
    found = [
        f"{quoted(value)} ({grouped(times)})" for value, times in sorted(held.items())[:MOST_SHOWN]
    ]
    found += [f"missing ({grouped(len(gone))})"] * bool(len(gone))
    more = " …" if len(held) > MOST_SHOWN else ""
    raise refuse(
        "BR516",
        f"{column.name} has more than one currency: {', '.join(found)}{more}",
        "convert all amounts to one, or count each alone",
    )


def _units(
    column: Column, positive: Array, missing: str | None
) -> tuple[Array, int, tuple[Note, ...]]:
    """Every amount in whole units, those that are missing filled in where that was requested."""
    if missing not in (None, MEAN):
        raise refuse(
            "BR515",
            f"a missing amount is taken for the mean or refused, got {quoted(missing)}",
            Fix.option("amount_missing", MEAN),
        )
    gone = column.missing_rows()
    if len(gone) and missing is None:
        text = (
            f"{column.name} has {number_of(len(gone), 'missing or NaN amount')}: it is not"
            " known what missing those cases costs"
        )
        fix = Fix(
            "give every case an amount, or amount_missing='mean'",
            "give every case an amount, or --amount-missing mean",
        )
        raise refuse("BR515", text, fix, gone[:3], len(gone))
    held = np.delete(np.arange(len(column)), gone)
    units, decimals = in_units(_numbers(column.only(held) if len(gone) else column, held))
    if decimals > MOST_DECIMALS:
        raise refuse(
            "BR515",
            f"{column.name} has amounts too small to add up",
            "write them in a smaller unit, or as 0",
        )
    return (
        _filled(column, (units, decimals), held, positive) if len(gone) else (units, decimals, ())
    )


def _numbers(column: Column, held: Array) -> Array:
    """Finite numbers, 0 or more."""
    try:
        numbers = as_scores(column)
    except InputError as error:
        marked = [
            row
            for row, value in enumerate(column.values.tolist())
            if isinstance(value, str) and WITH_CURRENCY.fullmatch(value.strip())
        ]
        if error.code != "BR208" or not marked:
            raise error.moved(
                # From positions among the amounts that are there to those of the cases.
                lambda at: replace(at, rows=tuple(int(held[row]) for row in at.rows))
            ) from None
        text = (
            f"{column.name} has {number_of(len(marked), 'amount')} with a currency, such as"
            f" {quoted(column.values[marked[0]].strip())}"
        )
        fix = "write plain numbers of one currency: 12.5, not 12.5 EUR or $12.5"
        raise refuse("BR516", text, fix, held[marked[:3]], len(marked)) from None
    for wrong, what, fix in (
        (
            numbers < 0,
            "negative amount",
            "a loss of that case is an amount above 0; leave gains out",
        ),
        (~np.isfinite(numbers), "infinite amount", "give every case a finite amount"),
        (numbers > LARGEST, f"amount above {LARGEST:g}", "use a larger unit"),
    ):
        if wrong.any():
            rows = held[np.flatnonzero(wrong)]
            raise refuse(
                "BR515",
                f"{column.name} has"
                f" {number_of(len(rows), what, what.replace('amount', 'amounts'))}",
                fix,
                rows[:3],
                len(rows),
            )
    return numbers


def _filled(
    column: Column, known: tuple[Array, int], held: Array, positive: Array
) -> tuple[Array, int, tuple[Note, ...]]:
    """The mean of its class for every amount that is missing."""
    units, decimals = known
    finer = max(decimals, DECIMALS_OF_MEAN)
    filled = np.empty(len(column), dtype=object)
    filled[held] = in_finer_units(units, decimals, finer)
    missing = np.ones(len(column), dtype=np.bool_)
    missing[held] = False
    means = []
    for name, members in (("positives", positive), ("negatives", ~positive)):
        gone, there = missing & members, ~missing & members
        if not gone.any():
            continue
        if not there.any():
            missed = number_of(int(gone.sum()), "that is", "that are")
            raise refuse(
                "BR515",
                f"no amount of the {name} is known, so there is no mean to take for the {missed}"
                " missing",
                "give some of them an amount",
                np.flatnonzero(gone)[:3],
                int(gone.sum()),
            )
        mean = round(Fraction(sum(filled[there].tolist()), int(there.sum())))
        filled[gone] = mean
        means.append(
            f"{rounded(Fraction(mean, 10**finer)):.15g} for {number_of(int(gone.sum()), name[:-1])}"
        )
    gaps = int(missing.sum())
    what = (
        f"{grouped(gaps)} of {number_of(len(column), 'amount')} in {column.name} {are(gaps)}"
        " missing"
    )
    return (
        filled,
        finer,
        (
            Note(
                "BR515",
                f"{what}; the mean of the class was taken, as requested: {', '.join(means)}",
            ),
        ),
    )


# ----------------------------------------------------------------------
# Days from dates and times: which day every case lies in, in UTC or in a time zone that is named.


DAY = "day"
UTC = dt.UTC
ISO = Fix.everywhere("write days as 2026-01-31 or 2026-01-31T23:59:59+01:00 (ISO 8601)")
ZONE = "Europe/Berlin"
# A date, perhaps with a time behind it.
WRITTEN = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?|\d{8}(T.*)?")


# Rows at a time, where more of them would take room that the cases themselves do not.
PIECE = 1 << 18


def days_of(cases: Cases, score: str, tz: str | None = None) -> GroupedCounts:
    """The counts of one score, day by day."""
    names, codes, said = day_codes(cases.beside[DAY], tz)
    rest = None if cases.unlabelled is None else days_of(cases.unlabelled, score, tz)
    return group_counts(cases, score, names, codes, said).beside(rest)


def days_at(cases: Cases, score: str, threshold: Any, tz: str | None = None) -> GroupedCounts:
    """The same as far as this threshold tells them apart: of each day two cells, of which it flags
    the upper one. They are counted in the order of the rows, and take no room of their own.
    """
    if cases.weights is not None:
        return days_of(cases, score, tz)
    names, codes, said = day_codes(cases.beside[DAY], tz)
    rest = None if cases.unlabelled is None else days_at(cases.unlabelled, score, threshold, tz)
    scores = cases.scores[score]
    kind = np.dtype(np.int64 if scores.dtype == np.int64 else np.float64)
    cut = None if threshold is None else lowest_score(threshold, kind)
    tallies = np.zeros(4 * len(names), dtype=np.int64)
    for start in range(0, len(scores), PIECE):
        rows = slice(start, start + PIECE)
        cell = 4 * codes[rows].astype(np.intp) + 2 * cases.positive[rows]
        if cut is not None:
            cell += scores[rows].astype(kind, copy=False) >= cut
        tallies += np.bincount(cell, minlength=len(tallies))
    negatives, positives = tallies.reshape(-1, 2, 2)[:, :, ::-1].transpose(1, 0, 2).reshape(2, -1)
    cells = Cells(np.tile(_ends(cut, kind), len(names)), positives, negatives)
    places = np.repeat(np.arange(len(names)), 2)
    notes = (*cases.notes, *said)
    return GroupedCounts._gathered(names, places, cells, cases.ledger, notes).beside(rest)


def _ends(cut: Any, kind: np.dtype[Any]) -> Array:
    """A score that is flagged, and one that is not, as far as there are such scores."""
    if kind == np.int64:
        low = 0 if cut is None else max(cut - 1, -(2**63))
        return np.array([low if cut is None else cut, low], dtype=kind)
    low = 0.0 if cut is None else math.nextafter(cut, -math.inf)
    return np.array([math.inf if cut is None else cut, low])


def zone_of(name: str | None) -> ZoneInfo | None:
    """The time zone of this name."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError, TypeError):
        raise refuse(
            "BR431",
            f"there is no time zone {quoted(name)} here",
            Fix(f"tz={ZONE!r} (and pip install tzdata where none is known)", f"--tz {ZONE}"),
        ) from None


def day_codes(
    column: Column, tz: str | None = None
) -> tuple[tuple[str | None, ...], Array, tuple[Note, ...]]:
    """The days there are, for each case the place of its own among them, and what there is to say;
    text that is not a day is refused.
    """
    zone = zone_of(tz)
    values, codes = (
        _words_used(column) if isinstance(column, CodedColumn) else distinct(column, _listed)
    )
    read = [_day(value, zone) for value in values]
    wrong = [place for place, found in enumerate(read) if found is None]
    if wrong:
        rows = np.flatnonzero(np.isin(codes, wrong))
        shown = ", ".join(
            quoted(value) for value in dict.fromkeys(values[code] for code in codes[rows[:3]])
        )
        what = number_of(len(rows), "value that is not a day", "values that are not days")
        raise refuse(
            "BR430", f"{column.name} has {what}, such as {shown}", ISO, rows[:3], len(rows)
        )
    days, written = (
        zip(*(found for found in read if found is not None), strict=True) if read else ((), ())
    )
    places = {
        day: place
        for place, day in enumerate(sorted(set(days), key=lambda day: (day is None, day or "")))
    }
    offsets = Counter[dt.timedelta | None]()
    for value, offset, times in zip(values, written, _tallied(codes, len(values)), strict=True):
        if value is not None:
            offsets[offset] += times
    return (
        tuple(places),
        _renumbered(codes, [places[day] for day in days], len(places)),
        tuple(_remarks(column.name, offsets, tz)),
    )


def _tallied(codes: Array, many: int) -> list[int]:
    """How often each code occurs; counted in pieces, as NumPy makes wide numbers of all of them."""
    times = np.zeros(many, dtype=np.int64)
    for start in range(0, len(codes), PIECE):
        times += np.bincount(codes[start : start + PIECE], minlength=many)
    return times.tolist()


def _renumbered(codes: Array, numbers: Sequence[int], many: int) -> Array:
    """The number of each code in its place, below `many`."""
    known = np.array(numbers, dtype=np.min_scalar_type(max(many - 1, 0)))
    found = np.empty(len(codes), dtype=known.dtype)
    for start in range(0, len(codes), PIECE):
        found[start : start + PIECE] = known[codes[start : start + PIECE]]
    return found


def _words_used(column: CodedColumn) -> tuple[list[Any], Array]:
    """The values that occur, each once, and for each row the place of its own; None stands for what
    is missing.
    """
    words, codes = column.encoded
    places: dict[Any, int] = {}
    numbers = [
        places.setdefault(None if is_missing(word) else word, len(places)) if times else 0
        for word, times in zip(words, _tallied(codes, len(words)), strict=True)
    ]
    return list(places), _renumbered(codes, numbers, len(places))


def _listed(values: Array) -> list[Any]:
    return values.tolist() if values.dtype.kind != "M" else list(np.datetime_as_string(values))


def _day(value: Any, zone: ZoneInfo | None) -> tuple[str | None, dt.timedelta | None] | None:
    """The day, and the offset from UTC that it was written with; None for what is not a day."""
    if value is None:
        return None, None
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value.isoformat(), None
    try:
        # As whole numbers only 20260131 is a day: seconds since 1970 look like any other number,
        # and a week is not a day.
        if not isinstance(value, dt.datetime) and not WRITTEN.fullmatch(str(value).strip()):
            return None
        time = (
            value
            if isinstance(value, dt.datetime)
            else dt.datetime.fromisoformat(str(value).strip())
        )
        if time.tzinfo is None:
            return time.date().isoformat(), None
        return time.astimezone(zone or UTC).date().isoformat(), time.utcoffset()
    except (ValueError, OverflowError):
        return None


def day_column(given: Any) -> Column:
    """Dates and times from an array. Those of a dataframe with a time zone come in UTC, without
    saying so.
    """
    column = as_column(given, "days")
    kind = getattr(given, "dtype", getattr(given, "type", None))
    zoned = any(getattr(kind, name, None) is not None for name in ("tz", "time_zone"))
    if column.values.dtype.kind != "M" or not zoned:
        return column
    texts = np.datetime_as_string(column.values, unit="us", timezone="UTC").astype(object)
    texts[np.isnat(column.values)] = None
    return Column(column.name, texts, column.missing, column.index)


def _remarks(name: str, offsets: Counter[dt.timedelta | None], tz: str | None) -> Iterator[Note]:
    """Where an offset moves cases to another day, in which zone days are; and what has no offset
    beside what has one.
    """
    written = sorted(offset for offset in offsets if offset is not None)
    if not written:
        return
    bare = (
        f"; {grouped(offsets[None])} without an offset {are(offsets[None])} taken as written"
        if offsets[None]
        else ""
    )
    if tz is not None:
        if bare:
            yield Note("BR431", f"{name}: days are those of {tz}{bare}")
    elif bare or any(written):
        seen = f"{len(written)} offsets seen" if len(written) > 1 else "one offset seen"
        shown = ", ".join(_shown(offset) for offset in written[:3]) + (
            " …" if len(written) > 3 else ""
        )
        yield Note("BR431", f"{name}: days are UTC; {seen} ({shown}){bare}", Fix.option("tz", ZONE))


def _shown(offset: dt.timedelta) -> str:
    return dt.datetime(2000, 1, 1, tzinfo=dt.timezone(offset)).strftime("%z")


def hours_of(day: str, zone: ZoneInfo | None) -> float:
    """How long the day is: 23 or 25 hours where clocks are changed."""
    if zone is None:
        return 24.0
    first = dt.datetime.fromisoformat(day).replace(tzinfo=zone)
    try:
        return (
            (first + dt.timedelta(days=1)).astimezone(UTC) - first.astimezone(UTC)
        ) / dt.timedelta(hours=1)
    except OverflowError:  # the first day that there is, and the last
        return 24.0


# ----------------------------------------------------------------------
# Reading saved counts back.


MAGIC = counts.MAGIC[:-2]
CELLS = frozenset({"positives", "negatives"})


def load(path: str | os.PathLike[str]) -> Counts | JointCounts | GroupedCounts:
    """Load what `save` wrote; a damaged file, or one of another kind, is refused."""
    saved = counts.read(path)
    kinds: dict[str, tuple[Callable[[counts.Saved], Any], frozenset[str]]] = {
        "counts": (Counts._loaded, ARRAYS),
        "joint": (
            JointCounts._loaded,
            CELLS | {name for name in saved.arrays if name.startswith("scores ")},
        ),
        "grouped": (GroupedCounts._loaded, CELLS | {"scores", "offsets"}),
    }
    rebuild, known = kinds.get(saved.kind, (None, frozenset()))
    unknown = sorted(saved.arrays.keys() - known)
    if rebuild is None or unknown:
        what = (
            f"arrays {', '.join(map(quoted, unknown[:3]))}"
            if rebuild
            else f"kind {quoted(saved.kind)}"
        )
        raise refuse_file(
            path,
            "BR712",
            f"holds {what}, which this version of baserate does not read",
            "update baserate",
        )
    try:
        result: Counts | JointCounts | GroupedCounts = rebuild(saved)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise refuse_file(
            path,
            "BR703",
            f"holds values that cannot be counts ({quoted(str(error), quotes=False)})",
            "count again",
        ) from None
    return result


def is_saved(path: str) -> bool:
    """Whether counts lie there, by the first bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            return False
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def saved_models(path: str, names: Sequence[str] = ()) -> dict[str, Counts]:
    """The counts of each model: a single one is called by its file."""
    found = load(path)
    if isinstance(found, JointCounts):
        models = {name: found.marginal(name) for name in found.models}
        unknown = next((name for name in names if name not in models), None)
        if unknown is not None:
            raise refuse_file(
                path,
                "BR408",
                f"there is no model {quoted(unknown)}",
                f"one of {', '.join(map(quoted, models))}",
            )
        return {name: models[name] for name in names or models}
    if names:
        raise refuse_file(
            path,
            "BR408",
            "holds the counts of one score, which has no name there",
            "leave --score out",
        )
    counts = found.total() if isinstance(found, GroupedCounts) else found
    return {name_of(path): counts}


def name_of(path: str) -> str:
    """What the counts of one score are called: by their file, for they keep no name."""
    return os.path.basename(path).split(".")[0] or "counts"  # noqa: PTH119


def saved_joint(path: str, names: Sequence[str] = ()) -> JointCounts:
    """The models that were counted on the same cases."""
    found = load(path)
    if not isinstance(found, JointCounts):
        text = "holds the counts of one score, and a comparison needs two on the same cases"
        raise refuse_file(
            path, "BR410", text, "count them together: baserate count --score m1 --score m2"
        )
    if names and set(names) != set(found.models):
        there = ", ".join(map(quoted, found.models))
        raise refuse_file(
            path, "BR408", f"holds the models {there}, counted together", "leave --score out"
        )
    return found


# ----------------------------------------------------------------------
# Counting scores that nobody labelled yet: from arrays, files and databases, by the same readers.


def unlabelled_of(source: str, score: str, options: Options) -> Unlabelled:
    """How many cases have each score, in a file or a table of a database?"""
    said = options.treatment
    if said != Treatment(nan_score=said.nan_score, lower_is_positive=said.lower_is_positive):
        raise refuse_file(
            shown_source(source),
            "BR612",
            "an option applies to labels or ids, and there are none here",
            "leave it out",
        )
    wanted = ColumnRoles(score, (score,))  # readers want a label: here the score stands in for it
    tables = parts_of(source, wanted, options)
    table = together(source, tables)
    try:
        table = treat(table, wanted, Treatment(nan_score=said.nan_score))
        found = unlabelled_scores(
            table.columns[score], score, table.notes, lower_is_positive=said.lower_is_positive
        )
    except InputError as error:
        raise error.moved(table.place) from None
    ledger = _ledger(tables, _used(tables, table), replace(wanted, label=""), None)
    return Unlabelled._of(found.scores, found.cases, ledger, found.notes)


def unlabelled_scores(
    values: Any,
    name: str = SCORE,
    notes: tuple[Note, ...] = (),
    *,
    lower_is_positive: bool = False,
) -> Unlabelled:
    """How many cases have each score, in an array?"""
    try:
        cases = len(values)
    except TypeError:
        raise refuse(
            "BR201", "scores must be one number per case", "give an array of scores"
        ) from None
    taken = checked(np.zeros(cases, dtype=np.bool_), {name: values})
    if lower_is_positive:
        scores, turning = turned(taken.scores)
        taken, notes = taken._replace(scores=scores), (*notes, *turning)
    counts = count_cases(taken, name)
    return Unlabelled._of(counts.scores.copy(), counts.negatives.copy(), counts.ledger, notes)
