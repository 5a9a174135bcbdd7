"""Sources read in a process of their own: a file that crashes its reader, or fills the memory, ends
that process and not ours. It answers with checked cases, columns or saved counts.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.lib import format as npy

from baserate.atomic import user_limit
from baserate.counts.cells import Array
from baserate.counts.counts import Counts, facts_of, notes_from_facts
from baserate.errors import (
    MOST_EXAMPLES,
    MOST_PROBLEMS,
    Fix,
    InputError,
    Ledger,
    Note,
    Problem,
    Where,
    escaped,
    quoted,
    refuse_file,
    size,
)
from baserate.kernels import Cells
from baserate.read.cases import Cases, KeptRows, in_place
from baserate.read.columns import Column, objects
from baserate.read.quotas import CPU_S, Quotas
from baserate.read.saved import load
from baserate.read.table import ColumnRoles, FileRows, RowPlaces, SourceColumns, TableRows
from baserate.read.temporary import temporary_folder

# A process that lives for one file makes no garbage worth collecting.
START = """
import gc, json, sys
gc.disable()
line = sys.stdin.buffer.readline()
if not line.endswith(b"\\n"):  # whoever started us is gone
    sys.exit(1)
request = json.loads(line)
sys.path[:] = request["path"]
from baserate.read.apart_child import main, say_ready
say_ready()
main(request)
"""
# What the reader may know of our surroundings: where libraries and temporary files lie, and how
# names are spelled. No secrets.
ENVIRONMENT = frozenset(
    {
        "PATH",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "SYSTEMROOT",
        "WINDIR",
        "TMPDIR",
        "TEMP",
        "TMP",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
    }
)
# A reader does no algebra: these threads would only take time and room.
SINGLE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
READY = {"ready": True}
AGAIN = "the file is damaged or hostile: write it again"
SMALLER = "count a smaller part, or on a larger machine"
HIGHER = Fix(
    "more memory, or write it as Parquet, which is read in pieces",
    "a higher --memory, or write it as Parquet, read in pieces",
)
MOST_SAID, MOST_REASON, MOST_TEXT, MOST_LINE = 2000, 200, 2000, 1 << 24
# Bytes that describe an array.
MOST_HEADER = 128
GRACE_S = 10
CODE = re.compile(r"BR[0-9]{3}")
SHA256 = re.compile(r"([0-9a-f]{64})?")
PLAIN = (str, int, float, bool, type(None))


class UntrueError(Exception):
    """An answer that cannot be."""


class FailedError(Exception):
    """The reader ended with an error that it did not expect."""


class Answer(NamedTuple):
    """What a reader says in the end, and the folder in which it left files."""

    said: dict[str, Any]
    folder: str


def is_possible() -> bool:
    """Whether there is an interpreter to start: not inside of a program that only embeds Python,
    nor in a browser.
    """
    return (
        bool(sys.executable)
        and not getattr(sys, "frozen", False)
        and sys.platform not in ("emscripten", "wasi")
    )


# ----------------------------------------------------------------------
# The process.


@contextlib.contextmanager
def answered(
    shown: str,
    request: Mapping[str, Any],
    quotas: Quotas,
    progress: Callable[[int, int], None] | None = None,
    *,
    within: bool = False,
) -> Iterator[Answer]:
    """Give the answer of a process of its own; what it refused is raised as if it had been refused
    here, and whatever becomes of it is one line. `within` says that its memory is what a limit
    leaves.
    """
    with temporary_folder() as folder, _started(shown, folder) as reader:
        try:
            whole = {**request, "path": _places_of_modules(), "folder": folder, "quotas": quotas}
            if not reader.hears(whole):
                reader.end()
                raise _not_started(shown, reader.said())
            said = reader.next_said()
            while "rows" in said:
                if progress is not None:
                    progress(int(said["rows"]), int(said["of"]))
                said = reader.next_said()
            yield Answer(_without_errors(said), folder)
        except (EOFError, BrokenPipeError):
            raise _reader_failed(shown, reader.end()) from RuntimeError(reader.said())
        except MemoryError:
            there = "the ceiling leaves for reading it as a whole" if within else "there is"
            text = f"needs more memory to be read than {there} ({size(quotas.memory)}); nothing was"
            fix = HIGHER if within else SMALLER
            raise refuse_file(shown, "BR701", f"{text} counted", fix) from None
        except FailedError as error:
            text = f"the reader failed on this file ({quoted(str(error), quotes=False)})"
            raise _reader_failed(shown, text) from error
        except (UntrueError, KeyError, TypeError, IndexError) as error:
            text = f"the reader of this file gave a wrong answer ({quoted(str(error))}); nothing"
            raise refuse_file(shown, "BR707", f"{text} was counted", AGAIN) from None


def _reader_failed(shown: str, text: str) -> InputError:
    """Return the refusal where a reader fails. A library that gets no memory crashes, or calls the
    file damaged, more often than it says so.
    """
    limit, text, fix = user_limit(), f"{text}; nothing was counted", AGAIN
    if limit is not None:
        text += f" (the memory of a process is limited to {size(limit)} by ulimit)"
        fix = f"raise that limit, or {SMALLER}"
    return refuse_file(shown, "BR707", text, fix)


def _started(shown: str, folder: str) -> Reader:
    try:
        return Reader(folder)
    except OSError as error:
        if error.filename != sys.executable:
            raise
        raise _not_started(shown, str(error)) from error


def _not_started(shown: str, said: str) -> InputError:
    """Return the refusal where the installation is wrong, and not the file, of which nothing was
    read.
    """
    last = (said.strip().splitlines() or ["it said nothing"])[-1]
    text = (
        f"the process that would read this file did not start ({escaped(last[:MOST_REASON])});"
        " nothing was counted"
    )
    fix = f"run {quoted(sys.executable)} -c 'import baserate.read.apart_child': it has to be a"
    return refuse_file(shown, "BR709", text, f"{fix} Python that can do this")


def _places_of_modules() -> list[str]:
    """Return where modules are found: Python's own first, then the package and NumPy.

    Never in the working folder, by whatever name: data lie there, and a `numpy.py` beside them is
    none of ours.
    """
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109
    except OSError:  # it is gone
        here = ""
    standard = Path(os.__file__).parent
    package, numpy = Path(__file__).parents[2], Path(np.__file__).parents[1]
    first = (standard, standard / "lib-dynload", package, numpy)
    others = (
        place
        for place in sys.path
        if isinstance(place, str) and Path(place).is_absolute() and os.path.realpath(place) != here
    )
    return list(dict.fromkeys((*filter(os.path.isabs, map(str, first)), *others)))


def _plain(value: Any) -> Any:
    """Return a value that JSON does not know, such as a number of NumPy, as one that it knows."""
    return value.item() if hasattr(value, "item") else str(value)


def command() -> list[str]:
    """Return how to start a fresh interpreter that takes nothing from the user's surroundings."""
    flags = (["-X", "utf8"] if sys.flags.utf8_mode else []) + (
        ["-B"] if sys.dont_write_bytecode else []
    )
    return [sys.executable, "-I", *flags, "-c", START]


class Reader:
    """The process, in a session of its own: a Ctrl-C reaches us alone, and we end it, as we do in
    any case.
    """

    def __init__(self, folder: str) -> None:
        self.errors = os.path.join(folder, "errors")
        surroundings = {
            name: value for name, value in os.environ.items() if name.upper() in ENVIRONMENT
        } | SINGLE
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(  # noqa: S603 (ourselves)
                [*command(), folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=surroundings,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.process.wait()

    def hears(self, request: Mapping[str, Any]) -> bool:
        """Send the request, and return whether the process is running. Our end of its input stays
        open: when it closes, with us, the reader ends.
        """
        assert self.process.stdin is not None
        try:
            line = json.dumps(request, default=_plain).encode("ascii")
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
            return self.next_said() == READY
        except (EOFError, BrokenPipeError, UntrueError):
            return False

    def next_said(self) -> dict[str, Any]:
        """Return the next line that it says."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline(MOST_LINE)
        if not line.endswith(b"\n"):
            raise EOFError
        try:
            return dict(json.loads(line))
        except (ValueError, TypeError, RecursionError) as error:
            raise UntrueError("broken JSON") from error

    def end(self) -> str:
        """Return how it ended, where it gave no whole answer."""
        self._let_end()
        self._kill()
        status = self.process.wait()
        if status >= 0:
            return f"the reader of this file ended early (status {status})"
        if -status == getattr(signal, "SIGXCPU", None):
            return f"the reader of this file took more than {CPU_S // 3600} hours of processor time"
        name = next((each.name for each in signal.Signals if each == -status), f"signal {-status}")
        out_of_memory = "; out of memory?" if name == "SIGKILL" else ""
        return f"the reader crashed on this file ({name}{out_of_memory})"

    def said(self) -> str:
        """Return the end of what it wrote to its standard error."""
        with open(self.errors, "rb") as errors:
            errors.seek(max(os.fstat(errors.fileno()).st_size - MOST_SAID, 0))
            return errors.read(MOST_SAID).decode("utf-8", "replace")

    def _let_end(self) -> None:
        """Wait a while for it to end. Where that is possible it keeps its number, so that this
        still names its group, and no other.
        """
        if not hasattr(os, "waitid"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE_S)
            return
        end = time.monotonic() + GRACE_S
        while (
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
            and time.monotonic() < end
        ):
            time.sleep(0.01)

    def _kill(self) -> None:
        """End the whole group: whatever the reader started ends too."""
        if self.process.returncode is not None:  # its number may be another's by now
            return
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()


# ----------------------------------------------------------------------
# Refusals as plain values.


def error_facts(error: BaseException) -> dict[str, Any]:
    """Return why there is no answer."""
    if isinstance(error, MemoryError):
        return {"memory": True}
    if isinstance(error, InputError):
        problems = [
            {**asdict(problem), "in_table": isinstance(problem.where, TableRows)}
            for problem in error.problems
        ]
        return {"problems": problems}
    if isinstance(error, OSError) and error.errno is not None:
        path = None if error.filename is None else str(error.filename)
        return {"system": error.errno, "said": str(error.strerror), "filename": path}
    return {"failed": f"{type(error).__name__}: {error}"}


def _without_errors(said: dict[str, Any]) -> dict[str, Any]:
    """Return what the reader says, unless that is why it has no answer."""
    if said.get("problems"):
        raise InputError(map(_problem, said["problems"][:MOST_PROBLEMS]))
    if "memory" in said:
        raise MemoryError
    if "system" in said:
        path = said["filename"]
        raise OSError(int(said["system"]), _text(said["said"]), path and _text(path))
    if "failed" in said:
        raise FailedError(_text(said["failed"]))
    return said


def _problem(said: dict[str, Any]) -> Problem:
    where, fix = said["where"], Fix(_text(said["fix"]["python"]), _text(said["fix"]["command"]))
    if not CODE.fullmatch(_text(said["code"])):
        raise UntrueError("a code that is none")
    path = None if where["path"] is None else _path(where["path"])
    rows, lines = (_whole(where[name][:MOST_EXAMPLES]) for name in ("rows", "lines"))
    (total,) = _whole([where["total"]])
    place = (TableRows if said["in_table"] else Where)(path, rows, lines, total)
    return Problem(said["code"], _text(said["text"]), fix, place)


def _text(text: Any) -> str:
    """Return a text for a person: harmless, and not too long to be read."""
    if not isinstance(text, str):
        raise UntrueError("a text that is none")
    return escaped(text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…")


def _path(path: Any) -> str:
    if not isinstance(path, str):
        raise UntrueError("a place without a name")
    return path[: 2 * MOST_TEXT]


def _whole(numbers: Any) -> tuple[int, ...]:
    if any(type(number) is not int for number in numbers):
        raise UntrueError("numbers that are none")
    return tuple(numbers)


# ----------------------------------------------------------------------
# Columns, tables and cases in a folder: arrays as NumPy saves them, texts once each as JSON.


def save_column(folder: str, name: str, values: Array) -> None:
    """Save a column: numbers, or the place of each value in a list of few or many."""
    if values.dtype != object:
        np.save(os.path.join(folder, f"{name}.npy"), values)
        return
    words, codes = Column(name, values).coded
    with open(os.path.join(folder, f"{name}.json"), "w", encoding="ascii") as file:
        json.dump(words, file)
    np.save(os.path.join(folder, f"{name}.npy"), np.asarray(codes, dtype=np.int64))


def load_column(folder: str, name: str, rows: int, kinds: str = "biuf") -> Array:
    """Return a column of this number of rows."""
    values: Array = _loaded(os.path.join(folder, f"{name}.npy"))
    if values.shape != (rows,) or values.dtype.kind not in kinds:
        raise UntrueError("a column of another length or kind")
    path = os.path.join(folder, f"{name}.json")
    if not os.path.exists(path):  # noqa: PTH110
        return values
    try:
        with open(path, encoding="ascii") as file:
            words = objects(json.load(file))
    except (ValueError, RecursionError) as error:
        raise UntrueError("broken JSON") from error
    if values.dtype.kind != "i" or not all(isinstance(word, PLAIN) for word in words):
        raise UntrueError("a column of an unknown kind")
    if rows and not 0 <= int(values.min()) <= int(values.max()) < len(words):
        raise UntrueError("a code without a value")
    return np.asarray(words[values])


def _loaded(path: str) -> Array:
    try:
        with open(path, "rb") as file:
            values: Array = npy.read_array(file, allow_pickle=False, max_header_size=MOST_HEADER)
    except (ValueError, OSError, EOFError) as error:
        raise UntrueError("an array that is none") from error
    if values.dtype == np.bool_ and (values.view(np.uint8) > 1).any():
        raise UntrueError("a bool that is neither")
    return values


def save_columns(folder: str, found: SourceColumns) -> dict[str, Any]:
    """Save columns of a source, and return what else there is to say of them."""
    for number, values in enumerate(found.columns.values()):
        save_column(folder, f"column {number}", np.asarray(values))
    rows = len(next(iter(found.columns.values())))
    facts = facts_of(found.notes, Ledger(rows, rows))
    return {"columns": list(found.columns), "held": rows, "sha256": found.sha256, **facts}


def load_columns(folder: str, facts: dict[str, Any], wanted: ColumnRoles) -> SourceColumns:
    """Return the columns that a reader saved."""
    (rows,) = _whole([facts["held"]])
    if set(facts["columns"]) != set(wanted.columns) or not SHA256.fullmatch(facts["sha256"]):
        raise UntrueError("columns that were not requested")
    columns = {
        name: load_column(folder, f"column {number}", rows)
        for number, name in enumerate(facts["columns"])
    }
    return SourceColumns(columns, facts["sha256"], _ledger_and_notes(facts, 0, rows)[1])


def _ledger_and_notes(
    facts: dict[str, Any], positives: int, rows: int
) -> tuple[Ledger, tuple[Note, ...]]:
    totals = np.array([positives]), np.array([rows - positives])
    try:
        return notes_from_facts(facts, Cells(np.zeros(1), *totals))
    except ValueError as error:
        raise UntrueError(str(error)) from error


def save_places(folder: str, prefix: str, place: Callable[[Where], Where]) -> list[Any] | None:
    """Save where the user sees the rows; None for rows that nobody sees."""
    kept = None
    while isinstance(place, KeptRows):
        kept = place.kept if kept is None else place.kept[kept]
        place = place.place
    if kept is not None:
        np.save(os.path.join(folder, f"{prefix}kept.npy"), kept)
    if not isinstance(place, RowPlaces):
        return None
    for number, file in enumerate(place.files):
        if file.lines is not None:
            np.save(os.path.join(folder, f"{prefix}lines {number}.npy"), file.lines)
    return [[file.path, file.rows, file.first, file.lines is not None] for file in place.files]


def load_places(folder: str, prefix: str, files: list[Any], rows: int) -> Callable[[Where], Where]:
    """Return where the user sees the rows."""
    found = []
    for number, (path, held, first, listed) in enumerate(files):
        _whole([held, *([] if first is None else [first])])
        lines = load_column(folder, f"{prefix}lines {number}", held, "i") if listed else None
        found.append(FileRows(_path(path), held, first, lines))
    if not found:
        raise UntrueError("rows that lie nowhere")
    place = RowPlaces(tuple(found))
    if not os.path.exists(os.path.join(folder, f"{prefix}kept.npy")):  # noqa: PTH110
        return place
    return KeptRows(place, load_column(folder, f"{prefix}kept", rows, "i"))


def save_cases(folder: str, cases: Cases, prefix: str = "") -> dict[str, Any]:
    """Save cases, and return what else there is to say of them."""
    np.save(os.path.join(folder, f"{prefix}positive.npy"), cases.positive)
    columns = {f"score {number}": scores for number, scores in enumerate(cases.scores.values())}
    columns |= {f"beside {role}": column.values for role, column in cases.beside.items()}
    if cases.weights is not None:
        columns["weights"] = cases.weights
    for name, values in columns.items():
        save_column(folder, f"{prefix}{name}", values)
    facts = facts_of(cases.notes, cases.ledger)
    facts |= {"label": cases.label, "held": len(cases.positive)}
    facts["weighted"] = cases.weights is not None
    facts["files"] = save_places(folder, prefix, cases.place)
    if cases.unlabelled is not None:
        facts["unlabelled"] = save_cases(folder, cases.unlabelled, "unlabelled ")
    return facts


def load_cases(folder: str, facts: dict[str, Any], wanted: ColumnRoles, prefix: str = "") -> Cases:
    """Return the cases that a reader saved."""
    (rows,) = _whole([facts["held"]])
    positive = load_column(folder, f"{prefix}positive", rows, "b")
    scores = {
        name: load_column(folder, f"{prefix}score {number}", rows, "if")
        for number, name in enumerate(wanted.scores)
    }
    if any(np.isnan(values).any() for values in scores.values()):
        raise UntrueError("scores that are none")
    beside = {
        role: Column(quoted(name), load_column(folder, f"{prefix}beside {role}", rows))
        for role, name in wanted.beside.items()
    }
    weights = load_column(folder, f"{prefix}weights", rows, "f") if facts["weighted"] else None
    ledger, notes = _ledger_and_notes(facts, int(np.count_nonzero(positive)), rows)
    if not isinstance(facts["label"], PLAIN):
        raise UntrueError("a label that is none")
    unlabelled = None
    if "unlabelled" in facts:
        unlabelled = load_cases(folder, facts["unlabelled"], wanted, "unlabelled ")
    place: Callable[[Where], Where] = in_place
    if not prefix:
        place = load_places(folder, prefix, facts["files"], rows)
    return Cases(
        positive,
        facts["label"],
        scores,
        weights,
        notes,
        ledger,
        beside,
        unlabelled=unlabelled,
        place=place,
    )


def save_counts(folder: str, counted: dict[str, Counts]) -> dict[str, Any]:
    """Save the counts of each score."""
    for number, counts in enumerate(counted.values()):
        counts.save(os.path.join(folder, f"{number}.counts"))
    return {"counted": True}


def load_counts(folder: str, _: dict[str, Any], wanted: ColumnRoles) -> dict[str, Counts]:
    """Return the counts of each score that a reader saved."""
    counted = dict[str, Counts]()
    for number, name in enumerate(wanted.scores):
        counts = load(os.path.join(folder, f"{number}.counts"))
        if not isinstance(counts, Counts):
            raise UntrueError("other counts than were requested")
        counted[name] = counts
    return counted
