"""The bytes of an input: regular, unpacked with a limit, unchanged, and never of a kind that runs
code.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import pickle
import random
import socket
import subprocess
import sys
import zipfile

import pytest
import zstandard

import baserate as br
from baserate.read import streams
from baserate.read.streams import Limits

TEXT = b"y,m1\n" + b"".join(b"%d,0.%d\n" % (i % 2, i) for i in range(1, 2000))
EXPECTED = br.count([i % 2 for i in range(1, 2000)], [float(f"0.{i}") for i in range(1, 2000)])


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_csv", ".csv"), content)
    return file.getvalue()


PACKED = {
    "gz": gzip.compress(TEXT),
    "zst": zstandard.compress(TEXT),
    "bz2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zip": zipped(scores_csv=TEXT),
}


def written(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content)
    return str(path)


def counted(path, **options):
    return br.count(path, label="y", score="m1", **options)


def assert_refused(path, match, code, **options):
    with pytest.raises(br.InputError, match=match) as caught:
        counted(path, **options)
    assert caught.value.code == code
    assert caught.value.problems[0].where.path == path
    assert "Fix: " in str(caught.value)


def codes(counts):
    return [note.code for note in counts.notes]


def of_file(counts):
    return [note for note in counts.notes if note.code >= "BR6"]


@pytest.mark.parametrize("ending", PACKED)
def test_row_113_compressed_files_count_as_plain_ones_do(tmp_path, ending):
    path = written(tmp_path, PACKED[ending], f"x.csv.{ending}")
    counts = counted(path)
    assert counts == EXPECTED
    assert not of_file(counts)
    (source,) = counts.ledger.sources
    assert source.sha256 == hashlib.sha256(PACKED[ending]).hexdigest(), "of the file as it lies"
    assert source.path == path


@pytest.mark.parametrize("ending", PACKED)
def test_row_113_the_bytes_decide_and_a_wrong_name_is_noted(tmp_path, ending):
    counts = counted(written(tmp_path, PACKED[ending], "x.csv"))
    assert counts == EXPECTED
    assert "BR716" in codes(counts)
    counts = counted(written(tmp_path, TEXT, f"x.csv.{ending}"))
    assert counts == EXPECTED
    assert "BR716" in codes(counts)


@pytest.mark.parametrize("ending", PACKED)
def test_row_114_a_file_that_is_cut_off_is_refused_wherever_it_is_cut(tmp_path, ending):
    content = PACKED[ending]
    for cut in (12, len(content) // 2, len(content) - 9, len(content) - 1):
        with pytest.raises(br.InputError, match="nothing was counted|BR6") as caught:
            counted(written(tmp_path, content[:cut], f"x.csv.{ending}"))
        assert caught.value.code == "BR703", str(caught.value)


def test_row_114_something_else_named_gz_inside_is_refused(tmp_path):
    assert_refused(
        written(tmp_path, b"\x1f\x8b\x08\x00" + b"no gzip" * 9, "x.csv.gz"),
        "damaged|ends early",
        "BR703",
    )
    assert_refused(
        written(tmp_path, PACKED["gz"] + b"garbage", "x.csv.gz"), "damaged|ends early", "BR703"
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("ending", PACKED)
def test_damaged_files_are_refused_or_the_same(tmp_path, ending):
    rng = random.Random(7)
    for _ in range(60):
        content = bytearray(PACKED[ending])
        for _ in range(rng.randint(1, 3)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        try:
            counts = counted(written(tmp_path, bytes(content), f"x.csv.{ending}"))
        except br.InputError as error:
            assert "Fix: " in str(error)
        else:
            # zstd as its library writes it has no checksum: only then can a flipped bit pass, and
            # it shows in the SHA-256.
            assert counts == EXPECTED or ending == "zst"


def test_row_115_members_one_behind_another_are_one_file(tmp_path):
    half = TEXT.index(b"\n", len(TEXT) // 2) + 1
    for ending, pack in {
        "gz": gzip.compress,
        "zst": zstandard.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
    }.items():
        path = written(tmp_path, pack(TEXT[:half]) + pack(TEXT[half:]), f"x.csv.{ending}")
        assert counted(path) == EXPECTED
    assert counted(written(tmp_path, PACKED["gz"] + b"\0" * 5000, "x.csv.gz")) == EXPECTED, (
        "padding"
    )


def test_row_115_a_zip_of_several_or_encrypted_files_is_refused(tmp_path):
    assert_refused(
        written(tmp_path, zipped(a_csv=TEXT, b_csv=TEXT), "x.zip"),
        'holds 2 files ."a.csv", "b.csv".: which one',
        "BR720",
    )
    assert_refused(written(tmp_path, zipped(), "x.zip"), "without files", "BR720")
    secret = bytearray(PACKED["zip"])
    secret[6] |= 1
    at = secret.rindex(b"PK\x01\x02")
    secret[at + 8] |= 1
    assert_refused(written(tmp_path, bytes(secret), "x.zip"), "encrypted", "BR720")
    assert_refused(
        written(tmp_path, gzip.compress(PACKED["gz"]), "x.csv.gz.gz"), "compressed twice", "BR720"
    )


@pytest.mark.parametrize("ending", PACKED)
def test_row_116_bombs_stop_by_what_comes_out(tmp_path, ending):
    packers = {
        "gz": gzip.compress,
        "zst": zstandard.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zip": lambda text: zipped(a_csv=text),
    }
    path = written(tmp_path, packers[ending](b"y,m1\n" + b"0,1\n" * 1_000_000), f"x.csv.{ending}")
    assert_refused(
        path, "stopped at .* uncompressed from .* kB|bytes", "BR702", max_bytes=1_000_000
    )
    limits = Limits(ratio=50, free=100_000)
    with pytest.raises(br.InputError, match="BR702"), streams.opened(path, limits):
        pass


def test_a_bomb_is_never_unpacked_into_memory(tmp_path):
    """zstd gives all that it has at once: its input comes in sips."""
    path = written(tmp_path, zstandard.compress(b"\0" * 300_000_000, 19), "x.csv.zst")
    with open(path, "rb") as file:
        sizes = [len(piece) for piece in streams.pieces(path, "zstd", file, Limits(ratio=10**9))]
    assert sum(sizes) == 300_000_000
    assert max(sizes) <= 34_000_000


def test_row_111_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    path = written(tmp_path, TEXT, "x.csv")
    with (
        pytest.raises(br.InputError, match="changed while it was read") as caught,
        streams.opened(path),
        open(path, "ab") as file,
    ):
        file.write(b"0,1\n")
    assert caught.value.code == "BR611"
    with pytest.raises(br.InputError, match="BR611"), streams.opened(path):
        os.unlink(path)


def test_row_126_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("pipe", "socket"):
            assert_refused(str(tmp_path / name), "not a regular file", "BR615")
    for path in ("/dev/zero", "/dev/null"):
        assert_refused(path, "not a regular file", "BR615")


def run(*arguments, **named):
    return subprocess.run(
        [sys.executable, "-m", "baserate", *arguments],
        capture_output=True,
        timeout=60,
        check=False,
        **named,
    )


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("content", [TEXT, PACKED["gz"], PACKED["zst"]], ids=["plain", "gz", "zst"])
def test_row_126_standard_input_is_read_plain_or_packed(name, content):
    done = run("show", name, "--label", "y", "--score", "m1", input=content)
    assert done.returncode == 0, done.stderr
    assert b"1,000 positives, 999 negatives" in done.stdout or b"1,999" in done.stdout
    told = run("show", name, "--label", "y", "--score", "m1", "--json", input=content).stdout
    assert hashlib.sha256(content).hexdigest().encode() in told


def test_row_126_standard_input_has_a_limit_and_must_hold_something():
    done = run("show", "-", "--label", "y", "--score", "m1", "--max-bytes", "1000", input=TEXT)
    assert done.returncode == 2
    assert b"error BR702: -: standard input is larger than 1.0 kB" in done.stderr
    assert b"BR602" in run("show", "-", "--label", "y", "--score", "m1", input=b"").stderr


@pytest.mark.parametrize("name", ["x.pkl", "x.csv", "x.joblib", "x.csv.gz", "x.dat"])
def test_row_121_pickles_are_refused_by_their_bytes_and_by_their_names(tmp_path, name):
    content = pickle.dumps({"y": [0, 1]})
    assert_refused(
        written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name),
        "can run code",
        "BR705",
    )
    if name.endswith((".pkl", ".joblib")):
        assert_refused(written(tmp_path, TEXT, name), "can run code", "BR705")


def test_row_121_torch_and_r_files_are_refused(tmp_path):
    assert_refused(
        written(tmp_path, zipped(**{"archive/data.pkl": b"x"}), "x.zip"), "pickle", "BR705"
    )
    assert_refused(written(tmp_path, gzip.compress(b"RDX3\nX\n"), "x.gz"), "serialised R", "BR705")
    assert_refused(written(tmp_path, TEXT, "x.rds"), "can run code", "BR705")


@pytest.mark.parametrize(
    ("content", "name", "match"),
    [
        (zipped(**{"[Content_Types].xml": b"x", "xl/workbook.xml": b"x"}), "x.xlsx", "not read"),
        (zipped(**{"[Content_Types].xml": b"x"}), "x.csv", "spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 99, "x.dat", "xls"),
        (b"\x89HDF\r\n\x1a\n", "x.dat", "HDF5"),
        (b"\x93NUMPY\x01\0", "x.dat", "NumPy array"),
        (b"<!DOCTYPE html>", "x.csv", "HTML"),
        (TEXT, "x.sas7bdat", "sas7bdat"),
    ],
)
def test_row_108_formats_that_are_not_read_are_named(tmp_path, content, name, match):
    assert_refused(written(tmp_path, content, name), match, "BR610")


def test_temporary_copies_are_gone_afterwards(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    counted(written(tmp_path, PACKED["gz"], "x.csv.gz"))
    with pytest.raises(br.InputError, match="BR703"):
        counted(written(tmp_path, PACKED["gz"][:-9], "x.csv.gz"))
    assert not list((tmp_path / "temporary").iterdir())
