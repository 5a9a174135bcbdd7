"""Intervals and tests where cases do not fit into memory: the numbers that memory would give."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from tests import strategies

import baserate as br
from baserate.inference.large_differences import (
    _Duels,
    compare_auc_file,
    compare_frame,
    paired_in_passes,
)
from baserate.kernels import best, portable
from baserate.read import condense, table
from baserate.read.condense import Chunks
from baserate.read.table import CELL, LEAST, Ceiling

FIELDS = (
    "value",
    "low",
    "high",
    "p_value",
    "method",
    "values",
    "statistic",
    "models",
    "name",
    "level",
)


def chunks(labels, scores, size):
    return Chunks(
        [(labels[at : at + size], scores[at : at + size]) for at in range(0, len(labels), size)],
        None,
        "random",
    )


def made(rows=4_000, prior=0.05, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < prior
    first = rng.normal(size=rows) + labels
    return labels, first, np.round(first + rng.normal(size=rows), 1)


def compared(labels, first, others, second, method=None):
    return paired_in_passes(
        {"a": chunks(labels, first, 99), "b": chunks(others, second, 99)},
        [("a", "b")],
        Ceiling(LEAST),
        0.95,
        method,
    )


@given(
    strategies.cases(both=True),
    strategies.cases(both=True),
    st.integers(1, 70),
    st.sampled_from([None, "delong", "delong-t"]),
    st.booleans(),
)
def test_two_readings_give_the_test_of_memory_bit_by_bit(one, other, size, method, in_c):
    labels, first = one
    second = np.resize(other[1], len(first))
    pieces = {"a": chunks(labels, first, size), "b": chunks(labels, second, size)}
    (ours,) = paired_in_passes(
        pieces, [("a", "b")], Ceiling(LEAST), 0.95, method, kernels=best if in_c else portable
    )
    theirs = br.compare(br.count(labels, {"a": first, "b": second}), br.auc, method=method)
    if theirs.p_value == 1 and ours.method == "hoeffding":
        # the same order of all cases, in other scores: it cannot be seen piece by piece, and is
        # documented
        return
    assert {name: getattr(ours, name) for name in FIELDS} == {
        name: getattr(theirs, name) for name in FIELDS
    }


def test_a_file_gives_the_test_of_memory(tmp_path):
    labels, first, second = made()
    path = tmp_path / "x.parquet"
    parquet.write_table(
        pa.table({"y": np.where(labels, "yes", "no"), "a": first, "b": second}),
        path,
        row_group_size=300,
    )
    ours = compare_auc_file(path, label="y", scores=["a", "b"], memory=LEAST)
    theirs = br.compare(br.count(path, label="y", score=["a", "b"]), br.auc)
    assert {name: getattr(ours, name) for name in FIELDS} == {
        name: getattr(theirs, name) for name in FIELDS
    }
    assert [note.code for note in ours.notes] == ["BR101"]


def test_identical_models_differ_by_nothing():
    labels, first, _ = made()
    (found,) = compared(labels, first, labels, first)
    assert (found.value, found.p_value) == (0.0, 1.0)


def test_pairs_that_cannot_be_compared_are_refused(tmp_path, monkeypatch):
    labels, first, second = made()
    with pytest.raises(br.InputError, match="BR581: there is no method"):
        compared(labels, first, labels, second, "mcnemar")
    with pytest.raises(
        br.InputError, match="BR944: two readings of the same cases gave different labels"
    ):
        compared(labels, first, ~labels, second)
    nobody = np.zeros(len(labels), dtype=np.bool_)
    with pytest.raises(br.InputError, match="BR552: there are no positives"):
        compared(nobody, first, nobody, second)
    with pytest.raises(br.InputError, match="BR410: a pair is compared, and 1 scores are named"):
        compare_auc_file("x.parquet", label="y", scores=["a", "a"], memory=LEAST)
    (tmp_path / "x.jsonl").write_text('{"y": 0, "a": 1, "b": 2}\n{"y": 1, "a": 1, "b": null}\n')
    with pytest.raises(
        br.InputError, match='BR201: .*x.jsonl: "b" has 1 missing or NaN score'
    ):  # as it is read as a whole
        compare_auc_file(tmp_path / "x.jsonl", label="y", scores=["a", "b"], memory=LEAST)
    monkeypatch.setattr(table, "TAKEN", LEAST - 240 * 50)
    with pytest.raises(br.InputError, match="BR951: more than 50 positives of 2 models"):
        compared(labels, first, labels, second)


@pytest.mark.parametrize("method", [None, "delong", "percentile", "bca"])
def test_intervals_of_condensed_counts_are_those_of_every_score(monkeypatch, method):
    """DeLong and the bootstrap see only what condensed counts keep."""
    labels, scores, _ = made(prior=0.02)
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 1_000)
    monkeypatch.setattr(condense, "BATCH", 64)
    cut = [(labels[at : at + 500], scores[at : at + 500]) for at in range(0, 4_000, 500)]
    condensed, whole = br.count(cut, memory=LEAST), br.count(labels, scores)
    assert condensed.condensed
    ours, theirs = (
        br.interval(
            counts,
            br.auc,
            method=method,
            **({"replicates": 400} if method in ("percentile", "bca") else {}),
        )
        for counts in (condensed, whole)
    )
    assert (ours.value, ours.method) == (theirs.value, theirs.method)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_a_billion_cases_are_resampled_as_counts():
    """The totals of scenario 9: nothing is resampled row by row, and nothing overflows."""
    counts = br.Counts(
        [9.0, 5.0, 1.0],
        positives=[400_000, 397_300, 200_000],
        negatives=[96_302_700, 300_000_000, 600_000_000],
    )
    bounds = br.interval(counts, br.auc, method="percentile", replicates=200)
    plain = br.interval(counts, br.auc, method="delong")
    assert bounds.low < bounds.value < bounds.high
    assert bounds.high - bounds.low == pytest.approx(plain.high - plain.low, rel=0.25)


def test_progress_is_told_row_by_row_of_both_readings():
    labels, first, second = made(rows=1_000)
    told = []
    paired_in_passes(
        {"a": chunks(labels, first, 400), "b": chunks(labels, second, 400)},
        [("a", "b")],
        Ceiling(LEAST, progress=lambda *done: told.append(done)),
        0.95,
        None,
    )
    assert [done for done, _ in told] == [400, 800, 1000] * 2


@pytest.mark.parametrize("method", ["mcnemar", "percentile"])
def test_a_method_that_files_do_not_have_is_refused_before_they_are_read(method):
    with pytest.raises(br.InputError, match=f'BR581: there is no method "{method}"'):
        compare_auc_file("no such file", label="y", scores=["a", "b"], memory=LEAST, method=method)


@pytest.mark.parametrize("kind", ["equal", "two", "three", "ties", "many", "weak", "reversed"])
@pytest.mark.parametrize("size", [7, 4000])
def test_what_is_noted_of_a_model_is_what_its_counts_note(kind, size):
    labels, first, second = made(rows=600, prior=0.2)
    scores = {
        "equal": np.zeros(len(first)),
        "two": (first > 0).astype(float),
        "three": np.sign(np.round(first)),
        "ties": np.round(first),
        "many": first,
        "weak": first - 0.7 * labels,  # hardly better than none, and not worse
        "reversed": -first,
    }[kind]
    duels = _Duels(
        {"a": chunks(labels, scores, size), "b": chunks(labels, second, size)},
        [("a", "b")],
        Ceiling(LEAST),
    )
    counted = br.count(labels, scores)
    assert [str(note) for note in duels.observed("a")] == [str(note) for note in counted.notes]


def test_a_frame_is_compared_by_two_scores_and_a_method_that_there_is():
    """Refused before the frame is touched."""
    with pytest.raises(br.InputError, match="BR595: a comparison needs two models"):
        compare_frame(None, label="y", scores=["a"])
    with pytest.raises(br.InputError, match='BR581: there is no method "mcnemar"'):
        compare_frame(None, label="y", scores=["a", "b"], method="mcnemar")
    with pytest.raises(br.InputError, match="BR580"):
        compare_frame(None, label="y", scores=["a", "b"], level=95)
