"""An hour of counting, adding and saving in one process: do memory, descriptors, threads and files
stay as they are?

    python campaigns/soak.py                 an hour; writes campaigns/soak.json
    python campaigns/soak.py --seconds 60

Every turn counts new rows, adds them to a total, saves and loads it, and asks it a few questions;
now and then rows are counted from a CSV file and, in a process of their own, from a Parquet file.
The total is checked against sums that NumPy keeps beside it. The process rests for most of the
time: what is looked for is what every turn leaves behind.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import baserate as br

HERE = Path(__file__).parent
STEPS = 1000  # scores are k / STEPS: the total has as many cells after an hour as after a minute
REST = 4  # seconds of rest for one of work
WARM_UP = 0.1  # of the time: caches fill, the allocator finds its size
GROWTH_KB = 4096  # of the middle of the last tenth over that of the first one after warming up


def status(folder: Path) -> dict[str, int]:
    """What the process holds now."""
    lines = Path("/proc/self/status").read_text().splitlines()
    known = dict(line.split(":", 1) for line in lines)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {
        "rss_kb": int(known["VmRSS"].split()[0]),
        "descriptors": len(os.listdir("/proc/self/fd")) - 1,
        "threads": int(known["Threads"]),
        "children": len(children),
        "files": sum(1 for _ in folder.rglob("*")),
    }


class Soak:
    """The total, and the sums that it must have."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.rng, self.turns = folder, np.random.default_rng(24), 0
        self.total = br.Counts.empty()
        self.sums = np.zeros((2, STEPS), np.int64)
        self.wrong: list[str] = []
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)

    def drawn(self) -> tuple[Any, Any]:
        """Labels, and which of the scores."""
        rows = int(self.rng.integers(2, 20_000))
        places = self.rng.integers(0, STEPS, rows)
        labels = self.rng.random(rows) < places / STEPS
        labels[:2] = True, False
        return labels.astype(np.int8), places

    def counted(self, labels: Any, places: Any) -> Any:
        """These rows, as arrays or from a file."""
        scores = places / STEPS
        if self.turns % 10:
            return br.count(labels, scores)
        ending = "csv" if self.turns % 100 else "parquet"
        path = self.folder / f"x.{ending}"
        getattr(pl.DataFrame({"y": labels, "s": scores}), f"write_{ending}")(path)
        return br.count(path, label="y", score="s")

    def turn(self) -> None:
        """Count, add, save, load, ask."""
        labels, places = self.drawn()
        self.total = self.total + self.counted(labels, places)
        for label in (0, 1):
            self.sums[label] += np.bincount(places[labels == label], minlength=STEPS)
        path = self.folder / "x.counts"
        self.total.save(path)
        loaded = br.load(path)
        if loaded.digest != self.total.digest:
            self.wrong.append(f"turn {self.turns}: another digest after loading")
        br.choose(loaded, prior=0.01, costs={"fp": 1, "fn": 50})
        br.auc(loaded)
        br.interval(loaded, "tpr", threshold=0.5)
        self.turns += 1
        if self.turns % 20 == 0:
            self.check()

    def check(self) -> None:
        """The total against the sums."""
        seen = self.sums.any(axis=0)
        expected = self.sums[:, seen][:, ::-1]
        if not (
            np.array_equal(self.total.scores, (np.arange(STEPS) / STEPS)[seen][::-1])
            and np.array_equal(self.total.negatives, expected[0])
            and np.array_equal(self.total.positives, expected[1])
        ):
            self.wrong.append(f"turn {self.turns}: another total")


def soaked(seconds: float, rest: float = REST) -> dict[str, Any]:
    """Turns for so long: what was held, in sixty samples, and what was wrong."""
    samples, began = list[dict[str, int]](), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder))
        while (gone := time.monotonic() - began) < seconds:
            spent = time.process_time()
            soak.turn()
            if gone >= len(samples) * seconds / 60:
                samples.append(status(soak.folder))
            time.sleep(rest * (time.process_time() - spent))
        soak.check()
        samples.append(status(soak.folder))
    tempfile.tempdir = None
    return {
        "turns": soak.turns,
        "rows": int(soak.sums.sum()),
        "seconds": round(time.monotonic() - began),
        "samples": samples,
        "wrong": soak.wrong + leaks(samples),
    }


def leaks(samples: list[dict[str, int]]) -> list[str]:
    """What grew between the first samples after warming up and the last ones."""
    tenth = max(1, len(samples) // 10)
    warm = samples[max(1, int(WARM_UP * len(samples))) :] or samples
    first, last = warm[:tenth], warm[-tenth:]
    found = list[str]()
    for name in samples[0]:
        before, after = (float(np.median([one[name] for one in part])) for part in (first, last))
        if after > before + (GROWTH_KB if name == "rss_kb" else 0):
            found.append(f"{name} grew from {before:g} to {after:g}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--out", type=Path, default=HERE / "soak.json")
    given = parser.parse_args()
    words = ["git", "log", "-1", "--format=%h", "--abbrev=10", "--", "src"]
    commit = subprocess.run(words, cwd=HERE.parent, check=True, capture_output=True, text=True)
    found = {"commit": commit.stdout.strip(), "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    found |= soaked(given.seconds)
    given.out.write_text(json.dumps(found, ensure_ascii=False) + "\n")
    print(f"{found['turns']:,} turns, {found['rows']:,} rows: {found['wrong'] or 'nothing grew'}")
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
