"""What an attacker found, mended: nothing of the user's is lost, no class is turned round, and no
text steers a terminal.
"""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.helpers import refused, told, written

import baserate as br
from baserate.cli import gate, options
from baserate.counts import counts
from baserate.read.files import hours_of, zone_of

HEADER, ROWS = ("y", "m"), [(0, 0.1), (1, 0.9), (0, 0.4), (1, 0.3)]
ONE = ("--label", "y", "--score", "m")


def test_no_file_that_a_source_lies_in_is_written_over(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("data.db")) as database, database:
        database.execute("CREATE TABLE t (y INTEGER, m REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
    Path("folder").mkdir()
    written(tmp_path / "folder" / "p.csv", HEADER, ROWS)
    for source, output in (
        ("data.db::t", "data.db"),
        ("folder", "folder/p.csv"),
        ("folder/*.csv", "folder/p.csv"),
    ):
        before = Path(output).read_bytes()
        assert "BR804" in refused(capsys, "show", source, *ONE, "-o", output, "--force")
        assert "BR804" in refused(capsys, "count", source, *ONE, "-o", output, "--force")
        assert Path(output).read_bytes() == before


def test_a_gate_does_not_write_over_its_settings_or_their_source(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.csv", HEADER, ROWS)
    settings = """
        [data]
        source = "a.csv"
        label = "y"
        [models]
        m = "m"
        [scenario.s]
        threshold = 0.5
        [[require]]
        scenario = "s"
        rule = "recall >= 0.1"
    """
    Path("baserate.toml").write_text(settings)
    assert told(capsys, "gate").status in (0, 1), "the settings are good"
    for output in ("a.csv", "baserate.toml"):
        assert "BR804" in refused(capsys, "gate", "-o", output, "--force")
    Path("s.md").write_text("")
    assert "BR804" in refused(capsys, "gate", "-o", "s.md", "--markdown", "s.md", "--force")


def test_a_file_that_comes_while_we_compute_is_not_replaced(tmp_path, capsys, monkeypatch):
    path = written(tmp_path / "a.csv", HEADER, ROWS)
    real = options.count_scores

    def meanwhile(*arguments):
        (tmp_path / "late").write_text("theirs")
        return real(*arguments)

    monkeypatch.setattr(options, "count_scores", meanwhile)
    assert "BR801" in told(capsys, "show", path, *ONE, "-o", tmp_path / "late").err
    assert (tmp_path / "late").read_text() == "theirs"


@pytest.mark.parametrize("kind", ["link", "pipe", "large"])
def test_what_stands_where_the_lock_should_is_left_alone(tmp_path, capsys, kind):
    path, lock = written(tmp_path / "a.csv", HEADER, ROWS), tmp_path / ".out.writing"
    (tmp_path / "precious").write_text("precious")
    if kind == "link":
        os.link(tmp_path / "precious", lock)
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.write_text("a text of mine that is no lock")
    assert "is in the way" in refused(capsys, "show", path, *ONE, "-o", tmp_path / "out")
    assert (tmp_path / "precious").read_text() == "precious"


def test_an_answer_is_not_written_to_a_file_named_dash(tmp_path, capsys):
    assert "BR803" in refused(
        capsys, "show", written(tmp_path / "a.csv", HEADER, ROWS), *ONE, "-o", "-"
    )


def test_another_spelling_of_the_positive_label_is_no_negative(tmp_path, capsys):
    written(tmp_path / "mon.csv", HEADER, [("Yes", 0.9), ("No", 0.1)])
    tue = written(tmp_path / "tue.csv", HEADER, [("yes", 0.9), ("yes", 0.2)])
    assert "BR109" in refused(
        capsys,
        "count",
        tmp_path / "mon.csv",
        tue,
        *ONE,
        "--positive",
        "Yes",
        "-o",
        tmp_path / "x.counts",
    )
    counts = br.count_file(tue, label="y", score="m", positive="Yes", normalize_labels=True)
    assert (counts.total_positives, counts.total_negatives) == (2, 0)
    both = br.count_file(
        tmp_path / "mon.csv",
        label="y",
        score="m",
        positive="Yes",
        negative=["No"],
        normalize_labels=True,
    )
    assert both.digest == br.count([1, 0], [0.9, 0.1]).digest


def test_a_missing_score_ranks_lowest_also_where_low_is_risky(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, [(1, 0.1), (0, 0.9), (0, "")])
    counts = br.count_file(path, label="y", score="m", nan_score="lowest", lower_is_positive=True)
    assert counts.digest == br.count([1, 0, 0], [-0.1, -0.9, -np.inf]).digest


def test_counts_of_opposite_classes_or_directions_are_not_added(tmp_path, capsys):
    path = written(tmp_path / "x.csv", HEADER, [("Yes", 0.9), ("No", 0.1)])
    for name, said in (
        ("yes", ("--positive", "Yes")),
        ("no", ("--positive", "No")),
        ("low", ("--positive", "Yes", "--lower-is-positive")),
    ):
        assert (
            told(capsys, "count", path, *ONE, *said, "-o", tmp_path / f"{name}.counts").status == 0
        )
    for other, words in (
        ("no", 'counts "No" as positive'),
        ("low", "low scores are risky in some"),
    ):
        assert words in refused(
            capsys,
            "count",
            tmp_path / "yes.counts",
            tmp_path / f"{other}.counts",
            "-o",
            tmp_path / "sum.counts",
        )


def test_text_that_says_nan_is_no_label_to_cut(tmp_path):
    pq.write_table(
        pa.table({"y": ["nan", "1", "0", "NaN"], "m": [0.1, 0.9, 0.2, 0.8]}), tmp_path / "x.parquet"
    )
    counts = br.count_file(
        tmp_path / "x.parquet", label="y", score="m", label_threshold=0.5, missing_label="drop"
    )
    assert counts.digest == br.count([1, 0], [0.9, 0.2]).digest


@pytest.mark.parametrize("text", ["1712123112345", "2026-W01", "1712123112"])
def test_seconds_and_weeks_are_no_days(text):
    with pytest.raises(br.InputError, match="BR430|day"):
        br.count_days([0, 1], [0.1, 0.2], days=[text, "2026-01-31"])


def test_the_first_day_of_all_has_a_length():
    assert hours_of("0001-01-01", zone_of("Europe/Berlin")) == 24.0


@pytest.mark.parametrize("said", [("--cast-labels",), ("--positive", "1", "--negative", "0,2")])
def test_an_endless_label_is_refused_and_no_bug(tmp_path, capsys, said):
    path = tmp_path / "x.jsonl"
    path.write_text('{"y": 1, "m": 0.1}\n{"y": 1e999, "m": 0.2}\n{"y": "0", "m": 0.3}\n')
    assert told(capsys, "show", path, *ONE, *said).status == 2


def test_a_threshold_of_labels_beyond_floats_is_refused(tmp_path):
    path = written(tmp_path / "x.csv", HEADER, ROWS)
    with pytest.raises(br.InputError, match="a label threshold is a number"):
        br.count_file(path, label="y", score="m", label_threshold=10**400)


@pytest.mark.parametrize(
    ("field", "value"),
    [("rows_read", 9), ("rows_read", -7), ("rows_used", "abc"), ("weight", ["w"])],
)
def test_a_ledger_that_does_not_add_up_is_refused(tmp_path, field, value):
    br.count_file(written(tmp_path / "a.csv", HEADER, ROWS), label="y", score="m").save(
        tmp_path / "a.counts"
    )
    saved = counts.read(tmp_path / "a.counts")
    saved.facts["ledger"]["sources"][0][field] = value
    counts.write(tmp_path / "b.counts", saved)
    with pytest.raises(br.InputError, match="BR711"):
        br.load(tmp_path / "b.counts")


def test_a_summary_of_a_run_that_was_killed_does_not_say_passed(tmp_path, capsys, monkeypatch):
    path, summary = written(tmp_path / "a.csv", HEADER, ROWS), tmp_path / "s.md"
    words = (
        "gate",
        path,
        "recall >= 0.1",
        *ONE,
        "--threshold",
        "0.05",
        "--markdown",
        summary,
        "--accept-observed",
    )
    assert told(capsys, *words).status == 0
    assert "Passed" in summary.read_text()

    def killed(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(gate, "judge", killed)
    assert told(capsys, *words).status == 130
    assert "Passed" not in summary.read_text()
    assert "did not come to an end" in summary.read_text()


@pytest.mark.parametrize("text", ["[" + " " * 60_000 + "x", "a" + ".a" * 30_000 + " = 1"])
def test_a_long_line_is_no_setting(tmp_path, capsys, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    Path("baserate.toml").write_text(f"x = 1\n{text}\n")
    assert "has a line of more than 2 000 characters" in refused(capsys, "gate")


def test_no_key_of_a_settings_file_steers_a_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = "m\n\x1b]0;pwned\x07odel"
    Path("baserate.toml").write_text(
        f"[data]\nsource = 'a.csv'\nlabel = 'y'\n[models]\n{json.dumps(hostile)} ="
        " 'm'\n[digests]\n\"mm\" = 'x'\n"
    )
    done = told(capsys, "gate")
    assert done.status == 2
    assert "\x1b" not in done.err
    assert "\x07" not in done.err
