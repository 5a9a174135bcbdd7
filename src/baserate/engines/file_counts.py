"""Counting what lies in files and databases: one score, several models on the same cases, or many groups of cases."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.cells import Array
from baserate.counts import Counts
from baserate.engines.arrays import count_cases
from baserate.engines.cases import Cases
from baserate.engines.ceilings import Ceiling
from baserate.engines.columns import Column, group_codes
from baserate.engines.file_cases import read_cases
from baserate.engines.files import Options, shown_source
from baserate.engines.joins import join_cases, with_ids
from baserate.engines.large_files import count_large, sources_in_pieces
from baserate.engines.wanted import Table, Wanted
from baserate.errors import Findings, Fix, InputError, quoted, refuse, refuse_file
from baserate.grouped import GroupedCounts, rank
from baserate.joint import JointCounts
from baserate.kernels import Cells
from baserate.notes import RANDOM

Path = str | os.PathLike[str]
NAME_THEM = Fix('name them: {"logit": "a.csv", "forest": "b.csv"}', "rename one of the files: a model has the name of its file")


def count_file(
    source: Path, *, label: str, score: str, positive: Any = None, weight: str | None = None, design: str = RANDOM, **options: Any
) -> Counts:
    """How many positives and negatives have each score, in a file or a table of a database?

    `source` is a path (CSV, TSV, JSON lines, also compressed; Parquet, Arrow, npz), a pattern or a folder of such files, `"-"` for standard
    input, `"file.db::table"` or `"file.db::SELECT …"` for SQLite and DuckDB, or `"postgresql://…::table"`. Options for text files:
    `delimiter`, `encoding`, `decimal`, `header=False` with `columns`, `skip_lines`, `skip_bad`; for compressed ones `max_bytes`.

    `memory="1GB"` is a ceiling on memory, for Parquet and CSV of any size: where the scores do not all fit, the counts are condensed (see
    `Counts.condense`), exact at every one of `thresholds`; `approx=True` keeps certified bins instead; `resume="file"` lets a run that was
    killed go on.
    """
    wanted = Wanted(label, (score,), positive, weight, design=design)
    return count_scores(os.fspath(source), wanted, Options.of(options))[score]


def count_scores(source: str, wanted: Wanted, options: Options) -> dict[str, Counts]:
    """The counts of each score column, by its name; under a ceiling on memory in pieces, where the source can be read so."""
    if options.ceiling.memory is not None:
        pieces = sources_in_pieces(source, short=options.ceiling.resume is not None)
        counted = count_large(source, pieces, wanted, options) if pieces is not None and wanted.scores else None
        if counted is not None:
            return counted
        if options.ceiling.resume is not None:
            raise refuse_file(
                shown_source(source), "BR943", "is read as a whole: there is nothing to resume", "leave resume out, or write Parquet"
            )
        options = options._replace(ceiling=Ceiling(options.ceiling.memory))
    return _each_score(*read_cases(source, wanted, options), wanted)


def _each_score(cases: Cases, table: Table, wanted: Wanted) -> dict[str, Counts]:
    findings, counted = Findings(), {}
    for name in wanted.scores:
        with findings:
            counted[name] = count_cases(cases, name).beside(None if cases.unlabelled is None else count_cases(cases.unlabelled, name))
    try:
        findings.settle()
    except InputError as error:
        raise error.moved(table.place) from None
    return counted


def count_together(source: str, wanted: Wanted, options: Options) -> JointCounts | dict[str, Counts]:
    """The models of one file on the same cases; only the counts of each where cases are weighted, or are not all held in memory."""
    if options.ceiling.memory is not None or wanted.weight is not None or len(wanted.scores) < 2:
        return count_scores(source, wanted, options)
    cases, table = read_cases(source, wanted, options)
    return joint_of(cases).counted_as(_each_score(cases, table, wanted))


def count_models_file(  # noqa: PLR0913 (each is a word that users say)
    sources: Path | Sequence[Path] | Mapping[str, Path],
    *,
    label: str,
    scores: str | Sequence[str],
    positive: Any = None,
    id: str | None = None,  # noqa: A002 (what users call it)
    by_position: bool = False,
    join: str | None = None,
    design: str = RANDOM,
    **options: Any,
) -> JointCounts:
    """Which scores did each of several models give the same cases, in one file or in several?

    One source holds a column for each model. Of several, each holds one: `{"logit": "a.csv", "forest": "b.csv"}` with the name of the score
    in `scores`, or a list with as many scores. They are joined by the column `id`; where each lacks cases of the other, `join="inner"` keeps
    those that all have. `by_position=True` says that the rows of all files are the same cases in the same order.
    """
    wanted = Wanted(label, (scores,) if isinstance(scores, str) else tuple(scores), positive, id=id, design=design)
    given = (sources,) if isinstance(sources, str | os.PathLike) else sources
    return joint_from(given, wanted, Options.of(options), by_position=by_position, join=join)


def joint_from(
    sources: Sequence[Path] | Mapping[str, Path], wanted: Wanted, options: Options, *, by_position: bool = False, join: str | None = None
) -> JointCounts:
    """The same, from one source or several."""
    if len(sources) == 1 and not isinstance(sources, Mapping):
        if by_position or join is not None:
            raise refuse("BR414", "one file is not joined with another", "leave join and by_position out, or name the other file")
        return joint_of(models_of(os.fspath(sources[0]), wanted, options))
    return joint_of(join_cases(_named(sources, wanted.scores), wanted, options, by_position=by_position, join=join))


def models_named(sources: Sequence[Path], scores: Sequence[str]) -> tuple[str, ...]:
    """What the models of one file, or of several, are called."""
    return tuple(scores) if len(sources) == 1 else tuple(_named(sources, scores))


def models_of(source: str, wanted: Wanted, options: Options) -> Cases:
    """Several models in one source."""
    if not wanted.scores:
        raise refuse("BR410", "no score is named", Fix('scores=["m1", "m2"]', "--score m1 --score m2"))
    cases, table = read_cases(source, wanted, options)
    if wanted.id is not None:
        cases = with_ids(cases, table, wanted)
    return cases


def _named(sources: Sequence[Path] | Mapping[str, Path], scores: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Each model with its source and the column there."""
    paths = [os.fspath(path) for path in (sources.values() if isinstance(sources, Mapping) else sources)]
    if not paths or not scores:
        raise refuse("BR410", "no file or no score is named", 'count_models_file({"logit": "a.csv", "forest": "b.csv"}, label="y", scores="m")')
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


def count_groups_file(
    source: Path, *, label: str, score: str, group: str, positive: Any = None, weight: str | None = None, design: str = RANDOM, **options: Any
) -> GroupedCounts:
    """How many positives and negatives have each score, group by group (folds, slices, sites, days), in a file or a table?"""
    wanted = Wanted(label, (score,), positive, weight, group, design=design)
    return groups_of(os.fspath(source), wanted, Options.of(options))


def groups_of(source: str, wanted: Wanted, options: Options) -> GroupedCounts:
    """The counts of one score, group by group."""
    cases, table = read_cases(source, wanted, options)
    try:
        return grouped_cases(cases, wanted.scores[0], cases.groups)
    except InputError as error:
        raise error.moved(table.place) from None


def grouped_cases(cases: Cases, score: str, column: Column | None) -> GroupedCounts:
    """The counts of one score, grouped by a column of the cases."""
    positives, negatives, notes = cases.one_by_one()
    names, codes = group_codes(column) if column is not None else ((), np.empty(0, dtype=np.intp))
    rest = None if cases.unlabelled is None or column is not cases.groups else grouped_cases(cases.unlabelled, score, cases.unlabelled.groups)
    found = GroupedCounts._gathered(names, codes, Cells(cases.kept_scores()[score], positives, negatives), cases.ledger, notes)
    return found.beside(rest)


def clusters_by_group(cases: Cases, score: str) -> dict[Hashable, GroupedCounts]:
    """The clusters of every group of cases; a cluster that has rows in two groups is a part of each."""
    if cases.groups is None:
        return {}
    names, codes = group_codes(cases.groups)
    rows = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[rows], np.arange(len(names) + 1))
    parts = {}
    for place, name in enumerate(names):
        alone = _alone(cases, rows[ends[place] : ends[place + 1]])
        parts[name] = grouped_cases(alone, score, alone.beside["cluster"])
    rest = {} if cases.unlabelled is None else clusters_by_group(cases.unlabelled, score)
    for name, clusters in rest.items():
        none = _alone(cases, np.empty(0, dtype=np.intp))
        parts.setdefault(name, grouped_cases(none, score, none.beside["cluster"])).beside(clusters)
    return dict(sorted(parts.items(), key=lambda item: rank(item[0])))


def joint_of(cases: Cases) -> JointCounts:
    """Several models on the same cases."""
    positives, negatives, notes = cases.one_by_one()
    return JointCounts._of(cases.kept_scores(), positives, negatives, cases.ledger, notes)


def slices_of(cases: Cases) -> dict[str, JointCounts]:
    """The same for each group of cases, by its name; nothing where there are no groups."""
    if cases.groups is None:
        return {}
    names, codes = group_codes(cases.groups)
    shown = group_names(names)
    slices = {shown[code]: joint_of(_alone(cases, np.flatnonzero(codes == code))) for code in range(len(names))}
    return dict(sorted(slices.items()))


def group_names(groups: Sequence[object]) -> list[str]:
    """Groups by what they are called, and the missing ones by a name that no other group has."""
    names = {str(group) for group in groups if group is not None}
    missing = "(missing)"
    while missing in names:
        missing = f"({missing})"
    return [missing if group is None else str(group) for group in groups]


def _alone(cases: Cases, rows: Array) -> Cases:
    """Some of the rows, with a ledger of their own: they are a part of the file, and name no source twice."""
    ledger = replace(cases.ledger, rows_read=len(rows), rows_used=len(rows), rows_refused=0, sources=())
    return cases.only(rows)._replace(ledger=ledger)
