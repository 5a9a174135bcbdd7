"""Bands of a curve or of a difference of two curves, pointwise or simultaneous; curves averaged
over folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from baserate.conditions import Conditions, checked_conditions, refuse_estimate
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves.areas import one_class
from baserate.curves.curve import columns_as_json
from baserate.curves.named import CURVES
from baserate.errors import Fix, Note, are, combine, grouped, number_of, quoted, refuse
from baserate.inference import rates
from baserate.inference.differences import chosen_pair
from baserate.inference.fixed_point import Question, measure_interval
from baserate.inference.intervals import REPLICATES
from baserate.inference.resample import (
    CountsStatistic,
    Plan,
    Progress,
    Resampler,
    Source,
    check_enough,
    every_score,
    make_sample,
    planned,
    roc_runs,
    totals_of,
)
from baserate.inference.statistic import Reader, at_places, curve_reader, prior_reader, statistic_of
from baserate.measures.confusion import NOT_SAID, Measure, confusion_at, measure_along, rates_read
from baserate.measures.registry import SYNONYMS, plain_name
from baserate.numbers import Floats, Viewed
from baserate.results.values import BOTH, UPPER, checked_level, percent

# ----------------------------------------------------------------------
# Bands: where a curve, or the difference of two, may lie; at each place, or all along at once.


POINTWISE, SIMULTANEOUS = "pointwise", "simultaneous"
# A simultaneous bound at the level 1 − α lies so far out that k resamples lie beyond it at a place.
# The curves that lie on it belong to the resamples it was made of: a curve of its own leaves it
# with probability of about α(1 + 1/k). With 5 that is 6 % instead of 5 %.
LEAST_BEYOND = 5
# Where the number of replicates is left open, so many are drawn, and more until there are enough
# beyond the bound.
MOST_DRAWN = 50_000
CHOSEN_AGAIN = Note(
    "BR641",
    "a threshold is chosen at every place, and again on each resample: the band is for thresholds"
    " chosen anew on other cases, not for those chosen here",
)


@dataclass(frozen=True, eq=False)
class CurveBounds:
    """A curve between bounds: `low` and `high` at each `x`, around `y`."""

    name: str
    x_label: str
    y_label: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.x)

    @property
    def columns(self) -> dict[str, Floats]:
        """The columns by name."""
        bounds = {name: getattr(self, name) for name in self._bounds}
        return {self.x_label: self.x, self.y_label: self.y, **bounds}

    def to_dict(self) -> dict[str, list[float | str | None]]:
        """The columns by name as strict JSON; None for what is undefined."""
        return columns_as_json(self.columns)

    @property
    def _bounds(self) -> tuple[str, ...]:
        return "low", "high"


@dataclass(frozen=True, eq=False)
class Band(CurveBounds, Viewed):
    """Where a curve may lie: `low` and `high` at each `x`, around `y`.

    Pointwise, each place on its own is covered at the level; simultaneous, the whole curve is.
    """

    level: float
    kind: str
    method: str
    at: Any = None
    models: tuple[str, str] | None = None
    replicates: int | None = None
    seed: int | None = None
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        of = "" if self.models is None else f" of {self.models[1]} - {self.models[0]}"
        where = "" if self.at is None else f", at {self.at}"
        return (
            f"Band {self.name}{of}: {self.y_label} along {self.x_label}, {grouped(len(self))}"
            f" places, {percent(self.level)} {self.kind}{where}"
        )


def band(  # noqa: PLR0913 (each is a question of its own)
    counts: Counts | GroupedCounts,
    curve: Any,
    *,
    at: Conditions | None = None,
    x: Any = None,
    priors: Sequence[Any] | None = None,
    costs: Any = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    simultaneous: bool = False,
    level: float = 0.95,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Band:
    """Where may this curve lie?

    `curve` is "roc", "pr", "broc", "posfrac", "gain", "lift", "det" or "cost", read at the places
    `x` of its axis (B-ROC, PR and posfrac along tpr). Or a measure's name, along `priors`: at a
    `threshold`, by a `rule`, or where it is cheapest at each of them. By the bootstrap on the
    counts; where no resample differs, by the bound for none or all of a class. Without
    `replicates`, 2000 resamples, and more where a `simultaneous` band needs them (at least 5 must
    lie beyond it at each place).

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[40, 8, 2], negatives=[10, 190, 800])
    >>> band = br.curves.band(counts, br.roc, x=[0.01, 0.2])
    >>> band.y, band.low.round(2), band.high.round(2)
    (array([0.8 , 0.96]), array([0.46, 0.89]), array([0.9, 1. ]))
    """
    reader = _reader(curve, at, x, (priors, costs, rule, threshold, volume))
    if not isinstance(counts, Counts | GroupedCounts):
        raise refuse(
            "BR429",
            f"a band is made of Counts, got {type(counts).__name__}",
            "difference_band for two models, or joint.marginal(name)",
        )
    plan = planned(counts, reader.of_prior, resample, replicates or REPLICATES, seed, progress)
    open_ended = replicates is None
    return _make_band((reader,), counts, plan, level, simultaneous, open_ended=open_ended)


def difference_band(  # noqa: PLR0913 (each is a question of its own)
    models: JointCounts,
    curve: Any,
    *,
    pair: Sequence[str] | None = None,
    at: Conditions | None = None,
    x: Any = None,
    priors: Sequence[Any] | None = None,
    costs: Any = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    simultaneous: bool = True,
    level: float = 0.95,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Band:
    """Where, along a curve or over the base rate, is the second model better than the first?

    The difference of two curves on the same cases, with a band that holds all along
    (`simultaneous`), so that one may look for where it leaves 0. "cost" covers every base
    rate and cost at once, as only the effective prior matters; a measure with `priors` shows any
    number over the base rate. `replicates` as for `band`.

    >>> import baserate as br
    >>> y, a, b = [0] * 60 + [1] * 40, list(range(100)), [*range(20, 80), *range(60, 100)]
    >>> band = br.curves.difference_band(br.count(y, {"a": a, "b": b}), "cost", x=[0.2, 0.5])
    >>> band.y.round(3), bool((band.low > 0).any())
    (array([0.1  , 0.167]), True)
    """
    if not isinstance(models, JointCounts):
        raise refuse(
            "BR595",
            f"a paired difference needs JointCounts, got {type(models).__name__}",
            "count(y, {name: scores})",
        )
    names = chosen_pair(models, pair)
    first, second = (
        _reader(curve, at, x, (priors, costs, rule, _of(threshold, name), volume)) for name in names
    )
    only = models.only(names)
    plan = planned(only, first.of_prior, resample, replicates or REPLICATES, seed, progress)
    open_ended = replicates is None
    found = _make_band((first, second), only, plan, level, simultaneous, open_ended=open_ended)
    return replace(found, models=names)


def _of(threshold: Any, name: str) -> Any:
    if not isinstance(threshold, dict):
        return threshold
    if name not in threshold:
        raise refuse(
            "BR529", f"no threshold is given for {name!r}", 'threshold={"a": 0.5, "b": 0.3}'
        )
    return threshold[name]


def _reader(
    curve: Any, at: Conditions | None, x: Any, rest: tuple[Any, Any, Any, Any, Any]
) -> Reader:
    priors, costs, rule, threshold, volume = rest
    is_measure = isinstance(curve, Measure) or (
        isinstance(curve, str) and plain_name(curve.partition("(")[0]) in SYNONYMS
    )
    along_priors = priors is not None or rule is not None or threshold is not NOT_SAID
    as_curve = isinstance(curve, str) and curve in CURVES and CURVES[curve].has_band
    if is_measure and (along_priors or not as_curve):
        if at is not None or x is not None:
            raise refuse(
                "BR573",
                "a measure is read along base rates: they are its conditions",
                "priors=[0.1, 0.01], costs=Costs(fn=100)",
            )
        return prior_reader(
            curve, priors, costs=costs, rule=rule, threshold=threshold, volume=volume
        )
    if (
        priors is not None
        or costs is not None
        or rule is not None
        or threshold is not NOT_SAID
        or volume is not None
    ):
        raise refuse(
            "BR573",
            "priors, costs, rule, threshold and volume belong to a measure along base rates",
            'band("precision", …)',
        )
    found = curve_reader(curve, at, x)
    refuse_estimate(found.at, "this band")
    return found


@dataclass(frozen=True)
class ReadCurves:
    """The curve of one model, or the difference of two: the second less the first."""

    readers: Sequence[Reader]

    def __call__(self, parts: Sequence[Counts]) -> Floats:
        """Return it at every place."""
        first, *others = [one.read(part) for one, part in zip(self.readers, parts, strict=True)]
        return others[0] - first if others else first


def _make_band(
    readers: Sequence[Reader],
    source: Source,
    plan: Plan,
    level: float,
    simultaneous: bool,  # noqa: FBT001
    *,
    open_ended: bool,
) -> Band:
    """Return the band of a curve, or of the difference of two models in turn."""
    notes, first = check_enough(source), readers[0]
    sides = BOTH if simultaneous else None
    read, wholes = ReadCurves(readers), totals_of(source)
    seen = read(wholes)
    values, plan = curves_drawn(
        read, source, plan, (checked_level(level), sides, open_ended), of_roc=first.of_roc
    )
    low, high, more = resampled_bounds(values, level, sides)
    if len(readers) > 1:
        more = (*more, CHOSEN_AGAIN) if first.chosen else more
    else:
        if isinstance(source, Counts):
            unseen = _opened if first.threshold is NOT_SAID else _with_unseen
            low, high = unseen(first, source, (low, high), level)
        more = (*more, *_stuck(low, high))
    low, high = np.fmin(low, seen), np.fmax(high, seen)
    for column in (first.x, seen, low, high):
        column.flags.writeable = False
    return Band(
        *(first.name, first.x_label, first.y_label, first.x, seen, low, high, level),
        kind=SIMULTANEOUS if simultaneous else POINTWISE,
        method=f"bootstrap, {plan.how}",
        at=first.at,
        replicates=plan.replicates,
        seed=plan.seed,
        notes=combine(notes, more),
    )


def curves_drawn(
    read: Callable[[list[Counts]], Floats],
    source: Source,
    plan: Plan,
    how: tuple[float, str | None, bool],
    *,
    of_roc: bool,
) -> tuple[Floats, Plan]:
    """The curve of every resample, a row each; where their number is left open, as many as a
    simultaneous bound needs.
    """
    level, sides, open_ended = how
    sample = make_sample(source, roc_runs if of_roc else every_score)
    statistic, resampler = CountsStatistic(sample, read), Resampler(sample, plan)
    values = resampler.replicate(statistic, plan.replicates)
    while (
        sides is not None
        and open_ended
        and beyond(values, level, sides) < LEAST_BEYOND
        and len(values) < MOST_DRAWN
    ):
        more = _needed(values, level, sides) - len(values)
        values = np.concatenate((values, resampler.replicate(statistic, more)))
    return values, replace(plan, replicates=len(values))


def resampled_bounds(
    values: Floats, level: float, sides: str | None
) -> tuple[Floats, Floats, tuple[Note, ...]]:
    """Quantiles of the resampled curves at each place.

    `sides` sets bounds so far out that a whole curve stays between both of them (or above the
    lower one) as often as the level says.
    """
    missing = int(np.count_nonzero(np.isnan(values).any(axis=1)))
    undefined = Note(
        "BR592",
        f"{missing} of {len(values)} replicates {are(missing)} undefined somewhere: the band is of"
        " the others there",
    )
    tail = (1 - level) / 2
    if sides is not None:
        tail = _joint_tail(values, level, sides)
        _check_resolved(values, level, sides)
    # Places where no curve is defined have no bounds; the upper ones are the lower ones mirrored.
    low, high = (np.full(values.shape[1], np.nan) for _ in range(2))
    known = ~np.isnan(values).all(axis=0)
    low[known] = np.nanquantile(values[:, known], tail, axis=0, method="inverted_cdf")
    high[known] = -np.nanquantile(-values[:, known], tail, axis=0, method="inverted_cdf")
    return low, high, (undefined,) if missing else ()


def beyond(values: Floats, level: float, sides: str) -> int:
    """How many resamples lie at or beyond a simultaneous bound at a place."""
    return round(_joint_tail(values, level, sides) * len(values))


def _needed(values: Floats, level: float, sides: str) -> int:
    """How many replicates would leave enough beyond the bound, with a quarter to spare, in round
    numbers.
    """
    wanted = 1.25 * LEAST_BEYOND * len(values) / max(1, beyond(values, level, sides))
    return min(MOST_DRAWN, 500 * math.ceil(max(wanted, len(values) + 500) / 500))


def _check_resolved(values: Floats, level: float, sides: str) -> None:
    found = beyond(values, level, sides)
    if found < LEAST_BEYOND:
        needed = _needed(values, level, sides)
        raise refuse(
            "BR580",
            f"of {len(values)} replicates only"
            f" {number_of(found, 'replicate lies', 'replicates lie')} beyond bounds that hold at"
            f" {number_of(values.shape[1], 'place')} at once; 5 are needed",
            Fix(f"replicates={needed}", f"--replicates {needed}"),
        )


def _joint_tail(values: Floats, level: float, sides: str) -> float:
    """The pointwise tail beyond which so few whole curves go anywhere."""
    outermost = np.ones(len(values))
    for column in values.T:
        known = ~np.isnan(column)
        if not known.any():
            continue
        ordered = np.sort(column[known])
        # Ties count for the curve: the share of resamples at or beyond its value, on the nearer
        # side.
        nearer = np.searchsorted(ordered, column[known], "right") / len(ordered)
        if sides == BOTH:
            nearer = np.minimum(
                nearer, 1 - np.searchsorted(ordered, column[known], "left") / len(ordered)
            )
        outermost[known] = np.minimum(outermost[known], nearer)
    return float(np.quantile(outermost, 1 - level, method="lower"))


def _with_unseen(
    reader: Reader, counts: Counts, bounds: tuple[Floats, Floats], level: float
) -> tuple[Floats, Floats]:
    """At a fixed threshold where some outcome was never seen: the interval at each base rate, which
    knows of it, beside the resamples.
    """
    points = Points.of(counts)
    confusion = confusion_at(points, points.place(reader.threshold))
    if all(confusion) or one_class(points):
        return bounds
    measure = Measure.parse(reader.y_label)
    found = [
        measure_interval(Question(measure, confusion, Conditions(prior, reader.costs), level))
        for prior in reader.x.tolist()
    ]
    low, high = [one.low for one in found], [one.high for one in found]
    return np.fmin(bounds[0], low), np.fmax(bounds[1], high)


def _stuck(low: Floats, high: Floats) -> tuple[Note, ...]:
    """Places where no resample differs, which is no certainty."""
    places = int(np.count_nonzero((low == high) & (low != 0) & (low != 1)))
    perfect = int(np.count_nonzero(low == high)) == len(low)
    if not places and not perfect:
        return ()
    return (
        Note(
            "BR591",
            "at some places every resample gave the same value: resampling cannot show what was"
            " not observed",
        ),
    )


def _opened(
    reader: Reader, counts: Counts, bounds: tuple[Floats, Floats], level: float
) -> tuple[Floats, Floats]:
    """Where none, or all, of a class were flagged, resamples know of nothing else: the bound for
    none seen stands in.
    """
    low, high = (values.copy() for values in bounds)
    if reader.x_label not in ("fpr", "tpr") or counts.weighted or one_class(counts):
        return low, high
    points = Points.of(counts)
    along_fpr = reader.x_label == "fpr"
    whole = int(points.total_positives if along_fpr else points.total_negatives)
    rate = rates.bounds(0, whole, level, rates.CLOPPER_PEARSON, UPPER)[1]
    other = at_places(
        counts,
        Measure(reader.x_label),
        Measure("tpr" if along_fpr else "fpr"),
        Conditions(),
        reader.x,
    )
    prior = points.prior if reader.at is None or reader.at.prior is None else reader.at.prior
    for end in (0.0, 1.0):
        # At fpr 1 everything is flagged, and tpr is 1 by definition.
        where = (other == end) & ~(along_fpr & (reader.x == 1)) & ~np.isnan(low)
        moved = np.full(len(other), rate if end == 0 else 1 - rate)
        pair = (moved, reader.x) if along_fpr else (reader.x, moved)
        values = rates_read(Measure(reader.y_label), pair, prior, (0.0, 1.0, 1.0, 0.0))
        low, high = (
            np.where(where, np.fmin(low, values), low),
            np.where(where, np.fmax(high, values), high),
        )
    return low, high


# ----------------------------------------------------------------------
# Folds: one set of counts a fold. Pooled, averaged as curves, or a summary of each with its mean;
# each by its name.


VERTICAL, BY_THRESHOLD, POOLED = "vertical", "threshold", "pooled"
PLACES = 100


@dataclass(frozen=True)
class FoldMean:
    """The mean of a statistic over folds, with the standard deviation between them and the standard
    error of their mean.

    The standard error takes folds for independent, which those of a cross-validation are not: their
    training sets overlap. It is what tables print, and too small. Bengio & Grandvalet 2004, Journal
    of Machine Learning Research 5:1089-1105.
    """

    value: float
    deviation: float
    standard_error: float
    values: tuple[float, ...]
    name: str
    at: Conditions | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        return (
            f"FoldMean: {self.name} {self.value:.4g}, standard error {self.standard_error:.2g} over"
            f" {len(self.values)} folds"
        )


def fold_mean(
    folds: GroupedCounts,
    statistic: Any,
    *,
    at: Conditions | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
) -> FoldMean:
    """What is the statistic on average over the folds, and how much does it vary between them?

    Each fold is read on its own, then the mean is taken; `interval(statistic, folds)` pools the
    folds instead. What is undefined in a fold (one class only) is left out of the mean, with a
    note.

    >>> import baserate as br
    >>> folds = br.count([0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.8], by=[1, 1, 2, 2, 3, 3])
    >>> br.curves.fold_mean(folds, br.auc)
    FoldMean: auc 0.6667, standard error 0.33 over 3 folds
    """
    _checked(folds)
    wanted = statistic_of(statistic, at=at, rule=rule, threshold=threshold, volume=volume)
    values = np.array([wanted(counts) for counts in folds.values()])
    known = values[~np.isnan(values)]
    if not len(known):
        raise refuse(
            "BR589",
            f"{wanted.name} is undefined in every fold",
            "give folds with cases of both classes",
        )
    undefined = Note(
        "BR592", f"{wanted.name} is undefined in {len(values) - len(known)} of {len(values)} folds"
    )
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    said = Note(
        "BR591",
        "folds of a cross-validation share training cases: the standard error between them is too"
        " small",
    )
    return FoldMean(
        float(known.mean()),
        deviation,
        deviation / math.sqrt(len(known)),
        tuple(values.tolist()),
        wanted.name,
        wanted.at,
        (said,) if len(known) == len(values) else (undefined, said),
    )


def _checked(folds: Any) -> None:
    if not isinstance(folds, GroupedCounts) or len(folds) < 2:
        raise refuse(
            "BR429",
            f"folds are GroupedCounts of two groups or more, got {quoted(folds)}",
            "count(y, scores, by=fold)",
        )


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
        return (
            f"FoldCurve {self.name}: {self.how} average of {self.folds} folds, {self.y_label}"
            f" against {self.x_label}, {len(self)} places"
        )


def average_curve(
    folds: GroupedCounts,
    curve: Any,
    *,
    how: str = VERTICAL,
    at: Conditions | None = None,
    x: Any = None,
) -> FoldCurve:
    """What is the curve on average over the folds?

    `how="vertical"` averages what the curve reads at each place of its axis; "threshold" averages
    both coordinates of the points that each of a set of thresholds gives, and shows where a
    threshold means different things in different folds; "pooled" is the curve of all folds
    together, which takes scores for comparable. Fawcett 2006, Pattern Recognition Letters
    27:861-874.

    >>> import baserate as br
    >>> folds = br.count([0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.8], by=[1, 1, 2, 2, 3, 3])
    >>> br.curves.average_curve(folds, br.roc, x=[0.0, 0.5, 1.0]).y
    array([0.66666667, 0.66666667, 1.        ])
    """
    _checked(folds)
    if how not in (VERTICAL, BY_THRESHOLD, POOLED):
        raise refuse(
            "BR573",
            f"curves of folds are averaged {VERTICAL}, by {BY_THRESHOLD} or {POOLED}, got"
            f" {quoted(how)}",
            f'how="{VERTICAL}"',
        )
    reader = curve_reader(curve, at, x)
    if how == BY_THRESHOLD:
        return _by_threshold(reader, folds, at, x)
    kept = [folds.total()] if how == POOLED else _both_classes(folds)
    y, error = _mean_and_error(np.array([reader.read(counts) for counts in kept]))
    known = len(folds) if how == POOLED else len(kept)
    return _fold_curve(reader, how, (reader.x, y, error), folds, known)


def _fold_curve(
    reader: Reader,
    how: str,
    columns: tuple[Floats, Floats, Floats],
    folds: GroupedCounts,
    kept: int,
    thresholds: Floats | None = None,
) -> FoldCurve:
    """Return the average of the folds that are kept, with a note of how many are not."""
    labels, notes = (reader.name, how, reader.x_label, reader.y_label), _left_out(folds, kept)
    return FoldCurve(*labels, *columns, thresholds, kept, reader.at, notes)


def _both_classes(folds: GroupedCounts) -> list[Counts]:
    """The folds that have a curve."""
    kept = [counts for counts in folds.values() if not one_class(counts)]
    if not kept:
        raise refuse(
            "BR589",
            "every fold has cases of one class only, and no curve",
            "give folds with cases of both classes",
        )
    return kept


def _left_out(folds: GroupedCounts, kept: int) -> tuple[Note, ...]:
    missing = len(folds) - kept
    said = Note(
        "BR592",
        f"{missing} of {len(folds)} folds {'has' if missing == 1 else 'have'} cases of one class"
        f" only, and {are(missing)} left out",
    )
    return (said,) if missing else ()


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
        raise refuse(
            "BR573",
            "threshold averaging reads points at thresholds: a cost curve has none, and x does"
            " not apply",
            'how="vertical"',
        )
    conditions, total = checked_conditions(at), folds.total()
    places = np.unique(
        np.linspace(0, len(total.scores) - 1, min(PLACES + 1, len(total.scores)))
        .round()
        .astype(np.intp)
    )
    cuts = total.scores[places]
    axes = [Measure(reader.x_label), Measure(reader.y_label)]
    kept, both = _both_classes(folds), list[Floats]()
    for measure in axes:
        rows = []
        for points in map(Points.of, kept):
            reached = [points.place(cut) for cut in cuts.tolist()]
            rows.append(measure_along(measure, points, conditions)[reached])
        both.append(np.array(rows))
    unknown = np.isnan(both[0]) | np.isnan(both[1])
    (across, _), (up, error) = (
        _mean_and_error(np.where(unknown, np.nan, column)) for column in both
    )
    columns = across, up, error
    return _fold_curve(reader, BY_THRESHOLD, columns, folds, len(kept), cuts.astype(np.float64))
