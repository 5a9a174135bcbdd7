"""Parquet: the wanted columns, every row, and nothing that is damaged or unclear."""

import datetime
import os
import sys
from dataclasses import replace
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.naming import named
from tests.read.tables import W, assert_refused, counts_of, mutants, read_parquet

import baserate as br
from baserate.read.duckdb import refused


def written(path, columns, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table(columns), path, **how)
    return str(path)


GOOD = {"y": [0, 1, 0, 1], "s": [0.1, 0.4, 0.35, 0.8]}


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        (pa.array([0.1, 0.4, 0.35, 0.8], pa.float32()), np.float32),
        (pa.array([1, 2, 3, 2**53 + 1]), np.int64),
        (pa.array([1, 2, 3, 4], pa.uint64()), np.uint64),
        (pa.array([1, 2, 3, 4], pa.int8()), np.int8),
        (pa.array(np.array([0.5, 0.25, 0.125, 1], np.float16)), np.float32),
        (pa.array([True, False, True, True]), np.bool_),
        (pa.array(["0.1", "0.5", "0.3", "0.2"]), object),
        (pa.array(["0.1", "0.5", "0.3", "0.1"]).dictionary_encode(), object),
    ],
    ids=named,
)
def test_types_are_kept(tmp_path, scores, kept):
    table = read_parquet(written(tmp_path / "a.parquet", {"y": GOOD["y"], "s": scores}), W)
    values = scores.to_pylist() if kept is object else scores
    assert counts_of(table).digest == br.count(GOOD["y"], values).digest


def test_decimals_become_the_nearest_floats_or_whole_numbers_or_are_refused(tmp_path):
    exact = [Decimal("0.10"), Decimal("0.30"), Decimal("-7.25"), Decimal("99999999999.99")]
    table = read_parquet(
        written(
            tmp_path / "a.parquet", {"y": GOOD["y"], "s": pa.array(exact, pa.decimal128(15, 2))}
        ),
        W,
    )
    assert table.columns["s"].tolist() == [0.1, 0.3, -7.25, 99999999999.99]
    whole = pa.array([1, 2, 3, 2**53 + 1], pa.decimal128(38, 0))
    assert read_parquet(written(tmp_path / "b.parquet", {"y": GOOD["y"], "s": whole}), W).columns[
        "s"
    ].tolist() == [1, 2, 3, 2**53 + 1]
    close = pa.array(
        [
            Decimal("1.00000000000000000001"),
            Decimal("1.00000000000000000002"),
            Decimal(2),
            Decimal(3),
        ],
        pa.decimal128(38, 20),
    )
    table = read_parquet(written(tmp_path / "c.parquet", {"y": GOOD["y"], "s": close}), W)
    assert counts_of(table).scores.tolist() == [3.0, 2.0, 1.0]
    labels = pa.array([0, 1, 0, 1], pa.decimal128(38, 0))
    table = read_parquet(written(tmp_path / "d.parquet", {"y": labels, "s": GOOD["s"]}), W)
    assert counts_of(table).digest == br.count(GOOD["y"], GOOD["s"]).digest


def test_random_decimals_become_what_python_reads(tmp_path):
    rng = np.random.default_rng(0)
    texts = [
        f"{whole}.{part:05d}"
        for whole, part in zip(
            rng.integers(-(10**9), 10**9, 3000), rng.integers(0, 10**5, 3000), strict=True
        )
    ]
    column = pa.array([Decimal(text) for text in texts], pa.decimal128(15, 5))
    table = read_parquet(written(tmp_path / "a.parquet", {"y": [0, 1] * 1500, "s": column}), W)
    assert table.columns["s"].tolist() == [float(text) for text in texts]


@pytest.mark.parametrize(
    ("column", "code", "said"),
    [
        ({"s": [0.1, None, 0.3, None]}, "BR201", r'"s" has 2 missing or NaN scores.*\(rows 2, 4\)'),
        ({"s": pa.array([1, None, 3, 2**60 + 1])}, "BR201", r"1 missing.*\(row 2\)"),
        ({"s": [0.1, 0.2, float("nan"), 0.3]}, "BR201", r"\(row 3\)"),
        ({"s": pa.array([None] * 4)}, "BR201", r"4 missing.*\(rows 1, 2, 3 …\)"),
        ({"y": [0, 1, None, 1]}, "BR105", r'1 of 4 labels in "y" is missing \(row 3\)'),
        ({"y": [True, None, False, None]}, "BR105", r"\(rows 2, 4\)"),
        ({"y": ["no", "yes", None, "no"]}, "BR105", r"\(row 3\)"),
        ({"y": ["a", "b", "a", "c"]}, "BR103", "has 3 values"),
        (
            {"s": ["0.1", "x", "0.3", "y"]},
            "BR208",
            r'2 values that are not numbers, such as "x" \(rows 2, 4\)',
        ),
    ],
    ids=named,
)
def test_what_is_missing_or_wrong_is_named_by_row_and_file(tmp_path, column, code, said):
    path = written(tmp_path / "a.parquet", {**GOOD, **column})
    assert_refused(lambda: counts_of(read_parquet(path, W)), code, said, path)


@pytest.mark.parametrize(
    ("column", "code", "said"),
    [
        (
            {"s": pa.array([1] * 4, pa.timestamp("us"))},
            "BR209",
            '"s" holds timestamps or dates, not scores',
        ),
        ({"s": pa.array([datetime.date(2026, 1, 1)] * 4)}, "BR209", "timestamps or dates"),
        ({"s": pa.array([b"x"] * 4)}, "BR209", "holds bytes, not scores"),
        ({"s": pa.array([[1]] * 4)}, "BR209", "nested or other values"),
        ({"s": pa.array([{"a": 1}] * 4)}, "BR209", "nested or other values"),
        ({"y": pa.array([1] * 4, pa.timestamp("us"))}, "BR107", "timestamps or dates, not labels"),
        ({"y": pa.array([[1]] * 4)}, "BR107", "not labels"),
    ],
    ids=named,
)
def test_columns_of_a_type_that_fits_no_use_are_refused_unread(tmp_path, column, code, said):
    path = written(tmp_path / "a.parquet", {**GOOD, **column})
    assert_refused(lambda: read_parquet(path, W), code, said, path)


def test_days_and_groups_are_text_ids_and_amounts_are_kept(tmp_path):
    day = pa.array(
        [datetime.date(2026, 1, 1), None, datetime.date(2026, 1, 3), datetime.date(2026, 1, 4)]
    )
    columns = {
        **GOOD,
        "day": day,
        "g": ["a", None, "", "b"],
        "id": [1, 2, 3, 4],
        "eur": [1.5, 2, 3, 4],
        "nested": [[1], [2], [3], [4]],
    }
    wanted = replace(W, day="day", group="g", id="id", amount="eur", weight="eur")
    table = read_parquet(written(tmp_path / "a.parquet", columns), wanted)
    assert set(table.columns) == set(wanted.columns), "and nothing else is read"
    assert table.columns["day"].tolist() == ["2026-01-01", None, "2026-01-03", "2026-01-04"]
    assert table.columns["g"].tolist() == ["a", None, "", "b"]
    assert table.columns["id"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("distinct", [3, 300, 70_000])
def test_long_columns_of_text_are_kept_whether_they_repeat_themselves_or_not(tmp_path, distinct):
    texts = [
        None if n % 1009 == 5 else f"site {n % distinct}" if n % 1013 else ""
        for n in range(100_000)
    ]
    labels = ["yes" if n % 3 else "no" for n in range(100_000)]
    path = written(
        tmp_path / "a.parquet",
        {"y": labels, "s": np.arange(100_000.0), "g": texts},
        row_group_size=20_000,
    )
    table = read_parquet(path, replace(W, group="g"))
    assert table.columns["g"].tolist() == texts
    assert table.columns["y"].tolist() == labels
    if distinct < 70_000:
        assert len({id(text) for text in table.columns["g"].tolist()}) == distinct + 2, (
            "each text once, and None"
        )


def test_names_are_checked_and_differ_by_case(tmp_path):
    path = written(tmp_path / "a.parquet", {"Y": [1], "y": [0], "score": [0.5]})
    assert_refused(
        lambda: read_parquet(path, replace(W, scores=("score",))),
        "BR607",
        'columns "Y" and "y", which differ by case alone',
        path,
    )
    path = written(tmp_path / "b.parquet", {"y": [1], "Score": [0.5]})
    assert_refused(
        lambda: read_parquet(path, replace(W, scores=("score",))),
        "BR613",
        'no column "score"; it has "y", "Score". Fix: perhaps "Score"',
        path,
    )
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([0]), pa.array([0.5])], ["y", "y", "s"])
    parquet.write_table(twice, tmp_path / "c.parquet")
    assert_refused(
        lambda: read_parquet(str(tmp_path / "c.parquet"), W), "BR606", 'more than one column "y"'
    )
    nested = written(tmp_path / "d.parquet", {"st": [{"y": 1, "s": 2.0}], "y": [1], "s": [0.25]})
    assert read_parquet(nested, W).columns["s"].tolist() == [0.25], (
        "a field of a struct is not a column"
    )


NAMES = [
    "a[1].parquet",
    "x*.parquet",
    "q?.parquet",
    "it's.parquet",
    'say "hi".parquet',
    "ünï ☃.parquet",
    "; DROP TABLE x; --.parquet",
    "back\\slash.parquet",
    "a=b.parquet",
]


@pytest.mark.parametrize("name", NAMES)
def test_odd_names_of_files_are_read_as_they_are(tmp_path, name):
    for decoy in ("a1.parquet", "xy.parquet", "qz.parquet"):
        written(tmp_path / decoy, {"y": [0, 1], "s": [9.0, 9.0]})
    table = read_parquet(written(tmp_path / name, GOOD), W)
    assert table.columns["s"].tolist() == GOOD["s"]


def test_relative_paths_parents_and_links_are_read(tmp_path, monkeypatch):
    written(tmp_path / "in" / "a.parquet", GOOD)
    (tmp_path / "link.parquet").symlink_to(tmp_path / "in" / "a.parquet")
    monkeypatch.chdir(tmp_path / "in")
    for path in ("a.parquet", "../in/a.parquet", "../link.parquet"):
        assert read_parquet(path, W).rows == 4
        assert read_parquet(path, W).path == path


def damaged(data, how):
    return {
        "cut": data[:-20],
        "begin": b"XXXX" + data[4:],
        "end": data[:-4] + b"XXXX",
        "encrypted": data[:-4] + b"PARE",
        "tiny": b"PAR1",
        "footer": data[:-8] + b"\xff\xff\xff\x7fPAR1",
        "zeros": (
            data[: -8 - int.from_bytes(data[-8:-4], "little")]
            + bytes(int.from_bytes(data[-8:-4], "little"))
            + data[-8:]
        ),
    }[how]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("cut", "does not end with PAR1"),
        ("begin", "does not begin with PAR1"),
        ("end", "does not end with PAR1"),
        ("encrypted", "is encrypted"),
        ("tiny", "too small"),
        ("footer", "Footer length"),
        ("zeros", "."),
    ],
)
def test_damaged_files_are_refused(tmp_path, how, said):
    path = written(tmp_path / "a.parquet", {name: column * 100 for name, column in GOOD.items()})
    data = damaged((tmp_path / "a.parquet").read_bytes(), how)
    (tmp_path / "a.parquet").write_bytes(data)
    assert_refused(lambda: read_parquet(path, W), "BR703", said, path)


def test_empty_files_folders_pipes_and_files_without_rows_are_refused(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"")
    assert_refused(lambda: read_parquet(str(tmp_path / "a.parquet"), W), "BR602", "empty")
    (tmp_path / "folder").mkdir()
    assert_refused(
        lambda: read_parquet(str(tmp_path / "folder"), W), "BR602", "holds no file that ends in"
    )
    os.mkfifo(tmp_path / "p.parquet")
    assert_refused(
        lambda: read_parquet(str(tmp_path / "p.parquet"), W), "BR615", "not a regular file"
    )
    path = written(
        tmp_path / "b.parquet", {"y": pa.array([], pa.int64()), "s": pa.array([], pa.float64())}
    )
    assert_refused(lambda: read_parquet(path, W), "BR602", "no rows", path)
    with pytest.raises(FileNotFoundError, match=r"none[.]parquet"):
        read_parquet(str(tmp_path / "none.parquet"), W)


def test_files_of_a_folder_have_one_schema_or_are_refused_by_name(tmp_path):
    first = written(tmp_path / "set" / "a.parquet", GOOD)
    second = written(tmp_path / "set" / "b.parquet", {"y": [0, 1], "s": ["0.5", "0.7"]})
    assert_refused(
        lambda: read_parquet(str(tmp_path / "set"), W),
        "BR704",
        f'"s" is VARCHAR here and DOUBLE in {first}',
        second,
    )
    third = written(tmp_path / "other" / "b.parquet", {"y": [0, 1], "t": [0.5, 0.7]})
    assert_refused(
        lambda: read_parquet([first, third], W),
        "BR704",
        f'has no column "s"; it has "y", "t", while {first} has',
        third,
    )


def test_rows_of_several_files_are_named_in_the_file_that_has_them(tmp_path):
    paths = [
        written(tmp_path / f"{n}.parquet", GOOD if n != 1 else {"y": [0, 1], "s": [0.5, None]})
        for n in range(3)
    ]
    problem = assert_refused(
        lambda: counts_of(read_parquet(paths, W)), "BR201", r"\(row 2\)", paths[1]
    )
    assert problem.where.rows == (2,)
    assert read_parquet(paths, W).rows == 10


def test_folders_skip_bookkeeping_and_refuse_what_is_unfinished_or_leads_out(tmp_path):
    folder = tmp_path / "set"
    written(folder / "part-0.parquet", GOOD)
    for name in ("_SUCCESS", "_metadata.parquet", ".part-0.parquet.crc", "notes.txt"):
        (folder / name).write_bytes(b"x")
    assert read_parquet(str(folder), W).rows == 4
    written(tmp_path / "outside.parquet", GOOD)
    (folder / "part-1.parquet").symlink_to(tmp_path / "outside.parquet")
    assert_refused(lambda: read_parquet(str(folder), W), "BR615", "link to a file outside")
    (folder / "part-1.parquet").unlink()
    (folder / "_temporary").mkdir()
    assert_refused(lambda: read_parquet(str(folder), W), "BR704", "still being written")


def test_folders_spell_columns_with_a_note(tmp_path):
    for site in ("a", "b%20c", "__HIVE_DEFAULT_PARTITION__"):
        written(tmp_path / f"site={site}" / "y=1" / "a.parquet", {"s": [0.5]})
        written(tmp_path / f"site={site}" / "y=0" / "a.parquet", {"s": [0.25]})
    table = read_parquet(str(tmp_path), replace(W, group="site"))
    assert sorted(table.columns["site"].tolist(), key=str) == [None, None, "a", "a", "b c", "b c"]
    assert [str(note) for note in table.notes] == [
        f'BR704: "{name}" is taken from the names of the folders (hive partitions)'
        for name in ("y", "site")
    ]
    written(tmp_path / "stray.parquet", {"y": [1], "s": [0.5]})
    assert_refused(lambda: read_parquet(str(tmp_path), W), "BR704", '"y" is ')
    written(tmp_path / "set" / "a.parquet", GOOD)
    written(tmp_path / "set" / "g=1" / "b.parquet", GOOD)
    assert read_parquet(str(tmp_path / "set"), W).rows == 8, (
        "folders that spell what nobody wants do not matter"
    )
    assert_refused(
        lambda: read_parquet(str(tmp_path / "set"), replace(W, group="g")), "BR613", 'no column "g"'
    )
    paths = [str(tmp_path / "set" / name) for name in ("g=1/b.parquet", "a.parquet")]
    assert_refused(
        lambda: read_parquet(paths, replace(W, group="g")),
        "BR704",
        f'has no column "g"; it has "y", "s", while {paths[0]} has',
        paths[1],
    )


@pytest.mark.parametrize(
    "how", [{}, {"data_page_version": "2.0"}, {"compression": "zstd"}, {"use_dictionary": False}]
)
def test_flipped_bits_are_seen_where_pages_have_checksums(tmp_path, how):
    rng = np.random.default_rng(0)
    columns = {
        "y": np.arange(5000) % 2,
        "s": rng.random(5000),
        "g": [f"g{n % 9}" if n % 7 else None for n in range(5000)],
    }
    path = written(
        tmp_path / "a.parquet",
        columns,
        write_page_checksum=True,
        row_group_size=1000,
        data_page_size=2000,
        **how,
    )
    wanted = replace(W, group="g")
    assert read_parquet(path, wanted).rows == 5000
    data = (tmp_path / "a.parquet").read_bytes()
    footer = int.from_bytes(data[-8:-4], "little") + 8
    refused = 0
    for place in rng.integers(4, len(data) - footer, 40):
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(rng.integers(8))
        (tmp_path / "a.parquet").write_bytes(flipped)
        try:
            table = read_parquet(path, wanted)
        except br.InputError as error:
            assert error.code == "BR703"
            refused += 1
        else:  # a bit of a header that means nothing, such as a statistic
            assert table.columns["s"].tolist() == columns["s"].tolist()
            assert table.columns["y"].tolist() == columns["y"].tolist()
            assert table.columns["g"].tolist() == columns["g"]
    assert refused > 20


def test_without_pyarrow_pages_are_not_compared_with_their_checksums(tmp_path, monkeypatch):
    columns = {"y": [0, 1], "s": [0.5, 0.25]}
    path = written(
        tmp_path / "a.parquet",
        columns,
        write_page_checksum=True,
        compression="none",
        use_dictionary=False,
    )
    data = (tmp_path / "a.parquet").read_bytes()
    place = data.index(np.array([0.5, 0.25]).tobytes()) + 7
    (tmp_path / "a.parquet").write_bytes(data[:place] + b"\xbf" + data[place + 1 :])
    assert_refused(lambda: read_parquet(path, W), "BR703", "a page differs from its checksum", path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert read_parquet(path, W).columns["s"].tolist() == [-0.5, 0.25]


def test_pages_of_columns_that_nobody_wants_may_be_damaged(tmp_path):
    path = written(
        tmp_path / "a.parquet",
        {**GOOD, "x": [0.123456789] * 4},
        write_page_checksum=True,
        use_dictionary=False,
        compression="none",
    )
    data = (tmp_path / "a.parquet").read_bytes()
    mark = np.float64(0.123456789).tobytes() * 4
    (tmp_path / "a.parquet").write_bytes(data.replace(mark, bytes(32)))
    assert read_parquet(path, W).rows == 4
    assert_refused(
        lambda: read_parquet(path, replace(W, scores=("x",))),
        "BR703",
        "a page differs from its checksum",
        path,
    )


def test_what_is_missing_among_many_ties_is_found_in_its_row(tmp_path):
    for wrong in (None, float("nan")):
        path = written(
            tmp_path / "a.parquet",
            {"y": [0, 1] * 5000, "s": [0.5] * 4241 + [wrong] + [0.25] * 5758},
        )
        assert_refused(
            lambda path=path: counts_of(read_parquet(path, W)),
            "BR201",
            r"1 missing.*\(row 4242\)",
            path,
        )
    path = written(tmp_path / "b.parquet", {"y": [0, 1, None, 1] * 2500, "s": [0.5] * 10_000})
    assert_refused(lambda: counts_of(read_parquet(path, W)), "BR105", r"\(rows 3, 7, 11 …\)", path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = written(tmp_path / "a.parquet", GOOD)
    from baserate.read import parquet

    def slow(*arguments):
        os.utime(path, ns=(1, 1))

    monkeypatch.setattr(parquet, "_check_frame", slow)
    assert_refused(lambda: read_parquet(path, W), "BR611", "changed while it was read", path)


def test_mutations_are_read_or_refused(tmp_path):
    columns = {
        "y": [0, 1] * 200,
        "s": list(np.random.default_rng(0).random(400)),
        "g": ["a", "b", "c", None] * 100,
    }
    path = written(tmp_path / "a.parquet", columns, row_group_size=100)
    found = mutants("parquet", path, 300)
    assert found["refused"] > 100


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("std::bad_alloc", None),
        ("Failed to allocate block (bad allocation)", None),
        ("1.0/1.0 GiB used", "BR701"),
    ],
)
def test_memory_that_is_short_is_no_damage(said, code):
    def read():
        with refused("a.parquet", "BR703", "get a whole copy"):
            raise MemoryError(said) if said.startswith("std") else duckdb.OutOfMemoryException(said)

    if code:
        assert_refused(read, code, "GiB used", "a.parquet")
    else:
        with pytest.raises(MemoryError, match="^$"):
            read()
