"""The runner: a command is a function of the request and its own options; its result is printed
here.
"""

import json

import click
import pytest
from tests.cli.helpers import refused, told, written

from baserate.cli import main, options
from baserate.cli.runner import IntervalOptions, Request, Result, command
from baserate.types import Note

SEEN: list[Request] = []


@command("greet")
@options.file()
@options.conditions
@options.intervals
@click.option("--name", default="you")
@click.option("--status", type=int, default=0)
@options.listed("as_csv", "svg")
@options.answer
def greet(request: Request, name: str, status: int) -> Result:
    """Greet somebody."""
    SEEN[:] = [request]
    return Result(
        [Note("BR526", "a note")],
        lambda: {"name": name},
        lambda: [f"hello {name}", "", "bye"],
        plain=f"name\n{name}\n" if request.output.as_csv else None,
        drawing=lambda: f"<svg>{name}</svg>",
        status=status,
    )


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setattr(main.cli, "get_command", lambda *_: greet)
    monkeypatch.setitem(main.COMMANDS, "greet", ("", ""))
    return written(tmp_path / "a.csv", ("y", "m"), [(1, 0.9), (0, 0.1)])


def test_options_reach_the_command_as_one_request(source, capsys):
    words = ("--label", "y", "--score", "m", "--prior", "1%", "--level", "90%", "--delimiter", ";")
    assert told(capsys, "greet", source, *words, "--seed", "3").status == 0
    (request,) = SEEN
    assert (request.source.paths, request.source.label, request.source.scores) == (
        (source,),
        "y",
        ("m",),
    )
    assert request.source.options.asked.delimiter == ";"
    assert [at.prior for at in request.conditions.exact()] == [0.01]
    assert request.intervals == IntervalOptions(0.9, None, 3)
    with pytest.raises(AttributeError, match="cannot assign"):
        request.source.label = "z"


def test_text_is_printed_in_paragraphs_with_notes_on_stderr(source, capsys):
    done = told(capsys, "greet", source, "--name", "Ada")
    assert done == (0, "hello Ada\n\nbye\n", "note BR526: a note\n")


def test_json_is_the_content_and_the_status_is_that_of_the_result(source, capsys):
    done = told(capsys, "greet", source, "--json", "--status", "1")
    assert (done.status, json.loads(done.out)) == (1, {"name": "you"})
    assert done.err == "note BR526: a note\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{\n "name": "you"\n}\n'),
        ("a.txt", "hello you\n\nbye\n\nnote BR526: a note\n"),
        ("a.csv", "name\nyou\n"),
        ("a", "hello you\n\nbye\n"),
    ],
)
def test_the_name_of_a_file_tells_its_form(source, tmp_path, capsys, name, text):
    output = tmp_path / "out" / name
    output.parent.mkdir()
    done = told(capsys, "greet", source, "-o", output, "--status", "1")
    assert done == (1, "", "note BR526: a note\n")
    assert output.read_text() == text


def test_a_drawing_is_written_beside_the_answer(source, tmp_path, capsys):
    done = told(capsys, "greet", source, "--svg", tmp_path / "a.svg")
    assert done.out == "hello you\n\nbye\n"
    assert (tmp_path / "a.svg").read_text() == "<svg>you</svg>"
    assert "BR801" in refused(capsys, "greet", source, "--svg", tmp_path / "a.svg")


def test_an_option_of_the_table_stands_in_its_section(source, capsys):
    text = told(capsys, "greet", "--help").out
    sections = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert sections[:2] == ["Options:", "The data:"]
    assert text.index("--name") < text.index("The data:") < text.index("--label")
    assert text.index("Intervals:") < text.index("--level") < text.index("Output:")
