"""Section G: binary files, compression and databases."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import socket
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import zstandard
from pyarrow import feather, parquet
from tests.bad_inputs.bench import M, Y
from tests.bad_inputs.rows import row
from tests.bad_inputs.test_f_text import GOOD, same

import baserate as br

CASES = pa.table({"y": Y, "m": list(map(float, M))})


def show(name, *more):
    return ("show", name, "--label", "y", "--score", "m", *more)


def zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, GOOD)
    return file.getvalue()


@row(113, "gzip, zstd, bzip2, xz, by their bytes and not by name")
def test_row_113_the_bytes_decide_and_a_wrong_name_is_noted(bench):
    packers = {
        "gz": gzip.compress,
        "zst": zstandard.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
    }
    for ending, pack in packers.items():
        plain = bench.accepted(*same(bench, pack(GOOD.encode()), name=f"scores.csv.{ending}"))
    return plain, bench.noted("BR716", *same(bench, gzip.compress(GOOD.encode())))


@row(114, "a gzip file that is cut off, or none")
def test_row_114_a_file_that_is_cut_off_is_refused(bench):
    bench.refused("BR703", *bench.show(b"\x1f\x8b\x08\x00" + b"no gzip" * 9, name="scores.csv.gz"))
    stored = gzip.compress(GOOD.encode(), 0)  # as many bytes with every zlib
    return bench.refused("BR703", *bench.show(stored[:-9], name="scores.csv.gz"))


@row(115, "gzip in several members; a zip of one file, of several, encrypted")
def test_row_115_members_are_one_file_and_a_zip_holds_one(bench):
    half = GOOD.index("\n", len(GOOD) // 2) + 1
    plain = bench.accepted(
        *same(
            bench,
            b"".join(gzip.compress(part.encode()) for part in (GOOD[:half], GOOD[half:])),
            name="scores.csv.gz",
        )
    )
    same(bench, zipped("scores.csv"), name="scores.zip")
    secret = bytearray(zipped("scores.csv"))
    for place in (6, secret.rindex(b"PK\x01\x02") + 8):
        secret[place] |= 1
    several = bench.refused("BR720", *bench.show(zipped("a.csv", "b.csv"), name="scores.zip"))
    return plain, several, bench.refused("BR720", *bench.show(bytes(secret), name="scores.zip"))


@row(116, "a bomb")
def test_row_116_a_bomb_stops_at_the_limit(bench):
    bomb = bz2.compress(b"y,m\n" + b"0,1\n" * 1_000_000)
    return bench.refused(
        "BR702", *bench.show(bomb, "--max-bytes", "1000000", name="scores.csv.bz2")
    )


@row(117, "Parquet that is cut off, encrypted, or has a huge footer")
def test_row_117_damaged_parquet_is_refused(bench):
    parquet.write_table(CASES, "good.parquet")
    data = Path("good.parquet").read_bytes()
    for wrong in (b"XXXX" + data[4:], data[:-8] + b"\xff\xff\xff\x7fPAR1"):
        bench.refused("BR703", *bench.show(wrong, name="scores.parquet"))
    cut = bench.refused("BR703", *bench.show(data[:-20], name="scores.parquet"))
    return cut, bench.refused("BR703", *bench.show(data[:-4] + b"PARE", name="scores.parquet"))


@row(
    118,
    "Parquet with flipped bits",
    why="without checksums nothing can be seen; the SHA-256 of every input stands in the JSON",
)
def test_row_118_flipped_bits_are_seen_by_their_checksums(bench):
    parquet.write_table(
        CASES, "good.parquet", write_page_checksum=True, compression="none", use_dictionary=False
    )
    assert len(bench.answer(*show("good.parquet"))["sources"][0]["sha256"]) == 64
    data, mark = Path("good.parquet").read_bytes(), np.float64(0.07).tobytes()
    return bench.refused(
        "BR703",
        *bench.show(data.replace(mark, np.float64(0.9).tobytes(), 1), name="scores.parquet"),
    )


@row(119, "a folder of Parquet with other columns, partitions, unfinished")
def test_row_119_the_files_of_a_folder_are_one_table(bench):
    for name in ("days/d=1", "days/d=2", "other"):
        Path(name).mkdir(parents=True)
    parquet.write_table(CASES, "days/d=1/a.parquet")
    parquet.write_table(CASES, "days/d=2/a.parquet")
    gate = (
        "gate",
        "days",
        "recall >= 0.1",
        "--label",
        "y",
        "--score",
        "m",
        "--threshold",
        "0.01",
        "--slice",
        "d",
    )
    hive = bench.noted("BR704", *gate)
    parquet.write_table(CASES, "other/a.parquet")
    parquet.write_table(CASES.rename_columns(["y", "n"]), "other/b.parquet")
    return bench.refused("BR704", *show("other")), hive


@row(120, "Arrow and Feather")
def test_row_120_arrow_is_validated_in_full(bench):
    feather.write_feather(CASES, "good.feather")
    data = Path("good.feather").read_bytes()
    return bench.accepted(*show("good.feather")), bench.refused(
        "BR703", *bench.show(data[: len(data) // 2], name="scores.feather")
    )


@row(121, ".pkl, .joblib, .npy of objects, .rds, .pt")
def test_row_121_files_that_can_run_code_are_not_read(bench):
    for name in ("scores.csv", "scores.joblib", "scores.pt"):
        bench.refused("BR705", *bench.show(pickle.dumps({"y": [0, 1]}), name=name))
    np.savez("scores.npz", y=np.array(Y), m=np.array(M, dtype=object))
    bench.refused("BR705", *show("scores.npz"))
    bench.refused("BR705", *bench.show(GOOD, name="scores.rds"))
    return bench.refused("BR705", *bench.show(pickle.dumps({"y": [0, 1]}), name="scores.pkl"))


def database(name, statement="CREATE TABLE cases (y INTEGER, m REAL)", into="cases"):
    with closing(
        (sqlite3 if name.endswith("db") and "duck" not in name else duckdb).connect(name)
    ) as base:
        base.execute(statement)
        base.executemany(
            f"INSERT INTO {into} VALUES (?, ?)", list(zip(Y, map(float, M), strict=True))
        )
        base.commit()
    return name


@row(122, "a database that is locked, damaged, or of a newer version")
def test_row_122_a_locked_or_damaged_database_is_refused(bench):
    with closing(sqlite3.connect(database("cases.db"), isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        locked = bench.refused("BR706", *show("cases.db::cases"))
    data = Path("cases.db").read_bytes()
    bench.file(data[:18] + b"\x09\x09" + data[20:], "newer.db")
    bench.refused("BR706", *show("newer.db::cases"))
    bench.file(data[: len(data) // 2], "half.db")
    return locked, bench.refused("BR706", *show("half.db::cases"))


@row(123, "a table or column that is not there, a view, a reserved name")
def test_row_123_names_of_tables_are_quoted_or_hinted_at(bench):
    database("cases.db", 'CREATE TABLE "select" (y INTEGER, m REAL)', '"select"')
    bench.accepted(*show("cases.db::select"))
    database("views.db")
    with closing(sqlite3.connect("views.db")) as base:
        base.execute("CREATE VIEW seen AS SELECT * FROM cases")
    read = bench.accepted(*show("views.db::seen"))
    column = bench.refused("BR613", "show", "views.db::cases", "--label", "y", "--score", "n")
    return read, bench.refused("BR717", *show("views.db::case")), column


@row(124, "a lazy frame, compared", why="a comparison needs every case in memory")
def test_row_124_a_lazy_frame_is_not_compared(bench):
    frame = pl.LazyFrame({"y": [0, 1], "a": [0.1, 0.2], "b": [0.2, 0.1]})
    return bench.raised("BR950", br.compare, frame, label="y", score=["a", "b"])


@row(125, "s3:// and http:// addresses", why="there is no option to allow them")
def test_row_125_remote_files_are_refused(bench):
    for address in ("s3://bucket/scores.parquet", "gs://bucket/scores", "file:///etc/passwd"):
        bench.refused("BR708", *show(address))
    return bench.refused("BR708", *show("https://example.org/scores.csv?token=secret"))


@row(126, "standard input, a pipe, /dev/zero, a folder, a socket")
def test_row_126_standard_input_is_read_and_what_is_no_file_is_refused(bench):
    done = bench.run(*show("-"), stdin=GOOD.encode())
    assert (done.status, done.err) == (0, "")
    assert (
        json.loads(bench.run(*show("/dev/stdin", "--json"), stdin=GOOD.encode()).out)["sources"][0][
            "rows_used"
        ]
        == 20
    )
    os.mkfifo("pipe")
    Path("folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name in ("folder", "socket", "/dev/zero"):
            bench.refused("BR615", *show(name))
    limited = bench.run(*show("-", "--max-bytes", "100"), stdin=GOOD.encode())
    assert limited.status == 2
    return done.out.splitlines()[0], limited.err.strip(), bench.refused("BR615", *show("pipe"))


@row(
    127,
    "more rows than memory holds",
    why="benchmarks/README.md has a thousand million of them, and what they cost",
)
def test_row_127_more_scores_than_fit_are_counted_piece_by_piece(bench):
    rows = 700_000  # distinct scores; under the least ceiling there is room for 535 000
    labels, scores = np.arange(rows) % 1000 == 0, np.arange(rows) * 7919 % rows / rows
    parquet.write_table(
        pa.table({"y": labels, "m": scores}), "large.parquet", row_group_size=100_000
    )
    return bench.noted("BR947", *show("large.parquet", "--memory", "320MB"))


@row(128, "ten thousand other columns")
def test_row_128_only_named_columns_are_read(bench):
    width = 10_000
    text = "\n".join(
        [
            ",".join(["y", "m", *(f"c{i}" for i in range(width))]),
            *(f"{y},{m}{',x' * width}" for y, m in zip(Y, M, strict=True)),
        ]
    )
    return bench.accepted(*same(bench, text))
