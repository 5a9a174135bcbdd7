"""Whether kills change what a cluster counts. Prints a table of benchmarks/README.md.

    .venv/bin/python benchmarks/cluster.py --kills 10 --rows 2e6

"tied" has 10,001 distinct scores, counted by one GROUP BY; "continuous" as many as rows, condensed
with keep="positives" at base rate 0.001. A kill of Spark is a SIGKILL of an executor, then of a
worker with its executor, of a cluster of a master and two workers; one of Dask is of a worker
process, of a scheduler and two (needs `distributed`). What a row costs on every engine:
benchmarks/scale.py.
"""

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
)  # for the workers
KEEP = {"tied": "all", "continuous": "positives"}
PIECE = 1_000_000


def write(path, kind, rows):
    """Label int8 and score float64, in row groups of a million."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("y", pa.int8()), ("s", pa.float64())])
    with parquet.ParquetWriter(path, schema, use_dictionary=kind == "tied") as out:
        for start in range(0, rows, PIECE):
            rng, size = np.random.default_rng(start), min(PIECE, rows - start)
            y = rng.random(size) < 0.001
            s = rng.random(size) ** (1 - 0.5 * y)
            out.write_table(
                pa.table(
                    {"y": y.astype(np.int8), "s": np.round(s, 4) if kind == "tied" else s}, schema
                )
            )


@contextlib.contextmanager
def frame_of(engine, path):
    """A Parquet file as a frame of an engine."""
    if engine == "Spark":
        from pyspark.sql import SparkSession

        with SparkSession.builder.master("local[2]").getOrCreate() as spark:
            yield spark.read.parquet(path)
    elif engine == "Dask":
        from baserate.read.spark import Cluster, reader

        with reader(Cluster("dask")) as read:
            yield read(path)
    elif engine == "DuckDB":
        import duckdb

        yield duckdb.read_parquet(path)
    else:
        import polars as pl

        yield pl.scan_parquet(path)


def kill_spark(path, kind, kills, expected):
    """How many jobs, each with an executor and a worker killed at random moments, gave the same
    digest.
    """
    from tests.read import spark_cluster

    import baserate as br

    same, rng = 0, random.Random(0)
    with spark_cluster.started() as cluster, spark_cluster.spark_session(cluster) as spark:
        frame = spark.read.parquet(str(path)).repartition(8)
        begun = time.monotonic()
        assert br.count(frame, label="y", score="s", keep=KEEP[kind]).digest == expected
        usual = time.monotonic() - begun
        for _ in range(kills):
            timer = threading.Thread(
                target=_strike,
                args=(cluster, rng.uniform(0.05, 0.4) * usual, rng.uniform(0.1, 0.4) * usual),
            )
            timer.start()
            same += br.count(frame, label="y", score="s", keep=KEEP[kind]).digest == expected
            timer.join()
            cluster.add_worker()
            spark_cluster.wait_for(
                lambda: all(cluster.executors(worker) for worker in cluster.workers),
                "no executor comes back",
            )
    return same


def _strike(cluster, first, second):
    time.sleep(first)
    for number in cluster.executors(cluster.workers[0]):
        os.kill(number, signal.SIGKILL)
    time.sleep(second)
    worker = cluster.workers.pop()
    doomed = cluster.executors(worker)
    worker.kill()
    for number in doomed:
        os.kill(number, signal.SIGKILL)


def kill_dask(path, kind, kills, expected):
    """The same of Dask: its nanny starts a killed worker again, and the scheduler repeats what was
    lost.
    """
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    import baserate as br

    same, rng = 0, random.Random(0)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        frame = dd.read_parquet(path, split_row_groups=True)
        begun = time.monotonic()
        assert br.count(frame, label="y", score="s", keep=KEEP[kind]).digest == expected
        usual = time.monotonic() - begun
        for _ in range(kills):
            timer = threading.Timer(
                rng.uniform(0.1, 0.8) * usual,
                lambda: os.kill(rng.choice([*cluster.workers.values()]).pid, signal.SIGKILL),
            )
            timer.start()
            same += br.count(frame, label="y", score="s", keep=KEEP[kind]).digest == expected
            timer.join()
            while not all(
                nanny.process and nanny.process.is_alive() for nanny in cluster.workers.values()
            ):
                time.sleep(0.2)
    return same


def kill(rows, kills, kinds, engines):
    import baserate as br

    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.parquet")
            write(path, kind, rows)
            full = br.count(path, label="y", score="s")
            expected = full.digest if KEEP[kind] == "all" else full.condense().digest
            for engine in engines:
                print(
                    f"{engine}, {kind}, {rows:.0e} rows:"
                    f" {TRIALS[engine](path, kind, kills, expected)} of {kills} identical",
                    flush=True,
                )


TRIALS = {"spark": kill_spark, "dask": kill_dask}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=2_000_000)
    parser.add_argument("--scores", nargs="+", choices=[*KEEP], default=[*KEEP])
    parser.add_argument("--engines", nargs="+", choices=TRIALS, default=[*TRIALS])
    parser.add_argument("--kills", type=int, default=10)
    asked = parser.parse_args()
    kill(asked.rows, asked.kills, asked.scores, asked.engines)
