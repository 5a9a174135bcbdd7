"""Frames counted where they lie: what is refused, what is left out and told, and how much may come
back.
"""

import os
from decimal import Decimal

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.read.tables import assert_refused

import baserate as br
from baserate.kernels import best, portable
from baserate.read import columns, frames
from baserate.read.frames import failed

HOW = {"label": "y", "score": "s"}
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


def test_more_distinct_scores_than_may_be_collected_are_refused(monkeypatch):
    monkeypatch.setattr(frames, "MOST_ROWS", 3)
    assert_refused(
        lambda: br.count(SOUND, **HOW),
        "BR951",
        r"more than 3 distinct scores.*counting_sql\(…, bins=",
    )
    twice = SOUND.with_columns(t=-pl.col("s"))
    for more in ({"score": ["s", "t"]}, {"score": "s", "by": "g"}):
        assert_refused(
            lambda more=more: br.count(twice, label="y", **more), "BR951", "round the scores"
        )
    held = SOUND.collect()  # it is in memory already
    assert br.count(held, **HOW) == br.count(Y, S)
    assert br.count(held, **HOW, keep="positives") == br.count(Y, S, keep="positives")


def test_a_lazy_frame_is_not_compared():
    asked = {"label": "y", "score": ["s", "t"]}
    twice = SOUND.with_columns(t=-pl.col("s"))
    for frame in (twice, duckdb.from_arrow(twice.collect().to_arrow())):
        assert_refused(
            lambda frame=frame: br.compare(frame, **asked),
            "BR950",
            "every case in memory.*collect it",
        )
    found = br.compare(twice.collect(), **asked)
    assert found.p_value == br.compare(br.count(Y, {"s": S, "t": [-s for s in S]})).p_value


def test_models_are_named_once_and_two_are_needed_to_compare():
    assert_refused(lambda: br.count(SOUND, label="y", score=[]), "BR410", "no score")
    assert_refused(lambda: br.count(SOUND, label="y", score=["s", "s"]), "BR407", "twice")
    held = SOUND.collect()
    assert_refused(lambda: br.compare(held, label="y", score=["s"]), "BR595", "two models")
    one = pl.DataFrame({"y": [1, 1], "a": [1, 2], "b": [2, 1]})
    assert_refused(lambda: br.compare(one, label="y", score=["a", "b"]), "BR552", "no negatives")


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


def test_options_of_files_are_refused_of_frames():
    frame = pl.DataFrame({"y": [0, 1], "m": [0.1, 0.2]})
    with pytest.raises(br.InputError, match="BR002: delimiter= has no effect on a data frame"):
        br.count(frame, label="y", score="m", delimiter=";")
    with pytest.raises(TypeError, match="unexpected keyword argument 'memry'"):
        br.count(frame, label="y", score="m", memry="1GB")


def in_engines(y, s):
    """The same rows in every engine that runs in this process."""
    frame = pd.DataFrame({"y": y, "s": s})
    yield "pandas", frame
    yield "polars", pl.from_pandas(frame).lazy()
    yield "pyarrow", pa.Table.from_pandas(frame)
    yield "duckdb", duckdb.from_df(frame)
    yield "dask", dd.from_pandas(frame, npartitions=3)


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
