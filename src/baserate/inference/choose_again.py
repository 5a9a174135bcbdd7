"""Choosing a threshold again in every resample, among the candidates that matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.cells import Array
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.choose import (
    Flagged,
    Places,
    Question,
    choose_places,
    interpolate_places,
    pick_places,
)
from baserate.inference.resample import (
    Plan,
    Weights,
    make_sample,
    read_outcomes,
    replicate,
    whole_of,
)
from baserate.measures.confusion import Measure
from baserate.numbers import Floats, Ints
from baserate.results.operating_point import OperatingPoint

# Up to so many thresholds, resamples choose among all of them; of more, among about half as many:
# half of these all along, the others near those chosen on the sample, within so many standard
# deviations of what these flag. With twice as many, p-values differ by less than two Monte Carlo
# errors.
MOST_CANDIDATES = 400
NEAR = 4.0
# Where several thresholds were chosen, each has at least so many candidates nearby.
LEAST_NEARBY = 20


def candidate_places(points: Points, chosen: Sequence[int]) -> Ints:
    """Return the places of the thresholds that resamples choose among.

    Distances are in standard deviations of the rates, so that the few cases at the top of a large
    sample are not skipped. Nothing and everything flagged, and the chosen ones, are among them.
    """
    last = len(points) - 1
    if last < MOST_CANDIDATES:
        return np.arange(len(points))
    half = MOST_CANDIDATES // 4
    nearby = max(LEAST_NEARBY, half // len(chosen))
    wanted = [np.linspace(0.0, float(standardize_place(points, last)), half)]
    for place in chosen:
        # Near by either class: where few negatives are flagged, a step past one passes many
        # positives.
        spans = [near_places(flagged, place) for flagged in (points.tp, points.fp)]
        ends = [min(low for low, _ in spans), max(high for _, high in spans)]
        low, high = standardize_place(points, np.array(ends)).tolist()
        wanted.append(np.linspace(low, high, nearby))
    scale = np.concatenate(wanted)
    # The first places that reach these values, by bisection: there may be millions of places.
    before, found = np.full(len(scale), -1), np.full(len(scale), last)
    while (found - before > 1).any():
        middle = (before + found) // 2
        reached = (standardize_place(points, middle) >= scale) & (middle > before)
        before, found = np.where(reached, before, middle), np.where(reached, middle, found)
    return np.unique(np.concatenate((found, [0, last], chosen)))


def standardize_place(points: Points, places: Any) -> Floats:
    """Return what places flag of both classes, in standard deviations."""
    positives, negatives = (
        standardize_rates(flagged[places], flagged[-1]) for flagged in (points.tp, points.fp)
    )
    return positives + negatives


def standardize_rates(flagged: Any, total: Any) -> Floats:
    """Return the flagged share of a class in standard deviations (arcsine scale)."""
    return np.asarray(2 * np.sqrt(total) * np.arcsin(np.sqrt(flagged / max(total, 1.0))))


def near_places(flagged: Array, place: int) -> tuple[int, int]:
    """Return the first and the last place that flag as many of a class as this one, within
    `NEAR` standard deviations.
    """
    total = float(flagged[-1])
    here = float(standardize_rates(float(flagged[place]), total))
    ends = np.clip([here - NEAR, here + NEAR], 0, np.pi * np.sqrt(total))
    low, high = total * np.sin(ends / (2 * np.sqrt(max(total, 1.0)))) ** 2
    first = int(np.searchsorted(flagged, low, side="left"))
    last = int(np.searchsorted(flagged, high, side="right")) - 1
    return min(first, place), max(last, place)


@dataclass(frozen=True)
class CandidateRuns:
    """Runs of scores between the thresholds that resamples choose among."""

    places: Ints

    def __call__(self, _: Counts) -> Ints:
        """Return where the runs begin."""
        return self.places[:-1]


def cumulate_weights(weights: Weights, *, every: bool) -> Flagged:
    """Return what every threshold flags in every resample, nothing first and everything last.

    `every` says whether all thresholds of the sample are there.
    """
    return Flagged(cumulate(weights.positives), cumulate(weights.negatives), every)


def cumulate(cases: Floats) -> Floats:
    """Return running sums along the last axis, from 0."""
    flagged = np.zeros((*cases.shape[:-1], cases.shape[-1] + 1))
    np.cumsum(cases, axis=-1, out=flagged[..., 1:])
    return flagged


@dataclass(frozen=True, eq=False)
class ChooseAgain:
    """A statistic: a measure at the threshold that every resample chooses.

    Attributes
    ----------
    question : Question
        The one that was answered for the sample.
    measure : Measure
        What is read there.
    at : Conditions
        Where it is read.
    every : bool
        Whether all thresholds are candidates.

    """

    question: Question
    measure: Measure
    at: Conditions
    every: bool

    def __call__(self, weights: Weights) -> Floats:
        """Return its value in every resample, NaN where no threshold satisfies the rule."""
        flagged = cumulate_weights(weights, every=self.every)
        chosen = choose_places(self.question, flagged)
        there = flagged.at_places(chosen)
        tp, fp = there.tp[:, 0], there.fp[:, 0]
        outcomes = tp, fp, flagged.tp[:, -1] - tp, flagged.fp[:, -1] - fp
        values = read_outcomes(self.measure, outcomes, self.at)
        return np.where(chosen.feasible, values, np.nan)


def prepare_choice(
    point: OperatingPoint, measure: Measure, counts: Counts
) -> tuple[CandidateRuns, ChooseAgain]:
    """Return what chooses again as a point was chosen on these counts, and among which runs."""
    points = Points.of(counts)
    chosen = Places.of(point, points)
    kept = candidate_places(points, [int(chosen.upper), int(chosen.lower)])
    statistic = ChooseAgain(Question.of(point), measure, point.at, every=len(kept) == len(points))
    return CandidateRuns(kept), statistic


class Readings(NamedTuple):
    """What every resample flags, in cases: one row each of (tp, fp). NaN where the rule cannot be
    kept, or flagging nothing or all is chosen.

    `here` is the resample at the threshold that it chooses, `there` the sample at that threshold,
    `fixed` the resample at the threshold that the sample chose; `sizes` are the positives and
    negatives of every resample.
    """

    here: Floats
    there: Floats
    fixed: Floats
    sizes: Floats


@dataclass(frozen=True, eq=False)
class ReadChoices:
    """A statistic: what every resample flags where it chooses again, for several questions.

    Attributes
    ----------
    questions : sequence of Question
        Those answered for the sample.
    places : sequence of Places
        Where the sample answered each question.
    sample : Flagged
        What the candidates flag in the sample.
    every : bool
        Whether all thresholds are candidates.

    """

    questions: Sequence[Question]
    places: Sequence[Places]
    sample: Flagged
    every: bool

    def __call__(self, weights: Weights) -> Floats:
        """Return `Readings` as an array of shape (resamples, questions, 4, 2)."""
        resample = cumulate_weights(weights, every=self.every)
        found = [
            self._read(resample, question, place)
            for question, place in zip(self.questions, self.places, strict=True)
        ]
        return np.stack(found, axis=1)

    def _read(self, resample: Flagged, question: Question, place: Places) -> Floats:
        chosen = raise_to_drawn(choose_places(question, resample), resample)
        last = resample.tp.shape[1] - 1
        trivial = ((chosen.upper == 0) | (chosen.upper == last)) & (chosen.share == 0)
        fixed = place.repeat(len(resample.tp))
        readings = np.empty((len(resample.tp), 4, 2))
        for column, (again, once) in enumerate(
            ((resample.tp, self.sample.tp), (resample.fp, self.sample.fp))
        ):
            readings[:, 0, column] = interpolate_places(again, chosen)
            readings[:, 1, column] = interpolate_places(once[np.newaxis], chosen)
            readings[:, 2, column] = interpolate_places(again, fixed)
            readings[:, 3, column] = again[:, -1]
        readings[trivial | ~chosen.feasible, :2] = np.nan
        return readings


def raise_to_drawn(chosen: Places, resample: Flagged) -> Places:
    """Return the choice with the highest threshold that flags the same of every resample: cells
    below the last one that was drawn add nothing.
    """
    drawn = resample.tp + resample.fp
    last = pick_places(drawn, chosen.upper)
    upper = np.argmax(drawn >= last[:, np.newaxis], axis=1)
    return chosen._replace(upper=upper, lower=np.where(chosen.share > 0, chosen.lower, upper))


def read_choices(
    source: Counts | GroupedCounts, points: Sequence[OperatingPoint], plan: Plan
) -> list[Readings]:
    """Return what every resample chooses by the rule of each point, all on the same resamples."""
    whole = Points.of(whole_of(source))
    chosen = [Places.of(point, whole) for point in points]
    needed = sorted({int(place) for one in chosen for place in one[:2]})
    kept = candidate_places(whole, needed)
    among_kept = [
        one._replace(upper=np.searchsorted(kept, one.upper), lower=np.searchsorted(kept, one.lower))
        for one in chosen
    ]
    statistic = ReadChoices(
        [Question.of(point) for point in points],
        among_kept,
        Flagged(whole.tp[kept].astype(np.float64), whole.fp[kept].astype(np.float64)),
        len(kept) == len(whole),
    )
    values = replicate(make_sample(source, CandidateRuns(kept)), statistic, plan)
    return [Readings(*np.moveaxis(values[:, place], 1, 0)) for place in range(len(points))]
