"""Where an answer goes: looked at before anything is computed, held meanwhile, and then written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence

from baserate.atomic import FULL, is_ours
from baserate.errors import Fix, quoted, refuse_file

MOST_LOCK = 20  # bytes: the id of a process
MOST_NAME = 200  # of a file name's 255 bytes: drafts and locks beside it add some of their own


@contextlib.contextmanager
def reserved(path: str, inputs: Sequence[str] = (), *, force: bool = False) -> Iterator[Callable[[], None]]:
    """For as long as the context lasts nobody else writes the output; it begins once it is clear that it can be written.

    What it gives is to be called right before writing: a file that came there meanwhile is not ours to replace either.
    """
    _check_folder(path)
    _check_place(path, inputs, force=force)
    try:
        with _held(path):
            yield lambda: _check_place(path, inputs, force=force)
    except OSError as error:
        if error.errno in FULL:
            raise OSError(error.errno, f"{error.strerror}; what was there before is kept", path) from error
        raise


def _folder(path: str) -> str:
    return os.path.dirname(path) or os.curdir  # noqa: PTH120


def _check_folder(path: str) -> None:
    folder, name = _folder(path), os.path.basename(path)  # noqa: PTH119
    if not name or "\0" in path or path == "-":
        raise refuse_file(path, "BR803", "is no name of a file", "name a file; without one the answer is printed")
    if len(os.fsencode(name)) > MOST_NAME:
        raise refuse_file(folder, "BR803", f"the name {quoted(name)} has more than {MOST_NAME} bytes", "choose a shorter one")
    if not os.path.isdir(folder):  # noqa: PTH112
        what = "is not a folder" if os.path.lexists(folder) else "there is no such folder"
        raise refuse_file(folder, "BR803", what, "make it first, or write elsewhere")


def _check_place(path: str, inputs: Sequence[str], *, force: bool) -> None:
    """What lies there may be replaced only where the user says so, and never an input or what a link points to."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise refuse_file(path, "BR802", "is a link, and nothing is written through one", "name the file itself, or remove the link")
    if not stat.S_ISREG(found.st_mode):
        raise refuse_file(path, "BR803", "is there, and is not a regular file", "choose another name")
    for given in inputs:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(given), found):  # noqa: PTH116
                raise refuse_file(path, "BR804", "is an input, and would be lost", "choose another name")
    if not force:
        raise refuse_file(path, "BR801", "exists", Fix("force=True", "--force, or another name"))


@contextlib.contextmanager
def _held(path: str) -> Iterator[None]:
    """A lock beside the output, with the id of the process that holds it; one that a killed process left is taken over."""
    lock = os.path.join(_folder(path), f".{os.path.basename(path)}.writing")  # noqa: PTH119
    descriptor = _locked(lock, path)
    try:
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(lock)
        os.close(descriptor)


def _locked(lock: str, path: str) -> int:
    """The lock, open and ours; once more where its owner took it away before we held it."""
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            raise refuse_file(_folder(path), "BR803", f"cannot be written to ({error.strerror})", "write elsewhere") from None
        try:
            _check_lock(descriptor, lock, path)
        except BaseException:
            os.close(descriptor)
            raise
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)


def _check_lock(descriptor: int, lock: str, path: str) -> None:
    """A lock is a small file of its own: anything else under that name is somebody's, and is left alone."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > MOST_LOCK:
        raise refuse_file(lock, "BR803", "is in the way, and is no lock of ours", "move it away")
    if not is_ours(descriptor):
        owner = quoted(os.pread(descriptor, 20, 0).decode("ascii", "replace"), quotes=False)
        raise refuse_file(path, "BR805", f"process {owner} is writing it", "wait for it, or choose another name")
