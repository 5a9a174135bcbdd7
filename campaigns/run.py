"""Campaigns: each promise tried again and again, and what was seen written to campaigns/P*.json.

    python campaigns/run.py                      every campaign up to its full size
    python campaigns/run.py --seconds 60         at most this much processor time for each
    python campaigns/run.py P6 P11 --seconds 300
    python campaigns/run.py P12-sql --jobs 2     a further campaign of a promise, in two processes
    python campaigns/run.py --survivors          the mutants of P29 that survived, judged again
    python campaigns/run.py P29-c --survivors    those in C

A campaign goes on where it stopped, with the next seed, as long as the sources that it runs are the
same; with other sources it begins again, and what was seen of the earlier ones stays in its record,
with their commit. One that has reached its full size is skipped.
"""

import argparse
import bz2
import gzip
import hashlib
import json
import lzma
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from datetime import UTC, datetime
from fractions import Fraction
from itertools import count, product
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "reference"), str(ROOT / "reference" / "adapters")]

import baserate_answers  # noqa: E402 (the folders above are no packages)
import check  # noqa: E402
import definitions  # noqa: E402
import make  # noqa: E402
from campaigns import failing, hostile  # noqa: E402
from campaigns.promises import FURTHER, PROMISES, Promise  # noqa: E402

import baserate as br  # noqa: E402

HERE = Path(__file__).parent
MOST_SHOWN = 200  # failures that a record lists
Batch = tuple[int, list[str]]  # how many trials, and what was wrong
Name = int | str  # 12, or "12-sql" for a further campaign of a promise
CAMPAIGNS: dict[Name, Callable[[int, Path], Batch]] = {}


def campaign(
    number: Name,
) -> Callable[[Callable[[int, Path], Batch]], Callable[[int, Path], Batch]]:
    """Enter a function (seed, empty folder) → batch under the number of its promise."""

    def enter(function: Callable[[int, Path], Batch]) -> Callable[[int, Path], Batch]:
        CAMPAIGNS[number] = function
        return function

    return enter


# ----------------------------------------------------------------------
# Numbers.


def drawn_set(rng: random.Random) -> tuple[Any, list[tuple[Fraction, Fraction, Fraction]]]:
    """Counts of a random data set, and its cells in fractions."""
    size = rng.choice([1, 2, 3, 5, 10, 30, 100])
    levels = rng.choice([1, 2, 4, 16, 1024])
    labels = [int(rng.random() < rng.choice([0.05, 0.5, 0.9])) for _ in range(size)]
    scores = [rng.randrange(levels + 1) / levels for _ in labels]
    weights = [rng.randrange(1, 9) / 4 for _ in labels] if rng.random() < 0.3 else None
    found: dict[Fraction, list[Fraction]] = {}
    for row, (label, score) in enumerate(zip(labels, scores, strict=True)):
        weight = Fraction(1 if weights is None else weights[row])
        if weight:
            found.setdefault(Fraction(score), [Fraction(0), Fraction(0)])[1 - label] += weight
    cells = [(score, *found[score]) for score in sorted(found, reverse=True)]
    return br.count(labels, scores, sample_weight=weights, pos_label=1), cells


def drawn_conditions(rng: random.Random) -> tuple[Any, Fraction | None, Any]:
    """Conditions for baserate, and the same for the definitions."""
    prior = rng.choice([None, 2.0**-30, 2.0**-10, 0.0625, 0.5, 0.9375])
    costs = {
        "fp": rng.choice([0.25, 1.0, 5.0]),
        "fn": rng.choice([1.0, 50.0]),
        "tp": rng.choice([0.0, -2.0]),
        "tn": 0.0,
    }
    at = br.Conditions(prior=prior, costs=br.Costs(**costs))
    exact = definitions.Costs(**{name: Fraction(cost) for name, cost in costs.items()})
    return at, None if prior is None else Fraction(prior), exact


@campaign(1)
def right_numbers(seed: int, _folder: Path) -> Batch:
    """Measures and summaries of random sets against the definitions of the reference set."""
    rng, trials, wrong = random.Random(f"P1/{seed}"), 0, []
    for _ in range(5):
        counts, cells = drawn_set(rng)
        for name, digits, expected, given in both_answers(counts, cells, rng):
            trials += 1
            if check.compared(expected, given)[0] < digits:
                wrong.append(f"{name} of {cells}: {given}, not {expected}")
    return trials, wrong


def both_answers(counts: Any, cells: Any, rng: random.Random) -> Iterator[tuple[Any, ...]]:
    """(name, digits demanded, the truth, the answer) of every measure at one threshold, and of four
    summaries.
    """
    at, prior, costs = drawn_conditions(rng)
    sample, place = definitions.Sample(cells, prior, costs), rng.randrange(len(cells) + 1)
    threshold = None if place == 0 else float(cells[place - 1][0])
    for name, formula in definitions.MEASURES.items():
        truth = true_text(formula, sample.outcomes(place))
        value = br.measure(counts, name, threshold=threshold, at=at)
        yield name, 15 if name in IRRATIONAL else 16, truth, number(value)
    for name in ("auc", "ks", "average_precision", "min_cost"):
        truth = true_text(definitions.SUMMARIES[name], sample)
        try:
            value = number(br.summary(counts, name, at=at))
        except br.InputError:
            value = None
        yield name, 16 if name in ("auc", "ks") else 14.7, truth, value


def true_text(formula: Any, subject: Any) -> str | None:
    try:
        return make.text(formula(subject))
    except definitions.Undefined:
        return None


IRRATIONAL = ("g_mean", "fowlkes_mallows", "mcc", "sedi", "sedi(correction=0.5)")


def number(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


@campaign(2)
def reference_set(_seed: int, folder: Path) -> Batch:
    """The reference set, once; what the tests list as a disagreement is a failure here."""
    from tests.test_reference_set import right

    baserate_answers.main(folder / "answers.json")
    results = check.scored(json.loads((folder / "answers.json").read_text())["answers"])
    return len(results), [f"{one['set']} {one['path']}" for one in results if not right(one)]


@campaign(4)
def same_counts(seed: int, folder: Path) -> Batch:
    """One data set, read in every way."""
    import numpy as np
    import polars as pl

    from baserate.kernels import portable

    rng = np.random.default_rng([4, seed])
    rows = int(rng.integers(1, 4000))
    labels = rng.random(rows) < rng.choice([0.02, 0.5])
    labels[: min(2, rows)] = [True, False][: min(2, rows)]
    scores = np.round(rng.random(rows), int(rng.integers(1, 17)))
    frame = pl.DataFrame({"y": labels.astype(int), "s": scores})
    frame.write_csv(folder / "x.csv")
    frame.write_parquet(folder / "x.parquet")
    expected = br.count(labels, scores).digest
    columns = {"label": "y", "score": "s"}
    ways = {
        "CSV": lambda: br.count(folder / "x.csv", **columns).digest,
        "Parquet": lambda: br.count(folder / "x.parquet", **columns).digest,
        "frame": lambda: br.count(frame, **columns).digest,
        "NumPy": lambda: br.Counts(*portable.count_cells(scores, labels)).digest,
    }
    with readers_of(seed):
        wrong = [f"seed {seed}, {name}" for name, way in ways.items() if way() != expected]
    return 1, wrong


@campaign(8)
def no_invented_numbers(seed: int, folder: Path) -> Batch:
    """Every measure of random sets, and the JSON of a table of one of them."""
    rng, trials, wrong = random.Random(f"P8/{seed}"), 0, []
    for _ in range(100):
        counts, cells = drawn_set(rng)
        at, _, _ = drawn_conditions(rng)
        threshold = rng.choice([None, float(cells[-1][0])])
        for name in definitions.MEASURES:
            trials += 1
            value = br.measure(counts, name, threshold=threshold, at=at)
            if math.isinf(value) or (math.isnan(value) and not value.reason):
                wrong.append(f"{name} of {cells} at {at}: {value}")
    rows = [f"{label},{rng.randrange(4) / 4}" for label in rng.choice(["01", "0011", "000001"])]
    (folder / "x.csv").write_text("y,s\n" + "\n".join(rows) + "\n")
    words = ("table", "x.csv", "--label", "y", "--score", "s", "--json")
    said = output(words, folder).decode()
    if not said.startswith("{") or "NaN" in said or "Infinity" in said:
        wrong.append(f"table --json of {rows}: {said[:200]}")
    return trials + 1, wrong


# ----------------------------------------------------------------------
# Files.


@campaign(6)
def rows_conserved(seed: int, folder: Path) -> Batch:
    from benchmarks.conserve_rows import conserve

    with readers_of(seed):
        found = conserve(100, 1000 + seed, folder)
    return 100, list(found.wrong)


def readers_of(seed: int) -> AbstractContextManager[Any]:
    """Readers in this process; for one seed in twenty in processes of their own, as the library
    has it.
    """
    from baserate.read import source

    if seed % 20 == 0:
        return nullcontext()
    return mock.patch.object(source, "is_confined", return_value=False)


@campaign(9)
def flipped_bits(seed: int, folder: Path) -> Batch:
    import numpy as np

    rng = np.random.default_rng([9, seed])
    rows = int(rng.integers(2, 300))
    path = folder / "x.counts"
    br.count(np.arange(rows) % 2, rng.random(rows)).save(path)
    whole, wrong = path.read_bytes(), []
    for number in range(200):
        damaged = bytearray(whole)
        for place in rng.choice(8 * len(whole), size=int(rng.integers(1, 4)), replace=False):
            damaged[place // 8] ^= 1 << int(place % 8)
        path.write_bytes(damaged)
        try:
            br.load(path)
        except br.InputError:
            continue
        wrong.append(f"seed {seed}, flip {number}")
    return 200, wrong


@campaign(10)
def damaged_files(seed: int, folder: Path) -> Batch:
    from benchmarks.fuzz_inputs import campaign as fuzz

    found = fuzz(folder, files=1500, seed=5000 + seed, public=0.02)
    return 1500, [str(one) for one in found.wrong]


@campaign(11)
def killed_saves(_seed: int, folder: Path) -> Batch:
    seen = json.loads(ran("tests/counts/kill_save.py", folder, 100))
    bad = {key: seen[key] for key in ("corrupt", "missing", "drafts after the next save")}
    return seen["kills"], [f"{key}: {value}" for key, value in bad.items() if value]


def ran(script: str, *words: object, given: str = "") -> str:
    """What a script of ours prints."""
    command = [sys.executable, str(ROOT / script), *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, check=True, input=given, stdout=subprocess.PIPE,
                          text=True)  # fmt: skip
    return done.stdout


@campaign(19)
def odd_columns(seed: int, folder: Path) -> Batch:
    """Columns with hostile names in a DuckDB file, beside a table that must stay as it is: all of
    them counted together, and one alone.
    """
    import duckdb
    import numpy as np

    rng, wrong = random.Random(f"P19/{seed}"), []
    parts = ['"', "'", ";", "--", "/*", " ", "drop table canary", "select", "é", "😀", "\\", "(",
             "%s", "$1", "::", ",", "\t", "x"]  # fmt: skip
    drawn = {"".join(rng.choices(parts, k=rng.randrange(1, 6))).strip() or "x" for _ in range(40)}
    names = list({name.lower(): name for name in sorted(drawn)}.values())  # SQL folds their case
    columns = ", ".join(f'(i + {place}) / 7.0 as "{name.replace(chr(34), chr(34) * 2)}"'
                        for place, name in enumerate(names))  # fmt: skip
    path = folder / "x.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("create table canary as select 42 as kept")
        base.execute(f"create table t as select i % 2 as y_, {columns} from range(20) r(i)")
    try:
        with readers_of(seed):
            together = br.count(f"{path}::t", label="y_", score=names)
            alone = br.count(f"{path}::t", label="y_", score=names[-1])
        expected = [br.count(np.arange(20) % 2, (np.arange(20) + place) / 7)
                    for place in range(len(names))]  # fmt: skip
        wrong += [repr(name) for name, counts in zip(names, expected, strict=True)
                  if together[name].digest != counts.digest]  # fmt: skip
        if alone.digest != expected[-1].digest:
            wrong.append(f"{names[-1]!r} alone")
    except br.InputError as refused:
        wrong.append(f"seed {seed}: {refused}")
    with duckdb.connect(str(path), read_only=True) as base:
        if base.execute("select kept from canary").fetchall() != [(42,)]:
            wrong.append(f"seed {seed}: the canary")
    return len(names), wrong


# ----------------------------------------------------------------------
# Processes.

COMMANDS = (
    ("show", "x.csv", "--label", "y", "--score", "s", "--json"),
    ("choose", "x.csv", "precision >= 0.1", "--label", "y", "--score", "s", "--json"),
    ("curve", "pr", "x.csv", "--label", "y", "--score", "s", "--json"),
    ("report", "x.csv", "--label", "y", "--score", "s", "-o", "r.html", "--force"),
    ("calc", "--sensitivity", "90%", "--specificity", "85%", "--prior", "0.01"),
)


def write_scores(folder: Path, seed: int, rows: int = 300) -> None:
    rng = random.Random(seed)
    lines = (f"{int(rng.random() < 0.2)},{rng.random():.6f}" for _ in range(rows))
    (folder / "x.csv").write_text("y,s\n1,0.9\n0,0.1\n" + "\n".join(lines) + "\n")


def output(words: tuple[str, ...], folder: Path, *flags: str, **environment: str) -> bytes:
    """What a command prints and writes."""
    done = subprocess.run(
        [sys.executable, *flags, "-m", "baserate", *words],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        check=False,
    )
    page = folder / "r.html"
    return done.stdout + (page.read_bytes() if words[0] == "report" else b"")


@campaign(26)
def same_bytes(seed: int, folder: Path) -> Batch:
    write_scores(folder, seed)
    words = COMMANDS[seed % len(COMMANDS)]
    first = output(words, folder, PYTHONHASHSEED="0")
    others = {
        f"hash seed {seed + 1}": output(words, folder, PYTHONHASHSEED=str(seed + 1)),
        "-O": output(words, folder, "-O", PYTHONHASHSEED="0"),
    }
    return len(others), [f"{words[0]}, {how}" for how, said in others.items() if said != first]


def traced(words: tuple[str, ...], folder: Path, *calls: str) -> tuple[Any, str]:
    """A command under strace, and these of its system calls and of its children's."""
    log = folder / "calls"
    command = ["strace", "-f", "-qq", "-o", str(log), *calls, sys.executable, "-m", "baserate"]
    done = subprocess.run([*command, *words], cwd=folder, capture_output=True, check=False)
    said = log.read_text(errors="replace")
    log.unlink()
    return done, said


@campaign(25)
def offline(seed: int, folder: Path) -> Batch:
    """No system call reaches for a network; sockets between our own processes have no address."""
    write_scores(folder, seed)
    _, said = traced(COMMANDS[seed % len(COMMANDS)], folder, "-e", "trace=%network")
    return 1, [line for line in said.splitlines() if "AF_INET" in line or "connect(" in line]


# Every command that writes a file.
FILE = ("x.csv", "--label", "y", "--score", "s")
FIELD = ("--prior", "5%", "--cost", "fn=20,fp=1")
WRITERS = (
    ("count", *FILE),
    ("choose", *FILE, *FIELD),
    ("compare", *FILE, "--score", "t", *FIELD),
    ("triage", *FILE, *FIELD, "--review", "0.5"),
    ("report", *FILE, "--score", "t"),
    ("show", *FILE, "--json"),
    ("table", *FILE, "--csv"),
    ("curve", "roc", *FILE, "--csv"),
    ("slices", *FILE, "--by", "g", "--threshold", "0.5"),
    ("prior", "x.csv", "--from", *FILE),
    ("calc", "--sensitivity", "90%", "--specificity", "85%", "--prior", "0.01"),
    ("plan", "recall >= 0.9", "--expect", "0.95"),
    ("gate", "x.csv", "auc >= 0", *FILE[1:]),
)
WRITING = tuple((*words, "-o", "out", "--force") for words in WRITERS)
PLACES = [(words, call, error) for error in ("ENOSPC", "EIO") for words in (*WRITING, WRITERS[5])
          for call in ("write", "fsync", "rename", "ftruncate")]  # fmt: skip


def write_models(folder: Path, rows: int = 300) -> None:
    """Cases with two scores, and groups."""
    rng = random.Random("models")
    lines = ["y,s,t,g", "1,0.9,0.9,a", "0,0.1,0.1,b"]
    for _ in range(rows):
        label = rng.random() < 0.2
        lines.append(f"{label:d},{rng.betavariate(2 + 2 * label, 3):.6f},"
                     f"{rng.betavariate(2 + label, 3):.3f},{rng.choice('abc')}")  # fmt: skip
    (folder / "x.csv").write_text("\n".join(lines) + "\n")


def ended(words: tuple[str, ...], folder: Path) -> Any:
    """A command that has ended."""
    return subprocess.run([sys.executable, "-m", "baserate", *words], cwd=folder,
                          capture_output=True, check=False)  # fmt: skip


@campaign("11-commands")
def killed_commands(seed: int, folder: Path) -> Batch:
    """A command killed ten times: at any moment, or as soon as its draft is there."""
    words, rng = WRITING[seed % len(WRITING)], random.Random(f"P11/{seed}")
    write_models(folder, rows=20_000)
    out, wrong, start = folder / "out", [], time.monotonic()
    ended(words, folder)
    once, whole = time.monotonic() - start, out.read_bytes()
    for turn in range(10):
        out.write_bytes(b"old")
        with subprocess.Popen(
            [sys.executable, "-m", "baserate", *words],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as child:
            time.sleep(rng.uniform(0, once) if turn % 2 else 0)
            while not turn % 2 and child.poll() is None and not any(folder.glob(".*.draft")):
                time.sleep(0.0002)
            time.sleep(rng.uniform(0, 0.003))
            child.kill()
        if out.read_bytes() not in (b"old", whole):
            wrong.append(f"seed {seed}, {words[0]}, kill {turn}: {len(out.read_bytes())} bytes")
    done = ended(words, folder)
    if done.returncode or out.read_bytes() != whole:
        wrong.append(f"seed {seed}, {words[0]}: the next run ends with {done.returncode}")
    if left := sorted(path.name for path in folder.glob(".*")):
        wrong.append(f"seed {seed}, {words[0]}: left {left}")
    return 10, wrong


PAGE = 4096  # bytes, the least that such a disk can have


@campaign("12-disk")
def full_disks(seed: int, folder: Path) -> Batch:
    """A command that writes to a disk of its own, too small for its file or just large enough."""
    *words, _, _, _ = WRITING[seed % len(WRITING)]
    words += ["-o", "disk/out", "--force"]
    rng, disk, wrong = random.Random(f"P12-disk/{seed}"), folder / "disk", []
    write_models(folder, rows=20_000)
    disk.mkdir()
    whole = ended(tuple(words), folder).stdout, (disk / "out").read_bytes()
    for pages in rng.choices(range(1, len(whole[1]) // PAGE + 5), k=4):
        size = f"size={pages * PAGE}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", str(disk)], check=True)
        try:
            (disk / "out").write_bytes(b"old")
            done = ended(tuple(words), folder)
            wrong += [f"{words[0]}, {pages} pages: {what}"
                      for what in unsafe(done, whole, disk / "out", silent=False)]  # fmt: skip
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    return 4, wrong


@campaign(12)
def nth_failure(seed: int, folder: Path) -> Batch:
    """The first, second, … system call of a kind fails, until a command ends without one."""
    words, call, error = PLACES[seed]
    write_models(folder)
    out, trials, wrong = folder / "out", 0, []
    out.write_bytes(b"old")
    done, _ = traced(words, folder, "-e", "trace=none")
    whole = done.stdout, out.read_bytes()
    while True:
        out.write_bytes(b"old")
        inject = f"inject={call}:error={error}:when={trials + 1}"
        done, said = traced(words, folder, "-e", f"trace={call}", "-e", inject)
        if "(INJECTED)" not in said:
            return trials, wrong
        trials += 1
        silent = re.search(r"write\(2, .*INJECTED", said) is not None
        wrong += [f"{words[0]}, {call} {trials}, {error}: {what}"
                  for what in unsafe(done, whole, out, silent=silent)]  # fmt: skip


def unsafe(done: Any, whole: tuple[bytes, bytes], out: Path, *, silent: bool) -> Iterator[str]:
    """What a failing call must not do: half a file, a draft, success where nothing was written."""
    said, kept = done.stderr.decode(), out.read_bytes()
    lines = [line for line in said.splitlines() if line.startswith("error")]
    lines += [line for line in done.stdout.splitlines() if b'"errors"' in line]  # with --json
    if done.returncode not in (0, 74) or "Traceback" in said:
        yield f"exit status {done.returncode}: {said[-200:]}"
    if kept not in (b"old", whole[1]):
        yield f"{len(kept)} bytes of {len(whole[1])}"
    if done.returncode == 0 and (done.stdout, kept) != whole:
        yield "success, without the answer"
    if done.returncode == 74 and len(lines) != 1 and not silent:
        yield f"not one line: {said[-200:]}"
    if left := [path.name for path in out.parent.glob(".*")]:
        yield f"left behind: {left}"


PACKED = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
CPU_S, RSS_MB = 5, 200


@campaign(22)
def bombs(seed: int, folder: Path) -> Batch:
    """A small file that unpacks to a hundred to a thousand megabytes: members one after another."""
    rng = random.Random(f"P22/{seed}")
    ending, megabytes = rng.choice(sorted(PACKED)), rng.choice([100, 200, 400, 1000])
    line = rng.choice([b"\0", b"1,0.5\n", b"0,0.25\n1,0.75\n", b"1,x\n", b'1,"', b"1,0.5"])
    member = PACKED[ending]((line * (4_000_000 // len(line) + 1))[:4_000_000])
    path = folder / f"x.csv.{ending}"
    path.write_bytes(PACKED[ending](b"y,s\n1,0.9\n0,0.1\n") + member * (megabytes // 4))
    command = [sys.executable, "-m", "baserate", "show", path.name, "--label", "y", "--score", "s"]
    with (folder / "said").open("wb") as said:
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    spent, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    words = (folder / "said").read_text(errors="replace")
    fine = child.returncode == 2 and words.startswith("error BR") and words.count("\n") == 1
    if fine and spent <= CPU_S and peak <= RSS_MB:
        return 1, []
    what = f"{megabytes} MB of {line!r} as .{ending}, {path.stat().st_size:,} bytes"
    return 1, [f"{what}: {child.returncode}, {spent:.1f} s, {peak:.0f} MB, {words[:100]}"]


STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
STOPPED = ("count", "x.csv", "--label", "y", "--score", "s", "-o", "x.counts", "--force")


@campaign(15)
def signals(seed: int, folder: Path) -> Batch:
    """A signal at a random moment; a command that is done by then counts as well."""
    write_scores(folder, seed, rows=20_000)
    rng = random.Random(f"P15/{seed}")
    kind = rng.choice(list(STATUS))
    with subprocess.Popen([sys.executable, "-m", "baserate", *STOPPED], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:  # fmt: skip
        time.sleep(rng.uniform(0.02, 3))
        child.send_signal(kind)
        said = "".join(child.communicate())
    starting = "Traceback" in said and "baserate/" not in said  # Python itself
    allowed = (0, STATUS[kind], -kind)  # to a shell −15 is 143
    return 1, [] if starting else untidy(f"seed {seed}, {kind.name}", child, said, folder, allowed)


@campaign("15-calls")
def signals_at_calls(seed: int, folder: Path) -> Batch:
    """A signal at a random call of a Python function; it must not be swallowed."""
    write_scores(folder, seed=0)
    rng = random.Random(f"P15-calls/{seed}")
    kind, script = rng.choice(list(STATUS)), str(ROOT / "campaigns" / "nth_call.py")
    place, calls = rng.randrange(1, CALLS), folder / "calls"
    child = subprocess.run([sys.executable, script, kind.name, str(place), str(calls), *STOPPED],
                           cwd=folder, capture_output=True, text=True, check=False)  # fmt: skip
    reached = calls.read_text() == str(place)
    allowed = (STATUS[kind], -kind) if reached else (0,)
    what = f"seed {seed}, {kind.name} at call {place}"
    return 1, untidy(what, child, child.stdout + child.stderr, folder, allowed)


CALLS = 284_000  # of functions, from the first line of baserate to the end of such a command


def untidy(what: str, child: Any, said: str, folder: Path, allowed: tuple[int, ...]) -> list[str]:
    """What a stop must not leave: another exit status, a traceback, a draft. All of what was said
    is kept.
    """
    wrong = []
    if child.returncode not in allowed:
        wrong.append(f"{what}: ended with {child.returncode}: {said}")
    elif "Traceback" in said:
        wrong.append(f"{what}: a traceback: {said}")
    if left := sorted(path.name for path in folder.glob(".*")):
        wrong.append(f"{what}: left {left}")
    return wrong


@campaign(13)
def little_memory(seed: int, folder: Path) -> Batch:
    from benchmarks import address_space

    rng = random.Random(f"P13/{seed}")
    name = rng.choice(list(address_space.COMMANDS))
    limit = rng.randrange(address_space.LOWEST, address_space.HIGHEST + 1)
    address_space.write_data(folder)
    ended = address_space.run(address_space.COMMANDS[name], folder, limit)
    return 1, [] if ended.good else [f"{name} at {limit} MB: {ended.status} {ended.lines[-1:]}"]


@campaign(28)
def two_wheels(_seed: int, folder: Path) -> Batch:
    found = []
    for name in ("one", "two"):
        copy = folder / name
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
             "-w", str(folder / f"{name}-out"), str(copy)],
            env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}, check=True, capture_output=True,
        )  # fmt: skip
        (wheel,) = (folder / f"{name}-out").glob("*.whl")
        found.append(wheel)
    if found[0].read_bytes() == found[1].read_bytes():
        return 1, []
    with zipfile.ZipFile(found[0]) as one, zipfile.ZipFile(found[1]) as two:
        names = [name for name in one.namelist() if one.read(name) != two.read(name)]
    return 1, [f"the second wheel differs in {', '.join(names) or 'times or order'}"]


# ----------------------------------------------------------------------
# What fails once, at the n-th time.


def write_sources(folder: Path) -> dict[str, str]:
    """The same rows in a file of every kind that a database reads, by kind."""
    import sqlite3

    import duckdb

    rng = random.Random("sources")
    rows = [(int(rng.random() < 0.2), round(rng.random(), 3)) for _ in range(150_000)]
    (folder / "x.csv").write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in rows))
    with duckdb.connect(str(folder / "x.duckdb")) as base:
        base.execute(f"create table t as from read_csv('{folder}/x.csv')")
        base.execute(f"copy t to '{folder}/x.parquet' (format parquet)")
    with closing(sqlite3.connect(folder / "x.sqlite")) as base, base:
        base.execute("create table t (y integer, s real)")
        base.executemany("insert into t values (?, ?)", rows)
    (folder / "x.csv.gz").write_bytes(gzip.compress((folder / "x.csv").read_bytes(), 1))
    names = ("x.csv", "x.csv.gz", "x.parquet", "x.duckdb::t", "x.sqlite::t")
    return {name: str(folder / name) for name in names}


SQL_PLACES = [(name, memory, error) for name in range(5) for memory in (None, "1GB")
              for error in range(6)]  # fmt: skip


@campaign("12-sql")
def failing_sql(seed: int, folder: Path) -> Batch:
    """The first, second, … call of a database fails, until a count ends without one: here, as in
    the process that reads; and one of them in that process.
    """
    kind, memory, which = SQL_PLACES[seed]
    path = list(write_sources(folder).values())[kind]
    error, trials, wrong = failing.errors()[which], 0, []
    before = {one: one.read_bytes() for one in folder.iterdir()}
    with mock.patch.object(readers(), "is_confined", return_value=False):
        expected = br.count(path, label="y", score="s").digest
        while True:
            calls = failing.Calls(trials + 1, error)
            with failing.failing_databases(calls):
                found = counted_or_refused(path, memory)
            if calls.seen <= trials:
                break
            trials += 1
            what = f"{Path(path).name}, memory={memory}, call {trials}, {type(error).__name__}"
            if found != expected and "refused" not in found and "made to fail" not in found:
                wrong.append(f"{what}: {found}")
            if {one: one.read_bytes() for one in folder.iterdir()} != before:
                wrong.append(f"{what}: files are not as they were")
            if counted_or_refused(path, memory) != expected:
                wrong.append(f"{what}: the count after it is another")
    place = random.Random(f"P12-sql/{seed}").randrange(1, trials + 2)
    with failing.failing_reader(place, which):
        found = counted_or_refused(path, memory)
    if found != expected and not found.startswith("refused"):
        wrong.append(f"{Path(path).name}, call {place}, in a process: {found}")
    return trials + 1, wrong


ROWS = "from generate_series(1, 20000) i"
TABLES = (
    f"create table tied as select (i % 3 = 0)::int as y, (i % 7)::float8 / 7 as s {ROWS}",
    f"create table plain as select i % 3 = 0 as y, i::float8 / 7 as s {ROWS}",
    "analyze",
)
ASKED = ("tied", "plain", "select y, s from plain where s > 1")


@campaign("12-postgres")
def failing_server(_seed: int, _folder: Path) -> Batch:
    """The first, second, … call of a PostgreSQL server finds its connection ended or fails, until a
    count ends without one.
    """
    import psycopg
    from tests.read import conftest

    def lose() -> None:
        ask("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
            " and backend_type = 'client backend'")  # fmt: skip

    def ask(statement: str) -> None:
        with psycopg.connect(server.url, autocommit=True) as base:
            base.execute(statement)

    trials, wrong, fails = 0, [], (lose, MemoryError("made to fail"))
    with conftest.started(conftest.server_programs()) as server:
        for statement in TABLES:
            ask(statement)
        for fail, asked in product(fails, ASKED):
            path, place = f"{server.url}::{asked}", count(1)
            expected = br.count(path, label="y", score="s").digest
            while True:
                calls = failing.Calls(next(place), fail)
                with failing.failing_databases(calls):
                    found = counted_or_refused(path, None)
                if calls.seen < calls.fail_at:
                    break
                trials += 1
                what = f"{asked}, call {calls.fail_at}, {fail!r}"
                if found != expected and not found.startswith("refused"):
                    wrong.append(f"{what}: {found}")
                if counted_or_refused(path, None) != expected:
                    wrong.append(f"{what}: the count after it is another")
    return trials, wrong


def counted_or_refused(path: str, memory: str | None) -> str:
    """The digest of what is counted, or how it is refused; memory that is short is a refusal."""
    more = {} if memory is None else {"memory": memory}
    try:
        return str(br.count(path, label="y", score="s", **more).digest)
    except (br.InputError, MemoryError) as refused:
        return f"refused: {refused}"
    except Exception as bug:  # noqa: BLE001 (a traceback, but for the process around a reader)
        return f"{type(bug).__name__}: {bug}"


def readers() -> Any:
    from baserate.read import source

    return source


@campaign("12-allocations")
def failing_allocations(seed: int, folder: Path) -> Batch:
    """One allocation of the process that reads fails."""
    rng = random.Random(f"P12-allocations/{seed}")
    names = [name for name in write_sources(folder) if name != "x.csv"]
    words = ("show", rng.choice(names), "--label", "y", "--score", "s")
    whole, number = with_failing_allocation(words, folder, 0)
    place = rng.randrange(1, number + 1)
    done, asked = with_failing_allocation(words, folder, place)
    what = f"{words[1]}, allocation {place} of {number}"
    lines = [line for line in done.stderr.splitlines() if not line.startswith("note")]
    if asked < place or (done.returncode, done.stdout) == (0, whole.stdout):
        return 1, []  # done with fewer, or answered all the same
    if done.returncode in (2, 74) and len(lines) == 1 and "a bug in" not in lines[0]:
        return 1, []
    return 1, [f"{what}: {done.returncode}: {done.stdout[-300:]}{done.stderr}"]


def with_failing_allocation(words: tuple[str, ...], folder: Path, place: int) -> tuple[Any, int]:
    """A command, and how many allocations its reader asked for."""
    (folder / "allocations").unlink(missing_ok=True)
    command = [sys.executable, str(ROOT / "campaigns" / "failing.py"), str(place),
               str(folder / "allocations"), *words]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done, failing.allocations(folder / "allocations")


# ----------------------------------------------------------------------
# Other surroundings, and sizes.

NOBODY = 65534


def for_anybody() -> tuple[str, str]:
    """An interpreter of this version that `nobody` may run, with the path to these packages."""
    system = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, system):
        with suppress(OSError, subprocess.CalledProcessError):
            subprocess.run([python, "-c", ""], user=NOBODY, group=NOBODY, check=True)
            return python, os.pathsep.join(sys.path[1:])
    raise OSError("no interpreter that nobody may run")


@campaign("26-user")
def without_rights(seed: int, folder: Path) -> Batch:
    """A command by `nobody`: packages belong to root, and home cannot be written."""
    write_scores(folder, seed)
    words = COMMANDS[seed % len(COMMANDS)]
    expected = output(words, folder)
    python, path = for_anybody()
    (folder / "r.html").unlink(missing_ok=True)
    (folder / "home").mkdir(mode=0o555)
    os.chown(folder, NOBODY, NOBODY)
    environment = {"PYTHONPATH": path, "HOME": str(folder / "home"), "LANG": "C.UTF-8"}
    done = subprocess.run([python, "-m", "baserate", *words], cwd=folder, env=environment,
                          user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True,
                          check=False)  # fmt: skip
    page = folder / "r.html"
    said = done.stdout + (page.read_bytes() if page.exists() else b"")
    os.chown(folder, os.getuid(), os.getgid())
    return 1, [] if said == expected else [f"{words[0]}: {done.returncode}: {done.stderr[-300:]!r}"]


@campaign("16-payloads")
def hostile_reports(seed: int, folder: Path) -> Batch:
    """Drawn strings as every name of a report, in Chromium and in Firefox."""
    return hostile.in_browsers(seed, folder)


@campaign("18-cells")
def hostile_output(seed: int, folder: Path) -> Batch:
    """Drawn formulas in CSV for LibreOffice, and what steers a terminal on a terminal."""
    cells, formulas = hostile.in_cells(seed, folder)
    (folder / "lines").mkdir()
    lines, steered = hostile.on_terminals(seed, folder / "lines")
    return cells + lines, formulas + steered


@campaign("13-rows")
def many_rows(_seed: int, _folder: Path) -> Batch:
    """Pieces of 2²⁶ rows, float32 scores with ties, to a total beyond 2³¹; each cell is known."""
    import numpy as np

    rows, levels = 1 << 26, 1000
    places = np.resize(np.arange(levels, dtype=np.float32), rows) / np.float32(1024)
    labels = np.zeros(rows, np.int8)
    labels[::7] = 1
    total, pieces, wrong = br.Counts.empty(), 33, []
    for _ in range(pieces):
        total = total + br.count(labels, places)
    sizes = [pieces * len(range(level, rows, levels)) for level in range(levels)]
    # A row is at its level every `levels` rows and positive every 7: at both every 7 · levels.
    firsts = [next(row for row in range(level, 7 * levels, levels) if row % 7 == 0)
              for level in range(levels)]  # fmt: skip
    ours = [pieces * len(range(first, rows, 7 * levels)) for first in firsts]
    if total.positives.tolist() != ours[::-1]:
        wrong.append("positives")
    if (total.positives + total.negatives).tolist() != sizes[::-1]:
        wrong.append("sizes")
    if (total.scores * 1024).tolist() != list(range(levels))[::-1]:
        wrong.append("scores")
    everything = total.total_positives + total.total_negatives
    if everything != pieces * rows or everything <= 2**31:
        wrong.append(f"{everything:,} rows")
    exact = Fraction(sum(ours), pieces * rows)
    if br.measure(total, "precision", threshold=0.0) != exact.numerator / exact.denominator:
        wrong.append("precision")
    return 1, wrong


MUTATED = ("counts", "measures", "read", "decisions", "inference")
IN_C = ("kernels",)
# Parts in turn, an order of their mutants, and how many of them are a batch.
ORDERS: dict[Name, tuple[tuple[str, ...], str, int]] = {
    29: (MUTATED, "first", 120), "29-again": (MUTATED, "second", 40), "29-c": (IN_C, "first", 45),
}  # fmt: skip


@campaign(29)
def mutants(seed: int, _folder: Path) -> Batch:
    """Mutants of one part of the sources, each before the tests that run its line."""
    return _judged(seed, 29)


@campaign("29-again")
def other_mutants(seed: int, _folder: Path) -> Batch:
    """As above, of another random order: no test was written with these in mind."""
    return _judged(seed, "29-again")


@campaign("29-c")
def mutants_in_c(seed: int, _folder: Path) -> Batch:
    """Mutants of an extension in C, each before the tests that call its function."""
    return _judged(seed, "29-c")


def _judged(seed: int, number: Name) -> Batch:
    parts, order, size = ORDERS[number]
    part = parts[seed % len(parts)]
    turn = sum(parts[before % len(parts)] == part for before in range(seed))
    verdicts = _verdicts(ran(_script(part), part, size * turn, size, order))
    return len(verdicts), _survivors(verdicts)


def _script(part: str) -> str:
    return f"campaigns/{'c_' * (part in IN_C)}mutants.py"


def _verdicts(said: str) -> list[tuple[str, str]]:
    """Mutants and verdicts, as they were printed; two on one line may have the same text."""
    return [json.loads(line) for line in said.splitlines() if line.startswith('["')]


def _survivors(verdicts: list[tuple[str, str]]) -> list[str]:
    return [f"{verdict}: {mutant}" for mutant, verdict in verdicts
            if verdict not in ("killed", "timeout")]  # fmt: skip


def by_part(known: dict[str, Any], seed: int, trials: int, wrong: int) -> dict[str, list[int]]:
    """For each part: the mutants, those killed at first, and those killed now."""
    names, parts = ORDERS[known["promise"]][0], dict(known.get("parts", {}))
    part = names[seed % len(names)]
    before = parts.get(part, [0, 0, 0])
    parts[part] = [before[0] + trials, before[1] + trials - wrong, before[2] + trials - wrong]
    return parts


def judge_again(number: Name = 29) -> dict[str, Any]:
    """The survivors of the first order, before the tests that there are now."""
    known, alive = recorded(number), list[str]()
    texts = "\n".join(one.partition(": ")[2] for one in known["wrong"])
    for part, figures in known["parts"].items():
        said = ran(_script(part), part, "again", given=texts)
        left = list(dict.fromkeys(_survivors(_verdicts(said))))  # one of a text is enough
        alive += left
        figures[2] = figures[0] - len(left)
    known |= {"failures": len(alive), "wrong": alive}
    write(known)
    return known


# ----------------------------------------------------------------------
# Tests that are campaigns already: each is a trial.

TESTS = {
    5: ("tests/laws",),
    7: ("tests/bad_inputs",),
    16: ("tests/reports/test_hostile.py",),
    17: ("tests/reports/test_page.py", "tests/reports/test_bundle.py"),
    18: (
        "tests/plots/test_text.py",
        "tests/curves/test_threshold_table.py",
        "tests/cli/test_choose.py",
        "tests/bad_inputs/test_h_output.py",
        "-k",
        "steer or formula or obey or shown_escaped",
    ),
    27: ("tests/read/test_no_code_runs.py",),
    30: ("tests/counts/test_old_files.py",),
}


def tested(number: int) -> Callable[[int, Path], Batch]:
    def run(_seed: int, _folder: Path) -> Batch:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-rfE", "--no-header", *TESTS[number]],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = done.stdout.splitlines()
        wrong = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        words = (lines or [""])[-1].split()
        passed = [int(words[i - 1]) for i, word in enumerate(words) if word.startswith("passed")]
        return sum(passed) + len(wrong), wrong

    return run


CAMPAIGNS |= {number: tested(number) for number in TESTS}
# Fixed lists of trials: how many batches they are.
SIZES: dict[Name, int] = dict.fromkeys(TESTS, 1) | {2: 1, 12: len(PLACES), 28: 1, 29: 5}
SIZES |= {"12-sql": len(SQL_PLACES), "12-postgres": 1, "13-rows": 1, "29-again": 5}


# ----------------------------------------------------------------------
# Recording.


# What a campaign runs of src/baserate, where that is not all of it: the rest may change.
CORE = ("errors.py", "atomic.py", "numbers.py", "notation.py", "distributions.py", "conditions.py",
        "kernels", "counts")  # fmt: skip
READ, ANSWERS = (*CORE, "read"), (*CORE, "read", "measures", "decisions", "curves", "verbs")
USED: dict[Name, tuple[str, ...]] = {
    1: ANSWERS, 4: READ, 6: READ, 9: (*CORE, "read"), 10: READ, 11: (*CORE, "read"),
    19: READ, "12-sql": READ, "12-postgres": READ, "13-rows": READ,
    **dict.fromkeys((29, "29-again"), ("counts", "kernels", "measures", "read/cases.py",
                                       "decisions", "inference")),
    "29-c": ("kernels",),
}  # fmt: skip


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def source(number: Name) -> str:
    """The sources that a campaign tries, by Git's names of them."""
    parts = [f"HEAD:src/baserate/{part}" for part in USED.get(number, ())] or ["HEAD:src"]
    names = git("rev-parse", *parts)
    return names if len(parts) == 1 else hashlib.sha1(names.encode()).hexdigest()


def commit() -> str:
    """The last commit that changed the sources."""
    return git("log", "-1", "--format=%h", "--abbrev=10", "--", "src")


def one_batch(number: Name, seed: int) -> tuple[int, list[str], float]:
    """Trials, what was wrong, and the processor time, of one seed."""
    began = cpu()
    with tempfile.TemporaryDirectory() as folder:
        trials, wrong = CAMPAIGNS[number](seed, Path(folder))
    return trials, wrong, cpu() - began


def batches(number: Name, begin: int, jobs: int = 1) -> Iterator[tuple[int, int, list[str], float]]:
    """(next seed, trials, what was wrong, seconds), in the order of the seeds, for ever."""
    if jobs == 1:
        for seed in count(begin):
            yield seed + 1, *one_batch(number, seed)
    with ProcessPoolExecutor(jobs) as pool:
        ahead = deque(pool.submit(one_batch, number, seed) for seed in range(begin, begin + jobs))
        try:
            for seed in count(begin):
                done = ahead.popleft().result()
                ahead.append(pool.submit(one_batch, number, seed + jobs))
                yield seed + 1, *done
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def cpu() -> float:
    """Processor time of this process and of its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def goal_of(number: Name) -> Promise:
    return PROMISES[number] if isinstance(number, int) else FURTHER[number]


KEPT = ("commit", "date", "trials", "failures", "source")


def recorded(number: Name) -> dict[str, Any]:
    """What is known of these sources; of others, what was seen in short."""
    path = HERE / f"P{number}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    if known.get("source") == source(number):
        return known
    earlier = known.pop("earlier", [])
    if known.get("trials"):
        earlier.append({key: known[key] for key in KEPT})
    return {"promise": number, "source": source(number), "seed": 0, "trials": 0, "failures": 0,
            "wrong": [], "cpu_s": 0.0, "earlier": earlier}  # fmt: skip


def run(number: Name, seconds: float, jobs: int = 1) -> dict[str, Any]:
    """Go on with one campaign, and write down what was seen after every batch."""
    known, goal = recorded(number), goal_of(number).goal
    known["commit"] = commit()
    if known["trials"] >= goal or known.get("whole"):
        return known
    for seed, trials, wrong, spent in batches(number, known["seed"], jobs):
        known |= {
            "seed": seed,
            "trials": known["trials"] + trials,
            "failures": known["failures"] + len(wrong),
            "wrong": (known["wrong"] + wrong)[:MOST_SHOWN],
            "cpu_s": round(known["cpu_s"] + spent, 1),
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "whole": seed >= SIZES.get(number, math.inf),
        }
        if number in ORDERS:
            known["parts"] = by_part(known, seed - 1, trials, len(wrong))
        seconds -= spent
        write(known)
        if seconds <= 0 or known["whole"] or known["trials"] >= goal:
            break
    return known


def write(known: dict[str, Any]) -> None:
    path = HERE / f"P{known['promise']}.json"
    path.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def named(word: str) -> Name:
    word = word.removeprefix("P")
    return int(word) if word.isdecimal() else word


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("promises", nargs="*", metavar="P1")
    parser.add_argument("--seconds", type=float, default=7200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--survivors", action="store_true", help="judge those mutants again")
    given = parser.parse_args()
    if given.survivors:
        numbers = list(map(named, given.promises)) or [29]
        return 1 if sum(judge_again(number)["failures"] for number in numbers) else 0
    failures = 0
    for number in list(map(named, given.promises)) or sorted(CAMPAIGNS, key=str):
        try:
            found = run(number, given.seconds, given.jobs)
        except hostile.Missing as missing:
            print(f"P{number}: not run: {missing}", flush=True)
            failures += 1
            continue
        failures += found["failures"]
        print(f"P{number}: {found['failures']} failures in {found['trials']:,} trials"
              f" ({found['cpu_s']} s)", flush=True)  # fmt: skip
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
