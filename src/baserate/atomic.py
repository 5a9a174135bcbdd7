"""Writing a file so that a reader sees the old one or the new one, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

try:
    import fcntl
except ImportError:  # Windows: no advisory locks, so the drafts of a killed writer stay until they are removed by hand
    fcntl = None  # type: ignore[assignment]


def write_atomically(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview]) -> None:
    """Write the pieces to a draft beside `path`, flush it to disk, and rename it into place.

    Drafts that killed writers left behind are swept first. A link at `path` is replaced, never followed.
    """
    folder, name = os.path.split(os.fspath(path))
    folder = folder or os.curdir
    _sweep(folder, name)
    draft, descriptor = _open_draft(folder, name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:  # still locked, so that no sweep takes the draft away
                os.replace(draft, path)
        if fcntl is None:  # Windows renames closed files only
            os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
    _sync_folder(folder)


def _open_draft(folder: str, name: str) -> tuple[str, int]:
    """A new file beside the target, locked by us; again if another writer swept it before we held the lock."""
    while True:
        draft = os.path.join(folder, f".{name}.{os.urandom(8).hex()}.draft")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a file system without locks: the draft may outlive a kill
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return draft, descriptor
        os.close(descriptor)


def _sweep(folder: str, name: str) -> None:
    """Remove the drafts whose writer is gone: its lock on them went with it."""
    if fcntl is None:
        return
    for entry in os.listdir(folder):
        if entry.startswith(f".{name}.") and entry.endswith(".draft"):
            draft = os.path.join(folder, entry)
            with contextlib.suppress(OSError), open(draft, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(draft)


def _sync_folder(folder: str) -> None:
    """Make the rename itself durable, where folders can be flushed."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
