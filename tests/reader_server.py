"""Readers without their start: one process that has loaded what a reader loads, and forks for each.

A reader process (`baserate.read.apart.Reader`) starts a fresh interpreter for every file, which
takes much longer than to read the files of tests. What `install` puts in its place is forked from
an interpreter that was started by the same command in the same surroundings; it runs the same code
(`apart.START`) in a session of its own, under the same limits, over the same pipes. Tests about
the start or the end of the process itself are marked `own_reader`, and get the true one.
"""

import atexit
import contextlib
import functools
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from pathlib import Path

MOST = 1 << 20
TRUE_START = "own_reader"
POSSIBLE = sys.platform == "linux" and hasattr(os, "pidfd_open")

# ----------------------------------------------------------------------
# In the tests.


class Process:
    """What `apart.Reader` asks of a `subprocess.Popen`."""

    def __init__(self, asked, folder, errors, environment):
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        self.stdin, self.stdout = os.fdopen(ours_in, "wb"), os.fdopen(ours_out, "rb")
        self.returncode, self.heard = None, b""
        self.line, there = socket.socketpair()
        said = {"asked": asked, "folder": folder, "environment": environment, "cwd": _cwd()}
        given = [theirs_in, theirs_out, errors.fileno(), there.fileno()]
        path = os.path.join(folder, "request")
        with open(path, "w") as file:
            json.dump(said, file)
        socket.send_fds(_server(), [path.encode()], given)
        os.close(theirs_in)
        os.close(theirs_out)
        there.close()
        self.pid = int(self._next())

    def wait(self, timeout=None):
        """The exit status, as of `subprocess`. The process keeps its number until then."""
        if self.returncode is None:
            self.line.settimeout(timeout)
            try:
                self.returncode = int(self._next())
            except TimeoutError:
                raise subprocess.TimeoutExpired("a reader", timeout) from None
            self.line.close()
        return self.returncode

    def _next(self):
        while b"\n" not in self.heard:
            more = self.line.recv(64)
            if not more:
                raise OSError("the server of readers is gone")
            self.heard += more
        first, _, self.heard = self.heard.partition(b"\n")
        return first


def install():
    """Put it in the place of the reader of this process, where the system has what it needs."""
    if not POSSIBLE:
        return
    from baserate.read import apart

    class Forked(apart.Reader):
        def __init__(self, folder):
            self.errors = os.path.join(folder, "errors")
            with open(self.errors, "wb") as errors:
                self.process = Process(apart.START, folder, errors, _surroundings())

        def _let_end(self):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(apart.GRACE_S)

    apart.Reader = Forked


@contextlib.contextmanager
def true_start():
    """Readers start as they do without this, in this context."""
    from baserate.read import apart

    here = apart.Reader
    apart.Reader = here.__mro__[-2]
    try:
        yield
    finally:
        apart.Reader = here


def _cwd():
    try:
        return str(Path.cwd())
    except OSError:  # it is gone
        return None


@functools.cache
def _server():
    """The line to the server, which is started when first asked for. Forks of this process share
    it.
    """
    from baserate.read import apart

    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    *command, _ = apart.command()
    places = [*apart._places_of_modules(), str(Path(__file__).parents[1])]
    start = f"import sys; sys.path[:] = {places!r}\nfrom tests import reader_server as it\n"
    process = subprocess.Popen(
        [*command, f"{start}it.serve({theirs.fileno()})"],
        env=_surroundings(),
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    theirs.close()
    atexit.register(_end, process, ours)
    return ours


def _end(process, line):
    line.close()
    process.wait()


def _surroundings():
    from baserate.read import apart

    return {
        name: value for name, value in os.environ.items() if name.upper() in apart.ENVIRONMENT
    } | apart.SINGLE


# ----------------------------------------------------------------------
# In the server.


def serve(number):
    """Fork for every request, and say with which number, and how it ended."""
    import bz2  # noqa: F401
    import lzma  # noqa: F401
    import sqlite3  # noqa: F401

    with contextlib.suppress(ImportError):  # DuckDB 1.3 has another name for it
        import _duckdb  # noqa: F401 (it and the rest: what readers load when they need it)

    from baserate.read import (  # noqa: F401
        apart_child,
        arrow,
        databases,
        duckdb,
        files,
        json_lines,
        large,
        npz,
        parquet,
        source,
    )

    line = socket.socket(fileno=number)
    waiting = selectors.DefaultSelector()
    waiting.register(line, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is not line:
                _ended(waiting, key)
                continue
            path, fds, _, _ = socket.recv_fds(line, MOST, 4)
            if not path:
                os._exit(0)  # whoever asked is gone; so are the other ends of all pipes
            _forked(waiting, path.decode(), fds)


def _forked(waiting, path, fds):
    child = os.fork()
    if not child:
        _read(waiting, path, fds)
    for fd in fds[:3]:
        os.close(fd)
    told = socket.socket(fileno=fds[3])
    _tell(told, child)
    waiting.register(os.pidfd_open(child), selectors.EVENT_READ, (child, told))


def _ended(waiting, key):
    """Two turns: the process has ended; then who asked for it has heard so. Its number is its own
    until then.
    """
    child, told = key.data
    waiting.unregister(key.fileobj)
    if key.fileobj is told:
        told.close()
        os.waitpid(child, 0)
        return
    os.close(key.fd)
    found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    _tell(told, found.si_status if found.si_code == os.CLD_EXITED else -found.si_status)
    waiting.register(told, selectors.EVENT_READ, (child, told))


def _tell(told, number):
    with contextlib.suppress(OSError):  # nobody waits for it
        told.sendall(f"{number}\n".encode())


def _read(waiting, path, fds):
    """What a fresh interpreter does that was started with `-c START folder`."""
    status = 1
    try:
        os.setsid()
        for number, fd in enumerate(fds[:3]):
            os.dup2(fd, number)
        waiting.close()
        os.closerange(3, max(map(int, os.listdir("/proc/self/fd"))) + 1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with open(path) as file:
            said = json.load(file)
        os.unlink(path)
        if said["cwd"] is not None:
            os.chdir(said["cwd"])
        os.environ.clear()
        os.environ.update(said["environment"])
        sys.argv[:] = ["-c", said["folder"]]
        exec(said["asked"], {"__name__": "__main__"})
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # noqa: BLE001 (as Python ends)
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)
