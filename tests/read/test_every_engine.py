"""The laws of counting on every engine: the same digest from all of them, on data sets that engines
disagree on.
"""

import json
import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests import oracle
from tests.cli.helpers import told
from tests.read.datasets import datasets, is_whole, kept
from tests.strategies import LONG

import baserate as br
from baserate.counts.counts import Counts
from baserate.kernels import best, portable
from baserate.read.cases import SCORE, cases_of_arrays, count_cases

SETS = datasets(1_210)
ALONE = SETS if LONG else SETS[:55]
DROPPED = {"missing_label": "drop", "nan_score": "drop"}
LOCAL = ("pyarrow", "pandas", "polars", "polars lazy", "DuckDB", "Dask")


def table_of(sets):
    """All sets of one type of score in one table, and which set each row is of."""
    rows = [
        (number, label, score)
        for number, (labels, scores) in sets
        for label, score in zip(labels, scores, strict=True)
    ]
    number, labels, scores = zip(*rows, strict=True)
    whole = all(isinstance(score, int) for score in scores if score is not None)
    kind = pa.int64() if whole else pa.float64()
    return pa.table(
        {
            "set": pa.array(number, pa.int64()),
            "y": pa.array(labels, pa.int64()),
            "s": pa.array(scores, kind),
        }
    )


def frame_in(engine, table):
    if engine == "Dask":
        import dask.dataframe as dd

        return dd.from_pandas(frame_in("pandas", table), npartitions=3)
    return {
        "pyarrow": lambda: table,
        # Columns of Arrow: those of NumPy have no null, and would round whole numbers beside it.
        "pandas": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.from_arrow(table),
        "polars lazy": lambda: pl.from_arrow(table).lazy(),
        "DuckDB": lambda: duckdb.from_arrow(table),
    }[engine]()


def expected(labels, scores):
    return br.count(*kept(labels, scores))


def by_kernels(labels, scores, kernels):
    cases = cases_of_arrays(labels, {SCORE: scores})
    return count_cases(cases, SCORE, kernels=kernels)


NUMBERED = list(enumerate(SETS))
KINDS = {
    "floats": [one for one in NUMBERED if not is_whole(one[1][1])],
    "whole numbers": [one for one in NUMBERED if is_whole(one[1][1])],
}
TABLES = {kind: table_of(sets) for kind, sets in KINDS.items()}
DIGESTS = {number: expected(*one).digest for number, one in NUMBERED if len(kept(*one)[0])}


def assert_grouped_alike(frame, kind):
    """One GROUP BY over all sets of a kind: each has the digest that NumPy gives it."""
    grouped = br.count(frame, label="y", score="s", by="set", **DROPPED)
    wanted = {number: DIGESTS[number] for number, _ in KINDS[kind] if number in DIGESTS}
    assert {number: counts.digest for number, counts in grouped.items()} == wanted
    rows = TABLES[kind].num_rows
    used = sum(len(kept(*one)[0]) for _, one in KINDS[kind])
    assert (grouped.ledger.rows_read, grouped.ledger.rows_used, grouped.ledger.rows_refused) == (
        rows,
        used,
        rows - used,
    )


def test_the_sets_hold_what_engines_disagree_on():
    assert len(DIGESTS) >= 1_000
    everything = [score for _, scores in SETS for score in scores]
    assert {None, math.inf, -math.inf, 2**63 - 1, -(2**63), 5e-324} <= set(everything)
    assert any(isinstance(score, float) and math.isnan(score) for score in everything)
    assert any(
        score == 0 and math.copysign(1, score) < 0
        for score in everything
        if isinstance(score, float)
    )
    assert any(set(labels) == {one} for one in (0, 1) for labels, _ in SETS)


def test_arrays_chunks_and_both_kernels_agree_with_the_naive_count():
    for labels, scores in SETS:
        y, s = kept(labels, scores)
        counts = br.count(y, s)
        cells = zip(
            counts.scores.tolist(),
            zip(counts.positives.tolist(), counts.negatives.tolist(), strict=True),
            strict=True,
        )
        assert dict(cells) == {
            score: tuple(cell) for score, cell in oracle.count(y.tolist(), s.tolist()).items()
        }
        for kernels in (portable, best):
            assert by_kernels(y, s, kernels).digest == counts.digest
        chunks = [
            br.count(y[start : start + 7], s[start : start + 7]) for start in range(0, len(y), 7)
        ]
        if chunks:
            assert sum(chunks, Counts.empty()).digest == counts.digest


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", LOCAL)
def test_engines_on_one_machine_count_all_sets_alike(engine, kind):
    assert_grouped_alike(frame_in(engine, TABLES[kind]), kind)


@pytest.mark.parametrize("kind", KINDS)
def test_spark_counts_all_sets_alike_in_one_job(spark, kind):
    assert_grouped_alike(spark.createDataFrame(TABLES[kind]).repartition(3), kind)


@pytest.mark.parametrize("engine", LOCAL)
def test_sets_counted_one_by_one_are_the_same_full_and_condensed(engine):
    step = 5 if engine == "Dask" else 1  # a graph for every set takes its time
    for number, one in list(enumerate(ALONE))[::step]:
        if not len(kept(*one)[0]):
            continue
        frame = frame_in(engine, table_of([(number, one)]))
        counts = br.count(frame, label="y", score="s", **DROPPED)
        assert counts.digest == DIGESTS[number]
        condensed = br.count(frame, label="y", score="s", keep="positives", **DROPPED)
        assert condensed == expected(*one).condense()
        assert condensed.ledger == counts.ledger


def paired_data():
    rng = np.random.default_rng(11)
    y = (rng.random(600) < 0.2).astype(int)
    a, b = np.round(rng.normal(size=600) + y, 1), rng.normal(size=600) + y
    huge = rng.integers(2**62, 2**63 - 1, 600)
    return y, {"a": a, "b": b, "huge": huge}


@pytest.mark.parametrize("engine", LOCAL)
def test_models_are_counted_together_as_in_memory(engine):
    y, scores = paired_data()
    frame = frame_in(engine, pa.table({"y": y, **scores}))
    assert br.count(frame, label="y", score=list(scores)).digest == br.count(y, scores).digest


@pytest.fixture
def shown(tmp_path, capsys):
    """What `show` says of counts, as JSON, without where they came from."""

    def show(counts, name):
        folder = tmp_path / name
        folder.mkdir()
        counts.save(folder / "m.counts")
        done = told(
            capsys,
            "show",
            str(folder / "m.counts"),
            "--json",
            "--prior",
            "1 in 1000",
            "--cost",
            "fn=100,fp=1",
        )
        document = json.loads(done.out)
        del document["sources"]
        return document

    return show


def test_show_says_the_same_of_every_engine(shown, spark):
    y, scores = paired_data()
    table = pa.table({"y": y, "s": scores["a"]})
    here = shown(br.count(y, scores["a"]), "here")
    assert here["models"][0]["counts"]["total_positives"] == int(y.sum())
    for engine in LOCAL:
        assert shown(br.count(frame_in(engine, table), label="y", score="s"), engine) == here
    assert shown(br.count(spark.createDataFrame(table), label="y", score="s"), "Spark") == here
