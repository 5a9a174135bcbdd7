"""Commands shown in the documents print what the documents say. (Python examples are doctests, run
by pytest itself.)
"""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.helpers import run, told

from baserate.cli.demo import write_scores

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def sessions():
    """Every ```console block, as (document, [(command, output), …])."""
    for document in DOCUMENTS:
        for number, block in enumerate(
            re.findall(
                r"^```console\n(.*?)^```", document.read_text(), flags=re.DOTALL | re.MULTILINE
            )
        ):
            steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE)
            yield pytest.param(steps, id=f"{document.name}-{number}")


@pytest.fixture(scope="module")
def cookbook(tmp_path_factory):
    """The files of the cookbook, written once."""
    folder = tmp_path_factory.mktemp("cookbook")
    subprocess.run(
        [sys.executable, ROOT / "tools" / "docs" / "cookbook_data.py"], cwd=folder, check=True
    )
    return folder


@pytest.mark.parametrize("steps", list(sessions()))
def test_a_console_block_shows_what_is_printed(steps, tmp_path, cookbook):
    assert steps
    for command, shown in steps:
        words = shlex.split(command)
        if words[0] == "cat":
            assert (tmp_path / words[1]).write_text(shown)
        elif command == "python cookbook_data.py":
            shutil.copytree(cookbook, tmp_path, dirs_exist_ok=True)
            assert not shown
        else:
            assert words[0] == "baserate", command
            done = run(*words[1:], cwd=tmp_path)
            assert (done.stdout + done.stderr).rstrip() == shown.rstrip()


@pytest.fixture
def demo_folder(tmp_path, monkeypatch):
    """A working folder in which `baserate demo` has written its file."""
    (tmp_path / "baserate-demo").mkdir()
    write_scores(tmp_path / "baserate-demo")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_at_the_top_of_the_readme_begin_with_the_answers_shown(demo_folder, capsys):
    block = re.search(r"^```text\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)[1]
    joined = block.replace("\\\n", "")
    steps = re.findall(r"^\$ baserate (.*)\n((?:(?!\$ ).*\n)+)", joined, flags=re.MULTILINE)
    assert len(steps) == 2
    for words, shown in steps:
        done = told(capsys, *shlex.split(words))
        assert done.out.startswith(" ".join(shown.split()))


def test_the_python_at_the_top_of_the_readme_prints_what_its_comments_say(demo_folder, capsys):
    block = re.search(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)[1]
    exec(block, {})
    comments = re.findall(r"  # (.*)$", block, flags=re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == comments


def test_the_top_of_the_readme_fits_a_screen():
    lines = README.partition("From a clone")[0].splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100


def test_the_commands_of_the_readme_can_be_pasted(demo_folder, capsys):
    table = README.partition("| question | command |")[2]
    found = re.findall(r"`baserate ([a-z]+ [^`]+)`", table.partition("\n\n")[0])
    assert len(found) > 10
    for words in found:
        done = told(capsys, *shlex.split(words))
        assert (words, done.status) == (words, 0), done.err


def test_the_readme_names_both_commands():
    assert "make demo" in README
    assert "make test" in README
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_picture_is_what_its_script_draws():
    drawn = runpy.run_path(str(ROOT / "tools" / "docs" / "picture.py"))["drawn"]()
    assert (ROOT / "docs" / "start" / "picture.svg").read_text() == drawn, "run: make docs"
