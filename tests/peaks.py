"""What a command takes, with all that it starts: time, and memory at its peak."""

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple


class Taken(NamedTuple):
    """What it said, seconds of CPU and by the clock, bytes of all resident sets together, and its
    exit status.
    """

    said: str
    cpu: float
    wall: float
    peak: int
    status: int


def resident(pid):
    """Bytes of a process and of all that it started (pages that two of them share count twice)."""
    total, waiting = 0, [pid]
    while waiting:
        here = waiting.pop()
        try:
            total += int(Path(f"/proc/{here}/statm").read_text().split()[1]) * os.sysconf(
                "SC_PAGE_SIZE"
            )
            for task in Path(f"/proc/{here}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return total


def taken_by(command, every=0.005):
    """Run a command to its end, and look at its memory every so many seconds."""
    peak, ended, begun = [0], threading.Event(), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def watch():
        while not ended.wait(every):
            peak[0] = max(peak[0], resident(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    said = process.stdout.read().strip()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    return Taken(
        said, usage.ru_utime + usage.ru_stime, time.monotonic() - begun, peak[0], process.returncode
    )
