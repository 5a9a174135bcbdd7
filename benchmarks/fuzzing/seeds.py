"""Whole small files of every format that is read: what mutations start from. Run in a process of
its own, which may load anything.
"""

from __future__ import annotations

import io
import json
import random
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROWS = 24
FORMATS = (
    *("csv", "tsv", "jsonl", "csv-fast", "csv.gz", "csv.zst", "csv.bz2", "csv.xz", "csv.zip"),
    *("parquet", "arrow", "npz", "sqlite", "duckdb", "counts"),
)


@dataclass(frozen=True)
class Seed:
    """A file: its format, how it is named and asked for, and for a packed one the bytes within and
    how they are packed.
    """

    format: str
    name: str
    data: bytes
    asked: str = ""  # a table of a database
    options: dict[str, Any] = field(default_factory=dict)
    positive: str | None = None
    inside: bytes = b""
    packed: str = ""


def all_seeds(formats: tuple[str, ...] = FORMATS) -> list[Seed]:
    """Every seed of these formats."""
    makers = (_delimited, _fast, _json, _packed, _parquet, _arrow, _npz, _sqlite, _duckdb, _saved)
    return [seed for make in makers for seed in make() if seed.format in formats]


def save(folder: Path, formats: tuple[str, ...]) -> None:
    """The seeds in a folder, for processes that must not load what made them."""
    for place, seed in enumerate(all_seeds(formats)):
        (folder / f"{place:03}.data").write_bytes(seed.data)
        (folder / f"{place:03}.inside").write_bytes(seed.inside)
        facts = {
            name: value for name, value in asdict(seed).items() if name not in ("data", "inside")
        }
        (folder / f"{place:03}.json").write_text(json.dumps(facts))


def load(folder: Path) -> list[Seed]:
    """The seeds that were saved there."""
    return [
        Seed(
            **json.loads(path.read_text()),
            data=path.with_suffix(".data").read_bytes(),
            inside=path.with_suffix(".inside").read_bytes(),
        )
        for path in sorted(folder.glob("*.json"))
    ]


def rows(seed: int = 0, number: int = ROWS) -> list[tuple[str, int, float, str]]:
    """id, label, score and group of some cases; scores repeat now and then."""
    rng = random.Random(seed)
    return [
        (
            f"k{i}",
            rng.randrange(2),
            rng.choice((round(rng.random(), 2), rng.random())),
            rng.choice("abc"),
        )
        for i in range(number)
    ]


def _table(
    sign: str = ",", end: str = "\n", quote: str = "", number: int = ROWS, seed: int = 0
) -> str:
    lines = [
        ["id", "y", "s", "g"],
        *(
            [name, str(label), repr(score), group]
            for name, label, score, group in rows(seed, number)
        ),
    ]
    return end.join(sign.join(f"{quote}{value}{quote}" for value in line) for line in lines) + end


def _delimited() -> Iterator[Seed]:
    plain, german = _table(), _table(";").replace(".", ",")
    spelled = plain.replace(",0,", ",no,").replace(",1,", ",yes,")
    texts = {
        "plain.csv": plain,
        "quoted.csv": _table(quote='"').replace("k3", 'a ""b"",\r\nc').replace("k5", "é\n\n;"),
        "crlf.csv": _table(end="\r\n", seed=1),
        "cr.csv": _table(end="\r", seed=2),
        "german.csv": german,
        "bom.csv": "\ufeff" + spelled.replace("k", "ключ"),
        "padded.csv": plain.replace(",", " , "),
        "sep.csv": "sep=|\n" + _table("|"),
        "whole.csv": "y,s\n" + "".join(f"{i % 2},{2**53 + i}\n" for i in range(8)),
        "pipes.txt": _table("|", seed=3),
    }
    for name, text in texts.items():
        yield Seed("csv", name, text.encode())
    yield Seed("csv", "utf16.csv", plain.encode("utf-16"))
    yield Seed(
        "csv", "latin.csv", plain.replace("k", "ß").encode("cp1252"), options={"encoding": "cp1252"}
    )
    yield Seed(
        "csv", "ragged.csv", (plain + "x,1\n" + "y,0,0.5,a,\n").encode(), options={"skip_bad": 8}
    )
    yield Seed(
        "csv",
        "bare.csv",
        plain.partition("\n")[2].encode(),
        options={"header": False, "columns": ["id", "y", "s", "g"]},
    )
    yield Seed("csv", "above.csv", ("made by hand\n\n" + plain).encode(), options={"skip_lines": 2})
    yield Seed(
        "csv",
        "named.csv",
        plain.replace(",0,", ",legit,").replace(",1,", ",fraud,").encode(),
        positive="fraud",
    )
    yield Seed("tsv", "plain.tsv", _table("\t").encode())
    yield Seed("tsv", "comma.tsv", _table("\t", "\r\n", seed=4).replace(".", ",").encode())


def _fast() -> Iterator[Seed]:
    """Plain files for the reader of large ones, which is asked for by name."""
    yield Seed("csv-fast", "plain.csv", _table().encode())
    yield Seed("csv-fast", "quoted.csv", _table(quote='"', end="\r\n", seed=5).encode())
    yield Seed(
        "csv-fast",
        "words.csv",
        _table(seed=6).replace(",0,", ",no,").replace(",1,", ",yes,").encode(),
    )


def _objects(seed: int = 0) -> list[dict[str, object]]:
    return [
        {"id": name, "y": label, "s": score, "g": group} for name, label, score, group in rows(seed)
    ]


def _json() -> Iterator[Seed]:
    lines = "".join(json.dumps(each) + "\n" for each in _objects())
    words = "".join(
        json.dumps({**each, "y": bool(each["y"]), "t": '\u00e9\n"\\\U0001f600'}) + "\r\n"
        for each in _objects(1)
    )
    yield Seed("jsonl", "plain.jsonl", lines.encode())
    yield Seed("jsonl", "bools.ndjson", words.encode())
    yield Seed("jsonl", "array.json", json.dumps(_objects(2), indent=1).encode())
    yield Seed(
        "jsonl",
        "texts.jsonl",
        "".join(
            json.dumps({"y": str(e["y"]), "s": str(e["s"])}) + "\n" for e in _objects(3)
        ).encode(),
    )


def pack(inside: bytes, how: str) -> bytes:
    """Bytes as a compressed file holds them."""
    import bz2
    import gzip
    import lzma

    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": lambda data: gzip.compress(data, mtime=0),
        "gz twice": lambda data: (
            gzip.compress(data[:100], mtime=0) + gzip.compress(data[100:], mtime=0)
        ),
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zip": _zipped,
        "zip stored": lambda data: _zipped(data, zipfile.ZIP_STORED),
        "npz": _npz_of,
    }
    if how.startswith("zst"):
        import zstandard

        return zstandard.ZstdCompressor(write_checksum=how == "zst with checksum").compress(inside)
    return packers[how](inside)


def _zipped(inside: bytes, how: int = zipfile.ZIP_DEFLATED, name: str = "scores.csv") -> bytes:
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", how) as archive:
        archive.writestr(zipfile.ZipInfo(name), inside, how)
    return place.getvalue()


def _packed() -> Iterator[Seed]:
    ways = {
        "gz": ("gz", "gz twice"),
        "zst": ("zst", "zst with checksum"),
        "bz2": ("bz2",),
        "xz": ("xz",),
        "zip": ("zip", "zip stored"),
    }
    for ending, hows in ways.items():
        for place, how in enumerate((*hows, hows[0])):
            text = (
                _table(seed=10 + place, quote='"' * (place % 2))
                if place < len(hows)
                else _table(";", "\r\n", seed=20)
            )
            yield Seed(
                f"csv.{ending}",
                f"{place}.csv.{ending}",
                pack(text.encode(), how),
                inside=text.encode(),
                packed=how,
            )


def _columns(seed: int = 0, number: int = ROWS) -> dict[str, list[Any]]:
    read = rows(seed, number)
    return {
        "id": [r[0] for r in read],
        "y": [r[1] for r in read],
        "s": [r[2] for r in read],
        "g": [r[3] for r in read],
    }


def _parquet() -> Iterator[Seed]:
    import pyarrow as pa

    table = pa.table(_columns())
    words = table.set_column(
        1,
        "y",
        pa.array(["yes" if label else "no" for label in _columns()["y"]]).dictionary_encode(),
    )
    narrow = table.set_column(2, "s", table["s"].cast(pa.float32())).set_column(
        1, "y", table["y"].cast(pa.bool_())
    )
    whole = pa.table(
        {"y": table["y"].cast(pa.int8()), "s": pa.array([i * i for i in range(ROWS)], pa.int64())}
    )
    long = pa.table(_columns(7, 600))
    for checked in (False, True):
        mark, more = "checked" if checked else "bare", {"write_page_checksum": checked}
        for compression in ("none", "snappy", "gzip", "zstd", "lz4", "brotli"):
            yield _parquet_of(table, f"{mark}-{compression}", compression=compression, **more)
        yield _parquet_of(
            table,
            f"{mark}-plain",
            use_dictionary=False,
            compression="none",
            data_page_version="2.0",
            **more,
        )
        yield _parquet_of(words, f"{mark}-words", compression="zstd", **more)
        yield _parquet_of(
            narrow,
            f"{mark}-split",
            use_dictionary=False,
            use_byte_stream_split=["s"],
            compression="none",
            **more,
        )
        delta = {
            "column_encoding": {"s": "DELTA_BINARY_PACKED", "y": "PLAIN"},
            "use_dictionary": False,
        }
        yield _parquet_of(whole, f"{mark}-delta", **delta, compression="none", **more)
        yield _parquet_of(long, f"{mark}-groups", row_group_size=100, data_page_size=200, **more)
    yield Seed("parquet", "duckdb.parquet", _parquet_by_duckdb())


def _parquet_of(table: Any, name: str, **options: Any) -> Seed:
    import pyarrow.parquet as pq

    place = io.BytesIO()
    pq.write_table(table, place, **options)
    return Seed("parquet", f"{name}.parquet", place.getvalue())


def _parquet_by_duckdb() -> bytes:
    import duckdb

    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder, "x.parquet")
        connection.execute("CREATE TABLE t (id VARCHAR, y INTEGER, s DOUBLE, g VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows(8))
        connection.execute(f"COPY t TO '{path}'")
        return path.read_bytes()


def _arrow() -> Iterator[Seed]:
    import pyarrow as pa
    from pyarrow import feather

    table = pa.table(_columns())
    words = table.set_column(
        1,
        "y",
        pa.array(["yes" if label else "no" for label in _columns()["y"]]).dictionary_encode(),
    )
    for compression in ("uncompressed", "lz4", "zstd"):
        for name, of in (("numbers", table), ("words", words)):
            place = io.BytesIO()
            feather.write_feather(of, place, compression=compression)
            yield Seed("arrow", f"{name}-{compression}.feather", place.getvalue())
    place = io.BytesIO()
    with pa.ipc.new_stream(place, table.schema) as stream:
        for batch in table.to_batches(max_chunksize=10):
            stream.write(batch)
    yield Seed("arrow", "stream.arrow", place.getvalue())


def _npz_of(inside: bytes) -> bytes:
    """The arrays of a mutant: the labels stay, the scores are the bytes that were given, with
    checksums that fit.
    """
    import numpy as np

    label = io.BytesIO()
    np.save(label, np.array(_columns()["y"]))
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr(zipfile.ZipInfo("y.npy"), label.getvalue())
        archive.writestr(zipfile.ZipInfo("s.npy"), inside)
    return place.getvalue()


def _npz() -> Iterator[Seed]:
    import numpy as np

    columns = {name: np.array(values) for name, values in _columns().items()}
    for name, write in (("stored", np.savez), ("deflated", np.savez_compressed)):
        place = io.BytesIO()
        write(place, **columns)
        yield Seed("npz", f"{name}.npz", place.getvalue())
    for name, array in (
        ("mended", columns["s"]),
        ("short", columns["s"].astype(">f4")),
        ("whole", np.arange(ROWS)),
    ):
        member = io.BytesIO()
        np.save(member, array)
        yield Seed(
            "npz",
            f"{name}.npz",
            pack(member.getvalue(), "npz"),
            inside=member.getvalue(),
            packed="npz",
        )


def _sqlite() -> Iterator[Seed]:
    makers = {
        "plain": ("CREATE TABLE t (id TEXT, y INTEGER, s REAL, g TEXT)", ROWS),
        "keyed": ("CREATE TABLE t (id TEXT PRIMARY KEY, y INTEGER, s REAL, g TEXT)", ROWS),
        "long": ("CREATE TABLE t (id TEXT, y INTEGER, s REAL, g TEXT)", 200),
    }
    for name, (create, number) in makers.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.db")
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("PRAGMA page_size = 1024")
                connection.execute(create)
                connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows(9, number))
            yield Seed("sqlite", f"{name}.sqlite", path.read_bytes(), asked="t")


def _duckdb() -> Iterator[Seed]:
    import duckdb

    for name, number in (("small", ROWS), ("long", 3000)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.duckdb")
            with duckdb.connect(str(path)) as connection:
                connection.execute("CREATE TABLE t (id VARCHAR, y INTEGER, s DOUBLE, g VARCHAR)")
                values = ", ".join(
                    f"('{key}', {label}, {score!r}, '{group}')"
                    for key, label, score, group in rows(10, number)
                )
                connection.execute(f"INSERT INTO t VALUES {values}")
            yield Seed("duckdb", f"{name}.duckdb", path.read_bytes(), asked="t")


def _saved() -> Iterator[Seed]:
    import baserate as br

    columns = _columns()
    label, score = columns["y"], columns["s"]
    counted = {
        "counts": br.count(label, score),
        "condensed": br.count(label, score).condense(),
        "joint": br.count(label, {"a": score, "b": score[::-1]}),
        "grouped": br.count(label, score, by=columns["g"]),
    }
    for name, counts in counted.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.counts")
            counts.save(path)
            yield Seed("counts", f"{name}.counts", path.read_bytes(), packed="sha256")
