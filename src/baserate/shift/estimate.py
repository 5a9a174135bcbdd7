"""The base rate of the field from unlabelled scores, and tests of the label-shift assumption."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array, joined_scores, short
from baserate.counts.counts import Counts, Unlabelled
from baserate.counts.points import Points, refuse_merged
from baserate.curves.named import as_probabilities, calibration_prior
from baserate.distributions import Estimated
from baserate.errors import Fix, Note, grouped, quoted, refuse
from baserate.inference.rates import refuse_weights
from baserate.inference.resample import (
    BLOCK_SIZE,
    FEW,
    FEWEST,
    STRATIFIED,
    TOO_FEW,
    Plan,
    Progress,
    alike,
    check_enough,
    make_sampler,
    percentile_bounds,
    undefined_noted,
)
from baserate.numbers import Floats, Ints, Undefined, Viewed, make_view, rounded
from baserate.results.values import (
    BOTH,
    Interval,
    checked_level,
    checked_replicates,
    checked_seed,
    missed,
)

# ----------------------------------------------------------------------
# Unlabelled scores as a mixture of the two classes: what share of positives makes them most likely,
# or flags as many of them?


# Newton's steps on a concave function, each kept inside what bisection has left: far fewer are
# needed.
MOST_STEPS = 100
CLOSE = 1e-12
# A density that is 0 is taken as this: only its sign matters then.
TINY = 1e-200
# Resamples have the scores of this share of a unit of log odds together, at their mean. That moves
# the likelihood's slope by far less than resampling does.
A_UNIT = 128
STREAM = 0x5817
# A cut is looked for among so many.
MOST_CUTS = 256


class Flags(NamedTuple):
    """Cases of either class and without a label in the cells between some thresholds, descending;
    the last cell holds what none flags.
    """

    thresholds: Array
    positives: Ints
    negatives: Ints
    cases: Ints


def flags_of(counts: Counts, unlabelled: Unlabelled, threshold: float | None) -> Flags:
    """Cells of equal share in the classes; or what lies above and below the threshold that is
    given.
    """
    cuts = even_cuts(counts, MOST_CUTS) if threshold is None else np.array([threshold])
    return Flags(cuts, *cases_between(counts, unlabelled, cuts))


def even_cuts(counts: Counts, cells: int) -> Array:
    """Thresholds, descending, that cut the cases into up to `most` cells of equal share, each
    class counting half.
    """
    ours = counts.positives / counts.total_positives
    theirs = counts.negatives / counts.total_negatives
    running = np.cumsum((ours + theirs) / 2)
    places = np.unique(np.searchsorted(running, np.arange(1, cells) / cells))
    inner = places[places < len(counts.scores) - 1]
    return counts.scores[inner] if len(inner) else counts.scores[:1]


def cases_between(counts: Counts, unlabelled: Unlabelled, cuts: Array) -> list[Ints]:
    """Positives, negatives and unlabelled cases between these cuts."""
    joined_scores(counts.scores, unlabelled.scores)  # whole numbers that floats round are refused
    return [
        count_between(counts.scores, counts.positives, cuts),
        count_between(counts.scores, counts.negatives, cuts),
        count_between(unlabelled.scores, unlabelled.cases, cuts),
    ]


def count_between(scores: Array, cases: Ints, cuts: Array) -> Ints:
    """How many cases lie at or above the first cut, between it and the next, and so on, and below
    the last.
    """
    reached = len(scores) - np.searchsorted(scores[::-1], cuts, side="left")
    ends = [0, *reached.tolist(), len(scores)]
    return np.array([cases[first:end].sum() for first, end in pairwise(ends)], dtype=cases.dtype)


def adjusted_count(positives: Array, negatives: Array, cases: Array) -> tuple[Floats, Ints]:
    """The share of positives that flags as many cases, and at which cut: (flagged − FPR) / (TPR −
    FPR) where TPR and FPR add up to 1.

    Where TPR − FPR is largest it is too large by chance, and the share too small. One row per
    sample; NaN where the cut does not tell the classes apart. Not yet limited to 0 and 1.
    """
    tpr, fpr, flagged = (
        np.cumsum(part, axis=-1)[..., :-1] / np.sum(part, axis=-1, keepdims=True)
        for part in (positives, negatives, cases)
    )
    best = np.argmin(np.abs(tpr + fpr - 1), axis=-1)
    ours, theirs, seen = (
        np.take_along_axis(rates, best[..., None], axis=-1)[..., 0] for rates in (tpr, fpr, flagged)
    )
    gap = ours - theirs
    return np.divide(seen - theirs, gap, out=np.full(np.shape(gap), np.nan), where=gap > 0), best


def most_likely(
    scores: Floats, cases: Array, trained: float | Floats, start: float = 0.5
) -> Floats:
    """The share of positives under which these cases are most likely, where scores are
    probabilities at the base rate `trained`.

    `cases` are those of each score in a row per sample; `trained` is one base rate, or one for each
    row. NaN where every case is as likely in either class. The share π maximises
    Σ cases · ln(π · s / t + (1 − π) · (1 − s) / (1 − t)), which is concave in π: where Saerens' EM
    ends, if it is given the time.
    """
    base = np.broadcast_to(np.asarray(trained, dtype=np.float64).reshape(-1, 1), (len(cases), 1))
    known = ((cases > 0) & (scores != base)).any(axis=1)
    share = np.where(known, 0.0, np.nan)
    rises, _ = _likelihood_slopes(scores, cases, base, np.zeros(len(cases)))
    still_rises, _ = _likelihood_slopes(scores, cases, base, np.ones(len(cases)))
    share[known & (still_rises >= 0)] = 1.0
    inside = np.flatnonzero(known & (rises > 0) & (still_rises < 0))
    share[inside] = _highest_likelihood(scores, cases[inside], base[inside], start)
    return share


def _highest_likelihood(scores: Floats, cases: Array, trained: Floats, start: float) -> Floats:
    """Where the slope of the likelihood is 0, by Newton's method inside of what bisection has
    left.
    """
    share = np.full(len(cases), start)
    low, high = np.zeros(len(cases)), np.ones(len(cases))
    for _ in range(MOST_STEPS):
        slope, bend = _likelihood_slopes(scores, cases, trained, share)
        low, high = np.where(slope > 0, share, low), np.where(slope > 0, high, share)
        step = share + slope / bend
        # On a bound, rounding can say no more: halving what is left would only take time.
        moved = np.where((step >= low) & (step <= high), step, (low + high) / 2)
        close = np.abs(moved - share) <= CLOSE * share
        share = moved
        if close.all():
            break
    return share


def _likelihood_slopes(
    scores: Floats, cases: Array, trained: Floats, share: Floats
) -> tuple[Floats, Floats]:
    """The first derivative of the likelihood at the share of each row, and the second with its sign
    turned.
    """
    gaps = (scores - trained) / (trained * (1 - trained))
    pull = gaps / np.maximum((1 - scores) / (1 - trained) + share[:, None] * gaps, TINY)
    with np.errstate(over="ignore"):
        return (cases * pull).sum(axis=1), (cases * pull * pull).sum(axis=1)


def group_probabilities(scores: Floats, cases: Ints) -> tuple[Floats, Ints]:
    """Neighbouring probabilities together at their mean, where their odds are nearly the same."""
    from scipy.special import logit

    steps = np.floor(np.clip(logit(scores), -750, 750) * A_UNIT)
    starts = np.flatnonzero(np.diff(steps, prepend=np.inf))
    sums = np.add.reduceat(cases, starts)
    shares = cases / np.repeat(sums, np.diff(starts, append=len(scores)))
    return np.add.reduceat(scores * shares, starts), sums


# ----------------------------------------------------------------------
# Did the scores of the classes move? Whether unlabelled scores can be a mixture of the two classes
# at all.


# Cells of equal share in the two classes together; those with fewer unlabelled cases than EXPECTED
# under the mixture are merged.
CELLS = 12
EXPECTED = 10
CASES_PER_CELL_OF_TEST = 15
STEPS = 20


@dataclass(frozen=True)
class ShiftCheck(Viewed):
    """Can the unlabelled scores be a mixture of the two classes?

    `statistic` is how far they are from the nearest mixture, a χ² with `degrees` of freedom where
    label shift holds; `moved` where the p-value is below 1 − level. `prior` is the share of
    positives of that mixture. Undefined, with the reason, where there are too few cells.
    """

    statistic: float
    degrees: int
    p_value: float
    prior: float
    level: float = 0.95
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def moved(self) -> bool:
        """Whether chance is ruled out at the given level."""
        return self.p_value < missed(self.level)

    def __repr__(self) -> str:
        if self.p_value != self.p_value:
            return f"ShiftCheck: {self.p_value!r}"
        word = "the scores of the classes moved" if self.moved else "nothing against label shift"
        return (
            f"ShiftCheck: {word}, chi-square {self.statistic:.4g} with {self.degrees} degrees of"
            f" freedom, p = {self.p_value:.3g}"
        )


def check_label_shift(counts: Counts, unlabelled: Unlabelled, *, level: float = 0.95) -> ShiftCheck:
    """Did only the share of positives change, or did the scores of a class move as well?

    The test: scores are cut into up to 12 cells, and the shares of the unlabelled cases in them are
    compared with the nearest mixture of the shares of the two classes, by a χ² that counts the
    sampling error of all three (minimum χ² by iterated least squares, cells − 2 degrees of freedom;
    cells − 1 where the share of positives is held at 0 or 1). It sees what a mixture cannot
    explain, and nothing else: a change that looks like more positives stays hidden.

    >>> import baserate as br
    >>> counts = br.Counts([4, 3, 2, 1], positives=[400, 300, 200, 100], negatives=[100, 300, 800, 2800])
    >>> field = br.count_unlabelled([4] * 150 + [3] * 300 + [2] * 750 + [1] * 2500)
    >>> br.shift.check_label_shift(counts, field)
    ShiftCheck: nothing against label shift, chi-square 0.2993 with 2 degrees of freedom, p = 0.861
    """  # noqa: E501
    refuse_weights(counts)
    asked = checked_level(level)
    if not counts.total_positives or not counts.total_negatives:
        raise refuse("BR552", "both classes are needed", "count cases of both classes")
    if not unlabelled.total:
        raise refuse("BR590", "there are no unlabelled cases", "give scores of the field")
    refuse_merged(
        counts, "label shift is checked in cells of equal share, cut between any two scores"
    )
    parts = _merge_small_cells(*_cells_of_test(counts, unlabelled))
    if parts.shape[1] < 3:
        return not_checked("too few cells to tell a mixture from anything else", asked)
    statistic, prior = _nearest_mixture(parts)
    degrees = parts.shape[1] - (2 if 0 < prior < 1 else 1)
    from scipy.special import chdtrc

    p_value = float(chdtrc(degrees, statistic))
    found = ShiftCheck(statistic, degrees, p_value, prior, asked)
    if not found.moved:
        return found
    text = (
        f"the unlabelled scores are not a mixture of the two classes (p = {p_value:.3g}): not only"
        " the base rate changed"
    )
    return replace(found, notes=(Note("BR538", text),))


def not_checked(reason: str, level: float) -> ShiftCheck:
    """No result, and why."""
    note = Note("BR538", f"label shift was not checked: {reason}")
    return ShiftCheck(Undefined(reason), 0, Undefined(reason), Undefined(reason), level, (note,))


def _cells_of_test(counts: Counts, unlabelled: Unlabelled) -> tuple[Floats, ...]:
    """Positives, negatives and unlabelled cases in cells of equal share in the classes, each class
    counting half.
    """
    fewest = min(counts.total_positives, counts.total_negatives, unlabelled.total)
    cuts = even_cuts(counts, int(min(CELLS, max(3, fewest // CASES_PER_CELL_OF_TEST))))
    return tuple(part.astype(np.float64) for part in cases_between(counts, unlabelled, cuts))


def _merge_small_cells(positives: Floats, negatives: Floats, cases: Floats) -> Floats:
    """Neighbours together until each cell has cases enough: of the unlabelled as a mixture would
    have them, and of the labelled.
    """
    parts = np.stack((positives, negatives, cases))
    mixed = cases.sum() * (positives + negatives) / (positives + negatives).sum()
    enough = np.minimum.reduce((mixed, positives + negatives, cases))
    groups, held = np.zeros(len(cases), dtype=np.intp), 0.0
    for cell in range(1, len(cases)):
        held += enough[cell - 1]
        groups[cell] = groups[cell - 1] + (held >= EXPECTED)
        held = 0.0 if held >= EXPECTED else held
    if held + enough[-1] < EXPECTED and groups[-1] > 0:
        groups[groups == groups[-1]] -= 1
    return np.stack([np.bincount(groups, weights=row) for row in parts])


def _nearest_mixture(parts: Floats) -> tuple[float, float]:
    """The least χ² over all mixtures, and the share of positives there; the last cell follows from
    the others.
    """
    totals = parts.sum(axis=1)
    ours, theirs, seen = (row[:-1] / total for row, total in zip(parts, totals, strict=True))
    towards, away = ours - theirs, seen - theirs
    prior, statistic = 0.5, np.inf
    for _ in range(STEPS):
        spread = _mixture_covariance(ours, theirs, prior, totals)
        weights = np.linalg.solve(spread, np.stack((towards, away), axis=1))
        slope = float(towards @ weights[:, 0])
        moved = min(1.0, max(0.0, float(towards @ weights[:, 1]) / slope)) if slope > 0 else prior
        off = away - moved * towards
        statistic, settled = float(off @ np.linalg.solve(spread, off)), abs(moved - prior) < 1e-10
        prior = moved
        if settled:
            break
    return statistic, prior


def _mixture_covariance(ours: Floats, theirs: Floats, prior: float, totals: Floats) -> Floats:
    """The covariance of what lies between the unlabelled shares and the mixture, as it is where
    label shift holds.
    """
    mixed = prior * ours + (1 - prior) * theirs
    parts = (
        (mixed, 1 / totals[2]),
        (ours, prior**2 / totals[0]),
        (theirs, (1 - prior) ** 2 / totals[1]),
    )
    whole = np.zeros((len(ours), len(ours)))
    for shares, scale in parts:
        whole += scale * (np.diag(shares) - np.outer(shares, shares))
    steady: Floats = whole + 1e-14 * np.eye(len(ours)) * np.trace(whole)
    return steady


# ----------------------------------------------------------------------
# The base rate of the field, from scores that nobody labelled: by likelihood (Saerens' EM), or by
# how many are flagged.


EM, ADJUSTED = "em", "adjusted-count"
METHODS = (EM, ADJUSTED)
REPLICATES = 2000
THRESHOLD_TOO = Fix(
    'give a threshold, or count again with every score kept (keep="all")',
    "give --threshold, or count again with all scores kept",
)


@dataclass(frozen=True, repr=False)
class PriorEstimate(Interval, Estimated):
    """Which share of unlabelled cases is positive, with which interval?

    `threshold` is where cases were flagged, for an adjusted count; `calibrated_at` the base rate at
    which scores are probabilities, for EM. `check` says whether the assumption behind both, label
    shift only, is contradicted. As a `prior`, its error enters an interval together with that of
    the rates: `interval(counts, "precision", threshold=0.5, prior=estimate)`.
    """

    threshold: float | int | None = None
    calibrated_at: float | None = None
    cases: int = 0
    check: ShiftCheck | None = None
    counts: Counts | None = field(default=None, compare=False, repr=False)
    unlabelled: Unlabelled | None = field(default=None, compare=False, repr=False)
    beside: tuple[tuple[Counts, Unlabelled], ...] = field(default=(), compare=False, repr=False)

    @property
    def shown_threshold(self) -> str:
        """The threshold as it is where it has few digits, and otherwise in as few as flag the same
        cases, labelled and unlabelled.
        """
        cut = self.threshold
        if (
            cut is None
            or self.counts is None
            or self.unlabelled is None
            or float(f"{cut:.6g}") == cut
        ):
            return "" if cut is None else f"{cut:.6g}"
        under = [
            part.scores[part.scores < cut][:1].tolist() for part in (self.counts, self.unlabelled)
        ]
        return short(cut, max((score for scores in under for score in scores), default=-math.inf))


@dataclass(frozen=True)
class PriorEstimates(Viewed):
    """The base rate of the field, estimated by each of several models.

    Attributes
    ----------
    estimates : dict of str to tuple of PriorEstimate
        Of each model; the most likely share comes before the adjusted count.
    sample : float
        The base rate of the labelled cases.
    chosen_by_design : bool
        Were the class totals of the labelled cases fixed by design?

    """

    estimates: Mapping[str, tuple[PriorEstimate, ...]]
    sample: float
    chosen_by_design: bool
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return str(make_view("text", self))


def estimate_prior(  # noqa: PLR0913 (each is a word that users say)
    counts: Counts,
    unlabelled: Unlabelled,
    *,
    method: str | None = None,
    calibrated_at: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> PriorEstimate:
    """Which share of the unlabelled cases is positive, if only the base rate changed?

    "adjusted-count": (share flagged − FPR) / (TPR − FPR), TPR and FPR from the labelled counts, at
    `threshold` or where they add up to 1 (found again in every resample). Any score will do. Forman
    2008, Data Mining and Knowledge Discovery 17; with a hard classifier it is BBSE, Lipton, Wang &
    Smola 2018, ICML. "em", the default where `calibrated_at` is given: the most likely share where
    scores are probabilities at that base rate ("sample" for that of the counts); Saerens, Latinne &
    Decaestecker 2002, Neural Computation 14:21-41. The interval is the percentile bootstrap over
    both samples: the labelled cases by class, and the unlabelled ones.

    >>> import baserate as br
    >>> counts = br.Counts([4, 3, 2, 1], positives=[400, 300, 200, 100], negatives=[100, 300, 800, 2800])
    >>> br.estimate_prior(counts, br.count_unlabelled([4] * 150 + [3] * 300 + [2] * 750 + [1] * 2500))
    Interval: prior 0.04054, 95 % from 0.009208 to 0.07566 (adjusted-count)
    """  # noqa: E501
    how = _checked_method(counts, unlabelled, method, calibrated_at, threshold)
    asked, draws, start = checked_level(level), checked_replicates(replicates), checked_seed(seed)
    few = _check_enough(counts, unlabelled)
    plan = Plan(STRATIFIED, draws, start, progress)
    trained = cut = None
    if how == EM:
        exact = calibration_prior(calibrated_at, counts)
        trained = rounded(exact)
        sampled = isinstance(calibrated_at, str) and exact == calibration_prior("sample", counts)
        value, values = _estimate_by_likelihood(
            unlabelled, trained, counts if sampled else None, plan
        )
    else:
        value, values, cut = _estimate_by_flags(counts, unlabelled, threshold, plan)
    if np.isnan(value):
        fix = Fix("another score, or threshold", "another --score, or --threshold")
        raise refuse(
            "BR537",
            "these scores do not separate the classes, so the base rate cannot be estimated",
            fix,
        )
    left, undefined = undefined_noted(values)
    low, high = percentile_bounds(np.clip(left, 0.0, 1.0), asked, BOTH)
    merged = Points.of(counts).merged.any()
    check = (
        not_checked("scores were merged in these counts", asked)
        if merged
        else check_label_shift(counts, unlabelled)
    )
    notes = (*few, *_note_limited_share(value, high), *undefined, *alike(low, high), *check.notes)
    inside = min(1.0, max(0.0, value))
    return PriorEstimate(
        inside,
        low,
        high,
        asked,
        how,
        name="prior",
        replicates=draws,
        seed=start,
        notes=notes,
        cases=unlabelled.total,
        check=check,
        threshold=cut,
        calibrated_at=trained,
        counts=counts,
        unlabelled=unlabelled,
    )


def _checked_method(
    counts: Any, unlabelled: Any, method: str | None, calibrated_at: Any, threshold: float | None
) -> str:
    if not isinstance(counts, Counts) or not isinstance(unlabelled, Unlabelled):
        text = (
            f"a base rate is estimated from Counts and Unlabelled, got {type(counts).__name__} and"
            f" {type(unlabelled).__name__}"
        )
        raise refuse(
            "BR429", text, "estimate_prior(count(y, scores), count_unlabelled(new_scores))"
        )
    refuse_weights(counts)
    if counts.ledger.corrected != unlabelled.ledger.corrected:
        raise refuse(
            "BR536",
            "the labelled scores were corrected, and the unlabelled ones were not",
            "estimate first, and correct afterwards",
        )
    how = method or (ADJUSTED if calibrated_at is None else EM)
    if how not in METHODS:
        raise refuse(
            "BR581",
            f"a base rate is estimated by {' or '.join(map(quoted, METHODS))}, got"
            f" {quoted(method)}",
            f"method={ADJUSTED!r}",
        )
    if how == EM and calibrated_at is None:
        fix = Fix('calibrated_at=0.5, or "sample"', '--calibrated-at 50%, or "sample"')
        raise refuse(
            "BR507", "EM needs the base rate at which the scores are calibrated probabilities", fix
        )
    if (how == EM and threshold is not None) or (how == ADJUSTED and calibrated_at is not None):
        text = (
            "EM has no threshold"
            if how == EM
            else "an adjusted count takes scores as they are, calibrated or not"
        )
        raise refuse(
            "BR581", text, "leave threshold out" if how == EM else "leave calibrated_at out"
        )
    return how


def _check_enough(counts: Counts, unlabelled: Unlabelled) -> tuple[Note, ...]:
    if unlabelled.total < FEWEST:
        raise refuse(
            "BR590",
            f"only {unlabelled.total} unlabelled cases: too few to resample",
            "give more scores of the field",
        )
    notes = check_enough(counts)
    if unlabelled.total < FEW:
        notes += (Note("BR591", f"only {unlabelled.total} unlabelled cases, {TOO_FEW}"),)
    return notes


def _note_limited_share(value: float, high: float) -> tuple[Note, ...]:
    """A share below 0 or above 1 is taken as 0 or 1, and said."""
    if 0 < value < 1:
        return ()
    text = "more cases are flagged than positives alone would give: the share is taken as 1"
    if value <= 0:
        text = (
            "fewer cases are flagged than negatives alone would give: no positives are seen, and up"
            f" to {high:.4g} are not ruled out"
        )
    return (Note("BR537", text),)


def _estimate_by_flags(
    counts: Counts, unlabelled: Unlabelled, threshold: float | None, plan: Plan
) -> tuple[float, Floats, float | int]:
    """The adjusted count, that of every resample with its cut chosen again, and the cut."""
    if threshold is None:
        what = "the threshold at which cases are flagged is searched among all scores"
        refuse_merged(counts, what, THRESHOLD_TOO)
    else:
        Points.of(counts).place(threshold)  # refused where it cuts through merged scores
    flags = flags_of(counts, unlabelled, threshold)
    parts = flags.positives, flags.negatives, flags.cases
    blocks = [adjusted_count(*drawn)[0] for drawn in _draw_blocks(parts, plan)]
    shares, best = adjusted_count(*(part[None] for part in parts))
    return float(shares[0]), np.concatenate(blocks), flags.thresholds[best[0]].item()


def _estimate_by_likelihood(
    unlabelled: Unlabelled, trained: float, counts: Counts | None, plan: Plan
) -> tuple[float, Floats]:
    """The most likely share, and that of every resample. Where scores are calibrated at the base
    rate of the counts, that is drawn again, too.
    """
    scores = as_probabilities(unlabelled.scores)
    value = float(most_likely(scores, unlabelled.cases[None], trained)[0])
    start = min(0.99, max(0.01, value))
    scores, cases = group_probabilities(scores, unlabelled.cases)
    classes = () if counts is None else (counts.total_positives, counts.total_negatives)
    blocks: list[Floats] = []
    for drawn, *labelled in _draw_blocks((cases, *([np.array(classes)] if classes else [])), plan):
        bases = np.full(len(drawn), trained)
        if labelled:  # none lacks a class
            whole = sum(classes)
            bases = np.clip(labelled[0][:, 0], 1, whole - 1) / whole
        blocks.append(most_likely(scores, drawn, bases, start))
    return value, np.concatenate(blocks)


def _draw_blocks(parts: Sequence[Ints], plan: Plan) -> Iterator[list[Floats]]:
    """Draw the cases of each part again, as many resamples at a time as fit into memory: how often
    each cell was drawn, one row per resample.
    """
    seeds = np.random.SeedSequence((plan.seed, STREAM)).spawn(len(parts))
    samplers = [make_sampler(part, one) for part, one in zip(parts, seeds, strict=True)]
    most = max(1, BLOCK_SIZE // len(parts[0]))
    for first in range(0, plan.replicates, most):
        size = min(most, plan.replicates - first)
        yield [sampler.draw(np.full(size, sampler.total)) for sampler in samplers]
        if plan.progress is not None:
            plan.progress(first + size, plan.replicates)


def describe_estimate(found: PriorEstimate) -> str:
    """How the base rate was found, in words."""
    where = f" at score ≥ {found.shown_threshold}" if found.threshold is not None else ""
    calibrated = (
        f" from scores calibrated at {found.calibrated_at:.4g}"
        if found.calibrated_at is not None
        else ""
    )
    return f"{found.method}{where}{calibrated}, {grouped(found.cases)} unlabelled cases"
