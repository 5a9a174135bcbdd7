"""What fresh eyes found in counting under a ceiling: each of these gave a wrong number, a false
reason, or more memory than allowed.
"""

import gzip
import subprocess
import sys
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest
from tests.cli.helpers import told
from tests.peaks import taken_by
from tests.read.test_ceilings import cut
from tests.read.test_large_files import made, stopped, tight, written

import baserate as br
from baserate.read import condense, large, table
from baserate.read.files import count_scores
from baserate.read.source import Options
from baserate.read.table import CELL, LEAST, Wanted

__all__ = ["tight"]  # a fixture
HOW = {"label": "y", "score": "s"}


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
    assert br.count_file(str(place / "p.csv"), **HOW).digest == expected.digest
    assert br.count_file(str(place / "p.csv"), **HOW, memory="1GB").digest == expected.digest


@pytest.mark.parametrize("number", ["+-1", "+-.5", "+-inf"])
def test_two_signs_are_no_number(tmp_path, number):
    path = str(tmp_path / "x.csv.gz")
    with gzip.open(path, "wt") as file:
        file.write(f"y,s\n0,0.5\n1,{number}\n1,3\n")
    for more in ({}, {"memory": LEAST}):
        with pytest.raises(br.InputError, match="BR208: .*1 value that is not a number"):
            br.count_file(path, **HOW, **more)
    (tmp_path / "x.csv").write_text(plain_text() + f"1,{number}\n")
    with pytest.raises(br.InputError, match="BR208: .*1 value that is not a number"):
        br.count_file(str(tmp_path / "x.csv"), **HOW)


def test_different_decimals_of_two_files_are_not_one_score(tmp_path):
    for name, rows in (("a", "0,0.1\n1,0.5\n"), ("b", "1,0.10000000000000001\n0,0.25\n")):
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt") as file:
            file.write("y,s\n" + rows)
    for more in ({}, {"memory": LEAST}):
        with pytest.raises(br.InputError, match="BR215: .*1 distinct value would merge in float64"):
            br.count_file(str(tmp_path), **HOW, **more)


def test_a_checkpoint_knows_which_column_is_which(tmp_path, tight, monkeypatch):
    monkeypatch.setattr(large, "FAST_FROM", 0)
    rng = np.random.default_rng(0)
    path, resume = tmp_path / "x.csv", str(tmp_path / "x.part")
    path.write_text(
        "".join(
            f"{int(i % 50 == 0)},{a!r},{b!r}\n"
            for i, (a, b) in enumerate(rng.random((5_000, 2)).tolist())
        )
    )
    named = {"header": False, "memory": LEAST, "resume": resume}
    stopped(str(path), resume, 2, header=False, columns=("y", "s", "b"))
    with pytest.raises(
        br.InputError, match="BR945: .*the checkpoint of other data, of other options"
    ):
        br.count_file(str(path), **HOW, columns=["y", "b", "s"], **named)


@pytest.mark.parametrize("ending", ["parquet", "csv.gz"])
def test_a_file_that_is_given_twice_is_noted(tmp_path, capsys, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        written(path, *made())
    else:
        with gzip.open(path, "wt") as file:
            file.write(plain_text(100))
    done = told(
        capsys,
        "count",
        path,
        path,
        "--label",
        "y",
        "--score",
        "s",
        "--memory",
        LEAST,
        "-o",
        tmp_path / "m.counts",
    )
    assert (done.status, "BR411" in done.err) == (0, True), done.err


@pytest.mark.parametrize("odd", ["1,\n", "1,0.10000000000000000001\n"])
def test_a_doubtful_text_under_the_lowest_ceiling_is_judged_and_not_called_hostile(tmp_path, odd):
    path = str(tmp_path / "x.csv")
    with open(path, "w") as file:
        file.write("y,s\n" + "".join(f"{i % 2},{i / 55000!r}\n" for i in range(55_000)) + odd)
    with pytest.raises(br.InputError) as whole:
        br.count_file(path, **HOW)
    with pytest.raises(br.InputError) as under:
        br.count_file(path, **HOW, memory=LEAST)
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
    assert (done.returncode, "160 000 rows read" in done.stdout) == (0, True), done.stderr


def test_an_empty_folder_is_refused_in_the_same_words(tmp_path):
    for more in ({}, {"memory": LEAST}):
        with pytest.raises(br.InputError, match="BR615: .*a folder without data files"):
            br.count_file(str(tmp_path), **HOW, **more)


def test_what_is_refused_names_the_option_to_leave_out(tmp_path, capsys):
    path = written(tmp_path / "x.parquet", *made())
    done = told(
        capsys,
        "count",
        path,
        "--label",
        "y",
        "--score",
        "s",
        "--nan-score",
        "drop",
        "--memory",
        LEAST,
        "-o",
        tmp_path / "m.counts",
    )
    assert "BR943" in done.err
    assert "leave out --nan-score, or --memory" in done.err


def test_scores_in_descending_order_over_many_magnitudes_are_certified(monkeypatch):
    rng = np.random.default_rng(3)
    labels = rng.random(200_000) < 0.02
    scores = np.exp(-rng.exponential(100, 200_000) + 5 * labels)
    order = np.argsort(-scores)
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 50_000)
    monkeypatch.setattr("baserate.read.large.BIN", 4)
    counts = br.count_chunks(
        lambda: iter(cut(labels[order], scores[order], 10_000)), memory=LEAST, approx=True
    )
    assert counts.auc_error_bound <= condense.BOUND
    assert counts == br.count(labels, scores).coarsen(counts.bins.edges)


def test_bins_do_not_depend_on_how_rows_are_cut(monkeypatch):
    rng = np.random.default_rng(4)
    labels = rng.random(60_000) < 0.05
    scores = rng.normal(size=60_000) + labels
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 20_000)
    monkeypatch.setattr("baserate.read.condense.BATCH", 16)
    monkeypatch.setattr("baserate.read.large.BIN", 1)
    found = {
        br.count_chunks(cut(labels, scores, size), memory=LEAST, approx=True).digest
        for size in (997, 5_000, 20_001, 60_000)
    }
    assert len(found) == 1


@pytest.mark.parametrize("threshold", [1e16, -(2.0**60), 7])
def test_a_threshold_beyond_what_a_float_holds_is_no_fault_of_the_scores(monkeypatch, threshold):
    scores = np.arange(3_000)
    labels = scores % 7 == 0
    monkeypatch.setattr(table, "TAKEN", LEAST - CELL * 500)
    monkeypatch.setattr("baserate.read.condense.BATCH", 16)
    monkeypatch.setattr("baserate.read.large.BIN", 1)
    counts = br.count_chunks(
        cut(labels, scores, 100), memory=LEAST, approx=True, thresholds=[threshold]
    )
    ours, theirs = (br.flag_at(each, threshold) for each in (counts, br.count(labels, scores)))
    assert (ours.tp, ours.fp) == (theirs.tp, theirs.fp)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="resident sets are read from /proc"
)
@pytest.mark.parametrize("opened", ["polars.scan_parquet", "duckdb.read_parquet"])
def test_negatives_of_a_frame_on_this_machine_are_not_all_held(tmp_path, opened):
    """Eight times the rows take at most some batches more."""
    peaks = []
    for rows in (1_000_000, 8_000_000):
        path = str(tmp_path / f"{rows}.parquet")
        duckdb.sql(
            f"COPY (SELECT i % 1000 = 0 AS y, hash(i)::DOUBLE AS s FROM range({rows}) t(i)) TO"
            f" '{path}' (ROW_GROUP_SIZE 100000)"
        )
        program = f"import baserate as br, {opened.split('.')[0]}\nf = {opened}({path!r})\n"
        taken = taken_by(
            [
                sys.executable,
                "-c",
                program + "print(br.count_frame(f, label='y', score='s', keep='positives'))",
            ]
        )
        assert f"{rows // 1000}".replace("000", " 000") in taken.said
        peaks.append(taken.peak)
    assert peaks[1] < peaks[0] + 100e6


def test_frames_streamed_in_batches_give_the_counts_of_memory(monkeypatch):
    monkeypatch.setattr("baserate.read.frames.PIECE", 100)
    labels, scores = made(3_000, prior=0.1)
    frame = pl.LazyFrame({"y": labels, "s": scores})
    expected = br.count(labels, scores).condense()
    assert br.count_frame(frame, **HOW, keep="positives") == expected
    table = frame.collect().to_arrow()
    assert br.count_frame(duckdb.from_arrow(table), **HOW, keep="positives") == expected
    assert br.count_frame(table, **HOW, keep="positives") == expected


def test_a_ceiling_that_is_too_low_for_the_whole_says_so(tmp_path, monkeypatch):
    """Half of the ceiling is for the reader: that is what is named, and a higher ceiling is the way
    out.
    """
    path = str(tmp_path / "x.csv")
    with open(path, "w") as file:
        # A line that is too long leaves open what is where: such a text is read as a whole.
        file.write("y,s\n" + "".join(f"{i % 2},{i / 7!r}\n" for i in range(1_200_000)) + "1,2,3\n")
    options = Options.of({"memory": LEAST})
    with pytest.raises(
        br.InputError,
        match=(
            r"BR701: .*than the ceiling leaves for reading it as a whole \(160\.0 MB\).*Fix: more"
            r" memory"
        ),
    ):
        count_scores(path, Wanted("y", ("s",)), options._replace(ceiling=replace(options.ceiling)))
