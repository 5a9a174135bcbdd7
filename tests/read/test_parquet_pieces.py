"""Parquet that is handed over some row groups at a time: the same table as read at once, and the
same refusals.
"""

import contextlib
import datetime as dt
import io

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq
from tests.read.test_answers import COLUMNS, ONE, frames, number, table
from tests.read.test_confined import assert_same

import baserate as br
from baserate.read import parquet
from baserate.read import source as sources
from baserate.read.sandbox import Incoming, Untrue, received
from baserate.read.source import Options
from baserate.read.table import ColumnRoles

ROWS, GROUP = 1000, 100
WANTED = ColumnRoles("y", ("s", "f"), weight="w", group="g", day="t")


def data(rows=ROWS):
    rng = np.random.default_rng(rows)
    start = dt.datetime(2026, 3, 28, tzinfo=dt.UTC).replace(tzinfo=None)
    times = [start + dt.timedelta(minutes=int(m)) for m in rng.integers(0, 9000, rows)]
    return {
        "y": pa.array(rng.integers(0, 2, rows), pa.int8()),
        "s": pa.array(rng.random(rows)),
        "f": pa.array(rng.random(rows).astype(np.float32)),
        "w": pa.array(rng.integers(1, 9, rows)),
        "g": pa.array([f"site {value}" for value in rng.integers(0, 7, rows)]),
        "t": pa.array(times, pa.timestamp("us")),
        "b": pa.array(rng.random(rows) < 0.5),
    }


def sent(path, wanted, tmp_path):
    """What crosses between the processes, and the lines of it that say how."""
    out = io.BytesIO()
    parquet.send_parquet(out, str(path), wanted)
    return out.getvalue()


def heard(data, wanted):
    return received(Incoming(io.BytesIO(data), 1 << 30), wanted.columns, several=False)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(parquet, "PIECE", 250)
    # So that texts of few rows are codes, as those of many are.
    monkeypatch.setattr("baserate.read.duckdb.PROBE", 50)


def written(tmp_path, columns, **how):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=GROUP, **how)
    return path


def assert_in_pieces(path, wanted, tmp_path, pieces, whole):
    data = sent(path, wanted, tmp_path)
    assert data.count(b'{"piece": ') == pieces
    assert (b'{"whole": true}' in data) == whole
    assert_same(heard(data, wanted), sources.parts_here(str(path), wanted, Options()))


@pytest.mark.parametrize("label", ["y", "b", "g"])
@pytest.mark.parametrize(
    "wanted",
    [WANTED, ColumnRoles("y", ("s",), positive="site 1"), ColumnRoles("y", ("w",), day="t")],
)
def test_pieces_are_the_table(tmp_path, wanted, label):
    columns = data()
    path = written(tmp_path, {**columns, "y": columns[label]})
    assert_in_pieces(path, wanted, tmp_path, 5, whole=True)


def test_times_that_name_groups_are_read_in_the_whole(tmp_path):
    wanted = ColumnRoles("y", ("s",), day="t", group="t")
    assert_in_pieces(written(tmp_path, data()), wanted, tmp_path, 1, whole=False)


def test_groups_of_rows_that_are_large_are_not_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "PIECE", 1)
    assert_in_pieces(written(tmp_path, data()), WANTED, tmp_path, 10, whole=True)
    monkeypatch.setattr(parquet, "PIECE", ROWS)
    assert_in_pieces(written(tmp_path, data()), WANTED, tmp_path, 0, whole=False)


@pytest.mark.parametrize("name", ["y", "w"])
@pytest.mark.parametrize("row", [0, 270, ROWS - 1])
@pytest.mark.parametrize("told", [False, True])
def test_a_gap_in_any_piece_is_read_in_the_whole(tmp_path, name, row, told):
    columns = data()
    values = columns[name].to_pylist()
    values[row] = None
    columns[name] = pa.array(values, columns[name].type)
    path = written(tmp_path, columns, write_statistics=told)
    wanted = ColumnRoles("y", ("s",), weight="w")
    assert_in_pieces(path, wanted, tmp_path, 0 if told else row // 200 + 1, whole=False)


@pytest.mark.parametrize("name", ["g", "t", "s"])
def test_texts_days_and_floats_may_have_gaps(tmp_path, name):
    columns = data()
    values = columns[name].to_pylist()
    values[270] = values[-1] = None
    columns[name] = pa.array(values, columns[name].type)
    assert_in_pieces(written(tmp_path, columns), WANTED, tmp_path, 5, whole=True)


def test_days_that_lie_far_apart_and_texts_without_end(tmp_path):
    columns = data()
    far = [*columns["t"].to_pylist()[:-1], dt.datetime(1700, 1, 1)]  # noqa: DTZ001
    columns["t"] = pa.array(far, pa.timestamp("us"))
    columns["g"] = pa.array([f"case {row}" for row in range(ROWS)])
    path = written(tmp_path, columns)
    # The last piece has days of three centuries, more than there are codes for; ids have none.
    assert_in_pieces(path, ColumnRoles("y", ("s",), day="t"), tmp_path, 5, whole=False)
    assert_in_pieces(path, ColumnRoles("y", ("s",), group="g"), tmp_path, 1, whole=False)


@pytest.mark.parametrize("odd", ["decimal", "file_row_number", "partition"])
def test_what_is_not_plain_is_read_in_the_whole(tmp_path, odd):
    columns, wanted, folder = data(), ColumnRoles("y", ("s",)), tmp_path
    if odd == "decimal":
        columns["s"] = pa.array(np.arange(ROWS)).cast(pa.decimal128(22, 2))
    elif odd == "file_row_number":
        columns["File_Row_Number"] = columns["w"]
    else:
        folder = tmp_path / "h=a"
        folder.mkdir()
        wanted = ColumnRoles("y", ("s",), group="h")
    assert_in_pieces(written(folder, columns), wanted, tmp_path, 0, whole=False)


def test_scores_that_repeat_cross_as_counted_pairs(tmp_path):
    """In whichever order DuckDB gives them."""
    columns, wanted = data(), ColumnRoles("y", ("s",))
    columns["s"] = pa.array(np.arange(ROWS) % 3 / 4)
    data_sent = sent(written(tmp_path, columns), wanted, tmp_path)
    assert b'{"piece": ' not in data_sent
    assert len(data_sent) < 2 * ROWS  # a score alone takes eight bytes a row
    (table,) = heard(data_sent, wanted)
    found = table.spread().columns
    pairs = zip(columns["y"].to_pylist(), columns["s"].to_pylist(), strict=True)
    assert sorted(zip(found["y"].tolist(), found["s"].tolist(), strict=True)) == sorted(pairs)


def test_a_damaged_piece_is_the_refusal_of_the_file(tmp_path):
    path = written(tmp_path, data(), compression="gzip", use_dictionary=False)
    last = pq.ParquetFile(path).metadata.row_group(9).column(1)
    broken = bytearray(path.read_bytes())
    begin = last.data_page_offset + 40
    broken[begin : begin + 200] = bytes(200)
    path.write_bytes(broken)
    with pytest.raises(br.InputError, match="BR703") as here:
        sources.parts_here(str(path), WANTED, Options())
    with pytest.raises(br.InputError, match="BR703") as there:
        sources.read_confined(str(path), str(path), WANTED, Options())
    assert there.value.problems == here.value.problems
    out = io.BytesIO()
    with pytest.raises(br.InputError, match="BR703"):
        parquet.send_parquet(out, str(path), WANTED)
    assert out.getvalue().endswith(b'{"whole": false}\n')


def test_a_file_that_changes_meanwhile_is_refused(tmp_path, monkeypatch):
    path, send = written(tmp_path, data()), parquet.send_pieces

    def slowly(*given):
        send(*given)
        path.write_bytes(path.read_bytes() + b"\0")

    monkeypatch.setattr(parquet, "send_pieces", slowly)
    out = io.BytesIO()
    with pytest.raises(br.InputError, match="BR611"):
        parquet.send_parquet(out, str(path), WANTED)
    assert out.getvalue().endswith(b'{"whole": false}\n')


def test_a_name_that_promises_code_is_refused_whatever_is_in_it(tmp_path):
    path = written(tmp_path, data()).rename(tmp_path / "a.pkl")
    for read in (sources.parts_here, lambda *given: sources.read_confined(given[0], *given)):
        with pytest.raises(br.InputError, match="BR705"):
            read(str(path), WANTED, Options())


# ----------------------------------------------------------------------
# What comes from a reader is not believed.


def piece(place, *columns):
    return {"piece": place}, *columns


TWO = table(rows=4, pieces=[3, 1])
Y, S = number("<i8", [0, 1, 1]), number("<f8", [0.5, 0.25, 0.75])
LAST = number("<i8", [0]), number("<f8", [1.0])
CODED = {"coded": 2}, ["a", "b"], np.array([0, 1, 1], "|u1")
MORE = {"coded": 1}, ["c"], np.array([0], "|u1")
END = {"whole": True}
AGAIN = {"whole": False}


def hear(*parts, most=1 << 24):
    return received(Incoming(io.BytesIO(frames(*parts)), most), COLUMNS, several=False)


def test_pieces_are_put_together():
    [found] = hear(ONE, TWO, *piece(0, *Y, *S), *piece(1, *LAST[0], *LAST[1]), END)
    assert found.columns["y"].tolist() == [0, 1, 1, 0]
    assert found.columns["s"].tolist() == [0.5, 0.25, 0.75, 1.0]
    [found] = hear(ONE, TWO, *piece(0, *CODED, *S), *piece(1, *MORE, *LAST[1]), END)
    assert found.columns["y"].tolist() == ["a", "b", "b", "c"]


@pytest.mark.parametrize(
    "before",
    [(), piece(0), piece(0, *Y), piece(0, *Y, *S), (*piece(0, *CODED, *S), *piece(1, *MORE))],
)
def test_a_reader_may_take_pieces_back_once(before):
    whole = table(rows=4)
    rest = (ONE, whole, *number("<i8", [0, 1, 1, 0]), *number("<f8", [0.5, 0.25, 0.75, 1.0]))
    [found] = hear(ONE, TWO, *before, AGAIN, *rest)
    assert found.columns["s"].tolist() == [0.5, 0.25, 0.75, 1.0]
    with pytest.raises(Untrue, match="unknown kind"):
        hear(ONE, TWO, *before, AGAIN, ONE, TWO, *before, AGAIN, *rest)
    said = {"code": "BR703", "text": "so", "fix": {"python": "a", "command": "a"}}
    said["where"], said["table"] = {"path": None, "rows": [], "lines": [], "total": 0}, False
    with pytest.raises(br.InputError, match="so"):
        hear(ONE, TWO, *before, AGAIN, {"problems": [said]})


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        ([table(rows=4, pieces=[3])], "pieces of another length"),
        ([table(rows=4, pieces=[])], "pieces of another length"),
        ([table(rows=4, pieces=[5, -1])], "pieces of another length"),
        ([table(rows=4, pieces=[4, 0])], "pieces of another length"),
        ([table(rows=4, pieces=["4"])], "another type"),
        ([table(rows=4, pieces=4)], "pieces is missing"),
        ([TWO, *piece(1, *Y, *S)], "no piece"),
        ([TWO, *piece(0, *Y, *S), *piece(0, *LAST[0], *LAST[1])], "no piece"),
        ([TWO, *piece(0, *Y, *S), *piece(1, *LAST[0], *LAST[1]), {"piece": 2}], "no end"),
        ([TWO, *piece(0, *LAST[0], *S)], "another length or kind"),
        ([TWO, *piece(0, *Y, *S), *piece(1, *LAST[1], *LAST[1])], "another length or kind"),
        ([TWO, *piece(0, *Y, *S), *piece(1, *MORE)], "unknown kind"),
        ([TWO, *piece(0, *CODED, *S), *piece(1, *LAST[0])], "unknown kind"),
        ([TWO, *piece(0, {"coded": 4}, list("abcd"))], "unknown kind"),
        ([TWO, *piece(0, {"coded": 2}, ["a", "b"], np.array([0, 1, 2], "|u1"))], "a code without"),
        ([TWO, *piece(0, "numbers", np.array(["a"] * 3))], "unknown kind"),
        ([TWO, *piece(0, "runs", np.zeros(1), np.array([3]))], "unknown kind"),
        ([TWO, *piece(0, {"objects": 3}, ["a"] * 3)], "unknown kind"),
        (
            [table(rows=2), {"coded numbers": 1}, np.array([7]), np.array([0, 1], "|u1")],
            "a code without",
        ),
        ([table(rows=2), {"coded numbers": 3}, np.array([7, 8, 9])], "unknown kind"),
    ],
)
def test_pieces_that_cannot_be_are_not_believed(parts, match):
    with pytest.raises(Untrue, match=match):
        hear(ONE, *parts)


def test_an_answer_in_pieces_that_is_cut_off_is_none():
    whole = frames(ONE, TWO, *piece(0, *CODED, *S), *piece(1, *MORE, *LAST[1]), END)
    for length in range(len(whole)):
        with pytest.raises(EOFError, match="^(the data end early)?$"):
            received(Incoming(io.BytesIO(whole[:length]), 1 << 24), COLUMNS, several=False)


def test_pieces_are_charged_to_the_memory_there_is(monkeypatch):
    monkeypatch.setattr("baserate.read.sandbox.VALUE", 1)
    said = table(rows=400_000, pieces=[1, 399_999])
    first = number("<i8", [0]), number("<f8", [0.5])
    for columns in (first, ((*CODED[:0], {"coded": 1}, ["a"], np.array([0], "|u1")), first[1])):
        with pytest.raises(MemoryError, match="^$"):
            hear(ONE, said, *piece(0, *columns[0], *columns[1]), most=2_000_000)


def test_flipped_bytes_are_a_table_or_refused():
    whole = frames(ONE, TWO, *piece(0, *CODED, *S), *piece(1, *MORE, *LAST[1]), END)
    rng = np.random.default_rng(3)
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(len(data))] = rng.integers(256)
        with contextlib.suppress(Untrue, EOFError, MemoryError, br.InputError):
            [found] = received(Incoming(io.BytesIO(bytes(data)), 1 << 24), COLUMNS, several=False)
            assert len(found.columns["y"]) == 4


@pytest.mark.parametrize("labels", [[0, 1], [1, 2], [-1, 1], [0, 1, 2], [1, 1], [0, None]])
@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.bool_()])
def test_repeated_scores_are_counted_where_they_lie_whatever_the_labels(tmp_path, labels, kind):
    rows = 60_000
    values = [labels[row % len(labels)] for row in range(rows)]
    if kind == pa.bool_():
        values = [None if value is None else value > 0 for value in values]
    columns = {
        "y": pa.array(values, kind),
        "s": pa.array(np.arange(rows) // 2 % 500 / 500.0),
        "a": pa.array(np.arange(rows)),  # names that our own queries use
        "b": pa.array(np.arange(rows)),
    }
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    [found] = sources.parts_here(str(path), ColumnRoles("y", ("s",)), Options())
    read = pq.read_table(path)
    spread = found.spread().columns
    expected = sorted(zip(read["y"].to_pylist(), read["s"].to_pylist(), strict=True), key=str)
    assert sorted(zip(spread["y"].tolist(), spread["s"].tolist(), strict=True), key=str) == expected
