"""How often the rows of a frame are read, seen by the source itself: twice for condensed counts."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.read.tables import assert_refused

import baserate as br
from baserate.read import frames

PARTS = 3


def made(rows=300):
    rng = np.random.default_rng(8)
    y = (rng.random(rows) < 0.3).astype(int)
    return pd.DataFrame(
        {
            "y": y,
            "a": np.round(rng.normal(size=rows) + y, 1),
            "b": rng.normal(size=rows) + y,
            "c": rng.integers(0, 9, rows),
        }
    )


DATA = made()
SCORES = ["a", "b", "c"]


def labelled(labels):
    return DATA.assign(y=labels)


class Read:
    """Hands a part of the data on, and remembers that it was asked for it. Each has a number: Dask
    takes equal ones for the same.
    """

    numbers = itertools.count()

    def __init__(self):
        self.parts, self.number = 0, next(self.numbers)

    def __call__(self, part):
        self.parts += 1
        return part


def in_polars(data):
    read = Read()
    return pl.from_pandas(data).lazy().map_batches(read), lambda: read.parts


def in_dask(data):
    import dask.dataframe as dd

    read = Read()
    frame = dd.from_pandas(data, npartitions=PARTS)
    return frame.map_partitions(read, meta=frame._meta), lambda: read.parts / PARTS


SOURCES = pytest.mark.parametrize("source", [in_polars, in_dask])


@SOURCES
def test_a_plain_count_reads_the_rows_once_which_shows_that_the_source_counts_them(source):
    frame, passes = source(DATA)
    assert br.count(frame, label="y", score="b").digest == br.count(DATA.y, DATA.b).digest
    assert passes() == 1


@SOURCES
@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (DATA.y, None),
        (DATA.y == 1, None),
        (DATA.y.astype(float), None),
        (2 * DATA.y - 1, None),
        (DATA.y + 1, 2),
        (DATA.y + 1, "2"),
        (DATA.y, "0"),
        (DATA.y == 1, "false"),
        (np.where(DATA.y == 1, "fraud", "legit"), "fraud"),
        (np.where(DATA.y == 1, "7", "8"), 7),
    ],
)
def test_condensed_counts_take_two_passes_where_the_positive_label_can_be_told(
    source, labels, positive
):
    data = labelled(labels)
    frame, passes = source(data)
    turned = positive in ("0", "false")
    found = br.count(frame, label="y", score="b", positive=positive, keep="positives")
    assert found == br.count(DATA.y == (0 if turned else 1), DATA.b, keep="positives")
    assert passes() == 2


@SOURCES
def test_words_without_a_named_positive_take_a_pass_more(source):
    frame, passes = source(labelled(np.where(DATA.y == 1, "yes", "no")))
    assert br.count(frame, label="y", score="b", keep="positives") == br.count(
        DATA.y, DATA.b, keep="positives"
    )
    assert passes() == 3


@SOURCES
def test_a_count_that_does_not_fit_is_one_pass_and_then_two(source):
    frame, passes = source(DATA)
    assert br.count(frame, label="y", score="b", cells=200) == br.count(
        DATA.y, DATA.b, keep="positives"
    )
    assert passes() == 3


def test_labels_that_are_wrong_or_many_are_refused_as_ever(monkeypatch):
    monkeypatch.setattr(frames, "SPARE", 4)
    for labels, code, said in (
        (DATA.index, "BR103", "has 300 values"),
        (DATA.y + 1, "BR102", "cannot tell which is positive"),
        (DATA.y + DATA.index % 2, "BR103", "has 3 values"),
    ):
        frame, _ = in_polars(labelled(labels))
        assert_refused(
            lambda frame=frame: br.count(frame, label="y", score="b", keep="positives"),
            code,
            said,
        )
    for positive in (3, "x", 0.5, float("nan"), [1], 2**70):
        asked = {"label": "y", "score": "b", "positive": positive, "keep": "positives"}
        frame, _ = in_polars(DATA)
        assert_refused(
            lambda frame=frame, asked=asked: br.count(frame, **asked),
            "BR109",
            "positive label",
        )


def test_more_rows_of_labels_and_gaps_than_there_is_room_for_are_counted_in_more_passes(
    monkeypatch,
):
    monkeypatch.setattr(frames, "SPARE", 0)
    positives = int(DATA.y.sum())
    frame, passes = in_polars(DATA)
    found = br.count(frame, label="y", score="b", keep="positives", cells=positives)
    assert found == br.count(DATA.y, DATA.b, keep="positives")
    assert passes() == 4  # the attempt, the labels, the positives, the gaps


def test_no_more_positives_come_than_were_allowed():
    positives = int(DATA.y.sum())
    frame, _ = in_polars(DATA)
    assert (
        br.count(frame, label="y", score="b", keep="positives", cells=positives).total_positives
        == positives
    )
    fewer = {"cells": positives - 1}
    assert_refused(
        lambda: br.count(frame, label="y", score="b", keep="positives", **fewer),
        "BR951",
        'distinct scores in "b"',
    )
    said = "take a random sample of the rows"
    assert_refused(lambda: br.compare(frame, label="y", score=SCORES, **fewer), "BR951", said)
