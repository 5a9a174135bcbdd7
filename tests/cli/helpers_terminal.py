"""Commands run where a person runs them: in a process of their own, in a terminal of any width,
stopped on the way.
"""

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time

BASERATE = (sys.executable, "-m", "baserate")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def run(*words, env=None, **more):
    """What a command says through pipes."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run(
        [*BASERATE, *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
        **more,
    )


def in_terminal(columns, *words, program=BASERATE, **more):
    """What a command writes to a terminal of so many columns, and its exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")
    } | more
    process = subprocess.Popen(
        [*program, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # how a terminal says that the other side is gone
        while piece := os.read(ours, 65536):
            text += piece
    os.close(ours)
    return process.wait(timeout=60), text.decode().replace("\r\n", "\n")


def stopped(sent, folder, *words):
    """The exit status of a command that is sent a signal while it computes what goes into a file of
    this folder, and what it says.
    """
    process = subprocess.Popen(
        [*BASERATE, *words, "-o", str(folder / "answer")], stderr=subprocess.PIPE, text=True
    )
    for _ in range(600):
        if (folder / ".answer.writing").exists():
            break
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(sent)
    _, said = process.communicate(timeout=30)
    return process.returncode, said
