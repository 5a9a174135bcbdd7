"""Parquet to counts beside DuckDB's bare read + GROUP BY, and beside pyarrow: prints the table of
benchmarks/README.md.

    .venv/bin/python benchmarks/data_in_columnar.py --rows 1e7 --repeats 5

Every run is a process of its own with two threads; wall is the least of interleaved repeats, after
the file is in the system's cache. MB is the growth of the resident set at its peak, beyond what the
imports need (Linux only); the columns themselves take part in it. After a plus sign stands the
whole peak of the reader's process. "ours" starts that process each time, and pays for its imports;
"here" reads in our own process, with imports done.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

KINDS = ("distinct", "tied", "text")
THREADS = 2


def write(path, kind, rows):
    """Label int8 and score float64; "tied" has 1,001 scores, "text" has labels and groups of
    text.
    """
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(rows)
    labels, scores = (rng.random(rows) < 0.01).astype(np.int8), rng.random(rows)
    columns = {"y": labels, "s": np.round(scores, 3) if kind == "tied" else scores}
    if kind == "text":
        columns["y"] = pa.array(np.array(["no", "yes"], dtype=object)[labels])
        columns["g"] = pa.array(
            np.array([f"site {n}" for n in range(100)], dtype=object)[rng.integers(0, 100, rows)]
        )
    parquet.write_table(pa.table(columns), path)


def grouped_by_duckdb(path, kind):
    import duckdb

    columns = "g, s, y" if kind == "text" else "s, y"
    with duckdb.connect(config={"threads": THREADS}) as connection:
        return connection.execute(
            f"SELECT {columns}, count(*) FROM read_parquet(?) GROUP BY ALL", [path]
        ).fetchnumpy()


def ours(path, kind):
    from baserate.read.files import read_columns
    from baserate.read.source import Options

    return counted(read_columns(path, wanted(kind), Options()).columns)


def here(path, kind):
    from baserate.read.source import Options, open_cases

    with open_cases([path], wanted(kind), Options()) as cases:
        return counted(cases.columns())


def wanted(kind):
    from baserate.read.table import ColumnRoles

    return ColumnRoles("y", ("s",), group="g" if kind == "text" else None)


def with_pyarrow(path, kind):
    from pyarrow import parquet

    from baserate.read.arrow import arrow_kind, from_arrow

    table = parquet.ParquetFile(path).read(["y", "s", "g"] if kind == "text" else ["y", "s"])
    return counted(
        {
            name: from_arrow(table.column(name), arrow_kind(table.column(name).type))
            for name in table.column_names
        }
    )


def counted(columns):
    from baserate.read.cases import SCORE, cases_of_arrays, count_cases

    cases = cases_of_arrays(columns["y"], {SCORE: columns["s"]})
    return count_cases(cases, SCORE)


WAYS = {
    "DuckDB, GROUP BY": grouped_by_duckdb,
    "ours": ours,
    "here": here,
    "pyarrow + ours": with_pyarrow,
}


def run_once(way, path, kind, small):
    """Wall seconds and megabytes of one way, once it has run on few rows."""
    WAYS[way](small, kind)
    Path("/proc/self/clear_refs").write_text("5")  # the kernel's record of the peak starts anew
    before, start = status("VmRSS"), time.perf_counter()
    WAYS[way](path, kind)
    seconds, reader = (
        time.perf_counter() - start,
        resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
    )
    print(seconds, (status("VmHWM") - before) / 1e6, reader / 1e6)


def status(key):
    return 1024 * int(re.search(rf"{key}:\s+(\d+)", Path("/proc/self/status").read_text()).group(1))


def print_table(rows, repeats, folder):
    print(
        f"| {rows:.0e} rows | "
        + " | ".join(f"{way}: s (MB)" for way in WAYS)
        + " | ours / DuckDB |\n|"
        + "---|" * (len(WAYS) + 2)
    )
    for kind in KINDS:
        path, small = f"{folder}/{kind}.parquet", f"{folder}/{kind}-small.parquet"
        write(path, kind, rows)
        write(small, kind, 1000)
        runs = {way: [] for way in WAYS}
        for _ in range(repeats):
            for way in WAYS:
                command = [sys.executable, __file__, "--once", way, path, kind, small]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                runs[way].append(tuple(map(float, done.stdout.split())))
        least = {way: tuple(map(min, zip(*each, strict=True))) for way, each in runs.items()}
        cells = " | ".join(
            f"{seconds:.2f} ({own:.0f}{f' + {reader:.0f}' if reader else ''})"
            for seconds, own, reader in least.values()
        )
        print(
            f"| {kind} | {cells} | {least['ours'][0] / least['DuckDB, GROUP BY'][0]:.2f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="1e7")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--once",
        nargs=4,
        metavar=("WAY", "FILE", "KIND", "SMALL"),
        help="run one way once, and print seconds and megabytes",
    )
    given = parser.parse_args()
    if given.once:
        run_once(*given.once)
        return
    with tempfile.TemporaryDirectory() as folder:
        print_table(int(float(given.rows)), given.repeats, folder)


if __name__ == "__main__":
    main()
