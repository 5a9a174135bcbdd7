"""Frames counted where they lie: what is refused, what is left out and told, and how much may come
back.
"""

import os
import sys
from decimal import Decimal

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.helpers import answered, refused
from tests.peaks import taken_by
from tests.read.tables import assert_refused
from tests.read.test_large_files import made

import baserate as br
from baserate.kernels import best, portable
from baserate.read import columns, frames, table
from baserate.read.frames import Negatives, failed

Y, S = [0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.1, 0.4, 0.3, 0.4]
SOUND = pl.LazyFrame({"y": Y, "s": S, "g": ["a", "a", "b", "b", None, "a"]})


def test_labels_are_decided_once_and_spoken_of_as_everywhere():
    words = pl.LazyFrame({"y": ["legit", "fraud", "legit"], "s": [0.1, 0.2, 0.3]})
    assert_refused(lambda: br.count(words, label="y", score="s"), "BR102", r'"legit" \(2\)')
    counts = br.count(words, label="y", score="s", positive="fraud")
    assert counts == br.count([0, 1, 0], [0.1, 0.2, 0.3])
    three = pl.LazyFrame({"y": [0, 1, 2, 2], "s": [0.1, 0.2, 0.3, 0.4]})
    assert_refused(lambda: br.count(three, label="y", score="s"), "BR103", r"2 \(2\)")
    assert_refused(
        lambda: br.count(words, label="y", score="s", positive="froud"), "BR109", "fraud"
    )
    known = br.count(pl.LazyFrame({"y": ["no", "yes"], "s": [1, 2]}), label="y", score="s")
    assert (known.notes[0].code, known.notes[0].text) == (
        "BR101",
        '"y": positive = "yes", negative = "no"',
    )


@pytest.mark.parametrize("keep", [None, "positives"])
def test_missing_labels_and_scores_are_refused_or_left_out_and_counted(keep):
    frame = pl.LazyFrame(
        {"y": [0, 1, None, 1, 0, 0], "s": [0.1, 0.9, 0.5, None, float("nan"), 0.3]}
    )
    with pytest.raises(
        br.InputError,
        match=(
            'BR105: 1 of 6 labels in "y" is missing[^\n]*\nBR201: "s" has 2 missing or NaN scores'
        ),
    ):
        br.count(frame, label="y", score="s", keep=keep)
    half = {"missing_label": "drop", "keep": keep}
    assert_refused(
        lambda: br.count(frame, label="y", score="s", **half),
        "BR201",
        '"s" has 2 missing or NaN scores',
    )
    counts = br.count(frame, label="y", score="s", nan_score="drop", **half)
    assert counts.digest == br.count([0, 1, 0], [0.1, 0.9, 0.3], keep=keep or "all").digest
    assert (counts.ledger.rows_read, counts.ledger.rows_used, counts.ledger.rows_refused) == (
        6,
        3,
        3,
    )
    told = [(note.code, note.text) for note in counts.notes]
    assert ("BR105", '1 of 6 labels in "y" is missing: left out, as requested') in told
    assert any(
        code == "BR201" and text.startswith("2 cases without a score") for code, text in told
    )


@pytest.mark.parametrize("keep", [None, "positives"])
def test_nothing_left_is_no_answer(keep):
    frame = pl.LazyFrame({"y": [0, 1], "s": [float("nan"), None]})
    assert_refused(
        lambda: br.count(frame, label="y", score="s", nan_score="drop", keep=keep),
        "BR602",
        "nothing remains",
    )


def test_both_problems_are_named_in_one_run():
    frame = pl.LazyFrame({"y": [0, 1, 2], "s": [0.1, None, 0.2]})
    with pytest.raises(br.InputError, match="BR103[^\n]*\nBR201"):
        br.count(frame, label="y", score="s")


def test_only_dropping_can_be_asked_of_an_engine():
    assert_refused(
        lambda: br.count(SOUND, label="y", score="s", nan_score="lowest"),
        "BR953",
        "nothing else",
    )
    assert_refused(
        lambda: br.count(SOUND, label="y", score="s", lower_is_positive=True),
        "BR953",
        "nothing else",
    )
    assert_refused(
        lambda: br.count(SOUND, label="y", score="s", nan_score="forget"),
        "BR532",
        "drop or lowest",
    )


def test_more_distinct_scores_than_allowed_become_condensed_counts_or_a_refusal():
    condensed = br.count(SOUND, label="y", score="s", cells=3)
    assert condensed.condensed
    assert condensed == br.count(Y, S, keep="positives")
    assert not br.count(SOUND, label="y", score="s", cells=5).condensed
    assert_refused(
        lambda: br.count(SOUND, label="y", score="s", cells=3, keep="all"),
        "BR951",
        'more than 3 distinct.*keep="positives"',
    )
    assert_refused(
        lambda: br.count(SOUND, label="y", score="s", cells=1),
        "BR951",
        "positives alone have more than 1 distinct",
    )
    for wrong in (0, -1, True, 2.5):
        assert_refused(
            lambda cells=wrong: br.count(SOUND, label="y", score="s", cells=cells),
            "BR951",
            "number of 1 or more",
        )
    assert_refused(
        lambda: br.count(SOUND, label="y", score="s", keep="some"),
        "BR532",
        "'all' or 'positives'",
    )
    assert_refused(
        lambda: br.count(SOUND, label="y", score="s", by="g", cells=2),
        "BR951",
        "more than 2 distinct",
    )
    assert_refused(
        lambda: br.count(SOUND, label="y", score=["s", "g"], cells=2),
        "BR951",
        "more than 2 distinct",
    )


def test_one_class_alone_is_counted_too():
    for labels in ([0, 0, 0], [1, 1, 1]):
        frame = pl.LazyFrame({"y": labels, "s": [0.1, 0.2, 0.2]})
        for keep in ("all", "positives"):
            assert br.count(frame, label="y", score="s", keep=keep) == br.count(
                labels, [0.1, 0.2, 0.2], keep=keep
            )


def test_text_labels_with_blanks_are_condensed_as_they_are_counted():
    frame = pl.LazyFrame({"y": ["no", " ", "yes", None, "no"], "s": [1, 2, 3, 4, 5]})
    counts = br.count(frame, label="y", score="s", missing_label="drop", keep="positives")
    assert counts == br.count(["no", "yes", "no"], [1, 3, 5], keep="positives")
    assert counts.ledger.rows_refused == 2


def test_groups_have_their_names_and_a_missing_one_is_a_group():
    grouped = br.count(SOUND, label="y", score="s", by="g")
    assert grouped.digest == br.count(Y, S, by=["a", "a", "b", "b", None, "a"]).digest
    numbered = pl.LazyFrame({"y": Y, "s": S, "g": [1.0, 1.0, 2.0, None, float("nan"), 2.5]})
    assert set(br.count(numbered, label="y", score="s", by="g")) == {
        1,
        2,
        2.5,
        None,
    }


def test_odd_types_are_judged_here():
    big = pa.table({"y": [0, 1], "s": pa.array([2**63, 1], pa.uint64())})
    assert_refused(
        lambda: br.count(big, label="y", score="s"),
        "BR215",
        "beyond the largest 64-bit integer",
    )
    assert_refused(
        lambda: br.count(big, label="y", score="s", keep="positives"),
        "BR215",
        "beyond the largest 64-bit integer",
    )
    small = pa.table({"y": pa.array([True, False, None]), "s": pa.array([3, 1, 2], pa.uint64())})
    assert br.count(small, label="y", score="s", missing_label="drop") == br.count([1, 0], [3, 1])
    text = pa.table({"y": [0, 1], "s": ["0.25", "7e-1"]})
    assert br.count(text, label="y", score="s") == br.count([0, 1], [0.25, 0.7])
    coded = pl.LazyFrame(
        {
            "y": pl.Series(["no", "yes"], dtype=pl.Categorical),
            "s": pl.Series([0.5, 0.25], dtype=pl.Float32),
        }
    )
    assert br.count(coded, label="y", score="s") == br.count([0, 1], [0.5, 0.25])
    assert_refused(
        lambda: br.count(pd.DataFrame({"y": [0, 1], "s": [b"1", b"2"]}), label="y", score="s"),
        "BR209",
        "not scores",
    )
    assert_refused(
        lambda: br.count([1, 2], label="y", score="s"),
        "BR950",
        "a list is not a data frame.*count\\(y_true, y_score\\)",
    )
    assert_refused(lambda: br.count(SOUND, label="y", score="t"), "BR613", 'no column "t"')
    with pytest.raises(br.InputError, match="BR532"):
        br.count(SOUND, label="y", score="s", design="whim")


def test_models_are_named_once_and_two_are_needed_to_compare():
    assert_refused(lambda: br.count(SOUND, label="y", score=[]), "BR410", "no score")
    assert_refused(lambda: br.count(SOUND, label="y", score=["s", "s"]), "BR407", "twice")
    assert_refused(lambda: br.compare(SOUND, label="y", score=["s"]), "BR595", "two models")
    one = pl.LazyFrame({"y": [1, 1], "a": [1, 2], "b": [2, 1]})
    assert_refused(lambda: br.compare(one, label="y", score=["a", "b"]), "BR552", "no negatives")


def askew(values):
    """The same numbers at an odd address, as a message over a network may have them."""
    raw = np.zeros(values.nbytes + 1, dtype=np.uint8)
    raw[1:] = values.view(np.uint8)
    return raw[1:].view(values.dtype)


def test_arrays_may_lie_at_any_byte():
    anchors, scores = np.array([-3, 1, 5]), np.array([7, 1, 0, 5, 5, -9])
    straight = Negatives(anchors)(iter([{"score 0": scores}]))
    crooked = Negatives(askew(anchors))(iter([{"score 0": askew(scores)}]))
    assert not askew(anchors).flags.aligned
    assert [column.tolist() for column in crooked] == [column.tolist() for column in straight]
    assert straight[2].sum() == len(scores)


def test_small_batches_are_worked_on_together(monkeypatch):
    monkeypatch.setattr(frames, "PIECE", 10)
    pieces = list(frames.gathered_pieces({"s": np.full(4, number)} for number in range(6)))
    assert [len(piece["s"]) for piece in pieces] == [12, 12]
    assert np.concatenate([piece["s"] for piece in pieces]).tolist() == sorted([*range(6)] * 4)


def test_every_way_of_cutting_into_partitions_gives_the_same(tmp_path):
    rng = np.random.default_rng(3)
    y, s = rng.random(400) < 0.2, np.round(rng.normal(size=400), 2)
    frame = pd.DataFrame({"y": y, "s": s})
    full, condensed = br.count(y, s), br.count(y, s, keep="positives")
    for parts in (1, 2, 7):
        cut = dd.from_pandas(frame, npartitions=parts)
        assert br.count(cut, label="y", score="s").digest == full.digest
        assert br.count(cut, label="y", score="s", keep="positives") == condensed
    empty = dd.from_pandas(frame, npartitions=3)
    empty = dd.concat([empty[empty.s > 100], empty])
    assert br.count(empty, label="y", score="s", keep="positives") == condensed


class Dying:
    """Ends the worker process that it runs in."""

    def __call__(self, _):
        os._exit(9)


def test_a_worker_of_dask_that_dies_is_told_in_one_line(monkeypatch):
    from concurrent.futures.process import BrokenProcessPool

    import dask

    said = failed(BrokenProcessPool("A process in the process pool was terminated abruptly"))
    assert str(said).startswith(
        "BR952: the job failed, and nothing was counted: A process in the process pool was"
        " terminated abruptly"
    )
    frame = dd.from_pandas(pd.DataFrame({"y": Y, "s": S}), npartitions=2)
    dead = frame.map_partitions(Dying(), meta=frame._meta)
    with dask.config.set(scheduler="processes", num_workers=1):
        assert_refused(lambda: br.count(dead, label="y", score="s"), "BR952", "nothing was counted")


@pytest.fixture
def cases(tmp_path):
    path = str(tmp_path / "a.parquet")
    parquet.write_table(
        pa.table({"y": Y, "s": S, "t": S[::-1], "g": ["a", "a", "b", "b", "b", "a"]}), path
    )
    return path


@pytest.mark.filterwarnings(
    "ignore:The inplace keyword:DeprecationWarning"
)  # Dask's own, on reading
def test_the_command_counts_with_dask(cases, tmp_path, capsys):
    output = str(tmp_path / "a.counts")
    asked = ["count", cases, "--label", "y", "--engine", "dask", "-o", output, "--force"]
    document = answered(capsys, *asked, "--score", "s")
    assert document["models"][0]["counts"]["digest"] == br.count(Y, S).digest
    assert document["sources"][0] | {"rows_read": 6, "positive": "1"} == document["sources"][0]
    answered(capsys, *asked, "--score", "s", "--keep", "positives")
    assert br.load(output) == br.count(Y, S, keep="positives")
    answered(capsys, *asked, "--score", "s", "--score", "t")
    assert br.load(output).digest == br.count(Y, {"s": S, "t": S[::-1]}).digest
    answered(capsys, *asked, "--score", "s", "--group", "g")
    assert br.load(output).digest == br.count(Y, S, by=["a", "a", "b", "b", "b", "a"]).digest


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
def test_a_ceiling_on_memory_is_one_on_cells_where_a_cluster_counts(
    cases, tmp_path, capsys, monkeypatch
):
    output = str(tmp_path / "a.counts")
    asked = [
        "count",
        cases,
        "--label",
        "y",
        "--score",
        "s",
        "--engine",
        "dask",
        "--memory",
        "320MB",
        "-o",
        output,
        "--force",
    ]
    monkeypatch.setattr(table, "TAKEN", table.LEAST - 360 * 5)
    assert not answered(capsys, *asked)["models"][0]["counts"]["condensed"]
    monkeypatch.setattr(table, "TAKEN", table.LEAST - 360 * 3)
    assert answered(capsys, *asked)["models"][0]["counts"]["condensed"]
    assert br.load(output) == br.count(Y, S, keep="positives")
    monkeypatch.setattr(table, "TAKEN", table.LEAST - 360)
    assert "BR951" in refused(capsys, *asked)


def session_of_spark():
    return (
        sys.modules["pyspark"].SparkContext._active_spark_context
        if "pyspark" in sys.modules
        else None
    )


@pytest.mark.parametrize("engine", ["dask", "spark"])
@pytest.mark.parametrize(
    "name", ["a.csv", "a.csv.gz", "b.parquet", "*.csv", "folder", "s3a://logs/a.jsonl", "-"]
)
def test_a_cluster_is_not_woken_for_what_is_no_parquet(name, engine, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for path in ("a.csv", "a.csv.gz", "b.parquet", "folder/part.csv"):
        (tmp_path / path).write_text("y,s\n0,0.1\n1,0.9\n")
    before = session_of_spark()  # other tests may have one
    line = refused(
        capsys, "count", name, "--label", "y", "--score", "s", "--engine", engine, "-o", "a.counts"
    )
    assert "BR953" in line
    assert "--engine counts Parquet" in line
    assert "leave --engine out" in line
    assert session_of_spark() is before


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
@pytest.mark.parametrize("keep", ["all", "positives"])
def test_what_dask_cannot_read_is_one_line(tmp_path, capsys, keep):
    rng, path = np.random.default_rng(0), tmp_path / "a.parquet"
    parquet.write_table(
        pa.table({"y": rng.integers(0, 2, 50_000), "s": rng.random(50_000)}),
        path,
        row_group_size=5000,
    )
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[2000:400_000:7] = bytes(len(range(2000, 400_000, 7)))  # heads of pages among them
    for content, code, said in (
        (b"", "BR600", "cannot be read there"),
        (whole[:4000], "BR600", "cannot be read there"),
        (damaged, "BR952", "the job failed, and nothing was counted"),
    ):
        path.write_bytes(content)
        asked = ["--label", "y", "--score", "s", "--engine", "dask", "--keep", keep]
        line = refused(capsys, "count", str(path), *asked, "-o", str(tmp_path / "a.counts"))
        assert (code in line, said in line, "a.parquet" in line) == (True, True, True), line


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
def test_decimals_with_gaps_are_told_and_left_out_on_dask_too(tmp_path, capsys):
    path, spelled = (
        str(tmp_path / "a.parquet"),
        [Decimal("0.1"), Decimal("0.9"), None, Decimal("0.4")],
    )
    parquet.write_table(pa.table({"y": Y[:4], "s": pa.array(spelled, pa.decimal128(10, 3))}), path)
    asked = [
        "count",
        path,
        "--label",
        "y",
        "--score",
        "s",
        "--engine",
        "dask",
        "-o",
        str(tmp_path / "a.counts"),
    ]
    assert "BR201" in refused(capsys, *asked)
    document = answered(capsys, *asked, "--nan-score", "drop")
    assert document["models"][0]["counts"]["digest"] == br.count([0, 1, 1], [0.1, 0.9, 0.4]).digest


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
@pytest.mark.parametrize("keep", ["all", "positives"])
def test_a_frame_without_rows_is_refused_as_a_file_is(tmp_path, capsys, keep):
    path, nothing = (
        str(tmp_path / "a.parquet"),
        pa.table({"y": pa.array([], pa.int64()), "s": pa.array([], pa.float64())}),
    )
    parquet.write_table(nothing, path)
    assert_refused(
        lambda: br.count(nothing, label="y", score="s", keep=keep),
        "BR602",
        "there are no rows",
    )
    line = refused(
        capsys,
        "count",
        path,
        "--label",
        "y",
        "--score",
        "s",
        "--engine",
        "dask",
        "--keep",
        keep,
        "-o",
        str(tmp_path / "a.counts"),
    )
    assert "BR602" in line


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
def test_the_command_refuses_what_a_cluster_cannot_do(cases, tmp_path, capsys):
    asked = ["count", cases, "--label", "y", "--score", "s", "-o", str(tmp_path / "a.counts")]
    for more, code, said in (
        (["--engine", "hadoop"], "BR955", "no engine"),
        (["--master", "yarn"], "BR955", "no engine is named"),
        (["--cells", "9"], "BR955", "no engine is named"),
        (["--engine", "dask", "--weight", "t"], "BR953", "weights"),
        (["--engine", "spark", "--decimal", ","], "BR953", "without --decimal"),
        (["--engine", "dask", "--nan-score", "lowest"], "BR953", "nothing else"),
        (["--engine", "dask", "--keep", "some"], "BR532", "all or positives"),
        (["--engine", "dask", "--cells", "0"], "BR951", "--cells"),
        (
            ["--engine", "dask", "--cells", "9", "--memory", "1GB"],
            "BR955",
            "memory and cells both limit how much is held in memory",
        ),
        (["--engine", "dask", "--memory", "a lot"], "BR940", "--memory 1GB"),
        (["--engine", "dask", "--score", "t", "--group", "g"], "BR410", "one score"),
        (
            ["--engine", "dask", "--master", "tcp://127.0.0.1:1"],
            None,
            "Dask scheduler|distributed is not installed",
        ),
    ):
        line = refused(capsys, *asked, *more)
        assert code is None or code in line, line
        assert any(part in line for part in said.split("|")), line
    absent = str(tmp_path / "absent.parquet")
    line = refused(
        capsys,
        "count",
        absent,
        "--label",
        "y",
        "--score",
        "s",
        "--engine",
        "dask",
        "-o",
        str(tmp_path / "a.counts"),
    )
    assert "BR600" in line
    line = refused(
        capsys,
        "count",
        cases,
        "--label",
        "y",
        "--score",
        "q",
        "--engine",
        "dask",
        "-o",
        str(tmp_path / "a.counts"),
    )
    assert 'no column "q"' in line
    assert cases in line


def test_the_whole_of_scenario_9_scaled_down_is_exact_on_dask():
    rows, every = 99_730, 1000
    i = np.arange(rows)
    y = (i % every == 0).astype(int)
    s = i % 9973 + 1000 * y
    counts = br.count(
        dd.from_pandas(pd.DataFrame({"y": y, "s": s}), npartitions=4), label="y", score="s"
    )
    assert counts.digest == br.count(y, s).digest
    point = br.choose(counts, threshold=9000)
    assert (point.tp, point.fp) == (
        int(((s >= 9000) & (y == 1)).sum()),
        int(((s >= 9000) & (y == 0)).sum()),
    )


@pytest.mark.parametrize("largest", [7, 2**63 - 1])
def test_whole_numbers_without_a_sign_are_condensed_as_others_are(largest):
    labels, scores = [0, 1, 0, 1, 1, 0], [1, 2, largest, 4, 2, 6]
    frame = pl.DataFrame(
        {
            "y": labels,
            "m": pl.Series(scores, dtype=pl.UInt64),
            "n": pl.Series(scores[::-1], dtype=pl.UInt64),
        }
    )
    assert br.count(frame, label="y", score="m", keep="positives") == br.count(
        labels, scores, keep="positives"
    )
    signed = frame.with_columns(pl.col("m", "n").cast(pl.Int64))
    assert br.compare(frame, label="y", score=["m", "n"]) == br.compare(
        signed, label="y", score=["m", "n"]
    )
    frame = frame.with_columns(pl.lit(2**63, pl.UInt64).alias("m"))
    with pytest.raises(br.InputError, match='BR215: "m" goes beyond the largest 64-bit integer'):
        br.count(frame, label="y", score="m", keep="positives")


def test_options_of_files_are_refused_of_frames():
    frame = pl.DataFrame({"y": [0, 1], "m": [0.1, 0.2]})
    with pytest.raises(br.InputError, match="BR002: delimiter= has no effect on a data frame"):
        br.count(frame, label="y", score="m", memory="1GB", delimiter=";")
    with pytest.raises(TypeError, match="unexpected keyword argument 'memry'"):
        br.count(frame, label="y", score="m", memry="1GB")


HOW = {"label": "y", "score": "s"}


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="resident sets are read from /proc"
)
@pytest.mark.parametrize("opened", ["polars.scan_parquet", "duckdb.read_parquet"])
def test_negatives_of_a_frame_on_this_machine_are_not_all_held(tmp_path, opened):
    """Eight times the rows take at most some batches more."""
    peaks = []
    for rows in (1_000_000, 8_000_000):
        path = str(tmp_path / f"{rows}.parquet")
        duckdb.sql(
            f"COPY (SELECT i % 1000 = 0 AS y, hash(i)::DOUBLE AS s FROM range({rows}) t(i)) TO"
            f" '{path}' (ROW_GROUP_SIZE 100000)"
        )
        program = f"import baserate as br, {opened.split('.')[0]}\nf = {opened}({path!r})\n"
        taken = taken_by(
            [
                sys.executable,
                "-c",
                program + "print(br.count(f, label='y', score='s', keep='positives'))",
            ]
        )
        assert f"{rows // 1000:,} positives" in taken.said
        peaks.append(taken.peak)
    assert peaks[1] < peaks[0] + 100e6


def test_frames_streamed_in_batches_give_the_counts_of_memory(monkeypatch):
    monkeypatch.setattr("baserate.read.frames.PIECE", 100)
    labels, scores = made(3_000, prior=0.1)
    frame = pl.LazyFrame({"y": labels, "s": scores})
    expected = br.count(labels, scores).condense()
    assert br.count(frame, **HOW, keep="positives") == expected
    table = frame.collect().to_arrow()
    assert br.count(duckdb.from_arrow(table), **HOW, keep="positives") == expected
    assert br.count(table, **HOW, keep="positives") == expected


def in_engines(y, s):
    """The same rows in every engine that runs in this process."""
    frame = pd.DataFrame({"y": y, "s": s})
    yield "pandas", frame
    yield "polars", pl.from_pandas(frame).lazy()
    yield "pyarrow", pa.Table.from_pandas(frame)
    yield "duckdb", duckdb.from_df(frame)
    yield "dask", dd.from_pandas(frame, npartitions=3)


def test_a_ceiling_on_memory_is_one_on_cells_of_a_frame(monkeypatch):
    frame = pl.DataFrame({"y": Y, "s": S, "t": S[::-1]})
    monkeypatch.setattr(table, "TAKEN", 10**9 - 360 * 5)
    assert br.count(frame, **HOW, memory="1GB") == br.count(Y, S)
    monkeypatch.setattr(table, "TAKEN", 10**9 - 360 * 3)
    assert br.count(frame, **HOW, memory="1GB") == br.count(Y, S, keep="positives")
    with pytest.raises(br.InputError, match="BR951"):
        br.count(frame, label="y", score=["s", "t"], memory="1GB")
    with pytest.raises(br.InputError, match="BR955: memory and cells both"):
        br.count(frame, **HOW, memory="1GB", cells=5)


ODD = {
    "lists": [[1], [2], [1], [2]],
    "mixed": [0, "a", 1, None],
    "objects": [object()] * 4,
    "sets": [{1}] * 4,
    "complex": [1j, 2j, 3j, 4j],
    "bytes": [b"a", b"b", b"a", b"b"],
    "huge": [2**70, 1, 2, 3],
    "kinds": [1, 2.5, True, Decimal(1)],
    "nothing": [None] * 4,
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("how", [{}, {"keep": "positives"}])
@pytest.mark.filterwarnings("ignore")  # of the engines, on such columns
def test_no_engine_raises_anything_but_a_refusal_on_odd_columns(kind, how):
    for y, s in ((ODD[kind], [0.1, 0.2, 0.3, 0.4]), ([0, 1, 0, 1], ODD[kind])):
        engines = in_engines(y, s)
        while True:
            try:
                name, frame = next(engines)
            except StopIteration:
                break
            except Exception:  # noqa: BLE001 (the library itself makes no such frame)
                break
            try:
                assert isinstance(br.count(frame, **HOW, **how), br.Counts), name
            except br.InputError as error:
                assert error.code.startswith("BR"), name


@pytest.mark.parametrize("name", [3, None, b"s", ["s"], ("y", 3)])
def test_names_that_are_no_text_are_refused(name):
    frame = pl.DataFrame({"y": Y, "s": S})
    for given in ({"label": name, "score": "s"}, {"label": "y", "score": name}):
        if given["score"] != ["s"]:  # several models, of which there is one
            with pytest.raises(br.InputError, match="BR003"):
                br.count(frame, **given)


TEXTS = ("no", "yes", "a text of more than twelve bytes: äöü", "", "ノー", "a\0b", "ab")


@pytest.mark.parametrize(
    "words", [TEXTS[:2], TEXTS, (*TEXTS[:2], None), TEXTS[2:4], ("123456789012", "1234567890123")]
)
@pytest.mark.parametrize("kernels", [best, portable])
def test_text_of_every_library_is_read_word_by_word(words, kernels, monkeypatch):
    """Sliced, in pieces, with nulls, in every layout that Arrow has: C and NumPy alike."""
    monkeypatch.setattr(columns, "best", kernels)
    rows = np.array(words, dtype=object)[np.random.default_rng(3).integers(0, len(words), 200)]
    texts = rows.tolist()
    pieces = [pa.array(texts[:50], pa.string()), pa.array(texts[50:], pa.string())]
    for data, expected in (
        (pl.Series(texts), texts),
        (pl.Series(texts)[7:], texts[7:]),
        (pl.Series(texts[:90]).append(pl.Series(texts[90:])), texts),
        (pa.array(texts), texts),
        (pa.chunked_array(pieces), texts),
        (pa.array(texts, pa.large_string())[3:], texts[3:]),
        (pa.array(texts, pa.string_view())[5:], texts[5:]),
        (pa.array(texts).dictionary_encode(), texts),
        (pd.Series(texts, dtype="str"), texts),
        (pd.Series(texts, dtype="string")[4:], texts[4:]),
        (pd.Series(texts, dtype="category"), texts),
    ):
        column = columns.as_column(data, "y")
        assert column.values.tolist() == expected
        listed, codes = column.coded
        assert [listed[code] for code in codes] == expected
