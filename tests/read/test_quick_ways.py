"""The quick ways through a file give what the slow ones give: gaps filled word by word, and
counts made of runs of which no row is made.
"""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.read import files, treatments
from baserate.read.cases import decide
from baserate.read.columns import Column, is_missing, objects
from baserate.read.table import Codes, ColumnRoles, Runs, Table, in_table
from baserate.read.treatments import Treatment

W = ColumnRoles("y", ("s",))
GAPS = st.sampled_from([None, float("nan"), "", " "])
WORDS = st.sampled_from([(0, 1), (False, True), ("no", "yes"), (0.0, 1.0), (-1, 1), (1,), ("yes",)])


def filled_row_by_row(labels, meant):
    """Every row an object: what `_filled` did before."""
    gone = Column("y", labels).missing_rows()
    known = np.delete(labels, gone)
    decision = decide(Column('"y"', known), None, keyword="positive")
    filled = labels.astype(object)
    filled[gone] = treatments._word(known, decision, W, meant)
    return Column("y", filled).inferred().values


@settings(max_examples=200, deadline=None)
@given(st.data(), WORDS, st.sampled_from(["negative", "positive"]))
def test_gaps_are_filled_as_row_by_row(data, words, meant):
    rows = data.draw(st.lists(st.one_of(st.sampled_from(words), GAPS), min_size=1, max_size=30))
    labels = objects(rows)
    gone = Column("y", labels).missing_rows()

    def outcome(work):
        try:
            return work()
        except br.InputError as error:
            return str(error)

    ours = outcome(lambda: treatments._filled(labels, gone, W, meant))
    if all(map(is_missing, rows)):
        assert "no label" in ours
        return
    theirs = outcome(lambda: filled_row_by_row(labels, meant))
    if isinstance(theirs, str):
        assert ours == theirs
    else:
        assert ours.dtype == theirs.dtype
        assert list(map(repr, ours.tolist())) == list(map(repr, theirs.tolist()))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_gaps_among_floats_are_filled_as_row_by_row(kind):
    labels = np.array([0, np.nan, 1, -np.nan, 0], dtype=kind)
    gone = Column("y", labels).missing_rows()
    for meant in ("negative", "positive"):
        ours = treatments._filled(labels, gone, W, meant)
        theirs = filled_row_by_row(labels, meant)
        assert ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()


def runs_of(labels, scores, lengths):
    columns = {"y": Runs(labels, lengths), "s": Runs(scores, lengths)}
    return Table("x", columns, int(lengths.sum()), sha256="0" * 64, place=in_table("x"))


LABELS = st.sampled_from([np.int8, np.int64, np.uint8, np.bool_])
SCORES = st.sampled_from([np.float64, np.float32, np.int64, np.int32])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1]), st.sampled_from([-3, 0, 1, 7]), st.integers(1, 5)),
        min_size=1,
        max_size=12,
    ),
    LABELS,
    SCORES,
    st.sampled_from([None, 0, 1, "1"]),
    st.sampled_from([(0, 1), (-1, 1), (3, 4)]),
)
def test_counts_of_runs_are_those_of_their_rows(runs, of_label, of_score, positive, pair):
    """Or nothing, where the rows are refused."""
    labels, scores, lengths = (np.array(each) for each in zip(*runs, strict=True))
    labels = np.array(pair)[labels].astype(of_label)
    scores = scores.astype(of_score)
    if scores.dtype.kind == "f":
        scores[scores == 0] = -0.0
        scores[scores == 7] = np.inf
        scores[::2] += 0  # a zero of either sign
    wanted = ColumnRoles("y", ("s",), positive=positive)
    table = runs_of(labels, scores, lengths)
    quick = files._of_runs([table], wanted, Treatment())
    try:
        slow = files._each_score(*files._of_tables("x", [table], wanted, Treatment()), wanted)
    except br.InputError:
        assert quick is None
        return
    assert quick is not None
    ours, theirs = quick["s"], slow["s"]
    assert (ours.digest, ours.notes, ours.ledger) == (theirs.digest, theirs.notes, theirs.ledger)
    assert ours.scores.dtype == theirs.scores.dtype
    assert not np.signbit(ours.scores[ours.scores == 0]).any()
    assert ours.positives.tolist() == theirs.positives.tolist()
    assert ours.negatives.tolist() == theirs.negatives.tolist()


def test_runs_that_differ_and_what_is_requested_beside_are_counted_by_rows():
    labels, scores, lengths = np.array([0, 1]), np.array([0.1, 0.2]), np.array([2, 3])
    table = runs_of(labels, scores, lengths)
    assert files._of_runs([table], W, Treatment()) is not None
    assert files._of_runs([table, table], W, Treatment()) is None
    assert files._of_runs([table], W, Treatment(lower_is_positive=True)) is None
    table.columns["s"] = Runs(scores, lengths[::-1])
    assert files._of_runs([table], W, Treatment()) is None
    table.columns["s"] = Runs(np.array([0.1, np.nan]), lengths)
    assert files._of_runs([table], W, Treatment()) is None


def test_a_column_of_codes_is_spread_to_its_rows():
    column = Codes(objects(["a", "b", None]), np.array([2, 0, 0, 1], dtype=np.uint8))
    table = Table("x", {"y": column}, 4).spread()
    assert table.columns["y"].tolist() == [None, "a", "a", "b"]
    assert len(column) == 4


@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"]])
@pytest.mark.parametrize("how", ["negative", "positive", "drop"])
def test_a_file_with_gaps_is_counted_as_its_rows_are(tmp_path, labels, how):
    rng = np.random.default_rng(3)
    many = 30_000
    y, gone = rng.random(many) < 0.2, rng.random(many) < 0.7
    scores = np.round(rng.random(many), 3)
    given = objects(labels)[y.astype(int)]
    given[gone] = None
    path = tmp_path / "gaps.parquet"
    pq.write_table(pa.table({"y": pa.array(given.tolist()), "s": scores}), path)
    counts = br.count(path, label="y", score="s", missing_label=how)
    kept = ~gone if how == "drop" else np.ones(many, dtype=np.bool_)
    expected = br.count(np.where(gone, how == "positive", y)[kept], scores[kept])
    assert counts.digest == expected.digest
    assert counts.ledger.rows_refused == (int(gone.sum()) if how == "drop" else 0)
    if how == "drop":
        beside = br.count(np.zeros(int(gone.sum())), scores[gone])
        assert counts.unlabelled.negatives.tolist() == beside.negatives.tolist()


@settings(max_examples=150, deadline=None)
@given(st.data(), WORDS, st.sampled_from(["negative", "positive", "drop"]))
def test_codes_are_treated_as_their_rows_are(data, words, how):
    """Words that no row has, and gaps spelled in two ways, are among the codes too."""
    held = objects([*words, None, " "])
    codes = data.draw(st.lists(st.integers(0, len(held) - 1), min_size=1, max_size=20))
    column, scores = Codes(held, np.array(codes, dtype=np.uint8)), np.arange(float(len(codes)))
    table = Table("x", {"y": column, "s": scores}, len(codes), place=in_table("x"))
    treatment = Treatment(missing_label=how)
    assert treatment.only_fills(W)

    def outcome(given):
        try:
            treated = treatments.treat(given, W, treatment)
        except br.InputError as error:
            return str(error)
        columns = {
            name: (values.dtype, values.tolist()) for name, values in treated.columns.items()
        }
        kept = None if treated.kept is None else treated.kept.tolist()
        rest = treated.unlabelled and {n: v.tolist() for n, v in treated.unlabelled.items()}
        return repr((columns, treated.notes, treated.refused, kept, rest))

    assert outcome(table) == outcome(table.spread())


def test_codes_are_kept_only_where_nothing_but_gaps_is_treated():
    assert not Treatment().only_fills(W)
    assert not Treatment(missing_label="drop", normalize_labels=True).only_fills(W)
    assert not Treatment(missing_label="drop").only_fills(ColumnRoles("y", ("s",), group="y"))
    assert Treatment(missing_label="drop", nan_score="drop", lower_is_positive=True).only_fills(W)
