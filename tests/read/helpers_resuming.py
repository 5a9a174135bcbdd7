"""A count that can be resumed, in a process that is sent a signal while it counts; under the
conditions of `kill_count`.
"""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from tests.read.kill_count import stage_of

import baserate

SCRIPT = Path(__file__).with_name("kill_count.py")
SOURCES = str(Path(baserate.__file__).parents[1])
CASES, PART, OUTPUT, TEMPORARY = "big.parquet", "x.part", "y.counts", "temporary"
COMMAND = (
    "count",
    CASES,
    "--label",
    "y",
    "--score",
    "m",
    "--memory",
    "320MB",
    "--resume",
    PART,
    "-o",
    OUTPUT,
)
PATIENCE = 120


def made(rows=60_000):
    """Labels and scores, and the current folder with a file of them."""
    rng = np.random.default_rng(3)
    y = rng.random(rows) < 0.01
    m = rng.random(rows) + 0.2 * y
    parquet.write_table(pa.table({"y": y, "m": m}), CASES, row_group_size=500)
    Path(TEMPORARY).mkdir()
    return y, m


def begun():
    """The command, begun or begun again."""
    environment = {**os.environ, "PYTHONPATH": SOURCES, "TMPDIR": str(Path(TEMPORARY).absolute())}
    words = [sys.executable, str(SCRIPT), "--command", *COMMAND]
    return subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def stopped_in(stage, sent):
    """Exit status and what was said, of a run that is sent a signal when its checkpoint is of this
    stage; and the processes it had started.
    """
    process = begun()
    try:
        wait_for(lambda: Path(PART).exists() and stage_of(Path(PART)) == stage, process)
        readers = started_by(process.pid)
        process.send_signal(sent)
        out, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.communicate()
    return process.returncode, out, said, readers


def wait_for(happens, process):
    end = time.monotonic() + PATIENCE
    while not happens():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.002)


def started_by(parent):
    """The processes whose parent this is."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                found += (
                    [int(entry.name)]
                    if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent
                    else []
                )
    return found
