"""What the learners ask of labels, weights and fitted estimators: which class is positive, whether
weights can be learned from, and at which base rate probabilities are calibrated.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import baserate as br
from baserate.extend import checked_weights, quoted, refuse

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
PROBABILITY, WEIGHT = "predict_proba", "sample_weight"


def positive_place(classes: npt.NDArray[Any], pos_label: Any) -> int:
    """The place of the positive one of two classes, found as `baserate.count` finds it."""
    counts = br.count(classes, [0, 1], pos_label=pos_label)
    return int(counts.scores[np.argmax(counts.positives)])


def base_rate(stated: Any) -> Fraction:
    """A base rate exactly as it was written: 0.01, "1 in 100"."""
    return br.Conditions(prior=stated).exact_prior


def with_checked_weights(params: dict[str, Any], labels: npt.NDArray[Any]) -> dict[str, Any]:
    """What is given to fit, its weights checked as those of counted cases are; refused where they
    leave nothing of a class.
    """
    if params.get(WEIGHT) is None:
        return params
    weights = checked_weights(params[WEIGHT], labels)
    classes, codes = np.unique(labels, return_inverse=True)
    empty = np.flatnonzero(np.bincount(codes, weights=weights) <= 0)
    if len(empty):
        text = (
            f"{WEIGHT} leaves no case of class {quoted(classes.tolist()[empty[0]])}: nothing can be"
            " learned of it"
        )
        raise refuse("BR901", text, "weights above 0 in every class")
    return {**params, WEIGHT: weights}


# ----------------------------------------------------------------------
# At which base rate the probabilities of a fitted estimator are calibrated, as far as it can be
# told.


SAMPLE = "sample"
# Two base rates that differ by less are one: an estimator knows its own as a float only.
SAME = 1e-9
# Where the estimator that answers lies within another.
WITHIN = ("_final_estimator", "best_estimator_", "estimator_")
RECALIBRATE = "CalibratedClassifierCV around it, or a learner that neither weighs nor resamples"


def calibrated_at(fitted: Any, stated: Any, share: Fraction, place: int = 1) -> Fraction | None:
    """As stated ("sample": the share of positives in training), or as the estimator says
    (`calibrated_at_`); None where nobody says.

    A contradiction would correct twice, and is refused. So are probabilities that are calibrated at
    no base rate. `place` is that of the positive class.
    """
    prior = None if stated is None else share if stated == SAMPLE else base_rate(stated)
    moved = next(filter(None, map(_moved_by_setting, _inner_estimators(fitted))), "")
    for each in _inner_estimators(fitted):
        if hasattr(each, "calibrated_at_"):
            return _agree_on_prior(prior, _stated_prior(each, place), share, moved)
    if moved and prior is None:
        text = f"{moved} moved the base rate of the probabilities: at which are they calibrated?"
        raise refuse("BR507", text, "calibrated_at=0.5, for classes of equal weight")
    return prior


def prior_after_fitting(fitted: Any, share: Fraction, place: int = 1) -> Fraction | None:
    """At which base rate is an estimator calibrated that a wrapper fitted to cases of this share?

    There, unless it knows better (`calibrated_at_`); at none that is known where settings of its
    own moved it.
    """
    for each in _inner_estimators(fitted):
        if hasattr(each, "calibrated_at_"):
            claim = _stated_prior(each, place)
            return None if claim is None else _nearest_prior(claim, share)
        if _moved_by_setting(each):
            return None
    return share


def check_untouched(fitted: Any, labels: npt.NDArray[Any]) -> None:
    """Refuse probabilities that are not at the base rates of the training cases: costs would count
    twice.
    """
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    for each in _inner_estimators(fitted):
        if hasattr(each, "calibrated_at_"):
            # Of the class that it takes for positive: weights of 1:81 turn 10 % into 90 %, which is
            # the share of the other one.
            claim = _stated_prior(each, 1)
            if claim is None or abs(shares[1] - claim) > SAME:
                text = (
                    f"the probabilities of {type(each).__name__} were moved off the base rate of"
                    " the cases: costs would count twice"
                )
                raise refuse("BR536", text, RECALIBRATE)
            return
        if moved := _moved_by_setting(each):
            raise refuse(
                "BR536",
                f"{moved} moved the base rate of the probabilities: costs would count twice",
                RECALIBRATE,
            )


def _stated_prior(fitted: Any, place: int) -> float | None:
    """What an estimator says of itself, as the share of the class at this place; it may take the
    other one for positive.
    """
    known: float | None = fitted.calibrated_at_
    return known if known is None or getattr(fitted, "place_", place) == place else 1 - known


def _nearest_prior(known: float, share: Fraction) -> Fraction:
    return share if abs(float(share) - known) <= SAME else base_rate(known)


def _agree_on_prior(
    prior: Fraction | None, known: float | None, share: Fraction, moved: str
) -> Fraction:
    if known is None:
        why = moved or "cases weighed by their amounts or twice over, or picked by a sampler,"
        raise refuse(
            "BR536",
            f"{why} left probabilities that are calibrated at no base rate that is known",
            RECALIBRATE,
        )
    if prior is not None and abs(float(prior) - known) > SAME:
        text = (
            f"calibrated_at says {float(prior):.6g}, and {known:.6g} is what the estimator was"
            " corrected or weighted to"
        )
        raise refuse("BR536", f"{text}: it would be corrected twice", "leave calibrated_at out")
    return _nearest_prior(known, share)


def _inner_estimators(fitted: Any) -> Iterator[Any]:
    """The estimator, and the one within that answers for it, and so on."""
    while fitted is not None:
        yield fitted
        fitted = next((getattr(fitted, name) for name in WITHIN if hasattr(fitted, name)), None)


def _moved_by_setting(fitted: Any) -> str:
    """What of an estimator's own settings moves the base rate, in words; nothing where nothing
    does.
    """
    name = type(fitted).__name__
    if getattr(fitted, "class_weight", None) is not None:
        return f"class_weight of {name}"
    steps = [step for _, step in getattr(fitted, "steps", ()) if hasattr(step, "fit_resample")]
    # Forests and boosting of imbalanced-learn keep one a tree.
    samplers = [type(one).__name__ for one in (*steps, *getattr(fitted, "samplers_", ()))]
    return f"{samplers[0]} in {name}" if samplers else ""
