"""Streams that cannot be written: no answer that was lost is called given, no lost note changes a
verdict, and nobody sees a traceback.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.helpers import written
from tests.cli.helpers_terminal import BASERATE

from baserate.cli import main

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")

MODEL = ("scores.csv", "--label", "y", "--score", "m")
MODELS = (*MODEL, "--score", "n")
COSTS = ("--prior", "1%", "--cost", "fn=20,fp=1")
LOOSE = (
    "gate",
    "scores.csv",
    "recall >= 0.01",
    "--label",
    "y",
    "--score",
    "m",
    "--threshold",
    "0.5",
)
WORDS = {
    "show": ("show", *MODELS, *COSTS),
    "choose": ("choose", *MODELS, *COSTS),
    "compare": ("compare", *MODELS),
    "triage": ("triage", *MODEL, "--prior", "1%", "--cost", "fn=100,fp=5", "--review", "2"),
    "prior": ("prior", "scores.csv", "--from", "scores.csv", "--label", "y", "--score", "m"),
    "slices": ("slices", *MODEL, "--group", "g", "--threshold", "0.5"),
    "gate": LOOSE,
    "report": ("report", *MODEL, "-o", "r.html", "--force"),
    "curve": ("curve", "roc", *MODELS),
    "table": ("table", *MODEL),
    "plan": ("plan", "recall >= 0.9", "--expect", "0.95"),
    "calc": ("calc", "--sensitivity", "90%", "--specificity", "85%", "--prior", "0.01"),
    "study": ("study", "cardenas"),
    "count": ("count", *MODEL, "-o", "a.counts", "--force"),
    "demo": ("demo",),
    "help": ("help", "reading"),
    "sql": ("sql", "t", "--dialect", "duckdb", "--label", "y", "--score", "s"),
}
STRICT = (
    "gate",
    "scores.csv",
    "recall >= 0.99",
    "--label",
    "y",
    "--score",
    "m",
    "--threshold",
    "0.9",
)
REFUSED = ("show", "none.csv", "--label", "y", "--score", "m")


def has_json(name):
    return any("--json" in parameter.opts for parameter in main.cli.get_command(None, name).params)


ASKED = [
    *WORDS.values(),
    *((*words, "--json") for name, words in WORDS.items() if has_json(name)),
    STRICT,
    REFUSED,
    (*REFUSED, "--json"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What each command does where all is well, where stdout is full, and where stderr is."""
    folder = tmp_path_factory.mktemp("streams")
    rows = [
        (int(i % 4 == 0), (i * 7 % 200) / 200 + (i % 4 == 0) / 4, (i * 11 % 200) / 200, "ab"[i % 2])
        for i in range(200)
    ]
    written(folder / "scores.csv", ("y", "m", "n", "g"), rows)
    asked = [(words, full) for words in ASKED for full in (None, 1, 2)]
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    script = Path(__file__).with_name("lost_streams.py")
    done = subprocess.run(
        [sys.executable, script],
        input=lines,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        cwd=folder,
    )
    answers = iter(json.loads(done.stdout))
    return {words: [next(answers) for _ in range(3)] for words in ASKED}


def test_every_command_is_tried():
    assert WORDS.keys() == main.commands().keys()


@pytest.mark.parametrize("words", ASKED[:-3], ids=" ".join)
def test_an_answer_that_finds_a_full_disk_is_a_failure_of_the_disk(found, words):
    (status, out, _), (lost, _, said), _ = found[words]
    assert (status, bool(out)) == (0, True)
    assert lost == 74
    errors = [
        line
        for line in said.splitlines()
        if not line.startswith("note ") and not line.endswith(": --notes")
    ]
    lost_answer = (
        "error BR700: the answer cannot be written to standard output (No space left on device)."
    )
    assert errors == [f"{lost_answer} Fix: make room there, or write the answer elsewhere."]


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_notes_and_errors_that_find_a_full_disk_change_no_status_and_no_answer(found, words):
    (status, out, _), _, (same, answer, _) = found[words]
    assert same == status
    assert answer == out


def test_a_gate_that_fails_is_never_taken_for_one_that_passes(found):
    (status, _, _), (lost, _, _), (quiet, _, _) = found[STRICT]
    assert (status, lost, quiet) == (1, 74, 1)


def test_a_refusal_is_one_on_any_stream(found):
    for words in (REFUSED, (*REFUSED, "--json")):
        assert [status for status, _, _ in found[words]] == [2, 2, 2]
        _, (_, _, said), _ = found[words]
        assert re.fullmatch(
            r"error BR600: there is no file or folder none\.csv\. Fix: check the path\.\n", said
        )


@pytest.mark.parametrize(
    ("closed", "statuses"),
    [("2>&-", (0, 1, 2)), (">&-", (74, 74, 2)), ("<&- >&- 2>&-", (74, 74, 2))],
)
def test_a_closed_error_stream_changes_no_verdict_and_a_closed_output_is_a_lost_answer(
    tmp_path, closed, statuses
):
    written(tmp_path / "scores.csv", ("y", "m"), [(i % 2, i / 10) for i in range(20)])
    for words, status in zip((LOOSE, STRICT, REFUSED), statuses, strict=True):
        command = " ".join(map("'{}'".format, (*BASERATE, *words))) + " " + closed
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == status
        assert "Traceback" not in done.stderr


def test_a_reader_that_left_is_told_by_141_also_of_an_error_in_json(tmp_path):
    written(tmp_path / "scores.csv", ("y", "m"), [(i % 2, i / 10) for i in range(20)])
    for words, status in (((*LOOSE, "--json"), 141), ((*REFUSED, "--json"), 2)):
        there, ours = os.pipe()
        os.close(there)
        done = subprocess.run(
            [*BASERATE, *words],
            stdout=ours,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
            cwd=tmp_path,
        )
        os.close(ours)
        assert done.returncode == status
        assert "Traceback" not in done.stderr


def test_a_traceback_that_is_asked_for_comes_with_the_exit_status_of_the_failure(tmp_path):
    done = subprocess.run(
        [*BASERATE, *REFUSED, "--debug"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Traceback")
    assert done.stderr.splitlines()[-1].startswith("error BR600: ")
