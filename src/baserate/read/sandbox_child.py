"""The other side of `confined`: a process that sets its own limits, reads one source, answers, and
ends. It ends when its parent does, too.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import IO, Any

from baserate.read import source
from baserate.read.quotas import Quotas, confine
from baserate.read.sandbox import READY, send, send_error, send_tables
from baserate.read.streams import Limits
from baserate.read.table import Ceiling, ColumnRoles, Table
from baserate.read.text import TextOptions
from baserate.read.treatments import Treatment

# What no reader does, and what the code in a hostile file might like to do; Python reports each of
# them before it happens.
FORBIDDEN = frozenset(
    {
        "pickle.find_class",
        "marshal.load",
        "socket.connect",
        "socket.bind",
        "socket.getaddrinfo",
        "subprocess.Popen",
        "os.system",
        "os.exec",
    }
    | {
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "os.kill",
        "ftplib.connect",
        "urllib.Request",
    }
)

MOST_TRIES = 100


def say_ready() -> None:
    """Everything that a reader needs was found. Where nobody is there to hear it, `main` finds that
    out, and tidies up.
    """
    with contextlib.suppress(BrokenPipeError), os.fdopen(os.dup(1), "wb") as out:
        send(out, READY)


def main(request: Mapping[str, Any]) -> None:
    """Read what is requested, and report it on standard output; whatever else writes there writes
    to nowhere.
    """
    folder, spooled = request["folder"], request.get("spooled")
    try:
        with os.fdopen(os.dup(1), "wb") as out:
            os.dup2(2, 1)
            confine(Quotas(*request["quotas"]))
            tempfile.tempdir = folder
            threading.Thread(target=_listen, args=(folder, spooled), daemon=True).start()
            _answer(out, request)
            out.flush()
    except BrokenPipeError:  # nobody hears the answer, or will remove the folder
        _tidy(folder, spooled)
    os._exit(0)  # nothing here needs tidying up; the parent removes the folder


def _answer(out: IO[bytes], request: Mapping[str, Any]) -> None:
    try:
        sys.addaudithook(_refuse)
        if "sources" in request:
            _count(out, request)
            return
        wanted = ColumnRoles(**_tuples(request["wanted"]))
        tables = _tables(request, wanted)
    except BaseException as error:  # noqa: BLE001 (whatever it is, the parent says it in one line)
        send_error(out, error.with_traceback(None))  # which held all that was read
    else:
        send_tables(out, tables)


def _tables(request: Mapping[str, Any], wanted: ColumnRoles) -> list[Table]:
    asked, limits = TextOptions(**_tuples(request["asked"])), Limits(**request["limits"])
    options = source.Options(asked, limits, spooled=request["spooled"])
    return source.parts_here(request["source"], wanted, options)


def _count(out: IO[bytes], request: Mapping[str, Any]) -> None:
    """Count within a memory limit, and save the counts of each score into the folder."""
    from baserate.read.files import count_here

    def say_progress(done: int, total: int) -> None:
        send(out, {"rows": done, "of": total})
        out.flush()

    said = {name: _tuples(value) for name, value in request.items() if isinstance(value, dict)}
    options = source.Options(
        TextOptions(**said["asked"]),
        Limits(**said["limits"]),
        Treatment(**said["treatment"]),
        Ceiling(**said["ceiling"], progress=say_progress),
    )
    counted = count_here(request["sources"], ColumnRoles(**said["wanted"]), options)
    assert counted is not None
    for place, counts in enumerate(counted.values()):
        counts.save(os.path.join(tempfile.gettempdir(), f"{place}.counts"))
    send(out, {"models": list(counted)})


def _tuples(said: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as the tuples that they were."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
    }


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event in FORBIDDEN:
        raise PermissionError(f"a reader does not do {event}")


def _listen(folder: str, spooled: str | None) -> None:
    """Wait for the other end, which the parent holds for as long as it reads answers; what it
    cannot remove any more is removed here.
    """
    while os.read(0, 1 << 16):
        pass
    _tidy(folder, spooled)
    os._exit(1)


def _tidy(folder: str, spooled: str | None) -> None:
    """Remove what was written. Whoever still writes meanwhile may put something there once more,
    until the folder is gone.
    """
    if spooled is not None:
        with contextlib.suppress(OSError):
            os.unlink(spooled)
    for _ in range(MOST_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
