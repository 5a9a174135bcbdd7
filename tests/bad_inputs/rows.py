"""The rows of bad and odd inputs: one function a row, which tries the input and gives the very
lines that a person is shown.
"""

import contextlib
import functools
import re
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from tests import reader_server
from tests.bad_inputs.bench import Bench

# Each section with its file and its rows.
SECTIONS = {
    "A. Labels": ("a_labels", range(1, 17)),
    "B. Scores": ("b_scores", range(17, 37)),
    "C. Weights": ("c_weights", range(37, 45)),
    "D. Models, ids and pairs": ("d_models", range(45, 59)),
    "E. Priors, costs and budgets": ("e_conditions", range(59, 88)),
    "F. Text files": ("f_text", range(88, 113)),
    "G. Binary files, compression and databases": ("g_binary", range(113, 129)),
    "H. Output": ("h_output", range(129, 138)),
    "I. Runtime and environment": ("i_environment", range(138, 151)),
}
NUMBERS = range(1, 151)
OF_PROCESSES = SECTIONS["I. Runtime and environment"][1]
LONGEST = 420
ERROR = re.compile(r"error (BR\d{3}): .+ Fix: .+\.")
NOTE = re.compile(r"note (BR\d{3}): .+")
JARGON = re.compile(r"Traceback|dtype|ndarray|object at 0x|\bNone\b|[0-9]e-?[0-9]+ bytes")


class Row(NamedTuple):
    """One row: what was given, how it is tried, and why it differs from what was asked for, if it
    does.
    """

    number: int
    given: str
    tried: Callable[[Bench], str | tuple[str, ...]] | None = None
    why: str = ""
    waits: str = ""  # for an issue


ROWS: dict[int, Row] = {}
ADDED: dict[int, list[Row]] = {}


def row(number, given, why=""):
    """Register the function as the test of this row."""

    def register(tried):
        return _tested(_entered(Row(number, given, tried, why)))

    return register


def also(number):
    """Register the function as one more test of a row: what an option makes of the input."""

    def register(tried):
        found = Row(number, "", tried)
        ADDED.setdefault(number, []).append(found)
        return _tested(found)

    return register


def later(number, given, issue, why):
    """A row that belongs to another issue, and why."""
    _entered(Row(number, given, None, why, issue))


def everything():
    """Every row, by its number, from all sections."""
    for name, _ in SECTIONS.values():
        import_module(f"tests.bad_inputs.test_{name}")
    return ROWS


@functools.cache
def shown(found):
    """The lines that a person sees, each held against what every message has to be."""
    start = reader_server.true_start if found.number in OF_PROCESSES else contextlib.nullcontext
    with start(), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        given = found.tried(Bench(Path(folder)))
        lines = tuple(given if isinstance(given, tuple) else (given,))
        lines = tuple(
            line for part in lines for line in part.replace(f"{folder}/", "").splitlines()
        )
    assert lines, "a row shows something"
    for line in lines:
        _check_line(line)
    return lines


def _entered(found):
    assert found.number not in ROWS, f"row {found.number} stands twice"
    assert found.number in NUMBERS
    ROWS[found.number] = found
    return found


def _tested(found):
    @functools.wraps(found.tried)
    def test():
        shown(found)

    del test.__wrapped__  # pytest would ask for the bench as a fixture
    return test


def _check_line(line):
    assert len(line) <= LONGEST, f"{len(line)} characters: {line}"
    assert not JARGON.search(line), line
    assert line.isprintable(), line
    if line.startswith("error "):
        assert ERROR.fullmatch(line), line
        places = re.search(r"\((?:lines?|index) ([^)]*)\)", line)
        assert not places or places[1].count(",") < 3, line
    if line.startswith("note "):
        assert NOTE.fullmatch(line), line
