"""Runs a command of baserate that gets a signal at its n-th call of a Python function, wherever
that is: in an import, in a callback whose exceptions Python swallows, while it tidies up.

    python campaigns/nth_call.py SIGTERM 5000 calls count x.csv --label y --score s -o x.counts

Writes to the file `calls` how many calls there were, up to the signal; n = 0 sends none.
"""

import os
import runpy
import signal
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    kind, n, note = signal.Signals[sys.argv[1]], int(sys.argv[2]), Path(sys.argv[3])
    calls = 0
    # What the starter of the campaign ignores (nohup, a job in the background) is not ignored here.
    signal.signal(kind, signal.default_int_handler if kind == signal.SIGINT else signal.SIG_DFL)

    def count(_frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        if event != "call":
            return
        calls += 1
        if calls == n:
            sys.setprofile(None)
            note.write_text(str(calls))
            os.kill(os.getpid(), kind)

    sys.argv[:] = ["baserate", *sys.argv[4:]]
    sys.setprofile(count)
    try:
        runpy.run_module("baserate", run_name="__main__", alter_sys=True)
    finally:
        sys.setprofile(None)
        if calls < n or not n:
            note.write_text(str(calls))


if __name__ == "__main__":
    main()
