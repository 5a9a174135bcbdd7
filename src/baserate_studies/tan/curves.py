"""§5.7.2: the ROC, its critical points, Figs 5.41 to 5.43, and the area under it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import baserate as br
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, printed, stated, unavailable
from baserate_studies.values import Picture

# Fig 5.42 as it was meant; the slides print the same ten records.
SCORES = (0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95)
CLASSES = "+-+---+-++"
PRINTED_CLASSES = "+-+--+-+-++"
# Its columns, from everything flagged to nothing: threshold, TP, FP, TN, FN, TPR and FPR as printed
# in the book.
COLUMNS = (
    ("0.25", "5 5 0 0 1 1"),
    ("0.43", "4 5 0 1 0.8 1"),
    ("0.53", "4 4 1 1 0.8 0.8"),
    ("0.76", "3 4 1 2 0.6 0.8"),
    ("0.85", "3 3 2 2 0.6 0.6"),
    ("0.85", "3 2 3 2 0.6 0.4"),
    ("0.85", "3 1 4 2 0.6 0.2"),
    ("0.87", "2 1 4 3 0.4 0.2"),
    ("0.93", "2 0 5 3 0.4 0"),
    ("0.95", "1 0 5 4 0.4 0"),
    ("1.00", "0 0 5 5 0 0"),
)
NAMES = ("tp", "fp", "tn", "fn", "tpr", "fpr")
CROSSING = 0.36


def ten_records() -> br.Counts:
    """The ten records of Fig 5.42 and of the slides."""
    return br.count([int(sign == "+") for sign in CLASSES], SCORES)


def crossing_models() -> dict[str, br.Points]:
    """Two ROCs with what the text says of those in Fig 5.41, whose data were not published: M1 is
    better below an fpr of .36, M2 above.
    """
    fpr = np.linspace(0, 1, 101)
    first = fpr**0.3
    power = math.log(1 - first[36]) / math.log(1 - CROSSING)
    return {
        "M1": br.Points.from_rates(fpr, first),
        "M2": br.Points.from_rates(fpr, 1 - (1 - fpr) ** power),
    }


def claims() -> Iterator[Claim]:
    """T15 to T22."""
    counts = ten_records()
    points = br.Points.of(counts)
    models = [br.flag_at(counts, points.threshold(place)) for place in range(len(points))]
    same = all(
        (model.fpr, model.tpr) == (points.fpr[place], points.tpr[place])
        for place, model in enumerate(models)
    )
    words = f"{len(models)} points, each the rates of one threshold"
    yield stated("roc-points", "T15", "each point is one of the models", words, holds=same)
    yield from _corners(points)
    yield from _comparison()
    yield from _construction(counts, points)


def _corners(points: br.Points) -> Iterator[Claim]:
    yield printed(
        "all-negative",
        "T16",
        "0 0",
        (points.tpr[0], points.fpr[0]),
        note="TPR, FPR of flagging nothing",
    )
    yield printed(
        "all-positive-rates",
        "T16",
        "1 1",
        (points.tpr[-1], points.fpr[-1]),
        note="TPR, FPR of flagging everything",
    )
    ideal = br.choose(br.count([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]))
    yield printed(
        "ideal",
        "T16",
        "1 0",
        (ideal.tpr, ideal.fpr),
        note="TPR, FPR where every positive has a higher score than every negative",
    )
    guessed = br.random_classifier(br.Counts([0], positives=[40], negatives=[160]), 0.3)
    yield formula(
        "tpr-of-random-guessing",
        "T17",
        Fraction(3, 10),
        guessed.tpr,
        note="40 positives, 160 negatives, p = .3",
    )
    wrong = "printed as (p n−)/p, which is n−: the divisor is n−"
    yield formula(
        "fpr-of-random-guessing",
        "T17",
        Fraction(3, 10) * 160 / Fraction(3, 10),
        guessed.fpr,
        errata="B3",
        note=wrong,
    )
    yield stated(
        "diagonal",
        "T17",
        "TPR and FPR are identical",
        f"{guessed.tpr:g} and {guessed.fpr:g}",
        holds=guessed.tpr == guessed.fpr,
    )


def _comparison() -> Iterator[Claim]:
    pair = crossing_models()
    found = br.superiority(pair["M1"], pair["M2"])
    places = ", ".join(f"{crossing.fpr:.2f}" for crossing in found.crossings)
    reason = "the two curves of Fig 5.41 were not published"
    yield unavailable(
        "fig-5.41-crossing",
        "T18 T15",
        0.36,
        reason,
        note=f"a pair made to cross there is drawn, and is found to cross at {places}",
    )
    better = " and ".join(
        f"{stretch.better} from {stretch.low:.2g} to {stretch.high:.2g}"
        for stretch in found.stretches
    )
    note = "it follows from the crossing; of the stand-in"
    words = f"{found.dominant} dominates: {better}"
    yield stated(
        "fig-5.41-dominance",
        "T18",
        "neither dominates the other",
        words,
        holds=found.dominant == "neither",
        note=note,
    )
    perfect, guessing = (
        br.count([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]),
        br.count([0, 0, 1, 1], [0.5] * 4),
    )
    yield formula("auc-of-a-perfect-model", "T19", 1, br.auc(perfect), in_print=True)
    yield formula("auc-of-guessing", "T19", Fraction(1, 2), br.auc(guessing), in_print=True)
    dominated, contrary = dominance(300)
    words = (
        f"{dominated} of 300 random pairs dominate, {contrary} of them with an area that is not"
        " larger"
    )
    note = "6 positives and 8 negatives with scores of few values; seed 19"
    yield stated(
        "auc-of-the-better",
        "T19",
        "larger",
        words,
        holds=dominated > 50 and contrary == 0,
        note=note,
    )


def dominance(pairs: int, seed: int = 19) -> tuple[int, int]:
    """Of random pairs of ROCs, how many dominate, and how many of those have no larger area?"""
    rng, labels = np.random.default_rng(seed), np.repeat([1, 0], [6, 8])
    dominated = contrary = 0
    for _ in range(pairs):
        first, second = (br.count(labels, rng.integers(0, 6, 14) + 2 * labels) for _ in range(2))
        better = br.superiority(first, second).dominant
        if better in ("first", "second"):
            gain = (
                br.auc(first) - br.auc(second)
                if better == "first"
                else br.auc(second) - br.auc(first)
            )
            dominated, contrary = dominated + 1, contrary + (gain <= 0)
    return dominated, contrary


def _construction(counts: br.Counts, points: br.Points) -> Iterator[Claim]:
    steps = procedure()
    yield formula(
        "procedure-last-step",
        "T20",
        steps[-1],
        points.counted(0)[:2],
        errata="B5b",
        note="TP and FP: (0, 0) takes one step more, as Fig 5.42 does",
    )
    signs = (PRINTED_CLASSES.count("+"), PRINTED_CLASSES.count("-"))
    totals = (counts.total_positives, counts.total_negatives)
    yield formula(
        "fig-5.42-classes",
        "T21",
        signs,
        totals,
        errata="B4",
        note="the class row has one sign too many: five and five, the text says",
    )
    for number, (threshold, column) in enumerate(COLUMNS, start=1):
        yield _column(counts, number, threshold, column)
    area, note = (
        _area([tuple(map(int, column.split()[:2])) for _, column in COLUMNS]),
        "of the printed columns; ties were put in some order",
    )
    yield formula(
        "fig-5.43-area-of-the-columns", "T22", area, br.auc(counts), errata="B5", note=note
    )
    yield formula(
        "fig-5.43-pairs-in-order",
        "T22",
        _pairs(),
        br.auc(counts),
        note="Mann–Whitney: pairs of a positive and a negative, ties one half",
    )


def _column(counts: br.Counts, number: int, threshold: str, column: str) -> Claim:
    point = br.flag_at(counts, float(threshold))
    reached = tuple(float(point[name]) for name in NAMES)
    errata = {6: "B5", 7: "B5", 10: "B4"}.get(number, "")
    notes = {
        "B5": "three records tie at .85, so no threshold flags two of them",
        "B4": "TP 1 of 5 is a TPR of .2",
    }
    note = "; ".join(
        filter(None, (f"TP, FP, TN, FN, TPR, FPR at ≥ {threshold}", notes.get(errata)))
    )
    return printed(f"fig-5.42-column-{number}", "T21", column, reached, errata=errata, note=note)


def procedure() -> list[tuple[int, int]]:
    """TP and FP after each step of the printed procedure, to where it says to stop."""
    tp = fp = 5
    steps = [(tp, fp)]
    for sign in CLASSES[:-1]:
        tp, fp = (tp - 1, fp) if sign == "+" else (tp, fp - 1)
        steps.append((tp, fp))
    return steps


def _area(points: list[tuple[int, ...]]) -> Fraction:
    """Trapezoids under (TP, FP) out of five and five."""
    rising = sorted(points)
    return sum(
        (
            Fraction(a[0] + b[0], 10) * Fraction(b[1] - a[1], 5)
            for a, b in itertools.pairwise(rising)
        ),
        Fraction(0),
    )


def _pairs() -> Fraction:
    records = list(zip(SCORES, CLASSES, strict=True))
    ups, downs = ([score for score, sign in records if sign == kind] for kind in "+-")
    return sum(
        (Fraction((up > down) * 2 + (up == down), 2) for up in ups for down in downs), Fraction(0)
    ) / (len(ups) * len(downs))


def pictures() -> Iterator[Picture]:
    """Figs 5.41 to 5.43."""
    pair = {name: br.roc(points) for name, points in crossing_models().items()}
    words = (
        "Fig 5.41: M1 is better below a false alarm rate of .36, M2 above. A pair with that"
        " property; the published one has no data."
    )
    yield Picture("fig-5.41", ("T15", "T18"), words, br.roc_panel(pair, title="M1 against M2"))
    counts = ten_records()
    words = (
        "Figs 5.42 and 5.43: the ROC of the ten records. Three scores tie at .85, and are one step:"
        " the area is .56."
    )
    points = {f"{score:g}": br.flag_at(counts, float(score)) for score in counts.scores}
    yield Picture(
        "fig-5.43",
        ("T21", "T22"),
        words,
        br.roc_panel(br.roc(counts), points=points, title="ROC of the ten records"),
    )
