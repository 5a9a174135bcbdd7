"""The other side of `apart`: a process that sets its own limits, answers one request, and ends. It
ends when its parent does, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import IO, Any

from baserate.read.apart import READY, error_facts
from baserate.read.files import answer_request
from baserate.read.quotas import Quotas, confine

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


def say(out: IO[bytes], said: Mapping[str, Any]) -> None:
    """Write a line of JSON."""
    out.write(json.dumps(said).encode("ascii") + b"\n")
    out.flush()


def say_ready() -> None:
    """Say that everything a reader needs was found: what goes wrong later is about the file."""
    with contextlib.suppress(BrokenPipeError), os.fdopen(os.dup(1), "wb") as out:
        say(out, READY)


def main(request: Mapping[str, Any]) -> None:
    """Answer on standard output; whatever else writes there writes to nowhere."""
    with contextlib.suppress(BrokenPipeError), os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        confine(Quotas(*request["quotas"]))
        tempfile.tempdir = request["folder"]
        threading.Thread(target=_end_with_parent, daemon=True).start()
        sys.addaudithook(_refuse)
        try:
            answer = answer_request(
                request, request["folder"], lambda done, of: say(out, {"rows": done, "of": of})
            )
        except BaseException as error:  # noqa: BLE001 (the parent says it in one line)
            answer = error_facts(error.with_traceback(None))  # which held all that was read
        say(out, answer)
    os._exit(0)  # nothing here needs tidying up; the parent removes the folder


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event in FORBIDDEN:
        raise PermissionError(f"a reader does not do {event}")


def _end_with_parent() -> None:
    """Wait for the other end, which the parent holds for as long as it waits for the answer."""
    while os.read(0, 1 << 16):
        pass
    os._exit(1)
