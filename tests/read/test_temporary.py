"""Temporary folders: what a killed process left is gone after the next start, and nothing else."""

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.cli.helpers_terminal import BASERATE

from baserate.read import temporary

fcntl = pytest.importorskip("fcntl", reason="needs locks on files")


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(temporary, "remove_abandoned", temporary.remove_abandoned.__wrapped__)
    return folder


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="children are found as Linux shows them")
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_after_a_kill_of_all_processes_the_next_start_leaves_nothing(tmp_path, place, ending):
    import gzip

    text = "y,s\n" + "".join(f"{row % 50 == 0:d},{row / 7!r}\n" for row in range(300_000))
    data = tmp_path / f"a.{ending}"
    data.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    (tmp_path / "b.csv").write_text("y,s\n0,1\n1,2\n")
    surroundings = os.environ | {"TMPDIR": str(place)}
    columns = ("--label", "y", "--score", "s")
    words = (*BASERATE, "count", str(data), *columns, "-o", str(tmp_path / "a.counts"))
    process = subprocess.Popen(
        [*words, "--memory", "400MB"],
        env=surroundings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None and not any(place.glob(f"{temporary.PREFIX}*")):
        time.sleep(0.005)
    for each in (process.pid, *children_of(process.pid)):
        os.kill(each, signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL
    assert any(place.iterdir())
    again = (*BASERATE, "show", str(tmp_path / "b.csv"), *columns)
    subprocess.run(again, env=surroundings, check=True, capture_output=True)
    # Python itself writes a file of four bytes where it looks for a place for temporary files.
    left = [one for one in place.iterdir() if not (one.is_file() and one.stat().st_size <= 4)]
    assert not left


def test_only_what_nobody_holds_is_removed(place, tmp_path):
    with temporary.temporary_folder() as held:
        for name in ("baserate-abandoned", "baserate-theirs", "baserate-empty", "another"):
            (place / name).mkdir()
        for name in ("baserate-abandoned", "another"):
            (place / name / temporary.LOCK).touch()
        (place / "baserate-abandoned" / "copy").write_text("y,s\n")
        (place / "baserate-theirs" / "precious").touch()
        (place / "baserate-link").symlink_to(place / "another")
        with temporary.temporary_folder() as other:
            left = {os.fspath(path) for path in place.iterdir()}
        kept = {os.fspath(place / name) for name in ("baserate-theirs", "another", "baserate-link")}
        assert left == {held, other, *kept}
    assert {os.fspath(path) for path in place.iterdir()} == kept


def test_a_folder_that_is_removed_before_it_is_locked_is_made_again(place, monkeypatch):
    real, removed = temporary.fcntl.flock, []

    def lose(lock, how):
        if not removed:
            removed.extend(path for path in place.iterdir())
            (removed[0] / temporary.LOCK).unlink()
        real(lock, how)

    monkeypatch.setattr(temporary.fcntl, "flock", lose)
    with temporary.temporary_folder() as folder:
        assert folder != os.fspath(removed[0])
        assert os.listdir(folder) == [temporary.LOCK]
