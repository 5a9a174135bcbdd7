"""What a file is, told by its first bytes; its name is only asked where bytes cannot tell."""

from __future__ import annotations

import os
from typing import NamedTuple

from baserate.errors import refuse_file

HEAD = 512  # bytes that are looked at

# Each compression with the ending that its files usually have.
COMPRESSED = {"gzip": ".gz", "zstd": ".zst", "bzip2": ".bz2", "xz": ".xz", "zip": ".zip"}
TEXT = "text"

MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PAR1", "Parquet"),
    (b"PARE", "Parquet"),
    (b"ARROW1", "Arrow"),
    (b"FEA1", "Arrow"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"baserate-counts-file-", "counts"),
)
# Formats that are not read, with what to call them.
FOREIGN = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (xls)"),
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b"\x93NUMPY", "a single NumPy array"),
    (b"ORC", "ORC"),
    (b"Obj\x01", "Avro"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\x04\x22\x4d\x18", "an lz4 file"),
    (b"$FL2", "SPSS"),
    (b"<stata_dta>", "Stata"),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", "SAS"),
    (b"%PDF-", "a PDF"),
    (b"<!DOCTYPE", "HTML"),
    (b"<!doctype", "HTML"),
    (b"<html", "HTML"),
    (b"<?xml", "XML"),
)
OFFICE = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
UNREAD = (*OFFICE, ".sas7bdat", ".sav", ".dta", ".h5", ".hdf5", ".npy", ".orc", ".avro", ".xml", ".html")
# Loading any of these can run what their author wrote into them.
RUNS_CODE = (".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".ckpt", ".rds", ".rda", ".rdata", ".yaml", ".yml")
PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
SERIALISED_R = (b"RDX2", b"RDX3", b"RDA2", b"RDA3", b"X\n\x00\x00\x00")

ENDINGS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".npz": "npz",
    ".sqlite": "SQLite",
    ".sqlite3": "SQLite",
    ".duckdb": "DuckDB",
    ".counts": "counts",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
}
SAVE_AS = 'save the columns instead: df[["y", "m1"]].to_parquet("scores.parquet")'


class Name(NamedTuple):
    """The endings of a file's name: of what it holds, and of how that is compressed."""

    ending: str
    compression: str | None


def name_of(path: str) -> Name:
    """What the name promises: scores.csv.gz is a .csv in gzip."""
    stem, ending = os.path.splitext(path.casefold())  # noqa: PTH122 (names need not be UTF-8)
    compression = next((kind for kind, usual in COMPRESSED.items() if ending == usual), None)
    return Name(os.path.splitext(stem)[1], compression) if compression else Name(ending, None)  # noqa: PTH122


def kind_of(head: bytes, path: str) -> str:
    """The kind of a file that begins like this: a compression, a format, or text."""
    if head[:3] == b"BZh" and head[4:10] == b"1AY&SY":
        return "bzip2"
    if head[8:12] == b"DUCK":
        return "DuckDB"
    found = next((kind for magic, kind in MAGIC if head.startswith(magic)), None)
    if found:
        return found
    promised = ENDINGS.get(name_of(path).ending, TEXT)
    if promised in ("JSON", TEXT):
        return promised if promised == "JSON" or not _looks_like_json(head, path) else "JSON"
    return promised  # its reader says what is wrong with it


def _looks_like_json(head: bytes, path: str) -> bool:
    """An object at the very beginning, in a file that no ending calls a table."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return name_of(path).ending not in (".csv", ".tsv", ".txt", ".tab") and start[:1] == b"{" and start[1:].lstrip()[:1] in (b'"', b"}")


def check_readable(head: bytes, path: str) -> None:
    """Refuse what could run code, and what we do not read, by its bytes and by its name."""
    ending = name_of(path).ending
    if head.startswith(PICKLES) or ending in RUNS_CODE:
        raise refuse_file(path, "BR705", "is a pickle or a file like it, which can run code when it is loaded: not read", SAVE_AS)
    if head.startswith(SERIALISED_R):
        raise refuse_file(path, "BR705", "is a serialised R object, which can run code when it is loaded: not read", "write.csv() it in R")
    found = next((what for magic, what in FOREIGN if head.startswith(magic)), None)
    if found:
        raise refuse_file(path, "BR610", f"is {found}, which is not read", "export it to CSV or Parquet")
    if ending in UNREAD:
        raise refuse_file(path, "BR610", f"is a {ending} file, which is not read", "export it to CSV or Parquet")
