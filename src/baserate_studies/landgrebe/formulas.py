"""Rows L2 to L22, L29 and L31 to L33: definitions and equations, each in exact fractions against
what the package gives.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from baserate import Conditions, Confusion, Costs, Counts, Points, choose, count, fix, measure
from baserate.types import Undefined
from baserate_studies.claims import Claim
from baserate_studies.generators import one_attribute

TP, FP, FN, TN = 30, 20, 10, 140
POINT = Confusion(tp=TP, fp=FP, fn=FN, tn=TN)
POS, ALL = TP + FP, TP + FP + FN + TN
TPR, FPR = Fraction(TP, TP + FN), Fraction(FP, FP + TN)
RARE = Fraction(1, 10)
EXACT = "exact fractions, rounded once"
NAIVE = "the definition, case by case"


def claims() -> tuple[Claim, ...]:
    """All of them, on one confusion matrix (30, 20, 10, 140) and on scores with ties."""
    counts = _scores()
    return (*_definitions(), *_equations(), *_along(counts), *_conditions(counts))


def _scores() -> Counts:
    """Two overlapping classes on one attribute, rounded so that some cases tie."""
    drawn = one_attribute(40, 160, seed=5)
    return count(drawn.target, np.round(drawn.x[:, 0], 1))


def _exact(
    name: str, rows: tuple[str, ...], published: Fraction, ours: float, note: str = ""
) -> Claim:
    return Claim(name, rows, float(published), float(ours), 0.0, EXACT, note, own_numbers=True)


def _held(
    name: str,
    rows: tuple[str, ...],
    published: str,
    ours: str,
    holds: bool,  # noqa: FBT001
    note: str = "",
) -> Claim:
    return Claim(name, rows, published, ours, None, NAIVE, note, holds=bool(holds))


def _definitions() -> Iterator[Claim]:
    values = {name: float(POINT[name]) for name in ("accuracy", "precision", "tpr", "posfrac")}
    named = (Fraction(TP + TN, ALL), Fraction(TP, POS), TPR, Fraction(POS, ALL))
    yield Claim(
        "other-costs",
        ("L4",),
        tuple(map(float, named)),
        tuple(values.values()),
        0.0,
        EXACT,
        "accuracy, purity, recall, POSfrac",
        own_numbers=True,
    )
    left, right = POINT.tp + POINT.fp, POINT.fn + POINT.tn
    yield _held(
        "fig2",
        ("L8",),
        "every case is POS (TP, FP) or NEG (TN, FN)",
        f"{left} + {right} = {ALL}",
        (left, right) == (POS, ALL - POS),
    )
    cases = count([1, 1, 1, 0, 0, 0, 0], [0.9, 0.9, 0.1, 0.9, 0.1, 0.1, 0.1])
    counted = choose(cases, threshold=0.5).confusion
    rows = (f"{counted.tp} {counted.fn}", f"{counted.fp} {counted.tn}")
    yield _held(
        "table1", ("L9",), "rows true, columns estimated", " / ".join(rows), rows == ("2 1", "1 3")
    )
    rates = tuple(float(POINT[name]) for name in ("tpr", "fpr", "tnr", "fnr"))
    yield Claim(
        "rates",
        ("L10",),
        tuple(map(float, (TPR, FPR, 1 - FPR, 1 - TPR))),
        rates,
        0.0,
        EXACT,
        own_numbers=True,
    )
    yield _exact("eq1", ("L11",), Fraction(POS, POS + FN + TN), POINT["posfrac"])
    yield _exact("purity", ("L12",), Fraction(TP, POS), POINT["precision"])
    nothing = Confusion(tp=0, fp=0, fn=10, tn=90)["precision"]
    yield Claim(
        "purity-of-nothing",
        ("L12",),
        None,
        f"undefined: {getattr(nothing, 'reason', nothing)}",
        reason="the paper does not say",
        note="0/0 is no number" if isinstance(nothing, Undefined) else "",
    )


def _equations() -> Iterator[Claim]:
    """Eqs 2, 4, 5 and 6, and the limit of eq 5."""
    at, skew = Conditions(prior=RARE), (1 - RARE) / RARE
    targets, others = TP + FN, FP + TN
    yield _exact(
        "eq2",
        ("L16",),
        (TPR * targets + FPR * others) / ALL,
        POINT["posfrac"],
        "the count form is the prior form at the sample's prior",
    )
    yield _exact(
        "eq4", ("L18",), TPR * targets / (TPR * targets + FPR * others), POINT["precision"]
    )
    yield _exact("skew-ratio", ("L19",), skew, at.skew)
    yield _exact("eq5", ("L20",), RARE * TPR + (1 - RARE) * FPR, measure(POINT, "posfrac", at=at))
    yield _exact("eq6", ("L21",), TPR / (TPR + skew * FPR), measure(POINT, "precision", at=at))
    tiny = Fraction(1, 2**30)
    away = abs(Fraction(float(measure(POINT, "posfrac", at=Conditions(prior=tiny)))) - FPR)
    text = f"away from FPr by {float(away):.3g} at a prior of {float(tiny):.3g}"
    yield _held(
        "eq5-limit",
        ("L22",),
        "POSfrac tends to FPr as targets get rare",
        text,
        away == tiny * (TPR - FPR) <= tiny,
    )
    yield _exact(
        "posfrac-purity",
        ("L33",),
        Fraction(TP, ALL) / Fraction(TP, POS),
        POINT["posfrac"],
        "POSfrac = (TP/N)·(1/Purity)",
    )
    cautious, bold = (
        Confusion.from_rates(tpr=tpr, fpr=fpr, positives=100, negatives=100)
        for tpr, fpr in ((0.2, 0.1), (0.8, 0.2))
    )
    both = bold["posfrac"] > cautious["posfrac"] and bold["precision"] > cautious["precision"]
    words = "a higher POSfrac with a higher Purity: (.2, .1) against (.8, .2) in (TPr, FPr)"
    yield Claim(
        "inversely",
        ("L33",),
        "POSfrac and Purity are inversely dependent",
        words,
        holds=not both,
        errata=("B12",),
        reason=NAIVE,
        note="only at a fixed TPr: POSfrac · Purity = P · TPr",
    )


def _along(counts: Counts) -> Iterator[Claim]:
    """Rows that speak of all thresholds."""
    more = Counts(counts.scores, counts.positives, counts.negatives * 7)
    before, after = Points.of(counts), Points.of(more)
    same = np.array_equal(before.tpr, after.tpr) and np.array_equal(before.fpr, after.fpr)
    moved = measure(more, "posfrac", threshold=1.0) != measure(counts, "posfrac", threshold=1.0)
    yield _held(
        "invariance",
        ("L2",),
        "TPr, FPr and ROC do not depend on the priors; POSfrac and Purity do",
        "the same with seven times the negatives; POSfrac moves",
        same and moved,
    )
    shares = [
        measure(before, "posfrac", threshold=before.threshold(place), at=Conditions(prior=RARE))
        for place in range(len(before))
    ]
    rising = all(low < high for low, high in itertools.pairwise(shares))
    yield _held(
        "rising",
        ("L13",),
        "POSfrac tends to increase with TPr",
        "strictly, along the whole ROC" if rising else "not always",
        rising,
    )
    naive = [
        (sum(counts.positives[counts.scores >= cut]), sum(counts.negatives[counts.scores >= cut]))
        for cut in counts.scores
    ]
    agree = naive == [before.counted(place)[:2] for place in range(1, len(before))]
    yield _held(
        "procedure",
        ("L15",),
        "a confusion matrix a threshold",
        f"{len(naive)} thresholds, each counted case by case",
        agree,
    )
    flagged = [
        Fraction(int(tp) + int(fp), int(counts.total_positives + counts.total_negatives))
        for tp, fp in naive
    ]
    ours = [measure(counts, "posfrac", threshold=float(cut)) for cut in counts.scores]
    yield _held(
        "eq3",
        ("L17",),
        "POSfrac on the thresholds of the ROC",
        f"at all {len(ours)}, as counted case by case",
        ours == list(map(float, flagged)),
    )


def _conditions(counts: Counts) -> Iterator[Claim]:
    cuts = [
        float(choose(counts, at=Conditions(costs=Costs(fp=1, fn=miss))).threshold or 0)
        for miss in (1, 4, 30)
    ]
    text = (
        "thresholds " + ", ".join(f"{cut:.1f}" for cut in cuts) + " at costs of a miss of 1, 4, 30"
    )
    yield _held(
        "loss-matrix",
        ("L3",),
        "a loss matrix sets the decision boundary",
        text,
        cuts[0] > cuts[1] > cuts[2],
    )
    at = Conditions(prior="0.001")
    screened = fix(counts, "tpr = 0.8", at=at, volume=50_000).interpolated
    yield Claim(
        "workload",
        ("L5",),
        50_000 * float(screened.posfrac),
        float(screened["alerts"]),
        1e-9,
        "N·POSfrac, rounded once",
        unit="images",
        own_numbers=True,
    )
    weak, strong = Points.from_rates([0.2], [0.8]), Points.from_rates([0.05], [0.8])
    priors = (0.999, 0.5, 0.1, 1e-3, 1e-6, 1e-9)
    order = all(_posfrac(strong, prior) < _posfrac(weak, prior) for prior in priors)
    yield _held(
        "range-of-priors",
        ("L24", "L29"),
        "classifiers can be compared though only a range of priors is known",
        f"at a fixed TPr the order is that of FPr at all of {len(priors)} priors",
        order,
        "eq 5 rises with FPr at every prior",
    )
    fixed = fix(counts, "tpr = 0.8", at=at).interpolated
    again = [
        fix(counts, f"{name} = {float(getattr(fixed, name))!r}", at=at).interpolated
        for name in ("posfrac", "precision")
    ]
    yield Claim(
        "independent-variable",
        ("L31",),
        (0.8, 0.8),
        tuple(float(point.tpr) for point in again),
        1e-9,
        "interpolated on the ROC",
        "TPr recovered from POSfrac, and from Purity",
        own_numbers=True,
    )
    early, late = Points.from_rates([0.05], [0.6]), Points.from_rates([0.2], [0.9])
    winners = [
        "early" if _posfrac(early, 0.01, tpr) < _posfrac(late, 0.01, tpr) else "late"
        for tpr in (0.5, 0.8)
    ]
    yield _held(
        "footnote",
        ("L32",),
        "another operating point may favour another classifier",
        f"at TPr .5 {winners[0]}, at TPr .8 {winners[1]}",
        winners == ["early", "late"],
    )


def _posfrac(points: Points, prior: float, tpr: float = 0.8) -> float:
    return float(fix(points, f"tpr = {tpr}", at=Conditions(prior=prior)).interpolated.posfrac)
