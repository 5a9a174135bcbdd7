"""DeLong's test of two models beside MLstatkit, in one run: prints a table of benchmarks/README.md.

    .venv/bin/python -m pip install --no-deps --target /tmp/peers MLstatkit
    PYTHONPATH=/tmp/peers .venv/bin/python benchmarks/compare.py

CPU of the whole process, every library held to one thread, the least of interleaved repeats; ours
from the arrays, counting included.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import time

import numpy as np
from MLstatkit import Delong_test

import baserate as br


def data(rows, prior):
    rng = np.random.default_rng([rows, int(1000 * prior)])
    labels = (rng.random(rows) < prior).astype(np.int64)
    first = rng.normal(labels, 1)
    return labels, first, 0.3 * first + rng.normal(0.95 * labels, 1)


def least(functions, repeats):
    """The least CPU time of each, in turn, and what it gave."""
    times, values = [float("inf")] * len(functions), [None] * len(functions)
    for _ in range(repeats):
        for place, function in enumerate(functions):
            started = time.process_time()
            values[place] = function()
            times[place] = min(times[place], time.process_time() - started)
    return times, values


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=float, default=1e5)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    print(
        "| rows | prior | MLstatkit, ms | ours, ms | ratio | z apart |\n|---|---|---|---|---|---|"
    )
    for prior in (0.5, 0.1, 0.01):
        labels, first, second = data(int(options.rows), prior)
        joint = {"a": first, "b": second}
        ours = lambda: br.compare(br.count(labels, joint), br.auc, method="delong")  # noqa: B023, E731
        theirs = lambda: Delong_test(labels, first, second, return_ci=False, return_auc=False)  # noqa: B023, E731
        (peer, own), (their, our) = least((theirs, ours), options.repeats)
        apart = abs(abs(their[0]) - abs(our.statistic))
        print(
            f"| {options.rows:.0e} | {prior} | {1000 * peer:.1f} | {1000 * own:.2f} |"
            f" {peer / own:.1f} | {apart:.1e} |"
        )
    labels, first, _ = data(1000, 0.1)
    same = br.compare(br.count(labels, {"a": first, "b": first}), br.auc)
    peer = Delong_test(labels, first, first, return_ci=False, return_auc=False)[1]
    print(f"\nTwo identical models: MLstatkit p = {peer}, ours p = {same.p_value}")


if __name__ == "__main__":
    main()
