"""§5.7.1: why accuracy misleads, Table 5.6, eqs 5.74 to 5.78, Example 5.8, and the table of
weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import baserate as br
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, printed, stated, unclaimed

# A matrix on which every formula gives another number.
MATRIX = br.Confusion(tp=30, fp=20, fn=10, tn=140)
TP, FP, FN, TN = (Fraction(count) for count in (30, 20, 10, 140))
P, R = TP / (TP + FP), TP / (TP + FN)


def claims() -> Iterator[Claim]:
    """T0 to T14."""
    yield unclaimed(
        "orphan-columns",
        "T0",
        "the end of another table: fifteen pairs of accuracies, and not a word about what they"
        " are of",
    )
    yield from _rare()
    yield from _counts()
    yield from _means()
    yield from _weights()


def _rare() -> Iterator[Claim]:
    """How rare, and what accuracy makes of it."""
    for name, written, published in (
        ("six-sigma", "4 per million", 4e-6),
        ("fraud", "1 in 100", 0.01),
    ):
        at = br.Conditions(prior=written)
        found = br.measure(
            "precision",
            br.Confusion.from_rates(tpr=0.99, fpr=0.01, positives=1, negatives=1),
            at=at,
        )
        note = (
            "at this base rate, of the alarms of a test with recall .99 and false alarm rate .01 a"
            f" share of {found:.3g} is real"
        )
        yield Claim(
            f"base-rate-{name}",
            ("T1",),
            published,
            float(at.prior or 0),
            1e-15,
            "one float64",
            note,
        )
    nothing = br.random_classifier(
        br.Points.from_rates([0.1], [0.9]), 0, at=br.Conditions(prior="1%")
    )
    yield formula(
        "all-legitimate-accuracy",
        "T2",
        Fraction(99, 100),
        nothing["accuracy"],
        note="at a base rate of 1 in 100",
        in_print=True,
    )
    yield formula("all-legitimate-detected", "T2", 0, nothing.tpr)


def _counts() -> Iterator[Claim]:
    symbols = {"f++": "tp", "f+-": "fn", "f-+": "fp", "f--": "tn"}
    found = ", ".join(f"{symbol} {br.Measure.parse(symbol).name.upper()}" for symbol in symbols)
    yield stated(
        "table-5.6",
        "T5",
        ", ".join(f"{symbol} {name.upper()}" for symbol, name in symbols.items()),
        found,
        holds=_read(symbols),
    )
    rates = {
        "TPR": TP / (TP + FN),
        "TNR": TN / (TN + FP),
        "FPR": FP / (TN + FP),
        "FNR": FN / (TP + FN),
    }
    yield formula(
        "four-rates",
        "T6",
        rates.values(),
        (MATRIX[br.Measure.parse(name)] for name in rates),
        note="of TP 30, FP 20, FN 10, TN 140",
    )
    yield formula("eq-5.74", "T7", P, MATRIX["precision"])
    yield formula("eq-5.75", "T7", R, MATRIX["tpr"])
    everything = br.random_classifier(br.Counts([0], positives=[10], negatives=[990]), 1)
    yield stated(
        "all-positive",
        "T8",
        "perfect recall, very poor precision",
        f"recall {everything.tpr:g}, precision {everything.precision:g}",
        holds=everything.tpr == 1 and everything.precision == 0.01,
        note="the precision of flagging everything is the prevalence, here 1 in 100",
    )
    memory = memoriser()
    yield stated(
        "memoriser",
        "T8",
        "very high precision, low recall",
        f"precision {memory['precision']:.3f}, recall {memory['tpr']:.3f}",
        holds=memory["precision"] > 0.9 and memory["tpr"] < 0.3,
        note=(
            "taken as very high: over .9, as low: under .3; 2 000 training and 10 000 test records"
            " of 10 000 kinds, 1 kind in 20 positive, 1 label in 1 000 wrong; seed 8"
        ),
    )


def _read(symbols: dict[str, str]) -> bool:
    return all(
        MATRIX[br.Measure.parse(symbol)] == getattr(MATRIX, name)
        for symbol, name in symbols.items()
    )


def memoriser(seed: int = 8) -> br.Confusion:
    """What is flagged where exactly the records are flagged that equal a positive training
    record?
    """
    rng = np.random.default_rng(seed)
    positive_kinds = rng.random(10_000) < 0.05
    kinds = rng.integers(0, 10_000, 12_000)
    labels = positive_kinds[kinds] ^ (rng.random(12_000) < 0.001)
    flagged = np.isin(kinds[2000:], kinds[:2000][labels[:2000]])
    point = br.flag_at(br.count(labels[2000:], flagged.astype(np.int64)), 1)
    return point.confusion


def _means() -> Iterator[Claim]:
    yield formula("eq-5.76-by-rates", "T9", 2 * R * P / (R + P), MATRIX["f1"])
    yield formula("eq-5.76-by-counts", "T9", 2 * TP / (2 * TP + FP + FN), MATRIX["f1"])
    yield formula("f1-harmonic-mean", "T9", 2 / (1 / R + 1 / P), MATRIX["f1"])
    # Precision 1/5 and recall 1, five times: the means of 1 and 5 are five times those of the two.
    one = br.Confusion(tp=1, fp=4, fn=0, tn=0)
    means = [5 * (one["precision"] + one["tpr"]) / 2, 5 * one["fowlkes_mallows"], 5 * one["f1"]]
    yield printed(
        "example-5.8",
        "T10",
        "3 2.236 1.667",
        means,
        note="arithmetic, geometric and harmonic mean of 1 and 5",
    )
    printed_form, by_rates = 5 * TP / (5 * TP + 4 * FP + FN), 5 * R * P / (R + 4 * P)
    yield formula("eq-5.77-by-rates", "T11", by_rates, MATRIX[_f_beta(2)], note="at β = 2")
    yield formula(
        "eq-5.77-by-counts",
        "T11",
        printed_form,
        MATRIX[_f_beta(2)],
        errata="B1",
        note=(
            "β² belongs to the false negatives: as printed, the two sides of the equation are 5/7"
            " and 5/8"
        ),
    )
    yield formula("f-at-beta-0", "T12", P, MATRIX[_f_beta(0)], note="precision")
    yield formula("f-at-beta-infinity", "T12", R, MATRIX[_f_beta(math.inf)], note="recall")


def _f_beta(beta: float) -> br.Measure:
    return br.Measure("f_beta", (("beta", beta),))


def weighted(*weights: float) -> br.Measure:
    """Weighted accuracy, w1 TP … w4 TN."""
    return br.Measure(
        "weighted_accuracy", tuple((f"w{i}", w) for i, w in enumerate(weights, start=1))
    )


def _weights() -> Iterator[Claim]:
    w = (Fraction(1), Fraction(2), Fraction(3), Fraction(4))
    right = w[0] * TP + w[3] * TN
    yield formula(
        "eq-5.78",
        "T13",
        right / (right + w[1] * FP + w[2] * FN),
        MATRIX[weighted(1, 2, 3, 4)],
        note="weights 1, 2, 3, 4",
    )
    for name, measure, weights, mended in (
        ("recall", "tpr", (1, 1, 0, 0), "(1, 0, 1, 0)"),
        ("precision", "precision", (1, 0, 1, 0), "(1, 1, 0, 0)"),
        ("Fβ", "f_beta(beta=2)", (5, 4, 1, 0), "(β² + 1, 1, β², 0)"),
    ):
        note = f"w2 belongs to FP and w3 to FN in eq 5.78, so the weights of {name} are {mended}"
        yield formula(
            f"weights-of-{measure.partition('(')[0]}",
            "T14",
            MATRIX[weighted(*weights)],
            MATRIX[measure],
            errata="B2",
            note=note,
        )
    yield formula("weights-of-accuracy", "T14", MATRIX[weighted(1, 1, 1, 1)], MATRIX["accuracy"])
