"""Reading and counting 1e7 rows of CSV, against DuckDB's bare read and GROUP BY of the same file:
time, memory, and the same numbers.

    python benchmarks/data_in.py [rows]

Each measurement runs in a process of its own; the best of three counts. The goal is a ratio of at
most 2, and less than 1 GiB in our process and in the reader that it starts, each. Their peaks are
not at one time, so that the sum of both is more than was ever in use.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOAL_RATIO, GOAL_BYTES, TIMES = 2.0, 1 << 30, 3
KINDS = {
    "17 digits": "random()",
    "6 digits": "round(random(), 6)",
    "whole numbers": "CAST(floor(random() * 1e6) AS BIGINT)",
}


def write(path: Path, score: str, rows: int) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute("SELECT setseed(0.25)")
    connection.execute(
        f"COPY (SELECT CAST(random() < 0.02 AS INT) AS label, {score} AS score FROM range({rows}))"
        f" TO '{path}' (HEADER)"
    )


def bare(path: str) -> dict[str, object]:
    """What DuckDB needs if it is told the types: no check of any kind."""
    import duckdb

    kind = "BIGINT" if "whole" in path else "DOUBLE"
    source = (
        f"read_csv('{path}', auto_detect = false, header = true, delim = ',', columns = {{'label':"
        f" 'BIGINT', 'score': '{kind}'}})"
    )
    query = (
        f"SELECT score, sum(label) AS positives, count(*) - sum(label) AS negatives FROM {source}"
        " GROUP BY score"
    )
    start = time.perf_counter()
    found = duckdb.connect().execute(query).fetchnumpy()
    return {
        "seconds": time.perf_counter() - start,
        "cells": len(found["score"]),
        "positives": int(found["positives"].sum()),
    }


def ours(path: str) -> dict[str, object]:
    import baserate as br

    start = time.perf_counter()
    counts = br.count(path, label="label", score="score")
    return {
        "seconds": time.perf_counter() - start,
        "cells": len(counts.scores),
        "positives": int(counts.total_positives),
    }


def measured(what: str, path: Path) -> dict[str, float]:
    runs = []
    for _ in range(TIMES):
        done = subprocess.run(
            [sys.executable, __file__, what, str(path)], capture_output=True, text=True, check=True
        )
        runs.append(json.loads(done.stdout))
    return {
        **min(runs, key=lambda run: run["seconds"]),
        **{each: max(run[each] for run in runs) for each in ("peak", "reader")},
    }


def main() -> None:
    if sys.argv[1:2] in (["bare"], ["ours"]):
        found = {"bare": bare, "ours": ours}[sys.argv[1]](sys.argv[2])
        own, reader = (
            resource.getrusage(who).ru_maxrss * 1024
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        print(json.dumps({**found, "peak": own, "reader": reader}))
        return
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    print(
        "| scores | file MB | DuckDB s | baserate s | ratio | peak MiB | reader MiB"
        " |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, score in KINDS.items():
            path = Path(folder) / f"{name.replace(' ', '-')}.csv"
            write(path, score, rows)
            theirs, own = measured("bare", path), measured("ours", path)
            assert (theirs["cells"], theirs["positives"]) == (own["cells"], own["positives"]), name
            ratio, peaks = own["seconds"] / theirs["seconds"], (own["peak"], own["reader"])
            size, both = (
                path.stat().st_size / 1e6,
                " | ".join(f"{peak / 2**20:.0f}" for peak in peaks),
            )
            print(
                f"| {name} | {size:.0f} | {theirs['seconds']:.2f} | {own['seconds']:.2f} |"
                f" {ratio:.2f} | {both} |",
                flush=True,
            )
            if rows >= 10_000_000:
                assert ratio <= GOAL_RATIO, name
                assert max(peaks) < GOAL_BYTES, name
            path.unlink()


if __name__ == "__main__":
    main()
