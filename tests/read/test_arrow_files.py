"""Arrow files, streams and Feather: validated in full before a value is used."""

import datetime
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc
from tests.naming import named
from tests.read.tables import W, assert_refused, counts_of, mutants, read_arrow

import baserate as br
from baserate.read import table

GOOD = {"y": [0, 1, 0, 1], "s": [0.1, 0.4, 0.35, 0.8]}


def written(path, table, writer=ipc.new_file, **how):
    table = table if isinstance(table, pa.Table) else pa.table(table)
    with writer(str(path), table.schema, **how) as out:
        out.write_table(table)
    return str(path)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([0.1, 0.4, 0.35, 0.8], pa.float32()),
        pa.array(np.array([0.5, 0.25, 0.125, 1], np.float16)),
        pa.array([1, 2, 3, 2**53 + 1]),
        pa.array([True, False, True, True]),
        pa.array([1, 2, 1, 2], pa.int32()).dictionary_encode(),
        pa.array([0.5, 0.25, 0.5, 1]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_types_are_kept(tmp_path, column):
    table = read_arrow(written(tmp_path / "a.arrow", {**GOOD, "s": column}), W)
    plain = column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
    assert counts_of(table).digest == br.count(GOOD["y"], plain).digest


def test_decimals_times_and_text_in_every_disguise(tmp_path):
    columns = {
        "y": pa.array(["no", "yes", "no", None], pa.large_string()).dictionary_encode(),
        "s": pa.array([Decimal("0.10"), Decimal("0.30"), None, Decimal("1.00")]),
        "g": pa.array(["a", None, "b", "a"], pa.string_view()),
        "day": pa.array([datetime.date(2026, 1, 1)] * 4),
        "id": pa.array([None, 2**63 - 1, 1, 2]),
    }
    table = read_arrow(
        written(tmp_path / "a.arrow", columns), replace(W, group="g", day="day", id="id")
    )
    assert table.columns["y"].tolist() == ["no", "yes", "no", None]
    assert table.columns["s"].tolist() == [0.1, 0.3, None, 1.0]
    assert table.columns["g"].tolist() == ["a", None, "b", "a"]
    assert table.columns["day"].tolist() == ["2026-01-01"] * 4
    assert table.columns["id"].tolist() == [None, 2**63 - 1, 1, 2]


@pytest.mark.parametrize(
    ("column", "code", "said"),
    [
        ({"s": [0.1, None, 0.3, 0.2]}, "BR201", r"1 missing.*\(row 2\)"),
        ({"y": [0, None, 1, None]}, "BR105", r"\(rows 2, 4\)"),
        ({"s": pa.array([1] * 4, pa.timestamp("s"))}, "BR209", "timestamps or dates, not scores"),
        ({"s": pa.array([1] * 4, pa.duration("s"))}, "BR209", "not scores"),
        ({"y": [[1]] * 4}, "BR107", "nested or other values, not labels"),
        ({"s": [b"x"] * 4}, "BR209", "bytes"),
    ],
    ids=named,
)
def test_what_is_missing_or_of_the_wrong_type_is_refused(tmp_path, column, code, said):
    path = written(tmp_path / "a.arrow", {**GOOD, **column})
    assert_refused(lambda: counts_of(read_arrow(path, W)), code, said, path)


def test_offsets_that_lead_out_of_a_buffer_are_seen(tmp_path):
    """What a reader that does not validate turns into other memory, or a crash."""
    values = pa.array(["no", "yes", "no", "yes"])
    path = written(tmp_path / "a.arrow", {"y": values, "s": GOOD["s"]})
    data = (tmp_path / "a.arrow").read_bytes()
    offsets = np.array([0, 2, 5, 7, 10], np.int32).tobytes()
    assert data.count(offsets) == 1
    (tmp_path / "a.arrow").write_bytes(
        data.replace(offsets, np.array([0, 2, 2**30, 7, 10], np.int32).tobytes())
    )
    assert_refused(lambda: read_arrow(path, W), "BR703", "not a whole Arrow file", path)


def test_damaged_empty_and_old_files_are_refused(tmp_path):
    path = written(tmp_path / "a.arrow", GOOD)
    data = (tmp_path / "a.arrow").read_bytes()
    for changed in (
        data[: len(data) // 2],
        data[:-10],
        b"not arrow at all",
        b"ARROW1",
        data[:8] + bytes(len(data) - 8),
    ):
        (tmp_path / "a.arrow").write_bytes(changed)
        assert_refused(lambda: read_arrow(path, W), "BR703", "not a whole Arrow file", path)
    (tmp_path / "a.arrow").write_bytes(b"FEA1" + bytes(100))
    assert_refused(lambda: read_arrow(path, W), "BR703", "Feather of version 1", path)
    path = written(tmp_path / "b.arrow", pa.table(GOOD).slice(0, 0))
    assert_refused(lambda: read_arrow(path, W), "BR602", "no rows", path)
    with pytest.raises(FileNotFoundError, match=r"none[.]arrow"):
        read_arrow(str(tmp_path / "none.arrow"), W)


def test_a_stream_that_ends_early_is_refused_where_that_shows(tmp_path):
    table = pa.table({name: column * 100 for name, column in GOOD.items()})
    path = written(tmp_path / "stream.arrow", table, ipc.new_stream)
    data = (tmp_path / "stream.arrow").read_bytes()
    (tmp_path / "stream.arrow").write_bytes(data[:-1000])
    assert_refused(lambda: read_arrow(path, W), "BR703", "not a whole Arrow file", path)
    (tmp_path / "stream.arrow").write_bytes(data[:-8])  # without the mark of its end
    assert_refused(lambda: read_arrow(path, W), "BR703", "no mark at its end", path)


def test_unknown_and_repeated_columns_are_refused(tmp_path):
    path = written(tmp_path / "a.arrow", {"y": [1], "Y": [0], "score": [0.5]})
    assert_refused(lambda: read_arrow(path, W), "BR613", 'no column "s"', path)
    assert read_arrow(path, replace(W, scores=("score",))).columns["y"].tolist() == [1], (
        "Arrow tells Y from y"
    )
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([0]), pa.array([0.5])], ["y", "y", "s"])
    assert_refused(
        lambda: read_arrow(written(tmp_path / "b.arrow", twice), W),
        "BR606",
        'more than one column "y"',
    )


def test_without_pyarrow_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    path = written(tmp_path / "a.arrow", GOOD)

    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(table.importlib, "import_module", absent)
    assert_refused(
        lambda: read_arrow(path, W),
        "BR714",
        r'pyarrow is not installed. Fix: pip install "baserate\[arrow\]"',
    )


def test_a_file_whose_two_schemas_differ_is_refused(tmp_path):
    """Of the same bytes, doubles and half floats make quite different scores."""
    data = {}
    for kind in (pa.float64(), pa.float32()):
        place = tmp_path / f"{kind}.arrow"
        feather.write_feather(
            pa.table({"y": [0, 1], "s": pa.array([0.5, 1.25], kind)}),
            place,
            compression="uncompressed",
        )
        data[kind] = place.read_bytes()
    ends = 16 + int.from_bytes(data[pa.float64()][12:16], "little")
    path = tmp_path / "mixed.arrow"
    path.write_bytes(data[pa.float32()][:ends] + data[pa.float64()][ends:])
    assert_refused(
        lambda: read_arrow(str(path), W), "BR703", "is damaged: its two schemas differ", path
    )


@pytest.mark.parametrize("form", ["file", "stream", "lz4", "dictionary"])
def test_mutations_are_read_or_refused(tmp_path, form):
    rng = np.random.default_rng(0)
    table = pa.table(
        {"y": [0, 1] * 100, "s": rng.random(200), "g": pa.array(["a", "b", "c", None] * 50)}
    )
    if form == "dictionary":
        table = table.set_column(2, "g", table["g"].dictionary_encode())
    path = tmp_path / "a.arrow"
    if form == "lz4":
        feather.write_feather(table, str(path))
    else:
        written(path, table, ipc.new_stream if form == "stream" else ipc.new_file)
    assert mutants("arrow", path, 200)["refused"] > 20
