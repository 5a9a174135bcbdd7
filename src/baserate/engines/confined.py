"""Reading in a process of its own: a file that crashes its reader, or fills the memory, ends that process and not ours.

The reader is a fresh interpreter with limits, never a fork. It is told what to read by a line of JSON, and answers with data that are
checked like any other input (see `answers`). It ends with its answer, with us, or when we do not want it any more. One that reads in pieces
is asked again and again.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from baserate.engines.answers import READY, Failed, received
from baserate.engines.crossing import Incoming, Untrue
from baserate.engines.quotas import CPU_S, Quotas, machine_memory, user_limit
from baserate.engines.streams import PREFIX
from baserate.engines.wanted import Table, Wanted
from baserate.errors import Fix, InputError, escaped, quoted, refuse_file, size

if TYPE_CHECKING:
    from baserate.engines.files import Options

# A process that lives for one file makes no garbage worth collecting.
START = """
import gc, json, sys
gc.disable()
line = sys.stdin.buffer.readline()
if not line.endswith(b"\\n"):  # whoever started us is gone
    import shutil
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    sys.exit(1)
request = json.loads(line)
sys.path[:] = request["path"]
from baserate.engines.confined_child import main, say_ready
say_ready()
main(request)
"""
# What the reader may know of our surroundings: where libraries and temporary files lie, and how names are spelled. No secrets.
ENVIRONMENT = frozenset(
    {"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE"}
)
# A reader does no algebra: these threads would only take time and room.
SINGLE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
AGAIN = "the file is damaged or hostile: write it again"
SMALLER = "count a smaller part, or on a larger machine"
HIGHER = Fix("more memory, or write it as Parquet, which is read in pieces", "a higher --memory, or write it as Parquet, read in pieces")
MOST_SAID, MOST_REASON = 2000, 200
PIPE = 1 << 20
GRACE_S = 10
# Under a lower ceiling DuckDB, which takes what it likes before it looks at its limit, may not live to read a text.
ROOMY = 10**9


def is_possible() -> bool:
    """Whether there is an interpreter to start: not inside of a program that only embeds Python, nor in a browser."""
    return bool(sys.executable) and not getattr(sys, "frozen", False) and sys.platform not in ("emscripten", "wasi")


def read(source: str, shown: str, wanted: Wanted, options: Options) -> list[Table]:
    """The tables of one source; errors are those that reading it here would raise, and one line where the reader does not survive it."""
    memory = machine_memory() if options.ceiling.memory is None else min(machine_memory(), options.ceiling.memory // 2)
    quotas, under = Quotas(memory, written=options.limits.most + (1 << 24)), options.ceiling.memory is not None
    with listening(shown, _request(source, wanted, options), quotas, under=under) as reader:
        return received(reader.incoming, wanted.columns, several=is_several(source))


class Listening(NamedTuple):
    """A reader that was asked something: what it answers, and how to ask for more."""

    incoming: Incoming
    ask: Callable[[dict[str, Any]], None]


@contextlib.contextmanager
def listening(shown: str, request: dict[str, Any], quotas: Quotas, *, under: bool = False) -> Iterator[Listening]:
    """A reader that is asked a first thing; it ends with the context. `under` says that its memory is what a ceiling leaves."""
    with _folder() as folder, _started(shown, folder) as reader:
        try:
            incoming = Incoming(reader.answer, quotas.memory)
            if not reader.hears(request | {"path": _places_of_modules(), "folder": folder, "quotas": quotas}, incoming):
                reader.end()
                raise _not_started(shown, reader.said())
            yield Listening(incoming, reader.ask)
        except (EOFError, BrokenPipeError):
            text, limit = f"{reader.end()}; nothing was counted", user_limit()
            if limit is not None:  # a library that gets no memory crashes more often than it says so
                text += f" (the memory of a process is limited to {size(limit)} by ulimit)"
            fix = AGAIN if limit is None else f"raise that limit, or {SMALLER}"
            raise refuse_file(shown, "BR707", text, fix) from RuntimeError(reader.said())
        except MemoryError:
            there = "the ceiling leaves for reading it as a whole" if under else "there is"
            text = f"needs more memory to be read than {there} ({size(quotas.memory)}); nothing was counted"
            raise refuse_file(shown, "BR701", text, HIGHER if under else SMALLER) from None
        except Failed as error:
            text = f"the reader failed on this file ({quoted(str(error), quotes=False)}); nothing was counted"
            raise refuse_file(shown, "BR707", text, AGAIN) from error
        except Untrue as error:
            raise refuse_file(shown, "BR707", f"the reader of this file gave a wrong answer ({error}); nothing was counted", AGAIN) from None


def is_several(source: str) -> bool:
    """Whether a source may be several files: a folder or a pattern."""
    return os.path.isdir(source) or (glob.has_magic(source) and "::" not in source and not os.path.lexists(source))  # noqa: PTH112


def _started(shown: str, folder: str) -> _Reader:
    try:
        return _Reader(folder)
    except OSError as error:
        if error.filename != sys.executable:
            raise
        raise _not_started(shown, str(error)) from error


def _not_started(shown: str, said: str) -> InputError:
    """What is wrong is the installation, and not the file, of which nothing was read."""
    last = (said.strip().splitlines() or ["it said nothing"])[-1]
    text = f"the process that would read this file did not start ({escaped(last[:MOST_REASON])}); nothing was counted"
    fix = f"run {quoted(sys.executable)} -c 'import baserate.engines.confined_child': it has to be a Python that can do this"
    return refuse_file(shown, "BR709", text, fix)


def _request(source: str, wanted: Wanted, options: Options) -> dict[str, Any]:
    return {
        "source": source,
        "wanted": asdict(wanted),
        "asked": asdict(options.asked),
        "limits": asdict(options.limits),
        "spooled": options.spooled,
        "untreated": options.untreated,
        "careful": min(options.ceiling.memory or ROOMY, user_limit() or ROOMY) < ROOMY,
    }


def _places_of_modules() -> list[str]:
    """Modules are found where we find them: Python's own first, then the package and NumPy.

    Never in the working folder, by whatever name: data lie there, and a `numpy.py` beside them is none of ours.
    """
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109
    except OSError:  # it is gone
        here = ""
    standard = Path(os.__file__).parent
    first = (standard, standard / "lib-dynload", Path(__file__).parents[2], Path(np.__file__).parents[1])
    others = (place for place in sys.path if isinstance(place, str) and Path(place).is_absolute() and os.path.realpath(place) != here)
    return list(dict.fromkeys((*filter(os.path.isabs, map(str, first)), *others)))


def _plain(value: Any) -> Any:
    """A value that JSON does not know, such as a number of NumPy."""
    return value.item() if hasattr(value, "item") else str(value)


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """Where the reader writes what it has to, such as an unpacked copy; gone afterwards, however the reader ended."""
    folder = tempfile.mkdtemp(prefix=PREFIX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def command() -> list[str]:
    """A fresh interpreter that takes nothing from the user's surroundings."""
    flags = (["-X", "utf8"] if sys.flags.utf8_mode else []) + (["-B"] if sys.dont_write_bytecode else [])
    return [sys.executable, "-I", *flags, "-c", START]


class _Reader:
    """The process, in a session of its own: a Ctrl-C reaches us alone, and we end it, as we do in any case."""

    def __init__(self, folder: str) -> None:
        self.errors = os.path.join(folder, "errors")
        surroundings = {name: value for name, value in os.environ.items() if name.upper() in ENVIRONMENT} | SINGLE
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

    @property
    def answer(self) -> IO[bytes]:
        assert self.process.stdout is not None
        with contextlib.suppress(ImportError, AttributeError, OSError):  # a larger pipe takes fewer turns, where the system has one
            import fcntl

            fcntl.fcntl(self.process.stdout, fcntl.F_SETPIPE_SZ, PIPE)
        return self.process.stdout

    def hears(self, request: dict[str, Any], incoming: Incoming) -> bool:
        """Whether it is there to be asked. Our end of its input stays open: when it closes, with us, the reader ends."""
        try:
            self.ask(request)
            return bool(incoming.json() == READY)
        except (EOFError, BrokenPipeError, Untrue):
            return False

    def ask(self, request: dict[str, Any]) -> None:
        """Send a line. What hears it at the other end waits for nothing else, so that this does not wait either."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request, default=_plain).encode("ascii") + b"\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """How it ended, where it gave no whole answer."""
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
        """The end of what it wrote to its standard error."""
        with open(self.errors, "rb") as errors:
            errors.seek(max(os.fstat(errors.fileno()).st_size - MOST_SAID, 0))
            return errors.read(MOST_SAID).decode("utf-8", "replace")

    def _let_end(self) -> None:
        """Wait a while for it to end. Where that is possible it keeps its number, so that this still names its group, and no other."""
        if not hasattr(os, "waitid"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE_S)
            return
        end = time.monotonic() + GRACE_S
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.monotonic() < end:
            time.sleep(0.01)

    def _kill(self) -> None:
        """The whole group: whatever the reader started is not wanted either."""
        if self.process.returncode is not None:  # its number may be another's by now
            return
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
