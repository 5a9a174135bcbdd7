"""Do intervals of an estimated base rate cover, and does the check of label shift keep its level? `python benchmarks/prior_shift.py [SETS]`.

Binormal scores (positives at 1.5, negatives at 0, both of spread 1) and their heavy-tailed sisters (Student's t, 3 degrees of freedom), with
the exact probabilities at the base rate of the labelled sample for EM. Each set draws both samples anew.
"""

from __future__ import annotations

import math
import sys

import numpy as np

import baserate as br
from baserate.shifts.estimating import ADJUSTED, EM

SHIFT = 1.5
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


def once(rng: np.random.Generator, setting: tuple, methods: tuple[str, ...], replicates: int) -> tuple[list[bool], bool, list[float]]:
    family, positives, negatives, cases, prior = setting
    trained = positives / (positives + negatives)
    found = int(rng.binomial(cases, prior))
    labelled = np.concatenate((drawn(rng, family, positives, positive=True), drawn(rng, family, negatives, positive=False)))
    field = np.concatenate((drawn(rng, family, found, positive=True), drawn(rng, family, cases - found, positive=False)))
    counts = br.count(np.repeat((1, 0), (positives, negatives)), probabilities(family, labelled, trained))
    unlabelled = br.count_unlabelled(probabilities(family, field, trained))
    covered, values = [], []
    for method in methods:
        given = {"calibrated_at": trained} if method == EM else {}
        estimate = br.estimate_prior(counts, unlabelled, method=method, replicates=replicates, seed=int(rng.integers(2**31)), **given)
        covered.append(prior in estimate)
        values.append(estimate.value)
    return covered, br.check_label_shift(counts, unlabelled).moved, values


def main(sets: int = 1000, *methods: str) -> None:
    asked = methods or (ADJUSTED, EM)
    print(
        "| family | positives | negatives | unlabelled | prior |", " | ".join(f"{m}: covered, mean" for m in asked), "| check rejects | sets |"
    )
    print("|---|---|---|---|---|" + "---|" * len(asked) + "---|---|")
    for place, setting in enumerate(SETTINGS):
        rng = np.random.default_rng((9, place))
        runs = [once(rng, setting, asked, 400) for _ in range(sets)]
        shares = np.mean([run[0] for run in runs], axis=0)
        means = np.mean([run[2] for run in runs], axis=0)
        shown = " | ".join(f"{s:.4f} ± {math.sqrt(s * (1 - s) / sets):.4f}, {mean:.4f}" for s, mean in zip(shares, means, strict=True))
        rejected = float(np.mean([run[1] for run in runs]))
        size = f"{rejected:.4f} ± {math.sqrt(rejected * (1 - rejected) / sets):.4f}"
        print("|", " | ".join(map(str, setting)), "|", shown, "|", size, "|", sets, "|", flush=True)


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))
