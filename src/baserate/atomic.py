"""Writing a file so that a reader sees the old one or the new one, whatever happens in between."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator

try:
    import fcntl
except ImportError:  # Windows: no advisory locks, so the drafts of a killed writer stay until they are removed by hand
    fcntl = None  # type: ignore[assignment]

from baserate.errors import size

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# File names may have 255 bytes; a draft's adds some of its own.
MOST_NAME = 50
PRIVATE = 0o600


def write_atomically(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview], *, private: bool = False) -> None:
    """Write the pieces to a draft beside `path`, flush it to disk, and rename it into place.

    Drafts that killed writers left behind are swept first. A link at `path` is replaced, never followed; the mode of a file that was
    there is kept, and nobody but the owner reads a private one; anything else that is there (a folder, a pipe, a device) is refused.
    """
    folder, name = os.path.split(os.fspath(path))
    folder = folder or os.curdir
    there = _mode(path)
    mode = PRIVATE if private else there
    _sweep(folder, name)
    draft, descriptor = _open_draft(folder, name, PRIVATE if private else 0o666)
    counted = _Counted(pieces)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in counted:
                file.write(piece)
            if mode is not None:
                os.chmod(draft, mode)
            file.flush()
            _sync(file.fileno())
            if fcntl is not None:  # still locked, so that no sweep takes the draft away
                os.replace(draft, path)
        if fcntl is None:  # Windows renames closed files only
            os.replace(draft, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        if isinstance(error, OSError) and error.errno in FULL:
            raise no_room(error, folder, f"{size(counted.to_the_end())} needed", os.fspath(path)) from error
        raise
    _sync_folder(folder)


class _Counted:
    """Pieces, and how many bytes they are together, also of those that nobody could write."""

    def __init__(self, pieces: Iterable[bytes | memoryview]) -> None:
        self.pieces, self.bytes = iter(pieces), 0

    def __iter__(self) -> Iterator[bytes | memoryview]:
        for piece in self.pieces:
            self.bytes += memoryview(piece).nbytes
            yield piece

    def to_the_end(self) -> int:
        for _ in self:
            pass
        return self.bytes


def no_room(error: OSError, folder: str, needed: str, path: str | None = None) -> OSError:
    """The error for a file that does not fit: how much is needed, and how much there is, or the limit that the user set."""
    if error.errno == errno.EFBIG:
        return OSError(error.errno, f"{error.strerror}: {needed}, and a file may have {_largest()}", path)
    free = size(shutil.disk_usage(folder).free)
    return OSError(error.errno, f"{error.strerror}: {needed}, {free} free in {folder}", path)


def _largest() -> str:
    """How large a file may be; where the user set no limit, it is that of the file system."""
    try:
        import resource
    except ImportError:  # Windows
        return "no more on this file system"
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return "no more on this file system" if limit == resource.RLIM_INFINITY else f"at most {size(limit)} (ulimit -f)"


def _mode(path: str | os.PathLike[str]) -> int | None:
    """The permissions of the file that is there; None where there is nothing, or a link."""
    try:
        found = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found) and not stat.S_ISLNK(found):
        raise OSError(errno.EINVAL, "Not a regular file", os.fspath(path))
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def _open_draft(folder: str, name: str, mode: int) -> tuple[str, int]:
    """A new file beside the target, locked by us; again if another writer swept it before we held the lock."""
    while True:
        draft = os.path.join(folder, f".{name[:MOST_NAME]}.{os.urandom(8).hex()}.draft")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks: the draft may outlive a kill
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return draft, descriptor
            os.close(descriptor)
        except BaseException as stop:
            if not isinstance(stop, Exception):  # Ctrl-C may come as soon as the file is there
                with contextlib.suppress(OSError):
                    os.unlink(draft)
            raise


def is_ours(descriptor: int) -> bool:
    """Whether a file is locked by us now; where there are no locks, nobody can have it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def _sweep(folder: str, name: str) -> None:
    """Remove the drafts whose writer is gone: its lock on them went with it."""
    if fcntl is None:
        return
    ours = re.compile(rf"\.{re.escape(name[:MOST_NAME])}\.[0-9a-f]{{16}}\.draft")
    for entry in os.listdir(folder):
        draft = os.path.join(folder, entry)
        with contextlib.suppress(OSError):
            if ours.fullmatch(entry) and stat.S_ISREG(os.lstat(draft).st_mode):
                _remove_if_left(draft)


def _remove_if_left(draft: str) -> None:
    descriptor = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(draft)
    finally:
        os.close(descriptor)


def _sync(descriptor: int) -> None:
    """Flush to disk; a file system that cannot (some network mounts) keeps the promise to readers, and not the one about power cuts."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _sync_folder(folder: str) -> None:
    """Make the rename itself durable, where folders can be flushed."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
