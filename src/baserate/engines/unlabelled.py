"""Counting scores that nobody labelled yet: from arrays, files and databases, by the same readers."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.engines.arrays import count_cases
from baserate.engines.cases import SCORE, Names, checked
from baserate.engines.file_cases import source_of
from baserate.engines.files import Options, parts_of, shown_source, together
from baserate.engines.treatments import Treatment, treat, turned
from baserate.engines.wanted import Wanted
from baserate.errors import InputError, refuse, refuse_file
from baserate.notes import Ledger, Note
from baserate.unlabelled import Unlabelled


def count_unlabelled(y_score: Any) -> Unlabelled:
    """How many cases have each score, where there are no labels?

    >>> import baserate as br
    >>> br.count_unlabelled([0.9, 0.2, 0.2, 0.1]).cases
    array([1, 2, 1])
    """
    return _counted(y_score, SCORE, ())


def count_unlabelled_file(source: str | os.PathLike[str], *, score: str, **options: Any) -> Unlabelled:
    """How many cases have each score, in a file or a table of a database? Sources and options are those of `count_file`, without a label."""
    return unlabelled_of(os.fspath(source), score, Options.of(options))


def unlabelled_of(source: str, score: str, options: Options) -> Unlabelled:
    """The same, where the options are at hand."""
    said = options.treatment
    if said != Treatment(nan_score=said.nan_score, lower_is_positive=said.lower_is_positive):
        raise refuse_file(shown_source(source), "BR612", "an option applies to labels or ids, and here are none", "leave it out")
    wanted = Wanted(score, (score,))  # readers want a label: here the score stands in for it
    tables = parts_of(source, wanted, options)
    table = together(source, tables)
    try:
        table = treat(table, wanted, Treatment(nan_score=said.nan_score))
        found = _counted(table.columns[score], score, table.notes, lower_is_positive=said.lower_is_positive)
    except InputError as error:
        raise error.moved(table.place) from None
    read, used = sum(part.rows for part in tables), found.total
    # Where some rows were dropped, they are told for all files together.
    left = [used] if len(tables) == 1 else [part.rows - part.refused for part in tables]
    sources = tuple(replace(source_of(part, rows, wanted, ""), label="") for part, rows in zip(tables, left, strict=True))
    return Unlabelled._of(found.scores, found.cases, Ledger(read, used, read - used, sources), found.notes)


def _counted(values: Any, name: str, notes: tuple[Note, ...], *, lower_is_positive: bool = False) -> Unlabelled:
    try:
        cases = len(values)
    except TypeError:
        raise refuse("BR201", "scores are one number a case, and this is none", "give an array of scores") from None
    taken = checked(np.zeros(cases, dtype=np.bool_), {name: values}, pos_label=None, sample_weight=None, names=Names())
    if lower_is_positive:
        scores, turning = turned(taken.scores)
        taken, notes = taken._replace(scores=scores), (*notes, *turning)
    counts = count_cases(taken, name)
    return Unlabelled._of(counts.scores.copy(), counts.negatives.copy(), counts.ledger, notes)
