"""A file as it lies on the disk: regular, not empty, hashed, and the same after reading as before."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from baserate.errors import refuse_file


@contextmanager
def unchanged(paths: Sequence[str]) -> Iterator[str]:
    """The SHA-256 of the bytes while they are being read; of several files, that of their digests, one a line."""
    before = [state_of(path) for path in paths]
    digests = [_digest(path) for path in paths]
    yield digests[0] if len(digests) == 1 else hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
    for path, state in zip(paths, before, strict=True):
        check_state(path, state)


def with_log(path: str, ending: str) -> list[str]:
    """A database, and beside it the log that holds its latest changes, where there is one."""
    log = path + ending
    return [path, log] if os.path.exists(log) and os.path.getsize(log) else [path]  # noqa: PTH110, PTH202


def check_state(path: str, before: tuple[int, ...]) -> None:
    """Refuse a file that is not what it was."""
    if state_of(path) != before:
        raise refuse_file(path, "BR611", "changed while it was read", "wait until it is written, or read a copy")


def state_of(path: str) -> tuple[int, int, int]:
    """What changes where a file does: which one it is, how long, and when it was written."""
    found = os.stat(path)  # noqa: PTH116
    if not stat.S_ISREG(found.st_mode):
        raise refuse_file(path, "BR615", "is not a regular file", "save the data to a file first")
    if not found.st_size:
        raise refuse_file(path, "BR602", "is empty (0 bytes)", "give a file with cases")
    return found.st_ino, found.st_size, found.st_mtime_ns


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
