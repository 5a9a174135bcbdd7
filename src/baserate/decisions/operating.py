"""`OperatingPoint`: where a classifier is set, what it flags there, and under which conditions that is read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.cells import Array
from baserate.conditions import Conditions, Cut
from baserate.counts import Counts
from baserate.cuts import short
from baserate.decisions.guarantees import Guarantee
from baserate.errors import quoted
from baserate.measures.confusions import Confusion, between, checked_conditions, confusion_at, label_shift, measure, out_of_range, resolved_for
from baserate.measures.values import Measure, named
from baserate.notations import percent
from baserate.notes import Note, combine
from baserate.points import Points
from baserate.readings import Bounds

How = Literal["threshold", "tie", "mixture", "interpolated", "nearest", "guess", "theory"]
THRESHOLD: How = "threshold"
TIE: How = "tie"
MIXTURE: How = "mixture"
INTERPOLATED: How = "interpolated"
ATTAINED: How = "nearest"
GUESS: How = "guess"
THEORY: How = "theory"
# What a notebook shows of a point.
CLASS_RATES = ("tpr", "fpr")
AT_A_PRIOR = ("precision", "npv", "posfrac")
PER_VOLUME = ("alerts", "caught", "missed")
# How many cases are flagged needs no label: these are read from what was counted, where it was.
COUNTED = ("posfrac", "alerts")


@dataclass(frozen=True)
class OperatingPoint:
    """Where is the classifier set, and what follows?

    Cases with `score >= threshold` are flagged; a threshold of None flags none, one of -inf all of them. Where `share` is below 1, cases
    from `lower_threshold` up to the threshold are flagged too, with that probability, and every number is an expected value; `merged` says
    that those may have several scores. `how` says of which kind the point is, and `in_advance` whether it was set before these cases were
    seen. `bounds` says between which values what was made best lies with every score kept, where bins merged scores; None where it is exact.
    `guarantee` is what holds in the field at this threshold, where that was asked for.
    Outcomes are those of the sample; rates within a class are the sample's too; precision, npv, posfrac and costs are read at `at`. Any
    other measure is `point["mcc"]`. Where cases without labels were scored too, `counted` says how many are flagged of how many in all, and the
    flagged share (posfrac) and alerts are those.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> point = br.choose(counts, "recall >= 0.9", at=br.Conditions(prior=0.01))
    >>> point.threshold, point.tpr, point.fpr, round(point.precision, 4)
    (0.35, 1.0, 0.5, 0.0198)
    """

    threshold: float | None
    confusion: Confusion
    at: Conditions
    how: How = THRESHOLD
    rule: str = ""
    optimized: str = ""
    share: float = 1.0
    lower_threshold: float | None = None
    merged: bool = False
    volume: float | None = None
    best: Confusion | None = None
    worst: Confusion | None = None
    theory: OperatingPoint | None = None
    cut: Cut | None = None
    in_advance: bool = False
    bounds: Bounds | None = None
    # The highest scores below either threshold, by which these are shown in few digits; None where a threshold is shown as it was given.
    below: float | None = field(default=None, compare=False, repr=False)
    lower_below: float | None = field(default=None, compare=False, repr=False)
    counted: tuple[int, int] | None = None
    guarantee: Guarantee | None = None
    # Measures that are shown of the point, besides the usual ones and what it was chosen by.
    shown: tuple[str, ...] = field(default=(), compare=False, repr=False)
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    def __getitem__(self, name: str | Measure) -> float:
        """Any measure at this point and its conditions."""
        asked = named(name, self.volume)
        if self.counted is not None and asked.name in COUNTED:
            return rounded(Fraction(*self.counted) * Fraction(dict(asked.parameters).get("volume", 1)))
        return measure(asked, self.confusion, at=self.at)

    @property
    def tp(self) -> float:
        return _cases(self.confusion.tp)

    @property
    def fp(self) -> float:
        return _cases(self.confusion.fp)

    @property
    def fn(self) -> float:
        return _cases(self.confusion.fn)

    @property
    def tn(self) -> float:
        return _cases(self.confusion.tn)

    @property
    def tpr(self) -> float:
        return self["tpr"]

    @property
    def fpr(self) -> float:
        return self["fpr"]

    @property
    def tnr(self) -> float:
        return self["tnr"]

    @property
    def fnr(self) -> float:
        return self["fnr"]

    @property
    def precision(self) -> float:
        return self["precision"]

    @property
    def npv(self) -> float:
        return self["npv"]

    @property
    def posfrac(self) -> float:
        return self["posfrac"]

    @property
    def expected_cost(self) -> float:
        return self["expected_cost"]

    @property
    def regardless(self) -> float | None:
        """Which share of the cases is flagged whatever their scores: 0 where nothing is flagged, 1 for everything; None where scores decide."""
        if self.how == GUESS:
            return self.share
        if self.threshold is None and self.share == 1:
            return 0.0
        return 1.0 if self.threshold == -math.inf else None

    @property
    def objective(self) -> str:
        """What was optimized; the recall of a budget as the positives caught, where the base rate of all cases is known."""
        caught = self.optimized == "tpr" and self.volume is not None and not (self.confusion.labels_missing and self.at.as_in_sample)
        return "caught" if caught else self.optimized

    def on(self, counts: Counts | Points, at: Conditions | None = None) -> OperatingPoint:
        """The same setting on other cases: what a threshold chosen on development data does on test data.

        >>> import baserate as br
        >>> dev, test = br.count([0, 1], [0.2, 0.9]), br.count([0, 1, 1], [0.1, 0.7, 0.95])
        >>> br.choose(dev).on(test).tpr
        0.5
        """
        points = Points.of(counts)
        given = self.at if at is None else checked_conditions(at)
        confusion = self._flagged(points)
        resolved = resolved_for(points, given)
        notes = combine(points.notes, (*given.notes, *label_shift(resolved, confusion), *out_of_range(points, self.threshold)))
        moved = replace(
            self, confusion=confusion, at=resolved, in_advance=True, best=None, worst=None, theory=None, cut=None, bounds=None, notes=notes
        )
        moved = replace(moved, guarantee=None)
        shown: dict[str, Any] = {
            name: None if known is None else max(known, highest_below(points, points.place(cut)))
            for name, known, cut in (("below", self.below, self.threshold), ("lower_below", self.lower_below, self.lower_threshold))
        }
        moved = replace(moved, counted=flagged_in_all(moved, counts))
        return replace(moved, merged=self.how == TIE and several(points, points.place(self.threshold), self.lower_threshold), **shown)

    def _flagged(self, points: Points) -> Confusion:
        if self.how == GUESS:
            return mixed(points, 0, len(points) - 1, exactly(self.share))
        upper = points.place(self.threshold)
        if self.share == 1:
            return confusion_at(points, upper)
        return mixed(points, upper, points.place(self.lower_threshold), exactly(self.share))

    def __repr__(self) -> str:
        no_prior = self.at.prior is None
        # Without costs the expected cost is the share of errors.
        cost = "expected_cost" if self.at.costs_given else "error"
        known = ("tpr", "fpr") if no_prior else ("tpr", "fpr", "precision", "posfrac", cost)
        rates = ", ".join(f"{name} {self[name]:.4g}" for name in known)
        sure = "" if self.guarantee is None else f"; {self.guarantee} guaranteed at {percent(self.guarantee.level)}"
        return f"OperatingPoint: {setting(self)}{sure}; {rates}; at {'no base rate' if no_prior else self.at}"

    def _repr_html_(self) -> str:
        from baserate.html_tables import cell, table

        rows = [(name, cell(getattr(self, name))) for name in ("tp", "fp", "fn", "tn")]
        cost = "expected_cost" if self.at.costs_given else "error"
        names = (*CLASS_RATES, *((*AT_A_PRIOR, cost) if self.at.prior is not None else ()), *(PER_VOLUME if self.volume is not None else ()))
        rows += [(name, cell(self[name], 4)) for name in names]
        return table(repr(self), ("", "value"), rows)


def flagged_in_all(point: OperatingPoint, counts: Counts | Points) -> tuple[int, int] | None:
    """How many cases are flagged of all that were scored; None where only labelled cases are known.

    In the field, where the base rate was estimated there; or here, with those that have no label, at the sample's own base rate.
    """
    if point.share != 1:
        return None
    if point.at.estimate is not None:
        return point.at.estimate.flagged(counts, point.threshold)
    rest = unlabelled_flagged(point, counts)
    if rest is None or not point.at.as_in_sample:
        return None
    tp, fp, fn, tn = (int(cases) for cases in point.confusion)
    return tp + fp + rest[0], tp + fp + fn + tn + rest[1]


def flagged_along(points: Points, at: Conditions) -> tuple[Array, int] | None:
    """The same at every threshold: how many cases each flags of all that were scored, and how many there are."""
    counts = points.counts
    if counts is None or counts.weighted:
        return None
    if at.estimate is not None:
        field = at.estimate.field_of(counts)
        return None if field is None else (_from_above(field.scores, field.cases, points), field.total)
    rest = counts.unlabelled
    if rest is None or not at.as_in_sample:
        return None
    cases = int(counts.total_positives) + int(counts.total_negatives) + int(rest.total_negatives)
    return points.tp + points.fp + _from_above(rest.scores, rest.negatives, points), cases


def _from_above(scores: Array, cases: Array, points: Points) -> Array:
    """How many of these cases have a score at or above each threshold; none at the first, which flags nothing."""
    above = np.searchsorted(-scores.astype(np.float64), -points.scores.astype(np.float64), side="right")
    return np.concatenate(([0], np.concatenate(([0], np.cumsum(cases)))[above]))


def unlabelled_flagged(point: OperatingPoint, counts: Counts | Points) -> tuple[int, int] | None:
    """How many of the cases without a label are flagged, and how many of them there are."""
    rest = getattr(counts, "unlabelled", None)
    if rest is None or point.share != 1:
        return None
    return (0 if point.threshold is None else int(rest.negatives[rest.scores >= point.threshold].sum())), int(rest.total_negatives)


def setting(point: OperatingPoint) -> str:
    """Where the classifier is set, for a person."""
    if point.how == GUESS:
        return f"flag {_percent(point.share)} of the cases at random"
    if point.regardless is not None:
        return "flag everything" if point.regardless else "flag nothing"
    if point.share == 1:
        return f"score >= {shown_threshold(point)}"
    if point.how == TIE:
        tied = f"{_percent(point.share)} of those {drawn_from(point)}, drawn at random"
        return tied if point.threshold is None else f"score >= {shown_threshold(point)}, and {tied}"
    other = "nothing" if point.threshold is None else f"score >= {shown_threshold(point)}"
    return f"score >= {_lower(point)} for {_percent(point.share)} of the cases, {other} for the rest"


def shown_threshold(point: OperatingPoint) -> str:
    """The threshold in as few digits as flag the same cases; as it was given where it was set by hand."""
    return short(point.threshold, point.below)


def _lower(point: OperatingPoint) -> str:
    return short(point.lower_threshold, point.lower_below)


def brief(point: OperatingPoint) -> str:
    """The same in few words, for a table."""
    if point.regardless is not None:
        return setting(point)
    if point.share == 1:
        return f">= {shown_threshold(point)}"
    if point.how == TIE:
        tied = f"{_percent(point.share)} {f'from {_lower(point)}' if point.merged else f'at {quoted(point.lower_threshold)}'}"
        return tied if point.threshold is None else f">= {shown_threshold(point)}, {tied}"
    other = "nothing" if point.threshold is None else f">= {shown_threshold(point)}"
    return f"{_percent(point.share)} >= {_lower(point)}, else {other}"


def drawn_from(point: OperatingPoint) -> str:
    """Which cases a share is drawn from: those of one score, or of a run that is known only as a whole."""
    if not point.merged:
        return f"at {quoted(point.lower_threshold)}"
    return f"from {_lower(point)} up" + ("" if point.threshold is None else f" to {shown_threshold(point)}")


def set_at(points: Points, place: int, at: Conditions) -> OperatingPoint:
    """The point that flags down to this place among the thresholds."""
    return OperatingPoint(points.threshold(place), confusion_at(points, place), at, below=highest_below(points, place))


def lower_at(points: Points, place: int) -> dict[str, Any]:
    """The lower threshold of a point that flags a share of the cases below the other."""
    return {"lower_threshold": points.threshold(place), "lower_below": highest_below(points, place)}


def highest_below(points: Points, place: int) -> Any:
    """The highest score that the point at this place does not flag: −inf where it flags all, None where scores between points are not known."""
    if points.counts is None:
        return None
    return (points.scores if points.tops is None else points.tops)[place].item() if place < len(points.scores) else -math.inf


def short_on(points: Points, threshold: Any) -> str:
    """A threshold in as few digits as flag the same cases of these."""
    return short(threshold, highest_below(points, points.place(threshold)))


def several(points: Points, upper: int, threshold: float | None) -> bool:
    """Whether cases from this threshold up to the upper point may have other scores than the threshold."""
    lower = points.place(threshold)
    if lower == upper:
        return False
    highest = (points.scores if points.tops is None else points.tops)[upper].item()
    return points.counts is None or highest != threshold


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def mixed(points: Points, upper: int, lower: int, share: Fraction) -> Confusion:
    """What is flagged on average when a share of the cases uses the lower point and the rest the upper one."""
    return between(confusion_at(points, upper), confusion_at(points, lower), share)


def _cases(value: Any) -> float:
    return rounded(value) if isinstance(value, Fraction) else value
