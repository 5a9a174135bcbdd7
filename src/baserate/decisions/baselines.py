"""The ideal baseline: the line in ROC space that a classifier must beat to be worth more than one answer for all."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.errors import quoted, refuse
from baserate.measures.confusions import Confusion, checked_conditions
from baserate.notes import Note
from baserate.points import Points


@dataclass(frozen=True)
class Baseline:
    """The points that cost as much as the cheaper answer for all: the line with `slope` through (0, 0) or (1, 1).

    `answer` is the cheaper one, "nothing" or "everything"; `intercept` is the tpr of the line at fpr 0. Above the line a classifier is
    worth considering.
    """

    slope: float
    answer: str
    at: Conditions
    notes: tuple[Note, ...] = ()

    @property
    def _exact_slope(self) -> Fraction:
        loss, nuisance = self.at.at_stake
        return nuisance / loss

    @property
    def intercept(self) -> float:
        return self.tpr(0)

    def tpr(self, fpr: float) -> float:
        """The tpr that is needed at this fpr (it may lie outside [0, 1], where no classifier can)."""
        try:
            across = exactly(fpr)
        except (TypeError, ValueError, OverflowError):
            across = Fraction(-1)
        if not 0 <= across <= 1:
            raise refuse("BR542", f"fpr lies between 0 and 1, got {quoted(fpr)}", "give a share")
        return rounded(self._needed(across))

    def _needed(self, fpr: Fraction) -> Fraction:
        return 1 - self._exact_slope * (1 - fpr) if self.answer == "everything" else self._exact_slope * fpr

    def beaten_by(self, point: OperatingPoint | Confusion) -> bool:
        """Whether the point lies above the line: cheaper than either answer for all."""
        confusion = point.confusion if isinstance(point, OperatingPoint) else point
        if not isinstance(confusion, Confusion):
            raise refuse("BR551", f"a line is beaten by an operating point, got {type(point).__name__}", "beaten_by(choose(counts))")
        positives, negatives = exactly(confusion.tp) + exactly(confusion.fn), exactly(confusion.fp) + exactly(confusion.tn)
        if not positives or not negatives:
            raise refuse("BR552", "a ROC point needs cases of both classes", "add cases")
        return exactly(confusion.tp) / positives > self._needed(exactly(confusion.fp) / negatives)


def ideal_baseline(at: Conditions, counts: Counts | Points | None = None) -> Baseline:
    """What must a classifier reach to beat flagging nothing and flagging everything? Weng & Poon 2008 §4.

    With m the iso-cost slope, cost ratio over class ratio: the line 1 − m·(1 − fpr) through (1, 1) where flagging everything is
    cheaper (m ≤ 1), and m·fpr through (0, 0) where flagging nothing is. `counts` are needed only for a prior as in the sample.

    >>> import baserate as br
    >>> at = br.Conditions(prior=0.2, costs=br.Costs(fp=1, fn=5))    # 100 positives, 400 negatives
    >>> br.ideal_baseline(at).intercept
    0.2
    """
    conditions = checked_conditions(at)
    if conditions.as_in_sample:
        if counts is None and conditions.prior is None:
            raise refuse("BR509", "the prior is the sample's own, and no counts are given", "ideal_baseline(at, counts), or a prior")
        points = Points.of(counts) if counts is not None else None
        conditions = conditions if points is None else conditions.within(points.exact_prior, points.why_no_prior)
    slope = conditions.iso_cost_slope
    notes: tuple[Note, ...] = ()
    if conditions.at_stake[1] > conditions.at_stake[0]:
        text = f"the cost ratio exceeds the class ratio (slope {slope:.6g} > 1): flagging nothing is cheaper, so the line starts at (0, 0)"
        notes = (Note("BR553", text),)
    return Baseline(slope, "nothing" if notes else "everything", conditions, notes)
