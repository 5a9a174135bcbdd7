"""Curves of cost: along the effective prior, along the cost share, along the threshold probability."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

import numpy as np

from baserate import notations
from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.curves.probabilities import both_shares, probability_points
from baserate.curves.values import Curve
from baserate.decisions.merged import curve_note
from baserate.errors import Fix, refuse
from baserate.exact import Floats
from baserate.measures.confusions import checked_conditions, label_shift_of
from baserate.notes import Note, check_corrected_once
from baserate.points import Points

Source = Counts | Points


def cost_lines(counts: Source) -> tuple[Floats, Floats, Floats]:
    """The cost of every threshold over all base rates and costs: a straight line each, from (0, fpr) to (1, fnr).

    y = e·fnr + (1 − e)·fpr is the normalized cost at the effective prior e. Gives fpr, fnr and thresholds; flagging nothing and everything
    are the first and the last. Drummond & Holte 2006, Machine Learning 65:95-130.

    >>> import baserate as br
    >>> at_zero, at_one, thresholds = br.cost_lines(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> at_zero, at_one
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([1. , 0.5, 0.5, 0. , 0. ]))
    """
    points = _two_classes(counts)
    return points.fpr, points.fn / points.total_positives, points.thresholds


def cost_curve(counts: Source) -> Curve:
    """What does the best threshold cost, at each effective prior? x = effective prior, y = normalized cost: the lower envelope.

    The lines of all thresholds, flagging nothing (y = x) and flagging everything (y = 1 − x) among them; each corner of the ROC hull is
    one stretch of it, and no classifier is worse than its lower envelope. 0 is perfect, 0.5 at x = 0.5 is guessing. The threshold of
    each point is the one that is best just right of it. Drummond & Holte 2006, Machine Learning 65:95-130.

    >>> import baserate as br
    >>> x, y, thresholds = br.cost_curve(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> x, y
    (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.  ]))
    """
    hull = _two_classes(counts).hull()
    across, up = np.diff(hull.fp) / hull.total_negatives, np.diff(hull.tp) / hull.total_positives
    # Two neighbouring lines meet where e·Δtpr = (1 − e)·Δfpr.
    x, rest = np.concatenate(([0.0], across / (across + up), [1.0])), np.concatenate(([1.0], up / (across + up), [0.0]))
    fpr, fnr = hull.fpr, hull.fn / hull.total_positives
    best = np.concatenate((np.arange(len(hull)), [len(hull) - 1]))
    y = x * fnr[best] + rest * fpr[best]
    keep = np.concatenate((np.diff(x) > 0, [True]))
    thresholds, notes = hull.thresholds[best], curve_note(hull, hull=True)
    return Curve._of("cost", ("effective_prior", "normalized_cost"), (x[keep], y[keep], thresholds[keep]), None, counts, notes)


def _two_classes(counts: Source) -> Points:
    points = Points.of(counts)
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", "a ROC needs cases of both classes", "count cases of both classes")
    return points


def brier_curve(counts: Counts, *, at: Conditions | None = None) -> Curve:
    """What does it cost to cut probabilities at the cost share itself? x = cost share of a false positive, y = expected loss.

    At share c, cases with score >= c are flagged, a false positive costs 2c and a false negative 2·(1 − c). The area is the Brier score. Its x
    is not that of the cost curve: there it is the effective prior. Hernández-Orallo, Flach & Ferri 2011, ICML:585-592.

    >>> import numpy as np
    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> x, y, _ = br.brier_curve(counts)
    >>> round(float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)), 6) == round(br.brier(counts), 6)
    True
    """
    points, (prior, rest), resolved = _probabilities(counts, at)
    scores = np.clip(points.scores.astype(np.float64), 0.0, 1.0)
    # Down to the next lower score, the same cases are flagged: one straight piece for each, from right to left.
    high, low = np.concatenate(([1.0], scores)), np.concatenate((scores, [0.0]))
    fpr, fnr = points.fpr, points.fn / points.total_positives
    pieces = [2 * (c * rest * fpr + (1 - c) * prior * fnr) for c in (low, high)]
    x, y = (np.stack(pair, axis=1)[::-1].ravel() for pair in ((high, low), (pieces[1], pieces[0])))
    x, y = x.reshape(-1, 2)[:, ::-1].ravel(), y.reshape(-1, 2)[:, ::-1].ravel()
    thresholds = np.repeat(points.thresholds[::-1], 2)
    return Curve._of("brier", ("cost_share", "expected_loss"), (x, y, thresholds), resolved, counts, tuple(label_shift_of(resolved, points)))


def decision_curve(counts: Counts, *, at: Conditions | None = None, calibrated_at: Any = None) -> Curve:
    """Is acting on the probabilities worth it? x = threshold probability t, y = net benefit of acting where the probability is t or more.

    prior·tpr − (1 − prior)·fpr·t / (1 − t) at every score, where the curve jumps; acting on nobody has 0, and acting on everybody
    prior − (1 − prior)·t / (1 − t), to compare with. Vickers & Elkin 2006, Medical Decision Making 26:565-574. At another base rate than the
    one at which the scores are probabilities (`calibrated_at`; the sample's, unless said) the probabilities move with it: their odds are
    multiplied by the ratio of the prior odds. `thresholds` are the scores as they are.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.decision_curve(counts).y.round(4)
    array([0.4444, 0.3654, 0.0833, 0.25  ])
    >>> br.decision_curve(counts, at=br.Conditions(prior=0.1)).x.round(4)
    array([0.0122, 0.0565, 0.069 , 0.3077])
    """
    points, (prior, rest), resolved = _probabilities(counts, at)
    scores = np.clip(points.scores.astype(np.float64), 0.0, 1.0)
    factor, notes = _moved(counts, points, resolved, calibrated_at)
    t = scores if factor == 1 else scores * rounded(factor) / (scores * rounded(factor) + (1 - scores))
    below = t < 1
    odds = t[below] / (1 - t[below])
    tpr, fpr = points.tpr[1:][below], points.fpr[1:][below]
    y = prior * tpr - rest * fpr * odds
    columns = (t[below][::-1].copy(), y[::-1].copy(), points.thresholds[1:][below][::-1].copy())
    return Curve._of(
        "decision", ("t", "net_benefit"), columns, resolved, counts, (*checked_conditions(at).notes, *label_shift_of(resolved, points), *notes)
    )


def act_on_everybody(t: Any, prior: float) -> Floats:
    """The net benefit of acting on everybody, at threshold probabilities."""
    shares = np.asarray(t, dtype=np.float64)
    return np.asarray(prior - (1 - prior) * shares / (1 - shares))


def benefits_at(curve: Curve, t: Any) -> tuple[Floats, Floats]:
    """The net benefit of a decision curve at any threshold probabilities, and the score that is cut at there; NaN where nobody is acted on."""
    wanted = np.asarray(t, dtype=np.float64)
    points, prior = Points.of(cast("Counts", curve.source)), cast("Conditions", curve.at).prior
    place = np.searchsorted(curve.x, wanted, "left")
    none = place == len(curve.x)
    inside = np.minimum(place, len(curve.x) - 1)
    # Curves run up the scores, points down, those first that have a probability of 1.
    of_points = len(points) - 1 - inside
    first = len(points) - 1 - len(curve.x)
    of_points = np.where(none, first, of_points)
    benefit = prior * points.tpr[of_points] - (1 - prior) * points.fpr[of_points] * wanted / (1 - wanted)
    cuts = np.where(none, np.nan if not first else points.thresholds[first], cast("Floats", curve.thresholds)[inside])
    return np.asarray(benefit), np.asarray(cuts)


def _moved(counts: Counts, points: Points, at: Conditions, calibrated_at: Any) -> tuple[Fraction, tuple[Note, ...]]:
    """What the odds of the scores are multiplied by, from the base rate at which they are probabilities to the one that they are read at."""
    written = notations.prior(calibrated_at)
    if at.as_in_sample and written is None:
        return Fraction(1), ()
    if written is None and counts.ledger.corrected:
        return Fraction(1), (Note("BR654", f"the scores were corrected before, and are taken as probabilities at prior {at.prior:.4g}"),)
    if written is None and points.why_no_prior:
        text = f"{points.why_no_prior}: say at which base rate the scores are probabilities"
        raise refuse("BR507", text, Fix("calibrated_at=0.5", "--calibrated-at 50%"))
    trained = exactly(points.exact_prior) if written is None else written.value
    factor = at.exact_prior / (1 - at.exact_prior) / (trained / (1 - trained))
    check_corrected_once(counts.ledger, factor)
    if factor == 1:
        return factor, ()
    how = "the sample's base rate, unless you say otherwise" if written is None else "as given"
    text = f"the scores are taken as probabilities at prior {float(trained):.4g} ({how}), and moved to prior {at.prior:.4g}"
    return factor, (Note("BR654", text, Fix("calibrated_at=0.2", "--calibrated-at 20%")),)


def _probabilities(counts: Any, at: Conditions | None) -> tuple[Points, tuple[float, float], Conditions]:
    points = probability_points(counts)
    resolved = checked_conditions(at).within(points.exact_prior, points.why_no_prior)
    return points, both_shares(resolved), resolved
