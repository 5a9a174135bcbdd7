"""Damaged files of every format, given to the readers: each is read or refused in one line, and
what is read is right.

    python benchmarks/fuzz_inputs.py --files 21000 --seed 1 --keep FOLDER

A file is made from a whole one (fuzzing/seeds.py) by a few wounds (fuzzing/mutations.py); `--seed`
and its number make it again. A process of its own reads it, and is watched: an end, a silence
beyond `--deadline`, anything else than counts or one clear line is recorded, and the file kept.
`--public` is the share of files that go through `br.count`; the others go to the
readers directly, in that process, which is quicker by the child that the library may start for a
file. Where a direct reader dies, the file is given to `br.count` as well: only if that kills its
process, the parent has died. What is read is held against other readers (fuzzing/peers.py). Exit
status 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # not the folder of the script, in which coverage.py is no library
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.fuzzing.seeds import FORMATS, save
from benchmarks.fuzzing.workers import Case, Dead, Plan, Silent, Worker, serve

RENEWED = 1000  # files that one process reads
WRONG = ("traceback", "parent death", "hang", "differs")
COLUMNS = (
    "files",
    "read",
    "refused",
    *WRONG,
    "reader death",
    "agrees",
    "unchanged",
    "no peer reads it",
    "peer died",
)


@dataclass
class Campaign:
    """The plan, the process that reads, and what was seen: a count for each format and event, and
    what went wrong.
    """

    plan: Plan
    worker: Worker
    folder: Path
    keep: Path | None = None
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    peak: int = 0

    def run(self, numbers: range) -> None:
        for whole in range(-len(self.plan.seeds), 0):
            self.one(self.plan.case(whole))
        unread = sum(self.seen.values()) - 3 * len(
            self.plan.seeds
        )  # each is a file, is read, and is right
        assert (unread, self.wrong) == (
            0,
            [],
        ), f"the whole files are not read as they should be: {self.seen}"
        self.seen.clear()
        for number in numbers:
            self.one(self.plan.case(number))
            if number % RENEWED == RENEWED - 1:
                self.worker.stop()  # peers that panic leave things behind

    def ask(self, case: Case, way: str) -> dict[str, Any]:
        """What becomes of a file, written anew."""
        path = self.folder / case.seed.name
        path.write_bytes(case.data)
        return self.worker.ask(seed=case.place, path=str(path), way=way)

    def one(self, case: Case) -> None:
        name = case.seed.format
        self.seen[name, "files"] += 1
        try:
            found = self.ask(case, case.way)
        except Silent:
            self.record(case, "hang", f"more than {self.worker.deadline_s} s")
            return
        except Dead as error:
            self.died(case, str(error))
            return
        self.peak = max(self.peak, found["peak"])
        if found["kind"] == "traceback":
            self.record(case, "traceback", found["said"])
            return
        self.seen[name, found["kind"]] += 1
        self.codes[name, found["said"].partition(":")[0]] += found["kind"] == "refused"
        if found["kind"] == "read":
            self.judged(case)

    def judged(self, case: Case) -> None:
        try:
            found = self.worker.answer()
        except (Dead, Silent) as error:
            self.record(case, "peer died", repr(error))
            return
        if found["verdict"] in ("differs", "no peer reads it"):
            self.record(case, found["verdict"], f"found {found['found']}, {found['why']}")
        else:
            self.seen[case.seed.format, found["verdict"]] += 1

    def died(self, case: Case, words: str) -> None:
        """Whether what killed a reader also kills whoever calls `br.count`."""
        if case.way == "direct":
            self.record(case, "reader death", words)
            try:
                found = self.ask(case, "count_file")
                if found["kind"] == "read":
                    self.worker.answer()
            except (Silent, Dead) as error:
                words = repr(error)
            else:
                return
        self.record(case, "parent death", words)

    def record(self, case: Case, event: str, words: str) -> None:
        """Count it, and keep the file with what was said of it."""
        seed = case.seed
        self.seen[seed.format, event] += 1
        line = (
            f"{event}: file {case.number}, {seed.format}, from {seed.name}, {case.way}:"
            f" {words.strip()}"
        )
        if event != "no peer reads it":
            self.wrong.append(line)
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            kept = self.keep / f"{case.number}-{seed.name}"
            kept.write_bytes(case.data)
            facts = {
                "options": seed.options,
                "positive": seed.positive,
                "asked": seed.asked,
                "said": line,
            }
            kept.with_name(kept.name + ".txt").write_text(
                json.dumps(facts, indent=1).replace("\\n", "\n")
            )

    @property
    def failures(self) -> int:
        return sum(count for (_, event), count in self.seen.items() if event in WRONG)

    def table(self) -> str:
        formats = list(dict.fromkeys(name for name, _ in self.seen))
        lines = [f"| format | {' | '.join(COLUMNS)} |", "|" + "---|" * (len(COLUMNS) + 1)]
        lines += [
            f"| {name} | {' | '.join(str(self.seen[name, event]) for event in COLUMNS)} |"
            for name in formats
        ]
        sums = [str(sum(self.seen[name, event] for name in formats)) for event in COLUMNS]
        return "\n".join([*lines, f"| all | {' | '.join(sums)} |"])


def campaign(
    folder: Path,
    *,
    files: int,
    seed: int = 0,
    formats: tuple[str, ...] = FORMATS,
    public: float = 0.1,
    **more: object,
) -> Campaign:
    """So many files in a folder of our own, read and judged."""
    places = [folder / name for name in ("seeds", "mutants")]
    for place in places:
        place.mkdir()
    script = [sys.executable, str(Path(__file__).resolve())]
    subprocess.run(
        [*script, "--make-seeds", str(places[0]), "--formats", ",".join(formats)], check=True
    )
    plan = Plan(str(places[0]), seed, public).loaded()
    command = [*script, "--serve", str(places[0]), "--seed", str(seed), "--public", str(public)]
    worker = Worker(command, folder / "worker.log", float(str(more.get("deadline", 20))))
    keep = more.get("keep")
    found = Campaign(plan, worker, places[1], Path(str(keep)) if keep else None)
    start = int(str(more.get("start", 0)))
    try:
        found.run(range(start, start + files))
    finally:
        worker.stop()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0, help="the number of the first file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--public", type=float, default=0.1)
    parser.add_argument("--deadline", type=float, default=20)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--make-seeds", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    formats = tuple(asked.formats.split(","))
    if asked.make_seeds:
        save(asked.make_seeds, formats)
        return 0
    if asked.serve:
        serve(Plan(asked.serve, asked.seed, asked.public).loaded())
        return 0
    started = time.monotonic()
    more = {"deadline": asked.deadline, "keep": asked.keep, "start": asked.start}
    with tempfile.TemporaryDirectory() as folder:
        found = campaign(
            Path(folder),
            files=asked.files,
            seed=asked.seed,
            formats=formats,
            public=asked.public,
            **more,
        )
    print(found.table())
    seconds = time.monotonic() - started
    print(
        f"\nseed {asked.seed}, {asked.files} files in {seconds:.0f} s ({asked.files / seconds:.0f}"
        f" a second), peak {found.peak / 1024:.0f} MiB"
    )
    for name in dict.fromkeys(name for name, _ in found.codes):
        codes = sorted(
            ((count, code) for (of, code), count in found.codes.items() if of == name and count),
            reverse=True,
        )
        print(f"refusals of {name}:", ", ".join(f"{code} {count}" for count, code in codes))
    for line in found.wrong[:50]:
        print(line[:600], file=sys.stderr)
    return int(found.failures > 0)


if __name__ == "__main__":
    sys.exit(main())
