"""Files of the same cases, joined by their ids: compared as text, each once, and never by position unless that is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.engines.cases import Cases
from baserate.engines.columns import as_text
from baserate.engines.file_cases import read_cases, source_of
from baserate.engines.files import Options
from baserate.engines.wanted import Table, Wanted
from baserate.errors import Findings, Fix, InputError, are, escaped, grouped, number_of, quoted, refuse, refuse_file
from baserate.notes import Ledger, Note, combine

INNER = "inner"
MOST_SHOWN = 3
ROUNDED = re.compile(r"[0-9](\.[0-9]+)?E\+[0-9]+", re.IGNORECASE)  # how Excel writes long numbers


@dataclass(frozen=True)
class Part:
    """One model's file: its cases, the table that they came from, and the row of each id."""

    model: str
    cases: Cases
    table: Table
    wanted: Wanted
    rows: Mapping[str, int]


def join_cases(named: Mapping[str, tuple[str, str]], wanted: Wanted, options: Options, *, by_position: bool, join: str | None) -> Cases:
    """The cases that all files have, with the score of each model."""
    if join not in (None, INNER):
        raise refuse("BR401", f"join must be {INNER!r} or nothing, got {quoted(join)}", Fix.option("join", INNER))
    if by_position == (wanted.id is not None):
        text = "an id and by position: say one of them" if by_position else "several files, and nothing says which rows belong together"
        raise refuse("BR414", text, Fix('id="COLUMN", or by_position=True', "--id COLUMN, or --by-position"))
    findings, parts = Findings(), list[Part]()
    for model, (path, column) in named.items():
        with findings:  # what is wrong with one file says nothing of the others
            parts.append(_part(model, path, replace(wanted, scores=(column,)), options))
    findings.settle()
    if by_position:
        return _by_position(parts)
    kept = _kept(parts, join)
    return _assembled(parts, kept)


def _part(model: str, path: str, wanted: Wanted, options: Options) -> Part:
    cases, table = read_cases(path, wanted, options)
    if wanted.id is None:
        return Part(model, cases, table, wanted, {})
    cases = with_ids(cases, table, wanted)
    rows = {found: row for row, found in enumerate(as_text(table.columns[wanted.id]))}
    return Part(model, cases, table, wanted, rows)


def with_ids(cases: Cases, table: Table, wanted: Wanted) -> Cases:
    """The same cases, once it is clear that every one has an id of its own; a note where ids look damaged."""
    ids = as_text(table.columns[wanted.id or ""])
    gone = [row for row, found in enumerate(ids) if not found]
    if gone:
        text = f"{quoted(wanted.id or '')} is missing for {grouped(len(gone))} of {number_of(len(ids), 'case')}"
        raise refuse("BR416", text, "give every case an id", gone[:3], len(gone)).moved(table.place)
    if len(set(ids)) < len(ids):
        raise _repeated(ids, cases, wanted).moved(table.place)
    damaged = [found for found in ids if ROUNDED.fullmatch(found)]
    if damaged:
        note = Note("BR609", f"ids such as {quoted(damaged[0])} look rounded by a spreadsheet")
        return cases._replace(notes=(*cases.notes, note))
    return cases


def _repeated(ids: Sequence[str], cases: Cases, wanted: Wanted) -> InputError:
    """Ids that stand twice: with the same values, or with others."""
    twice = {found for found, times in Counter(ids).items() if times > 1}
    first: dict[str, tuple[Any, ...]] = {}
    rows = [row for row, found in enumerate(ids) if found in twice]
    columns = [cases.positive, *cases.scores.values()]
    for row in rows:
        values = tuple(column[row].item() for column in columns)
        if first.setdefault(ids[row], values) != values:
            names = (f"{quoted(wanted.label)} positive", *map(quoted, wanted.scores))
            differ = next((name, old, new) for name, old, new in zip(names, first[ids[row]], values, strict=True) if old != new)
            text = f"the id {quoted(ids[row])} stands twice with different values ({differ[0]}: {differ[1]}, {differ[2]})"
            both = [other for other in rows if ids[other] == ids[row]]
            return refuse("BR403", text, "give the column that tells cases apart", both[:3], len(rows))
    text = f"{number_of(len(twice), 'id stands', 'ids stand')} more than once, with the same values"
    return refuse("BR402", text, Fix.option("dedupe", "first"), rows[:3], len(rows))


def _kept(parts: Sequence[Part], join: str | None) -> list[str]:
    """The ids that all files have, in the order of the first; without `join` all have to have all."""
    first, *others = parts
    common = [found for found in first.rows if all(found in part.rows for part in others)]
    everything = dict.fromkeys(found for part in parts for found in part.rows)
    if len(common) == len(everything):
        return common
    _check_spelling(parts, len(common))
    if join == INNER and common:
        return common
    for part in sorted(parts, key=lambda part: len(part.rows)):
        lacking = [found for found in everything if found not in part.rows]
        if lacking:
            shown = ", ".join(map(quoted, lacking[:MOST_SHOWN])) + (" …" if len(lacking) > MOST_SHOWN else "")
            text = f"{quoted(part.model)} lacks {grouped(len(lacking))} of {number_of(len(everything), 'id')} ({shown})"
            fix = Fix.option("join", INNER)
            many = f" ({number_of(len(common), 'case')} that all have)"
            raise refuse_file(part.table.path, "BR401", text, Fix(fix.python + many, fix.command + many))
    return common


def _check_spelling(parts: Sequence[Part], common: int) -> None:
    """Ids that would match if zeros in front, blanks or case were left out are written in two ways."""
    first = parts[0]
    bare = {_bare(found): found for found in first.rows}
    for part in parts[1:]:
        alike = [(bare[_bare(found)], found) for found in part.rows if found not in first.rows and _bare(found) in bare]
        alike = [(ours, theirs) for ours, theirs in alike if ours not in part.rows]
        if alike:
            ours, theirs = alike[0]
            other = escaped(first.table.path)
            text = f"{grouped(common)} of {number_of(len(first.rows), 'id')} match; is {quoted(ours)} in {other} the same as {quoted(theirs)}?"
            raise refuse_file(part.table.path, "BR405", text, "write ids in one way in all files (they are compared as text)")


def _bare(found: str) -> str:
    return found.strip().casefold().removesuffix(".0").lstrip("0") or "0"


def _assembled(parts: Sequence[Part], kept: Sequence[str]) -> Cases:
    """The cases of the first file in its order, and everybody's scores."""
    rows = [np.fromiter((part.rows[found] for found in kept), dtype=np.intp, count=len(kept)) for part in parts]
    first = parts[0]
    positive = first.cases.positive[rows[0]]
    for part, own in zip(parts[1:], rows[1:], strict=True):
        differ = np.flatnonzero(part.cases.positive[own] != positive)
        if len(differ):
            id_ = kept[differ[0]]
            count, other = number_of(len(differ), "case has", "cases have"), escaped(first.table.path)
            text = f"{count} another label than in {other}, such as the id {quoted(id_)}"
            raise refuse("BR404", text, "find out which label is right", own[differ[:3]], len(differ)).moved(part.table.place)
    return _merged(parts, rows, len({found for part in parts for found in part.rows}))


def _by_position(parts: Sequence[Part]) -> Cases:
    """Row by row, because the user said so: at least the labels have to agree."""
    first, other = parts[0], escaped(parts[0].table.path)
    for part in parts[1:]:
        if len(part.cases.positive) != len(first.cases.positive):
            text = f"has {number_of(len(part.cases.positive), 'case')}, and {other} {grouped(len(first.cases.positive))}: not the same"
            raise refuse_file(part.table.path, "BR401", text, Fix("id='COLUMN'", "--id COLUMN"))
        differ = np.flatnonzero(part.cases.positive != first.cases.positive)
        if len(differ):
            text = f"{number_of(len(differ), 'row has', 'rows have')} another label than in {other}: they are not the same cases"
            raise refuse("BR404", text, Fix("id='COLUMN'", "--id COLUMN"), differ[:3], len(differ)).moved(part.table.place)
    count = len(first.cases.positive)
    cases = _merged(parts, [np.arange(count)] * len(parts), count)
    note = Note("BR415", "rows of several files were paired by their position, as requested; their labels agree")
    return cases._replace(notes=(*cases.notes, note))


def _merged(parts: Sequence[Part], rows: Sequence[Array], everything: int) -> Cases:
    first, notes = parts[0], tuple[Note, ...]()
    scores = {part.model: part.cases.scores[part.wanted.scores[0]][own] for part, own in zip(parts, rows, strict=True)}
    for part in parts:
        notes = combine(notes, part.cases.notes)
    used = len(rows[0])
    sources = tuple(source_of(part.table, used, part.wanted, "" if part.cases.label is None else str(part.cases.label)) for part in parts)
    ledger = Ledger(everything, used, everything - used, sources, first.wanted.design)
    if lost := everything - used:
        notes = (*notes, Note("BR401", f"{grouped(lost)} of {number_of(everything, 'case')} {are(lost)} not in every file: left out"))
    return first.cases.only(rows[0])._replace(scores=scores, notes=notes, ledger=ledger)
