"""Commands run as a person runs them, in this process: what they say, and the files they read."""

import contextlib
import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from baserate.cli import main

try:
    import jsonschema
except ModuleNotFoundError:  # `make quick` does without, a build does not
    assert not os.environ.get("BASERATE_REQUIRE_ALL")
    jsonschema = None


class Unchecked:
    """What stands in for the schema where jsonschema is not installed: every document is valid."""

    def validate(self, document):
        """Nothing is checked."""


VALID = (
    jsonschema.Draft202012Validator(
        json.loads((Path(__file__).parents[2] / "docs" / "reference" / "schema.json").read_text())
    )
    if jsonschema
    else Unchecked()
)


class Done(NamedTuple):
    status: int
    out: str
    err: str


def run(*arguments, cwd="."):
    """The same as from a process of its own, whose start is not what is tested."""
    out, err, status = io.StringIO(), io.StringIO(), None
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd),
    ):
        try:
            main.main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def told(capsys, *arguments):
    """What a command says, on either stream, and its exit status."""
    capsys.readouterr()
    status = main._run([str(argument) for argument in arguments])
    return Done(status, *capsys.readouterr())


def answered(capsys, *arguments, status=0):
    """The JSON answer, valid by the schema."""
    done = told(capsys, *arguments, "--json")
    assert done.status == status, done.err + done.out
    document = json.loads(done.out)
    VALID.validate(document)
    return document


def first_point(answer):
    """The first point of the first model, as either form of the JSON has it."""
    if "result" in answer:
        return next(iter(answer["result"]["points"].values()))
    return answer["models"][0]["points"][0]


def refused(capsys, *arguments, status=2):
    """The one line of a refusal: nothing on stdout, and the same as JSON."""
    done = told(capsys, *arguments)
    assert (done.status, done.out) == (status, "")
    assert done.err.startswith("error BR")
    assert done.err.count("\n") == 1
    assert answered(capsys, *arguments, status=status)["errors"][0]["code"] == done.err[6:11]
    return done.err


def written(path, header, rows):
    """A CSV file of these rows, quoted where it must be."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    path.write_text(text.getvalue())
    return str(path)


def damaged(document, *path, value=None):
    """The document with one part of it deleted, or replaced."""
    *way, last = path
    part = document
    for step in way:
        part = part[step]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return document
