"""Counts a file that a checkpoint makes resumable, in a child that is killed at a random moment,
again and again; prints what was seen.

Run: python tests/read/kill_count.py FILE FOLDER ROUNDS [approx].

Small pieces, a checkpoint after each, and room for few scores, so that a kill may fall into every
stage. With --command, what follows is a command of baserate, run under the same conditions.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import baserate as br
from baserate.read import condense, large, table


def tighten():
    table.TAKEN = table.LEAST - 112 * 3_000
    condense.EVERY_S, condense.PATIENCE = 0.0, 0
    large.ROWS, condense.BATCH = 500, 1_700
    large.BIN, large.POSITIVE, condense.BINS = 8, 8, 1 << 13


def stage_of(checkpoint):
    """What was being filled when this was written."""
    return condense.counts.parsed(
        memoryview(checkpoint.read_bytes())[:-32], len(condense.MAGIC)
    ).facts["stage"]


def count(path, resume, approx):
    tighten()
    counts = br.count(
        path,
        label="y",
        score="s",
        memory=table.LEAST,
        thresholds=[0.5],
        resume=resume,
        approx=approx,
    )
    return counts.digest


def command(path, resume, approx):
    return [sys.executable, __file__, "--once", path, str(resume), str(int(approx))]


def whole_run(path, resume, approx):
    """The digest of a run that nothing interrupts, from where the last one got to."""
    done = subprocess.run(command(path, resume, approx), check=True, capture_output=True, text=True)
    return done.stdout.strip()


def main(path, folder, rounds, approx):
    resume, draw = Path(folder) / "x.part", random.Random(0)
    begun = time.perf_counter()
    expected = whole_run(path, resume, approx)
    once = time.perf_counter() - begun
    seen = {"kills": 0, "ended": 0, "wrong": 0, "resumed": 0, "stages": []}
    while seen["kills"] < rounds:
        child = subprocess.Popen(command(path, resume, approx), stdout=subprocess.PIPE, text=True)
        try:
            said, _ = child.communicate(timeout=draw.uniform(0.3, 1.0) * once)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.communicate()
            seen["kills"] += 1
            if resume.exists():
                seen["resumed"] += 1
                seen["stages"] = sorted({*seen["stages"], stage_of(resume)})
            continue
        seen["ended"] += 1
        seen["wrong"] += child.returncode != 0 or said.strip() != expected or resume.exists()
    seen["ended"] += 1
    seen["wrong"] += whole_run(path, resume, approx) != expected or resume.exists()
    seen["drafts"] = len(list(Path(folder).glob(".*.draft")))
    print(json.dumps(seen))


if __name__ == "__main__":
    if sys.argv[1] == "--command":
        from baserate.cli import main

        tighten()
        main.main(sys.argv[2:])
    elif sys.argv[1] == "--once":
        print(count(sys.argv[2], sys.argv[3], sys.argv[4] == "1"))
    else:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]), "approx" in sys.argv[4:])
