"""The other side of `confined`: a process that sets its own limits, reads one source, answers, and
ends. It ends when its parent does, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any

from baserate.read import source
from baserate.read.columns import Unread
from baserate.read.quotas import Quotas, confine
from baserate.read.sandbox import READY, send, send_error, send_tables
from baserate.read.streams import Limits
from baserate.read.table import ColumnRoles, Table
from baserate.read.text import TextOptions

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
            lines = queue.SimpleQueue[bytes]()
            threading.Thread(target=_listen, args=(lines.put, folder, spooled), daemon=True).start()
            _answer(out, request, lambda: json.loads(lines.get()))
            out.flush()
    except BrokenPipeError:  # nobody hears the answer, or will remove the folder
        _tidy(folder, spooled)
    os._exit(0)  # nothing here needs tidying up; the parent removes the folder


def _answer(out: IO[bytes], request: Mapping[str, Any], next_request: Callable[[], Any]) -> None:
    if "scale" in request:
        _answer_in_pieces(out, request["scale"], next_request)
        return
    try:
        wanted = ColumnRoles(**_tuples(request["wanted"]))
        sys.addaudithook(_refuse)
        tables = _tables(request, wanted)
    except BaseException as error:  # noqa: BLE001 (whatever it is, the parent says it in one line)
        send_error(out, error.with_traceback(None))  # which held all that was read
    else:
        send_tables(out, tables)


def _tables(request: Mapping[str, Any], wanted: ColumnRoles) -> list[Table]:
    asked, limits = TextOptions(**_tuples(request["asked"])), Limits(**request["limits"])
    options = source.Options(
        asked,
        limits,
        spooled=request["spooled"],
        careful=request["careful"],
        untreated=request["untreated"],
    )
    tables = source.parts_here(request["source"], wanted, options)
    if any(isinstance(one, Unread) for table in tables for one in table.columns.values()):
        from baserate.read.files import refuse_unread

        refuse_unread(request["source"], tables, wanted)
    return tables


def _answer_in_pieces(
    out: IO[bytes], said: Mapping[str, Any], next_request: Callable[[], Any]
) -> None:
    """For counting under a ceiling: first what there is, then the cases piece by piece, for as long
    as it is requested.
    """
    try:
        from baserate.read.large_formats import How, answer_pieces, send_description, send_texts

        sys.addaudithook(_refuse)
        sources, wanted = said["sources"], ColumnRoles(**_tuples(said["wanted"]))
        text = said["text"] and How.of(
            _tuples(said["text"]["asked"]), said["text"]["limits"], said["memory"]
        )
        found = (
            send_texts(out, sources, wanted, text)
            if text
            else send_description(out, sources, wanted, said["memory"])
        )
        out.flush()
        answer_pieces(out, found, said["memory"], next_request)
    except BaseException as error:  # noqa: BLE001 (as above)
        send_error(out, error)


def _tuples(said: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as the tuples that they were."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
    }


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event in FORBIDDEN:
        raise PermissionError(f"a reader does not do {event}")


def _listen(heard: Callable[[bytes], object], folder: str, spooled: str | None) -> None:
    """Hand on every line. The parent holds the other end for as long as it reads answers; what it
    cannot remove any more is removed here.
    """
    waiting = b""
    while more := os.read(0, 1 << 16):
        *lines, waiting = (waiting + more).split(b"\n")
        for line in lines:
            heard(line)
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
