"""The threshold in theory, beside the one that the data suggest: what decision theory says of calibrated scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from baserate import notations
from baserate.decisions.operating import THEORY, OperatingPoint
from baserate.errors import Fix, refuse
from baserate.measures.confusions import confusion_at
from baserate.notes import Note, check_corrected_once
from baserate.points import Points

# A calibrated score averages to the prior; further off than this share of it is worth a remark.
FAR_OFF = 0.1


def beside(point: OperatingPoint, points: Points, calibrated_at: Any) -> OperatingPoint:
    """The point with the theoretical threshold for scores that are probabilities at the base rate `calibrated_at`."""
    scores = points.scores
    if points.tops is not None:
        text = "condensed and coarse counts have merged scores: there is no telling what a threshold in theory flags"
        raise refuse("BR507", text, Fix("leave calibrated_at out, or count with every score kept", "leave --calibrated-at out"))
    if not len(scores) or scores[0] > 1 or scores[-1] < 0:
        raise refuse(
            "BR507",
            "these scores are not probabilities: there is no threshold in theory",
            Fix("leave calibrated_at out", "leave --calibrated-at out"),
        )
    if isinstance(calibrated_at, str) and calibrated_at.strip().casefold() in notations.SAMPLE:
        calibrated_at = points.prior
    cut = point.at.cut(calibrated_at)
    if points.ledger is not None:
        check_corrected_once(points.ledger, 1 if cut.score == cut.probability else 0)
    index = points.place(cut.score)
    beside_it = OperatingPoint(cut.score, confusion_at(points, index), point.at, THEORY, cut=cut, notes=_calibration(points, calibrated_at))
    return replace(point, theory=beside_it, cut=cut)


def _calibration(points: Points, calibrated_at: Any) -> tuple[Note, ...]:
    """At the base rate where scores are calibrated their mean is that base rate: a simple check, and no proof."""
    written = notations.prior(calibrated_at)
    if written is None or not points.total_positives or not points.total_negatives:
        return ()
    prior = float(written.value)
    means = [float(np.dot(np.diff(flagged) / flagged[-1], points.scores.astype(np.float64))) for flagged in (points.tp, points.fp)]
    mean = prior * means[0] + (1 - prior) * means[1]
    if abs(mean - prior) <= FAR_OFF * prior:
        return ()
    text = f"the threshold in theory assumes calibrated scores; at prior {prior:.3g} their mean would be {prior:.3g}, and it is {mean:.3g}"
    return (Note("BR507", text),)
