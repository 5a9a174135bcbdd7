"""Counting beside its peers, in one run: prints the tables of benchmarks/README.md.

    make bench                                    everything (minutes)
    .venv/bin/python benchmarks/count.py --rows 1e6 --repeats 5

Every time is the minimum of interleaved repeats. CPU is that of the whole process, with every
library held to one thread; wall is beside it. Bytes a row are the growth of the resident set at its
peak, beyond the inputs, in a run of its own (Linux only).
"""

import os

for variable in (
    "POLARS_MAX_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "BASERATE_THREADS",
):
    os.environ[variable] = "1"

import argparse
import ctypes
import gc
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import sklearn
from sklearn.metrics import roc_curve

import baserate as br
from baserate.kernels import best, portable
from baserate.read.cases import SCORE, cases_of_arrays, count_cases

PRIORS = (0.5, 0.01, 0.001)
KINDS = ("float64", "float32", "tied", "weighted")


def with_numpy(labels, scores, weights=None):
    cases = cases_of_arrays(labels, {SCORE: scores}, sample_weight=weights)
    return count_cases(cases, SCORE, kernels=portable)


def grouped_by_polars(labels, scores):
    frame = pl.DataFrame({"score": scores, "label": labels})
    return (
        frame.lazy()
        .group_by("score")
        .agg(pl.col("label").sum().alias("positives"), pl.len())
        .sort("score")
        .collect()
    )


def data(kind, rows, prior):
    rng = np.random.default_rng([rows, int(1000 * prior)])
    labels = (rng.random(rows) < prior).astype(np.int64)
    scores = rng.random(rows)
    if kind == "float32":
        scores = scores.astype(np.float32)
    elif kind == "tied":
        scores = np.round(scores, 3)
    return labels, scores, (rng.random(rows) if kind == "weighted" else None)


def methods(labels, scores, weights):
    """Each way to the counts, by the name of its column."""
    if weights is not None:
        return {
            "sklearn": lambda: roc_curve(labels, scores, sample_weight=weights),
            "np.sort": lambda: np.sort(scores),
            f"ours ({best.NAME})": lambda: br.count(labels, scores, sample_weight=weights),
            "ours (NumPy)": lambda: with_numpy(labels, scores, weights),
        }
    return {
        "sklearn": lambda: roc_curve(labels, scores),
        "polars": lambda: grouped_by_polars(labels, scores),
        "np.sort": lambda: np.sort(scores),
        f"ours ({best.NAME})": lambda: br.count(labels, scores),
        "ours (NumPy)": lambda: with_numpy(labels, scores),
        'ours, keep="positives"': lambda: br.auc(br.count(labels, scores, keep="positives")),
    }


def timed(ways, repeats):
    """Least CPU and wall milliseconds of each way, interleaved so that a disturbance hits all
    alike.
    """
    least = {name: [float("inf"), float("inf")] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            gc.collect()
            cpu, wall = time.process_time(), time.perf_counter()
            way()
            spent = time.process_time() - cpu, time.perf_counter() - wall
            least[name] = [min(a, 1e3 * b) for a, b in zip(least[name], spent, strict=True)]
    return least


def bytes_a_row(kind, name, rows):
    """Peak growth of the resident set while the way runs once, in a process of its own that has run
    it on few rows before.
    """
    command = [sys.executable, __file__, "--memory-of", kind, name, "--rows", str(rows)]
    # With a fixed threshold glibc gives large freed blocks back at once, so that the resident set
    # shows what is in use.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072"}
    return float(
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    )


def print_growth(kind, name, rows):
    methods(*data(kind, 1000, 0.01))[name]()
    way = methods(*data(kind, rows, 0.01))[name]
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the kernel's record of the peak starts anew
    before = status("VmRSS")
    result = way()
    print((status("VmHWM") - before) / rows)
    del result


def status(key):
    return 1024 * int(re.search(rf"{key}:\s+(\d+)", Path("/proc/self/status").read_text()).group(1))


def milliseconds(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def print_times(kinds, sizes, repeats):
    names = list(methods(*data("float64", 10, 0.5)))
    columns = [
        "scores",
        "rows",
        "prior",
        *(f"{name}" for name in names),
        "sklearn / ours",
        "sklearn / NumPy",
        "ours / np.sort",
    ]
    print("CPU milliseconds (wall):\n")
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for kind in kinds:
        for rows in sizes:
            for prior in PRIORS:
                least = timed(methods(*data(kind, rows, prior)), repeats if rows >= 1e6 else 30)
                ours, numpy, sort, peer = (
                    least[name][0]
                    for name in (f"ours ({best.NAME})", "ours (NumPy)", "np.sort", "sklearn")
                )
                cells = [
                    (
                        f"{milliseconds(least[n][0])} ({milliseconds(least[n][1])})"
                        if n in least
                        else ""
                    )
                    for n in names
                ]
                print(
                    f"| {kind} | {rows:.0e} | {prior} | "
                    + " | ".join(cells)
                    + f" | {peer / ours:.1f} | {peer / numpy:.1f} | {ours / sort:.2f} |",
                    flush=True,
                )


def print_memory(rows):
    print(f"\nBytes a row beyond the input, {rows:.0e} rows, prior 0.01:\n")
    names = list(methods(*data("float64", 10, 0.5)))
    print("| scores | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 1))
    for kind in KINDS:
        ways = methods(*data(kind, 10, 0.5))
        print(
            f"| {kind} | "
            + " | ".join(
                f"{bytes_a_row(kind, name, rows):.1f}" if name in ways else "" for name in names
            )
            + " |",
            flush=True,
        )


def print_import(repeats=15):
    code = (
        "import time, numpy; t = time.process_time(); import baserate; print(time.process_time()"
        " - t)"
    )
    runs = [
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(repeats)
    ]
    least, median = 1e3 * min(runs), 1e3 * sorted(runs)[repeats // 2]
    print(
        f"\n`import baserate` after `import numpy`: {least:.1f} ms of CPU (least of {repeats};"
        f" median {median:.1f})."
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="1e4,1e6,1e7", help="sizes, separated by commas")
    parser.add_argument(
        "--scores", default=",".join(KINDS), help="kinds of scores, separated by commas"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument(
        "--memory-of",
        nargs=2,
        metavar=("SCORES", "WAY"),
        help="print the bytes a row of one way, and nothing else",
    )
    given = parser.parse_args()
    sizes = [int(float(size)) for size in given.rows.split(",")]
    if given.memory_of:
        print_growth(*given.memory_of, sizes[0])
        return
    cpu = (
        re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
        if Path("/proc/cpuinfo").exists()
        else None
    )
    disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES")
    print(
        f"{cpu.group(1) if cpu else platform.processor()}, Python {platform.python_version()},"
        f" NumPy {np.__version__}, ",
        end="",
    )
    print(
        f"scikit-learn {sklearn.__version__}, polars {pl.__version__}"
        + (f", NPY_DISABLE_CPU_FEATURES={disabled}" if disabled else "")
        + "\n"
    )
    print_times(given.scores.split(","), sizes, given.repeats)
    if not given.no_memory:
        print_memory(max(sizes))
    print_import()


if __name__ == "__main__":
    main()
