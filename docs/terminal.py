"""Writes docs/terminal.md: every command run in a terminal of 80 and of 40 columns, as it looks
there. `python docs/terminal.py` (Linux).
"""

import contextlib
import fcntl
import os
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "terminal.md"
TWO = "--label fraud --score logit --score forest"
RUNS = (
    f"baserate show payments.csv {TWO}",
    f'baserate choose payments.csv {TWO} --prior "1 in 1000" --cost fn=100,fp=1',
    f"baserate choose payments.csv {TWO} --prior 1e-4..1e-2 --cost fn=100,fp=1",
    f"baserate compare payments.csv {TWO}",
    (
        "baserate slices sites.csv --label ill --score score --group site --threshold 0.5 --require"
        ' "recall >= 0.9"'
    ),
    'baserate gate traffic.csv "fpr <= 1e-5" --label attack --score detector --threshold 0.9995',
    "baserate curve broc traffic.csv --label attack --score detector --prior 1e-4",
    "baserate calc --sensitivity 90% --specificity 85% --prior 1%",
    f"baserate count payments.csv {TWO} -o week.counts --force",
    "baserate show payments.csv --label fraude --score logit",
)
HEAD = """# In a terminal

Written by `python docs/terminal.py`: the same commands in a terminal of 80 columns and in one of 40, on the files of the
[cookbook](cookbook.md). Tables that do not fit get headings of several lines, and then one row below the other. In a pipe or a file nothing is
folded.
"""  # noqa: E501


def seen(command: str, columns: int, folder: str) -> str:
    """What the terminal shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    settings = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")
    } | {"TERM": "dumb"}
    words = [sys.executable, "-m", "baserate", *shlex.split(command)[1:]]
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=settings
    )
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # how a terminal says that the other side is gone
        while piece := os.read(ours, 65536):
            text += piece
    os.close(ours)
    process.wait()
    return text.decode().replace("\r\n", "\n")


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(HERE / "cookbook_data.py")], cwd=folder, check=True)
        for command in RUNS:
            name = shlex.split(command)[1]
            parts += [f"## {name}\n\n`{command}`\n"]
            parts += [
                f"{columns} columns:\n\n```text\n{seen(command, columns, folder)}```\n"
                for columns in (80, 40)
            ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
