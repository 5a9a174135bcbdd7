"""Saves two versions of a file in turn in a child process that is killed at a random moment, again
and again; prints what was seen.

A script of its own, because a process that forks should have one thread. Run: python
tests/counts/kill_save.py FOLDER ROUNDS
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import baserate as br


def save_forever(path, versions):
    while True:
        for version in versions:
            version.save(path)


def main(folder, rounds):
    path = Path(folder) / "x.counts"
    rng, draw = np.random.default_rng(0), random.Random(0)
    versions = [br.count(rng.random(20_000) < 0.1, rng.random(20_000)) for _ in range(2)]
    started = time.perf_counter()
    versions[0].save(path)
    once = time.perf_counter() - started
    seen = {"kills": 0, "corrupt": 0, "missing": 0, "killed while a draft was open": 0}
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            save_forever(path, versions)
        time.sleep(draw.uniform(0, 6 * once))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        seen["kills"] += 1
        seen["killed while a draft was open"] += any(path.parent.glob(".*.draft"))
        if not path.exists():
            seen["missing"] += 1
            continue
        try:
            seen["corrupt"] += br.load(path) not in versions
        except br.InputError:
            seen["corrupt"] += 1
    versions[0].save(path)
    seen["drafts after the next save"] = len(list(path.parent.glob(".*.draft")))
    print(json.dumps(seen))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
