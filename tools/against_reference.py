"""Put random requests to the reference and to the sources here, and list the answers that differ.

The reference is the package at the commit REFERENCE. It is installed once, into a virtual
environment of its own in a cache folder, which borrows the dependencies of the Python that runs
this. Requests are plain data, drawn from seeds (tools/random_requests.py); each side answers them
in a process of its own, through one small adapter. Differences that are meant are listed with their
reason in tools/differences.toml.

    .venv/bin/python tools/against_reference.py --requests 1000
    .venv/bin/python tools/against_reference.py --kinds "choose*,compare" --seed 5
    .venv/bin/python tools/against_reference.py --replay "choose over a range/17"
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from queue import SimpleQueue
from typing import Any

TOOLS = Path(__file__).parent
sys.path.insert(0, str(TOOLS))

from compare_answers import (  # noqa: E402
    Accepted,
    Answers,
    Difference,
    compare_answers,
    read_accepted,
    split_accepted,
)
from random_requests import KINDS, Request, draw_request  # noqa: E402

ROOT = TOOLS.parent
# The patch of the p-values on the sources before the cuts: what the package answered then.
REFERENCE = "11c3100"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "baserate-reference"
DIFFERENCES = TOOLS / "differences.toml"
# A request that takes longer than this many seconds is an error.
PATIENCE = 120
MOST_SHOWN = 60
MODELS = re.compile(r"\b(logit|forest|rules|site \d+)\b|\d+")


# ----------------------------------------------------------------------
# The environment of the reference.


def install_reference(commit: str) -> Path:
    """Return the Python of an environment with the package at this commit, installed if new."""
    commit = run_git("rev-parse", "--short=10", f"{commit}^{{commit}}").decode().strip()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    environment = CACHE / f"{commit}-python{version}"
    python = environment / "bin" / "python"
    if (environment / "installed").exists():
        return python
    print(f"installing the reference {commit} into {environment}", file=sys.stderr)
    with tarfile.open(fileobj=BytesIO(run_git("archive", commit))) as archive:
        archive.extractall(environment / "source", filter="data")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    borrow_dependencies(environment, version)
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    pip = [sys.executable, "-m", "pip", "--python", str(python), *install]
    subprocess.run([*pip, str(environment / "source")], check=True)
    (environment / "installed").touch()
    return python


def run_git(*words: str) -> bytes:
    """Return what git prints."""
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True).stdout


def borrow_dependencies(environment: Path, version: str) -> None:
    """Let an environment import what is installed here, after what is installed there."""
    site_packages = environment / "lib" / f"python{version}" / "site-packages"
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")


# ----------------------------------------------------------------------
# The two sides.


class Side:
    """A process that answers requests with one of the two packages."""

    def __init__(self, python: str | Path, adapter: str) -> None:
        self.command = [str(python), str(TOOLS / "answer_requests.py"), adapter]
        self.start()

    def start(self) -> None:
        """Start the process; its first line names the package that it imported."""
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=TOOLS,
        )
        first = self.process.stdout.readline()
        if not first:
            raise SystemExit(f"cannot start {' '.join(self.command)}: run it to see why")
        self.package = json.loads(first)["package"]

    def send(self, request: Request) -> None:
        """Put a request; `receive` has its answers."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Answers:
        """Return the answers to the request that was sent; a process that hangs is replaced."""
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if line:
            return json.loads(line)
        self.close()
        self.start()
        return {"error": "died", "error text": f"no answer within {PATIENCE} seconds, or a crash"}

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@dataclass(frozen=True)
class Pair:
    """Both sides."""

    reference: Side
    current: Side

    def ask(self, request: Request) -> tuple[Answers, Answers]:
        """Return what both sides answer to a request."""
        self.reference.send(request)
        self.current.send(request)
        return self.reference.receive(), self.current.receive()

    def close(self) -> None:
        """End both processes."""
        self.reference.close()
        self.current.close()


def open_pair(reference: str | Path, adapter: str = "reference_adapter") -> Pair:
    """Start both sides: the reference with the given Python, the sources here with this one."""
    return Pair(Side(reference, adapter), Side(sys.executable, "current_adapter"))


# ----------------------------------------------------------------------
# Asking and reporting.


@dataclass
class Report:
    """What was asked, and what differed."""

    requests: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def add(
        self,
        request: Request,
        answers: tuple[Answers, Answers],
        accepted: list[Accepted],
    ) -> None:
        """Compare the answers to one request."""
        kind = request["kind"]
        left, covered = split_accepted(compare_answers(request, *answers), accepted)
        self.requests[kind] += 1
        self.refused[kind] += all("refusal text" in one for one in answers)
        self.failed[kind] += all("error text" in one for one in answers)
        self.accepted[kind] += bool(covered)
        self.differences += left

    def table(self) -> str:
        """Return by kind how many requests both sides refused or failed at, and how many differ."""
        differing = Counter(
            kind for kind, _ in {(one.request["kind"], one.replay) for one in self.differences}
        )
        heads = ("kind", "requests", "refused", "failed", "accepted", "differ")
        rows = [f"{heads[0]:32}" + "".join(f"{head:>10}" for head in heads[1:])]
        columns = (self.requests, self.refused, self.failed, self.accepted, differing)
        rows += [
            f"{kind:32}" + "".join(f"{column[kind]:10}" for column in columns)
            for kind in self.requests
        ]
        rows.append(f"{'all':32}" + "".join(f"{column.total():10}" for column in columns))
        return "\n".join(rows)

    def groups(self) -> str:
        """Return the differences by kind, answer and category, with one example of each."""
        grouped: dict[tuple[str, str, str], list[Difference]] = defaultdict(list)
        for one in self.differences:
            name = MODELS.sub("*", one.answer)
            grouped[one.request["kind"], name, one.category].append(one)
        ordered = sorted(grouped.items(), key=lambda group: (group[0][0], -len(group[1])))
        lines = [
            f"{len(found):5} × {kind} · {name} · {category}, as in {found[0].replay}:"
            f" {shorten(found[0].reference)} → {shorten(found[0].current)}"
            for (kind, name, category), found in ordered[:MOST_SHOWN]
        ]
        if len(ordered) > MOST_SHOWN:
            lines.append(f"and {len(ordered) - MOST_SHOWN} more groups: --output FILE has them")
        return "\n".join(lines)


def shorten(value: Any) -> str:
    """Return an answer in at most 200 characters."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:199]}…"


def select_kinds(patterns: str) -> list[str]:
    """Return the kinds that match one of several patterns, joined by commas."""
    wanted = [pattern.strip() for pattern in patterns.split(",")]
    kinds = [kind for kind in KINDS if any(fnmatchcase(kind, pattern) for pattern in wanted)]
    if not kinds:
        raise SystemExit(f"no kind matches {patterns!r}; the kinds are {', '.join(KINDS)}")
    return kinds


def draw_requests(kinds: list[str], number: int, seed: int) -> Iterable[Request]:
    """Yield requests, every kind in turn; two seeds share no request below a million each."""
    for place in range(number):
        yield draw_request(kinds[place % len(kinds)], seed * 1_000_000 + place)


def ask_all(pairs: list[Pair], requests: Iterable[Request], accepted: list[Accepted]) -> Report:
    """Put every request to both sides, as many at a time as there are pairs."""
    report, free = Report(), SimpleQueue()
    for pair in pairs:
        free.put(pair)

    def ask(request: Request) -> tuple[Request, tuple[Answers, Answers]]:
        pair = free.get()
        try:
            return request, pair.ask(request)
        finally:
            free.put(pair)

    with ThreadPoolExecutor(len(pairs)) as pool:
        for request, answers in pool.map(ask, requests):
            report.add(request, answers, accepted)
    return report


def read_replay(text: str) -> Request:
    """Return the request that "KIND/SEED" or a file of JSON describes."""
    if Path(text).is_file():
        return json.loads(Path(text).read_text("utf-8"))
    kind, _, seed = text.rpartition("/")
    return draw_request(kind, int(seed))


def replay(pair: Pair, request: Request) -> None:
    """Print one request, both answers side by side, and what differs."""
    reference, current = pair.ask(request)
    print(json.dumps(request, indent=1))
    differing = {one.answer: one.category for one in compare_answers(request, reference, current)}
    for name in reference.keys() | current.keys():
        differing.setdefault(name, "")
    for name in sorted(differing):
        print(f"{differing[name]:24} {name}: {reference.get(name)!r} → {current.get(name)!r}")


def write_differences(path: Path, differences: list[Difference]) -> None:
    """Write every difference with its request, one JSON object per line."""
    with path.open("w", encoding="utf-8") as file:
        for one in differences:
            file.write(json.dumps({**vars(one), "replay": one.replay}) + "\n")


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--requests", type=int, default=1000, help="number of requests")
    parser.add_argument("--kinds", default="*", help='patterns by commas, as in "choose*,csv"')
    parser.add_argument("--seed", type=int, default=0, help="first seed of the requests")
    parser.add_argument("--jobs", type=int, default=1, help="requests asked at the same time")
    parser.add_argument("--commit", default=REFERENCE, help="another commit than the reference")
    parser.add_argument("--reference-env", type=Path, help="an environment that has it installed")
    parser.add_argument("--replay", help="KIND/SEED, or a file with one request")
    parser.add_argument("--output", type=Path, help="write every difference to this file")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Ask, compare and report; the exit status is 1 where something differs."""
    options = parse_arguments(words)
    environment = options.reference_env
    python = environment / "bin/python" if environment else install_reference(options.commit)
    pairs = [open_pair(python) for _ in range(1 if options.replay else options.jobs)]
    print(f"reference {pairs[0].reference.package}\ncurrent   {pairs[0].current.package}")
    try:
        if options.replay:
            replay(pairs[0], read_replay(options.replay))
            return 0
        start, accepted = time.monotonic(), read_accepted(DIFFERENCES)
        kinds = select_kinds(options.kinds)
        requests = draw_requests(kinds, options.requests, options.seed)
        report = ask_all(pairs, requests, accepted)
    finally:
        for pair in pairs:
            pair.close()
    print(f"seed {options.seed}, {time.monotonic() - start:.0f} s\n\n{report.table()}\n")
    print(report.groups() or "no difference that is not listed in tools/differences.toml")
    for entry in accepted:
        if not entry.matched:
            patterns = f"{entry.kind} · {entry.answer} · {entry.category}"
            print(f"matched nothing: {patterns} ({entry.reason})")
    if options.output:
        write_differences(options.output, report.differences)
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
