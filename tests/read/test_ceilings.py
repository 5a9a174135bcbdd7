"""Counting under a ceiling: the same counts whatever fits, whatever the chunks, and a word on what
was merged.
"""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.cli.helpers import told
from tests.read.test_large_files import made, written
from tests.read.test_large_texts import plain_text

import baserate as br
from baserate.kernels import best, portable
from baserate.read import large, table
from baserate.read.large import Chunks, count_within
from baserate.read.table import CELL, LEAST, POSITIVE, Ceiling, bytes_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("saved")


def tight(patch, scores):
    """A ceiling that has room for so many distinct scores, and merges what waits at once."""
    patch.setattr(table, "TAKEN", LEAST - CELL * scores)
    patch.setattr(large, "BATCH", 4)


def cut(labels, scores, size):
    return [(labels[at : at + size], scores[at : at + size]) for at in range(0, len(scores), size)]


def spread(rows=3_000, prior=0.01, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < prior
    return labels, rng.normal(size=rows) + labels


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(
    strategies.cases(),
    st.integers(1, 70),
    st.integers(2, 80),
    st.lists(finite, max_size=2),
    st.sampled_from([best, portable]),
)
def test_whatever_fits_and_however_the_rows_are_cut_the_counts_are_those_of_memory(
    data, size, room, thresholds, kernels
):
    labels, scores = data
    if not len(scores):
        return
    with pytest.MonkeyPatch.context() as patch:
        tight(patch, room)
        patch.setattr(table, "POSITIVE", 1)
        patch.setattr("baserate.read.large.POSITIVE", 1)
        pieces = Chunks(cut(labels, scores, size), None, "random")
        kept = count_within(
            pieces.read, Ceiling(LEAST, thresholds=tuple(thresholds)), kernels=kernels
        )
    whole = br.count(labels, scores)
    counts = br.Counts._of(kept.cells, whole.ledger, (), kept.condensed, kept.cuts)
    expected = whole.condense(thresholds) if kept.condensed else whole
    assert counts == expected
    assert counts.digest == expected.digest
    assert kept.condensed is (len(whole.scores) > room)  # however the rows were cut
    for threshold in thresholds:
        ours, theirs = br.choose(counts, threshold=threshold), br.choose(whole, threshold=threshold)
        assert (ours.tp, ours.fp) == (theirs.tp, theirs.fp)


def test_condensed_counts_say_so_in_every_place(monkeypatch):
    labels, scores = spread()
    tight(monkeypatch, 500)
    counts = br.count(cut(labels, scores, 100), memory=LEAST, thresholds=[0.5])
    assert "condensed" in repr(counts)
    assert [note.code for note in counts.notes] == ["BR947", "BR207"][: len(counts.notes)]
    assert counts.notes[0].text == (
        "the scores did not all fit: runs of negatives are merged, exact for AUC and at every"
        " positive's score and 1 requested threshold"
    )
    assert br.auc(counts) == br.auc(br.count(labels, scores))


SHAPES = {
    "uniform": lambda rng, y: rng.random(len(y)) + 0.1 * y,
    "both signs": lambda rng, y: rng.normal(size=len(y)) + y,
    "crowded below one": lambda rng, y: 1 - np.exp(-rng.exponential(12, len(y)) - 3 * y),
    "of any size": lambda rng, y: 10.0 ** (rng.uniform(-300, 280, len(y)) + 20 * y),
    "heavily tied in part": lambda rng, y: np.where(
        rng.random(len(y)) < 0.4, rng.choice([0.0, 0.5], len(y)), rng.random(len(y)) + 0.1 * y
    ),
    "endless in part": lambda rng, y: np.where(
        rng.random(len(y)) < 0.1, rng.choice([-np.inf, np.inf], len(y)), rng.normal(size=len(y)) + y
    ),
    "whole": lambda rng, y: (rng.normal(size=len(y)) * 1e9 + 1e9 * y).astype(np.int64),
    "short": lambda rng, y: (rng.random(len(y)) + 0.1 * y).astype(np.float32),
}


def test_more_positives_than_fit_are_refused_with_the_way_out(monkeypatch):
    labels, scores = spread(prior=0.5)
    tight(monkeypatch, 200)
    most = CELL * 200 // POSITIVE
    with pytest.raises(
        br.InputError,
        match=rf"BR951: more than {most} different scores of positives .* rounded scores",
    ):
        br.count(cut(labels, scores, 100), memory=LEAST)


def test_chunks_that_can_be_read_once_are_refused_only_where_they_are_needed_again(monkeypatch):
    labels, scores = spread()
    assert br.count(iter(cut(labels, scores, 100)), memory=LEAST) == br.count(labels, scores)
    tight(monkeypatch, 500)
    with pytest.raises(br.InputError, match="BR944: these chunks can be gone through once"):
        br.count(iter(cut(labels, scores, 100)), memory=LEAST)


@pytest.mark.parametrize(
    ("chunks", "match"),
    [
        ([[1, 2, 3]], "BR944: chunk 0 is not a pair"),
        (
            [([0, 1], [1, 2]), ([0, 1], [0.5, 2])],
            "BR944: scores are whole numbers in some pieces and fractions in others",
        ),
        (
            [([0, 1], [0.5, 2]), ([0, 1, 0], [0.5, np.nan, np.nan])],
            r"BR201: y_score has 2 missing or NaN scores.*\(positions? 3, 4\)|BR201.*3, 4",
        ),
        ([], "BR602: there are no cases in any chunk"),
    ],
)
def test_strange_chunks_are_refused(chunks, match):
    with pytest.raises(br.InputError, match=match):
        br.count(chunks, memory="1GB")


def test_chunks_that_differ_when_they_are_read_again_are_refused(monkeypatch):
    labels, scores = spread()
    tight(monkeypatch, 500)
    readings = iter([3_000, 2_000])

    def chunks():
        rows = next(readings)
        return iter(cut(labels[:rows], scores[:rows], 100))

    with pytest.raises(br.InputError, match="BR944: the chunks gave 3000 cases at first, and 2000"):
        br.count(chunks, memory=LEAST)


@pytest.mark.parametrize("what", ["drawn anew", "one score", "one label", "two labels"])
def test_as_many_other_cases_when_chunks_are_read_again_are_refused(monkeypatch, what):
    labels, scores = spread()
    tight(monkeypatch, 500)
    others = labels.copy(), scores.copy()
    if what == "drawn anew":
        others = np.random.default_rng(99).permutation(labels), scores
    elif what == "one score":
        others[1][7] = np.nextafter(scores[7], 9)
    else:
        changed = [
            np.argmax(labels == 0),
            *([] if what == "one label" else [np.argmax(labels == 1)]),
        ]
        others[0][changed] = 1 - others[0][changed]
    readings = iter([(labels, scores), others])
    with pytest.raises(
        br.InputError,
        match="BR944: the chunks gave different cases .*Fix: give the same chunks each time",
    ):
        br.count(lambda: iter(cut(*next(readings), 100)), memory=LEAST)


def test_chunks_may_come_in_another_order_and_be_cut_otherwise(monkeypatch):
    labels, scores = spread()
    tight(monkeypatch, 500)
    readings = iter([cut(labels, scores, 100), cut(labels[::-1], scores[::-1], 170)])
    assert (
        br.count(lambda: iter(next(readings)), memory=LEAST) == br.count(labels, scores).condense()
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1GB", 10**9),
        ("512 MiB", 2**29),
        ("0.5gib", 2**29),
        (10**9, 10**9),
        ("1000000000", 10**9),
        (4e8, 4 * 10**8),
    ],
)
def test_memory_is_written_as_people_write_it(written, meant):
    assert bytes_of(written) == meant


@pytest.mark.parametrize(
    "wrong", ["much", "", "-1GB", "1XB", True, None, [1], 0, float("nan"), "1e9"]
)
def test_what_is_no_amount_of_memory_is_refused(wrong):
    with pytest.raises(br.InputError, match="BR940: a ceiling is an amount of memory"):
        bytes_of(wrong)


def test_a_ceiling_below_what_the_readers_take_is_refused():
    with pytest.raises(
        br.InputError,
        match=r"BR940: a ceiling of 100.0 MB is too low: the readers alone take 260.0 MB",
    ):
        br.count([([0, 1], [1, 2])], memory="100MB")


def test_a_billion_rows_in_small_scenario_nine():
    """USERS scenario 9, one period of it: i < 9,973,000, and the AUC of all periods, which are
    alike.
    """

    def chunks():
        for start in range(0, 9_973_000, 1 << 20):
            rows = np.arange(start, min(start + (1 << 20), 9_973_000))
            yield rows % 1000 == 0, rows % 9973 + 1000 * (rows % 1000 == 0)

    counts = br.count(chunks, memory="1GB")
    assert (counts.total_positives, counts.total_negatives) == (9_973, 9_963_027)
    assert br.auc(counts) == 118406729 / 198921458
    point = br.choose(counts, threshold=9000)
    assert (point.tp, point.fp) == (1_973, 972_027)


@given(strategies.cases(both=True), st.lists(finite, min_size=1, max_size=3))
def test_thresholds_kept_apart_survive_saving_and_adding(folder, data, thresholds):
    labels, scores = data
    condensed = br.count(labels, scores).condense(thresholds)
    condensed.save(folder / "x.counts")
    loaded = br.load(folder / "x.counts")
    both = br.count(np.tile(labels, 2), np.tile(scores, 2))
    assert loaded == condensed
    for counts, whole in ((loaded, br.count(labels, scores)), (loaded + condensed, both)):
        for threshold in thresholds:
            ours, theirs = (
                br.choose(counts, threshold=threshold),
                br.choose(whole, threshold=threshold),
            )
            assert (ours.tp, ours.fp) == (theirs.tp, theirs.fp)


def test_a_threshold_that_was_not_asked_for_is_still_refused():
    counts = br.Counts(
        [0.9, 0.6, 0.4, 0.2], positives=[1, 0, 0, 0], negatives=[0, 1, 1, 1]
    ).condense([0.5])
    assert br.choose(counts, threshold=0.5).fp == 1
    with pytest.raises(br.InputError, match="BR229"):
        br.choose(counts, threshold=0.3)


@pytest.mark.parametrize("ending", ["parquet", "csv.gz"])
def test_a_file_that_is_given_twice_is_noted(tmp_path, capsys, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        written(path, *made())
    else:
        with gzip.open(path, "wt") as file:
            file.write(plain_text(100))
    done = told(
        capsys,
        "count",
        path,
        path,
        "--label",
        "y",
        "--score",
        "s",
        "--memory",
        LEAST,
        "-o",
        tmp_path / "m.counts",
    )
    assert (done.status, "BR411" in done.err) == (0, True), done.err


@pytest.mark.parametrize("threshold", [1e16, -(2.0**60), 7])
def test_a_threshold_beyond_what_a_float_holds_is_no_fault_of_the_scores(monkeypatch, threshold):
    scores = np.arange(3_000)
    labels = scores % 7 == 0
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 500)
    monkeypatch.setattr("baserate.read.large.BATCH", 16)
    counts = br.count(cut(labels, scores, 100), memory=LEAST, thresholds=[threshold])
    ours, theirs = (
        br.choose(each, threshold=threshold) for each in (counts, br.count(labels, scores))
    )
    assert (ours.tp, ours.fp) == (theirs.tp, theirs.fp)
