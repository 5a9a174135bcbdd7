"""The bytes of an input: a regular file or standard input, unpacked where it is compressed, the same from first to last."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from baserate.atomic import FULL, no_room
from baserate.engines import compressed
from baserate.engines.compressed import Limits
from baserate.engines.kinds import COMPRESSED, HEAD, SAVE_AS, TEXT, check_readable, kind_of, name_of
from baserate.errors import Fix, refuse_file, size
from baserate.notes import Note

STDIN = ("-", "/dev/stdin")
CHUNK = 1 << 20
PREFIX = "baserate-"  # of everything temporary


@dataclass(frozen=True)
class Plain:
    """An input whose bytes lie uncompressed in a regular file: perhaps a temporary one, which goes with the context that made it."""

    shown: str  # what the user calls it
    path: str  # where the plain bytes lie
    kind: str  # what they are: text, JSON, Parquet …
    sha256: str  # of the input as it lies, compressed or not
    notes: tuple[Note, ...] = ()


@contextlib.contextmanager
def opened(source: str, limits: Limits | None = None, lies: str | None = None) -> Iterator[Plain]:
    """The plain bytes of an input; `lies` says where standard input does, if it was put into a file already.

    Whoever reads them may read twice: an input that changes meanwhile is refused.
    """
    limits = limits or Limits()
    with contextlib.ExitStack() as stack:
        path = lies or (stack.enter_context(spooled(limits)) if source in STDIN else source)
        before = checked_regular(path, source)
        try:
            yield _described(path, source, limits, stack)
        finally:
            # Also where reading failed: half of an old file and half of a new one explain any other error.
            changed = path == source and _state(path) != before
            if changed:
                text = "changed while it was read; nothing was counted"
                raise refuse_file(source, "BR611", text, "wait until it is complete, and count again")


def _described(path: str, source: str, limits: Limits, stack: contextlib.ExitStack) -> Plain:
    """What lies there, unpacked where it is compressed."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
        if not head:
            raise refuse_file(source, "BR602", "is empty (0 bytes)", "give a file with a header and cases")
        check_readable(head, source)
        kind = kind_of(head, source)
        kind = _kind_of_zip(source, file) if kind == "zip" else kind
    plain = Plain(source, path, kind, digest(path), _misnamed(source, kind))
    if kind not in COMPRESSED:
        return plain
    inside = stack.enter_context(_unpacked(plain, limits))
    with open(inside, "rb") as file:
        head = file.read(HEAD)
    if not head:
        raise refuse_file(source, "BR602", "holds an empty file (0 bytes)", "give a file with a header and cases")
    check_readable(head, source)
    held = kind_of(head, source)
    if held in COMPRESSED:
        raise refuse_file(source, "BR720", f"is compressed twice ({kind}, and {held} within)", "unpack it once")
    return replace(plain, path=inside, kind=held)


def _kind_of_zip(source: str, file: BinaryIO) -> str:
    """Many formats are zip files with members of known names."""
    names = compressed.member_names(file)
    if any(name.endswith((".pkl", ".pickle")) for name in names):
        raise refuse_file(source, "BR705", "holds a pickle, which can run code when it is loaded: not read", SAVE_AS)
    if "[Content_Types].xml" in names or "mimetype" in names:
        raise refuse_file(source, "BR610", "is a spreadsheet or another Office file, which is not read", "export it to CSV or Parquet")
    return "npz" if names and all(name.endswith(".npy") for name in names) else "zip"


def _misnamed(source: str, kind: str) -> tuple[Note, ...]:
    """A word on a name that promises something else than the bytes keep."""
    promised, found = name_of(source).compression, kind if kind in COMPRESSED else None
    if promised == found or source in STDIN:
        return ()
    named = f"is named {COMPRESSED[promised]}" if promised else "has no ending that says so"
    return (Note("BR716", f"the file {named}, but is {'compressed: ' + found if found else 'not ' + str(promised)}; its bytes decided"),)


@contextlib.contextmanager
def _temporary() -> Iterator[tuple[BinaryIO, str]]:
    """A file of our own that nobody else can read and that is gone afterwards."""
    handle, path = tempfile.mkstemp(prefix=PREFIX)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


@contextlib.contextmanager
def written(pieces: Iterator[bytes]) -> Iterator[str]:
    """A temporary file with these bytes, for as long as the context lasts."""
    with _temporary() as (file, path):
        written = 0
        for piece in pieces:
            written += len(piece)
            with _with_room(written):
                file.write(piece)
        with _with_room(written):
            file.flush()
        yield path


@contextlib.contextmanager
def _with_room(written: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise no_temporary_room(error, f"{size(written)} or more needed for a copy of the input") from None


def no_temporary_room(error: OSError, needed: str) -> OSError:
    """The error where temporary files do not fit. A reader in a process of its own has a folder within the one that the user knows."""
    folder = tempfile.gettempdir()
    folder = os.path.dirname(folder) if os.path.basename(folder).startswith(PREFIX) else folder  # noqa: PTH119, PTH120
    found = no_room(error, folder, needed)
    place = "" if error.errno == errno.EFBIG else " (the folder for temporary files: TMPDIR names another)"
    return OSError(found.errno, f"{found.strerror}{place}")


@contextlib.contextmanager
def _unpacked(plain: Plain, limits: Limits) -> Iterator[str]:
    with open(plain.path, "rb") as file, written(compressed.pieces(plain.shown, plain.kind, file, limits)) as path:
        yield path


@contextlib.contextmanager
def spooled(limits: Limits) -> Iterator[str]:
    """Standard input in a file of its own, so that it can be looked at twice."""
    if sys.stdin is None or sys.stdin.isatty():
        raise refuse_file("-", "BR615", "nothing is piped into standard input", "baserate show - < scores.csv")
    with written(_from_stdin(sys.stdin.buffer, limits)) as path:
        yield path


def _from_stdin(stream: BinaryIO, limits: Limits) -> Iterator[bytes]:
    came = 0
    while piece := stream.read(CHUNK):
        came += len(piece)
        if came > limits.most:
            fix = Fix.option("max_bytes", 2 * came)
            raise refuse_file("-", "BR702", f"standard input goes on beyond {size(limits.most)}; nothing was counted", fix)
        yield piece


State = tuple[int, int, int, int]


def checked_regular(path: str, shown: str | None = None) -> State:
    """The state of a regular file; pipes, devices, sockets and folders are refused at once."""
    found = os.stat(path)  # noqa: PTH116 (bytes-safe, and follows links as opening does)
    if not stat.S_ISREG(found.st_mode):
        raise refuse_file(shown or path, "BR615", "is not a regular file", "save the data to a file first")
    return _state_of(found)


def _state(path: str) -> State | None:
    try:
        return _state_of(os.stat(path))  # noqa: PTH116
    except OSError:
        return None


def _state_of(found: os.stat_result) -> State:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def digest(path: str) -> str:
    """SHA-256 of a file as it lies."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


__all__ = ["TEXT", "Limits", "Plain", "checked_regular", "digest", "opened", "spooled", "written"]
