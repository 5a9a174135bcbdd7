"""`Points`: what every threshold flags. The first point flags nothing, the last flags
everything.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.counts.cells import Array, lowest_score, next_below, upper_hull
from baserate.counts.counts import Counts
from baserate.errors import CASE_CONTROL, Fix, InputError, Ledger, Note, grouped, quoted, refuse
from baserate.numbers import INT64_MAX, Floats, Frozen, exactly, running_sums

ONLY_RATES = "only rates are known, not how many cases there were of each class"
EVERY_SCORE = Fix(
    'count again with every score kept (keep="all")',
    "count again with all scores kept (more --memory)",
)
LABELS_MISSING = (
    "some cases have no label, and the base rate of the labelled cases need not be that of all"
    " cases"
)
CHOSEN_TOTALS = (
    "the class totals were chosen (design='case-control'): the sample's prior is not a base rate"
)


class Points(Frozen):
    """How many positives and negatives does each threshold flag?

    `tp` and `fp` rise from nothing flagged to everything flagged, in step with `thresholds`, whose
    first entry is NaN: no threshold, nothing flagged. Rates are derived. Made from counts, or from
    a published ROC with `Points.from_rates`.

    >>> import baserate as br
    >>> points = br.Points.of(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> points.tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> points.hull()
    Points: 4 points of 2 positives, 2 negatives
    """

    scores: Array
    tp: Array
    fp: Array
    total_positives: int | float
    total_negatives: int | float
    why_no_prior: str
    tops: Array | None
    # Where cases are weighted: what passes, summed from below, as taking it from the whole would
    # cancel.
    passed: tuple[Array, Array] | None
    _counts: Counts | None

    def __init__(self) -> None:
        raise TypeError("Points are made by Points.of(counts) or Points.from_rates(fpr, tpr)")

    @classmethod
    def _of(  # noqa: PLR0913, PLR0917 (the parts of one value)
        cls,
        scores: Array,
        tp: Array,
        fp: Array,
        totals: tuple[Any, Any],
        counts: Counts | None = None,
        why_no_prior: str = "",
        tops: Array | None = None,
        passed: tuple[Array, Array] | None = None,
    ) -> Points:
        """One score less than points, as the first flags nothing; `why_no_prior` says why there is
        none, `tops` what cells merged.
        """
        return cls._make(
            scores=scores,
            tp=tp,
            fp=fp,
            total_positives=totals[0],
            total_negatives=totals[1],
            _counts=counts,
            why_no_prior=why_no_prior,
            tops=tops,
            passed=passed,
        )

    @property
    def _totals(self) -> tuple[Any, Any]:
        return self.total_positives, self.total_negatives

    @property
    def labels_missing(self) -> bool:
        """Whether the cases without a label were left out: how many positives there are among all
        cases is then not known.
        """
        return self._counts is not None and self._counts.labels_missing

    @property
    def negated(self) -> bool:
        """Whether scores were negated before they were counted."""
        return self._counts is not None and self._counts.negated

    @property
    def ledger(self) -> Ledger | None:
        """Of the counts that these are the points of; none for a published ROC."""
        return None if self._counts is None else self._counts.ledger

    @classmethod
    def of(cls, counts: Counts | Points) -> Points:
        """Every operating point of these counts."""
        if isinstance(counts, Points):
            return counts
        if not isinstance(counts, Counts):
            raise refuse(
                "BR429",
                f"points are made of Counts, got {type(counts).__name__}",
                "count(...), joint.marginal(name), or groups[name]",
            )
        return counts._derived("_points", lambda: cls._of_counts(counts))

    @classmethod
    def _of_counts(cls, counts: Counts) -> Points:
        totals = (counts.total_positives, counts.total_negatives)
        tp, fn = _running(counts.positives, counts.total_positives)
        fp, tn = _running(counts.negatives, counts.total_negatives)
        why = CHOSEN_TOTALS if counts.ledger.design == CASE_CONTROL else ""
        passed = None if fn is None or tn is None else (fn, tn)
        return cls._of(counts.scores, tp, fp, totals, counts, why, _tops(counts), passed)

    @classmethod
    def from_rates(
        cls, fpr: npt.ArrayLike, tpr: npt.ArrayLike, thresholds: npt.ArrayLike | None = None
    ) -> Points:
        """The points of a published ROC; the corners (0, 0) and (1, 1) are added where they are
        missing.

        The sample's prior is then unknown: whatever depends on it needs `at`. Without thresholds,
        points are numbered by their place.

        >>> import baserate as br
        >>> ids = br.Points.from_rates(fpr=[0.01], tpr=[1.0])
        >>> br.measure(ids, "precision", threshold=ids.threshold(1), at=br.Conditions(prior=1e-5))
        0.0009990109791306607
        """
        across, up = _rates(fpr, "fpr"), _rates(tpr, "tpr")
        if len(across) != len(up) or not len(across):
            raise refuse(
                "BR550",
                f"a ROC needs as many fpr as tpr, got {len(across)} and {len(up)}",
                "give two arrays of one length",
            )
        if (np.diff(across) < 0).any() or (np.diff(up) < 0).any():
            row = int(np.argmax((np.diff(across) < 0) | (np.diff(up) < 0))) + 1
            raise refuse(
                "BR550",
                "a ROC rises: fpr and tpr must not fall from one point to the next",
                "sort the points by fpr, then tpr",
                [row],
            )
        first, last = bool(across[0] > 0 or up[0] > 0), bool(across[-1] < 1 or up[-1] < 1)
        cuts = _thresholds(thresholds, len(across), first=not first)
        across, up = (
            np.concatenate(([0.0] * first, rates, [1.0] * last)) for rates in (across, up)
        )
        cuts = np.concatenate((cuts if first else cuts[1:], [-math.inf] * last))
        return cls._of(cuts, up, across, (1.0, 1.0), None, ONLY_RATES)

    def __len__(self) -> int:
        return len(self.tp)

    def total(self) -> Points:
        """All cases together: these, as of counts."""
        return self

    @cached_property
    def thresholds(self) -> Floats:
        """The score of each point, NaN where nothing is flagged. Integers beyond 2^53 are rounded
        here, not by `threshold`.
        """
        return _read_only(np.concatenate(([math.nan], self.scores.astype(np.float64, copy=False))))

    def threshold(self, index: int) -> float | int | None:
        """The exact threshold of one point, None where nothing is flagged."""
        place = range(len(self))[index]
        return self.scores[place - 1].item() if place else None

    @property
    def counts(self) -> Counts | None:
        """The counts that the points are of; None for a published ROC."""
        return self._counts

    @property
    def notes(self) -> tuple[Note, ...]:
        """What there is to say of the counts that the points are of."""
        return () if self._counts is None else self._counts.notes

    @cached_property
    def merged(self) -> npt.NDArray[np.bool_]:
        """The edges inside which the exact scores may have thresholds that are not known here; edge
        i leads from point i to point i + 1.

        Corners and hull are the same for condensed counts as for the exact ones, so nothing is
        unknown of them.
        """
        counts = self._counts
        if (
            counts is None
            or self.tops is None
            or not counts.condensed
            or len(self.scores) != len(counts.scores)
        ):
            return np.zeros(len(self) - 1, dtype=np.bool_)
        together = self.tops > self.scores
        # One case alone has one score.
        return (
            together & (np.diff(self.tp) + np.diff(self.fp) > 1)
            if self.tp.dtype == np.int64
            else together
        )

    @property
    def fn(self) -> Array:
        return self.total_positives - self.tp if self.passed is None else self.passed[0]

    @property
    def tn(self) -> Array:
        return self.total_negatives - self.fp if self.passed is None else self.passed[1]

    @cached_property
    def tpr(self) -> Floats:
        return _read_only(_share(self.tp, self.total_positives))

    @cached_property
    def fpr(self) -> Floats:
        return _read_only(_share(self.fp, self.total_negatives))

    @property
    def prior(self) -> float:
        """The share of positives in the sample; NaN where only rates are known."""
        whole = self.total_positives + self.total_negatives
        return (
            math.nan
            if self.why_no_prior == ONLY_RATES or not whole
            else self.total_positives / whole
        )

    @property
    def exact_prior(self) -> float | Fraction:
        """The same as a fraction."""
        if math.isnan(self.prior):
            return math.nan
        positives, negatives = exactly(self.total_positives), exactly(self.total_negatives)
        return positives / (positives + negatives)

    def counted(self, index: int) -> tuple[Any, Any, Any, Any]:
        """(tp, fp, fn, tn) at one point."""
        tp, fp = self.tp[index].item(), self.fp[index].item()
        if self.passed is not None:
            return tp, fp, self.passed[0][index].item(), self.passed[1][index].item()
        return tp, fp, self.total_positives - tp, self.total_negatives - fp

    def place(self, threshold: float | None) -> int:
        """The point that flags `score >= threshold`; None flags nothing."""
        cut = None if threshold is None else lowest_score(threshold, self.scores.dtype)
        if cut is None:
            return 0
        flagged = len(self.scores) - int(np.searchsorted(self.scores[::-1], cut, side="left"))
        if self.tops is not None and flagged < len(self.scores) and cut <= self.tops[flagged]:
            near = f"{quoted(self.scores[flagged].item())}" + (
                f" or {quoted(self.scores[flagged - 1].item())}" if flagged else ""
            )
            text = (
                f"threshold {quoted(threshold)} cuts through merged scores: these counts are"
                " condensed there"
            )
            raise refuse("BR229", text, f"use {near}, or count with every score kept")
        return flagged

    def hull(self) -> Points:
        """The points on the upper convex hull of the ROC: no straight line between two other points
        lies above or through them.

        Its edges are the blocks of pooled adjacent violators (PAV); any point on an edge is reached
        by mixing its two ends. Provost & Fawcett 2001, Machine Learning 42:203-231.
        """
        return self._hull

    @cached_property
    def _hull(self) -> Points:
        return self.only(self.hull_places)

    @cached_property
    def hull_places(self) -> npt.NDArray[np.intp]:
        """Where the corners of the hull lie among these points."""
        # Only where the ROC turns can a corner of the hull be.
        turns: npt.NDArray[np.intp] = self._turns
        return turns[upper_hull(self.fp[turns], self.tp[turns])]

    def corners(self) -> Points:
        """The points at which the ROC turns: what lies on a straight horizontal or vertical run
        between two others is left out.
        """
        return self._corners

    @cached_property
    def _corners(self) -> Points:
        return self if len(self._turns) == len(self) else self.only(self._turns)

    @cached_property
    def _turns(self) -> Any:
        across, up = self.fp[1:] != self.fp[:-1], self.tp[1:] != self.tp[:-1]
        # Straight on: both steps go only across, or both only up.
        straight = ((across[:-1] & across[1:]) & ~(up[:-1] | up[1:])) | (
            (up[:-1] & up[1:]) & ~(across[:-1] | across[1:])
        )
        kept = np.ones(len(self), dtype=np.bool_)
        kept[1:-1] = ~straight
        return np.flatnonzero(kept)

    def only(self, kept: Any) -> Points:
        """These points alone, the first and the last among them; a threshold between two of them is
        refused, not rounded.
        """
        return Points._of(
            self.scores[kept[1:] - 1],
            self.tp[kept],
            self.fp[kept],
            self._totals,
            self._counts,
            self.why_no_prior,
            # A threshold between two points flags more than the upper one says: the scores in
            # between are merged.
            (self.scores if self.tops is None else self.tops)[kept[:-1]],
            None if self.passed is None else (self.passed[0][kept], self.passed[1][kept]),
        )

    def block(self, part: slice) -> Points:
        """Some of the points in a row: for reading measures there, without thresholds."""
        tp, fp = self.tp[part], self.fp[part]
        if self.passed is not None:
            return self.mixture(tp, fp, self.passed[0][part], self.passed[1][part])
        return self.mixture(tp, fp, self.total_positives - tp, self.total_negatives - fp)

    def mixture(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Points:
        """Points that mix these: for reading measures between them, without thresholds."""
        return Points._of(
            np.empty(0), tp, fp, self._totals, self._counts, self.why_no_prior, None, (fn, tn)
        )

    def __repr__(self) -> str:
        if self.why_no_prior == ONLY_RATES:
            return f"Points: {grouped(len(self))} points of a ROC known by its rates"
        classes = (
            f"{grouped(self.total_positives)} positives, {grouped(self.total_negatives)} negatives"
        )
        return f"Points: {grouped(len(self))} points of {classes}"


def refuse_merged(counts: Counts | Points, what: str, fix: Fix = EVERY_SCORE) -> None:
    """Condensed counts, in which runs of negatives were merged, cannot answer this."""
    if Points.of(counts).merged.any():
        raise exact_scores_needed(f"{what}, and scores were merged in these counts", fix)


def exact_scores_needed(text: str, fix: Fix = EVERY_SCORE) -> InputError:
    """The refusal of what only exact scores can tell."""
    return refuse("BR231", text, fix)


def _running(values: Array, whole: float) -> tuple[Array, Array | None]:
    """What each point flags, and where masses are summed, what it passes."""
    if values.dtype == np.int64:
        cases = np.zeros(len(values) + 1, dtype=np.int64)
        np.cumsum(values, out=cases[1:])
        return cases, None
    flagged, passed = (
        np.concatenate((np.zeros(1), running_sums(column))) for column in (values, values[::-1])
    )
    flagged[-1] = passed[-1] = whole
    return flagged, passed[::-1].copy()


def _tops(counts: Counts) -> Array | None:
    """The highest score that each cell may have merged; None where every cell is one score."""
    if not counts.condensed:
        return None
    scores, cuts = counts.scores, counts.cuts
    if not len(scores):
        return scores
    highest = INT64_MAX if scores.dtype == np.int64 else math.inf
    above = np.concatenate(([highest], next_below(scores[:-1]))).astype(scores.dtype)
    if cuts is not None:
        # A run ends below the lowest cut above it.
        place = np.searchsorted(cuts, scores, side="right")
        ended = place < len(cuts)
        above[ended] = np.minimum(above[ended], next_below(cuts[place[ended]]))
    return np.where(counts.positives > 0, scores, above)


def _read_only(values: Floats) -> Floats:
    values.flags.writeable = False
    return values


def _share(part: Array, whole: float) -> Floats:
    return part / whole if whole else np.full(len(part), math.nan)


def _rates(values: npt.ArrayLike, name: str) -> Floats:
    try:
        given = np.asarray(values)
        rates = np.array(
            values if given.dtype.kind in "iuf" else [math.nan], dtype=np.float64, ndmin=1
        )
    except (TypeError, ValueError, OverflowError):
        rates = np.array([math.nan])
    inside = (rates >= 0) & (rates <= 1)  # which NaN is not
    if rates.ndim != 1 or not inside.all():
        wrong = np.flatnonzero(~inside) if rates.ndim == 1 else np.empty(0, dtype=np.intp)
        shown = quoted(rates[wrong[0]].item()) if len(wrong) else "something else"
        raise refuse(
            "BR550",
            f"{name} must be shares between 0 and 1, got {shown}",
            "divide percentages by 100",
            wrong,
        )
    return rates


def _thresholds(values: npt.ArrayLike | None, count: int, *, first: bool) -> Floats:
    """Thresholds that fall from point to point; without any, the negative place, so that lower
    still flags more.
    """
    if values is None:
        return -np.arange(1, count + 1, dtype=np.float64)
    try:
        cuts = np.array(values, dtype=np.float64, ndmin=1)
    except (TypeError, ValueError):
        cuts = np.empty(0)
    # Where the first point is (0, 0), its threshold is above every score, or none at all.
    known = cuts[1:] if first else cuts
    if (
        len(cuts) != count
        or np.isnan(known).any()
        or (np.diff(known) >= 0).any()
        or (first and count > 1 and cuts[0] <= cuts[1])
    ):
        raise refuse(
            "BR550",
            "thresholds must fall from point to point, a number for each",
            "give them in the order of the points",
        )
    return cuts
