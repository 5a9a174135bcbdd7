"""Section H: output and the file system."""

import errno
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.bad_inputs.bench import M, Y, table
from tests.bad_inputs.rows import also, row

import baserate as br
from baserate import atomic

GOOD = table(y=Y, m=M)
COUNTS = br.count(Y, list(map(float, M)))
OTHER = br.count([0, 1], [0.1, 0.9])


def into(bench, output, *more):
    """The command that writes its answer to a file."""
    return (*bench.show(GOOD), "-o", output, *more)


def failing(number, text):
    """What a file system does that cannot do something."""

    def fails(*_):
        raise OSError(number, text)

    return fails


def shell(command):
    """A line of a shell, with the program as `baserate`."""
    line = command.replace("baserate", f"{sys.executable} -m baserate", 1)
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def hidden():
    return [name for name in os.listdir() if name.startswith(".")]


@row(129, "an output that exists")
def test_row_129_what_is_there_is_replaced_only_by_force(bench):
    shown = bench.refused("BR801", *into(bench, bench.file("mine", "answer.txt")))
    assert Path("answer.txt").read_text() == "mine"
    assert "--force" in shown
    assert bench.told(*into(bench, "answer.txt", "--force")).status == 0
    assert Path("answer.txt").read_text().startswith("scores.csv: 20 rows read")
    return shown


@also(129)
def test_row_129_the_example_does_not_overwrite_either(bench):
    bench.file("mine", "baserate-demo/scores.csv")
    return bench.refused("BR801", "demo", as_json=False)


@row(
    130, "a folder for output that is missing, read-only, or a file", why="before the input is read"
)
def test_row_130_a_place_that_cannot_be_written_is_found_before_anything_is_read(bench):
    bench.file("mine", "taken")
    never = ("show", "never-read.csv", "--label", "y", "--score", "m", "-o")
    missing = bench.refused("BR803", *never, "missing/answer.json")
    with pytest.MonkeyPatch.context() as patch:  # nothing is read-only to root, who may run this
        patch.setattr(atomic.os, "open", failing(errno.EROFS, "Read-only file system"))
        closed = bench.refused("BR803", *never, "answer.json", as_json=False)
    return missing, bench.refused("BR803", *never, "taken/answer.json"), closed


@row(
    131,
    "an output that is a link",
    why="`Counts.save` replaces the link, and leaves alone what it points to",
)
def test_row_131_nothing_is_written_through_a_link(bench):
    bench.file("mine", "target")
    Path("link").symlink_to("target")
    bench.refused("BR803", *into(bench, "link", "--force"))
    shown = bench.refused("BR803", *into(bench, "link"))
    COUNTS.save("link")
    assert not Path("link").is_symlink()
    assert Path("target").read_text() == "mine"
    return shown


@row(132, "an output that is an input")
def test_row_132_an_input_is_never_written_over(bench):
    shown = bench.refused("BR804", *into(bench, "scores.csv", "--force"))
    os.link("scores.csv", "other-name.csv")
    bench.refused("BR804", *into(bench, "other-name.csv", "--force"))
    assert Path("scores.csv").read_text() == GOOD
    return shown


@row(133, "a full disk", why="with exit status 74")
def test_row_133_a_full_disk_keeps_what_was_there(bench):
    full = (*into(bench, bench.file("mine", "answer.txt")), "--force")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(atomic.os, "fsync", failing(errno.ENOSPC, "No space left on device"))
        patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
        shown = bench.refused("BR700", *full, status=74, as_json=False)
    assert Path("answer.txt").read_text() == "mine"
    assert hidden() == []
    done = shell("baserate show scores.csv --label y --score m > /dev/full")
    assert done.returncode == 74
    return shown, done.stderr.strip()


@row(
    134,
    "two runs with one output",
    why="`Counts.save` writes a draft of its own and renames it: the last one stays, whole",
)
def test_row_134_one_process_at_a_time_writes_an_output(bench):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(atomic.os, "getpid", lambda: 4312)
        with atomic.reserve_output("answer.txt"):
            shown = bench.refused("BR805", *into(bench, "answer.txt"))
    assert bench.told(*into(bench, "answer.txt")).status == 0
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda counts: counts.save("out.counts"), [COUNTS, OTHER] * 10))
    assert br.load("out.counts") in (COUNTS, OTHER)
    assert hidden() == []
    return shown


@row(135, "a name that is very long, or not UTF-8")
def test_row_135_names_are_bytes_and_shown_escaped(bench):
    name = os.fsdecode(b"caf\xe9.csv")
    bench.file(GOOD, name)
    shown = bench.accepted("show", name, "--label", "y", "--score", "m")
    assert (
        bench.told(
            "show", name, "--label", "y", "--score", "m", "-o", os.fsdecode(b"r\xe9sum\xe9")
        ).status
        == 0
    )
    assert Path(os.fsdecode(b"r\xe9sum\xe9")).exists()
    return shown, bench.refused("BR803", *into(bench, "x" * 300))


@row(136, "standard output that is closed")
def test_row_136_whoever_has_read_enough_is_not_scolded(bench):
    bench.file(GOOD)
    done = shell("baserate show scores.csv --label y --score m --json | head -c 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "{", "")
    return "exit status 0, and nothing on standard error"


@row(
    137,
    "a file system without locks, or that cannot flush",
    why="without a note: the file is whole all the same",
)
def test_row_137_a_file_system_without_locks_gets_a_whole_file(bench):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(atomic.fcntl, "flock", failing(errno.ENOLCK, "No locks available"))
        patch.setattr(atomic.os, "fsync", failing(errno.EINVAL, "Invalid argument"))
        COUNTS.save("out.counts")
        assert bench.told(*into(bench, "answer.txt")).status == 0
    assert br.load("out.counts") == COUNTS
    assert hidden() == []
    return Path("answer.txt").read_text().splitlines()[0]
