"""Do intervals of an estimated base rate cover, and does the check of label shift keep its level?

`python benchmarks/prior_shift.py [SETS [SETTING...]]` prints the table of
benchmarks/prior_shift.md, or rows of it, numbered from 0.

Binormal scores (positives at 1.5, negatives at 0, both of spread 1) and their heavy-tailed sisters
(Student's t, 3 degrees of freedom), with the exact probabilities at the base rate of the labelled
sample for EM. Each set draws both samples anew.
"""

from __future__ import annotations

import math
import os
import sys

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np

import baserate as br
from baserate.shift.estimate import ADJUSTED, EM

SHIFT = 1.5
METHODS = (ADJUSTED, EM)
# A fifth of the default, for time: quantiles of so few lie a little further in (94.5 % of 401
# ranks), so that the default covers no less.
REPLICATES = 400
# family, positives, negatives, unlabelled cases, base rate of the field
SETTINGS = (
    ("normal", 100, 400, 500, 0.05),
    ("normal", 100, 400, 500, 0.3),
    ("normal", 50, 1000, 2000, 0.02),
    ("normal", 30, 300, 300, 0.5),
    ("student", 100, 400, 500, 0.1),
    ("student", 50, 1000, 2000, 0.02),
)


def drawn(rng: np.random.Generator, family: str, cases: int, *, positive: bool) -> np.ndarray:
    noise = rng.normal(size=cases) if family == "normal" else rng.standard_t(3, cases)
    return noise + SHIFT * positive


def log_ratio(family: str, x: np.ndarray) -> np.ndarray:
    """The logarithm of the density of positives over that of negatives."""
    if family == "normal":
        return SHIFT * x - SHIFT**2 / 2
    return 2 * (np.log1p(x**2 / 3) - np.log1p((x - SHIFT) ** 2 / 3))


def probabilities(family: str, x: np.ndarray, prior: float) -> np.ndarray:
    return 1 / (1 + np.exp(-log_ratio(family, x)) * (1 - prior) / prior)


def once(rng: np.random.Generator, setting: tuple) -> tuple[list[bool], bool, list[float]]:
    family, positives, negatives, cases, prior = setting
    trained = positives / (positives + negatives)
    found = int(rng.binomial(cases, prior))
    labelled = np.concatenate(
        (
            drawn(rng, family, positives, positive=True),
            drawn(rng, family, negatives, positive=False),
        )
    )
    field = np.concatenate(
        (
            drawn(rng, family, found, positive=True),
            drawn(rng, family, cases - found, positive=False),
        )
    )
    counts = br.count(
        np.repeat((1, 0), (positives, negatives)), probabilities(family, labelled, trained)
    )
    unlabelled = br.count_unlabelled(probabilities(family, field, trained))
    covered, values = [], []
    for method in METHODS:
        given = {"calibrated_at": trained} if method == EM else {}
        estimate = br.estimate_prior(
            counts,
            unlabelled,
            method=method,
            replicates=REPLICATES,
            seed=int(rng.integers(2**31)),
            **given,
        )
        covered.append(prior in estimate)
        values.append(estimate.value)
    return covered, br.shift.check_label_shift(counts, unlabelled).moved, values


def share(hits: list[bool]) -> str:
    """How often it was so, and the Monte-Carlo standard error of that."""
    found = float(np.mean(hits))
    return f"{found:.4f} ± {math.sqrt(found * (1 - found) / len(hits)):.4f}"


def row(place: int, sets: int) -> str:
    """One setting, from a stream of its own."""
    rng = np.random.default_rng((9, place))
    covered, moved, values = zip(*(once(rng, SETTINGS[place]) for _ in range(sets)), strict=True)
    means = np.mean(values, axis=0)
    shown = [
        f"{share(hits)}, {mean:.4f}"
        for hits, mean in zip(zip(*covered, strict=True), means, strict=True)
    ]
    return "| " + " | ".join([*map(str, SETTINGS[place]), *shown, share(moved), str(sets)]) + " |"


def main(sets: int = 10_000, *places: int) -> None:
    if not places:
        heads = [
            *("family", "positives", "negatives", "unlabelled", "prior"),
            *(f"{method}: covered, mean" for method in METHODS),
        ]
        print("|", " | ".join([*heads, "check rejects", "sets"]), "|")
        print("|---|---|---|---|---|" + "---|" * len(METHODS) + "---|---|")
    for place in places or range(len(SETTINGS)):
        print(row(place, sets), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
