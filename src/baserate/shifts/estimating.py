"""The base rate of the field, from scores that nobody labelled: by likelihood (Saerens' EM), or by how many are flagged."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from baserate.arithmetic import rounded
from baserate.counts import Counts
from baserate.cuts import short
from baserate.errors import Fix, grouped, quoted, refuse
from baserate.exact import Floats, Ints
from baserate.notes import Note
from baserate.points import Points, refuse_merged
from baserate.shifts.checking import ShiftCheck, check_label_shift, not_checked
from baserate.shifts.correcting import calibration_prior
from baserate.shifts.mixtures import Flags, adjusted, flags_of, most_likely
from baserate.shifts.relabelling import as_probabilities
from baserate.spreads import Estimated
from baserate.uncertainty.bootstrap import alike, percentile_bounds, undefined_noted
from baserate.uncertainty.placements import refuse_weights
from baserate.uncertainty.resampling import BLOCK, FEW, FEWEST, Progress, check_enough, checked_replicates, checked_seed
from baserate.uncertainty.values import BOTH, Interval, checked_level
from baserate.unlabelled import Unlabelled

EM, ADJUSTED = "em", "adjusted-count"
METHODS = (EM, ADJUSTED)
REPLICATES = 2000
STREAM = 0x5817
CASES_A_CELL = 4
THRESHOLD_TOO = Fix(
    'give a threshold, or count again with every score kept (keep="all")', "give --threshold, or count again with all scores kept"
)


@dataclass(frozen=True, repr=False)
class PriorEstimate(Interval, Estimated):
    """Which share of unlabelled cases is positive, and between which bounds?

    `threshold` is where cases were flagged, for an adjusted count; `calibrated_at` the base rate at which scores are probabilities, for EM.
    `check` says whether the assumption behind both, label shift only, is contradicted. As the prior of `Uncertain`, its error enters an
    interval together with that of the rates: `interval("precision", counts, threshold=0.5, at=Uncertain(prior=estimate))`.
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
        """The threshold as it is where it has few digits, and otherwise in as few as flag the same cases, labelled and unlabelled."""
        cut = self.threshold
        if cut is None or self.counts is None or self.unlabelled is None or float(f"{cut:.6g}") == cut:
            return "" if cut is None else f"{cut:.6g}"
        under = [part.scores[part.scores < cut][:1].tolist() for part in (self.counts, self.unlabelled)]
        return short(cut, max((score for scores in under for score in scores), default=-math.inf))


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

    "adjusted-count": (share flagged − FPR) / (TPR − FPR), TPR and FPR from the labelled counts, at `threshold` or where they add up to 1 (found
    again in every resample). Any score will do. Forman 2008, Data Mining and Knowledge Discovery 17; with a hard classifier it is
    BBSE, Lipton, Wang & Smola 2018, ICML. "em", the default where `calibrated_at` is given: the most likely share where scores are
    probabilities at that base rate ("sample" for that of the counts); Saerens, Latinne & Decaestecker 2002, Neural Computation 14:21-41.
    The interval is the percentile bootstrap over both samples: the labelled cases by class, and the unlabelled ones.

    >>> import baserate as br
    >>> counts = br.Counts([4, 3, 2, 1], positives=[400, 300, 200, 100], negatives=[100, 300, 800, 2800])
    >>> br.estimate_prior(counts, br.count_unlabelled([4] * 150 + [3] * 300 + [2] * 750 + [1] * 2500))
    Interval: prior 0.04054, 95 % from 0.01012 to 0.07017 (adjusted-count)
    """
    how = _checked_method(counts, unlabelled, method, calibrated_at, threshold)
    asked, draws, start = checked_level(level), checked_replicates(replicates), checked_seed(seed)
    few = _check_enough(counts, unlabelled)
    rng = np.random.default_rng((start, STREAM))
    facts: dict[str, Any] = {}
    if how == EM:
        trained = rounded(calibration_prior(calibrated_at, counts))
        facts["calibrated_at"] = trained
        value, values = _by_likelihood(counts, unlabelled, calibrated_at, draws, rng, progress)
    else:
        if threshold is None:
            refuse_merged(counts, "the threshold at which cases are flagged is searched among all scores", THRESHOLD_TOO)
        else:
            Points.of(counts).place(threshold)  # refused where it cuts through scores that were merged
        flags = flags_of(counts, unlabelled, threshold)
        value, best = (found[0] for found in adjusted(*(part[None] for part in flags[1:])))
        facts["threshold"] = flags.thresholds[best].item()
        values = _by_flags(flags, draws, rng, progress)
    if np.isnan(value):
        fix = Fix("another score, or threshold", "another --score, or --threshold")
        raise refuse("BR537", "these scores do not tell the classes apart: every share of positives would look the same", fix)
    left, undefined = undefined_noted(values)
    low, high = percentile_bounds(np.clip(left, 0.0, 1.0), asked, BOTH)
    merged = Points.of(counts).merged.any()
    check = not_checked("scores were merged in these counts", asked) if merged else check_label_shift(counts, unlabelled)
    notes = (*few, *_limited(float(value), high), *undefined, *alike(low, high), *check.notes)
    inside = min(1.0, max(0.0, float(value)))
    facts |= {"counts": counts, "unlabelled": unlabelled}
    return PriorEstimate(
        inside, low, high, asked, how, name="prior", replicates=draws, seed=start, notes=notes, cases=unlabelled.total, check=check, **facts
    )


def _checked_method(counts: Any, unlabelled: Any, method: str | None, calibrated_at: Any, threshold: float | None) -> str:
    if not isinstance(counts, Counts) or not isinstance(unlabelled, Unlabelled):
        text = f"a base rate is estimated from Counts and Unlabelled, got {type(counts).__name__} and {type(unlabelled).__name__}"
        raise refuse("BR228", text, "estimate_prior(count(y, scores), count_unlabelled(new_scores))")
    refuse_weights(counts)
    if counts.ledger.corrected != unlabelled.ledger.corrected:
        raise refuse("BR536", "the labelled scores were corrected, and the unlabelled ones were not", "estimate first, and correct afterwards")
    how = method or (ADJUSTED if calibrated_at is None else EM)
    if how not in METHODS:
        raise refuse("BR581", f"a base rate is estimated by {' or '.join(map(quoted, METHODS))}, got {quoted(method)}", f"method={ADJUSTED!r}")
    if how == EM and calibrated_at is None:
        fix = Fix('calibrated_at=0.5, or "sample"', '--calibrated-at 50%, or "sample"')
        raise refuse("BR507", "EM needs the base rate at which the scores are calibrated probabilities", fix)
    if (how == EM and threshold is not None) or (how == ADJUSTED and calibrated_at is not None):
        text = "EM has no threshold" if how == EM else "an adjusted count takes scores as they are, calibrated or not"
        raise refuse("BR581", text, "leave threshold out" if how == EM else "leave calibrated_at out")
    return how


def _check_enough(counts: Counts, unlabelled: Unlabelled) -> tuple[Note, ...]:
    if unlabelled.total < FEWEST:
        raise refuse("BR590", f"only {unlabelled.total} unlabelled cases: too few to resample", "give more scores of the field")
    few = check_enough(counts)
    if unlabelled.total >= FEW:
        return few
    return (*few, Note("BR591", f"only {unlabelled.total} unlabelled cases: a bootstrap of so few is rough"))


def _limited(value: float, high: float) -> tuple[Note, ...]:
    """A share below 0 or above 1 is taken as 0 or 1, and said."""
    if 0 < value < 1:
        return ()
    text = f"fewer cases are flagged than negatives alone would give: no positives are seen, and up to {high:.4g} are not ruled out"
    return (Note("BR537", text if value <= 0 else "more cases are flagged than positives alone would give: the share is taken as 1"),)


def _by_flags(flags: Flags, draws: int, rng: np.random.Generator, progress: Progress | None) -> Floats:
    """The adjusted count of every resample, its cut chosen again."""

    def work(count: int) -> Floats:
        return adjusted(*(_drawn_again(part, count, rng) for part in flags[1:]))[0]

    return _in_blocks(work, draws, len(flags.cases), progress)


def _by_likelihood(
    counts: Counts, unlabelled: Unlabelled, calibrated_at: Any, draws: int, rng: np.random.Generator, progress: Progress | None
) -> tuple[float, Floats]:
    """The most likely share, and that of every resample: of the unlabelled cases, and of the class totals where calibration is theirs."""
    scores = as_probabilities(unlabelled.scores)
    exact = calibration_prior(calibrated_at, counts)
    trained, whole = float(exact), int(counts.total_positives + counts.total_negatives)
    sampled = isinstance(calibrated_at, str) and exact == calibration_prior("sample", counts)

    def densities(prior: float | Floats) -> tuple[Floats, Floats]:
        return scores / prior, (1 - scores) / (1 - prior)

    value = float(most_likely(*densities(trained), unlabelled.cases[None].astype(np.float64))[0])
    start = min(0.99, max(0.01, value))

    def work(count: int) -> Floats:
        again = _drawn_again(unlabelled.cases, count, rng).astype(np.float64)
        drawn = np.clip(rng.binomial(whole, trained, (count, 1)), 1, whole - 1) / whole if sampled else trained
        return most_likely(*densities(drawn), again, start)

    return value, _in_blocks(work, draws, len(scores), progress)


def _drawn_again(cases: Ints, count: int, rng: np.random.Generator) -> Ints:
    """So many resamples of the cases in these cells: case by case where they are few a cell, which is several times as fast as cell by cell."""
    total, cells = int(cases.sum()), len(cases)
    if total > CASES_A_CELL * cells:
        return rng.multinomial(total, cases / total, count)
    cell_of = np.repeat(np.arange(cells), cases)
    picked = cell_of[rng.integers(total, size=(count, total))] + cells * np.arange(count)[:, None]
    return np.bincount(picked.ravel(), minlength=count * cells).reshape(count, cells)


def _in_blocks(work: Callable[[int], Floats], draws: int, width: int, progress: Progress | None) -> Floats:
    """So many draws, as many at a time as memory likes."""
    rows, found = max(1, BLOCK // max(1, width)), list[Floats]()
    for first in range(0, draws, rows):
        found.append(work(min(rows, draws - first)))
        if progress is not None:
            progress(min(first + rows, draws), draws)
    return np.concatenate(found)


def told(found: PriorEstimate) -> str:
    """How the base rate was found, in words."""
    where = f" at score >= {found.shown_threshold}" if found.threshold is not None else ""
    calibrated = f" from scores calibrated at {found.calibrated_at:.4g}" if found.calibrated_at is not None else ""
    return f"{found.method}{where}{calibrated}, {grouped(found.cases)} unlabelled cases"
