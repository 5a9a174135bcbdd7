"""From one base rate to another: what a calibrated probability is worth where positives are rarer, or more frequent."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate import notations
from baserate.arithmetic import rounded
from baserate.conditions import Conditions, kept_share
from baserate.counts import Counts
from baserate.errors import Fix, refuse
from baserate.exact import Floats
from baserate.measures.confusions import checked_conditions
from baserate.notes import check_corrected_once
from baserate.shifts.relabelling import as_probabilities, relabelled

HOW = "negatives_kept=0.01, or calibrated_at=0.5 with at=Conditions(prior=0.001)"


def correct_prior(counts: Counts, *, negatives_kept: Any = None, calibrated_at: Any = None, at: Conditions | None = None) -> Counts:
    """Which thresholds do these counts have, once their scores are corrected to the base rate of the field?

    Either `negatives_kept`, the share of the negatives that the training data kept (every positive was), or `calibrated_at`, the base rate at
    which the scores are probabilities, and `at`, the one that is meant. The odds of every score are multiplied by one number, so the order of
    the cases cannot change: the thresholds get new names, and every cell keeps its cases. A ranking measure has the same value, bit for bit.
    What was corrected is marked, also in sums and in files, and correcting it again is refused. Elkan 2001, IJCAI:973-978, theorem 2.

    >>> import baserate as br
    >>> counts = br.count([0, 1, 0, 1], [0.5, 0.9, 0.2, 0.99])
    >>> br.correct_prior(counts, negatives_kept=0.01).scores.round(6)
    array([0.497487, 0.082569, 0.009901, 0.002494])
    """
    if not isinstance(counts, Counts):
        raise refuse("BR228", f"thresholds are corrected of Counts, got {type(counts).__name__}", "count(...)")
    sample = None if not counts.total_positives or not counts.total_negatives else counts
    factor = odds_factor(negatives_kept, calibrated_at, at, sample)
    check_corrected_once(counts.ledger, factor)
    labels = _corrected(as_probabilities(counts.scores), factor)
    return relabelled(counts, labels, replace(counts.ledger, corrected=counts.ledger.corrected or _mark(factor)))


def correct_probabilities(
    scores: npt.ArrayLike, *, negatives_kept: Any = None, calibrated_at: Any = None, at: Conditions | None = None
) -> Floats:
    """What are these probabilities worth at another base rate?

    As `correct_prior`, for single scores: to be shown to somebody, or cut at a threshold of corrected counts. Very close probabilities may
    become one float; counts are corrected by `correct_prior`, which keeps them apart. An array carries no mark: whether it was corrected before
    is for the caller to know.

    >>> import baserate as br
    >>> br.correct_probabilities([0.5, 0.9, 0.99], negatives_kept="1%").round(6)
    array([0.009901, 0.082569, 0.497487])
    """
    given = np.asarray(scores)
    if given.dtype.kind not in "biuf" or np.isnan(given.astype(np.float64)).any():
        raise refuse("BR563", "probabilities are numbers from 0 to 1, and none is missing", "drop or score the cases that have none")
    factor = odds_factor(negatives_kept, calibrated_at, at, None)
    return _corrected(as_probabilities(given.reshape(-1)), factor).reshape(given.shape)


def odds_factor(negatives_kept: Any, calibrated_at: Any, at: Conditions | None, sample: Counts | None) -> Fraction:
    """What the odds are multiplied by, exactly: the share of negatives kept, or the prior odds meant over those of calibration."""
    stated = at is not None and not checked_conditions(at).as_in_sample
    if negatives_kept is not None:
        if calibrated_at is not None or at is not None:
            raise refuse("BR506", "a share of negatives kept, and base rates beside it: they would correct twice", HOW)
        return kept_share(negatives_kept)
    if calibrated_at is None:
        raise refuse("BR507", "correcting scores needs the base rate at which they are calibrated, or the share of negatives kept", HOW)
    if at is None or not stated:
        raise refuse("BR509", "to which base rate are the scores to be corrected? Conditions know no data", Fix.everywhere(HOW))
    trained, meant = calibration_prior(calibrated_at, sample), at.exact_prior
    return meant / (1 - meant) / (trained / (1 - trained))


def calibration_prior(calibrated_at: Any, sample: Counts | None) -> Fraction:
    """The base rate at which scores are probabilities, exactly; "sample" is that of the counts."""
    written = notations.prior(calibrated_at)
    if written is not None:
        return written.value
    if sample is None:
        raise refuse("BR507", "the sample has no base rate of its own to be calibrated at", "calibrated_at=0.5")
    totals = Fraction(sample.total_positives), Fraction(sample.total_negatives)
    return totals[0] / sum(totals)


def _corrected(probabilities: Floats, factor: Fraction) -> Floats:
    """Odds times the factor. What is left to 1 is made on its own, and each part is a product: both ends stay what they are."""
    ours, theirs = probabilities * rounded(Fraction(factor.numerator, max(factor.numerator, factor.denominator))), 1 - probabilities
    theirs = theirs * rounded(Fraction(factor.denominator, max(factor.numerator, factor.denominator)))
    return ours / (ours + theirs)


def _mark(factor: Fraction) -> str:
    return "" if factor == 1 else str(factor)
