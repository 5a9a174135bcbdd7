"""`baserate curve --svg`, and the curve above the table on a terminal."""

import os
import pty
import subprocess
import sys

import pytest
from tests.cli import helpers_terminal
from tests.cli.helpers import run
from tests.cli.test_curve import COUNTS, scores  # noqa: F401 (a fixture)
from tests.plots.drawings import read

import baserate as br
from baserate.curves.named import CURVES

MODEL = ("--label", "y", "--score", "m")


@pytest.mark.parametrize("name", [*CURVES, "precision:posfrac"])
def test_every_curve_can_be_drawn(scores, tmp_path, name):  # noqa: F811
    path = tmp_path / "curve.svg"
    done = run("curve", name, scores, *MODEL, "--prior", "1%", "--svg", str(path))
    assert done.returncode == 0, done.stderr
    read(path.read_text())
    assert done.stdout == run("curve", name, scores, *MODEL, "--prior", "1%").stdout


def test_the_drawing_is_the_panel_of_python(scores, tmp_path):  # noqa: F811
    path = tmp_path / "curve.svg"
    run("curve", "roc", scores, *MODEL, "--svg", str(path))
    assert path.read_text() == br.plots.roc_panel({"m": br.roc(COUNTS)}).svg()


def test_a_drawing_that_is_there_is_replaced_only_with_force_and_never_an_input(scores, tmp_path):  # noqa: F811
    path = tmp_path / "curve.svg"
    path.write_text("mine")
    done = run("curve", "roc", scores, *MODEL, "--svg", str(path))
    assert done.returncode == 2
    assert f"BR801: {path}: exists" in done.stderr
    assert path.read_text() == "mine"
    assert run("curve", "roc", scores, *MODEL, "--svg", str(path), "--force").returncode == 0
    assert path.read_text().startswith("<svg")
    assert "BR804" in run("curve", "roc", scores, *MODEL, "--svg", scores, "--force").stderr


def test_answer_and_drawing_go_to_two_files_and_private_holds_for_both(scores, tmp_path):  # noqa: F811
    drawing, answer = tmp_path / "curve.svg", tmp_path / "curve.json"
    done = run(
        "curve", "roc", scores, *MODEL, "--svg", str(drawing), "-o", str(answer), "--private"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert answer.read_text().startswith("{")
    assert [path.stat().st_mode & 0o777 for path in (drawing, answer)] == [0o600, 0o600]
    assert not list(tmp_path.glob(".*"))


def test_one_file_cannot_hold_both(scores, tmp_path):  # noqa: F811
    path = str(tmp_path / "both")
    done = run("curve", "roc", scores, *MODEL, "--svg", path, "-o", path)
    assert done.returncode == 2
    assert "BR805" in done.stderr


@pytest.mark.parametrize(("encoding", "sign"), [("utf-8", "⠉"), ("ascii", ":")])
def test_a_terminal_shows_the_curve_above_the_table(scores, encoding, sign):  # noqa: F811
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "60"}
    command = [sys.executable, "-m", "baserate", "curve", "roc", scores, *MODEL]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    text = shown.decode(encoding)
    assert sign in text
    heading = "score ≥" if encoding == "utf-8" else "score >="
    assert text.index("recall (tpr)") < text.index(heading)
    assert max(map(len, text.splitlines())) <= 60


def test_a_pipe_gets_no_drawing(scores):  # noqa: F811
    there = {"PYTHONIOENCODING": "utf-8"}
    piped = helpers_terminal.run("curve", "roc", scores, *MODEL, env=there)
    assert "score ≥" in piped.stdout
    assert "⠉" not in piped.stdout
