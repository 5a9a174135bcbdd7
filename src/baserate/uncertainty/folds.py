"""Folds: one set of counts a fold. Pooled, averaged as curves, or a summary of each with its mean; each by its name."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.errors import are, quoted, refuse
from baserate.exact import Floats
from baserate.grouped import GroupedCounts
from baserate.measures.confusions import NOT_SAID, along, checked_conditions
from baserate.measures.values import Measure
from baserate.notes import Note
from baserate.points import Points
from baserate.summaries.ranking import one_class
from baserate.uncertainty.reading import curve_reader
from baserate.uncertainty.statistics import statistic_of

VERTICAL, BY_THRESHOLD, POOLED = "vertical", "threshold", "pooled"
PLACES = 100


@dataclass(frozen=True)
class FoldMean:
    """The mean of a statistic over folds, with the standard deviation between them and the standard error of their mean.

    The standard error takes folds for independent, which those of a cross-validation are not: their training sets overlap. It is what
    tables print, and too small. Bengio & Grandvalet 2004, Journal of Machine Learning Research 5:1089-1105.
    """

    value: float
    deviation: float
    standard_error: float
    values: tuple[float, ...]
    name: str
    at: Conditions | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        return f"FoldMean: {self.name} {self.value:.4g}, standard error {self.standard_error:.2g} over {len(self.values)} folds"


def fold_mean(
    statistic: Any,
    folds: GroupedCounts,
    *,
    at: Conditions | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
) -> FoldMean:
    """What is the statistic on average over the folds, and how much does it vary between them?

    Each fold is read on its own, then the mean is taken; `interval(statistic, folds)` pools the folds instead. What is undefined in a fold
    (one class only) is left out of the mean, with a note.

    >>> import baserate as br
    >>> folds = br.count_groups([0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.8], groups=[1, 1, 2, 2, 3, 3])
    >>> br.fold_mean(br.auc, folds)
    FoldMean: auc 0.6667, standard error 0.33 over 3 folds
    """
    _checked(folds)
    wanted = statistic_of(statistic, at=at, rule=rule, threshold=threshold, volume=volume)
    values = np.array([wanted(counts) for counts in folds.values()])
    known = values[~np.isnan(values)]
    if not len(known):
        raise refuse("BR589", f"{wanted.name} is undefined in every fold", "give folds with cases of both classes")
    notes = (
        ()
        if len(known) == len(values)
        else (Note("BR592", f"{wanted.name} is undefined in {len(values) - len(known)} of {len(values)} folds"),)
    )
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    said = Note("BR591", "folds of a cross-validation share training cases: the standard error between them is too small")
    at_shown = None if wanted.at is None else wanted.at
    return FoldMean(
        float(known.mean()), deviation, deviation / math.sqrt(len(known)), tuple(values.tolist()), wanted.name, at_shown, (*notes, said)
    )


def _checked(folds: Any) -> None:
    if not isinstance(folds, GroupedCounts) or len(folds) < 2:
        raise refuse("BR228", f"folds are GroupedCounts of two groups or more, got {quoted(folds)}", "count_groups(y, scores, groups=fold)")


@dataclass(frozen=True, eq=False)
class FoldCurve:
    """An averaged curve: its mean at each place and the standard error between the folds."""

    name: str
    how: str
    x_label: str
    y_label: str
    x: Floats
    y: Floats
    standard_error: Floats
    thresholds: Floats | None
    folds: int
    at: Conditions | None = None
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"FoldCurve {self.name}: {self.how} average of {self.folds} folds, {self.y_label} against {self.x_label}, {len(self)} places"


def average_curve(curve: Any, folds: GroupedCounts, *, how: str = VERTICAL, at: Conditions | None = None, x: Any = None) -> FoldCurve:
    """What is the curve on average over the folds?

    `how="vertical"` averages what the curve reads at each place of its axis; "threshold" averages both coordinates of the points that each
    of a set of thresholds gives, and shows where a threshold means different things in different folds; "pooled" is the curve of all
    folds together, which takes scores for comparable. Fawcett 2006, Pattern Recognition Letters 27:861-874.

    >>> import baserate as br
    >>> folds = br.count_groups([0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.8], groups=[1, 1, 2, 2, 3, 3])
    >>> br.average_curve(br.roc, folds, x=[0.0, 0.5, 1.0]).y
    array([0.66666667, 0.66666667, 1.        ])
    """
    _checked(folds)
    if how not in (VERTICAL, BY_THRESHOLD, POOLED):
        raise refuse("BR573", f"curves of folds are averaged {VERTICAL}, by {BY_THRESHOLD} or {POOLED}, got {quoted(how)}", f'how="{VERTICAL}"')
    reader = curve_reader(curve, at, x)
    if how == POOLED:
        y = reader.read(folds.total())
        return FoldCurve(reader.name, how, reader.x_label, reader.y_label, reader.x, y, np.full(len(y), np.nan), None, len(folds), reader.at)
    if how == BY_THRESHOLD:
        return _by_threshold(reader, folds, at, x)
    rows = np.array([reader.read(counts) for counts in _both_classes(folds)])
    notes = _left_out(folds, len(rows))
    return FoldCurve(reader.name, how, reader.x_label, reader.y_label, reader.x, *_mean_and_error(rows), None, len(rows), reader.at, notes)


def _both_classes(folds: GroupedCounts) -> list[Counts]:
    """The folds that have a curve."""
    kept = [counts for counts in folds.values() if not one_class(counts)]
    if not kept:
        raise refuse("BR589", "every fold has cases of one class only, and no curve", "give folds with cases of both classes")
    return kept


def _left_out(folds: GroupedCounts, kept: int) -> tuple[Note, ...]:
    missing = len(folds) - kept
    text = f"{missing} of {len(folds)} folds {'has' if missing == 1 else 'have'} cases of one class only, and {are(missing)} left out"
    return (Note("BR592", text),) if missing else ()


def _mean_and_error(rows: Floats) -> tuple[Floats, Floats]:
    known = np.count_nonzero(~np.isnan(rows), axis=0)
    total = np.nansum(rows, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known > 0, total / known, np.nan)
        spread = np.sqrt(np.nansum((rows - mean) ** 2, axis=0) / (known - 1) / known)
    return mean, np.where(known > 1, spread, np.nan)


def _by_threshold(reader: Any, folds: GroupedCounts, at: Conditions | None, x: Any) -> FoldCurve:
    """Both coordinates at thresholds spread evenly over the pooled scores."""
    if reader.x_label == "effective_prior" or x is not None:
        raise refuse("BR573", "threshold averaging reads points at thresholds: a cost curve has none, and x is not asked for", 'how="vertical"')
    conditions, total = checked_conditions(at), folds.total()
    places = np.unique(np.linspace(0, len(total.scores) - 1, min(PLACES + 1, len(total.scores))).round().astype(np.intp))
    cuts = total.scores[places]
    axes = [Measure(reader.x_label), Measure(reader.y_label)]
    columns: list[list[Floats]] = [[], []]
    for counts in _both_classes(folds):
        points = Points.of(counts)
        rows = [points.place(cut) for cut in cuts.tolist()]
        for column, measure in zip(columns, axes, strict=True):
            column.append(along(measure, points, conditions)[rows])
    both = [np.array(column) for column in columns]
    unknown = np.isnan(both[0]) | np.isnan(both[1])
    (across, _), (up, error) = (_mean_and_error(np.where(unknown, np.nan, column)) for column in both)
    cut_values = cuts.astype(np.float64)
    return FoldCurve(
        reader.name,
        BY_THRESHOLD,
        reader.x_label,
        reader.y_label,
        across,
        up,
        error,
        cut_values,
        len(columns[0]),
        reader.at,
        _left_out(folds, len(columns[0])),
    )
