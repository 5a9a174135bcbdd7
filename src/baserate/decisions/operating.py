"""`OperatingPoint`: where a classifier is set, what it flags there, and under which conditions that is read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions, Cut
from baserate.counts import Counts
from baserate.errors import quoted
from baserate.measures.confusions import Confusion, between, checked_conditions, confusion_at, label_shift, measure, out_of_range, resolved_for
from baserate.measures.values import Measure, named
from baserate.notes import Note, combine
from baserate.points import Points

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
AT_A_PRIOR = ("precision", "npv", "posfrac", "expected_cost")
PER_VOLUME = ("alerts", "caught", "missed")
# How many cases are flagged needs no label: these are read from what was counted, where it was.
COUNTED = ("posfrac", "alerts")


@dataclass(frozen=True)
class OperatingPoint:
    """Where is the classifier set, and what follows?

    Cases with `score >= threshold` are flagged; a threshold of None flags nothing. Where `share` is below 1, cases below `certain` are
    flagged with that probability only, and every number is an expected value; `merged` says that those may have several scores, from
    `threshold` up to `certain`. `how` says of which kind the point is, and `in_advance` whether it was set before these cases were seen.
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
    certain: float | None = None
    merged: bool = False
    volume: float | None = None
    best: Confusion | None = None
    worst: Confusion | None = None
    theory: OperatingPoint | None = None
    cut: Cut | None = None
    in_advance: bool = False
    counted: tuple[int, int] | None = None
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
        moved = replace(self, confusion=confusion, at=resolved, in_advance=True, best=None, worst=None, theory=None, cut=None, notes=notes)
        moved = replace(moved, counted=flagged_in_all(moved, counts))
        return replace(moved, merged=self.how == TIE and several(points, points.place(self.certain), self.threshold))

    def _flagged(self, points: Points) -> Confusion:
        if self.how == GUESS:
            return mixed(points, 0, len(points) - 1, exactly(self.share))
        lower = points.place(self.threshold)
        if self.share == 1:
            return confusion_at(points, lower)
        return mixed(points, points.place(self.certain), lower, exactly(self.share))

    def __repr__(self) -> str:
        no_prior = self.at.prior is None
        known = ("tpr", "fpr") if no_prior else ("tpr", "fpr", "precision", "posfrac", "expected_cost")
        rates = ", ".join(f"{name} {self[name]:.4g}" for name in known)
        return f"OperatingPoint: {setting(self)}; {rates}; at {'no base rate' if no_prior else self.at}"

    def _repr_html_(self) -> str:
        from baserate.html_tables import cell, table

        rows = [(name, cell(getattr(self, name))) for name in ("tp", "fp", "fn", "tn")]
        names = (*CLASS_RATES, *(AT_A_PRIOR if self.at.prior is not None else ()), *(PER_VOLUME if self.volume is not None else ()))
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
    if point.threshold is None:
        return "flag nothing"
    if point.share == 1:
        return f"score >= {quoted(point.threshold)}"
    if point.how == TIE:
        tied = f"{_percent(point.share)} of those {drawn_from(point)}, drawn at random"
        return tied if point.certain is None else f"score >= {quoted(point.certain)}, and {tied}"
    other = "nothing" if point.certain is None else f"score >= {quoted(point.certain)}"
    return f"score >= {quoted(point.threshold)} for {_percent(point.share)} of the cases, {other} for the rest"


def brief(point: OperatingPoint) -> str:
    """The same in few words, for a table."""
    if point.how == GUESS or point.threshold is None:
        return setting(point)
    if point.share == 1:
        return f">= {quoted(point.threshold)}"
    if point.how == TIE:
        tied = f"{_percent(point.share)} {'from' if point.merged else 'at'} {quoted(point.threshold)}"
        return tied if point.certain is None else f">= {quoted(point.certain)}, {tied}"
    other = "nothing" if point.certain is None else f">= {quoted(point.certain)}"
    return f"{_percent(point.share)} >= {quoted(point.threshold)}, else {other}"


def drawn_from(point: OperatingPoint) -> str:
    """Which cases a share is drawn from: those of one score, or of a run that is known only as a whole."""
    if not point.merged:
        return f"at {quoted(point.threshold)}"
    return f"from {quoted(point.threshold)} up" + ("" if point.certain is None else f" to {quoted(point.certain)}")


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
