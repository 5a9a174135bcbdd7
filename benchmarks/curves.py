"""Curves, summaries and decisions beside counting and scikit-learn, in one run: prints the second
table of benchmarks/README.md.

    .venv/bin/python benchmarks/curves.py --rows 1e6,1e7 --repeats 5

CPU milliseconds (user and system), the least of interleaved repeats; every repeat starts from fresh
counts, so that nothing is found in a cache. "all curves" are the twelve named curves that need no
probabilities, at a base rate of 0.001.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import time

import numpy as np
from sklearn.metrics import average_precision_score, det_curve, precision_recall_curve, roc_curve

import baserate as br
from baserate.curves.named import CURVES

AT = br.Conditions(prior=0.001, costs=br.Costs(fp=1, fn=100))
NEED_PROBABILITIES = ("brier", "decision", "reliability")


def all_curves(counts):
    for name, entry in CURVES.items():
        if name not in NEED_PROBABILITIES:
            entry.make(counts, at=AT) if entry.conditions else entry.make(counts)


def fresh(counts):
    """The same counts with nothing computed yet."""
    return br.Counts._of(counts._cells, counts.ledger)


def ways(labels, scores):
    return {
        "count": lambda _: br.count(labels, scores),
        "all curves": all_curves,
        "roc": br.roc,
        "choose": lambda c: br.choose(c, at=AT),
        'choose "tpr >= 0.8"': lambda c: br.choose(c, "tpr >= 0.8", at=AT),
        "average_precision": lambda c: br.curves.average_precision(c, at=AT),
        "auprc": lambda c: br.curves.auprc(c, at=AT),
        "sklearn roc + pr + det": lambda _: (
            roc_curve(labels, scores),
            precision_recall_curve(labels, scores),
            det_curve(labels, scores),
        ),
        "sklearn average_precision": lambda _: average_precision_score(labels, scores),
    }


def timed(labels, scores, repeats):
    counts = br.count(labels, scores)
    least, user = {}, {}
    for _ in range(repeats):
        for name, way in ways(labels, scores).items():
            ready = fresh(counts)
            start, started = time.process_time(), os.times().user
            way(ready)
            least[name] = min(least.get(name, np.inf), 1000 * (time.process_time() - start))
            user[name] = min(user.get(name, np.inf), 1000 * (os.times().user - started))
    return least, user["all curves"] / max(user["count"], 1.0)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rows", default="1e6,1e7")
    options.add_argument("--repeats", type=int, default=5)
    given = options.parse_args()
    head = None
    for rows in map(int, map(float, given.rows.split(","))):
        for prior in (0.5, 0.01):
            rng = np.random.default_rng([rows, int(1000 * prior)])
            labels = (rng.random(rows) < prior).astype(np.int64)
            scores = rng.normal(size=rows) + labels
            least, of_user_time = timed(labels, scores, given.repeats)
            if head is None:
                head = list(least)
                print("| rows | prior |", " | ".join(head), "| curves / count | of user time |")
                print("|" + "---|" * (len(head) + 4))
            ratio = least["all curves"] / least["count"]
            print(
                f"| {rows:.0e} | {prior} |",
                " | ".join(f"{least[name]:.0f}" for name in head),
                f"| {ratio:.1f} | {of_user_time:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
