"""Answers that go to a file: refused before anything is computed where they cannot, and written
whole or not at all.
"""

import fcntl
import gzip
import json
import os
import re
import resource
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.helpers import refused, told, written

import baserate as br
from baserate import atomic
from baserate.cli import runner
from baserate.extend import reserve_output
from baserate.read import streams

HEADER, ROWS = ("y", "m"), [(0, 0.1), (1, 0.9), (0, 0.4), (1, 0.3)]


@pytest.fixture
def scores(tmp_path):
    return written(tmp_path / "scores.csv", HEADER, ROWS)


def shown(path, output, *more):
    return ("show", path, "--label", "y", "--score", "m", "-o", str(output), *more)


def left(folder):
    return sorted(entry.name for entry in Path(folder).iterdir())


def test_the_answer_is_what_would_have_been_printed(scores, tmp_path, capsys):
    printed = told(capsys, *shown(scores, "x")[:-2])
    done = told(capsys, *shown(scores, tmp_path / "answer.txt"))
    assert (done.status, done.out, done.err) == (0, "", printed.err)
    assert (tmp_path / "answer.txt").read_text() == printed.out
    assert left(tmp_path) == ["answer.txt", "scores.csv"], "no drafts, no locks"


def test_a_name_that_ends_in_json_gets_json(scores, tmp_path, capsys):
    assert told(capsys, *shown(scores, tmp_path / "answer.json")).status == 0
    assert json.loads((tmp_path / "answer.json").read_text())["schema"] == "baserate/1"


def test_what_is_there_is_replaced_only_by_force(scores, tmp_path, capsys):
    (tmp_path / "old").write_text("precious")
    assert "error BR801: " in refused(capsys, *shown(scores, tmp_path / "old"))
    assert (tmp_path / "old").read_text() == "precious"
    assert told(capsys, *shown(scores, tmp_path / "old", "--force")).status == 0
    assert (tmp_path / "old").read_text().startswith(scores)


def test_force_without_an_output_is_refused(scores, capsys):
    assert "BR002: --force has no effect" in refused(
        capsys, "show", scores, "--label", "y", "--score", "m", "--force"
    )


@pytest.mark.parametrize("where", ["missing/answer", "scores.csv/answer", ".", "n" * 300])
def test_a_place_that_cannot_be_written_is_refused_before_reading(tmp_path, capsys, where):
    written(tmp_path / "scores.csv", HEADER, ROWS)
    no_such_input = tmp_path / "never-read.csv"
    assert "error BR803: " in refused(capsys, *shown(no_such_input, f"{tmp_path}/{where}"))


def test_a_folder_that_is_read_only_is_refused_before_reading(tmp_path, capsys, monkeypatch):
    """Nothing is read-only to root, who may run this: so opening fails here as it would for
    others.
    """
    real = os.open

    def opened(path, *rest, **named):
        if str(path).endswith(".writing"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **named)

    monkeypatch.setattr(os, "open", opened)
    assert "cannot be written to (Permission denied)" in refused(
        capsys, *shown("never-read.csv", tmp_path / "answer")
    )


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_nothing_is_written_through_a_link(scores, tmp_path, capsys, force):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "link").symlink_to("victim")
    assert "error BR803: " in refused(capsys, *shown(scores, tmp_path / "link", *force))
    (tmp_path / "dangling").symlink_to("nowhere")
    assert "error BR803: " in refused(capsys, *shown(scores, tmp_path / "dangling", *force))
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


def test_an_input_is_never_the_output(scores, tmp_path, capsys):
    os.link(scores, tmp_path / "same")
    for name in ("scores.csv", "same", "../" + tmp_path.name + "/scores.csv"):
        assert "error BR804: " in refused(capsys, *shown(scores, f"{tmp_path}/{name}", "--force"))
    assert Path(scores).read_text().startswith("y,m")


def test_two_runs_do_not_write_one_output(scores, tmp_path, capsys):
    with reserve_output(str(tmp_path / "answer")):
        assert f"process {os.getpid()} is writing it" in refused(
            capsys, *shown(scores, tmp_path / "answer")
        )
    assert told(capsys, *shown(scores, tmp_path / "answer")).status == 0


def test_the_lock_of_a_killed_run_is_taken_over(scores, tmp_path, capsys):
    (tmp_path / ".answer.writing").write_text("1")
    assert told(capsys, *shown(scores, tmp_path / "answer")).status == 0
    assert left(tmp_path) == ["answer", "scores.csv"]


class Stop(BaseException):
    """As the exception of a signal is."""


def stopped_at(n, path):
    """Whether a stop came at the n-th call between here and the end of the context."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"
        if calls == n:
            sys.setprofile(None)
            raise Stop

    try:
        sys.setprofile(count)
        with reserve_output(path):
            pass
    except Stop:
        return True
    finally:
        sys.setprofile(None)
    return False


def test_a_stop_at_any_call_leaves_no_lock(tmp_path):
    n = 0
    while stopped_at(n := n + 1, str(tmp_path / "answer")):
        assert left(tmp_path) == []
    assert n > 10


def test_nothing_is_written_where_there_is_no_answer(tmp_path, capsys):
    path = written(tmp_path / "bad.csv", HEADER, [(0, 0.1), ("", 0.2)])
    assert "BR105" in refused(capsys, *shown(path, tmp_path / "answer"))
    assert left(tmp_path) == ["bad.csv"]


def test_a_verdict_against_is_an_answer_too(scores, tmp_path, capsys):
    arguments = (
        "gate",
        scores,
        "recall >= 0.9",
        "--label",
        "y",
        "--score",
        "m",
        "--threshold",
        "0.5",
        "-o",
        tmp_path / "gate.txt",
    )
    assert told(capsys, *arguments).status == 1
    assert (tmp_path / "gate.txt").read_text().startswith("Failed.")


def test_a_private_answer_is_for_its_owner(scores, tmp_path, capsys):
    before = os.umask(0)
    try:
        assert told(capsys, *shown(scores, tmp_path / "answer", "--private")).status == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "answer").stat().st_mode) == 0o600


def test_no_room_keeps_what_was_there_and_says_how_much_is_free(tmp_path):
    """A real limit on the size of files, in a process of its own."""
    path = written(tmp_path / "scores.csv", HEADER, [(i % 2, i) for i in range(5000)])
    (tmp_path / "week.counts").write_text("precious")
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
    command = [
        sys.executable,
        "-m",
        "baserate",
        "count",
        path,
        "--label",
        "y",
        "--score",
        "m",
        "-o",
        "week.counts",
        "--force",
    ]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=small,
        check=False,
    )
    assert (done.returncode, done.stdout) == (74, "")
    assert re.search(
        r"File too large: [0-9.]+ kB needed, and a file may have at most 4\.1 kB \(ulimit -f\); ",
        done.stderr,
    )
    assert "what was there before is kept" in done.stderr
    assert (tmp_path / "week.counts").read_text() == "precious"
    assert left(tmp_path) == ["scores.csv", "week.counts"]


def test_a_file_system_that_cannot_flush_is_written_to_all_the_same(tmp_path, monkeypatch):
    def cannot(descriptor):
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", cannot)
    atomic.write_atomically(tmp_path / "answer", [b"text"])
    assert (tmp_path / "answer").read_text() == "text"


def test_a_disk_that_fails_to_flush_is_an_error(tmp_path, monkeypatch):
    def broken(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output error"):
        atomic.write_atomically(tmp_path / "answer", [b"text"])
    assert left(tmp_path) == []


def test_a_file_system_without_locks_is_written_to_all_the_same(tmp_path, monkeypatch):
    def no_locks(descriptor, how):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with reserve_output(str(tmp_path / "answer")):
        pass
    monkeypatch.setattr(atomic, "fcntl", None)
    with reserve_output(str(tmp_path / "answer")):
        pass


def test_a_name_that_is_not_utf_8_is_written(scores, tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    command = [
        sys.executable,
        "-m",
        "baserate",
        "show",
        scores,
        "--label",
        "y",
        "--score",
        "m",
        "-o",
        name,
    ]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    assert Path(os.fsdecode(name)).exists()


def test_counts_of_days_are_saved_and_added(tmp_path, capsys):
    monday = written(tmp_path / "monday.csv", HEADER, ROWS[:2])
    tuesday = written(tmp_path / "tuesday.csv", HEADER, ROWS[2:])
    one = ("--label", "y", "--score", "m")
    assert told(capsys, "count", monday, *one, "-o", tmp_path / "monday.counts").status == 0
    done = told(
        capsys, "count", tmp_path / "monday.counts", tuesday, *one, "-o", tmp_path / "week.counts"
    )
    assert done.out.startswith(f"{tmp_path / 'week.counts'}: 2 files counted and saved.")
    counts = br.load(tmp_path / "week.counts")
    assert counts.digest == br.count([y for y, _ in ROWS], [m for _, m in ROWS]).digest
    assert [source.rows_read for source in counts.ledger.sources] == [2, 2]


def test_every_command_reads_saved_counts(tmp_path, capsys):
    path = written(
        tmp_path / "x.csv",
        ("y", "a", "b"),
        [(i % 3 == 0, i * 7 % 40, i * 11 % 40) for i in range(40)],
    )
    two = ("--label", "y", "--score", "a", "--score", "b")
    saved = tmp_path / "x.counts"
    assert told(capsys, "count", path, *two, "-o", saved).status == 0
    for command in (("show",), ("choose",), ("compare",), ("curve", "roc")):
        name, *rest = command
        assert told(capsys, name, *rest, saved).out == told(capsys, name, *rest, path, *two).out
    assert "BR002: --label has no effect on saved counts" in refused(
        capsys, "show", saved, "--label", "y"
    )
    assert "BR002: --delimiter has no effect on saved counts" in refused(
        capsys, "show", saved, "--delimiter", ";"
    )
    assert 'there is no model "c"' in refused(capsys, "show", saved, "--score", "c")
    assert told(capsys, "show", saved, "--score", "b").out.count("\nb ") == 1


def test_counts_of_one_score_are_called_by_their_file_and_are_no_pair(scores, tmp_path, capsys):
    saved = tmp_path / "monday.counts"
    assert told(capsys, "count", scores, "--label", "y", "--score", "m", "-o", saved).status == 0
    assert "\nmonday " in told(capsys, "show", saved).out
    assert "a comparison needs two on the same cases" in refused(capsys, "compare", saved)
    assert "which has no name there" in refused(capsys, "show", saved, "--score", "m")


def test_groups_are_counted_apart_and_added(tmp_path, capsys):
    path = written(
        tmp_path / "x.csv", ("y", "m", "site"), [(i % 2, i, "ab"[i % 3 == 0]) for i in range(12)]
    )
    one = ("--label", "y", "--score", "m", "--group", "site")
    assert told(capsys, "count", path, *one, "-o", tmp_path / "sites.counts").status == 0
    assert set(br.load(tmp_path / "sites.counts")) == {"a", "b"}
    assert "for one score" in refused(
        capsys, "count", path, *one, "--score", "y", "-o", tmp_path / "two.counts"
    )


def test_counts_of_two_kinds_are_not_added(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ("y", "a", "b"), [(i % 2, i, -i) for i in range(6)])
    assert (
        told(
            capsys, "count", path, "--label", "y", "--score", "a", "-o", tmp_path / "one.counts"
        ).status
        == 0
    )
    two = ("--label", "y", "--score", "a", "--score", "b")
    assert "BR409" in refused(
        capsys, "count", tmp_path / "one.counts", path, *two, "-o", tmp_path / "sum.counts"
    )
    assert not (tmp_path / "sum.counts").exists()


def test_groups_that_were_saved_are_sliced(tmp_path, capsys):
    path = written(
        tmp_path / "x.csv",
        ("y", "m", "site"),
        [(i % 2, i % 7, "ab"[i % 3 == 0]) for i in range(60)],
    )
    one = ("--label", "y", "--score", "m", "--group", "site")
    saved = tmp_path / "sites.counts"
    assert told(capsys, "count", path, *one, "-o", saved).status == 0
    more = ("--threshold", "3", "--require", "recall >= 0.5")
    assert told(capsys, "slices", saved, *more).out == told(capsys, "slices", path, *one, *more).out
    assert "BR002: --label has no effect on saved counts" in refused(
        capsys, "slices", saved, *more, "--label", "y"
    )
    plain = tmp_path / "plain.counts"
    assert told(capsys, "count", path, *one[:4], "-o", plain).status == 0
    assert "holds counts of all cases together" in refused(capsys, "slices", plain, *more)
    assert "BR610" in refused(capsys, "choose", plain, "--amount", "eur", "--review", "5")


def test_a_text_file_keeps_the_notes_and_a_name_that_promises_csv_is_refused(
    scores, tmp_path, capsys
):
    done = told(capsys, *shown(scores, tmp_path / "answer.txt", "--prior", "1%"))
    assert done.err.strip() in (tmp_path / "answer.txt").read_text()
    assert "not as CSV" in refused(capsys, *shown(scores, tmp_path / "answer.csv"))
    assert (
        told(
            capsys,
            "curve",
            "roc",
            scores,
            "--label",
            "y",
            "--score",
            "m",
            "-o",
            tmp_path / "roc.csv",
        ).status
        == 0
    )
    assert (tmp_path / "roc.csv").read_text().startswith("model,prior,threshold,fpr,tpr\n")
    assert "in a format of their own" in refused(
        capsys, "count", scores, "--label", "y", "--score", "m", "-o", tmp_path / "week.json"
    )


def test_a_range_with_one_percent_sign_is_refused(scores, capsys):
    words = ("choose", scores, "--label", "y", "--score", "m", "--cost", "fn=10,fp=1", "--prior")
    assert "0.05%..0.5% if both are" in refused(capsys, *words, "0.05..0.5%")
    assert told(capsys, *words, "0.05%..0.5%").status == 0


def test_a_rename_is_flushed_to_the_disk_after_it_is_done(tmp_path, monkeypatch):
    """Without that, a power cut may bring the old file back, or neither: the new one, then its
    name.
    """
    done = []
    fsync, replaced = os.fsync, os.replace

    def flushed(descriptor):
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        same = kind == "file" or os.path.samestat(os.fstat(descriptor), tmp_path.stat())
        done.append(kind if same else "another folder")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append("rename"), replaced(*paths)))
    atomic.write_atomically(tmp_path / "answer", [b"text"])
    assert done == ["file", "rename", "folder"]


def test_a_full_disk_says_how_much_is_needed_and_how_much_there_is(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(atomic.shutil, "disk_usage", lambda _: SimpleNamespace(free=2048))
    with pytest.raises(OSError, match=r"No space left on device: 3\.0 kB needed, 2\.0 kB free in "):
        atomic.write_atomically(tmp_path / "answer", iter([b"x" * 1000, memoryview(b"y" * 2000)]))


@pytest.mark.parametrize(("name", "stdin"), [("big.csv.gz", False), ("-", True)])
def test_temporary_files_that_do_not_fit_are_told_from_the_input(tmp_path, name, stdin):
    text = ("y,m\n" + "".join(f"{i % 2},{i / 7}\n" for i in range(60_000))).encode()
    (tmp_path / "big.csv").write_bytes(text)
    (tmp_path / "big.csv.gz").write_bytes(gzip.compress(text))
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # noqa: E731
    command = [sys.executable, "-m", "baserate", "show", name, "--label", "y", "--score", "m"]
    with open(tmp_path / "big.csv", "rb") as file:
        given = file if stdin else subprocess.DEVNULL
        done = subprocess.run(
            command,
            cwd=tmp_path,
            stdin=given,
            capture_output=True,
            text=True,
            timeout=60,
            preexec_fn=small,
            check=False,
        )
    assert done.returncode == 74
    said = (
        r"error BR700: File too large: 1\.\d MB or more needed for a copy of the input, and a file"
        r" may have at most 100\.0 kB \(ulimit -f\)\."
    )
    assert re.match(said, done.stderr), done.stderr


def test_a_full_folder_for_temporary_files_is_named(monkeypatch):
    monkeypatch.setattr(streams.tempfile, "gettempdir", lambda: "/somewhere/baserate-abc")
    monkeypatch.setattr(atomic.shutil, "disk_usage", lambda _: SimpleNamespace(free=2048))
    error = streams.no_temporary_room(OSError(28, "No space left on device"), "5 MB needed")
    assert (
        error.strerror
        == "No space left on device: 5 MB needed, 2.0 kB free in /somewhere (the folder for"
        " temporary files: TMPDIR names another)"
    )


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
    real = runner.count_scores

    def meanwhile(*arguments):
        (tmp_path / "late").write_text("theirs")
        return real(*arguments)

    monkeypatch.setattr(runner, "count_scores", meanwhile)
    assert "BR801" in told(capsys, "show", path, *ONE, "-o", tmp_path / "late").err
    assert (tmp_path / "late").read_text() == "theirs"


@pytest.mark.parametrize("kind", ["link", "symbolic link", "pipe", "large"])
def test_what_stands_where_the_lock_should_is_left_alone(tmp_path, capsys, kind):
    path, lock = written(tmp_path / "a.csv", HEADER, ROWS), tmp_path / ".out.writing"
    (tmp_path / "precious").write_text("precious")
    if kind == "link":
        os.link(tmp_path / "precious", lock)
    elif kind == "symbolic link":
        lock.symlink_to(tmp_path / "precious")
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.write_text("a text of mine that is no lock")
    said = refused(capsys, "show", path, *ONE, "-o", tmp_path / "out")
    assert ".out.writing: exists and is not a lock file" in said
    assert (tmp_path / "precious").read_text() == "precious"


def test_an_answer_is_not_written_to_a_file_named_dash(tmp_path, capsys):
    assert "BR803" in refused(
        capsys, "show", written(tmp_path / "a.csv", HEADER, ROWS), *ONE, "-o", "-"
    )


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
        ("low", "low scores mean positive in some"),
    ):
        assert words in refused(
            capsys,
            "count",
            tmp_path / "yes.counts",
            tmp_path / f"{other}.counts",
            "-o",
            tmp_path / "sum.counts",
        )
