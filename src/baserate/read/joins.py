"""Files of the same cases, one per model, joined by the ids of the cases: compared as text, each
once, and never by position unless that is requested.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from baserate.counts.cells import Array
from baserate.counts.counts import JointCounts
from baserate.errors import (
    Findings,
    Fix,
    InputError,
    Ledger,
    Note,
    Source,
    are,
    combine,
    escaped,
    grouped,
    number_of,
    quoted,
    refuse,
    refuse_file,
    relocate_problems,
)
from baserate.numbers import Ints
from baserate.read.cases import Cases, count_jointly
from baserate.read.columns import as_text
from baserate.read.files import read_cases
from baserate.read.source import Options, shown_source
from baserate.read.table import ColumnRoles

INNER = "inner"
ROUNDED = re.compile(r"[0-9](\.[0-9]+)?E\+[0-9]+", re.IGNORECASE)  # how Excel writes long numbers
MOST_SHOWN = 3
Path = str | os.PathLike[str]
NAME_THEM = Fix(
    'name them: {"logit": "a.csv", "forest": "b.csv"}',
    "rename one of the files: a model has the name of its file",
)
NAME_ID = Fix("id='COLUMN'", "--id COLUMN")


class ModelFile(NamedTuple):
    """The cases of one model's file, their ids (by position: none), and where they come from."""

    model: str
    cases: Cases
    ids: list[str]
    source: Source

    @property
    def path(self) -> str:
        """Where the file lies."""
        return self.source.path


def count_files_jointly(
    sources: Sequence[Path] | Mapping[str, Path],
    wanted: ColumnRoles,
    options: Options,
    *,
    by_position: bool = False,
    join: str | None = None,
) -> JointCounts:
    """Return which scores each of several models gave the same cases, in one file or in several.

    One source holds a column for each model. Of several, each holds one: `{"logit": "a.csv",
    "forest": "b.csv"}` with the name of the score, or a list with as many scores. They are joined
    by the column `wanted.id`; where each lacks cases of the other, `join="inner"` keeps those that
    all have. `by_position` says that the rows of all files are the same cases in the same order.
    """
    if len(sources) == 1 and not isinstance(sources, Mapping):
        if by_position or join is not None:
            fix = "leave join and by_position out, or name the other file"
            raise refuse("BR414", "one file is not joined with another", fix)
        return count_jointly(read_models(os.fspath(sources[0]), wanted, options))
    named = name_models(sources, wanted.scores)
    return count_jointly(join_cases(named, wanted, options, by_position=by_position, join=join))


def name_models(
    sources: Sequence[Path] | Mapping[str, Path], scores: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Return the source and the column of each model."""
    given = sources.values() if isinstance(sources, Mapping) else sources
    paths = [os.fspath(path) for path in given]
    if not paths or not scores:
        example = 'count({"logit": "a.csv", "forest": "b.csv"}, label="y", score="m", id="case")'
        raise refuse("BR410", "no file or no score is named", example)
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
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise refuse("BR407", f"two models are named {quoted(repeated)}", NAME_THEM)
    return dict(zip(names, zip(paths, columns, strict=True), strict=True))


def join_cases(
    named: Mapping[str, tuple[str, str]],
    wanted: ColumnRoles,
    options: Options,
    *,
    by_position: bool,
    join: str | None,
) -> Cases:
    """Return the cases that all files have, with the score of each model.

    `named` has the path and the column of each model.
    """
    if join not in (None, INNER):
        text = f"join must be {INNER!r} or nothing, got {quoted(join)}"
        raise refuse("BR401", text, Fix.option("join", INNER))
    if by_position == (wanted.id is not None):
        text = "several files, and nothing says which rows belong together"
        if by_position:
            text = "an id and by position: say one of them"
        fix = Fix('id="COLUMN", or by_position=True', "--id COLUMN, or --by-position")
        raise refuse("BR414", text, fix)
    findings, files = Findings(), list[ModelFile]()
    for model, (path, column) in named.items():
        with findings:  # what is wrong with one file says nothing of the others
            cases = read_models(path, replace(wanted, scores=(column,)), options)
            ids = list[str]() if by_position else as_text(cases.beside["id"].values)
            files.append(ModelFile(model, cases, ids, one_source(path, cases.ledger)))
    findings.settle()
    rows = rows_by_position(files) if by_position else rows_by_id(files, join)
    check_same_labels(files, rows)
    return merge_files(files, rows, by_position=by_position)


def read_models(source: str, wanted: ColumnRoles, options: Options) -> Cases:
    """Return the cases of one source, each with an id of its own where ids are named."""
    if not wanted.scores:
        fix = Fix('scores=["m1", "m2"]', "--score m1 --score m2")
        raise refuse("BR410", "no score is named", fix)
    cases = read_cases(source, wanted, options)
    return cases if wanted.id is None else with_checked_ids(cases)


def one_source(path: str, ledger: Ledger) -> Source:
    """Return one entry of a ledger for a source of one or several files."""
    first, *others = ledger.sources
    return replace(first, path=path, sha256="", rows_read=ledger.rows_read) if others else first


# ----------------------------------------------------------------------
# Ids: every case has one of its own.


def with_checked_ids(cases: Cases) -> Cases:
    """Return the cases, once it is clear that each has an id of its own; a note where ids look
    damaged.
    """
    column = cases.beside["id"]
    ids = as_text(column.values)
    with relocate_problems(cases.place):
        gone = [row for row, case_id in enumerate(ids) if not case_id]
        if gone:
            what = f"{grouped(len(gone))} of {number_of(len(ids), 'case')}"
            text = f"{column.name} is missing for {what}"
            raise refuse("BR416", text, "give every case an id", gone[:3], len(gone))
        if len(set(ids)) < len(ids):
            raise repeated_ids(ids, cases)
    damaged = next((case_id for case_id in ids if ROUNDED.fullmatch(case_id)), None)
    if damaged is None:
        return cases
    note = Note("BR609", f"ids such as {quoted(damaged)} look rounded by a spreadsheet")
    return cases._replace(notes=(*cases.notes, note))


def repeated_ids(ids: Sequence[str], cases: Cases) -> InputError:
    """Return the refusal of ids that stand twice: with other values, or with the same."""
    rows_of = defaultdict[str, list[int]](list)
    for row, case_id in enumerate(ids):
        rows_of[case_id].append(row)
    repeated = {case_id: rows for case_id, rows in rows_of.items() if len(rows) > 1}
    total = sum(map(len, repeated.values()))
    label = quoted(cases.ledger.sources[0].label)
    columns = {f"{label} positive": cases.positive}
    columns |= {quoted(name): scores for name, scores in cases.scores.items()}
    for case_id, rows in repeated.items():
        for name, values in columns.items():
            first, *others = values[rows].tolist()
            other = next((value for value in others if value != first), first)
            if other != first:
                text = f"the id {quoted(case_id)} appears twice with different values ({name}:"
                fix = "give the column that identifies the cases"
                return refuse("BR403", f"{text} {first}, {other})", fix, rows[:3], total)
    what = number_of(len(repeated), "id appears", "ids appear")
    rows = sorted(row for some in repeated.values() for row in some)
    text = f"{what} more than once, with the same values"
    return refuse("BR402", text, Fix.option("dedupe", "first"), rows[:3], total)


# ----------------------------------------------------------------------
# Which rows are the same case, and what all files say of it.


def rows_by_position(files: Sequence[ModelFile]) -> list[Ints]:
    """Return every row of each file, where all have as many."""
    lengths = [len(file.cases.positive) for file in files]
    for file, length in zip(files, lengths, strict=True):
        if length != lengths[0]:
            first = f"{escaped(files[0].path)} {grouped(lengths[0])}"
            text = f"has {number_of(length, 'case')}, and {first}: not the same"
            raise refuse_file(file.path, "BR401", text, NAME_ID)
    return [np.arange(length) for length in lengths]


def rows_by_id(files: Sequence[ModelFile], join: str | None) -> list[Ints]:
    """Return the rows of each file of the cases that all have, in the order of the first; without
    `join` all have to have all.
    """
    places = [dict(zip(file.ids, range(len(file.ids)), strict=True)) for file in files]
    shared = [case_id for case_id in files[0].ids if all(case_id in known for known in places)]
    every = all_ids(files)
    if len(shared) < len(every):
        check_spelling(files, len(shared))
        if join != INNER or not shared:
            raise lacking_ids(files, every, len(shared))
    return [np.array([known[case_id] for case_id in shared], dtype=np.int64) for known in places]


def all_ids(files: Sequence[ModelFile]) -> dict[str, None]:
    """Return the ids of all files, each once."""
    return dict.fromkeys(case_id for file in files for case_id in file.ids)


def lacking_ids(files: Sequence[ModelFile], every: Mapping[str, None], shared: int) -> InputError:
    """Return the refusal of a file that lacks cases of the others."""
    file = min(files, key=lambda file: len(file.ids))  # where some lack any, this one does
    known = set(file.ids)
    lacking = [case_id for case_id in every if case_id not in known]
    shown = ", ".join(map(quoted, lacking[:MOST_SHOWN]))
    more = " …" if len(lacking) > MOST_SHOWN else ""
    what = f"{grouped(len(lacking))} of {number_of(len(every), 'id')} ({shown}{more})"
    fix, cases = Fix.option("join", INNER), f" ({number_of(shared, 'case')} that all have)"
    fix = Fix(fix.python + cases, fix.command + cases)
    return refuse_file(file.path, "BR401", f"{quoted(file.model)} lacks {what}", fix)


def check_spelling(files: Sequence[ModelFile], shared: int) -> None:
    """Refuse ids that would match if zeros in front, blanks or case were left out: they are written
    in two ways.
    """
    first, ours = files[0], set(files[0].ids)
    spellings = {bare_id(case_id): case_id for case_id in first.ids}
    for file in files[1:]:
        theirs = set(file.ids)
        for case_id in file.ids:
            other = spellings.get(bare_id(case_id))
            if other is not None and case_id not in ours and other not in theirs:
                text = (
                    f"{grouped(shared)} of {number_of(len(first.ids), 'id')} match; is"
                    f" {quoted(other)} in {escaped(first.path)} the same as {quoted(case_id)}?"
                )
                fix = "write ids in one way in all files (they are compared as text)"
                raise refuse_file(file.path, "BR405", text, fix)


def bare_id(case_id: str) -> str:
    """Return an id without what spreadsheets add and drop."""
    return case_id.strip().casefold().removesuffix(".0").lstrip("0") or "0"


def check_same_labels(files: Sequence[ModelFile], rows: Sequence[Ints]) -> None:
    """Refuse cases that are positive in one file and negative in another."""
    first, other = files[0], escaped(files[0].path)
    positive = first.cases.positive[rows[0]]
    for file, kept in zip(files[1:], rows[1:], strict=True):
        differ = np.flatnonzero(file.cases.positive[kept] != positive)
        if not len(differ):
            continue
        many, fix = len(differ), NAME_ID
        text = f"{number_of(many, 'row has', 'rows have')} another label than in {other}"
        if first.ids:
            case_id = quoted(first.ids[rows[0][differ[0]]])
            fix = Fix.everywhere("correct the label that is wrong")
            text = f"{number_of(many, 'case has', 'cases have')} another label than in {other}"
            text = f"{text}, such as the id {case_id}"
        else:
            text = f"{text}: they are not the same cases"
        raise refuse("BR404", text, fix, kept[differ[:3]], many).moved(file.cases.place)


def merge_files(files: Sequence[ModelFile], rows: Sequence[Array], *, by_position: bool) -> Cases:
    """Return the cases of the first file in its order, with every model's score."""
    scores, sources, notes = dict[str, Array](), [], tuple[Note, ...]()
    used = len(rows[0])
    every = used if by_position else len(all_ids(files))
    for file, kept in zip(files, rows, strict=True):
        (values,) = file.cases.scores.values()
        scores[file.model] = values[kept]
        refused = file.source.rows_read - used
        sources.append(replace(file.source, rows_used=used, rows_refused=refused))
        notes = combine(notes, file.cases.notes)
    ledger = replace(files[0].cases.ledger, sources=tuple(sources))
    ledger = replace(ledger, rows_read=every, rows_used=used, rows_refused=every - used)
    first = files[0].cases.only(rows[0])
    notes = (*notes, *_join_notes(every, used, by_position=by_position))
    return first._replace(scores=scores, notes=notes, ledger=ledger)


def _join_notes(every: int, used: int, *, by_position: bool) -> Iterator[Note]:
    lost = every - used
    if lost:
        what = f"{grouped(lost)} of {number_of(every, 'case')} {are(lost)} not in every file"
        yield Note("BR401", f"{what}: left out")
    if by_position:
        how = "rows of several files were paired by their position, as requested"
        yield Note("BR415", f"{how}; their labels agree")
