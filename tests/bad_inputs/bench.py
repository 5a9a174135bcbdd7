"""A folder to try an input in, and the program as a person runs it: what it says, in words and as
JSON, and that it leaves nothing behind.
"""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

from tests.cli.helpers import VALID, Done, told

import baserate as br

# Twenty cases of which there is nothing to say.
Y = [int(i % 4 == 0) for i in range(1, 21)]
M = [f"0.{i:02}" for i in range(1, 21)]


def table(**columns):
    """The text of a CSV file with these columns."""
    return "\n".join(
        [
            ",".join(columns),
            *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
            "",
        ]
    )


def with_(values, **places):
    """The values with others in their places: with_(Y, at3="x") has "x" at index 3."""
    return [places.get(f"at{i}", value) for i, value in enumerate(values)]


class _Streams:
    """What `told` asks of pytest's capsys, also where pytest is not running."""

    def __init__(self):
        self.out, self.err = (
            io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)
        )

    def readouterr(self):
        found = tuple(stream.buffer.getvalue().decode() for stream in (self.out, self.err))
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return found


class Bench:
    """One row's folder, which is the current one, so that messages name files as a person typed
    them.
    """

    def __init__(self, folder):
        self.folder = folder

    # --- what is given
    # -----------------------------------------------------------------------------------------------------------------  # noqa: E501

    def file(self, content, name="scores.csv"):
        """A file in the folder; its name."""
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def show(self, content, *more, name="scores.csv"):
        """The command that shows model m of such a file."""
        return ("show", self.file(content, name), "--label", "y", "--score", "m", *more)

    # --- what is said
    # ------------------------------------------------------------------------------------------------------------------  # noqa: E501

    def told(self, *command):
        streams = _Streams()
        with contextlib.redirect_stdout(streams.out), contextlib.redirect_stderr(streams.err):
            return told(streams, *command)

    def run(self, *command, stdin=b"", **environment):
        """The same in a process of its own, for what concerns one."""
        done = subprocess.run(
            [sys.executable, "-m", "baserate", *command],
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
            **environment,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def answer(self, *command, status=0):
        """The JSON answer, valid by the schema."""
        done = self.told(*command, "--json")
        assert done.status == status, done.err + done.out
        document = json.loads(done.out)
        VALID.validate(document)
        return document

    def accepted(self, *command, status=0):
        """The first line of an answer that comes without any note."""
        done = self.told(*command)
        assert (done.status, done.err) == (status, ""), done.err
        return done.out.splitlines()[0]

    def noted(self, code, *command, status=0):
        """The note with this code: once on stderr, and the same in the JSON."""
        done = self.told(*command, "--notes")
        assert done.status == status, done.err
        (line,) = [line for line in done.err.splitlines() if line.startswith(f"note {code}: ")]
        assert {"code": code, "text": line.removeprefix(f"note {code}: ")} in self.answer(
            *command, status=status
        )["notes"]
        return line

    def refused(self, *codes_and_command, status=2, lines=None, total=None, as_json=True):
        """The errors with these codes, one per line: nothing on stdout, the same in the JSON, and
        no file written or changed.
        """
        codes = [word for word in codes_and_command if word.startswith("BR")]
        command = [word for word in codes_and_command if not word.startswith("BR")]
        before = _listing(self.folder)
        done = self.told(*command)
        assert (done.status, done.out) == (status, ""), (done, command)
        said = [line for line in done.err.splitlines() if line.startswith("error ")]
        assert [line[6:11] for line in said] == codes, done.err
        if as_json:
            errors = self.answer(*command, status=status)["errors"]
            assert [error["code"] for error in errors] == codes
            assert all(
                line.endswith(f"Fix: {error['fix']}.")
                for line, error in zip(said, errors, strict=True)
            )
        if lines is not None:
            assert errors[0]["where"]["lines"] == list(lines)
            assert errors[0]["where"]["total"] == (len(lines) if total is None else total)
        assert _listing(self.folder) == before
        return "\n".join(said)

    # --- the same in Python
    # ------------------------------------------------------------------------------------------------------------  # noqa: E501

    def raised(self, code, call, *arguments, rows=None, total=None, **named):
        """What Python refuses, as the line that its user reads."""
        try:
            call(*arguments, **named)
        except br.InputError as error:
            assert error.code == code, error
            if rows is not None:
                where = error.problems[0].where
                assert (where.rows, where.total) == (
                    tuple(rows),
                    len(rows) if total is None else total,
                )
            return "\n".join(f"error {problem}" for problem in error.problems)
        raise AssertionError(f"{code} was not raised")

    def remarked(self, code, value):
        """The note of a value, as Python prints it."""
        (note,) = [note for note in value.notes if note.code == code]
        return f"note {note}"


def _listing(folder):
    return sorted(
        (str(path), path.stat(follow_symlinks=False).st_mtime_ns) for path in folder.rglob("*")
    )
