"""What one resample of a measure at a chosen threshold takes, beside a naive loop with scikit-learn
in the same run.

python benchmarks/chosen_speed.py [rows]     (CPU time of the process, set-up included; scikit-learn: 3 resamples)
"""  # noqa: E501

from __future__ import annotations

import sys
import time

import numpy as np

import baserate as br
from baserate.inference.chosen_threshold import Resampling, chosen_intervals

PRIOR, REPLICATES = 0.01, 1000
AT = br.Conditions(0.001, br.Costs(fp=1, fn=100))
RULES = {
    "cheapest": {},
    "recall >= 0.8": {"rule": "recall >= 0.8"},
    "alerts <= 3000": {"rule": "alerts <= 3000", "volume": 1_000_000},
}


def naive(labels: np.ndarray, scores: np.ndarray, replicates: int = 3) -> float:
    """Seconds a resample: draw rows within each class, sort again, the cheapest threshold of the
    curve.
    """
    from sklearn.metrics import roc_curve

    rng, started = np.random.default_rng(0), time.process_time()
    classes = [np.flatnonzero(labels == label) for label in (1, 0)]
    for _ in range(replicates):
        drawn = np.concatenate([rng.choice(rows, len(rows)) for rows in classes])
        fpr, tpr, cuts = roc_curve(labels[drawn], scores[drawn])
        cuts[np.argmin(0.001 * 100 * (1 - tpr) + 0.999 * fpr)]
    return (time.process_time() - started) / replicates


def rows_of(rows: int) -> list[tuple[str, float]]:
    """Milliseconds a resample: of every rule, and of the naive loop."""
    rng = np.random.default_rng(0)
    labels = (rng.random(rows) < PRIOR).astype(int)
    scores = rng.normal(1.8 * labels, 1)
    counts = br.count(labels, scores)
    found = []
    for rule, options in RULES.items():
        point = br.choose(counts, at=AT, **options)
        started = time.process_time()
        chosen_intervals([(point, ["precision", "expected_cost"])], counts, Resampling(REPLICATES))
        found.append((rule, 1000 * (time.process_time() - started) / REPLICATES))
    return [*found, ("scikit-learn, cheapest", 1000 * naive(labels, scores))]


if __name__ == "__main__":
    size = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    print(f"| {size} rows, prior {PRIOR} | ms CPU a resample |\n|---|---|")
    for name, took in rows_of(size):
        print(f"| {name} | {took:.3g} |")
