"""Commands under limits on their address space, from 64 MB to 1 GB: an answer or one line of
refusal, in time.

    python benchmarks/address_space.py [STEP_MB] [COMMAND ...]

A process that hangs, is killed, or says more than one line, is a failure, and so is the exit status
of a verdict (1), of a bug (70) or of a Ctrl-C (130) that nobody pressed. Prints a Markdown table of
what happens from which limit on; exits with 1 if anything failed.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PATIENCE_S = 60
LOWEST, HIGHEST = 64, 1024
MODEL = ("--label", "y", "--score", "m")
COMMANDS = {
    "show": ("show", "short.csv", *MODEL),
    "show, 1.9 MB": ("show", "long.csv", *MODEL),
    "show, Parquet": ("show", "long.parquet", *MODEL),
    "compare": ("compare", "short.csv", *MODEL, "--score", "n"),
    "report": ("report", "short.csv", *MODEL, "-o", "r.html", "--force"),
    "calc": ("calc", "--sensitivity", "90%", "--specificity", "85%", "--prior", "0.01"),
}
GOOD = (0, 2, 74)


class Ended(NamedTuple):
    """How a command ended (None: it did not), and the lines that it said, notes aside."""

    status: int | None
    lines: list[str]
    seconds: float

    @property
    def good(self):
        return (
            self.status in GOOD
            and len(self.lines) <= 1
            and not any("a bug in" in line for line in self.lines)
        )


def write_data(folder):
    """Files to read."""
    import duckdb

    draw = random.Random(1)
    for name, rows in (("short", 2_000), ("long", 50_000)):
        lines = (f"{i % 10 == 0:d},{draw.random()},{draw.random()}\n" for i in range(rows))
        (folder / f"{name}.csv").write_text("y,m,n\n" + "".join(lines))
    duckdb.sql(f"COPY (FROM '{folder}/long.csv') TO '{folder}/long.parquet' (FORMAT parquet)")


def run(words, folder, megabytes, kind=resource.RLIMIT_AS):
    """One command under one limit."""
    limit = lambda: resource.setrlimit(kind, (megabytes << 20, megabytes << 20))  # noqa: E731
    begun = time.monotonic()
    command = [sys.executable, "-m", "baserate", *words]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,  # noqa: PLW1509
    )
    try:
        _, said = process.communicate(timeout=PATIENCE_S)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        (_, said), status = process.communicate(), None
    lines = [line for line in said.splitlines() if not line.startswith("note ")]
    return Ended(status, lines, time.monotonic() - begun)


def main(step, names):
    failed = 0
    print(
        f"Limits from {LOWEST} to {HIGHEST} MB, every {step} MB.\n\n| command | limits | answers"
        " from | longest | failures |\n" + "|---" * 5 + "|"
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_data(folder)
        for name in names or COMMANDS:
            found = {
                limit: run(COMMANDS[name], folder, limit)
                for limit in range(LOWEST, HIGHEST + 1, step)
            }
            bad = {limit: ended for limit, ended in found.items() if not ended.good}
            refused = [limit for limit, ended in found.items() if ended.status != 0]
            answered = f"{max(refused, default=LOWEST - step) + step} MB"
            print(
                f"| {name} | {len(found)} | {answered} |"
                f" {max(ended.seconds for ended in found.values()):.1f} s | {len(bad)} |",
                flush=True,
            )
            for limit, ended in bad.items():
                print(
                    f"<!-- {name} at {limit} MB: {ended.status} {ended.lines[-1:]} -->", flush=True
                )
            failed += len(bad)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10, sys.argv[2:]))
