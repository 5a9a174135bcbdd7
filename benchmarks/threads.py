"""Counting and resampling in several threads: prints the table "Threads" of benchmarks/README.md.

    .venv/bin/python benchmarks/threads.py --rows 1e6,1e7 --threads 1,2
    .venv/bin/python benchmarks/threads.py --rows 1e7,1e8 --threads 1,2,4,8,16

Wall milliseconds (CPU), the least of interleaved repeats. The results are compared: counts have
the same digest for any number of threads, intervals the same ends. Only NumPy is needed.
"""

import argparse
import gc
import os
import platform
import time
from functools import partial

import numpy as np

import baserate as br


def data(rows):
    rng = np.random.default_rng(rows)
    labels = rng.random(rows) < 0.01
    return labels, rng.normal(size=rows) + labels


def resampled(counts, threads):
    """The interval of average precision from 200 resamples, in a number of threads."""
    os.environ["BASERATE_THREADS"] = str(threads)
    found = br.interval(counts, "average_precision", replicates=200)
    del os.environ["BASERATE_THREADS"]
    return found.low, found.high


def works(rows):
    """What is measured: name → a function of the number of threads; resamples up to 1e7 rows."""
    labels, scores = data(rows)
    tied, few = np.round(scores, 2), scores.astype(np.float32)
    counts = br.count(labels, scores) if rows <= 10**7 else None
    return {
        "count, float64": lambda n: br.count(labels, scores, threads=n),
        "count, float32": lambda n: br.count(labels, few, threads=n),
        "count, tied": lambda n: br.count(labels, tied, threads=n),
        'count, keep="positives"': lambda n: br.count(labels, scores, keep="positives", threads=n),
    } | ({} if rows > 10**7 else {"200 resamples of average precision": partial(resampled, counts)})


def measured(work, numbers, repeats):
    """Least (wall, CPU) milliseconds for each number of threads; the results must agree."""
    least = {n: (float("inf"), float("inf")) for n in numbers}
    results = set()
    for _ in range(repeats):
        for n in numbers:
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            result = work(n)
            spent = 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)
            least[n] = min(least[n], spent)
            results.add(getattr(result, "digest", result))
    if len(results) > 1:
        raise SystemExit(f"the result depends on the number of threads: {results}")
    return least


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="1e6,1e7", help="sizes, comma-separated")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, comma-separated")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    numbers = [int(n) for n in given.threads.split(",")]
    print(
        f"{os.cpu_count()} processors, Python {platform.python_version()},"
        f" NumPy {np.__version__}, {br.__version__}. Wall milliseconds (CPU):\n"
    )
    print("| rows | work | " + " | ".join(map(str, numbers)) + " | ratio |")
    print("|---" * (len(numbers) + 3) + "|")
    for rows in (int(float(size)) for size in given.rows.split(",")):
        for name, work in works(rows).items():
            least = measured(work, numbers, given.repeats)
            cells = (f"{wall:.0f} ({cpu:.0f})" for wall, cpu in least.values())
            ratio = least[numbers[0]][0] / least[numbers[-1]][0]
            print(f"| {rows:.0e} | {name} | {' | '.join(cells)} | {ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
