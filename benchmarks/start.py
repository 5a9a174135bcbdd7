"""How long the command line takes to start: `python benchmarks/start.py`. CPU seconds of a fresh
process, the median of several.
"""

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TIMES = 9
ROWS = 10_000


def cpu(*words: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "baserate", *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.csv")
        path.write_text(
            "y,m\n" + "".join(f"{i % 7 == 0:d},{(i * 7919 % ROWS) / ROWS}\n" for i in range(ROWS))
        )
        named = ("--label", "y", "--score", "m")
        commands = {
            "baserate --help": ("--help",),
            "baserate show --help": ("show", "--help"),
            f"baserate show, {ROWS} rows of CSV": ("show", str(path), *named),
            f"baserate choose, {ROWS} rows of CSV": (
                "choose",
                str(path),
                *named,
                "--prior",
                "0.1%",
                "--cost",
                "fn=100,fp=1",
            ),
        }
        print("| command | CPU seconds (median, least, most) |\n|---|---|")
        for name, words in commands.items():
            times = sorted(cpu(*words) for _ in range(TIMES))
            print(
                f"| {name} | {statistics.median(times):.2f}, {times[0]:.2f}, {times[-1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
