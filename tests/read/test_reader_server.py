"""The readers that tests use in the place of true ones: the same answers, refusals and ends."""

import os
from pathlib import Path

import numpy as np
import pytest
from tests import reader_server

import baserate as br
from baserate.read import apart

pytestmark = pytest.mark.skipif(not reader_server.POSSIBLE, reason="readers are true ones here")
CRASH = "os.kill(os.getpid(), 9)"  # which needs no more than main() has loaded


def both(path):
    """What the reader of tests says of a file, and the true one."""

    def said():
        try:
            return br.count(str(path), label="y", score="s").digest
        except br.InputError as error:
            return str(error)

    assert apart.Reader.__name__ == "Forked"
    with reader_server.true_start():
        true = said()
    return said(), true


@pytest.fixture
def path(tmp_path):
    np.savez(tmp_path / "a.npz", y=[0, 1, 1, 0], s=[0.1, 0.2, 0.3, 0.4])
    return tmp_path / "a.npz"


def test_a_file_is_read_alike(path):
    ours, true = both(path)
    assert ours == true


def test_a_broken_file_is_refused_alike(path):
    path.write_bytes(path.read_bytes()[:100])
    ours, true = both(path)
    assert ours == true
    assert ours.startswith("BR")


@pytest.mark.parametrize("end", [f"import os; {CRASH}", "sys.exit(3)", "1 / 0"])
def test_a_reader_that_ends_early_is_refused_alike(path, monkeypatch, end):
    monkeypatch.setattr(apart, "START", apart.START.replace("main(request)", end))
    ours, true = both(path)
    assert ours == true
    assert "BR707" in ours


def test_limits_surroundings_and_folder_are_those_of_a_true_one(path, monkeypatch):
    told = (
        "import os, resource\n"
        "from baserate.read.quotas import Quotas, confine\n"
        "confine(Quotas(*request['quotas']))\n"
        "limits = [resource.getrlimit(each) for each in range(10)]\n"
        "raise ValueError((limits, sorted(os.environ.items()), os.getcwd(), sys.path, sys.argv[0],"
        " sys.flags, os.getsid(0) == os.getpid(), sorted(os.listdir('/proc/self/fd'))))"
    )
    monkeypatch.setattr(apart, "START", apart.START.replace("main(request)", told))
    monkeypatch.setenv("SECRET", "hush")
    seen = []
    said = apart.Reader.said
    monkeypatch.setattr(
        apart.Reader.__mro__[-2], "said", lambda self: seen.append(said(self)) or ""
    )
    both(path)
    last = [each.strip().splitlines()[-1] for each in seen]
    assert last[0] == last[1]
    assert last[0].startswith("ValueError: ([(")  # nothing of it was cut off
    assert "hush" not in last[0]
    assert str(Path.cwd()) in last[0]
    assert os.environ.get("PATH", "") in last[0]
