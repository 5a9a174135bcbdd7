"""The curves that the literature has named, each read off the points of a ROC."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.curves.tracing import rounded_thresholds, traced
from baserate.curves.values import Curve
from baserate.decisions.merged import curve_note
from baserate.errors import refuse
from baserate.measures.confusions import along, checked_conditions, label_shift_of, resolved_for
from baserate.measures.values import Measure
from baserate.points import Points

Source = Counts | Points


def _curve(name: str, counts: Source, axes: tuple[str, str], at: Conditions | None = None, *, every: bool, limit: bool = False) -> Curve:
    points = Points.of(counts)
    kept = points if every else points.corners()
    measures, notes = (Measure(axes[0]), Measure(axes[1])), curve_note(kept, every=every)
    return traced(kept, measures, checked_conditions(at), source=counts, name=name, limit=limit, notes=notes)


def _hull(name: str, counts: Source, axes: tuple[str, str], at: Conditions | None = None, *, limit: bool = False) -> Curve:
    hull = Points.of(counts).hull()
    measures, notes = (Measure(axes[0]), Measure(axes[1])), curve_note(hull, hull=True)
    return traced(hull, measures, checked_conditions(at), source=counts, name=name, limit=limit, notes=notes)


def roc(counts: Source, *, every: bool = False) -> Curve:
    """Which share of the positives is flagged, for which share of the negatives? x = fpr, y = tpr.

    From (0, 0), nothing flagged, to (1, 1), everything; (0, 1) is ideal, and the diagonal is guessing. It does not depend on the base
    rate. Straight runs keep their ends only, unless `every` threshold is asked for. Fawcett 2006, Pattern Recognition Letters 27:861-874.

    >>> import baserate as br
    >>> fpr, tpr, thresholds = br.roc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    return _curve("roc", counts, ("fpr", "tpr"), every=every)


def roc_hull(counts: Source) -> Curve:
    """The best that any mixture of thresholds reaches: the upper convex hull of the ROC. x = fpr, y = tpr.

    Every point of it is optimal at some base rate and costs, no other is. Provost & Fawcett 2001, Machine Learning 42:203-231.

    >>> import baserate as br
    >>> br.roc_hull(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).x
    array([0. , 0. , 0.5, 1. ])
    """
    return _hull("roc_hull", counts, ("fpr", "tpr"))


def det(counts: Source, *, every: bool = False) -> Curve:
    """Which share of the positives is missed, for which share of false alarms? x = fpr, y = fnr, drawn on normal deviates.

    Two normal classes give a straight line there. Martin et al. 1997, Eurospeech:1895-1898.

    >>> import baserate as br
    >>> br.det(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y
    array([1. , 0.5, 0.5, 0. , 0. ])
    """
    return _curve("det", counts, ("fpr", "fnr"), every=every)


def pr(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How pure are the alerts, for which share of the positives? x = tpr (recall), y = precision, at any base rate.

    The first point is the limit as less and less is flagged, precision along the first edge of the ROC: no point is invented. Between
    two points lies a curve, not a line; `densified` draws it. The baseline of guessing is the prior. Davis & Goadrich 2006, ICML:233-240.

    >>> import baserate as br
    >>> br.pr(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y.round(3)
    array([1.   , 1.   , 0.5  , 0.667, 0.5  ])
    """
    return _curve("pr", counts, ("tpr", "precision"), at, every=every, limit=True)


def pr_gain(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """Precision and recall as gains over flagging everything. x = recall gain, y = precision gain.

    1 − (prior / (1 − prior)) · FN/TP and the same with FP: 0 is flagging everything, 1 no error, and straight lines of the ROC are straight
    lines here. Points that catch too little have a negative recall gain; where nothing is caught there is none. Flach & Kull 2015, NeurIPS 28.

    >>> import baserate as br
    >>> br.pr_gain(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y
    array([nan, 1. , 0. , 0.5, 0. ])
    """
    return _curve("pr_gain", counts, ("recall_gain", "precision_gain"), at, every=every)


def broc(counts: Source, *, at: Conditions | None = None, hull: bool = True, every: bool = False) -> Curve:
    """Which share of the positives is flagged, for which share of alerts that are false? x = fdr (B_FA), y = tpr: the B-ROC.

    It uncouples the base rate from the data: one curve a prior. On the hull (the default) it rises; the first point is the limit
    (1 − p) / (p·(f′(0⁺) − 1) + 1) as less and less is flagged, which the first edge keeps all along. Guessing is the line x = 1 − prior.
    Cárdenas & Baras 2006.

    >>> import baserate as br
    >>> br.broc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=br.Conditions(prior=0.1)).x.round(3)
    array([0.   , 0.   , 0.818, 0.9  ])
    """
    if not hull:
        return _curve("broc", counts, ("fdr", "tpr"), at, every=every, limit=True)
    return _hull("broc", counts, ("fdr", "tpr"), at, limit=True)


def posfrac_curve(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How many cases must be looked at to find so many positives? x = tpr, y = posfrac, at any base rate.

    Perfect is y = prior · x, guessing y = x. Landgrebe et al. 2004.

    >>> import baserate as br
    >>> br.posfrac_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=br.Conditions(prior=0.1)).y
    array([0.  , 0.05, 0.5 , 0.55, 1.  ])
    """
    return _curve("posfrac", counts, ("tpr", "posfrac"), at, every=every)


def gain_curve(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How many of the positives are in the first so many cases? x = posfrac, y = tpr: cumulative gains.

    Guessing is the diagonal; perfect reaches 1 at x = prior. Provost & Fawcett 2013, Data Science for Business.

    >>> import baserate as br
    >>> br.gain_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).x
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    return _curve("gain", counts, ("posfrac", "tpr"), at, every=every)


def lift_curve(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How many times as many positives as by guessing? x = posfrac, y = lift = precision / prior.

    1 is guessing; 1 / prior is perfect. The first point is the limit. Provost & Fawcett 2013, Data Science for Business.

    >>> import baserate as br
    >>> br.lift_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y.round(3)
    array([2.   , 2.   , 1.   , 1.333, 1.   ])
    """
    return _curve("lift", counts, ("posfrac", "lift"), at, every=every, limit=True)


def ks_curve(counts: Source) -> Curve:
    """How far apart are the classes at each threshold? x = threshold, y = tpr − fpr; its maximum is the KS statistic.

    >>> import baserate as br
    >>> br.ks_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y
    array([0.5, 0. , 0.5, 0. ])
    """
    return _along_scores("ks", counts, Measure("informedness"), None)


def cost_threshold_curve(counts: Source, *, at: Conditions | None = None) -> Curve:
    """What does each threshold cost? x = threshold, y = expected cost a case, at any base rate and costs.

    >>> import baserate as br
    >>> at = br.Conditions(prior=0.1, costs=br.Costs(fp=1, fn=10))
    >>> br.cost_threshold_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=at).y
    array([0.5 , 0.95, 0.45, 0.9 ])
    """
    return _along_scores("cost_threshold", counts, Measure("expected_cost"), checked_conditions(at))


def _along_scores(name: str, counts: Source, measure: Measure, at: Conditions | None) -> Curve:
    """One measure against the threshold itself; flagging nothing has no threshold, and no place on that axis."""
    points = Points.of(counts)
    resolved = None if at is None else resolved_for(points, at, [measure])
    y = along(measure, points, resolved or Conditions())[1:]
    scores = points.scores.astype(np.float64, copy=False)
    notes = (*curve_note(points, every=True), *rounded_thresholds(points), *(label_shift_of(resolved, points) if resolved is not None else ()))
    return Curve._of(name, ("threshold", str(measure)), (scores, y, scores), resolved, counts, notes)


def family(curve: Callable[..., Curve], counts: Source, *, at: Iterable[Conditions], **options: Any) -> list[Curve]:
    """One curve a set of conditions: for base rates that are not known, or vary.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> [float(c.x[2].round(3)) for c in br.family(br.broc, counts, at=[br.Conditions(prior=p) for p in (0.5, 0.1, 0.001)])]
    [0.333, 0.818, 0.998]
    """
    conditions = list(at)
    if not conditions:
        raise refuse("BR519", "a family of curves needs conditions", "at=[Conditions(prior=0.01), Conditions(prior=0.001)]")
    if "at" not in inspect.signature(curve).parameters:
        raise refuse("BR519", f"{curve.__name__} does not depend on conditions: it has no family", "pr, broc, posfrac_curve, …")
    return [curve(counts, at=one, **options) for one in conditions]


def to_broc(fpr: Any, tpr: Any, at: Conditions) -> tuple[Any, Any]:
    """Where ROC points lie in the B-ROC: (fdr, tpr). fdr = (1 − p)·fpr / (p·tpr + (1 − p)·fpr); (0, 0) has no place of its own.

    The edge fpr = 0 maps to fdr = 0, the edge tpr = 1 to 0 … 1 − p, the diagonal to fdr = 1 − p. Cárdenas & Baras 2006, Fig. 5.

    >>> import baserate as br
    >>> br.to_broc([0.0, 0.3, 1.0], [0.5, 0.3, 1.0], br.Conditions(prior=0.25))[0]
    array([0.  , 0.75, 0.75])
    """
    across, up = (np.asarray(values, dtype=np.float64) for values in (fpr, tpr))
    if not isinstance(at, Conditions):
        raise refuse("BR519", f"at must be Conditions, got {type(at).__name__}", "Conditions(prior=0.001)")
    if not (((across >= 0) & (across <= 1)).all() and ((up >= 0) & (up <= 1)).all()):
        raise refuse("BR550", "fpr and tpr must be shares between 0 and 1", "divide percentages by 100")
    odds = at.skew
    false = odds * across
    with np.errstate(invalid="ignore"):
        return false / (up + false), up
