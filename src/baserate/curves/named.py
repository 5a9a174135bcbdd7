"""The curves of the literature by name: ROC, PR, B-ROC, DET, cost, decision, gain, lift,
reliability and others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np

from baserate import notation
from baserate.conditions import Conditions, checked_conditions
from baserate.counts.amounts import Amounts, check_amounts
from baserate.counts.cells import ROUNDING, Array
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.curve import Curve, rounded_thresholds, trace_points
from baserate.decisions.amount_costs import Priced, Prices, checked_recovered, checked_review
from baserate.decisions.merged import curve_note
from baserate.errors import Fix, Note, check_corrected_once, refuse
from baserate.measures.confusion import (
    Measure,
    at_prior,
    label_shift_of,
    measure_along,
    resolved_for,
)
from baserate.measures.registry import CATALOGUE
from baserate.notation import WholeCheck, checked_volume
from baserate.numbers import Floats, exactly, rounded

# ----------------------------------------------------------------------
# Costs and amounts against the threshold, where every case has its own amount.


Along = Callable[[Priced, Prices], Floats]


def amount_cost_curve(
    amounts: Amounts,
    *,
    review: float,
    recovered: float = 1,
    at: Conditions | None = None,
    volume: float | None = None,
) -> Curve:
    """What does each threshold cost, if every alert costs a review and every miss its own amount? x
    = threshold, y = cost.

    Over `volume` cases, or as many as the sample has. Turned round in its sign it is the profit of
    a cut-off.

    >>> import baserate as br
    >>> amounts = br.count([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], amount=[1000, 50, 20, 500, 300, 10])
    >>> br.curve(amounts, "amount_cost", review=150).y
    array([470., 620., 750., 900., 750., 900.])
    """  # noqa: E501
    return _amount_curve(
        "amount_cost", "cost", amounts, Priced.costs, (review, recovered, at, volume)
    )


def amount_missed_curve(
    amounts: Amounts, *, at: Conditions | None = None, volume: float | None = None
) -> Curve:
    """How much money does each threshold miss? x = threshold, y = the amount on positives below it.

    >>> import baserate as br
    >>> amounts = br.count([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], amount=[1000, 50, 20, 500, 300, 10])
    >>> br.curve(amounts, "amount_missed").y
    array([320., 320., 300., 300.,   0.,   0.])
    """  # noqa: E501
    return _amount_curve(
        "amount_missed", "amount missed", amounts, Priced.missed, (0, 1, at, volume)
    )


def _amount_curve(
    name: str,
    label: str,
    amounts: Amounts,
    values: Along,
    asked: tuple[Any, Any, Conditions | None, float | None],
) -> Curve:
    """Flagging nothing has no threshold, and no place on that axis."""
    review, recovered, at, volume = asked
    priced, given = Priced.of(check_amounts(amounts)), checked_conditions(at)
    prices = Prices.of(
        priced.points,
        given,
        checked_review(review),
        checked_recovered(recovered),
        checked_volume(volume),
    )
    scores = priced.points.scores.astype(np.float64, copy=False)
    notes = (*rounded_thresholds(priced.points), *label_shift_of(prices.at, priced.points))
    costs = values(priced, prices)[1:]
    return Curve(name, "threshold", label, scores, costs, scores, prices.at, amounts.counts, notes)


# ----------------------------------------------------------------------
# Scores that are probabilities: some curves and summaries need them to be.


def as_probabilities(scores: Array) -> Floats:
    """Scores that are probabilities, as floats; what lies outside by rounding is taken as 0 or 1,
    and anything else refused.
    """
    values = scores.astype(np.float64)
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if not (low >= -ROUNDING and high <= 1 + ROUNDING):
        raise refuse(
            "BR507",
            f"these scores are not probabilities: they span {low:.6g} to {high:.6g}",
            "divide percentages by 100; turn logits into probabilities",
        )
    return np.clip(values, 0.0, 1.0)


def calibration_prior(calibrated_at: Any, sample: Counts | Points | None) -> Fraction:
    """The base rate at which scores are probabilities, exactly; "sample" is that of the counts."""
    written = notation.parse_prior(calibrated_at)
    if written is not None:
        return written.value
    if sample is None:
        raise refuse(
            "BR507",
            "the sample has no base rate of its own to be calibrated at",
            "calibrated_at=0.5",
        )
    positives, negatives = exactly(sample.total_positives), exactly(sample.total_negatives)
    return positives / (positives + negatives)


def odds_ratio(meant: Fraction, trained: Fraction) -> Fraction:
    """What turns odds at one base rate into odds at another."""
    return meant / (1 - meant) / (trained / (1 - trained))


def multiply_odds(probabilities: Floats, factor: Fraction) -> tuple[Floats, Floats]:
    """Odds times the factor: the probabilities, and what is left to 1. That is made on its own, and
    each part is a product: both ends stay what they are.
    """
    larger = max(factor.numerator, factor.denominator)
    ours = probabilities * rounded(Fraction(factor.numerator, larger))
    theirs = (1 - probabilities) * rounded(Fraction(factor.denominator, larger))
    whole = ours + theirs
    return ours / whole, theirs / whole


def probability_points(counts: Any) -> Points:
    """The points of counts whose scores are probabilities; anything else is refused."""
    if not isinstance(counts, Counts):
        raise refuse(
            "BR429", f"probabilities need Counts, got {type(counts).__name__}", "count(...)"
        )
    if counts.condensed:
        raise refuse(
            "BR507",
            "condensed counts have merged scores, so probabilities are not available",
            "count with every score kept",
        )
    if not len(counts.scores):
        raise refuse("BR552", "there are no cases", "count some cases first")
    as_probabilities(counts.scores)
    return Points.of(counts)


def class_shares(at: Conditions) -> tuple[float, float]:
    """The shares of positives and of negatives, each rounded on its own: near 1 the second would
    lose its digits.
    """
    prior = at.sample_prior if at.as_in_sample else exactly(at.prior)
    return rounded(prior), rounded(1 - prior)


def share_of_all(cases: Any, whole: float, share: float) -> Floats:
    """The share of all cases that these cases of one class are, where the class has this share; a
    class without cases has none.
    """
    return np.asarray(share * (cases / (whole or 1)))


# ----------------------------------------------------------------------
# Curves of cost: along the effective prior, along the cost share, along the threshold probability.


def cost_lines(counts: Source) -> tuple[Floats, Floats, Floats]:
    """The cost of every threshold over all base rates and costs: a straight line each, from (0,
    fpr) to (1, fnr).

    y = e·fnr + (1 − e)·fpr is the normalized cost at the effective prior e. Gives fpr, fnr and
    thresholds; flagging nothing and everything are the first and the last. Drummond & Holte 2006,
    Machine Learning 65:95-130.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> at_zero, at_one, thresholds = br.curves.cost_lines(counts)
    >>> at_zero, at_one
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([1. , 0.5, 0.5, 0. , 0. ]))
    """
    points = two_classes(counts, "a ROC")
    return points.fpr, points.fn / points.total_positives, points.thresholds


def cost_curve(counts: Source) -> Curve:
    """What does the best threshold cost, at each effective prior? x = effective prior, y =
    normalized cost: the lower envelope.

    The lines of all thresholds, flagging nothing (y = x) and flagging everything (y = 1 − x) among
    them; each corner of the ROC hull is one stretch of it, and no classifier is worse than its
    lower envelope. 0 is perfect, 0.5 at x = 0.5 is guessing. The threshold of each point is the one
    that is best just right of it. Drummond & Holte 2006, Machine Learning 65:95-130.

    >>> import baserate as br
    >>> x, y, thresholds = br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "cost")
    >>> x, y
    (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.  ]))
    """
    hull = two_classes(counts, "a ROC").hull()
    across, up = np.diff(hull.fp) / hull.total_negatives, np.diff(hull.tp) / hull.total_positives
    # Two neighbouring lines meet where e·Δtpr = (1 − e)·Δfpr.
    x, rest = (
        np.concatenate(([0.0], across / (across + up), [1.0])),
        np.concatenate(([1.0], up / (across + up), [0.0])),
    )
    fpr, fnr = hull.fpr, hull.fn / hull.total_positives
    best = np.concatenate((np.arange(len(hull)), [len(hull) - 1]))
    y = x * fnr[best] + rest * fpr[best]
    keep = np.concatenate((np.diff(x) > 0, [True]))
    columns = x[keep], y[keep], hull.thresholds[best][keep]
    return Curve("cost", *CURVES["cost"].axes, *columns, source=counts)


def two_classes(counts: Source, what: str) -> Points:
    """The points, where there are cases of both classes: this needs them."""
    points = Points.of(counts)
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", f"{what} needs cases of both classes", "count cases of both classes")
    return points


def brier_curve(counts: Counts, *, at: Conditions | None = None) -> Curve:
    """What does it cost to cut probabilities at the cost share itself? x = cost share of a false
    positive, y = expected loss.

    At share c, cases with score >= c are flagged, a false positive costs 2c and a false negative
    2·(1 − c). The area is the Brier score. Its x is not that of the cost curve: there it is the
    effective prior. Hernández-Orallo, Flach & Ferri 2011, ICML:585-592.

    >>> import numpy as np
    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> x, y, _ = br.curve(counts, "brier")
    >>> area = np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)
    >>> round(float(area), 6) == round(br.curves.brier(counts), 6)
    True
    """
    points, (prior, rest), resolved = _points_of_probabilities(counts, at)
    scores = as_probabilities(points.scores)
    # Down to the next lower score, the same cases are flagged: one straight piece for each, from
    # right to left.
    high, low = np.concatenate(([1.0], scores)), np.concatenate((scores, [0.0]))
    alarms = share_of_all(points.fp, points.total_negatives, rest)
    misses = share_of_all(points.fn, points.total_positives, prior)
    pieces = [2 * (c * alarms + (1 - c) * misses) for c in (low, high)]
    x, y = (np.stack(pair, axis=1)[::-1].ravel() for pair in ((low, high), pieces))
    columns = x, y, np.repeat(points.thresholds[::-1], 2)
    notes = label_shift_of(resolved, points)
    return Curve("brier", *CURVES["brier"].axes, *columns, resolved, counts, notes)


def decision_curve(
    counts: Counts, *, at: Conditions | None = None, calibrated_at: Any = None
) -> Curve:
    """Is acting on the probabilities worth it? x = threshold probability t, y = net benefit of
    acting where the probability is t or more.

    prior·tpr − (1 − prior)·fpr·t / (1 − t) at every score, where the curve jumps; acting on nobody
    has 0, and acting on everybody prior − (1 − prior)·t / (1 − t), to compare with. Vickers & Elkin
    2006, Medical Decision Making 26:565-574. At another base rate than the one at which the scores
    are probabilities (`calibrated_at`; the sample's, by default) the probabilities move with it:
    their odds are multiplied by the ratio of the prior odds. `thresholds` are the scores as they
    are.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.curve(counts, "decision").y.round(4)
    array([0.4444, 0.3654, 0.0833, 0.25  ])
    >>> br.curve(counts, "decision", at=br.Conditions(prior=0.1)).x.round(4)
    array([0.0122, 0.0565, 0.069 , 0.3077])
    """
    points, (prior, rest), resolved = _points_of_probabilities(counts, at)
    scores = as_probabilities(points.scores)
    factor, notes = _calibration_factor(counts, points, resolved, calibrated_at)
    t = scores if factor == 1 else multiply_odds(scores, factor)[0]
    below = t < 1
    # From the scores, and with the factor: of 1 − t and of 1 − prior few digits are left near 1.
    odds = scores[below] / (1 - scores[below])
    against = rest if factor == 1 else rounded((1 - resolved.exact_prior) * factor)
    caught = share_of_all(points.tp[1:][below], points.total_positives, prior)
    y = caught - share_of_all(points.fp[1:][below], points.total_negatives, against) * odds
    columns = (t[below][::-1].copy(), y[::-1].copy(), points.thresholds[1:][below][::-1].copy())
    notes = (*checked_conditions(at).notes, *label_shift_of(resolved, points), *notes)
    return Curve("decision", *CURVES["decision"].axes, *columns, resolved, counts, notes)


def act_on_everybody(t: Any, prior: float) -> Floats:
    """The net benefit of acting on everybody, at threshold probabilities."""
    shares = np.asarray(t, dtype=np.float64)
    return np.asarray(prior - (1 - prior) * shares / (1 - shares))


def benefits_at(curve: Curve, t: Any) -> tuple[Floats, Floats]:
    """The net benefit of a decision curve at any threshold probabilities, and the score that is cut
    at there; NaN where nobody is acted on.
    """
    wanted = np.asarray(t, dtype=np.float64)
    points, shares = (
        Points.of(cast("Counts", curve.source)),
        class_shares(cast("Conditions", curve.at)),
    )
    place = np.searchsorted(curve.x, wanted, "left")
    none = place == len(curve.x)
    inside = np.minimum(place, len(curve.x) - 1)
    # Curves run up the scores, points down, those first that have a probability of 1.
    of_points = len(points) - 1 - inside
    first = len(points) - 1 - len(curve.x)
    of_points = np.where(none, first, of_points)
    caught = share_of_all(points.tp[of_points], points.total_positives, shares[0])
    alarms = share_of_all(points.fp[of_points], points.total_negatives, shares[1])
    benefit = caught - alarms * wanted / (1 - wanted)
    cuts = np.where(
        none,
        np.nan if not first else points.thresholds[first],
        cast("Floats", curve.thresholds)[inside],
    )
    return np.asarray(benefit), np.asarray(cuts)


def _calibration_factor(
    counts: Counts, points: Points, at: Conditions, calibrated_at: Any
) -> tuple[Fraction, tuple[Note, ...]]:
    """What the odds of the scores are multiplied by, from the base rate at which they are
    probabilities to the one that they are read at.
    """
    written = notation.parse_prior(calibrated_at)
    if at.as_in_sample and written is None:
        return Fraction(1), ()
    if written is None and counts.ledger.corrected:
        return Fraction(1), (
            Note(
                "BR654",
                "the scores were corrected before, and are taken as probabilities at a base rate of"
                f" {notation.base_rate(at.prior)}",
            ),
        )
    if written is None and points.why_no_prior:
        text = f"{points.why_no_prior}: say at which base rate the scores are probabilities"
        raise refuse("BR507", text, Fix("calibrated_at=0.5", "--calibrated-at 50%"))
    trained = exactly(points.exact_prior) if written is None else written.value
    factor = odds_ratio(at.exact_prior, trained)
    check_corrected_once(counts.ledger, factor)
    if factor == 1:
        return factor, ()
    how = "the sample's, by default" if written is None else "as given"
    text = (
        "the scores are taken as probabilities at a base rate of"
        f" {notation.base_rate(float(trained), brief=True)} ({how}), and moved to"
        f" {notation.base_rate(at.prior, brief=True)}"
    )
    return factor, (Note("BR654", text, Fix("calibrated_at=0.2", "--calibrated-at 20%")),)


def _points_of_probabilities(
    counts: Any, at: Conditions | None
) -> tuple[Points, tuple[float, float], Conditions]:
    points = probability_points(counts)
    resolved = at_prior(points, checked_conditions(at))
    return points, class_shares(resolved), resolved


# ----------------------------------------------------------------------
# The curves that the literature has named, each read off the points of a ROC.


Source = Counts | Points


def _curve_along_points(
    name: str,
    counts: Source,
    at: Conditions | None = None,
    *,
    every: bool = False,
    hull: bool | None = None,
) -> Curve:
    """The measures of the curve's axes along the points, or along their hull."""
    entry, points = CURVES[name], Points.of(counts)
    on_hull = entry.hull if hull is None else hull
    kept = (
        two_classes(points, "a ROC hull").hull()
        if on_hull
        else points
        if every
        else points.corners()
    )
    x, y = (Measure(axis) for axis in entry.axes)
    return trace_points(
        kept,
        (x, y),
        checked_conditions(at),
        source=counts,
        name=name,
        limit=entry.limit,
        notes=curve_note(kept) if every and not on_hull else (),
    )


def roc(counts: Source, *, every: bool = False) -> Curve:
    """Which share of the positives is flagged, for which share of the negatives? x = fpr, y = tpr.

    From (0, 0), nothing flagged, to (1, 1), everything; (0, 1) is ideal, and the diagonal is
    guessing. It does not depend on the base rate. Straight runs keep their ends only, unless
    `every` threshold is requested. Fawcett 2006, Pattern Recognition Letters 27:861-874.

    >>> import baserate as br
    >>> fpr, tpr, thresholds = br.roc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    return _curve_along_points("roc", counts, every=every)


def roc_hull(counts: Source) -> Curve:
    """The best that any mixture of thresholds reaches: the upper convex hull of the ROC. x = fpr, y
    = tpr.

    Every point of it is optimal at some base rate and costs, no other is; one class alone has no
    hull. Provost & Fawcett 2001, Machine Learning 42:203-231.

    >>> import baserate as br
    >>> br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "roc_hull").x
    array([0. , 0. , 0.5, 1. ])
    """
    return _curve_along_points("roc_hull", counts)


def det(counts: Source, *, every: bool = False) -> Curve:
    """Which share of the positives is missed, for which share of false alarms? x = fpr, y = fnr,
    drawn on normal deviates.

    Two normal classes give a straight line there. Martin et al. 1997, Eurospeech:1895-1898.

    >>> import baserate as br
    >>> br.det(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y
    array([1. , 0.5, 0.5, 0. , 0. ])
    """
    return _curve_along_points("det", counts, every=every)


def pr(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How pure are the alerts, for which share of the positives? x = tpr (recall), y = precision,
    at any base rate.

    The first point is the limit as less and less is flagged, precision along the first edge of the
    ROC: no point is invented. Between two points lies a curve, not a line; `densified` draws it.
    The baseline of guessing is the prior. Davis & Goadrich 2006, ICML:233-240.

    >>> import baserate as br
    >>> br.pr(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y.round(3)
    array([1.   , 1.   , 0.5  , 0.667, 0.5  ])
    """
    return _curve_along_points("pr", counts, at, every=every)


def pr_gain(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """Precision and recall as gains over flagging everything. x = recall gain, y = precision gain.

    1 − (prior / (1 − prior)) · FN/TP and the same with FP: 0 is flagging everything, 1 no error,
    and straight lines of the ROC are straight lines here. Points that catch too little have a
    negative recall gain; where nothing is caught there is none. Flach & Kull 2015, NeurIPS 28.

    >>> import baserate as br
    >>> br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "pr_gain").y
    array([nan, 1. , 0. , 0.5, 0. ])
    """
    return _curve_along_points("pr_gain", counts, at, every=every)


def broc(
    counts: Source, *, at: Conditions | None = None, hull: bool = True, every: bool = False
) -> Curve:
    """Which share of the positives is flagged, for which share of alerts that are false? x = fdr
    (B_FA), y = tpr: the B-ROC.

    It uncouples the base rate from the data: one curve a prior. On the hull (the default) it rises;
    the first point is the limit (1 − p) / (p·(f′(0⁺) − 1) + 1) as less and less is flagged, which
    the first edge keeps all along. Guessing is the line x = 1 − prior. Cárdenas & Baras 2006.

    >>> import baserate as br
    >>> br.broc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=br.Conditions(prior=0.1)).x.round(3)
    array([0.   , 0.   , 0.818, 0.9  ])
    """  # noqa: E501
    return _curve_along_points("broc", counts, at, every=every, hull=hull)


def posfrac_curve(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How many cases must be reviewed to find this share of the positives? x = tpr, y = posfrac, at
    any base rate.

    Perfect is y = prior · x, guessing y = x. Landgrebe et al. 2004.

    >>> import baserate as br
    >>> br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "posfrac", at=br.Conditions(prior=0.1)).y
    array([0.  , 0.05, 0.5 , 0.55, 1.  ])
    """  # noqa: E501
    return _curve_along_points("posfrac", counts, at, every=every)


def gain_curve(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How many of the positives are in this share of the cases? x = posfrac, y = tpr: cumulative
    gains.

    Guessing is the diagonal; perfect reaches 1 at x = prior. Provost & Fawcett 2013, Data Science
    for Business.

    >>> import baserate as br
    >>> br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "gain").x
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    return _curve_along_points("gain", counts, at, every=every)


def lift_curve(counts: Source, *, at: Conditions | None = None, every: bool = False) -> Curve:
    """How many times as many positives as by guessing? x = posfrac, y = lift = precision / prior.

    1 is guessing; 1 / prior is perfect. The first point is the limit. Provost & Fawcett 2013, Data
    Science for Business.

    >>> import baserate as br
    >>> br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "lift").y.round(3)
    array([2.   , 2.   , 1.   , 1.333, 1.   ])
    """
    return _curve_along_points("lift", counts, at, every=every)


def ks_curve(counts: Source) -> Curve:
    """How far apart are the classes at each threshold? x = threshold, y = tpr − fpr; its maximum is
    the KS statistic.

    >>> import baserate as br
    >>> br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "ks").y
    array([0.5, 0. , 0.5, 0. ])
    """
    return _curve_along_thresholds("ks", counts, None)


def cost_threshold_curve(counts: Source, *, at: Conditions | None = None) -> Curve:
    """What does each threshold cost? x = threshold, y = expected cost per case, at any base rate
    and costs.

    >>> import baserate as br
    >>> at = br.Conditions(prior=0.1, costs=br.Costs(fp=1, fn=10))
    >>> br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "cost_threshold", at=at).y
    array([0.5 , 0.95, 0.45, 0.9 ])
    """
    return _curve_along_thresholds("cost_threshold", counts, checked_conditions(at))


def _curve_along_thresholds(name: str, counts: Source, at: Conditions | None) -> Curve:
    """One measure against the threshold itself; flagging nothing has no threshold, and no place on
    that axis.
    """
    points, axes = Points.of(counts), CURVES[name].axes
    measure = Measure(axes[1])
    resolved = None if at is None else resolved_for(points, at, [measure])
    y = measure_along(measure, points, resolved or Conditions())[1:]
    scores = points.scores.astype(np.float64, copy=False)
    notes = (
        *curve_note(points),
        *rounded_thresholds(points),
        *(label_shift_of(resolved, points) if resolved is not None else ()),
    )
    return Curve(name, *axes, scores, y, scores, resolved, counts, notes)


def to_broc(fpr: Any, tpr: Any, at: Conditions) -> tuple[Any, Any]:
    """Where ROC points lie in the B-ROC: (fdr, tpr). fdr = (1 − p)·fpr / (p·tpr + (1 − p)·fpr); (0,
    0) has no place of its own.

    The edge fpr = 0 maps to fdr = 0, the edge tpr = 1 to 0 … 1 − p, the diagonal to fdr = 1 − p.
    Cárdenas & Baras 2006, Fig. 5.

    >>> import baserate as br
    >>> br.curves.to_broc([0.0, 0.3, 1.0], [0.5, 0.3, 1.0], br.Conditions(prior=0.25))[0]
    array([0.  , 0.75, 0.75])
    """
    across, up = (np.asarray(values, dtype=np.float64) for values in (fpr, tpr))
    at = checked_conditions(at)
    if not (((across >= 0) & (across <= 1)).all() and ((up >= 0) & (up <= 1)).all()):
        raise refuse(
            "BR550", "fpr and tpr must be shares between 0 and 1", "divide percentages by 100"
        )
    odds = at.skew
    false = odds * across
    with np.errstate(invalid="ignore"):
        return false / (up + false), up


# ----------------------------------------------------------------------
# Reliability: how often what was given a probability turns out to be positive.


def calibration_blocks(points: Points) -> Any:
    """Where each block of the best monotone recalibration begins among the scores: the edges of the
    ROC hull.
    """
    hull = two_classes(points, "the best recalibration").hull()
    return np.concatenate(([0], np.searchsorted(-points.scores, -hull.scores[:-1], side="right")))


def reliability_curve(
    counts: Counts, *, at: Conditions | None = None, bins: int | None = None
) -> Curve:
    """Do the probabilities come true? x = mean score, y = share of positives, from low scores to
    high.

    In each block of the best monotone recalibration (PAV), or in each of `bins` bins of equal
    width that is not empty; at any base rate, with the scores as they are. Calibrated scores lie on
    the diagonal. `calibration_error` is the mean distance from it. DeGroot & Fienberg 1983, The
    Statistician 32:12-22; Dimitriadis, Gneiting & Jordan 2021, PNAS 118:e2016191118.

    >>> import baserate as br
    >>> curve = br.curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "reliability")
    >>> curve.x, curve.y
    (array([0.1  , 0.375, 0.8  ]), array([0. , 0.5, 1. ]))
    """
    points, (prior, rest), resolved = _points_of_probabilities(counts, at)
    scores = as_probabilities(counts.scores)
    starts = calibration_blocks(points) if bins is None else equal_bins(scores, bins)
    ours = share_of_all(counts.positives, counts.total_positives, prior)
    theirs = share_of_all(counts.negatives, counts.total_negatives, rest)
    mass = np.add.reduceat(ours + theirs, starts)
    x, y = (
        np.add.reduceat((ours + theirs) * scores, starts) / mass,
        np.add.reduceat(ours, starts) / mass,
    )
    lowest = scores[np.append(starts[1:], len(scores)) - 1]
    columns = (x[::-1].copy(), y[::-1].copy(), lowest[::-1].copy())
    notes = label_shift_of(resolved, points)
    return Curve("reliability", *CURVES["reliability"].axes, *columns, resolved, counts, notes)


checked_bins = WholeCheck("BR542", "bins is a whole number from 1", "bins=10", 1)


def equal_bins(scores: Floats, bins: Any) -> Any:
    """Where each of the bins of equal width begins among probabilities; those without a score
    are left out.
    """
    count = checked_bins(bins)
    place = np.searchsorted(np.arange(1, count) / count, scores, side="right")
    return np.flatnonzero(np.concatenate(([True], np.diff(place) != 0)))


# ----------------------------------------------------------------------
# The table of curves: `curve`, bands, expectations, panels, the report's page and the
# documents read it.


class Entry(NamedTuple):
    """A curve: what makes it, its axes, how it is drawn, and how it can be read."""

    make: Callable[..., Curve]
    axes: tuple[str, str]  # x, y: measures, or what `AXES` names
    title: str = ""
    # The axis along which bands and expectations read it, linear in the outcomes so that places on
    # an edge are exact; none where there is no such axis.
    along: str = ""
    limit: bool = False  # is its first point the limit as less and less is flagged?
    hull: bool = False  # is it read along the hull, unless its function is told otherwise?

    @property
    def name(self) -> str:
        """The name of the function that makes it."""
        return self.make.__name__

    @property
    def conditions(self) -> bool:
        """Does it depend on the base rate or the costs?"""
        return "at" in inspect.signature(self.make).parameters

    @property
    def every(self) -> bool:
        """Can every threshold be requested, also within straight runs?"""
        return not self.hull and "every" in inspect.signature(self.make).parameters

    @property
    def read(self) -> tuple[str, str] | None:
        """The axis along which it is read, and what is read there."""
        return (
            (self.along, next(axis for axis in self.axes if axis != self.along))
            if self.along
            else None
        )

    @property
    def has_band(self) -> bool:
        """Can it be read at fixed places, resample by resample?"""
        return bool(self.along) or self.make is cost_curve


CURVES: dict[str, Entry] = {
    "roc": Entry(roc, ("fpr", "tpr"), "ROC", along="fpr"),
    "roc_hull": Entry(roc_hull, ("fpr", "tpr"), "ROC", hull=True),
    "det": Entry(det, ("fpr", "fnr"), "DET", along="fpr"),
    "pr": Entry(pr, ("tpr", "precision"), "Precision against recall", along="tpr", limit=True),
    "pr_gain": Entry(pr_gain, ("recall_gain", "precision_gain")),
    "broc": Entry(broc, ("fdr", "tpr"), "B-ROC", along="tpr", limit=True, hull=True),
    "posfrac": Entry(
        posfrac_curve,
        ("tpr", "posfrac"),
        "Share flagged against recall",
        along="tpr",
    ),
    "gain": Entry(gain_curve, ("posfrac", "tpr"), "Cumulative gains", along="posfrac"),
    "lift": Entry(lift_curve, ("posfrac", "lift"), "Lift", along="posfrac", limit=True),
    "ks": Entry(ks_curve, ("threshold", "informedness")),
    "cost": Entry(cost_curve, ("effective_prior", "normalized_cost"), "Cost curve"),
    "cost_threshold": Entry(
        cost_threshold_curve,
        ("threshold", "expected_cost"),
        "Cost of each threshold",
    ),
    "brier": Entry(brier_curve, ("cost_share", "expected_loss")),
    "decision": Entry(decision_curve, ("t", "net_benefit"), "Decision curve"),
    "reliability": Entry(reliability_curve, ("mean_score", "positive_share"), "Reliability"),
}
# What axes that are no measures are called.
AXES = {
    "prior": "base rate (prior)",
    "effective_prior": "effective prior",
    "expected_loss": "expected loss",
    "cost_share": "cost share of a false alarm",
    "threshold": "threshold (score)",
    "t": "threshold probability",
    "mean_score": "mean score",
    "positive_share": "share of positives",
}


def axis_label(name: str) -> str:
    """What an axis is called: a measure, or what a curve is read along."""
    return CATALOGUE[name].label if name in CATALOGUE else AXES.get(name, name)


def curve_named(curve: Any) -> tuple[str, Entry | None]:
    """The full name of a curve that is given by a name or by the function that makes it, and its
    entry; None where there is none.
    """
    given = curve if isinstance(curve, str) else getattr(curve, "__name__", "")
    entry = CURVES.get(given) or next((e for e in CURVES.values() if e.name == given), None)
    return (given, None) if entry is None else (entry.name, entry)
