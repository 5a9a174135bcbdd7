"""Rows W1 to W29 and W35 to W39: definitions, weights, baselines and areas, against exact
arithmetic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from baserate import (
    Conditions,
    Confusion,
    Costs,
    Counts,
    InputError,
    Points,
    auc,
    choose,
    curve,
    fix,
    measure,
    pr,
)
from baserate.curves import (
    auprc,
    cost_area,
    cost_lines,
    ideal_baseline,
    min_cost,
    partial_auc,
    random_classifier,
    strip_weights,
    superiority,
    weighted_auc,
    weighted_cost_area,
    weighted_pr_area,
)
from baserate.types import Baseline
from baserate_studies.claims import Claim

POINT = Confusion(tp=30, fp=20, fn=10, tn=140)
COUNTS = Counts([5, 4, 3, 2, 1], [3, 1, 2, 0, 4], [1, 0, 4, 5, 20])
UNEVEN = Costs(fp=1, fn=5)
# Fig 1: two ROCs of one area, mirrored about the anti-diagonal; A reaches every positive first.
A, B = Points.from_rates([0.3], [1.0]), Points.from_rates([0.0], [0.7])
EXACT = "exact fractions, rounded once"
CLOSE, ROUNDING = 1e-12, "rounding alone"


def claims() -> tuple[Claim, ...]:
    """All of them."""
    return (
        *_measures(),
        *_costs(),
        *_curves(),
        *_weights(),
        *_shape(),
        *_baselines(),
        *_other_curves(),
    )


def _exact(
    name: str, rows: tuple[str, ...], published: Fraction | float, ours: float, note: str = ""
) -> Claim:
    return Claim(name, rows, float(published), float(ours), 0.0, EXACT, note, own_numbers=True)


def _held(name: str, rows: tuple[str, ...], published: str, ours: str, holds: bool) -> Claim:  # noqa: FBT001
    return Claim(name, rows, published, ours, reason="computed", holds=bool(holds))


def _measures() -> Iterator[Claim]:
    blind = Confusion(tp=0, fn=10, fp=0, tn=990)
    yield Claim(
        "blind",
        ("W1",),
        (0.99, 0.0),
        (float(blind["accuracy"]), float(blind["tpr"])),
        0.0,
        EXACT,
        "accuracy and recall of finding nothing",
    )
    rates = [Confusion(tp=30, fn=10, fp=160 - right, tn=right)["tpr"] for right in (0, 70, 160)]
    yield _held(
        "by-class",
        ("W2",),
        "classes are looked at one by one",
        "recall .75 whatever happens to the negatives",
        set(rates) == {0.75},
    )
    counted = choose(Counts([2, 1], [30, 10], [20, 140]), threshold=2).confusion
    yield Claim(
        "table1",
        ("W3",),
        (30.0, 10.0, 20.0, 140.0),
        tuple(float(counted[name]) for name in ("tp", "fn", "fp", "tn")),
        0.0,
        "counts",
        own_numbers=True,
    )
    yield _exact("accuracy", ("W4",), Fraction(170, 200), POINT["accuracy"])
    yield Claim(
        "eq1",
        ("W5",),
        50 / 30,
        float(POINT["precision"]),
        1e-9,
        "the printed ratio of returned to relevant exceeds 1",
        "relevant over returned, as the second form of eq 1 has it",
        errata=("B6",),
    )
    yield _exact("eq1-counts", ("W5",), Fraction(30, 50), POINT["precision"])
    yield _exact("eq2", ("W6",), Fraction(30, 40), POINT["tpr"])
    yield _exact(
        "eq3",
        ("W7",),
        2 * Fraction(3, 4) * Fraction(3, 5) / (Fraction(3, 4) + Fraction(3, 5)),
        POINT["f1"],
    )


def _costs() -> Iterator[Claim]:
    totals = tuple(
        float(measure(POINT, "total_cost", at=Conditions(costs=costs)))
        for costs in (Costs(fp=1, fn=1), UNEVEN)
    )
    yield Claim(
        "table2",
        ("W8", "W9"),
        (30.0, 70.0),
        totals,
        0.0,
        "counts times costs",
        "both cost matrices on one confusion matrix",
        own_numbers=True,
    )
    careful, eager = Confusion(tp=50, fn=50, fp=1, tn=99), Confusion(tp=90, fn=10, fp=20, tn=80)
    cheaper = [
        "careful" if _cost(careful, prior) < _cost(eager, prior) else "eager"
        for prior in ("0.5", "0.05")
    ]
    yield _held(
        "spot",
        ("W10",),
        "a confusion matrix shows one spot",
        f"at P = .5 {cheaper[0]} is cheaper, at .05 {cheaper[1]}",
        len(set(cheaper)) == 2,
    )
    ratio = tuple(costs.alpha for costs in (UNEVEN, Costs(fp=1, fn=1)))
    yield Claim(
        "alpha",
        ("W24",),
        (0.8, 0.0),
        ratio,
        0.0,
        EXACT,
        "α = 1 − cost ratio at 1:5 and at 1:1",
        own_numbers=True,
    )
    yield _held(
        "class-ratio",
        ("W37",),
        "unknown costs: the class ratio instead",
        "the same as α = 1 − 10/30",
        weighted_auc(COUNTS, alpha="class_ratio") == weighted_auc(COUNTS, alpha=1 - 10 / 30),
    )


def _cost(confusion: Confusion, prior: str) -> float:
    return float(measure(confusion, "expected_cost", at=Conditions(prior=prior)))


def _curves() -> Iterator[Claim]:
    """ROC, AUC, cost curve and precision-recall curve."""
    points = Points.of(COUNTS)
    shares = [_naive(cut) for cut in COUNTS.scores]
    traced = list(zip(points.fpr[1:].tolist(), points.tpr[1:].tolist(), strict=True))
    yield _held(
        "roc",
        ("W11",),
        "a point a threshold",
        f"{len(traced)} points, counted case by case",
        traced == shares,
    )
    ours, theirs = (
        Confusion.from_rates(tpr=tpr, fpr=fpr, positives=100, negatives=100)
        for tpr, fpr in ((0.9, 0.1), (0.7, 0.3))
    )
    better = all(_cost(ours, prior) < _cost(theirs, prior) for prior in ("0.9", "0.1", "0.0001"))
    yield _held(
        "top-left",
        ("W12",),
        "nearer to the top left is better",
        "cheaper at every prior tried",
        better,
    )
    guesses = [random_classifier(COUNTS, share) for share in (0.0, 0.25, 0.5, 1.0)]
    diagonal = all(point.tpr == point.fpr for point in guesses)
    yield Claim(
        "even-odds",
        ("W12",),
        "the diagonal is a random classifier with even odds",
        "a random classifier of any odds",
        reason="computed",
        holds=not diagonal,
        errata=("B9b",),
    )
    crossing = (
        superiority(Points.from_rates([0.1], [0.6]), Points.from_rates([0.4], [0.9]))
        .crossings[0]
        .fpr
    )
    yield Claim(
        "regions",
        ("W12",),
        20 / 65,
        float(crossing),
        CLOSE,
        ROUNDING,
        "where two ROCs cross",
        own_numbers=True,
    )
    pairs = Fraction(
        sum(p * (2 * sum(COUNTS.negatives[i + 1 :]) + n) for i, (p, n) in enumerate(_cells())),
        2 * 10 * 30,
    )
    yield _exact("auc", ("W13",), pairs, auc(COUNTS), "the share of pairs in the right order")
    again = Confusion.from_rates(tpr=POINT["tpr"], fpr=POINT["fpr"], positives=40, negatives=160)
    yield _held(
        "one-point",
        ("W14",),
        "a confusion matrix is a point of the ROC",
        "and comes back from it, given the class totals",
        again == POINT,
    )
    at_zero, at_one, _ = cost_lines(COUNTS)
    lines = at_zero.tolist() == points.fpr.tolist() and np.allclose(
        1 - at_one, points.tpr, rtol=1e-15
    )
    hulls = curve(points.hull(), "cost").y.tolist() == curve(COUNTS, "cost").y.tolist()
    yield _held(
        "cost-curve",
        ("W15",),
        "every ROC has a cost curve; its slopes touch the ROC",
        "a line a point; the envelope is that of the hull",
        lines and hulls,
    )
    purity = pr(COUNTS)
    naive = [(tp, tp / (tp + fp)) for tp, fp in ((tpr * 10, fpr * 30) for fpr, tpr in shares)]
    agree = np.allclose(
        [(10 * x, y) for x, y in zip(purity.x[1:], purity.y[1:], strict=True)], naive, rtol=1e-12
    )
    yield _held(
        "pr", ("W16",), "precision against recall", "at each threshold, counted case by case", agree
    )


def _cells() -> list[tuple[int, int]]:
    return [(int(p), int(n)) for p, n in zip(COUNTS.positives, COUNTS.negatives, strict=True)]


def _naive(cut: float) -> tuple[float, float]:
    flagged = COUNTS.scores >= cut
    return int(COUNTS.negatives[flagged].sum()) / 30, int(COUNTS.positives[flagged].sum()) / 10


def _weights() -> Iterator[Claim]:
    """Fig 2, eq 4 and its ends."""
    seven = (0.5, 0.75, 0.875, 0.9375, 0.96875, 0.984375, 1.984375)
    yield Claim(
        "fig2",
        ("W20",),
        seven,
        tuple(strip_weights(7, 0.5).tolist()),
        0.0,
        "powers of two are exact",
        "they sum to 7",
        own_numbers=True,
    )
    share = Fraction(1, 10)
    printed = [share]
    for place in range(1, 5):
        printed.append((share * printed[-1] + 1 - share) / (1 - share if place == 4 else 1))
    ours = strip_weights(5, 0.1)
    yield Claim(
        "eq4",
        ("W21",),
        tuple(map(float, printed)),
        tuple(ours.tolist()),
        1e-9,
        "rounding alone",
        f"as printed they sum to {float(sum(printed)):.2f}, not to 5: W(0) = 1 − α is meant",
        errata=("B7",),
    )
    closed = [1 - share ** (i + 1) for i in range(4)] + [(1 - share**5) / (1 - share)]
    yield Claim(
        "eq4-mended",
        ("W21",),
        tuple(map(float, closed)),
        tuple(ours.tolist()),
        CLOSE,
        ROUNDING,
        "1 − α^(x+1), the last (1 − αⁿ)/(1 − α)",
        own_numbers=True,
    )
    single = [strip_weights(1, alpha).tolist() for alpha in (0, 0.1, 1)]
    yield Claim(
        "eq4-one-strip",
        ("W21",),
        "undefined: x = 0 and x = N at once",
        "a single strip weighs 1",
        reason="computed",
        holds=single != [[1.0]] * 3,
        errata=("B7b",),
    )
    plain = all(
        abs(weighted_auc(COUNTS, alpha=0, strips=strips) - auc(COUNTS)) < CLOSE
        for strips in (10, "segments", "continuous")
    )
    yield _held(
        "alpha-0",
        ("W22", "W38"),
        "α = 0 is the AUC: no shift of weight",
        "in all three forms",
        plain,
    )
    top = strip_weights(4, 1).tolist()
    yield Claim(
        "alpha-1",
        ("W22",),
        (0.0, 0.0, 0.0, 4.0),
        tuple(top),
        0.0,
        "the limit",
        "only the area at the top counts",
        own_numbers=True,
    )


def _shape() -> Iterator[Claim]:
    """What the weighted area is for, and what it is not."""
    ninety = partial_auc(A, tpr=(0.9, 1)) > partial_auc(B, tpr=(0.9, 1))
    yield _held(
        "above-90",
        ("W17",),
        "with a target of 90 %, only the area above counts",
        "A over B there, with one AUC",
        ninety,
    )
    lowest = float(fix(Counts([3, 2, 1], [6, 4, 0], [1, 2, 7]), "tpr = 1").interpolated.fpr)
    yield _exact(
        "full-recall",
        ("W18",),
        Fraction(3, 10),
        lowest,
        "the lowest FPR with every positive caught",
    )
    same = abs(weighted_auc(A, alpha=0) - weighted_auc(B, alpha=0)) < CLOSE
    normal = all(
        weighted_auc(A, alpha=a, strips=k) > weighted_auc(B, alpha=a, strips=k)
        for a, k in itertools.product((0.1, 0.5), (2, 10))
    )
    yield _held(
        "fig1",
        ("W19",),
        "A and B have one AUC, and A is better at a high TPR",
        "by the normalised area A is ahead",
        same and normal,
    )
    pair = [float(weighted_auc(points, alpha=0.1, strips="segments")) for points in (A, B)]
    yield Claim(
        "fig1-as-published",
        ("W19", "W39"),
        "the weighted AUC prefers A",
        f"as published A {pair[0]:.3f}, B {pair[1]:.3f}",
        reason="α = .1",
        holds=pair[0] > pair[1],
        errata=("B8",),
        note=(
            "the published form fails on the paper's own first figure; strips of equal height"
            " do not"
        ),
    )
    segments = _segments(Fraction(1, 10))
    ours = float(weighted_auc(COUNTS, alpha=0.1, strips="segments"))
    yield Claim(
        "weighted-auc",
        ("W23",),
        float(segments),
        ours,
        CLOSE,
        ROUNDING,
        "each segment's area times its weight",
        own_numbers=True,
    )
    perfect = Counts([2, 1], [5, 0], [0, 7])
    values = [float(weighted_auc(perfect, alpha=0.1, strips=strips)) for strips in ("segments", 10)]
    yield Claim(
        "maximum",
        ("W25",),
        1.0,
        values[0],
        CLOSE,
        ROUNDING,
        f"a perfect classifier scores 1 − α; with strips of equal height {values[1]:.6g}",
        errata=("B8",),
    )
    equal = _equal_pair()
    yield Claim(
        "fig5",
        ("W34",),
        None,
        equal,
        reason="C is solved to have the weighted area of A: any one number is that of many ROCs",
    )
    at = Conditions(prior="0.5", costs=UNEVEN)
    cheaper = min_cost(A, at=at) < min_cost(B, at=at) and weighted_auc(
        A, costs=UNEVEN
    ) > weighted_auc(B, costs=UNEVEN)
    yield _held(
        "recommendation",
        ("W39",),
        "where costs are biased, use the weighted area",
        "normalised, it prefers the cheaper of the pair",
        cheaper,
    )


def _segments(alpha: Fraction) -> Fraction:
    """The published form, in fractions."""
    tp = [0, *itertools.accumulate(p for p, _ in _cells())]
    fp = [0, *itertools.accumulate(n for _, n in _cells())]
    areas = [
        Fraction(tp[i + 1] - tp[i], 10) * (1 - Fraction(fp[i] + fp[i + 1], 60)) for i in range(5)
    ]
    weights = [1 - alpha ** (i + 1) for i in range(4)] + [(1 - alpha**5) / (1 - alpha)]
    return sum((area * weight for area, weight in zip(areas, weights, strict=True)), Fraction(0))


def equal_to_a() -> Points:
    """C of Fig 5: another ROC with the normalised weighted area of A at α = .1."""
    from scipy.optimize import brentq

    target = float(weighted_auc(A, alpha=0.1))
    height = brentq(
        lambda tpr: (
            float(weighted_auc(Points.from_rates([0.05, 0.6], [tpr, 1.0]), alpha=0.1)) - target
        ),
        0.1,
        1.0,
        xtol=1e-15,
    )
    return Points.from_rates([0.05, 0.6], [height, 1.0])


def _equal_pair() -> tuple[float, float]:
    return float(weighted_auc(A, alpha=0.1)), float(weighted_auc(equal_to_a(), alpha=0.1))


def _baselines() -> Iterator[Claim]:
    """§4: what a classifier must beat."""
    for name, row, negatives, intercept in (
        ("balanced", "W26", 100, 0.8),
        ("skewed", "W27", 400, 0.2),
    ):
        line = _baseline(100, negatives)
        yield Claim(
            f"baseline-{name}",
            (row,),
            (intercept, 1.0),
            (float(line.tpr(0)), float(line.tpr(1))),
            1e-15,
            ROUNDING,
            "TPR at FPR 0 and at 1",
        )
    yield Claim(
        "missed",
        ("W27",),
        400.0,
        float(
            measure(
                Confusion(tp=20, fn=80, fp=0, tn=400), "total_cost", at=Conditions(costs=UNEVEN)
            )
        ),
        0.0,
        "counts times costs",
        "missing 80 of 100 costs as much as 400 false alarms",
    )
    line = _baseline(100, 1000)
    yield Claim(
        "baseline-through-corner",
        ("W28",),
        -1.0,
        float(line.tpr(0)),
        1e-9,
        "rounding alone",
        "at a slope of 2 flagging nothing is cheaper, and the line starts at (0, 0); the printed"
        " one would miss 200 of 100",
        errata=("B9",),
    )
    at = Conditions(prior=Fraction(1, 5), costs=UNEVEN)
    yield _exact("slope", ("W29",), Fraction(4, 5) / (Fraction(1, 5) * 5), at.iso_cost_slope)
    point, hull = choose(COUNTS, at=at), Points.of(COUNTS).hull()
    place = [hull.threshold(i) for i in range(len(hull))].index(point.threshold)
    slopes = np.diff(hull.tpr) / np.maximum(np.diff(hull.fpr), 1e-300)
    touching = (
        slopes[place - 1] >= at.iso_cost_slope >= (slopes[place] if place < len(slopes) else 0)
    )
    yield _held(
        "tangent",
        ("W29",),
        "the cost curve's slopes touch the ROC",
        "the cheapest point is where that slope touches the hull",
        touching,
    )


def _baseline(positives: int, negatives: int) -> Baseline:
    return ideal_baseline(
        Conditions(prior=Fraction(positives, positives + negatives), costs=UNEVEN)
    )


def _other_curves() -> Iterator[Claim]:
    """§6: weight shifted along the cost curve and the precision-recall curve."""
    gains = weighted_cost_area(A, alpha=0.5) < weighted_cost_area(B, alpha=0.5)
    plain = abs(cost_area(A) - cost_area(B)) < CLOSE
    yield _held(
        "fig6",
        ("W35",),
        "the weight of a cost curve shifts to the right",
        "A, equal to B without weights, is cheaper with them",
        gains and plain,
    )
    none = abs(weighted_pr_area(COUNTS, alpha=0) - auprc(COUNTS)) < CLOSE
    early, late = (
        Counts([3, 2, 1], [8, 0, 2], [0, 10, 90]),
        Counts([3, 2, 1], [5, 5, 0], [1, 3, 96]),
    )
    shift = [
        float(weighted_pr_area(counts, alpha=0.8) - weighted_pr_area(counts, alpha=0))
        for counts in (early, late)
    ]
    text = (
        f"the model that keeps its precision at full recall loses {-shift[1]:.3f}, the other"
        f" {-shift[0]:.3f}"
    )
    yield _held(
        "fig7",
        ("W36",),
        "the weight of a precision-recall curve shifts to the right",
        text,
        none and shift[1] > shift[0],
    )
    try:
        weighted_auc(Counts([2, 1], [5, 5], [1, 2]), alpha="class_ratio")
        refused = False
    except InputError:
        refused = True
    words = (
        f"{'refused' if refused else 'answered'} where positives are the many: α would be negative"
    )
    yield Claim(
        "class-ratio-above-1",
        ("W37",),
        None,
        words,
        reason="the paper does not say what is meant there",
    )
