"""Resampling, beside a naive loop with scikit-learn: `python
benchmarks/resampling.py [ROWS …]` (1e5, 1e6).

CPU milliseconds a replicate, without what is done once (two runs of different length are
subtracted), and how many times faster than drawing rows with replacement and calling scikit-learn
on them. Scores of two models with correlation 0.7, prior 1 %; costs fn = 200 at prior 0.1 %.
"""

import os
import sys
import time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

import baserate as br

AT = br.Conditions(prior=0.001, costs=br.Costs(fn=200))
FEW, MANY = 100, 400
CLUSTERS = 2000


def sample(rows):
    """Labels, the scores of two models, and clusters."""
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.01).astype(int)
    shared = rng.normal(size=rows)
    first, second = (shared + 0.6 * rng.normal(size=rows) + gain * y for gain in (1.5, 1.4))
    return y, first, second, rng.integers(0, CLUSTERS, rows)


def seconds(work, *arguments):
    started = time.process_time()
    work(*arguments)
    return time.process_time() - started


def each(work):
    """CPU seconds a replicate, and of what is done once."""
    work(FEW)
    few, many = seconds(work, FEW), seconds(work, MANY)
    one = max(many - few, 0.0) / (MANY - FEW)
    return one, max(0.0, few - FEW * one)


def least_cost(y, scores):
    fpr, tpr, _ = roc_curve(y, scores)
    return float((0.001 * 200 * (1 - tpr) + 0.999 * fpr).min())


def naive(y, first, second, groups):
    """What one would write: rows drawn with replacement, and scikit-learn."""
    rng = np.random.default_rng(1)
    order, starts = (
        np.argsort(groups, kind="stable"),
        np.searchsorted(np.sort(groups), np.arange(CLUSTERS + 1)),
    )

    def rows():
        return rng.integers(0, len(y), len(y))

    def whole():
        drawn = rng.integers(0, CLUSTERS, CLUSTERS)
        return np.concatenate([order[starts[one] : starts[one + 1]] for one in drawn])

    def chosen():
        picked = rows()
        least_cost(y[picked], first[picked])

    def pair(statistic):
        picked = rows()
        statistic(y[picked], second[picked]), statistic(y[picked], first[picked])

    def fixed():
        picked = rows()
        for scores, cut in ((first, 2.0), (second, 2.1)):
            flagged = scores[picked] >= cut
            flagged[y[picked] == 1].mean(), flagged[y[picked] == 0].mean()

    def clustered():
        picked = whole()
        roc_auc_score(y[picked], first[picked])

    return [
        chosen,
        lambda: pair(average_precision_score),
        lambda: pair(least_cost),
        fixed,
        clustered,
    ]


def ours(y, first, second, groups):
    counts, joint = br.count(y, first), br.count(y, {"a": first, "b": second})
    grouped = br.count(y, first, cluster=groups)
    return {
        "cost at the cheapest threshold": lambda n: br.interval(
            counts, "expected_cost", at=AT, replicates=n
        ),
        "average precision of two models": lambda n: br.compare(
            joint, "average_precision", replicates=n
        ),
        "cost of two models, cheapest thresholds": lambda n: br.compare(
            joint, "expected_cost", at=AT, replicates=n
        ),
        "precision of two models, fixed thresholds": lambda n: br.compare(
            joint, "precision", at=AT, threshold={"a": 2.0, "b": 2.1}, replicates=n
        ),
        f"AUC of {CLUSTERS} clusters": lambda n: br.interval(
            grouped, "auc", method="percentile", replicates=n
        ),
    }


def main(arguments):
    print("| statistic | rows | once, ms | a replicate, ms | scikit-learn loop, ms | times |")
    print("|---|---|---|---|---|---|")
    for rows in [int(float(argument)) for argument in arguments] or [10**5, 10**6]:
        data = sample(rows)
        for (name, work), loop in zip(ours(*data).items(), naive(*data), strict=True):
            one, once = each(work)
            loop()
            slow = seconds(lambda loop=loop: [loop() for _ in range(3)]) / 3
            times = f"{slow / one:,.0f}" if one > 1e-6 else "—"
            print(
                f"| {name} | {rows:,} | {1e3 * once:.0f} | {1e3 * one:.2f} | {1e3 * slow:.1f} |"
                f" {times} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
