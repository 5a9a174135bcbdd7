"""Safe output: files written whole or not at all, digests, and text folded to the width of a
page.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from baserate.errors import Fix, InputError, quoted, refuse_file, size

if TYPE_CHECKING:
    import numpy.typing as npt

# ----------------------------------------------------------------------
# Writing a file so that a reader sees the old one or the new one, whatever happens in between.


try:
    import fcntl
# Windows: no advisory locks, so the drafts of a killed writer stay until they are removed by hand
except ImportError:
    fcntl = None  # type: ignore[assignment]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# File names may have 255 bytes; a draft's adds some of its own.
MOST_NAME = 50
PRIVATE = 0o600


def write_atomically(
    path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview], *, private: bool = False
) -> None:
    """Write the pieces to a draft beside `path`, flush it to disk, and rename it into place.

    Drafts that killed writers left behind are swept first. A link at `path` is replaced, never
    followed; the mode of a file that was there is kept, and nobody but the owner reads a private
    one; anything else that is there (a folder, a pipe, a device) is refused.
    """
    folder, name = os.path.split(os.fspath(path))
    folder = folder or os.curdir
    there = _mode_of(path)
    mode = PRIVATE if private else there
    _remove_stale_drafts(folder, name)
    draft, descriptor = _open_draft(folder, name, PRIVATE if private else 0o666)
    counted = _Counted(pieces)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in counted:
                file.write(piece)
            if mode is not None:
                os.chmod(draft, mode)
            file.flush()
            _flush_to_disk(file.fileno())
            if fcntl is not None:  # still locked, so that no sweep takes the draft away
                os.replace(draft, path)
        if fcntl is None:  # Windows renames closed files only
            os.replace(draft, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        if isinstance(error, OSError) and error.errno in FULL:
            raise no_room(
                error, folder, f"{size(counted.to_the_end())} needed", os.fspath(path)
            ) from error
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
    """The error for a file that does not fit: how much is needed, and how much there is, or the
    limit that the user set.
    """
    if error.errno == errno.EFBIG:
        return OSError(
            error.errno, f"{error.strerror}: {needed}, and a file may have {_largest_file()}", path
        )
    free = size(shutil.disk_usage(folder).free)
    return OSError(error.errno, f"{error.strerror}: {needed}, {free} free in {folder}", path)


def _largest_file() -> str:
    """How large a file may be; where the user set no limit, it is that of the file system."""
    try:
        import resource
    except ImportError:  # Windows
        return "no more on this file system"
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return (
        "no more on this file system"
        if limit == resource.RLIM_INFINITY
        else f"at most {size(limit)} (ulimit -f)"
    )


def _mode_of(path: str | os.PathLike[str]) -> int | None:
    """The permissions of the file that is there; None where there is nothing, or a link."""
    try:
        found = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found) and not stat.S_ISLNK(found):
        raise OSError(errno.EINVAL, "Not a regular file", os.fspath(path))
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def _open_draft(folder: str, name: str, mode: int) -> tuple[str, int]:
    """A new file beside the target, locked by us; again if another writer swept it before we held
    the lock.
    """
    while True:
        draft = os.path.join(folder, f".{name[:MOST_NAME]}.{os.urandom(8).hex()}.draft")
        try:
            descriptor = os.open(
                draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode
            )
            if fcntl is not None:
                with contextlib.suppress(
                    OSError
                ):  # a file system without locks: the draft may outlive a kill
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


def _remove_stale_drafts(folder: str, name: str) -> None:
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


def _flush_to_disk(descriptor: int) -> None:
    """Flush to disk; a file system that cannot (some network mounts) keeps the promise to readers,
    and not the one about power cuts.
    """
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


# ----------------------------------------------------------------------
# Fingerprints that are the same on every machine. OpenSSL takes milliseconds to load, so only who
# asks for one pays for it.


def little_endian(array: npt.NDArray[Any]) -> memoryview:
    """The bytes of an array as they are written and digested on every machine."""
    import numpy as np  # every command loads this file, and not every one needs arrays

    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).view(np.uint8).data


def sha256_of(pieces: Iterable[bytes | memoryview]) -> bytes:
    """The SHA-256 of the pieces end to end."""
    import hashlib

    state = hashlib.sha256()
    for piece in pieces:
        state.update(piece)
    return state.digest()


def fingerprint_of(head: str, arrays: Iterable[npt.NDArray[Any]]) -> str:
    """The digest of a value: a head that says what it is, then its arrays."""
    return sha256_of([head.encode(), *map(little_endian, arrays)]).hex()


# ----------------------------------------------------------------------
# Where an answer goes: looked at before anything is computed, held meanwhile, and then written
# whole or not at all.


MOST_LOCK = 20  # bytes: the id of a process
MOST_FILE_NAME = 200  # of a file name's 255 bytes: drafts and locks beside it add some of their own


@contextlib.contextmanager
def reserve_output(
    path: str, inputs: Sequence[str] = (), *, force: bool = False
) -> Iterator[Callable[[], None]]:
    """For as long as the context lasts nobody else writes the output; it begins once it is clear
    that it can be written.

    Call what it gives right before writing: a file that came there meanwhile is not ours
    to replace either.
    """
    _check_folder(path)
    _check_place(path, inputs, force=force)
    try:
        with _hold_lock(path):
            yield lambda: _check_place(path, inputs, force=force)
    except OSError as error:
        if error.errno in FULL:
            raise OSError(
                error.errno, f"{error.strerror}; what was there before is kept", path
            ) from error
        raise


def _folder_of(path: str) -> str:
    return os.path.dirname(path) or os.curdir  # noqa: PTH120


def _check_folder(path: str) -> None:
    folder, name = _folder_of(path), os.path.basename(path)  # noqa: PTH119
    if not name or "\0" in path or path == "-":
        raise refuse_file(
            path, "BR803", "is not a file name", "name a file; without one the answer is printed"
        )
    if len(os.fsencode(name)) > MOST_FILE_NAME:
        raise refuse_file(
            folder,
            "BR803",
            f"the name {quoted(name)} has more than {MOST_FILE_NAME} bytes",
            "choose a shorter one",
        )
    if not os.path.isdir(folder):  # noqa: PTH112
        what = "is not a folder" if os.path.lexists(folder) else "there is no such folder"
        raise refuse_file(folder, "BR803", what, "make it first, or write elsewhere")


def _check_place(path: str, inputs: Sequence[str], *, force: bool) -> None:
    """What lies there may be replaced only where the user says so, and never an input or what a
    link points to.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise refuse_file(
            path,
            "BR803",
            "is a symbolic link, which is not followed",
            "name the file itself, or remove the link",
        )
    if not stat.S_ISREG(found.st_mode):
        raise refuse_file(path, "BR803", "exists and is not a regular file", "choose another name")
    for given in inputs:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(given), found):  # noqa: PTH116
                raise refuse_file(
                    path,
                    "BR804",
                    "is an input file and would be overwritten",
                    "choose another name",
                )
    if not force:
        raise refuse_file(path, "BR801", "exists", Fix("force=True", "--force, or another name"))


@contextlib.contextmanager
def _hold_lock(path: str) -> Iterator[None]:
    """A lock beside the output, with the id of the process that holds it; one that a killed process
    left is taken over.
    """
    lock = os.path.join(_folder_of(path), f".{os.path.basename(path)}.writing")  # noqa: PTH119
    try:
        descriptor = _open_lock(lock, path)
    except BaseException as stop:
        if not isinstance(stop, Exception):  # Ctrl-C may come as soon as the file is there
            with contextlib.suppress(OSError, InputError):
                descriptor = _open_lock(lock, path)
                os.unlink(lock)
                os.close(descriptor)
        raise
    try:
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        try:  # noqa: SIM105 (nothing is called before, so that no second stop comes between)
            os.unlink(lock)
        except OSError:
            pass
        os.close(descriptor)


def _open_lock(lock: str, path: str) -> int:
    """The lock, open and ours; once more where its owner took it away before we held it."""
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _not_a_lock(lock) from None
            raise refuse_file(
                _folder_of(path),
                "BR803",
                f"cannot be written to ({error.strerror})",
                "write elsewhere",
            ) from None
        try:
            _check_lock(descriptor, lock, path)
            if os.fstat(descriptor).st_nlink:
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _check_lock(descriptor: int, lock: str, path: str) -> None:
    """A lock is a small file of its own: anything else under that name is another program's, and is
    left alone.
    """
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > MOST_LOCK:
        raise _not_a_lock(lock)
    if not is_ours(descriptor):
        owner = quoted(os.pread(descriptor, 20, 0).decode("ascii", "replace"), quotes=False)
        raise refuse_file(
            path, "BR805", f"process {owner} is writing it", "wait for it, or choose another name"
        )


def _not_a_lock(lock: str) -> InputError:
    return refuse_file(lock, "BR803", "exists and is not a lock file of baserate", "move it away")


# ----------------------------------------------------------------------
# Text that knows its parts: tables and paragraphs, whole for a file, and folded for a narrow
# terminal.


GAP = "  "
NARROWEST = 20


class Grid(str):
    """A table as text: the first columns to the left, the others, which are numbers, to the right.
    It keeps its cells for a narrower page.
    """

    __slots__ = ("headings", "left", "rows")
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int

    def __new__(cls, headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Self:
        grid = super().__new__(cls, "\n".join(_align_rows([headings, *rows], left)))
        grid.headings, grid.rows, grid.left = (
            tuple(headings),
            tuple(tuple(row) for row in rows),
            left,
        )
        return grid

    def fitted(self, width: int) -> str:
        """As it is where it fits, else with headings of several lines, else one row below the
        other.
        """
        if _width_of(self) <= width:
            return str(self)
        folded = "\n".join(
            _align_rows([*_fold_headings(self.headings, self.rows), *self.rows], self.left)
        )
        return folded if _width_of(folded) <= width else "\n\n".join(self._list_records(width))

    def _list_records(self, width: int) -> Iterator[str]:
        """Each row as a list of its cells, under what stands on its left; of a table of words
        alone, under the first of them.
        """
        left = self.left if self.left < len(self.headings) else 1
        widest = max(len(heading) for heading in self.headings)
        hanging = " " * (widest + 2 * len(GAP))
        for row in self.rows:
            title = ", ".join(cell for cell in row[:left] if cell)
            pairs = list(zip(self.headings[left:], row[left:], strict=True))
            lines = [
                _hang_text(cell, f"{GAP}{heading.ljust(widest)}{GAP}", hanging, width)
                for heading, cell in pairs
            ]
            if max(map(_width_of, lines), default=0) > width:
                lines = [
                    line
                    for heading, cell in pairs
                    for line in (f"{GAP}{heading}", _hang_text(cell, GAP * 2, GAP * 2, width))
                ]
            yield "\n".join(line.rstrip() for line in (*([title] if title else []), *lines))


class Page(str):
    """Paragraphs and tables, one below the other."""

    __slots__ = ("blocks",)
    blocks: tuple[str, ...]

    def __new__(cls, *blocks: str) -> Self:
        page = super().__new__(cls, "\n\n".join(blocks))
        page.blocks = blocks
        return page


def fit_to_width(text: str, width: int) -> str:
    """Text for a page of `width` columns: tables folded, paragraphs wrapped."""
    width = max(width, NARROWEST)
    if isinstance(text, Page):
        return "\n\n".join(fit_to_width(block, width) for block in text.blocks)
    return (
        text.fitted(width)
        if isinstance(text, Grid)
        else "\n".join(_hang_text(line, "", "", width) for line in text.split("\n"))
    )


def _hang_text(text: str, first: str, others: str, width: int) -> str:
    """Words after `first`, and on further lines below themselves."""
    if len(first + text) <= width:
        return first + text
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _align_rows(rows: Sequence[Sequence[str]], left: int) -> Iterator[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield GAP.join(cells).rstrip()


def _fold_headings(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Headings over as many lines as their words need, at the bottom of the space."""
    widths = [
        max([len(word) for word in heading.split()] + [len(row[i]) for row in rows])
        for i, heading in enumerate(headings)
    ]
    broken = [
        textwrap.wrap(heading, width) or [""]
        for heading, width in zip(headings, widths, strict=True)
    ]
    most = max(map(len, broken))
    return [
        list(line)
        for line in zip(*([""] * (most - len(lines)) + lines for lines in broken), strict=True)
    ]


def _width_of(text: str) -> int:
    return max(map(len, text.split("\n")))


def user_limit() -> int | None:
    """The bytes that a process may take by a limit of the user's (ulimit -v or -d); None where
    there is none.
    """
    try:
        import resource
    except ImportError:  # Windows
        return None
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=None)
