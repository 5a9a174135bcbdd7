"""A process that reads mutants one after another, and another that watches it: a dead or silent
reader is recorded, and replaced.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import resource
import select
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fuzzing import mutations, seeds
from benchmarks.fuzzing.seeds import Seed

START_S = 60.0
WAYS = ("count_file", "count_groups_file", "count_models_file")


class Case(NamedTuple):
    """One file of a campaign: its number, its seed and the place of that among all, its bytes, and
    how it is read.
    """

    number: int
    place: int
    seed: Seed
    data: bytes
    way: str


@dataclass(frozen=True)
class Plan:
    """What a campaign does: with it and the number of a file, the file and the way it is read are
    the same again.
    """

    folder: str
    seed: int = 0
    public: float = 0.1
    memory: int = (
        16 << 30
    )  # of address space, of which threads and libraries take gigabytes that are never touched
    seeds: list[Seed] = field(default_factory=list, compare=False)

    def loaded(self) -> Plan:
        self.seeds.extend(seeds.load(Path(self.folder)))
        return self

    def case(self, number: int) -> Case:
        """The file of this number; those below 0 are the seeds themselves."""
        if number < 0:
            return Case(number, number, self.seeds[number], self.seeds[number].data, "direct")
        rng = random.Random(f"{self.seed}/{number}")
        formats = list(dict.fromkeys(seed.format for seed in self.seeds))
        place = rng.choice(
            [
                place
                for place, seed in enumerate(self.seeds)
                if seed.format == formats[number % len(formats)]
            ]
        )
        data = mutations.mutant(self.seeds, self.seeds[place], rng)
        way = rng.choices(WAYS, (8, 1, 1))[0]
        return Case(
            number, place, self.seeds[place], data, way if rng.random() < self.public else "direct"
        )


def serve(plan: Plan) -> None:
    """Read what is asked for on standard input, until it ends: first what became of a file, then
    whether that is right.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is not an answer
    faulthandler.enable()
    # Not more than is allowed: a child that the library starts may set limits of its own.
    resource.setrlimit(resource.RLIMIT_AS, (plan.memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error")
    from benchmarks.fuzzing import peers
    from benchmarks.fuzzing.reading import READ, outcome

    def told(**facts: Any) -> None:
        answers.write(json.dumps(facts) + "\n")
        answers.flush()

    whole: dict[int, Any] = {}
    told(ready=True)
    for line in sys.stdin:
        asked = json.loads(line)
        seed, path = plan.seeds[asked["seed"]], Path(asked["path"])
        found = outcome(seed, path, asked["way"])
        told(
            kind=found.kind,
            said=found.said,
            peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        )
        if found.kind != READ or found.reading is None:
            continue
        data = path.read_bytes()
        if asked["seed"] not in whole:
            path.write_bytes(seed.data)
            whole[asked["seed"]] = outcome(seed, path, "direct").reading
        verdict, why = peers.verdict(seed, data, found.reading, whole[asked["seed"]])
        told(verdict=verdict, why=why, found=repr(found.reading))


class Dead(Exception):  # noqa: N818 (what became of a process)
    """The worker has ended; by which signal or status."""


class Silent(Exception):  # noqa: N818
    """The worker has not answered in time."""


class Worker:
    """The reading process, seen from outside."""

    def __init__(self, command: list[str], log: Path, deadline_s: float) -> None:
        self.command, self.log, self.deadline_s = command, log, deadline_s
        self.process: subprocess.Popen[bytes] | None = None
        self.rest = b""  # of an answer, or of two

    def ask(self, **facts: Any) -> dict[str, Any]:
        """A request and its first answer."""
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(facts).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer tells
        return self.answer()

    def answer(self, patience_s: float | None = None) -> dict[str, Any]:
        """The next answer, if it comes in time."""
        process, end = self._running(), time.monotonic() + (patience_s or self.deadline_s)
        assert process.stdout is not None
        while b"\n" not in self.rest:
            ready, _, _ = select.select([process.stdout], [], [], max(end - time.monotonic(), 0))
            if not ready:
                self.stop()
                raise Silent
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                status = process.wait()
                self.process = None
                raise Dead(f"{status}: {self._last_words()}")
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            self.rest = b""
            with self.log.open("wb") as log:
                self.process = subprocess.Popen(
                    self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
                )
            self.answer(START_S)
        return self.process

    def _last_words(self) -> str:
        return self.log.read_bytes()[-2000:].decode("utf-8", "replace")

    def stop(self) -> None:
        """End the process that we started."""
        if self.process is not None:
            process, self.process = self.process, None
            process.kill()
            process.communicate()
