"""Arguments checked together: everything that is wrong with them is found in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.engines.columns import Column, as_column, check_indexes, check_lengths
from baserate.engines.labels import Decision, decide
from baserate.engines.probabilities import of_positive, two_columns
from baserate.engines.scores import as_scores
from baserate.engines.weights import as_weights, weigh, with_weight
from baserate.errors import Findings, Fix, InputError, quoted, refuse
from baserate.exact import Floats
from baserate.kernels import Cells
from baserate.notes import RANDOM, Ledger, Note, checked_design

SCORE = "y_score"
UNLIKE_LABELS = frozenset({"BR103", "BR106"})


def shown(model: str) -> str:
    """What a message calls a model's scores: the argument of `count`, or the name that the user gave."""
    return model if model == SCORE else quoted(model)


class Names(NamedTuple):
    """What a message calls the other arguments; the reader of a file puts the names of its columns here."""

    label: str = "y_true"
    weight: str = "sample_weight"
    group: str = "groups"
    positive: str = "pos_label"


class Cases(NamedTuple):
    """Who is positive and by which label, the scores of each model, weights and groups if there are any, and what was noted.

    `beside` holds columns that travel with the cases by the part they play: amount, day, cluster, currency.
    """

    positive: Array
    label: object
    scores: dict[str, Array]
    weights: Floats | None
    groups: Column | None
    notes: tuple[Note, ...]
    ledger: Ledger
    beside: Mapping[str, Column] = MappingProxyType({})
    # Cases that were left out because they have no label, all of them as negatives: alerts are counted among them too.
    unlabelled: Cases | None = None

    def only(self, rows: Array) -> Cases:
        """These rows alone; the ledger still speaks of all that were read."""
        return self._replace(
            positive=self.positive[rows],
            scores={name: scores[rows] for name, scores in self.scores.items()},
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups.only(rows),
            beside={part: column.only(rows) for part, column in self.beside.items()},
        )

    def one_by_one(self) -> tuple[Array, Array, tuple[Note, ...]]:
        """The positives and negatives in each case (one of them 0), and every note."""
        if self.weights is None:
            return self.positive.astype(np.int64), (~self.positive).astype(np.int64), self.notes
        ours, theirs = np.where(self.positive, self.weights, 0.0), np.where(self.positive, 0.0, self.weights)
        return ours, theirs, (*self.notes, *weigh(self.weights, self.positive, Cells(ours, ours, theirs)))

    def kept_scores(self) -> dict[str, Array]:
        """The scores as counts hold them: copies in float64 or int64, no -0.0."""
        return {name: scores.astype(np.int64 if scores.dtype == np.int64 else np.float64) + 0 for name, scores in self.scores.items()}


def checked(  # noqa: PLR0913 (what a user may say of cases)
    y_true: Any,
    y_scores: Mapping[str, Any],
    *,
    pos_label: Any,
    sample_weight: Any,
    names: Names,
    groups: Any = None,
    design: str = RANDOM,
    beside: Mapping[str, Column] = MappingProxyType({}),
) -> Cases:
    """The arguments as arrays, or every reason why they cannot be counted."""
    label = as_column(y_true, names.label)
    columns = {name: two_columns(data, shown(name)) or (as_column(data, shown(name)),) for name, data in y_scores.items()}
    weight = None if sample_weight is None else as_column(sample_weight, names.weight)
    group = None if groups is None else as_column(groups, names.group)
    everything = [
        label,
        *(column for pair in columns.values() for column in pair),
        *(c for c in (weight, group) if c is not None),
        *beside.values(),
    ]
    check_lengths(everything)
    check_indexes(everything)
    findings, notes = Findings(), list[Note]()
    with findings:
        decision = decide(label, pos_label, keyword=names.positive)
        notes.extend(decision.notes)
        notes.extend(_keep_positive(columns, decision))
    scores = dict[str, Array]()
    for name, pair in columns.items():
        with findings:
            scores[name] = as_scores(pair[0])
    with findings:
        weights = None if weight is None else as_weights(weight)
    _check_swapped(findings, names.label, scores)
    findings.settle()
    ledger = Ledger(rows_read=len(label), rows_used=len(label), design=checked_design(design))
    cases = Cases(decision.positive, decision.value, scores, weights, group, tuple(notes), ledger, beside)
    used = None if weights is None else with_weight(weights, decision.positive)
    return cases if used is None else cases.only(used)


def _keep_positive(columns: dict[str, Any], decision: Decision) -> Iterator[Note]:
    """Of scores for both classes keep those of the positive one, and say so."""
    for name, pair in columns.items():
        if len(pair) == 2:
            chosen, note = of_positive(pair, decision)
            columns[name] = (chosen,)
            yield note


def _check_swapped(findings: Findings, label: str, scores: Mapping[str, Array]) -> None:
    """Labels that look like scores beside scores that look like labels: say that, instead of what is wrong with either."""
    if any(problem.code in UNLIKE_LABELS for problem in findings.problems):
        for name, values in scores.items():
            if len(values) and np.isin(values, (0, 1)).all():
                raise swapped(label, name)


def swapped(label: str, score: str) -> InputError:
    """The error for a label and a score that took each other's place."""
    text = f"{label} looks like a score and {shown(score)} like a label: they seem to be swapped"
    return refuse("BR111", text, Fix("swap y_true and y_score", "swap --label and --score"))
