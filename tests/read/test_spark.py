"""Spark: a real cluster whose executors and workers are killed, a command in a session, and one
line for whatever is wrong.
"""

import os
import signal
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.helpers import answered, refused
from tests.read.spark_cluster import wait_for
from tests.read.tables import assert_refused

import baserate as br
from baserate.read import spark as sessions
from baserate.read import table
from baserate.read.frames import cause_of, failed

PARTS, EACH = 12, 4_000
LOST = """An error occurred while calling o64.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task
0.3 in stage 1.0 (TID 9) (10.0.0.7 executor 3): ExecutorLostFailure (executor 3 exited caused by one of the running tasks) Reason: worker lost
Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages(DAGScheduler.scala:2856)
"""  # noqa: E501


def rows_of(number):
    """What partition `number` holds: the same each time that it is computed."""
    rng = np.random.default_rng(number)
    y = rng.random(EACH) < 0.1
    return y.astype(np.int64), np.round(rng.normal(size=EACH) + y, 2)


class Slowly:
    """Makes the rows of each partition, after a while, and leaves a mark whenever it does."""

    def __init__(self, marks):
        self.marks = str(marks)

    def __call__(self, batches):
        import tempfile

        for batch in batches:
            for number in batch.column(0).to_pylist():
                time.sleep(0.4)
                os.close(tempfile.mkstemp(dir=self.marks, prefix=f"part{number}-")[0])
                y, s = rows_of(number)
                yield pa.RecordBatch.from_arrays([pa.array(y), pa.array(s)], names=["y", "s"])


@pytest.fixture
def slow(spark, tmp_path):
    """A frame that takes seconds to compute, and the folder of its marks."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # executors do not have the tests
    marks = tmp_path / "marks"
    marks.mkdir()
    numbers = spark.range(0, PARTS, 1, PARTS)
    with pytest.warns(FutureWarning, match="pandas") if _newer_pandas() else nothing():
        frame = numbers.mapInArrow(Slowly(marks), "y long, s double")
    yield frame, marks
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def nothing():
    import contextlib

    return contextlib.nullcontext()


def _newer_pandas():
    import pandas

    return int(pandas.__version__.partition(".")[0]) >= 3


def everything():
    parts = [rows_of(number) for number in range(PARTS)]
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def test_an_executor_and_a_worker_killed_in_the_middle_change_nothing(cluster, slow):
    frame, marks = slow
    first, second = cluster.workers
    killed = []

    def kill():
        wait_for(lambda: len(list(marks.iterdir())) >= 3, "the job does not start")
        for number in cluster.executors(first)[:1]:
            os.kill(number, signal.SIGKILL)
            killed.append("executor")
        before = len(list(marks.iterdir()))
        wait_for(lambda: len(list(marks.iterdir())) >= before + 3, "the job does not go on")
        doomed = cluster.executors(second)
        second.kill()
        for number in doomed:
            os.kill(number, signal.SIGKILL)
        killed.append("worker")

    killer = threading.Thread(target=kill)
    killer.start()
    counts = br.count(frame, label="y", score="s")
    killer.join()
    assert killed == ["executor", "worker"]
    assert counts.digest == br.count(*everything()).digest
    assert counts.ledger.rows_read == PARTS * EACH
    assert len(list(marks.iterdir())) > PARTS, (
        "some partitions were computed again: something was lost"
    )


class Marking(Slowly):
    """The same without the wait, and with a second score."""

    def __call__(self, batches):
        import tempfile

        for batch in batches:
            for number in batch.column(0).to_pylist():
                os.close(tempfile.mkstemp(dir=self.marks, prefix=f"part{number}-")[0])
                y, s = rows_of(number)
                yield pa.RecordBatch.from_arrays(
                    [pa.array(y), pa.array(s), pa.array(-(s**2))], names=["y", "s", "t"]
                )


def test_condensed_counts_take_two_passes(slow, spark):
    _, marks = slow
    with pytest.warns(FutureWarning, match="pandas") if _newer_pandas() else nothing():
        frame = spark.range(0, PARTS, 1, PARTS).mapInArrow(
            Marking(marks), "y long, s double, t double"
        )
    y, s = everything()
    assert br.count(frame, label="y", score="s", keep="positives") == br.count(
        y, s, keep="positives"
    )
    assert len(list(marks.iterdir())) == 2 * PARTS


class Failing:
    def __call__(self, _):
        raise PermissionError(13, "Permission denied", "/data/secret")


def test_a_job_that_fails_is_refused_in_one_line(spark, slow):
    frame, _ = slow
    with pytest.warns(FutureWarning, match="pandas") if _newer_pandas() else nothing():
        failing = frame.mapInArrow(Failing(), "y long, s double")
    problem = assert_refused(
        lambda: br.count(failing, label="y", score="s"),
        "BR952",
        "nothing was counted: PermissionError.*secret",
    )
    assert len(problem.text) < 300


def test_the_cause_is_found_in_what_java_says():
    assert (
        cause_of(LOST)
        == "ExecutorLostFailure (executor 3 exited caused by one of the running tasks) Reason:"
        " worker lost"
    )
    nested = (
        "An error\n: org.apache.spark.SparkException: Job aborted.\n\tat x\nCaused by:"
        " java.io.IOException: No space left on device\n\tat y"
    )
    assert cause_of(nested) == "IOException: No space left on device"
    assert cause_of("plain words") == "plain words"
    assert cause_of("") == "no reason was given"
    assert len(cause_of("Error: " + "x" * 1000)) == 200


def test_columns_are_found_by_their_names_whatever_is_in_them(spark):
    table = pa.table(
        {
            "a.b": [0, 1, 0],
            "Y": [1, 1, 1],
            "y": [0.1, 0.2, 0.3],
            "`; DROP TABLE x; --": [0.5, 0.25, 0.125],
        }
    )
    frame = spark.createDataFrame(table)
    assert (
        br.count(frame, label="a.b", score="y").digest
        == br.count([0, 1, 0], [0.1, 0.2, 0.3]).digest
    )
    assert (
        br.count(frame, label="a.b", score="`; DROP TABLE x; --").digest
        == br.count([0, 1, 0], [0.5, 0.25, 0.125]).digest
    )
    assert_refused(lambda: br.count(frame, label="a.c", score="y"), "BR613", 'Fix: perhaps "a.b"')


def test_types_of_spark_are_numbers_or_refused(spark):
    made = (
        "SELECT id % 2 = 1 AS flag, CAST(id AS DECIMAL(20, 0)) AS wide, CAST(id AS FLOAT) / 4 AS"
        " narrow, current_date() AS day, "
    )
    frame = spark.sql(
        made
        + "IF(id % 2 = 1, 'yes', 'no') AS word, array(id) AS list, CAST(id AS SMALLINT) AS small"
        " FROM range(6)"
    )
    i = np.arange(6)
    for score, values in (("wide", i), ("narrow", (i / 4).astype(np.float32)), ("small", i)):
        assert br.count(frame, label="flag", score=score) == br.count(i % 2 == 1, values), score
    assert [note.code for note in br.count(frame, label="word", score="small").notes][:1] == [
        "BR101"
    ]
    for score, said in (("day", "timestamps or dates"), ("list", "nested")):
        assert_refused(lambda name=score: br.count(frame, label="flag", score=name), "BR209", said)
    assert_refused(
        lambda: br.count(frame, label="flag", score="wide", keep="positives"),
        "BR954",
        "decimals.*cannot be condensed",
    )


def test_empty_partitions_and_skew_are_counted_like_any_other(spark):
    skewed = (
        spark.range(0, 5_000, 1, 1)
        .union(spark.range(0, 5, 1, 5))
        .selectExpr("CAST(id % 5 = 0 AS INT) AS y", "IF(id < 4990, 0, id) / 10D AS s")
    )
    frame = skewed.repartitionByRange(6, "s")
    i = np.concatenate([np.arange(5_000), np.arange(5)])
    y, s = (i % 5 == 0).astype(int), np.where(i < 4990, 0, i) / 10
    assert br.count(frame, label="y", score="s").digest == br.count(y, s).digest
    assert br.count(frame, label="y", score="s", keep="positives") == br.count(
        y, s, keep="positives"
    )


def test_a_failure_says_what_to_fix():
    error = failed(RuntimeError("Caused by: java.io.IOException: disk"))
    assert error.code == "BR952"
    assert str(error).endswith("IOException: disk. Fix: fix the cause, and count again.")
    missing = str(failed(RuntimeError("ModuleNotFoundError: No module named 'baserate'")))
    assert "give the workers the same packages" in missing


def asked(folder, *more):
    return (
        *("count", f"{folder}/part*.parquet", "--label", "y", "--score", "s"),
        *("--engine", "spark", "-o", f"{folder}/a.counts", *more),
    )


def test_the_command_counts_files_in_the_session_of_its_caller(spark, tmp_path, capsys):
    y, s = rows_of(1)
    for part, rows in enumerate((slice(0, 1_000), slice(1_000, None))):
        parquet.write_table(
            pa.table({"y": y[rows], "s": s[rows]}), tmp_path / f"part{part}.parquet"
        )
    document = answered(capsys, *asked(tmp_path), "--force")
    assert document["models"][0]["counts"]["digest"] == br.count(y, s).digest
    assert document["sources"][0]["path"] == "part*.parquet"
    assert [
        document["sources"][0][rows] for rows in ("rows_read", "rows_used", "rows_refused")
    ] == [EACH, EACH, 0]
    assert spark.range(1).count() == 1  # it goes on


def test_without_pyspark_or_a_session_one_line_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    assert "BR950: there is no Spark session here, and none is started" in refused(
        capsys, *asked(tmp_path)
    )
    line = refused(capsys, *asked(tmp_path, "--master", "local[2]"))
    assert "BR955: a Spark session has its master already" in line
    monkeypatch.setattr("pyspark.__version__", "3.5.1")
    assert_refused(sessions.session, "BR714", "pyspark 3.5.1 is too old")

    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(table.importlib, "import_module", absent)
    assert_refused(
        sessions.session, "BR714", r'pyspark is not installed. Fix: pip install "baserate\[spark\]"'
    )


def test_workers_without_this_package_are_told_before_the_job(spark, tmp_path, monkeypatch):
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')  # no packages at all
    bare.chmod(0o755)
    frame = spark.range(0, 10, 1, 2).selectExpr("id % 2 AS y", "id / 7 AS s")
    counted = []
    monkeypatch.setattr("baserate.read.frames.tallied", lambda *_, **__: counted.append(1))
    for named, said in ((str(bare), "No module named"), ("/absent/py", "Cannot run program")):
        monkeypatch.setattr(spark.sparkContext, "pythonExec", named)
        monkeypatch.setenv("PYSPARK_PYTHON", named)
        asked = {"label": "y", "score": "s", "keep": "positives"}
        problem = assert_refused(lambda: br.count(frame, **asked), "BR957", said)  # noqa: B023
        assert f'PYSPARK_PYTHON (now "{named[:9]}' in str(problem)
    assert not counted
