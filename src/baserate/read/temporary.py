"""Temporary folders, each with a lock: whatever a killed process left behind is removed by the next
start.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from functools import cache

from baserate.atomic import is_ours

try:
    import fcntl
except ImportError:  # Windows: no advisory locks, so what a kill leaves stays
    fcntl = None  # type: ignore[assignment]

PREFIX = "baserate-"
LOCK = ".lock"


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """Give a folder that nobody else can read, and that is gone afterwards."""
    remove_abandoned()
    folder, lock = new_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def new_folder() -> tuple[str, int]:
    """Return a folder with a locked file in it; again if another start removed it before we held
    the lock.
    """
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
            if os.fstat(lock).st_nlink:
                return folder, lock
            os.close(lock)


@cache
def remove_abandoned() -> None:
    """Remove, once in a process, the folders of this user whose lock is free: their process was
    killed.
    """
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    remove_if_abandoned(entry.path)


def remove_if_abandoned(folder: str) -> None:
    """Remove a folder of ours that no living process holds."""
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return
    try:
        lock = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        os.rmdir(folder)  # noqa: PTH106 (killed before its lock was there; what is not empty is not ours)
        return
    try:
        if is_ours(lock):
            shutil.rmtree(folder)
    finally:
        os.close(lock)
