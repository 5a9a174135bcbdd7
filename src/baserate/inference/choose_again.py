"""Choosing a threshold again in every resample, among the candidates that matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.amounts import Amounts
from baserate.counts.cells import Array
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.amount_costs import CAUGHT, AmountPoint
from baserate.decisions.choose import (
    Flagged,
    Places,
    Question,
    choose_places,
    interpolate_places,
    pick_places,
)
from baserate.decisions.rules import Mask
from baserate.inference.resample import (
    STRATIFIED,
    ClassCells,
    Plan,
    Sample,
    Weights,
    make_sample,
    read_outcomes,
    replicate,
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
    whole = Points.of(source.total())
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


# ----------------------------------------------------------------------
# Choosing again where every positive has its own amount.


AMOUNT_SUMS = ("cost", "expected_cost", "alerts", "amount_caught", "amount_missed")


@dataclass(frozen=True, eq=False)
class AmountRows:
    """The rows that amounts are resampled by, in descending order of the score: positives one by
    one, the negatives of a score together, as what they are worth costs nothing.

    Attributes
    ----------
    worth : array
        What a positive of each row is worth.
    negatives : array
        How many negatives each row has; a row without any is a positive.
    ends : array
        How many rows each threshold flags.
    sample : Sample
        What is drawn.

    """

    worth: Floats
    negatives: Ints
    is_positive: Mask
    ends: Ints
    sample: Sample

    @classmethod
    def of(cls, amounts: Amounts, counts: Counts) -> AmountRows:
        """Return the rows of amounts, with the thresholds of these counts."""
        ends = np.concatenate(([0], np.cumsum(counts.positives + 1)))
        last = ends[1:] - 1
        is_positive = np.ones(int(ends[-1]), dtype=np.bool_)
        is_positive[last] = False
        worth, negatives = np.zeros(len(is_positive)), np.zeros(len(is_positive), dtype=np.int64)
        worth[is_positive] = amounts.cases / float(10**amounts.decimals)
        negatives[last] = counts.negatives
        ours, theirs = np.flatnonzero(is_positive), np.flatnonzero(negatives)
        sample = Sample(
            [np.arange(len(is_positive))],
            ClassCells(np.ones(len(ours), dtype=np.int64), [ours], None),
            ClassCells(negatives[theirs], [theirs], None),
            None,
            replace(counts.ledger, sources=()),
            counts.condensed,
        )
        return cls(worth, negatives, is_positive, ends, sample)

    def flag(self, positives: Floats, negatives: Floats) -> Flagged:
        """Return what every threshold flags, of how many cases of each row there are."""
        columns = positives, negatives, positives * self.worth
        tp, fp, caught = (cumulate(column)[..., self.ends] for column in columns)
        return Flagged(tp, fp, amounts=(caught, caught[..., -1:] - caught))

    @property
    def whole(self) -> Weights:
        """The cases of each row in the sample."""
        columns = self.is_positive, self.negatives
        return Weights(*(column[np.newaxis].astype(np.float64) for column in columns))

    def left_out(self, weights: Weights) -> Weights:
        """Return the cases of each row that a resample has not drawn.

        Of several negatives at one score it is the number left out on average: for one, whether it
        was.
        """
        positives = self.is_positive & (weights.positives == 0)
        numbers = np.maximum(self.negatives, 1)
        negatives = self.negatives * (1 - 1 / numbers) ** weights.negatives
        return Weights(positives.astype(np.float64), negatives)


def read_amounts(point: AmountPoint, flagged: Flagged, prior: Floats) -> Floats:
    """Return what settings come to at these base rates, over as many cases as the point's sums are:
    the numbers of `AMOUNT_SUMS`, one row per sample. NaN where a class has no cases.
    """
    review, recovered, cases = (
        float(part) for part in (point.prices.review, point.prices.recovered, point.prices.cases)
    )
    totals = [np.broadcast_to(np.ravel(total), prior.shape) for total in flagged.totals or ()]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_positives, of_negatives = cases * prior / totals[0], cases * (1 - prior) / totals[1]
        caught, missed = (of_positives * np.ravel(part) for part in flagged.amounts or ())
        alerts = of_positives * np.ravel(flagged.tp) + of_negatives * np.ravel(flagged.fp)
    cost = review * alerts + missed + (1 - recovered) * caught
    return np.stack([cost, cost / cases, alerts, caught, missed], axis=1)


def priors_of(point: AmountPoint, drawn: Flagged) -> Floats:
    """Return the base rate of every resample: its own, or that of the field."""
    positives, cases = drawn.tp[:, -1], drawn.tp[:, -1] + drawn.fp[:, -1]
    given = np.full(len(cases), point.at.prior)
    return positives / cases if point.at.as_in_sample else given


@dataclass(frozen=True)
class ReadAmounts:
    """A statistic: the sums of a point, in every resample.

    Where the cost chose the threshold, it is chosen `again` on every resample, and evaluated on the
    cases that the resample left out.
    """

    point: AmountPoint
    rows: AmountRows
    places: Places
    again: bool

    def __call__(self, weights: Weights) -> Floats:
        """Return the sums of every resample, NaN where the rule cannot be kept."""
        drawn = evaluated = self.rows.flag(*weights)
        places = self.places.repeat(len(drawn.tp))
        if self.again:
            places = choose_places(self.point.question, drawn)
            if self.point.optimized != CAUGHT:
                evaluated = self.rows.flag(*self.rows.left_out(weights))
        prior = priors_of(self.point, drawn)
        sums = read_amounts(self.point, evaluated.at_places(places), prior)
        return np.where(places.feasible[:, np.newaxis], sums, np.nan)


def resample_amounts(point: AmountPoint, amounts: Amounts, plan: Plan, *, again: bool) -> Floats:
    """Return `AMOUNT_SUMS` in every resample, the threshold chosen again or as it is."""
    # No cheapest point lies inside a run of negatives: where nothing but the cost decides, a
    # resample need not keep them apart.
    counts = amounts.counts
    counts = counts.condense() if again and not point.rule else counts
    rows = AmountRows.of(amounts, counts)
    places = Places.at_thresholds(0) if again else Places.of(point, Points.of(counts))
    return replicate(rows.sample, ReadAmounts(point, rows, places, again), plan)


@dataclass(frozen=True)
class AmountGain:
    """A statistic: by how much less the threshold that a resample chooses costs there than in the
    sample, each beside the threshold at `base`.
    """

    point: AmountPoint
    rows: AmountRows
    base: int

    def __call__(self, weights: Weights) -> Floats:
        """Return it in every resample, NaN where the rule cannot be kept."""
        drawn = self.rows.flag(*weights)
        sample = self.rows.flag(*self.rows.whole)
        places, prior = choose_places(self.point.question, drawn), priors_of(self.point, drawn)
        base = Places.at_thresholds(np.full(len(prior), self.base))
        here, there = (
            read_amounts(self.point, flagged.at_places(places), prior)[:, 0]
            - read_amounts(self.point, flagged.at_places(base), prior)[:, 0]
            for flagged in (drawn, sample)
        )
        return np.where(places.feasible, here - there, np.nan)


def amount_optimism(
    point: AmountPoint, amounts: Amounts, replicates: int, *, everything: bool
) -> float:
    """Return by how much less a threshold costs on the cases that it was chosen on than in the
    field, beside flagging nothing or everything.
    """
    counts = amounts.counts if point.rule else amounts.counts.condense()
    rows = AmountRows.of(amounts, counts)
    base = len(counts.scores) if everything else 0
    gained = replicate(rows.sample, AmountGain(point, rows, base), Plan(STRATIFIED, replicates, 0))
    known = gained[~np.isnan(gained)].tolist()
    return math.fsum(known) / len(known) if known else 0.0
