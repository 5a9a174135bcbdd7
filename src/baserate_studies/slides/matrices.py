"""The slides' confusion matrices: every one, with every number printed beside it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import baserate as br
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, printed, stated


class Shown(NamedTuple):
    """A matrix in the order of the slides, a TP, b FN, c FP, d TN, and what is printed beside
    it.
    """

    row: str
    cells: tuple[int, int, int, int]
    values: dict[str, str]

    @property
    def name(self) -> str:
        return "-".join(map(str, self.cells))

    @property
    def matrix(self) -> br.Confusion:
        return matrix(*self.cells)


MATRICES = (
    Shown(
        "S6", (10, 0, 10, 980), {"precision": "0.5", "tpr": "1", "f1": "0.62", "accuracy": "0.99"}
    ),
    Shown(
        "S7", (1, 9, 0, 990), {"precision": "1", "tpr": "0.1", "f1": "0.18", "accuracy": "0.991"}
    ),
    Shown(
        "S8",
        (40, 10, 10, 40),
        {"precision": "0.8", "tpr": "0.8", "fpr": "0.2", "f1": "0.8", "accuracy": "0.8"},
    ),
    Shown("S11", (10, 40, 10, 40), {"precision": "0.5", "tpr": "0.2", "fpr": "0.2"}),
    Shown("S12", (25, 25, 25, 25), {"precision": "0.5", "tpr": "0.5", "fpr": "0.5"}),
    Shown("S13", (40, 10, 40, 10), {"precision": "0.5", "tpr": "0.8", "fpr": "0.8"}),
)
SKEWED = (40, 10, 1000, 4000)
# The words of hypothesis tests, and the measure that each names.
WORDS = {
    "Type I error": "fpr",
    "alpha": "fpr",
    "Type II error": "fnr",
    "beta": "fnr",
    "power": "tpr",
    "sensitivity": "tpr",
    "specificity": "tnr",
    "positive predictive value": "precision",
    "error rate": "error",
}


def matrix(a: int, b: int, c: int, d: int) -> br.Confusion:
    """The cells a (TP), b (FN), c (FP) and d (TN) of the slides."""
    return br.Confusion(tp=a, fn=b, fp=c, tn=d)


def claims() -> Iterator[Claim]:
    """S1 to S13."""
    yield _rare()
    cells = matrix(1, 2, 3, 4)
    yield formula(
        "a-b-c-d",
        "S2",
        (1, 2, 3, 4),
        (cells[name] for name in ("tp", "fn", "fp", "tn")),
        note="TP, FN, FP, TN",
    )
    yield formula(
        "accuracy-formula",
        "S3",
        Fraction(3 + 1, 9),
        matrix(3, 1, 4, 1)["accuracy"],
        note="(a + d) / (a + b + c + d) of 3, 1, 4, 1",
    )
    nothing = br.choose(br.Counts([0.0], positives=[10], negatives=[990]), threshold=None)
    yield formula(
        "everything-no-accuracy", "S4", Fraction(990, 1000), nothing["accuracy"], in_print=True
    )
    yield formula("everything-no-detected", "S4", 0, nothing["tpr"])
    yield from _formulas()
    for shown in MATRICES:
        yield from _printed(shown)
    yield from _skewed()
    yield from _tests()


def _rare() -> Claim:
    at = br.Conditions(prior="1 in 100")
    good, blind = (
        br.Confusion.from_rates(tpr=0.9, fpr=0.02, positives=100, negatives=100),
        matrix(0, 100, 0, 100),
    )
    accuracies = [br.measure(model, "accuracy", at=at) for model in (good, blind)]
    words = (
        f"at 1 in 100, finding 90 % with 2 % false alarms is {accuracies[0]:.4g} accurate, finding"
        f" nothing {accuracies[1]:.4g}"
    )
    return stated(
        "accuracy-of-the-rare",
        "S1",
        "not well suited for imbalanced classes",
        words,
        holds=accuracies[0] < accuracies[1],
    )


def _formulas() -> Iterator[Claim]:
    a, b, c, d = 30, 10, 20, 140
    p, r = Fraction(a, a + c), Fraction(a, a + b)
    for name, value in (("precision", p), ("tpr", r), ("f1", 2 * r * p / (r + p))):
        yield formula(
            f"{name}-formula", "S5", value, matrix(a, b, c, d)[name], note="of 30, 10, 20, 140"
        )


def _printed(shown: Shown) -> Iterator[Claim]:
    for measure, value in shown.values.items():
        wrong = shown.row == "S6" and measure == "f1"
        later = matrix(40, 10, 40, 10)["f1"]
        note = (
            f"2/3; .62 is the F of precision .5 and recall .8 ({later:.4f}), a later matrix"
            if wrong
            else ""
        )
        name = f"{shown.name}-{measure}"
        yield printed(
            name, shown.row, value, shown.matrix[measure], errata="B13" if wrong else "", note=note
        )


def _skewed() -> Iterator[Claim]:
    """The matrix beside which the slide leaves the numbers blank."""
    name, found, balanced = "-".join(map(str, SKEWED)), matrix(*SKEWED), matrix(40, 10, 10, 40)
    values = tuple(float(found[key]) for key in ("precision", "tpr", "f1", "accuracy", "fpr"))
    reason, note = "the slide leaves the numbers blank", "precision, TPR, F, accuracy and FPR"
    yield Claim(f"{name}-numbers", ("S9",), None, values, reason=reason, note=note)
    same = all(found[key] == balanced[key] for key in ("tpr", "fpr"))
    words = (
        f"tpr {found['tpr']:g}, fpr {found['fpr']:g}, and precision {found['precision']:.4f}"
        f" instead of {balanced['precision']:g}"
    )
    note = "what the pair of slides is there to show: the rates stay, precision does not"
    yield stated(f"{name}-rates", "S9", "the same rates at 1 in 101", words, holds=same, note=note)
    read = br.measure(balanced, "precision", at=br.Conditions(prior=Fraction(50, 5050)))
    note = "40/10/10/40, read at the base rate of 40/10/1000/4000"
    yield formula(f"{name}-precision", "S9", Fraction(40, 1040), read, note=note)


def _tests() -> Iterator[Claim]:
    found = {word: br.Measure.parse(word).name for word in WORDS}
    right = [word for word in WORDS if found[word] == WORDS[word]]
    says = "; ".join(f"{word}: {name}" for word, name in WORDS.items())
    yield stated(
        "words-of-hypothesis-tests",
        "S10",
        says,
        f"{len(right)} of {len(WORDS)} words are read so",
        holds=len(right) == len(WORDS),
    )
    model = matrix(3, 5, 1, 7)
    alpha, beta, power = (model[br.Measure.parse(word)] for word in ("alpha", "beta", "power"))
    yield formula("power", "S10", 1 - Fraction(5, 8), power, note="1 − β of 3, 5, 1, 7")
    yield formula("fn-rate", "S10", Fraction(5, 8), beta, note="β")
    yield formula("fp-rate", "S10", 1 - Fraction(7, 8), alpha, note="α = 1 − specificity")
    yield formula("error-rate", "S10", 1 - Fraction(10, 16), model["error"], note="1 − accuracy")
