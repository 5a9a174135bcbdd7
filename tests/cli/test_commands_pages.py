"""The pages of the commands are what --help prints, every command has examples, and the list of
commands says what each does.
"""

import contextlib
import runpy
import shlex
from pathlib import Path

import click
import pytest

from baserate.cli.main import cli, commands

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference" / "commands"
WITHOUT_EXAMPLES = {"demo"}


def loaded(name):
    return cli.get_command(click.Context(cli), name)


def test_the_pages_are_what_help_prints():
    pages = runpy.run_path(str(ROOT / "tools" / "docs" / "commands.py"))["pages"]()
    assert {path.name: path.read_text() for path in PAGES.iterdir()} == pages, "run: make docs"


@pytest.mark.parametrize("name", commands())
def test_a_command_is_called_by_its_name_and_shows_examples(name):
    command = loaded(name)
    assert command.name == name
    assert "Examples:" in (command.help or "") or name in WITHOUT_EXAMPLES


@pytest.mark.parametrize("name", [name for name in commands() if name not in WITHOUT_EXAMPLES])
def test_the_options_of_every_example_exist(name):
    """Parsed as the command line is, so that no example has an option that is not there."""
    lines = [
        line.strip()
        for line in loaded(name).help.splitlines()
        if line.strip().startswith("baserate ")
    ]
    assert lines
    for line in lines:
        command, *words = shlex.split(line.split(" > ")[0].split(" >> ")[0])[1:]
        with contextlib.suppress(click.exceptions.Exit):  # --template ends where it is parsed
            loaded(command).make_context(command, words, resilient_parsing=False)
