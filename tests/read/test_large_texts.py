"""CSV under a ceiling on memory: the counts, notes, ledger and refusals of a file that is read as a
whole, nothing left behind.
"""

import bz2
import gzip
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import zstandard
from tests.cli.helpers import answered, told
from tests.peaks import taken_by
from tests.read.test_large_files import made

import baserate as br
from baserate.read import large, table
from baserate.read.table import CELL, LEAST

ROOT = Path(__file__).parents[2]
HOW = {"label": "y", "score": "s"}


@pytest.fixture(autouse=True)
def place(tmp_path_factory, monkeypatch):
    """Where temporary files lie, of which none is left."""
    folder = tmp_path_factory.mktemp("place")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert not list(folder.iterdir())


@pytest.fixture
def tight(monkeypatch):
    """Room for 500 distinct scores, and no other process."""
    monkeypatch.setattr("baserate.read.files.is_possible", lambda: False)
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 500)
    monkeypatch.setattr(large, "BATCH", 16)


def lines(labels, scores, *, end="\n", sign=","):
    rows = (
        f"{label}{sign}{score}"
        for label, score in zip(
            np.asarray(labels).tolist(), np.asarray(scores).tolist(), strict=True
        )
    )
    return end.join([f"y{sign}s", *rows, ""]).encode()


def written(path, content):
    path.write_bytes(content)
    return str(path)


def alike(ours, theirs):
    """All that counts hold and carry; what says how they were read and kept apart aside."""
    assert ours == theirs
    assert ours.digest == theirs.digest
    assert ours.ledger == theirs.ledger
    assert [note for note in ours.notes if note.code != "BR947"] == list(theirs.notes)


def zipped(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("scores.csv", content)
    return str(path)


@pytest.mark.parametrize(
    "content",
    [
        lines([0, 1, 0], [0.5, 0.25, 0.125]),
        lines([0, 1, 0], [0.5, 0.25, 0.125], end="\r\n"),
        lines([0, 1, 0], [0.5, 0.25, 0.125], sign=";"),
        lines([0, 1, 0], [0.5, 0.25, 0.125], sign="\t")[:-1],
        b"\xef\xbb\xbf" + lines([0, 1], [1, 2]) + b"\n\n",
        lines([0, 1], [1, 2]).decode().encode("utf-16"),
        b'"y","s","note"\n"0","1.5","a ""b"", c"\n"1","2.5",""\n',
        b"sep=;\ny;s\n0;1\n1;2\n",
        lines(["no", "yes", "no"], [3, 2, 1]),
        lines([0, 1, 1], [9007199254740993, 9007199254740992, -9223372036854775808]),
        lines(
            [0, 1, 1],
            ["1.000000000000000056e-01", "5.000000000000000000e-01", "0.000000000000000000e+00"],
        ),
        lines([0, 1, 1], ["inf", "-Infinity", 5]),
        lines([0, 1, 0, 0], ["-0", "0", "+0", "007"]),
        lines([0, 0], [1, 2]),
    ],
    ids=range(14),
)
def test_a_text_in_pieces_is_what_it_is_as_a_whole(tmp_path, content):
    path = written(tmp_path / "x.csv", content)
    alike(br.count(path, **HOW, memory=LEAST), br.count(path, **HOW))


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (b"y,s\n0,0.5\n\n1,0.25\n", {}),
        (b"y,s\n0,0.5\n1\n", {}),
        (b"y,s\n0,0.5\n1\n1,0.75\n", {"skip_bad": 1}),
        (b"y,s\n0,1_0\n1,2\n", {}),
        (b"y,s\n0,1e400\n1,inf\n", {}),
        (b"y,s\n0,0.5\n1,9007199254740993\n", {}),
        (b'y,s,t\n0,0.5,"a\nb"\n1,0.2,c\n', {}),
        (b"y;s\n0;0,5\n1;0,25\n", {}),
        (b"y,s\n0,5%\n1,7%\n", {"percent": True}),
        (b"y,s,w\n0,5,2\n1,7,1\n", {"weight": "w"}),
        (b"y,s\n0,5\n1,NA\n1,2\n", {"nan_score": "drop"}),
        (b"y,s\n", {}),
        (b"y, s\n0, 1\n1, 2\n", {}),
    ],
    ids=range(13),
)
def test_odd_texts_are_counted_or_refused_alike(tmp_path, content, how):
    path = written(tmp_path / "x.csv", content)
    try:
        expected = br.count(path, **HOW, **how)
    except br.InputError as error:
        with pytest.raises(br.InputError, match=error.code) as caught:
            br.count(path, **HOW, **how, memory=LEAST)
        assert caught.value.problems == error.problems
    else:
        alike(br.count(path, **HOW, **how, memory=LEAST), expected)


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (b"y,s\n0,NA\n1,2\n", {}),
        (b"y,s\n0,oops\n1,2\n0,\n", {}),
        (b"y,s\na,5x\nb,6\nc,NAN\na,0.5y\n", {}),
        (b"y,s\n0,5\n,6\n1,7\nNA,8\n nan ,1\nnull,2\n", {}),
        (b"y,s\n,5\nNA,6\n", {}),
        (b"y,s\na,5\nb,6\na,7\n", {}),
        (b"y,s\n1,5\n0,6\n1,7\n", {"positive": "2"}),
        (b"y,s\nyes,5\nno,6\nyes,7\n", {"positive": "maybe"}),
        (b"y,s\nb,5\na,6\nc,7\nb,8\n", {"positive": "a"}),
        (b"y,s\n0.25,1\n0.5,0\n0.125,1\n", {}),
        (b"y,s\n0.25,0.5\n0.5,7\n0.125,1\n", {}),
        (b"y,s\nYes,5\nyes,6\nno,7\n", {}),
        (b"y,t\n0,1\n1,2\n", {}),
        (b"y,s\n0,\xff\n", {}),
        (b"y,s\n0,1\n1,2\nTotal,3\n", {}),
        (b"", {}),
    ],
    ids=range(16),
)
def test_a_text_in_pieces_is_refused_in_the_words_of_a_whole_one(tmp_path, content, how):
    path = written(tmp_path / "x.csv", content)
    with pytest.raises(br.InputError, match="Fix: ") as whole:
        br.count(path, **HOW, **how)
    with pytest.raises(br.InputError, match="Fix: ") as pieces:
        br.count(path, **HOW, **how, memory=LEAST)
    assert whole.value.code in (pieces.value.code, "BR201")


@pytest.mark.parametrize(
    ("parts", "how"),
    [
        ([lines([0, 1], [1, 2]), lines([1, 0], [3, 4])], {}),
        ([lines([0, 1], [1, 2]), lines([1, 0], [0.5, 4])], {}),
        ([lines([0, 1], [1, 9007199254740993]), lines([1, 0], [0.5, 4])], {}),
        ([lines([0, 1], [1, 2]), lines(["no", "yes"], [3, 4])], {"positive": "1"}),
        ([lines([0, 0], [1, 2]), lines(["1", ""], [3, 4]), lines(["", "1"], [3, 4])], {}),
        (
            [
                lines([0, 1], [1, 2], sign=";"),
                lines([1, 0], [3, 4]),
                lines([1, 0], [3, 4], sign=";"),
            ],
            {},
        ),
        ([lines([0, 1], [1, 2]), b"y,t\n0,1\n"], {}),
        ([lines([0, 1], [1, 2]), b"y,s\n0,1\n0\n", b"y,t\n0,1\n"], {}),
    ],
    ids=range(8),
)
def test_several_texts_are_one_table(tmp_path, parts, how):
    for number, content in enumerate(parts):
        written(tmp_path / f"{number}.csv", content)
    for source in (str(tmp_path / "*.csv"), str(tmp_path)):
        try:
            expected = br.count(source, **HOW, **how)
        except br.InputError as error:
            with pytest.raises(br.InputError, match=error.code):
                br.count(source, **HOW, **how, memory=LEAST)
        else:
            alike(br.count(source, **HOW, **how, memory=LEAST), expected)


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, zstandard.compress, bz2.compress, zipped],
    ids=["gz", "zst", "bz2", "zip"],
)
def test_packed_text_is_counted_in_pieces(tmp_path, tight, pack):
    labels, scores = made()
    content = lines(labels.astype(int), scores)
    name = (
        tmp_path / f"x.csv{'.zip' if pack is zipped else ''}"
    )  # the others have no ending that says so, and a note
    path = zipped(name, content) if pack is zipped else written(name, pack(content))
    whole = br.count(path, **HOW)
    ours = br.count(path, **HOW, memory=LEAST)
    alike(ours, whole.condense())


def test_what_does_not_fit_is_condensed_as_parquet_is(tmp_path, tight, monkeypatch):
    labels, scores = made()
    path = written(tmp_path / "x.csv", lines(np.where(labels, "fraud", "fine"), scores))
    how = {**HOW, "positive": "fraud", "memory": LEAST}
    assert br.count(path, **how, thresholds=[0.5]) == br.count(labels, scores).condense([0.5])
    assert br.count(path, **how, lower_is_positive=True) == br.count(labels, -scores).condense()


def assert_left_soon(place):
    """Readers whose parents were killed tidy up by themselves, and need a moment for it."""
    end = time.monotonic() + 20
    while list(place.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not list(place.iterdir())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing can be killed here")
def test_what_is_left_by_whoever_is_killed_goes_with_the_next_start(tmp_path, place):
    path = written(tmp_path / "x.csv", lines(*made_text(600_000)))
    program = f"import baserate as br; br.count({path!r}, label='y', score='s', memory='320MB')"
    process = subprocess.Popen([sys.executable, "-c", program])
    while not list(place.glob("baserate-*")) and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert list(place.iterdir())
    subprocess.run([sys.executable, "-c", program], check=True)
    assert not list(place.iterdir())


def made_text(rows):
    labels, scores = made(rows, prior=0.001)
    return labels.astype(int), scores


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="resident sets are read from /proc"
)
@pytest.mark.parametrize("style", ["r", ".18e"])
def test_a_ceiling_holds_for_both_processes_together(tmp_path, style):
    labels, scores = made_text(3_000_000)
    texts = scores.tolist() if style == "r" else [f"{score:{style}}" for score in scores.tolist()]
    path = tmp_path / "x.csv"
    path.write_text(
        "y,s\n"
        + "".join(f"{label},{text}\n" for label, text in zip(labels.tolist(), texts, strict=True))
    )
    program = (
        f"import baserate as br; print(br.count({str(path)!r}, label='y', score='s',"
        " memory='320MB'))"
    )
    taken = taken_by([sys.executable, "-c", program])
    assert "condensed" in taken.said
    assert 50e6 < taken.peak <= 320e6


def test_the_commands_take_text(tmp_path, tight, capsys):
    labels, scores = made()
    parts = [
        written(tmp_path / f"{part}.csv", lines(labels[part::2].astype(int), scores[part::2]))
        for part in range(2)
    ]
    saved = tmp_path / "x.counts"
    asked = ("--label", "y", "--score", "s", "--memory", LEAST)
    for number, files in enumerate((parts, [tmp_path / "*.csv"])):
        done = told(capsys, "count", *files, *asked, "-o", f"{saved}{number}")
        assert done.status == 0, done.err
        assert br.load(f"{saved}{number}") == br.count(labels, scores).condense()
    found = answered(capsys, "show", parts[0], *asked, "--threshold", "0.9")["models"][0]
    assert found["counts"]["condensed"] is True
    both = told(
        capsys,
        "count",
        parts[0],
        "--label",
        "y",
        "--score",
        "s",
        "--score",
        "s2",
        "--memory",
        LEAST,
        "-o",
        tmp_path / "y.counts",
    )
    assert "BR943" in both.err  # a condensed count is of one score


def plain_text(rows=160_000):
    return "y,s\n" + "".join(f"{i % 2},0.{i % 97:03}\n" for i in range(rows))


@pytest.mark.parametrize("folder", ["c0=yes", "c1=0.9", "y=1", "s=0.5"])
def test_the_name_of_a_folder_is_no_column_of_a_text(tmp_path, folder, monkeypatch):
    place = tmp_path / folder
    place.mkdir()
    (place / "p.csv").write_text(plain_text())
    i = np.arange(160_000)
    expected = br.count(
        i % 2, np.array([f"0.{each:03}" for each in range(97)], dtype=float)[i % 97]
    )
    monkeypatch.setattr("tempfile.tempdir", str(place))  # where the columns are copied to
    assert br.count(str(place / "p.csv"), **HOW).digest == expected.digest
    assert br.count(str(place / "p.csv"), **HOW, memory="1GB").digest == expected.digest


def test_a_doubtful_text_under_the_lowest_ceiling_is_judged_and_not_called_hostile(tmp_path):
    path = str(tmp_path / "x.csv")
    with open(path, "w") as file:
        file.write("y,s\n" + "".join(f"{i % 2},{i / 55000!r}\n" for i in range(55_000)) + "1,\n")
    with pytest.raises(br.InputError) as whole:
        br.count(path, **HOW)
    with pytest.raises(br.InputError) as under:
        br.count(path, **HOW, memory=LEAST)
    assert (under.value.code, str(under.value)) == (whole.value.code, str(whole.value))


def test_a_large_text_on_standard_input_is_counted_under_the_lowest_ceiling(tmp_path):
    (tmp_path / "x.csv").write_text(plain_text())
    command = [
        sys.executable,
        "-m",
        "baserate",
        "show",
        "-",
        "--label",
        "y",
        "--score",
        "s",
        "--memory",
        "320MB",
    ]
    with (tmp_path / "x.csv").open() as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (done.returncode, "160,000 rows read" in done.stdout) == (0, True), done.stderr
