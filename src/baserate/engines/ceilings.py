"""How much memory counting may take, and what to do where everything does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from baserate.errors import Fix, quoted, refuse, size

UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
# What two interpreters, their libraries and a piece on its way take before anything is kept.
TAKEN = 260 * 10**6
LEAST = 320 * 10**6
# Bytes that a distinct score takes while cells are merged, and that a positive's score takes in the second pass.
CELL, POSITIVE = 112, 120
WORDS = ("memory", "approx", "thresholds", "resume")
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Ceiling:
    """The most bytes that counting may take (None: as many as there are), and how to go about it.

    `approx` allows certified bins instead of a refusal; `thresholds` are points that must stay exact; `resume` is the file of how far
    counting has got, which is removed at the end, or, where it `stays`, by whoever has saved the result.
    """

    memory: int | None = None
    approx: bool = False
    thresholds: tuple[Any, ...] = ()
    resume: str | None = None
    progress: Progress | None = None
    stays: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Ceiling:
        """From keywords, each a word that is known."""
        memory, said = given.get("memory"), [name for name in ("approx", "resume", "thresholds") if given.get(name)]
        if memory is None and said:
            text = f"{said[0]} applies to counting within a memory limit, and none is given"
            raise refuse("BR940", text, Fix("memory='1GB'", "--memory 1GB"))
        several = tuple(given.get("thresholds", ()))
        return cls(None if memory is None else bytes_of(memory), bool(given.get("approx")), several, given.get("resume"))

    @property
    def room(self) -> int:
        """The bytes for what is kept."""
        assert self.memory is not None
        return self.memory - TAKEN

    def at(self, thresholds: tuple[Any, ...]) -> Ceiling:
        """The same with thresholds to be kept apart; without a ceiling every score is."""
        return self if self.memory is None else replace(self, thresholds=thresholds)


def bytes_of(memory: Any) -> int:
    """A number of bytes, as people write it: 1GB, 512 MiB, 1000000000."""
    found = WRITTEN.fullmatch(memory.strip().casefold()) if isinstance(memory, str) else None
    known = found is not None and found[2] in UNITS
    number = float(found[1]) * UNITS[found[2]] if found is not None and known else memory
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 2**62:
        raise refuse("BR940", f"a ceiling is an amount of memory, got {quoted(memory)}", Fix("memory='1GB'", "--memory 1GB"))
    if number < LEAST:
        text = f"a ceiling of {size(int(number))} is too low: the readers alone take {size(TAKEN)}"
        raise refuse("BR940", text, Fix("memory='320MB' or more", "--memory 320MB or more"))
    return int(number)
