"""Bootstrapping AUC beside re-sorting, in one run: prints a table for benchmarks/README.md.

    .venv/bin/python benchmarks/bootstrap.py                        everything (about a minute)
    .venv/bin/python benchmarks/bootstrap.py --rows 1e6 --repeats 3

Every time is the minimum of interleaved repeats: CPU of the whole process, with every library held
to one thread. Replicates are stratified: as many positives and negatives as there are. Re-sorting
is timed on one replicate at a time (cases drawn again within each class, then scikit-learn's
roc_auc_score) and multiplied by the number of replicates; ours are all drawn, the urns made anew.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import gc
import platform
import re
import time
from pathlib import Path

import numpy as np
import sklearn
from sklearn.metrics import roc_auc_score

import baserate as br
from baserate.kernels import Urn, best, portable

PRIORS = (0.5, 0.01, 0.001)
SEED = 2024


def data(rows, prior):
    rng = np.random.default_rng([rows, int(1000 * prior)])
    return (rng.random(rows) < prior).astype(np.int64), rng.random(rows)


def urns(counts):
    return Urn(counts.positives), Urn(counts.negatives)


def resampled_aucs(positives, negatives, replicates, kernels=best):
    """AUC of each stratified replicate."""
    sizes = (np.full(replicates, urn.total) for urn in (positives, negatives))
    return kernels.wins_again(positives, negatives, *sizes, SEED, 0) / (
        2 * positives.total * negatives.total
    )


def resorted_auc(labels, scores, classes, rng):
    """One stratified replicate, from the rows."""
    rows = np.concatenate([rng.choice(cases, len(cases)) for cases in classes])
    return roc_auc_score(labels[rows], scores[rows])


def methods(rows, prior, replicates):
    """Each step or way, with how many times its time counts for all replicates."""
    labels, scores = data(rows, prior)
    whole = br.count(labels, scores)
    counts = whole.condense()
    classes, rng = [np.flatnonzero(labels == label) for label in (1, 0)], np.random.default_rng(0)
    made, few = urns(counts), max(1, replicates // 500)
    return {
        "count": (lambda: br.count(labels, scores), 1),
        "condense": (whole.condense, 1),
        "urns": (lambda: urns(counts), 1),
        "ours": (lambda: resampled_aucs(*urns(counts), replicates), 1),
        "NumPy": (lambda: resampled_aucs(*made, few, portable), replicates / few),
        "re-sorting": (lambda: resorted_auc(labels, scores, classes, rng), replicates),
    }


def timed(ways, repeats):
    """Least CPU seconds of each way, interleaved so that a disturbance hits all alike."""
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(repeats):
        for name, (way, times) in ways.items():
            gc.collect()
            cpu = time.process_time()
            way()
            least[name] = min(least[name], times * (time.process_time() - cpu))
    return least


def print_times(sizes, replicates, repeats):
    print(f"CPU seconds, {replicates} stratified replicates of AUC, one thread:\n")
    columns = (
        "rows",
        "prior",
        "count",
        "condense",
        "urns",
        f"ours ({best.NAME})",
        "ours (NumPy)¹",
        "re-sorting¹",
        "ours / count",
        "re-sorting / ours",
    )
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for rows in sizes:
        for prior in PRIORS:
            least = timed(methods(rows, prior, replicates), repeats)
            ours, peer = least["ours"], least["re-sorting"]
            steps = " | ".join(f"{least[name]:.4f}" for name in ("count", "condense", "urns"))
            times = f"{ours:.2f} | {least['NumPy']:.1f} | {peer:.0f}"
            print(
                f"| {rows:.0e} | {prior} | {steps} | {times} | {ours / least['count']:.0f} |"
                f" {peer / ours:.0f} |",
                flush=True,
            )
    print(
        f"\n¹ Multiplied: one replicate re-sorted at a time, {max(1, replicates // 500)} in NumPy,"
        f" each the least of {repeats}."
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="1e6", help="sizes, separated by commas")
    parser.add_argument("--replicates", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    cpu = (
        re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
        if Path("/proc/cpuinfo").exists()
        else None
    )
    print(
        f"{cpu.group(1) if cpu else platform.processor()}, Python {platform.python_version()},"
        f" NumPy {np.__version__}, ",
        end="",
    )
    print(f"scikit-learn {sklearn.__version__}\n")
    print_times(
        [int(float(size)) for size in given.rows.split(",")], given.replicates, given.repeats
    )


if __name__ == "__main__":
    main()
