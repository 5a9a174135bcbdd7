"""Little memory: an answer or one line, never a hang, a bug or a Ctrl-C that nobody pressed
(`benchmarks/address_space.py` has every limit).
"""

import json
import os
import resource
import subprocess
import sys

import numpy as np
import pytest
from benchmarks import address_space
from tests.cli.helpers_terminal import BASERATE

from baserate import __main__ as started
from baserate.atomic import user_limit
from baserate.read import quotas
from baserate.views import document

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits on the address space are Linux's"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("memory")
    address_space.write_data(place)
    return place


@pytest.mark.parametrize("megabytes", [64, 100, 140, 168, 190, 230, 250, 320])
def test_any_limit_on_the_address_space_gives_an_answer_or_one_line(folder, megabytes):
    ended = address_space.run(address_space.COMMANDS["show"], folder, megabytes)
    assert ended.good, ended
    assert ended.status in (2, 74), ended  # DuckDB needs more


@pytest.mark.parametrize("megabytes", [40, 70, 90, 120, 160])
def test_any_limit_on_data_gives_an_answer_or_one_line(folder, megabytes):
    ended = address_space.run(
        address_space.COMMANDS["show"], folder, megabytes, resource.RLIMIT_DATA
    )
    assert ended.good, ended


@pytest.mark.parametrize("megabytes", [240, 300, 600])
@pytest.mark.parametrize("name", ["show, 1.9 MB", "show, Parquet"])
def test_a_reader_that_finds_no_room_does_not_blame_the_file(folder, name, megabytes):
    ended = address_space.run(address_space.COMMANDS[name], folder, megabytes)
    assert ended.good, ended
    assert not any("hostile" in line for line in ended.lines)


def test_too_little_to_load_is_said_in_json_too(folder):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (10**8, 10**8))  # noqa: E731
    words = (*BASERATE, *address_space.COMMANDS["show"], "--json")
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=60, preexec_fn=limit, check=False
    )
    assert (done.returncode, done.stderr) == (74, "")
    answer = json.loads(done.stdout)
    assert answer["schema"] == document.SCHEMA
    assert answer["errors"][0]["code"] == "BR701"
    assert "limited to 100 MB (ulimit -v)" in answer["errors"][0]["text"]
    assert started.LEAST["RLIMIT_AS"][0] == 240_000_000


def test_too_few_open_files_name_their_limit(tmp_path):
    np.savez(tmp_path / "a.npz", y=[0, 1], m=[0.1, 0.9])
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))  # noqa: E731
    words = (*BASERATE, "show", "a.npz", "--label", "y", "--score", "m")
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limit, check=False
    )
    assert done.returncode == 74
    assert done.stderr.endswith("Fix: allow more open files: ulimit -n 256.\n")


ALGEBRA = (
    "import os; from baserate.cli import main as cli; cli._run = lambda _:"
    " print(os.environ.get('OPENBLAS_NUM_THREADS')) or 0; cli.main([])"
)


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ({}, "1"),
        ({"OPENBLAS_NUM_THREADS": "3"}, "3"),
        ({"OMP_NUM_THREADS": "2"}, "None"),
        ({"GOTO_NUM_THREADS": "2"}, "None"),
    ],
)
def test_linear_algebra_has_one_thread_unless_the_user_says_otherwise(said, seen):
    known = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", ALGEBRA],
        env=known | said,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == seen


def test_a_limit_of_the_user_is_all_the_memory_that_there_is(monkeypatch):
    assert user_limit() is None or quotas.machine_memory() <= user_limit()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (500_000_000, resource.RLIM_INFINITY))
    assert quotas.machine_memory() == user_limit() == 500_000_000
