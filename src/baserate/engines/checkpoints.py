"""How far counting has got, in a file: versioned, checksummed, and bound to the data and to what was asked of them."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, NamedTuple

from baserate import storage
from baserate.cells import Array
from baserate.digests import sha256
from baserate.errors import InputError, refuse_file

# The number goes up with every change of what is kept, or of how it comes about: what another version began, this one does not finish.
MAGIC = b"baserate-checkpoint-2\n"
KIND = "checkpoint"
EVERY_S = 10.0
# Writing may take one part of the time in so many.
PATIENCE = 20
AGAIN = "remove it to begin anew"
# What is not ours is not ours to have removed.
ELSEWHERE = "name another file: this one is kept as it is"


class Reached(NamedTuple):
    """What was being filled, the reading of the data that it was filled in, and the piece and row that come next there."""

    stage: str
    reading: int
    piece: int
    rows: int
    arrays: dict[str, Array]


class Checkpoint:
    """A file that is written now and then, and taken away at the end. Without a path there is none."""

    def __init__(self, path: str | None, key: str) -> None:
        self.path, self.key = path, sha256([f"{MAGIC!r}\n{key}".encode()]).hex()
        self.last, self.cost = time.monotonic(), 0.0

    def found(self) -> Reached | None:
        """What an earlier run left there; None where there is nothing. What is damaged, or of other data, is refused."""
        if self.path is None or not os.path.lexists(self.path):
            return None
        saved = self._read(self.path)
        try:
            facts = saved.facts
            reading, piece, rows = (_whole(facts[name]) for name in ("reading", "piece", "rows"))
            reached = Reached(str(facts["stage"]), reading, piece, rows, saved.arrays)
        except (KeyError, TypeError, ValueError):
            raise self._refused("does not say how far counting had got") from None
        if facts.get("key") != self.key:
            raise self._refused("is the checkpoint of other data, of other options, or of another version of baserate")
        return reached

    def _read(self, path: str) -> storage.Saved:
        if not os.path.isfile(path) or os.path.islink(path):  # noqa: PTH113, PTH114
            raise self._refused("is not a regular file", ELSEWHERE)
        with open(path, "rb") as file:
            content = file.read()
        if not content.startswith(MAGIC):
            if content.startswith(MAGIC[:-2]):
                raise self._refused("is the checkpoint of another version of baserate")
            raise self._refused("is no checkpoint", ELSEWHERE)
        body = memoryview(content)[: -storage.CHECKSUM]
        if sha256([body]) != content[-storage.CHECKSUM :]:
            raise self._refused("is damaged or cut off: its checksum does not match")
        try:
            return storage.parsed(body, len(MAGIC))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise self._refused("does not hold what its head says") from None

    def _refused(self, text: str, fix: str = AGAIN) -> InputError:
        return refuse_file(self.path or "", "BR945", text, fix)

    @property
    def due(self) -> bool:
        """Whether it is time to write again."""
        return self.path is not None and time.monotonic() - self.last >= max(EVERY_S, PATIENCE * self.cost)

    def write(self, reached: Reached) -> None:
        """Put this in place of what was there; a kill at any moment leaves the one or the other."""
        if self.path is None:
            return
        begun = time.monotonic()
        facts: dict[str, Any] = {"key": self.key, **{name: value for name, value in reached._asdict().items() if name != "arrays"}}
        storage.write(self.path, storage.Saved(KIND, reached.arrays, facts), MAGIC)
        self.last = time.monotonic()
        self.cost = self.last - begun


def forget(path: str | None) -> None:
    """There is a result now, and nothing to go on from."""
    if path is not None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def check_place(path: str | None) -> None:
    """Whether a checkpoint can be written there: asked before anything is read, not when the first is due."""
    folder = None if path is None else os.path.dirname(path) or os.curdir  # noqa: PTH120
    if folder is None or (os.path.isdir(folder) and os.access(folder, os.W_OK)):  # noqa: PTH112
        return
    what = "nothing can be written there" if os.path.isdir(folder) else "there is no such folder"  # noqa: PTH112
    raise refuse_file(folder, "BR945", f"{what}, and so no checkpoint", "make the folder first, or name a file elsewhere")


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value
