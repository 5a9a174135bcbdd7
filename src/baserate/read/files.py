"""Cases of files and databases, checked and counted: of one score, of several models on the same
cases, and of scores that nobody labelled yet.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array
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
from baserate.read.apart import (
    answered,
    is_possible,
    load_cases,
    load_columns,
    load_counts,
    save_cases,
    save_columns,
    save_counts,
)
from baserate.read.cases import (
    SCORE,
    CaseColumns,
    Cases,
    KeptRows,
    check_cases,
    count_cases,
    count_each_model,
    count_groups,
    count_jointly,
    score_name,
    with_weight,
)
from baserate.read.checks import Checked, checked_cases, judge
from baserate.read.checks import unlabelled_scores as unlabelled_scores_of
from baserate.read.columns import Column, as_column
from baserate.read.engine import CaseTable
from baserate.read.large import as_counts, count_model_within
from baserate.read.quotas import Quotas, machine_memory
from baserate.read.source import (
    PARTS,
    Options,
    is_confined,
    is_read_in_pieces,
    open_cases,
    shown_source,
    together,
)
from baserate.read.streams import STDIN, Limits, spooled
from baserate.read.table import TAKEN, Ceiling, ColumnRoles, SourceColumns, Table
from baserate.read.text import TextOptions
from baserate.read.treatments import DROP, Treatment

UNCONFINED = Note(
    "BR709",
    "this Python cannot start another one: the file was read without limits on memory and time",
)
# What a case takes that is held with all that lies beside its score.
BYTES_A_ROW = 256
AMOUNTS = ("amount", "price", "value", "eur", "usd", "loss")


# ----------------------------------------------------------------------
# What is asked of a source, and answered here or by a process of its own: checked cases, columns or
# counts, with the places where the user sees the rows.


def read_cases(source: str, wanted: ColumnRoles, options: Options) -> Cases:
    """Return the cases of one source (a path, a pattern, "file.db::table", …)."""
    _check_roles(source, wanted)
    cases: Cases = _answer("cases", [source], wanted, options)
    return cases


def read_columns(source: str, wanted: ColumnRoles, options: Options) -> SourceColumns:
    """Return columns of one source as they lie, unchecked."""
    found: SourceColumns = _answer("columns", [source], wanted, options)
    return found


def _answer(task: str, sources: Sequence[str], wanted: ColumnRoles, options: Options) -> Any:
    if any(source in STDIN for source in sources) and options.spooled is None:
        with spooled(options.limits) as path:
            return _answer(task, sources, wanted, options._replace(spooled=path))
    if not any(is_confined(source, options) for source in sources):
        return TASKS[task].answer(sources, wanted, options)
    if not is_possible():
        return TASKS[task].answer(sources, wanted, options._replace(unconfined=True))
    return _answer_apart(task, sources, wanted, options)


def _answer_apart(task: str, sources: Sequence[str], wanted: ColumnRoles, options: Options) -> Any:
    split = None if os.path.lexists(sources[0]) else PARTS.fullmatch(sources[0])
    shown = split[1] if split else sources[0]
    ceiling, memory = options.ceiling, machine_memory()
    within = ceiling.memory is not None and task != "counts"
    if ceiling.memory is not None and within:
        memory = min(memory, ceiling.memory + TAKEN)  # promised, and hardly all used
    quotas = Quotas(memory, written=options.limits.most + (1 << 24))
    request = {
        "task": task,
        "sources": list(sources),
        "wanted": asdict(wanted),
        "asked": asdict(options.asked),
        "limits": asdict(options.limits),
        "treatment": asdict(options.treatment),
        "ceiling": {"memory": ceiling.memory, "thresholds": ceiling.thresholds},
        "spooled": options.spooled,
    }
    with answered(shown, request, quotas, ceiling.progress, within=within) as answer:
        return TASKS[task].load(answer.folder, answer.said, wanted)


def answer_request(
    request: Mapping[str, Any], folder: str, progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """Answer a request in the process of its own: leave files in the folder, and return the
    rest.
    """
    said = {name: _tuples(value) for name, value in request.items() if isinstance(value, dict)}
    options = Options(
        TextOptions(**said["asked"]),
        Limits(**said["limits"]),
        Treatment(**said["treatment"]),
        Ceiling(**said["ceiling"], progress=progress),
        request["spooled"],
    )
    task, wanted = TASKS[request["task"]], ColumnRoles(**said["wanted"])
    return task.save(folder, task.answer(request["sources"], wanted, options))


def _tuples(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return lists as the tuples that they were."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
    }


class Task(NamedTuple):
    """How a request is answered, and how the answer travels."""

    answer: Callable[[Sequence[str], ColumnRoles, Options], Any]
    save: Callable[[str, Any], dict[str, Any]]
    load: Callable[[str, dict[str, Any], ColumnRoles], Any]


def _table_of(source: str, cases: CaseTable, options: Options) -> Table:
    table = together(source, cases.parts)
    return replace(table, notes=(UNCONFINED, *table.notes)) if options.unconfined else table


def _cases_here(sources: Sequence[str], wanted: ColumnRoles, options: Options) -> Cases:
    with open_cases(sources, wanted, options) as cases:
        return _checked(sources[0], cases, options, checked_cases)


def _unlabelled_here(sources: Sequence[str], wanted: ColumnRoles, options: Options) -> Cases:
    with open_cases(sources, wanted, options) as cases:
        return _checked(sources[0], cases, options, unlabelled_scores_of)


def _columns_here(sources: Sequence[str], wanted: ColumnRoles, options: Options) -> SourceColumns:
    with open_cases(sources, wanted, options) as cases:
        table = _table_of(sources[0], cases, options)
        with relocate_problems(table.place):
            return SourceColumns(cases.columns(), table.sha256, table.notes)


def _counts_here(
    sources: Sequence[str], wanted: ColumnRoles, options: Options
) -> dict[str, Counts]:
    with open_cases(sources, wanted, options) as cases:
        return _count_table(sources[0], cases, options)


TASKS = {
    "cases": Task(_cases_here, save_cases, load_cases),
    "unlabelled": Task(_unlabelled_here, save_cases, load_cases),
    "columns": Task(_columns_here, save_columns, load_columns),
    "counts": Task(_counts_here, save_counts, load_counts),
}


def _checked(
    source: str,
    cases: CaseTable,
    options: Options,
    check: Callable[[CaseTable, Treatment], Checked],
) -> Cases:
    """Return the cases with the place of every row and an account of the rows of each file."""
    table, wanted = _table_of(source, cases, options), cases.wanted
    with relocate_problems(table.place):
        found, kept, said = check(cases, options.treatment)
        used = None if found.weights is None else with_weight(found.weights, found.positive)
    ledger = _ledger(cases.parts, _rows_used(cases.parts, kept), wanted, found.label)
    notes = (*table.notes, *said, *found.notes, *_weight_notes(wanted.weight))
    place = table.place if kept is None else KeptRows(table.place, kept)
    found = found._replace(ledger=ledger, notes=notes, place=place)
    return found if used is None else found.only(used)


def _check_roles(source: str, wanted: ColumnRoles) -> None:
    checked_design(wanted.design)
    repeated = next((name for name in wanted.scores if wanted.scores.count(name) > 1), None)
    if repeated is not None:
        text = f"the score {quoted(repeated)} is named twice"
        raise refuse_file(shown_source(source), "BR407", text, "name each score once")


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


def _rows_used(parts: Sequence[Table], kept: Array | None) -> list[int]:
    """Return how many rows of each part are left."""
    held = [part.rows - part.refused for part in parts]
    if kept is None:
        return held
    left: list[int] = np.diff(np.searchsorted(kept, np.cumsum([0, *held]))).tolist()
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
    if not wanted.scores or not all(map(is_read_in_pieces, sources)):
        return None
    counted: dict[str, Counts] = _answer("counts", sources, wanted, options)
    return counted


def _count_table(source: str, cases: CaseTable, options: Options) -> dict[str, Counts]:
    ceiling, treatment, wanted = options.ceiling, options.treatment, cases.wanted
    rows = sum(rows for _, rows in cases.slices)
    needs_all = _needs_all(wanted, treatment)
    if needs_all:
        if rows * BYTES_A_ROW > ceiling.room:
            raise _needs_memory(source, needs_all[0], rows, ceiling)
        return count_each_model(_checked(source, cases, options, checked_cases))
    table = _table_of(source, cases, options)
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
    treatment = options.treatment
    known = Treatment(nan_score=treatment.nan_score, lower_is_positive=treatment.lower_is_positive)
    if treatment != known:
        text = "an option applies to labels or ids, and there are none here"
        raise refuse_file(shown_source(source), "BR612", text, "leave it out")
    wanted = ColumnRoles(score, (score,))  # readers want a label: here the score stands in for it
    return _without_classes(_answer("unlabelled", [source], wanted, options), score)


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
