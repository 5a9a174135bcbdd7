"""Frames of Spark: names, types, and one line for whatever goes wrong."""

import numpy as np
import pyarrow as pa
from tests.read.tables import assert_refused

import baserate as br
from baserate.read.frames import cause_of, failed

LOST = """An error occurred while calling o64.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task
0.3 in stage 1.0 (TID 9) (10.0.0.7 executor 3): ExecutorLostFailure (executor 3 exited caused by one of the running tasks) Reason: worker lost
Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages(DAGScheduler.scala:2856)
"""  # noqa: E501


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


def test_a_job_that_fails_is_refused_in_one_line(spark):
    frame = spark.sql("SELECT 1 AS y, raise_error('no disk') AS s").selectExpr(
        "y", "CAST(s AS DOUBLE) AS s"
    )
    problem = assert_refused(
        lambda: br.count(frame, label="y", score="s"), "BR952", "nothing was counted: .*no disk"
    )
    assert len(problem.text) < 300
